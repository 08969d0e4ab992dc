#!/bin/sh
# Completions: each installed shell loads its own, and completes words; each of them has every name of --help.
. "$(dirname "$0")/../lib/tap.sh"

DESCRIBE=${DESCRIBE:-$root/build/describe/describe}
run --help=all
grep -oE '^ {2,6}(-[a-zA-Z], )?--[a-z-]+' "$folder/out" | grep -oE '[a-z][a-z-]+$' | sort -u > "$folder/names"
sed -n '/^Architectures:/,/^$/{/:/!p;}' "$folder/out" | grep -oE '[a-z][a-z0-9_-]+' >> "$folder/names"
run --access=nothing --address=0
sed 's/.*there are //; s/ (.*//' "$folder/err" | grep -oE '(ld|st)[a-z0-9.]*[a-z0-9]' >> "$folder/names"

for shell in bash zsh fish; do
    script=$folder/mapping.$shell
    "$DESCRIBE" $shell > "$script"
    ok "every option, architecture and operation is in that of $shell" \
        is "$(while read -r name; do grep -qwF -e "$name" "$script" || echo "$name"; done < "$folder/names")" ''
    if ! has $shell; then
        skip "completion in $shell" $shell
        continue
    fi
    ok "$shell reads it" $shell -n "$script"
    if ! has python3; then
        skip "completion in $shell" python3
        continue
    fi
    [ $shell != zsh ] || ok 'options of zsh say where their values stand' is \
        "$(grep -cF -e "'*'{-a+,--arch=}'[" -e "'*'{-A,--all}'[" -e "'*'--brief'[" -e "'*'--at='[" "$script")" 4
    mkdir "$folder/$shell"
    ok "$shell completes" python3 "$here/completion_test.py" "$MAPPING" "$script" $shell "$folder/$shell"
done
finish
