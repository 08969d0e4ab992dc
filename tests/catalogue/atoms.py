"""Lists the atoms of CuTe, and compares the program's output for their names with its output for their opcodes.

    atoms.py --record INCLUDE        reads CUTLASS's headers; prints the list
    atoms.py MAPPING atoms.txt       asks the program for every name of the list; prints TAP

An atom is a struct of mma*.hpp or copy_sm*.hpp in include/cute/arch/, or an alias of one in include/cute/atom/. A line
is one of

    NAME<PARAMETERS> OPCODE [shared] [N=8,16,...]
    NAME - WHAT

NAME has all scopes except cute. PARAMETERS are the template parameters that a name does not fix: the enumerations of
their values, with a "?" after those that have a default, and "=K" if a static_assert allows only that value. Templates
of types are listed with the types that they are specialized for, and, with scale factors, for each number of elements
that a static_assert allows to share one. OPCODE is the opcode of the asm statement; "shared" means that the registers
of A are 64 bits, a descriptor of shared memory. {N} is replaced by each N.

A dash marks atoms that are not exactly one mma, wgmma, ldmatrix, stmatrix, movmatrix, tcgen05.ld, tcgen05.st or
tcgen05.cp of the PTX ISA that the catalogue should have. WHAT is then the beginning of another opcode; or a number and
another atom, if the atom calls fma of the other that often; or nothing. Atoms that exchange bytes between registers
after ldmatrix are also marked.
"""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cutlass import cutlass_version  # noqa: E402
from library import command  # noqa: E402
from tap import sample  # noqa: E402

# ---- The headers ----

HEADERS = ["arch/mma*.hpp", "arch/copy_sm*.hpp", "atom/mma_traits_sm90*.hpp"]

# Left out: descriptors, and copies by the tensor memory accelerator, which are aliases and overloads of one another.
LEFT_OUT = ("_desc.hpp", "_tma.hpp")

TAKEN = re.compile(r"wgmma\.mma_async|mma\.sync|(ld|st|mov)matrix|tcgen05\.(ld|st|cp)\.")
# What has an instruction, and code behind it that exchanges what registers hold.
EXCHANGED = re.compile(r"\buchar4 dst")
OPCODE = re.compile(r"(?<![\w.])(?:w?g?mma|tcgen05|dp[24]a|(?:ld|st|mov)matrix|cp|ld|st)\.[\w.:]+")


