/* causes.c - explains mistakes of a kernel by exchanged registers, lanes, addresses or swizzles;
 * see causes.h.
 *
 * A mistake is given as a map of the coordinates of an operand. The layout of a fragment converts
 * it to a map of (thread, element). If this map only changes elements, registers were exchanged; if
 * it only changes threads, lanes were exchanged. For example, a kernel exchanges bit 3 of the row
 * and bit 3 of k in A. In mma.m16n8k16, these are bits 1 and 2 of i. A register has two elements,
 * so registers 1 and 2 were exchanged. */
#include "probe/causes.h"

#include "catalogue/catalogue.h"
#include "probe/fit.h"

#include <stdio.h>
#include <string.h>

struct reader {
    struct finding *finding;
    const struct problem *problem;
    enum probe_role role;
    mover *move;
    const void *context;
    const char *instruction; /* " (mma.m16n8k16)", or "" */
    uint32_t first[2];       /* the first moved element */
};

/* Adds a cause, unless it was already added for another instruction. */
static void add(const struct reader *reader, struct printer *text) {
    struct finding *finding = reader->finding;
    const size_t size = text->size;
    print_text(text, reader->instruction);
    for (size_t r = 0; r < finding->causes; r++)
        if (strncmp(finding->cause[r], text->text, size) == 0)
            return;
    if (finding->causes < CAUSES_MAX)
        finding->cause[finding->causes++] = printer_string(text);
}

/* ---- Permutations of registers and lanes ---- */

struct words {
    const char *unit, *before; /* "register", and " of " before the operand */
    const char *mutual, *taken, *tail;
};
static const struct words of_elements = {"element", " of ", " were exchanged in each thread",
                                         " were ", " in each thread"};
static const struct words of_lanes = {"lane", " of ", " were exchanged", " were ", ""};
static const struct words of_addresses = {
    "lane", " of ldmatrix for ", " gave each other's addresses", " gave the addresses of ", ""};

struct range {
    uint32_t first, count, to;
};

static void print_range(struct printer *to, const char *comma, uint32_t first, uint32_t count) {
    print(to, count > 1 ? "%s%u-%u" : "%s%u", to->size > 0 ? comma : "", first, first + count - 1);
}

/* Finds the ranges of numbers that a map moves by the same distance. Stops after `most` + 1 ranges.
 * Returns true if the map is its own inverse. */
static bool find_ranges(const uint32_t *map, uint32_t count, struct range *range, size_t most,
                        size_t *ranges) {
    bool is_mutual = true;
    *ranges = 0;
    for (uint32_t x = 0; x < count && *ranges <= most; x++) {
        struct range *last = &range[*ranges > 0 ? *ranges - 1 : 0];
        is_mutual &= map[map[x]] == x;
        if (map[x] == x)
            continue;
        if (*ranges > 0 && last->first + last->count == x && last->to + last->count == map[x] &&
            x != last->to && map[x] != last->first) /* a range must not overlap its image */
            last->count++;
        else
            range[(*ranges)++] = (struct range){x, 1, map[x]};
    }
    return is_mutual;
}

/* Adds the cause that a map of registers, elements or lanes describes. Names up to RANGES ranges
 * that were exchanged or replaced, "lanes 0-7 and 8-15". If there are more, describes one period,
 * "elements 1 and 2 of each 4", or prints a formula. */
