#!/bin/sh
# --list: every fragment, also filtered by architecture, type and name; and the evidence for it.
#
# Expected values: counts by hand.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

run --list
lines=$(wc -l < "$folder/out")
ok '--list names every fragment once' is "$status $(cut -d' ' -f1 "$folder/out" | sort -u | wc -l)" "0 $lines"
ok 'and lists of all formats have the same' is "$("$MAPPING" --list --format=csv | tail -n +2 | wc -l) $(
    "$MAPPING" --list --format=markdown | grep -c '^| `') $("$MAPPING" --list --format=json | grep -c '"fragment":')" \
    "$lines $lines $lines"
ok '--list says what was seen on hardware' is "$(count 'sass, gpu (sm_90)\(; emulated .*\)*$')" \
    "$("$MAPPING" --list --arch=90 'wmma.*' | wc -l)"
if has python3 && has bash; then
    python3 "$here/list_test.py" "$MAPPING" > "$folder/groups"
    ok "in a terminal, groups: $(tail -n 1 "$folder/groups")" is "$(grep -c . "$folder/groups") $(grep -c ' 0 wrong$' "$folder/groups")" '1 1'
else
    skip 'groups in a terminal' python3 bash
fi
run --list --whole --arch=75
ok 'in a pipe --whole changes nothing' is "$status $(cat "$folder/out")" "0 $("$MAPPING" --list --arch=75)"
run --list --arch=sm_75 --type=s8
ok '--list for an architecture and a type' is \
    "$(wc -l < "$folder/out") $(cut -d' ' -f1 "$folder/out" | grep -c '\.s8$')" '14 14'
ok '--list for an architecture says by which sources' is "$(grep -cE 'sm_72\+  sass$' "$folder/out")" 12
run --list --arch=sm_75 --type=s8 --format=csv
ok 'and as CSV with which tools' is "$(grep -cE ',"sass \((ptxas [0-9.]*, nvdisasm [0-9.]*(; )?)+\)",' "$folder/out")" 12
run --list wmma.m8n8k4.a.row.f64
ok '--list for a fragment' is "$(cut -d' ' -f1 "$folder/out")" wmma.m8n8k4.a.row.f64
run --list --arch=75 wmma.m16n16k16.d.f32 wmma.m16n16k16.a.row.f16
ok '--list for fragments in any order' is "$(count 'sass, published$') $(count 'sass$')" '1 1'
run --list --arch=72 'wmma.*'
ok '--list: sm_72 has no 4-bit types' is "$status $(cut -d' ' -f1 "$folder/out" | grep -c s4)" '0 0'
run --list --operand=e --arch=80
ok '--list for an operand' is "$status $(grep -vc '^mma\.sp\.[a-z0-9]*\.e\.' "$folder/out")" '0 0'

# ---- One of many widths is listed; widths are those of the PTX ISA 9.1, table 39 ----

widths=$(seq 8 8 256 | tr '\n' ' ')
run --list --arch=sm_100 'tcgen05.mma.m128n*k16.d.f32'
ok 'of many widths one is listed, which says all of them' is "$status $(cat "$folder/out" | tr -s ' ')" \
    '0 tcgen05.mma.m128n256k16.d.f32 128x256 sm_100a|f isa; n = 8 to 256 by 8; 256 Tensor Memory columns'
run --list --format=csv tcgen05.mma.m128n256k16.d.f32
ok 'as CSV' is "$(last | sed 's/.*,\([0-9 ]*,[0-9]*\)$/\1/')" "${widths% },256"
run --list --format=json tcgen05.mma.m128n256k16.d.f32
ok 'as JSON' says "\"n\":[$(echo "${widths% }" | tr ' ' ',')]" "$folder/out"
ok 'native as in text' says '"native":["sm_100","sm_103","sm_110"],"emulated":[]' "$folder/out"
run --list tcgen05.mma.m128n256k96.d.f32 mma.m16n8k16.d.f32
ok 'what was not assembled is not called native' is "$(grep -n 'not known if emulated' "$folder/out" | cut -d: -f1)" 1
run --list --format=json tcgen05.cp.128x256b.d.b32
ok 'nor in JSON' says '"native":[],"emulated":[]' "$folder/out"
run --list --format=json tcgen05.mma.m128n256k16.d.f32
ok 'which has no registers' says '"registers":null' "$folder/out"
run --list --format=markdown tcgen05.mma.m128k16.a.f16
ok 'as Markdown' says '| 128x16, n = 8 to 256 by 8 | 8 columns of Tensor Memory |' "$folder/out"
run --list tcgen05.mma.m64n256k32.d.s32
ok 'widths that are not equally far apart' says 'n = 8 to 32 by 8, 48 to 256 by 16; 256 Tensor Memory columns' "$folder/out"
run --list tcgen05.mma.ws.m32n256k16.d.f32
ok 'few widths' says 'n = 64, 128, 256; 64 Tensor Memory columns' "$folder/out"
run --list 'tcgen05.mma.m128n64*.d.f32' --arch=100
ok 'a pattern finds widths that are not listed' is "$(cut -d' ' -f1 "$folder/out" | tr '\n' ' ')" \
    'tcgen05.mma.m128n64k16.d.f32 tcgen05.mma.m128n64k8.d.f32 tcgen05.mma.m128n64k32.d.f32 tcgen05.mma.m128n64k64.d.f32 '
run --list 'tcgen05.*' --arch=100
ok 'sizes stand below each other' is "$(sed 's/^\([^ ]*  *\).*/\1/' "$folder/out" | awk '{ print length }' | sort -u | wc -l)" 1
ok 'and so does what it rests on' is "$(sed 's/  \(isa\|published\).*//' "$folder/out" | awk '{ print length }' | sort -u | wc -l)" 1
run --list tcgen05.st.32x32b.x8
ok 'a name of lanes may leave words out' is "$(cut -d' ' -f1 "$folder/out" | tr '\n' ' ')" \
    'tcgen05.st.32x32b.x8.r.b32 tcgen05.st.32x32b.x8.r.unpack.b16 '
finish
