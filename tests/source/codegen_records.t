#!/bin/sh
# The SASS of opcodes: results/sass.txt, compared with the installed tools, and with fake ones.
#
# Expected values: ptxas; listings written by hand, replayed by the fake tools.
. "$(dirname "$0")/../lib/tap.sh"
. "$here/sass/fake.sh"

recorded=$root/results/sass.txt
export CUDA_VISIBLE_DEVICES='' TMPDIR="$folder/tmp" LISTING="$folder/listing"
mkdir "$TMPDIR"

: "${LIST_OPCODES:?the program build/list_opcodes}"
"$LIST_OPCODES" > "$folder/opcodes"
asked=$folder/opcodes
sass() {
    set_tools
    python3 "${script:-$root/src/tools/sass.py}" "$@" < "$asked" > "$folder/out" 2> "$folder/err"
    status=$?
}

# ---- Rows that are malformed stop the build ----

# malformed NAME LINE SED SENTENCE
embed=$(dirname "$LIST_OPCODES")/embed
{ head -n 12 "$recorded" && tail -n 1 "$recorded"; } > "$folder/few.txt"
malformed() {
    sed "$2" "$folder/few.txt" > "$folder/bent.txt"
    "$embed" "$folder/bent.txt" "$root/results/mma.txt" > /dev/null 2> "$folder/err"
    ok "$1" is "$? $(sed 's/\(is unknown: \).*/\1(line)/' "$folder/err")" "1 embed: $3"
}
row="$folder/bent.txt: cannot read this line, or its SASS instruction is unknown: (line)"
malformed 'no number' '10s/: [0-9]* /: /' "$row"
malformed 'no name' '10s/HMMA[^;]*//' "$row"
malformed 'not of tensor cores' '10s/HMMA/FADD/g' "$row"
malformed 'fewer than those of tensor cores' '10s/: [0-9]* /: 300 /' "$row"
malformed 'more on the line' '10s/$/ x/' "$row"
malformed 'no newline at the end' '$s/ins.*/instruct/' "$row"
malformed 'an opcode that does not exist' '10s/m16n16k16/m16n16k17/' \
    "$(sed -n '10s/ on.*//p' "$recorded" | sed 's/m16n16k16/m16n16k17/'): is no opcode"
malformed 'an architecture that does not exist' '10s/on sm_[0-9]*/on sm_71/' "$row"
malformed 'a list that is not closed' '$s/$/{8..16/' "$row"
"$embed" "$recorded" "$root/results/mma.txt" > /dev/null 2> "$folder/err"
ok 'an architecture without records' is "$? $(cat "$folder/err")" \
    "1 embed: results: has no records of sm_70; make them: make results FILES=results/wmma.txt NEW=\"--arch=sm_70 'wmma.*'\" TOOLKITS=DIR"
"$embed" --new "$recorded" "$root/results/mma.txt" > "$folder/out" 2> "$folder/err"
ok 'which make results allows' is "$? $(tail -n 1 "$folder/out" | cut -c 5-) $(cat "$folder/err")" '0 .section .note.GNU-stack, "", %progbits '

if ! has python3; then
    skip 'what opcodes become' python3
    finish
    exit
fi

asks_for_no_newer_ptx() { "$LIST_OPCODES" | PYTHONPATH=$root/src/tools PYTHONDONTWRITEBYTECODE=1 python3 "$here/ptx_versions_test.py"; }
ok 'the PTX asks for no newer version than what is in it needs' asks_for_no_newer_ptx

# ---- The tools that are here ----

