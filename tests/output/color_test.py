#!/usr/bin/env python3
"""Compares the grids on a terminal with CSV, and with the grids in a file.

    color_test.py MAPPING

Reads row and column numbers, cells and their colors, on terminals of several widths, and looks for every entry of the
layout at its place, in the color of its thread, element or bank.
"""

import csv
import functools
import io
import itertools
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok, sample  # noqa: E402
from terminal import read_line, show, without_escapes  # noqa: E402

MAPPING = sys.argv[1]
COLORS = 32  # that there are; after as many threads they repeat
# With blocks, copies, elements of all widths, more threads than colors, columns of three digits.
FRAGMENTS = ["-sisa -a90 mma.m16n8k16.d.f32", "-sisa -a90 mma.m16n8k16.a.f16", "-sisa -a70 mma.m8n8k4.d.f16",
             "-sisa -a70 mma.m8n8k4.a.row.f16", "-srecorded -a75 wmma.m16n16k16.a.row.f16",
             "-srecorded -a75 wmma.m8n8k128.a.row.b1", "-sisa -a90 mma.m16n8k32.b.s8",
             "-sisa -a90 ldmatrix.m8n8.x4.r.b16", "-sisa -a90 wgmma.m64n24k16.d.f32", "-sisa -a90 mma.m8n8k4.a.f64",
             "-sisa -a90 mma.sp.m16n8k32.e.f16"]
LAYOUTS = ["(4,8):(8,1)", "(8,32):(40,1)", "Sw<2,3,3>o0o(8,32):(32,1)", "(130,4):(4,1)"]
TITLES = {"Element / ThreadIdx:": 2, "Offset / Bank:": 2, "ThreadIdx:Element:": 1, "Offset:Bank:": 1}


