#!/bin/sh
# Builds the tarball of `make dist` outside of git, installs it, uses it as a user would, and uninstalls it. No file may
# be left.  sh tests/package.sh TARBALL FOLDER
set -eu
tarball=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2/sources" "$2/usr"
folder=$(cd "$2" && pwd)
tar -xzf "$tarball" -C "$folder/sources" --strip-components=1
# Places and options that the caller's make exports do not hold here.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL BUILD BINARY SANITIZE MSAN DESTDIR BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR ZSHDIR
# Without optimization, which takes a third of the time. gcc then warns by mistake, so warnings are no errors here.
in_sources() { make -C "$folder/sources" -j2 --no-print-directory NVCC= WERROR= CFLAGS=-O0 OPTIMIZED= PREFIX="$folder/usr" "$@"; }
in_sources install > "$folder/log" || { tail -n 20 "$folder/log" && exit 1; }
(cd "$folder/usr" && find . ! -type d | sort)

# The examples in C and C++, built with what pkg-config says.
flags=$(PKG_CONFIG_PATH=$folder/usr/lib/pkgconfig pkg-config --cflags --libs mapping)
examples=$folder/sources/tests/examples
# shellcheck disable=SC2086 # several flags
"${CC:-cc}" -Wall -Werror -o "$folder/layouts" "$examples/layouts.c" $flags
# shellcheck disable=SC2086 # several flags
"${CXX:-c++}" -std=c++20 -Wall -Werror -o "$folder/layouts++" "$examples/layouts.cc" $flags
version=$("$folder/usr/bin/mapping" --version)
LD_LIBRARY_PATH=$folder/usr/lib "$folder/layouts" | grep -qx 'row 0, column 5 is element 3 of thread 5'
LD_LIBRARY_PATH=$folder/usr/lib "$folder/layouts++" | grep -qx 'column 5 of B: 16 elements'
"$folder/usr/bin/mapping" --brief > /dev/null
grep -q '^\.Sh SYNOPSIS' "$folder/usr/share/man/man1/mapping.1" || { echo 'the manual page is missing' && exit 1; }
[ -s "$folder/usr/share/bash-completion/completions/mapping" ] || { echo 'the completion of bash is missing' && exit 1; }

in_sources uninstall > "$folder/log"
left=$(find "$folder/usr" ! -type d)
[ -z "$left" ] || { echo "make uninstall leaves: $left" && exit 1; }
echo "$version was installed, used through pkg-config, and uninstalled without a trace"
