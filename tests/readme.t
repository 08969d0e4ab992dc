#!/bin/sh
# Runs the commands that README.md and the cookbook, tests/examples/README.md, show, and compares what they print with
# what is shown. readme_test.py says how these files are written. `make` and `make test` are not run.
. "$(dirname "$0")/tap.sh"

needs python3
# shellcheck disable=SC2154 # tap.sh says where the repository is
python3 "$here/readme_test.py" "$MAPPING" "$root" "$root/README.md" "$root/tests/examples/README.md"
