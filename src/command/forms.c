/* forms.c - finds and caches the forms of instructions; see forms.h. A listing has thousands of
 * lines with the same opcode, so the form is stored in a hash table. Its key is the opcode, the
 * architecture and the kinds of the operands. */
#include "command/forms.h"

#include "catalogue/catalogue.h"
#include "command/resolve.h"
#include "command/unknown.h"
#include "layout/ascii.h"
#include "layout/space.h"
#include "source/codegen_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names of tensor-core instructions ---- */

/* True for SASS opcodes that multiply on tensor cores (names that end in MMA, such as HMMA), use
 * Tensor Memory (UTC..., LDTM, STTM) or move matrices (LDSM, STSM, MOVM). */
static bool is_sass_name(const char *opcode, size_t length) {
    const char *dot = memchr(opcode, '.', length);
    const size_t letters = dot ? (size_t)(dot - opcode) : length;
    static const char moves[] = "LDSM STSM MOVM LDTM STTM";
    return (letters > 3 && memcmp(opcode + letters - 3, "MMA", 3) == 0) ||
           (letters > 3 && memcmp(opcode, "UTC", 3) == 0) ||
           (letters == 4 && mapping_word_is_in(moves, opcode, letters));
}

/* True for PTX opcodes that multiply on tensor cores, use Tensor Memory or move matrices. */
static bool is_ptx_name(const char *opcode, size_t length) {
    static const char names[] = "mma wmma wgmma tcgen05 ldmatrix stmatrix movmatrix";
    const char *dot = memchr(opcode, '.', length);
    return dot && mapping_word_is_in(names, opcode, (size_t)(dot - opcode));
}

/* ---- Descriptions of instructions ---- */

/* Writes a PTX opcode without .sync and .aligned: "ldmatrix.m8n8.x4.trans.b16". */
static void write_short(const char *opcode, char text[FORM_WHAT_SIZE]) {
    static const char *const silent[] = {".sync", ".aligned"};
    size_t length = 0;
    while (*opcode && length + 1 < FORM_WHAT_SIZE) {
        size_t skipped = 0;
        for (size_t s = 0; s < sizeof silent / sizeof *silent; s++) {
            const size_t size = strlen(silent[s]);
            if (strncmp(opcode, silent[s], size) == 0 && (opcode[size] == '.' || !opcode[size]))
                skipped = size;
        }
        opcode += skipped;
        if (skipped == 0)
            text[length++] = *opcode++;
    }
    text[length] = '\0';
}

/* Sets form->what: the shape and types of a product, "mma.m16n8k16 f32 += f16 f16", or the short
 * opcode of any other instruction. */
static void write_what(struct form *form, const struct mapping_opcode *opcode) {
    if (!*opcode->text || !mapping_instruction_multiplies(opcode->instruction)) {
        write_short(form->ptx, form->what);
        return;
    }
    const char *d = mapping_type_name(opcode->d), *c = mapping_type_name(opcode->c);
    const char *popc = strstr(opcode->text, ".popc");
    const bool is_in_place = opcode->c == opcode->d;
    snprintf(form->what, sizeof form->what, "%s.m%un%uk%u %s %s %s %s%s%s",
             mapping_instruction_name(opcode->instruction), opcode->shape.m, opcode->shape.n,
             opcode->shape.k, d, is_in_place ? "+=" : "=", mapping_type_name(opcode->a),
             mapping_type_name(opcode->b), is_in_place ? "" : " + ", is_in_place ? "" : c);
    const size_t length = strlen(form->what);
    if (opcode->scale_vector > 0)
        snprintf(form->what + length, sizeof form->what - length, ", scales %s %uX",
                 mapping_type_name(opcode->scale), opcode->scale_vector);
    else if (popc)
        snprintf(form->what + length, sizeof form->what - length, " (%.3s.popc)", popc - 3);
}

