#!/bin/sh
# --convert: conversions between the registers of two fragments, which convert_test.py compares entry by entry with the
# maps of both; and conversions that do not exist.
#
# Expected values: JSON's maps, entry by entry; public kernels.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

# held NAME ARCH < PAIRS
held() {
    python3 "$here/convert_test.py" "$MAPPING" "$2" > "$folder/held"
    ok "$1: $(tail -n 1 "$folder/held")" is "$(grep -c . "$folder/held")" 1
}
if has python3; then
    held 'what the next product reads, parts of larger ones, transposes' 90 << 'END'
mma.m16n8k16.d.f32 mma.m16n8k16.a.f16
mma.m16n8k16.d.f32 mma.m16n8k16.a.bf16
mma.m16n8k16.d.f32 mma.m16n8k8.a.tf32
mma.m16n8k16.d.f32 mma.m16n8k16.b.f16
mma.m16n8k32.d.f32 mma.m16n8k32.a.e4m3
mma.m16n8k32.a.s8 mma.m8n8k16.a.s8
mma.m8n8k16.a.s8 mma.m16n8k32.a.s8
mma.m16n8k32.b.s8 mma.m8n8k16.b.s8
mma.m16n8k32.d.s32 mma.m8n8k16.d.s32
mma.m16n8k16.a.f16 mma.m16n8k8.a.f16
mma.m16n8k32.d.s32 mma.m16n8k32.a.s8
mma.m16n8k64.d.s32 mma.m16n8k64.a.s4
mma.m16n8k256.a.b1 mma.m8n8k128.a.b1
wgmma.m64n64k16.d.f32 wgmma.m64n64k16.a.f16
wgmma.m64n64k32.d.f32 wgmma.m64n64k32.a.e4m3
wgmma.m64n24k16.d.f32 wgmma.m64n24k8.a.tf32
wgmma.m64n128k16.d.f32 wgmma.m64n64k16.d.f32
mma.m8n8k4.d.f64 mma.m8n8k4.a.f64
mma.m16n8k16.d.f64 mma.m16n8k16.a.f64
mma.m16n8k16.a.f16 mma.m16n8k16.a.f16
mma.m16n8k16.a.f16 mma.m16n8k16.b.f16
wmma.m16n16k16.d.f32 wmma.m16n16k16.a.row.f16
wmma.m16n16k16.d.f32 wmma.m16n16k16.b.col.f16
wmma.m16n16k16.d.f32 mma.m16n8k16.d.f32
mma.m8n8k4.d.f32 mma.m8n8k4.a.row.f16
mma.m8n8k4.d.f32 mma.m8n8k4.a.col.f16
mma.m8n8k4.d.f32 mma.m8n8k4.d.f16
ldmatrix.m8n8.x4.r.b16 ldmatrix.m8n8.x4.r.trans.b16
END
    held "Volta's, of which A and B have copies" 70 << 'END'
wmma.m16n16k16.d.f32 wmma.m16n16k16.a.row.f16
wmma.m16n16k16.a.row.f16 wmma.m16n16k16.d.f16
wmma.m16n16k16.a.row.f16 wmma.m16n16k16.a.col.f16
wmma.m16n16k16.d.f16 wmma.m16n16k16.d.f32
END
else
    skip 'conversions against maps' python3
fi

# kind NAME KIND SOURCE TARGET: as FlashAttention-2 (f16, bf16: registers stay), FlashAttention-3 (fp8: shuffles, or
# none with the rows of V permuted) and the PTX ISA's figures of m8n8k16 and m16n8k32 (quarters of the larger) have it.
kind() {
    run --arch=90 --format=json --convert="$4" "$3"
    ok "$1" is "$status $(grep -o '"kind":"[a-z]*","registers":[^ ]*,"shuffles":[0-9]*' "$folder/out" | tr '\n' ' ')" "0 $2 "
}
kind 'D as A in f16' '"kind":"same","registers":[0,1,2,3],"shuffles":0' mma.m16n8k16.d.f32 mma.m16n8k16.a.f16
kind 'D as A in fp8' '"kind":"shuffles","registers":null,"shuffles":4 "kind":"slots","registers":null,"shuffles":0' \
    mma.m16n8k32.d.f32 mma.m16n8k32.a.e4m3
kind 'to itself' '"kind":"same","registers":[0,1,2,3,4,5,6,7],"shuffles":0' wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f32
kind 'quarters of A' '"kind":"words","registers":[0,2,1,3],"shuffles":0' mma.m16n8k32.a.s8 mma.m8n8k16.a.s8
kind 'wgmma as A' '"kind":"same","registers":[0,1,2,3,4,5,6,7],"shuffles":0' \
    wgmma.m64n32k16.d.f32 wgmma.m64n32k16.a.bf16

kind 'B in another type' '"kind":"shuffles","registers":null,"shuffles":4 "kind":"same","registers":[0,1,2,3],"shuffles":0' \
    mma.m16n8k16.b.f16 mma.m16n8k8.b.tf32
