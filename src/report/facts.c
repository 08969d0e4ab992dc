/* facts.c - the facts about a layout; see facts.h. */
#include "report/facts.h"

#include "layout/sentence.h"
#include "report/alike.h"
#include "report/braces.h"
#include "report/question.h"
#include "report/smem_report.h"
#include "report/tmem_report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tensor Memory ---- */

/* tcgen05.alloc allocates a power of two of columns, at least this number (PTX ISA,
 * "tcgen05.alloc"). */
enum { ALLOCATED_MIN = 32 };

static void find_ranges(const bool taken[MAPPING_LANES], struct tensor_memory *memory) {
    for (uint32_t lane = 0; lane < MAPPING_LANES; lane++) {
        if (!taken[lane])
            continue;
        memory->lanes++;
        if (lane == 0 || !taken[lane - 1])
            memory->first[memory->ranges++] = lane;
        memory->last[memory->ranges - 1] = lane;
    }
    memory->is_of_each_warp = memory->ranges == MAPPING_LANES / WARP_LANES;
    for (uint32_t r = 0; r < memory->ranges; r++)
        memory->is_of_each_warp = memory->is_of_each_warp &&
                                  memory->first[r] == memory->first[0] + r * WARP_LANES &&
                                  memory->last[r] == memory->last[0] + r * WARP_LANES;
}

bool tensor_memory_find(const struct report *report, struct tensor_memory *memory) {
    const struct mapping_layout *layout = &report->forward.layout;
    const int lane = mapping_space_find(&layout->to, MAPPING_AXIS_LANE),
              column = mapping_space_find(&layout->to, MAPPING_AXIS_COLUMN),
              bit = mapping_space_find(&layout->to, MAPPING_AXIS_BIT),
              cta = mapping_space_find(&layout->to, MAPPING_AXIS_CTA);
    bool taken[MAPPING_LANES] = {false}, begins[MAPPING_COLUMN_BITS] = {false};
    if (lane < 0)
        return false;
    *memory = (struct tensor_memory){.ctas = cta >= 0 ? layout->to.axis[cta].size : 1};
    for (size_t n = 0, entries = mapping_layout_entries(layout); n < entries; n++) {
        taken[layout->coordinate[lane][n]] = true;
        begins[bit < 0 ? 0 : layout->coordinate[bit][n] % MAPPING_COLUMN_BITS] = true;
        if (layout->coordinate[column][n] >= memory->columns)
            memory->columns = layout->coordinate[column][n] + 1;
    }
    find_ranges(taken, memory);
    for (uint32_t b = 0; b < MAPPING_COLUMN_BITS; b++)
        if (begins[b])
            memory->bits[memory->places++] = b;
    memory->allocated = ALLOCATED_MIN;
    while (memory->allocated < memory->columns)
        memory->allocated *= 2;
    return true;
}

/* ---- Reports by others ---- */

/* Reports by others about hardware that we do not have. They do not contain a table of the layout,
 * but, for example, a correct product with this layout. Published tables are in results/. */
static const struct {
    unsigned arch;
    const char *fragments; /* names of fragments, separated by blanks */
    const char *text;
} reported[] = {
    /* The results of runs 23j, 23l and 14d-1 are those of the layout if each byte is read as s ee
       mmm in bits 5:0. Inputs are the same in all threads or depend on tid % 4. */
    {120, "mma.m16n8k32.a.e2m1 mma.m16n8k32.b.e2m1",
     "RTX 5070 Ti, chapters 14 and 23 of florianmattana/sass-king: three products confirm "
     "registers, pairs of K and bits, but nothing that depends on tid / 4"},
    {89,
     "mma.sp.m16n8k64.a.e4m3 mma.sp.m16n8k64.a.e5m2 mma.sp.m16n8k64.b.e4m3 mma.sp.m16n8k64.b.e5m2 "
     "mma.sp.m16n8k64.e.e4m3 mma.sp.m16n8k64.e.e5m2 mma.sp.m16n8k64.c.f32 mma.sp.m16n8k64.d.f32",
     "L20, pull request 1295 of NVlabs/cuda-oxide: products of integers with 6 metadata codes are "
     "exact, and of 13824 candidates only this layout fits"},
    {89, "mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.c.f32 mma.m16n8k16.d.f32",
     "RTX 4060 Ti, test_mma_probe.py of Bias92/flashattn-cuda: products are right, also with "
     "D as the next A"},
    {89,
     "ldmatrix.m8n8.x4.r.b16 ldmatrix.m8n8.x4.p.b16 ldmatrix.m8n8.x2.r.b16 ldmatrix.m8n8.x2.p.b16 "
     "ldmatrix.m8n8.x2.r.trans.b16",
     "RTX 4060 Ti, test_mma_probe.py of Bias92/flashattn-cuda: products of the loaded "
     "fragments are right"},
};