static void say(const struct reader *reader, const struct words *words, const uint32_t *map,
                uint32_t count) {
    enum { RANGES = 4 };
    struct range range[RANGES + 1];
    struct printer text = {.text = NULL}, each = {.text = NULL};
    struct printer first = {.text = NULL}, second = {.text = NULL};
    const char *role = probe_role_name(reader->role), *plural = "s";
    size_t ranges;
    bool is_mutual = find_ranges(map, count, range, RANGES, &ranges);
    if (ranges > RANGES) {
        uint32_t period = 1;
        for (uint32_t x = 0; x < count; x++)
            if (map[x % period] >= period || map[x] != map[x % period] + x - x % period) {
                period *= 2;
                x = 0;
            }
        is_mutual = find_ranges(map, period, range, RANGES, &ranges);
        if (ranges <= RANGES)
            print(&each, " of each %u", period);
    }
    if (ranges == 0)
        return;
    if (ranges > RANGES) {
        const struct fit_space space = {
            .in_size = {count, 1, 1}, .in_name = {"n"}, .outs = 1, .out_size = {count}};
        struct sample *samples = memory_get(count, sizeof *samples);
        struct piece *pieces = memory_get(FIT_PIECES, sizeof *pieces);
        for (uint32_t x = 0; x < count; x++)
            samples[x] = (struct sample){.in = {x}, .out = {map[x]}};
        if (fit_samples(&space, samples, count, pieces) != 1)
            return;
        print_text(&first, "n");
        function_print(&second, &space, &pieces->out[0]);
        plural = "";
        is_mutual = false;
    } else if (ranges == 1 && range[0].count == 1) {
        plural = "";
    }
    for (size_t r = 0; r < ranges && ranges <= RANGES; r++)
        if (!is_mutual) {
            print_range(&first, ", ", range[r].first, range[r].count);
            print_range(&second, ", ", range[r].to, range[r].count);
        } else if (range[r].first < range[r].to) {
            print_range(&first, ", ", range[r].first, range[r].count);
            print_range(&first, " and ", range[r].to, range[r].count);
        }
    print(&text, "as if %s%s %s%s%s%s", words->unit, plural, printer_string(&first),
          printer_string(&each), words->before, role);
    if (is_mutual)
        print_text(&text, words->mutual);
    else
        print(&text, "%s%s%s %s%s", words->taken, words->unit, plural, printer_string(&second),
              words->tail);
    add(reader, &text);
}

/* ---- Fragments ---- */

/* Returns the map of row * cols + col within a tile, if it is the same in all tiles with moved
 * elements. NULL if there is no such map, or if only a part of the tiles has moved elements, and
 * only a part of those that the function of these elements would move: then registers or lanes are
 * no cause, because they would move all of them. */
static uint32_t *map_of_tiles(const struct reader *reader, uint32_t rows, uint32_t cols) {
    enum { TILES = 16 };
    const struct operand_memory *of = &reader->problem->operand[reader->role];
    const uint32_t down = of->rows > rows ? of->rows / rows : 1;
    const uint32_t right = of->cols > cols ? of->cols / cols : 1;
    const uint64_t tiles = (uint64_t)down * right, step = tiles / TILES + 1;
    const size_t size = (size_t)rows * cols * sizeof(uint32_t);
    uint32_t *map = memory_get(size, 1), *of_tile = memory_get(size, 1);
    bool has_map = false, has_unmoved = false, has_part = false;
    const uint32_t in_tile[2] = {reader->first[0] / rows, reader->first[1] / cols};
    const bool has_first = in_tile[0] < down && in_tile[1] < right;
    const uint64_t first = has_first ? (uint64_t)in_tile[0] * right + in_tile[1] : 0;
    for (uint64_t next = 0; next < tiles + step; next += step) {
        const uint64_t tile = next == 0 ? first : next - step;
        const uint32_t top = (uint32_t)(tile / right) * rows,
                       left = (uint32_t)(tile % right) * cols;
        bool is_moved = false, is_part = false;
        for (uint32_t e = 0; e < rows * cols; e++) {
            const uint32_t at[2] = {top + e / cols, left + e % cols};
            uint32_t from[2] = {at[0], at[1]};
            if (at[0] < of->rows && at[1] < of->cols)
                is_part |= reader->move(reader->context, at, from);
            const uint32_t row = from[0] - top, col = from[1] - left;
            if (row >= rows || col >= cols)
                return NULL;
            of_tile[e] = row * cols + col;
            is_moved |= of_tile[e] != e;
        }
        if (is_moved && has_map && memcmp(map, of_tile, size) != 0)
            return NULL;
        if (is_moved)
            memcpy(map, of_tile, size);
        has_map |= is_moved;
        has_unmoved |= !is_moved;
        has_part |= is_moved && is_part;
    }
    return has_map && !(has_unmoved && has_part) ? map : NULL;
}

/* Sets *value if it is unknown (UINT32_MAX). False if it is known and differs. */
static bool agree(uint32_t *value, uint32_t is) {
    if (*value == UINT32_MAX)
        *value = is;
    return *value == is;
}

