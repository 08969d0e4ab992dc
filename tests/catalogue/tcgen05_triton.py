"""Compares the layouts of Tensor Memory, and the elements that tcgen05.ld and st move, with those of Triton.

    tcgen05_triton.py MAPPING                                    runs Triton; prints TAP
    tcgen05_triton.py --record                                   runs Triton; prints its layouts
    tcgen05_triton.py --recorded MAPPING tcgen05_triton.txt      compares with the recorded layouts; prints TAP

The first two import triton 3.6.0 from $PYTHONPATH; pip install --no-deps of the package triton is enough. No GPU is
used.

Triton's get_tmem_reg_layout (Gluon) returns which row and column of a matrix in Tensor Memory each register of four
warps gets, for a shape of tcgen05.ld. This combines the layout in Tensor Memory with the load. The program's output for
an accumulator with a load must be the same at every entry. A line of the record is

    CTAs | type | rows and columns of one CTA | shape | rows x columns | bases of register, lane, warp and block

Each basis is [row, column]. For 64 rows, Triton uses 16x32bx2 if 32x32b is requested: the upper half of each 32 lanes,
which hold no rows, are then columns. The type scales means rows of 4 scale factors each.
"""

import functools
import json
import os
import re
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib")]
from others import claims_without_cause, print_tap, run_program, run_test  # noqa: E402
from tap import sample  # noqa: E402

VERSION = "Triton 3.6"

# ---- Triton's layouts ----

