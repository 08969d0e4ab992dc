#!/bin/sh
# make install, and programs of users that link the library; make uninstall removes everything; a second make does
# nothing. It works in a copy of the tree with everything that `make test` has built, since other tests use the tree
# itself.
#
# Expected values: by hand; nm, the compiler, pkg-config.
. "$(dirname "$0")/lib/tap.sh"

# The environment of a package build may have other folders; this test uses its own.
unset PREFIX BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR ZSHDIR DESTDIR
# Options of the calling make, such as -k and -j, do not hold either. Variables of its command line, such as SANITIZE=1, are also in
# the environment.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

# Without the tests that are built, and without builds of other kinds, which are large.
mkdir "$folder/tree"
(cd "$root" && tar -cf - --exclude='./.git' --exclude='./build/tests' --exclude='./build/*/tests' --exclude='./build/fuzz*' \
    --exclude='./build/coverage' --exclude='./build/ci' --exclude='./build/delta' --exclude='./build/cuda' --exclude='./build/msan' \
    --exclude='./build/bare' --exclude='./build/package' --exclude='./build/deb' .) | (cd "$folder/tree" && tar -xf -)

build() { make -C "$folder/tree" "$@"; }
version=$(sed -n 's/^#define MAPPING_VERSION "\(.*\)"/\1/p' "$root/include/mapping.h")
installed=$folder/root/opt/mapping
echo theirs > "$folder/theirs"
install -D "$folder/theirs" "$installed/share/fish/vendor_completions.d/other.fish"
find "$folder/root" | sort > "$folder/before"
ok 'make install' build install DESTDIR="$folder/root" PREFIX=/opt/mapping
ok 'the program is there' is "$("$installed/bin/mapping" --version)" "mapping $version"
sort > "$folder/expected" << LIST
./bin/mapping
./include/mapping.h
./lib/libmapping.a
./lib/libmapping.so
./lib/libmapping.so.1
./lib/libmapping.so.$version
./lib/pkgconfig/mapping.pc
./share/bash-completion/completions/mapping
./share/fish/vendor_completions.d/mapping.fish
./share/man/man1/mapping.1
./share/mapping/mapping.schema.json
./share/zsh/site-functions/_mapping
LIST
(cd "$installed" && find . ! -type d ! -name other.fish | sort) > "$folder/there"
ok 'what is there is the program, its manual and completions, the schema, and the library' \
    cmp "$folder/expected" "$folder/there"
ok 'files can be read by all, and written by their owner' \
    is "$(find "$installed" -type f ! -name mapping ! -name other.fish ! -perm 644 -o -name libmapping.so ! -type l)" ''

# A sanitized library needs the same of the programs that use it.
sanitizer=
nm "$installed/lib/libmapping.a" 2> /dev/null | grep -q '__asan_init' && sanitizer=-fsanitize=address,undefined

# build_and_run NAME WORD... : compiles and links $source with only these words, and runs it.
build_and_run() {
    name=$1
    shift
    # shellcheck disable=SC2086 # no word if there is no sanitizer
    ok "$name" "$@" $sanitizer
    LD_LIBRARY_PATH=$installed/lib "$folder/user" > "$folder/out" 2> "$folder/err"
    status=$?
}

source=$folder/user.c
cat > "$source" <<'C'
#include <mapping.h>
#include <stdio.h>

int main(void) {
    /* The columns of a 2x4 matrix that 4 threads hold as 2 elements each. */
    const struct mapping_axis from[] = {{"tid", 4}, {"i", 2}}, to[] = {{"col", 4}};
    const uint32_t col[] = {0, 1, 2, 3, 0, 1, 2, 3};
    const uint32_t *const values[] = {col};
    const mapping_layout *layout;
    const char *text;
    mapping *context = mapping_open(NULL);
    if (!context || mapping_layout_from_table(context, from, 2, to, 1, values, &layout) != MAPPING_OK ||
        mapping_layout_formula(context, layout, "col", MAPPING_BITS, &text) != MAPPING_OK)
        return 1;
    puts(text);
    mapping_close(context);
    return 0;
}
C
strict="-pedantic-errors -Wall -Werror -I$installed/include -o $folder/user"
# shellcheck disable=SC2086 # words
build_and_run 'a program links libmapping.a and libm' \
    "${CC:-cc}" -std=c99 $strict "$source" "$installed/lib/libmapping.a" -lm
