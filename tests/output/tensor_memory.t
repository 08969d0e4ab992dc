#!/bin/sh
# Operands in Tensor Memory, and the elements that tcgen05.ld and tcgen05.st move: every format, invalid questions, the
# facts of --detail. Expected values are rules of the PTX ISA, written here and in tensor_memory_test.py.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
d=tcgen05.mma.m128n16k16.d.f32
half=tcgen05.mma.m64n16k16.d.f32
load=tcgen05.ld.16x64b.x4.r.b32

ok_with python3 'every format has elements where the PTX ISA has them' python3 "$here/tensor_memory_test.py" "$MAPPING"

# ---- Functions ----

# Compiles functions of D of M = 64, and of a pair whose N/2 is no power of two, and compares them with the rules.
"$MAPPING" --format=cuda "$half" tcgen05.mma.cta2.m128n48k16.d.f32 tcgen05.mma.m128k64.sfa.2x.ue8m0 > "$folder/it.h"
cat > "$folder/it.c" << 'END'
#include "it.h"
#define HALF(what) mapping_tcgen05_mma_m64n16k16_d_f32_##what
#define PAIR(what) mapping_tcgen05_mma_cta2_m128n48k16_d_f32_##what
#define SCALE(what) mapping_tcgen05_mma_m128k64_sfa_2x_ue8m0_##what
int main(void) {
    unsigned wrong = MAPPING_TCGEN05_MMA_M64N16K16_D_F32_ROWS != 64;
    wrong += MAPPING_TCGEN05_MMA_M128K64_SFA_2X_UE8M0_COPIES != 4;
    for (unsigned r = 0; r < 64; r++)
        for (unsigned c = 0; c < 16; c++) {
            unsigned lane = r % 16 + r / 16 * 32;
            wrong += HALF(lane)(r, c) != lane || HALF(column)(r, c) != c;
            wrong += HALF(row)(lane, c) != r || HALF(col)(lane, c) != c;
        }
    for (unsigned r = 0; r < 128; r++)
        for (unsigned c = 0; c < 48; c++) {
            unsigned cta = r / 64, lane = r % 64 + (c >= 24 ? 64u : 0u), column = c % 24;
            wrong += PAIR(cta)(r, c) != cta || PAIR(lane)(r, c) != lane || PAIR(column)(r, c) != column;
            wrong += PAIR(row)(cta, lane, column) != r || PAIR(col)(cta, lane, column) != c;
        }
    for (unsigned r = 0; r < 128; r++)
        for (unsigned c = 0; c < 2; c++)
            for (unsigned n = 0; n < 8; n++) {
                unsigned copy = n / 2, id = n % 2, lane = r % 32 + 32 * copy, column = r / 32, bit = 8 * c + 16 * id;
                wrong += SCALE(lane)(r, c, copy, id) != lane || SCALE(column)(r, c, copy, id) != column;
                wrong += SCALE(bit)(r, c, copy, id) != bit || SCALE(row)(lane, column, bit) != r;
                wrong += SCALE(col)(lane, column, bit) != c || SCALE(copy)(lane, column, bit) != copy;
                wrong += SCALE(id)(lane, column, bit) != id;
            }
    return wrong != 0;
}
END
flags='-Wall -Wextra -Wconversion -Wshadow -Werror'
# shellcheck disable=SC2086 # several flags
ok 'functions compile as C' "${CC:-cc}" -std=c99 $flags -o "$folder/it" "$folder/it.c"
ok 'and give what the PTX ISA says, there and back' "$folder/it"
if has "${CXX:-c++}"; then
    # shellcheck disable=SC2086 # several flags
    ok 'and as C++' "${CXX:-c++}" -x c++ $flags -o "$folder/it" "$folder/it.c"
else
    skip 'and as C++' c++
fi
ok 'the header says where functions back are no answer' says 'Some places hold no element' "$folder/it.h"
ok 'and has no threads' fails says 'tid' "$folder/it.h"
run --format=cuda "$d"
ok 'but not where something lies everywhere' fails says 'hold no element' "$folder/out"

# ---- The header of a section ----

memory() { grep -A1 '^# in Tensor Memory' "$folder/out" | tr '\n' ';'; }
run --arch=100 "$d"
ok 'how much of Tensor Memory it takes' is "$status $(memory)" \
    '0 # in Tensor Memory: 128 lanes, 16 columns of 32 bits;# --with=tcgen05.ld.32x32b shows which elements each thread reads;'