ok 'with rows permuted, which are K' is "$(grep -o '"axis":"[a-z]*"' "$folder/out")" '"axis":"row"'
# Four threads turn 4 x 4 elements, two in a register: a butterfly.
kind 'a transpose' '"kind":"shuffles","registers":null,"shuffles":2' mma.m8n8k4.a.row.f16 mma.m8n8k4.a.col.f16
ok 'from these lanes' is "$(grep -o '"lanes":[^]]*' "$folder/out")" '"lanes":["tid ^ 1","tid ^ 2"'
run --arch=90 --format=cuda --convert=mma.m8n8k4.a.col.f16 mma.m8n8k4.a.row.f16
ok 'as code has them' is "$(grep -o '__shfl_xor_sync(0xffffffff, [^)]*' "$folder/out" | sed 's/.* //' | sort -u | tr '\n' ' ')" '1 2 '

# ---- As text and code ----

# Types of equal size: bf16 and f16 have other bits for the same number, tf32 has fewer than f32; b16 is untyped.
rounded() { ok "--convert $1 to $2: $3" is "$("$MAPPING" -a90 --convert=$2 $1 | grep -c 'Convert the elements to')" $4; }
rounded mma.m16n8k16.a.f16 mma.m16n8k16.a.bf16 'other bits' 1
rounded mma.m16n8k16.d.f32 mma.m16n8k8.a.tf32 'fewer bits' 1
rounded mma.m16n8k16.d.f16 mma.m16n8k16.a.f16 'the same type' 0
rounded ldmatrix.m8n8.x1.r.b16 movmatrix.m8n8.a.b16 'no type' 0

run --arch=90 --convert=mma.m16n8k16.a.f16 mma.m16n8k16.d.f32
ok 'as text' is "$status $(lines_from 1)" '0 # mma.m16n8k16.d.f32 as mma.m16n8k16.a.f16 on sm_90;'\
'2 mma.m16n8k16.d.f32 (16x8), side by side, hold the elements of;1 mma.m16n8k16.a.f16 (16x16).;'\
'Convert the elements to f16 first.;Registers hold 16-bit elements in the order of i, lowest i in the lowest bits.;'\
'in[] and out[] hold the registers of all matrices, one matrix after the other.;;'\
'The registers are the same: out[n] = in[n], n = 0 to 3.;'
ok 'no line is longer than 80' fails grep -q '.\{81\}' "$folder/out"
run --arch=90 --convert=mma.m8n8k16.a.s8 mma.m16n8k32.a.s8
ok 'registers that are renamed' is "$(sed -n '/^Each register of/,$p' "$folder/out" | tr '\n' ';')" \
    'Each register of the target is a register of the source:;  out[0] = in[0], out[1] = in[2], out[2] = in[1], out[3] = in[3];'
run --arch=90 --convert=mma.m16n8k32.a.e4m3 mma.m16n8k32.d.f32
ok 'with shuffles' is "$status $(count '^4 register shuffles, each from one of these source lanes:$') $(count '^No shuffles are needed if you permute')" '0 1 1'
run --arch=80 --convert=mma.m16n8k16.d.f32 mma.m16n8k16.b.f16
ok 'lanes stand in lines that are full' filled 'register shuffles' '^--format'
run --arch=80 --convert=mma.m8n8k4.a.col.f16 mma.m8n8k4.a.row.f16
ok 'of one line' is "$(sed -n '/register shuffles/{n;p;}' "$folder/out")" '  tid ^ 1, tid ^ 2'
run --convert=mma.m16n8k32.a.s8 mma.m8n8k16.a.s8 mma.m16n8k16.a.s8
ok 'several' is "$status $(count '^# mma')" '0 2'
run --arch=90 --format=json --convert=mma.m16n8k32.a.s8 mma.m8n8k16.a.s8 mma.m16n8k16.a.s8
ok_with python3 'several as JSON' python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))) == 2' "$folder/out"
run --arch=90 --format=cuda --convert=mma.m16n8k32.a.e4m3 mma.m16n8k32.d.f32
ok 'as code' is "$status $(count '__forceinline__ void mapping_mma_m16n8k32_d_f32_to_mma_m16n8k32_a_e4m3(') $(count _a_e4m3_permuted\()" '0 1 1'
run --convert=mma.m16n8k16 -a80 mma.m16n8k16.d.f32
ok 'a target of several' is "$status $(cat "$folder/err")" \
    "2 mapping: --convert takes one fragment, but 'mma.m16n8k16' matches 14; give a full name, such as mma.m16n8k16.a.f16, or a shape with --operand and --type"
run --convert=mma.m16n8k16.a.f16 -a80 mma.m16n8k16 --operand=d --type=f32
ok '--operand and --type are about what is converted' is "$status $(count '^# mma')" '0 1'

# ---- What cannot be converted ----

run -a80 --format=json --convert=mma.sp.m16n8k16.a.tf32 mma.sp.m16n8k16.d.f32
ok 'columns of a sparse A are not K' is "$status $(count '"permuted":null')" '0 1'

# Metadata and scale factors become such alone.
for name in mma.sp.m16n8k32.e.f16 mma.m16n8k64.sfa.2x.ue8m0 mma.m16n8k64.sfb.2x.ue8m0; do
    run -a120 --convert=$name $name
    ok "$name stays as it is" is "$status $(last)" '0 The registers are the same: out[n] = in[n], n = 0 to 0.'
done
finish
