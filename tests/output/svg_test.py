"""Parses pictures by the positions of their parts, and compares them with --format=json, with the published formulae
for contrast and color blindness, and with the rules of SVG: python3 svg_test.py PROGRAM FOLDER."""

import json
import math
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from itertools import product as pairs

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import tap
from library import command
from svg_colors import VISION, contrast, seen
from svg_picture import SVG, Picture, outside

program, folder = sys.argv[1:3]


def run(*arguments):
    done = command(program, *map(os.fsdecode, arguments))
    done.stdout = done.stdout.encode()
    return done


def shown(*arguments):
    """The picture, which must exist."""
    result = run(*arguments, "--format=svg")
    assert result.returncode == 0, result.stderr
    return Picture(result.stdout, "--whole" in arguments)


def reports(*arguments):
    answer = json.loads(run(*arguments, "--format=json").stdout)
    return answer if isinstance(answer, list) else [answer]


# ---- Cells ----


def coordinates(report):
    """Who holds each element: {(block, row, col): {(tid, i)}}."""
    holders = {}
    for tid, row in enumerate(report["map"]):
        for i, point in enumerate(row):
            holders.setdefault(tuple([0] * (3 - len(point)) + point), set()).add((tid, i))
    return holders


def compare(panels, report):
    """All panels of a report: each element in each copy, and in the place that the inverse says."""
    holders, seen = coordinates(report), {}
    inverse = report["inverse"]
    code = {axis: compile(text, axis, "eval") for axis, text in inverse.items()} if inverse.get("i") else {}
    for panel in panels:
        part = panel.part()
        assert panel.title.endswith(f'{report["rows"]} x {report["cols"]}')
        assert len(panel.cells) == report["rows"] * report["cols"]
        assert panel.axes == ["col", "row"] and panel.row_labels and panel.col_labels
        for (row, col), text in panel.texts().items():
            tid, i = map(int, re.fullmatch(r"T(\d+) i(\d+)", text).groups())
            point = (part.get("block", 0), int(row), int(col))
            assert (tid, i) in holders[point], f"{text} at {point}"
            copy = part.get("copy", part.get("selector", 0))
            values = {"block": point[0], "row": point[1], "col": point[2], "copy": copy, "selector": copy}
            assert not code or (eval(code["tid"], values), eval(code["i"], values)) == (tid, i)
            seen.setdefault(point, set()).add((tid, i))
    assert seen == holders, "not all copies are there"


def compare_unfolded(picture, letter, report, is_named):
    """The same check for a folded picture and its sentences."""
    cells, seen = picture.unfolded(letter, is_named), {}
    for place, text in cells.items():
        place = dict(place)
        seen.setdefault((place.get("block", 0), place["row"], place["col"]), set()).add(tuple(map(int, re.findall(r"\d+", text))))
    assert seen == coordinates(report), f"{letter}: {len(cells)} cells are not those of the table"
    assert picture.size()[0] <= 1200, f"{picture.size()} pixels"


FRAGMENTS = {
    70: "mma.m8n8k4.a.row.f16 mma.m8n8k4.b.col.f16 mma.m8n8k4.d.f32 mma.m8n8k4.d.f16 wmma.m16n16k16.a.row.f16 "
    "wmma.m16n16k16.b.row.f16 wmma.m32n8k16.a.col.f16 wmma.m8n32k16.b.col.f16 wmma.m16n16k16.d.f32",
    80: "mma.m8n8k4.d.f64 mma.m16n8k8.a.tf32 mma.m16n8k16.a.f16 mma.m16n8k16.b.bf16 mma.m16n8k16.d.f32 "
    "mma.m16n8k32.a.s8 mma.m16n8k64.b.u4 mma.m16n8k256.a.b1 mma.sp.m16n8k16.e.f16 mma.sp.m16n8k8.e.tf32 "
    "mma.sp.m16n8k32.a.f16 mma.sp.m16n8k64.e.s4 wmma.m16n16k8.a.row.tf32 wmma.m8n8k4.d.f64 "
    "wmma.m8n8k32.a.row.s4 wmma.m8n8k128.b.col.b1 movmatrix.m8n8.d.trans.b16 ldmatrix.m8n8.x2.r.trans.b16",
    90: "ldmatrix.m8n8.x4.r.b16 ldmatrix.m8n8.x4.p.b16 ldmatrix.m8n8.x1.p.b16 stmatrix.m8n8.x4.r.trans.b16 "
    "wgmma.m64n8k16.a.f16 wgmma.m64n8k16.d.f32 wgmma.m64n40k32.d.f32 wgmma.m64n128k8.a.tf32 wgmma.sp.m64n8k32.e.f16 "
    "wgmma.sp.m64n8k64.e.s8",
    120: "mma.m16n8k32.sfa.1x.ue8m0 mma.m16n8k64.sfb.4x.ue4m3 mma.m16n8k32.a.e2m3 mma.m16n8k64.a.e2m1",
}
TILES = [
    ("mma.m16n8k16.d.f32", "--atom-layout=(2,2,1):(2,1,0)", "--permutation=64,32,16"),
    ("mma.m16n8k16.a.f16", "--atom-layout=(2,1,1)"),
    ("mma.m16n8k8.b.f16", "--atom-layout=(1,3,1)"),
]


