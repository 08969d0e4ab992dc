#!/bin/sh
# The output of --format=json matches src/output/mapping.schema.json, which is installed.
#
# Expected values: the schema, by python3-jsonschema.
. "$(dirname "$0")/../lib/tap.sh"

if ! python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2> /dev/null; then
    echo '1..0 # SKIP needs jsonschema'
    exit
fi
python3 "$here/json_schema_test.py" "$MAPPING" "$root/src/output/mapping.schema.json" "$folder"
exit
