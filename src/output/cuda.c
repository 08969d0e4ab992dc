/* cuda.c - --format=cuda: a header for C99, C++ and CUDA with the formulae as functions.
 *
 * For mma.m16n8k16.d.f32, the functions are mapping_mma_m16n8k16_d_f32_row(tid, i) and _col, and
 * for the inverse _tid(row, col) and _i. Sizes are macros such as MAPPING_MMA_M16N8K16_D_F32_ROWS.
 * A layout without a formula is a table. If there are reports of one fragment on several
 * architectures, the header has a function for each distinct layout, and one that chooses between
 * them in device code. */
#include "catalogue/catalogue.h"
#include "output/cuda_convert.h"
#include "output/guard.h"

#include "report/facts.h"
#include "report/smem_report.h"
#include "report/tmem_report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Groups: reports of one name on several architectures ---- */

/* Reports of one fragment, ordered by architecture. first[r] is the first report with the layout of
 * report r. */
struct group {
    struct report *reports[MAPPING_ARCHS_MAX];
    size_t count, first[MAPPING_ARCHS_MAX];
    bool differs; /* the reports have several layouts */
};

/* All reports, sorted by by_name. */
struct groups {
    struct report **sorted;
    size_t count;
};

static int compare_names(const struct report *a, const struct report *b) {
    int names = strcmp(a->name, b->name);
    return names ? names : (a->tiling != NULL) - (b->tiling != NULL);
}

/* Orders by name, then by architecture. Reports with the same name and architecture keep their
 * order. */
static int by_name(const void *a, const void *b) {
    const struct report *const *one = a, *const *other = b;
    int names = compare_names(*one, *other);
    if (names == 0 && (*one)->arch != (*other)->arch)
        return (*one)->arch < (*other)->arch ? -1 : 1;
    return names ? names : (*one > *other) - (*one < *other);
}

/* Collects the reports with the name of `met`. False if an earlier report has this name, because
 * the group was printed there. */
static bool collect(const struct groups *groups, const struct report *met, struct group *group) {
    size_t start = 0, end = groups->count;
    while (start < end) { /* finds the first report with the name */
        const size_t middle = (start + end) / 2;
        if (compare_names(groups->sorted[middle], met) < 0)
            start = middle + 1;
        else
            end = middle;
    }
    for (end = start; end < groups->count && compare_names(groups->sorted[end], met) == 0; end++)
        if (groups->sorted[end] < met)
            return false;
    *group = (struct group){.reports = {groups->sorted[start]}}; /* counted in the next loop */
    for (size_t n = start; n < end; n++) {
        struct report *report = groups->sorted[n];
        size_t r = group->count, same = 0;
        if (r > 0 && group->reports[r - 1]->arch == report->arch)
            continue; /* the same report given twice */
        while (same < r &&
               !layout_equal(&group->reports[same]->forward.layout, &report->forward.layout))
            same++;
        group->reports[r] = report;
        group->first[r] = same;
        group->differs |= same > 0;
        group->count++;
    }
    return true;
}

/* ---- Names ---- */

/* The name of a report as part of a name in C. A layout of memory becomes the words and numbers in
 * it, "layout_sw_3_3_3_o_0_o_64_64_64_1". A tile also has its tiling. */
static const char *c_name(const struct report *report) {
    struct printer to = {.text = NULL};
    char with[TMEM_LOAD_NAME_SIZE];
    if (report->smem)
        print(&to, "layout_%s", guard_words(report->name));
    else
        guard_name(&to, report->name);
    if (report->tmem) {
        mapping_tmem_load_name(&report->tmem->tmem_load, with);
        print_text(&to, "_by");
        guard_name(&to, strchr(with, '.'));
    }
    if (report->tiling)
        guard_tiling(&to, report->tiling);
    return printer_string(&to);
}

/* ---- Comments and sizes ---- */

