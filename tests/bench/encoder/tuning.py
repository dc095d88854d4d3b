"""What export.py wrote, back in the model: training goes on from what is shipped."""
import struct

import numpy as np
import torch

from export import MAGIC


class Reader:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if not self.data.startswith(MAGIC):
            raise ValueError(f"{path}: no tuning")
        [self.rank] = struct.unpack_from("<I", self.data, len(MAGIC))
        self.at = len(MAGIC) + 4

    def take(self, kind, count):
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def floats(self, parameter):
        parameter.data.copy_(torch.from_numpy(self.take("<f4", parameter.numel()).copy().reshape(parameter.shape)))

    def rows(self, count, width):
        rows = [self.take("<f4", 1) * self.take("i1", width) for _ in range(count)]
        return torch.from_numpy(np.stack(rows).astype(np.float32))

    def norm(self, norm):
        self.floats(norm.scale)
        self.floats(norm.bias)

    def matrix(self, matrix):
        matrix.down.data.copy_(self.rows(*matrix.down.T.shape).T)
        matrix.up.data.copy_(self.rows(*matrix.up.shape))
        self.floats(matrix.bias)


def load(model, path):
    """In the order of export.arrays."""
    reader = Reader(path)
    if reader.rank != model.layers[0].qkv.down.shape[1]:
        raise ValueError(f"{path}: additions of rank {reader.rank}")
    model.embedding_map.data.copy_(reader.rows(*model.embedding_map.shape))
    reader.norm(model.embedding_norm)
    for layer in model.layers:
        reader.matrix(layer.qkv)
        reader.matrix(layer.attended)
        reader.norm(layer.attention_norm)
        reader.matrix(layer.inner)
        reader.matrix(layer.outer)
        reader.norm(layer.outer_norm)
    for parameter in (model.token, model.query_weight, model.query_bias):
        reader.floats(parameter)
    if reader.at != len(reader.data):
        raise ValueError(f"{path}: {len(reader.data) - reader.at} bytes too many")
