#!/bin/sh
# Matrices in memory: their text, written by hand; every format compared with the meaning of the notation
# (smem_matrix_test.py) and with pictures that CUTLASS printed; questions, verdicts and errors.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

if has python3; then
    python3 "$here/smem_matrix_test.py" "$MAPPING" formats > "$folder/held" 2>&1
    ok "formats against the notation: $(tail -n 1 "$folder/held")" is "$(sed 1q "$folder/held")" "$(grep ' 0 wrong$' "$folder/held")"
    python3 "$here/smem_matrix_test.py" "$MAPPING" pictures "$here/visualize_layout.txt" > "$folder/held" 2>&1
    ok "pictures of CUTLASS: $(tail -n 1 "$folder/held")" is "$(sed 1q "$folder/held")" '3 layouts, 0 wrong'
else
    skip 'formats against the notation' python3
fi

# ---- Text ----

run '(4,8):(8,1)'
ok 'row-major' is "$status $(lines_from 1)" '0 # (4,8):(8,1);# 4 x 8 elements of f16, 64 bytes;Offset / Bank:;'\
' 0  1  2  3  4  5  6  7          0  0  1  1  2  2  3  3;'\
' 8  9 10 11 12 13 14 15          4  4  5  5  6  6  7  7;'\
'16 17 18 19 20 21 22 23          8  8  9  9 10 10 11 11;'\
'24 25 26 27 28 29 30 31         12 12 13 13 14 14 15 15;;'\
'By address, 128 bytes per line; each cell shows (row, cols):;'\
'    byte bank 0    bank 4    bank 8    bank 12;'\
'       0 (0, 0..7) (1, 0..7) (2, 0..7) (3, 0..7);;'\
'Formulae:;Offset: return ((row & 3) << 3) + (col & 7);;;'\
'Inverse:;Row: return ((offset & 24) >> 3);;Col: return (offset & 7);;'
# The same in f32, where bank 4 r + c holds element (r, c), and with columns one after the other.
run --type=f32 '(2,4):(1,2)'
ok 'column-major, of f32' is "$status $(lines_from 2 | cut -d ';' -f 1-4)" '0 # 2 x 4 elements of f32, 32 bytes;Offset / Bank:;'\
' 0  2  4  6          0  2  4  6; 1  3  5  7          1  3  5  7'
run 'Sw<1,1,1> o 0 o (4,4):(4,1)'
ok 'swizzled: pairs of odd rows change places' is "$status $(lines_from 4 | cut -d ';' -f 1-4)" \
    '0  0  1  2  3          0  0  1  1; 6  7  4  5          3  3  2  2; 8  9 10 11          4  4  5  5;14 15 12 13          7  7  6  6'
run --brief '(64,64):(72,1)'
ok '--brief, of a padded one: quotients' is "$status $(lines_from 1)" '0 # (64,64):(72,1);Formulae:;'\
'Offset: return ((row & 63) << 3) + ((row & 63) << 6) + (col & 63);;;Inverse:;Row: return offset / 72;;Col: return offset % 72;;'
# Offset r0 * 60 + r1 * 3 + c0 + c1 * 12, with row r0 + 2 * r1 and column c0 + 3 * c1.
run --brief '((2,4),(3,4)):((60,3),(1,12))'
ok 'quotients of several digits' is "$status $(grep -A2 '^Row' "$folder/out" | tr '\n' ';')" \
    '4 Row: return offset % 12 / 3 * 2 + offset / 60;;Col: return offset % 3 + offset % 60 / 12 * 3;;'
run --brief --style=divide '(64,64):(72,1)'
ok '--style' is "$status $(count '^Offset: return row \* 72 + col;$')" '0 1'
run '(2,3,4):(1,2,6)'
ok 'stages' is "$status $(line 2) $(count '^# stage [0-3] of 4$') $(count '^Stage: return offset / 6;$')" \
    '0 # 4 x 2 x 3 elements of f16, 48 bytes 4 1'
