"""Runs `mapping --probe`, a kernel and `mapping --decode`, repeatedly while the command requests more runs."""
import json
import os
import shutil
import subprocess


def mapping(program, *words):
    """Status, standard output and standard error."""
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    return done.returncode, done.stdout, done.stderr


def probe(program, words, folder, run):
    """Status and text of --decode, and the number of runs. run(plan, numbers) makes D of these runs."""
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
        text += said
