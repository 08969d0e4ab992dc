#!/bin/sh
# JSON: it is well-formed, has the members of the contract, and its formulae give the map.
#
# Expected values: results/, read in Python; Python's eval.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
needs python3
run --source=recorded --format=json --all --arch=70
ok 'all of sm_70' python3 "$here/json_test.py" "$folder/out" "$root/results/wmma.txt" 70
run --source=recorded --format=json --arch=90 'wmma.*'
ok 'wmma of sm_90' python3 "$here/json_test.py" "$folder/out" "$root/results/wmma.txt" 90
for name in mma mma.sp ldmatrix; do
    set -- "$name.m*"
    [ $name = ldmatrix ] && set -- "$name.m*" '[sm]*matrix.*'
    run --source=recorded --format=json --arch=90 "$@"
    ok "$name of sm_90" python3 "$here/json_test.py" "$folder/out" "$root/results/$name.txt" 90
done
run --source=recorded --format=json
ok 'one fragment is an object, not an array' is "$(head -c 1 "$folder/out")" '{'
# The sass source with fake tools.
run_python() {
    PYTHONPATH=$tests/lib python3 -c '
import records, sys
print(records.read_all(sys.argv[1])["wmma.m16n16k16.d.f32", 100][0][len("sass ("):-1])' "$1"
}
sass=$tests/source/sass
run --source=sass,recorded --format=json --arch=100 --cuda="$sass/fake"
"$MAPPING" --source=sass,recorded --arch=100 --cuda="$sass/fake" --detail > "$folder/text"
ok 'sources that agree are named' python3 -c '
import json, sys
assert json.load(open(sys.argv[1]))["source"] == {"kind": "sass", "evidence": [
    {"kind": "sass", "with": "ptxas 1.2.3, nvdisasm 1.2.4", "recorded": False},
    *({"kind": "sass", "with": tools, "recorded": True} for tools in sys.argv[2].split("; "))]}' "$folder/out" \
    "$(run_python "$root/results/wmma.txt")"
ok 'and the text says the same' grep -qx \
    "# source: sass (ptxas 1.2.3, nvdisasm 1.2.4); recorded: sass (.*)" "$folder/text"
run --source=recorded --format=json --at='3,*' --arch=70 --detail wmma.m16n16k16.a.row.f16
ok 'answers and details' python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert report["detail"]["type"] == "f16" and report["detail"]["registers"] == 8 and report["detail"]["ptx"] == "6.0"
assert len(report["answers"]) == 32 and all(a["row"] == 3 for a in report["answers"])
assert "map" not in report' "$folder/out"
run --diff=70,75 --source=recorded --format=json
ok 'differences' python3 -c '
import json, sys
diff = json.load(open(sys.argv[1]))
assert diff["archs"] == ["sm_70", "sm_75"] and diff["same"] == 0
assert all(d["sm_70"] and d["sm_75"] for d in diff["different"])
assert list(diff["only"]) == ["sm_70", "sm_75"] and diff["only"]["sm_70"] == 0 and diff["only"]["sm_75"] > 0
byname = {d["fragment"]: d for d in diff["different"]}
assert byname["wmma.m16n16k16.d.f32"]["sm_70"]["col"] == "(i & 5) + (tid & 10)"
json.dump(diff["only"]["sm_75"] + len(byname), open(sys.argv[2], "w"))' "$folder/out" "$folder/expected"
run --diff=70,75 --source=recorded --format=json --verbose
ok 'and what only one has' python3 -c '
import json, sys
diff = json.load(open(sys.argv[1]))
byname = {d["fragment"]: d for d in diff["different"]}
assert byname["wmma.m16n16k16.a.row.s8"]["sm_70"] is None
assert len(byname) == json.load(open(sys.argv[2]))' "$folder/out" "$folder/expected"
run --list --format=json
ok 'the list' python3 -c '
import json, sys
fragments = json.load(open(sys.argv[1]))
assert len(fragments) == int(sys.argv[2]) and fragments[0]["fragment"] == "wmma.m16n16k16.a.row.f16"
assert fragments[0]["layout"] == "row" and fragments[0]["since"] == "sm_70" and fragments[0]["bytes"] == 512
for f in fragments:
    size = f.get("blocks", 1) * f["rows"] * f["cols"] if "rows" in f else f["lanes"] * f["columns"]
    assert "threads" not in f or f["threads"] * f["elements"] % size == 0' "$folder/out" "$("$MAPPING" --list | wc -l)"

# Names of files as JSON has them; and what comes from other axes than threads and elements.
mkdir "$folder/odd"
for first in i step; do
    printf 'tid,%s,row,col\n0,0,0,0\n0,1,0,1\n1,0,1,0\n1,1,1,1\n' "$first" > "$folder/odd/a\"b\\$first.csv"
    run --map="$folder/odd/a\"b\\$first.csv" --format=json
    ok "a quote and a backslash in a name, $first" python3 -c '
import json, sys
read = json.load(open(sys.argv[1]))
assert read["file"] == "a\"b\\" + sys.argv[2] + ".csv" and read["map"] == [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
assert read["inputs"] == ["tid", sys.argv[2]]' "$folder/out" "$first"
done
finish
