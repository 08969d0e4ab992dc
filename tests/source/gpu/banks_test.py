#!/usr/bin/env python3
"""Compares the wavefronts of --access with those that a device takes.

    banks_test.py MAPPING NVCC FOLDER     prints TAP; creates FOLDER, and keeps the binaries and banks.csv there

A separate kernel executes each pattern of bank_patterns.py, without other accesses to shared memory, and ncu counts the
wavefronts, l1tex__data_pipe_lsu_wavefronts_mem_shared. ncu counts more wavefronts than those of the access, by a
constant for each kernel. The constant is the count for 32 adjacent words minus 1, because this access has no bank
conflict (CUDA C++ Programming Guide). If ncu is missing or not allowed to count, clocks are measured instead: the time
to execute a pattern once more, as a multiple of the time of a wavefront, which is calibrated for each operation with
strides. For loads that take longer to write their registers than to read shared memory, clocks do not show the
wavefronts; these patterns are skipped and counted. The test needs a GPU of sm_90. $NCU is the ncu to use; with NCU=
clocks are measured. With COMPILE_ONLY=1, nothing is executed.
"""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "lib"))
from bank_patterns import ACCESSES, patterns  # noqa: E402
from ncu import count_wavefronts, find_ncu  # noqa: E402
from tap import finish, ok  # noqa: E402

EACH = 40  # random patterns of each operation
FEWEST = 600
CLEAR = 0.25  # of a wavefront: how far from a whole number clocks may be


def listed(address):
    return ",".join("-" if a is None else str(a) for a in address)


# ---- The program's wavefronts ----


def predict(pattern):
    _, access, address = pattern
    command = [MAPPING, "--format=json", f"--access={access}", f"--address={listed(address)}"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout)["wavefronts"] if done.returncode == 0 else done.stderr.strip()


# ---- The device's wavefronts ----


def write_patterns(path, found):
    """Lanes of which a matrix needs nothing bring 0."""
    with open(path, "w") as file:
        for _, access, address in found:
            none = 0 if ACCESSES[access][1] else -1
            print(access, *[none if a is None else a for a in address], file=file)


def by_ncu(ncu, program, path, found):
    """The wavefronts of each pattern; None if ncu cannot count."""
    side_by_side = ("ld.b32", [lane * 4 for lane in range(32)])
    in_one_bank = ("ld.b32", [lane * 128 for lane in range(32)])
    write_patterns(path, [("", *side_by_side), ("", *in_one_bank), *found])
    counts = count_wavefronts(ncu, program, path, "once")
    if isinstance(counts, str):
        print(f"# {ncu} cannot count: {counts}")
        return None
    more = counts[0] - 1
    print(f"# measured with ncu, which counts {more} more for each kernel")
    ok("every kernel is counted", len(counts) == len(found) + 2, f"{len(counts)} of {len(found) + 2}")
    ok("32 words of one bank are 32 wavefronts", counts[1] - more == 32, f"{counts[1]} with {more} more")
    return [count - more for count in counts[2:]]


def calibration(access):
    """Strides whose wavefronts follow from the documented phases alone: (wavefronts, addresses)."""
    size, matrices = ACCESSES[access]
    lanes = 8 * matrices if matrices else 32
    phases = max(1, lanes * size // 128) if size > 4 else 1
    step = max(size, 4)
    for stride in (1, 2, 4, 8, 16, 32):
        if step * stride <= 128:
            address = [lane * step * stride if lane < lanes else None for lane in range(32)]
            yield phases * stride, address


def fit(points):
    """The line of least squares through (x, y): at 0, and for one more."""
    count = len(points)
    x, y = sum(p[0] for p in points) / count, sum(p[1] for p in points) / count
    slope = sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)
    return y - slope * x, slope


def by_clock(program, path, found):
    """The wavefronts of each pattern, None if they cannot be determined, and a fraction if the clocks fit no number."""
    known = [(access, wavefronts, address) for access in ACCESSES for wavefronts, address in calibration(access)]
    write_patterns(path, [("", access, address) for access, _, address in known] + found)
    done = subprocess.run([program, path, "clock"], capture_output=True, text=True)
    ok("every pattern is measured", done.returncode == 0, done.stderr)
    if done.returncode != 0:
        sys.exit(finish())
    cycles = [float(line) for line in done.stdout.split()]
    print("# measured with clock64, not counted")
    lines = {}
    for access in ACCESSES:
        points = [(k[1], c) for k, c in zip(known, cycles) if k[0] == access]
        base, slope = lines[access] = fit(points)
        worst = max(abs(base + slope * x - y) for x, y in points)
        print(f"# {access}: {slope:.2f} cycles for a wavefront and {base:.2f} more, {worst:.2f} beside the line")
    measured = []
    for (_, access, _), taken in zip(found, cycles[len(known):]):
        base, slope = lines[access]
        wavefronts = (taken - base) / slope
        fewest = min(k[1] for k in known if k[0] == access)
        is_hidden = access.startswith("ld.b") and fewest > 1 and wavefronts < fewest + CLEAR
        nearest = round(wavefronts)
        measured.append(None if is_hidden else nearest if abs(wavefronts - nearest) <= CLEAR else wavefronts)
    return measured


# ---- All together ----


def build(nvcc, folder):
    program = os.path.join(folder, "banks")
    command = [nvcc, "-O2", "-std=c++17", "-arch=sm_90", "-Werror", "all-warnings", "-o", program,
               os.path.join(HERE, "banks.cu")]
    done = subprocess.run(command, capture_output=True, text=True)
    ok("the kernels compile", done.returncode == 0, done.stdout + done.stderr)
    if done.returncode != 0:
        sys.exit(finish())
    return program


def record(path, found, predicted, measured):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["access", "pattern", "addresses", "predicted", "measured"])
        for (name, access, address), said, is_ in zip(found, predicted, measured):
            writer.writerow([access, name, listed(address), said, "" if is_ is None else is_])


def main(nvcc, folder):
    os.makedirs(folder, exist_ok=True)
    program, path = build(nvcc, folder), os.path.join(folder, "patterns.txt")
    found = list(patterns(EACH))
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(8, os.cpu_count())) as pool:
        predicted = list(pool.map(predict, found))
    refused = [f"{p[1]} {p[0]}: {said}" for p, said in zip(found, predicted) if isinstance(said, str)]
    ok(f"{len(found)} patterns are predicted", not refused and len(found) >= FEWEST, "\n".join(refused))
    if refused or os.environ.get("COMPILE_ONLY"):
        sys.exit(finish())
    ncu = find_ncu(nvcc)
    measured = by_ncu(ncu, program, path, found) if ncu else None
    if measured is None:
        measured = by_clock(program, path, found)
    record(os.path.join(folder, "banks.csv"), found, predicted, measured)
    for access in ACCESSES:
        rows = [(p, said, is_) for p, said, is_ in zip(found, predicted, measured) if p[1] == access]
        hidden = sum(1 for row in rows if row[2] is None)
        wrong = [f"{p[0]}: {is_} wavefronts, not {said}, of {listed(p[2])}" for p, said, is_ in rows
                 if is_ is not None and is_ != said]
        left_out = f", {hidden} more that clocks cannot tell" if hidden else ""
        ok(f"{access}: {len(rows) - hidden} patterns{left_out}, {len(wrong)} wrong", not wrong, "\n".join(wrong))
    sys.exit(finish())


MAPPING = sys.argv[1]
main(*sys.argv[2:4])
