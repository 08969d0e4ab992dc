#!/usr/bin/env python3
"""Generates the names of LLVM's intrinsics for fragments, each with its opcode of PTX: both must have the same answer.

    intrinsics_test.py MAPPING     prints TAP; THOROUGH=1 tests all names instead of one in 11
"""

import itertools
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap  # noqa: E402

mapping = sys.argv[1]
FP8 = ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"]
SMALL = FP8[2:]
INTEGERS = ["s8", "u8", "s4", "u4"]
product = itertools.product


def ops(shapes, as_, bs=None, cs=("f32",), ds=None):
    """(shape, A, B, C, D) as LLVM's MMA_OPS: without bs, B has the type of A, and without ds, D has that of C."""
    return [(shape, a, b, c, d) for shape in shapes for a in as_ for b in bs or [a] for c in cs for d in ds or [c]]


def signature(op):
    """The types in the name, as LLVM's MMA_SIGNATURE."""
    _, a, b, c, d = op
    return [d, a, b, c] if a in FP8 else [d, c] if a == "f16" else [a, b] if a != b else [a]


def llvm(*words):
    return ".".join(["llvm.nvvm", *(word for word in words if word)])


def ptx(*words):
    return ".".join(word for word in words if word)


def wmma():
    both = [(a, b) for a in ("row", "col") for b in ("row", "col")]
    cubes = ["m16n16k16", "m32n8k16", "m8n32k16"]
    halves = ["f16", "f32"]
    small = ["s4", "u4", "b1"]
    for op in (ops(["m16n16k8"], ["tf32"]) + ops(cubes, ["bf16"]) + ops(["m8n8k4"], ["f64"], cs=["f64"]) + ops(cubes, ["f16"], cs=halves, ds=halves)
               + ops(cubes, ["s8", "u8"], cs=["s32"]) + ops(["m8n8k32"], ["s4", "u4"], cs=["s32"]) + ops(["m8n8k128"], ["b1"], cs=["s32"])):
        shape, a, b, c, d = op
        for (la, lb), rnd, sat in product(both, ["", "rn", "rz", "rm", "rp"] if a == "f64" else [""], ["", "satfinite"] if a in INTEGERS else [""]):
            if a in small and (la, lb) != ("row", "col"):
                continue
            for bits in ["xor.popc", "and.popc"] if a == "b1" else [""]:
                types = [d, c] if a == "f16" else [d, a, b, c]
                yield (90, llvm("wmma", shape, "mma", bits, la, lb, rnd, *signature(op), sat),
                       ptx("wmma.mma", bits, "sync.aligned", la, lb, shape, rnd, *types, sat))
    moved = [(cubes, "ab", ["f16", "u8", "s8", "bf16"]), (cubes, "cd", ["f16", "f32", "s32"]), (["m16n16k8"], "ab", ["tf32"]),
             (["m16n16k8"], "cd", ["f32"]), (["m8n8k4"], "abcd", ["f64"]), (["m8n8k32"], "ab", ["s4", "u4"]), (["m8n8k128"], "ab", ["b1"]),
             (["m8n8k32", "m8n8k128"], "cd", ["s32"])]
    for shapes, operands, types in moved:
        for shape, operand, type_, layout, stride in product(shapes, operands, types, ["row", "col"], ["", "stride"]):
            if type_ in small and layout != {"a": "row", "b": "col"}[operand]:
                continue
            name = "store" if operand == "d" else "load"
            yield (90, llvm("wmma", shape, name, operand, layout, stride, type_) + ".p3",
                   ptx("wmma", name, operand, "sync.aligned", layout, shape, type_))


