/* notation.c - matrices in memory in CuTe's notation; see memory.h.
 *
 *     [Sw<B,M,S> o] [OFFSET o | smem_ptr[BITSb](...) o] SHAPE[:STRIDE]
 *
 * is what CuTe prints (operator<< and print of layout.hpp, swizzle.hpp, layout_composed.hpp and
 * pointer_flagged.hpp; its Python DSL prints S<B,M,S>). The type that C++ has for a layout,
 *
 *     ComposedLayout<Swizzle<B,M,S>, _OFFSET | smem_ptr_flag_bits<BITS>, Layout<Shape<...>,...>>
 *
 * means the same, and so does code that makes it: composition(...), make_composed_layout(...). */
#include "layout/cute.h"
#include "layout/memory_parts.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is read ---- */

/* A layout, with all that stands before it. */
struct notation {
    struct mapping_cute cute; /* its axes are those of the table: [stage,] row, col */
    bool is_of_bytes;         /* the swizzle applies to byte addresses, else to offsets */
    uint32_t bits;            /* of an element */
    bool is_in_bits; /* the layout is of bits, and is to be divided by those of an element */
    uint32_t offset; /* added before swizzling */
};

/* A text that is being read. */
struct cursor {
    const char *start, *next;
    struct mapping_error *error;
};

/* Refuses a text because of what stands at a place in it. Returns false, as all readers do that
 * refuse a text. */
static bool refuse(const struct cursor *cursor, const char *place, const char *reason) {
    if (*place)
        mapping_fail(cursor->error, MAPPING_INVALID,
                     "'%.200s' is not a valid layout: at character %zu, '%.24s': %s", cursor->start,
                     (size_t)(place - cursor->start) + 1, place, reason);
    else
        mapping_fail(cursor->error, MAPPING_INVALID,
                     "'%.200s' is not a valid layout: %s at the end", cursor->start, reason);
    return false;
}

/* Skips blanks and scopes, and reads one word of a list with blanks between. */
static bool accept(struct cursor *cursor, const char *words) {
    const char *behind = mapping_behind_word(cursor->next, words);
    cursor->next = behind ? behind : mapping_skip_scopes(cursor->next);
    return behind;
}

/* Reads `word`, or refuses the text. */
static bool expect(struct cursor *cursor, const char *word, const char *reason) {
    return accept(cursor, word) || refuse(cursor, cursor->next, reason);
}

/* Reads the "o" between two functions, with or without blanks around it. */
static bool expect_circle(struct cursor *cursor) {
    return expect(cursor, "o", "' o ' and a layout are missing");
}

/* Reads a number of at most 8 digits: "8", "_8"; also "-8" if it may be negative. */
static bool accept_number(struct cursor *cursor, bool is_signed, int *number) {
    cursor->next = mapping_skip_scopes(cursor->next);
    const char *text = cursor->next + (*cursor->next == '_');
    bool is_negative = is_signed && *text == '-';
    text += is_negative;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 8)
        return false;
    *number = (int)strtol(text, NULL, 10) * (is_negative ? -1 : 1);
    cursor->next = text + digits;
    return true;
}

/* The words with which a swizzle begins. */
#define SWIZZLES "Swizzle< Sw< S< make_swizzle("

/* Reads what follows "Sw<" or "make_swizzle(". A missing shift equals the number of bits, as in
 * C++. Refuses a swizzle that does not compile as CuTe's Swizzle, or that needs more than 31 bits.
 */
static bool read_swizzle(struct cursor *cursor, struct mapping_swizzle *swizzle) {
    const char *const end = cursor->next[-1] == '(' ? ")" : ">";
    if (!accept_number(cursor, false, &swizzle->bits))
        return refuse(cursor, cursor->next, "the number of bits of a swizzle is missing");
    if (!accept(cursor, ",") || !accept_number(cursor, false, &swizzle->base))
        return refuse(cursor, cursor->next, "the base of a swizzle is missing");
    swizzle->shift = swizzle->bits;
    if (accept(cursor, ",") && !accept_number(cursor, true, &swizzle->shift))
        return refuse(cursor, cursor->next, "the shift of a swizzle is missing");
    if (!expect(cursor, end, "a swizzle is not closed"))
        return false;
    accept(cursor, "{}");
    const int distance = abs(swizzle->shift), bits = swizzle->bits + swizzle->base + distance;
    if (distance < swizzle->bits)
        mapping_fail(cursor->error, MAPPING_INVALID,
                     "Sw<%d,%d,%d> would XOR bits with themselves: its shift is %d, but must be at "
                     "least its number of bits, %d",
                     swizzle->bits, swizzle->base, swizzle->shift, distance, swizzle->bits);
    else if (bits > 31)
        mapping_fail(cursor->error, MAPPING_INVALID,
                     "Sw<%d,%d,%d> needs %d bits, but an offset has 31: B + M + |S| must be at "
                     "most 31",
                     swizzle->bits, swizzle->base, swizzle->shift, bits);
    return distance >= swizzle->bits && bits <= 31;
}

