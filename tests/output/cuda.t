#!/bin/sh
# --format=cuda: calls every function of the header at every entry, and compares with the map of --format=json.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
needs python3
large='wgmma*.m64n[28]?8k*'
[ "$(one_in 4)" != 1 ] || large='wgmma*.m64n[28]*[08]k*'
# As C99, and as C++ where there is such a compiler.
python3 "$here/cuda_test.py" "$MAPPING" > "$folder/tap" << CASES
wmma, two architectures that differ: 70,75 'wmma.*f16'
wmma, all that one has: 80 'wmma.*'
mma with blocks: 70 'mma.m8n8k4.*'
mma, metadata and scale factors: 120 'mma.*16*'
matrix moves: 90 '*matrix.*'
wgmma: 90 'wgmma.m64n24k*' 'wgmma.m64n256k16.*'
in the style of bits: --style=bits 75,90 'wmma.*' 'mma.*k8.*' 'ldmatrix.*'
in the style of bits, large: --style=bits 90 '$large'
in the style of few operators: --style=short 75,90 'wmma.*' 'mma.*k8.*' 'ldmatrix.*'
in the style of few operators, large: --style=short 90 '$large'
a tile in it: --style=short 80 mma.m16n8k16.a.f16 '--atom-layout=(2,2,1):(2,1,0)' --permutation=64,32,16
a tile: 80 mma.m16n8k16.a.f16 '--atom-layout=(2,2,1):(2,1,0)' --permutation=64,32,16
what has no formula is a table: 80 mma.m16n8k16.d.f32 '--atom-layout=(3,2,1)'
CASES
ended=$?
sed '/^1\.\./d' "$folder/tap"
number=$(grep -c -E '^(not )?ok ' "$folder/tap")
failures=$(grep -c '^not ok ' "$folder/tap")
ok 'all of these cases ran' is "$ended $(sed 's/^ok [0-9]* - //; s/: [0-9]* layouts in C.*//' "$folder/tap" | grep -v '^1\.\.' | uniq | wc -l)" '0 13'

run --arch=80 mma.m16n8k16.d.f32 --atom-layout='(3,2,1)' --format=cuda
ok 'and that is no failure' is "$status $(count 'static const unsigned char mapping_table')" '0 2'

# CUDA 12.8 and 12.9 compile for sm_110 as sm_101.
run --format=cuda --arch=70,110 wmma.m16n16k16.d.f32
ok 'code for sm_110 is for sm_101, too' is "$(grep -c ' == 1100 || __CUDA_ARCH__ == 1010' "$folder/out") $(grep -c 1100 "$folder/out")" '4 4'

# All of it, for every architecture. Of sm_110 __CUDA_ARCH__ is 1100, of sm_101 in CUDA 12.8, which is the same, 1010.
# cudafe and a host compiler see the same text; what a compiler without CUDA does not know is defined away.
archs="1010 $(known_archs | sed 's/[0-9]*/&0/g')"
"$MAPPING" --all --arch=all --cuda="$folder" --format=cuda --order > "$folder/all.h"
as_device() { # ARCHITECTURE [CODE]
    printf '#include "%s/all.h"\n%s\n' "$folder" "${2:-}" | "${CXX:-c++}" -x c++ -std=c++11 -Wall -Wextra -Werror \
        -Wno-unused-function -D__CUDACC__ -D__CUDA_ARCH__="$1" -D__host__= -D__device__= -fsyntax-only -
}
as_host() { # LANGUAGE STANDARD
    printf '#include "%s/all.h"\n' "$folder" | "${CC:-cc}" -x "$1" -std="$2" -Wall -Wextra -Werror -Wno-unused-function \
        -fsyntax-only -
}
# Usually, C compiles all of it, and C++ what is of one in 8 fragments.
if [ "$(one_in 2)" = 1 ]; then
    tried=$archs
else
    tried='700 1010'
    "$MAPPING" --list --arch=all --format=csv | awk -F, 'NR > 1 && NR % 8 == 0 { print $1 }' > "$folder/some"
    # shellcheck disable=SC2046 # several words
    "$MAPPING" $(cat "$folder/some") --arch=all --cuda="$folder" --format=cuda --order > "$folder/some.h"
fi
ok 'the whole header compiles on the host as C' as_host c c99
[ ! -f "$folder/some.h" ] || mv "$folder/some.h" "$folder/all.h"
for arch in $tried; do
    ok "it compiles where __CUDA_ARCH__ is $arch" as_device "$arch"
done
ok 'and on the host as C++' as_host c++ c++11
"$MAPPING" wmma.m8n32k16 --arch=all --cuda="$folder" --format=cuda > "$folder/all.h" # a part, which compiles faster
use='unsigned f() { return mapping_wmma_m8n32k16_d_s32_row(1, 2); }'
ok 'what an architecture has can be used' as_device 720 "$use"
ok 'what it lacks fails where it is used' fails as_device 700 "$use"

