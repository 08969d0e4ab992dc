"""Executes the functions of --convert on a device, and compares them with a trip through memory.

    convert_test.py MAPPING NVCC FOLDER     prints TAP; creates FOLDER, and keeps the binaries there

It tests every ordered pair of fragments of sm_90 that a warp holds (A to D of wmma, mma, mma.sp and the operands of
ldmatrix, stmatrix and movmatrix), and some of wgmma, if --convert prints a function. Fragments with the same kind of
numbers, layout and number of bits are tested once, and functions with the same text are compiled once. The output
states how many pairs have no function. The maps of --format=json determine the contents of registers before and after:
see convert_test.cu. Functions from f32 get numbers that the target registers hold exactly. It needs a GPU of sm_90.
With JOBS=N only N processes run at a time; with COMPILE_ONLY=1 nothing is executed; with CASES="FRAGMENT..." only pairs
of these run.
"""

import array
import concurrent.futures
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from tap import finish, ok  # noqa: E402

ARCH = "sm_90"
JOBS = int(os.environ.get("JOBS", os.cpu_count()))
COMPILE_ONLY = bool(os.environ.get("COMPILE_ONLY"))
CASES = os.environ.get("CASES", "").split()
WARNINGS = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra"]
# Uses the records, not the device.
ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
WGMMA = ("m64n8k", "m64n16k", "m64n64k", "m64n256k")
ROUNDS = 64  # of convert_test.cu
# What rounds f32, and the bits of an element that are no NaN, have nothing to round, and are the same again.
MASKS = {"f16": 0xBFFF, "bf16": 0xBFFF, "tf32": 0xBFFFE000, "e4m3": 0xBF, "e5m2": 0xBF}
# What kernels are known to do with registers alone: these must be among the conversions.
KNOWN = [
    ("mma.m16n8k16.d.f32", "mma.m16n8k16.a.f16"),
    ("mma.m16n8k16.d.f32", "mma.m16n8k32.a.e4m3"),
    ("wgmma.m64n64k16.d.f32", "wgmma.m64n8k16.a.f16"),
]


