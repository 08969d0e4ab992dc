"""Compares tiled multiplications with those of CuTe's own C++ headers.

    cute_headers.py MAPPING INCLUDE [N [SEED]]      compiles N tilings; prints TAP
    cute_headers.py --record INCLUDE N SEED         compiles them; prints CuTe's results
    cute_headers.py --recorded MAPPING tilings.txt  compares with the recorded results; prints TAP

INCLUDE is a list of folders, separated by colons: that of CUTLASS, and those of CUDA, including cccl. The compiler is
clang++; nothing is linked or run.

A tiling is make_tiled_mma(atom, atom layout, permutation) and one of its operands. The test partitions a matrix of the
tile's size, tile_size_mnk, with thrfrg_A, thrfrg_B or thrfrg_C. In kernels, partition_A, partition_B and partition_C
call these functions, and slice the result by thread (include/cute/atom/mma_atom.hpp). CuTe's result is one of

    shape        refused: static_assert "Shape Divisibility Condition"
    stride       refused: static_assert "Stride Divisibility Condition"
    injective    refused: static_assert "Non-injective Layout detected in complement."
    threads      accepted, but its threads are not 0, 1, 2, ...
    cover        accepted, but no cover: an element is outside of the tile, or some are held more often
    RxC:TxE:CRC  rows and columns of the tile, the number of threads and of the elements of each, and the
                 CRC-32 of row and column of every element of every thread in order, as 16-bit numbers with
                 the lower byte first

where B is N x K. The program must reject the first five, and agree with the last at every entry. It also rejects
tilings with more than 1024 elements per thread.
"""

import ast
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import zlib
from array import array
from itertools import product
from math import prod

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import library  # noqa: E402
from cutlass import cutlass_version  # noqa: E402
from tap import sample  # noqa: E402

# The shape of an atom, its threads, and the fragments that are its A, B and C; operands that wgmma reads from shared
# memory have none.
ATOMS = {
    "SM70_8x8x4_F32F16F16F32_TN": ((8, 8, 4), 8, ("mma.m8n8k4.a.row.f16", "mma.m8n8k4.b.col.f16", "mma.m8n8k4.d.f32")),
    "SM70_8x8x4_F32F16F16F32_NT": ((8, 8, 4), 8, ("mma.m8n8k4.a.col.f16", "mma.m8n8k4.b.row.f16", "mma.m8n8k4.d.f32")),
    "SM70_8x8x4_F16F16F16F16_NN": ((8, 8, 4), 8, ("mma.m8n8k4.a.col.f16", "mma.m8n8k4.b.col.f16", "mma.m8n8k4.d.f16")),
    "SM70_8x8x4_F16F16F16F16_TT": ((8, 8, 4), 8, ("mma.m8n8k4.a.row.f16", "mma.m8n8k4.b.row.f16", "mma.m8n8k4.d.f16")),
    "SM75_16x8x8_F32F16F16F32_TN": ((16, 8, 8), 32, ("mma.m16n8k8.a.f16", "mma.m16n8k8.b.f16", "mma.m16n8k8.d.f32")),
    "SM80_16x8x16_F32F16F16F32_TN": ((16, 8, 16), 32, ("mma.m16n8k16.a.f16", "mma.m16n8k16.b.f16", "mma.m16n8k16.d.f32")),
    "SM80_16x8x16_F16F16F16F16_TN": ((16, 8, 16), 32, ("mma.m16n8k16.a.f16", "mma.m16n8k16.b.f16", "mma.m16n8k16.d.f16")),
    "SM80_16x8x8_F32TF32TF32F32_TN": ((16, 8, 8), 32, ("mma.m16n8k8.a.tf32", "mma.m16n8k8.b.tf32", "mma.m16n8k8.d.f32")),
    "SM80_16x8x4_F32TF32TF32F32_TN": ((16, 8, 4), 32, ("mma.m16n8k4.a.tf32", "mma.m16n8k4.b.tf32", "mma.m16n8k4.d.f32")),
    "SM80_8x8x4_F64F64F64F64_TN": ((8, 8, 4), 32, ("mma.m8n8k4.a.f64", "mma.m8n8k4.b.f64", "mma.m8n8k4.d.f64")),
    "SM80_8x8x16_S32S8S8S32_TN": ((8, 8, 16), 32, ("mma.m8n8k16.a.s8", "mma.m8n8k16.b.s8", "mma.m8n8k16.d.s32")),
    "SM80_16x8x32_S32S8S8S32_TN": ((16, 8, 32), 32, ("mma.m16n8k32.a.s8", "mma.m16n8k32.b.s8", "mma.m16n8k32.d.s32")),
    "SM80_16x8x64_S32S4S4S32_TN": ((16, 8, 64), 32, ("mma.m16n8k64.a.s4", "mma.m16n8k64.b.s4", "mma.m16n8k64.d.s32")),
    "SM90_16x8x8_F64F64F64F64_TN": ((16, 8, 8), 32, ("mma.m16n8k8.a.f64", "mma.m16n8k8.b.f64", "mma.m16n8k8.d.f64")),
    "SM90_64x24x16_F32F16F16_RS<GMMA::Major::K,GMMA::Major::K>":
        ((64, 24, 16), 128, ("wgmma.m64n24k16.a.f16", None, "wgmma.m64n24k16.d.f32")),
    "SM90_64x40x16_F16F16F16_RS<GMMA::Major::K,GMMA::Major::K>":
        ((64, 40, 16), 128, ("wgmma.m64n40k16.a.f16", None, "wgmma.m64n40k16.d.f16")),
    "SM90_64x32x16_F32F16F16_RS<GMMA::Major::K,GMMA::Major::K>":
        ((64, 32, 16), 128, ("wgmma.m64n32k16.a.f16", None, "wgmma.m64n32k16.d.f32")),
    "SM90_64x96x16_F16F16F16_RS<GMMA::Major::K,GMMA::Major::K>":
        ((64, 96, 16), 128, ("wgmma.m64n96k16.a.f16", None, "wgmma.m64n96k16.d.f16")),
    "SM90_64x8x8_F32TF32TF32_RS_TN<>": ((64, 8, 8), 128, ("wgmma.m64n8k8.a.tf32", None, "wgmma.m64n8k8.d.f32")),
}

