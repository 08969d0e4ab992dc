"""completion_test.py PROGRAM SCRIPT SHELL FOLDER: types command lines, with a tab at the end, into an interactive shell
that has loaded SCRIPT, and compares the words that the shell then runs."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok
from terminal import Terminal

# The text that is typed, and the words that result.
OPTIONS = [
    ("--brie", "--brief"),
    ("--format=js --color-b", "--format=js --color-by="),
    ("--arch=volt", "--arch=volta"),
    ("--arch volt", "--arch volta"),
    ("-a rtx-pro-6", "-a rtx-pro-6000"),
    ("--arch=sm_75,volt", "--arch=sm_75,volta"),
    ("--diff=sm_72,sm_8", "--diff=sm_72,sm_8"),
    ("--format=mark", "--format=markdown"),
    ("-f mark", "-f markdown"),
    ("--style=div", "--style=divide"),
    ("--type=bf", "--type=bf16"),
    ("--operand=sfb --source=rec", "--operand=sfb --source=recorded"),
    ("--color-by=el", "--color-by=element"),
    ("--color=alw", "--color=always"),
    ("--access=stmatrix.x4.t", "--access=stmatrix.x4.trans"),
    ("--with=stmatrix.x4.t", "--with=stmatrix.x4.trans"),
    ("--with=tcgen05.ld.32", "--with=tcgen05.ld.32x32b"),
    ("--map=some-f", "--map=some-file"),
    ("--check some-f", "--check some-file"),
    ("--cuda=some-d", "--cuda=some-directory/"),
]
FRAGMENTS = [
    ("wmma.m16n16k16.d.f3", "wmma.m16n16k16.d.f32"),
    ("--brief mma.m16n8k16.a.b", "--brief mma.m16n8k16.a.bf16"),
    ("mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.b", "mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.bf16"),
    ("no.such.frag", "no.such.frag"),
]
PARTS = [("mma.sp.m16n8k128.e", "mma.sp.m16n8k128.e."), ("stmatr", "stmatrix.")]

# How each shell starts, given its script. What `p` is given is printed.
SHELLS = {
    "bash": lambda script: ["bash", "--norc", "--noprofile", "-i"],
    "zsh": lambda script: ["zsh", "-f", "-i"],
    "fish": lambda script: ["fish", "--no-config", "-C", f"source {script}"],
}
PREPARE = {
    "bash": "source {}; p() {{ printf '<%s>' \"$@\" READY; }}",
    "zsh": "PS1='$ '; unsetopt prompt_cr; fpath=({} $fpath); autoload -U compinit; compinit -u -D; "
           "p() {{ printf '<%s>' \"$@\" READY; }}",
    "fish": "function p; printf '<%s>' $argv READY; end",
}


def prepare(shell, script, folder):
    """A shell in a folder with a file, a folder, and a program that records that it was started."""
    for name in ("bin", "functions", "some-directory"):
        os.makedirs(os.path.join(folder, name))
    open(os.path.join(folder, "some-file"), "w").close()
    stub = os.path.join(folder, "bin", "mapping")
    with open(stub, "w") as file:
        file.write(f'#!/bin/sh\necho >> "{folder}/started"\nexec "{program}" "$@"\n')
    os.chmod(stub, 0o755)
    os.symlink(script, os.path.join(folder, "functions", "_mapping"))
    os.chdir(folder)
    environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": folder, "XDG_CONFIG_HOME": folder,
                   "XDG_DATA_HOME": folder, "TMPDIR": folder, "INPUTRC": "/dev/null", "PS1": "$ ", "ZDOTDIR": folder, "LC_ALL": "C.UTF-8",
                   "BASH_SILENCE_DEPRECATION_WARNING": "1"}
    terminal = Terminal(SHELLS[shell](script), columns=200, environment=environment)
    first = PREPARE[shell].format(script if shell == "bash" else os.path.join(folder, "functions"))
    terminal.type(f"{first}\np\n".encode())
    terminal.wait(lambda: b"<READY>" in terminal.bytes)
    return terminal


def complete(terminal, typed):
    """The words of the command line after a tab; the line is given to `p` instead of the program."""
    terminal.bytes = b""
    terminal.type(b"mapping " + typed.encode() + b"\t\x01p \n")
    terminal.wait(lambda: b"<READY>" in terminal.bytes)
    found = re.search(r"<mapping>((?:<[^<>]*>)*)<READY>", terminal.bytes.decode(errors="replace"))
    return found and " ".join(re.findall(r"<([^<>]*)>", found[1]))


program, script, shell, folder = sys.argv[1:5]
terminal = prepare(shell, script, folder)


def check(cases):
    """Tries cases; returns those that came out otherwise."""
    wrong = []
    for typed, expected in cases:
        if shell != "bash":  # zsh takes = away when no more follows; with fish they are two words
            expected = re.sub(r"(--\S+)=$", r"\1", expected)
        if shell == "zsh":
            expected = expected.rstrip("/")
        words = complete(terminal, typed)
        if b"bad array" in terminal.bytes or b"rror" in terminal.bytes:
            wrong.append(f"{typed} printed {terminal.bytes.decode(errors='replace')}")
        if words != expected:
            wrong.append(f"{typed} became {words}, not {expected}")
    return "\n".join(wrong)


def started():
    return os.path.exists(os.path.join(folder, "started"))


wrong = check(OPTIONS)
ok(f"{shell} completes options and their values", not wrong, wrong)
ok("and starts no program for it", not started())
wrong = check(FRAGMENTS)
ok("it completes names of fragments", not wrong, wrong)
ok("for which it asks the program", started())
if shell != "fish":
    wrong = check(PARTS)
    ok("it completes them part by part", not wrong, wrong)
terminal.type(b"exit\n")
terminal.end()
sys.exit(finish())
