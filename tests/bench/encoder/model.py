"""The encoder in torch, with what is learned on top of its package's weights, which stay as they are.

What is learned: low-rank additions to the matrices (Hu et al., "LoRA", ICLR 2022, section 4.1), norms and biases, a map that is
added to the embeddings, and what late interaction needs (Khattab and Zaharia, "ColBERT", SIGIR 2020, section 3): a projection of
each piece and how much a piece of a query weighs. The state_dict holds these alone. memory/provider/encoder.c is the same model.
"""
import json
import os
import unicodedata

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
PACKAGE = os.path.join(TOP, "parsers", "third_party", "node_modules", "@energetic-ai", "model-embeddings-en", "dist")
MAX_PIECES, HEADS, EMBEDDING, WIDTH, INNER = 128, 4, 256, 512, 1536
RANK, TOKEN_DIMENSIONS = 16, 64
UNKNOWN, RESERVED = 0, 6
WORD_MARK = "\u2581"
NORM_EPSILON = 1e-6


# ---- pieces ----

class Vocabulary:
    """Cuts texts as memory/provider/sentencepiece.c does."""

    def __init__(self, package=PACKAGE):
        with open(os.path.join(package, "vocab.json"), encoding="utf-8") as file:
            entries = json.load(file)
        # A null stands where the package lost a score; its tokenizer counts with 0.
        self.pieces = {text: (number, score or 0.) for number, (text, score) in enumerate(entries) if number >= RESERVED}
        self.longest = max(map(len, self.pieces))

    def cut(self, text):
        """The numbers of the text's pieces."""
        text = unicodedata.normalize("NFKC", " ".join(text.split()))
        if not text:
            return []
        text = WORD_MARK + text.replace(" ", WORD_MARK)
        best = [(0.0, UNKNOWN, 1)] * (len(text) + 1)  # score, piece, its length; a score of 0: not reached yet
        for start in range(len(text)):
            before, found = best[start][0], False
            for end in range(start + 1, min(start + self.longest, len(text)) + 1):
                piece = self.pieces.get(text[start:end])
                if piece:
                    found = True
                    score = before + piece[1]
                    if best[end][0] == 0 or score >= best[end][0]:
                        best[end] = (score, piece[0], end - start)
            if not found and (best[start + 1][0] == 0 or before >= best[start + 1][0]):
                best[start + 1] = (before, UNKNOWN, 1)
        numbers, end = [], len(text)
        while end > 0:
            _, number, length = best[end]
            if number != UNKNOWN or not numbers or numbers[-1] != UNKNOWN:
                numbers.append(number)
            end -= length
        return numbers[::-1]


def batch(lists):
    """(numbers, which of them count), each [texts][longest]; a text without pieces has the unknown one."""
    lists = [pieces or [UNKNOWN] for pieces in lists]
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
    with open(os.path.join(package, "model.json"), encoding="utf-8") as file:
        [manifest] = json.load(file)["weightsManifest"]
    data = b"".join(open(os.path.join(package, shard), "rb").read() for shard in manifest["paths"])
    found, at = {}, 0
    for entry in manifest["weights"]:
        count = int(np.prod(entry["shape"]))
        if entry["dtype"] == "float32":
            found[entry["name"]] = torch.from_numpy(np.frombuffer(data, "<f4", count, at).reshape(entry["shape"]).copy())
        at += 4 * count
    return found


class Names:
    """Where a layer's arrays stand in the package."""

    def __init__(self, weights, layer):
        self.weights = weights
        self.applied = f"module_apply_default/Encoder_en/KonaTransformer/Encode/Layer_{layer}/TransformerLayer/"
        self.kernels = f"module/Encoder_en/KonaTransformer/Encode/Layer_{layer}/TransformerLayer/"
        self.stack = f"module_apply_default/Encoder_en/KonaTransformer/Encode/TransformerStack/Layer_{layer}/"

    def joined(self, name):
        return self.weights[f"{self.applied}{name}/ConcatPartitions/concat"]

    def norm(self, below=""):
        at = f"{below}layer_prepostprocess/layer_norm/layer_norm_"
        return Norm(self.joined(at + "scale"), self.joined(at + "bias"))

    def attention(self, name, width):
        kernel = self.weights[f"{self.kernels}MultiheadAttention/{name}/kernel/part_0"]
        return Matrix(kernel.reshape(width, -1), self.joined(f"MultiheadAttention/{name}/bias"))

    def convolution(self, name, width):
        kernel = self.weights[f"{self.stack}TransformerLayer/FFN/{name}/Tensordot/Reshape_1"]
        return Matrix(kernel.reshape(width, -1), self.joined(f"FFN/{name}/bias"))

    def residual(self):
        return Matrix(self.joined("dense/kernel").reshape(EMBEDDING, WIDTH), self.joined("dense/bias"), learn_bias=False)


