/* listing.c - what nvdisasm prints, as instructions; see listing.h. */
#include "source/sass/listing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Growing arrays ---- */

/* Makes room for one more element. False if out of memory. */
static bool grow(void **array, size_t count, size_t *room, size_t element) {
    if (count < *room)
        return true;
    size_t wanted = *room ? 2 * *room : 16;
    void *bigger = realloc(*array, wanted * element);
    if (!bigger)
        return false;
    *array = bigger;
    *room = wanted;
    return true;
}

/* ---- Operands ---- */

/* If text starts with `prefix` and goes on with a number or with `zero`, reads the register's index
 * (`zero` is `last`) and returns what follows; else NULL. */
static const char *read_index(const char *text, const char *prefix, const char *zero, int last,
                              int *index) {
    size_t length = strlen(prefix);
    if (strncmp(text, prefix, length) != 0)
        return NULL;
    text += length;
    if (*zero && *text == *zero && !isalnum((unsigned char)text[1]) && text[1] != '_') {
        *index = last;
        return text + 1;
    }
    if (!isdigit((unsigned char)*text))
        return NULL;
    char *end;
    long number = strtol(text, &end, 10);
    if (number >= last)
        return NULL;
    *index = (int)number;
    return end;
}

/* Reads 0x10 or -0x10. Returns what follows, or NULL. */
static const char *read_hexadecimal(const char *text, uint32_t *value) {
    bool negative = *text == '-';
    text += negative;
    if (strncmp(text, "0x", 2) != 0 || !isxdigit((unsigned char)text[2]))
        return NULL;
    char *end;
    unsigned long number = strtoul(text, &end, 16);
    if (number > UINT32_MAX)
        return NULL;
    *value = negative ? 0 - (uint32_t)number : (uint32_t)number;
    return end;
}

/* Reads the inside of [R4.64+UR6+0x10]; `text` is behind the opening bracket. */
static bool read_address(const char *text, struct operand *operand) {
    operand->kind = OPERAND_ADDRESS;
    operand->index = operand->uniform = NO_REGISTER;
    for (;;) {
        const char *end;
        int index;
        if (operand->index == NO_REGISTER && (end = read_index(text, "R", "Z", 255, &index))) {
            operand->index = index;
            if (strncmp(end, ".64", 3) == 0) {
                operand->wide = true;
                end += 3;
            }
        } else if (operand->uniform == NO_REGISTER &&
                   (end = read_index(text, "UR", "Z", 255, &index))) {
            operand->uniform = index;
        } else if (operand->value == 0 && (end = read_hexadecimal(text, &operand->value))) {
        } else {
            return false;
        }
        if (strcmp(end, "]") == 0)
            return true;
        if (*end != '+')
            return false;
        text = end + 1;
    }
}

static bool read_constant(const char *text, struct operand *operand) {
    operand->kind = OPERAND_CONSTANT;
    const char *end = read_hexadecimal(text, &operand->bank);
    if (!end || strncmp(end, "][", 2) != 0)
        return false;
    end = read_hexadecimal(end + 2, &operand->value);
    return end && strcmp(end, "]") == 0;
}

/* True if there is nothing left but a hint to the register cache. */
static bool at_end(const char *end) {
    return end && (*end == '\0' || strcmp(end, ".reuse") == 0);
}

/* Reads `(.L_x_0) and cuts the name out of it. */
static bool read_label(char *text, struct operand *operand) {
    size_t length = strlen(text);
    operand->kind = OPERAND_LABEL;
    operand->text = text + 2;
    if (length < 4 || text[1] != '(' || text[length - 1] != ')')
        return false;
    text[length - 1] = '\0';
    return true;
}

/* Reads R4, -UR6, !P0, B1 and the like. */
static bool read_register(const char *text, struct operand *operand) {
    static const struct {
        const char *prefix, *zero;
        int last;
        enum operand_kind kind;
    } files[] = {
        {"R", "Z", ZERO_REGISTER, OPERAND_REGISTER},
        {"UR", "Z", ZERO_REGISTER, OPERAND_UNIFORM},
        {"P", "T", TRUE_PREDICATE, OPERAND_PREDICATE},
        {"UP", "T", TRUE_PREDICATE, OPERAND_UNIFORM_PREDICATE},
        {"B", "", 32, OPERAND_BARRIER},
    };
    operand->negated = *text == '-';
    operand->inverted = *text == '!' || *text == '~';
    text += operand->negated || operand->inverted;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        operand->kind = files[f].kind;
        if (at_end(
                read_index(text, files[f].prefix, files[f].zero, files[f].last, &operand->index)))
            return true;
    }
    return false;
}

static bool read_number(const char *text, struct operand *operand) {
    operand->kind = OPERAND_IMMEDIATE;
    if (at_end(read_hexadecimal(text, &operand->value)))
        return true;
    char *end;
    operand->kind = OPERAND_NUMBER;
    operand->number = strtod(text, &end);
    return end != text && *end == '\0';
}

