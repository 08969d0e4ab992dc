"""Checks the products and the attention of PyTorch, and a correct and an incorrect kernel in Triton, on a device with
cuda_mapping.check_gemm and check_attention.

    PYTHONPATH=build/python python3 tests/probe/torch_test.py     prints TAP
"""
import itertools
import os
import re
import sys

try:
    import torch
    import torch.nn.attention
    import triton
    import triton.language as tl
except ImportError:
    print("1..0 # SKIP needs torch triton")
    sys.exit()

import cuda_mapping as cm

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok, skip  # noqa: E402


def scaled(a, b):
    one = torch.ones((), device=a.device)
    return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


def without_fast_accumulation(a, b):
    one = torch.ones((), device=a.device)
    return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=False)


# The types of A and D, the layout, and the product.
PRODUCTS = [("f16", "f16", "tn", torch.matmul), ("f16", "f16", "nt", torch.matmul), ("bf16", "bf16", "tn", torch.matmul),
            ("bf16", "bf16", "nn", torch.matmul), ("f32", "f32", "tt", torch.matmul), ("e4m3", "bf16", "tn", scaled),
            ("e4m3", "bf16", "tn", without_fast_accumulation), ("s8", "s32", "tn", torch._int_mm)]
SHAPES = [(128, 128, 64), (64, 256, 512), (48, 80, 96)]


@triton.jit
def kernel(a, b, d, m, n, k, lda, ldb, ldd, WRONG: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    rows_a, columns_b, columns_d = rows, columns, columns
    if WRONG == 1:
        rows_a = rows ^ 8
    if WRONG == 2:
        columns_b = columns ^ 1
    if WRONG == 3:
        columns_d = columns + 8
    if WRONG == 4:
        lda = k
    sums = tl.zeros((BM, BN), tl.float32)
    for stage in range(tl.cdiv(k, BK)):
        k_a = stage * BK + tl.arange(0, BK)
        k_b = k_a
        if WRONG == 5:
            k_a = k_a ^ 2
        if WRONG == 6:
            k_b = tl.maximum(stage - 1, 0) * BK + tl.arange(0, BK)
        if WRONG == 7:
            k_b = k_b ^ 16
        x = tl.load(a + rows_a[:, None] * lda + k_a[None, :], mask=(rows_a[:, None] < m) & (k_a[None, :] < k), other=0.0)
        y = tl.load(b + columns_b[None, :] * ldb + k_b[:, None], mask=(columns_b[None, :] < n) & (k_b[:, None] < k), other=0.0)
        if WRONG == 8:
            x = tl.where(k_a[None, :] < k - BK, x, 0.0).to(a.dtype.element_ty)
        sums = tl.dot(x, y, sums)
    if WRONG == 9:
        sums = tl.maximum(sums, 0.0)
    inside = (rows[:, None] < m) & (columns_d[None, :] < n)
    if WRONG == 10:
        inside = inside & (rows[:, None] < m - 16)
    tl.store(d + rows[:, None] * ldd + columns_d[None, :], sums, mask=inside)


# The mistake for each value of WRONG in the kernel, and a regular expression for the finding.
MISTAKES = [
    ("rows of A are exchanged", r"row|m"),
    ("columns of B are exchanged", r"col|n"),
    ("D is stored 8 columns too far", r"col|never"),
    ("A is read as if it had no padding", "A"),
    ("k of A meets k ^ 2 of B", r"k ?\^ ?2"),
    ("B is read a stage late", "k of A meets k & 31 of B"),
    ("k of A meets k ^ 16 of B", r"k ?\^ ?16"),
    ("the last stage is not multiplied", "k|term"),
    ("negative results become 0", "relu|negative|0"),
    ("the last rows are never written", "never"),
]


def product(wrong):
    def run(a, b, d):
        b = b.T # stored N x K
        grid = (triton.cdiv(d.shape[0], 64), triton.cdiv(d.shape[1], 64))
        kernel[grid](a, b, d, a.shape[0], b.shape[0], a.shape[1], a.stride(0), b.stride(0), d.stride(0), WRONG=wrong, BM=64, BN=64, BK=32)
    return run


# Kernels of attention by name, and the setting that selects each of them in PyTorch.
BACKENDS = ["FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "MATH"]
# Batch, heads, heads of K and V, queries, keys, head dimension, and whether there is a causal mask.
ATTENTION = [(2, 4, 4, 128, 128, 64, False), (1, 2, 2, 1024, 1024, 128, True), (2, 3, 3, 100, 200, 64, False), (1, 8, 2, 64, 192, 64, False)]


def attention(backend, causal=False, wrong=None):
    """scaled_dot_product_attention by one of its kernels. With `wrong`, the kernel gets other q, k and v."""
    def run(q, k, v):
        group = q.shape[1] // k.shape[1]
        k, v = (each.repeat_interleave(group, 1) for each in (k, v))
        q, k, v = wrong(q, k, v) if wrong else (q, k, v)
        with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, backend)):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return run


