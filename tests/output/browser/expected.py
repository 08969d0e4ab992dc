"""The expected data of each element on a page of --format=html: from --format=json of the same command, and Python's
own evaluation of the formulae there."""

import functools
import json
import os
import re
import subprocess
import sys


def mapping(program, *arguments):
    """Returns the program's output, based on records, not on a device."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"Bail out! mapping {' '.join(arguments)}: {done.stderr}")
    return done.stdout


@functools.lru_cache(maxsize=1024)
def compiled(text):
    return compile(text.replace("/", "//"), text, "eval")


def evaluate(text, values=None):
    """A C expression of numbers that are not negative, as C has it."""
    return eval(compiled(text), {"__builtins__": {}}, values or {})


def ranges(numbers, sign):
    """"T0-3, T8" of the threads 0, 1, 2, 3, 8."""
    numbers, texts = sorted(set(numbers)), []
    while numbers:
        count = 1
        while numbers[:count + 1] == list(range(numbers[0], numbers[0] + count + 1)):
            count += 1
        texts.append(f"{sign}{numbers[0]}" + (f"-{numbers[count - 1]}" if count > 1 else ""))
        numbers = numbers[count:]
    return ", ".join(texts)


class Fragment:
    """A fragment, or a map whose columns are called as a fragment's. Places are (block, row, col)."""

    def __init__(self, report):
        self.name = report.get("fragment") or report.get("file")
        self.arch = report.get("arch") or ""
        self.axes = report["coordinates"]
        self.formulae, self.inverse = report["formulae"], report["inverse"]
        detail = report.get("detail", {})
        self.bits, self.type = detail.get("bits", 0), detail.get("type")
        # The names for copies of metadata, except in JSON.
        self.copy_axis = "selector" if detail.get("operand") == "e" else "copy"
        self.place = {(tid, i): (0,) * (3 - len(place)) + tuple(place)
                      for tid, held in enumerate(report["map"]) for i, place in enumerate(held)}
        self.elements = len(report["map"][0])
        self.blocks = 1 + max(block for block, _, _ in self.place.values())
        self.rows, self.cols = (1 + max(place[axis] for place in self.place.values()) for axis in (1, 2))
        self.copy, self.holders, self.along = {}, {}, {}
        copies = len(self.place) // len(set(self.place.values()))
        for place in set(self.place.values()):
            self.holders[place] = [self.solve(place, copy) for copy in range(copies)]
            self.copy.update({holder: copy for copy, holder in enumerate(self.holders[place])})
        assert all(holder in self.holders[place] for holder, place in self.place.items())

    def solve(self, place, copy):
        """Who holds a copy of a place, as the formulae of the inverse say."""
        values = dict(zip(("block", "row", "col"), place), copy=copy)
        return tuple(evaluate(self.inverse[name], values) for name in ("tid", "i"))

    def part(self, holder):
        return self.copy[holder] * self.blocks + self.place[holder][0]

    def holder_at(self, part, row, col):
        return self.holders[part % self.blocks, row, col][part // self.blocks]

    def held_by(self, tid):
        return [(tid, i) for i in range(self.elements)]

    def place_text(self, holder):
        block, row, col = self.place[holder]
        return (f"block {block}, " if self.blocks > 1 else "") + f"row {row}, col {col}"

    def register_text(self, i):
        # 4 bits of a byte are bits 5:2, 6 bits are bits 5:0 (CUTLASS 4.2, mma_traits_sm120.hpp)
        begin, end = {"e2m1": (2, 5), "e3m2": (0, 5), "e2m3": (0, 5)}.get(self.type, (0, 7)) if self.bits == 8 else (0, self.bits - 1)
        first, last = i * self.bits + begin, i * self.bits + end
        if self.bits == 0:
            return ""
        if self.bits > 32:
            return f"registers {first // 32}-{last // 32}"
        return f"register {first // 32}, bit" + (f"s {first % 32}-{last % 32}" if self.bits > 1 else f" {first % 32}")

    def sharers(self, holder, axis):
        """The threads that have something of the same row (axis 1) or column (2) of the same block."""
        if not self.along:
            for (tid, _), place in self.place.items():
                for each in (1, 2):
                    self.along.setdefault((place[0], each, place[each]), set()).add(tid)
        place = self.place[holder]
        return ranges(self.along[place[0], axis, place[axis]], "T")

    def holds(self, tid):
        """The items of the list of the elements of a thread: text, i, row, col, block (None if there is one block)."""
        return [[f"i{i}: {self.place_text((tid, i))}", i, row, col, block if self.blocks > 1 else None]
                for i, (block, row, col) in ((i, self.place[tid, i]) for i in range(self.elements))]

    def said(self, holder):
        """All that the page should say of an element but formulae, and which cells it should mark."""
        copies = self.holders[self.place[holder]]
        texts = [f"T{tid} i{i}" for tid, i in copies]
        return {
            "place": self.place_text(holder), "holder": "T%d i%d" % holder, "register": self.register_text(holder[1]),
            "holds": self.holds(holder[0]), "copies": texts if len(texts) > 1 else [],
            "row": self.sharers(holder, 1), "col": self.sharers(holder, 2),
            "current": ["%d:%d" % holder], "thread": sorted("%d:%d" % held for held in self.held_by(holder[0])),
            "element": sorted("%d:%d" % copy for copy in copies),
        }

    def formulae_wrong(self, holder, lines):
        """The errors in the lines of formulae, by axis, that are shown for an element."""
        place = {**dict(zip(("block", "row", "col"), self.place[holder])), self.copy_axis: self.copy[holder]}
        own = dict(zip(("tid", "i"), holder))
        wanted = {axis: (self.formulae[axis], own, place[axis]) for axis in self.axes}
        wanted.update({axis: (self.inverse[axis].replace("copy", self.copy_axis), place, own[axis]) for axis in ("tid", "i")})
        if lines.keys() != wanted.keys():
            yield f"formulae of {sorted(lines)}, not of {sorted(wanted)}"
            return
        for axis, (formula, values, value) in wanted.items():
            yield from line_wrong(lines[axis], axis, formula, values, value)


def line_wrong(line, axis, formula, values, value):
    """The errors in "row = tid & 3 = 13 & 3 = 1"."""
    parts = line.split(" = ")
    if len(parts) != 4:
        yield f"'{line}' is not an axis, a formula, numbers and a value"
    elif parts[0] != axis or parts[1] != formula:
        yield f"'{line}' does not begin with '{axis} = {formula}'"
    elif parts[2] != re.sub(r"[a-z]\w*", lambda name: str(values[name.group()]), formula):
        yield f"'{line}' puts in other numbers than {values}"
    elif evaluate(parts[2]) != value or parts[3] != str(value):
        yield f"'{line}' should come to {value}"


class Memory:
    """A matrix in memory. Places are (stage, row, col)."""

    def __init__(self, report, bits):
        stages = report["map"] if report.get("stages", 1) > 1 else [report["map"]]
        self.name, self.bits, self.formulae = report["layout"], bits, report["formulae"]
        self.offset = {(stage, row, col): offset for stage, rows in enumerate(stages)
                       for row, cols in enumerate(rows) for col, offset in enumerate(cols)}

    def bank(self, place):
        return self.offset[place] * self.bits // 32 % 32


def reports(program, *arguments):
    """The reports of a command in JSON: always a list."""
    found = json.loads(mapping(program, "--format=json", *arguments))
    return found if isinstance(found, list) else [found]


def fragments(program, *arguments):
    is_map = any(argument.startswith("--map") for argument in arguments)
    return [Fragment(report) for report in reports(program, *([] if is_map else ["--detail"]), *arguments)]
