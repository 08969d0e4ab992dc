#!/usr/bin/env python3
"""--equals for pairs of layouts with random sizes: how many elements differ, and whether the printed condition on sizes
holds, compared with the formulae of the projects (cuBLAS, flashinfer, TransformerEngine, DeepGEMM, triton_kernels, aiter).

    equals_test.py MAPPING [PAIRS]"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap
from library import command

MAPPING = sys.argv[1]
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 150 // tap.one_in(2)


def up(value, multiple):
    return -(-value // multiple) * multiple


def tiles(pad):
    return lambda r, k, R, C: (r // 128 * (up(C, pad) // 4) + k // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + k % 4


def by_row(r, k, R, C):
    return r * C + k


def by_column(r, k, R, C):
    return k * R + r


OF_BYTES = {
    "128x4": tiles(4), "128x8k": tiles(8), "linear": by_row, "RowMajor": by_row, "ColumnMajor": by_column,
    "8x4": lambda r, k, R, C: (r // 8 * (up(C, 4) // 4) + k // 4) * 32 + r % 8 * 4 + k % 4,
    "linear-padded": lambda r, k, R, C: r * up(C, 4) + k,
    "columnwise": lambda r, k, R, C: k * up(R, 128) + r,
    "ue8m0x4": lambda r, k, R, C: (k // 4 * up(R, 4) + r) * 4 + k % 4,
    "aiter": lambda r, k, R, C: (r // 32 * 32 * up(C, 8) + k // 8 * 256 + k % 4 * 64 + r % 16 * 4 + k % 8 // 4 * 2
                                 + r % 32 // 16),
}
OF_F32 = {
    "linear": by_row, "RowMajor": by_row, "ColumnMajor": by_column, "mn-major": by_column,
    "mn-major-4": lambda r, k, R, C: k * up(R, 4) + r,
}

random_ = random.Random(67)
wrong, conditions = "", 0
for n in range(PAIRS):
    type_, rules = [("ue8m0", OF_BYTES), ("f32", OF_F32)][n % 2]
    one, other = random_.choice(sorted(rules)), random_.choice(sorted(rules))
    R, C = random_.randint(1, 300), random_.randint(1, 20)
    words = [one, f"--extent={R},{C}", f"--type={type_}", f"--equals={other}", "--format=json"]
    done = command(MAPPING, *words)
    different = sum(rules[one](r, k, R, C) != rules[other](r, k, R, C) for r in range(R) for k in range(C))
    if done.returncode != (different > 0):
        wrong += f"{words}: status {done.returncode}, {different} differ: {done.stderr}\n"
        continue
    said = json.loads(done.stdout)
    if said["different"] != different:
        wrong += f"{words}: {said['different']} differ, not {different}\n"
    if said["condition"] is None:
        continue
    conditions += 1
    code = said["condition"] or "True"
    if bool(eval(code, {}, {"rows": R, "cols": C})) != (different == 0):
        wrong += f"{words}: {different} differ, but the same if {code}\n"
tap.ok(f"{PAIRS} pairs of layouts, {conditions} conditions", not wrong and conditions > PAIRS // 2, wrong or "few conditions")
print(f"1..{tap.number}")