def read(path):
    """The text without comments and preprocessor."""
    with open(path) as file:
        text = file.read()
    text = re.sub(r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', "", text, flags=re.DOTALL | re.MULTILINE)
    return text


DECLARATION = re.compile(
    r"(?:template\s*<(?P<parameters>[^<>]*)>\s*)?"
    r"(?:namespace\s+(?P<namespace>[\w:]+)\s*\{|"
    r"struct\s+(?P<struct>\w+)\s*(?P<arguments><[^{;]*>)?\s*\{|"
    r"using\s+(?P<alias>\w+)\s*=\s*(?P<target>[\w:]+)\s*(?:<[^;]*>)?\s*;)"
    r'|"(?:\\.|[^"\\])*"|(?P<brace>[{}])')


def declarations(text):
    """(scope, match, body) of each struct and alias in namespaces. A struct ends with the first "};" that is not
    indented: some have more braces in all branches of the preprocessor together than they close."""
    scopes, position = [], 0
    while found := DECLARATION.search(text, position):
        position = found.end()
        if found["namespace"]:
            scopes.append(found["namespace"] + "::")
        elif found["brace"] == "{":
            scopes.append("")
        elif found["brace"]:
            scopes.pop()
        elif found["struct"]:
            position = text.index("\n};", position) + 3
            yield "".join(scopes), found, text[found.end():position]
        elif found["alias"]:
            yield "".join(scopes), found, ""


def parameters_of(text, body):
    """The parameters that a template still has."""
    listed = []
    for parameter in filter(None, (part.strip() for part in (text or "").split(","))):
        kind, name, default = re.fullmatch(r"([\w: ]+?)\s+(\w+)\s*(=.*)?", parameter, re.DOTALL).groups()
        only = re.search(rf"static_assert\({name} == [\w:]+::(\w+),", body)
        listed.append(kind.split("::")[-1] + ("?" if default else "") + (f"={only[1]}" if only else ""))
    return f"<{','.join(listed)}>" if listed else ""


def instruction_of(body):
    """The opcode of the asm statement, or a dash and what there is instead."""
    texts = re.findall(r'asm\s*(?:volatile)?\s*\(\s*((?:"(?:\\.|[^"\\])*"\s*)+)', body)
    opcodes = list(dict.fromkeys(opcode for text in texts for opcode in OPCODE.findall(text)))
    if len(opcodes) == 1 and TAKEN.match(opcodes[0]) and not EXCHANGED.search(body):
        return opcodes[0]
    calls = re.findall(r"(\w*MMA_\w+|SM\w+)::fma\(", body)
    what = sorted({".".join(opcode.split(".")[:2]) for opcode in opcodes}) or [str(len(calls)), *set(calls)]
    return "- " + " ".join(what) if opcodes or calls else "-"


def described(declaration, body):
    """Parameters and line of a struct."""
    line = instruction_of(body)
    if line.startswith("-"):
        return "", line
    shared = " shared" if re.search(r"using ARegisters = uint64_t", body) else ""
    return parameters_of(declaration["parameters"], body), line + shared


def instances(declaration, body):
    """The specialization's arguments, for each size that it may have."""
    arguments = "".join((declaration["arguments"] or "").split())
    sizes = re.search(r"STATIC_ASSERT\((VS == .*?),", body)
    for size in re.findall(r"\d+", sizes[1]) if sizes else [""]:
        yield arguments.replace(",VS>", f",{size}>")


def atoms(include):
    """(NAME<PARAMETERS>, the rest of the line) of each."""
    structs = {}
    paths = [path for pattern in HEADERS for path in sorted(glob.glob(f"{include}/cute/{pattern}"))
             if not path.endswith(LEFT_OUT)]
    for path in paths:
        for scope, declaration, body in declarations(read(path)):
            scope = scope.removeprefix("cute::")
            if "dependent_false" in body:
                continue
            if declaration["alias"] and declaration["target"] in structs:
                parameters, line = structs[declaration["target"]]
                yield scope + declaration["alias"] + parameters, line
            elif declaration["struct"] and "/arch/" in path:
                name = scope + declaration["struct"]
                parameters, line = structs[name] = described(declaration, body)
                for arguments in instances(declaration, body):
                    yield name + (arguments or parameters), line


def print_list(include):
    print("# The atoms of CuTe and their opcodes: atoms.py --record INCLUDE")
    print(f"# CUTLASS {cutlass_version(include)}")
    print("# name, opcode, where A is, N: as atoms.py explains them")
    lines = {}
    for name, line in atoms(include):
        n = re.search(r"m64n(\d+)k", line)
        if n:
            name, line = name.replace(f"_64x{n[1]}x", "_64x{N}x"), line.replace(n[0], "m64n{N}k")
        lines.setdefault((name, line), []).append(int(n[1]) if n else None)
    for (name, line), widths in lines.items():
        print(name, line + (f" N={','.join(map(str, sorted(widths)))}" if widths[0] else ""))


# ---- The program ----


def listed(path):
    """(name, opcode, whether A is in shared memory) of each line that has an opcode."""
    with open(path) as file:
        for line in file:
            name, opcode, *more = line.split()
            if line.startswith("#") or opcode == "-":
                continue
            if "?" in name or "=" in name:  # values, which the program does not need
                name = name.split("<")[0]
            shared = "shared" in more
            widths = more[-1][2:].split(",") if more and more[-1].startswith("N=") else [""]
            for n in widths:
                yield name.replace("{N}", n), opcode.replace("{N}", n), shared


def shown(program, arch, names, shared=False):
    """What the program shows, without A if that is in shared memory, or what went wrong."""
    done = command(program, "--source=isa", f"--arch=sm_{arch}", "--brief", *names)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr.strip()}"
    unwrapped = done.stdout.replace("\n#   ", " ")
    without_names = re.sub(r"^# .* (is [a-z0-9]+\.|as a? ?descriptors?;).*\n", "", unwrapped, flags=re.MULTILINE)
    fragments = re.split(r"^(?=# \S+ on sm_\d+$)", without_names, flags=re.MULTILINE)
    return "".join(text for text in fragments if not (shared and re.match(r"# [a-z.]+\.m\w+\.a\.", text)))


def compare(program, path):
    """Prints TAP, and returns whether something differs."""
    groups = {}
    atoms_listed = [*listed(path)]
    # Nine in ten are wgmma of some width. A sample of all would miss most rows of the others.
    others = [each for each in atoms_listed if "SM90" not in each[0]]
    for name, opcode, shared in others + sample([each for each in atoms_listed if "SM90" in each[0]], 9):
        groups.setdefault((re.search(r"SM(\d+)", name)[1], shared), []).append((name, opcode))
    failures = 0
    for number, ((arch, shared), pairs) in enumerate(sorted(groups.items()), 1):
        names, opcodes = zip(*pairs)
        expected = shown(program, arch, opcodes, shared)
        same = expected.startswith("#") and shown(program, arch, names) == expected
        failures += not same
        where = ", A in shared memory" if shared else ""
        print(f"{'' if same else 'not '}ok {number} - sm_{arch}{where}: {len(pairs)} atoms are what their opcodes are")
        for name, opcode in pairs if not same else []:
            got = shown(program, arch, [name])
            if got != shown(program, arch, [opcode], shared):
                print(f"# {name}, {opcode}: {got.splitlines()[0]}")
    print(f"1..{len(groups)}")
    return failures > 0 or not groups


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        print_list(sys.argv[2])
    else:
        sys.exit(compare(*sys.argv[1:]))
