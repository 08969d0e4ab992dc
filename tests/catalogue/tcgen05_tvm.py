"""Compares the layouts of Tensor Memory, and the elements that tcgen05.ld and st move, with those of TVM.

    tcgen05_tvm.py MAPPING                              runs TVM; prints TAP
    tcgen05_tvm.py --record                             runs TVM; prints its layouts
    tcgen05_tvm.py --recorded MAPPING tcgen05_tvm.txt   compares with the recorded layouts; prints TAP

The first two import tvm 0.27.0.post1 from $PYTHONPATH; pip install --no-deps of the packages apache-tvm,
apache-tvm-ffi, numpy and typing-extensions is enough. No GPU is used.

TVM has functions that make layouts of Tensor Memory (tvm.tirx.layout, and sf_tmem_layout of gemm_async): strides on the
axes TLane and TCol, which counts elements, in one CTA. The test calls them. A line of the record is

    function | its arguments | rows x columns | [extent, stride, axis]... | copies, the same way

The extents split the number of an element, row * columns + column; the first is the outermost. The functions are

    tmem_mma_operand_layout   for A or D, type, M, CTAs and "ws" or "": gemm_async and the allocator accept these; only D in
                              32 bits, because gemm_async accepts no others
    tmem_datapath_layout      for C and G, which the first function rejects; its comment says that they are those of
                              .cta_group::2, M = 128 and sparse, and of .ws, M = 32
    sf_tmem_layout            for scale factors, with their number in each multiplication; gemm_async also requires these
                              layouts for SFB, and for all M and CTAs
    tcgen05_atom_layout       for registers of tcgen05.ld and st, with the shape and the size of elements in bits: two
                              elements of 16 bits are adjacent in a register, as in a column. 128 rows of 16xNb are two
                              loads
"""

import functools
import itertools
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from others import claims_without_cause, print_tap, reports_of, run_test, table_of  # noqa: E402
from tap import sample  # noqa: E402

VERSION = "TVM 0.27"

# ---- What TVM says ----

# Its name of a type, and ours; tf32 has no other. K follows from it.
TYPES = {"float16": ("f16", 16), "bfloat16": ("bf16", 16), "float32": ("tf32", 32), "float8_e4m3fn": ("e4m3", 8),
         "float8_e5m2": ("e5m2", 8), "float4_e2m1fn": ("e2m1", 4)}
