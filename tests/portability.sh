#!/bin/sh
# Builds without nvcc, with other compilers, C libraries and processors and with warnings as errors, and compares the
# output of each program with ours.
#
#     portability.sh MAPPING FOLDER NAME=COMMAND...     "musl=musl-gcc" "aarch64=aarch64-linux-gnu-gcc -static"
#
# Builds go to FOLDER/NAME. RUN_NAME is the command that runs a program of another processor: RUN_aarch64=qemu-aarch64.
MAPPING=$1 builds=$2
shift 2
. "$(dirname "$0")/lib/tap.sh"

cat > "$folder/commands" << END
--arch=sm_90
--arch=sm_70,sm_90 --format=json wmma.m16n16k16.a.row.f16
--arch=sm_90 --all --format=markdown
--list --format=json
--arch=sm_100 tcgen05.mma.m128n128k16.d.f32 --with=tcgen05.ld.32x32b.x32 --format=cuda
--arch=sm_90 --detail mma.m16n8k16.d.f32 --style=short
--arch=sm_90 mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.f16 --format=cuda
--arch=sm_90 mma.m16n8k16.d.f32 --verify=row=lane/4+i/2*8 --verify=col=lane%4*2+i%2
(64,64):(64,1) --load=mma.m16n8k16.a.f16 --suggest
--arch=sm_90 --format=html wgmma.m64n64k16.d.f32
--arch=sm_90 --format=svg mma.m16n8k16.d.f32
--no-such-option
END

# Prints the output of a program for every command, and its exit statuses.
answers() { # COMMAND...
    while read -r arguments; do
        # shellcheck disable=SC2086 # words
        CUDA_VISIBLE_DEVICES='' "$@" $arguments 2>&1
        echo "status $?"
    done < "$folder/commands"
}

answers "$MAPPING" > "$folder/ours"
for what in "$@"; do
    name=${what%%=*} compiler=${what#*=}
    run=$(eval echo "\${RUN_$name:-}")
    out=$builds/$name
    if make -s -j2 CC="$compiler" EMULATE="$run" NVCC= WERROR=1 BUILD="$out" BINARY="$out/mapping" > "$folder/log" 2>&1; then
        # shellcheck disable=SC2086 # words
        answers $run "$out/mapping" > "$folder/theirs"
        ok "$name: the program says the same" cmp "$folder/ours" "$folder/theirs"
    else
        ok "$name: the program builds" is "$(grep -E 'error|undefined|Error' "$folder/log" | head -5)" ''
    fi
done
finish
