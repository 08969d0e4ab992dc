#!/bin/sh
# The page of --format=html as a file: it fetches nothing, its data gives the layouts, and names never become markup.
# html_browser.py tests it in a browser.
#
# Expected values: JSON's maps, by a second evaluator of the data.
. "$(dirname "$0")/../lib/tap.sh"

# Threads in words, by the functions of the page: those of each load together.
threads_of_loads() {
    cat "$root/src/output/page/layout.js" "$root/src/output/page/info.js" > "$folder/page.js"
    echo 'const of = (space, all) => threadsText({threadSpace: space}, all), all = Array.from({length: 256}, (_, n) => n);
console.log(of([["load", 2], ["tid", 128]], all)); console.log(of([["load", 2], ["tid", 128]], [3, 4, 130]));
console.log(of([["tid", 32]], [0, 1, 2, 8]));' >> "$folder/page.js"
    is "$(node "$folder/page.js" | tr '\n' '|')" 'load 0: T0-127; load 1: T0-127|load 0: T3-4; load 1: T2|T0-2, T8|'
}
ok_with node 'threads of several loads are ranges' threads_of_loads

# D(3,5) is made of row 3 of A and column 5 of B, each of 16 elements.
factors_of_d() {
    cat "$root/src/output/page/layout.js" > "$folder/page.js"
    sed -n '/^function markFactors/,/^}/p' "$root/src/output/page/page.js" >> "$folder/page.js"
    echo 'const page = require("fs").readFileSync(process.argv[2], "utf8");
const data = JSON.parse(/<script[^>]*id="data"[^>]*>([^]*?)<\/script>/.exec(page)[1]), product = data.reports;
const letterOf = (product, report) => "abd"[product.indexOf(report)], places = {a: [], b: []};
const grids = product.map(report => ({report, layout: new Layout(data.layouts[report.layout], report)}));
grids.forEach(grid => { grid.cells = Array.from({length: grid.layout.entries}, (_, n) => ({grid, n})); });
function mark({grid, n}) { places[letterOf(product, grid.report)].push(grid.layout.where(n)); }
markFactors(grids[2], product, grids[2].layout.entryAt(0, 3, 5));
console.log(places.a.length, places.a.every(({row}) => row === 3), places.b.length, places.b.every(({col}) => col === 5));' \
        >> "$folder/page.js"
    "$MAPPING" -a80 mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.d.f32 --format=html > "$folder/product.html"
    is "$(node "$folder/page.js" "$folder/product.html")" '16 true 16 true'
}
ok_with node 'an element of D marks a row of A and a column of B' factors_of_d


export CUDA_VISIBLE_DEVICES=
needs python3

# A script with a syntax error would leave the page empty.
run -a80 --format=html
sed -n '/^<script>$/,/^<\/script>$/{/script>$/!p;}' "$folder/out" > "$folder/page.js"
ok 'the page has a script' grep -q addEventListener "$folder/page.js"
ok_with node 'and it has no syntax error' node --check "$folder/page.js"

# Pages are checked together below, in one process of Python.
pages=0
: > "$folder/cases"

# same NAME ARGUMENT...: the page's data is what JSON says of the same command.
same() {
    name=$1 pages=$((pages + 1))
    shift
    "$MAPPING" --format=json "$@" > "$folder/$pages.json" 2> /dev/null
    "$MAPPING" --format=html "$@" > "$folder/$pages.html" 2> /dev/null
    printf 'page\t%s\t%s\t%s\n' "$folder/$pages.html" "$folder/$pages.json" "$name" >> "$folder/cases"
}

for arch in 70 75 120; do
    same "all of sm_$arch" --source=recorded --detail --all --arch=$arch
done
same 'wgmma, the smallest, one that is no power of two, and the largest' --source=recorded --arch=90 \
    'wgmma.m64n8k*' 'wgmma.m64n24k*' wgmma.m64n256k16.d.f32 'wgmma.sp.m64n16k*'