static const char *label_of(enum mapping_operand operand) {
    static const char *const labels[MAPPING_OPERANDS] = {[MAPPING_A] = "A",
                                                         [MAPPING_B] = "B",
                                                         [MAPPING_C] = "C",
                                                         [MAPPING_D] = "D",
                                                         [MAPPING_E] = "metadata",
                                                         [MAPPING_SFA] = "scales of A",
                                                         [MAPPING_SFB] = "scales of B",
                                                         [MAPPING_R] = "data",
                                                         [MAPPING_P] = "address"};
    return labels[operand];
}

/* ---- Operands ---- */

static void add_operand(struct form *form, const struct form_operand *operand) {
    if (form->count < FORM_OPERANDS_MAX)
        form->operands[form->count++] = *operand;
}

/* Adds an operand without a fragment; 0 registers means an operand in memory. */
static void add_named(struct form *form, const char *label, size_t index, uint32_t registers) {
    struct form_operand one = {.index = index, .registers = registers};
    snprintf(one.label, sizeof one.label, "%s", label);
    add_operand(form, &one);
}

/* Adds operand `index` as a place in memory, if the instruction has more than `index` operands. */
static void add_place(struct form *form, const char *label, size_t count, size_t index) {
    if (index < count)
        add_named(form, label, index, 0);
}

/* Adds the shared memory descriptors of a product: of B, and of A unless `has_a` (A is in
 * registers). */
static void add_shared(struct form *form, const struct operand *operands, size_t count,
                       bool has_a) {
    if (!form->is_sass) {
        if (!has_a)
            add_place(form, "A at descriptor", count, 1);
        add_place(form, "B at descriptor", count, 2);
        return;
    }
    add_place(form, has_a ? "B at" : "A and B at", count, name_address(operands, count, 1));
}

/* Adds the fragments whose registers the line names, in the order of PTX (D first), then the
 * operands in memory. */
static void add_fragments(struct form *form, const struct name *name, bool is_part,
                          const struct mapping_fragment *fragments, size_t fragment_count) {
    static const enum mapping_operand order[] = {MAPPING_D, MAPPING_A,   MAPPING_B,   MAPPING_C,
                                                 MAPPING_E, MAPPING_SFA, MAPPING_SFB, MAPPING_R};
    const struct operand *operands = name->operands;
    const size_t count = name->operand_count;
    bool has_a = false;
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (size_t f = 0; f < fragment_count; f++) {
            struct form_operand one = {.has_fragment = true};
            snprintf(one.label, sizeof one.label, "%s", label_of(order[o]));
            if (fragments[f].operand != order[o] ||
                fragments[f].place == MAPPING_IN_TENSOR_MEMORY ||
                name_in_memory(name, &fragments[f]) ||
                !name_place(name, is_part, &fragments[f], &one.index, &one.offset))
                continue;
            one.fragment = fragments[f];
            one.registers = fragments[f].registers;
            has_a |= order[o] == MAPPING_A;
            add_operand(form, &one);
        }
    if (fragment_count == 0)
        return;
    if (mapping_instruction_reads_shared(fragments[0].instruction))
        add_shared(form, operands, count, has_a);
    else if (fragments[0].place == MAPPING_IN_TENSOR_MEMORY && count > 0) {
        add_place(form, "to", count, 0);
        add_place(form, "from", count, 1);
    } else if (!mapping_instruction_multiplies(fragments[0].instruction) ||
               form->operands[0].fragment.operand == MAPPING_R || form->count == 1)
        add_place(form, "address", count, name_address(operands, count, 0));
}

/* Sets is_native or is_emulated for the PTX opcode on the architecture; neither if that is not
 * recorded. */
static void note_native(struct form *form) {
    struct codegen row;
    for (size_t position = 0; form->arch && codegen_next(form->ptx, &position, &row);)
        if (row.archs & mapping_arch_bit(form->arch)) {
            form->is_native = codegen_is_native(&row);
            form->is_emulated = !form->is_native;
        }
}

/* ---- Parts of PTX instructions, and instructions whose shape is not in the opcode ---- */

