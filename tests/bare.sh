#!/bin/sh
# Runs the README's commands as on a minimal machine, which has a C compiler, make and POSIX's utilities, but no python3, cmocka,
# perl or git. They run in a copy of the sources, with a PATH that has only these programs. The program is compiled with -O1,
# which takes half the time, and without the warning that gcc then gives by mistake.
#
#     sh tests/bare.sh FOLDER
set -eu
cd "$(dirname "$0")/.."
folder=${1:?usage: tests/bare.sh FOLDER}
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/tmp" "$folder/sources"
folder=$(cd "$folder" && pwd)
cp -r Makefile README.md LICENSE .packaging src include tests results "$folder/sources"

# The utilities of POSIX.1-2024; install, mktemp, seq, tar and yes, which every small system has, too; the compiler and binutils.
for program in awk basename cat chmod cksum cmp comm cp cut date dd diff dirname echo env expr false find fold grep head id kill ln ls \
    mkdir mkfifo mv nice nl od paste pr printf ps pwd readlink realpath rm rmdir sed sh sleep sort split stty tail tar tee test timeout \
    touch tr true tty uname uniq wc xargs install mktemp seq yes make ar nm objcopy readelf strip cc gcc as ld; do
    for place in /usr/bin /bin; do # command -v would find the shell's builtins
        if [ -x "$place/$program" ]; then ln -s "$place/$program" "$folder/bin/$program" && break; fi
    done
done
cd "$folder/sources"
env -i PATH="$folder/bin" HOME="$folder" TMPDIR="$folder/tmp" NVCC= CC=cc CI= WERROR="${WERROR-}" \
    CFLAGS=-O1 OPTIMIZED= sh -c 'make HAS_CMOCKA= -j2 && ./mapping && make HAS_CMOCKA= test'
left=$(ls -A "$folder/tmp")
[ -z "$left" ] || { echo "these were left in the folder for temporary files: $left" && exit 1; }
