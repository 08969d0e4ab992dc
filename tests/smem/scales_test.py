#!/usr/bin/env python3
"""Layouts of block scale factors, at random extents, compared with separate formulae.

    scales_test.py MAPPING

Each formula follows the documentation or the code of the project that has the layout: cuBLAS 3.1.4.4.2 and torchao's
to_blocked for 128x4, flashinfer for 8x4, DeepGEMM's tests/test_layout.py for ue8m0x4, triton_kernels for 128x8k and
hopper-mx, aiter for aiter, TransformerEngine for linear-padded and columnwise. The test compares every offset, the size
of the buffer, the padding, the general formula and the inverse; also of the transpose, --axes=k,n. It also compares random pairs of these layouts, of
layouts in CuTe's notation and of tables with --equals. Prints TAP."""
import json
import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command, output  # noqa: E402
from tap import compiled  # noqa: E402

MAPPING = sys.argv[1]
COUNT = 40 if os.environ.get("THOROUGH") else 3


def up(x, n):
    return -(-x // n) * n


def swizzled(r, k, cols):
    return ((r // 128) * (cols // 4) + k // 4) * 512 + (r % 32) * 16 + (r % 128) // 32 * 4 + k % 4


def packed(r, k, rows):
    return ((k // 4) * rows + r) * 4 + k % 4


def utccp(r, k, rows):
    return ((k // 4) * rows + (r // 128) * 128 + (r % 32) * 4 + (r % 128) // 32) * 4 + k % 4


def hopper(warps):
    def offset(r, k, _, cols):
        t, a, w, b, l = r // (32 * warps), r // (16 * warps) % 2, r // 16 % warps, r // 8 % 2, r % 8
        return (((((t * warps + w) * (cols // 2) + k // 2) * 2 + a) * 8 + l) * 2 + k % 2) * 2 + b
    return offset


def v_factors(t, s, _, cols):
    return ((t // 4) * 4 + s // (cols // 4)) * cols + (s % (cols // 4)) * 4 + t % 4


def aiter(r, k, _, cols):
    return (r // 32) * 32 * cols + (k // 8) * 256 + (k % 4) * 64 + (r % 16) * 4 + (k % 8) // 4 * 2 + (r % 32) // 16


# name: padding of rows and columns, bytes of a factor, offset(r, k, padded rows, padded columns), step of columns
LAYOUTS = {
    "128x4": (128, 4, 1, lambda r, k, R, C: swizzled(r, k, C), 1),
    "8x4": (8, 4, 1, lambda r, k, R, C: ((r // 8) * (C // 4) + k // 4) * 32 + r % 8 * 4 + k % 4, 1),
    "linear": (1, 1, 1, lambda r, k, R, C: r * C + k, 1),
    "linear-padded": (128, 4, 1, lambda r, k, R, C: r * C + k, 1),
    "columnwise": (128, 4, 1, lambda r, k, R, C: k * R + r, 1),
    "mn-major": (1, 1, 4, lambda r, k, R, C: k * R + r, 1),
    "mn-major-4": (4, 1, 4, lambda r, k, R, C: k * R + r, 1),
    "blk128": (1, 4, 4, lambda r, k, R, C: r * C + k, 1),
    "blk128-linear": (1, 1, 4, lambda r, k, R, C: r * C + k, 1),
    "outer-vec": (1, 1, 4, lambda r, k, R, C: r, 0),
    "ue8m0x4": (4, 4, 1, lambda r, k, R, C: packed(r, k, R), 1),
    "ue8m0x4-utccp": (128, 4, 1, lambda r, k, R, C: utccp(r, k, R), 1),
    "128x8k": (128, 8, 1, lambda r, k, R, C: swizzled(r, k, C), 1),
    "hopper-mx<4>": (128, 2, 1, hopper(4), 1),
    "hopper-mx": (256, 2, 1, hopper(8), 1),
    "nvfp4-kv-v": (4, 1, 1, v_factors, 4),
    "aiter": (256, 8, 1, aiter, 1),
}


def ask(*words):
    return json.loads(output(MAPPING, *words, "--format=json"))


def evaluate(text, **names):
    return eval(compiled(text), {}, names)


def general(answer, rows, cols, points):
    """The values of the formula for any size."""
    text = next(fact["text"] for fact in answer["facts"] if fact["key"] == "general").removeprefix("for any size: ")
    formula, _, where = text.partition(", where ")
    names = {name: evaluate(value, rows=rows, cols=cols) for name, value in re.findall(r"([RC]) = ([^,]*)", where)}
    return [evaluate(formula, row=r, col=k, **names) for r, k in points]


def wrong(name, rows, cols, *axes):
    pad_rows, pad_cols, size, of_factor, _ = LAYOUTS[name]
    R, C = up(rows, pad_rows), up(cols, pad_cols)
    is_turned = bool(axes) and axes[0].startswith("--axes=k")
    if is_turned:
        rows, cols = cols, rows

    def offset(r, k, *padded):
        return of_factor(k, r, *padded) if is_turned else of_factor(r, k, *padded)
    answer = ask(name, f"--extent={rows},{cols}", *axes)
    points = [(r, k) for r in range(rows) for k in range(cols)]
    expected = [offset(r, k, R, C) for r, k in points]
    found = [value for line in answer["map"] for value in line]
    if found != expected:
        n = next(n for n in range(len(points)) if found[n] != expected[n])
        return f"{points[n]}: {found[n]}, not {expected[n]}"
    if answer["bytes"] != R * C * size or answer["scales"]["padding"] != (R * C - rows * cols) * size:
        return f"{answer['bytes']} bytes, {answer['scales']['padding']} of padding"
    if answer["scales"]["padded"] != ([C, R] if is_turned else [R, C]):
        return f"padded to {answer['scales']['padded']}"
    some = random.sample(range(len(points)), min(len(points), 50))
    picked = [points[n] for n in some]
    if general(answer, rows, cols, picked) != [expected[n] for n in some]:
        return "the formula for any size is wrong"
    for n in some:
        r, k = points[n]
        place = {"offset": expected[n]}
        if evaluate(answer["formulae"]["offset"], row=r, col=k) != expected[n]:
            return f"the formula is wrong at {points[n]}"
        if [evaluate(answer["inverse"][axis], **place) for axis in ("row", "col")] != [r, k]:
            return f"the inverse is wrong at {place}"
    held = set(expected)
    free = [n for n in range(R * C) if n not in held]
    if free:
        one = random.choice(free)
        if ask(name, f"--extent={rows},{cols}", f"--offset={one}", *axes)["padding"] != 1:
            return f"offset {one} is not padding"
    return None


# ---- Two layouts ----

def factors(n):
    """A product that is n, in random order, of a few factors."""
    found = []
    while n > 1 and len(found) < 3:
        found.append(random.choice([f for f in range(2, n + 1) if n % f == 0]))
        n //= found[-1]
    return found + [n] if n > 1 or not found else found


def notation(rows, cols):
    """A layout without holes in CuTe's notation: modes in random order, some with a swizzle; and its offset as a function."""
    shapes, strides, weight = [factors(rows), factors(cols)], {}, 1
    places = [(axis, n) for axis in range(2) for n in range(len(shapes[axis]))]
    if random.random() < 0.7:
        random.shuffle(places)
    for axis, n in places:
        strides[axis, n] = weight
        weight *= shapes[axis][n]
    texts = [",".join(str(f(axis, n)) for n in range(len(shapes[axis]))) for f in (lambda a, n: shapes[a][n], lambda a, n: strides[a, n])
             for axis in range(2)]
    text = "(({}),({})):(({}),({}))".format(*texts)
    bits = random.randint(1, 2) if weight % 64 == 0 and random.random() < 0.3 else 0

    def offset(*point):
        total = 0
        for axis, value in enumerate(point):
            for n, size in enumerate(shapes[axis]):
                total += value % size * strides[axis, n]
                value //= size
        return total ^ (total >> 3 & ((1 << bits) - 1) << 1)
    return (f"Sw<{bits},1,3> o 0 o " if bits else "") + text, offset


def side(rows, cols):
    """A layout of 8-bit elements, with its offset as a function: a name, notation, or a table in a file."""
    kind = random.random()
    names = [name for name, (_, _, size, _, step) in LAYOUTS.items() if size == 1 and step and cols % step == 0]
    if kind < 0.4:
        name = random.choice(names)
        pad_rows, pad_cols, _, offset, _ = LAYOUTS[name]
        return name, lambda r, k: offset(r, k, up(rows, pad_rows), up(cols, pad_cols))
    text, offset = notation(rows, cols)
    if kind < 0.8:
        return text, offset
    path = f"{FOLDER}/{random.randrange(10 ** 9)}.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("row,col,offset\n" + "".join(f"{r},{k},{offset(r, k)}\n" for r in range(rows) for k in range(cols)))
    return path, offset


def pair_wrong():
    """What --equals says wrongly about a random pair; or None."""
    rows, cols = random.choice((random.randint(1, 40), 32, 64, 128)), random.choice((random.randint(1, 12), 4, 8))
    (one, at), (other, other_at) = side(rows, cols), side(rows, cols)
    words = [one, f"--equals={other}", "--type=u8", *([f"--extent={rows},{cols}"] if one[0] != "/" or other[0] != "/" else [])]
    words = [f"--map={one}", *words[1:]] if one[0] == "/" else words
    run = command(MAPPING, *words, "--format=json")
    differing = [(r, k) for r in range(rows) for k in range(cols) if at(r, k) != other_at(r, k)]
    if run.returncode != (1 if differing else 0):
        return f"{words}: status {run.returncode}: {run.stderr}"
    answer = json.loads(run.stdout)
    first = [{"row": r, "col": k, "at": [{"offset": at(r, k)}, {"offset": other_at(r, k)}]} for r, k in differing[:3]]
    if (answer["entries"], answer["different"], answer["first"]) != (rows * cols, len(differing), first):
        return f"{words}: {answer}, not {len(differing)} {first}"
    for move in answer["moves"]:
        if any(evaluate(move.partition(" = ")[2], offset=at(r, k)) != other_at(r, k) for r in range(rows) for k in range(cols)):
            return f"{words}: {move}"
    if answer["condition"] and (rows, cols) not in ((1, 1),):
        holds = evaluate(answer["condition"], rows=rows, cols=cols)
        if holds == bool(differing):
            return f"{words}: {answer['condition']}"
    return None


PAIRS = 10000 if os.environ.get("THOROUGH") else 25
FOLDER = tempfile.mkdtemp()
random.seed(67)
print(f"1..{len(LAYOUTS) + 1}")
reasons = [reason for reason in (pair_wrong() for _ in range(PAIRS)) if reason]
print(f"{'not ' if reasons else ''}ok {len(LAYOUTS) + 1} - random pairs are as --equals says", *[f"# {r}" for r in reasons[:3]], sep="\n")
shutil.rmtree(FOLDER)
for number, (name, (pad_rows, pad_cols, _, _, step)) in enumerate(LAYOUTS.items(), 1):
    reasons = []
    extents = [(random.choice((random.randint(1, 40), random.randint(1, 600))),
                (random.randint(1, 40) if step == 1 else 4 * random.randint(1, 8) if step else 1)) for _ in range(COUNT)]
    for rows, cols in [*extents, (pad_rows * 2, max(pad_cols * 2, step) if step else 1)]:
        for axes in ([], ["--axes=k,n"]):
            reason = wrong(name, rows, cols, *axes)
            if reason:
                reasons.append(f"# {rows} x {cols} {axes}: {reason}")
    print(f"{'not ' if reasons else ''}ok {number} - {name} has the offsets and sizes of its formula", *reasons, sep="\n")
sys.exit(0)
