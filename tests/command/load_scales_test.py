#!/usr/bin/env python3
"""Copies of scale factors to Tensor Memory. The test executes tcgen05.cp, by the rule of the PTX ISA, on a buffer that
is filled by the formulae of the projects. With each SF_ID, every factor must be where tcgen05.mma reads it.

    load_scales_test.py MAPPING"""
import csv
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402

MAPPING = sys.argv[1]


def run(*words):
    return output(MAPPING, "--arch=100a", *words)


def atom(r, k, _, C):
    return (r // 128 * (C // 4) + k // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + k % 4


def packed(r, k, R, _):
    return (k // 4 * R + r) * 4 + k % 4


def utccp(r, k, R, _):
    return (k // 4 * R + r // 128 * 128 + r % 32 * 4 + r % 128 // 32) * 4 + k % 4


LAYOUTS = {"128x4": (atom, 128, 4), "128x8k": (atom, 128, 8), "ue8m0x4": (packed, 4, 4), "ue8m0x4-utccp": (utccp, 128, 4)}


def execute(answer, memory):
    """Tensor Memory after the copies, as {(lane, column, byte): content}; words are moved first."""
    tensor = {}
    for tile in answer["tiles"]:
        assert tile["byte"] % 16 == 0
        tile_bytes = [memory.get(tile["byte"] + n) for n in range(512)]
        if answer["reorder"]:
            moved = [None] * 512
            for word in range(128):
                to = eval(answer["reorder"].replace("/", "//"), {}, {"word": word})
                moved[to * 4:to * 4 + 4] = tile_bytes[word * 4:word * 4 + 4]
            tile_bytes = moved
        for n, byte in enumerate(tile_bytes):
            for copy in range(4):
                tensor[n // 16 + 32 * copy, tile["column"] + n % 16 // 4, n % 4] = byte
    return tensor


def wrong(fragment, layout, cols):
    offset, pad, pad_cols = LAYOUTS[layout]
    head, *rows = csv.reader(io.StringIO(run(fragment, "--format=csv")))
    table = [dict(zip(head, row)) for row in rows]
    outer, inner = ("col", "row") if ".sfb." in fragment else ("row", "col")
    vector = 1 + max(int(line[inner]) for line in table)
    ids = 1 + max(int(line.get("id", 0)) for line in table)
    mine = [line for line in table if int(line.get("cta") or 0) == 0]
    rows = 1 + max(int(line[outer]) for line in mine)
    pairs = "cta2" in fragment
    answer = json.loads(run(layout, f"--extent={1 + max(int(line[outer]) for line in table)},{cols}", f"--load={fragment}",
                            "--format=json"))
    R, C = -(-rows // pad) * pad, -(-cols // pad_cols) * pad_cols
    memory = {offset(r, k, R, C): (r, k) for r in range(R) for k in range(C)}
    tensor = execute(answer, memory)
    if answer["ctas"] != 1 + pairs or answer["sf_ids"] != [vector * n for n in range(ids)]:
        return f"{answer['ctas']} CTAs, SF_ID {answer['sf_ids']}"
    if vector * ids != 4:
        return "a column has not 4 factors"
    for step in range(-(-cols // 4)):
        base = step * -(-rows // 128) * 4  # whole tiles, as the instruction writes 4 columns
        for line in mine:
            k = 4 * step + int(line.get("id", 0)) * vector + int(line[inner])
            place = int(line["lane"]), base + int(line["column"]), int(line["bit"]) // 8
            if tensor.get(place) != (int(line[outer]), k):
                return f"{line[outer]}, {k} is wanted at {place}, where {tensor.get(place)} is"
    return None


CASES = [(f"tcgen05.mma.{name}", layout, cols) for layout, cols in (("128x4", 4), ("128x4", 6), ("128x8k", 12), ("ue8m0x4", 8))
         for name in ("m128k32.sfa.1x.ue8m0", "m128k64.sfa.2x.ue8m0", "m128k64.sfa.4x.ue4m3", "m128n128k64.sfb.4x.ue4m3",
                      "m128n256k64.sfb.4x.ue4m3", "m128n64k32.sfb.1x.ue8m0", "cta2.m256k64.sfa.4x.ue4m3",
                      "cta2.m256n256k64.sfb.4x.ue4m3", "cta2.m128k64.sfa.4x.ue4m3")
         if layout != "ue8m0x4" or not name.startswith(("m128n64", "cta2.m128"))]  # 64 rows are no 512 bytes of it
CASES += [("tcgen05.mma.m128n256k64.sfb.4x.ue8m0", "ue8m0x4-utccp", 8)]
for number, (fragment, layout, cols) in enumerate(CASES, 1):
    reason = wrong(fragment, layout, cols)
    print(f"{'not ' if reason else ''}ok {number} - {fragment} from {layout} with {cols} columns"
          + (f"\n# {reason}" if reason else ""))
print(f"1..{len(CASES)}")
