#!/bin/sh
# Pictures of matrices in memory, of accesses, and of loads and stores: svg_memory_test.py parses them by the positions
# of their parts, and compares with --format=json and its own computation.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

held() { # NAME KIND COUNT
    python3 "$here/svg_memory_test.py" "$MAPPING" "$2" > "$folder/held" 2>&1
    ok "$1: $(tail -n 1 "$folder/held")" is "$(sed 's/^[1-9][0-9]* of //' "$folder/held")" "$3 pictures, 0 wrong"
}
if has python3; then
    held 'every cell by element and by address, its tint, banks, bytes' placements 35
    held 'what is asked for is outlined in both panels' marks 7
    held 'words, lanes and wavefronts of accesses, and tints where words meet' accesses 164
    held 'each step of loads and stores' loadings 7
else
    skip 'pictures of memory' python3
fi

# ---- Text around the picture ----

# has SENTENCE: it was printed.
has() { is "$status" 0 && says "$1" "$folder/out"; }
run --format=svg '(4,4):(100000,1)'
ok 'of what is far apart no addresses' has 'most of the memory is empty'
ok 'none at all' fails says '128 bytes in a line' "$folder/out"
run --format=svg --type=e3m2 '(8,64):(64,1)'
ok 'nor of elements of 6 bits' has '128 bytes are not a whole number of 6-bit elements'
run --format=svg --access=ld.b32 --address='tid < 4 ? 0 : 128'
ok 'an expression with < is no markup' has 'tid &lt; 4'
run --format=svg --access=ld.b32 --address='tid * 8'
ok 'who orders words' has 'hardware chooses the order'
ok 'on which device the rule was counted' has 'measured with ncu on an H200 (sm_90)'
run --format=svg -a90 --load=mma.m16n8k16.a.f16 '(64,64):(64,1)'
ok 'other operations that can' has 'ldmatrix.x2: 2 instructions, 32 wavefronts in total (minimum'
ok 'what a step moves' has 'registers 0 to 3: byte address = '
run --format=svg --style=divide -a90 --load=mma.m16n8k16.a.f16 '(64,64):(64,1)'
ok '--style' has 'registers 0 to 3: byte address = tid % 16 * 128 + tid / 16 * 16'

# Phase p reads rows 8 (p % 2) to 8 (p % 2) + 7 of 128 bytes, and chunk p / 2 of 16 bytes: 8 rows are 1,024 bytes. In
# swizzled rows, row r has chunk c at c ^ r.
run --format=svg -a90 --load=mma.m16n8k16.a.f16 --with=ldmatrix.x4 '(64,64):(64,1)'
ok 'phases that are alike are drawn once' is "$status $(count 'class="panel"') $(count 'as phase 0, T + 8, @ + 1024<')" '0 1 1'
run --format=svg -a90 --load=mma.m16n8k16.a.f16 --with=ldmatrix.x4 'Sw<3,3,3> o 0 o (64,64):(64,1)'
ok 'also if a swizzle is between them' is "$status $(count 'class="panel"') $(count 'as phase 0, T + 16, @ ^ 16<')" '0 1 1'
ok 'without conflicts colors show lanes' is "$(count 'class="warning"') $(count '<path class="c[0-7]"')" '0 8'
run --format=svg --access=ld.b32 --address='tid * 8'
ok 'conflicts are red' is "$(count 'class="warning"') $(count '<path class="c[0-9]')" '1 0'
ok 'the title is whole' has '2 wavefronts, 2 words in each of 16 banks<'

# Lanes of ld.b128 and ldmatrix access 4 banks each, lanes of ld.b64 2. If lanes are 128 bytes apart, 32 wavefronts repeat.
run --format=svg --access=ldmatrix.x4 --address='tid%16*144+tid/16*16'
ok 'banks that a lane accesses together have one column' is "$(count 'class="col">0-3<') $(count 'class="col">28-31<')" '1 1'
run --format=svg --access=ld.b64 --address='tid*8'
ok 'lanes of ld.b64 access two banks, which have one column' is "$(count 'class="col">0-1<') $(count 'class="col">30-31<')" '1 1'
run --format=svg --access=ld.b32 --address='tid*128'
ok 'wavefronts that repeat are folded if the picture is too wide' is \
    "$(count '>phase 0, wavefronts 8 to 31: T + 8, @ + 1024 for each 8 wavefronts<') $(count '>@896<') $(count '>@1024<')" '1 1 0'
run --format=svg --access=ld.b32 --address='tid*4+65536'
ok 'banks that repeat are folded, too' is "$(count '>phase 0, banks 8 to 31: T + 8, @ + 32 for each 8 banks<') $(count '>T7<') $(count '>T8<')" '1 1 0'
ok 'without conflicts, the caption does not explain their color' is "$(count 'Red cells')" 0

# ---- Refusals ----


run --format=svg --access=st.b128 --address='- - - 16 - - - - 0 0 0 128 - - - - - - - - - - - - - - - - - - - -'
ok 'phases without lanes are said, not drawn' is "$status $(count 'class="panel"') $(count '>no active lanes (phase [23])<')" '0 2 2'

# ---- Positions of panels ----

# The number of panels of stages in the first row.
across() {
    run --format=svg -a90 "$1"
    sed -n 's/.*<text x="[0-9]*" y="\([0-9]*\)" class="name">By element, stage.*/\1/p' "$folder/out" | uniq -c |
        awk 'NR == 1 { print $1 }'
}
ok 'nine stages stand in a square' is "$(across '(4,4,9):(4,1,16)')" 3
ok 'ten beside each other as far as they go into one' is "$(across '(4,4,10):(4,1,16)')" 4
ok 'a hundred stages are drawn four in a row, which fit into 1200 pixels' is "$(across '(4,4,100):(4,1,16)')" 4
finish
