"""Compares the layouts of Tensor Memory, and the elements that tcgen05.ld and st move, with those of JAX.

    tcgen05_jax.py MAPPING                              runs JAX; prints TAP
    tcgen05_jax.py --record                             runs JAX; prints its layouts
    tcgen05_jax.py --recorded MAPPING tcgen05_jax.txt   compares with the recorded layouts; prints TAP

The first two import jax 0.10.2 from $PYTHONPATH; pip install --no-deps of the packages jax, jaxlib, numpy, ml_dtypes,
opt_einsum and absl-py is enough. No GPU is used.

Mosaic GPU, JAX's kernel compiler, has functions that emit tcgen05.mma, ld and st for matrices with a given layout in
Tensor Memory (TMEMLayout). The test calls them. It does not compile the MLIR that they emit, but reads the addresses,
the descriptors and the use of each register from it. For each multiplication that JAX accepts, the record has

    tcgen05.mma as JAX writes it | M x N | operand | rows x cols | bases of row, column and copy | parts

A basis is [lane, column, bit] in one CTA. There is one part for each tcgen05.mma that JAX emits: the first column of the
matrix that it covers, lane and column of its address, and the scale factor ID or the selector of its descriptor. Metadata is the
output of JAX's function, in lines of 16 bytes that JAX copies by tcgen05.cp.128x128b, each to its lane. The loads
and stores of a whole operand follow the operand:

    tcgen05.ld as JAX writes it | bases of thread and element | parts

A basis is [row, column], and a part is the lane and the column of each address.
"""

import functools
import itertools
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from others import claims_without_cause, print_tap, reports_of, run_test, table_of  # noqa: E402
from tap import sample  # noqa: E402

VERSION = "JAX 0.10"

# ---- What JAX writes ----

FLOATS = ("f32", "f16")
SCALES = {"ue8m0": "f8E8M0FNU", "ue4m3": "f8E4M3FN"}
TYPES = {"f16": "f16", "bf16": "bf16", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "s8": "i8", "e2m1": "f4E2M1FN", "f32": "f32", "s32": "i32",
         **SCALES}
