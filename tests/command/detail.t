#!/bin/sh
# --detail: facts that follow from a layout, and the SASS of opcodes; --list: architectures that emulate a fragment; and
# names that nvdisasm prints.
#
# Expected values: JSON's maps, entry by entry; public kernels; listings of ptxas 13.5 and nvdisasm, read by hand;
# NVIDIA's documentation of Volta's HMMA.884; the masks of FlashAttention-2's quad_allreduce_ (1 and 2 among 4 threads).
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

# ---- Who shares rows ----

detail() { run --brief --detail "$@"; }
detail -a80 mma.m16n8k16.d.f32
ok 'rows of an accumulator' is "$(count '^           to reduce a row: __shfl_xor_sync with laneMask 1, 2$')" 1
ok 'its columns' is "$(count '^           to reduce a column: __shfl_xor_sync with laneMask 4, 8, 16$')" 1
ok 'what it is for the next product' is "$(sed -n '/^reuse as A/,/^[a-mo-z]/p' "$folder/out" | head -4 | tr -s '\n ' '; ')" \
    'reuse as A mma.m16n8k8.a.f16, bf16:; 1 D becomes 1 A: same registers after type conversion; mma.m16n8k16.a.f16, bf16:; 2 D side by side become 1 A: same registers after type conversion;'
ok 'no line is longer than 80' fails grep -q '.\{81\}' "$folder/out"
detail -a90 mma.m16n8k32.d.f32
ok 'in fp8 that takes shuffles' is "$(grep -A1 'mma.m16n8k32.a.e5m2, e4m3:' "$folder/out" | tail -1 | tr -s ' ')" \
    ' 4 D side by side become 1 A: 4 shuffles, none if you permute K'

# What --detail says of the next product is what --convert says.
cat > "$folder/next.py" << 'END'
import json, math, subprocess, sys
mapping, arch, fragment = sys.argv[1:]
def run(*arguments):
    return json.loads(subprocess.run([mapping, "--arch=" + arch, "--format=json", *arguments, fragment],
                                     capture_output=True, text=True, check=True).stdout)
uses = run("--detail", "--brief")["detail"]["next"]
for use in uses:
    said = run("--convert=" + use["to"])
    assert [use["kind"], use["shuffles"], use["permutable"]] == [said["kind"], said["shuffles"], said["permuted"] is not None], use
    assert use["matrices"] == math.prod(said["from_tiles"]) and use["targets"] == math.prod(said["to_tiles"]), use
print(len(uses))
END
next_of() { ok_with python3 "what $1 is for the next product is as --convert has it" is "$(python3 "$folder/next.py" "$MAPPING" $2 $1)" $3; }
next_of mma.m16n8k16.d.f32 90 10
next_of mma.m16n8k32.d.s32 80 8
next_of wgmma.m64n64k16.d.f32 90 5
next_of wgmma.m64n24k16.d.f32 90 1
next_of wgmma.m64n256k32.d.s32 90 2
next_of wmma.m16n16k16.d.f32 70 2
next_of wmma.m16n16k16.d.f32 80 6
next_of mma.sp.m16n8k16.d.f32 80 6

# Every mask and every number of elements, compared with the map; fragments with the same map and the same text are
# compared once.
cat > "$folder/sharing.py" << 'END'
import json, sys
seen = set()
for report in (report for path in sys.argv[1:] for report in json.load(open(path))):
    said = repr((report["map"], report["detail"]["sharing"]))
    for axis, sharing in zip((-2, -1), report["detail"]["sharing"].values()):
        if sharing is None or said in seen:
            continue
        lines = [sorted({(*place[:-2], place[axis]) for place in thread}) for thread in report["map"]]
        masks = {0}
        for mask in sharing["masks"]:
            masks |= {mask ^ other for other in masks}
        assert len(masks) == sharing["threads"], report["fragment"]
        holders = {}
        for tid, mine in enumerate(lines):
            for line in mine:
                holders.setdefault(line, set()).add(tid)
        for tid, mine in enumerate(lines):
            together = set().union(*(holders[line] for line in mine))
            assert together == {tid ^ mask for mask in masks}, (report["fragment"], tid)
            for line in mine:
                held = {tuple(place) for place in report["map"][tid] if (*place[:-2], place[axis]) == line}
                assert len(held) == sharing["elements"], (report["fragment"], tid)
    seen.add(said)
print("all")
END
for arch in 70 75 80 120; do
    "$MAPPING" --detail --format=json --source=recorded -a$arch 'wmma.*' > "$folder/wmma.$arch"
    "$MAPPING" --detail --format=json --source=isa -a$arch 'mma.*' > "$folder/mma.$arch"
done
run --detail --format=json --source=isa -a90 'wgmma.m64n[1-9]?k*' ldmatrix
ok_with python3 'masks are those of the maps, of wmma, mma, wgmma and ldmatrix' \
    is "$(python3 "$folder/sharing.py" "$folder"/wmma.* "$folder"/mma.* "$folder/out")" all

