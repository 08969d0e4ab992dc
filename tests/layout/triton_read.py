#!/usr/bin/env python3
"""Layouts as Triton prints them, compared with Triton's own linear layouts.

    triton_read.py --record COUNT              prints COUNT random layouts with the result of to_linear_layout
    triton_read.py --recorded PROGRAM FILE     compares the program with such a file; prints TAP
    triton_read.py --live PROGRAM COUNT        compares it with Triton itself
    triton_read.py --record-lanes COUNT        prints COUNT random layouts of Tensor Memory alone
    triton_read.py --record-gluon COUNT        prints COUNT random layouts as Gluon prints them, see gluon.txt

A line has the type of a tensor or memdesc as Triton prints it, a bar, and the bases: for registers as in #ttg.linear,
for shared memory those of the offset, for Tensor Memory those of lanes and columns in the first CTA. A line of Gluon
has the layout, and after " --" the words of the command line that give its shape and type. --record and --live need
Triton 3.9.
"""

import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402
from tap import sample  # noqa: E402

# ---- Triton's layouts ----


def powers(product, rank):
    """A random list of powers of two with that product."""
    sizes = [1] * rank
    while product > 1:
        sizes[random.randrange(rank)] *= 2
        product //= 2
    return sizes


def random_order(rank):
    return random.sample(range(rank), rank)


def random_cga(rank):
    if random.random() < 0.8:
        return []
    sizes, bases = [1] * rank, []
    for _ in range(random.randint(1, 2)):
        dim = random.randrange(rank + 1)
        bases.append([sizes[d] if d == dim else 0 for d in range(rank)])
        if dim < rank:
            sizes[dim] *= 2
    return bases


def random_blocked(layouts, rank):
    cga = random_cga(rank)
    return layouts.BlockedLayout(powers(random.choice([1, 2, 4, 8]), rank), powers(32, rank),
                                 powers(random.choice([1, 2, 4, 8]), rank), random_order(rank), cga)


def random_mma(layouts, rank=2):
    if random.random() < 0.4 and rank == 2:
        instruction = [16, random.choice([8, 16, 32, 64, 128, 256]), 16]
        return layouts.NVMMADistributedLayout([3, 0], [4, 1] if random.random() < 0.7 else [4, 2], instruction,
                                              random_cga(2))
    return layouts.NVMMADistributedLayout([2, 0], powers(random.choice([1, 2, 4, 8]), rank), [1] * (rank - 2) + [16, 8],
                                          random_cga(rank))


def random_shape(rank, least=1):
    most = {1: 10, 2: 7, 3: 5}[rank]
    return [1 << random.randint(least, most) for _ in range(rank)]


def random_registers(layouts):
    """A layout, a shape and the bits of an element."""
    kind = random.choice(["blocked", "mma", "dot", "dot_blocked", "slice", "slice_dot"])
    if kind == "blocked":
        rank = random.choice([1, 2, 2, 3])
        return random_blocked(layouts, rank), random_shape(rank, 0)
    if kind == "mma":
        rank = random.choice([2, 2, 2, 3])
        return random_mma(layouts, rank), random_shape(rank, 3)
    if kind == "dot":
        parent = random_mma(layouts, 2)
        operand = 0 if parent.version[0] == 3 else random.choice([0, 1])
        return layouts.DotOperandLayout(operand, parent, random.choice([1, 2, 4])), random_shape(2, 4)
    if kind == "dot_blocked":
        return layouts.DotOperandLayout(random.choice([0, 1]), random_blocked(layouts, 2), 0), random_shape(2, 2)
    if kind == "slice":
        rank = random.choice([2, 2, 3])
        parent = random_blocked(layouts, rank) if random.random() < 0.6 else random_mma(layouts, rank)
        return layouts.SliceLayout(random.randrange(rank), parent), random_shape(rank - 1, 0)
    parent = random_mma(layouts, 2)
    return layouts.SliceLayout(random.choice([0, 1]), layouts.DotOperandLayout(0, parent, 2)), random_shape(1, 3)


