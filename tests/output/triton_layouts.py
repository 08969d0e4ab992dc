"""Compares --format=triton with the linear layouts to which Triton itself converts its MMA layouts.

    triton_layouts.py MAPPING                                 asks Triton; prints TAP
    triton_layouts.py --record                                asks Triton; prints its layouts
    triton_layouts.py --recorded MAPPING triton_layouts.txt   compares with the recorded layouts; prints TAP

The first two import triton._C.libtriton, of Triton 3.3.0 or later, from $PYTHONPATH; pip install --no-deps of
the package triton is enough. No GPU is used. If --map is the last argument, the map of --format=json is
compared instead of the text of --format=triton.

If Triton infers the layout of a result from that of the operand, it is a linear layout. So the test parses a transpose
whose result has no layout. Triton's verifier rejects it, and its message has the inferred layout: #ttg.linear<...> with
rows and columns swapped. A line of the record is

    fragments | Triton's layout | type of the tensor | warps | #ttg.linear<...>, rows and columns swapped back

The tensor is as large as one fragment. The comparison ignores register bases of [0, 0]. If the tensor is smaller
than Triton's layout, as for A and B of m16n8k8 with f16, or A with 8 rows, Triton keeps the registers, which then
hold copies of elements.

The parameters of the layouts:

    kWidth        neighbours along K in a thread: as many as fill 32 bits, and 1 for f64. Triton uses other kWidth if an
                  operand is converted to a wider type after its load. They permute the columns of K, in A and B alike,
                  so the layout is not that of the fragment.
    version 1     Volta: no longer supported; Triton 3.3.0 fails an assertion in toLinearLayout.
    version 2     Turing, Ampere and later: mma. instrShape [8, 8] is converted as well.
    version 3     wgmma; the two highest bits of the thread are warps. N has to be a power of 2, else there is
                  no linear layout: Triton fails an assertion. B is in shared memory.
    version 5     tcgen05: has no fragments in registers.

The first form also passes the program's text to Triton's parser, as the layout of the result of a convert_layout from
Triton's own layout, and as the layout of an operand. Triton verifies both. At the end, it passes the text of every
other fragment as the layout of an operand, so that Triton checks its syntax.
"""

import concurrent.futures
import functools
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

MMA = "#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = 0, warpsPerCTA = [{}, 1], instrShape = [{}]}}>"
DOT = "#ttg.dot_op<{{opIdx = {}, parent = {}, kWidth = {}}}>"

# By kWidth: the element's type in the tensor, the types of fragments, and the sizes of K, of mma with 16 and
# 8 rows and of wgmma.
OPERANDS = [
    (1, "f64", ["f64"], [4, 8, 16], [4], []),
    (1, "f32", ["tf32"], [4, 8], [], [8]),
    (2, "f16", ["f16"], [8, 16], [], [16]),
    (2, "bf16", ["bf16"], [8, 16], [], [16]),
    (4, "i8", ["s8", "u8"], [16, 32], [16], [32]),
    (4, "i8", ["e4m3", "e5m2"], [16, 32], [], [32]),
    (4, "i8", ["e3m2", "e2m3", "e2m1"], [32], [], []),
    (8, "i4", ["s4", "u4"], [32, 64], [32], []),
    (8, "i4", ["e2m1"], [64], [], []),
    (32, "i1", ["b1"], [128, 256], [128], [256]),
]

# Accumulators: their type, and the sizes of K.
ACCUMULATORS = [
    ("f64", [4, 8, 16], [4], []),
    ("f32", [4, 8, 16, 32, 64], [], [8, 16, 32]),
    ("f16", [8, 16, 32], [], [16, 32]),
    ("s32", [16, 32, 64, 128, 256], [16, 32, 128], [32, 256]),
]

SIZES = [8, 16, 32, 64, 128, 256]  # N of wgmma

BITS = {"f64": "f64", "f32": "f32", "f16": "f16", "s32": "i32"}


def accumulator_questions():
    for kind, depths, depths_of_8, depths_of_wgmma in ACCUMULATORS:
        for rows, ks in ((16, depths), (8, depths_of_8)):
            names = [f"mma.m{rows}n8k{k}.{operand}.{kind}" for k in ks for operand in "cd"]
            if names:
                yield names, MMA.format(2, 1, f"{rows}, 8"), (rows, 8, BITS[kind]), 1
        for n, k in itertools.product(SIZES, depths_of_wgmma):
            yield [f"wgmma.m64n{n}k{k}.d.{kind}"], MMA.format(3, 4, f"16, {n}, {k}"), (64, n, BITS[kind]), 4