static void append_modes(struct mapping_modes *to, const struct mapping_modes *from) {
    for (uint32_t m = 0; m < from->count; m++) {
        to->shape[to->count] = from->shape[m];
        to->stride[to->count++] = from->stride[m];
    }
}

/* Reads the layout itself. A single mode makes a matrix of one row; a third one numbers stages. The
 * layouts that CuTe's partition_A and tile_to_mma_shape make for wgmma and tcgen05.mma have the
 * rows and columns of an instruction in their first mode, and how often they repeat in the next
 * two: ((_128,_16),_1,_4,_3):((_64,_1),_0,_16,_8192) is 128 x 64 with 3 stages. */
static bool read_modes(struct cursor *cursor, struct notation *notation) {
    struct mapping_modes_fault fault;
    struct mapping_modes mode[4] = {{.count = 0}};
    unsigned rank;
    const char *rest = mapping_modes_read(cursor->next, mode, 4, &rank, &fault);
    if (!rest)
        return refuse(cursor, fault.place, fault.reason);
    if (mode[0].count == 2 && (rank == 4 || (rank == 3 && mapping_modes_size(&mode[1]) == 1))) {
        struct mapping_modes parts[2];
        for (int a = 0; a < 2; a++) {
            parts[a] = (struct mapping_modes){1, {mode[0].shape[a]}, {mode[0].stride[a]}};
            append_modes(&parts[a], &mode[1 + a]);
        }
        mode[0] = parts[0];
        mode[1] = parts[1];
        mode[2] = mode[3];
        rank--;
    } else if (rank == 4) {
        return refuse(cursor, cursor->next, "there are too many modes");
    }
    cursor->next = rest;
    const struct mapping_modes one = {.count = 0};
    notation->cute.count = rank > 2 ? 3 : 2;
    notation->cute.axis[0] = rank > 2 ? mode[2] : rank > 1 ? mode[0] : one;
    notation->cute.axis[1] = rank == 2 ? mode[1] : mode[0];
    notation->cute.axis[2] = mode[1];
    return true;
}

/* ---- As CuTe prints it ---- */

/* Reads what follows "smem_ptr": "[16b](unset)", or "_16b(unset)" as earlier versions printed. */
static bool read_pointer(struct cursor *cursor, struct notation *notation) {
    int bits = 0;
    const char *place = cursor->next;
    bool has_bracket = accept(cursor, "[");
    if ((!has_bracket && *cursor->next != '_') || !accept_number(cursor, false, &bits) ||
        !accept(cursor, "b") || (has_bracket && !accept(cursor, "]")))
        return refuse(cursor, place, "expected [16b] after smem_ptr");
    if (bits < 1 || bits > MEMORY_BITS_MAX)
        return refuse(cursor, place, "an element must have 1 to 128 bits");
    cursor->next = mapping_skip_scopes(cursor->next);
    const char *rest = mapping_behind_parentheses(cursor->next);
    if (!rest)
        return refuse(cursor, cursor->next,
                      "an address in parentheses, such as (unset), is missing");
    cursor->next = rest;
    notation->is_of_bytes = true;
    notation->bits = (uint32_t)bits;
    return expect_circle(cursor);
}

/* Pointers to registers or anything, to global memory, and to Tensor Memory. */
#define OTHER_POINTERS "ptr[ gmem_ptr[ tmem_["

static bool read_printed(struct cursor *cursor, struct notation *notation) {
    if (mapping_behind_word(cursor->next, OTHER_POINTERS))
        return refuse(cursor, cursor->next,
                      "this pointer is not one to shared memory; to see the layout as if it were, "
                      "leave the pointer out");
    if (accept(cursor, SWIZZLES)) {
        if (!read_swizzle(cursor, &notation->cute.swizzle))
            return false;
        /* A pointer that is swizzled is printed as "Sw<3,4,3>_smem_ptr[16b](0x7f00)". */
        if (strncmp(cursor->next, "_smem_ptr", 9) == 0)
            cursor->next++;
        else if (!expect_circle(cursor))
            return false;
    }
    struct cursor ahead = *cursor; /* a number may also begin the layout */
    int offset;
    if (accept(cursor, "smem_ptr")) {
        if (!read_pointer(cursor, notation))
            return false;
    } else if (accept_number(&ahead, false, &offset) && accept(&ahead, "o")) {
        notation->offset = (uint32_t)offset;
        cursor->next = ahead.next;
    }
    return read_modes(cursor, notation);
}

