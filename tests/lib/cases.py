#!/usr/bin/env python3
"""MAPPING=./mapping python3 tests/lib/cases.py [FILE...] runs the command lines of case files, tests/cases/*.cases, and compares
what they print. It prints TAP, one line per case; with BRIEF=1 one line per file, and what failed. Each command may take
CASE_TIMEOUT=10 seconds of processor time, and ten times as long by the clock, on a busy machine. With IN_LIBRARY=libmapping.so
the commands are calls of mapping_run, without these limits, and take half of the processor time. A case file:

    # Who holds an element.
    from PTX ISA 9.1, 9.7.14.5.8              the origin of the expected values below, up to the next `from`
    $ mapping -a80 mma.m16n8k16.d.f32 --at=3,5
      # mma.m16n8k16.d.f32 on sm_80           indented lines are all of standard output
      ...                                     any number of lines
      row +3, col +5: tid +14, i +1 (re)      a regular expression for the whole line
    $ mapping -a80 mma.m16n8k16.a.f16 --format=json
    status 0 4                                the exit status is one of these; without this line it is 0
    has "arch":"sm_80"                        some line has this text
    no warning                                no line has it
    count 1 "inverse":                        exactly one line has this text
    same mapping --format=json -aampere mma.m16n8k16.a.f16    prints the same, with the same status

    from hand
    file maps/odd.csv                         creates a file; the indented lines are its content
      tid,i,offset
      0,x,3
    $ mapping --map=maps/odd.csv
    status 2
    error line 2, column 2: 'x' is no number  some line of standard error has this text
    for WORD in '' x '1 2'                    runs the next case once for each word; several `for` lines multiply
    for FORMAT in $FORMATS-cuda               all formats of the program but cuda; $FORMATS is all of them
    2 --at=$WORD -> is not a valid element    short for a command, `status 2` and `error`
    0 -a80 mma.m16n8k16.d.f32 --at=3,5 -> row  3, col  5: tid 14, i  1    ... that prints this line once

The last " -> " divides a short line. Every expected text may end in " (re)". An empty line between indented lines is one
of them. Words are split and quoted as in a shell; the only expansion is $WORD, which is filled in after splitting. The
commands of a file run in order in a temporary folder, without standard input and without a GPU; files run side by side.

Always checked: with status 0, 1 and 4 standard error is empty, unless `error` states it; with 2, 3 and 5 standard output
is empty and standard error is one line, "mapping: ...". If that ends with a colon, an expression and a caret follow."""
import concurrent.futures
import contextlib
import ctypes
import functools
import itertools
import math
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import library
import tap

REGULAR = " (re)"
ANY = r"(?:.*\n)*?"
MAPPING = LIBRARY = None
VARIABLE = re.compile(r"\$([A-Z]+)")
SENTENCE = re.compile(r"mapping: .*([^:\s]|:\n  .*\n +\^)\n")


def expression(text):
    """The regular expression for a line that is the text."""
    return text.removesuffix(REGULAR) if text.endswith(REGULAR) else re.escape(text)


def matches(line, text, is_whole):
    """True if the line is the text, or, unless it must be the whole line, has it."""
    if text.endswith(REGULAR):
        return bool(re.fullmatch(text.removesuffix(REGULAR), line))
    return line == text if is_whole else text in line


def is_as_expected(printed, lines):
    """Compares all of an output with indented lines."""
    if not any(line == "..." or line.endswith(REGULAR) for line in lines):
        return printed == "".join(line + "\n" for line in lines)
    return re.fullmatch("".join(ANY if line == "..." else f"(?:{expression(line)})\n" for line in lines), printed)


def need(condition, why):
    if not condition:
        raise ValueError(why)


@functools.lru_cache(maxsize=None)
def formats():
    return tap.formats(MAPPING)


def words_of(text):
    """The words of a `for` line."""
    words = []
    for word in shlex.split(text):
        every = re.fullmatch(r"\$FORMATS(?:-(\w+))?", word)
        words += [name for name in formats() if name != every[1]] if every else [word]
    return words


def split(text, loops):
    """The words after "mapping". Every $NAME in them needs a `for`."""
    need(text.split(" ")[0] == "mapping", f"expected: mapping WORDS, not '{text}'")
    for name in VARIABLE.findall(text):
        need(name in dict(loops), f"no 'for' defines ${name}")
    return shlex.split(text)[1:]


def checked(text):
    """The text, if it can be expected."""
    need(text and text != REGULAR, "the expected text is missing")
    if text.endswith(REGULAR):
        re.compile(expression(text))
    return text