run '(3,5):(13,2)'
ok 'places without an element' is "$status $(count '(0, 0) *- *(0, 1)')" '0 1'
run --type=e3m2 '(8,64):(64,1)'
ok 'no lines of what does not fill them' is "$status $(count '128 bytes are not a whole number of 6-bit elements')" '0 1'
run --brief '(6,4,2):(1,6,24)' '(2,2):(2,1)'
ok 'several' is "$status $(count '^# (')" '0 2'
run --format=markdown '(2,3):(4,1)'
ok 'Markdown' is "$status $(lines_from 1)" '0 ### (2,3):(4,1);;2 x 3 elements of f16, 14 bytes.;;| offset in f16 | 0 | 1 | 2 |;| --- | --- | --- | --- |;'\
'| **0** | 0 | 1 | 2 |;| **1** | 4 | 5 | 6 |;;| | formula |;| --- | --- |;| offset | `((row & 1) << 2) + (col & 3)` |;'\
'| row | `offset / 4` |;| col | `offset % 4` |;'

# ---- Names ----

# PTX ISA, Matrix Descriptor Format: mode 1 at bit 62, 1024 / 16 at 32, and 1 at 16, as tests/examples/staging_test.py has it on
# an H200.
# PTX ISA, Strides: 8 rows of 128 bytes are one atom; the next along M or N is 1024 bytes further on.
run --extent=64,64 Layout_K_SW128_Atom
ok 'a descriptor' is "$status $(tail -n 4 "$folder/out" | sed '2d' | tr '\n' ';')" \
    '0 wgmma: 0x4000004000010000, K-major, 128-byte swizzle, bits 62-63 are 1;for address 0; stride byte offset 1024, leading byte offset unused (1);base offset 0 at multiples of 1024; K steps of 16 columns: bytes 0, 32, 64, 96;'
# PTX ISA 9.1, Table 40: mode 2 at bit 61, 0b001 at 46, 1024 / 16 at 32, and 1, which is assumed, at 16.
ok 'and that of tcgen05' is "$(tail -n 3 "$folder/out" | head -n 1)" \
    'tcgen05.mma: 0x4000404000010000, bits 61-63 are 2; not confirmed on hardware'
ok 'confirmed' is "$(count '^# source: isa (PTX ISA .*)$') $(count '^# confirmed on sm_90: NVIDIA H200')" '1 1'
run --extent=64,64 Layout_K_SW128_Atom
ok 'of several atoms one is confirmed' is "$(count '^# confirmed on sm_90: NVIDIA H200, .*, first atom only$')" 1
run '(8,64):(64,1)'
ok 'what is no atom is not confirmed' is "$status $(count '^# confirmed')" '0 0'
run --brief --source=isa,recorded Layout_K_SW128_Atom
ok 'sources' is "$status $(count '^# source: isa (PTX ISA .*; recorded: .*gpu (NVIDIA H200')" '0 1'
run --brief --source=recorded '(8,4):(4,1)' --type=tf32
ok 'an atom by its offsets, on the architecture of the record' is "$status $(line) $(count '^# source: recorded: gpu (NVIDIA H200')" \
    '0 # (8,4):(4,1) on sm_90 1'
