#!/bin/sh
# Prints the measurements that have bounds, and the bounds. Needs MAPPING and BENCH. Without a GPU, nvcc, ptxas or
# nvdisasm, it skips the numbers that need them, and says so.
folder=$(mktemp -d) || exit 5
trap 'rm -rf "$folder"' EXIT
failed=0

# The bounds of times hold on a machine that takes this long, in ms, for a process that does nothing and for the loop of bench.c:
# a virtual machine with two idle cores of an AMD EPYC, Linux 6.18, gcc 12 with -O2.
start_there=0.6 loop_there=1.7

# reference START LOOP: what the two take here. Bounds grow with how much slower that is, and never shrink. Processes with a bound
# of up to 5 ms hardly compute, so what starting them takes counts too; other bounds grow with the loop alone.
reference() {
    start=$1 loop=$2
    start_slower=$(slower "$start" $start_there) loop_slower=$(slower "$loop" $loop_there)
}
slower() { awk -v here="$1" -v there="$2" 'BEGIN { printf "%.2f", (here > there ? here / there : 1) }'; }
scaled() { # UNIT BOUND
    awk -v unit="$1" -v bound="$2" -v start="$start_slower" -v loop="$loop_slower" 'BEGIN {
        slower = unit == "ms" && bound <= 5 && start > loop ? start : loop
        printf "%.4g", bound * (unit ~ /^(ms|us|ns)$/ ? slower : 1)
    }'
}

# measure FILE RUNS COMMAND...: a line for each command, as bench.c has it. Both references are measured in the same turns, so
# that bounds fit the machine as it was then.
measure() {
    to=$1
    shift
    "$BENCH" run "$@" > "$to" || exit 5
    # shellcheck disable=SC2046 # two words
    reference $(tail -n 1 "$to")
}

# row WHAT VALUE UNIT BOUND
row() {
    bound=$(scaled "$3" "$4")
    verdict=$(awk -v value="$2" -v bound="$bound" 'BEGIN { print (value <= bound ? "ok" : "MISSED") }')
    [ "$verdict" = ok ] || failed=1
    printf '%-46s %10s %-6s %10s  %s\n' "$1" "$2" "$3" "$bound" "$verdict"
}
missing() { printf '%-46s %s\n' "$1" "not measured: $2"; }

# The best of many, for what follows; the start-up is the median of many.
measure "$folder/start" 101 "$BENCH nothing"
reference "$start" "$("$BENCH" loop)"
printf '%-46s %10s %-6s %10s\n' '' measured '' 'where the bounds hold' 'a process that does nothing' "$start" ms "$start_there" \
    'a fixed loop' "$loop" ms "$loop_there" '' measured '' bound
"$BENCH" deduce > "$folder/deduce"
deduction() { awk -v name="$1" -v per="$2" '$1 == name { printf "%.3f", $2 / per }' "$folder/deduce"; }
row 'deduction and verification, 16x16' "$(deduction 16x16 1000)" us 0.2
row 'deduction and verification, 64x256' "$(deduction 64x256 1000)" us 16
row 'the same, for each entry, 16x16' "$(deduction 16x16 256)" ns 1
row 'the same, for each entry, 2^20 entries' "$(deduction 2^20 1048576)" ns 1

measure "$folder/recorded" 51 "$MAPPING --source=recorded --arch=sm_75" "$MAPPING --source=recorded --arch=sm_75 --all"
{ read -r one one_size; read -r all all_size; } < "$folder/recorded"
row 'recorded, whole process' "$one" ms 3
row 'recorded, whole process, resident' "$(awk -v k="$one_size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 8
# Each report frees its tables when it is printed. Without a device and tools: the largest resident set of a process includes that
# of the tools that it ran, and ptxas takes more than the program.
mkdir "$folder/none"
CUDA_VISIBLE_DEVICES='' measure "$folder/catalogue" 5 "$MAPPING --arch=sm_100 --all --cuda=$folder/none"
read -r time size < "$folder/catalogue"
row 'all of sm_100, resident' "$(awk -v k="$size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 64