static uint32_t *unknown(size_t count) {
    return memset(memory_get(count, sizeof(uint32_t)), 0xff, count * sizeof(uint32_t));
}

/* Sets unknown values to those of a correct kernel. */
static void keep_unknown(uint32_t *map, uint32_t count) {
    for (uint32_t x = 0; x < count; x++)
        agree(&map[x], x);
}

/* Adds the cause that elements of each thread were exchanged; if these are whole registers of
 * `packed` elements, names the registers. */
static void say_elements(const struct reader *reader, uint32_t *of_i, uint32_t elements,
                         uint32_t packed) {
    struct words words = of_elements;
    bool is_whole = packed > 1;
    for (uint32_t i = 0; i < elements; i++)
        is_whole = is_whole && of_i[i] == of_i[i - i % packed] + i % packed &&
                   of_i[i] % packed == i % packed;
    if (is_whole) {
        words.unit = "register";
        elements /= packed;
        for (uint32_t r = 0; r < elements; r++)
            of_i[r] = of_i[(size_t)r * packed] / packed;
    }
    say(reader, &words, of_i, elements);
}

static void read_fragment(const struct reader *reader, const struct mapping_fragment *fragment) {
    struct mapping_layout layout;
    struct mapping_error error;
    const struct operand_memory *of = &reader->problem->operand[reader->role];
    const uint32_t elements = fragment->elements, threads = fragment->threads;
    const uint32_t count = threads * elements, cols = fragment->cols;
    const uint32_t packed = fragment->bits < 32 ? 32 / fragment->bits : 1; /* number of elements in
                                                                              a register */
    const bool is_wmma = fragment->instruction == MAPPING_WMMA;
    const uint32_t *map = map_of_tiles(reader, fragment->rows, cols);
    if (!map || count != fragment->rows * cols * mapping_fragment_copies(fragment) ||
        mapping_fragment_state(fragment, &layout, &error) != MAPPING_OK)
        return;
    const uint32_t tile = fragment->rows * cols;
    uint32_t *entry = unknown(count); /* the entry of the layout, by copy and element of the tile */
    uint32_t *copy = memory_get(count, sizeof *copy);
    uint32_t *of_i = unknown(elements), *of_lane = unknown(threads);
    uint32_t *of_address = unknown((size_t)elements / packed * 8 + 8);
    const uint32_t *const *at = (const uint32_t *const *)layout.coordinate;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t e = at[0][n] * cols + at[1][n];
        while (copy[n] + 1 < count / tile && entry[copy[n] * tile + e] != UINT32_MAX)
            copy[n]++;
        entry[copy[n] * tile + e] = n;
    }
    /* ldmatrix reads rows of 16 bytes. Each thread gets 4 bytes along K, or across K with .trans,
     * which transposes 8 x 8 blocks. wmma.load transposes the whole tile. */
    const unsigned line = of->is_column_major, chunk = 4 * packed, block = is_wmma ? cols : 8;
    const bool is_across = line == (reader->role == PROBE_A);
    bool by_i = true, by_lane = true,
         is_transposed = is_wmma ? fragment->rows == cols : packed == 2;
    bool by_address =
        reader->role != PROBE_D && !is_wmma && packed > 1 && (packed == 2 || !is_across);
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t first = entry[at[0][n] * cols + at[1][n]];
        const uint32_t is = entry[copy[n] * tile + map[at[0][n] * cols + at[1][n]]];
        if (first != n && first / elements == n / elements) /* the thread already has this
                                                               element */
            continue;
        const uint32_t i = n % elements, to = is % elements;
        const uint32_t lane = n / elements, from = is / elements;
        const uint32_t address = i / packed * 8 + at[line][n] % 8;
        by_i = by_i && lane == from && agree(&of_i[i], to);
        by_lane = by_lane && i == to && agree(&of_lane[lane], from);
        by_address = by_address && lane / 32 == from / 32 &&
                     at[!line][n] % chunk == at[!line][is] % chunk &&
                     agree(&of_address[address], to / packed * 8 + at[line][is] % 8);
        is_transposed = is_transposed && at[0][n] % block == at[1][is] % block &&
                        at[1][n] % block == at[0][is] % block &&
                        (is_wmma || (lane / 32 == from / 32 && i / packed == to / packed));
    }
    keep_unknown(of_i, elements);
    keep_unknown(of_lane, threads);
    struct words words = of_lanes;
    words.unit = threads == 32 ? "lane" : "thread";
    if (by_i)
        say_elements(reader, of_i, elements, packed);
    if (by_lane)
        say(reader, &words, of_lane, threads);
    if (by_address && elements / packed <= 4)
        say(reader, &of_addresses, of_address, elements / packed * 8);
    struct printer text = {.text = NULL};
    if (is_transposed && is_wmma) {
        print(&text, "as if wmma.%s had .%s instead of .%s for %s",
              reader->role == PROBE_D ? "store" : "load", line == 0 ? "col" : "row",
              line == 0 ? "row" : "col", probe_role_name(reader->role));
        add(reader, &text);
    } else if (is_transposed && reader->role != PROBE_D) {
        print(&text, "as if ldmatrix %s .trans for %s", is_across ? "lacked" : "had",
              probe_role_name(reader->role));
        add(reader, &text);
    }
    mapping_layout_free(&layout);
}

