"""Fragments, matrices in memory, and answers about them. Each object has the JSON that one command line prints."""

from __future__ import annotations

import copy
import functools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Optional, TypeVar, Union, cast

import numpy as np
import numpy.typing as npt

from ._library import Error, File, Invalid, Table, Text, ask, ask_for_items, ask_words, formats, opened, option_words, printed, table, word

Ints = npt.NDArray[np.integer[Any]]
Index = Union[int, npt.ArrayLike]
Kind = TypeVar("Kind", bound="Result")


# Members of the JSON that distinguish the layouts of one command line: several fragments, or several instructions that
# move parts of one operand.
PART = ("fragment", "arch", "cta", "load", "store")


# ---- Values ----


class Record(Mapping[str, Any]):
    """An object of the JSON. Its members are also attributes: `record["row"]` is `record.row`. An underscore at the end
    of an attribute is dropped: `record.is_` is the member "is". Members cannot be changed."""

    _members: dict[str, Any]

    def __init__(self, members: dict[str, Any]) -> None:
        self.__dict__["_members"] = members

    def to_dict(self) -> dict[str, Any]:
        """A copy of the members as a dict of Python's own values, which `json.dumps` accepts.

        >>> fragment("mma.m16n8k16.d.f32").at(3, 5)[0].to_dict()
        {'row': 3, 'col': 5, 'copy': 0, 'tid': 14, 'i': 1, 'register': 1, 'bits': [0, 31]}
        """
        return copy.deepcopy(self._members)

    def __getitem__(self, name: str) -> Any:
        return _wrapped(name, self._members[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __eq__(self, other: object) -> bool:  # Mapping.__eq__ would compare arrays
        return self._members == (other._members if isinstance(other, Record) else other)

    def __hash__(self) -> int:
        return hash(json.dumps(self._members, sort_keys=True))

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._members})

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"members of a {type(self).__name__} cannot be changed")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name.rstrip("_") not in self._members:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return self[name.rstrip("_")]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._members.items())})"


class Answers(tuple[Record, ...]):
    """Elements and their places: row, col, tid, i, register, bits and others. Each answer has these as attributes. The
    tuple has them, too: a number if there is one answer, otherwise an array with a number for each answer. `register`
    is the index of a 32-bit register of the thread, and `bits` are the first and the last bit of the element in it. In
    memory, `offset` is in elements, `byte` in bytes, and `bank` is 0 to 31. A slice has these attributes, too.

    >>> fragment("mma.m16n8k16.d.f32").thread(14)[2:].row
    array([11, 11])
    """

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Answers(found) if isinstance(index, slice) else found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for each in self[:1] for name in each)})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not all(name in answer for answer in self):
            raise AttributeError(f"the answers have no {name}")
        return self[0][name] if len(self) == 1 else np.array([answer[name] for answer in self])