def operand_questions():
    for width, element, kinds, depths, depths_of_8, depths_of_wgmma in OPERANDS:
        for rows, ks in ((16, depths), (8, depths_of_8)):
            parent = MMA.format(2, 1, f"{rows}, 8")
            for k in ks:
                yield [f"mma.m{rows}n8k{k}.a.{kind}" for kind in kinds], DOT.format(0, parent, width), (rows, k, element), 1
                yield [f"mma.m{rows}n8k{k}.b.{kind}" for kind in kinds], DOT.format(1, parent, width), (k, 8, element), 1
        for k in depths_of_wgmma:
            names = [f"wgmma.m64n{n}k{k}.a.{kind}" for kind in kinds for n in (8, 256)]
            yield names, DOT.format(0, MMA.format(3, 4, f"16, 8, {k}"), width), (64, k, element), 4


def questions():
    """(fragments, Triton's layout, (rows, columns, type), warps) of each."""
    return [*accumulator_questions(), *operand_questions()]


# ---- Linear layouts: the bases of register, lane, warp and block, each [row, column] ----

AXES = ["register", "lane", "warp", "block"]


def parse_linear(text):
    form = "#ttg.linear<{" + ", ".join(rf"{axis} = (\[[^=]*\])" for axis in AXES) + "}>"
    match = re.fullmatch(form, text.strip())
    return [json.loads(bases) for bases in match.groups()] if match else None


def linear_text(bases):
    lists = (f"{axis} = [{', '.join(f'[{row}, {col}]' for row, col in some)}]" for axis, some in zip(AXES, bases))
    return "#ttg.linear<{" + ", ".join(lists) + "}>"


def swapped(bases):
    return [[[row, col] for col, row in some] for some in bases]


def without_copies(text):
    registers, *others = parse_linear(text)
    return linear_text([[basis for basis in registers if basis != [0, 0]], *others])


def offsets(bases):
    """[row, column] for each number whose bits choose among the bases."""
    values = [(0, 0)]
    for row, col in bases:
        values += [(at[0] ^ row, at[1] ^ col) for at in values]
    return values


def table_of(text):
    registers, lanes, warps, _ = parse_linear(text)
    held = offsets(registers)
    return [[[row ^ at[0], col ^ at[1]] for at in held] for row, col in offsets(lanes + warps)]


# ---- Triton's layouts ----

MODULE = """module attributes {{"ttg.num-warps" = {warps} : i32, "ttg.num-ctas" = 1 : i32,
    "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"}} {{
  tt.func @fragment(%matrix: {source}) {{
    {operation}
    tt.return
  }}
}}
"""

PARSER = """
import sys
from triton._C.libtriton import ir, nvidia
context = ir.context()
ir.load_dialects(context)
nvidia.load_dialects(context)
ir.parse_mlir_module(sys.argv[1], context)
"""


@functools.lru_cache(None)
def parsed(warps, source, operation):
    """The messages of Triton's parser and verifier for an operation, nothing if it is right."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/fragment.mlir", "w") as file:
            file.write(MODULE.format(warps=warps, source=source, operation=operation))
        command = [sys.executable, "-c", PARSER, f"{folder}/fragment.mlir"]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stderr.replace(folder, "") if done.returncode else ""


def tensor(rows, cols, element, layout):
    return f"tensor<{rows}x{cols}x{element}, {layout}>"


def inferred(layout, shape, warps):
    """The linear layout to which Triton converts a layout, and the message if there is none."""
    rows, cols, element = shape
    source = tensor(rows, cols, element, layout)
    bare = f"tensor<{cols}x{rows}x{element}>"
    message = parsed(warps, source, f"%0 = tt.trans %matrix {{order = array<i32: 1, 0>}} : {source} -> {bare}")
    match = re.search(r"inferred type\(s\) '[^']*?(#ttg\.linear<\{[^}]*\}>)", message)
    return (linear_text(swapped(parse_linear(match.group(1)))), "") if match else (None, message)


def converted(layout, shape, warps, text):
    """Triton's messages about a conversion from its own layout to the text."""
    source, target = tensor(*shape, layout), tensor(*shape, text)
    return parsed(warps, source, f"%0 = ttg.convert_layout %matrix : {source} -> {target}")


def asked_cases():
    """(fragments, Triton's layout, shape, warps, the linear layout) of each."""
    def ask(question):
        _, layout, shape, warps = question
        text, message = inferred(layout, shape, warps)
        if text is None:
            raise RuntimeError(f"no linear layout of {layout}: {message}")
        return (*question, text)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(ask, questions()))


def print_record(cases):
    for names, layout, (rows, cols, element), warps, text in cases:
        print(",".join(names), layout, f"{rows}x{cols}x{element}", warps, text, sep=" | ")


def recorded_cases(path):
    cases = []
    with open(path) as file:
        for line in file:
            if not line.startswith("#"):
                names, layout, shape, warps, text = line.rstrip("\n").split(" | ")
                rows, cols, element = shape.split("x")
                cases.append((names.split(","), layout, (int(rows), int(cols), element), int(warps), text))
    return cases


# ---- The program's layouts ----


