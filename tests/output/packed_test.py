#!/usr/bin/env python3
"""packed_test.py MAPPING: the functions of --order=TYPE --format=cuda, called on the host.

The header runs on the host with C++ functions in place of PTX; they implement lop3 and fma as the PTX ISA defines them. Over
sixteen matrices, each element takes each of the 16 values, with different neighbours. They are packed, and every thread
converts its words. Each register must have the numbers of the maps of --format=json, by a table of the numbers that 4 bits
represent. With $NVCC, nvcc assembles the functions, too."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from on_host import output_of  # noqa: E402
from tap import finish, ok  # noqa: E402

MAPPING = sys.argv[1]
NUMBERS = {  # that 4 bits stand for: unsigned, two's complement, and OCP Microscaling Formats 1.0, 5.3.3
    "u4": [float(n) for n in range(16)],
    "s4": [float(n if n < 8 else n - 16) for n in range(16)],
    "e2m1": [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0],
}
PLACES = [0, 2, 4, 6, 1, 3, 5, 7]  # the elements of a word, from its lowest bits on
CASES = [  # architecture, fragment and tiling
    (80, "mma.m16n8k16.a.f16"), (80, "mma.m16n8k16.a.bf16"), (80, "mma.m16n8k16.b.f16", "--permutation=_,_,64"),
    (80, "mma.m16n8k16.b.bf16", "--permutation=_,_,32"), (75, "wmma.m16n16k16.b.col.f16"),
    (70, "wmma.m16n16k16.a.row.f16"), (90, "wgmma.m64n8k16.a.bf16"), (120, "mma.sp.m16n8k32.b.f16"),
]
START = """#include "on_host.cuh"
#include <cmath>
#define __CUDACC__
static unsigned inexact;
static unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    for (unsigned n = 0; n < 32; n++)
        result |= (table >> ((a >> n & 1) * 4 + (b >> n & 1) * 2 + (c >> n & 1)) & 1) << n;
    return result;
}
static double number(unsigned bits, int mantissa) {
    const int exponent = bits >> mantissa & ((1 << (15 - mantissa)) - 1), bias = (1 << (14 - mantissa)) - 1;
    const double fraction = bits & ((1 << mantissa) - 1), value =
        exponent ? ldexp(fraction + (1 << mantissa), exponent - bias - mantissa) : ldexp(fraction, 1 - bias - mantissa);
    return bits >> 15 & 1 ? -value : value;
}
static unsigned rounded(double value, int mantissa) { // only what needs no rounding
    unsigned bits = 0; // those of the largest number that is not above |value|: numbers grow with their bits
    for (unsigned bit = 16384; bit > 0; bit /= 2)
        if (number(bits + bit, mantissa) <= fabs(value))
            bits += bit;
    const bool is_exact = number(bits, mantissa) == fabs(value);
    inexact += !is_exact;
    return is_exact ? bits | (unsigned)std::signbit(value) << 15 : 0;
}
static unsigned fma2(unsigned a, unsigned b, unsigned c, int mantissa) {
    unsigned result = 0;
    for (int half = 0; half < 32; half += 16)
        result |= rounded(fma(number(a >> half, mantissa), number(b >> half, mantissa), number(c >> half, mantissa)),
                          mantissa) << half;
    return result;
}
"""
MAIN = """
static bool test_%(type)s() {
    static const double numbers[16] = {%(numbers)s};
    static const unsigned positions[] = {%(positions)s}, places[] = {%(places)s};
    enum { THREADS = %(threads)d, ELEMENTS = %(elements)d, WORDS = ELEMENTS / 8, STRIDE = %(stride)d };
    static unsigned char matrix[%(size)d];
    static unsigned packed[THREADS * WORDS];
    unsigned wrong = 0;
    inexact = 0;
    for (unsigned value = 0; value < 16; value++) {
        memset(matrix, 0, sizeof matrix);
        for (unsigned n = 0; n < 2 * sizeof matrix; n++)
            matrix[n / 2] |= ((n * 7 + n / 16 * 3 + value) & 15) << n %% 2 * 4;
        %(name)s_pack_%(type)s(packed, matrix, STRIDE);
        for (unsigned tid = 0; tid < THREADS; tid++) {
            unsigned out[ELEMENTS / 2];
            %(name)s_from_%(type)s(out, packed + tid * WORDS);
            for (unsigned i = 0; i < ELEMENTS; i++) {
                const unsigned n = positions[tid * ELEMENTS + i], bits = (n * 7 + n / 16 * 3 + value) & 15;
                unsigned place = 0;
                while (places[place] != i %% 8) place++;
                wrong += (packed[tid * WORDS + i / 8] >> 4 * place & 15) != bits;
                wrong += (out[i / 2] >> i %% 2 * 16 & 65535) != rounded(numbers[bits], %(mantissa)d);
            }
        }
    }
    printf("%(type)s: %%u wrong, %%u inexact; ", wrong, inexact);
    return wrong + inexact == 0;
}
"""
LOP3 = re.compile(r'asm\("lop3.b32 %0, %1, (\w+), (\w+|%2), (\w+);" : "=r"\((\w+)\) : "r"\(([^,]*?)\)(?:, "r"\((.*?)\))?\);')
FMA = re.compile(r'asm\("fma.rn.(b?f16)x2 %0, %1, %2, %3;" : "=r"\((.*?)\) : "r"\((\w+)\), "r"\((\w+)\), "r"\((\w+)\)\);')


def run(arch, *words):
    return output(MAPPING, f"--arch={arch}", *words)


def on_host(kind, header, layout):
    """C++ that tests a header."""
    name = re.search(rf"(mapping_\w+)_from_{kind}\(", header)[1]
    elements, threads, stride = layout["elements"], layout["threads"], layout["cols"] + 3
    rows = [at[-2] + (at[0] * layout["rows"] if len(at) == 3 else 0) for thread in layout["map"] for at in thread]
    columns = [at[-1] for thread in layout["map"] for at in thread]
    is_bf16 = layout["fragment"].endswith(".bf16")
    body, lop3s = LOP3.subn(lambda m: f"{m[4]} = lop3({m[5]}, {m[1]}, {m[6] if m[2] == '%2' else m[2]}, {m[3]});", header)
    body, fmas = FMA.subn(lambda m: f"{m[2]} = fma2({m[3]}, {m[4]}, {m[5]}, {7 if m[1] == 'bf16' else 10});", body)
    expected = elements // 2  # registers
    if lop3s != expected or fmas != expected or ("fma.rn.bf16x2" in header) != is_bf16:
        body += f"\n#error {lop3s} lop3 and {fmas} fma for {expected} registers\n"
    return body + MAIN % {
        "numbers": ", ".join(map(str, NUMBERS[kind])), "places": ", ".join(map(str, PLACES)), "threads": threads,
        "positions": ", ".join(str(row * stride + column) for row, column in zip(rows, columns)), "elements": elements,
        "stride": stride, "size": (max(rows) + 1) * stride, "name": name, "type": kind, "mantissa": 7 if is_bf16 else 10}


def printed(parts):
    """A line for each part, which is an architecture and the tests of a fragment's headers: all in one program."""
    text = START
    for number, (arch, tests) in enumerate(parts):
        text += f"#undef __CUDA_ARCH__\n#define __CUDA_ARCH__ {10 * arch}\nnamespace part_{number} {{\n{''.join(tests)}\n}}\n"
    calls = (" & ".join(f"part_{number}::test_{kind}()" for kind in NUMBERS) for number in range(len(parts)))
    return output_of(text + "int main() { " + " ".join(f'puts({call} ? "right" : "");' for call in calls) + " }\n").splitlines()


