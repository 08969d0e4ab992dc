#!/bin/sh
# --check: what it confirms, what it finds, and files that are no results files.
. "$(dirname "$0")/../tap.sh"

fake=$tests/source/sass/fake # stand-ins for ptxas and nvdisasm; what they replay says listings/README.md
export CUDA_VISIBLE_DEVICES='' LISTING="$tests/source/sass/listings/sm_100.txt"
unset CUDA_HOME CUDA_PATH
# The first fragments of the listing, as results files for two architectures.
for arch in 70 100; do
    run --source=recorded --arch=$arch wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f16 wmma.m16n16k16.a.col.f16
    sed 's/recorded: //' "$folder/out" > "$folder/sm_$arch.txt"
done
results=$folder/sm_100.txt
file=$folder/file.txt
check() { run --check --source=sass --cuda="$fake" "$@"; }
bend() { sed "$1" "$results" > "$file"; }

check "$results"
ok 'results are confirmed' is \
    "$status $(count '^ok    wmma.* on sm_100: sass (ptxas 1.2.3, nvdisasm 1.2.4)$') $(last)" \
    '0 3 3 sections: 3 confirmed, 0 different, 0 not checked'
run --check="$results" --check="$results" --cuda="$fake"
ok 'several files' is "$status $(last)" '0 6 sections: 6 confirmed, 0 different, 0 not checked'
"$MAPPING" --check=- --source=sass --cuda="$fake" < "$results" > "$folder/out"
ok 'standard input' is "$? $(last)" '0 3 sections: 3 confirmed, 0 different, 0 not checked'
run --source=recorded --arch=100
sed 's/recorded: //; 3i\
# no GPU here, so sm_100 is shown; --arch=ARCH shows another' "$folder/out" > "$file"
check "$file"
ok 'what the program prints by default' is "$status $(last)" '0 1 sections: 1 confirmed, 0 different, 0 not checked'
run --check --cuda="$fake" "$results"
ok 'a source that cannot serve is noted' grep -q '^note  sm_100 is not checked by gpu: ' "$folder/out"

# Every kind of change is a difference, exit status 1, in its own line.
differs() {
    bend "$2"
    check "$file"
    lines=$(sed -n 's/.*file.txt, line \([0-9]*\), column [0-9]* differs from sass$/\1/p' "$folder/out")
    ok "$1" is "$status $(count '^FAIL') $lines" "1 1 $3"
}
differs 'one element' '5s/^ 0/ 1/' 5
differs 'one thread' '19s/31$/30/' 19
differs 'an element that does not exist' '5s/^ 0/99/' 5
differs 'a formula' '22s/28/24/' 22
differs 'an inverse' '26s/row/col/' 26
differs 'a blank' '5s/$/ /' 5
bend '22s/28/24/'
check "$file"
ok 'both lines are shown' is "$(sed -n '/^FAIL/,+2p' "$folder/out" | tail -2)" \
    "  has   Row: return ((i & 2) << 2) + ((tid & 24) >> 2);
  wants Row: return ((i & 2) << 2) + ((tid & 28) >> 2);"
bend '4s/31$/30/; 19s/31$/30/'
check "$file"
ok 'of a long line, the part that differs' is "$(sed -n '/^FAIL/,+1p' "$folder/out" | tail -1)" \
    '  has   ... 7  6  7  6  7         28 28 29 29 30 30 31 31 28 28 29 29 30 30 31 30'
sed 's/sm_100/sm_75/' "$results" > "$file"
check "$file"
ok 'another architecture of the same layout' is "$status" 0
{ cat "$folder/sm_70.txt" && echo && cat "$results"; } > "$file"
check "$file"
ok 'differences in one part only' is "$status $(count '^FAIL.*sm_70') $(count '^ok.*sm_100')" '1 3 3'

# Files that are malformed: status 2, and where.
malformed() {
    refused "$1" 2 "$2" --check="$file" --source=sass --cuda="$fake"
}
: > "$file"
malformed 'an empty file' 'file.txt is no results file, it is empty'
printf 'a\000b' > "$file"
malformed 'a binary file' 'file.txt is no results file, which is text; it has a zero byte'
head -c 3000 /dev/urandom | tr '\000\r' xx > "$file"
malformed 'noise' 'file.txt is malformed: line 1: expected'
head -c 5000 "$results" > "$file"
malformed 'a truncated file' 'file.txt is malformed: line'
for lines in 1 2 3 4 19 20 21 22 23 24 25 26; do
    head -n $lines "$results" > "$file"
    malformed "only $lines lines" "file.txt is malformed: line $((lines + 1)): ends early, expected"
