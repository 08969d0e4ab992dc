#!/bin/sh
# Markdown: tables for documents and issues.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
show() { run --source=recorded "$@"; }

show -a 75 --format=markdown
ok 'a map as Markdown' is "$(count '^| \*\*') $(grep '^| row' "$folder/out")" \
    '16 | row | `((i & 2) << 2) + ((tid & 28) >> 2)` |'
show -a 70 --format=markdown wmma.m16n16k16.a.row.f16
ok 'a cell has all copies' is "$(grep '^| \*\*0' "$folder/out" | cut -d'|' -f3)" ' 0:0 8:0 '
show -a 75 --at=8,6 --format=markdown
ok 'an answer as Markdown' is "$(last)" '| 8 | 6 | 0 | 3 | 2 |'
show -a 75 --format=markdown --brief
ok '--brief leaves the grid out' is "$status $(count '^| \*\*') $(count '^| row | `')" '0 0 1'
show -a 75 --format=markdown --detail
ok '--detail' is "$(grep '^| 16 x 16' "$folder/out")" '| 16 x 16 | f32 | 8 | 8 | 1 | sm_70, PTX 6.0 |'
run --source=isa --arch=80 --format=markdown --brief mma.m16n8k16.d.f32
ok 'a statement says what confirmed it' grep -q '^Confirmed on sm_90: NVIDIA H200, nvcc [0-9.]*$' "$folder/out"
ok 'and where it stands' is "$(line 3)" 'Source: isa (PTX ISA 9.0 section 9.7.14.5.8)'
run -a80 --format=markdown --brief HMMA.16816.F32
ok 'an opcode of SASS is said to be one of PTX' is \
    "$(count '^HMMA.16816.F32 is `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`$')" 3
run --list --format=markdown --type=b1
ok 'a list as Markdown' is "$(count '^| `wmma')" 2
run --source=isa --arch=80 --atom-layout='(2,2)' mma.m16n8k16.d.f32 --format=markdown --brief
ok 'a tile says what it is tiled by' is "$(line 5)" 'Tiled by atom layout (2,2)'
run '(8,8,2):(8,1,64)' --arch=80 --format=markdown
ok 'each stage of a matrix has a table' is "$(grep '^| stage ' "$folder/out" | cut -d'|' -f2 | tr '\n' ';')" \
    ' stage 0, offset in f16 ; stage 1, offset in f16 ; stage ;'
ok 'with its offsets' is "$(grep -c '^| \*\*7\*\* | 120 | 121 | 122 | 123 | 124 | 125 | 126 | 127 |$' "$folder/out")" 1
show --diff=75,90 --format=markdown --verbose
ok 'a difference has formulae of outer axes behind the others' says \
    '| `stmatrix.m8n8.x2.r.b16` | sm_90 | `((tid & 28) >> 2)` | `(i & 1) + ((tid & 3) << 1)`, block `((i & 2) >> 1)` |' "$folder/out"
# Every line of a table has as many cells as the line above it.
for arguments in '-a75' '-a75 --detail' '-a70 mma.m8n8k4.d.f16' '-a75 --at=0,0' '--list' '--diff=70,75'; do
    # shellcheck disable=SC2086 # several words
    run --format=markdown $arguments
    ok "the tables of $arguments are whole" awk -F'|' \
        '/^\|/ { if (cells && NF != cells) exit 1; cells = NF; next } { cells = 0 }' "$folder/out"
done

# Cells of a table end at |, except after \; a heading is no HTML.
run --arch=80 --style=short --brief --format=markdown wmma.m16n16k8.a.row.tf32
ok 'an or is in a formula' is "$(count '`.* \\| .*`')" 1
ok 'and every line of the table has two cells' is "$(sed -n '/^|/{s/\\|//g;s/[^|]//g;p;}' "$folder/out" | sort -u)" '|||'
printf 'x,row,col\n0,0,0\n1,1,0\n' > "$folder/<svg onload=alert(1)>"
run --map="$folder/<svg onload=alert(1)>" --format=markdown
ok 'a name of a file is no HTML' is "$(line 1)" '### \<svg onload=alert(1)>'
run --format=markdown --brief 'Layout_K_SW128_Atom<float>'
ok 'nor is that of a type' is "$(line 1)" '### Layout_K_SW128_Atom\<float>'
finish