/* ---- As C++ has its type ---- */

/* Reads the offset, "_0" or "smem_ptr_flag_bits<16>"; "smem_ptr_flag" is that of single bits, of
 * which CUTLASS makes layouts of all types. */
static bool read_offset_type(struct cursor *cursor, struct notation *notation) {
    int number = 0;
    if (accept(cursor, "smem_ptr_flag_bits<")) {
        const char *place = cursor->next;
        if (!accept_number(cursor, false, &number))
            return refuse(cursor, place, "expected the number of bits of an element, 1 to 128");
        if (number < 1 || number > MEMORY_BITS_MAX || !accept(cursor, ">"))
            return refuse(cursor, place, "an element must have 1 to 128 bits");
        notation->bits = (uint32_t)number;
        notation->is_of_bytes = true;
        accept(cursor, "{}");
        return true;
    }
    if (accept(cursor, "smem_ptr_flag")) {
        notation->is_in_bits = notation->is_of_bytes = true;
        accept(cursor, "{}");
        return true;
    }
    const bool is_constant = accept(cursor, "C< Int<");
    if (!accept_number(cursor, false, &number) || (is_constant && !accept(cursor, ">")))
        return refuse(cursor, cursor->next, "an offset is missing");
    accept(cursor, "{}");
    notation->offset = (uint32_t)number;
    return true;
}

/* Reads what follows "ComposedLayout<", which ends with ">", or "composition(" or
 * "make_composed_layout(", which end with ")" and need no offset. */
static bool read_composed(struct cursor *cursor, struct notation *notation, const char *end) {
    if (!expect(cursor, SWIZZLES, "Swizzle<B,M,S> is missing") ||
        !read_swizzle(cursor, &notation->cute.swizzle) ||
        !expect(cursor, ",", *end == '>' ? "an offset is missing" : "Layout<...> is missing"))
        return false;
    const bool has_offset = *end == '>' || !mapping_behind_word(cursor->next, MAPPING_LAYOUTS);
    if (has_offset && !read_offset_type(cursor, notation))
        return false;
    if ((has_offset && !accept(cursor, ",")) || !mapping_behind_word(cursor->next, MAPPING_LAYOUTS))
        return refuse(cursor, cursor->next, "Layout<...> is missing");
    return read_modes(cursor, notation) &&
           expect(cursor, end, *end == '>' ? "a '>' is missing" : "a ')' is missing");
}

/* ---- To a table ---- */

/* Converts a swizzle of byte addresses to one of element offsets: an element of 2^n bits has
 * 2^(n - 3) bytes, so the base is n - 3 less. (CuTe's recast_layout of a Swizzle.) */
static enum mapping_status convert_to_elements(struct mapping_swizzle *swizzle, uint32_t bits,
                                               struct mapping_error *error) {
    const int log2_bits = __builtin_ctz(bits);
    if (swizzle->bits == 0)
        return MAPPING_OK;
    if (1U << log2_bits != bits)
        return mapping_fail(error, MAPPING_INVALID,
                            "a swizzle of byte addresses needs elements of 1, 2, 4, 8, 16, 32, 64 "
                            "or 128 bits, not %u",
                            bits);
    if (swizzle->base + 3 < log2_bits)
        return mapping_fail(error, MAPPING_INVALID,
                            "Sw<%d,%d,%d> of byte addresses moves units of %u bits, which splits "
                            "elements of %u bits",
                            swizzle->bits, swizzle->base, swizzle->shift, 8U << swizzle->base,
                            bits);
    swizzle->base += 3 - log2_bits;
    return MAPPING_OK;
}

/* Counts the elements that share an offset because a mode beside others has stride 0, as in the
 * scale factors of CUTLASS, ((32,4),(16,4)):((16,4),(0,1)). A whole row or column of stride 0 is
 * taken for an error, and so is a matrix of one row. */
