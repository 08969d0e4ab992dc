/* matrix_offsets.c - a helper of matrix_headers.py: prints the library's layouts in memory.
 *
 * Each line of standard input is "TEXT|BITS|EXTENT|EXTENT". For each, one line is printed:
 *
 *     STAGES ROWS COLS BITS WGMMA TCGEN05 CRC     STAGES is 0 if there are none; or
 *     refused: SENTENCE
 *
 * WGMMA, the descriptor for wgmma, is "K,MODE,LEADING,STRIDE" or "MN,...", with byte offsets, or
 * "-". TCGEN05 is the descriptor for tcgen05.mma, at address 0 and in hexadecimal, or "-". CRC is
 * the CRC-32 of all offsets, as 32-bit numbers with the lowest byte first. With the argument
 * "offsets", all offsets follow in the order of the table. */
#include "smem/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t crc_of(const struct mapping_layout *layout) {
    uint32_t crc = UINT32_MAX;
    size_t entries = mapping_layout_entries(layout);
    for (size_t n = 0; n < entries; n++)
        for (unsigned byte = 0; byte < 4; byte++) {
            crc ^= layout->coordinate[0][n] >> 8 * byte & 0xff;
            for (int bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    return ~crc;
}

static void print_descriptors(const struct mapping_smem_matrix *memory) {
    struct mapping_descriptor descriptor;
    if (mapping_smem_matrix_descriptor(memory, READER_WGMMA, &descriptor))
        printf("%s,%u,%u,%u", descriptor.is_k_major ? "K" : "MN", descriptor.mode,
               descriptor.leading_bytes, descriptor.stride_bytes);
    else
        printf("-");
    if (mapping_smem_matrix_descriptor(memory, READER_TCGEN05, &descriptor))
        printf(" %016llx", (unsigned long long)descriptor.value);
    else
        printf(" -");
}

static void print_memory(const struct mapping_smem_matrix *memory, bool with_offsets) {
    const struct mapping_space *from = &memory->layout.from;
    uint32_t stages = from->count > 2 ? from->axis[0].size : 0;
    const struct mapping_axis *row = &from->axis[from->count - 2];
    printf("%u %u %u %u ", stages, row[0].size, row[1].size, memory->bits);
    print_descriptors(memory);
    printf(" %08x", crc_of(&memory->layout));
    size_t entries = mapping_layout_entries(&memory->layout);
    for (size_t n = 0; with_offsets && n < entries; n++)
        printf(" %u", memory->layout.coordinate[0][n]);
    printf("\n");
}

int main(int argc, char **argv) {
    bool with_offsets = argc > 1 && strcmp(argv[1], "offsets") == 0;
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        uint32_t number[3] = {0};
        line[strcspn(line, "\n")] = '\0';
        char *field = strchr(line, '|');
        if (field)
            *field++ = '\0';
        for (int f = 0; f < 3 && field; f++) {
            number[f] = (uint32_t)strtoul(field, &field, 10);
            field += *field == '|';
        }
        const struct mapping_smem_matrix_request request = {
            .text = line, .bits = number[0], .extent = {number[1], number[2]}};
        struct mapping_smem_matrix memory;
        struct mapping_error error;
        if (mapping_smem_matrix_make(&request, &memory, &error) == MAPPING_OK)
            print_memory(&memory, with_offsets);
        else
            printf("refused: %s\n", error.message);
        mapping_smem_matrix_free(&memory);
    }
    return 0;
}
