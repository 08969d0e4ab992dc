"""Multiplies tiles that go through shared memory by the functions of --load and --store, on a device.

    staging_test.py MAPPING NVCC FOLDER     prints TAP; creates FOLDER, and keeps the binaries there

For each kind of multiplication, a kernel stages 64 rows of A and 64 columns of B, 128 bytes of K each, with cp.async,
loads fragments, multiplies, and stores D to a tile. It does so with the layouts that --suggest puts first, and with the
naive ones, row by row and column by column. Both products must equal those of the host, also under compute-sanitizer.
Then a separate kernel executes each printed function once, and ncu must count the printed number of wavefronts: see
staging.cu. It needs a GPU of sm_90; $NCU is the ncu to use. Without ncu or compute-sanitizer, or if ncu may not count,
these tests are skipped. With JOBS=N only N processes run at a time; with COMPILE_ONLY=1 nothing is executed; with
CASES=REGEX only multiplications that match it run, such as "mma.m16n8k16 f16 f32".

Expected values: the host's product; the counts of ncu.
"""
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from ncu import count_wavefronts, find_ncu  # noqa: E402
from tap import finish, ok  # noqa: E402

ARCH = "sm_90"
JOBS = int(os.environ.get("JOBS", os.cpu_count()))
COMPILE_ONLY = bool(os.environ.get("COMPILE_ONLY"))
WANTED = os.environ.get("CASES", "")
WARNINGS = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra"]
# Uses the records, not the device.
ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
WAYS = ("suggested", "naive")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
ROWS = 64  # of A and D, and columns of B and D
LINE = 128  # bytes of K
EACH = 5  # origins whose wavefronts are measured, at most: the first, the last, and some between