/* ---- Instructions ---- */

static bool find_partial(const char *name, struct mapping_partial *partial) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    if (mapping_catalogue_find(name, found) > 0)
        *partial =
            (struct mapping_partial){.instruction = found->instruction, .shape = found->shape};
    else if (!mapping_partial_read(name, partial))
        return false;
    partial->has_operand = false;
    partial->types = 0;
    partial->variant = NULL;
    return true;
}

/* True if a fragment can be an operand of the problem. If an instruction is given, the fragment
 * must be one of its fragments. */
static bool may_be(const struct problem *problem, const struct mapping_partial *asked,
                   enum probe_role role, const struct mapping_fragment *fragment) {
    static const enum mapping_operand operands[] = {MAPPING_A, MAPPING_B, MAPPING_D};
    const enum mapping_type a = problem->operand[PROBE_A].type;
    struct mapping_fragment other = *fragment;
    bool has_a = false;
    if (fragment->operand != operands[role] || fragment->place != MAPPING_IN_REGISTERS ||
        fragment->type != (role == PROBE_D ? problem->accumulator : problem->operand[role].type) ||
        fragment->blocks != 1 || mapping_instruction_is_sparse(fragment->instruction) ||
        !fragment->bases ||
        !(asked ? mapping_partial_fits(asked, fragment)
                : fragment->rows <= problem->operand[role].rows &&
                      fragment->cols <= problem->operand[role].cols &&
                      (fragment->instruction == MAPPING_MMA ||
                       (fragment->instruction == MAPPING_WGMMA && fragment->shape.n == 8))))
        return false;
    other.operand = MAPPING_A;
    other.type = a;
    for (enum mapping_order order = 0; order <= MAPPING_COL_MAJOR && !has_a; order++) {
        other.order = order;
        has_a = mapping_fragment_find(&other, 0, &other);
    }
    return has_a;
}

enum mapping_status problem_instruction(const struct problem *problem,
                                        struct mapping_error *error) {
    struct mapping_partial asked;
    struct mapping_fragment fragment;
    struct mapping_cursor cursor = {0};
    const char *name = problem->instruction;
    if (!find_partial(name, &asked))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.60s' is no instruction of tensor cores; try mma.m16n8k16", name);
    while (mapping_catalogue_next(&cursor, &fragment))
        for (enum probe_role r = 0; r <= PROBE_D; r++)
            if (may_be(problem, &asked, r, &fragment))
                return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.60s' has no dense A, B or D in registers of the types of this product",
                        name);
}

/* A fragment that the kernel may use. Its layout is that of sm_70 or sm_72, or of all
 * architectures. */
struct candidate {
    struct mapping_fragment fragment;
    unsigned arch; /* 70, 72, or 0 for all */
};

/* Finds the layout of a fragment on an old architecture. False if it is the same as on later ones,
 * or is for the other order in memory. */
