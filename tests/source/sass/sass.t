#!/bin/sh
# The sass source with fake CUDA tools, which replay listings or misbehave.
#
# Expected values: results/; by hand.
. "$(dirname "$0")/../../lib/tap.sh"
. "$here/fake.sh"

export CUDA_VISIBLE_DEVICES='' TMPDIR="$folder/tmp" LISTING="$here/listings/sm_100.txt"
unset CUDA_HOME CUDA_PATH VIRTUAL_ENV
mkdir "$TMPDIR"
nothing_left() { is "$(ls -A "$TMPDIR")" ''; }
sass() { run --source=sass --cuda="$fake" "$@"; }
sass_refused() {
    name=$1 code=$2 sentence=$3
    shift 3
    refused "$name" "$code" "$sentence" --source=sass --cuda="$fake" --arch=100 "$@"
    ok "$name: no temporary folder is left" nothing_left
}

# hangs NAME TOOL: the program reports that the tool, which runs as long as this test, did not end. On a loaded machine the steps
# before it may take longer than the limit of 0.3 s; then the test tries longer limits.
hangs() {
    title=$1
    for seconds in 0.3 3 30; do
        [ -z "$FAKE_PID" ] || : > "$FAKE_PID"
        sass --arch=100 --timeout=$seconds
        says "$2 did not finish within" "$folder/err" && { [ -z "$FAKE_PID" ] || [ -s "$FAKE_PID" ]; } && break
    done
    expected=5 sentence="$2 did not finish within $seconds s"
    ok "$title" refused_as_expected
    ok "$title: no temporary folder is left" nothing_left
    [ -z "$FAKE_PID" ] || ok "$title: it is ended" is_gone "$FAKE_PID"
}
# is_gone FILE: the file holds a process id, and that process has ended.
is_gone() { [ -s "$1" ] && ! kill -0 "$(cat "$1")" 2> /dev/null; }

# Recorded listings of both generations, and one that starts with a branch on an unwritten register. What
# the fragments of each listing are says listings/README.md.
replay() {
    arch=$1
    shift
    run --source=recorded --arch="$arch" "$@"
    evidence='^# (source|confirmed|not confirmed)'
    grep -vE "$evidence" "$folder/out" > "$folder/expected"
    LISTING=$here/listings/sm_$arch.txt sass --arch="$arch" "$@"
    grep -vE "$evidence" "$folder/out" > "$folder/got"
    ok "the listing for sm_$arch gives what is recorded" cmp "$folder/got" "$folder/expected"
    ok "the listing for sm_$arch: $# fragments" is "$status $(grep -c '^# wmma' "$folder/got")" "0 $#"
}
d=wmma.m16n16k16.d
replay 70 $d.f32 $d.f16 wmma.m16n16k16.a.row.f16 wmma.m32n8k16.b.row.f16
replay 75 $d.f32 wmma.m16n16k16.a.col.f16 wmma.m16n16k16.b.row.s8 wmma.m8n8k32.a.row.s4 wmma.m8n8k128.b.col.b1
replay 87 $d.f32
replay 100 $d.f32 $d.f16 wmma.m16n16k16.a.col.f16 wmma.m16n16k8.a.row.tf32 wmma.m8n8k4.b.row.f64 \
    wmma.m32n8k16.a.row.s8 wmma.m8n8k32.b.col.u4 wmma.m8n8k128.a.row.b1
replay 120 $d.f32
ok 'the versions of the tools are said' says '# source: sass (ptxas 1.2.3, nvdisasm 1.2.4)' "$folder/out"
ok 'no temporary folder is left' nothing_left

