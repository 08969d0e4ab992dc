"""Compiles headers of --format=cuda with nvcc, and compares every function with the maps of --format=json, on a device.

    header_test.py MAPPING NVCC FOLDER [--style=STYLE]     prints TAP; creates FOLDER, and keeps the binaries there

It tests every fragment of sm_90: on the device and on the host, the functions from each entry to row, column and block,
and those from these and the copy back to tid and i; on the host, the copies of a matrix into the order of the fragment
and back. Then it tests a header of all architectures. If the layout of a fragment differs between architectures, each
function with a suffix must have the layout of that architecture. Functions without a suffix choose by __CUDA_ARCH__, so
they must have the layout of sm_90. It needs a GPU of sm_90. With JOBS=N, only N compilers run at a time. With
HOST_ONLY=1, only functions on the host are called, and tests of the others are skipped. With CASES="FRAGMENT...", only
these fragments of sm_90 are tested. With COMPILE_ONLY=1, nothing is executed.
"""

import array
import concurrent.futures
import json
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
HOST_ONLY = bool(os.environ.get("HOST_ONLY"))
COMPILE_ONLY = bool(os.environ.get("COMPILE_ONLY"))
CASES = os.environ.get("CASES", "").split()
WARNINGS = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra"]


def mapping(program, *arguments):
    """Returns the program's output, based on records, not on the device."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"Bail out! mapping {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


# ---- The expected tables ----


def c_name(layout):
    return re.sub(r"\W", "_", layout["fragment"])


def family(name):
    return re.match(r"(.*?)\.m\d", name).group(1)


def map_of(layout):
    """Four numbers for each entry: block, row, column, copy. Copies of an element count in the order of entries."""
    copies, numbers = {}, array.array("H")
    for thread in layout["map"]:
        for place in thread:
            place = tuple(place)
            copy = copies[place] = copies.get(place, -1) + 1
            numbers.extend([*([0] * (3 - len(place))), *place, copy])
    return numbers


def cases_of_one(layouts):
    """(name, suffix, layout, whether there are functions for the host)"""
    return [(layout["fragment"], "", layout, True) for layout in layouts]


def cases_of_several(layouts):
    """The fragments whose layouts differ between architectures: one case for each layout, named after the first
    architecture that has it, and one of the plain name."""
    by_name = {}
    for layout in layouts:
        by_name.setdefault(layout["fragment"], []).append(layout)
    cases = []
    for name, members in by_name.items():
        different = []
        for layout in members:
            if all(layout["map"] != other["map"] for other in different):
                different.append(layout)
        if len(different) == 1:
            continue
        cases += [(name, "_" + layout["arch"], layout, True) for layout in different]
        cases += [(name, "", layout, False) for layout in members if layout["arch"] == ARCH]
    return cases


# ---- The program ----

STRUCT = """
struct functions_{number} {{
    static constexpr unsigned blocks = {blocks}, rows = {capitals}_ROWS, cols = {capitals}_COLS;
    static constexpr unsigned threads = {capitals}_THREADS, elements = {capitals}_ELEMENTS;
    static constexpr unsigned copies = {capitals}_COPIES, entries = threads * elements;
    static {space} unsigned block(unsigned tid, unsigned i) {{ {block} }}
    static {space} unsigned row(unsigned tid, unsigned i) {{ return {prefix}_row{suffix}(tid, i); }}
    static {space} unsigned col(unsigned tid, unsigned i) {{ return {prefix}_col{suffix}(tid, i); }}
    static {space} unsigned tid(place p) {{ return {prefix}_tid{suffix}({place}); }}
    static {space} unsigned i(place p) {{ return {prefix}_i{suffix}({place}); }}
"""
COPYING = """    static void to_order(void *ordered, const void *matrix, size_t stride, size_t size) {{
        {prefix}_to_order{suffix}(ordered, matrix, stride, size);
    }}
    static void from_order(void *matrix, const void *ordered, size_t stride, size_t size) {{
        {prefix}_from_order{suffix}(matrix, ordered, stride, size);
    }}
"""


def struct(case_number, case):
    _, suffix, layout, for_host = case
    prefix, blocks = f"mapping_{c_name(layout)}", "blocks" in layout
    place = ["BLOCK(p)"] * blocks + ["ROW(p)", "COL(p)"] + ["COPY(p)"] * (layout["copies"] > 1)
    values = {
        "number": case_number,
        "prefix": prefix,
        "capitals": prefix.upper(),
        "suffix": suffix,
        "space": "__host__ __device__" if for_host else "__device__",
        "blocks": f"{prefix.upper()}_BLOCKS" if blocks else "1",
        "block": f"return {prefix}_block{suffix}(tid, i);" if blocks else "return 0 * (tid + i);",
        "place": ", ".join(place),
    }
    return (STRUCT + (COPYING if for_host else "")).format(**values) + "};\n"


def row(case_number, case, offset):
    name, suffix, layout, for_host = case
    functions = f"functions_{case_number}"
    numbers = [offset, layout.get("blocks", 1)]
    numbers += [layout[size] for size in ("rows", "cols", "threads", "elements", "copies")]
    host = f"compare_on_host<{functions}>" if for_host else "nullptr"
    words = [f'"{name}{suffix}"', *map(str, numbers), f"compare_on_device<{functions}>", host]
    return f"    {{{', '.join(words)}}},\n"


class Part:
    """A program that tests some of the cases; they share a header."""

    def __init__(self, folder, header, cases, offsets):
        self.folder, self.header, self.program = folder, header, f"{folder}/header_test"
        os.makedirs(folder, exist_ok=True)
        numbered = list(enumerate(cases))
        rows = "".join(row(n, case, offset) for (n, case), offset in zip(numbered, offsets))
        text = "".join(struct(n, case) for n, case in numbered)
        write(f"{folder}/fragments.inc", f"{text}\nstatic const fragment fragments[] = {{\n{rows}}};\n")

    def compile(self, nvcc):
        command = [nvcc, "-O1", "-std=c++17", f"-arch={ARCH}", *WARNINGS, f"-I{self.folder}", f"-I{self.header}"]
        done = subprocess.run([*command, "-o", self.program, f"{HERE}/header_test.cu"], capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stdout + done.stderr or "nvcc failed\n"

    def run(self, maps):
        done = subprocess.run([self.program, maps, *["host"] * HOST_ONLY], capture_output=True, text=True)
        said = f"Bail out! status {done.returncode} {done.stderr}\n" if done.returncode != 0 else ""
        return done.stdout + said


def parts_of(folder, header, cases, maps, count):
    """Writes the maps, and cuts the cases into parts."""
    offsets, offset = [], 0
    with open(maps, "wb") as file:
        for case in cases:
            numbers = map_of(case[2])
            numbers.tofile(file)
            offsets.append(offset)
            offset += len(numbers) // 4
    cuts = [len(cases) * n // count for n in range(count + 1)]
    return [
        Part(f"{folder}/part_{n}", header, cases[start:end], offsets[start:end])
        for n, (start, end) in enumerate(zip(cuts, cuts[1:]))
        if start < end
    ]


# ---- Testing ----


def outcome(case, said, where):
    """The error in a case, or nothing."""
    name, entries = case[0] + case[1], case[2]["threads"] * case[2]["elements"]
    found = said.get((name, where))
    if found is None:
        return f"{name}: nothing was said of the {where}\n"
    if found == (0, entries):
        return ""
    return f"{name}: {found[0]} wrong on the {where}, {found[1]} of {entries} entries compared\n"


def test(title, folder, header, cases, count, group):
    """Compiles and runs; one line for each group of cases."""
    maps = f"{folder}/maps"
    os.makedirs(folder, exist_ok=True)
    parts = parts_of(folder, header, cases, maps, count)
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        errors = "".join(pool.map(lambda part: part.compile(NVCC), parts))
    ok(f"{title}: {len(cases)} sets of functions compile without a warning", not errors, errors)
    print(f"# in {time.time() - start:.0f} s, {len(parts)} files, {JOBS} at a time")
    if errors or COMPILE_ONLY:
        return
    text = "".join(part.run(maps) for part in parts)
    said = {}
    for line in re.findall(r"^(\S+) (device|host) (\d+) (\d+)$", text, re.MULTILINE):
        said[line[:2]] = (int(line[2]), int(line[3]))
    bail = "".join(line + "\n" for line in text.splitlines() if line.startswith("Bail"))
    groups = {}
    for case in cases:
        groups.setdefault(group(case), []).append(case)
    for name, members in groups.items():
        entries = sum(case[2]["threads"] * case[2]["elements"] for case in members)
        what = f"{title}, {name}: {len(members)} layouts, {entries} entries, both ways"
        for_host = [case for case in members if case[3]]
        why = bail + "".join(outcome(case, said, "host") for case in for_host)
        if for_host:
            ok(f"{what}, on the host", not why, why)
        if HOST_ONLY:
            ok(f"{what}, on the device # SKIP HOST_ONLY is set", True)
            continue
        why = bail + "".join(outcome(case, said, "device") for case in members)
        ok(f"{what}, on the device", not why, why)


def compiles(header, arch, use=""):
    """The messages of nvcc for a file that includes the header and does not use it otherwise."""
    os.makedirs(header, exist_ok=True)
    write(f"{header}/include.cu", f'#include "header.h"\n#include "header.h"\n{use}\n')
    command = [NVCC, f"-arch={arch}", *WARNINGS, "-c", "-o", f"{header}/include.o", f"{header}/include.cu"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr + ("nvcc failed\n" if done.returncode != 0 else "")


def header_of(folder, *arguments):
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/header.h", mapping(MAPPING, "--format=cuda", *STYLE, *arguments))
    return folder


def test_all_compile():
    every = header_of(f"{FOLDER}/every", "--all", "--arch=all")
    for arch in ("sm_75", ARCH):
        said = compiles(every, arch)
        ok(f"the header of everything compiles for {arch} without a warning", not said, said)
    others = header_of(f"{FOLDER}/others", "--arch=sm_70,sm_80", "wmma.m16n16k16.d.f32")
    use = "__global__ void kernel(unsigned *row) { *row = mapping_wmma_m16n16k16_d_f32_row(threadIdx.x, 0); }"
    said = compiles(others, ARCH)
    ok(f"a header for sm_70 and sm_80 compiles for {ARCH}", not said, said)
    said = compiles(others, ARCH, use)
    ok(f"but what it lacks there cannot be used on {ARCH}", "deleted function" in said, said or "it compiles")
    said = compiles(others, "sm_80", use)
    ok("what it has on sm_80 can", not said, said)


def test_one_arch():
    wanted = CASES or ["--all"]
    header = header_of(f"{FOLDER}/one", *wanted, f"--arch={ARCH}", "--order")
    cases = cases_of_one(json.loads(mapping(MAPPING, *wanted, f"--arch={ARCH}", "--format=json")))
    if not CASES:
        listed = len(mapping(MAPPING, "--list", f"--arch={ARCH}").splitlines())
        ok(f"there are {listed} fragments", listed == len(cases), f"{len(cases)} in JSON")
    test(ARCH, f"{FOLDER}/one", header, cases, 1 if CASES else max(4, JOBS), lambda case: family(case[0]))


def test_several_archs():
    header = header_of(f"{FOLDER}/several", "--all", "--arch=all", "--order")
    cases = cases_of_several(json.loads(mapping(MAPPING, "--arch=all", "--format=json", "wmma.*")))
    with open(f"{header}/header.h") as file:
        suffixed = set(re.findall(r" (mapping_\w+)_row_sm_\d+\(", file.read()))
    tested = {f"mapping_{c_name(case[2])}" for case in cases}
    same = suffixed == tested != set()
    ok(f"these {len(tested)} fragments differ between architectures", same, " ".join(suffixed ^ tested))
    test("all architectures", f"{FOLDER}/several", header, cases, 2, lambda case: case[1][1:] or f"plain, on {ARCH}")


def main():
    if not CASES:
        test_all_compile()
    test_one_arch()
    if not CASES:
        test_several_archs()
    return finish()


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    MAPPING, NVCC, FOLDER, *STYLE = sys.argv[1:]
    FOLDER = os.path.abspath(FOLDER)
    sys.exit(main())
