#!/bin/sh
# Text: wide grids are split to fit a terminal, but not in a pipe. color.t tests the rest of the output on a terminal;
# report/seed.t, command/show.t and report/records_test.c test the other content.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES= NO_COLOR=1 PAGER=cat
# in_terminal COLUMNS ARGUMENT...: runs the program in a terminal with that many columns.
in_terminal() {
    columns=$1
    shift
    script -qec "stty cols $columns; '$MAPPING' --source=recorded --arch=75 $*" /dev/null < /dev/null |
        tr -d '\r' > "$folder/out"
}
if has script; then
    in_terminal 80 wmma.m8n32k16.d.f32 wmma.m8n8k128.a.row.b1 --whole
    ok 'in a terminal 80 wide no line is wider' is "$(grep -v '^#' "$folder/out" | grep -c '.\{81\}')" 0
    ok 'columns are numbered there' is "$(count '^ *|  *16  *17  *18 .* 31 *$')" 4
    ok 'each grid has a label, and the second stands below' is "$(grep -n '^ *Element$\|^ *Thread$' "$folder/out" | wc -l)" 4
    in_terminal 80 wmma.m32n8k16.d.f32
    ok 'two that fit stand side by side' is "$(count '^ *Element *Thread$')" 1
    in_terminal 80 wmma.m16n16k16.d.f32 --at=0,0
    ok 'an answer comes first, with one line of evidence' is "$(sed 's/^row .*/answer/; s/recorded: .*/recorded/' "$folder/out" | tr '\n' ';')" \
        'answer;# wmma.m16n16k16.d.f32 on sm_75;# source: recorded;'
    in_terminal 250 wmma.m8n32k16.d.f32
    ok 'in a wide one nothing is split' is "$(count '^   |  8')" 0
else
    skip 'in a terminal 80 wide no line is wider' script
fi
run --source=recorded -a 75 wmma.m8n32k16.d.f32
ok 'in a pipe nothing is split' is "$(count '^columns') $(count '|')" '0 0'
finish