# The folders of the tools.
mkdir -p "$folder/home/bin" "$folder/empty" "$folder/half" "$folder/old"
cp "$fake/ptxas" "$fake/nvdisasm" "$folder/home/bin"
cp "$fake/ptxas" "$folder/half"
sed 's/^case .*/FAKE_PTXAS=unknown\n&/' "$fake/ptxas" > "$folder/old/ptxas"
cp "$fake/nvdisasm" "$folder/old"
chmod +x "$folder/old/ptxas"
found() { is "$status $(line 2)" '0 # source: sass (ptxas 1.2.3, nvdisasm 1.2.4)'; }
isnt_found() { ! found; }
run --source=sass --arch=100 --cuda="$folder/home"
ok '--cuda names a toolkit' found
CUDA_HOME=$folder/home run --source=sass --arch=100
ok '$CUDA_HOME is searched' found
PATH=$folder/home/bin:$PATH run --source=sass --arch=100
ok '$PATH is searched' found
PATH=$folder/home run --source=sass --arch=100
ok 'but not bin/ below its folders' isnt_found
# As pip installs nvidia-cuda-nvcc and nvidia-cuda-nvdisasm, and the program of the package cuda-mapping.
site="$folder/a [b]/lib/python3.9/site-packages"
mkdir -p "$site/nvidia/cu13/bin" "$folder/a [b]/bin"
cp "$fake/ptxas" "$fake/nvdisasm" "$site/nvidia/cu13/bin"
VIRTUAL_ENV="$folder/a [b]" run --source=sass --arch=100
ok 'packages of the active virtual environment are searched' found
VIRTUAL_ENV="$folder/a b" run --source=sass --arch=100
ok 'those of no other' isnt_found
cp "$MAPPING" "$folder/a [b]/bin/mapping"
(MAPPING="$folder/a [b]/bin/mapping" && run --source=sass --arch=100 && echo "$status" > "$folder/status")
status=$(cat "$folder/status")
ok 'so are those beside the program' found
run --source=sass --arch=100 --cuda="$folder/old" --cuda="$folder/home"
ok 'a toolkit that does not know the architecture is passed over' found
PATH=$folder/old:$folder/home/bin:$PATH run --arch=100
ok 'in $PATH too, and by the default source' found
refused 'a folder that is not there' 3 "there is no folder '/nonexistent' for --cuda" --source=sass --cuda=/nonexistent
refused 'no tools in the folder' 3 'sass: ptxas and nvdisasm were not found in the folders of --cuda; use --cuda=DIR with the folder of a CUDA Toolkit' \
    --source=sass --cuda="$folder/empty"
refused 'one tool alone' 3 "sass: $folder/half/ptxas was found, but nvdisasm was not found in the folders of --cuda; use --cuda=DIR" \
    --source=sass --cuda="$folder/half"
refused 'no toolkit knows the architecture' 3 "sass: $folder/old/ptxas does not support sm_100" \
    --source=sass --arch=100 --cuda="$folder/old"
mkdir "$folder/older"
cp "$fake/nvdisasm" "$folder/older"
sed 's/^case .*/FAKE_PTXAS=old\n&/' "$fake/ptxas" > "$folder/older/ptxas"
chmod +x "$folder/older/ptxas"
run --source=sass --arch=100 --cuda="$folder/older" --cuda="$folder/old" --cuda="$folder/home"
ok 'nor does one that is too old for the PTX end the search' found
refused 'of several that will not do, each is named' 3 "none of the 2 CUDA Toolkits works: \
$folder/older/ptxas is too old for the PTX of sm_100; $folder/old/ptxas does not support sm_100" \
    --source=sass --arch=100 --cuda="$folder/older" --cuda="$folder/old"
arguments=
for copy in 1 2 3 4 5 6 7 8 9 10 11 12; do
    mkdir "$folder/old$copy"
    cp "$folder/old/ptxas" "$folder/old/nvdisasm" "$folder/old$copy"
    arguments="$arguments --cuda=$folder/old$copy"
done
# shellcheck disable=SC2086 # several options
run --source=sass --arch=100 $arguments
named=$(grep -o 'does not support' "$folder/err" | wc -l)
ok 'of a dozen as many as there is room for, and how many more' \
    grep -q "^mapping: sass: none of the 12 CUDA Toolkits works: .*; and $((12 - named)) more" "$folder/err"

# The environment of tools: nothing in it may change their output.
mkdir "$folder/spy"
cp "$fake/nvdisasm" "$folder/spy"
# Some shells set the first four themselves.
sed "2i env | grep -vE '^(PWD|OLDPWD|SHLVL|_)=' > '$folder/variables'; ls /proc/self/fd > '$folder/files'; cat > '$folder/input'" \
    "$fake/ptxas" > "$folder/spy/ptxas"
chmod +x "$folder/spy/ptxas"
LC_ALL=POSIX run --source=sass --arch=100 --cuda="$folder/spy" 3< /dev/null 7< /dev/null 9> "$folder/nine" < "$0"
ok 'tools run' is "$status" 0
ok 'with no variables but these' is "$(sort "$folder/variables" | tr '\n' ' ')" "LC_ALL=C PATH=$PATH TMPDIR=$TMPDIR "
if [ -d /proc/self/fd ]; then
    ok 'with no open files but the standard streams and one of ls' is "$(tr '\n' ' ' < "$folder/files")" '0 1 2 3 '
