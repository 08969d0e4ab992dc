#!/bin/sh
# Layouts of block scale factors: offsets, sizes and inverses, compared with separate formulae (scales_test.py); the
# printed functions, compiled.
. "$(dirname "$0")/../lib/tap.sh"

python3 "$here/scales_test.py" "$MAPPING" > "$folder/tap"
ok_with python3 'every layout of scale factors has the offsets of its formula' is \
    "$(grep -c ^ok "$folder/tap") $(grep -A1 '^not ok' "$folder/tap")" '18 '

# 130 x 6 in 128x4, padded to 256 x 8: the last factor by hand, (1 * 2 + 1) * 512 + 16 + 1.
run 128x4 --extent=130,6 --format=cuda
cp "$folder/out" "$folder/scales.h"
cat > "$folder/scales.c" <<'END'
#include "scales.h"
#include <stdio.h>
int main(void) {
    for (unsigned row = 0; row < 130; row++)
        for (unsigned col = 0; col < 6; col++) {
            const unsigned offset = mapping_layout_128x4_offset(row, col);
            if (mapping_layout_128x4_offset_in(row, col, 130, 6) != offset ||
                mapping_layout_128x4_row(offset) != row || mapping_layout_128x4_col(offset) != col)
                printf("%u %u\n", row, col);
        }
    printf("%u %zu %zu\n", mapping_layout_128x4_offset(129, 5), mapping_layout_128x4_bytes(130, 6),
           mapping_layout_128x4_offset_in(300, 9, 301, 10));
    return 0;
}
END
${CC:-cc} -std=c99 -Wall -Wextra -Werror -o "$folder/scales" "$folder/scales.c" && "$folder/scales" > "$folder/printed"
# (300, 9) of 301 x 10, padded to 384 x 12: (2 * 3 + 2) * 512 + 12 * 16 + 1 * 4 + 1.
ok 'printed functions give offsets, inverses and sizes' is "$(cat "$folder/printed")" '1553 2048 4293'
finish
