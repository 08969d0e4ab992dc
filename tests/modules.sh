#!/bin/sh
# Checks which files a file may use:
# - A file includes headers of lower modules only, not of higher modules or of modules at the same height. Layout, smem,
#   convert and catalogue include only the arenas and the errors of system. src/README.md describes the modules.
# - No files include each other in a circle. A .c file and its header count as one file.
# - Report keeps data, and output prints it: no header of report has a printer.
# - No two files in different folders have the same name, apart from those of source/gpu/.
# - No .c files call functions or use variables of each other in a circle, even if a third header declares them.
#
# Expected values: the order of the modules.
cd "$(dirname "$0")/.." || exit 1

# Each file is read twice: the first time for its definitions.
files=$(find src -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort)
same=$(echo "$files" | sed '/source\/gpu/d; s/\.[a-z]*$//' | uniq | awk -F/ '$NF in path { print path[$NF] ", " $0 ": the same name" } { path[$NF] = $0 }')
[ -z "$same" ] || { echo "$same"; exit 1; }
# shellcheck disable=SC2086 # no name has a blank
exec awk '
    BEGIN {
        split("system layout smem convert catalogue listing probe report source output command cli main tools", names, " ")
        split("1 2 3 3 4 4 5 5 6 6 7 8 9 9", heights, " ")
        for (n in names)
            height[names[n]] = heights[n]
    }
    function module(path) {
        return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "main"
    }
    function use(how, other, what) {
        if (other != unit && !((how unit, how other) in used))
            used[how unit, how other] = FILENAME ":" FNR ": " how what ", in a circle"
    }
    function check_include(header,  own, other) {
        if (header == "mapping.h" || header ~ /\.inc$/)
            return
        own = module(unit)
        other = module(header)
        if (own != other && (!(other in height) || height[other] >= height[own] ||
            ((own == "layout" || own == "smem" || own == "convert" || own == "catalogue") && other == "system" && header !~ /^system\/(arena|error)\.h$/))) {
            printf "%s:%d: %s must not include %s\n", FILENAME, FNR, own, other
            bad = 1
        }
        sub(/\.[a-z]+$/, "", header)
        use("includes ", header, header ".h")
    }
    # The name that a line at the left margin of a .c file defines for other files; "" if it defines none.
    function defined(line) {
        if (line !~ /^[a-z]/ || line ~ /^(static|typedef|extern|enum [a-z_]* ?\{|struct [a-z_]* ?\{)/ || line ~ /;$/)
            return ""
        if (!match(line, /[a-z_0-9]+(\[[^]]*\])* = /) && !match(line, /[a-z_0-9]+\(/))
            return ""
        line = substr(line, RSTART, RLENGTH)
        match(line, /^[a-z_0-9]+/)
        return substr(line, 1, RLENGTH)
    }
    FNR == 1 {
        unit = FILENAME
        sub(/^src\//, "", unit)
        sub(/\.[a-z]+$/, "", unit)
        is_source = FILENAME !~ /\.c?u?h$/
        in_comment = 0
        file++
    }
    file <= count {
        if (is_source && (name = defined($0)) != "")
            owner[name] = unit
        next
    }
    /^#include "/ {
        split($0, parts, "\"")
        check_include(parts[2])
        next
    }
    /struct printer/ && !is_source && unit ~ /^report\// {
        printf "%s:%d: report must not print; return the text, or print it in output\n", FILENAME, FNR
        bad = 1
    }
    {
        line = $0
        gsub(/\\./, "", line)
        gsub(/"[^"]*"/, "", line)
        if (in_comment && !sub(/^.*\*\//, "", line))
            next
        gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
        in_comment = sub(/\/\*.*/, "", line)
        gsub(/(\.|->)[a-z_0-9]+/, "", line) # members of structs
        while (is_source && match(line, /[a-z_][a-z_0-9]*/)) {
            name = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            if (name in owner)
                use("uses ", owner[name], name " of " owner[name] ".c")
        }
    }
    # Leaves out files that use no other or that no other uses, again and again; the rest is in circles or between two.
    END {
        do {
            some = 0
            split("", uses)
            split("", users)
            for (pair in used) {
                split(pair, ends, SUBSEP)
                uses[ends[1]] = users[ends[2]] = 1
            }
            for (pair in used) {
                split(pair, ends, SUBSEP)
                if (!(ends[2] in uses) || !(ends[1] in users)) {
                    delete used[pair]
                    some = 1
                }
            }
        } while (some)
        for (pair in used) {
            print used[pair]
            bad = 1
        }
        exit bad
    }' count="$(echo $files | wc -w)" $files $files
