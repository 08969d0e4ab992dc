#!/bin/sh
# --load and --store: load_test.py executes the plans and compares the result with the maps of both sides; NVIDIA's talk
# on Volta's tensor cores; combinations of options; errors.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

if has python3; then
    python3 "$here/load_test.py" "$MAPPING" $((1000 / $(one_in 31))) > "$folder/held" 2> "$folder/err"
    ok "executed: $(tail -n 1 "$folder/held")" is "$(grep -c . "$folder/held") $(grep -c ' 0 wrong$' "$folder/held")" '1 1'
    python3 "$here/addresses_test.py" "$MAPPING" > "$folder/held"
    ok "in text as in JSON: $(tail -n 1 "$folder/held")" is "$? $(grep -c . "$folder/held")" '0 1'
else
    skip 'plans, executed, and their addresses as text' python3
fi

# ---- NVIDIA's talk on Volta's tensor cores (GTC 2019) ----

talk='Sw<2,3,3> o 0 o ((8,2,2,2),4):((1,64,32,128),8)'
volta() { run -a70 --atom-layout='(2,2,1)' --permutation='((4,4,2):(1,8,4)),32,4' "$@"; }
if has python3; then
    run "$talk"
    ok 'the permuted tile, piece by piece' python3 "$here/volta_talk.py" table < "$folder/out"
    run --format=json --store=cp.async "$talk"
    ok 'is stored where the code of the talk stores it' python3 "$here/volta_talk.py" store < "$folder/out"
    volta --format=json --load=mma.m8n8k4.a.col.f16 --with=ld.b128 "$talk"
    ok 'and loaded phase by phase as in its pictures' python3 "$here/volta_talk.py" load < "$folder/out"
fi
volta --load=mma.m8n8k4.a.col.f16 --with=ld.b128 "$talk"
ok 'without bank conflicts' is "$status $(count '^ld.b128: 4 wavefronts, no bank conflicts$') $(count '^  registers 0 to 3: byte address = ')" '0 1 1'
volta --load=mma.m8n8k4.a.col.f16 --with=ld.b128 '(64,4):(1,64)'
ok 'of which the plain tile has some' is "$status $(count '^ld.b128: 16 wavefronts (minimum: 4), 4-way bank conflicts on average$')" '0 1'

# ---- Known ones ----

# Lane l brings row l % 16 of the half l / 16: CUTLASS, and the PTX ISA's figure of ldmatrix.
run -a80 --style=divide --load=mma.m16n8k16.a.f16 --with=ldmatrix.x4 '(64,64):(64,1)'
ok 'A with ldmatrix.x4' is "$status $(lines_from 1)" '0 # mma.m16n8k16.a.f16 from (64,64):(64,1) at row 0, column 0;'\
'# elements are f16; addresses are byte offsets from the start of the matrix;'\
'# wavefronts: computed by a rule that was checked on an H200 (sm_90) only;'\
'ldmatrix.x4: 32 wavefronts (minimum: 4), 8-way bank conflicts on average;'\
'  registers 0 to 3: byte address = tid % 16 * 128 + tid / 16 * 16;'
ok 'no line is longer than 80' fails grep -q '.\{81\}' "$folder/out"

# best NAME EXPECTED OPTION...: operation and wavefronts of the first plan.
best() {
    name=$1 expected=$2
    shift 2
    run -fjson "$@"
    ok "$name" is "$status $(grep -o '"with":"[a-z0-9.]*"' "$folder/out" | head -n 1 | cut -d '"' -f 4) \
$(grep -o '^ "wavefronts":[0-9]*,"minimum":[0-9]*' "$folder/out" | head -n 1 | tr -dc '0-9,' )" "0 $expected"
}
best 'rows of 128 bytes swizzled' 'ldmatrix.x4 4,4' -a80 --load=mma.m16n8k16.a.f16 'Sw<3,3,3> o 0 o (64,64):(64,1)'
best 'and padded by 16 bytes' 'ldmatrix.x4 4,4' -a80 --load=mma.m16n8k16.a.f16 '(64,64):(72,1)'
best 'B by columns, which are rows in memory, is transposed' 'ldmatrix.x2.trans 2,2' -a80 --load=mma.m16n8k16.b.f16 \
    'Sw<3,3,3> o 0 o (64,64):(64,1)'
