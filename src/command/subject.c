/* subject.c - resolves a name, or a line of PTX or SASS, from the command line; see subject.h. */
#include "command/subject.h"

#include "catalogue/catalogue.h"
#include "command/unknown.h"
#include "layout/nearest.h"
#include "layout/space.h"
#include "listing/listing.h"
#include "source/codegen_records.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SASS_NAME_SIZE = 128 };

/* ---- Lines of SASS ---- */

/* Skips blanks, comments (listings have addresses in them) and guards: "@!P0 ". */
static const char *skip_front(const char *text) {
    for (;;) {
        const char *end = text + strspn(text, " \t\n{");
        if (strncmp(end, "/*", 2) == 0 && strstr(end, "*/"))
            end = strstr(end, "*/") + 2;
        else if (*end == '@')
            end += strcspn(end, " \t");
        if (end == text)
            return text;
        text = end;
    }
}

/* True if the name continues at `end`: LDTM, STTM and UTCCP have lower case, as in "16dp64bit",
 * UTCATOMSWS.FIND_AND_SET has '_'; other names only have the x between two numbers. */
static bool goes_on(const char *start, const char *end) {
    bool is_of_tensor_memory = strncmp(start, "LDTM.", 5) == 0 || strncmp(start, "STTM.", 5) == 0 ||
                               strncmp(start, "UTCCP.", 6) == 0;
    return isupper((unsigned char)*end) || isdigit((unsigned char)*end) || *end == '.' ||
           (*end == 'x' && end > start && isdigit((unsigned char)end[-1])) ||
           (*end == '_' && strncmp(start, "UTC", 3) == 0) ||
           (is_of_tensor_memory && (islower((unsigned char)*end) || *end == '_'));
}

/* Cuts the opcode out of a line of SASS: HMMA.16816.F32 out of "@P0 HMMA.16816.F32 R4, R8, R16, R4
 * ;". *operands becomes what follows. False if the text does not begin with an opcode in capitals.
 */
static bool read_line(const char *text, char opcode[SASS_NAME_SIZE], const char **operands) {
    static const char saturated[] = ".SAT";
    const char *start = skip_front(text), *end = start;
    while (goes_on(start, end))
        end++;
    size_t length = (size_t)(end - start), letters = strspn(start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (letters < 2 || length >= SASS_NAME_SIZE || (*end && !strchr(" \t\n;", *end)))
        return false;
    snprintf(opcode, SASS_NAME_SIZE, "%.*s", (int)length, start);
    if (length > sizeof saturated && strcmp(opcode + length - 4, saturated) == 0)
        opcode[length - 4] = '\0';
    *operands = end;
    return true;
}

/* ---- Copies into Tensor Memory ---- */

/* Words of UTCCP, and the words of PTX for them. Shapes come before formats. */
struct copy_word {
    const char *sass, *ptx;
};
static const struct copy_word shapes[] = {
    {"", ".128x256b"},
    {".128dp128bit", ".128x128b"},
    {".4dp256bit", ".4x256b"},
    {".4x32dp128bit", ".32x128b.warpx4"},
    {".2x64dp128bit_lw02_lw13", ".64x128b.warpx2::02_13"},
    {".2x64dp128bit_lw01_lw23", ".64x128b.warpx2::01_23"},
};
static const struct copy_word formats[] = {
    {"", ""},
    {".U6x16P32", ".b8x16.b6x16_p32"},
    {".U4x16P64", ".b8x16.b4x16_p64"},
};

/* Skips `words` at the front of the text; false if the text starts with others. */
static bool skip_words(const char **text, const char *words) {
    size_t length = strlen(words);
    if (strncmp(*text, words, length) != 0 || ((*text)[length] && (*text)[length] != '.'))
        return false;
    *text += length;
    return true;
}

/* Writes the opcode of PTX that becomes a copy into Tensor Memory, UTCCP.T.S.2CTA, or a shift
 * inside of it, UTCSHIFT.DOWN. False if the opcode of SASS is neither. */
static bool read_copy(const char *opcode, char ptx[MAPPING_OPCODE_SIZE]) {
    const bool is_shift = skip_words(&opcode, "UTCSHIFT");
    if (!is_shift && !skip_words(&opcode, "UTCCP.T.S"))
        return false;
    const int ctas = skip_words(&opcode, ".2CTA") ? 2 : 1;
    snprintf(ptx, MAPPING_OPCODE_SIZE, "tcgen05.shift.cta_group::%d.down", ctas);
    if (is_shift)
        return strcmp(opcode, ".DOWN") == 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            const char *rest = opcode;
            snprintf(ptx, MAPPING_OPCODE_SIZE, "tcgen05.cp.cta_group::%d%s%s", ctas, shapes[s].ptx,
                     formats[f].ptx);
            if (skip_words(&rest, shapes[s].sass) && strcmp(rest, formats[f].sass) == 0)
                return true;
        }
    return false;
}