/* Skips `expected` at the start of *text. False if *text does not begin with it. */
static bool take(const char **text, const char *expected) {
    const size_t length = strlen(expected);
    const bool is_it = strncmp(*text, expected, length) == 0;
    *text += is_it ? length : 0;
    return is_it;
}

/* Fills the form of a step of Volta's mma.m8n8k4. False for other instructions. */
static bool read_step(struct form *form, const struct operand *operands, size_t count) {
    struct name_step step;
    char label[24];
    if (!name_step(form->opcode, operands, count, &step))
        return false;
    const char *d = step.is_d_f32 ? "f32" : "f16", *c = step.is_c_f32 ? "f32" : "f16";
    const bool is_in_place = step.is_d_f32 == step.is_c_f32;
    snprintf(form->ptx, sizeof form->ptx, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s",
             step.orders[0], step.orders[1], d, c);
    snprintf(form->what, sizeof form->what, "step %u of mma.m8n8k4.%s.%s %s %s f16 f16%s%s",
             step.number, step.orders[0], step.orders[1], d, is_in_place ? "+=" : "=",
             is_in_place ? "" : " + ", is_in_place ? "" : c);
    snprintf(label, sizeof label, "D[%u-%u]", step.first_d, step.first_d + 1);
    add_named(form, label, 0, 2);
    add_named(form, "A", 1, 2);
    add_named(form, "B", 2, 2);
    snprintf(label, sizeof label, "C[%u-%u]", step.first_c, step.first_c + 1);
    add_named(form, label, 3, 2);
    form->kind = FORM_KNOWN;
    return true;
}

/* Fills the form of one half of tcgen05.ld.16x32bx2 or tcgen05.st.16x32bx2:
 * LDTM.16dp32bit_t0_t15.x8 R4, tmem[UR9] loads the registers of threads 0 to 15. False for other
 * opcodes. */
static bool read_half(struct form *form, size_t count) {
    const bool is_load = strncmp(form->opcode, "LDTM.", 5) == 0;
    const char *text = form->opcode;
    char *end = NULL;
    unsigned long repeats = 1;
    if ((!take(&text, "LDTM.") && !take(&text, "STTM.")) || count < 2)
        return false;
    const bool is_first = take(&text, "16dp32bit_t0_t15");
    if (!is_first && !take(&text, "16dp32bit_t16_t31"))
        return false;
    if (take(&text, ".x")) {
        repeats = strtoul(text, &end, 10);
        text = end;
    }
    if (*text || repeats == 0 || repeats > 128)
        return false;
    snprintf(form->ptx, sizeof form->ptx, "tcgen05.%s.sync.aligned.16x32bx2.x%lu.b32",
             is_load ? "ld" : "st", repeats);
    snprintf(form->what, sizeof form->what, "threads %s of tcgen05.%s.16x32bx2.x%lu.b32",
             is_first ? "0 to 15" : "16 to 31", is_load ? "ld" : "st", repeats);
    add_named(form, "data", is_load ? 0 : 1, (uint32_t)repeats);
    add_named(form, "address", is_load ? 1 : 0, 0);
    form->kind = FORM_KNOWN;
    return true;
}

/* Fills the form of MOVM.U4TO8.M832 R4, R5, for which PTX has no opcode. False for other opcodes.
 */
static bool read_widening(struct form *form, size_t count) {
    if (strcmp(form->opcode, SASS_WIDENING) != 0 || count != 2)
        return false;
    snprintf(form->what, sizeof form->what, "moves an 8x32 matrix and widens u4 to 8 bits");
    add_named(form, "to", 0, 1);
    add_named(form, "from", 1, 1);
    form->kind = FORM_KNOWN;
    return true;
}

/* Returns the index of the instruction descriptor among the operands of tcgen05.mma; at least
 * `count` for other instructions, or if it is missing. */
