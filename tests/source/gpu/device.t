#!/bin/sh
# Tests that need a GPU. Run them with `make test-gpu`; they need the CUDA Toolkit and nothing else.
. "$(dirname "$0")/../../lib/tap.sh"

run --source=gpu
if [ "$status" -ne 0 ]; then
    echo "1..0 # SKIP $(cat "$folder/err")"
    exit 0
fi
arch=$(sed -n '1s/.* on //p' "$folder/out")
without_source() { grep -v -e '^# source' -e '^# ptxas accepts the instruction' "$1"; }

run
ok 'alone, the program shows the accumulator of the GPU' is "$status $(line)" "0 # wmma.m16n16k16.d.f32 on $arch"
ok 'and says where it comes from' grep -q '^# source: gpu (NVIDIA .*, nvcc [0-9.]*)$' "$folder/out"
run --type=half
ok '--type=half shows the other' is "$(line)" "# wmma.m16n16k16.d.f16 on $arch"

run --all --whole --source=gpu
all=$(grep -c "^# [a-z]*\..* on $arch$" "$folder/out")
# There are no kernels for ldmatrix of elements of 4 bits.
fragments=$("$MAPPING" --list --arch="$arch" | grep -vc '^ldmatrix.m8n16')
ok 'every fragment works' is "$status $all" "0 $fragments"
without_source "$folder/out" > "$folder/gpu"
run --all --whole --source=recorded --arch="$arch"
without_source "$folder/out" > "$folder/recorded"
ok 'what is recorded for this architecture is the same' cmp "$folder/gpu" "$folder/recorded"

# A program without machine code for this device must use its PTX, as on a future GPU.
older=80
case $arch in sm_7*|sm_8*) older=70 ;; esac
if make -j -C "$root" BUILD="$folder/build" BINARY="$folder/mapping" CUDA_ARCH="$older" > "$folder/make" 2>&1; then
    set -- 'wmma.*' 'mma.m8n8k4.*' 'mma.m16n8k8.*.f16'
    run --whole --source=gpu "$@"
    without_source "$folder/out" > "$folder/some"
    "$folder/mapping" --whole --source=gpu "$@" > "$folder/out" 2> "$folder/err"
    without_source "$folder/out" > "$folder/ptx"
    ok 'the embedded PTX gives the same' cmp "$folder/some" "$folder/ptx"
    "$folder/mapping" --source=gpu --brief --detail mma.m16n8k8.d.f16 > "$folder/out" 2> "$folder/err"
    ok 'and --detail says where the code comes from' says 'PTX translated by the driver' "$folder/out"
    "$folder/mapping" --source=gpu stmatrix.m8n8.x4.r.b16 > "$folder/out" 2> "$folder/err"
    ok 'what was not compiled is not guessed' is "$? $(cat "$folder/err")" \
        "3 mapping: gpu: this program was built for sm_$older, but stmatrix.m8n8.x4.r.b16 needs sm_90"
else
    skip 'the embedded PTX gives the same' nvcc
fi

run --source=sass --arch="$arch"
if [ "$status" -eq 0 ]; then
    run --all --whole --source=gpu,sass
    ok 'gpu and sass agree in every entry' is "$status $(count '^# source: gpu (.*); sass (')" \
        "0 $(grep -c '^# wmma' "$folder/gpu")"
else
    skip 'gpu and sass agree in every entry' ptxas nvdisasm
fi
run --all --whole --brief --source=gpu,isa
ok 'the PTX ISA states what the GPU shows, in every entry' is "$status $(count '^# source: gpu (.*); isa (')" \
    "0 $((all - $(grep -c '^# wmma' "$folder/gpu")))"
run --check --source=gpu --arch="$arch"
# Atoms of shared memory are recorded for sm_90; build/shared observes them.
[ "$arch" != sm_90 ] && atoms=0 || atoms=$(grep -c '^# Layout_' "$root/results/shared.txt")
ok '--check confirms what is recorded' is "$status $(last | sed 's/.*: //')" \
    "0 $fragments confirmed, 0 different, $atoms not checked"

