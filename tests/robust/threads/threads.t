#!/bin/sh
# Contexts in several threads give the same answers as one context; with `make tsan`, under ThreadSanitizer. Expected
# values: the answers in one context.
. "$(dirname "$0")/../../lib/tap.sh"

if ! has python3; then
    skip 'command lines in several threads' python3
    finish
    exit
fi
exec python3 "$here/threads_test.py" "$THREADS" 60 "$MAPPING"