ok 'and it works' is "$status $(cat "$folder/out")" '0 (i & 1) + ((tid & 1) << 1)'
# shellcheck disable=SC2086 # words
build_and_run 'or the shared library' "${CC:-cc}" -std=c99 $strict "$source" "$installed/lib/libmapping.so"
ok 'and it works too' is "$status $(cat "$folder/out")" '0 (i & 1) + ((tid & 1) << 1)'
ok 'of which it needs this number' is "$(readelf -d "$folder/user" | grep -o 'libmapping[^]]*')" libmapping.so.1

# The program that the header begins with.
source=$folder/first.c
sed -n '/^ \*     #include <mapping.h>$/,/^ \*     }$/s/^ \*     //p' "$installed/include/mapping.h" > "$source"
# shellcheck disable=SC2086 # words
build_and_run 'so does the first program of the header' "${CC:-cc}" -std=c99 $strict "$source" "$installed/lib/libmapping.so"
ok 'and it prints where the element is' is "$status $(grep -o '"tid":14,"i":1' "$folder/out")" '0 "tid":14,"i":1'
source=$folder/user.c

# The examples. Expected output is derived by hand: figures of the PTX ISA, and 128-byte swizzles.
cat > "$folder/expected" << 'END'
col = (tid & 7)
row: no formula of masks and shifts gives the values of row
row 0, column 5 is element 3 of thread 5
column 0: thread 12, register 0, bits 0-15
column 1: thread 12, register 0, bits 16-31
column 2: thread 13, register 0, bits 0-15
column 3: thread 13, register 0, bits 16-31
column 4: thread 14, register 0, bits 0-15
column 5: thread 14, register 0, bits 16-31
column 6: thread 15, register 0, bits 0-15
column 7: thread 15, register 0, bits 16-31
wrong: entry 2 has row 8, not 0
END
# shellcheck disable=SC2086 # words
build_and_run 'an example deduces, asks and checks' "${CC:-cc}" -std=c99 $strict "$root/tests/examples/layouts.c" \
    "$installed/lib/libmapping.so"
ok 'and prints what it is to' is "$status $(cat "$folder/out")" "0 $(cat "$folder/expected")"
cat > "$folder/expected" << 'END'
ldmatrix.x4: 4 wavefronts
byte 0, bank 0
byte 144, bank 4
byte 288, bank 8
byte 432, bank 12
column 5 of B: 16 elements
refused: unknown fragment ...
END
if has c++; then
    # shellcheck disable=SC2086 # words
    build_and_run 'an example in C++20 does' c++ -std=c++20 $strict "$root/tests/examples/layouts.cc" \
        "$installed/lib/libmapping.so"
    ok 'and prints what it is to, too' is "$status $(cat "$folder/out")" "0 $(cat "$folder/expected")"
fi

cat > "$folder/user.cc" <<'C'
#include <mapping.h>
int main() { return mapping_version() != MAPPING_VERSION_NUMBER; }
C
if has c++; then
    for library in a so; do
        # shellcheck disable=SC2086 # words
        build_and_run "so does one in C++, with libmapping.$library" \
            c++ $strict "$folder/user.cc" "$installed/lib/libmapping.$library"
        ok 'and it works' is "$status" 0
    done
fi

if has pkg-config; then
    asked() { PKG_CONFIG_PATH=$installed/lib/pkgconfig pkg-config --define-variable=prefix="$installed" "$@" mapping; }
    ok 'pkg-config knows the version' is "$(asked --modversion)" "$version"
    # shellcheck disable=SC2046 # words
    build_and_run 'what it says links the shared library' \
        "${CC:-cc}" "$source" -o "$folder/user" $(asked --cflags --libs)
    ok 'which is found' is "$status $(readelf -d "$folder/user" | grep -c libmapping.so.1)" '0 1'
    if [ -z "$sanitizer" ]; then
        # shellcheck disable=SC2046 # words
        build_and_run 'and the static one' \
            "${CC:-cc}" -static "$source" -o "$folder/user" $(asked --static --cflags --libs)
        ok 'which is in the program' is "$status $(readelf -d "$folder/user" | grep -c NEEDED)" '0 0'
    fi
