#!/bin/sh
# Memory that runs out. Under any limit, the output is complete and the status is the same as without a limit; or there
# is no output, status 5 and one sentence. The limits range from the least memory with which the program starts to more
# than it needs.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

# within KILOBYTES ARGUMENT...: runs the program with that much address space.
within() {
    limit=$1
    shift
    (ulimit -v "$limit" && exec "$MAPPING" "$@") > "$folder/out" 2> "$folder/err"
}
# A program with AddressSanitizer reserves terabytes.
if ! within 4000000 --version 2> /dev/null; then
    echo '1..0 # SKIP needs unsanitized-program'
    exit 0
fi
least=2000
until within $least --version 2> /dev/null; do # where the program is not even loaded, the shell says so
    least=$((least + 100))
done

# The limits: from the least on each 64 KiB of the first 4 MiB, or one in so many, which are others for each command
# line; each 10% from there to 400 MB, or as many more; and 4 GB, for stacks of many threads on many cores.
each=$(one_in 29)
limits() {
    awk -v least="$((least + 64 * (number % each)))" -v each="$each" 'BEGIN {
        for (limit = least; limit < 400000; limit += limit < least + 4096 ? 64 * each : int(limit * (each > 1 ? 0.7 : 0.1)))
            print limit
        print 4000000
    }'
}

# Right above the least limit, the loader may fail where it has to find room for longer arguments too: with a sentence of its
# own, and the status of a command that is not run.
is_not_loaded() { [ "$limit" -lt $((least + 1024)) ] && [ "$status" = 127 ] && empty "$folder/out"; }
is_complete() { [ "$status" = "$expected" ] && cmp -s "$folder/out" "$folder/whole"; }
given_up() {
    [ "$status" = 5 ] && empty "$folder/out" && grep -qxE 'mapping: ([a-z]+: )?out of memory' "$folder/err" &&
        [ "$(wc -l < "$folder/err")" = 1 ]
}
bears() {
    seen=
    for limit in $(limits); do
        within "$limit" "$@"
        status=$?
        if is_complete; then
            seen="$seen complete"
        elif given_up; then
            seen="$seen given_up"
        elif is_not_loaded; then
            seen="$seen not_loaded"
        else
            echo "within $limit KB: status $status, $(wc -c < "$folder/out") bytes of $(wc -c < "$folder/whole")"
            return 1
        fi
    done
    case $seen in
    *complete) ;;
    *) echo "never complete, not even within $limit KB" && return 1 ;;
    esac
}
# bears_all NAME STATUS ARGUMENT...: that is the status without limit.
bears_all() {
    title=$1 expected=$2
    shift 2
    run "$@"
    cp "$folder/out" "$folder/whole"
    if [ "$status" = "$expected" ]; then
        ok "$title" bears "$@"
    else
        ok "$title, without limit" is "$status" "$expected"
    fi
}

for format in text json csv markdown; do
    bears_all "--list as $format" 0 --list --format=$format
    bears_all "a fragment as $format" 0 --source=isa --arch=90 --format=$format wgmma.m64n128k16.d.f32
done
for format in svg tikz html; do
    bears_all "a fragment as $format" 0 --source=isa --arch=90 --format=$format wgmma.m64n32k16.d.f32
    bears_all "a matrix in memory as $format" 0 '(64,64):(64,1)' --format=$format
done
bears_all 'an access as svg' 0 --access=ld.b128 --address='tid * 32' --format=svg
bears_all 'a grid with tints' 0 --source=isa --arch=90 --color=always wgmma.m64n128k16.d.f32
bears_all 'all that is recorded' 0 --all --arch=80 --source=recorded
bears_all 'all that is recorded, as JSON' 0 --all --arch=80 --source=recorded --format=json
bears_all 'all that is stated' 0 --source=isa --arch=80 'mma.*'
bears_all 'a tile without formula' 4 --source=isa --arch=80 --atom-layout='(3,2)' mma.m16n8k16.d.f32
bears_all 'a question' 0 --source=isa --arch=90 --at=0,0 wgmma.m64n128k16.d.f32
bears_all 'a comparison' 1 --source=recorded --diff=70,75
bears_all '--check of what is recorded' 0 --check --source=isa --arch=90
bears_all '--check of a file' 0 --check "$root/results/mma.txt" --source=isa
bears_all '--confirm' 0 --confirm="$root/results/mma.txt" --source=isa
bears_all 'a suggestion' 2 --arch=90 wgmma.m64n100k16.d.f32
bears_all '--help' 0 --help
finish
