/* name.c - parses the name of a fragment, an opcode or a matrix from the command line; see
 * name.h. */
#include "command/name.h"

#include "catalogue/mlir.h"
#include "layout/space.h"
#include "listing/listing.h"
#include "smem/matrix.h"
#include "source/codegen_records.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lines of SASS ---- */

static const char blanks[] = " \t\n";

/* True if the character at `end` belongs to the opcode at `start`. LDTM, STTM and UTCCP contain
 * lower-case letters, as in "16dp64bit", and UTCATOMSWS.FIND_AND_SET contains '_'. In other
 * opcodes, the only lower-case letter is an x after a digit. */
static bool goes_on(const char *start, const char *end) {
    bool is_of_tensor_memory = strncmp(start, "LDTM.", 5) == 0 || strncmp(start, "STTM.", 5) == 0 ||
                               strncmp(start, "UTCCP.", 6) == 0;
    return isupper((unsigned char)*end) || isdigit((unsigned char)*end) || *end == '.' ||
           (*end == 'x' && end > start && isdigit((unsigned char)end[-1])) ||
           (*end == '_' && strncmp(start, "UTC", 3) == 0) ||
           (is_of_tensor_memory && (islower((unsigned char)*end) || *end == '_'));
}

/* Copies the opcode of an instruction of SASS without ".SAT": HMMA.16816.F32 from "HMMA.16816.F32
 * R4, R8, R16, R4 ;". *operands points to the text after the opcode. False if the text does not
 * begin with an opcode in upper case. */
