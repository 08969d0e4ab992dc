#!/bin/sh
# --list: every fragment that there is, of an architecture, a type, a name; and what it rests on.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=

run --list
ok '--list names every fragment once' is \
    "$status $(wc -l < "$folder/out") $(cut -d' ' -f1 "$folder/out" | sort -u | wc -l)" '0 1296 1296'
ok '--list says what was seen on hardware' is "$(count 'sass; sm_90: gpu (NVIDIA H200, nvcc [0-9.]*)$')" 88
run --list --arch=sm_75 --type=s8
ok '--list for an architecture and a type' is \
    "$(wc -l < "$folder/out") $(cut -d' ' -f1 "$folder/out" | grep -c '\.s8$')" '14 14'
ok '--list for an architecture says with which tools' is \
    "$(grep -cE 'sm_72\+  native    sass \((ptxas [0-9.]*, nvdisasm [0-9.]*(; )?)+\)$' "$folder/out")" 12
run --list wmma.m8n8k4.a.row.f64
ok '--list for a fragment' is "$(cut -d' ' -f1 "$folder/out")" wmma.m8n8k4.a.row.f64
run --list --arch=75 wmma.m16n16k16.d.f32 wmma.m16n16k16.a.row.f16
ok '--list for fragments in any order' is "$(count 'sass (ptxas')" 2
run --list --arch=72 'wmma.*'
ok '--list: sm_72 has no 4-bit types' is "$status $(cut -d' ' -f1 "$folder/out" | grep -c s4)" '0 0'
run --list --operand=e --arch=80
ok '--list for an operand' is "$status $(grep -vc '^mma\.sp\.[a-z0-9]*\.e\.' "$folder/out")" '0 0'
finish