BITS = {"f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "s8": 8, "e2m1": 4, "f32": 32, "s32": 32, "ue8m0": 8, "ue4m3": 8}


def questions():
    """(CTAs, rows of each, columns of D, types of A, D and scale factors, is sparse, is A in Tensor Memory)"""
    for ctas, rows in itertools.product((1, 2), (128, 64)):
        for d, width in itertools.product(FLOATS, (8, 16, 32, 64, 128, 512)):
            if width <= 128 or (ctas, rows) == (1, 64):  # there two multiplications are beside each other
                yield ctas, rows, width, "f16", d, "", False, False
        for a, d, scale, sparse, moved in itertools.product(
                ("f32", "f16", "bf16", "e4m3", "e5m2", "s8", "e2m1"), (*FLOATS, "s32"), ("", *SCALES), (False, True), (False, True)):
            for width in (64, 128, 256) if scale else (256,):
                yield ctas, rows, width, a, d, scale, sparse, moved


class Writer:
    """A function in MLIR into which JAX writes."""

    def __init__(self):
        from jax._src.interpreters import mlir
        from jax._src.lib.mlir import ir
        from jax._src.lib.mlir.dialects import func
        self.ir = ir
        with mlir.make_ir_context(), ir.Location.unknown():
            self.context, self.location = ir.Context.current, ir.Location.current
            self.module = ir.Module.create()
            with ir.InsertionPoint(self.module.body):
                self.block = func.FuncOp("f", ir.FunctionType.get([], [])).add_entry_block()

    def __enter__(self):
        self.context.__enter__()
        self.location.__enter__()
        self.point = self.ir.InsertionPoint(self.block)
        self.point.__enter__()
        return self

    def __exit__(self, *error):
        self.point.__exit__(*error)
        self.location.__exit__(*error)
        self.context.__exit__(*error)

    def type(self, name):
        return self.ir.Type.parse(TYPES[name])

    def argument(self, kind):
        return self.block.add_argument(kind, self.location)

    def address(self):
        return self.argument(self.type("s32"))

    def shared(self, name, rows, k, is_transposed):
        """A matrix in shared memory in tiles of 8 x 128 bytes, or 32 bytes; K goes first there."""
        swizzle = 32 if BITS[name] * k % 1024 else 128
        width = 8 * swizzle // BITS[name]
        shape, strides = [rows // 8, k // width, 8, width], [8 * k, 8 * width, width, 1]
        if is_transposed:
            shape, strides = [[of[at] for at in (1, 0, 3, 2)] for of in (shape, strides)]
        layout = self.ir.StridedLayoutAttr.get(0, strides)
        space = self.ir.Attribute.parse("#gpu.address_space<workgroup>")
        return self.argument(self.ir.MemRefType.get(shape, self.type(name), layout=layout, memory_space=space))

    def written(self):
        """(text, operands, results) of each instruction."""
        return [(op.attributes["asm_string"].value, list(op.operands), op) for op in self.block.operations
                if op.operation.name == "llvm.inline_asm"]


def operation(value):
    """What makes a value: (name, operands, operation), or nothing for an argument."""
    owner = value.owner
    return (owner.name, list(owner.operands), owner) if hasattr(owner, "operands") else ("", [], None)


def attribute(made, name):
    from jax._src.lib.mlir import ir
    return ir.IntegerAttr(made.attributes[name]).value


def numbers(value, known):
    """What a number is in each of 128 threads; arguments, addresses all of them, are 0."""
    import numpy
    if value in known:
        return known[value]
    name, operands, made = operation(value)
    of = [numbers(operand, known) for operand in operands]
    if name in ("gpu.thread_id", "gpu.block_dim"):
        is_first = str(made.attributes["dimension"]) == "#gpu<dim x>"
        result = (numpy.arange(128) if is_first else 0) if name == "gpu.thread_id" else 128 if is_first else 1
    else:
        result = {"": lambda: 0, "arith.constant": lambda: attribute(made, "value"), "arith.addi": lambda: of[0] + of[1],
                  "arith.muli": lambda: of[0] * of[1], "arith.divui": lambda: of[0] // of[1], "arith.remui": lambda: of[0] % of[1],
                  "arith.index_cast": lambda: of[0], "arith.index_castui": lambda: of[0]}[name]()
    known[value] = result
    return result


def size(kind):
    """How many bits a register of this type has, and how many elements."""
    from jax._src.lib.mlir import ir
    if isinstance(kind, ir.VectorType):
        [count] = kind.shape
        return count * size(kind.element_type)[0], count
    return kind.width, 1


def pieces(value, bits, known):
    """What a register consists of, in pieces of so many bits: (argument, or result of an instruction; number of the piece)"""
    if value in known:
        return known[value]
    name, operands, made = operation(value)
    count = size(value.type)[0] // bits
    if name in ("", "llvm.inline_asm"):
        result = [(value, 0, at) for at in range(count)]
    elif name == "llvm.extractvalue":
        [at] = made.attributes["position"]
        result = [(operands[0], at, piece) for piece in range(count)]
    elif name in ("llvm.bitcast", "vector.bitcast", "vector.broadcast"):
        result = pieces(operands[0], bits, known)
    elif name == "llvm.mlir.undef":
        result = [None] * count
    elif name == "vector.extract":
        at = list(made.attributes["static_position"])[0]
        result = pieces(operands[0], bits, known)[at * count:][:count]
    elif name == "llvm.extractelement":
        result = pieces(operands[0], bits, known)[numbers(operands[1], {}) * count:][:count]
    elif name == "llvm.insertelement":
        result = list(pieces(operands[0], bits, known))
        piece = pieces(operands[1], bits, known)
        at = numbers(operands[2], {}) * len(piece)
        result[at:at + len(piece)] = piece
    assert len(result) == count, name
    known[value] = result
    return result


# ---- Addresses ----


def sums(bases, width):
    """The place for each number whose bits choose among the bases."""
    values = [[0] * width]
    for basis in bases:
        values += [[a ^ b for a, b in zip(value, basis)] for value in values]
    return values


def bases_of(values, axes):
    """Of a dictionary from coordinates to places: the basis of each bit of each axis; all else has to be their sum."""
    count, width = len(axes), len(next(iter(values.values())))
    found = [[values[tuple(1 << bit if at == axis else 0 for at in range(count))] for bit in range(axes[axis].bit_length() - 1)]
             for axis in range(count)]
    every = sums([basis for axis in reversed(found) for basis in axis], width)
    assert [values.get(key) for key in itertools.product(*map(range, axes))] == every and len(values) == len(every)
    return found


@functools.lru_cache(None)
def threads_of(layout, shape):
    """(row, column) of each thread, register, and element of that."""
    strides = layout.tiling.tile_strides((shape[1], 1))
    known, found = {}, {}
    for register, (row, col) in enumerate(layout.thread_idxs(shape)):
        first = numbers(row, known) * shape[1] + numbers(col, known)
        for thread in range(128):
            for element in range(layout.vector_length):
                at = int(first[thread]) + element * strides[layout.vector_dim]
                found[thread, register, element] = divmod(at, shape[1])
    return found


def places_of(layout, shape, bits):
    """Bases of the place of each row, column and copy: a register is a column, a thread a lane."""
    lanes = {}
    for (thread, register, element), at in threads_of(layout, shape).items():
        lanes.setdefault(at, []).append([thread, register, element * bits])
    found = {(*at, copy): place for at, places in lanes.items() for copy, place in enumerate(places)}
    return bases_of(found, [*shape, layout.replication_factor])


def moved(writer, name, ref, layout, bits):
    """[text without registers, bases of thread and element, addresses] of a load or a store, or nothing if JAX has none."""
    from jax.experimental.mosaic.gpu import fragmented_array
    before = len(writer.written())
    is_signed = True if str(ref.dtype).startswith("i") else None
    try:
        shape = layout.registers_shape(ref.shape)
        if name == "ld":
            registers = ref.load(layout, is_signed=is_signed).registers.flat
        else:
            import numpy
            registers = numpy.empty(shape, dtype=object)
            for at in numpy.ndindex(shape):
                registers[at] = writer.argument(layout.registers_element_type(ref.dtype))
            ref.store(fragmented_array.FragmentedArray(_registers=registers, _layout=layout, _is_signed=is_signed))
            registers = registers.flat
    except (NotImplementedError, ValueError, AssertionError):
        return None
    # Where each piece is: number of the instruction, of the register there, and of the half of that
    known, elements, addresses, texts = {}, {}, [], set()
    for text, operands, made in writer.written()[before:]:
        address = numbers(operands[-1], {})
        texts.add(re.sub(r" .*", "", text))
        of_load = [pieces(register, bits, known) for register in operands[:-1]] if name == "st" else \
            [[(made.result, at, half) for half in range(32 // bits)] for at in range(registers_of(text))]
        for at, register in enumerate(of_load):
            elements.update({piece: (len(addresses), at, half) for half, piece in enumerate(register)})
        addresses.append([address >> 16, address & 0xffff])
    of_threads = threads_of(layout, ref.shape)
    found = {(thread, *elements[piece]): list(of_threads[thread, number, element]) for number, register in enumerate(registers)
             for element, piece in enumerate(pieces(register, bits, known)) for thread in range(128)}
    assert len(texts) == 1, texts  # all are as wide
    threads, loads, numbers_of, halves = bases_of(found, [1 + max(axis) for axis in zip(*found)])
    return [texts.pop(), [threads, halves + numbers_of + loads], addresses]


def registers_of(text):
    """How many registers a load has."""
    shape, count = re.search(r"\.(\d+x\d+b)\.x(\d+)\.", text).groups()
    return int(count) * {"32x32b": 1, "16x128b": 2, "16x256b": 4}[shape]


def all_moves(writer, ref, bits):
    """What JAX has for registers as it chooses them, as they lie, and pairs of them as they lie."""
    from jax.experimental.mosaic.gpu import tcgen05
    layouts = [ref.layout.as_tiled_layout(), tcgen05.TMEM_NATIVE_LAYOUT]
    try:
        layouts.append(tcgen05._infer_tmem_load_registers_layout(ref.layout, ref.shape[1], ref.packing))
    except ValueError:
        pass
    found = []
    for name, layout in itertools.product(("ld", "st"), dict.fromkeys(layouts)):
        said = moved(writer, name, ref, layout, bits)
        if said and said not in found:
            found.append(said)
    return found


def metadata_places(a, entries):
    """Bases of what the function that formats metadata makes of it, in lines of 16 bytes."""
    import ml_dtypes
    import numpy
    from jax._src.pallas.mosaic_gpu import helpers
    count = 128 * entries
    at = numpy.zeros(count, dtype=int)
    for digit in range(0, count.bit_length() - 1, 2):  # an entry has 2 bits
        values = (numpy.arange(count) >> digit & 3).astype(ml_dtypes.uint2).reshape(128, entries // 2, 2)
        formatted = helpers.format_tcgen05_sparse_metadata(values, numpy.dtype(getattr(ml_dtypes, {16: "bfloat16", 8: "float8_e5m2"}[BITS[a]])))
        at |= formatted.reshape(-1).astype(int) << digit
    found = {}
    for position, entry in enumerate(map(int, at)):
        tile, inside = divmod(position, 128 * 64)
        line, number = divmod(inside, 64)
        found[(*divmod(entry, entries), 0)] = [line, 4 * tile + number // 16, 2 * (number % 16)]
    return bases_of(found, [128, entries, 1])


# ---- Multiplications ----


def tensor_memory(writer, shape, name, layout):
    from jax.experimental.mosaic.gpu import tcgen05
    return tcgen05.TMEMRef(writer.address(), shape, writer.type(name), layout)


def write_multiplication(writer, question):
    """Has JAX write it; (its operands in Tensor Memory by name, factors in a group or nothing)."""
    from jax.experimental.mosaic.gpu import tcgen05
    ctas, rows, width, a, d, scale, sparse, moved_a = question
    n, pair = width // ctas, ctas == 2
    k = 1024 * (1 + sparse) // BITS[a]
    held = k // (1 + sparse)
    refs = {"d": tensor_memory(writer, (rows, width), d, tcgen05._infer_tmem_layout((rows, width), pair, 1))}
    if moved_a:
        packing = 32 // BITS[a]
        refs["a"] = tensor_memory(writer, (rows, held), a, tcgen05._infer_tmem_layout((rows, held), pair, packing))
    if scale:
        factors = k // (32 if scale == "ue8m0" else 16) // (1 + sparse)
        of_b = tcgen05.b_scales_m64_collective_layout() if pair and rows == 64 else tcgen05.scales_layout()
        of_b_rows = 256 if pair and rows == 64 else max(128, width)
        refs["sfa"] = tensor_memory(writer, (128, factors), scale, tcgen05.scales_layout())
        refs["sfb"] = tensor_memory(writer, (of_b_rows, factors), scale, of_b)
    if sparse:
        entries = k // (8 if BITS[a] == 4 else 4) * 2
        refs["e"] = tcgen05.TMEMRef(writer.address(), (rows, entries), writer.ir.Type.parse("i2"), tcgen05.sparse_meta_layout())
    b = writer.shared(a, n, k, True)
    swizzle = 32 if BITS[a] * k % 1024 else 128
    tcgen05.mma(refs["d"], refs["a"] if moved_a else writer.shared(a, rows, held, False), b, a_swizzle=swizzle, b_swizzle=swizzle,
                a_scale=refs.get("sfa"), b_scale=refs.get("sfb"), a_sparse_metadata=refs.get("e"), collective=pair)
    return refs


def instructions(writer):
    """Of each tcgen05.mma: (text, M, N, {operand: (lane, column)}, {operand: scale factor ID or selector})"""
    for text, operands, _ in writer.written():
        begin = re.search(r"tcgen05\.mma(?:\.sp)?\.cta_group::\d\.kind::\S+", text)
        if not begin:
            continue
        is_scaled, is_sparse, is_moved = "block_scale" in text, ".sp." in text, "[a_desc]" in text
        at = {number: numbers(operands[number], {}) for number in [0, 3, *range(5, len(operands)), *[1] * is_moved]}
        descriptor = at[3]
        places, ids = {"d": at[0]}, {"d": 0, "a": 0}
        if is_moved:
            places["a"] = at[1] + int(re.search(r"a_desc_low, \$1, (\d+);", text)[1])
        if is_scaled:
            places["sfa"], places["sfb"] = at[5], at[6]
            ids["sfa"], ids["sfb"] = descriptor >> 29 & 3, descriptor >> 4 & 3
        if is_sparse:
            places["e"] = at[len(operands) - 1]
            ids["e"] = 0 if is_scaled else descriptor & 3
        m = (descriptor >> 27 & 3) << 7 if is_scaled else (descriptor >> 24 & 31) << 4
        yield begin[0], m, (descriptor >> 17 & 63) << 3, {name: divmod(place, 1 << 16) for name, place in places.items()}, ids


def parts_of(operand, written, held):
    """[first column of the matrix, lane, column, ID] of each multiplication; of scale factors, those of one group of 4."""
    if operand == "d":
        places = list(dict.fromkeys(places["d"] for *_, places, _ in written))
        return [[at * written[0][2], *place, 0] for at, place in enumerate(places)]
    said = [(*places[operand], ids[operand]) for *_, places, ids in written]
    if operand in ("sfa", "sfb"):
        return [[factor, *place, factor] for *place, factor in dict.fromkeys(said) if not any(place)]
    said = list(dict.fromkeys(said))
    return [[at * held // len(said), *place] for at, place in enumerate(said)]


def is_moved(question, operand):
    """Whose loads and stores are asked for: those of all types and of narrow matrices."""
    _, _, width, a, _, scale, is_sparse, _ = question
    if operand not in ("d", "a") or scale or is_sparse:
        return False
    return a in ("f16", "e4m3", "s8") if operand == "a" else a == "f16" and width <= 128


def asked(question, known):
    """[multiplication, M, N, type, operand, shape, bases, parts, moves] of each operand that is not known; nothing of what JAX
    does not take."""
    _, _, width, a, d, scale, _, _ = question
    with Writer() as writer:
        try:
            refs = write_multiplication(writer, question)
        except (NotImplementedError, ValueError, AssertionError):
            return
        written = list(instructions(writer))
        text, m, n, *_ = written[0]
        assert all((text, m, n) == tuple(other[:3]) for other in written)
        for operand, ref in refs.items():
            kind = {"d": d, "a": a, "e": a}.get(operand, scale)
            shape = (ref.shape[0], 4) if operand in ("sfa", "sfb") else ref.shape
            key = (text, m, operand, kind, shape)
            if key in known or (operand == "e" and BITS[a] == 4) or (operand == "d" and scale and width < 256):
                continue  # of 4 bits JAX has nothing that formats metadata
            known.add(key)
            bases = metadata_places(a, shape[1]) if operand == "e" else places_of(ref.layout, shape, BITS[kind])
            parts = parts_of(operand, written, shape[1])
            moves = all_moves(writer, ref, BITS[kind]) if is_moved(question, operand) else []
            yield [text, m, n, kind, operand, shape, bases, parts, moves]


def asked_cases():
    import jax
    assert f"JAX {jax.__version__}".startswith(VERSION + "."), jax.__version__
    known = set()
    return [case for question in questions() for case in asked(question, known)]


# ---- The record ----


def text_of(value):
    return json.dumps(value, separators=(",", ":"))


def print_record(cases):
    for text, m, n, kind, operand, shape, bases, parts, moves in cases:
        print(text, f"{m}x{n}", f"{operand}.{kind}", "x".join(map(str, shape)), text_of(bases), text_of(parts), sep=" | ")
        for move in moves:
            print(move[0], *map(text_of, move[1:]), sep=" | ")


def recorded_cases(path):
    cases = []
    with open(path) as file:
        for line in file:
            words = line.rstrip("\n").split(" | ")
            if line.startswith("tcgen05.mma"):
                operand, kind = words[2].split(".")
                cases.append([words[0], *map(int, words[1].split("x")), kind, operand, list(map(int, words[3].split("x"))),
                              *map(json.loads, words[4:]), []])
            elif not line.startswith("#"):
                cases[-1][-1].append([words[0], *map(json.loads, words[1:])])
    return cases


# ---- The program's layouts ----


def says_so(report):
    return VERSION in report[0].get("agrees", "")


KINDS = {"f16": 16, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}


# JAX's layouts have no types, and MLIR's i8 has no sign: what is as wide is alike.
ALIKE = {"s8": ["s8", "u8"], "ue4m3": ["ue4m3", "ue8m0"]}


def fragment_names(case):
    text, m, n, kind, operand, *_ = case
    sparse, ctas, name, factors = re.fullmatch(
        r"tcgen05\.mma(\.sp)?\.cta_group::(\d)\.kind::(\w+)(?:\.block_scale\.scale_vec::(\d)X)?", text).groups()
    k = KINDS[name] * (2 if sparse else 1)
    width = f"n{n}" if operand in ("d", "sfb") else ""
    count = f".{factors}x" if operand in ("sfa", "sfb") else ""
    begin = f"tcgen05.mma{'.cta2' if ctas == '2' else ''}{sparse or ''}.m{m}{width}k{k}.{operand}{count}"
    return [f"{begin}.{alike}" for alike in ALIKE.get(kind, [kind])]


def move_name(text):
    name, shape, packed = re.fullmatch(r"tcgen05\.(\w+)\.sync\.aligned\.(\w+\.x\d+)(?:\.(pack|unpack)::16b)?\.b32", text).groups()
    return f"tcgen05.{name}.{shape}.r.{packed + '.b16' if packed else 'b32'}"


# ---- Comparing ----

# What JAX states otherwise: fragments, the bases of rows and of copies, and why.
DISAGREEMENTS = [
    (r"\.cta2\.m128.*\.sfb\.", [[[1 << bit, 0, 0] for bit in range(5)] + [[0, 1, 0], [0, 2, 0], [32, 0, 0]], [[64, 0, 0]]],
     "scale factors of B of a pair, M = 128: JAX has the first half of N in lanes 0 to 31 and 64 to 95, the second in the others; "
     "9.7.16.10.7 says all of N in all four. JAX's comment says so too, but its copy is .warpx2::01_23, which is CUTLASS's layout"),
]


def disagreement(name):
    return next((known for known in DISAGREEMENTS if re.search(known[0], name)), None)


def chosen(line, copy, choice, count):
    """The places of one copy, and one of so many IDs, or selectors; where there are no others, it is the line."""
    if copy is not None:
        line = [place[copy] for place in line]
    return [place[choice * len(place) // count] for place in line] if isinstance(line[0][0], list) else line


@functools.lru_cache(None)
def compare_operand(text, has_copies, ctas, operand, shape, said):
    """The error, or nothing, and the number of entries."""
    bases, parts = json.loads(said)
    table = table_of(text)
    lines = list(zip(*table)) if operand == "sfb" else table
    rows, cols, copies = (sums(axis, 3) for axis in bases)
    is_sfb, is_scale = operand == "sfb", operand in ("sfa", "sfb")
    count, width = len(lines) // (1 if is_sfb else ctas), len(lines[0])
    if [part[0] for part in parts] != list(range(0, shape[1], width)) or not (count <= shape[0] if is_scale else count == shape[0]):
        return f"{shape} of JAX are not {count} x {width}, {len(parts)} times", 0
    for cta, (first, lane, column, choice), row, at in itertools.product(range(ctas), parts, range(count), range(len(copies))):
        x, y, bit = (a ^ b for a, b in zip(rows[row], copies[at]))
        copy = (cta * len(copies) + at if is_sfb else at) if has_copies else None
        line = chosen(lines[row if is_sfb else cta * count + row], copy, choice, 4 if is_scale else 2)
        before, those = [cta][:ctas - 1], cols[first:first + width]
        if operand == "d":
            expected = [[*before, (x ^ a) - lane, (y ^ b) - column] for a, b, _ in those]
        else:
            expected = [[*before, (x ^ a) - lane, (y ^ b) - column, bit ^ c] for a, b, c in those]
        if line != expected:
            return f"copy {at} of row {row}, {first} is at {expected[0]}, says JAX, from {lane}, {column}", 0
    return "", ctas * len(parts) * count * width * len(copies)


@functools.lru_cache(None)
def compare_move(text, bits, is_packed, said):
    """The same of a load: what lies where JAX says, and is loaded from there."""
    bases, (threads, elements), addresses = json.loads(said)
    table = table_of(text)
    rows, cols, _ = (sums(axis, 3) for axis in bases)
    of_threads, of_elements = ([[a ^ b for a, b in zip(rows[row], cols[col])] for row, col in sums(axis, 2)] for axis in (threads, elements))
    starts = range(0, 32, 32 if is_packed else bits)
    for tid, (x, y, bit) in enumerate(of_threads):
        warp, line = tid // 32 * 32, table[tid % 32]
        expected = [[warp + lane + at[0], column + at[1], start] for lane, column in addresses for at in line for start in starts]
        if [[x ^ a, y ^ b, bit ^ c] for a, b, c in of_elements] != expected:
            return f"thread {tid} gets others", 0
    return "", len(of_threads) * len(of_elements)


def check_operand(reports, name, case):
    """(error, entries, known difference)"""
    operand, shape, bases, parts = case[4:8]
    if name not in reports:
        return "the program has none", 0, ""
    report, text = reports[name]
    said = text_of([bases, parts])
    wrong, count = compare_operand(text, report["copies"] > 1, 2 if ".cta2" in name else 1, operand, tuple(shape), said)
    known = disagreement(name)
    if known:
        is_known = wrong and [bases[0], bases[2]] == known[1] and not says_so(reports[name])
        return "" if is_known else "a known disagreement is gone, or another one", 0, known[2]
    return wrong or ("" if says_so(reports[name]) else "the program does not say that JAX agrees"), count, ""


def checks(reports, cases):
    """(name, error, entries, known difference) of each operand, and of each load and store of it."""
    for case in cases:
        names, kind, bases = fragment_names(case), case[3], case[6]
        for name in names:
            yield name, *check_operand(reports, name, case)
        for move in case[8]:
            how, wrong, count = move_name(move[0]), "the program has none", 0
            if how in reports:
                wrong, count = compare_move(reports[how][1], BITS[kind], "pack" in how, text_of([bases, *move[1:]]))
            yield f"{names[0]} by {how}, {len(move[2])} times", wrong, count, ""


def names_of(cases):
    return list(dict.fromkeys(name for case in cases for name in (*fragment_names(case), *(move_name(move[0]) for move in case[8]))))


def compare(program, cases, usually=1):
    """Prints TAP for one case in N, and returns the number of wrong ones."""
    vain = claims_without_cause(program, VERSION, [name for name in names_of(cases) if not disagreement(name)])
    asked = sample(cases, usually)
    return print_tap(checks(reports_of(program, names_of(asked)), asked), VERSION, vain)


if __name__ == "__main__":
    PREFACE = ("Operands and loads of Tensor Memory in JAX: tcgen05_jax.py --record",
               "Multiplications, shapes, bases and parts as tcgen05_jax.py explains them")
    sys.exit(run_test(sys.argv[1:], "JAX", PREFACE, asked_cases, print_record, recorded_cases, compare, 17))
