"""Each answer fits on one screen of 80 x 50, with room for the prompt, unless --whole requests more.

    screen_test.py MAPPING     prints TAP
"""
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok  # noqa: E402
from terminal import show, without_escapes  # noqa: E402

COLUMNS, ROWS = 80, 49

COMMANDS = """
mma.m16n8k16.d.f32
mma.m16n8k16.a.f16
mma.m16n8k32.a.e4m3
mma.m16n8k16.a.f16 --detail
mma.m16n8k16.d.f32 --at=3,5
mma.m16n8k16.d.f32 --at=3,5 --detail
mma.m16n8k16.d.f32 --thread=7
mma.m16n8k16
mma.m16n8k16 --detail
mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc --detail
mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc --detail --arch=sm_100
wmma.mma.sync.aligned.row.col.m8n32k16.f16.f32 --detail
tcgen05.ld.sync.aligned.16x32bx2.x16.pack::16b.b32 --detail
mma.m16n8k16 --brief
mma.m16n8k16 --thread=3
mma.m16n8k16 --at=3,5
HMMA.884.F32.F32.STEP2 --operand=d --brief
tcgen05.mma.m128k32.a.e2m1 --arch=sm_100
tcgen05.mma.m64k16.a.f16 tcgen05.cp.4x256b.d.b6 tcgen05.mma.m64n16k16.d.f32 --arch=sm_100
tcgen05.mma.m128n64k16.d.f16 --with=tcgen05.ld.32x32b.x8.r.pack.b16 --brief
HMMA.16816.F32
ldmatrix.x4
tcgen05.ld.16x64b
tcgen05.ld.16x64b.x8
wgmma.m64n256k16.d.f32 --at='3,*'
wgmma.m64n128k16.d.f32 --thread=7
mma.m16n8k16.d.f32 --equals='((4,8),(2,2)):((32,1),(8,16))'
mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.f16
mma.m16n8k16.d.f32 --verify='row = lane / 4 + 8 * (i % 2)'
wmma.m16n16k16.d.f32 -a70
wmma.m16n16k16.a.row.f16 -a70
wmma.m32n8k16.a.row.f16
wgmma.m64n256k16.d.f32
wgmma.m64n256k32.a.e4m3
wgmma.m64n128k16.d.f32 --detail
mma.sp.m16n8k32.e.f16
ldmatrix.m8n8.x4.r.b16
mma.m16n8k16.d.f32 --atom-layout='(2,2,1)'
mma.m16n8k16.a.f16 --atom-layout='(2,2,1)'
(64,64):(64,1)
(64,64):(72,1)
(32,32):(33,1) --type=f32
(64,64):(65,1) --type=f32
(64,64,3):(72,1,5000)
'Sw<3,3,3> o 0 o (64,64):(64,1)'
'Sw<3,3,3> o 0 o (128,128):(128,1)'
'Sw<3,3,3> o 0 o (64,64,3):(64,1,4096)'
'Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,512),(1,4096))'
'Sw<3,3,3> o 0 o (64,64):(64,1)' --load=mma.m16n8k16.a.f16
'Sw<3,3,3> o 0 o (64,64):(64,1)' --store=mma.m16n8k16.d.f16
'(64,64):(64,1)' --suggest --load=mma.m16n8k16.a.f16 --store=cp.async
Layout_K_SW128_Atom --address=0x400
0xC000000800080000
--access=ld.b128 --address='tid * 144'
tcgen05.mma.m128n256k16.d.f32
'Sw<3,3,3> o 0 o (64,64):(64,1)' --cells
'Sw<3,3,3> o 0 o (64,64):(64,1)' --store=tma
'Sw<3,3,3> o 0 o (64,64):(64,1)' --load=mma.m16n8k16.a.f16 --origin=3,8
0x8100010
tcgen05.mma.cta2.sp.m128n32k32.d.f32 --brief --detail
tcgen05.mma.m128n256k16.d.f32 --with=tcgen05.ld.16x64b
tcgen05.mma.m128n256k16.d.f32 --with=tcgen05.ld.16x128b
tcgen05.mma.m64n64k16.d.f32 --with=tcgen05.ld.16x256b
tcgen05.mma.m128k64.sfa.2x.ue8m0
mma.m16n8k16.d.f32 --at='*,*'
mma.m16n8k16.d.f32 --at='*,*' --brief
wgmma.m64n256k16.d.f32 --thread='*'
wgmma.m64n256k16.d.f32 --register=0
tcgen05.mma.m128n128k16.d.f32 --lane='*'
tcgen05.mma.m128n128k16.d.f32 --lane=3
'Sw<3,3,3> o 0 o (64,64):(64,1)' --at='*,*'
'Sw<3,3,3> o 0 o (64,64):(64,1)' --offset='*'
128x4 --extent=256,32 --at='*,*'
'mma.m16n8k16.*' --at='*,*'
'mma.m16n8k16.*' --thread='*'
'HMMA.16816.F32 R4, R8, R16, R4' --thread='*'
mma.m16n8k16 --operand=d --at=3,5 --detail
'mma.m16n8k16.*' --verify='row = lane / 4'
'mma.*' --verify='row = lane / 4 + i / 2 % 2 * 8; col = lane % 4 * 2 + i % 2'
'wmma.*' --verify='row = lane / 4 + i / 2 * 8'
'wgmma.*'
--list
--list --arch=sm_75
--diff=sm_72,sm_75
--help
"""

