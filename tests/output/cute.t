#!/bin/sh
# --format=cute, compared with CUTLASS's traits in cute_traits.txt; other expected lines are written by hand.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
if has python3; then
    python3 "$here/cute_traits.py" --recorded "$MAPPING" "$here/cute_traits.txt" > "$folder/traits"
    ok 'all atoms that CUTLASS has are as its traits say' is "$? $(grep -c '^ok' "$folder/traits")" \
        "0 $(sed -n 's/^1\.\.//p' "$folder/traits")"
else
    skip 'all atoms that CUTLASS has are as its traits say' python3
fi
run --arch=80 mma.m16n8k16.d.f32 --format=cute
ok 'one line behind the lines on top' is "$status $(last)" '0 ((4,8),(2,2)):((32,1),(16,8))'
run --arch=80 mma.m16n8k16.d.f32 --format=cute --detail
ok 'the type in C++' is "$status $(last)" \
    '0 Layout<Shape<Shape<_4,_8>,Shape<_2,_2>>,Stride<Stride<_32,_1>,Stride<_16,_8>>>'
# 3 atoms along M: thread 32 * 2 + t is 32 rows below, of 48.
run --arch=80 mma.m16n8k16.d.f32 --atom-layout='(3,1,1)' --format=cute
ok 'a tile that has no formula has a layout' is "$status $(last)" '0 ((4,8,3),(2,2)):((96,1,16),(48,8))'
awk 'BEGIN { print "row,col,offset"; for (r = 0; r < 8; r++) for (c = 0; c < 64; c++) {
        low = 0
        for (bit = 8; bit < 64; bit *= 2) low += (int(c / bit) + int(r * 8 / bit)) % 2 * bit
        print r "," c "," r * 64 + c % 8 + low } }' > "$folder/swizzled.csv"
run --map="$folder/swizzled.csv" --format=cute --detail
ok 'a swizzle' is "$status $(line 2)" '0 Sw<3,3,3> o 0 o (8,64):(64,1)'
ok 'its type' is "$(line 3)" 'ComposedLayout<Swizzle<3,3,3>,_0,Layout<Shape<_8,_64>,Stride<_64,_1>>>'
printf 'x,offset\n0,3\n1,1\n2,2\n3,0\n' > "$folder/none.csv"
run --map="$folder/none.csv" --format=cute
ok 'what is none of CuTe' is "$status $(last)" "4 # no layout in CuTe's algebra"
# 65536 * 65537 is 2^32 + 65536; CuTe's numbers are of type int.
printf 'tid,i,row,col\n0,0,0,0\n0,1,65536,65536\n' > "$folder/large.csv"
run --map="$folder/large.csv" --format=cute
ok 'a stride that wraps at 32 bits' is "$status $(last)" \
    "4 # no layout in CuTe's algebra: numbers of elements exceed 2^31 - 1"
printf 'tid,i,row,col\n0,0,0,0\n0,1,32767,65535\n' > "$folder/fits.csv"
run --map="$folder/fits.csv" --format=cute
ok 'the largest that fits' is "$status $(last)" '0 (1,2):(0,2147483647)'
for order in 'lane,column' 'column,lane'; do
    {
        echo "tid,i,$order"
        for tid in 0 1 2 3; do
            for i in 0 1; do
                [ "$order" = lane,column ] && echo "$tid,$i,$tid,$i" || echo "$tid,$i,$i,$tid"
            done
        done
    } > "$folder/lanes.csv"
    run --map="$folder/lanes.csv" --format=cute
    ok "places in Tensor Memory, $order" is "$status $(line 2);$(line 3)" \
        '0 # from (tid, i) to lane + 128 * column;(4,2):(1,128)'
done
finish
