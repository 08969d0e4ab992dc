/* notation.c - parses matrices in memory in CuTe's notation; see matrix.h. CuTe prints
 *
 *     [POINTER o] [Sw<B,M,S> o] [OFFSET o | smem_ptr[BITSb](...) o] SHAPE[:STRIDE]
 *
 * (operator<< and print of layout.hpp, swizzle.hpp, layout_composed.hpp, pointer.hpp and
 * pointer_flagged.hpp). Its Python DSL prints S<B,M,S>, and tensors as
 *
 *     tensor<ptr<f16, smem, align<128>, S<3,4,3>> o (64,64):(64,1)>               print(t)
 *     raw_ptr(0x7f.. : f16, smem, align<128>) o (64,64):(64,1) = ( ... )          cute.printf(t)
 *     tensor(raw_ptr(...) o (64,64):(64,1), data= ...)                            print_tensor(t)
 *
 * Its MLIR dumps contain !cute.memref<f16, smem, align<128>, S<3,4,3>, "(64,64):(64,1)">. A name
 * such as "tCsA: " may precede each of these. C++ types have the same meaning:
 *
 *     ComposedLayout<Swizzle<B,M,S>, _OFFSET | smem_ptr_flag_bits<BITS>, Layout<Shape<...>,...>>
 *
 * Code that makes a layout is parsed, too: composition(...), make_composed_layout(...), and, in the
 * Python package tensor-layouts, ComposedLayout(Swizzle(B, M, S), Layout(...), offset=OFFSET). That
 * package prints (Swizzle(B, M, S)) o {OFFSET} o (SHAPE : STRIDE).
 *
 * tile_to_shape(ATOM, SHAPE, ORDER) repeats a layout or an atom of canonical.c. */
#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/sentence.h"
#include "layout/triton_text.h"
#include "smem/matrix_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The parsed layout ---- */

/* A layout, with everything that the text states before it. */
struct notation {
    struct mapping_cute cute; /* its axes are those of the table: [stage,] row, col */
    bool is_of_bytes;         /* the swizzle applies to byte addresses, else to offsets */
    bool is_canonical;        /* the text names the atom as in canonical.c */
    uint32_t bits;            /* the size of an element */
    char type[24];            /* the type of a typed pointer; or "" */
    bool is_in_bits;          /* offsets count bits, not elements */
    uint32_t offset;          /* added before swizzling */
    bool is_elsewhere;        /* the pointer does not point to shared memory */
    uint64_t address;         /* the address of the pointer, or 0 */
};

/* A text that is being read. */
struct cursor {
    const char *start, *next;
    struct mapping_error *error;
};

/* Refuses a text because of a word at `place`. Returns false, as readers do. */
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

/* Skips blanks and scopes, and reads one word out of a list of words separated by blanks. */
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

/* The words with which a swizzle begins; the last one is from tensor-layouts. */
#define SWIZZLES "Swizzle< Sw< S< make_swizzle( Swizzle("

/* Reads what follows "Sw<" or "make_swizzle(". A missing shift equals the number of bits, as in
 * C++. Refuses a swizzle that CuTe does not compile, or that needs more than 31 bits. */
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

/* Modes: those of an instruction, its repeats along both axes, and two that number stages. */
enum { RANK_MAX = 5 };

static void append_modes(struct mapping_modes *to, const struct mapping_modes *from) {
    for (uint32_t m = 0; m < from->count; m++) {
        to->shape[to->count] = from->shape[m];
        to->stride[to->count++] = from->stride[m];
    }
}

/* The number of modes for the rows of an instruction, if the first mode consists of its rows and
 * columns: 1 for ((_64,(_8,_2)),_2,_4). 0 if the first mode does not have two parts. */
static uint32_t rows_of_instruction(const char *text) {
    struct mapping_modes_fault fault;
    struct mapping_modes mode[RANK_MAX] = {{.count = 0}};
    unsigned rank = 0;
    const char *layout = mapping_behind_word(text, MAPPING_LAYOUTS);
    const char *first = mapping_behind_word(layout ? layout : text, MAPPING_TUPLES);
    const bool is_read = first && mapping_modes_read(first, mode, RANK_MAX, &rank, &fault);
    return is_read && rank == 2 ? mode[0].count : 0;
}