/* Describes the threads of a report: a warpgroup is 4 warps of 32 threads. */
static const char *describe_threads(const struct report *report) {
    const struct mapping_space *from = &report->forward.layout.from;
    uint32_t threads = from->axis[from->count - 2].size;
    return report->tiling                ? "thread of the tile"
           : threads <= MAPPING_WARP     ? "thread of the warp"
           : threads == 4 * MAPPING_WARP ? "thread of the warpgroup"
                                         : "thread";
}

/* Prints the architectures of one layout, and the evidence for it. A matrix in memory has no
 * architecture. */
static void print_evidence(struct printer *to, const struct group *group, size_t first) {
    const struct observation *observed = &group->reports[first]->observed;
    if (observed->provenance.count == 0)
        return;
    print_text(to, " * ");
    for (size_t r = first; r < group->count && group->reports[first]->arch; r++)
        if (group->first[r] == first)
            print(to, r > first ? ", sm_%u" : "on sm_%u", group->reports[r]->arch);
    print_text(to, group->reports[first]->arch ? ": " : "source: ");
    guard_comment(to, provenance_text(&observed->provenance));
    const bool needs_confirmation = observation_needs_confirmation(observed);
    if (needs_confirmation && observed->confirmation.arch) {
        print(to, "; confirmed on sm_%u: ", observed->confirmation.arch);
        guard_comment(to, observed->confirmation.with);
    } else if (needs_confirmation) {
        print_text(to, "; not confirmed on hardware");
    }
    print_char(to, '\n');
}

/* Describes the axes of Tensor Memory, and for which points the inverse functions are valid. */
static void print_lanes(struct printer *to, const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    if (mapping_space_find(&layout->to, MAPPING_AXIS_CTA) >= 0)
        print_text(to,
                   " * cta: 0 or 1, the CTA of the pair; CTA 0 has the even rank in the cluster\n");
    print_text(to,
               " * lane, column: in Tensor Memory, relative to the address in the instruction\n");
    if (mapping_space_find(&layout->to, MAPPING_AXIS_BIT) >= 0)
        print_text(to, " * bit: the first bit of the element in its 32-bit column\n");
    if (count_gaps(&report->inverse.layout) > 0)
        print_text(to, " * Some places hold no element; there, the inverse functions return "
                       "invalid results.\n");
}

static void print_head(struct printer *to, const struct group *group) {
    /* facts that a caller of the functions needs, apart from those below */
    static const char keys[] = "size padding axes transposed dense-column selector";
    const struct report *report = group->reports[0];
    const struct observation *observed = &report->observed;
    const struct mapping_space *from = &report->forward.layout.from;
    const struct mapping_axis *held = from->axis;
    const struct facts facts = facts_of(report);
    print_text(to, "\n/* ");
    guard_comment(to, report->name);
    if (report->tiling) {
        print_text(to, ", tiled by ");
        guard_comment(to, report->tiling);
    }
    print_char(to, '\n');
    for (size_t r = 0; r < group->count; r++)
        if (group->first[r] == r)
            print_evidence(to, group, r);
    if (report->tmem)
        print(to, " * with %s\n", tmem_describe(report->tmem));
    for (; report->tmem && strcmp(held->name, MAPPING_AXIS_TID) != 0; held++)
        print(to, " * %s: 0 to %u\n", held->name, held->size - 1);
    if (report->has_fragment && observed->fragment.agrees)
        print(to, " * %s %s the same layout\n", observed->fragment.agrees,
              facts_verb(observed->fragment.agrees));
    if (report->has_fragment && observed->fragment.note)
        print(to, " * note: %s\n", observed->fragment.note);
    if (report->has_fragment && strcmp(held->name, MAPPING_AXIS_TID) == 0)
        print(to, " * tid: %s, 0 to %u; i: element of the thread, in register order, 0 to %u\n",
              describe_threads(report), held[0].size - 1, held[1].size - 1);
    const char *registers = register_of_element(report);
    if (registers)
        print(to, " * %s\n", registers);
    if (report->has_choice)
        print(to, " * the inverse functions return %s %u of %u, which the line uses\n",
              report_copy_axis(report), report->choice, report_copies(report));
    if (mapping_space_find(&report->forward.layout.to, MAPPING_AXIS_LANE) >= 0)
        print_lanes(to, report);
    if (report->smem)
        print(to, " * offset: in elements of %s, from the first element of the matrix\n",
              report->smem->type);
    for (size_t n = 0; n < facts.count; n++)
        if (strstr(keys, facts.fact[n].key)) {
            print_text(to, " * ");
            guard_comment(to, facts.fact[n].text);
            print_char(to, '\n');
        }
    if (report->smem && smem_padding(report) > 0)
        print_text(to, " * In padding, the inverse gives a row or column outside of the matrix.\n");
    print_text(to, " */\n");
}

