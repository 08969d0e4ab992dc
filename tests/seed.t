#!/bin/sh
# For Volta, Turing and A100, grids and formulae are those of the first tool, character by character.
. "$(dirname "$0")/tap.sh"

same_as_seed() {
    grep -v '^#' "$folder/out" | sed '/^Inverse:/,$d' | sed '$d' > "$folder/body"
    cmp "$folder/body" "$tests/seed/$1"
}
for case in 'sm_70 float volta_float' 'sm_70 half volta_half' 'sm_75 float turing_float' 'sm_80 float turing_float' 'sm_80 half turing_float'; do
    set -- $case
    run --source=recorded --arch="$1" --type="$2"
    ok "$1 $2" same_as_seed "$3.txt"
done
run --source=recorded --arch=volta
ok 'float is the default' same_as_seed volta_float.txt
finish
