#!/usr/bin/env python3
"""registers_test.py MAPPING FOLDER_OF_TOOLS: a line of PTX and the line of SASS that ptxas makes of it name the same
registers.

Kernels load every register of A, B, C, metadata and scale factors from its own address, multiply, and store every
register of D. The loads and stores in nvdisasm's output show which SASS register each PTX register became. For every
thread and i of each operand, the program must name a register for the line of PTX, and the corresponding one for the
line of SASS."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from listing import instruction  # noqa: E402

mapping, tools = sys.argv[1], pathlib.Path(sys.argv[2])

# Architecture, opcode, registers of D, A, B and C (PTX ISA 9.0, 9.7.14.5), whether there are metadata, and scale factors.
PRODUCTS = [
    ("80", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 4, False, False),
    ("80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4, False, False),
    ("80", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 2, False, False),
    ("80", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 4, False, False),
    ("80", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, 4, False, False),
    ("80", "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", 2, 1, 1, 2, False, False),
    ("80", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2, 4, False, False),
    ("80", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, 2, False, False),
    ("80", "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, 4, True, False),
    ("89", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2, 4, False, False),
    ("90", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4, 4, False, False),
    ("120a", "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0", 4, 4, 2, 4, False, True),
    ("120a", "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3", 4, 4, 2, 4, False, True),
    ("120a", "mma.sp::ordered_metadata.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k64.row.col.f32.e4m3.e4m3.f32.ue8m0",
     4, 4, 4, 4, True, True),
]
BASES = {"d": 0x1000, "a": 0x2000, "b": 0x3000, "c": 0x4000, "e": 0x5000, "sfa": 0x6000, "sfb": 0x7000}
STEP = 64


def kernel(arch, opcode, d, a, b, c, has_metadata, has_scales):
    """The text of the kernel, the line with the product, and the registers of PTX by operand."""
    is_double = ".f64" in opcode
    counts = {"d": d, "a": a, "b": b, "c": c, "e": has_metadata, "sfa": has_scales, "sfb": has_scales}
    letter, of_type = ("fd", "f64") if is_double else ("r", "b32")
    names = {operand: [f"%{letter}{BASES[operand] // 0x1000 * 16 + n}" for n in range(count)] for operand, count in counts.items()}
    listed = [f"{{{','.join(names[operand])}}}" for operand in "dabc"]
    listed += [names["e"][0], "0x0"] if has_metadata else []
    listed += [names["sfa"][0], "{0, 0}", names["sfb"][0], "{0, 0}"] if has_scales else []
    line = f"{opcode} {', '.join(listed)};"
    moves = [(operand, f"[%rd1+{BASES[operand] + STEP * n}]", name) for operand in names for n, name in enumerate(names[operand])]
    loads = [f"ld.global.{of_type} {name}, {at};" for operand, at, name in moves if operand != "d"]
    stores = [f"st.global.{of_type} {at}, {name};" for operand, at, name in moves if operand == "d"]
    text = [".version 8.8", f".target sm_{arch}", ".address_size 64", ".visible .entry k(.param .u64 p) {", ".reg .b32 %r<128>;",
            ".reg .f64 %fd<128>;", ".reg .b64 %rd<2>;", "ld.param.u64 %rd1, [p];", *loads, line, *stores, "ret;", "}"]
    return "\n".join(text) + "\n", line, names


def assembled(folder, arch, text):
    (folder / "k.ptx").write_text(text)
    subprocess.run([tools / "ptxas", f"-arch=sm_{arch}", folder / "k.ptx", "-o", folder / "k.cubin"], check=True)
    return subprocess.run([tools / "nvdisasm", "-c", folder / "k.cubin"], check=True, capture_output=True, text=True).stdout


def became(listing):
    """Which register of SASS is at which offset of memory, and the line with the product."""
    at, product = {}, None
    for line in listing.splitlines():
        found = instruction(line)
        if found and found.opcode.startswith(("LDG.E", "STG.E")):
            register, address = found.operands if found.opcode.startswith("LDG") else found.operands[::-1]
            at[int(re.search(r"\+(0x[0-9a-f]+)\]", address)[1], 16)] = register
        elif found and "MMA" in found.opcode:
            assert product is None, "more than one instruction"
            product = line
    return at, product


def answers(arch, line):
    """The names of registers for each operand, by tid and i."""
    fragments = [one for one in json.loads(output(mapping, "--json", f"--arch=sm_{arch}", "--thread=*", line)) if one["fragment"].startswith("mma")]
    return {operand_of(one["fragment"]): {(p["tid"], p["i"]): p["names"] for p in one["answers"]} for one in fragments}


def operand_of(fragment):
    return next(word for word in fragment.split(".") if word in BASES)


def differences(folder, product):
    arch, opcode = product[:2]
    text, line, names = kernel(*product)
    at, sass = became(assembled(folder, arch, text))
    registers = {name: at[BASES[operand] + STEP * n] for operand in names for n, name in enumerate(names[operand])}
    in_ptx, in_sass = answers(arch, line), answers(arch, sass)
    assert in_ptx.keys() == in_sass.keys() == {operand for operand in names if names[operand]}, (in_ptx.keys(), in_sass.keys())
    for operand, places in in_ptx.items():
        used = set()
        for place, [name] in places.items():
            used.add(name)
            if in_sass[operand][place][0] != registers[name]:
                yield f"{operand} at {place}: {name} became {registers[name]}, not {in_sass[operand][place]}"
        if used != set(names[operand]):
            yield f"{operand} is in {sorted(used)}, not in {names[operand]}"


failed = 0
with tempfile.TemporaryDirectory() as folder:
    for product in PRODUCTS:
        found = list(differences(pathlib.Path(folder), product))
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'}: {product[1]} on sm_{product[0]}", *found[:3], sep="\n  ", file=sys.stderr)
sys.exit(failed > 0)
