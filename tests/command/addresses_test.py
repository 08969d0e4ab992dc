#!/usr/bin/env python3
"""Compares the addresses that --load and --store print as text with those of --format=json, thread by thread.

    addresses_test.py MAPPING

In text, the formula of a step may refer to an earlier one, "address0 ^ 32", or all steps may be one function of s;
an address may be a function of row and column, or chunk, which are functions of the thread. Python evaluates the
formulae. The text must name every instruction of the JSON: the best in full, the others in one line, or also in
full with --whole. The last line is the number of compared lines; the status is 1 if any is wrong.
"""

import itertools
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402
from tap import compiled, sample  # noqa: E402

mapping = sys.argv[1]
SWIZZLED = ["Sw<3,3,3> o 0 o (64,64):(64,1)", "Sw<2,4,3> o smem_ptr[16b](unset) o (64,32):(32,1)",
            "Sw<1,3,3> o 0 o (64,64):(64,1)", "Sw<3,3,4> o 0 o (64,128):(128,1)", "Sw<3,3,3> o 0 o (64,64):(1,64)"]
PLAIN = ["(64,64):(64,1)", "(64,64):(72,1)", "(64,64):(1,64)", "(64,64):(1,72)", "((3,16),64):((72,701),1)",
         "(64,(8,8)):(8,(1,520))"]
LOADS = [["-a80", "--load=mma.m16n8k16.a.f16"], ["-a80", "--load=mma.m16n8k16.a.f16", "--origin=16,16"],
         ["-a80", "--load=mma.m16n8k16.a.f16", "--origin=3,8"], ["-a80", "--load=mma.m16n8k16.a.f16", "--origin=5,2"],
         ["-a80", "--load=mma.m16n8k16.b.f16", "--origin=47,48"], ["-a80", "--load=mma.m16n8k16.a.f16", "--origin=8,0"],
         ["-a80", "--load=mma.m16n8k16.b.f16"], ["-a80", "--load=mma.m16n8k16.b.f16", "--axes=n,k"],
         ["-a80", "--load=mma.m16n8k16.a.f16", "--atom-layout=(2,2,1)", "--permutation=64,32,32"],
         ["-a80", "--load=mma.m16n8k16.b.f16", "--permutation=16,32,64"], ["-a90", "--store=wgmma.m64n32k16.d.f16"],
         ["-a90", "--store=stmatrix.m8n8.x1.r.b16", "--type=b16"], ["-a75", "--load=mma.m16n8k8.a.f16"],
         ["-a80", "--store=mma.m16n8k16.d.f16", "--origin=8,8"], ["-a70", "--load=wmma.m16n16k16.a.row.f16"],
         ["-a80", "--store=cp.async", "--type=f16"]]


def run(*arguments):
    done = command(mapping, *arguments)
    return done.returncode, done.stdout


def value(formula, **variables):
    return eval(compiled(formula), {}, variables)


def plans(text):
    """Yields (first line, [unfolded lines of steps]) of each plan in full."""
    text = re.sub(r"\n(      (?=[+^]|byte)|  (?=--with|[0-9]*-way bank|no bank))", " ", text)
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("  "):
            steps.append(line.strip())
        else:
            steps = []
            yield line, steps


