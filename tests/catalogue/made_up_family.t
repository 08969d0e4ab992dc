#!/bin/sh
# A family that somebody adds: a made-up instruction of a warp that has 64 threads, in a copy of the program.
#
# The layouts are written down here a second time, in awk: row and column of D are 8*(i/4) + 4*(tid/32) + i%4 and
# tid%32. Every format, question and comparison answers by them, or refuses and says why. Building takes 20 s, so this
# is done with THOROUGH=1.
. "$(dirname "$0")/../tap.sh"
if [ "${THOROUGH:-0}" = 0 ]; then
    echo '1..0 # with THOROUGH=1'
    exit
fi

# ---- The copy: the steps of "To add ..." in src/README.md ----

tree=$folder/tree
mkdir "$tree"
(cd "$root" && tar -cf - Makefile include results src tests) | (cd "$tree" && tar -xf -)
cat > "$tree/src/catalogue/mfma.c" << 'END'
#include "catalogue/family.h"

static const struct fragment_group groups[] = {
    {.shape = {32, 32, 8}, .since = 70, .section = "made-up specification, section 1",
     .rows = {
        {.operands = A, .types = F16, .bases = "t0 t1 t2 t3 t4 | i0 i1 t5"},
        {.operands = B, .types = F16, .bases = "i0 i1 t5 | t0 t1 t2 t3 t4"},
        {.operands = C | D, .types = F32, .bases = "i0 i1 t5 i2 i3 | t0 t1 t2 t3 t4"},
     }},
};

const struct family mapping_mfma = {
    .instruction = MAPPING_MFMA,
    .name = "mfma",
    .shape_style = SHAPE_MNK,
    .multiplies = true,
    .threads = 64,
    .lanes = 64,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
};
END

# changed FILE COMMAND: edits a file of the copy.
changed() { sed "$2" "$tree/$1" > "$folder/changed" && ! cmp -s "$folder/changed" "$tree/$1" && cp "$folder/changed" "$tree/$1"; }

# built NAME: builds the copy as a program of that name.
built() {
    (unset MAKEFLAGS MFLAGS MAKELEVEL SANITIZER
    make -C "$tree" -j2 NVCC= WERROR= CC="${CC:-cc}" CFLAGS=-O0 BUILD=build BINARY="$1" "$1") > "$folder/log" 2>&1 ||
        { tail -n 5 "$folder/log"; false; }
}

forgotten_line() {
    changed include/mapping.h 's/^    MAPPING_INSTRUCTIONS/    MAPPING_MFMA,\n&/' &&
        changed src/catalogue/family.h 's/mapping_tcgen05_shift;/mapping_tcgen05_shift, mapping_mfma;/' &&
        ! built forgotten > /dev/null && grep -q 'every instruction of mapping.h has a line here' "$folder/log"
}

family_is_added() { changed src/catalogue/families.c 's/^    &mapping_tcgen05_shift,/&\n    \&mapping_mfma,/' && built with_family; }

ok 'a family without its line in families.c does not compile' forgotten_line
ok 'with that line it is built' family_is_added
before=$("$MAPPING" --list --all | sed 's/ .*//')
MAPPING=$tree/with_family

# ---- What the formulae of this file say ----

# expected A | B | D: every tid, i, row and column, as CSV.
expected() {
    awk -v operand="$1" 'BEGIN {
        for (tid = 0; tid < 64; tid++)
            for (i = 0; i < (operand == "D" ? 16 : 4); i++) {
                row = operand == "D" ? 8 * int(i / 4) + 4 * int(tid / 32) + i % 4 : 4 * int(tid / 32) + i
                print tid "," i "," (operand == "A" ? tid % 32 "," row : row "," tid % 32)
            }
    }'
}
d=mfma.m32n32k8.d.f32
for operand in A B D; do expected "$operand" > "$folder/$operand"; done

# ---- Lists ----

list_has_more() {
    expected=$(printf '%s\n' "$before" mfma.m32n32k8.a.f16 mfma.m32n32k8.b.f16 mfma.m32n32k8.c.f32 $d)
    is "$("$MAPPING" --list --all | sed 's/ .*//')" "$expected"
}
ok '--list has four fragments more, and all others' list_has_more

# ---- Formats ----

csv_is_right() {
    run --format=csv "mfma.m32n32k8.$2"
    is "$status" 0 && sed 1d "$folder/out" | cut -d, -f3-6 | cmp - "$folder/$1"
}
ok 'A as CSV' csv_is_right A a.f16
ok 'B as CSV' csv_is_right B b.f16
ok 'D as CSV' csv_is_right D d.f32

json_is_right() {
    run --format=json $d && python3 - "$folder/out" << 'END' | cmp - "$folder/D"
import json, sys
for tid, held in enumerate(json.load(open(sys.argv[1]))["map"]):
    for i, (row, col) in enumerate(held):
        print(f"{tid},{i},{row},{col}")
END
}
ok 'D as JSON' json_is_right

# says_line LINE ARGUMENT...: prints the line.
says_line() {
    expected=$1
    shift
    run "$@"
    is "$status" 0 && { grep -qxF -e "$expected" "$folder/out" || { cat "$folder/out"; false; }; }
}
ok "D in CuTe's notation" says_line '((32,2),(4,4)):((32,4),(1,8))' --format=cute $d
triton='#ttg.linear<{register = [[1, 0], [2, 0], [8, 0], [16, 0]], '
triton=$triton'lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], warp = [], block = []}>'
ok 'D as a linear layout of Triton, whose lanes are 64' says_line "$triton" --format=triton $d

