#!/bin/sh
# tests/runner.sh notices every way in which a test can fail. Expected values: by hand.
. "$(dirname "$0")/lib/tap.sh"

# verdict LINE...: the output of the runner for a test with these lines, without times.
verdict() {
    mkdir -p "$folder/tests"
    printf '%s\n' "$@" > "$folder/tests/x.t"
    CI='' LEFT_OUT='' LIMIT=1 LOGS="$folder/logs" sh "$tests/runner.sh" "$folder/tests/x.t" > "$folder/out"
    echo "$? $(sed -n '1s/ *[0-9.]* s  /: /p' "$folder/out")"
}
ok 'a test that passes' is "$(verdict 'echo ok 1 - a' 'echo 1..1')" '0 ok: x.t'
ok 'a result that is not ok' is "$(verdict 'echo not ok 1 - a' 'echo 1..1')" '1 FAILED: x.t, 1 failed'
ok 'an exit status' is "$(verdict 'echo ok 1 - a' 'echo 1..1' 'exit 3')" '1 FAILED: x.t, status 3'
ok 'no plan' is "$(verdict 'echo ok 1 - a')" '1 FAILED: x.t, no plan'
ok 'fewer results than planned' is "$(verdict 'echo ok 1 - a' 'echo 1..2')" '1 FAILED: x.t, 1 of 2 tests ran'
ok 'no tests' is "$(verdict 'echo 1..0')" '1 FAILED: x.t, no tests'
ok 'a test that is left out' is "$(verdict 'echo "1..0 # SKIP needs gpu"')" '0 ok: x.t'
ok 'and what it needs' says '     1 test: gpu' "$folder/out"
if has timeout; then
    ok 'a test that hangs' is "$(verdict 'sleep 60')" '1 FAILED: x.t, stopped after 10 s: it hangs, or the machine is very busy'
else
    skip 'a test that hangs' timeout
fi
ok 'a test that works too long' is "$(verdict 'while :; do :; done')" '1 FAILED: x.t, stopped after 1 s of processor time'
ok 'a test that works longer than its share of a busy machine' is "$(verdict 'sleep 1.2' 'echo ok 1 - a' 'echo 1..1')" '0 ok: x.t'
finish