best 'B with K along memory is not' 'ldmatrix.x2 2,2' -a80 --load=mma.m16n8k16.b.f16 'Sw<3,3,3> o 0 o (64,64):(1,64)'
best 'two of B at once' 'ldmatrix.x4.trans 4,4' -a80 --permutation=16,16,16 --load=mma.m16n8k16.b.f16 \
    'Sw<3,3,3> o 0 o (64,64):(64,1)'
best 'bytes by ldmatrix' 'ldmatrix.x4 4,4' -a80 --load=mma.m16n8k32.a.s8 'Sw<2,4,3> o 0 o (64,64):(64,1)'
best 'a warpgroup: four warps' 'stmatrix.x4 16,16' -a90 --store=wgmma.m64n16k16.d.f16 '(64,64):(72,1)'
best 'f64, four rows of 512 bytes in a phase' 'ld.b64 8,2' -a80 --load=mma.m8n8k4.a.f64 '(64,64):(64,1)'
best 'a copy of the whole matrix' 'st.b128 64,64' --store=cp.async '(64,64):(64,1)'
best 'as TMA makes it' 'st.b128 64,64' --store=tma 'Sw<3,3,3> o 0 o (64,64):(64,1)'
best 'a copy where 16 bytes are columns' 'st.b128 64,64' --store=cp.async '(64,64):(1,64)'
# CuTe's B is N x K: of its atoms rows are n, of other matrices they are k, or what --axes says. One ldmatrix.x2 reads 8
# rows of n, 16 bytes of k each.
best 'B of an atom of CuTe, with K along memory' 'ldmatrix.x2 2,2' -a80 --load=mma.m16n8k16.b.f16 Layout_K_SW128_Atom
best 'B of an atom of CuTe, with N along memory' 'ldmatrix.x2.trans 2,2' -a80 --load=mma.m16n8k16.b.f16 \
    Layout_MN_SW128_Atom --extent=64,16
best 'A of an atom of CuTe' 'ldmatrix.x4 4,4' -a80 --load=mma.m16n8k16.a.f16 Layout_K_SW128_Atom --extent=16,64
best 'B whose rows are n' 'ldmatrix.x2 2,2' -a80 --axes=n,k --load=mma.m16n8k16.b.f16 'Sw<3,3,3> o 0 o (64,64):(64,1)'
best 'A whose rows are k' 'ldmatrix.x4.trans 4,4' -a80 --axes=k,m --load=mma.m16n8k16.a.f16 \
    'Sw<3,3,3> o 0 o (64,64):(64,1)'
b=--load=mma.m16n8k16.b.f16
run -a80 $b Layout_K_SW128_Atom
ok 'the second line names the axes of B' is "$status $(line 2)" '0 # rows are n, columns are k'
run -a80 $b '(64,8):(8,1)'
ok 'also if the layout does not name them' is "$status $(line 2)" '0 # rows are k, columns are n'
run -a80 --suggest --axes=n,k $b '(64,64):(64,1)'
ok '--suggest, too' is "$status $(line 2)" '0 # access 1: load each mma.m16n8k16.b.f16 fragment of the matrix; rows are n,'
run -a80 --axes=n,k $b '(8,64):(64,1)' -fcuda
ok 'the function has another name' is "$status $(count '^static .*void mapping_load_mma_m16n8k16_b_f16_from_8_64_64_1_nk(')" '0 1'
refused 'axes against those of an atom' 2 \
    'the rows of Layout_K_SW128_Atom run along n and its columns along k; --axes=k,n is wrong' -a80 --axes=k,n $b Layout_K_SW128_Atom
