#!/bin/sh
# Untrusted text, such as names and paths: messages that contain it never control the terminal, and never lose their
# end.
#
# Expected values: Unicode's categories, from Python's unicodedata.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

# ---- Escapes ----

refused 'a newline and an escape' 2 "unknown type 'a\\nb\\x1b[31m'; valid types:" "--type=$(printf 'a\nb\033[31m')"
refused 'C1, as UTF-8 and as a byte' 2 "unknown type '\\u009b\\x9b'; valid types:" "--type=$(printf '\302\233\233')"
refused 'another direction' 2 "unknown type 'abc\\u202edef'; valid types:" "--type=$(printf 'abc\342\200\256def')"
refused 'letters are letters' 2 "unknown type 'größe 漢字'; valid types:" "--type=größe 漢字"
refused 'a letter of an option' 2 "unknown option '-\\xc3'" "-$(printf '\303')"
refused 'half a letter at the end' 2 "unknown source '\\xe2\\x82'; valid sources:" "--source=$(printf '\342\202')"

# ---- The reason stays ----

long=$(printf '%04000d' 0)
refused 'a long path' 3 'could not open /0000' --map="/$long/end.csv"
ok 'it ends with the file and the reason' grep -q '\.\.\.0*/end\.csv: File name too long$' "$folder/err"
refused 'a long name' 2 "000...000" "mma.m16n8k16.a.f16$long"
ok 'and what would be right' grep -q "'; --list shows all fragments$" "$folder/err"
folded=$folder
for n in 1 2 3 4 5 6 7 8 9 10; do
    folded=$folded/$(printf '%0250d' "$n")
done
mkdir -p "$folded"
for tool in ptxas nvdisasm; do
    printf '#!/bin/sh\necho "ptxas fatal   : it \033[31mdoes not please" >&2\nexit 255\n' > "$folded/$tool"
    chmod +x "$folded/$tool"
done
refused 'the complaint of a tool that is far away' 5 \
    '/ptxas failed with exit status 255: ptxas fatal   : it \x1b[31mdoes not please' \
    --source=sass --arch=80 --cuda="$folded"

# ---- Everywhere ----

if has python3; then
    python3 "$here/hostile_test.py" "$MAPPING" > "$folder/hostile"
    ok 'nothing acts on a terminal, wherever it comes from' is "$? $(grep '^not ok' "$folder/hostile")" '0 '
else
    skip 'nothing acts on a terminal, wherever it comes from' python3
fi
finish