# ---- the model ----

class Norm(nn.Module):
    def __init__(self, scale, bias):
        super().__init__()
        self.scale, self.bias = nn.Parameter(scale.reshape(-1)), nn.Parameter(bias.reshape(-1))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.scale, self.bias, NORM_EPSILON)


class Matrix(nn.Module):
    """The package's, [in][out], and the product of two thin ones that is added to it: nothing at first."""

    def __init__(self, given, bias, learn_bias=True):
        super().__init__()
        rows, columns = given.shape
        self.register_buffer("given", given, persistent=False)
        self.down = nn.Parameter(torch.randn(rows, RANK) * rows ** -.5)
        self.up = nn.Parameter(torch.zeros(RANK, columns))
        if learn_bias:
            self.bias = nn.Parameter(bias.reshape(-1))
        else:
            self.register_buffer("bias", bias.reshape(-1), persistent=False)

    def forward(self, x):
        return x @ (self.given + self.down @ self.up) + self.bias


class Layer(nn.Module):
    """From `width` to WIDTH."""

    def __init__(self, names, width):
        super().__init__()
        self.attention_norm, self.inner_norm = names.norm(), names.norm("FFN/")
        self.qkv = names.attention("qkv_transform_single", width)
        self.attended = names.attention("output_transform_single", width)
        self.residual = names.residual() if width != WIDTH else nn.Identity()
        self.inner, self.outer = names.convolution("conv1", WIDTH), names.convolution("conv2", INNER)

    def attend(self, x, mask):
        texts, count, width = x.shape
        split = (texts, count, HEADS, width // HEADS)
        query, key, value = (part.reshape(split).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        likeness = query @ key.transpose(-1, -2) * (width // HEADS) ** -.5
        likeness = likeness.masked_fill(~mask[:, None, None, :], -1e9).softmax(-1)
        return self.attended((likeness @ value).transpose(1, 2).reshape(texts, count, width))

    def forward(self, x, mask):
        x = self.residual(x) + self.attend(self.attention_norm(x), mask)
        return x + self.outer(F.relu(self.inner(self.inner_norm(x))))


class Encoder(nn.Module):
    def __init__(self, package=PACKAGE):
        super().__init__()
        weights = package_weights(package)
        names = [Names(weights, layer) for layer in range(2)]
        self.register_buffer("embeddings", weights["module/Embeddings_en"], persistent=False)
        self.embedding_map = nn.Parameter(torch.zeros(EMBEDDING, EMBEDDING))
        self.layers = nn.ModuleList([Layer(names[0], EMBEDDING), Layer(names[1], WIDTH)])
        hidden = "module/Encoder_en/hidden_layers/tanh_layer_0/"
        self.hidden = Matrix(weights[hidden + "weights"], weights[hidden + "bias"])
        scale = weights[names[0].stack + "AddTimingSignal/TimingSignal/ExpandDims_1"].numpy().reshape(-1)
        angles = np.arange(MAX_PIECES)[:, None] * scale[None]
        positions = torch.tensor(np.concatenate([np.sin(angles), np.cos(angles)], 1), dtype=torch.float32)
        self.register_buffer("positions", positions, persistent=False)
        self.token = nn.Parameter(nn.init.orthogonal_(torch.empty(WIDTH, TOKEN_DIMENSIONS)))
        self.query_weight, self.query_bias = nn.Parameter(torch.zeros(WIDTH)), nn.Parameter(torch.zeros(1))
        self.sharpness = nn.Parameter(torch.tensor(3.0))  # of late interaction while it is trained: no part of the result

    def forward(self, ids, mask):
        """Of each text: its vector, a vector for each piece, and what the pieces weigh where it is a query. Of length 1, and 1
        in sum."""
        x = self.embeddings[ids]
        x = x + x @ self.embedding_map
        x = x + (x + self.positions[:ids.shape[1]])  # twice, as the package does
        for layer in self.layers:
            x = layer(x, mask)
        counted = mask[..., None].float()
        vector = F.normalize(torch.tanh(self.hidden((x * counted).sum(1) / counted.sum(1))), dim=-1)
        even = F.layer_norm(x, (WIDTH,))
        tokens = F.normalize(even @ self.token, dim=-1)
        weight = F.softplus(even @ self.query_weight * .1 + self.query_bias) * mask.float()
        return vector, tokens, weight / weight.sum(1, keepdim=True)


def late(tokens, weight, others, mask):
    """[queries][texts]: the weighed mean, over a query's pieces, of the cosine with the most alike piece of the text."""
    queries, count, width = tokens.shape
    texts, other_count, _ = others.shape
    cosines = tokens.reshape(-1, width) @ others.reshape(-1, width).T
    cosines = cosines.reshape(queries, count, texts, other_count).masked_fill(~mask[None, None], -1.)
    return (cosines.amax(3) * weight[:, :, None]).sum(1)
