#!/usr/bin/env python3
"""Problems of a program with its environment: standard streams that are closed or full, folders that cannot be written
to, signals at any moment, many at once, terminals that disappear.

    trouble.py MAPPING LIBRARY RUNS [SEED]

LIBRARY is fault.c as a shared library. RUNS is the number of repetitions of tests that depend on timing; SEED chooses
the moments. Run it in the repository.
"""

import concurrent.futures
import fcntl
import itertools
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from tap import finish, formats, ok  # noqa: E402
from terminal import show  # noqa: E402

MAPPING, LIBRARY, RUNS = sys.argv[1], sys.argv[2], int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 14
FAKE = ["--source=sass", "--arch=100", "--cuda=tests/source/sass/fake"]
SHOW = ["--source=isa", "--arch=80", "mma.m16n8k16.d.f32"]
LONG = ["--source=isa", "--arch=90", "mma.m16n8k16.*"]
SUGGEST = ["(64,256):(256,1)", "--source=isa", "--suggest", "--load=mma.m16n8k16.a.f16", "--store=cp.async"]
SECONDS = 300  # longer than anything takes, however loaded the machine is: what does not end by then hangs

# The parent process may ignore these signals, as nohup does, and a program inherits this.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

scratch = tempfile.TemporaryDirectory(prefix="mapping-trouble-")
TMPDIR = os.path.join(scratch.name, "tmp")
os.mkdir(TMPDIR)
ENVIRONMENT = {**os.environ, "TMPDIR": TMPDIR, "CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C"}


