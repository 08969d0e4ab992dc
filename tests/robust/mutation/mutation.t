#!/bin/sh
# mutate.py changes a small program, runs its test, and counts what the test notices. Expected values: the changes are known.
. "$(dirname "$0")/../../lib/tap.sh"

if ! has python3 gcov; then
    skip 'changes of a small program' python3 gcov
    finish
    exit
fi
exec python3 "$here/mutation_test.py"
