#!/bin/sh
# For `make lint`: prints the files that the .cu files of this folder include, for one or a few cases each.
#
#     cases.sh MAPPING FOLDER
if [ $# -ne 2 ]; then
    echo "usage: $0 MAPPING FOLDER" >&2
    exit 2
fi
mapping=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder" || exit 5

# sass.cu names fragments as functions do.
# shellcheck disable=SC2046 # names of fragments, which are words
"$mapping" --arch=sm_90 --format=cuda $(grep -o 'w*g*mma_m[a-z0-9]*_[abd]_[a-z0-9]*' "$here/sass.cu" | sort -u | tr _ .) \
    > "$folder/fragments.h" || exit 5
"$mapping" --arch=sm_90 --source=recorded --whole 'wmma.*' | awk -f "$here/../source/gpu/formulae.awk" > "$folder/formulae.h"

# The other tests write theirs before they compile, which `true` does.
prepare() { # TEST CASES
    CASES=$2 COMPILE_ONLY=1 JOBS=1 python3 "$here/$1_test.py" "$mapping" true "$folder/$1" > "$folder/$1.tap" ||
        { cat "$folder/$1.tap" && exit 5; }
}
prepare header 'mma.m16n8k16.a.f16 mma.m16n8k16.d.f32 mma.m8n8k4.a.row.f16'
prepare convert 'mma.m16n8k16.a.f16 mma.m16n8k16.d.f32 mma.m8n8k16.a.s8'
prepare staging 'mma.m16n8k16 f16 f32'
cp "$folder"/header/one/header.h "$folder"/header/one/part_0/* "$folder"/convert/part_0/* "$folder"/staging/case_*/* "$folder"
