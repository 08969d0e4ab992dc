#!/bin/sh
# --check: confirmed records, wrong records, and files that are not records.
#
# Expected values: by hand; the fake tools.
. "$(dirname "$0")/../lib/tap.sh"

. "$tests/source/sass/fake.sh" # stand-ins for ptxas and nvdisasm; listings/README.md says what they replay
export CUDA_VISIBLE_DEVICES='' LISTING="$folder/kernels"
unset CUDA_HOME CUDA_PATH
# Its kernels are two of D in f32, two of D in f16 and one of A; here in the order of the catalogue.
sed 's/\bk4\b/kA/g; s/\bk3\b/k4/g; s/\bk2\b/k3/g; s/\bk1\b/k2/g; s/\bk0\b/k1/g; s/\bkA\b/k0/g' \
    "$tests/source/sass/listings/sm_100.txt" > "$LISTING"

# The three fragments of the listing, as records: D in f32 and f16 is one, A another.
file=$folder/file.txt records=$folder/records.txt
run --confirm=/dev/null --source=sass --cuda="$fake" --arch=100 wmma.m16n16k16.a.col.f16 \
    wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f16
cp "$folder/out" "$records"
ok 'records of what the tools show' is "$status $(count '^# wmma') $(count '^#   sm_100: sass (ptxas 1.2.3, nvdisasm 1.2.4)$')" '0 2 2'
check() { run --check --source=sass --cuda="$fake" "$@"; }
bend() { sed "$1" "$records" > "$file"; }
all() { echo "$1 entries: $2 confirmed, $3 different, $4 not checked"; }

check "$records"
ok 'records are confirmed' is \
    "$status $(count '^ok    wmma.* on sm_100: sass (ptxas 1.2.3, nvdisasm 1.2.4)$') $(last)" "0 3 $(all 3 3 0 0)"
run --check="$records" --check="$records" --cuda="$fake"
ok 'several files' is "$status $(last)" "0 $(all 6 6 0 0)"
"$MAPPING" --check=- --source=sass --cuda="$fake" < "$records" > "$folder/out"
ok 'standard input' is "$? $(last)" "0 $(all 3 3 0 0)"
run --check --cuda="$fake" "$records"
ok 'a source that cannot serve is noted' grep -q '^note  source gpu could not check sm_100: ' "$folder/out"

# ---- Differences ----

# In the record of D, lines 7 to 22 are grids, 25 and 26 formulae, 29 and 30 those of the inverse.
line_of() { grep -n "$1" "$records" | head -n 1 | cut -d: -f1; }
d=$(line_of '^# wmma.m16n16k16.d')
first=$((d + 3)) row=$((d + 21)) tid=$((d + 25))
differs() { # NAME SED FAILURES SENTENCE
    bend "$2"
    check "$file"
    ok "$1" is "$status $(count '^FAIL') $(grep -c "$4" "$folder/out")" "1 $3 $3"
}
differs 'two elements that are exchanged' "${first}s/^ 0  1/ 1  0/" 2 \
    "^FAIL  wmma.m16n16k16.d.* on sm_100: .*file.txt, line $first does not match the layout; expected ' 0  1"
differs 'no title' "$((first - 1))s/E/e/" 2 "line $((first - 1)) does not match the layout; expected 'Element / ThreadIdx:'"
differs 'a thread is missing' "${first}s/ [0-9]*\$//" 2 "line $first does not match the layout; expected ' 0  1"
differs 'an element that does not exist' "${first}s/^ 0/99/" 2 "line $first does not match the layout; expected ' 0  1"
differs 'an inverse' "${tid}s/row & 7/row \& 3/" 2 "line $tid does not match the layout; expected 'Tid: return ((row & 7) << 2)"
differs 'a blank' "${first}s/\$/ /" 2 "line $first does not match the layout; expected '"
# Correct records of other layouts: the difference is reported at the first entry.
refused 'recorded layouts do not check themselves' 2 '--check checks the recorded results, so it needs another source' --check --source=recorded "$records"
cat > "$file" << 'RECORD'
# Layouts, each once, with what has it, where, and who has seen it: make results
# architectures: sm_80 sm_90

# mma.m16n8k16.{c,d}.f32
#   sm_80, sm_90: gpu (NVIDIA X100, nvcc 13.0.88)
Formulae:
Row: return ((i & 2) << 2) + ((tid & 28) >> 2);
Col: return ((i & 1) << 2) + (tid & 3);

