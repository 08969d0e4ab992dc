#!/usr/bin/env python3
"""rounded_test.py MAPPING: functions of --convert --format=cuda that round, called lane by lane on a simulated warp.

The C++ compiler compiles the functions with host code in place of PTX. This code follows the PTX ISA for "cvt",
"cvt.pack" and "mov": `cvt.rn.f16x2.f32 d, a, b` puts a in the upper half of d and b in the lower, `mov.b32 d, {lo, hi}`
puts lo in the lower, and `cvt.pack.sat.s8.s32.b32 d, a, b, c` puts c above a and b. The test does not check rounding
itself: "rounding" keeps the lowest 8 bits of a number, or as many as the type has. The place of an element in the matrix
is a number of several such digits, and each run converts one digit. cvt.pack saturates. With $NVCC, nvcc assembles some
functions. on_host.cuh executes shuffles. The maps of --format=json state what each thread must get."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../examples")]
import convert_test  # noqa: E402
from on_host import output_of  # noqa: E402
from tap import finish, ok  # noqa: E402

# (architecture, source, target, what rounds by the PTX ISA, how many functions: with a permuted one 2), and for
# tiles of four warps, which move elements through memory or not at all, their atom layout
CASES = [
    (80, "mma.m16n8k16.d.f32", "mma.m16n8k16.a.f16", "cvt.rn.f16x2.f32", 1),
    (90, "mma.m16n8k16.d.f32", "mma.m16n8k16.a.bf16", "cvt.rn.bf16x2.f32", 1),
    (80, "mma.m16n8k16.d.f32", "mma.m16n8k16.b.f16", "cvt.rn.f16x2.f32", 1),
    (80, "mma.m16n8k16.d.f32", "mma.m16n8k8.a.tf32", "cvt.rna.tf32.f32", 2),
    (89, "mma.m16n8k32.d.f32", "mma.m16n8k32.a.e4m3", "cvt.rn.satfinite.e4m3x2.f32", 2),
    (120, "mma.m16n8k32.d.f32", "mma.m16n8k32.a.e5m2", "cvt.rn.satfinite.e5m2x2.f32", 2),
    (89, "mma.m16n8k16.c.f32", "mma.m16n8k32.b.e4m3", "cvt.rn.satfinite.e4m3x2.f32", 1),
    (70, "wmma.m16n16k16.d.f32", "wmma.m16n16k16.a.row.f16", "cvt.rn.f16.f32", 1),
    (70, "mma.m8n8k4.d.f32", "mma.m8n8k4.d.f16", "cvt.rn.f16.f32", 1),
    (75, "wmma.m16n16k16.d.f32", "wmma.m16n16k16.b.col.f16", "cvt.rn.f16.f32", 1),
    (90, "wmma.m16n16k16.d.f32", "mma.m16n8k16.d.f16", "cvt.rn.f16x2.f32", 1),
    (90, "wgmma.m64n64k16.d.f32", "wgmma.m64n64k16.a.bf16", "cvt.rn.bf16x2.f32", 1),
    (90, "wgmma.m64n64k16.d.f32", "wgmma.m64n64k32.a.e4m3", "cvt.rn.satfinite.e4m3x2.f32", 2),
    (90, "wgmma.m64n256k16.d.f32", "wgmma.m64n256k32.a.e5m2", "cvt.rn.satfinite.e5m2x2.f32", 2),
    (90, "wgmma.m64n24k16.d.f32", "wgmma.m64n24k8.a.tf32", "cvt.rna.tf32.f32", 2),
    (120, "mma.m16n8k32.d.f32", "mma.m16n8k32.a.e2m3", "cvt.rn.satfinite.e2m3x2.f32", 2),
    (120, "mma.m16n8k32.d.f32", "mma.m16n8k32.a.e3m2", "cvt.rn.satfinite.e3m2x2.f32", 2),
    (120, "mma.m16n8k32.d.f32", "mma.m16n8k32.a.e2m1", "cvt.rn.satfinite.e2m1x2.f32", 2),
    (120, "mma.m16n8k32.d.f32", "mma.m16n8k32.b.e2m1", "cvt.rn.satfinite.e2m1x2.f32", 1),
    (120, "mma.m16n8k64.d.f32", "mma.m16n8k64.a.e2m1", "cvt.rn.satfinite.e2m1x2.f32", 2),
    (80, "mma.m16n8k32.d.s32", "mma.m16n8k32.a.s8", "cvt.pack.sat.s8.s32.b32", 2),
    (80, "mma.m16n8k32.d.s32", "mma.m16n8k32.b.u8", "cvt.pack.sat.u8.s32.b32", 1),
    (72, "wmma.m16n16k16.d.s32", "wmma.m16n16k16.a.row.u8", "cvt.pack.sat.u8.s32.b32", 2),
    (80, "mma.m16n8k64.d.s32", "mma.m16n8k64.a.s4", "cvt.pack.sat.s4.s32.b32", 2),
    (75, "mma.m8n8k32.d.s32", "mma.m8n8k32.a.u4", "cvt.pack.sat.u4.s32.b32", 2),
    (90, "wgmma.m64n64k32.d.s32", "wgmma.m64n64k32.a.s8", "cvt.pack.sat.s8.s32.b32", 2),
    (80, "mma.m16n8k16.d.f32", "mma.m16n8k16.a.f16", "cvt.rn.f16x2.f32", 1, "(1,4,1)"),
    (80, "mma.m16n8k16.d.f32", "mma.m16n8k16.a.bf16", "cvt.rn.bf16x2.f32", 1, "(4,1,1)"),
]
START = """#include "on_host.cuh"
static unsigned number(float value) { return (unsigned)value; }
static unsigned pack(int a, int b, unsigned c, unsigned bits, int low, int high) {
    a = a < low ? low : a > high ? high : a;
    b = b < low ? low : b > high ? high : b;
    return c << 2 * bits | (a & ((1u << bits) - 1)) << bits | (b & ((1u << bits) - 1));
}
"""
RUN = """
static const unsigned numbers_%(number)d[] = {%(numbers)s};
static void run_%(number)d() {
    static unsigned out[128][%(outs)d];
    for (unsigned digit = 0; digit < %(digits)d; digit++) {
        run_threads(%(threads)d, [&](unsigned tid) {
            %(type)s in[%(ins)d];
            for (unsigned e = 0; e < %(ins)d; e++)
                in[e] = (%(type)s)(numbers_%(number)d[tid * %(ins)d + e] >> %(width)d * digit & ((1 << %(width)d) - 1));
            %(name)s(tid, in, out[tid]%(more)s);
        });
        for (unsigned t = 0; t < %(threads)d; t++)
            for (unsigned w = 0; w < %(outs)d; w++)
                printf("%%u ", out[t][w]);
    }
    puts("");
}
"""
ASM = re.compile(r'asm\("([^"]*)" : "=r"\(([^:]*)\) : ([^;]*)\);')


def mapping(arch, *words):
    """Standard output."""
    command = [sys.argv[1], f"--arch={arch}", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=convert_test.ENVIRONMENT).stdout


def digit_width(target):
    """Bits of an element that a test tells apart: those of its type, at most 8; of a signed one those that are positive."""
    kind = target.rsplit(".", 1)[1]
    return {"s8": 7, "s4": 3, "u4": 4, "e2m1": 4, "e2m3": 6, "e3m2": 6}.get(kind, 8)


def host(statement):
    """A C++ statement with the effect of the PTX of an asm statement."""
    text, result, inputs = statement.groups()
    values = {f"%{n}": value for n, value in enumerate(re.findall(r'"[fr]"\(((?:[^()]|\([^()]*\))*)\)', inputs), 1)}
    registers = {"0": "0"}
    for step in filter(None, (re.sub(r"[{}]", "", part).strip() for part in text.split(";"))):
        opcode, operands = step.split(" ", 1)
        destination, *sources = operands.split(", ")
        if opcode == ".reg":
            continue
        if opcode == "mov.b32":
            parts = [f"{registers[name]} << {32 // len(sources) * n}" for n, name in enumerate(sources)]
            registers[destination] = f"({' | '.join(parts)})"
            continue
        if opcode.startswith("cvt.pack"):
            kind = opcode.split(".")[3]
            low, high = {"s8": (-128, 127), "u8": (0, 255), "s4": (-8, 7), "u4": (0, 15)}[kind]
            registers[destination] = f"pack({values[sources[0]]}, {values[sources[1]]}, {registers[sources[2]]}, {kind[1]}, {low}, {high})"
            continue
        bits = 32 if "tf32" in opcode else 4 if "e2m1" in opcode else 8 if re.search(r"e\dm\d", opcode) else 16
        own = {"e2m1": 15, "e2m3": 63, "e3m2": 63}.get(re.search(r"\.(\w+?)(x2)?\.f32", opcode)[1], 255)
        numbers = [f"(number({values[name]}) & {own})" for name in sources]
        registers[destination] = numbers[0] if len(numbers) == 1 else f"({numbers[0]} << {bits} | {numbers[1]})"
    return f"{result} = {registers['%0']};"


def on_host(number, conversion, name, arguments, width):
    """C++ that prints the registers of all threads, for each digit of the numbers, in a line; or an error message."""
    numbers = list(conversion.map("from"))
    ins, outs = (int(re.search(rf"\b{side}\[(\d+)\]", arguments)[1]) for side in ("in", "out"))
    if ins * conversion.threads != len(numbers):
        return f"#error {name}: in[] has {ins} elements\n"
    more = ", shared" * ("memory" in arguments) + ", 0" * ("barrier" in arguments)
    return RUN % {
        "number": number,
        "type": arguments.split()[3], "width": width, "digits": -(-max(numbers).bit_length() // width),
        "numbers": ", ".join(map(str, numbers)), "ins": ins, "outs": outs, "threads": conversion.threads, "name": name,
        "more": more}


def printed(parts, count):
    """Compiles all parts in one program, each in a namespace of its own, and returns the lines that it prints."""
    spaces = "".join(f"namespace part_{n} {{\n{part}\n}}\nusing namespace part_{n};\n" for n, part in enumerate(parts))
    return output_of(f"{START}{spaces}int main() {{ {' '.join(f'run_{number}();' for number in range(count))} }}\n").splitlines()


def judge(conversion, line, width, offset):
    """How many elements are not where they have to be: from bit `offset` of theirs on, with zeros around."""
    words = list(map(int, line.split()))
    outs = len(words) // conversion.threads // -(-max(conversion.map("from")).bit_length() // width)
    words = [words[n:n + outs * conversion.threads] for n in range(0, len(words), outs * conversion.threads)]
    numbers, bits = conversion.map("to"), conversion.bits
    elements, per, wrong = len(numbers) // conversion.threads, max(32 // bits, 1), 0
    for n, number in enumerate(numbers):
        thread, e = divmod(n, elements)
        found = [digit[thread * outs + e // per] >> e % per * bits & ((1 << bits) - 1) for digit in words]
        wrong += found != [(number >> width * n & ((1 << width) - 1)) << offset for n in range(len(words))]
    return wrong


def assembles(folder, header, arch):
    """The messages of nvcc for a header, with a kernel that calls each function that needs only registers."""
    with open(f"{folder}/test.cu", "w", encoding="ascii") as file:
        file.write(header)
        for name, kind, ins, outs in re.findall(r"(mapping_\w+_from_[fs]32)\(\s*unsigned tid, const (\w+) in\[(\d+)\], unsigned out\[(\d+)\]\)", header):
            file.write(f"__global__ void test_{name}({kind} *from, unsigned *to) {{\n    {kind} in[{ins}];\n    unsigned out[{outs}];\n"
                       f"    for (int n = 0; n < {ins}; n++) in[n] = from[n];\n    {name}(threadIdx.x, in, out);\n"
                       f"    for (int n = 0; n < {outs}; n++) to[n] = out[n];\n}}\n")
    return subprocess.run([os.environ["NVCC"], "-std=c++17", f"-arch=sm_{arch}", "-diag-suppress=177", "-cubin", "-o",
                           f"{folder}/test.cubin", f"{folder}/test.cu"], capture_output=True, text=True, check=False).stderr


def main():
    headers, parts, results, total = {}, [], [], 0
    for arch, source, target, opcode, count, *atoms in CASES:
        tile = [f"--atom-layout={layout}" for layout in atoms]
        convert, layout = [f"--convert={target}", source, *tile], ["--detail", "--format=json", *tile]
        said = json.loads(mapping(arch, "--format=json", *convert))
        header = mapping(arch, "--format=cuda", *convert)
        if arch > 90 or "s32" in source and arch >= 80:
            headers.setdefault("80" if arch < 100 else "120a", []).append(header)
        width, offset = digit_width(target), 2 if target.endswith("k32.a.e2m1") or target.endswith("k32.b.e2m1") else 0
        layouts = [json.loads(mapping(arch, *layout, name)) for name in (source, target)]
        found = re.findall(r"\b(mapping_\w+_from_[fs]32)\(\s*(unsigned tid, const (?:float|int) in[^{]*)\{", header)
        why = [] if len(found) == count else [f"{len(found)} functions that round"]
        others = {word for word in re.findall(r"cvt\.[\w.]+", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL))} - {opcode}
        why += [f"it has {others}"] if others else []
        conversions, part = [], ASM.sub(host, re.sub(r'asm volatile\("barrier[^;]*;"[^;]*;', "", header))
        for name, arguments in found:
            conversions.append((name, convert_test.Conversion(*layouts, said, said["permuted"] if "permuted" in name else None), width, offset))
            part += on_host(total, conversions[-1][1], name, arguments, width)
            total += 1
        parts.append(part)
        results.append((f"sm_{arch}: {' '.join([source, *tile])} to {target} with {opcode}", conversions, why))
    lines = iter(printed(parts, total))
    for test, conversions, why in results:
        wrong = [(name, judge(conversion, next(lines), width, offset)) for name, conversion, width, offset in conversions]
        why += [f"{name}: {number} elements are wrong" for name, number in wrong if number]
        ok(test, not why, "\n".join(why) + "\n")
    for arch, texts in headers.items() if os.environ.get("NVCC") else ():
        with tempfile.TemporaryDirectory() as folder:
            for target in [arch, "100a"] if arch == "120a" else [arch]:
                why = assembles(folder, "".join(texts), target)
                ok(f"nvcc assembles them for sm_{target}", not why, why)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
