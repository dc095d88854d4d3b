#!/usr/bin/env python3
"""What the encoder that train.py wrote makes of some texts, for tests/unit/encoder_test.c: so that the build's converter and
memory/provider/encoder.c are held to the model that was trained.

  reference.py FILE.pt > tests/encoder/tuned.json

vector: in 1/32767, 16 bits little-endian, base64; token: likewise, of the last piece; weight: its share of the
query's weights.
"""
import base64
import json
import sys

import numpy as np
import torch

from model import Encoder, Vocabulary, batch

TEXTS = ["How do I undo what I changed last?",
         "reload the configuration without dropping connections",
         "Only members of the group adm have permission to read the system journal.",
         "We chose SQLite as the database because one file is easy to back up.",
         "for (size_t i = 0; i < n; i++) sum += row[i] * row[i];",
         "With --backup the previous version is saved under its name and a tilde before it is overwritten. " * 4]


def packed(values):
    return base64.b64encode(np.rint(values.numpy() * 32767).astype("<i2").tobytes()).decode()


def main():
    model, vocabulary = Encoder(), Vocabulary()
    model.load_state_dict(torch.load(sys.argv[1], map_location="cpu"))
    rows = []
    for text in TEXTS:
        with torch.no_grad():
            [vector], [tokens], [weights] = model(*batch([vocabulary.cut(text)[:126]]))
        rows.append({"text": text, "vector": packed(vector), "token": packed(tokens[-2]), "weight": round(float(weights[-2]), 6)})
    print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")


if __name__ == "__main__":
    main()
