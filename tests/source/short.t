#!/bin/sh
# results/short.txt: every expression is compiled and evaluated at every point, with int and with unsigned variables,
# and compared with the formula that it replaces. Its operators are counted by splitting it into words.
#
# Expected values: the compiler.
. "$(dirname "$0")/../lib/tap.sh"

needs python3
python3 "$here/short_test.py" "$root/results/short.txt" > "$folder/short.c" 2> "$folder/wrong"
ok 'the lines are in order, and have as many operators as they say' is "$? $(cat "$folder/wrong")" '0 '
ok 'they compile without a warning' \
    "${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Wno-type-limits -Werror -o "$folder/short" "$folder/short.c"
ok 'each gives what its formula gives' is "$("$folder/short")" 'done'

# Every formula of the catalogue is in it: none is shortened on the spot, which shows where tables are large.
export CUDA_VISIBLE_DEVICES=
mkdir "$folder/none"
for arch in 70 72 80 90 120; do
    "$MAPPING" --arch=$arch --all --cuda="$folder/none" --style=short --brief --format=json > "$folder/short.json"
    ok "all of sm_$arch" python3 "$here/short_test.py" "$root/results/short.txt" "$folder/short.json"
done

# make prove, which made it, searching less.
facts() { sed -n 's/^\(\[.*\) = .*; \([0-9]*\) operators\{0,1\}, \(not \)\{0,1\}proved$/\1 = \2/p' "$1"; }
more_operators() { # those that took fewer operators than what was searched for longest
    awk -F ' = ' 'NR == FNR { least[$1] = $NF; next } !($1 in least) || $NF < least[$1]' "$1" "$2"
}
if [ -x "${SHORTEST:-}" ]; then
    formulae=$(grep -c '^\[' "$root/results/short.txt")
    "$SHORTEST" quick > "$folder/quick.txt" 2> "$folder/err"
    ok 'make prove finds an expression for every formula' is "$? $(tr '\r' '\n' < "$folder/err" | tail -n 1)" "0 prove: $formulae of $formulae"
    python3 "$here/short_test.py" "$folder/quick.txt" > "$folder/quick.c" 2> "$folder/wrong"
    ok 'as it does quickly, too' is "$? $(cat "$folder/wrong")" '0 '
    ok 'they compile, and each gives what its formula gives' sh -c '"$1" -std=c99 -w -o "$2" "$2.c" && [ "$("$2")" = done ]' sh \
        "${CC:-cc}" "$folder/quick"
    facts "$root/results/short.txt" > "$folder/least"
    facts "$folder/quick.txt" > "$folder/facts"
    ok 'none has fewer operators than the shortest' is "$(wc -l < "$folder/facts") $(more_operators "$folder/least" "$folder/facts")" \
        "$(grep -vc '^#' "$root/results/short.txt") "
    # It searches all expressions of up to two operators, and finds longer ones term by term.
    up_to_two() { grep '; [0-2] operators\{0,1\}, ' "$1"; }
    up_to_two "$root/results/short.txt" > "$folder/two"
    up_to_two "$folder/quick.txt" > "$folder/quick_two"
    ok 'those of up to two operators are the same' diff "$folder/two" "$folder/quick_two"
    count() { awk '{ sum += $NF } END { print sum }' "$1"; }
    ok 'all together have at most 6 % more operators' [ "$((100 * $(count "$folder/facts")))" -le "$((106 * $(count "$folder/least")))" ]
    for arguments in fast 'quick quick'; do
        # shellcheck disable=SC2086 # several words
        said=$("$SHORTEST" $arguments 2>&1)
        ok "make prove with '$arguments'" is "$? $said" '2 usage: prove [quick]'
    done
else
    ok 'SHORTEST names build/prove' false
fi
finish
