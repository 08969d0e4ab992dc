#!/bin/sh
# --verify. Verdicts and numbers of wrong entries are counted by hand from the tables of report/seed/ and from the rules
# of the PTX ISA (row = groupID or groupID + 8, col = threadID_in_group * 2 + (i & 1)).
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
verify() { run --arch=80 "$@"; }
d=mma.m16n8k16.d.f32
# The lines after those on top.
verdict() { grep -v '^#' "$folder/out" | tr '\n' ';'; }

# ---- Right ----

verify $d --verify='row = lane / 4 + 8 * (i / 2); col = lane % 4 * 2 + i % 2'
ok 'both formulae are right' is "$status $(verdict)" \
    '0 Row: right at all 128 entries;Col: right at all 128 entries;'
ok 'the lines on top say of what' says '# mma.m16n8k16.d.f32 on sm_80' "$folder/out"
verify $d --verify='g = lane >> 2' --verify='row = g + (i < 2 ? 0 : 8)'
ok 'one axis, in several texts' is "$status $(verdict)" '0 Row: right at all 128 entries;'
verify mma.m16n8k16.b.f16 --verify='lane = col * 4 + row % 8 / 2; i = row / 8 * 2 + row % 2;'
ok 'the inverse' is "$status $(verdict)" '0 Tid: right at all 128 entries;I: right at all 128 entries;'
run --arch=75 --source=recorded --brief
formulae=$(sed -n '/^Row/,/^Col/p' "$folder/out")
run --arch=75 --source=recorded --verify="$formulae"
ok 'formulae as they are printed' is "$status $(verdict)" \
    '0 Row: right at all 256 entries;Col: right at all 256 entries;'
run --arch=70 mma.m8n8k4.d.f16 --verify='block = (tid & 12) >> 2; row = (tid & 3) + tid / 16 * 4; col = i'
ok 'a fragment of several blocks' is "$status $(count right)" '0 3'
verify 'mma.m16n8k16.*.f16' --operand=d --verify='row = tid / 4 + i / 2 * 8'
ok 'a pattern' is "$status $(count right)" '0 1'
verify --arch=sm_75,sm_80 --source=recorded --verify='row = (i & 2) * 4 + tid / 4'
ok 'on several architectures' is "$status $(count 'right at all 256')" '0 2'

run --arch=90 wgmma.m64n64k16.d.f32 --verify='row = (threadIdx.x / 32) * 16 + lane / 4 + 8 * (i / 2 % 2)'
ok 'of a warpgroup, lane is the thread in its warp' is "$status $(verdict)" '0 Row: right at all 4096 entries;'
run --arch=90 wgmma.m64n64k16.d.f32 --verify='row = warp_id * 16 + laneid / 4; if (i & 2) row += 8;'
ok 'the warp, and a condition' is "$status $(verdict)" '0 Row: right at all 4096 entries;'
run --arch=90 wgmma.m64n64k16.d.f32 --verify='row = lane / 32 * 16 + lane % 32 / 4 + 8 * (i / 2 % 2)'
ok 'lane never reaches 32' is "$status $(count '^Row: wrong at 3072 of 4096 entries$')" '1 1'
run --arch=all mma.m16n8k16.d.f32 --verify='row = lane / 4'
ok 'where some architectures lack it, nothing is said of them' is "$status $(wc -c < "$folder/err")" '1 0'

# ---- Wrong ----

