"""Probes the kernels of zoo.py, and random ones, by the command.

    zoo_test.py MAPPING [PATTERN]     prints TAP; with a pattern, only kernels whose name has it, and what was found of each
"""
import itertools
import json
import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from rounds import mapping, probe  # noqa: E402
from tap import finish, ok, one_in  # noqa: E402
from zoo import BITS, COPIES, RIGHT_COPIES, Copy, check, move, read_codes, write_codes # noqa: E402

MAPPING = sys.argv[1]
PATTERN = sys.argv[2] if len(sys.argv) > 2 else ""
FOLDER = tempfile.TemporaryDirectory()
LETTER = {"row": "t", "col": "n"} # of BLAS, as --layout takes them


def words(p):
    """The problem on the command line."""
    return [f"--probe=copy:{p.m},{p.n}", f"--type={p.a}", f"--layout={LETTER[p.a_layout]}{LETTER[p.d_layout]}", f"--ld={p.lda},{p.ldd}"]


def probed(p, kernel):
    """Status, text and number of runs."""
    folder = os.path.join(FOLDER.name, "probe")
    types = {"a": p.a, "b": getattr(p, "b", None), "c": p.d, "d": p.d, "bias": p.d}

    def run(plan, numbers):
        for number in numbers:
            files = plan["runs"][number]
            images = {role.upper(): read_codes(os.path.join(folder, name), BITS[types[role]]) for role, name in files.items()}
            kernel(images, number)
            write_codes(os.path.join(folder, files["d"]), images["D"], BITS[p.d])

    return probe(MAPPING, words(p), folder, run)


def findings():
    """What --decode finds in the last probe."""
    return json.loads(mapping(MAPPING, f"--decode={FOLDER.name}/probe", "--format=json")[1])["findings"]


def evaluated(text, variables):
    """An expression of C about rows and columns."""
    return eval(re.sub("!(?!=)", " not ", text).replace("/", "//").replace("&&", " and "), {}, variables)


def copy_as_found(p):
    """Offset in D -> offset in A, by the formulae of the findings, of the elements that a formula is about."""
    holds = {}
    for finding in findings():
        formula, _, where = finding["text"].partition(":")[0].partition(" where ")
        of = re.match(r"D\(row, col\) holds (?:A\((.*)\)|the element of A at offset (.*))$", formula)
        for row, col in itertools.product(range(p.m), range(p.n)) if of else []:
            at = {"row": row, "col": col}
            if not where or evaluated(where, at):
                holds[p.address_d(row, col)] = p.address_a(*evaluated(of[1], at)) if of[1] else evaluated(of[2], at)
    return holds


def show(name, text):
    if PATTERN:
        print(f"# {name}\n#   " + text.strip().replace("\n", "\n#   "))


def try_right(entries, what):
    """One line for all of these right kernels, (problem, kernel)."""
    said = []
    for p, kernel in entries:
        status, text, _ = probed(p, kernel)
        show(what, text)
        if status != 0:
            said.append(f"{' '.join(words(p))}: status {status}: {text}")
    ok(f"{len(entries)} {what}: no finding", not said, "\n".join(said))


def try_wrong(entries, what):
    """One line for each wrong kernel."""
    for name, p, make, expected in entries:
        if PATTERN in name:
            kernel = make()
            status, text, runs = probed(p, kernel)
            show(name, text)
            is_named = re.search(expected, text.partition("\n")[2]) is not None # below the problem
            if status == 1 and isinstance(p, Copy):
                is_named &= all(kernel.holds.get(d, a) == a for d, a in copy_as_found(p).items())
            ok(f"{what}: {name}: found and named in {runs} runs", status == 1 and is_named, f"status {status}, expected {expected}\n{text}")


# ---- Random problems ----

def random_copy(random):
    m, n = (2 * int(2 ** random.uniform(0, 6)) for _ in range(2))
    layouts = [["row", "col"][each] for each in random.integers(0, 2, 2)]
    pad = random.integers(0, 2, 2) * 4
    kind = list(BITS)[random.integers(len(BITS))]
    return Copy(m, n, kind, *layouts, *((n if layout == "row" else m) + each for layout, each in zip(layouts, pad)))


def main():
    random = np.random.default_rng(1)
    failed = check()
    ok("right kernels of the zoo give the product of NumPy, and wrong ones do not", not failed, "\n".join(failed))
    if not PATTERN:
        try_right([(p, move(p)) for p in RIGHT_COPIES], "right copies")
        try_right([(p, move(p)) for p in (random_copy(random) for _ in range(640 // one_in(32)))], "random copies")
    try_wrong(COPIES, "copy")
    sys.exit(finish())


main()
