"""`make sass`: assembles every opcode of the catalogue in its own kernel, and prints results/sass.txt: the instructions
that the kernel has in addition to those of the same kernel without the opcode. src/report/codegen.h describes the lines.

    build/list_opcodes | python3 src/tools/sass.py [DIR ...]            DIR has a ptxas and its nvdisasm; default: all that are found
    build/list_opcodes | python3 src/tools/sass.py --check [DIR ...]    compares with results/sass.txt, with the same ptxas
    build/list_opcodes | python3 src/tools/sass.py --arch=sm_75 ...     only for one architecture
    build/list_opcodes | python3 src/tools/sass.py --one-in=4 --check   only one in 4 modules, evenly spread

Each architecture is measured with the newest ptxas that knows it. If no ptxas knows it, its recorded lines are kept; if
opcodes of it are not recorded, the program fails. The order of this file: the catalogue, the PTX, the tools, their output, measuring, the file.
"""

import argparse
import collections
import concurrent.futures
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results", "sass.txt")
TIMEOUT = 300  # seconds for one run of a tool
OUTPUT_MAX = 64 << 20  # bytes that a tool may print; a listing has 3 MB at most
DIFFERS, INVALID, UNAVAILABLE, FAILED = 1, 2, 3, 5  # exit statuses, as those of the program


class Trouble(Exception):
    """An exit status, and a sentence with the reason."""


# ---- The catalogue ----

# Architectures are names, "sm_75". PTX versions are 85 for 8.5.
Opcode = collections.namedtuple("Opcode", "text ptx archs registers")


