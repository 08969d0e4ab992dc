#!/bin/sh
# --diff: lists differences between architectures first, then counts the fragments that only one of them has. The
# layouts that differ between Volta and Turing in report/seed/, which another tool printed, differ here, too.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
diff_of() {
    archs=$1
    shift
    run --diff="$archs" --source=recorded "$@"
}

# ---- Differences ----

diff_of sm_70,turing --type=half
expected="wmma.m16n16k16.d.f16; \
sm_70 Row: (tid & 3) + ((tid & 4) << 1) + ((tid & 16) >> 2); Col: (i & 7) + (tid & 8); \
sm_75 Row: ((i & 2) << 2) + ((tid & 28) >> 2); Col: (i & 1) + ((i & 4) << 1) + ((tid & 3) << 1);"
ok '--diff' is "$status $(grep -A4 '^wmma.m16n16k16.d.f16' "$folder/out" | tr -s ' ' | tr '\n' ';')" "1 $expected"
ok 'the sum comes first' is "$(line)" '# sm_70 and sm_75: 0 fragments are the same, 18 differ'
ok 'then what differs' is "$(line 2)" wmma.m16n16k16.a.row.f16
diff_of 80,90 'wmma.*'
all=$("$MAPPING" --list --arch=80 'wmma.*' | wc -l)
ok '--diff of the same' is "$status $(cat "$folder/out")" \
    "0 # sm_80 and sm_90: $all fragments are the same, 0 differ"
diff_of 75,80 wmma.m16n16k16.d.f32
ok '--diff of one fragment' is "$status $(cat "$folder/out")" \
    '0 # sm_75 and sm_80: 1 fragment is the same, 0 differ'
diff_of 75,75 wmma.m16n16k16.d.f32
ok '--diff of one architecture with itself' is "$status $(cat "$folder/out")" \
    '0 # sm_75 and sm_75: 1 fragment is the same, 0 differ'

# ---- What only one architecture has ----

# sm_75 has ten fragments of wmma more than sm_72: A and B of s4, u4 and b1, and C and D of two shapes.
diff_of 72,75 'wmma.*'
grep '^wmma' "$folder/out" > "$folder/differ"
ok 'what only one has is a count in the second line' is "$status $(line 2)" '1 # fragments that only sm_75 has: 10; --verbose lists them'
ok 'and nothing of it is listed' is "$(count 'only on sm_75$')" 0
cp "$folder/out" "$folder/brief"
diff_of 72,75 'wmma.*' --verbose
ok '--verbose lists them' is "$status $(count 'only on sm_75$') $(line 2)" '1 10 # fragments that only sm_75 has: 10'
ok 'behind what differs' is "$(grep '^wmma' "$folder/out" | head -n "$(wc -l < "$folder/differ")")" \
    "$(cat "$folder/differ")"
sed -n 's/: only on sm_75$//p' "$folder/out" > "$folder/only"
"$MAPPING" --list -a75 'wmma.*' | cut -d' ' -f1 > "$folder/75"
"$MAPPING" --list -a72 'wmma.*' | cut -d' ' -f1 | grep -vxFf - "$folder/75" > "$folder/expected"
ok 'they are what --list has of one alone' cmp "$folder/only" "$folder/expected"
diff_of 75,72 'wmma.*'
ok 'the other way round' is "$status $(line 2)" '1 # fragments that only sm_75 has: 10; --verbose lists them'
diff_of 72,75 --type=s4
ok 'status 1 also if nothing else differs' is "$status $(lines_from 1)" \
    '1 # sm_72 and sm_75: 0 fragments are the same, 0 differ;# fragments that only sm_75 has: 2; --verbose lists them;'
ok 'and nothing on standard error' empty "$folder/err"

# ---- Formats ----