measure "$folder/last" 51 "$MAPPING --source=recorded --arch=sm_90 wgmma.sp.m64n256k64.e.u8" "$MAPPING --source=recorded --arch=sm_90 wgmma.m64n256k16.d.f32"
{ read -r last last_size; read -r large large_size; } < "$folder/last"
row 'recorded, the last fragment of the catalogue' "$last" ms 3
row 'recorded, the largest fragment' "$large" ms 3
row 'recorded, the largest fragment, resident' "$(awk -v k="$large_size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 8
row 'recorded, all of sm_75' "$all" ms 20
row 'recorded, all of sm_75, resident' "$(awk -v k="$all_size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 8

measure "$folder/list" 51 "$MAPPING --list" "$MAPPING --list --format=json" "$MAPPING --source=isa --arch=sm_90 wgmma.m64n256k16.d.f32 --at=3,5"
{ read -r list list_size; read -r json json_size; read -r ask ask_size; } < "$folder/list"
row '--list' "$list" ms 5
row '--list --format=json' "$json" ms 5
row '--list --format=json, resident' "$(awk -v k="$json_size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 8
row 'isa, a question to the largest fragment' "$ask" ms 3

# --verify and --map of 256 entries. A wrong program exits with 1, so it is wrapped.
"$MAPPING" --arch=80 mma.m16n8k16.a.f16 --source=isa --format=csv > "$folder/map.csv"
printf '#!/bin/sh\n"%s" "$@" > /dev/null\ntrue\n' "$MAPPING" > "$folder/wrong"
chmod +x "$folder/wrong"
measure "$folder/claims" 51 "$MAPPING --arch=80 --source=isa mma.m16n8k16.a.f16 --verify=row=lane/4+i/2%2*8" \
    "$folder/wrong --arch=80 --source=isa mma.m16n8k16.a.f16 --verify=row=lane/4+i%2*8" "$MAPPING --map=$folder/map.csv"
{ read -r right size; read -r wrong size; read -r map size; } < "$folder/claims"
row '--verify of 256 entries' "$right" ms 5
row '--verify, what it would be right for' "$wrong" ms 50
row '--map of 256 entries' "$map" ms 5
# Large answers: each distinct layout is computed when it is printed, and freed after.
loads=$(awk 'BEGIN { for (n = 0; n < 800; n++) printf " --load=mma.m16n8k16.a.f16" }')
CUDA_VISIBLE_DEVICES='' measure "$folder/many" 5 "$folder/wrong --diff=sm_90,sm_100 --cuda=$folder/none" "$folder/wrong --all --arch=all --cuda=$folder/none" "$MAPPING --arch=80 --source=isa (64,64):(64,1)$loads"
{ read -r diff diff_size; read -r every every_size; read -r loads loads_size; } < "$folder/many"
row 'a comparison of sm_90 and sm_100' "$diff" ms 200
row 'the same, resident' "$(awk -v k="$diff_size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 64
row 'everything, on all architectures' "$every" ms 800
row 'the same, resident' "$(awk -v k="$every_size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 96
row '800 loads' "$loads" ms 300
row 'the same, resident' "$(awk -v k="$loads_size" 'BEGIN { printf "%.1f", k / 1024 }')" MiB 64
# --detail of an opcode and of the largest accumulator; a line of SASS; conversions, the largest last.
opcode=mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
measure "$folder/follows" 51 "$MAPPING --arch=80 --source=isa --brief --detail $opcode" \
    "$MAPPING --arch=90 --source=isa --brief --detail wgmma.m64n256k16.d.f32" \
    "$MAPPING --arch=80 --source=isa --brief HMMA.16816.F32" \
    "$MAPPING --arch=90 --source=isa mma.m16n8k32.d.f32 --convert=mma.m16n8k32.a.e4m3 --format=cuda" \
    "$MAPPING --arch=90 --source=isa wgmma.m64n256k32.d.f32 --convert=wgmma.m64n256k32.a.e4m3"
{ read -r opcode size; read -r largest size; read -r sass size; read -r fp8 size; read -r wide size; } < "$folder/follows"
row '--detail of an opcode' "$opcode" ms 3
row '--detail of the largest accumulator' "$largest" ms 3
row 'an opcode of SASS' "$sass" ms 3
row '--convert, as code' "$fp8" ms 3
row '--convert of the largest accumulator' "$wide" ms 3
# Matrices in shared memory.
swizzled='Sw<3,3,3>o0o(64,64):(64,1)'
measure "$folder/memory" 51 "$MAPPING $swizzled" "$MAPPING $swizzled --offset=77" \
    "$MAPPING --arch=80 --source=isa $swizzled --load=mma.m16n8k16.a.f16" \
    "$MAPPING --access=ldmatrix.x4 --address=tid%16*128+tid/16*16"
{ read -r matrix size; read -r offset size; read -r load size; read -r access size; } < "$folder/memory"
row 'a matrix in memory, 64x64' "$matrix" ms 3
row '--offset of it' "$offset" ms 3
row '--load' "$load" ms 3
row '--access' "$access" ms 3
# Tensor Memory: an accumulator, its loads, and a table of all its columns.
measure "$folder/lanes" 51 "$MAPPING --arch=100 --source=isa tcgen05.mma.m128n256k16.d.f32" \
    "$MAPPING --arch=100 --source=isa tcgen05.mma.m128n256k16.d.f32 --with=tcgen05.ld.32x32b.x32" \
    "$MAPPING --arch=100 --source=isa tcgen05.ld.32x32b.x128.r.b32" \
    "$MAPPING --arch=100 --source=isa tcgen05.mma.cta2.m256n256k16.d.f32 --at=3,5" \
    "$MAPPING --arch=100 --source=isa tcgen05.mma.cta2.m256n256k16.d.f32"
{ read -r lanes lanes_size; read -r series series_size; read -r load size; read -r pair size; read -r grids pair_size; } < "$folder/lanes"
row 'D in Tensor Memory, m128n256' "$lanes" ms 3
row 'the loads that D takes, --with' "$series" ms 3
row 'tcgen05.ld.32x32b.x128' "$load" ms 3
row '--at of D of a pair, m256n256' "$pair" ms 3
row 'D of a pair, m256n256' "$grids" ms 3
row 'the largest of these, resident' "$(printf '%s\n' "$lanes_size" "$series_size" "$pair_size" | sort -n | tail -1 | awk '{ printf "%.1f", $1 / 1024 }')" MiB 8
# Pictures: of the largest accumulator, a product, a large matrix in memory, an access; pages.
product=mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
measure "$folder/pictures" 21 "$MAPPING --arch=90 --source=isa wgmma.m64n256k16.d.f32 --format=svg" "$MAPPING --arch=80 --source=isa $product --format=svg" \
    "$MAPPING (128,256):(256,1) --format=svg" "$MAPPING --access=ld.b128 --address=tid*16 --format=svg" \
    "$MAPPING --arch=90 --source=isa wgmma.m64n256k16.d.f32 --format=tikz" \
    "$MAPPING --arch=90 --source=isa wgmma.m64n256k16.d.f32 --format=html"