def random_shared(layouts):
    """A layout, a shape and the type of an element."""
    rank = random.choice([1, 2, 2, 2, 3])
    if random.random() < 0.5:
        phases = random.choice([1, 2, 4, 8])
        return (layouts.SwizzledSharedLayout(random.choice([1, 2, 4, 8]), random.choice([1, 2, 4]), phases,
                                             random_order(rank), random_cga(rank)), random_shape(rank, 0), "f16")
    rank = max(rank, 2)
    bits = random.choice([8, 16, 32])
    padded = bits == 8 and random.random() < 0.3
    layout = layouts.NVMMASharedLayout(random.choice([0, 32, 64, 128]) if not padded else 128, bits, rank,
                                       random.random() < 0.4 and not padded and rank == 2, padded, random_cga(rank))
    shape = random_shape(rank, 3)
    if random.random() < 0.3:
        shape[random.randrange(rank)] *= 4
    return layout, shape, f"i{bits}"


def random_lanes(builder):
    """A random attribute of Tensor Memory, with a shape and an element type."""
    if random.random() < 0.3:
        cga = random.choice([[], [], [[0, 0]], [[1, 0]], [[1, 0], [0, 1]]])
        shape = [1 << random.randint(4, 8), 1 << random.randint(0, 5)]
        return builder.get_tensor_memory_scales_layout(cga, random.choice(["mnThenK", "kThenMn"])), shape, "i8"
    element = random.choice(["f32", "f16", "i8"])
    rows, two = random.choice([64, 128]), random.random() < 0.3
    cga = random.choice([[[1, 0]], [[1, 0], [0, 1]], [[1, 0], [2, 0]]] if two else [[], [], [[1, 0]], [[0, 1]]])
    shape = [rows * random.choice([1, 1, 2]), 1 << random.randint(3, 6)]
    for basis in cga:
        shape = [size * 2 if step else size for size, step in zip(shape, basis)]
    stride = random.choice([1, 1, 32 // int(element[1:])])
    padded = element == "i8" and stride == 1 and random.random() < 0.3
    return builder.get_tensor_memory_layout([rows, 1 << random.randint(3, 6)], stride, cga, two, padded), shape, element


def triton_parts():
    from triton._C.libtriton import gluon_ir, ir, nvidia
    from triton.experimental.gluon.language import _layouts
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    return _layouts, gluon_ir.GluonOpBuilder(context), context


def linear_text(linear):
    names = {"register": linear.reg_bases, "lane": linear.lane_bases, "warp": linear.warp_bases,
             "block": linear.block_bases}
    return "#ttg.linear<{" + ", ".join(f"{name} = {bases}" for name, bases in names.items()) + "}>"


def gluon_lanes():
    """A random layout of Tensor Memory, a shape and the type of an element."""
    from triton.experimental.gluon.language.nvidia import blackwell
    rows, columns = random.choice([64, 128]), 1 << random.randint(3, 6)
    element = random.choice(["f32", "f16"])
    shape = [rows * random.choice([1, 1, 2]), 1 << random.randint(3, 6)]
    if random.random() < 0.2:
        return blackwell.TensorMemoryScalesLayout(), [1 << random.randint(5, 8), 1 << random.randint(0, 4)], "i8"
    return blackwell.TensorMemoryLayout((rows, columns), random.choice([1, 32 // int(element[1:])])), shape, element


def gluon_default(layouts):
    """What get_default_for chooses, as the call, the layout, a shape and the type of an element."""
    from triton.experimental.gluon import language as gl
    dtype, element = random.choice([(gl.float16, "f16"), (gl.int8, "i8"), (gl.float32, "f32")])
    rank = random.choice([2, 2, 3])
    shape, transposed = random_shape(rank, 2), rank == 2 and random.random() < 0.4
    call = f"gl.NVMMASharedLayout.get_default_for({shape}, gl.{dtype.name.replace('fp', 'float')}, transposed={transposed})"
    layout = layouts.NVMMASharedLayout.get_default_for(shape, dtype, transposed=transposed)
    return call.replace(", transposed=False", ""), layout, shape, element


def random_linear(layouts, builder):
    layout, shape = random_registers(layouts)
    return builder.to_linear_layout(layout._to_ir(builder), shape), shape


def make_gluon(layouts, builder):
    types = {"f16": builder.get_half_ty(), "i8": builder.get_int8_ty(), "i16": builder.get_int16_ty(),
             "i32": builder.get_int32_ty(), "f32": builder.get_float_ty()}
    kind = random.choice(["registers", "registers", "linear", "shared", "lanes", "default"])
    if kind in ("registers", "linear"):
        layout, shape = random_registers(layouts) if kind == "registers" else random_linear(layouts, builder)
        linear = builder.to_linear_layout(layout._to_ir(builder), shape)
        words = "" if kind == "linear" else f" --shape={','.join(map(str, shape))}"
        return f"{layout!r}{words} | {linear_text(linear)}"
    if kind == "lanes":
        layout, shape, element = gluon_lanes()
        attribute = layout._to_ir(builder)
        builder.get_tensor_mem_desc_ty(types[element], shape, attribute, shape)
        linear = builder.to_linear_layout(attribute, shape)
        return f"{layout!r} --shape={shape[0]},{shape[1]} --type={element.replace('i', 's')} | {linear.rows}, {linear.cols}"
    if kind == "default":
        text, layout, shape, element = gluon_default(layouts)
    else:
        layout, shape, element = random_shared(layouts)
        text = f"{layout!r} --shape={','.join(map(str, shape))} --type={element.replace('i', 'b')}"
    attribute = layout._to_ir(builder)
    builder.get_shared_mem_desc_ty(types[element], shape, attribute, shape)
    linear = builder.to_linear_layout(attribute, shape)
    return f"{text} | {linear.offset_bases} {linear.block_bases}"


def make_one(layouts, builder, only):
    """A line of the file; None if Triton does not take the layout."""
    if only == "gluon":
        return make_gluon(layouts, builder)
    types = {"f16": builder.get_half_ty(), "i8": builder.get_int8_ty(), "i16": builder.get_int16_ty(),
             "i32": builder.get_int32_ty(), "f32": builder.get_float_ty()}
    if only == "lanes" or random.random() < 0.2:
        attribute, shape, element = random_lanes(builder)
        text = str(builder.get_tensor_mem_desc_ty(types[element], shape, attribute, shape))
        linear = builder.to_linear_layout(attribute, shape)
        return f"{text} | {linear.rows}, {linear.cols}"
    if random.random() < 0.7:
        layout, shape = random_registers(layouts)
        attribute = layout._to_ir(builder)
        text = str(builder.get_distributed_ty(builder.get_half_ty(), shape, attribute))
        return f"{text} | {linear_text(builder.to_linear_layout(attribute, shape))}"
    layout, shape, element = random_shared(layouts)
    attribute = layout._to_ir(builder)
    text = str(builder.get_shared_mem_desc_ty(types[element], shape, attribute, shape))
    linear = builder.to_linear_layout(attribute, shape)
    return f"{text} | {linear.offset_bases} {linear.block_bases}"


def make_in_child(seed, layouts, builder, only):
    """The same in a separate process, because Triton aborts the process for a layout that it does not accept."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        random.seed(seed)
        try:
            line = make_one(layouts, builder, only) or ""
        except Exception:  # a layout that its Python classes refuse
            line = ""
        os.write(write, line.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        line = pipe.read()
    os.waitpid(child, 0)
    return line


def lines_of_triton(count, only=""):
    layouts, builder, _context = triton_parts()  # the builder does not keep its context
    found, seed = [], 0
    while len(found) < count and seed < 20 * count:
        line = make_in_child(seed, layouts, builder, only)
        seed += 1
        if line and line not in found:
            found.append(line)
    return found


# ---- The program's layouts ----


def run_program(program, *words):
    done = command(program, *words)
    return done.stdout if done.returncode in (0, 4) else f"exit status {done.returncode}: {done.stderr.strip()}"


def as_matrix(text):
    """The bases of a tensor of one dimension are those of a row; this is the form of an empty list."""
    return re.sub(r"\[(\d+)\]", r"[0, \1]", text)


def expected_offsets(bases, rank):
    """Where each element has its lowest offset."""
    lowest = {}
    for offset in range(1 << len(bases)):
        point = [0] * rank
        for bit, basis in enumerate(bases):
            if offset >> bit & 1:
                point = [a ^ b for a, b in zip(point, basis)]
        lowest.setdefault(tuple(point), offset)
    return lowest


def expected_lanes(bits, copies, lanes, columns):
    """The lowest lane and column of each element of the first CTA, for each of four copies if they are scale factors."""
    lowest = {}
    for lane in range((1 << len(lanes)) // copies):
        for column in range(1 << len(columns)):
            point = [0, 0]
            for value, bases in ((lane, lanes), (column, columns)):
                for bit, basis in enumerate(bases):
                    if value >> bit & 1:
                        point = [a ^ b for a, b in zip(point, basis)]
            for copy in range(copies):
                at = (*point, copy) if copies > 1 else tuple(point)
                lowest.setdefault(at, (lane + 32 * copy, column * bits // 32, column * bits % 32))
    return lowest


def judge_lanes(program, text, words, expected):
    said = run_program(program, text, *words, "--format=json")
    if not said.startswith("{"):
        return said
    bits = int(re.search(r"(?:x[fi]|--type=[fs])(\d+)", " ".join([text, *words]))[1])
    lowest = expected_lanes(bits, 4 if "scales" in text.lower() else 1, *json.loads(f"[{expected}]"))
    report, found = json.loads(said), {}

    def visit(table, point):
        if isinstance(table[0], list):
            for n, inner in enumerate(table):
                visit(inner, (*point, n))
            return
        place = dict(zip(report["coordinates"], table))
        if place.get("cta", 0) == 0:
            found[point] = (place["lane"], place["column"], place.get("bit", 0))
    visit(report["map"], ())
    wrong = [point for point, place in found.items() if lowest.get(point) != place]
    return f"{wrong[0]} is at {found[wrong[0]]}, not {lowest.get(wrong[0])}" if wrong else \
        "" if len(found) == len(lowest) else f"{len(found)} elements, not {len(lowest)}"


def entries_of(table, point=()):
    if isinstance(table, list):
        for n, inner in enumerate(table):
            yield from entries_of(inner, (*point, n))
    else:
        yield point, table


def judge(program, line):
    """The error, or nothing."""
    text, expected = line.rsplit(" | ", 1)
    text, *words = text.split(" --")
    words = [f"--{word}" for word in words]
    if expected.startswith("#ttg.linear"):
        said = run_program(program, text, *words, "--format=triton", "--brief").strip()
        return "" if said == as_matrix(expected) else f"{said}\nTriton: {as_matrix(expected)}"
    if "tensor_memory_" in text or text.startswith("TensorMemory"):
        return judge_lanes(program, text, words, expected)
    bases = json.loads(expected[:expected.index("]]") + 2] if expected.startswith("[[") else "[]")
    said = run_program(program, text, *words, "--format=json")
    if not said.startswith("{"):
        return said
    rank = len(bases[0]) if bases else 2
    lowest = expected_offsets(bases, rank)
    table = dict(entries_of(json.loads(said)["map"]))
    if rank == 1:
        table = {point[1:]: offset for point, offset in table.items()}
    wrong = [point for point, offset in table.items() if lowest.get(point) != offset]
    return f"{wrong[0]} is at {table[wrong[0]]}, not {lowest.get(wrong[0])}" if wrong or len(table) != len(lowest) else ""


def compare(program, lines):
    failures = 0
    for number, line in enumerate(lines, 1):
        wrong = judge(program, line)
        failures += wrong != ""
        print(f"{'not ' if wrong else ''}ok {number} - {line.rsplit(' | ', 1)[0].replace('#', '')}")
        if wrong:
            print("\n".join(f"# {part}" for part in wrong.splitlines()))
    print(f"1..{len(lines)}")
    return failures > 0


def main(arguments):
    if arguments[0].startswith("--record") and arguments[0] != "--recorded":
        import triton
        print(f"# Layouts as Triton prints them, and the linear layouts that it makes of them: triton_read.py {arguments[0]}")
        print(f"# Triton {triton.__version__}")
        print("\n".join(lines_of_triton(int(arguments[1]), arguments[0][len("--record-"):])))
        return 0
    if arguments[0] == "--live":
        return compare(arguments[1], lines_of_triton(int(arguments[2])))
    with open(arguments[2]) as file:
        return compare(arguments[1], sample([line.rstrip("\n") for line in file if not line.startswith("#")], 12))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
