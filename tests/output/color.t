#!/bin/sh
# Text on a terminal: numbers around grids, colors, --cells. output/text.t, report/seed.t and report/records_test.c
# compare the text that goes into a file.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
for arguments in '--format=json' '--format=svg' '--brief' '--at=0,0' '--thread=0' '--list' '--diff=75,80' '--check' \
    '--map x' '--access=ld.shared.b32 --address=0' '--verify row=0' '--convert=mma.m16n8k16.a.f16'; do
    # shellcheck disable=SC2086 # several words
    refused "--cells is refused with $arguments" 2 '--cells ' --cells $arguments
done
run --source=isa --arch=90 mma.m8n8k4.b.f64 --cells
ok '--cells prints one grid' is "$(lines_from 4)" 'ThreadIdx:Element:;   |    0    1    2    3    4    5    6    7;'"\
"'---+----------------------------------------; 0 |  0:0  4:0  8:0 12:0 16:0 20:0 24:0 28:0;'"\
"' 1 |  1:0  5:0  9:0 13:0 17:0 21:0 25:0 29:0; 2 |  2:0  6:0 10:0 14:0 18:0 22:0 26:0 30:0;'"\
"' 3 |  3:0  7:0 11:0 15:0 19:0 23:0 27:0 31:0;;'"$(sed -n '/^Formulae/,$p' "$folder/out" | tr '\n' ';')"
if has python3; then
    python3 "$here/color_test.py" "$MAPPING" > "$folder/colors" 2>&1
    passed=$?
    while read -r result; do
        case $result in
        ok*) ok "${result#* - }" true ;;
        not*) ok "${result#* - }" false ;;
        \#*) echo "$result" ;;
        esac
    done < "$folder/colors"
    ok 'all of these were tried' is "$passed $(grep -c '^1\.\.' "$folder/colors")" '0 1'
else
    skip 'terminals of all widths' python3
fi
finish
