#!/bin/sh
# For Volta, Turing and A100, grids and formulae are those of the first tool, character by character.
. "$(dirname "$0")/../tap.sh"

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
finish
