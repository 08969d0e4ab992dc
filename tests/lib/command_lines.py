"""Command lines for tests that compare programs, or ways to call one: make delta, msan, asan and tsan, and the library.

    python3 tests/lib/command_lines.py MAPPING    # prints them, one a line, quoted for a POSIX shell, without the program's name

Each answer is the same from run to run, without a GPU and without CUDA's tools. The folder is the repository. The lines
come from three places:

- tests/delta.txt, written by hand;
- the case files of tests/cases/;
- the actions and options of cli/every_option_test.py, and the forms below, filled in at random, always with the same seed.
  Fragments, architectures and formats are those that the program lists, so new ones need no change here.
"""
import collections
import csv
import io
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

import cases
from tap import architectures, formats

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "cli"))
import every_option_test as options  # noqa: E402

SEED = 62
NAME = r"(?<!\{)\{([\w. ]+)\}(?!\})"

# Alternatives for the words in braces; `listed` adds those that the program lists. {here} is the architecture of the line.
WORDS = {
    "type": "f64 f32 tf32 bf16 f16 s32 s8 u8 e4m3 e5m2 e2m1 s4 b1 b16".split(),
    "style": "bits short divide".split(),
    "number": "0 0 1 2 3 5 7 7 13 0-3 4-7 *".split(),
    "lane": "0 1 2 3 5 7 8 13 16 25 31 100 0-3 *".split(),
    "four": "1 2 4 8".split(),
    "size": "1 2 3 4 5 6 8 10 12 16 17 24 32 33 40 48 64 72 96 128 256".split(),
    "extent": ["{size},{size}", "128,128", "128,128", "256,128", "128,256"],
    "swizzle": [f"Sw<{swizzle}> o 0 o" for swizzle in ("1,3,3", "2,3,3", "3,3,3", "3,4,3", "2,2,3", "1,4,3", "0,4,3")],
    "large": ["(64,64):(64,1)", "(64,64):(72,1)", "(64,64):(1,64)", "(64,64):(1,72)", "(128,32):(32,1)", "(128,128):(128,1)", "(16,256):(1,16)", "(64,64,3):(64,1,4096)",
              "((8,8),(8,8)):((8,512),(1,64))", "{swizzle} (64,64):(64,1)", "{swizzle} (64,64):(1,64)", "{swizzle} (128,32):(32,1)"],
    "flat": ["({size},{size}):(256,1)", "({size},{size}):(1,260)", "({size},{size}):({size},1)", "({size},{four},{four}):(32,1,8192)", "({size},({four},{size})):({size},({size},{four}))",
             "{large}"],
    "square": ["(64,64):(64,1)", "(64,64):(72,1)", "(64,64):(1,64)", "((8,8),(8,8)):((8,512),(1,64))", "{swizzle} (64,64):(64,1)", "{swizzle} (64,64):(1,64)", "(64,(16,4)):(64,(1,16))"],
    "matrix": ["'{flat}'", "'{flat}'", "'{large}'", "'{swizzle} {flat}'", "'Layout_{major}_{mode}_Atom<{cute}>'", "Layout_{major}_{mode}_Atom --type={type} --extent={extent}",
               "'{letter}MajorInterleaved<{size}>' --type={type} --extent={extent}", "{letter}Major --type={type} --extent={extent}",
               "'{letter}MajorTensorOpMultiplicandCrosswise<{bits},{elements}>' --extent={extent}",
               "'{letter}MajorTensorOpMultiplicandCongruous<{bits},{elements}>' --extent={extent}",
               "{factors} --extent=128,{size}", "{factors} --extent=128,512 --block={block}"],
    "factors": "128x4 8x4 SWIZZLE_32_4_4 F8_128x4 to_blocked BLACKWELL_SCALE 'Sm1xxBlockScaledConfig<16>'".split(),
    "block": "16 32 128".split(),
    "major": ["K", "MN"],
    "mode": "INTER SW32 SW64 SW128".split(),
    "cute": "half_t bfloat16_t float tfloat32_t int8_t float_e4m3_t double".split(),
    "letter": ["Row", "Column"],
    "bits": "4 8 16 32 64".split(),
    "elements": "16 32 64 128".split(),
    "triton": ["#ttg.blocked<{{sizePerThread = [1, {four}], threadsPerWarp = [8, 4], warpsPerCTA = [{four}, 1], order = [1, 0]}}>",
               "#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [{four}, 1], instrShape = [16, 8]}}>",
               "#ttg.swizzled_shared<{{vec = {four}, perPhase = {four}, maxPhase = {four}, order = [1, 0]}}>"],
    "atoms": ["({four},{four},1)", "({four},1,1)", "(1,{four},{four})", "(2,2,1):(2,1,0)", "({four},{four})", "(1,2,1):(1,{four},2)", "((2,2),1,1):((2,1),2,4)"],
    "permutation": ["{size},{size},{size}", "128,64,64", "64,64,_", "_,64,_", "_,_,64", "128,_,_", "256,128,_", "((16,2,4):(1,64,16)),_,_", "(4,4,2):(1,8,4),_,(2,8):(8,1)", "_,(8,2,2):(1,16,8),_",
                    "({four},{size}):({size},1),_,_"],
    "tile": ["'--atom-layout={atoms}'", "'--atom-layout={atoms}' '--permutation={permutation}'", "'--permutation={permutation}'"],
    "formula": ["row = lane / 4 + i / 2 * 8; col = lane % 4 * 2 + i % 2", "row = tid / 4; col = tid % 4 + i", "row = (tid >> 2) + 8*(i&1)", "tid = row * 4 + col / 2; i = col % 2",
                "(row, col) = (lane // 4, lane % 4 * 2 + i)", "row=0", "((4,8),(2,2)):((32,1),(16,8))", "unsigned r = lane; r /= 4; if (i > 1) r += 8; row = r"],
    "address": ["tid*{unit}", "tid % 16 * 128 + tid / 16 * 16", "(tid & 7) * 144 + tid / 8 * 16", "tid*{unit}*{size}", "tid/{four}*{unit}", "0", "(tid ^ {four})*{unit}", "{lanes}"],
    "lanes": [",".join(str(step * n * k % 64 * 16) for n in range(32)) for step in (1, 2, 3) for k in (1, 5, 8)] + ["0,4,-,12,16", "-,-,0,4,0,4,0,8"],
    "unit": "4 8 16 16 32".split(),
    "access": [f"{way}.{width}" for way in ("ld", "st") for width in ("u8", "u16", "b32", "b64", "b128")]
    + [f"{way}.x{count}{trans}" for way in ("ldmatrix", "stmatrix") for count in (1, 2, 4) for trans in ("", ".trans")]
    + ["cp.async", "LDS.64", "STS.128", "ldmatrix.m16n16.x2.trans.b8", "ldmatrix.m8n16.x4.b8x16.b6x16_p32", "stmatrix.m16n8.x4.trans.b8", "ld.shared.v4.f32"],
    "tmem": [f"tcgen05.{way}.{shape}" for way in ("ld", "st") for shape in ("32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2")]
    + ["tcgen05.ld.32x32b.x{four}", "tcgen05.ld.16x64b.x{four}", "tcgen05.ld.32x32b.x{four}.pack::16b", "tcgen05.st.32x32b.x{four}.unpack::16b"],
    "color": "thread element bank lane column".split(),
    "look": ["--brief", "--detail", "--brief --detail", "--cells", "--cells --color=always", "--color=always", "--color-by={color}", "--whole", "--rows=0-7", "--cols=2-5",
             "--style={style}", "--order"],
    "how": ["", "", "{text}", "{text}", "--format={format}", "--format={format}", "--format={format}", "--format={format}", "--format={format} --style={style}", "--format={format} {look}"],
    "text": ["--brief", "--detail", "--brief --detail", "--cells", "--cells --color=always", "--color=always", "--whole", "--rows=0-7", "--cols=0-3", "--style={style}", "{look}"],
    "ask": ["'--at={number},{number}'", "'--at={number},{number}'", "'--thread={lane}'", "'--thread={lane}' --register=0", "--thread={lane},{four}", "--operand={operand}"],
    "operand": "a b c d e sfa sfb r p".split(),
    "moved": ["--load={registers}", "--load={registers}", "--load={inputs}", "--load={inputs}", "--store={registers}", "--store=cp.async", "--store=tma", "--load={tiled} {tile}"],
    "inputs": "mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.b.bf16 mma.m16n8k32.a.s8 ldmatrix.m8n8.x1.r.b16 ldmatrix.m8n8.x1.trans.r.b16 wmma.m16n16k16.a.row.f16".split(),
    "plan": ["", "", "", "", "--origin=16,0", "--origin={size},{size}", "--origin=row,col", "--origin=16,16", "--with={access}", "--axes=k,m", "--axes=n,k", "--type={type}"],
}

