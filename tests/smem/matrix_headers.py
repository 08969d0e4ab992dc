"""Compares layouts of matrices in memory with what CUTLASS's own C++ headers make of them.

    matrix_headers.py OFFSETS INCLUDE [N [SEED]]           compiles and runs a program; prints TAP
    matrix_headers.py --record INCLUDE N SEED              prints the answers of the headers for a third of the cases
    matrix_headers.py --recorded OFFSETS matrix_layouts.txt    compares with the recorded answers; prints TAP

OFFSETS is the program of tests/smem/matrix_offsets.c. INCLUDE is a list of folders, separated by colons:
that of CUTLASS, and those of CUDA, including cccl. The compiler is clang++; the program runs on the host.

There are four kinds of cases:

    the layouts of CUTLASS 2 that its example 03_visualize_layout registers, and similar ones for matrices,
    packed, in several extents;
    the template arguments of TensorOpMultiplicand that its static_assert rejects;
    the eight atoms of wgmma and the ninth of tcgen05.mma, by name and as CuTe prints them, for all types and
    several extents. If a tile is static, also the descriptors of make_gmma_desc and make_umma_desc for the
    first slice along K;
    N random layouts of CuTe, as CuTe prints them and as the compiler names their types: nested modes of one,
    two or three, with and without gaps, with no swizzle, one of elements or one of bytes.

A line of the record is a line of the helper's input, and the output that the headers expect. A class or an atom
has several lines, one for each way to write it:

    STAGES ROWS COLS BITS WGMMA TCGEN05 CRC   the CRC-32 of all offsets as 32-bit numbers, lowest byte first
    refused                                   two elements at one offset, gaps in what CUTLASS 2 calls packed, a
                                              swizzle that reads no bit of the layout, or a static_assert

WGMMA and TCGEN05 are the descriptors, or "?" if the headers were not asked for them.
"""

import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from math import prod

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cutlass import cutlass_version  # noqa: E402

# ---- The layouts of CUTLASS 2 ----


def multiplicand_tile(bits, crosswise):
    access = 128 // bits
    factor = 8 * access // crosswise
    return 8 // factor * access, factor * max(4, 8 // factor)


