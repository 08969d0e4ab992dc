#!/bin/sh
# --map. Each map comes from a known layout, so the test knows what it must equal. Formulae are derived by hand, and all
# but the short ones are evaluated by awk at every entry.
#
# Expected values: by hand; the code in NVIDIA's talk on Volta's tensor cores (GTC 2019); --format=csv of fragments.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
map=$folder/map.csv
formulae() { grep '^[A-Z][a-z]*: ' "$folder/out" | tr '\n' ' '; }
same() { sed -n '/^\(The same as\|No known\)/,$p' "$folder/out" | tr '\n' ' '; }

# ---- The permuted tile of NVIDIA's talk on Volta (GTC 2019): int bank = ((c << 1) & 4) | s ^ smem_row ----

awk 'BEGIN { print "c,s,row,bank"
    for (c = 0; c < 8; c++) for (s = 0; s < 4; s++) {
        row = c % 2 + int(c / 4) * 2
        low = 0 # s ^ row, bit by bit
        for (bit = 1; bit < 4; bit *= 2) low += (int(s / bit) + int(row / bit)) % 2 * bit
        print c "," s "," row "," int(c / 2) % 2 * 4 + low } }' > "$map"
run --map="$map" --outputs=row,bank
ok 'the permuted tile has a formula' is "$status $(formulae)" \
    '0 Row: return (c & 1) + ((c & 4) >> 1); Bank: return (c & 1) ^ ((c & 2) << 1) ^ ((c & 4) >> 1) ^ (s & 3); C: return (row & 1) + ((row & 2) << 1) + ((bank & 4) >> 1); S: return (row & 3) ^ (bank & 3); '
refused 'without --outputs the bank is an input' 2 'the table is incomplete: it has no entry for c 0, s 0, bank 1; its inputs are c, s, bank' --map="$map"
cut -d, -f1-3 "$map" > "$folder/row.csv"
(cd "$folder" && "$MAPPING" --map=row.csv) > "$folder/near"
run --map="$folder/row.csv"
ok 'a file of this folder' cmp "$folder/near" "$folder/out"
ok 'the row of it' is "$status $(formulae)" '0 Row: return (c & 1) + ((c & 4) >> 1); C: return (row & 1) + ((row & 2) << 1) + ((copy & 4) >> 1); S: return (copy & 3); '
run --map="$folder/row.csv" --format=json
ok 'JSON' says '{"kind":"map","file":"row.csv","inputs":["c","s"],' "$folder/out"
ok 'JSON has what is the same' says '"same":[]' "$folder/out"

# ---- Any map ----

printf 'x,offset\n0,3\n1,4\n2,7\n3,8\n' > "$map"
run --map="$map"
ok 'a constant' is "$status $(formulae)" '0 Offset: return 3 + (x & 1) + ((x & 2) << 1); '
# Random numbers by the method of Park and Miller, because rand() differs between versions of awk.
awk 'BEGIN { print "a,b,offset"; x = 7
    for (a = 0; a < 16; a++) for (b = 0; b < 16; b++) { x = x * 16807 % 2147483647; print a "," b "," int(x / 8388608) } }' > "$map"
run --map="$map"
ok 'a random map has no formula' is "$status $(formulae)" \
    '4 Offset: no formula: the value is not a sum or XOR of masked and shifted a and b '
