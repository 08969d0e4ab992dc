#!/usr/bin/env python3
"""Puts bytes that act on a terminal into every place where text comes from outside.

    hostile_test.py MAPPING      in each place one of 16 kinds of bytes; with THOROUGH=1 all

Both streams must have only valid UTF-8, no control characters other than the program's own newlines, and no
bidirectional control characters. An error message is one sentence in one line, and contains the cause, even if a name
or a path is longer than sentences are. Only a C expression has two more lines, which point into it.
"""
import concurrent.futures
import os
import re
import stat
import subprocess
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, formats, ok, one_in  # noqa: E402

mapping = os.path.abspath(sys.argv[1])

BYTES = {
    "a newline": b"\n<INJECTED", "an escape": b"\x1b]0;x\x07\x1b[31m", "a carriage return": b"\r<INJECTED",
    "a tab and a backspace": b"\t\b\v\f", "delete": b"\x7f", "C1 as UTF-8": b"\xc2\x9b31m\xc2\x85",
    "C1 as bytes": b"\x9b31m\x84\x90", "no UTF-8": b"\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80",
    "a character cut short": b"\xe2\x82", "a byte of a character alone": b"\x80\xbf",
    "another direction": "\u202e\u2066\u200f\u061c".encode(), "ends of lines": "\u2028\u2029".encode(),
    "nothing to be seen": "\u200b\ufeff\u00ad\U000e0041".encode(), "letters": "\u00e9\u6f22\U0001d54f".encode(),
    "many letters": "\u6f22".encode() * 1500, "many escapes": b"\x1b" * 5000,
}
each = len(BYTES) // one_in(len(BYTES))
LETTERS = {"letters", "many letters"}

# Bytes to insert before, into and after texts.
VALUES = {
    "type": "half", "operand": "a", "arch": "sm_80", "diff": "sm_75,sm_80", "format": "text", "style": "bits",
    "color": "auto", "color-by": "thread", "atom-layout": "(2,2,1)", "permutation": "32,32,_", "at": "3,5",
    "thread": "7,2", "lane": "5", "offset": "72", "with": "ld.b128", "convert": "mma.m16n8k16.a.f16",
    "load": "mma.m16n8k16.a.f16", "store": "mma.m16n8k16.a.f16", "origin": "0,0", "access": "ld.b32",
    "source": "recorded", "device": "0", "timeout": "60", "cuda": "/tmp", "check": "/nowhere", "confirm": "/nowhere",
    "verify": "row = lane / 4", "map": "/nowhere", "extent": "64,64", "nonsense": "x",
}
SUBJECTS = [
    "mma.m16n8k16.a.f16", "mma.m16n8k16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "(64,64):(64,1)",
    "Sw<3,3,3> o 0 o (64,64):(64,1)", "Layout_K_SW128_Atom", "TensorOpMultiplicand<16,64>", "RowMajor",
    "fragment<matrix_a, 16, 16, 16, half, row_major>", "SM80_16x8x16_F32F16F16F32_TN", "MMA_Atom<SM80_X>",
    "HMMA.16816.F32 R4, R8, R16, R4", "tcgen05.mma.m128n128k16.d.f32", "tcgen05.ld.16x64b.x4.r.b32", "LDSM.16.M88.4",
    "SM90_64x128x16_F32F16F16_RS<GMMA::Major::K>", "tcgen05.cp.128x128b.d.b32", "ld.b32", "",
]
FORMATS = formats(mapping)
MAP = b"c,s,offset\n0,0,0\n0,1,1\n1,0,2\n1,1,3\n"
READ = b"tid,i,row,col\n0,0,0,0\n0,1,0,1\n1,0,1,0\n1,1,1,1\n"

FAKE = rb"""#!/bin/sh
case $* in
*--version) echo 'Cuda compilation tools, release 1.2, V1.2.3'; exit ;;
esac
cat "$(dirname "$0")/complaint" >&2
exit 1
"""


class Case:
    """One run: arguments, standard input, additional environment variables, and the required message."""

    def __init__(self, where, arguments, stdin=b"", environment=None, says=None):
        self.where, self.stdin, self.says = where, stdin, says
        self.arguments = [a if isinstance(a, bytes) else a.encode() for a in arguments]
        self.environment = environment or {}


def mixed(text, hostile):
    """Bytes alone, and before, inside and after a text."""
    text = text.encode()
    half = len(text) // 2
    return [hostile, text + hostile, hostile + text, text[:half] + hostile + text[half:]]