static bool has_name(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *c = list; (c = strstr(c, name)); c += length)
        if ((c == list || c[-1] == ' ') && (c[length] == ' ' || c[length] == '\0'))
            return true;
    return false;
}

/* ---- Facts ---- */

void facts_add(struct facts *facts, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format_with(format, arguments);
    va_end(arguments);
    facts->fact = array_grow(facts->fact, facts->count, 1, &facts->capacity, sizeof *facts->fact);
    facts->fact[facts->count++] = (struct fact){key, text};
}

/* The facts to collect: all evidence, or only what fits two lines; and hints about the command
 * line, which are not facts. */
struct collection {
    struct facts facts;
    bool is_brief, has_hints;
};

const char *facts_verb(const char *names) {
    return strchr(names, ',') ? "use" : "uses";
}

/* Adds the fact that no hardware confirmed the layout, with the projects that have the same layout,
 * without versions: "CUTLASS 4.2, JAX 0.10" becomes "CUTLASS, JAX". */
static void add_unconfirmed(struct collection *to, const char *agrees) {
    struct printer to_names = {.text = NULL};
    for (const char *c = agrees; *c; c++)
        if (*c == ' ' && c[1] >= '0' && c[1] <= '9')
            c += strspn(c + 1, "0123456789.");
        else
            print_char(&to_names, *c);
    const char *names = printer_string(&to_names);
    facts_add(&to->facts, "unconfirmed", "not confirmed on hardware; %s %s the same layout", names,
              facts_verb(names));
}

/* Adds the hardware that confirmed the layout, if the source is not hardware. */
static void add_confirmation(struct collection *to, const struct report *report) {
    const struct observation *observed = &report->observed;
    const char *agrees = report->has_fragment ? observed->fragment.agrees : NULL;
    if (!observation_needs_confirmation(observed))
        return;
    if (observed->confirmation.arch)
        facts_add(&to->facts, "confirmed", "confirmed on sm_%u: %s", observed->confirmation.arch,
                  observed->confirmation.with);
    else if (to->is_brief && agrees)
        add_unconfirmed(to, agrees);
    else
        facts_add(&to->facts, "unconfirmed", "not confirmed on hardware");
}

/* Adds reports by others about hardware of the architecture. They have no table, so they follow the
 * evidence. */
static void add_reported(struct collection *to, const struct report *report) {
    char name[MAPPING_NAME_SIZE];
    if (to->is_brief || !report->has_fragment)
        return;
    mapping_fragment_name(&report->observed.fragment, name);
    for (size_t r = 0; r < sizeof reported / sizeof *reported; r++)
        if (reported[r].arch == report->arch && has_name(reported[r].fragments, name))
            facts_add(&to->facts, "reported", "reported on sm_%u: %s", report->arch,
                      reported[r].text);
}

