"""`make evidence`: prints results/README.md with a new table and new lists of fragments. They have the sources that
observed the layout of each fragment on each architecture, and the projects that state the same layout. The rest of the
page is copied from the present one.

    python3 src/tools/evidence.py ./mapping results

The evidence comes from the program; only the list of Volta's products that ptxas emulates is in results/emulated.txt.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

WIDTH = 118  # of a line

KINDS = {  # the kinds of evidence, best first
    "H": "observed on hardware of this architecture by a kernel of the `gpu` source",
    "E": "observed in the same way, but ptxas emulates the instruction on this device, at least in part",
    "P": "printed or reported by others for this hardware (`published.txt`)",
    "S": "derived from the code that ptxas generates for `wmma.load` and `wmma.store`, executed on the host",
    "c": "stated by the PTX ISA for all architectures, and observed on sm_90",
    "i": "stated by the PTX ISA, not confirmed on hardware",
}

def run(program, *arguments):
    """JSON of the program without a device and tools; status 4 is that some layouts have no formula."""
    with tempfile.TemporaryDirectory() as folder:
        tools = [] if "--list" in arguments else [f"--cuda={folder}"]
        done = subprocess.run([program, "--format=json", *tools, *arguments], check=False,
                              stdout=subprocess.PIPE, env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))
    if done.returncode not in (0, 4):
        sys.exit(f"evidence.py: {program} ended with status {done.returncode}")
    answer = json.loads(done.stdout)
    return answer if isinstance(answer, list) else [answer]


def read_emulated(folder):
    """The fragments in emulated.txt, and the versions of ptxas."""
    with open(os.path.join(folder, "emulated.txt"), encoding="ascii") as file:
        lines = file.read().splitlines()
    return ({line for line in lines if not line.startswith("#")},
            [line.split(":", 1)[1].split(",")[0].replace("ptxas", "").strip()
             for line in lines if line.startswith("# source: ")])


def claim(listed, shown, arch, emulation):
    """The kind of evidence for one fragment on one architecture, and the sentence that describes it."""
    evidence = dict(re.findall(r"(\w+) \(([^)]*)\)", listed["rests_on"]))
    confirmed, said = shown.get("confirmed"), []
    versions = dict.fromkeys(re.findall(r"ptxas ([0-9.]+)", evidence.get("sass", "")))
    kind = "i"
    if "gpu" in evidence:
        kind = "E" if f"sm_{arch}" in listed["emulated"] else "H"
        said.append(evidence["gpu"] + (", emulated" if kind == "E" else ""))
    elif "published" in evidence:
        kind = "P"
        said.append("published: " + evidence["published"])
    else:
        said.append("not confirmed on hardware")
        kind = "S" if versions else "c" if confirmed else kind
        if confirmed:
            said[0] += f"; seen on {confirmed['arch']}: {confirmed['with']}" + (", emulated" if emulation[1] else "")
    if versions:
        said.append("ptxas " + ", ".join(versions))
    if "isa" in evidence:
        said.append(evidence["isa"])
    said += [fact["text"].replace(f" on sm_{arch}", "", 1) for fact in shown["facts"] if fact["key"] == "reported"]
    if shown.get("agrees"):
        said.append(shown["agrees"])
    if shown.get("note"):
        said.append("with a note")
    if listed["fragment"] in emulation[0][0]:
        said.append("emulation by ptxas " + ", ".join(emulation[0][1]))
    return kind, "; ".join(said)


# ---- Many names in few words ----

def word(words):
    """{8..32..8} for four or more numbers with equal steps, otherwise {a,b}."""
    if len(words) == 1:
        return words[0]
    parts = [re.fullmatch(r"(.*?)(\d+)(\D.*|)", w) for w in words]
    if len(words) > 3 and all(parts) and len({(p[1], p[3]) for p in parts}) == 1:
        first, second, *_, last = (int(p[2]) for p in parts)
        if first < second and [int(p[2]) for p in parts] == list(range(first, last + 1, second - first)):
            return f"{parts[0][1]}{{{first}..{last}..{second - first}}}{parts[0][3]}"
    return "{" + ",".join(words) + "}"


def braces(names):
    """Patterns that match all names: names that differ in one place are merged, the last place first."""
    patterns, before = [[(w,) for w in name.split(".")] for name in names], None
    while before != len(patterns):
        before = len(patterns)
        for place in range(1, max(map(len, patterns)) + 1):
            kept = {}
            for pattern in patterns:
                others = tuple(None if n + place == len(pattern) else w for n, w in enumerate(pattern))
                if others in kept:
                    kept[others][-place] += pattern[-place]
                else:
                    kept[others] = pattern
            patterns = list(kept.values())
    return [".".join(word(w) for w in pattern) for pattern in patterns]


def ranges(archs, known):
    """sm_70, sm_75 to sm_89: the range contains all known architectures between the two."""
    runs = []
    for arch in archs:
        if runs and known.index(arch) == known.index(runs[-1][-1]) + 1:
            runs[-1].append(arch)
        else:
            runs.append([arch])
    return ", ".join(f"sm_{r[0]}" if len(r) == 1 else f"sm_{r[0]}, sm_{r[1]}" if len(r) == 2 else
                     f"sm_{r[0]} to sm_{r[-1]}" for r in runs)


# ---- The page ----

def table(claims, families, known):
    print("| instruction | " + " | ".join(map(str, known)) + " |")
    print("| --- |" + " ---: |" * len(known))
    for family in families:
        cells = []
        for arch in known:
            kinds = [kind for (name, at), (kind, _) in claims.items() if at == arch and families[family].get(name)]
            cells.append(" ".join(f"{kinds.count(k)}{k}" for k in KINDS if k in kinds))
        print(f"| {family} | " + " | ".join(cells) + " |")
    counts = {k: sum(kind == k for kind, _ in claims.values()) for k in KINDS}
    print()
    for kind, meaning in KINDS.items():
        print(textwrap.fill(f"- **{kind}** {meaning}: {counts[kind]}", WIDTH, subsequent_indent="  "))
    print()
    print(f"The sum is {len(claims)}, one for each fragment on each architecture that has it.")


def details(claims, families, known):
    for family, names in families.items():
        print(f"\n### {family}\n")
        profiles = {}
        for name in names:
            profile = tuple((arch, claims[name, arch][1]) for arch in known if (name, arch) in claims)
            profiles.setdefault(profile, []).append(name)
        for profile, same in profiles.items():
            text = ", ".join(f"`{pattern}`" for pattern in braces(same))
            print(textwrap.fill(f"- {text} ({len(same)})", WIDTH, subsequent_indent="  ", break_long_words=False,
                                break_on_hyphens=False))
            said = {}
            for arch, sentence in profile:
                said.setdefault(sentence, []).append(arch)
            for sentence, archs in said.items():
                print(textwrap.fill(f"  - {ranges(archs, known)}: {sentence}", WIDTH, subsequent_indent="    ",
                                    break_long_words=False, break_on_hyphens=False))


def main():
    program, folder = sys.argv[1:]
    emulation = read_emulated(folder)
    claims, families = {}, {}
    everything = run(program, "--list")
    for listed in everything:
        families.setdefault(listed["instruction"], {})[listed["fragment"]] = True
    known = sorted({int(arch[3:]) for listed in everything for arch in listed["native"] + listed["emulated"]})
    on_sm_90 = {f["fragment"]: f["emulated"] for f in run(program, "--list", "--arch=90")}
    for arch in known:
        shown = {f["fragment"]: f for f in run(program, "--all", "--brief", f"--arch={arch}")}
        for listed in run(program, "--list", f"--arch={arch}"):
            name = listed["fragment"]
            claims[name, arch] = claim(listed, shown[name], arch, (emulation, on_sm_90.get(name)))
    with open(os.path.join(folder, "README.md"), encoding="ascii") as file:
        head, rest = file.read().split("| instruction |", 1)
    text = rest.split("The sum is ", 1)[1].split("\n", 1)[1].split("\n### ", 1)[0]
    print(head, end="")
    table(claims, families, known)
    print(text, end="")
    details(claims, families, known)


if __name__ == "__main__":
    main()
