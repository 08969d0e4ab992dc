/* codegen.c - the SASS that ptxas generates for an opcode; see codegen.h. */
#include "report/codegen.h"

#include "catalogue/catalogue.h"

#include <ctype.h>
#include <string.h>

/* ---- Instructions ---- */

bool codegen_is_tensor_core(const char *name) {
    static const char *const names[] = {
        "HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "OMMA",    "HGMMA",   "IGMMA",   "BGMMA",  "QGMMA",
        "LDSM", "STSM", "MOVM", "LDTM", "STTM", "UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA"};
    size_t length = strcspn(name, ".; \n");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (length == strlen(names[n]) && memcmp(name, names[n], length) == 0)
            return true;
    return false;
}

/* Reads a number without sign and leading zeros, and advances the text; 0 if there is none. */
static unsigned take_number(const char **text) {
    unsigned number = 0;
    int digits = 0;
    if (**text == '0')
        return 0;
    for (; isdigit((unsigned char)**text) && digits < 6; (*text)++, digits++)
        number = number * 10 + (unsigned)(**text - '0');
    return number;
}

static bool take(const char **text, const char *expected) {
    size_t length = strlen(expected);
    if (strncmp(*text, expected, length) != 0)
        return false;
    *text += length;
    return true;
}

bool codegen_next_run(const char **sass, struct codegen_run *run) {
    const char *text = *sass;
    take(&text, ", ");
    run->count = take_number(&text);
    if (run->count == 0 || !take(&text, " ") || !codegen_is_tensor_core(text))
        return false;
    run->name = text;
    while (isalnum((unsigned char)*text) || *text == '.' || *text == '_')
        text++;
    run->length = (int)(text - run->name);
    *sass = text;
    return true;
}

bool codegen_is_native(const struct codegen *row) {
    return row->tensor_cores > 0 && row->instructions <= row->tensor_cores + CODEGEN_PADDING;
}

/* ---- Rows ---- */

/* Reads "sm_75, sm_80"; architectures must be in ascending order. */
static bool take_archs(const char **text, uint32_t *archs) {
    *archs = 0;
    do {
        if (!take(text, "sm_"))
            return false;
        const uint32_t arch = mapping_arch_bit(take_number(text));
        if (arch <= *archs)
            return false;
        *archs |= arch;
    } while (take(text, ", "));
    return true;
}

/* Reads "2 HMMA.16816.F32, 1 IMMA.16816.S8.S8" or "none". Adjacent items must have different names.
 */
static bool take_sass(const char **text, struct codegen *row) {
    const char *start = *text;
    struct codegen_run run, last = {.name = ""};
    row->tensor_cores = 0;
    while (codegen_next_run(text, &run)) {
        if (last.length == run.length && memcmp(last.name, run.name, (size_t)run.length) == 0)
            return false;
        row->tensor_cores += run.count;
        last = run;
    }
    bool is_none = *text == start && take(text, "none");
    size_t length = (size_t)(*text - start);
    if ((row->tensor_cores == 0 && !is_none) || length >= sizeof row->sass)
        return false;
    memcpy(row->sass, start, length);
    row->sass[length] = '\0';
    return true;
}

bool codegen_parse(const char *line, struct codegen *row) {
    size_t length = strcspn(line, " \n");
    if (length == 0 || length >= sizeof row->opcode)
        return false;
    memcpy(row->opcode, line, length);
    row->opcode[length] = '\0';
    line += length;
    if (!take(&line, " on ") || !take_archs(&line, &row->archs) || !take(&line, ": ") ||
        !take_sass(&line, row) || !take(&line, "; "))
        return false;
    row->instructions = take_number(&line);
    return row->instructions > 0 && row->instructions >= row->tensor_cores &&
           take(&line, row->instructions == 1 ? " instruction" : " instructions") && *line == '\n';
}