def check_cells():
    for arch, names in FRAGMENTS.items():
        wrong = []
        names = names.split()
        for report in reports(f"--arch={arch}", *names):
            try:
                picture = shown(f"--arch={arch}", report["fragment"], "--whole")
                compare(picture.panels, report)
            except AssertionError as error:
                wrong.append(f'{report["fragment"]}: {error}')
        tap.ok(f"every cell of {len(names)} fragments of sm_{arch} says who is there", not wrong, "\n".join(wrong))
    for tile in TILES:
        picture, report = shown("--arch=80", *tile, "--whole"), reports("--arch=80", *tile)[0]
        compare(picture.panels, report)
        tap.ok(
            f"so does every cell of a tile, {tile[1]}",
            (
                f'tiled by {report["tiling"]}' in picture.notes
                if isinstance(report.get("tiling"), str)
                else any(n.startswith("tiled by ") for n in picture.notes)
            ),
        )


def check_large():
    picture = shown("--arch=90", "wgmma.m64n256k16.d.f32", "--whole")
    (panel,) = picture.panels
    compare([panel], reports("--arch=90", "wgmma.m64n256k16.d.f32")[0])
    tap.ok("a matrix of 64 x 256 stays under 3 MB", len(picture.content) < 3e6)
    below = [text for text, _, y in panel.col_labels if y > panel.bottom]
    tap.ok(
        "its rows and columns are numbered on both sides",
        below == [str(n) for n in range(256)]
        and [t for t, _, _ in panel.right_labels] == [str(n) for n in range(64)]
        and min(x for _, x, _ in panel.right_labels) > panel.right,
    )
    small = shown("--arch=80", "mma.m16n8k16.d.f32").panels[0]
    tap.ok("those of a small one are not", not small.right_labels and len(small.col_labels) == 8)


# Fragments, the rows and columns that are drawn, and how the others follow. By the PTX ISA, a thread holds 2 neighbors in
# each of 2 rows of every 8 columns of D of wgmma, and a warp 16 rows; of A of mma.m16n8k256, 32 in each of 2 rows of every
# 128 columns. Selectors and small fragments are drawn whole.
WARPS = "rows 16 to 63: T + 32 for each 16 rows"
PERIODS = [
    ("90", "wgmma.m64n40k16.d.f32", 16, 8, ["columns 8 to 39: i + 4 for each 8 columns", WARPS]),
    ("90", "wgmma.m64n128k16.d.f32", 16, 8, ["columns 8 to 127: i + 4 for each 8 columns", WARPS]),
    ("90", "wgmma.m64n256k16.d.f16", 16, 8, ["columns 8 to 255: i + 4 for each 8 columns", WARPS]),
    ("80", "mma.m16n8k256.a.b1", 8, 8, ["columns 8 to 31: i + 8 for each 8 columns", "columns 32 to 127: T + 1 for each 32 columns",
                                        "columns 128 to 255: i + 64 for each 128 columns", "rows 8 to 15: i + 32 for each 8 rows"]),
    ("90", "wgmma.m64n32k16.d.f32", 16, 8, ["columns 8 to 31: i + 4 for each 8 columns", WARPS]),
    ("80", "wmma.m16n16k16.d.f32", 16, 16, []),
]


