/* operands.c - the registers that a line of PTX or SASS names; see operands.h. */
#include "command/operands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Operands as text ---- */

enum { OPERANDS_MAX = 16 };

/* An operand, without what is around it: "{%f1,%f2}", "R8.ROW", "[R2+0x10]", "gdesc[UR4]". */
struct operand {
    const char *start;
    size_t length;
};

/* Moves behind blanks, and behind quotes and "\n\t" of inline assembly in C. */
static const char *skip_blanks(const char *text) {
    for (;; text++) {
        if (*text == '\\' && text[1])
            text++;
        else if (!isspace((unsigned char)*text) && *text != '"')
            return text;
    }
}

/* True at the end of an instruction; a comment of a listing is behind it. */
static bool is_end(const char *text) {
    return !*text || *text == ';' || strncmp(text, "/*", 2) == 0;
}

/* Divides operands at the commas outside of braces and brackets; returns how many there are, at
 * most OPERANDS_MAX. */
static size_t split(const char *text, struct operand found[OPERANDS_MAX]) {
    size_t count = 0;
    while (count < OPERANDS_MAX) {
        unsigned depth = 0;
        const char *start = text = skip_blanks(text), *last = start;
        for (; !is_end(text) && (*text != ',' || depth > 0); text = skip_blanks(text + 1)) {
            depth += *text == '{' || *text == '[';
            depth -= (*text == '}' || *text == ']') && depth > 0;
            last = text + 1;
        }
        if (last > start)
            found[count++] = (struct operand){start, (size_t)(last - start)};
        if (*text != ',')
            break;
        text++;
    }
    return count;
}

size_t operands_count(const char *operands) {
    struct operand found[OPERANDS_MAX];
    return split(operands, found);
}

/* True if the operand is a list of registers, or one register; false of an address. */
static bool is_register(const struct operand *operand) {
    return !memchr(operand->start, '[', operand->length);
}

bool operands_in_memory(const char *operands, bool is_sass,
                        const struct mapping_fragment *fragment) {
    struct operand all[OPERANDS_MAX];
    return fragment->operand == MAPPING_A && fragment->place == MAPPING_IN_REGISTERS &&
           mapping_instruction_reads_shared(fragment->instruction) && split(operands, all) > 1 &&
           *all[1].start != (is_sass ? 'R' : '{');
}

/* ---- Which operand is which ---- */

/* Finds an operand in an order; of instructions without one the registers beside the address. False
 * if it is not there, or lies in memory. */
static bool find(const char *operands, const char *order, enum mapping_operand operand,
                 struct operand *found) {
    struct operand all[OPERANDS_MAX];
    const char *name = mapping_operand_name(operand);
    const size_t count = split(operands, all);
    bool has_address = false;
    for (size_t o = 0; o < count; o++)
        has_address |= *all[o].start == '[';
    for (size_t o = 0; o < count; o++) {
        const size_t length = order ? strcspn(order, " ") : 0;
        const bool is_it = !order || has_address
                               ? is_register(&all[o])
                               : length == strlen(name) && strncmp(order, name, length) == 0;
        *found = all[o];
        if (is_it)
            return is_register(found);
        if (order && !has_address && !order[length])
            return false;
        if (order)
            order += length + (order[length] == ' ');
    }
    return false;
}

/* ---- Names of registers ---- */

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || (c && strchr("%_$.", c));
}

/* Adds the names of a list of registers, "{%f1, %f2}", or of one. *is_list becomes true of a list.
 */
static void add_names(const struct operand *operand, struct strings *names, bool *is_list) {
    const char *text = operand->start, *end = text + operand->length;
    *is_list = *text == '{';
    text += *is_list;
    while (text < end) {
        char name[64];
        size_t length = 0;
        for (; text < end && *text != ',' && *text != '}'; text = skip_blanks(text + 1))
            if (is_of_name(*text) && length + 1 < sizeof name)
                name[length++] = *text;
        name[length] = '\0';
        strings_add(names, name);
        text = text < end ? skip_blanks(text + 1) : end; /* the text may end there */
    }
}

enum mapping_status operands_ptx(const char *operands, const char *opcode,
                                 const struct mapping_fragment *fragment, struct strings *names,
                                 struct mapping_error *error) {
    /* An f64 has one register in PTX, and two of SASS. */
    const size_t wanted = fragment->registers / (fragment->bits == 64 ? 2 : 1);
    struct operand operand;
    bool is_list;
    if (fragment->operand == MAPPING_P ||
        !find(operands, mapping_instruction_ptx_operands(fragment->instruction), fragment->operand,
              &operand))
        return MAPPING_OK;
    add_names(&operand, names, &is_list);
    const size_t listed = names->count;
    if (listed != wanted)
        names->count = 0;
    return listed == wanted || !is_list
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "%.100s takes %zu register%s for operand %s, but %zu are given",
                              opcode, wanted, wanted == 1 ? "" : "s",
                              mapping_operand_name(fragment->operand), listed);
}

void operands_sass(const char *operands, const char *opcode,
                   const struct mapping_fragment *fragment, struct strings *names) {
    const bool is_behind_metadata = fragment->operand == MAPPING_SFA && strstr(opcode, ".SP");
    const enum mapping_operand named = is_behind_metadata ? MAPPING_E : fragment->operand;
    struct operand operand;
    const char *order =
        mapping_instruction_sass_operands(fragment->instruction, strstr(opcode, ".SF"));
    if (fragment->operand == MAPPING_P || !find(operands, order, named, &operand) ||
        operand.length < 2 || *operand.start != 'R')
        return;
    const bool is_zero = operand.start[1] == 'Z';
    char *end = NULL;
    const unsigned long first = strtoul(operand.start + 1, &end, 10) + is_behind_metadata;
    if (!is_zero && end == operand.start + 1)
        return;
    for (unsigned long n = 0; n < fragment->registers; n++) {
        char name[32];
        snprintf(name, sizeof name, is_zero ? "RZ" : "R%lu", first + n);
        strings_add(names, name);
    }
}
