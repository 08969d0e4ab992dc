#!/usr/bin/env python3
"""Copies of CuTe, as code makes them and as CuTe prints them, compared with CuTe's own C++ headers.

    tiled_copies.py --record INCLUDE N SEED     compiles and runs N random copies; prints what CuTe makes of them
    tiled_copies.py --recorded MAPPING FILE     compares the program with such a file; prints TAP

INCLUDE is a list of folders, separated by colons: that of CUTLASS, and those of CUDA, including cccl. A line of the file
has the call of make_tiled_copy, the print of the TiledCopy in one line, and the row and column of each value of each
thread, as partition_S gives them to a kernel: "row,col row,col;" of thread 0, and the CRC-32 of the same of all threads.
"""

import csv
import io
import os
import random
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402

PROGRAM = """#include <cstdio>
#include <cute/tensor.hpp>
using namespace cute;
template <class Copy> void show(const char *call, Copy copy) {
    printf("%%s|", call);
    print(copy);
    printf("|");
    for (int t = 0; t < size(copy); t++) {
        auto part = copy.get_slice(t).partition_S(make_identity_tensor(typename Copy::Tiler_MN{}));
        for (int v = 0; v < size(part); v++)
            printf("%%s%%d,%%d", v > 0 ? " " : "", int(get<0>(part(v))), int(get<1>(part(v))));
        printf(";");
    }
    printf("@\\n");
}
int main() {
%s
}
"""


def random_layout(rng, rows, cols):
    """A layout that is a permutation of its numbers."""
    order = rng.random()
    if order < 0.4:
        return f"Layout<Shape<_{rows},_{cols}>,Stride<_{cols},_1>>{{}}"
    if order < 0.7 or rows < 4:
        return f"Layout<Shape<_{rows},_{cols}>>{{}}"
    half = rows // 2
    return f"Layout<Shape<Shape<_2,_{half}>,_{cols}>,Stride<Stride<_{half * cols},_1>,_{half}>>{{}}"


def random_call(rng):
    def power(least, most):
        return 1 << rng.randint(least, most)
    rows = power(0, 5)
    threads = random_layout(rng, rows, power(max(0, 4 - rows.bit_length()), 3))
    values = random_layout(rng, power(0, 2), power(0, 3))
    return f"make_tiled_copy(Copy_Atom<UniversalCopy<uint16_t>, uint16_t>{{}}, {threads}, {values})"


def digest(places):
    return f"{places.split(';')[0]};{zlib.crc32(places.encode()):08x}"


def record(include, count, seed):
    rng = random.Random(seed)
    calls = sorted({random_call(rng) for _ in range(count)})
    body = "\n".join(f'    show("{call}", {call});' for call in calls)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "copies.cpp"), os.path.join(folder, "copies")
        with open(source, "w") as file:
            file.write(PROGRAM % body)
        folders = [f"-I{path}" for path in include.split(":")]
        subprocess.run(["clang++", "-std=c++17", "-w", *folders, source, "-o", program], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(f"# Copies of CuTe: tiled_copies.py --record INCLUDE {count} {seed}, with CUTLASS's headers")
    for answer in printed.split("@\n"):
        if answer:
            call, printed, places = answer.replace("\n", " ").split("|")
            print(f"{call}|{printed.strip()}|{digest(places)}")


def table(program, subject):
    """The program's result, in the form of the file."""
    done = command(program, subject, "--format=csv")
    if done.returncode not in (0, 4):
        return done.stderr.strip()
    threads = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        threads.setdefault(int(row["tid"]), {})[int(row["i"])] = f"{row['row']},{row['col']}"
    return "".join(" ".join(threads[tid][i] for i in sorted(threads[tid])) + ";" for tid in sorted(threads))


def compare(program, path):
    failures = number = 0
    with open(path) as file:
        for line in file:
            if line.startswith("#"):
                continue
            call, printed, expected = line.rstrip("\n").split("|")
            for subject in (call, printed):
                number += 1
                said = digest(table(program, subject))
                failures += said != expected
                print(f"{'ok' if said == expected else 'not ok'} {number} - {subject[:100].strip()}")
                if said != expected:
                    print(f"# {said[:200]}\n# CuTe: {expected[:200]}")
    print(f"1..{number}")
    return failures > 0


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        record(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        sys.exit(compare(sys.argv[2], sys.argv[3]))