refused 'one axis' 2 "'n' is not a valid pair of axes" -a80 --axes=n $b '(64,64):(64,1)'
refused 'one axis twice' 2 "'k,k' is not a valid pair of axes" -a80 --axes=k,k $b '(64,64):(64,1)'
run --axes=n,k '(64,64):(64,1)'
ok '--axes alone' is "$status $(line 2)" '0 # rows are n, columns are k'
# Swizzles of 128 bytes repeat after 8 lines of these.
for line in '(64,64):(64,1);128' 'Sw<3,3,3> o 0 o (64,64):(64,1);1024' 'Layout_K_SW64_Atom;512' 'Layout_K_SW32_Atom;256'; do
    run -a80 --load=mma.m16n8k16.a.f16 "${line%;*}" -fcuda --extent=64,64
    [ "$status" = 0 ] || run -a80 --load=mma.m16n8k16.a.f16 "${line%;*}" -fcuda
    ok "the alignment of ${line%;*}" is "$status $(count "^ \*     aligned to ${line#*;} bytes$")" '0 1'
done
best 'two boxes as wide as their swizzle' 'st.b128 256,256' --store=tma 'Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))'
best 'a tile of atoms' 'st.b128 128,128' --store=tma Layout_MN_SW128_Atom --extent=128,64
best 'the first stage of several' 'ldmatrix.x4 4,4' -a80 --load=mma.m16n8k16.a.f16 '(64,64,3):(72,1,4608)'

# ---- Which option is about what ----

# about NAME EXPECTED OPTION...: fragments, origins and operations of all first plans.
about() {
    name=$1 expected=$2
    shift 2
    run -fjson -a80 "$@" '(64,64):(64,1)'
    ok "$name" is "$status $(sed -n 's/.*"\(load\|store\)":"mma.m16n8k16.\([a-z]\)[^"]*","with":"\([^"]*\)".*"origin":\(\[[0-9,]*\]\).*/\1 \2 \3 \4/p' "$folder/out" |
        awk '$1 $2 != before { print } { before = $1 $2 }' | tr '\n' ';')" "0 $expected"
}
a=--load=mma.m16n8k16.a.f16 b=--load=mma.m16n8k16.b.f16 d=--store=mma.m16n8k16.d.f16
about 'without --origin' 'load a ldmatrix.x4 [0,0];load b ldmatrix.x2.trans [0,0];' $a $b
about 'before all, --origin is about all' 'load a ldmatrix.x4 [16,32];load b ldmatrix.x2.trans [16,32];' --origin=16,32 $a $b
about 'behind one, about that one' 'load a ldmatrix.x4 [16,32];load b ldmatrix.x2.trans [0,0];' $a --origin=16,32 $b
about 'each has its own' 'load a ldmatrix.x4 [16,0];load b ldmatrix.x2.trans [0,8];' $a --origin=16,0 $b --origin=0,8
about 'one for all, and another for one' 'load a ldmatrix.x4 [0,8];load b ldmatrix.x2.trans [16,0];' --origin=16,0 $a --origin=0,8 $b
about '--with, too' 'load a ld.b32 [0,0];load b ldmatrix.x1.trans [0,0];' $a --with=ld.b32 $b --with=ldmatrix.x1.trans
about 'a load and a store' 'load a ldmatrix.x4 [0,0];store d st.b32 [48,56];' $a $d --with=st.b32 --origin=48,56
about 'operations as others spell them' 'load a ld.b32 [0,0];' $a --with=ld.shared.f32
best 'the operand of an atom' 'ldmatrix.x4 32,4' -a80 --operand=a --load=SM80_16x8x16_F32F16F16F32_TN '(64,64):(64,1)'
run -a80 $a '(64,64):(72,1)' 'Sw<3,3,3> o 0 o (64,64):(64,1)'
ok 'two matrices' is "$status $(count '^# mma.m16n8k16.a.f16 from (64,64):(72,1) ') $(count '^# mma.m16n8k16.a.f16 from Sw')" '0 1 1'
run -a80 -fcuda $a $b '(64,64):(72,1)'
ok 'a function for each' is "$status $(count '__forceinline__ void mapping_load_mma_m16n8k16_[ab]_f16_from_64_64_72_1(')" '0 2'
run -a80 --style=short $a --with=ldmatrix.x4 '(64,64):(64,1)'
ok 'a style' is "$status $(count 'registers 0 to 3: byte address = ')" '0 1'

# ---- Refusals ----

