#!/bin/sh
# Which room includes which: rooms stand above what they know, and no include runs up or to the side. src/README.md
# has the picture. The library, layout and catalogue, knows nothing below it either.
cd "$(dirname "$0")/.." || exit 1

find src -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort | xargs awk '
    BEGIN {
        split("system layout convert catalogue report source output command cli main tools", names, " ")
        split("1 2 3 3 4 5 5 6 7 8 8", heights, " ")
        for (n in names)
            height[names[n]] = heights[n]
    }
    function room(path) {
        sub(/^src\//, "", path)
        return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "main"
    }
    /^#include "/ {
        split($0, parts, "\"")
        own = room(FILENAME)
        if (parts[2] == "mapping.h" || parts[2] ~ /\.inc$/)
            next
        other = room(parts[2])
        if (own == other)
            next
        if (!(other in height) || height[other] >= height[own] ||
            ((own == "layout" || own == "catalogue") && other == "system")) {
            printf "%s:%d: %s must not know %s\n", FILENAME, FNR, own, other
            bad = 1
        }
    }
    END { exit bad }'