/* Adds the projects that have the same layout as the PTX ISA, and notes. */
static void add_notes(struct collection *to, const struct report *report) {
    const struct observation *observed = &report->observed;
    const char *agrees = report->has_fragment ? observed->fragment.agrees : NULL;
    if (agrees && !to->is_brief)
        facts_add(&to->facts, "agrees", "%s %s the same layout", agrees, facts_verb(agrees));
    const char *note = report->has_fragment ? observed->fragment.note : NULL;
    for (const char *end; note && *note; note = end + strspn(end, "; ")) {
        end = strstr(note, "; "); /* separates notes; each is a complete sentence */
        end = end ? end : note + strlen(note);
        facts_add(&to->facts, "note", "note: %.*s", (int)(end - note), note);
    }
}

/* Adds which operands {byte-id-a, thread-id-a} of the instruction read a copy of the scale factors
 * in registers: 4 bytes contain several vectors of factors (PTX ISA 9.0, 9.7.14.3). */
static void add_scales(struct collection *to, const struct report *report) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const bool is_a = fragment->operand == MAPPING_SFA;
    if (!report->has_fragment || fragment->place != MAPPING_IN_REGISTERS ||
        (!is_a && fragment->operand != MAPPING_SFB))
        return;
    const uint32_t vector = is_a ? fragment->cols : fragment->rows;
    const uint32_t per = fragment->elements / vector;
    const char *thread = per > 1 ? memory_format("c / %u", per) : "c";
    const char *byte =
        per > 1 ? memory_format(vector > 1 ? "c %% %u * %u" : "c %% %u", per, vector) : "0";
    if (!report->has_choice)
        facts_add(&to->facts, "selector",
                  "to read copy c, set thread-id-%c = %s and byte-id-%c = %s", is_a ? 'a' : 'b',
                  thread, is_a ? 'a' : 'b', byte);
}

/* Adds the size in Tensor Memory, and how to show which elements threads load. */
static void add_memory(struct collection *to, const struct report *report) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    enum { HALF_OF_WARP = WARP_LANES / 2 };
    struct tensor_memory memory;
    if (!report->has_fragment || fragment->place != MAPPING_IN_TENSOR_MEMORY ||
        !tensor_memory_find(report, &memory))
        return;
    /* true if at most half of the lanes of each warp are occupied */
    const bool is_in_halves =
        memory.is_of_each_warp && memory.last[0] - memory.first[0] < HALF_OF_WARP;
    facts_add(&to->facts, "tensor-memory", "in Tensor Memory: %u lanes, %u column%s of %d bits%s",
              memory.lanes, memory.columns, mapping_plural(memory.columns), MAPPING_COLUMN_BITS,
              memory.ctas > 1 ? " in each CTA of a pair" : "");
    if (to->has_hints && mapping_tmem_load_takes(fragment) && memory.lanes % HALF_OF_WARP == 0)
        facts_add(&to->facts, "", "--with=tcgen05.%s.%s shows which elements each thread %s",
                  fragment->operand == MAPPING_A ? "st" : "ld", is_in_halves ? "16x64b" : "32x32b",
                  fragment->operand == MAPPING_A ? "writes" : "reads");
}

static void add_targets(struct collection *to, const struct report *report) {
    char targets[TARGETS_TEXT], letter[] = {report->suffix, '\0'};
    if (!report_wants_suffix(report))
        return;
    mapping_targets_text(&report->observed.fragment, mapping_arch_bit(report->arch), " or ",
                         targets);
    facts_add(&to->facts, "targets", "ptxas accepts the instruction for %s, not for sm_%u%s",
              targets, report->arch, *letter == ' ' ? "" : letter);
}

/* Adds the opcodes of PTX that compile to an opcode of SASS: "HMMA.884.F32.F32.STEP0 is part of
 * wmma.mma.sync.aligned.{row,col}.col.m16n16k16.f32.f32". */
static void add_opcodes(struct collection *to, const struct report *report) {
    if (!report->asked || report->opcodes.count == 0)
        return;
    const char *names = braces_text(&report->opcodes);
    if (strcasestr(report->asked, "_STAT_"))
        facts_add(
            &to->facts, "opcode",
            "%s tcgen05.ld.red (sm_103a), which loads the registers of %s, and one more with their "
            "maximum",
            report->asked, names);
    else
        facts_add(&to->facts, "opcode", "%s %s", report->asked, names);
}