static size_t find_descriptor(const char *opcode, size_t length, bool is_sass,
                              const struct operand *operands, size_t count) {
    static const char idesc[] = "idesc[", multiply[] = "tcgen05.mma.";
    if (!is_sass) {
        if (length < sizeof multiply || memcmp(opcode, multiply, sizeof multiply - 1) != 0)
            return count;
        const bool is_sparse = strncmp(opcode + sizeof multiply - 1, "sp.", 3) == 0 ||
                               strncmp(opcode + sizeof multiply - 1, "ws.sp.", 6) == 0;
        return is_sparse ? 4 : 3;
    }
    size_t o = 0;
    while (o < count && (operands[o].length < sizeof idesc ||
                         memcmp(operands[o].start, idesc, sizeof idesc - 1) != 0))
        o++;
    return o;
}

/* Returns the start of the register name in an operand: UR23 in idesc[UR23]. */
static const char *register_of(const struct operand *operand) {
    const char *bracket = memchr(operand->start, '[', operand->length);
    return bracket ? bracket + 1 : operand->start;
}

/* Decodes an instruction descriptor for a PTX opcode of tcgen05.mma: sets *decoded, and *d to the
 * fragment of D. False if the descriptor contradicts the opcode. */
static bool decode(const char *ptx, uint32_t value, bool has_scales,
                   struct mapping_decoded *decoded, struct mapping_fragment *d) {
    struct mapping_fragment found[RESULTS_MAX];
    const char *kind = strstr(ptx, "kind::"), *name;
    const bool is_pair = strstr(ptx, "cta_group::2"), is_ws = strstr(ptx, ".ws."),
               is_sparse = strstr(ptx, ".sp.");
    for (size_t k = 0; kind && (name = mapping_kind_name(k)); k++) {
        const size_t length = strcspn(kind + 6, ".");
        if (strlen(name) != length || memcmp(name, kind + 6, length) != 0 ||
            !mapping_instruction_decode(value, k, decoded) || decoded->has_scales != has_scales ||
            decoded->is_sparse != is_sparse)
            continue;
        const size_t count = mapping_instruction_results(decoded, 0, found);
        for (size_t f = 0; f < count; f++) {
            const char *instruction = mapping_instruction_name(found[f].instruction);
            *d = found[f];
            if ((strstr(instruction, "cta2") != NULL) == is_pair &&
                (strstr(instruction, ".ws") != NULL) == is_ws)
                return true;
        }
    }
    return false;
}

/* Fills the form of tcgen05.mma. `opcodes` are the PTX opcodes that compile to the instruction; the
 * form gets the first that fits the descriptor. `value` is the instruction descriptor with M, N and
 * types; if it is NULL or fits no opcode, the form has no shape. */
static void read_multiply(struct form *form, const struct operand *operands, size_t count,
                          size_t descriptor, const uint32_t *value, const char *const *opcodes,
                          size_t opcode_count) {
    const struct operand *of = &operands[descriptor];
    const bool has_scales = form->is_sass
                                ? descriptor + 1 < count && *operands[descriptor + 1].start == 't'
                                : strstr(form->opcode, "block_scale") != NULL;
    struct mapping_decoded decoded = {0};
    struct mapping_fragment d = {0};
    size_t o = 0;
    while (value && o < opcode_count && !decode(opcodes[o], *value, has_scales, &decoded, &d))
        o++;
    const bool is_decoded = value && o < opcode_count;
    snprintf(form->ptx, sizeof form->ptx, "%s", opcodes[is_decoded ? o : 0]);
    if (is_decoded)
        snprintf(form->what, sizeof form->what, "%s.m%un%uk%u %s += %s %s%s%s",
                 mapping_instruction_name(d.instruction), decoded.m, decoded.n, decoded.k,
                 mapping_type_name(decoded.d), mapping_type_name(decoded.a),
                 mapping_type_name(decoded.b), has_scales ? ", scales " : "",
                 has_scales ? mapping_type_name(decoded.scales) : "");
    else
        snprintf(form->what, sizeof form->what, "tcgen05.mma, M and N are in %.*s",
                 of->length < 32 ? (int)of->length : 32, of->start);
    if (is_decoded)
        snprintf(form->note, sizeof form->note, "%.*s is 0x%x",
                 of->length < 32 ? (int)of->length : 32, of->start, (unsigned)*value);
    const size_t first = form->is_sass ? 2 : 0; /* index of D */
    add_named(form, "D", first, 0);
    add_named(form, "A", form->is_sass ? 0 : 1, 0);
    add_named(form, "B", form->is_sass ? 1 : 2, 0);
    if (is_decoded ? decoded.is_sparse : descriptor == 4 && !form->is_sass)
        add_named(form, "metadata", 3, 0);
    if (has_scales)
        add_named(form, form->is_sass ? "scales" : "scales of A", descriptor + 1, 0);
    if (has_scales && !form->is_sass)
        add_named(form, "scales of B", descriptor + 2, 0);
    form->kind = FORM_KNOWN;
}