MODES = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}  # 0 for M, 1 for N, 2 for K

# ---- Layouts: (shape, stride), both a number or a tuple of such; stride None for that by default ----


def flat(tree):
    return [leaf for branch in tree for leaf in flat(branch)] if isinstance(tree, tuple) else [tree]


def text(tree):
    return f"({','.join(map(text, tree))})" if isinstance(tree, tuple) else str(tree)


def layout_text(layout):
    if layout is None:
        return "_"
    shape, stride = layout
    return text(shape) if stride is None else f"{text(shape)}:{text(stride)}"


def cpp_tree(tree, name):
    return f"{name}<{','.join(cpp_tree(branch, name) for branch in tree)}>" if isinstance(tree, tuple) else f"Int<{tree}>"


def cpp_layout(layout):
    shape, stride = layout
    return f"Layout<{cpp_tree(shape, 'Shape')}{'' if stride is None else ',' + cpp_tree(stride, 'Stride')}>"


def cpp_permutation(layout):
    if layout is None:
        return "Underscore"
    return f"Int<{layout[0]}>" if layout[1] is None and not isinstance(layout[0], tuple) else cpp_layout(layout)


def offsets(shape, stride):
    """The layout's values in order, the first mode running fastest."""
    values = [0]
    for size, step in zip(flat(shape), flat(stride)):
        values = [value + n * step for n in range(size) for value in values]
    return values


# ---- Tilings: (atom, operand, atom layout, permutations) ----

VOLTA, VOLTA_TN, AMPERE = "SM70_8x8x4_F32F16F16F32_NT", "SM70_8x8x4_F16F16F16F16_TT", "SM80_16x8x16_F32F16F16F32_TN"

