#!/bin/sh
# npy.hpp reads and writes the files of --probe. probed_gemm.cc, which uses it, is found to be correct, and each of its mistakes is found.
. "$(dirname "$0")/../lib/tap.sh"

cxx=${CXX:-c++}
needs "$cxx"
ok 'npy.hpp compiles as C++17 without warnings' \
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -o "$folder/probed_gemm" "$here/probed_gemm.cc"

# probed MISTAKE OPTION...: leaves the status of --decode in $status, its text in $folder/out.
probed() {
    mistake=$1
    shift
    rm -rf "$folder/probe"
    run --probe=gemm:40,48,24 --type=f32 --into="$folder/probe" "$@"
    runs=0
    while [ "$status" -le 1 ] && more=$(grep -c '"d":' "$folder/probe/plan.json") && [ "$more" -gt "$runs" ]; do
        runs=$more
        "$folder/probed_gemm" "$folder/probe" 40 48 24 $mistake || return
        run --decode="$folder/probe"
    done
}
probed ''
ok 'a product of C++ is right' is "$status" 0
probed '' --ld=32,28,56
ok 'a product with padding is right' is "$status" 0
for mistake in rows lost written; do
    probed $mistake
    ok "a product is wrong: $mistake" is "$status" 1
done
ok 'rows that are never written are named' grep -q 'never' "$folder/out"

printf 'no array' > "$folder/A0.npy"
cp "$folder/A0.npy" "$folder/B0.npy"
"$folder/probed_gemm" "$folder" 1 1 1 2> "$folder/err"
ok 'what is no array is refused' is "$? $(cat "$folder/err")" "1 probed_gemm: $folder/A0.npy is no .npy file with a header of 128 bytes"
"$folder/probed_gemm" "$folder" 2> "$folder/err"
ok 'arguments that are missing are named' is "$?" 1
finish
