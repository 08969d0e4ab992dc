"""Compares the layouts of Tensor Memory with those of CUTLASS's own C++ headers.

    tcgen05_cute.py MAPPING INCLUDE                         compiles and runs a program; prints TAP
    tcgen05_cute.py --record INCLUDE                        the same; prints the layouts of the headers
    tcgen05_cute.py --recorded MAPPING tcgen05_cute.txt     compares with the recorded layouts of a few widths;
                                                            prints TAP

INCLUDE is a list of folders, separated by colons: that of CUTLASS, and those of CUDA, including cccl. The compiler is
clang++; the program runs on the host. CUTE_ARCH_TCGEN05_TMEM_ENABLED stays undefined, so that no PTX is compiled.

There are two kinds of lines:

    fragments | N | atom or fragment of CuTe | layout
        the MMA_Traits of the operands of an atom of tcgen05.mma that are in Tensor Memory (FrgTypeA, C, E, SFA, SFB),
        or, if no atom of CUTLASS has them, the fragment itself: that of .ws. The layout maps (row, column[, copy]),
        rows fastest, to addresses of CuTe. For scale factors and metadata, it maps multiplications along K, whose
        factor IDs and sparsity selectors are consecutive. Lane 1 is that of row 1, which determines how many bits an
        address counts. {N}, {N/2}, {N/4} and {N/32} are replaced by numbers. The layout of a pair is that of one CTA.
    fragment | SM100_TMEM_LOAD_16dp64b4x | layout of (thread, bit) | layout of addresses
        the traits of an atom of tcgen05.ld or st: DstLayout or SrcLayout, and ValID.

All entries are compared with the map of --format=json. For the listed fragments, the test also checks whether the
program states that CUTLASS agrees. DISAGREEMENTS lists the layouts for which CUTLASS states something else. Those lines
must differ, and the program must not state that CUTLASS agrees.
"""

import concurrent.futures
import functools
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cutlass import cutlass_version  # noqa: E402
from library import command  # noqa: E402
from tap import sample  # noqa: E402

VERSION = "CUTLASS 4.2"

# ---- The atoms ----

K, ONE, SATURATE = "UMMA::Major::K", "UMMA::ScaleIn::One", "UMMA::Saturate::False"
MAJORS = f"{K},{K},{ONE},{ONE}"
VALUES = "Int<{M}>,Int<{N}>,integral_constant<UMMA::Major,%s>,integral_constant<UMMA::Major,%s>," % (K, K) + \
    "integral_constant<UMMA::ScaleIn,%s>,integral_constant<UMMA::ScaleIn,%s>" % (ONE, ONE)
BY_8, BY_16 = list(range(8, 257, 8)), list(range(16, 257, 16))
INTEGER = [8, 16, 24, 32, *range(48, 257, 16)]
SOME, SOME_OF_PAIRS, SOME_INTEGER, OF_64 = [8, 72, 256], [16, 96, 256], [32, 96, 256], [64, 128, 192, 256]
WS = [64, 128, 256]

BYTES = {"float_e4m3_t": "e4m3", "float_e5m2_t": "e5m2"}
SIXES = {"cute::detail::float_e2m3_unpack8bits_t": "e2m3", "cute::detail::float_e3m2_unpack8bits_t": "e3m2"}
HALVES, INTEGERS = {"half_t": "f16", "bfloat16_t": "bf16"}, {"int8_t": "s8", "uint8_t": "u8"}
TF32, FOUR = {"tfloat32_t": "tf32"}, {"float_e2m1_t": "e2m1"}
FLOAT, FLOATS, INT = {"float": "f32"}, {"float": "f32", "half_t": "f16"}, {"int32_t": "s32"}
UE8M0, UE4M3 = {"float_ue8m0_t": "ue8m0"}, {"float_ue4m3_t": "ue4m3"}


def traits(name, arguments):
    return f"{name}<{{a}},{{a}},{{c}},{arguments}>"