/* ---- Opcodes of SASS ---- */

/* A PTX opcode compiles to one such instruction; to one, of which others set a part to zero; to
 * several; or is emulated with them. */
enum rank { IS_IT, IS_PADDED, IS_SEVERAL, IS_HELPED, RANKS };

static enum rank rank_of(const struct codegen *row, const char *opcode) {
    const char *sass = row->sass;
    struct codegen_run run;
    size_t length = strlen(opcode);
    bool has = false;
    while (codegen_next_run(&sass, &run))
        has |= (size_t)run.length == length && memcmp(run.name, opcode, length) == 0;
    if (!has)
        return RANKS;
    const bool is_padded = strncmp(opcode, "IMMA.16", 7) == 0 && strstr(row->opcode, "m8n8k16");
    const bool is_half = strstr(opcode, "_t0_t15") || strstr(opcode, "_t16_t31");
    return is_half                   ? IS_IT /* for half of the threads, in the same registers */
           : !codegen_is_native(row) ? IS_HELPED
           : row->tensor_cores > 1   ? IS_SEVERAL
           : is_padded               ? IS_PADDED
                                     : IS_IT;
}

/* Finds the next row whose line contains this SASS opcode, perhaps as part of a longer one. */
static bool next_row(const char *opcode, size_t *position, struct codegen *row) {
    const char *found = strstr(recorded_codegen + *position, opcode);
    while (found && found > recorded_codegen + *position && found[-1] != '\n')
        found--;
    if (!found)
        return false;
    *position = (size_t)(found - recorded_codegen);
    return codegen_next(NULL, position, row);
}

/* Checks the number of operands, but not of sparse and scaled products, which have more. */
static enum mapping_status check_operands(const char *opcode, size_t operands,
                                          struct mapping_error *error) {
    static const struct {
        const char *names;
        unsigned operands;
        const char *which;
    } forms[] = {{"LDSM LDTM", 2, "a register and an address"},
                 {"STSM STTM", 2, "an address and a register"},
                 {"MOVM", 2, "two registers"},
                 {"HMMA IMMA DMMA QMMA", 4, "D, A, B and C"}};
    const size_t length = strcspn(opcode, ".");
    const bool is_other = strstr(opcode, ".SP") || strstr(opcode, ".SF");
    for (size_t f = 0; operands > 0 && !is_other && f < sizeof forms / sizeof *forms; f++)
        if (mapping_word_is_in(forms[f].names, opcode, length) && operands != forms[f].operands)
            return mapping_fail(error, MAPPING_INVALID, "%s has %u operands (%s), not %zu", opcode,
                                forms[f].operands, forms[f].which, operands);
    return MAPPING_OK;
}

/* Offers the names in the table, or only those that extend the opcode: HMMA.884.F32.F32.STEP0 for
 * HMMA.884. */
static void offer_names(const char *opcode, bool only_longer, struct nearest *nearest) {
    struct codegen row;
    const size_t length = strlen(opcode);
    char name[SASS_NAME_SIZE] = "";
    for (size_t position = 0; codegen_next(NULL, &position, &row);) {
        const char *sass = row.sass;
        struct codegen_run run;
        while (codegen_next_run(&sass, &run)) {
            if (strncmp(name, run.name, (size_t)run.length) == 0 && !name[run.length])
                continue; /* the same as the last one */
            snprintf(name, sizeof name, "%.*s", run.length, run.name);
            if (!only_longer || (strncmp(name, opcode, length) == 0 && name[length] == '.'))
                nearest_offer(nearest, name);
        }
    }
}

