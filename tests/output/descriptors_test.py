#!/usr/bin/env python3
"""Printed functions that make descriptors. A part of the matrix that begins at any row and column is read by its
descriptor, by the rule of the PTX ISA for K-major and MN-major layouts, written here. Every element must be at its
place in the layout. The boxes of TMA are tested in the same way: the place of a line of a box with each swizzle, by
the CUDA driver's documentation.

    descriptors_test.py MAPPING

Prints TAP."""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402

MAPPING = sys.argv[1]
CASES = [("Layout_K_SW128_Atom", (64, 128), "f16"), ("Layout_K_SW64_Atom", (32, 64), "e4m3"), ("Layout_K_SW32_Atom", (16, 64), "tf32"),
         ("Layout_MN_SW128_Atom", (128, 32), "f16"), ("Layout_MN_SW64_Atom", (64, 32), "bf16"), ("Layout_K_INTER_Atom", (32, 64), "f16")]


def ask(*words):
    return output(MAPPING, *words)


def byte_at(value, mn, k, size, reader):
    """Where element (mn, k) is, for the 64 bits of a descriptor."""
    mode = value >> 62 & 3 if reader == "wgmma" else {0: 0, 2: 1, 4: 2, 6: 3}[value >> 61]
    start, leading, stride = ((value >> bit & 0x3fff) * 16 for bit in (0, 16, 32))
    line = (16, 128, 64, 32)[mode]
    if major == "K":
        byte = start + mn // 8 * stride + mn % 8 * line + (k * size if mode else k * size // 16 * leading + k * size % 16)
    else:
        span = line // size
        byte = start + mn // span * leading + k // 8 * stride + k % 8 * line + mn % span * size
    return byte ^ (byte >> 7 & line // 16 - 1) << 4


def tma_wrong(words, size, table):
    """The elements that the tensor map does not put at the place that the layout gives."""
    tma = json.loads(ask(*words, "--store=tma", "--format=json"))["tma"]
    mode = tma["swizzle"].removeprefix("CU_TENSOR_MAP_SWIZZLE_")
    (height, width), contiguous = tma["box"], table[0][1] == 1
    inner = (width if contiguous else height) * size
    pitch = inner if mode == "NONE" else int(mode.split("B")[0])
    assert inner <= pitch and inner % 16 == 0 and max(height, width) <= 256
    wrong = []
    for r, row in enumerate(table):
        for c, offset in enumerate(row):
            y, x = (r % height, c % width) if contiguous else (c % width, r % height)
            byte = table[r - r % height][c - c % width] * size + y * pitch + x * size
            if mode == "128B_ATOM_32B":
                byte ^= (byte >> 7 & 3) << 5
            elif mode == "128B_ATOM_64B":  # PTX ISA 5.5.7: lines of 0 1 2 3 | 4 5 6 7 and 4 5 6 7 | 0 1 2 3
                byte ^= (byte >> 7 & 1) << 6
            elif mode != "NONE":
                byte ^= (byte >> 7 & pitch // 16 - 1) << 4
            wrong += [(mode, r, c)] * (byte != offset * size)
    return wrong


TMA_CASES = [(["(64,64):(64,1)"], 2), (["(512,32):(32,1)"], 2), (["(64,512):(512,1)"], 1), (["(64,128):(1,64)"], 4),
             (["Layout_K_SW128_Atom", "--extent=512,128"], 2), (["Layout_MN_SW128_32B_Atom", "--extent=64,32"], 4),
             (["Layout_MN_SW64_Atom", "--extent=64,64"], 2), (["Layout_K_SW32_Atom", "--extent=16,64"], 1),
             (["Sw<1,4,1> o 0 o (64,32):(32,1)"], 4), (["Sw<1,6,1> o 0 o (128,(64,2)):(1,(128,8192))"], 1)]

folder = tempfile.mkdtemp()
for number, (name, (rows, cols), element) in enumerate(CASES, 1):
    words = [name, f"--extent={rows},{cols}", f"--type={element}"]
    table = json.loads(ask(*words, "--format=json"))["map"]
    header, library = f"{folder}/{number}.h", f"{folder}/{number}.so"
    with open(header, "w", encoding="utf-8") as file:
        file.write(ask(*words, "--format=cuda").replace("static inline", ""))
    subprocess.run([os.environ.get("CC", "cc"), "-x", "c", "-shared", "-fPIC", "-o", library, header], check=True)
    size, major = {"f16": 2, "bf16": 2, "e4m3": 1, "tf32": 4}[element], "K" if "_K_" in name else "MN"
    swizzle = 16 if "INTER" in name else int(name.split("SW")[1].split("_")[0])
    step = (8 if major == "K" else swizzle // size, 32 // size)
    wrong = []
    for reader in ("wgmma", "tcgen05"):
        make = getattr(ctypes.CDLL(library), f"mapping_layout_{name}_{reader}_descriptor")
        make.restype = ctypes.c_uint64
        for row in range(0, rows, step[0]):
            for col in range(0, cols, step[1]):
                value = make(0x2400, row, col)
                wrong += [(reader, row, col) for r in range(rows - row) for k in range(step[1])
                          if byte_at(value, r, k, size, reader) != 0x2400 + table[row + r][col + k] * size]
    print(f"{'not ' if wrong else ''}ok {number} - {name} {wrong[:3]}")
for number, (words, size) in enumerate(TMA_CASES, len(CASES) + 1):
    words.append({1: "--type=u8", 2: "--type=f16", 4: "--type=f32"}[size])
    wrong = tma_wrong(words, size, json.loads(ask(*words, "--format=json"))["map"])
    print(f"{'not ' if wrong else ''}ok {number} - {' '.join(words)} {wrong[:3]}")
print(f"1..{len(CASES) + len(TMA_CASES)}")