# Three tiles of 16 rows along M, whose warps are 0 and 3, 1 and 4, 2 and 5: row t mod 16 of the tile, and its other half
# for the upper half of the warp; of 32 bytes a row.
run -a80 --load=mma.m16n8k16.a.f16 --atom-layout='(3,2)' --extent=48,16 --type=half RowMajor
ok 'without a formula, the address of each thread' is \
    "$status $(awk '/no formula/ { inside = 1; next } /^ldmatrix.x2/ { exit } inside' "$folder/out" | tr -s ' \n' ' ')" \
    "0 $(awk 'BEGIN { for (t = 0; t < 192; t++)
        printf " %d", 32 * (int(t / 32) % 3 * 16 + t % 16) + int(t % 32 / 16) * 16 }') "

m='(64,64):(64,1)'
refused 'no matrix' 2 "--load and --store need a matrix in memory, such as '(64,64):(64,1)'" $a
refused 'a fragment as matrix' 2 'need a matrix in memory' $a mma.m16n8k16.a.f16
refused 'a matrix as fragment' 2 "--load and --store take a fragment, but '(8,8):(8,1)' is a matrix in memory" --load='(8,8):(8,1)' "$m"
refused 'several fragments' 2 "take one fragment, but 'mma.m16n8k16' matches 14" -a80 --load=mma.m16n8k16 "$m"
refused 'an operation' 2 "'ldmatrix.x4' is an operation; give it to --with" -a80 --load=ldmatrix.x4 "$m"
refused 'a pattern' 2 'take one fragment' -a80 --load='mma.m16n8k16.*' "$m"
refused 'a fragment that does not exist' 2 'did you mean mma.m16n8k16.a.f16' -a80 --load=mma.m16n8k16.a.f17 "$m"
refused 'one of another architecture' 3 'sm_70 has no mma.m16n8k16.a.f16' -a70 $a "$m"
refused 'four matrices' 2 "has 4 matrices, whose positions relative to each other are not fixed; place them with --atom-layout and --permutation" \
    -a70 --load=mma.m8n8k4.a.col.f16 "$m"
refused 'four of ldmatrix' 2 'whose positions relative to each other are not fixed; use .x1, which has one matrix' -a80 --load=ldmatrix.m8n8.x4.r.b16 "$m"
# Functions of one name in several headers: the same is there once, others are an error of the compiler.
# Another tiling has another name.
header() { # NAME ATOM-LAYOUT OPTION...
    name=$1 atoms=$2
    shift 2
    "$MAPPING" -a80 $a --format=cuda --atom-layout="$atoms" --permutation=32,32,16 "$@" "$m" > "$folder/$name.h"
}
header one '(2,2,1)' --store=cp.async
header two '(1,2,1)' --store=cp.async
header three '(2,2,1)' --with=ld.b32
compiles() {
    for part; do echo "#include \"$part.h\""; done > "$folder/both.cpp"
    ${CXX:-c++} -fsyntax-only -D__device__= -D__forceinline__=inline "$folder/both.cpp"
}
if has "${CXX:-c++}"; then
    ok 'a header twice' compiles one one
    ok 'two tilings' compiles one two
    ok 'other functions of the same name' fails compiles one three
else
    skip 'a header twice' c++
fi

refused 'metadata' 2 'holds sparsity metadata, not elements of a matrix; use operand a, b, c or d' -a80 --load=mma.sp.m16n8k16.e.f16 "$m"
refused 'addresses' 2 'holds row addresses, not elements of a matrix; use operand r, the registers' -a80 --load=ldmatrix.m8n8.x1.p.b16 "$m"
refused 'elements of other sizes' 2 'mma.m16n8k16.d.f32 has 32-bit elements, but (64,64):(64,1) has 16-bit elements; use a matrix, or a --type, with 32-bit elements' \
    -a80 --type=f16 --load=mma.m16n8k16.d.f32 "$m"
refused 'beyond the last row' 2 'the 16x16 fragment at row 49, column 0 does not fit in the 64x64 matrix' \
    -a80 $a --origin=49,0 "$m"
refused 'beyond the last column' 2 'no operation can load mma.m16n8k16.a.f16: the 16x16 fragment at row 0, column 56 does not fit in the 64x64 matrix' -a80 $a --origin=0,56 "$m"
refused 'a matrix that is too small' 2 'does not fit in the 8x8 matrix' -a80 $a '(8,8):(8,1)'
refused 'far beyond' 2 'is not a valid origin' -a80 $a --origin=4294967295,4294967295 "$m"
refused 'an operation that the architecture does not have' 3 'sm_80 has no stmatrix.x2; use sm_90 or later' \
    -a80 --store=mma.m16n8k16.d.f16 --with=stmatrix.x2 "$m"
