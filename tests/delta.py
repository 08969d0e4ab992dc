#!/usr/bin/env python3
"""Records what the program prints for thousands of command lines, and compares two such records.

    python3 tests/delta.py record ./mapping before.db    # before a change
    python3 tests/delta.py record ./mapping after.db     # after it
    python3 tests/delta.py compare before.db after.db    # which command lines answer differently, and how

The command lines are the same in every run: those of the tables below, every fragment of `--list`, and a seeded random
sample of options that are put together without regard to whether they fit. No GPU and no CUDA tool is used, so that
the answers are the same on every machine. A record is an SQLite database: command line, status, both outputs.
"""
import concurrent.futures
import difflib
import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import zlib

import records

ARCHS = [str(arch) for arch in records.ARCHS]
FORMATS = "text json csv markdown cuda cute triton svg html tikz".split()

FRAGMENTS = """wmma.m16n16k16.d.f32 wmma.m16n16k16.a.row.f16 wmma.m8n32k16.b.col.s8 mma.m16n8k16.a.bf16 mma.m16n8k16.d.f32
mma.m8n8k4.a.col.f16 mma.m16n8k32.b.e4m3 mma.m16n8k256.a.b1 mma.sp.m16n8k16.e.f16 mma.sp.m16n8k32.a.f16
ldmatrix.m8n8.x4.r.b16 ldmatrix.m8n8.x4.p.b16 stmatrix.m8n8.x2.r.b16 movmatrix.m8n8.d.b16 wgmma.m64n16k16.d.f32
wgmma.m64n8k16.a.f16 mma.m8n8k4.d.f64 tcgen05.mma.m128n64k16.d.f32 tcgen05.ld.16x64b.x4.r.b32
tcgen05.mma.m128n128k64.sfb.4x.ue4m3 tcgen05.mma.cta2.m256n64k16.d.f32""".split()

MEMORY = """(64,64):(64,1)|Sw<3,3,3> o 0 o (64,64):(64,1)|(64,32):(1,64)|((8,4),(8,8)):((8,64),(1,256))|(48,42):(42,1)
Layout_K_SW128_Atom|Layout_MN_SW64_Atom<half_t>|TensorOpMultiplicand<16,64>|TensorOpMultiplicandCongruous<16,64>
RowMajor|ColumnMajorInterleaved<32>|(128,64):(4096,1)|Sw<2,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)""".replace("\n", "|").split("|")

NAMES = """mma.m16n8k16|mma.*.d.f32|mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32|SM80_16x8x16_F32F16F16F32_TN
HMMA.16816.F32 R4, R8, R16, R4|fragment<matrix_a,16,16,16,half,row_major>|wmma.m16n16k16|wgmma.m64n8k16
wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16|SM90_64x8x16_F32F16F16_SS|SM75_U32x4_LDSM_N|tcgen05.mma.cta_group::1.kind::f16
tcgen05.ld.sync.aligned.32x32b.x8.b32|IMMA.16832.S8.S8|nvcuda::wmma::fragment<accumulator,16,16,16,float>
mma.m16n8k17.d.f32|wmma.m16n16k16.d|wgmma.m64n8k16.b.f16|tcgen05.m128n256.d.f32|nonsense|ldmatrix.sync.aligned.m8n8.x4.shared.b16
(64,64|Sw<9,9,9> o 0 o (8,8):(8,1)|mma.m16n8k16.x.f16|SM999_FOO|HMMA.99999|volta|--""".replace("\n", "|").split("|")

QUESTIONS = """--at=0,0 --at=3,5 --at=1-3,2 --at=*,0 --at=99,0 --at=1 --thread=0 --thread=5,1 --thread=* --thread=200 --tid=3-4
--lane=3 --lane=0,5 --offset=7 --offset=0-9 --offset=99999999 --at=x""".split()

FLAGS = """--detail --brief --all --list --cells --order --suggest --verbose --style=short --style=divide --style=bits
--color=always --color-by=element --color-by=bank --type=f16 --type=float --type=s8 --operand=a --operand=d --extent=64,64
--source=recorded --source=isa --source=published --source=isa,recorded --device=0 --timeout=3
--atom-layout=(2,2,1) --permutation=32,32,_ --convert=mma.m16n8k16.a.f16 --convert=mma.m16n8k16.d.f32 --load=mma.m16n8k16.a.f16
--load=mma.m16n8k16.b.f16 --store=mma.m16n8k16.d.f32 --store=cp.async --store=tma --with=ld.b32 --with=ldmatrix.x4
--with=tcgen05.ld.32x32b.x8 --origin=8,16 --access=ld.b128 --address=tid*16 --verify=row=tid/4+i/2*8;col=tid%4*2+i%2
--verify=row=offset/64 --diff=sm_75,sm_80 --diff=sm_90,sm_100 --arch=all --outputs=row --help --version""".split()