run --arch=100 tcgen05.mma.cta2.m128k16.a.f16
ok 'of a pair' is "$status $(memory)" \
    '0 # in Tensor Memory: 128 lanes, 8 columns of 32 bits in each CTA of a pair;'\
'# --with=tcgen05.st.32x32b shows which elements each thread writes;'
run --arch=100 tcgen05.mma.m64k16.a.f16 tcgen05.cp.4x256b.d.b6 "$half"
ok 'where warps have 16 lanes each' is "$(memory | tr ';' '\n' | sed -n 2p)" \
    '# --with=tcgen05.st.16x64b shows which elements each thread writes'
ok 'notes fit a terminal' is "$(grep '^#' "$folder/out" | awk 'length > 79' | wc -l)" 0

# ---- Questions ----

run "$half" --at=17,3
ok 'row 17 of M = 64 is in the lanes of the second warp' is "$status $(last)" '0 row 17, col  3: lane 33, column  3'
run "$half" --lane=33,3
ok 'and back' is "$status $(last)" '0 lane 33, column  3: row 17, col  3'
run "$half" --lane=16
ok 'in lane 16 is nothing' is "$status $(last)" '0 there is no element at this position'
run tcgen05.mma.m128k16.a.f16 --lane=3,5,16
ok 'a bit of a column' is "$status $(last)" '0 lane 3, column  5, bit 16: row  3, col 11'
run "$load" --lane=3,5
ok 'which thread loads lane 3, column 5' is "$status $(last)" '0 lane  3, column  5: tid 14, i  2 in register 2'
run "$load" --thread=14,2
ok 'and what thread 14 loads' is "$status $(last)" '0 tid 14, i  2: lane  3, column  5 in register 2'
run mma.m16n8k16.d.f32 --arch=80 --lane=3,1
ok 'elsewhere a lane is a thread' is "$status $(last)" '0 tid  3, i  1: row  0, col  7 in register 1'
refused 'no thread holds it' 2 'no thread holds tcgen05.mma.m128n16k16.d.f32, since it is in Tensor Memory' "$d" --thread=3
refused 'there are rows' 2 'has no row 64; the last one is row 63' "$half" --at=64,0
refused 'and lanes' 2 'has no lane 128; the last one is lane 127' "$half" --lane=128
refused 'and columns' 2 'has no column 16; the last one is column 15' "$half" --lane='0,16'
refused 'but no bits where an element fills its column' 2 'has only the coordinates LANE,COLUMN; give at most 2 numbers' "$half" --lane=0,0,0

# ---- What somebody says ----

run "$half" --verify='lane = row % 16 + row / 16 * 32; column = col'
ok '--verify of where it is' is "$status $(tail -n 2 "$folder/out" | tr '\n' ';')" \
    '0 Lane: right at all 1024 entries;Column: right at all 1024 entries;'
run "$half" --verify='row = lane % 16 + lane / 32 * 16'
ok '--verify of the inverse, where something lies' is "$status $(last)" '0 Row: right at all 1024 entries'
run "$half" --verify='lane = row'
ok 'M = 128 would be right' is "$status $(count 'wrong at 768 of 1024') $(count 'tcgen05.mma.m128n256k16.d.{f32,f16}')" '1 1 1'

# ---- Facts about registers ----

refused '--convert from it' 2 'tcgen05.mma.m128n16k16.d.f32 cannot become mma.m16n8k16.d.f32: tcgen05.mma.m128n16k16.d.f32 is in Tensor Memory; write a fragment of tcgen05.ld or tcgen05.st instead, such as tcgen05.ld.32x32b.x16.r.b32' \
    "$d" --convert=mma.m16n8k16.d.f32
refused '--convert to it' 2 'mma.m16n8k16.d.f32 cannot become tcgen05.mma.m128n16k16.d.f32: tcgen05.mma.m128n16k16.d.f32 is in Tensor Memory; write a fragment of tcgen05.ld or tcgen05.st instead, such as tcgen05.ld.32x32b.x16.r.b32' \
    mma.m16n8k16.d.f32 --convert="$d"