run --store=mma.m16n8k16.d.f16 --with=stmatrix.x2 "$m"
ok 'without --arch it is one that has it' is "$status $(count 'so sm_90 is shown')" '0 1'
# 8 x 24 elements of f16 are 24 pieces of 16 bytes; 9 x 64 are 72, the last 8 of them in step 2; 3 x 24 in rows of 80 bytes 9.
run --store=cp.async '(8,24):(24,1)' --format=cuda -a80
ok 'a copy of less than a warp writes' says ' * A lane writes only if step * 32 + tid is less than 24.' "$folder/out"
run --store=cp.async 'Sw<3,3,3> o 0 o (9,64):(64,1)' --format=cuda -a80
ok 'and of more' is "$(count ' only if step \* 32 + tid is less than 72\.') $(count 'table\[72\]') $(tail -n 5 "$folder/out" | head -n 1 | tr -d ' ')" \
    '1 1 1024,1040,1056,1072,1088,1104,1120,1136,'
run --store=cp.async '(3,24):(40,1)' --format=cuda -a80
ok 'where rows end before the next' is "$(sed -n '/table\[9\]/{n;p;}' "$folder/out" | tr -d ' ')" '0,16,32,80,96,112,160,176,192,'

# Elements of 6 bits: 64 of them fill 3 pieces of 16 bytes, of a dense matrix as many as it has; of rows of 96 bytes those
# that begin with the row. 42 of them end inside of a piece.
addresses() { sed -n 's/.*"address":\[\([0-9,]*\).*/\1/p' "$folder/out" | sed 's/,$//' | tr '\n' ' '; }
run --store=cp.async '(8,64):(64,1)' --type=e3m2 -fjson -a80
ok 'a copy of 6 bits is dense' is "$status $(addresses)" "0 $(seq -s, 0 16 368) "
run --store=cp.async '(64,4):(1,128)' --type=e2m3 -fjson -a80
ok 'along columns that are padded' is "$status $(addresses)" "0 0,16,32,96,112,128,192,208,224,288,304,320 "
run --store=cp.async 'smem_ptr[7b](unset) o (1,128):(128,1)' -fjson -a80
ok 'of 7 bits' is "$status $(addresses)" "0 $(seq -s, 0 16 96) "
run --store=cp.async 'smem_ptr[100b](unset) o (2,32):(32,1)' -fjson -a80
ok 'of 100 bits' is "$status $(addresses | tr ' ' ,)" "0 $(seq -s, 0 16 496),$(seq -s, 512 16 784),"
run 'smem_ptr[7b](unset) o (4,8):(8,1)' -fjson
ok 'elements of 7 bits are b7' says '"type":"b7"' "$folder/out"

refused 'an origin of one number' 2 "'3'" -a80 $a --origin=3 "$m"
refused 'an origin below' 2 "'-1,0'" -a80 $a --origin=-1,0 "$m"
refused 'what cannot, with the bytes' 2 \
    'ldmatrix.x4 cannot load mma.m16n8k16.a.f16: element 1 of thread 0 must follow element 0 in memory, but element 0 is at byte 0 and element 1 at byte 128' \
    -a80 $a --with=ldmatrix.x4 '(64,64):(1,64)'
refused 'a store as a load' 2 'stmatrix.x4 is a store, but --load needs ld or ldmatrix' -a90 $a --with=stmatrix.x4 "$m"
refused 'a load as a store' 2 'ld.b32 is a load, but --store needs st or stmatrix' -a90 $d --with=ld.b32 "$m"
refused 'an operation that does not exist' 2 'ld.b256' -a80 $a --with=ld.b256 "$m"
run --store=cp.async '(64,64):(64,1)' -a80
ok 'steps that are all whole have one formula' is "$(last)" '  step 0 to 15: byte address = step * 512 + tid * 16'
run --store=cp.async '(16,24):(24,1)' -a80
ok 'else each has its own' is "$(grep '^  step' "$folder/out" | tr '\n' ';')" \
    '  step 0, 4 wavefronts: byte address = tid * 16;  step 1, 2 wavefronts: byte address = tid % 16 * 16 + 512;'
