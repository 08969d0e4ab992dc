#!/bin/sh
# Tiled multiplications and copies: the examples of CuTe's documentation on MMA atoms, and tilings that it rejects.
. "$(dirname "$0")/../lib/tap.sh"
export CUDA_VISIBLE_DEVICES=

volta=mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32
show() { run --source=isa "$@"; }
answers() { grep '^tid' "$folder/out" | sed 's/.*row *\([0-9]*\), col *\([0-9]*\).*/(\1,\2)/' | tr '\n' ' '; }

# 32x32x4 out of four Volta atoms, before and after the permutation of M.
show -a70 $volta --atom-layout='(2,2,1):(2,1,0)' --permutation=32,32,4 --operand=a --thread=0
ok 'T0V0 to T0V7 before' is "$status $(answers)" '0 (0,0) (1,0) (2,0) (3,0) (16,0) (17,0) (18,0) (19,0) '
show -a70 $volta --atom-layout='(2,2,1):(2,1,0)' --permutation='((4,4,2):(1,8,4)),32,4' --operand=a --thread=0
ok 'T0V0 to T0V7 behind each other' is "$status $(answers)" '0 (0,0) (1,0) (2,0) (3,0) (4,0) (5,0) (6,0) (7,0) '
ok 'it is said how it is tiled' says \
    '# tiled by atom layout (2,2,1):(2,1,0), permutation ((4,4,2):(1,8,4)),32,4' "$folder/out"
