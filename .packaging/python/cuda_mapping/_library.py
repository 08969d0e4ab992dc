"""Calls libmapping.so: words in, status and text out; and makes words of Python values."""

from __future__ import annotations

import ctypes
import operator
import os
import re
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._version import VERSION_NUMBER

Table = npt.NDArray[np.int32]

STATUSES_WITH_TEXT = (0, 1, 4)

# enum mapping_side and enum mapping_which of mapping.h.
FROM, TO, FORWARD = 0, 1, 0

# A context keeps the memory of its last text; one with more than this is closed instead of kept.
KEPT_BYTES = 1 << 20


class Error(Exception):
    """Why a question has no answer, in one sentence. `status` is the exit status of the command:
    3 if something exists but not on this machine, 5 if the machine failed; for 2 see `Invalid`."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.status)


class Invalid(Error, ValueError):
    """There is no such fragment, option or layout, or a text cannot be read: status 2."""


class Text(str):
    """What the command prints on standard output. `status` is its exit status, `note` what it
    prints on standard error."""

    status: int = 0
    note: str = ""


class _Options(ctypes.Structure):
    """struct mapping_options"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("may_start_tools", ctypes.c_bool),
        ("catches_signals", ctypes.c_bool),
        ("has_colors", ctypes.c_bool),
        ("has_true_color", ctypes.c_bool),
        ("columns", ctypes.c_uint),
        ("take", ctypes.c_void_p),
        ("taker", ctypes.c_void_p),
    ]


_Pointer, _Size, _Int, _Text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
_SIGNATURES: list[tuple[str, Any, list[Any]]] = [
    ("version", ctypes.c_uint, []),
    ("open", _Pointer, [_Pointer]),
    ("close", None, [_Pointer]),
    ("message", _Text, [_Pointer]),
    ("run", _Int, [_Pointer, _Size, _Pointer, _Pointer, _Pointer]),
    ("ask", _Int, [_Pointer, _Size, _Pointer, _Pointer]),
    ("release", None, [_Pointer]),
    ("answer_item", _Pointer, [_Pointer, _Size]),
    ("item_layout", _Pointer, [_Pointer, _Int]),
    ("layout_axis", _Text, [_Pointer, _Int, _Size, _Pointer]),
    ("layout_values", _Pointer, [_Pointer, _Text]),
]


def _load() -> ctypes.CDLL:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libmapping.so")
    try:
        library = ctypes.CDLL(path)
        for name, result, arguments in _SIGNATURES:
            function = getattr(library, f"mapping_{name}")
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"cuda_mapping needs its library, {path}: {error}") from None
    found = library.mapping_version()
    if found != VERSION_NUMBER:
        raise ImportError(
            f"{path} has version {found:#08x}, but this module needs {VERSION_NUMBER:#08x}; install cuda-mapping again"
        )
    return library


_library = _load()

# Contexts that no thread uses now: without tools, and with them. append and pop are atomic, so threads can share them. After a
# fork, a context that another thread was using is not here.
_free: tuple[list[int], list[int]] = ([], [])


def _taken(may_start_tools: bool) -> Any:
    """A context that is this thread's until it is appended to `_free` or closed."""
    try:
        return _free[may_start_tools].pop()
    except IndexError:
        options = _Options(size=ctypes.sizeof(_Options), may_start_tools=may_start_tools)
        context = _library.mapping_open(ctypes.byref(options))
        if not context:
            raise MemoryError("out of memory") from None
        return context


def call(words: list[bytes], may_start_tools: bool) -> tuple[int, bytes, bytes]:
    """Status, text and message of a command line. Other threads run meanwhile."""
    context = _taken(may_start_tools)
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    array = (ctypes.c_char_p * len(words))(*words)
    is_kept = False
    try:
        status = _library.mapping_run(context, len(words), array, ctypes.byref(text), ctypes.byref(size))
        is_kept = size.value <= KEPT_BYTES
        return status, ctypes.string_at(text, size.value), _library.mapping_message(context)
    finally:
        if is_kept:
            _free[may_start_tools].append(context)
        else:
            _library.mapping_close(context)


def call_for_tables(words: list[bytes], may_start_tools: bool) -> tuple[int, list[Table], bytes]:
    """Status, the table of each layout that answers, and message. A table has an axis for each input and, if there are several
    coordinates, one for these; -1 is where nothing lies. This takes less time than to print and read the JSON."""
    context = _taken(may_start_tools)
    answer = ctypes.c_void_p()
    tables: list[Table] = []
    array = (ctypes.c_char_p * len(words))(*words)
    try:
        status = _library.mapping_ask(context, len(words), array, ctypes.byref(answer))
        message = _library.mapping_message(context)
        while answer and (item := _library.mapping_answer_item(answer, len(tables))):
            tables.append(_table(_library.mapping_item_layout(item, FORWARD)))
        return status, tables, message
    finally:
        _library.mapping_release(context)
        _free[may_start_tools].append(context)