/* Reads the layout itself. A layout with a single mode is a matrix of one row; all modes after the
 * second one number stages. The layouts that CuTe's partition_A and tile_to_mma_shape make for
 * wgmma and tcgen05.mma have the rows and columns of an instruction in their first mode, and the
 * numbers of their repeats in the next two: ((_128,_16),_1,_4,_3):((_64,_1),_0,_16,_8192) is 128 x
 * 64 with 3 stages. */
static bool read_modes(struct cursor *cursor, struct notation *notation) {
    struct mapping_modes_fault fault;
    struct mapping_modes mode[RANK_MAX] = {{.count = 0}};
    unsigned rank;
    const char *rest = mapping_modes_read(cursor->next, mode, RANK_MAX, &rank, &fault);
    if (!rest)
        return refuse(cursor, fault.place, fault.reason);
    const uint32_t rows = rows_of_instruction(cursor->next);
    if (rows > 0 && (rank >= 4 || (rank == 3 && mapping_modes_size(&mode[1]) == 1))) {
        struct mapping_modes parts[2] = {{.count = 0}, {.count = 0}};
        for (uint32_t m = 0; m < mode[0].count; m++) {
            struct mapping_modes *part = &parts[m >= rows];
            part->shape[part->count] = mode[0].shape[m];
            part->stride[part->count++] = mode[0].stride[m];
        }
        append_modes(&parts[0], &mode[1]);
        append_modes(&parts[1], &mode[2]);
        mode[0] = parts[0];
        mode[1] = parts[1];
        mode[2] = mode[3];
        mode[3] = mode[4];
        rank--;
    }
    if (rank > 3)
        append_modes(&mode[2], &mode[3]);
    if (rank > 4)
        return refuse(cursor, cursor->next, "there are too many modes");
    cursor->next = rest;
    const struct mapping_modes one = {.count = 0};
    notation->cute.count = rank > 2 ? 3 : 2;
    notation->cute.axis[0] = rank > 2 ? mode[2] : rank > 1 ? mode[0] : one;
    notation->cute.axis[1] = rank == 2 ? mode[1] : mode[0];
    notation->cute.axis[2] = mode[1];
    return true;
}

/* ---- As CuTe prints it ---- */

/* Reads "(0x7f00)" or "(unset)", without the first parenthesis: the address, or 0. */
static uint64_t address_of(const char *text) {
    text += strspn(text, "( ");
    return strncmp(text, "0x", 2) == 0 ? strtoull(text, NULL, 16) : 0;
}

/* Reads what follows a pointer's name: "[16b](unset)", or "_16b(unset)" of earlier versions. */
static bool read_pointer(struct cursor *cursor, struct notation *notation) {
    int bits = 0;
    const char *place = cursor->next;
    bool has_bracket = accept(cursor, "[");
    if ((!has_bracket && *cursor->next != '_') || !accept_number(cursor, false, &bits) ||
        !accept(cursor, "b") || (has_bracket && !accept(cursor, "]")))
        return refuse(cursor, place,
                      notation->is_elsewhere ? "the size of an element, such as [16b], is missing"
                                             : "expected [16b] after smem_ptr");
    if (bits < 1 || bits > MEMORY_BITS_MAX)
        return refuse(cursor, place, "an element must have 1 to 128 bits");
    cursor->next = mapping_skip_scopes(cursor->next);
    const char *rest = mapping_behind_parentheses(cursor->next);
    if (!rest)
        return refuse(cursor, cursor->next,
                      "an address in parentheses, such as (unset), is missing");
    notation->address = address_of(cursor->next);
    cursor->next = rest;
    notation->is_of_bytes = true;
    notation->bits = (uint32_t)bits;
    return expect_circle(cursor);
}

/* Pointers to global memory, to Tensor Memory, to registers, and those of the Python DSL. */
#define GLOBAL_POINTERS "gmem_ptr["
#define OTHER_POINTERS "tmem_[ ptr["
#define TYPED_POINTERS "ptr< raw_ptr("
#define TENSORS "tensor< Tensor< tensor("
#define MEMREF "!cute.memref<"

static bool refuse_other_memory(const struct cursor *cursor) {
    return refuse(cursor, cursor->next,
                  "this pointer is not one to shared memory; to see the layout as if it were, "
                  "leave the pointer out");
}