def cutlass_layouts():
    """(name, coordinates, bits, tile), where coordinates are "pitch" or the order of a matrix, and the tile
    is (contiguous, strided)."""
    yield "PitchLinear", "pitch", 0, (1, 1)
    for order in ("RowMajor", "ColumnMajor"):
        yield order, order, 0, (1, 1)
        for count in (2, 4, 32, 64):
            yield f"{order}Interleaved<{count}>", order, 0, (1, count)
    pairs = [(1, 256), (1, 512), (1, 1024), (4, 64), (4, 128), (4, 256), (8, 16), (8, 32), (8, 64), (8, 128), (16, 8),
             (16, 16), (16, 32), (16, 64), (32, 16), (32, 32), (64, 8), (64, 16), (128, 4), (128, 8)]
    for bits, crosswise in pairs:
        yield f"TensorOpMultiplicand<{bits},{crosswise}>", "pitch", bits, multiplicand_tile(bits, crosswise)
    for kind in ("Congruous", "Crosswise"):
        for bits, crosswise in pairs:
            tile = multiplicand_tile(bits, crosswise) if (kind, bits) != ("Congruous", 32) else (32, 4)
            yield from relatives(f"TensorOpMultiplicand{kind}<{bits},{crosswise}>", bits, tile)
    yield from relatives("TensorOpMultiplicandCongruous64b", 64, (16, 4))
    yield from relatives("TensorOpMultiplicand64bCrosswise", 64, (16, 16))
    yield from relatives("TensorOpMultiplicandCongruous128b", 128, (8, 4))
    yield from relatives("TensorOpMultiplicandCrosswise128x4", 128, (8, 8))
    for interleave in (32, 64):
        for order in ("ColumnMajor", "RowMajor"):
            yield f"TensorOpMultiplicand{order}Interleaved<8,{interleave}>", "pitch", 8, (interleave, 256 // interleave)
    for bits in (8, 16, 32):
        yield from relatives(f"VoltaTensorOpMultiplicandCongruous<{bits}>", bits, (1024 // bits, 4))
        yield from relatives(f"VoltaTensorOpMultiplicandBCongruous<{bits}>", bits, (1024 // bits, 4))
        yield from relatives(f"VoltaTensorOpMultiplicandCrosswise<{bits},32>", bits, (512 // bits, 32))


def relatives(name, bits, tile):
    yield name, "pitch", bits, tile
    for order in ("RowMajor", "ColumnMajor"):
        yield order + name, order, bits, tile


def extents(tile):
    """Tiles next to each other, contiguous and strided; a single element is no size to try."""
    for contiguous, strided in ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (1, 4), (4, 3)):
        yield tile[0] * contiguous * (8 if tile[0] == 1 else 1), tile[1] * strided * (8 if tile[1] == 1 else 1)


# ---- C++ ----

PRELUDE = r"""
#include <cstdio>
#include <string>
#include "cutlass/layout/matrix.h"
#include "cutlass/layout/pitch_linear.h"
#include "cutlass/layout/tensor_op_multiplicand_sm70.h"
#include "cutlass/layout/tensor_op_multiplicand_sm75.h"
#include "cutlass/layout/tensor_op_multiplicand_sm80.h"
#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/atom/mma_traits_sm100.hpp>
using namespace cute;
namespace layout2 = cutlass::layout;

// A case: what precedes the offsets.
static void head(int stages, int rows, int cols, int bits, std::string const& descriptor, bool is_packed) {
  printf("@%d %d %d %d %s %d", stages, rows, cols, bits, descriptor.c_str(), is_packed);
}

template <class Layout> void pitch(int bits, int contiguous, int strided) {
  auto extent = cutlass::PitchLinearCoord(contiguous, strided);
  auto layout = Layout::packed(extent);
  head(0, strided, contiguous, bits, "? ?", true);
  for (int s = 0; s < strided; s++)
    for (int c = 0; c < contiguous; c++)
      printf(" %lld", (long long)layout(cutlass::PitchLinearCoord(c, s)));
  printf("\n");
}

template <class Layout> void matrix(int bits, int rows, int cols) {
  auto extent = cutlass::MatrixCoord(rows, cols);
  auto layout = Layout::packed(extent);
  head(0, rows, cols, bits, "? ?", true);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; c++)
      printf(" %lld", (long long)layout(cutlass::MatrixCoord(r, c)));
  printf("\n");
}

template <class T> std::string name_of(T const&) {
  std::string name = __PRETTY_FUNCTION__;
  name = name.substr(name.find("T = ") + 4);
  return name.substr(0, name.rfind(']'));
}

// Prints a layout, its type, and all offsets.
template <class L> void shown(L const& layout, int bits, std::string const& descriptor) {
  printf("#"); print(layout); printf("\n");
  printf("#%s\n", name_of(layout).c_str());
  auto plain = as_position_independent_swizzle_layout(layout);
  if constexpr (rank(L{}) == 1) {
    head(0, 1, size(layout), bits, descriptor, false);
    for (int c = 0; c < size(layout); c++) printf(" %d", (int)plain(c));
  } else {
    int stages = 0;
    if constexpr (rank(L{}) == 3) stages = size<2>(layout);
    head(stages, size<0>(layout), size<1>(layout), bits, descriptor, false);
    for (int s = 0; s < (stages ? stages : 1); s++)
      for (int r = 0; r < size<0>(layout); r++)
        for (int c = 0; c < size<1>(layout); c++)
          if constexpr (rank(L{}) == 3) printf(" %d", (int)plain(r, c, s));
          else printf(" %d", (int)plain(r, c));
  }
  printf("\n");
}

// Layouts without a pointer are position independent as they are.
namespace cute {
template <class A, class B> auto as_position_independent_swizzle_layout(Layout<A, B> const& layout) { return layout; }
template <class A, class B> auto as_position_independent_swizzle_layout(ComposedLayout<A, smem_ptr_flag_bits<0>, B> const& layout) {
  return layout; }
template <int B, int M, int S, int O, class L>
auto as_position_independent_swizzle_layout(ComposedLayout<Swizzle<B, M, S>, C<O>, L> const& layout) { return layout; }
}

template <template <class> class Atom, class T> void atom(int rows, int cols) {
  auto layout = as_position_independent_swizzle_layout(tile_to_shape(Atom<T>{}, make_shape(rows, cols)));
  head(0, rows, cols, sizeof_bits_v<T>, "? ?", false);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; c++) printf(" %d", (int)layout(r, c));
  printf("\n");
}

// Units of 16 bytes become bytes. K-major swizzles have no leading offset, and CuTe writes 1.
template <GMMA::Major major, bool is_ninth, template <class> class Atom, class T, int Rows, int Cols> void tile() {
  constexpr bool is_k = major == GMMA::Major::K;
  auto layout = tile_to_shape(Atom<T>{}, Shape<Int<Rows>, Int<Cols>>{});
  auto tensor = make_tensor(make_smem_ptr((T*)nullptr), layout);
  auto slice = local_tile(tensor, Shape<Int<Rows>, Int<256 / sizeof_bits_v<T>>>{}, make_coord(0, 0));
  std::string descriptor = "-";
  if constexpr ((is_k || sizeof_bits_v<T> == 16) && sizeof_bits_v<T> != 4) {
    auto bits = GMMA::make_gmma_desc<major>(slice).bitfield;
    int leading = is_k && bits.layout_type_ != 0 ? 0 : bits.leading_byte_offset_;
    descriptor = std::string(is_k ? "K," : "MN,") + std::to_string(bits.layout_type_) + "," +
        std::to_string(leading * 16) + "," + std::to_string(bits.stride_byte_offset_ * 16);
    printf("\n");
  }
  // Of MN-major types of 32 bits make_umma_desc takes what the PTX ISA does not, 9.7.16.10.3.
  if constexpr (is_k || is_ninth || sizeof_bits_v<T> == 8 || sizeof_bits_v<T> == 16) {
    char value[32];
    uint64_t desc = UMMA::make_umma_desc<is_k ? UMMA::Major::K : UMMA::Major::MN>(slice);
    snprintf(value, sizeof value, " %016llx", (unsigned long long)desc);
    descriptor += value;
  } else {
    descriptor += " -";
  }
  shown(layout, sizeof_bits_v<T>, descriptor);
}

"""

ATOMS = {f"Layout_{major}_{width}_Atom": (major, bytes_) for major in ("K", "MN")
         for width, bytes_ in (("INTER", 16), ("SW32", 32), ("SW64", 64), ("SW128", 128))}

TYPES = {"half_t": 16, "bfloat16_t": 16, "float": 32, "tfloat32_t": 32, "uint8_t": 8, "int8_t": 8, "float_e4m3_t": 8,
         "float_e5m2_t": 8, "double": 64, "uint4_t": 4, "int4_t": 4, "uint1_t": 1, "uint128_t": 128, "uint16_t": 16}


NINTH = "Layout_MN_SW128_32B_Atom"


def atom_tile(atom, bits):
    if atom == NINTH:
        return 1024 // bits, 4
    major, width = ATOMS[atom]
    return (8, width * 8 // bits) if major == "K" else (width * 8 // bits, 8)


def tile_statement(atom, major, cpp_type, extent):
    scope, is_ninth = ("UMMA", "true") if atom == NINTH else ("GMMA", "false")
    return f"tile<GMMA::Major::{major}, {is_ninth}, {scope}::{atom}, {cpp_type}, {extent[0]}, {extent[1]}>();"


class Program:
    """Statements, and for each of their outputs the questions to the helper."""

    def __init__(self):
        self.statements, self.questions = [], []

    def add(self, statement, *questions, too_narrow=False):
        """`questions` may be functions of the output before the answer."""
        self.statements.append(statement)
        self.questions.append((questions, too_narrow))


def add_cutlass(program):
    for name, coordinates, bits, tile in cutlass_layouts():
        for contiguous, strided in extents(tile):
            extent = (strided, contiguous) if coordinates == "RowMajor" else (contiguous, strided)
            function = "pitch" if coordinates == "pitch" else "matrix"
            program.add(f"{function}<layout2::{name}>({bits or 16}, {extent[0]}, {extent[1]});",
                        f"{name}|{bits or 16}|{extent[0]}|{extent[1]}")


def add_atoms(program):
    for atom in ATOMS:
        for cpp_type, bits in TYPES.items():
            rows, cols = atom_tile(atom, bits)
            for times in ((1, 1), (2, 1), (1, 2), (3, 4)):
                extent = rows * times[0], cols * times[1]
                program.add(f"atom<GMMA::{atom}, {cpp_type}>({extent[0]}, {extent[1]});", f"{atom}|{bits}|{extent[0]}|{extent[1]}")
        for cpp_type, bits in {"half_t": 16, "uint8_t": 8, "tfloat32_t": 32, "uint4_t": 4}.items():
            rows, cols = atom_tile(atom, bits)
            cols = max(cols, 256 // bits, 0 if ATOMS[atom][0] == "K" else 16)
            for times in ((1, 1), (2, 1), (1, 2), (2, 3), (4, 2)):
                extent = rows * times[0], cols * times[1]
                program.add(tile_statement(atom, ATOMS[atom][0], cpp_type, extent),
                            f"{atom}|{bits}|{extent[0]}|{extent[1]}",
                            lambda printed, bits=bits: f"{printed[0]}|{bits}|0|0",
                            lambda printed, bits=bits: f"{printed[1]}|0|0|0")


def add_ninth_atom(program):
    for cpp_type, bits in TYPES.items():
        rows, cols = atom_tile(NINTH, bits)
        for times in ((1, 1), (2, 1), (1, 2), (3, 4)):
            extent = rows * times[0], cols * times[1]
            program.add(f"atom<UMMA::{NINTH}, {cpp_type}>({extent[0]}, {extent[1]});", f"{NINTH}|{bits}|{extent[0]}|{extent[1]}")
    for times in ((1, 2), (2, 2), (1, 4), (2, 6), (4, 4)):
        extent = 32 * times[0], 4 * times[1]
        program.add(tile_statement(NINTH, "MN", "tfloat32_t", extent), f"{NINTH}|32|{extent[0]}|{extent[1]}",
                    lambda printed: f"{printed[0]}|32|0|0", lambda printed: f"{printed[1]}|0|0|0")


# ---- Random layouts of CuTe ----


def flat(tree):
    return [leaf for branch in tree for leaf in flat(branch)] if isinstance(tree, tuple) else [tree]


def random_shape(rng, size, depth):
    """A tree of factors of `size`."""
    if depth == 0 or size < 2 or rng.random() < 0.4:
        return size
    factors = []
    while size > 1 and len(factors) < 3:
        factor = rng.choice([f for f in (2, 3, 4, 5, 8) if size % f == 0] or [size])
        factors.append(factor)
        size //= factor
    return tuple(random_shape(rng, factor, depth - 1) for factor in [*factors, size])


def random_strides(rng, leaves):
    """Compact in a random order; now and then with gaps, or any."""
    if rng.random() < 0.08:
        return [rng.choice([0, 1, 2, 4, 8, 16, 64]) for _ in leaves]
    strides, reached = [0] * len(leaves), 1
    for leaf in rng.sample(range(len(leaves)), len(leaves)):
        strides[leaf] = reached
        reached *= leaves[leaf]
        if rng.random() < 0.1:
            reached += rng.choice([1, 4, 8, 16])
    return strides


def cpp_tuple(tree, numbers, name):
    if isinstance(tree, tuple):
        return f"{name}({', '.join(cpp_tuple(branch, numbers, name) for branch in tree)})"
    number, is_static = next(numbers)
    return f"Int<{number}>{{}}" if is_static else str(number)


def random_swizzle(rng):
    bits, base = rng.randrange(0, 4), rng.randrange(0, 5)
    return bits, base, rng.choice([-1, 1, 1, 1]) * rng.randrange(max(bits, 1), 5)


def add_random(program, count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        sizes = [rng.choice([2, 4, 6, 8, 16, 32, 40, 64]) for _ in range(rng.choice([1, 2, 2, 2, 2, 3]))]
        shape = tuple(random_shape(rng, size, 2) for size in sizes[:2]) + tuple(sizes[2:])
        shape = shape if prod(flat(shape)) <= 8192 else (8, 16)
        leaves = flat(shape)
        strides = random_strides(rng, leaves)
        is_static = rng.random() < 0.5
        text = "make_layout({}, {})".format(
            cpp_tuple(shape, iter([(leaf, is_static) for leaf in leaves]), "make_shape"),
            cpp_tuple(shape, iter([(stride, is_static) for stride in strides]), "make_stride"))
        bits = rng.choice([1, 4, 8, 16, 16, 32, 64, 128])
        kind, offset = rng.choice(["none", "elements", "elements", "bytes", "bytes"]), 0
        swizzle = random_swizzle(rng)
        largest = sum((leaf - 1) * stride for leaf, stride in zip(leaves, strides))
        base = swizzle[1]
        if kind == "elements":
            offset = rng.choice([0, 0, 8, 100, 512])
            text = "make_composed_layout(Swizzle<{},{},{}>{{}}, Int<{}>{{}}, {})".format(*swizzle, offset, text)
        if kind == "bytes":
            base += 3 - (bits.bit_length() - 1)
            if base < 0:
                continue
            text = "make_composed_layout(Swizzle<{},{},{}>{{}}, smem_ptr_flag_bits<{}>{{}}, {})".format(*swizzle, bits, text)
        lowest = base + max(swizzle[2], 0)  # of the bits that it reads
        too_narrow = kind != "none" and swizzle[0] > 0 and lowest >= (largest + offset).bit_length()
        said = 0 if kind == "bytes" else bits
        questions = [lambda printed, said=said: f"{printed[0]}|{said}|0|0"]
        if is_static:
            questions.append(lambda printed, said=said: f"{printed[1]}|{said}|0|0")
        program.add(f'shown({text}, {bits}, "? ?");', *questions, too_narrow=too_narrow)


# ---- CUTLASS's layouts ----


def compiler(include):
    command = ["clang++", "-std=c++17", "-w"]
    for path in include.split(":"):
        command += ["-isystem", path]
    return command


def word_on(answer, too_narrow):
    fields = answer[1:].split()
    offsets = [int(field) for field in fields[7:]]
    overlaps = len(set(offsets)) < len(offsets)
    has_gaps = max(offsets) >= len(offsets)
    if overlaps or too_narrow or (fields[6] == "1" and has_gaps):
        return "refused"
    crc = zlib.crc32(struct.pack(f"<{len(offsets)}I", *offsets))
    return f"{' '.join(fields[:6])} {crc:08x}"


def run_program(include, program):
    """The program's lines, compiled in parts, as a single function takes long."""
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(program.statements), 400):
            path = f"{folder}/part{start}.cpp"
            functions = "".join(f"static void case{n}() {{ {s} }}\n" for n, s in enumerate(program.statements[start:start + 400]))
            calls = "".join(f"  case{n}();\n" for n in range(len(program.statements[start:start + 400])))
            with open(path, "w") as file:
                file.write(f"{PRELUDE}{functions}int main() {{\n{calls}}}\n")
            subprocess.run([*compiler(include), "-o", f"{path}.out", path], check=True)
            yield from subprocess.run([f"{path}.out"], capture_output=True, text=True, check=True).stdout.splitlines()


def answered_cases(include, program):
    """All questions of a case, one after the other."""
    questions, printed = iter(program.questions), []
    for line in run_program(include, program):
        if line.startswith("#"):
            printed.append(line[1:])
        if line.startswith("@"):
            asked, too_narrow = next(questions)
            for question in asked:
                yield question if isinstance(question, str) else question(printed), word_on(line, too_narrow)
            printed = []
    assert next(questions, None) is None


def refused_arguments(include):
    """What the compiler says to template arguments of TensorOpMultiplicand. It takes rows of less than an
    access, but operator() then divides by 0."""
    cases = [(bits, crosswise) for bits in (1, 4, 8, 16, 32, 64, 128) for crosswise in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.cpp", "w") as file:
            file.write('#include "cutlass/layout/tensor_op_multiplicand_sm75.h"\n')
            for bits, crosswise in cases:
                file.write(f"int a_{bits}_{crosswise} = sizeof(cutlass::layout::TensorOpMultiplicand<{bits},{crosswise}>);\n")
        command = [*compiler(include), "-fsyntax-only", "-ferror-limit=0", f"{folder}/a.cpp"]
        log = subprocess.run(command, capture_output=True, text=True).stderr
    lines = {int(line) for line in re.findall(r"/a\.cpp:(\d+):", log)}
    for number, (bits, crosswise) in enumerate(cases, 2):
        if number in lines:
            yield f"TensorOpMultiplicand<{bits},{crosswise}>|0|0|0", "refused"
        else:
            cols, rows = multiplicand_tile(bits, crosswise)
            yield f"TensorOpMultiplicand<{bits},{crosswise}>|0|0|0", f"0 {rows} {cols} {bits} ? ? ?" if cols else "refused"


def all_cases(include, count, seed):
    program = Program()
    add_cutlass(program)
    add_atoms(program)
    add_ninth_atom(program)
    add_random(program, count, seed)
    yield from answered_cases(include, program)
    yield from refused_arguments(include)


# ---- The helper's layouts ----


def spellings(question):
    """A class or an atom, with its bits, in all ways in which it may be written; else the question itself."""
    text, bits, extent = question.split("|", 2)
    if text == NINTH or text in ATOMS:
        yield f"cute::{'UMMA' if text == NINTH else 'SM90::GMMA'}::{text}|{bits}|{extent}"
        for cpp_type in (name for name, size in TYPES.items() if size == int(bits)):
            yield f"{text}<{cpp_type}>|0|{extent}"
            if text in ATOMS:
                major = ATOMS[text][0]
                yield f"{text.replace(f'_{major}', '')}<{cpp_type}, GMMA::Major::{major}>|{bits}|{extent}"
    elif re.fullmatch(r"\w+(<[\d,]+>)?", text):
        yield from (f"{text}|0|{extent}", f"cutlass::layout::{text}|{bits}|{extent}")
    else:
        yield question


def agrees(word, said):
    words, said = word.split(), said.split()
    if words == ["refused"]:
        return said[0] == "refused:"
    return len(words) == len(said) and all(word in ("?", own) for word, own in zip(words, said))


def compare(helper, cases):
    """Prints TAP, and returns how many differ."""
    cases = [(question, word) for row, word in cases for question in spellings(row)]
    output = subprocess.run([helper], input="".join(f"{question}\n" for question, _ in cases), capture_output=True, text=True,
                            check=True).stdout.splitlines()
    assert len(output) == len(cases)
    failures = 0
    for number, ((question, word), said) in enumerate(zip(cases, output), 1):
        good = agrees(word, said)
        failures += not good
        print(f"{'' if good else 'not '}ok {number} - {question}: {word}".replace("#", ""))
        if not good:
            print(f"# {said}")
    print(f"1..{len(cases)}")
    return failures


def recorded_cases(path):
    """(question, the headers' word) of every case."""
    with open(path) as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [(f"{layout}|{extent}", word) for layout, *cases in rows for extent, word in (case.split(" ", 1) for case in cases)]


def main(arguments):
    if arguments[0] == "--record":
        print(f"# What CUTLASS's headers make of layouts in memory: matrix_headers.py --record INCLUDE {arguments[2]} {arguments[3]}")
        print(f"# CUTLASS {cutlass_version(arguments[1])}")
        print("# TEXT|BITS; for each case a tab, EXTENT|EXTENT and the headers' word as matrix_headers.py explains it")
        rng, rows = random.Random(int(arguments[3])), {}
        for question, word in dict.fromkeys(all_cases(arguments[1], int(arguments[2]), int(arguments[3]))):
            text, bits, extent = question.split("|", 2)
            if rng.random() < 0.3:
                rows.setdefault(f"{text}|{bits}", []).append(f"{extent} {word}")
        for layout, cases in rows.items():
            print(layout, *cases, sep="\t")
        return 0
    if arguments[0] == "--recorded":
        return compare(arguments[1], recorded_cases(arguments[2])) > 0
    count, seed = (int(number) for number in (arguments[2:] + ["200", "1"][len(arguments) - 2:]))
    return compare(arguments[0], all_cases(arguments[1], count, seed)) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
