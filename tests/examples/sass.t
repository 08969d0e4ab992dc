#!/bin/sh
# The header's functions compile to no more instructions than index code written by hand. It needs
# nvcc ($NVCC; that of $PATH if it is not set, none if it is empty), and nvdisasm or cuobjdump in $PATH or $CUDA_HOME. No GPU.
. "$(dirname "$0")/../lib/tap.sh"

fragments='mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.d.f32 mma.m16n8k32.a.s8 mma.m8n8k4.d.f32
    wmma.m16n16k16.d.f32 wgmma.m64n64k16.d.f32'

skip_all() {
    echo "1..0 # SKIP needs $1"
    exit 0
}
nvcc=$(command -v "${NVCC-nvcc}") || skip_all nvcc

# disassemble CUBIN: with the first tool that reads it.
disassemble() {
    bin=${CUDA_HOME:-/usr/local/cuda}/bin
    for tool in nvdisasm "$bin/nvdisasm" cuobjdump "$bin/cuobjdump"; do
        case $tool in *cuobjdump) option=-sass ;; *) option=-c ;; esac
        "$tool" "$option" "$1" 2> /dev/null && return
    done
    return 1
}
printf '__global__ void kernel() {}\n' > "$folder/empty.cu"
"$nvcc" -cubin -arch=sm_90 -o "$folder/empty.cubin" "$folder/empty.cu" 2> "$folder/why" ||
    skip_all nvcc
disassemble "$folder/empty.cubin" > /dev/null || skip_all nvdisasm

# From a disassembly: "KERNEL INSTRUCTION" for each up to the exit, without what only fills up.
instructions() {
    awk '/^[ \t]*\.section/ { kernel = "" }
        /^\.text\.[^:]*:/ { kernel = substr($1, 7, length($1) - 7) }
        /^[ \t]*Function : / { kernel = $3 }
        kernel != "" && match($0, /^[ \t]*\/\*[0-9a-f]+\*\/[ \t]+[A-Z@{]/) {
            text = substr($0, RLENGTH)
            sub(/ *;.*/, "", text)
            if (text !~ /^NOP/)
                print kernel, text
            if (text ~ /^EXIT/)
                kernel = ""
        }' "$1"
}

# no_more FRAGMENT: in each pair of kernels, the one with the header's functions is not longer than the other. Prints
# every longer one, with the one to which it is compared.
no_more() {
    awk -v fragment="$1" '
        index($1, "_" fragment) == length($1) - length(fragment) {
            count[$1]++
            line = $0
            sub(/^[^ ]* /, "", line)
            text[$1] = text[$1] line "\n"
        }
        END {
            for (hand in count) {
                header = hand
                if (!sub(/_hand_/, "_header_", header))
                    continue
                pairs++
                if (count[header] == 0 || count[header] > count[hand]) {
                    bad = 1
                    printf "%s: %d instructions\n%s%s: %d instructions\n%s", header, count[header], text[header], hand,
                        count[hand], text[hand]
                }
            }
            exit bad || pairs < 4
        }' "$folder/instructions"
}

# The table: for each fragment "header/hand" of all pairs.
table() {
    awk '{ count[$1]++ }
        END {
            for (hand in count) {
                header = hand
                if (sub(/_hand_/, "_header_", header)) {
                    split(hand, part, "_")
                    fragment = substr(hand, index(hand, "_hand_") + 6)
                    printf "# %-26s %-8s %-10s %4d %4d%s\n", fragment, part[1], tolower(part[2]), count[header],
                        count[hand], (count[header] > count[hand] ? " more" : "")
                }
            }
        }' "$folder/instructions" | sort
}

# shellcheck disable=SC2086 # names of fragments, which are words
run --arch=sm_90 --format=cuda $fragments
cp "$folder/out" "$folder/fragments.h"
for arch in sm_80 sm_90; do
    ok "$arch: it compiles" "$nvcc" -O3 -cubin -arch=$arch -Werror all-warnings \
        -I "$folder" -o "$folder/sass.cubin" "$here/sass.cu"
    disassemble "$folder/sass.cubin" > "$folder/listing"
    instructions "$folder/listing" > "$folder/instructions"
    echo "# $arch: instructions with the header, by hand"
    table
    for fragment in $fragments; do
        ok "$arch: $fragment takes no more instructions than by hand" no_more "$(echo "$fragment" | tr . _)"
    done
done
finish