refused 'what copies is no load' 2 'cp.async writes to shared memory; use --store=cp.async' --load=cp.async "$m"
refused 'a copy with an operation' 2 'tma copies the whole matrix and takes no --with' --store=tma --with=st.b128 "$m"
refused 'a copy of a part' 2 'cp.async copies the whole matrix and takes no --origin' --store=cp.async --origin=8,0 "$m"
refused '--with alone' 2 '--with needs --load or --store' --with=ld.b32 "$m"
refused '--origin alone' 2 '--origin does nothing without --load or --store' --origin=0,0 "$m"
refused 'two architectures' 2 'with --load, --arch takes one architecture, not 2' -a80,90 $a "$m"
refused 'a format that has none' 2 '--load does not support --format=csv; use text, json' -fcsv -a80 $a "$m"
refused '--detail' 2 '--detail does nothing with --load' -a80 --detail $a "$m"
refused 'another action' 2 '--list and --load cannot be combined; give only one of them' -a80 --list $a "$m"

# Rows in threes, 67 elements from one to the next and 701 from three to the next: thread t holds rows t / 4, columns
# 2 * (t % 4), of 2 bytes, and no sum of masks gives the addresses.
run -a80 --load=mma.m16n8k16.a.f16 --with=ld.b16 '((3,8),64):((67,701),1)' --type=f16
ok 'without a formula the addresses of all threads' is "$(sed -n '5,9p' "$folder/out" | tr '\n' ';')" \
    "$(awk 'BEGIN {
        printf "  half-word 0, 6 wavefronts: no formula; byte address of each thread"
        for (t = 0; t < 32; t++) {
            row = int(t / 4)
            printf "%s %6d", t % 8 ? "" : ";   ", 2 * (row % 3 * 67 + int(row / 3) * 701 + 2 * (t % 4))
        }
        print ";" }')"
run -a80 --load=mma.m16n8k16.a.f16 --with=ldmatrix.x4 '(64,64,3):(72,1,4608)'
ok 'text says which stage it is' is "$(line)" '# mma.m16n8k16.a.f16 from (64,64,3):(72,1,4608) at row 0, column 0, stage 0'
run -a80 --load=mma.m16n8k32.a.s8 --with=ld.u8 '(64,64):(64,1)' --type=s8
ok 'bytes are called so' is "$(count '^  byte 0')" 1

# Threads 8 to 31 bring no address to ldmatrix.x1; rows in threes, so that there is no formula.
run -a80 --load=mma.m16n8k16.a.f16 --with=ldmatrix.x1 '((3,8),64):((72,808),1)'
ok 'lanes that bring no address have none' is "$(sed -n '7,10p' "$folder/out" | tr '\n' ';')" \
    "$(awk 'BEGIN {
        for (row = 0; row < 8; row++) printf "%s %6d", row ? "" : "   ", 2 * (row % 3 * 72 + int(row / 3) * 808)
        for (t = 8; t < 32; t++) printf "%s %6s", t % 8 ? "" : ";   ", "-"
        print ";" }')"
for origin in 0,16 16,0 16,16; do
    run -a80 --load=mma.m16n8k16.a.f16 --format=cuda "--origin=$origin" '(64,64):(64,1)'
    ok "a function at $origin is called so" is "$status $(count "_from_64_64_64_1_at_$(echo "$origin" | tr , _)(")" '0 1'
done
run -a80 --load=mma.m16n8k16.a.f16 --format=cuda --permutation=32,16,16 '(64,64):(64,1)'
ok 'that of a tile says so' is "$(count '^ \* row 0, column 0; tiled by permutation 32,16,16$')" 1

# The architecture that has all of them is searched once, and names are compared once: 20 s of processor time otherwise.
many() { # FORMAT
    set -- "--format=$1" '(64,64):(64,1)'
    for n in $(seq 400); do set -- "$@" --load=mma.m16n8k16.a.f16 --with=ld.b32 --load=mma.m16n8k16.a.f16; done
    (ulimit -t 5 && exec "$MAPPING" "$@") > "$folder/out" 2> "$folder/err"
}
for format in text cuda; do
    ok "800 loads as $format" many "$format"
done
finish
