"""Probes mma_gemm.cu and wgmma_gemm.cu on a device: without mistakes, and with each of their mistakes.

    device_test.py MAPPING NVCC FOLDER      prints TAP; creates FOLDER, and keeps the binaries there
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from rounds import probe  # noqa: E402
from tap import finish, ok, skip  # noqa: E402

# For each kernel, the shapes that are tried with the correct kernel, and its mistakes. A finding must match the regular
# expression. The shape of the mistakes is the first.
KERNELS = {
    "mma": ([(128, 128, 64), (100, 72, 88), (1, 300, 40)], [
        ("registers 1 and 2 of A are exchanged", "A"),
        ("the registers of B are exchanged", r"k ?\^ ?8|k"),
        ("A is read without the swizzle", "A"),
        ("lanes 8-15 and 16-23 exchange addresses of ldmatrix", "A"),
        ("ldmatrix of B has .trans", "B"),
        ("accumulators 1 and 2 are exchanged", "D"),
        ("A is read as if it had no padding", "A"),
        ("the last 32 of K are not multiplied", "k"),
        ("D is stored 8 columns too far", "col|never"),
        ("warps exchange their rows of A", "row"),
    ]),
    "wgmma": ([(128, 128, 128), (100, 72, 88)], [
        ("A is written without the swizzle", "A"),
        ("B is written with a swizzle by row / 2", "B"),
        ("the stride of the descriptor of A is half of what it should be", "A"),
        ("A is advanced by 32 elements", "A|k"),
        ("B is said to be N-major", "B"),
        ("accumulators are set to zero in each stage", "k"),
        ("the last 16 of each stage are not multiplied", "k"),
        ("accumulators 1 and 2 are exchanged", "D"),
        ("warps exchange their rows of D", "row"),
        ("the old D is added", "D"),
    ]),
}


def main():
    program, nvcc, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    inputs = os.path.join(folder, "probe")
    queried = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True, check=True)
    arch = queried.stdout.split()[0].replace(".", "")
    for kernel, (shapes, mistakes) in KERNELS.items():
        if kernel == "wgmma" and arch != "90":
            skip("a kernel of wgmma", "sm_90")
            continue
        target = "90a" if kernel == "wgmma" else arch
        gemm = os.path.join(folder, f"{kernel}_gemm")
        subprocess.run([nvcc, "-std=c++17", "-gencode", f"arch=compute_{target},code=sm_{target}", "-o", gemm,
                        os.path.join(HERE, f"{kernel}_gemm.cu")], check=True)

        def probed(shape, mistake, padding=0):
            def run(plan, numbers):
                done = subprocess.run([gemm, inputs, *map(str, shape), str(mistake)], capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    sys.exit(f"Bail out! {done.stderr}")

            m, n, k = shape
            ld = f"--ld={k + padding},{k + padding},{n + padding}"
            return probe(program, [f"--probe=gemm:{m},{n},{k}", "--type=f16", ld], inputs, run)

        for shape in shapes:
            for padding in (0, 8):
                status, text, _ = probed(shape, 0, padding)
                ok(f"a kernel of {kernel} is right: {shape}, padding {padding}", status == 0, text)
        for number, (name, expected) in enumerate(mistakes, 1):
            status, text, runs = probed(shapes[0], number, 8)
            ok(f"{kernel}: {name}: found and named in {runs} runs", status == 1 and re.search(expected, text) is not None, text)
    sys.exit(finish())


main()