def of_arguments(hostile):
    for option, value in VALUES.items():
        for text in mixed(value, hostile):
            yield Case(f"--{option}", [b"--" + option.encode() + b"=" + text])
    yield Case("an option", [b"--" + hostile])
    yield Case("a letter", [b"-" + hostile])
    yield Case("an argument too many", [b"--brief=" + hostile])
    for subject in SUBJECTS:
        for text in mixed(subject, hostile):
            yield Case(f"the subject {subject}", [text])
    for text in mixed("0,4,-,12" + ",0" * 28, hostile) + mixed("tid * 4", hostile):
        yield Case("--address", ["--access=ld.b32", b"--address=" + text])
    for text in mixed("row = 8 /* x */ / i", hostile):
        yield Case("--verify", ["mma.m16n8k16.d.f32", b"--verify=" + text])
    for action in ("--map", "--check", "--confirm", "--list", "--all", "--diff=sm_75,sm_80"):
        yield Case("one too many", [action, "/dev/null", hostile])


def of_shown(hostile):
    for output in FORMATS:
        blank = hostile if hostile.isspace() else b" " + hostile
        yield Case("a matrix", ["(8,8):(8,1)" + " ", blank, f"--format={output}"])
        yield Case("a matrix", [b"Sw<3,3,3>" + hostile + b"o 0 o (64,64):(64,1)", f"--format={output}"])
        yield Case("a permutation", ["mma.m16n8k16.d.f32", b"--permutation=32," + hostile + b"32,_",
                                     f"--format={output}"])
        yield Case("an atom layout", ["mma.m16n8k16.d.f32", b"--atom-layout=(2," + hostile + b"2)",
                                      f"--format={output}"])
        yield Case("an expression", ["--verify=row = lane // " + "x", b"--verify=col = i /*" + hostile + b"*/",
                                     f"--format={output}"])
        yield Case("addresses", ["--access=ld.b32", b"--address=tid * 4 /*" + hostile + b"*/", f"--format={output}"])


def of_files(folder, hostile):
    name = hostile.replace(b"\0", b"")[:200].replace(b"/", b"_") + b"x"
    path = os.path.join(folder.encode(), name)
    with open(path, "wb") as file:
        file.write(MAP)
    for output in FORMATS:
        yield Case("the name of a map", [b"--map=" + path, f"--format={output}"])
    yield Case("the name of a file", [b"--check=" + path])
    yield Case("the name of a folder", [b"--cuda=" + path, "--source=sass"])
    yield Case("--outputs", [b"--map=" + path, b"--outputs=" + hostile])
    yield Case("--outputs", [b"--map=" + path, b"--outputs=s," + hostile + b",offset"])
    yield Case("no such file", [b"--map=" + path + hostile * 4], says="could not open")
    yield Case("no such file", [b"--check=/nowhere/" + (hostile * 100)[:5000]], says="could not open")


def of_contents(hostile):
    for place in range(len(MAP)):
        if place < 12 or MAP[place:place + 1] in b",\n":
            yield Case("a map", ["--map=-"], MAP[:place] + hostile + MAP[place:])
    yield Case("a title", ["--map=-"], b"fragment,tid,row\n\"" + hostile + b"\",0,0\n\"x" + hostile + b"\",1,1\n")
    yield Case("a title", ["--map=-"], b"fragment,tid,row\n" + hostile + b",0,0\n" + hostile + b",1,1\n")
    yield Case("a name in quotes", ["--map=-"], READ.replace(b"tid", b'"' + hostile + b'"'))


