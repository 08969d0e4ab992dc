"""Runs printed CUDA functions on the host: C++ that includes on_host.cuh, which executes shuffles."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def output_of(text, *options):
    """Compiles a program in C++, runs it, and returns its output."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/test.cc", "w", encoding="ascii") as file:
            file.write(text)
        compiler = [*os.environ.get("CXX", "c++").split(), "-std=c++17", "-w", f"-I{HERE}", *options]
        done = subprocess.run([*compiler, "-o", f"{folder}/test", f"{folder}/test.cc"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr[:2000])
        return subprocess.run([f"{folder}/test"], capture_output=True, text=True, check=True).stdout