other=sm_75
[ "$arch" = sm_75 ] && other=sm_80
refused 'a GPU of another architecture' 3 "device 0 is $arch, not $other" --source=gpu --arch=$other
refused 'a device that is not there' 3 'no CUDA device 99' --device=99
refused 'the same with an architecture' 3 'no CUDA device 99' --device=99 --arch=$other
CUDA_VISIBLE_DEVICES= "$MAPPING" --source=gpu > "$folder/out" 2> "$folder/err"
status=$? expected=3 sentence='finds no GPU'
ok 'no GPU to be seen' refused_as_expected
run --arch=$other
ok 'without --source another architecture is shown from another source' is "$status $(count '^# source: gpu')" '0 0'

# Full products, with all elements placed by our formulae.
run 'wmma.*' --source=gpu --whole
awk -f "$here/formulae.awk" "$folder/out" > "$folder/formulae.h"
if has nvcc && [ "${arch#sm_7}" = "$arch" ]; then
    ok 'the test of full products compiles' nvcc -O1 -std=c++17 -Wno-deprecated-declarations -arch="$arch" \
        -I"$root/src" -DFORMULAE="\"$folder/formulae.h\"" -o "$folder/mma_sync_test" "$here/mma_sync_test.cu"
    "$folder/mma_sync_test" > "$folder/products"
    sed 's/^/# /' "$folder/products"
    ok 'full products come out right' is \
        "$(grep -c '^ok' "$folder/products") $(grep -c '^not ok\|^Bail' "$folder/products")" '95 0'
    ok 'compute-sanitizer memcheck is clean on them' compute-sanitizer --tool=memcheck --error-exitcode=9 "$folder/mma_sync_test"
else
    skip 'full products come out right' nvcc
fi

run --confirm=/dev/null --source=gpu --arch="$arch" 'mma*' 'wgmma*'
cp "$folder/out" "$folder/maps"
number_of_arch=${arch#sm_}
[ "$number_of_arch" = 90 ] && with=90a || with=$number_of_arch
if has nvcc; then
    ok 'the test of every opcode compiles' make -j -C "$root" build/products DEVICE_ARCH="$with"
    "$root/build/products" "$folder/maps" "$number_of_arch" > "$folder/products"
    grep -v '^ok' "$folder/products" | sed 's/^/# /'
    ok 'full products of every other opcode come out right' is \
        "$(grep -c '^not ok\|^Bail' "$folder/products") 1..$(grep -c '^ok' "$folder/products")" \
        "0 $(tail -1 "$folder/products")"
    ok 'compute-sanitizer memcheck is clean on them' compute-sanitizer --tool=memcheck --error-exitcode=9 \
        "$root/build/products" "$folder/maps" "$number_of_arch"
else
    skip 'full products of every other opcode come out right' nvcc
fi

# The smallest probe, of one fragment, in a file of its own.
if has nvcc; then
    ok 'the library for examples/probe.cu is built' make -j -C "$root" build/libmapping.a
    ok 'examples/probe.cu compiles' nvcc -std=c++17 -arch="$arch" -Werror all-warnings -I"$root/include" \
        -o "$folder/probe" "$tests/examples/probe.cu" "$root/build/libmapping.a"
    "$folder/probe" > "$folder/out" 2> "$folder/err"
    without_source "$folder/out" > "$folder/probed"
    run --source=gpu wmma.m16n16k16.d.f32
    without_source "$folder/out" > "$folder/shown"
    ok 'examples/probe.cu prints what the program prints' cmp "$folder/probed" "$folder/shown"
else
    skip 'examples/probe.cu prints what the program prints' nvcc
fi

if has compute-sanitizer; then
    for tool in memcheck initcheck racecheck synccheck; do
        ok "compute-sanitizer $tool is clean" compute-sanitizer --tool=$tool --error-exitcode=9 \
            $([ $tool = memcheck ] && echo --leak-check=full) "$MAPPING" --all --brief --source=gpu
    done
else
    skip 'compute-sanitizer is clean' compute-sanitizer
fi
finish
