"""Checks kernels that run: `check_gemm`, `check_attention` and `check_copy` call a function on arrays whose elements
encode their own positions."""

from __future__ import annotations

import importlib
import json
import numbers
import operator
import os
from collections.abc import Callable
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._library import TYPES, Error, ask_words, option_words, word
from ._objects import Record

Array = npt.NDArray[Any]

# The names of the types in PyTorch, ml_dtypes and JAX. A pair of 4-bit elements is a byte.
_NAMES = {name: theirs for theirs, name in TYPES.items() if name in ("bf16", "e4m3", "e5m2", "ue8m0")}
_NAMES["ue4m3"] = _NAMES["e4m3"]

# Layouts of scale factors that are matrices with a stride; arrays of all others have one axis.
_BY_ROW = ("linear", "linear-padded", "blk128", "blk128-linear", "outer-vec")
_BY_COLUMN = ("mn-major", "mn-major-4", "columnwise")


class Report:
    """The result of checking a kernel. It is true if the kernel is right: `assert report`. `str(report)` is the text
    that the command prints, `report.findings` are the mistakes of the kernel, each with its `text` and the number of
    wrong elements (`count`), and `report.runs` is the number of its runs. The repr is one line with the first mistake.

    >>> import numpy as np
    >>> import cuda_mapping as cm
    >>> cm.check_copy(np.copy, m=8, n=8)
    <Report right>
    >>> cm.check_copy(np.transpose, m=8, n=8)
    <Report wrong: D(row, col) holds A(col, row)>
    """

    def __init__(self, members: dict[str, Any], text: str, right: bool, runs: int) -> None:
        self.json = Record(members)
        """The JSON that `mapping --decode` prints with --json."""
        self.right, self.runs = right, runs
        self.findings: tuple[Record, ...] = tuple(Record(each) for each in members.get("findings", []))
        self._text = text

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        first = f": {self.findings[0].text}" if self.findings else ""
        more = f" and {len(self.findings) - 1} more" if len(self.findings) > 1 else ""
        return f"<Report {'right' if self.right else 'wrong'}{first}{more}>"