same 'ldmatrix and mma of sm_90' --source=recorded --arch=90 'ldmatrix.*' 'mma.m*'
same 'the scale factors of sm_120, which nobody has recorded' --source=isa --arch=120 'mma.m16n8k64.*'
same 'several architectures' --source=recorded --arch=70,80 'wmma.m16n16k16.*'
same 'the other styles of formulae' --source=recorded --style=short 'wmma.m16n16k16.*'
same 'matrices in memory: swizzled, padded, with stages' 'Sw<3,3,3> o 0 o (64,64):(64,1)' '(64,64):(72,1)' \
    '(8,8,2):(8,1,64)' Layout_K_SW128_Atom
same 'a matrix in memory that no bits give' '((3,2),4):((1,100),10)' '(5,7):(13,65)'
same 'a tile' --arch=80 --source=isa mma.m16n8k16.d.f32 --atom-layout='(2,2,1)'
printf 'tid,i,row,col\n0,0,0,0\n0,1,0,2\n0,2,0,1\n1,0,1,0\n1,1,1,2\n1,2,1,1\n' > "$folder/map.csv"
same 'a map of threads' --map="$folder/map.csv"
printf 'c,s,bank\n0,0,5\n0,1,3\n1,0,3\n1,1,3\n' > "$folder/bank.csv"
same 'a map without inverse, of which no formula is known' --map="$folder/bank.csv" --outputs=bank

# ---- Sizes ----

for arch in $(known_archs); do
    run --source=recorded --format=html --all --arch=$arch
    ok "all of sm_$arch is one file below 2 MB" test "$status" -eq 0 -a "$(wc -c < "$folder/out")" -lt 2000000
done

# ---- Names ----

# hostile NAME: a map in a file of that name.
hostile() {
    mkdir -p "$folder/<"
    cp "$folder/map.csv" "$folder/<$1"
    pages=$((pages + 1))
    "$MAPPING" --format=html --map="$folder/<$1" > "$folder/$pages.html" 2> /dev/null
    printf 'hostile\t%s\t%s\ta file called <%s\n' "$folder/$pages.html" "${1#/}" "$1" >> "$folder/cases"
}
hostile '/script><img src=x onerror=alert(1)>.csv'
# shellcheck disable=SC2016 # a template literal
hostile '/"]}&amp;<!--<script>${1}`.csv'

python3 "$here/html_test.py" "$number" < "$folder/cases" > "$folder/tap"
ended=$?
cat "$folder/tap"
checked=$(grep -c -E '^(not )?ok ' "$folder/tap") wrong=$(grep -c '^not ok ' "$folder/tap")
number=$((number + checked)) failures=$((failures + wrong))
ok 'all of these pages are checked' is "$((ended != 0)) $checked" "$((wrong > 0)) $pages"

name=$(printf 'q\377\342\200\250.csv')
cp "$folder/map.csv" "$folder/$name"
run --format=html --map="$folder/$name"
ok 'what is no UTF-8 in a name, and what ends lines in scripts, is written as an escape' python3 -c 'import sys
text = open(sys.argv[1], "rb").read().decode()
assert r"<title>mapping: q\xff\u2028.csv</title>" in text and r"q\\xff\\u2028.csv" in text' "$folder/out"

# ---- Results that a page cannot show ----

if [ -c /dev/full ]; then
    "$MAPPING" --format=html > /dev/full 2> "$folder/err"
    status=$?
    ok 'a full disk is noticed' test "$status" -eq 5
else
    skip 'a full disk is noticed' /dev/full
fi
run --format=html --color-by=element
ok 'colors begin with what was asked for' says '"color":"element"' "$folder/out"

# What is nearly the layout of a fragment is said to be; and what falls from one bit to the next, as negative numbers.
awk 'BEGIN { print "tid,i,row,col"
    for (t = 0; t < 32; t++) for (i = 0; i < 4; i++) {
        col = t % 4 * 2 + i % 2
        print t "," i "," int(t / 4) + int(i / 2) * 8 "," (t == 5 && i < 2 ? col - 1 + 2 * (i == 0) : col) } }' > "$folder/nearly.csv"
run --map="$folder/nearly.csv" --format=html
ok 'what a map nearly is' says 'This is the layout of mma.m16n8k8.a.f16 except at 2 entries.' "$folder/out"
printf 'tid,row\n0,5\n1,4\n2,3\n3,2\n4,1\n5,0\n' > "$folder/falls.csv"
run --map="$folder/falls.csv" --format=html
ok 'numbers that fall' says '"base":5,"step":-2,"bits":[[1]]' "$folder/out"
finish