# Elements 1 and 2 have each other's place: wrong at 2 of the 4 elements of each of 32 threads.
verify $d --verify='row = lane / 4 + 8 * (i % 2); col = lane % 4 * 2 + i / 2'
ok 'wrong, and how often' is "$status $(verdict)" "1 Row: wrong at 64 of 128 entries;\
  tid  0, i  1: formula gives 8, correct value is 0;  tid  0, i  2: formula gives 0, correct value is 8;  tid  1, i  1: formula gives 8, correct value is 0;\
Col: wrong at 64 of 128 entries;\
  tid  0, i  1: formula gives 0, correct value is 1;  tid  0, i  2: formula gives 1, correct value is 0;  tid  1, i  1: formula gives 2, correct value is 3;\
The formulae are right if elements 1 and 2 are exchanged.;"
verify mma.m16n8k16.a.f16 --verify='row = tid / 4 + i / 4 * 8; col = tid % 4 * 2 + i % 2 + i / 2 % 2 * 8'
ok 'an order of registers' is "$status $(count '^The formulae are right if bits 1 and 2 of i are exchanged.$')" '1 1'
run -a80 mma.m16n8k16.d.f32 --verify='int j = i < 2 ? 1 - i : i; row = lane / 4 + j / 2 * 8; col = lane % 4 * 2 + j % 2'
ok 'the first two of them' is "$status $(last)" '1 The formulae are right if elements 0 and 1 are exchanged.'
verify $d --verify='row = tid / 4 + (3 - i) / 2 * 8; col = tid % 4 * 2 + (3 - i) % 2'
ok 'all elements in another order' is "$status $(count '^The formulae are right if i is replaced by p.i., p = 3 2 1 0.$')" '1 1'
verify mma.m16n8k16.b.f16 --verify='row = lane / 4; col = lane % 4 * 2 + i % 2 + i / 2 * 8'
ok 'the transpose' is "$status $(count '^The formulae are right if row and column are exchanged.$')" '1 1'
verify $d --verify='row = lane % 4 * 2 + i % 2'
ok 'the transpose of one axis' is "$status $(count '^The formula is right if row and column are exchanged.$')" '1 1'
# C computes lane % 4 * 2 + i & 1 as (lane % 4 * 2 + i) & 1, and lane >> 2 + 8 as lane >> (2 + 8).
parentheses='right if & ^ | << >> are in parentheses: in C, a + b & c is (a + b) & c.'
for formulae in 'row = lane / 4 + i / 2 * 8; col = lane % 4 * 2 + i & 1' 'row = lane >> 2 + ((i & 2) << 2); col = lane % 4 * 2 + i % 2' \
    'row = (i & 2) * 4 + lane >> 2' 'tid = row % 8 << 2 | col >> 1; i = row >> 3 << 1 + col & 1' 'row = i & 2 == 0 ? lane / 4 : lane / 4 + 8'; do
    verify mma.m16n8k16.d.f32 -a80 --verify="$formulae"
    ok "$formulae" is "$status $(last | sed 's/^The formula.* \(are\|is\) right/right/')" "1 $parentheses"
done
verify '(64,64):(72,1)' --load=mma.m16n8k16.a.f16 --with=ldmatrix.x4 --verify='offset = lane % 16 * 72 + lane >> 4 << 3'
ok 'the addresses of a load' is "$status $(last)" "1 The formula is $parentheses"
verify mma.m16n8k16.d.f32 -a80 --verify='row = lane / 4 + 8 * (i >> 1 & 1); col = lane & 3'
ok 'parentheses that change nothing' fails says 'parentheses' "$folder/out"
verify mma.m16n8k16.d.f32 -a80 --verify='col = lane % 4 * 2 | i & 1; row = lane / 4 | i << 2 & 8'
ok 'operators of bits that need none' is "$status $(count 'right at all 128')" '0 2'
# On sm_70 the accumulator has another layout: that of Turing's formulae, and of B.
run --arch=70 --source=recorded --verify='row = tid / 4 + (i & 2) * 4; col = i % 2 + i / 4 * 8 + tid % 4 * 2'
ok 'another architecture comes first' is "$status $(grep -A1 '^The formulae are right for' "$folder/out" | head -n 1)" \
    '1 The formulae are right for wmma.m16n16k16.{d,c}.{f32,f16} on sm_75 to sm_121,'
verify mma.m16n8k16.a.f16 --verify='Row: return (i & 1) + ((i & 2) << 2) + ((tid & 3) << 1);' --verbose
ok 'another operand' says 'wmma.m16n16k16.b.row.f16' "$folder/out"
verify wmma.m16n16k16.a.row.f16 --verify='tid = row % 8 * 4 + col / 2 % 4; i = row / 8 * 2 + col % 2 + col / 8 * 4'
ok 'one copy of two' is "$status $(count '^The formulae are right if only copy 0 of each element is needed.$')" '1 1'