# ---- The order of K ----

cat > "$folder/k_order.py" << 'END'
import json, sys
reports = json.load(open(sys.argv[1]))
for report in reports:
    order = report["detail"]["k_order"]
    k, line = (-1, -2) if report["fragment"].split(".")[2] == "a" else (-2, -1)
    for thread in report["map"]:
        for row in {place[line] for place in thread}:
            places = sorted(order["order"].index(place[k]) for place in thread if place[line] == row)
            first = places[0]
            assert places == list(range(first, first + order["elements"])) and first % order["elements"] == 0
    assert [eval(order["k"], {"place": place}) for place in range(len(order["order"]))] == order["order"]
print(len(reports), reports[0]["detail"]["k_order"]["alike"])
END
run --detail --format=json -a80 'mma.m16n8k*.[ab].*'
ok_with python3 'elements are adjacent in that order' is "$(python3 "$folder/k_order.py" "$folder/out")" "$(grep -o '"k_order"' "$folder/out" | grep -c .) True"

# ---- Larger products out of smaller ones ----

detail -a80 --operand=d mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
ok 'm16n8k32 out of m8n8k16' is "$(sed -n '/^equals/,$p' "$folder/out" | tr -s '\n ' '; ')" \
    'equals 4 mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 (sm_75 and later):; d0,d1 = a0 * b0 + c0,c1; d2,d3 = a1 * b0 + c2,c3; d0,d1 = a2 * b1 + d0,d1; d2,d3 = a3 * b1 + d2,d3;'
run --detail --format=json -a80 --operand=d mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
ok 'as JSON' is "$(sed -n '/"made_of"/,/]}]}/p' "$folder/out" | grep '"d"' | tr -d ' \n')" \
    '{"d":[0,1],"a":[0],"b":[0]},{"d":[2,3],"a":[1],"b":[0]},{"d":[0,1],"a":[2],"b":[1]},{"d":[2,3],"a":[3],"b":[1]}]}},'
detail -a80 --operand=d mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
ok 'm16n8k16 out of m16n8k8' is "$(sed -n '/^equals/,$p' "$folder/out" | tr -s '\n ' '; ')" \
    'equals 2 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 (sm_75 and later):; d0,d1,d2,d3 = a0,a1 * b0 + c0,c1,c2,c3; d0,d1,d2,d3 = a2,a3 * b1 + d0,d1,d2,d3;'

# ---- What opcodes become ----

# becomes NAME OPCODE ARCH "SASS, ..."
becomes() {
    run --brief --detail --format=json -a"$3" "$2" --operand="${5:-d}"
    ok "$1, sm_$3" is "$(sed -n 's/^ "sass":\[\(.*\)\],"instructions":\([0-9]*\),$/\1 \2/p' "$folder/out" | tr -d '"' | tr , ' ')" "$4"
}
e4m3=mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
becomes 'fp8 is native' $e4m3 89 'QMMA.16832.F32.E4M3.E4M3 1'
becomes 'fp8 is native' $e4m3 120 'QMMA.16832.F32.E4M3.E4M3 1'
becomes 'fp8 is two of f16' $e4m3 90 'HMMA.16816.F32 HMMA.16816.F32 18'
becomes "Volta's steps" mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 70 'HMMA.884.F16.F16.STEP0 HMMA.884.F16.F16.STEP1 2'
run --brief --detail -a90 $e4m3 --operand=d
ok 'as text' is "$(sed -n '/^SASS of/,$p' "$folder/out" | tr -s '\n ' '; ')" \
    "SASS of $e4m3:; native sm_89, sm_120, sm_121:; QMMA.16832.F32.E4M3.E4M3; emulated sm_90 to sm_110:; 2 HMMA.16816.F32 and 16 other instructions;"
run --brief --detail -a90 mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 --operand=d
ok 'several in lines that fit, and none on tensor cores' is "$(sed -n '/^SASS of/,$p' "$folder/out" | tail -n +2 | tr '\n' ';')" \
"  native   sm_70 to sm_75:;           HMMA.884.F32.F32.STEP0, HMMA.884.F32.F32.STEP1,;           HMMA.884.F32.F32.STEP2, \
HMMA.884.F32.F32.STEP3;  emulated sm_80, sm_90 to sm_103:;           24 instructions, none on tensor cores;  emulated sm_86 to \
sm_89, sm_110 to sm_121:;           25 instructions, none on tensor cores;"
ok 'as many in each line as it takes' filled 'native  ' emulated
run --list -a90 mma.m16n8k32
ok '--list says which are emulated' is "$(sed -n 's/^\([^ ]*\.\(d\.\|a\.s\)[^ ]*\) .*; emulated$/\1/p' "$folder/out" | tr '\n' ';')" \
    'mma.m16n8k32.d.f32;mma.m16n8k32.d.f16;mma.m16n8k32.a.s4;'
