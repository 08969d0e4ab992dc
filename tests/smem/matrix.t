#!/bin/sh
# Matrices in memory, compared with recorded layouts of CUTLASS's C++ headers.
. "$(dirname "$0")/../lib/tap.sh"

: "${MEMORY_OFFSETS:?the helper of this test}"
python3 "$here/matrix_headers.py" --recorded "$MEMORY_OFFSETS" "$here/matrix_layouts.txt" > "$folder/tap"
status=$?
ok_with python3 "CUTLASS's headers give the same $(grep -c ^ok "$folder/tap") times" is "$status $(grep -A1 '^not ok' "$folder/tap")" '0 '

# The sentence that refuses a name of CUTLASS lists all of them.
run RowMajorX
sed 's/.*; valid: //; s/; valid with.*: /, /; s/<[^>]*>//g' "$folder/err" | tr -d ' ' | tr ',' '\n' > "$folder/names"
while read -r name; do
    grep -Eq "^(RowMajor|ColumnMajor)?$name[<|]" "$here/matrix_layouts.txt" || echo "$name"
done < "$folder/names" > "$folder/missing"
ok 'every class of CUTLASS is compared with its header' is "$(grep -c Major "$folder/names") $(cat "$folder/missing")" '6 '

# ---- Types of elements, as C++ and as PTX write them ----

for pair in tf32:tfloat32_t f16:half_t bf16:bfloat16_t s8:int8_t e4m3:float_e4m3_t e2m1:float_e2m1_t f64:double b1:uint1b_t \
    b1:bin1_t s4:int4b_t e2m1:uint4_t ue8m0:float_ue8m0_t f16:__half bf16:__nv_bfloat16 tf32:tf32_t s32:int32_t f64:int64_t; do
    run --brief "Layout_K_SW128_Atom<${pair#*:}>"
    sed 1d "$folder/out" > "$folder/cpp"
    run --brief "Layout_K_SW128_Atom<${pair%:*}>"
    ok "${pair%:*} is ${pair#*:}" is "$status $(sed 1d "$folder/out")" "0 $(cat "$folder/cpp")"
done
finish
