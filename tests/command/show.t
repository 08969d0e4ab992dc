#!/bin/sh
# The fragments that are shown: by default, of an architecture, by name, all; and messages if output cannot be written.
#
# Expected values: by hand; results/; the PTX ISA for --detail.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES= # the same with and without a GPU
show() { run --source=recorded "$@"; }
head_is() { is "$status $(line)" "0 $1"; }

show
ok 'the default without a GPU' head_is '# wmma.m16n16k16.d.f32 on sm_80'
ok 'the default is said' says '# no GPU here, so sm_80 is shown; --arch=ARCH shows another' "$folder/out"
ok 'the source is said, in short' grep -qx '# source: recorded: sass (ptxas 11.8 to 13.5); published (by others, on A100)' "$folder/out"
show --detail
ok 'and with all versions under --detail' grep -Eq \
    '^# source: recorded: sass \((ptxas [0-9.]*, nvdisasm [0-9.]*(; )?)+\); recorded: published \(A100, [a-z-]*\)$' "$folder/out"
for arch in 70 75 80 89 90 100 120; do
    run --all --brief --arch=$arch
    ok "what stands above a layout fits 80 columns, sm_$arch" is "$status $(count '^#') $(grep -c '^#.\{80\}' "$folder/out")" "$status $(count '^#') 0"
done
show --arch=80
ok 'an architecture that was asked for is no default' is "$(count 'no GPU')" 0
show -a 75 wmma.m8n32k16.d.f16 wmma.m32n8k16.d.f32
ok 'fragments by name' is "$status $(grep '^# wmma' "$folder/out" | tr '\n' ';')" \
    '0 # wmma.m8n32k16.d.f16 on sm_75;# wmma.m32n8k16.d.f32 on sm_75;'
show -a 75 --operand=a
ok '--operand alone' is "$status $(shown)" '0 wmma.m16n16k16.a.row.f16 '
run --source=isa,recorded --brief wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
ok 'without a GPU an architecture that has it' head_is '# wgmma.m64n128k16.a.f16 on sm_90'
run --source=isa --brief 'mma.*.e3m2'
ok 'of a pattern too' head_is '# mma.m16n8k32.a.e3m2 on sm_120'

# All.
run --list --arch=72 'wmma.*'
cut -d' ' -f1 "$folder/out" | sort > "$folder/names"
show -a 72 --all
shown | tr ' ' '\n' | grep '^wmma' | sort > "$folder/shown"
ok '--all shows all that --list names' cmp "$folder/names" "$folder/shown"
if has python3; then
    PYTHONPATH=$tests/lib python3 -c '
import hashlib, re, sys
from records import names_of
text = open(sys.argv[1]).read().rstrip("\n").replace("\n#   ", " ")
for section in re.split(r"\n\n(?=# [^\n]* on sm_)", text):
    head, source, body = re.sub(r"\n# (element i|confirmed|not confirmed|these) .*", "", section).split("\n", 2)
    assert source.startswith("# source: recorded: sass (")
    for name in names_of(head[2:].removesuffix(" on sm_72")):
        print(name, hashlib.md5(body.encode()).hexdigest())' "$folder/out" | sort > "$folder/text"
    ok 'what is recorded is shown as the records have it' sh -c 'python3 "$1" "$2" 72 | sort | cmp - "$3"' sh \
        "$tests/lib/records.py" "$root/results/wmma.txt" "$folder/text"
else
    skip 'what is recorded is shown as the records have it' python3
fi
ok 'no line ends with a blank' fails grep -q ' $' "$folder/out"
run --all --arch=80 --source=auto --cuda="$folder" --brief
listed() { "$MAPPING" --list --arch=80 | grep -c "$@"; }
from() { # the fragments whose source begins so
    unwrapped "$folder/out" | awk -v from="# source: $1" "$expand"'
        /^# .* on sm_80$/ { sub(/^# /, ""); sub(/ on sm_80$/, ""); all = $0 }
        index($0, from) == 1 { sum += expand(match($0, /, for /) ? substr($0, RSTART + 6) : all, names) }
        END { print sum }'
}
ok '--all takes each from where it is' is \
    "$status $(from 'recorded: sass') $(from isa)" "0 $(listed '^wmma') $(listed -v '^wmma')"

# Facts. Sizes and types as the PTX ISA gives them, section on matrix fragments for wmma.
show -a 75 --detail wmma.m8n8k32.a.row.s4
ok '--detail' is "$(sed '1,/^Detail:/d; /^rows/,$d' "$folder/out" | tr -s ' ' | tr '\n' ';')" \
"matrix a is 8 x 32;type s4 (precision::s4), 4 bits;registers 1 per thread, 8 elements in each;\
elements 8 per thread; 1 copy of each matrix element;bytes 128 for the matrix, 128 in the registers of all 32 threads;\
since sm_75, PTX 6.3;"

# What exists but is not here: status 3.
refused 'no GPU for the gpu source' 3 'mapping: ' --source=gpu
refused 'no GPU for the gpu source and an architecture' 3 'mapping: gpu: ' --source=gpu --arch=sm_80
refused 'no such device' 3 'mapping: ' --device=99
refused 'no such device, though the architecture is given' 3 'mapping: ' --device=99 --arch=sm_80

# Output that cannot be written: status 5.
"$MAPPING" --source=recorded > /dev/full 2> "$folder/err"
ok 'a full device' is "$? $(cat "$folder/err")" \
    '5 mapping: could not write to standard output: No space left on device'
"$MAPPING" --source=recorded >&- 2> "$folder/err"
ok 'a closed standard output' is "$? $(cat "$folder/err")" \
    '5 mapping: could not write to standard output: Bad file descriptor'
for option in --help --version --list --check; do
    "$MAPPING" $option > /dev/full 2> "$folder/err"
    ok "a full device and $option" is "$? $(cat "$folder/err")" \
        '5 mapping: could not write to standard output: No space left on device'
done
ok 'a reader that leaves early' is "$("$MAPPING" --source=recorded --all --arch=70 | head -1)" \
    '# wmma.m16n16k16.a.row.f16 on sm_70'
finish