else
    skip 'mapping.pc' pkg-config
fi

# The library reserves only names that begin with mapping_; the shared library exports those of its header.
nm -g --defined-only "$installed/lib/libmapping.a" | awk 'NF == 3 { print $3 }' | grep -v '^__odr_asan' | sort -u > "$folder/symbols"
ok 'the library has symbols' grep -qx mapping_ask "$folder/symbols"
ok 'all of them begin with mapping_' is "$(grep -v '^mapping_' "$folder/symbols" | tr '\n' ' ')" ''
nm -u "$installed/lib/libmapping.a" | awk 'NF == 2 { print $2 }' | sort -u |
    grep -E '^(f?printf|puts|fwrite|exit|abort|setenv|putenv|atexit|cu[A-Z].*|cuda.*|stdout)$' > "$folder/used"
ok 'it neither prints, nor changes the environment, nor uses CUDA; it ends the program only without a context' \
    is "$(tr '\n' ' ' < "$folder/used")" 'exit '
"${CC:-cc}" -E "$installed/include/mapping.h" | tr '\n' ' ' | tr ';' '\n' |
    grep -oE '\bmapping_[a-z_0-9]+ *\(' | tr -d ' (' | sort -u > "$folder/declared"
nm -D --defined-only "$installed/lib/libmapping.so" | sed -n 's/.* \(mapping_.*\)@@MAPPING_1\.0$/\1/p' | sort > "$folder/shown"
ok 'the shared one shows exactly what the header declares' cmp "$folder/declared" "$folder/shown"
ok 'which is all that there is to call' test "$(wc -l < "$folder/shown")" -gt 30
source=$folder/names.c
{
    echo '#include <mapping.h>'
    # Names that files of the library use for themselves.
    for name in families family archs types names operands bases deduce formula layout space tile terms parts; do
        echo "int $name = 1;"
    done
    cat <<'C'
int main(void) {
    return mapping_version() != MAPPING_VERSION_NUMBER || families != 1;
}
C
} > "$source"
# shellcheck disable=SC2086 # words
build_and_run 'a program may use such names for itself' \
    "${CC:-cc}" -std=c99 $strict "$source" "$installed/lib/libmapping.a" -lm
ok 'and it works with them' is "$status" 0

ok 'make uninstall' build uninstall DESTDIR="$folder/root" PREFIX=/opt/mapping
find "$folder/root" ! -type d | sort > "$folder/after"
ok 'leaves what others have put there, and nothing else' is "$(cat "$folder/after")" \
    "$installed/share/fish/vendor_completions.d/other.fish"
ok 'not even its folder' test ! -e "$installed/share/mapping"
ok 'it may be said again' build uninstall DESTDIR="$folder/root" PREFIX=/opt/mapping
set -- DESTDIR="$folder/else" PREFIX=/usr LIBDIR=/usr/lib/odd MANDIR=/man DATADIR=/data BINDIR=/bin INCLUDEDIR=/usr/include/odd
ok 'places may be chosen' build install "$@"
(cd "$folder/else" && find . ! -type d | sed 's,/[^/]*$,,' | sort -u | tr '\n' ' ') > "$folder/there"
ok 'and are taken' is "$(cat "$folder/there")" "./bin ./data/bash-completion/completions ./data/fish/vendor_completions.d \
./data/mapping ./data/zsh/site-functions ./man/man1 ./usr/include/odd ./usr/lib/odd ./usr/lib/odd/pkgconfig "
# shellcheck disable=SC2016 # as pkg-config takes it
ok 'mapping.pc says where they are' is "$(sed -n '1,3p' "$folder/else/usr/lib/odd/pkgconfig/mapping.pc" | tr '\n' ' ')" \
    'prefix=/usr libdir=${prefix}/lib/odd includedir=${prefix}/include/odd '