def check_gemm(
    fn: Callable[..., Any],
    *,
    m: int,
    n: int,
    k: int,
    a: Any = "f16",
    b: Any = None,
    d: Any = "f32",
    layout: str = "tn",
    alpha: float = 1,
    beta: float = 0,
    bias: Optional[str] = None,
    batch: Optional[int] = None,
    guard: Optional[int] = None,
    sfa: Optional[object] = None,
    sfb: Optional[object] = None,
    block: Optional[int] = None,
    scale_type: Any = None,
    arrays: str = "numpy",
    device: Optional[str] = None,
    in_place: bool = False,
    **options: Any,
) -> Report:
    """Checks whether fn(A, B) returns the product D = A B, M x N, and finds the mistake if it does not.

    `m`, `n` and `k` are 1 to 8192. `a`, `b` and `d` are the types of A, B and D, such as "f16", "bf16", "e4m3" or "s8",
    or types of NumPy, ml_dtypes, PyTorch or JAX; the default of `b` is `a`. The
    letters of `layout` are those of BLAS: "tn", the default, means a row-major A and a column-major B, "nn" a
    column-major A and B. A third letter is that of D, which is row-major by default. Other options are those of
    `mapping --probe`, such as `accumulator="f16"` and `ld=(72, 64, 64)`. With `alpha=2`, `beta=0.5` and `bias="col"`, D
    should be alpha A B + beta C + bias. After A and B, fn gets C, M x N, if beta is not 0, and then the bias, with an
    element for each column ("col") or row ("row").

    With `batch=8`, fn gets and returns batches of 8 matrices: A is 8 x M x K. With `batch_stride=("_", 0, "_")`, all
    products share one B, K x N.

    fn gets A as M x K and B as K x N, with strides according to the layout: B of "tn" is the transpose of an array N x
    K. The inputs are arrays of NumPy, or with `arrays="torch"`, "cupy" or "jax" arrays of these libraries. `device` is
    the device of PyTorch's tensors; the default is "cuda" if there is one. bf16 and fp8 have the types of PyTorch, or
    of ml_dtypes if it is installed; otherwise the arrays have their codes as uint16 and uint8. Two elements of 4 bits
    share a byte, the first in its low half. The result of fn must have `__array__` or DLPack.

    The arrays are views: each matrix is followed by `guard` rows, 16 by default (none with a batch, so that the
    matrices of a batch are contiguous). A kernel that reads or writes these rows is wrong.

    With `sfa="128x4"`, `sfb="128x4"` and `block=32`, each 32 elements along K share a scale factor, and fn gets the
    factors of A and those of B as its last inputs. A layout has the name that `mapping` or a library gives it:
    "VEC16_UE4M3", `SwizzleType.SWIZZLE_32_4_4`. `scale_type` is "ue8m0", "ue4m3" or "f32". For "linear", "mn-major" and
    other layouts with strides, the array has one row of factors for each row of A or column of B; for all other
    layouts, it has one axis.

    With `in_place=True`, fn(A, B, D) writes D, and its result is ignored. Only in this mode, the check finds elements
    that are never written, and writes to the padding. Raises ValueError if the result of fn has another shape,
    TypeError if it has another type.

    >>> import numpy as np
    >>> import cuda_mapping as cm
    >>> def product(a, b):
    ...     return a.astype(np.float32) @ b.astype(np.float32)
    >>> bool(cm.check_gemm(product, m=32, n=16, k=32))
    True
    >>> def exchanged(a, b):
    ...     return product(a[np.arange(32) ^ 8], b)
    >>> report = cm.check_gemm(exchanged, m=32, n=16, k=32)
    >>> bool(report), len(report.findings) > 0
    (False, True)
    >>> report = cm.check_gemm(lambda a, b: product(a[:1], b), m=32, n=16, k=32, batch=4)
    >>> print(report.findings[0].text)
    batch b reads A of batch 0
    >>> def scaled(a, b, sfa, sfb):
    ...     return (a.astype("f4") * np.repeat(sfa, 128, axis=1)) @ (b.astype("f4") * np.repeat(sfb, 128, axis=1).T)
    >>> bool(cm.check_gemm(scaled, m=32, n=16, k=256, sfa="mn-major", sfb="linear", block=128))
    True

    A test for pytest, with a kernel that takes and returns tensors of PyTorch:

        def test_my_gemm():
            report = cm.check_gemm(my_gemm, m=128, n=128, k=64, a="bf16", d="bf16", arrays="torch")
            assert report, str(report)
    """
    if not isinstance(layout, str):
        raise TypeError(f"layout must be text, such as 'tn', not {type(layout).__name__}")
    for name, factor in (("alpha", alpha), ("beta", beta)):
        if not isinstance(factor, numbers.Real):
            raise TypeError(f"{name} must be a number, not {type(factor).__name__}")
    if len(layout) == 2:
        layout += "t"
    types = [word(each, "a type") for each in (a, a if b is None else b)]
    types = types[: len({*types})]
    words = [f"--probe=gemm:{_sizes(m=m, n=n, k=k)}", f"--type={','.join(types)}", f"--d-type={word(d, 'd')}"]
    words += [f"--layout={layout}", f"--alpha={alpha:g}"]
    words += [f"--beta={beta:g}"] if beta else []
    words += [f"--bias={bias}"] if bias else []
    words += [f"--sfa={sfa}"] if sfa else []
    words += [f"--sfb={sfb}"] if sfb else []
    words += [f"--block={block}"] if block else []
    words += [f"--scale-type={word(scale_type, 'scale_type')}"] if scale_type else []
    words += _guard_words(guard if batch is None or guard else 0) + ([] if batch is None else [f"--batch={batch}"])
    return _check([*words, *option_words(options)], fn, arrays, device, in_place)


