#!/bin/sh
# The opcodes of the catalogue, compared with those that ptxas accepts, both ways.
#
# OPCODES names the program of opcodes.c, which prints the PTX. There are two million changed opcodes, on twenty million
# lines. The test tries one in 3,000; with THOROUGH=1 one in a hundred; with THOROUGH=2 all, which takes a quarter of an
# hour.
#
# The catalogue accepts and rejects the same opcodes as ptxas, with two exceptions in decisions.h. It rejects words that
# ptxas ignores although the PTX ISA does not have them for the instruction (a fifth type of mma, .row of ldmatrix), and
# opcodes that have no fragment in the PTX ISA (wmma.load.a of m8n32k16.f64). These are not compared.
#
# The catalogue also knows which targets accept an opcode: sm_100a and sm_100f, but not sm_100. ptxas accepts .scale_vec
# of tcgen05.mma on sm_103a and sm_110a, and .kind::f8f6f4 of mma with K = 16 and on sm_100a, although the PTX ISA does
# not have them. The catalogue accepts them with a note. It does not have the operand scale-input-d with kind::i8.
. "$(dirname "$0")/../lib/tap.sh"
: "${OPCODES:?the program of opcodes.c}"
case ${THOROUGH:-0} in
0) changes=3000 ;;
1) changes=100 ;;
*) changes=1 ;;
esac

# version_of PTXAS TARGET VERSION...: the first PTX version that an assembler knows for a target.
version_of() {
    ptxas=$1 target=$2
    shift 2
    for version; do
        printf '.version %s\n.target %s\n.address_size 64\n.entry k() { ret; }\n' "$version" "$target" > "$folder/v.ptx"
        "$ptxas" -arch="$target" -o "$folder/v.cubin" "$folder/v.ptx" > /dev/null 2>&1 && echo "$version" && return
    done
}

release_of() {
    "$1" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'
}

# The last line of a file of PTX: "// 271 opcodes, 0 are newer".
counts_of() {
    tail -1 "$1" | cut -c4-
}

# ---- Each ptxas takes every opcode of the table, for the architectures that it knows ----

newest='' newest_version=0 builds=''
for bin in $(echo "$PATH" | tr : '\n' | xargs readlink -f | awk '!seen[$0]++'); do
    [ -x "$bin/ptxas" ] || continue
    build=$("$bin/ptxas" --version | tail -n 1)
    case $builds in *"$build"*) continue ;; esac # the same in another folder
    builds=$builds$build
    versions='9.4 9.3 9.2 9.1 9.0 8.8 8.7 8.6 8.5 8.4 8.3 8.2 8.1 8.0 7.8 7.5 7.0'
    for arch in 70 75 80 90a 100a 100f 103a 103f 110a 110f 120a 120f 121a; do
        # shellcheck disable=SC2086 # several versions
        known=$(version_of "$bin/ptxas" sm_$arch $versions)
        [ -n "$known" ] || continue
        versions=$known version=$(echo "$known" | tr -d .) # the same for all that it knows
        [ "$version" -le "$newest_version" ] || newest=$bin/ptxas newest_version=$version
        "$OPCODES" table "$arch" "$version" "$(one_in 19)" > "$folder/all.ptx"
        ok "ptxas $(release_of "$bin/ptxas"), sm_$arch, PTX $version: $(counts_of "$folder/all.ptx")" \
            "$bin/ptxas" -O0 -w -arch=sm_$arch -o "$folder/all.cubin" "$folder/all.ptx"
    done
done

# ---- The newest takes and refuses what the catalogue does ----
#
# The catalogue is of PTX 9.1. Older ones overlook more.

# errors_of FIRST COUNT ERRORS: what ptxas said of lines FIRST to COUNT and one more, which has an
# error in any case. Appends the numbers of lines with errors to $lines.bad, and prints the number of
# the line to go on with: that behind a syntax error, where ptxas gives up, or 0 if it crashed.
errors_of() {
    awk -v before="$(wc -l < "$folder/head")" -v first="$1" -v count="$2" -v bad="$lines.bad" '
        match($0, /, line [0-9]+; (error|fatal)/) {
            number = substr($0, RSTART + 7) - before + first - 1
            if (number > count)
                is_complete = 1
            else
                print number >> bad
            if ($0 ~ /, line [0-9]+; fatal/)
                fatal = number
        }
        END { print fatal ? fatal + 1 : is_complete ? count + 1 : 0 }' "$3"
}

