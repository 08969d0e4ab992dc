/* disassembly.c - parses the output of nvdisasm; see disassembly.h. From top to bottom: operands,
 * lines, and finding kernels and labels by their names. */
#include "source/sass/disassembly.h"

#include "system/system.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Operands ---- */

/* Reads a register's index if the text begins with `prefix` and a number, or with `prefix` and
 * `zero`, which stands for index `last`. Returns the text after it; otherwise NULL. */
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

/* Reads 0x10 or -0x10. Returns the text after it, or NULL. */
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

/* Reads the inside of [R4.64+UR6+0x10]; `text` is the text after the opening bracket. */
static bool read_address(const char *text, struct operand *operand) {
    operand->kind = OPERAND_ADDRESS;
    operand->index = operand->uniform = NO_REGISTER;
    for (;;) {
        const char *end;
        int index;
        if (operand->index == NO_REGISTER &&
            (end = read_index(text, "R", "Z", ZERO_REGISTER, &index))) {
            operand->index = index;
            if (strncmp(end, ".64", 3) == 0) {
                operand->wide = true;
                end += 3;
            }
        } else if (operand->uniform == NO_REGISTER &&
                   (end = read_index(text, "UR", "Z", ZERO_REGISTER, &index))) {
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

/* True if only a hint to the register cache is left. */
static bool at_end(const char *end) {
    return end && (*end == '\0' || strcmp(end, ".reuse") == 0);
}

/* Reads `(.L_x_0) and extracts the name. */
static bool read_label(char *text, struct operand *operand) {
    size_t length = strlen(text);
    operand->kind = OPERAND_LABEL;
    operand->text = text + 2;
    if (length < 4 || text[1] != '(' || text[length - 1] != ')')
        return false;
    text[length - 1] = '\0';
    return true;
}

/* Reads an operand such as R4, -UR6, !P0 or B1. */
static bool read_register(const char *text, struct operand *operand) {
    static const struct {
        const char *prefix, *zero;
        int last;
        enum operand_kind kind;
    } files[] = {
        {"R", "Z", ZERO_REGISTER, OPERAND_REGISTER},
        {"P", "T", TRUE_PREDICATE, OPERAND_PREDICATE},
        {"B", "", 32, OPERAND_BARRIER},
    };
    operand->negated = *text == '-';
    operand->inverted = *text == '!' || *text == '~';
    text += operand->negated || operand->inverted;
    operand->is_uniform = *text == 'U' && text[1] != 'B';
    text += operand->is_uniform;
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

/* Reads one operand without surrounding blanks. May change `text`; the result points into it. */
static struct operand operand_read(char *text) {
    struct operand operand = {.text = text};
    const char *inner;
    bool understood;
    if (*text == '`')
        understood = read_label(text, &operand);
    else if (strncmp(text, "SR_", 3) == 0)
        return (struct operand){.kind = OPERAND_SPECIAL, .text = text};
    else if (strncmp(text, "c[", 2) == 0)
        understood = read_constant(text + 2, &operand);
    else if (strncmp(text, "desc[", 5) == 0) /* a cache policy, which does not change the address */
        understood = (inner = read_index(text + 5, "UR", "Z", ZERO_REGISTER, &operand.index)) &&
                     strncmp(inner, "][", 2) == 0 && read_address(inner + 2, &operand);
    else if (*text == '[')
        understood = read_address(text + 1, &operand);
    else
        understood = read_number(text, &operand) || read_register(text, &operand);
    return understood ? operand : (struct operand){.kind = OPERAND_OTHER, .text = text};
}

/* ---- Lines ---- */

/* Removes blanks at both ends. */
static char *trim(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

/* Skips a text with the given form, in which # stands for a digit, and the blanks after it. NULL if
 * the text does not begin with this form. */
static const char *pass(const char *text, const char *form) {
    for (; *form; form++, text++)
        if (*form == '#' ? !isdigit((unsigned char)*text) : *text != *form)
            return NULL;
    size_t blanks = strspn(text, " ");
    return blanks > 0 || !*text ? text + blanks : NULL;
}

/* Removes the scheduling information that nvdisasm 12.8 adds for sm_120: the barriers that the
 * instruction waits for and sets, and the cycles to the next one, as in " &req={2} &wr=0x3
 * ?trans4". NULL if no more of this kind is left; else the part that is not understood. */
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

/* The length of an opcode with its modifiers, which begins with a capital letter; or 0. */
static size_t opcode_length(const char *text) {
    const char *end = text;
    while (isupper((unsigned char)*text) &&
           (isalnum((unsigned char)*end) || *end == '.' || *end == '_'))
        end++;
    return (size_t)(end - text);
}

/* Reads the text after the address: "@!P0 IMAD R4, R5, 0x10, RZ ". NULL if it is understood;
 * otherwise the part that is not. */
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
        instruction->guard = operand_read(guard);
        if (instruction->guard.kind != OPERAND_PREDICATE || instruction->guard.negated)
            return guard;
        text = trim(text);
    }
    instruction->opcode = text;
    text += opcode_length(text);
    if (text == instruction->opcode || (*text && *text != ' '))
        return instruction->opcode;
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
        instruction->operands[instruction->count++] = operand_read(operand);
    }
    return NULL;
}

/* The size of an instruction in bytes, from Volta on. */
#define INSTRUCTION_SIZE ((size_t)16)

/* Larger than any listing: all fragments of sm_100 take 30,000 lines of 126 characters. */
enum { LINES_MAX = 1 << 18, LINE_MAX_SIZE = 4096 };

/* The position of the parser in the listing. */
struct parser {
    struct listing *listing;
    struct mapping_error *error;
    unsigned line;
    struct kernel *kernel;  /* the kernel whose code is being read, or NULL */
    struct kernel *info;    /* the kernel whose attributes are being read, or NULL */
    bool parameters_follow; /* the attribute that contains the offset of the parameters has begun */
};

/* Reads a line such as: .section .text.k0,"ax",@progbits. Only the code and the attributes of
 * kernels are used. */
static void read_section(struct parser *parser, char *name) {
    static const char code[] = ".text.", info[] = ".nv.info.";
    struct listing *listing = parser->listing;
    name[strcspn(name, ",")] = '\0';
    name = trim(name);
    parser->kernel = parser->info = NULL;
    parser->parameters_follow = false;
    bool is_code = strncmp(name, code, sizeof code - 1) == 0;
    if (!is_code && strncmp(name, info, sizeof info - 1) != 0)
        return;
    struct kernel *part = &listing->parts[listing->part_count++];
    *part = (struct kernel){.name = name + (is_code ? sizeof code : sizeof info) - 1,
                            .code = &listing->code[listing->instruction_count],
                            .labels = &listing->labels[listing->label_count]};
    *(is_code ? &parser->kernel : &parser->info) = part;
}

/* Reads a line of a kernel's attributes. Only EIATTR_PARAM_CBANK is used: its first plain .short is
 * the offset of the parameters in constant bank 0. */
static void read_attribute(struct parser *parser, const char *line) {
    const char *number = strstr(line, ".short\t0x");
    if (strstr(line, "EIATTR_"))
        parser->parameters_follow = strstr(line, "EIATTR_PARAM_CBANK") != NULL;
    else if (parser->parameters_follow && number) {
        parser->info->parameters = (unsigned)strtoul(number + 7, NULL, 16);
        parser->parameters_follow = false;
    }
}

/* A line such as: slash-star 0010 star-slash, then the instruction, a semicolon. */
static enum mapping_status add_instruction(struct parser *parser, char *line) {
    char *end;
    unsigned long address = strtoul(line + 2, &end, 16);
    char *semicolon = strchr(line, ';');
    if (strncmp(end, "*/", 2) != 0 || !semicolon)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing is not an instruction: %.80s", parser->line,
                            line);
    *semicolon = '\0';
    const char *rest = semicolon + 1 + strspn(semicolon + 1, " \t");
    if (*rest && strncmp(rest, "/*", 2) != 0)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing has more than one instruction: %.80s",
                            parser->line, rest);
    size_t expected = parser->kernel->count * INSTRUCTION_SIZE;
    if (address != expected)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing has address 0x%04lx, expected 0x%04zx",
                            parser->line, address, expected);
    struct instruction *instruction = &parser->listing->code[parser->listing->instruction_count++];
    instruction->address = (unsigned)address;
    parser->kernel->count++;
    const char *trouble = read_instruction(end + 2, instruction);
    if (trouble)
        return mapping_fail(parser->error, MAPPING_FAILED,
                            "line %u of the listing: cannot parse '%.80s' at 0x%04lx", parser->line,
                            trouble, address);
    return MAPPING_OK;
}