def instructions():
    """(type in C++, fragments begin with, K, CTAs, rows, N, types of A, types of D, factors, operands)"""
    m1, m2 = [64, 128], [128, 256]
    for name, k, a, c, n1, n2 in (("TF32", 8, TF32, FLOAT, SOME, SOME_OF_PAIRS), ("F16BF16", 16, HALVES, FLOATS, BY_8, BY_16)):
        yield traits(f"SM100_MMA_{name}_SS", "{M},{N}," + MAJORS), "", k, 1, m1, n1, a, c, None, "d"
        yield traits(f"SM100_MMA_{name}_TS", "{M},{N}," + f"{MAJORS},{SATURATE}"), "", k, 1, m1, SOME, a, c, None, "ad"
        yield traits(f"SM100_MMA_{name}_SS_SPARSE", "{M},{N}," + MAJORS), ".sp", 2 * k, 1, m1, SOME, a, c, None, "de"
        yield traits(f"SM100_MMA_{name}_2x1SM_SS", "{M},{N}," + MAJORS), ".cta2", k, 2, m2, n2, a, c, None, "d"
        yield traits(f"SM100_MMA_{name}_2x1SM_TS", "{M},{N}," + f"{MAJORS},{SATURATE}"), ".cta2", k, 2, m2, SOME_OF_PAIRS, a, c, None, "ad"
        yield traits(f"SM100_MMA_{name}_2x1SM_SS_SPARSE", "{M},{N}," + MAJORS), ".cta2.sp", 2 * k, 2, m2, SOME_OF_PAIRS, a, c, None, "de"
    integer = "{M},{N}," + f"{K},{K},{SATURATE}"
    yield traits("SM100_MMA_S8_SS", integer), "", 32, 1, m1, INTEGER, INTEGERS, INT, None, "d"
    yield traits("SM100_MMA_S8_TS", "{M},{N}," + f"{MAJORS},{SATURATE}"), "", 32, 1, m1, SOME_INTEGER, INTEGERS, INT, None, "ad"
    yield traits("SM100_MMA_S8_SS_SPARSE", integer), ".sp", 64, 1, m1, SOME_INTEGER, INTEGERS, INT, None, "de"
    yield traits("SM100_MMA_S8_2x1SM_SS", integer), ".cta2", 32, 2, m2, SOME_INTEGER, INTEGERS, INT, None, "d"
    yield traits("SM100_MMA_S8_2x1SM_TS", "{M},{N}," + f"{MAJORS},{SATURATE}"), ".cta2", 32, 2, m2, SOME_INTEGER, INTEGERS, INT, None, "ad"
    yield traits("SM100_MMA_S8_2x1SM_SS_SPARSE", integer), ".cta2.sp", 64, 2, m2, SOME_INTEGER, INTEGERS, INT, None, "de"
    yield "SM100_MMA_F8F6F4_SS,{a},{a},{c}," + VALUES, "", 32, 1, m1, SOME, BYTES, FLOATS, None, "d"
    yield traits("SM100_MMA_F8F6F4_TS", "{M},{N}," + f"{MAJORS},{SATURATE}"), "", 32, 1, m1, SOME, {**BYTES, **SIXES}, FLOATS, None, "ad"
    yield traits("SM100_MMA_F8F6F4_SS_SPARSE", "{M},{N}," + MAJORS), ".sp", 64, 1, m1, SOME, {**BYTES, **SIXES, **FOUR}, FLOATS, None, "de"
    yield "SM100_MMA_F8F6F4_2x1SM_SS,{a},{a},{c}," + VALUES, ".cta2", 32, 2, m2, SOME_OF_PAIRS, BYTES, FLOATS, None, "d"
    yield traits("SM100_MMA_F8F6F4_2x1SM_TS", "{M},{N}," + f"{MAJORS},{SATURATE}"), ".cta2", 32, 2, m2, SOME_OF_PAIRS, {**BYTES, **SIXES}, FLOATS, None, "ad"
    yield traits("SM100_MMA_F8F6F4_2x1SM_SS_SPARSE", "{M},{N}," + MAJORS), ".cta2.sp", 64, 2, m2, SOME_INTEGER, {**BYTES, **SIXES, **FOUR}, FLOATS, None, "de"
    yield from scaled_instructions()


