"""The elements of an operand that threads hold after loading it from Tensor Memory: --with=tcgen05.ld...

    with_test.py MAPPING formulae|simulate|wgmma FILE|header COMPILER...

formulae: D after a load, as formulae of tid and i from the PTX ISA and CUTLASS's atoms. simulate: 128 lanes of 512
columns are filled as tcgen05.mma does, and loads are executed as the PTX ISA describes them; the registers are
compared. wgmma: D of 64 rows with .16x256b equals D of wgmma, which was observed on hardware; FILE is its record.
header: functions for all loads, called for each load and back, compared with the maps of single loads. Prints a line
for each case, the number of cases, and the number of wrong ones.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402
import records  # noqa: E402
from tap import sample  # noqa: E402

LANES, COLUMNS = 128, 512


def shown(mapping, name, move):
    done = command(mapping, "--format=json", name, "--with=" + move)
    if done.returncode not in (0, 4):
        return done.stderr
    parts = json.loads(done.stdout)
    return parts if isinstance(parts, list) else [parts]


# ---- Rules: PTX ISA 9.1, 9.7.16.10.5 (letters of layouts) and 9.7.16.2.3.1 ----


def place(layout, row, col, width):
    """Where D's element is: CTA, lane, column."""
    half, quarter = width // 2, width // 4
    return {
        "D": lambda: (0, row, col),
        "F": lambda: (0, row % 16 + 32 * (row // 16), col),
        "E": lambda: (0, row + 64 * (col // half), col % half),
        "G": lambda: (0, row + 32 * (col // quarter), col % quarter),
        "A": lambda: (row // 128, row % 128, col),
        "B": lambda: (row // 64, row % 64 + 64 * (col // half), col % half),
        "C": lambda: (row // 64, row % 16 + 32 * (row % 64 // 16), col),
    }[layout]()


COLUMNS_OF = {"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8, "16x32bx2": 2}
REGISTERS = {"32x32b": 1, "16x64b": 1, "16x128b": 2, "16x256b": 4, "16x32bx2": 1}


def load(shape, repeats, memory, lane, column, packed):
    """One warp executes a load: the contents of the registers of each thread, in halves if they are packed."""
    each = 2 if packed else 1
    split = repeats * each  # immHalfSplitoff: both halves side by side
    threads = []
    for thread in range(32):
        registers = []
        for r in range(REGISTERS[shape] * repeats):
            if shape == "32x32b":
                row, word = thread, r
            elif shape == "16x64b":
                row, word = thread // 4 + 8 * (thread % 2), thread // 2 % 2 + 2 * r
            elif shape == "16x128b":
                row, word = thread // 4 + 8 * (r % 2), thread % 4 + 4 * (r // 2)
            elif shape == "16x256b":
                row, word = thread // 4 + 8 * (r // 2 % 2), r % 2 + 2 * (thread % 4) + 8 * (r // 4)
            else:
                row, word = thread % 16, r
            base = column + (split if shape == "16x32bx2" and thread >= 16 else 0)
            registers += [memory[lane + row][base + word * each + n] for n in range(each)]
        threads.append(registers)
    return threads


def fill(layout, rows, width):
    """Tensor Memory of the CTAs with D's row and column in each place that has one."""
    memory = [[[None] * COLUMNS for _ in range(LANES)] for _ in range(2 if layout in "ABC" else 1)]
    for row in range(rows):
        for col in range(width):
            cta, lane, column = place(layout, row, col, width)
            memory[cta][lane][column] = [row, col]
    return memory


# name, layout, rows, width
OPERANDS = [
    ("tcgen05.mma.m128n128k16.d.f32", "D", 128, 128),
    ("tcgen05.mma.m128n96k16.d.f32", "D", 128, 96),
    ("tcgen05.mma.m64n64k16.d.f32", "F", 64, 64),
    ("tcgen05.mma.ws.m64n128k16.d.f32", "E", 64, 128),
    ("tcgen05.mma.ws.m32n128k16.d.f32", "G", 32, 128),
    ("tcgen05.mma.ws.m128n64k16.d.f32", "D", 128, 64),
    ("tcgen05.mma.cta2.m256n64k16.d.f32", "A", 256, 64),
    ("tcgen05.mma.cta2.m128n64k16.d.f32", "B", 128, 64),
    ("tcgen05.mma.cta2.m128n96k16.d.f32", "B", 128, 96),
    ("tcgen05.mma.cta2.sp.m128n64k32.d.f32", "C", 128, 64),
    ("tcgen05.mma.m128n64k16.d.f16", "D", 128, 64),
    ("tcgen05.mma.m64n64k32.d.f16", "F", 64, 64),
]


def simulate_one(part, layout, memory, shape, repeats, packed):
    """How many registers of one load the program has wrong."""
    address, wrong = part["address"], 0
    cta = memory[part.get("cta", 0)]
    for warp in range(4):
        loaded = load(shape, repeats, cta, 32 * warp + address["lane"], address["column"], packed)
        for thread in range(32):
            wrong += part["map"][32 * warp + thread] != loaded[thread]
    return wrong + (layout in "FC" and address["lane"] != 0)


def simulate(mapping):
    chosen, number = set(sample(range(1000), 13)), -1
    for name, layout, rows, width in OPERANDS:
        memory = fill(layout, rows, width)
        columns = 1 + max(column for lanes in memory for lane in lanes for column, held in enumerate(lane) if held)
        for shape, packed, repeats in itertools.product(REGISTERS, [False, True][:1 + name.endswith("f16")], [1, 4, 16]):
            number += 1
            if number not in chosen:
                continue
            each = COLUMNS_OF[shape] * (2 if packed else 1)
            move = f"tcgen05.ld.{shape}.x{repeats}" + (".pack::16b" if packed else "")
            parts = shown(mapping, name, move)
            fits = columns % (each * repeats) == 0 and not (shape == "32x32b" and layout in "FC")
            if not fits or isinstance(parts, str):
                yield f"{name} {move}", int(fits or not isinstance(parts, str))
                continue
            halves = 1 if shape == "32x32b" or layout in "FC" else 2
            expected = columns // (each * repeats) * halves * len(memory)
            wrong = sum(simulate_one(part, layout, memory, shape, repeats, packed) for part in parts)
            # all of D, each element once
            held = [tuple(place) for part in parts for thread in part["map"] for place in thread]
            wrong += len(parts) != expected or len(held) != rows * width or len(set(held)) != rows * width
            yield f"{name} {move}", wrong


# ---- Formulae ----


def of_16_lanes(shape):
    """Row among 32 lanes and column, as functions of tid, i, and the lane of the address."""
    return {
        "16x64b": (lambda t, i, h: ((t & 28) >> 2) + ((t & 1) << 3) + h, lambda t, i: ((t >> 1) & 1) + (i << 1)),
        "16x128b": (lambda t, i, h: ((t & 28) >> 2) + ((i & 1) << 3) + h, lambda t, i: (t & 3) + ((i >> 1) << 2)),
        "16x256b": (lambda t, i, h: ((t & 28) >> 2) + ((i & 2) << 2) + h,
                    lambda t, i: (i & 1) + ((t & 3) << 1) + ((i >> 2) << 3)),
    }[shape]


def formulae(mapping):
    cases = []

    def case(name, move, expected):
        cases.append((name, move, expected))

    case("tcgen05.mma.m128n128k16.d.f32", "tcgen05.ld.32x32b.x32", lambda c0, h, c, t, i: (t, c0 + i))
    case("tcgen05.mma.m128n256k8.d.f32", "tcgen05.ld.32x32b.x128", lambda c0, h, c, t, i: (t, c0 + i))
    case("tcgen05.mma.cta2.m256n128k16.d.f32", "tcgen05.ld.32x32b.x64", lambda c0, h, c, t, i: (t + 128 * c, c0 + i))
    for shape, repeats in (("16x64b", 8), ("16x128b", 4), ("16x256b", 2)):
        row, col = of_16_lanes(shape)
        case("tcgen05.mma.m128n64k16.d.f32", f"tcgen05.ld.{shape}.x{repeats}",
             lambda c0, h, c, t, i, row=row, col=col: (row(t, i, h) + (t & 96), c0 + col(t, i)))
        case("tcgen05.mma.m64n64k16.d.f32", f"tcgen05.ld.{shape}.x{repeats}",
             lambda c0, h, c, t, i, row=row, col=col: (row(t, i, h) + ((t & 96) >> 1), c0 + col(t, i)))
    case("tcgen05.mma.m128n64k16.d.f32", "tcgen05.ld.16x32bx2.x16",
         lambda c0, h, c, t, i: ((t & 15) + h + (t & 96), c0 + i + 16 * (t >> 4 & 1)))
    case("tcgen05.mma.m64n64k16.d.f32", "tcgen05.ld.16x32bx2.x32",
         lambda c0, h, c, t, i: ((t & 15) + ((t & 96) >> 1), i + 32 * (t >> 4 & 1)))
    case("tcgen05.mma.ws.m64n128k16.d.f32", "tcgen05.ld.32x32b.x32",
         lambda c0, h, c, t, i: (t & 63, c0 + i + 64 * (t >> 6)))
    case("tcgen05.mma.cta2.m128n128k16.d.f32", "tcgen05.ld.32x32b.x32",
         lambda c0, h, c, t, i: ((t & 63) + 64 * c, c0 + i + 64 * (t >> 6)))
    case("tcgen05.mma.cta2.m128n96k16.d.f32", "tcgen05.ld.32x32b.x16",
         lambda c0, h, c, t, i: ((t & 63) + 64 * c, c0 + i + 48 * (t >> 6)))
    case("tcgen05.mma.ws.m32n64k16.d.f32", "tcgen05.ld.32x32b.x16",
         lambda c0, h, c, t, i: (t & 31, c0 + i + 16 * (t >> 5)))
    case("tcgen05.mma.m128n64k16.d.f16", "tcgen05.ld.32x32b.x16.pack::16b", lambda c0, h, c, t, i: (t, c0 + i))
    # A, as registers must be filled: K is packed in a row of 32-bit columns, 9.7.16.10.4
    case("tcgen05.mma.m128k16.a.f16", "tcgen05.st.32x32b.x8", lambda c0, h, c, t, i: (t, i))
    case("tcgen05.mma.m128k32.a.e4m3", "tcgen05.st.32x32b.x4", lambda c0, h, c, t, i: (t, 4 * c0 + i))
    case("tcgen05.mma.m128k96.a.e2m1", "tcgen05.st.32x32b.x4", lambda c0, h, c, t, i: (t, 8 * c0 + i))
    case("tcgen05.mma.m64k8.a.tf32", "tcgen05.st.16x256b.x1",
         lambda c0, h, c, t, i: (((t & 28) >> 2) + ((i & 2) << 2) + ((t & 96) >> 1), (i & 1) + ((t & 3) << 1)))
    case("tcgen05.mma.cta2.m128k16.a.f16", "tcgen05.st.32x32b.x8", lambda c0, h, c, t, i: ((t & 63) + 64 * c, i))
    for name, move, expected in cases:
        parts = shown(mapping, name, move)
        if isinstance(parts, str):
            yield f"{name} {move}: {parts}", 1
            continue
        wrong = 0
        for part in parts:
            at, cta = part["address"], part.get("cta", 0)
            for tid, held in enumerate(part["map"]):
                wrong += held != [list(expected(at["column"], at["lane"], cta, tid, i)) for i in range(len(held))]
        yield f"{name} {move}", wrong


# ---- What was seen on hardware ----


def wgmma(mapping, recorded):
    for width in (8, 64, 256):
        parts = shown(mapping, f"tcgen05.mma.m64n{width}k16.d.f32", "tcgen05.ld.16x256b")
        mine = parts[0]["formulae"] if len(parts) == 1 else {}
        lines = records.read_all(recorded)[f"wgmma.m64n{width}k16.d.f32", 90][1].split("\n")
        seen = {axis: next(line for line in lines if line.startswith(axis.capitalize() + ": return "))
                for axis in ("row", "col")}
        yield f"wgmma.m64n{width}k16.d.f32", sum(
            seen[axis] != f"{axis.capitalize()}: return {mine.get(axis)};" for axis in seen)


# ---- Headers ----

PROGRAM = """#include "loads.h"
#include <stdio.h>
int main(void) {
    for (unsigned cta = 0; cta < CTAS; cta++)
        for (unsigned load = 0; load < LOADS; load++)
            for (unsigned tid = 0; tid < 128; tid++)
                for (unsigned i = 0; i < ELEMENTS; i++) {
                    unsigned row = NAME_row(ARGUMENTS), col = NAME_col(ARGUMENTS);
                    printf("%u %u %d\\n", row, col, BACK);
                }
    return 0;
}
"""


def header_of(mapping, name, move, parts, compiler, folder):
    """The results of the header's functions: [row, col] by CTA, load, thread and element; and whether they
    invert."""
    loads, ctas = parts[0]["loads"], parts[0].get("ctas", 1)
    with open(f"{folder}/loads.h", "w", encoding="utf-8") as file:
        file.write(command(mapping, "--format=cuda", name, "--with=" + move).stdout)
    used = ["cta"] * (ctas > 1) + ["load"] * (loads > 1) + ["tid", "i"]
    function = "mapping_" + "".join(c if c.isalnum() else "_" for c in name + "_by_" + move.split(".", 1)[1])
    text = PROGRAM.replace("BACK", " && ".join(f"{function}_{axis}(row, col) == {axis}" for axis in used))
    text = text.replace("NAME", function).replace("ARGUMENTS", ", ".join(used)).replace("CTAS", str(ctas))
    text = text.replace("LOADS", str(loads)).replace("ELEMENTS", str(parts[0]["elements"]))
    source = f"{folder}/program." + ("cpp" if "++" in compiler[0] else "c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-o", f"{folder}/program", source], check=True)
    done = subprocess.run([f"{folder}/program"], capture_output=True, text=True, check=True)
    return [[int(number) for number in line.split()] for line in done.stdout.splitlines()]


def header(mapping, *compiler):
    for name, move in (
        ("tcgen05.mma.m128n64k16.d.f32", "tcgen05.ld.32x32b.x32"),
        ("tcgen05.mma.m128n96k16.d.f32", "tcgen05.ld.16x256b.x4"),
        ("tcgen05.mma.m64n32k16.d.f32", "tcgen05.ld.16x64b.x16"),
        ("tcgen05.mma.cta2.m256n32k16.d.f32", "tcgen05.ld.16x128b.x4"),
        ("tcgen05.mma.cta2.m128n96k16.d.f32", "tcgen05.ld.32x32b.x16"),
        ("tcgen05.mma.m128n32k16.d.f16", "tcgen05.ld.32x32b.x8.pack::16b"),
        ("tcgen05.mma.m128k16.a.f16", "tcgen05.ld.32x32b.x4"),
    ):
        parts = shown(mapping, name, move)
        with tempfile.TemporaryDirectory() as folder:
            said = header_of(mapping, name, move, parts, compiler, folder)
        expected = [[*place, 1] for part in parts for thread in part["map"] for place in thread]
        yield f"{name} {move}", int(said != expected)


def main():
    mapping, kind, *files = sys.argv[1:]
    cases = wrong = 0
    kinds = {"formulae": formulae, "simulate": simulate, "wgmma": wgmma, "header": header}
    for name, count in kinds[kind](mapping, *files):
        cases += 1
        wrong += count > 0
        print(name, count, "wrong")
    print(f"{cases} cases, {wrong} wrong")


main()
