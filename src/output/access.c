/* access.c - accesses to shared memory, as text; see access.h. */
#include "output/access.h"

#include "report/access.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Lines that are filled with words, and go on indented. */
struct lines {
    struct printer *to;
    size_t column;
};

/* Prints a word, on the next line if it does not fit. */
static void put(struct lines *lines, const char *word) {
    enum { WIDTH = 79, INDENT = 2 };
    size_t length = strlen(word);
    bool fits = lines->column + 1 + length <= WIDTH;
    if (lines->column > 0)
        print(lines->to, fits ? " " : "\n%*s", INDENT, "");
    print_text(lines->to, word);
    lines->column = fits ? lines->column + (lines->column > 0) + length : INDENT + length;
}

static void end_line(struct lines *lines) {
    print_char(lines->to, '\n');
    lines->column = 0;
}

/* ---- What was asked ---- */

/* Prints the expression on one line, without blanks around it, cut off where it is too long. */
static void print_expression(struct printer *to, const char *text) {
    enum { LONGEST = 56 };
    size_t start = 0, end = strlen(text);
    while (start < end && isspace((unsigned char)text[start]))
        start++;
    while (end > start && isspace((unsigned char)text[end - 1]))
        end--;
    for (size_t n = start; n < end && n < start + LONGEST; n++)
        print_char(to, isprint((unsigned char)text[n]) ? text[n] : ' ');
    print_text(to, end - start > LONGEST ? "...\n" : "\n");
}

/* Prints the addresses of the lanes that bring one, 8 in a line. */
static void print_addresses(struct printer *to, const struct access *access) {
    enum { IN_LINE = 8 };
    uint32_t lanes = mapping_access_lanes(access->operation);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (lane % IN_LINE == 0)
            print(to, "lanes %2u-%-2u", lane, lane + IN_LINE - 1);
        if (access->address[lane] == MAPPING_INACTIVE)
            print_text(to, "       -");
        else
            print(to, " %7u", access->address[lane]);
        if (lane % IN_LINE == IN_LINE - 1)
            print_char(to, '\n');
    }
}

/* ---- Phases ---- */

/* Prints "lane 3", or "lanes 0-3, 8, 10", and what comes behind. */
static void put_lanes(struct lines *lines, uint32_t set, const char *behind) {
    put(lines, set & (set - 1) ? "lanes" : "lane");
    for (uint32_t lane = 0; lane < LANES; lane++) {
        char word[32];
        uint32_t last = lane;
        if (!(set >> lane & 1))
            continue;
        while (last + 1 < LANES && set >> (last + 1) & 1)
            last++;
        bool is_last = last + 1 == LANES || set >> (last + 1) == 0;
        if (last > lane)
            snprintf(word, sizeof word, "%u-%u%s", lane, last, is_last ? behind : ",");
        else
            snprintf(word, sizeof word, "%u%s", lane, is_last ? behind : ",");
        put(lines, word);
        lane = last;
    }
}

/* The word in the bank that a lane of the phase asks for. */
static uint32_t word_in_bank(uint32_t address, uint32_t bank) {
    uint32_t first = address / BANK_BYTES;
    return first + (bank + BANKS - first % BANKS) % BANKS;
}

/* Prints who asks for a word. */
static void put_word(struct lines *lines, uint32_t word, uint32_t first, uint32_t set,
                     const char *behind) {
    char text[64];
    const char *indent = lines->column == 0 ? "  " : "";
    bool is_one = (set & (set - 1)) == 0;
    if (is_one)
        snprintf(text, sizeof text, "%sbyte %u: lane %u%s", indent, word * BANK_BYTES, first,
                 behind);
    else
        snprintf(text, sizeof text, "%sbyte %u:", indent, word * BANK_BYTES);
    put(lines, text);
    if (!is_one)
        put_lanes(lines, set, behind);
}

/* Prints which lanes ask for which words of the bank with the most. */
static void print_meeting(struct printer *to, const struct access *access,
                          const struct mapping_phase *phase) {
    struct lines lines = {to, 0};
    uint32_t left = phase->meeting;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t same = 0, word = word_in_bank(access->address[lane], phase->bank);
        if (!(left >> lane & 1))
            continue;
        for (uint32_t other = lane; other < LANES; other++)
            if (left >> other & 1 && word_in_bank(access->address[other], phase->bank) == word)
                same |= UINT32_C(1) << other;
        left &= ~same;
        put_word(&lines, word, lane, same, left ? ";" : "");
    }
    end_line(&lines);
}

static void print_phase(struct printer *to, const struct access *access, uint32_t p) {
    const struct mapping_phase *phase = &access->counted.phases[p];
    struct lines lines = {to, 0};
    char text[64];
    snprintf(text, sizeof text, "phase %u,", p);
    put(&lines, text);
    if (phase->lanes == 0) {
        put(&lines, "no lane is active");
        end_line(&lines);
        return;
    }
    put_lanes(&lines, phase->lanes, ":");
    snprintf(text, sizeof text, "%u wavefront%s,", phase->wavefronts,
             phase->wavefronts == 1 ? "" : "s");
    put(&lines, text);
    if (phase->wavefronts == 1)
        snprintf(text, sizeof text, "no bank conflict");
    else
        snprintf(text, sizeof text, "%u words meet in bank %u:", phase->wavefronts, phase->bank);
    put(&lines, text);
    end_line(&lines);
    if (phase->wavefronts > 1)
        print_meeting(to, access, phase);
}

/* Says what makes phases fewer than the lanes' bytes do. */
static void print_merging(struct printer *to, const struct access *access) {
    uint32_t bytes = LANES / access->counted.phase_count * access->operation->bytes;
    if (access->operation->matrices == 0 && bytes > BANKS * BANK_BYTES)
        print_text(to,
                   "Phases are twice as long, since all lanes l and l ^ 1, or all l and l ^ 2,\n"
                   "have the same address.\n");
}

void print_access(struct printer *to, const struct access *access) {
    const struct mapping_wavefronts *counted = &access->counted;
    print(to, "# %s", access->operation->name);
    print_text(to, access->is_list ? "\n" : ", address: ");
    if (!access->is_list)
        print_expression(to, access->text);
    print_text(to, "# rule: counted on an " ACCESS_COUNTED_DEVICE " (" ACCESS_COUNTED_ARCH
                   ") with ncu; assumed elsewhere\nAddresses, in bytes:\n");
    print_addresses(to, access);
    print(to, "\nWavefronts: %u", counted->wavefronts);
    if (counted->wavefronts > counted->minimum)
        print(to, "; %u without bank conflicts\n", counted->minimum);
    else
        print_text(to, ", no bank conflicts\n");
    print_merging(to, access);
    for (uint32_t p = 0; p < counted->phase_count; p++)
        print_phase(to, access, p);
}
