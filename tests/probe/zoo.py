"""Kernels of matrix products, simulated on the host: correct ones, and wrong ones, each simulated at the level at which
its mistake happens.

A kernel copies tiles of A and B to shared memory, loads fragments from there by ldmatrix or by plain loads, multiplies
them by mma, and stores the accumulators. The simulation moves addresses instead of values, once: `a[m, k]` is the
address of the element that the tensor core gets for A(m, k). A run then takes the numbers from these addresses and
multiplies them. So a mistake is one changed function: the swizzle on the reading side, the address that a lane passes
to ldmatrix, the registers of a fragment. It has the same effect as on a device.

The fragments are those of the PTX ISA, "Matrix Fragments for mma.m16n8k8", "k16", "k32" and "k64", written here by
hand. With e elements in a register and lane = 4 * group + t:

    A, register r, element j   row = group + 8 * (r % 2), k = e * t + j + 4 * e * (r // 2)
    B, register r, element j   column = group,            k = e * t + j + 4 * e * r
    C and D, element i         row = group + 8 * (i // 2), column = 2 * t + i % 2
"""
import numpy as np

# ---- Types: codes as in memory, and the numbers that they represent ----


def small_float(exponent_bits, mantissa_bits, bias, nans):
    """The numbers of all codes of a small type: sign, exponent, mantissa. nans: which codes are infinite or none."""
    codes = np.arange(1 << (1 + exponent_bits + mantissa_bits))
    mantissa = codes & ((1 << mantissa_bits) - 1)
    exponent = codes >> mantissa_bits & ((1 << exponent_bits) - 1)
    sign = 1 - 2.0 * (codes >> (exponent_bits + mantissa_bits))
    value = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias - mantissa_bits),
                     (1 + mantissa / 2.0**mantissa_bits) * 2.0 ** (exponent - bias))
    value = sign * value
    value[nans(exponent, mantissa)] = np.nan
    return value


TABLES = {
    "e4m3": small_float(4, 3, 7, lambda e, m: (e == 15) & (m == 7)),
    "e5m2": small_float(5, 2, 15, lambda e, m: e == 31),
    "e2m1": small_float(2, 1, 1, lambda e, m: e > 3),
    "s8": np.arange(256).astype(np.uint8).view(np.int8).astype(float),
    "u8": np.arange(256).astype(float),
    "s4": np.where(np.arange(16) < 8, np.arange(16), np.arange(16) - 16).astype(float),
    "u4": np.arange(16).astype(float),
}
BITS = {"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "e2m1": 4,
        "s4": 4, "u4": 4}
CODES = {64: "<u8", 32: "<u4", 16: "<u2", 8: "|u1", 4: "|u1"}


def decode(codes, name):
    """The numbers of codes, in f64. An MMA of tf32 reads the upper 19 bits."""
    if name in TABLES:
        return TABLES[name][codes]
    with np.errstate(invalid="ignore"):
        if name == "bf16":
            return (codes.astype(np.uint32) << 16).view(np.float32).astype(float)
        if name == "tf32":
            return (codes & np.uint32(0xFFFFE000)).view(np.float32).astype(float)
        return codes.view({"f64": "<f8", "f32": "<f4", "s32": "<i4", "f16": "<f2"}[name]).astype(float)