MOST = {"32x32b": 128, "16x64b": 128, "16x128b": 64, "16x256b": 32}
COLUMNS = {"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8}


def matrix_questions():
    """(function, arguments, rows, columns) of all D and A."""
    for m, ctas, ws in ((128, 1, ""), (64, 1, ""), (256, 2, ""), (128, 2, ""), (64, 1, "ws")):
        for n in (64, 128, 256) if ws else (32, 96, 256):
            yield "tmem_mma_operand_layout", ["D", "float32", m, ctas, ws], m // ctas, n
        for kind, (_, bits) in TYPES.items():
            if not ws and (m, bits) != (64, 4):  # of .ws TVM has two matrices at once, of 64 rows none of 4 bits are multiplied
                yield "tmem_mma_operand_layout", ["A", kind, m, ctas, ws], m // ctas, 256 // bits
    for letter, rows, widths in (("C", 64, (32, 96, 256)), ("G", 32, (64, 128, 256))):
        yield from (("tmem_datapath_layout", [letter], rows, n) for n in widths)


def questions():
    yield from matrix_questions()
    for rows, count in itertools.product((64, 128, 256), (1, 2, 4)):
        yield "sf_tmem_layout", [count], rows, 4
    for shape, (bits, rows) in itertools.product(MOST, ((32, 64), (32, 128), (16, 64), (16, 128))):
        for exponent in range(MOST[shape].bit_length()):
            if rows == 128 if shape == "32x32b" else rows == 64 and bits == 32 or exponent < 3:
                yield "tcgen05_atom_layout", [shape, bits], rows, COLUMNS[shape] * 32 // bits << exponent


def answer(function, arguments, rows, cols):
    """The layout."""
    from tvm.backend.cuda.tile_primitive.gemm_async import tcgen05
    from tvm.tirx import layout
    if function == "tmem_mma_operand_layout":
        operand, kind, m, ctas, ws = arguments
        return layout.tmem_mma_operand_layout(operand, (rows, cols), kind, M=m, cta_group=ctas, ws=ws != "")
    if function == "tmem_datapath_layout":
        return layout.tmem_datapath_layout(*arguments, rows, cols)
    if function == "tcgen05_atom_layout":
        shape, bits = arguments
        return layout.tcgen05_atom_layout(shape, (rows, cols), f"float{bits}")
    said = tcgen05.sf_tmem_layout(rows, cols, *arguments)
    tcgen05._validate_sf_tmem_layout(said, rows, cols, *arguments, "SFB")  # else it fails
    return said


def asked(question):
    """[iterators of the layout, of its copies]; TVM evaluates it to the same as along()."""
    function, arguments, rows, cols = question
    layout = answer(*question)
    assert not layout.offset
    said = [[[int(part.extent), int(part.stride), part.axis.name] for part in parts] for parts in (layout.shard, layout.replica)]
    is_one = (function, arguments) == ("tmem_datapath_layout", ["C"])  # of which all entries are looked at
    chosen = [range(size) if is_one and cols < 256 else sorted({0, size - 1, *(1 << bit for bit in range(size.bit_length() - 1))})
              for size in (rows, cols)]
    axes = {part[2]: along(text_of(said[0]), part[2]) for part in said[0]}
    for row, col in itertools.product(*chosen):
        evaluated = {axis: int(place) for axis, place in layout.apply(row, col, shape=[rows, cols]).items()}
        assert all(evaluated.get(axis, 0) == values[row * cols + col] for axis, values in axes.items()), (question, row, col)
    return said


def asked_cases():
    import tvm
    assert f"TVM {tvm.__version__}".startswith(VERSION + "."), tvm.__version__
    return [(*question, asked(question)) for question in questions()]


def text_of(value):
    return json.dumps(value, separators=(",", ":"))


def print_record(cases):
    for function, arguments, rows, cols, said in cases:
        print(function, text_of(arguments), f"{rows}x{cols}", *map(text_of, said), sep=" | ")


def recorded_cases(path):
    cases = []
    with open(path) as file:
        for line in file:
            if not line.startswith("#"):
                function, arguments, size, *said = line.split(" | ")
                cases.append((function, json.loads(arguments), *map(int, size.split("x")), [json.loads(parts) for parts in said]))
    return cases


# An axis that is the sum of others.
AXES = {"thread": {"tid_in_wg": 1, "laneid": 1, "wid_in_wg": 32}}


@functools.lru_cache(None)
def along(parts, axis):
    """What all elements are on that axis, in order."""
    values = [0]
    for extent, stride, name in json.loads(parts):
        step = stride * AXES.get(axis, {axis: 1}).get(name, 0)
        values = [value + step * at for value in values for at in range(extent)]
    return values


@functools.lru_cache(None)
def lines_of(parts, cols):
    """[lane, column] of each element, in lines; of copies, by how much they are further."""
    places = list(zip(along(parts, "TLane"), along(parts, "TCol")))
    return [places[at:at + cols] for at in range(0, len(places), cols)]


# ---- The program's layouts ----


def says_so(report):
    return VERSION in report[0].get("agrees", "")


def matrix_names(operand, kind, m, ctas, ws, cols):
    """The fragments of A, or of D in all types that TVM multiplies, those other than f16 in one width."""
    prefix = "tcgen05.mma" + (".cta2" if ctas == 2 else ".ws" if ws else "")
    if operand == "A":
        return [f"{prefix}.m{m}k{cols}.a.{TYPES[kind][0]}"]
    ks = [16, *([8, 32] + [64] * (m > 64) if cols in (32, 128) else [])]
    return [f"{prefix}.m{m}n{cols}k{k}.d.f32" for k in ks]


def scale_names(count, rows):
    """SFA with that many rows in a CTA, and SFB with that many columns."""
    for k, kind in {1: [(32, "ue8m0")], 2: [(64, "ue8m0")], 4: [(64, "ue8m0"), (64, "ue4m3")]}[count]:
        if rows < 256:
            yield f"tcgen05.mma.cta2.m{2 * rows}k{k}.sfa.{count}x.{kind}"
        if rows == 128:
            yield f"tcgen05.mma.m{rows}k{k}.sfa.{count}x.{kind}"
        for prefix in ("tcgen05.mma.m128", "tcgen05.mma.cta2.m128", "tcgen05.mma.cta2.m256"):
            yield f"{prefix}n{rows}k{k}.sfb.{count}x.{kind}"


def names_of(case):
    function, arguments, rows, cols, _ = case
    if function == "tmem_mma_operand_layout":
        return matrix_names(*arguments, cols)
    if function == "tmem_datapath_layout":
        prefix, ks = {"C": ("tcgen05.mma.cta2.sp.m128", [32, 16, 64]), "G": ("tcgen05.mma.ws.m32", [16, 8, 32])}[arguments[0]]
        return [f"{prefix}n{cols}k{k}.d.f32" for k in (ks if cols in (32, 128) else ks[:1])]
    if function == "sf_tmem_layout":
        return list(scale_names(*arguments, rows))
    shape, bits = arguments
    return [f"tcgen05.{name}.{shape}.x{cols * bits // 32 // COLUMNS[shape]}.r.b32" for name in ("ld", "st")]


# ---- Comparing ----

# What TVM states otherwise: fragments, the layout of so many rows and columns, how many comparisons fail of how many
# entries, the words of the note, and why.
DISAGREEMENTS = [
    (r"tcgen05\.mma\.m64k\d+\.a\.", lambda rows, cols: [[[64, 1, "TLane"], [cols, 1, "TCol"]], []],
     lambda entries, case: entries // 4 * 3,  # rows 0 to 15 are the same
     "TVM stores A in lanes 0 to 63",
     "A of 64 rows: TVM has it in lanes 0 to 63; the PTX ISA and CUTLASS have it where D is, in 16 of each 32"),
    (r"tcgen05\.mma\.cta2\.m128n\d+k\d+\.sfb\.",
     lambda rows, cols: [[[rows // 32, 4, "TCol"], [32, 1, "TLane"], [4, 1, "TCol"]], [[4, 32, "TLane"]]],
     lambda entries, case: case[2] * case[1][0],  # each factor, as it has half as many copies
     "TVM 0.27 store matrix column n",
     "scale factors of B of a pair, M = 128: TVM has what the PTX ISA says; CUTLASS has each half of N in half of the lanes"),
]


def disagreement(name):
    return next((known for known in DISAGREEMENTS if re.search(known[0], name)), None)


@functools.lru_cache(None)
def compare_matrix(text, ctas, bits, cols, parts, copies):
    """How many entries of A or D differ, and how many there are."""
    table, lines, [further] = table_of(text), lines_of(parts, cols), list(zip(*lines_of(copies, 1)))
    inside = [[at * bits // 32, at * bits % 32][:1 + (bits < 32)] for at in range(cols)]  # columns and bits of elements
    wrong = abs(len(table) - ctas * len(lines)) * cols
    for number, line in enumerate(table[:ctas * len(lines)]):
        cta, row = divmod(number, len(lines))
        before = [cta][:ctas - 1]
        expected = [[[*before, lane + lanes, *inside[at]] for lane, at in lines[row]] for lanes, _ in further]
        expected = list(map(list, zip(*expected))) if len(further) > 1 else expected[0]
        if line != expected:
            wrong += sum(shown != place for shown, place in itertools.zip_longest(line, expected))
    return wrong, len(table) * cols * len(further)


@functools.lru_cache(None)
def compare_scales(text, is_of_b, ctas, count, parts, copies):
    """The same of scale factors: number count * id + s of a row. SFB is in both CTAs of a pair."""
    table, lines, [further] = table_of(text), lines_of(parts, 4), list(zip(*lines_of(copies, 1)))
    wrong, those = 0, range(1 if is_of_b else ctas)
    for cta, row, s in itertools.product(those, range(len(lines)), range(count)):
        shown = table[s][row] if is_of_b else table[cta * len(lines) + row][s]
        expected = []
        for where, (lanes, _) in itertools.product(range(ctas) if is_of_b else [cta], further):
            of_ids = [[*[where][:ctas - 1], lane + lanes, at // 4, 8 * (at % 4)] for lane, at in lines[row][s::count]]
            expected.append(of_ids if count < 4 else of_ids[0])
        wrong += shown != expected
    wrong += (len(table[0]) if is_of_b else len(table)) != len(those) * len(lines)
    return wrong, len(those) * len(lines) * 4 * len(further) * (ctas if is_of_b else 1)


@functools.lru_cache(None)
def compare_load(text, bits, rows, cols, parts):
    """The same of a load by four warps: of element `at` of a thread, in register at / halves. Each warp has as many rows."""
    table, halves, of_warp = table_of(text), 32 // bits, rows // 4
    lanes = 1 + max(lane for line in table for lane, _ in line)
    wrong = abs(rows * cols - 128 * len(table[0]) * halves * of_warp // lanes)
    for (row, col), thread, at in zip(itertools.product(range(rows), range(cols)), along(parts, "thread"), along(parts, "m")):
        second, register = divmod(at // halves, len(table[0]))
        lane, column = table[thread % 32][register]
        wrong += (thread // 32, lane + 16 * second, column, at % halves) != (*divmod(row, of_warp), *divmod(col, halves))
    return wrong, rows * cols


def differences(case, name, text):
    """How many entries of a fragment differ, and how many there are."""
    function, arguments, rows, cols, (parts, copies) = case
    of_layout, ctas = (text_of(parts), text_of(copies)), 2 if ".cta2" in name else 1
    if function == "tcgen05_atom_layout":
        return compare_load(text, arguments[1], rows, cols, of_layout[0])
    if function == "sf_tmem_layout":
        return compare_scales(text, ".sfb." in name, ctas, arguments[0], *of_layout)
    bits = TYPES[arguments[1]][1] if arguments[0] == "A" else 32
    return compare_matrix(text, ctas, bits, cols, *of_layout)


def check(reports, case, name):
    """(error, entries, known difference)"""
    if name not in reports:
        return "the program has none", 0, ""
    report, text = reports[name]
    wrong, count = differences(case, name, text)
    known = disagreement(name)
    if known:
        _, layout, expected, words, why = known
        is_known = case[4] == layout(*case[2:4]) and wrong == expected(count, case)
        is_known = is_known and words in report["note"] and not says_so(reports[name])
        return "" if is_known else "a known disagreement is gone, or another one", 0, why
    if wrong:
        return f"{wrong} of {count} entries differ", 0, ""
    return "" if says_so(reports[name]) else "the program does not say that TVM agrees", count, ""


def checks(reports, cases):
    for case in cases:
        for name in names_of(case):
            wrong, count, note = check(reports, case, name)
            yield f"{name}, {case[2]}x{case[3]}", wrong, count, note


def compare(program, cases, usually=1):
    """Prints TAP for one case in N, and returns the number of wrong ones."""
    names = [name for case in cases for name in names_of(case)]
    vain = claims_without_cause(program, VERSION, [name for name in names if not disagreement(name)])
    asked = sample(cases, usually)
    reports = reports_of(program, list(dict.fromkeys(name for case in asked for name in names_of(case))))
    return print_tap(checks(reports, asked), VERSION, vain)


if __name__ == "__main__":
    PREFACE = ("Layouts of Tensor Memory in TVM: tcgen05_tvm.py --record",
               "Functions, arguments, sizes and strides as tcgen05_tvm.py explains them")
    sys.exit(run_test(sys.argv[1:], "TVM", PREFACE, asked_cases, print_record, recorded_cases, compare, 17))