/* Reads one operand, `text`. */
static struct operand read_operand(char *text) {
    struct operand operand = {.text = text};
    const char *inner;
    bool understood;
    if (*text == '`')
        understood = read_label(text, &operand);
    else if (strncmp(text, "SR_", 3) == 0)
        return (struct operand){.kind = OPERAND_SPECIAL, .text = text};
    else if (strncmp(text, "c[", 2) == 0)
        understood = read_constant(text + 2, &operand);
    else if (strncmp(text, "desc[", 5) == 0) /* says how to access, not where */
        understood = (inner = read_index(text + 5, "UR", "Z", ZERO_REGISTER, &operand.index)) &&
                     strncmp(inner, "][", 2) == 0 && read_address(inner + 2, &operand);
    else if (*text == '[')
        understood = read_address(text + 1, &operand);
    else
        understood = read_number(text, &operand) || read_register(text, &operand);
    return understood ? operand : (struct operand){.kind = OPERAND_OTHER, .text = text};
}

/* ---- Lines ---- */

/* Cuts blanks off both ends. */
static char *trim(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

/* Passes over what has the form, in which # is a digit, and over the blanks behind it. NULL if the
 * text does not start so. */
static const char *pass(const char *text, const char *form) {
    for (; *form; form++, text++)
        if (*form == '#' ? !isdigit((unsigned char)*text) : *text != *form)
            return NULL;
    size_t blanks = strspn(text, " ");
    return blanks > 0 || !*text ? text + blanks : NULL;
}

/* Cuts off when an instruction is to be issued, which nvdisasm 12.8 adds for sm_120: the barriers
 * that it waits for and sets, and the cycles to the next, as in " &req={2} &wr=0x3 ?trans4". NULL
 * if nothing else of the kind is there, else the part that is not understood. */
static const char *cut_schedule(char *text) {
    static const char *const barriers[] = {"&req={#}", "&rd=0x#", "&wr=0x#"};
    char *schedule = text + strcspn(text, "&?");
    const char *rest = schedule, *next;
    if (!*schedule)
        return NULL;
    for (size_t b = 0; b < sizeof barriers / sizeof *barriers; b++)
        if ((next = pass(rest, barriers[b])))
            rest = next;
    if (!(next = pass(rest, "?trans#")))
        next = pass(rest, "?WAIT#_END_GROUP");
    if (!next || *next || schedule == text || schedule[-1] != ' ')
        return schedule;
    *schedule = '\0';
    return NULL;
}

/* Reads what stands behind the address: "@!P0 IMAD R4, R5, 0x10, RZ ". NULL if it is understood,
 * else the part that is not. */
static const char *read_instruction(char *text, struct instruction *instruction) {
    instruction->guard = (struct operand){.kind = OPERAND_PREDICATE, .index = TRUE_PREDICATE};
    text = trim(text);
    const char *trouble = cut_schedule(text);
    if (trouble)
        return trouble;
    if (*text == '@') {
        char *guard = text + 1;
        text += strcspn(text, " ");
        if (*text)
            *text++ = '\0';
        instruction->guard = read_operand(guard);
        if ((instruction->guard.kind != OPERAND_PREDICATE &&
             instruction->guard.kind != OPERAND_UNIFORM_PREDICATE) ||
            instruction->guard.negated)
            return guard;
        text = trim(text);
    }
    instruction->opcode = text;
    if (!isupper((unsigned char)*text))
        return text;
    text += strcspn(text, " ");
    if (*text)
        *text++ = '\0';
    for (text = trim(text); *text;) {
        char *operand = text;
        text += strcspn(text, ",");
        if (*text)
            *text++ = '\0';
        operand = trim(operand);
        if (instruction->count == OPERANDS_MAX)
            return operand;
        instruction->operands[instruction->count++] = read_operand(operand);
    }
    return NULL;
}

/* Bytes of one instruction, from Volta on. */
#define INSTRUCTION_SIZE ((size_t)16)

/* Where in the listing the parser is. */
struct parser {
    struct listing *listing;
    struct mapping_error *error;
    unsigned line;
    struct kernel *code;    /* the kernel whose code is being read, or NULL */
    struct kernel *info;    /* the kernel whose attributes are being read, or NULL */
    bool parameters_follow; /* the attribute that names their offset has begun */
};

/* Finds the kernel, or appends it. NULL if out of memory. */
static struct kernel *kernel_named(struct listing *listing, const char *name) {
    for (size_t k = 0; k < listing->count; k++)
        if (strcmp(listing->kernels[k].name, name) == 0)
            return &listing->kernels[k];
    void *kernels = listing->kernels;
    if (!grow(&kernels, listing->count, &listing->room, sizeof *listing->kernels))
        return NULL;
    listing->kernels = kernels;
    struct kernel *kernel = &listing->kernels[listing->count++];
    *kernel = (struct kernel){.name = name};
    return kernel;
}

static enum mapping_status out_of_memory(struct parser *parser) {
    return mapping_out_of_memory(parser->error);
}

/* A line such as: .section .text.k0,"ax",@progbits */
static enum mapping_status read_section(struct parser *parser, char *name) {
    static const char code[] = ".text.", info[] = ".nv.info.";
    name[strcspn(name, ",")] = '\0';
    name = trim(name);
    parser->code = parser->info = NULL;
    parser->parameters_follow = false;
    if (strncmp(name, code, sizeof code - 1) == 0) {
        parser->code = kernel_named(parser->listing, name + sizeof code - 1);
        return parser->code ? MAPPING_OK : out_of_memory(parser);
    }
    if (strncmp(name, info, sizeof info - 1) == 0) {
        parser->info = kernel_named(parser->listing, name + sizeof info - 1);
        return parser->info ? MAPPING_OK : out_of_memory(parser);
    }
    return MAPPING_OK;
}

/* A line of a kernel's attributes. Of interest: EIATTR_PARAM_CBANK, whose first plain .short is the
 * offset of the parameters in constant bank 0. */
static void read_attribute(struct parser *parser, const char *line) {
    const char *number = strstr(line, ".short\t0x");
    if (strstr(line, "EIATTR_"))
        parser->parameters_follow = strstr(line, "EIATTR_PARAM_CBANK") != NULL;
    else if (parser->parameters_follow && number) {
        parser->info->parameters = (unsigned)strtoul(number + 7, NULL, 16);
        parser->parameters_follow = false;
    }
}

static enum mapping_status add_label(struct parser *parser, char *name) {
    struct kernel *kernel = parser->code;
    void *labels = kernel->labels;
    if (!grow(&labels, kernel->label_count, &kernel->label_room, sizeof *kernel->labels))
        return out_of_memory(parser);
    kernel->labels = labels;
    kernel->labels[kernel->label_count++] = (struct label){name, kernel->count};
    return MAPPING_OK;
}

/* A line such as: slash-star 0010 star-slash, then the instruction, a semicolon. */
static enum mapping_status add_instruction(struct parser *parser, char *line) {
    char *end;
    unsigned long address = strtoul(line + 2, &end, 16);
    char *semicolon = strchr(line, ';');
    if (strncmp(end, "*/", 2) != 0 || !semicolon)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing is no instruction: %.80s", parser->line, line);
    *semicolon = '\0';
    const char *rest = semicolon + 1 + strspn(semicolon + 1, " \t");
    struct kernel *kernel = parser->code;
    if (*rest && strncmp(rest, "/*", 2) != 0)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing has more than one instruction: %.80s",
                            parser->line, rest);
    if (address != kernel->count * INSTRUCTION_SIZE)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing is at 0x%04lx, where 0x%04zx is expected",
                            parser->line, address, kernel->count * INSTRUCTION_SIZE);
    void *code = kernel->code;
    if (!grow(&code, kernel->count, &kernel->room, sizeof *kernel->code))
        return out_of_memory(parser);
    kernel->code = code;
    struct instruction *instruction = &kernel->code[kernel->count++];
    *instruction = (struct instruction){.address = (unsigned)address};
    const char *trouble = read_instruction(end + 2, instruction);
    if (trouble)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing: at 0x%04lx, '%.80s' is not understood",
                            parser->line, address, trouble);
    return MAPPING_OK;
}