/* Adds which operands of an atom such as SM90_64x128x16_F32F16F16_SS are descriptors. */
static void add_descriptors(struct collection *to, const struct report *report) {
    const char *atom = report->asked && strchr(report->asked, '_') ? report->asked : "";
    const bool is_a_shared = strcasestr(atom, "_SS");
    if (!report->has_fragment ||
        !mapping_instruction_reads_shared(report->observed.fragment.instruction) ||
        (!is_a_shared && !strcasestr(atom, "_RS")))
        return;
    facts_add(&to->facts, "descriptors", "%s",
              is_a_shared ? "A and B are in shared memory, as descriptors; D is shown"
                          : "B is in shared memory, as a descriptor; A and D are in registers");
}

static void add_operand(struct collection *to, const struct report *report) {
    const struct observation *observed = &report->observed;
    const struct mapping_fragment *fragment = &observed->fragment;
    const enum instruction_form form = mapping_instruction_form(fragment->instruction);
    if (!report->has_fragment)
        return;
    /* A GPU confirmed the layout except for the order of K: the product does not change if K is
     * permuted in both A and B. */
    if (report->detail && fragment->operand <= MAPPING_B &&
        (form == MMA_FORM || form == WGMMA_FORM) &&
        (observed->confirmation.arch || provenance_find(&observed->provenance, "gpu")))
        facts_add(
            &to->facts, "k-order",
            "the order of K is from the PTX ISA: no test can show it, because D is the same if "
            "K is reordered in both A and B");
    /* static_asserts of CUTLASS, such as those of SM100_MMA_F16BF16_SS */
    if (fragment->operand == MAPPING_D && fragment->place == MAPPING_IN_TENSOR_MEMORY &&
        fragment->ctas == 1 && fragment->shape.m == 128 && fragment->shape.n % 16 != 0)
        facts_add(&to->facts, "note",
                  "note: the PTX ISA allows N = %u with M = 128; CUTLASS allows it "
                  "only for block-scaled kinds",
                  fragment->shape.n);
    if (fragment->is_transposed)
        facts_add(&to->facts, "transposed", "row and col are those %s transposing",
                  fragment->instruction == MAPPING_MOVMATRIX  ? "of A, before"
                  : fragment->instruction == MAPPING_STMATRIX ? "in shared memory, after"
                                                              : "in shared memory, before");
    /* 2 of 4 elements are stored; for 4 bits, 4 of 8 in pairs; for 32 bits, 1 of 2 (PTX ISA 9.0,
     * 9.7.14.6.1) */
    if (fragment->operand == MAPPING_A && mapping_instruction_is_sparse(fragment->instruction))
        facts_add(&to->facts, "dense-column", "column in dense A: %s",
                  fragment->bits >= 32 ? "col * 2 + n, where n (0 or 1) is in operand e"
                  : fragment->bits == 4
                      ? "col / 4 * 8 + n * 2 + col % 2, where n (0 to 3) is in operand e"
                      : "col / 2 * 4 + n, where n (0 to 3) is in operand e");
}

/* An entry of a table, and the index of the output point that it maps to. */
struct reached {
    size_t point, entry;
};

static int compare_reached(const void *a, const void *b) {
    const struct reached *one = a, *other = b;
    if (one->point != other->point)
        return one->point < other->point ? -1 : 1;
    return one->entry < other->entry ? -1 : one->entry > other->entry;
}

/* "(0, 2)", or "48" if there is one axis: point n of a space. */
static const char *point_text(const struct mapping_space *space, size_t n) {
    uint32_t point[MAPPING_AXES_MAX];
    struct printer to = {.text = NULL};
    mapping_space_point(space, n, point);
    for (uint32_t a = 0; a < space->count; a++)
        print(&to, "%s%u", a > 0 ? ", " : space->count > 1 ? "(" : "", point[a]);
    print_text(&to, space->count > 1 ? ")" : "");
    return printer_string(&to);
}

