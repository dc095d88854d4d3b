#!/usr/bin/env python3
"""Tunes the encoder so that it finds passages by questions in other words (README.md).

  train.py --files DIR --commits CLONE=MOST [--commits ...] --out FILE.pt
  train.py --files DIR --begin memory/provider/convert/passages.tuning --stage nearest --newest PASSAGES --out FILE.pt

Two stages, the second at lower rates, and a third for whoever goes on from a tuning; all learn the vectors of whole texts and
those of pieces. Each pair of a batch has the passages of all others as wrong answers; half a batch is of one package, so that most
of these are hard to tell from the right one. In the third each has one more, drawn from those that its question is nearest to,
also among what else is in the questions' documents.
Behind each epoch it says how well the questions of the packages that are held out find their passages among each other.
"""
import argparse
import random
import sys
import time
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

import corpus
import tuning
import weak
from model import Encoder, Vocabulary, batch, is_piece, late

THREADS, SEED = 2, 0
TEMPERATURE = .05
LEAD_PIECES, QUESTION_PIECES, PASSAGE_PIECES = 24, 32, 400
SIBLINGS, COMMON_RUN = 14, 6  # passages of a document without a question, at most; words that one shares with none that has
READ_WINDOW, READ_STEP, READ_QUESTION = 102, 84, 64  # when it is measured, about as the encoder reads documents
MEASURED_QUESTIONS, MEASURED_AT_ONCE = 500, 64
SAID_EVERY = 20


class Stage(NamedTuple):
    name: str
    rate: float           # of learning, at its highest
    last_of_rate: float   # what is left of it at the end
    epochs: int
    batch: int            # pairs
    windows: tuple        # pieces with the lead; short, for the time that longer ones take
    warm_up: int          # steps
    backwards: float      # weight of finding the question by the passage
    weak_pairs: int       # at most
    nearest: int = 0      # wrong passages of each question, one of which is added by chance


STAGES = (Stage("first", .001, .5, epochs=1, batch=48, windows=(48, 60, 72), warm_up=20, backwards=.3, weak_pairs=1000),
          Stage("second", .0006, .05, epochs=1, batch=48, windows=(48, 60, 72, 96), warm_up=8, backwards=.3, weak_pairs=0),
          Stage("nearest", .0006, .04, epochs=1, batch=48, windows=(60, 80, 110), warm_up=10, backwards=.3, weak_pairs=0, nearest=16))


# ---- pairs ----

def prepare(rows, vocabulary):
    """A pair for each question, cut into pieces."""
    for row in rows:
        lead = vocabulary.cut(row["lead"])[-LEAD_PIECES:]
        passage = vocabulary.cut(row["text"])[:PASSAGE_PIECES]
        for question in row["questions"]:
            yield {"group": row["group"], "name": row["name"], "passage": (row["name"], row["text"]), "lead": lead, "text": passage,
                   "question": vocabulary.cut(question)}


def runs(text):
    words = text.split()
    return {" ".join(words[at:at + COMMON_RUN]) for at in range(len(words) - COMMON_RUN + 1)}


def siblings(rows, files, vocabulary):
    """Some passages of the rows' documents that no row asks upon, as pairs without a question: in a project that has the whole
    documents they are most of what a question has to be told from."""
    asked = {}
    for row in corpus.passages(rows, files):
        asked.setdefault(row["name"], set()).update(runs(row["text"]))
    for name, (row, text) in corpus.texts(rows, files).items():
        title = corpus.title(row, text)
        others = [(heading, passage) for heading, passage in corpus.drawn(text, corpus.is_manual(row))
                  if not runs(passage) & asked.get(name, set())]
        yield from prepare([{"group": corpus.group(row), "name": name, "text": passage, "lead": corpus.lead_of(title, heading),
                             "questions": [""]} for heading, passage in random.sample(others, min(len(others), SIBLINGS))],
                           vocabulary)


def window(pair, sizes):
    """Some of the passage behind its lead."""
    room = random.choice(sizes) - len(pair["lead"])
    at = random.randint(0, max(0, len(pair["text"]) - room))
    return pair["lead"] + pair["text"][at:at + room]


