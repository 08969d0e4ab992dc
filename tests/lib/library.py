"""Shared by tests in Python: runs commands as calls of mapping_run of the shared library."""
import ctypes
import os
import subprocess
import sys
from types import SimpleNamespace


class Options(ctypes.Structure):
    """The first members of struct mapping_options."""
    _fields_ = [("size", ctypes.c_size_t), ("may_start_tools", ctypes.c_bool)]


def load(path):
    library = ctypes.CDLL(path)
    library.mapping_version.restype = ctypes.c_uint
    library.mapping_open.restype = ctypes.c_void_p
    library.mapping_open.argtypes = [ctypes.c_void_p]
    library.mapping_close.argtypes = [ctypes.c_void_p]
    library.mapping_message.restype = ctypes.c_char_p
    library.mapping_message.argtypes = [ctypes.c_void_p]
    library.mapping_run.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return library


def array_of(words):
    return (ctypes.c_char_p * len(words))(*(os.fsencode(word) for word in words))


def run(library, context, words):
    """Status, text and message of one call."""
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    status = library.mapping_run(context, len(words), array_of(words), ctypes.byref(text), ctypes.byref(size))
    whole = ctypes.string_at(text, size.value)
    assert ctypes.string_at(text.value + size.value, 1) == b"\0"
    return status, whole, library.mapping_message(context)


# Tests call the library. With THOROUGH=1, and in builds whose library Python cannot load or whose counters it would lose, they start
# processes.
IN_PROCESSES = any(os.environ.get(name, "0") not in ("", "0") for name in ("THOROUGH", "COVERAGE", "SANITIZE"))
LIBRARY = load(os.path.abspath(os.environ["LIBRARY"])) if os.environ.get("LIBRARY") and not IN_PROCESSES else None


def command(program, *words):
    """What a command prints without a GPU and without CUDA's tools: .returncode, .stdout and .stderr, as texts. A call of the library takes
    a fortieth of a process."""
    if LIBRARY:
        context = LIBRARY.mapping_open(ctypes.byref(Options(ctypes.sizeof(Options), False)))
        status, text, message = run(LIBRARY, context, words)
        LIBRARY.mapping_close(context)
        return SimpleNamespace(returncode=status, stdout=text.decode(), stderr=f"mapping: {message.decode()}\n" if message else "")
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})


def output(program, *words, statuses=(0,)):
    """Standard output of a command; the test ends if its status is another."""
    done = command(program, *words)
    if done.returncode not in statuses:
        sys.exit(f"{' '.join(words)}: status {done.returncode}, {done.stderr}")
    return done.stdout