def check_attention(backend, kind, sizes, wrong=None):
    """The report; None if this PyTorch or this device has no such kernel."""
    batch, heads, kv_heads, queries, keys, dim, causal = sizes
    if not hasattr(torch.nn.attention.SDPBackend, backend):
        return None
    try:
        return cm.check_attention(attention(backend, causal, wrong), batch=batch, heads=heads, kv_heads=kv_heads, seqlen_q=queries, seqlen_k=keys, head_dim=dim,
                                  causal="top-left" if causal else False, type=kind, arrays="torch")
    except RuntimeError as error: # of PyTorch; those of cuda_mapping are others
        if "No available kernel" not in str(error) and "No viable backend" not in str(error):
            raise
        return None


def try_attention():
    for backend, kind, sizes in itertools.product(BACKENDS, ("f16", "bf16"), ATTENTION):
        name = f"PyTorch: {backend} of {kind}, {sizes}"
        report = check_attention(backend, kind, sizes)
        if report is None:
            skip(name, "kernel-of-attention")
        else:
            ok(name, report, str(report))
    # The kernel for q, k and v whose rows of V are exchanged in pairs, and one without a mask.
    report = check_attention("MATH", "f16", ATTENTION[0], lambda q, k, v: (q, k, v[:, :, torch.arange(v.shape[2], device=v.device) ^ 8]))
    ok("PyTorch: V(key ^ 8) for V(key)", not report and "V(key ^ 8, col)" in str(report), str(report))
    report = cm.check_attention(attention("MATH"), heads=2, seqlen_q=64, head_dim=64, causal=True, arrays="torch")
    ok("PyTorch: is_causal is missing", not report and "causal mask missing" in str(report), str(report))


@triton.jit
def flash(q, k, v, o, heads, group, queries, keys, scale, WRONG: tl.constexpr, CAUSAL: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr,
          DIM: tl.constexpr):
    """Attention with an online softmax, as in FlashAttention 2. All arrays are contiguous: [batch, heads, sequence, DIM]."""
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    kv_heads = heads // group
    kv_head = head % kv_heads if WRONG == 1 else head // group
    kv = batch * kv_heads + kv_head
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    columns = tl.arange(0, DIM)
    at_q = (tl.program_id(1) * queries + rows[:, None]) * DIM + columns[None, :]
    x = tl.load(q + at_q, mask=rows[:, None] < queries, other=0.0)
    largest = tl.full((BQ,), 0.0 if WRONG == 13 else -float("inf"), tl.float32)
    total = tl.zeros((BQ,), tl.float32)
    sums = tl.zeros((BQ, DIM), tl.float32)
    last = keys - BK if WRONG == 2 else keys
    for first in range(0, last, BK):
        key = first + tl.arange(0, BK)
        key_of_v = key ^ 8 if WRONG == 3 else key
        if WRONG == 4:
            key_of_v = tl.maximum(first - BK, 0) + tl.arange(0, BK)
        y = tl.load(k + (kv * keys + key[None, :]) * DIM + columns[:, None], mask=key[None, :] < keys, other=0.0)
        z = tl.load(v + (kv * keys + key_of_v[:, None]) * DIM + columns[None, :], mask=key_of_v[:, None] < keys, other=0.0)
        s = tl.dot(x, y) * (scale * 2 if WRONG == 5 else scale)
        visible = (key[None, :] < keys) | (WRONG == 6)
        if CAUSAL:
            offset = 0 if WRONG == 7 else keys - queries
            distance = rows[:, None] + offset - key[None, :]
            visible = visible & (distance > 0 if WRONG == 8 else distance >= 0)
        s = tl.where(visible, s, -float("inf"))
        larger = tl.maximum(largest, tl.max(s, 1))
        safe = tl.where(larger == -float("inf"), 0.0, larger)
        p = tl.exp(s - safe[:, None])
        shrink = tl.exp(largest - safe)
        total = total * (1.0 if WRONG == 9 else shrink) + tl.sum(p, 1)
        if WRONG != 10:
            sums = sums * shrink[:, None]
        sums = tl.dot(p.to(v.dtype.element_ty), z, sums)
        largest = larger
    if WRONG != 11:
        sums = sums / tl.where(total > 0, total, 1.0)[:, None]
    inside = rows[:, None] < (queries - 16 if WRONG == 12 else queries)
    tl.store(o + at_q, sums.to(o.dtype.element_ty), mask=inside)


