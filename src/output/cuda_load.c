/* cuda_load.c - loads and stores as a header of device functions: the best plan of each.
 *
 * The addresses of many steps differ from those of another step, the leader, by a constant. Only
 * the leader has its own expression, offset0. The others are "[%4 + 64]", or offset0 ^ 64 if there
 * is a swizzle. The file has, in this order: one function, its name, the header. */
#include "output/cuda_convert.h"
#include "output/guard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The suffix of CU_TENSOR_MAP_DATA_TYPE_ for the elements of the matrix. */
static const char *tma_type(const struct load *load) {
    static const struct {
        const char *type, *name;
    } types[] = {{"f16", "FLOAT16"},   {"bf16", "BFLOAT16"}, {"f32", "FLOAT32"},
                 {"tf32", "TFLOAT32"}, {"f64", "FLOAT64"},   {"s32", "INT32"}};
    const uint32_t unit = load->tma.unit;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strcmp(types[t].type, load->matrix->smem->type) == 0)
            return types[t].name;
    return unit == 8 ? "UINT8" : unit == 16 ? "UINT16" : unit == 32 ? "UINT32" : "UINT64";
}

/* ---- Names and comments ---- */

static const char *start_of_name(const struct mapping_copy_plan *plan) {
    return plan->access->is_store ? "mapping_store_" : "mapping_load_";
}

/* A hash of a printed function. For a copy, only the addresses count. */
static uint32_t hash_plan(const struct mapping_copy_plan *plan,
                          const struct mapping_copy_moves *moves, bool is_copy) {
    uint32_t hash = GUARD_START;
    if (moves)
        hash = guard_add(hash, moves->bytes, moves->count * sizeof *moves->bytes);
    if (!is_copy)
        hash = guard_add(hash, plan->access->name, strlen(plan->access->name));
    for (uint32_t s = 0; s < plan->step_count; s++) {
        const struct mapping_copy_step *step = &plan->steps[s];
        if (!is_copy)
            hash = guard_add(hash, step->pieces, step->piece_count * sizeof *step->pieces);
        hash = guard_add(hash, step->address, plan->threads * sizeof *step->address);
    }
    return hash;
}

/* The address changes for other origins; NULL if the printed function takes no origin. */
static const struct mapping_copy_moves *moves_of(const struct load *load) {
    return load->takes_origin ? &load->moves : NULL;
}

/* The same hash, with the type of a tensor map. */
static uint32_t hash_load(const struct load *load) {
    const char *type = load->is_tma ? tma_type(load) : "";
    return guard_add(hash_plan(load->plans, moves_of(load), !load->fragment), type, strlen(type));
}

static uint32_t piece_bits(const struct mapping_copy_plan *plan) {
    return plan->access->bytes < 4 ? plan->access->bytes * 8U : 32;
}

/* The first byte of element (0, 0) in a matrix. */
static uint32_t start_of(const struct report *matrix) {
    return matrix ? (uint32_t)((uint64_t)matrix->forward.layout.coordinate[0][0] *
                               matrix->smem->bits / 8)
                  : 0;
}

static void print_head(struct printer *to, const struct report *matrix,
                       const struct mapping_copy_plan *plan, const struct mapping_copy_moves *moves,
                       uint32_t alignment, const char *comment) {
    const struct mapping_access *access = plan->access;
    const char *group = plan->threads > LANES ? "group of warps" : "warp";
    print_text(to, "/* ");
    guard_comment(to, comment);
    print(to, "\n * %u x %s in each warp; %s%u wavefronts in total (minimum: %u)\n",
          plan->step_count, access->name, moves ? "at most " : "", plan->wavefronts, plan->minimum);
    print(to,
          " * %s[]: the elements in order, packed, the lowest index in the lowest bits\n"
          " * address: where the matrix begins, __cvta_generic_to_shared(matrix),\n"
          " *     aligned to %u bytes",
          access->is_store ? "in" : "out", alignment);
    if (start_of(matrix) > 0)
        print(to, "; element (0, 0) is %u bytes behind it", start_of(matrix));
    print(to, "\n * tid: the thread of the %s, 0 to %u", group, plan->threads - 1);
    if (access->matrices)
        print(
            to,
            "; all threads of a warp must call this\n *     function together, on sm_%u%s or later",
            mapping_access_since(access), mapping_access_needs_letter(access) ? "a" : "");
    if (access->packed)
        print(to,
              ";\n *     in memory, 16 elements of %u bits take 16 bytes; the last %u bits are not "
              "used",
              access->packed, 128 - 16U * access->packed);
    print_text(to, "\n */\n");
}

