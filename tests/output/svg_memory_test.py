#!/usr/bin/env python3
"""Parses pictures of matrices in memory and of accesses by the positions of their parts, and checks them.

    svg_memory_test.py MAPPING placements    every cell by element and by address is that of --format=json
    svg_memory_test.py MAPPING marks         the requested elements are outlined, and nothing else
    svg_memory_test.py MAPPING accesses      words, lanes, wavefronts and colors are those of the addresses
    svg_memory_test.py MAPPING loadings      the same for each step of a load, with the addresses of --format=json

The test computes banks itself: for an element, its distance from the first one in bits, divided by 32, modulo 32; for
an access, each 4 bytes that an active lane requests. Prints the number of correct pictures, or the errors of the first
wrong ones.
"""

import json
import os
import random
import re
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from tap import sample  # noqa: E402

mapping = sys.argv[1]
SVG = "{http://www.w3.org/2000/svg}"
BANKS = 32
LANES = 32
DRAWN = 4  # accesses of a load or store


def run(*arguments):
    return output(mapping, *arguments, statuses=(0, 4))


# ---- Reading pictures ----

def classes(element):
    return (element.get("class") or "").split()


def texts(parent, name=None):
    return [(float(e.get("x")), float(e.get("y")), e.text or "") for e in parent.iter(SVG + "text")
            if name is None or (name in classes(e) and "axis" not in classes(e))]


