#!/usr/bin/env python3
"""Compares the output for matrices in memory with the meaning of the notation, and the formats with each other.

    smem_matrix_test.py MAPPING formats          every format of many layouts has the offsets of the notation
    smem_matrix_test.py MAPPING pictures FILE    pictures by address equal those of FILE, see visualize_layout.txt

CuTe's notation is evaluated here from its definition: the row number is divided by the sizes of the row modes, the
leftmost first, and each digit is multiplied by its stride; the same for columns; all products are added. Sw<b,m,s> then
combines the b bits from bit m + s on into those from bit m on, by exclusive or. Prints a line for each error, and the
number of correct results.
"""

import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from tap import compiled, one_in  # noqa: E402

mapping = sys.argv[1]
CC = os.environ.get("CC", "cc")


def run(*arguments, stdin=None):
    if stdin is None:
        return output(mapping, *arguments, statuses=(0, 4))
    done = subprocess.run([mapping, *arguments], capture_output=True, text=True, input=stdin)
    if done.returncode not in (0, 4):
        sys.exit(f"{arguments}: status {done.returncode}, {done.stderr}")
    return done.stdout


# ---- The meaning of the notation ----

def flat(modes):
    return [leaf for mode in modes for leaf in flat(mode)] if isinstance(modes, tuple) else [modes]


def offset_of(shapes, strides, swizzle, place):
    total = 0
    for shape, stride, number in zip(shapes, strides, place):
        for size, step in zip(flat((shape,)), flat((stride,))):
            total += number % size * step
            number //= size
    bits, base, shift = swizzle or (0, 0, 0)
    return total ^ (total >> shift & ((1 << bits) - 1) << base)


def product(shape):
    total = 1
    for size in flat((shape,)):
        total *= size
    return total


def meaning(text):
    """[row][col] = offset; with a third mode a list of such, one for each stage."""
    swizzle = re.match(r"Sw<(\d+),(\d+),(\d+)> o 0 o ", text)
    shapes, strides = map(eval, (text[swizzle.end():] if swizzle else text).split(":"))
    swizzle = tuple(map(int, swizzle.groups())) if swizzle else None
    sizes = [product(shape) for shape in shapes]
    stages = sizes[2] if len(sizes) > 2 else 1
    found = [[[offset_of(shapes, strides, swizzle, (row, col, stage)) for col in range(sizes[1])]
              for row in range(sizes[0])] for stage in range(stages)]
    return found if len(sizes) > 2 else found[0]


# ---- Formats ----

LAYOUTS = [
    "(64,64):(64,1)", "(64,64):(1,64)", "(64,64):(72,1)", "(64,64):(1,66)", "(16,32):(40,1)", "(5,7):(1,6)",
    "(1,8):(8,1)", "(8,1):(1,8)", "(24,40):(40,1)", "Sw<3,3,3> o 0 o (64,64):(64,1)", "Sw<2,3,3> o 0 o (32,32):(32,1)",
    "Sw<1,0,3> o 0 o (8,8):(1,8)", "Sw<2,3,3> o 0 o ((8,2,2,2),4):((1,64,32,128),8)", "((8,4),(8,4)):((8,256),(1,64))",
    "((2,3),(4,5)):((4,40),(1,8))", "(16,16,3):(16,1,256)", "(16,16,4):(24,1,384)", "(8,6,5):(1,8,48)",
    "Sw<2,2,3> o 0 o (16,16,4):(16,1,256)", "(3,5):(13,2)",
]


def random_layout(random_):
    """Modes of chance, in an order of chance, with no two elements at one offset."""
    leaves = [random_.choice((1, 2, 2, 3, 4, 4, 5, 8)) for _ in range(random_.randint(2, 5))]
    order = list(range(len(leaves)))
    random_.shuffle(order)
    strides, step = [0] * len(leaves), 1
    for leaf in order:
        strides[leaf] = step
        step = step * leaves[leaf] + (random_.choice((0, 0, 0, 1, 4)))
    cut = random_.randint(1, len(leaves) - 1)

    def text(numbers):
        return str(numbers[0]) if len(numbers) == 1 else f"({','.join(map(str, numbers))})"
    return f"({text(leaves[:cut])},{text(leaves[cut:])}):({text(strides[:cut])},{text(strides[cut:])})"


def places(table):
    """Yields each place, (stage, row, col) or (row, col), and its offset."""
    deep = isinstance(table[0][0], list)
    for stage, matrix in enumerate(table if deep else [table]):
        for row, line in enumerate(matrix):
            for col, offset in enumerate(line):
                yield ((stage,) if deep else ()) + (row, col), offset


def evaluated(formula, axes, place):
    return eval(compiled(formula), dict(zip(axes, place)))


def check_json(text, table, *options):
    said = json.loads(run("--format=json", *options, text))
    deep = isinstance(table[0][0], list)
    axes = (["stage"] if deep else []) + ["row", "col"]
    matrix = table[0] if deep else table
    offsets = [offset for _, offset in places(table)]
    expected = {"layout": text, "type": "f16", "rows": len(matrix), "cols": len(matrix[0]), "bits": 16, "inputs": axes,
                "coordinates": ["offset"], "map": table, "offsets": max(offsets) + 1, "bytes": 2 * max(offsets) + 2}
    if deep:
        expected["stages"] = len(table)
    for field, value in expected.items():
        if said.get(field) != value:
            return f"JSON's {field}"
    for place, offset in places(table):
        if said["formulae"]["offset"] and evaluated(said["formulae"]["offset"], axes, place) != offset:
            return f"JSON's formula at {place}"
        for axis, value in zip(axes, place):
            if axis in said["inverse"] and evaluated(said["inverse"][axis], ["offset"], [offset]) != value:
                return f"JSON's inverse, {axis} at {offset}"
    # Sizes of 2, 4, 8 ... but of the last of each mode always have a formula: digits are bits.
    shapes = eval(text[text.rindex(" o ") + 3 if " o " in text else 0:].split(":")[0])
    is_binary = all(size & (size - 1) == 0 for shape in shapes for size in flat((shape,))[:-1])
    return "has no formula" if is_binary and not said["formulae"]["offset"] else None


