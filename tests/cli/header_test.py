"""Compiles the examples in the comments of include/mapping.h as C and C++, and runs them. An example is the indented code
of a comment before functions. Indented code of other comments comes first in all later examples. "// = 8" and
"// value = 8" become checks; calls without these must return MAPPING_OK or true.

Expected values: the header states them, by hand and from the PTX ISA (accumulators of mma.m16n8k16, and of m8n8k4 in f64).

    CC=cc CXX=c++ python3 tests/cli/header_test.py LIBRARY
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from abi_test import INCLUDE, declarations  # which also finds tap.py
from tap import finish, ok, skip

HEADER = os.path.join(INCLUDE, "mapping.h")
TEXT = r'(?:"(?:[^"\\]|\\.)*"|MAPPING_\w+)'
RESULT = re.compile(rf"(?:(\w+) )?= ({TEXT}(?: {TEXT})*|\w+)")
PROGRAM = """#include <mapping.h>
#include <stdio.h>
#include <string.h>
static int failures;
static bool is_text(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}
static void expect(bool is_true, int line) {
    if (!is_true)
        failures += fprintf(stderr, "mapping.h:%d: not the stated result\\n", line) > 0;
}
"""


def comments(header):
    """Yields for each comment its lines of code, as pairs of number and text, and the functions that follow it."""
    lines, at = header.splitlines(), 0
    while at < len(lines):
        at += 1
        if not lines[at - 1].startswith("/*"):
            continue
        begin = at
        while "*/" not in lines[at - 1]:
            at += 1
        block = [(n + 1, lines[n][7:]) for n in range(begin, at) if lines[n].startswith(" *     ")]
        if any("int main(" in line for _, line in block):  # the program, which tests/install.t compiles, is not an example
            block = block[[line for _, line in block].index("}") + 1:]
        end = lines.index("", at)
        yield [pair for pair in block if ";" in pair[1] or "//" in pair[1]], re.findall(r"\b(mapping_\w+)\(", "\n".join(lines[at:end]))


def same(expression, value):
    return f"is_text({expression}, {value})" if '"' in value else f"({expression}) == {value}"


def translated(number, line, returns):
    """The C code of a line, with a check of everything that it states."""
    code, _, comment = line.partition("//")
    code, results = code.strip(), RESULT.findall(comment)
    name = re.match(r"\w*", code)[0]
    stated = [value for variable, value in results if not variable]
    if stated or name in returns:
        code = f"expect({same(code.rstrip(';'), stated[0] if stated else returns[name])}, {number});"
    checks = [f"expect({same(variable, value)}, {number});" for variable, value in results if variable]
    return "\n".join([f'#line {number} "mapping.h"', " ".join([code, *checks])])


def program(header):
    """The examples as one program: a function for each, with a context of its own."""
    returns = {name: "true" if kind == "bool" else "MAPPING_OK"
               for kind, name in re.findall(r"(bool|enum mapping_status)\s+(mapping_\w+)\(", declarations())}
    source, before, names = PROGRAM, [], []
    for block, functions in comments(header):
        lines = [translated(number, line, returns) for number, line in block]
        if functions and lines:
            names.append(f"example_of_{functions[0]}")
            source += "\n".join([f"static void {names[-1]}(void) {{", *before, *lines, "mapping_close(context);", "}", ""])
        elif not functions:
            before += lines
    return source + "int main(void) {\n" + "".join(f"{name}();\n" for name in names) + "return failures > 0;\n}\n"


def without_example(header):
    """The functions that no line of their own example calls."""
    shown = {name for block, functions in comments(header) for name in functions if any(f"{name}(" in line for _, line in block)}
    return set(re.findall(r"\b(mapping_\w+)\(", declarations())) - shown


def run(library, header, compiler, language):
    """Returns the errors in the examples, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "examples." + language)
        binary = os.path.join(folder, "examples")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program(header))
        # An example need not use all variables that the header declares for all of them.
        command = [*compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-I", INCLUDE, "-o", binary, source, library]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        if compiled.returncode:
            return compiled.stderr
        ran = subprocess.run([binary], capture_output=True, text=True, check=False, env={**os.environ, "LD_PRELOAD": library})
        return ran.stderr or (f"status {ran.returncode}" if ran.returncode else "")


def main(library):
    with open(HEADER, encoding="utf-8") as file:
        header = file.read()
    missing = without_example(header)
    ok("every function of mapping.h has an example", not missing, str(missing))
    ok("a missing example is noticed", without_example(header.replace(" *     mapping_version();", " * mapping_version();")) == {"mapping_version"})
    c = [*shlex.split(os.environ.get("CC", "cc")), "-std=c17"]
    wrong = run(library, header, c, "c")
    ok("the examples compile as C, and give the stated results", not wrong, wrong)
    wrong = run(library, header.replace("// value = 14", "// value = 13"), c, "c")
    ok("a wrong result is noticed", wrong.count("mapping.h:") == 1, wrong)
    cxx = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(cxx[0]):
        wrong = run(library, header, [*cxx, "-std=c++17"], "cc")
        ok("the examples compile as C++, and give the stated results", not wrong, wrong)
    else:
        skip("the examples compile as C++", cxx[0])
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
