"""Copies matrices to shared memory by the tensor maps and copies that --store=tma prints, on a device.

    tma_test.py MAPPING NVCC FOLDER     prints TAP; creates FOLDER, and keeps the binaries there

For each swizzle of sm_90, types of 8 to 32 bits, and one or several boxes, a kernel copies parts of a matrix of random
elements from several origins, also beyond its last row and column, where TMA fills in zeros. Each element must lie at
the offset that --format=csv gives, also under compute-sanitizer. It needs a GPU of sm_90.

Expected values: the elements of the matrix on the host.
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from tap import finish, ok  # noqa: E402

MAPPING, NVCC, FOLDER = sys.argv[1:]
TYPES = {"f32": "unsigned", "f16": "unsigned short", "u8": "unsigned char"}
CASES = [
    ("(32,32):(32,1)", "f32"),
    ("(64,64):(64,1)", "u8"),
    ("(64,(8,4)):(8,(1,512))", "f16"),
    ("Sw<1,4,3> o smem_ptr[16b](unset) o (64,16):(16,1)", "f16"),
    ("Sw<2,4,3> o smem_ptr[16b](unset) o (64,32):(32,1)", "f16"),
    ("Sw<2,4,3> o smem_ptr[16b](unset) o (128,(32,2)):(32,(1,4096))", "f16"),
    ("Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)", "f16"),
    ("Sw<3,4,3> o smem_ptr[16b](unset) o (64,(64,2)):(64,(1,4096))", "f16"),
    ("Sw<3,4,3> o smem_ptr[32b](unset) o (64,32):(32,1)", "f32"),
    ("Sw<3,4,3> o smem_ptr[8b](unset) o (64,128):(128,1)", "u8"),
]


def mapping(layout, kind, *words):
    command = [MAPPING, layout, f"--type={kind}", "--arch=90", *words]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    if done.returncode != 0:
        sys.exit(f"Bail out! {' '.join(command)}: {done.stderr}")
    return done.stdout


def sources_of(layout, kind):
    """The printed header, the name of its functions, and the definitions of tma.cu."""
    header = mapping(layout, kind, "--store=tma", "--format=cuda")
    table = csv.DictReader(io.StringIO(mapping(layout, kind, "--format=csv").split("\n\n")[0]))
    entries = sorted((int(row["row"]), int(row["col"]), int(row["offset"])) for row in table)
    rows, cols = entries[-1][0] + 1, entries[-1][1] + 1
    name = re.search(r"(\w+)_map\(", header)[1]
    offsets = ",".join(str(offset) for _, _, offset in entries)
    return header, [f"-DMAP={name}_map", f"-DCOPY={name}_copy", f"-DELEMENT={TYPES[kind]}", f"-DROWS={rows}", f"-DCOLS={cols}"], offsets


def try_case(number, layout, kind):
    header, definitions, offsets = sources_of(layout, kind)
    folder = os.path.join(FOLDER, str(number))
    os.makedirs(folder, exist_ok=True)
    for name, text in ("copy.h", header), ("offsets.h", offsets):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    program = os.path.join(folder, "tma")
    compiled = subprocess.run([NVCC, "-std=c++17", "-arch=sm_90a", f"-I{folder}", *definitions, os.path.join(HERE, "tma.cu"),
                               "-o", program, "-lcuda"], capture_output=True, text=True)
    what = f"{layout} of {kind}, {re.search('CU_TENSOR_MAP_SWIZZLE_[A-Z0-9_]+', header)[0]}"
    ok(f"{what}: compiles", compiled.returncode == 0, compiled.stderr)
    if compiled.returncode == 0:
        ran = subprocess.run([program], capture_output=True, text=True)
        ok(f"{what}: {ran.stdout.strip()}", ran.returncode == 0, ran.stdout + ran.stderr)
        if shutil.which("compute-sanitizer"):
            checked = subprocess.run(["compute-sanitizer", "--error-exitcode=9", program], capture_output=True, text=True)
            ok(f"{what}: memcheck", checked.returncode == 0, checked.stdout)


for at, case in enumerate(CASES):
    try_case(at, *case)
sys.exit(finish())
