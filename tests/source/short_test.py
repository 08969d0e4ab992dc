"""Checks results/short.txt.

    short_test.py short.txt               prints a C program that evaluates all lines; reports malformed lines
    short_test.py short.txt SHORT.json    fails if JSON of --style=short has an expression that is not in a line
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import sample  # noqa: E402

LINE = re.compile(r"\[([^\]]*)\] (.*) = (.*); (\d+) operators?, (not )?proved\Z")
WORD = re.compile(r"\d+|[a-z]+|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^~!<>()]")


def read_lines(path):
    with open(path) as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    if lines != sorted(set(lines), key=str.encode):
        sys.exit("the lines are not in ascending order")
    return [(line, LINE.match(line) or sys.exit(f"no line: {line}")) for line in lines]


def count_operators(text):
    words = WORD.findall(text)
    if "".join(words) != text.replace(" ", ""):
        sys.exit(f"no expression: {text}")
    return sum(not re.match(r"\w|[()]", word) for word in words)


def axes_of(match):
    return [(name, int(size)) for name, size in (axis.split() for axis in match.group(1).split(", "))]


def print_program(lines):
    print("#include <stdio.h>\nint main(void) {\n    long wrong = 0;")
    for line, match in lines:
        short, operators = match.group(3), int(match.group(4))
        if count_operators(short) != operators:
            sys.exit(f"{count_operators(short)} operators: {line}")
        if any(int(number) > 255 for number in re.findall(r"\d+", short)):
            sys.exit(f"a constant above 255: {line}")
    for line, match in sample(lines, 5):
        formula, short = match.group(2), match.group(3)
        for kind in ("int", "unsigned"):
            axes = axes_of(match)
            loops = "".join(f"for ({kind} {name} = 0; {name} < {size}; {name}++) " for name, size in axes)
            used = "".join(f"(void){name}; " for name, _ in axes)
            print(f"    {loops}{{ {used}wrong += (long)({formula}) != (long)({short}); }}")
    print('    if (wrong)\n        printf("%ld wrong\\n", wrong);\n    puts("done");\n    return 0;\n}')


def check_catalogue(lines, path):
    known = {(match.group(1), match.group(3)) for _, match in lines}
    with open(path) as file:
        layouts = json.load(file)
    for layout in layouts:
        places = [(axis, layout[{"row": "rows", "col": "cols", "block": "blocks"}[axis]]) for axis in layout["coordinates"]]
        forward = [("tid", layout["threads"]), ("i", layout["elements"])]
        for axes, side in ((forward, "formulae"), ([*places, ("copy", layout["copies"])], "inverse")):
            space = ", ".join(f"{name} {size}" for name, size in axes if size > 1)
            for axis, short in layout[side].items():
                if short and (space, short) not in known and (space.replace("copy", "selector"), short.replace("copy", "selector")) not in known:
                    sys.exit(f"{layout['fragment']}: no line has [{space}] {short}; run make prove")


if len(sys.argv) > 2:
    check_catalogue(read_lines(sys.argv[1]), sys.argv[2])
else:
    print_program(read_lines(sys.argv[1]))