COLUMNS = {"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8, "16x32bx2": 2}
MOST = {"32x32b": 128, "16x64b": 128, "16x128b": 64, "16x256b": 32, "16x32bx2": 128}


def load_questions():
    """(CTAs, type, rows, columns, shape) of a load with each number of repeats."""
    for shape, most in MOST.items():
        for element, halves in (("f32", 1), ("f16", 2)):
            for exponent in range(most.bit_length()):
                yield 1, element, 64 if shape == "16x32bx2" else 128, COLUMNS[shape] * halves << exponent, shape


def accumulator_questions():
    """The same, of accumulators of all sizes, in both types."""
    for ctas in (1, 2):
        for rows in (64, 128):
            for element in ("f32", "f16"):
                for cols in (16, 32, 64, 128, 256):
                    for shape in ("32x32b", "16x64b", "16x128b", "16x256b"):
                        is_half = ctas == 1 and rows == 64 and shape == "32x32b"
                        if (ctas, rows, element, cols, shape) != (2, 64, "f16", 16, "16x256b"):  # half a load
                            yield ctas, element, rows, cols, "16x32bx2" if is_half else shape
    yield from ((ctas, "s32", rows, 256, "16x256b") for ctas in (1, 2) for rows in (64, 128))


def scale_questions():
    yield from ((1, "scales", rows, 4, "32x32b") for rows in (64, 128, 256))


def answer(ctas, element, rows, cols, shape):
    """The bases, or None; Triton may end the program."""
    from triton._C.libtriton import gluon_ir
    from triton.experimental.gluon import language
    from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout
    types = {"f32": language.float32, "f16": language.float16, "s32": language.int32, "scales": language.int8}
    layout = TensorMemoryScalesLayout() if element == "scales" else \
        TensorMemoryLayout([rows, cols], 2 if element == "f16" else 1, [ctas, 1], ctas == 2)
    asked = "32x32b" if shape == "16x32bx2" else shape
    said = gluon_ir.compute_tmem_reg_layout(types[element], [rows * ctas, cols], layout, 4, asked, [[1, 0]] if ctas == 2 else [])
    return said and [said.reg_bases, said.lane_bases, said.warp_bases, said.block_bases]


def asked(question):
    """As above, in a process of its own."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        with os.fdopen(target, "w") as file:
            json.dump(answer(*question), file)
            file.flush()
            os._exit(0)
    os.close(target)
    with os.fdopen(source) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if status or text == "null":
        raise RuntimeError(f"Triton says nothing of {question}")
    return json.loads(text)


def asked_cases():
    import triton
    assert f"Triton {triton.__version__}".startswith(VERSION + "."), triton.__version__
    from triton._C import libtriton  # once, before all others fork
    assert libtriton
    questions = dict.fromkeys([*load_questions(), *accumulator_questions(), *scale_questions()])
    return [(*question, asked(question)) for question in questions]


def print_record(cases):
    for ctas, element, rows, cols, shape, bases in cases:
        lists = json.dumps(bases, separators=(",", ":"))
        print(ctas, element, f"{rows}x{cols}", shape, lists, sep=" | ")


def recorded_cases(path):
    cases = []
    with open(path) as file:
        for line in file:
            if not line.startswith("#"):
                ctas, element, size, shape, bases = line.split(" | ")
                cases.append((int(ctas), element, *map(int, size.split("x")), shape, json.loads(bases)))
    return cases


def offsets(bases):
    """[row, column] for each number whose bits choose among the bases."""
    values = [(0, 0)]
    for row, col in bases:
        values += [(at[0] ^ row, at[1] ^ col) for at in values]
    return values


# ---- The program's layouts ----


@functools.lru_cache(None)
def map_of(program, name):
    output = run_program(program, "--source=isa", "--arch=sm_100", "--format=json", name)
    return json.loads(output)["map"] if output else None


@functools.lru_cache(None)
def says_so(program, name):
    output = run_program(program, "--arch=sm_100", "--brief", "--detail", name)
    return VERSION in "".join(re.findall(r"^# (.*) uses? the same layout$", output, re.MULTILINE))


# K of what has accumulators of these types. Of 64 there are no 64 rows.
KINDS = {"f32": [16, 8, 32, 64], "f16": [16, 32], "s32": [32]}


def accumulators(ctas, element, rows, cols, shape):
    """The fragments, of kinds other than f16 where there is the most to compare; one that is wider than what is loaded where
    there is none that narrow."""
    prefix = "tcgen05.mma.cta2" if ctas == 2 else "tcgen05.mma"
    ks = KINDS[element] if (cols, shape) == (256, "16x256b") else KINDS[element][:1]
    width = min(max(cols, 16), 256)
    return [f"{prefix}.m{rows * ctas}n{width}k{k}.d.{element}" for k in ks if k < 64 or rows * ctas > 64]


def moves(element, cols, shape):
    """tcgen05.ld and st of that many columns, or the widest ones."""
    halves = 2 if element == "f16" else 1
    count = min(cols // COLUMNS[shape] // halves, MOST[shape])
    return [f"tcgen05.{name}.{shape}.x{count}.r.{f'{how}.b16' if halves == 2 else 'b32'}"
            for name, how in (("ld", "pack"), ("st", "unpack"))]


def place_of(accumulator, row, col):
    """[[cta,] lane, column]; after the end of the widest one, another one beside it."""
    line = accumulator[row]
    return line[col] if col < len(line) else [*line[0][:-1], col]


def loaded(move, shape):
    """[lane, column] of each thread and register of two loads: the second one of the next 16 lanes, or columns."""
    columns = 1 + max(at[1] for line in move for at in line)
    further = [0, columns] if shape == "32x32b" else [16, 0]
    return [line + [[lane + further[0], column + further[1]] for lane, column in line] for line in move]


def compare_load(accumulator, move, ctas, bases):
    """The error, or nothing, and the number of entries."""
    registers, lanes, warps, blocks = map(offsets, bases)
    for cta, of_block in enumerate(blocks):
        before = [cta] if ctas == 2 else []
        for warp, of_warp in enumerate(warps):
            for tid, of_lane in enumerate(lanes):
                first = [a ^ b ^ c for a, b, c in zip(of_block, of_warp, of_lane)]
                for (row, col), (lane, column) in zip(registers, move[tid]):
                    expected = [*before, 32 * warp + lane, column]
                    if place_of(accumulator, first[0] ^ row, first[1] ^ col) != expected:
                        return f"register {row}, {col} of thread {tid} of warp {warp} is not at {expected}", 0
    return "", len(registers) * len(lanes) * len(warps) * len(blocks)


def compare_scales(scales, is_of_b, count, bases):
    """The factors of several multiplications follow each other: number count * id + s of a row."""
    registers, lanes, _, _ = map(offsets, bases)
    for warp in range(4):
        for tid, of_lane in enumerate(lanes):
            for number, of_register in enumerate(registers):
                line, factor = (a ^ b for a, b in zip(of_lane, of_register))
                factor_id, s = divmod(factor, count)
                at = scales[s][line][warp] if is_of_b else scales[line][s][warp]
                shown = at if count == 4 else at[factor_id]
                if shown != [32 * warp + tid, number // 4, 8 * (number % 4)]:
                    return f"factor {factor} of {line} is not at {shown}", 0
    return "", 4 * 32 * len(registers)


# ---- Comparing ----


def check_load(program, names, case):
    """The error, or nothing, and the number of entries."""
    ctas, _, _, _, shape, bases = case
    accumulator, move, store = (map_of(program, name) for name in names)
    if accumulator is None or move is None or store != move:
        return "the program has none", 0
    return compare_load(accumulator, loaded(move, shape), ctas, bases)


def check_scales(program, names, case):
    """The same."""
    factors, = names
    return compare_scales(map_of(program, factors), ".sfb." in factors, int(re.search(r"(\d)x", factors)[1]), case[-1])


def load_names(case):
    """Each accumulator with a load and a store, which are alike."""
    ctas, element, rows, cols, shape, _ = case
    per_load = cols if ctas == 1 or rows == 128 else cols // 2  # columns of Tensor Memory
    for name in accumulators(ctas, element, rows, cols, shape):
        yield [name, *moves(element, per_load, shape)]


def scale_names(case):
    lines = case[2]
    for count, k, types in ((1, 32, ["ue8m0"]), (2, 64, ["ue8m0"]), (4, 64, ["ue8m0", "ue4m3"])):
        for kind in types:
            yield [f"tcgen05.mma.m128n{lines}k{k}.sfb.{count}x.{kind}"]
            if lines == 128:
                yield [f"tcgen05.mma.m128k{k}.sfa.{count}x.{kind}"]


def checks(program, asked):
    for names, case in asked:
        ctas, element, rows, cols, shape, _ = case
        wrong, count = (check_scales if element == "scales" else check_load)(program, names, case)
        silent = [name for name in names if not says_so(program, name)]
        wrong = wrong or ("" if not silent else f"the program does not say that Triton agrees: {' '.join(silent)}")
        yield f"{' and '.join(names)}: {ctas} x {rows}x{cols} {element}, {shape}", wrong, count, ""


def compare(program, cases, usually=1):
    """Prints TAP for one case in N, and returns the number of wrong ones."""
    asked = [(names, case) for case in cases for names in (scale_names if case[1] == "scales" else load_names)(case)]
    vain = claims_without_cause(program, VERSION, [name for names, _ in asked for name in names])
    return print_tap(checks(program, sample(asked, usually)), VERSION, vain)


if __name__ == "__main__":
    PREFACE = ("Layouts of loads from Tensor Memory in Triton: tcgen05_triton.py --record",
               "CTAs, types, sizes, shapes and bases as tcgen05_triton.py explains them")
    sys.exit(run_test(sys.argv[1:], "Triton", PREFACE, asked_cases, print_record, recorded_cases, compare, 23))
