"""evidence_test.py MAPPING FOLDER: the tables of FOLDER/README.md say of every fragment on every architecture what the
source lines of the sections in FOLDER/*.txt say, and what --list says of statements and of what is emulated."""

import glob
import re
import subprocess
import sys

mapping, folder = sys.argv[1:]
ARCHS = [70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121]
UNSEEN = "not verified on hardware"


def expand(pattern):
    """All names that a pattern with braces stands for, as bash has it."""
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
    run = re.fullmatch(r"(\d+)\.\.(\d+)\.\.(\d+)", parts[0]) if len(parts) == 1 else None
    if run:
        first, final, step = map(int, run.groups())
        assert (final - first) % step == 0
        parts = [str(n) for n in range(first, final + 1, step)]
    return [pattern[:start] + middle + rest
            for part in parts for middle in expand(part) for rest in expand(pattern[end + 1:])]


def archs_of(text):
    """The numbers in "sm_70 to sm_75, sm_90"."""
    found = []
    for part in text.split(", "):
        first, *last = [ARCHS.index(int(n)) for n in re.findall(r"sm_(\d+)", part)]
        found += ARCHS[first:(last[0] if last else first) + 1]
    return found


def read_sections():
    """The source line of each section."""
    sections = {}
    for path in glob.glob(folder + "/*.txt"):
        with open(path, encoding="ascii") as file:
            text = file.read()
        for name, arch, source in re.findall(r"^# ([a-z0-9_.]+) on sm_(\d+)\n# source: (.*)$", text, re.M):
            sections[name, int(arch)] = source
    return sections


def read_rows():
    """Each row of the tables of fragments: names, how many it says, architectures, seen, agreed."""
    with open(folder + "/README.md", encoding="ascii") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if len(cells) == 5 and cells[0].startswith("`"):
                patterns = re.findall("`([^`]*)`", cells[0])
                yield [name for p in patterns for name in expand(p)], int(cells[1]), archs_of(cells[2]), cells[3], cells[4]


def read_emulated():
    """The fragments in emulated.txt, and the versions of ptxas."""
    with open(folder + "/emulated.txt", encoding="ascii") as file:
        lines = file.read().splitlines()
    return ({line for line in lines if not line.startswith("#")},
            ", ".join(line[10:].split(",")[0] for line in lines if line.startswith("# source: ")))


def check(name, arch, seen, agreed, sections, listed, emulated_code):
    """What a row says of one fragment on one architecture."""
    source = sections.get((name, arch), "")
    gpu, published = (re.search(kind + r" \(([^)]*)\)", source) for kind in ("gpu", "published"))
    emulated = ", emulated" if " emulated " in listed.get((name, 90), "") else ""
    elsewhere = re.search(r"gpu \(([^)]*)\)", sections.get((name, 90), ""))
    expected = UNSEEN
    if gpu:
        expected = gpu[1] + emulated
    elif published:
        expected = "published: " + published[1]
    elif elsewhere and not name.startswith("wmma"):
        expected += "; the same as on sm_90: " + elsewhere[1] + emulated
    assert seen == expected, (name, arch, seen, expected)
    versions = re.findall(r"ptxas ([0-9.]+)", source)
    versions = [v for n, v in enumerate(versions) if v not in versions[:n]]
    assert (re.findall(r"^ptxas ([0-9., ]+)", agreed) or [""])[0] == ", ".join(versions), (name, arch, agreed)
    specified = re.search(r"isa \((PTX ISA [^)]*)\)", source + listed[name, arch])
    assert not specified or agreed.split("; ")[0] == specified[1], (name, arch, agreed)
    assert specified or versions, (name, arch)
    by = "the code that emulates it, by " + emulated_code[1]
    assert (by in agreed.split("; ")) == (name in emulated_code[0]), (name, agreed)


def main():
    sections, emulated_code = read_sections(), read_emulated()
    listed = {}
    for arch in ARCHS:
        output = subprocess.run([mapping, "--list", f"--arch={arch}"], capture_output=True, text=True, check=True).stdout
        listed.update({(line.split()[0], arch): line for line in output.splitlines()})
    said = set()
    for names, count, archs, seen, agreed in read_rows():
        assert count == len(names), (names[0], count, len(names))
        for name in names:
            for arch in archs:
                assert (name, arch) not in said, ("twice", name, arch)
                said.add((name, arch))
                assert (name, arch) in listed, ("does not exist", name, arch)
                check(name, arch, seen, agreed, sections, listed, emulated_code)
    assert said == set(listed), sorted(set(listed) - said)[:3]
    assert set(sections) <= said, sorted(set(sections) - said)[:3]
    with open(folder + "/README.md", encoding="ascii") as file:
        total = re.search(r"^\| all \| (\d+) ((?:\| \d+ )+)\|$", file.read(), re.M)
    assert int(total[1]) == len(said) == sum(map(int, re.findall(r"\d+", total[2]))), total[0]


main()
