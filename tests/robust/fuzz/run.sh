#!/bin/sh
# run.sh FOLDER SECONDS TARGET: runs a target that was built in FOLDER for SECONDS, and prints a summary. It starts with
# its seeds. libFuzzer saves inputs that reach new code in FOLDER/TARGET.inputs, and the next run starts with them. It
# fails and keeps the input if the target crashes, leaks, breaks a rule, or takes 5 seconds or 1 GiB. With RUNS=0 in the
# environment, it only reads the seeds, so that the outcome does not depend on chance.
folder=$1 seconds=$2 target=$3
here=$(dirname "$0") log=$folder/$target.log
mkdir -p "$folder/$target.inputs" "$folder/$target.found"
"$folder/$target" -max_total_time="$seconds" ${RUNS:+-runs="$RUNS"} -timeout=5 -rss_limit_mb=1024 -max_len=4096 \
    -entropic_scale_per_exec_time=1 -print_final_stats=1 -artifact_prefix="$folder/$target.found/" \
    -dict="$here/words/$target.txt" "$folder/$target.inputs" "$here/seeds/$target" > "$log" 2>&1
status=$?

stat() { sed -n "s/^stat::$1: *//p" "$log"; }
executions=$(stat number_of_executed_units) rate=$(stat average_exec_per_sec)
printf '%-10s %11s executions, %s per second\n' "$target" "${executions:-0}" "${rate:-0}"
[ "$status" -ne 0 ] || exit 0
grep -v -e '^#' -e '^INFO' -e NEW_FUNC "$log" | tail -n 40
echo "$target failed with status $status; to see it again: $folder/$target $folder/$target.found/FILE"
exit 1