Inverse:
Tid: return ((row & 7) << 2) + (col & 3);
I: return ((row & 8) >> 2) + ((col & 4) >> 2);
RECORD
run --check="$file" --source=isa
ok 'a layout that is another is told by its first entry' is "$status $(count '^FAIL') $(line 1)" \
    "1 4 FAIL  mma.m16n8k16.c.f32 on sm_80: $file, thread 0, element 1 is at row 0, column 4; isa has it at row 0, column 1"
run --check="$file" --source=isa --arch=90
ok '--arch narrows it' is "$status $(last)" "1 $(all 2 0 2 0)"

# ---- Files that are malformed: status 2, and where ----

malformed() { refused "$1" 2 "$2" --check="$file" --source=sass --cuda="$fake"; }
: > "$file"
malformed 'an empty file' 'file.txt is not a valid results file: it is empty'
printf 'a\000b' > "$file"
malformed 'a binary file' 'file.txt is not a valid results file: it has a zero byte, so it is not text'
# 3,000 bytes of a generator of Park and Miller; neither 0 nor a carriage return.
# shellcheck disable=SC2059 # the bytes are the format
printf "$(awk 'BEGIN {
    for (n = x = 1; n <= 3000; n++) {
        x = x * 16807 % 2147483647
        byte = int(x / 8388608)
        printf "\\%03o", byte == 0 || byte == 13 ? 120 : byte
    }
}')" > "$file"
malformed 'noise' "is not a file of records, such as --confirm prints: its first line is not '# Layouts, each once, ...'"
"$MAPPING" --arch=90 mma.m16n8k16.d.f32 > "$file"
malformed 'what the program shows' 'is not a file of records, such as --confirm prints'
head -c 3000 "$records" > "$file"
malformed 'a truncated file' 'file.txt is malformed: line'
for lines in 4 5 6 7 $first $((first + 14)) $row $tid; do
    head -n "$lines" "$records" > "$file"
    malformed "only $lines lines" "file.txt is malformed: line $((lines + 1)): the file ends early; expected"
done
bend '4s/m16n16k16/m17n16k16/'
malformed 'a fragment that does not exist' "line 4: there is no fragment 'wmma.m17n16k16.a.col.f16'"
names_of() { awk -v n="$1" 'NR == 4 { s = "# a.x"; while (length(s) < n + 2) s = s s; print substr(s, 1, n + 2); next } 1' "$records" > "$file"; }
names_of 65535 # characters; 64 KiB with a blank and the final zero
malformed 'names for which there is no room' 'line 4: there are too many names'
names_of 65534
malformed 'names for which there is just room' 'line 4: a name is too long'
bend '4s/wmma.m16n16k16.a.col.f16/wmma.m16n16k16.a.col.f16, mma.m16n8k32.a.s8/' # as many threads and elements
malformed 'fragments of other sizes' 'line 4: mma.m16n8k32.a.s8 and wmma.m16n16k16.a.col.f16 differ in size'
bend '4s/wmma.m16n16k16.a.col.f16/wmma.m16n16k16.a.col.half/'
malformed 'a fragment by another name' "line 4: there is no fragment 'wmma.m16n16k16.a.col.half'"
bend '5s/(//'
malformed 'no evidence' 'line 5: expected'
bend '5s/sass/moon/'
malformed 'a source that does not exist' 'line 5: expected'
bend '5s/sm_100/sm_99/'
malformed 'an architecture that does not exist' 'line 5: expected'
bend '5s/sm_100/sm_100, sm_70, sm_75/'
malformed 'architectures out of order' 'line 5: expected'
sed 's/sm_100:/sm_70:/; s/a.col.f16/a.col.bf16/' "$records" > "$file"
malformed 'an architecture that does not have it' 'line 4: sm_70 has no wmma.m16n16k16.a.col.bf16'
bend "${row}s/28/24/"
malformed 'a formula of no layout' 'wmma.m16n16k16.d.f32: row 0, column 0 occurs too often'
bend "${row}s/28/x/"
malformed 'what is no formula' "line $row: expected 'Row: return ...;', a formula"
bend "${row}d"
malformed 'no formula for the row' "line $row: expected 'Row: return ...;', a formula"
bend 's/$/\r/'
malformed 'carriage returns' 'has carriage returns'
{ cat "$records" && echo && sed -n '4,$p' "$records"; } > "$file"
malformed 'a fragment that is recorded twice' 'is malformed: wmma.m16n16k16.a.col.f16 on sm_100 is recorded twice'
bend '$s/$/\n/'
malformed 'an empty line at the end' 'the file ends early; expected a record after the empty line'
printf '%s' "$(cat "$records")" > "$file"
malformed 'no newline at the end' 'the file ends early; expected'

