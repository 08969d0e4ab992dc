"""Compares JSON with records: python3 json_test.py OUTPUT RECORDS ARCH."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records


def read_results(path, wanted):
    """Yields (name, arch, map[tid][i], formulae) of each fragment on an architecture, read from its grids."""
    for (name, arch), (_, section) in records.read_all(path).items():
        if arch != wanted:
            continue
        lines, arch = section.split("\n"), f"sm_{arch}"
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
    kind = "sass" if name.startswith("wmma") else "gpu"
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
sections = {section[0]: section for section in read_results(sys.argv[2], int(sys.argv[3]))}
assert len(reports) == len(sections) > 0
for report in reports:
    check(report, *sections[report["fragment"]])
