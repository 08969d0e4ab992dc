"""Executes ptxas's emulation of Volta's mma.m8n8k4 in f16. From sm_80 on, ptxas compiles it to shuffles and ordinary
arithmetic, and this code shows which register of which lane is multiplied with which. It is executed on the host for
32 lanes, on numbers whose sums are exact. D must be the product of A and B, plus C, as the program's layouts place
them. If two elements of one of these layouts are exchanged, D must be wrong.

    emulation_test.py MAPPING FOLDER [ARCH]         fails if a condition does not hold; FOLDER has a ptxas and its
                                                    nvdisasm
    emulation_test.py MAPPING --record FOLDER...    prints results/emulated.txt
"""

import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
import records  # noqa: E402
from listing import kernels as kernels_of  # noqa: E402

ARCHS = [arch for arch in records.ARCHS if arch >= 80]
ORDERS = ["row", "col"]
RESULTS = [("f16", "f16"), ("f32", "f16"), ("f32", "f32")]  # of D and C
LANES = 32
MASK = 0xFFFFFFFF
STRIDE = 64  # bytes of a lane: A at 0, B at 8, C at 16; D from 0
IN, OUT = 0x100000000, 0x200000000
PARAMETERS = {arch: 0x160 for arch in ARCHS} | {90: 0x210} | {arch: 0x380 for arch in ARCHS if arch >= 100}

# ---- The kernels ----


def name_of(kernel):
    return "k_" + "_".join(kernel)


def kernels():
    return [(a, b, d, c) for a in ORDERS for b in ORDERS for d, c in RESULTS]


def ptx_of(kernel):
    """D = A x B + C, of registers that are loaded from memory and stored to it."""
    a, b, d, c = kernel
    counts = {"a": 2, "b": 2, "c": 8 if c == "f32" else 4, "d": 8 if d == "f32" else 4}
    types = {"a": "b32", "b": "b32", "c": "f32" if c == "f32" else "b32", "d": "f32" if d == "f32" else "b32"}
    lists = {p: ", ".join(f"%{p}{n}" for n in range(counts[p])) for p in counts}
    lines = [f".visible .entry {name_of(kernel)}(.param .u64 from, .param .u64 to)", "{",
             ".reg .b64 %from, %to, %offset;", ".reg .b32 %lane;"]
    lines += [f".reg .{types[p]} {lists[p]};" for p in counts]
    lines += ["ld.param.u64 %from, [from];", "ld.param.u64 %to, [to];", "mov.u32 %lane, %laneid;",
              f"mul.wide.u32 %offset, %lane, {STRIDE};", "add.u64 %from, %from, %offset;", "add.u64 %to, %to, %offset;"]
    for p, start in (("a", 0), ("b", 8), ("c", 16)):
        lines += [f"ld.global.{types[p]} %{p}{n}, [%from + {start + 4 * n}];" for n in range(counts[p])]
    lines.append(f"mma.sync.aligned.m8n8k4.{a}.{b}.{d}.f16.f16.{c} {{{lists['d']}}}, {{{lists['a']}}}, {{{lists['b']}}}, "
                 f"{{{lists['c']}}};")
    lines += [f"st.global.{types['d']} [%to + {4 * n}], %d{n};" for n in range(counts["d"])]
    return "\n".join(lines + ["ret;", "}"])


def listing_of(folder, arch):
    """What nvdisasm prints of all kernels; None if the ptxas does not know the architecture."""
    with tempfile.TemporaryDirectory() as temporary:
        for ptx in ("7.0", "7.8", "8.6", "8.7", "8.8", "9.0"):
            with open(temporary + "/k.ptx", "w", encoding="ascii") as file:
                file.write(f".version {ptx}\n.target sm_{arch}\n.address_size 64\n")
                file.write("\n".join(map(ptx_of, kernels())) + "\n")
            assembled = subprocess.run([folder + "/ptxas", f"-arch=sm_{arch}", "-o", temporary + "/k.cubin", temporary + "/k.ptx"],
                                       capture_output=True, text=True)
            if assembled.returncode == 0:
                return subprocess.run([folder + "/nvdisasm", "-c", temporary + "/k.cubin"], capture_output=True, text=True,
                                      check=True).stdout
    return None


# ---- Executing ----