for line in COMMANDS.strip().splitlines():
    status, text = show([sys.argv[1], *shlex.split(line)], COLUMNS, ROWS + 1)
    lines = without_escapes(text).splitlines()
    wide = [one for one in lines if len(one) > COLUMNS]
    ok(f"{line}: {len(lines)} lines", status in (0, 1) and 0 < len(lines) <= ROWS and not wide,
       f"status {status}, {len(lines)} lines" + "".join("\n" + one for one in wide))

# Output that is folded to fit is whole with --whole, or if it does not go to a terminal.
status, text = show([sys.argv[1], "mma.m16n8k32.a.e4m3", "--whole"], COLUMNS, ROWS + 1)
ok("--whole folds nothing", " for each " not in text and re.search(r"^15 .*31 31 31 31", without_escapes(text), re.M), text)
status, text = show([sys.argv[1], "(32,32):(33,1)", "--type=f32"], COLUMNS, ROWS + 1)
ok("what is left out of a memory by address is named", "--whole also shows banks 8 to 31, and bytes 1024 to 4219\n" in text, text)
# --detail of an opcode that does not fit has the SASS on one architecture, in a pipe on all. sm_90 has BMMA only with .and (results/sass.txt).
popc = [sys.argv[1], "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "--detail", "--arch=sm_90"]
text, pipe = show(popc, COLUMNS, ROWS + 1)[1], subprocess.run(popc, capture_output=True, text=True, check=True).stdout
ok("--detail that does not fit has the SASS on one architecture", "  emulated sm_90:\n           2 BMMA.168256.AND.POPC and 15 other instructions\n\nNot shown" in text, text)
ok("in a pipe, --detail has the SASS on all architectures, and the inverse",
   all(f"  emulated {arch}:\n" in pipe for arch in ("sm_90", "sm_100", "sm_103", "sm_110")) and "\nInverse:\n" in pipe, pipe)
text = show([*popc, "--whole"], COLUMNS, ROWS + 1)[1]
ok("--whole shows the SASS on all architectures", "  emulated sm_100:\n" in text and "\nInverse:\n" in text, text)
# A formula that is folded in a terminal is C.
status, text = show([sys.argv[1], "mma.m16n8k16.d.f32", "--atom-layout=(2,2,1)"], COLUMNS, ROWS + 1)
ok("a formula is folded behind an operator", "Tid: return ((row & 7) << 2) + ((row & 16) << 1) + ((col & 6) >> 1) +\n"
   "    ((col & 8) << 3);\n" in text, text)
# Fragments of wmma differ between Volta and Turing; what has no room for its formulae is named.
status, text = show([sys.argv[1], "--diff=sm_72,sm_75"], COLUMNS, ROWS + 1)
ok("differences that do not fit are named", "\nThese differ, too: wmma.m16n16k16.d.f16,\n" in text
   and "  wmma.{m32n8k16,m8n32k16}.{c,d}.{f32,f16}\n" in text and text.endswith("--verbose shows the formulae of all 24\n"), text)

# 64 answers of the first 8 rows, then how the others follow: D of m16n8k16, PTX ISA 9.0, 9.7.14.5.8.
status, text = show([sys.argv[1], "mma.m16n8k16.d.f32", "--at=*,*"], COLUMNS, ROWS + 1)
shown, more = len(re.findall(r"^row ", text, re.M)), re.search(r"\nand (\d+) more; --whole prints all\nrows 8 to 15: i \+ 2 for each 8 rows\n", text)
ok("answers that are left out are counted", more and shown + int(more[1]) == 64, text)
status, text = show([sys.argv[1], "mma.m16n8k16.d.f32", "--at=*,*", "--whole"], COLUMNS, ROWS + 1)
ok("--whole prints all answers", len(re.findall(r"^row ", text, re.M)) == 128 and "more" not in text, text)
# Rows of A in 16 bits, and of C and D, follow this formula; those of A in 8 bits and of B do not (PTX ISA 9.0, 9.7.14.5.8 and .10).
status, text = show([sys.argv[1], "mma.m16n8k16.*", "--arch=sm_80", "--verify=row = lane / 4 + i / 2 % 2 * 8"], COLUMNS, ROWS + 1)
ok("verdicts of many fragments are grouped", status == 1 and text.startswith("# mma.m16n8k16.b.f16 on sm_80\n")
   and "\nAll 14 fragments; --verbose shows each:\nRight for mma.m16n8k16.a.{f16,bf16}, mma.m16n8k16.{c,d}.{f32,f16,s32}\n"
   "Row wrong for mma.m16n8k16.b.{f16,bf16,s8,u8}, mma.m16n8k16.a.{s8,u8}\n" in text, text)
status, text = show([sys.argv[1], "mma.m16n8k16.*", "--arch=sm_80", "--verify=row = lane / 4 + i / 2 % 2 * 8", "--verbose"], COLUMNS, ROWS + 1)
ok("--verbose shows each verdict", len(re.findall(r"^Row: right at all", text, re.M)) == 8 and len(re.findall(r"^Row: wrong at", text, re.M)) == 6, text)
# wgmma has all multiples of 8 as N in 16 bits, of those of integers only 8 to 32 by 8 and 48 to 256 by 16 (PTX ISA 9.0, 9.7.15.2).
status, text = show([sys.argv[1], "--diff=sm_90,sm_100", "--verbose"], COLUMNS, ROWS + 1)
ok("fragments of one architecture are patterns", "\nOnly on sm_90: wgmma.m64n{8..256..8}k16." in text
   and "\n  wgmma.m64n{{8..32..8},{48..256..16}}k256.a.b1,\n" in text and len(text.splitlines()) < 120, text)

# On a terminal, messages are folded, but not within quotes. In a pipe they are one line.
MESSAGES = """
wgmma.m64n256k16.b.f16
mma.m16n8k16.d.f32*4x4
--suggest=64,64 --type=f16 --load=mma.m16n8k16.a.f16
'Sw<3,3,3> o 0 o (64,64):(64,2)'
mma.m16n8k16.d.f32 --at=99,0
mma.m16n8k16.d.f32 --thread=69
mma.m16n8k16.d.f32 --verify='row = col; col = lane  %  4'
"""
for line in MESSAGES.strip().splitlines():
    command = [sys.argv[1], *shlex.split(line)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    for columns in (80, 50):
        status, text = show(command, columns, ROWS + 1)
        first, *code = without_escapes(text).rstrip("\n").replace("\n  ", " ", text.count("\n  ") - told.stderr.count("\n  ")).split("\n")
        wide = [one for one in without_escapes(text).splitlines() if len(one) > columns and "'" not in one]
        ok(f"{line}: its message in {columns} columns", status == told.returncode == 2 and not wide
           and "\n".join([first, *code, ""]) == told.stderr, text + told.stderr)
sys.exit(finish())