# Actions, and the word for the formats that the program accepts with each, sometimes with something that may not fit.
ACTIONS = {
    "asked": ["mma.m16n8k16.d.f32", "--at=0,0"],
    "planned": ["(64,64):(64,1)", "--load=mma.m16n8k16.a.f16"],
    "judged": ["mma.m16n8k16.d.f32", "--verify=row = 0"],
    "converted": ["mma.m16n8k16.d.f32", "--convert=mma.m16n8k16.a.f16"],
    "counted": ["--access=ld.b32", "--address=0"],
    "listed": ["--list", "mma.*"],
}

# How many lines of each form. {each} is a fragment, every one once.
FORMS = [
    (1, "{each} {how}"),
    (200, "{fragment} --arch={here} {ask} {asked}"),
    (80, "{fragment} --arch={here} --source={source} {how}"),
    (60, "{fragment} {fragment} --arch={here} {how}"),
    (320, "{tiled} --arch={here} --source=isa {tile} {how}"),
    (60, "{tiled} --arch={here} {tile} {ask} {asked}"),
    (300, "{resized} --arch={here} {converted}"),
    (80, "{tiled} --arch={here} {tile} --convert={inputs} {converted}"),
    (80, "{registers} --arch={here} '--verify={formula}' {judged}"),
    (60, "{equal} --arch={here} {judged}"),
    (300, "{matrix} {how}"),
    (100, "{matrix} '--at={number},{number}' {asked}"),
    (40, "{matrix} '--offset={lane}' {asked}"),
    (300, "'{large}' --arch={here} {moved} {plan} {planned}"),
    (40, "{matrix} --arch={here} {moved} {planned}"),
    (80, "'{large}' --arch={here} {moved} {moved} {planned}"),
    (80, "'{large}' --arch={here} --suggest {moved} {judged}"),
    (40, "'{large}' --arch={here} {moved} '--verify=address = tid * 16' {judged}"),
    (60, "'{square}' '--equals={square}' {judged}"),
    (40, "'{triton}' --shape=64,64 {how}"),
    (200, "{tensor} --with={tmem} {how}"),
    (60, "{tensor} --with={tmem} {ask} {asked}"),
    (60, "{tensor} '--lane={lane}' {asked}"),
    (250, "--access={access} '--address={address}' {counted}"),
    (60, "--list --arch={here} --type={type} {listed}"),
    (30, "{fragment} --arch={here} --list {listed}"),
    (60, "--diff={here},{arch} {listed}"),
    (160, "{opcode} {how}"),
    (60, "{opcode} {ask} {asked}"),
    (60, "'{atom}' {how}"),
    (60, "'{sass}' --arch={here} --brief"),
]


