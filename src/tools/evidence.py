"""`make evidence`: prints results/README.md. The page lists the sources that observed the layout of each fragment on
each architecture, and the projects that state the same layout.

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

SOURCES = """
## How the sources derive a layout

- `gpu`: a kernel executes the instruction; `src/source/gpu/experiment.h` has an example. For wmma, it loads A, B and C
  from a matrix in which each element equals its index, and stores D over poisoned memory. For all other instructions,
  it makes two products: each element of D equals its row in one, and its column in the other. The layouts of A, B, C
  and metadata follow from the values of D in other products.
  - wgmma reads A and B from shared memory, so the observation of D assumes no register layout. The operands of mma are
    observed one at a time; for the other operands, the kernel assumes the layouts of the PTX ISA.
  - A permutation of K that is the same in A and B changes no product. So the order of K is taken from the PTX ISA.
- `sass`: `ptxas` compiles a kernel with one `wmma.load` or `wmma.store`, and `nvdisasm` prints its code. The code
  computes addresses from the lane's number, so executing it on the host for 32 lanes gives the layout. The executor
  reports an error if it does not know exactly what an instruction does. C and D are derived once from row-major and
  once from column-major memory, and both must give the same layout.
- `published`: tables of wmma accumulators that others printed on Volta, Turing and A100 (`published.txt`), and reports
  from hardware that contradict the PTX ISA.
- `isa`: the PTX ISA 9.0, 9.1 and 9.4. The output names the section, and the device that confirmed the layout, if any.

If a report from hardware contradicts the PTX ISA, the catalogue has the layout that fits the report, and names the
report (`.reported`). The program shows this layout; a note gives that of the PTX ISA. So far, this is only the case for
the scale factors of B of a CTA pair with M = 128. Other projects contradict the PTX ISA in two more places: A with M =
64 (TVM), and D of a sparse product of a CTA pair with M = 128 (CUTLASS). No report from hardware decides these, so the
program shows the layout of the PTX ISA, and a note names the other project.

Other checks of the same layouts:

- ptxas emulates Volta's m8n8k4. Run on the host, this code gives the same product as m8n8k4 (`emulated.txt`).
- On an H200, products of random matrices equal those of the host (`make test-gpu`). The kernels use the formulae to
  load A, B, C and the metadata and to store D. This covers 95 products of wmma, and 1028 opcodes of mma, mma.sp, wgmma
  and wgmma.sp with every sparsity selector.
- All offsets of CUTLASS 2's layouts and CuTe's atoms match those that CUTLASS's headers compute.
- Each operand in Tensor Memory, in every width, matches a second, independent implementation of the rules, and recorded
  layouts of CUTLASS 4.2, Triton 3.6, JAX 0.10 and TVM 0.27. `.ci/thorough` runs these projects again.

## How the files are made

A record is one distinct layout: the names of all fragments that have it, their architectures, and the evidence for each
architecture. `src/report/records.h` describes the format. The catalogue states the same layouts as rows of bases, and a
test compares every entry.

`make results TOOLKITS="DIR DIR"` derives every record again, from every available source and with each toolkit, and
rewrites the files with the new evidence. It stops at the first difference. Evidence that this machine cannot produce,
such as that of a GPU, is kept. In the records, the PTX ISA does not count as evidence.

`--confirm=FILE` prints the records of FILE with new evidence. If fragments follow on the command line, it also prints a
record for each of them that FILE lacks. To make a file from nothing, replace FILE by `/dev/null`:

```sh
./mapping --confirm=results/wmma.txt --source=sass,gpu 'wmma.*'
./mapping --confirm=results/mma.txt --source=gpu --arch=sm_90 'mma.m*'
./mapping --confirm=results/mma.sp.txt --source=gpu --arch=sm_90 'mma.sp.*'
./mapping --confirm=results/ldmatrix.txt --source=gpu --arch=sm_90 'ldmatrix.*' 'stmatrix.*' 'movmatrix.*'
./mapping --confirm=results/wgmma.txt --source=gpu --arch=sm_90 'wgmma.*'
make build/shared && build/shared /dev/null build/shared.txt    # on an sm_90; status 1: nothing is recorded yet
make prove                                                      # short.txt; an hour on two cores
make sass TOOLKITS="DIR DIR"    # sass.txt: CUDA 12.8 for sm_70 and sm_72, 13.5 for all others; half a minute
python3 tests/source/sass/emulation_test.py ./mapping --record DIR DIR DIR      # emulated.txt: CUDA 11.8, 12.8, 13.5
make evidence                   # this page, after any change of the records or the catalogue
```

- `shared.txt`: the sources cannot observe atoms in shared memory, but `make test-gpu` can. On an sm_90, it compares the
  file with the addresses that TMA writes and wgmma reads. It prints `build/shared.txt`, which includes the evidence of
  the device.
- `sass.txt`: `make check` compares it with ptxas. It needs python3, and for each architecture the version of ptxas that
  the file names.
- `published.txt`: the grids and formulae are as others printed them.
"""

DETAILS = """## Details

Each entry lists fragments with the same evidence, and their number. Then it lists the evidence for each architecture:
the observers of the layouts, and the other projects that state the same layouts at every entry. Names are in braces as
in bash: `{a,b}` is a and b, `{8..32..8}` is 8, 16, 24 and 32. For tcgen05, only the widest fragment is listed, as in
`--list`.

- *NVIDIA H200, nvcc 13.0.88*: a kernel compiled by this nvcc observed the layout on this device.
- *not confirmed on hardware*: we did not observe this layout on a device of this architecture, and nobody published a
  table.
- *seen on sm_90*: the layout was observed on sm_90, and the PTX ISA states the same layout for all architectures.
- *reported: RTX 5070 Ti, ...*: others ran products on this device. They printed no table, so their report does not
  count.
- *ptxas 13.5.37*: derived from the code of this ptxas, executed on the host.
- *emulation by ptxas*: ptxas emulates Volta's product. This code computes the product of fragments with these layouts
  (`emulated.txt`).
- *CUTLASS, Triton, JAX, TVM*: these projects have the same layout. They were compared when the program's layout was
  written, and are compared in CI.
- *with a note*: the program prints a note, often because other projects state another layout.
"""


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
    print(DETAILS, end="")
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
    print("# The evidence for the layouts\n\n"
          "`make evidence` prints this page. For each instruction and architecture, the table has the number of fragments with\n"
          "each kind of evidence. The column 70 is sm_70; 22S is 22 fragments with evidence of kind S:\n")
    table(claims, families, known)
    print(SOURCES)
    details(claims, families, known)


if __name__ == "__main__":
    main()
