#!/bin/sh
# --confirm=FILE: the file again, with who confirmed each section added to its second line. That is how results/ are
# made: first with one toolkit, then on a device, then with another.
. "$(dirname "$0")/../tap.sh"

fake=$tests/source/sass/fake # stand-ins for ptxas and nvdisasm; what they replay says listings/README.md
export CUDA_VISIBLE_DEVICES='' LISTING="$tests/source/sass/listings/sm_100.txt"
unset CUDA_HOME CUDA_PATH

# The first fragments of the listing, as a results file of another toolkit and a device.
had='# source: sass (ptxas 11.8.89, nvdisasm 11.8.86); gpu (NVIDIA B200, nvcc 13.0.88)'
new='# source: sass (ptxas 1.2.3, nvdisasm 1.2.4; ptxas 11.8.89, nvdisasm 11.8.86); gpu (NVIDIA B200, nvcc 13.0.88)'
run --source=recorded --arch=100 wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f16 wmma.m16n16k16.a.col.f16
sed "s/^# source: .*/$had/" "$folder/out" > "$folder/file"
sed "s/^# source: .*/$new/" "$folder/out" > "$folder/expected"
confirm() { run --confirm="$1" --source=sass --cuda="$fake"; }

# What was there stays, also what cannot be had here; what is new stands beside its kind,
# by version.
confirm "$folder/file"
ok 'who confirmed it is added' cmp "$folder/expected" "$folder/out"
ok 'status 0, and not a word' is "$status $(wc -c < "$folder/err")" '0 0'
cp "$folder/out" "$folder/once"
confirm "$folder/once"
ok 'a second time changes nothing' cmp "$folder/expected" "$folder/out"
run --check="$folder/once" --source=sass --cuda="$fake"
ok 'what was printed is a results file' is "$status $(last)" \
    '0 3 sections: 3 confirmed, 0 different, 0 not checked'
run --confirm="$folder/file" --cuda="$fake"
ok 'sources that are not here take nothing away' cmp "$folder/expected" "$folder/out"
"$MAPPING" --confirm=- --source=sass --cuda="$fake" < "$folder/file" > "$folder/out" 2> "$folder/err"
ok 'standard input' cmp "$folder/expected" "$folder/out"

# Several toolkits, together or one after the other, in whatever order: their versions are in order.
mkdir "$folder/other"
sed 's/V1\.2\.3/V7.1.3/' "$fake/ptxas" > "$folder/other/ptxas"
sed 's/V1\.2\.4/V7.1.4/' "$fake/nvdisasm" > "$folder/other/nvdisasm"
chmod +x "$folder/other/ptxas" "$folder/other/nvdisasm"
both=$(echo "$new" | sed 's/; ptxas 11/; ptxas 7.1.3, nvdisasm 7.1.4; ptxas 11/')
run --confirm="$folder/file" --source=sass --cuda="$fake" --cuda="$folder/other"
ok 'each of several toolkits is added' is "$status $(line 2)" "0 $both"
cp "$folder/out" "$folder/together"
run --confirm="$folder/file" --source=sass --cuda="$folder/other"
cp "$folder/out" "$folder/seven"
confirm "$folder/seven"
ok 'one after the other' cmp "$folder/together" "$folder/out"
sed 's/(ptxas 11.8.89, nvdisasm 11.8.86)/(ptxas 11.8.89, nvdisasm 11.8.86; ptxas 1.2.3, nvdisasm 1.2.4)/' \
    "$folder/file" > "$folder/disordered"
confirm "$folder/disordered"
ok 'nothing is named twice, even if it was not in order' is "$(line 2 | grep -o 'ptxas 1\.2\.3' | wc -l)" 1

# Statements: formulae alone, a line on confirmation, blocks. isa is there already, so nothing changes.
run --confirm="$root/results/wgmma.txt" --source=isa
ok 'results that the ISA states stay as they are' cmp "$root/results/wgmma.txt" "$folder/out"
run --source=isa --arch=70 mma.m8n8k4.d.f16 mma.m8n8k4.a.row.f16
cp "$folder/out" "$folder/stated"
run --confirm="$folder/stated" --source=isa
ok 'so does what is not confirmed' cmp "$folder/stated" "$folder/out"

# A difference: the lines of --check, and no file.
sed '22s/28/24/' "$folder/file" > "$folder/bent"
run --check="$folder/bent" --source=sass --cuda="$fake"
cp "$folder/out" "$folder/checked"
confirm "$folder/bent"
ok 'a file that differs gives status 1' is "$status $(count '^FAIL') $(last)" \
    '1 1 3 sections: 2 confirmed, 1 different, 0 not checked'
ok 'and what --check prints' cmp "$folder/checked" "$folder/out"

# Sections that nobody could check stay as they are.
run --source=isa --arch=100 mma.m16n8k16.d.f32
cat "$folder/file" - > "$folder/mixed" <<SECTION

$(cat "$folder/out")
SECTION
confirm "$folder/mixed"
tail -n +"$(($(wc -l < "$folder/file") + 2))" "$folder/out" > "$folder/rest"
"$MAPPING" --source=isa --arch=100 mma.m16n8k16.d.f32 | cmp - "$folder/rest" > "$folder/why" 2>&1
ok 'a section that could not be checked is kept' is "$? $status" '0 0'
ok 'beside one that was' is "$(line 2)" "$new"

refused '--confirm needs a file' 2 "option '--confirm' needs an argument" --confirm
refused 'exactly one' 2 "--confirm prints one file, but '$folder/once' is given too" \
    --confirm="$folder/file" "$folder/once"
refused 'that is there' 3 'could not open /nonexistent' --confirm=/nonexistent
refused 'and well-formed' 2 'is malformed: line 1' --confirm="$0"
refused 'of which something can be checked' 3 'nothing could be checked; gpu: ' --confirm="$folder/file" --source=gpu
FAKE_PTXAS=fail
export FAKE_PTXAS
refused 'a tool that fails' 5 'failed with exit status 255' --confirm="$folder/file" --source=sass --cuda="$fake"
finish
