#!/bin/sh
# --access: wavefronts of accesses to shared memory, compared with the rule written a second time in access_test.py,
# with cases of NVIDIA's documentation, and with some counted by hand; how addresses are parsed; errors.
. "$(dirname "$0")/../lib/tap.sh"

if has python3; then
    python3 "$here/access_test.py" "$MAPPING" > "$folder/held" 2>&1
    ok "$(tail -n 1 "$folder/held")" is "$(grep -c . "$folder/held")" 1
else
    skip 'patterns against the rule' python3
fi

# total NAME WAVEFRONTS OP ADDRESSES
total() {
    run --format=json --access="$3" --address="$4"
    ok "$1" is "$status $(grep -o '"wavefronts":[0-9]*,"minimum":[0-9]*' "$folder/out")" \
        "0 \"wavefronts\":${2% of *},\"minimum\":${2#* of }"
}
# CUDA C++ Programming Guide, Shared Memory: strides of one, two and three words.
total 'one word' '1 of 1' ld.b32 'tid * 4'
total 'two words' '2 of 1' ld.b32 'tid * 8'
total 'three words' '1 of 1' ld.b32 'tid * 12'
total 'one word for all' '1 of 1' ld.b32 0
run --access=ld.b32 --address='	 tid * 8
  '
ok 'blanks around an address are not shown' is "$(head -n 1 "$folder/out")" '# ld.b32, address: tid * 8'
# CUDA C++ Best Practices Guide: a column of a tile of 32 x 32 floats, and of one padded to 33.
total 'a column of a square tile' '32 of 1' ld.f32 'tid * 32 * 4'
total 'a column of a padded tile' '1 of 1' ld.f32 'tid * 33 * 4'
# NVIDIA's talk on Volta's tensor cores (GTC 2019), "Pointer Offsets for Permuted Shared Memory".
total 'permuted tiles of Volta' '4 of 4' STS.128 \
    'int c = lane % 8; int s = lane / 8; int smem_row = (c & 1) | ((c >> 1) & 2);
     int bank = ((c << 1) & 4) | s ^ smem_row; int smem_offset = smem_row * 8 + bank; return smem_offset * 16;'
total 'rows of 128 bytes by ldmatrix' '32 of 4' ldmatrix.x4 'tid % 16 * 128 + tid / 16 * 16'
total 'with 16 bytes of padding' '4 of 4' ldmatrix.x4 'tid % 16 * 144 + tid / 16 * 16'
total 'with the 128-byte swizzle' '4 of 4' LDSM.16.MT88.4 'tid % 16 * 128 + ((tid / 16) ^ (tid % 8)) * 16'
total 'a load of equal pairs' '1 of 1' ld.b64 'tid / 2 * 8'
total 'a store of equal pairs' '2 of 2' st.b64 'tid / 2 * 8'

# ---- How addresses are read ----

# address NAME EXPECTED OP ADDRESSES: the first addresses of JSON.
address() {
    run --format=json --access="$3" --address="$4"
    ok "$1" is "$status $(grep -o '"address":\[[^]]*' "$folder/out" | cut -c 12- | cut -d , -f 1-5)" "0 $2"
}
rest='16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,124'
address 'a list' 0,4,8,12,16 ld.b32 "0,4,8,12,$rest"
address 'with inactive lanes' null,4,null,12,16 ld.b32 "-,4,-,12,$rest"
address 'in hexadecimal' 0,255,160,12,16 ld.u8 "0x0,0xfF,0XA0,12,$rest"
address 'with blanks' 0,4,null,12,16 ld.b32 "  0 4 -
12, $(echo $rest | tr , ' ') ,"
address 'decimal with zeros in front' 0,10,8,12,16 ld.u8 "00,010,8,12,$rest"
address 'inactive ones first' null,null,8,12,16 ld.b32 "- - 8 12 $(echo $rest | tr , ' ')"
address 'all of matrix 0' 0,16,32,48,64 ldmatrix.x1 0,16,32,48,64,80,96,112
ok 'and nothing else' is "$(grep -o null "$folder/out" | wc -l)" $((24 + 1))
address 'addresses that a matrix does not need' 0,16,32,48,64 ldmatrix.x1 \
    '0,16,32,48,64,80,96,112,1,2,3,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,x'
address 'an expression' 0,8,16,24,32 ld.u8 'tid * 8'
address 'of a name' 0,8,16,24,32 ld.u8 'address = laneId << 3'
address 'statements' 0,4,8,12,0 ld.u8 'unsigned a = threadIdx.x % 4; const int b = 4; a * b'
address 'with return' 3,3,3,3,3 ld.u8 'int x = 3; return x;'
address 'a bare expression before a name' 1,1,1,1,1 ld.u8 'address = 0; address + 1'
address 'a number alone is an expression' 16,16,16,16,16 ld.b128 0x10

# ---- As text ----

run --access=ld.f32 --address='tid * 64'
ok 'as text' is "$status $(cat "$folder/out")" '0 # ld.b32, address: tid * 64
# wavefronts: computed by a rule that was checked on an H200 (sm_90) only
Addresses, in bytes:
lanes  0-7        0      64     128     192     256     320     384     448
lanes  8-15     512     576     640     704     768     832     896     960
lanes 16-23    1024    1088    1152    1216    1280    1344    1408    1472
lanes 24-31    1536    1600    1664    1728    1792    1856    1920    1984