for bin in $(echo "${CUDA_HOME:+$CUDA_HOME/bin:}$PATH" | tr : '\n' | awk '!seen[$0]++'); do
    [ -x "$bin/ptxas" ] && [ -x "$bin/nvdisasm" ] || continue
    version=$("$bin/ptxas" --version | sed -n 's/.*, V//p')
    for arch in $(sed -n "s/^# source: ptxas $version, .*: //p" "$recorded" | tr -d ,); do
        case $arch in sm_70 | sm_75 | sm_80 | sm_120) ;; *) continue ;; esac
        sass --check --arch="$arch" "$bin"
        ok "ptxas $version makes of the opcodes of $arch what is recorded" is \
            "$status $(count "^ok    [0-9]* opcodes on $arch: sass (ptxas $version, ") $(count '^FAIL')" '0 1 0'
    done
done
unset CUDA_HOME CUDA_PATH

# ---- Fake tools ----

# Only the opcodes of sm_70: the others would be read for nothing.
asked=$folder/opcodes_of_sm_70
awk 'NF == 2 || ("," $3 ",") ~ /,sm_70,/' "$folder/opcodes" > "$asked"

# Of every opcode of sm_70 there are 60 kernels k0 to k59, behind which come those without the opcode. All of the first
# kind become the given instructions, and those of the second kind end at once.
opcodes=60
list() { # INSTRUCTION...
    awk -v opcodes=$opcodes 'BEGIN {
        for (k = 0; k < 2 * opcodes; k++) {
            printf "\t.section\t.text.k%d,\"ax\",@progbits\n", k
            address = 0
            for (a = 1; k < opcodes && a < ARGC; a++)
                printf "        /*%04x*/                   %s ;\n", 16 * address++, ARGV[a]
            printf "        /*%04x*/                   EXIT ;\n", 16 * address
        }
    }' "$@" > "$LISTING"
}
nothing_left() { is "$(ls -A "$TMPDIR")" ''; }

# becomes NAME OUTCOME INSTRUCTION...: the result if opcodes compile to these instructions
becomes() {
    name=$1 outcome=$2
    shift 2
    list "$@"
    sass --arch=70 "$fake"
    ok "$name" is "$status $(grep -v '^#' "$folder/out" | sed 's/.* on sm_70: //' | sort | uniq -c | tr -s ' ')" "0  $opcodes $outcome"
}
hmma='HMMA.884.F32.F32.STEP0 R4, R2, R3, R4'
becomes 'one instruction' '1 HMMA.884.F32.F32.STEP0; 1 instruction' "$hmma"
ok 'the head says with which tools' is "$(sed -n 4p "$folder/out")" '# source: ptxas 1.2.3, nvdisasm 1.2.4: sm_70'
becomes 'equal ones that follow each other are a run' '2 HMMA.884.F32.F32.STEP0; 2 instructions' "$hmma" "$hmma"
becomes 'so are those that others stand between' '2 HMMA.884.F32.F32.STEP0; 3 instructions' "$hmma" 'FADD R1, R1, R1' "$hmma"
becomes 'different ones are not' '1 HMMA.884.F32.F32.STEP0, 1 LDSM.16.M88, 1 HMMA.884.F32.F32.STEP0; 3 instructions' \
    "$hmma" 'LDSM.16.M88 R1, [R1]' "$hmma"
becomes 'none of tensor cores' 'none; 2 instructions' 'FADD R1, R1, R1' 'HFMA2.MMA R1, R1, R1, R1'
becomes 'what is never executed is not counted' '1 HMMA.884.F32.F32.STEP0; 2 instructions' \
    "$hmma" '@!PT HMMA.884.F32.F32.STEP0 R4, R2, R3, R4' '@!UPT UIADD3 URZ, URZ, URZ, URZ' '@!P0 FADD R1, R1, R1'
becomes 'padding and constants are not counted' '1 HMMA.884.F32.F32.STEP0; 1 instruction' \
    'LDC.64 R2, c[0x0][0x210]' 'ULDC UR4, c[0x0][0x208]' 'LDCU UR4, c[0x0][0x208]' "$hmma" 'NOP'
ok 'no temporary folder is left' nothing_left

# ---- Differences ----

# A ptxas of the version that is recorded of sm_70.
cp -r "$fake" "$folder/same"
sed -i 's/V1\.2\.3/V12.8.61/' "$folder/same/ptxas"
list "$hmma"
sass --check --arch=70 "$folder/same"
ok 'what differs from what is recorded is found' is "$status $(count '^FAIL') $(count '^ok')" "1 $opcodes 1"
ok 'both are shown' is "$(head -n 1 "$folder/out")" \
    'FAIL  wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 on sm_70: ptxas 12.8.61 gives 1 HMMA.884.F32.F32.STEP0; 1 instruction; recorded is'\