/* Prints all sizes, first those of the output, and the number of copies. If two axes have the same
 * plural, such as row and rows of a table, only the first is printed. */
static void print_sizes(struct printer *to, const struct report *report, const char *name) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct mapping_axis sizes[2 * MAPPING_AXES_MAX + 1];
    size_t count = 0;
    for (uint32_t a = 0; a < layout->to.count; a++)
        sizes[count++] = layout->to.axis[a];
    for (uint32_t a = 0; a < layout->from.count; a++)
        sizes[count++] = layout->from.axis[a];
    if (report_has_inverse(report))
        sizes[count++] = (struct mapping_axis){MAPPING_AXIS_COPY, report_copies(report)};
    for (size_t n = 0; n < count; n++) {
        const char *plural = mapping_axis_plural(sizes[n].name);
        size_t before = 0;
        while (before < n && strcasecmp(mapping_axis_plural(sizes[before].name), plural) != 0)
            before++;
        if (before < n)
            continue;
        print_text(to, "#define MAPPING_");
        guard_macro(to, name);
        print_char(to, '_');
        guard_macro(to, plural);
        print(to, " %u\n", sizes[n].size);
    }
}

/* ---- Functions ---- */

/* The number of parameters of a function of a layout. The number of the copy is left out if there
 * is only one. */
static uint32_t count_parameters(const struct mapping_space *from, bool is_inverse) {
    return from->count - (is_inverse && from->axis[from->count - 1].size == 1);
}

static void print_start(struct printer *to, const char *qualifier, const char *name,
                        const char *axis, const char *suffix, const struct mapping_space *from,
                        uint32_t parameters) {
    print(to, "%s unsigned mapping_%s_%s%s(", qualifier, name, axis, suffix);
    for (uint32_t a = 0; a < parameters; a++)
        print(to, "%sunsigned %s", a ? ", " : "", from->axis[a].name);
    print_char(to, ')');
}

static bool uses(const char *expression, const char *name) {
    size_t length = strlen(name);
    for (const char *place = expression; (place = strstr(place, name)); place++)
        if ((place == expression || !isalnum((unsigned char)place[-1])) &&
            !isalnum((unsigned char)place[length]) && place[length] != '_')
            return true;
    return false;
}

/* Prints the body of a function without a formula, which reads a table. It returns 0 for points
 * that the layout does not map. */
static void print_table(struct printer *to, const struct mapping_layout *layout, uint32_t axis,
                        uint32_t parameters) {
    size_t entries = mapping_layout_entries(layout);
    uint32_t limit = layout->to.axis[axis].size;
    print(to, "    static const unsigned %s mapping_table[%zu] = {",
          limit <= 256     ? "char"
          : limit <= 65536 ? "short"
                           : "int",
          entries);
    for (size_t n = 0; n < entries; n++) {
        print_text(to, n % 16 == 0 ? "\n        " : " ");
        print_number(to, is_gap(layout, n) ? 0 : layout->coordinate[axis][n]);
        print_char(to, ',');
    }
    print_text(to, "\n    };\n    return mapping_table[");
    for (uint32_t a = 0; a + 1 < parameters; a++)
        print_char(to, '(');
    for (uint32_t a = 0; a < parameters; a++)
        print(to, a ? ") * %u + %s" : "%.0u%s", a ? layout->from.axis[a].size : 0,
              layout->from.axis[a].name);
    print_text(to, "];\n}\n");
}

