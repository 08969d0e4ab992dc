#!/bin/sh
# Runs the commands in README.md and in the cookbook, tests/examples/README.md, and compares their output with the output
# shown there. The head of readme_test.py describes the notation. `make` and `make test` are not run.
#
# Expected values: the text of both pages.
. "$(dirname "$0")/lib/tap.sh"

needs python3
# shellcheck disable=SC2154 # tap.sh says where the repository is
python3 "$here/readme_test.py" "$MAPPING" "$root" "$root/README.md" "$root/tests/examples/README.md"
