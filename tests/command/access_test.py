#!/usr/bin/env python3
"""Compares --access with an independent implementation of the rule of bank conflicts.

    access_test.py MAPPING [EACH]       tests each operation with EACH random patterns, and with all structured ones

The number of wavefronts of a phase is the largest number of distinct 32-bit words in one of the 32 banks. An access of
up to 32 bits has one phase, one of 64 bits has two (half-warps), one of 128 bits has four (quarter-warps), and ldmatrix
and stmatrix have one for each matrix. Two neighbouring phases of a load are merged if, in the whole warp, any two
active lanes l and l ^ 1 have the same address, or any two l and l ^ 2. Prints "N patterns, M wrong", and a line for
each wrong pattern.
"""
import concurrent.futures
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from bank_patterns import patterns  # noqa: E402
from library import command  # noqa: E402
from simulated_warp import banks_of, phases_of  # noqa: E402
from tap import sample  # noqa: E402

mapping = sys.argv[1]
each = int(sys.argv[2]) if len(sys.argv) > 2 else 60


def expected(access, address):
    phases = []
    for lanes in phases_of(access, address):
        lanes = [lane for lane in lanes if address[lane] is not None]
        banks = banks_of(access, address, lanes)
        most = max(map(len, banks))
        bank = [len(words) for words in banks].index(most)
        meeting = [lane for lane in lanes if banks_of(access, address, [lane])[bank]]
        conflict = most > 1
        phases.append({"lanes": lanes, "wavefronts": most, "bank": bank if conflict else None,
                       "meeting": meeting if conflict else []})
    return {"access": access, "wavefronts": sum(phase["wavefronts"] for phase in phases),
            "minimum": sum(1 for phase in phases if phase["lanes"]), "phases": phases, "address": address}


def judge(pattern):
    name, access, address = pattern
    text = ",".join("-" if a is None else str(a) for a in address)
    done = command(mapping, "--format=json", "--access=" + access, "--address=" + text)
    if done.returncode != 0:
        return f"{access} {name}: status {done.returncode}, {done.stderr}"
    said = json.loads(done.stdout)
    for field, value in expected(access, address).items():
        if said[field] != value:
            return f"{access} {name} {text}: {field} is {value}, not {said[field]}"
    return None


with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
    verdicts = list(pool.map(judge, sample(patterns(each), 11)))
wrong = [verdict for verdict in verdicts if verdict]
print("\n".join([*wrong[:20], f"{len(verdicts)} patterns, {len(wrong)} wrong"]))
sys.exit(len(wrong) > 0)
