#!/usr/bin/env python3
"""No option is ignored silently: every option with every action, and options about printing with every format.

    every_option_test.py MAPPING

The output differs from that without the option, or the program rejects the option: status 2, a sentence on standard
error, nothing on standard output. If the sentence names formats, it names every format that supports the option.
Options come from --help=all: an option without a sample here is a failure. With IN_LIBRARY=libmapping.so the commands
are calls of mapping_run, which takes less processor time. Prints TAP."""
import ctypes
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import library  # noqa: E402
from tap import formats  # noqa: E402

MAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "robust", "faults", "map.csv")
LISTING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "listing", "listings", "nvdisasm_c.txt")
TILE = "(64,64):(72,1)"
FOLDER = os.path.join(tempfile.gettempdir(), f"every_option.{os.getpid()}")
PROBE = os.path.join(FOLDER, "probe")
COPIED = os.path.join(FOLDER, "copied")
KERNEL = os.path.join(FOLDER, "kernel.ttgir")
LOAD = [TILE, "--type=f16", "--load=mma.m16n8k16.a.f16", "--arch=80"]

# The subjects with which each action is tried, whose types and operands leave a part.
ACTIONS = {
    "show": ["wmma.m16n16k16", "--arch=80"],
    "show a memory layout": [TILE, "--type=f16"],
    "show Tensor Memory": ["tcgen05.mma.m128n16k16", "--arch=100a"],
    "--at": ["mma.m16n8k16", "--arch=80", "--at=1,1"],
    "--list": ["--list", "mma.m16n8k16"],
    "--diff": ["--diff=sm_72,sm_75", "wmma"],
    "--check": ["--check", "results/mma.sp.txt"],
    "--confirm": ["--confirm=results/mma.sp.txt"],
    "--verify": ["--verify=row = i; col = 0", "mma.m16n8k16", "--arch=80"],
    "--map": [f"--map={MAP}"],
    "--convert": ["mma.m16n8k16.d.f32", "--convert=mma.m16n8k16.a.f16", "--arch=80"],
    "--load": LOAD,
    "--suggest": [*LOAD, "--suggest"],
    "--access": ["--access=ld.b64", "--address=tid*16"],
    "--annotate": [f"--annotate={LISTING}"],
    "list the layouts of a file": [KERNEL],
    "show a descriptor": ["0x4000004000010000"],
    "--probe": ["--probe=gemm:8,16,32", "--type=f16", f"--into={PROBE}"],
    "--probe of attention": ["--probe=attention:1,2,8,8,32", "--type=f16", f"--into={PROBE}"],
    "--decode": [f"--decode={COPIED}"],
    "--equals": ["mma.m16n8k16.d.f32", "--equals=mma.m16n8k16.d.f16", "--arch=80"],
    "--verify with a descriptor": ["Layout_K_SW128_Atom", "--verify=0x4000004000010000"],
}

# The values with which each option is tried; several if one of them is the default of an action.
SAMPLES = {
    "extent": ["32,32"], "block": ["32"], "equals": ["mma.m16n8k16.c.f32", "(64,64):(64,1)"], "type": ["bf16", "tf32"], "operand": ["b", "c"], "all": [None], "list": [None],
    "detail": [None], "brief": [None], "at": ["3,3"], "thread": ["3"], "register": ["1"], "atom-layout": ["(2,2)"],
    "permutation": ["32,32,_"], "offset": ["7"], "load": ["mma.m16n8k16.b.f16"], "store": ["mma.m16n8k16.b.f16"],
    "origin": ["16,16"], "axes": ["k,m"], "with": ["ld.b32", "tcgen05.ld.32x32b.x16"], "suggest": [None],
    "access": ["ld.b32"], "address": ["tid*4"], "lane": ["3"], "verify": ["row = tid"], "diff": ["sm_75,sm_80"],
    "map": [MAP], "outputs": ["row"], "warp": ["64"], "convert": ["mma.m16n8k16.b.f16"], "verbose": [None], "format": ["json", "svg"],
    "style": ["divide", "bits"], "order": [None], "cells": [None], "color": ["always"], "color-by": ["element", "bank"],
    "source": ["published", "isa"], "device": ["77"], "cuda": [os.path.dirname(os.path.abspath(__file__))],
    "timeout": ["50"], "check": [None], "confirm": [MAP], "strict": [None], "arch": ["70", "90"], "help": ["code"],
    "version": [None], "whole": [None], "rows": ["0-7"], "cols": ["0-7"], "annotate": [LISTING], "function": ["kern2"], "lines": ["1-40"],
    "probe": ["copy:16,16"], "into": [os.path.join(FOLDER, "other")], "decode": [COPIED], "layout": ["nt"], "ld": ["40,40"],
    "shape": ["64,64"], "d-type": ["f16", "f32"], "accumulator": ["f16"], "instruction": ["mma.m16n8k16"],
    "alpha": ["2"], "beta": ["0.5"], "bias": ["row"], "batch": ["2"], "batch-stride": ["_,0,_"], "guard": ["4"],
    "kv-heads": ["1"], "causal": ["top-left"], "scale": ["0.5"], "sfa": ["outer-vec"], "sfb": ["VEC128_32F"], "scale-type": ["f32"],
}

