#!/usr/bin/env python3
"""Functions for --origin=row,col. The test evaluates the printed C at every origin, and compares each address with
the expected one: the rules of ld and ldmatrix below compute it from the fragment's table and the matrix's (row, col) -> byte.

    origin_test.py MAPPING"""
import csv
import io
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap
from library import output

MAPPING = sys.argv[1]


def run(*words):
    return output(MAPPING, "--arch=90", *words)


def swizzled(bits, base, shift, ld):
    def at(row, col):
        offset = row * ld + col
        return offset ^ (offset >> shift & ((1 << bits) - 1) << base)
    return at


def behind(start, at):
    return lambda row, col: start + at(row, col)


def rows_of(ld):
    return lambda row, col: row * ld + col


def scales(row, col):
    return (row // 128 * 2 + col // 4) * 512 + row % 32 * 16 + row % 128 // 32 * 4 + col % 4


CASES = [
    # matrix, its rows and columns, its rule, bytes of an element, fragment, more words
    ("Sw<3,3,3> o 0 o (64,64):(64,1)", (64, 64), swizzled(3, 3, 3, 64), 2, "mma.m16n8k16.a.f16", []),
    ("Sw<3,3,3> o 0 o (128,64):(64,1)", (128, 64), swizzled(3, 3, 3, 64), 2, "wmma.m16n16k16.a.row.f16", []),
    ("Sw<2,3,3> o 0 o (64,32):(32,1)", (64, 32), swizzled(2, 3, 3, 32), 2, "mma.m16n8k16.b.f16", ["--axes=n,k"]),
    ("Sw<3,3,3> o 0 o (64,64):(64,1)", (64, 64), swizzled(3, 3, 3, 64), 2, "mma.m16n8k8.a.f16", ["--with=ld.b32"]),
    ("Sw<3,2,3> o 0 o (32,32):(32,1)", (32, 32), swizzled(3, 2, 3, 32), 4, "mma.m16n8k8.a.tf32", ["--with=ld.b32"]),
    ("Sw<3,2,3> o 0 o (32,32):(32,1)", (32, 32), swizzled(3, 2, 3, 32), 4, "mma.m16n8k4.a.tf32", ["--with=ld.b32"]),
    ("Sw<3,3,3> o 0 o (64,64):(64,1)", (64, 64), swizzled(3, 3, 3, 64), 2, "mma.m16n8k16.d.f16", ["store"]),
    ("Sw<1,3,7> o 0 o (64,64):(64,1)", (64, 64), swizzled(1, 3, 7, 64), 2, "mma.m16n8k16.a.f16", ["--with=ld.b32"]),
    ("Sw<3,3,3> o 0 o (64,64,3):(64,1,4096)", (64, 64, 3, 4096), swizzled(3, 3, 3, 64), 2, "mma.m16n8k16.a.f16", []),
    ("(32,32,5):(40,1,1288)", (32, 32, 5, 1288), rows_of(40), 2, "mma.m16n8k16.b.f16", ["--axes=n,k"]),
    ("(64,64):(72,1)", (64, 64), rows_of(72), 2, "mma.m16n8k16.a.f16", []),
    ("(64,64):(72,1)", (64, 64), rows_of(72), 2, "mma.m16n8k16.d.f16", ["store", "--with=st.b32"]),
    ("(48,80):(88,1)", (48, 80), rows_of(88), 2, "mma.m16n8k16.a.f16", []),
    ("8 o (64,64):(72,1)", (64, 64), behind(8, rows_of(72)), 2, "mma.m16n8k16.a.f16", []),
    ("Sw<3,3,3> o 4096 o (64,64):(64,1)", (64, 64), behind(4096, swizzled(3, 3, 3, 64)), 2, "mma.m16n8k16.a.f16", []),
    ("128x4", (256, 8), scales, 1, "mma.m16n8k64.sfb.4x.ue4m3", ["--extent=256,8", "--axes=n,k"]),
    ("128x4", (256, 8), scales, 1, "mma.m16n8k64.sfa.4x.ue4m3", ["--extent=256,8"]),
]


def table(words):
    """{(tid, i): (row, col)} of a fragment."""
    return {(int(r["tid"]), int(r["i"])): (int(r["row"]), int(r["col"])) for r in csv.DictReader(io.StringIO(run(*words)))}


def expected(held, at, size, origin, turned, step, matrices, tid, bits):
    """The byte that a thread accesses for the registers of a step."""
    if matrices:  # thread t names row t % 8 of matrix t / 8; threads 4 * row hold its first elements
        register, tid = step[tid // 8 % matrices], tid % 8 * 4
    else:
        register = step[0]
    row, col = held[tid, register * 32 // bits]
    row, col = (col, row) if turned else (row, col)
    return at(origin[0] + row, origin[1] + col) * size


for matrix, extent, at, size, fragment, more in CASES:
    use = "--store" if "store" in more else "--load"
    words = [w for w in more if w != "store"]
    arch = ["--arch=120a"] if "sf" in fragment else []
    text = run(*arch, matrix, *words, f"{use}={fragment}", "--origin=row,col", "--format=cuda")
    held = table([*arch, fragment, "--format=csv"])
    turned = any("n,k" in w for w in more)
    rows, cols = (int(n) for n in re.search(r"row: a multiple of (\d+); col: a multiple of (\d+)", text).groups())
    lines = {name: tap.compiled(code) for name, code in re.findall(r"const unsigned (\w+) = ([^;]*);", text)}
    asm = re.findall(r'asm volatile\("(\S+) (.*?);"\n(.*?\n.*?\n)', text)
    wrong, count = "", 0
    stages, apart = extent[2:] or (1, 0)
    places = itertools.product(range(stages), range(0, extent[0] - rows + 1, rows), range(0, extent[1] - cols + 1, cols))
    for stage, row, col in places:
        for tid in range(32):
            names = {"row": row, "col": col, "tid": tid, "address": 0, "stage": stage}
            for name, code in lines.items():
                names[name] = eval(code, {}, names)
            for opcode, operands, below in asm:
                matrices = int(re.search(r"\.x(\d)", opcode).group(1)) if "matrix" in opcode else 0
                if matrices and tid >= 8 * matrices:
                    continue
                base = re.search(r'"r"\((address \+ .*?)\)(?:, "r"\(in|\n)', below).group(1)
                immediate = re.search(r"\[%\d+(?: \+ (-?\d+))?\]", operands).group(1)
                got = eval(tap.compiled(base), {}, names) + int(immediate or 0)
                step = [int(n) for n in re.findall(r"(?:out|in)\[(\d+)\]", below)]
                want = expected(held, at, size, (row, col), turned, step, matrices, tid, size * 8) + stage * apart * size
                count += 1
                if got != want:
                    wrong += f"{opcode} at stage {stage}, {row},{col}, thread {tid}: {got}, not {want}\n"
    tap.ok(f"{fragment} and {matrix} {' '.join(more)}: addresses at all origins", count > 0 and not wrong, wrong or "none")
print(f"1..{tap.number}")