ACCESSES = "ld.u8 ld.u16 ld.b32 ld.b64 ld.b128 st.b32 st.b128 ldmatrix.x1 ldmatrix.x2 ldmatrix.x4 stmatrix.x4 LDS.64 ld.shared.v4.f32 ldmatrix ld.b99".split()
ADDRESSES = "tid*16|tid*4|tid*128|tid%8*128+tid/8*16|tid|(tid^1)*4|0|tid*16^(tid&8)*2|tid<16?tid*4:0|tid/0|-4|foo".split("|")

VERIFIES = """row = lane / 4 + i / 2 * 8; col = lane % 4 * 2 + i % 2|row = lane/4+8*(i>=2); col = lane%4*2+(i&1)|row = tid / 4|col = i
int g = lane >> 2; row = g + (i >> 1) * 8; col = (lane & 3) * 2 + (i & 1)|tid = row * 4 + col / 2|i = 0|row = 0|row = x|row =|row = 1 / 0
auto x = i < 2; row = lane / 4 + (x ? 0 : 8)|unsigned r = lane; r /= 4; if (i > 1) r += 8; row = r|row = offset / 64; col = offset % 64
offset = row * 64 + col|lane = row; column = col""".replace("\n", "|").split("|")

MAPS = {
    "good.csv": "tid,i,row,col\n" + "".join(f"{t},{i},{t // 4 + i // 2 * 8},{t % 4 * 2 + i % 2}\n" for t in range(32) for i in range(4)),
    "bank.csv": "c,s,bank\n" + "".join(f"{c},{s},{c ^ (s & 3)}\n" for c in range(8) for s in range(8)),
    "odd.csv": "tid,i,row,col\n" + "".join(f"{t},0,{t * t % 7},{t // 3}\n" for t in range(32)),
    "tid.csv": "tid,i,offset\n" + "".join(f"{t},{i},{t * 4 + i}\n" for t in range(32) for i in range(4)),
    "empty.csv": "", "text.csv": "hello\nworld\n", "short.csv": "tid,i,row\n0,0,1\n0,1\n",
}


def command_lines(program):
    """All command lines, each a tuple of arguments; FOLDER in one stands for the folder of MAPS."""
    listed = json.loads(subprocess.run([program, "--list", "--arch=all", "--format=json"], stdout=subprocess.PIPE, check=True).stdout)
    names = sorted({each["fragment"] for each in listed})
    chosen = random.Random(1)

    for name in names:  # every fragment, in one way or another
        arch = "--arch=100" if name.startswith("tcgen05") else "--arch=90" if name.startswith("wgmma") else "--arch=" + chosen.choice(ARCHS)
        yield (arch, "--source=isa,recorded" if chosen.random() < .1 else "--brief", name)
        yield (arch, name, "--format=" + chosen.choice(FORMATS))
        if chosen.random() < .3:
            yield (arch, name, chosen.choice(QUESTIONS))
            yield (arch, name, "--detail", "--brief")
    for arch in ARCHS:
        for fragment in FRAGMENTS:
            yield ("--arch=" + arch, fragment)
        yield ("--arch=" + arch, "--list")
        yield ("--arch=" + arch, "--list", "--format=json")
        yield ("--arch=" + arch, "--source=recorded", "--all", "--brief")
        yield ("--arch=" + arch, "--all", "--operand=a", "--format=json")
        for opposite in ARCHS[::3]:
            yield (f"--diff=sm_{arch},sm_{opposite}",)
    for subject in FRAGMENTS + MEMORY + NAMES:
        for option in [f"--format={each}" for each in FORMATS] + QUESTIONS + FLAGS:
            yield ("--arch=100" if subject.startswith("tcgen05") else "--arch=90", subject, option)
        for option, form in itertools.product(["--detail", "--at=0,0", "--style=short", "--style=divide", "--order", "--cells"], FORMATS):
            yield ("--arch=100" if subject.startswith("tcgen05") else "--arch=90", subject, option, f"--format={form}")
    for verify in VERIFIES:
        for subject in FRAGMENTS + MEMORY[:3]:
            yield ("--arch=100" if subject.startswith("tcgen05") else "--arch=90", subject, "--verify=" + verify)
        for form in FORMATS:
            yield ("--arch=90", "mma.m16n8k16.d.f32", "--verify=" + verify, "--format=" + form)
    for layout in MEMORY:
        for fragment in FRAGMENTS:
            for action in ("--load", "--store"):
                yield ("--arch=90", layout, "--type=f16", f"{action}={fragment}")
                yield ("--arch=90", layout, "--type=f16", "--extent=64,64", "--suggest", f"{action}={fragment}")
        for form in FORMATS:
            yield ("--arch=90", layout, "--type=f16", "--load=mma.m16n8k16.a.f16", f"--format={form}")
            yield ("--arch=90", layout, "--type=f16", "--store=cp.async", f"--format={form}")
    for first, second in itertools.product(FRAGMENTS[:15] + ["mma.m16n8k32.a.e4m3", "mma.m16n8k16.b.f16", "mma.m16n8k8.a.tf32"], repeat=2):
        yield ("--arch=90", first, "--convert=" + second)
        yield ("--arch=90", first, "--convert=" + second, "--format=" + chosen.choice(FORMATS))
    for access, address in itertools.product(ACCESSES, ADDRESSES):
        yield ("--access=" + access, "--address=" + address)
        yield ("--access=" + access, "--address=" + address, "--format=" + chosen.choice(FORMATS))
    for name in MAPS:
        for option in ["--brief", "--verbose", "--style=short", "--style=divide", "--outputs=row", "--at=0,0"] + [f"--format={each}" for each in FORMATS]:
            yield ("--map=FOLDER/" + name, option)
    every = FRAGMENTS + MEMORY + NAMES + FLAGS + QUESTIONS + [f"--format={each}" for each in FORMATS] + [f"--arch={each}" for each in ARCHS]
    for _ in range(4000):  # whatever comes together
        line = chosen.sample(every, chosen.choice([1, 2, 2, 3, 3, 4]))
        yield tuple(each for each in line if each != "--")