" $(sed -n 's/^wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 on sm_70, sm_72: \(.*\) instructions$/\1/p' "$recorded")"
sass --check --arch=70 "$fake"
ok 'another ptxas checks nothing' is "$status $(cat "$folder/out" "$folder/err")" '3 sass: nothing could be checked'

# ---- Tools that are others, or fail ----

fails() { # NAME SENTENCE [STATUS]
    sass --arch=70 "$fake"
    ok "$1" is "$status $(wc -c < "$folder/out") $(grep -c -e "$2" "$folder/err") $(wc -l < "$folder/err")" "${3:-5} 0 1 1"
    ok "$1: no temporary folder is left" nothing_left
}
list "$hmma" 'FADD R1, R1, R1'
FAKE_PTXAS=fail
fails 'ptxas fails' 'sass: '
FAKE_PTXAS=crash
fails 'ptxas crashes' 'was killed by signal 11'
FAKE_PTXAS=unknown
fails 'ptxas does not know the architecture' 'no ptxas here knows all opcodes of sm_70' 3
FAKE_PTXAS='' FAKE_NVDISASM=fail
fails 'nvdisasm fails' 'it does not please'
FAKE_NVDISASM=garbage
fails 'nvdisasm prints something else' 'nvdisasm printed no code for wmma.mma'
FAKE_NVDISASM=binary
fails 'nvdisasm prints no text' 'nvdisasm printed no code for wmma.mma'
FAKE_NVDISASM=flood
fails 'nvdisasm prints without end' 'nvdisasm printed more than 64 MiB'
FAKE_NVDISASM=nameless
fails 'nvdisasm has no version' '--version printed no version'
FAKE_NVDISASM=''
bend() { list "$hmma" 'FADD R1, R1, R1' && sed "$1" "$LISTING" > "$folder/bent" && mv "$folder/bent" "$LISTING"; }
bend 's/text\.k5,/text.other,/'
fails 'code of something else' 'there is code of other, which is no kernel'
bend 's/text\.k5,/text.k500,/'
fails 'a kernel is missing' 'nvdisasm printed no code for wmma.mma'
bend '0,/0010/s/0010/0020/'
fails 'an instruction is missing' ', expected 0x'
bend '0,/FADD/s/FADD/fadd/'
fails 'no instruction' 'cannot parse'
bend '/text.k60,/,$s/EXIT/FADD R1, R1, R1 ;\n        \/*0010*\/ FADD R1, R1, R1 ;\n        \/*0020*\/ EXIT/'
fails 'no more instructions than without the opcode' 'makes 3 instructions of 3, 1 of tensor cores'

# ---- make sass ----

