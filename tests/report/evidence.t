#!/bin/sh
# Every layout of every architecture says what it rests on, once: its source names hardware (a device, or what others
# measured), or a line names the device that confirmed it, or says that none did. README.md promises this.
. "$(dirname "$0")/../tap.sh"

# of_each START: reads output in which a line that begins with START begins each layout, and prints those that do not have
# exactly one of the three.
of_each() {
    awk -v start="$1" '
        function finish() { if (name != "" && count != 1) print name ": " count " statements" }
        index($0, start) == 1 && / on sm_[0-9]+$/ { finish(); name = $0; count = 0; layouts++ }
        /^(# source|Source): .*(gpu|published) \(/ { count++ }
        /^(# c|C)onfirmed on sm_/ { count++ }
        /^(# n|N)ot confirmed on hardware/ { count++ }
        END { finish(); if (layouts < 5000) print "only " layouts " layouts" }'
}

"$MAPPING" --arch=all --all --brief > "$folder/text"
none() { of_each "$1" < "$2" > "$folder/wrong"; head -5 "$folder/wrong"; empty "$folder/wrong"; }
ok 'every layout has one statement in text' none '# ' "$folder/text"
"$MAPPING" --arch=all --all --brief --format=markdown > "$folder/markdown"
ok 'every layout has one statement in Markdown' none '### ' "$folder/markdown"
finish