/* Fails because the opcode is not in the table, and suggests the nearest ones. */
static enum mapping_status unknown_opcode(const char *opcode, struct mapping_error *error) {
    struct nearest nearest = nearest_to(opcode);
    char hint[448];
    if (!codegen_is_tensor_core(opcode))
        return outside_fragment(opcode, error) != MAPPING_OK
                   ? MAPPING_INVALID
                   : mapping_fail(error, MAPPING_INVALID,
                                  "%s is not a matrix instruction; the matrix instructions of SASS "
                                  "are HMMA, IMMA, BMMA, DMMA, QMMA, OMMA, HGMMA, IGMMA, BGMMA, "
                                  "QGMMA, LDSM, STSM, MOVM, LDTM, STTM, UTCCP and UTCSHIFT",
                                  opcode);
    offer_names(opcode, true, &nearest);
    if (nearest.count == 0)
        offer_names(opcode, false, &nearest);
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(error, MAPPING_INVALID, "no PTX opcode in the catalogue compiles to %s%s",
                        opcode, hint);
}

/* Checks that an opcode of PTX becomes this one of SASS, and that it takes this number of operands;
 * 0 stands for any. *archs becomes the set of architectures on which one does. */
static enum mapping_status check_opcode(const char *opcode, size_t operands, uint32_t *archs,
                                        struct mapping_error *error) {
    struct codegen row;
    *archs = 0;
    for (size_t position = 0; next_row(opcode, &position, &row);)
        if (rank_of(&row, opcode) < RANKS)
            *archs |= row.archs;
    return *archs == 0 ? unknown_opcode(opcode, error) : check_operands(opcode, operands, error);
}

void subject_opcodes(const char *opcode, unsigned arch, struct strings *opcodes, bool *is_part) {
    static const char wmma[] = "wmma."; /* its registers are not those that a line of SASS names */
    for (enum rank rank = IS_IT; rank < RANKS && opcodes->count == 0; rank++)
        for (int is_wmma = 0; is_wmma < 2; is_wmma++) {
            struct codegen row;
            *is_part = rank > IS_PADDED;
            for (size_t position = 0; next_row(opcode, &position, &row);) {
                const bool is_meant = (arch == 0 || row.archs & mapping_arch_bit(arch)) &&
                                      rank_of(&row, opcode) == rank &&
                                      (strncmp(row.opcode, wmma, sizeof wmma - 1) == 0) == is_wmma;
                const bool is_new = opcodes->count == 0 ||
                                    strcmp(opcodes->text[opcodes->count - 1], row.opcode) != 0;
                if (is_meant && is_new)
                    strings_add(opcodes, row.opcode);
            }
        }
}

/* ---- Operands of a line ---- */

/* Skips blanks, comments, the quotes and "\n\t" of inline assembly in C, and the '\' of
 * "\ R4,\ \[R2\]". */
static const char *skip_blanks(const char *text) {
    for (;; text++) {
        if (*text == '\\' && text[1])
            text += strchr("[]{}<>|", text[1]) == NULL;
        else if (*text == '/' && text[1] == '/')
            text += strcspn(text + 1, "\n");
        else if (*text == '/' && text[1] == '*' && strstr(text + 2, "*/"))
            text = strstr(text + 2, "*/") + 1;
        else if (!isspace((unsigned char)*text) && *text != '"')
            return text;
    }
}