refused '--convert of a load' 2 'maps registers to lanes of Tensor Memory' "$load" --convert=tcgen05.ld.16x128b.x2.r.b32
refused '--load of it' 2 'tcgen05.cp copies it from shared' '(128,16):(16,1)' --load="$d"
refused '--store of a load' 2 'maps registers to lanes of Tensor Memory' '(64,64):(64,1)' --store="$load"
refused '--format=triton' 2 'describes registers' "$d" --format=triton
run "$d" --format=svg
cp "$folder/out" "$folder/usual.svg"
run "$d" --format=svg --color-by=lane
ok 'colors by lane are the usual ones' cmp "$folder/out" "$folder/usual.svg"
run "$d" --format=svg --color-by=column
ok 'or by column, which the picture says' says 'Colors show the column.' "$folder/out"
ok 'and which are others' fails cmp -s "$folder/out" "$folder/usual.svg"
refused 'colors by thread' 2 'needs a fragment in registers, but tcgen05.mma' "$d" --format=svg --color-by=thread

# ---- Facts ----

fact() { sed -n "s/^$1  *//p" "$folder/out"; }
run "$half" --brief --detail
ok 'lanes of each warp, and columns' is "$(fact memory)" 'Tensor Memory: lanes 0 to 15 of each 32-lane group, 16 columns'
ok 'what the PTX ISA calls it' is "$(fact layout)" 'F in the PTX ISA; the matrix uses half of the lanes'
ok 'the columns that can be allocated' is "$(fact allocate | sed 's/,.*//')" '32 columns'
ok 'which lanes each warp reaches' is "$(fact warps)" 'access only lanes 32 * w to 32 * w + 31 (w: warp number % 4):'
ok 'nothing of it is in registers' is "$(count registers) $(fact registers)" '1 '
run tcgen05.mma.m128n48k16.d.f32 --brief --detail
ok 'powers of two' is "$(fact allocate | sed 's/,.*//')" '64 columns'
run tcgen05.mma.m128n128k16.d.f32 --brief --detail
ok 'and no more than are needed' is "$(fact allocate | sed 's/,.*//')" '128 columns'
run tcgen05.mma.m128k32.a.e2m1 --brief --detail
ok 'where narrow elements begin' is "$(fact columns)" 'have 32 bits; elements of 4 bits begin at bit 2, 10, 18, 26'
run tcgen05.cp.4x256b.d.b32 --brief --detail
ok 'one lane of each warp' is "$(fact memory);$(fact type)" 'Tensor Memory: lane 0 of each 32-lane group, 8 columns;b32, 32 bits'
run tcgen05.mma.m128n256k32.d.f32 --brief --detail
ok 'instruction descriptors of kinds' is "$(grep -c 0x "$folder/out") $(fact idesc)" \
    '2 0x08400010 of kind::f8f6f4 with A and B of e4m3;'
# Letters of layouts: PTX ISA 9.1, 9.7.16.10.5.
while read -r letter name; do
    run "tcgen05.mma$name" --brief --detail
    ok "layout $letter of tcgen05.mma$name" is "$(fact layout | cut -c1-16)" "$letter in the PTX ISA"
done << 'END'
A .cta2.m256n32k16.d.f32
A .cta2.sp.m256n32k32.d.f32
B .cta2.m128n32k16.d.f32
C .cta2.sp.m128n32k32.d.f32
D .m128n32k16.d.f32
D .sp.m128n32k32.d.f32
D .ws.m128n64k16.d.f32
E .ws.m64n64k16.d.f32
F .m64n32k16.d.f32
F .sp.m64n32k32.d.f32
G .ws.m32n64k16.d.f32
G .ws.sp.m32n64k32.d.f32
END
run "$load" --brief --detail
ok 'a load has registers, and who reaches what' is "$(fact registers);$(fact memory);$(fact done)" \
    '4 per thread, 1 element in each;reads Tensor Memory: 16 lanes x 8 columns, starting at the address;'"\
after tcgen05.wait::ld.sync.aligned"
ok 'and says so' is "$(fact 'issued by')" 'one warp, all threads together; warp w can access only lanes'
run "$half" --brief --detail --format=json
ok 'and as JSON' says '"tensor_memory":{"lanes":[[0,15],[32,47],[64,79],[96,111]],"columns":16,"ctas":1,"layout":"F in the PTX ISA; the matrix uses half of the lanes","bits":[0],"allocate":32,"issued_by":"thread","lanes_of_warp":32}' "$folder/out"
ok 'which has no registers either' says '"registers":null' "$folder/out"