/* ---- Offsets ---- */

/* Prints offsets without a formula as a table. Lanes without an address repeat that of another
 * lane. */
static void print_table(struct printer *to, const struct mapping_copy_plan *plan, uint32_t step) {
    const uint32_t *address = plan->steps[step].address;
    uint32_t lanes = mapping_access_lanes(plan->access), largest = 0;
    for (uint32_t t = 0; t < plan->threads; t++)
        largest = address[t] != MAPPING_INACTIVE && address[t] > largest ? address[t] : largest;
    print(to, "    static const unsigned %s table%u[%u] = {", largest > 65535 ? "int" : "short",
          step, plan->threads);
    for (uint32_t t = 0; t < plan->threads; t++)
        print(to, t % 8 == 0 ? "\n        %u," : " %u,",
              address[t - t % LANES + t % LANES % lanes]);
    print(to, "\n    };\n    const unsigned offset%u = table%u[tid];\n", step, step);
}

static void print_offset(struct printer *to, const struct report *matrix,
                         const struct mapping_copy_plan *plan, uint32_t step) {
    const char *formula = load_formula(plan, &plan->steps[step], FORMULA_DIVIDE), *place;
    if (formula)
        print(to, "    const unsigned offset%u = %s;\n", step, formula);
    else if (matrix &&
             load_place(matrix, plan, &plan->steps[step], FORMULA_DIVIDE, &place, &formula))
        print(to,
              "    unsigned offset%u;\n    {\n        const unsigned %s;\n"
              "        offset%u = %s;\n    }\n",
              step, place, step, formula);
    else
        print_table(to, plan, step);
}

/* ---- Instructions ---- */

static void print_opcode(struct printer *to, const struct mapping_access *access) {
    const char *direction = access->is_store ? "st" : "ld";
    print_text(to, direction);
    if (access->matrices) {
        print(to, "matrix.sync.aligned.%s.x%u%s.shared",
              access->unit > 1     ? "m8n8"
              : access->rows == 16 ? "m16n16"
              : access->is_store   ? "m16n8"
                                   : "m8n16",
              access->matrices, access->is_transposed ? ".trans" : "");
        if (access->is_signed)
            print_text(to, ".s8.s4");
        else if (access->packed)
            print(to, ".b8x16.b%ux16_p%u", access->packed, 128 - 16U * access->packed);
        else
            print_text(to, access->unit > 1 ? ".b16" : ".b8");
    } else if (access->bytes < 4)
        print(to, ".shared.u%u", access->bytes * 8U);
    else if (access->bytes == 4)
        print_text(to, ".shared.b32");
    else
        print(to, ".shared.v%u.b32", access->bytes / 4U);
}

/* Prints a register, or the part of a register that one instruction moves. */
static void print_piece(struct printer *to, const struct mapping_copy_plan *plan, uint32_t piece) {
    uint32_t bits = piece_bits(plan), shift = piece * bits % 32;
    if (!plan->access->is_store)
        print(to, bits < 32 ? "\"=r\"(part%u)" : "\"=r\"(out[%u])", piece);
    else if (shift > 0)
        print(to, "\"r\"(in[%u] >> %u)", (piece * bits / 32), shift);
    else
        print(to, "\"r\"(in[%u])", (piece * bits / 32));
}

/* Prints a statement: asm volatile("ldmatrix.sync... {%0, %1}, [%2 + 64];" : registers : address).
 */
