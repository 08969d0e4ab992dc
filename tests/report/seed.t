#!/bin/sh
# For Volta, Turing and A100, grids and formulae are those of the first tool, character by character; so are the
# tables of results/published.txt, which count as seen on that hardware.
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

# published HEADER TABLE: what stands there, up to the next empty line before a header, is that table.
published() {
    awk -v header="# $1" '
        /^#/ { is_wanted = 0 }
        $0 == header { is_found = 1 }
        /^[^#]/ && is_found { is_wanted = 1; is_found = 0 }
        is_wanted' "$root/results/published.txt" | sed '${/^$/d}' | cmp - "$here/seed/$2.txt"
}
ok 'what is counted as published for Volta and float' published 'wmma.m16n16k16.d.f32 on sm_70: Volta' volta_float
ok 'for half' published 'wmma.m16n16k16.d.f16 on sm_70: Volta' volta_half
ok 'for Turing and float' published 'wmma.m16n16k16.d.f32 on sm_75: Turing' turing_float
ok 'for half' published 'wmma.m16n16k16.d.f16 on sm_75: Turing' turing_float
ok 'for A100 and float' published 'wmma.m16n16k16.d.f32 on sm_80: A100' turing_float
ok 'for half' published 'wmma.m16n16k16.d.f16 on sm_80: A100' turing_float
ok 'and nothing else' is "$(grep -c '^# wmma' "$root/results/published.txt")" 6
finish