def assembles(folder, header, arch):
    """The messages of nvcc for a header."""
    with open(f"{folder}/test.cu", "w", encoding="ascii") as file:
        file.write(header)
        for name, registers, words in re.findall(r"(mapping_\w+_from_\w+)\(unsigned out\[(\d+)\],\s*const unsigned in\[(\d+)\]", header):
            file.write(f"__global__ void test_{name}(unsigned *out, const unsigned *in) {{\n    unsigned o[{registers}], i[{words}];\n"
                       f"    for (int n = 0; n < {words}; n++) i[n] = in[n];\n    {name}(o, i);\n"
                       f"    for (int n = 0; n < {registers}; n++) out[n] = o[n];\n}}\n")
    return subprocess.run([os.environ["NVCC"], "-std=c++17", f"-arch=sm_{arch}", "-Werror", "all-warnings", "-diag-suppress=177", "-cubin", "-o",
                           f"{folder}/test.cubin", f"{folder}/test.cu"], capture_output=True, text=True, check=False).stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        headers, parts = {}, []
        for arch, fragment, *tile in CASES:
            layout = json.loads(run(arch, fragment, *tile, "--format=json"))
            texts = [run(arch, fragment, *tile, f"--order={kind}", "--format=cuda") for kind in NUMBERS]
            headers.setdefault(75 if arch < 80 else 80, []).extend(texts)
            parts.append((arch, [on_host(kind, text, layout) for kind, text in zip(NUMBERS, texts)]))
        for (arch, fragment, *tile), line in zip(CASES, printed(parts)):
            ok(f"sm_{arch}: {' '.join([fragment, *tile])}", line.endswith(" right"), line)
        if os.environ.get("NVCC"):
            for arch, texts in headers.items():
                why = assembles(folder, "".join(texts), arch)
                ok(f"nvcc assembles them for sm_{arch}", not why, why)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