else
    skip 'with no open files but the standard streams and one of ls' /proc
fi
ok 'and with nothing to read' is "$(cat "$folder/input")" ''
(unset PATH TMPDIR && "$MAPPING" --source=sass --arch=100 --cuda="$folder/spy" > "$folder/out" 2> "$folder/err")
ok 'nor with what we do not have' is "$? $(tr '\n' ' ' < "$folder/variables")" '0 LC_ALL=C '

# Tools that misbehave.
FAKE_PTXAS=fail sass_refused 'ptxas fails' 5 'failed with exit status 255: ptxas fatal   : it does not please'
FAKE_PTXAS=crash sass_refused 'ptxas crashes' 5 'ptxas was killed by signal 11'
FAKE_PID=$folder/left
FAKE_PTXAS=hang hangs 'ptxas hangs' ptxas
if has perl; then
    FAKE_PTXAS=leave hangs 'ptxas hangs in another process group' ptxas
else
    skip 'ptxas hangs in another process group' perl
fi
FAKE_PID=
FAKE_PTXAS=silent sass_refused 'ptxas fails without a word' 5 'failed with exit status 1 and no message'
FAKE_PTXAS= FAKE_NVDISASM=fail sass_refused 'nvdisasm fails' 5 'failed with exit status 255: nvdisasm fatal'
FAKE_NVDISASM=hang hangs 'nvdisasm hangs' nvdisasm
FAKE_NVDISASM=garbage sass_refused 'nvdisasm prints garbage' 5 'nvdisasm printed no code for wmma.m16n16k16.d.f32'
FAKE_NVDISASM=binary sass_refused 'nvdisasm prints no text' 5 'nvdisasm printed no text'
FAKE_NVDISASM=flood sass_refused 'nvdisasm prints without end' 5 'nvdisasm printed more than 64 MiB'
FAKE_NVDISASM=nameless sass_refused 'nvdisasm has no version' 5 'nvdisasm --version printed no version'
FAKE_NVDISASM=

# Incorrect listings. Kernel k0 stores the accumulator row by row, k1 by column.
bend() { sed "$1" "$here/listings/sm_100.txt" > "$folder/listing"; }
export LISTING="$folder/listing"
bend 's/IMAD.WIDE.U32/IMAD.MYSTERY/'
sass_refused 'an unknown instruction' 5 \
    'for sm_100: wmma.m16n16k16.d.f32: at 0x0060, IMAD.MYSTERY: this instruction is not supported'
bend 's/R6.64+0x220/R6.64+0x224/'
sass_refused 'a store that is not aligned' 5 'is not aligned to 8 bytes'
bend 's/R6.64+0x220/R6.64+0x1220/'
sass_refused 'a store outside the matrix' 5 'outside the output of 1024 bytes'
bend 's/\[R6.64+0x220\], R14/[R6.64+0x220], R4/'
sass_refused 'a store of something else' 5 \
    'wmma.m16n16k16.d.f32: thread 0, element 0 occurs too often; its last occurrence is in place 136'
bend 's/STG.E.64 .*\[R6.64+0x220\], R14/NOP/'
sass_refused 'a store that is missing' 5 'is never stored'
bend 's/LDG.E R15,/LDG.E R16,/'
sass_refused 'a load that is missing' 5 'never written'
bend 's/R6.64+0x220/R6+0x220/'
sass_refused 'an address without .64' 5 "'desc[UR4][R6+0x220]', is not supported"
bend 's/\], R14/], -R14/'
sass_refused 'a store with a sign' 5 "'-R14' is not supported"
bend 's/, R14 ;/, R14 ; NOP ;/'
sass_refused 'two instructions in a line' 5 'has more than one instruction'
bend '/LOP3.LUT/d'
sass_refused 'a line that is lost' 5 'expected 0x'
bend 's/EXIT/NOP/'
sass_refused 'a program without an end' 5 'does not end within 10000 instructions'
bend 's/\(\/\*0060\*\/ *\)[A-Z].* ;/\1 @@ ;/'
sass_refused 'a line that is no instruction' 5 'cannot parse'
head -c 20000 "$here/listings/sm_100.txt" > "$folder/listing"
sass_refused 'a truncated listing' 5 'code of ptxas 1.2.3, nvdisasm 1.2.4 for sm_100'