run --list mma.m16n8k32.a.e4m3
ok 'and where' is "$(count 'sm_89+  isa, gpu (sm_90); emulated on sm_90 to sm_110$')" 1

# ---- Opcodes of SASS ----

# stands NAME FRAGMENTS LINE...
stands() {
    name=$1 expected=$2
    shift 2
    run --brief "$@"
    ok "$name" is "$status $(shown)" "0 $expected "
}
f16='mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.c.f32 mma.m16n8k16.d.f32'
stands 'an opcode' "$f16" HMMA.16816.F32
ok 'is said to be one of PTX' is "$(count '^# HMMA.16816.F32 is mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32$')" 3 # of A, of B, of C and D
stands 'a line' "$f16" 'HMMA.16816.F32 R4, R8, R16, R4 ;'
stands 'a line of a listing' "$f16" '        /*01c0*/              @!P0 HMMA.16816.F32 R4, R8.reuse, R16, R4 ;  /* 0x000000100804723c */'
stands 'saturated' 'mma.m16n8k16.a.s8 mma.m16n8k16.b.u8 mma.m16n8k16.c.s32 mma.m16n8k16.d.s32' 'IMMA.16816.S8.U8.SAT R4, R8.ROW, R16.COL, R4'
stands 'one that several have' 'mma.m8n8k32.a.s4 wmma.m8n8k32.a.row.s4 mma.m8n8k32.b.s4 wmma.m8n8k32.b.col.s4 mma.m8n8k32.c.s32 mma.m8n8k32.d.s32 wmma.m8n8k32.c.s32 wmma.m8n8k32.d.s32' \
    -a80 IMMA.8832.S4.S4
ok 'all are named' is "$(unwrapped "$folder/out" | sed -n 's/^\(# IMMA.*\), for .*/\1/p' | sort -u | tr '\n' ';')" \
    '# IMMA.8832.S4.S4 is mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32;# IMMA.8832.S4.S4 is wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32;'
stands 'a load' 'ldmatrix.m8n8.x4.r.trans.b16 ldmatrix.m8n8.x4.p.b16' 'LDSM.16.MT88.4 R8, [R2+UR4+0x800]'
stands 'a warpgroup with A in shared memory' wgmma.m64n64k16.d.f32 'HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0'
stands 'with A in registers' 'wgmma.m64n64k16.a.f16 wgmma.m64n64k16.d.f32' 'HGMMA.64x64x16.F32 R24, R16, gdesc[UR4], R24, gsb0'
stands 'of an architecture before the default' 'mma.m8n8k4.d.f32 wmma.m16n16k16.d.f32 wmma.m32n8k16.d.f32 wmma.m8n32k16.d.f32' \
    -od HMMA.884.F32.F32.STEP2
ok 'as a part' is "$(grep -A1 '^# HMMA.884.F32.F32.STEP2 is part of$' "$folder/out" | grep -c '^#   wmma.mma.sync.aligned.{row,col}.{col,row}.m16n16k16.f32.{f32,f16}$')" 1
stands 'a load from Tensor Memory' tcgen05.ld.16x64b.x4.r.b32 'LDTM.16dp64bit.x4 R4, tmem[UR4]'
stands 'a store' tcgen05.st.32x32b.x8.r.unpack.b16 'STTM.x8.EXPAND16BIT tmem[UR4], R4'
stands 'a copy into Tensor Memory' tcgen05.cp.128x256b.d.b32 'UTCCP.T.S tmem[UR4], gdesc[UR6] ;'
ok 'is said to be one of PTX, too' is "$(count '^# UTCCP.T.S is tcgen05.cp.cta_group::1.128x256b$')" 1
wrong=
while read -r ptx sass; do
    [ "$ptx" = '#' ] && continue
    run --list "$ptx"
    cp "$folder/out" "$folder/ptx"
    run --list "$sass"
    [ "$status" -eq 0 ] && cmp -s "$folder/ptx" "$folder/out" || wrong="$wrong $sass"
done < "$here/copies_sass.txt"
ok 'all copies and shifts that ptxas makes are those of their opcodes' is "$wrong" ''
for name in UTCCP.T.S.5dp UTCCP.T.S.U4x16P64.4dp256bit UTCCP.T.S2CTA UTCCP; do
    refused "no copy: $name" 2 "'$name' is not a valid opcode of tcgen05.cp; valid: UTCCP.T.S[.2CTA][SHAPE][FORMAT], where" $name
done
run --arch=80 --brief --detail mma.sp.m16n8k16.e.f16
ok 'metadata are indices' is "$(count '^type       2-bit indices of the nonzero elements of A (f16)$')" 1
finish
