"""Expands folded grids of text with the lines below them, and compares all cells with CSV.

    fold_test.py MAPPING     prints TAP

The test does not use the program's rule for folding: it reads the lines as a person does. "columns 8 to 127: i + 4 for
each 8 columns" makes columns 8 to 127, one after the other, from the column 8 before.
"""
import csv
import functools
import io
import itertools
import operator
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from records import names_of  # noqa: E402
from tap import architectures, finish, ok, sample  # noqa: E402
from terminal import show, without_escapes  # noqa: E402

MAPPING = sys.argv[1]
NAMES = {"Element": "i", "ThreadIdx": "tid", "T": "tid"}
WORDS = {"row": "row", "rows": "row", "lanes": "row", "column": "col", "columns": "col", "copies": "copy", "scale factor ID": "id",
         "scale factor IDs": "id"}
LINE = re.compile(r"([A-Za-z ]+?) (\d[^:]*): (.*) for each (?:(\d+) )?[A-Za-z ]+$")
JOINED = re.compile(r"each cell: the first of (\d+) (row|column)s \(16 bytes\), offset \+ 1 for each (?:row|column)$")
SMALL = 32


def run(*words):
    return output(MAPPING, *words, statuses=(0, 4))


def numbers_in(text):
    """0, 1, 2, 3, 8 of "0 to 3, 8"."""
    return [n for first, last in re.findall(r"(\d+)(?: to (\d+))?", text) for n in range(int(first), int(last or first) + 1)]


def growths(text):
    """The number that is added to each axis by "T + 32, bank + 4 (mod 32)", and its modulus."""
    added = {}
    for axis, sign, number, _, modulus in re.findall(r"(\w+) ([+-]) (\d+)( \(mod (\d+)\))?", text):
        added[NAMES.get(axis, axis)] = (int(sign + number), int(modulus or 0))
    if not added and text != "the same":
        raise ValueError(text)
    return added


def grow(cell, added):
    grown = dict(cell)
    for axis, (number, modulus) in added.items():
        if axis not in cell:  # banks of cells that stood for several
            continue
        grown[axis] = (cell[axis] + number) % modulus if modulus else cell[axis] + number
    return grown


def expand(cells, line):
    """Adds the cells that a line describes to {((axis, number), ...): {axis: number}}."""
    joined = JOINED.match(line)
    if joined:
        axis, count = WORDS[joined[2]], int(joined[1])
        for place, cell in list(cells.items()):
            for n in range(count):
                new = {**dict(place), axis: dict(place)[axis] * count + n}
                cells[tuple(sorted(new.items())), "new"] = {"offset": cell["offset"] + n}
            del cells[place]
        for place in list(cells):
            cells[place[0]] = cells.pop(place)
        return
    word, ranges, text, every = LINE.match(line).groups()
    axis, every, added = WORDS.get(word, word.rstrip("s").lower()), int(every or 1), growths(text)
    by_number = {}
    for place, cell in cells.items():
        by_number.setdefault(dict(place)[axis], []).append((dict(place), cell))
    for number in numbers_in(ranges):
        by_number[number] = [({**place, axis: number}, grow(cell, added)) for place, cell in by_number[number - every]]
        cells.update((tuple(sorted(place.items())), cell) for place, cell in by_number[number])