def check_csv(text, table):
    printed = run("--format=csv", text)
    lines = list(csv.DictReader(io.StringIO(printed)))
    axes = [axis for axis in ("stage", "row", "col") if axis in lines[0]]
    if [(tuple(int(line[axis]) for axis in axes), int(line["offset"])) for line in lines] != list(places(table)):
        return "CSV"
    back = json.loads(run("--format=json", "--map=-", stdin=printed))
    if back["inputs"] != axes:
        return "CSV, read back by --map"
    formula = back["formulae"]["offset"]
    if formula and any(evaluated(formula, axes, place) != offset for place, offset in places(table)):
        return "the formula of CSV, read back"
    return None


def check_cute(text, table):
    printed = run("--format=cute", text).splitlines()
    return None if printed[0] == f"# {text}" and meaning(printed[1]) == table else f"CuTe's notation is {printed[1:]}"


def check_answers(text, table, random_):
    for place, offset in random_.sample(list(places(table)), 2):
        said = json.loads(run("--format=json", "--at=" + ",".join(map(str, place[-2:])), text))["answers"]
        if not any(answer["offset"] == offset for answer in said):
            return f"--at {place}"
        said = json.loads(run("--format=json", f"--offset={offset}", text))["answers"]
        if len(said) != 1 or tuple(said[0][axis] for axis in ("stage", "row", "col")[-len(place):]) != place:
            return f"--offset={offset}"
    return None


def check_header(texts, tables):
    """Compiles the headers of all, and calls every function at every element."""
    code, body, functions = "#include <stdio.h>\n", "", []
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, table) in enumerate(zip(texts, tables)):
            header = run("--format=cuda", text)
            with open(f"{folder}/{number}.h", "w") as file:
                file.write(header)
            name = re.search(r"(mapping_\w+)_offset\(", header).group(1)
            deep = 3 if isinstance(table[0][0], list) else 2
            axes = ("stage", "row", "col")[-deep:]
            functions.append([axis for axis in ("offset", *axes) if f"{name}_{axis}(" in header])
            sizes = [len(table), len(table[0]), len(table[0][0])] if deep == 3 else [1, len(table), len(table[0])]
            code += f'#include "{number}.h"\n'
            body += "".join(f"    for ({n} = 0; {n} < {size}; {n}++)" for n, size in zip("src", sizes)) + " {\n"
            body += f"        o = {name}_offset({'s, r, c' if deep == 3 else 'r, c'});\n        printf(\"%u\", o);\n"
            for axis in functions[-1][1:]:
                body += f'        printf(" %u", {name}_{axis}(o));\n'
            body += '        printf("\\n");\n    }\n'
        with open(f"{folder}/test.c", "w") as file:
            file.write(f"{code}int main(void) {{\n    unsigned s, r, c, o = 0;\n{body}    return 0;\n}}\n")
        built = subprocess.run([CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-o",
                                f"{folder}/test", f"{folder}/test.c"], capture_output=True, text=True)
        if built.returncode != 0:
            return built.stderr.splitlines()[:5]
        said = iter(subprocess.run([f"{folder}/test"], capture_output=True, text=True).stdout.splitlines())
    wrong = []
    for text, table, names in zip(texts, tables, functions):
        for place, offset in places(table):
            expected = dict(zip(("stage", "row", "col")[-len(place):], place), offset=offset)
            if next(said).split() != [str(expected[name]) for name in names]:
                wrong.append(f"the header of {text} at {place}")
    return wrong


def formats():
    random_ = random.Random(3)
    texts = list(dict.fromkeys(LAYOUTS + [random_layout(random_) for _ in range(60 // one_in(4))]))
    tables = [meaning(text) for text in texts]
    wrong = check_header(texts, tables)
    for text, table in zip(texts, tables):
        found = [check_json(text, table), check_json(text, table, "--style=divide"), check_csv(text, table),
                 check_cute(text, table), check_answers(text, table, random_)]
        wrong += [f"{text}: {what}" for what in found if what]
    return len(texts), wrong


# ---- Pictures ----

def pictures(path):
    wrong, count, asked, lines = [], 0, None, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("("):
                pieces = re.findall(r"\((\d+\.\.\d+), (\d+)\)", line)
                lines[asked].append([f"({strided}, {contiguous})" for contiguous, strided in pieces])
            elif not line.startswith("#"):
                asked = tuple(line.split())
                lines[asked] = []
    for (text, extent), expected in lines.items():
        said = run(f"--extent={extent}", "--whole", text)
        found = [re.findall(r"\([^)]*\)", line) for line in said.splitlines() if re.match(r" +\d+ \(", line)]
        count += 1
        if found[:len(expected)] != expected or len(found) - len(expected) > 1:
            wrong.append(f"{text} {extent}")
    return count, wrong


judged, mistakes = formats() if sys.argv[2] == "formats" else pictures(sys.argv[3])
print("\n".join([*mistakes[:20], f"{judged} layouts, {len(mistakes)} wrong"]))
sys.exit(len(mistakes) > 0)
