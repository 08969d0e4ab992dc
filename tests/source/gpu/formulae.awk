# Converts the output of `mapping 'wmma.*'` to lines that mma_sync_test.cu includes: LAYOUT(m, n, k, operand, layout,
# type, row, col)
BEGIN { FS = "[. ]" }
/^# wmma/ {
    match($3, /m[0-9]+/); m = substr($3, RSTART + 1, RLENGTH - 1)
    match($3, /n[0-9]+/); n = substr($3, RSTART + 1, RLENGTH - 1)
    match($3, /k[0-9]+/); k = substr($3, RSTART + 1, RLENGTH - 1)
    layout = $6 == "on" ? "none" : $5
    type = $6 == "on" ? $5 : $6
    operand = $4
}
/^Row: return / { row = $0; sub(/^Row: return /, "", row); sub(/;$/, "", row) }
/^Col: return / {
    col = $0; sub(/^Col: return /, "", col); sub(/;$/, "", col)
    printf "LAYOUT(%s, %s, %s, '%s', %s, %s, %s, %s)\n", m, n, k, operand, layout, type, row, col
}