verify wmma.m16n16k16.a.row.f16 --verify='row=lane/4+8*(i>=2); col=lane%4*2+(i&1)' --verbose
ok 'a fragment with fewer elements' is "$status $(sed -n '/^The formulae are right for/,$p' "$folder/out" | grep -c 'mma.m16n8k16.d.f32')" '1 1'
verify $d --verify='row = lane * 7 + i * 5'
ok 'right for none' is "$status $(last)" \
    "1 The formula is right for none of the $("$MAPPING" --list --arch=all -fjson | grep -c '"fragment"') fragments of the catalogue."

# Mistakes that were found in public kernels.
run --arch=75 mma.m8n8k16.a.s8 --verify='row = lane / 4; col = lane % 4 * 4 + i % 4'
ok 'eight bits on Turing, as it is right' is "$status $(count right)" '0 2'
run --arch=75 mma.m8n8k16.a.s8 --verify='row = lane / 4; col = lane % 4 * 2 + i % 2'
ok 'half of K twice' is "$status $(verdict | sed 's/;  .*//')" '1 Row: right at all 128 entries;Col: wrong at 112 of 128 entries'
verify $d --verify='col = i % 16'
ok 'a bias indexed with i % 16' is "$status $(verdict | cut -d';' -f1)" '1 Col: wrong at 96 of 128 entries'
verify mma.sp.m16n8k32.a.f16 --verify='row = lane / 4 + i / 2 * 8'
ok 'rows beyond the tile' is "$status $(count 'formula gives 24, correct value is 8')" '1 1'

# ---- JSON ----

verify $d --format=json --verify='row = lane / 4 + 8 * (i % 2)'
ok_with python3 'JSON' python3 -c '
import json, sys
said = json.load(open(sys.argv[1]))
assert said["fragment"] == "mma.m16n8k16.d.f32" and said["arch"] == "sm_80"
verdict, = said["verdicts"]
assert verdict == {"axis": "row", "entries": 128, "wrong": 64, "first": [
    {"tid": 0, "i": 1, "says": 8, "is": 0}, {"tid": 0, "i": 2, "says": 0, "is": 8},
    {"tid": 1, "i": 1, "says": 8, "is": 0}]}, verdict
assert "elements 1 and 2 are exchanged" in said["right_for"]
' "$folder/out"
verify $d --format=json --verify='row = 0 - 8'
ok 'JSON of a negative value' says '"says":-8,"is":0' "$folder/out"

# ---- Refused ----

refused_lines() { # like `refused`, where a caret stands below the sentence
    name=$1 expected=$2 sentence=$3
    shift 3
    run "$@"
    ok "$name" caret_as_expected
}
caret_as_expected() {
    is "$status" "$expected" && empty "$folder/out" && is "$(wc -l < "$folder/err")" 3 &&
        says 'mapping: ' "$folder/err" && says "$sentence" "$folder/err" && grep -q '^ *^' "$folder/err"
}
refused_lines 'a syntax error' 2 "expected ')'" -a80 $d --verify='row = (tid / 4'
refused_lines 'an unknown name' 2 "unknown name 'wrap'; known names are tid (or lane" -a80 $d --verify='row = wrap / 4'
refused_lines 'an axis of the other side' 2 "element); col is not an input of this formula:" -a80 $d --verify='row = col'
refused_lines 'division by zero' 2 'at thread 0, element 0, this divides by zero' -a80 $d --verify='row = 4 / i'
refused_lines 'overflow' 2 'at thread 1, element 0, this overflows' -a80 $d --verify='row = tid * 2147483647 * 2'
refused 'nothing about the fragment' 2 '--verify needs a formula for row, col, tid or i' -a80 $d --verify='x = 3'
refused 'an expression alone' 2 'does not say what it computes: row, col, tid or i' -a80 $d --verify='tid / 4'
refused 'with a question' 2 '--verify and --at cannot be combined; give only one of them' -a80 $d --verify='row = 1' --at=0,0
refused 'as CSV' 2 '--verify does not support --format=csv; use text or json' -a80 $d --verify='row = 1' --format=csv
refused 'with --check' 2 '--verify and --check cannot be combined; give only one of them' -a80 $d --verify='row = 1' --check

