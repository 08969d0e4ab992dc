/* descriptor.c - decodes descriptors given as numbers, and compares them with a matrix; see
 * descriptor.h.
 *
 * A 64-bit number is decoded for wgmma and for tcgen05.mma, a 32-bit number for each kind of
 * tcgen05.mma. If it is not valid for one of them, the reason is shown instead of the fields. A
 * 64-bit number can also contain a 32-bit instruction descriptor in its upper half, and 0 in its
 * lower half, like idescE of CUTLASS (make_runtime_instr_desc in cute/arch/mma_sm100_desc.hpp). */
#include "command/descriptor.h"

#include "command/brought.h"
#include "command/show.h"
#include "layout/ascii.h"
#include "layout/sentence.h"
#include "report/smem_report.h"

#include <stdio.h>
#include <string.h>

/* The instructions that take descriptors, and for each a fragment that exists on the same
 * architectures. */
static const struct {
    const char *name, *fragment;
} instructions[READERS] = {{"wgmma", "wgmma.m64n8k16.d.f32"},
                           {"tcgen05.mma", "tcgen05.mma.m128n64k16.d.f32"}};

/* True if an architecture has the instruction; 0 means any architecture. */
static bool has_instruction(unsigned arch, enum mapping_reader reader) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    mapping_catalogue_find(instructions[reader].fragment, found);
    return arch == 0 || mapping_fragment_on(&found[0], arch);
}

/* The requested architecture, or 0. MAPPING_UNAVAILABLE if none of its instructions takes a
 * descriptor. */
static enum mapping_status find_arch(const struct request *request, unsigned *arch,
                                     struct mapping_error *error) {
    *arch = request->arch_count == 1 ? request->archs[0]->number : 0;
    return has_instruction(*arch, READER_WGMMA) || has_instruction(*arch, READER_TCGEN05)
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_UNAVAILABLE,
                              "no instruction of sm_%u takes a descriptor; wgmma (sm_90) and "
                              "tcgen05.mma (sm_100 to sm_110) do",
                              *arch);
}

bool descriptor_is_meant(const char *text) {
    enum { SMALLEST = 1 << 16 }; /* an instruction descriptor has N in bits 17 to 22 */
    uint64_t value;
    bool is_wide;
    return mapping_literal_read(text, &value, &is_wide) &&
           (value >= SMALLEST || ascii_is_letter(text[1]));
}

bool is_about_descriptor(const struct request *request) {
    uint64_t value;
    bool is_wide;
    return request->formula_count == 1 && request->use_count == 0 &&
           mapping_literal_read(request->formulae[0], &value, &is_wide) && is_wide;
}

/* Sets the reason why the number cannot be this descriptor: its first invalid field. */
static void refuse_field(struct reading *reading) {
    const struct mapping_field *field = reading->fields.field;
    while (!field->is_wrong)
        field++;
    snprintf(reading->refusal, sizeof reading->refusal, "%s (bit%s %u%s%.*u) is %llu: %s",
             field->name, field->low == field->high ? "" : "s", field->low,
             field->low == field->high ? "" : "-", field->low == field->high ? 0 : 1,
             field->low == field->high ? 0U : field->high, (unsigned long long)field->value,
             field->text);
}

/* ---- Descriptors of matrices ---- */

static void read_matrix(uint64_t value, enum mapping_reader reader, unsigned arch,
                        struct reading *reading) {
    *reading = (struct reading){.instruction = instructions[reader].name};
    mapping_matrix_decode(value, reader, &reading->fields);
    const uint32_t start = (uint32_t)(value & 0x3fff) * 16;
    const uint32_t leading = (uint32_t)(value >> 16 & 0x3fff) * 16;
    const uint32_t stride = (uint32_t)(value >> 32 & 0x3fff) * 16;
    snprintf(reading->text, sizeof reading->text,
             "start address 0x%x, leading byte offset %u, stride byte offset %u, base offset %u, "
             "%s",
             start, leading, stride, (unsigned)(value >> 49 & 7),
             reading->fields.field[reading->fields.count - 1].text);
    const bool is_absolute = reader == READER_TCGEN05 && (value >> 52 & 1);
    if (reading->fields.wrong > 0)
        refuse_field(reading);
    else if (is_absolute && arch != 0 && arch != 103)
        snprintf(reading->refusal, sizeof reading->refusal,
                 "leading_mode (bit 52) is 1, which only sm_103 has");
}

/* ---- Instruction descriptors ---- */

