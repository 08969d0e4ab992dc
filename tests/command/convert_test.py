#!/usr/bin/env python3
"""Compares --convert with the maps of both fragments, entry by entry.

    convert_test.py MAPPING ARCH < PAIRS        each line: SOURCE TARGET

The maps of each pair come from --format=json of each fragment. They determine the elements that each slot of each
register of a thread has before the conversion and needs after it, and so the kind of conversion. If a fragment has
several matrices, they lie side by side, in row-major order.
Prints "N pairs, M wrong", and a line for each wrong pair.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402

mapping, arch = sys.argv[1:3]
maps = {}


def run(*arguments):
    done = command(mapping, "--arch=" + arch, "--format=json", *arguments)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def held(name, tiles):
    """The elements of each thread, in the order of registers: elements of the whole, by tile and i."""
    fragment = maps.setdefault(name, None) or run(name)
    maps[name] = fragment
    rows, cols = fragment["rows"], fragment["cols"]
    return [[(*place[:-2], r * rows + place[-2], c * cols + place[-1])
             for r in range(tiles[0]) for c in range(tiles[1]) for place in thread]
            for thread in fragment["map"]]


def permuted(threads, axis, table):
    def move(place):
        place = list(place)
        place[axis] = table[place[axis]]
        return tuple(place)
    return [[move(place) for place in thread] for thread in threads]


def kind_of(source, target, per):
    """The kind of conversion that suffices, and the registers that are only renamed."""
    padding = [None] * (-len(source[0]) % per)
    words = [[tuple((thread + padding)[w:w + per]) for w in range(0, len(thread), per)] for thread in source]
    wanted = [[tuple(thread[w:w + per]) for w in range(0, len(thread), per)] for thread in target]
    if not all(set(needs) <= set(has) for needs, has in zip(target, source)):
        return "shuffles", None
    names = []
    for w in range(len(wanted[0])):
        size = len(wanted[0][w])
        found = [n for n in range(len(words[0]))
                 if all(has[n][:size] == needs[w] for has, needs in zip(words, wanted))]
        if not found:
            return "slots", None
        names.append(w if w in found else found[0])
    return ("same" if names == list(range(len(names))) and len(names) == len(words[0]) else "words"), names


def judge(source, target):
    said = run("--convert=" + target, source)
    if isinstance(said, str):
        return said.strip()
    has, needs = held(source, said["from_tiles"]), held(target, said["to_tiles"])
    per = max(1, 32 // said["bits"])
    kind, names = kind_of(has, needs, per)
    if said["kind"] not in (kind, "memory" if kind == "shuffles" else kind):
        return f"says {said['kind']}, is {kind}"
    if names is not None and said["registers"] is not None:
        padding = [None] * (-len(has[0]) % per)
        for thread, wanted in zip(has, needs):
            thread = thread + padding
            got = [thread[r * per + s] for r in said["registers"] for s in range(per)]
            if got[:len(wanted)] != wanted:
                return "the registers are others"
    if kind == "shuffles" and said["shuffles"] == 0 and said["kind"] != "memory":
        return "says no shuffles"
    saved = said["permuted"]
    if saved:
        axis = -1 if saved["axis"] == "col" else -2
        if sorted(saved["permutation"]) != list(range(len(saved["permutation"]))):
            return "no permutation"
        kind, _ = kind_of(has, permuted(needs, axis, saved["permutation"]), per)
        if kind == "shuffles" or saved["kind"] != kind:
            return f"says {saved['kind']} with permuted {saved['axis']}s, is {kind}"
    return None


wrong = count = 0
for line in sys.stdin:
    source, target = line.split()
    verdict = judge(source, target)
    count += 1
    if verdict:
        wrong += 1
        print(source, target, verdict)
print(f"{count} pairs, {wrong} wrong")
sys.exit(wrong > 0)