# Texts that are not C; and texts that are C, though rarely written.
refused_lines 'three parts of an index' 2 "unknown name 'threadIdx.y'" -a80 $d --verify='row = threadIdx.y'
refused_lines 'a number of more than 64 bits' 2 'larger than 64 bits' -a80 $d --verify='row = 99999999999999999999'
refused_lines 'unsigned twice' 2 'not a C integer' -a80 $d --verify='row = 1uu'
refused_lines 'long three times' 2 'not a C integer' -a80 $d --verify='row = 1lll'
refused_lines 'a cast that is not closed' 2 "expected ')'" -a80 $d --verify='row = static_cast<int>(lane'
refused_lines 'a cast to no type' 2 "expected a type, such as '<int>'" -a80 $d --verify='row = static_cast<foo>(lane)'
refused_lines 'a cast without brackets' 2 "expected a type, such as '<int>'" -a80 $d --verify='row = static_cast int(lane)'
refused_lines 'a comment without an end' 2 "expected a number, a name or '('" -a80 $d --verify='row = lane /* no end'
refused_lines 'a digit separator at the end' 2 "expected an operator, ';' or the end" -a80 $d --verify="row = 1'"
for formula in 'static const int rows = 8; row = lane / 4 + rows * (i / 2)' 'row = (signed long) lane / 4 + 8 * (i / 2)' \
    "row = lane / 0b1'00 + 010 * (i / 2ul)" 'row = /* of T0 */ lane / 4 + 8ll * (i / 2) // and all' 'volatile int row = lane / 4 + 8 * (i / 2)'; do
    run -a80 $d --verify="$formula"
    ok "the same rule: $formula" is "$status" 0
done

# Several elements in another order: of 32 the first 16 are said; a cycle of three of them; in JSON, several verdicts.
run --arch=90 wgmma.m64n64k16.d.f32 --verify='int j = 31 - i; row = tid / 32 * 16 + lane / 4 + j / 2 % 2 * 8; col = tid % 4 * 2 + j % 2 + j / 4 * 8'
ok 'many elements in another order' is "$status $(last)" \
    '1 The formulae are right if i is replaced by p[i], p = 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0.'
verify $d --verify='int j = i < 3 ? (i + 1) % 3 : 3; row = lane / 4 + 8 * (j / 2); col = lane % 4 * 2 + j % 2'
ok 'three that are moved on by one' is "$status $(last)" '1 The formulae are right if i is replaced by p[i], p = 2 0 1 3.'
run --arch=80 wmma.m16n16k16.a.row.f16 --verify='tid = 0; i = 0'
ok 'an inverse that is right for no copy' is "$status $(count '^Right if') $(count '^Tid: wrong at 496 of 512')" '1 0 1'
run --arch=75,80 mma.m16n8k8.d.f32 --verify='row = tid / 4 + i / 2 * 8' --format=json
ok 'as JSON, several are a list' is "$status $(tr -d '\n' < "$folder/out" | sed 's/"source":{[^}]*}[^}]*},//g')" \
    '0 [{"kind":"verify","arch":"sm_75","fragment":"mma.m16n8k8.d.f32",  "verdicts":[  {"axis":"row","entries":128,"wrong":0,"first":[]}], "right_for":[]},'\
'{"kind":"verify","arch":"sm_80","fragment":"mma.m16n8k8.d.f32",  "verdicts":[  {"axis":"row","entries":128,"wrong":0,"first":[]}], "right_for":[]}]'
refused_lines 'a division by zero in the third element' 2 'at thread 0, element 2, this divides by zero' -a80 $d --verify='col = i < 2 ? tid : tid / (i - 2)'
run --verify='offset = row * 4096 + col' '(128,64):(4096,1)'
ok 'where elements are is checked' is "$status" 0
finish