def scaled_instructions():
    mx = "{{a}},{{a}},{{c}},{{f}},{{M}},{{N}},{}{}".format("{v}", MAJORS)
    eights = {**BYTES, **SIXES, **FOUR}
    for pair, ctas, rows, n in (("", 1, [128], OF_64), ("_2x1SM", 2, [128, 256], OF_64)):
        cta2 = ".cta2" if ctas == 2 else ""
        yield f"SM100_MMA_MXF8F6F4{pair}_SS<{mx}>", cta2, 32, ctas, rows, n, eights, FLOAT, (1, "", UE8M0), "dfg"
        yield f"SM100_MMA_MXF8F6F4{pair}_SS_SPARSE<{mx}>", cta2 + ".sp", 64, ctas, rows[-1:], n, eights, FLOAT, (1, "", UE8M0), "dfge"
        for count, size, types in ((2, 32, UE8M0), (4, 16, {**UE8M0, **UE4M3})):
            yield f"SM100_MMA_MXF4{pair}_SS<{mx}>", cta2, 64, ctas, rows, n, FOUR, FLOAT, (count, f"{size},", types), "dfg"
            yield f"SM100_MMA_MXF4NVF4{pair}_SS_SPARSE<{mx}>", cta2 + ".sp", 128, ctas, rows[-1:], n, FOUR, FLOAT, (count, f"{2 * size},", types), "dfge"
        for count, size, types in ((3, 32, UE8M0), (6, 16, {**UE8M0, **UE4M3})):
            yield f"SM103::SM103_MXF4_ULTRA{pair}_SS_VS<{mx}>", cta2, 96, ctas, rows[-1:], n, FOUR, FLOAT, (count, f"{size},", types), "df"


def weight_stationary():
    """As below, of .ws."""
    for rows in (32, 64, 128):
        for n in WS:
            for c, d in {**FLOATS, **INT}.items():
                ks = {"f32": [8, 16, 32], "f16": [16, 32], "s32": [32]}[d]
                for sparse in [False, True][:1 + (n < 256)]:
                    names = [f".ws{'.sp' if sparse else ''}.m{rows}n{n}k{2 * k if sparse else k}.d.{d}" for k in ks]
                    yield names, n, f"tmem_frg_ws_1sm<{c}>", f"matrix<UMMA::tmem_frg_ws_1sm<{c}>,{rows},{n}>"
        for a, k, types in (("float", 8, TF32), ("half_t", 16, HALVES), ("uint8_t", 32, {**BYTES, **SIXES, **FOUR, **INTEGERS})):
            names = [f".ws.sp.m{rows}k{2 * k}.e.{t}" for t in types.values()]
            steps = 1 if a == "uint8_t" else 2
            yield names, 0, f"tmem_e_frg_ws<{a}>", f"matrix<UMMA::tmem_e_frg_ws<{a}>,{rows},{2 * k},{steps}>"


