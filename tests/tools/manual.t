#!/bin/sh
# The manual: it has everything of --help, formatters report no errors, and its examples work.
#
# Expected values: --help; mandoc, groff.
. "$(dirname "$0")/../lib/tap.sh"

DESCRIBE=${DESCRIBE:-$root/build/describe/describe}
page=$folder/mapping.1
"$DESCRIBE" 1 > "$page"
ok 'there is a page' grep -q '^\.Dt MAPPING 1$' "$page"
ok 'with the version of the program' grep -qF ".Os $("$MAPPING" --version)" "$page"
ok 'and the sections that a manual has' is "$(sed -n 's/^\.Sh //p' "$page" | tr '\n' ';')" \
    'NAME;SYNOPSIS;DESCRIPTION;OPTIONS;ENVIRONMENT;FILES;EXIT STATUS;EXAMPLES;SEE ALSO;'

# Words, in both, as they are read: without what separates them, and what mdoc escapes.
words() { tr -s ' \n' '\n' | sed "s/^[][(',.;:]*//; s/[][)',.;:]*\$//" | grep -E '^[-A-Za-z0-9_.*<>$=]{2,}$' | sort -u; }
plain() {
    sed -e 's/Fl \\-/--/' -e 's/Fl \([a-zA-Z]\)/-\1/' -e 's/ Ns O*o* *= Ns Ar /=/' -e 's/^\.[A-Z][a-z] //' \
        -e "s/\\\\(aq/'/g; s/\\\\(ga/\`/g; s/\\\\(ha/^/g; s/\\\\(dq/\"/g; s/\\\\[&%]//g; s/\\\\-/-/g"
}
plain < "$page" | words > "$folder/of_page"
"$MAPPING" --help=all | sed '1,/--help=all/d; s/\[=/=/; /^On a terminal/,/^$/d; /^Exit/d' | words > "$folder/of_help"
ok 'every word of --help is in it' is "$(comm -23 "$folder/of_help" "$folder/of_page" | tr '\n' ' ')" ''
ok 'which are many' test "$(wc -l < "$folder/of_help")" -gt 400
"$MAPPING" --help=all | sed -n '/^Exit status/,$p' | cut -c14- | sed 's/^\(.\{36\}\)\(.*\)/\1\n\2/' | sed 's/ *$//' | sort > "$folder/statuses"
sed -n '/^\.Sh EXIT STATUS/,/^\.El/p' "$page" | sed -n 's/^\.It //p; /^[a-z]/p' | paste -d ' ' - - > "$folder/of_page"
ok 'the exit statuses are those' cmp "$folder/statuses" "$folder/of_page"

# The variables that the program reads are those of the manual; LESS, LV and those of CUDA are set for others.
grep -rhoE '(getenv|variable)\("[A-Z_]+"' "$root/src" | grep -oE '[A-Z_]{2,}' | sort -u > "$folder/read"
sed -n 's/^\.It Ev //p' "$page" | sort > "$folder/said"
ok 'every variable that is read is in it' is "$(comm -23 "$folder/read" "$folder/said" | tr '\n' ' ')" ''

sed -n '/^\.Bd -literal/,/^\.Ed/p' "$page" | grep -v '^\.' | plain > "$folder/examples"
ok 'there are examples' test "$(wc -l < "$folder/examples")" -ge 10
mkdir "$folder/bin"
ln -s "$MAPPING" "$folder/bin/mapping"
while read -r example; do
    PATH=$folder/bin:$PATH CUDA_VISIBLE_DEVICES='' sh -c "$example" > "$folder/out" 2> "$folder/err"
    status=$?
    ok "$example" is "$status $(wc -c < "$folder/err") $(test -s "$folder/out" && echo printed)" '0 0 printed'
done < "$folder/examples"

ok_with mandoc 'mandoc finds nothing wrong' mandoc -Tlint -Wwarning "$page"
ok_with groff 'nor does groff' is "$(groff -t -mandoc -Tutf8 -ww "$page" 2>&1 > /dev/null)" ''
ok_with man 'man shows it' is "$(man -l "$page" 2>&1 | grep -cE '^(NAME|EXIT STATUS)')" 2
changelog=$root/.packaging/debian/changelog
released=$(sed -n '/^ -- /{s/.*>  //p;q;}' "$changelog")
ok 'its date is that of the release' is "$(sed -n 's/^\.Dd //p' "$page")" "$(date -d "$released" '+%B %-d, %Y')"
finish