static bool find_old(const struct operand_memory *of, const struct mapping_fragment *fragment,
                     unsigned arch, struct candidate *old) {
    const bool is_column_major = fragment->order == MAPPING_COL_MAJOR;
    const bool has_order = fragment->operand == MAPPING_A || fragment->operand == MAPPING_B;
    *old = (struct candidate){.arch = arch};
    return fragment->instruction == MAPPING_WMMA &&
           (!has_order || is_column_major == of->is_column_major) &&
           mapping_fragment_find(fragment, arch, &old->fragment) && old->fragment.bases &&
           strcmp(old->fragment.bases, fragment->bases) != 0;
}

static void read_fragments(struct reader *reader) {
    static const unsigned archs[] = {70, 72};
    struct mapping_partial asked;
    struct mapping_fragment fragment;
    struct mapping_cursor cursor = {0};
    struct candidate *fit = NULL, old;
    size_t count = 0, capacity = 0;
    const bool is_asked =
        reader->problem->instruction && find_partial(reader->problem->instruction, &asked);
    while (mapping_catalogue_next(&cursor, &fragment)) {
        if (!may_be(reader->problem, is_asked ? &asked : NULL, reader->role, &fragment))
            continue;
        const char *bases = "";
        for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
            if (find_old(&reader->problem->operand[reader->role], &fragment, archs[a], &old) &&
                strcmp(old.fragment.bases, bases) != 0) {
                bases = old.fragment.bases;
                fit = array_grow(fit, count, 1, &capacity, sizeof *fit);
                fit[count++] = old;
            }
        fit = array_grow(fit, count, 1, &capacity, sizeof *fit);
        fit[count++] = (struct candidate){.fragment = fragment};
    }
    for (enum mapping_instruction which = 0; which < MAPPING_INSTRUCTIONS; which++)
        for (size_t f = count; f-- > 0;) { /* the larger fragments come first */
            char name[MAPPING_NAME_SIZE];
            struct printer instruction = {.text = NULL};
            if (fit[f].fragment.instruction != which)
                continue;
            mapping_fragment_name(&fit[f].fragment, name);
            print(&instruction, " (%.*s", (int)(strchr(strchr(name, '.') + 1, '.') - name), name);
            if (fit[f].arch != 0)
                print(&instruction, " on sm_%u", fit[f].arch);
            print_char(&instruction, ')');
            reader->instruction = printer_string(&instruction);
            read_fragment(reader, &fit[f].fragment);
        }
}

/* ---- Memory ---- */

/* Sets *bits so that the kernel reads at ^ bits in place of `at`, along an axis, within a line.
 * False if there are no such bits, or if other lines are read. */
static bool find_bits(const struct reader *reader, unsigned axis, uint32_t line, uint32_t *bits) {
    const struct operand_memory *of = &reader->problem->operand[reader->role];
    for (uint32_t x = 0; x < (axis == 0 ? of->rows : of->cols); x = 2 * x + 1) {
        uint32_t at[2], from[2] = {0, 0};
        at[axis] = x;
        at[!axis] = line;
        reader->move(reader->context, at, from);
        *bits = x == 0 ? from[axis] : *bits;
        if (from[!axis] != line || from[axis] != (x ^ *bits))
            return false;
    }
    return true;
}

/* Adds causes that do not depend on an instruction: exchanged elements of words, exchanged blocks
 * of rows, columns or stages of K, and a swizzle that differs on both sides of shared memory. */