static void read_kind(uint32_t value, size_t kind, unsigned arch, struct reading *reading) {
    struct mapping_decoded decoded;
    struct mapping_fragment found[RESULTS_MAX];
    *reading = (struct reading){.instruction = instructions[READER_TCGEN05].name,
                                .kind = mapping_kind_name(kind)};
    const bool is_right = mapping_instruction_decode(value, kind, &decoded);
    const size_t count = mapping_instruction_results(&decoded, arch, found);
    reading->fields = decoded.fields;
    mapping_instruction_text(&decoded, reading->text);
    for (size_t f = 0; f < count; f++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&found[f], name);
        strings_add(&reading->results, name);
    }
    if (!is_right)
        refuse_field(reading);
    else if (count == 0)
        snprintf(reading->refusal, sizeof reading->refusal,
                 "no tcgen05.mma of this kind%s has m%un%uk%u", arch ? " on this architecture" : "",
                 decoded.m, decoded.n, decoded.k);
}

/* Finds "kind::f16" in a subject: *kind becomes its index. MAPPING_INVALID if the subject has no
 * kind. */
static enum mapping_status find_kind(const char *text, size_t *kind, struct mapping_error *error) {
    const char *word = strstr(text, "kind::"), *name;
    char names[96] = "";
    word = word ? word + strlen("kind::") : "";
    const size_t length = strcspn(word, ". \t");
    for (*kind = 0; (name = mapping_kind_name(*kind)); ++*kind) {
        if (strlen(name) == length && strncmp(name, word, length) == 0)
            return MAPPING_OK;
        mapping_append(names, sizeof names, "%s%s", *kind ? ", " : "", name);
    }
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.60s' is no descriptor; beside one, kind::KIND says how to read it; "
                        "KIND is %s",
                        text, names);
}

/* ---- Subjects ---- */

/* Decodes a number as every kind of descriptor, or as one kind. */
static void describe(const char *text, unsigned arch, bool has_kind, size_t only,
                     struct described *described) {
    bool is_wide;
    *described = (struct described){.count = 0};
    mapping_literal_read(text, &described->value, &is_wide);
    described->is_wide = is_wide || !has_instruction(arch, READER_TCGEN05);
    struct reading *reading = described->readings;
    const uint32_t upper = (uint32_t)(described->value >> 32);
    const bool may_be_idesc = described->is_wide && has_instruction(arch, READER_TCGEN05) &&
                              (uint32_t)described->value == 0;
    for (size_t kind = 0; may_be_idesc && mapping_kind_name(kind); kind++) {
        read_kind(upper, kind, arch, reading);
        reading += has_kind ? kind == only : *reading->refusal == '\0';
    }
    if (may_be_idesc && has_kind) {
        described->count = 1;
        return;
    }
    if (described->is_wide)
        for (enum mapping_reader r = has_kind ? READER_TCGEN05 : READER_WGMMA; r < READERS; r++) {
            if (has_instruction(arch, r))
                read_matrix(described->value, r, arch, reading++);
        }
    else if (has_kind)
        read_kind((uint32_t)described->value, only, arch, reading++);
    else
        for (size_t kind = 0; mapping_kind_name(kind); kind++)
            read_kind((uint32_t)described->value, kind, arch, reading++);
    described->count = (size_t)(reading - described->readings);
}

enum mapping_status command_describe(const struct request *request, struct pages *pages,
                                     struct mapping_error *error) {
    struct described *described = memory_get(request->subject_count, sizeof *described);
    size_t count = 0, kind = 0, kinds = 0;
    unsigned arch;
    enum mapping_status status = find_arch(request, &arch, error);
    for (size_t s = 0; s < request->subject_count && status == MAPPING_OK; s++)
        if (!descriptor_is_meant(request->subjects[s]) && kinds++ == 0)
            status = find_kind(request->subjects[s], &kind, error);
    if (status == MAPPING_OK && kinds > 0 && !has_instruction(arch, READER_TCGEN05))
        status = mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no tcgen05.mma", arch);
    if (status == MAPPING_OK && kinds > 1)
        status = mapping_fail(error, MAPPING_INVALID, "give only one kind of tcgen05.mma");
    if (status != MAPPING_OK)
        return status;
    for (size_t s = 0; s < request->subject_count; s++) {
        bool fits = false;
        if (!descriptor_is_meant(request->subjects[s]))
            continue;
        describe(request->subjects[s], arch, kinds > 0, kind, &described[count]);
        for (size_t r = 0; r < described[count].count; r++)
            fits |= *described[count].readings[r].refusal == '\0';
        status = fits ? status : MAPPING_DIFFERS;
        count++;
    }
    pages_init(pages, 1);
    request->output->descriptors(pages->page, described, count, &request->style);
    return status;
}

/* ---- Comparing with a matrix ---- */

/* Chooses the instruction that a descriptor is for: the one that the architecture has; otherwise
 * the one whose fixed bits the descriptor has. */
