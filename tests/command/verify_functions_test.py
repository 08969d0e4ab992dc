#!/usr/bin/env python3
"""verify_functions_test.py MAPPING COUNT [SEED]: writes random functions in C++ and Python, and compares the number of wrong
entries in the verdict of --verify with those that a C++ compiler ($CXX or g++) and Python count in the table of the fragment.

The functions have early returns, loops, conversions of parameters and results, outputs by reference, macros, lambdas and
remainders of negative numbers. A function may be refused, but only few are. Prints TAP."""
import os
import random
import re
import subprocess
import sys
import tempfile

MAPPING, COUNT = sys.argv[1], int(sys.argv[2])
RANDOM = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)

# Architecture, fragment, and its row and column in the notation of Python.
FRAGMENTS = [
    ("80", "mma.m16n8k16.d.f32", "tid // 4 + i // 2 * 8", "tid % 4 * 2 + i % 2"),
    ("80", "mma.m16n8k16.a.f16", "tid // 4 + i // 2 % 2 * 8", "tid % 4 * 2 + i % 2 + i // 4 * 8"),
    ("80", "mma.m16n8k16.b.f16", "tid % 4 * 2 + i % 2 + i // 2 * 8", "tid // 4"),
    ("80", "mma.m8n8k16.a.s8", "tid // 4", "tid % 4 * 4 + i"),
    ("90", "wgmma.m64n16k16.d.f32", "tid // 32 * 16 + tid % 32 // 4 + i // 2 % 2 * 8",
     "i // 4 * 8 + tid % 4 * 2 + i % 2"),
]
TYPES = ["int", "unsigned", "uint8_t", "int8_t", "uint16_t", "int64_t", "uint32_t", "bool", "short", "long"]


def pick(*choices):
    return RANDOM.choice(choices)


class Program:
    """A random function. `text` is for --verify; `axes` are those that it computes."""

    def __init__(self, fragment):
        self.fragment = fragment
        self.names = ["tid", "i"]
        self.constants = []
        self.macros = []
        self.count = 0
        self.depth = 0

    def base(self, axis):
        return self.fragment[2 + axis]

    def name(self):
        self.count += 1
        return f"x{self.count}"

    def number(self):
        return str(RANDOM.randrange(1, 10))