def run_program(program, form, fragment):
    arch = "sm_90" if fragment.startswith(("wgmma", "wmma")) else "sm_120"
    source = "recorded" if fragment.startswith("wmma") else "isa"
    command = [program, f"--format={form}", fragment]
    if fragment not in MATRICES:
        command[1:1] = [f"--source={source}", f"--arch={arch}"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    return done.stdout, "" if done.returncode in (0, 4) else f"exit status {done.returncode}: {done.stderr.strip()}"


def shown_text(program, fragment):
    output, trouble = run_program(program, "triton", fragment)
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith(("# ", "//"))]
    return trouble or "\n".join(lines)


def shown_table(program, fragment):
    output, trouble = run_program(program, "json", fragment)
    return trouble or json.loads(output)["map"]


def judge(program, by_map, live, case, fragment):
    """The error, or nothing."""
    _, layout, shape, warps, text = case
    expected = without_copies(text)
    if by_map:
        shown = shown_table(program, fragment)
        if isinstance(shown, str):
            return shown
        return "" if shown == table_of(expected) else f"thread 1 holds {shown[1]}"
    shown = shown_text(program, fragment)
    if shown != expected:
        return shown or "nothing"
    if not live:
        return ""
    again, message = inferred(shown, shape, warps)
    return message or converted(layout, shape, warps, shown) or ("" if again == shown else f"Triton reads {again}")


def other_fragments(program, cases):
    """By (rows, columns, text) those that are not among the cases and that the program has a layout of."""
    seen = {fragment for case in cases for fragment in case[0]}
    texts = {}
    for arch in ("sm_90", "sm_120"):
        listed = subprocess.run([program, "--list", f"--arch={arch}"], capture_output=True, text=True, check=True).stdout
        for fragment, size in re.findall(r"^(\S+) +(\d+x\d+) ", listed, re.MULTILINE):
            if fragment not in seen and fragment.startswith(("wgmma", "wmma")) == (arch == "sm_90"):
                seen.add(fragment)
                text = shown_text(program, fragment)
                if text.startswith("#ttg") and not re.search(r"\[\d+, \d+, ", text):  # matrices, not several
                    texts.setdefault((*map(int, size.split("x")), text), []).append(fragment)
    return texts


def read_back(rows, cols, text):
    """The error in a text that Triton parses, or nothing."""
    bases = parse_linear(text)
    if not bases:
        return f"no layout of rows and columns: {text}"
    again, message = inferred(text, (rows, cols, "f32"), 1 << len(bases[2]))
    return message or ("" if again == text else f"Triton reads {again}")


# Matrices in memory, whose text Triton's parser and verifier must accept.
MATRICES = {
    "(64,64):(64,1)": "64x64", "Sw<3,3,3> o 0 o (64,64):(64,1)": "64x64", "Sw<2,3,3> o 0 o (64,32):(32,1)": "64x32",
    "(64,64):(1,64)": "64x64", "Layout_MN_SW128_Atom": "64x8",
}


def read_matrix(program, name):
    """The error in the text of a matrix in memory that Triton parses, or nothing."""
    text = shown_text(program, name)
    operation = f"%0 = ttg.local_alloc : () -> !ttg.memdesc<{MATRICES[name]}xf16, {text}, #ttg.shared_memory, mutable>"
    return parsed(4, f"tensor<{MATRICES[name]}xf16>", operation)


def report(tests):
    """Prints TAP for names and what becomes of them, and returns how many are wrong."""
    failures = number = 0
    for number, (name, job) in enumerate(tests, 1):
        wrong = job.result()
        failures += wrong != ""
        print(f"{'not ' if wrong else ''}ok {number} - {name}")
        if wrong:
            print("\n".join(f"# {line}" for line in wrong.splitlines()))
    print(f"1..{number}")
    return failures


def compare(program, cases, by_map, live):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tests = []
        for case in cases:
            for fragment in case[0]:
                job = pool.submit(judge, program, by_map, live, case, fragment)
                tests.append((f"{fragment}: {without_copies(case[4])[1:]}", job))
        others = other_fragments(program, cases) if live and not by_map else {}
        for (rows, cols, text), names in others.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            tests.append((f"Triton reads {text[1:]} ({names[0]}{more})", pool.submit(read_back, rows, cols, text)))
        for name in MATRICES if live and not by_map else ():
            tests.append((f"Triton reads that of {name}", pool.submit(read_matrix, program, name)))
        return report(tests)


def triton_version():
    code = "import triton; print(triton.__version__)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def main(arguments):
    by_map = arguments[-1] == "--map"
    arguments = arguments[:-1] if by_map else arguments
    if arguments[0] == "--record":
        print("# The linear layouts that Triton makes of its MMA layouts: triton_layouts.py --record")
        print(f"# Triton {triton_version()}")
        print("# fragments, layout, tensor, warps and linear layout as triton_layouts.py explains them")
        print_record(asked_cases())
        return 0
    if arguments[0] == "--recorded":
        return compare(arguments[1], recorded_cases(arguments[2]), by_map, False) > 0
    return compare(arguments[0], asked_cases(), by_map, True) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