def mapping(*arguments):
    command = [MAPPING, f"--arch={ARCH}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"Bail out! {' '.join(command)}: {done.stderr}")
    return done.stdout


def records_of(*arguments):
    """JSON has one record, or an array of several."""
    records = json.loads(mapping(*arguments, "--format=json"))
    return records if isinstance(records, list) else [records]


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


# ---- Multiplications ----

# A few small numbers of each type, as bits (IEEE 754; OCP 8-bit Floating Point; two's complement).
CODES = {
    "f16": {-2: 0xC000, -1: 0xBC00, 0: 0, 1: 0x3C00, 2: 0x4000},
    "bf16": {-2: 0xC000, -1: 0xBF80, 0: 0, 1: 0x3F80, 2: 0x4000},
    "tf32": {-2: 0xC0000000, -1: 0xBF800000, 0: 0, 1: 0x3F800000, 2: 0x40000000},
    "f64": {-2: 0xC000 << 48, -1: 0xBFF0 << 48, 0: 0, 1: 0x3FF0 << 48, 2: 0x4000 << 48},
    "e4m3": {-2: 0xC0, -1: 0xB8, 0: 0, 1: 0x38, 2: 0x40},
    "e5m2": {-2: 0xC0, -1: 0xBC, 0: 0, 1: 0x3C, 2: 0x40},
    "s8": {-128: 0x80, -3: 0xFD, -1: 0xFF, 0: 0, 2: 2, 127: 0x7F},
    "u8": {0: 0, 1: 1, 3: 3, 128: 0x80, 255: 0xFF},
    "s4": {-8: 8, -3: 0xD, -1: 0xF, 0: 0, 2: 2, 7: 7},
    "u4": {0: 0, 1: 1, 3: 3, 8: 8, 15: 15},
    "b1": {0: 0, 1: 1},
}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
RESULTS = {"f32": ("float", 32), "f16": ("__half", 16), "s32": ("int", 32), "f64": ("double", 64)}
VOLTA = ("--atom-layout=(2,2,1)", "--permutation=((4,4,2):(1,8,4)),32,4")
# Opcode, type of A and B, type of D. Volta's is a tile of 2 x 2 for each thread: CuTe's documentation of MMA atoms.
MULTIPLICATIONS = [
    ("mma.m16n8k8", "f16", "f32"),
    ("mma.m16n8k16", "f16", "f32"),
    ("mma.m16n8k16", "f16", "f16"),
    ("mma.m16n8k16", "bf16", "f32"),
    ("mma.m16n8k4", "tf32", "f32"),
    ("mma.m16n8k8", "tf32", "f32"),
    ("mma.m8n8k4", "f64", "f64"),
    ("mma.m16n8k16", "f64", "f64"),
    ("mma.m8n8k16", "s8", "s32"),
    ("mma.m16n8k32", "s8", "s32"),
    ("mma.m16n8k32", "u8", "s32"),
    ("mma.m16n8k64", "s4", "s32"),
    ("mma.m16n8k64", "u4", "s32"),
    ("mma.m16n8k256", "b1", "s32"),
    ("mma.m16n8k32", "e4m3", "f32"),
    ("mma.m16n8k32", "e5m2", "f32"),
    ("mma.m16n8k32", "e4m3", "f16"),
    ("mma.m8n8k4", "f16", "f32"),
    ("mma.m8n8k4", "f16", "f16"),
    ("wgmma.m64n64k16", "f16", "f32"),
]


class Operand:
    """A, B or D in one layout: the program's loads, or stores, at every origin, and its copy."""

    def __init__(self, case, letter, layout):
        self.letter, self.layout, self.type = letter, layout, case.types[letter]
        self.fragment, self.origins = case.fragments[letter], case.origins(letter)
        self.is_descriptor = case.is_wgmma and letter == "b"
        self.extent = [f"--extent={ROWS},{case.depth}"] if self.is_descriptor else []
        ask = [layout, f"--type={self.type}", *self.extent]
        (self.memory,) = records_of(*ask)
        self.header = mapping(*ask, "--format=cuda")
        self.offset = re.search(r"mapping_layout_\w+_offset", self.header).group()
        uses = [] if self.is_descriptor else case.uses(letter)
        uses += ["--store=cp.async"] if letter != "d" else []
        records = records_of(layout, *self.extent, *uses)
        functions = mapping(layout, *self.extent, *uses, "--format=cuda")
        self.header += functions
        self.names = re.findall(r"^static .* (mapping_(?:load|store)_\w+)\(", functions, re.MULTILINE)
        self.copy_name = "".join(re.findall(r"mapping_cp_async_\w+", functions))
        self.plans = {}  # the best of each origin, which is what the header has
        for record in records:
            if "cp.async" not in record.values():
                self.plans.setdefault(tuple(record["origin"]), record)
        self.copy = next((record for record in records if record.get("store") == "cp.async"), None)
        self.wrong = self.check(case)

    def check(self, case):
        """The elements that are missing, or not at the place that the layout gives."""
        wrong = ""
        if not self.is_descriptor and (len(self.names) != len(self.origins) or len(self.plans) != len(self.origins)):
            wrong += f"{self.fragment} {self.layout}: {len(self.names)} functions, {len(self.origins)} origins\n"
        if self.copy:
            along = LINE // 16  # pieces of a row of A, or a column of B
            elements = case.depth // along
            places = [(n // along, n % along * elements) for n in range(ROWS * along)]
            is_column = self.letter == "b" and not self.is_descriptor
            offsets = [self.memory["map"][k][line] if is_column else self.memory["map"][line][k] for line, k in places]
            found = [address for step in self.copy["steps"] for address in step["address"]]
            if found != [offset * case.bits // 8 for offset in offsets]:
                wrong += f"{self.layout}: a copy writes elsewhere\n"
        return wrong

    def functions(self, words):
        """The members of a way that are about this operand, in C++."""
        letter = self.letter
        text = f"    static constexpr unsigned {letter.upper()}_BYTES = {self.memory['bytes']};\n"
        if self.copy:
            text += f"""    static __device__ unsigned copy_{letter}(unsigned step, unsigned lane) {{
        return {self.copy_name}(step, lane);
    }}
"""
        if self.is_descriptor:
            return text + self.descriptor()
        if letter == "d":
            text += f"""    static __device__ unsigned offset_d(unsigned row, unsigned col) {{
        return {self.offset}(row, col);
    }}
"""
        verb, array = ("store", "const unsigned (&in)") if letter == "d" else ("load", "unsigned (&out)")
        called = "in" if letter == "d" else "out"
        rows = "".join(
            f"        {'default' if n == len(self.names) - 1 else f'case {n}'}:\n"
            f"            return {name}({called}, address, tid);\n"
            for n, name in enumerate(self.names)
        )
        return f"""{text}    static __device__ void {verb}_{letter}(unsigned origin, {array}[{words}], unsigned address,
                                  unsigned tid) {{
        switch (origin) {{
{rows}        }}
    }}
"""

    def descriptor(self):
        """B of wgmma: a descriptor of the tile at an origin (PTX ISA, Matrix Descriptor)."""
        said = self.memory["descriptor"]
        leading = (said["leading"] or 16) >> 4  # which is not used where there is none
        high = said["stride"] >> 4 | said["mode"] << 30
        return f"""    static __device__ void load_b(unsigned origin, unsigned (&out)[2], unsigned address, unsigned) {{
        address += {self.offset}(0, origin * TILE_K) * (BITS / 8);
        out[0] = (address & 0x3ffff) >> 4 | {leading}u << 16;
        out[1] = {high:#x};
    }}
"""


class Case:
    """A multiplication, its operands in both layouts, and its measurements."""

    def __init__(self, number, row):
        opcode, kind, result = row
        self.name = f"{opcode} of {kind}, D of {result}"
        self.folder, self.program = f"{FOLDER}/case_{number}", f"{FOLDER}/case_{number}/staging"
        self.opcode, self.kind, self.result, self.bits = opcode, kind, result, BITS[kind]
        self.is_wgmma, self.is_volta = opcode.startswith("wgmma"), (opcode, kind) == ("mma.m8n8k4", "f16")
        self.options = VOLTA if self.is_volta else ()
        sizes = (32, 32, 4) if self.is_volta else tuple(map(int, re.findall(r"(?<=[mnk])\d+", opcode.split(".")[1])))
        self.size, self.depth = dict(zip("mnk", sizes)), LINE * 8 // self.bits
        self.threads = 128 if self.is_wgmma else 32
        self.types = {"a": kind, "b": kind, "d": result}
        forms = {"a": "a.row", "b": "b.col"} if self.is_volta else {"a": "a", "b": "b"}
        self.fragments = {letter: f"{opcode}.{form}.{kind}" for letter, form in forms.items()}
        self.fragments["d"] = f"{opcode}.d.{result}"

    def extents(self, letter):
        whole = {"m": ROWS, "n": ROWS, "k": self.depth}
        return [(whole[axis], self.size[axis]) for axis in {"a": "mk", "b": "kn", "d": "mn"}[letter]]

    def origins(self, letter):
        return list(itertools.product(*(range(0, whole, size) for whole, size in self.extents(letter))))

    def use(self, letter):
        return f"--{'store' if letter == 'd' else 'load'}={self.fragments[letter]}"

    def uses(self, letter):
        words = [(self.use(letter), f"--origin={row},{col}") for row, col in self.origins(letter)]
        return [*self.options, *itertools.chain(*words)]

    def layout(self, way, letter):
        if self.is_wgmma and letter == "b":
            return "Layout_K_SW128_Atom" if way == "suggested" else "Layout_K_INTER_Atom"
        rows, cols = (whole for whole, _ in self.extents(letter))
        naive = f"({rows},{cols}):" + (f"(1,{rows})" if letter == "b" else f"({cols},1)")
        if way == "naive":
            return naive
        uses = [*self.options, self.use(letter), *["--store=cp.async"] * (letter != "d")]
        return records_of(naive, "--suggest", *uses)[0]["suggestions"][0]["layout"]

    def ask(self):
        """Runs all commands, and writes the files to compile. Returns the errors."""
        self.ways = {w: {x: Operand(self, x, self.layout(w, x)) for x in "abd"} for w in WAYS}
        self.measured = self.measurements()
        os.makedirs(self.folder, exist_ok=True)
        write(f"{self.folder}/case.h", self.text())
        rows = [f"    {{once<{row[0]}, {row[1]}>, {row[2]}, {row[3]}}},\n" for row in self.measured]
        write(f"{self.folder}/measured.inc", "".join(rows))
        return "".join(operand.wrong for way in self.ways.values() for operand in way.values())

    # ---- Measurements ----

    def measurements(self):
        """(way, operation, number of the origin, threads, wavefronts): first what ncu is calibrated with."""
        rows = [("naive", "SIDE_BY_SIDE", 0, t, t // 32) for t in (32, self.threads)]
        rows += [("naive", "ONE_BANK", 0, t, t) for t in (32, self.threads)]
        for way, operands in self.ways.items():
            for letter, operand in operands.items():
                if operand.copy:
                    rows.append((way, f"COPY_{letter.upper()}", 0, 32, operand.copy["wavefronts"]))
                what = "STORE_D" if letter == "d" else f"LOAD_{letter.upper()}"
                last = len(operand.plans) - 1
                for n in sorted({last * step // (EACH - 1) for step in range(EACH)}) if operand.plans else []:
                    rows.append((way, what, n, self.threads, operand.plans[operand.origins[n]]["wavefronts"]))
        return rows

    # ---- The program ----

    def words(self):
        """Registers of 32 bits of a thread, for each operand."""
        bits = {letter: RESULTS[self.result][1] if letter == "d" else self.bits for letter in "abd"}
        words = {"b": 2} if self.is_wgmma else {}
        for letter, fragment in self.fragments.items():
            if letter not in words:
                (layout,) = records_of(fragment, *self.options)
                words[letter] = layout["elements"] * bits[letter] // 32
        return words

    def text(self):
        words = self.words()
        headers = dict.fromkeys(operand.header for way in self.ways.values() for operand in way.values())
        codes = ", ".join(f"{{{value}, {bits:#x}}}" for value, bits in CODES[self.kind].items())
        numbers = {"M": ROWS, "N": ROWS, "K": self.depth, "BITS": self.bits, "THREADS": self.threads}
        numbers |= {f"TILE_{axis.upper()}": size for axis, size in self.size.items()}
        numbers |= {f"{letter.upper()}_WORDS": count for letter, count in words.items()}
        numbers |= {f"{letter.upper()}_STEPS": len(self.ways["naive"][letter].copy["steps"]) for letter in "ab"}
        constants = "".join(f"constexpr unsigned {name} = {value};\n" for name, value in numbers.items())
        ways = "".join(
            f"struct {way} {{\n" + "".join(o.functions(words[x]) for x, o in operands.items()) + "};\n"
            for way, operands in self.ways.items()
        )
        return f"""/* {self.name} */
{"".join(headers)}
{constants}
using result = {RESULTS[self.result][0]};
struct code {{
    int number;
    unsigned long long bits;
}};
static const code codes[] = {{{codes}}};

{ways}
{self.multiply(words)}"""

    def multiply(self, words):
        """D = A * B + D, on registers as they are."""
        return f"""static __device__ void multiply(unsigned (&d)[D_WORDS], const unsigned (&a)[A_WORDS],
                                const unsigned (&b)[B_WORDS]) {{
{self.wgmma() if self.is_wgmma else self.wide(words) if self.bits == 64 else self.narrow(words)}}}
"""

    def instruction(self, d, a, b, constraint="r"):
        """One mma; d, a and b are lists of registers in C++."""
        numbers = [f"%{n}" for n in range(len(d) + len(a) + len(b))]
        of_d, of_a, of_b = numbers[: len(d)], numbers[len(d) : len(d) + len(a)], numbers[len(d) + len(a) :]
        lists = ["{" + ", ".join(numbers) + "}" for numbers in (of_d, of_a, of_b, of_d)]
        types = f"{self.result}.{self.kind}.{self.kind}.{self.result}"
        opcode = self.opcode.replace("mma.", "mma.sync.aligned.") + f".row.col.{types}"
        opcode += ".and.popc" if self.kind == "b1" else ""
        outs = ", ".join(f'"+{constraint}"({x})' for x in d)
        ins = ", ".join(f'"{constraint}"({x})' for x in a + b)
        text = f'    asm volatile("{opcode} {", ".join(lists)};"\n'
        return f"{text}                 : {outs}\n                 : {ins});\n"

    def narrow(self, words):
        """One mma, or of a tile of 2 x 2 four, of which those of D lie one below the other first."""
        side = 2 if self.is_volta else 1
        counts = {"a": words["a"] // side, "b": words["b"] // side, "d": words["d"] // side**2}
        text = ""
        for n, m in itertools.product(range(side), range(side)):
            place = {"a": m, "b": n, "d": m + side * n}
            text += self.instruction(
                *([f"{x}[{place[x] * counts[x] + r}]" for r in range(counts[x])] for x in "dab")
            )
        return text

    def wide(self, words):
        """Registers of 64 bits."""
        text = "".join(f"    unsigned long long {x}64[{words[x] // 2}];\n" for x in "abd")
        text += "".join(f"    memcpy({x}64, {x}, sizeof {x}64);\n" for x in "abd")
        text += self.instruction(*([f"{x}64[{n}]" for n in range(words[x] // 2)] for x in "dab"), constraint="l")
        return text + "    memcpy(d, d64, sizeof d64);\n"

    def wgmma(self):
        d = ", ".join(f"%{n}" for n in range(32))
        outs = ", ".join(f'"+r"(d[{n}])' for n in range(32))
        return f"""    asm volatile("{{\\n"
                 "wgmma.fence.sync.aligned;\\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{d}}}, "
                 "{{%32, %33, %34, %35}}, %36, 1, 1, 1, 0;\\n"
                 "wgmma.commit_group.sync.aligned;\\n"
                 "wgmma.wait_group.sync.aligned 0;\\n"
                 "}}\\n"
                 : {outs}
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"((unsigned long long)b[1] << 32 | b[0])
                 : "memory");
"""

    def compile(self):
        arch = "90a" if self.is_wgmma else "90"
        command = [NVCC, "-O1", "-std=c++17", "-gencode", f"arch=compute_{arch},code=sm_{arch}", *WARNINGS]
        command += [f"-I{self.folder}", "-o", self.program]
        done = subprocess.run([*command, f"{HERE}/staging.cu"], capture_output=True, text=True)
        return "" if done.returncode == 0 else f"{self.name}: {done.stdout + done.stderr or 'nvcc failed'}\n"


# ---- Testing ----


def run(*command):
    """(status, what was said); a status of None is a program that takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "it takes more than 300 s\n"
    return done.returncode, done.stdout + done.stderr


def test_products(cases, pool):
    pairs = [(case, way) for case in cases for way in WAYS]
    for (case, way), (status, said) in zip(pairs, pool.map(lambda p: run(p[0].program, p[1]), pairs)):
        layouts = "; ".join(operand.layout for operand in case.ways[way].values())
        ok(f"{case.name}, {way}: equals the host product ({layouts})", status == 0, f"status {status}\n{said}")


def describe(case, way, what, found):
    """How a measurement is called: what was predicted and counted, at all origins that were."""
    letter = what[-1].lower()
    operand = case.ways[way][letter]
    if what.startswith("COPY"):
        plan, subject = operand.copy, "copy of the tile"
    else:
        plan = next(iter(operand.plans.values()))
        subject = f"{operand.fragment}, {plan['with']}"
    counted = ", ".join(str(count) for count in sorted({count for _, count in found}))
    minimum = plan["minimum"]
    places = f" at {len(found)} origins" if len(found) > 1 else ""
    return f"{way} {operand.layout}: {subject}{places}: {counted} wavefronts counted, {minimum} without conflicts"


def test_wavefronts(case, ncu):
    """False if ncu cannot count."""
    counts = count_wavefronts(ncu, case.program, "once")
    if isinstance(counts, str):
        print(f"# {ncu} cannot count: {counts}")
        return False
    if len(counts) != len(case.measured):
        ok(f"{case.name}: every kernel is counted", False, f"{len(counts)} of {len(case.measured)}")
        return True
    more = {threads: count - threads // 32 for (_, _, _, threads, _), count in zip(case.measured[:2], counts)}
    conflicts = [count - more[row[3]] for row, count in zip(case.measured[2:4], counts[2:4])]
    is_calibrated = conflicts == [row[4] for row in case.measured[2:4]]
    if not is_calibrated or len(set(more.values())) > 1:
        print(f"# {case.name}: ncu counts more for each kernel, by its threads: {more}; {conflicts} for one bank")
    groups = {}
    for (way, what, origin, threads, predicted), count in list(zip(case.measured, counts))[4:]:
        groups.setdefault((way, what), []).append((origin, predicted, count - more[threads]))
    for (way, what), rows in groups.items():
        wrong = [f"origin {origin}: {count} counted, {predicted} predicted\n" for origin, predicted, count in rows
                 if count != predicted]
        name = describe(case, way, what, [(origin, count) for origin, _, count in rows])
        ok(f"{case.name}, {name}", not wrong and is_calibrated, "".join(wrong) or "ncu is not calibrated")
    return True


def test_all_wavefronts(cases):
    ncu = find_ncu(NVCC)
    start = time.time()
    for done, case in enumerate(cases):
        if not ncu or not test_wavefronts(case, ncu):
            why = "cannot count" if ncu else "is missing"
            ok(f"wavefronts of {len(cases) - done} multiplications # SKIP ncu {why}", True)
            return
    print(f"# counted in {time.time() - start:.0f} s")


def test_sanitizer(cases, pool):
    """One line for each tool."""
    nvcc = shutil.which(NVCC) or NVCC
    sanitizer = os.path.join(os.path.dirname(nvcc), "compute-sanitizer")
    start = time.time()
    for tool in TOOLS:
        name = f"{tool}: {len(cases)} products in {len(WAYS)} ways"
        if not os.access(sanitizer, os.X_OK):
            ok(f"{name} # SKIP there is no {sanitizer}", True)
            continue
        check = [sanitizer, "--tool", tool, "--error-exitcode", "9"]
        results = pool.map(lambda case: run(*check, case.program, *WAYS), cases)
        wrong = [f"{case.name}: status {status}\n{said}" for case, (status, said) in zip(cases, results) if status != 0]
        ok(f"{name}, {len(wrong)} not clean", not wrong, "".join(wrong))
    print(f"# sanitized in {time.time() - start:.0f} s")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    start = time.time()
    cases = [Case(n, row) for n, row in enumerate(MULTIPLICATIONS) if re.search(WANTED, " ".join(row))]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        wrong = "".join(pool.map(Case.ask, cases))
        ok(f"{len(cases)} multiplications: a function for every origin, and copies piece by piece", not wrong, wrong)
        print(f"# asked in {time.time() - start:.0f} s")
        start = time.time()
        errors = "".join(pool.map(Case.compile, cases))
        ok("they compile without a warning", not errors, errors)
        print(f"# in {time.time() - start:.0f} s, {len(cases)} files, {JOBS} at a time")
        if not errors and not COMPILE_ONLY:
            test_products(cases, pool)
            test_all_wavefronts(cases)
            test_sanitizer(cases, pool)
    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    MAPPING, NVCC, FOLDER = sys.argv[1:]
    FOLDER = os.path.abspath(FOLDER)
    sys.exit(main())