def encode(values, name):
    """The codes of numbers, rounded to nearest even; NaN is 0x7fffffff, as on a GPU. Integers wrap, except that those
    of 8 bits saturate."""
    with np.errstate(invalid="ignore", over="ignore"):
        if name in ("s8", "u8"):
            low, high = (-128, 127) if name == "s8" else (0, 255)
            return np.clip(np.nan_to_num(values), low, high).astype(np.int64).astype(np.uint8)
        if name == "s32":
            return (np.nan_to_num(values).astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
        if name == "bf16":
            bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
            return np.where(np.isnan(values), 0x7FFF, bits + 0x7FFF + (bits >> np.uint64(16) & np.uint64(1)) >> np.uint64(16)).astype(np.uint16)
        if name in ("s4", "u4"):
            return (values.astype(np.int64) & 15).astype(np.uint8)
        if name in TABLES:
            half = len(TABLES[name]) // 2
            table = TABLES[name][:half]
            finite = np.flatnonzero(~np.isnan(table))
            middle = (table[finite][1:] + table[finite][:-1]) / 2
            size = np.abs(np.nan_to_num(values))
            nearest = np.searchsorted(middle, size, side="left")
            tied = (nearest < len(middle)) & (size == middle[np.minimum(nearest, len(middle) - 1)])
            nearest += tied & (nearest % 2 == 1)
            code = np.where(np.isnan(values), half - 1, finite[nearest])
            return (code + half * (np.signbit(values) & ~np.isnan(values))).astype(np.uint8)
        codes = values.astype({"f64": "<f8", "f32": "<f4", "tf32": "<f4", "f16": "<f2"}[name]).view(CODES[BITS[name]])
        codes[np.isnan(values)] = (1 << (BITS[name] - 1)) - 1
        return codes


# ---- Files: an array is one after the other of its codes ----

HEADER = 128


def read_codes(path, bits):
    data = np.fromfile(path, dtype=np.uint8, offset=HEADER)
    if bits != 4:
        return data.view(CODES[bits]).copy()
    return np.stack([data & 15, data >> 4], axis=-1).reshape(-1) # the low nibble first


def write_codes(path, codes, bits):
    if bits == 4:
        codes = codes[0::2] | codes[1::2] << 4
    with open(path, "r+b") as file:
        file.seek(HEADER)
        file.write(np.ascontiguousarray(codes).tobytes())


# ---- Problems ----


class Problem:
    """The product that a kernel should compute, and the addresses of its operands. By default A is M x K row-major, B
    is stored N x K."""

    def __init__(self, m=64, n=64, k=64, a="f16", b=None, d="f32", accumulator=None, layout="tn", lda=0, ldb=0, ldd=0, c=False, alpha=1, beta=1,
                 bias=None, instruction=None, batch=1, shared="", gap=0, guard=0):
        self.m, self.n, self.k = m, n, k
        self.a, self.b, self.d = a, b or a, d
        self.accumulator = accumulator or ("s32" if a in ("s8", "u8", "s4", "u4") else "f64" if a == "f64" else "f32")
        self.layout = layout # of A and B, as BLAS has them for column-major D: "tn" is K-contiguous for both
        self.lda = lda or (k if layout[0] == "t" else m)
        self.ldb = ldb or (k if layout[1] == "n" else n)
        self.ldd = ldd or n
        self.c, self.alpha, self.beta, self.bias = c, alpha, beta, bias
        self.instruction, self.guard = instruction, guard
        self.batch, self.shared = batch, shared # shared: the operand of which all batches have the same, "a" or "b"
        lines = {"a": m if layout[0] == "t" else k, "b": n if layout[1] == "n" else k, "d": m}
        self.stride = {x: 0 if x == shared else (lines[x] + gap) * ld for x, ld in (("a", self.lda), ("b", self.ldb), ("d", self.ldd))}

    def address_a(self, m, k):
        return m * self.lda + k if self.layout[0] == "t" else k * self.lda + m

    def address_b(self, n, k):
        return n * self.ldb + k if self.layout[1] == "n" else k * self.ldb + n

    def address_d(self, m, n):
        return m * self.ldd + n

    def rows(self, operand):
        return self.m if operand == "a" else self.n

    def is_k_contiguous(self, operand):
        return self.layout[0] == "t" if operand == "a" else self.layout[1] == "n"


ZERO = -1


def gather(codes, addresses, name):
    """The numbers at these addresses; 0 at ZERO. Whatever is outside of the array reads it from its beginning again."""
    values = decode(codes, name)[addresses % len(codes)]
    return np.where(addresses == ZERO, 0.0, values)


def accumulate(p, a, b, step=16):
    """A times B^T in steps of K, rounded to the accumulator after each: a [M, K], b [N, K]."""
    total = np.zeros((a.shape[0], b.shape[0]))
    with np.errstate(invalid="ignore", over="ignore"):
        for k in range(0, a.shape[1], step):
            total = total + a[:, k : k + step] @ b[:, k : k + step].T
            if p.accumulator in ("f32", "f16"):
                total = total.astype({"f32": np.float32, "f16": np.float16}[p.accumulator]).astype(float)
    return total


# ---- A kernel of mma ----


class Mma:
    """A kernel of mma.m16n8: which element of A and B the tensor core gets where, and which accumulator is stored where.

    The keywords are mistakes, each a function that replaces the right one; `a_` and `b_` in front mean the operand:

        a_global(p, row, k)          address of an element in global memory
        a_inside(p, row, k)          whether it is loaded, or zero
        a_put(line, chunk)           the chunk of 16 bytes in a line of shared memory where it is put: the swizzle
        a_get(line, chunk)           the chunk where it is read
        a_stage(stage)               the stage of shared memory that a step reads
        a_lanes(lane, fragment, step) -> (line, chunk)   the address that a lane gives to ldmatrix
        a_trans                      ldmatrix with .trans
        a_registers(tokens)          tokens[..., lane, register, j], exchanged
        a_fragment(fragment)         which fragment of the tile a warp loads
        store(fm, fn, lane, i) -> (row, column)   where an accumulator belongs in D
        d_global(p, row, column), d_inside(p, row, column)
        steps(k)                     the k that are multiplied, in order; may repeat
        value(p, sums, rows, columns, images, run)   what is stored
        numbers(values, operand)     what the tensor core makes of the numbers of an operand
        a_type, b_type               the type that the kernel takes an operand for
        elsewhere(m, n)              where the other mistakes happen; elsewhere the kernel is right
    """

    def __init__(self, p, tile=(64, 32, 32), **wrong):
        self.p, self.wrong = p, wrong
        self.e = max(1, 32 // BITS[p.a]) # elements in a register
        self.step = 8 * self.e # K of the mma
        self.bm, self.bn, self.bk = tile[0], tile[1], max(tile[2], 2 * self.step)
        self.a, self.b = self.operand("a", wrong), self.operand("b", wrong)
        self.order = wrong.get("steps", lambda k: k)(np.arange(self.a.shape[1]))
        if "elsewhere" in wrong:
            self.right = Mma(p, tile)

    def operand(self, x, wrong):
        """[row, k] -> address, as the tensor core has it."""
        p, e, step = self.p, self.e, self.step

        def hook(name, default):
            return wrong.get(f"{x}_{name}", default)

        extent, tile = p.rows(x), self.bm if x == "a" else self.bn
        tiles, stages = -(-extent // tile), -(-p.k // self.bk)
        high = 16 if x == "a" else 8
        registers = 4 if x == "a" else 2
        contiguous = p.is_k_contiguous(x)
        # Global to shared memory: [tile, stage, line, chunk, within].
        row = np.arange(tiles * tile).reshape(tiles, 1, tile, 1)
        k = np.arange(stages * self.bk).reshape(1, stages, 1, self.bk)
        address = hook("global", p.address_a if x == "a" else p.address_b)
        address = address(p, row, k) if f"{x}_global" in wrong else address(row, k)
        inside = hook("inside", lambda p, row, k: (row < extent) & (k < p.k))(p, row, k)
        tokens = np.where(inside, address, ZERO)
        if not contiguous:
            tokens = tokens.swapaxes(2, 3)
        per_chunk = 4 * e
        tokens = tokens.reshape(*tokens.shape[:3], tokens.shape[3] // per_chunk, per_chunk)
        lines, chunks = np.ogrid[: tokens.shape[2], : tokens.shape[3]]
        memory = np.full_like(tokens, ZERO)
        swizzle = lambda line, chunk: chunk ^ line % min(8, tokens.shape[3]) # noqa: E731
        memory[:, :, lines, hook("put", swizzle)(lines, chunks)] = tokens[:, :, lines, chunks]
        memory = memory[:, hook("stage", lambda stage: stage)(np.arange(stages)) % stages]
        # Shared memory to registers: [tile, stage, fragment, step, lane, register, j].
        fragment = np.arange(tile // high).reshape(-1, 1, 1, 1, 1)
        in_stage = np.arange(self.bk // step).reshape(1, -1, 1, 1, 1)
        lane = np.arange(32).reshape(1, 1, -1, 1, 1)
        register = np.arange(registers).reshape(1, 1, 1, -1, 1)
        j = np.arange(e)
        trans = hook("trans", not contiguous)
        loaded = hook("fragment", lambda fragment: fragment)(fragment)
        if contiguous or e == 2:
            if contiguous and x == "a":
                lanes = lambda lane, fragment, step: (fragment * 16 + lane % 16, step * 2 + lane // 16) # noqa: E731
            elif contiguous:
                lanes = lambda lane, fragment, step: (fragment * 8 + lane % 8, step * 2 + lane // 8 % 2) # noqa: E731
            elif x == "a":
                lanes = lambda lane, fragment, step: (step * 16 + lane % 8 + lane // 16 * 8, fragment * 2 + lane // 8 % 2) # noqa: E731
            else:
                lanes = lambda lane, fragment, step: (step * 16 + lane % 16, fragment + 0 * lane) # noqa: E731
            giver = 8 * register + (e * (lane % 4) + j if trans else lane // 4)
            line, chunk = hook("lanes", lanes)(giver, loaded, in_stage)
            within = lane // 4 if trans else e * (lane % 4) + j
        else:
            high_k = e * (lane % 4) + j + (4 * e * (register // 2) if x == "a" else 4 * e * register)
            line = in_stage * step + high_k
            r = loaded * high + lane // 4 + (8 * (register % 2) if x == "a" else 0)
            chunk, within = r // per_chunk, r % per_chunk
        got = memory[:, :, line, hook("get", swizzle)(line, chunk), within]
        got = hook("registers", lambda tokens: tokens)(np.broadcast_to(got, (tiles, stages, tile // high, self.bk // step, 32, registers, e)))
        # The types with which the tensor core reads the operands.
        result = np.full((tiles * tile, stages * self.bk), ZERO)
        t = np.arange(tiles).reshape(-1, 1, 1, 1, 1, 1, 1) * tile
        s = np.arange(stages).reshape(1, -1, 1, 1, 1, 1, 1) * self.bk
        group, inside = lane // 4, e * (lane % 4) + j
        at_row = group + (8 * (register % 2) if x == "a" else 0)
        at_k = inside + 4 * e * (register // 2 if x == "a" else register)
        result[t + fragment * high + at_row, s + in_stage * step + at_k] = got
        return result

    def stored(self):
        """For every accumulator: its row and column in the product, and the row and column of D that the kernel stores it to."""
        m, n = self.a.shape[0], self.b.shape[0]
        fm, fn = np.arange(m // 16).reshape(-1, 1, 1, 1), np.arange(n // 8).reshape(1, -1, 1, 1)
        lane, i = np.arange(32).reshape(-1, 1), np.arange(4)
        right = lambda fm, fn, lane, i: (fm * 16 + lane // 4 + 8 * (i // 2), fn * 8 + 2 * (lane % 4) + i % 2) # noqa: E731
        shape = (m // 16, n // 8, 32, 4)
        source = [np.broadcast_to(each, shape).ravel() for each in right(fm, fn, lane, i)]
        target = [np.broadcast_to(each, shape).ravel() for each in self.wrong.get("store", right)(fm, fn, lane, i)]
        return source, target

    def __call__(self, images, run=0):
        p, wrong = self.p, self.wrong
        numbers = wrong.get("numbers", lambda values, operand: values)
        a = numbers(gather(images["A"], self.a[:, self.order], wrong.get("a_type", p.a)), "a")
        b = numbers(gather(images["B"], self.b[:, self.order], wrong.get("b_type", p.b)), "b")
        sums = accumulate(p, a, b, self.step)
        if "elsewhere" in wrong:
            right = self.right
            m, n = np.ogrid[: sums.shape[0], : sums.shape[1]]
            correct = accumulate(p, gather(images["A"], right.a, p.a), gather(images["B"], right.b, p.b), self.step)
            sums = np.where(wrong["elsewhere"](m, n), sums, correct)
        (m, n), (row, column) = self.stored()
        inside = wrong.get("d_inside", lambda p, row, column: (row < p.m) & (column < p.n))(p, row, column)
        row, column, sums = row[inside], column[inside], sums[m, n][inside]
        address = wrong["d_global"](p, row, column) if "d_global" in wrong else p.address_d(row, column)
        kept = (address >= 0) & (address < len(images["D"]))
        row, column, sums, address = row[kept], column[kept], sums[kept], address[kept]
        values = wrong.get("value", finish)(p, sums, row, column, images, run)
        images["D"][address] = encode(values, p.d)


def finish(p, sums, row, column, images, run=0):
    """alpha * sums + beta * C + bias."""
    values = p.alpha * sums
    if p.c:
        values = values + p.beta * decode(images["C"], p.d)[row * p.ldd + column]
    if p.bias:
        values = values + decode(images["bias"], p.d)[row if p.bias == "row" else column]
    return values


def matmul(p):
    """A right kernel without fragments: one product of whole matrices."""
    def kernel(images, run=0):
        m, n, k = np.arange(p.m).reshape(-1, 1), np.arange(p.n).reshape(-1, 1), np.arange(p.k)
        sums = accumulate(p, decode(images["A"], p.a)[p.address_a(m, k)], decode(images["B"], p.b)[p.address_b(n, k)])
        row, column = np.broadcast_arrays(m, n.T)
        images["D"][p.address_d(row, column)] = encode(finish(p, sums, row, column, images), p.d)
    return kernel


def batched(p, kernel, *, a=lambda b: b, b=lambda b: b, d=lambda b: b, a_stride=None, b_stride=None, d_stride=None, only=None):
    """A kernel for a batch of products, each by `kernel`, or by kernel(batch) if it is a list. a, b and d: the batch of
    an operand that the kernel uses for a batch; strides: the batch strides that it uses; only: the batches that it
    computes."""
    stride = {"A": p.stride["a"] if a_stride is None else a_stride, "B": p.stride["b"] if b_stride is None else b_stride,
              "C": p.stride["d"], "D": p.stride["d"] if d_stride is None else d_stride}

    def run_all(images, run=0):
        for batch in only or range(p.batch):
            at = {"A": a(batch), "B": b(batch), "C": batch, "D": d(batch)}
            part = {role: np.roll(codes, -at[role] * stride[role]) if role in "ABC" else codes for role, codes in images.items()}
            part["D"] = images["D"][at["D"] * stride["D"] :]
            (kernel[batch] if isinstance(kernel, list) else kernel)(part, run)
    return run_all


# ---- Copies ----


class Copy:
    """D(row, column) = A(row, column), each row- or column-major. A kernel reads `source` and writes `target`."""

    def __init__(self, m=64, n=64, kind="f16", a_layout="row", d_layout="row", lda=0, ldd=0, guard=0):
        self.m, self.n, self.a, self.d = m, n, kind, kind
        self.a_layout, self.d_layout, self.guard = a_layout, d_layout, guard
        self.lda = lda or (n if a_layout == "row" else m)
        self.ldd = ldd or (n if d_layout == "row" else m)

    def address_a(self, row, column):
        return row * self.lda + column if self.a_layout == "row" else column * self.lda + row

    def address_d(self, row, column):
        return row * self.ldd + column if self.d_layout == "row" else column * self.ldd + row


def move(p, source=lambda row, column: (row, column), target=lambda row, column: (row, column), read=None, write=None, inside=None, bits=None):
    """A kernel that copies source(row, column) to target(row, column), or from and to the addresses read and write. bits changes codes."""
    row, column = (each.ravel() for each in np.mgrid[: p.m, : p.n])
    if inside:
        kept = inside(row, column)
        row, column = row[kept], column[kept]
    from_, to = (read or p.address_a)(*source(row, column)), (write or p.address_d)(*target(row, column))

    def kernel(images, run=0):
        kept = to < len(images["D"])
        codes = images["A"][from_[kept] % len(images["A"])]
        images["D"][to[kept]] = bits(codes) if bits else codes
    kernel.holds = {} if bits else dict(zip(to.tolist(), from_.tolist())) # offset in D -> offset in A
    return kernel


# ---- The zoo ----

# Each wrong kernel: its name, its problem, a function that makes it, and the expected findings, regular
# expressions separated by "; ". A finding may name any mistake with the same effect. "" if the mistake is found, but not named.
ZOO = []


def wrong(name, expected, problem=None, **mistakes):
    p = Problem(**(problem or {}))
    ZOO.append((name, p, lambda: Mma(p, **mistakes), expected))


def take(*order):
    """Registers in another order: register r of the fragment gets what belongs to order[r]."""
    return lambda tokens: tokens[..., list(order), :]


def reverse(tokens):
    """The elements of each register from the highest bits to the lowest."""
    return tokens[..., ::-1]


def flip_j(bit):
    return lambda tokens: tokens[..., np.arange(tokens.shape[-1]) ^ bit]


def put_d(row=lambda m, n: m, column=lambda m, n: n):
    """A store to row(m, n), column(m, n) of D, where (m, n) is right."""
    def store(fm, fn, lane, i):
        m, n = np.broadcast_arrays(fm * 16 + lane // 4 + 8 * (i // 2), fn * 8 + 2 * (lane % 4) + i % 2)
        return row(m, n), column(m, n)
    return store


K_8 = r"meets k \^ 8 of" # A of B, or B of A, which is the same
ROW_8 = r"result for \(row \^ 8, col\)"
plain = lambda line, chunk: chunk # noqa: E731

# Registers and elements of fragments.
wrong("registers 1 and 2 of A exchanged", r"A moved; as if registers 1 and 2 of A were exchanged in each thread \(mma.m16n8k16\)", a_registers=take(0, 2, 1, 3))
wrong("registers 0 and 1 of A exchanged", ROW_8 + "; as if registers 0 and 1, 2 and 3 of A were exchanged", a_registers=take(1, 0, 3, 2))
wrong("registers 0 and 2 of A exchanged", K_8 + "; as if registers 0-1 and 2-3 of A were exchanged", a_registers=take(2, 3, 0, 1))
wrong("registers 0 and 3 of A exchanged", "A moved; as if registers 0 and 3 of A were exchanged", a_registers=take(3, 1, 2, 0))
wrong("registers of B exchanged", K_8 + "; as if registers 0 and 1 of B were exchanged; as if registers 0-1 and 2-3 of A were", b_registers=take(1, 0))
wrong("register 1 of B is register 0", "k moved; as if register 1 of B were register 0 in each thread; 2048 of 4096 elements of B never reach D", b_registers=take(0, 0))
wrong("halves of the registers of A exchanged", r"meets k \^ 1 of; as if the halves of each word of A were exchanged; elements 0 and 1, 2 and 3 of B were exchanged", a_registers=reverse)
wrong("halves of the registers of B exchanged, bf16", r"meets k \^ 1 of; as if elements 0 and 1, 2 and 3 of B were exchanged", {"a": "bf16"}, b_registers=reverse)
wrong("bytes of A from high to low, s8", r"meets k \^ 3 of; as if the bytes of each word of A were in reverse order", {"a": "s8", "d": "s32"}, a_registers=reverse)
wrong("bytes 1 and 2 of B exchanged, e4m3", "k moved; as if elements 1 and 2, 5 and 6 of B were exchanged", {"a": "e4m3"}, b_registers=lambda t: t[..., [0, 2, 1, 3]])
wrong("nibbles of A exchanged, s4", r"meets k \^ 1 of; as if the nibbles of each byte of A were exchanged", {"a": "s4", "d": "s32", "k": 128}, a_registers=flip_j(1))
wrong("nibbles of B exchanged, e2m1", r"meets k \^ 1 of; as if the nibbles of each byte of B were exchanged", {"a": "e2m1", "k": 128}, b_registers=flip_j(1))
wrong("registers of A exchanged, tf32", r"meets k \^ 4 of; as if elements 0-1 and 2-3 of A were exchanged in each thread \(mma.m16n8k8\)", {"a": "tf32"}, a_registers=take(2, 3, 0, 1))
wrong("fragment of A as that of m16n8k8, twice", "k moved; as if registers 2-3 of A were registers 0-1", a_registers=lambda t: t[..., [0, 1, 0, 1], :])
wrong("accumulators 1 and 2 exchanged", "D moved; as if elements 1 and 2 of D were exchanged in each thread", store=lambda fm, fn, l, i: (fm * 16 + l // 4 + 8 * (i % 2), fn * 8 + 2 * (l % 4) + i // 2))
wrong("accumulators 0 and 1 exchanged", r"result for \(row, col \^ 1\); as if elements 0 and 1, 2 and 3 of D were exchanged", store=lambda fm, fn, l, i: (fm * 16 + l // 4 + 8 * (i // 2), fn * 8 + 2 * (l % 4) + 1 - i % 2))
wrong("accumulators 0 and 2 exchanged", ROW_8 + "; as if elements 0-1 and 2-3 of D were exchanged; lanes 0-7 and 8-15, 16-23 and 24-31 of ldmatrix for A gave each other's", store=lambda fm, fn, l, i: (fm * 16 + l // 4 + 8 - 8 * (i // 2), fn * 8 + 2 * (l % 4) + i % 2))

wrong("accumulators 1 and 2 exchanged, wgmma", r"as if elements 1 and 2 of each 4 of D were exchanged in each thread \(wgmma.m64n64k16\)\n +2048", {"instruction": "wgmma.m64n64k16"},
      store=lambda fm, fn, l, i: (fm * 16 + l // 4 + 8 * (i % 2), fn * 8 + 2 * (l % 4) + i // 2))
wrong("registers 0 and 1 of A exchanged, m16n8k8", r"m16n8k8\)\n.*as if elements 0-1 and 2-3 of D were exchanged in each thread \(mma.m16n8k8\)\n +4096",
      {"instruction": "mma.m16n8k8"}, a_registers=take(1, 0, 3, 2))

# wmma, sm_75 and later. A is that of mma.m16n8k16. B[k, n]: register bit 0 is k + 8, bit 1 is n + 8. D: bit 1 of the element is row + 8, bit 2 col + 8.
WMMA = {"instruction": "wmma.m16n16k16"}
wrong("registers 1 and 2 of A exchanged, wmma", r"A moved; as if registers 1 and 2 of A were exchanged in each thread \(wmma.m16n16k16\)", WMMA, a_registers=take(0, 2, 1, 3))
wrong("registers 1 and 2 of B exchanged, wmma", r"B moved; as if registers 1 and 2 of B were exchanged in each thread \(wmma.m16n16k16\)", WMMA,
      b_global=lambda p, n, k: p.address_b(n & ~8 | k & 8, k & ~8 | n & 8))
wrong("elements 2-3 and 4-5 of D exchanged, wmma", r"D moved; as if elements 2-3 and 4-5 of D were exchanged in each thread \(wmma.m16n16k16\)", WMMA,
      store=lambda fm, fn, l, i: (fm * 16 + l // 4 + 8 * (fn % 2), fn // 2 * 16 + 8 * (i // 2) + 2 * (l % 4) + i % 2))
wrong("lanes 0-15 and 16-31 exchanged in B, wmma", r"as if lanes 0-15 and 16-31 of B were exchanged \(wmma.m16n16k16\)", WMMA, b_global=lambda p, n, k: p.address_b(n ^ 4, k))
wrong("wmma.load of A with .col", r"A moved; as if wmma.load had .col instead of .row for A \(wmma.m16n16k16\)", WMMA,
      a_global=lambda p, m, k: p.address_a(m & ~15 | k & 15, k & ~15 | m & 15))
wrong("blocks of 8 x 8 of A transposed, wmma", r"\A(?![\s\S]*wmma.load)", WMMA, a_global=lambda p, m, k: p.address_a(m & ~7 | k & 7, k & ~7 | m & 7))
wrong("wmma.load of B with .row, s8", r"B moved; as if wmma.load had .row instead of .col for B \(wmma.m16n16k16\)", {**WMMA, "a": "s8", "d": "s32"},
      b_global=lambda p, n, k: p.address_b(n & ~15 | k & 15, k & ~15 | n & 15))
wrong("wmma.store of D with .col", r"as if wmma.store had .col instead of .row for D \(wmma.m16n16k16\)", WMMA,
      store=lambda fm, fn, l, i: (fm * 16 + fn % 2 * 8 + 2 * (l % 4) + i % 2, fn // 2 * 16 + l // 4 + 8 * (i // 2)))

# wmma on sm_70 (results/wmma.txt). A: row = t0 t1 t4 t2, column = i; each element twice, in lanes that differ by 8. D: bits of the row are t0 i1 t4 t2,
# of the column i0 t1 i2 t3. The same for B, of which rows and columns are exchanged: column = t0 t1 t4 t3, k = i; twice, in lanes that differ by 4.
wrong("elements 1 and 2 of D exchanged, wmma on sm_70", r"as if elements 1 and 2, 5 and 6 of D were exchanged in each thread \(wmma.m16n16k16 on sm_70\)", WMMA,
      store=put_d(row=lambda m, n: m & ~2 | n % 2 * 2, column=lambda m, n: n & ~1 | m // 2 % 2))
wrong("lanes n and n ^ 4 exchanged in A, wmma on sm_70", r"as if lanes 0-3 and 4-7 of each 8 of A were exchanged \(wmma.m16n16k16 on sm_70\)", WMMA,
      a_global=lambda p, m, k: p.address_a(m ^ 8, k))
wrong("elements 4-7 and 8-11 of A exchanged, wmma on sm_70", r"as if registers 2-3 and 4-5 of A were exchanged in each thread \(wmma.m16n16k16 on sm_70\)", WMMA,
      a_global=lambda p, m, k: p.address_a(m, k & ~12 | (k & 4) * 2 | (k & 8) // 2))

# tf32 and f64. A of mma.m16n8k4: row = t2 t3 t4 i0, k = t0 t1. D of f64 as above. wmma.m16n16k8 of tf32: row of A = t2 t3 t4 i0, k = t0 t1 i1. m8n8k4 of f64: row = t2 t3 t4, k = t0 t1.
wrong("elements of A exchanged, mma.m16n8k4", r"as if elements 0 and 1 of A were exchanged in each thread \(mma.m16n8k4\)", {"a": "tf32", "instruction": "mma.m16n8k4"},
      a_global=lambda p, m, k: p.address_a(m ^ 8, k))
wrong("elements 1 and 2 of A exchanged, wmma of tf32", r"as if elements 1 and 2 of A were exchanged in each thread \(wmma.m16n16k8\)", {"a": "tf32", "instruction": "wmma.m16n16k8"},
      a_global=lambda p, m, k: p.address_a(m & ~8 | (k & 4) * 2, k & ~4 | (m & 8) // 2))
F64 = {"a": "f64", "d": "f64", "m": 16, "n": 16, "k": 16}


def of_f64(name, expected, instruction, row=lambda m, k: m, k=lambda m, k: k, column=lambda m, n: n):
    """A kernel of f64 that reads A(row, k) for A, and stores D to another column."""
    p = Problem(**F64, instruction=instruction)

    def kernel(images, run=0):
        m, n = np.mgrid[: p.m, : p.n]
        a, b = decode(images["A"], p.a)[p.address_a(row(m, n), k(m, n))], decode(images["B"], p.b)[p.address_b(m, n)]
        images["D"][p.address_d(m, column(m, n))] = encode(a @ b.T, p.d)
    ZOO.append((name, p, lambda: kernel, expected))


of_f64("lanes 0-3 and 4-7 of A exchanged, f64", r"as if lanes 0-3 and 4-7 of each 8 of A were exchanged \(mma.m8n8k4\)", "mma.m8n8k4", row=lambda m, k: m ^ 1)
of_f64("elements of D exchanged, f64", r"as if elements 0 and 1 of D were exchanged in each thread \(mma.m8n8k4\)", "mma.m8n8k4", column=lambda m, n: n ^ 1)
of_f64("elements of D exchanged, wmma of f64", r"as if elements 0 and 1 of D were exchanged in each thread \(wmma.m8n8k4\)", "wmma.m8n8k4", column=lambda m, n: n ^ 1)
of_f64("elements of A exchanged, f64 of sm_90", r"as if elements 0 and 1 of A were exchanged in each thread \(mma.m16n8k4\)", "mma.m16n8k4", row=lambda m, k: m ^ 8)

# Lanes.
wrong("groups and threads of a group exchanged in B", r"B moved; as if lane n of B were lane \(\(n & 28\) >> 2\) \^ \(\(n & 3\) << 3\)", b_registers=lambda t: t[..., np.arange(32) % 4 * 8 + np.arange(32) // 4, :, :])
wrong("lanes 0-15 and 16-31 exchanged in D", r"result for \(row \^ 4, col\); as if lanes 0-15 and 16-31 of D were exchanged", store=lambda fm, fn, l, i: (fm * 16 + (l ^ 16) // 4 + 8 * (i // 2), fn * 8 + 2 * (l % 4) + i % 2))
wrong("lanes 8-15 and 16-23 exchange addresses of ldmatrix", "A moved; as if lanes 8-15 and 16-23 of ldmatrix for A gave each other's addresses", a_lanes=lambda l, f, s: (f * 16 + l % 8 + l // 16 * 8, s * 2 + l // 8 % 2))
wrong("lanes 0-7 and 8-15 exchange addresses of ldmatrix", ROW_8 + "; as if lanes 0-7 and 8-15, 16-23 and 24-31 of ldmatrix for A gave each other's", a_lanes=lambda l, f, s: (f * 16 + (l ^ 8) % 16, s * 2 + l // 16))
wrong("lanes 16-31 give the addresses of lanes 0-15", "k moved; as if lanes 16-31 of ldmatrix for A gave the addresses of lanes 0-15", a_lanes=lambda l, f, s: (f * 16 + l % 16, s * 2 + 0 * l))
wrong("rows of ldmatrix in reverse order", r"result for \(row \^ 7, col\); as if lane n of ldmatrix for A gave the addresses of lane n \^ 7", a_lanes=lambda l, f, s: (f * 16 + l % 16 // 8 * 8 + 7 - l % 8, s * 2 + l // 16))
wrong(".trans is missing for B", "B moved; as if ldmatrix lacked .trans for B", {"layout": "tt"}, b_trans=False)
wrong(".trans is missing for A", "A moved; as if ldmatrix lacked .trans for A", {"layout": "nn"}, a_trans=False)
wrong(".trans too much for B", "B moved; as if ldmatrix had .trans for B", b_trans=True)
wrong(".trans too much for A", "A moved; as if ldmatrix had .trans for A", a_trans=True)

# Swizzles.
wrong("no swizzle where A is read", "A moved; as if A had a swizzle of 64 bytes on only one side of shared memory", a_get=plain)
wrong("no swizzle where B is written", "B moved; as if B had a swizzle of 64 bytes on only one side", b_put=plain)
wrong("swizzle of 32 bytes for one of 64 in A", "A moved; as if A had different swizzles on both sides of shared memory", a_get=lambda line, chunk: chunk ^ line % 2)
wrong("swizzle by line / 2 where B is read", "B moved; as if B had different swizzles on both sides", b_get=lambda line, chunk: chunk ^ line // 2 % 4)

# Warps and tiles.
wrong("two warps exchange their rows of A", r"result for \(row \^ 32, col\); as if blocks of 32 rows of A were exchanged between warps; as if blocks of 32 rows of D", a_fragment=lambda f: f ^ 2)
wrong("two warps exchange their columns of B", r"result for \(row, col \^ 16\); as if blocks of 16 columns of B were exchanged between warps", b_fragment=lambda f: f ^ 2)
wrong("all warps load the rows of the first", r"rows moved; 2048 of 4096 elements of A never reach D", a_fragment=lambda f: f % 2)
wrong("rows of warpgroups exchanged", r"result for \(row \^ 64, col\); as if blocks of 64 rows of D were exchanged between warpgroups", {"m": 128}, store=put_d(row=lambda m, n: m ^ 64))
wrong("rows of warps in reverse order", r"result for \(row \^ 48, col\); as if blocks of 16 rows of D were exchanged between warps, n with n \^ 3; threads 0-31 and 96-127, 32-63 and 64-95 of D were exchanged \(wgmma", store=put_d(row=lambda m, n: m // 16 % 4 * -16 + 48 + m % 16))
wrong("epilogue a tile of 8 columns too far", r"result for \(row, col - 8\)", store=put_d(column=lambda m, n: n + 8))
wrong("epilogue a tile of 16 rows too far", r"result for \(row - 16, col\)", store=put_d(row=lambda m, n: m + 16))
wrong("one row of A is another one", r"result for \(0, col\) where row == 8\n  64 elements", a_global=lambda p, m, k: p.address_a(np.where(m == 8, 0, m), k))
wrong("one column of B is another one", r"result for \(row, 20\) where col == 16\n  64 elements", b_global=lambda p, n, k: p.address_b(np.where(n == 16, 20, n), k))
wrong("one k of few is missing", "missing terms: terms are not added where k == 8$", steps=lambda k: np.delete(k, 8))
wrong("epilogue a row too far", r"result for \(row - 1, col\)", store=put_d(row=lambda m, n: m + 1), d_inside=lambda p, r, c: (r < p.m) & (c < p.n))
wrong("the right half of the tile has another fragment", "A moved.* where .*col; as if registers 1 and 2 of A were exchanged", a_registers=take(0, 2, 1, 3), elsewhere=lambda m, n: n % 32 >= 16)
wrong("one warp of four has another fragment", "moved; as if registers 0 and 1 of B were exchanged", b_registers=take(1, 0), elsewhere=lambda m, n: (n % 32 >= 16) & (m % 64 >= 32))
wrong("one fragment of all is wrong", "moved; as if registers 0 and 1 of B were exchanged", a_registers=take(2, 3, 0, 1), elsewhere=lambda m, n: (n // 8 == 3) & (m // 16 == 1))

# Stages and K.
wrong("stages exchanged in A", r"meets k \^ 32 of; as if the halves of K were exchanged in A; in B", a_stage=lambda s: s ^ 1)
wrong("two of four stages exchanged in A", r"meets k \^ 32 of; as if stages of 32 k were exchanged in A", {"k": 128}, a_stage=lambda s: s ^ 1)
wrong("B is read a stage late", "k moved: k of A meets k - 32 of B where k >= 64", {"k": 128}, b_stage=lambda s: np.maximum(s - 1, 0))
wrong("halves of K exchanged in B", r"meets k \^ 64 of; as if the halves of K were exchanged in B", {"k": 128}, b_global=lambda p, n, k: p.address_b(n, k ^ 64))
wrong("the last stage is not multiplied", "k|terms", steps=lambda k: k[:-32])
wrong("the last step of 16 is multiplied twice", "k|terms|twice", steps=lambda k: np.concatenate([k, k[-16:]]))
wrong("the second half of a split K is missing", "k|terms", {"k": 128}, steps=lambda k: k[:64])
wrong("all of K is added twice", "twice", steps=lambda k: np.concatenate([k, k]))
wrong("the rest of K is left out", "k|terms", {"k": 72}, steps=lambda k: k[:64])
wrong("A and B have K in different orders", r"meets k \^ 7 of", a_global=lambda p, m, k: p.address_a(m, k ^ 5), b_global=lambda p, n, k: p.address_b(n, k ^ 2))

# Mistakes in a small part of a large K.
LARGE = {"k": 1024}


def at_stage(first, last, change):
    """The k that a kernel reads if it changes those of one stage."""
    return lambda k: np.where((k >= first) & (k < last), change(k), k)


wrong("k of one stage of 16 exchanged", r"meets k \^ 8 of . where 1024 <= k < 1040; as if registers 0 and 1 of B were exchanged", {**LARGE, "k": 2048},
      a_global=lambda p, m, k: p.address_a(m, at_stage(1024, 1040, lambda k: k ^ 8)(k)))
wrong("one stage of 16 is read twice", "(terms are not added|k.* meets k - 16) .*768 <= k < 784", LARGE,
      a_global=lambda p, m, k: p.address_a(m, at_stage(768, 784, lambda k: k - 16)(k)), b_global=lambda p, n, k: p.address_b(n, at_stage(768, 784, lambda k: k - 16)(k)))
wrong("A of one stage of 16 is that of the stage before", r"k moved: k of (B meets k - 16 of A where 768 <= k < 784|A meets k \+ 16 of B)", LARGE,
      a_global=lambda p, m, k: p.address_a(m, at_stage(768, 784, lambda k: k - 16)(k)))
wrong("the last 16 of K are missing", "missing terms: terms are not added where k >= 1008", LARGE, steps=lambda k: k[:-16])
wrong("one k is missing", "missing terms: terms are not added where k == 77", LARGE, steps=lambda k: np.delete(k, 77))
wrong("registers 1 and 2 of A exchanged in one stage of 32", r"A moved.* where 512 <= k < 544; as if registers 1 and 2 of A were exchanged", {**LARGE, "m": 128, "n": 128},
      a_global=lambda p, m, k: p.address_a(np.where(k // 32 == 16, m & ~8 | k & 8, m), np.where(k // 32 == 16, k & ~8 | m & 8, k)))
wrong("the last 64 of K are missing, f16", "missing terms: terms are not added where k >= 960", {**LARGE, "d": "f16"}, steps=lambda k: k[:-64])

# Addresses in global memory.
wrong("lda without the padding", "A.* leading dimension 64 instead of 72", {"lda": 72}, a_global=lambda p, m, k: m * 64 + k)
wrong("ldb without the padding", "B.* leading dimension 64 instead of 72", {"ldb": 72}, b_global=lambda p, n, k: n * 64 + k)
wrong("ldd without the padding", r"the kernel writes columns beyond N of D\n  816 elements: ; D is stored as a row-major matrix with leading dimension 64 instead of 80", {"ldd": 80}, d_global=lambda p, m, n: m * 64 + n)
wrong("ldd of another matrix", "D is stored as a row-major matrix with leading dimension 56 instead of 64", {"n": 48, "ldd": 64}, d_global=lambda p, m, n: m * 56 + n)
wrong("rows of D overlap", "D is stored as a row-major matrix with leading dimension 40 instead of 48", {"n": 48}, d_global=lambda p, m, n: m * 40 + n)
wrong("D is stored column-major", "D is stored as a column-major matrix with leading dimension 64$", {"n": 48}, d_global=lambda p, m, n: n * 64 + m)
wrong("A is read transposed", "A transposed", a_global=lambda p, m, k: k * p.lda + m)
wrong("B is read as K x N", "B transposed", b_global=lambda p, n, k: k * p.ldb + n)
wrong("D is stored transposed", "D transposed", d_global=lambda p, m, n: n * p.ldd + m)
wrong("B begins one element too far", "k - 1 of A|B moved|k \\+ 1 of B", {"ldb": 72}, b_global=lambda p, n, k: p.address_b(n, k) + 1)
wrong("A begins an element too early, behind zeros", "k moved: k of B meets k - 1 of A", a_global=lambda p, m, k: p.address_a(m, k - 1), a_inside=lambda p, r, k: (r < p.m) & (k >= 1))
wrong("rows of A begin 8 too late, in front of zeros", r"result for \(row \+ 8, col\)", a_global=lambda p, m, k: p.address_a(m + 8, k), a_inside=lambda p, r, k: r < p.m - 8)
wrong("rows of A are clamped 16 too early", r"result for \(47, col\) where row >= 48", a_global=lambda p, m, k: p.address_a(np.minimum(m, p.m - 17), k))

# Edges.
wrong("the last rows are never written", "never written", d_inside=lambda p, r, c: (r < p.m - 16) & (c < p.n))
wrong("every second column is never written", "never written", d_inside=lambda p, r, c: (r < p.m) & (c < p.n) & (c % 2 == 0))
wrong("columns beyond N are written", r"the kernel writes columns beyond N of D\n  512 elements: \(0, 56\), \(0, 57\), \(0, 58\), ", # 64 rows x 8
      {"n": 56, "ldd": 64}, d_inside=lambda p, r, c: (r < p.m))
wrong("K is not filled with zeros", "the kernel reads k beyond K of A; the kernel reads k beyond K of B", {"k": 56, "lda": 64, "ldb": 64}, a_inside=lambda p, r, k: r < p.m, b_inside=lambda p, r, k: r < p.n)
wrong("A is not filled with zeros", r"Wrong.*\nread outside: the kernel reads k beyond K of A\n  4096 elements: .*\n\Z", {"k": 56, "lda": 64, "ldb": 64}, a_inside=lambda p, r, k: r < p.m)

wrong("K is not filled with zeros, s8", "the kernel reads k beyond K of A; the kernel reads k beyond K of B", {"a": "s8", "d": "s32", "k": 56, "lda": 64, "ldb": 64},
      a_inside=lambda p, r, k: r < p.m, b_inside=lambda p, r, k: r < p.n)
wrong("K is not filled with zeros, B stored K x N", r"Wrong.*\nread outside: the kernel reads k beyond K of B\n  4096 elements: .*\n\Z", {"layout": "tt", "k": 56, "guard": 8},
      b_inside=lambda p, r, k: r < p.n)
wrong("rows of A one too far", r"the kernel reads rows beyond M of A\n  64 elements: \(47, 0\), .*; result for \(row \+ 1, col\)", {"m": 48, "guard": 8},
      a_global=lambda p, m, k: p.address_a(m + 1, k))
wrong("rows beyond M are written", r"the kernel writes rows beyond M of D\n  1024 elements: \(48, 0\), ", {"m": 48, "guard": 32}, d_inside=lambda p, r, c: c < p.n)
wrong("a column of D too far", r"the kernel writes columns beyond N of D\n", {"n": 56, "guard": 2, "layout": "tn", "ldd": 57}, store=put_d(column=lambda m, n: n + 1),
      d_inside=lambda p, r, c: (r < p.m) & (c <= p.n))
wrong("C is read a row too far", "the kernel reads rows beyond M of C", {"c": True, "guard": 4},
      value=lambda p, s, r, c, i, run: s + decode(i["C"], p.d)[(r + 1) * p.ldd + c])

# Values.
wrong("A is read as u8", "elements of A are read as u8", {"a": "s8", "d": "s32"}, a_type="u8")
wrong("B is read as s8", "elements of B are read as s8", {"a": "u8", "d": "s32"}, b_type="s8")
wrong("A is read as u4", "elements of A are read as u4", {"a": "s4", "d": "s32", "k": 128}, a_type="u4")
wrong("e4m3 is read as e5m2", "elements of A are read as e5m2", {"a": "e4m3"}, a_type="e5m2")
wrong("A and B, of bf16, are read as f16", "elements of A are read as f16; elements of B are read as f16", {"a": "bf16"}, a_type="f16", b_type="f16")
wrong("A and B, of e5m2, are read as e4m3", "elements of A are read as e4m3; elements of B are read as e4m3", {"a": "e5m2"}, a_type="e4m3", b_type="e4m3")
wrong("the types of A and B are exchanged", "elements of A are read as e5m2; elements of B are read as e4m3", {"a": "e4m3", "b": "e5m2"}, a_type="e5m2", b_type="e4m3")
wrong("tf32 with the bits of bf16 alone", "elements of A keep only 7 bits behind the point", {"a": "tf32"},
      numbers=lambda v, x: decode((encode(v, "f32") >> np.uint32(16)).astype(np.uint16), "bf16") if x == "a" else v)
wrong("D is rounded to f16", "D is rounded to f16", value=lambda p, s, r, c, i, run: decode(encode(s, "f16"), "f16"))
wrong("D is rounded to bf16", "D is rounded to bf16", value=lambda p, s, r, c, i, run: decode(encode(s, "bf16"), "bf16"))
wrong("results have the other sign", "A B is subtracted instead of added", value=lambda p, s, r, c, i, run: -s)
wrong("negative results become 0", "negative elements of D are 0", value=lambda p, s, r, c, i, run: np.maximum(s, 0))
wrong("results lose their sign", r"elements of D\nsign: D is the absolute value of A B\n.*\n\Z", value=lambda p, s, r, c, i, run: np.abs(s))
wrong("results are NaN", r"elements of D\nNaN in D: D is NaN: the kernel reads outside of A or B, or uninitialized", {"guard": 8}, value=lambda p, s, r, c, i, run: s * np.nan)
wrong("sums overflow f16", r"elements of D\nNaN in D: D is NaN or infinite: sums overflow", {"guard": 8},
      value=lambda p, s, r, c, i, run: decode(encode(s * 64, "f16"), "f16") - decode(encode(s * 63, "f16"), "f16"))
wrong("the old D is added", "what D held before", value=lambda p, s, r, c, i, run: s + decode(i["D"], p.d)[r * p.ldd + c])


def kept(axis, tile):
    """Sums that keep those of the tiles before them in a row or column of tiles."""
    def value(p, s, r, c, i, run):
        sums = np.zeros((p.m, p.n))
        sums[r, c] = s
        tiles = np.moveaxis(sums, axis, 0)
        tiles = tiles.reshape(-1, tile, tiles.shape[1]).cumsum(0).reshape(tiles.shape)
        return np.moveaxis(tiles, 0, axis)[r, c]
    return value


wrong("the accumulator is not set to 0 for each tile of 32 columns",
      r"D\(row, col - 32\) is added to D\(row, col\) where col >= 32: the accumulator is not set to 0 for each tile\n  4096 elements: \(0, 32\), ", {"n": 96},
      value=kept(1, 32))
wrong("the accumulator is not set to 0 for each tile of 16 rows", r"D\(row - 16, col\) is added to D\(row, col\) where row >= 16", value=kept(0, 16))
wrong("alpha is multiplied twice", "twice", value=lambda p, s, r, c, i, run: 2 * s)

# C, alpha, beta and bias.
with_c = {"m": 48, "c": True, "alpha": 2, "beta": -0.5, "bias": "col"}


def more(name, expected, problem, change):
    """A kernel that adds change(p, sums, C, bias, row, column) instead of alpha A B + beta C + bias."""
    def value(p, sums, row, column, images, run):
        c, bias = (decode(images[role], p.d) if role in images else None for role in ("C", "bias"))
        return change(p, sums, c, bias, row, column)
    wrong(name, expected, problem, value=value)


more("C is not added", "C is not added", with_c, lambda p, s, c, b, m, n: 2 * s + b[n])
more("C is added twice", "C is added twice", with_c, lambda p, s, c, b, m, n: 2 * s - c[m * p.ldd + n] + b[n])
more("beta is left out", "C is not multiplied by beta", with_c, lambda p, s, c, b, m, n: 2 * s + c[m * p.ldd + n] + b[n])
more("alpha is left out", "A B is not multiplied by alpha", with_c, lambda p, s, c, b, m, n: s - 0.5 * c[m * p.ldd + n] + b[n])
more("the bias is not added", "the bias is not added", with_c, lambda p, s, c, b, m, n: 2 * s - 0.5 * c[m * p.ldd + n])
more("the bias is added by rows", "the bias is added along the other axis", {"bias": "col"}, lambda p, s, c, b, m, n: s + b[m])
more("the bias is indexed with col % 16", r"the bias at col % 16 is added instead of that at col\n", {"bias": "col"}, lambda p, s, c, b, m, n: s + b[n % 16])
more("a thread adds one bias to both of its columns", r"the bias at col / 2 \* 2 is added", {**with_c, "n": 48}, lambda p, s, c, b, m, n: 2 * s - 0.5 * c[m * p.ldd + n] + b[n // 2 * 2])
more("the bias is that of 8 rows before", r"the bias at row \^ 8 is added", {"bias": "row", "alpha": 0.5}, lambda p, s, c, b, m, n: s / 2 + b[m ^ 8])
more("C is read column-major", "C is read transposed", {"c": True}, lambda p, s, c, b, m, n: s + c[n * p.ldd + m])
wrong("registers 1 and 2 of A exchanged, with C and a bias", "A moved; as if registers 1 and 2 of A were exchanged", {**with_c, "m": 64, "alpha": -4}, a_registers=take(0, 2, 1, 3))
wrong("the old D is added, with C", "what D held before", with_c,
      value=lambda p, s, r, c, i, run: finish(p, s, r, c, i, run) + decode(i["D"], p.d)[r * p.ldd + c])

wrong("a column is wrong in one run alone", "wrong: D is not A B in rows 0 to 63, columns 5 to 5", value=lambda p, s, r, c, i, run: s + ((c == 5) & (run == 1)))

wrong("a column is wrong in one run alone, with a bias", "wrong: D is not A B in rows 0 to 63, columns 5 to 5", {"bias": "col"},
      value=lambda p, s, r, c, i, run: finish(p, s, r, c, i, run) + ((c == 5) & (run == 1)))

more("the bias is multiplied by alpha", "the bias is added twice: alpha is applied to it, too", {"bias": "row", "alpha": 2}, lambda p, s, c, b, m, n: 2 * (s + b[m]))
more("alpha and beta are exchanged", r"factors: A B is multiplied by -0.5 instead of 2; C is multiplied by 2 instead of -0.5", with_c, lambda p, s, c, b, m, n: -0.5 * s + 2 * c[m * p.ldd + n] + b[n])
more("beta is applied twice", "C is multiplied by 0.25 instead of -0.5: beta is applied twice", with_c, lambda p, s, c, b, m, n: 2 * s + 0.25 * c[m * p.ldd + n] + b[n])
more("each of 4 splits of K adds the bias", "the bias is multiplied by 4 instead of 1", {"bias": "col"}, lambda p, s, c, b, m, n: s + 4 * b[n])
more("a constant is added in half of the rows", "constant: -1.5 is added to each element\n +2048", {}, lambda p, s, c, b, m, n: s - 1.5 * (m >= 32))
more("C of the first tile", r"C\(row % 32, col % 32\) is added instead of C\(row, col\)", {"c": True, "n": 48}, lambda p, s, c, b, m, n: s + c[m % 32 * p.ldd + n % 32])
more("C with a swizzle on one side", r"C\(row, col \^ 8\) is added instead", with_c, lambda p, s, c, b, m, n: 2 * s - 0.5 * c[m * p.ldd + (n ^ 8)] + b[n])
more("the bias is that of the next column", r"the bias at col \+ 1 is added", {"bias": "col"}, lambda p, s, c, b, m, n: s + b[np.minimum(n + 1, p.n - 1)])
more("relu before the bias", "negative elements of A B count as 0", {"bias": "col"}, lambda p, s, c, b, m, n: np.maximum(s, 0) + b[n])
more("relu after the bias", "negative elements of D are 0", {"bias": "col"}, lambda p, s, c, b, m, n: np.maximum(s + b[n], 0))
wrong("C is read from D", "what D held before is added instead of C: the kernel reads C from D", with_c,
      value=lambda p, s, r, c, i, run: 2 * s - 0.5 * decode(i["D"], p.d)[r * p.ldd + c] + decode(i["bias"], p.d)[c])
wrong("sums are rounded to f16", "Each term is right by itself, and D has only numbers of f16", value=lambda p, s, r, c, i, run: decode(encode(s + (np.abs(s) > 99), "f16"), "f16"))
wrong("odd k of A are negated", r"sign: terms are subtracted instead of added where \(k & 1\) == 1",
      numbers=lambda v, x: v * (1 - 2 * (np.arange(v.shape[1]) % 2)) if x == "a" else v)
wrong("zeros behind K, and columns of B exchanged", r"result for \(row, col \^ 8\); terms are not added where k >= 152", {"k": 160},
      b_global=lambda p, n, k: p.address_b(n ^ 8, k), b_inside=lambda p, r, k: k < 152)
wrong("rows of tiles are all written to the first", r"never written: .*\n +2048; result for \(row \+ 32, col\)[^;]*\n[^;]*\n +2048 elements", store=put_d(row=lambda m, n: m % 32))

# Batches.
BATCH = {"m": 32, "n": 16, "k": 32, "batch": 4}


def wrong_batch(name, expected, problem=None, mma=None, **mistakes):
    p = Problem(**{**BATCH, **(problem or {})})
    ZOO.append((name, p, lambda: batched(p, mma(p) if mma else Mma(p), **mistakes), expected))


wrong_batch("batches of D exchanged in pairs", r"batches moved: batch b of D holds the result for batch b \^ 1", d=lambda b: b ^ 1)
wrong_batch("A of batch 0 for all batches", r"batches of A moved: batch b reads A of batch 0", a=lambda b: 0)
wrong_batch("A without its batch stride, with rows of padding", r"batches of A moved: batch b reads A of batch 0", {"gap": 8}, a_stride=0)
wrong_batch("B of the next batch", r"batches of B moved: batch b reads B of batch \(b \+ 1\) % 4", b=lambda b: (b + 1) % 4)
wrong_batch("A and B of the batch before", r"batches moved: batch b of D holds the result for batch", a=lambda b: max(b - 1, 0), b=lambda b: max(b - 1, 0))
wrong_batch("the last batch again", r"batches moved: .*batch 2 where b >= 2", a=lambda b: min(b, 2), b=lambda b: min(b, 2))
wrong_batch("A of the wrong batch, and B shared", r"batches moved: batch b of D holds the result for batch b \^ 1", {"shared": "b"}, a=lambda b: b ^ 1)
wrong_batch("B shared although it is not", r"batches of B moved: batch b reads B of batch 0", b_stride=0)
wrong_batch("batch stride of A without its padding", r"batch stride: A\(b, row, k\) is read at offset .* with batch stride 1024 instead of 1280", {"gap": 8}, a_stride=1024)
wrong_batch("batch stride of B without its padding", r"batch stride: B\(b, k, col\) is read at offset .* with batch stride 512 instead of 640", {"ldb": 40}, b_stride=512)
wrong_batch("batch stride of D without its padding", "batch stride: D is stored with batch stride 512 instead of 768", {"ldd": 24}, d_stride=512)
wrong_batch("a batch is never written", r"D of batch 2 is never written\n  512 elements: \(2, 0, 0\), \(2, 0, 1\), ", only=[0, 1, 3])
wrong_batch("the second half of the batches is never written", "D of batches 2 to 3 is never written\n  1024 elements", only=[0, 1])
wrong_batch("rows beyond M of a batch are written", r"the kernel writes rows beyond M of D\n  512 elements: \(0, 32, 0\), \(0, 32, 1\), ", {"gap": 8},
            mma=lambda p: Mma(p, d_inside=lambda p, r, c: (r < p.m + 8) & (c < p.n)), only=[3, 2, 1, 0])
wrong_batch("registers 1 and 2 of A exchanged, in all batches", "A moved; as if registers 1 and 2 of A were exchanged", mma=lambda p: Mma(p, a_registers=take(0, 2, 1, 3)))
wrong_batch("registers of B exchanged, in the last batch", r"k moved: .* where b == 3; as if registers 0 and 1 of B were exchanged",
            mma=lambda p: [Mma(p)] * 3 + [Mma(p, b_registers=take(1, 0))])
wrong_batch("lda without the padding, in all batches", "A.* leading dimension 32 instead of 40", {"lda": 40}, mma=lambda p: Mma(p, a_global=lambda p, m, k: m * 32 + k))
wrong_batch("D is stored transposed in each batch", "D transposed", {"m": 16}, mma=lambda p: Mma(p, d_global=lambda p, m, n: n * p.ldd + m))
wrong_batch("C of a batch is added twice", "C is added twice", {"c": True}, mma=lambda p: Mma(p, value=lambda p, s, m, n, i, run: s + 2 * decode(i["C"], p.d)[m * p.ldd + n]))

# Races.
ALONE = r"Wrong: \d+ of 4096 elements of D\n%s.*\n  \d+ elements?: .*\n\Z" # no other finding
wrong("a race: A is sometimes read a stage early", ALONE % "two runs differ: .* in rows 0 to 63, columns 0 to 63: a race",
      value=lambda p, s, r, c, i, run: s + (np.random.default_rng(run).random(s.shape) < 0.01))
wrong("a race of the last warp, and its rows are exchanged", ALONE % "two runs differ: .* in rows 48 to 63, columns 32 to 63: a race", store=put_d(row=lambda m, n: m ^ 8),
      value=lambda p, s, r, c, i, run: s + ((np.random.default_rng(run).random(s.shape) < 0.1) & (r >= 48) & (c >= 32)))


# Copies: as ZOO.
COPIES = []


def wrong_copy(name, expected, problem=None, **mistakes):
    p = Copy(**(problem or {}))
    COPIES.append((name, p, lambda: move(p, **mistakes), expected))


wrong_copy("transposed", r"A\(col, row\)", source=lambda r, c: (c, r))
wrong_copy("blocks of 8 x 8 transposed", "holds A", source=lambda r, c: (r // 8 * 8 + c % 8, c // 8 * 8 + r % 8))
wrong_copy("columns exchanged by bit 2", r"A\(row, col \^ 4\)", source=lambda r, c: (r, c ^ 4))
wrong_copy("rows of warps exchanged", r"A\(row \^ 32, col\); blocks of 32 rows of A were exchanged between warps", source=lambda r, c: (r ^ 32, c))
wrong_copy("swizzle on one side", r"columns moved; A had a swizzle of 128 bytes on only one side of shared memory", source=lambda r, c: (r, c ^ r % 8 * 8))
wrong_copy("swizzle by another shift", "columns moved", {"kind": "f32"}, source=lambda r, c: (r, c ^ r // 2 % 4 * 4))
wrong_copy("nibbles exchanged", r"A\(row, col \^ 1\); the nibbles of each byte of A were exchanged", {"kind": "u4"}, source=lambda r, c: (r, c ^ 1))
wrong_copy("bytes of words in reverse order", r"A\(row, col \^ 3\)", {"kind": "e4m3"}, source=lambda r, c: (r, c ^ 3))
wrong_copy("halves of words exchanged", r"A\(row, col \^ 1\)", {"kind": "bf16"}, target=lambda r, c: (r, c ^ 1))
wrong_copy("columns interleaved for f16", "columns moved", source=lambda r, c: (r, c // 16 * 16 + c % 2 * 8 + c % 16 // 2))
wrong_copy("A read without its padding", "leading dimension 64 instead of 72", {"lda": 72}, read=lambda r, c: r * 64 + c)
wrong_copy("D written without its padding", "D is written with leading dimension 64 instead of 72", {"ldd": 72}, write=lambda r, c: r * 64 + c)
wrong_copy("A read as row-major", "holds", {"a_layout": "col", "m": 40}, read=lambda r, c: r * 64 + c)
wrong_copy("rows moved by 16", r"rows moved", source=lambda r, c: ((r + 16) % 64, c))
wrong_copy("the last row again for the last eight", "arrive nowhere", source=lambda r, c: (np.where(r >= 56, 55, r), c))
wrong_copy("half of the tile exchanged", r"rows moved: .*A\(row \^ ", source=lambda r, c: (np.where(c >= 32, r ^ 8, r), c))
wrong_copy("the last rows are never written", "never written", inside=lambda r, c: r < 60)
wrong_copy("every second column is never written", "never written", inside=lambda r, c: c % 2 == 0)
wrong_copy("padding is written", "the kernel writes columns beyond N of D", {"n": 60, "ldd": 64}, target=lambda r, c: (r, np.where(c == 59, 61, c)))
wrong_copy("the padding of A is read", "the kernel reads columns beyond N of A", {"n": 60, "lda": 64}, source=lambda r, c: (r, np.where(c == 59, 61, c)))
wrong_copy("rows one too far", r"the kernel reads rows beyond M of A\n  64 elements; A\(row \+ 1, col\)", {"guard": 3}, source=lambda r, c: (r + 1, c))
wrong_copy("a row too much is written", r"the kernel writes columns beyond N of D\n  64 elements: \(0, 64\), ", {"guard": 3, "d_layout": "col"}, target=lambda r, c: (r, c + 1))
wrong_copy("the lowest bit is lost", "no element", {"kind": "s8"}, bits=lambda codes: codes & 254)

wrong_copy("D with another leading dimension", r"A\(row, col\) is stored at offset row \* 80 \+ col of D: D is written with leading dimension 80 instead of 64", write=lambda r, c: r * 80 + c)
wrong_copy("columns of D too close", r"stored at offset row \+ col \* 32 of D: D is written with leading dimension 32 instead of 40", {"m": 40, "d_layout": "col"}, write=lambda r, c: c * 32 + r)
wrong_copy("all elements shifted by 7", r"element i of D, by rows, holds element \(i \+ 7\) % 2560 of A", {"m": 40}, read=lambda r, c: (r * 64 + c + 7) % 2560)
wrong_copy("negated", "no element of A: D is the negative of A", {"kind": "e4m3"}, bits=lambda codes: codes ^ 128)
wrong_copy("zeros", "no element of A: D is 0", bits=lambda codes: codes & 0)

# Right copies.
RIGHT_COPIES = [Copy(kind=kind) for kind in ("f64", "f32", "f16", "bf16", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "e2m1", "s32")]
RIGHT_COPIES += [Copy(33, 20, d_layout="col"), Copy(17, 70, "s8", lda=80, ldd=72), Copy(48, 30, "u4", a_layout="col", lda=50, ldd=32), Copy(1, 1), Copy(1, 999)]

# Right kernels of mma: every type, ragged, padded, both orders.
RIGHT = [
    Problem(), Problem(a="bf16"), Problem(a="tf32"), Problem(a="e4m3"), Problem(a="e5m2"), Problem(a="s8", d="s32"), Problem(a="u8", d="s32"),
    Problem(a="s4", d="s32", k=128), Problem(a="u4", d="s32", k=128), Problem(a="e2m1", k=128), Problem(d="f16"), Problem(a="bf16", d="bf16"),
    Problem(layout="nn"), Problem(layout="nt"), Problem(layout="tt"), Problem(a="s8", d="s32", layout="nt"), Problem(a="tf32", layout="nt"),
    Problem(m=50, n=27, k=41), Problem(m=33, n=70, k=100, lda=104, ldb=112, ldd=72), Problem(m=20, n=30, k=40, layout="nt", lda=24, ldb=40),
    Problem(c=True), Problem(bias="row", alpha=-0.125), Problem(c=True, beta=8, bias="col", ldd=72, d="f16"), Problem(a="s8", d="s32", c=True, beta=-1, bias="row"),
    Problem(a="e4m3", d="e4m3", c=True, bias="col"), Problem(a="bf16", d="bf16", alpha=4, c=True, beta=2, accumulator="f32", n=48),
    Problem(m=50, n=27, k=41, guard=5), Problem(a="s8", d="s32", m=48, layout="nt", guard=16), Problem(m=20, n=24, k=32, batch=3), Problem(m=16, n=24, k=40, batch=5, shared="b", ldd=32, gap=8), Problem(a="s8", d="s32", m=20, n=8, k=64, batch=2, shared="a"),
    Problem(m=16, n=16, k=32, batch=2, c=True, bias="row", beta=2, gap=3), Problem(m=1, n=1, k=1), Problem(m=128, n=96, k=160), Problem(a="f16", accumulator="f16", d="f16", k=32),
]


# ---- The zoo itself ----


# The largest integers of the type that keep sums of 128 products exact in f32.
LARGEST = {"f64": 200, "f32": 200, "f16": 200, "bf16": 200, "tf32": 360, "e4m3": 15, "e5m2": 7, "s8": 127, "u8": 255, "s4": 7, "u4": 15, "e2m1": 4}


def images_of(p, seed):
    """Random integers in the images of A and B, NaN in their padding; D has 0.375, or 1 for integers."""
    random = np.random.default_rng(seed)
    largest = 3 if p.accumulator == "f16" else None

    def image(name, lines, used, ld, stride):
        bound = largest or LARGEST[name]
        batches = p.batch if stride else 1
        values = random.integers(0 if name[0] == "u" else -bound, bound + 1, (batches, max(stride // ld, lines + 2), ld)).astype(float)
        if name[0] not in "su":
            values[:, :, used:] = np.nan
            values[:, lines:] = np.nan
        codes = encode(values.reshape(batches, -1), name)
        return (codes[:, :stride] if stride and p.batch > 1 else codes).ravel()

    images = {"A": image(p.a, *((p.m, p.k) if p.layout[0] == "t" else (p.k, p.m)), p.lda, p.stride["a"]),
              "B": image(p.b, *((p.n, p.k) if p.layout[1] == "n" else (p.k, p.n)), p.ldb, p.stride["b"])}
    added = 3 if largest or p.d in ("e4m3", "e5m2") else 7
    size = p.batch * p.stride["d"] + 2 * p.ldd
    images["C"], images["bias"] = (encode(random.integers(-added, added + 1, size).astype(float), p.d) for size in (size, max(p.m, p.n)))
    images["D"] = encode(np.full(size, 1.0 if p.d == "s32" else 0.375), p.d)
    return images


def right_kernel(p, kernel):
    return batched(p, kernel) if p.batch > 1 else kernel


def check(entries):
    """Whether each right kernel gives NumPy's product, and each wrong one does not. Returns the names of those that fail."""
    failed = []

    def product(p, images):
        right_kernel(p, matmul(p))(images)
        return images["D"]

    for p in RIGHT:
        want, got = images_of(p, 1), images_of(p, 1)
        right_kernel(p, Mma(p))(got)
        if not np.array_equal(product(p, want), got["D"]):
            failed.append(f"right {vars(p)}")
    for p in RIGHT_COPIES:
        images = {"A": np.arange((p.m + p.n) * p.lda), "D": np.full((p.m + p.n) * p.ldd, -1)}
        move(p)(images)
        if not all(images["D"][p.address_d(r, c)] == p.address_a(r, c) for r in range(p.m) for c in range(p.n)):
            failed.append(f"right {vars(p)}")
    for entry in entries:
        p = entry[1]
        want, got = images_of(p, 1), images_of(p, 1)
        entry[2]()(got, 1)
        if np.array_equal(product(p, want), got["D"]):
            failed.append(entry[0])
    return failed


if __name__ == "__main__":
    print(len(ZOO), check(ZOO))