static enum mapping_status read_line(struct parser *parser, char *line) {
    line = trim(line);
    size_t length = strlen(line);
    if (strncmp(line, ".section", 8) == 0 && isspace((unsigned char)line[8]))
        return read_section(parser, line + 8);
    if (parser->info)
        read_attribute(parser, line);
    if (!parser->code)
        return MAPPING_OK;
    if (strncmp(line, "/*", 2) == 0)
        return add_instruction(parser, line);
    if (strncmp(line, ".L_", 3) == 0 && line[length - 1] == ':') {
        line[length - 1] = '\0';
        return add_label(parser, line);
    }
    return MAPPING_OK; /* .align, .size and the like */
}

enum mapping_status listing_parse(char *text, struct listing *listing,
                                  struct mapping_error *error) {
    *listing = (struct listing){.text = text};
    struct parser parser = {.listing = listing, .error = error};
    enum mapping_status status = MAPPING_OK;
    while (*text && status == MAPPING_OK) {
        char *line = text;
        text += strcspn(text, "\n");
        if (*text)
            *text++ = '\0';
        parser.line++;
        status = read_line(&parser, line);
    }
    return status;
}

void listing_free(struct listing *listing) {
    for (size_t k = 0; k < listing->count; k++) {
        free(listing->kernels[k].code);
        free(listing->kernels[k].labels);
    }
    free(listing->kernels);
    free(listing->text);
    *listing = (struct listing){0};
}

const struct kernel *listing_kernel(const struct listing *listing, const char *name) {
    for (size_t k = 0; k < listing->count; k++)
        if (strcmp(listing->kernels[k].name, name) == 0 && listing->kernels[k].count > 0)
            return &listing->kernels[k];
    return NULL;
}
