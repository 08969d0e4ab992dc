"""Kernels of attention, simulated on the host: naive kernels, split-KV, and flash attention with tiles of keys,
an online softmax in f32, and P in the type of V. Each is correct or has one mistake.

A mistake is one changed step of `Flash`: the row of K or V that is read, the element of V by which an element of P is
multiplied, the mask, the rescaling, or the address of O. It has the same effect as on a device.
"""
import functools

import numpy as np
from zoo import BITS, decode, encode

LOG2E = np.float32(1.4426950408889634)


class Attention:
    """The function that a kernel should compute, and the addresses of its operands."""

    def __init__(self, batch=2, heads=2, queries=128, keys=128, dim=64, kind="f16", kv_heads=None, causal=None, scale=None, layout="bhsd", o=None, pad=0):
        self.batch, self.heads, self.queries, self.keys, self.dim, self.kind = batch, heads, queries, keys, dim, kind
        self.kv_heads, self.causal, self.layout, self.pad = kv_heads or heads, causal, layout, pad
        self.o = o or ("bf16" if BITS[kind] == 8 else kind)
        self.given_scale, self.scale = scale, scale or dim**-0.5

    def words(self):
        words = [f"--probe=attention:{self.batch},{self.heads},{self.queries},{self.keys},{self.dim}", f"--type={self.kind}", f"--d-type={self.o}",
                 f"--kv-heads={self.kv_heads}", f"--layout={self.layout}", f"--ld={','.join([str(self.dim + self.pad)] * 4)}"]
        words += [f"--causal={self.causal}"] if self.causal else []
        return words + ([f"--scale={self.given_scale}"] if self.given_scale else [])

    def array(self, image, role, layout=None):
        """The image as [batch, head, row, column], without padding."""
        heads, rows = (self.heads, self.queries) if role in "QO" else (self.kv_heads, self.keys)
        if (layout or self.layout) == "bhsd":
            return image.reshape(self.batch, heads, rows, -1)[..., : self.dim]
        return image.reshape(self.batch, rows, heads, -1)[..., : self.dim].transpose(0, 2, 1, 3)

    def diagonal(self, causal="asked"):
        """The last key that query 0 sees."""
        return self.keys - self.queries if (self.causal if causal == "asked" else causal) == "bottom-right" else 0

    def mask(self):
        rows, keys = np.ogrid[: self.queries, : self.keys]
        return keys <= rows + self.diagonal() if self.causal else np.ones((self.queries, self.keys), bool)


def rounded(values, kind):
    return decode(encode(values, kind), kind).astype(np.float32)


def stored(p, images, o, layout=None):
    p.array(images["O"], "O", layout)[...] = encode(o, p.o)


def naive(p, scores_in_type=False):
    """Scores, probabilities and O one after the other. With `scores_in_type`, scores and probabilities are rounded to the type of
    V, and Q and K are scaled before the product, as in PyTorch's math kernel."""
    def kernel(images, run=0):
        q, k, v = (p.array(decode(images[role], p.kind).astype(np.float32), role) for role in "QKV")
        group = p.heads // p.kv_heads
        k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
        if scores_in_type:
            root = np.float32(p.scale**0.5)
            s = rounded(rounded(q * root, p.kind) @ rounded(k * root, p.kind).transpose(0, 1, 3, 2), p.kind)
        else:
            s = q @ k.transpose(0, 1, 3, 2) * np.float32(p.scale)
        s = np.where(p.mask(), s, -np.inf)
        with np.errstate(invalid="ignore"):
            w = np.exp(s - s.max(-1, keepdims=True))
            w = rounded(w / w.sum(-1, keepdims=True), p.kind)
            stored(p, images, w @ v)
    return kernel


