#!/bin/sh
# --at and --thread. The answers are read off the tables of the first tool, report/seed/, and the PTX ISA.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
show() { run --source=recorded "$@"; }
# What is in each answer of the kind "tid  3, i  2: row  8, col  6", as FIRST:SECOND of what is behind the colon.
pairs() { tail -n +3 "$folder/out" | sed 's/.*: [a-z]* *\([0-9]*\), [a-z]* *\([0-9]*\).*/\1:\2/' | tr '\n' ' '; }

show -a 70 --at=3,5
ok 'who holds row 3, column 5' is "$status $(lines_from 3)" '0 row  3, col  5: tid  1, i  7;'
show -a 70 --at=15,0-2
ok 'a range of columns' is "$(lines_from 3)" \
    'row 15, col  0: tid 21, i  2;row 15, col  1: tid 21, i  3;row 15, col  2: tid 23, i  2;'
show -a 75 --at='0,*'
ok 'a whole row' is "$(pairs)" '0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1 0:4 0:5 1:4 1:5 2:4 2:5 3:4 3:5 '
show -a 75 --thread=31
ok 'what thread 31 holds' is "$(pairs)" '7:6 7:7 15:6 15:7 7:14 7:15 15:14 15:15 '
show -a 75 --thread=4-5,1
ok 'element 1 of two threads' is "$(lines_from 3)" 'tid  4, i  1: row  1, col  1;tid  5, i  1: row  1, col  3;'
show -a 75 --at=0,0 wmma.m16n16k16.a.row.f16
ok 'all copies' is "$(lines_from 3)" \
    'row  0, col  0: tid  0, i  0 (copy 0);row  0, col  0: tid  0, i  8 (copy 1);'
run --source=isa --arch=70 mma.m8n8k4.d.f16 --at=2,0,5
ok 'an element of a block' is "$status $(last)" '0 block 2, row  0, col  5: tid  8, i  5'
run --source=isa --arch=70 mma.m8n8k4.d.f16 --at=0,5
ok 'of all blocks, where none is named' is "$status $(tail -n 4 "$folder/out" | sed 's/, .*//' | tr '\n' ' ')" \
    '0 block 0 block 1 block 2 block 3 '
run --source=isa --arch=80 mma.sp.m16n8k16.e.f16 --at=8,0
ok 'metadata by selector' is "$status $(grep '^row' "$folder/out" | sed 's/.*tid/tid/' | tr '\n' ';')" \
"0 tid  0, i  8 (selector 0);tid  1, i  8 (selector 1);tid  2, i  8 (selector 2);tid  3, i  8 (selector 3);"
run --arch=80 --source=isa 'mma.m16n8k16.*.f16' --thread=0,0
ok 'a question about several fragments' is "$status $(count '^tid  0, i  0: row  0, col  0$')" '0 4'

# What does not exist.
asked() {
    name=$1 sentence=$2
    shift 2
    refused "$name" 2 "$sentence" -a80 --source=recorded "$@"
}
asked 'a row that is not there' 'wmma.m16n16k16.d.f32 has no row 16, only 0 to 15' --at=16,0
asked 'a column that is not there' 'wmma.m16n16k16.d.f32 has no column 20, only 0 to 15' --at=0,3-20
asked 'a thread that is not there' 'has no thread 32, only 0 to 31' --thread=32
asked 'an element of a thread that is not there' 'has no element of that number, only 0 to 7' --thread=3,99999999999
refused 'a block of one matrix' 2 'mma.m16n8k16.d.f32 has no more than ROW,COL to ask for' \
    -a80 mma.m16n8k16.d.f32 --at=0,0,0
refused 'a block that is not there' 2 'mma.m8n8k4.d.f16 has no block 4, only 0 to 3' \
    -a70 mma.m8n8k4.d.f16 --at=4,0,0
# ---- As people write it ----

show -a 70 --at=9,5
cp "$folder/out" "$folder/plain"
for at in '(9, 5)' '(9,5)' ' 9 , 5 ' '( 9,5 )'; do
    show -a 70 --at="$at"
    ok "--at='$at'" cmp "$folder/plain" "$folder/out"
done
for at in '(9,5' '9,5)' '()' '(9,5))' '((9,5))' '9;5' '9 5' '(9,,5)'; do
    asked "--at='$at'" "'$at' is no element; --at takes ROW,COL" --at="$at"
done
asked 'a number that is too large' 'wmma.m16n16k16.d.f32 has no row of that number, only 0 to 15' --at=99999999999999999999,0
show -a 70 --thread=3,1
cp "$folder/out" "$folder/plain"
for option in --tid=3,1 --lane=3,1 '--tid=(3, 1)'; do
    show -a 70 "$option"
    ok "$option" cmp "$folder/plain" "$folder/out"
done

refused 'the only element there is' 2 'mma.m8n8k4.a.f64 has no element 9, only 0' -a80 mma.m8n8k4.a.f64 --thread=0,9
# Layouts without an inverse: no question, action or format ends with a signal, and all say what is wrong.
for subject in '--arch=100 tcgen05.shift.31x256b.d.b32' '--arch=103 tcgen05.mma.m128k96.sfa.3x.ue8m0' \
    '--arch=103 tcgen05.mma.cta2.m256n64k96.sfb.6x.ue4m3' '(128,64):(4096,1)' '(8,8):(256,1)'; do
    wrong=
    for asked in --brief --detail --at=0,0 --offset=1 --lane=3 --verify=row=0 --verify=row=offset --verify=col=lane \
        --style=short --order --cells --store=cp.async; do
        for format in text json csv markdown cuda cute triton svg html tikz; do
            # shellcheck disable=SC2086 # words
            run $asked --format=$format $subject
            [ "$status" -le 4 ] && { [ "$status" -lt 2 ] || [ "$status" -eq 4 ] || says 'mapping: ' "$folder/err"; } &&
                ! grep -q 'there are:$' "$folder/err" || wrong="$wrong $asked-$format:$status"
        done
    done
    ok "without an inverse: $subject" is "$wrong" ''
done
run --at=0,0 --format=markdown '(128,64):(4096,1)'
ok 'and the answer is there' is "$(last)" '| 0 | 0 | 0 | 0 |'
finish