static uint32_t count_repeats(const struct mapping_cute *cute) {
    uint32_t repeats = 1;
    for (uint32_t a = 0; a < cute->count; a++) {
        uint32_t zeros = 1, others = 0;
        for (uint32_t m = 0; m < cute->axis[a].count; m++)
            if (cute->axis[a].stride[m] == 0)
                zeros *= cute->axis[a].shape[m];
            else
                others += cute->axis[a].shape[m] > 1;
        repeats *= others > 0 ? zeros : 1;
    }
    return mapping_modes_size(&cute->axis[cute->count - 2]) > 1 ? repeats : 1;
}

/* Divides a layout of bits by those of an element: CuTe's upcast. */
static bool upcast(struct mapping_cute *cute, uint32_t bits) {
    for (uint32_t a = 0; a < cute->count; a++)
        for (uint32_t m = 0; m < cute->axis[a].count; m++) {
            uint32_t *shape = &cute->axis[a].shape[m], *stride = &cute->axis[a].stride[m];
            const uint32_t step = *stride ? *stride : bits; /* of a mode that repeats */
            if (step % bits == 0) {
                *stride /= bits;
            } else if (bits % step == 0 && *shape % (bits / step) == 0) {
                *shape /= bits / step;
                *stride = 1;
            } else {
                return false;
            }
        }
    return true;
}

/* Checks that offsets fit into 31 bits, and that the swizzle reads a bit that the offsets of the
 * layout have. If they lack others that it reads, the note says so. */
static enum mapping_status check_width(const struct notation *notation,
                                       struct mapping_memory *memory, struct mapping_error *error) {
    const struct mapping_swizzle *swizzle = &notation->cute.swizzle;
    const int lowest = swizzle->base + (swizzle->shift > 0 ? swizzle->shift : 0);
    const int highest = lowest + swizzle->bits - 1;
    uint64_t largest = notation->offset; /* before it is swizzled */
    int bits = 0;
    for (uint32_t a = 0; a < notation->cute.count; a++) {
        const struct mapping_modes *modes = &notation->cute.axis[a];
        for (uint32_t m = 0; m < modes->count; m++)
            largest += (uint64_t)(modes->shape[m] - 1) * modes->stride[m];
    }
    while (largest >> bits)
        bits++;
    if (largest > INT32_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "the largest offset is %llu, but must be less than 2^31",
                            (unsigned long long)largest);
    if (swizzle->bits == 0 || highest < bits)
        return MAPPING_OK;
    /* A swizzle of byte addresses reads lower bits: those of 16-bit elements are one lower. */
    char as_bytes[96] = "";
    const uint32_t size = notation->bits;
    const int log2_bytes = __builtin_ctz(size) - 3;
    if (!notation->is_of_bytes && (size & (size - 1)) == 0 && log2_bytes > 0 &&
        swizzle->base >= log2_bytes && lowest - log2_bytes < bits)
        snprintf(as_bytes, sizeof as_bytes,
                 "for a swizzle of byte addresses, write 'o smem_ptr[%ub](unset) o' behind it",
                 size);
    if (lowest >= bits)
        return mapping_fail(
            error, MAPPING_INVALID,
            "Sw<%d,%d,%d> reads bits up to bit %d of the element offset, but the largest offset of "
            "the layout, %llu, has only bits 0 to %d; use a smaller swizzle%s%s",
            swizzle->bits, swizzle->base, swizzle->shift, highest, (unsigned long long)largest,
            bits - 1, *as_bytes ? "; " : "", as_bytes);
    *memory->note = '\0';
    mapping_append(
        memory->note, sizeof memory->note,
        "the swizzle reads bits %d to %d of the element offset, which has bits 0 to %d%s%s", lowest,
        highest, bits - 1, *as_bytes ? "; " : "", as_bytes);
    return MAPPING_OK;
}

static enum mapping_status check_extent(const struct mapping_memory_request *request,
                                        const struct mapping_cute *cute,
                                        struct mapping_error *error) {
    const uint32_t rows = mapping_modes_size(&cute->axis[cute->count - 2]);
    const uint32_t cols = mapping_modes_size(&cute->axis[cute->count - 1]);
    if (request->extent[0] && (request->extent[0] != rows || request->extent[1] != cols))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.200s' has a fixed extent of %u x %u, not %u x %u", request->text,
                            rows, cols, request->extent[0], request->extent[1]);
    return MAPPING_OK;
}

