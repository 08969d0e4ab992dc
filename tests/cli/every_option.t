#!/bin/sh
# No option is ignored silently: every option with every action, and options about printing with every format.
. "$(dirname "$0")/../lib/tap.sh"

every_option() {
    python3 "$here/every_option_test.py" "$MAPPING" > "$folder/every" || { grep -A 1 '^not ok' "$folder/every"; false; }
}
cd "$root" || exit 1
if has python3; then
    ok 'every option does something, or is refused' every_option
    ok 'and these are many' test "$(grep -c '^ok' "$folder/every")" -gt 800
else
    skip 'every option does something, or is refused' python3
fi
finish
