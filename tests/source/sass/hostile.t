#!/bin/sh
# Tools with malicious output: it must not exhaust memory or time, and must not control a terminal. The program must
# reject it with one message, within 20 seconds of processor time and 640 MB of address space.
. "$(dirname "$0")/../../lib/tap.sh"

export CUDA_VISIBLE_DEVICES='' TMPDIR="$folder/tmp"
mkdir "$TMPDIR" "$folder/tools"
tools=$folder/tools
version='[ "$1" = --version ] && { echo "release 1.2, V1.2.3"; exit; }'
tool() { printf '#!/bin/sh\n%s\n' "$2" > "$tools/$1" && chmod +x "$tools/$1"; }
# A program with AddressSanitizer reserves terabytes.
bounded() { (ulimit -t 20 && ulimit -v 640000 && exec "$MAPPING" "$@"); }
bounded --version > /dev/null 2>&1 || bounded() { (ulimit -t 20 && exec "$MAPPING" "$@"); }
refused_in_time() { # NAME SENTENCE
    name=$1 sentence=$2 expected=5
    bounded --source=sass --arch=100 --timeout=300 --cuda="$tools" > "$folder/out" 2> "$folder/err"
    status=$?
    ok "$name" bounded_refusal
}
bounded_refusal() { refused_as_expected && is "$(tr -d '\n -~' < "$folder/err")" ''; }
# What nvdisasm prints.
listing=$folder/listing
well() { tool ptxas "$version"'; while [ $# -gt 1 ]; do [ "$1" = -o ] && echo > "$2"; shift; done'; }
well
tool nvdisasm "$version; exec cat '$listing'"
code='.section .text.k0'

# ---- Much ----

seq 200000 | sed 's/.*/\t.section\t.text.f&,"ax",@progbits/' > "$listing"
refused_in_time '200,000 sections' 'nvdisasm printed no code for wmma.m16n16k16.d.f32 (kernel k0)'
many() { yes "$1" | head -n "$2"; }
many "$code" 1048577 > "$listing"
refused_in_time 'a million sections' 'the listing has more than 262144 lines'
(echo "$code" && many '.L_:' 1048577) > "$listing"
refused_in_time 'a million labels' 'the listing has more than 262144 lines'
awk -v code="$code" 'BEGIN { print code; for (n = 0; n <= 262144; n++) printf "/*%x*/NOP;\n", 16 * n }' > "$listing"
refused_in_time '262,145 instructions' 'the listing has more than 262144 lines'
many "$code" 262143 > "$listing"
refused_in_time '262,143 sections' 'nvdisasm printed no code for wmma.m16n16k16.d.f32 (kernel k0)'
awk -v code="$code" 'BEGIN { print code; for (n = 0; n < 262142; n++) printf "/*%x*/NOP;\n", 16 * n }' > "$listing"
refused_in_time '262,142 instructions' 'the kernel does not end within 10000 instructions'
awk -v code="$code" 'BEGIN { for (n = 0; n < 100000; n++) print code n "\n/*0*/NOP;"; print "/*10*/?;" }' > "$listing"
refused_in_time '100,000 kernels of an instruction' "line 200001 of the listing: cannot parse '?' at 0x0010"
(echo "$code" && many a 4097 | tr -d '\n') > "$listing"
refused_in_time 'a long line' 'line 2 of the listing is longer than 4096 characters'
: > "$listing"
refused_in_time 'nothing' 'nvdisasm printed no code for'
# A child in a session of its own holds the pipes, so their end is not seen.
tool nvdisasm "$version"'; setsid sleep 3 & sleep 0.2'
refused_in_time 'nothing, from a tool that leaves a child' 'nvdisasm printed no code for'
tool nvdisasm "$version; exec cat '$listing'"

# ---- Programs ----

