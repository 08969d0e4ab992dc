#!/bin/sh
# Runs the examples on a GPU of sm_90, and prints what their ways cost, as ratios of times of one run.
#
#     run.sh MAPPING NVCC FOLDER          FOLDER is made, and keeps the header, the programs and their times
#     run.sh MAPPING NVCC FOLDER check    small, under every tool of compute-sanitizer that there is; no times
#
# Exit status 1: results differ, an example does not run, or a bound is missed.
if [ $# -lt 3 ]; then
    echo "usage: $0 MAPPING NVCC FOLDER [check]" >&2
    exit 2
fi
mapping=$1 nvcc=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
examples='causal_mask bias scale weights'
failed=0
mkdir -p "$folder" || exit 5

"$mapping" --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' mma.m16n8k16.d.f32 \
    > "$folder/fragments.h" || exit 5
for example in $examples; do
    "$nvcc" -O3 -std=c++17 -arch=sm_90 -Werror all-warnings -I "$folder" \
        -o "$folder/$example" "$here/$example.cu" || exit 5
done

if [ "${4:-}" = check ]; then
    sanitizer=$(dirname "$(command -v "$nvcc")")/compute-sanitizer
    [ -x "$sanitizer" ] || echo "# without compute-sanitizer: there is no $sanitizer"
    for example in $examples; do
        for tool in memcheck racecheck initcheck synccheck; do
            set -- "$folder/$example"
            [ ! -x "$sanitizer" ] || set -- "$sanitizer" --tool "$tool" --error-exitcode 9 "$@"
            if SMALL=1 "$@" > "$folder/$example.txt" 2>&1; then
                echo "ok - $example, $tool"
            else
                echo "not ok - $example, $tool"
                cat "$folder/$example.txt"
                failed=1
            fi
        done
    done
    exit $failed
fi

for example in $examples; do
    "$folder/$example" > "$folder/$example.txt"
    status=$?
    cat "$folder/$example.txt"
    if [ $status -ne 0 ] || ! grep -qx "ok $example" "$folder/$example.txt"; then
        echo "$example failed, with status $status"
        failed=1
    fi
done

# time_of EXAMPLE WAY: microseconds.
time_of() { awk -v example="$1" -v way="$2" '$1 == example && $2 == way { print $3 }' "$folder/$1.txt"; }
# row WHAT NUMERATOR DENOMINATOR [BOUND]
row() {
    awk -v what="$1" -v a="${2:-0}" -v b="${3:-0}" -v bound="$4" 'BEGIN {
        measured = a > 0 && b > 0
        ratio = measured ? a / b : 0
        verdict = !measured ? "not measured" : bound == "" ? "" : ratio <= bound ? "ok" : "MISSED"
        printf "%-46s %10s %-6s %10s  %s\n", what, measured ? sprintf("%.3f", ratio) : "-", "times", bound, verdict
        exit verdict == "MISSED" || verdict == "not measured"
    }'
}
printf '\n%-46s %10s %-6s %10s\n' '' measured '' bound
for example in $examples; do
    header=$(time_of "$example" header) by_hand=$(time_of "$example" by_hand) shared=$(time_of "$example" shared)
    row "$example: header, beside hand-written" "$header" "$by_hand" 1.05 || failed=1
    row "$example: shared memory, beside header" "$shared" "$header" '' || failed=1
done
exit $failed