static void print_functions(struct printer *to, const struct derived *derived, const char *name,
                            const char *suffix, bool is_inverse) {
    const struct mapping_layout *layout = &derived->layout;
    uint32_t parameters = count_parameters(&layout->from, is_inverse);
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const char *formula = derived_formula(derived, c), *remark = derived_remark(derived, c);
        print_start(to, "MAPPING_FUNCTION", name, layout->to.axis[c].name, suffix, &layout->from,
                    parameters);
        print_text(to, " {\n");
        for (uint32_t a = 0; a < parameters && formula; a++)
            if (!uses(formula, layout->from.axis[a].name))
                print(to, "    (void)%s;\n", layout->from.axis[a].name);
        if (formula)
            print(to, *remark ? "    return %s; /* %s */\n}\n" : "    return %s;\n}\n", formula,
                  remark);
        else
            print_table(to, layout, c, parameters);
    }
}

/* Prints the condition under which code is compiled: the target architecture has the layout of
 * report `first`. The host compiler also compiles device code; there, any layout may be used. */
static void print_condition(struct printer *to, const struct group *group, size_t first) {
    print_text(to, first == 0 ? "#if !defined(__CUDA_ARCH__)" : "#elif");
    const char *separator = first == 0 ? " || " : " ";
    for (size_t r = first; r < group->count; r++)
        if (group->first[r] == first) {
            const unsigned arch = group->reports[r]->arch, former = mapping_arch_former(arch);
            print(to, "%s__CUDA_ARCH__ == %u0", separator, arch);
            separator = " || ";
            if (former)
                print(to, "%s__CUDA_ARCH__ == %u0", separator, former);
        }
    print_char(to, '\n');
}

/* Prints the functions that choose the layout of the target architecture. For architectures that
 * lack the fragment or were not requested, the function is deleted, so that calls do not compile.
 */
static void print_choices(struct printer *to, const struct group *group, const char *name,
                          bool is_inverse) {
    const struct report *report = group->reports[0];
    const struct mapping_layout *layout =
        is_inverse ? &report_inverse(report)->layout : &report->forward.layout;
    uint32_t parameters = count_parameters(&layout->from, is_inverse);
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const char *axis = layout->to.axis[c].name;
        for (size_t r = 0; r < group->count; r++) {
            if (group->first[r] != r)
                continue;
            print_condition(to, group, r);
            print_start(to, "MAPPING_DEVICE_FUNCTION", name, axis, "", &layout->from, parameters);
            print(to, " {\n    return mapping_%s_%s_sm_%u(", name, axis, group->reports[r]->arch);
            for (uint32_t a = 0; a < parameters; a++)
                print(to, a ? ", %s" : "%s", layout->from.axis[a].name);
            print_text(to, ");\n}\n");
        }
        print_text(to, "#else /* not an architecture of --arch, or it has no such fragment */\n");
        print_start(to, "MAPPING_DEVICE_FUNCTION", name, axis, "", &layout->from, parameters);
        print_text(to, " = delete;\n#endif\n");
    }
}

/* ---- The address of each load from Tensor Memory ---- */

enum { LANE_BIT = 16, HALF_OF_WARP = WARP_LANES / 2 };

/* Prints mapping_NAME_address([cta,] [load,] warp), whose result must be added to the address of an
 * operand in Tensor Memory. Prints nothing if the report is not about a part of an operand. */
