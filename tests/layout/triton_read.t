#!/bin/sh
# Layouts as Triton prints them (triton_read.txt), and as Gluon does (gluon.txt), compared with Triton's own linear
# layouts.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
for file in triton_read gluon; do
    what="all recorded layouts of $file.txt are as Triton makes them"
    if has python3; then
        python3 "$here/triton_read.py" --recorded "$MAPPING" "$here/$file.txt" > "$folder/layouts"
        ok "$what" is "$? $(grep -c '^ok' "$folder/layouts")" "0 $(sed -n 's/^1\.\.//p' "$folder/layouts")"
    else
        skip "$what" python3
    fi
done
finish
