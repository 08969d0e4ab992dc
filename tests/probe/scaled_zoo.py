"""Kernels of matrix products with scale factors, simulated on the host: correct ones, and wrong ones.

A kernel multiplies A(m, k) by the factor of row m and block k // 32, and B(k, n) by that of column n. LAYOUTS says where
a factor is in memory, written here by hand from the documents that src/smem/scales.c names. A wrong kernel reads a
factor elsewhere. Kernels that read with another project's layout repeat published mistakes; the kernel's name contains the issue.
"""
import numpy as np

from zoo import ZOO as PLAIN_ZOO
from zoo import BITS, Problem, accumulate, decode, encode
from zoo import finish as epilogue


def up(x, n):
    return -(-x // n) * n


def tile_128x4(r, k, tile):
    return tile * 512 + r % 32 * 16 + r % 128 // 32 * 4 + k % 4


def hopper(w):
    def offset(r, k, rows, cols):
        t, r = r // (32 * w), r % (32 * w)
        a, r = r // (16 * w), r % (16 * w)
        warp, b, row = r // 16, r // 8 % 2, r % 8
        return (((((t * w + warp) * (up(cols, 2) // 2) + k // 2) * 2 + a) * 8 + row) * 2 + k % 2) * 2 + b
    return offset


# offset(row, block, rows, blocks), padding of rows and blocks, rows that share a factor
LAYOUTS = {
    "128x4": (lambda r, k, R, C: tile_128x4(r, k, r // 128 * (up(C, 4) // 4) + k // 4), (128, 4), 1),
    "8x4": (lambda r, k, R, C: (r // 8 * (up(C, 4) // 4) + k // 4) * 32 + r % 8 * 4 + k % 4, (8, 4), 1),
    "linear": (lambda r, k, R, C: r * C + k, (1, 1), 1),
    "linear-padded": (lambda r, k, R, C: r * up(C, 4) + k, (128, 4), 1),
    "columnwise": (lambda r, k, R, C: k * up(R, 128) + r, (128, 4), 1),
    "mn-major": (lambda r, k, R, C: k * R + r, (1, 1), 1),
    "mn-major-4": (lambda r, k, R, C: k * up(R, 4) + r, (4, 1), 1),
    "blk128": (lambda r, k, R, C: r * up(C, 4) + k, (1, 4), 128),
    "blk128-linear": (lambda r, k, R, C: r * C + k, (1, 1), 128),
    "outer-vec": (lambda r, k, R, C: r + 0 * k, (1, 1), 1),
    "ue8m0x4": (lambda r, k, R, C: (k // 4 * up(R, 4) + r) * 4 + k % 4, (4, 4), 1),
    "ue8m0x4-utccp": (lambda r, k, R, C: (k // 4 * up(R, 128) + r // 128 * 128 + r % 32 * 4 + r % 128 // 32) * 4 + k % 4, (128, 4), 1),
    "128x8k": (lambda r, k, R, C: tile_128x4(r, k, r // 128 * (up(C, 8) // 4) + k // 4), (128, 8), 1),
    "hopper-mx<4>": (hopper(4), (128, 2), 1),
    "aiter": (lambda r, k, R, C: r // 32 * 32 * up(C, 8) + k // 8 * 256 + k % 4 * 64 + r % 16 * 4 + k % 8 // 4 * 2 + r % 32 // 16, (256, 8), 1),
    "nvfp4-kv-v": (lambda r, k, R, C: (r // 4 * 4 + k // (C // 4)) * C + k % (C // 4) * 4 + r % 4, (4, 1), 1),
}
SCALE_TYPES = {16: "ue4m3", 32: "ue8m0", 128: "f32"}
SCALE_BITS = {"ue8m0": 8, "ue4m3": 8, "f32": 32}


class Scaled(Problem):
    """A problem with factors of A, of B or of both."""

    def __init__(self, sfa="128x4", sfb="128x4", block=32, scale_type=None, a="e4m3", n=24, k=256, **more):
        super().__init__(a=a, n=n, k=k, **more)
        self.sfa, self.sfb, self.block = sfa, sfb, block
        self.scale_type = scale_type
        self.factor_type = scale_type or SCALE_TYPES[block or 128]

    def words(self):
        return [f"--{role}={name}" for role, name in (("sfa", self.sfa), ("sfb", self.sfb)) if name] + ([f"--guard={self.guard}"] if self.guard else []) \
            + ([f"--block={self.block}"] if self.block else []) + ([f"--scale-type={self.scale_type}"] if self.scale_type else [])

    def layout_of(self, side):
        return self.sfa if side == "A" else self.sfb

    def shape(self, side, name=None, block=None):
        """Rows and blocks of factors."""
        rows = self.m if side == "A" else self.n
        name = name or self.layout_of(side)
        return -(-rows // LAYOUTS[name][2]), 1 if name == "outer-vec" else -(-self.k // (block or self.block))

    def size(self, side):
        return int(np.prod([up(*each) for each in zip(self.shape(side), LAYOUTS[self.layout_of(side)][1])]))

    def offset(self, side, row, k, name=None, block=None):
        """Where a kernel reads the factor of element k of a row, if it takes it for that layout."""
        name = name or self.layout_of(side)
        offset, _, rows = LAYOUTS[name]
        return offset(row // rows, k // (block or self.block or self.k), *self.shape(side, name, block))


def factors(codes, kind):
    """The numbers that factors are."""
    if kind == "ue8m0":
        return np.where(codes == 255, np.nan, np.ldexp(1.0, codes.astype(int) - 127))
    return decode(codes, {"ue4m3": "e4m3", "f32": "f32"}[kind])


def multiply(p, fa=None, fb=None, source=None, moved=lambda a, b: (a, b), whole=1, row_of_a=lambda m: m):
    """A kernel. K is filled with zeros up to a multiple of `whole`, and the factors there are read, too. fa and fb(p, row, k) are
    the offsets of factors that it reads; source(images) the arrays that they are in, with their types; `moved` changes the elements
    of A and B; row_of_a(m) is the row of A that it reads."""
    m, n, k = np.arange(p.m).reshape(-1, 1), np.arange(p.n).reshape(-1, 1), np.arange(up(p.k, whole))
    inside, at = k < p.k, np.minimum(k, p.k - 1)
    address_a, address_b = p.address_a(row_of_a(m), at), p.address_b(n, at)
    row, column = np.broadcast_arrays(m, n.T)
    offsets = [(offset(p, lines, k) if offset else p.offset(side, lines, k)) if p.layout_of(side) else None for side, lines, offset in (("A", m, fa), ("B", n, fb))]

    def kernel(images, run=0):
        elements = list(moved(np.where(inside, decode(images["A"], p.a)[address_a], 0), np.where(inside, decode(images["B"], p.b)[address_b], 0)))
        kinds = {"A": (images.get("SFA"), p.factor_type), "B": (images.get("SFB"), p.factor_type)}
        kinds.update(source(images) if source else {})
        for number, side in enumerate("AB"):
            codes, kind = kinds[side]
            if p.layout_of(side) and codes is not None:
                with np.errstate(invalid="ignore", over="ignore"):
                    elements[number] = elements[number] * factors(codes, kind)[offsets[number] % len(codes)]
        sums = accumulate(p, *elements, step=256 // max(BITS[p.a], BITS[p.b]))
        images["D"][p.address_d(row, column)] = encode(epilogue(p, sums, row, column, images), p.d)
    return kernel


# ---- The zoo: name, problem, kernel, expected findings, as in zoo.py ----

ZOO = []


def wrong(name, expected, problem=None, **mistakes):
    p = Scaled(**(problem or {}))
    ZOO.append((name, p, lambda: multiply(p, **mistakes), expected))


def as_layout(side, name, block=None):
    """Reads factors as if they had another layout."""
    return lambda p, row, k: p.offset(side, row, k, name, block)


def taken(of, name, instead):
    return f"^scales: scales of {of} are read as if their layout was ([^ ]+ or )*{name}( or [^ ]+)* instead of {instead}"


nvfp4 = {"a": "e2m1", "block": 16}
deep = {"a": "e4m3", "block": 128, "sfa": "mn-major", "sfb": "blk128", "k": 512}

wrong("linear for 128x4 in A", taken("A", "linear", "128x4"), fa=as_layout("A", "linear"))
wrong("linear for 128x4 in B, nvfp4", taken("B", "linear", "128x4"), nvfp4, fb=as_layout("B", "linear"))
wrong("linear for 128x4 in A and B", taken("A", "linear", "128x4") + "; " + taken("B", "linear", "128x4"), fa=as_layout("A", "linear"), fb=as_layout("B", "linear"))
wrong("128x4 for linear in A, ragged", taken("A", "128x4", "linear"), {"sfa": "linear", "m": 50, "k": 200}, fa=as_layout("A", "128x4"))
wrong("128x4 for 8x4, flashinfer#4574", taken("A", "128x4", "8x4"), {"sfa": "8x4"}, fa=as_layout("A", "128x4"))
wrong("128x4 for ue8m0x4, flashinfer#4950", taken("A", "128x4", "ue8m0x4"), {"sfa": "ue8m0x4", "m": 128}, fa=as_layout("A", "128x4"))
wrong("128x4 for linear, flashinfer#4087", taken("B", "128x4", "linear"), {"sfb": "linear", "n": 256, "m": 32}, fb=as_layout("B", "128x4"))
wrong("linear for nvfp4-kv-v, vllm#50084", taken("B", "linear", "nvfp4-kv-v"), {**nvfp4, "sfa": "linear", "sfb": "nvfp4-kv-v", "k": 128, "n": 16},
      fb=as_layout("B", "linear"))
wrong("mn-major for mn-major-4, TensorRT-LLM#3118", taken("A", "mn-major", "mn-major-4"), {**deep, "sfa": "mn-major-4", "m": 130}, fa=as_layout("A", "mn-major"))
wrong("mn-major-4 for mn-major, PyTorch and DeepGEMM", taken("A", "mn-major-4", "mn-major"), {**deep, "m": 130}, fa=as_layout("A", "mn-major-4"))
wrong("mn-major for linear, atlas#989", taken("A", "mn-major", "linear"), {**deep, "sfa": "linear"}, fa=as_layout("A", "mn-major"))
wrong("blk128-linear for blk128, cuBLAS and DeepSeek", taken("B", "blk128-linear", "blk128"), {**deep, "n": 384, "m": 32, "k": 640}, fb=as_layout("B", "blk128-linear"))
wrong("128x8k for 128x4, torchao and triton_kernels", taken("A", "128x8k", "128x4"), {"m": 256, "k": 128}, fa=as_layout("A", "128x8k"))
wrong("packed ue8m0 for f32, DeepGEMM#417", "scales of A are read as if their layout was (linear or )?ue8m0x4 instead of mn-major as ue8m0 instead of f32",
      {**deep, "m": 128}, fa=as_layout("A", "ue8m0x4"), source=lambda images: {"A": (images["SFA"].view(np.uint8), "ue8m0")})
wrong("transposed after the tiles, Fuser#4745", r"^scales: scales of A are read at offset |^scales: the scale of A at ", {"m": 128, "k": 128},
      fa=lambda p, r, k: r % 4 * 128 + r // 4 * 4 + k // 32)
wrong("rows of a tile in order, triton#917", taken("A", "linear", "128x4"), {"m": 128, "k": 128}, fa=lambda p, r, k: r * 4 + k // 32)
wrong("rows of tiles in order, triton#917, two tiles along K", "^scales: scales of A are read at offset |^scales: the scale of A at ", {"m": 256},
      fa=lambda p, r, k: (r // 128 * 2 + k // 128) * 512 + r % 128 * 4 + k // 32 % 4)
wrong("aiter with rows padded to M, rocm-libraries#12232", "^scales: scales of A are read at offset |^scales: the scale of A at ", {"sfa": "aiter", "m": 64, "k": 512},
      fa=lambda p, r, k: k // 256 * 64 * 8 + r // 32 * 256 + k // 32 % 4 * 64 + r % 16 * 4 + k // 32 % 8 // 4 * 2 + r % 32 // 16)
wrong("blocks of 16 for 32", "scales of A are read with blocks of 16 instead of 32", {"sfa": "linear", "k": 512}, fa=as_layout("A", "linear", 16))
wrong("blocks of 32 for 16, nvfp4", "scales of B are read with blocks of 32 instead of 16", nvfp4, fb=as_layout("B", "128x4", 32))
wrong("factors transposed", "scales of A are read transposed", {"sfa": "linear", "m": 96}, fa=lambda p, r, k: k // 32 * 96 + r)
wrong("SFB for SFA", "scales of A are read from SFB", source=lambda images: {"A": (images["SFB"], "ue8m0")})
wrong("SFA and SFB exchanged", "scales of A are read from SFB; scales of B are read from SFA",
      source=lambda images: {"A": (images["SFB"], "ue8m0"), "B": (images["SFA"], "ue8m0")})
wrong("A is not scaled", "A is not multiplied by its scales", source=lambda images: {"A": (None, "")})
wrong("neither is scaled", "A is not multiplied by its scales; B is not multiplied by its scales", source=lambda images: {"A": (None, ""), "B": (None, "")})
wrong("factors of A are read as ue4m3", "scales of A are read as ue4m3 instead of ue8m0", {"d": "f32"}, source=lambda images: {"A": (images["SFA"], "ue4m3")})
wrong("factors of B are read as ue8m0, nvfp4", "scales of B are read as ue8m0 instead of ue4m3", nvfp4, source=lambda images: {"B": (images["SFB"], "ue8m0")})
wrong("rows of factors exchanged by 8", r"the scale of A at \(row, block\) is that at \(row \^ 8, block\)", fa=lambda p, r, k: p.offset("A", r ^ 8, k))
wrong("factors of the next block", r"the scale of B at \(col, block\) is that at \(col, block \^ 1\)", fb=lambda p, r, k: p.offset("B", r, k ^ 32))
wrong("factors a stage late", r"the scale of A at \(row, block\) is that at \(row, block - 4\) where block >= ", {"k": 512}, fa=lambda p, r, k: p.offset("A", r, np.where(k >= 128, k - 128, k)))
wrong("all factors of a stage of 128 are its first", r"the scale of A at \(row, block\) is that at \(row, block & 12\)",
      {"k": 512}, fa=lambda p, r, k: p.offset("A", r, k // 128 * 128))
wrong("lanes of warps exchanged in SFB", r"the scale of B at \(col, block\) is that at \(col \^ 32, block\)", {"m": 24, "n": 64}, fb=lambda p, r, k: p.offset("B", r ^ 32, k))
wrong("sliced descriptor, triton#11633", "^scales: the scale of A at .* where ", {"m": 128, "k": 512}, fa=lambda p, r, k: p.offset("A", r, np.where(k >= 256, k - 128, k)))
wrong("factors of another row block of B", r"the scale of B at \(col / 128, block\) is that at \(col / 128 \^ 1, block\)|as if", {**deep, "n": 512, "m": 16, "k": 256},
      fb=lambda p, r, k: p.offset("B", r ^ 128, k))
wrong("the factors of A for a random order of rows", "no formula: D\\(0, 0\\) has for A", {"m": 48},
      fa=lambda p, r, k: p.offset("A", (np.random.default_rng(1).permutation(p.m)[r] * 7 + k // 32 * 5 + k // 32 * r * r) % p.m, (k * r * r + r * k) % p.k))
wrong("a factor of padding, which is 0, for all but the first row", "scales of A are read as if their layout was .* instead of 8x4",
      {"sfa": "8x4", "m": 4, "k": 16, "block": 16, "a": "e5m2", "d": "bf16"}, fa=as_layout("A", "mn-major"))
wrong("large sums in f16, and other factors", "scales of A are read as if their layout was mn-major-4 instead of linear|transposed",
      {"sfa": "linear", "m": 14, "k": 108, "block": 16, "a": "bf16", "d": "f16"}, fa=as_layout("A", "mn-major-4"))
wrong("A is moved, factors are right", r"meets k \^ 2 of", moved=lambda a, b: (a[:, np.arange(a.shape[1]) ^ 2], b))
wrong("rows of D are moved with their factors", r"result for \(row \^ 8, col\)",
      fa=lambda p, r, k: p.offset("A", r ^ 8, k), moved=lambda a, b: (a[np.arange(a.shape[0]) ^ 8], b))
wrong("K ends early, with factors", "k|terms", moved=lambda a, b: (a * (np.arange(a.shape[1]) < 224), b))

guarded = {"m": 48, "guard": 8, "sfa": "128x4"}
wrong("rows of A one too far, with factors", r"the kernel reads rows beyond M of A\n  \d+ elements: \(47, 0\), ", guarded, row_of_a=lambda m: m + 1)
wrong("rows of A one too far, with factors, nvfp4", r"no formula: D\(0, 0\) has A\(1, \d+\); the kernel reads rows beyond M of A", {**nvfp4, **guarded}, row_of_a=lambda m: m + 1)
wrong("factors of rows one too far", r"\A(?s:(?!.*beyond).*)\(row \+ 1, block\)", guarded, fa=lambda p, r, k: p.offset("A", r + 1, k))
wrong("factors of rows one too far, nvfp4", r"\A(?s:(?!.*beyond).*)\(row \+ 1, block\)", {**nvfp4, **guarded}, fa=lambda p, r, k: p.offset("A", r + 1, k))
wrong("k of one stage exchanged, with factors", r"meets k \^ 8 of . where 256 <= k < 272", {"n": 64, "k": 1024, "a": "bf16", "guard": 2},
      moved=lambda a, b: (a[:, (k := np.arange(1024)) ^ np.where(k // 16 == 16, 8, 0)], b))

# ---- Right problems ----

RIGHT = [
    Scaled(), Scaled(**nvfp4), Scaled(**deep), Scaled(sfb=None), Scaled(sfa=None, **nvfp4), Scaled(a="e5m2", d="bf16"), Scaled(d="f16", c=True, beta=0.5),
    Scaled(a="e2m1", d="bf16", k=512), Scaled(d="bf16", k=640), Scaled(m=50, n=27, k=96), Scaled(m=130, n=200, k=160, d="bf16"),
    Scaled(sfa="linear", sfb="linear"), Scaled(sfa="8x4"), Scaled(sfa="ue8m0x4", sfb="ue8m0x4", n=70), Scaled(sfa="aiter", sfb="aiter"),
    Scaled(sfa="hopper-mx<4>", sfb="128x8k"), Scaled(sfa="columnwise", sfb="linear-padded"), Scaled(sfa="ue8m0x4-utccp"),
    Scaled(sfa="outer-vec", sfb="outer-vec", block=None, a="e4m3"), Scaled(sfa="mn-major-4", sfb="blk128-linear", block=128, n=300, m=21),
    Scaled(sfa="linear", sfb="nvfp4-kv-v", block=16, a="e2m1", n=15), Scaled(a="f16", sfa="linear", sfb=None), Scaled(a="bf16", b="e2m1", sfa=None, sfb="hopper-mx<4>"),
    Scaled(a="e4m3", b="e2m1"), Scaled(a="e4m3", d="e4m3"), Scaled(layout="nt", m=48), Scaled(a="f16", accumulator="f16", d="f16", k=64),
    Scaled(sfa="linear", sfb="linear", scale_type="f32"), Scaled(sfa="ue8m0x4", sfb="ue8m0x4", block=128, scale_type="ue8m0"), Scaled(bias="row", alpha=2),
    Scaled(m=40, guard=5), Scaled(guard=4, **nvfp4), Scaled(guard=16, n=70, **deep), Scaled(m=1, n=1, k=32), Scaled(m=3, n=5, k=17, sfa="linear", sfb="mn-major-4", block=128),
]


# Tiles of 128 x 4 and others must have factors for whole tiles. cuBLAS requires zeros after the last block.
WHOLE = [Scaled(k=160), Scaled(k=80, a="e2m1", block=16), Scaled(sfa="8x4", sfb="ue8m0x4", k=96, m=50), Scaled(sfa="linear-padded", k=40)]


def random_problem(random):
    """Any layouts, types and sizes."""
    block = int([16, 32, 128][random.integers(3)])
    small = [name for name in LAYOUTS if name not in ("mn-major", "mn-major-4", "blk128", "blk128-linear", "outer-vec", "nvfp4-kv-v")]
    names = {16: ["128x4", "8x4", "linear", "linear-padded"], 32: [name for name in small if name != "columnwise"],
             128: ["linear", "mn-major", "mn-major-4", "blk128", "blk128-linear", "outer-vec"]}[block]
    sfa, sfb = (names[random.integers(len(names))] for _ in range(2))
    m, n, k = (2 * int(2 ** random.uniform(0, 7)) for _ in range(3))
    a = ["e2m1", "e4m3", "e5m2", "bf16"][random.integers(4)]
    return Scaled(sfa=sfa, sfb=sfb, block=block, a=a, m=m, n=n, k=2 * k, d=["f32", "bf16", "f16"][random.integers(3)],
                  layout=["tn", "nt"][random.integers(2)], c=random.integers(4) == 0, beta=2)


assert not {name for name, *_ in ZOO} & {name for name, *_ in PLAIN_ZOO}
