#!/bin/sh
# The command lines of tests/cases/*.cases print the expected output, and tests/lib/cases.py notices if they do not.
. "$(dirname "$0")/../lib/tap.sh"

needs python3
: "${COVERAGE:=}" "${SANITIZE:=}"

# The commands are calls of the library. They are processes with THOROUGH=1, and in builds whose library Python cannot load, or
# which count coverage.
[ "$(one_in 2)$COVERAGE$SANITIZE" = 2 ] && in_library=$LIBRARY || in_library=
all_pass() { IN_LIBRARY=$in_library python3 "$tests/lib/cases.py" > "$folder/out" || { grep -A 10 '^not ok' "$folder/out"; false; }; }
cd "$root" || exit 1
ok 'every command line prints what it should' all_pass
ok 'and these are many' test "$(grep -c '^ok' "$folder/out")" -gt 800
printf 'from hand\n0 --version -> mapping\n2 --frob -> unknown\n' > "$folder/brief.cases"
BRIEF=1 python3 "$tests/lib/cases.py" "$folder/brief.cases" > "$folder/out"
ok 'BRIEF=1 prints a line for each file, and what failed' is "$? $(sed -n 's/[^ ]*\///g; 1,2p; $p' "$folder/out" | tr '\n' ';')" \
    '1 FAILED    2 cases  brief.cases, 1 failed;brief.cases:2: mapping --version;1 case files: 1 cases passed, 1 failed;'

# ---- Wrong expectations ----

# wrong NAME WRONG LINE...: cases.py must report the second line of a file as wrong, with this reason. The file has an
# origin and then these lines. all_noticed runs cases.py once for all files, and checks its output for each.
wrong() {
    files=$((files + 1))
    printf '%s;%s\n' "$1" "$2" >> "$folder/expected"
    shift 2
    printf '%s\n' 'from hand' "$@" > "$folder/wrong$files.cases"
}
files=0
all_noticed() {
    # shellcheck disable=SC2046 # several words
    MAPPING=${program-$MAPPING} python3 "$tests/lib/cases.py" $(seq -f "$folder/wrong%g.cases" "$files") > "$folder/all" 2> "$folder/err"
    status=$? files=0
    while IFS=';' read -r name why; do
        files=$((files + 1))
        awk -v file="/wrong$files.cases" '/^(not )?ok / { inside = index($0, file) } inside' "$folder/all" > "$folder/out"
        ok "$name is noticed" is_noticed "$why"
    done < "$folder/expected"
    rm "$folder/expected"
    files=0
}
is_noticed() {
    cat "$folder/out"
    is "$status $(count '^not ok')" '1 1' && says "wrong$files.cases:2: " "$folder/out" && says "$1" "$folder/out" && empty "$folder/err"
}
wrong 'a wrong exit status' 'the exit status is 0, not [2]' '$ mapping --version' 'status 2'
wrong 'a wrong sentence' "0 lines have 'another'" '2 --frobnicate -> another'
wrong 'a missing line' "0 lines have 'mapping'" '0 --version -> mapping'
wrong 'a missing text' "0 lines have 'gnippam'" '$ mapping --version' 'has gnippam'
wrong 'an unwanted text' "1 lines have 'map'" '$ mapping --version' 'no map'
wrong 'a wrong number of lines' "1 lines have 'map'" '$ mapping --version' 'count 2 map'
wrong 'wrong output' 'standard output is not what' '$ mapping --version' '  mapping 0'
wrong 'output below the last line' 'standard output is not what' '$ mapping --help' '  ...' '  .*--help=architectures.* (re)'
wrong 'different output' "'--help' ends with 0" '$ mapping --version' 'same mapping --help'
wrong 'a case that expects nothing' 'the case states nothing' '$ mapping --version'
all_noticed

# Programs with wrong output, and one that does not end.
program=$folder/program
acts() { printf '#!/bin/sh\n%s\n' "$1" > "$program" && chmod +x "$program"; }
acts 'echo out; echo "mapping: err" >&2; exit "$1"'
wrong 'an answer with standard error' 'standard error is not empty' '$ mapping 0' 'status 0'
wrong 'a refusal with standard output' 'a refusal prints one sentence' '$ mapping 3' 'status 3'
all_noticed
acts 'echo "mapping: one" >&2; echo two >&2; exit 2'
wrong 'a refusal of two lines' 'a refusal prints one sentence' '2 -> one'
all_noticed
acts 'echo "AddressSanitizer: leak" >&2; exit 1'
wrong 'the report of a sanitizer' 'standard error is not empty' '$ mapping' 'status 1' 'error leak'
all_noticed
acts 'kill -SEGV $$'
wrong 'a signal' 'the exit status is -11, not [0]' '$ mapping' 'status 0'
all_noticed
acts 'sleep 60 & wait'
export CASE_TIMEOUT=0.02
wrong 'a program that waits' 'the exit status is none after 0.2 s' '$ mapping' 'status 0'
all_noticed
acts 'until [ "$(ulimit -t)" = 1 ]; do :; done; kill -XCPU $$' # what the system does after that time
export CASE_TIMEOUT=1
wrong 'a program that works too long' 'the exit status is none after 1 s of processor time' '$ mapping' 'status 0'
all_noticed
unset CASE_TIMEOUT program

# ---- Malformed files ----

wrong 'a status that does not exist' 'no line of a case' '6 --version -> mapping'
wrong 'an unknown line' "no line of a case: 'foo'" 'foo'
wrong 'a line without its case' "no line of a case: 'has x'" 'has x'
wrong 'a missing arrow' 'expected: 2 WORDS -> TEXT' '2 --version'
wrong 'a missing text' 'the expected text is missing' '2 --version -> '
wrong 'an indented line without its case' 'an indented line belongs to no case' '  x'
wrong 'another program' "expected: mapping WORDS, not 'true'" '$ true'
wrong 'a missing quotation mark' 'No closing quotation' "2 ' -> x"
wrong 'an undefined word' "no 'for' defines \$X" '2 $X -> x'
wrong 'a for without words' 'expected: for NAME in WORD' 'for X in'
wrong 'a file outside of the folder' 'expected: file NAME' 'file ../x'
wrong 'a malformed regular expression' 'unterminated' '0 --version -> [ (re)'
wrong 'a case without its origin' "a case without 'from'"
printf '# No origin.\n2 --version -> x\n' > "$folder/wrong$files.cases"
all_noticed
finish
