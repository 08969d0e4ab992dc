#!/bin/sh
# make install, and programs of somebody else's that link the library alone; and that make does nothing twice.
. "$(dirname "$0")/tap.sh"

installed=$folder/root/opt/mapping
ok 'make install' make -C "$root" install SANITIZE= DESTDIR="$folder/root" PREFIX=/opt/mapping
ok 'the program is there' "$installed/bin/mapping" --version
ok 'what is there is the program, the library and its header' is \
    "$(cd "$installed" && find . -type f | sort | tr '\n' ' ')" './bin/mapping ./include/mapping.h ./lib/libmapping.a '

# build_and_run NAME COMPILER... : compiles $source with the library and nothing else, and runs it.
build_and_run() {
    name=$1
    shift
    ok "$name" "$@" -I"$installed/include" -o "$folder/user" "$source" "$installed/lib/libmapping.a"
    "$folder/user" > "$folder/out" 2> "$folder/err"
    status=$?
    rm -f "$folder/user"
}

source=$folder/user.c
cat > "$source" <<'C'
#include <mapping.h>
#include <stdio.h>

int main(void) {
    /* A 2x4 matrix, held by 4 threads as 2 elements each; the last axis runs fastest. */
    const struct mapping_space from = {2, {{"tid", 4}, {"i", 2}}};
    const uint32_t col[] = {0, 1, 2, 3, 0, 1, 2, 3};
    struct mapping_formula formula;
    char text[64];
    if (!mapping_deduce(&from, col, &formula))
        return 1;
    mapping_formula_print(&formula, &from, text, sizeof text);
    puts(text);
    return 0;
}
C
build_and_run 'a program links libmapping.a and nothing else' "${CC:-cc}" -std=c99 -pedantic-errors -Wall -Werror
ok 'and it works' is "$status $(cat "$folder/out")" '0 (i & 1) + ((tid & 1) << 1)'

source=$folder/user.cc
cat > "$source" <<'C'
#include <mapping.h>
int main() { return mapping_arch_find("a100")->number != 80; }
C
if command -v c++ > /dev/null; then
    build_and_run 'so does one in C++' c++ -Wall -Werror
    ok 'and it works too' is "$status" 0
fi

# The library leaves all names to its user but those that begin with mapping_.
nm -g --defined-only "$installed/lib/libmapping.a" | awk 'NF == 3 { print $3 }' | sort -u > "$folder/symbols"
ok 'the library has symbols' grep -qx mapping_deduce "$folder/symbols"
ok 'all of them begin with mapping_' is "$(grep -v '^mapping_' "$folder/symbols" | tr '\n' ' ')" ''
nm -u "$installed/lib/libmapping.a" | awk 'NF == 2 { print $2 }' | sort -u |
    grep -E '^(f?printf|puts|fopen|exit|abort|getenv|cu[A-Z].*|cuda.*|pthread_.*|write|stdout|stderr)$' > "$folder/used"
ok 'it neither prints, reads files, asks the environment nor ends the program' is "$(tr '\n' ' ' < "$folder/used")" ''
source=$folder/names.c
{
    echo '#include <mapping.h>'
    # Names that files of the library use for themselves.
    for name in families family archs types names operands bases deduce formula layout space tile terms parts; do
        echo "int $name = 1;"
    done
    cat <<'C'
int main(void) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    return mapping_catalogue_find("mma.m16n8k16.d.f32", found) != 1 || families != 1;
}
C
} > "$source"
build_and_run 'a program may use such names for itself' "${CC:-cc}" -std=c99 -pedantic-errors -Wall -Werror
ok 'and it works with them' is "$status" 0

# Commands that compile, assemble or link, in what make would do.
compiles() { make -C "$root" SANITIZE= "$@" 2>&1 | grep -cE ' -(c|o) |(^|/)ar '; }
make -C "$root" SANITIZE= > "$folder/why" 2>&1
ok 'a second make has nothing to do' is "$(compiles)" 0
ok 'nor has one of the library alone behind it' is "$(compiles build/libmapping.a)" 0
ok 'nor make once more' is "$(compiles)" 0
ok 'nor the library once more' is "$(compiles build/libmapping.a)" 0
finish