Wavefronts: 16 (minimum: 1), 16-way bank conflicts on average
lanes 0-31 (phase 0): 16 wavefronts, 16 words in each of 2 banks; in bank 0:
  byte 0: lane 0; byte 128: lane 2; byte 256: lane 4; byte 384: lane 6;
  byte 512: lane 8; byte 640: lane 10; byte 768: lane 12; byte 896: lane 14;
  byte 1024: lane 16; byte 1152: lane 18; byte 1280: lane 20;
  byte 1408: lane 22; byte 1536: lane 24; byte 1664: lane 26;
  byte 1792: lane 28; byte 1920: lane 30'
run --access=ld.f32 --address='tid * 128'
ok 'lines take all that a terminal of 80 has' is "$(awk 'length > most { most = length } END { print most }' "$folder/out")" 79
run --access=st.b128 --address="- - - 16 - - - - 0 0 0 128 - - - - - - - - - - - - - - - - - - - -"
ok 'with inactive lanes' is "$status $(lines_from 3)" '0 Addresses, in bytes:;'\
'lanes  0-7        -       -       -      16       -       -       -       -;'\
'lanes  8-15       0       0       0     128       -       -       -       -;'\
'lanes 16-23       -       -       -       -       -       -       -       -;'\
'lanes 24-31       -       -       -       -       -       -       -       -;;'\
'Wavefronts: 3 (minimum: 2), bank conflicts;lane 3 (phase 0): 1 wavefront, no bank conflict;'\
'lanes 8-11 (phase 1): 2 wavefronts, 2 words in each of 4 banks; in bank 0:;  byte 0: lanes 8-10; byte 128: lane 11;'\
'no active lanes (phase 2);no active lanes (phase 3);'
run --access=ld.b64 --address="$(printf '%032d' 0 | sed 's/0/- /g')"
ok 'without active lanes' is "$status $(lines_from 9)" '0 Wavefronts: 0, no bank conflicts;no active lanes (phase 0);'
run --access=ld.b64 --address='tid / 2 * 8'
ok 'with phases that are one' is "$status $(lines_from 9)" '0 Wavefronts: 1, no bank conflicts;'\
'Pairs of phases merge into one, because all lanes l and l ^ 1, or all lanes l and l ^ 2,;have the same address.;'\
'lanes 0-31 (phase 0): 1 wavefront, no bank conflict;'
run --access=ldmatrix.x1 --address='tid * 16'
ok 'of one matrix' is "$status $(line 4) $(lines_from 6)" \
    '0 lanes  0-7        0      16      32      48      64      80      96     112 Wavefronts: 1, no bank conflicts;'\
'lanes 0-7 (phase 0): 1 wavefront, no bank conflict;'
run --access=ld.u8 --address='tid % 3 == 2 ? 232447 : tid % 3 * 128 + 124'
ok 'no line is longer than 80 where many lanes meet' is "$status $(grep -c '.\{81\}' "$folder/out") $(count '3 words in bank 31')" '0 0 1'

# ---- Refusals ----

refused 'a list that is too long' 2 '--address has 33 addresses, but ld.b32 takes 32' \
    --access=ld.b32 --address="0,4,8,12,0,$rest"
refused 'a long word in a list' 2 "the address of lane 1, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy', is not a valid byte address; give a number, or - for an inactive lane" \
    --access=ld.b32 --address="0,$(printf %040d 1 | tr 01 xy)tail,4"
run --access=ld.b32 --address=-x,8
ok 'a sign before a name is no list' is "$status $(cut -d';' -f1 "$folder/err" | head -n 1)" "2 mapping: unknown name 'x'"
refused 'a misaligned list' 2 'lane 1: address 4 is not a multiple of 8 bytes, which ld.b64 requires' \
    --access=ld.b64 --address="0,4,8,12,$rest"

# caret NAME SENTENCE ADDRESS: a sentence, the text, and a caret under the place.
caret() {
    run --access=ld.b32 --address="$3"
    ok "$1" is "$status $(wc -c < "$folder/out") $(tr '\n' ';' < "$folder/err" | sed "s/ ('mapping --help.*//")" "2 0 mapping: $2"
}
caret 'an expression that cannot be read' "expected a number, a name or '(':;  tid +/ 4;       ^;" 'tid +/ 4'
caret 'an unknown name' "unknown name 'row'; known names are tid (or lane, lane_id, laneid, laneId, lane_idx, laneIdx, threadIdx.x, t, thread, thread_idx, tidx), warp; row is not an input of this formula:;  row * 4;  ^;" 'row * 4'
caret 'overflow' 'at lane 1, this overflows:;  tid << 31;      ^;' 'tid << 31'
ok 'nothing' is "$(run --access=ld.b32 --address=' '; cat "$folder/err")" 'mapping: --address is empty; give an expression of tid, such as tid*4'

for option in --all --type=f32 --operand=a --source=isa --device=0 --style=short; do
    refused "$option" 2 "${option%=*} does nothing with --access" --access=ld.b32 --address=0 $option
done
for format in csv markdown cuda cute triton; do
    refused "$format" 2 "--access does not support --format=$format; use text, json" \
        --access=ld.b32 --address=0 --format=$format
done

# The first line has the request, without blanks around it, and only its first 56 characters if it is longer.
run --access=ld.b32 --address='   tid * 4  '
ok 'an expression without blanks around it' is "$(line)" '# ld.b32, address: tid * 4'
long='tid * 128 + 0 * (tid + 1) * (tid + 2) * (tid + 3) * (tid + 4)'
run --access=ld.b32 --address="$long"
ok 'a long one is cut off' is "$(line)" "# ld.b32, address: $(echo "$long" | cut -c1-56)..."
finish
