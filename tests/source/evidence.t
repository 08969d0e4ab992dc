#!/bin/sh
# The table and the lists of results/README.md are the output of `make evidence`, and have, for every fragment on every
# architecture, the evidence of the records and the program.
#
# Expected values: results/, read by tests/lib/records.py; --list.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
needs python3
ok 'results/README.md is what make evidence prints' sh -c 'python3 "$1" "$2" "$3" | cmp - "$3/README.md"' sh \
    "$root/src/tools/evidence.py" "$MAPPING" "$root/results"
says_what_is_so() { python3 "$here/evidence_test.py" "$MAPPING" "$1"; }
ok 'it says what the records say, of every fragment on every architecture, once' says_what_is_so "$root/results"
ok 'no line of a table is wider than 120' is "$(grep '^|' "$root/results/README.md" | awk 'length > 120' | wc -l)" 0

# change FILE SED: the same with a record, or a page, that says something else.
change() {
    rm -rf "$folder/results"
    cp -r "$root/results" "$folder/results"
    sed -i "$2" "$folder/results/$1"
    ! cmp -s "$root/results/$1" "$folder/results/$1" && fails says_what_is_so "$folder/results"
}
ok 'a record with one ptxas less is noticed' change wmma.txt '0,/; ptxas 12.4.99, nvdisasm 12.8.55/s///'
ok 'a page that says more' change README.md '0,/: not confirmed on hardware/s//: NVIDIA H200, nvcc 13.0.88/'
ok 'a page that leaves out a fragment' change README.md 's/{f32,f16,s32}/{f32,f16}/'
ok 'a table that counts more' change README.md 's/| 82H 6E |/| 88H |/'
finish
