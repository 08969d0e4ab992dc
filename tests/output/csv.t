#!/bin/sh
# CSV: one line for each element in each place, with its source.
#
# Expected values: by hand; JSON.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
show() { run --source=recorded "$@"; }

show -a 75 --format=csv
made_with=$("$MAPPING" --source=recorded -a 75 --detail | sed -n 's/^# source: //p')
ok 'a map as CSV' is "$status $(wc -l < "$folder/out")" '0 257'
ok 'the header' is "$(line)" 'arch,fragment,tid,i,row,col,copy,source'
ok 'a line has its source in quotes' is "$(line 4)" "sm_75,wmma.m16n16k16.d.f32,0,2,8,0,0,\"$made_with\""
ok 'so has each' is "$(count "^sm_75,wmma.m16n16k16.d.f32,[0-9,]*,\"recorded: sass (.*)\"$")" 256
show -a 75 --thread=3,2 --format=csv
ok 'an answer as CSV' is "$(lines_from 1)" \
    "arch,fragment,tid,i,row,col,copy,source;sm_75,wmma.m16n16k16.d.f32,3,2,8,6,0,\"$made_with\";"
show -a 75 --thread=3,2 --format=csv --detail
ok '--detail has the facts before the source' is "$(lines_from 1)" \
"arch,fragment,tid,i,row,col,copy,type,bits,registers,bytes,since,ptx,source;\
sm_75,wmma.m16n16k16.d.f32,3,2,8,6,0,f32,32,8,1024,sm_70,6.0,\"$made_with\";"
stated='"isa (PTX ISA 9.0 section 9.7.14.5.1)"'
run --source=isa --arch=70 mma.m8n8k4.d.f16 --thread=31,7 --format=csv
ok 'a block as CSV' is "$(lines_from 1)" \
    "arch,fragment,tid,i,row,col,copy,block,source;sm_70,mma.m8n8k4.d.f16,31,7,7,7,0,3,$stated;"
run --source=isa --arch=80 --thread=0,0 --format=csv ldmatrix.m8n8.x1.r.b16 ldmatrix.m8n8.x2.r.b16
ok 'a fragment without blocks beside one with blocks is in block 0' is \
    "$status $(sed 's/,"isa.*//' "$folder/out" | tr '\n' ';')" \
"0 arch,fragment,tid,i,row,col,copy,block,source;\
sm_80,ldmatrix.m8n8.x1.r.b16,0,0,0,0,0,0;sm_80,ldmatrix.m8n8.x2.r.b16,0,0,0,0,0,0;"

# Tiles: the tiling has its own column, in quotes, because it has commas.
tile='(2,1,1):(1,2,0)'
run --source=isa --arch=80 --thread=32,0 --format=csv --atom-layout="$tile" mma.m16n8k16.d.f32
ok 'a tile has a column for it' is "$(line)" 'arch,fragment,tid,i,row,col,copy,tiling,source'
ok 'with the tiling in quotes' is "$(line 2 | sed 's/"isa.*//')" \
    "sm_80,mma.m16n8k16.d.f32,32,0,16,0,0,\"atom layout $tile\","
run --source=isa --arch=80 --thread=0 --format=csv mma.m16n8k16.d.f32
ok 'what is no tile has none' is "$(line)" 'arch,fragment,tid,i,row,col,copy,source'

# A matrix in memory has no facts of a fragment, and what only one architecture has no formulae of the other.
run --arch=80 --format=csv --detail '(8,8):(8,1)'
ok 'a matrix has no facts' is "$(lines_from 65)" ',"(8,8):(8,1)",7,7,63,0,,,,,,,"";'
show --diff=75,90 --format=csv --verbose
ok 'what is not there has no formulae' is "$(grep '^stmatrix.m8n8.x2.r.b16,' "$folder/out" | tr '\n' ';')" \
    'stmatrix.m8n8.x2.r.b16,sm_75,,,;stmatrix.m8n8.x2.r.b16,sm_90,((tid & 28) >> 2),(i & 1) + ((tid & 3) << 1),((i & 2) >> 1);'

# A reader of CSV gets as many fields from each line as the header has, and from them what JSON has.
if has python3; then
    set -- --source=isa -a80 --atom-layout="$tile" mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    "$MAPPING" "$@" --format=csv --detail > "$folder/csv"
    "$MAPPING" "$@" --format=json > "$folder/json"
    ok 'every field is where the header says' python3 -c '
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
reports = {r["fragment"]: r for r in json.load(open(sys.argv[2]))}
assert len(reports) == 4 and None not in rows[0] and "" not in rows[0].values()
for row in rows:
    report = reports[row["fragment"]]
    assert None not in row and None not in row.values()
    assert [int(row["row"]), int(row["col"])] == report["map"][int(row["tid"])][int(row["i"])]
    assert row["tiling"] == report["tiling"] and row["arch"] == report["arch"]
    assert row["source"] == "isa (" + report["source"]["evidence"][0]["with"] + ")"
    assert row["ptx"] == "7.0" and row["since"] == "sm_80"
assert len(rows) == sum(r["threads"] * r["elements"] for r in reports.values())
' "$folder/csv" "$folder/json"
fi

run --list --format=csv --arch=75 --type=b1
ok 'a list as CSV' grep -q '^wmma.m8n8k128.a.row.b1,a,row,b1,8,128,32,32,1,sm_75,6.3,"sass (.*)",1,sm_75,,,,$' "$folder/out"

# Names of files as RFC 4180 has them; Tensor Memory, which has no registers; differences of what only the first has.
mkdir "$folder/odd"
printf 'tid,row\n0,0\n1,1\n' > "$folder/odd/a\"b.csv"
run --map="$folder/odd/a\"b.csv" --format=csv
ok 'a quote in a name is there twice' is "$(line 3)" ',"a""b.csv",1,1,0,""'
run --arch=100 --format=csv --detail tcgen05.mma.m128n16k16.d.f32 --lane=3,5
ok 'what is in Tensor Memory has no registers' is "$(lines_from 1 | sed 's/"isa.*"/isa/')" \
    'arch,fragment,row,col,lane,column,type,bits,registers,bytes,since,ptx,source;sm_100,tcgen05.mma.m128n16k16.d.f32,3,5,3,5,f32,32,,8192,sm_100,8.6,isa;'
show --diff=90,80 --verbose --format=csv
ok 'the other way around, too' is "$(grep '^mma.m16n8k8.b.f64,' "$folder/out" | tr '\n' ';')" \
    'mma.m16n8k8.b.f64,sm_90,((i & 1) << 2) + (tid & 3),((tid & 28) >> 2),;mma.m16n8k8.b.f64,sm_80,,,;'

# A spreadsheet takes a field that begins with = for a formula.
for name in '=cmd|x' '+1' '-1' '@SUM'; do
    printf 'x,offset\n0,0\n1,1\n' > "$folder/$name"
    run --map="$folder/$name" --format=csv
    ok "a file called $name is no formula" is "$(line 2)" ",./$name,0,0,0,\"\""
done
finish
