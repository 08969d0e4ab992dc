#!/bin/sh
# Values of options: the accepted spellings, and the message about others.
#
# Expected values: NVIDIA's names; ptxas --help for suffixes.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
show() { run --source=recorded "$@"; }
head_is() { is "$status $(line)" "0 $1"; }

# Architectures: numbers, and the names of chips and products (NVIDIA's table of compute capabilities).
for name in sm_75 75 7.5 SM_75 turing Turing T4 rtx2080 RTX-2080 compute_75 sm75; do
    show --arch=$name
    ok "--arch=$name" head_is '# wmma.m16n16k16.d.f32 on sm_75'
done
for pair in volta:70 v100:70 titan-v:70 xavier:72 a100:80 ampere:80 rtx3090:86 orin:87 ada:89 rtx4090:89 \
    h200:90 hopper:90 blackwell:100 b200:100 b300:103 thor:110 11.0:110 rtx5090:120 rtx-5090:120 spark:121; do
    show -a "${pair%:*}"
    ok "-a ${pair%:*}" head_is "# wmma.m16n16k16.d.f32 on sm_${pair#*:}"
done
# Spellings of products, by people and by nvidia-smi. The numbers are those of NVIDIA's table of compute capabilities.
while IFS=: read -r name arch; do
    show -a "$name"
    ok "-a '$name'" head_is "# wmma.m16n16k16.d.f32 on sm_$arch"
done << 'END'
h800:90
a800:80
rtx4080:89
5090:120
4090:89
rtx3060:86
RTX 3080 Ti:86
2080ti:75
rtx 4080 super:89
4070TiSuper:89
4090D:89
A10G:86
RTX A6000:86
rtx 6000 ada:89
NVIDIA RTX PRO 6000 Blackwell Workstation Edition:120
NVIDIA GeForce RTX 5090:120
NVIDIA A100-SXM4-80GB:80
NVIDIA H100 80GB HBM3:90
NVIDIA H200:90
Tesla V100-SXM2-16GB:70
Tesla T4:75
GB200-NVL72:100
titan_v:70
V100S-PCIE-32GB:70
Quadro RTX 6000:75
RTX 2050:86
NVIDIA RTX 5000 Ada Generation:89
NVIDIA GeForce RTX 3070 Laptop GPU:86
NVIDIA H100 NVL:90
NVIDIA Jetson AGX Orin:87
Jetson Orin Nano:87
END
for name in "rtx4080$(printf ' max%.0s' $(seq 100))x" 'a6000 ada' 'a100 h100' 'rtx 4080 5090' 'RTX 4080 Sper' 'RTX A4000 Ada' a101 h100x rtx4095 rtxa rtx nvidia ampere-x volta2 voltati 'volta super' '4090 x,' 't 4000'; do
    refused "no product: '$name'" 2 'unknown architecture' -a "$name"
done
# ptxas 13.5 --help: a from sm_90 on, f from sm_100 on.
for pair in sm_90a:90 90a:90 sm_100a:100 sm_100f:100 compute_100f:100 sm_103a:103 120f:120 12.0a:120; do
    show -a "${pair%:*}"
    ok "suffix of ${pair%:*}" head_is "# wmma.m16n16k16.d.f32 on sm_${pair#*:}"
done
for name in sm_75a 75a 75f 80a sm_89f 90f sm_90b 100x 100aa 100af; do
    refused "no such suffix: $name" 2 "unknown architecture '$name'; valid architectures: sm_70" --arch=$name
done
for name in sm_ 7 75x sm_7500000000000000000 voltaic 7.; do
    refused "no architecture: '$name'" 2 "unknown architecture '$name'" --arch="$name"
done
for name in sm_95 95 70.0 foo xyzzyplugh sm_999999999999999999; do
    refused "near to nothing: '$name'" 2 "unknown architecture '$name'" --arch="$name"
    ok "nothing is offered for '$name'" is "$(grep -c 'did you mean' "$folder/err")" 0
done

# Types.
for name in half f16 HALF; do
    show -a70 -t $name
    ok "--type=$name" head_is '# wmma.m16n16k16.d.f16 on sm_70'
done
show -a 75 --type=half wmma.m8n32k16.d.f16
ok 'a name and a type that agree' head_is '# wmma.m8n32k16.d.f16 on sm_75'
types='f64, f32, tf32, bf16, f16, e5m2, e4m3, e3m2, e2m3, e2m1, ue8m0, ue4m3, s32, s8, u8, s4, u4, b1, b32, b16, b8, b6, b4'
# Groups, and other names for types.
types_of() { run --list --type="$1" && sed 's/ .*//; s/.*\.//' "$folder/out" | sort -u | tr '\n' ' '; }
ok '--type=fp8' is "$(types_of fp8)" 'e4m3 e5m2 '
ok '--type=fp6' is "$(types_of FP6)" 'e2m3 e3m2 '
ok '--type=fp4' is "$(types_of fp4)" 'e2m1 '
ok '--type=int8' is "$(types_of int8)" 's8 u8 '
ok '--type=int4' is "$(types_of int4)" 's4 u4 '
for pair in tf32:tf32 fp16:f16 bfloat16_t:bf16 float_e4m3_t:e4m3 float8_e5m2:e5m2 uint4b_t:u4 fp64:f64; do
    ok "--type=${pair%:*}" is "$(types_of ${pair%:*})" "${pair#*:} "
done
run --type=fp8 --brief -a89 mma.m16n8k32
ok 'a group narrows' is "$(shown)" \
    'mma.m16n8k32.a.e5m2 mma.m16n8k32.a.e4m3 mma.m16n8k32.b.e5m2 mma.m16n8k32.b.e4m3 '

refused 'unknown type' 2 "unknown type 'int7'; valid types: $types, double, float, half, int" --type=int7

# Several architectures.
archs() { run --source=recorded --brief "$@" && sed -n 's/^# .* on \(sm_[0-9]*\)$/\1/p' "$folder/out" | tr '\n' ' '; }
ok 'two architectures, in that order' is "$(archs --arch=turing,sm_70)" 'sm_75 sm_70 '
ok 'one named twice is shown once' is "$(archs --arch=80,a100,sm_80)" 'sm_80 '
ok 'all architectures' is "$(archs --arch=all)" "$(known_archs | sed 's/[0-9]*/sm_&/g') "
ok 'all that have it' is "$(archs --arch=all wmma.m16n16k16.d.s32 wmma.m16n16k8.d.f32 | cut -d' ' -f1-6)" 'sm_72 sm_75 sm_80 sm_80 sm_86 sm_86'
ok 'the last --arch counts' is "$(archs --arch=70,75 --arch=80)" 'sm_80 '
run --list --arch=all
cp "$folder/out" "$folder/list"
run --list
ok 'a list of all' cmp "$folder/out" "$folder/list"

# Numbers.
for bad in nan -1 1e7 '' 5s; do
    refused "no time: '$bad'" 2 "'$bad' is not a valid time limit" --timeout="$bad"
done
for bad in 3 3, ,3 a,b 3,5,7,9 3-,0 '3;5' -1,0 '' '*'; do
    refused "no element: '$bad'" 2 'not a valid element; --at takes ROW,COL' "--at=$bad"
done
for bad in '' , 1,2,3 x 3- -3 1, 2.5; do
    refused "no thread: '$bad'" 2 "'$bad' is not a valid thread; --thread takes TID or TID,I" "--thread=$bad"
done
finish