for what in 'SVG of the largest accumulator' 'SVG of A, B and D of a product' 'SVG of a matrix in memory, 128x256' 'SVG of an access' \
    'TikZ of the largest accumulator' 'a page of the largest accumulator'; do
    read -r picture size
    row "$what" "$picture" ms 50
done < "$folder/pictures"
volta='--load=mma.m8n8k4.a.col.f16 --atom-layout=(2,2,1) --permutation=((4,4,2):(1,8,4)),32,4'
measure "$folder/suggest" 7 "$MAPPING --arch=80 --source=isa (64,64):(64,1) --suggest --load=mma.m16n8k16.a.f16 --store=cp.async" \
    "$MAPPING --arch=70 --source=isa (128,64):(1,128) --suggest $volta --store=cp.async" \
    "$MAPPING --arch=80 --source=isa (256,256):(256,1) --suggest --load=mma.m16n8k16.a.f16 --load=mma.m16n8k16.b.f16 --store=cp.async"
{ read -r suggest size; read -r order size; read -r large size; } < "$folder/suggest"
row '--suggest for 64x64' "$suggest" ms 1000
row '--suggest for 256x256, A, B and copy' "$large" ms 1000
row "--suggest for Volta's 128x64, with other orders" "$order" ms 1000
CUDA_VISIBLE_DEVICES='' measure "$folder/header" 15 "$MAPPING --all --arch=all --cuda=$folder/none --format=cuda"
read -r header size < "$folder/header"
row 'a header of everything, on all architectures' "$header" ms 500

