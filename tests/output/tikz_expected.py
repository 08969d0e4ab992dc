"""The expected content of pictures of fragments, from JSON: for tikz_test.py and tikz_pdf.py."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402


def print_as(program, format, arguments):
    """Returns the program's output; an error if it fails."""
    return output(program, *arguments, f"--format={format}")


def reports_of(program, arguments):
    found = json.loads(print_as(program, "json", arguments))
    return found if isinstance(found, list) else [found]


def grids_of(report):
    """One grid for each copy of each matrix; in it, the texts of cells."""
    tid, i = (compile(report["inverse"][key], key, "eval") for key in ("tid", "i"))
    grids = []
    for copy in range(report["copies"]):
        for block in range(report.get("blocks", 1)):
            grid = []
            for row in range(report["rows"]):
                places = [{"block": block, "row": row, "col": col, "copy": copy} for col in range(report["cols"])]
                grid.append([f"T{eval(tid, place)} i{eval(i, place)}" for place in places])
            grids.append(grid)
    return grids


def formulae_of(report):
    """Every formula, as captions have it. Copies of metadata are told apart by the sparsity selector."""
    copy = "selector" if ".e." in report["fragment"] else "copy"
    both = report["formulae"] | report["inverse"]
    return [f"{key} = {text.replace('copy', copy)}" for key, text in both.items()]