def check(first, steps, plan):
    """The error in a plan in full: its addresses, by step, and the registers that each step moves."""
    global placed
    found = {}
    threads = len(plan["steps"][0]["address"])
    for line in steps:
        if "no formula" in line:
            found[len(found)] = []
            continue
        if re.fullmatch(r"[-\d ]+", line):
            found[max(found)] += [None if word == "-" else int(word) for word in line.split()]
            continue
        what, formula = re.split(r"(?:: |, )byte address = ", line)
        what, *place = re.split(r": (?=row = )|, (?=(?:chunk|col) = )", what)
        number = len(found)
        formula = formula.removeprefix(f"address{number} = ")
        copied = re.match(r"step 0 to (\d+)$", what)
        every = re.match(r"step s \(1 to (\d+)\), \S+ (.*)", what)
        for s in range(int(copied[1]) + 1) if copied else range(1, int(every[1]) + 1) if every else [number]:
            base = re.search(r"address(\d+)", formula)
            if every:
                names = [value(re.sub(r"(\d)s", r"\1*s", word), s=s) for word in re.split(" to |, ", every[2])]
                pieces = list(range(names[0], names[-1] + 1)) if " to " in every[2] else names
                if pieces != plan["steps"][s]["pieces"]:
                    return f"step {s} moves {plan['steps'][s]['pieces']}, not {pieces}"
            found[s] = []
            for tid in range(threads):
                known = {base[0]: found[int(base[1])][tid]} if base and int(base[1]) in found else {}
                if base and not known:
                    return f"step {s} follows from step {base[1]}, which has no formula"
                missing = known and list(known.values()) == [None]
                at = dict(one.split(" = ") for one in place)
                known = known | {axis: value(text, tid=tid) for axis, text in at.items()}
                found[s].append(None if missing else value(formula, tid=tid, s=s, step=s, **known))
                placed += tid == 0 and bool(place)
    if sorted(found) != list(range(len(plan["steps"]))):
        return f"steps {sorted(found)} of {len(plan['steps'])}"
    for s, step in enumerate(plan["steps"]):
        for tid, address in enumerate(step["address"]):
            if address is not None and address != found[s][tid]:
                return f"step {s}, thread {tid}: {found[s][tid]}, not {address}"
    return None


def check_header(header, plan):
    """The first wrong offset in a header whose offsets are formulae of row and column."""
    for place, step, formula in re.findall(r"const unsigned (row = .*);\n +offset(\d+) = (.*);", header):
        for tid, address in enumerate(plan["steps"][int(step)]["address"]):
            at = {axis: value(text, tid=tid) for axis, text in (one.split(" = ") for one in place.split(", "))}
            if address is not None and value(formula, tid=tid, **at) != address:
                return f"offset{step} of a header, thread {tid}: {value(formula, tid=tid, **at)}, not {address}"
    return None


lines = wrong = folded = placed = in_headers = 0
for load, matrix in sample(itertools.product(LOADS, SWIZZLED + PLAIN), 3):
    status, text = run("--format=json", *load, matrix)
    if status:
        continue
    loads = json.loads(text)
    loads = loads if isinstance(loads, list) else [loads]
    status, header = run("--format=cuda", *load, matrix)
    in_headers += "const unsigned row = " in header
    bad = [] if status else [check_header(header, loads[0])]
    wrong += bad not in ([], [None])
    for option in [], ["--whole"], ["--style=short"]:
        status, text = run(*load, *option, matrix)
        shown = list(plans(text))
        names = [line.split(":")[0] for line, _ in shown]
        expected = [plan["with"] for plan in loads] if "cp.async" not in load[1] else ["cp.async, 16 bytes per lane"]
        bad = [f"plans {names}, not {expected}"] if names != expected else []
        for n, ((line, steps), plan) in enumerate(zip(shown, loads)):
            lines += 1
            if n > 0 and not option:
                ending = f"; --with={plan['with']} shows it"
                numbers = f"{plan['wavefronts']} wavefront"
                bad += [] if line.endswith(ending) and numbers in line and not steps else [line]
            elif n == 0 or option == ["--whole"]:
                problem = check(line, steps, plan)
                folded += any("address0" in step for step in steps)
                bad += [problem] if problem else []
        if any(len(line) > 80 for line in text.splitlines()):
            bad.append("a line is longer than 80 columns")
        wrong += len(bad)
        for problem in bad:
            print("#", *load, *option, matrix, problem)
print(f"{lines} lines, {folded} with steps that follow from others, {placed} by row and column, {wrong} wrong")
sys.exit(wrong > 0 or lines < 400 or folded < 30 or placed < 30 or in_headers < 3)