# Elements in several places, or in one of several (PTX ISA, sections 9.7.16.9.2, .10.7 and .10.8): counted by hand.
detail() { # NAME FRAGMENT LINE...
    name=$1 fragment=$2
    shift 2
    run --detail --brief --arch=100 "$fragment"
    for expected; do
        ok "$name: $expected" grep -qxF -e "$expected" "$folder/out"
    done
}
detail '32 lanes of .warpx4 go to all 128' tcgen05.cp.32x128b.warpx4 'memory     Tensor Memory: lanes 0 to 127, 4 columns' \
    'copies     each element must be stored in 4 places' 'issued by  one thread, with tcgen05.cp' 'bytes      512 for the matrix'
detail 'scale factors' tcgen05.mma.m128n128k32.sfa.ue8m0 'copies     each element must be stored in 4 places' \
    'id         a field of the instruction descriptor; 4 of its values are shown' 'issued by  one thread, with tcgen05.mma'
detail 'metadata of 16 bits' tcgen05.mma.sp.m128n128k32.e.f16 'type       2-bit indices of the nonzero elements of A (f16)' \
    'selector   a field of the instruction descriptor; 2 of its values are shown' \
    'columns    have 32 bits; elements of 2 bits begin at bit 0, 2 .. 30' 'bytes      512 for the matrix'
detail 'a shift moves lanes 1 to 31' tcgen05.shift.31x256b.d.b32 'memory     Tensor Memory: lanes 1 to 31, 8 columns' \
    'issued by  one thread, with tcgen05.shift' 'bytes      992 for the matrix'

detail 'a store' tcgen05.st.32x32b.x1.r.b32 'memory     writes Tensor Memory: 32 lanes x 1 column, starting at the address' \
    'done       after tcgen05.wait::st.sync.aligned'
detail 'halves of columns' tcgen05.ld.16x64b.x2.r.pack.b16 'columns    have 32 bits, of which the lower 16 are moved' \
    'address    lane 32 * w or 32 * w + 16'
run --arch=100 --with=tcgen05.st.32x32b tcgen05.mma.m128n16k16.a.f16 --detail
ok 'A that threads store' is "$(sed -n '/^done/,/^bytes/p' "$folder/out" | head -n 3 | tr -s '\n ' ' ')" \
    'done after tcgen05.wait::st.sync.aligned. If another thread issues tcgen05.mma, execute tcgen05.fence::before_thread_sync, and then synchronize with that thread '

# Parts of several operands, and of one on several architectures, each under a line of its own.
run --arch=100,103 --with=tcgen05.ld.32x32b --brief tcgen05.mma.m128n16k16.d.f32 tcgen05.mma.m128n32k16.d.f32
ok 'parts of several operands' is "$status $(shown)" '0 tcgen05.mma.m128n16k16.d.f32 tcgen05.mma.m128n32k16.d.f32 '\
'tcgen05.mma.m128n16k16.d.f32 tcgen05.mma.m128n32k16.d.f32 '
run --arch=100 --format=svg --whole --with=tcgen05.ld.32x32b.x8 tcgen05.mma.cta2.m256n16k16.d.f32
ok 'pictures of both CTAs' is "$status $(grep -o 'CTA [01] of 2, load [01] of 2, 128 x 8: ' "$folder/out" | tr '\n' ';')" \
    '0 CTA 0 of 2, load 0 of 2, 128 x 8: ;CTA 0 of 2, load 1 of 2, 128 x 8: ;CTA 1 of 2, load 0 of 2, 128 x 8: ;CTA 1 of 2, load 1 of 2, 128 x 8: ;'

# ---- Back, where N leaves gaps: column n is in lane n % 32 of each 32, and in column n / 32 ----

inverse_is() { # FORMULAE FRAGMENT
    run --arch=100 --brief "$2"
    ok "back from $2" is "$(sed -n '/^Inverse/,$s/^\([A-Z][a-z]*\): return /\1 /p' "$folder/out" | tr '\n' ' ')" "$1 "
}
inverse_is 'Row 0; Col (lane & 31); Copy ((lane & 96) >> 5); Id ((bit & 24) >> 3);' tcgen05.mma.m128n24k32.sfb.1x.ue8m0
inverse_is 'Row ((bit & 24) >> 3); Col (lane & 31) + ((column & 1) << 5); Copy ((lane & 96) >> 5);' \
    tcgen05.mma.m128n40k64.sfb.4x.ue8m0
inverse_is 'Row ((bit & 8) >> 3); Col (lane & 31) + ((column & 7) << 5); Copy ((lane & 96) >> 5) + ((cta & 1) << 2); Id ((bit & 16) >> 4);' \
    tcgen05.mma.cta2.m256n208k64.sfb.2x.ue8m0
finish
