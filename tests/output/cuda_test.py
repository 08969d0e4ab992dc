"""Compiles headers of --format=cuda and compares every function with the maps of --format=json.

    cuda_test.py MAPPING < CASES     prints TAP; a case is a line: NAME: [--style=STYLE] ARCH[,ARCH]... FRAGMENT...

A line is quoted as in a shell. The fragments are patterns and options of tiles. The header is compiled as C99 and, with THOROUGH=1 or if there are few
fragments, as C++, with all warnings as errors, included twice. The program that includes it has the maps of JSON. It
calls every function at every entry, both ways, and copies a matrix into the order of the fragment and back. CC and CXX
are the compilers.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from tap import finish, ok, one_in, sample  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
COMPILERS = {
    "C99": [os.environ.get("CC", "cc"), "-std=c99", *WARNINGS],
    "C++": [os.environ.get("CXX", "c++"), "-x", "c++", "-std=c++11", *WARNINGS],
}


def run(program, *arguments):
    return output(program, *arguments, statuses=(0, 4))


def tile_name(tiling):
    words = re.findall(r"permutation|\d+|_", tiling)
    return "".join(["_tile"] + [{"permutation": "_by", "_": "_x"}.get(word, f"_{word}") for word in words]) if tiling else ""


def layouts(program, arguments):
    """What JSON has, a list of objects; (arch, name as C has it) once each."""
    found = json.loads(run(program, "--format=json", *arguments))
    unique = {}
    for layout in found if isinstance(found, list) else [found]:
        name = re.sub(r"\W", "_", layout["fragment"]) + tile_name(layout.get("tiling", ""))
        unique.setdefault((layout["arch"], name), layout)
    return unique


def array(name, numbers):
    return f"static const unsigned {name}[] = {{{','.join(map(str, numbers))}}};\n"


def inverse_of(layout):
    """For each place, copy by copy, the number of the entry that is there."""
    holders = {}
    elements = layout["elements"]
    for tid, row in enumerate(layout["map"]):
        for i, place in enumerate(row):
            holders.setdefault(tuple(place), []).append(tid * elements + i)
    return holders


def test_of(number, name, suffix, layout):
    """A function in C that returns how many of the header's answers are wrong."""
    axes, elements, copies = layout["coordinates"], layout["elements"], layout["copies"]
    flat = [place for row in layout["map"] for place in row]
    text = "".join(array(f"{axis}_{number}", [place[c] for place in flat]) for c, axis in enumerate(axes))
    holders = inverse_of(layout)
    if len(set(map(len, holders.values()))) != 1 or len(next(iter(holders.values()))) != copies:
        sys.exit(f"{name}: JSON's copies do not fit its map")
    copy = {n: c for entries in holders.values() for c, n in enumerate(entries)}
    if copies > 1:
        text += array(f"copy_{number}", [copy[n] for n in range(len(flat))])
    place = ", ".join(f"{axis}_{number}[n]" for axis in axes) + (f", copy_{number}[n]" if copies > 1 else "")
    prefix, capitals = f"mapping_{name}", f"MAPPING_{name.upper()}"
    sizes = {"ROWS": layout["rows"], "COLS": layout["cols"], "THREADS": layout["threads"], "ELEMENTS": elements, "COPIES": copies}
    if "blocks" in layout:
        sizes["BLOCKS"] = layout["blocks"]
    text += f"static unsigned test_{number}(void) {{\n    unsigned wrong = 0, n;\n"
    text += f"    for (n = 0; n < {len(flat)}; n++) {{\n        unsigned tid = n / {elements}, i = n % {elements};\n"
    for axis in axes:
        text += f"        wrong += {prefix}_{axis}{suffix}(tid, i) != {axis}_{number}[n];\n"
    text += f"        wrong += {prefix}_tid{suffix}({place}) != tid;\n        wrong += {prefix}_i{suffix}({place}) != i;\n    }}\n"
    text += "".join(f"    wrong += {capitals}_{size} != {value};\n" for size, value in sizes.items())
    stride, rows = layout["cols"] + 3, layout["rows"] * layout.get("blocks", 1)
    row = f"row_{number}[n]" + (f" + block_{number}[n] * {layout['rows']}" if "blocks" in layout else "")
    text += f"""    {{
        static unsigned matrix[{rows * stride}], back[{rows * stride}], ordered[{len(flat)}];
        for (n = 0; n < {rows * stride}; n++)
            matrix[n] = n + 1;
        {prefix}_to_order{suffix}(ordered, matrix, {stride}, sizeof *matrix);
        for (n = 0; n < {len(flat)}; n++)
            wrong += ordered[n] != ({row}) * {stride}u + col_{number}[n] + 1;
        {prefix}_from_order{suffix}(back, ordered, {stride}, sizeof *matrix);
        for (n = 0; n < {rows * stride}; n++)
            wrong += back[n] != (n % {stride} < {layout['cols']} ? n + 1 : 0);
    }}
"""
    return text + "    return wrong;\n}\n"


def suffixes(found):
    """The layouts that need functions of their own, and how these end."""
    groups = {}
    for (arch, name), layout in found.items():
        groups.setdefault(name, []).append((arch, layout))
    for name, members in groups.items():
        differ = any(layout["map"] != members[0][1]["map"] for _, layout in members)
        seen = []
        for arch, layout in members:
            if layout["map"] not in seen:
                seen.append(layout["map"])
                yield name, f"_{arch}" if differ else "", layout


def try_case(program, title, *arguments):
    style = [word for word in arguments if word.startswith("--style=")]
    archs, *fragments = [word for word in arguments if word not in style]
    asked = [f"--arch={archs}", *fragments]
    cases = sample(suffixes(layouts(program, asked)), 11)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/header.h", "w") as file:
            file.write(run(program, "--format=cuda", "--order", *style, *asked))
        with open(f"{folder}/test.c", "w") as file:
            file.write('#include "header.h"\n#include "header.h"\n#include <stdio.h>\n')
            for number, (name, suffix, layout) in enumerate(cases):
                file.write(test_of(number, name, suffix, layout))
            file.write("int main(void) {\n    unsigned wrong;\n")
            for number, (name, suffix, _) in enumerate(cases):
                file.write(f'    wrong = test_{number}();\n    if (wrong)\n        printf("{name}{suffix}: %u wrong\\n", wrong);\n')
            file.write('    printf("done\\n");\n    return 0;\n}\n')
        for language, compiler in list(COMPILERS.items())[:2 if one_in(2) == 1 or len(cases) < 3 else 1]:
            built = subprocess.run([*compiler, "-o", f"{folder}/test", f"{folder}/test.c"], capture_output=True, text=True)
            said = subprocess.run([f"{folder}/test"], capture_output=True, text=True).stdout if built.returncode == 0 else ""
            ok(f"{title}: {len(cases)} layouts in {language}", cases and said == "done\n", built.stderr + said)


def main(program):
    for line in sys.stdin:
        title, _, words = line.partition(": ")
        try_case(program, title, *shlex.split(words))
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
