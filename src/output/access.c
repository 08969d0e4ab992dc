/* access.c - accesses to shared memory, as text; see access.h. */
#include "output/access.h"

#include "layout/sentence.h"
#include "output/loading_parts.h"
#include "report/access.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Lines that are filled with words, and go on indented. */
struct lines {
    struct printer *to;
    size_t column, width;
};
enum { LINE_WIDTH = 79 };

/* Prints a word, on the next line if it does not fit. */
static void put(struct lines *lines, const char *word) {
    enum { INDENT = 2 };
    size_t length = strlen(word);
    bool fits = lines->column + 1 + length <= lines->width;
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
    while (isspace((unsigned char)text[start])) /* it ends somewhere, in an expression */
        start++;
    while (isspace((unsigned char)text[end - 1]))
        end--;
    for (size_t n = start; n < end && n < start + LONGEST; n++)
        print_char(to, isprint((unsigned char)text[n]) ? text[n] : ' ');
    print_text(to, end - start > LONGEST ? "..." : "");
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

bool next_lanes(uint32_t *set, uint32_t *first, uint32_t *last) {
    if (*set == 0)
        return false;
    for (*first = 0; !(*set >> *first & 1);)
        ++*first;
    for (*last = *first; *last < LANES && *set >> *last & 1; ++*last)
        *set &= ~(UINT32_C(1) << *last);
    --*last;
    return true;
}

/* Prints "lane 3", or "lanes 0-3, 8, 10", and what comes behind. */
static void put_lanes(struct lines *lines, uint32_t set, const char *behind) {
    uint32_t first, last;
    put(lines, set & (set - 1) ? "lanes" : "lane");
    while (next_lanes(&set, &first, &last)) {
        char word[32];
        if (last > first)
            snprintf(word, sizeof word, "%u-%u%s", first, last, set ? "," : behind);
        else
            snprintf(word, sizeof word, "%u%s", first, set ? "," : behind);
        put(lines, word);
    }
}

/* Prints who asks for a word. */
static void put_word(struct lines *lines, uint32_t word, uint32_t set, const char *behind) {
    char text[64];
    const char *indent = lines->column == 0 ? "  " : "";
    uint32_t rest = set, first = 0, last = 0;
    bool is_one = (set & (set - 1)) == 0;
    next_lanes(&rest, &first, &last);
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
    struct lines lines = {to, 0, LINE_WIDTH};
    struct mapping_words words;
    mapping_access_words(access->operation, access->address, phase->lanes, &words);
    uint32_t count = words.count[phase->bank];
    for (uint32_t n = 0; n < count; n++)
        put_word(&lines, words.word[phase->bank][n], words.lanes[phase->bank][n],
                 n + 1 < count ? ";" : "");
    end_line(&lines);
}

/* Prints what a phase is and takes, with `behind` where words meet. */
static void put_phase(struct lines *lines, const struct mapping_phase *phase, uint32_t number,
                      const char *behind) {
    char text[64];
    if (phase->lanes == 0) {
        snprintf(text, sizeof text, "no active lanes (phase %u)", number);
        put(lines, text);
        return;
    }
    put_lanes(lines, phase->lanes, "");
    snprintf(text, sizeof text, "(phase %u):", number);
    put(lines, text);
    snprintf(text, sizeof text, "%u wavefront%s,", phase->wavefronts,
             mapping_plural(phase->wavefronts));
    put(lines, text);
    if (phase->wavefronts == 1)
        snprintf(text, sizeof text, "no bank conflict");
    else
        snprintf(text, sizeof text, "%u words conflict in bank %u%s", phase->wavefronts,
                 phase->bank, behind);
    put(lines, text);
}

void print_phase_line(struct printer *to, const struct mapping_phase *phase, uint32_t number) {
    struct lines lines = {to, 0, SIZE_MAX};
    put_phase(&lines, phase, number, "");
}

static void print_phase(struct printer *to, const struct access *access, uint32_t number) {
    const struct mapping_phase *phase = &access->counted.phases[number];
    struct lines lines = {to, 0, LINE_WIDTH};
    put_phase(&lines, phase, number, ":");
    end_line(&lines);
    if (phase->wavefronts > 1)
        print_meeting(to, access, phase);
}

/* ---- All of it ---- */

void print_access_name(struct printer *to, const struct access *access) {
    print_text(to, access->operation->name);
    if (!access->is_list) {
        print_text(to, ", address: ");
        print_expression(to, access->text);
    }
}

void print_conflicts(struct printer *to, size_t line, uint32_t wavefronts, uint32_t minimum) {
    enum { WIDTH = 80 };
    char ways[16] = "", text[96] = "no bank conflicts";
    if (minimum > 0 && wavefronts % minimum == 0)
        snprintf(ways, sizeof ways, "%u-way ", wavefronts / minimum);
    if (wavefronts > minimum)
        snprintf(text, sizeof text, "%sbank conflicts%s", ways, *ways ? " on average" : "");
    if (wavefronts > minimum)
        print(to, " (minimum: %u)", minimum);
    print(to, "%s%s\n", to->size - line + 2 + strlen(text) > WIDTH ? ",\n  " : ", ", text);
}

void print_access_total(struct printer *to, const struct mapping_access *operation,
                        const struct mapping_wavefronts *counted) {
    uint32_t bytes = LANES / counted->phase_count * operation->bytes;
    const size_t line = to->size;
    print(to, "Wavefronts: %u", counted->wavefronts);
    print_conflicts(to, line, counted->wavefronts, counted->minimum);
    if (operation->matrices == 0 && bytes > BANKS * BANK_BYTES)
        print_text(to, "Two phases merge here: every lane l has the same address as lane l ^ 1, "
                       "or\nevery lane l as lane l ^ 2.\n");
}

void print_access(struct printer *to, const struct access *access) {
    print_text(to, "# ");
    print_access_name(to, access);
    print_text(to, "\n# " RULE_LINE "\nAddresses, in bytes:\n");
    print_addresses(to, access);
    print_char(to, '\n');
    print_access_total(to, access->operation, &access->counted);
    for (uint32_t p = 0; p < access->counted.phase_count; p++)
        print_phase(to, access, p);
}
