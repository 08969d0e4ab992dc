#!/bin/sh
# What opcodes become: results/sass.txt, checked with the tools that are here, and with stand-ins for these.
. "$(dirname "$0")/../tap.sh"

recorded=$root/results/sass.txt fake=$here/sass/fake
export CUDA_VISIBLE_DEVICES='' TMPDIR="$folder/tmp" LISTING="$folder/listing"
mkdir "$TMPDIR"

# ---- The tools that are here ----

for bin in $(echo "${CUDA_HOME:+$CUDA_HOME/bin:}$PATH" | tr : '\n' | awk '!seen[$0]++'); do
    [ -x "$bin/ptxas" ] && [ -x "$bin/nvdisasm" ] || continue
    version=$("$bin/ptxas" --version | sed -n 's/.*, V//p')
    for arch in $(sed -n "s/^# source: ptxas $version, .*: //p" "$recorded" | tr -d ,); do
        case $arch in sm_70 | sm_75 | sm_80 | sm_120) ;; *) continue ;; esac
        run --check "$recorded" --cuda="$bin" --arch="$arch"
        ok "ptxas $version makes of the opcodes of $arch what is recorded" is \
            "$status $(last)" '0 1 sections: 1 confirmed, 0 different, 0 not checked'
    done
done
unset CUDA_HOME CUDA_PATH

# ---- Stand-ins ----

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
# A file for sm_70 in which all opcodes become the same.
record() { # OUTCOME
    printf '%s\n' '# What every opcode becomes when ptxas assembles it: `make sass`' '# second line' \
        '# source: ptxas 1.2.3, nvdisasm 1.2.4: sm_70'
    sed -n 's/ on sm_70[,:].*/ on sm_70: /p' "$recorded" | sed "s/\$/$1/"
}
file=$folder/file.txt
check() { run --check "$file" --cuda="$fake" "$@"; }
nothing_left() { is "$(ls -A "$TMPDIR")" ''; }
ok "sm_70 has $opcodes opcodes" is "$(record x | grep -vc '^#')" $opcodes

# becomes NAME OUTCOME INSTRUCTION...: what is found where opcodes become these instructions
becomes() {
    name=$1 outcome=$2
    shift 2
    list "$@"
    record "$outcome" > "$file"
    check
    ok "$name" is "$status $(cat "$folder/out")" "0 ok    $opcodes opcodes on sm_70: sass (ptxas 1.2.3, nvdisasm 1.2.4)
1 sections: 1 confirmed, 0 different, 0 not checked"
}
hmma='HMMA.884.F32.F32.STEP0 R4, R2, R3, R4'
becomes 'one instruction' '1 HMMA.884.F32.F32.STEP0; 1 instruction' "$hmma"
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

list "$hmma" 'FADD R1, R1, R1'
good='1 HMMA.884.F32.F32.STEP0; 2 instructions'
differs() { # NAME SED FAILURES
    record "$good" | sed "$2" > "$file"
    check
    ok "$1" is "$status $(count '^FAIL') $(last)" "1 $3 1 sections: 0 confirmed, 1 different, 0 not checked"
}
differs 'one number of instructions' '10s/2 i/3 i/' 1
ok 'both are shown' is "$(sed '1s/.*on sm_70/OPCODE on sm_70/' "$folder/out" | head -3)" \
    "OPCODE on sm_70: $file differs from ptxas 1.2.3
  has   1 HMMA.884.F32.F32.STEP0; 3 instructions
  wants $good"
differs 'one number of tensor-core instructions' '10s/: 1 H/: 2 H/' 1
differs 'one name' '10s/STEP0/STEP1/' 1
differs 'no tensor core' '10s/: 1 H.*;/: none;/' 1
differs 'a few are shown' '10,14s/2 i/3 i/' 5
differs 'of many, how many more' '10,30s/2 i/3 i/' 6
ok 'and they are counted' says 'FAIL  16 more opcodes on sm_70 differ' "$folder/out"

# ---- Files that are malformed ----