static bool read_line(const char *text, char opcode[SASS_NAME_SIZE], const char **operands) {
    static const char saturated[] = ".SAT";
    const char *start = text + strspn(text, blanks), *end = start;
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

/* Words of UTCCP, and the corresponding words of PTX. The shape precedes the format. */
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

/* Skips `words` at the start of *text. False if *text does not begin with these whole words. */
static bool skip_words(const char **text, const char *words) {
    size_t length = strlen(words);
    if (strncmp(*text, words, length) != 0 || ((*text)[length] && (*text)[length] != '.'))
        return false;
    *text += length;
    return true;
}

/* Writes the PTX opcode that compiles to UTCCP (a copy to Tensor Memory, UTCCP.T.S.2CTA) or
 * UTCSHIFT (a shift within Tensor Memory, UTCSHIFT.DOWN). False if the SASS opcode is neither, or
 * has other words. */
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

/* ---- Opcodes of PTX that compile to one of SASS ---- */

/* Returns how the PTX opcode of a row uses the SASS opcode; SASS_RANKS if the row does not contain
 * this SASS opcode. */
static enum sass_rank rank_of(const struct codegen *row, const char *opcode) {
    const char *sass = row->sass;
    struct codegen_run run;
    size_t length = strlen(opcode);
    bool has = false;
    while (codegen_next_run(&sass, &run))
        has |= (size_t)run.length == length && memcmp(run.name, opcode, length) == 0;
    if (!has)
        return SASS_RANKS;
    const bool is_padded = strncmp(opcode, "IMMA.16", 7) == 0 && strstr(row->opcode, "m8n8k16");
    const bool is_half = strstr(opcode, "_t0_t15") || strstr(opcode, "_t16_t31");
    return is_half                   ? SASS_IS_IT /* moves the registers of half of the threads */
           : !codegen_is_native(row) ? SASS_IS_HELPED
           : row->tensor_cores > 1   ? SASS_IS_SEVERAL
           : is_padded               ? SASS_IS_PADDED
                                     : SASS_IS_IT;
}

/* Adds a row for each line of recorded_codegen whose SASS contains the opcode. strstr() also finds
 * the opcode as part of a longer one; rank_of() rejects such lines. */
static void find_rows(struct name *name, const char *opcode) {
    size_t capacity = 0;
    for (size_t position = 0;;) {
        const char *found = strstr(recorded_codegen + position, opcode);
        struct codegen row;
        while (found && found > recorded_codegen + position && found[-1] != '\n')
            found--;
        position = found ? (size_t)(found - recorded_codegen) : 0;
        if (!found || !codegen_next(NULL, &position, &row))
            return;
        const enum sass_rank rank = rank_of(&row, opcode);
        const struct sass_row *last = name->row_count ? &name->rows[name->row_count - 1] : NULL;
        if (rank == SASS_RANKS)
            continue;
        const char *ptx =
            last && strcmp(last->ptx, row.opcode) == 0 ? last->ptx : memory_text(row.opcode);
        name->rows = array_grow(name->rows, name->row_count, 1, &capacity, sizeof *name->rows);
        name->rows[name->row_count++] = (struct sass_row){ptx, row.archs, rank, NULL};
        name->archs |= row.archs;
    }
}

struct name_opcode name_opcode(struct name *name, const char *ptx) {
    struct sass_row *row = name->rows;
    while (row->ptx != ptx)
        row++;
    if (!row->read) {
        row->read = memory_get(1, sizeof *row->read);
        mapping_name_read(ptx, row->read);
    }
    return (struct name_opcode){ptx, row->read};
}

/* ---- Operands of a line ---- */

/* Skips blanks, comments, the quotes and "\n\t" of inline assembly in C, and the '\' before escaped
 * blanks and brackets: "\ R4,\ \[R2\]". */
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

size_t name_split(const char *text, struct operand found[OPERANDS_MAX]) {
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

/* True if the operand is a register or a list of registers; false for an address or a number. */
static bool is_register(const struct operand *operand) {
    return !memchr(operand->start, '[', operand->length) &&
           !isdigit((unsigned char)*operand->start);
}

size_t name_address(const struct operand *operands, size_t count, size_t first) {
    while (first < count && !memchr(operands[first].start, '[', operands[first].length))
        first++;
    return first;
}

bool name_in_memory(const struct name *name, const struct mapping_fragment *fragment) {
    return fragment->operand == MAPPING_A && fragment->place == MAPPING_IN_REGISTERS &&
           mapping_instruction_reads_shared(fragment->instruction) && name->operand_count > 1 &&
           *name->operands[1].start != (name->is_sass ? 'R' : '{');
}

/* ---- Steps of Volta's mma.m8n8k4 ---- */

bool name_is_by_column(const struct operand *operand) {
    static const char col[] = ".COL";
    const size_t size = sizeof col - 1;
    return operand->length > size &&
           memcmp(operand->start + operand->length - size, col, size) == 0;
}

bool name_step(const char *opcode, const struct operand *operands, size_t count,
               struct name_step *step) {
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
    /* C in f16 has half as many registers as D in f32, so two steps share two registers of C. */
    step->first_c = step->is_d_f32 && !step->is_c_f32 ? step->number / 2 * 2 : step->first_d;
    for (size_t o = 0; o < 2; o++)
        step->orders[o] = name_is_by_column(&operands[o + 1]) ? "col" : "row";
    return true;
}

bool name_read_step(const struct name *name, struct name_step *step) {
    return name->is_sass && name_step(name->name, name->operands, name->operand_count, step);
}

/* False if the operands show that this PTX opcode does not compile to the line of SASS: the
 * operands of a step of mma.m8n8k4 contain the order (row or column) of A and B. */
static bool is_meant(const struct name *name, const char *opcode) {
    struct name_step step;
    char front[32];
    if (!name_read_step(name, &step))
        return true;
    snprintf(front, sizeof front, "mma.sync.aligned.m8n8k4.%s.%s.", step.orders[0], step.orders[1]);
    return strncmp(opcode, front, strlen(front)) == 0;
}

size_t name_ptx(const struct name *name, unsigned arch, const char ***found, bool *is_part) {
    static const char wmma[] = "wmma."; /* last, since its registers differ from SASS */
    size_t count = 0;
    *found = memory_get(name->row_count, sizeof **found);
    *is_part = false;
    for (enum sass_rank rank = SASS_IS_IT; rank < SASS_RANKS && count == 0; rank++)
        for (int is_wmma = 0; is_wmma < 2; is_wmma++)
            for (const struct sass_row *row = name->rows; row < name->rows + name->row_count;
                 row++) {
                *is_part = rank > SASS_IS_PADDED;
                if ((arch == 0 || row->archs & mapping_arch_bit(arch)) && row->rank == rank &&
                    (strncmp(row->ptx, wmma, sizeof wmma - 1) == 0) == is_wmma &&
                    is_meant(name, row->ptx) && (count == 0 || (*found)[count - 1] != row->ptx))
                    (*found)[count++] = row->ptx;
            }
    return count;
}

/* ---- The operand of each fragment ---- */

/* True if a fragment is in the register after the metadata: the scale factors of a sparse A in
 * SASS. */
static bool is_behind(const struct name *name, const struct mapping_fragment *fragment) {
    return name->is_sass && fragment->operand == MAPPING_SFA && strstr(name->name, ".SP");
}

/* Returns the index of the metadata of a sparse wgmma in SASS: R32 in "R24, gdesc[UR4], R24, UP0,
 * R32", the first register after C, which follows the descriptor. `count` if there is none. */
static size_t metadata_of(const struct operand *operands, size_t count) {
    size_t o = 0;
    while (o < count && is_register(&operands[o]))
        o++;
    for (o += 2; o < count && *operands[o].start != 'R';)
        o++;
    return o < count ? o : count;
}

/* Returns the index of the first operand in registers; `count` if there is none. Loads and stores
 * have only one such operand, besides an address and numbers. */
static size_t only_register(const struct operand *operands, size_t count) {
    size_t o = 0;
    while (o < count && !is_register(&operands[o]))
        o++;
    return o;
}

/* Returns the index of the operand that names the registers of a fragment (in SASS, only the first
 * register). Returns the number of operands if there is none, or if it is in memory. */
static size_t operand_of(const struct name *name, const struct mapping_fragment *fragment) {
    const struct operand *operands = name->operands;
    const size_t count = name->operand_count;
    const bool is_scaled = name->is_sass && strstr(name->name, ".SF");
    const char *order =
        mapping_instruction_operands(fragment->instruction, name->is_sass, is_scaled);
    const char *wanted =
        mapping_operand_name(is_behind(name, fragment) ? MAPPING_E : fragment->operand);
    bool has_address = false;
    for (size_t o = 0; o < count; o++)
        has_address |= *operands[o].start == '[';
    if (fragment->operand == MAPPING_P)
        return count;
    if (name->is_sass && fragment->operand == MAPPING_E &&
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

bool name_place(const struct name *name, bool is_part, const struct mapping_fragment *fragment,
                size_t *index, unsigned *offset) {
    *index = operand_of(name, fragment);
    *offset = is_behind(name, fragment);
    const struct operand *operand = &name->operands[*index];
    return *index < name->operand_count && !is_part &&
           (!name->is_sass || (operand->length >= 2 && *operand->start == 'R'));
}

/* ---- Names of registers ---- */

/* Adds the names in a list of registers, "{%f1, %f2}", or a single name. *is_list is true for a
 * list. */
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
        text = text < end ? skip_blanks(text + 1) : end; /* the operand may end after a name */
    }
}

/* Adds the names of all registers of a fragment from a line of PTX. Adds none if their number is
 * wrong; MAPPING_INVALID if a list in braces has this wrong number. */
static enum mapping_status add_ptx(const struct name *name, const struct operand *operand,
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
                              name->name, wanted, wanted == 1 ? "" : "s",
                              mapping_operand_name(fragment->operand), listed);
}

/* Adds the names of the `count` registers of a fragment in SASS. SASS names only one register; the
 * fragment begins `offset` registers after it. RZ has no successors: each name is then RZ. */
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

/* Adds the names of a fragment of mma.m8n8k4 in one of its steps: all registers of A and B, but
 * only two of D and C. The names of the other registers are "". */
static void add_step(const struct name *name, const struct name_step *step,
                     const struct mapping_fragment *fragment, struct strings *names) {
    const unsigned first = fragment->operand == MAPPING_D   ? step->first_d
                           : fragment->operand == MAPPING_C ? step->first_c
                                                            : 0;
    const size_t index = operand_of(name, fragment);
    for (unsigned n = 0; n < first; n++)
        strings_add(names, "");
    if (index < name->operand_count)
        add_sass(&name->operands[index], 0, 2, names);
    while (names->count < fragment->registers)
        strings_add(names, "");
}

enum mapping_status name_registers(const struct name *name, bool is_part,
                                   const struct mapping_fragment *fragment, struct strings *names,
                                   struct mapping_error *error) {
    struct name_step step;
    size_t index;
    unsigned offset;
    if (name_read_step(name, &step))
        add_step(name, &step, fragment, names);
    else if (name_place(name, is_part, fragment, &index, &offset) && name->is_sass)
        add_sass(&name->operands[index], offset, fragment->registers, names);
    else if (index < name->operand_count && !name->is_sass)
        return add_ptx(name, &name->operands[index], fragment, names, error);
    return MAPPING_OK;
}

/* ---- Numbers that a layout depends on ---- */

enum mapping_status name_check_split(const struct operand *operands, size_t count,
                                     const struct mapping_fragment *move,
                                     struct mapping_error *error) {
    const size_t o = name_address(operands, count, 0);
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

/* Parses one number, "0x1" or "1U", or `count` numbers in braces, "{2, 1}". False for any other
 * operand. */
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

enum mapping_status name_choice(const struct name *name, const struct mapping_fragment *fragment,
                                bool *has_choice, uint32_t *copy, struct mapping_error *error) {
    const bool is_scale = fragment->operand == MAPPING_SFA || fragment->operand == MAPPING_SFB;
    const uint32_t copies = mapping_fragment_copies(fragment);
    const size_t o = operand_of(name, fragment);
    unsigned long numbers[2];
    if ((!is_scale && fragment->operand != MAPPING_E) || fragment->place != MAPPING_IN_REGISTERS ||
        (is_scale && name->is_sass) || o + 1 >= name->operand_count ||
        !read_numbers(&name->operands[o + 1], is_scale ? 2 : 1, numbers))
        return MAPPING_OK;
    /* {byte-id, thread-id} selects a copy of the scale factors. The register of each thread
     * contains `per` copies of `vector` bytes. */
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
                              name->name, byte, thread, mapping_operand_name(fragment->operand),
                              vector, (per - 1) * vector, copies / per - 1)
               : mapping_fail(error, MAPPING_INVALID,
                              "%.100s has no sparsity selector %lu; the last one is %u", name->name,
                              thread, copies - 1);
}

/* ---- The fragments of a name ---- */

static void add_match(struct name *name, const struct mapping_fragment *fragment, size_t index) {
    name->matches = array_grow(name->matches, name->match_count, 1, &name->match_capacity,
                               sizeof *name->matches);
    name->matches[name->match_count++] = (struct name_match){*fragment, index};
}

/* Adds the fragment if a pattern selects it. */
static bool match(struct name *name, const struct mapping_fragment *fragment, size_t index) {
    char own[MAPPING_NAME_SIZE];
    if (name->text) {
        mapping_fragment_name(fragment, own);
        if (fnmatch(name->name, own, 0) != 0)
            return false;
    }
    add_match(name, fragment, index);
    return true;
}

/* Adds the fragments of an instruction that a pattern selects; MAPPING_INSTRUCTIONS means all
 * instructions. The catalogue lists fragments that differ only in their width N as one fragment. If
 * the pattern does not match the listed width, tries the other widths. */
static void find_matches_of(struct name *name, enum mapping_instruction instruction) {
    const bool is_any = instruction == MAPPING_INSTRUCTIONS;
    struct mapping_fragment listed, one;
    for (struct mapping_cursor at = {0};
         is_any ? mapping_catalogue_next(&at, &listed)
                : mapping_catalogue_next_of(&at, instruction, &listed);)
        if (!match(name, &listed, at.passed - 1))
            for (size_t w = 0; mapping_fragment_at_width(&listed, w, &one); w++)
                match(name, &one, at.passed - 1);
}

/* Adds the fragments that a pattern selects. Only tries instructions whose name agrees with the
 * text before the first wildcard. */
static void find_matches(struct name *name) {
    const size_t fixed = strcspn(name->name, "*?[\\");
    if (fixed == 0)
        find_matches_of(name, MAPPING_INSTRUCTIONS);
    for (enum mapping_instruction i = 0; i < MAPPING_INSTRUCTIONS && fixed > 0; i++) {
        const char *instruction = mapping_instruction_name(i);
        const size_t length = strlen(instruction);
        if (strncmp(name->name, instruction, fixed < length ? fixed : length) == 0)
            find_matches_of(name, i);
    }
}

/* ---- Parsing ---- */

static bool is_of_opcode(char c) {
    return isalnum((unsigned char)c) || (c && strchr("._:*?", c));
}

/* If the text contains an instruction of PTX, copies its opcode to `name`, and returns the text
 * after it, which begins with the operands. Otherwise copies the text, truncated to NAME_SIZE - 1
 * characters, and returns NULL. */
static const char *cut_opcode(const char *text, char name[NAME_SIZE]) {
    const char *sync = strstr(text, ".sync."), *kind = strstr(text, ".kind::");
    const char *start = sync ? sync : kind;
    if (!start && strchr(text, '[')) /* an address, so there are operands */
        start = strstr(text, "tcgen05.");
    const char *end = start;
    while (start && start > text && is_of_opcode(start[-1]))
        start--;
    while (end && is_of_opcode(*end))
        end++;
    bool is_cut = start && end - start < NAME_SIZE;
    snprintf(name, NAME_SIZE, "%.*s", is_cut ? (int)(end - start) : NAME_SIZE - 1,
             is_cut ? start : text);
    return is_cut ? end : NULL;
}

/* True if the text is an opcode of PTX, even in upper case. */
static bool is_ptx(const char *opcode) {
    struct mapping_opcode found;
    return mapping_opcode_find(opcode, &found);
}

/* Parses a line of SASS, and sets the kind of the name. False if the text is not such a line. */
static bool read_sass(const char *text, struct name *name) {
    char opcode[SASS_NAME_SIZE], ptx[MAPPING_OPCODE_SIZE];
    const char *operands;
    if (!read_line(text, opcode, &operands))
        return false;
    name->is_translated = name->is_sass = true;
    name->kind = NAME_OTHER_SASS;
    name->operand_count = name_split(operands, name->operands);
    snprintf(name->name, sizeof name->name, "%s", opcode);
    if (is_ptx(opcode) || strcmp(opcode, SASS_WIDENING) == 0)
        return true;
    if (read_copy(opcode, ptx)) {
        name->kind = NAME_OPCODE;
        mapping_name_read(ptx, &name->read);
        name->ptx = memory_text(ptx);
        return true;
    }
    find_rows(name, opcode);
    name->kind = name->row_count > 0 ? NAME_SASS : NAME_OTHER_SASS;
    return true;
}

struct name *name_all(void) {
    struct name *name = memory_get(1, sizeof *name);
    name->kind = NAME_PATTERN;
    memcpy(name->name, "*", 2);
    find_matches(name);
    return name;
}

struct name *name_read(const char *text) {
    struct name *name = memory_get(1, sizeof *name);
    name->text = text = memory_text(text);
    if (mapping_smem_matrix_is_meant(text)) {
        name->kind = NAME_MATRIX;
        snprintf(name->name, sizeof name->name, "%.*s", NAME_SIZE - 1, text);
        return name;
    }
    char ptx[MAPPING_OPCODE_SIZE];
    if (mapping_mlir_read(text, ptx))
        name->text = text = memory_text(ptx);
    const char *sass = listing_cut_sass(text), *front = text + strspn(text, blanks);
    if (sass && (codegen_is_tensor_core(sass) || strncmp(sass, "UTC", 3) == 0))
        text = sass;
    else if (!sass || !*front || !strchr("@{/", *front)) /* a guard or an address may precede it */
        sass = text;
    const char *operands = cut_opcode(text, name->name);
    name->operand_count = operands ? name_split(operands, name->operands) : 0;
    /* A '*' in a C++ type or a comment does not make the name a pattern. */
    if (strpbrk(name->name, "*?") && !strchr(name->name, '<') && !strstr(name->name, "/*")) {
        name->kind = NAME_PATTERN;
        find_matches(name);
        return name;
    }
    const struct mapping_name *read = &name->read;
    mapping_name_read(name->name, &name->read);
    name->is_translated = read->is_atom && read->count > 0;
    name->kind = read->count == 0     ? NAME_PARTIAL
                 : read->is_atom      ? NAME_ATOM
                 : *read->opcode.text ? NAME_OPCODE
                                      : NAME_FRAGMENT;
    struct mapping_fragment found;
    for (struct mapping_cursor at = {0}; name->kind == NAME_PARTIAL && read->is_partial &&
                                         mapping_partial_next(&at, &read->partial, &found);)
        add_match(name, &found, at.passed - 1);
    if (read->count == 0 && name->match_count == 0 && !read_sass(sass, name))
        name->kind = NAME_UNKNOWN;
    return name;
}
