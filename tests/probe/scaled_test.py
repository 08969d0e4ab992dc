"""Runs --probe on the kernels of scaled_zoo.py, some of which have known errors, and on random kernels.

    scaled_test.py MAPPING [PATTERN]     prints TAP; with a pattern, only kernels whose name matches, and the findings for each

It runs a sample of the random kernels and of the wrong ones, which has each kind of finding; with THOROUGH=1 it runs all.
"""
import json
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from rounds import mapping, probe, sample_of_kinds, temporary_folder  # noqa: E402
from scaled_zoo import RIGHT, SCALE_BITS, WHOLE, ZOO, Scaled, multiply, random_problem  # noqa: E402
from tap import finish, ok, one_in, sample  # noqa: E402
from zoo import BITS, read_codes, write_codes  # noqa: E402

MAPPING = sys.argv[1]
PATTERN = sys.argv[2] if len(sys.argv) > 2 else ""
FOLDER = temporary_folder()


def words(p):
    types = p.a if p.a == p.b else f"{p.a},{p.b}"
    return [f"--probe=gemm:{p.m},{p.n},{p.k}", f"--type={types}", f"--d-type={p.d}", f"--accumulator={p.accumulator}", f"--layout={p.layout}t"] \
        + p.words() + ([f"--alpha={p.alpha}"] if p.alpha != 1 else []) + ([f"--beta={p.beta}"] if p.c else []) \
        + ([f"--bias={p.bias}"] if p.bias else [])


def probed(p, kernel):
    """Status, text and number of runs."""
    folder = os.path.join(FOLDER.name, "probe")
    bits = {"a": BITS[p.a], "b": BITS[p.b], "c": BITS[p.d], "d": BITS[p.d], "bias": BITS[p.d], "sfa": SCALE_BITS[p.factor_type],
            "sfb": SCALE_BITS[p.factor_type]}

    def run(plan, numbers):
        for number in numbers:
            files = plan["runs"][number]
            images = {role if role == "bias" else role.upper(): read_codes(os.path.join(folder, name), bits[role]) for role, name in files.items()}
            for side in "AB":
                assert not p.layout_of(side) or len(images["SF" + side]) == p.size(side)
            kernel(images, number)
            write_codes(os.path.join(folder, files["d"]), images["D"], BITS[p.d])

    return probe(MAPPING, words(p), folder, run)


def show(name, text):
    if PATTERN:
        print(f"# {name}\n#   " + text.strip().replace("\n", "\n#   "))


def try_right(problems, what, **how):
    said = []
    for p in problems:
        status, text, _ = probed(p, multiply(p, **how))
        if status != 0:
            said.append(f"{' '.join(words(p))}: status {status}: {text}")
    ok(f"{len(problems)} {what}: no finding", not said, "\n".join(said))


def try_errors(count, random):
    """Kernels that use another factor for one row and block."""
    missed = []
    for number in range(count):
        p = Scaled(m=24, n=20, k=160, d=["f32", "bf16"][number // 2 % 2])
        side = "AB"[number % 2]
        rows, blocks = p.shape(side)
        row, block = int(random.integers(rows)), int(random.integers(blocks))
        other_row, other_block = int(random.integers(rows)), int(random.integers(blocks))
        if (row, block) == (other_row, other_block):
            other_row = (row + 1) % rows

        def offset(p, line, k, side=side, at=(row, block), other=(other_row, other_block)):
            is_there = (line == at[0]) & (k // 32 == at[1])
            return p.offset(side, np.where(is_there, other[0], line), np.where(is_there, 32 * other[1], k))
        status, text, _ = probed(p, multiply(p, **{"f" + side.lower(): offset}))
        if status != 1:
            missed.append(f"{side}({row}, {block}) from ({other_row}, {other_block}): status {status}: {text}")
    ok(f"{count} single wrong factors: all found", not missed, "\n".join(missed))


def try_wrong():
    for name, p, make, expected in ZOO if PATTERN else sample_of_kinds(ZOO, 16):
        if not re.search(PATTERN, name):
            continue
        status, text, runs = probed(p, make())
        show(name, text)
        found = text.partition("\n")[2]
        is_named = all(re.search(each, found, re.M) for each in expected.split("; "))
        members = json.loads(mapping(MAPPING, f"--decode={FOLDER.name}/probe", "--format=json")[1])
        is_explained = all(finding["explained"] for finding in members["findings"]) or expected.startswith("no formula") or "are outside" in text or "D is NaN" in text
        ok(f"{name}: found and named in {runs} runs", status == 1 and is_named and is_explained, f"status {status}, expected {expected}\n{text}")


def main():
    random = np.random.default_rng(1)
    if not PATTERN:
        try_right(sample(RIGHT, 8), "right problems with scale factors")
        try_right(WHOLE, "right problems whose kernel multiplies whole tiles", whole=128)
        try_right([random_problem(random) for _ in range(1000 // one_in(400))], "random problems")
        try_errors(1000 // one_in(500), random)
    try_wrong()
    sys.exit(finish())


main()
