#!/bin/sh
# JSON: well-formed, with the fields of the contract, and formulae that give the map.
. "$(dirname "$0")/tap.sh"

export CUDA_VISIBLE_DEVICES=
if ! command -v python3 > /dev/null; then
    echo '1..0 # SKIP python3 is missing: apt-get install python3'
    exit 0
fi
run --source=recorded --format=json --all --arch=70
ok 'all of sm_70' python3 "$tests/json_test.py" "$folder/out" "$tests/../results/sm_70.txt"
run --source=recorded --format=json --all --arch=90
ok 'all of sm_90' python3 "$tests/json_test.py" "$folder/out" "$tests/../results/sm_90.txt"
run --source=recorded --format=json
ok 'one fragment is an object, not an array' is "$(head -c 1 "$folder/out")" '{'
LISTING=$tests/listings/sm_100.txt run --source=sass,recorded --format=json --arch=100 --cuda="$tests/fake"
ok 'sources that agree are named' python3 -c '
import json, sys
assert json.load(open(sys.argv[1]))["source"] == {
    "kind": "sass", "with": "ptxas 1.2.3, nvdisasm 1.2.4",
    "confirmed_by": [{"kind": "sass", "with": sys.argv[2]}]}' "$folder/out" \
    "$(sed -n '2s/# source: sass (\(.*\))/\1/p' "$tests/../results/sm_100.txt")"
run --list --format=json
ok 'the list' python3 -c '
import json, sys
fragments = json.load(open(sys.argv[1]))
assert [f["fragment"] for f in fragments][:2] == ["wmma.m16n16k16.d.f32", "wmma.m16n16k16.d.f16"]
assert all(f["threads"] * f["elements"] % (f["rows"] * f["cols"]) == 0 for f in fragments)' "$folder/out"
finish