/* If the user's table is not one-to-one, adds two entries that map to the same point, and the
 * number of points without an entry. If all points have the same number of entries, the inverse
 * numbers the copies; then this is only added for an offset. */
static void add_uniqueness(struct collection *to, const struct report *report) {
    if (report->reading)
        facts_add(&to->facts, "reading", "%s", report->reading);
    const struct mapping_layout *layout = &report->forward.layout;
    const size_t entries = mapping_layout_entries(layout), points = mapping_space_size(&layout->to);
    if (!report->is_of_file || points == SIZE_MAX ||
        (report_has_inverse(report) && mapping_space_find(&layout->to, MAPPING_AXIS_OFFSET) < 0))
        return;
    struct reached *reached = memory_get(entries, sizeof *reached);
    for (size_t n = 0; n < entries; n++)
        reached[n] = (struct reached){mapping_layout_target(layout, n), n};
    qsort(reached, entries, sizeof *reached, compare_reached);
    size_t distinct = 1, twice = 0;
    for (size_t n = 1; n < entries; n++) {
        const bool is_same = reached[n].point == reached[n - 1].point;
        distinct += !is_same;
        twice = is_same && twice == 0 ? n : twice;
    }
    if (twice > 0)
        facts_add(&to->facts, "not-one-to-one",
                  "the table is not one to one: %s is reached from %s and %s",
                  point_text(&layout->to, reached[twice].point),
                  point_text(&layout->from, reached[twice - 1].entry),
                  point_text(&layout->from, reached[twice].entry));
    if (distinct < points)
        facts_add(&to->facts, "gaps", "%zu of %zu values are not reached", points - distinct,
                  points);
    mapping_free(reached);
}

/* The length of a list of clauses, or of its first clause if the output is brief. */
static int clauses(const struct collection *to, const char *text) {
    return (int)(to->is_brief ? strcspn(text, ";") : strlen(text));
}

/* Adds the meaning of the rows and columns of a matrix in memory, and its size, "64 x 64 elements
 * of f16, 8192 bytes". Scale factors have another fact about their size. */
static void add_matrix(struct collection *to, const struct report *report) {
    const struct smem_report *smem = report->smem;
    const struct mapping_space *from = &report->forward.layout.from;
    struct printer size = {.text = NULL};
    if (!smem)
        return;
    if (smem->axes[0])
        facts_add(&to->facts, "axes", "rows are %c, columns are %c%s", smem->axes[0], smem->axes[1],
                  smem->scales.is_turned ? "; the sources describe the transpose" : "");
    for (uint32_t a = 0; a < from->count; a++)
        print(&size, a ? " x %u" : "%u", from->axis[a].size);
    if (!smem->scales.kind)
        facts_add(&to->facts, "size", "%s elements of %s, %llu bytes", printer_string(&size),
                  smem->type, (unsigned long long)smem_bytes(report));
}

