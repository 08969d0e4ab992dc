#!/usr/bin/env python3
"""line_scales_test.py MAPPING: functions of --convert between scale factors and accumulators, on a simulated warp.

The accumulators are those of PTX ISA 9.7.14.5 (row = tid / 4 + 8 * (i / 2), col = tid % 4 * 2 + i % 2). So a thread
needs the factors of rows tid / 4 and tid / 4 + 8 of A, and those of columns tid % 4 * 2 and tid % 4 * 2 + 1 of B, one
for each block along K. SFA of row r is in thread r % 8 * 4 + r / 8, with a copy 2 threads later. SFB of column n is in
thread 4 * n, with copies 1, 2 and 3 threads later. If there are fewer than 4 factors, the other bytes have copies, too
(9.7.14.3). The C++ compiler compiles the functions with
host code in place of shuffles; all lanes run again until nothing changes. Prints TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from rounded_test import STUB  # noqa: E402
from tap import finish, ok  # noqa: E402

MAPPING = sys.argv[1]
MAIN = """
int main() {
    static unsigned in[32][%d] = {%s}, out[32][%d];
    for (unsigned pass = 0; pass < 66; pass++) {
        changed = pass < 2;
        for (self = 0; self < 32; self++) {
            shuffles = 0;
            %s(self, in[self], out[self]);
        }
        if (!changed) break;
    }
    for (auto &words : out)
        for (unsigned word : words)
            for (int b = 0; b < 4; b++) printf("%%u ", word >> 8 * b & 255);
}
"""
CASES = [(operand, k, vector, kind, of) for operand in "ab"
         for k, vector, kind in ((32, 1, "ue8m0"), (64, 2, "ue8m0"), (64, 4, "ue4m3"), (64, 4, "ue8m0"))
         for of in (f"mma.m16n8k{k}.d.f32", f"mma.m16n8k{k}.c.f32")]


def factor(line, block):
    """The byte that stands for a factor."""
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
    return subprocess.run([MAPPING, "--arch=120a", *words], capture_output=True, text=True, check=True).stdout


def run(folder, source, target, sent, length):
    header = ask(source, f"--convert={target}", "--format=cuda")
    name = re.search(r"void (\w+)\(", header)[1]
    words, numbers = packed(sent)
    with open(f"{folder}/test.cc", "w", encoding="ascii") as file:
        file.write(STUB + header + MAIN % (words, numbers, -(-length // 4), name))
    subprocess.run([*os.environ.get("CXX", "c++").split(), "-std=c++17", "-w", "-o", f"{folder}/test", f"{folder}/test.cc"], check=True)
    found = list(map(int, subprocess.run([f"{folder}/test"], capture_output=True, text=True, check=True).stdout.split()))
    each = len(found) // 32
    return [found[n:n + length] for n in range(0, len(found), each)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for operand, k, vector, kind, of in CASES:
            factors = f"mma.m16n8k{k}.sf{operand}.{vector}x.{kind}"
            want, have = needed(operand, vector), given(operand, vector)
            wrong = [(factors, of)] * (run(folder, factors, of, have, 2 * vector) != want)
            wrong += [(of, factors)] * (run(folder, of, factors, want, 4) != have)
            scales = json.loads(ask(factors, f"--convert={of}", "--format=json"))["scales"]
            block = [1, k // vector] if operand == "a" else [k // vector, 1]
            tiles, masks = (k // 8, [1, 2]) if operand == "a" else (k // 16, [4, 8, 16])
            expected = {"of": of, "side": "to", "tiles": tiles, "block": block, "masks": masks}
            wrong += [{name: scales[name]} for name in expected if scales[name] != expected[name]]
            ok(f"{factors} and {of}", not wrong, str(wrong))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