def read_line(line, number, state):
    """Adds a case or a file to state.steps, or a line to the last one."""
    case, (key, _, text) = state.case, line.partition(" ")
    if line.startswith("  "):
        need(state.content is not None, "an indented line belongs to no case and no file")
        state.content.append(checked(line[2:]) if case else line[2:])
    elif key == "from":
        state.origin, state.case, state.content = checked(text), None, None
    elif key == "file":
        need(text and text[0] != "/" and ".." not in text, "expected: file NAME, in the temporary folder")
        state.case, state.content = None, []
        state.steps.append((text, state.content))
    elif key == "for":
        name, _, words = text.partition(" in ")
        need(re.fullmatch("[A-Z]+", name) and words, "expected: for NAME in WORD..., with a NAME in capital letters")
        state.loops.append((name, words_of(words)))
    elif key == "$" or re.fullmatch("[0-5]", key):
        need(state.origin, "a case without 'from', which names the origin of the expected output")
        command, arrow, expected = (text, "", "") if key == "$" else f"mapping {text}".rpartition(" -> ")
        need(arrow or key == "$", f"expected: {key} WORDS -> TEXT")
        case = SimpleNamespace(line=number, origin=state.origin, loops=state.loops, statuses=[int(key)] if arrow else [],
                               command=split(command, state.loops), output=[], checks=[])
        if arrow:
            case.checks.append(("line" if key in "014" else "error", checked(expected)))
        state.case, state.content, state.loops = case, case.output, []
        state.steps.append(case)
    else:
        count = re.fullmatch(r"count (\d+) (.+)", line)
        need(case and (count or key in ("status", "has", "no", "error", "same")), f"no line of a case: '{line}'")
        if key == "status":
            need(re.fullmatch("[0-5]( [0-5])*", text), f"expected: status and exit statuses, 0 to 5, not '{text}'")
            case.statuses = [int(status) for status in text.split()]
        elif key == "same":
            case.checks.append((key, split(text, case.loops)))
        else:
            case.checks.append((count[1], checked(count[2])) if count else (key, checked(text)))


def read(path):
    """The steps of a file: cases, and (name, lines) of files to create. Raises ValueError with file and line."""
    state, number, empty = SimpleNamespace(steps=[], origin=None, loops=[], case=None, content=None), 0, 0
    try:
        for number, line in enumerate(pathlib.Path(path).read_text("utf-8", "backslashreplace").split("\n"), 1):
            if line and not line.startswith("#"):
                if line.startswith("  ") and state.content:
                    state.content += [""] * empty
                read_line(line, number, state)
            empty = 0 if line else empty + 1
        need(state.steps and not state.loops, "a case is missing")
    except (OSError, ValueError, re.error) as error:
        raise ValueError(f"{path}:{number}: {error}") from None
    return state.steps


def expand(case):
    """Yields a case for each combination of the words of its `for` lines."""
    def fill(text):
        if isinstance(text, list):
            return [fill(word) for word in text]
        change = re.escape if text.endswith(REGULAR) else str
        return VARIABLE.sub(lambda match: change(values.get(match[1], match[0])), text)

    for words in itertools.product(*(words for _, words in case.loops)):
        values = dict(zip((name for name, _ in case.loops), words))
        yield SimpleNamespace(**{**vars(case), "command": fill(case.command), "output": fill(case.output),
                                 "checks": [(kind, fill(text)) for kind, text in case.checks]})


@functools.lru_cache(maxsize=None)
def environment(folder):
    kept = {name: value for name, value in os.environ.items() if re.match("[A-Z]+SAN_|GCOV_", name)}
    return kept | {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": folder, "TMPDIR": folder, "CUDA_VISIBLE_DEVICES": "",
                   "TERM": "xterm-256color"}


def run_in_library(words, folder):
    """The same as run_process: the command prints the message after its name."""
    os.environ.update(environment(folder))
    here = os.getcwd()
    os.chdir(folder)
    context = LIBRARY.mapping_open(ctypes.byref(library.Options(ctypes.sizeof(library.Options), True)))
    status, text, message = library.run(LIBRARY, context, words)
    LIBRARY.mapping_close(context)
    os.chdir(here)
    said = b"mapping: " + message + b"\n" if message else b""
    return status, text.decode(errors="backslashreplace"), said.decode(errors="backslashreplace")


