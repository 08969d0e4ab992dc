#!/bin/sh
# Runs tests in parallel; prints a line for each, with its processor time, and a summary:  sh tests/runner.sh TEST...
#
# A test is a script (*.t) or a program; it prints TAP. It fails if it prints "not ok", if its status is not 0, if it
# prints more or fewer results than its plan says, or if it takes too long: more than LIMIT seconds of processor time in
# one process, or ten times as long by the clock, which even a busy machine does not need. Its output is in LOGS.
# Environment variables:
#
#     JOBS=3  LIMIT=120  LOGS=build/tests/logs
#     LEFT_OUT="41 cmocka"   the caller skipped 41 test files because cmocka is missing
#     CI=true                a skipped test is a failure, unless WITHOUT="nvcc ptxas" names the missing tool
#
# A test that lacks something prints "ok 3 - name # SKIP needs python3". The summary counts these.
if [ "$1" = --one ]; then
    name=${2#*tests/}
    log=$LOGS/$(printf '%s' "$name" | tr / -)
    # timeout ends the test and its children. It runs in a process group of its own, so the signal handler below needs its pid.
    set -- $(command -v timeout > /dev/null && echo timeout -k 5 "${LIMIT}0") sh "$(dirname "$0")/run" "$2"
    sh -c 'echo $$ > "$0"; ulimit -S -t "$LIMIT"; exec "$@"' "$log.pid" "$@" < /dev/null > "$log" 2>&1
    status=$?
    rm -f "$log.pid"
    times > "$log.times" # the second line is "0m1.2s 0m0.3s", of all children
    awk -v name="$name" -v status="$status" -v limit="$LIMIT" -v said="$log.said" '
        FILENAME == ARGV[1] { split($0, t, /[ms ]+/); seconds = FNR == 2 ? 60 * t[1] + t[2] + 60 * t[3] + t[4] : 0; next }
        /^1\.\.[0-9]/ { plan = substr($1, 4); planned = 1; explained = /#/ }
        /# SKIP/ { # a C test prints it without a number, in addition to its result
            skipped += $2 ~ /^[0-9]+$/
            sub(/.*# SKIP (needs )?/, "")
            print "skip", $0
            next
        }
        /^ok/ { passed++ }
        /^not ok/ { failed++ }
        END {
            if (status == 124 || status == 137) why = ", stopped after " limit "0 s: it hangs, or the machine is very busy"
            else if (status == 152) why = ", stopped after " limit " s of processor time" # 128 + SIGXCPU
            else if (status && !failed) why = ", status " status
            else if (!planned) why = ", no plan"
            else if (plan == 0 && !explained) why = ", no tests"
            else if (plan > 0 && passed + failed + skipped != plan) why = ", " passed + failed + skipped " of " plan " tests ran"
            verdict = failed || why != "" ? "FAILED" : "ok"
            print verdict, passed + 0, failed + (why != "" && !failed)
            printf "%-6s %6.2f s  %s%s%s\n", verdict, seconds, name, failed ? ", " failed " failed" : "", why > said
        }' "$log.times" "$log" > "$log.result"
    ! grep -q '^FAILED' "$log.result" || { grep -A 12 -e '^not ok' -e '^ERROR: ' "$log" || tail -n 12 "$log"; } | head -n 60 | sed 's/^/    /' >> "$log.said"
    exec cat "$log.said"
fi

# The tests, the longest of the last run first, so that no core is idle at the end. Those without a time come before them.
longest_first() {
    { cat "$LOGS"/*.said 2> /dev/null; printf '%s\n' "$@"; } | awk '
        $3 == "s" { sub(/,$/, "", $4); seconds[$4] = $2; next }
        /^ / { next } # why one failed
        { name = substr($0, index($0, "tests/") + 6); print name in seconds ? seconds[name] : 9999, $0 }' | sort -k 1,1rn -s | cut -d ' ' -f 2-
}

export LIMIT="${LIMIT:-120}" LOGS="${LOGS:-build/tests/logs}"
tests=$(longest_first "$@")
case $LOGS in */logs*) rm -rf "$LOGS" ;; esac
mkdir -p "$LOGS" || exit 5
trap 'for pid in "$LOGS"/*.pid; do kill "$(cat "$pid")"; done 2> /dev/null; exit 130' HUP INT TERM
start=$(date +%s)
[ $# = 0 ] || printf '%s\n' "$tests" | xargs -P "${JOBS:-3}" -n 1 sh "$0" --one 2>&1
{ cat "$LOGS"/*.result 2> /dev/null; echo "${LEFT_OUT-}" | sed -n 's/^\([0-9]*\) /files \1 /p'; } |
    awk -v ci="${CI-}" -v without=" ${WITHOUT-} " -v files="$#" -v seconds="$(($(date +%s) - start))" '
    BEGIN { # pairs: a tool that a test may lack, and the Debian package that has it
        count = split("cmocka libcmocka-dev xmllint libxml2-utils rsvg-convert librsvg2-bin script bsdutils man man-db c++ g++ " \
            "jsonschema python3-jsonschema locale locales python3 python3 git git less less mandoc mandoc groff groff zsh zsh " \
            "fish fish node nodejs numpy python3-numpy cffi python3-cffi pkg-config pkg-config timeout coreutils perl perl", pair, " ")
        for (n = 1; n < count; n += 2) package[pair[n]] = pair[n + 1]
    }
    /^(ok|FAILED) / { ended++; passed += $2; failed += $3 }
    /^skip / { sub(/^skip /, ""); tests[$0]++ }
    /^files / { tests[$3] += $2; unit[$3] = " file" }
    END {
        failed += files - ended + (files == 0)
        for (need in tests) {
            left += tests[need]
            said = said sprintf("%6d test%s%s: %s\n", tests[need], unit[need], tests[need] == 1 ? "" : "s", need)
            count = split(need, word, " ")
            for (n = 1; n <= count; n++)
                if (!index(without, " " word[n] " ")) {
                    lacking[word[n]] = 1
                    if (word[n] in package) get[package[word[n]]] = 1
                }
        }
        if (left) printf "Left out because these are missing:\n%s", said
        for (name in get) packages = packages " " name
        if (packages != "") print "To run them: apt-get install" packages
        for (name in lacking) if (ci == "true") { failed++; print "FAILED: CI lacks " name }
        printf "%d test files: %d tests passed, %d failed, %d left out (%d s)\n", files, passed, failed, left, seconds
        exit failed > 0
    }'
