#!/bin/sh
# --confirm=FILE: adds the evidence of all available sources to records. This is how results/ are made: first with one
# toolkit, then on a device, then with another toolkit.
#
# Expected values: by hand; the fake tools.
. "$(dirname "$0")/../lib/tap.sh"

. "$tests/source/sass/fake.sh" # stand-ins for ptxas and nvdisasm; listings/README.md says what they replay
export CUDA_VISIBLE_DEVICES='' LISTING="$folder/kernels"
unset CUDA_HOME CUDA_PATH
# Its kernels are two of D in f32, two of D in f16 and one of A; here in the order of the catalogue.
sed 's/\bk4\b/kA/g; s/\bk3\b/k4/g; s/\bk2\b/k3/g; s/\bk1\b/k2/g; s/\bk0\b/k1/g; s/\bkA\b/k0/g' \
    "$tests/source/sass/listings/sm_100.txt" > "$LISTING"
confirm() { run --confirm="$1" --source=sass --cuda="$fake"; }

# The fragments of the listing, as another toolkit and a device have seen them.
had='sass (ptxas 11.8.89, nvdisasm 11.8.86); gpu (NVIDIA B200, nvcc 13.0.88)'
new='sass (ptxas 1.2.3, nvdisasm 1.2.4; ptxas 11.8.89, nvdisasm 11.8.86);
#     gpu (NVIDIA B200, nvcc 13.0.88)'
run --confirm=/dev/null --source=sass --cuda="$fake" --arch=100 wmma.m16n16k16.a.col.f16 \
    wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f16
ok 'from nothing, records of fragments that are named' is "$status $(count '^# wmma.*') $(count '^Formulae:$')" '0 2 2'
ok 'fragments that share a layout are in one record' says '# wmma.m16n16k16.d.{f32,f16}' "$folder/out"
sed "s/sass (.*)\$/$had/" "$folder/out" > "$folder/file"
awk -v new="$new" '/^#   sm/ { sub(/sass.*/, ""); print $0 new; next } { print }' "$folder/out" > "$folder/expected"

# Earlier evidence stays, even if it cannot be reproduced here; new evidence is added next to that of the same kind, by
# version.
confirm "$folder/file"
ok 'who confirmed it is added' cmp "$folder/expected" "$folder/out"
ok 'status 0, and not a word' is "$status $(wc -c < "$folder/err")" '0 0'
cp "$folder/out" "$folder/once"
confirm "$folder/once"
ok 'a second time changes nothing' cmp "$folder/expected" "$folder/out"
run --check="$folder/once" --source=sass --cuda="$fake"
ok 'what was printed can be checked' is "$status $(last)" '0 3 entries: 3 confirmed, 0 different, 0 not checked'
run --confirm="$folder/file" --cuda="$fake"
ok 'sources that are not here take nothing away' cmp "$folder/expected" "$folder/out"
"$MAPPING" --confirm=- --source=sass --cuda="$fake" < "$folder/file" > "$folder/out" 2> "$folder/err"
ok 'standard input' cmp "$folder/expected" "$folder/out"

# Several toolkits, together or one after the other, in whatever order: their versions are in order.
mkdir "$folder/other"
sed 's/V1\.2\.3/V7.1.3/' "$fake/ptxas" > "$folder/other/ptxas"
sed 's/V1\.2\.4/V7.1.4/' "$fake/nvdisasm" > "$folder/other/nvdisasm"
chmod +x "$folder/other/ptxas" "$folder/other/nvdisasm"
run --confirm="$folder/file" --source=sass --cuda="$fake" --cuda="$folder/other"
ok 'each of several toolkits is added' is "$status $(grep -A2 '^#   sm' "$folder/out" | head -n 3 | tr -d '\n')" \
    '0 #   sm_100: sass (ptxas 1.2.3, nvdisasm 1.2.4; ptxas 7.1.3, nvdisasm 7.1.4;#     ptxas 11.8.89, nvdisasm 11.8.86); gpu (NVIDIA B200, nvcc 13.0.88)# copy 0 of 2'
cp "$folder/out" "$folder/together"
run --confirm="$folder/file" --source=sass --cuda="$folder/other"
cp "$folder/out" "$folder/seven"
confirm "$folder/seven"
ok 'one after the other' cmp "$folder/together" "$folder/out"
sed 's/(ptxas 11.8.89, nvdisasm 11.8.86)/(ptxas 11.8.89, nvdisasm 11.8.86; ptxas 1.2.3, nvdisasm 1.2.4)/' \
    "$folder/file" > "$folder/disordered"