ok 'and is the same as nothing' is "$(same)" 'No known fragment, tile or memory layout is the same. '
nothing_like() { # NAME TABLE ARGUMENT...: the same as nothing, since an offset alone is one of memory, and tiles have up to 1,024 threads
    name=$1
    printf '%s\n' "$2" > "$folder/unlike.csv"
    shift 2
    run --map="$folder/unlike.csv" "$@"
    ok "$name" is "$status $(same)" '0 No known fragment, tile or memory layout is the same. '
}
nothing_like 'a column alone' "$(printf 'x,col\n0,0\n1,1\n2,2\n3,3')"
nothing_like 'a row alone' "$(printf 'x,row\n0,0\n1,1\n2,2\n3,3')"
nothing_like 'a thread of a place' "$(printf 'row,tid\n0,0\n1,1')" --outputs=tid
nothing_like '2,048 threads' "$(awk 'BEGIN { print "tid,row,col"; for (t = 0; t < 2048; t++) print t "," int(t / 8) "," t % 8 }')"
awk 'BEGIN { print "i,tid,row,col"; for (i = 0; i < 2; i++) for (t = 0; t < 32; t++) print i "," t "," int(t / 4) "," t % 4 * 2 + i }' > "$map.i"
run --map="$map.i"
ok 'the element before the thread' says 'The same as wmma.{m8n8k32,m8n8k128}.{c,d}.s32, ' "$folder/out"
run --map="$map" --format=markdown
ok 'as Markdown too' is "$(last)" '- no known layout is the same'
awk 'BEGIN { print "offset,row,col"; for (r = 63; r >= 0; r--) for (c = 0; c < 64; c++) print r * 72 + c "," r "," c }' > "$map"
run --map="$map"
ok 'rows with padding, in any order' is "$status $(same)" '0 The same as (64,64):(72,1) '
awk 'BEGIN { print "row,col,offset"; for (r = 0; r < 24; r++) for (c = 0; c < 5; c++) print r "," c "," r % 8 + c * 24 + int(r / 8) * 8 }' > "$map"
run --map="$map"
ok 'by columns, of no power of two' is "$status $(same)" '0 The same as (24,5):(1,24) '
# Sw<2,4,3>: bits 7 and 8 are exclusive-ored to bits 4 and 5.
awk 'BEGIN { print "row,col,offset"; for (r = 0; r < 16; r++) for (c = 0; c < 64; c++) {
        n = r * 64 + c; low = 0
        for (bit = 16; bit < 64; bit *= 2) low += (int(n / bit) + int(n / bit / 8)) % 2 * bit
        print r "," c "," n - int(n / 16) % 4 * 16 + low } }' > "$map"
run --map="$map"
ok 'a swizzle' is "$status $(same)" '0 The same as Sw<2,4,3> o 0 o (16,64):(64,1) '

# ---- Fragments and tiles ----

run --arch=80 mma.m16n8k16.d.f32 --format=csv
cp "$folder/out" "$folder/d.csv"
run --map="$folder/d.csv" --verbose
ok 'what --format=csv prints is the fragment' says ' mma.m16n8k16.d.f32,' "$folder/out"
ok 'and all that have the same' says ' mma.m16n8k32.c.s32,' "$folder/out"
{ echo list; sed -n '/^\(The same as\|No known\)/,$p' "$folder/out"; } > "$folder/list" && mv "$folder/list" "$folder/out"
ok 'in lines that are full' filled '^list$' '^$'
run --map="$folder/d.csv" --outputs=tid,i --verbose
ok 'its inverse' says ' mma.m16n8k16.d.f32,' "$folder/out"
"$MAPPING" --map=- --verbose < "$folder/d.csv" > "$folder/out" 2> "$folder/err"
ok 'from standard input' says ' mma.m16n8k16.d.f32,' "$folder/out"
sed 's/^sm_80,mma.m16n8k16.d.f32,3,2,8,6,/sm_80,mma.m16n8k16.d.f32,3,2,8,5,/' "$folder/d.csv" > "$map"
run --map="$map"
ok 'one entry that differs is found' is "$status $(same)" \
    '4 The same as mma.m16n8k8.a.f16 except at 1 entry; the first one is   tid  3, i  2: row  8, col  5 '
