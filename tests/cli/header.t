#!/bin/sh
# The examples in the comments of include/mapping.h compile, and give the results that the header states.
. "$(dirname "$0")/../lib/tap.sh"

needs python3
if nm -D "$LIBRARY" 2> /dev/null | grep -qE '__(asan|msan|tsan)_init'; then # compiled programs do not load it
    skip 'the examples of mapping.h' unsanitized-program
    finish
    exit
fi
python3 "$here/header_test.py" "$LIBRARY"
