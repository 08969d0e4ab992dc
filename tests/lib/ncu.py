"""Shared by tests of wavefronts: ncu counts those of every kernel of a program."""
import csv
import glob
import os
import shutil
import subprocess

METRIC = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"


def find_ncu(nvcc):
    """The ncu to use: $NCU, or otherwise an installed one; empty if there is none."""
    if "NCU" in os.environ:
        return os.environ["NCU"]
    beside = os.path.join(os.path.dirname(os.path.realpath(nvcc)), "ncu")
    usual = sorted(glob.glob("/usr/local/cuda*/bin/ncu") + glob.glob("/opt/nvidia/nsight-compute/*/ncu"))
    return shutil.which("ncu") or next((path for path in [beside, *reversed(usual)] if os.path.exists(path)), "")


def count_wavefronts(ncu, *command):
    """What ncu counts for each kernel of a command, in order, or a sentence why it cannot."""
    profile = [ncu, "--csv", "--print-units=base", "--metrics", METRIC, "--clock-control=none", "--cache-control=none"]
    done = subprocess.run([*profile, *command], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row.get("Metric Name") == METRIC]
    if done.returncode != 0 or not rows:
        said = (done.stdout + done.stderr).splitlines()
        return next((line for line in said if "ERR" in line or "rror" in line), f"status {done.returncode}")
    rows.sort(key=lambda row: int(row["ID"]))
    return [round(float(row["Metric Value"].replace(",", ""))) for row in rows]