def run(arguments, wrapper=(), **environment):
    """Runs it with a wrapper. Returns status, standard output and error."""
    done = subprocess.run([*wrapper, MAPPING, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                          env={**ENVIRONMENT, **environment}, check=False)
    return done.returncode, done.stdout, done.stderr


def sentence(said, *reasons):
    return said.startswith(b"mapping: ") and said.count(b"\n") == 1 and any(reason.encode() in said for reason in reasons)


def left():
    """The files that are left in the temporary folder, which is emptied."""
    names = os.listdir(TMPDIR)
    if names:
        subprocess.run(["rm", "-rf", *(os.path.join(TMPDIR, name) for name in names)], check=True)
    return names


# ---- Standard streams ----

WRONG = ["--arch=80", "mma.m16n8k15.d.f32"]
for name, arguments in (("a fragment", SHOW), ("a list", ["--list"]), ("tools", FAKE), ("a mistake", WRONG),
                        ("a file", ["--map=tests/robust/faults/map.csv"])):
    status, out, err = run(arguments)
    bad = []
    for closed in itertools.chain.from_iterable(itertools.combinations((0, 1, 2), n) for n in (1, 2, 3)):
        closing = " ".join(("0<&-", "1>&-", "2>&-")[stream] for stream in closed)
        got = run(arguments, ("sh", "-c", f'exec "$@" {closing}', "sh"))
        fails = 1 in closed and status == 0
        expected = 5 if fails else status
        if got[0] != expected or got[1] != (b"" if 1 in closed else out) or left():
            bad.append(f"{closing}: {got}")
        elif 2 not in closed and (not sentence(got[2], "Bad file descriptor") if fails else got[2] != err):
            bad.append(f"{closing}: {got[2]}")
    ok(f"{name}, with standard streams closed in all combinations", not bad, "\n".join(bad))

bad = []
for form in formats(MAPPING):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([MAPPING, *SHOW, f"--format={form}"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
    if done.returncode != 5 or not sentence(done.stderr, "standard output: No space left"):
        bad.append(f"{form}: {done.returncode} {done.stderr}")
ok("a full device as standard output, in all formats", not bad, "\n".join(bad))
with open("/dev/full", "wb") as full:
    done = [subprocess.run([MAPPING, *arguments], stdout=subprocess.PIPE, stderr=full, env=ENVIRONMENT, check=False)
            for arguments in (SHOW, WRONG)]
ok("a full device as standard error changes nothing else",
   [(d.returncode, d.stdout) for d in done] == [run(arguments)[:2] for arguments in (SHOW, WRONG)], repr(done))

# ---- Files ----

for name, folder, reasons in (("is missing", "/nonexistent/folder", ["No such file"]), ("is a file", "/dev/null", ["Not a directory"]),
                              ("takes no files", "/proc", ["No such file", "denied"]),
                              ("has a path of 5000 bytes", "/" + "x" * 5000, ["too long"])):
    status, out, err = run(FAKE, TMPDIR=folder)
    ok(f"$TMPDIR that {name}", status == 5 and not out and sentence(err, *reasons), repr((status, out, err)))


def limit_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def run_limited(arguments, path):
    with open(path, "wb") as out:
        return subprocess.run([MAPPING, *arguments], stdout=out, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False,
                              restore_signals=False, preexec_fn=limit_size)


done = run_limited(["--list"], os.path.join(scratch.name, "out"))
ok("a file that may not grow any further, as standard output", done.returncode == 5 and sentence(done.stderr, "File too large"), repr(done))
WMMA = ["wmma.*"]  # more PTX than that
done = run_limited([*FAKE, *WMMA], "/dev/null")
ok("and in the temporary folder", done.returncode == 5 and sentence(done.stderr, "File too large") and not left(), repr(done))

# ---- Signals ----

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def hanging(setting):
    """The option for fake tools, one of which does not end."""
    folder = os.path.join(scratch.name, setting)
    shutil.copytree("tests/source/sass/fake", folder)
    with open(os.path.join(folder, "settings"), "w", encoding="utf-8") as settings:
        settings.write(f"{setting}=hang\nLISTING={os.path.abspath('tests/source/sass/listings/sm_100.txt')}\n")
    return f"--cuda={folder}"


HANGS = [[*FAKE[:-1], hanging(setting)] for setting in ("FAKE_PTXAS", "FAKE_NVDISASM")]


def interrupt(job):
    """Sends a signal after a while. Returns the error, or None."""
    arguments, number, seconds, folder, expected = job
    os.mkdir(folder)
    process = subprocess.Popen([MAPPING, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**ENVIRONMENT, "TMPDIR": folder})
    time.sleep(seconds)
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"{arguments} does not end with {number!r} after {seconds:.4f} s"
    ended = process.returncode == -number or (process.returncode == 0 and out == expected)
    if not ended or os.listdir(folder):
        return f"{arguments} {number!r} after {seconds:.4f} s: {process.returncode} {err!r}, left {os.listdir(folder)}"
    return None


def measure(arguments):
    """The time that it takes, and its output."""
    begin = time.monotonic()
    out = run(arguments)[1]
    return time.monotonic() - begin, out


# The moments are spread over as long as the program takes here; twice that for tools that hang.
random.seed(SEED)
suggest_takes, suggest_whole = measure(SUGGEST)
tools_take, tools_whole = measure(FAKE)
jobs = []
for r in range(RUNS):
    number, folder = SIGNALS[r % 3], os.path.join(scratch.name, f"signal{r}")
    if r % 4 == 0:
        jobs.append((SUGGEST, number, random.uniform(0, suggest_takes), folder, suggest_whole))
    elif r % 4 == 1:
        jobs.append((FAKE, number, random.uniform(0, tools_take), folder, tools_whole))
    else:
        jobs.append((HANGS[r % 2], number, random.uniform(0, 2 * tools_take), folder, None))
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    bad = [wrong for wrong in pool.map(interrupt, jobs) if wrong]
ok(f"{RUNS} signals at random moments, of seed {SEED}, end the program as signals do, and leave nothing", not bad, "\n".join(bad))

# ---- Many at once ----

MANY = max(8, RUNS // 4)
processes = [subprocess.Popen([MAPPING, *FAKE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
             for _ in range(MANY)]
results = [(process.communicate(timeout=SECONDS), process.returncode) for process in processes]
ok(f"{MANY} at once in one temporary folder do not disturb each other, and leave nothing",
   all(out == tools_whole and status == 0 for (out, _), status in results) and not left())

# ---- Terminals ----


def hang_up(arguments, ignoring, **environment):
    """Runs it in a terminal that goes away while it prints; returns the status, None if it does not end."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def begin():
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN if ignoring else signal.SIG_DFL)
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    with subprocess.Popen([MAPPING, *arguments], stdin=slave, stdout=slave, stderr=slave, preexec_fn=begin,
                          env={**ENVIRONMENT, "TERM": "xterm", **environment}) as process:
        os.close(slave)
        os.read(master, 512)
        os.close(master)
        try:
            return process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return None


ENDS = (-signal.SIGHUP, 5)
ok("a terminal that goes away ends the program", hang_up(["--list", "--whole"], False, PAGER="cat") in ENDS)
ok("a terminal that goes away where SIGHUP is ignored: status 5", hang_up(["--list", "--whole"], True, PAGER="cat") == 5)
status = hang_up(["--list", "--whole"], False, PAGER="head -1; sleep 0.2")
ok("a terminal that goes away under a pager ends both", status is not None, repr(status))

# ---- A pager for which there is no room ----

FAULT = {"LD_PRELOAD": LIBRARY, "FAULT_CORES": "1", "LC_ALL": "C"}
MEMORY, SPAWN, PIPE = 0, 4, 5  # of enum fault_kind


def reported():
    """The calls for memory, and the descriptors that were opened and not closed: struct fault_report."""
    with open(report, "rb") as file:
        calls, *_, files = struct.unpack("8I I 4x q i", file.read(52))
    return calls, files


whole = show([MAPPING, *LONG], 80, 24, {"PAGER": "cat"})
report = os.path.join(scratch.name, "report")
PAGED = {"PAGER": "cat; :", **FAULT}
show([MAPPING, *LONG], 80, 24, {**PAGED, "FAULT_REPORT": report})
NAME = "long output is shown whole where the pager cannot be started"
if not os.path.exists(report):
    ok(f"{NAME}: no faults can be injected; was the program built with a sanitizer?", False)
else:
    calls, files = reported()
    bad = [f"{files} descriptors stay open behind the pager"] if files else []
    for kind, n, cause in [(SPAWN, 1, 11), (PIPE, 1, 24)] + [(MEMORY, n, 12) for n in range(calls - 20, calls + 1)]:
        fault = {"FAULT": f"{kind} {n} {cause} once", "FAULT_REPORT": report}
        status, text = show([MAPPING, *LONG], 80, 24, {**fault, **PAGED})
        if kind != MEMORY and reported()[1]:
            bad.append(f"{kind} {n}: {reported()[1]} descriptors stay open")
        if (status, text) != whole and (status != 5 or not sentence(text.encode(), "out of memory")):
            bad.append(f"{kind} {n}: {status} {text[-200:]!r}")
    ok(NAME, not bad, "\n".join(bad))
sys.exit(finish())