size_t subject_split(const char *text, struct operand found[OPERANDS_MAX]) {
    size_t count = 0;
    while (count < OPERANDS_MAX) {
        unsigned depth = 0;
        const char *start = text = skip_blanks(text), *last = start;
        for (; *text && *text != ';' && strncmp(text, "/*", 2) != 0 && (*text != ',' || depth > 0);
             text = skip_blanks(text + 1)) {
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

/* True if the operand is a register or a list of them; false for an address or a number. */
static bool is_register(const struct operand *operand) {
    return !memchr(operand->start, '[', operand->length) &&
           !isdigit((unsigned char)*operand->start);
}

bool subject_in_memory(const struct subject *subject, const struct mapping_fragment *fragment) {
    return fragment->operand == MAPPING_A && fragment->place == MAPPING_IN_REGISTERS &&
           mapping_instruction_reads_shared(fragment->instruction) && subject->operand_count > 1 &&
           *subject->operands[1].start != (subject->is_sass ? 'R' : '{');
}

/* ---- Steps of Volta's product ---- */

bool subject_is_by_column(const struct operand *operand) {
    static const char col[] = ".COL";
    const size_t size = sizeof col - 1;
    return operand->length > size &&
           memcmp(operand->start + operand->length - size, col, size) == 0;
}

bool subject_step(const char *opcode, const struct operand *operands, size_t count,
                  struct subject_step *step) {
    unsigned d, c;
    int end = 0;
    if (count != 4 ||
        /* NOLINTNEXTLINE(cert-err34-c): two digits are always in range */
        sscanf(opcode, "HMMA.884.F%2u.F%2u.STEP%1u%n", &d, &c, &step->number, &end) != 3 ||
        opcode[end] || (d != 16 && d != 32) || (c != 16 && c != 32) || step->number > 3)
        return false;
    step->is_d_f32 = d == 32;
    step->is_c_f32 = c == 32;
    step->first_d = 2 * step->number;
    /* A C in f16 has half as many registers as a D in f32, so two steps share them. */
    step->first_c = step->is_d_f32 && !step->is_c_f32 ? step->number / 2 * 2 : step->first_d;
    for (size_t o = 0; o < 2; o++)
        step->orders[o] = subject_is_by_column(&operands[o + 1]) ? "col" : "row";
    return true;
}

bool subject_read_step(const struct subject *subject, struct subject_step *step) {
    return subject->is_sass &&
           subject_step(subject->name, subject->operands, subject->operand_count, step);
}

bool subject_is_meant(const struct subject *subject, const char *opcode) {
    struct subject_step step;
    char front[32];
    if (!subject_read_step(subject, &step))
        return true;
    snprintf(front, sizeof front, "mma.sync.aligned.m8n8k4.%s.%s.", step.orders[0], step.orders[1]);
    return strncmp(opcode, front, strlen(front)) == 0;
}

/* ---- Which operand is which ---- */

/* True if a fragment is in the register behind that of the metadata: scale factors of a sparse A.
 */
static bool is_behind(const struct subject *subject, const struct mapping_fragment *fragment) {
    return subject->is_sass && fragment->operand == MAPPING_SFA && strstr(subject->name, ".SP");
}

/* The operand with the metadata of a sparse wgmma in SASS, "R24, gdesc[UR4], R24, UP0, R32": the
 * first register behind C, which follows the descriptor. */
static size_t metadata_of(const struct operand *operands, size_t count) {
    size_t o = 0;
    while (o < count && is_register(&operands[o]))
        o++;
    for (o += 2; o < count && *operands[o].start != 'R';)
        o++;
    return o < count ? o : count;
}

/* The first operand in registers. It is the only one if the others are an address and numbers. */
static size_t only_register(const struct operand *operands, size_t count) {
    size_t o = 0;
    while (o < count && !is_register(&operands[o]))
        o++;
    return o;
}

/* The index of the operand with the registers of a fragment, or of SASS with the first one; the
 * number of operands if there is none, or if it is in memory. */
static size_t operand_of(const struct subject *subject, const struct mapping_fragment *fragment) {
    const struct operand *operands = subject->operands;
    const size_t count = subject->operand_count;
    const bool is_scaled = subject->is_sass && strstr(subject->name, ".SF");
    const char *order =
        mapping_instruction_operands(fragment->instruction, subject->is_sass, is_scaled);
    const char *wanted =
        mapping_operand_name(is_behind(subject, fragment) ? MAPPING_E : fragment->operand);
    bool has_address = false;
    for (size_t o = 0; o < count; o++)
        has_address |= *operands[o].start == '[';
    if (fragment->operand == MAPPING_P)
        return count;
    if (subject->is_sass && fragment->operand == MAPPING_E &&
        mapping_instruction_reads_shared(fragment->instruction))
        return metadata_of(operands, count);
    if (!order || has_address)
        return only_register(operands, count);
    for (size_t o = 0; o < count && *order; o++) {
        const size_t length = strcspn(order, " ");
        if (length == strlen(wanted) && strncmp(order, wanted, length) == 0)
            return is_register(&operands[o]) ? o : count;
        order += length + (order[length] == ' ');
    }
    return count;
}

bool subject_place(const struct subject *subject, const struct mapping_fragment *fragment,
                   size_t *index, unsigned *offset) {
    *index = operand_of(subject, fragment);
    *offset = is_behind(subject, fragment);
    const struct operand *operand = &subject->operands[*index];
    return *index < subject->operand_count && !subject->is_part &&
           (!subject->is_sass || (operand->length >= 2 && *operand->start == 'R'));
}

/* ---- Names of registers ---- */

/* Adds the names in a list of registers, "{%f1, %f2}", or a single name. Sets *is_list. */
static void add_names(const struct operand *operand, struct strings *names, bool *is_list) {
    const char *text = operand->start, *end = text + operand->length;
    *is_list = *text == '{';
    text += *is_list;
    while (text < end) {
        char name[64];
        size_t length = 0;
        for (; text < end && *text != ',' && *text != '}'; text = skip_blanks(text + 1))
            if ((isalnum((unsigned char)*text) || strchr("%_$.", *text)) &&
                length + 1 < sizeof name)
                name[length++] = *text;
        name[length] = '\0';
        strings_add(names, name);
        text = text < end ? skip_blanks(text + 1) : end; /* the operand may end here */
    }
}

/* Adds the names of a fragment's registers, all of which PTX lists. */
static enum mapping_status add_ptx(const struct subject *subject, const struct operand *operand,
                                   const struct mapping_fragment *fragment, struct strings *names,
                                   struct mapping_error *error) {
    /* An f64 takes one register in PTX and two in SASS. */
    const size_t wanted = fragment->registers / (fragment->bits == 64 ? 2 : 1);
    bool is_list;
    add_names(operand, names, &is_list);
    const size_t listed = names->count;
    if (listed != wanted)
        names->count = 0;
    return listed == wanted || !is_list
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "%.100s takes %zu register%s for operand %s, but %zu are given",
                              subject->name, wanted, wanted == 1 ? "" : "s",
                              mapping_operand_name(fragment->operand), listed);
}

/* The same for SASS, which names only the first register, or one that is `offset` before it. */
static void add_sass(const struct operand *operand, unsigned offset, size_t count,
                     struct strings *names) {
    const bool is_zero = operand->start[1] == 'Z';
    if (!is_zero && !isdigit((unsigned char)operand->start[1]))
        return;
    const unsigned long first = strtoul(operand->start + 1, NULL, 10) + offset;
    for (size_t n = 0; n < count; n++) {
        char name[32];
        snprintf(name, sizeof name, is_zero ? "RZ" : "R%lu", first + n);
        strings_add(names, name);
    }
}

/* Adds the names of a step: all of A and B, and its registers of D and C. */
static void add_step(const struct subject *subject, const struct subject_step *step,
                     const struct mapping_fragment *fragment, struct strings *names) {
    const unsigned first = fragment->operand == MAPPING_D   ? step->first_d
                           : fragment->operand == MAPPING_C ? step->first_c
                                                            : 0;
    const size_t index = operand_of(subject, fragment);
    for (unsigned n = 0; n < first; n++)
        strings_add(names, "");
    if (index < subject->operand_count)
        add_sass(&subject->operands[index], 0, 2, names);
    while (names->count < fragment->registers)
        strings_add(names, "");
}

enum mapping_status subject_registers(const struct subject *subject,
                                      const struct mapping_fragment *fragment,
                                      struct strings *names, struct mapping_error *error) {
    struct subject_step step;
    size_t index;
    unsigned offset;
    if (subject_read_step(subject, &step))
        add_step(subject, &step, fragment, names);
    else if (subject_place(subject, fragment, &index, &offset) && subject->is_sass)
        add_sass(&subject->operands[index], offset, fragment->registers, names);
    else if (index < subject->operand_count && !subject->is_sass)
        return add_ptx(subject, &subject->operands[index], fragment, names, error);
    return MAPPING_OK;
}

/* ---- Opcodes of PTX within a line ---- */

static bool is_of_opcode(char c) {
    return isalnum((unsigned char)c) || (c && strchr("._:*?", c));
}

/* Cuts the opcode out of an instruction with operands and all that is around it, and returns what
 * follows it; any other name stays as it is, if it is not too long, and NULL is returned. */
static const char *cut_opcode(const char *text, char name[SUBJECT_SIZE]) {
    const char *sync = strstr(text, ".sync."), *kind = strstr(text, ".kind::");
    const char *start = sync ? sync : kind;
    if (!start && strchr(text, '[')) /* operands follow */
        start = strstr(text, "tcgen05.");
    const char *end = start;
    while (start && start > text && is_of_opcode(start[-1]))
        start--;
    while (end && is_of_opcode(*end))
        end++;
    bool is_cut = start && end - start < SUBJECT_SIZE;
    snprintf(name, SUBJECT_SIZE, "%.*s", is_cut ? (int)(end - start) : SUBJECT_SIZE - 1,
             is_cut ? start : text);
    return is_cut ? end : NULL;
}

enum mapping_status subject_check_split(const struct operand *operands, size_t count,
                                        const struct mapping_fragment *move,
                                        struct mapping_error *error) {
    size_t o = 0;
    while (o < count && !memchr(operands[o].start, '[', operands[o].length))
        o++;
    const char *number = o + 1 < count ? operands[o + 1].start : "";
    const unsigned shown = move->columns / 2;
    if (!mapping_tmem_load_is_split(move) || !isdigit((unsigned char)*number) ||
        strtoul(number, NULL, 0) == shown)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "immHalfSplitoff is %lu, but only %u is supported: the columns of "
                        "threads 16 to 31 must start where those of threads 0 to 15 end",
                        strtoul(number, NULL, 0), shown);
}

/* ---- Selectors: which copy of metadata or scale factors is read ---- */

/* Reads `count` numbers, "0x1", "1U" or "{2, 1}"; false if the operand is anything else. */
static bool read_numbers(const struct operand *operand, unsigned count, unsigned long numbers[2]) {
    const char *text = operand->start;
    char *end = NULL;
    if (count > 1 && *text++ != '{')
        return false;
    for (unsigned n = 0; n < count; n++, text = skip_blanks(end)) {
        text = skip_blanks(text + (n > 0 && *text == ','));
        if (!isdigit((unsigned char)*text))
            return false;
        numbers[n] = strtoul(text, &end, 0);
        end += *end == 'U';
    }
    return text + (count > 1 && *text == '}') >= operand->start + operand->length;
}

enum mapping_status subject_choice(const struct subject *subject,
                                   const struct mapping_fragment *fragment, bool *has_choice,
                                   uint32_t *copy, struct mapping_error *error) {
    const bool is_scale = fragment->operand == MAPPING_SFA || fragment->operand == MAPPING_SFB;
    const uint32_t copies = mapping_fragment_copies(fragment);
    const size_t o = operand_of(subject, fragment);
    unsigned long numbers[2];
    if ((!is_scale && fragment->operand != MAPPING_E) || fragment->place != MAPPING_IN_REGISTERS ||
        (is_scale && subject->is_sass) || o + 1 >= subject->operand_count ||
        !read_numbers(&subject->operands[o + 1], is_scale ? 2 : 1, numbers))
        return MAPPING_OK;
    /* Scale factors are selected by {byte-id, thread-id}: a thread has `per` copies of `vector`
     * bytes. */
    const uint32_t vector = !is_scale                          ? 1
                            : fragment->operand == MAPPING_SFA ? fragment->cols
                                                               : fragment->rows;
    const uint32_t per = is_scale ? fragment->elements / vector : 1;
    const unsigned long thread = is_scale ? numbers[1] : numbers[0];
    const unsigned long byte = is_scale ? numbers[0] : 0;
    if (thread < copies / per && byte % vector == 0 && byte / vector < per) {
        *has_choice = copies > 1;
        *copy = (uint32_t)(thread * per + byte / vector);
        return MAPPING_OK;
    }
    return is_scale
               ? mapping_fail(error, MAPPING_INVALID,
                              "%.100s has no {%lu, %lu} for operand %s: byte-id is a multiple of "
                              "%u up to %u, and thread-id is at most %u",
                              subject->name, byte, thread, mapping_operand_name(fragment->operand),
                              vector, (per - 1) * vector, copies / per - 1)
               : mapping_fail(error, MAPPING_INVALID,
                              "%.100s has no sparsity selector %lu; the last one is %u",
                              subject->name, thread, copies - 1);
}

/* ---- The fragments of a name ---- */

/* True if a pattern, or a name with words left out, selects the fragment. */
static bool subject_fits(const struct subject *subject, const struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    if (subject->kind == SUBJECT_PARTIAL)
        return mapping_partial_fits(&subject->read.partial, fragment);
    mapping_fragment_name(fragment, name);
    return fnmatch(subject->name, name, 0) == 0;
}

/* True if the name begins like the pattern, up to the first wildcard or the end of the
 * instruction's name. */
static bool begins_alike(const char *pattern, const struct mapping_fragment *fragment) {
    const char *instruction = mapping_instruction_name(fragment->instruction);
    size_t fixed = strcspn(pattern, "*?["), length = strlen(instruction);
    return strncmp(pattern, instruction, fixed < length ? fixed : length) == 0;
}

bool subject_next(const struct subject *subject, const struct mapping_fragment *listed,
                  size_t *position, struct mapping_fragment *found) {
    enum { AT_END = UINT16_MAX }; /* there are fewer widths */
    *found = *listed;
    if (*position == 0 && subject_fits(subject, listed)) {
        *position = AT_END; /* the one that is listed stands for all */
        if (subject->kind == SUBJECT_PARTIAL)
            mapping_partial_narrow(&subject->read.partial, found);
        return true;
    }
    if (subject->kind == SUBJECT_PARTIAL || !begins_alike(subject->name, listed))
        return false;
    while (mapping_fragment_at_width(listed, (*position)++, found))
        if (subject_fits(subject, found))
            return true;
    return false;
}

/* Adds the opcode of a name that was found, and checks the registers listed after the name. */
static enum mapping_status read_named(struct subject *subject, struct mapping_error *error) {
    subject->is_translated = subject->read.is_atom;
    if (*subject->read.opcode.text)
        strings_add(&subject->opcodes, subject->read.opcode.text);
    enum mapping_status status = subject_check_split(subject->operands, subject->operand_count,
                                                     &subject->read.found[0], error);
    for (size_t f = 0; f < subject->read.count && status == MAPPING_OK; f++) {
        struct strings ignored = {.count = 0};
        status = subject_registers(subject, &subject->read.found[f], &ignored, error);
    }
    return status;
}

/* Fails if an opcode of SASS comes from tcgen05.mma. */
static enum mapping_status check_shaped(const char *sass, struct mapping_error *error) {
    struct strings opcodes = {.count = 0};
    struct mapping_opcode opcode;
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    bool is_part;
    subject_opcodes(sass, 0, &opcodes, &is_part);
    bool is_unshaped = opcodes.count > 0 && mapping_opcode_find(opcodes.text[0], &opcode) &&
                       mapping_opcode_fragments(&opcode, fragments) == 0;
    return is_unshaped ? unshaped_opcode(sass, &opcode, 0, error) : MAPPING_OK;
}

/* True if the text is a line of SASS but for its case; writes the opcode. */
static bool is_in_lower_case(const char *text, char opcode[SASS_NAME_SIZE]) {
    char upper[SUBJECT_SIZE] = "";
    const char *rest;
    struct operand operands[OPERANDS_MAX];
    struct mapping_error ignored;
    uint32_t archs;
    size_t length = 0;
    for (; text[length] && length + 1 < sizeof upper; length++)
        upper[length] = (char)toupper((unsigned char)text[length]);
    return read_line(upper, opcode, &rest) &&
           check_opcode(opcode, subject_split(rest, operands), &archs, &ignored) == MAPPING_OK;
}

/* True if an opcode in capitals is a PTX opcode when written in lower case. */
static bool is_ptx_in_upper_case(const char *opcode, char lower[SASS_NAME_SIZE]) {
    struct mapping_opcode found;
    size_t length = 0;
    for (; opcode[length]; length++)
        lower[length] = (char)tolower((unsigned char)opcode[length]);
    lower[length] = '\0';
    return mapping_opcode_find(lower, &found);
}

/* Reads a line of SASS, or fails because the name selects nothing. */
static enum mapping_status read_sass(const char *text, unsigned arch, struct subject *subject,
                                     struct mapping_error *error) {
    char opcode[SASS_NAME_SIZE], lower[SASS_NAME_SIZE], ptx[MAPPING_OPCODE_SIZE];
    const char *operands;
    if (!read_line(text, opcode, &operands))
        return is_in_lower_case(text, opcode)
                   ? mapping_fail(error, MAPPING_INVALID,
                                  "unknown fragment '%.100s'; SASS is in upper case: %s", text,
                                  opcode)
                   : unknown_fragment(subject->name, &subject->read, arch, error);
    if (is_ptx_in_upper_case(opcode, lower))
        return mapping_fail(error, MAPPING_INVALID,
                            "unknown fragment '%.100s'; PTX is in lower case: %s", opcode, lower);
    subject->is_translated = subject->is_sass = true;
    subject->operand_count = subject_split(operands, subject->operands);
    snprintf(subject->name, sizeof subject->name, "%s", opcode);
    if (strcmp(opcode, "MOVM.U4TO8.M832") == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s moves an 8x32 matrix and widens u4 to 8 bits, as a part of "
                            "emulated instructions; it is no instruction of PTX, so it has no "
                            "fragment here",
                            opcode);
    if (read_copy(opcode, ptx)) {
        subject->kind = SUBJECT_NAMED;
        mapping_name_read(ptx, &subject->read);
        strings_add(&subject->opcodes, ptx);
        return MAPPING_OK;
    }
    subject->kind = SUBJECT_SASS;
    enum mapping_status status =
        check_opcode(opcode, subject->operand_count, &subject->archs, error);
    return status == MAPPING_OK ? check_shaped(opcode, error) : status;
}

enum mapping_status subject_read(const char *text, unsigned arch, struct subject *subject,
                                 struct mapping_error *error) {
    *subject = (struct subject){.text = text, .kind = SUBJECT_PATTERN};
    const char *sass = listing_cut_sass(text);
    if (sass && (codegen_is_tensor_core(sass) || strncmp(sass, "UTC", 3) == 0))
        text = sass;
    const char *operands = cut_opcode(text, subject->name);
    subject->operand_count = operands ? subject_split(operands, subject->operands) : 0;
    const char *name = subject->name; /* a '*' in a C++ type or a comment makes no pattern */
    if (strpbrk(name, "*?") && !strchr(name, '<') && !strstr(name, "/*"))
        return MAPPING_OK;
    subject->kind = SUBJECT_NAMED;
    mapping_name_read(subject->name, &subject->read);
    if (subject->read.count > 0)
        return read_named(subject, error);
    subject->kind = SUBJECT_PARTIAL;
    struct mapping_fragment fitting;
    if (subject->read.is_partial &&
        mapping_partial_next(&(struct mapping_cursor){0}, &subject->read.partial, &fitting))
        return MAPPING_OK;
    return read_sass(text, arch, subject, error);
}