static void print_instruction(struct printer *to, const struct mapping_copy_plan *plan,
                              const struct mapping_copy_step *step,
                              const struct mapping_copy_moves *moves,
                              const struct relation *relation) {
    const bool is_store = plan->access->is_store;
    const bool is_list = step->piece_count > 1 || plan->access->matrices;
    struct printer places = {.text = NULL}, registers = {.text = NULL};
    const bool is_sum = moves && moves->operation == '+', is_xor = relation->operation == '^';
    const char *address =
        memory_format(is_xor || relation->constant == 0 ? "[%%%u]" : "[%%%u + %d]",
                      is_store ? 0 : step->piece_count, (int)(int32_t)relation->constant);
    const char *offset = memory_format(moves ? "offset%u %c origin" : "offset%u", relation->leader,
                                       moves ? moves->operation : ' ');
    const char *base = memory_format(is_xor && is_sum   ? "\"r\"(address + ((%s) ^ %u))"
                                     : is_xor           ? "\"r\"(address + (%s ^ %u))"
                                     : moves && !is_sum ? "\"r\"(address + (%s))"
                                                        : "\"r\"(address + %s)",
                                     offset, relation->constant);
    print_text(&places, is_list ? "{" : "");
    for (uint32_t n = 0; n < step->piece_count; n++) {
        print(&places, n > 0 ? ", %%%u" : "%%%u", n + is_store);
        print_text(&registers, n > 0 ? ", " : "");
        print_piece(&registers, plan, step->pieces[n]);
    }
    print_text(&places, is_list ? "}" : "");
    const char *in_opcode = printer_string(&places), *list = printer_string(&registers);
    if (!is_store && piece_bits(plan) < 32)
        print(to, "    unsigned part%u;\n", step->pieces[0]);
    print_text(to, "    asm volatile(\"");
    print_opcode(to, plan->access);
    if (is_store)
        print(to, " %s, %s;\"\n                 :\n                 : %s, %s\n", address, in_opcode,
              base, list);
    else
        print(to, " %s, %s;\"\n                 : %s\n                 : %s\n", in_opcode, address,
              list, base);
    print_text(to, "                 : \"memory\");\n");
    printer_free(&places);
    printer_free(&registers);
}

/* Combines the parts of a register after its last part has been loaded. */
static void print_join(struct printer *to, const struct mapping_copy_plan *plan, uint32_t piece) {
    uint32_t bits = piece_bits(plan), per = 32 / bits, first = piece - piece % per;
    if (bits == 32 || (piece % per < per - 1 && piece + 1 < plan->step_count))
        return;
    print(to, "    out[%u] = part%u", (piece / per), first);
    for (uint32_t p = first + 1; p <= piece; p++)
        print(to, " | part%u << %u", p, (p % per * bits));
    print_text(to, ";\n");
}

/* The value to add or xor for an origin, as a formula of row and col, and of the stage if there are
 * several: its offset from element (0, 0) in bytes. NULL if there is no formula. */
static const char *origin_of(const struct report *report, char operation) {
    const struct mapping_layout *matrix = &report->forward.layout;
    const size_t entries = mapping_layout_entries(matrix);
    const uint32_t *offset = matrix->coordinate[0];
    uint32_t *bytes = memory_get(entries, sizeof *bytes);
    for (size_t n = 0; n < entries; n++) {
        const uint64_t moved = operation == '+' ? offset[n] - offset[0] : offset[n] ^ offset[0];
        bytes[n] = (uint32_t)(moved * report->smem->bits / 8);
    }
    return factored_formula(&matrix->from, bytes);
}