def expand(cells, sentences):
    """Adds to cells, {(row, col): {axis: number}}, what "rows 16 to 63: T + 32 for each 16 rows" says."""
    for sentence in sentences:
        word, first, last, axis, growth, every = re.fullmatch(r"(rows|columns) (\d+) to (\d+): ([Ti]) \+ (\d+) for each (\d+) \w+", sentence).groups()
        by_number = {}
        for place, cell in cells.items():
            by_number.setdefault(place[word == "columns"], []).append((place, cell))
        for number in range(int(first), int(last) + 1):
            by_number[number] = [((number, place[1]) if word == "rows" else (place[0], number), {**cell, axis: cell[axis] + int(growth)})
                                 for place, cell in by_number[number - int(every)]]
            cells.update(by_number[number])


def check_period():
    for arch, name, rows, cols, sentences in PERIODS:
        picture, (report,) = shown(f"--arch={arch}", name), reports(f"--arch={arch}", name)
        (panel,), holders = picture.panels, coordinates(report)
        says = [note for note in picture.notes if " for each " in note]
        letter = name.split(".")[2].upper()
        tap.ok(f"{name}: {rows} rows of {cols} columns are drawn", len(panel.cells) == rows * cols, str(len(panel.cells)))
        tap.ok(f"{name}: the caption says what was left out", says == sentences, str(says))
        title = f'{letter}, {report["rows"]} x {report["cols"]}'
        title += f", rows 0 to {rows - 1}" * (rows < report["rows"]) + f", columns 0 to {cols - 1}" * (cols < report["cols"])
        tap.ok(f"{name}: and so does the title", panel.title == title, panel.title)
        cells = {}
        for (row, col), text in panel.texts().items():
            tid, i = map(int, re.fullmatch(r"T(\d+) i(\d+)", text).groups())
            cells[int(row), int(col)] = {"T": tid, "i": i}
        expand(cells, says)
        wrong = [f"{cell} at {place}" for place, cell in cells.items() if holders.get((0, *place)) != {(cell["T"], cell["i"])}]
        tap.ok(f"{name}: the caption is true of every cell", not wrong and len(cells) == len(holders), "\n".join(wrong[:3]))
    colors = [[note for note in shown(f"--arch={arch}", name).notes if note.startswith("Colors")] for arch, name, *_ in PERIODS[-2:]]
    tap.ok("the caption says if several threads have one color", colors == [
        ["Colors show the thread and repeat every 32 threads."], ["Colors show the thread."]], str(colors))
    picture = shown("--arch=90", "wgmma.m64n128k16.d.f32", "--at=3,100")
    tap.ok("a question is answered in the whole picture", sum(len(panel.cells) for panel in picture.panels) == 64 * 128)
    titles = [panel.title for panel in picture.panels]
    tap.ok("which has bands of columns, each no wider than 1200 pixels", picture.size()[0] <= 1200 and titles[1:] == [
        f"col {n} to {n + len(picture.panels[0].cols) - 1}" for n in range(len(picture.panels[0].cols), 128, len(picture.panels[0].cols))],
        f"{picture.size()} {titles}")
    # If one entry breaks the period, everything is drawn. Threads may grow, too.
    regular = {(t, i): (t // 4, t % 4 * 2 + i % 2 + i // 2 * 8) for t in range(32) for i in range(10)}
    swapped = regular | {(0, 0): regular[0, 9], (0, 9): regular[0, 0]}
    moved = {(t, i): (t // 40, t % 40 * 2 + i) for t in range(320) for i in range(2)}
    for what, entries, drawn in (("repeats", regular, 8), ("breaks the period", swapped, 40), ("has other threads", moved, 8)):
        path = write_map(what.encode(), "tid,i,row,col", [(*at, *place) for at, place in entries.items()])
        picture = Picture(run(b"--map=" + path, "--format=svg").stdout)
        tap.ok(f"a map that {what}", len(picture.panels[0].cells) == 8 * drawn, str(len(picture.panels[0].cells)))


def check_parts():
    for arguments, shape in (
        (("--arch=70", "mma.m8n8k4.d.f32"), (2, 2)),
        (("--arch=90", "ldmatrix.m8n8.x4.r.b16"), (2, 2)),
        (("--arch=70", "wmma.m16n16k16.a.row.f16"), (1, 2)),
    ):
        panels = shown(*arguments, "--whole").panels
        grid = (len({p.y for p in panels}), len({p.x for p in panels}))
        tap.ok(
            f"the parts of {arguments[1]} stand in {grid[0]} rows of {grid[1]}",
            grid in (shape, shape[::-1]),
            str(grid),
        )
        picture, (report,) = shown(*arguments), reports(*arguments)
        why = ""
        try:
            compare_unfolded(picture, operand(picture.panels[0]), report, False)
        except AssertionError as error:
            why = str(error)
        tap.ok(f"without --whole, one part and a sentence describe all parts: {arguments[1]}", not why and len(picture.panels) == 1, why)


# ---- Products ----


def operand(panel):
    return re.match(r"[A-Z]+", panel.title).group()


def column_edges(panel):
    return sorted({(b[0], b[2]) for b in panel.boxes})


def row_edges(panel):
    return sorted({(b[1], b[3]) for b in panel.boxes})


PRODUCTS = [
    ("an opcode", ("--arch=sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), 1),
    ("names with words left out", ("--arch=sm_80", "mma.m16n8k16", "--type=f16"), 1),
    ("four blocks", ("--arch=sm_70", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"), 4),
    ("copies", ("--arch=sm_70", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"), 1),
    ("sparse A", ("--arch=sm_80", "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"), 1),
    (
        "scale factors",
        (
            "--arch=sm_120",
            "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." "e4m3.e5m2.f32.ue8m0",
        ),
        1,
    ),
    ("a tile", ("--arch=sm_80", "mma.m16n8k16", "--type=f16", "--atom-layout=(2,2,1)"), 1),
    (
        "fragments that are named",
        ("--arch=sm_80", "mma.m16n8k16.a.f16", "mma.m16n8k16.b.f16", "mma.m16n8k16.d.f32"),
        1,
    ),
]


def check_product(panels):
    """The panels of one matrix."""
    of = {letter: [p for p in panels if operand(p) == letter] for letter in "ABCD"}
    (d,) = of["D"]
    for a in of["A"]:
        assert a.right < d.x and row_edges(a) == row_edges(d), "A is not left of D"
    for b in of["B"]:
        assert b.bottom < d.y and column_edges(b) == column_edges(d), "B is not above D"
    for c in of["C"]:
        assert c.x > d.right and row_edges(c) == row_edges(d), "C is not right of D"
    for letter in "AB":
        copies = [p.part().get("copy", 0) for p in sorted(of[letter], key=lambda p: (-p.x, -p.y))]
        assert copies == sorted(copies), "the first copy is not next to D"
    for p in panels:
        assert operand(p) in "ABCD" or p.y > d.bottom, "other operands are not below"


def check_products():
    for name, arguments, blocks in PRODUCTS:
        picture, folded = shown(*arguments, "--whole"), shown(*arguments)
        why = ""
        try:
            assert len(picture.titles) == 1, f"{picture.titles}"
            for block in range(blocks):
                check_product([p for p in picture.panels if p.part().get("block", block) == block])
            for report in reports(*arguments):
                letter = re.search(r"\.([a-f]|sfa|sfb)\.", report["fragment"]).group(1).upper()
                compare([p for p in picture.panels if operand(p) == letter], report)
                compare_unfolded(folded, letter, report, True)
                assert any(f'{letter} {report["fragment"]}' in note for note in picture.notes), "no formulae"
        except AssertionError as error:
            why = str(error)
        tap.ok(f"A, B and D stand as the product is written: {name}", not why, why)
    for name, arguments, _ in [*PRODUCTS, *((name, (*words, "--whole"), n) for name, words, n in PRODUCTS)]:
        panels = shown(*arguments).panels
        apart = all(
            p.right < q.x or q.right < p.x or p.bottom < q.y or q.bottom < p.y
            for p, q in pairs(panels, panels)
            if p is not q
        )
        tap.ok(f"no two panels overlap: {name}", apart)
    picture = shown(*PRODUCTS[0][1])
    tap.ok(
        "the opcode is the title",
        picture.titles == ["mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 on sm_80"],
        str(picture.titles),
    )
    tap.ok("its source stands there once", sum(note.startswith("source: ") for note in picture.notes) == 1)
    picture = shown("--arch=90", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16")
    a, d = picture.panels
    tap.ok("of wgmma A is left of D", a.right < d.x and row_edges(a) == row_edges(d) and len(picture.titles) == 1)
    picture = shown("--arch=80", "wmma.m16n16k16", "--type=f16")
    tap.ok("where there are several of A, each is by itself", len(picture.titles) == 6, str(picture.titles))
    picture = shown("--arch=70,80", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32")
    tap.ok(
        "a product of each architecture",
        [t.split()[-1] for t in picture.titles] == ["sm_70", "sm_80"]
        and max(p.bottom for p in picture.panels[:3]) < min(p.y for p in picture.panels[3:]),
    )


# ---- Questions ----


def check_marks():
    for arguments in (
        ("--arch=80", "mma.m16n8k16.d.f32", "--at=3,5"),
        ("--arch=80", "mma.m16n8k16.a.f16", "--thread=7"),
        ("--arch=80", "mma.m16n8k16.a.f16", "--thread=7,2"),
        ("--arch=70", "mma.m8n8k4.d.f32", "--at=2,0-3,*"),
        ("--arch=70", "wmma.m16n16k16.a.row.f16", "--at=3,5"),
        ("--arch=90", "wgmma.m64n8k16.d.f32", "--thread=5-9"),
        ("--arch=80", "mma.m16n8k16", "--type=f16", "--thread=3"),
    ):
        picture, answers = shown(*arguments), reports(*arguments)
        why = []
        for report in answers:
            letter = re.search(r"\.([a-e])\.", report["fragment"]).group(1).upper()
            panels = [p for p in picture.panels if letter in p.letters()]
            marked = sorted((p.part().get("copy", 0), text) for p in panels for text in p.marked())
            expected = sorted((a["copy"], f'T{a["tid"]} i{a["i"]}') for a in report["answers"])
            assert sum(len(p.marks) for p in panels) == len(expected)
            why += [] if marked == expected else [f"{marked} is not {expected}"]
        tap.ok(f"{arguments[-1]} outlines the answers", not why, "\n".join(why))
        bold = len(re.findall('class="marked"', picture.content))
        tap.ok("and has them in bold", bold == sum(len(p.marks) for p in picture.panels))
    tap.ok("nothing is outlined without a question", not shown("--arch=80", "mma.m16n8k16.d.f32").panels[0].marks)


# ---- Colors ----


def check_tints():
    by = {"thread": 1, "element": 2}
    for arguments in ((), ("--color-by=thread",), ("--color-by=element",)):
        group = by["element" if "element" in "".join(arguments) else "thread"]
        classes = {}
        for panel in shown("--arch=80", "mma.m16n8k16", "--type=f16", *arguments).panels:
            for text, tint in panel.cells.values():
                classes.setdefault(re.fullmatch(r"T(\d+) i(\d+)", text).group(group), set()).add(tint)
        one = all(len(tints) == 1 for tints in classes.values())
        different = len({min(tints) for tints in classes.values()}) == len(classes)
        name = " ".join(arguments) or "by itself"
        tap.ok(f"one tint for each {'element' if group == 2 else 'thread'}, {name}", one and different)
    registers = {}
    for text, tint in shown("--arch=80", "mma.m16n8k16.a.f16", "--color-by=element").panels[0].cells.values():
        registers.setdefault(int(text.split("i")[1]) // 2, set()).add(int(tint[1:]) // 4)
    tap.ok(
        "elements of one register have one hue",
        all(len(hues) == 1 for hues in registers.values())
        and len(registers) == len({min(h) for h in registers.values()}),
    )


def check_palette():
    styles = shown("--arch=80", "mma.m16n8k16.d.f32").styles()
    tints = [styles[f"c{n}"] for n in range(32)]
    worst = min(contrast(styles["cell"], tint) for tint in tints + [styles["none"]])
    tap.ok(f"text on every tint has a contrast of 7, {worst:.2f}", worst >= 7)
    steps = [seen(tints[n], "normal")[0] - seen(tints[n + 1], "normal")[0] for n in range(32) if n % 4 < 3]
    tap.ok(f"the shades of a hue differ in grey, by {min(steps):.1f} of L*", min(steps) >= 6)
    for vision, least in (("normal", 14), ("protanopia", 7), ("deuteranopia", 7), ("tritanopia", 7)):
        apart = min(
            math.dist(seen(tints[4 * h + shade], vision), seen(tints[4 * other + shade], vision))
            for shade in range(4)
            for h in range(8)
            for other in range(h)
        )
        tap.ok(f"the hues are apart with {vision} vision, by {apart:.1f}", apart >= least)
    dark = re.search(
        r"prefers-color-scheme: dark\) \{\n(.*?)\n\}", shown("--arch=80", "mma.m16n8k16.d.f32").content, re.S
    )
    colors = dict(re.findall(r"\.(ground|label|caption) \{ fill: #(\w+)", dark.group(1)))
    pair = [contrast(colors["ground"], colors["caption"]), contrast(colors["ground"], colors["label"])]
    light = [contrast(styles["ground"], styles["caption"]), contrast(styles["ground"], styles["label"])]
    idle = re.search(r"\.none \{ fill: #(\w+)", dark.group(1)).group(1)
    tap.ok("on a dark background, cells without text are dark, but visible", 1.1 <= contrast(colors["ground"], idle) < 2 < contrast(styles["ground"], idle))
    tap.ok("text beside cells is readable on a dark ground, and on a light one", min(pair) >= 7 and min(light) >= 4.5)


# ---- Words ----


def check_captions():
    for style in ("bits", "short", "divide"):
        wrong = []
        for arguments in (
            ("--arch=80", "mma.m16n8k16.d.f32"),
            ("--arch=70", "mma.m8n8k4.a.row.f16"),
            ("--arch=75", "wmma.m16n16k16.a.row.f16"),
            ("--arch=120", "mma.m16n8k32.sfa.1x.ue8m0"),
        ):
            picture, report = shown(*arguments, f"--style={style}"), reports(*arguments, f"--style={style}")[0]
            for axis, formula in (report["formulae"] | report["inverse"]).items():
                formula = formula if isinstance(formula, str) else formula["text"]
                if not any(re.sub("  // .*", "", note) == f"{axis} = {formula}" for note in picture.notes):
                    wrong.append(f"no {axis} = {formula}")
            (source,) = (note for note in picture.notes if note.startswith("source: "))
            wrong += [e["with"] for e in report["source"]["evidence"] if e["with"].split(", ")[-1] not in source]
            confirmed = report.get("confirmed")
            says = [note for note in picture.notes if "confirmed on" in note]
            if confirmed:
                wrong += [] if says == [f'confirmed on {confirmed["arch"]}: {confirmed["with"]}'] else [str(says)]
            if picture.titles != [f'{report["fragment"]} on {report["arch"]}']:
                wrong.append(f"the title {picture.titles}")
        tap.ok(
            f"the source, the confirmation and the formulae stand below, --style={style}", not wrong, "\n".join(wrong)
        )
    notes = shown("--arch=120", "mma.m16n8k32.sfa.1x.ue8m0").notes
    tap.ok("what nobody confirmed says so", "not confirmed on hardware" in notes)
    tap.ok("hints about the command line are left out", not any("--arch=ARCH" in note for note in shown("mma.m16n8k16.d.f32").notes))
    picture = shown("--arch=80", "HMMA.16816.F32")
    tap.ok(
        "and an opcode of SASS what it is",
        any(note.startswith("HMMA.16816.F32 is mma.sync") for note in picture.notes),
    )
    notes = shown("--arch=80", "mma.m16n8k16.d.f32", "--detail").notes
    tap.ok("--detail", any(note.startswith("rows ") for note in notes), "\n".join(notes))


# ---- Width ----

OPCODES = [
    ("80", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"), ("80", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc"),
    ("80", "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"), ("80", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
    ("90", "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"), ("75", "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32"),
    ("120", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"),
]
OTHERS = [
    ("Sw<3,3,3> o 0 o (64,64):(64,1)",), ("(48,42):(42,1)",), ("(64,64):(65,1)", "--type=f32"), ("(130,4):(4,1)",), ("(4,4,100):(4,1,16)",),
    ("(64,64):(72,1)", "--at=3-5,*"), ("Layout_K_SW128_Atom", "--extent=128,128"), ("tcgen05.ld.32x32b.x32.r.b32",),
    ("--arch=100", "tcgen05.mma.m128n256k16.d.f32"), ("--access=ld.b32", "--address=tid*4096"), ("--access=ld.u8", "--address=tid%3*77777"),
    ("--access=ldmatrix.x4", "--address=tid%16*144+tid/16*16"), ("-a90", "--load=mma.m16n8k16.b.f16", "--with=ld.u16", "(64,64):(64,1)"),
    ("--arch=80", "mma.m16n8k16.d.f32", "--atom-layout=(4,2,1)"), ("--arch=90", "wgmma.m64n160k16.d.f16", "--at=*,0"),
]


def check_width():
    for arch, name in OPCODES:
        picture, why = shown(f"--arch={arch}", name), []
        for report in reports(f"--arch={arch}", name):
            letter = re.search(r"\.([a-f]|sfa|sfb)\.", report["fragment"]).group(1).upper()
            try:
                compare_unfolded(picture, letter, report, True)
            except AssertionError as error:
                why.append(str(error))
        why += [f"outside: {text}" for text in outside(picture)]
        tap.ok(f"{name[:60]} is no wider than 1200 pixels, and says where every element is", not why, "\n".join(why))
    for arguments in OTHERS:
        root = ElementTree.fromstring(run(*arguments, "--format=svg").stdout)
        width = float(root.get("viewBox").split()[2])
        tap.ok(f"{' '.join(arguments)[:70]} is no wider than 1200 pixels", width == float(root.get("width")) <= 1200, str(width))
    listed = {arch: run("--list", f"--arch={arch}").stdout.decode().splitlines() for arch in ("70", "75", "80", "90", "100", "120")}
    names = tap.sample([(arch, line.split()[0]) for arch, lines in listed.items() for line in lines if " sm_" in line], 160)
    wrong, done = [], 0
    for arch, name in names:
        (report,), picture = reports(f"--arch={arch}", name), shown(f"--arch={arch}", name)
        try:
            assert picture.size()[0] <= 1200, f"{picture.size()} pixels"
            if "tid" in report.get("inverse", {}) and report["coordinates"][-2:] == ["row", "col"]:
                compare_unfolded(picture, operand(picture.panels[0]), report, False)
                done += 1
        except AssertionError as error:
            wrong.append(f"{name}: {error}")
    tap.ok(f"so are {len(names)} fragments, and {done} in registers say where every element is", not wrong and done > 10, "\n".join(wrong))


# ---- SVG ----


def check_markup():
    for arguments in [a for _, a, _ in PRODUCTS] + [
        ("--arch=90", "wgmma.m64n8k16.d.f32"),
        ("--arch=90", "wgmma.m64n64k16.d.f32"),
        ("--arch=90", "ldmatrix.m8n8.x1.p.b16"),
        ("--arch=75", "wmma.m16n16k16.a.row.f16"),
        ("--arch=80", "mma.m8n8k4.a.f64"),
    ]:
        picture = shown(*arguments)
        root, wrong = picture.root, []
        wrong += [
            f"<{e.tag}>"
            for e in root.iter()
            if e.tag[len(SVG) :] not in ("svg", "title", "desc", "style", "rect", "g", "path", "text")
        ]
        wrong += [
            f"{name}="
            for e in root.iter()
            for name in e.keys()
            if name.lower().startswith("on") or "href" in name or name in ("src", "style")
        ]
        wrong += [
            word
            for word in ("url(", "@import", "<script", "http:", "https:", "<!DOCTYPE")
            if word in picture.content.replace("http://www.w3.org/2000/svg", "")
        ]
        wrong += [f"no {tag}" for tag in ("title", "desc") if not root.findtext(SVG + tag)]
        wrong += (
            [] if root.get("role") == "img" and picture.titles[0] in root.findtext(SVG + "title") else ["no role"]
        )
        wrong += [f"outside: {text}" for text in outside(picture)]
        ground = root.find(SVG + "rect")
        wrong += [] if (ground.get("width"), ground.get("height")) == ("100%", "100%") else ["no ground"]
        tap.ok(f"{' '.join(arguments[1:])[:70]} is plain SVG, all of it inside", not wrong, "\n".join(wrong))


def write_map(name, head, entries):
    path = os.path.join(os.fsencode(folder), name)
    with open(path, "w") as file:
        print(head, *(",".join(map(str, entry)) for entry in entries), sep="\n", file=file)
    return path


def check_maps():
    entries = [(t, i, t // 4, t % 4 * 2 + i) for t in range(32) for i in range(2)]
    for name, title in (
        (b"a<b>&\"'.csv", "a<b>&\"'.csv"),
        (b"]]>\x01\x7f\xff\xc3.csv", "]]>\\x01\\x7f\\xff\\xc3.csv"),
        ("größe.csv".encode(), "größe.csv"),
        (b"\xed\xa0\x80\xc0\xaf\xef\xbf\xbe\xf4\x90\x80\x80", r"\xed\xa0\x80\xc0\xaf\ufffe\xf4\x90\x80\x80"),
    ):
        path = write_map(name, "tid,i,row,col", entries)
        picture = shown(b"--map=" + path)
        tap.ok(
            f"a file may be called {title}",
            picture.titles == [title] and not list(outside(picture)),
            str(picture.titles),
        )
    texts = picture.panels[0].texts()
    tap.ok(
        "a map whose target is a plane shows who is there",
        texts == {(str(row), str(col)): f"T{t} i{i}" for t, i, row, col in entries},
    )
    path = write_map(b"wide.csv", f"x,y,z,{'W' * 40},row", [(0, 0, 0, 0, 0), (1, 0, 0, 0, 4)])
    picture = shown(b"--map=" + path)
    tap.ok(
        "a long name of columns makes the picture wider",
        picture.panels[0].axes[0] == "W" * 40 and not list(outside(picture)),
        f"{picture.panels[0].axes} {list(outside(picture))}",
    )
    entries = [(t, i, t // 2, i * t % 3) for t in range(8) for i in range(4)]
    path = write_map(b"shared.csv", "tid,i,row,col", entries)
    result = run(b"--map=" + path, "--format=svg")
    panel = Picture(result.stdout).panels[0]
    tap.ok(
        "one without an inverse shows where each goes",
        result.returncode == 4
        and panel.axes == ["i", "tid"]
        and panel.texts() == {(str(t), str(i)): f"{row},{col}" for t, i, row, col in entries},
    )
    path = write_map(b"line.csv", "tid,offset", [(t, t * 2) for t in range(100)])
    (panel,) = shown(b"--map=" + path).panels
    tap.ok(
        "a single row is folded",
        panel.axes == ["tid"] and panel.texts() == {(str(t // 32 * 32), str(t % 32)): str(2 * t) for t in range(100)},
    )
    path = write_map(
        b"cube.csv", "x,y,z,a,b,c", [(x, y, z, x, z, y) for x in range(3) for y in range(2) for z in range(4)]
    )
    panels = shown(b"--map=" + path, "--outputs=a,b,c", "--whole").panels
    tap.ok(
        "a space is cut into planes",
        [p.title for p in panels] == [f"a {n} of 3, 4 x 2" for n in range(3)]
        and all(
            p.texts() == {(str(z), str(y)): f"{p.part()['a']},{y},{z}" for y in range(2) for z in range(4)}
            for p in panels
        ),
    )
    path = write_map(b"high.csv", "x,y", [(0, 0), (1, 4000000000), (2, 7)])
    (panel,) = shown(b"--map=" + path, "--outputs=y").panels
    tap.ok("large numbers fit", panel.texts() == {("", "0"): "0", ("", "1"): "4000000000", ("", "2"): "7"})
    path = write_map(b"wide.csv", "x,z,y", [(x, z, x) for x in range(4000) for z in range(2)])
    picture = shown(b"--map=" + path, "--outputs=y", "--whole")
    tap.ok("so do many", len(picture.panels[0].cells) == 8000 and not list(outside(picture)))


for check in (
    check_cells,
    check_large,
    check_period,
    check_parts,
    check_products,
    check_marks,
    check_tints,
    check_palette,
    check_captions,
    check_width,
    check_markup,
    check_maps,
):
    try:
        check()
    except (
        AssertionError,
        KeyError,
        ValueError,
        IndexError,
        AttributeError,
        StopIteration,
        ElementTree.ParseError,
    ) as error:
        tap.ok(f"{check.__name__} comes to its end", False, repr(error))
sys.exit(tap.finish())
