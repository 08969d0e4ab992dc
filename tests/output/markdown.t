#!/bin/sh
# Markdown: tables for documents and issues.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
show() { run --source=recorded "$@"; }

show -a 75 --format=markdown
ok 'a map as Markdown' is "$(count '^| \*\*') $(grep '^| row' "$folder/out")" \
    '16 | row | `((i & 2) << 2) + ((tid & 28) >> 2)` |'
show -a 75 --at=8,6 --format=markdown
ok 'an answer as Markdown' is "$(last)" '| 8 | 6 | 0 | 3 | 2 |'
show -a 75 --format=markdown --brief
ok '--brief leaves the grid out' is "$status $(count '^| \*\*') $(count '^| row | `')" '0 0 1'
show -a 75 --format=markdown --detail
ok '--detail' is "$(grep '^| 16 x 16' "$folder/out")" '| 16 x 16 | f32 | 8 | 8 | 1 | sm_70, PTX 6.0 |'
run --source=isa --arch=80 --format=markdown --brief mma.m16n8k16.d.f32
ok 'a statement says what confirmed it' grep -q '^Confirmed on sm_90: NVIDIA H200, nvcc [0-9.]*$' "$folder/out"
run -a80 --format=markdown --brief HMMA.16816.F32
ok 'an opcode of SASS is said to be one of PTX' is \
    "$(count '^HMMA.16816.F32 is `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`$')" 4
run --list --format=markdown --type=b1
ok 'a list as Markdown' is "$(count '^| `wmma')" 2
# Every line of a table has as many cells as the line above it.
for arguments in '-a75' '-a75 --detail' '-a70 mma.m8n8k4.d.f16' '-a75 --at=0,0' '--list' '--diff=70,75'; do
    # shellcheck disable=SC2086 # several words
    run --format=markdown $arguments
    ok "the tables of $arguments are whole" awk -F'|' \
        '/^\|/ { if (cells && NF != cells) exit 1; cells = NF; next } { cells = 0 }' "$folder/out"
done
finish
