#!/bin/sh
# What is said of where a layout comes from: recorded, stated, confirmed; one source or several that agree. The sass
# source by itself is in sass/, the gpu source in gpu/.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=

run --source=isa --arch=80 mma.m16n8k16.d.f32
ok 'a statement says what confirmed it' grep -q '^# confirmed on sm_90: NVIDIA H200, nvcc [0-9.]*$' "$folder/out"
run --source=isa --arch=120 mma.m16n8k32.a.e2m1
ok 'or that nothing has' grep -q '^# not confirmed on hardware$' "$folder/out"
run --arch=90 --source=recorded mma.m16n8k16.d.f32 wgmma.m64n8k16.d.f32
ok 'what is recorded was seen' is \
    "$status $(count '^# source: recorded: isa (.*); recorded: gpu (NVIDIA H200, ')" '0 2'
run --arch=90 --source=recorded,isa 'wgmma.*k8.*' --brief
ok 'what is recorded and what is stated agree' is "$status $(count '; isa (')" "0 $(count '^# wgmma')"
run --arch=90 mma.m16n8k16.d.f32
ok 'by default what is recorded comes before what is stated' grep -q '^# source: recorded: isa (' "$folder/out"
run --arch=89 mma.m16n8k16.d.f32
ok 'and what is stated where nothing is recorded' grep -q '^# source: isa (PTX ISA 9.0 section ' "$folder/out"
finish
