#!/bin/sh
# Adds a family to a copy of the program: an invented instruction of a warp.
#
# The test computes the layouts independently, in awk: row and column of D are 8*(i/4%4) + 4*(tid/16) + i%4 and tid%16 +
# 16*(i/16). Every format, question and comparison must agree with them, or must fail with a reason. Building takes 20
# s, so this test needs THOROUGH=1.
. "$(dirname "$0")/../lib/tap.sh"
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
        {.operands = A, .types = F16, .bases = "t0 t1 t2 t3 i2 | i0 i1 t4"},
        {.operands = B, .types = F16, .bases = "i0 i1 t4 | t0 t1 t2 t3 i2"},
        {.operands = C | D, .types = F32, .bases = "i0 i1 t4 i2 i3 | t0 t1 t2 t3 i4"},
     }},
};

static const struct opcode_row opcodes[] = {{.shape = {32, 32, 8}, .d = F32, .a = F16, .since = 70}};
static const struct opcode_form forms[] = {{
    .start = "mfma.sync.aligned",
    .words = "sync+ aligned",
    .parts = {PART_MNK, PART_ORDERS, PART_D, PART_A, PART_B, PART_C},
    OPCODE_ROWS(opcodes),
}};

const struct family mapping_mfma = {
    .instruction = MAPPING_MFMA,
    .name = "mfma",
    .shape_style = SHAPE_MNK,
    .multiplies = true,
    .threads = 32,
    GROUPS(groups),
    .in_registers = A | B | C | D,
    .ptx_operands = "d a b c",
    FORMS(forms),
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

family_is_added() {
    changed src/catalogue/fragment.h 's/^    EACH(MAPPING_TCGEN05_SHIFT,/    EACH(MAPPING_MFMA, mapping_mfma) \\\n&/' &&
        built with_family
}
ok 'with its row in MAPPING_FAMILIES the program is built' family_is_added
before=$("$MAPPING" --list --all | sed 's/ .*//')
MAPPING=$tree/with_family

# ---- The formulae of this file ----

# expected A | B | D: every tid, i, row and column, as CSV.
expected() {
    awk -v operand="$1" 'BEGIN {
        for (tid = 0; tid < 32; tid++)
            for (i = 0; i < (operand == "D" ? 32 : 8); i++) {
                row = 4 * int(tid / 16) + i % 4 + (operand == "D" ? 8 * (int(i / 4) % 4) : 0)
                col = tid % 16 + 16 * int(i / (operand == "D" ? 16 : 4))
                print tid "," i "," (operand == "A" ? col "," row : row "," col)
            }
    }'
}
d=mfma.m32n32k8.d.f32
for operand in A B D; do expected "$operand" > "$folder/$operand"; done

# ---- Lists ----

list_has_more() {
    expected=$(printf '%s\n' "$before" mfma.m32n32k8.a.f16 mfma.m32n32k8.b.f16 mfma.m32n32k8.c.f32 $d | sort)
    is "$("$MAPPING" --list --all | sed 's/ .*//' | sort)" "$expected"
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
ok "D in CuTe's notation" says_line '((16,2),(4,4,2)):((32,4),(1,8,512))' --format=cute $d
triton='#ttg.linear<{register = [[1, 0], [2, 0], [8, 0], [16, 0], [0, 16]], '
triton=$triton'lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0]], warp = [], block = []}>'
ok 'D as a linear layout of Triton' says_line "$triton" --format=triton $d

functions_are_right() {
    run --format=cuda $d && cp "$folder/out" "$folder/d.h" && cat > "$folder/d.c" << 'END'
#include <stdio.h>
#include "d.h"
int main(void) {
    for (unsigned tid = 0; tid < 32; tid++)
        for (unsigned i = 0; i < 32; i++) {
            unsigned row = mapping_mfma_m32n32k8_d_f32_row(tid, i), col = mapping_mfma_m32n32k8_d_f32_col(tid, i);
            if (mapping_mfma_m32n32k8_d_f32_tid(row, col) != tid || mapping_mfma_m32n32k8_d_f32_i(row, col) != i)
                return 1;
            printf("%u,%u,%u,%u\n", tid, i, row, col);
        }
    return 0;
}
END
    "${CC:-cc}" -o "$folder/d" "$folder/d.c" && "$folder/d" | cmp - "$folder/D" && says 'thread of the warp, 0 to 31' "$folder/d.h"
}
ok 'D as functions of C' functions_are_right

# Every thread occurs once for each of its elements: in the picture, the page and tables, T31 is the last.
shown_as() {
    run --format="$1" $d
    is "$status" 0 && says "$2" "$folder/out" && ! grep -q 'T32\|32:0' "$folder/out"
}
ok 'D as Markdown' shown_as markdown '| 31:31 |'
ok 'D as a picture' shown_as svg 'T31'
ok 'D as a picture for LaTeX' shown_as tikz 'T31'
ok 'D as a page' shown_as html mfma.m32n32k8

# ---- Questions ----

ok '--at' says_line 'row  5, col  3: tid 19, i  1 in register 1' --at=5,3 $d
ok '--lane' says_line 'tid 24, i  3: row  7, col  8 in register 3' --lane=24,3 $d
ok '--detail: rows' says_line \
    '           to reduce a row: __shfl_xor_sync with laneMask 1, 2, 4, 8' --detail --brief $d
ok '--detail: columns' says_line \
    '           to reduce a column: __shfl_xor_sync with laneMask 16' --detail --brief $d
ok '--detail: it has no version of PTX' says_line 'since      sm_70' --detail --brief $d
ok '--detail: it has no instruction descriptor' fails grep -q idesc "$folder/out"
ok 'the specification is named' says '(made-up specification, section 1)' "$folder/out"

# ---- Comparisons ----

right='Row: right at all 1024 entries'
ok '--verify with tid' says_line "$right" --verify='row = 8*(i/4%4) + 4*(tid/16) + i%4; col = tid%16 + 16*(i/16)' $d
all_fragments_are_searched() {
    run --verify='row = 8*(i/4%4) + 4*(tid/16) + i%4; col = tid%16 + 16*(i/16)' mma.m16n8k16.d.f32
    is "$status" 1 && says 'mfma.m32n32k8.{c,d}.f32' "$folder/out"
}
ok '--verify finds it for a formula that is wrong elsewhere' all_fragments_are_searched
named_by_map() {
    { echo tid,i,row,col && cat "$folder/D"; } | "$MAPPING" --map=- > "$folder/out" && says 'mfma.m32n32k8.{c,d}.f32' "$folder/out"
}
ok '--map names it' named_by_map
ok '--diff' says_line '# sm_80 and sm_90: 4 fragments are the same, 0 differ' --diff=80,90 mfma

# ---- What cannot be answered is refused ----

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
