#!/bin/sh
# What options are given: the spellings that are taken, and the sentence on those that are not.
. "$(dirname "$0")/../tap.sh"

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
# ptxas 13.5 --help: a from sm_90 on, f from sm_100 on.
for pair in sm_90a:90 90a:90 sm_100a:100 sm_100f:100 compute_100f:100 sm_103a:103 120f:120 12.0a:120; do
    show -a "${pair%:*}"
    ok "suffix of ${pair%:*}" head_is "# wmma.m16n16k16.d.f32 on sm_${pair#*:}"
done
for name in sm_75a 75a 75f 80a sm_89f 90f sm_90b 100x 100aa 100af; do
    refused "no such suffix: $name" 2 "unknown architecture '$name'; there are sm_70" --arch=$name
done
refused 'unknown architecture' 2 "unknown architecture 'sm_71'; there are sm_70, sm_72" --arch=sm_71
for name in sm_ 7 75x sm_7500000000000000000 '' voltaic 7.; do
    refused "no architecture: '$name'" 2 "unknown architecture '$name'" --arch="$name"
done
refused 'an architecture mistyped' 2 'did you mean turing?' --arch=turning
# A number alone is that of a product.
refused 'the number of a product' 2 'and names such as volta or a100; did you mean rtx5090?' --arch=5090
refused 'that of another' 2 'did you mean rtx4090?' --arch=4090
for name in sm_95 95 70.0 foo xyzzyplugh sm_999999999999999999 ''; do
    refused "near to nothing: '$name'" 2 "unknown architecture '$name'" --arch="$name"
    ok "nothing is offered for '$name'" is "$(grep -c 'did you mean' "$folder/err")" 0
done
refused 'in a comparison too' 2 'did you mean rtx3090?' --diff=3090,90
refused 'an architecture after a comma' 2 "unknown architecture '3'" --diff=80,3

# Types.
for name in half f16 HALF; do
    show -a70 -t $name
    ok "--type=$name" head_is '# wmma.m16n16k16.d.f16 on sm_70'
done
show -a 75 --type=half wmma.m8n32k16.d.f16
ok 'a name and a type that agree' head_is '# wmma.m8n32k16.d.f16 on sm_75'
types='f64, f32, tf32, bf16, f16, e5m2, e4m3, e3m2, e2m3, e2m1, ue8m0, ue4m3, s32, s8, u8, s4, u4, b1, b16'
refused 'unknown type' 2 "unknown type 'int7'; there are $types, and double, float, half, int" --type=int7
refused 'a type without accumulator' 2 \
    'there is no accumulator of s8; --list --type=s8 shows the fragments that are' --type=s8

# Several architectures.
archs() { run --source=recorded --brief "$@" && sed -n 's/^# .* on \(sm_[0-9]*\)$/\1/p' "$folder/out" | tr '\n' ' '; }
ok 'two architectures, in that order' is "$(archs --arch=turing,sm_70)" 'sm_75 sm_70 '
ok 'one named twice is shown once' is "$(archs --arch=80,a100,sm_80)" 'sm_80 '
ok 'all architectures' is "$(archs --arch=all)" 'sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121 '
ok 'all that have it' is "$(archs --arch=all wmma.m16n16k16.d.s32 wmma.m16n16k8.d.f32 | cut -d' ' -f1-6)" 'sm_72 sm_75 sm_80 sm_80 sm_86 sm_86'
ok 'the last --arch counts' is "$(archs --arch=70,75 --arch=80)" 'sm_80 '
refused 'one of several that is none' 2 "unknown architecture 'sm_81'" --arch=80,sm_81
refused 'an empty one' 2 "unknown architecture ''" --arch=80,
refused 'one of several that lacks it' 3 'sm_70 has no mma.m16n8k16.d.f32; sm_80 and later have' --arch=70,80 mma.m16n8k16.d.f32
refused 'a list of several' 2 '--list takes one architecture, or all' --list --arch=70,80
run --list --arch=all
cp "$folder/out" "$folder/list"
run --list
ok 'a list of all' cmp "$folder/out" "$folder/list"

# Choices.
refused 'unknown style' 2 "unknown style 'long'; there are bits" --style=long
refused 'a style where there are no formulae' 2 '--style is about formulae, of which csv has none' --style=divide --format=csv
refused 'an operand that is none' 2 "unknown operand 'q'; there are a, b, c, d, e, sfa, sfb, r and p" --operand=q
refused 'unknown format' 2 "unknown format 'xml'; there are text, json, csv, markdown, cuda, cute and triton" --format=xml
refused 'unknown source' 2 "unknown source 'oracle'; there are auto, gpu, sass, recorded and isa" --source=oracle
refused 'source twice' 2 "source 'sass' is named twice" --source=sass,sass
refused 'empty source' 2 "unknown source ''" --source=
refused 'auto with another source' 2 "source 'auto' stands alone" --source=auto,sass

# Numbers.
refused 'no device number' 2 "'one' is no device" --device=one
refused 'negative device' 2 "'-1' is no device" --device=-1
refused 'no time' 2 "'soon' is no time limit" --timeout=soon
refused 'no positive time' 2 "'0' is no time limit" --timeout=0
for bad in nan -1 1e7 '' 5s; do
    refused "no time: '$bad'" 2 "'$bad' is no time limit" --timeout="$bad"
done
for bad in 3 3, ,3 a,b 3,5,7,9 5-3,0 '3;5' -1,0 '' '*'; do
    refused "no element: '$bad'" 2 'no element; --at takes ROW,COL' "--at=$bad"
done
for bad in '' , 1,2,3 x 3- -3 4-3 1, 2.5; do
    refused "no thread: '$bad'" 2 "'$bad' is no thread; --thread takes TID or TID,I" "--thread=$bad"
done
refused '--diff of one' 2 "'sm_70' is one architecture" --diff=sm_70
refused 'a toolkit that is not there' 3 "there is no folder '/nonexistent' for --cuda" --cuda=/nonexistent
finish