functions_are_right() {
    run --format=cuda $d && cp "$folder/out" "$folder/d.h" && cat > "$folder/d.c" << 'END'
#include <stdio.h>
#include "d.h"
int main(void) {
    for (unsigned tid = 0; tid < 64; tid++)
        for (unsigned i = 0; i < 16; i++) {
            unsigned row = mapping_mfma_m32n32k8_d_f32_row(tid, i), col = mapping_mfma_m32n32k8_d_f32_col(tid, i);
            if (mapping_mfma_m32n32k8_d_f32_tid(row, col) != tid || mapping_mfma_m32n32k8_d_f32_i(row, col) != i)
                return 1;
            printf("%u,%u,%u,%u\n", tid, i, row, col);
        }
    return 0;
}
END
    "${CC:-cc}" -o "$folder/d" "$folder/d.c" && "$folder/d" | cmp - "$folder/D" && says 'thread of the warp, 0 to 63' "$folder/d.h"
}
ok 'D as functions of C' functions_are_right

# Every thread stands once in each of its elements: in the picture, the page and tables, T63 is the last.
shown_as() {
    run --format="$1" $d
    is "$status" 0 && says "$2" "$folder/out" && ! grep -q 'T64\|64:0\|warpgroup of 64' "$folder/out"
}
ok 'D as Markdown' shown_as markdown '| 63:15 |'
ok 'D as a picture' shown_as svg 'T63'
ok 'D as a picture for LaTeX' shown_as tikz 'T63'
ok 'D as a page' shown_as html "$d"

# ---- Questions ----

ok '--at' says_line 'row  5, col  3: tid 35, i  1 in register 1' --at=5,3 $d
ok '--lane, 0 to 63' says_line 'tid 40, i  3: row  7, col  8 in register 3' --lane=40,3 $d
ok '--detail: rows' says_line \
    '           to reduce a row: __shfl_xor_sync with laneMask 1, 2, 4, 8, 16' --detail --brief $d
ok '--detail: columns' says_line \
    '           to reduce a column: __shfl_xor_sync with laneMask 32' --detail --brief $d
ok '--detail: it has no version of PTX' says_line 'since      sm_70' --detail --brief $d
ok '--detail: it has no instruction descriptor' fails grep -q idesc "$folder/out"
ok 'the specification is named' says '(made-up specification, section 1)' "$folder/out"

# ---- Comparisons ----

right='Row: right at all 1024 entries'
ok '--verify with tid' says_line "$right" --verify='row = 8*(i/4) + 4*(tid/32) + i%4; col = tid%32' $d
ok '--verify with lane, 0 to 63' says_line "$right" \
    --verify='row = 8*(i/4) + 4*(lane/32) + i%4; col = lane%32' $d
warp_is_0() {
    run --verify='row = 8*(i/4) + 4*warp + i%4; col = lane%32' $d
    is "$status $(line 5)" '1 Row: wrong at 512 of 1024 entries'
}
ok '--verify with warp, which is 0 in all threads' warp_is_0
all_fragments_are_searched() {
    run --verify='row = 8*(i/4) + 4*(tid/32) + i%4; col = tid%32' mma.m16n8k16.d.f32
    is "$status" 1 && says $d "$folder/out"
}
ok '--verify finds it for a formula that is wrong elsewhere' all_fragments_are_searched
named_by_map() {
    { echo tid,i,row,col && cat "$folder/D"; } | "$MAPPING" --map=- > "$folder/out" && says $d "$folder/out"
}
ok '--map names it' named_by_map
ok '--diff' says_line '# sm_80 and sm_90: 4 fragments are the same, 0 differ' --diff=80,90 mfma

# ---- What cannot be answered is refused ----

refused '--load' 2 'has warps of 64 threads, but ld, st and ldmatrix need warps of 32' \
    '(32,32):(32,1)' --load=mfma.m32n32k8.a.f16
refused '--convert' 2 '--convert needs fragments of a warp (32 threads) or a warpgroup (128 threads), not of 64 threads' $d --convert=mfma.m32n32k8.c.f32
refused '--atom-layout' 2 "$d cannot be tiled; only A, B, C and D of mma and wgmma can be tiled" --atom-layout='(2,1,1)' $d

# ---- A row ----

row_is_added() {
    row='{.shape = {32, 8, 8}, .since = 90, .ptx = 78, .section = "0", .rows = {{.operands = C | D, .types = F32,'
    row="$row .bases = \"t2 t3 t4 i1 i2 | t0 t1 i0\"}}},"
    changed src/catalogue/mma.c "s/^static const struct fragment_group groups.*/&\n    $row/" && built with_row
}
row_hides_nothing() {
    "$tree/with_row" --list --all | sed 's/ .*//' | sort > "$folder/after"
    "$MAPPING" --list --all | sed 's/ .*//' | sort | comm -13 - "$folder/after" > "$folder/new" &&
        is "$(tr '\n' ' ' < "$folder/new")" 'mma.m32n8k8.c.f32 mma.m32n8k8.d.f32 ' &&
        is "$("$MAPPING" --list --all | wc -l)" "$(($(wc -l < "$folder/after") - 2))"
}
ok 'one line in mma.c is a fragment more' row_is_added
ok 'it is listed, and all others are' row_hides_nothing

finish