def check_copy(
    fn: Callable[..., Any],
    *,
    m: int,
    n: int,
    type: Any = "f16",
    guard: Optional[int] = None,
    arrays: str = "numpy",
    device: Optional[str] = None,
    in_place: bool = False,
    **options: Any,
) -> Report:
    """Checks whether fn(A) returns a copy D of A, M x N, and finds the mistake if it does not. For the arrays,
    `in_place` and other options, see `check_gemm`.

    >>> import numpy as np
    >>> import cuda_mapping as cm
    >>> bool(cm.check_copy(np.copy, m=32, n=32))
    True
    >>> report = cm.check_copy(np.transpose, m=32, n=32)
    >>> report.findings[0].count, "A(col, row)" in report.findings[0].text
    (992, True)
    """
    return _check([f"--probe=copy:{_sizes(m=m, n=n)}", f"--type={word(type, 'type')}", *_guard_words(guard), *option_words(options)], fn, arrays, device, in_place)


def _sizes(**sizes: Any) -> str:
    """The sizes of a problem as words, separated by commas. Raises TypeError or ValueError with the name of a wrong one."""
    for name, size in sizes.items():
        if not hasattr(size, "__index__") or isinstance(size, bool):
            raise TypeError(f"{name} must be a whole number, not {type(size).__name__}")
        if size < 1:
            raise ValueError(f"{name} must be at least 1, not {size}")
    return ",".join(str(operator.index(size)) for size in sizes.values())


def _guard_words(rows: Optional[int]) -> list[str]:
    """The option --guard: 16 rows by default, no option for 0 rows."""
    return [] if rows == 0 else [f"--guard={16 if rows is None else rows}"]


def check_attention(
    fn: Callable[..., Any],
    *,
    heads: int,
    seqlen_q: int,
    seqlen_k: Optional[int] = None,
    head_dim: int,
    batch: int = 1,
    kv_heads: Optional[int] = None,
    causal: Union[bool, str] = False,
    scale: Optional[float] = None,
    type: Any = "f16",
    o: Any = None,
    layout: str = "bhsd",
    arrays: str = "numpy",
    device: Optional[str] = None,
    in_place: bool = False,
    **options: Any,
) -> Report:
    """Checks whether fn(q, k, v) returns O = softmax(scale Q K^T) V, and finds the mistake if it does not.

    With the `layout` "bhsd", q and O are [batch, heads, seqlen_q, head_dim], and k and v are [batch, kv_heads,
    seqlen_k, head_dim], as in scaled_dot_product_attention of PyTorch. "bshd" is [batch, seqlen, heads, head_dim], as
    in flash-attn. Query head h uses kv head h // (heads / kv_heads). `causal` is the causal mask: "bottom-right" (or
    True) as in flash-attn, or "top-left" as in PyTorch. The two are the same if seqlen_q equals seqlen_k. The default
    of `scale` is 1 / sqrt(head_dim). `type` is the type of q, k and v, and `o` the type of O; the default of `o` is
    `type`, or bf16 if `type` has 8 bits.

    In most runs, the probabilities are exactly 1 and 0, and O is compared bit for bit. In three more runs, O has means
    over all visible keys, which are compared with a relative tolerance of 2^-9 (bf16: 2^-7, fp8: 2^-4; four times this
    if scores differ). These runs find wrong masks and scales. Dropout, biases of scores, and the precision of exp() are
    not tested.

    With `in_place=True`, fn(q, k, v, o) writes O. For the arrays and other options, see `check_gemm`.

    >>> import numpy as np
    >>> import cuda_mapping as cm
    >>> def attention(q, k, v):
    ...     scores = q.astype(np.float32) @ k.astype(np.float32).swapaxes(2, 3) / np.sqrt(q.shape[3])
    ...     p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    ...     return (p / p.sum(axis=-1, keepdims=True) @ v.astype(np.float32)).astype(np.float16)
    >>> bool(cm.check_attention(attention, heads=2, seqlen_q=64, head_dim=32))
    True
    >>> report = cm.check_attention(attention, heads=2, seqlen_q=64, head_dim=32, causal=True)
    >>> report.findings[0].text
    'the causal mask is missing: each query sees all keys'

    A test for pytest, with a kernel that takes and returns tensors of PyTorch:

        @pytest.mark.parametrize("seqlen_k", [64, 100, 1024])
        def test_my_attention(seqlen_k):
            report = cm.check_attention(my_attention, batch=2, heads=8, kv_heads=2, seqlen_q=128, seqlen_k=seqlen_k, head_dim=64,
                                        causal=True, type="bf16", layout="bshd", arrays="torch")
            assert report, str(report)
    """
    seqlen_k = seqlen_q if seqlen_k is None else seqlen_k
    sizes = _sizes(batch=batch, heads=heads, seqlen_q=seqlen_q, seqlen_k=seqlen_k, head_dim=head_dim)
    words = [f"--probe=attention:{sizes}", f"--type={word(type, 'type')}", f"--layout={layout}"]
    words += ([f"--d-type={word(o, 'o')}"] if o else []) + ([f"--kv-heads={kv_heads}"] if kv_heads else [])
    words += [f"--scale={scale!r}"] if scale is not None else []
    words += option_words({"causal": causal})
    return _check([*words, *option_words(options)], fn, arrays, device, in_place)


