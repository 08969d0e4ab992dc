/* smem_matrix.c - requests about matrices in memory; see smem_matrix.h. */
#include "command/smem_matrix.h"

#include "command/brought.h"
#include "command/select.h"
#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/sentence.h"
#include "report/smem_report.h"
#include "smem/matrix_descriptor.h"
#include "source/recorded.h"
#include "source/source.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool is_about_memory(const struct request *request) {
    for (size_t s = 0; s < request->subject_count; s++)
        if (subject_name(request, request->subjects[s], s)->kind == NAME_MATRIX)
            return true;
    return false;
}

struct question memory_question(const struct question *question) {
    struct question asked = *question;
    if (asked.kind == ASK_TARGET && !asked.is_of_offset)
        asked.kind = ASK_SOURCE;
    return asked;
}

/* Refuses options that do not apply to a matrix in memory. */
static enum mapping_status check_request(const struct request *request,
                                         struct mapping_error *error) {
    const struct question *question = &request->style.question;
    const char *matrix = request->subjects[0], *other = NULL;
    const char *plain = NULL; /* no layout of scale factors, whose sources --detail prints */
    for (size_t s = 0; s < request->subject_count; s++) {
        const bool is_matrix = subject_name(request, request->subjects[s], s)->kind == NAME_MATRIX;
        *(is_matrix ? &matrix : &other) = request->subjects[s];
        if (!plain && !mapping_scales_is_meant(request->subjects[s]))
            plain = request->subjects[s];
    }
    if (other)
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.60s' is a matrix in memory, but '%.60s' is not; use a separate command for each",
            matrix, other);
    const bool is_shown = request->use_count == 0;
    const bool has_detail = !plain || request->output->detail == DETAIL_OF_LAYOUTS;
    const char *tile_option = request->atom_layout ? "--atom-layout" : "--permutation";
    const char *too_many = request->has_operand && is_shown                       ? "--operand"
                           : request->tile.is_given && is_shown                   ? tile_option
                           : request->style.detail && !has_detail                 ? "--detail"
                           : request->has_device && is_shown                      ? "--device"
                           : question->kind == ASK_SOURCE && question->is_of_lane ? "--lane"
                           : question->has_registers                              ? "--register"
                           : question->kind == ASK_SOURCE                         ? "--thread"
                                                                                  : NULL;
    return too_many ? mapping_fail(error, MAPPING_INVALID,
                                   "%s needs a fragment, but '%.60s' is a matrix in memory%s",
                                   too_many, plain ? plain : matrix,
                                   question->kind == ASK_NOTHING ? "" : "; use --at or --offset")
                    : MAPPING_OK;
}

/* Makes the name of a report: the text with single blanks. MAPPING_INVALID if it is too long. */
static enum mapping_status name_report(const char *text, struct report *report,
                                       struct mapping_error *error) {
    const char *const grid = mapping_smem_matrix_grid(text);
    size_t length = 0;
    for (const char *c = text; *c && c != grid && length + 1 < sizeof report->name; c++)
        if (!ascii_is_blank(*c) || (length > 0 && c[1] && !ascii_is_blank(c[1])))
            report->name[length++] = (char)(ascii_is_blank(*c) ? ' ' : *c);
    report->name[length] = '\0';
    return length + 1 < sizeof report->name
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "'%.40s' is longer than %zu characters, the limit for a layout", text,
                              sizeof report->name - 1);
}

/* Records which document states the layout of an atom, or of a matrix that begins with one, and
 * which device observed it. If the request names sources, only those count. */