/* Reads the text after "ptr<" or "raw_ptr(": "0x7f00: f16, smem, align<128>, S<3,4,3>>". */
static bool read_typed_pointer(struct cursor *cursor, struct notation *notation) {
    const char *const end = cursor->next[-1] == '(' ? ")" : ">";
    if (*end == ')') {
        notation->address = address_of(cursor->next);
        cursor->next += strcspn(cursor->next, ":)");
        if (!expect(cursor, ":", "the type of an element, such as ': f16', is missing"))
            return false;
    }
    cursor->next = mapping_skip_scopes(cursor->next);
    const size_t length = strcspn(cursor->next, ",>) ");
    snprintf(notation->type, sizeof notation->type, "%.*s",
             (int)(length < sizeof notation->type ? length : 0), cursor->next);
    notation->bits = mapping_triton_bits(notation->type);
    notation->is_of_bytes = notation->is_elsewhere = true;
    if (notation->bits == 0)
        return refuse(cursor, cursor->next, "this is no type of an element, such as f16");
    for (cursor->next += length; accept(cursor, ",");) {
        int alignment;
        if (accept(cursor, "smem"))
            notation->is_elsewhere = false;
        else if (mapping_behind_word(cursor->next, "tmem rmem"))
            return refuse_other_memory(cursor);
        else if (*end == '>' && accept(cursor, "\"")) /* a memref: the layout follows */
            return true;
        else if (accept(cursor, "align<")) {
            if (!accept_number(cursor, false, &alignment) || !accept(cursor, ">"))
                return refuse(cursor, cursor->next, "an alignment such as align<16> is malformed");
        } else if (accept(cursor, SWIZZLES)) {
            if (!read_swizzle(cursor, &notation->cute.swizzle))
                return false;
        } else if (!accept(cursor, "gmem generic"))
            return refuse(cursor, cursor->next, "expected smem, gmem, align<16> or S<3,4,3>");
    }
    return expect(cursor, end, "a pointer is not closed") && expect_circle(cursor);
}

/* Reads the pointer of a tensor, which may have a swizzle itself: "gmem_ptr[16b](0x7f00) o". A
 * pointer to shared memory without a swizzle is left to the reader of layouts. */
static bool read_tensor_pointer(struct cursor *cursor, struct notation *notation) {
    if (mapping_behind_word(cursor->next, OTHER_POINTERS))
        return refuse_other_memory(cursor);
    if (accept(cursor, TYPED_POINTERS))
        return read_typed_pointer(cursor, notation);
    if (accept(cursor, "gmem_ptr")) {
        notation->is_elsewhere = true;
        return read_pointer(cursor, notation);
    }
    return !accept(cursor, "smem_ptr") || read_pointer(cursor, notation);
}

static bool read_printed(struct cursor *cursor, struct notation *notation) {
    if (!read_tensor_pointer(cursor, notation))
        return false;
    if (mapping_behind_word(cursor->next, SWIZZLES) && notation->cute.swizzle.bits > 0)
        return refuse(cursor, cursor->next, "the pointer has a swizzle, too; only one is read");
    if (accept(cursor, SWIZZLES)) {
        if (!read_swizzle(cursor, &notation->cute.swizzle))
            return false;
        notation->is_of_bytes = false;
        /* A pointer that is swizzled is printed as "Sw<3,4,3>_smem_ptr[16b](0x7f00)". */
        if (mapping_behind_word(cursor->next, "_smem_ptr _gmem_ptr") ||
            (*cursor->next == '_' && ascii_is_digit(cursor->next[1])))
            cursor->next += !ascii_is_digit(cursor->next[1]);
        else if (!expect_circle(cursor))
            return false;
    }
    struct cursor ahead = *cursor; /* a number may also begin the layout */
    int offset;
    if (accept(cursor, "smem_ptr gmem_ptr")) {
        if (!read_pointer(cursor, notation))
            return false;
    } else if (accept_number(&ahead, false, &offset) && accept(&ahead, "o")) {
        notation->offset = (uint32_t)offset;
        cursor->next = ahead.next;
    }
    return read_modes(cursor, notation);
}

/* ---- As C++ has its type ---- */

/* Reads the offset, "_0" or "smem_ptr_flag_bits<16>". "smem_ptr_flag" means single bits, in which
 * CUTLASS counts offsets for layouts of any type. */
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
    int offset;
    if (!read_modes(cursor, notation))
        return false;
    if (*end == ')' && accept(cursor, ",")) {
        if (!accept(cursor, "offset=") || !accept_number(cursor, false, &offset))
            return refuse(cursor, cursor->next, "an offset is missing");
        notation->offset = (uint32_t)offset;
    }
    return expect(cursor, end, *end == '>' ? "a '>' is missing" : "a ')' is missing");
}

