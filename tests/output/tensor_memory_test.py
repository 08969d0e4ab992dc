"""Operands in Tensor Memory, in all formats, compared with the rules of the PTX ISA: python3 tensor_memory_test.py
PROGRAM.

The rules are those of the PTX ISA 9.1, 9.7.16.10.5 (D), 9.7.16.10.4 (A), 9.7.16.10.7 (scale factors). They map the
named axes to the place of an element."""

import ast
import csv
import itertools
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap  # noqa: E402
from library import command  # noqa: E402

PROGRAM = sys.argv[1]

# Name: sizes of the source, names of the target, rule.
ROW_COL = ("row", "col")
RULES = {
    "tcgen05.mma.m128n16k16.d.f32": (
        ROW_COL, (128, 16), ("lane", "column"), lambda r, c: (r, c)),
    "tcgen05.mma.m64n24k8.d.f32": (
        ROW_COL, (64, 24), ("lane", "column"), lambda r, c: (r % 16 + 32 * (r // 16), c)),
    "tcgen05.mma.ws.m32n64k16.d.f32": (
        ROW_COL, (32, 64), ("lane", "column"), lambda r, c: (r + 32 * (c // 16), c % 16)),
    "tcgen05.mma.cta2.m256n32k16.d.f32": (
        ROW_COL, (256, 32), ("cta", "lane", "column"), lambda r, c: (r // 128, r % 128, c)),
    "tcgen05.mma.cta2.m128n48k16.d.f32": (
        ROW_COL, (128, 48), ("cta", "lane", "column"), lambda r, c: (r // 64, r % 64 + 64 * (c // 24), c % 24)),
    "tcgen05.mma.m128k16.a.f16": (
        ROW_COL, (128, 16), ("lane", "column", "bit"), lambda r, c: (r, c // 2, 16 * (c % 2))),
    "tcgen05.mma.m128k32.a.e2m1": (
        ROW_COL, (128, 32), ("lane", "column", "bit"), lambda r, c: (r, c // 4, 8 * (c % 4) + 2)),
    "tcgen05.mma.m128k64.sfa.2x.ue8m0": (
        ROW_COL + ("copy", "id"), (128, 2, 4, 2), ("lane", "column", "bit"),
        lambda r, c, copy, i: (r % 32 + 32 * copy, r // 32, 8 * c + 16 * i)),
    "tcgen05.mma.m128n32k64.sfb.4x.ue4m3": (
        ROW_COL + ("copy",), (4, 32, 4), ("lane", "column", "bit"),
        lambda r, c, copy: (c % 32 + 32 * copy, c // 32, 8 * r)),
}
PLURALS = {"lane": "lanes", "column": "columns", "cta": "ctas", "bit": "column_bits"}


def run(*arguments):
    return command(PROGRAM, "--arch=sm_100", *arguments)


def without_twins(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), f"twice: {[key for key, _ in pairs]}"
    return dict(pairs)


def points(sizes):
    return list(itertools.product(*map(range, sizes)))


def check_json(name, axes, sizes, names, rule):
    report = json.loads(run(name, "--format=json").stdout, object_pairs_hook=without_twins)
    assert report["inputs"] == list(axes) and report["coordinates"] == list(names), report["inputs"]
    for point in points(sizes):
        entry = report["map"]
        for place in point:
            entry = entry[place]
        assert tuple(entry) == rule(*point), (point, entry)
    for axis, size in zip(names, map(max, zip(*(rule(*point) for point in points(sizes))))):
        assert report[PLURALS[axis]] > size, axis
    assert report["confirmed"] is None and "threads" not in report


def check_csv(name, axes, sizes, names, rule):
    rows = list(csv.DictReader(run(name, "--format=csv").stdout.splitlines()))
    assert list(rows[0]) == ["arch", "fragment", *axes, *names, "source"], list(rows[0])
    found = {tuple(int(row[axis]) for axis in axes): tuple(int(row[axis]) for axis in names) for row in rows}
    assert found == {point: rule(*point) for point in points(sizes)}


def check_text(name, axes, sizes, names, rule):
    text = run(name, "--whole").stdout.split("\nFormulae:")[0]
    grids = len(names)
    which, row, met = {}, 0, 0
    for line in text.splitlines():
        outer = re.fullmatch(r"# (\w+) (\d+) (?:of \d+|\(of 0 to \d+\))", line)
        if outer:
            which[outer[1]] = int(outer[2])
        elif line.endswith(":"):
            row = 0
        elif re.fullmatch(r"[\d ]+", line):
            numbers, cols = list(map(int, line.split())), sizes[1]
            assert len(numbers) == grids * cols, line
            for col in range(cols):
                place = tuple(numbers[(grids - 1 - g) * cols + col] for g in range(grids))
                assert place == rule(row, col, *(which[axis] for axis in axes[2:])), (row, col, place)
            row, met = row + 1, met + cols
    assert met == len(points(sizes)), met


def check_markdown(name, axes, sizes, names, rule):
    text, which, met = run(name, "--format=markdown", "--whole").stdout, {}, 0
    for line in text.splitlines():
        for axis, number in re.findall(r"(\w+) (\d+) (?:of \d+|\(of 0 to \d+\)), ", line):
            which[axis] = int(number)
        row = re.match(r"\| \*\*(\d+)\*\* \|(.*)\|$", line)
        for col, cell in enumerate(row[2].split("|") if row else []):
            place = tuple(map(int, cell.strip().split(":")))
            assert place == rule(int(row[1]), col, *(which[axis] for axis in axes[2:])), (line[:60], place)
            met += 1
    assert met == len(points(sizes)), met


def check_svg(name, axes, sizes, names, rule):
    svg = run(name, "--format=svg", "--whole").stdout
    said = sorted(re.findall(r">(\d+(?:,\d+)+)<", svg))
    assert said == sorted(",".join(map(str, rule(*point))) for point in points(sizes)), (len(said), said[:3])
    assert f"Each cell shows {','.join(names)}.\nColors show the lane." in svg


def evaluate_cute(layout, point):
    """The number that a layout of CuTe, its shape and its stride, gives; each mode's digits, the first lowest, times strides."""
    shape, stride = layout

    def crossed(size, step, digit):
        if isinstance(size, int):
            return digit % size * step, digit // size
        total = 0
        for s, d in zip(size, step):
            part, digit = crossed(s, d, digit)
            total += part
        return total, digit
    return sum(crossed(s, d, digit)[0] for s, d, digit in zip(shape, stride, point))


def check_cute(name, axes, sizes, names, rule):
    *_, said, layout = run(name, "--format=cute").stdout.splitlines()
    if any(rule(*(0 for _ in sizes))):  # no layout of CuTe's begins elsewhere than at 0
        assert layout == "# no layout in CuTe's algebra", layout
        return
    formula = re.fullmatch(r"# from \(" + ", ".join(axes) + r"\) to (.*)", said)[1]
    formula, halves = tap.compiled(formula), [ast.literal_eval(half) for half in layout.split(":")]
    for point in points(sizes):
        expected = eval(formula, {"__builtins__": {}}, dict(zip(names, rule(*point))))
        assert evaluate_cute(halves, point) == expected, (layout, point, expected)


def check_questions(name, axes, sizes, names, rule):
    row, col = sizes[0] - 3, sizes[1] - 1
    asked = [point for point in points(sizes) if point[:2] == (row, col)]
    answers = json.loads(run(name, f"--at={row},{col}", "--format=json").stdout, object_pairs_hook=without_twins)
    found = {tuple(a[axis] for axis in axes): tuple(a[axis] for axis in names) for a in answers["answers"]}
    assert found == {point: rule(*point) for point in asked}, found
    lane, column = (rule(*asked[-1])[names.index(axis)] for axis in ("lane", "column"))
    back = json.loads(run(name, f"--lane={lane},{column}", "--format=json").stdout)["answers"]
    there = {point for point in points(sizes)
             if dict(zip(names, rule(*point))).items() >= {"lane": lane, "column": column}.items()}
    assert {tuple(a[axis] for axis in axes) for a in back} == there, back


def check_map(name, axes, sizes, names, rule):
    table = run(name, "--format=csv").stdout
    read = subprocess.run([PROGRAM, "--map=-", "--format=json"], input=table, capture_output=True, text=True)
    assert name in json.loads(read.stdout)["same"], read.stdout[-300:] + read.stderr


CHECKS = {"JSON": check_json, "CSV": check_csv, "text": check_text, "Markdown": check_markdown, "SVG": check_svg,
          "CuTe's notation": check_cute, "--at and --lane": check_questions, "--map of its CSV": check_map}
for what, check in CHECKS.items():
    problem = ""
    for name, (axes, sizes, names, rule) in RULES.items():
        try:
            check(name, axes, sizes, names, rule)
        except (AssertionError, ValueError, KeyError, IndexError, TypeError, SyntaxError) as error:
            problem += f"{name}: {type(error).__name__} {error}\n"
    tap.ok(f"{what}: what lies in Tensor Memory is where the PTX ISA says", not problem, problem)
sys.exit(tap.finish())