run --map="$map" --format=svg
ok 'a picture says so' says '>This is the layout of mma.m16n8k8.a.f16 except at 1 entry.<' "$folder/out"
run --map="$map" --format=markdown
ok 'so does Markdown' is "$(last)" '- the same as `mma.m16n8k8.a.f16` except at 1 of 128 entries'
run --map="$map" --format=json
ok 'so does JSON' is "$(grep '^ "nearly"' "$folder/out")" ' "nearly":{"same":"mma.m16n8k8.a.f16","differing":1}}'
sed -i 's/^sm_80,mma.m16n8k16.d.f32,3,3,8,7,/sm_80,mma.m16n8k16.d.f32,3,3,8,4,/' "$map"
run --map="$map"
ok 'two are' is "$status $(same)" \
    '4 The same as mma.m16n8k8.a.f16 except at 2 entries; the first one is   tid  3, i  2: row  8, col  5 '
run --map="$map" --format=svg
ok 'in a picture too' says '>This is the layout of mma.m16n8k8.a.f16 except at 2 entries.<' "$folder/out"
# The same with other names and the element first: groupID = lane / 4, threadID_in_group = lane % 4.
awk 'BEGIN { print "lane,reg,m,n"; for (t = 0; t < 32; t++) for (i = 0; i < 4; i++)
        print t "," i "," int(t / 4) + int(i / 2) * 8 "," t % 4 * 2 + i % 2 }' > "$map"
run --map="$map" --outputs=m,n --verbose
ok 'axes by other names' says ' mma.m16n8k16.d.f32,' "$folder/out"
sed 's/m,n$/row,n/; s/^lane,reg/t,v/' "$map" > "$folder/named.csv"
run --map="$folder/named.csv" --outputs=row,n --verbose
ok 'some by name, the rest by their order' says ' mma.m16n8k16.d.f32,' "$folder/out"
run --map="$folder/named.csv" --outputs=row,n --format=json
ok 'JSON always has the inputs' says '"inputs":["t","v"],' "$folder/out"
run --map="$map" --outputs=m,n --format=csv
cp "$folder/out" "$folder/back.csv"
run --map="$folder/back.csv" --outputs=m,n --verbose
ok 'what --map prints as CSV can be read, too' says ' mma.m16n8k16.d.f32,' "$folder/out"
run --arch=70 wmma.m16n16k16.a.row.f16 --source=recorded --format=csv
cp "$folder/out" "$map"
run --map="$map"
ok 'an architecture, where it matters' says 'wmma.m16n16k16.a.row.f16 on sm_70 to sm_72' "$folder/out"
run --map="$map" --outputs=tid,i
ok 'the inverse of copies' says 'wmma.m16n16k16.a.row.f16 on sm_70 to sm_72' "$folder/out"
run --arch=80 mma.m16n8k16.a.f16 --atom-layout='(2,2,1):(2,1,0)' --permutation=64,32,16 --format=csv
cp "$folder/out" "$map"
run --map="$map"
ok 'a tile' is "$(same)" "The same as   mma.m16n8k16.a.f16 --atom-layout='(2,2,1):(2,1,0)' --permutation='64,_,16' "
run --arch=80 mma.m16n8k16.b.f16 --atom-layout='(1,2,2):(0,2,1)' --permutation=_,16,32 --format=csv
cp "$folder/out" "$map"
run --map="$map"
ok 'a tile whose threads run along K first' is "$(same)" \
    "The same as   mma.m16n8k16.b.f16 --atom-layout='(1,2,2):(0,2,1)' --permutation='_,16,32' "
run --arch=80 mma.m16n8k16.d.f32 --atom-layout='(3,2,1)' --format=csv
cp "$folder/out" "$map"
run --map="$map"
ok 'a tile without a formula' says "mma.m16n8k8.c.f32 --atom-layout='(3,2,1)' --permutation='48,16,_'" "$folder/out"

# ---- What can be read ----

printf '\n# a comment\r\n a , b ,"offset"\r\n0,0,"0"\r\n\r\n0, 1 ,1\r\n1,0,2\r\n1,1,3' > "$map"
run --map="$map"
ok 'blanks, comments, quotes, carriage returns, no last newline' is "$status $(formulae | cut -d';' -f1)" \
    '0 Offset: return ((a & 1) << 1) + (b & 1)'