static void print_address_function(struct printer *to, const struct report *report,
                                   const char *name) {
    const struct tmem_report *tmem = report->tmem;
    const struct mapping_space *from = &report->forward.layout.from;
    if (!tmem)
        return;
    const char *word = tmem_word(tmem);
    const bool is_each = mapping_space_find(from, word) >= 0;
    print(to,
          "/* Returns the offset, (lane << %d) + column, that a warp of the warpgroup adds to the "
          "address\n * of the operand; warp: the number of the warp modulo 4. */\n"
          "MAPPING_FUNCTION unsigned mapping_%s_address(",
          LANE_BIT, name);
    for (uint32_t a = 0; a + 2 < from->count; a++)
        print(to, "unsigned %s, ", from->axis[a].name);
    print_text(to, "unsigned warp) {\n");
    for (uint32_t a = 0; a + 2 < from->count; a++)
        if (strcmp(from->axis[a].name, word) != 0)
            print(to, "    (void)%s;\n", from->axis[a].name);
    print(to, "    return ((warp %% 4 * %d", WARP_LANES); /* the lane; it is the same in all CTAs */
    if (is_each && tmem->halves > 1)
        print(to, " + %s %% 2 * %d", word, HALF_OF_WARP);
    else if (tmem->lane > 0)
        print(to, " + %u", tmem->lane);
    print(to, ") << %d)", LANE_BIT);
    if (is_each && tmem->count > tmem->halves && tmem->halves > 1)
        print(to, " + %s / %u * %u", word, tmem->halves, tmem->tmem_load.move.columns);
    else if (is_each && tmem->count > tmem->halves)
        print(to, " + %s * %u", word, tmem->tmem_load.move.columns);
    else if (tmem->column > 0)
        print(to, " + %u", tmem->column);
    print_text(to, ";\n}\n");
}

/* ---- Scale factors of any size ---- */

/* Prints functions for the size in bytes and for the offset, with numbers of rows and columns that
 * are only known at run time. */
static void print_scales(struct printer *to, const struct report *report, const char *name) {
    const struct mapping_scales *scales = report->smem ? &report->smem->scales : NULL;
    char rounded[2][64], formula[MAPPING_SCALES_TEXT];
    if (!scales || !scales->kind)
        return;
    mapping_scales_rounded(scales, 0, "rows", rounded[0]);
    mapping_scales_rounded(scales, 1, "cols", rounded[1]);
    mapping_scales_formula(scales, true, formula);
    print(
        to,
        "/* The bytes of a buffer for any number of rows and columns of factors, with padding. */\n"
        "MAPPING_FUNCTION size_t mapping_%s_bytes(size_t rows, size_t cols) {\n"
        "    return (%s) * (%s)",
        name, rounded[0], rounded[1]);
    print(to, report->smem->bits > 8 ? " * %u;\n}\n" : ";\n}\n", report->smem->bits / 8);
    print(
        to,
        "/* The offset of a factor in a buffer of any size. */\n"
        "MAPPING_FUNCTION size_t mapping_%s_offset_in(size_t row, size_t col, size_t rows, size_t "
        "cols) {\n",
        name);
    for (int axis = 0; axis < 2; axis++)
        if (strchr(formula, "RC"[axis]))
            print(to, "    const size_t %c = %s;\n", "RC"[axis], rounded[axis]);
        else
            print(to, "    (void)%s;\n", axis == 0 ? "rows" : "cols");
    for (int axis = 0; axis < 2; axis++)
        if (!uses(formula, axis == 0 ? "row" : "col"))
            print(to, "    (void)%s;\n", axis == 0 ? "row" : "col");
    print(to, "    return %s;\n}\n", formula);
}

/* ---- Descriptors ---- */

/* Prints functions that make the descriptors with which wgmma and tcgen05.mma read a part of the
 * matrix. The start address is that of the part's first element; all other fields are the same for
 * each part. */
