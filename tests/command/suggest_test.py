#!/usr/bin/env python3
"""Compares --suggest with brute force over all swizzles and paddings.

    suggest_test.py MAPPING

The test makes the table of offsets of every candidate. simulated_warp.py plans every load and store at all multiples of
its fragment's size, and counts the wavefronts of all steps. The suggestions must be: each swizzle Sw<b,m,s> with b <= s
whose bits are all bits of an offset, each padding of 1 element to 128 bytes per row (or column), and the tile itself,
if all requested accesses are possible everywhere in it. They must have these wavefronts, and be sorted by wavefronts,
wasted bytes, and simplicity: the tile itself, swizzles, paddings. If TMA stores, only the layouts that it can write
count. If no operation is named, the one with the fewest wavefronts is used. Prints "N tiles, M suggestions, W wrong".
"""

import functools
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from bank_patterns import ACCESSES, LANES  # noqa: E402
from library import output  # noqa: E402
from simulated_warp import plan, registers_of, wavefronts  # noqa: E402
from tap import sample  # noqa: E402

mapping = sys.argv[1]
VOLTA = ["--arch=sm_70", "--atom-layout=(2,2,1)", "--permutation=((4,4,2):(1,8,4)),32,4"]

# rows, columns, "row" or "col" for the contiguous axis, uses (kind, fragment, operation), common options
CASES = [
    (64, 64, "row", [("load", "mma.m16n8k16.a.f16", "ldmatrix.x4")], []),
    (32, 32, "row", [("load", "mma.m16n8k16.a.f16", "ldmatrix.x4")], []),
    (16, 64, "row", [("load", "mma.m16n8k16.a.f16", None)], []),
    (16, 128, "row", [("load", "mma.m16n8k16.a.f16", None)], []),
    (64, 16, "row", [("load", "mma.m16n8k16.a.f16", None), ("store", "cp.async", None)], []),
    (32, 32, "row", [("load", "mma.m16n8k16.b.f16", None)], []),
    (32, 32, "col", [("load", "mma.m16n8k16.b.f16", "ldmatrix.x2"), ("store", "cp.async", None)], []),
    (32, 32, "col", [("load", "mma.m16n8k16.a.f16", "ldmatrix.x4.trans")], []),
    (16, 64, "row", [("load", "mma.m16n8k16.a.f16", "ld.b32"), ("store", "mma.m16n8k16.d.f16", "st.b32")], []),
    (16, 32, "row", [("store", "mma.m16n8k16.d.f32", None)], []),
    (16, 32, "row", [("store", "mma.m16n8k16.d.f32", "st.b64"), ("store", "tma", None)], []),
    (64, 128, "row", [("load", "mma.m16n8k16.a.f16", "ldmatrix.x4"), ("store", "tma", None)], []),
    (128, 32, "col", [("store", "tma", None), ("load", "mma.m16n8k16.a.f16", None)], []),
    (64, 32, "row", [("store", "tma", None), ("load", "mma.m16n8k8.b.tf32", "ld.b32")], ["--arch=sm_100"]),
    (64, 32, "row", [("store", "tma", None), ("load", "mma.m16n8k8.b.tf32", "ld.b32")], ["--arch=sm_90"]),
    (32, 128, "row", [("load", "mma.m16n8k16.a.f16", None)], []),
    (16, 16, "col", [("load", "mma.m16n8k16.d.f32", None)], []),
    (32, 64, "row", [("load", "mma.m16n8k32.a.s8", "ldmatrix.x4")], []),
    (32, 16, "row", [("load", "mma.m16n8k8.a.tf32", None)], []),
    (16, 16, "row", [("load", "mma.m8n8k4.a.f64", None)], []),
    (64, 32, "row", [("store", "wgmma.m64n16k16.d.f16", "stmatrix.x4")], ["--arch=sm_90"]),
    (64, 4, "col", [("store", "cp.async", None), ("load", "mma.m8n8k4.a.col.f16", "ld.b128")], VOLTA),
    (64, 8, "col", [("load", "mma.m8n8k4.a.col.f16", "ld.b64")], VOLTA),
    (24, 40, "row", [("load", "ldmatrix.m8n8.x1.r.b16", "ldmatrix.x1")], []),
]