# record NAMES FORMULA: a file with one brief record of sm_90.
record() {
    { sed 3q "$root/results/shared.txt" && printf '# %s\n#   sm_90: gpu (X)\nFormulae:\n%s\n' "$1" "$2"; } > "$file"
}
record 'Layout_K_INTER_Atom<half_t>' 'Offset: return ((row & 7) << 28) + (col & 7);'
malformed 'an atom with an offset beyond its matrix' 'line 4: Layout_K_INTER_Atom<half_t>: '
record 'Layout_K_INTER_Atom<half_t>, mma.m16n8k16.d.f32' 'Offset: return ((row & 7) << 3) + (col & 7);'
malformed 'a fragment behind an atom' 'line 4: mma.m16n8k16.d.f32 and Layout_K_INTER_Atom<half_t> have different axes'
record 'mma.m16n8k16.d.f32, tcgen05.ld.32x32b.x1.r.b32' 'Row: return ((i & 2) << 2) + ((tid & 28) >> 2);
Col: return (i & 1) + ((tid & 3) << 1);'
sed 's/^#   sm_90/#   sm_100/' "$file" > "$folder/of_100" && mv "$folder/of_100" "$file"
malformed 'as many axes by other names' 'tcgen05.ld.32x32b.x1.r.b32 and mma.m16n8k16.d.f32 have different axes'
record 'wgmma.m64n8k16.d.f32, Layout_K_INTER_Atom<half_t>' 'Row: return 0;
Col: return 0;'
malformed 'an atom behind a fragment' 'line 4: '
sed 's/^Formulae:/Element:/' "$file" > "$folder/grids" && sed 's/^# wgmma.*/# Layout_K_INTER_Atom<half_t>/' "$folder/grids" > "$file"
malformed 'grids of an atom' "line 6: expected 'Formulae:'"
record 'mma.{1..0..1}' 'Row: return 0;'
malformed 'a run without numbers' "line 4: the range '1..0..1' is empty"
record "mma.$(printf '{a,b}%.0s' $(seq 90)){1..0..1}" 'Row: return 0;'
malformed 'and 2^90 of them' "line 4: the range '1..0..1' is empty"
record 'mma.{0..-1..1}' 'Row: return 0;'
malformed 'a run to a negative number' "line 4: there is no fragment 'mma.0..-1..1'"

refused 'a folder' 3 'could not read' --check="$folder"
refused 'a file that is not there, behind one that is checked' 3 'could not open' --check "$records" /nonexistent
refused 'two files, of which the second has no records' 2 'contains the shortest expressions' --check "$records" "$root/results/short.txt"
# Files of another kind say which, and what checks them.
other() { refused "$1 is of another kind" 2 "/$1 contains $3, but --check and --confirm need records of layouts, as in results/mma.txt; to check this file, use '$2'" --check "$root/results/$1"; }
other emulated.txt 'python3 tests/source/sass/emulation_test.py ./mapping' 'products that ptxas emulates'
other short.txt 'make test' 'the shortest expressions'
other sass.txt 'make check' 'the SASS of opcodes'
other README.md 'make test' 'a table of the evidence for all layouts'

# A source that is missing is named once for an architecture.
run --check
ok 'no note is printed twice' is "$(grep '^note' "$folder/out" | sort | uniq -d)" ''
ok 'and there are notes' grep -q '^note  source gpu could not check .*sm_[0-9]*: ' "$folder/out"

# ---- What cannot be checked ----