class Cpp(Program):
    def expression(self, depth=0):
        kind = RANDOM.randrange(16 if depth < 3 else 4)
        one = lambda: self.expression(depth + 1)
        if kind < 3:
            return RANDOM.choice(self.names)
        if kind == 3:
            return RANDOM.choice(self.macros) if self.macros and pick(0, 1) else self.number()
        if kind == 4:
            return f"({one()})"
        if kind == 5:
            return f"({RANDOM.choice(TYPES)})({one()})"
        if kind == 6:
            return f"({one()} ? {one()} : {one()})"
        if kind == 7:
            return f"{pick('-', '~', '!')}({one()})"
        if kind == 8:
            return f"(({one()}) {pick('/', '%', '>>')} {RANDOM.randrange(1, 8)})"
        if kind == 9:
            return f"((({one()}) & 7) << {RANDOM.randrange(4)})"
        if kind == 10:
            return f"({one()} {pick('<', '>', '==', '!=', '<=', '>=')} {one()})"
        if kind == 11:
            return f"({one()} {pick('&&', '||')} {one()})"
        if kind == 12:
            return f"{self.number()} * {RANDOM.choice(self.names)}"
        return f"{one()} {pick('+', '-', '+', '-', '&', '|', '^')} {one()}"

    def result(self, axis):
        base = self.base(axis).replace("//", "/")
        if self.assigned:  # the parameters may have changed
            base = base.replace("tid", "tid0").replace("i ", "i0 ")
            base = re.sub(r"\bi\b", "i0", base)
        rest = self.expression()
        return base + pick(f" + (({rest}) & 1)", f" + ({rest}) * 256", f" - ({rest}) % 3", f" + ({rest})", "")

    def give(self):
        if self.form == "reference":
            return f"{{ row = {self.result(0)}; col = {self.result(1)}; return; }}"
        if self.form == "pair":
            return f"return {{{self.cast[0]}({self.result(0)}), {self.cast[1]}({self.result(1)})}};"
        return f"return {self.result(self.axis)};"

    def block(self, depth):
        before = len(self.names)
        text = " ".join(self.statement(depth) for _ in range(RANDOM.randrange(1, 4)))
        del self.names[before:]
        return "{ " + text + " }"

    def statement(self, depth):
        kind = RANDOM.randrange(10)
        if kind < 2 or depth > 2:
            if depth > 0 and pick(0, 0, 1):
                return self.give()
            new = self.name()
            text = f"{RANDOM.choice(TYPES)} {new} = {self.expression()};"
            self.names.append(new)
            return text
        if kind < 4:
            changed = RANDOM.choice([n for n in self.names if n not in self.constants] or ["tid"])
            return f"{changed} {pick('=', '+=', '-=', '^=', '|=')} {self.expression()};"
        if kind < 7:
            text = f"if ({self.expression()}) {pick(self.give(), self.block(depth + 1))}"
            return text + (f" else {self.block(depth + 1)}" if pick(0, 1) else "")
        if kind < 9:
            loop = self.name()
            self.names.append(loop)
            self.constants.append(loop)
            body = self.block(depth + 1)
            self.names.remove(loop)
            start = RANDOM.randrange(2)
            return f"for ({pick('int', 'unsigned')} {loop} = {start}; {loop} < {start + RANDOM.randrange(1, 5)}; " \
                   f"{pick(loop + '++', '++' + loop, loop + ' += 2')}) {body}"
        return self.block(depth + 1)

    def write(self):
        self.form = pick("row", "row", "pair", "reference", "lambda", "auto")
        self.axis = RANDOM.randrange(2)
        self.axes = [0, 1] if self.form in ("pair", "reference") else [self.axis]
        self.types = [RANDOM.choice(TYPES), RANDOM.choice(TYPES)]
        self.cast = [f"({t})" for t in self.types]
        inputs = [f"{pick('', 'const ')}{RANDOM.choice(TYPES)} tid0", f"{RANDOM.choice(TYPES)} i0"]
        defines = ""
        for n in range(RANDOM.randrange(3)):
            macro = f"G{n}"
            defines += f"#define {macro} {self.expression()}\n"
            self.macros.append(macro)
        self.assigned = True
        name = ["row", "col"][self.axis]
        parameters = ", ".join(inputs)
        body = "int tid = tid0, i = i0; " + " ".join(self.statement(0) for _ in range(RANDOM.randrange(1, 5)))
        body = f"{{ {body} {self.give()} }}"
        if self.form == "pair":
            self.text = f"{defines}std::pair<{self.types[0]}, {self.types[1]}> at({parameters}) {body}"
            self.call = "auto p = at(tid, i); row = p.first; col = p.second;"
        elif self.form == "reference":
            self.text = f"{defines}void at({parameters}, {self.types[0]} &row, {self.types[1]} &col) {body}"
            self.call = f"{self.types[0]} r; {self.types[1]} c; at(tid, i, r, c); row = r; col = c;"
        elif self.form == "row":
            self.text = f"{defines}static inline {self.types[0]} {name}({parameters}) {body}"
            self.call = f"{name} = f::{name}(tid, i);"
        elif self.form == "lambda":
            self.text = f"{defines}auto {name} = []({parameters}) -> {self.types[0]} {body}"
            self.call = f"{name} = f::{name}(tid, i);"
        else:  # all its values must have one type
            self.text = f"{defines}auto {name}({parameters}) " + \
                re.sub(r"return ([^;]*);", f"return {self.cast[0]}(\\1);", body)
            self.call = f"{name} = f::{name}(tid, i);"
        self.text += ";" if self.form == "lambda" else ""


class Python(Program):
    def expression(self, depth=0):
        kind = RANDOM.randrange(14 if depth < 3 else 4)
        one = lambda: self.expression(depth + 1)
        if kind < 3:
            return RANDOM.choice(self.names)
        if kind == 3:
            return self.number()
        if kind == 4:
            return f"({one()})"
        if kind == 5:
            return f"({one()} if {one()} else {one()})"
        if kind == 6:
            return f"{pick('-', '~')}({one()})"
        if kind == 7:
            return f"({one()}) {pick('//', '%')} {pick('', '-')}{RANDOM.randrange(1, 8)}"
        if kind == 8:
            return f"(({one()}) >> {RANDOM.randrange(4)})"
        if kind == 9:
            return f"({one()} {pick('<', '>', '==', '!=', '<=')} {one()} {pick('', '< 7', '!= 1')})"
        if kind == 10:
            return f"({one()} {pick('and', 'or')} {one()})"
        if kind == 11:
            return f"(not {one()})"
        return f"{one()} {pick('+', '-', '*', '&', '|', '^')} {one()}"

    def result(self, axis):
        rest = self.expression()
        return self.base(axis) + pick(f" + (({rest}) & 1)", f" + ({rest}) % 2", f" - ({rest}) % 3 // 2", f" + ({rest})", "")

    def write(self):
        self.axis = RANDOM.randrange(2)
        self.axes = pick([0, 1], [self.axis])
        give = lambda: ", ".join(self.result(a) for a in self.axes)
        name = "f" if len(self.axes) == 2 else pick("get_", "") + ["row", "col"][self.axis]
        if pick(0, 1):
            values = give()
            self.text = f"{name} = lambda tid, i: " + (f"({values})" if len(self.axes) == 2 else values)
        else:
            lines = [pick('"""Where; it is."""', "'doc'")] if pick(0, 1) else []
            for _ in range(RANDOM.randrange(4)):
                new = self.name()
                lines.append(f"{new} = {self.expression()}")
                self.names.append(new)
            lines.append(f"return {give()}")
            self.text = f"{pick('', '@staticmethod' + chr(10))}def {name}({pick('tid, i', 'tid: int, i: int')})" + \
                f"{pick('', ' -> int')}:\n    " + "\n    ".join(lines)
        self.function = name