static void add_scale_factors(struct collection *to, const struct report *report) {
    const struct mapping_scales *scales = report->smem ? &report->smem->scales : NULL;
    if (!scales || !scales->kind)
        return;
    const uint32_t bytes = report->smem->bits / 8;
    const struct mapping_scale_kind *kind = scales->kind;
    const char *type = report->smem->type;
    const uint32_t padding = smem_padding(report);
    char formula[MAPPING_SCALES_TEXT], rounded[2][64];
    struct printer size = {.text = NULL}, general = {.text = NULL};
    if (report->asked)
        facts_add(&to->facts, "asked", "%.80s is %s", report->asked, report->name);
    print(&size, "%u x %u factors of %s", scales->extent[0], scales->extent[1], type);
    if (padding > 0)
        print(&size, ", padded to %u x %u", scales->padded[0], scales->padded[1]);
    print(&size, ": %llu bytes", (unsigned long long)smem_bytes(report));
    if (padding > 0)
        print(&size, ", of which %u are padding", padding * bytes);
    facts_add(&to->facts, "size", "%s", printer_string(&size));
    if (scales->block)
        facts_add(&to->facts, "block", "a factor is for %u x %u elements of the matrix",
                  scales->is_turned ? scales->block : kind->rows_of_block,
                  scales->is_turned ? kind->rows_of_block : scales->block);
    if (*kind->padding)
        facts_add(&to->facts, "padding", "padding: %s", kind->padding);
    facts_add(&to->facts, "notation", "%s: %s", padding > 0 ? "padded" : "in CuTe's notation",
              scales->notation);
    mapping_scales_formula(scales, true, formula);
    mapping_scales_rounded(scales, 0, "rows", rounded[0]);
    mapping_scales_rounded(scales, 1, "cols", rounded[1]);
    print(&general, "for any size: %s", formula);
    for (int axis = 0, stated = 0; axis < 2; axis++)
        if (strchr(formula, "RC"[axis]))
            print(&general, "%s %c = %s", stated++ ? "," : ", where", "RC"[axis], rounded[axis]);
    facts_add(&to->facts, "general", "%s", printer_string(&general));
    facts_add(&to->facts, "source", "source: %.*s", clauses(to, kind->source), kind->source);
    if (*scales->remark)
        facts_add(&to->facts, "note", "note: %s", scales->remark);
    if (*kind->differs)
        facts_add(&to->facts, "note", "note: projects disagree: %.*s", clauses(to, kind->differs),
                  kind->differs);
}

static void collect(struct collection *to, const struct report *report) {
    const struct provenance *provenance = &report->observed.provenance;
    enum { SHORT = 79 - sizeof "# source:" }; /* in a line of 80 columns */
    if (provenance->count > 0)
        facts_add(&to->facts, "source", "source: %s",
                  to->is_brief ? provenance_summarize(provenance, SHORT)
                               : provenance_text(provenance));
    if (report->is_default_arch && to->has_hints)
        facts_add(&to->facts, "", "no GPU here, so sm_%u is shown; --arch=ARCH shows another",
                  report->arch);
    add_opcodes(to, report);
    add_descriptors(to, report);
    for (size_t n = 0; n < report->instructions.count; n++)
        facts_add(&to->facts, "instruction", "instruction: %s", report->instructions.text[n]);
    if (report->tiling)
        facts_add(&to->facts, "tiling", "tiled by %s", report->tiling);
    if (report->tmem) {
        const char *extent = tmem_describe_extent(report);
        facts_add(&to->facts, "with", "with %s", tmem_describe(report->tmem));
        if (*extent)
            facts_add(&to->facts, "extent", "%s", extent);
    }
    add_confirmation(to, report);
    add_reported(to, report);
    if (provenance->count > 0 && observation_is_statement(&report->observed))
        add_notes(to, report);
    add_operand(to, report);
    add_scales(to, report);
    if (report->has_choice)
        facts_add(&to->facts, "choice", "the line uses %s %u of %u; the others are not shown",
                  report_copy_axis(report), report->choice, report_copies(report));
    add_memory(to, report);
    add_targets(to, report);
    add_uniqueness(to, report);
    add_matrix(to, report);
    add_scale_factors(to, report);
    if (report->smem && *report->smem->note)
        facts_add(&to->facts, "note", "note: %s", report->smem->note);
    const char *registers = register_of_element(report); /* the packing of elements */
    if (registers)
        facts_add(&to->facts, "registers", "%s", registers);
}

/* A fact that fragments with the same layout have, and which of them have it. */
struct common {
    struct fact fact;
    size_t count;
    bool *has;
};

