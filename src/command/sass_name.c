/* sass_name.c - opcodes of SASS as names; see sass_name.h. */
#include "command/sass_name.h"

#include "command/nearest.h"
#include "command/unknown.h"
#include "source/assembled.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Lines ---- */

/* Moves behind blanks, comments, which listings have addresses in, and guards: "@!P0 ". */
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

/* True of the rest of a name: LDTM, STTM and UTCCP have "16dp64bit", others no lower case but the x
 * between two numbers. */
static bool goes_on(const char *start, const char *end) {
    bool is_of_tensor_memory = strncmp(start, "LDTM.", 5) == 0 || strncmp(start, "STTM.", 5) == 0 ||
                               strncmp(start, "UTCCP.", 6) == 0;
    return isupper((unsigned char)*end) || isdigit((unsigned char)*end) || *end == '.' ||
           (*end == 'x' && end > start && isdigit((unsigned char)end[-1])) ||
           (is_of_tensor_memory && (islower((unsigned char)*end) || *end == '_'));
}

bool sass_name_read(const char *text, char opcode[SASS_NAME_SIZE], const char **operands) {
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

/* Words of UTCCP, and what they are in PTX: shapes, and behind them formats. */
static const struct {
    const char *sass, *ptx;
} shapes[] =
    {
        {"", ".128x256b"},
        {".128dp128bit", ".128x128b"},
        {".4dp256bit", ".4x256b"},
        {".4x32dp128bit", ".32x128b.warpx4"},
        {".2x64dp128bit_lw02_lw13", ".64x128b.warpx2::02_13"},
        {".2x64dp128bit_lw01_lw23", ".64x128b.warpx2::01_23"},
},
  formats[] = {
      {"", ""},
      {".U6x16P32", ".b8x16.b6x16_p32"},
      {".U4x16P64", ".b8x16.b4x16_p64"},
};

/* Moves behind words at the front; false if others are there. */
static bool skip_words(const char **text, const char *words) {
    size_t length = strlen(words);
    if (strncmp(*text, words, length) != 0 || ((*text)[length] && (*text)[length] != '.'))
        return false;
    *text += length;
    return true;
}

bool sass_name_copy(const char *opcode, char ptx[MAPPING_OPCODE_SIZE]) {
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

/* ---- What there is ---- */

/* How an opcode of PTX has one of SASS, the closest first. */
enum rank { IS_IT, IS_SEVERAL, IS_HELPED, RANKS };

static enum rank rank_of(const struct assembled *row, const char *opcode) {
    const char *sass = row->sass;
    struct assembled_run run;
    size_t length = strlen(opcode);
    bool has = false;
    while (assembled_next_run(&sass, &run))
        has |= (size_t)run.length == length && memcmp(run.name, opcode, length) == 0;
    if (!has)
        return RANKS;
    return !assembled_is_native(row) ? IS_HELPED : row->tensor_cores == 1 ? IS_IT : IS_SEVERAL;
}

static bool is_on(uint32_t archs, unsigned arch) {
    for (uint32_t a = 0; mapping_arch_at(a); a++)
        if (archs >> a & 1 && mapping_arch_at(a)->number == arch)
            return true;
    return arch == 0;
}

/* Operands of an instruction by the start of its name; those of others are not counted. */
static const struct {
    const char *start;
    unsigned operands;
    const char *which;
} forms[] = {
    {"LDSM", 2, "a register and an address"},
    {"STSM", 2, "an address and a register"},
    {"MOVM", 2, "two registers"},
    {"LDTM", 2, "a register and an address"},
    {"STTM", 2, "an address and a register"},
    {"HMMA.1", 4, "D, A, B and C"},
    {"HMMA.8", 4, "D, A, B and C"},
    {"IMMA.1", 4, "D, A, B and C"},
    {"IMMA.8", 4, "D, A, B and C"},
    {"DMMA", 4, "D, A, B and C"},
    {"QMMA.1", 4, "D, A, B and C"},
};

static enum mapping_status check_operands(const char *opcode, size_t operands,
                                          struct mapping_error *error) {
    for (size_t f = 0; operands > 0 && f < sizeof forms / sizeof *forms; f++)
        if (strncmp(opcode, forms[f].start, strlen(forms[f].start)) == 0 &&
            operands != forms[f].operands)
            return mapping_fail(error, MAPPING_INVALID, "%s has %u operands (%s), not %zu", opcode,
                                forms[f].operands, forms[f].which, operands);
    return MAPPING_OK;
}

/* Instructions that neither multiply nor move matrices, by the start of their names, and what is
 * said of them. */
static const struct {
    const char *start, *what;
} others[] = {
    {"UTMA", "copies to or from shared memory with TMA; it has no fragment"},
    {"UTCCP", "is not a valid opcode of tcgen05.cp; valid: UTCCP.T.S[.2CTA][SHAPE][FORMAT], where "
              "SHAPE is .128dp128bit, .4dp256bit, .4x32dp128bit, .2x64dp128bit_lw02_lw13 or "
              ".2x64dp128bit_lw01_lw23, and FORMAT is .U6x16P32 or .U4x16P64"},
    {"UTCSHIFT", "is not a valid opcode of tcgen05.shift; valid: UTCSHIFT.DOWN and "
                 "UTCSHIFT.2CTA.DOWN"},
    {"UTCBAR", "signals a barrier (tcgen05.commit); it has no fragment"},
    {"UTC", "manages Tensor Memory; it has no fragment"},
    {"", "is not a matrix instruction; the matrix instructions of SASS are HMMA, IMMA, BMMA, DMMA, "
         "QMMA, OMMA, HGMMA, IGMMA, BGMMA, QGMMA, LDSM, STSM, MOVM, LDTM, STTM, UTCCP and "
         "UTCSHIFT"},
};

static enum mapping_status other_opcode(const char *opcode, struct mapping_error *error) {
    size_t o = 0;
    if (outside_fragment(opcode, error) != MAPPING_OK)
        return MAPPING_INVALID;
    while (strncmp(opcode, others[o].start, strlen(others[o].start)) != 0)
        o++;
    return mapping_fail(error, MAPPING_INVALID, "%s %s", opcode, others[o].what);
}

/* Offers the names in the table, or only those that are longer: HMMA.884.F32.F32.STEP0 for
 * HMMA.884. */
static void offer_names(const char *opcode, bool only_longer, struct nearest *nearest) {
    struct assembled row;
    const size_t length = strlen(opcode);
    char name[SASS_NAME_SIZE] = "";
    for (size_t position = 0; assembled_next(&position, &row);) {
        const char *sass = row.sass;
        struct assembled_run run;
        while (assembled_next_run(&sass, &run)) {
            if (strncmp(name, run.name, (size_t)run.length) == 0 && !name[run.length])
                continue; /* as the last */
            snprintf(name, sizeof name, "%.*s", run.length, run.name);
            if (!only_longer || (strncmp(name, opcode, length) == 0 && name[length] == '.'))
                nearest_offer(nearest, name);
        }
    }
}

/* Fails with the names that are nearest to one that is not in the table. */
static enum mapping_status unknown_opcode(const char *opcode, struct mapping_error *error) {
    struct nearest nearest = nearest_to(opcode);
    char hint[448];
    if (!assembled_is_tensor_core(opcode))
        return other_opcode(opcode, error);
    offer_names(opcode, true, &nearest);
    if (nearest.count == 0)
        offer_names(opcode, false, &nearest);
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(error, MAPPING_INVALID, "no PTX opcode in the catalogue compiles to %s%s",
                        opcode, hint);
}

enum mapping_status sass_name_check(const char *opcode, size_t operands, uint32_t *archs,
                                    struct mapping_error *error) {
    struct assembled row;
    *archs = 0;
    for (size_t position = 0; assembled_next_with(opcode, &position, &row);)
        if (rank_of(&row, opcode) < RANKS)
            *archs |= row.archs;
    return *archs == 0 ? unknown_opcode(opcode, error) : check_operands(opcode, operands, error);
}

void sass_name_opcodes(const char *opcode, unsigned arch, struct strings *opcodes, bool *is_part) {
    for (enum rank rank = IS_IT; rank < RANKS && opcodes->count == 0; rank++) {
        struct assembled row;
        *is_part = rank != IS_IT;
        for (size_t position = 0; assembled_next_with(opcode, &position, &row);) {
            bool is_meant = is_on(row.archs, arch) && rank_of(&row, opcode) == rank;
            bool is_new =
                opcodes->count == 0 || strcmp(opcodes->text[opcodes->count - 1], row.opcode) != 0;
            if (is_meant && is_new)
                strings_add(opcodes, row.opcode);
        }
    }
}
