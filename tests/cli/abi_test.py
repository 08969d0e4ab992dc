"""The binary interface of include/mapping.h: the functions that the library exports, the numbers of enums, and the
sizes and offsets of structs. All that tests/cli/abi.txt lists must still exist. New ones are recorded when a version
is tagged.

    CC=cc python3 tests/cli/abi_test.py LIBRARY
    CC=cc python3 tests/cli/abi_test.py LIBRARY --record > tests/cli/abi.txt
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from tap import finish, ok  # noqa: E402

INCLUDE = os.path.join(HERE, "..", "..", "include")
# Callers give its size, so it may grow at its end.
GROWS = "size struct mapping_options "


def compiler(*words):
    return [*shlex.split(os.environ.get("CC", "cc")), "-std=c17", "-I", INCLUDE, *words]


def declarations():
    """What mapping.h itself declares, after the preprocessor."""
    text = subprocess.run(compiler("-E", os.path.join(INCLUDE, "mapping.h")), check=True, capture_output=True, text=True).stdout
    lines, is_own = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            is_own = marker[1].endswith("mapping.h")
        elif is_own and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def members(body):
    """Names of the members of a struct: of `bool (*take)(void *taker);` take."""
    for each in filter(None, map(str.strip, body.split(";"))):
        yield (re.search(r"\(\*(\w+)\)", each) or re.search(r"(\w+)(?:\[.*\])?$", each))[1]


def numbers():
    """Lines of enums and structs, as the compiler has them."""
    text, prints = declarations(), []
    for name, body in re.findall(r"enum (\w+) \{(.*?)\}", text, re.S):
        prints += [f'printf("enum {name} {each} %d\\n", (int){each});' for each in re.findall(r"\bMAPPING_\w+", body)]
    for name, body in re.findall(r"struct (\w+) \{(.*?)\n\}", text, re.S):
        prints.append(f'printf("size struct {name} %zu\\n", sizeof(struct {name}));')
        prints += [f'printf("offset struct {name} {each} %zu\\n", offsetof(struct {name}, {each}));' for each in members(body)]
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "numbers.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <mapping.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(prints) + "\n}\n")
        subprocess.run(compiler("-o", source[:-2], source), check=True)
        return subprocess.run([source[:-2]], check=True, capture_output=True, text=True).stdout.splitlines()


def functions(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return [f"function {name}" for name in sorted(re.findall(r" T (mapping_\w+@@MAPPING_\S+)", text))]


def main(library, *options):
    found = functions(library) + numbers()
    if options:
        print("# The ABI of libmapping on 64-bit Linux; see abi_test.py.", *found, sep="\n")
        return 0
    with open(os.path.join(HERE, "abi.txt"), encoding="utf-8") as file:
        recorded = [line.rstrip("\n") for line in file if not line.startswith("#")]
    sizes = {line.rpartition(" ")[0] + " ": int(line.rpartition(" ")[2]) for line in found if line.startswith("size")}
    gone = [line for line in recorded if line not in found and
            not (line.startswith(GROWS) and sizes.get(GROWS, 0) >= int(line[len(GROWS):]))]
    ok("functions, numbers of enums, sizes and offsets are those that programs were compiled with", not gone, "\n".join(gone))
    ok("all kinds of them are recorded", {line.split()[0] for line in recorded} == {"function", "enum", "size", "offset"})
    declared = set(re.findall(r"\b(mapping_\w+)\(", declarations()))
    exported = {line.split()[1].split("@")[0] for line in found if line.startswith("function")}
    ok("what the header declares is exported, and nothing else", declared == exported, str(declared ^ exported))
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
