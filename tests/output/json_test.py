"""Compares JSON with a results file: python3 json_test.py OUTPUT RESULTS."""

import json
import re
import sys


def read_results(path):
    """Yields (name, arch, map[tid][i], formulae) of each section, read from its grids."""
    for section in re.split(r"\n\n(?=# \w[\w.]* on )", open(path).read()):
        head, *lines = section.split("\n")
        name, arch = re.fullmatch(r"# (\S+) on (\S+)", head).groups()
        blocks = int((re.findall(r"^# block \d+ of (\d+)$", section, re.M) or [1])[0])
        grids = [list(map(int, line.split())) for line in lines if re.fullmatch(r"[\d ]+", line)]
        rows = len(grids) // section.count("Element / ThreadIdx:")
        entries = {}
        for number, line in enumerate(grids):
            half = len(line) // 2
            for col in range(half):
                place = [number // rows % blocks, number % rows, col]
                entries[line[half + col], line[col]] = place if blocks > 1 else place[1:]
        elements = 1 + max(i for _, i in entries)
        threads = 1 + max(tid for tid, _ in entries)
        layout = [[entries[tid, i] for i in range(elements)] for tid in range(threads)]
        formulae = dict(re.findall(r"^(Block|Row|Col): return (.*);$", section, re.M))
        yield name, arch, layout, {key.lower(): text for key, text in formulae.items()}


def check(report, name, arch, layout, formulae):
    blocks = report.get("blocks", 1)
    names = ["block", "row", "col"] if blocks > 1 else ["row", "col"]
    formula = {key: compile(text, key, "eval") for key, text in formulae.items()}
    inverse = {key: compile(report["inverse"][key], key, "eval") for key in ("tid", "i")}
    assert report["fragment"] == name and report["arch"] == arch
    kind = "sass" if name.startswith("wmma") else "isa"
    assert report["source"]["kind"] == "recorded" and report["source"]["evidence"][0]["kind"] == kind
    assert report["coordinates"] == names and report["threads"] == len(layout)
    assert report["map"] == layout
    assert report["formulae"] == formulae
    assert report["copies"] * blocks * report["rows"] * report["cols"] == len(layout) * report["elements"]
    for tid in range(report["threads"]):
        for i in range(report["elements"]):
            element = dict(zip(names, layout[tid][i]))
            assert all(eval(formula[key], {"tid": tid, "i": i}) == element[key] for key in names)
            holders = []
            for copy in range(report["copies"]):
                place = element | {"copy": copy}
                holders.append(tuple(eval(inverse[key], place) for key in ("tid", "i")))
            assert holders.count((tid, i)) == 1 and len(set(holders)) == report["copies"]


reports = json.load(open(sys.argv[1]))
sections = list(read_results(sys.argv[2]))
assert len(reports) == len(sections) > 0
for report, section in zip(reports, sections):
    check(report, *section)