bend 's/\(LEA.HI.X .*\), P0/\1, !PT/'
sass_refused 'a carry that is lost' 5 'outside the '

# What nvdisasm 12.8 adds for sm_120 is passed over in the forms that it has, and in no other.
bend_120() { sed "$1" "$here/listings/sm_120.txt" > "$folder/listing"; }
for schedule in '&req={7} &rd=0x0 &wr=0x1 ?WAIT9_END_GROUP' '?trans0'; do
    bend_120 "s/&req={1} &wr=0x4 ?trans4/$(echo "$schedule" | sed 's/&/\\&/g')/"
    sass --arch=120
    ok "$schedule" is "$status" 0
done
for schedule in '?trans' '?trans10' '?transx' '?Trans4' '?WAIT_END_GROUP' '?WAIT4_END' '?WAIT4_END_GROUPS' '?' '??trans4' '&' '&req={1}' \
    '&req={1,0} ?trans4' '&req={} ?trans4' '&req=1 ?trans4' '&req={1}?trans4' '&wr=4 ?trans4' '&wr=0x10 ?trans4' '&wr=0xa ?trans4' \
    '&wr=0x4 &req={1} ?trans4' '&wr=0x4 &wr=0x4 ?trans4' '?trans4 &wr=0x4' '?trans4 ?trans4' '?trans4, R4' '?mystery4'; do
    bend_120 "s/&req={1} &wr=0x4 ?trans4/$(echo "$schedule" | sed 's/&/\\&/g')/"
    sass_refused "$schedule" 5 "cannot parse '$schedule' at 0x0070" --arch=120
done
bend_120 's/ *?trans1;/?trans1;/'
sass_refused 'a schedule that touches an operand' 5 "?trans1' at 0x" --arch=120

# Maps out of the ordinary. Kernel k4 loads A, whose 8 registers it stores one by one; renamed k0 it is the
# kernel of a request for A alone. An element's row is decided by the lowest bit of its register's number.
alone() { bend "s/\\bk0\\b/kx/; s/\\bk4\\b/k0/; /text.k0:/,/EXIT/ { $1 }"; }
a=wmma.m16n16k16.a.col.f16
alone 's/\[R2.64\], R9/[R2.64], R2/'
sass_refused 'a store of what was not loaded' 5 'element 0 of the output is not an element of the input' $a
last_two='s/0x18\], R7/0x18], R13/; s/0x1c\], R13/0x1c], R7/'
alone "$last_two"
sass --arch=100 $a
ok 'the last two registers exchanged: no formula' is "$status $(grep '^[RC]o' "$folder/out" | tr '\n' ' ')" \
    "4 Row: no formula: the value is not a sum or XOR of masked and shifted i and tid \
Col: return (i & 1) + ((i & 4) << 1) + ((tid & 3) << 1); "
ok 'but the map' is "$(grep -c '^ *[0-9][0-9 ]*$' "$folder/out")" 32
sass --arch=100 --format=json $a
ok 'the same as JSON' is "$status $(grep -o '"formulae":{.*}' "$folder/out")" \
    '4 "formulae":{"row":null,"col":"(i & 1) + ((i & 4) << 1) + ((tid & 3) << 1)"}'
run --source=recorded,sass --cuda="$fake" --arch=100 $a
ok 'sources that differ' is "$status $(cat "$folder/err")" \
    "1 mapping: $a on sm_100: the sources disagree on thread 0, element 12: recorded says row 0, column 8, sass says row 8, column 8"
ok 'print nothing' empty "$folder/out"
alone ''
run --confirm=/dev/null --source=sass --cuda="$fake" --arch=100 $a
cp "$folder/out" "$folder/file"
alone "$last_two"
run --check="$folder/file" --source=sass --cuda="$fake"
ok '--check finds it too' is "$status $(last)" '1 1 entry: 0 confirmed, 1 different, 0 not checked'
alone 's/0x10\], R9/0x10], R11/; s/0x14\], R11/0x14], R9/; s/0x18\], R7/0x18], R13/; s/0x1c\], R13/0x1c], R7/'
sass --arch=100 $a
ok 'pairs exchanged: an exclusive or' is "$status $(grep '^Row' "$folder/out")" \
    '0 Row: return ((i & 2) << 2) ^ (i & 8) ^ ((tid & 28) >> 2);'