# assembler FOLDER VERSION UNKNOWN: makes fake tools. Its ptxas keeps the PTX, and does not know
# targets that match the pattern UNKNOWN. Its nvdisasm prints one instruction for each opcode, with
# the opcode in its name; m64n8k16 becomes 64x8x16, as in SASS.
assembler() {
    mkdir "$folder/$1"
    cat > "$folder/$1/ptxas" << TOOL
#!/bin/sh
[ "\$1" = --version ] && echo 'Cuda compilation tools, release 1.2, V$2' && exit
case \$* in *sm_$3*) echo "ptxas fatal   : Value '\$2' is not defined for option 'gpu-name'" >&2 && exit 255 ;; esac
for word; do case \$word in *.ptx) ptx=\$word ;; esac done
while [ \$# -gt 1 ]; do
    [ "\$1" = -o ] && cp "\$ptx" "\$2"
    shift
done
TOOL
    cat > "$folder/$1/nvdisasm" << TOOL
#!/bin/sh
[ "\$1" = --version ] && echo 'Cuda compilation tools, release 1.2, V$2' && exit
for cubin; do :; done
exec awk '
function instruction(text) { printf "        /*%04x*/                   %s ;\n", 16 * address++, text }
/\.entry/ { sub(/\(.*/, "", \$3); printf "\t.section\t.text.%s,\"ax\",@progbits\n", \$3; address = 0 }
\$1 ~ /^(wmma\.mma|mma|ldmatrix|stmatrix|movmatrix|wgmma\.mma_async|tcgen05\.(ld|st|mma))[.]/ {
    name = toupper(\$1); gsub(/::/, ".", name); sub(/\.SHARED/, "", name); if (sub(/M64N/, "64x", name)) sub(/K/, "x", name)
    instruction("HMMA." name " R1, R2")
}
\$1 == "ret;" { instruction("EXIT") }' "\$cubin"
TOOL
    chmod +x "$folder/$1/ptxas" "$folder/$1/nvdisasm"
}
spread() { # "OPCODE sm_NN" for every opcode and architecture of a file
    PYTHONPATH=$tests/lib python3 "$tests/lib/records.py" sass "$1" | sed -n 's/^\([^# ]*\) on \(sm_[^:]*\): .*/\1 \2/p' |
        awk '{ gsub(/,/, ""); for (f = 2; f <= NF; f++) print $1, $f }' | sort
}
asked=$folder/opcodes
assembler old 1.9.9 1000
assembler new 1.10 '7[02]'
archs=$(PYTHONPATH=$tests/lib python3 -c 'import sys, tap; print(*tap.architectures(sys.argv[1]), sep=", ")' "$MAPPING")
newer=${archs#sm_70, sm_72, }
sass "$folder/old" "$folder/new"
ok 'make sass measures with two toolkits' is "$status $(cat "$folder/err")" '0 '
spread "$recorded" > "$folder/expected"
spread "$folder/out" > "$folder/spread"
ok 'each opcode on each architecture that ptxas has it for' cmp "$folder/expected" "$folder/spread"
ok 'each becomes what its own kernel has' is "$(awk '!/^#/ {
    name = toupper($1); gsub(/::/, ".", name); if (sub(/M64N/, "64x", name)) sub(/K/, "x", name)
    if (substr($0, index($0, ": ") + 2) != "1 HMMA." name "; 1 instruction") print
}' "$folder/out")" ''
ok 'of two toolkits the newer one measures, unless it does not know the architecture' is "$(grep '^# source' "$folder/out")" \
    "# source: ptxas 1.9.9, nvdisasm 1.9.9: sm_70, sm_72
# source: ptxas 1.10, nvdisasm 1.10: $newer"
widths() { grep -o 'm64n{[^k]*' "$1" | sort -u; }
ok 'lines of wgmma that differ in N are one' is "$(widths "$folder/out")" "$(widths "$recorded")"
cp "$folder/out" "$folder/all"
sass --arch=75 "$folder/old" "$folder/new"
cp "$folder/out" "$folder/one_way"
sass --arch=75 "$folder/new" "$folder/old"
ok 'whichever is named first' cmp "$folder/one_way" "$folder/out"
sass --arch=70 "$folder/new"
ok 'an architecture that no toolkit knows' is "$status $(cat "$folder/out" "$folder/err")" \
    '3 sass: no ptxas here knows all opcodes of sm_70; name one more folder'

# All opcodes of sm_70 and sm_72, and one in 4 of the others; with THOROUGH=1 all.
asked=$folder/some_opcodes
awk -v n="$(one_in 4)" 'NF == 2 || ("," $3 ",") ~ /,sm_7[02],/ || NR % n == 0' "$folder/opcodes" > "$asked"
# of_asked FILE N: the lines whose field N is one of these, also with ordered metadata.
of_asked() { awk -v n="$2" 'NR == FNR { asked[$1]; next } { name = $n; is_asked = name in asked }
    is_asked || (sub(/::ordered_metadata/, "", name) && name in asked)' "$asked" "$1"; }
of_asked "$folder/expected" 1 > "$folder/expected_some"
sass "$folder/new"
kept="sass: sm_70, sm_72 stay as they are, because no ptxas here knows all their opcodes"
ok 'without --arch its lines stay' is "$status $(cat "$folder/err") $(grep '^# source' "$folder/out")" \
    "0 $kept $(grep '^# source.*: sm_70, sm_72$' "$recorded")
# source: ptxas 1.10, nvdisasm 1.10: $newer"
outcomes() { # "sm_NN OPCODE OUTCOME" for the architectures of a file that match a pattern
    PYTHONPATH=$tests/lib python3 "$tests/lib/records.py" sass "$1" | sed -n 's/^\([^# ]*\) on \(sm_[^:]*\): \(.*\)/\2|\1 \3/p' |
        awk -F'|' '{ n = split($1, archs, ", "); for (a = 1; a <= n; a++) print archs[a], $2 }' | grep "^sm_$2 " | sort
}
outcomes "$folder/out" '7[02]' > "$folder/kept"
ok 'all of them' is "$(outcomes "$recorded" '7[02]' | cmp - "$folder/kept") $(wc -l < "$folder/kept")" " $(
    grep -c ' sm_7[02]$' "$folder/expected_some")"
outcomes "$folder/out" '\(7[^02]\|[^7].*\)' > "$folder/measured"
outcomes "$folder/all" '\(7[^02]\|[^7].*\)' > "$folder/all_measured"
ok 'and the others are measured' is "$(of_asked "$folder/all_measured" 2 | cmp - "$folder/measured") $(
    wc -l < "$folder/measured")" " $(grep -vc ' sm_7[02]$' "$folder/expected_some")"
