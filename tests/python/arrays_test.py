"""Calls the module cuda_mapping with arrays of PyTorch, CuPy and JAX, on the host and on a device. Expected values: the
answers for the same NumPy arrays.

    PYTHONPATH=build/python python3 tests/python/arrays_test.py     prints TAP; libraries that are not here are left out
"""
import importlib
import os
import sys

import numpy as np

import cuda_mapping as cm

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok, skip  # noqa: E402

D = cm.fragment("mma.m16n8k16.d.f32", arch="sm_90")
ADDRESS = np.arange(32) * 16
SOURCES = np.arange(64).reshape(8, 8) ^ 1


def makers():
    """Functions that make an array, with their names, for each installed library."""
    for name in ("torch", "cupy", "jax"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            skip(f"arrays of {name}", name)
            continue
        if name == "torch":
            yield "torch", torch_of(library, "cpu")
            if library.cuda.is_available():
                yield "torch on a device", torch_of(library, "cuda")
        elif name == "cupy":
            yield "cupy", library.asarray
        else:
            for device in {each.platform: each for each in [*library.devices(), *library.devices("cpu")]}.values():
                yield f"jax on {device.platform}", lambda array, device=device: library.device_put(array.astype(np.int32), device)


def torch_of(torch, device):
    return lambda array: torch.from_numpy(array.copy()).to(device)


def questions(array):
    """Calls of the module with an array of a library, by name."""
    tid, i = np.meshgrid(np.arange(32), np.arange(4), indexing="ij")
    return {
        "row()": lambda: D.row(array(tid), array(i)).tolist(),
        "at()": lambda: D.at(array(np.array(3)), array(np.array(5))).tid,
        "access()": lambda: cm.access("ld.b128", array(ADDRESS)).wavefronts,
        "deduce()": lambda: cm.deduce(array(SOURCES)).formulas,
        "deduce() of columns": lambda: cm.deduce({"x": array(np.arange(16)), "y": array(np.arange(16) ^ 3)}, outputs="y").formulas,
        "equals()": lambda: bool(D.equals(array(D.map.copy()))),
    }


def copies(name):
    library = name.split()[0]
    report = cm.check_copy(lambda a: a + 0, m=32, n=32, arrays=library)
    ok(f"check_copy: {library}", report, str(report))


expected = {what: ask() for what, ask in questions(lambda array: array).items()}
for name, array in makers():
    for what, ask in questions(array).items():
        try:
            found = ask()
            ok(f"{what}: {name}", found == expected[what], f"{found}, not {expected[what]}")
        except Exception as error:
            ok(f"{what}: {name}", False, f"{type(error).__name__}: {error}")
    copies(name)
sys.exit(finish())
