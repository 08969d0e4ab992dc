#!/usr/bin/env python3
"""Tests the conditions under which output goes through a pager, and the text that the pager receives.

    pager_test.py MAPPING FOLDER

The pagers are small scripts in FOLDER, which save what they receive there.
"""

import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok  # noqa: E402
from terminal import Terminal, show, without_escapes  # noqa: E402

MAPPING, FOLDER = sys.argv[1:]
LONG = [MAPPING, "--source=isa", "--arch=90", "mma.m16n8k16.*"]
SHORT = [MAPPING, "--source=isa", "--arch=90", "--brief", "mma.m16n8k16.a.f16"]
WHOLE = show(LONG)[1]


def path(name):
    return os.path.join(FOLDER, name)


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return file.read()


def has(name):
    return os.path.exists(path(name))


def pager(script, name="pager"):
    """A pager that first records that it was run; the file is removed afterwards."""
    for left in os.listdir(FOLDER):
        os.remove(path(left))
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\necho \"$$\" > '{path('ran')}'\n{script}\n")
    os.chmod(path(name), 0o755)
    return path(name)


def page(script, arguments=None, columns=80, rows=24, **environment):
    return show(arguments or LONG, columns, rows, {"PAGER": pager(script), **environment})


def rows_of(text, columns):
    return sum(max(1, -(-len(line) // columns)) for line in without_escapes(text).split("\n")[:-1])


# ---- When ----

KEEP = f"cat > '{path('seen')}'; echo \"$LESS $LV\" > '{path('environment')}'"
status, text = page(KEEP)
ok("long output goes through $PAGER, as it would be printed", status == 0 and has("seen") and read("seen") == WHOLE, text)
ok("and nothing is printed beside", text == "", text)
ok("less and lv are told to pass colors", has("environment") and read("environment") == "FRX -c\n")
page(KEEP, LESS="R", LV="x")
ok("unless they have been told something", read("environment") == "R x\n")
status, text = page("tr a-z A-Z", PAGER="tr a-z A-Z | cat")
ok("$PAGER is a command of the shell", (status, text) == (0, WHOLE.upper()), text)
status, text = page(KEEP, SHORT)
ok("short output is printed", (status, has("ran"), text) == (0, False, show(SHORT)[1]))

short = show(SHORT)[1]
for columns in (80, 40, 7, 1):
    rows = rows_of(short, columns)
    fitting = [page(KEEP, SHORT, columns, rows + more) and has("ran") for more in (1, 0)]
    ok(f"in {columns} columns, output is short if its lines and the prompt fit", fitting == [False, True], f"{rows}")
framed = show(LONG[:-1] + ["mma.m16n8k16.d.f32"], 80)[1]
rows = rows_of(framed, 80)
fitting = [page(KEEP, LONG[:-1] + ["mma.m16n8k16.d.f32"], 80, rows + more) and has("ran") for more in (1, 0)]
ok("tints take no room", "\033[" in framed and fitting == [False, True], str(rows))
for columns, rows in ((80, 0), (0, 0), (1, 1), (5, 2)):
    status, text = page(KEEP, LONG, columns, rows)
    ok(f"a terminal of {columns} columns and {rows} rows has no pager", (status, has("ran")) == (0, False) and text)
status, text = page(KEEP, [MAPPING, "--help=all"])
ok("--help=all goes through it", status == 0 and read("seen").startswith("Usage: mapping"))
status, text = page(KEEP, [MAPPING, "--list", "--format=json"])
ok("other formats do, too", status == 0 and read("seen")[0] in "[{")
for value in ("", "cat", " "):
    status, text = show(LONG, 80, 24, {"PAGER": value})
    ok(f"PAGER='{value}' is none", (status, text) == (0, WHOLE))
done = subprocess.run(LONG, stdout=subprocess.PIPE, env={**os.environ, "PAGER": pager(KEEP)}, check=False)
ok("nothing goes through it that goes into a pipe", (done.returncode, has("ran")) == (0, False) and done.stdout)

# ---- Without a pager ----

for command in ("less 'x", "if", "cat |"):
    status, text = show(LONG, 80, 24, {"PAGER": command})
    ok(f"what is no command, {command}, loses nothing", status == 0 and text.endswith(WHOLE), text[-300:])
status, text = page("", PAGER="/nonexistent/pager")
ok("what $PAGER does not find is printed", status == 0 and text.endswith(WHOLE), text)
ok("and the shell says so", text.startswith("sh: ") and "/nonexistent/pager" in text.split("\n")[0], text)
pager("")
os.chmod(path("pager"), 0o644)
status, text = show(LONG, 80, 24, {"PAGER": path("pager")})
ok("so is what may not be executed", status == 0 and text.endswith(WHOLE), text)
pager("")
status, text = show(LONG, 80, 24, {"PAGER": None, "PATH": FOLDER})
ok("without $PAGER and less it is printed, without a word", (status, text) == (0, WHOLE), text[:300])
pager(KEEP, "less")
status, text = show(LONG, 80, 24, {"PAGER": None, "PATH": FOLDER + ":" + os.environ["PATH"]})
ok("without $PAGER it goes through less", (status, read("seen")) == (0, WHOLE), text[:300])

# ---- Its end ----

ALL = [MAPPING, "--source=isa", "--arch=90", "mma.*"]  # more than a pipe holds
for script, name in (("exit 0", "reads nothing"), ("head -n 1", "reads one line"), ("exit 3", "fails"),
                     ("exec 0<&-; sleep 0.1", "closes its input")):
    status, text = page(script, ALL)
    ok(f"a pager that {name} is no error", status == 0 and "mapping:" not in text, f"{status} {text[-300:]}")
DIFFERENT = [MAPPING, "--diff=75,80", "--verbose"]
EXPECTED = show(DIFFERENT)
for script in (KEEP, "exit 0", "exit 3"):
    status, text = page(script, DIFFERENT)
    ok(f"the status stays that of a difference: {script[:6]}", status == EXPECTED[0] == 1, str(status))
with open(path("map.csv"), "w", encoding="utf-8") as file:
    file.write("x,y\n" + "".join(f"{x},{x * x * x % 61 * 7 % 64}\n" for x in range(64)))
MAP = [MAPPING, "--outputs=y", "--map", path("map.csv")]
status, text = show(MAP)
paged, rest = show(MAP, 80, 3, {"PAGER": KEEP})
ok("so does that of a map without formula", (paged, status, read("seen") + rest) == (4, 4, text), f"{paged} {text}")

# ---- Signals ----


def paged(script):
    """A program whose pager runs."""
    name = pager(script)
    terminal = Terminal(LONG, 80, 24, {"PAGER": name})
    terminal.wait(lambda: has("ready"))
    return terminal


READY = f"cat > '{path('seen')}'; : > '{path('ready')}'"
UNTIL = f"while [ ! -e '{path('go')}' ]; do sleep 0.02; done"


def go():
    with open(path("go"), "w", encoding="utf-8"):
        pass


terminal = paged(f"trap : INT\n{READY}\n{UNTIL}")
terminal.type(b"\x03")
terminal.wait(lambda: b"^C" in terminal.bytes)
for _ in range(10):
    terminal.read(0.02)
is_waiting = terminal.process.poll() is None
go()
status = terminal.end()
ok("Ctrl-C in a pager that goes on does not end the program", (is_waiting, status) == (True, 0), str(status))

terminal = paged(f"{READY}\nexec sleep 30")
terminal.type(b"\x03")
status = terminal.end()
ok("a pager that Ctrl-C ends takes the program with it", status == -signal.SIGINT, str(status))

terminal = paged(f"{READY}\n{UNTIL}")
terminal.process.send_signal(signal.SIGTERM)
for _ in range(10):
    terminal.read(0.02)
is_waiting = terminal.process.poll() is None
go()
status = terminal.end()
ok("SIGTERM waits for the pager", (is_waiting, status) == (True, -signal.SIGTERM), str(status))

terminal = paged(f"stty -echo < /dev/tty\n{READY}\nkill -9 $$")
status = terminal.end()
ok("the terminal is put back if the pager is killed", (status, terminal.echoes) == (0, True), str(status))

IGNORING = [sys.executable, "-c", "import os, signal, sys\n"
            "for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGCHLD): signal.signal(number, signal.SIG_IGN)\n"
            "os.execv(sys.argv[1], sys.argv[1:])", *LONG]
status, text = page(KEEP, IGNORING)
ok("signals that a parent ignored change nothing", (status, read("seen")) == (0, WHOLE), text)
status, text = page("", IGNORING, PAGER="/nonexistent/pager")
ok("not even where the pager is not found", status == 0 and text.endswith(WHOLE), text[-500:])

# ---- less ----

if subprocess.run(["sh", "-c", "command -v less"], stdout=subprocess.DEVNULL, check=False).returncode == 0:
    terminal = Terminal(LONG, 80, 24, {"PAGER": None})
    shown = terminal.wait(lambda: terminal.bytes.count(b"\n") >= 20)
    waits = terminal.process.poll() is None
    terminal.type(b"q")
    status = terminal.end()
    tinted = re.search("\033\\[38;5;16;48;5;[0-9]+m 0", terminal.text) is not None
    ok("less shows the first page with its tints", shown and waits and tinted and "ESC" not in terminal.text,
       terminal.text[:500])
    ok("and is left with q", status == 0 and terminal.echoes, str(status))
else:
    ok("less shows the first page with its tints # SKIP needs less", True)
sys.exit(finish())