# Atom layouts and permutations of CuTe's documentation on MMA atoms, and some that are not possible.
EXAMPLES = [
    (VOLTA, "C", ((2, 2, 1), (2, 1, 0)), [None, None, None]),
    (VOLTA, "C", ((2, 2, 1), (2, 1, 0)), [(32, None), (32, None), (4, None)]),
    (VOLTA, "A", ((2, 2, 1), (2, 1, 0)), [((4, 4, 2), (1, 8, 4)), (32, None), (4, None)]),
    (VOLTA, "B", ((2, 2, 1), (2, 1, 0)), [((4, 4, 2), (1, 8, 4)), (32, None), (4, None)]),
    (VOLTA, "C", ((2, 2, 1), (2, 1, 0)), [((4, 4, 2), (1, 8, 4)), (32, None), (4, None)]),
    (VOLTA_TN, "C", ((2, 2, 1), None), [((6, 2, 2, 2), (4, 24, 1, 2)), (16, None), (4, None)]),  # reaches beyond 48 rows
    (VOLTA_TN, "C", (1, None), [None]),  # threads 0 to 3 and 16 to 19
    (AMPERE, "C", (1, None), [(16, None), (5, None), (16, None)]),
    (AMPERE, "C", (1, None), [(16, None), (4, None), (16, None)]),  # each element twice
    (AMPERE, "C", (2, None), [(16, None)]),  # both atoms hold the same
    (AMPERE, "C", (1, None), [(40, None)]),
    (AMPERE, "C", (1, None), [(16, None), (8, None), (5, None)]),  # K is not C's
    (AMPERE, "A", (1, None), [(16, None), (8, None), (5, None)]),
    (AMPERE, "C", ((2, 2), (1, 1)), [None]),
]



def compact(rng, sizes):
    """Strides of a permutation of 0 .. prod(sizes) - 1: the modes in any order."""
    strides, reached = [0] * len(sizes), 1
    for mode in rng.sample(range(len(sizes)), len(sizes)):
        strides[mode] = reached
        reached *= sizes[mode]
    return strides


def factors(rng, size, count):
    sizes = [1] * count
    divisor = 2
    while size > 1:
        while size % divisor == 0:
            sizes[rng.randrange(count)] *= divisor
            size //= divisor
        divisor += 1
    return [size for size in sizes if size > 1 or rng.random() < 0.1] or [1]


def nest(rng, leaves):
    """The leaves as a tuple, now and then with the first ones in a tuple of their own."""
    if len(leaves) > 2 and rng.random() < 0.2:
        return (tuple(leaves[:2]), *leaves[2:])
    return tuple(leaves)


def random_atoms(rng, threads):
    most = rng.choice([4, 8, 16, 32] if threads == 8 else [2, 4, 8] if threads == 32 else [2, 4])
    counts = [1, 1, 1]
    for _ in range(rng.randrange(5)):
        mode, times = rng.choice([0, 0, 1, 1, 2]), rng.choice([2, 2, 2, 2, 3])
        if prod(counts) * times <= most:
            counts[mode] *= times
    if threads == 8 and rng.random() < 0.7 and prod(counts) % 4:
        counts = rng.choice([[2, 2, 1], [4, 1, 1], [1, 4, 1], [2, 1, 2]])
    kind = rng.random()
    if kind < 0.4:
        rank = rng.choice([3, 3, 2, 1]) if counts[2] == 1 else 3
        while rank < 3 and prod(counts[rank:]) > 1:
            rank += 1
        return (counts[0] if rank == 1 else tuple(counts[:rank]), None)
    modes = [tuple(factors(rng, count, 2)) if count > 3 and rng.random() < 0.3 else count for count in counts]
    leaves = flat(tuple(modes))
    strides = compact(rng, leaves)
    if kind > 0.92:
        strides = [rng.choice([0, 1, 2, 3, 4, 8]) for _ in leaves]
    left = iter(strides)
    return (tuple(modes), tuple(tuple(next(left) for _ in mode) if isinstance(mode, tuple) else next(left) for mode in modes))