def _wrapped(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [Record(each) for each in value]
    if name == "address" and isinstance(value, list):
        return np.array([-1 if each is None else each for each in value], np.int64)
    return value


def _ints(value: Any, what: str) -> Ints:
    """An array of integers, from NumPy or an object with __array__ or DLPack. Copies it from a device if its library
    can. Raises TypeError or ValueError, with `what` as the name of the value."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        if not hasattr(value, "__dlpack__"):
            raise ValueError(f"{what} must be an array of whole numbers: {error}") from None
        array = np.array(None)
    if array.dtype == object and hasattr(value, "__dlpack__"):
        try:
            copies = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
            array = np.from_dlpack(value, device="cpu") if copies else np.from_dlpack(value)
        except (TypeError, ValueError, RuntimeError, BufferError) as error:
            raise TypeError(f"{what} cannot be read; copy it to the host first: {error}") from None
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu":
        found = type(value).__name__ if array.ndim == 0 and array.dtype == object else array.dtype
        raise TypeError(f"{what} must be whole numbers that fit 64 bits, not {found}")
    return array


# ---- What all results have in common ----


class _NoFormat(Invalid, AttributeError):
    """The command does not print this result in the format, so the object has no such attribute."""


class Result:
    """The answer to a command line. Members of its JSON are attributes. So are other formats of the command, as texts:
    those in `FORMATS`, such as `.cuda`. If the command cannot print the result in a format, the object has no such
    attribute: reading it raises Invalid, which here is also an AttributeError, so `hasattr` is false. `str()` gives the
    text format. Results are equal if they answer the same question, and they can be keys of a dict.

    >>> hasattr(fragment("mma.m16n8k16.d.f32"), "svg"), hasattr(access("ld.b32", "tid * 4"), "cuda")
    (True, False)
    """

    FORMATS: ClassVar[tuple[str, ...]] = formats()[2:]  # without text and json
    cuda: str
    cute: str
    triton: str
    svg: str
    tikz: str
    html: str
    markdown: str
    csv: str

    def __init__(self, names: list[str], options: dict[str, Any], members: dict[str, Any]) -> None:
        self._names, self._options = names, options
        self.json = Record(members)
        """The JSON that the command prints with --json."""

    def text(self, **options: Any) -> str:
        """The text that the command prints with these additional options."""
        return ask(self._names, {**self._options, **options})[1].decode(errors="replace")

    def __getattr__(self, name: str) -> Any:
        if name in self.FORMATS:
            return self._formatted(name)
        if name != "json" and not name.startswith("_") and name.rstrip("_") in self.json:
            return self.json[name.rstrip("_")]
        raise AttributeError(f"this {type(self).__name__} has no {name}")

    def _formatted(self, name: str) -> str:
        try:
            text = self.text(format=name)
            return self.text(format=name, brief=True).strip() if name in ("cute", "triton") else text
        except Invalid as error:
            raise _NoFormat(str(error), error.status) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in self.FORMATS if hasattr(self, name)), *self.json})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result) or type(self) is not type(other):
            return False
        return (self._names, self._options, self.json) == (other._names, other._options, other.json)

    def __hash__(self) -> int:
        return hash((type(self), *self._names, *option_words(self._options)))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {' '.join([*self._names, *option_words(self._options)])}>"

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.text(format="svg")
        except Error:  # a result without a picture
            return None

    @property
    def facts(self) -> dict[str, str]:
        """The facts that the text states about the layout, by key: "source", "registers", "note", ... Several facts
        with the same key are lines of one text."""
        facts: dict[str, list[str]] = {}
        for fact in self.json.get("facts", []):
            facts.setdefault(fact.key, []).append(fact.text.removeprefix(f"{fact.key}: "))
        return {key: "\n".join(texts) for key, texts in facts.items()}


def _documents(names: list[str], options: dict[str, Any]) -> list[dict[str, Any]]:
    """The JSON objects that a command line prints."""
    found = json.loads(ask(names, {**options, "json": True})[1])
    return found if isinstance(found, list) else [found]


def _one(kind: type[Kind], names: list[str], options: dict[str, Any]) -> Kind:
    if len(documents := _documents(names, options)) != 1:
        raise ValueError(f"{' '.join(names)}: there are {len(documents)} answers instead of one")
    return kind(names, options, documents[0])


def _called(function: Callable[..., Any], shape: tuple[int, ...], count: int) -> Ints:
    """The table of a function of the inputs, which has `count` coordinates."""
    found = function(*np.indices(shape))
    columns = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(columns) != count:
        raise ValueError(f"the function returns {len(columns)} coordinates, but the layout has {count}")
    arrays = [np.broadcast_to(_ints(each, "the result of the function"), shape) for each in columns]
    return np.stack(arrays, axis=-1) if count > 1 else arrays[0]


class Layout(Result):
    """A layout: a table with the coordinates of each input, and formulae for both directions."""

    _table: Optional[Table] = None
    _inverse: Optional[Table] = None
    _number: Optional[int] = None
    """The index of this layout, if the command line selects several; otherwise None."""
    _sizes: tuple[int, ...] = ()
    """The number of instructions that move the operand along each input before tid and i; () for one instruction."""

    def text(self, **options: Any) -> str:
        """The text that the command prints with these additional options."""
        if self._number is None:
            return super().text(**options)
        asked = {**self._options, **options}
        format = asked.pop("format", None) or "text"
        return ask_for_items(lambda context, item: printed(context, item, format), self._names, asked, self._number)[0]

    @property
    def map(self) -> Table:
        """The table as a read-only array of int32 with an axis for each of `inputs`. If there are several
        `coordinates`, the last axis has them: map[tid, i] is (row, col). -1 means that there is no element."""
        if self._table is None:
            tables = ask_for_items(table, self._names, {**self._options, "brief": None}, None if self._sizes else self._number or 0)
            self._table = np.array(tables).reshape(*self._sizes, *tables[0].shape)
            self._table.flags.writeable = False
        return self._table

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        """`map`, so that functions of NumPy take a layout as an array.

        >>> np.asarray(fragment("mma.m16n8k16.d.f32"))[14, 1]
        array([3, 5], dtype=int32)
        """
        is_other = dtype is not None and np.dtype(dtype) != self.map.dtype
        if copy is False and is_other:
            raise ValueError(f"a layout has int32, so an array of {np.dtype(dtype)} is a copy")
        return self.map.astype(dtype) if is_other else self.map.copy() if copy else self.map

    @property
    def inputs(self) -> list[str]:
        """The names of the axes of `map`, ["tid", "i"] for a fragment."""
        return cast("list[str]", self.json.get("inputs", ["tid", "i"]))

    @property
    def formulas(self) -> dict[str, Optional[str]]:
        """An expression in C of the inputs for each coordinate; None if the coordinate has no formula."""
        return dict(self._formulae({}).formulae)

    @property
    def inverse(self) -> dict[str, Optional[str]]:
        """An expression in C of the coordinates for each input; None if there is no formula."""
        return dict(self._formulae({}).inverse)

    def formula(self, axis: str, style: Optional[str] = None) -> Optional[str]:
        """One of `formulas` or `inverse`, in a style: "bits", "short" or "divide". Raises ValueError if the layout has
        no such axis."""
        found = self._formulae({} if style is None else {"style": style})
        both = {**found.inverse, **found.formulae}
        if axis not in both:
            raise ValueError(f"there is no formula for {axis!r}, only for {', '.join(both)}")
        return cast("Optional[str]", both[axis])

    def _formulae(self, options: dict[str, Any]) -> Record:
        if self._sizes:  # those of each instruction are there, so derive those of all together
            return deduce(self._columns(self.map), outputs=tuple(self.json.coordinates), **options).json
        return self.json if not options else Record(self._own({**self._options, **options})[0])

    def _own(self, options: dict[str, Any], names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        """The JSON objects that the command line prints about this layout. If the command line selects several layouts,
        the objects of this one are found by the members `names`, or by its number."""
        documents = _documents(self._names, options)
        if self._number is None:
            return documents
        return [each for each in documents if all(each.get(name) == self.json.get(name) for name in names)] if names else [documents[self._number]]

    def at(self, *place: Any) -> Answers:
        """The places of an element: `at(3, 5)`, `at("3,*")`, `at(range(0, 3), 5)`."""
        return self._question("at", place)

    def verify(self, code: Any, **options: Any) -> Verdict:
        """Compares formulae in C or Python, a TV layout of CuTe, or the file "@FILE" with the layout at every entry.
        For a matrix in memory, `code` may also be a descriptor, as a number. Wrong formulae raise no exception: the
        verdict is false. Raises Invalid if `code` cannot be parsed."""
        if callable(code) or isinstance(code, (np.ndarray, list)):
            raise TypeError(f"formulae must be text, not {type(code).__name__}; to compare a function or an array, call equals()")
        options = {**self._options, "brief": None, **options, "verify": word(code, "formulae")}
        found = self._own(options)
        if len(found) != max(int(np.prod(self._sizes)), 1):
            raise ValueError(f"{' '.join(self._names)}: there are {len(found)} verdicts")
        if found[0]["kind"] == "descriptor":
            return Verdict(self._names, options, {**found[0], "verdicts": [_of_descriptor(found[0])], "right_for": []})
        for each in found if self._sizes else []:
            for verdict in each["verdicts"]:
                verdict["first"] = [{**entry, **{axis: each[axis] for axis in self.inputs[:-2]}} for entry in verdict["first"]]
        names = [name for name in found[0]["right_for"] if all(name in each["right_for"] for each in found)]
        verdicts = [verdict for each in found for verdict in each["verdicts"]]
        return Verdict(self._names, options, {**found[0], "verdicts": verdicts, "right_for": names})

    def equals(self, other: Any) -> Equality:
        """Compares the layout with another one of the same size, at every entry. The other layout is an object, an
        array with the shape of `map`, the name of a fragment, or a text in the notation of CuTe or Triton. It may also
        be a function, which is called once with an array for each of `inputs`, and returns an array, or a tuple with an
        array for each coordinate. The arrays are broadcast. Raises ValueError if the shape differs, TypeError if the
        numbers are not whole.

        >>> fragment("mma.m16n8k16.d.f32").equals("((4,8),(2,2)):((32,1),(16,8))")
        <Equality True; 0 of 128 entries differ>
        >>> fragment("mma.m16n8k16.d.f32").equals(lambda tid, i: (tid // 4 + i // 2 * 8, tid % 4 * 2 + i % 2))
        <Equality True; 0 of 128 entries differ>
        >>> matrix("(8,8):(8,1)").equals(lambda row, col: row * 8 + (col ^ 1)).different
        64
        >>> matrix("8x4", extent=(64, 8)).equals("128x4").first[0]["at"]
        [Record(offset=32), Record(offset=512)]
        """
        if callable(other):
            other = _csv(self._columns(_called(other, self.map.shape[: len(self.inputs)], len(self.json.coordinates))))
        elif isinstance(other, Layout):
            other = other._names[0] if self._asks_alike(other) else _csv(other._columns(other.map))
        elif not isinstance(other, (str, os.PathLike)):
            other = _csv(self._columns(_ints(other, "a layout")))
        if self._number is None and not self._sizes:
            return _one(Equality, self._names, {**self._options, "brief": None, "equals": other})
        return _one(Equality, [], {"map": _csv(self._columns(self.map)), "equals": other})

    def _asks_alike(self, other: Layout) -> bool:
        """True if both objects have the same name and the same options."""
        one, another = ({**each._options, "arch": each.json.get("arch"), "brief": None} for each in (self, other))
        return one == another and len(other._names) == 1 and other._number is None and not other._sizes

    def _columns(self, table: Ints) -> dict[str, Ints]:
        """A table of the shape of `map` as columns, one for each input and each coordinate. Raises ValueError if the
        shape differs."""
        if table.shape != self.map.shape:
            raise ValueError(f"the array has the shape {table.shape}, but the layout {self.map.shape}")
        shape = table.shape[: len(self.inputs)]
        values = np.moveaxis(table.reshape(*shape, -1), -1, 0)
        return dict(zip([*self.inputs, *self.json.coordinates], [*np.indices(shape), *values]))

    def _question(self, option: str, place: tuple[Any, ...], **options: Any) -> Answers:
        if not place:
            raise TypeError(f"{option}() needs at least one number")
        if any(isinstance(each, np.ndarray) and each.ndim for each in place):
            raise TypeError(f"{option}() takes no arrays; index `map` with arrays, or call a method such as tid(row, col)")
        found = self._own({**self._options, "brief": None, option: place, **options}, PART)
        if not found:
            raise ValueError(f"this element is not in {' '.join(f'{name} {self.json[name]}' for name in PART if name in self.json)}")
        members = [{name: each[name] for name in PART[2:] if name in each} for each in found]
        return Answers(Record({**answer, **of}) for each, of in zip(found, members) for answer in each.get("answers", []))

    def _inverse_table(self) -> Table:
        """The inverse table: inverse[row, col, copy] has the inputs, or -1 if there is no such element or copy. It is
        computed here, because the JSON has no inverse if there are several instructions or gaps."""
        if self._inverse is None:
            inputs = self.map.shape[: len(self.inputs)]
            points = self.map.reshape(int(np.prod(inputs)), -1).T
            shape = tuple(int(each.max()) + 1 for each in points)
            target: Any = np.ravel_multi_index(tuple(points), shape)
            order: Ints = np.argsort(target, kind="stable")
            copy = np.arange(order.size) - np.searchsorted(target[order], target[order])
            self._inverse = np.full((int(np.prod(shape)), int(copy.max()) + 1, len(inputs)), -1, np.int32)
            self._inverse[target[order], copy] = np.stack(np.unravel_index(order, inputs), -1)
            self._inverse = self._inverse.reshape(*shape, -1, len(inputs))
        return self._inverse

    def _at(self, axis: str, index: tuple[Index, ...]) -> Ints:
        """A coordinate for given inputs, or an input for given coordinates. In the second case the number of the copy
        may follow; its default is 0. All may be arrays, which are broadcast."""
        inputs, coordinates = self.inputs, self.json.coordinates
        if axis in coordinates:
            names, found, table = inputs, coordinates, self.map if len(coordinates) > 1 else self.map[..., None]
        elif axis in inputs:
            names, found, table = [*coordinates, "copy"], inputs, self._inverse_table()
            index = (*index, 0) if len(index) == len(coordinates) else index
        else:
            raise ValueError(f"this has no {axis}, only {', '.join([*inputs, *coordinates])}")
        if len(index) != len(names):
            raise TypeError(f"{axis}() takes {', '.join(names)}, which is not {len(index)} arguments")
        arrays = [_ints(each, name) for each, name in zip(index, names)]
        for array, name, size in zip(arrays, names, table.shape):
            if array.size and (array.min() < 0 or array.max() >= size):
                raise IndexError(f"{name} must be 0 to {size - 1}")
        try:
            values: Ints = table[(*np.broadcast_arrays(*arrays), found.index(axis))]
        except ValueError:
            raise ValueError(f"the shapes of {', '.join(names)} differ") from None
        if np.any(values < 0):
            raise IndexError("there is no such element, or no such copy of it")
        return values


# ---- Fragments ----


class Fragment(Layout):
    """An operand of an instruction. It also has the members of its JSON as attributes: fragment, arch, rows and cols of
    one matrix, threads that hold it, elements per thread, copies of each element, source, confirmed, ... An operand in
    Tensor Memory has no threads, elements and copies."""

    fragment: str
    arch: str
    rows: int
    cols: int
    threads: int
    elements: int
    copies: int

    @property
    def evidence(self) -> list[Record]:
        """The evidence for the layout. Each record has its kind, the device, tool or document, and whether the evidence
        was recorded earlier."""
        return cast("list[Record]", self.json.source.evidence)

    def thread(self, tid: Any, i: Any = None, **options: Any) -> Answers:
        """The elements that a thread holds, with their registers and bits. The option `register` restricts the answer
        to one register."""
        return self._question("thread", (tid,) if i is None else (tid, i), **options)

    def lane(self, lane: Any, column: Any = None) -> Answers:
        """The elements in a lane of Tensor Memory, or in one column of this lane."""
        return self._question("lane", (lane,) if column is None else (lane, column))

    def row(self, *index: Index) -> Ints:
        """The row of the element (tid, i). If the operand is in Tensor Memory, the arguments are (lane, column).
        Arguments are numbers or arrays of integers; the result has their broadcast shape. Raises IndexError if there is
        no such element."""
        return self._at("row", index)

    def col(self, *index: Index) -> Ints:
        """The column of the element (tid, i); see `row`."""
        return self._at("col", index)

    def block(self, *index: Index) -> Ints:
        """The number of the matrix that has the element (tid, i), if the operand has several matrices; see `row`."""
        return self._at("block", index)

    def tid(self, *index: Index) -> Ints:
        """The thread that holds (row, col), or copy number `copy` of it: `tid(row, col, copy)`. See `row`."""
        return self._at("tid", index)

    def i(self, *index: Index) -> Ints:
        """The index of the element (row, col) in its thread; see `tid`."""
        return self._at("i", index)

    def convert(self, to: Union[str, Fragment], **options: Any) -> Conversion:
        """A plan that converts the registers to those of another fragment: `.kind`, `.shuffles`, `.cuda`. Raises
        Invalid if no plan exists."""
        return _one(Conversion, self._names, {**self._options, "brief": None, **options, "convert": word(_name_of(to), "the name of a fragment")})

    def linear_layout(self) -> dict[str, list[list[int]]]:
        """Triton's bases of the layout: lists of [row, col] for "register", "lane", "warp" and "block". Raises
        ValueError if Triton has no such layout."""
        found = re.search(r"#ttg\.linear<\{(.*)\}>", self.triton)
        if not found:
            raise ValueError(f"Triton has no linear layout for {self.fragment}")
        return {name: json.loads(bases) for name, bases in re.findall(r"(\w+) = (\[.*?\](?=, \w+ = |$))", found[1])}


def _name_of(fragment: Any) -> Any:
    return fragment.fragment if isinstance(fragment, Fragment) else fragment


class Conversion(Result):
    """A plan that converts registers of one fragment to those of another. `.cuda` has it as functions for a kernel.

    - `kind`: "same" if the registers are the same; "words" if they are the same in another order; "slots" if each
      thread rearranges its own elements; "shuffles" between lanes; "memory" if it needs shared memory, and `.cuda` has
      no function;
    - `in_`, `out`: the number of 32-bit registers of a thread before and after, of all matrices together;
    - `from_tiles`, `to_tiles`: how many matrices are converted together, [down, across];
    - `registers`: out[n] is in[registers[n]], if no shuffle is needed;
    - `shuffles`: the number of shuffle instructions.

    >>> p = fragment("mma.m16n8k16.d.f32").convert("mma.m16n8k16.a.f16")
    >>> p.kind, p.shuffles, p.in_, p.out, p.from_tiles, p.registers
    ('same', 0, 4, 4, [1, 2], [0, 1, 2, 3])
    """

    kind: str
    shuffles: int


def _of_descriptor(document: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a compared descriptor as a verdict on one axis, "descriptor". Its entries are the fields of the
    descriptor."""
    fields = [field for reading in document["readings"] if reading["fits"] for field in reading["fields"]]
    wrong = [field for field in fields if "correct" in field]
    return {"axis": "descriptor", "entries": len(fields), "wrong": 0 if document["right"] else max(len(wrong), 1), "first": wrong[:3]}


class Verdict(Result):
    """The result of comparing formulae with a layout. It is true if the formulae are right at every entry."""

    def __bool__(self) -> bool:
        return all(verdict.wrong == 0 for verdict in self.json.verdicts)

    @property
    def wrong(self) -> list[Record]:
        """Up to three wrong entries of each axis: the point, the value of the formula, and the correct value."""
        return [Record({"axis": verdict.axis, **dict(entry)}) for verdict in self.json.verdicts for entry in verdict.first]

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """For each axis, the number of wrong entries and the number of all entries."""
        counts: dict[str, tuple[int, int]] = {}
        for verdict in self.json.verdicts:
            wrong, entries = counts.get(verdict.axis, (0, 0))
            counts[verdict.axis] = wrong + verdict.wrong, entries + verdict.entries
        return counts

    @property
    def right_for(self) -> list[str]:
        """Names of fragments for which the formulae are right, or sentences with the condition under which they are
        right."""
        return cast("list[str]", self.json.right_for)

    def __repr__(self) -> str:
        counts = ", ".join(f"{axis}: {wrong} of {entries} wrong" for axis, (wrong, entries) in self.counts.items())
        return f"<Verdict {bool(self)}; {counts}>"


class Equality(Result):
    """The result of comparing two layouts. It is true if they are equal. `different` is the number of entries that
    differ, `first` has up to three of them, `moves` has formulae that map places in one layout to places in the other,
    and `condition` gives the sizes for which both layouts are equal."""

    def __bool__(self) -> bool:
        return bool(self.different == 0)

    def __repr__(self) -> str:
        return f"<Equality {bool(self)}; {self.different} of {self.entries} entries differ>"


def fragments(*names: Any, **options: Any) -> list[Fragment]:
    """All fragments that names or patterns select, as in the command: `fragments("mma.m16n8k16")`,
    `fragments("mma.*.bf16", arch="sm_90")`. Without names, all fragments of an architecture. If several loads or stores
    of Tensor Memory move an operand, the list has a fragment for each of them. Raises Invalid if no fragment matches.

    >>> [each.fragment for each in fragments("mma.m16n8k8", type="bf16")]
    ['mma.m16n8k8.a.bf16', 'mma.m16n8k8.b.bf16']
    """
    subjects = [word(_name_of(each), "the name of a fragment") for each in names]
    if not names and not {"all", "type"} & options.keys():
        options = {**options, "all": True}
    documents = _documents(subjects, {**options, "brief": True})
    if not all("fragment" in document for document in documents):
        raise ValueError(f"{', '.join(subjects)}: this is no fragment")
    if len(documents) == 1:
        return [Fragment(subjects, options, documents[0])]
    kept = {name: value for name, value in options.items() if name not in ("all", "type", "operand")}
    found: list[Fragment] = []
    for document in documents:
        name = document["fragment"]
        operand = re.search(r"\.(a|b|c|d|e|sfa|sfb|r|p)\.", name)
        # A line of PTX or SASS also names registers, so it is kept; a pattern is replaced by the name.
        if len(subjects) == 1 and re.search(r"[\s,]", subjects[0]) and operand:
            found.append(Fragment(subjects, {**options, "operand": operand[1]}, document))
        else:
            found.append(Fragment([name], {**kept, "arch": document["arch"]}, document))
    alike: dict[str, list[Fragment]] = {}
    for each in found:
        alike.setdefault(repr(each), []).append(each)
    for several in alike.values():
        for number, each in enumerate(several if len(several) > 1 else []):
            each._number = number
    return found


def fragment(name: Any = "wmma.m16n16k16.d.f32", **options: Any) -> Fragment:
    """The layout of one fragment. `name` is its name, a PTX opcode, a line of PTX or SASS, an atom of CuTe or a C++
    type. If several loads of Tensor Memory read it, `load` is the first input, and a member of each answer. Raises
    ValueError if the name selects several fragments, and Invalid if it selects none.

    >>> d = fragment("mma.m16n8k16.d.f32", arch="sm_90")
    >>> d
    <Fragment mma.m16n8k16.d.f32 --arch=sm_90>
    >>> d.map.shape, d.row(np.arange(4), 1), d.col(np.arange(4), 1)
    ((32, 4, 2), array([0, 0, 0, 0], dtype=int32), array([1, 3, 5, 7], dtype=int32))
    >>> d.at(3, 5).tid, d.thread(14).col
    (14, array([4, 5, 4, 5]))
    >>> d.formula("row", style="divide")
    'tid / 4 + i / 2 * 8'
    >>> bool(d.verify("row = lane // 4 + i // 2 * 8"))
    True
    >>> loads = fragment("tcgen05.mma.m128n64k16.d.f32", with_="tcgen05.ld.32x32b.x32")
    >>> loads.map.shape, loads.at(3, 40).load, loads.at(3, 40).tid
    ((2, 128, 32, 2), 1, 3)
    """
    found = fragments(name, **options)
    if len(found) > 1 and len({repr(each) for each in found}) == len({each.fragment for each in found}) == 1:
        return _together(found)
    if len(found) > 1:
        names = {each.fragment: None for each in found}
        several, option = ", ".join([*names][:7]), "operand"
        if len(names) == 1:
            several, option = ", ".join(f"{name} on {each.arch}" for each in found[:7]), "arch"
        raise ValueError(f"{name} is {len(found)} fragments ({several}); name one with {option}=, or call fragments()")
    return found[0]


def _together(parts: list[Fragment]) -> Fragment:
    """The fragment that several loads or stores of Tensor Memory move together."""
    first, of_one = parts[0], ("cta", "load", "store", "address", "map", "period", "formulae", "inverse")
    members = {name: value for name, value in first.json.items() if name not in of_one}
    counts = {name: len({each.json[name] for each in parts}) for name in PART[2:] if name in first.json}
    axes = {name: count for name, count in counts.items() if count > 1}
    facts = {fact.text: dict(fact) for each in parts for fact in each.json.facts}
    whole = Fragment(first._names, first._options, {**members, "inputs": [*axes, "tid", "i"], "facts": [*facts.values()]})
    whole._sizes = tuple(axes.values())
    return whole


# ---- Matrices in memory ----


class Plan(Result):
    """A plan that loads a fragment from memory, or stores it: `with_` is the operation, `wavefronts` their number over
    all steps, `minimum` their number without bank conflicts, and `steps` has the instructions, each with the address of
    every lane in bytes (-1 if the lane is inactive). A plan that copies scale factors to Tensor Memory has instruction,
    descriptor and tiles instead."""

    steps: list[Record]
    wavefronts: int
    minimum: int

    @functools.cached_property
    def others(self) -> list[Plan]:
        """Plans with other operations, ordered by wavefronts, the fewest first."""
        documents = _documents(self._names, self._options)[1:]
        return [Plan(self._names, {**self._options, "with": each["with"]}, each) for each in documents]

    def verify(self, code: Any, **options: Any) -> Verdict:
        """Compares a formula for `offset` in elements, or for `address` in bytes, with the plan at every lane and
        step."""
        return _one(Verdict, self._names, {**self._options, **options, "verify": word(code, "a formula")})


class Suggestions(Result):
    """Suggested swizzles and paddings, ordered by wavefronts, the fewest first. `matrix()` makes the matrix with the
    best one."""

    suggestions: list[Record]

    def matrix(self, index: int = 0) -> Matrix:
        """The matrix with suggestion number `index`. Raises IndexError if there is none.

        >>> matrix("(64,64):(64,1)", "f16").suggest(load="mma.m16n8k16.a.f16", store="cp.async").matrix()
        <Matrix Sw<3,3,3> o 0 o (64,64):(64,1) --type=f16>
        """
        count = len(self.suggestions)
        if not -count <= index < count:
            raise IndexError(f"there is no suggestion {index}, only 0 to {count - 1}")
        return matrix(self.suggestions[index].layout, self.json.type)


class Matrix(Layout):
    """A matrix in memory. It has the members of its JSON as attributes: layout, type, rows, cols, bytes, descriptor,
    ..."""

    @property
    def offsets(self) -> Table:
        """The offset of each element, in elements: offsets[row, col]."""
        return self.map

    def offset(self, number: Any) -> Answers:
        """The element at this offset, in elements."""
        return self._question("offset", (number,))

    def load(self, fragment: Union[str, Fragment], **options: Any) -> Plan:
        """The plan with the fewest wavefronts that loads the fragment.

        >>> matrix("Sw<3,3,3> o 0 o (64,64):(64,1)", "f16").load("mma.m16n8k16.a.f16").steps[0].address[:4]
        array([  0, 144, 288, 432])
        """
        return self._plan("load", fragment, options)

    def store(self, fragment: Union[str, Fragment], **options: Any) -> Plan:
        """A plan that stores the fragment, with the fewest wavefronts. The names "cp.async" and "tma" copy the whole
        matrix instead."""
        return self._plan("store", fragment, options)

    def suggest(self, **options: Any) -> Suggestions:
        """Swizzles and paddings that take few wavefronts for given loads and stores:
        `suggest(load="mma.m16n8k16.a.f16", store="cp.async")`. A fragment is its name or an object; a list has
        several."""
        for option in {"load", "store"} & options.keys():
            given = options[option]
            options[option] = [_name_of(each) for each in given] if isinstance(given, list) else _name_of(given)
        return _one(Suggestions, self._names, {**self._options, "brief": None, **options, "suggest": True})

    def _plan(self, option: str, fragment: Union[str, Fragment], options: dict[str, Any]) -> Plan:
        asked = {**self._options, "brief": None, option: word(_name_of(fragment), "the name of a fragment"), **options}
        return Plan(self._names, asked, _documents(self._names, {**asked, "brief": True})[0])


def matrix(layout: Any, type: Any = None, **options: Any) -> Matrix:
    """A matrix in memory. `layout` is a text in the notation of CuTe, the CuTe DSL or tensor-layouts, or an object
    whose str() is such a text; `type` is the type of the elements. Raises Invalid if the text is not a layout.

    >>> s = matrix("Sw<3,3,3> o 0 o (64,64):(64,1)", "f16")
    >>> s.offsets[1, :8]
    array([72, 73, 74, 75, 76, 77, 78, 79], dtype=int32)
    >>> s.at(1, 0).bank
    4
    """
    if not isinstance(layout, str):
        if layout is None or layout.__class__.__module__ in ("builtins", "numpy"):
            raise TypeError(f"a layout must be text, such as '(64,64):(64,1)', or print as one, not {layout.__class__.__name__}")
        layout = str(layout)
    given = {**options, "type": type} if type is not None else options
    documents = _documents([layout], {**given, "brief": True})
    if "layout" not in documents[0]:
        raise ValueError(f"{layout} is no matrix in memory; call fragment() for a fragment")
    return Matrix([layout], given, documents[0])


# ---- Other questions ----


class Access(Result):
    """The wavefronts of one access of a warp to shared memory.

    - `wavefronts`: their number; `minimum`: their number without bank conflicts;
    - `phases`: for each part of the access that is served alone, its `lanes` and `wavefronts`, a `bank` that takes the
      most wavefronts, and the lanes that meet there (`meeting`);
    - `address`: the address of each lane in bytes, -1 for an inactive lane."""

    wavefronts: int
    minimum: int


def access(operation: str, address: Any, **options: Any) -> Access:
    """Counts the wavefronts of an access to shared memory. `address` is the address of each lane in bytes: an
    expression of `tid`, an array of up to 32 integers, in which None, -1 or a masked element is an inactive lane, or a
    function of an array with the numbers of all lanes. Raises Invalid if there is no such operation, an address is not
    aligned, or the operation takes another number of addresses.

    >>> access("ld.b32", lambda tid: tid % 4 * 128).wavefronts
    4
    >>> access("ld.b128", np.arange(32) * 16).wavefronts, access("ld.b32", "tid * 8").wavefronts
    (4, 2)
    """
    if not isinstance(operation, str):
        raise TypeError(f"an operation must be text, such as 'ld.b128', not {type(operation).__name__}")
    if callable(address):
        address = _called(address, (32,), 1)
    if not isinstance(address, str):
        address = ",".join(_address_words(address))
    return _one(Access, [], {**options, "access": operation, "address": address})


def _address_words(address: Any) -> list[str]:
    if isinstance(address, np.ma.MaskedArray):
        address = address.tolist()  # None for a masked entry
    if isinstance(address, (list, tuple)):
        address = [-1 if each is None else each for each in address]
    array = _ints(address, "address")
    if array.ndim != 1 or not 1 <= array.size <= 32:
        raise ValueError(f"address must be a list of up to 32 numbers, not an array of shape {array.shape}")
    if array.min() < -1:
        raise ValueError("an address must not be negative")
    return ["-" if each == -1 else str(each) for each in array.tolist()]


class Deduction(Layout):
    """Formulae that were derived from a table. `same` has the names of known layouts with the same table."""

    def __repr__(self) -> str:
        return f"<Deduction ({', '.join(self.inputs)}) -> ({', '.join(self.json.coordinates)})>"


def deduce(table: Any, elements: Optional[int] = None, **options: Any) -> Deduction:
    """Derives formulae from a table of integers. Raises ValueError if a number is negative or the shape is another one.
    The table is one of these:

    - a dict of columns, such as tid, i, row and col; the option `outputs` names the columns to derive from the others;
    - an array [tid, i, 2], which has (row, col) of each element, or [tid, i, 3], which has (block, row, col);
    - an array [row, col] of indices. With `elements`, index n means element n % elements of thread n // elements, and
      the result is the layout of a fragment. Without it, the formulae give the index as `source`.

    >>> deduce(fragment("mma.m16n8k16.d.f32").map).formulas["row"]
    '((i & 2) << 2) + ((tid & 28) >> 2)'
    >>> deduce(np.arange(64).reshape(8, 8) ^ 1).formulas
    {'source': '1 ^ ((row & 7) << 3) ^ (col & 7)'}
    """
    if isinstance(table, Mapping):
        columns = {word(name, "the name of a column"): _ints(values, f"column {name}") for name, values in table.items()}
    else:
        array = _ints(table, "the table").astype(np.int64)
        if not 1 <= array.ndim <= 3:
            raise ValueError(f"the table must have 1 to 3 axes, not {array.ndim}")
        axes, names, values = ["block", "row", "col"][-array.ndim :] if array.ndim > 1 else ["n"], ["source"], array[None]
        if elements is not None:
            count = int(elements) if isinstance(elements, (int, np.integer)) else 0
            if not 1 <= count < 1 << 31:
                raise ValueError("elements must be a whole number from 1 to 2^31 - 1")
            names, values = ["tid", "i"], np.array(np.divmod(array, count))
        elif array.ndim == 3 and array.shape[-1] in (2, 3):
            axes, names, values = ["tid", "i"], ["block", "row", "col"][-array.shape[-1] :], np.moveaxis(array, -1, 0)
        else:
            options = {"outputs": "source", **options}
        columns = dict(zip([*axes, *names], [*np.indices(values.shape[1:]), *values]))
    return _one(Deduction, [], {**options, "map": _csv(columns)})


def _csv(columns: dict[str, Ints]) -> File:
    """A CSV file in memory, with columns of the same length. Raises ValueError if the lengths differ or a number is
    negative."""
    columns = {name: values.ravel() for name, values in columns.items()}
    if len({len(values) for values in columns.values()}) != 1 or not len(next(iter(columns.values()))):
        raise ValueError("columns must have the same length, and at least one number")
    if any(values.min() < 0 for values in columns.values()):
        raise ValueError("the table must not have negative numbers")
    lines = [",".join(columns), *(",".join(map(str, line)) for line in zip(*(values.tolist() for values in columns.values())))]
    return File("\n".join(lines) + "\n")


class Listing(Text):
    """A listing of SASS or PTX with comments. These members of its JSON are attributes: `instructions`, each with line,
    name, what and fragments; `functions`, which counts the instructions of each function; and `unknown`."""

    _asked: tuple[str, dict[str, Any]]

    @functools.cached_property
    def json(self) -> Record:
        """The JSON that the command prints with --json."""
        return Record(json_of(**{**self._asked[1], "annotate": File(self._asked[0])}))

    def __getattr__(self, name: str) -> Any:
        if name not in ("instructions", "functions", "unknown"):
            raise AttributeError(f"a listing has no {name}")
        return self.json[name]


def annotate(listing: Union[str, os.PathLike[str]], **options: Any) -> Listing:
    """Annotates a listing of SASS or PTX: a comment states what each tensor-core instruction computes, and the
    registers of its operands. `listing` is the text itself, or a `pathlib.Path` of a file. Raises OSError if the file
    cannot be read, TypeError if the listing is neither.

    >>> listing = annotate("HMMA.16816.F32 R4, R8, R16, R4 ;")
    >>> print(listing.splitlines()[0])
    HMMA.16816.F32 R4, R8, R16, R4 ; // mma.m16n8k16 f32 += f16 f16: D R4-R7, A R8-R11, B R16-R17, C R4-R7
    >>> listing.instructions[0].fragments[2].registers
    ['R16', 'R17']
    """
    if isinstance(listing, os.PathLike):
        with open(listing, encoding="utf-8", errors="surrogateescape") as file:
            listing = file.read()
    if not isinstance(listing, str):
        raise TypeError(f"a listing must be text or a path, not {type(listing).__name__}")
    text = run(**{**options, "annotate": File(listing)})
    result, only_text = Listing(text), ("brief", "format", "color", "markdown", "csv")
    result.status, result.note = text.status, text.note
    result._asked = listing, {name: value for name, value in options.items() if name not in only_text}
    return result


class Comparison(Result):
    """The differences between two architectures. `same` is the number of fragments that do not differ, `only` has the
    number of fragments that only one architecture has, by architecture, and `different` has a record for each fragment
    that differs: its name, and its formulae on both."""

    same: int
    only: Record
    different: list[Record]


def diff(first: Any, second: Any, **options: Any) -> Comparison:
    """Compares the fragments of two architectures.

    >>> diff("sm_72", "sm_75").same
    38
    """
    return _one(Comparison, [], {**options, "diff": (first, second)})


def architectures() -> list[str]:
    """The names of all architectures that the module knows, the oldest first.

    >>> architectures()[0], "sm_90" in architectures()
    ('sm_70', True)
    """
    return [each["arch"] for each in _documents([], {"arch": "all", "brief": True})]


def list_fragments(*names: Any, **options: Any) -> list[Record]:
    """Records of the fragments that the command lists: name, sizes, type, first architecture, and the evidence for the
    layout.

    >>> [each.fragment for each in list_fragments("mma.m16n8k8.*.bf16", arch="sm_100")]
    ['mma.m16n8k8.a.bf16', 'mma.m16n8k8.b.bf16']
    """
    return [Record(each) for each in _documents([word(each, "a name") for each in names], {**options, "list": True})]


def run(*words: Any, **options: Any) -> Text:
    """The text that the command prints for these words, with options as keywords. `.status` is 0, 1 if there is a
    difference, or 4 if there is no formula. For any other status, raises Error or Invalid.

    >>> print(run("mma.m16n8k16.d.f32", "--at=3,5", "--brief"), end="")
    row  3, col  5: tid 14, i  1 in register 1
    """
    with opened(options) as paths:
        status, text, note = ask_words([word(each, "a word") for each in words] + option_words(paths))
    result = Text(text.decode(errors="replace"))
    result.status, result.note = status, note
    return result


def json_of(*words: Any, **options: Any) -> Any:
    """The JSON that the command prints for these words, as Python values.

    >>> json_of("mma.m16n8k16.d.f32", at=(3, 5))["answers"][0]["tid"]
    14
    """
    with opened({**options, "json": True}) as paths:
        asked = [word(each, "a word") for each in words] + option_words(paths)
        text = ask_words(asked)[1]
    if not text.startswith((b"{", b"[")):
        raise ValueError(f"{' '.join(asked[:-1])} is answered with text, not with JSON; call run()")
    return json.loads(text)
