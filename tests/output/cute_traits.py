"""Compares --format=cute with the MMA_Traits of CuTe's own C++ headers.

    cute_traits.py MAPPING INCLUDE                      compiles them; prints TAP
    cute_traits.py --record INCLUDE                     compiles them; prints CuTe's layouts
    cute_traits.py --recorded MAPPING cute_traits.txt   compares with the recorded layouts; prints TAP

If --map is the last argument, the map of --format=json is compared, as a function, instead of the text of
--format=cute.

INCLUDE is a list of folders, separated by colons: that of CUTLASS, and those of CUDA, including cccl. The
compiler is clang++; a program runs on the host, without a GPU.

The atoms are listed in include/cute/atom/mma_traits_sm*.hpp, and their opcodes, which name the fragments, in
include/cute/arch/mma_sm*.hpp. Atoms that are not exactly one mma or wgmma of the PTX ISA are left out: DP2A, DP4A, and
complex numbers, which take several mma. A line of the record is

    atom  N  A's fragment and ALayout  B's and BLayout  D's and CLayout  [E's and ELayout]  [SFA's] [SFB's]

with "- -" for operands that wgmma reads from shared memory. Atoms of wgmma that differ only in N share a line: its N is
a list, and {N} and {N/8} in the line represent these values. The layouts are CuTe's coalesce(layout, Step<_1,_1>{}),
printed by CuTe. If a trait is not a layout, because its stride is not congruent to its shape, it is printed unchanged
after an exclamation mark.

For three operands, K of the multiplication is first converted to the elements that the registers hold:

    A of sparse ones   sparse_elem<2> is two elements along K; registers hold one of them. The test keeps every second
                       value, and halves K
    E                  like A, with an index for each element that registers hold. For e2m1 with K = 128, an index
                       serves a pair of elements, so the test divides K by 4
    SFA, SFB           CuTe repeats a factor for all elements along K that it scales, by a stride of 0. The test keeps
                       every VS-th value, and divides K by VS. The program shows all 4 bytes of the register, from which
                       byte-id selects, so the test appends a mode of stride 0.

CuTe's text and the program's must be equal. If they differ but describe the same function, the test fails, and its
message states this.
"""

import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cutlass import cutlass_version  # noqa: E402
from library import command  # noqa: E402
from tap import sample  # noqa: E402

# Errors of CuTe: atoms, operand, CuTe's layout, the right layout, and the reason.
KNOWN = [
    ("SM80_16x8x32_S32[SU]4[SU]4S32_TN*", "b", "((4,8),8):((32,1),8)", "((4,8),8):((64,1),8)",
     "CuTe's stride of 32 is that of 4 values a thread; a thread holds 8 along K (PTX ISA, m16n8k32 with .s4), "
     "and with 32 elements are held twice and others never"),
    ("SM80_16x8x128_S32U1U1S32_TN_*", "a", "!((4,8),(32,2)):((512,1),((16,8)))", "((4,8),(32,2)):((512,1),(16,8))",
     "CuTe's stride has a pair of angle brackets too many, so that it is no layout and nothing can use it; "
     "without them it is right"),
]

# ---- Layouts: two modes, those of threads and of values, each a list of (size, stride) ----


def parse_tree(words):
    """Reads a number or a tuple off the front of the words."""
    word = words.pop(0)
    if word != "(":
        return int(word)
    branches = []
    while words[0] != ")":
        branches.append(parse_tree(words))
        if words[0] == ",":
            words.pop(0)
    words.pop(0)
    return tuple(branches)


def leaves(tree):
    return [leaf for branch in tree for leaf in leaves(branch)] if isinstance(tree, tuple) else [tree]


def parse_layout(text):
    shape, stride = (parse_tree(re.findall(r"\d+|[(),]", half)) for half in text.split(":"))
    return [list(zip(leaves(shape[mode]), leaves(stride[mode]))) for mode in range(2)]


def coalesce(mode):
    merged = []
    for size, stride in mode:
        if size == 1:
            continue
        if merged and merged[-1][0] * merged[-1][1] == stride:
            merged[-1] = (merged[-1][0] * size, merged[-1][1])
        else:
            merged.append((size, stride))
    return merged or [(1, 0)]


def layout_text(layout):
    modes = [coalesce(mode) for mode in layout]
    halves = []
    for half in range(2):
        parts = [[str(leaf[half]) for leaf in mode] for mode in modes]
        halves.append(",".join(part[0] if len(part) == 1 else f"({','.join(part)})" for part in parts))
    return f"({halves[0]}):({halves[1]})"


