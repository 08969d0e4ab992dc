#!/bin/sh
# The table of opcodes against the assembler: each ptxas of $PATH has to take every opcode that the table
# has for the architectures that it knows.
. "$(dirname "$0")/tap.sh"

# The newest PTX version that an assembler knows: 80 for 8.0.
version_of() {
    for version in 9.1 9.0 8.8 8.7 8.6 8.5 8.4 8.3 8.2 8.1 8.0 7.8 7.5 7.0; do
        printf '.version %s\n.target %s\n.address_size 64\n.entry k() { ret; }\n' $version "$2" > "$folder/v.ptx"
        "$1" -arch="$2" -o "$folder/v.cubin" "$folder/v.ptx" 2> /dev/null && echo $version | tr -d . && return
    done
}

found=
for bin in $(echo "$PATH" | tr : '\n' | awk '!seen[$0]++'); do
    [ -x "$bin/ptxas" ] || continue
    found=yes
    release=$("$bin/ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
    for arch in 70 75 80 90a 120a; do
        version=$(version_of "$bin/ptxas" sm_$arch)
        [ -n "$version" ] || continue
        "$OPCODES" "${arch%a}" "$version" > "$folder/all.ptx"
        ok "ptxas $release for sm_$arch, PTX $version:$(tail -1 "$folder/all.ptx" | cut -c3-)" \
            "$bin/ptxas" -O0 -w -arch=sm_$arch -o "$folder/all.cubin" "$folder/all.ptx"
    done
done
[ -n "$found" ] || skip 'ptxas takes every opcode' 'no folder of $PATH has it'
finish