static enum mapping_reader reader_of(uint64_t value, unsigned arch) {
    if (arch)
        return has_instruction(arch, READER_WGMMA) ? READER_WGMMA : READER_TCGEN05;
    return value >> 46 & 7 ? READER_TCGEN05 : READER_WGMMA;
}

/* True if the field may have any value, because the matrix does not use it. */
static bool is_free(const struct mapping_field *field, const struct mapping_descriptor *right,
                    bool has_address) {
    return (strcmp(field->name, "start_address") == 0 && !has_address) ||
           (strcmp(field->name, "leading_byte_offset") == 0 &&
            (!right->has_leading || right->leading_bytes == 0)) ||
           (strcmp(field->name, "stride_byte_offset") == 0 && right->stride_bytes == 0);
}

/* Compares field by field with the descriptor that the matrix needs. */
static void compare(struct described *described, const struct mapping_descriptor *right,
                    bool has_address) {
    struct reading *reading = &described->readings[0];
    const struct mapping_fields *needed = &described->right;
    for (size_t f = 0; f < reading->fields.count; f++) {
        const struct mapping_field *field = &reading->fields.field[f], *other = needed->field;
        while (other < needed->field + needed->count && other->low != field->low)
            other++;
        const bool is_known = other < needed->field + needed->count;
        const bool is_right =
            is_known && (is_free(field, right, has_address) || field->value == other->value);
        if (is_right)
            continue;
        described->corrections[described->differing++] =
            (struct correction){field, is_known ? other : NULL};
    }
}

/* The descriptor that the matrix needs. If the request gives no start address or base offset, those
 * of `value` are taken, if they are possible. Each slice along K of each stage has its own start
 * address. */
static uint64_t right_value(const struct report *matrix, const struct mapping_descriptor *right,
                            uint64_t value, uint32_t *stage, uint32_t *found) {
    const struct smem_report *smem = matrix->smem;
    const uint64_t start = value & 0x3fff, base_offset = value >> 49 & 7;
    const uint32_t base_of_start = mapping_base_offset(right->swizzle_bytes, (uint32_t)start * 16);
    if (!smem->has_address) {
        const bool is_possible = base_offset == 0 || base_offset == base_of_start;
        return right->value | start | (is_possible ? base_offset << 49 : 0);
    }
    const uint32_t slices = smem_slices(matrix);
    for (uint32_t n = 1; n < slices * smem_stages(matrix); n++) {
        const uint64_t bytes = smem->address + smem_slice_start(matrix, n / slices, n % slices);
        if (bytes / 16 != start)
            continue;
        *stage = n / slices;
        *found = n % slices;
        return (right->value & ~UINT64_C(0x3fff)) | start;
    }
    return right->value;
}

enum mapping_status verify_descriptor(const struct request *request, struct pages *pages,
                                      struct mapping_error *error) {
    struct report *reports = NULL;
    size_t count = 0;
    unsigned arch;
    bool is_wide;
    struct request asked = *request;
    asked.arch_count = 0; /* --arch selects the instruction of the descriptor */
    enum mapping_status status = find_arch(request, &arch, error);
    if (status == MAPPING_OK)
        status = brought_as_memory(&asked, error);
    if (status == MAPPING_OK)
        status = make_all_reports(&asked, &reports, &count, error);
    if (!has_reports(status))
        return status;
    struct described *described = memory_get(count, sizeof *described);
    status = MAPPING_OK;
    for (size_t r = 0; r < count; r++) {
        struct described *one = &described[r];
        const struct smem_report *smem = reports[r].smem;
        if (!smem)
            return mapping_fail(
                error, MAPPING_INVALID,
                "--verify=%.40s is the descriptor of a matrix in memory, which %.60s "
                "is not",
                request->formulae[0], reports[r].name);
        *one = (struct described){.matrix = &reports[r], .is_wide = true, .count = 1};
        mapping_literal_read(request->formulae[0], &one->value, &is_wide);
        const enum mapping_reader reader = reader_of(one->value, arch);
        read_matrix(one->value, reader, arch, &one->readings[0]);
        one->has_right = smem->has_descriptor[reader];
        if (one->has_right) {
            const struct mapping_descriptor *right = &smem->descriptor[reader];
            mapping_matrix_decode(
                right_value(&reports[r], right, one->value, &one->stage, &one->slice), reader,
                &one->right);
            compare(one, right, smem->has_address);
        }
        if (!one->has_right || one->differing > 0 || *one->readings[0].refusal)
            status = MAPPING_DIFFERS;
    }
    pages_init(pages, 1);
    request->output->descriptors(pages->page, described, count, &request->style);
    return status;
}
