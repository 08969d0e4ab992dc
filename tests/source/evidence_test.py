"""evidence_test.py MAPPING FOLDER: for every fragment on every architecture, FOLDER/README.md agrees with the records
in FOLDER, and with the fields `rests_on` and `emulated` of --list."""

import csv
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records

mapping, folder = sys.argv[1:]
# Opcodes whose products others ran: sass-king (chapters 14 and 23), cuda-oxide (pull request 1295), flashattn-cuda
# (test_mma_probe.py).
REPORTED = {
    120: "mma.m16n8k32.a.e2m1 mma.m16n8k32.b.e2m1",
    89: "mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.c.f32 mma.m16n8k16.d.f32 ldmatrix.m8n8.x4.r.b16 ldmatrix.m8n8.x4.p.b16 "
        "ldmatrix.m8n8.x2.r.b16 ldmatrix.m8n8.x2.p.b16 ldmatrix.m8n8.x2.r.trans.b16 mma.sp.m16n8k64.c.f32 mma.sp.m16n8k64.d.f32 "
        + " ".join(f"mma.sp.m16n8k64.{operand}.{kind}" for operand in "abe" for kind in ("e4m3", "e5m2")),
}


def read_records():
    """The evidence of each fragment on each architecture."""
    found = {}
    for path in glob.glob(folder + "/*.txt"):
        if os.path.basename(path) in ("wmma.txt", "mma.txt", "mma.sp.txt", "ldmatrix.txt", "wgmma.txt"):
            found.update({pair: evidence for pair, (evidence, _) in records.read_all(path).items()})
    return found


def read_page():
    """(name, arch) -> evidence on the page; and its table: (instruction, arch) -> {kind: count}."""
    with open(folder + "/README.md", encoding="ascii") as file:
        head, text = file.read().split("\n## Details\n")
    said, entry = {}, None
    text = re.sub(r"\n +(?![ -])", " ", text.split("\n### ", 1)[1])
    for line in text.split("\n"):
        if line.startswith("- `"):
            count = int(re.search(r"\((\d+)\)$", line)[1])
            entry = [name for pattern in re.findall("`([^`]*)`", line) for name in records.expand(pattern)]
            assert count == len(entry) == len(set(entry)), line
        elif line.startswith("  - sm_"):
            archs, sentence = line[4:].split(": ", 1)
            for arch in records.archs_of(archs):
                for name in entry:
                    assert (name, arch) not in said, ("twice", name, arch)
                    said[name, arch] = sentence
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in head.split("\n") if line.startswith("| ")]
    assert [int(n) for n in rows[0][1:]] == records.ARCHS
    table = {(row[0], arch): {c[-1]: int(c[:-1]) for c in cell.split()} for row in rows[2:]
             for arch, cell in zip(records.ARCHS, row[1:])}
    return said, table


def read_emulated():
    """The fragments in emulated.txt, and the versions of ptxas."""
    with open(folder + "/emulated.txt", encoding="ascii") as file:
        lines = file.read().splitlines()
    return ({line for line in lines if not line.startswith("#")},
            ", ".join(re.sub(r"^ptxas ", "", line[10:].split(",")[0]) for line in lines if line.startswith("# source: ")))


def kind_of(name, arch, sentence, evidence, listed, emulation):
    """Checks a sentence, and returns the kind that the table counts it as."""
    gpu, published = (re.search(kind + r" \(([^)]*)\)", evidence + "; " + listed[name, arch]) for kind in ("gpu", "published"))
    parts = sentence.split("; ")
    emulated = ", emulated" if " emulated " in listed.get((name, 90), "") else ""
    versions = list(dict.fromkeys(re.findall(r"ptxas ([0-9.]+)", evidence)))
    specified = re.search(r"isa \((PTX ISA [^)]*)\)", listed[name, arch])
    kind = "i"
    if gpu:
        kind = "E" if emulated else "H"
        assert parts[0] == gpu[1] + emulated, (name, arch, sentence)
    elif published:
        kind = "P"
        assert parts[0] == "published: " + published[1], (name, arch, sentence)
    else:
        assert parts[0] == "not confirmed on hardware", (name, arch, sentence)
        elsewhere = re.search(r"gpu \(([^)]*)\)", listed.get((name, 90), ""))
        if elsewhere and specified:
            kind = "c"
            assert parts[1] == "seen on sm_90: " + elsewhere[1] + emulated, (name, arch, sentence)
        elif versions:
            kind = "S"
    assert ("ptxas " + ", ".join(versions) in parts) == bool(versions), (name, arch, sentence)
    assert not specified or specified[1] in parts, (name, arch, sentence)
    assert specified or versions or published, (name, arch)
    reported = [part for part in parts if part.startswith("reported: ")]
    assert len(reported) == REPORTED.get(arch, "").split().count(name), (name, arch, sentence)
    assert ("emulation by ptxas " + emulation[1] in parts) == (name in emulation[0]), (name, sentence)
    return kind


def main():
    recorded, emulation = read_records(), read_emulated()
    listed = {}
    for arch in records.ARCHS:
        output = subprocess.run([mapping, "--list", "--format=csv", f"--arch={arch}"], capture_output=True, text=True, check=True).stdout
        for row in csv.DictReader(output.splitlines()):
            listed[row["fragment"], arch] = row["rests_on"] + (" emulated " if row["emulated"] else "")
    said, table = read_page()
    counted = {}
    assert set(said) == set(listed), sorted(set(listed) ^ set(said))[:3]
    assert set(recorded) <= set(said), sorted(set(recorded) - set(said))[:3]
    families = sorted({family for family, _ in table}, key=len)
    for (name, arch), sentence in said.items():
        kind = kind_of(name, arch, sentence, recorded.get((name, arch), ""), listed, emulation)
        family = [f for f in families if name.startswith(f + ".")][-1]
        cell = counted.setdefault((family, arch), {})
        cell[kind] = cell.get(kind, 0) + 1
    assert {pair: cell for pair, cell in table.items() if cell} == counted, [
        (pair, table.get(pair), cell) for pair, cell in counted.items() if table.get(pair) != cell][:3]


main()