confirm "$folder/disordered"
ok 'nothing is named twice, even if it was not in order' is "$(grep -c 'ptxas 1\.2\.3' "$folder/out")" 2

# Records that are apart although they have one layout become one; statements are no evidence.
{ sed 's/d.{f32,f16}/d.f32/' "$folder/file"; echo; sed 's/d.{f32,f16}/d.f16/' "$folder/file" | sed -n "$(grep -n 'm16n16k16.d' "$folder/file" | cut -d: -f1),\$p"; } > "$folder/apart"
confirm "$folder/apart"
ok 'records of one layout become one' cmp "$folder/expected" "$folder/out"
for name in mma mma.sp ldmatrix wgmma shared; do
    run --confirm="$root/results/$name.txt" --source=isa
    ok "$name.txt stays as it is where the PTX ISA states the same" cmp "$root/results/$name.txt" "$folder/out"
done

# More fragments are added to the record of their layout, or as new records; a fragment that has a record is not added
# again.
run --confirm="$folder/file" --source=sass --cuda="$fake" --arch=100 wmma.m16n16k16.d.f32
ok 'what is there already is not added' cmp "$folder/expected" "$folder/out"
sed '/^# wmma.m16n16k16.d/,$d' "$folder/file" | sed '$d' > "$folder/less"
run --confirm="$folder/less" --source=sass --cuda="$fake" --arch=100 wmma.m16n16k16.d.f32
ok 'what is not there is' is "$status $(count '^# wmma.m16n16k16.d.f32$') $(last)" \
    "0 1 $(tail -n 1 "$folder/file")"

# Layouts that the PTX ISA states make no new record, and a note says so.
run --confirm="$root/results/ldmatrix.txt" --source=isa --arch=90 mma.m16n8k16.d.f32
ok 'a statement behind a file is not added' cmp "$root/results/ldmatrix.txt" "$folder/out"
ok 'and standard error says so' grep -q 'mapping: 1 of [0-9]* entries was not checked, which --strict makes an error; a new record needs' "$folder/err"

# A difference: the lines of --check, and no file.
sed 's/^Element/Elements/' "$folder/file" > "$folder/bent"
run --check="$folder/bent" --source=sass --cuda="$fake"
cp "$folder/out" "$folder/checked"
confirm "$folder/bent"
ok 'a file that differs gives status 1' is "$status $(last)" '1 3 entries: 0 confirmed, 3 different, 0 not checked'
ok 'and what --check prints' cmp "$folder/checked" "$folder/out"

# Records that could not be checked stay unchanged, if every line follows from their layout.
{ cat "$root/results/mma.txt" && echo && sed -n '4,$p' "$root/results/published.txt"; } > "$folder/mixed"
run --confirm="$folder/mixed" --source=isa
ok 'a record that could not be checked is kept' is "$status $(count 'published (Volta')" '0 2'
for change in 's/^Element.*/Elements:/' 's/^Col: .*/Col: \x1b]0;title/' 's/^Tid: .*/Tid: free text/'; do
    sed "$change" "$folder/mixed" > "$folder/bent"
    "$MAPPING" --source=isa --confirm="$folder/bent" > "$folder/out" 2> "$folder/err"
    ok "nothing is copied that does not follow from the layout: $change" is \
        "$? $(grep -c 'does not match the layout\|is malformed' "$folder/out" "$folder/err" | tr '\n' ' ' | grep -c ':[1-9]') $(grep -c "$(printf '\033')" "$folder/out")" \
        "$([ "${change#*free}" = "$change" ] && [ "${change#*title}" = "$change" ] && echo 1 || echo 2) 1 0"
done

refused 'and well-formed' 2 'is not a file of records' --confirm="$0"
refused 'a file of another kind' 2 'contains the SASS of opcodes, but --check and --confirm need records' --confirm="$root/results/sass.txt"
refused 'fragments that exist' 2 "unknown fragment 'nothing'" --confirm="$folder/file" --source=sass --cuda="$fake" nothing
refused 'of which something can be checked' 3 'nothing could be checked; gpu: ' --confirm="$folder/file" --source=gpu
FAKE_PTXAS=fail
refused 'a tool that fails' 5 'failed with exit status 255' --confirm="$folder/file" --source=sass --cuda="$fake"
finish
