#!/bin/sh
# Installs the wheel of `make wheel` into an empty virtual environment, and runs the program and the tests of the module there.
# With a folder of packages, NumPy comes from there, without a network.
#     sh tests/python/wheel.sh FOLDER_OF_WHEEL PYTHON [FOLDER_OF_PACKAGES]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(realpath "$1"/cuda_mapping-*.whl)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PYTHONPATH VIRTUAL_ENV
"$2" -m venv "$folder/env"
PATH=$folder/env/bin:$PATH
pip install --quiet --disable-pip-version-check ${3:+--no-index --find-links="$3"} "$wheel"
cd "$folder" # where there is no other mapping and no other module
[ "$(command -v mapping)" = "$folder/env/bin/mapping" ]
[ "$(mapping --version)" = "$(python -m cuda_mapping --version)" ]
mapping mma.m16n8k16.d.f32 --arch=sm_90 --at=3,5 --brief | grep -q 'tid 14, i  1'
python "$here/module_test.py" > results || { grep -A 20 '^not ok' results && exit 1; }
size=$(stat -c %s "$wheel")
[ "$size" -le 15000000 ] || { echo "$wheel has $size bytes" && exit 1; }
pip uninstall --quiet --yes cuda-mapping
left=$(find env -name mapping -o -name 'cuda_mapping*' -o -name 'libmapping*')
[ -z "$left" ] || { echo "pip uninstall leaves: $left" && exit 1; }
echo "$(basename "$wheel"), $size bytes, with $(python --version)"
echo "1 test files: $(grep -c '^ok' results) tests passed, 0 failed"