printf 'threadIdx.x,_i1,"row"\n0,0,5\n0,1,6\n1,0,7\n1,1,8\n' > "$map"
run --map="$map"
ok 'threads as CUDA calls them, a name that begins with a line' is "$status $(formulae | cut -d';' -f1)" \
    '0 Row: return 5 + (_i1 & 1) + ((tid & 1) << 1)'
printf 'a,offset\n0,4294967295\n1,0\n' > "$map"
run --map="$map"
ok 'the largest number' says 'Offset: return 4294967295 ^ (a & 1) ^ ((a & 1) << 1)' "$folder/out"

# ---- Many terms ----

# The number of axes whose coordinate is not 0, below 0: each coordinate gives every bit.
below() { # VALUES: of each of four axes
    awk -v values="$1" 'BEGIN { print "a,b,c,d,row"; n = values
        for (a = 0; a < n; a++) for (b = 0; b < n; b++) for (c = 0; c < n; c++) for (d = 0; d < n; d++) {
            less = (a > 0) + (b > 0) + (c > 0) + (d > 0)
            printf "%d,%d,%d,%d,%s\n", a, b, c, d, less ? 429496729 (6 - less) : 0 } }' > "$map"
    run --map="$map"
}
below 2
formula=$(sed -n 's/^Row: return \(.*\);$/\1/p' "$folder/out")
ok 'a formula of 128 terms is whole' is "$status $(echo "$formula" | tr -cd + | wc -c)" '0 127'
ok 'and right, as the shell evaluates it' is "$(sed 1d "$map" | tr , ' ' | while read -r a b c d row; do
    # shellcheck disable=SC2034 # the names of the formula
    [ $((($formula) % 4294967296)) -eq "$row" ] && echo right
done | wc -l)" 16
below 3
ok 'more terms are not looked for, and that is said' is "$status $(formulae)" \
    '4 Row: no formula: the value is not a sum or XOR of up to 128 masked and shifted a, b, c and d '

# The number of a load from Tensor Memory is a constant for one load, but not for several.
inputs() { # SHAPE
    "$MAPPING" tcgen05.mma.m64n64k16.d.f32 --arch=100 --with="tcgen05.ld.16x256b.$1" --format=csv > "$folder/ld.csv"
    run --map="$folder/ld.csv" --format=json
}
inputs x8
ok 'the one load of an operand is no axis' says '"inputs":["tid","i"],' "$folder/out"
inputs x2
ok 'of several it is one' says '"inputs":["tid","i","load"],' "$folder/out"

# ---- Refused ----