static void print_descriptor_makers(struct printer *to, const struct report *report,
                                    const char *name) {
    static const char *const readers[READERS] = {"wgmma", "tcgen05"}, *const archs[READERS] = {
                                                                          "wgmma", "tcgen05.mma"};
    const struct smem_report *smem = report->smem;
    const bool has_stages = report->forward.layout.from.count > 2;
    for (int reader = 0; smem && reader < READERS; reader++) {
        const struct mapping_descriptor *descriptor = &smem->descriptor[reader];
        const uint32_t line = descriptor->swizzle_bytes ? descriptor->swizzle_bytes : 16;
        const uint32_t mn = descriptor->is_k_major ? 8 : line * 8 / smem->bits;
        const uint64_t start = 0x3fff, base_offset = UINT64_C(7) << 49;
        if (!smem->has_descriptor[reader])
            continue;
        print(
            to,
            "/* The descriptor with which %s reads what begins at row, col. address: that of the "
            "matrix in\n * shared memory, a multiple of %u. Along K, %s steps by %u; along M or N, "
            "%s by %u. */\n"
            "MAPPING_FUNCTION unsigned long long mapping_%s_%s_descriptor(\n    unsigned address, "
            "%sunsigned row, "
            "unsigned col) {\n",
            archs[reader], line * 8, smem->is_k_by_mn ? "row" : "col", smem_slice(smem),
            smem->is_k_by_mn ? "col" : "row", mn, name, readers[reader],
            has_stages ? "unsigned stage, " : "");
        print(to, "    return 0x%016llxull |\n           (address + mapping_%s_offset(%srow, col)",
              (unsigned long long)(descriptor->value & ~start & ~base_offset), name,
              has_stages ? "stage, " : "");
        if (smem->bits != 8)
            print(to, smem->bits < 8 ? " * %u / 8" : " * %u",
                  smem->bits < 8 ? smem->bits : smem->bits / 8);
        print_text(to, ") / 16 % 16384;\n}\n");
    }
}

/* ---- The order of the fragment ---- */

/* Prints two functions that copy a matrix, element by element, into the order of the fragment and
 * back. */
static void print_order(struct printer *to, const struct report *report, const char *name,
                        const char *suffix) {
    const struct mapping_layout *layout = &report->forward.layout;
    const uint32_t threads = layout->from.axis[0].size, elements = layout->from.axis[1].size;
    const int block = mapping_space_find(&layout->to, MAPPING_AXIS_BLOCK);
    const int row = mapping_space_find(&layout->to, MAPPING_AXIS_ROW);
    print(
        to,
        "/* Copies a row-major matrix into the order of the fragment, and back. Rows are `stride`\n"
        " * elements apart; an element has `size` bytes. In the order of the fragment, element i\n"
        " * of thread tid is at index tid * %u + i. */\n",
        elements);
    for (int is_back = 0; is_back < 2; is_back++) {
        print(
            to,
            "static inline void mapping_%s_%s_order%s(void *%s, const void *%s,\n"
            "                                        size_t stride, size_t size) {\n"
            "    for (unsigned tid = 0; tid < %u; tid++)\n"
            "        for (unsigned i = 0; i < %u; i++) {\n"
            "            size_t row = mapping_%s_row%s(tid, i), col = mapping_%s_col%s(tid, i);\n",
            name, is_back ? "from" : "to", suffix, is_back ? "matrix" : "ordered",
            is_back ? "ordered" : "matrix", threads, elements, name, suffix, name, suffix);
        if (block >= 0)
            print(to, "            row += mapping_%s_block%s(tid, i) * %uu;\n", name, suffix,
                  layout->to.axis[row].size);
        print(
            to,
            is_back
                ? "            memcpy((char *)matrix + (row * stride + col) * size,\n"
                  "                   (const char *)ordered + (tid * %uu + i) * size, size);\n"
                  "        }\n}\n"
                : "            memcpy((char *)ordered + (tid * %uu + i) * size,\n"
                  "                   (const char *)matrix + (row * stride + col) * size, size);\n"
                  "        }\n}\n",
            elements);
    }
}

