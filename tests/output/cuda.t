#!/bin/sh
# --format=cuda: every function of the header is called at every entry, and compared with the map of --format=json.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
if ! command -v python3 > /dev/null; then
    echo '1..0 # SKIP python3 is missing: apt-get install python3'
    exit 0
fi
compiled() { # NAME ARCHITECTURES FRAGMENT...: as C99, and as C++ where there is such a compiler
    name=$1
    shift
    ok "$name" python3 "$here/cuda_test.py" "$MAPPING" "$@"
}
large='wgmma*.m64n[28]?8k*'
[ "$(one_in 4)" != 1 ] || large='wgmma*.m64n[28]*[08]k*'
compiled 'wmma, two architectures that differ' 70,75 'wmma.*f16'
compiled 'wmma, all that one has' 80 'wmma.*'
compiled 'mma with blocks' 70 'mma.m8n8k4.*'
compiled 'mma, metadata and scale factors' 120 'mma.*16*'
compiled 'matrix moves' 90 '*matrix.*'
compiled 'wgmma' 90 'wgmma.m64n24k*' 'wgmma.m64n256k16.*'
compiled 'in the style of bits' --style=bits 75,90 'wmma.*' 'mma.*k8.*' 'ldmatrix.*'
compiled 'in the style of bits, large' --style=bits 90 "$large"
compiled 'in the style of few operators' --style=short 75,90 'wmma.*' 'mma.*k8.*' 'ldmatrix.*'
compiled 'in the style of few operators, large' --style=short 90 "$large"
compiled 'a tile in it' --style=short 80 mma.m16n8k16.a.f16 --atom-layout='(2,2,1):(2,1,0)' --permutation=64,32,16
compiled 'a tile' 80 mma.m16n8k16.a.f16 --atom-layout='(2,2,1):(2,1,0)' --permutation=64,32,16
compiled 'what has no formula is a table' 80 mma.m16n8k16.d.f32 --atom-layout='(3,2,1)'

run --arch=80 mma.m16n8k16.d.f32 --atom-layout='(3,2,1)' --format=cuda
ok 'and that is no failure' is "$status $(count 'static const unsigned char mapping_table')" '0 2'

# All of it, for device code.
if [ -n "${NVCC:-}" ]; then
    "$MAPPING" --all --arch=all --cuda="$folder" --format=cuda --order > "$folder/all.h"
    echo '#include "all.h"' > "$folder/all.cu"
    ok 'nvcc compiles everything without a warning' \
        "$NVCC" -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra -c -o "$folder/all.o" "$folder/all.cu"
else
    skip 'nvcc compiles everything without a warning' 'there is no nvcc'
fi

# What it says.
run --arch=80 mma.m16n8k16.d.f32 --format=cuda
ok 'what it rests on' says ' * on sm_80: isa (PTX ISA 9.0 section 9.7.14.5.8); confirmed on sm_90: NVIDIA H200' "$folder/out"
ok 'what tid and i are' says ' * tid: threads of the warp, 0 to 31; i: its elements in register order, 0 to 3' "$folder/out"
ok 'formulae are quotients and remainders' says '    return tid / 4 + i / 2 * 8;' "$folder/out"
run --arch=80 mma.m16n8k16.d.f32 --format=cuda --style=bits
ok 'unless other ones are asked for' says '    return ((i & 2) << 2) + ((tid & 28) >> 2);' "$folder/out"
ok 'the order is not there unless it is asked for' is "$(count to_order)" 0
run --arch=90 wgmma.m64n8k16.d.f32 --format=cuda
ok 'threads of a warpgroup' says 'threads of the warpgroup, 0 to 127' "$folder/out"
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
ok 'and that is why' says 'two headers have different layouts of one name' "$folder/said"
header --arch=75 > "$folder/a.h"
ok 'the same layout does' together
header --arch=80 --order > "$folder/b.h"
ok 'and what only the second has is there' together 'void (*copy)(void *, const void *, size_t, size_t) = mapping_wmma_m16n16k16_d_f32_to_order;'
printf 'rows,row,copies\n0,0,1\n0,1,0\n1,0,0\n1,1,1\n' > "$folder/names.csv"
"$MAPPING" --map="$folder/names.csv" --outputs=copies --format=cuda > "$folder/a.h"
ok 'names that would be the same are there once' together

"$MAPPING" Layout_K_SW128_Atom --extent=64,64 --format=cuda > "$folder/a.h"
ok 'a matrix in memory is on no architecture' sh -c 'grep -q "^ \* source: isa (PTX ISA" "$1" && ! grep -q "on sm_0" "$1"' - "$folder/a.h"

# Refused.
refused 'answers' 2 'the answer to a question cannot be printed as cuda' -a80 --at=0,0 --format=cuda
refused 'lists' 2 '--list cannot be printed as cuda' --list --format=cuda
refused 'comparisons' 2 '--diff cannot be printed as cuda' --diff=70,75 --format=cuda
refused 'the order as text' 2 '--order is about --format=cuda alone' -a80 --order

# Tables without a formula take the type that holds the largest number in them; of squares modulo 37 that is 36.
for case in 'char 7' 'short 8' 'short 1820' 'int 1821'; do
    awk -v by="${case#* }" 'BEGIN { print "tid,row"; for (t = 0; t < 37; t++) print t "," by * (t * t % 37) }' > "$folder/t.csv"
    run --map="$folder/t.csv" --format=cuda
    ok "a table up to 36 times ${case#* }" is "$status $(count "static const unsigned ${case% *} mapping_table\[37\]")" '0 1'
done
run --arch=80 --order --format=cuda '(8,8):(8,1)'
ok 'a matrix in memory has no order of a fragment' is "$status $(count to_order)" '0 0'
finish
