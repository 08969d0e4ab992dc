#!/bin/sh
# The source of a layout in the output: recorded, stated, confirmed; one source or several that agree. sass/ tests the
# sass source, gpu/ the gpu source.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

run --source=isa --arch=80 mma.m16n8k16.d.f32
ok 'a statement says what confirmed it' grep -q '^# confirmed on sm_90: NVIDIA H200, nvcc [0-9.]*$' "$folder/out"
run --source=isa --arch=120 mma.m16n8k32.a.e2m1
ok 'or that nothing has' grep -q '^# not confirmed on hardware\(; .* uses* the same layout\)*$' "$folder/out"
run --arch=90 --source=recorded mma.m16n8k16.d.f32 wgmma.m64n8k16.d.f32
ok 'what is recorded was seen' is \
    "$status $(count '^# source: recorded: gpu (NVIDIA H200, ')" '0 2'
run --arch=90 --source=recorded,isa 'wgmma.*k8.*' --brief
ok 'what is recorded and what is stated agree' is "$status $(count '; isa (')" "0 $(count '^# wgmma')"
run --arch=90 mma.m16n8k16.d.f32
ok 'by default what is recorded comes before what is stated' grep -q '^# source: recorded: gpu (' "$folder/out"
run --arch=89 mma.m16n8k16.d.f32
ok 'and what is stated where nothing is recorded' grep -q '^# source: isa (PTX ISA 9.0 section ' "$folder/out"

# Published output from hardware.
run --source=published --arch=70 --type=half
ok 'who printed it is said' is "$status $(line 2)" '0 # source: published (Volta, cuda-tensorcores-register-mapping)'
run --source=recorded,published --arch=75,80 wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f16 --brief --detail
ok 'it agrees with what is recorded' is "$status $(count '; published (Turing, ') $(count '; published (A100, ')" '0 2 2'
refused 'nothing else was printed' 3 '--source=published cannot show wmma.m16n16k16.c.f32 on sm_80: no layout of it was published; use --source=gpu, --source=sass or --source=recorded' \
    --source=published --arch=80 wmma.m16n16k16.c.f32
refused 'nor on any other architecture' 3 'no layout of it was published' --source=published --arch=86
ok 'the records say it of the accumulators of Volta, Turing and the A100' is \
    "$(for at in 'sm_70.*Volta' 'sm_75.*Turing' 'sm_80.*A100'; do
        tr '\n' ' ' < "$root/results/wmma.txt" | sed 's/ #     / /g; s/#   /\n/g' | grep -c "^$at, cuda-tensorcores-register-mapping)"
    done | tr '\n' ' ')" '2 1 1 '

# A record that differs from published output is found.
sed '4,/^Formulae/s/^ 0  1  0  1  4  5  4  5/ 1  0  0  1  4  5  4  5/' "$root/results/published.txt" > "$folder/bent"
run --check "$folder/bent" --source=published
ok 'a record that differs from what was printed is found' is "$status $(count '^FAIL  wmma.m16n16k16.d.f32 on sm_70')" '1 1'
finish
