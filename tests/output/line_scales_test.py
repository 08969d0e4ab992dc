#!/usr/bin/env python3
"""line_scales_test.py MAPPING: functions of --convert between scale factors and accumulators, on a simulated warp.

The accumulators are those of PTX ISA 9.7.14.5 (row = tid / 4 + 8 * (i / 2), col = tid % 4 * 2 + i % 2). So a thread
needs the factors of rows tid / 4 and tid / 4 + 8 of A, and those of columns tid % 4 * 2 and tid % 4 * 2 + 1 of B, one
for each block along K. SFA of row r is in thread r % 8 * 4 + r / 8, with a copy 2 threads later. SFB of column n is in
thread 4 * n, with copies 1, 2 and 3 threads later. If there are fewer than 4 factors, the other bytes have copies, too
(9.7.14.3). The functions run on the host (on_host.cuh), all in one program. Prints TAP."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from on_host import output_of  # noqa: E402
from tap import finish, ok  # noqa: E402

MAPPING = sys.argv[1]
RUN = """
    static unsigned in_%(n)d[32][%(ins)d] = {%(numbers)s}, out_%(n)d[32][%(outs)d];
    run_threads(32, [](unsigned tid) { %(name)s(tid, in_%(n)d[tid], out_%(n)d[tid]); });
    for (auto &words : out_%(n)d)
        for (unsigned word : words)
            for (int b = 0; b < 4; b++) printf("%%u ", word >> 8 * b & 255);
    puts("");
"""
CASES = [(operand, k, vector, kind, of) for operand in "ab"
         for k, vector, kind in ((32, 1, "ue8m0"), (64, 2, "ue8m0"), (64, 4, "ue4m3"), (64, 4, "ue8m0"))
         for of in (f"mma.m16n8k{k}.d.f32", f"mma.m16n8k{k}.c.f32")]


def factor(line, block):
    """The byte that represents a factor."""
    return line * 4 + block + 1


def needed(operand, vector):
    """[tid][i]: the factors that a thread needs for its own elements."""
    lines = (lambda t: (t // 4, t // 4 + 8)) if operand == "a" else (lambda t: (t % 4 * 2, t % 4 * 2 + 1))
    return [[factor(line, b) for line in lines(t) for b in range(vector)] for t in range(32)]


def given(operand, vector):
    """[tid][byte] of SFA or SFB, with all copies."""
    line = (lambda t: t // 4 + t % 2 * 8) if operand == "a" else (lambda t: t // 4)
    return [[factor(line(t), byte % vector) for byte in range(4)] for t in range(32)]


def packed(bytes_of):
    length = -(-len(bytes_of[0]) // 4)
    words = [[sum(byte << 8 * n for n, byte in enumerate(lane[4 * w:4 * w + 4])) for w in range(length)] for lane in bytes_of]
    return length, ", ".join("{" + ", ".join(map(str, lane)) + "}" for lane in words)


def ask(*words):
    return output(MAPPING, "--arch=120a", *words)


def printed(conversions):
    """For each (source, target, bytes sent, bytes of a thread): the bytes [tid][byte] that its function makes."""
    headers, runs = "", ""
    for n, (source, target, sent, length) in enumerate(conversions):
        header = ask(source, f"--convert={target}", "--format=cuda")
        words, numbers = packed(sent)
        headers += header
        runs += RUN % {"n": n, "ins": words, "numbers": numbers, "outs": -(-length // 4), "name": re.search(r"void (\w+)\(", header)[1]}
    lines = output_of(f'#include "on_host.cuh"\n{headers}int main() {{{runs}}}\n').splitlines()
    for line, (_, _, _, length) in zip(lines, conversions, strict=True):
        found = list(map(int, line.split()))
        each = len(found) // 32
        yield [found[n:n + length] for n in range(0, len(found), each)]


def main():
    conversions, wanted = [], []
    for operand, k, vector, kind, of in CASES:
        factors = f"mma.m16n8k{k}.sf{operand}.{vector}x.{kind}"
        want, have = needed(operand, vector), given(operand, vector)
        conversions += [(factors, of, have, 2 * vector), (of, factors, want, 4)]
        wanted += [want, have]
    moved = iter(zip(conversions, printed(conversions), wanted))
    for operand, k, vector, kind, of in CASES:
        factors = f"mma.m16n8k{k}.sf{operand}.{vector}x.{kind}"
        wrong = [conversion[:2] for conversion, found, want in (next(moved), next(moved)) if found != want]
        scales = json.loads(ask(factors, f"--convert={of}", "--format=json"))["scales"]
        block = [1, k // vector] if operand == "a" else [k // vector, 1]
        tiles, masks = (k // 8, [1, 2]) if operand == "a" else (k // 16, [4, 8, 16])
        expected = {"of": of, "side": "to", "tiles": tiles, "block": block, "masks": masks}
        wrong += [{name: scales[name]} for name in expected if scales[name] != expected[name]]
        ok(f"{factors} and {of}", not wrong, str(wrong))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