static void read_memory(const struct reader *reader, unsigned axis) {
    enum { BITS = 32, LINES = 64 };
    const struct operand_memory *of = &reader->problem->operand[reader->role];
    const char *role = probe_role_name(reader->role);
    const uint32_t size = axis == 0 ? of->rows : of->cols, lines = axis == 0 ? of->cols : of->rows;
    const unsigned bits = number_bits(of->type), in_chunk = 128 / bits, in_word = 32 / bits;
    const bool is_inner = (axis == 0) == of->is_column_major;
    const bool is_k = reader->problem->op == PROBE_GEMM && reader->role != PROBE_D &&
                      (axis == 1) == (reader->role == PROBE_A);
    uint32_t first = 0, change[BITS] = {0}, is = 0, any = 0;
    struct printer text = {.text = NULL};
    if (!find_bits(reader, axis, 0, &first))
        return;
    for (uint32_t b = 0; lines >> b > 1; b++) {
        if (!find_bits(reader, axis, 1U << b, &change[b]))
            return;
        any |= change[b] ^= first;
    }
    for (uint32_t line = 1; line < lines && line < LINES; line++) {
        uint32_t sum = first;
        for (uint32_t b = 0; line >> b != 0; b++)
            sum ^= (line >> b & 1) * change[b];
        if (!find_bits(reader, axis, line, &is) || is != sum)
            return;
    }
    const uint32_t block = first & -first;
    unsigned width = 0, b = 0;
    while (b < BITS && change[b] == 0)
        b++;
    while (b < BITS && change[b] == in_chunk << width)
        b++, width++;
    while (b < BITS && change[b] == 0)
        b++;
    if (any == 0 && first != 0 && first < in_word && is_inner) {
        print(&text, "as if the %s of %s were %s",
              bits == 4 && first == 1 ? "nibbles of each byte"
              : bits == 4             ? "nibbles of each word"
              : bits == 8             ? "bytes of each word"
                                      : "halves of each word",
              role, first + 1 == in_word && bits < 16 ? "in reverse order" : "exchanged");
    } else if (any == 0 && block >= 16) {
        if (is_k && 2 * first == size)
            print(&text, "as if the halves of K were exchanged in %s", role);
        else if (is_k)
            print(&text, "as if stages of %u k were exchanged in %s", block, role);
        else
            print(&text, "as if blocks of %u %s of %s were exchanged between %s", block,
                  axis == 0 ? "rows" : "columns", role, block < 64 ? "warps" : "warpgroups");
        if (first != block)
            print(&text, ", n with n ^ %u", first / block);
    } else if (any != 0 && first == 0 && is_inner && any % in_chunk == 0) {
        if (b == BITS && width > 0 && width <= 3)
            print(&text, "as if %s had a swizzle of %u bytes on only one side of shared memory",
                  role, 16U << width);
        else
            print(&text, "as if %s had different swizzles on both sides of shared memory", role);
    }
    if (text.size > 0)
        add(reader, &text);
}

/* Adds the number of elements of an operand that never reach D. */
static void read_unread(const struct reader *reader) {
    enum { ELEMENTS_MAX = 1 << 20 };
    const struct operand_memory *of = &reader->problem->operand[reader->role];
    const size_t total = (size_t)of->rows * of->cols;
    struct printer text = {.text = NULL};
    size_t unread = total;
    unsigned char *is_read = memory_get(total, 1);
    for (size_t e = 0; e < total && total <= ELEMENTS_MAX; e++) {
        const uint32_t at[2] = {(uint32_t)(e / of->cols), (uint32_t)(e % of->cols)};
        uint32_t from[2] = {0, 0};
        reader->move(reader->context, at, from);
        if (from[0] >= of->rows || from[1] >= of->cols)
            continue;
        unread -= !is_read[(size_t)from[0] * of->cols + from[1]];
        is_read[(size_t)from[0] * of->cols + from[1]] = 1;
    }
    print(&text, "%zu of %zu elements of %s never reach D", unread, total,
          probe_role_name(reader->role));
    if (unread > 0 && total <= ELEMENTS_MAX)
        add(reader, &text);
}

/* Sets reader->first. */
static void find_first(struct reader *reader) {
    const struct operand_memory *of = &reader->problem->operand[reader->role];
    uint32_t at[2], from[2];
    for (at[0] = 0; at[0] < of->rows; at[0]++)
        for (at[1] = 0; at[1] < of->cols; at[1]++) {
            reader->move(reader->context, at, from);
            if (memcmp(at, from, sizeof at) != 0) {
                memcpy(reader->first, at, sizeof at);
                return;
            }
        }
}

void causes_add(struct finding *finding, const struct problem *problem, enum probe_role role,
                bool is_everywhere, mover *move, const void *context) {
    struct reader reader = {finding, problem, role, move, context, "", {0, 0}};
    find_first(&reader);
    for (unsigned axis = 0; axis < 2; axis++)
        read_memory(&reader, axis);
    if (problem->op == PROBE_GEMM && role != PROBE_D && is_everywhere)
        read_unread(&reader);
    if (problem->op == PROBE_GEMM)
        read_fragments(&reader);
}