/* Collects the facts of `count` fragments, each once; those with the same key are consecutive. */
static struct common *find_common(const struct facts *each, size_t count, size_t *found_count) {
    struct common *found = NULL;
    size_t f, place, capacity = 0;
    for (size_t n = 0; n < count; n++)
        for (size_t own = 0; own < each[n].count; own++) {
            const struct fact *fact = &each[n].fact[own];
            place = *found_count;
            for (f = 0; f < *found_count && strcmp(found[f].fact.text, fact->text) != 0; f++)
                if (strcmp(found[f].fact.key, fact->key) == 0)
                    place = f + 1;
            if (f == *found_count) {
                found = array_grow(found, f, 1, &capacity, sizeof *found);
                memmove(&found[place + 1], &found[place], (f - place) * sizeof *found);
                found[place] = (struct common){*fact, 0, memory_get(count, sizeof(bool))};
                ++*found_count;
                f = place;
            }
            found[f].count += !found[f].has[n];
            found[f].has[n] = true;
        }
    return found;
}

/* Adds the facts of fragments with the same layout. A fact that not all of them have gets their
 * names. */
static void merge_facts(struct collection *to, const struct report *report,
                        const struct facts *each, size_t count) {
    size_t found_count = 0;
    const struct common *found = find_common(each, count, &found_count);
    bool is_source = false;
    for (size_t f = 0; f < found_count; f++) {
        const struct fact *fact = &found[f].fact;
        const bool was_source = is_source;
        is_source = strcmp(fact->key, "source") == 0;
        if (was_source && !is_source)
            facts_add(&to->facts, "alike", "these %zu fragments have the same layout", count);
        if (found[f].count < count && *fact->key)
            facts_add(&to->facts, fact->key, "%s, for %s", fact->text,
                      alike_some_names(report, found[f].has));
        else
            facts_add(&to->facts, fact->key, "%s", fact->text);
    }
    if (is_source)
        facts_add(&to->facts, "alike", "these %zu fragments have the same layout", count);
}

/* Collects facts like those of `like` of all fragments that a report stands for. */
static struct facts collect_alike(const struct report *report, const struct collection *like) {
    const size_t count = alike_count(report);
    struct facts *each = memory_get(count, sizeof *each);
    struct collection all = *like;
    size_t n = 0;
    for (const struct report *one = report; one; one = one->alike) {
        struct collection own = *like;
        collect(&own, one);
        each[n++] = own.facts;
    }
    if (count == 1)
        return each[0];
    merge_facts(&all, report, each, count);
    return all.facts;
}

struct facts facts_of(const struct report *report) {
    return collect_alike(report, &(struct collection){.is_brief = false});
}

bool facts_are_detailed(const struct report *report) {
    return report->detail || (report->smem && report->smem->is_in_detail);
}

struct facts facts_in_brief(const struct report *report) {
    const struct collection like = {.is_brief = !facts_are_detailed(report), .has_hints = true};
    return collect_alike(report, &like);
}

bool fact_is_of_matrix(const struct report *report, const struct fact *fact) {
    return report->smem && !report->smem->scales.kind &&
           (strcmp(fact->key, "size") == 0 || strcmp(fact->key, "note") == 0);
}

struct facts tensor_memory_waits(const struct report *report) {
    const struct mapping_fragment *fragment =
        report->tmem ? &report->tmem->tmem_load.move : &report->observed.fragment;
    const bool is_load = mapping_instruction_loads(fragment->instruction);
    struct facts facts = {.count = 0};
    if (report->tmem && is_load)
        facts_add(&facts, "before",
                  "wait on the mbarrier of tcgen05.commit, then execute "
                  "tcgen05.fence::after_thread_sync");
    if (report->tmem && !is_load)
        facts_add(&facts, "done",
                  "after tcgen05.wait::st.sync.aligned. If another thread issues tcgen05.mma, "
                  "execute tcgen05.fence::before_thread_sync, and then synchronize with that "
                  "thread");
    else if (report->tmem || fragment->place == MAPPING_ACROSS)
        facts_add(&facts, "done", "after tcgen05.wait::%s.sync.aligned", is_load ? "ld" : "st");
    else if (report->has_fragment && fragment->place == MAPPING_IN_TENSOR_MEMORY)
        facts_add(&facts, "done", "when the mbarrier of tcgen05.commit completes its phase");
    return facts;
}