# What WRONG of flash means, whether there is a causal mask, and what a finding has to say, as a regular expression.
FLASH_MISTAKES = [
    ("query head h uses kv head h % 2", False, r"kv head h % 2 instead of h / 2"),
    ("the last block of keys is skipped", False, r"keys 160 to 191, the last 32"),
    ("P(key) meets V(key ^ 8)", False, r"key ?\^ ?8"),
    ("V is read a stage late", False, r"V is read a stage late: tile t of 32"),
    ("the scale is twice as large", False, r"about 2 times as large"),
    ("keys behind the last one are not masked", False, r"24 keys behind the last are not masked"),
    ("the causal mask begins at the first query", True, r"aligned top-left"),
    ("the causal mask hides the diagonal", True, r"hides the diagonal"),
    ("the sum is not rescaled with the maximum", False, r"online softmax: the sum is not"),
    ("the accumulator is not rescaled with the maximum", False, r"online softmax: O is not"),
    ("O is not divided by the sum", False, r"O is not divided"),
    ("the last queries are never written", False, r"never"),
    ("the running maximum begins at 0", False, r"running maximum begins at 0"),
]


def flash_attention(wrong, causal):
    def run(q, k, v, o):
        grid = (triton.cdiv(q.shape[2], 64), q.shape[0] * q.shape[1])
        flash[grid](q, k, v, o, q.shape[1], q.shape[1] // k.shape[1], q.shape[2], k.shape[2], q.shape[3] ** -0.5, WRONG=wrong, CAUSAL=causal,
                    BQ=64, BK=32, DIM=q.shape[3])
    return run


def try_flash():
    def check(wrong, causal, queries, keys, kind="f16"):
        return cm.check_attention(flash_attention(wrong, causal), batch=2, heads=4, kv_heads=2, seqlen_q=queries, seqlen_k=keys, head_dim=64, causal=causal,
                                  type=kind, arrays="torch", in_place=True)
    for kind, (queries, keys), causal in itertools.product(("f16", "bf16"), ((128, 128), (64, 192), (72, 136), (1, 100)), (False, True)):
        report = check(0, causal, queries, keys, kind)
        ok(f"Triton: attention in {kind}, {queries} queries, {keys} keys, {'' if causal else 'not '}causal", report, str(report))
    for wrong, (name, causal, expected) in enumerate(FLASH_MISTAKES, 1):
        report = check(wrong, causal, 128, 136 if wrong == 6 else 192)
        ok(f"Triton: {name}", not report and re.search(expected, str(report)) is not None, str(report))


def main():
    try_flash()
    try_attention()
    for a, d, layout, fn in PRODUCTS:
        for m, n, k in SHAPES:
            report = cm.check_gemm(fn, m=m, n=n, k=k, a=a, d=d, layout=layout, arrays="torch")
            ok(f"PyTorch: {fn.__name__} of {a} into {d}, {layout}, {m} x {n} x {k}", report, str(report))
    for m, n, k in SHAPES:
        for a in ("f16", "bf16"):
            report = cm.check_gemm(product(0), m=m, n=n, k=k, a=a, arrays="torch", in_place=True, ld=(k + 8, k, n + 8))
            ok(f"Triton: {a}, {m} x {n} x {k}", report, str(report))
    for wrong, (name, expected) in enumerate(MISTAKES, 1):
        report = cm.check_gemm(product(wrong), m=128, n=128, k=64, arrays="torch", in_place=True, ld=(72, 64, 128))
        ok(f"Triton: {name}", not report and re.search(expected, str(report)) is not None, str(report))
    sys.exit(finish())


if __name__ == "__main__":
    main()
