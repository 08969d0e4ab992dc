# shellcheck shell=sh
# tap.sh - for test scripts: runs the program, compares, prints TAP.
#
# A script of tests/FOLDER begins with
#     . "$(dirname "$0")/../lib/tap.sh"
# and ends with `finish`. It finds
#     $here      the folder of the script
#     $tests     the folder of this file
#     $root      the repository
#     $folder    a temporary folder of its own
#     $MAPPING   the program, from whoever runs the script, and $PYTHON3, python3 itself, if that is known

# Independent of the user's locale, which changes sort, ranges in grep and awk, and how Python reads text.
LC_ALL=C
# As in a terminal, so that colors in a file or a pipe are noticed.
TERM=xterm-256color
# Threads of NumPy wait for work in a loop, which takes processor time from other tests.
OPENBLAS_NUM_THREADS=1
export LC_ALL TERM OPENBLAS_NUM_THREADS

: "${MAPPING:?the program to test}"
here=$(cd "$(dirname "$0")" && pwd)
tests=$here
while [ ! -f "$tests/lib/tap.sh" ]; do
    tests=$(dirname "$tests")
done
# shellcheck disable=SC2034 # for the scripts
root=$(dirname "$tests")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM
# The real python3: a wrapper that chooses one, such as pyenv's, takes longer than python3 itself.
[ -z "${PYTHON3-}" ] || python3() { "$PYTHON3" "$@"; }
number=0
failures=0

# All architectures, 70 for sm_70: those that the records were written for.
known_archs() { sed -n '2s/^# architectures: //p' "$root/results/wmma.txt" | sed 's/sm_//g'; }

# ---- Running ----

# run ARGUMENT...: runs the program; leaves $status, $folder/out and $folder/err.
run() {
    "$MAPPING" "$@" > "$folder/out" 2> "$folder/err"
    status=$?
}

# These print parts of the output: line N (default 1), the last line, the number of lines with a pattern, the lines from N on,
# each followed by ';', and the names of the fragments, each followed by a blank.
line() { sed -n "${1:-1}p" "$folder/out"; }
last() { tail -n 1 "$folder/out"; }
count() { grep -c -e "$1" "$folder/out"; }
lines_from() { tail -n "+$1" "$folder/out" | tr '\n' ';'; }
shown() {
    unwrapped "$folder/out" | awk "$expand"'/^# .* on sm_[0-9]+$/ {
        sub(/^# /, ""); sub(/ on sm_[0-9]+$/, ""); count = expand($0, names); for (n = 1; n <= count; n++) print names[n] }' |
        tr '\n' ' '
}

# A file without the line breaks in comments.
unwrapped() { awk '/^#   / { sub(/^#  /, ""); line = line $0; next } NR > 1 { print line } { line = $0 } END { print line }' "$1"; }

# In awk, expand(TEXT, NAMES) sets NAMES to all names that patterns with braces stand for, as bash has it, and returns how
# many there are: "a.{b,c}, d.{8..24..8}".
# shellcheck disable=SC2034,SC2016 # used by tests; the dollar is of awk
expand='
function expand(text, names,    count, open, words, patterns, n, w, end, run, seen, rest, last) {
    rest = split(text, patterns, ", ")
    count = 0
    for (n = 1; n <= rest; n++) {
        if (!match(patterns[n], /[{][^{}]*[}]/)) {
            if (!(patterns[n] in seen)) { names[++count] = patterns[n]; seen[patterns[n]] = 1 }
            continue
        }
        open = RSTART; end = RSTART + RLENGTH
        text = substr(patterns[n], open + 1, RLENGTH - 2)
        if (split(text, run, "[.][.]") == 3) {
            text = run[1]
            for (w = run[1] + run[3]; w <= run[2] + 0; w += run[3]) text = text "," w
        }
        last = split(text, words, ",")
        for (w = 1; w <= last; w++) patterns[rest + w] = substr(patterns[n], 1, open - 1) words[w] substr(patterns[n], end)
        rest += last
    }
    return count
}
'

# filled FROM TO: what was printed behind the line with FROM and before the one with TO is a list, divided by ", ", in
# lines of up to 79 characters that are full: what the next one begins with, and a comma, would have no place in them.
filled() {
    awk -v from="$1" -v to="$2" 'inside && $0 ~ to { inside = 0 }
        inside {
            first = $0
            sub(/^ */, "", first)
            sub(/,( .*)?$/, "", first)
            if (length > 79 || (before != "" && length(before) + length(first) + 2 <= 79)) {
                print
                exit wrong = 1
            }
            before = $0
            count++
        }
        $0 ~ from { inside = 1 }
        END { if (wrong || count < 2) exit 1 }' "$folder/out"
}

# one_in N: the number to divide by if there are thousands of cases: N, with THOROUGH=1 one (see sample.h).
one_in() {
    [ "${THOROUGH:-0}" -gt 0 ] && echo 1 || echo "$1"
}

# ---- Checking ----

# ok NAME COMMAND...: passes if the command succeeds.
ok() {
    name=$1
    shift
    number=$((number + 1))
    if "$@" > "$folder/why" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failures=$((failures + 1))
        {
            echo "$* failed"
            head -c 2000 "$folder/why"
            echo
            [ ! -f "$folder/err" ] || head -c 2000 "$folder/err"
        } | awk 'NF { print "# " $0 }'
    fi
}

# skip NAME COMMAND...: leaves out a test that needs these commands. The runner counts such tests.
skip() {
    number=$((number + 1))
    name=$1
    shift
    echo "ok $number - $name # SKIP needs $*"
}

# has COMMAND...: true if all of them are installed.
has() { for each; do command -v "$each" > /dev/null || return 1; done; }

# has_module NAME: true if python3 can import it. It is only looked for, since an import of NumPy takes a tenth of a second.
has_module() { has python3 && python3 -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec(sys.argv[1]))' "$1"; }

# needs COMMAND...: leaves the whole script out if one of them is not installed.
needs() { has "$@" || { echo "1..0 # SKIP needs $*" && exit 0; }; }

# ok_with TOOLS NAME COMMAND...: as ok, or as skip if one of the tools (words in one argument) is not installed.
ok_with() {
    needs=$1
    shift
    # shellcheck disable=SC2086 # several words
    if has $needs; then ok "$@"; else skip "$1" $needs; fi
}

is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; false; }; }
fails() { ! "$@"; }
empty() { [ ! -s "$1" ]; }
says() { grep -qF -e "$1" "$2"; }

# refused NAME STATUS SENTENCE ARGUMENT...: that exit status, nothing printed, and one line on standard
# error that has the sentence in it.
refused() {
    name=$1 expected=$2 sentence=$3
    shift 3
    run "$@"
    ok "$name" refused_as_expected
}
refused_as_expected() {
    is "$status" "$expected" && empty "$folder/out" &&
        { IFS= read -r said && ! IFS= read -r more && [ -z "$more" ]; } < "$folder/err" || return 1
    case $said in *"mapping: "*) ;; *) return 1 ;; esac
    case $said in *"$sentence"*) ;; *) return 1 ;; esac
}

finish() {
    echo "1..$number"
    [ "$failures" -eq 0 ]
    exit
}
