"""Shared by tests in Python: calls mapping_run of the shared library."""
import ctypes
import os


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