bad() { # NAME SENTENCE TEXT [OPTION]...
    name=$1 sentence=$2
    printf '%b' "$3" > "$map"
    shift 3
    refused "$name" 2 "$sentence" --map="$map" "$@"
}
bad 'nothing' 'is not a valid map: it is empty' ''
bad 'no names' "line 1, column 1: '0' is not a valid axis name; write one such as tid or row_2" '0,1\n2,3\n'
bad 'a name that is too long' "is too long; a name has at most 63 characters" "$(printf '%064d' 0 | tr 0 a),row\n0,1\n"
bad 'a name twice' "line 1, column 3: an earlier column has the name 'a' too" 'a,row,a\n'
bad 'a word of C' "line 1, column 1: 'while' cannot name an axis" 'while,row\n'
bad 'an output twice' "line 1: --outputs names 'row' twice" 'a,row\n0,0\n' --outputs=row,row
bad 'no output' 'line 1 has no column named row, col, block or offset; name the columns to derive' 'a,b\n0,1\n'
bad 'no input' 'line 1 has no input column, such as tid or i' 'row,col\n0,1\n'
bad 'an output that is none' "line 1 has no column 'bank', but --outputs names it" 'a,b\n0,1\n' --outputs=bank
bad 'no entries' 'there is no entry after the line of column names' 'a,row\n'
bad 'an entry missing' 'line 4, column 1: the table is incomplete: it has no entry for a 1, b 1; its inputs are a, b' 'a,b,row\n0,0,0\n0,1,1\n1,0,2\n'
bad 'an entry twice' 'line 3, column 1: line 2 has the same entry' 'a,row\n0,0\n0,1\n'
bad 'too few fields' 'line 3, column 2: the line has 1 field, but there are 2 column names' 'a,row\n0,0\n1\n'
bad 'too many fields' 'line 2, column 3: the line has 3 fields, but there are 2 column names' 'a,row\n0,0,0\n'
bad 'a letter' "line 2, column 2: 'x' is not an integer" 'a,row\n0,x\n'
bad 'a fraction' "line 2, column 2: '1.5' is not an integer" 'a,row\n0,1.5\n'
bad 'a negative number' "line 3, column 2: '-1' is not an integer" 'a,row\n0,1\n1,-1\n'
bad 'a number that is too large' 'line 2, column 2: 4294967296 is larger than 4294967295' 'a,row\n0,4294967296\n'
bad 'a number beyond all' 'line 2, column 2: 99999999999999999999999 is larger' 'a,row\n0,99999999999999999999999\n'
bad 'an input beyond all tables' 'a goes up to 2000000, so the map would have more than 1048576 entries' 'a,row\n2000000,1\n'
bad 'quotes that do not end' 'line 2, column 1: the quotation marks do not match' 'a,row\n"0,1\n'
bad 'quotes that do not end in the last line' 'line 2, column 2: the quotation marks do not match' 'a,row\n0,"1'
bad 'something behind quotes' 'line 2, column 1: the quotation marks do not match' 'a,row\n"0"1,1\n'
bad 'a quotation mark in a name' "line 1, column 1: 'a\"b' is not a valid axis name; write one such as tid or row_2" '"a""b",row\n0,1\n'
bad 'a name with a blank' "line 1, column 1: 'a b' is not a valid axis name; write one such as tid or row_2" 'a b,row\n0,1\n'
bad 'nothing but a comment' 'line 2, column 1: expected a line of column names, such as tid,i,row,col' '# only this\n'
bad 'too many inputs' 'line 1 has too many columns; a map has at most 7 inputs and 8 outputs' 'a,b,c,d,e,f,g,h,row\n'
bad 'too many outputs' 'line 1 has too many columns; a map has at most 7 inputs and 8 outputs' 'a,b,c,d,e,f,g,h,j,k\n' \
    --outputs=b,c,d,e,f,g,h,j,k
bad 'columns beyond all' 'line 1 has more than 32 columns' "$(seq -s, -f 'c%g' 33)\n"
{ cat "$folder/d.csv"; "$MAPPING" --arch=80 mma.m16n8k16.a.f16 --format=csv | tail -n +2; } > "$folder/two.csv"
refused 'two maps in one file' 2 'another map begins here, mma.m16n8k16.a.f16 after mma.m16n8k16.d.f32' --map="$folder/two.csv"
awk 'BEGIN { print "a,row"; for (n = 0; n <= 1048576; n++) print n ",0" }' > "$map"
refused 'more than 2^20 entries' 2 'line 1048578, column 1: the map has more than 1048576 entries' --map="$map"
refused 'a file that is not there' 3 'could not open' --map="$folder/none.csv"
refused 'two files' 2 '--map reads one file' --map="$folder/d.csv" "$folder/d.csv"
refused 'with an architecture' 2 '--arch does nothing with --map' --map="$folder/d.csv" --arch=80

printf 'tid,row\n0,0000000000000000000001\n1,4294967295\n' > "$map"
run --map="$map"
ok 'zeros in front do not make a number large' is "$status $(count 'larger than')" '0 0'
for large in 4294967296 18446744073709551616 99999999999999999999999999; do
    printf 'tid,row\n0,0\n1,%s\n' "$large" > "$map"
    refused "$large has no place in 32 bits" 2 "line 3, column 2: $large is larger than 4294967295" --map="$map"
