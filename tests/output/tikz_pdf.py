"""Compiles pictures with pdflatex and reads the PDF: python3 tikz_pdf.py PROGRAM. Texts and their positions must agree
with JSON. It needs pdflatex with TikZ (texlive-latex-base, texlive-pictures) and poppler-utils.

Expected values: JSON; the addresses of an access, by hand.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok
from tikz_expected import formulae_of, grids_of, print_as, reports_of

# Pictures whose cells are all in one panel are compared line by line.
ONE_PANEL = [
    ["--arch=80", "wmma.m16n16k16.d.f32"],
    ["--arch=80", "mma.m16n8k16.d.f32", "--atom-layout=(2,2,1)"],
    ["--arch=90", "wgmma.m64n256k16.d.f32"],
]
PANELS = [
    ["--arch=80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"],
    ["--arch=70", "mma.m8n8k4.d.f32"],
    ["--arch=70", "wmma.m16n16k16.a.row.f16"],
    ["--arch=75", "ldmatrix.m8n8.x4.p.b16"],
]
SWIZZLED = ["Sw<3,3,3> o 0 o (64,64):(64,1)", "--type=f16"]
CONFLICT = ["--access=ld.b32", "--address=(tid & 15) * 128 + (tid >> 4 ^ 1) * 4"]
HOSTILE = "a$&#^_~%{}\\<\">|'?`!`--,,b\\input{c}^^M.csv"
PASTED = r"""\documentclass{article}
\usepackage{tikz}
\begin{document}
\begin{figure}\centering
%s
\caption{Pasted}\end{figure}
\begin{figure}\centering\resizebox{\linewidth}{!}{\input{pasted}}\caption{Read}\end{figure}
\end{document}
"""


class Compiled:
    """The output of pdflatex for a document, in a folder that the caller keeps."""

    def __init__(self, folder, text, piped=False):
        command = ["pdflatex"] if piped else ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "picture.tex"]
        self.pdf = os.path.join(folder, "texput.pdf" if piped else "picture.pdf")
        if not piped:
            with open(os.path.join(folder, "picture.tex"), "w") as file:
                file.write(text)
        self.run = subprocess.run(command, cwd=folder, input=text if piped else None, capture_output=True, text=True,
                                  timeout=100)
        self.why = self.run.stdout[-2000:]

    def is_clean(self):
        complaints = re.findall(r"(?im)^.*(?:overfull|underfull|missing character|warning).*$", self.run.stdout)
        self.why = "\n".join(complaints) or self.why
        return self.run.returncode == 0 and not complaints

    def tool(self, *command):
        return subprocess.run(command, capture_output=True, text=True).stdout

    def facts(self):
        return dict(re.findall(r"(?m)^(.*?): +(.*)$", self.tool("pdfinfo", self.pdf)))

    def text(self):
        """All texts, with single blanks."""
        return re.sub(r"\s+", " ", self.tool("pdftotext", "-raw", self.pdf, "-"))

    def lines(self):
        """Words on one line, from left to right, as (word, x)."""
        found = collections.defaultdict(list)
        words = self.tool("pdftotext", "-raw", "-bbox", self.pdf, "-")
        for x, y, word in re.findall(r'<word xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>(.*?)</word>', words):
            for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
                word = word.replace(entity, char)
            found[round(float(y))].append((float(x), word))
        return [[(word, x) for x, word in sorted(found[y])] for y in sorted(found)]


def words_of(line):
    return [word for word, _ in line]


def check_page(name, compiled):
    ok(f"{name}: compiles without a complaint", compiled.is_clean(), compiled.why)
    facts = compiled.facts()
    sides = [float(side) for side in re.findall(r"[\d.]+", facts.get("Page size", ""))]
    ok(f"{name}: one page, as large as PDF allows", facts.get("Pages") == "1" and max(sides) <= 14400, str(facts))


def check_fragment(program, words, compiled):
    name = " ".join(words)
    check_page(name, compiled)
    reports = reports_of(program, words)
    grids = [grid for report in reports for grid in grids_of(report)]
    expected = collections.Counter(cell for grid in grids for row in grid for cell in row)
    lines = compiled.lines()
    cells = collections.Counter(cell for line in lines for cell in re.findall(r"T\d+ i\d+", " ".join(words_of(line))))
    ok(f"{name}: every cell is there as often as it has to be", cells == expected,
       f"{sum(cells.values())} of {sum(expected.values())}")
    text = compiled.text()
    formulae = [formula for report in reports for formula in formulae_of(report)]
    ok(f"{name}: formulae are those of JSON", all(formula in text for formula in formulae), text[-2000:])
    return grids, lines


def check_places(name, grid, lines):
    """Each row is one line, between its numbers; the texts of a column are below one another."""
    rows = [line for line in lines if re.search(r"\bT\d+ i\d+", " ".join(words_of(line)))]
    texts = [" ".join(words_of(row)) for row in rows]
    behind = [f" {n}" if len(grid[0]) > 32 else "" for n in range(len(grid))]
    expected = [f"{n} " + " ".join(row) + behind[n] for n, row in enumerate(grid)]
    ok(f"{name}: every cell is in its row, in the order of columns", texts == expected,
       "\n".join(f"{a}\n{b}" for a, b in zip(texts, expected) if a != b))
    middles = [[(a[1] + b[1]) / 2 for a, b in zip(row[1::2], row[2::2])] for row in rows]
    spread = [max(column) - min(column) for column in zip(*middles)]
    ok(f"{name}: columns are straight", len(set(map(len, middles))) == 1 and max(spread) < 6, str(spread))


def check_memory(program, compiled):
    check_page("a swizzled matrix", compiled)
    texts = [" ".join(words_of(line)) for line in compiled.lines()]
    rows = [" ".join(map(str, row)) for row in reports_of(program, SWIZZLED)[0]["map"]]
    missing = [row for row in rows if not any(row in text for text in texts)]
    ok("a swizzled matrix: each row has its offsets", not missing, "\n".join(missing[:1] + texts[:8]))


def check_access(compiled):
    """Half a warp meets in bank 1, the other half in bank 0: 16 wavefronts."""
    check_page("an access", compiled)
    lines = compiled.lines()
    lanes = [[word for word in words_of(line) if re.fullmatch(r"T\d+", word)] for line in lines]
    ok("an access: lanes that collide are in different wavefronts, each in its bank",
       [pair for pair in lanes if len(pair) == 2] == [[f"T{n + 16}", f"T{n}"] for n in range(16)], str(lanes))
    ok("an access: its address is written out", "(tid & 15) * 128 + (tid >> 4 ^ 1) * 4" in compiled.text())


def check_hostile(program, folder):
    with open(os.path.join(folder, HOSTILE), "w") as file:
        file.write("tid,i,row,col\n0,0,0,0\n0,1,0,1\n1,0,1,0\n1,1,1,1\n")
    compiled = Compiled(folder, print_as(program, "tikz", [f"--map={os.path.join(folder, HOSTILE)}"]))
    check_page("a name with all that TeX reads", compiled)
    ok("a name with all that TeX reads: is copied as it is", HOSTILE in compiled.text(), compiled.text())


def check_use(program, folder):
    words = ["--arch=80", "mma.m16n8k16.d.f32"]
    text = print_as(program, "tikz", words)
    piped = Compiled(folder, text, piped=True)
    check_page("from standard input", piped)
    fonts = piped.tool("pdffonts", piped.pdf)
    ok("fonts are outlines, and in the file", re.findall(r"Type \d.*? (?:yes|no)", fonts) and "Type 3" not in fonts
       and not re.search(r" no +(?:yes|no) +(?:yes|no) +\d", fonts), fonts)
    pasted = re.search(r"% ----.*?\n(.*)\n% ----", text, re.S).group(1)
    with open(os.path.join(folder, "pasted.tex"), "w") as file:
        file.write(pasted)
    both = Compiled(folder, PASTED.replace("%s", pasted))
    ok("the lines between the rulers, pasted and read: compile", both.is_clean(), both.why)
    cells = re.findall(r"T\d+ i\d+", both.text())
    ok("the lines between the rulers, pasted and read: are the picture", len(cells) == 2 * 16 * 8, str(len(cells)))


def main():
    program = os.path.abspath(sys.argv[1])
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    for tool, package in (("pdflatex", "texlive-latex-base texlive-pictures"), ("pdftotext", "poppler-utils")):
        if not shutil.which(tool):
            print(f"1..0 # SKIP {tool} is missing: apt-get install {package}")
            return
    with tempfile.TemporaryDirectory() as folder:
        def compiled(words):
            return Compiled(folder, print_as(program, "tikz", words))
        for words in ONE_PANEL:
            grids, lines = check_fragment(program, words, compiled([*words, "--whole"]))
            check_places(" ".join(words), grids[0], lines)
        for words in PANELS:
            check_fragment(program, words, compiled([*words, "--whole"]))
        check_memory(program, compiled(SWIZZLED))
        check_access(compiled(CONFLICT))
        check_hostile(program, folder)
        check_use(program, folder)
    sys.exit(finish())


main()