static enum mapping_status read_line(struct parser *parser, char *line) {
    line = trim(line);
    size_t length = strlen(line);
    struct listing *listing = parser->listing;
    if (strncmp(line, ".section", 8) == 0 && isspace((unsigned char)line[8])) {
        read_section(parser, line + 8);
    } else if (parser->info) {
        read_attribute(parser, line);
    } else if (parser->kernel && strncmp(line, "/*", 2) == 0) {
        return add_instruction(parser, line);
    } else if (parser->kernel && strncmp(line, ".L_", 3) == 0 && line[length - 1] == ':') {
        line[length - 1] = '\0';
        listing->labels[listing->label_count++] = (struct label){line, parser->kernel->count};
        parser->kernel->label_count++;
    }
    return MAPPING_OK; /* also for .align, .size and the like */
}

/* ---- All of it ---- */

enum mapping_status listing_parse(char *text, const struct limit *limit, struct listing *listing,
                                  struct mapping_error *error) {
    struct parser parser = {.listing = listing, .error = error};
    size_t lines = 1;
    for (const char *end = text; (end = strchr(end, '\n')); end++)
        lines++;
    *listing = (struct listing){.text = text};
    if (lines > LINES_MAX)
        return mapping_fail(error, MAPPING_FAILED, "the listing has more than %d lines", LINES_MAX);
    listing->parts = memory_get(lines, sizeof *listing->parts);
    listing->code = memory_get(lines, sizeof *listing->code);
    listing->labels = memory_get(lines, sizeof *listing->labels);
    while (*text) {
        char *line = text;
        size_t length = strcspn(text, "\n");
        text += length;
        if (*text)
            *text++ = '\0';
        parser.line++;
        if (length > LINE_MAX_SIZE)
            return mapping_fail(error, MAPPING_FAILED,
                                "line %u of the listing is longer than %d characters", parser.line,
                                LINE_MAX_SIZE);
        if (read_line(&parser, line) != MAPPING_OK ||
            (parser.line % 1024 == 0 && limit_check(limit, error) != MAPPING_OK))
            return MAPPING_FAILED;
    }
    return MAPPING_OK;
}

void listing_free(struct listing *listing) {
    mapping_free(listing->parts);
    mapping_free(listing->code);
    mapping_free(listing->labels);
    mapping_free(listing->text);
    *listing = (struct listing){0};
}

enum mapping_status listing_kernel(const struct listing *listing, const char *name,
                                   struct kernel *kernel, struct mapping_error *error) {
    *kernel = (struct kernel){.name = name};
    for (size_t p = 0; p < listing->part_count; p++) {
        const struct kernel *part = &listing->parts[p];
        if (strcmp(part->name, name) != 0)
            continue;
        if (kernel->count > 0 && part->count > 0)
            return mapping_fail(error, MAPPING_FAILED,
                                "the listing has the code of kernel %.80s twice", name);
        unsigned parameters = part->parameters ? part->parameters : kernel->parameters;
        if (part->count > 0)
            *kernel = *part;
        kernel->parameters = parameters;
    }
    return MAPPING_OK;
}
