#!/bin/sh
# For Volta, Turing and A100, grids and formulae are those of ahennequ's tool, character by character; so are the tables
# of results/published.txt, which count as seen on that hardware.
#
# Expected values: report/seed/.
. "$(dirname "$0")/../lib/tap.sh"

same_as_seed() {
    grep -v '^#' "$folder/out" | sed '/^Inverse:/,$d' | sed '$d' > "$folder/body"
    cmp "$folder/body" "$here/seed/$1"
}
# same ARCH TYPE TABLE
same() {
    run --source=recorded --arch="$1" --type="$2"
    ok "$1 $2" same_as_seed "$3.txt"
}
same sm_70 float volta_float
same sm_70 half volta_half
same sm_75 float turing_float
same sm_80 float turing_float
same sm_80 half turing_float
run --source=recorded --arch=volta
ok 'float is the default' same_as_seed volta_float.txt

# published NAMES EVIDENCE TABLE: the record that NAMES have with this evidence is that table.
published() {
    awk -v names="# $1" -v who="#   $2" '
        /^#/ && is_body { is_named = is_found = is_body = 0 }
        $0 == names { is_named = 1 }
        is_named && index($0, who) == 1 { is_found = 1 }
        /^[^#]/ { is_body = 1 }
        is_found && (is_body || /^$/) && !/^#/' "$root/results/published.txt" | sed '${/^$/d}' | cmp - "$here/seed/$3.txt"
}
ok 'what is counted as published for Volta and float' published 'wmma.m16n16k16.d.f32' 'sm_70: published (Volta, ' volta_float
ok 'for half' published 'wmma.m16n16k16.d.f16' 'sm_70: published (Volta, ' volta_half
ok 'for Turing' published 'wmma.m16n16k16.d.{f32,f16}' 'sm_75: published (Turing, ' turing_float
ok 'for A100' published 'wmma.m16n16k16.d.{f32,f16}' 'sm_80: published (A100, ' turing_float
ok 'and nothing else' is "$(grep -c '^# wmma' "$root/results/published.txt") $(grep -c '^#   sm' "$root/results/published.txt")" '3 4'
finish
