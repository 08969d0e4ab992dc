"""Parses pictures in TikZ: python3 tikz_test.py PROGRAM. Their cells must agree with JSON, and the text must be LaTeX
as far as this can be checked without LaTeX; tikz_pdf.py compiles them."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok
from tikz_expected import formulae_of, grids_of, print_as, reports_of

FRAGMENTS = [
    ["--arch=80", "wmma.m16n16k16.d.f32"],
    ["--arch=80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"],
    ["--arch=70", "mma.m8n8k4.d.f32"],
    ["--arch=70", "wmma.m16n16k16.a.row.f16"],
    ["--arch=80", "mma.sp.m16n8k32.e.f16"],
    ["--arch=75", "ldmatrix.m8n8.x4.p.b16"],
    ["--arch=80", "mma.m16n8k16.d.f32", "--atom-layout=(2,2,1)"],
    ["--arch=90", "wgmma.m64n256k16.d.f32"],
]
HOSTILE = "a$&#^_~%{}\\<\">|`'?`!`--,,  b\\input{c}^^M\n\x01\xc3\xa9\xff.csv".encode("utf-8", "surrogateescape")
READ_AS = "a$&#^_~%{}\\<\">|`'?`!`--,,  b\\input{c}^^M\\n\\x01???"


def unescape(text):
    """What TeX would print."""
    return re.sub(r"\\(.)", r"\1", text)


def argument(text, start):
    """The argument of a macro that begins at `start`, and its end."""
    assert text[start] == "{", text[start:start + 40]
    depth, at = 0, start
    while True:
        if text[at] == "\\":
            at += 1
        else:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return text[start + 1:at - 1], at


def arguments(text, macro):
    """The last argument of each \\macro."""
    found = []
    for match in re.finditer(rf"\\{macro}(?=\{{)(?:\{{\d+\}}\{{\d+\}}(?=\{{))?", text):
        found.append(argument(text, match.end())[0])
    return found


def picture(text):
    return text[text.index("\\pgfusepath{use as bounding box}"):text.index("\\end{tikzpicture}")]


def enclosed(panel):
    """The cells of a panel that lines are drawn around, (row, col), each as often as it is."""
    grids = re.findall(r"\\draw\[line\] \((\d+),(\d+)\) grid \((\d+),(\d+)\);", panel)
    return [(row, col) for left, top, right, bottom in (map(int, grid) for grid in grids)
            for row in range(top, min(bottom, 1000)) for col in range(left, min(right, 1000))]


def panels_of(text):
    """The grid of each panel, and of each cell the number of its color."""
    for panel in picture(text).split("\\panel{")[1:]:
        columns, panel = panel.split("\\names%", 1)
        names, panel = panel.split("\\done", 1)
        rows = arguments(panel.split("\\columnsbelow")[0], "row")
        cells = [[unescape(cell) for cell in arguments(row, "cell")] for row in rows]
        paints = [[int(paint) for paint in arguments(row, "paint")] for row in rows]
        yield arguments(columns, "cell"), arguments(names, "name"), cells, paints


def balanced(text):
    depth = 0
    for token in re.findall(r"\\.|[{}]", re.sub(r"(?<!\\)%.*", "", text), re.S):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            return False
    return depth == 0


def environments_closed(text):
    """True if each \\begin{NAME} has its \\end{NAME}, the inner ones first."""
    opened = []
    for word, name in re.findall(r"\\(begin|end)\{(\w+)\}", re.sub(r"(?<!\\)%.*", "", text)):
        if word == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return not opened


def check_fragment(program, words):
    name = " ".join(words)
    text = print_as(program, "tikz", [*words, "--whole"])
    reports = reports_of(program, words)
    panels = list(panels_of(text))
    grids = [grid for report in reports for grid in grids_of(report)]
    ok(f"{name}: cells say what JSON says", sorted(panel[2] for panel in panels) == sorted(grids))
    numbered = all(columns == [str(n) for n in range(len(cells[0]))] and names == [str(n) for n in range(len(cells))]
                   for columns, names, cells, _ in panels)
    ok(f"{name}: rows and columns are numbered", numbered)
    lines = [enclosed(panel) for panel in picture(text).split("\\panel{")[1:]]
    cells = [[(row, col) for row, line in enumerate(grid) for col in range(len(line))] for _, _, grid, _ in panels]
    ok(f"{name}: there are lines around each cell, once", [sorted(each) for each in lines] == cells)
    captions = unescape(" ".join(arguments(picture(text), "formula")))
    ok(f"{name}: so do formulae", all(formula in captions for report in reports for formula in formulae_of(report)),
       captions)
    ok(f"{name}: braces are balanced", balanced(text))
    ok(f"{name}: environments are closed", environments_closed(text))
    by_thread = {}
    for _, _, cells, paints in panels:
        for row, row_paints in zip(cells, paints, strict=True):
            for cell, paint in zip(row, row_paints, strict=True):
                by_thread.setdefault(cell.split()[0], set()).add(paint)
    ok(f"{name}: a thread has one color", all(len(paints) == 1 for paints in by_thread.values()))
    defined = re.findall(r"\\definecolor\{paint(\d+)\}\{HTML\}\{[0-9A-F]{6}\}", text)
    used = {paint for paints in by_thread.values() for paint in paints}
    ok(f"{name}: colors that are used are defined once", sorted(map(int, defined)) == sorted(used))


def check_document(program):
    text = print_as(program, "tikz", ["--arch=80", "mma.m16n8k16.d.f32"])
    ok("the first line begins with a macro, for what is read from standard input", text.startswith("\\documentclass"))
    packages = re.findall(r"^\\usepackage\{(.*?)\}", text, re.M)
    ok("the document loads nothing but tikz", packages == ["tikz"])
    lines = text.split("\n")
    rulers = [n for n, line in enumerate(lines) if line.startswith("% ----")]
    pasted = lines[rulers[0] + 1:rulers[1]]
    ok("between two rulers is the picture alone", len(rulers) == 2 and pasted[0] == "\\begin{tikzpicture}"
       and pasted[-1] == "\\end{tikzpicture}%")
    ok("no line is long", max(map(len, lines)) < 500)


def check_marks(program):
    words = ["--arch=80", "mma.m16n8k16.d.f32", "--thread=5"]
    marked = re.findall(r"\\draw\[marked\] \((\d+),(\d+)\) rectangle", print_as(program, "tikz", words))
    held = reports_of(program, words[:2])[0]["map"][5]
    ok("what is asked for is outlined", sorted((int(row), int(col)) for col, row in marked) == sorted(map(tuple, held)))


def check_hostile(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder.encode(), HOSTILE)
        with open(path, "w") as file:
            file.write("tid,i,row,col\n0,0,0,0\n0,1,0,1\n1,0,1,0\n1,1,1,1\n")
        command = [program.encode(), b"--map=" + path, b"--format=tikz"]
        text = subprocess.run(command, capture_output=True, check=True).stdout.decode("ascii")
    titles = [unescape(title) for title in arguments(picture(text), "title")]
    ok("names are escaped", titles and READ_AS in titles[0], repr(titles))
    ok("and their braces do no harm", balanced(text))
    bare = re.sub(r"\\.", "", "".join(arguments(picture(text), "title")))
    ok("nothing in them is read by TeX", not re.search(r"[$&#^_~%{}\\\"'`]", bare), bare)


def main():
    program = sys.argv[1]
    for words in FRAGMENTS:
        check_fragment(program, words)
    check_document(program)
    check_marks(program)
    check_hostile(program)
    sys.exit(finish())


main()
