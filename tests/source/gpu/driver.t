#!/bin/sh
# A driver that is too old, or has no device: a fake libcuda.so.1 that says so.
. "$(dirname "$0")/../../lib/tap.sh"

run --source=gpu --arch=80
if grep -q 'built without nvcc' "$folder/err"; then
    echo '1..0 # SKIP needs nvcc'
    exit 0
fi
# driver VERSION CUINIT-RESULT
driver() {
    printf 'int cuDriverGetVersion(int *version) { *version = %d; return 0; }\nint cuInit(unsigned flags) { return %d + 0 * flags; }\n' \
        "$1" "$2" > "$folder/driver.c"
    ${CC:-cc} -shared -fPIC -o "$folder/libcuda.so.1" "$folder/driver.c"
}
driver 11020 0
export LD_LIBRARY_PATH="$folder"
refused 'a driver older than the toolkit' 3 'the NVIDIA driver supports CUDA up to 11.2, but this program was built with CUDA ' --source=gpu
run
ok 'without --source, another source is used' is "$status $(head -1 "$folder/out")" '0 # wmma.m16n16k16.d.f32 on sm_80'
finish
