#!/bin/sh
# The command line: options that do not exist, lack an argument or contradict each other. Status 2, one sentence,
# nothing on standard output.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES= # the same with and without a GPU

run --source=recorded -a 75 -- wmma.m16n16k16.d.f16
ok '-- ends the options' is "$status $(line)" '0 # wmma.m16n16k16.d.f16 on sm_75'
run --source=recorded -Aa75 -ts32 # C and D of the three shapes of s8, of m8n8k32 and m8n8k128
ok 'short options stand together' is "$status $(count '^# wmma.*\.s32 on sm_75$')" '0 10'
run wmma.m16n16k16.d.f16 --source=recorded --arch=75
ok 'options may come last' is "$status $(line)" '0 # wmma.m16n16k16.d.f16 on sm_75'
run --ver
ok 'a long option may be cut off' is "$status" 2
run --vers
ok 'where one alone begins so' is "$status" 0

# Options that do not exist.
refused 'unknown long option' 2 "unknown option '--frobnicate'" --frobnicate
refused 'unknown short option' 2 "unknown option '-x'" -x
refused 'unknown short option among others' 2 "unknown option '-x'" --all -lx
refused 'what is wrong says where to look' 2 "('mapping --help' explains the options)" --frobnicate

# Arguments that are missing or superfluous.
refused 'missing argument' 2 "option '--arch' needs an argument" --arch
refused 'missing argument of a short option' 2 "option '--type' needs an argument" -t
refused 'missing argument of --confirm' 2 "option '--confirm' needs an argument" --confirm
refused 'superfluous argument' 2 "option '--all' takes no argument" --all=yes

# Several things at once.
refused 'a mistyped option' 2 "unknown option '--sugest'; did you mean --suggest?" --sugest
refused 'one with an argument' 2 "unknown option '--acess=ld.b32'; did you mean --access?" --acess=ld.b32
refused 'the start of several' 2 "ambiguous option '--ver'; so begin --verify, --verbose, --version" --ver
refused 'two things to do' 2 '--list and --check are two things to do; give one of them' --list --check
refused 'two others' 2 '--diff and --confirm are two things to do; give one of them' --diff=75,80 --confirm=x
refused 'two questions' 2 'one question at a time' --at=0,0 --thread=3
refused 'a question to a list' 2 '--list and --at are two things to do; give one of them' --list --at=0,0
refused 'a question to a comparison' 2 '--diff and --thread are two things to do; give one of them' --diff=70,75 --thread=0
refused 'formulae of a list' 2 '--brief does nothing with --list' --list --brief
refused '--all with a name' 2 '--all means every fragment' --all wmma.m16n16k16.d.f32
refused '--all with a name, to verify' 2 '--all means every fragment' --all wmma.m16n16k16.d.f32 --verify='row = tid'
refused 'type against name' 2 'contradicts' --type=half wmma.m16n16k16.d.f32
refused '--diff with --arch' 2 '--arch does nothing with --diff' --diff=70,75 --arch=80
refused '--verbose without --diff' 2 '--verbose does nothing without --suggest, --verify, --diff or --map' --verbose
refused '--verbose with --list' 2 '--verbose does nothing with --list; it is for --suggest, --verify, --diff or --map' --list --verbose
refused '--brief with CSV' 2 '--brief does nothing with --format=csv; it needs --format=text, json or markdown' --brief --format=csv
refused '--brief with a question' 2 '--brief does nothing with --at' --brief --at=0,0
refused '--brief with a picture' 2 '--brief does nothing with --format=svg; it needs --format=text, json or markdown' --brief --format=svg
refused '--list with a source' 2 '--source does nothing with --list' \
    --list --source=published
refused 'two of --convert' 2 '--convert may be given only once' \
    --convert=mma.m16n8k16.a.f16 --convert=wmma.m16n16k16.a.row.f16 mma.m16n8k16.d.f16
refused '--all and a matrix in memory' 2 '--all does nothing with --load' \
    --load=mma.m16n8k16.a.f16 --all '(64,64):(64,1)'
refused 'a lane of a matrix in memory' 2 '--lane is about fragments, and (8,8):(8,1) is a matrix in memory' --lane=1 '(8,8):(8,1)'
refused '--check as JSON' 2 '--check cannot be printed as json; --format takes text' --check --format=json
refused '--confirm as CSV' 2 '--confirm cannot be printed as csv; --format takes text' --confirm=x --format=csv
for name in markdown json csv; do
    refused "--check as $name" 2 "--check cannot be printed as $name; --format takes text" --check --format=$name
done
refused '--check with recorded' 2 '--check cannot use recorded results' --check --source=recorded
refused '--confirm with recorded' 2 '--confirm cannot use recorded results' --confirm=x --source=sass,recorded
refused '--check with a type' 2 '--type does nothing with --check' --check --type=half
refused '--check with an operand' 2 '--operand does nothing with --check' --check --operand=a
refused '--check with --all' 2 '--all does nothing with --check' --check --all

# Each option that is not about what is done, by its name.
for option in --all --type=f16 --operand=a --arch=80 --source=isa --device=0; do
    refused "a map with $option" 2 "${option%=*} does nothing with --map" --map="$tests/faults/map.csv" $option
done
refused 'a question about a map' 2 '--map and --at are two things to do; give one of them' --map="$tests/faults/map.csv" --at=0,0
refused '--color-by with CSV' 2 '--color-by does nothing with --format=csv; it needs --format=text, svg, html or tikz' --format=csv --color-by=thread
refused 'a style of a conversion' 2 '--style does nothing with --convert' mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.f16 --style=short
refused 'an order of a conversion' 2 '--order does nothing with --convert' \
    mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.f16 --format=cuda --order
refused 'a store to Tensor Memory in a list' 2 '--with does nothing with --list' \
    --with=tcgen05.st.16x256b --list
mkdir "$folder/tools"
# shellcheck disable=SC2046 # one option for each number
refused 'more folders of tools than there is room for' 2 '--cuda is given more than 16 times' \
    $(seq 17 | sed "s|.*|--cuda=$folder/tools|")
# shellcheck disable=SC2046
refused 'as many as there is room for' 3 'neither ptxas nor nvdisasm' --source=sass $(seq 16 | sed "s|.*|--cuda=$folder/tools|")
finish
