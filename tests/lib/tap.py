"""Shared by tests in Python: lines of TAP, and the sample of thousands of cases to try (see sample.h)."""
import functools
import gc
import os
import re
import subprocess
import sys

failures = 0
number = 0

# The tests end soon and make few cycles of references, but millions of objects, through which the collector would walk again and again.
gc.disable()


def ok(name, passed, why=""):
    """One line of TAP, and up to 20 lines why."""
    global failures, number
    number += 1
    failures += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    for line in why.splitlines()[:20] if not passed else []:
        print("#", line[:400])
    sys.stdout.flush()


def skip(name, needs):
    """Prints a line of TAP for a test that cannot run here, and the commands that it needs (see runner.sh)."""
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP needs {needs}")


def one_in(usually):
    """The number to divide by: that of `make test`, or with THOROUGH=1 one."""
    return 1 if int(os.environ.get("THOROUGH") or 0) > 0 else usually


def sample(items, usually):
    """One in N of the items, spread evenly; with THOROUGH=1 all."""
    most = (2**32 - 1) // one_in(usually)
    return [item for number, item in enumerate(items) if number * 2654435769 % 2**32 <= most]


@functools.lru_cache(maxsize=None)
def compiled(formula):
    """A printed formula, for eval. Its numbers are unsigned, so that / is // in Python."""
    return compile(formula.replace("/", "//"), formula, "eval")


def formats(program):
    """All output formats, from the list in the program's error message for an unknown one."""
    said = subprocess.run([program, "--format="], capture_output=True, text=True, check=False).stderr
    listed = said.partition("valid formats: ")[2].partition(" (")[0].partition(";")[0].strip()
    names = listed.replace(" and ", ", ").split(", ")
    if len(names) < 2 or not all(name.isalpha() for name in names):
        sys.exit(f"no list of formats: {said}")
    return names


def architectures(program):
    """All architectures, "sm_70" and so on, from the list in the program's error message for an unknown one."""
    said = subprocess.run([program, "--arch="], capture_output=True, text=True, check=False).stderr
    names = re.findall(r"\bsm_\d+", said)
    if len(names) < 2:
        sys.exit(f"no list of architectures: {said}")
    return names


def finish():
    """The plan. True if a test failed."""
    print(f"1..{number}")
    return failures > 0
