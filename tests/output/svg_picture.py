"""Parses an SVG picture by the positions of its parts."""

import re
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Panel:
    """Cells by the numbers of their row and column: (text, class of the tint); determined by their positions."""

    def __init__(self, group):
        texts = [(e, float(e.get("x")), float(e.get("y"))) for e in group.iter(SVG + "text")]
        cell_texts = set(next(g for g in group.findall(SVG + "g") if g.get("class") == "cell"))
        in_cells = [(e, x, y) for e, x, y in texts if e in cell_texts]
        texts = [(e, x, y) for e, x, y in texts if e not in cell_texts]
        words = {e: (e.get("class") or "").split() for e, _, _ in texts}
        has = lambda e, name: name in words[e]
        self.title = "".join(e.text for e, _, _ in texts if has(e, "name"))
        self.axes = [e.text for e, _, _ in texts if has(e, "axis")]
        self.row_labels = [(e.text, x, y) for e, x, y in texts if has(e, "row") and not has(e, "axis")]
        self.right_labels = [(e.text, x, y) for e, x, y in texts if has(e, "right")]
        self.col_labels = [(e.text, x, y) for e, x, y in texts if has(e, "col")]
        self.read_boxes(group)
        self.read_labels()
        self.cells = {}
        for element, x, y in sorted(in_cells, key=lambda found: found[2]):
            self.add_cell(element.text, x, y)
        assert len(self.cells) == len(self.boxes), "cells without text"

    def read_boxes(self, group):
        """Cells, and the outlines of those that are marked."""
        self.boxes, self.marks = {}, []
        for path in group.findall(SVG + "path"):
            for x, y, w, h, back in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z", path.get("d")):
                assert w == back
                box = tuple(map(int, (x, y, w, h)))
                if path.get("class") == "halo":
                    self.marks.append(box)
                elif path.get("class") != "mark":
                    assert box not in self.boxes, "two cells in one place"
                    self.boxes[box] = path.get("class")
        self.width, self.height = next(iter(self.boxes))[2:]
        self.x, self.y = min(b[0] for b in self.boxes), min(b[1] for b in self.boxes)
        self.right = max(b[0] for b in self.boxes) + self.width
        self.bottom = max(b[1] for b in self.boxes) + self.height

    def read_labels(self):
        """The texts left of each row, and above each column."""
        assert all(x < self.x for _, x, _ in self.row_labels)
        self.rows = {(y - 3 - self.y) // self.height: text for text, _, y in self.row_labels}
        self.cols = {(x - self.x) // self.width: text for text, x, y in self.col_labels if y < self.y}

    def add_cell(self, text, x, y):
        """Adds a text, which must be inside a cell, in its middle."""
        box = self.box_at(x, y)
        assert abs(x - (box[0] + box[2] / 2)) <= 1 and y - 8 >= box[1] and y <= box[1] + box[3] - 3
        assert 6.03 * len(text) <= box[2] - 3, f"{text} does not fit"
        place = self.place(box)
        lines = [*self.cells[place][0].split(), text] if place in self.cells else [text]
        assert len(lines) * 12 + 8 <= box[3], "too many texts in one cell"
        self.cells[place] = (" ".join(lines), self.boxes[box])

    def box_at(self, x, y):
        across, down = (x - self.x) // self.width, (y - self.y) // self.height
        box = (int(self.x + across * self.width), int(self.y + down * self.height), self.width, self.height)
        assert box in self.boxes, "text outside of cells"
        return box

    def place(self, box):
        """The labels left of a cell and above it."""
        across, down = (box[0] - self.x) // self.width, (box[1] - self.y) // self.height
        return self.rows.get(down, ""), self.cols[across]

    def texts(self):
        return {place: text for place, (text, _) in self.cells.items()}

    def marked(self):
        return {self.texts()[self.place(self.box_at(x + w / 2, y + h / 2))] for x, y, w, h in self.marks}

    def letters(self):
        """The operands that the panel shows: C and D of "C and D, 16 x 8"."""
        return re.match(r"[A-Z]*(?: and [A-Z]+)?", self.title).group().split(" and ")

    def part(self):
        """{"block": 2} of "A, block 2 of 4, 8 x 4"."""
        return {axis: int(n) for axis, n in re.findall(r"(\w+) (\d+) (?:of \d+|\(0-\d+\))", self.title)}


LINE = re.compile(r"(?:([A-Z, ]+), )?(row|column|block|copy|copie|selector)s? (\d+)(?: to (\d+))?: (.*) for each (?:(\d+) )?\w+")
AXES = {"row": "row", "column": "col", "copie": "copy"}


class Picture:
    def __init__(self, content, is_whole=False):
        self.content, self.is_whole = content.decode("utf-8"), is_whole
        self.root = ElementTree.fromstring(content)
        self.panels = [Panel(g) for g in self.root.findall(SVG + "g") if g.get("class") == "panel"]
        self.captions = []  # (class, text): lines put together
        group = next(g for g in self.root.findall(SVG + "g") if g.get("class") == "caption")
        left = min(float(e.get("x")) for e in group)
        for element in group:
            if float(element.get("x")) > left:
                kind, text = self.captions.pop()
                self.captions.append((kind, text + " " + element.text))
            else:
                self.captions.append((element.get("class"), element.text))
        self.titles = [text for kind, text in self.captions if kind == "title"]
        self.notes = [text for kind, text in self.captions if kind != "title"]

    def size(self):
        _, _, width, height = map(float, self.root.get("viewBox").split())
        shown = width if self.is_whole else min(width, 1200)  # a wider picture is scaled down
        assert (float(self.root.get("width")), float(self.root.get("height"))) == (shown, height * shown // width)
        return width, height

    def unfolded(self, letter, is_named):
        """All cells of an operand, drawn ones and those that sentences describe: {((axis, number), ...): text}. The
        sentences begin with letters if several operands are drawn."""
        cells = {}
        for panel in self.panels:
            if letter in panel.letters() or not is_named:
                for (row, col), text in panel.texts().items():
                    place = {"row": int(row), "col": int(col), **panel.part()}
                    cells[tuple(sorted(place.items()))] = {sign: int(n) for sign, n in re.findall(r"([Ti])(\d+)", text)}
        for note in self.notes:
            found = LINE.fullmatch(note)
            if not found or (is_named and letter not in found[1].split(", ")):
                continue
            axis, first, last, every = AXES.get(found[2], found[2]), int(found[3]), int(found[4] or found[3]), int(found[6] or 1)
            added = {sign: int(plus + n) for sign, plus, n in re.findall(r"([Ti]) ([+-]) (\d+)", found[5])}
            assert added or found[5] == "the same", note
            by_number = {}
            for place, cell in cells.items():
                by_number.setdefault(dict(place)[axis], {})[place] = cell
            for number in range(first, last + 1):
                for place, cell in by_number.get(number - every, {}).items():
                    new = tuple(sorted({**dict(place), axis: number}.items()))
                    by_number.setdefault(number, {})[new] = {sign: n + added.get(sign, 0) for sign, n in cell.items()}
            cells = {place: cell for group in by_number.values() for place, cell in group.items()}
        return {place: f'T{cell["T"]} i{cell["i"]}' for place, cell in cells.items()}

    def styles(self):
        return dict(
            re.findall(
                r"\.mapping (?:\.panel )?\.(\w+) \{ fill: #([0-9a-f]{6})",
                self.content.split("@media")[0] + self.content.split("}\n}\n")[1],
            )
        )


def outside(picture):
    """Texts that are not inside of the picture, a character being 0.602 of its size wide."""
    width, height = picture.size()
    groups = [(g, g.get("class")) for g in picture.root.iter(SVG + "g")]
    for element, group in ((e, kind) for g, kind in groups for e in g.findall(SVG + "text")):
        kinds = [group, *(element.get("class") or "").split()]
        length = len(element.text) * 6.02 * (1.3 if "title" in kinds else 1)
        x, y = float(element.get("x")), float(element.get("y"))
        start = x - length if "row" in kinds else x - length / 2 if "col" in kinds or "cell" in kinds else x
        end = x if "row" in kinds else x + (length / 2 if "col" in kinds or "cell" in kinds else length)
        if start < 0 or end > width or y < 10 or y > height:
            yield element.text