def table(fragment):
    lines = subprocess.run([MAPPING, "-a" + fragment[0], fragment[1], "--format=csv"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    lines = [line.split(",") for line in lines if not line.startswith("#")]
    columns = [lines[0].index(name) for name in ("tid", "i", "row", "col")]
    return [tuple(int(line[c]) for c in columns) for line in lines[1:]]


def count_cpp(programs, tables):
    """The numbers of wrong rows and columns of each program, counted by a compiled program."""
    names = list(tables)
    text = "#include <cstdint>\n#include <cstdio>\n#include <utility>\n"
    for n, name in enumerate(names):
        text += f"static const int table{n}[][4] = {{" + ",".join("{%d,%d,%d,%d}" % e for e in tables[name]) + "};\n"
    for n, program in enumerate(programs):
        text += f"namespace p{n} {{ namespace f {{\n{program.text}\n}}\nusing namespace f;\nvoid count() {{ int wrong[2] = {{0, 0}};\n" \
                f"for (auto &e : table{names.index(program.fragment[1])}) {{ int tid = e[0], i = e[1]; long row = e[2], col = e[3];\n" \
                f"{program.call}\nwrong[0] += row != e[2]; wrong[1] += col != e[3]; }}\nprintf(\"%d %d\\n\", wrong[0], wrong[1]); }} }}\n"
        text += "".join(f"#undef {macro}\n" for macro in program.macros)
    text += "int main() { " + " ".join(f"p{n}::count();" for n in range(len(programs))) + " }\n"
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "all.cpp"), os.path.join(folder, "all")
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([os.environ.get("CXX") or "g++", "-std=c++17", "-w", "-fwrapv", "-O0", "-o", binary, source], check=True)
        lines = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines()
    return [tuple(map(int, line.split())) for line in lines]


def count_python(program, entries):
    """The same for a program of Python."""
    scope = {}
    exec(program.text, scope)  # pylint: disable=exec-used
    wrong = [0, 0]
    for tid, i, *correct in entries:
        values = scope[program.function](tid, i)
        values = values if isinstance(values, tuple) else (values,)
        for axis, value in zip(program.axes, values):
            wrong[axis] += value != correct[axis]
    return tuple(wrong)


def verdict(program):
    """The numbers of wrong rows and columns in the verdict, or a message if the program is refused."""
    ran = subprocess.run([MAPPING, "-a" + program.fragment[0], program.fragment[1], "--brief", "--verify=" + program.text],
                         capture_output=True, text=True, check=False)
    wrong = [0, 0]
    found = set()
    for axis, verb, count in re.findall(r"^\s*(Row|Col): (right|wrong) at (\d+|all)", ran.stdout, re.M):
        found.add(["Row", "Col"].index(axis))
        wrong[["Row", "Col"].index(axis)] = int(count) if verb == "wrong" else 0
    if ran.returncode > 1:
        return ran.stderr
    return tuple(wrong) if found == set(program.axes) else ran.stdout


def main():
    tables = {fragment[1]: table(fragment) for fragment in FRAGMENTS}
    programs = [pick(Cpp, Cpp, Python)(RANDOM.choice(FRAGMENTS)) for _ in range(COUNT)]
    for program in programs:
        program.write()
    cpp = [p for p in programs if isinstance(p, Cpp)]
    counts = dict(zip(map(id, cpp), count_cpp(cpp, tables)))
    refused = different = partly = 0
    for program in programs:
        expected = counts.get(id(program)) or count_python(program, tables[program.fragment[1]])
        expected = tuple(w if a in program.axes else 0 for a, w in enumerate(expected))
        says = verdict(program)
        if isinstance(says, str):
            refused += 1
            if os.environ.get("SHOW"):
                print("# refused:", says.splitlines()[0] if says else "nothing")
        elif says != expected:
            different += 1
            print(f"# {program.fragment[1]}: expected {expected}, says {says}:")
            print("\n".join("#   " + line for line in program.text.splitlines()))
        partly += any(0 < w < len(tables[program.fragment[1]]) for w in expected)
    print(f"# {COUNT} functions, {refused} refused, {partly} wrong at some entries, {different} with another verdict")
    print("ok - verdicts" if different == 0 and refused * 4 < COUNT and partly * 4 > COUNT else "not ok - verdicts")
    print("1..1")


main()
