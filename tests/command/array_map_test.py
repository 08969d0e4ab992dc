#!/usr/bin/env python3
"""Writes arrays as numpy.lib.format describes them, and the same tables in CSV: --map must print the same for both.

    array_map_test.py MAPPING     prints TAP
"""

import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap  # noqa: E402

mapping = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory()
LETTERS = {"i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}


def npy(values, shape, descr="<i8", order="C", version=1, header=None):
    """A .npy file. The values are in C order; with order "F", the file stores them in Fortran order."""
    indices = list(itertools.product(*map(range, shape)))
    if order == "F":
        at = dict(zip(indices, values))
        values = [at[index[::-1]] for index in itertools.product(*map(range, shape[::-1]))]
    text = header or f"{{'descr': '{descr}', 'fortran_order': {order == 'F'}, 'shape': ({''.join(f'{size}, ' for size in shape)}), }}"
    size = struct.pack("<H" if version == 1 else "<I", len(text) + 1)
    byte_order = ">" if descr[0] == ">" else "<"
    data = struct.pack(f"{byte_order}{len(values)}{LETTERS.get(descr[1:], 'q')}", *values)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + b"\n" + data


def run(content, *arguments, name="table", stdin=False):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as file:
        file.write(content)
    words = [mapping, f"--map={'-' if stdin else path}", *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=open(path, "rb") if stdin else subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr.replace(FOLDER.name + "/", "")


def csv(names, rows):
    return "\n".join([names, *(",".join(map(str, row)) for row in rows)]).encode() + b"\n"


def without_reading(out):
    """The output without the comment that says how an array of a shape with two meanings was read."""
    return re.sub(r"# the array was read as .*\n(#   .*\n)*", "", out)


def same(name, array, table, outputs=None, arguments=()):
    """--map prints the same for an array and for a table in CSV with --outputs."""
    is_, expected = run(array, *arguments), run(table, *([f"--outputs={outputs}"] if outputs else []), *arguments)
    is_ = (is_[0], without_reading(is_[1]), is_[2])
    tap.ok(name, is_ == expected and expected[0] in (0, 4) and expected[1], f"{is_}\n{expected}")


def refused(name, array, message):
    status, out, error = run(array)
    tap.ok(name, (status, out, error) == (2, "", f"mapping: {message}\n"), f"{status} {out!r} {error!r}")


places = [(row, col) for row in range(8) for col in range(8)]
swizzled = [row * 8 + (col ^ row) for row, col in places]
table = csv("row,col,source", [(*place, value) for place, value in zip(places, swizzled)])
for descr in [sign + kind for kind in LETTERS for sign in "<>"] + ["|i1", "|u1", "=i4"]:
    same(f"a swizzle, {descr}", npy(swizzled, (8, 8), descr), table, "source")
for version in 2, 3:
    same(f"version {version}", npy(swizzled, (8, 8), version=version), table, "source")
same("in Fortran's order", npy(swizzled, (8, 8), order="F"), table, "source")
tap.ok("the formula", "Source: return (row & 7) ^ ((row & 7) << 3) ^ (col & 7);" in run(npy(swizzled, (8, 8)))[1], run(npy(swizzled, (8, 8)))[1])
same("in JSON", npy(swizzled, (8, 8)), table, "source", ["--format=json"])
is_ = run(npy(swizzled, (8, 8)), "--thread=3,5")
tap.ok("the element at a place", is_ == (0, f"# table\nrow  3, col  5: source {3 * 8 + (5 ^ 3)}\n", ""), str(is_))
expected = run(npy(swizzled, (8, 8)))
is_ = run(npy(swizzled, (8, 8)), stdin=True)
tap.ok("standard input", is_[0] == 0 and is_[1] == expected[1].replace("# table", "# standard input"), f"{is_}\n{expected}")

line = [3 * n + 1 for n in range(16)]
same("one axis", npy(line, (16,), "<u2"), csv("n,source", enumerate(line)), "source")
cube = list(itertools.product(range(4), range(2), range(8)))
values = [block ^ 1 | row * 4 | col * 8 for block, row, col in cube]
same("three axes", npy(values, (4, 2, 8)), csv("block,row,col,source", [(*at, value) for at, value in zip(cube, values)]), "source")
same("three axes, Fortran", npy(values, (4, 2, 8), order="F"), csv("block,row,col,source", [(*at, value) for at, value in zip(cube, values)]), "source")

# D of mma.m16n8k16 by the PTX ISA: row = groupID, or groupID + 8 for i >= 2; col = threadID_in_group * 2 + (i & 1).
held = [(tid, i, tid // 4 + i // 2 * 8, tid % 4 * 2 + i % 2) for tid in range(32) for i in range(4)]
fragment = npy([value for _, _, *place in held for value in place], (32, 4, 2), "<i4")
same("row and col of each element", fragment, csv("tid,i,row,col", held))
same("row and col, Fortran", npy([value for _, _, *place in held for value in place], (32, 4, 2), "<i4", "F"), csv("tid,i,row,col", held))
tap.ok("is that of mma.m16n8k16", "mma.m16n8k16.{c,d}" in run(fragment)[1], run(fragment)[1])
three = [(tid, i, tid // 16, tid % 16, i) for tid in range(32) for i in range(4)]
same("block, row and col", npy([value for _, _, *place in three for value in place], (32, 4, 3)), csv("tid,i,block,row,col", three))
path = os.path.join(FOLDER.name, "own.npy")
with open(path, "wb") as file:
    file.write(fragment)
offsets = os.path.join(FOLDER.name, "offsets.npy")
with open(offsets, "wb") as file:
    file.write(npy([8 * row + col for row in range(8) for col in range(8)], (8, 8)))
for other, answer, status in ("(8,8):(8,1)", "the same at all 64 elements", 0), ("(8,8):(1,8)", "different at 56 of 64 elements", 1):
    for words in ([offsets, f"--equals={other}"], [other, f"--equals={offsets}"]):
        done = subprocess.run([mapping, *words], capture_output=True, text=True, check=False)
        tap.ok(f"offsets, {' '.join(map(os.path.basename, words))}", done.returncode == status and not done.stderr and answer in done.stdout, str(done))
for words in (["--equals=mma.m16n8k16.d.f32"], ["--at=3,5", "--brief"]):
    done = subprocess.run([mapping, "-a80", path, *words], capture_output=True, text=True, check=False)
    tap.ok(f"as a subject, {words[0]}", done.returncode == 0 and not done.stderr and done.stdout, done.stdout + done.stderr)

refused("a negative number", npy([0, -1], (2,)), "table has the element -1; a table has numbers from 0 to 4294967295")
refused("a large number", npy([0, 1 << 32], (2,)), "table has the element 4294967296; a table has numbers from 0 to 4294967295")
refused("the largest number", npy([(1 << 64) - 1], (1,), "<u8"), f"table has the element {(1 << 64) - 1}; a table has numbers from 0 to 4294967295")
for descr in "<f4", "|b1", "<i3", "<i16", "<i", "i4", "", "|S4":
    refused(f"type {descr}", npy([0], (1,), descr or "<i8", header=f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}"),
            f"the elements of table have type '{descr}'; a table has integers, such as '<i4'")
refused("no axis", npy([0], ()), "table has shape (); a table has 1 to 3 axes")
refused("four axes", npy([0], (1, 1, 1, 1)), "table has shape (1, 1, 1, 1); a table has 1 to 3 axes")
refused("no elements", npy([], (0, 8)), "table has shape (0, 8); a table has 1 to 1048576 elements")
huge = "{'descr': '<i8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"
refused("more elements than memory", npy([0], (1,), header=huge), "table has shape (4294967296, 4294967296); a table has 1 to 1048576 elements")
refused("a short file", npy(swizzled, (8, 8))[:-1], "table ends before the last element of its shape (8, 8)")
refused("no header", b"\x93NUMPY\x01\x00", "table is no .npy file")

def text(values, shape, brackets="{}", separator=", "):
    """An array as text, with one pair of brackets for each axis."""
    if not shape:
        return str(values[0])
    part = len(values) // shape[0]
    parts = [text(values[n * part : (n + 1) * part], shape[1:], brackets, separator) for n in range(shape[0])]
    return brackets[0] + separator.join(parts) + brackets[1]


# Arrays of C and Python as text: the same tables.
square = text(swizzled, (8, 8))
for name, content in (
    ("of C", square),
    ("a declaration of C", f"/* swizzle */ static const uint8_t table[8][8] = {square}; // done"),
    ("all elements in one list", f"constexpr int table[8][8] = {text(swizzled, (64,))};"),
    ("std::array", f"std::array<int> table{square}".replace("<int>", "")),
    ("hexadecimal numbers", "{" + ", ".join("{" + ", ".join(f"0x{value:02x}u" for value in swizzled[n : n + 8]) + ",}" for n in range(0, 64, 8)) + "}"),
    ("of Python", text(swizzled, (8, 8), "[]")),
    ("as NumPy prints it", text(swizzled, (8, 8), "[]", " ")),
    ("repr of NumPy", f"array({text(swizzled, (8, 8), '[]')}, dtype=int32)"),
    ("a call of torch", f"t = torch.tensor({text(swizzled, (8, 8), '[]')})"),
):
    same(f"text, {name}", content.encode(), table, "source")
swaps = csv("n,source", enumerate([0, 1, 3, 2]))
for content in (
    "# a comment, [7, 8]\nt = [0, 1, 3, 2]\n",
    "t = [0, 1,  # [7]\n     3, 2]  # 8\n",
    '"""Doc [7, 8]."""\nimport numpy as np\n\nt = np.array([0, 1, 3, 2], dtype=np.int32)\n',
    "'''Doc\n[7]'''\nt: list[int] = [0, 1, 3, 2]\n",
    "t: typing.Sequence[int] = (0, 1, 3, 2)",
    'torch.tensor([0, 1, 3, 2], device="cuda:0", dtype=torch.int32)',
    "np.asarray([0, 1, 3, 2], np.uint8)",
    "#pragma once\n#include <stdint.h>\nusing namespace std;\nstatic const uint8_t t[4] = {0, 1, 3, 2};\n#endif\n",
    "int t[] = {0, 1, 3, 2};",
):
    same(f"text, {content!r}", content.encode(), swaps, "source")
same("text, a size is missing", b"int t[][2] = {0, 1, 2, 3, 4, 5, 6, 7};", csv("row,col,source", [(n // 2, n % 2, n) for n in range(8)]), "source")
same("text, one axis", text(line, (16,)).encode(), csv("n,source", enumerate(line)), "source")
pairs = [number for _, _, *place in held for number in place]
same("text, row and col of each element", text(pairs, (32, 4, 2)).encode(), csv("tid,i,row,col", held))
# array[n, 2] has two meanings. It is read as --help says, array[row, col], and a comment says so; as .npy it is the same.
two = csv("row,col,source", [(row, col, 2 * row + col) for row in range(4) for col in range(2)])
for name, content in (("text", b"int t[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};"), (".npy", npy(range(8), (4, 2)))):
    same(f"{name}, two columns", content, two, "source")
    out = run(content)[1].replace("\n#   ", " ")
    tap.ok(f"{name}, two columns, comment", "# the array was read as array[row, col]: numbers of the source; pairs" in out, out)
out = run(text(pairs, (32, 4, 2)).encode())[1]
tap.ok("text, three axes, comment", "# the array was read as array[tid, i, 2]: row and col of each element" in out, out)
tap.ok("text, one meaning, no comment", "was read as" not in run(square.encode())[1], run(square.encode())[1])
SIZES = "its elements do not fill the sizes of its declaration (C sets missing ones to 0; write them)"
for content, why in (
    ("{{0, 1}, {2}}", "its rows have different lengths"),
    ("{{0, 1}, 2}", "its elements are on several levels"),
    ("{0, {1}}", "its elements are on several levels"),
    ("{{{{0}}}}", "it has more than 3 levels"),
    ("{0, 1", "a closing bracket is missing"),
    ("{0, 1.5}", "it has an element that is no integer"),
    ("{0, x}", "it has an element that is no integer"),
    ("int a[2] = {0, 1}, b[2] = {1, 0};", "another array follows"),
    ("int t[8] = {0, 1, 3, 2};", SIZES),
    ("int t[2] = {0, 1, 3, 2};", SIZES),
    ("int t[2][4] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};", SIZES),
    ("int t[4][2] = {0, 1, 2, 3};", SIZES),
    ("int t[][3] = {0, 1, 2, 3};", SIZES),
    ("int t[0][0] = {0};", SIZES),
    ("int t[N] = {0, 1};", "a size of its declaration is no number"),
    ("int t[2] = {[1] = 0, [0] = 1};", "designators such as [1]= are not supported"),
    ("t = [0, 1, 3, 2] * 2", "more text follows it"),
    ("t = [0, 1]\nt *= 2", "more text follows it"),
    ("np.array([0, 1, 3, 2]).reshape(2, 2)", "more text follows it"),
    ("np.array([0, 1], ndmin=2)", "more text follows it"),
    ("t = 2 * [0, 1, 3, 2]", "an expression is in front of it"),
    ("t = np.flip([0, 1, 3, 2])", "it is the argument of a function"),
):
    refused(f"text, {content}", content.encode(), f"the array in table cannot be read: {why}")
refused("text, a negative number", b"{0, -1}", "table has the element -1; a table has numbers from 0 to 4294967295")
is_ = run(npy(swizzled, (8, 8)), "--outputs=source")
tap.ok("--outputs with an array is refused", is_[0] == 2 and "--outputs names columns of a table in CSV" in is_[2], str(is_))
refused("a hostile header", npy([0], (1,), header="__import__('os')"),
        "the header of table must be {'descr': ..., 'fortran_order': ..., 'shape': (...)}")
sys.exit(tap.finish())