/* Reads what follows "(Swizzle(", as tensor-layouts of Python prints a composition:
 * "3, 3, 3)) o {64} o ((64, 64) : (64, 1))", without "{64} o" if the offset is 0. */
static bool read_parenthesized(struct cursor *cursor, struct notation *notation) {
    int offset;
    if (!read_swizzle(cursor, &notation->cute.swizzle) ||
        !expect(cursor, ")", "a ')' is missing") || !expect_circle(cursor))
        return false;
    if (accept(cursor, "{")) {
        if (!accept_number(cursor, false, &offset) || !accept(cursor, "}"))
            return refuse(cursor, cursor->next, "an offset is missing");
        notation->offset = (uint32_t)offset;
        if (!expect_circle(cursor))
            return false;
    }
    return expect(cursor, "(", "a layout in parentheses is missing") &&
           read_modes(cursor, notation) && expect(cursor, ")", "a ')' is missing");
}

/* ---- Tiles ---- */

#define COMPOSITIONS "composition( make_composed_layout( ComposedLayout("
#define TILES "tile_to_shape("
#define MMA_TILES "tile_to_mma_shape("

/* Reads an atom: a layout in C++ or Python, or a name in canonical.c. */
static bool read_atom(struct cursor *cursor, struct notation *notation) {
    struct mapping_canonical atom;
    const char *rest = mapping_canonical_read(cursor->next, notation->bits, &atom);
    bool is_read = rest != NULL;
    if (rest) {
        notation->cute = atom.cute;
        notation->bits = atom.bits;
        notation->is_canonical = true;
        cursor->next = rest;
    } else if (accept(cursor, "ComposedLayout<")) {
        is_read = read_composed(cursor, notation, ">");
    } else if (accept(cursor, COMPOSITIONS)) {
        is_read = read_composed(cursor, notation, ")");
    } else if (ascii_is_letter(*mapping_skip_scopes(cursor->next)) &&
               !mapping_behind_word(cursor->next, SWIZZLES " smem_ptr " MAPPING_LAYOUTS)) {
        return refuse(cursor, cursor->next,
                      "this name is not known; write the atom itself, such as "
                      "Layout_K_SW128_Atom<half_t>{}");
    } else {
        is_read = read_printed(cursor, notation);
    }
    accept(cursor, "{}");
    return is_read;
}

/* Reads the order of axes after a shape: "Step<_2,_1>{}", "order=(1, 0)", "LayoutRight{}". The axis
 * with the lowest number is the fastest. Only the order of the numbers matters. */
static bool read_order(struct cursor *cursor, unsigned rank, int order[3]) {
    unsigned count = 0;
    const bool is_right = accept(cursor, "LayoutRight GenRowMajor");
    if (is_right || accept(cursor, "LayoutLeft GenColMajor")) {
        for (unsigned a = 0; a < rank; a++)
            order[a] = is_right ? (int)(rank - a) : (int)a;
        accept(cursor, "{}");
        return true;
    }
    accept(cursor, "order=");
    if (!expect(cursor, MAPPING_TUPLES, "an order, such as Step<_2,_1>, is missing"))
        return false;
    do
        if (count == rank || !accept_number(cursor, false, &order[count++]))
            return refuse(cursor, cursor->next, "the order must have a number for each mode");
    while (accept(cursor, ","));
    if (count != rank || !accept(cursor, ") >"))
        return refuse(cursor, cursor->next, "the order must have a number for each mode");
    accept(cursor, "{}");
    return true;
}

/* The distance from one atom to the next. CuTe fills gaps in an atom with other atoms; returns 0 if
 * the atom has such gaps. */
static uint32_t find_step(const struct mapping_cute *cute) {
    uint32_t step = 1;
    for (bool found = true; found;) {
        uint32_t least = UINT32_MAX, next = 0;
        found = false;
        for (uint32_t a = 0; a < cute->count; a++)
            for (uint32_t m = 0; m < cute->axis[a].count; m++) {
                const uint32_t shape = cute->axis[a].shape[m], stride = cute->axis[a].stride[m];
                if (shape > 1 && stride >= step && stride < least) {
                    least = stride;
                    next = shape * stride;
                    found = true;
                }
            }
        if (found && least / step > 1)
            return 0;
        step = found ? next : step;
    }
    return step;
}

