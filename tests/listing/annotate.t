#!/bin/sh
# --annotate: real listings, line by line, and input that is not a listing; see annotate_test.py.
. "$(dirname "$0")/../lib/tap.sh"

if ! has python3; then
    skip 'listings are annotated' python3
else
    ok 'listings are annotated' python3 "$here/annotate_test.py" "$MAPPING"
fi
finish
