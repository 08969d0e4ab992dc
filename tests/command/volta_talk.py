#!/usr/bin/env python3
"""Compares a layout of shared memory with NVIDIA's talk "Programming Tensor Cores: Native Volta Tensor Cores with
CUTLASS" (GTC 2019): the slides "Shared memory (permuted)", "Pointer offsets for permuted shared memory" and
"Conflict-free shared memory loads".

    volta_talk.py table < TEXT      the picture by address is that of the slide
    volta_talk.py store < JSON      lane by lane, the addresses of the slide's code
    volta_talk.py load < JSON       phase by phase, the pieces that the slides color
"""

import json
import re
import sys

# Pieces of 8 elements of A, "rows, column", 8 in a line of 128 bytes.
PERMUTED = """
0..7, 0 | 0..7, 1 | 0..7, 2 | 0..7, 3 | 16..23, 0 | 16..23, 1 | 16..23, 2 | 16..23, 3
8..15, 1 | 8..15, 0 | 8..15, 3 | 8..15, 2 | 24..31, 1 | 24..31, 0 | 24..31, 3 | 24..31, 2
32..39, 2 | 32..39, 3 | 32..39, 0 | 32..39, 1 | 48..55, 2 | 48..55, 3 | 48..55, 0 | 48..55, 1
40..47, 3 | 40..47, 2 | 40..47, 1 | 40..47, 0 | 56..63, 3 | 56..63, 2 | 56..63, 1 | 56..63, 0
"""
TABLE = [line.split(" | ") for line in PERMUTED.strip().splitlines()]

# The talk's phases: lanes, and what they read. Phases 3 and 4 name lanes as they stand above the pieces of the second
# line from left to right: T17 T16 T19 T18 ..., as k is exchanged there.
PHASES = {lane: f"0..7, {lane}" for lane in range(4)} | {4 + k: f"16..23, {k}" for k in range(4)}
PHASES |= {lane + 8: piece for lane, piece in PHASES.items()}
for first in (16, 24):
    for lane, piece in zip((1, 0, 3, 2, 5, 4, 7, 6), TABLE[1]):
        PHASES[first + lane] = piece


def piece_at(address):
    return TABLE[address // 128][address % 128 // 16]


def talk_address(lane):
    c, s = lane % 8, lane // 8
    smem_row = (c & 1) | ((c >> 1) & 2)
    bank = ((c << 1) & 4) | s ^ smem_row
    return (smem_row * 8 + bank) * 16


def main(what):
    if what == "table":
        lines = [re.findall(r"\(([^)]*)\)", line) for line in sys.stdin if re.match(r" +\d+ \(", line)]
        return lines == TABLE
    plan = json.load(sys.stdin)
    step, = plan["steps"]
    if plan["wavefronts"] != 4 or plan["minimum"] != 4:
        return False
    if what == "store":
        return step["address"] == [talk_address(lane) for lane in range(32)]
    return [piece_at(address) for address in step["address"]] == [PHASES[lane] for lane in range(32)]


if __name__ == "__main__":
    right = main(sys.argv[1])
    print("as in the talk" if right else "not as in the talk")
    sys.exit(not right)
