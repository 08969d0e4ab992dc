#!/bin/sh
# The shared library gives the same answers as the command.
. "$(dirname "$0")/../lib/tap.sh"

if ! has python3; then
    skip 'command lines through the library' python3
    finish
    exit
fi
# Python loads no library that is sanitized.
if nm -D "$LIBRARY" 2> /dev/null | grep -q __asan_init; then
    skip 'command lines through the library' unsanitized-program
    finish
    exit
fi
exec python3 "$here/library_test.py" "$MAPPING" "$LIBRARY"
