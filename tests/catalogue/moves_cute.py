"""Compares ldmatrix and stmatrix of 8, 6 and 4 bits with CUTLASS's Copy_Traits: mapping's maps with CuTe's layouts.

    moves_cute.py --record INCLUDE          compiles the headers; prints CuTe's layouts
    moves_cute.py MAPPING moves_cute.txt    compares with the recorded layouts; prints TAP

INCLUDE is a list of folders, separated by colons: that of CUTLASS, and those of CUDA. The compiler is clang++, or CXX;
a program runs on the host, without a GPU. A line of the record is

    atom  opcode  layout of the registers  layout of the memory  bytes

Both layouts map (thread, bit) to the number of a bit. In the layout of the memory, bit 0 of a thread is the beginning
of the 16 bytes whose address this thread provides. Some atoms rearrange bytes of the registers after the instruction,
and "bytes" lists their sources: for dst0 = { tmp0.x, tmp0.y, tmp1.x, tmp1.y } of SM100_U8x8_LDSM_T, it is
"0.0,0.1,1.0,1.1". "-" means no change. CuTe may number rows in any order, so the test identifies a row by the thread
that provides its address. The lines of fp4_shift_A state how far CuTe shifts loaded elements for kind::f8f6f4.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402
import tap  # noqa: E402

ROW_BYTES = 16

# ---- CuTe's layouts ----

PROGRAM = """
#include <cute/tensor.hpp>
#include <cute/atom/copy_traits_sm100.hpp>
using namespace cute;
template <class Registers, class Memory> void put(const char *name) {
  printf("%s ", name); print(Registers{}); printf(" "); print(Memory{}); printf("\\n");
}
int main() {
"""


def structs(text):
    """(name, body) of each atom of copy_sm100.hpp that is an ldmatrix or a stmatrix."""
    yield from re.findall(r"^struct (SM100_\w+_(?:LDSM|STSM)_[NT])\n\{(.*?)^\};", text, re.DOTALL | re.MULTILINE)


def exchanged(body):
    """The bytes of each register, as they were loaded."""
    registers = re.findall(r"uchar4 dst\d_\{(.*?)\}", body)
    bytes_of = [f"{register}.{'xyzw'.index(byte)}" for text in registers
                for register, byte in re.findall(r"tmp(\d)_\.([xyzw])", text)]
    return ",".join(bytes_of) or "-"


def print_record(include):
    folders = include.split(":")
    with open(f"{folders[0]}/cute/arch/copy_sm100.hpp") as file:
        atoms = dict(structs(file.read()))
    compiler = [os.environ.get("CXX", "clang++"), "-std=c++17", "-w", "-O0"]
    for path in folders:
        compiler += ["-isystem", path]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/moves.cpp", "w") as file:
            file.write(PROGRAM)
            for name in atoms:
                sides = ["DstLayout", "SrcLayout"] if "LDSM" in name else ["SrcLayout", "DstLayout"]
                file.write(f"  put<{','.join(f'Copy_Traits<{name}>::{side}' for side in sides)}>(\"{name}\");\n")
            file.write("}\n")
        subprocess.run([*compiler, "-o", f"{folder}/moves", f"{folder}/moves.cpp"], check=True)
        output = subprocess.run([f"{folder}/moves"], capture_output=True, text=True, check=True).stdout
    print("# ldmatrix and stmatrix of 8, 6 and 4 bits by CUTLASS: moves_cute.py --record INCLUDE")
    for line in output.splitlines():
        name, registers, memory = line.replace("_", "").replace("SM100", "SM100_", 1).split()
        name = next(atom for atom in atoms if atom.replace("_", "") == name.replace("_", ""))
        opcode = re.search(r'"((?:ld|st)matrix[^" ]*)', atoms[name])[1]
        print(name, opcode, registers, memory, exchanged(atoms[name]))
    with open(f"{folders[0]}/cute/atom/mma_traits_sm120.hpp") as file:
        for shift in dict.fromkeys(re.findall(r"\breturn v << (\d+);", file.read())):
            print("fp4_shift_A", shift)


# ---- Layouts of CuTe ----


def parse(text):
    """Numbers and lists of them."""
    return json.loads(text.replace("(", "[").replace(")", "]"))


def evaluate(shape, stride, number):
    """The value of CuTe's layout for a number, lowest mode first; the last mode takes the rest."""
    if isinstance(shape, int):
        return number % shape * stride
    total = 0
    for inner, step in zip(shape, stride):
        total += evaluate(inner, step, number % size(inner))
        number //= size(inner)
    return total


def size(shape):
    if isinstance(shape, int):
        return shape
    product = 1
    for inner in shape:
        product *= size(inner)
    return product


class Layout:
    def __init__(self, text):
        self.shape, self.stride = map(parse, text.split(":"))

    def at(self, thread, bit):
        return evaluate(self.shape[0], self.stride[0], thread) + evaluate(self.shape[1], self.stride[1], bit)

    def bits(self):
        return size(self.shape[1])


# ---- The program's layouts ----


def shown(mapping, opcode):
    """The fragments of an opcode by their operands."""
    done = command(mapping, "--source=isa", "--arch=sm_100", "--format=json", opcode)
    if done.returncode != 0:
        raise SystemExit(f"{opcode}: {done.stderr}")
    fragments = json.loads(done.stdout)
    fragments = fragments if isinstance(fragments, list) else [fragments]
    return {fragment["fragment"].split(".")[3]: fragment["map"] for fragment in fragments}


def with_block(place):
    return tuple(place) if len(place) == 3 else (0, *place)


def differences(mapping, opcode, registers, memory, exchange):
    maps = shown(mapping, opcode)
    bring = {}
    for thread in range(len(maps["p"])):
        bring.setdefault(memory.at(thread, 0) // 8 // ROW_BYTES, with_block(maps["p"][thread][0])[:2])
    count = registers.bits() // 8
    loaded = list(range(count))
    if exchange != "-":
        loaded = [4 * int(register) + int(byte) for register, byte in re.findall(r"(\d)\.(\d)", exchange)]
    for thread, elements in enumerate(maps["r"]):
        if len(elements) != count:
            yield f"thread {thread} holds {len(elements)} elements, not {count}"
            return
        for value in range(count):
            row, col = divmod(registers.at(thread, 8 * value) // 8, ROW_BYTES)
            cute, ours = (*bring[row], col), with_block(elements[loaded[value]])
            if cute != ours:
                yield f"thread {thread}, element {loaded[value]}: CuTe {cute}, here {ours}"


def bits_of(mapping, fragment, arch):
    """(highest, lowest) of "bits 5:2", in the text about a fragment."""
    text = command(mapping, "--source=isa", f"--arch={arch}", "--brief", fragment).stdout
    return tuple(map(int, re.search(r"is in bits (\d+):(\d+)", text).groups()))


def compare(mapping, path):
    with open(path) as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    for name, *rest in lines:
        if name == "fp4_shift_A":
            shift = int(rest[0])
            loaded = bits_of(mapping, "ldmatrix.m8n16.x1.r.b4", "sm_120")
            wanted = bits_of(mapping, "mma.m16n8k32.a.e2m1", "sm_120")
            tap.ok("4 bits are loaded where CuTe's shift takes them to those of the multiplication",
                   wanted == tuple(bit + shift for bit in loaded), f"{loaded}, {wanted}")
            continue
        opcode, registers, memory, exchange = rest
        found = list(differences(mapping, opcode, Layout(registers), Layout(memory), exchange))
        tap.ok(f"{opcode} is {name}", not found, "\n".join(found))
    return tap.finish()


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        print_record(sys.argv[2])
    else:
        sys.exit(compare(*sys.argv[1:]))
