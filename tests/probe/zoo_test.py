"""Runs --probe on the kernels of zoo.py, some of which have known errors, and on random kernels.

    zoo_test.py MAPPING [PATTERN]     prints TAP; with a pattern, only kernels whose name matches, and the findings for each

It runs a sample of the random kernels and of the wrong ones, which has each kind of finding; with THOROUGH=1 it runs all.
The random parts last ran with all numbers on 2026-11-29, with numpy.random.default_rng(seed) for seeds 1 to 4. For each
seed, there were 2,500 random problems of all kinds (ragged, padded, guard rows, C, alpha, bias, batches), then 250
errors in a single element. None of the 10,000 correct results had a finding, and all 1,000 errors were found.
"""
import json
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from rounds import evaluated, holds_where, mapping, probe, sample_of_kinds, temporary_folder  # noqa: E402
from tap import finish, ok, one_in, sample  # noqa: E402
from zoo import BITS, COPIES, RIGHT, RIGHT_COPIES, ZOO, Copy, Mma, Problem, accumulate, check, decode, encode # noqa: E402
from zoo import finish as epilogue # noqa: E402
from zoo import images_of, matmul, right_kernel, move, read_codes, write_codes # noqa: E402

MAPPING = sys.argv[1]
PATTERN = sys.argv[2] if len(sys.argv) > 2 else ""
FOLDER = temporary_folder()
LETTER = {"row": "t", "col": "n"} # of BLAS, as --layout takes them


def guarded(p):
    return [f"--guard={p.guard}"] if p.guard else []


def words(p):
    """The problem on the command line."""
    if isinstance(p, Copy):
        return [f"--probe=copy:{p.m},{p.n}", f"--type={p.a}", f"--layout={LETTER[p.a_layout]}{LETTER[p.d_layout]}", f"--ld={p.lda},{p.ldd}", *guarded(p)]
    types = p.a if p.a == p.b else f"{p.a},{p.b}"
    return [f"--probe=gemm:{p.m},{p.n},{p.k}", f"--type={types}", f"--d-type={p.d}", f"--accumulator={p.accumulator}", f"--layout={p.layout}t",
            f"--ld={p.lda},{p.ldb},{p.ldd}"] + ([f"--instruction={p.instruction}"] if p.instruction else []) + ([f"--alpha={p.alpha}"] if p.alpha != 1 else []) \
        + ([f"--beta={p.beta}"] if p.c else []) + ([f"--bias={p.bias}"] if p.bias else []) \
        + ([f"--batch={p.batch}", "--batch-stride=" + ",".join(str(p.stride[x]) for x in "abd")] if p.batch > 1 else []) + guarded(p)


def probed(p, kernel):
    """Status, text and number of runs."""
    folder = os.path.join(FOLDER.name, "probe")
    types = {"a": p.a, "b": getattr(p, "b", None), "c": p.d, "d": p.d, "bias": p.d}

    def run(plan, numbers):
        for number in numbers:
            files = plan["runs"][number]
            images = {role if role == "bias" else role.upper(): read_codes(os.path.join(folder, name), BITS[types[role]]) for role, name in files.items()}
            kernel(images, number)
            write_codes(os.path.join(folder, files["d"]), images["D"], BITS[p.d])

    return probe(MAPPING, words(p), folder, run)


def findings():
    """What --decode finds in the last probe."""
    return json.loads(mapping(MAPPING, f"--decode={FOLDER.name}/probe", "--format=json")[1])["findings"]


def copy_as_found(p):
    """Offset in D -> offset in A, by the formulae of the findings, of the elements that a formula is about."""
    holds = {}
    row, col = np.mgrid[: p.m, : p.n]
    for finding in findings():
        formula, _, where = finding["text"].partition(":")[0].partition(" where ")
        of = re.match(r"D\(row, col\) holds (?:A\((.*)\)|the element of A at offset (.*))$", formula)
        if of:
            offset = p.address_a(*evaluated(of[1], {"row": row, "col": col})) if of[1] else evaluated(of[2], {"row": row, "col": col})
            inside = holds_where(where, {"row": row, "col": col})
            holds.update(zip(p.address_d(row, col)[inside], np.broadcast_to(offset, row.shape)[inside]))
    return holds


