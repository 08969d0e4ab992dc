#!/usr/bin/env python3
"""The origins of operands in listings of random moves, spills and packs, compared with a simulation of the registers and the stack of all
threads. The positions of elements are those of PTX ISA 9.7.14.5.8 (mma.m16n8k16).

    origins_test.py MAPPING [LISTINGS [SEED]]"""
import itertools
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap
from library import output

MAPPING = sys.argv[1]
LISTINGS = int(sys.argv[2]) if len(sys.argv) > 2 else 300 // tap.one_in(2)
THREADS = (0, 1, 6, 31)
random_ = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 4)
UNKNOWN = [None] * 4


class Machine:
    """Registers and words of the stack, as four bytes. A byte is (product, register of D, byte of the f32), or with "f16" at the end a byte
    of the value converted to f16; None if it is anything else."""

    def __init__(self):
        self.registers, self.stack, self.lines = {}, {}, []

    def emit(self, text):
        self.lines.append(f"        /*{16 * len(self.lines):04x}*/    {text} ;")

    def read(self, register):
        return self.registers.get(register, UNKNOWN)

    def product(self, register, name):
        self.emit(f"HMMA.16816.F32 R{register}, R8, R12, RZ")
        for i in range(4):
            self.registers[register + i] = [(name, i, byte) for byte in range(4)]

    def mov(self, to, register):
        self.emit(random_.choice(("MOV R{}, R{}", "IMAD.MOV.U32 R{}, RZ, RZ, R{}")).format(to, register))
        self.registers[to] = self.read(register)

    def constant(self, to):
        self.emit(f"MOV R{to}, 0x7")
        self.registers[to] = UNKNOWN

    def prmt(self, to, first, selector, second):
        self.emit(f"PRMT R{to}, R{first}, {selector:#x}, R{second}")
        both = self.read(first) + self.read(second)
        nibbles = [selector >> 4 * byte & 15 for byte in range(4)]
        self.registers[to] = [both[nibble] if nibble < 8 else None for nibble in nibbles]

    def pack(self, to, high, low):
        self.emit(f"F2FP.F16.F32.PACK_AB R{to}, R{high}, R{low}")

        def half(register):
            first, *_ = value = self.read(register)
            whole = first and value == [(*first[:2], byte) for byte in range(4)]
            return [(*first[:2], byte, "f16") for byte in range(2)] if whole else [None] * 2
        self.registers[to] = half(low) + half(high)

    def store(self, at, register, size, guard=""):
        width = {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}[size]
        if size < 4 and random_.random() < .5:
            width = width.replace("U", "S")
        self.emit(f"{guard}STL{width} {address(at)}, R{register}")
        words = range(at // 4 * 4, at + size, 4)
        for word in words:
            known = size >= 4 and at % 4 == 0 and not guard
            self.stack[word] = self.read(register + (word - words[0]) // 4) if known else UNKNOWN

    def load(self, register, at, size):
        self.emit(f"LDL{ {4: '', 8: '.64', 16: '.128'}[size] } R{register}, {address(at)}")
        for word in range(size // 4):
            self.registers[register + word] = self.stack.get(at + 4 * word, UNKNOWN)


def address(at):
    return f"[R1+{at:#x}]" if at else "[R1]"


def element_of(byte, thread):
    """Row and column of an f32 in D."""
    return thread // 4 + byte[1] // 2 * 8, thread % 4 * 2 + byte[1] % 2


def is_c(values):
    """True if the registers hold C: each element is where it was in D, and all are of one product."""
    return all(len(byte) == 3 and byte[1:] == (r, b) and byte[0] == values[0][0][0]
               for r, value in enumerate(values) for b, byte in enumerate(value))


def is_a(values):
    """True if the registers hold A whose columns are those of D, moved as a whole, each of them once."""
    columns = {}
    for thread, r, b in itertools.product(THREADS, range(4), range(4)):
        byte = values[r][b]
        if len(byte) != 4 or byte[2] != b % 2:
            return False
        row, column = element_of(byte, thread)
        k = thread % 4 * 2 + b // 2 + r // 2 * 8
        if row != thread // 4 + r % 2 * 8 or columns.setdefault(k, (byte[0], column)) != (byte[0], column):
            return False
    moved = {(product, k - column) for k, (product, column) in columns.items()}
    return len(moved) == 2 and len({product for product, _ in moved}) == 2


def verdict_of(values, is_operand):
    """What the program should say."""
    flat = [byte for value in values for byte in value]
    if None in flat:
        return "unknown"
    if is_operand(values):
        return "agree"
    if len(set(flat)) == 16 and any(is_operand(order) for order in itertools.permutations(values)):
        return "exchanged"
    return "differ" if len(set(flat)) == 16 else "twice"


def said(text, label):
    found = re.findall(rf"//   {label} from .*: layouts (.*)", text)
    return {"": "unknown", "agree": "agree", "agree, but for the order of registers": "exchanged", "differ": "differ",
            "differ: an element appears twice": "twice"}[found[-1] if found else ""]


def disturb(machine):
    """One instruction that may spoil the values in R20 to R27 or on the stack."""
    register, other = random_.randrange(20, 28), random_.randrange(20, 28)
    kind = random_.randrange(7)
    if kind == 0:
        machine.mov(register, other)
    elif kind == 1:
        machine.prmt(register, register, random_.choice((0x3210, 0x7654, 0x5410, 0x1032, 0x3218)), other)
    elif kind == 2:
        machine.constant(register)
    elif kind == 3:
        size = random_.choice((1, 2))
        machine.store(random_.randrange(0, 48, size), other, size)
    elif kind == 4:
        size = random_.choice((4, 8, 16))
        machine.store(random_.choice((-4, 2, 4, 6, 8, 12, 28, 32)), random_.choice((20, 24)), size)
    elif kind == 5:
        machine.store(4 * random_.randrange(8), other, 4, "@P0 ")
    else:
        machine.mov(other, register)
        machine.mov(register, other)


def listing():
    machine = Machine()
    for register, name in ((20, "D"), (24, "E")):
        machine.product(register, name)
    often = random_.choice((0, 0, .04, .15))
    base = [20 + r for r in range(8)]
    if random_.random() < .7:
        size = random_.choice((4, 8, 16))
        for at in random_.sample(range(0, 32, size), 32 // size):
            machine.store(at, 20 + at // 4, size)
            if random_.random() < often:
                disturb(machine)
        size, to = random_.choice((4, 8, 16)), random_.choice((20, 40))
        for at in random_.sample(range(0, 32, size), 32 // size):
            source = random_.randrange(0, 32, size) if random_.random() < often else at
            machine.load(to + at // 4, source, size)
            if random_.random() < often:
                disturb(machine)
        base = [to + r for r in range(8)]
    pairs = [(base[2 * r], base[2 * r + 1]) for r in range(4)]
    change = random_.randrange(10)
    first, second = random_.sample(range(4), 2)
    if change == 0:
        pairs[first] = pairs[first][::-1]
    elif change == 1:
        pairs[first] = pairs[second]
    elif change == 2:
        pairs[first] = (pairs[first][0], pairs[second][1])
    elif change == 3:
        pairs[first], pairs[second] = pairs[second], pairs[first]
    elif change == 4:
        random_.shuffle(pairs)
    for r, (low, high) in enumerate(pairs):
        if random_.random() < often:
            disturb(machine)
        if random_.random() < .2: # pack each alone, then put the halves together
            machine.pack(70, high, low)
            machine.pack(71, low, high)
            machine.prmt(60 + r, 70, *random_.choice(((0x3210, 71), (0x5476, 71), (0x7610, 71), (0x3254, 71))))
        else:
            machine.pack(60 + r, high, low)
    order = list(range(4))
    if random_.random() < .5:
        order[random_.randrange(4)] = random_.randrange(4)
    elif random_.random() < .3:
        random_.shuffle(order)
    for r, source in enumerate(order):
        machine.mov(80 + r, base[source])
    machine.emit("HMMA.16816.F32 R90, R60, R72, R80")
    return machine


wrong, seen = [], set()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "listing.sass")
    for _ in range(LISTINGS):
        machine = listing()
        with open(path, "w", encoding="ascii") as file:
            file.write("        Function : k\n" + "\n".join(machine.lines) + "\n")
        text = output(MAPPING, "-a80", "--annotate=" + path, "--detail").rpartition("HMMA.16816.F32 R90")[2]
        for label, first, is_operand in (("A", 60, is_a), ("C", 80, is_c)):
            expected = verdict_of([machine.read(first + r) for r in range(4)], is_operand)
            seen.add((label, expected))
            if said(text, label) != expected:
                wrong.append(f"{label}: {said(text, label)} instead of {expected}\n" + "\n".join(machine.lines))

tap.ok(f"origins in {LISTINGS} listings are those of a simulation", not wrong, f"{len(wrong)} wrong\n" + "".join(wrong[:1]))
everything = set(itertools.product("AC", ("agree", "exchanged", "differ", "twice", "unknown")))
tap.ok("every verdict occurs", seen >= everything - {("C", "differ")}, str(everything - seen))
sys.exit(tap.finish())