def batches(pairs, size):
    """Two halves each, of a package where it has enough left; every other package goes document by document."""
    groups, full, rest = {}, [], []
    for pair in pairs:
        groups.setdefault(pair["group"], []).append(pair)
    half = size // 2
    for group in groups.values():
        random.shuffle(group)
        if random.random() < .5:
            group.sort(key=lambda pair: pair["name"])
        whole = len(group) // half * half
        full += [group[at:at + half] for at in range(0, whole, half)]
        rest.append(group[whole:])
    random.shuffle(rest)
    rest = [pair for group in rest for pair in group]
    full += [rest[at:at + half] for at in range(0, len(rest) // half * half, half)]
    random.shuffle(full)
    return [first + second for first, second in zip(full[::2], full[1::2])]


# ---- training ----

def parts(model):
    """The optimizer's groups, each with the share of the rate that it learns at."""
    kinds = {"matrices": [], "pieces": [], "small": []}
    for name, value in model.named_parameters():
        last = name.split(".")[-1]
        kind = ("matrices" if last in ("down", "up", "embedding_map", "token") else
                "pieces" if last in ("query_weight", "query_bias", "sharpness") else "small")
        kinds[kind].append(value)
    return [{"params": kinds["matrices"], "share": 1, "weight_decay": .01},
            {"params": kinds["small"], "share": .1, "weight_decay": 0},
            {"params": kinds["pieces"], "share": 5, "weight_decay": 0}]


def contrast(scores, same, backwards):
    """The loss of taking the wrong one, and how often the right one is taken. The same passage twice isn't a wrong answer."""
    scores, right = scores.masked_fill(same, -1e4), torch.arange(len(scores))
    loss = F.cross_entropy(scores, right) + backwards * F.cross_entropy(scores[:, :len(right)].T, right)
    return loss, float((scores.argmax(1) == right).float().mean())


def step(model, pairs, wrong, stage):
    """The loss, and what to say about it. `wrong` are further passages that a question may be taken in by; one may be another's."""
    texts = pairs + wrong
    question_ids, question_mask = batch([pair["question"][:QUESTION_PIECES] for pair in pairs])
    ids, mask = batch([window(pair, stage.windows) for pair in texts])
    question, question_tokens, weight = model(question_ids, question_mask)
    passage, tokens, _ = model(ids, mask)
    same = torch.tensor([[i != j and one["passage"] == other["passage"] for j, other in enumerate(texts)]
                         for i, one in enumerate(pairs)])
    loss, right = contrast(question @ passage.T / TEMPERATURE, same, stage.backwards)
    scores = late(question_tokens, weight, tokens, is_piece(ids)) * model.sharpness.exp()
    late_loss, late_right = contrast(scores, same, stage.backwards)
    return loss + late_loss, [float(loss), right, float(late_loss), late_right]


def train(model, stage, pairs, others, measure):
    optimizer = torch.optim.AdamW(parts(model), lr=stage.rate)
    total, done, said, begun = stage.epochs * len(batches(pairs, stage.batch)), 0, [], time.monotonic()
    for epoch in range(stage.epochs):
        near = nearest(model, pairs, others, stage.nearest) if stage.nearest else {}
        for chosen in batches(pairs, stage.batch):
            rate = stage.rate * min(1, (done + 1) / stage.warm_up) * (1 - (1 - stage.last_of_rate) * done / total)
            for part in optimizer.param_groups:
                part["lr"] = rate * part["share"]
            wrong = [random.choice(near[id(pair)]) for pair in chosen if near.get(id(pair))]
            loss, figures = step(model, chosen, wrong, stage)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.)
            optimizer.step()
            said.append(figures)
            done += 1
            if done % SAID_EVERY == 0:
                means = " ".join(f"{value:.3f}" for value in np.mean(said[-SAID_EVERY:], 0))
                print(f"{stage.name} {done}/{total}: loss, right {means}; {time.monotonic() - begun:.0f} s", flush=True)
        print(f"{stage.name}, epoch {epoch + 1}: {measure(model)}", flush=True)


def vectors(model, texts):
    return torch.cat([model(*batch(texts[at:at + MEASURED_AT_ONCE]))[0] for at in range(0, len(texts), MEASURED_AT_ONCE)])


def nearest(model, pairs, others, count):
    """{id of a pair: the `count` of the other pairs, and of `others`, with a passage whose beginning is most alike its question,
    by the texts' vectors}"""
    known = list({pair["passage"]: pair for pair in pairs + others}.values())
    model.eval()
    with torch.no_grad():
        questions = vectors(model, [pair["question"][:READ_QUESTION] for pair in pairs])
        passages = vectors(model, [(pair["lead"] + pair["text"])[:READ_WINDOW] for pair in known])
    model.train()
    order = (questions @ passages.T).topk(min(count + 1, len(known)), 1).indices.tolist()
    return {id(pair): [known[at] for at in places if known[at]["passage"] != pair["passage"]][:count]
            for pair, places in zip(pairs, order)}


# ---- measuring ----

def best_windows(model, pairs):
    """Two arrays [pairs][passages]: the best cosine, and the best late interaction, of any window of each passage; and which
    passage is a pair's."""
    known = {pair["passage"]: pair for pair in pairs}
    place = {passage: at for at, passage in enumerate(known)}
    windows, owner = [], []
    for passage, pair in known.items():
        for at in range(0, max(1, len(pair["text"]) - 20), READ_STEP):
            windows.append(pair["lead"] + pair["text"][at:at + READ_WINDOW])
            owner.append(place[passage])
    best = np.full((2, len(pairs), len(known)), -1., np.float32)
    asked = [model(*batch([pair["question"][:READ_QUESTION] for pair in pairs[at:at + MEASURED_AT_ONCE]]))
             for at in range(0, len(pairs), MEASURED_AT_ONCE)]
    for at in range(0, len(windows), MEASURED_AT_ONCE):
        ids, mask = batch(windows[at:at + MEASURED_AT_ONCE])
        passage, tokens, _ = model(ids, mask)
        scores = np.stack([np.concatenate([(question @ passage.T).numpy() for question, _, _ in asked]),
                           np.concatenate([late(each, weight, tokens, is_piece(ids)).numpy() for _, each, weight in asked])])
        for column, place_of in enumerate(owner[at:at + MEASURED_AT_ONCE]):
            best[:, :, place_of] = np.maximum(best[:, :, place_of], scores[:, :, column])
    return best, np.array([place[pair["passage"]] for pair in pairs])


def ranks_said(scores, right):
    ranks = 1 + (scores > scores[np.arange(len(right)), right][:, None]).sum(1)
    shares = ", ".join(f"first {n} {100 * (ranks <= n).mean():.1f} %" for n in (1, 3, 10))
    return f"{shares}, MRR {(1 / ranks).mean():.3f}"


def measured_on(pairs):
    def measure(model):
        model.eval()
        with torch.no_grad():
            (texts, pieces), right = best_windows(model, pairs)
        model.train()
        return f"vectors {ranks_said(texts, right)}; late interaction {ranks_said(pieces, right)}"
    return measure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True, metavar="DIR", help="the documents that corpus.py fetched")
    parser.add_argument("--commits", action="append", default=[], metavar="CLONE=MOST",
                        help="a git repository whose commits give up to so many pairs; may be repeated")
    parser.add_argument("--begin", metavar="TUNING", help="what export.py wrote: go on from there")
    parser.add_argument("--stage", action="append", choices=[stage.name for stage in STAGES], help="default: first and second")
    parser.add_argument("--newest", type=int, metavar="PASSAGES", help="learn from the last so many of the file alone")
    parser.add_argument("--out", required=True, metavar="FILE", help="what was learned, for export.py")
    arguments = parser.parse_args()
    torch.set_num_threads(THREADS)
    torch.manual_seed(SEED)
    random.seed(SEED)
    rows, vocabulary, model = corpus.load(), Vocabulary(), Encoder()
    if arguments.begin:
        tuning.load(model, arguments.begin)
    held_out, learned = ([row for row in rows if (corpus.group(row) in corpus.HELD_OUT) == held] for held in (True, False))
    learned = learned[-arguments.newest:] if arguments.newest else learned
    held_out, pairs = (list(prepare(corpus.passages(some, arguments.files), vocabulary)) for some in (held_out, learned))
    measure = measured_on(random.sample(held_out, min(len(held_out), MEASURED_QUESTIONS)))
    repositories = {clone: int(most) for clone, most in (item.rsplit("=", 1) for item in arguments.commits)}
    print(f"{len(pairs)} questions; at first: {measure(model)}", flush=True)
    for stage in [stage for stage in STAGES if stage.name in (arguments.stage or ("first", "second"))]:
        found = weak.pairs(rows, arguments.files, repositories)[:stage.weak_pairs] if stage.weak_pairs else []
        others = list(siblings(learned, arguments.files, vocabulary)) if stage.nearest else []
        train(model, stage, pairs + list(prepare(found, vocabulary)), others, measure)
        torch.save(model.state_dict(), arguments.out)


if __name__ == "__main__":
    sys.exit(main())