sass "$folder/none"
ok 'no tools' is "$status $(wc -c < "$folder/out") $(wc -l < "$folder/err")" '3 0 1'
sass --arch=sm_71 "$folder/old"
ok 'an architecture that does not exist' is "$status $(cat "$folder/out" "$folder/err")" '2 sass: there is no architecture sm_71'
python3 "$root/src/tools/sass.py" --arch=75 "$folder/new" < "$folder/opcodes" > /dev/full 2> "$folder/err"
ok 'output that cannot be written' [ $? != 0 ]

# A copy of the script compares with its earlier output.
mkdir -p "$folder/copy/src/tools" "$folder/copy/results"
cp "$root/src/tools/sass.py" "$folder/copy/src/tools"
cp "$folder/all" "$folder/copy/results/sass.txt"
script=$folder/copy/src/tools/sass.py
sass --check "$folder/new" "$folder/old"
ok 'what is the same as recorded passes the check' is "$status $(cat "$folder/err") $(count .) $(
    awk '$1 == "ok" { all += $2 } END { print all }' "$folder/out")" "0  $(echo "$archs" | wc -w) $(wc -l < "$folder/expected_some")"
sass --check "$folder/old"
ok 'an architecture is skipped if the ptxas that is recorded is not here' is \
    "$status $(count '^skip  [0-9]* opcodes on sm_[0-9]*: the ptxas that is recorded is not here$') $(count '^ok')" "0 $(echo "$newer" | wc -w) 2"
asked=$folder/opcodes_of_wgmma
awk 'NF == 2 || /^wgmma/' "$folder/opcodes" > "$asked"
sed -i '0,/^wgmma/s/^\(wgmma.*\): 1 HMMA/\1: 2 HMMA/' "$folder/copy/results/sass.txt"
sass --check --arch=90 "$folder/new"
ok 'each N of a row that differs is told' is "$status $(cat "$folder/err") $(count '^FAIL  wgmma.* gives 1 HMMA.*; recorded is 2 HMMA.*; 1$')" \
    "1 sass: 32 outcomes differ 32"
sed -i '/^wgmma.*f32.f16/d' "$folder/copy/results/sass.txt"
sass --check --arch=90 "$folder/new"
ok 'so is what is not recorded' is "$(count '^FAIL  wgmma.*; nothing is recorded$') $(count '^FAIL')" \
    "$(grep -c '^wgmma.*f32.f16.* sm_90$' "$folder/expected") $(grep -c '^wgmma.*f32.f16.* sm_90$' "$folder/expected")"
unset script
ok 'no temporary folder is left' nothing_left
finish