# program NAME SENTENCE LINE...: the code of k0.
program() {
    name=$1 sentence=$2
    shift 2
    printf '%s\n' "$code" "$@" > "$listing"
    refused_in_time "$name" "$sentence"
}
(echo "$code" && many '.L_a:' 100000 && printf '/*0*/BRA `(.L_a);\n/*10*/EXIT;\n') > "$listing"
refused_in_time 'a loop to one of 100,000 labels' 'the kernel does not end within 10000 instructions'
program 'a jump to nowhere' 'its target is not supported' '/*0*/BRA `(.L_b);'
program 'a jump to the end' 'the program ends without EXIT' '/*0*/BRA `(.L_b);' '.L_b:'
program 'a kernel twice' 'the listing has the code of kernel k0 twice' '/*0*/EXIT;' "$code" '/*0*/EXIT;'
repeated() { yes "$1" | tr -d '\n' | head -c 4000; }
for bracket in '[' '(' '`(' 'c[' 'desc[' '-' '@' '{'; do
    program "much of $bracket" 'is not supported' "/*0*/MOV R1, $(repeated "$bracket");" '/*10*/EXIT;'
done
program '4,000 operands' 'cannot parse' "/*0*/MOV $(repeated ,);"
program 'a long opcode' 'this instruction is not supported' "/*0*/$(repeated Ab);"
for operand in R99999999999999999999 0xffffffffffffffffff '[R2.64+0xffffffffff]' 'c[0xffffffff][0xffffffff]' \
    1e999999999 '-0x' 'R' '`()' 'R2.64' 'UR' 'B' '!'; do
    program "$operand" 'is not supported' "/*0*/MOV R1, $operand;" '/*10*/EXIT;'
done
program 'a large address' 'expected 0x0000' '/*ffffffffffffffffffff*/EXIT;'

# ---- What acts on a terminal ----

for character in 000 001 007 010 033 177; do
    printf '%s\n/*0*/EXIT@;\n' "$code" | tr @ "\\$character" > "$listing"
    refused_in_time "a listing with control character $character" 'nvdisasm printed no text'
done
printf '\001%s\n' "$code" > "$listing"
refused_in_time 'a listing that begins with one' 'nvdisasm printed no text'
for character in 200 233 377 045 042; do
    printf '%s\n/*0*/HMMA@;\n' "$code" | tr @ "\\$character" > "$listing"
    run --source=sass --arch=100 --cuda="$tools"
    expected=5 sentence='cannot parse'
    ok "an opcode with character $character" refused_as_expected
done
tool ptxas 'printf "ptxas fatal   : \033]0;title\007 \033[31m\r\n" >&2; exit 255'
refused_in_time 'a complaint with control characters' 'failed with exit status 255: ptxas fatal   : \x1b]0;title\a \x1b[31m'
tool ptxas "head -c 100000 /dev/zero | tr '\\0' a >&2; exit 1"
refused_in_time 'a long complaint' 'failed with exit status 1: aaaa'

# ---- Without end ----

endless="tr '\\0' x < /dev/zero"
tool ptxas 'exec yes'
refused_in_time 'ptxas prints without end' 'ptxas printed more than 64 MiB'
tool ptxas "exec $endless >&2"
refused_in_time 'ptxas complains without end, in one line' 'ptxas printed more than 64 MiB'
well
tool nvdisasm "$version; exec $endless"
refused_in_time 'nvdisasm prints one line without end' 'nvdisasm printed more than 64 MiB'
cp "$here/listings/sm_100.txt" "$listing"
tool nvdisasm "[ \"\$1\" = --version ] && exec $endless; exec cat '$listing'"
refused_in_time 'a version without end' 'nvdisasm printed more than 64 MiB'
tool nvdisasm "[ \"\$1\" = --version ] && exec printf ', V%01000d' 1; exec cat '$listing'"
run --source=sass --arch=100 --cuda="$tools"
ok 'of a long version 31 digits are said' is "$status $(line 2)" \
    "0 # source: sass (ptxas 1.2.3, nvdisasm $(printf '%031d' 0))"

ok 'no temporary folder is left' is "$(ls -A "$TMPDIR")" ''
finish