def offsets(mode):
    values = [0]
    for size, stride in mode:
        values = [value + n * stride for n in range(size) for value in values]
    return values


def table_of(layout):
    threads, values = map(offsets, layout)
    return [[thread + value for value in values] for thread in threads]


def fewer(layout, rows, times):
    """Every N-th value, which must be neighbours along K, with K divided by N."""
    def shrink(stride):
        assert stride < rows or stride % (rows * times) == 0
        return stride if stride < rows else stride // times

    threads, values = layout
    (size, stride), *rest = values
    assert stride == rows and size % times == 0
    return [[(n, shrink(step)) for n, step in threads],
            [(size // times, rows)] + [(n, shrink(step)) for n, step in rest]]


def held(fragment, text):
    """CuTe's layout of an operand, converted to the elements that registers hold."""
    m, n, k = map(int, re.search(r"m(\d+)n(\d+)k(\d+)", fragment).groups())
    operand = fragment.split(".m")[1].split(".")[1]
    layout = parse_layout(text)
    if operand in ("sfa", "sfb"):
        count = int(re.search(r"\.(\d)x\.", fragment).group(1))
        threads, values = fewer(layout, m if operand == "sfa" else n, k // count)
        layout = [threads, values + [(4 // count, 0)]]
    elif ".sp." in fragment and operand in "ae":
        pairs = operand == "e" and k == 128 and fragment.endswith("e2m1")
        layout = fewer(layout, m, 4 if pairs else 2)
    return layout_text(layout)


# ---- CuTe's layouts ----

PRELUDE = """
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED
#include <cute/atom/mma_atom.hpp>
#include <cute/atom/mma_traits_sm120_sparse.hpp>
#include <cute/atom/mma_traits_sm90_gmma_sparse_ext.hpp>
using namespace cute;

template <class L> void put(L) {
  printf(" ");
  if constexpr (is_congruent<decltype(shape(L{})), decltype(stride(L{}))>::value) {
    print(coalesce(L{}, Step<_1, _1>{}));
  } else {
    printf("!");
    print(L{});
  }
}

struct None {};
void put(None) { printf(" -"); }

template <class T, class = void> struct Metadata { using type = None; };
template <class T> struct Metadata<T, void_t<typename T::ELayout>> { using type = typename T::ELayout; };
template <class T, class = void> struct Factors { using a = None; using b = None; };
template <class T> struct Factors<T, void_t<typename T::SFALayout>> {
  using a = typename T::SFALayout;
  using b = typename T::SFBLayout;
};

template <class Op> void put_atom() {
  using T = MMA_Traits<Op>;
  put(typename T::ALayout{});
  put(typename T::BLayout{});
  put(typename T::CLayout{});
  put(typename Metadata<T>::type{});
  put(typename Factors<T>::a{});
  put(typename Factors<T>::b{});
  printf("\\n");
}
"""

PARAMETERS = {"tnspA": "GMMA::Major::K", "tnspB": "GMMA::Major::K", "scaleA": "GMMA::ScaleIn::One",
              "scaleB": "GMMA::ScaleIn::One", "spsel": "GMMA::SparseSel::Zero"}

NAMESPACES = {"SM120_SPARSE_16x8x64_TN": "SM120::SPARSE::", "SM120_SPARSE_16x8x64_TN_VS": "SM120::BLOCKSCALED::SPARSE::",
              "SM120_SPARSE_16x8x128_TN_VS": "SM120::BLOCKSCALED::SPARSE::", "SM120_16x8x32_TN_VS": "SM120::BLOCKSCALED::",
              "SM120_16x8x64_TN_VS": "SM120::BLOCKSCALED::"}


def read_headers(include, pattern):
    paths = [path for folder in include.split(":") for path in sorted(glob.glob(f"{folder}/cute/{pattern}"))]
    texts = {}
    for path in paths:
        with open(path) as file:
            texts[os.path.basename(path)] = file.read()
    return texts


def instructions(include):
    """The opcode of each struct of include/cute/arch that has one of its own."""
    opcodes = {}
    for text in read_headers(include, "arch/mma_sm*.hpp").values():
        for body in re.split(r"^ *struct ", text, flags=re.MULTILINE)[1:]:
            opcode = re.search(r'"(w?g?mma\.(?:mma_async|sync)\.[^" {]*)', body)
            if opcode:
                opcodes.setdefault("".join(body[:body.index("{")].split()), opcode.group(1))
    return opcodes


def atoms(include):
    """(name, C++ type, opcode) of each atom."""
    opcodes = instructions(include)
    for header, text in read_headers(include, "atom/mma_traits_sm*.hpp").items():
        if "sm100" in header or "sm120" in header:
            continue
        for name, parameters in re.findall(r"^struct MMA_Traits<([\w:]+)(?:<(.*)>)?>", text, re.MULTILINE):
            operation = name.split("::")[-1]
            opcode = opcodes.get(operation) or opcodes.get(operation.replace("SM90_", "MMA_"))
            arguments = [PARAMETERS[word] for word in parameters.replace(",", " ").split()]
            if opcode:
                yield name, f"{name}<{','.join(arguments)}>" if arguments else name, opcode
    for operation, opcode in opcodes.items():
        if operation.startswith("SM120_"):  # are templates of types, whose traits are the same for all of them
            size = re.search(r"scale_vec::(\d)X.*k(\d+)", opcode)
            if size:
                operation = operation.replace(",VS>", f",{int(size.group(2)) // int(size.group(1))}>")
            yield operation, NAMESPACES.get(operation.split("<")[0], "") + operation, opcode


def fragments(opcode):
    """The fragments of A, B, D, E, SFA and SFB that an opcode has."""
    shape, *words = re.search(r"m\d+n\d+k\d+\S*", opcode).group().split(".")
    family = "wgmma" if opcode.startswith("wgmma") else "mma"
    family += ".sp" if ".sp" in opcode else ""
    orders = [words.pop(0) + "." for _ in range(2)] if words[0] in ("row", "col") else ["", ""]
    if shape != "m8n8k4" or words[1] != "f16":  # else the order is always the same
        orders = ["", ""]
    d, a, b = words[:3]
    names = [f"{shape}.a.{orders[0]}{a}", f"{shape}.b.{orders[1]}{b}", f"{shape}.d.{d}", f"{shape}.e.{a}"]
    scale = re.search(r"scale_vec::(\d)X", opcode)
    if scale:
        names += [f"{shape}.sf{side}.{scale.group(1)}x.{words[4]}" for side in "ab"]
    return [f"{family}.{name}" for name in names]


def compiled_layouts(include, types):
    """The layouts of A, B, C, E, SFA and SFB of each atom, '-' for none."""
    compiler = ["clang++", "-std=c++17", "-w", "-O0"]
    for path in include.split(":"):
        compiler += ["-isystem", path]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/traits.cpp", "w") as file:
            file.write(PRELUDE)
            file.write("int main() {\n" + "".join(f"  put_atom<{name}>();\n" for name in types) + "}\n")
        subprocess.run([*compiler, "-o", f"{folder}/traits", f"{folder}/traits.cpp"], check=True)
        output = subprocess.run([f"{folder}/traits"], capture_output=True, text=True, check=True).stdout
    return [line.replace("_", "").split() for line in output.splitlines()]


def operands_of(opcode, layouts):
    """Pairs of a fragment and its layout."""
    pairs = []
    for number, (fragment, layout) in enumerate(zip(fragments(opcode), layouts)):
        shared = opcode.startswith("wgmma") and layout.split(":")[-1].startswith("(0,")
        if number < 3 and shared:
            pairs.append(("-", "-"))
        elif layout != "-":
            assert layout.startswith("!") or layout_text(parse_layout(layout)) == layout, layout
            pairs.append((fragment, layout))
    return pairs


def compiled_cases(include):
    """(atom, [(fragment, layout), ...]) of each."""
    found = list(atoms(include))
    layouts = compiled_layouts(include, [name for _, name, _ in found])
    assert len(layouts) == len(found)
    return [(name, operands_of(opcode, layout)) for (name, _, opcode), layout in zip(found, layouts)]


# ---- The record ----


def generalize(name, pairs):
    """With {N} and {N/8} in place of numbers, for wgmma."""
    n = int(re.search(r"_64x(\d+)x", name).group(1))
    name = name.replace(f"_64x{n}x", "_64x{N}x")
    general = []
    for fragment, layout in pairs:
        if ".d." in fragment:
            layout = re.sub(rf",{n // 8}\)\):", ",{N/8})):", layout)
        general.append((fragment.replace(f"n{n}k", "n{N}k"), layout))
    return n, (name, tuple(general))


def specialize(text, n):
    return text.replace("{N}", str(n)).replace("{N/8}", str(n // 8))


def print_record(cases):
    lines = {}
    for name, pairs in cases:
        n, line = generalize(name, pairs) if "_64x" in name else (None, (name, tuple(pairs)))
        lines.setdefault(line, []).append(n)
    for (name, pairs), sizes in lines.items():
        sizes = ",".join(map(str, sorted(sizes))) if sizes[0] else "-"
        print(name, sizes, *(word for pair in pairs for word in pair))


def recorded_cases(path):
    cases = []
    with open(path) as file:
        for line in file:
            if line.startswith("#"):
                continue
            name, sizes, *words = line.split()
            for n in sizes.split(","):
                name_n, *words_n = (specialize(word, int(n)) if n != "-" else word for word in [name, *words])
                cases.append((name_n, list(zip(words_n[::2], words_n[1::2]))))
    return cases


# ---- The program's layouts ----


def known_difference(name, fragment):
    operand = fragment.split(".m")[1].split(".")[1]
    return next((known[2:] for known in KNOWN if operand == known[1] and fnmatch.fnmatch(name, known[0])), None)


def expectations(cases):
    """By (architecture, fragment, the text to expect, why that is not CuTe's) the atoms that say so."""
    wanted = {}
    for name, pairs in cases:
        arch = re.search(r"SM(\d+)", name).group(1)
        for fragment, layout in pairs:
            if fragment == "-":
                continue
            why, known = "", known_difference(name, fragment)
            if known:
                text, right, why = known
                layout = right if layout == text else f"{layout}, where a known difference is gone"
            expected = layout if known else held(fragment, layout)
            same = [fragment]
            if ".d." in fragment and fragment.startswith("mma"):
                same.append(fragment.replace(".d.", ".c."))
            for each in same:
                wanted.setdefault((arch, each, expected, why), []).append(name)
    return wanted


def run_program(program, arch, form, fragment):
    done = command(program, "--source=isa", f"--arch=sm_{arch}", f"--format={form}", fragment)
    return done.stdout, "" if done.returncode in (0, 4) else f"exit status {done.returncode}: {done.stderr.strip()}"


def shown_text(program, arch, fragment):
    output, trouble = run_program(program, arch, "cute", fragment)
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith(("#", "//"))]
    return trouble or "\n".join(lines)


def shown_table(program, arch, fragment):
    """The map as one number for each value of each thread."""
    output, trouble = run_program(program, arch, "json", fragment)
    if trouble:
        return trouble
    report = json.loads(output)
    table = report["map"]
    if report.get("blocks", 1) > 1:  # the threads that hold the first of several matrices
        table = [[at[1:] for at in thread] for thread in table if thread[0][0] == 0]
    first = 1 if re.search(r"\.(b|sfb)\.", fragment) else 0  # M or N, which runs fastest
    size = report["cols"] if first else report["rows"]
    return [[at[first] + size * at[1 - first] for at in thread] for thread in table]


def same_function(expected, shown):
    if not all(re.fullmatch(r"[\d(),]+:[\d(),]+", text) for text in (expected, shown)):
        return False
    try:
        return table_of(parse_layout(expected)) == table_of(parse_layout(shown))
    except (ValueError, IndexError, TypeError):
        return False


def judge(program, by_map, arch, fragment, expected):
    """The error, or nothing."""
    if by_map:
        shown = shown_table(program, arch, fragment)
        if isinstance(shown, str):
            return shown
        return "" if shown == table_of(parse_layout(expected)) else f"thread 1 holds {shown[1]}"
    shown = shown_text(program, arch, fragment)
    if shown == expected:
        return ""
    return (shown or "nothing") + (", which is the same function, written otherwise" if same_function(expected, shown) else "")


def compare(program, cases, by_map):
    """Prints TAP, and returns how many differ."""
    failures = number = 0
    wanted = expectations(cases)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(judge, program, by_map, *key[:3]) for key in wanted]
        for number, ((arch, fragment, expected, why), names, job) in enumerate(zip(wanted, wanted.values(), jobs), 1):
            wrong = job.result()
            failures += wrong != ""
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            print(f"{'not ' if wrong else ''}ok {number} - sm_{arch}, {fragment}: {expected} ({names[0]}{more})")
            if wrong:
                print("\n".join(f"# {line}" for line in wrong.splitlines()))
            if why:
                print(f"# not as CuTe: {why}")
    print(f"1..{number}")
    return failures


def main(arguments):
    by_map = arguments[-1] == "--map"
    arguments = arguments[:-1] if by_map else arguments
    if arguments[0] == "--record":
        print("# The layouts of CuTe's MMA_Traits: cute_traits.py --record INCLUDE")
        print(f"# CUTLASS {cutlass_version(arguments[1])}")
        print("# atom, N, fragments and layouts as cute_traits.py explains them")
        print_record(compiled_cases(arguments[1]))
        return 0
    if arguments[0] == "--recorded":
        return compare(arguments[1], sample(recorded_cases(arguments[2]), 5), by_map) > 0
    return compare(arguments[0], compiled_cases(arguments[1]), by_map) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
