#!/usr/bin/env python3
"""Changes the program on purpose, one small change at a time, and checks whether a test notices.

    mutate.py [--count=200] [--seed=1] [--jobs=2] [--seconds=S] [--again=PRINTED] [FILE...]

Run it in the top folder of a clean clone. It draws changes at random from all places of src/ that can run without a
GPU, or only from FILE.... With --again, it tries the survivors of an earlier run again; PRINTED is its output. A seed gives the
same changes as long as their lines do not change. Each change is built in a copy of the tree. Then the tests of `make
test` run that reach the changed function, as counted by gcov, quick ones first, up to the first failure. If none fails,
the tests that reach the changed line run as in CI, with THOROUGH=1, for up to five minutes, under valgrind, and under
ASan and UBSan; so does `make faults`. A change that does not compile is drawn again. A change counts as noticed if a
test takes four times as long as it should, or if the program does not link.

Prints a line for each change: `noticed` or `SURVIVED`, its place, the old and the new text, and the test that noticed
it; then the score. tests/README.md discusses survivors.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import glob
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# What cannot run here: kernels and what only calls the driver; what `make prove` and `make sass` run.
LEFT_OUT = ["src/tools/prove.c", "src/tools/list_opcodes.c", "src/tools/embed.c"] + \
    [f"src/source/gpu/{name}.c" for name in ("absent", "generate", "gpu")]

OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "&&": "||",
             "||": "&&", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<", "+=": "-=",
             "-=": "+=", "|=": "&=", "&=": "|=", "++": "--", "--": "++", "true": "false", "false": "true",
             "break": "continue", "continue": "break"}
TOKEN = re.compile(r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)* |
                       [A-Za-z_]\w* | \d\w* | <<=|>>= | [-+*/%&|^<>=!]=|<<|>>|->|\+\+|--|&&|\|\| | \s+ | .""",
                   re.VERBOSE | re.DOTALL | re.MULTILINE)
SANITIZED = ("SANITIZE=1", "CFLAGS=-O1")  # words of make for ASan and UBSan
COUNTING = ("CFLAGS=-O0 --coverage", "LDFLAGS=--coverage")  # and for gcov
STATEMENT = re.compile(r"^( +)([a-zA-Z_][\w.>\[\]*-]*(?:\(.*\)| [-+|&]?= .*));$", re.MULTILINE)
BINARY = set("+-*/%&|<>") | {"<<", ">>"}


def places(path):
    """(offset, length, replacement) of every change to a file."""
    with open(path) as file:
        text = file.read()
    found, before, is_code = [], "", False
    for match in TOKEN.finditer(text):
        token = match.group()
        if token.isspace() or token.startswith(("/*", "//")):
            continue
        is_code = is_code or token == "{"  # not in what is included and declared above
        is_operand = bool(re.fullmatch(r"\w+|\)|\]", before)) and before not in ("return", "case")
        if is_code and token in OPERATORS and (token not in BINARY or is_operand):
            # a * that may declare a pointer is left alone, and so are templates of names
            if token != "*" or (text[match.end():match.end() + 1] == " "):
                found.append((match.start(), len(token), OPERATORS[token]))
        elif is_code and re.fullmatch(r"\d+", token) and before not in ("[", "case"):
            found.append((match.start(), len(token), str(int(token) + 1)))
        elif is_code and token == "!":
            found.append((match.start(), 1, ""))
        before = token
    for match in STATEMENT.finditer(text):
        found.append((match.start(2), len(match.group(2)) + 1, ";"))
    return found


def draw(files, seed):
    """Changes in a random order that does not depend on other changes: (path, offset, length, replacement)."""
    ordered, seen = [], collections.Counter()
    for path in files:
        with open(path) as file:
            text = file.read()
        for offset, length, replacement in places(path):
            start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
            what = (seed, path, text[start:end], offset - start, length, replacement)
            seen[what] += 1
            order = hashlib.sha256(repr((what, seen[what])).encode()).digest()
            ordered.append((order, (path, offset, length, replacement)))
    return [change for _, change in sorted(ordered)]


