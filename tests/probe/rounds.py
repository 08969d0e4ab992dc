"""Runs `mapping --probe`, a kernel and `mapping --decode`, repeatedly while the command requests more runs."""
import json
import os
import re
import shutil
import tempfile

import numpy as np

import library
from tap import sample


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
    done = library.command(program, *words)
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


def evaluated(text, variables):
    """An expression of C about rows and columns, or a condition such as 32 <= k < 64."""
    text = re.sub(r"(\d+) <= (\w+) < (\d+)", r"(\1 <= \2) & (\2 < \3)", text)
    return eval(re.sub("!(?!=)", " not ", text).replace("/", "//").replace("&&", " and "), {}, variables)


def holds_where(conditions, variables):
    """The elements for which all conditions are true, "row >= 32 and (col & 1) == 0"; all elements if there is none."""
    inside = np.ones(np.broadcast_shapes(*(each.shape for each in variables.values())), bool)
    for condition in conditions.split(" and ") if conditions else []:
        inside = inside & evaluated(condition, variables)
    return inside