/* Fills the form of an instruction from its parsed name. Does not change the form if the name is a
 * pattern or partial, or if refuse() rejects it. */
static void read_name(struct form *form, struct name *name) {
    struct resolution resolution;
    if (name->kind == NAME_PARTIAL || name->kind == NAME_PATTERN ||
        refuse(name, 0, NULL) != MAPPING_OK)
        return;
    resolve_opcodes(name, form->arch, &resolution);
    if (resolution.opcode_count == 0) /* recorded only for other architectures */
        resolve_opcodes(name, 0, &resolution);
    const bool has_opcode = resolution.opcode_count > 0;
    const struct mapping_name *read = has_opcode ? resolution.opcodes->read : &name->read;
    form->kind = FORM_KNOWN;
    snprintf(form->ptx, sizeof form->ptx, "%.*s", MAPPING_OPCODE_SIZE - 1,
             has_opcode ? resolution.opcodes->text : name->name);
    write_what(form, &read->opcode);
    if (resolution.is_part) {
        char what[FORM_WHAT_SIZE];
        memcpy(what, form->what, sizeof what);
        snprintf(form->what, sizeof form->what, "part of %.*s", FORM_WHAT_SIZE - 16, what);
    }
    add_fragments(form, name, resolution.is_part, read->found, read->count);
    if (!form->is_sass)
        note_native(form);
}

/* Fills the form of an instruction. `descriptor` is the index of its instruction descriptor, or at
 * least `count` if it has none. `value` is the value of the descriptor, or NULL if it is unknown.
 */
static void read_form(struct form *form, const char *line, const struct operand *operands,
                      size_t count, size_t descriptor, const uint32_t *value) {
    const char **opcodes;
    bool is_part;
    form->kind = FORM_UNKNOWN;
    const char *does = instruction_without_fragment(form->opcode);
    if (does) {
        form->kind = FORM_OTHER;
        snprintf(form->what, sizeof form->what, "%s", does);
        return;
    }
    if (read_step(form, operands, count) || read_half(form, count) || read_widening(form, count))
        return;
    struct name *name = name_read(line);
    if (descriptor >= count) {
        read_name(form, name);
        return;
    }
    size_t opcode_count = name_ptx(name, 0, &opcodes, &is_part);
    const char *own = name->read.opcode.text;
    if (!form->is_sass && *own) {
        opcodes = &own;
        opcode_count = 1;
    }
    if (opcode_count > 0)
        read_multiply(form, operands, count, descriptor, value, opcodes, opcode_count);
    if (!form->is_sass && form->kind == FORM_KNOWN)
        note_native(form);
}

/* ---- Hash table ---- */

struct known_form {
    uint64_t hash;
    char *key;
    struct form form;
};

/* Writes the key of an instruction, and returns its length: the opcode, the architecture, and for
 * each operand its kind, and its value or number of registers, if it has one. */