def mapping(*arguments):
    """(status, standard output, standard error)"""
    command = [MAPPING, f"--arch={ARCH}", "--source=recorded", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    return done.returncode, done.stdout, done.stderr


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


# ---- Which conversions there are ----


def is_wanted(layout):
    name, operand = layout["fragment"], layout["detail"]["operand"]
    if name.startswith("wgmma"):
        return operand in ("a", "d") and any(size in name for size in WGMMA)
    return operand in ("a", "b", "c", "d", "r")


def shape(layout):
    return layout.get("blocks", 1), layout["rows"], layout["cols"]


def kind(layout):
    """Only elements of the same kind are converted: floating point, integers, single bits, or any 16 bits."""
    name = layout["detail"]["type"]
    return name if name in ("b1", "b16") else "integer" if name[0] in "su" else "float"


def representatives(layouts):
    """One fragment for each layout, number of bits and kind; {name: name of that one}."""
    first, stands_for = {}, {}
    for layout in layouts:
        key = (kind(layout), layout["detail"]["bits"], layout["threads"], shape(layout), json.dumps(layout["map"]))
        stands_for[layout["fragment"]] = first.setdefault(key, layout["fragment"])
    return stands_for


FUNCTION = re.compile(r"^[^\n/*#]*\b(mapping_\w+_to_\w+)\(([^()]*\bin\b[^()]*)\)\s*\{.*?^\}", re.MULTILINE | re.DOTALL)


def ask(pair):
    """The program's result for a conversion: (JSON, header or None), or a message; None if it is not possible."""
    source, target = pair
    options = [f"--convert={target}", source]
    status, text, error = mapping("--format=json", *options)
    if status in (2, 3, 4) and not text:
        return None
    if status != 0:
        return f"{source} to {target}: status {status}, {error}"
    said = json.loads(text)
    status, header, error = mapping("--format=cuda", *options)
    if status == 2 and "too long for a function" in error:
        return said, None  # single bits, from each thread to each
    if status != 0 or not FUNCTION.search(header):
        return f"{source} to {target}: no function, status {status}, {error}"
    return said, header


class Function:
    """A printed function; it is called with registers of `word`s."""

    def __init__(self, header, found, kind):
        name, arguments = found.groups()
        self.header, self.name, self.kind = header, name, kind
        self.text = re.sub(r"/\*.*?\*/", "", found.group(), flags=re.DOTALL).replace(name, "convert")
        self.has_memory, self.has_barrier = "*memory" in arguments, "barrier" in arguments
        self.is_wide = "long long" in arguments or "uint64_t" in arguments
        rounded = re.search(r"cvt\.(?:rna?\.(?:satfinite\.)?|pack\.sat\.)(\w+?)(?:x2)?\.([fs])32", self.text)
        self.type = rounded and rounded[1]  # to which it rounds
        self.exact = rounded and {"f": "float", "s": "int"}[rounded[2]]  # from which
        self.sizes = [int(size) for size in re.findall(r"\b(?:in|out)\[(\d+)\]", arguments)]

    def struct(self, number, conversion):
        arguments = "tid, in, out" + ", memory" * self.has_memory + ", 1" * self.has_barrier
        unused = "" if self.has_memory else "(void)memory;\n        "
        if self.type:
            bits, elements = conversion.bits, conversion.elements("from")
            arguments = arguments.replace("in,", "exact,")
            unused += f"""{self.exact} exact[{elements}];
        for (unsigned e = 0; e < {elements}; e++)
            exact[e] = exact_{self.type}(in[e * {bits} / 32] >> e * {bits} % 32);
        """
        return f"""#include "function_{number}.h"
struct function_{number} {{
    using word = unsigned{' long long' * self.is_wide};
    static constexpr unsigned ins = {conversion.words('from', self)}, outs = {conversion.words('to', self)};
    static constexpr unsigned threads = {conversion.threads}, memory = {conversion.memory(self)};
    static __device__ void call(unsigned tid, const word *in, word *out, unsigned char *memory) {{
        {unused}{self.name}({arguments});
    }}
}};
"""


class Conversion:
    """One conversion: both layouts, how many of them are side by side, and which rows or columns of the target are
    permuted, if any are."""

    def __init__(self, source, target, said, permuted=None, rounds=False):
        self.rounds = rounds
        self.layouts = {"from": source, "to": target}
        self.axis = permuted and permuted["axis"]
        self.permutation = permuted and tuple(permuted["permutation"])
        self.bits, self.threads = said["bits"], target["threads"]
        blocks = max(shape(layout)[0] for layout in self.layouts.values())
        self.grids = {}
        for side, layout in self.layouts.items():
            rows, cols = said[f"{side}_tiles"][-2:]
            self.grids[side] = blocks // shape(layout)[0], rows, cols
        self.whole = self.size("from")
        self.fits = self.whole == self.size("to")

    def names(self):
        """Without blanks: "mma.m16n8k32.a.e4m3:permuted-cols"."""
        permuted = f":permuted-{self.axis}s" if self.permutation else ""
        return self.layouts["from"]["fragment"] + ":rounded" * self.rounds, self.layouts["to"]["fragment"] + permuted

    def name(self):
        return " to ".join(self.names())

    def size(self, side):
        """Blocks, rows and columns of all tiles of a side together."""
        return tuple(n * size for n, size in zip(self.grids[side], shape(self.layouts[side])))

    def function_key(self, function):
        """The same for conversions that one kernel executes."""
        return function.text, self.threads, self.memory(function)

    def elements(self, side):
        blocks, rows, cols = self.grids[side]
        return blocks * rows * cols * self.layouts[side]["elements"]

    def words(self, side, function):
        size = 64 if function.is_wide else 32
        return (self.elements(side) * self.bits + size - 1) // size

    def memory(self, function):
        """Bytes."""
        blocks, rows, cols = self.whole
        return blocks * rows * cols * max(self.bits, 8) // 8 if function.has_memory else 0

    def key(self, side):
        layout = self.layouts[side]
        return layout["fragment"], self.grids[side], self.whole, side == "to" and (self.axis, self.permutation)

    def map(self, side):
        """For each thread the number of each element in the whole matrix, tile after tile in row-major order."""
        layout, (_, rows, cols) = self.layouts[side], self.whole
        size, grid = shape(layout), self.grids[side]
        tiles = [(b, r, c) for b in range(grid[0]) for r in range(grid[1]) for c in range(grid[2])]
        numbers = array.array("I")
        is_permuted = {axis: side == "to" and self.permutation and self.axis == axis for axis in ("row", "col")}
        row_of = self.permutation if is_permuted["row"] else range(rows)
        col_of = self.permutation if is_permuted["col"] else range(cols)
        for thread in layout["map"]:
            places = [[0] * (3 - len(place)) + place for place in thread]
            for b, r, c in tiles:
                b, r, c = b * size[0], r * size[1], c * size[2]
                numbers.extend(((p[0] + b) * rows + row_of[p[1] + r]) * cols + col_of[p[2] + c] for p in places)
        return numbers


def conversions_of(layouts):
    """Asks for every pair. Returns the conversions, each with its function, and what was wrong."""
    by_name = {layout["fragment"]: layout for layout in layouts}
    stands_for = representatives(layouts)
    names = sorted(set(stands_for.values()))
    pairs = [(a, b) for a in names for b in names if by_name[a]["threads"] == by_name[b]["threads"]]
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(JOBS, fork) as pool:
        answers = list(pool.map(ask, pairs, chunksize=max(1, len(pairs) // (8 * JOBS))))
    found, wrong, without = {}, "", 0
    for pair, answer in zip(pairs, answers):
        if not isinstance(answer, tuple):
            wrong += f"{answer}\n" if answer else ""
            continue
        said, header = answer
        if not header:
            without += 1
            continue
        for number, printed in enumerate(FUNCTION.finditer(header)):
            permuted = said["permuted"] if "_permuted" in printed[1] else None
            function = Function(header, printed, (permuted or said)["kind"])
            conversion = Conversion(by_name[pair[0]], by_name[pair[1]], said, permuted, bool(function.type))
            inputs = conversion.elements("from") if function.type else conversion.words("from", function)
            sizes = [inputs, conversion.words("to", function)]
            if not conversion.fits:
                wrong += f"{conversion.name()}: tiles {conversion.grids} are not of one size\n"
            elif function.sizes != sizes:
                wrong += f"{conversion.name()}: registers are {function.sizes}, and {sizes} by the maps\n"
            else:
                found[pair, number] = conversion, function
    print(f"# {len(layouts)} fragments, {len(names)} layouts, {len(pairs)} pairs")
    print(f"# {without} have no function, which would move single bits from each thread to each")
    wrong += "".join(
        f"{source} to {target} is missing\n"
        for source, target in KNOWN
        if not CASES and ((stands_for[source], stands_for[target]), 0) not in found
    )
    return list(found.values()), wrong


# ---- The programs ----


class Part:
    """A program that executes some of the conversions."""

    def __init__(self, folder, members, offsets):
        self.folder, self.program = folder, f"{folder}/convert_test"
        os.makedirs(folder, exist_ok=True)
        numbers, text, rows = {}, "", ""
        for conversion, function in members:
            key = conversion.function_key(function)
            if key not in numbers:
                n = numbers[key] = len(numbers)
                write(f"{folder}/function_{n}.h", function.header)
                text += function.struct(n, conversion)
            names = [f'"{name}"' for name in conversion.names()]
            values = [offsets[conversion.key("from")], offsets[conversion.key("to")]]
            values += [conversion.elements("from"), conversion.elements("to"), conversion.bits, conversion.threads]
            values.append(f"{MASKS.get(function.type, 2**32 - 1)}u")
            run = f"compare_all<function_{numbers[key]}>"
            rows += f"    {{{', '.join([*names, *map(str, values), run])}}},\n"
        write(f"{folder}/conversions.inc", f"{text}\nstatic const conversion conversions[] = {{\n{rows}}};\n")

    def compile(self):
        command = [NVCC, "-O1", "-std=c++17", f"-arch={ARCH}", *WARNINGS, f"-I{self.folder}", "-o", self.program]
        done = subprocess.run([*command, f"{HERE}/convert_test.cu"], capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stdout + done.stderr or "nvcc failed\n"

    def run(self):
        done = subprocess.run([self.program, f"{FOLDER}/maps"], capture_output=True, text=True)
        said = f"Bail out! status {done.returncode} {done.stderr}\n" if done.returncode != 0 else ""
        return done.stdout + said


def parts_of(conversions):
    """Writes the maps. The conversions are dealt out, those with the same function together."""
    offsets, offset = {}, 0
    with open(f"{FOLDER}/maps", "wb") as file:
        for conversion, _ in conversions:
            for side in ("from", "to"):
                if conversion.key(side) not in offsets:
                    numbers = conversion.map(side)
                    numbers.tofile(file)
                    offsets[conversion.key(side)] = offset
                    offset += len(numbers)
    groups = {}
    for conversion, function in conversions:
        groups.setdefault(conversion.function_key(function), []).append((conversion, function))
    keys = sorted(groups, key=lambda key: len(key[0]))
    hands = [[member for key in keys[n :: 2 * JOBS] for member in groups[key]] for n in range(2 * JOBS)]
    print(f"# {len(keys)} functions")
    return [Part(f"{FOLDER}/part_{n}", members, offsets) for n, members in enumerate(hands) if members]


def compile_all(parts):
    """True if all of them compile."""
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        errors = "".join(pool.map(Part.compile, parts))
    ok("they compile without a warning", not errors, errors)
    print(f"# in {time.time() - start:.0f} s, {len(parts)} files, {JOBS} at a time")
    return not errors


def run_all(parts):
    """{conversion: (registers that are wrong, and that were compared)}, and what stopped a program."""
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(min(4, JOBS)) as pool:
        text = "".join(pool.map(Part.run, parts))
    print(f"# executed in {time.time() - start:.0f} s")
    lines = re.findall(r"^(\S+) (\S+) (\d+) (\d+)$", text, re.MULTILINE)
    counted = {f"{source} to {target}": (int(wrong), int(compared)) for source, target, wrong, compared in lines}
    return counted, "".join(line + "\n" for line in text.splitlines() if line.startswith("Bail"))


def judge(conversions, counted, bail):
    """One line for each kind, of a warp and of a warpgroup."""
    kinds = {}
    for conversion, function in conversions:
        kinds.setdefault((function.kind, conversion.threads), []).append((conversion, function))
    for (kind, threads), members in sorted(kinds.items()):
        why, different = bail, 0
        for conversion, function in members:
            wrong, compared = counted.get(conversion.name(), (0, 0))
            size = 2 if function.is_wide else 1
            registers = ROUNDS * threads * size * conversion.words("to", function)
            if wrong or compared != registers:
                different += 1
                why += f"{conversion.name()}: {wrong} wrong, {compared} of {registers} registers compared\n"
        ok(f"{kind}, {threads} threads: {len(members)} conversions, {different} differ", not why, why)


def main():
    status, text, error = mapping(*CASES or ["--all"], "--format=json", "--detail")
    if status != 0:
        sys.exit(f"Bail out! {error}")
    os.makedirs(FOLDER, exist_ok=True)
    start = time.time()
    conversions, wrong = conversions_of([layout for layout in json.loads(text) if is_wanted(layout)])
    ok(f"{len(conversions)} conversions, as long as their maps say", not wrong, wrong)
    parts = parts_of(conversions)
    print(f"# asked in {time.time() - start:.0f} s")
    if compile_all(parts) and not COMPILE_ONLY:
        judge(conversions, *run_all(parts))
    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    MAPPING, NVCC, FOLDER = sys.argv[1:]
    FOLDER = os.path.abspath(FOLDER)
    sys.exit(main())