def _table(layout: Any) -> Table:
    shape: list[int] = []
    names: list[bytes] = []
    size = ctypes.c_uint32()
    while _library.mapping_layout_axis(layout, FROM, len(shape), ctypes.byref(size)):
        shape.append(size.value)
    while name := _library.mapping_layout_axis(layout, TO, len(names), None):
        names.append(name)
    table = np.empty((*shape, len(names)), np.int32)
    for number, name in enumerate(names):
        values = ctypes.string_at(_library.mapping_layout_values(layout, name), table.nbytes // len(names))
        table[..., number] = np.frombuffer(values, np.int32).reshape(shape)
    return table if len(names) > 1 else table[..., 0]


# ---- Words ----

# Options that may be given again, for which a list is several values.
_REPEATED = {"load", "store", "with", "origin", "cuda"}

# A source that starts programs or the driver is named, or an action that asks all sources.
_TOOLS = re.compile(r"(?:^|\0)(?:(?:-s|--so\w*)[\0=]?[^\0]*(?:gpu|sass)|--(?:check|confirm|cuda|device)\b|-[cd])")


def word(value: Any, what: str) -> str:
    """A value as the command line has it: 3, "3-5" of range(3, 6), "3,5" of (3, 5)."""
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, range):
        if len(value) == 0 or value.step != 1:
            raise ValueError(f"{what}: a range must have a step of 1 and at least one number")
        return f"{value.start}-{value.stop - 1}"
    if isinstance(value, (tuple, list)):
        return ",".join(word(each, what) for each in value)
    if not isinstance(value, bool):
        try:
            return str(operator.index(value))
        except TypeError:
            pass
    raise TypeError(f"{what} must be text, a whole number, a range or a tuple of them, not {type(value).__name__}")


def option_words(options: dict[str, Any]) -> list[str]:
    """Keywords as options: `color_by="bank"` is --color-by=bank, `brief=True` --brief; False and
    None leave an option out. An underscore at the end is dropped, so that `with_` can be written."""
    words = []
    for keyword, value in options.items():
        name = keyword.rstrip("_").replace("_", "-")
        if not re.fullmatch("[a-z]+(-[a-z]+)*", name):
            raise TypeError(f"'{keyword}' is not the name of an option")
        if value is None or value is False:
            continue
        if value is True:
            words.append(f"--{name}")
            continue
        several = value if isinstance(value, list) and name in _REPEATED else [value]
        words += [f"--{name}={word(each, keyword)}" for each in several]
    return words


def encoded(words: list[str]) -> list[bytes]:
    """The words as C has them, in UTF-8."""
    result = []
    for each in words:
        if not isinstance(each, str):
            raise TypeError(f"words must be text, not {type(each).__name__}")
        if "\0" in each:
            raise ValueError(f"{each[:40]!r} has a NUL character")
        try:
            result.append(each.encode())
        except UnicodeEncodeError:
            raise ValueError(f"{each[:40]!r} has a surrogate, which UTF-8 cannot have") from None
    return result


def ask(names: list[str], options: dict[str, Any]) -> tuple[int, bytes, str]:
    """Status, text and note of a command line. An error is raised."""
    return ask_words(_line(names, options))


def ask_words(words: list[str], may_start_tools: Optional[bool] = None) -> tuple[int, bytes, str]:
    """The same of a command line as it is. Tools may be started if the words ask for them."""
    status, text, message = call(encoded(words), _may_start_tools(words) if may_start_tools is None else may_start_tools)
    return status, text, _note(status, message)


def ask_for_tables(names: list[str], options: dict[str, Any]) -> list[Table]:
    """The tables of the layouts that a command line shows."""
    words = _line(names, options)
    status, tables, message = call_for_tables(encoded(words), _may_start_tools(words))
    _note(status, message)
    return tables


def _line(names: list[str], options: dict[str, Any]) -> list[str]:
    """Names stand behind "--", so that none is taken for an option."""
    words = option_words(options)
    return [*words, "--", *names] if names else words


def _may_start_tools(words: list[str]) -> bool:
    return _TOOLS.search("\0".join(words)) is not None


def _note(status: int, message: bytes) -> str:
    note = message.decode(errors="replace")
    if status not in STATUSES_WITH_TEXT:
        raise (Invalid if status == 2 else Error)(note, status)
    return note
