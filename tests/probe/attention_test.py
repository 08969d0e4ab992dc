"""Runs --probe on the kernels of attention_zoo.py, which have known errors, and on random correct kernels.

    attention_test.py MAPPING [PATTERN]     prints TAP; with a pattern, only wrong kernels whose name matches, and the findings for each

It runs a sample of the random kernels and of the wrong ones, which has each kind of finding; with THOROUGH=1 it runs all.
"""
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attention_zoo import ZOO, Attention, Flash, random_right  # noqa: E402
from rounds import evaluated, holds_where, probe, sample_of_kinds, temporary_folder  # noqa: E402
from tap import finish, ok, one_in, sample  # noqa: E402
from zoo import BITS, read_codes, write_codes  # noqa: E402

MAPPING = sys.argv[1]
PATTERN = sys.argv[2] if len(sys.argv) > 2 else ""
FOLDER = temporary_folder()


def probed(p, kernel):
    """Status and text."""
    folder = os.path.join(FOLDER.name, "probe")

    def run(plan, numbers):
        for number in numbers:
            files = plan["runs"][number]
            images = {role.upper(): read_codes(os.path.join(folder, name), BITS[p.o if role == "o" else p.kind]) for role, name in files.items()}
            kernel(images, number)
            write_codes(os.path.join(folder, files["o"]), images["O"], BITS[p.o])

    return probe(MAPPING, p.words(), folder, run)[:2]


def with_error(error, batch, head, query, key, col, every=8):
    """A mistake of Flash in a single place, in one of `every` tiles that are multiplied."""
    def written(o):
        if error == "O + 1":
            o[batch, head, query, col] += 1
        elif error == "two rows exchanged":
            o[batch, head, [query, query - 1]] = o[batch, head, [query - 1, query]]
        return o

    def product(w, v):
        product.calls += 1
        if product.calls % every == 1 % every and error == "a probability is lost":
            w[query, key] = 0
        elif product.calls % every == 1 % every and error == "an element of V is lost":
            v = v.copy()
            v[key, col] = 0
        return w @ v

    product.calls = 0
    return {"written": written, "pv": product}


ERRORS = ["O + 1", "two rows exchanged", "a probability is lost", "an element of V is lost"]


def try_errors(count, random):
    missed = []
    for number in range(count):
        p, error = Attention(queries=24, keys=40, dim=32, kind=("f16", "bf16")[number // len(ERRORS) % 2]), ERRORS[number % len(ERRORS)]
        place = [int(random.integers(size)) for size in (p.batch, p.heads, p.queries, 16, p.dim)]
        status, text = probed(p, Flash(p, 16, **with_error(error, *place)))
        if status != 1:
            missed.append(f"{error}, {place}: status {status}: {text}")
    ok(f"{count} errors in one place: all found", not missed, "\n".join(missed))


def try_keys():
    """Three runs of 24 queries find each of 40 keys; usually a sample is tried."""
    missed = []
    for key in sample(range(40), 6):
        p = Attention(batch=1, heads=1, queries=24, keys=40, dim=32)
        status, text = probed(p, Flash(p, 64, **with_error("an element of V is lost", 0, 0, 0, key, (key + 5) % 32, every=1)))
        if status != 1:
            missed.append(f"key {key}: status {status}: {text}")
    ok("one element of V is lost: found for each key", not missed, "\n".join(missed))


def try_maps(count, random):
    """Rows of O, or rows or columns of V, are moved in all or a part of them: the finding names this map, or none."""
    missed, explained = [], 0
    for _ in range(count):
        p = Attention(1, heads=2, queries=int(random.integers(1, 6)) * 16, keys=int(random.integers(1, 6)) * 16, dim=32, kind=("f16", "f32")[random.integers(2)],
                      kv_heads=int(random.integers(1, 3)), causal=(None, None, "top-left")[random.integers(3)])
        what = ("query", "key", "col")[random.integers(3)]
        size = {"query": p.queries, "key": p.keys, "col": p.dim}[what]
        number, (one, other) = np.arange(size), random.permutation(size)[:2]
        kind = random.integers(3)
        moved = number ^ (1 << random.integers(4)) if kind == 0 else np.where(number == one, other, number) if kind == 1 else np.where(number < 8, number ^ 2, number)
        wrong = {"query": dict(written=lambda o: o[:, :, moved]), "key": dict(pv=lambda w, v: w[:, : p.keys] @ v[moved]),
                 "col": dict(pv=lambda w, v: w @ v[:, moved])}[what]
        status, text = probed(p, Flash(p, 128 if what == "key" else 64, **wrong))
        unfolded = re.sub(r"\s+", " ", re.sub(r"\n(?=\S|  \d)", "|", text))
        form = r"O\(batch, head, query\) holds the result for \(batch, head, (?P<query>[^|]*?)\)(?P<where> where [^:|]*)?[:|]" if what == "query" else \
            r"the probability of key meets V\((?P<key>[^|]*?), (?P<col>[^|,]*?)\)(?P<where> where [^:|]*)?[:|]"
        found, names = list(re.finditer(form, unfolded)), {what: number}
        is_explained = "not explained" not in text
        explained += is_explained
        is_right = not is_explained or " by a table" in text or len(found) > 0
        value = number.copy()
        for each in found if is_explained and " by a table" not in text else []:
            try:
                value = np.where(holds_where((each["where"] or "").removeprefix(" where "), names), evaluated(each[what], names), value)
            except (NameError, SyntaxError): # it depends on other coordinates
                is_right = False
        is_right = is_right and (not found or " by a table" in text or not is_explained or np.array_equal(value, moved))
        if status != 1 or not is_right:
            missed.append(f"{' '.join(p.words())}, {what} {moved}: status {status}: {text}")
    ok(f"{count} maps of rows or columns: {explained} are explained, and each formula is right", not missed and 2 * explained > count, "\n".join(missed))


def main():
    random = np.random.default_rng(1)
    if not PATTERN:
        try_keys()
        try_errors(400 // one_in(100), random)
        try_maps(200 // one_in(20), random)
        said, count = [], 400 // one_in(128)
        for _ in range(count):
            p, kernel = random_right(random)
            status, text = probed(p, kernel)
            if status != 0:
                said.append(f"{' '.join(p.words())}, {getattr(kernel, '__dict__', kernel)}: status {status}: {text}")
        ok(f"{count} random right kernels: no finding", not said, "\n".join(said))
    for name, p, wrong, expected in ZOO if PATTERN else sample_of_kinds(ZOO, 16):
        if re.search(PATTERN, name):
            status, text = probed(p, Flash(p, **wrong))
            if PATTERN:
                print(f"# {name}\n{text}")
            unfolded = re.sub(r"\s+", " ", text.partition("\n")[2])
            ok(f"attention: {name}: found and named", status == 1 and re.search(expected, unfolded) is not None, f"status {status}, expected {expected}\n{text}")
    sys.exit(finish())


main()
