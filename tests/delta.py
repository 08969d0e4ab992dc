#!/usr/bin/env python3
"""Compares what two versions of the program print for thousands of command lines.

    make delta BASE=HEAD~1                       # builds that commit in build/delta, compares ./mapping with it
    python3 tests/delta.py OLD NEW [SHOWN]       # compares two programs, shows at most SHOWN kinds of differences (12)

The command lines stand in tests/delta.txt. Compared are exit status, standard output and standard error. Differences are
grouped by the lines that changed; each group is shown once, with the shortest of its command lines, the largest group first.
The exit status is 1 if an answer differs. It is a guard for rebuilds, not an oracle: it cannot say which of the two is right.
"""
import collections
import concurrent.futures
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT_S = 60  # for one command


def command_lines():
    with open(os.path.join(ROOT, "tests", "delta.txt"), encoding="utf-8", errors="surrogateescape") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("# ")]


def answer(program, words, environment):
    """Status, standard output and standard error of one command."""
    try:
        done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment, cwd=ROOT, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"none after {LIMIT_S} s", b"", b""
    return done.returncode, done.stdout, done.stderr


def change(old, new):
    """The first lines that differ, without numbers, so that equal changes of different layouts fall into one group."""
    text = [f"status {old[0]} -> {new[0]}"] if old[0] != new[0] else []
    for name, was, now in zip(("", "standard error: "), old[1:], new[1:]):
        if was == now:
            continue
        a, b = was.decode(errors="replace").splitlines(), now.decode(errors="replace").splitlines()
        same = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        lines = difflib.unified_diff(a[same:same + 500], b[same:same + 500], n=0, lineterm="")
        text += [name + line[:140] for line in lines if not line.startswith(("---", "+++", "@@"))][:4]
    return text[:6]


def main(old, new, shown=12):
    lines = command_lines()
    programs = [os.path.abspath(program) for program in (old, new)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        environment = {"PATH": "/usr/bin:/bin", "CUDA_HOME": folder, "CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C", "HOME": folder, "TMPDIR": folder}
        def both(line):
            return [answer(program, shlex.split(line), environment) for program in programs]
        answers = list(pool.map(both, lines))

    groups = collections.defaultdict(list)
    for line, (before, after) in zip(lines, answers):
        if before != after:
            text = change(before, after)
            groups[re.sub(r"\d+", "0", "\n".join(text[:3]))].append((len(line), line, text))
    for group in sorted(groups.values(), key=len, reverse=True)[:shown]:
        _, line, text = min(group)
        print(f"{len(group)} x  {line[:130]}", *("    " + each for each in text), sep="\n")
    if len(groups) > shown:
        print(f"... and {len(groups) - shown} other kinds of differences")
    print(f"{len(lines)} command lines, {sum(map(len, groups.values()))} answers differ, in {len(groups)} ways")
    return 1 if groups else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:3], *map(int, sys.argv[3:])))
