#!/usr/bin/env python3
"""Writes what was learned as the encoder's build reads it: memory/provider/convert/tuning.h tells the format.

  export.py FILE.pt memory/provider/convert/passages.tuning
"""
import struct
import sys

import numpy as np
import torch

from model import Encoder

MAGIC = b"engram tuning 1\n"
GREATEST = 127


def floats(value):
    yield np.ascontiguousarray(value.detach().numpy(), "<f4").tobytes()


def rows(matrix):
    """Of each row a scale and bytes."""
    for row in np.ascontiguousarray(matrix.detach().numpy(), np.float32):
        scale = float(np.abs(row).max()) / GREATEST or 1e-9
        yield struct.pack("<f", scale) + np.clip(np.rint(row / scale), -GREATEST, GREATEST).astype(np.int8).tobytes()


def norm(learned):
    yield from floats(learned.scale)
    yield from floats(learned.bias)


def matrix(learned):
    yield from rows(learned.down.T)
    yield from rows(learned.up)
    yield from floats(learned.bias)


def arrays(model):
    """In the order in which the converter asks for them."""
    yield from rows(model.embedding_map)
    yield from norm(model.embedding_norm)
    for layer in model.layers:
        yield from matrix(layer.qkv)
        yield from matrix(layer.attended)
        yield from norm(layer.attention_norm)
        yield from matrix(layer.inner)
        yield from matrix(layer.outer)
        yield from norm(layer.outer_norm)
    yield from floats(model.token)
    yield from floats(model.query_weight)
    yield from floats(model.query_bias)


def main():
    learned, out = sys.argv[1:]
    model = Encoder()
    model.load_state_dict(torch.load(learned, map_location="cpu"))
    with open(out, "wb") as file:
        file.write(MAGIC + struct.pack("<I", model.layers[0].qkv.down.shape[1]))
        file.writelines(arrays(model))


if __name__ == "__main__":
    main()