diff_of 72,75 --format=csv --type=s4
ok 'CSV without what only one has' is "$status $(cat "$folder/out")" '1 fragment,arch,row,col'
diff_of 72,75 --format=csv --type=s4 --verbose
ok '--diff where only one has it, as CSV' is "$status $(grep -c '^wmma.*,sm_72,,$' "$folder/out")" '1 2'
ok '--diff where only one has it: nothing on standard error' empty "$folder/err"
run --diff=75,90 --source=isa --format=csv --verbose 'stmatrix.m8n8.x2.r.b16'
ok '--diff in CSV has blocks' is "$(last)" \
    'stmatrix.m8n8.x2.r.b16,sm_90,((tid & 28) >> 2),(i & 1) + ((tid & 3) << 1),((i & 2) >> 1)'
diff_of 72,75 --format=json --type=s4
ok 'JSON has the counts' is "$status $(grep -o '"only":{[^}]*}' "$folder/out")" '1 "only":{"sm_72":0,"sm_75":2}'
ok 'and nothing in the list' is "$(grep -o '"different":.*' "$folder/out")" '"different":[]}'
diff_of 72,75 --format=json 'wmma.*'
ok 'the same of all wmma' is "$(grep -o '"only":{[^}]*}' "$folder/out")" '"only":{"sm_72":0,"sm_75":10}'
diff_of 72,75 --format=json --type=s4 --verbose
ok 'with --verbose it is there' is "$status $(count '{"fragment":"wmma.m8n8k32.[ab].*"sm_72":null')" '1 2'
diff_of 72,75 --format=markdown --type=s4
ok 'Markdown has the counts' is "$status $(last)" '1 Fragments that only sm_75 has: 2; --verbose lists them.'
diff_of 72,75 --format=markdown --type=s4 --verbose
ok 'with --verbose the rows' is "$status $(count '^| .wmma.* | sm_72 | not available | |$')" '1 2'
# ---- What multiplies out of shared memory, wgmma (PTX ISA: sm_90a alone), tcgen05.mma (sm_100a, 103a, 110a) ----

run --diff=sm_100,sm_103 tcgen05.mma.m128n64k32.d.s32 # .kind::i8, which sm_103 does not have
ok 'what one has more of the same is not replaced' is "$status $(count replace) $(count 'fragments that only sm_100 has: 1')" '1 0 1'
of_100='# only sm_90 has wgmma; sm_100 has tcgen05.mma instead:;'\
'# one thread issues the MMA; A is in shared memory or Tensor Memory,;'\
'# B is in shared memory, D is in Tensor Memory; a warpgroup reads D with;'\
'# tcgen05.ld, 32 lanes per warp; --detail of a tcgen05.mma fragment shows more;'
replaced() {
    tail -n 4 "$folder/out" | tr '\n' ';'
}
for archs in sm_90,sm_100 sm_100,sm_90; do
    run --diff=$archs
    ok "--diff=$archs says what replaces wgmma" is "$status $(replaced)" "1 $of_100"
done
for arch in 103 110; do
    run --diff=sm_90,sm_$arch
    ok "so does that of sm_$arch" is "$(replaced)" "$(echo "$of_100" | sed "s/sm_100/sm_$arch/")"
done
run --diff=sm_90,sm_120
ok 'sm_120 has nothing in its place' is "$(last)" \
    '# only sm_90 has wgmma; on sm_120, use mma, with all operands in registers'
run --diff=sm_120,sm_100
ok 'nor for tcgen05.mma' is "$(last)" \
    '# only sm_100 has tcgen05.mma; on sm_120, use mma, with all operands in registers'
run --diff=sm_100,sm_110
ok 'nothing is said where both have the same' is "$(count "replaces\|use mma")" 0
run --diff=sm_90,sm_100 'wmma.*'
ok 'or where it is not asked for' is "$(count "replaces\|use mma")" 0
run --diff=sm_90,sm_120 --format=json
ok 'as JSON' says '"replaced":{"sm_90":"wgmma","sm_120":null}' "$folder/out"
run --diff=sm_90,sm_100 --format=markdown
ok 'as Markdown' is "$(replaced)" "$(echo "$of_100" | sed 's/# //g; s/;$/.;/')"

finish