void load_cuda(struct printer *to, const struct report *matrix,
               const struct mapping_copy_moves *moves, const struct mapping_copy_plan *plan,
               uint32_t alignment, const char *name, const char *comment) {
    struct relation *relations = memory_get(plan->step_count, sizeof *relations);
    const uint32_t bits = plan->step_count * plan->steps[0].piece_count * piece_bits(plan);
    const char *origin = moves ? origin_of(matrix, moves->operation) : NULL;
    guard_open(to, start_of_name(plan), name, "", hash_plan(plan, moves, false));
    print_head(to, matrix, plan, moves, alignment, comment);
    print(to, "static __device__ __forceinline__ void %s", start_of_name(plan));
    guard_name(to, name);
    print(to,
          plan->access->is_store
              ? "(\n    const unsigned in[%u], unsigned address, unsigned tid%s) {\n"
              : "(\n    unsigned out[%u], unsigned address, unsigned tid%s) {\n",
          (bits + 31) / 32,
          !moves              ? ""
          : moves->stages > 1 ? ", unsigned stage, unsigned row, unsigned col"
                              : ", unsigned row, unsigned col");
    if (origin)
        print(to,
              "    __builtin_assume(row %% %u == 0);\n    __builtin_assume(col %% %u == 0);\n"
              "    const unsigned origin = %s;\n",
              moves->rows, moves->cols, origin);
    load_relate(plan, moves, relations);
    for (uint32_t s = 0; s < plan->step_count; s++) {
        if (relations[s].leader == s)
            print_offset(to, matrix, plan, s);
        print_instruction(to, plan, &plan->steps[s], moves, &relations[s]);
        if (!plan->access->is_store)
            print_join(to, plan, plan->steps[s].pieces[0]);
    }
    print_text(to, "}\n#endif\n");
}

/* ---- The header ---- */

/* The name of a function without the operation. */
static char *base_name(const struct load *load) {
    struct printer to = {.text = NULL};
    print_text(&to, guard_words(load->name));
    if (load->fragment && load->fragment->tiling)
        guard_tiling(&to, load->fragment->tiling);
    print(&to, "%s%s", load->is_store ? "_to_" : "_from_", guard_words(load->matrix->name));
    if (load->has_axes && load->is_turned)
        print(&to, "_%c%c", load->axes.rows, load->axes.cols);
    if (load->takes_origin)
        print_text(&to, "_at_row_col");
    if (load->origin[0] > 0 || load->origin[1] > 0)
        print(&to, "_at_%u_%u", load->origin[0], load->origin[1]);
    char *name = printer_string(&to);
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return name;
}

/* A function and its name: "mma_m16n8k16_a_f16_from_64_64_64_1_at_16_32", with the suffix
 * "_by_ldmatrix_x4" if there are two ways to do the same. */
struct named {
    const struct load *load;
    char *text;
};

static int compare_numbers(const void *a, const void *b) {
    const struct named *one = a, *other = b;
    return (one->load > other->load) - (one->load < other->load);
}

static int compare_names(const void *a, const void *b) {
    const struct named *one = a, *other = b;
    const int order = strcmp(one->text, other->text);
    return order != 0 ? order : compare_numbers(a, b);
}

/* The end of the run of names that equal the one at `first`. */
static size_t end_of_same(const struct named *names, size_t count, size_t first) {
    size_t end = first + 1;
    while (end < count && strcmp(names[end].text, names[first].text) == 0)
        end++;
    return end;
}

/* The names of all functions, sorted; equal names are ordered by the functions' indices. */
static struct named *name_all(const struct load *loads, size_t count) {
    struct named *names = memory_get(count, sizeof *names);
    for (size_t l = 0; l < count; l++)
        names[l] = (struct named){&loads[l], base_name(&loads[l])};
    qsort(names, count, sizeof *names, compare_names);
    for (size_t first = 0, end; first < count; first = end) {
        bool is_one = true;
        end = end_of_same(names, count, first);
        for (size_t n = first; n < end; n++)
            is_one &= names[n].load->plans->access == names[first].load->plans->access;
        for (size_t n = first; n < end && !is_one; n++)
            names[n].text = memory_format("%s_by_%s", names[n].text,
                                          guard_words(names[n].load->plans->access->name));
    }
    qsort(names, count, sizeof *names, compare_names);
    return names;
}