@functools.lru_cache(maxsize=1)
def read_grids(page):
    """All cells of a page of text, expanded, with their places: [{axis: number}]; how many lines its grids and the lines
    below them take, and the latter."""
    cells, lines, taken, outer, below = {}, page.splitlines(), 0, {}, []
    some = re.search(r"^# rows (\d.*)$", page, re.M)  # of a load that moves only these
    rows = numbers_in(some[1]) if some else range(1 << 16)
    n = 0
    while n < len(lines):
        line = lines[n]
        part = re.match(r"# ([A-Za-z ]+) (\d+) (?:of \d+|\(of 0 to \d+\))$", line)
        if part:
            outer[WORDS.get(part[1], part[1].lower())] = int(part[2])
        titles = re.match(r"([A-Z][A-Za-z]*(?: / [A-Z][A-Za-z]*)*):$", line)
        if not titles or line in ("Formulae:", "Inverse:"):
            n += 1
            continue
        axes = [NAMES.get(word, word.lower()) for word in titles[1].split(" / ")]
        row, n, taken, below = 0, n + 1, taken + 1, []
        while lines[n]:
            numbers = lines[n].split()
            if not numbers[0].isdigit():
                below.append(lines[n])
            else:
                cols = len(numbers) // len(axes)
                for col in range(cols):
                    place = {**outer, "row": rows[row], "col": col}
                    cells[tuple(sorted(place.items()))] = {axis: int(numbers[a * cols + col]) for a, axis in enumerate(axes)}
                row += 1
            n, taken = n + 1, taken + 1
    for line in below:
        expand(cells, line)
    return [{**dict(place), **cell} for place, cell in cells.items()], taken, below


class Numbers(dict):
    """The number that each text is, or None."""
    def __missing__(self, text):
        return self.setdefault(text, int(text) if text.isdigit() else None)


NUMBERS = Numbers()


def read_csv(text):
    """The same of CSV, by name of the fragment or matrix: the axes, and a number or None for each in each row."""
    head, *rows = csv.reader(io.StringIO(text))
    named = head.index("fragment" if "fragment" in head else "layout")
    found = {}
    for row in rows:
        found.setdefault(row[named], []).append(tuple(map(NUMBERS.__getitem__, row)))
    return {name: (head, rows) for name, rows in found.items()}


def why_not(page, table, small=SMALL):
    """The differences between the cells of a page and those of the table; "" if there are none."""
    (cells, taken, below), (head, rows) = read_grids(page), table
    stated = {axis for axis, number in zip(head, rows[0]) if number is not None}
    names = {} if "row" in stated else {"lane": "row", "column": "col"}  # what moves lanes and columns to registers
    axes = sorted({*cells[0], *names} & stated)
    if len(axes) < 3:
        return f"only {axes} are there"
    try:
        made = set(map(operator.itemgetter(*(names.get(axis, axis) for axis in axes)), cells))
    except KeyError as axis:
        return f"a cell has no {axis}"
    told = set(map(operator.itemgetter(*map(head.index, axes)), rows))
    if made != told:
        return f"{len(made - told)} cells are wrong, {len(told - made)} are missing: {[*(made - told)][:2]} {[*(told - made)][:2]} {axes}"
    if below and max(max(cell["row"], cell["col"]) for cell in cells) < small:
        return "folded, but it is small"
    return "" if taken <= 80 or not below else f"{taken} lines"


def check(title, *words, of=None, can_be_small=False):
    """Compares all pages of a command with CSV: for the first fragment of a page, and for a sample of the others that have
    the same layout."""
    pages = re.split(r"\n(?=# [^\n]* on sm_\d+\n)", run(*words).replace("\n#   ", " "))
    all_names = [[of] if of else names_of(re.match(r"# (.*) on sm_\d+\n", page)[1]) for page in pages]
    chosen = [[first, *sample(others, 31)] for first, *others in all_names]
    is_pattern = any(word == "--all" or "*" in word for word in words)
    asked = [*sum(chosen, []), *(word for word in words if word.startswith("--arch"))] if is_pattern else words
    tables, wrong, folded = read_csv(run(*asked, "--format=csv")), [], 0
    for page, names in zip(pages, chosen):
        if not re.search(r"^(?!Formulae|Inverse)[A-Z][A-Za-z]*( / [A-Za-z]+)*:$", page, re.M):
            continue
        for name in names:
            reason = why_not(page, tables[name])
            wrong += [f"{name}: {reason}"] if reason else []
        folded += " for each " in page
    ok(f"{title}: {folded} of {len(pages)} folded", not wrong and folded + can_be_small > 0, "\n".join(wrong))