def random_permutation(rng, core):
    """Of a mode of which the atoms cover `core`."""
    kind = rng.random()
    if kind < 0.3:
        return None
    size = core * rng.choice([1, 1, 2, 2, 3, 4, 6])
    if kind < 0.4:
        return (size, None)
    if kind < 0.46:
        return (rng.randrange(1, 3 * core), None)
    if kind < 0.52:
        size = rng.choice([core // 2, core // 4, core // 2 * 3, core + 8])
        return (size or 1, None)
    leaves = factors(rng, size, rng.randrange(1, 5))
    shape = nest(rng, leaves)
    if kind < 0.58:
        return (shape, None)
    strides = compact(rng, leaves)
    if kind > 0.9:
        for _ in range(rng.randrange(1, 3)):
            strides[rng.randrange(len(strides))] = rng.choice([0, 1, 2, 3, 4, 6, 8, 16, 24, 32])
    elif kind > 0.87:
        leaves = [rng.choice([1, 2, 3, 4, 5, 6, 8]) for _ in leaves]
        shape = tuple(leaves)
    return (shape, (tuple(strides[:2]), *strides[2:]) if shape and isinstance(shape[0], tuple) else tuple(strides))


def random_tiling(rng):
    while True:
        atom = rng.choice(list(ATOMS))
        shape, threads, fragments = ATOMS[atom]
        operand = rng.choice([operand for operand, fragment in zip(MODES, fragments) if fragment])
        atoms = random_atoms(rng, threads)
        counts = atom_counts(atoms)
        permutations = [random_permutation(rng, shape[mode] * counts[mode]) for mode in range(3)]
        while len(permutations) > 1 and permutations[-1] is None and rng.random() < 0.5:
            permutations.pop()
        tiling = atom, operand, atoms, permutations
        rows, cols = tile_size(tiling)
        reach = prod(max(shape[mode] * counts[mode], size) for mode, size in zip(MODES[operand], (rows, cols)))
        if reach <= 16384 and threads * prod(counts) <= 512:
            return tiling


def atom_counts(atoms):
    """The number of atoms along M, N and K."""
    modes = atoms[0] if isinstance(atoms[0], tuple) else (atoms[0],)
    return [prod(flat(mode)) for mode in modes] + [1] * (3 - len(modes))


def tile_size(tiling):
    """The size of the tile along the operand's two modes, as tile_size_mnk has it."""
    atom, operand, atoms, permutations = tiling
    sizes = [size * count for size, count in zip(ATOMS[atom][0], atom_counts(atoms))]
    for mode, permutation in enumerate(permutations):
        if permutation is not None:
            sizes[mode] = prod(flat(permutation[0]))
    return [sizes[mode] for mode in MODES[operand]]


# ---- CuTe's results ----

PRELUDE = """
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED
#include <cute/atom/mma_atom.hpp>
using namespace cute;

// Is not defined: the compiler complains about it, and names what it was asked for.
template <class ThrLayoutVMNK, class Partition> struct Answer;

// A matrix of the size of the tile along modes M and N, the elements along M `Step` apart.
template <class Mma, int M, int N, int Step>
using Matrix = Layout<Shape<decltype(tile_size<M>(Mma{})), decltype(tile_size<N>(Mma{}))>, Stride<C<Step>, C<Step * COLUMN>>>;
"""

# Rows are STEP and the number of the line apart, columns COLUMN times that, which is more than there are rows.
STEP, COLUMN = 10000, 1000003

# A line for each, as messages name lines. What fails in a template is reported once, where it is
# instantiated first. A step of its own makes what a line instantiates its own, but for what is done with
# threads or with strides of 0, or with a permutation alone.
LINE = "Answer<{mma}::ThrLayoutVMNK, decltype({mma}{{}}.thrfrg_{operand}(Matrix<{mma}, {modes}, {step}>{{}}))> answer{step};"


def source_line(tiling, step):
    atom, operand, atoms, permutations = tiling
    tile = f"Tile<{','.join(map(cpp_permutation, permutations))}>"
    mma = f"Mma{step}"
    modes = "{}, {}".format(*MODES[operand])
    return f"using {mma} = decltype(make_tiled_mma({atom}{{}}, {cpp_layout(atoms)}{{}}, {tile}{{}})); " + \
        LINE.format(mma=mma, operand=operand, modes=modes, step=step)


# A division by 0, of which the compiler says this, is what follows where an injective layout was asked for
# before.
REASONS = {"Shape Divisibility": "shape", "Stride Divisibility": "stride", "Non-injective": "injective",
           "cannot be used prior to '::'": "injective"}


def parse_answer(message):
    """The two layouts that a message names, as tuples of (shape, stride)."""
    names = message[message.index("Answer<") + len("Answer"):message.rindex(">") + 1]
    names = re.sub(r"cute::C<(-?\d+)L?>", r"\1", names)
    names = re.sub(r"cute::(Layout|tuple)<", "<", names).replace("<", "(").replace(">", ",)")
    return ast.literal_eval(names)


def read_messages(log, path):
    """By line of the source, why it is refused, and the message with its answer; and whether some other line
    may be refused for what was reported of one."""
    refused, answers = {}, {}
    reason = where = None
    shared = False
    for line in log.splitlines():
        at = re.match(re.escape(path) + r":(\d+):", line)
        if " error: " in line:
            reason = None if "Answer<" in line else next((word for phrase, word in REASONS.items() if phrase in line), line)
            where = None
            if not reason and at:
                answers[int(at.group(1))] = line
        elif reason and not where and "composition_impl<" in line:
            where = [number for number in map(int, re.findall(r"C<(\d+)", line)) if number >= STEP]
        if at and reason:
            refused.setdefault(int(at.group(1)), reason)
            shared |= not where
    return refused, answers, shared


def compile_batch(compiler, folder, number, tilings):
    """What becomes of each: why it is refused, or the layouts of its threads and of its partition."""
    path = f"{folder}/{number}.cpp"
    refused = {}
    while True:
        with open(path, "w") as file:
            for line, tiling in enumerate(tilings, 1):
                file.write("\n" if line in refused else source_line(tiling, STEP + line) + "\n")
        command = [*compiler, "-include-pch", f"{folder}/prelude.pch", "-fsyntax-only", path]
        log = subprocess.run(command, capture_output=True, text=True).stderr
        more, answers, shared = read_messages(log, path)
        refused.update(more)
        if not more or not shared:
            break
    missing = [tiling for line, tiling in enumerate(tilings, 1) if line not in refused and line not in answers]
    if missing:
        raise RuntimeError(f"no answer for {missing}: {log[:4000]}")
    return [refused.get(line) or parse_answer(answers[line]) for line in range(1, len(tilings) + 1)]


def compile_tilings(include, tilings):
    """Of each in turn the step of its matrix and the compiler's answer, see compile_batch."""
    compiler = ["clang++", "-std=c++17", "-w", "-ferror-limit=0", "-fno-caret-diagnostics"]
    for path in include.split(":"):
        compiler += ["-isystem", path]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        with open(f"{folder}/prelude.hpp", "w") as file:
            file.write(PRELUDE.replace("COLUMN", f"{COLUMN}L"))
        subprocess.run([*compiler, "-x", "c++-header", "-o", f"{folder}/prelude.pch", f"{folder}/prelude.hpp"], check=True)
        batches = [tilings[at:at + 10] for at in range(0, len(tilings), 10)]
        jobs = [pool.submit(compile_batch, compiler, folder, number, batch) for number, batch in enumerate(batches)]
        for job in jobs:
            yield from enumerate(job.result(), STEP + 1)


def threads_of(layout):
    """The coordinate (v, m, n, k) of each thread; None unless they are 0, 1, 2, ..."""
    values = [offsets(*mode) for mode in zip(*layout)]
    threads = {}
    for place in product(*(range(len(value)) for value in values)):
        threads[sum(value[at] for value, at in zip(values, place))] = place
    count = prod(map(len, values))
    return [threads[tid] for tid in range(count)] if sorted(threads) == list(range(count)) else None


def table_of(threads, operand, step, layout):
    """(row, column) of everything that each thread holds, as partition_A, B and C slice it."""
    ((thr_shape, val_shape), (thr_stride, val_stride)) = layout
    first, second = MODES[operand]
    v = offsets(thr_shape[0], thr_stride[0])
    m = offsets(thr_shape[1][0], thr_stride[1][0])
    n = offsets(thr_shape[1][1], thr_stride[1][1])
    held = [offset // step for offset in offsets(val_shape, val_stride)]
    table = []
    for place in threads:
        start = (v[place[0]] + m[place[1 + first]] + n[place[1 + second]]) // step
        table.append([((start + offset) % COLUMN, (start + offset) // COLUMN) for offset in held])
    return table


def covers(table, rows, cols):
    counts = {}
    for thread in table:
        for at in thread:
            counts[at] = counts.get(at, 0) + 1
    inside = all(row < rows and col < cols for row, col in counts)
    return inside and len(counts) == rows * cols and len(set(counts.values())) == 1


def digest(rows, cols, table):
    numbers = array("H", [number for thread in table for at in thread for number in at])
    if sys.byteorder == "big":
        numbers.byteswap()
    return f"{rows}x{cols}:{len(table)}x{len(table[0])}:{zlib.crc32(numbers.tobytes()):08x}"


def word_on(tiling, step, answer):
    if isinstance(answer, str):
        return answer
    threads = threads_of(answer[0])
    if threads is None:
        return "threads"
    table = table_of(threads, tiling[1], step, answer[1])
    size = tile_size(tiling)
    return digest(*size, table) if covers(table, *size) else "cover"


def compiled_cases(include, count, seed):
    """Random tilings as on the command line, and CuTe's word on each."""
    rng = random.Random(seed)
    tilings = (EXAMPLES + [random_tiling(rng) for _ in range(count)])[:count]
    for tiling, (step, answer) in zip(tilings, compile_tilings(include, tilings)):
        atom, operand, atoms, permutations = tiling
        fragment = ATOMS[atom][2][list(MODES).index(operand)]
        permutation = ",".join(map(layout_text, permutations))
        if len(permutations) == 1 and "(" in permutation:
            permutation = f"({permutation})"  # else its modes would be M, N and K
        yield fragment, layout_text(atoms), permutation, word_on(tiling, step, answer)


# ---- The program's results ----


def shown_word(program, fragment, atoms, permutation):
    output = library.command(program, "--source=isa", "--arch=90", "--format=json", fragment, f"--atom-layout={atoms}", f"--permutation={permutation}")
    if output.returncode == 2 and not output.stdout:
        return "refused", output.stderr.strip()
    if output.returncode not in (0, 4):
        return f"exit status {output.returncode}", output.stderr.strip()
    report = json.loads(output.stdout)
    rows, cols, table = report["rows"], report["cols"], report["map"]
    if ".b." in fragment:  # is K x N here
        rows, cols, table = cols, rows, [[at[::-1] for at in thread] for thread in table]
    return digest(rows, cols, table), ""


def compare(program, cases):
    """Prints TAP, and returns how many differ."""
    failures = number = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(case, pool.submit(shown_word, program, *case[:3])) for case in cases]
        for number, ((fragment, atoms, permutation, word), job) in enumerate(jobs, 1):
            shown, sentence = job.result()
            size = re.match(r"\d+x\d+:\d+x(\d+):", word)
            good = shown == (word if size and int(size.group(1)) <= 1024 else "refused")
            failures += not good
            print(f"{'' if good else 'not '}ok {number} - {fragment}, {atoms}, {permutation}: {word}")
            if not good:
                print(f"# {shown} {sentence}")
    print(f"1..{number}")
    return failures


def recorded_cases(path):
    with open(path) as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [[fragment, *case.split()] for fragment, *cases in lines for case in cases]


def compiler_version():
    return subprocess.run(["clang++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def main(arguments):
    if arguments[0] == "--record":
        print(f"# What CuTe makes of tilings: cute_headers.py --record INCLUDE {arguments[2]} {arguments[3]}")
        print(f"# CUTLASS {cutlass_version(arguments[1])}; {compiler_version()}")
        print("# fragment; for each tiling a tab, atom layout, permutation, CuTe's word as cute_headers.py explains it")
        tilings = {}
        for fragment, *case in compiled_cases(arguments[1], int(arguments[2]), int(arguments[3])):
            tilings.setdefault(fragment, []).append(" ".join(case))
        for fragment, cases in tilings.items():
            print(fragment, *cases, sep="\t")
        return 0
    if arguments[0] == "--recorded":
        return compare(arguments[1], sample(recorded_cases(arguments[2]), 6)) > 0
    count, seed = (int(number) for number in (arguments[2:] + ["200", "1"][len(arguments) - 2:]))
    return compare(arguments[0], compiled_cases(arguments[1], count, seed)) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