enum mapping_status check_loads_cuda(const struct load *loads, size_t count,
                                     struct mapping_error *error) {
    const struct named *names = name_all(loads, count), *same = NULL, *other = NULL;
    for (size_t l = 0; l < count; l++)
        if (loads[l].takes_origin && !origin_of(loads[l].matrix, loads[l].moves.operation))
            return mapping_fail(error, MAPPING_INVALID,
                                "the byte offset in %.100s has no formula of row and col; use "
                                "numbers: --origin=16,32",
                                loads[l].matrix->name);
    for (size_t first = 0, end; first < count; first = end) {
        const struct load *one = names[first].load;
        end = end_of_same(names, count, first);
        for (size_t n = first + 1; n < end; n++)
            if (hash_load(one) != hash_load(names[n].load) &&
                (!other || names[n].load < other->load)) {
                same = &names[first];
                other = &names[n];
            }
    }
    return other ? mapping_fail(error, MAPPING_INVALID,
                                "'%.100s' and '%.100s' would both be %.100s in C; use two "
                                "headers, in two programs",
                                same->load->matrix->name, other->load->matrix->name, other->text)
                 : MAPPING_OK;
}

/* The number of 16-byte pieces of a copy. */
static uint32_t count_pieces(const struct mapping_copy_plan *plan) {
    uint32_t pieces = (plan->step_count - 1) * LANES;
    for (uint32_t lane = 0; lane < LANES; lane++)
        pieces += plan->steps[plan->step_count - 1].address[lane] != MAPPING_INACTIVE;
    return pieces;
}

/* Prints a table with the offset of each piece, beginning with lane 0 of step 0. */
static void print_pieces_table(struct printer *to, const struct mapping_copy_plan *plan) {
    uint32_t pieces = count_pieces(plan);
    print(to, "    static const unsigned table[%u] = {", pieces);
    for (uint32_t n = 0; n < pieces; n++) {
        print_text(to, n % 16 == 0 ? "\n        " : " ");
        print_number(to, plan->steps[n / LANES].address[n % LANES]);
        print_char(to, ',');
    }
    print_text(to, "\n    };\n    return table[step * 32 + tid];\n}\n");
}

/* ---- TMA ---- */

/* Prints the host function that makes the tensor map, and the device function that copies. */
static void print_tma(struct printer *to, const struct load *load, const char *name) {
    const struct mapping_tma *tma = &load->tma;
    const uint32_t bits = load->matrix->smem->bits, in = tma->inner, out = !tma->inner;
    const uint32_t count = tma->boxes[0] * tma->boxes[1];
    static const char *const sizes[] = {"rows", "cols"}, *const firsts[] = {"row", "col"};
    const char *units = bits == tma->unit ? "" : memory_format(" * %u / 8", bits);
    print(
        to,
        "#include <cuda.h>\n\n"
        "/* Makes the tensor map of a matrix in global memory with rows x cols elements, whose %s "
        "are\n * contiguous and begin every `pitch` bytes; global and pitch are multiples of 16. "
        "For sm_%u and\n * later; link with -lcuda. */\n"
        "static inline CUresult mapping_%s_map(CUtensorMap *map, void *global, cuuint64_t rows,\n"
        "    cuuint64_t cols, cuuint64_t pitch) {\n"
        "    const cuuint64_t sizes[2] = {%s%s, %s}, strides[1] = {pitch};\n"
        "    const cuuint32_t box[2] = {%u, %u}, steps[2] = {1, 1};\n"
        "    return cuTensorMapEncodeTiled(\n"
        "        map, CU_TENSOR_MAP_DATA_TYPE_%s, 2, global, sizes, strides, box, steps,\n"
        "        CU_TENSOR_MAP_INTERLEAVE_NONE, %s,\n"
        "        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);\n}\n\n",
        sizes[out], tma->since, name, sizes[in], units, sizes[out], tma->box[in] * bits / tma->unit,
        tma->box[out], tma_type(load), tma->swizzle);
    print(
        to,
        "/* Copies the matrix that begins at (row, col) to shared memory, in %u box%s. One thread "
        "calls it.\n * %.3s: a multiple of %u, which are 16 bytes; others are an illegal "
        "instruction on an H200.\n * shared: the address there, a multiple of %u. barrier: that of "
        "an mbarrier, which has to expect\n * %u bytes. */\n"
        "static __device__ inline void mapping_%s_copy(unsigned shared, const CUtensorMap *map,\n"
        "    unsigned row, unsigned col, unsigned barrier) {\n",
        count, count == 1 ? "" : "es", sizes[in], 128 / bits, tma->alignment,
        count * tma->box[0] * tma->box[1] * bits / 8, name);
    for (uint32_t b = 0; b < count; b++) {
        const struct tma_box box = tma_box(load, b);
        const uint32_t at[] = {box.row, box.col};
        print(to,
              "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
              "::complete_tx::bytes \"\n"
              "                 \"[%%0], [%%1, {%%2, %%3}], [%%4];\"\n"
              "                 :\n"
              "                 : \"r\"(shared + %u), \"l\"(map), \"r\"((%s + %u)%s), \"r\"(%s + "
              "%u), \"r\"(barrier)\n"
              "                 : \"memory\");\n",
              box.byte, firsts[in], at[in], units, firsts[out], at[out]);
    }
    print_text(to, "}\n");
}