/* ---- All of a group ---- */

/* Adds an axis of a layout to a hash: its formula, or its table if it has none. */
static uint32_t hash_axis(uint32_t hash, const struct derived *derived, uint32_t axis) {
    const struct mapping_layout *layout = &derived->layout;
    if (!derived->formulae[axis].found)
        return guard_add(hash, layout->coordinate[axis],
                         mapping_layout_entries(layout) * sizeof(uint32_t));
    const char *formula = formula_text(&derived->formulae[axis].formula, &layout->from);
    return guard_add(hash, formula, strlen(formula));
}

/* Adds the names of the axes to a hash. Functions and parameters have these names. */
static uint32_t hash_names(uint32_t hash, const struct mapping_space *space) {
    for (uint32_t a = 0; a < space->count; a++)
        hash = guard_add(hash, space->axis[a].name, strlen(space->axis[a].name) + 1);
    return hash;
}

/* A hash of all layouts of a group and their architectures. The names of a table's axes depend on
 * the user, and the macro contains the file's name only in capitals, so the names are hashed too.
 */
static uint32_t hash_group(const struct group *group) {
    const struct report *table = group->reports[0];
    uint32_t hash = GUARD_START;
    if (!table->has_fragment && !table->smem) {
        hash = guard_add(hash, table->name, strlen(table->name));
        hash = hash_names(hash_names(hash, &table->forward.layout.from), &table->forward.layout.to);
    }
    /* Functions that make descriptors also depend on the size of the elements. */
    for (int reader = 0; table->smem && reader < READERS; reader++)
        if (table->smem->has_descriptor[reader])
            hash = guard_add(hash, &table->smem->bits, sizeof table->smem->bits);
    for (size_t r = 0; r < group->count; r++) {
        const struct report *report = group->reports[r];
        const struct mapping_space *from = &report->forward.layout.from;
        if (group->differs)
            hash = guard_add(hash, &report->arch, sizeof report->arch);
        for (uint32_t a = 0; a < from->count; a++)
            hash = guard_add(hash, &from->axis[a].size, sizeof from->axis[a].size);
        for (uint32_t c = 0; c < report->forward.layout.to.count && group->first[r] == r; c++)
            hash = hash_axis(hash, &report->forward, c);
        const uint32_t chosen = report->chosen ? report->chosen->layout.to.count : 0;
        for (uint32_t c = 0; c < chosen && group->first[r] == r; c++)
            hash = hash_axis(hash, report->chosen, c);
    }
    return hash;
}

/* The suffix of the functions' names: "_sm_70" if there are several layouts. */
static const char *suffix_of(const struct group *group, size_t r) {
    return group->differs ? memory_format("_sm_%u", group->reports[r]->arch) : "";
}

static void print_group(struct printer *to, const struct group *group, const struct style *style) {
    const struct report *report = group->reports[0];
    const char *name = c_name(report);
    print_head(to, group);
    const bool is_packed = style->packed != PACKED_NOT;
    const bool is_ordered =
        style->order && (is_packed ? can_pack(report) : report_has_order(report));
    guard_open(to, "mapping_", name, "", hash_group(group));
    print_sizes(to, report, name);
    for (size_t r = 0; r < group->count; r++) {
        if (group->first[r] != r)
            continue;
        const char *suffix = suffix_of(group, r);
        print_functions(to, &group->reports[r]->forward, name, suffix, false);
        if (report_has_inverse(group->reports[r]))
            print_functions(to, report_inverse(group->reports[r]), name, suffix, true);
    }
    print_address_function(to, report, name);
    print_scales(to, report, name);
    print_descriptor_makers(to, report, name);
    if (group->differs) {
        print_text(to, "#ifdef __CUDACC__\n");
        print_choices(to, group, name, false);
        if (report_has_inverse(report))
            print_choices(to, group, name, true);
        print_text(to, "#endif\n");
    }
    print_text(to, "#endif\n");
    if (is_ordered) {
        const char *end =
            is_packed ? memory_format("_ORDER_%s", packed_name(style->packed)) : "_ORDER";
        guard_open(to, "mapping_", name, end, hash_group(group));
        for (size_t r = 0; r < group->count; r++) {
            if (group->first[r] != r)
                continue;
            const char *suffix = suffix_of(group, r);
            if (is_packed)
                print_packed_order(to, group->reports[r], name, suffix, style->packed, r == 0);
            else
                print_order(to, group->reports[r], name, suffix);
        }
        print_text(to, "#endif\n");
    }
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct groups *groups = context;
    struct group group;
    if (!collect(groups, report, &group))
        return;
    print_group(to, &group, style);
    for (size_t r = 0; r < group.count; r++) /* no later page needs these reports */
        report_release(group.reports[r]);
}