# The first folder of $CUDA_HOME and $PATH that has both tools.
tools=$(echo "${CUDA_HOME:-/usr/local/cuda}/bin:$PATH" | tr : '\n' | while read -r bin; do
    if [ -x "$bin/ptxas" ] && [ -x "$bin/nvdisasm" ]; then echo "$bin" && break; fi
done)
# Each tool is wrapped in a script that notes how long it took. What is left of the whole time is the
# program's own, and the scripts'. One run of the program runs a tool four times.
if [ -n "$tools" ]; then
    for tool in ptxas nvdisasm; do
        printf '#!/bin/sh\na=$(date +%%s%%N)\n"%s" "$@"\ns=$?\nb=$(date +%%s%%N)\necho $((b - a)) >> "%s/spent"\nexit $s\n' \
            "$tools/$tool" "$folder" > "$folder/$tool"
        chmod +x "$folder/$tool"
    done
    measure "$folder/total" 15 "$MAPPING --source=sass --arch=sm_80 --all --cuda=$folder"
    read -r total size < "$folder/total"
    spent=$(awk '{ sum += $1 } NR % 4 == 0 { print sum / 1e6; sum = 0 }' "$folder/spent" | sort -n | sed -n 8p)
    row "sass, own work beside the tools' $(printf %.0f "$spent") ms" \
        "$(awk -v t="$total" -v s="$spent" 'BEGIN { printf "%.1f", 100 * (t - s) / s }')" % 10
else
    missing 'sass, own work beside the tools' 'no folder of $PATH has ptxas and nvdisasm'
fi

if ! "$MAPPING" --source=gpu > "$folder/gpu" 2> "$folder/reason"; then
    missing 'gpu, beside the floor' "$(sed 's/^mapping: //' "$folder/reason")"
elif ! "${CC:-cc}" -O2 -o "$folder/floor" "$(dirname "$0")/floor.c" -ldl; then
    missing 'gpu, beside the floor' 'floor.c does not compile'
else
    measure "$folder/gpu" "${RUNS:-31}" "$folder/floor" "$MAPPING" "$MAPPING --all"
    { read -r floor size; read -r one size; read -r all size; } < "$folder/gpu"
    ratio() { awk -v a="$1" -v b="$floor" 'BEGIN { printf "%.3f", a / b }'; }
    row "mapping on the GPU, beside the floor of $floor ms" "$(ratio "$one")" times 1.04
    row 'the whole catalogue on the GPU' "$(ratio "$all")" times 1.3
fi
# The examples that use a header of --format=cuda; they are of sm_90.
if "$MAPPING" --source=gpu --arch=sm_90 > /dev/null 2> "$folder/reason"; then
    sh "$(dirname "$0")/../../examples/run.sh" "$MAPPING" "$NVCC" "$folder/examples" > "$folder/ratios" || failed=1
    grep -e ' times ' -e failed "$folder/ratios"
else
    missing 'examples with a header' "$(sed 's/^mapping: //' "$folder/reason")"
fi
exit $failed
