#!/usr/bin/env python3
"""Random command lines about matrices in memory, built from parts that are valid, invalid, huge, empty or long.

    odd_lines_test.py MAPPING COUNT [SEED]

For each, the program must exit by itself with a status of --help: 0, 1 or 4 with output on standard output and nothing
on standard error, or 2 or 3 with nothing on standard output and a sentence, "mapping: ...", on standard error. A report
of a sanitizer is not such a sentence. Prints "N command lines, W wrong", and each wrong one.

Expected values: the statuses that --help states; sanitizers.
"""

import os
import random
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import formats  # noqa: E402

mapping, count = sys.argv[1], int(sys.argv[2])
random_ = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)

LAYOUTS = [
    "(64,64):(64,1)", "(64,64):(1,64)", "(64,64):(72,1)", "(64,4):(1,64)", "(16,16):(16,1)", "(8,8)", "(1,1):(0,0)",
    "(1,1)",
    "Sw<3,3,3> o 0 o (64,64):(64,1)", "Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)", "(32,32,4):(32,1,1024)",
    "Sw<2,3,3> o 0 o ((8,2,2,2),4):((1,64,32,128),8)", "Layout_K_SW128_Atom", "Layout_MN_INTER_Atom",
    "Layout_K_SW999_Atom",
    "TensorOpMultiplicand<16,64>", "TensorOpMultiplicand<8,16>", "TensorOpMultiplicand<0,0>",
    "TensorOpMultiplicand<>",
    "TensorOpMultiplicand<16,99999999999>", "VoltaTensorOpMultiplicandCongruous<16>", "ColumnMajorInterleaved<4>",
    "ColumnMajorInterleaved<0>", "ColumnMajorInterleaved<4294967295>", "RowMajor", "PitchLinear", "ColumnMajor",
    "(64,64):(0,1)", "(64,64):(1,1)", "(64,64):(64)", "(64,64", "64,64):", "(64,64):(64,1)x", "(0,0):(0,0)",
    "(-1,4):(4,1)",
    "(65536,65536):(65536,1)", "(4294967296,1):(1,1)", "(1024,1024):(1024,1)", "(2,2):(2147483647,1)",
    "(1,2):(1,2147483646)",
    "(" * 300 + "4" + ")" * 300, "((((4,4),4),4),4):((((1,4),16),64),256)", "Sw<0,0,0> o 0 o (8,8):(8,1)",
    "Sw<9,9,31> o 0 o (64,64):(64,1)", "Sw<1,0,1> o 4 o (8,8):(8,1)", "Sw<3,3,3>", "Sw<,,> o 0 o (8,8)",
    "(3,5):(13,2)",
    "(5,7):(7,1)", "(128,256):(256,1)", "(2,2,2,2):(8,4,2,1)", "16:1", "16", "", " ", "(64,64) : (64,1)",
    " (8,8):(8,1) ",
    "(%n%s,4):(4,1)", "(8,8):(8,1)\n", "smem_ptr[16b](unset) o (8,8):(8,1)", "smem_ptr[4b](unset) o (64,64):(64,1)",
    "Sw<3,4,3> o smem_ptr[8b](unset) o (64,64):(64,1)", "A" * 5000, "(" + "4," * 2000 + "4):(1)",
    "mma.m16n8k16.a.f16",
]
FRAGMENTS = [
    "mma.m16n8k16.a.f16", "mma.m16n8k16.b.f16", "mma.m16n8k16.d.f32", "mma.m16n8k16", "mma.m16n8k16.*", "mma.*", "*",
    "mma.m8n8k4.a.col.f16", "mma.m8n8k4.d.f32", "ldmatrix.m8n8.x4.r.b16", "ldmatrix.m8n8.x1.r.b16",
    "ldmatrix.m8n8.x1.p.b16",
    "stmatrix.m8n8.x1.r.b16", "mma.sp.m16n8k16.e.f16", "mma.sp.m16n8k32.a.f16", "mma.m16n8k64.a.s4",
    "mma.m16n8k256.a.b1",
    "mma.m8n8k4.a.f64", "wgmma.m64n256k16.d.f32", "wgmma.m64n8k16.a.f16", "wmma.m16n16k16.a.row.f16",
    "mma.m16n8k32.a.e4m3",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "fragment<matrix_a,16,16,16,half,row_major>",
    "SM80_16x8x16_F32F16F16F32_TN", "HMMA.16816.F32 R4, R8, R16, R4", "mma.m16n8k32.sfa.ue8m0", "cp.async", "tma",
    "TMA",
    "(64,64):(64,1)", "RowMajor", "", " ", "x" * 3000, "mma.m16n8k16.a.f17", "%s%n", "tcgen05.mma.m128n8k16.d.f32",
    "ldmatrix.m16n16.x1.r.trans.b8", "mma.m16n8k8.a.tf32", "mma.m16n8k32.a.e2m1", "movmatrix.m8n8.r.b16",
]
VALUES = {
    "--load": FRAGMENTS, "--store": FRAGMENTS, "--convert": FRAGMENTS,
    "--origin": ["0,0", "row,col", "16,16", "48,48", "8,0", "-1,0", "0", "0,0,0", "4294967295,4294967295",
                 "99999999999999999999,0", "", ",",
                 "a,b", "1-2,0", "*,*", " 0,0", "0x10,0", "0,0 ", "1,", "16,0junk"],
    "--with": ["ld.b128", "ld.b32", "ld.u8", "st.b128", "st.b32", "ldmatrix.x4", "ldmatrix.x4.trans", "stmatrix.x2",
               "ldmatrix",
               "ld", "", "x" * 2000, "ld.b256", "LDS.128", "STS.64", "cp.async", "ldmatrix.x4.r", "LDSM.16.MT88.4",
               "%s"],
    "--at": ["0,0", "63,63", "64,0", "*,*", "0-3,0", "3-0,0", "0", "0,0,0", "", "-1,0", "99999999999,0",
             "0,0,0,0,0", "*"],
    "--offset": ["0", "70", "*", "0-5", "99999999999", "-1", "", "1,2", "x", "4294967295"],
    "--extent": ["64,64", "8,64", "64,8", "32,32", "0,0", "1,1", "63,64", "65536,65536", "4294967295,4294967295",
                 "64", "", "64,64,64",
                 "-8,8", "a,b", "1024,1024", "2,524288"],
    "--type": ["f16", "f32", "s8", "s4", "b1", "f64", "fp8", "int8", "half", "", "x", "e2m1", "s32", "all", "b16"],
    "--format": [*formats(mapping), ""],
    "--style": ["bits", "short", "divide", "x", ""], "--arch": ["sm_70", "80", "90", "all", "sm_80,sm_90", "h100",
                "100", "x", ""],
    "--atom-layout": ["(2,2,1)", "(2,2,1):(2,1,0)", "2", "", "(0,0,0)", "(1024,1024,1)", "(4,1,1)", "x",
                      "(2,2,1):(0,0,0)"],
    "--permutation": ["((4,4,2):(1,8,4)),32,4", "32,32,_", "16,16,16", "_,_,_", "", "x", "1,1,1", "99999999999,1,1",
                      "0,0,0"],
    "--verify": ["offset = row * 64 + col", "row = offset / 64", "offset = 1 / 0", "offset =", "", "tid = row",
                 "offset = offset",
                 "row = offset / 64; col = offset % 64", "offset = row << 40", "x" * 3000, "stage = 0"],
    "--source": ["isa", "recorded", "gpu", "sass", "isa,recorded", "x", "auto"], "--thread": ["0", "0,0"],
                 "--operand": ["a", "x"],
    "--address": ["tid*4", "0"], "--access": ["ld.b32"], "--map": ["/dev/null", "-"], "--outputs": ["offset"],
}
FLAGS = ["--suggest", "--suggest", "--detail", "--brief", "--verbose", "--order", "--all", "--list",
         "--color=never", "--check=/dev/null"]
