#!/bin/sh
# make install, and a C program of somebody else's that links the library alone.
. "$(dirname "$0")/tap.sh"

root=$folder/root
ok 'make install' make -C "$tests/.." install SANITIZE= DESTDIR="$root" PREFIX=/opt/mapping
ok 'the program is there' "$root/opt/mapping/bin/mapping" --version
cat > "$folder/user.c" <<'C'
#include <mapping.h>
#include <stdio.h>

int main(void) {
    /* A 2x4 matrix, held by 4 threads as 2 elements each. */
    const struct mapping_variable variables[] = {{"i", 2}, {"tid", 4}};
    const uint32_t col[] = {0, 1, 2, 3, 0, 1, 2, 3};
    struct mapping_formula formula;
    char text[64];
    if (!mapping_deduce(variables, 2, col, &formula))
        return 1;
    mapping_formula_print(&formula, variables, 2, text, sizeof text);
    puts(text);
    return 0;
}
C
ok 'a program links libmapping.a and nothing else' "${CC:-cc}" -std=c99 -pedantic-errors -Wall -Werror \
    -I"$root/opt/mapping/include" -o "$folder/user" "$folder/user.c" "$root/opt/mapping/lib/libmapping.a"
ok 'and it works' is "$("$folder/user")" '(i & 1) + ((tid & 1) << 1)'
cat > "$folder/user.cc" <<'C'
#include <mapping.h>
int main() { return mapping_arch_find("a100")->number != 80; }
C
if command -v c++ > /dev/null; then
    ok 'so does one in C++' c++ -Wall -Werror -I"$root/opt/mapping/include" -o "$folder/user" "$folder/user.cc" "$root/opt/mapping/lib/libmapping.a"
    ok 'and it works' "$folder/user"
fi
ok 'a second make has nothing to do' is "$(make -C "$tests/.." SANITIZE= | grep -cE ' -c | -o ')" 0
finish