def as_in_a_pipe(page):
    """A page of a terminal, which has several grids side by side, without the numbers of rows and columns."""
    lines, grids = [], 0
    for line in page.splitlines():
        if re.match(r" +[A-Z][a-z]+( +[A-Z][a-z]+)*$", line):
            lines.append(" / ".join(line.replace("Thread", "ThreadIdx").split()) + ":")
            grids = -len(line.split())  # the next line has the columns
        elif grids < 0:
            grids = -grids
        elif grids and re.match(r"[ \d]+$", line):
            numbers = line.split()
            size = len(numbers) // grids
            lines.append(" ".join(n for at, n in enumerate(numbers) if at % size))
        else:
            grids = grids if line.endswith(("row", "rows", "column", "columns")) else 0
            lines.append(line)
    return "\n".join(lines)


def check_terminal(*words):
    """Expands a grid of at most 32 rows and columns, which is folded only where a screen would be full."""
    page = as_in_a_pipe(without_escapes(show([MAPPING, *words])[1]).split("\nBy address")[0].split("\nDetail:")[0] + "\n\n")
    (name, table), = read_csv(run(*words, "--format=csv")).items()
    reason = why_not(page, table, 0)
    ok(f"{name} in a terminal", not reason and " for each " in page, reason + page)


def check_load(*words):
    """Compares the elements that the first load moves, expanded, with CSV."""
    words = (*words, "--arch=sm_100a")
    page, table = run(*words), list(csv.DictReader(io.StringIO(run(*words, "--format=csv"))))
    first = [tuple(map(NUMBERS.__getitem__, row.values())) for row in table if row.get("load") == "0"]
    reason = why_not(page.split("\n# tcgen05")[0], (list(table[0]), first))
    ok(f"{' '.join(words)}: the first load", not reason and " for each " in page, reason)


def check_series(*words):
    """Expands the loads that are left out, and compares all with CSV. The first ones are compared one by one above."""
    page, table = run(*words, "--arch=sm_100a"), list(csv.DictReader(io.StringIO(run(*words, "--arch=sm_100a", "--format=csv"))))
    word = "load" if "load" in table[0] else "store"
    places = {(int(row[word]), row["tid"], row["i"]): (int(row["row"]), int(row["col"])) for row in table}
    count = 1 + max(number for number, _, _ in places)
    shown = len(re.findall(f"^# with .*, {word} \\d+ of {count}:", page, re.M))
    made = {}  # {load: {(tid, i): (row, col)}}
    for (number, *thread), place in places.items():
        if number < shown:
            made.setdefault(number, {})[tuple(thread)] = place
    for line in page.splitlines():
        said = re.match(word + r"s? (\d+)(?: to (\d+))?: (.*) for each (?:(\d+) )?" + word + "s?$", line)
        if not said:
            continue
        first, last, every, added = int(said[1]), int(said[2] or said[1]), int(said[4] or 1), growths(said[3].replace("address ", "address_"))
        for number in range(first, last + 1):
            made[number] = {thread: (row + added.get("row", (0, 0))[0], col + added.get("col", (0, 0))[0])
                            for thread, (row, col) in made[number - every].items()}
    all_made = {(number, *thread): place for number, threads in made.items() for thread, place in threads.items()}
    ok(f"{' '.join(words)}: {shown} of {count} shown", all_made == places and shown < count, f"{len(all_made)} of {len(places)}")


def numbers_of(answer):
    """{"row": 3, "col": 8, "tid": 12, "i": 4} of "row  3, col  8: tid 12, i  4 in register 4"."""
    return {axis: int(number) for axis, number in re.findall(r"(block|row|col|tid|i|lane|column|offset) +(\d+)", answer)}


