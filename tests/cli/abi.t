#!/bin/sh
# The binary interface of the library: everything that was recorded still exists, and cffi can call it. Expected values:
# abi.txt, from an earlier commit; the PTX ISA, by hand.
. "$(dirname "$0")/../lib/tap.sh"

interface='the ABI is the one that was recorded'
if nm -D "$LIBRARY" 2> /dev/null | grep -qE '__(asan|msan|tsan)_init'; then # compiled programs do not load it
    skip "$interface" unsanitized-program
    finish
    exit
fi
ok_with 'python3 nm' "$interface" python3 "$here/abi_test.py" "$LIBRARY"
if has python3 && python3 -c 'import cffi' 2> /dev/null; then
    ok 'cffi reads mapping.h, and calls the library' python3 "$here/cffi_test.py" "$LIBRARY"
else
    skip 'cffi reads mapping.h, and calls the library' cffi
fi
finish