run --format=json --extent=64,64 Layout_K_SW128_Atom
ok 'the descriptor in JSON' is "$status $(count '"descriptor":{"major":"k","swizzle":128,"mode":1,"leading":null,"stride":1024,"starts":\[0,32,64,96\],"base_offset":0,"value":"0x4000004000010000"}')" '0 1'
ok 'of tcgen05 in JSON' is "$(count '"tcgen05_descriptor":{"major":"k","swizzle":128,"mode":2,"leading":null,"stride":1024,"starts":\[0,32,64,96\],"atomicity":16,"confirmed":false,"base_offset":0,"value":"0x4000404000010000"}')" 1
run Layout_MN_SW128_32B_Atom
ok 'what is read as 32 bits alone' is "$(last)" 'With this swizzle, instructions read only 32-bit types, such as tf32.'
run --type=tf32 Layout_MN_SW128_32B_Atom
ok 'and in 8 columns' is "$(last)" 'One instruction needs 8 columns; --extent=32,8 shows them.'
run --type=tf32 --extent=32,16 Layout_MN_SW128_32B_Atom
ok 'what wgmma does not read' is "$status $(count '^wgmma cannot read this layout\.$') $(count '^tcgen05.mma: 0x[0-9a-f]*, MN-major, 128-byte swizzle, 32-byte atomicity,$')" '0 1 1'
run --type=tf32 --format=json --extent=32,16 Layout_MN_SW128_32B_Atom
ok 'has null in JSON' is "$status $(count '"descriptor":null,$') $(count '"tcgen05_descriptor":{"major":"mn","swizzle":128,"mode":1,')" '0 1 1'
run --type=b1 --extent=8,1024 Layout_K_SW128_Atom
ok 'what tcgen05 does not read' is "$status $(count '^tcgen05.mma cannot read this layout\.$')" '0 1'
run --format=json '(64,64):(64,1)'
ok 'what neither reads' is "$status $(count '"tcgen05_descriptor":null,$')" '0 1'
run --format=cuda --extent=64,16 Layout_MN_SW64_Atom
ok 'no architecture that is none' fails grep -q sm_0 "$folder/out"
run --brief --extent=8,32 RowMajor
ok 'RowMajor has rows first' is "$status $(count '^Offset: return ((row & 7) << 5) + (col & 31);$')" '0 1'
run --brief --extent=32,8 PitchLinear
ok 'PitchLinear has what is contiguous first' is "$status $(count '^Offset: return ((row & 7) << 5) + (col & 31);$')" '0 1'

# ---- Questions ----

# answers NAME EXPECTED OPTION...: all lines but the first.
answers() {
    name=$1 expected=$2
    shift 2
    run "$@"
    ok "$name" is "$status $(lines_from 2)" "0 $expected"
}
answers '--at' 'row  3, col  5: offset 221 (byte 442, bank 14);' --at=3,5 '(64,64):(72,1)'
answers 'a range' 'row  1, col  0: offset  8 (byte 16, bank 4);row  2, col  0: offset 16 (byte 32, bank 8);' --at=1-2,0 '(4,8):(8,1)'
answers 'all' 'row  0, col  7: offset  7 (byte 14, bank 3);row  1, col  7: offset 15 (byte 30, bank 7);row  2, col  7: offset 23 (byte 46, bank 11);row  3, col  7: offset 31 (byte 62, bank 15);' \
    '--at=*,7' '(4,8):(8,1)'
answers 'in all stages' 'stage 0, row  1, col  2: offset 10 (byte 20, bank 5);stage 1, row  1, col  2: offset 42 (byte 84, bank 21);' --at=1,2 '(4,8,2):(8,1,32)'
answers 'in one' 'stage 1, row  2, col  1: offset 49 (byte 98, bank 24);' --at=1,2,1 '(4,8,2):(8,1,32)'
answers '--offset' 'offset 217 (byte 434, bank 12): row  3, col  1;' --offset=217 '(64,64):(72,1)'
answers 'where there is no element' 'there is no element at this position;' --offset=70 '(64,64):(72,1)'
answers 'a range with such' 'offset 63 (byte 126, bank 31): row  0, col 63;offset 72 (byte 144, bank 4): row  1, col  0;' --offset=63-72 '(64,64):(72,1)'
answers 'of a stage' 'offset 40 (byte 80, bank 20): stage 1, row  1, col  0;' --offset=40 '(4,8,2):(8,1,32)'

# ---- Verdicts ----