def by_hand():
    text = (TESTS / "delta.txt").read_text(encoding="utf-8", errors="surrogateescape")
    return [line for line in text.split("\n") if line.strip() and not line.startswith("# ")]


def of_cases(program):
    """The commands of case files, but those that write files."""
    cases.MAPPING = program
    steps = [step for path in sorted((TESTS / "cases").glob("*.cases")) for step in cases.read(path)]
    commands = [case.command for step in steps if not isinstance(step, tuple) for case in cases.expand(step)]
    return [shlex.join(words) for words in commands if not any("--into" in word for word in words)]


def with_options():
    """Each action of the test of options with each option, but those that write files."""
    lines = [shlex.join([*action, options.written(option, value)])
             for action in options.ACTIONS.values() for option, values in options.SAMPLES.items() for value in values]
    return [line for line in lines if options.FOLDER not in line]


def accepted(program, action):
    """The formats that the program accepts with an action, and twice none."""
    names = [name for name in formats(program) if subprocess.run([program, *action, f"--format={name}"], capture_output=True, check=False).returncode != 2]
    return ["", "", "{look}", *(f"--format={name}" for name in names)]


def listed(program):
    """Words for each architecture: the fragments that it has, and what else the program or a recorded file lists."""
    said = subprocess.run([program, "--list", "--arch=all", "--format=csv"], capture_output=True, text=True, check=True).stdout
    has = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in csv.DictReader(io.StringIO(said)):
        for arch in sorted({target.rstrip("af") for column in ("native", "emulated", "targets") for target in row[column].split()}):
            has[arch][re.split(r"\.m?\d", row["fragment"])[0]].append(row)
    sass = [line.split(": ", 1) for line in (TESTS.parent / "results" / "sass.txt").read_text().split("\n") if " on sm_" in line]
    atoms = [line.split(" ")[0] for line in (TESTS / "catalogue" / "atoms.txt").read_text().split("\n") if line and line[0] != "#"]
    shared = WORDS | {name: accepted(program, action) for name, action in ACTIONS.items()} | {
        "format": formats(program),
        "arch": architectures(program),
        "source": ["isa", "recorded", "published", "isa,recorded"],
        "opcode": [f"{line[0].split(' ')[0]} --arch={line[0].split(' ')[-1]}" for line in sass if "{" not in line[0]],
        "sass": sorted({word for line in sass for word in re.findall(r"\b\d+ ([A-Z][A-Z0-9_.]+)", line[1])}),
        "atom": [re.sub(r"<.*|.*::", "", atom.replace("{N}", "64")) for atom in atoms],
        "tensor": [f"{row['fragment']} --arch={arch}" for arch in has for family, rows in has[arch].items() for row in rows
                   if family.startswith("tcgen05.mma") and row["operand"] in ("a", "d")],
    }
    return [shared | words_of(arch, families) for arch, families in has.items()]