def run(arguments, environment=None):
    variables = {**os.environ, "CUDA_VISIBLE_DEVICES": "", **(environment or {})}
    done = subprocess.run([MAPPING, *arguments.split()], capture_output=True, text=True, env=variables,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def terminal(arguments, columns=80, environment=None, rows=0):
    status, text = show([MAPPING, *arguments.split()], columns, rows, environment)
    assert status == 0, text
    return text


# ---- What should be there ----

@functools.lru_cache(None)
def entries(arguments):
    """[{(row, col): (tid, i)}, ...] of each part; of a matrix in memory offset and bank."""
    parts = {}
    for line in csv.DictReader(io.StringIO(run(arguments + " --format=csv"))):
        part = int(line["copy"] or 0), int(line.get("block") or 0)
        said = (int(line["tid"]), int(line["i"])) if "tid" in line else \
            (int(line["offset"]), int(line["offset"]) * 2 // 4 % 32)  # elements of 2 bytes, banks of 4
        parts.setdefault(part, {})[int(line["row"]), int(line["col"])] = said
    return [parts[part] for part in sorted(parts)]


# ---- The output ----

def grids_of(line):
    """(label, [(word, color), ...]) of each grid in a line; the numbers of columns have "" for a label."""
    characters = read_line(line)
    text = "".join(c for c, _, _ in characters)
    words = [(m.group(), characters[m.start()]) for m in re.finditer(r"[^ ]+", text)]
    is_tinted = any(dim for _, (_, _, dim) in words)
    is_head = all(dim for _, (_, _, dim) in words) if is_tinted else text.lstrip().startswith("|")
    grids = []
    for n, (word, (_, color, dim)) in enumerate(words):
        if is_tinted and dim and not is_head:
            grids.append((word, []))
        elif not is_tinted and word == "|" and is_head:
            grids.append(("", []))
        elif not is_tinted and n + 1 < len(words) and words[n + 1][0] == "|" and not is_head:
            grids.append((word, []))
        elif is_tinted and is_head:
            grids = grids or [("", [])]
            grids[0][1].append((word, color))
        elif word != "|":
            grids[-1][1].append((word, color))
    return grids


def read_parts(text):
    """[{(row, col): ([number, ...], {color, ...})}, ...] of each part of the output."""
    parts, columns, count, is_reversed = [], [], 0, False
    for line in text.split("\n"):
        plain = without_escapes(line)
        labels = re.fullmatch(r" +(Element|Thread|Offset|Bank)(?: +(Thread|Bank))?", plain)
        if labels:  # of grids side by side, or of one of those that stand one above the other
            parts += [{}] if labels[1] in ("Element", "Offset") else []
            count = 2 if labels[2] else 1
            is_reversed = labels[1] in ("Element", "Thread")
        elif plain in TITLES:
            parts.append({})
            count = TITLES[plain]
            is_reversed = plain.startswith("Element")  # the thread is in the second grid
        elif re.match(r"[A-Z#]", plain):
            count = 0
        elif re.match("[a-z]", plain):  # how those that are left out follow
            continue
        elif count > 0 and plain.strip("-+ "):
            grids = grids_of(line)
            if grids[0][0] == "":
                numbers = [int(word) for _, cells in grids for word, _ in cells]
                columns = numbers[:len(numbers) // count]
                assert numbers == columns * count, plain
                continue
            assert len(grids) == count and len({label for label, _ in grids}) == 1, plain
            for _, cells in grids[::-1] if is_reversed else grids:
                assert len(cells) == len(columns), plain
                for col, (word, color) in zip(columns, cells):
                    numbers, colors = parts[-1].setdefault((int(grids[0][0]), col), ([], set()))
                    said = [int(number) for number in word.split(":")]
                    numbers[:] = said + numbers if is_reversed and count == 1 else numbers + said
                    colors.add(color)
    return parts


def numbers_in(parts):
    """The same without colors."""
    return [{place: tuple(numbers) for place, (numbers, _) in part.items()} for part in parts]


def colors_by(parts, number_of, found=None):
    """{number: color}, as found before. Fails where cells of one number, or of both grids, have several."""
    found = {} if found is None else found
    for part in parts:
        for numbers, colors in part.values():
            assert len(colors) == 1, f"{numbers} is tinted with {colors}"
            color = next(iter(colors))
            assert color is not None and found.setdefault(number_of(numbers), color) == color, f"{numbers} is {color}"
    return found


# ---- Tests ----

def attempt(name, test):
    try:
        test()
        ok(name, True)
    except AssertionError as error:
        ok(name, False, str(error))


def in_terminals(*widths):
    """(arguments, options, columns) of everything in terminals of all widths."""
    return sample(itertools.product(FRAGMENTS + LAYOUTS, ("", " --color=never", " --cells", " --cells --color=never"), widths), 11)


def check_places():
    for arguments, options, columns in in_terminals(250, 80, 40, 20, 1):
        found = numbers_in(read_parts(terminal(f"{arguments} --whole{options}", columns)))
        assert found == entries(arguments), f"{arguments}{options} in {columns} columns"
    for arguments in FRAGMENTS + LAYOUTS:
        for options in ("--cells", "--color=always", "--cells --color=always"):
            found = numbers_in(read_parts(run(f"{arguments} --whole {options}")))
            assert found == entries(arguments), f"{arguments} {options} in a file"


def check_width():
    for arguments, options, columns in in_terminals(250, 80, 40, 24):
        for line in without_escapes(terminal(arguments + options, columns)).split("\n"):
            fits = len(line) <= columns or not re.match(r"[-0-9 |]*$", line)
            assert fits, f"{arguments}{options} in {columns} columns: {line}"


def check_threads():
    for environment in ({}, {"COLORTERM": "truecolor"}, {"COLORTERM": "24bit"}):
        kind = 2 if environment else 5
        colors = {}
        for arguments in FRAGMENTS:
            for cells in ("", " --cells"):
                colors_by(read_parts(terminal(arguments + cells, environment=environment)),
                          lambda numbers: numbers[0] % COLORS, colors)
                assert len(set(colors.values())) == len(colors), f"threads of {arguments} share colors"
                assert {color[0] for color in colors.values()} == {kind}, f"{arguments}: {colors}"


def check_elements():
    for arguments, bits in ((FRAGMENTS[1], 16), (FRAGMENTS[6], 8), (FRAGMENTS[0], 32)):
        colors = colors_by(read_parts(terminal(arguments + " --color-by=element")), lambda numbers: numbers[1])
        assert len(set(colors.values())) == len(colors), f"{arguments}, {bits} bits: {colors}"


def check_banks():
    for layout in LAYOUTS:
        for cells in ("", " --cells"):
            parts = read_parts(terminal(layout + cells, environment={"COLORTERM": "truecolor"}))
            colors = colors_by(parts, lambda numbers: numbers[1])
            assert len(set(colors.values())) == len(colors), f"banks of {layout} share colors"
            assert terminal(layout + cells + " --color-by=bank") == terminal(layout + cells), layout


def check_same_colors():
    """One of the 256 colors is near the 24-bit color that it represents."""
    def level(n):
        return 0 if n == 0 else 55 + 40 * n
    arguments = FRAGMENTS[0]
    few = colors_by(read_parts(terminal(arguments)), lambda numbers: numbers[0])
    many = colors_by(read_parts(terminal(arguments, environment={"COLORTERM": "24bit"})), lambda numbers: numbers[0])
    for tid, (_, number) in few.items():
        cube = number - 16
        rgb = (8 + 10 * (number - 232),) * 3 if number >= 232 else \
            (level(cube // 36), level(cube // 6 % 6), level(cube % 6))
        away = max(abs(a - b) for a, b in zip(rgb, many[tid][1:]))
        assert number >= 16 and away <= 95, f"thread {tid}: {rgb} for {many[tid]}"


def titled(text):
    """With the title that a file gets instead of a label above each grid."""
    return re.sub(r"(?m)^ +Element +Thread$", "Element / ThreadIdx:", text)


def sorted_comments(lines):
    """The lines that are no comments, without empty ones, and the comments in alphabetical order."""
    return [line for line in lines if line and line[0] != "#"], sorted(line for line in lines if line[:1] == "#")


def check_files():
    """A terminal also gets labels, and facts such as the packing of elements are below the formulae. Without labels and
    tints, it gets the lines of a file, unless small grids are folded because they do not fit a screen."""
    for arguments in FRAGMENTS:
        lines = []
        for line in titled(terminal(arguments + " --whole --color=never", 2000)).split("\n"):
            if re.match(r"( +\||-+\+)", line):
                continue
            if re.match(r" *\d+ \|", line):
                first, second = [piece.split() for piece in line.split("|")[1:]]
                first.pop()  # the number of the row in the second grid
                line = " ".join(first) + " / " + " ".join(second)
            lines.append(line)
        expected = [re.sub(" +", " ", re.sub("(?<=[0-9]) {9,}", " / ", line.strip())) for line in run(arguments + " --whole").split("\n")]
        assert sorted_comments(lines) == sorted_comments(expected), arguments
        formulae = [n for n, line in enumerate(lines) if ": return" in line]
        packing = [n for n, line in enumerate(lines) if line.startswith("# element i is in register")]
        assert all(n > formulae[-1] for n in packing), f"{arguments}: the packing stands above the formulae"
        assert lines[0][0] == "#" and lines[1].startswith("# source:"), f"{arguments}: the name and the source stand first"


def check_when():
    arguments = FRAGMENTS[0]
    tinted, plain = terminal(arguments), terminal(arguments + " --color=never")
    assert "\033[" in tinted and "\033[" not in plain and "---+-" in plain
    assert without_escapes(tinted) != plain
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}, {"TERM": ""}):
        assert terminal(arguments, environment=environment) == plain, environment
    assert terminal(arguments, environment={"NO_COLOR": ""}) == tinted, "an empty NO_COLOR is none"
    everywhere = {"NO_COLOR": "1", "TERM": "dumb"}
    assert terminal(arguments + " --color=always", environment=everywhere) == tinted, "always is always"
    assert run(arguments + " --color=always", {"COLORTERM": ""}) == titled(tinted), "a file gets what a terminal gets"
    file = run(arguments)
    for options in ("", " --color=auto", " --color=never"):
        for environment in ({}, {"COLORTERM": "truecolor", "TERM": "xterm"}, {"NO_COLOR": "1"}):
            assert run(arguments + options, environment) == file, f"{options} {environment}"
    assert "\033" not in file and "|" not in "".join(line for line in file.split("\n") if ":" not in line)


def check_sequences():
    """Adjacent cells of one color share one sequence; nothing follows the last reset of a line."""
    for arguments in FRAGMENTS[:4] + LAYOUTS[:2]:
        for line in terminal(arguments).split("\n"):
            assert not re.search(r"\033\[0m +$", line), repr(line)
            backgrounds = [color for _, color, _ in read_line(line) if color]
            changes = sum(1 for n, color in enumerate(backgrounds) if n == 0 or backgrounds[n - 1] != color)
            assert len(re.findall(r"48;[25];", line)) <= changes + 1, repr(line)


def check_results():
    """Output that is meant to be read by the program has no colors."""
    results = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results", "ldmatrix.txt")
    arguments = f"-sisa --confirm={results}"
    plain = run(arguments)
    assert "Element / ThreadIdx:\n 0 " in plain
    assert run(arguments + " --color=always") == plain == terminal(arguments)


def check_other_formats():
    for name in ("json", "csv", "markdown", "cuda"):
        arguments = f"{FRAGMENTS[0]} --format={name}"
        assert run(arguments + " --color=always") == run(arguments) == terminal(arguments), name


attempt("every entry stands where its labels say, in terminals of all widths", check_places)
attempt("grids fit the terminal with their labels", check_width)
attempt("cells have the color of their thread in both grids, and no other thread of 32 has it", check_threads)
attempt("elements of a thread differ in color if that is asked for", check_elements)
attempt("matrices in memory are tinted by bank", check_banks)
attempt("terminals of 256 colors get nearly the same ones", check_same_colors)
attempt("without labels it is what a file gets", check_files)
def check_rules():
    """Without colors, lines have rules: the + of a rule is above every |, in each of the grids side by side."""
    for arguments in ("--arch=80 mma.m8n8k4.a.f64", "--arch=80 mma.m16n8k16.d.f32", "--arch=100 tcgen05.ld.16x64b.x1.r.b32",
                      "(4,4):(4,1)"):
        lines = terminal(arguments, columns=200, environment={"NO_COLOR": "1"}).split("\n")
        at = next(n for n, line in enumerate(lines) if re.fullmatch(r"[-+ ]*-\+-[-+ ]*", line))
        rule, rows = lines[at], [lines[at - 1]] + [line for line in lines[at + 1:at + 5] if line]
        places = [n for n, letter in enumerate(rule) if letter == "+"]
        for row in rows:
            assert [n for n, letter in enumerate(row) if letter == "|"] == places, (arguments, rule, row)
            assert len(row.rstrip()) <= len(rule) <= len(row.rstrip()) + 1, (arguments, rule, row)


attempt("rules stand under numbers and over rows", check_rules)
attempt("--color, NO_COLOR and TERM say when", check_when)
attempt("neighbours share escape sequences, and lines end clean", check_sequences)
attempt("what --confirm prints is what results files have, on a terminal too", check_results)
attempt("other formats ignore --color", check_other_formats)
sys.exit(finish())
