"""Compares JSON with a results file: python3 json_test.py OUTPUT RESULTS."""

import json
import re
import sys


def read_results(path):
    """Yields (name, arch, map[tid][i], formulae) of each section, read from its grids."""
    for section in re.split(r"\n\n(?=# wmma)", open(path).read()):
        head, *lines = section.split("\n")
        name, arch = re.fullmatch(r"# (\S+) on (\S+)", head).groups()
        grids = [list(map(int, line.split())) for line in lines if re.fullmatch(r"[\d ]+", line)]
        copies = section.count("Element / ThreadIdx:")
        rows = len(grids) // copies
        entries = {}
        for number, line in enumerate(grids):
            half = len(line) // 2
            for col in range(half):
                entries[line[half + col], line[col]] = [number % rows, col]
        elements = 1 + max(i for _, i in entries)
        layout = [[entries[tid, i] for i in range(elements)] for tid in range(32)]
        formulae = {key: re.search(rf"^{key.title()}: return (.*);$", section, re.M)[1] for key in ("row", "col")}
        yield name, arch, layout, formulae


def check(report, name, arch, layout, formulae):
    assert report["fragment"] == name and report["arch"] == arch
    assert report["source"]["kind"] == "recorded" and report["source"]["evidence"][0]["kind"] == "sass"
    assert report["coordinates"] == ["row", "col"] and report["threads"] == 32
    assert report["map"] == layout
    assert report["formulae"] == formulae
    assert report["copies"] * report["rows"] * report["cols"] == 32 * report["elements"]
    for tid in range(32):
        for i in range(report["elements"]):
            row, col = layout[tid][i]
            assert eval(formulae["row"]) == row and eval(formulae["col"]) == col
            holders = []
            for copy in range(report["copies"]):
                place = {"row": row, "col": col, "copy": copy}
                holders.append(tuple(eval(report["inverse"][key], place) for key in ("tid", "i")))
            assert holders.count((tid, i)) == 1 and len(set(holders)) == report["copies"]


reports = json.load(open(sys.argv[1]))
sections = list(read_results(sys.argv[2]))
assert len(reports) == len(sections) > 0
for report, section in zip(reports, sections):
    check(report, *section)