def terms_as_found(p):
    """For each batch, element and k of the sum, the row, k and batch of A and the k, column and batch of B, and how often the term is added,
    by the formulae of the findings."""
    b, row, col, k = np.ogrid[: p.batch, : p.m, : p.n, : p.k]
    names = {"b": b, "row": row, "col": col, "k": k}
    shape = (p.batch, p.m, p.n, p.k)
    terms = [np.broadcast_to(each, shape).copy() for each in (row, k, k, col, b, b, 1)]
    forms = [(r"D\(row, col\) holds the result for \((.*), (.*)\)$", (0, 3)), (r"D\(b, row, col\) holds the result for \((.*), (.*), (.*)\)$", ((4, 5), 0, 3)),
             (r"A\(b, (.*), (.*)\) meets B\(b, (.*), (.*)\)$", (0, 1, 2, 3)), (r"A\((?!b, )(.*), (.*)\) meets B\((.*), (.*)\)$", (0, 1, 2, 3)),
             (r"k of B meets (.*) of A$", (1,)), (r"k of A meets (.*) of B$", (2,)),
             (r"batch b of D holds the result for batch (.*)$", ((4, 5),)), (r"batch b reads A of batch (.*)$", (4,)), (r"batch b reads B of batch (.*)$", (5,))]
    for finding in findings():
        formula, _, where = finding["text"].partition(":")[0].partition(" where ")
        if formula == "terms are not added":
            terms[6] = np.where(holds_where(where, names), 0, terms[6])
        for form, places in forms:
            found = re.match(form, formula)
            if found:
                inside = holds_where(where, names)
                for place, text in zip(places, found.groups()):
                    value = np.broadcast_to(evaluated(text, names), shape)
                    for each in place if isinstance(place, tuple) else (place,):
                        terms[each] = np.where(inside, value, terms[each])
                break
    return terms


def is_as_found(p, kernel):
    """True if the kernel computes the formulae of the findings, with other numbers than those of the probe."""
    images = images_of(p, 1)
    images["D"] = encode(np.full(len(images["D"]), 0.375), p.d)
    never, old = images["D"][0], images["D"].copy()
    kernel(images)
    row_a, k_a, k_b, col_b, b_a, b_b, times = terms_as_found(p)
    inside = times > 0
    for place, size in ((row_a, p.m), (k_a, p.k), (k_b, p.k), (col_b, p.n), (b_a, p.batch), (b_b, p.batch)):
        inside &= (place >= 0) & (place < size)
    address_a = b_a * p.stride["a"] + p.address_a(row_a, k_a)
    address_b = b_b * p.stride["b"] + p.address_b(col_b, k_b)
    a = decode(images["A"], p.a)[np.where(inside, address_a, 0)]
    b = decode(images["B"], p.b)[np.where(inside, address_b, 0)]
    sums = np.where(inside, a * b, 0).sum(axis=3)
    batch, row, column = np.mgrid[: p.batch, : p.m, : p.n]
    got = images["D"][batch * p.stride["d"] + p.address_d(row, column)]
    return np.all((got == encode(sums, p.d)) | (got == never)) and not np.array_equal(images["D"], old)


def show(name, text):
    if PATTERN:
        print(f"# {name}\n#   " + text.strip().replace("\n", "\n#   "))


def try_right(entries, what):
    """One line for all of these right kernels, (problem, kernel)."""
    said = []
    for p, kernel in entries:
        status, text, _ = probed(p, kernel)
        show(what, text)
        if status != 0:
            said.append(f"{' '.join(words(p))}: status {status}: {text}")
    ok(f"{len(entries)} {what}: no finding", not said, "\n".join(said))