done

# A copy is an output if it is requested, and then the inverse counts selectors; it is an input if the threads that hold
# it, and of one alone, are requested.
printf 'tid,i,row,copy\n0,0,0,0\n0,1,0,1\n1,0,0,0\n1,1,0,1\n' > "$map"
run --map="$map" --outputs=row,copy
ok 'copies as an output' is "$(formulae)" \
    'Row: return 0; Copy: return (i & 1); Tid: return (selector & 1); I: return (copy & 1); '
printf 'copy,row\n0,5\n' > "$map"
run --map="$map"
ok 'the copy alone' is "$(formulae)" 'Row: return 5; '
printf 'tid,copy,row\n0,0,0\n1,1,0\n' > "$map"
refused 'without elements copies are counted' 2 'the table is incomplete: it has no entry for tid 0, copy 1; its inputs are tid, copy' --map="$map"
printf 'block,tid,row\n0,0,0\n0,1,1\n1,0,2\n1,1,3\n' > "$map"
run --map="$map" --outputs=row
ok 'a block that is given' is "$(formulae)" \
    'Row: return ((block & 1) << 1) + (tid & 1); Block: return ((row & 2) >> 1); Tid: return (row & 1); '

# ---- What spreadsheets write, and what headers cannot have ----

printf '\357\273\277tid,i,row,col\r\n0,0,0,0\r\n0,1,0,1\r\n' > "$folder/sheet.csv"
run --map="$folder/sheet.csv" --brief
ok 'a byte order mark is no part of a name' is "$status $(count '^Col: return (i & 1);$')" '0 1'
printf 'tid,row\n0,%0299d7\n' 0 > "$folder/long.csv"
refused 'a field of 300 digits' 2 'line 2, column 2: the field is longer than 255 characters' --map="$folder/long.csv"
printf 'tid,row,source\n0,7,%0299d\n' 0 > "$folder/long.csv"
run --map="$folder/long.csv" --brief
ok 'unless nobody reads it' is "$status $(count '^Row: return 7;$')" '0 1'
for word in bitand static_cast concept linux _Bool __x static_assert thread_local co_await NULL MAPPING_FUNCTION mapping_table MAPPING_WORD_CSV; do
    printf '%s,row\n0,4\n1,7\n' "$word" > "$folder/word.csv"
    refused "$word is no parameter of a function" 2 "'$word' cannot name an axis: C, C++ or printed headers reserve it" --map="$folder/word.csv"
done
compiles() { "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -x c -fsyntax-only "$folder/out"; }
printf 'tid,i,copy,selector\n0,0,0,0\n0,1,0,1\n1,0,0,0\n1,1,0,1\n' > "$folder/copies.csv"
run --map="$folder/copies.csv" --outputs=copy,selector --format=cuda
ok 'axes that are called as the number of the copy' compiles
ok 'whose number is another' says 'mapping_copies_csv_tid(unsigned copy, unsigned selector, unsigned id)' "$folder/out"
run --map="$folder/copies.csv" --outputs=copy,selector --format=csv
ok 'in a table, too' is "$status $(line)" '0 arch,file,tid,i,copy,selector,source'
# With THOROUGH=1 as many lines as a map may have, otherwise an eighth.
threads=$((1024 / $(one_in 8)))
awk -v threads=$threads 'BEGIN {
    print "tid,i,row,col"; for (t = 0; t < threads; t++) for (i = 0; i < 1024; i++) print t "," i "," t "," i }' > "$folder/large.csv"
seconds() { (ulimit -t $((60 * threads / 1024)) && exec "$MAPPING" "$@"); } # of processor time
ok "$((1024 * threads)) lines take seconds" seconds --map="$folder/large.csv" --brief
finish