done
bend '1s/m16n16k16/m17n16k16/'
malformed 'a fragment that does not exist' 'line 1: expected'
bend '1s/$/ x/'
malformed 'more behind the header' 'line 1: expected'
bend '2s/(//'
malformed 'no source' 'line 2: expected'
bend '3s/E/e/'
malformed 'no title' "line 3: expected 'Element / ThreadIdx:'"
bend '7s/ [0-9]*$//'
malformed 'a thread is missing' 'line 7: expected 16 elements and 16 threads'
bend '7s/$/ 1/'
malformed 'a thread too many' 'line 7: expected 16 elements and 16 threads'
bend '7s/0/x/'
malformed 'no number' 'line 7: expected'
bend '28s/^/x/'
malformed 'no empty line between sections' 'line 28: expected'
bend '1s/sm_100/sm_99/'
malformed 'an architecture that does not exist' 'line 1: expected an architecture that has the fragment'
bend '2s/sass/moon/'
malformed 'a source that does not exist' 'line 2: expected'
bend 's/$/\r/'
malformed 'carriage returns' 'has carriage returns'
bend '$s/$/\n/'
malformed 'an empty line at the end' 'ends early, expected another section'
bend '22d'
malformed 'no formula for the row' "line 22: expected 'Row: ...'"
bend '100000q'
printf 'x' >> "$file"
malformed 'no newline at the end' 'ends without a newline'
printf '%s' "$(cat "$results")" > "$file"
malformed 'no newline at all' 'ends without a newline'
for note in '# note: why' '# ptxas takes it for sm_100a, not for sm_100'; do
    printf '%s\n%s\n%s\n%s' '# mma.m8n8k4.d.f64 on sm_90' '# source: isa (PTX ISA 9.0)' '# not confirmed on hardware' \
        "$note" > "$file"
    malformed "no newline behind '$note'" 'line 5: ends early, expected'
done

refused 'a file without end' 2 'larger than 64 MiB' --check=/dev/zero
refused 'a file that is not there' 3 'could not open' --check=/nonexistent
refused 'a folder' 3 'could not read' --check="$folder"
refused 'nothing can be checked' 3 'nothing could be checked; gpu: ' --check="$results" --source=gpu
refused 'no section of that architecture' 3 'there is no section of sm_75 to check' --check="$results" --arch=75
refused 'nothing can be checked, with all reasons' 3 '; sass: neither ptxas nor nvdisasm' \
    --check --cuda="$folder" "$results"

# Statements of the PTX ISA, of which results have formulae alone, checked against the ISA as it is stated now.
wgmma=$root/results/wgmma.txt
run --check "$wgmma" --source=isa
ok 'results without grids are checked' is "$status $(last)" '0 980 sections: 980 confirmed, 0 different, 0 not checked'
sed '4s/28/24/' "$wgmma" > "$folder/bent"
run --check "$folder/bent" --source=isa
ok 'and differences found' is "$status $(count '^FAIL')" '1 1'
sed '4s/28/x/' "$wgmma" > "$folder/bent"
refused 'and what is no formula' 2 'line 4: expected a formula' --check="$folder/bent"
run --source=isa --arch=120 mma.m16n8k32.a.e2m1
cp "$folder/out" "$folder/stated"
run --check "$folder/stated"
ok 'what the ISA states can be checked' is \
    "$status $(count '^ok .*: isa (PTX ISA 9.0 section 9.7.14.5.10)$')" '0 1'

# Several toolkits: each is used, and named; the second may find what the first does not.
toolkit() { # NAME VERSION
    mkdir "$folder/$1"
    sed "s/V1\.2\.3/V$2.3/" "$fake/ptxas" > "$folder/$1/ptxas"
    sed "s/V1\.2\.4/V$2.4/" "$fake/nvdisasm" > "$folder/$1/nvdisasm"
    chmod +x "$folder/$1/ptxas" "$folder/$1/nvdisasm"
}
toolkit first 7.1
toolkit second 8.2
both() { run --check --source=sass --cuda="$folder/first" --cuda="$folder/second" "$@"; }
both "$results"
ok 'each toolkit is used and named' is \
    "$status $(count '^ok .*: sass (ptxas 7.1.3, nvdisasm 7.1.4; ptxas 8.2.3, nvdisasm 8.2.4)$') $(last)" \
    '0 3 3 sections: 3 confirmed, 0 different, 0 not checked'
both --cuda="$folder/first" "$results"
ok 'one that is given twice is named once' is \
    "$(count '^ok .*: sass (ptxas 7.1.3, nvdisasm 7.1.4; ptxas 8.2.3, nvdisasm 8.2.4)$')" 3