/* Reads the arguments of tile_to_shape, and repeats the atom along each axis, in the given order.
 * The third mode is the stage. (CuTe's layout.hpp computes the blocked product of the atom and an
 * ordered layout of the numbers of repeats.) The shape of tile_to_mma_shape is
 * ((rows, columns), repeats of rows, repeats of columns[, stages]): its product for each axis is
 * the shape of the tile (mma_traits_sm100.hpp). */
static bool read_tiled(struct cursor *cursor, struct notation *notation, bool is_of_mma) {
    struct mapping_cute *cute = &notation->cute;
    struct mapping_modes_fault fault;
    struct mapping_modes target[4];
    int order[3] = {0, 1, 2};
    unsigned rank;
    const char *place = cursor->next;
    if (!read_atom(cursor, notation))
        return false;
    const uint32_t step = find_step(cute);
    if (cute->count != 2 || step == 0)
        return refuse(cursor, place,
                      step ? "the atom must have just rows and columns"
                           : "the atom has gaps that CuTe fills with other atoms");
    if (!expect(cursor, ",", "the shape of the tile is missing"))
        return false;
    place = mapping_skip_scopes(cursor->next);
    cursor->next = mapping_modes_read(place, target, is_of_mma ? 4 : 3, &rank, &fault);
    if (!cursor->next) {
        cursor->next = place;
        return refuse(cursor, fault.place, fault.reason);
    }
    if (is_of_mma && (rank < 3 || target[0].count != 2))
        return refuse(cursor, place,
                      "the shape must be that of partition_shape_A or _B, such as "
                      "((_128,_16),_1,_4)");
    for (unsigned a = 0; is_of_mma && a < 2; a++) { /* rows and columns of the instruction */
        if (target[1 + a].count == MAPPING_MODES)
            return refuse(cursor, place, "the shape has too many modes");
        target[1 + a].shape[target[1 + a].count++] = target[0].shape[a];
    }
    if (is_of_mma)
        memmove(target, target + 1, --rank * sizeof *target);
    if (rank < 2)
        return refuse(cursor, place, "the shape of the tile needs two or three modes");
    if ((accept(cursor, ",") && !read_order(cursor, rank, order)) ||
        !expect(cursor, ")", "a ')' is missing"))
        return false;
    struct mapping_modes modes[3] = {cute->axis[0], cute->axis[1], {.count = 0}};
    uint32_t atoms[3] = {1, 1, 1};
    for (unsigned a = 0; a < rank; a++) {
        const uint32_t size = mapping_modes_size(&target[a]), own = mapping_modes_size(&modes[a]);
        if (size % own != 0)
            return refuse(cursor, place, "the shape of the tile is no multiple of the atom's");
        atoms[a] = size / own;
    }
    for (unsigned a = 0; a < rank; a++) {
        uint64_t stride = step; /* past all atoms along faster axes */
        for (unsigned o = 0; o < rank; o++)
            stride *= order[o] < order[a] || (o < a && order[o] == order[a]) ? atoms[o] : 1;
        if (stride > INT32_MAX || modes[a].count == MAPPING_MODES)
            return refuse(cursor, place, "the tile is too large");
        modes[a].shape[modes[a].count] = atoms[a];
        modes[a].stride[modes[a].count++] = (uint32_t)stride;
    }
    cute->count = rank;
    cute->axis[0] = rank > 2 ? modes[2] : modes[0];
    cute->axis[1] = rank > 2 ? modes[0] : modes[1];
    cute->axis[2] = modes[1];
    return true;
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

/* Counts the elements that share an offset because one of several modes of an axis has stride 0, as
 * in the scale factors of CUTLASS, ((32,4),(16,4)):((16,4),(0,1)). A whole row or column of stride
 * 0 is taken for an error and does not count, nor does any stride 0 in a single row. */
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

/* Divides a layout in bits by the size of an element: CuTe's upcast. */
static bool upcast(struct mapping_cute *cute, uint32_t bits) {
    for (uint32_t a = 0; a < cute->count; a++)
        for (uint32_t m = 0; m < cute->axis[a].count; m++) {
            uint32_t *shape = &cute->axis[a].shape[m], *stride = &cute->axis[a].stride[m];
            const uint32_t step = *stride ? *stride : bits; /* of a mode that repeats elements */
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

/* Checks that offsets fit into 31 bits, and that the swizzle reads at least one bit that the
 * offsets of the layout have. If it reads bits that they do not have, adds a note. */
static enum mapping_status check_width(const struct notation *notation,
                                       struct mapping_smem_matrix *memory,
                                       struct mapping_error *error) {
    const struct mapping_swizzle *swizzle = &notation->cute.swizzle;
    const int lowest = swizzle->base + (swizzle->shift > 0 ? swizzle->shift : 0);
    const int highest = lowest + swizzle->bits - 1;
    uint64_t largest = notation->offset; /* the bits of offsets before the swizzle */
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
    mapping_append(
        memory->note, sizeof memory->note,
        "%sthe swizzle reads bits %d to %d of the element offset, which has bits 0 to %d%s%s",
        *memory->note ? "; " : "", lowest, highest, bits - 1, *as_bytes ? "; " : "", as_bytes);
    return MAPPING_OK;
}

static enum mapping_status check_extent(const struct mapping_smem_matrix_request *request,
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

const char *mapping_smem_matrix_grid(const char *text) {
    const char *grid = text + strlen(text);
    while (grid > text && strchr(" \t\r\n0123456789+-|", grid[-1]))
        grid--;
    grid += strspn(grid, "0123456789"); /* the stride of "32:1" */
    return strchr(grid, '+') && strchr(grid, '|') ? grid : NULL;
}

/* True if the grid contains the offsets of the layout, with column numbers above them and row
 * numbers beside them. */
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

#define POINTERS GLOBAL_POINTERS " " OTHER_POINTERS " " TYPED_POINTERS " smem_ptr"

/* True if the text is a tensor, and not one of Triton, such as "tensor<64x64xf16, #blocked>". */
static bool is_tensor(const char *text) {
    const char *inside = mapping_behind_word(text, TENSORS);
    return inside && mapping_behind_word(inside, POINTERS " " SWIZZLES);
}

/* True for the control code that Triton prints before an instruction, "02:-:-:Y:2". */
static bool has_fields(const char *text) {
    const char *end = text + strspn(text, "0123456789:-Y");
    const char *colon = memchr(text, ':', (size_t)(end - text));
    return colon && memchr(colon + 1, ':', (size_t)(end - colon - 1));
}

static bool is_meant(const char *text) {
    text += strspn(text, " \t\n");
    const char *labelled = mapping_behind_label(text);
    const size_t name = strcspn(labelled, " "); /* printf("sA {}", sA) prints no colon */
    if (mapping_behind_word(labelled, SWIZZLES
                            " " POINTERS " " MEMREF " ComposedLayout< (Swizzle( " COMPOSITIONS
                            " decltype( " TILES " " MMA_TILES " " MAPPING_LAYOUTS) ||
        is_tensor(labelled) || mapping_behind_word(labelled + name, "raw_ptr("))
        return true;
    if (labelled != text && *labelled == '(') { /* "sA: (64,64):(64,1)" */
        const char *behind = mapping_behind_parentheses(labelled);
        return behind && mapping_behind_word(behind, ":");
    }
    struct cursor cursor = {.next = text};
    int number;
    if (accept_number(&cursor, false, &number)) /* "3 o (2,2)", "32:1" */
        return (mapping_behind_word(cursor.next, ":") && !has_fields(text)) ||
               (accept(&cursor, "o") && mapping_behind_word(cursor.next, "("));
    text = mapping_skip_scopes(text);
    return *text == '(' && text[1] && strchr("0123456789_( -CI?", text[1]);
}

/* Adds a note if the pointer of a tensor is not a multiple of the period of its swizzle, or does
 * not point to shared memory. */
static void note_pointer(const struct notation *notation, struct mapping_smem_matrix *memory) {
    const struct mapping_swizzle *swizzle = &notation->cute.swizzle;
    const uint32_t bytes = UINT32_C(1) << (swizzle->bits + swizzle->base + abs(swizzle->shift));
    if (notation->is_elsewhere)
        mapping_append(memory->note, sizeof memory->note,
                       "the pointer is not one to shared memory; banks are those that the matrix "
                       "would have there");
    if (notation->is_of_bytes && swizzle->bits > 0 && notation->address % bytes != 0)
        mapping_append(memory->note, sizeof memory->note,
                       "%sthe swizzle applies to addresses, and 0x%llx is no multiple of %u; "
                       "offsets are those of a pointer that is",
                       *memory->note ? "; " : "", (unsigned long long)notation->address, bytes);
}

static enum mapping_status make_table(const struct mapping_smem_matrix_request *request,
                                      struct mapping_smem_matrix *memory,
                                      struct mapping_error *error) {
    struct cursor cursor = {request->text, mapping_behind_label(request->text), error};
    struct notation notation = {.bits = memory->bits};
    const char *end = "";
    if (!mapping_behind_word(cursor.next, POINTERS " " SWIZZLES) &&
        mapping_behind_word(cursor.next + strcspn(cursor.next, " "), "raw_ptr("))
        cursor.next += strcspn(cursor.next, " "); /* "sA raw_ptr(...) o ..." */
    const bool is_memref = accept(&cursor, MEMREF);
    if (is_memref) {
        if (!read_typed_pointer(&cursor, &notation))
            return MAPPING_INVALID;
        end = "\">";
    } else if (is_tensor(cursor.next)) {
        accept(&cursor, TENSORS);
        end = cursor.next[-1] == '(' ? ")" : ">";
    }
    const bool is_type = accept(&cursor, "decltype(");
    const bool is_of_mma = accept(&cursor, MMA_TILES);
    if (!(is_of_mma || accept(&cursor, TILES)  ? read_tiled(&cursor, &notation, is_of_mma)
          : accept(&cursor, "ComposedLayout<") ? read_composed(&cursor, &notation, ">")
          : accept(&cursor, COMPOSITIONS)      ? read_composed(&cursor, &notation, ")")
          : accept(&cursor, "(Swizzle(")       ? read_parenthesized(&cursor, &notation)
                                               : read_printed(&cursor, &notation)))
        return MAPPING_INVALID;
    accept(&cursor, "{}");
    if (is_type && !expect(&cursor, ")", "a ')' is missing"))
        return MAPPING_INVALID;
    accept(&cursor, ";");
    /* The elements of a tensor, ", data=[...]" or "= ( 1, 2 )", may follow. */
    if (*end == ')' && *cursor.next == ',' && strrchr(cursor.next, ')'))
        cursor.next = strrchr(cursor.next, ')');
    if (*end && !expect(&cursor, end, "the tensor is not closed"))
        return MAPPING_INVALID;
    if (mapping_behind_word(cursor.next, "="))
        cursor.next += strlen(cursor.next);
    cursor.next = mapping_skip_scopes(cursor.next);
    const char *const grid = mapping_smem_matrix_grid(request->text);
    if (*cursor.next && (!grid || cursor.next < grid)) {
        refuse(&cursor, cursor.next, "unexpected text");
        return MAPPING_INVALID;
    }
    if (notation.is_in_bits)
        notation.bits = request->bits         ? request->bits
                        : request->usual_bits ? request->usual_bits
                                              : 1;
    memory->bits = notation.bits;
    memory->is_mn_by_k = notation.is_canonical;
    memcpy(memory->type, notation.type, sizeof memory->type);
    if (notation.is_in_bits && !upcast(&notation.cute, notation.bits))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.200s' is a layout of bits, whose shapes and strides do not divide "
                            "into elements of %u bits",
                            request->text, notation.bits);
    note_pointer(&notation, memory);
    enum mapping_status status =
        notation.is_of_bytes ? convert_to_elements(&notation.cute.swizzle, notation.bits, error)
                             : MAPPING_OK;
    const uint32_t repeats = count_repeats(&notation.cute);
    if (repeats > 1) {
        memory->repeats = repeats;
        mapping_append(memory->note, sizeof memory->note,
                       "%s%u elements share each offset, because modes have stride 0",
                       *memory->note ? "; " : "", repeats);
    }
    if (status == MAPPING_OK)
        status = check_width(&notation, memory, error);
    if (status == MAPPING_OK)
        status = check_extent(request, &notation.cute, error);
    if (status == MAPPING_OK)
        status = mapping_smem_matrix_fill(memory, &notation.cute, notation.offset, error);
    if (status == MAPPING_OK && grid && !has_grid(&memory->layout, grid))
        status = mapping_fail(error, MAPPING_INVALID,
                              "the grid behind the layout has other offsets than the layout");
    return status;
}

const struct mapping_smem_matrix_reader mapping_notation_reader = {is_meant, make_table};
