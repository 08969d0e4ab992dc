/* constants.c - finds registers that hold constants; see constants.h. After any other write, or
 * after a predicated move, a register is not a constant. */
#include "command/constants.h"

#include "layout/ascii.h"

#include <stdlib.h>
#include <string.h>

/* Reads the number of a register such as UR23; false if the text is not one. URZ is not one. */
static bool read_uniform(const char *text, unsigned long *number) {
    if (text[0] != 'U' || text[1] != 'R' || !ascii_is_digit(text[2]))
        return false;
    *number = strtoul(text + 2, NULL, 10);
    return *number < UNIFORM_REGISTERS;
}

/* The entry for a register name of PTX, and its length in *length; NULL if it is not a name, or too
 * long. */
static const struct named_constant *place_of(const struct constants *constants, const char *text,
                                             size_t *length) {
    unsigned hash = 5381;
    for (*length = 0; ascii_is_letter(text[*length]) || ascii_is_digit(text[*length]) ||
                      strchr("%_$", text[*length]);
         ++*length) {
        if (!text[*length])
            break;
        hash = hash * 33 + (unsigned char)text[*length];
    }
    return *length > 0 && *length < PTX_NAME_SIZE ? &constants->named[hash % PTX_CONSTANTS] : NULL;
}

bool constants_find(const struct constants *constants, const char *text, uint32_t *value) {
    unsigned long number;
    size_t length;
    const struct constant *found = NULL;
    if (read_uniform(text, &number)) {
        found = &constants->uniform[number];
    } else if (*text != 'U') {
        const struct named_constant *named = place_of(constants, text, &length);
        if (named && strncmp(named->name, text, length) == 0 && !named->name[length])
            found = &named->is;
    }
    if (!found || !found->is_known)
        return false;
    *value = found->value;
    return true;
}

/* Reads the constant that a move writes: a number, or the constant in another register. */
static bool read_source(const struct constants *constants, const char *text, uint32_t *value) {
    char *end;
    text = ascii_skip_blanks(text);
    if (!ascii_is_digit(*text))
        return constants_find(constants, text, value);
    const unsigned long number = strtoul(text, &end, 0);
    *value = (uint32_t)number;
    return number <= UINT32_MAX && !*ascii_skip_blanks(end);
}

/* True if the opcode is `name`, or begins with it and a dot. */
static bool is_named(const struct listing_instruction *instruction, const char *name) {
    const size_t length = strlen(name);
    return instruction->length >= length && memcmp(instruction->opcode, name, length) == 0 &&
           (instruction->length == length || instruction->opcode[length] == '.');
}

/* True if the opcode has a word such as ".64". */
static bool has_word(const struct listing_instruction *instruction, const char *word) {
    const char *found = strstr(instruction->opcode, word);
    return found && found < instruction->opcode + instruction->length;
}

/* The number of registers that a SASS instruction writes, according to its opcode. */
static unsigned count_written(const struct listing_instruction *instruction) {
    return has_word(instruction, ".256")                                    ? 8
           : has_word(instruction, ".128")                                  ? 4
           : has_word(instruction, ".64") || has_word(instruction, ".WIDE") ? 2
                                                                            : 1;
}

static void note_uniform(struct constants *constants,
                         const struct listing_instruction *instruction) {
    const char *text = ascii_skip_blanks(instruction->operands);
    unsigned long number;
    if (strncmp(text, "UP", 2) == 0 || *text == 'P') /* the instruction also writes a predicate */
        text = ascii_skip_blanks(text + strcspn(text, ",") + (strchr(text, ',') != NULL));
    if (!read_uniform(text, &number))
        return;
    const unsigned written = count_written(instruction);
    const char *source = strchr(text, ',');
    struct constant is = {false, 0};
    if (is_named(instruction, "UMOV") && written == 1 && source && !instruction->is_guarded)
        is.is_known = read_source(constants, source + 1, &is.value);
    for (unsigned n = 0; n < written && number + n < UNIFORM_REGISTERS; n++)
        constants->uniform[number + n] = is;
}

static void note_named(struct constants *constants, const struct listing_instruction *instruction) {
    const char *text = ascii_skip_blanks(instruction->operands);
    size_t length;
    struct named_constant *named = (struct named_constant *)place_of(constants, text, &length);
    if (!named)
        return;
    const bool is_same = strncmp(named->name, text, length) == 0 && !named->name[length];
    const char *source = ascii_skip_blanks(text + length);
    struct constant is = {false, 0};
    if (is_named(instruction, "mov") && *source == ',' && !instruction->is_guarded)
        is.is_known = read_source(constants, source + 1, &is.value);
    if (!is.is_known && !is_same)
        return;
    memcpy(named->name, text, length);
    named->name[length] = '\0';
    named->is = is;
}

void constants_note(struct constants *constants, const struct listing_instruction *instruction) {
    (instruction->is_sass ? note_uniform : note_named)(constants, instruction);
}