def mma():
    halves = ["f16", "f32"]
    for op in (ops(["m16n8k4", "m16n8k8"], ["tf32"]) + ops(["m16n8k16", "m16n8k8"], ["bf16"])
               + ops(["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"], ["f64"], cs=["f64"])
               + ops(["m8n8k4", "m16n8k8", "m16n8k16"], ["f16"], cs=halves, ds=halves) + ops(["m8n8k16", "m16n8k16", "m16n8k32"], INTEGERS[:2], INTEGERS[:2], ["s32"])
               + ops(["m8n8k32", "m16n8k32", "m16n8k64"], INTEGERS[2:], INTEGERS[2:], ["s32"]) + ops(["m8n8k128", "m16n8k128", "m16n8k256"], ["b1"], cs=["s32"])
               + ops(["m16n8k16"], FP8[:2], FP8[:2], halves) + ops(["m16n8k32"], FP8, FP8, halves)):
        shape, a, b, c, d = op
        for la, lb, sat, kind in product(("row", "col"), ("row", "col"), ["", "satfinite"] if a in INTEGERS else [""], ["", "f8f6f4"] if a in FP8 else [""]):
            if (la, lb) != ("row", "col") and (shape, a) != ("m8n8k4", "f16") or (c, d) == ("f32", "f16") and shape == "m8n8k4":
                continue
            if c != d and shape != "m8n8k4" or kind and shape != "m16n8k32" or not kind and (a in SMALL or b in SMALL):
                continue
            for bits in ["xor.popc", "and.popc"] if a == "b1" else [""]:
                yield (120 if a in FP8 else 90, llvm("mma", bits, shape, la, lb, kind and "kind." + kind, sat, *signature(op)),
                       ptx("mma.sync.aligned", shape, la, lb, kind and "kind::" + kind, sat, d, a, b, c, bits))
    for sp, op in [("", op) for op in ops(["m16n8k64"], ["e2m1"]) + ops(["m16n8k32"], FP8, FP8)] + [
            ("sp", op) for op in ops(["m16n8k128"], ["e2m1"]) + ops(["m16n8k64"], FP8, FP8)]:
        shape, a, b, c, d = op
        mxf4 = shape in ("m16n8k64", "m16n8k128") and not (sp and shape == "m16n8k64")
        kinds = [("mxf4", "", "ue8m0"), ("mxf4", "2", "ue8m0"), ("mxf4nvf4", "2", "ue8m0"), ("mxf4nvf4", "4", "ue8m0"), ("mxf4nvf4", "4", "ue4m3")]
        for kind, vector, scale in kinds if mxf4 else [("mxf8f6f4", "", "ue8m0"), ("mxf8f6f4", "1", "ue8m0")]:
            yield (120, llvm("mma", sp and "sp.ordered.metadata", "block.scale", shape, "row.col", kind, vector and f"scale.{vector}x", *signature(op), scale),
                   ptx("mma" + (sp and ".sp::ordered_metadata"), "sync.aligned", shape, "row.col", "kind::" + kind, "block_scale",
                       vector and f"scale_vec::{vector}X", d, a, b, c, scale))
    for op in (ops(["m16n8k16", "m16n8k32"], ["bf16"]) + ops(["m16n8k8", "m16n8k16"], ["tf32"]) + ops(["m16n8k16", "m16n8k32"], ["f16"], cs=halves)
               + ops(["m16n8k64"], FP8, FP8, halves) + ops(["m16n8k64", "m16n8k128"], INTEGERS[2:], INTEGERS[2:], ["s32"])
               + ops(["m16n8k32", "m16n8k64"], INTEGERS[:2], INTEGERS[:2], ["s32"])):
        shape, a, b, c, d = op
        for ordered, kind, sat in product([False, True], ["", "f8f6f4"] if a in FP8 else [""], ["", "satfinite"] if a in INTEGERS else [""]):
            if not kind and (a in SMALL or b in SMALL or a in FP8 and c == "f16") or kind and not ordered:
                continue
            yield (120 if a in FP8 else 90, llvm("mma.sp", ordered and "ordered.metadata", shape, "row.col", kind and "kind." + kind, sat, *signature(op)),
                   ptx("mma.sp" + ("::ordered_metadata" if ordered else ""), "sync.aligned", shape, "row.col", kind and "kind::" + kind, sat, d, a, b, c))


def moves():
    packed = ["b8x16.b6x16_p32", "b8x16.b4x16_p64"]
    forms = [("ldmatrix", "m8n8", [1, 2, 4], ["", "trans"], ["b16"]), ("ldmatrix", "m16n16", [1, 2], ["trans"], ["b8", *packed]),
             ("ldmatrix", "m8n16", [1, 2, 4], [""], packed), ("stmatrix", "m8n8", [1, 2, 4], ["", "trans"], ["b16"]),
             ("stmatrix", "m16n8", [1, 2, 4], ["trans"], ["b8"])]
    for name, shape, counts, trans, types in forms:
        for count, t, type_, space in product(counts, trans, types, ["", ".p0", ".p3"]):
            opcode = ptx(name, "sync.aligned", shape, f"x{count}", t, type_)
            yield 120 if shape != "m8n8" else 90, "llvm.nvvm." + opcode + space, opcode
    yield 90, "llvm.nvvm.movmatrix.sync.aligned.m8n8.trans.b16", "movmatrix.sync.aligned.m8n8.trans.b16"