run --verify='row = offset / 72; col = offset % 72' '(64,64):(72,1)'
ok 'the inverse, where there are elements' is "$status $(lines_from 2)" '0 Row: right at all 4096 entries;Col: right at all 4096 entries;'
run --format=json --verify='offset = row * 8 + col + (row == 3)' '(4,8):(8,1)'
ok 'wrong in one row of 8' is "$status $(grep -o '"entries":32,"wrong":8,"first":\[{"row":3,"col":0,"says":25,"is":24}' "$folder/out")" \
    '1 "entries":32,"wrong":8,"first":[{"row":3,"col":0,"says":25,"is":24}'
run --verify='offset = row * 64 + col' 'Sw<3,3,3> o 0 o (64,64):(64,1)'
ok 'without the swizzle: 7 of 8 rows' is "$status $(count 'wrong at 3584 of 4096')" '1 1'
run --format=json --verify='col = offset % 64' '(64,64):(72,1)'
ok 'where there are none, nothing is compared' is "$status $(grep -o '"entries":4096,"wrong":[0-9]*' "$folder/out")" '1 "entries":4096,"wrong":3584'

# ---- Refusals ----

# CuTe's types, cut off after each part; the place is counted by hand.
composed='ComposedLayout<Swizzle<3,3,3>'
refused 'a type without an offset' 2 'an offset is missing at the end' "$composed"
refused 'with a comma' 2 'an offset is missing at the end' "$composed,"
refused 'a type without a layout' 2 'Layout<...> is missing at the end' "$composed,_0"
refused 'with two commas' 2 'Layout<...> is missing at the end' "$composed,_0,"
refused 'a shape in the place of a layout' 2 "'ComposedLayout<Swizzle<3,3,3>,_0,Shape<_8>>' is not a valid layout: at character 34, 'Shape<_8>>': Layout<...> is missing" "$composed,_0,Shape<_8>>"
refused 'flag bits without a number' 2 "'ComposedLayout<Swizzle<3,3,3>,smem_ptr_flag_bits<>,Layout<_8>>' is not a valid layout: at character 50, '>,Layout<_8>>': expected the number of bits of an element, 1 to 128" "$composed,smem_ptr_flag_bits<>,Layout<_8>>"
refused 'flag bits that are not closed' 2 "'ComposedLayout<Swizzle<3,3,3>,smem_ptr_flag_bits<16,Layout<_8>>' is not a valid layout: at character 50, '16,Layout<_8>>': an element must have 1 to 128 bits" "$composed,smem_ptr_flag_bits<16,Layout<_8>>"
refused 'flag bits of nothing' 2 "'ComposedLayout<Swizzle<3,3,3>,smem_ptr_flag_bits<0>,Layout<_8>>' is not a valid layout: at character 50, '0>,Layout<_8>>': an element must have 1 to 128 bits" "$composed,smem_ptr_flag_bits<0>,Layout<_8>>"
refused 'flag bits of more than 128' 2 "'ComposedLayout<Swizzle<3,3,3>,smem_ptr_flag_bits<129>,Layout<_8>>' is not a valid layout: at character 50, '129>,Layout<_8>>': an element must have 1 to 128 bits" "$composed,smem_ptr_flag_bits<129>,Layout<_8>>"

# K of f16 is 16 columns of 32 bytes: 4 of them in 128 bytes, and 1024 bytes on for the next 64 columns of 8 rows.
run -a90 --type=f16 Layout_K_SW128_Atom --extent=8,256
ok 'where instructions begin' is "$(tail -n 2 "$folder/out" | tr '\n' ' ')" \
    'base offset 0 at multiples of 1024; K steps of 16 columns: bytes 0, 32, 64, 96,   1024, 1056, 1088, 1120, 2048, 2080, 2112, 2144, 3072, 3104, 3136, 3168 '
run -a100 --type=tf32 Layout_MN_SW128_32B_Atom --extent=32,8
ok 'enough columns for an instruction' is "$(count '^One instruction needs')" 0
run -a100 --type=tf32 Layout_MN_SW128_32B_Atom --extent=32,4
ok 'too few of them' is "$(count '^One instruction needs 8 columns; --extent=32,8 shows them.$')" 1
finish
