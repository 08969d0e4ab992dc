#!/bin/sh
# Runs the examples on a GPU of sm_90, and prints ratios of the times that their ways take in one run.
#
#     run.sh MAPPING NVCC FOLDER          creates FOLDER, and keeps headers, programs and their times there
#     run.sh MAPPING NVCC FOLDER check    small sizes, under every installed tool of compute-sanitizer; prints no times
#     run.sh MAPPING NVCC FOLDER headers  only makes the headers
#
# Exit status 1: results differ, an example does not run, or a bound is missed.
if [ $# -lt 3 ]; then
    echo "usage: $0 MAPPING NVCC FOLDER [check|headers]" >&2
    exit 2
fi
mapping=$1 nvcc=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
# attention_TYPE is attention.cu for TYPE; smaller has one way, and no times.
examples='causal_mask bias scale weights softmax attention_f16 attention_bf16 attention_e4m3 staged'
checked="$examples smaller"
failed=0
mkdir -p "$folder" || exit 5

"$mapping" --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' 'mma.m16n8k16.*.bf16' 'mma.m16n8k32.*.e4m3' \
    mma.m16n8k16.d.f32 > "$folder/fragments.h" || exit 5
# conversion FROM TO: the accumulators of one multiplication become an operand of the next.
conversion() { "$mapping" --arch=sm_90 --format=cuda --convert="$2" "$1"; }
{
    conversion mma.m16n8k16.d.f32 mma.m16n8k16.a.f16 &&
        conversion mma.m16n8k16.d.f32 mma.m16n8k16.a.bf16 &&
        conversion mma.m16n8k32.d.f32 mma.m16n8k32.a.e4m3
} > "$folder/convert.h" || exit 5
# The threads that share a row of accumulators.
"$mapping" --arch=sm_90 --detail --format=json mma.m16n8k16.d.f32 > "$folder/detail.json" || exit 5
python3 -c 'import json, sys
masks = json.load(sys.stdin)["detail"]["sharing"]["row"]["masks"]
print("#define ROW_MASKS", ", ".join(map(str, masks)))' < "$folder/detail.json" > "$folder/masks.h" || exit 5

# A and B in shared memory, as they are and as is best: fragments for four warps, at all four steps of K, and copies.
tiles() {
    naive=$1 tile='--atom-layout=(4,1,1) --permutation=64,64,16' load=--load=mma.m16n8k16.$2.f16
    best=$("$mapping" --arch=sm_90 "$naive" --suggest $tile "$load" --store=cp.async --format=json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["suggestions"][0]["layout"])') || return
    shift 2
    for layout in "$naive" "$best"; do
        "$mapping" --arch=sm_90 --format=cuda "$layout" $tile "$load" "--origin=$1" "$load" "--origin=$2" \
            "$load" "--origin=$3" "$load" "--origin=$4" --store=cp.async || return
    done
}
{
    tiles '(64,64):(64,1)' a 0,0 0,16 0,32 0,48 &&
        tiles '(64,64):(1,64)' b 0,0 16,0 32,0 48,0
} > "$folder/tiles.h" || exit 5

[ "${4:-}" != headers ] || exit 0

compile() {
    source=$1 type=none
    case $1 in attention_*) source=attention type=${1#attention_} ;; esac
    "$nvcc" -O3 -std=c++17 -arch=sm_90 -Werror all-warnings "-DTYPE=$type" -I "$folder" \
        -o "$folder/$1" "$here/$source.cu"
}
# All at once: each takes seconds.
compilers=
for example in $checked; do
    compile "$example" &
    compilers="$compilers $!"
done
for compiler in $compilers; do
    wait "$compiler" || failed=5
done
[ $failed -eq 0 ] || exit $failed

if [ "${4:-}" = check ]; then
    sanitizer=$(dirname "$(command -v "$nvcc")")/compute-sanitizer
    [ -x "$sanitizer" ] || echo "# without compute-sanitizer: there is no $sanitizer"
    # The tools of an example at once: most of their time is starting.
    # check_with EXAMPLE TOOL: what was said is in EXAMPLE.TOOL.txt.
    check_with() {
        if [ -x "$sanitizer" ]; then
            SMALL=1 "$sanitizer" --tool "$2" --error-exitcode 9 "$folder/$1"
        else
            SMALL=1 "$folder/$1"
        fi > "$folder/$1.$2.txt" 2>&1
    }
    for example in $checked; do
        runs=
        for tool in memcheck racecheck initcheck synccheck; do
            check_with "$example" $tool &
            runs="$runs $tool:$!"
        done
        for run in $runs; do
            if wait "${run#*:}"; then
                echo "ok - $example, ${run%:*}"
            else
                echo "not ok - $example, ${run%:*}"
                cat "$folder/$example.${run%:*}.txt"
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
    header=$(time_of "$example" header) by_hand=$(time_of "$example" by_hand)
    row "$example: header, beside hand-written" "$header" "$by_hand" 1.05 || failed=1
    case $example in
        staged) row "$example: naive layout, beside suggested" "$(time_of "$example" naive)" "$header" '' ;;
        *) row "$example: shared memory, beside header" "$(time_of "$example" shared)" "$header" '' ;;
    esac || failed=1
done
exit $failed