refused 'nothing can be checked' 3 'nothing could be checked; gpu: ' --check="$records" --source=gpu
refused 'no record of that architecture' 3 'there is no record of sm_75 to check' --check="$records" --arch=75
refused 'nor of several' 3 'there is no record of these architectures, sm_75 and so on, to check' --check="$records" --arch=75,80
refused 'nothing can be checked, with all reasons' 3 '; sass: ptxas and nvdisasm were not found in the folders of --cuda; use --cuda=DIR with the folder' \
    --check --cuda="$folder" "$records"
{ cat "$records" && echo && sed -n '4,$p' "$root/results/mma.txt"; } > "$file"
run --source=isa --check="$file"
ok 'some are not checked' is "$status $(last)" "0 $(all 107 104 0 3)"
ok 'standard error says so' says 'mapping: 3 of 107 entries were not checked, which --strict makes an error' "$folder/err"
refused 'with --strict that fails' 3 '3 of 107 entries were not checked' --source=isa --strict --check="$file"

# ---- All that is recorded ----

for name in mma mma.sp ldmatrix wgmma shared; do
    run --check "$root/results/$name.txt" --source=isa
    ok "$name.txt is as the PTX ISA says" is "$status $(last | sed 's/.* confirmed, //')" '0 0 different, 0 not checked'
done
run --check --source=isa --arch=90
ok 'so is what is built in' is "$status $(last)" "0 $(all 1282 1194 0 88)"
sed '/^Offset/s/ ^ (row & 4)/ ^ ((row \& 2) << 1)/' "$root/results/shared.txt" > "$file"
run --check="$file" --source=isa
ok 'an atom of shared memory that differs is found' is "$status $([ "$(count '^FAIL  Layout_')" -gt 0 ] && echo some)" '1 some'
refused 'atoms: no source that knows them' 3 \
    'nothing could be checked; sass: cannot show Layout_K_INTER_Atom<float> on sm_90: SASS reveals only the layouts of wmma' \
    --check="$root/results/shared.txt" --source=sass
refused 'nor does the gpu source' 3 \
    'nothing could be checked; gpu: cannot show Layout_K_INTER_Atom<float> on sm_90: there is no probe for it' \
    --check="$root/results/shared.txt" --source=gpu
record 'Layout_MN_SW128_32B_Atom<float>' 'Offset: return (row & 31) + ((col & 7) << 5);'
refused 'an atom that is not recorded' 2 'isa: no source has observed Layout_MN_SW128_32B_Atom<float>' --check="$file" --source=isa

# ---- Several toolkits: each is used and named; the second may find layouts that the first does not ----

toolkit() { # NAME VERSION
    mkdir "$folder/$1"
    sed "s/V1\.2\.3/V$2.3/" "$fake/ptxas" > "$folder/$1/ptxas"
    sed "s/V1\.2\.4/V$2.4/" "$fake/nvdisasm" > "$folder/$1/nvdisasm"
    chmod +x "$folder/$1/ptxas" "$folder/$1/nvdisasm"
}
toolkit first 7.1
toolkit second 8.2
both() { run --check --source=sass --cuda="$folder/first" --cuda="$folder/second" "$@"; }
both "$records"
ok 'each toolkit is used and named' is \
    "$status $(count '^ok .*: sass (ptxas 7.1.3, nvdisasm 7.1.4; ptxas 8.2.3, nvdisasm 8.2.4)$') $(last)" "0 3 $(all 3 3 0 0)"
both --cuda="$folder/first" "$records"
ok 'one that is given twice is named once' is \
    "$(count '^ok .*: sass (ptxas 7.1.3, nvdisasm 7.1.4; ptxas 8.2.3, nvdisasm 8.2.4)$')" 3
sed "s/^case .*/FAKE_PTXAS=unknown\n&/" "$fake/ptxas" > "$folder/first/ptxas"
both "$records"
ok 'one that does not know the architecture is noted' is \
    "$status $(count '^note  source sass could not check sm_100: .*first/ptxas does not support sm_100')" '0 1'
ok 'and the other is used' is "$(count '^ok .*: sass (ptxas 8.2.3, nvdisasm 8.2.4)$')" 3
sed 's/0x18\], R7/0x18], R13/; s/0x1c\], R13/0x1c], R7/' "$LISTING" > "$folder/listing" # two registers of A exchanged
sed "s,\"\$LISTING\",'$folder/listing'," "$fake/nvdisasm" > "$folder/second/nvdisasm"
cp "$fake/ptxas" "$folder/first/ptxas"
both "$records"
ok 'a difference that only the second finds' is "$status $(count '^FAIL') $(count '^ok')" '1 1 2'
finish
