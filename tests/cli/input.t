#!/bin/sh
# Standard input that is not read: a note says so, and names the option that reads it. Status and standard output do not
# change.
. "$(dirname "$0")/../lib/tap.sh"

note='mapping: standard input is not read; --annotate=- reads a listing of SASS or PTX from it, --map=- a table in CSV'
printf 'HMMA.16816.F32 R4, R8, R16, R4 ;\n' > "$folder/listing"
: > "$folder/empty"
"$MAPPING" -a80 < /dev/null > "$folder/expected"

# run INPUT ARGUMENT...
run() {
    input=$1
    shift
    "$MAPPING" -a80 "$@" < "$input" > "$folder/out" 2> "$folder/err"
}

noted() { run "$@" && says "$note" "$folder/err"; }
silent() { run "$@" && empty "$folder/err"; }
same() { cmp "$folder/out" "$folder/expected"; }

ok 'a file is not read' noted "$folder/listing"
ok 'standard output is the same' same
ok 'with a format' noted "$folder/listing" --json
ok 'an empty file' silent "$folder/empty"
ok '/dev/null' silent /dev/null
ok 'a name, which may be in a loop that reads a list' silent "$folder/listing" mma.m16n8k16.d.f32
ok 'help' silent "$folder/listing" --help
ok 'a question about the default fragment' silent "$folder/listing" --thread=3
ok 'a list' silent "$folder/listing" --list

# A loop reads a line of its list before it starts the command.
in_loop() { while read -r arch; do "$MAPPING" -a "$arch"; done < "$folder/archs" > "$folder/out" 2> "$folder/err"; }
printf '%s\n' 80 90 120 > "$folder/archs"
loop_is_silent() { in_loop && empty "$folder/err"; }
ok 'a loop that reads a file, whose rest is not for the command' loop_is_silent

# A pipe: with data, without data yet, or closed by its writer.
mkfifo "$folder/pipe"
exec 5<> "$folder/pipe"
silent_pipe() { "$MAPPING" -a80 <&5 > "$folder/out" 2> "$folder/err" && empty "$folder/err"; }
ok 'a pipe in which nothing is, which must not be waited for' silent_pipe
cat "$folder/listing" >&5
noted_pipe() { "$MAPPING" <&5 > "$folder/out" 2> "$folder/err" && says "$note" "$folder/err"; }
ok 'a pipe' noted_pipe
ok 'a pipe and words, which may be in a loop that reads a list' silent_pipe
in_piped_loop() { cat "$folder/archs" | while read -r arch; do "$MAPPING" -a "$arch"; done > "$folder/out" 2> "$folder/err"; }
piped_loop_is_silent() { in_piped_loop && empty "$folder/err" && says '# wmma.m16n16k16.d.f32 on sm_120' "$folder/out"; }
ok 'a loop that reads a pipe' piped_loop_is_silent
closed() { "$MAPPING" -a80 <&- > "$folder/out" 2> "$folder/err" && empty "$folder/err"; }
ok 'no standard input' closed
ended() { : | "$MAPPING" -a80 > "$folder/out" 2> "$folder/err" && empty "$folder/err"; }
ok 'a pipe that has ended' ended
finish
