#!/usr/bin/env python3
"""Compares --load and --store with the maps of the fragment and of the matrix, by executing plans step by step.

    load_test.py MAPPING [COUNT]        COUNT random pairs of a fragment and a matrix, both ways

Both maps come from --format=json of each subject. They determine which byte of memory belongs in which byte of which
thread's registers. simulated_warp.py executes every plan: each piece of each thread must load or store exactly its
bytes, each once; formulae must give the addresses; wavefronts must be those of the rule. An operation that is not among
the plans must be impossible, or narrower than an element. Prints "N plans of M pairs, W wrong", and a line for each
wrong plan.
"""

import functools
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from bank_patterns import ACCESSES, LANES  # noqa: E402
from library import command  # noqa: E402
from simulated_warp import SHAPES, lanes_of, moved, plan, registers_of, size_of, wavefronts  # noqa: E402

mapping = sys.argv[1]
pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 300
random_ = random.Random(20)

# Fragments, the options that go with them, and the type of their elements.
VOLTA = ["--atom-layout=(2,2,1)", "--permutation=((4,4,2):(1,8,4)),32,4"]
FRAGMENTS = [
    ("mma.m16n8k16.a.f16", 80, []), ("mma.m16n8k16.b.f16", 80, []), ("mma.m16n8k8.a.f16", 80, []),
    ("mma.m16n8k16.a.bf16", 80, []), ("mma.m16n8k16.d.f16", 80, []), ("mma.m16n8k16.d.f32", 80, []),
    ("mma.m16n8k8.a.tf32", 80, []), ("mma.m16n8k8.b.tf32", 80, []), ("mma.m8n8k4.a.f64", 80, []),
    ("mma.m8n8k4.d.f64", 80, []), ("mma.m16n8k16.a.f64", 90, []), ("mma.m16n8k32.a.s8", 80, []),
    ("mma.m16n8k32.b.s8", 80, []), ("mma.m16n8k32.a.e4m3", 89, []), ("mma.m16n8k64.a.s4", 80, []),
    ("mma.m16n8k64.b.s4", 80, []), ("mma.m16n8k256.a.b1", 80, []), ("wmma.m16n16k16.a.row.f16", 70, []),
    ("wmma.m16n16k16.b.col.f16", 75, []), ("wmma.m16n16k16.d.f32", 75, []),
    ("wgmma.m64n8k16.a.f16", 90, []), ("wgmma.m64n32k16.d.f32", 90, []), ("wgmma.m64n16k32.d.f16", 90, []),
    ("wgmma.m64n8k32.a.e4m3", 90, []), ("ldmatrix.m8n8.x1.r.b16", 75, []), ("ldmatrix.m8n8.x1.r.trans.b16", 75, []),
    ("mma.m8n8k4.a.col.f16", 70, VOLTA), ("mma.m8n8k4.b.row.f16", 70, VOLTA), ("mma.m8n8k4.d.f32", 70, VOLTA),
    ("mma.m16n8k16.a.f16", 80, ["--atom-layout=(2,2,1)"]), ("mma.m16n8k16.b.f16", 80, ["--permutation=16,16,16"]),
    ("mma.m16n8k16.b.f16", 80, ["--atom-layout=(2,2,1)", "--permutation=32,32,16"]),
    ("mma.m16n8k16.d.f32", 80, ["--atom-layout=(4,1,1)", "--permutation=64,16,16"]),
    ("mma.m16n8k32.a.e4m3", 120, []), ("mma.m16n8k32.b.e4m3", 120, ["--permutation=16,16,32"]),
    ("stmatrix.m16n8.x1.r.trans.b8", 120, []), ("ldmatrix.m16n16.x1.r.trans.b8", 100, []),
    ("mma.m16n8k64.a.s4", 120, []), ("mma.m16n8k32.a.s8", 120, ["--atom-layout=(2,2,1)", "--permutation=32,32,64"]),
    ("mma.m16n8k32.a.s8", 80, ["--atom-layout=(1,4,1)"]), ("mma.m16n8k8.b.tf32", 80, ["--permutation=16,32,8"]),
]


@functools.lru_cache(maxsize=None)
def run(*arguments):
    done = command(mapping, "--format=json", *arguments)
    if done.returncode not in (0, 2, 4):
        sys.exit(f"{' '.join(arguments)}: status {done.returncode}, {done.stderr}")
    return json.loads(done.stdout) if done.returncode != 2 else done.stderr


# ---- Matrices ----