sed "s/^case .*/FAKE_PTXAS=unknown\n&/" "$fake/ptxas" > "$folder/first/ptxas"
both "$results"
ok 'one that does not know the architecture is noted' is \
    "$status $(count '^note  sm_100 is not checked by .*first/ptxas does not know sm_100')" '0 1'
ok 'and the other is used' is "$(count '^ok .*: sass (ptxas 8.2.3, nvdisasm 8.2.4)$')" 3
sed 's/0x18\], R7/0x18], R13/; s/0x1c\], R13/0x1c], R7/' "$LISTING" > "$folder/listing" # two registers of A exchanged
sed "s,\"\$LISTING\",'$folder/listing'," "$fake/nvdisasm" > "$folder/second/nvdisasm"
cp "$fake/ptxas" "$folder/first/ptxas"
both "$results"
ok 'a difference that only the second finds' is "$status $(count '^FAIL') $(count '^ok')" '1 1 2'
# Where in Tensor Memory nothing lies at the first lane, no formula leads back, and the inverse is missing.
"$MAPPING" tcgen05.shift tcgen05.mma.m64n64k16.d.f32 > "$file"
run --check "$file"
ok 'a section without an inverse, and one with' is "$status $(last)" '0 2 sections: 2 confirmed, 0 different, 0 not checked'
sed '/^Inverse:/,$d' "$file" | sed '$d' > "$folder/cut.txt"
run --check "$folder/cut.txt"
ok 'an inverse that is missing' is "$status $(last)" '1 2 sections: 1 confirmed, 1 different, 0 not checked'

# ---- What cannot be checked ----

refused 'a source that has nothing to say of it' 3 \
    'nothing could be checked; isa: cannot show wmma.m16n16k16.a.row.f16 on sm_70: the PTX ISA does not specify it' \
    --check --arch=70 --source=isa
"$MAPPING" tcgen05.mma.m64n64k16.d.f32 --arch=100 --with=tcgen05.ld.16x256b > "$file"
refused 'what a load brings' 2 'line 3: this is what threads hold, shown with --with; fragments' --check "$file"
"$MAPPING" mma.m16n8k16.d.f32 --arch=80 --atom-layout='(2,2,1)' > "$file"
refused 'a tile' 2 'line 3: this is a tile, shown with --atom-layout or --permutation; fragments' --check "$file"

# ---- Matrices in shared memory ----

atoms=$(grep -c '^# Layout_' "$root/results/shared.txt")
shared() { # NAME SED STATUS FAILURES
    sed "$2" "$root/results/shared.txt" > "$folder/shared.txt"
    run --check="$folder/shared.txt" --source=isa
    ok "atoms: $1" is "$status $(count '^FAIL') $(count '^ok') $(last)" \
        "$3 $4 $((atoms - $4)) $atoms sections: $((atoms - $4)) confirmed, $4 different, 0 not checked"
}
shared 'all are as the PTX ISA says' '' 0 0
shared 'a changed formula is found' '4s/<< 4/<< 3/' 1 1
ok 'atoms: what differs is shown' is "$(sed -n 1,3p "$folder/out")" \
    "FAIL  Layout_K_INTER_Atom<uint8_t> on sm_90: $folder/shared.txt, differs from isa, which has
Formulae:
Offset: return ((row & 7) << 4) + (col & 15);"
shared 'a changed inverse is found' '7s/112/48/' 1 1
shared 'a changed name of a formula is found' '4s/Offset/Ofset/' 1 1
shared 'one more line is found' '8s/$/\nCol: return 0;/' 1 1
shared 'no title above the formulae' 3d 1 1
shared 'nor in the last section' "$(grep -n '^Formulae:' "$root/results/shared.txt" | tail -n 1 | cut -d: -f1)d" 1 1
shared 'a line less' 5,8d 1 1
refused 'atoms: no source that knows them' 3 'nothing could be checked' --check="$root/results/shared.txt" --source=sass
sed '1s/uint8_t/double/' "$root/results/shared.txt" > "$folder/shared.txt"
refused 'atoms: a type that they are not seen for' 2 "is not '# ATOM on sm_NN'" --check="$folder/shared.txt" --source=isa
head -c 300 "$root/results/shared.txt" > "$folder/shared.txt"
refused 'atoms: a truncated file' 2 "is malformed: '# Layout_K_INTER_Atom<half_t> on s'" --check="$folder/shared.txt" --source=isa
refused 'atoms: --confirm' 2 'has no sections that --confirm could add to' --confirm="$root/results/shared.txt" --source=isa
refused 'no section of an architecture' 3 'there is no section of sm_80 to check' --check="$root/results/sm_70.txt" --arch=80
refused 'nor of several' 3 'there is no section of these architectures, sm_80 and so on, to check' \
    --check="$root/results/sm_70.txt" --arch=80,90
finish
