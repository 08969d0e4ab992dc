"""records.py - reads files under results/ without the code under test.

    python3 records.py FILE ARCH      prints "NAME HASH" of every fragment of FILE on an architecture
    python3 records.py sass FILE      prints the lines of results/sass.txt; a line with a list of N numbers becomes N lines
"""

import hashlib
import os
import re
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results")


def known_archs(line):
    """The numbers in "# architectures: sm_70 sm_72 ...", the second line of a file."""
    assert line.startswith("# architectures: sm_"), line
    return [int(name[3:]) for name in line.split()[2:]]


with open(RESULTS + "/wmma.txt", encoding="ascii") as wmma:
    ARCHS = known_archs(wmma.read().split("\n")[1])


def expand(pattern):
    """All names that match a pattern with braces, as bash expands it."""
    start = pattern.find("{")
    if start < 0:
        return [pattern]
    depth, parts, last = 0, [], start + 1
    for end in range(start, len(pattern)):
        depth += {"{": 1, "}": -1}.get(pattern[end], 0)
        if depth == 0 or depth == 1 and pattern[end] == ",":
            parts.append(pattern[last:end])
            last = end + 1
        if depth == 0:
            break
    expanded = []
    for part in parts:
        run = re.fullmatch(r"(\d+)\.\.(\d+)\.\.(\d+)", part)
        if run:
            first, final, step = map(int, run.groups())
            assert (final - first) % step == 0
            part = [str(n) for n in range(first, final + 1, step)]
        expanded += part if run else expand(part)
    return [pattern[:start] + middle + rest for middle in expanded for rest in expand(pattern[end + 1:])]


def archs_of(text):
    """The numbers in "sm_70 to sm_75, sm_90"."""
    found = []
    for part in text.split(", "):
        first, *last = [ARCHS.index(int(n)) for n in re.findall(r"sm_(\d+)", part)]
        found += ARCHS[first:(last[0] if last else first) + 1]
    return found


def names_of(text):
    return [name for pattern in text.split(", ") for name in expand(pattern)]


def read(path):
    """Yields (entries, body) of each record: entries are (name, arch, evidence)."""
    with open(path, encoding="ascii") as file:
        lines = file.read().split("\n")
    assert known_archs(lines[1]) == ARCHS and lines[2] == ""
    at = 3
    while at < len(lines) and lines[at]:
        entries, names, evidence = [], "", []
        while re.match(r"# \S*[.<]|#   ", lines[at]):
            if not lines[at].startswith("#   "):
                names = lines[at][2:] if evidence or not names else names + " " + lines[at][2:]
                evidence = []
            elif lines[at].startswith("#     "):
                evidence[-1] += " " + lines[at][6:]
            else:
                evidence.append(lines[at][4:])
            at += 1
            if not lines[at].startswith("#     ") and evidence:
                archs, text = evidence[-1].split(": ", 1)
                entries += [(name, arch, text) for name in names_of(names) for arch in archs_of(archs)]
        start = at
        while at + 1 < len(lines) and not (lines[at] == "" and re.match(r"# \S*[.<]", lines[at + 1])):
            at += 1
        yield entries, "\n".join(lines[start:at]).rstrip("\n")
        at += 1


def read_all(path):
    """(name, arch) -> (evidence, body)."""
    found = {}
    for entries, body in read(path):
        for name, arch, evidence in entries:
            assert (name, arch) not in found
            found[name, arch] = evidence, body
    return found


def expand_line(line):
    """The lines that a line with a list in braces represents; all its lists have the same length."""
    match = re.search(r"\{(?:[^{}]|\{[^{}]*\})*\}", line)
    return [line.replace(match[0], value) for value in expand(match[0])] if match else [line]


if __name__ == "__main__" and sys.argv[1] == "sass":
    with open(sys.argv[2], encoding="ascii") as lines:
        for row in lines:
            print("".join([row] if row.startswith("#") else expand_line(row)), end="")
elif __name__ == "__main__":
    for (name, arch), (_, body) in sorted(read_all(sys.argv[1]).items()):
        if arch == int(sys.argv[2]):
            print(name, hashlib.md5(body.encode()).hexdigest())
