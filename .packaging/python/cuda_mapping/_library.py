"""Calls libmapping.so: passes the words of a command line, returns its status and text. Also converts Python values to
words."""

from __future__ import annotations

import ctypes
import operator
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Optional, TypeVar

import numpy as np
import numpy.typing as npt

from ._version import VERSION_NUMBER

Table = npt.NDArray[np.int32]
Item = TypeVar("Item")

STATUSES_WITH_TEXT = (0, 1, 4)

# enum mapping_side and enum mapping_which of mapping.h.
FROM, TO, FORWARD = 0, 1, 0


class Error(Exception):
    """The reason why a question has no answer, in one sentence. `status` is the exit status of the command: 3 if
    something exists but is not available on this machine, 5 if CUDA, a tool, an allocation or the output failed. For
    status 2, see `Invalid`."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.status)


class Invalid(Error, ValueError):
    """There is no such fragment, option or layout, or a text cannot be read: status 2."""


class Text(str):
    """The text that the command prints on standard output. `status` is its exit status, `note` the text that it prints
    on standard error."""

    status: int = 0
    note: str = ""


class _Options(ctypes.Structure):
    """The first members of struct mapping_options; `size` is the size of these members in bytes."""

    _fields_ = [("size", ctypes.c_size_t), ("may_start_tools", ctypes.c_bool)]


_Pointer, _Size, _Int, _Text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
_SIGNATURES: list[tuple[str, Any, list[Any]]] = [
    ("version", ctypes.c_uint, []),
    ("open", _Pointer, [_Pointer]),
    ("close", None, [_Pointer]),
    ("message", _Text, [_Pointer]),
    ("format", _Text, [_Size]),
    ("run", _Int, [_Pointer, _Size, _Pointer, _Pointer, _Pointer]),
    ("ask", _Int, [_Pointer, _Size, _Pointer, _Pointer]),
    ("answer_item", _Pointer, [_Pointer, _Size]),
    ("item_print", _Int, [_Pointer, _Pointer, _Text, _Pointer, _Pointer]),
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


def formats() -> tuple[str, ...]:
    """The formats of the command, in the order of its help; the first is "text", the second "json"."""
    names: list[str] = []
    while name := _library.mapping_format(len(names)):
        names.append(name.decode())
    return tuple(names)


@contextmanager
def _context(words: list[str], may_start_tools: Optional[bool] = None) -> Iterator[tuple[Any, Any]]:
    """A new context, which only this question uses, and the words as an array of char * in UTF-8. To make one takes a
    microsecond. Without `may_start_tools`, tools may be started if the words ask for them."""
    for each in words:
        if "\0" in each:
            raise ValueError(f"{each[:40]!r} has a NUL character")
    try:
        array = (ctypes.c_char_p * len(words))(*[each.encode() for each in words])
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object[:40]!r} has a surrogate, which UTF-8 cannot have") from None
    may = asks_for_tools(words) if may_start_tools is None else may_start_tools
    context = _library.mapping_open(ctypes.byref(_Options(ctypes.sizeof(_Options), may)))
    if not context:
        raise MemoryError("out of memory")
    try:
        yield context, array
    finally:
        _library.mapping_close(context)


def _note(context: Any, status: int) -> str:
    """The text that the command prints on standard error. Raises Error or Invalid if the command
    failed, so that it has no output."""
    note: str = _library.mapping_message(context).decode(errors="replace")
    note = re.sub(r"/proc/self/fd/\d+", "the text", note)  # a table or a listing, which the caller has not written to a file
    if status not in STATUSES_WITH_TEXT:
        raise (Invalid if status == 2 else Error)(note, status)
    return note


class File:
    """The text of a table or a listing, which the command reads as a file. `opened` makes the file for one call."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and self.text == other.text

    def __str__(self) -> str:  # as in messages of the command
        return "the text"