static enum mapping_status find_evidence(const struct request *request,
                                         const struct mapping_smem_matrix *memory,
                                         struct report *report, struct mapping_error *error) {
    struct provenance *provenance = &report->observed.provenance, recorded;
    struct confirmation *confirmation = &report->observed.confirmation;
    bool is_whole;
    const struct recorded_entry *atom = recorded_atom(&memory->layout, memory->bits, &is_whole);
    /* For loads and stores, --source names sources of the fragment. */
    const bool is_asked = request->source_count > 0 && request->use_count == 0;
    if (is_asked && !is_whole)
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "--source does not apply to %s; the only matrices in memory that it takes "
            "are CuTe layout atoms with 8-, 16- or 32-bit elements, such as "
            "Layout_K_SW128_Atom; drop --source",
            report->name);
    if (!is_asked && atom && (strstr(report->name, "_Atom") || strstr(report->name, "AtomKind.")))
        isa_add_atom(provenance);
    for (size_t s = 0; is_asked && s < request->source_count; s++) {
        const struct source *source = request->sources[s];
        if (source->is_recorded) {
            recorded_provenance(atom, &recorded);
            provenance_merge(provenance, &recorded);
            report->arch = mapping_arch_at((size_t)__builtin_ctz(atom->archs))->number;
        } else if (source->is_statement) {
            isa_add_atom(provenance);
        } else {
            return mapping_fail(error, MAPPING_UNAVAILABLE,
                                "--source=%s cannot show %s; use --source=recorded or "
                                "--source=isa ('make test-gpu' on an sm_90 measures its layout)",
                                source->name, report->name);
        }
    }
    if (observation_needs_confirmation(&report->observed) &&
        recorded_confirmation(atom, confirmation) && !is_whole) {
        char with[EVIDENCE_TEXT + sizeof ", first atom only"];
        snprintf(with, sizeof with, "%s, first atom only", confirmation->with);
        confirmation->with = memory_text(with);
    }
    return MAPPING_OK;
}

/* The type in the name of a CuTe atom, "Layout_K_SW128_Atom<bfloat16_t>", or NULL. */
static const char *type_of_atom(const char *text) {
    char name[32];
    enum mapping_type type;
    const char *start = mapping_behind_word(text, "Layout_") ? strchr(text, '<') : NULL;
    start = start ? mapping_skip_scopes(start + 1) : "";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, " ,>"), start);
    return mapping_type_find(name, &type) ? mapping_type_name(type) : NULL;
}

void memory_other_atom(const char *name, char text[MEMORY_ADVICE]) {
    static const char *const majors[][2] = {
        {"Layout_K_", "Layout_MN_"}, {"Major::K", "Major::MN"}, {"AtomKind.K_", "AtomKind.MN_"}};
    *text = '\0';
    for (size_t m = 0; m < sizeof majors / sizeof *majors && !strstr(name, "_32B"); m++)
        for (int is_mn = 0; is_mn < 2; is_mn++) {
            const char *found = strstr(name, majors[m][is_mn]);
            if (found)
                snprintf(text, MEMORY_ADVICE, "; if k is %sthe contiguous axis, use %.*s%s%.80s",
                         is_mn ? "" : "not ", (int)(found - name), name, majors[m][!is_mn],
                         found + strlen(majors[m][is_mn]));
        }
}

/* Finds the descriptors for the requested address and axes. Returns `derived` if there is no error.
 */
static enum mapping_status place(const struct request *request, struct report *report,
                                 enum mapping_status derived, struct mapping_error *error) {
    enum { K_BYTES = 32 }; /* the instruction reads these stages along K */
    struct smem_report *smem = report->smem;
    uint64_t address = 0;
    bool is_wide;
    smem->has_address = request->address != NULL;
    if (request->address &&
        (!mapping_literal_read(request->address, &address, &is_wide) || address > UINT32_MAX))
        return mapping_fail(error, MAPPING_INVALID,
                            "--address=%.40s: of a matrix, it takes the address of the first byte, "
                            "such as 0x400",
                            request->address);
    /* Scale factors of D have rows along n and columns along m, or the other way around. */
    const bool is_mn_by_k = smem->is_mn_by_k && !smem->scales.kind;
    if (request->use_count == 0 && request->axes.rows && request->axes.rows != 'k' &&
        request->axes.cols != 'k' && (is_mn_by_k || request->address))
        return mapping_fail(error, MAPPING_INVALID,
                            "--axes=%c,%c: a matrix that a descriptor describes is M x K or N x K; "
                            "use m,k, n,k, k,m or k,n",
                            request->axes.rows, request->axes.cols);
    smem->address = (uint32_t)address;
    smem->is_k_by_mn = request->use_count == 0 && request->axes.rows == 'k';
    const enum mapping_status status = smem_find_descriptors(report, error);
    if (status != MAPPING_OK)
        return status;
    const bool has_none =
        !smem->has_descriptor[READER_WGMMA] && !smem->has_descriptor[READER_TCGEN05];
    const bool is_asked = request->address || (request->axes.rows && request->use_count == 0);
    char hint[MEMORY_ADVICE] = "";
    if (smem->is_mn_by_k && smem->is_k_by_mn)
        memory_other_atom(report->name, hint);
    const struct mapping_space *from = &report->forward.layout.from;
    const uint32_t rows = from->axis[from->count - 2].size, along_k = K_BYTES * 8 / smem->bits;
    if (smem->is_mn_by_k && !smem->is_k_by_mn && from->axis[from->count - 1].size < along_k)
        snprintf(hint, sizeof hint,
                 "; an instruction reads %u of these elements along k: --extent=%u,%u", along_k,
                 rows, along_k);
    if (request->axes.rows && request->use_count == 0) {
        smem->axes[0] = request->axes.rows;
        smem->axes[1] = request->axes.cols;
    }
    /* Any other matrix has the axes that the user gives. */
    if (has_none && is_asked && (is_mn_by_k || request->address) && request->action == ACTION_SHOW)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s needs %sa matrix that has a descriptor; neither wgmma nor "
                            "tcgen05.mma can read '%.60s'%s%s",
                            request->address ? "address" : "axes",
                            request->address ? "" : "--load or --store, or ", report->name,
                            smem->is_k_by_mn ? " with k along its rows" : "", hint);
    return derived;
}

