#!/usr/bin/env python3
"""Expands the groups that --list prints on a terminal, with bash, and compares them with the list of --format=csv.

    list_test.py MAPPING

Each fragment must be in one group, under its instruction, its first architecture and its sources. If the groups have
more lines than the screen, they are only counted, by instruction. A list of at most 24 fragments, or one with --whole,
has a line for each. Prints "N lists, W wrong", and what is wrong.
"""

import csv
import io
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from terminal import show  # noqa: E402

mapping = sys.argv[1]


def named(arguments):
    """The names of a list, of all widths n, with the first architecture and the instruction's family."""
    done = subprocess.run([mapping, "--list", "--format=csv", *arguments], capture_output=True, text=True, check=True)
    names = set()
    for row in csv.DictReader(io.StringIO(done.stdout)):
        words = row["fragment"].split(".")
        shape = next(w for w, word in enumerate(words) if word.startswith(("m", "x")) and any(map(str.isdigit, word))
                     ) if row["n"] else 0
        before, n, behind = words[shape].partition("n") if row["n"] else ("", "", "")
        for width in row["n"].split(" ") if n else [""]:
            if n:
                words[shape] = f"{before}n{width}k{behind.split('k')[1]}"
            names.add(".".join(words))
    return names


lists = wrong = 0
for arguments in [], ["--arch=70"], ["--arch=75"], ["--arch=80"], ["--arch=90"], ["--arch=100"], ["--arch=103"], \
        ["--arch=120"], ["--type=s8"], ["tcgen05.*"], ["wgmma.*"], ["--operand=e"], ["mma.m16n8k16"], ["--arch=75", "--whole"]:
    lists += 1
    status, text = show([mapping, "--list", *arguments])
    lines = text.splitlines()
    problem = "" if status == 0 else f"status {status}"
    if max(map(len, lines)) > 80:
        problem = "a line is longer than 80 columns"
    expected = named([word for word in arguments if word != "--whole"])
    if "--whole" in arguments or len(expected) <= 24:
        found = [line.split(" ")[0] for line in lines if not line.startswith(" ")]
    elif lines[0].endswith(" on"):  # of several instructions: "wmma    88 fragments from sm_70 on"
        table = subprocess.run([mapping, "--list", "--format=csv", *arguments], capture_output=True, text=True, check=True).stdout
        counts = {}
        for row in csv.DictReader(io.StringIO(table)):
            instruction = re.match(r".*?(?=\.[mx]\d|\.\d+x)", row["fragment"]).group()
            counts[instruction] = counts.get(instruction, 0) + 1
        told = {line.split()[0]: int(line.split()[1]) for line in lines[:-2]}
        if told != counts or "--whole prints a line for each of" not in " ".join(lines[-2:]):
            problem = f"{told}, not {counts}"
        found = expected
    else:
        if "--whole prints" not in lines.pop():
            problem = "the last line does not name --whole"
        if len(lines) > 48 and len({line.split(",")[0] for line in lines if not line.startswith(" ")}) > 1:
            problem = f"{len(lines)} lines"
        found, heading = [], ""
        for line in "\n".join(lines).replace(",\n    ", ",").split("\n"):
            if not line.startswith(" "):
                heading = line.split(",")[0]
                continue
            patterns = re.sub(r",\s*(?=" + heading + r"\.)", " ", line)
            words = subprocess.run(["bash", "-c", f"printf '%s\\n' {patterns}"], capture_output=True, text=True,
                                   check=True).stdout.split()
            found += words
            if not all(word.startswith(heading + ".") for word in words):
                problem = f"{heading} heads {words}"
    if sorted(found) != sorted(expected):
        problem = f"{len(found)} names, not {len(expected)}: {sorted(set(found) ^ expected)[:4]}"
    if problem:
        wrong += 1
        print("#", *arguments, problem)
print(f"{lists} lists, {wrong} wrong")