LIKELY = ["--load", "--load", "--load", "--store", "--store", "--origin", "--with", "--at", "--offset", "--extent", "--type",
          "--format", "--format", "--arch", "--atom-layout", "--permutation"]


def choose():
    arguments = [random_.choice(LAYOUTS[:12] if random_.random() < 0.6 else LAYOUTS)
                 for _ in range(random_.choice((0, 1, 1, 1, 1, 2)))]
    for _ in range(random_.choice((0, 1, 1, 2, 2, 3, 4, 6))):
        option = random_.choice(LIKELY if random_.random() < 0.8 else list(VALUES) + FLAGS)
        if option in VALUES:
            values = VALUES[option]
            value = random_.choice(values[:3] if random_.random() < 0.5 else values)
            option = f"{option}={value}"
        arguments.append(option)
    if random_.random() < 0.15:
        arguments.append("--suggest")
    random_.shuffle(arguments)
    return arguments


def judge(arguments):
    try:
        done = subprocess.run([mapping, *arguments], capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
                              env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "CUDA_HOME": "/nowhere"})
    except subprocess.TimeoutExpired:
        return "takes longer than a minute"
    if done.returncode not in (0, 1, 2, 3, 4):
        return f"status {done.returncode}: {done.stderr[:600].decode(errors='replace')}"
    if done.returncode in (2, 3):
        said = done.stderr.decode()
        if done.stdout:
            return f"status {done.returncode}, and prints"
        if not said.startswith("mapping: ") or "ERROR" in said or "runtime error" in said or len(said) > 1500:
            return f"says {said[:800]!r}"
    elif done.stderr or not done.stdout:
        return f"status {done.returncode}, and says {done.stderr[:600]!r}"
    return None


wrong = []
for _ in range(count):
    line = choose()
    why = judge(line)
    if why:
        wrong.append(f"{shlex.join(a if len(a) < 200 else a[:60] + '...' for a in line)}\n    {why}")
print("\n".join([*wrong[:20], f"{count} command lines, {len(wrong)} wrong"]))
sys.exit(len(wrong) > 0)
