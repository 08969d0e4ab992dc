#!/bin/sh
# ldmatrix and stmatrix of 8, 6 and 4 bits, compared with CUTLASS's Copy_Traits in moves_cute.txt; and their notes.
# moves_test.c tests the rules of the PTX ISA.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
if has python3; then
    python3 "$here/moves_cute.py" "$MAPPING" "$here/moves_cute.txt" > "$folder/moves"
    status=$?
    grep '^#\|^not' "$folder/moves" > "$folder/err"
    ok 'registers and addresses are as CUTLASS has them' is "$status $(grep -c '^ok' "$folder/moves")" \
        "0 $(sed -n 's/^1\.\.//p' "$folder/moves")"
else
    skip 'registers and addresses are as CUTLASS has them' python3
fi

# ---- Notes ----

is_said() { # TEXT NAME
    run --arch=120 --brief --detail "$2"
    ok "$2: $1" is "$status $(sed -n 's/^# *//p' "$folder/out" | tr '\n' ' ' | grep -c "$1")" '0 1'
}
is_said 'CUTLASS 4.2 uses the same layout' ldmatrix.m8n16.x4.r.b6
is_said 'bits 5:0' ldmatrix.m8n16.x4.r.b6
is_said 'bits 3:0 .* shift it to bits 5:2' ldmatrix.m8n16.x4.r.b4
is_said 'bits 3:0 .* shift it to bits 5:2' ldmatrix.m16n16.x2.r.trans.b4
is_said 'bits 5:2' mma.m16n8k32.a.e2m1
is_said 'bits 5:0' mma.sp.m16n8k64.b.e3m2
is_said '16 rows, so 16 threads' ldmatrix.m16n16.x1.p.b8
is_said '8 rows of 16 bytes' stmatrix.m16n8.x4.r.trans.b8
is_said 'not confirmed on hardware' stmatrix.m16n8.x4.r.trans.b8
is_said 'PTX ISA 9.1 section 9.7.14.3' mma.m16n8k64.sfa.4x.ue8m0
run --arch=120 ldmatrix.m8n16.x4.r.b4 --brief --detail
ok 'the detail has both sizes' is "$(sed -n '/^type/p' "$folder/out")" 'type       b4 (b4), 4 bits, stored in 8'
run --arch=120 ldmatrix.m8n16.x4.p.b4 --brief --detail
ok 'an address is 32 bits whatever it is of' is "$(sed -n '/^type/p' "$folder/out")" 'type       32-bit addresses of rows of b4 elements'

# ---- How people write them ----

shown_by() { # FRAGMENTS NAME
    run --brief --arch=120 "$2"
    ok "$2" is "$status $(shown)" "0 $1 "
}
shown_by 'ldmatrix.m8n16.x4.r.b4 ldmatrix.m8n16.x4.p.b4' ldmatrix.m8n16.x4.b4
shown_by 'ldmatrix.m8n16.x4.r.b4 ldmatrix.m8n16.x4.p.b4' ldmatrix.m8n16.x4.shared.b8x16.b4x16_p64
shown_by 'ldmatrix.m8n16.x4.r.b6' ldmatrix.m8n16.x4.r.b6x16_p32
shown_by 'stmatrix.m16n8.x2.r.trans.b8 stmatrix.m16n8.x2.p.b8' stmatrix.m16n8.x2
shown_by ldmatrix.m16n16.x2.r.trans.b8 ldmatrix.m16n16.x2.r.b8
refused 'm8n16 transposed' 2 '' ldmatrix.m8n16.x2.r.trans.b4
# ---- What signed_moves.cu has seen of .s8.s4 on an H200 ----

seen=$root/tests/source/gpu/signed_moves
ok 'it says on which device' is "$(cat "$seen/device.txt")" 'NVIDIA H200, nvcc 13.5.37'
for count in 1 2 4; do
    awk -F '[: ]+' 'NR == 1 { print $2 ~ /,.*,/ ? "tid,i,block,row,col" : "tid,i,row,col" }
        { for (n = 2; n <= NF; n++) print $1 "," n - 2 "," $n }' "$seen/x$count.txt" > "$folder/seen.csv"
    run --map="$folder/seen.csv" --verbose
    ok "ldmatrix.m8n16.x$count.r.s4 is what was seen" is "$status $(count "ldmatrix.m8n16.x$count.r.s4")" '0 1'
done
finish