def record(program, path):
    program = os.path.abspath(program)
    lines = list(dict.fromkeys(command_lines(program)))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MAPS.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        environment = {"PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C", "HOME": folder}

        def run(line):
            arguments = [each.replace("FOLDER", folder) for each in line]
            done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, env=environment, cwd=folder, timeout=60)
            return line, done.returncode, done.stdout.replace(folder.encode(), b"FOLDER"), done.stderr.replace(folder.encode(), b"FOLDER")

        if os.path.exists(path):
            os.remove(path)
        with sqlite3.connect(path) as base, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            base.execute("create table answers (line text primary key, status int, out blob, err blob)")
            for line, status, out, err in pool.map(run, lines):
                base.execute("insert into answers values (?, ?, ?, ?)", (json.dumps(line), status, zlib.compress(out, 1), err))
    print(f"{len(lines)} command lines in {path}")


def compare(before, after, shown=40):
    def read(path):
        with sqlite3.connect(path) as base:
            return {line: (status, zlib.decompress(out), err) for line, status, out, err in base.execute("select * from answers")}
    old, new = read(before), read(after)
    kinds = {}  # the first changed lines, and the command lines that change so
    for line in old.keys() & new.keys():
        if old[line] == new[line]:
            continue
        change = [f"status {old[line][0]} -> {new[line][0]}"] if old[line][0] != new[line][0] else []
        for was, now in zip(old[line][1:], new[line][1:]):
            a, b = was.decode(errors="replace").splitlines(), now.decode(errors="replace").splitlines()
            if len(a) + len(b) > 4000:
                a, b = a[:2000], b[:2000]
            change += [each[:150] for each in difflib.unified_diff(a, b, n=0, lineterm="") if each[:3] not in ("---", "+++") and each[:2] != "@@"][:6]
        kinds.setdefault("\n".join(change[:8]), []).append(line)
    for change, lines in sorted(kinds.items(), key=lambda each: -len(each[1]))[:shown]:
        print(f"{len(lines)} x {' '.join(json.loads(min(lines)))}")
        print("    " + change.replace("\n", "\n    "))
    total = sum(map(len, kinds.values()))
    print(f"{len(old.keys() & new.keys())} compared, {total} differ in {len(kinds)} ways;"
          f" {len(old.keys() - new.keys())} only before, {len(new.keys() - old.keys())} only after")
    return 1 if total else 0


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("record", "compare"):
        sys.exit(__doc__)
    sys.exit(record(*sys.argv[2:4]) if sys.argv[1] == "record" else compare(*sys.argv[2:4], *map(int, sys.argv[4:5])))