def tcgen05():
    for shape, count in product(["16x64b", "16x128b", "16x256b", "32x32b", "16x32bx2"], [1 << n for n in range(8)]):
        if count * {"16x128b": 2, "16x256b": 4}.get(shape, 1) > 128:
            continue
        offset = "i64 2, " if shape == "16x32bx2" else ""
        for way, value, packed in (("ld", "", "pack::16b"), ("st", "<4 x i32> %packed, ", "unpack::16b")):
            name, opcode = llvm("tcgen05", way, shape, f"x{count}"), ["tcgen05", way, "sync.aligned", shape, f"x{count}"]
            yield 100, name, ptx(*opcode, "b32")
            yield 100, f"@{name}(ptr addrspace(6) %unpack, {offset}{value}i1 false)", ptx(*opcode, "b32")
            yield 100, f"@{name}(ptr addrspace(6) %t, {offset}{value}i1 true)", ptx(*opcode, packed, "b32")
    shapes = ["128x256b", "4x256b", "128x128b", "64x128b_warpx2_02_13", "64x128b_warpx2_01_23", "32x128b_warpx4"]
    for shape, format_, group in product(shapes, ["", "b6x16_p32", "b4x16_p64"], [1, 2]):
        size, _, warps = shape.partition("_")
        yield (100, llvm("tcgen05.cp", shape, format_, f"cg{group}"),
               ptx(f"tcgen05.cp.cta_group::{group}", size, warps.replace("_", "::", 1), format_ and "b8x16." + format_))
    for group in 1, 2:
        yield 100, f"llvm.nvvm.tcgen05.shift.down.cg{group}", f"tcgen05.shift.cta_group::{group}.down"
    for sparse, space, scale_d, shift in product(["", "sp"], ["tensor", "shared"], ["", "scale_d"], ["", "ashift"]):
        if shift and space == "shared":
            continue
        yield 100, llvm("tcgen05.mma", sparse, space, scale_d, shift), ptx("tcgen05.mma", sparse)
        for number, kind in enumerate(["f16", "tf32", "f8f6f4", "i8"]):
            for group in 1, 2:
                opcode = ptx("tcgen05.mma", sparse, f"cta_group::{group}", "kind::" + kind)
                name = llvm("tcgen05.mma", sparse, space, scale_d)
                yield 100, f"@{name}{shift and '.' + shift}(ptr addrspace(6) %d, i64 %a, i64 %b, i32 0, i1 true, i32 {number}, i32 {group}, i32 1)", opcode
                yield 100, f"@{name}.disable_output_lane.cg{group}{shift and '.' + shift}(ptr addrspace(6) %d, <4 x i32> %l, i32 {number}, i32 0)", opcode
        if scale_d or shift:
            continue
        for number, kind in enumerate(["f16", "tf32", "f8f6f4", "i8"]):
            yield (100, f"@{llvm('tcgen05.mma.ws', sparse, space)}(ptr addrspace(6) %d, i64 %b, i32 {number}, i32 1, i32 2)",
                   ptx("tcgen05.mma.ws", sparse, "cta_group::1", "kind::" + kind))
        for kind, block in [("mxf8f6f4", ""), ("mxf4", ""), ("mxf4nvf4", "block16"), ("mxf4", "block32"), ("mxf4nvf4", "block32"), ("mxf8f6f4", "block32")]:
            for group in 1, 2:
                yield (100, f"@{llvm('tcgen05.mma', sparse, space, kind, 'block_scale', block)}(ptr addrspace(6) %d, i32 {group}, i32 0)",
                       ptx("tcgen05.mma", sparse, f"cta_group::{group}", "kind::" + kind, "block_scale", block))


def run(arch, name):
    done = subprocess.run([mapping, f"-a{arch}", name, "-fjson"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


names = [*wmma(), *mma(), *moves(), *tcgen05()]
step = 1 if os.environ.get("THOROUGH") else 11
for arch, name, opcode in names[::step]:
    is_, expected = run(arch, name), run(arch, opcode)
    # M and N of tcgen05.mma are not in its opcode: the message names the opcode.
    known = expected[0] == 0 or "instruction descriptor" in expected[2]
    tap.ok(name, known and is_ == expected, f"{opcode}\n{is_[2]}{expected[2]}")
sys.exit(tap.finish())