# judge LINES: compares the verdicts on a file of lines with those of ptxas, and writes the lines on
# which they differ to LINES.differ, and those that were lost in a crash to LINES.lost. No code is
# made, as the last line has an error.
judge() {
    lines=$1 count=$(wc -l < "$1") first=1
    : > "$lines.bad"
    while [ "$first" -le "$count" ]; do
        { cat "$folder/head" && tail -n "+$first" "$lines" && printf 'none;\n}\n'; } > "$lines.ptx"
        "$newest" -w -arch="sm_$arch" -o "$folder/none.cubin" "$lines.ptx" > "$lines.errors" 2>&1
        next=$(errors_of "$first" "$count" "$lines.errors")
        if [ "$next" = 0 ]; then
            tail -n "+$first" "$lines" > "$lines.lost"
            head -n $((first - 1)) "$lines" > "$lines.kept" && mv "$lines.kept" "$lines"
            break
        fi
        first=$next
    done
    awk 'NR == FNR && FILENAME != ARGV[2] { bad[$1] = 1; next }
        / \+$/ && FNR in bad { print "taken by the catalogue alone: " $0 }
        / -$/ && !(FNR in bad) { print "taken by ptxas alone: " $0 }' \
        "$lines.bad" "$lines" > "$lines.differ"
    rm -f "$lines" "$lines.bad" "$lines.ptx" "$lines.errors"
}

# Judges every second file of lines, beginning with the given one.
judge_half() {
    for part in $(seq "$1" 2 "$last"); do
        judge "$folder/lines.$part"
    done
}

agree() {
    cat "$folder"/lines.*.differ > "$folder/differ" || return
    head -20 "$folder/differ"
    [ ! -s "$folder/differ" ]
}

# compare NAME MODE ARCH [STRIDE]: compares the verdicts of a mode of opcodes.c with those of ptxas.
compare() {
    name=$1 mode=$2 arch=$3
    shift 3
    if [ "$newest_version" -lt 90 ]; then
        skip "sm_$arch: $name" ptxas
        return
    fi
    if [ "$newest_version" -lt 91 ] && [ "$mode $arch" = 'mutations 100a' ]; then
        skip "sm_$arch: $name" ptxas-13.1 # older ones take tcgen05.ld without .aligned
        return
    fi
    rm -f "$folder"/lines.*
    "$OPCODES" "$mode" "$arch" "$newest_version" "$@" > "$folder/all.ptx"
    grep -v '; // ' "$folder/all.ptx" | sed '/^\/\/ /d; /^}$/d' > "$folder/head"
    grep '; // [-+?]$' "$folder/all.ptx" |
        awk -v folder="$folder" -v size=5000 '{ print > (folder "/lines." int((NR - 1) / size)) }'
    last=$(ls "$folder" | sed -n 's/^lines\.\([0-9]*\)$/\1/p' | sort -n | tail -1)
    judge_half 1 &
    judge_half 0
    wait "$!"
    lost=$(cat "$folder"/lines.*.lost 2> /dev/null | wc -l)
    ok "sm_$arch: $name, as ptxas $(release_of "$newest") does: \
$(counts_of "$folder/all.ptx"); $lost lines were lost in crashes" agree
}

for arch in 90a 100a 120a; do
    compare 'the catalogue takes and refuses opcodes' mutations "$arch" $changes
done

# ---- It takes them for those targets, and with those operands ----

for arch in 90 90a 100 100a 100f 103 103a 103f 110 110a 110f 120 120a 120f; do
    compare 'the catalogue has opcodes for the target' targets "$arch"
done

# takes TARGET INSTRUCTION
takes() {
    printf '.version 9.0\n.target %s\n.address_size 64\n.entry k() {\n.reg .b32 e; .reg .b64 q;\n%s\n}\n' \
        "$1" "$2" > "$folder/one.ptx"
    "$newest" -w -arch="$1" -o "$folder/none.cubin" "$folder/one.ptx" > "$folder/one.log" 2>&1
}

refuses() { ! takes "$@"; }

if [ "$newest_version" -lt 90 ]; then
    skip 'scale-input-d is of floating point' ptxas
else
    scaled() { echo "tcgen05.mma.cta_group::1.kind::$1 [e], q, q, e, {e,e,e,e}, 1, 3;"; }
    ok 'ptxas takes scale-input-d with f16' takes sm_100a "$(scaled f16)"
    ok 'ptxas refuses it with f8f6f4' refuses sm_100a "$(scaled f8f6f4)"
    ok 'ptxas takes it with i8, for which the PTX ISA does not have it' takes sm_100a "$(scaled i8)"
fi
finish