ok 'and left again' build uninstall "$@"
ok 'with nothing in them' is "$(find "$folder/else" ! -type d)" ''

# Blanks and quotes in a place: nothing is written or removed beside it.
odd="$folder/my dir/it's"
echo theirs > "$folder/my"
ok 'a place with a blank and a quote' build install PREFIX="$odd"
ok 'the program works there' is "$("$odd/bin/mapping" --version)" "mapping $version"
if has pkg-config; then
    eval "set -- $(PKG_CONFIG_PATH=$odd/lib/pkgconfig pkg-config --cflags mapping)"
    ok 'pkg-config says where' is "$1" "-I$odd/include"
else
    skip 'pkg-config says where' pkg-config
fi
ok 'it is left again' build uninstall PREFIX="$odd"
ok 'and what lies beside it stays' is "$(find "$folder/my dir" ! -type d) $(cat "$folder/my")" ' theirs'

# What make itself cannot have in a path.
mkdir "$folder/a b"
cp "$root/Makefile" "$folder/a b"
build -C "$folder/a b" > "$folder/why" 2>&1
ok 'a path of the sources with a blank is refused' is "$? $(grep -c 'must have no blanks' "$folder/why")" '2 1'
build BUILD="$folder/a b" > "$folder/why" 2>&1
ok 'so is one of what is built' is "$? $(grep -c 'must have no blanks' "$folder/why")" '2 1'
mkdir "$folder/unpacked"
cp -r "$root/Makefile" "$root/src" "$root/include" "$folder/unpacked"
build -C "$folder/unpacked" dist > "$folder/why" 2>&1
ok 'make dist needs a repository' is "$? $(grep -c 'not the top of a git repository' "$folder/why")" '2 1'
ok 'and makes no empty file' is "$(find "$folder/unpacked" -name '*.tar*')" ''

if [ -e "$root/.git" ] && has git; then
    make -C "$root" dist DIST="$folder/one.tar.gz" > "$folder/why" 2>&1
    # RFC 1952: in the head of gzip, the flags say that there is no name, and the time is 0. git archive gives all files the time of the commit.
    ok 'make dist keeps neither its time nor its user' is "$(od -An -tx1 -N 8 "$folder/one.tar.gz") $(
        TZ=UTC tar --numeric-owner -tvzf "$folder/one.tar.gz" | awk '{ print $2, $4, $5 }' | sort -u)" \
        " 1f 8b 08 00 00 00 00 00 0/0 $(TZ=UTC git -C "$root" log -1 --date='format-local:%Y-%m-%d %H:%M' --format=%cd)"
    tar -tzf "$folder/one.tar.gz" > "$folder/there"
    ok 'with the sources' is "$(grep -cxE "mapping-[0-9.]+/(Makefile|README.md|LICENSE|src/main.c|tests/run)" "$folder/there")" 5
    ok 'in one folder' is "$(grep -vc '^mapping-' "$folder/there")" 0
else
    skip 'make dist' git
fi

# Commands that compile, assemble or link, in what make would do.
compiles() { build V=1 "$@" 2>&1 | grep -cE ' -(c|o) |(^|/)ar '; }
build > "$folder/why" 2>&1
ok 'a second make has nothing to do' is "$(compiles)" 0
library=$(build -pn install 2> /dev/null | sed -n 's/^LIBRARY := //p')
ok 'nor has one of the library alone behind it' is "$(compiles "$library")" 0
ok 'nor make once more' is "$(compiles)" 0
ok 'nor the library once more' is "$(compiles "$library")" 0
mv "$folder/tree" "$folder/moved"
ok 'nor has one in a tree that was moved' is "$(make -C "$folder/moved" V=1 2>&1 | grep -cE ' -c ')" 0
touch "$folder/moved/src/main.c"
ok 'but one with a file that has changed' is "$(make -C "$folder/moved" V=1 2>&1 | grep -cE ' -c ')" 1
finish