# The quadrants of C belong to T0, T4, T8 and T12.
for at in 0,0:0 0,8:4 8,0:8 8,8:12; do
    show -a70 $volta --atom-layout='(2,2,1):(2,1,0)' --operand=c --at="${at%:*}"
    ok "who holds C at ${at%:*} of 16x16" is "$(grep -c "tid *${at#*:}, i  0" "$folder/out")" 1
done
show -a70 $volta --atom-layout='(2,2,1):(2,1,0)'
ok 'A, B, C and D of the whole' is "$status $(shown)" \
    '0 mma.m8n8k4.a.col.f16 mma.m8n8k4.b.row.f16 mma.m8n8k4.c.f32 mma.m8n8k4.d.f32 '
ok 'quad pairs tile without blocks' is "$(count '^Block\|^# block')" 0
show -a90 wgmma.m64n64k16.d.f32 --atom-layout=2 --format=json
ok_with python3 'two warpgroups' python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert (report["rows"], report["cols"], report["threads"], report["elements"]) == (128, 64, 256, 32)
assert report["tiling"] == "atom layout 2"' "$folder/out"
show -a80 mma.m16n8k16.d.f32 --atom-layout='(3,2)' --brief
ok 'a tile without formula says so' is "$status $(count '^Row: no formula')" '4 1'
atom=mma.m16n8k16.d.f32
show -a80 $atom --permutation='((4,4,2):(1,8,4)),8,16' --brief
sed 1,/^Formulae/d "$folder/out" > "$folder/expected"
for whole in '((4,4,2):(1,8,4))' '(4,4,2):(1,8,4)' '(((_4,_4,_2):(_1,_8,_4)),_8,_16)' \
    ' (4, 4, 2) : (1, 8, 4) , 8 , _ '; do
    show -a80 $atom --permutation="$whole" --brief
    sed 1,/^Formulae/d "$folder/out" > "$folder/got"
    ok "spelled $whole" cmp "$folder/expected" "$folder/got"
done
show -a80 mma.m16n8k16.c.f32 --atom-layout='(3,2,1)' --at=0,0
ok 'a question needs no formula' is "$status $(wc -c < "$folder/err")" '0 0'
show -a80 mma.m16n8k16.c.f32 --atom-layout='(3,2,1)' --brief
ok 'but formulae do' is "$status $(wc -c < "$folder/err")" '4 0'
show -a80 $atom --atom-layout='(1,2)' --permutation=16,1024 --whole
ok 'a wide tile comes in blocks of columns' is "$status $(count '^columns ')" '0 4'
ok 'and in lines of less than 6000 characters' awk 'length >= 6000 { exit 1 }' "$folder/out"

for bad in '' '()' '(2,2' '2:' '2:1:1' '(2,2):(1)' '(2,2):1' '1,1,1,1' '(1,1,1,1)' 0 99999999999 \
    '(2,,2)' -1 'x' "$(printf '%2000s' | tr ' ' '(')"; do
    start=$(echo "$bad" | head -c 40)
    refused "no atom layout: '$start'" 2 "is not a valid atom layout in CuTe's notation" $atom --atom-layout="$bad"
    refused "no permutation: '$start'" 2 '' $atom --permutation="$bad,1,1,1"
done
for bad in _x '(32 32)' '(4,4)x' '(16,8,16' '16,8,16)'; do
    refused "no permutation: '$bad'" 2 "is not a valid permutation of M, N and K in CuTe's notation" $atom --permutation="$bad"
done
refused 'one quad pair' 2 "this atom layout has 1 atom of 8 threads, which do not fill whole warps; use a multiple of 4 atoms, such as --atom-layout='(2,2,1)'" -a70 $volta --atom-layout=1
refused 'atoms on top of each other' 2 'this atom layout leaves some of the threads 0 to 127 without an atom; write it without strides' -a80 $atom --atom-layout='(2,2):(1,1)'
refused 'atoms far from each other' 2 'this atom layout leaves some of the threads 0 to 127 without an atom; write it without strides' -a80 $atom --atom-layout='(2,2):(1,9999999)'
refused 'a permutation that is none' 2 'the permutation 32:2 along M must contain each number from 0 to 31 once, but it does not contain 1' -a80 $atom --permutation=32:2
refused 'a permutation with a number twice' 2 'the permutation (4,4,3):(1,8,4) along M must contain each number from 0 to 47 once, but it contains 8 twice' \
    -a80 $atom --permutation='(4,4,3):(1,8,4),_,_'
refused 'modes that CuTe does not divide' 2 'CuTe cannot divide the permutation (12,4):(4,1) along M into atoms of size 16: its first mode has size 12, which neither divides 16 nor is a multiple of 16' \
    -a80 $atom --permutation='(12,4):(4,1),_,_'
refused 'modes that three atoms do not divide' 2 'along M into atoms of size 16: its first mode has size 24, which neither divides 16 nor is a multiple of 16' \
    -a80 $atom --atom-layout=3 --permutation='(24,2):(2,1),_,_'
refused 'a permutation of size 0' 2 "CuTe's notation: a mode has size 0; examples: " -a80 $atom --permutation=0,1,1
refused 'an atom layout of four modes' 2 "'1,2,3,4' is not a valid atom layout in CuTe's notation: there are too many modes; examples: (2,2,1):(2,1,0)" -a80 $atom --atom-layout=1,2,3,4
refused 'a permutation of four modes' 2 "'1,2,3,4' is not a valid permutation of M, N and K in CuTe's notation: there are more than three, for M, N and K; examples: " -a80 $atom --permutation=1,2,3,4
refused 'what CuTe does not divide' 2 'the permutation has size 5 along N; this size must be a multiple of 8, because there is 1 atom of size 8 along N' \
    -a80 $atom --permutation=16,5,16
refused 'a tile that atoms do not fill' 2 'the permutation has size 40 along M; this size must be a multiple of 16' -a80 $atom --permutation=40
refused 'too many threads' 2 'with 32 threads each exceed the limit of 1024 threads in a block' -a80 $atom --atom-layout=64
refused 'a tile that is too large' 2 'is too large' -a80 $atom --permutation=65536,65536
refused 'a question outside of the tile' 2 'has no row 32; the last one is row 31' -a80 $atom --atom-layout=2 --at=32,0

# D has no mode K; a tile that is smaller than two atoms is held by both.
show -a80 $atom --permutation=16,8,5 --brief
ok 'D for any K' is "$status" 0
show -a80 $atom --atom-layout=2 --permutation=16 --at=0,0
ok 'both atoms hold the same' is "$status $(grep -o 'tid *[0-9]*' "$folder/out" | tr -d ' ' | tr '\n' ' ')" '0 tid0 tid32 '

# 300 blanks more than one needs.
run -a80 mma.m16n8k16.d.f32 --permutation="32,$(printf '%300s' '')32,_"
ok 'what a tile is made by is not cut' is "$(tr -d '\n' < "$folder/out" | grep -c '# tiled by permutation 32,[ #]*32,_#')" 1

# Against what CuTe's C++ headers made of random tilings, and their algebra in Python, where it is
# there.
python3 "$here/cute_headers.py" --recorded "$MAPPING" "$here/tilings.txt" > "$folder/cute"
status=$?
ok_with python3 "CuTe's headers give the same $(grep -c ^ok "$folder/cute") times" is "$status $(grep -A1 '^not ok' "$folder/cute")" '0 '
python3 "$here/tiled_copies.py" --recorded "$MAPPING" "$here/tiled_copies.txt" > "$folder/copies"
status=$?
ok_with python3 "CuTe's headers make the same $(grep -c ^ok "$folder/copies") copies" is "$status $(grep -A1 '^not ok' "$folder/copies")" '0 '
if python3 -c 'from pycute import Layout, tiled_product, zipped_divide' 2> /dev/null; then
    python3 "$here/cute_test.py" "$MAPPING" > "$folder/cute"
    status=$?
    ok "CuTe gives the same $(grep -c ^ok "$folder/cute") times" is "$status $(grep -c '^not ok' "$folder/cute")" '0 0'
elif python3 -c 'import pycute' 2> /dev/null; then
    skip 'CuTe gives the same: the installed pycute is not that of CUTLASS' pycute
else
    skip 'CuTe gives the same' pycute
fi
finish