def check_answers(*words):
    """Expands the answers of each fragment that are folded in a terminal, and compares them with those of a pipe."""
    page, asked = without_escapes(show([MAPPING, *words], 80, 50)[1]), run(*words)
    words_of = {"elements": "i", "threads": "tid", "columns": "col", "rows": "row", "offsets": "offset"}
    made, answers, lines = [], [], [*page.splitlines(), "# end"]
    for at, line in enumerate(lines):
        if line.startswith("# "):
            made, answers = made + answers, []
        more = re.match(r"and (\d+) more; --whole prints all$", line)
        if more:  # the others of the first period, which the lines below repeat
            below = [re.match(r"([a-z]+) (\d+) to \d+: ", one) for one in lines[at + 1:]]
            bounds = [(words_of[one[1]], int(one[2])) for one in itertools.takewhile(bool, below)]
            period = [one for one in map(numbers_of, asked.splitlines()) if one and all(one.get(axis, 0) < first for axis, first in bounds)]
            answers += period[len(answers):len(answers) + int(more[1])]
        elif re.match("(block|row|tid|offset) ", line):
            answers.append(numbers_of(line))
        said = re.match(r"([a-z]+) (\d+) to (\d+): (.*) for each (?:(\d+) )?[a-z]+$", line)
        if not said:
            continue
        axis, first, last, added, every = words_of[said[1]], int(said[2]), int(said[3]), growths(said[4]), int(said[5] or 1)
        by_number = {}
        for one in answers:
            by_number.setdefault(one[axis], []).append(one)
        for number in range(first, last + 1):
            by_number[number] = [{**grow(one, added), axis: number} for one in by_number[number - every]]
            answers += by_number[number]
    made = sorted(tuple(sorted(one.items())) for one in made)
    told = sorted(tuple(sorted(numbers_of(line).items())) for line in asked.splitlines() if re.match("(block|row|tid|offset) ", line))
    ok(f"{' '.join(words)} in a terminal", made == told and " for each " in page, f"{len(made)} of {len(told)}\n{page}")


def check_several(*words, left_out=False):
    """In a terminal, each of several fragments has its formulae as in a pipe, or is named."""
    page, asked = without_escapes(show([MAPPING, *words], 80, 50)[1]).replace("\n#   ", " "), run(*words).replace("\n#   ", " ")
    split = re.compile(r"^# (\S.*) on sm_\d+$\n", re.M)
    (_, *shown), (_, *all_of) = split.split(page), split.split(asked)
    formulae = lambda text: re.findall(r"^\w+: return .*$", text, re.M)  # noqa: E731
    expected = {name: formulae(text) for names, text in zip(all_of[::2], all_of[1::2]) for name in names_of(names)}
    wrong = [names for names, text in zip(shown[::2], shown[1::2]) for name in names_of(names)
             if not formulae(text) or formulae(text) != expected[name][:len(formulae(text))]]
    named = re.search(r"^Not shown: ((?:.|\n  )*)$", page, re.M)
    seen = {name for names in shown[::2] for name in names_of(names)} | set(names_of(named[1].replace("\n  ", " ")) if named else [])
    ok(f"{' '.join(words)} on one screen", not wrong and seen == set(expected) and bool(named) == left_out and page.count("\n") < 50,
       f"{wrong}\n{seen ^ set(expected)}\n{page}")


check("wide wgmma", "wgmma.m64n128k16.*", "wgmma.m64n256k8.*", "--arch=sm_90")
check("tcgen05", "tcgen05.mma.m128n64k16.*", "tcgen05.mma.m128k64.*", "--arch=sm_103")
for arch in sample(architectures(MAPPING), 8):
    check(f"the fragments of {arch}", "--all", f"--arch={arch}", can_be_small=arch == "sm_70")
for words in (["mma.m16n8k16.d.f32", "--atom-layout=(4,2,1)"], ["mma.m16n8k16.a.f16", "--atom-layout=(2,2,1)", "--permutation=64,32,32"],
              ["mma.m16n8k16.d.f32", "--atom-layout=(2,4,1)", "--permutation=64,64,16"], ["wgmma.m64n64k16.d.f32", "--atom-layout=(2,1,1)"],
              ["mma.m16n8k8.b.tf32", "--atom-layout=(1,4,1)", "--permutation=32,(8,8,2):(1,16,8),32"]):
    check(" ".join(words), *words, "--arch=sm_90")