# What changes nothing, and why that is as it should be.
HARMLESS = {
    "timeout": "a limit that is not reached",
    "cuda": "a toolkit is asked where no record answers",
    "device": "a GPU is asked where there is one",
    "source": "with --check every source is asked already",
    "whole": "what has at most 32 rows and columns, or does not repeat, is shown whole",
    "color": "what has no grids has no colors; an alias may have the option",
    "arch": "a memory layout is the same on all; --check derives what is there",
}
# The same of single cases.
ALIKE = {
    ("--list", "list"): "that is the action", ("--check", "check"): "the same",
    ("--suggest", "suggest"): "the same",
    ("--list", "all"): "a list without fragments is of all",
    ("--map", "brief"): "the text of a map has no grids",
    ("--verify", "verbose"): "all that fits is shown already",
    ("--verify with a descriptor", "type"): "elements of one size have the same descriptors",
    ("--at as json", "brief"): "the answers of JSON have no lines above them",
    ("--check", "strict"): "everything was checked",
    ("--confirm", "strict"): "everything was checked",
}

# Options that formats show in ways of their own: which actions have several formats.
OF_FORMATS = ["style", "brief", "cells", "color-by", "order", "detail", "whole", "rows", "cols"]
WITH_FORMATS = ["show", "show a memory layout", "--at", "--map", "--load", "--access"]

mapping = None  # the program
called = None  # the library, if commands are called in it
number = failures = 0


def run(*arguments):
    if called:
        context = called.mapping_open(ctypes.byref(library.Options(ctypes.sizeof(library.Options), True)))
        status, text, message = library.run(called, context, arguments)
        called.mapping_close(context)
        return status, text, f"mapping: {message.decode(errors='replace')}" if message else ""
    done = subprocess.run([mapping, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, CUDA_VISIBLE_DEVICES="", TERM="xterm"))
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def ok(name, why):
    global number, failures
    number += 1
    failures += bool(why)
    print(f"{'not ' if why else ''}ok {number} - {name}" + (f"\n# {why}" if why else ""))


def written(option, value):
    return f"--{option}" if value is None else f"--{option}={value}"


def judge(base, arguments):
    """None if the option had an effect, "ignored" if it had none, otherwise the error in a refusal."""
    status, out, err = run(*arguments)
    if status not in (0, 1, 4) and (out or not err.startswith("mapping: ")):
        return f"status {status}, {len(out)} bytes, standard error: {err[:200]}"
    return "ignored" if (status, out) == base else None


@functools.lru_cache(maxsize=None)
def without_option(action, extra):
    return run(*ACTIONS[action], *extra)[:2]


def try_option(name, action, option, extra=()):
    verdicts = [judge(without_option(action, extra), [*ACTIONS[action], *extra, written(option, value)]) for value in SAMPLES[option]]
    wrong = [verdict for verdict in verdicts if verdict not in (None, "ignored")]
    is_ignored = all(verdict == "ignored" for verdict in verdicts)
    is_known = option in HARMLESS or {(action, option), (name.split(",")[0], option)} & ALIKE.keys()
    ok(name, wrong[0] if wrong else f"{written(option, SAMPLES[option][0])} is ignored" if is_ignored and not is_known
       else None)


def formats_named(err):
    """The formats that a refusal names; none if it names none."""
    said = re.search(r"; (?:it needs --format=|use )([a-z]+(?:, [a-z]+)*(?: or [a-z]+)?)(?: \(|$)", err.strip())
    return set(re.split(", | or ", said[1])) if said else set()


def try_names(action, names):
    """A refusal because of the format names all formats that are not refused: for the action, and for each of its options."""
    done = {name: run(*ACTIONS[action], f"--format={name}") for name in names}
    shown = {name for name, (status, _, _) in done.items() if status in (0, 1)}
    wrong = {name: err for name, (_, _, err) in done.items() if "does not support" in err and formats_named(err) != shown}
    ok(f"{action}: a refusal names all other formats", f"{wrong}, not {shown}" if wrong else None)
    for option, value in ((option, value) for option in OF_FORMATS for value in SAMPLES[option]):
        errors = {name: run(*ACTIONS[action], f"--format={name}", written(option, value))[2] for name in sorted(shown)}
        refused = {name: err for name, err in errors.items() if "does nothing with" in err and "it needs --format=" in err}
        wrong = {name: err for name, err in refused.items() if formats_named(err) & shown != shown - refused.keys()}
        ok(f"{action}, {written(option, value)}: a refusal names all other formats",
           f"{wrong}, not {shown - refused.keys()}" if wrong else None)


def main(program):
    global mapping, called
    mapping = program
    if os.environ.get("IN_LIBRARY"):
        called = library.load(os.environ["IN_LIBRARY"])
        os.environ.update(CUDA_VISIBLE_DEVICES="", TERM="xterm")
    os.mkdir(FOLDER)
    with open(KERNEL, "w") as kernel:
        kernel.write("#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>\n")
    run("--probe=copy:8,16", "--type=f16", f"--into={COPIED}")
    for r in range(2):
        shutil.copy(os.path.join(COPIED, f"A{r}.npy"), os.path.join(COPIED, f"D{r}.npy"))
    listed = sorted(set(re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)", run("--help=all")[1].decode().split("--help=all")[1],
                                   re.MULTILINE)))
    ok("every option of --help has a sample here", f"{set(listed) ^ set(SAMPLES)}" if set(listed) ^ set(SAMPLES) else None)
    for action, arguments in ACTIONS.items():
        status = run(*arguments)[0]
        ok(f"{action} is done", f"status {status}" if status not in (0, 1) else None)
    for action in ACTIONS:
        for option in (name for name in listed if name in SAMPLES):
            try_option(f"{action}, --{option}", action, option)
    for action in WITH_FORMATS:
        try_names(action, formats(program))
        for name in formats(program):
            extra = (f"--format={name}", *(["--color=always"] if name == "text" else []))
            if run(*ACTIONS[action], *extra)[0] not in (0, 1):
                continue
            for option in OF_FORMATS:
                try_option(f"{action} as {name}, --{option}", action, option, extra)
    shutil.rmtree(FOLDER)
    print(f"1..{number}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
