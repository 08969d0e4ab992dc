#!/bin/sh
# Checks the order of modules: a file includes headers of lower modules only, never of a higher one or of one beside it.
# The library (layout, convert and catalogue) does not include system either. src/README.md describes the modules.
cd "$(dirname "$0")/.." || exit 1

find src -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort | xargs awk '
    BEGIN {
        split("system layout convert catalogue report source output command cli main tools", names, " ")
        split("1 2 3 3 4 5 5 6 7 8 8", heights, " ")
        for (n in names)
            height[names[n]] = heights[n]
    }
    function module(path) {
        sub(/^src\//, "", path)
        return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "main"
    }
    /^#include "/ {
        split($0, parts, "\"")
        own = module(FILENAME)
        if (parts[2] == "mapping.h" || parts[2] ~ /\.inc$/)
            next
        other = module(parts[2])
        if (own == other)
            next
        if (!(other in height) || height[other] >= height[own] ||
            ((own == "layout" || own == "convert" || own == "catalogue") && other == "system")) {
            printf "%s:%d: %s must not include %s\n", FILENAME, FNR, own, other
            bad = 1
        }
    }
    END { exit bad }'