static size_t write_key(const struct listing_instruction *instruction, unsigned arch,
                        const struct operand *operands, size_t count, char key[512]) {
    size_t length = 0;
    for (size_t c = 0; c < instruction->length && length < 200; c++)
        key[length++] = instruction->opcode[c];
    key[length++] = (char)(1 + arch % 127);
    key[length++] = (char)(1 + arch / 127);
    for (size_t o = 0; o < count; o++) {
        const char *text = operands[o].start, first = *text;
        key[length++] = ',';
        key[length++] = first;
        if (first == 'R' || first == 'U')
            key[length++] = " CP"[operands[o].length > 1 && text[1] == 'P' ? 2
                                  : name_is_by_column(&operands[o])        ? 1
                                                                           : 0];
        else if (first == '{') {
            unsigned commas = 0;
            for (size_t c = 0; c < operands[o].length; c++)
                commas += text[c] == ',';
            key[length++] = (char)(1 + commas % 255);
            key[length++] = (char)(1 + commas / 255);
        } else if (ascii_is_digit(first))
            for (size_t c = 1; c < operands[o].length && c < 12; c++)
                key[length++] = text[c];
    }
    key[length] = '\0';
    return length;
}

/* Returns the entry with this key, or the free entry in which to store it. */
static struct known_form **place_of(const struct forms *forms, uint64_t hash, const char *key) {
    size_t place = (size_t)(hash ^ hash >> 32) & (forms->capacity - 1);
    while (forms->table[place] &&
           (forms->table[place]->hash != hash || strcmp(forms->table[place]->key, key) != 0))
        place = (place + 1) & (forms->capacity - 1);
    return &forms->table[place];
}

static void grow(struct forms *forms) {
    struct forms larger = {.capacity = forms->capacity ? 2 * forms->capacity : 256,
                           .count = forms->count};
    larger.table = memory_get(larger.capacity, sizeof *larger.table);
    for (size_t p = 0; p < forms->capacity; p++)
        if (forms->table[p])
            *place_of(&larger, forms->table[p]->hash, forms->table[p]->key) = forms->table[p];
    *forms = larger;
}

struct form *forms_find(struct forms *forms, const struct listing_instruction *instruction,
                        unsigned arch, const struct constants *constants,
                        struct operand operands[OPERANDS_MAX], size_t *count) {
    char key[512];
    if (instruction->length >= FORM_OPCODE_SIZE ||
        !(instruction->is_sass ? is_sass_name : is_ptx_name)(instruction->opcode,
                                                             instruction->length))
        return NULL;
    *count = name_split(instruction->operands, operands);
    size_t length = write_key(instruction, arch, operands, *count, key);
    const size_t descriptor = find_descriptor(instruction->opcode, instruction->length,
                                              instruction->is_sass, operands, *count);
    uint32_t value = 0;
    const bool has_value = descriptor < *count &&
                           constants_find(constants, register_of(&operands[descriptor]), &value);
    if (descriptor < *count) /* form->what and form->note contain the name of the register */
        length += (size_t)snprintf(
            key + length, sizeof key - length, "=%d %x %.*s", has_value, value,
            operands[descriptor].length < 32 ? (int)operands[descriptor].length : 32,
            operands[descriptor].start);
    const uint64_t hash = hash_of(key, length);
    if (2 * forms->count >= forms->capacity)
        grow(forms);
    struct known_form **place = place_of(forms, hash, key);
    if (*place)
        return &(*place)->form;
    struct known_form *known = *place = memory_get(1, sizeof *known);
    struct printer line = {.text = NULL};
    struct operand own[OPERANDS_MAX];
    forms->count++;
    known->hash = hash;
    known->key = memory_text(key);
    known->form.arch = arch;
    known->form.is_sass = instruction->is_sass;
    snprintf(known->form.opcode, sizeof known->form.opcode, "%.*s", (int)instruction->length,
             instruction->opcode);
    print(&line, "%.*s %s", (int)instruction->length, instruction->opcode, instruction->operands);
    const char *text = printer_string(&line);
    read_form(&known->form, text, own, name_split(text + instruction->length, own), descriptor,
              has_value ? &value : NULL);
    return &known->form;
}