class Panel:
    """Its title, the labels of its rows and columns, and by row and column what cells say, their tint, marks."""

    def __init__(self, group):
        self.title = "".join(text for _, _, text in texts(group, "name"))
        rows, cols = sorted(texts(group, "row"), key=lambda t: t[1]), texts(group, "col")
        top = min(y for _, y, _ in cols)
        cols = sorted(t for t in cols if t[1] == top)
        self.rows, self.cols = [text for _, _, text in rows], [text for _, _, text in cols]
        self.tint, self.text, self.marks = {}, {}, set()
        for path in group.findall(SVG + "path"):
            for numbers in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z", path.get("d")):
                x, y, width, height = map(int, numbers)
                row = [n for n, (_, label, _) in enumerate(rows) if y <= label < y + height]
                col = [n for n, (label, _, _) in enumerate(cols) if x < label < x + width]
                assert len(row) == len(col) == 1, f"cell at {x} {y} is in rows {row} and columns {col}"
                place = row[0], col[0]
                if path.get("class") == "mark":
                    self.marks.add(place)
                if not re.fullmatch(r"c\d+|none|warning", path.get("class")):
                    continue
                assert place not in self.tint, f"two cells in {place}"
                self.tint[place] = path.get("class")
                self.text[place] = []
                self.corner, self.size = (x - col[0] * width, y - row[0] * height), (width, height)
        cell, = [g for g in group.findall(SVG + "g") if "cell" in classes(g)]
        for x, y, text in sorted(texts(cell), key=lambda t: t[1]):
            col, aside = divmod(x - self.corner[0], self.size[0])
            assert abs(aside - self.size[0] / 2) <= 1, f"'{text}' is not in the middle of its cell"
            self.text[int((y - self.corner[1]) // self.size[1]), int(col)].append(text)

    def append(self, band):
        """Adds the columns of another panel."""
        assert band.rows == self.rows, band.rows
        moved = lambda place: (place[0], place[1] + len(self.cols))
        self.tint.update({moved(place): tint for place, tint in band.tint.items()})
        self.text.update({moved(place): text for place, text in band.text.items()})
        self.marks |= set(map(moved, band.marks))
        self.cols += band.cols

    def all(self):
        return {(row, col) for row in range(len(self.rows)) for col in range(len(self.cols))}


def picture(*arguments):
    """Its panels, its captions and its title."""
    is_asked = any(argument.startswith(("--at", "--offset", "--load", "--store", "--access")) for argument in arguments)
    root = ElementTree.fromstring(run(*arguments, "--format=svg", *([] if is_asked else ["--whole"])))
    panels = []
    for panel in (Panel(g) for g in root.iter(SVG + "g") if "panel" in classes(g)):
        if re.fullmatch(r"\w+ \S+ to \S+", panel.title):  # further columns of a wide panel
            panels[-1].append(panel)
        else:
            panels.append(panel)
    captions = [t for g in root.iter(SVG + "g") if "caption" in classes(g) for t in texts(g)]
    return panels, " ".join(text for _, _, text in sorted(captions, key=lambda t: t[1]))


def tint_of_bank(bank):
    return f"c{bank % 32}"


# ---- Matrices in memory ----

def banks_text(first_bit, bits):
    first, last = first_bit // 32 % BANKS, (first_bit + bits - 1) // 32 % BANKS
    return f"{first}" if first == last else f"{first}-{last}"


def stages_of(answer):
    return answer["map"] if "stages" in answer else [answer["map"]]


def compare_elements(panel, stage, count, offsets, bits):
    title = f"By element, stage {stage} of {count}" if count > 1 else "By element"
    assert panel.title == title, panel.title
    assert panel.rows == [str(n) for n in range(len(offsets))], panel.rows
    assert panel.cols == [str(n) for n in range(len(offsets[0]))], panel.cols
    assert set(panel.tint) == panel.all(), "cells are missing"
    for row, line in enumerate(offsets):
        for col, offset in enumerate(line):
            says = [str(offset), "b" + banks_text(offset * bits, bits)]
            assert panel.text[row, col] == says, f"{row}, {col} says {panel.text[row, col]}, not {says}"
            tint = tint_of_bank(offset * bits // 32)
            assert panel.tint[row, col] == tint, f"{row}, {col} has {panel.tint[row, col]}, not {tint}"


def elements_of(text):
    """The coordinates in a cell, and along which axis they run: "(0, 8..15)"."""
    found, axis = [[]], None
    assert re.fullmatch(r"\(\d+(\.\.\d+)?(, \d+(\.\.\d+)?)+\)", text), text
    for n, word in enumerate(text[1:-1].split(", ")):
        first, _, last = word.partition("..")
        axis = n if last else axis
        found = [point + [value] for point in found for value in range(int(first), int(last or first) + 1)]
    return found, axis


def tint_of_piece(piece):
    return f"c{piece % 8 * 4 + piece // 8 % 4}"


def compare_addresses(panel, answer):
    """Every element stands where its offset says, and nothing is in between; tints are pieces along the axis of runs, or
    if there is one alone, along the other."""
    bits, stages, seen = answer["bits"], stages_of(answer), 0
    count = max(len(elements_of(t[0])[0]) for t in panel.text.values() if t)
    in_line = 1024 // bits
    cells = -(-answer["offsets"] // count)
    assert len(panel.cols) == min(in_line // count, cells), panel.cols
    assert len(panel.rows) == -(-cells // (in_line // count)), panel.rows
    assert panel.rows == [str(128 * n) for n in range(len(panel.rows))], panel.rows
    assert panel.cols == [banks_text(n * count * bits, count * bits) for n in range(len(panel.cols))], panel.cols
    assert len(panel.tint) == cells, f"{len(panel.tint)} cells, not {cells}"
    for (row, col), text in panel.text.items():
        if not text:
            assert panel.tint[row, col] == "none", f"{row}, {col} is empty, and has {panel.tint[row, col]}"
            continue
        points, axis = elements_of(text[0])
        assert len(text) == 1 and len(points) == count, text
        for n, point in enumerate(points):
            stage, (r, c) = point[0] if len(point) > 2 else 0, point[-2:]
            offset = stages[stage][r][c]
            assert offset == row * in_line + col * count + n, f"{text} in line {row}, cell {col}: offset {offset}"
            seen += 1
        axis = len(points[0]) - 1 if axis is None else axis
        sizes = [len(stages), answer["rows"], answer["cols"]][-len(points[0]):]
        other = 2 * len(sizes) - 3 - axis
        piece = points[0][axis] // count if sizes[axis] > count else points[0][other]
        tint = tint_of_piece(piece)
        assert panel.tint[row, col] == tint, f"{text} has {panel.tint[row, col]}, not {tint}"
    assert seen == sum(len(line) for stage in stages for line in stage), f"{seen} elements"


SWIZZLED = "Sw<3,3,3> o 0 o (64,64):(64,1)"
MATRICES = [
    [SWIZZLED], ["(64,64):(72,1)"], ["(64,64):(1,64)"], ["(64,64):(1,66)"], ["(5,7):(1,6)"], ["(3,5):(13,2)"],
    ["(4,8):(8,1)"], ["(8,6):(1,8)"],
    ["(1,8):(8,1)"], ["(8,1):(1,8)"], ["(24,40):(40,1)"], ["Sw<2,3,3> o 0 o (32,32):(32,1)"],
    ["Sw<1,0,3> o 0 o (8,8):(1,8)"], ["((8,4),(8,4)):((8,256),(1,64))"], ["(16,16,3):(16,1,256)"],
    ["(16,16,4):(24,1,384)"], ["(8,6,5):(1,8,48)"], ["(4,8,16):(8,1,32)"], ["Sw<2,2,3> o 0 o (16,16,4):(16,1,256)"],
    ["(4,4):(4,1)", "--type=f64"], ["(16,16):(20,1)", "--type=f32"], ["(32,32):(32,1)", "--type=s8"],
    ["(16,64):(64,1)", "--type=s4"], ["(8,256):(256,1)", "--type=b1"], ["(8,128):(160,1)", "--type=b1"],
    ["(16,256):(256,1)"], ["(256,16):(16,1)"], ["Layout_K_SW128_Atom", "--extent=64,64"],
    ["Layout_K_SW32_Atom", "--extent=16,32"], ["Layout_MN_SW64_Atom", "--extent=64,32"],
    ["Layout_K_INTER_Atom", "--extent=16,16"], ["TensorOpMultiplicand<16,64>", "--extent=64,64"],
    ["TensorOpMultiplicandCrosswise<16,32>", "--extent=32,64"],
    ["VoltaTensorOpMultiplicandCongruous<16>", "--extent=64,32"],
]


def check_placement(arguments):
    answer = json.loads(run("--format=json", *arguments))
    panels, captions = picture(*arguments)
    stages = stages_of(answer)
    assert len(panels) == len(stages) + 1, [panel.title for panel in panels]
    for stage, offsets in enumerate(stages):
        compare_elements(panels[stage], stage, len(stages), offsets, answer["bits"])
    compare_addresses(panels[-1], answer)
    assert f"elements of {answer['type']}, {answer['bytes']} bytes" in captions, captions
    if answer["descriptor"]:
        # PTX ISA, Matrix Descriptor Format: offsets in units of 16 bytes at bits 16 and 32, the mode at 62.
        said = answer["descriptor"]
        value = (said["leading"] or 16) // 16 << 16 | said["stride"] // 16 << 32 | said["mode"] << 62
        assert f"stride byte offset {said['stride']}" in captions, captions
        assert f"wgmma: {value:#018x}," in captions, captions


def check_wide():
    panels, captions = picture("(4,4):(100000,1)")
    assert [panel.title for panel in panels] == ["By element"]
    assert "Not shown by address: most of the memory is empty." in captions


# ---- Questions ----

def check_marks(arguments, asked):
    """`asked` says of a stage, row, column and offset whether it was asked for."""
    answer = json.loads(run("--format=json", *[a for a in arguments if not a.startswith(("--at", "--offset"))]))
    panels, _ = picture(*arguments)
    stages, in_line, marked = stages_of(answer), 1024 // answer["bits"], set()
    count = in_line // len(panels[-1].cols)
    for stage, offsets in enumerate(stages):
        expected = {(row, col) for row, line in enumerate(offsets) for col, offset in enumerate(line)
                    if asked(stage, row, col, offset)}
        assert panels[stage].marks == expected, f"{panels[stage].marks} instead of {expected}"
        marked |= {offsets[row][col] for row, col in expected}
    assert panels[-1].marks == {(n // in_line, n % in_line // count) for n in marked}, panels[-1].marks


MARKS = [
    (["--at=1,0", SWIZZLED], lambda s, r, c, o: (r, c) == (1, 0)),
    (["--at=3-5,*", "(64,64):(72,1)"], lambda s, r, c, o: 3 <= r <= 5),
    (["--at=1,2", "(16,16,4):(16,1,256)"], lambda s, r, c, o: (r, c) == (1, 2)),
    (["--at=3,1,2", "(16,16,4):(16,1,256)"], lambda s, r, c, o: (s, r, c) == (3, 1, 2)),
    (["--offset=72", SWIZZLED], lambda s, r, c, o: o == 72),
    (["--offset=63-80", "(64,64):(72,1)"], lambda s, r, c, o: 63 <= o <= 80),
    (["--offset=65", "(64,64):(72,1)"], lambda s, r, c, o: False),
]


# ---- Accesses ----

def lanes_of(text):
    """The lanes that a cell names: "T0-3,", "8"."""
    found = set()
    assert text[0] == "T", text
    for word in text[1:].split(","):
        first, _, last = word.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def words_of(addresses, lanes, size):
    """Of each bank its words, in the order of the lowest lane: {bank: {word: lanes}}."""
    found = {}
    for lane in lanes:
        for word in sorted({byte // 4 for byte in range(addresses[lane], addresses[lane] + size)}):
            found.setdefault(word % BANKS, {}).setdefault(word, set()).add(lane)
    return found


def grown(cells, first, last, every, shift):
    """Adds cells `first` to `last`: each is the one `every` before it, with lanes and bytes shifted."""
    for at in range(first, last + 1):
        cells[at] = [shift(cell) if cell else cell for cell in cells[at - every]]


def unfolded(panel, number, captions):
    """The contents of each cell, [bank][wavefront]: None, or lanes, byte and tint. A column of the panel may have several
    banks. The captions describe the wavefronts and banks that are left out."""
    banks = []
    for col, label in enumerate(panel.cols):
        first, _, last = label.partition("-")
        for bank in range(int(first), int(last or first) + 1):
            assert bank == len(banks), panel.cols
            cells = []
            for row in range(len(panel.rows)):
                *threads, byte = panel.text[row, col] or [None]
                cells.append(byte and (frozenset(lanes_of("".join(threads))), int(byte.removeprefix("@")) + 4 * (bank - int(first)),
                                       panel.tint[row, col]))
                assert byte or panel.tint[row, col] == "none", f"bank {bank} is idle in {row}, and tinted"
            banks.append(cells)
    for word, first, last, text, every in re.findall(rf"phase {number}, (wavefront|bank)s (\d+) to (\d+): ([^:]*) for each (\d+) \1s",
                                                     captions):
        lane, byte = shifted(", " + text, "T"), shifted(", " + text, "@")

        def shift(cell):
            lanes = frozenset(map(lane, cell[0]))
            return lanes, byte(cell[1]), cell[2] if cell[2] == "warning" else f"c{min(lanes) % 32}"
        if word == "bank":
            banks += [None] * (int(last) + 1 - len(banks))
            grown(banks, int(first), int(last), int(every), shift)
        else:
            for cells in banks:
                for at in range(int(first), int(last) + 1):
                    cells.append(cells[at - int(every)] and shift(cells[at - int(every)]))
    return banks


def compare_phase(panel, captions, number, phase, addresses, size, first_thread=0):
    words = words_of(addresses, phase["lanes"], size)
    most = max(map(len, words.values()))
    assert most == phase["wavefronts"], f"{most} words meet, not {phase['wavefronts']}"
    assert panel.title.startswith("lane") and f" (phase {number}): " in panel.title, panel.title
    plural = "s" if most > 1 else ""
    assert f": {most} wavefront{plural}, " in panel.title, panel.title
    assert panel.rows == [str(n) for n in range(len(panel.rows))], panel.rows
    assert set(panel.tint) == panel.all(), "cells are missing"
    banks = unfolded(panel, number, captions)
    assert [len(bank) for bank in banks] == [most] * BANKS, [len(bank) for bank in banks]
    for bank, cells in enumerate(banks):
        here = list(words.get(bank, {}).items())
        expected = [(frozenset(lane + first_thread for lane in lanes), 4 * word,
                     "warning" if len(here) > 1 else f"c{(first_thread + min(lanes)) % 32}") for word, lanes in here]
        assert cells == expected + [None] * (most - len(here)), f"bank {bank}: {cells}, not {expected}"


def shifted(text, what):
    """The change that a sentence makes to lanes (T) or bytes (@): "T + 8", "@ ^ 128"; nothing, if there is none."""
    found = re.search(rf", {what} ([-+^]) (\d+)", text)
    if not found:
        return lambda value: value
    number = int(found[2])
    return {"+": lambda v: v + number, "-": lambda v: v - number, "^": lambda v: v ^ number}[found[1]]


def compare_phases(panels, captions, phases, addresses, size, first_thread=0):
    """Each phase is a panel, which is taken from `panels`, or a sentence that says how it follows from one."""
    drawn = {}
    for number, phase in enumerate(phases):
        if not phase["lanes"]:
            continue
        words = words_of(addresses, phase["lanes"], size)
        if panels and f" (phase {number}): " in panels[0].title:
            compare_phase(panels.pop(0), captions, number, phase, addresses, size, first_thread)
            drawn[number] = words
            continue
        found = re.search(rf"lanes? [-0-9, ]+ \(phase {number}\): {phase['wavefronts']} wavefronts?,[^;]*; as phase "
                          r"(\d+)((?:, [T@] [-+^] \d+)*)", captions)
        assert found, f"phase {number} is neither drawn nor said"
        lane, byte = shifted(found[2], "T"), shifted(found[2], "@")
        follows = {}
        for there in drawn[int(found[1])].values():
            for word, lanes in there.items():
                word = byte(4 * word) // 4
                follows.setdefault(word % BANKS, {})[word] = {lane(l) for l in lanes}
        assert follows == words, f"phase {number} is not phase {found[1]} moved"


OPERATIONS = {"ld.u8": 1, "ld.u16": 2, "ld.b32": 4, "ld.b64": 8, "ld.b128": 16, "st.u8": 1, "st.u16": 2, "st.b32": 4,
              "st.b64": 8, "st.b128": 16, "ldmatrix.x1": 16, "ldmatrix.x2.trans": 16, "ldmatrix.x4": 16,
              "stmatrix.x1.trans": 16, "stmatrix.x2": 16, "stmatrix.x4": 16}


def lanes_needed(operation):
    matrices = re.search(r"matrix\.x(\d)", operation)
    return 8 * int(matrices[1]) if matrices else LANES


def patterns(operation, size):
    """Addresses of all lanes, None for inactive ones."""
    count, choose = lanes_needed(operation), random.Random(operation)
    yield [lane * size for lane in range(count)]
    yield [lane * 128 for lane in range(count)]
    yield [0] * count
    yield [lane // 2 * 2 * size for lane in range(count)]
    yield [lane % 2 * 128 for lane in range(count)]
    for bound in (8, 64, 512, 4096):
        yield [choose.randrange(bound) * size for _ in range(count)]
    if count == LANES and "matrix" not in operation:
        yield [choose.choice([None, lane * 64 // size * size]) for lane in range(count)]
        yield [4096 if lane == 31 else None for lane in range(count)]


def check_access(operation, addresses):
    text = ",".join("-" if a is None else str(a) for a in addresses)
    arguments = [f"--access={operation}", f"--address={text}"]
    answer = json.loads(run(*arguments, "--format=json"))
    panels, captions = picture(*arguments)
    compare_phases(panels, captions, answer["phases"], addresses, OPERATIONS[operation])
    assert not panels, [panel.title for panel in panels]
    assert f"Wavefronts: {answer['wavefronts']}" in captions, captions
    assert ("no bank conflicts" in captions) == (answer["wavefronts"] == answer["minimum"]), captions
    for number, phase in enumerate(answer["phases"]):
        assert phase["lanes"] or f"no active lanes (phase {number})" in captions, captions


# ---- Loads and stores ----

LOADINGS = [
    ["--load=mma.m16n8k16.a.f16", "(64,64):(64,1)"], ["--load=mma.m16n8k16.a.f16", SWIZZLED],
    ["--load=mma.m16n8k16.b.f16", "--with=ld.u16", "(64,64):(64,1)"],
    ["--store=mma.m16n8k16.d.f32", "--type=f32", "(64,64):(72,1)"], ["--store=cp.async", "(16,64):(72,1)"],
    ["--store=wgmma.m64n16k16.d.f32", "--type=f32", "(64,64):(64,1)"],
    ["--load=mma.m16n8k16.a.f16", "--store=mma.m16n8k16.d.f16", "(64,64):(72,1)"],
]


def check_loading(arguments):
    plans = json.loads(run("-a90", "--format=json", *arguments))
    panels, captions = picture("-a90", *arguments)
    plans = plans if isinstance(plans, list) else [plans]
    name = lambda plan: plan.get("load") or plan.get("store")
    best = [plan for n, plan in enumerate(plans) if n == 0 or name(plan) != name(plans[n - 1])]
    for plan in best:
        accesses = [(step["address"][n:n + LANES], n) for step in plan["steps"]
                    for n in range(0, len(step["address"]), LANES)]
        for addresses, first_thread in accesses[:DRAWN]:
            text = ",".join("-" if a is None else str(a) for a in addresses[:lanes_needed(plan["with"])])
            answer = json.loads(run(f"--access={plan['with']}", f"--address={text}", "--format=json"))
            compare_phases(panels, captions, answer["phases"], addresses, OPERATIONS[plan["with"]], first_thread)
        left = len(accesses) - DRAWN
        assert (f"{left} more warp accesses are not drawn." in captions) == ("not drawn" in captions) == (left > 0), captions
        assert f"{name(plan)} {'to' if 'store' in plan else 'from'} {plan['layout']}" in captions, captions
    assert not panels, [panel.title for panel in panels]


# ---- All of it ----

CHECKS = {
    "placements": [(check_placement, (arguments,)) for arguments in MATRICES] + [(check_wide, ())],
    "marks": [(check_marks, arguments) for arguments in MARKS],
    "accesses": [(check_access, (operation, addresses)) for operation, size in OPERATIONS.items()
                 for addresses in patterns(operation, size)],
    "loadings": [(check_loading, (arguments,)) for arguments in LOADINGS],
}


def main():
    wrong, all_checks = 0, CHECKS[sys.argv[2]]
    checks = sample(all_checks, 13) if len(all_checks) > 20 else all_checks
    for check, arguments in checks:
        try:
            check(*arguments)
        except AssertionError as error:
            wrong += 1
            if wrong <= 5:
                print(f"{arguments}: {str(error)[:600]}")
    print(f"{len(checks)} of {len(all_checks)} pictures, {wrong} wrong")
    return wrong > 0


sys.exit(main())