/* Makes the report of the subject at index `s`. */
static enum mapping_status make_report(const struct request *request, size_t s,
                                       const struct mapping_fragment *fragment,
                                       struct report *report, struct mapping_error *error) {
    const char *text = request->subjects[s];
    const struct question asked = memory_question(&request->style.question);
    struct resolution resolution;
    *report = (struct report){.kind = "layout"};
    enum mapping_status status = name_report(text, report, error);
    if (status == MAPPING_OK)
        status = resolve(subject_name(request, text, s), 0, request, &resolution, error);
    if (status != MAPPING_OK)
        return status;
    struct mapping_smem_matrix *memory = resolution.matrix;
    const char *type = resolution.matrix_type;
    /* If the type of elements is not given, it is that of the fragment, or f16. */
    const enum mapping_type own = brought_type_named(memory->type);
    type = type ? type : type_of_atom(text);
    const bool is_untyped = own == MAPPING_F64 && strcmp(memory->type, "f64") != 0; /* "i64" */
    if (!type && own < MAPPING_TYPES && !is_untyped && memory->bits == mapping_type_bits(own))
        type = mapping_type_name(own);
    if (memory->scales.kind) {
        snprintf(report->name, sizeof report->name, "%s", memory->scales.name);
        const char *own_type = mapping_scales_type(&memory->scales);
        const uint32_t own_bits = strcmp(own_type, "f32") == 0 ? 32 : 8;
        const bool is_usual = memory->bits == own_bits;
        const bool is_of_fragment = fragment && memory->bits == fragment->bits;
        type = type             ? type
               : is_of_fragment ? mapping_type_name(fragment->type)
               : is_usual       ? own_type
                                : NULL;
        if (strcmp(text, report->name) != 0)
            report->asked = memory_text(text);
    }
    if (!type && fragment && memory->bits == fragment->bits)
        type = mapping_type_name(fragment->type);
    else if (!type && memory->bits == 16)
        type = mapping_type_name(MAPPING_F16);
    status = question_check(&asked, report->name, &memory->layout.from, &memory->layout.to, error);
    const struct mapping_error cause = *error;
    if (status == MAPPING_INVALID && request->block && !asked.is_of_offset)
        return mapping_fail(error, MAPPING_INVALID,
                            "%-s; with --block, --extent counts elements, but --at counts factors",
                            cause.message);
    if (status == MAPPING_OK)
        status = find_evidence(request, memory, report, error);
    if (status == MAPPING_OK)
        status = smem_derive(memory, type, report);
    return report->smem ? place(request, report, status, error) : status;
}

enum mapping_status make_memory_reports(const struct request *request,
                                        const struct mapping_fragment *fragment,
                                        struct report **reports, size_t *count,
                                        struct mapping_error *error) {
    enum mapping_status status = check_request(request, error), one = MAPPING_OK;
    struct request wanted = *request;
    wanted.usual_bits = fragment ? fragment->bits : request->usual_bits;
    *count = 0;
    *reports = NULL;
    if (status != MAPPING_OK)
        return status;
    *reports = memory_get(request->subject_count, sizeof **reports);
    for (size_t s = 0; s < request->subject_count; s++) {
        one = make_report(&wanted, s, fragment, &(*reports)[s], error);
        *count = s + 1;
        if (!has_reports(one))
            return one;
        status = one == MAPPING_OK ? status : one;
    }
    return status;
}