def of_results(text, hostile):
    lines = text.split(b"\n")
    for n in [0, 1, 2, 3, 5, len(lines) - 3, len(lines) - 2]:
        line = lines[n]
        for new in (hostile, line + hostile, hostile + line, line[:len(line) // 2] + hostile + line[len(line) // 2:]):
            yield Case("results", ["--check=-", "--source=isa"], b"\n".join(lines[:n] + [new] + lines[n + 1:]))
            yield Case("results", ["--confirm=-", "--source=isa"], b"\n".join(lines[:n] + [new] + lines[n + 1:]))
    for new in (b"# " + hostile, b"# Layout_K_SW128_Atom<half_t" + hostile + b"> on sm_90\n", b"# opcodes " + hostile):
        yield Case("results", ["--check=-"], new + b"\n")


def of_tools(folder, hostile):
    """Tools that complain so, in a folder that is called so."""
    for n, name in enumerate((b"tools", hostile.replace(b"/", b"_")[:200])):
        tools = os.path.join(folder.encode(), b"%d" % n + name)
        os.makedirs(tools)
        for tool in (b"ptxas", b"nvdisasm"):
            path = os.path.join(tools, tool)
            with open(path, "wb") as file:
                file.write(FAKE)
            os.chmod(path, stat.S_IRWXU)
        with open(os.path.join(tools, b"complaint"), "wb") as file:
            file.write(b"ptxas x.ptx, line 7; error   : it is " + hostile + b" wrong\nmore\n")
        cuda = b"--cuda=" + tools
        yield Case("a tool's complaint", ["-a80", "--source=sass", cuda], says="failed with exit status 1: ptxas x.ptx")
        yield Case("a tool's complaint", ["-a80", cuda], says="failed with exit status 1: ptxas x.ptx")
        yield Case("a tool's complaint", ["--check", "-a80", cuda])
    yield Case("$TMPDIR", ["-a80", "--source=sass", b"--cuda=" + os.path.join(folder.encode(), b"0tools")],
               environment={b"TMPDIR": b"/nowhere/" + hostile}, says="TMPDIR")
    for name in (b"PATH", b"CUDA_HOME", b"CUDA_PATH", b"TERM", b"COLORTERM", b"PAGER", b"NO_COLOR"):
        yield Case(name.decode(), ["-a80", "--source=recorded", "--color=always"], environment={name: hostile})


def is_allowed(character):
    if character == "\n":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn")


def why_not(text, is_tinted):
    """A character that a stream must not contain; "" if there is none."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        return f"no UTF-8: {error}"
    if is_tinted:
        decoded = re.sub("\033\\[[0-9;]*m", "", decoded)
    bad = [c for c in decoded if not is_allowed(c)]
    if bad:
        return f"has {bad[0]!r}"
    return "has a line of a name" if re.search("^<INJECTED", decoded, re.M) else ""


def why_no_sentence(case, err):
    """The error on standard error; "" if there is none."""
    lines = err.decode(errors="replace").split("\n")
    if lines == [""]:
        return ""
    if not lines[0].startswith("mapping: ") or lines[-1] != "" or len(lines) not in (2, 4):
        return f"{len(lines) - 1} lines"
    if len(lines) == 4 and not re.fullmatch(r"  ( *)\^( \('mapping --help(=[a-z-]+)?' explains (it|the options)\))?", lines[2]):
        return "lines that do not point into an expression"
    return f"does not say '{case.says}'" if case.says and case.says not in lines[0] else ""


def judge(case):
    environment = {b"PATH": os.environb.get(b"PATH", b""), b"CUDA_VISIBLE_DEVICES": b"", **case.environment}
    done = subprocess.run([mapping.encode()] + case.arguments, input=case.stdin, capture_output=True, env=environment,
                          timeout=60)
    wrong = why_not(done.stdout, "--color=always".encode() in case.arguments) or why_not(done.stderr, False) or \
        why_no_sentence(case, done.stderr)
    if not wrong and done.returncode not in range(6):
        wrong = f"status {done.returncode}"
    if not wrong and done.returncode in (2, 3, 5) and (done.stdout or not done.stderr):
        wrong = "something on standard output, or no reason"
    if not wrong and case.says and not done.stderr:
        wrong = "said nothing"
    return f"{case.where}: {wrong}: {case.arguments} {done.stderr[:300]!r}" if wrong else ""


def cases(folder, results, hostile):
    os.makedirs(folder)
    yield from of_arguments(hostile)
    yield from of_shown(hostile)
    yield from of_files(folder, hostile)
    yield from of_contents(hostile)
    yield from of_results(results, hostile)
    yield from of_tools(folder, hostile)


def main():
    results = subprocess.run([mapping, "--arch=sm_90", "--source=isa", "mma.m8n8k16.a.s8"], capture_output=True,
                             check=True).stdout
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        count = 0
        for n, (kind, hostile) in enumerate(BYTES.items()):
            some = [case for c, case in enumerate(cases(os.path.join(folder, str(n)), results, hostile))
                    if not any(b"\0" in a for a in case.arguments)]
            some = [case for c, case in enumerate(some) if (c + n) % len(BYTES) < each]
            why = [line for line in pool.map(judge, some) if line]
            count += len(some)
            ok(f"{kind}: nothing of it reaches a terminal" if kind not in LETTERS else f"{kind}: they pass", not why,
               "\n".join(why))
        print(f"# {count} inputs")
    sys.exit(finish())


main()