def matrices(rows, cols, bits):
    """Yields texts of layouts of rows x cols elements, some of which do not fit."""
    log = (rows * cols - 1).bit_length()
    extent, turned = f"--extent={rows},{cols}", f"--extent={cols},{rows}"
    plain = random_.choice((f"({rows},{cols}):({cols},1)", f"({rows},{cols}):(1,{rows})"))
    yield f"({rows},{cols}):({cols},1)", None
    yield f"({rows},{cols}):(1,{rows})", None
    pad = random_.choice((1, 2, 4, 8, 16, 128 // bits, 64 // bits or 1, 3))
    yield random_.choice((f"({rows},{cols}):({cols + pad},1)", f"({rows},{cols}):(1,{rows + pad})")), None
    for _ in range(4):
        b = random_.randint(1, 3)
        base = random_.choice((0, 1, 2, 3, 3, 3, 4, max(0, (128 // bits).bit_length() - 1)))
        shift = random_.randint(b, b + 3)
        if b + base + shift <= log:
            yield f"Sw<{b},{base},{shift}> o 0 o {plain}", None
    if rows % 8 == 0 and cols % 8 == 0:
        yield f"((8,{rows // 8}),(8,{cols // 8})):((8,64),(1,{8 * rows}))", None
        yield f"((4,{rows // 4}),(8,{cols // 8})):((8,{4 * cols}),(1,32))", None
        yield f"(({rows // 2},2),({cols // 4},4)):(({2 * cols},1),(2,{cols // 2}))", None
    major, swizzle = random_.choice("K MN".split()), random_.choice("INTER SW32 SW64 SW128".split())
    yield f"Layout_{major}_{swizzle}_Atom", extent
    for _ in range(2):
        cross = random_.choice((16, 32, 64, 128))
        yield f"TensorOpMultiplicand<{bits},{cross}>", turned
        yield f"ColumnMajorTensorOpMultiplicandCongruous<{bits},{cross}>", turned
        yield f"RowMajorTensorOpMultiplicandCrosswise<{bits},{cross}>", random_.choice((extent, turned))
    yield f"ColumnMajorInterleaved<{random_.choice((4, 8, 32))}>", extent
    yield f"RowMajorInterleaved<{random_.choice((4, 8, 32))}>", extent
    for name in ("VoltaTensorOpMultiplicandCongruous", "VoltaTensorOpMultiplicandBCongruous"):
        yield f"{name}<{bits}>", turned
    yield f"VoltaTensorOpMultiplicandCrosswise<{bits},32>", turned


def choose():
    """A pair: the fragment's map, and arguments of the matrix and of the fragment."""
    name, arch, options = random_.choice(FRAGMENTS)
    chosen = [f"--arch=sm_{arch}", *options]
    fragment = run(name, *chosen)
    bits = int(re.search(r"\d+$", name.replace("e4m3", "8").replace("tf32", "32")).group())
    rows = fragment["rows"] * random_.choice((1, 1, 2, 4))
    cols = fragment["cols"] * random_.choice((1, 1, 2, 4, 8))
    text, extent = random_.choice(list(matrices(rows, cols, bits)))
    matrix = [text, f"--type={name.split('.')[-1]}", *([extent] if extent else [])]
    return name, chosen, fragment, matrix


# ---- Judging ----

def execute(said, threads):
    """Executes a plan; a sentence if it does anything else than it should."""
    access, piece = said["with"], said["piece_bits"] // 8
    length, done = len(threads[0]), []
    total = least = 0
    for number, step in enumerate(said["steps"]):
        code = compile(step["formula"].replace("/", "//"), "formula", "eval") if step["formula"] else None
        every = (compile(said["formula"].replace("/", "//"), "formula", "eval") if said["formula"] else None)
        found = [0, 0]
        if len(step["address"]) != len(threads):
            return "has not an address for each thread"
        for warp in range(0, len(threads), LANES):
            address = step["address"][warp:warp + LANES]
            brings = lanes_of(access)
            if any((a is None) != (lane >= brings) for lane, a in enumerate(address)):
                return "other lanes bring addresses"
            if any(a is not None and a % size_of(access) for a in address):
                return "addresses are not aligned"
            for lane in range(LANES):
                same = address[lane % brings]
                if code and eval(code, {"tid": warp + lane}) != same:
                    return f"step {number}: the formula is wrong at tid {warp + lane}"
                if every and eval(every, {"tid": warp + lane, "step": number}) != same:
                    return f"the formula of all steps is wrong at step {number}, tid {warp + lane}"
            for lane, pieces in enumerate(moved(access, address, len(step["pieces"]))):
                for p, got in zip(step["pieces"], pieces):
                    if threads[warp + lane][p * piece:(p + 1) * piece] != got:
                        return f"step {number}: piece {p} of thread {warp + lane} is of {got}"
            found = [a + b for a, b in zip(found, wavefronts(access, address))]
        if [step["wavefronts"], step["minimum"]] != found:
            return f"step {number} takes {found} wavefronts, not {step['wavefronts']} of {step['minimum']}"
        done += step["pieces"]
        total, least = total + found[0], least + found[1]
    if sorted(done) != list(range(length // piece)):
        return f"moves the pieces {done}, not {length // piece}"
    if [said["wavefronts"], said["minimum"]] != [total, least]:
        return "the sums are wrong"
    return None


# What rows and columns of an operand are (PTX ISA: A is M x K, B is K x N).
OWN = {"a": "mk", "b": "kn", "c": "mn", "d": "mn"}


def operand_of(name):
    return next((part for part in name.split(".")[2:] if part in OWN), None)


def axes_of(name, layout):
    """What rows and columns of the matrix are, and the options that say it, which are not always needed."""
    operand = operand_of(name)
    if not operand:
        return None, []
    own, turned = OWN[operand], OWN[operand][::-1]
    if "_Atom" in layout:  # CuTe's are M or N by K
        own, turned = (turned, None) if operand == "b" else (own, None if operand == "a" else turned)
    axes = random_.choice([one for one in (own, own, turned) if one])
    return axes, [f"--axes={axes[0]},{axes[1]}"] if axes != own or random_.random() < 0.2 else []


def judge(name, chosen, fragment, matrix):
    """The number of plans, and messages on the wrong ones; None if the matrix is not valid."""
    memory = run(*matrix)
    if isinstance(memory, str):
        return None
    bits, lines = memory["bits"], memory["map"]
    axes, said_axes = axes_of(name, matrix[0])
    held, size = fragment["map"], [fragment["rows"], fragment["cols"]]
    if axes and axes != OWN[operand_of(name)]:
        held, size = [[place[::-1] for place in thread] for thread in held], size[::-1]
    room = [len(lines) - size[0], len(lines[0]) - size[1]]
    if min(room) < 0:
        return None
    grain = random_.choice((size, (8, 8), (1, 1)))
    origin = [random_.randrange(0, r + 1, g) for r, g in zip(room, grain)]
    threads = registers_of(held, lines, origin, bits)
    kind = random_.choice(("load", "store"))
    style = random_.choice(([], [], ["--style=divide"]))
    asked = [f"--{kind}={name}", f"--origin={origin[0]},{origin[1]}", *said_axes, *chosen, *style, *matrix]
    said = run(*asked)
    plans = [] if isinstance(said, str) else said if isinstance(said, list) else [said]
    wrong = []
    for one in plans:
        if one[kind] != name or one["origin"] != origin:
            wrong.append("is about something else")
        if one.get("axes") != (list(axes) if axes else None):
            wrong.append(f"the axes are {one.get('axes')}, not {axes}")
        if bool(one["with"].startswith("st")) != (kind == "store"):
            wrong.append(f"{one['with']} is none")
        why = execute(one, threads)
        if why:
            wrong.append(f"{one['with']}: {why}")
    order = [*ACCESSES, *SHAPES]
    cost = [(one["wavefronts"], len(one["steps"])) for one in plans]
    if cost != sorted(cost):
        wrong.append("the best is not first")
    arch = int(chosen[0].split("_")[1])
    for access in order:
        # ldmatrix is there since sm_75, stmatrix since sm_90 (PTX ISA, Target ISA Notes).
        since = 100 if access in SHAPES else {"ldmatrix": 75, "stmatrix": 90}.get(access.split(".")[0], 0)
        possible = (since <= arch and access.startswith("st") == (kind == "store") and (bits <= 8 if access in SHAPES else min(bits, 32) <= 8 * size_of(access)) and
                    plan(access, threads) is not None)
        if possible != any(one["with"] == access for one in plans):
            wrong.append(f"{access} {'is not found' if possible else 'is not possible'}")
    # One operation alone gives the same plan, or a sentence.
    access = random_.choice([access for access in order if access.startswith("st") == (kind == "store")
                             and (arch >= 100 or access not in SHAPES)
                             and (arch >= 90 or not access.startswith("stmatrix"))
                             and (arch >= 75 or not access.startswith("ldmatrix"))])
    alone = run(f"--with={access}", *asked)
    if alone != next((one for one in plans if one["with"] == access), alone if isinstance(alone, str) else None):
        wrong.append(f"{access} alone is something else")
    return len(plans), [f"{' '.join(repr(a) for a in asked)}: {sentence}" for sentence in wrong]


if __name__ == "__main__":
    wrong, plans, judged, refused = [], 0, 0, 0
    while judged < pairs:
        verdict = judge(*choose())
        if verdict is None:
            refused += 1
            continue
        judged += 1
        plans += verdict[0]
        wrong += verdict[1]
    print("\n".join([*wrong[:20], f"{plans} plans of {judged} pairs, {len(wrong)} wrong"]))
    print(refused, "matrices are none", file=sys.stderr)
    sys.exit(len(wrong) > 0)