def mistake_is_a_map(expected):
    """True if the finding must be a formula for the elements that are multiplied."""
    return re.search(r"moved|transposed|\^", expected) is not None and "|" not in expected


def try_wrong(entries, what):
    """One line for each wrong kernel."""
    for name, p, make, expected in entries:
        if re.search(PATTERN, name):
            kernel = make()
            status, text, runs = probed(p, kernel)
            show(name, text)
            is_named = all(re.search(each, text.partition("\n")[2], re.M) for each in expected.split("; ")) # below the problem
            if status == 1 and isinstance(p, Copy):
                is_named &= all(kernel.holds.get(d, a) == a for d, a in copy_as_found(p).items())
            if status == 1 and isinstance(p, Problem) and not p.c and not p.bias and p.m * p.n * p.k < 1 << 22 and mistake_is_a_map(expected):
                is_named &= is_as_found(p, kernel)
            ok(f"{what}: {name}: found{' and named' if expected else ''} in {runs} runs", status == 1 and is_named, f"status {status}, expected {expected}\n{text}")


# ---- Random problems ----

TYPES = [("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("bf16", "bf16"), ("tf32", "f32"), ("f32", "f32"), ("f64", "f64"), ("e4m3", "f32"), ("e4m3", "f16"),
         ("e5m2", "f32"), ("s8", "s32"), ("u8", "s32"), ("s4", "s32"), ("u4", "s32"), ("e2m1", "f32")]


def random_problem(random):
    m, n, k = (int(2 ** random.uniform(0, 7)) for _ in range(3))
    a, d = TYPES[random.integers(len(TYPES))]
    layout = ["tn", "tt", "nn", "nt"][random.integers(4)]
    pad = random.integers(0, 2, 3) * 8
    even = 2 if BITS[a] == 4 else 1
    m, n, k = (-(-size // even) * even for size in (m, n, k))
    more = {}
    if random.integers(3) == 0:
        factors = [1, -1] if d == "s32" else [1, -1, 2, 0.5, -0.25, 8]
        more = {"alpha": factors[random.integers(len(factors))], "beta": factors[random.integers(len(factors))],
                "c": random.integers(2) == 1, "bias": [None, "row", "col"][random.integers(3)]}
    batch = {}
    if random.integers(4) == 0:
        batch = {"batch": int(random.integers(2, 6)), "shared": ["", "a", "b"][random.integers(3)], "gap": int(random.integers(2)) * 4}
    return Problem(m, n, k, a, d=d, **more, layout=layout, lda=(k if layout[0] == "t" else m) + pad[0], ldb=(k if layout[1] == "n" else n) + pad[1],
                   ldd=n + pad[2], **batch, guard=int(random.integers(2)) * 3 if not batch else 0)


def random_copy(random):
    m, n = (2 * int(2 ** random.uniform(0, 6)) for _ in range(2))
    layouts = [["row", "col"][each] for each in random.integers(0, 2, 2)]
    pad = random.integers(0, 2, 2) * 4
    kind = list(BITS)[random.integers(len(BITS))]
    return Copy(m, n, kind, *layouts, *((n if layout == "row" else m) + each for layout, each in zip(layouts, pad)), guard=int(random.integers(2)) * 5)


# Mistakes in a single element or term.
ERRORS = ["an element of A is lost", "D + 1", "a term is lost", "a term has another k", "two elements of D exchanged", "a column of B for an element"]


def with_error(p, error, random):
    """A kernel that is right but for one place."""
    m, n, k = np.arange(p.m).reshape(-1, 1), np.arange(p.n).reshape(-1, 1), np.arange(p.k)
    row, column, at, other = (int(random.integers(size)) for size in (p.m, p.n, p.k, p.k - 1))
    other += other >= at
    next_column = (column + 1 + int(random.integers(p.n - 1))) % p.n

    def kernel(images, run=0):
        a, b = decode(images["A"], p.a)[p.address_a(m, k)], decode(images["B"], p.b)[p.address_b(n, k)]
        if error == "an element of A is lost":
            a[row, at] = 0
        sums = accumulate(p, a, b)
        if error == "D + 1":
            sums[row, column] += 1
        elif error == "a term is lost":
            sums[row, column] -= a[row, at] * b[column, at]
        elif error == "a term has another k":
            sums[row, column] += a[row, at] * (b[column, other] - b[column, at])
        elif error == "two elements of D exchanged":
            sums[row, [column, next_column]] = sums[row, [next_column, column]]
        elif error == "a column of B for an element":
            sums[row, column] = sums[row, next_column]
        rows, columns = np.broadcast_arrays(m, n.T)
        images["D"][p.address_d(rows, columns)] = encode(epilogue(p, sums, rows, columns, images), p.d)
    return kernel


def try_errors(count, random):
    missed = []
    for number in range(count):
        p = Problem(24, 20, 40, *TYPES[0 if number % 2 else 2])
        error = ERRORS[number % len(ERRORS)]
        status, text, _ = probed(p, with_error(p, error, random))
        show(error, text)
        if status != 1:
            missed.append(f"{error}: status {status}: {text}")
    ok(f"{count} errors in one place: all found", not missed, "\n".join(missed))


# ---- A part of D ----


def part_kernel(p, random):
    """A kernel with a wrong row, column or tile of D, which holds another one, or with a few k missing. Returns it, its name, and true
    if no instruction moves this part alone."""
    kind, keep = random.integers(5), np.arange
    rows, cols, ks = keep(p.m), keep(p.n), keep(p.k)
    high = 8 << random.integers(2)
    at, other = random.permutation(p.m // high)[:2]
    if kind == 0:
        row, other = random.permutation(p.m)[:2]
        name, rows = f"row {row} is row {other}", np.where(rows == row, other, rows)
    elif kind == 1:
        col, other = random.permutation(p.n)[:2]
        name, cols = f"column {col} is column {other}", np.where(cols == col, other, cols)
    elif kind == 2:
        name, rows = f"{high} rows {at} are rows {other}", np.where(rows // high == at, rows + (other - at) * high, rows)
    elif kind == 3:
        name, rows = f"{high} rows {at} in reverse order", np.where(rows // high == at, rows ^ (high - 1), rows)
    else:
        lost = random.permutation(p.k)[: random.integers(1, 3)]
        name, ks = f"k {lost} are lost", np.delete(ks, lost)
    tiles = random.integers(2) # only in some columns, or everywhere

    def kernel(images, run=0):
        a, b = decode(images["A"], p.a)[p.address_a(*np.ix_(keep(p.m), keep(p.k)))], decode(images["B"], p.b)[p.address_b(*np.ix_(keep(p.n), keep(p.k)))]
        sums, right = accumulate(p, a[rows][:, ks], b[cols][:, ks]), accumulate(p, a, b)
        where = (np.ogrid[: p.m, : p.n][1] < 8) | (tiles == 0) | (kind == 1)
        images["D"][p.address_d(*np.ix_(keep(p.m), keep(p.n)))] = encode(np.where(where, sums, right), p.d)
    return kernel, name + ("" if tiles == 0 or kind == 1 else " in 8 columns"), kind < 2


def try_parts(count, random):
    """All formulae in findings about a wrong part of D give all of D."""
    missed, explained = [], 0
    for _ in range(count):
        p = Problem(16 * int(random.integers(2, 6)), 8 * int(random.integers(3, 7)), 16 * int(random.integers(1, 5)))
        kernel, name, is_thin = part_kernel(p, random)
        status, text, _ = probed(p, kernel)
        show(name, text)
        is_explained = all(finding["explained"] for finding in findings())
        explained += is_explained
        if status != 1 or (is_explained and " by a table" not in text and not is_as_found(p, kernel)) or (is_thin and "as if" in text):
            missed.append(f"{name}: status {status}: {text}")
    ok(f"{count} wrong parts of D: {explained} are explained, and each formula is right", not missed and 2 * explained > count, "\n".join(missed))


# ---- Random compositions of mistakes ----


def composed(bits, random):
    """A random linear function of that many bits, with a constant: 1 to 3 swaps, exclusive ors and flips."""
    steps = [(random.integers(3), *random.permutation(bits)[:2]) for _ in range(random.integers(1, 4))]

    def function(value):
        for kind, i, j in steps:
            if kind == 0:
                value = value ^ ((value >> i ^ value >> j) & 1) * ((1 << i) + (1 << j))
            else:
                value = value ^ ((value >> i & 1) << j if kind == 1 else 1 << j)
        return value
    return function


def composed_kernel(p, random):
    """A kernel that reads A or B, or writes D, elsewhere, or two of these; or only in a half of D, for reads."""
    sides = random.permutation(3)[: random.integers(1, 3)]
    tables = []
    for side in range(3):
        high, low = np.mgrid[:64, :64]
        at = high * 64 + low
        at = composed(12, random)(at) if side in sides else at
        tables.append((at // 64, at % 64))
    half = 1 << random.integers(6) if random.random() < 0.27 else 0
    by_row = random.random() < 0.5
    m, n = np.mgrid[:64, :64]

    def kernel(images, run=0):
        a, b = decode(images["A"], p.a)[p.address_a(m, n)], decode(images["B"], p.b)[p.address_b(m, n)]
        sums = accumulate(p, a[tables[0]], b[tables[1]])
        if half:
            sums = np.where((m if by_row else n) & half, sums, accumulate(p, a, b))
        images["D"][p.address_d(*tables[2])] = encode(sums, p.d)
    return kernel


def try_composed(count, random):
    """Compositions are found if they change the product, and most are explained."""
    p, missed, explained, wrong = Problem(), [], 0, 0
    for _ in range(count):
        kernel = composed_kernel(p, random)
        want, got = images_of(p, 1), images_of(p, 1)
        matmul(p)(want)
        kernel(got)
        is_right = np.array_equal(want["D"][: p.m * p.ldd], got["D"][: p.m * p.ldd])
        status, text, _ = probed(p, kernel)
        show("composed", text)
        if status != (0 if is_right else 1):
            missed.append(f"status {status}: {text}")
        wrong += not is_right
        explained += not is_right and all(finding["explained"] for finding in findings())
    ok(f"{count} random compositions of mistakes: all found", not missed, "\n".join(missed))
    ok(f"{explained} of {wrong} of them explained", explained >= 0.9 * wrong)


def main():
    random = np.random.default_rng(1)
    copies, products = (zoo if PATTERN else sample_of_kinds(zoo, 16) for zoo in (COPIES, ZOO))
    failed = check(products)
    ok("right kernels of the zoo give the product of NumPy, and wrong ones do not", not failed, "\n".join(failed))
    if not PATTERN:
        try_right([(p, move(p)) for p in sample(RIGHT_COPIES, 4)], "right copies")
        try_right([(p, move(p)) for p in (random_copy(random) for _ in range(640 // one_in(213)))], "random copies")
        try_right([(p, right_kernel(p, Mma(p))) for p in sample(RIGHT, 4)], "right kernels of mma")
        try_right([(p, right_kernel(p, matmul(p))) for p in (random_problem(random) for _ in range(9600 // one_in(1600)))], "random problems")
        try_errors(1000 // one_in(250), random)
        try_composed(700 // one_in(233), random)
        try_parts(200 // one_in(20), random)
    try_wrong(copies, "copy")
    try_wrong(products, "gemm")
    sys.exit(finish())


main()