# ---- Arrays of the files, as those of a library and back ----


def _ml_dtype(name: str) -> Optional[np.dtype[Any]]:
    """The type of ml_dtypes with this name; None if ml_dtypes is not installed."""
    try:
        dtype: np.dtype[Any] = np.dtype(getattr(importlib.import_module("ml_dtypes"), name))
    except ImportError:
        return None
    return dtype


def _given(codes: Array, kind: str, arrays: str, device: Optional[str]) -> Any:
    """The elements as an array of the library `arrays`, with the same memory or a copy of it."""
    name = _NAMES.get(kind)
    if arrays == "torch":
        torch = importlib.import_module("torch")
        if codes.dtype == np.uint16:
            codes = codes.view(np.int16)  # which PyTorch had before uint16
        tensor = torch.from_numpy(codes)
        tensor = tensor.view(getattr(torch, name)) if name and hasattr(torch, name) else tensor
        return tensor.to(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    dtype = _ml_dtype(name) if name and arrays != "cupy" else None
    codes = codes.view(dtype) if dtype is not None else codes
    if arrays == "jax":
        return importlib.import_module("jax.numpy").asarray(codes)
    return importlib.import_module("cupy").asarray(codes) if arrays == "cupy" else codes


def _has_dlpack_alone(value: Any) -> bool:
    return hasattr(value, "__dlpack__") and not hasattr(value, "__array__")


def _taken(value: Any, kind: str, dtype: np.dtype[Any], name: str) -> Array:
    """The result of a function as the codes that a file has. The result is any array with __array__ or DLPack, on any
    device."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # PyTorch
        value = value.detach().cpu()
        if kind in _NAMES and str(value.dtype) == f"torch.{_NAMES[kind]}":
            torch = importlib.import_module("torch")
            value = value.view(torch.int16 if dtype.itemsize == 2 else torch.uint8)
        value = value.numpy()
    elif hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):  # CuPy
        value = value.get()
    array: Array = np.asarray(None if _has_dlpack_alone(value) else value)
    if array.dtype == object and hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    is_code = kind in _NAMES and array.dtype.itemsize == dtype.itemsize and (array.dtype.name == _NAMES[kind] or array.dtype.kind in "iuV")
    if array.dtype != dtype and not is_code:
        raise TypeError(f"the result has elements of {array.dtype}, but {name} is {kind}")
    return array.view(dtype)


def _matrix(image: Any, kind: str, rows: int, cols: int, is_column_major: bool) -> Any:
    """The matrix, or the batch of matrices, without the padding of each line and the guard lines after the last one."""
    if is_column_major:
        rows, cols = cols, rows
    if kind in ("s4", "u4", "e2m1"):  # two in a byte
        cols = (cols + 1) // 2
    inside = image[..., :rows, :cols]
    return inside.swapaxes(-1, -2) if is_column_major else inside


def _factors(image: Any, layout: str, rows: int, cols: int) -> Any:
    """Scale factors as a matrix if their layout has a stride for each axis; otherwise the array of one axis."""
    if layout in _BY_COLUMN:
        return image.reshape(cols, rows).T
    return image.reshape(rows, cols) if layout in _BY_ROW else image


def _check(words: list[str], fn: Callable[..., Any], arrays: str, device: Optional[str], in_place: bool) -> Report:
    """Probes fn: makes the inputs, calls fn, and decodes its results, until the command requests no more runs."""
    if arrays not in ("numpy", "torch", "cupy", "jax"):
        raise ValueError(f"arrays must be 'numpy', 'torch', 'cupy' or 'jax', not {arrays!r}")
    if in_place and arrays == "jax":
        raise ValueError("arrays of JAX cannot be written, so leave in_place out")
    tempfile = importlib.import_module("tempfile")  # which takes a few milliseconds
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.join(temporary, "probe")
        ask_words([*words, f"--into={folder}"])
        count = 0
        while True:
            with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
                plan = json.load(file)
            if count == len(plan["runs"]):
                break
            for run in plan["runs"][count:]:
                _run(plan["problem"], {role: os.path.join(folder, name) for role, name in run.items()}, fn, arrays, device, in_place)
            try:
                status, members, _ = ask_words([f"--decode={folder}", "--format=json"])
                text = ask_words([f"--decode={folder}"])[1].decode(errors="replace").strip()
            except Error as error:
                if error.status != 3:
                    raise
                if count == 0:
                    raise Error("the function has written nothing: its result is as it was before", 3) from None
                text = text.partition("\nRuns ")[0] + "\nA further run gave zeros alone, so the cause is not known."
                break
            count = len(plan["runs"])
        return Report(json.loads(members), text, status == 0, count)


def _run(problem: dict[str, Any], files: dict[str, str], fn: Callable[..., Any], arrays: str, device: Optional[str], in_place: bool) -> None:
    """Calls fn with the inputs of one run, and writes D."""
    m, n, k = (int(problem.get(size, 0)) for size in "mnk")
    out = "o" if problem["op"] == "attention" else "d"
    shapes = {"a": (m, k) if problem["op"] == "gemm" else (m, n), "b": (k, n), "c": (m, n), "d": (m, n)}
    given = {}
    for role, path in sorted(files.items(), key=lambda item: (item[0] == out, "qkv".find(item[0]))):
        image, kind = np.load(path), problem["types"][role]
        if role == out and not in_place:
            continue
        given[role] = _given(image, kind, arrays, device)

    def matrix(role: str, image: Any) -> Any:
        if role == "bias":
            return image
        if out == "o":
            return image[..., : int(problem["dim"])]
        if role in ("sfa", "sfb"):
            return _factors(image, problem[f"{role}_layout"], *problem[f"{role}_shape"])
        return _matrix(image, problem["types"][role], *shapes[role], problem[f"{role}_layout"] == "col")

    result = fn(*[matrix(role, image) for role, image in given.items()])
    image, kind = np.load(files[out]), problem["types"][out]
    if in_place:
        image[...] = _taken(given[out], kind, image.dtype, out.upper())
    else:
        inside = matrix(out, image)
        codes = _taken(result, kind, image.dtype, out.upper())
        if codes.shape != inside.shape:
            raise ValueError(f"the result is {codes.shape}, but {out.upper()} is {inside.shape}")
        inside[...] = codes
    with open(files[out], "r+b") as file:
        file.seek(128)
        file.write(image.tobytes())