def run(*arguments):
    return json.loads(output(mapping, "--format=json", *arguments))


def swizzled(offset, bits, base, shift):
    return offset ^ (offset >> shift & ((1 << bits) - 1) << base)


def candidates(rows, cols, adjacent, bits):
    """Yields the name, the rank of its kind, the bytes wasted and the table."""
    lines, length = (rows, cols) if adjacent == "row" else (cols, rows)

    def make(stride, swizzle=(0, 0, 0)):
        return [[swizzled(r * stride + c if adjacent == "row" else c * stride + r, *swizzle) for c in range(cols)]
                for r in range(rows)]

    def swizzle(b, m, s):
        table = make(length, (b, m, s))
        return (max(map(max, table)) + 1 - rows * cols) * bits // 8, table

    def name(stride):
        return f"({rows},{cols}):" + (f"({stride},1)" if adjacent == "row" else f"(1,{stride})")
    yield name(length), 0, lambda: (0, make(length))
    top = (rows * cols - 1).bit_length()
    for b in range(1, top):
        for s in range(b, top):
            for m in range(0, top - s - b + 1):
                yield f"Sw<{b},{m},{s}> o 0 o {name(length)}", 1, functools.partial(swizzle, b, m, s)
    for padding in range(1, 128 * 8 // bits + 1):
        yield name(length + padding), 2, lambda padding=padding: (padding * (lines - 1) * bits // 8, make(length + padding))


def tma_candidates(rows, cols, adjacent, bits, has_atoms):
    """What TMA writes: the tile itself, and boxes of 32, 64 and 128 bytes, whose 16-byte pieces are exclusive-ored with
    the number of the line: with address bits 7 to 9 (CUDA Programming Guide, swizzle modes). With 128B_ATOM_32B, since
    sm_100, 32-byte pieces of 128 bytes are exclusive-ored with bits 7 and 8 (CUTLASS, SWIZZLE_BASE_32B); with
    128B_ATOM_64B, halves of 64 bytes with bit 7 (PTX ISA 5.5.7)."""
    lines, length = (rows, cols) if adjacent == "row" else (cols, rows)
    yield next(iter(candidates(rows, cols, adjacent, bits)))
    for b, piece in [(1, 4), (2, 4), (3, 4)] + has_atoms * [(2, 5), (1, 6)]:
        span = (1 << piece) << b
        width = span * 8 // bits
        if length % width:
            continue

        def offset(line, along):
            byte = along // width * lines * span + line * span + along % width * bits // 8
            return (byte ^ (byte >> 7 & (1 << b) - 1) << piece) * 8 // bits
        table = [[offset(r, c) if adjacent == "row" else offset(c, r) for c in range(cols)] for r in range(rows)]
        inner = (f"({width},{length // width})", f"(1,{width * lines})") if length > width else (f"{width}", "1")
        parts = [(f"{lines}", f"{width}"), inner] if adjacent == "row" else [inner, (f"{lines}", f"{width}")]
        base = (8 << piece) // bits
        yield f"Sw<{b},{base.bit_length() - 1},{7 - piece}> o 0 o ({parts[0][0]},{parts[1][0]}):({parts[0][1]},{parts[1][1]})", 1, lambda table=table: (0, table)


def copy_count(table, bits, adjacent):
    """16 bytes per lane, lanes along the contiguous axis, then along the other; None if 16 bytes are not
    adjacent."""
    each = 128 // bits
    rows, cols = len(table), len(table[0])
    if (cols if adjacent == "row" else rows) % each:
        return None
    pieces = ([[table[r][c + e] for e in range(each)] for r in range(rows) for c in range(0, cols, each)]
              if adjacent == "row" else
              [[table[r + e][c] for e in range(each)] for c in range(cols) for r in range(0, rows, each)])
    if any(p[0] % each or p != list(range(p[0], p[0] + each)) for p in pieces):
        return None
    total = 0
    for first in range(0, len(pieces), LANES):
        address = [p[0] * bits // 8 for p in pieces[first:first + LANES]]
        total += wavefronts("st.b128", address + [None] * (LANES - len(address)))[0]
    return total


def use_count(table, bits, fragment, access):
    """Wavefronts everywhere in the tile, or None."""
    total = 0
    if min(bits, 32) > 8 * ACCESSES[access][0]:
        return None
    for row in range(0, len(table), fragment["rows"]):
        for col in range(0, len(table[0]), fragment["cols"]):
            steps = plan(access, registers_of(fragment["map"], table, (row, col), bits))
            if steps is None:
                return None
            total += sum(wavefronts(access, address)[0] for _, warps in steps for address in warps)
    return total


def judge(rows, cols, adjacent, uses, options):
    fragments = [None if name in ("cp.async", "tma") else run(name, *options) for _, name, _ in uses]
    asked = [part for kind, name, access in uses
             for part in [f"--{kind}={name}", *([f"--with={access}"] if access else [])]]
    text = f"({rows},{cols}):" + (f"({cols},1)" if adjacent == "row" else f"(1,{rows})")
    said = run("--suggest", *options, *asked, text)["suggestions"]
    name = next(name for fragment, (_, name, _) in zip(fragments, uses) if fragment)
    bits = {"f16": 16, "b16": 16, "f32": 32, "tf32": 32, "f64": 64, "s8": 8}[name.split(".")[-1]]
    wrong = []
    found = {one["layout"]: one for one in said}
    is_tma = any(name == "tma" for _, name, _ in uses)
    orders = [] if is_tma else [one for one in said if re.match(r"(Sw<.*> o 0 o )?\(\(|.*,\(", one["layout"])]
    has_atoms = "--arch=sm_100" in options
    every = list(tma_candidates(rows, cols, adjacent, bits, has_atoms) if is_tma else candidates(rows, cols, adjacent, bits))
    known = {}
    for layout, rank, make in every if is_tma else sample(every, 83):
        wasted, table = make()
        one = found.get(layout)
        each = []
        for (kind, _, access), fragment, use in zip(uses, fragments, one["uses"] if one else uses):
            if fragment is None:
                each.append(copy_count(table, bits, adjacent))
                continue
            if one and access and use["with"] != access:
                wrong.append(f"{layout}: {use['with']}")
            possible = [access] if access else [a for a in ACCESSES if a.startswith({"load": "ld", "store": "st"}[kind])]
            counts = [use_count(table, bits, fragment, a) for a in possible]
            each.append(min((count for count in counts if count), default=None))
            if one and use_count(table, bits, fragment, use["with"]) != each[-1]:
                wrong.append(f"{layout}: {use['with']} is not the best")
        if one is None:
            if None not in each:
                wrong.append(f"{layout} is missing, with {each}")
            continue
        known[layout] = (sum(n or 0 for n in each), wasted, rank)
        if [use["wavefronts"] for use in one["uses"]] != each or one["wavefronts"] != sum(n or 0 for n in each):
            wrong.append(f"{layout} takes {each}, not {[use['wavefronts'] for use in one['uses']]}")
        if one["wasted"] != wasted:
            wrong.append(f"{layout} wastes {wasted}, not {one['wasted']}")
    ranked = [known[one["layout"]] for one in said if one["layout"] in known]
    if ranked != sorted(ranked):
        wrong.append("the order is another")
    strangers = set(found) - {layout for layout, *_ in every} - {one["layout"] for one in orders}
    if strangers or len(found) != len(said):
        wrong.append(f"{sorted(strangers)[:3]} are no swizzles and paddings")
    for one in orders:  # free of conflicts, and as it counts: the program itself shows where elements are
        table = run(one["layout"], f"--type={name.split('.')[-1]}")["map"]
        for (_, _, _), fragment, use in zip(uses, fragments, one["uses"]):
            count = use_count(table, bits, fragment, use["with"]) if fragment else use["wavefronts"]
            if count != use["wavefronts"] or one["wavefronts"] != one["minimum"]:
                wrong.append(f"{one['layout']} takes {count}")
    return len(said), [f"{text} {' '.join(asked)}: {sentence}" for sentence in wrong]


if __name__ == "__main__":
    mistakes, judged = [], 0
    for case in CASES:
        number, sentences = judge(*case)
        judged += number
        mistakes += sentences
    print("\n".join([*mistakes[:20], f"{len(CASES)} tiles, {judged} suggestions, {len(mistakes)} wrong"]))
    sys.exit(len(mistakes) > 0)