for layout in ("(64,64):(64,1)", "(64,64):(72,1)", "(64,64):(1,66)", "Sw<3,3,3> o 0 o (64,64):(64,1)", "Sw<2,3,3> o 0 o (64,64):(64,1)",
               "Sw<1,3,3> o 0 o (64,64):(64,1)", "Sw<3,3,3> o 0 o (64,64):(1,64)", "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))",
               "((8,8),(8,8)):((8,512),(1,64))", "(48,40):(40,1)", "(128,8):(8,1)", "(1,128):(0,1)", "128:1", "(100,36):(37,1)",
               "Sw<3,4,3> o 0 o (64,128):(128,1)", "(64,64,3):(72,1,5000)", "Layout_MN_SW128_Atom", "Layout_K_SW128_Atom",
               "Sw<3,2,3> o 0 o (128,32):(32,1)"):
    check(layout, layout, of=re.match(r"# (.*)", run(layout))[1])
for layout, kind in (("Layout_K_SW128_Atom", "f16"), ("Layout_K_SW64_Atom", "tf32"), ("Layout_MN_SW128_Atom", "s8"), ("Layout_MN_SW32_Atom", "f16"),
                     ("Layout_K_INTER_Atom", "f16")):
    words = [layout, "--extent=128,128", f"--type={kind}"]
    check(" ".join(words), *words, of=re.match(r"# (.*)", run(*words))[1])
for words in (["mma.m16n8k16.a.f16", "--detail"], ["mma.m16n8k32.a.e4m3"], ["wmma.m16n16k16.a.row.f16", "-a70"], ["ldmatrix.m8n8.x4.r.b16"],
              ["wmma.m32n8k16.a.col.f16", "-a70"], ["wgmma.m64n8k32.a.e4m3"], ["mma.m16n8k16.d.f32", "--atom-layout=(2,2,1)"],
              ["mma.m16n8k16.a.f16", "--atom-layout=(2,2,1)"], ["(32,32):(33,1)", "--type=f32"], ["mma.m16n8k256.b.b1"]):
    check_terminal(*words)
for move in ("16x64b", "16x128b", "16x256b", "16x64b.x4"):
    check_load("tcgen05.mma.m128n256k16.d.f32", f"--with=tcgen05.ld.{move}")
for words in (["tcgen05.mma.m128n256k16.d.f32", "--with=tcgen05.ld.32x32b.x1"], ["tcgen05.mma.m128n128k16.d.f32", "--with=tcgen05.ld.32x32b.x32"],
              ["tcgen05.mma.m128n64k16.d.f32", "--with=tcgen05.ld.16x64b.x4"], ["tcgen05.mma.m64n64k16.d.f32", "--with=tcgen05.ld.16x256b.x2"],
              ["tcgen05.mma.m128k32.a.e4m3", "--with=tcgen05.st.32x32b.x4"]):
    check_series(*words)
SWIZZLED = "Sw<3,3,3> o 0 o (64,64):(64,1)"
for words in (["wgmma.m64n256k16.d.f32", "--at=3,*"], ["wgmma.m64n256k16.d.f32", "--at=3,5-200"], ["wgmma.m64n128k16.d.f32", "--thread=7"],
              ["mma.m16n8k16.d.f32", "--thread=*"], ["wgmma.m64n256k16.d.f16", "--thread=3-9,*"], [SWIZZLED, "--at=5,*"], [SWIZZLED, "--at=6-7,8-63"],
              [SWIZZLED, "--offset=*"], ["tcgen05.mma.m128n256k16.d.f32", "--at=3,*"], ["ldmatrix.m8n8.x4.r.b16", "--thread=*"],
              ["HMMA.16816.F32 R4, R8, R16, R4", "--at=3,*"], ["wmma.m16n16k16.a.f16", "-a70", "--at=3,*"]):
    check_answers(*words)
check_several("mma.m16n8k16")
check_several("HMMA.16816.F32")
check_several("ldmatrix.x4")
check_several("tcgen05.ld.16x64b.x8")
check_several("tcgen05.ld.16x64b", left_out=True)
check_several("wmma.m16n16k16.*", "--arch=sm_75", left_out=True)
sys.exit(finish())