# No name has two meanings, in one header and in several.
tile() { "$MAPPING" -a80 mma.m16n8k16.a.f16 --format=cuda --source=isa "$@"; }
{ tile --atom-layout='(2,2,1)'; tile --atom-layout='(4,1,1)'; tile --atom-layout='(2,2,1)' --permutation=64,32,_; } > "$folder/a.h"
echo > "$folder/b.h"
together() { printf '#include "a.h"\n#include "b.h"\n%s\n' "${1:-}" | "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -I "$folder" -fsyntax-only -x c -; }
ok 'three tilings of one fragment in one header' together \
    'unsigned f(void) { return mapping_mma_m16n8k16_a_f16_tile_2_2_1_row(1, 2) + mapping_mma_m16n8k16_a_f16_tile_4_1_1_row(1, 2); }'
while IFS=';' read -r one other; do
    run "$one" "$other" --format=cuda
    ok "$one and $other have other names, or are refused" is "$status $(grep -c 'would both be named mapping_layout_' "$folder/err")" '2 1'
done << 'END'
Sw<1,2,3> o 0 o (8,8):(8,1);Sw<1,2,-3> o 0 o (8,8):(8,1)
((2,2),(2,1));(2,2):(2,1)
((2,2),2):((1,2),4);(2,(2,2)):(1,(2,4))
END
run '(8,8):(8,1)' '(8, 8):(8, 1)' --format=cuda
ok 'one layout written in two ways is there once' is "$status $(count 'unsigned mapping_layout_8_8_8_1_offset(')" '0 2'
cp "$folder/out" "$folder/a.h"
ok 'and compiles' together
run -a80 --format=cuda --load=mma.m16n8k16.a.f16 --with=ldmatrix.x4 --load=mma.m16n8k16.a.f16 --with=ld.b32 '(64,64):(64,1)'
ok 'two ways to load have two names' is "$status $(count 'void mapping_load_.*_from_64_64_64_1_by_ldmatrix_x4(')$(count 'void mapping_load_.*_from_64_64_64_1_by_ld_b32(')" '0 11'

# The comments of the header.
run --arch=80 mma.m16n8k16.d.f32 --format=cuda
ok 'what it rests on' says ' * on sm_80: isa (PTX ISA 9.0 section 9.7.14.5.8); confirmed on sm_90: NVIDIA H200' "$folder/out"
ok 'what tid and i are' says ' * tid: thread of the warp, 0 to 31; i: element of the thread, in register order, 0 to 3' "$folder/out"
ok 'formulae are quotients and remainders' says '    return tid / 4 + i / 2 * 8;' "$folder/out"
run --arch=80 mma.m16n8k16.d.f32 --format=cuda --style=bits
ok 'unless other ones are asked for' says '    return ((i & 2) << 2) + ((tid & 28) >> 2);' "$folder/out"
ok 'the order is not there unless it is asked for' is "$(count to_order)" 0
run --arch=90 wgmma.m64n8k16.d.f32 --format=cuda
ok 'threads of a warpgroup' says 'thread of the warpgroup, 0 to 127' "$folder/out"
run --arch=sm_70,sm_72,sm_75 --source=recorded --format=cuda
ok 'functions for each layout that differs' is "$(count '_row_sm_70(unsigned') $(count '_row_sm_72(unsigned') $(count '_row_sm_75(unsigned')" '1 0 1'
ok 'device code chooses' says '#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 720' "$folder/out"
run --arch=all wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f32 mma.m16n8k16.d.f32 --format=cuda
ok 'all architectures, each fragment once' is "$status $(count '^#define .*_ROWS')" '0 2'
ok 'one function where all agree' is "$(count '_m16n8k16_d_f32_row(unsigned') $(count '_m16n8k16_d_f32_row_sm')" '1 0'
printf 'c,s,offset\n0,0,0\n0,1,2\n1,0,1\n1,1,3\n' > "$folder/a*b.csv"
run --map="$folder/a*b.csv" --format=cuda
ok 'a map of one'"'"'s own' says 'MAPPING_FUNCTION unsigned mapping_a_b_csv_offset(unsigned c, unsigned s) {' "$folder/out"

# Several headers in one program.
header() { "$MAPPING" --source=recorded --format=cuda "$@"; }
together() { printf '#include "a.h"\n#include "b.h"\n%s\n' "${1:-}" | "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -I "$folder" -fsyntax-only -x c -; }
header --arch=70 > "$folder/a.h"
header --arch=80 > "$folder/b.h"
ok 'another layout of the same name does not compile' fails together
together > "$folder/said" 2>&1
ok 'and that is why' says 'two headers define different layouts with the same name' "$folder/said"
header --arch=75 > "$folder/a.h"
ok 'the same layout does' together
header --arch=80 --order > "$folder/b.h"
ok 'and what only the second has is there' together 'void (*copy)(void *, const void *, size_t, size_t) = mapping_wmma_m16n16k16_d_f32_to_order;'
printf 'rows,row,copies\n0,0,1\n0,1,0\n1,0,0\n1,1,1\n' > "$folder/names.csv"
"$MAPPING" --map="$folder/names.csv" --outputs=copies --format=cuda > "$folder/a.h"
ok 'names that would be the same are there once' together

# Conversions: wmma's layouts are not the same on sm_70 as from sm_75 on; with each of two permutations, other columns are neighbours.
printf 'unsigned __shfl_sync(unsigned, unsigned, int), __shfl_xor_sync(unsigned, unsigned, int), __byte_perm(unsigned, unsigned, unsigned);\n' \
    > "$folder/device.h"
pair() { # WORDS_OF_A WORDS_OF_B
    # shellcheck disable=SC2086 # several words
    "$MAPPING" --format=cuda $1 > "$folder/a.h" && "$MAPPING" --format=cuda $2 > "$folder/b.h" || return
    printf '#include "device.h"\n#include "a.h"\n#include "b.h"\n' | "${CXX:-c++}" -D__device__= -D__forceinline__= \
        -Wno-unused-function -I "$folder" -fsyntax-only -x c++ - > "$folder/said" 2>&1
}
wmma='wmma.m16n16k16.d.f32 --convert=wmma.m16n16k16.a.row.f16'
mma='-a80 mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.f16'
ok 'conversions of two architectures do not compile together' fails pair "-a70 $wmma" "-a75 $wmma"
ok 'and that is why' says 'two headers define different layouts with the same name' "$folder/said"
ok 'nor do those of two permutations' fails pair "$mma --permutation=_,(8,2):(2,1),_" "$mma --permutation=_,(2,8):(8,1),_"
ok 'of which the comment names permutation and architecture' \
    says 'tiled by permutation _,(2,8):(8,1),_' "$folder/b.h"
ok 'the same conversion does' pair "-a80 $wmma" "-a90 $wmma"
ok 'functions that convert scale factors give each thread those of its own elements' \
    python3 "$here/line_scales_test.py" "$MAPPING"
ok 'functions that round f32 move elements as the maps say' python3 "$here/rounded_test.py" "$MAPPING"
ok 'packed elements of 4 bits become the numbers they stand for' python3 "$here/packed_test.py" "$MAPPING"
ok 'no two different headers share a guard or a function' python3 "$here/header_names_test.py" "$MAPPING" $([ "$(one_in 4)" != 1 ] || echo all)

"$MAPPING" Layout_K_SW128_Atom --extent=64,64 --format=cuda > "$folder/a.h"
ok 'a matrix in memory is on no architecture' sh -c 'grep -q "^ \* source: isa (PTX ISA" "$1" && ! grep -q "on sm_0" "$1"' - "$folder/a.h"

# Refused.

# Tables without a formula take the type that holds the largest number in them; of squares modulo 37 that is 36.
for case in 'char 7' 'short 8' 'short 1820' 'int 1821'; do
    awk -v by="${case#* }" 'BEGIN { print "tid,row"; for (t = 0; t < 37; t++) print t "," by * (t * t % 37) }' > "$folder/t.csv"
    run --map="$folder/t.csv" --format=cuda
    ok "a table up to 36 times ${case#* }" is "$status $(count "static const unsigned ${case% *} mapping_table\[37\]")" '0 1'
done
for none in '(8,8):(8,1)' tcgen05.mma.m128n16k16.d.f32; do
    refused "$none has no order of a fragment" 2 "--order needs a fragment in registers, but '$none' is not in registers" \
        --arch=100 --order --format=cuda "$none"
done
run --arch=100 --order --format=cuda tcgen05.mma.m128n16k16.d.f32 mma.m16n8k16.d.f32
ok 'one of several has' is "$status $(count 'd_f32_to_order(')" '0 1'
# Layouts that no hardware confirmed are not called confirmed on any architecture.
run --arch=120 --format=cuda mma.m16n8k32.a.e3m2
ok 'not confirmed' is "$(count '^ \* on sm_120: isa (PTX ISA 9.0 section 9.7.14.5.10); not confirmed on hardware$') $(count 'confirmed on sm_')" '1 0'
run --arch=80 --format=cuda mma.m16n8k16.d.f32
ok 'confirmed' is "$(count '; confirmed on sm_90: NVIDIA H200, nvcc')" 1
finish