def words_of(arch, families):
    """Words for the fragments of an architecture, which are rows of --list."""
    of_registers = [family for family in families if not family.startswith(("tcgen05.mma", "tcgen05.cp", "tcgen05.shift"))]
    sizes = collections.defaultdict(list)
    for family in of_registers:
        for row in families[family]:
            sizes[f"{row['rows']}x{row['cols']} of {row['threads']}"].append(row["fragment"])
    words = {f"of {family}": [row["fragment"] for row in rows] for family, rows in families.items()} | sizes
    several = sorted(size for size, names in sizes.items() if len(names) > 1)
    return words | {
        "here": [arch],
        "each": [row["fragment"] for rows in families.values() for row in rows],
        "fragment": [f"{{of {family}}}" for family in families],
        "registers": [f"{{of {family}}}" for family in of_registers],
        "tiled": [row["fragment"] for family in ("mma", "wgmma") for row in families.get(family, []) if row["operand"] in "abcd"],
        "resized": [f"{{{size}}} --convert={{{size}}}" for size in several],
        "equal": [f"{{{size}}} --equals={{{size}}}" for size in several],
    }


def filled(form, words, rng):
    """The form with a random word for each name in braces."""
    while re.search(NAME, form):
        form = re.sub(NAME, lambda match: rng.choice(words[match[1]]), form)
    return " ".join(form.replace("{{", "{").replace("}}", "}").split())


def of_forms(program):
    rng = random.Random(SEED)
    archs = listed(program)
    fragments = dict.fromkeys(name for words in archs for name in words["each"])
    lines = []
    for count, form in FORMS:
        if "{each}" in form:
            for name in fragments:
                words = rng.choice([words for words in archs if name in words["each"]])
                lines.append(filled(form.replace("{each}", f"{name} --arch={{here}}"), words, rng))
        else:
            lines += [filled(form, rng.choice(archs), rng) for _ in range(count)]
    return lines


def command_lines(program):
    """All of them, each once."""
    return list(dict.fromkeys([*by_hand(), *of_cases(program), *with_options(), *of_forms(program)]))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    print(*command_lines(os.path.abspath(sys.argv[1])), sep="\n")
