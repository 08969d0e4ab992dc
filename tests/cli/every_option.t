#!/bin/sh
# No option is ignored silently: every option with every action, and options about printing with every format.
. "$(dirname "$0")/../lib/tap.sh"

: "${COVERAGE:=}" "${SANITIZE:=}"

# In the library, but with THOROUGH=1 and in builds whose library Python cannot load, or whose counters it would lose, in processes.
[ "$(one_in 2)$COVERAGE$SANITIZE" = 2 ] && in_library=$LIBRARY || in_library=
every_option() {
    IN_LIBRARY=$in_library python3 "$here/every_option_test.py" "$MAPPING" > "$folder/every" || { grep -A 1 '^not ok' "$folder/every"; false; }
}
cd "$root" || exit 1
if has python3; then
    ok 'every option does something, or is refused' every_option
    ok 'and these are many' test "$(grep -c '^ok' "$folder/every")" -gt 800
else
    skip 'every option does something, or is refused' python3
fi
finish