class Flash:
    """Flash attention. Each mistake is a keyword."""

    def __init__(self, p, tile=64, backward=False, splits=1, **wrong):
        self.p, self.tile, self.backward, self.splits, self.wrong = p, tile, backward, splits, wrong
        self.hidden = functools.lru_cache(maxsize=None)(self.hidden)  # the same in all batches and heads

    def has(self, name, default=None):
        return self.wrong.get(name, default)

    def head(self, array, batch, head):
        p = self.p
        batch = self.has(f"{array}_batch", lambda b: b)(batch)
        return batch, self.has(f"{array}_head", lambda h: h // (p.heads // p.kv_heads))(head)

    def rows(self, array, batch, head, first):
        """A tile of K or V, with zeros after the last key; the stage may be wrong."""
        p, at = self.p, first
        if self.has(f"{array}_late"):
            at = max(first - self.tile, 0)
        source = self.arrays[array]
        out = np.zeros((self.tile, p.dim), np.float32)
        if self.has("reads_next"):
            flat = source.reshape(-1, p.dim)
            start = (batch * p.kv_heads + head) * p.keys + at
            part = flat[start: start + self.tile]
        else:
            part = source[batch, head][at: at + self.tile]
        out[: len(part)] = part
        return out

    def hidden(self, first):
        """True where a score is masked."""
        p = self.p
        rows, keys = np.ogrid[: p.queries, first: first + self.tile]
        hidden = np.zeros((p.queries, self.tile), bool) if self.has("no_bound") else np.broadcast_to(keys >= p.keys, (p.queries, self.tile))
        causal = self.has("causal", p.causal)
        if causal and causal != "none":
            last = rows + p.diagonal(causal) + self.has("shift", 0)
            if self.has("by_tile"):
                last = last // self.tile * self.tile + self.tile - 1
            if "last" in self.wrong:
                last = self.wrong["last"](rows)
            if "window" in self.wrong:
                hidden = hidden | (keys <= last - self.wrong["window"])
            hidden = hidden | (keys < last if self.has("suffix") else keys > last)
        return hidden | self.has("hide", lambda keys: False)(keys)

    def part(self, batch, head, starts, run):
        """O, before it is divided, with the maximum and the sum of each row, over the tiles that begin at `starts`."""
        p = self.p
        q_batch, q_head = self.has("q_batch", lambda b: b)(batch), self.has("q_head", lambda h: h)(head)
        q = self.arrays["q"][q_batch, q_head]
        scale = np.float32(self.has("scale", p.scale)) * LOG2E
        most = np.full(p.queries, self.has("first_maximum", -np.inf), np.float32)
        total = np.zeros(p.queries, np.float32)
        acc = np.zeros((p.queries, p.dim), np.float32)
        for first in starts:
            k, v = (self.rows(array, *self.head(array, batch, head), first) for array in "kv")
            k = self.has("k_tile", lambda tile: tile)(k)
            s = np.where(self.hidden(first), self.has("masked", -np.inf), q @ k.T * scale)
            new = most if self.has("no_maximum") else np.maximum(most, s.max(1))
            base = np.zeros(p.queries, np.float32) if self.has("no_maximum") else np.where(np.isinf(new), 0, new)
            w = np.exp2(s - base[:, None])
            factor = np.ones(p.queries, np.float32) if self.has("no_maximum") else np.exp2(most - base)
            total = total * (1 if self.has("keeps_sum") else factor) + w.sum(1)
            acc = acc * (1 if self.has("keeps_o") else factor[:, None])
            with np.errstate(invalid="ignore"):
                acc += self.has("pv", lambda w, v: w @ v)(rounded(w, p.kind), v)
            most = new
        return acc, most, total

    def of_head(self, batch, head, run):
        p = self.p
        end = self.has("keys", p.keys)
        starts = list(range(self.has("first", 0), end, self.tile))
        if self.splits > 1:
            each = -(-len(starts) // self.splits)
            parts = [self.part(batch, head, starts[n: n + each], run) for n in range(0, len(starts), each)]
            if self.has("mean"):
                return sum(acc / total[:, None] for acc, _, total in parts) / len(parts)
            most = np.max([most for _, most, _ in parts], 0)
            scales = [np.exp2(each - most) for _, each, _ in parts]
            total = sum(factor * each for factor, (_, _, each) in zip(scales, parts))
            return sum(factor[:, None] * acc for factor, (acc, _, _) in zip(scales, parts)) / total[:, None]
        acc, most, total = self.part(batch, head, starts[::-1] if self.backward else starts, run)
        total = total + (np.exp2(-most) if self.has("sink") else 0)
        return acc if self.has("no_division") else acc / total[:, None]

    def __call__(self, images, run=0):
        p = self.p
        self.arrays = {role.lower(): p.array(decode(images[role], p.kind).astype(np.float32), role, self.has(f"{role.lower()}_layout")) for role in "QKV"}
        self.arrays = {role: self.arrays[self.has("read_as", {}).get(role, role)] for role in "qkv"}
        if self.has("reads_next"):
            self.arrays = {role: np.ascontiguousarray(each) for role, each in self.arrays.items()}
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            o = np.array([[self.of_head(b, h, run) for h in range(p.heads)] for b in range(p.batch)])
        o = self.has("written", lambda o: o)(o)
        before = images["O"].copy()
        stored(p, images, o, self.has("o_layout"))
        rows = self.has("rows")
        if rows is not None: # the others are left alone
            p.array(images["O"], "O")[:, :, rows:] = p.array(before, "O")[:, :, rows:]
        self.has("after", lambda images, run: None)(images, run)


def weights_meet(key_of, col_of):
    """P V, where the weight of a key in the tile is multiplied by another element of V."""
    def product(w, v):
        key, col = np.mgrid[: v.shape[0], : v.shape[1]]
        return w @ v[key_of(key, col), col_of(key, col)]
    return product


def xor_rows(by):
    return lambda o: o[:, :, np.arange(o.shape[2]) ^ by]


def pollute(images, run):
    """Writes a column of the padding."""
    images["O"].reshape(-1, 72)[5, 65] = 0


def one_element(images, run):
    """Another number at batch 0, head 1, query 2 and column 3."""
    images["O"][(128 + 2) * 64 + 3] ^= 1


def race(images, run):
    """O is different in one of two equal runs."""
    if run == 0:
        images["O"][3] += 1


def half_of_queries(w, v):
    out = w @ v
    out[64:] = w[64:] @ v[np.arange(64) ^ 32]
    return out


# Name, problem, kernel, and a regular expression for each finding.
SQUARE = Attention(1)
TWO = Attention() # batches
CAUSAL = Attention(1, causal="bottom-right")
RECTANGLE = Attention(queries=96, keys=160, causal="bottom-right", layout="bshd")
GROUPED = Attention(1, heads=6, kv_heads=2, queries=64, keys=96, kind="bf16")
RAGGED = Attention(1, queries=100, keys=150)
PADDED = Attention(pad=8, queries=72)
FEW = Attention(2, heads=4, queries=1, keys=200, kv_heads=2)
THREE = Attention(batch=3, heads=2, queries=64, keys=64)

GROUPED_CAUSAL = Attention(1, heads=6, kv_heads=2, queries=64, keys=96, kind="bf16", causal="top-left")
EIGHT_BITS = Attention(1, keys=256, kind="e4m3", layout="bshd")

KEY, COL = np.mgrid[:64, :64] # of a tile

ZOO = [
    ("the columns of P are exchanged within a tile", SQUARE, dict(pv=weights_meet(lambda key, col: key ^ 8, lambda key, col: col)), r"keys moved: .*V\(key \^ 8, col\)"),
    ("rows of V are exchanged in the second warp", SQUARE, dict(pv=half_of_queries), r"V\(\(\(query & 64\) >> 1\) \^ key, col\)"),
    ("columns of V are exchanged", SQUARE, dict(pv=weights_meet(lambda key, col: key, lambda key, col: col ^ 16)), r"columns moved: .*V\(key, col \^ 16\)"),
    ("ldmatrix of V lacks .trans", SQUARE, dict(pv=weights_meet(lambda key, col: key & ~7 | col & 7, lambda key, col: col & ~7 | key & 7)), r"V transposed: .*\.trans"),
    ("V is read without the swizzle", SQUARE, dict(pv=weights_meet(lambda key, col: key, lambda key, col: col ^ (key & 7) << 3)),
     r"columns moved: .*V\(key, \(\(key & 7\) << 3\) \^ col\).*swizzled"),
    ("K and V of kv head h % kv heads", GROUPED, dict(k_head=lambda h: h % 2, v_head=lambda h: h % 2), r"kv head: K and V of kv head h % 2 instead of h / 3"),
    ("K of kv head h % kv heads", GROUPED, dict(k_head=lambda h: h % 2), "kv head: K of kv head h % 2"),
    ("V of kv head 0", GROUPED, dict(v_head=lambda h: 0), "kv head: V of kv head 0 .* all heads"),
    ("K and V of batch 0", TWO, dict(k_batch=lambda b: 0, v_batch=lambda b: 0), "batch: K and V of batch 0"),
    ("V of the next batch", THREE, dict(v_batch=lambda b: (b + 1) % 3), r"batch: V of batch \(b \+ 1\) % 3"),
    ("Q of batch 0", TWO, dict(q_batch=lambda b: 0), "batch: Q of batch 0"),
    ("bhsd is read as bshd", SQUARE, dict(q_layout="bshd", k_layout="bshd", v_layout="bshd", o_layout="bshd"), "layout: Q, K, V, O are taken as bshd, but are bhsd"),
    ("O is written as bhsd", RECTANGLE, dict(o_layout="bhsd"), "layout: O are? taken as bhsd, but (is|are) bshd"),
    ("K and V are read as bshd", TWO, dict(k_layout="bshd", v_layout="bshd"), "layout: K, V are taken as bshd"),
    ("the causal mask is missing", CAUSAL, dict(causal="none"), "causal mask missing"),
    ("the causal mask hides the diagonal", RECTANGLE, dict(shift=-1), "off by one: .* one key too few"),
    ("the causal mask leaves a key too many", CAUSAL, dict(shift=1), "off by one: .* one key too many"),
    ("the causal mask is aligned top-left", RECTANGLE, dict(causal="top-left"), "alignment: .* aligned top-left instead of bottom-right"),
    ("a causal mask is applied", SQUARE, dict(causal="bottom-right"), "a causal mask is applied"),
    ("the causal mask hides whole tiles only", CAUSAL, dict(by_tile=True), "whole tiles of 64 keys"),
    ("the causal mask is transposed", CAUSAL, dict(suffix=True), "causal mask transposed"),
    ("a sliding window is applied", CAUSAL, dict(window=32), "sliding window applied: each query sees only the last 32 keys"),
    ("a sliding window of 16 keys before the query is applied", RECTANGLE, dict(window=17), "sliding window applied: each query sees only the last 17 keys"),
    ("the causal mask is that of 16 rows", CAUSAL, dict(last=lambda rows: rows | 15), "sees keys 0 to|whole tiles of 16"),
    ("the causal mask is wrong in a warp", CAUSAL, dict(last=lambda rows: rows + 3 * (rows >= 96)), r"mask: each query sees keys 0 to query by a table: 96 -> 99, 97 -> 100"),
    ("zeros behind the last key are not masked", RAGGED, dict(no_bound=True), "42 keys behind the last are not masked: the last tile of 64 keys has 22, and zeros"),
    ("the next rows of K and V are not masked", RAGGED, dict(no_bound=True, reads_next=True), "keys behind the last are not masked: .* follow in memory"),
    ("the last ragged tile is never read", RAGGED, dict(keys=128), "keys 128 to 149, the last 22, are never read, or masked"),
    ("the last tile is never read", SQUARE, dict(keys=64), "keys 64 to 127, the last 64, are never read"),
    ("the first tile is never read", SQUARE, dict(first=64), "keys 0 to 63, the first 64, are never read"),
    ("a key is masked", RAGGED, dict(hide=lambda keys: keys == 77), "keys not read: key 77 is never read, or masked"),
    ("a key is masked, for few queries", FEW, dict(hide=lambda keys: keys == 5), "keys not read: key 5 is never read, or masked"),
    ("8 keys are masked", RECTANGLE, dict(hide=lambda keys: keys // 8 == 5), "keys not read: keys 40 to 47 are never read, or masked"),
    ("the last part of split-KV is left out", FEW, dict(hide=lambda keys: keys >= 100), "keys 100 to 199, the last 100, are never read"),
    ("V of the first 8 keys is not added", SQUARE, dict(tile=128, pv=lambda w, v: w[:, 8:] @ v[8:]), "V of keys 0 to 7, the first 8, are not added"),
    ("K and V are exchanged", GROUPED, dict(read_as={"k": "v", "v": "k"}), "K and V are exchanged"),
    ("K is read instead of V", CAUSAL, dict(read_as={"v": "k"}), "K is read instead of V"),
    ("V is read instead of K", FEW, dict(read_as={"k": "v"}), "V is read instead of K"),
    ("the next kv head", GROUPED, dict(k_head=lambda h: (h // 3 + 1) % 2, v_head=lambda h: (h // 3 + 1) % 2), r"K and V of kv head \(h / 3 \+ 1\) % 2 are used"),
    ("masked scores are 0", CAUSAL, dict(masked=0), "masked scores are 0 instead of -infinity"),
    ("the sum has one more score", RAGGED, dict(sink=True), "the sum of a row has one more score, 0"),
    ("O is doubled", RECTANGLE, dict(written=lambda o: 2 * o), "O is 2 times the right O"),
    ("scores are doubled", SQUARE, dict(scale=0.25), "scores: the scores Q K.T are about 2 times as large"),
    ("a bias of scores that grows with the key", CAUSAL, dict(k_tile=lambda k: k * np.linspace(1, 1.1, len(k))[:, None]), "not explained|probabilities"),
    ("K is read a stage late", Attention(1, keys=256), dict(k_late=True), "K is read a stage late: tile t of 64 keys"),
    ("V is read a stage late", Attention(1, keys=256), dict(v_late=True), "V is read a stage late: tile t of 64 keys"),
    ("O is not rescaled", SQUARE, dict(keeps_o=True), "O is not rescaled"),
    ("O and the sum are not rescaled", CAUSAL, dict(keeps_o=True, keeps_sum=True), "O and the sum are not rescaled"),
    ("the sum is not rescaled", Attention(1, kind="bf16", keys=192), dict(keeps_sum=True), "the sum is not rescaled"),
    ("O is not divided by the sum", SQUARE, dict(no_division=True), "not normalized"),
    ("the maximum is not subtracted", SQUARE, dict(no_maximum=True), "overflow: .* maximum of a row is not subtracted"),
    ("the maximum begins at 0", SQUARE, dict(first_maximum=0), "underflow: the running maximum begins at 0"),
    ("the maximum begins at 0, and a sum of 0 is replaced", RAGGED, dict(first_maximum=0, written=np.nan_to_num), "underflow: the running maximum begins at 0"),
    ("the maximum of one query begins at 0", Attention(1, queries=1, keys=300, kind="f32"), dict(first_maximum=0), "underflow: the running maximum begins at 0"),
    ("the maximum begins at 0, with a causal mask", GROUPED_CAUSAL, dict(first_maximum=0), "underflow: the running maximum begins at 0"),
    ("the maximum of parts of split-KV begins at 0", EIGHT_BITS, dict(first_maximum=0, splits=2), "underflow: the running maximum begins at 0"),
    ("the maximum begins at the least positive number", Attention(1, scale=0.01, dim=96), dict(first_maximum=2.0**-126), "underflow: the running maximum begins at 0"),
    ("the scale is 1/D", SQUARE, dict(scale=1 / 64), "scale: .* which is 1/D"),
    ("the scale is missing", GROUPED, dict(scale=1), "scale: .* the scores are not scaled"),
    ("exp2 of scores without log2(e)", SQUARE, dict(scale=0.125 / 1.4426950408889634), r"scale: .*exp2\(\) has no log2\(e\)"),
    ("the last columns of K are not multiplied", SQUARE, dict(k_tile=lambda k: k * (np.arange(64) < 48)), "only 48 of 64 columns of Q and K are multiplied, such as the first 48"),
    ("K is read without the swizzle", SQUARE, dict(k_tile=lambda k: k[KEY, COL ^ (KEY & 7) << 3]), r"swizzle: K\(key, col \^ \(\(key & 7\) << 3\)\)"),
    ("K is read without a swizzle of 64 bytes", CAUSAL, dict(k_tile=lambda k: k[KEY, COL ^ (KEY >> 1 & 3) << 3]), r"swizzle: K\(key, col \^ \(\(key >> 1 & 3\) << 3\)\)"),
    ("ldmatrix of K has .trans", SQUARE, dict(k_tile=lambda k: k[KEY & ~7 | COL & 7, COL & ~7 | KEY & 7]), "transposed: 8 x 8 blocks of K"),
    ("columns of K are exchanged", Attention(1, kind="bf16"), dict(k_tile=lambda k: k[KEY, COL ^ 8]), r"column col of Q meets column col \^ 8 of K"),
    ("columns of K are rotated", SQUARE, dict(k_tile=lambda k: k[KEY, (COL + 24) % 64]), "not explained: .*Q K\\^T is wrong|not explained"),
    ("columns of K are rotated in the only head", Attention(1, heads=1), dict(k_tile=lambda k: k[KEY, (COL + 24) % 64]), "elements of O not explained"),
    ("columns of K are rotated in the only batch", Attention(1, layout="bshd"), dict(k_tile=lambda k: k[KEY, (COL + 24) % 64]), "elements of O not explained"),
    ("rows of O are exchanged", SQUARE, dict(written=xor_rows(8)), r"queries moved: .*query \^ 8"),
    ("heads of O are exchanged", SQUARE, dict(written=lambda o: o[:, np.arange(2) ^ 1]), r"heads exchanged: .*(head \^ 1|-head \+ 1)"),
    ("batches of O are exchanged", TWO, dict(written=lambda o: o[::-1]), "batches exchanged: .*batch"),
    ("rows of O are exchanged, of more queries than keys", Attention(1, heads=2, queries=64, keys=48, dim=16, kv_heads=1), dict(written=xor_rows(4)),
     r"of O queries moved: O\(batch, head, query\) holds the result for \(batch, head, query \^ 4\)(?!.*moved)"),
    ("rows of O are exchanged, of twice as many queries as keys", Attention(1, heads=1, queries=32, keys=16, dim=16, kind="f32"), dict(written=xor_rows(2)),
     r"of O queries moved: .*query \^ 2(?!.*moved)"),
    ("rows of O with the same key are exchanged", Attention(1, heads=1, queries=64, keys=32, dim=32), dict(written=xor_rows(32)), r"of O queries moved: .*query \^ 32"),
    ("half of the columns are multiplied, with a scale of 0.5", Attention(1, heads=1, queries=64, keys=64, kind="f32", scale=0.5),
     dict(k_tile=lambda k: k * (np.arange(64) < 32)), "scale: .* 0.25, which is its square: it is applied twice; or only 32 of 64 columns"),
    ("O is 0, with a causal mask", Attention(1, heads=1, queries=32, keys=64, dim=32, causal="top-left"), dict(written=lambda o: 0 * o), "zeros: O is 0 in all runs"),
    ("the last rows are never written", RAGGED, dict(rows=64), "never written: O is never written"),
    ("the padding of O is written", PADDED, dict(after=pollute), "written outside: the padding of O is written"),
    ("the padding is read", PADDED, dict(written=lambda o: o * np.nan), "not a number: .* the kernel may read it"),
    ("one element is wrong", SQUARE, dict(after=one_element), r"1 element: \(0, 1, 2, 3\)"),
    ("two runs differ", SQUARE, dict(after=race), "two runs differ"),
    ("parts of split-KV are averaged", Attention(1, keys=256), dict(splits=2, mean=True), "split-KV"),
]


def random_right(random):
    """A random problem, and a right kernel for it."""
    def pick(*choices):
        return choices[random.integers(len(choices))]

    kv_heads = int(random.integers(1, 4))
    causal = pick(None, None, "bottom-right", "top-left")
    p = Attention(int(random.integers(1, 3)), kv_heads * int(random.integers(1, 4)), int(2 ** random.uniform(0, 7.5)), int(2 ** random.uniform(0, 8.5)),
                  pick(32, 40, 64, 80, 96, 128, 256), pick("f16", "bf16", "f16", "bf16", "f32", "e4m3", "e5m2"), kv_heads, causal, pick(None, None, None, 0.2, 0.05),
                  pick("bhsd", "bshd"), pad=pick(0, 0, 8))
    p.o = pick(p.o, "f32")
    kind = pick("naive", "math", "flash", "backward", "split")
    if BITS[p.kind] == 8 and kind in ("naive", "math"):
        kind = "flash" # probabilities of many keys are too small for 8 bits
    if kind in ("naive", "math"):
        return p, naive(p, kind == "math")
    tile = pick(16, 32, 64, 128)
    return p, Flash(p, tile, kind == "backward", pick(2, 3, 5) if kind == "split" else 1)
