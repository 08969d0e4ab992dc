#!/bin/sh
# The command line from the outside: options, exit status, and what is said when something is wrong.
. "$(dirname "$0")/tap.sh"

export CUDA_VISIBLE_DEVICES= # the same with and without a GPU
show() { run --source=recorded "$@"; }
head_is() { is "$status $(head -1 "$folder/out")" "0 $1"; }

# What is shown.
show
ok 'the default without a GPU' head_is '# wmma.m16n16k16.d.f32 on sm_80'
ok 'the default is said' says '# no GPU here, so sm_80 is shown; --arch=ARCH shows another' "$folder/out"
show --arch=80
ok 'an architecture that was asked for is no default' is "$(grep -c 'no GPU' "$folder/out")" 0
ok 'the source is said' grep -q '^# source: recorded: sass (ptxas [0-9.]*, nvdisasm [0-9.]*)$' "$folder/out"
for name in sm_75 75 7.5 SM_75 turing Turing T4 compute_75 sm75; do
    show --arch=$name
    ok "--arch=$name" head_is '# wmma.m16n16k16.d.f32 on sm_75'
done
for pair in volta:70 v100:70 xavier:72 a100:80 ampere:80 orin:87 ada:89 h200:90 hopper:90 sm_90a:90 blackwell:100 sm_100f:100 sm_103a:103 thor:110 11.0:110 rtx5090:120 spark:121; do
    show -a "${pair%:*}"
    ok "-a ${pair%:*}" head_is "# wmma.m16n16k16.d.f32 on sm_${pair#*:}"
done
for name in half f16 HALF; do
    show -a70 -t $name
    ok "--type=$name" head_is '# wmma.m16n16k16.d.f16 on sm_70'
done
show -a 75 wmma.m8n32k16.d.f16 wmma.m32n8k16.d.f32
ok 'fragments by name' is "$(grep '^# wmma' "$folder/out" | tr '\n' ' ')" '# wmma.m8n32k16.d.f16 on sm_75 # wmma.m32n8k16.d.f32 on sm_75 '
show -a 75 --type=half wmma.m8n32k16.d.f16
ok 'a name and a type that agree' head_is '# wmma.m8n32k16.d.f16 on sm_75'
show -a 75 -- wmma.m8n32k16.d.f16
ok '-- ends the options' head_is '# wmma.m8n32k16.d.f16 on sm_75'
run --list
ok '--list' is "$status $(cut -d' ' -f1 "$folder/out" | tr '\n' ' ')" '0 wmma.m16n16k16.d.f32 wmma.m16n16k16.d.f16 wmma.m32n8k16.d.f32 wmma.m32n8k16.d.f16 wmma.m8n32k16.d.f32 wmma.m8n32k16.d.f16 '
run --list --arch=70 --type=half
ok '--list for a type' is "$(wc -l < "$folder/out")" 3
run --list
cut -d' ' -f1 "$folder/out" > "$folder/names"
show -a 72 --all
grep '^# wmma' "$folder/out" | cut -d' ' -f2 > "$folder/shown"
ok '--all shows all that --list names' cmp "$folder/names" "$folder/shown"
ok '--all prints the text of the results file but for "recorded"' sh -c 'sed "s/^# source: recorded: /# source: /" "$1" | cmp - "$2"' - "$folder/out" "$tests/../results/sm_72.txt"
ok 'no line ends with a blank' sh -c '! grep -q " \$" "$1"' - "$folder/out"
run --help
ok '--help' is "$status $(head -c 14 "$folder/out")" '0 Usage: mapping'
ok '--help fits 80 columns' sh -c '! grep -q ".\{81\}" "$1"' - "$folder/out"
run --version
ok '--version' is "$status $(cat "$folder/out")" "0 mapping $(sed -n 's/#define MAPPING_VERSION "\(.*\)"/\1/p' "$tests/../include/mapping.h")"

# What is wrong with the command line: status 2, one sentence, nothing on standard output.
refused 'unknown long option' 2 "unknown or ambiguous option '--frobnicate'" --frobnicate
refused 'unknown short option' 2 "unknown option '-x'" -x
refused 'unknown short option among others' 2 "unknown option '-x'" --all -lx
refused 'missing argument' 2 "option '--arch' needs an argument" --arch
refused 'missing argument of a short option' 2 "option '--type' needs an argument" -t
refused 'superfluous argument' 2 "option '--all' takes no argument" --all=yes
refused 'unknown architecture' 2 "unknown architecture 'sm_71'; there are sm_70, sm_72" --arch=sm_71
for name in sm_ 7 75x sm_7500000000000000000 '' voltaic 7.; do
    refused "no architecture: '$name'" 2 "unknown architecture '$name'" --arch="$name"
done
refused 'unknown type' 2 "unknown type 'int7'; there are f32 (float), f16 (half)" --type=int7
refused 'unknown fragment' 2 "unknown fragment 'wmma.m16n16k16.d.f31'" wmma.m16n16k16.d.f31
refused 'unknown format' 2 "unknown format 'xml'; there are text and json" --format=xml
refused 'unknown source' 2 "unknown source 'oracle'" --source=oracle
refused 'source twice' 2 "source 'sass' is named twice" --source=sass,sass
refused 'empty source' 2 "unknown source ''" --source=
refused 'no device number' 2 "'one' is no device" --device=one
refused 'negative device' 2 "'-1' is no device" --device=-1
refused 'no time' 2 "'soon' is no time limit" --timeout=soon
refused 'no positive time' 2 "'0' is no time limit" --timeout=0
refused 'type against name' 2 'contradicts' --type=half wmma.m16n16k16.d.f32
refused '--all with a name' 2 '--all means every fragment' --all wmma.m16n16k16.d.f32
refused '--list with a name' 2 '--list takes no fragment' --list wmma.m16n16k16.d.f32
refused '--check with recorded' 2 'recorded' --check --source=recorded
refused '--check with a type' 2 '--type' --check --type=half

# What exists but is not here: status 3.
refused 'no GPU for the gpu source' 3 'mapping: ' --source=gpu
refused 'no GPU for the gpu source and an architecture' 3 'mapping: gpu: ' --source=gpu --arch=sm_80
refused 'no such device' 3 'mapping: ' --device=99
refused 'no such device, though the architecture is given' 3 'mapping: ' --device=99 --arch=sm_80

# Output that cannot be written: status 5.
"$MAPPING" --source=recorded > /dev/full 2> "$folder/err"
ok 'a full device' is "$? $(cat "$folder/err")" '5 mapping: could not write to standard output: No space left on device'
"$MAPPING" --source=recorded >&- 2> "$folder/err"
ok 'a closed standard output' is "$? $(cat "$folder/err")" '5 mapping: could not write to standard output: Bad file descriptor'
ok 'a reader that leaves early' is "$("$MAPPING" --source=recorded --all --arch=70 | head -1)" '# wmma.m16n16k16.d.f32 on sm_70'
finish