def run_process(words, folder):
    """The exit status, or why there is none, standard output and standard error."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen(["mapping", *words], executable=MAPPING, cwd=folder, env=environment(folder), start_new_session=True,
                             encoding="utf-8", errors="backslashreplace", **pipes)
    with contextlib.suppress(AttributeError, ProcessLookupError):  # systems without prlimit; a process that has ended
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]  # that of mutate.py, which may not be raised
        seconds = math.ceil(TIMEOUT)
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds if hard < 0 else min(seconds, hard), hard))
    try:
        out, err = child.communicate(timeout=10 * TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return f"none after {10 * TIMEOUT:g} s", *child.communicate()
    late = child.returncode == -signal.SIGXCPU
    return f"none after {TIMEOUT:g} s of processor time" if late else child.returncode, out, err


def run(words, folder):
    return run_in_library(words, folder) if LIBRARY else run_process(words, folder)


def judge(case, folder):
    """The error, or None."""
    status, out, err = run(case.command, folder)
    wrong = None
    if not (case.statuses or case.output or case.checks):
        wrong = "the case states nothing"
    elif status not in (case.statuses or [0]):
        wrong = f"the exit status is {status}, not {case.statuses or [0]}"
    elif status in (0, 1, 4) and err and "error" not in dict(case.checks) or re.search("Sanitizer|runtime error:", err):
        wrong = "standard error is not empty"
    elif status in (2, 3, 5) and (out or not SENTENCE.fullmatch(err)):
        wrong = "a refusal prints one sentence on standard error, and nothing else"
    elif case.output and not is_as_expected(out, case.output):
        wrong = "standard output is not what the indented lines say"
    for kind, text in case.checks if not wrong else []:
        if kind == "same":
            other = run(text, folder)
            right, found = other[:2] == (status, out), f"'{shlex.join(text)}' ends with {other[0]} and prints\n{other[1]}"
        else:
            count = sum(matches(line, text, is_whole=kind == "line") for line in (err if kind == "error" else out).split("\n"))
            right = {"line": count == 1, "no": count == 0}.get(kind, count == int(kind) if kind.isdigit() else count > 0)
            found = f"{count} lines have '{text}'"
        wrong = wrong if wrong or right else found[:2000]
    return wrong and f"expected from {case.origin}\n{wrong}\nprinted:\n{out[:2000]}\n{err[:2000]}"


def run_file(path):
    """(name, error) of each case."""
    try:
        steps, results = read(path), []
    except ValueError as error:
        return [(path, str(error))]
    with tempfile.TemporaryDirectory() as folder:
        for step in steps:
            if isinstance(step, tuple):
                file = pathlib.Path(folder, step[0])
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("".join(line + "\n" for line in step[1]), "utf-8")
            else:
                results += [(f"{path}:{case.line}: {shlex.join(['mapping', *case.command])}", judge(case, folder))
                            for case in expand(step)]
    return results


def explain(wrong):
    print("".join(f"# {line}\n" for line in (wrong or "").splitlines()[:40] if line), end="")


def main(paths):
    pools = concurrent.futures.ProcessPoolExecutor if LIBRARY else concurrent.futures.ThreadPoolExecutor
    with pools(os.cpu_count()) as pool:
        files = list(pool.map(run_file, paths))
    results = [result for results in files for result in results]
    failed = [result for result in results if result[1]]
    if os.environ.get("BRIEF"):
        for path, results_of_file in zip(paths, files):
            wrong = sum(bool(why) for _, why in results_of_file)
            print(f"{'FAILED' if wrong else 'ok':6} {len(results_of_file):4} cases  {path}" + (f", {wrong} failed" if wrong else ""))
        for name, wrong in failed:
            print(name)
            explain(wrong)
        print(f"{len(files)} case files: {len(results) - len(failed)} cases passed, {len(failed)} failed")
    else:
        for number, (name, wrong) in enumerate(results, 1):
            print("not ok" if wrong else "ok", number, "-", str(name).replace("#", r"\#"))
            explain(wrong)
        print(f"1..{len(results)}")
    return not results or bool(failed)


if __name__ == "__main__":
    MAPPING = os.path.abspath(os.environ.get("MAPPING") or sys.exit("MAPPING is the program to test"))
    LIBRARY = library.load(os.path.abspath(os.environ["IN_LIBRARY"])) if os.environ.get("IN_LIBRARY") else None
    TIMEOUT = float(os.environ.get("CASE_TIMEOUT") or 10)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:] or sorted(pathlib.Path(os.path.relpath(__file__)).parent.parent.joinpath("cases").glob("*.cases"))))
