#!/bin/sh
# Every layout of every architecture states its evidence once: its source names hardware (a device, or somebody's
# measurements), or a line names the device that confirmed it, or a line says that no hardware did. README.md promises
# this.
#
# Expected values: the README's promise.
. "$(dirname "$0")/../lib/tap.sh"

# of_each START: reads output in which a line that begins with START begins each layout, and prints those whose fragments do
# not have exactly one of the three each. A line may end with the fragments of which it is true.
of_each() {
    awk -v start="$1" "$expand"'
        function finish() { if (name != "" && count != fragments) print name ": " count " statements" }
        function state() { gsub(/[`.]*$|`/, ""); count += match($0, /, for /) ? expand(substr($0, RSTART + 6), names) : fragments }
        index($0, start) == 1 && / on sm_[0-9]+$/ {
            finish(); name = substr($0, length(start) + 1); count = 0; sub(/ on sm_[0-9]+$/, "", name)
            layouts += fragments = expand(name, names)
        }
        /^(# source|Source): .*(gpu|published) \(/ { state() }
        /^(# c|C)onfirmed on sm_/ { state() }
        /^(# n|N)ot confirmed on hardware/ { state() }
        END { finish(); if (layouts < 5000) print "only " layouts " layouts" }'
}

"$MAPPING" --arch=all --all --brief > "$folder/out"
unwrapped "$folder/out" > "$folder/text"
none() { of_each "$1" < "$2" > "$folder/wrong"; head -5 "$folder/wrong"; empty "$folder/wrong"; }
ok 'every layout has one statement in text' none '# ' "$folder/text"
"$MAPPING" --arch=all --all --brief --format=markdown > "$folder/markdown"
ok 'every layout has one statement in Markdown' none '### ' "$folder/markdown"
finish
