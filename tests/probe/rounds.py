"""Runs `mapping --probe`, a kernel and `mapping --decode`, repeatedly while the command requests more runs."""
import ctypes
import json
import os
import re
import shutil
import subprocess
import tempfile

import library
from tap import sample

# Tests call the library. With THOROUGH=1, and in builds whose library Python cannot load or whose counters it would lose, they start
# processes.
IN_PROCESSES = any(os.environ.get(name, "0") not in ("", "0") for name in ("THOROUGH", "COVERAGE", "SANITIZE"))
LIBRARY = library.load(os.path.abspath(os.environ["LIBRARY"])) if os.environ.get("LIBRARY") and not IN_PROCESSES else None


def sample_of_kinds(zoo, usually):
    """Chooses wrong kernels (name, problem, mistake, expected): one in `usually`, and the first of each kind of finding. The words with
    which the expected text begins are the kind. With THOROUGH=1, it chooses all."""
    kinds = [re.match(r"\W*([a-zA-Z :;,-]*)", expected)[1] for _, _, _, expected in zoo]
    first = {kind: number for number, kind in reversed(list(enumerate(kinds)))}
    return [zoo[number] for number in sorted({*first.values(), *sample(range(len(zoo)), usually)})]


def temporary_folder():
    """In memory, if the system has such a folder: a probe writes many files."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def mapping(program, *words):
    """Status, standard output and standard error."""
    if LIBRARY:
        context = LIBRARY.mapping_open(ctypes.byref(library.Options(ctypes.sizeof(library.Options), False)))
        status, text, message = library.run(LIBRARY, context, words)
        LIBRARY.mapping_close(context)
        return status, text.decode(), message.decode()
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    return done.returncode, done.stdout, done.stderr


def unfolded(text):
    """The text without line breaks inside sentences. Each line must fit a terminal."""
    assert max(map(len, text.split("\n"))) <= 80, text
    return re.sub(r"\n    +", " ", text)


def probe(program, words, folder, run):
    """Status and unfolded text of --decode, and the number of runs. run(plan, numbers) makes D of these runs."""
    shutil.rmtree(folder, ignore_errors=True)
    status, _, said = mapping(program, *words, f"--into={folder}")
    if status != 0:
        return status, said, 0
    count = 0
    while True:
        with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
            plan = json.load(file)
        if len(plan["runs"]) == count:
            return status, text, count
        run(plan, range(count, len(plan["runs"])))
        count = len(plan["runs"])
        status, text, said = mapping(program, f"--decode={folder}")
        text = unfolded(text) + said
