#!/bin/sh
# --format=tikz: the LaTeX, parsed without LaTeX; and results that cannot be drawn. tikz_pdf.py compiles it.
#
# Expected values: JSON's inverse formulae, by Python's eval.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

if has python3; then
    python3 "$here/tikz_test.py" "$MAPPING" > "$folder/tap" 2> "$folder/err"
    ended=$?
    sed '/^1\.\./d' "$folder/tap"
    number=$(grep -c -E '^(not )?ok ' "$folder/tap")
    failures=$(grep -c '^not ok ' "$folder/tap")
    ok 'the script that reads pictures came to its end' is "$((ended != 0)) $(grep -c '^1\.\.' "$folder/tap")" \
        "$((failures > 0)) 1"
else
    skip 'pictures against JSON' python3
fi

run --arch=80 mma.m16n8k16.d.f32 --format=tikz
ok 'nothing is said on standard error' is "$status $(wc -c < "$folder/err")" '0 0'
run --arch=70 mma.m8n8k4.d.f32 --whole --format=tikz
ok 'each part has a title, and its axes their names' is "$(grep -o '^.\(heading\|columnaxis\|rowaxis\){.*' "$folder/out" |
    sed 's/{[0-9]*}{[0-9]*}/ /' | tr '\n' ';')" "$(for block in 0 1 2 3; do
        printf '%s' "\\heading {D, block $block of 4, 8 x 8};\\columnaxis {col};\\rowaxis {row};"
    done)"
run --arch=80 mma.m16n8k16.d.f32 --format=tikz
ok 'it is ASCII' fails grep -q '[^ -~]' "$folder/out"

awk 'BEGIN { print "tid,i,row,col"; for (n = 0; n < 32768; n++) printf "%d,%d,0,%d\n", n % 32, int(n / 32), n }' \
    > "$folder/wide.csv"
refused 'more columns than TeX counts' 2 'TeX supports at most 16383 rows and columns, but wide.csv has 1 rows and 32768 columns' \
    --map="$folder/wide.csv" --format=tikz
if [ -c /dev/full ]; then
    "$MAPPING" --arch=80 mma.m16n8k16.d.f32 --format=tikz > /dev/full 2> "$folder/err"
    status=$?
    ok 'a full disk is noticed' is "$((status != 0)) $(wc -l < "$folder/err")" '1 1'
fi

# One row of 37 cells is drawn in rows of 32: a grid for each row that has another number of them.
awk 'BEGIN { print "n,address"; for (n = 0; n < 37; n++) print n "," n * 7 % 37 }' > "$folder/row.csv"
run --map="$folder/row.csv" --outputs=address --format=tikz
ok 'a row that is folded' is "$status $(grep ' grid ' "$folder/out" | tr '\n' ' ')" \
    '4 \draw[line] (0,0) grid (32,1); \draw[line] (0,1) grid (5,2); '
finish
