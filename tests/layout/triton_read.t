#!/bin/sh
# Layouts as Triton prints them, compared with Triton's own linear layouts in triton_read.txt.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
if has python3; then
    python3 "$here/triton_read.py" --recorded "$MAPPING" "$here/triton_read.txt" > "$folder/layouts"
    ok 'all recorded layouts are as Triton makes them' is "$? $(grep -c '^ok' "$folder/layouts")" \
        "0 $(sed -n 's/^1\.\.//p' "$folder/layouts")"
else
    skip 'all recorded layouts are as Triton makes them' python3
fi
finish
