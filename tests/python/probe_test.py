"""check_gemm, check_attention and check_copy of the module cuda_mapping. The expected product and the
attention are those of NumPy.

    PYTHONPATH=build/python python3 tests/python/probe_test.py
"""
import doctest
import os
import sys
import types
import unittest

import numpy as np

import cuda_mapping as cm
import cuda_mapping._probe

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok  # noqa: E402


def product(a, b):
    return a.astype(np.float32) @ b.astype(np.float32)


def bf16(codes):
    """The numbers of codes of bf16, or of ml_dtypes' type."""
    return (codes.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def attention(q, k, v, causal=False):
    """Of arrays [batch, head, row, column] with equal heads."""
    q, k, v = (bf16(each) if each.dtype != np.float16 else each.astype(np.float32) for each in (q, k, v))
    scores = q @ k.swapaxes(2, 3) / np.float32(np.sqrt(q.shape[3]))
    if causal:
        scores = np.where(np.tri(*scores.shape[2:], scores.shape[3] - scores.shape[2], dtype=bool), scores, -np.inf)
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True) @ v


def attention_f16(q, k, v):
    return attention(q, k, v).astype(np.float16)


class Tensor:
    """An array that offers DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Attention(unittest.TestCase):
    sizes = {"batch": 2, "heads": 2, "seqlen_q": 40, "head_dim": 32}

    def test_right(self):
        self.assertTrue(cm.check_attention(attention_f16, **self.sizes))
        self.assertTrue(cm.check_attention(attention_f16, **self.sizes, seqlen_k=72))
        self.assertTrue(cm.check_attention(lambda q, k, v: attention(q, k, v, True).astype(np.float16), **self.sizes, seqlen_k=72, causal=True))
        self.assertTrue(cm.check_attention(attention, **self.sizes, type="bf16", o="f32"))

    def test_layout(self):
        shapes = []

        def fn(q, k, v):
            shapes.append((q.shape, k.shape, v.shape))
            return attention_f16(*(np.repeat(each.swapaxes(1, 2), 4 // each.shape[2], 1) for each in (q, k, v))).swapaxes(1, 2)

        self.assertTrue(cm.check_attention(fn, batch=2, heads=4, kv_heads=2, seqlen_q=40, seqlen_k=48, head_dim=32, layout="bshd", ld=(32, 40, 48, 32)))
        self.assertEqual(set(shapes), {((2, 40, 4, 32), (2, 48, 2, 32), (2, 48, 2, 32))})

    def test_wrong(self):
        report = cm.check_attention(attention_f16, **self.sizes, causal="top-left")
        self.assertFalse(report)
        self.assertEqual(report.findings[0].finding, "causal mask missing")
        self.assertEqual(len(report.findings[0].first[0]), 4)
        report = cm.check_attention(lambda q, k, v, o: o[:, :, :30].__setitem__(..., attention_f16(q[:, :, :30], k, v)), **self.sizes, in_place=True)
        self.assertIn("never written", str(report))
        self.assertIn("(0, 0, 30, 0)", str(report))

    def test_results(self):
        with self.assertRaisesRegex(ValueError, r"but O is \(2, 2, 40, 32\)"):
            cm.check_attention(lambda q, k, v: attention_f16(q, k, v)[1:], **self.sizes)
        with self.assertRaisesRegex(TypeError, "float32, but O is f16"):
            cm.check_attention(attention, **self.sizes)
        for wrong, error in (({"layout": "tn"}, "bhsd"), ({"causal": "left"}, "corner"), ({"kv_heads": 3}, "kv-heads"), ({"scale": -1.0}, "scale"), ({"type": "s8"}, "s8")):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, error):
                cm.check_attention(attention_f16, **{**self.sizes, **wrong})


class Gemm(unittest.TestCase):
    def test_right(self):
        report = cm.check_gemm(product, m=48, n=40, k=32)
        self.assertTrue(report)
        self.assertTrue(report.right)
        self.assertEqual(report.findings, ())
        self.assertGreaterEqual(report.runs, 5)
        self.assertIn("right", repr(report))

    def test_layouts(self):
        seen = {}

        def fn(a, b):
            seen["shapes"] = a.shape, b.shape
            seen["strides"] = a.strides, b.strides
            return product(a, b)

        for layout, strides in {"tn": ((64, 2), (2, 64)), "tt": ((64, 2), (80, 2)), "nn": ((2, 96), (2, 64)), "nt": ((2, 96), (80, 2))}.items():
            with self.subTest(layout):
                self.assertTrue(cm.check_gemm(fn, m=48, n=40, k=32, layout=layout))
                self.assertEqual(seen, {"shapes": ((48, 32), (32, 40)), "strides": strides})

    def test_padding(self):
        def fn(a, b):
            self.assertEqual((a.strides, b.strides), ((80, 2), (2, 72)))
            return product(a, b)

        self.assertTrue(cm.check_gemm(fn, m=48, n=40, k=32, ld=(40, 36, 40)))

    def test_types(self):
        self.assertTrue(cm.check_gemm(lambda a, b: (a.astype(np.int32) @ b.astype(np.int32)), m=32, n=32, k=32, a="s8", d="s32"))
        self.assertTrue(cm.check_gemm(lambda a, b: product(a, b).astype(np.float16), m=32, n=32, k=32, d="f16"))
        self.assertTrue(cm.check_gemm(lambda a, b: bf16(a) @ bf16(b), m=32, n=32, k=32, a="bf16"))
        self.assertTrue(cm.check_gemm(lambda a, b: a @ b, m=32, n=32, k=32, a="f64", d="f64"))

    def test_added(self):
        def fn(a, b, c, bias):
            return 2 * product(a, b) - c / 2 + bias

        self.assertTrue(cm.check_gemm(fn, m=48, n=40, k=32, alpha=2, beta=-0.5, bias="col"))
        self.assertTrue(cm.check_gemm(lambda a, b, bias, d: np.copyto(d, product(a, b) + bias[:, None]), m=48, n=40, k=32, bias="row", in_place=True))
        self.assertIn("not multiplied by beta", str(cm.check_gemm(lambda a, b, c: product(a, b) + c, m=48, n=40, k=32, beta=2)))

    def test_batches(self):
        shapes = []

        def fn(a, b):
            shapes.append((a.shape, b.shape))
            return product(a, b)

        for options, of_b in (({}, (3, 32, 16)), ({"batch_stride": ("_", 0, "_")}, (32, 16)), ({"layout": "nt", "ld": (28, "_", 20)}, (3, 32, 16))):
            with self.subTest(options):
                shapes.clear()
                self.assertTrue(cm.check_gemm(fn, m=24, n=16, k=32, batch=3, **options))
                self.assertEqual(set(shapes), {((3, 24, 32), of_b)})
        report = cm.check_gemm(lambda a, b: product(a, b)[::-1], m=24, n=16, k=32, batch=2)
        self.assertEqual((report.findings[0].finding, report.findings[0].first[0]), ("batches moved", [0, 0, 0]))
        self.assertTrue(cm.check_gemm(lambda a, b, c, d: np.copyto(d, product(a, b) + c), m=24, n=16, k=32, batch=2, beta=1, in_place=True))
        with self.assertRaisesRegex(ValueError, "batch=0 is no number of products"):
            cm.check_gemm(fn, m=24, n=16, k=32, batch=0)

    def test_guard(self):
        def rows_too_far(a, b, d):
            behind = np.lib.stride_tricks.as_strided(d, (49, 40), d.strides)
            behind[:] = product(np.lib.stride_tricks.as_strided(a, (49, 32), a.strides), b)

        self.assertTrue(cm.check_gemm(product, m=1, n=40, k=32))
        self.assertTrue(cm.check_gemm(product, m=48, n=40, k=32, guard=0))
        report = cm.check_gemm(rows_too_far, m=48, n=40, k=32, in_place=True)
        self.assertIn("the kernel writes rows beyond M of D", str(report))
        with self.assertRaisesRegex(ValueError, "guard=-1"):
            cm.check_gemm(product, m=48, n=40, k=32, guard=-1)

    def test_scales(self):
        """Tiles of 128 x 4 as cuBLAS documents them: 32 rows, then groups of 32 rows, then 4 blocks."""
        def numbers(factors):
            with np.errstate(over="ignore"):
                return np.ldexp(1.0, factors.view(np.uint8).astype(int) - 127).astype("f4")

        def tiles(factors):
            return factors.reshape(1, 2, 32, 4, 4).transpose(0, 3, 2, 1, 4).reshape(128, 8)

        def fn(a, b, sfa, sfb, order=tiles):
            self.assertEqual((sfa.shape, sfb.shape), ((1024,), (40, 8)))
            with np.errstate(invalid="ignore"):
                return (a.astype("f4") * np.repeat(numbers(order(sfa))[:48], 32, axis=1)) @ (b.astype("f4") * np.repeat(numbers(sfb), 32, axis=1).T)

        problem = {"m": 48, "n": 40, "k": 256, "a": "e5m2", "sfa": "SwizzleType.SWIZZLE_32_4_4", "sfb": "linear", "block": 32}
        if cm._probe._ml_dtype("float8_e8m0fnu") is None:
            self.skipTest("ml_dtypes is not here")
        self.assertTrue(cm.check_gemm(fn, **problem))
        report = cm.check_gemm(lambda *arrays: fn(*arrays, order=lambda factors: factors.reshape(128, 8)), **problem)
        self.assertFalse(report)
        self.assertIn("instead of 128x4", report.findings[0].text)
        shapes = []

        def keep(a, b, c, bias, *factors):
            shapes.append([each.shape for each in factors])
            return np.zeros((48, 40), "f4")

        cm.check_gemm(keep, m=48, n=40, k=256, sfa="mn-major", sfb="blk128", block=128, scale_type="f32", beta=1, bias="row")
        self.assertEqual(shapes[0], [(48, 2), (1, 4)])

    def test_wrong(self):
        report = cm.check_gemm(lambda a, b: product(a, b)[np.arange(48) ^ 8], m=48, n=40, k=32)
        self.assertFalse(report)
        self.assertGreater(len(report.findings), 0)
        self.assertIn("row", str(report))

    def test_in_place(self):
        def rows_missing(a, b, d):
            d[:-2] = product(a, b)[:-2]

        self.assertTrue(cm.check_gemm(lambda a, b, d: np.copyto(d, product(a, b)), m=48, n=40, k=32, in_place=True, ld=(32, 32, 48)))
        report = cm.check_gemm(rows_missing, m=48, n=40, k=32, in_place=True)
        self.assertFalse(report)
        self.assertIn("never", str(report))

    def test_nothing_written(self):
        with self.assertRaisesRegex(cm.Error, "^the function has written nothing"):
            cm.check_gemm(lambda a, b, d: None, m=16, n=16, k=16, in_place=True)
        calls = []

        def once_zero(a, b):
            calls.append(a)
            return product(a[np.arange(16) ^ 8], b) * (len(calls) != 12)

        report = cm.check_gemm(once_zero, m=16, n=16, k=16)
        self.assertGreater(len(calls), 12)
        self.assertFalse(report)
        self.assertRegex(str(report), r"(?s)\nwrong: D is not A B .*\nA further run gave zeros alone, so the cause is not known.$")
        self.assertEqual(report.runs, 8)

    def test_results(self):
        self.assertTrue(cm.check_gemm(lambda a, b: product(a, b).tolist() and Tensor(product(a, b)), m=16, n=16, k=16))
        self.assertTrue(cm.check_gemm(lambda a, b: np.asfortranarray(product(a, b)), m=16, n=24, k=16))
        with self.assertRaisesRegex(TypeError, "float64, but D is f32"):
            cm.check_gemm(lambda a, b: product(a, b).astype(float), m=16, n=16, k=16)
        with self.assertRaisesRegex(ValueError, r"\(15, 16\), but D is \(16, 16\)"):
            cm.check_gemm(lambda a, b: product(a, b)[1:], m=16, n=16, k=16)
        with self.assertRaises(ZeroDivisionError):
            cm.check_gemm(lambda a, b: 1 // 0, m=16, n=16, k=16)

    def test_arguments(self):
        for wrong, error in (({"layout": "rc"}, "layout"), ({"arrays": "tensorflow"}, "arrays"), ({"m": 0}, "0"), ({"a": "f17"}, "f17")):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, error):
                cm.check_gemm(product, **{"m": 16, "n": 16, "k": 16, **wrong})

    def test_torch(self):
        """The calls to PyTorch, CuPy and JAX, with fake modules, because none of these is installed here."""
        if "torch" in sys.modules:
            self.skipTest("PyTorch is here")

        class Fake:
            def __init__(self, array, dtype):
                self.array, self.dtype = array, dtype

            def view(self, dtype):
                return Fake(self.array.view({"int16": np.int16, "uint8": np.uint8}.get(dtype, self.array.dtype)), f"torch.{dtype}")

            def to(self, device):
                return self

            def __getitem__(self, key):
                return Fake(self.array[key], self.dtype)

            def swapaxes(self, first, second):
                return Fake(self.array.swapaxes(first, second), self.dtype)

            detach = cpu = lambda self: self

            def numpy(self):
                return self.array

        torch = types.ModuleType("torch")
        torch.from_numpy = lambda array: Fake(array, f"torch.{array.dtype}")
        torch.bfloat16, torch.int16, torch.uint8 = "bfloat16", "int16", "uint8"
        torch.cuda = types.SimpleNamespace(is_available=lambda: False)

        def fn(a, b):
            self.assertEqual((a.dtype, b.dtype), ("torch.bfloat16", "torch.bfloat16"))
            sums = bf16(np.ascontiguousarray(a.array)) @ bf16(np.ascontiguousarray(b.array))
            return Fake((sums.view(np.uint32) >> 16).astype(np.uint16).view(np.int16), "torch.bfloat16")

        sys.modules["torch"] = torch
        try:
            self.assertTrue(cm.check_gemm(fn, m=4, n=4, k=4, a="bf16", d="bf16", arrays="torch"))
        finally:
            del sys.modules["torch"]


class Copy(unittest.TestCase):
    def test_right(self):
        for kind in ("f16", "bf16", "e4m3", "s8", "f32", "f64", "u4"):
            with self.subTest(kind):
                self.assertTrue(cm.check_copy(np.copy, m=24, n=48, type=kind))

    def test_wrong(self):
        report = cm.check_copy(lambda a: a[:, np.arange(48) ^ 4], m=24, n=48)
        self.assertFalse(report)
        self.assertIn("col ^ 4", str(report))
        self.assertIn("wrong", repr(report))


class Tap(unittest.TestResult):
    """Prints a line of TAP for each test."""

    def startTest(self, test):
        self.why = ""

    def addFailure(self, test, err):
        self.why += self._exc_info_to_string(err, test)

    def addSubTest(self, test, subtest, err):
        if err:
            self.addFailure(test, err)

    addError = addFailure

    def stopTest(self, test):
        ok(test.id().split(".", 1)[-1].replace(".test_", ": ").replace("_", " "), not self.why, "\n".join(self.why.splitlines()[-20:]))


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    suite.addTests(doctest.DocTestSuite(cuda_mapping._probe))
    suite.run(Tap())
    sys.exit(finish())