def half_to_number(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def number_to_half(number):
    return struct.unpack("<H", struct.pack("<e", number))[0]


def single_to_number(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def number_to_single(number):
    assert number == int(number), "a sum is not exact"
    return struct.unpack("<I", struct.pack("<f", number))[0]


def permute(a, selector, b):
    """prmt: each nibble of the selector chooses one of the 8 bytes of b:a."""
    bytes_ = (a | b << 32).to_bytes(8, "little")
    assert selector & 0x8888 == 0
    return int.from_bytes(bytes(bytes_[selector >> 4 * n & 7] for n in range(4)), "little")


def lookup(a, b, c, table):
    """lop3: bit 4 a + 2 b + c of the table, for each bit."""
    return sum((table >> ((a >> n & 1) * 4 + (b >> n & 1) * 2 + (c >> n & 1)) & 1) << n for n in range(LANES))


class Warp:
    """32 lanes that execute one kernel, in step: no branch depends on the lane."""

    def __init__(self, constants, memory):
        self.constants, self.memory = constants, memory
        self.registers = {"RZ": [0] * LANES, "URZ": [0] * LANES}
        self.predicates = {"PT": [True] * LANES}

    def value(self, operand, lane):
        constant = re.fullmatch(r"c\[0x0\]\[(0x[0-9a-f]+)\]", operand)
        if constant:
            return self.constants.get(int(constant[1], 16), 0)
        if operand in ("-RZ", "RZ", "URZ"):
            return 0
        if re.fullmatch(r"U?R\d+", operand):
            if operand not in self.registers:
                raise ValueError(f"reads {operand}, which nothing has set")
            return self.registers[operand][lane]
        if operand == "SR_LANEID":
            return lane
        return int(operand, 0) & MASK

    def wide(self, operand, lane):
        constant = re.fullmatch(r"c\[0x0\]\[(0x[0-9a-f]+)\]", operand)
        if constant:
            start = int(constant[1], 16)
            return self.constants.get(start, 0) | self.constants.get(start + 4, 0) << 32
        return self.value(operand, lane) | self.value(self.next(operand), lane) << 32

    def next(self, register):
        return re.sub(r"\d+", lambda number: str(int(number[0]) + 1), register)

    def predicate(self, name, lane):
        return self.predicates[name.lstrip("!")][lane] != name.startswith("!")

    def single(self, operand, lane):
        return single_to_number(self.value(operand, lane))

    def half(self, operand, lane):
        register, part = operand.split(".")
        return half_to_number(self.value(register, lane) >> (16 if part == "H1_H1" else 0) & 0xFFFF)

    def address(self, operand, lane):
        register, offset = re.fullmatch(r"(?:desc\[UR\d+\])?\[(R\d+)\.64(?:\+(0x[0-9a-f]+))?\]", operand).groups()
        return self.wide(register, lane) + int(offset or "0", 0)

    def result(self, opcode, x, lane):
        """What an instruction that writes one register gives."""
        value, single = self.value, self.single
        if opcode in ("MOV", "LDC", "S2R", "UMOV", "ULDC", "LDCU"):
            return value(x[0], lane)
        if opcode == "IMAD.MOV.U32":
            return value(x[2], lane)
        if opcode in ("IADD", "IADD3", "IMAD.IADD"):
            x = [x[0], x[2]] if opcode == "IMAD.IADD" else [o for o in x if o != "PT"]
            return sum(value(o, lane) for o in x) & MASK
        if opcode == "LOP3.LUT":
            return lookup(*(value(o, lane) for o in x[:4]))
        if opcode == "PRMT":
            return permute(*(value(o, lane) for o in x))
        if opcode == "SEL":
            return value(x[0] if self.predicate(x[2], lane) else x[1], lane)
        if opcode == "SHF.R.U32.HI":
            return value(x[2], lane) >> (value(x[1], lane) & 31)
        if opcode == "SHFL.IDX":  # among all lanes: the mask is 0x1f
            assert value(x[2], lane) == 0x1F
            return value(x[0], value(x[1], lane) & 31)
        if opcode == "HADD2.F32":
            assert x[0] == "-RZ"
            return number_to_single(self.half(x[1], lane))
        if opcode in ("HFMA2", "HFMA2.MMA"):  # two constants
            assert x[0] in ("-RZ", "RZ") and x[1] == "RZ"
            return number_to_half(float(x[2])) << 16 | number_to_half(float(x[3]))
        if opcode == "FMUL":
            return number_to_single(single(x[0], lane) * single(x[1], lane))
        if opcode == "FADD":
            return number_to_single(single(x[0], lane) + single(x[1], lane))
        if opcode == "FFMA":
            return number_to_single(single(x[0], lane) * single(x[1], lane) + single(x[2], lane))
        if opcode in ("F2FP.F16.F32.PACK_AB", "F2FP.PACK_AB"):
            return number_to_half(single(x[0], lane)) << 16 | number_to_half(single(x[1], lane))
        raise ValueError("unknown instruction " + opcode)

    def step(self, opcode, x, active):
        """One instruction that is no jump."""
        if opcode == "NOP":
            return
        if opcode == "STG.E":
            for lane in active:
                self.memory[self.address(x[0], lane)] = self.value(x[1], lane)
            return
        if opcode.startswith("ISETP."):
            assert opcode == "ISETP.NE.U32.AND" and x[1] == x[4] == "PT"
            found = {lane: self.value(x[2], lane) != self.value(x[3], lane) for lane in active}
            self.predicates.setdefault(x[0], [False] * LANES)
            for lane in active:
                self.predicates[x[0]][lane] = found[lane]
            return
        if opcode == "SHFL.IDX":
            assert x.pop(0) == "PT" and len(active) == LANES
        target, wide = x[0], None
        if opcode == "LDG.E":
            found = {lane: self.memory[self.address(x[1], lane)] for lane in active}
        elif opcode in ("LDC.64", "ULDC.64", "LDCU.64"):
            wide = {lane: self.wide(x[1], lane) for lane in active}
        elif opcode == "IMAD.WIDE.U32":
            wide = {lane: self.value(x[1], lane) * self.value(x[2], lane) + self.wide(x[3], lane) for lane in active}
        else:
            found = {lane: self.result(opcode, x[1:], lane) for lane in active}
        if wide:
            found = {lane: wide[lane] & MASK for lane in active}
            self.write(self.next(target), {lane: wide[lane] >> 32 for lane in active})
        self.write(target, found)

    def write(self, register, found):
        if register not in ("RZ", "URZ"):
            self.registers.setdefault(register, [0] * LANES)
            for lane, value in found.items():
                self.registers[register][lane] = value

    def run(self, instructions, labels):
        place, calls, steps = 0, [], 0
        while True:
            guard, opcode, operands = instructions[place]
            place, steps = place + 1, steps + 1
            assert steps < 10000, "it does not end"
            active = [lane for lane in range(LANES) if not guard or self.predicate(guard, lane)]
            if opcode.startswith(("CALL.", "RET.")) or opcode in ("EXIT", "BRA"):
                assert len(active) in (0, LANES), "lanes part"
                if not active:
                    continue
                if opcode == "EXIT":
                    return
                if opcode.startswith("RET."):
                    place = calls.pop()
                    continue
                if opcode.startswith("CALL."):
                    calls.append(place)
                place = labels[re.search(r"`\((\S+)\)", operands[-1])[1]]
            else:
                self.step(opcode, list(operands), active)


# ---- Comparing ----


def layout_of(mapping, fragment):
    """map[lane][i] = block, row, column."""
    output = subprocess.run([mapping, "--source=isa", "--arch=sm_70", "--format=json", "mma.m8n8k4." + fragment],
                            capture_output=True, text=True, check=True).stdout
    return json.loads(output)["map"]


def layouts_of(mapping):
    names = [f"{o}.{order}.f16" for o in "ab" for order in ORDERS] + [f"{o}.{t}" for o in "cd" for t in ("f16", "f32")]
    return {name: layout_of(mapping, name) for name in names}


def pack(values, is_half):
    """Elements of one lane as registers."""
    bits = [number_to_half(v) if is_half else number_to_single(v) for v in values]
    return [low | high << 16 for low, high in zip(bits[::2], bits[1::2])] if is_half else bits


def unpack(registers, is_half):
    if is_half:
        return [half_to_number(r >> shift & 0xFFFF) for r in registers for shift in (0, 16)]
    return [single_to_number(r) for r in registers]


def execute(program, arch, values, d):
    """D as the kernel stores it: for each lane its elements."""
    memory = {}
    for lane in range(LANES):
        for operand, start in (("a", 0), ("b", 8), ("c", 16)):
            for n, register in enumerate(pack(values[operand][lane], operand != "c" or values["half"])):
                memory[IN + lane * STRIDE + start + 4 * n] = register
    start = PARAMETERS[arch]
    constants = {start: IN & MASK, start + 4: IN >> 32, start + 8: OUT & MASK, start + 12: OUT >> 32}
    Warp(constants, memory).run(*program)
    count = 4 if d == "f16" else 8
    return [unpack([memory[OUT + lane * STRIDE + 4 * n] for n in range(count)], d == "f16") for lane in range(LANES)]


def values_of(kernel):
    """Small numbers at random, for each lane its elements of A, B and C."""
    draw = {"a": 4, "b": 4, "c": 8}
    values = {o: [[random.randint(-9, 9) for _ in range(n)] for _ in range(LANES)] for o, n in draw.items()}
    return values | {"half": kernel[3] == "f16"}


def is_product(kernel, layouts, values, stored):
    """True if D is the product of A and B, plus C, according to the layouts."""
    a, b, d, c = kernel
    names = {"a": f"a.{a}.f16", "b": f"b.{b}.f16", "c": f"c.{c}"}
    matrix = {o: {tuple(layouts[name][lane][i]): values[o][lane][i] for lane in range(LANES)
                  for i in range(len(layouts[name][lane]))} for o, name in names.items()}
    for lane in range(LANES):
        for i, (block, row, col) in enumerate(layouts["d." + d][lane]):
            product = sum(matrix["a"][block, row, k] * matrix["b"][block, k, col] for k in range(4))
            if stored[lane][i] != product + matrix["c"][block, row, col]:
                return False
    return True


def exchange(layouts, name, values):
    """The same with the places of two elements of one layout exchanged, which are not the same number."""
    elements, numbers = [(lane, i) for lane in range(LANES) for i in range(len(layouts[name][0]))], values[name[0]]
    one = random.choice(elements)
    other = random.choice([e for e in elements if numbers[e[0]][e[1]] != numbers[one[0]][one[1]]])
    changed = [[list(place) for place in lane] for lane in layouts[name]]
    changed[one[0]][one[1]], changed[other[0]][other[1]] = layouts[name][other[0]][other[1]], layouts[name][one[0]][one[1]]
    return layouts | {name: changed}


def check(mapping, folder, arch):
    """True if all kernels give products; None if the ptxas does not know the architecture."""
    listing = listing_of(folder, arch)
    if listing is None:
        return None
    assert "HMMA" not in listing, "it is no emulation"
    code, layouts = kernels_of(listing), layouts_of(mapping)
    for kernel in kernels():
        values = values_of(kernel)
        stored = execute(code[name_of(kernel)], arch, values, kernel[2])
        assert is_product(kernel, layouts, values, stored), kernel
        for name in (f"a.{kernel[0]}.f16", f"b.{kernel[1]}.f16", f"c.{kernel[3]}", f"d.{kernel[2]}"):
            for _ in range(3):
                wrong = exchange(layouts, name, values | {"d": stored})
                assert not is_product(kernel, wrong, values, stored), (kernel, name)
    return True


def version_of(folder, tool):
    output = subprocess.run([f"{folder}/{tool}", "--version"], capture_output=True, text=True, check=True).stdout
    return tool + " " + re.search(r", V([0-9.]+)", output)[1]


def record(mapping, folders):
    print("# What ptxas emulates mma.m8n8k4 in f16 with, executed on the host, gives the product of these fragments:")
    print("# python3 tests/source/sass/emulation_test.py ./mapping --record DIR DIR")
    for folder in folders:
        versions, archs = f"{version_of(folder, 'ptxas')}, {version_of(folder, 'nvdisasm')}", []
        for arch in ARCHS:
            try:
                archs += [f"sm_{arch}"] if check(mapping, folder, arch) else []
            except ValueError as error:
                print(f"not executed: {versions}, sm_{arch}: {error}", file=sys.stderr)
        print(f"# source: {versions}: {', '.join(archs)}")
    for name in layouts_of(mapping):
        print("mma.m8n8k4." + name)


def main():
    random.seed(14)
    mapping, *rest = sys.argv[1:]
    if rest[0] == "--record":
        record(mapping, rest[1:])
    else:
        assert check(mapping, rest[0], int(rest[1]) if len(rest) > 1 else 80), "ptxas does not know the architecture"


main()