/* ---- The header ---- */

static const char preamble[] = "/* Functions that return the position of each element, and their "
                               "inverses. Made by mapping " MAPPING_VERSION ".\n"
                               " * For C99, C++ and CUDA. All indices start at 0. */\n"
                               "#ifndef MAPPING_FUNCTION\n"
                               "#ifdef __CUDACC__\n"
                               "#define MAPPING_FUNCTION static inline __host__ __device__\n"
                               "#define MAPPING_DEVICE_FUNCTION static inline __device__\n"
                               "#else\n"
                               "#define MAPPING_FUNCTION static inline\n"
                               "#endif\n"
                               "#endif\n";

static void print_reports(struct pages *pages, struct report *reports, size_t count,
                          const struct style *style) {
    const struct groups groups = {memory_get(count, sizeof *groups.sorted), count};
    print_text(&pages->page[0], preamble);
    bool has_scales = false;
    for (size_t r = 0; r < count; r++)
        has_scales |= reports[r].smem && reports[r].smem->scales.kind;
    if (style->order)
        print_text(&pages->page[0], "\n#include <stddef.h>\n#include <string.h>\n");
    else if (has_scales)
        print_text(&pages->page[0], "\n#include <stddef.h>\n");
    for (size_t r = 0; r < count; r++)
        groups.sorted[r] = &reports[r];
    qsort(groups.sorted, count, sizeof *groups.sorted, by_name);
    pages_print(pages, reports, count, style, print_report, &groups, false);
}

/* Refuses two layouts of memory with the same name in C, such as Sw<1,2,3> and Sw<1,2,-3>. */
static enum mapping_status check(const struct report *reports, size_t count,
                                 struct mapping_error *error) {
    for (size_t r = 1; r < count && reports[r].smem; r++) {
        const char *name = c_name(&reports[r]);
        for (size_t before = 0; before < r; before++)
            if (strcmp(name, c_name(&reports[before])) == 0 &&
                !layout_equal(&reports[before].forward.layout, &reports[r].forward.layout))
                return mapping_fail(
                    error, MAPPING_INVALID,
                    "'%.100s' and '%.100s' would both be named mapping_%.100s in C; "
                    "generate one header for each, and include them in different source files",
                    reports[before].name, reports[r].name, name);
    }
    return MAPPING_OK;
}

/* Any layout can be printed: as a table if it has no formula. */
static bool can_show(const struct report *report) {
    (void)report;
    return true;
}

const struct output cuda_output = {
    .name = "cuda",
    .takes_origins = true,
    .has_formulae = true,
    .usual = FORMULA_DIVIDE, /* the style for which ptxas generates the fewest instructions */
    .has_order = true,
    .tmem_loads = TMEM_LOADS_NUMBERED,
    .conversions = print_conversions_cuda,
    .check = check,
    .check_loads = check_loads_cuda,
    .loads = print_loads_cuda,
    .scale_copy = cuda_scale_copy,
    .can_show = can_show,
    .reports = print_reports,
};