def specialized(text, **values):
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def factor_lines(n, k):
    """Columns of B whose factors CUTLASS has: where K is 96 they are filled up (MMA_ScaleFactor)."""
    return -(-n // 128) * 128 if k == 96 else n


def operands(instruction, rows, n, c, is_first):
    """(fragments, N or 0, expression) of one atom; but for A and metadata with the first type of A alone."""
    _, name, k, ctas, _, _, a, d, factors, letters = instruction
    held, per_cta = (k // 2 if ".sp" in name else k), rows // ctas
    shape = f"{name}.m{rows}n{n}k{k}"
    bare = f"{name}.m{rows}k{k}"
    if "d" in letters and is_first:
        yield [f"{shape}.d.{d[c]}"], n, f"matrix<typename T::FrgTypeC,{per_cta},{n}>"
    if c != next(iter(d)):
        return
    if "a" in letters:
        yield [f"{bare}.a.{{a}}"], 0, f"matrix<typename T::FrgTypeA,{per_cta},{held}>"
    if "e" in letters and per_cta == 128:
        steps = 2 if "TF32" in instruction[0] or "F16BF16" in instruction[0] else 1
        yield [f"{bare}.e.{{a}}"], 0, f"matrix<typename T::FrgTypeE,{per_cta},{k},{steps}>"
    if "f" in letters and is_first:
        variant = f"{factors[0]}x.{{f}}"
        values = f"{k // factors[0]},{factors[0]}" if k != 96 else f"{k // factors[0]},1,8"
        yield [f"{bare}.sfa.{variant}"], 0, f"scales<typename T::FrgTypeSFA,{per_cta},{values}>"
        yield [f"{shape}.sfb.{variant}"], n, f"scales<typename T::FrgTypeSFB,{factor_lines(n, k)},{values}>"


def atoms():
    """(fragments, N or 0, what to call it, expression in C++) of each layout."""
    for instruction in instructions():
        text, _, _, ctas, all_rows, ns, a_types, d_types, factors, _ = instruction
        for rows in all_rows:
            for n in ns:
                for c in d_types:
                    for a, letter in a_types.items():
                        if n != ns[0] and a != next(iter(a_types)):
                            continue
                        for f, scale in (factors[2] if factors else {"": ""}).items():
                            op = specialized(text, a=a, c=c, M=rows, N=n, f=f, v=factors[1] if factors else "")
                            call = specialized(text, a=a, c=c, M=rows, f=f, v=factors[1] if factors else "")
                            for names, width, expression in operands(instruction, rows, n, c, a == next(iter(a_types))):
                                names = [specialized(name, a=letter, f=scale) for name in names]
                                if width or n == ns[0]:
                                    yield names, width, call, expression.replace("typename T", f"typename MMA_Traits<{op}>")


# ---- The layouts of the headers ----

PRELUDE = """#include <cstdio>
#include <cute/tensor.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/atom/copy_traits_sm100.hpp>
using namespace cute;

template <class L> void put(L layout) { print(coalesce(layout)); }

// Of one multiplication, or several along K.
template <class Frg, int M, int N, int Steps = 1> void matrix() {
  auto layout = Frg::make(Shape<Shape<Int<M>, Int<N>>, _1, Int<Steps>>{}).layout();
  put(make_layout(get<0>(layout), get<2>(layout)));
  printf("\\n");
}

// Of several multiplications; where K is 96, of one factor after another, as sm103_blockscaled_mma_warpspecialized.hpp
// has them, which gives each multiplication the address of its first one.
template <class Frg, int M, int VS, int Count, int Steps = 4 / Count> void scales() {
  auto layout = Frg::make(Shape<Shape<Int<M>, Shape<Int<VS>, Int<Count>>>, _1, Int<Steps>>{}).layout();
  put(make_layout(get<0, 0>(layout), get<0, 1, 1>(layout), get<2>(layout)));
  printf("\\n");
}

template <class Op, bool IsLoad> void move() {
  using T = Copy_Traits<Op>;
  if constexpr (IsLoad) print(typename T::DstLayout{}); else print(typename T::SrcLayout{});
  printf(" | ");
  print(typename T::ValID{});
  printf("\\n");
}

int main() {
"""


def compiled(include, lines):
    """Runs a command and returns its output."""
    compiler = ["clang++", "-std=c++17", "-w", "-O0"]
    for path in include.split(":"):
        compiler += ["-isystem", path]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/layouts.cpp", "w") as file:
            file.write(PRELUDE + "".join(f"  {line}();\n" for line in lines) + "}\n")
        subprocess.run([*compiler, "-o", f"{folder}/layouts", f"{folder}/layouts.cpp"], check=True)
        output = subprocess.run([f"{folder}/layouts"], capture_output=True, text=True, check=True).stdout
    return [line.replace("_", "") for line in output.splitlines()]


def move_name(atom):
    kind, lanes, bits, count, packed = re.fullmatch(r"SM100_TMEM_(LOAD|STORE)_(\d+)dp(\d+)b(\d+)x(_16b)?", atom).groups()
    shape = "16x32bx2" if (lanes, bits) == ("16", "32") else f"{lanes}x{bits}b"
    ending = "b32" if not packed else "pack.b16" if kind == "LOAD" else "unpack.b16"
    return f"tcgen05.{'ld' if kind == 'LOAD' else 'st'}.{shape}.x{count}.r.{ending}"


def moves(include):
    for folder in include.split(":"):
        for path in glob.glob(f"{folder}/cute/atom/copy_traits_sm100.hpp"):
            with open(path) as file:
                return re.findall(r"struct Copy_Traits<(SM100_TMEM_(?:LOAD|STORE)_\w+)>", file.read())
    raise FileNotFoundError("copy_traits_sm100.hpp")


def compiled_cases(include):
    """The layouts of the operands, and those of loads and stores."""
    found, names = [*atoms(), *weight_stationary()], moves(include)
    lines = [expression for *_, expression in found]
    lines += [f"move<{name},{'true' if 'LOAD' in name else 'false'}>" for name in names]
    said = compiled(include, lines)
    assert len(said) == len(lines)
    fragments = [(list_of, n, call, layout) for (list_of, n, call, _), layout in zip(found, said)]
    return fragments, [(move_name(name), name, *said[len(found) + at].split(" | ")) for at, name in enumerate(names)]


# ---- The record ----

PARTS = {"{N}": 1, "{N/2}": 2, "{N/4}": 4, "{N/32}": 32}


def specialize(text, n):
    for part, divisor in PARTS.items():
        text = text.replace(part, str(n // divisor))
    return text


def templates(text, n):
    """The text, and with one number in its shape replaced."""
    for part, divisor in PARTS.items():
        for match in re.finditer(r"\d+", text.split(":")[0]):
            if int(match.group()) * divisor == n:
                yield text[:match.start()] + part + text[match.end():]
    yield text


def generalized(cases):
    """Cases that differ in N alone become one: [fragments, widths, call, layout]."""
    groups = {}
    for names, n, call, layout in cases:
        general = tuple(name.replace(f"n{n}k", "n{N}k") if n else name for name in names)
        groups.setdefault((general, call), []).append((n, layout))
    for (names, call), said in groups.items():
        while said:
            n, layout = said[-1]
            best = max(templates(layout, n), key=lambda template: sum(specialize(template, other) == text for other, text in said))
            fits = [at for at in said if specialize(best, at[0]) == at[1]]
            said = [at for at in said if at not in fits]
            yield names, [at[0] for at in fits], call, best


def print_record(cases, moves):
    lines = {}
    for names, widths, call, layout in generalized(cases):
        call = re.sub(r",?(integral_constant<)?UMMA::(Major|ScaleIn|Saturate)(::|,)[^,>]*>?|cute::detail::", "", call)
        lines.setdefault((",".join(map(str, widths)), layout), []).append((names, call))
    for (widths, layout), said in lines.items():
        names = dict.fromkeys(name for some, _ in said for name in some)
        calls = dict.fromkeys(re.sub(r"[<,].*", "", call) for _, call in said)
        print(" ".join(names), widths, " ".join(calls), layout, sep=" | ")
    for line in moves:
        print(*line, sep=" | ")


def recorded_cases(path):
    cases, moves = [], []
    with open(path) as file:
        for line in file:
            words = line.rstrip("\n").split(" | ")
            if line.startswith("#"):
                continue
            if line.startswith("tcgen05."):
                moves.append(words)
                continue
            names, widths = words[0].split(), list(map(int, words[1].split(",")))
            some = sorted({widths[0], widths[len(widths) // 3], widths[-1]})
            for n in some:  # of the first fragment; of the others the narrowest one
                here = names[:1] if n != some[0] else names
                cases.append(([name.replace("{N}", str(n)) for name in here], n, words[2], specialize(words[3], n)))
    return cases, moves


# ---- Layouts ----


def flat(text):
    """(size, stride) of each mode, the first one fastest."""
    shape, stride = (list(map(int, re.findall(r"\d+", part))) for part in text.split(":"))
    assert len(shape) == len(stride), text
    return list(zip(shape, stride))


def addresses(text):
    values = [0]
    for size, stride in flat(text):
        values = [value + stride * at for at in range(size) for value in values]
    return values


BITS_OF_LANE = 65536 * 32


def place_of(text):
    """[lane, column, bit] of each number."""
    values = addresses(text)
    lane = values[1]  # row 1 is one lane further
    return [[value // lane, value % lane * BITS_OF_LANE // lane // 32, value % lane * BITS_OF_LANE // lane % 32] for value in values]


@functools.lru_cache(64)
def places(text):
    return place_of(text)


def of_coordinates(report, cta, place):
    whole = dict(zip(["lane", "column", "bit"], place), cta=cta)
    return [whole[name] for name in report["coordinates"]]


def expected_entry(report, text, point):
    """What CUTLASS has for a row, column, copy and id or selector. The layout is of one CTA; it leads from rows, columns,
    copies (of scale factors and of A rows, copies, columns) and multiplications along K, rows fastest."""
    row, col, copy, choice = point["row"], point["col"], point["copy"], point["id"] + point["selector"]
    rows, cols, copies, ctas = report["rows"], report["cols"], report["in_memory"], report.get("ctas", 1)
    operand = report["fragment"].split(".m")[-1].split(".")[1]
    if operand == "sfb":
        copies //= ctas
        cta, copy, line, col = copy // copies, copy % copies, col, row
        lines = factor_lines(cols, report["depth"])
    else:
        lines = rows // ctas
        cta, line = row // lines, row % lines
    if operand == "e":  # CuTe counts elements of A that are not compressed
        col, cols = col * report["depth"] // cols, report["depth"]
        number = line + lines * (col + cols * (copy + copies * choice))
    else:  # of 4 bytes the ID says which one is the first
        step = 4 // len(report["map"][0][0][0]) if "id" in report["inputs"] else 0
        number = line + lines * (copy + copies * (col + step * choice))
    return of_coordinates(report, cta, places(text)[number])


def sizes_of(report):
    axes = {"row": report["rows"], "col": report["cols"]}
    level = report["map"][0][0]
    for name in report["inputs"][2:]:
        axes[name] = len(level)
        level = level[0]
    return axes


def expected_map(report, text, axes, point):
    if len(point) == len(axes):
        return expected_entry(report, text, {**dict.fromkeys(("copy", "id", "selector"), 0), **point})
    name = list(axes)[len(point)]
    return [expected_map(report, text, axes, {**point, name: at}) for at in range(axes[name])]


@functools.lru_cache(8)
def d_map(rows, cols, ctas, text):
    """The same as expected_map, of D, which is large."""
    lines, said = rows // ctas, places(text)
    columns = range(cols)
    if ctas == 1:
        return [[said[row + lines * col][:2] for col in columns] for row in range(rows)]
    return [[[row // lines, *said[row % lines + lines * col][:2]] for col in columns] for row in range(rows)]


def move_map(bits_layout, ids, bits):
    """[lane, column] of each (thread, i): where its lowest bit goes, and the highest one beside it."""
    at, seen = 0, 1
    modes = flat(bits_layout)
    while seen < 32:
        seen *= modes[at][0]
        at += 1
    assert seen == 32, bits_layout

    def values(some):
        result = [0]
        for size, stride in some:
            result = [value + stride * step for step in range(size) for value in result]
        return result
    of_thread, of_bit = values(modes[:at]), values(modes[at:])
    physical = addresses(ids)
    result = []
    for base in of_thread:
        line = []
        for first in range(0, len(of_bit), bits):
            low, high = physical[base + of_bit[first]], physical[base + of_bit[first + bits - 1]]
            assert high - low == bits - 1 and low % 32 == 0
            line.append([low // BITS_OF_LANE, low % BITS_OF_LANE // 32])
        result.append(line)
    return result


# ---- What CUTLASS states otherwise ----

# Fragments, and what CUTLASS has for row 16, column 0, and for the first column of the second half: [cta, lane,
# column]; and why.
DISAGREEMENTS = [
    (r"\.cta2\.sp\.m128.*\.d\.", [0, 16, 0], lambda n: [0, 64, 0],
     "D of a pair, sparse, M = 128: CUTLASS's fragment takes no notice of sparsity; Layout C of 9.7.16.10.5 is 16 rows in each 32 lanes"),
]


def disagreement(name):
    return next((why for pattern, *_, why in DISAGREEMENTS if re.search(pattern, name)), "")


# ---- The program's layouts ----


def run_program(program, *arguments):
    done = command(program, *arguments)
    return done.stdout, "" if done.returncode in (0, 4) else f"exit status {done.returncode}: {done.stderr.strip()}"


def arch_of(name):
    return "sm_103" if re.search(r"k96\b", name) else "sm_100"


def map_of(program, name):
    output, trouble = run_program(program, f"--arch={arch_of(name)}", "--format=json", name)
    if trouble:
        return None, trouble
    report = json.loads(output)
    report["in_memory"] = report.get("copies", 1)
    depth = re.search(r"k(\d+)\.", name)
    report["depth"] = int(depth.group(1)) if depth else 0
    return report, ""


def says_who(program, name):
    output, trouble = run_program(program, f"--arch={arch_of(name)}", "--brief", "--detail", name)
    return trouble or "".join(re.findall(r"^# (.*) uses? the same layout$", output, re.MULTILINE))


def count_of(level):
    return 1 if isinstance(level[0], int) else sum(map(count_of, level))


def first_difference(shown, expected, at=""):
    if isinstance(shown[0], int) or len(shown) != len(expected):
        return f"at {at} it is {shown}, CUTLASS has {expected}"
    for number, (one, other) in enumerate(zip(shown, expected)):
        if one != other:
            return first_difference(one, other, f"{at}[{number}]")
    return ""


def judge(program, name, layout):
    """The error or nothing, and the number of entries."""
    name = f"tcgen05.mma{name}"
    report, trouble = map_of(program, name)
    if trouble:
        return trouble, 0
    if ".d." in name:
        expected = d_map(report["rows"], report["cols"], report.get("ctas", 1), layout)
    else:
        expected = expected_map(report, layout, sizes_of(report), {})
    differs = first_difference(report["map"], expected) if report["map"] != expected else ""
    claims = VERSION in says_who(program, name)
    if disagreement(name):
        pattern, sixteen, half, _ = next(known for known in DISAGREEMENTS if re.search(known[0], name))
        is_known = expected[16][0] == sixteen and expected[0][report["cols"] // 2] == half(report["cols"])
        differs = "" if differs and is_known else "a known disagreement is gone, or another one"
        return differs or ("the program says that CUTLASS agrees" if claims else ""), count_of(report["map"])
    return differs or ("" if claims else "the program does not say that CUTLASS agrees"), count_of(report["map"])


def judge_move(program, name, threads, ids):
    report, trouble = map_of(program, name)
    if trouble:
        return trouble, 0
    bits = 16 if name.endswith("b16") else 32
    expected = move_map(threads, ids, bits)
    if report["map"] != expected:
        return first_difference(report["map"], expected), count_of(report["map"])
    claims = VERSION in says_who(program, name)
    return "" if claims else "the program does not say that CUTLASS agrees", count_of(report["map"])


# ---- Comparing ----


def claims_without_cause(program, cases, moves):
    """The fragments that are listed of which the program says that CUTLASS agrees, and nothing above does."""
    def without_n(name):
        return re.sub(r"(\.m\d+)n\d+", r"\1", name)

    shown = {f"tcgen05.mma{without_n(name)}" for names, *_ in cases for name in names} | {name for name, *_ in moves}
    listed = set()
    for arch in ("sm_100", "sm_103"):
        output, _ = run_program(program, "--list", f"--arch={arch}")
        listed |= set(re.findall(r"^(tcgen05\.(?:mma|ld|st)\S*)", output, re.MULTILINE))
    left = sorted(name for name in listed if without_n(name) not in shown)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda name: says_who(program, name), left)
    return [name for name, who in zip(left, said) if VERSION in who]


def compare(program, cases, moves, usually=1):
    """Prints TAP for one case in N, and returns the number of wrong ones."""
    jobs, failures, entries, number = {}, 0, 0, 0
    for names, _, call, layout in cases:
        for name in names:
            jobs.setdefault((name, layout), (re.split("[<, ]", call)[0], judge, layout))
    for name, atom, *said in moves:
        jobs[(name, said[0])] = (atom, judge_move, *said)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = [(name, layout, call, pool.submit(function, program, name, *said))
                 for (name, layout), (call, function, *said) in sample(jobs.items(), usually)]
        for number, (name, layout, call, job) in enumerate(asked, 1):
            wrong, count = job.result()
            failures, entries = failures + (wrong != ""), entries + count
            print(f"{'not ' if wrong else ''}ok {number} - {name.lstrip('.')}: {layout} ({call})")
            if wrong:
                print(f"# {wrong}")
            elif disagreement(f"tcgen05.mma{name}"):
                print(f"# not as CUTLASS: {disagreement(f'tcgen05.mma{name}')}")
    vain = claims_without_cause(program, cases, moves)
    failures += vain != []
    print(f"{'not ' if vain else ''}ok {number + 1} - of no other fragment the program says that CUTLASS agrees")
    print("".join(f"# {name}\n" for name in vain), end="")
    print(f"# {entries} entries\n1..{number + 1}")
    return failures


def main(arguments):
    if arguments[0] == "--record":
        print("# Layouts of Tensor Memory in CuTe: tcgen05_cute.py --record INCLUDE")
        print(f"# CUTLASS {cutlass_version(arguments[1])}")
        print("# fragments, widths, atoms and layouts as tcgen05_cute.py explains them")
        print_record(*compiled_cases(arguments[1]))
        return 0
    if arguments[0] == "--recorded":
        return compare(arguments[1], *recorded_cases(arguments[2]), usually=53) > 0
    if not f"CUTLASS {cutlass_version(arguments[1])}".startswith(VERSION):
        print(f"the program speaks of {VERSION}", file=sys.stderr)
        return 1
    return compare(arguments[0], *compiled_cases(arguments[1])) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