malformed() { # NAME SED SENTENCE
    record "$good" | sed "$2" > "$file"
    refused "$1" 2 "$3" --check="$file" --cuda="$fake"
}
row="expected 'OPCODE on sm_NN, ...: 2 NAME, ...; 3 instructions'"
malformed 'another title' '1s/every/any/' "line 1: expected '# FRAGMENT on sm_NN'"
malformed 'no source' '3d' 'line 3: expected architectures that have the opcode, that a source is named for'
malformed 'a source without version' '3s/1.2.3/x/' "line 3: expected '# source: ptxas VERSION, nvdisasm VERSION: sm_NN, ...'"
malformed 'a source without architectures' '3s/sm_70//' "line 3: expected '# source:"
malformed 'a source of an architecture that does not exist' '3s/$/, sm_71/' "line 3: expected '# source:"
malformed 'two sources of an architecture' '3p' "line 4: expected '# source:"
malformed 'a source with no opcodes' '3s/$/, sm_72/' 'line 5: expected wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 on sm_72'
malformed 'no number' '10s/: 1/:/' "line 10: $row"
malformed 'no name' '10s/HMMA[^;]*//' "line 10: $row"
malformed 'not of tensor cores' '10s/HMMA/FADD/' "line 10: $row"
malformed 'fewer than those of tensor cores' '10s/: 1/: 3/' "line 10: $row"
malformed 'more on the line' '10s/$/ x/' "line 10: $row"
malformed 'no newline at the end' '$s/ins.*/instruct/' "$row"
malformed 'an opcode that does not exist' '10s/m16n16k16/m16n16k17/' 'line 10: expected wmma.mma'
malformed 'an opcode of another architecture' '10s/on /on sm_72, /' "line 10: $row"
malformed 'an architecture without source' '10s/sm_70/sm_70, sm_72/' \
    'line 10: expected architectures that have the opcode, that a source is named for, and each once'
malformed 'an opcode is missing' '10d' 'line 10: expected wmma.mma'
malformed 'an opcode is there twice' '10p' 'line 11: expected architectures that have'
malformed 'out of order' '10{h;d};11G' 'line 10: expected wmma.mma'
malformed 'an empty line' '10s/^/\n/' 'line 10: expected wmma.mma'
malformed 'more behind the last' '$s/$/\nx/' 'expected no other line'
malformed 'carriage returns' 's/$/\r/' 'has carriage returns'
record "$good" | head -c 3000 > "$file"
refused 'a truncated file' 2 'file.txt is malformed: line 33: expected wmma.mma' --check="$file" --cuda="$fake"
record "$good" > "$file"
refused '--confirm' 2 'has no sections that --confirm could add to; make sass makes it' --confirm="$file"

# ---- Tools that are others, or fail ----

record "$good" | sed '3s/1\.2\.3/1.2.5/' > "$file"
refused 'another ptxas' 3 'nothing could be checked; sass: ptxas 1.2.5 is not here' --check="$file" --cuda="$fake"
record "$good" | sed '3s/1\.2\.4/1.2.5/' > "$file"
check
ok 'another nvdisasm will do' is "$status $(count '^ok')" '0 1'
record "$good" > "$file"
refused 'no tools' 3 'nothing could be checked; sass: neither ptxas nor nvdisasm' --check="$file" --cuda="$folder"
refused 'another source' 3 'nothing could be checked' --check="$file" --cuda="$fake" --source=isa
refused 'another architecture' 3 'nothing could be checked' --check="$file" --cuda="$fake" --arch=75
run --source=recorded --arch=70 wmma.m16n16k16.a.row.f16
sed 's/recorded: //' "$folder/out" > "$folder/section.txt"
record "$good" | sed '3s/1\.2\.3/1.2.5/' > "$file"
LISTING=$here/sass/listings/sm_70.txt
export LISTING
run --check "$recorded" "$file" --source=sass --cuda="$fake"
ok 'of what is of other tools, all is skipped' is "$status" 3
run --source=recorded --arch=70 wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f16 wmma.m16n16k16.a.row.f16 wmma.m32n8k16.b.row.f16
sed 's/recorded: //' "$folder/out" > "$folder/sections.txt"
run --check "$folder/sections.txt" "$file" --source=sass --cuda="$fake"
ok 'beside sections that are confirmed' is "$status $(count '^skip  60 opcodes on sm_70: not compared, they are of ptxas 1.2.5, which is not here$') $(last)" \
    '0 1 5 sections: 4 confirmed, 0 different, 1 not checked'
LISTING=$folder/listing

