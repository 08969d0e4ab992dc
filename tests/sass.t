#!/bin/sh
# The sass source with stand-ins for the CUDA tools, which replay listings or misbehave.
. "$(dirname "$0")/tap.sh"

export CUDA_VISIBLE_DEVICES= TMPDIR="$folder/tmp" LISTING="$tests/listings/sm_100.txt"
unset CUDA_HOME CUDA_PATH
mkdir "$TMPDIR"
same_as_results() {
    grep -v '^# source' "$tests/../results/sm_$1.txt" > "$folder/expected"
    grep -v '^# source' "$folder/out" | cmp - "$folder/expected"
}
nothing_left() { is "$(ls -A "$TMPDIR")" ''; }
sass() { run --source=sass --cuda="$tests/fake" "$@"; }
sass_refused() {
    name=$1 code=$2 sentence=$3
    shift 3
    refused "$name" "$code" "$sentence" --source=sass --cuda="$tests/fake" --arch=100 "$@"
    ok "$name: no temporary folder is left" nothing_left
}

# Recorded listings of both generations, and one that starts with a branch on an unwritten register.
for arch in 70 87 100; do
    LISTING=$tests/listings/sm_$arch.txt sass --arch=$arch --all
    ok "the listing for sm_$arch gives what is recorded" same_as_results $arch
done
ok 'the versions of the tools are said' says '# source: sass (ptxas 1.2.3, nvdisasm 1.2.4)' "$folder/out"
ok 'no temporary folder is left' nothing_left

# Where the tools are.
mkdir -p "$folder/home/bin" "$folder/empty" "$folder/half" "$folder/old"
cp "$tests/fake/ptxas" "$tests/fake/nvdisasm" "$folder/home/bin"
cp "$tests/fake/ptxas" "$folder/half"
sed 's/^case .*/FAKE_PTXAS=unknown\n&/' "$tests/fake/ptxas" > "$folder/old/ptxas"
cp "$tests/fake/nvdisasm" "$folder/old"
chmod +x "$folder/old/ptxas"
found() { is "$status $(sed -n 2p "$folder/out")" '0 # source: sass (ptxas 1.2.3, nvdisasm 1.2.4)'; }
run --source=sass --arch=100 --cuda="$folder/home"
ok '--cuda names a toolkit' found
CUDA_HOME=$folder/home run --source=sass --arch=100
ok '$CUDA_HOME is searched' found
PATH=$folder/home/bin:$PATH run --source=sass --arch=100
ok '$PATH is searched' found
run --source=sass --arch=100 --cuda="$folder/old" --cuda="$folder/home"
ok 'a toolkit that does not know the architecture is passed over' found
PATH=$folder/old:$folder/home/bin:$PATH run --arch=100
ok 'in $PATH too, and by the default source' found
refused 'no tools in the folder' 3 'neither ptxas nor nvdisasm is in the folders of --cuda' --source=sass --cuda="$folder/empty"
refused 'one tool alone' 3 'half/ptxas is there, but no nvdisasm in the folders of --cuda' --source=sass --cuda="$folder/half"
refused 'no toolkit knows the architecture' 3 'does not know sm_100' --source=sass --arch=100 --cuda="$folder/old"

# Tools that misbehave.
export FAKE_PTXAS FAKE_NVDISASM
FAKE_PTXAS=fail sass_refused 'ptxas fails' 5 'failed with exit status 255: ptxas fatal   : it does not please'
FAKE_PTXAS=crash sass_refused 'ptxas crashes' 5 'ptxas was ended by signal 11'
FAKE_PTXAS=hang sass_refused 'ptxas hangs' 5 'ptxas did not end within 0.3 seconds' --timeout=0.3
FAKE_PTXAS= FAKE_NVDISASM=fail sass_refused 'nvdisasm fails' 5 'failed with exit status 255: nvdisasm fatal'
FAKE_NVDISASM=hang sass_refused 'nvdisasm hangs' 5 'nvdisasm did not end within 0.3 seconds' --timeout=0.3
FAKE_NVDISASM=garbage sass_refused 'nvdisasm prints garbage' 5 'nvdisasm printed no code for wmma.m16n16k16.d.f32'
FAKE_NVDISASM=binary sass_refused 'nvdisasm prints no text' 5 'nvdisasm printed no text'
FAKE_NVDISASM=flood sass_refused 'nvdisasm prints without end' 5 'nvdisasm printed more than 64 MiB'
FAKE_NVDISASM=nameless sass_refused 'nvdisasm has no version' 5 'nvdisasm --version names no version'
FAKE_NVDISASM=