@contextmanager
def opened(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The options with a path in place of each File. The files are in memory, and exist inside of the `with` block."""
    with ExitStack() as stack:
        paths = {}
        for name, value in options.items():
            if isinstance(value, File):
                descriptor = os.memfd_create("text")
                stack.callback(os.close, descriptor)
                with open(descriptor, "wb", closefd=False) as file:
                    file.write(value.text.encode(errors="surrogatepass"))
                paths[name] = f"/proc/self/fd/{descriptor}"
        yield {**options, **paths}


def ask_words(words: list[str], may_start_tools: Optional[bool] = None) -> tuple[int, bytes, str]:
    """Status, output and note of a command line. Releases the GIL during the call."""
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    with _context(words, may_start_tools) as (context, array):
        status = _library.mapping_run(context, len(words), array, ctypes.byref(text), ctypes.byref(size))
        return status, ctypes.string_at(text, size.value), _note(context, status)


def ask(names: list[str], options: dict[str, Any]) -> tuple[int, bytes, str]:
    """As ask_words, for a command line of names and options, which may be Files."""
    with opened(options) as paths:
        return ask_words(_line(names, paths))


def ask_for_items(read: Callable[[Any, Any], Item], names: list[str], options: dict[str, Any], only: Optional[int] = None) -> list[Item]:
    """Calls read(context, item) for each item of an answer, or for item number `only`, and returns the results."""
    answer = ctypes.c_void_p()
    items: list[Item] = []
    with opened(options) as paths, _context(words := _line(names, paths)) as (context, array):
        _note(context, _library.mapping_ask(context, len(words), array, ctypes.byref(answer)))
        while item := _library.mapping_answer_item(answer, len(items) + (only or 0)):
            items.append(read(context, item))
            if only is not None:
                break
    return items


def printed(context: Any, item: Any, format: str) -> str:
    """An item as text in a format of --format."""
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    _note(context, _library.mapping_item_print(context, item, format.encode(), ctypes.byref(text), ctypes.byref(size)))
    return ctypes.string_at(text, size.value).decode(errors="replace")


def table(context: Any, item: Any) -> Table:
    """The table of an item, without printing and reading JSON. The array has an axis for each axis of the input space.
    If there are several coordinates, the last axis has them. -1 means that there is no element."""
    layout = _library.mapping_item_layout(item, FORWARD)
    shape: list[int] = []
    names: list[bytes] = []
    size = ctypes.c_uint32()
    while _library.mapping_layout_axis(layout, FROM, len(shape), ctypes.byref(size)):
        shape.append(size.value)
    while name := _library.mapping_layout_axis(layout, TO, len(names), None):
        names.append(name)
    found = np.empty((*shape, len(names)), np.int32)
    for number, name in enumerate(names):
        values = ctypes.string_at(_library.mapping_layout_values(layout, name), found.nbytes // len(names))
        found[..., number] = np.frombuffer(values, np.int32).reshape(shape)
    return found if len(names) > 1 else found[..., 0]


# ---- Words ----

# Options that may be given several times, once for each value of a list.
_REPEATED = {"load", "store", "with", "origin", "cuda"}

# Matches words that may start a program or the CUDA driver: a source gpu or sass, or an action that asks all sources.
_TOOLS = re.compile(r"(?:^|\0)(?:(?:-s|--so\w*)[\0=]?[^\0]*(?:gpu|sass)|--(?:check|confirm|cuda|device)\b|-[cd])")


# Names of types in NumPy, ml_dtypes, PyTorch and JAX, and in mapping. An arithmetic type: "int8" is also a name of b8.
TYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int32": "s32", "int8": "s8", "uint8": "u8",
    "int4": "s4", "uint4": "u4", "float8_e5m2": "e5m2", "float8_e4m3fn": "e4m3", "float8_e8m0fnu": "ue8m0",
    "float6_e3m2fn": "e3m2", "float6_e2m3fn": "e2m3", "float4_e2m1fn": "e2m1",
}  # fmt: skip


def type_word(value: Any) -> Optional[str]:
    """The name of a type in mapping, for a type of NumPy, ml_dtypes, PyTorch or JAX: "f16" for np.float16 and for
    torch.float16. None if the value is no type. Raises ValueError if no tensor core has elements of this type."""
    if isinstance(value, np.dtype) or isinstance(value, type) and issubclass(value, np.generic):
        name = np.dtype(value).name
    elif type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        name = str(value).rpartition(".")[2]
    elif isinstance(getattr(value, "dtype", None), np.dtype) and callable(value):  # jnp.bfloat16
        name = value.dtype.name
    else:
        return None
    if name not in TYPES:
        raise ValueError(f"no fragment has elements of the type {name}; valid types: {', '.join(TYPES)}")
    return TYPES[name]


def word(value: Any, what: str) -> str:
    """A value as a word of the command line: 3 is "3", range(3, 6) is "3-5", (3, 5) is "3,5", np.float16 is "f16".
    Raises TypeError or ValueError; `what` names the value in the message."""
    if isinstance(value, (str, File)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, range):
        if len(value) == 0 or value.step != 1:
            raise ValueError(f"{what}: a range must have a step of 1 and at least one number")
        return f"{value.start}-{value.stop - 1}"
    if isinstance(value, (tuple, list)):
        return ",".join(word(each, what) for each in value)
    if (name := type_word(value)) is not None:
        return name
    try:
        number = value.item() if hasattr(value, "item") else value  # a number of an array without axes, on any device
        if not isinstance(number, bool):
            return str(operator.index(number))
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{what} must be text, a whole number, a range or a tuple of them, not {type(value).__name__}")


def option_words(options: dict[str, Any]) -> list[str]:
    """Keywords as options: `color_by="bank"` is --color-by=bank, `brief=True` is --brief; False and None leave an
    option out. An underscore at the end is dropped: `with_` is --with. The architecture may be a compute capability:
    `arch=(9, 0)` is --arch=9.0."""
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
        if name == "arch" and isinstance(value, tuple) and len(value) == 2 and all(isinstance(each, int) for each in value) and value[1] < 10:
            value = f"{value[0]}.{value[1]}"  # a compute capability, as get_device_capability() of PyTorch returns it
        several = value if isinstance(value, list) and name in _REPEATED else [value]
        words += [f"--{name}={word(each, keyword)}" for each in several]
    return words


def _line(names: list[str], options: dict[str, Any]) -> list[str]:
    """The words of a command line. The names follow "--", so that the program takes none of them for an option."""
    return [*option_words(options), "--", *names] if names else option_words(options)


def asks_for_tools(words: list[str]) -> bool:
    return _TOOLS.search("\0".join(words)) is not None