record "$good" > "$file"
fails() { # NAME SENTENCE
    refused "$1" 5 "$2" --check="$file" --cuda="$fake"
    ok "$1: no temporary folder is left" nothing_left
}
export FAKE_PTXAS FAKE_NVDISASM
FAKE_PTXAS=fail
fails 'ptxas fails' 'sass: '
FAKE_PTXAS=crash
fails 'ptxas crashes' 'was ended by signal 11'
FAKE_PTXAS=unknown
refused 'ptxas does not know the architecture' 3 'nothing could be checked' --check="$file" --cuda="$fake"
FAKE_PTXAS='' FAKE_NVDISASM=fail
fails 'nvdisasm fails' 'it does not please'
FAKE_NVDISASM=garbage
fails 'nvdisasm prints something else' 'nvdisasm printed no code for wmma.mma'
FAKE_NVDISASM=binary
fails 'nvdisasm prints no text' 'printed no text'
FAKE_NVDISASM=flood
fails 'nvdisasm prints without end' 'printed more than 64 MiB'
FAKE_NVDISASM=nameless
fails 'nvdisasm has no version' '--version names no version'
FAKE_NVDISASM=hang
refused 'nvdisasm hangs' 5 'did not end within 1 s' --check="$file" --cuda="$fake" --timeout=1
FAKE_NVDISASM=''
bend() { list "$hmma" 'FADD R1, R1, R1' && sed "$1" "$LISTING" > "$folder/bent" && mv "$folder/bent" "$LISTING"; }
bend 's/text\.k5,/text.other,/'
fails 'code of something else' 'there is code of other, which is no kernel'
bend 's/text\.k5,/text.k500,/'
fails 'a kernel is missing' 'nvdisasm printed no code for wmma.mma'
bend '0,/0010/s/0010/0020/'
fails 'an instruction is missing' 'is expected'
bend '0,/FADD/s/FADD/fadd/'
fails 'no instruction' 'is not understood'
bend '/text.k60,/,$s/EXIT/FADD R1, R1, R1 ;\n        \/*0010*\/ FADD R1, R1, R1 ;\n        \/*0020*\/ EXIT/'
fails 'no more instructions than without the opcode' 'makes 3 instructions of 3, 1 of tensor cores'
list $(i=0; while [ $i -lt 40 ]; do echo HMMA.16816.F32.AVERYLONGNAME IMMA.16816.S8.S8.AVERYLONGNAME; i=$((i + 1)); done)
fails 'more than there is room for' 'makes 81 instructions of 1, 80 of tensor cores'
unset FAKE_PTXAS FAKE_NVDISASM

# ---- make sass ----

# assembler FOLDER VERSION UNKNOWN: its ptxas keeps the PTX, and does not know the targets UNKNOWN, a pattern; its nvdisasm
# makes one instruction of each opcode, with the opcode in its name.
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
    name = toupper(\$1); gsub(/::/, ".", name); sub(/\.SHARED/, "", name); instruction("HMMA." name " R1, R2")
}
\$1 == "ret;" { instruction("EXIT") }' "\$cubin"
TOOL
    chmod +x "$folder/$1/ptxas" "$folder/$1/nvdisasm"
}
spread() { # "OPCODE sm_NN" for every opcode and architecture of a file
    sed -n 's/^\([^# ]*\) on \(sm_[^:]*\): .*/\1 \2/p' "$1" |
        awk '{ gsub(/,/, ""); for (f = 2; f <= NF; f++) print $1, $f }' | sort
}
sass() {
    "$SASS" "$@" > "$folder/out" 2> "$folder/err"
    status=$?
}
if [ -x "${SASS:-}" ]; then
    assembler old 1.9.9 1000
    assembler new 1.10 '7[02]'
    sass "$folder/old" "$folder/new"
    ok 'make sass measures with two toolkits' is "$status $(cat "$folder/err")" '0 '
    spread "$recorded" > "$folder/expected"
    spread "$folder/out" > "$folder/spread"
    ok 'each opcode on each architecture that ptxas has it for' cmp "$folder/expected" "$folder/spread"
    ok 'each becomes what its own kernel has' is "$(awk '!/^#/ {
        name = toupper($1); gsub(/::/, ".", name)
        if (substr($0, index($0, ": ") + 2) != "1 HMMA." name "; 1 instruction") print
    }' "$folder/out")" ''
    ok 'of two toolkits the newer one measures, unless it does not know the architecture' is "$(grep '^# source' "$folder/out")" \
        "# source: ptxas 1.9.9, nvdisasm 1.9.9: sm_70, sm_72
# source: ptxas 1.10, nvdisasm 1.10: sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121"
    cp "$folder/out" "$folder/one_way"
    sass "$folder/new" "$folder/old"
    ok 'whichever is named first' cmp "$folder/one_way" "$folder/out"
    sass "$folder/new"
    ok 'an architecture that no toolkit knows' is "$status $(cat "$folder/out" "$folder/err")" \
        '3 sass: no ptxas here knows all opcodes of sm_70; name one more folder'
    sass "$folder/none"
    ok 'no tools' is "$status $(wc -c < "$folder/out") $(wc -l < "$folder/err")" '3 0 1'
    full=$("$SASS" "$folder/old" 2>&1 > /dev/full)
    ok 'output that cannot be written' is "$? $full" '5 sass: standard output could not be written'
    ok 'no temporary folder is left' nothing_left
else
    skip 'make sass' 'SASS is not set'
fi
finish