/* Prints a function for the address that each lane writes in each step. A copy needs no other
 * function. */
static void print_copy(struct printer *to, const struct load *load, const char *name) {
    const struct mapping_copy_plan *plan = load->plans;
    const bool is_one = plan->step_count == 1;
    const char *formula = load_formula(plan, is_one ? &plan->steps[0] : NULL, FORMULA_DIVIDE);
    guard_open(to, "mapping_", name, "", hash_load(load));
    print(to,
          "/* The byte offset from the start of %s\n * at which lane tid of a warp writes 16 bytes",
          load->matrix->name);
    if (!is_one)
        print(to, " in a step, 0 to %u", plan->step_count - 1);
    print(to, ";\n * %u wavefronts in total (minimum: %u)\n", plan->wavefronts, plan->minimum);
    if (count_pieces(plan) % LANES != 0)
        print(to, " * A lane writes only if step * 32 + tid is less than %u.\n",
              count_pieces(plan));
    print(to,
          " */\nstatic __device__ __forceinline__ unsigned mapping_%s(unsigned step,\n"
          "                                                          unsigned tid) {\n",
          name);
    if (formula)
        print(to, is_one ? "    (void)step;\n    return %s;\n}\n" : "    return %s;\n}\n", formula);
    else
        print_pieces_table(to, plan);
    if (load->is_tma) {
        print_char(to, '\n');
        print_tma(to, load, name);
    }
    print_text(to, "#endif\n");
}

static void print_load(struct printer *to, const struct load *load, const char *name) {
    struct printer comment = {.text = NULL};
    const struct report *fragment = load->fragment;
    print_char(to, '\n');
    if (!fragment) {
        print_copy(to, load, name);
        return;
    }
    const struct mapping_copy_moves *moves = moves_of(load);
    print(&comment, "%s %s %s,\n", load->name, load->is_store ? "to" : "from", load->matrix->name);
    print(&comment, moves ? "row: a multiple of %u; col: a multiple of %u" : "row %u, column %u",
          moves ? moves->rows : load->origin[0], moves ? moves->cols : load->origin[1]);
    if (has_axes_to_say(load))
        print(&comment, "; rows are %c, columns are %c", load->axes.rows, load->axes.cols);
    if (fragment->tiling)
        print(&comment, "; tiled by %s", fragment->tiling);
    for (size_t f = 0; f < load->facts.count; f++)
        if (strcmp(load->facts.fact[f].key, "copies") == 0 ||
            strcmp(load->facts.fact[f].key, "selector") == 0 ||
            strcmp(load->facts.fact[f].key, "conflicts") == 0)
            print(&comment, "\n%s", load->facts.fact[f].text);
    load_cuda(to, load->matrix, moves, load->plans, load->alignment, name,
              printer_string(&comment));
}

void print_loads_cuda(struct printer *to, const struct load *loads, size_t count,
                      const struct style *style) {
    (void)style;
    print_text(to,
               "/* Loads and stores of fragments, for CUDA C++. Made by mapping " MAPPING_VERSION
               ". */\n");
    struct named *names = name_all(loads, count);
    qsort(names, count, sizeof *names, compare_numbers);
    for (size_t l = 0; l < count; l++)
        print_load(to, &loads[l], names[l].text);
}