alone '/STG/ { s/R9 /Rx /; s/R11 /R9 /; s/R7 /Ry /; s/R13 /R7 /; s/Rx/R11/; s/Ry/R13/; }'
sass --arch=100 $a
ok 'all of them: the first element is in another row' is "$status $(grep '^Row' "$folder/out")" \
    '0 Row: return 8 ^ ((i & 2) << 2) ^ ((tid & 28) >> 2);'
bend 's/\(\[R2.64+0x1[8c]\]\), R7 /\1, Rx /; s/0x1c\], R13/0x1c], R7/; s/Rx/R13/'
sass --arch=100 $d.f32 $d.f16 $a wmma.m16n16k8.a.row.tf32
ok 'one of several without formula' is "$status $(count '^Row: return') $(count '^Row: no')" '4 3 1'
LISTING=$here/listings/sm_100.txt

# A source that could serve but fails is not passed over.
FAKE_PTXAS=fail
refused 'no silent substitution' 5 'ptxas fatal   : it does not please; --source=recorded needs no tools' \
    --arch=100 --cuda="$fake"
FAKE_PTXAS=

# Signals, and folders that cannot be used.
LISTING=$here/listings/sm_100.txt
# interrupt SIGNAL: sends it to the program once ptxas, which hangs, has written its id to $folder/pid; leaves $status. The program
# is not in the background, where shells have it ignore SIGINT and SIGQUIT. If ptxas does not begin within 10 s, both are killed.
interrupt() {
    rm -f "$folder/pid"
    (
        tries=0 signal=$1
        until [ -s "$folder/pid" ]; do
            tries=$((tries + 1))
            [ $tries -le 1000 ] || { signal=KILL && break; }
            sleep 0.01
        done
        kill -s "$signal" "$(cat "$folder/program")"
    ) &
    FAKE_PTXAS=hang FAKE_PID=$folder/pid set_tools
    # shellcheck disable=SC2016 # of the inner shell
    sh -c 'echo $$ > "$0" && exec "$@"' "$folder/program" \
        "$MAPPING" --source=sass --arch=100 --cuda="$fake" > "$folder/out" 2> "$folder/err"
    status=$?
    wait
}
for pair in HUP:1 INT:2 QUIT:3 TERM:15 PIPE:13 ALRM:14 USR1:10 XCPU:24 XFSZ:25; do
    signal=${pair%:*}
    interrupt "$signal" 2> "$folder/shell"
    ok "SIG$signal ends the program as a signal does" is "$status" "$((128 + ${pair#*:}))"
    ok "SIG$signal: nothing is printed" empty "$folder/out"
    ok "SIG$signal: no temporary folder is left" nothing_left
    ok "SIG$signal: the tool is gone" is_gone "$folder/pid"
done
FAKE_PTXAS=
set_tools
(ulimit -f 0 && exec "$MAPPING" --source=sass --arch=100 --cuda="$fake") > /dev/null 2>&1
ok 'a file that may not be that large ends it by SIGXFSZ' is "$?" 153
ok 'and leaves no temporary folder' nothing_left
if has python3; then
    ignoring() { python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$@"; }
    FAKE_PTXAS=fail set_tools
    ignoring "$MAPPING" --source=sass --arch=100 --cuda="$fake" > "$folder/out" 2> "$folder/err"
    status=$? expected=5 sentence='failed with exit status 255'
    ok 'a failing tool is noticed where SIGCHLD was ignored' refused_as_expected
else
    skip 'a failing tool is noticed where SIGCHLD was ignored' python3
fi
FAKE_PTXAS=background sass --arch=100 --timeout=60
ok 'what a tool leaves behind is not waited for' is "$status" 0
FAKE_PTXAS=
mkdir "$folder/-x"
(cd "$folder" && TMPDIR=-x "$MAPPING" --source=sass --arch=100 --cuda="$fake" > out 2> err)
ok 'a temporary folder that looks like an option' is "$? $(ls -A "$folder/-x")" '0 '
TMPDIR=/nonexistent/folder
refused 'no temporary folder can be made' 5 'could not create a temporary folder in /nonexistent/folder' \
    --source=sass --cuda="$fake"
finish
