#!/bin/sh
# tests/device.sh FOLDER [PART...]
#
# Runs everything that needs a GPU, and saves the output in FOLDER: one log for each part, and the files of results/
# with the evidence of the device, ready to compare and commit. The parts are build, test, bench and record; by default,
# all of them run. The status is 1 if a part failed.
#
#     CUDA_ARCH=90 sh tests/device.sh /tmp/device
cd "$(dirname "$0")/.." || exit 5
folder=${1:?usage: tests/device.sh FOLDER [PART...]}
shift
[ $# -gt 0 ] || set -- build test bench record
mkdir -p "$folder" || exit 5
failed=0

build() { make -j "$(nproc)" ${CUDA_ARCH:+CUDA_ARCH="$CUDA_ARCH"}; }
test() { make test-gpu ${CUDA_ARCH:+CUDA_ARCH="$CUDA_ARCH"}; }
bench() { make bench ${CUDA_ARCH:+CUDA_ARCH="$CUDA_ARCH"}; }
record() {
    ./mapping --source=gpu --brief && make results ${CUDA_ARCH:+CUDA_ARCH="$CUDA_ARCH"} &&
        git diff --stat -- results
    mkdir -p "$folder/results" && cp results/*.txt "$folder/results"
    [ ! -e build/shared.txt ] || cp build/shared.txt "$folder/results" # from make test-gpu, with its evidence
}

{ nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; nvcc --version | tail -2; } > "$folder/device.log" 2>&1
for part; do
    start=$(date +%s)
    "$part" > "$folder/$part.log" 2>&1
    status=$?
    [ "$status" -eq 0 ] || failed=1
    printf '%-8s status %s, %s s, %s not ok\n' "$part" "$status" "$(($(date +%s) - start))" \
        "$(grep -c '^not ok\|MISSED' "$folder/$part.log")"
done
exit $failed
