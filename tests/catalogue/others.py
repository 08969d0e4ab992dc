"""Shared by the tests that compare Tensor Memory with statements of other projects: tcgen05_jax.py and others."""

import functools
import importlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402


def run_program(program, *arguments):
    """Runs a command and returns its output; nothing if it fails."""
    done = command(program, *arguments)
    return done.stdout if done.returncode in (0, 4) else ""


def reports_of(program, names):
    """What the program says of each: (all but the map, the text of that), as most are alike."""
    output = run_program(program, "--arch=sm_100", "--format=json", *names)
    reports = (report.partition(',\n "map":') for report in re.split(r",\n(?=\{)", output.strip()[1:-1]))
    return {name: (json.loads(head + "}"), table.partition(',\n "')[0].rstrip("}")) for name, (head, _, table) in zip(names, reports)}


@functools.lru_cache(None)
def table_of(text):
    return json.loads(text)


def claims_without_cause(program, version, compared):
    """The fragments that are listed of which the program says that this version agrees, and that were not compared."""
    def without_n(name):
        return re.sub(r"(\.m\d+)n\d+", r"\1", name)

    known, found = set(map(without_n, compared)), []
    for arch in ("sm_100", "sm_103"):
        listed = re.findall(r"^(tcgen05\.\S*)", run_program(program, "--list", f"--arch={arch}"), re.MULTILINE)
        texts = run_program(program, f"--arch={arch}", "--brief", "--detail", *listed).split("\n# tcgen05.")
        assert len(texts) == len(listed)
        claims = (name for name, text in zip(listed, texts) if version in "".join(re.findall(r"# (.*) uses? the same layout", text)))
        found += [name for name in claims if without_n(name) not in known]
    return found


def print_tap(checks, version, vain):
    """Prints TAP of (name, what is wrong, entries, why it is known to differ), and of the claims that `vain` are. Returns
    how many are wrong."""
    failures = number = entries = 0
    for number, (name, wrong, count, note) in enumerate(checks, 1):
        failures, entries = failures + (wrong != ""), entries + count
        print(f"{'not ' if wrong else ''}ok {number} - {name}{': known to differ' if note else ''}")
        print(f"# {wrong or note}\n" if wrong or note else "", end="")
    failures += vain != []
    print(f"{'not ' if vain else ''}ok {number + 1} - of no other fragment the program says that {version.split()[0]} agrees")
    print("".join(f"# {name}\n" for name in vain), end="")
    print(f"# {entries} entries\n1..{number + 1}")
    return failures


def run_test(arguments, project, preface, asked_cases, print_record, recorded_cases, compare, usually):
    """The exit status of a test that is called with [--recorded] MAPPING [FILE] or --record: compares the program with what
    the project makes of the cases that are asked, or with one in so many of those that are recorded; or records them, below
    what they are and what their lines say."""
    if arguments[0] == "--record":
        cases = asked_cases()
        what, lines = preface
        print(f"# {what}\n# {project} {importlib.import_module(project.lower()).__version__}\n# {lines}")
        print_record(cases)
        return 0
    if arguments[0] == "--recorded":
        return compare(arguments[1], recorded_cases(arguments[2]), usually) > 0
    return compare(arguments[0], asked_cases()) > 0
