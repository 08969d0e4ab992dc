#!/bin/sh
# results/README.md is what `make evidence` prints, and says of every fragment on every architecture what the other
# files there and the program say.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
if [ -x "${EVIDENCE:-}" ]; then
    ok 'results/README.md is what make evidence prints' sh -c '"$1" | cmp - "$2"' sh "$EVIDENCE" "$root/results/README.md"
    ok 'output that cannot be written is a failure' sh -c '"$1" > /dev/full 2> /dev/null; [ $? = 5 ]' sh "$EVIDENCE"
else
    skip 'results/README.md is what make evidence prints' '$EVIDENCE is not set'
fi
if ! command -v python3 > /dev/null; then
    skip 'it says what the sections say' 'no python3'
    finish
fi
says_what_is_so() { python3 "$here/evidence_test.py" "$MAPPING" "$1"; }
ok 'it says what the sections say, of every fragment on every architecture, once' says_what_is_so "$root/results"

# change FILE SED: the same with a section that says something else.
change() {
    rm -rf "$folder/results"
    cp -r "$root/results" "$folder/results"
    sed -i "$2" "$folder/results/$1"
    ! cmp -s "$root/results/$1" "$folder/results/$1" && fails says_what_is_so "$folder/results"
}
ok 'a section that rests on one ptxas less is noticed' change sm_86.txt '2s/; ptxas 13.5.37, nvdisasm 13.5.37//'
ok 'one that no device has shown' change mma.txt '2s/; gpu (.*)//'
ok 'one that nobody has published' change sm_70.txt 's/; published (.*)//'
ok 'a table that says more' change README.md 's/| not verified on hardware |/| NVIDIA H200, nvcc 13.0.88 |/'
ok 'a table that leaves out a fragment' change README.md 's/{f32,f16,s32}/{f32,f16}/'
finish
