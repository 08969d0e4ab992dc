/* name.c - fuzzes names of fragments, opcodes, atoms, SASS, transfers, architectures and types: the
 * printed name of a result finds the same result again. */
#include "fuzz.h"

#include "catalogue/catalogue.h"
#include "command/name.h"
#include "smem/banks.h"

#include <ctype.h>

static void check_fragment(const struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_space from, to;
    mapping_fragment_name(fragment, name);
    must(mapping_catalogue_find(name, found) == 1, "the name of a fragment stands for one");
    must(mapping_fragment_equal(fragment, &found[0]), "it stands for this fragment");
    mapping_fragment_spaces(fragment, &from, &to);
    must(mapping_space_size(&from) > 0 && mapping_space_size(&to) > 0, "a fragment has elements");
}

/* Upper case and blanks around a name say nothing; but atoms are written as they are. */
static void check_spelling(const char *name, size_t count) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    size_t length = strlen(name);
    char *text = malloc(length + 3);
    if (!text)
        abort();
    snprintf(text, length + 3, " %s ", name);
    for (char *c = text; *c && !mapping_atom_is_meant(name); c++)
        *c = (char)tolower((unsigned char)*c);
    must(mapping_catalogue_find(text, found) == count,
         "blanks around a name, and its letters' case, say nothing");
    free(text);
}

static void check_opcode(const char *name) {
    struct mapping_opcode opcode, again;
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    if (!mapping_opcode_find(name, &opcode))
        return;
    must(mapping_opcode_find(opcode.text, &again), "the text of an opcode is one");
    must(strcmp(opcode.text, again.text) == 0, "it is the same opcode");
    must(mapping_opcode_fragments(&opcode, fragments) <= MAPPING_FOUND_MAX,
         "an opcode has no more operands than there are");
}

static void check_transfer(const char *name) {
    struct mapping_tmem_load tmem_load, again;
    char text[TMEM_LOAD_NAME_SIZE], text_again[TMEM_LOAD_NAME_SIZE];
    mapping_tmem_load_is_meant(name);
    if (!mapping_tmem_load_read(name, &tmem_load))
        return;
    mapping_tmem_load_name(&tmem_load, text);
    must(mapping_tmem_load_read(text, &again), "the name of a transfer is one");
    mapping_tmem_load_name(&again, text_again);
    must(strcmp(text, text_again) == 0, "it is the same transfer");
}

/* Names that are one word. */
static void check_words(const char *name) {
    const struct mapping_access *access = mapping_access_find(name);
    enum mapping_type type;
    enum mapping_operand operand, again;
    if (mapping_arch_find(name))
        must(strchr("af ", mapping_arch_suffix(name)) != NULL, "there are two suffixes");
    if (access)
        must(mapping_access_find(access->name) == access, "an access is found by its name");
    if (mapping_type_find(name, &type))
        must(mapping_types_find(name) >> type & 1, "a type is one of those of its name");
    if (mapping_operand_find(name, &operand))
        must(mapping_operand_find(mapping_operand_name(operand), &again) && again == operand,
             "an operand is found by its name");
}

/* True if it is an opcode, or a name of fragments, as tcgen05.cp's are. */
static bool is_known(const char *ptx) {
    struct mapping_opcode opcode;
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    return mapping_opcode_find(ptx, &opcode) || mapping_catalogue_find(ptx, found) > 0;
}

/* Names without a fragment, or with words left out. */
static void check_others(const char *name) {
    char text[MAPPING_OPCODE_SIZE];
    struct mapping_partial partial;
    struct mapping_name read;
    bool is_a_shared;
    if (mapping_atom_read(name, text, &is_a_shared))
        must(is_known(text), "an atom executes an opcode");
    mapping_name_read(name, &read);
    if (read.has_accumulator)
        check_fragment(&read.found[0]);
    mapping_atom_outside(name);
    mapping_partial_read(name, &partial);
    const struct name *line = name_read(name);
    if (line->ptx)
        must(is_known(line->ptx), "a copy of SASS is one of PTX");
}

/* A line names as many registers as the fragment has, or none. */
static void check_registers(const char *line) {
    static const char *const names[] = {"mma.m16n8k16.a.f16",     "mma.sp.m16n8k64.sfa.1x.ue8m0",
                                        "ldmatrix.m8n8.x4.r.b16", "mma.m8n8k4.d.f64",
                                        "wgmma.m64n8k16.a.f16",   "movmatrix.m8n8.d.trans.b16"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        struct mapping_error error;
        must(mapping_catalogue_find(names[n], found) == 1, "the fragment exists");
        const size_t pairs = found[0].bits == 64 ? 2 : 1, count = found[0].registers;
        struct strings ptx = {.count = 0}, sass = {.count = 0};
        struct name name = {.name = "mma"};
        name.operand_count = name_split(line, name.operands);
        name_registers(&name, false, &found[0], &ptx, &error);
        name.is_sass = true;
        snprintf(name.name, sizeof name.name, "%s", line);
        name_registers(&name, false, &found[0], &sass, &error);
        must(ptx.count == 0 || ptx.count == count / pairs, "PTX names all registers");
        must(sass.count == 0 || sass.count == count, "SASS names the first of all registers");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *name = text_of(data, size);
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    size_t count = mapping_catalogue_find(name, found);
    must(count <= MAPPING_FOUND_MAX, "a name stands for no more fragments than there is room for");
    for (size_t f = 0; f < count; f++)
        check_fragment(&found[f]);
    check_spelling(name, count);
    check_opcode(name);
    check_transfer(name);
    check_words(name);
    check_others(name);
    check_registers(name);
    memory_release();
    free(name);
    return 0;
}