def reset_signals():
    """Resets signals to their default actions. nohup ignores SIGHUP, and shells let background commands ignore the others."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def run(command, folder, seconds):
    """The exit status; 124 if that took too long."""
    environment = {"CFLAGS": "-O1", **os.environ, "CUDA_VISIBLE_DEVICES": "", "TMPDIR": os.path.abspath(folder) + ".tmp"}  # outside: install.t copies the tree
    process = subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=reset_signals)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return 124


def make(folder, *words, seconds=600):
    return run(["make", "-s", "NVCC=", *words], folder, seconds) == 0


def printed_by_make(folder, *words):
    """The lines that a target prints."""
    return subprocess.run(["make", "-s", "NVCC=", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()


def run_test(folder, name, seconds, *words, **more):
    """The exit status of a test, each process of which may take that many seconds of processor time.

    WORDS are those that make was called with."""
    variables = printed_by_make(folder, *words, "test-environment") + [f"{variable}={value}" for variable, value in more.items()]
    script = f'ulimit -t {int(seconds)}; out=$(tests/run "$0" 2>&1); status=$?; ! echo "$out" | grep -q "^not ok" && exit $status'
    return run(["env", *variables, "sh", "-c", script, name], folder, 10 * seconds + 300)


class Reached:
    """The tests that reach each function: each test has run once in a copy of the tree that counts executions."""

    def __init__(self, folder, counts, tests, jobs):
        self.folder, self.counts, self.tests = os.path.abspath(folder), counts, tests
        if not make(folder, f"-j{jobs}", *COUNTING, "test-needs", "test-programs", seconds=1200):
            sys.exit("the program does not build with --coverage")

        def count(number):
            run_test(folder, tests[number], 1800, *COUNTING, GCOV_PREFIX=f"{counts}/{number}",
                     GCOV_PREFIX_STRIP=str(self.folder.count("/")), **dict(word.split("=", 1) for word in COUNTING))

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(count, range(len(tests))))

    def of(self, path, line):
        """Names of the tests: those that get to the line, of which a part of what covers several lines has none, and those
        that get to its function; all if it is in none."""
        # What calls fail in runs the program without our environment, and so without counting.
        to_line, to_function, in_function = set(), {"tests/robust/faults/faults.t"}, False
        places = [(number, name, stem) for number, name in enumerate(self.tests)
                  for stem in (path.replace("src/", "build/")[:-2], name)]  # which may include the file
        for number, name, stem in places:
            data = f"{self.counts}/{number}/{stem}.gcda"
            if not os.path.exists(data):
                continue
            with contextlib.suppress(FileExistsError):  # an earlier call made it, or one in another thread
                os.link(f"{self.folder}/{stem}.gcno", data[:-4] + "gcno")
            said = subprocess.run(["gcov", "--json-format", "--stdout", data], cwd=self.folder, capture_output=True, text=True)
            for file in json.loads(said.stdout)["files"]:
                if file["file"] != path:
                    continue
                in_function |= any(each["start_line"] <= line <= each["end_line"] for each in file["functions"])
                if any(each["start_line"] <= line <= each["end_line"] and each["execution_count"] for each in file["functions"]):
                    to_function.add(name)
                if any(each["line_number"] == line and each["count"] for each in file["lines"]):
                    to_line.add(name)
        return to_line, to_function if in_function else set(self.tests)


def ask_again(folder, names):
    """Who notices: a test with all cases, calls that fail, or a test under valgrind; None if none."""
    until = time.monotonic() + 300
    for name in names:
        left = until - time.monotonic()
        if left > 0 and run_test(folder, name, left, THOROUGH=1) and time.monotonic() < until:
            return name + ", with THOROUGH=1"
    if run(["make", "-s", "NVCC=", "faults"], folder, 900):
        return "make faults"
    for name in names:
        if name.startswith("build/") and shutil.which("valgrind") and run_test(folder, name, 900, VALGRIND=1):
            return name + ", under valgrind"
    return None


def ask_sanitizers(folder, names, restore):
    """Which test notices under ASan and UBSan; None if none. RESTORE takes the change back: a test that fails without it, too,
    has not noticed it."""
    if not make(folder, *SANITIZED, "test-needs"):
        return "what prints the manual, under ASan and UBSan"

    def fails(name):
        program = name.replace("build/", "build/sanitize/")
        if name.startswith("build/") and not make(folder, *SANITIZED, program):
            return False
        return run_test(folder, program, 900, *SANITIZED, SANITIZE=1) != 0

    failed = [name for name in names if fails(name)]
    restore()
    if failed and make(folder, *SANITIZED, "test-needs"):
        for name in failed:
            if not fails(name):
                return name + ", under ASan and UBSan"
    return None


def try_change(change, folders, tests, reached):
    """(verdict, by whom) of one change; None if it does not compile."""
    path, offset, length, replacement = change
    folder = folders.get()
    target = f"{folder}/{path}"
    with open(target) as file:
        text = file.read()

    def write(changed):
        with open(target, "w") as file:
            file.write(changed)

    try:
        write(text[:offset] + replacement + text[offset + length:])
        if not make(folder, "all"):
            return None
        to_line, to_function = reached.of(path, text.count("\n", 0, offset) + 1)
        for name, seconds in sorted(tests, key=lambda test: (test[0] not in to_line, test[1])):
            if name not in to_function:
                continue
            if name.startswith("build/"):
                if not make(folder, name):
                    return "noticed", "it does not link"
            elif not make(folder, "test-needs"):
                return "noticed", "what prints the manual does not build"
            status = run_test(folder, name, 4 * seconds + 10)
            if status:
                return "noticed", name + (", in time" if status == 124 else "")
        asked = to_line or to_function
        names = [name for name, _ in sorted(tests, key=lambda test: test[1]) if name in asked]
        by = ask_again(folder, names) or ask_sanitizers(folder, names, lambda: write(text))
        return ("noticed", by) if by else ("SURVIVED", "")
    finally:
        write(text)
        folders.put(folder)


def describe(change):
    path, offset, length, replacement = change
    with open(path) as file:
        text = file.read()
    line = text.count("\n", 0, offset) + 1
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset + length)
    was = text[start:end].strip()
    now = (text[start:offset] + replacement + text[offset + length:end]).strip()
    return f"{path}:{line} | {' '.join(was.split())} | {' '.join(now.split())}"


def survivors(changes, printed):
    """The survivors in an earlier output of this program, whatever their line numbers are now."""
    with open(printed) as file:
        told = re.findall(r"^SURVIVED \| (\S+):\d+ (\|.*\|) [^|\n]*$", file.read(), re.MULTILINE)
    return [change for change in changes if re.fullmatch(r"(\S+):\d+ (\|.*)", describe(change) + " |").groups() in told]


def prepare(jobs, work):
    """Copies of the tree, built; the tests with the seconds that each takes; which of them reach what."""
    folders, first = queue.Queue(), f"{work}/0"
    shutil.copytree(".", first, ignore=shutil.ignore_patterns("build", ".git"), symlinks=True)
    shutil.copytree(first, f"{work}/counting")
    for folder in [f"{work}/counting", *(f"{work}/{number}" for number in range(jobs))]:
        os.makedirs(f"{folder}.tmp")
    if not make(first, f"-j{jobs}", "test-needs", "test-programs") or not make(first, f"-j{jobs}", *SANITIZED, "test-needs"):
        sys.exit("the program does not build")

    def measure(name):
        start = time.monotonic()
        if run_test(first, name, 900):
            os.write(2, f"{name} fails before anything is changed\n".encode())
            return None
        return name, time.monotonic() - start

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:  # as many at once as when changes are tried
        tests = list(pool.map(measure, printed_by_make(first, "test-names")))
    if None in tests:
        sys.exit(1)
    for number in range(jobs):
        if number:
            shutil.copytree(first, f"{work}/{number}", symlinks=True)
        folders.put(f"{work}/{number}")
    return folders, tests, Reached(f"{work}/counting", f"{work}/counts", [name for name, _ in tests], jobs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9, help="no more changes are begun behind so many")
    parser.add_argument("--again", metavar="PRINTED", help="what an earlier run printed: all that survived there, and nothing else")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    start = time.monotonic()
    files = options.files or sorted(set(glob.glob("src/**/*.c", recursive=True)) - set(LEFT_OUT))
    changes = draw(files, options.seed)
    if options.again:
        changes = survivors(changes, options.again)
        options.count = len(changes)
    changes = iter(changes)
    counts = {"noticed": 0, "SURVIVED": 0}
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folders, tests, reached = prepare(options.jobs, work)
        print(f"# {len(tests)} tests, {sum(seconds for _, seconds in tests):.0f} s one after another", flush=True)
        running = {}
        while sum(counts.values()) < options.count:
            while len(running) < min(options.jobs, options.count - sum(counts.values())) and time.monotonic() - start < options.seconds:
                change = next(changes, None)
                if not change:
                    break
                running[pool.submit(try_change, change, folders, tests, reached)] = change
            if not running:
                break
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for job in done:
                change, result = running.pop(job), job.result()
                if result:
                    counts[result[0]] += 1
                    print(f"{result[0]} | {describe(change)} | {result[1]}", flush=True)
    print(f"# noticed {counts['noticed']} of {sum(counts.values())}")


if __name__ == "__main__":
    main()
