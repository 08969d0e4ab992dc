#!/usr/bin/env python3
"""Compares the output of two versions of the program for thousands of command lines.

    make delta BASE=HEAD~1                       # builds that commit in build/delta, compares ./mapping with it
    python3 tests/lib/delta.py OLD NEW...            # compares programs with the first of them
    SAMPLE=3 python3 tests/lib/delta.py OLD NEW...   # on one in three command lines, evenly spread

It runs the command lines of tests/lib/command_lines.py with each program, and compares exit status, standard output and standard
error. It groups the differences by the lines that changed, and shows each group once, the largest first, with the
shortest of its command lines. The exit status is 1 if an answer differs, or if a program crashes or does not end. Use
it during a refactoring. It is not an oracle, because it cannot tell which of two answers is right.
"""
import collections
import difflib
import functools
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import tempfile

from command_lines import command_lines

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT_S = 60  # for one command
SHOWN = 8  # groups of differences


def answer(program, words, environment):
    """Status, standard output and standard error of one command."""
    try:
        done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment, cwd=ROOT, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"none after {LIMIT_S} s", b"", b""
    return done.returncode, done.stdout, done.stderr


def change(old, new):
    """The status, if it changed, and the first lines that differ."""
    text = [] if old[0] == new[0] and isinstance(new[0], int) and new[0] >= 0 else [f"status {old[0]} -> {new[0]}"]
    for name, was, now in zip(("", "standard error: "), old[1:], new[1:]):
        if was == now:
            continue
        a, b = was.decode(errors="replace").splitlines(), now.decode(errors="replace").splitlines()
        same = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        lines = difflib.unified_diff(a[same:same + 500], b[same:same + 500], n=0, lineterm="")
        text += [name + line[:140] for line in lines if not line.startswith(("---", "+++", "@@"))][:4]
    return text[:6]


def answers(programs, environment, line):
    return [answer(program, shlex.split(line), environment) for program in programs]


def main(old, *new):
    most = (2**32 - 1) // int(os.environ.get("SAMPLE") or 1)  # the rule of tap.py's sample
    lines = [line for number, line in enumerate(command_lines(new[-1])) if number * 2654435769 % 2**32 <= most]
    programs = [os.path.abspath(program) for program in (old, *new)]
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool() as pool:
        environment = {"PATH": "/usr/bin:/bin", "CUDA_HOME": folder, "CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C", "HOME": folder, "TMPDIR": folder}
        answered = pool.map(functools.partial(answers, programs, environment), lines, chunksize=20)

    groups = collections.defaultdict(list)
    for line, (before, *others) in zip(lines, answered):
        for name, after in zip(new, others):
            crashed = not isinstance(after[0], int) or after[0] < 0
            if before != after or crashed:
                text = change(before, after)
                groups[name + re.sub(r"\d+", "0", "\n".join(text[:3]))].append((len(line), line, text))
    for group in sorted(groups.values(), key=len, reverse=True)[:SHOWN]:
        _, line, text = min(group)
        print(f"{len(group)} x  {line[:130]}", *("    " + each for each in text), sep="\n")
    if len(groups) > SHOWN:
        print(f"... and {len(groups) - SHOWN} other kinds of differences")
    print(f"{len(lines)} command lines, {sum(map(len, groups.values()))} answers differ, in {len(groups)} ways")
    return 1 if groups else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