/* ---- The grid of print_layout ----
 *
 * (2,3):(3,1)
 *        0   1   2
 *     +---+---+---+
 *  0  | 0 | 1 | 2 |
 *     +---+---+---+
 *  1  | 3 | 4 | 5 |
 *     +---+---+---+
 */

const char *mapping_memory_grid(const char *text) {
    const char *grid = text + strlen(text);
    while (grid > text && strchr(" \t\r\n0123456789+-|", grid[-1]))
        grid--;
    grid += strspn(grid, "0123456789"); /* the stride of "32:1" */
    return strchr(grid, '+') && strchr(grid, '|') ? grid : NULL;
}

/* True if the grid has the offsets of the layout, below the numbers of its columns and beside those
 * of its rows. */
static bool has_grid(const struct mapping_layout *layout, const char *grid) {
    const struct mapping_space *from = &layout->from;
    const uint32_t rows = from->axis[0].size, cols = from->axis[1].size;
    bool is_same = from->count == 2;
    for (uint32_t row = 0; row <= rows && is_same; row++)
        for (uint32_t col = row == 0; col <= cols && is_same; col++) {
            const uint32_t right = row == 0   ? col - 1
                                   : col == 0 ? row - 1
                                              : layout->coordinate[0][(row - 1) * cols + col - 1];
            grid += strcspn(grid, "0123456789");
            char *end = NULL;
            is_same = *grid && strtoul(grid, &end, 10) == right;
            grid = end ? end : grid;
        }
    return is_same && !grid[strcspn(grid, "0123456789")];
}

#define COMPOSITIONS "composition( make_composed_layout("

static bool is_meant(const char *text) {
    if (mapping_behind_word(text,
                            SWIZZLES " " OTHER_POINTERS " smem_ptr ComposedLayout< " COMPOSITIONS
                                     " " MAPPING_LAYOUTS))
        return true;
    struct cursor cursor = {.next = text};
    int number;
    if (accept_number(&cursor, false, &number)) /* "3 o (2,2)", "32:1" */
        return mapping_behind_word(cursor.next, ":") ||
               (accept(&cursor, "o") && mapping_behind_word(cursor.next, "("));
    text = mapping_skip_scopes(text);
    return *text == '(' && text[1] && strchr("0123456789_( -CI?", text[1]);
}

static enum mapping_status make_table(const struct mapping_memory_request *request,
                                      struct mapping_memory *memory, struct mapping_error *error) {
    struct cursor cursor = {request->text, request->text, error};
    struct notation notation = {.bits = memory->bits};
    if (!(accept(&cursor, "ComposedLayout<") ? read_composed(&cursor, &notation, ">")
          : accept(&cursor, COMPOSITIONS)    ? read_composed(&cursor, &notation, ")")
                                             : read_printed(&cursor, &notation)))
        return MAPPING_INVALID;
    accept(&cursor, "{}");
    accept(&cursor, ";");
    cursor.next = mapping_skip_scopes(cursor.next);
    const char *const grid = mapping_memory_grid(request->text);
    if (*cursor.next && (!grid || cursor.next < grid)) {
        refuse(&cursor, cursor.next, "unexpected text");
        return MAPPING_INVALID;
    }
    if (notation.is_in_bits)
        notation.bits = request->bits         ? request->bits
                        : request->usual_bits ? request->usual_bits
                                              : 1;
    memory->bits = notation.bits;
    if (notation.is_in_bits && !upcast(&notation.cute, notation.bits))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.200s' is a layout of bits, whose shapes and strides do not divide "
                            "into elements of %u bits",
                            request->text, notation.bits);
    enum mapping_status status =
        notation.is_of_bytes ? convert_to_elements(&notation.cute.swizzle, notation.bits, error)
                             : MAPPING_OK;
    const uint32_t repeats = count_repeats(&notation.cute);
    if (repeats > 1) {
        memory->repeats = repeats;
        snprintf(memory->note, sizeof memory->note,
                 "%u elements share each offset, because modes have stride 0", repeats);
    }
    if (status == MAPPING_OK)
        status = check_width(&notation, memory, error);
    if (status == MAPPING_OK)
        status = check_extent(request, &notation.cute, error);
    if (status == MAPPING_OK)
        status = mapping_memory_fill(memory, &notation.cute, notation.offset, error);
    if (status == MAPPING_OK && grid && !has_grid(&memory->layout, grid))
        status = mapping_fail(error, MAPPING_INVALID,
                              "the grid behind the layout has other offsets than the layout");
    return status;
}

const struct mapping_memory_reader mapping_notation_reader = {is_meant, make_table};
