#!/bin/sh
# --format=svg: pictures, parsed by the positions of their parts, and compared with JSON; and results that cannot be
# drawn.
#
# Expected values: JSON's maps and answers; WCAG 2.1; Machado et al. 2009.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
needs python3

# ---- Results that are drawn ----

python3 "$here/svg_test.py" "$MAPPING" "$folder" > "$folder/tap"
ended=$?
sed '/^1\.\./d' "$folder/tap"
number=$(grep -c -E '^(not )?ok ' "$folder/tap")
failures=$(grep -c '^not ok ' "$folder/tap")
ok 'the script that reads pictures came to its end' \
    is "$((ended != 0)) $(grep -c '^1\.\.' "$folder/tap")" "$((failures > 0)) 1"

run --arch=70 --format=svg wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32
cp "$folder/out" "$folder/product.svg"
ok_with xmllint 'an XML parser takes it' xmllint --noout "$folder/product.svg"
ok_with rsvg-convert 'rsvg-convert draws it' rsvg-convert -z 0.2 -o "$folder/product.png" "$folder/product.svg"

# ---- The pictures of the README ----

run --source=recorded --arch=sm_90 mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.d.f32 --format=svg
# shellcheck disable=SC2154 # tap.sh says where the repository is
ok 'that of mma.m16n8k16 is what its command prints' cmp "$folder/out" "$root/tests/output/mma.m16n8k16.svg"
# The words stand beside B: they end above the title of A.
title=$(sed -n 's/^<text x="[0-9]*" y="\([0-9]*\)" class="name">A .*/\1/p' "$folder/out")
word=$(sed -n '/class="caption"/,$s/^<text x="[0-9]*" y="\([0-9]*\)".*/\1/p' "$folder/out" | sort -n | tail -n 1)
ok 'and its words stand in the empty corner' test "$word" -lt "$title"
run 'Sw<2,3,3> o 0 o (8,32):(32,1)' --format=svg
ok 'that of a swizzle is what its command prints' cmp "$folder/out" "$root/tests/output/swizzle.svg"

# ---- Results that are not drawn ----

for by in thread element; do
    refused "a matrix in memory has no ${by}s" 2 "--color-by=$by needs a fragment in registers, but (8,8):(8,1) is in shared memory; use --color-by=bank" \
        '(8,8):(8,1)' --type=f16 "--color-by=$by" --format=svg
done
printf 'c,s,bank\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n' > "$folder/bank.csv"
refused 'nor has a map without' 2 '--color-by=thread: bank.csv has no threads' \
    --map="$folder/bank.csv" --outputs=bank --color-by=thread --format=svg

if [ -w /dev/full ]; then
    "$MAPPING" --arch=80 mma.m16n8k16.d.f32 --format=svg > /dev/full 2> "$folder/err"
    ok 'a full disk' is "$? $(wc -l < "$folder/err")" '5 1'
else
    skip 'a full disk' /dev/full
fi
{
    "$MAPPING" --arch=90 wgmma.m64n256k16.d.f32 --format=svg --whole 2> "$folder/err"
    echo $? > "$folder/status"
} | head -c 10 > /dev/null
svg=$(cat "$folder/status" "$folder/err")
{
    "$MAPPING" --arch=90 wgmma.m64n256k16.d.f32 --whole 2> "$folder/err"
    echo $? > "$folder/status"
} | head -c 10 > /dev/null
ok 'a pipe that is closed is as for text' is "$svg" "$(cat "$folder/status" "$folder/err")"

# Operands of instructions of other shapes are no product, even where their rows and columns are as many.
titles() {
    run --arch=90 --format=svg "$@"
    ok "drawn one by one: $*" is "$status $(count 'class="title"')" "0 $#"
}
titles mma.m16n8k16.a.f16 mma.m16n8k8.b.f16 mma.m16n8k8.d.f16
titles wgmma.m64n16k16.a.f16 wgmma.m64n8k16.d.f32
run --format=svg '(1,8):(8,1)'
ok 'one row is no rows' is "$(count ': 1 row, 8 columns')" 1
finish