# Listings that are not what they should be. The first kernel in them is k5, the last k0.
bend() { sed "$1" "$tests/listings/sm_100.txt" > "$folder/listing"; }
export LISTING="$folder/listing"
bend 's/IMAD.WIDE.U32/IMAD.MYSTERY/'
sass_refused 'an unknown instruction' 5 'for sm_100: wmma.m16n16k16.d.f32: at 0x0060, IMAD.MYSTERY: this instruction is not modelled'
bend 's/R6.64+0x220/R6.64+0x224/'
sass_refused 'a store that is not aligned' 5 'is not aligned to 8 bytes'
bend 's/R6.64+0x220/R6.64+0x1220/'
sass_refused 'a store outside the matrix' 5 'outside the output of 1024 bytes'
bend 's/\[R6.64+0x220\], R14/[R6.64+0x220], R4/'
sass_refused 'a store of something else' 5 'wmma.m16n16k16.d.f32: thread 0 has no element 6'
bend 's/.*\[R6.64+0x220\], R14.*/        \/*0120*\/  NOP ;/'
sass_refused 'a store that is missing' 5 'row 8, column 8 is never stored'
bend 's/LDG.E R15,/LDG.E R16,/'
sass_refused 'a load that is missing' 5 'never written'
bend 's/EXIT/NOP/'
sass_refused 'a program without an end' 5 'goes on after 100000 instructions'
bend 's/\(\/\*0060\*\/ *\)[A-Z].* ;/\1 @@ ;/'
sass_refused 'a line that is no instruction' 5 'is not understood'
head -c 36000 "$tests/listings/sm_100.txt" > "$folder/listing"
sass_refused 'a truncated listing' 5 'code of ptxas 1.2.3, nvdisasm 1.2.4 for sm_100'

# Maps out of the ordinary: the last two elements exchanged have no formula, but are shown.
bend 's/\(.*\)STG.E.64 \(.*\)\[R6.64+0x220\], R14\(.*\)/\1STG.E \2[R6.64+0x220], R15\3\n\1STG.E \2[R6.64+0x224], R14\3/'
sass --arch=100
ok 'a map without formula' is "$status $(grep -c '^[0-9 ]*$' "$folder/out") $(grep '^Col' "$folder/out")" \
    '4 17 Col: no sum, and no exclusive or, of masked and shifted i and tid'
sass --arch=100 --format=json
ok 'the same as JSON' is "$status $(grep -o '"formulae":{.*}' "$folder/out")" \
    '4 "formulae":{"row":"((i & 2) << 2) + ((tid & 28) >> 2)","col":null}'
# Registers in another order: no sum any more, but an exclusive or.
bend 's/+0x200\], R10/+0x200], Rx/; s/+0x20\], R12/+0x20], R10/; s/+0x220\], R14/+0x220], R12/; s/, Rx/, R14/'
sass --arch=100
ok 'a map that takes an exclusive or' is "$status $(grep '^Col' "$folder/out")" \
    '0 Col: return (i & 1) ^ ((i & 2) << 2) ^ ((i & 4) << 1) ^ ((tid & 3) << 1);'

# Signals, and folders that cannot be used.
LISTING=$tests/listings/sm_100.txt
for signal in INT TERM HUP; do
    FAKE_PTXAS=hang FAKE_PID=$folder/pid timeout --preserve-status -s $signal 0.5 \
        "$MAPPING" --source=sass --arch=100 --cuda="$tests/fake" > "$folder/out" 2> "$folder/err"
    status=$?
    ok "SIG$signal ends the program as a signal does" is "$status" $((128 + $(kill -l $signal 2> /dev/null || echo $signal | sed 's/HUP/1/;s/INT/2/;s/TERM/15/')))
    ok "SIG$signal: nothing is printed" empty "$folder/out"
    ok "SIG$signal: no temporary folder is left" nothing_left
    ok "SIG$signal: the tool is gone" sh -c '! kill -0 "$(cat "$1")"' - "$folder/pid"
done
FAKE_PTXAS=
TMPDIR=/nonexistent/folder refused 'no temporary folder can be made' 5 'could not make a temporary folder in /nonexistent/folder' --source=sass --cuda="$tests/fake"
finish