def registers_of(text, operands):
    """The declarations of the operands in PTX: {"a": ("b32", 4)} means the registers a0 to a3. Scale factors are x and
    y, an address is p."""
    registers = {}
    for operand in operands:
        name, type, count = operand.split(":")
        if name == "r":  # loaded or stored
            registers["p"] = "b32", 1
            registers["d" if text.startswith(("ldmatrix", "tcgen05.ld")) else "a"] = "b32", int(count)
        elif name != "p":
            is_double = type == "f64"
            registers[{"sfa": "x", "sfb": "y"}.get(name, name)] = (
                "b64" if is_double else "f32" if type == "f32" else "b32", int(count) // (2 if is_double else 1))
    return registers


def read_catalogue(lines):
    """Reads the output of build/list_opcodes: the PTX version of each architecture, and all opcodes in the order of the
    file. Each mma.sp is followed by the same opcode with ordered metadata, which PTX 8.5 introduced. ldmatrix of s8.s4
    is left out, because nvdisasm 13.5 prints nothing for its code."""
    archs, opcodes = {}, []
    for text, ptx, *more in map(str.split, lines):
        if not more:
            archs[text] = int(ptx)
        elif ".s8.s4" not in text:
            opcodes.append(Opcode(text, int(ptx), more[0].split(","), registers_of(text, more[1:])))
            if text.startswith("mma.sp."):
                ordered = text.replace("mma.sp.", "mma.sp::ordered_metadata.")
                opcodes.append(opcodes[-1]._replace(text=ordered, ptx=max(int(ptx), 85)))
    return archs, opcodes


# ---- PTX: a kernel that executes one opcode, and the same without it ----

SIZES = {"b32": 4, "f32": 4, "b64": 8}  # bytes of a register
OLDEST_PTX = 64  # the first with mma.m8n8k4


def target_of(arch):
    """The target with all features of an architecture: sm_89, and from sm_90 on sm_90a."""
    return arch + ("a" if int(arch[3:]) >= 90 else "")


def head_of(arch, *versions):
    """The directives before kernels that need these versions of PTX."""
    major, minor = divmod(max(OLDEST_PTX, *versions), 10)
    return f".version {major}.{minor}\n.target {target_of(arch)}\n.address_size 64\n"


def instruction_of(text, registers):
    """The opcode with its operands. ldmatrix and stmatrix take an address in shared memory, because a generic address
    takes up to two more instructions. wgmma takes A from registers, and adds to D. Scale factors have byte-id 0 and
    thread-id 0."""
    lists = {name: "{" + ", ".join(f"{name}{n}" for n in range(count)) + "}" for name, (_, count) in registers.items()}
    a, b, c, d = map(lists.get, "abcd")
    metadata = ", e0, 0" if "e" in registers else ""
    if "p" in registers:  # a load or store; the state space stands in front of the type
        text = re.sub(r"^((?:ld|st)matrix.*)(\.\w+)$", r"\1.shared\2", text)
        halves = re.search(r"\.16x32bx2\.x(\d+)(\.\w*pack)?", text)
        distance = f", {int(halves[1]) * (2 if halves[2] else 1)}" if halves else ""  # columns between the halves
        operands = f"{d}, [p0]{distance}" if d else f"[p0]{distance}, {a}"
    elif text.startswith("movmatrix"):
        operands = "d0, a0"
    elif text.startswith("wgmma"):  # signs of A and B, and that B is not transposed, if the type has these operands
        signs, order = "" if ".s32." in text else ", 1, 1", ", 0" if text.endswith("f16") else ""
        operands = f"{d}, {a}, descriptor{metadata}, 1{signs}{order}"
    elif text.startswith("tcgen05.mma"):
        a, metadata = "[p1]" if ".ashift" in text else "descriptor", ", [p2]" if ".sp." in text else ""
        operands = f"[p0], {a}, descriptor{metadata}, p3" + (", [p4], [p5]" if ".block_scale" in text else "") + ", 1"
    else:
        operands = f"{d}, {a}, {b}, {c}{metadata}" + (", x0, {0, 0}, y0, {0, 0}" if "x" in registers else "")
    return f"    {text} {operands};\n"


KERNEL = """(.param .u64 in, .param .u64 out, .param .u64 b)
{{
    .reg .b64 source, target, descriptor;
{declarations}    ld.param.u64 source, [in];
    ld.param.u64 target, [out];
    ld.param.u64 descriptor, [b];
{loads}{executed}{stores}    ret;
}}
"""

# One thread issues the instruction. All operands are parameters, loaded into registers that the warp shares: the
# addresses of D, A, metadata and scale factors in Tensor Memory, the instruction descriptor, and the descriptor of B.
# Unless A is shifted, A uses the same descriptor. The product is added to D.
TCGEN05_MMA_KERNEL = """(.param .u64 out, .param .u64 b, .param .align 8 .b8 p[24])
{{
    .reg .b64 target, descriptor;
    .reg .b32 p<6>;
    .reg .pred one;
    ld.param.u64 target, [out];
    ld.param.u64 descriptor, [b];
{loads}    elect.sync _|one, 0xffffffff;
    @!one bra end;
{executed}    st.volatile.global.b32 [target], p3;
end:
    ret;
}}
"""


def kernel_of(opcode, is_bare):
    """The parameters and the body of a kernel that loads all operands, executes the opcode and stores the result. Loads
    and stores are volatile, one for each register, so that ptxas keeps all of them. With `is_bare`, the opcode is
    omitted, and the same number of operands is stored. The SASS of the opcode is the difference between the two
    kernels.

    The instructions that must surround wgmma are in both kernels, except wgmma.commit_group, because it becomes a
    separate instruction if there is nothing to commit."""
    text, registers = opcode.text, opcode.registers
    executed = "" if is_bare else instruction_of(text, registers)
    if text.startswith("tcgen05.mma"):
        loads = "".join(f"    ld.param.u32 p{n}, [p+{4 * n}];\n" for n in range(6))
        return TCGEN05_MMA_KERNEL.format(loads=loads, executed=executed)
    is_wgmma = text.startswith("wgmma")  # which adds to D, so that D is loaded
    declarations, loads, stores, offset = "", "", "", 0
    for name, (type, count) in registers.items():
        declarations += f"    .reg .{type} {name}<{count}>;\n"
        for n in range(count if name != "d" or is_wgmma else 0):
            loads += f"    ld.volatile.global.{type} {name}{n}, [source+{offset}];\n"
            offset += SIZES[type]
    if is_wgmma:
        commit = "" if is_bare else "    wgmma.commit_group.sync.aligned;\n"
        executed = f"    wgmma.fence.sync.aligned;\n{executed}{commit}    wgmma.wait_group.sync.aligned 0;\n"
    elif text.startswith("tcgen05"):
        executed += f"    tcgen05.wait::{'ld' if 'd' in registers else 'st'}.sync.aligned;\n"
    if "d" in registers:
        type, count = registers["d"]
        size, stored = SIZES[type], "d"
        if is_bare and not is_wgmma:  # C or others of the same size, again and again if they are too few
            stored = next((name for name in "cabp" if name in registers and SIZES[registers[name][0]] == size), "d")
        type, repeats = registers[stored]
        stores = "".join(f"    st.volatile.global.{type} [target+{n * size}], {stored}{n % repeats};\n" for n in range(count))
    return KERNEL.format(declarations=declarations, loads=loads, executed=executed, stores=stores)


# ---- The tools ----

Toolkit = collections.namedtuple("Toolkit", "ptxas nvdisasm versions")  # versions: ("13.5.37", "13.5.37")

# What ptxas and nvdisasm print if they do not know an architecture or a PTX version.
UNKNOWN = re.compile(r"is not defined for option 'gpu-name'|Unsupported \.version|"
                     r"does not contain Cuda architecture information|Cannot decode architecture|is deprecated")


def run(*command):
    """The output of a tool. Raises UNAVAILABLE if it does not know the architecture."""
    # The environment must not change the output of tools. PATH and TMPDIR are for scripts that replace them.
    environment = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    limited = ["sh", "-c", f'ulimit -f {OUTPUT_MAX // 512} 2>/dev/null; exec "$@"', "sh", *command]  # file size in 512-byte blocks
    with tempfile.TemporaryFile("w+", encoding="ascii", errors="replace") as out, \
            tempfile.TemporaryFile("w+", encoding="ascii", errors="replace") as err:
        try:
            done = subprocess.run(limited, check=False, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=TIMEOUT,
                                  env=dict(environment, LC_ALL="C"))
        except subprocess.TimeoutExpired:
            raise Trouble(FAILED, f"{command[0]} did not finish within {TIMEOUT} s") from None
        if max(os.fstat(file.fileno()).st_size for file in (out, err)) >= OUTPUT_MAX:
            raise Trouble(FAILED, f"{command[0]} printed more than {OUTPUT_MAX >> 20} MiB")
        printed, complaint = (file.seek(0) or file.read() for file in (out, err))
    if done.returncode < 0:
        raise Trouble(FAILED, f"{command[0]} was killed by signal {-done.returncode}")
    if done.returncode > 0:
        said = (complaint or printed).strip().splitlines() or ["no message"]
        error = next((line for line in said if " error   :" in line), said[0])  # ptxas gives advice, too
        raise Trouble(UNAVAILABLE if UNKNOWN.search(complaint) else FAILED,
                      f"{command[0]} failed with exit status {done.returncode}: {error:.300}")
    return printed


def version_of(tool):
    found = re.search(r", V([0-9.]+)", run(tool, "--version"))
    if not found:
        raise Trouble(FAILED, f"{tool} --version printed no version")
    return found[1]


def find_toolkits(folders):
    """The toolkits in these folders or their bin/, otherwise in the usual ones, the newest first. If ptxas and nvdisasm
    are in different folders, the first of each may also be a pair."""
    if not folders:
        folders = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")] + os.environ.get("PATH", "").split(":")
        folders += glob.glob("/usr/local/cuda*") + ["/opt/cuda", "/usr/lib/nvidia-cuda-toolkit"]
    places = [place for folder in folders if folder for place in (os.path.join(folder, "bin"), folder)]
    found = [[shutil.which(tool, path=place) for tool in ("ptxas", "nvdisasm")] for place in places]
    first = [next(filter(None, paths), None) for paths in zip(*found)]
    pairs = {}  # by the file of ptxas, to which there may be links
    for pair in [pair for pair in [*found, first] if all(pair)]:
        pairs.setdefault(os.path.realpath(pair[0]), pair)
    if not pairs:
        missing = [tool for tool, path in zip(("ptxas", "nvdisasm"), first) if not path] or ["ptxas with nvdisasm"]
        raise Trouble(UNAVAILABLE, f"not found: {' and '.join(missing)}; name the folder of a CUDA Toolkit")
    toolkits = [Toolkit(*pair, tuple(map(version_of, pair))) for pair in pairs.values()]
    return sorted(toolkits, key=lambda toolkit: [int(n) for n in toolkit.versions[0].split(".")], reverse=True)


# ---- What nvdisasm prints ----

INSTRUCTION = re.compile(r"/\*([0-9a-f]+)\*/\s*(?:@(!?\w+)\s+)?([A-Z][\w.]*)(?: [^;]*)?;\s*(?:/\*.*)?")
INSTRUCTION_SIZE = 16  # bytes, from Volta on
# Instructions that multiply on tensor cores or move matrices; report/codegen.c has the same list.
TENSOR_CORE = re.compile(r"([HIBDQO]MMA|[HIBQ]GMMA|LDSM|STSM|MOVM|LDTM|STTM|UTC[HIQO]MMA)(\.|$)")
# Padding, and loads of constants, whose number depends on register pressure.
NOT_COUNTED = re.compile(r"NOP$|(LDC|LDCU|ULDC)(\.|$)")


def parse_listing(text):
    """The opcodes of each kernel. Instructions with @!PT are left out; ptxas adds them if the hardware requires a
    distance."""
    kernels, code = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if re.match(r"\.section\s", line):
            section = re.match(r"\.section\s+\.text\.([^,\s]+)", line)
            code = kernels.setdefault(section[1], []) if section else None
        elif code is not None and line.startswith("/*"):
            found = INSTRUCTION.fullmatch(line)
            if not found:
                raise Trouble(FAILED, f"line {number} of the listing: cannot parse '{line:.80}'")
            if int(found[1], 16) != len(code) * INSTRUCTION_SIZE:
                raise Trouble(FAILED, f"line {number} of the listing has address 0x{found[1]}, "
                                      f"expected 0x{len(code) * INSTRUCTION_SIZE:04x}")
            code.append(None if found[2] in ("!PT", "!UPT") else found[3])
    for name, code in kernels.items():  # of a subroutine nobody could say which kernel calls it
        if code and not re.fullmatch(r"k\d+", name):
            raise Trouble(FAILED, f"there is code of {name:.80}, which is no kernel")
    return {name: [opcode for opcode in code if opcode] for name, code in kernels.items() if code}


def compare(name, code, bare):
    """The result for an opcode as the file has it, from the code of the kernel with the opcode and the kernel without
    it."""
    tensor_cores = [opcode for opcode in code if TENSOR_CORE.match(opcode)]
    count, without = (sum(not NOT_COUNTED.match(opcode) for opcode in kernel) for kernel in (code, bare))
    if count <= without or count - without < len(tensor_cores):
        raise Trouble(FAILED, f"{name} makes {count} instructions of {without}, {len(tensor_cores)} of tensor cores")
    runs = [f"{len(list(run))} {opcode}" for opcode, run in itertools.groupby(tensor_cores)]
    return f"{', '.join(runs) or 'none'}; {count - without} instruction{'s' if count - without > 1 else ''}"


# ---- Measuring ----

# There are so many opcodes of wgmma and Tensor Memory that they have their own modules, each with at most APART_MODULE
# opcodes. The modules must stay the same: the number of instructions of some emulations depends on the rest of the
# module.
APART, APART_MODULE = ("wgmma", "tcgen05"), 64


def measure_module(path, arch, ptx, opcodes, toolkit):
    """{opcode: its SASS} for the opcodes of a module. Kernel n executes opcode n. The kernels without an opcode follow;
    opcodes with the same operands share them."""
    bodies, bare = [kernel_of(opcode, False) for opcode in opcodes], {}
    numbers = [len(opcodes) + bare.setdefault(kernel_of(opcode, True), len(bare)) for opcode in opcodes]
    with open(path + ".ptx", "w", encoding="ascii") as file:
        file.write(head_of(arch, ptx, *(opcode.ptx for opcode in opcodes)))
        file.writelines(f".visible .entry k{n}{body}" for n, body in enumerate([*bodies, *bare]))
    run(toolkit.ptxas, f"-arch={target_of(arch)}", path + ".ptx", "-o", path + ".cubin")
    kernels, outcomes = parse_listing(run(toolkit.nvdisasm, path + ".cubin")), {}
    for n, opcode in enumerate(opcodes):
        if f"k{n}" not in kernels or f"k{numbers[n]}" not in kernels:
            raise Trouble(FAILED, f"nvdisasm printed no code for {opcode.text}")
        outcomes[opcode.text] = compare(opcode.text, kernels[f"k{n}"], kernels[f"k{numbers[n]}"])
    return outcomes


def measure(folder, arch, ptx, opcodes, toolkits, chosen):
    """Measures the opcodes of an architecture in the modules that the slice `chosen` selects. Returns the first toolkit
    that knows all of them, and {opcode: its SASS}. None if there is no such toolkit."""
    apart = [opcode for opcode in opcodes if opcode.text.startswith(APART)]
    modules = [[opcode for opcode in opcodes if not opcode.text.startswith(APART)]]
    modules += [apart[n:n + APART_MODULE] for n in range(0, len(apart), APART_MODULE)]
    for toolkit in toolkits:
        outcomes = {}
        try:
            for module in modules[chosen]:
                outcomes.update(measure_module(os.path.join(folder, arch), arch, ptx, module, toolkit))
            return toolkit, outcomes
        except Trouble as trouble:
            status, sentence = trouble.args
            if status != UNAVAILABLE:
                raise Trouble(status, f"ptxas {toolkit.versions[0]}, nvdisasm {toolkit.versions[1]}, {arch}: {sentence}") from None
    return None


# ---- The file ----

HEAD = """# What every opcode becomes when ptxas assembles it: `make sass`
# opcode on architectures: instructions of tensor cores and those that move matrices, in order; how many instructions in all
# {8..256..8} is 8, 16, 24 ... 256: the same number in both places
"""


def in_braces(numbers):
    """[8, 16, 24, 32] as {8..32..8}, if there are at least four numbers; with others {4,6,{8..32..8}}."""
    parts, start = [], 0
    while start < len(numbers):
        end = start + 2
        while end < len(numbers) and numbers[end] - numbers[end - 1] == numbers[start + 1] - numbers[start]:
            end += 1
        if end - start >= 4:
            run = f"{numbers[start]}..{numbers[end - 1]}..{numbers[start + 1] - numbers[start]}"
            parts.append(run if end - start == len(numbers) else f"{{{run}}}")
        else:
            end = start + 1
            parts.append(str(numbers[start]))
        start = end
    return parts[0] if len(numbers) == 1 else f"{{{','.join(parts)}}}"


def grouped(pairs):
    """{key: [values]} from pairs of a key and a value."""
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def print_file(opcodes, measured):
    """The lines of the file. A line has an opcode and all architectures where its SASS is the same. Lines of wgmma that
    differ only in N, in m64nNk16 and in the SASS 64xNx16, are merged, with all N in braces."""
    sources = grouped((toolkit.versions, arch) for arch, (toolkit, _) in measured.items())
    text = HEAD + "".join(f"# source: ptxas {ptxas}, nvdisasm {nvdisasm}: {', '.join(archs)}\n"
                          for (ptxas, nvdisasm), archs in sources.items())
    lines = []  # with * for N, and N
    for opcode in opcodes:
        becomes = grouped((outcomes[opcode.text], arch) for arch, (_, outcomes) in measured.items() if opcode.text in outcomes)
        for outcome, archs in becomes.items():
            line = f"{opcode.text} on {', '.join(archs)}: {outcome}"
            width = re.search(r"(?<=\.m64n)\d+|$", line)[0]
            lines.append((re.sub(rf"(?<=\.m64n){width}(?=k)|(?<=64x){width}(?=x)", "*", line) if width else line, int(width or 0)))
    return text + "".join(line.replace("*", in_braces(widths)) + "\n" for line, widths in grouped(lines).items())


def read_recorded():
    """{arch: (ptxas, nvdisasm)} of the file, and {(opcode, arch): what it becomes}."""
    sources, recorded = {}, {}
    with open(RECORDED, encoding="ascii") as file:
        lines = file.read().splitlines()
    for line in lines:
        source = re.match(r"# source: ptxas (\S+), nvdisasm (\S+): (.*)", line)
        if source:
            sources.update(dict.fromkeys(source[3].split(", "), (source[1], source[2])))
        if line.startswith("#"):
            continue
        widths, expanded = re.search(r"(?<=\.m64n)\{.*?\}(?=k)", line), [line]
        if widths:
            runs = [list(map(int, run.split(".."))) for run in re.findall(r"[\d.]+", widths[0])]
            expanded = [line.replace(widths[0], str(n)) for first, *more in runs
                        for n in (range(first, more[0] + 1, more[1]) if more else [first])]
        for one in expanded:
            opcode, archs, outcome = re.fullmatch(r"(\S+) on (sm_[^:]*): (.*)", one).groups()
            recorded.update(((opcode, arch), outcome) for arch in archs.split(", "))
    return sources, recorded


def check(archs, opcodes, measured, recorded):
    """Prints the differences between the measured and the recorded SASS, and returns the number of opcodes that
    differ."""
    different = 0
    for arch in archs:
        own = [opcode.text for opcode in opcodes if arch in opcode.archs]
        if arch not in measured:
            print(f"skip  {len(own)} opcodes on {arch}: the ptxas that is recorded is not here")
            continue
        toolkit, outcomes = measured[arch]
        if own and not outcomes:
            continue  # no module of this architecture was chosen
        same = 0
        for opcode in filter(outcomes.__contains__, own):
            outcome, expected = outcomes[opcode], recorded.get((opcode, arch))
            if outcome == expected:
                same += 1
                continue
            different += 1
            other = f"recorded is {expected.rpartition(' ')[0]}" if expected else "nothing is recorded"
            print(f"FAIL  {opcode} on {arch}: ptxas {toolkit.versions[0]} gives {outcome}; {other}")
        print(f"ok    {same} opcodes on {arch}: sass (ptxas {toolkit.versions[0]}, nvdisasm {toolkit.versions[1]})")
    return different


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--arch")
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    archs, opcodes = read_catalogue(sys.stdin)
    if options.arch:
        name = "sm_" + options.arch.replace("sm_", "")
        if name not in archs:
            raise Trouble(INVALID, f"there is no architecture {options.arch}")
        archs = {name: archs[name]}
    sources, recorded = read_recorded() if options.check else ({}, {})
    toolkits = find_toolkits(options.folders)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = {arch: pool.submit(
            measure, folder, arch, ptx, [opcode for opcode in opcodes if arch in opcode.archs],
            [toolkit for toolkit in toolkits if not options.check or (arch in sources and toolkit.versions[0] == sources[arch][0])],
            slice(number % options.one_in, None, options.one_in))
            for number, (arch, ptx) in enumerate(archs.items())}
    measured = {arch: result.result() for arch, result in results.items() if result.result()}
    if options.check:
        if not measured:
            raise Trouble(UNAVAILABLE, "nothing could be checked")
        different = check(archs, opcodes, measured, recorded)
        if different:
            raise Trouble(DIFFERS, f"{different} outcomes differ")
        return
    kept = [arch for arch in archs if arch not in measured]
    sources, recorded = read_recorded() if kept else ({}, {})
    for arch in kept:
        own = [opcode.text for opcode in opcodes if arch in opcode.archs]
        if options.arch or len(kept) == len(archs) or not all((text, arch) in recorded for text in own):
            raise Trouble(UNAVAILABLE, f"no ptxas here knows all opcodes of {arch}; name one more folder")
        measured[arch] = Toolkit(None, None, sources[arch]), {text: recorded[text, arch] for text in own}
    if kept:
        print(f"sass: {', '.join(kept)} stay as they are, because no ptxas here knows all their opcodes", file=sys.stderr)
    sys.stdout.write(print_file(opcodes, {arch: measured[arch] for arch in archs}))


if __name__ == "__main__":
    try:
        main()
    except Trouble as trouble:
        print(f"sass: {trouble.args[1]}", file=sys.stderr)
        sys.exit(trouble.args[0])
