/* cuda_pack.c - matrices of 4-bit elements in the order of a fragment of 16-bit elements: the
 * functions that --order=u4 adds to a header:
 *
 *     static inline void mapping_NAME_pack_u4(unsigned packed[], const unsigned char *matrix,
 *                                             size_t stride)
 *     static __device__ __forceinline__ void mapping_NAME_from_u4(unsigned out[],
 *                                                                 const unsigned in[])
 *
 * Eight elements of a thread share a 32-bit word. Elements 0, 2, 4, 6 are in its lower half and
 * elements 1, 3, 5, 7 in its upper half, from the lowest bits on. So one lop3 moves elements 2p and
 * 2p + 1 to the lower and the upper half of a register, as the fragment's register p has them:
 *
 *     word                 7 5 3 1 6 4 2 0      one digit for each element
 *     word & 0x000f000f    . . . 1 . . . 0      elements 0 and 1
 *     word & 0x00f000f0    . . 3 . . . 2 .      elements 2 and 3, times 16
 *
 * The number 1024 in f16 has an empty mantissa of 10 bits. So `| 0x6400` in each half makes the
 * number 1024 + u of the element u, or 1024 + 16 u. One sub or fma turns it into u. bf16 has only 7
 * bits of mantissa. So the number is 128 instead of 1024, and the word is shifted for each pair.
 * For a signed element s, `^` instead of `|` also flips the highest bit of the element; the result
 * is s + 8. The bits of e2m1 are those of an f16 or bf16 whose exponent is too small, so the number
 * is multiplied by a power of 2. */
#include "output/output.h"

#include "layout/sentence.h"
#include "output/guard.h"

enum { NIBBLES = 8, PAIRS = NIBBLES / 2, NIBBLE_BITS = 4 };

static const char *const names[] = {"", "u4", "s4", "e2m1"};

const char *packed_name_at(size_t n) {
    return n + 1 < sizeof names / sizeof *names ? names[n + 1] : NULL;
}

const char *packed_name(enum packed_type type) {
    return names[type];
}

bool can_pack(const struct report *report) {
    const enum mapping_type type = report->observed.fragment.type;
    return report_has_order(report) && (type == MAPPING_F16 || type == MAPPING_BF16) &&
           report->forward.layout.from.axis[1].size % NIBBLES == 0;
}

/* ---- Packing on the host ---- */

static void print_packing(struct printer *to, const struct report *report, const char *name,
                          const char *suffix, const char *type) {
    const struct mapping_layout *layout = &report->forward.layout;
    const uint32_t threads = layout->from.axis[0].size, elements = layout->from.axis[1].size;
    const int block = mapping_space_find(&layout->to, MAPPING_AXIS_BLOCK);
    const int row = mapping_space_find(&layout->to, MAPPING_AXIS_ROW);
    print(
        to,
        "/* Packs a row-major matrix of %s into the order of the fragment. Rows are `stride`\n"
        " * elements apart; a byte of the matrix holds two elements, the first in its lower half.\n"
        " * packed[tid * %u + w] holds elements 8w to 8w + 7 of thread tid; from its lowest bits "
        "on,\n"
        " * elements 0, 2, 4, 6, 1, 3, 5, 7 of these. */\n"
        "static inline void mapping_%s_pack_%s%s(unsigned packed[%u],\n"
        "                                        const unsigned char *matrix, size_t stride) {\n"
        "    for (unsigned n = 0; n < %u; n++)\n"
        "        packed[n] = 0;\n"
        "    for (unsigned tid = 0; tid < %u; tid++)\n"
        "        for (unsigned i = 0; i < %u; i++) {\n"
        "            size_t row = mapping_%s_row%s(tid, i), n;\n",
        type, elements / NIBBLES, name, type, suffix, threads * elements / NIBBLES,
        threads * elements / NIBBLES, threads, elements, name, suffix);
    if (block >= 0)
        print(to, "            row += mapping_%s_block%s(tid, i) * %uu;\n", name, suffix,
              layout->to.axis[row].size);
    print(to,
          "            n = row * stride + mapping_%s_col%s(tid, i);\n"
          "            packed[(tid * %uu + i) / 8] |= (matrix[n / 2] >> n %% 2 * 4 & 15u)\n"
          "                                           << (i %% 2 * 16 + i %% 8 / 2 * 4);\n"
          "        }\n}\n",
          name, suffix, elements);
}

/* ---- Unpacking on the device ---- */

/* Converts the two halves of a register, which are integers added to `base`, by half * factor +
 * sum. All three are numbers of f16 or bf16, as bits. */
struct scale {
    unsigned base, factor, sum;
};

/* Prints a constant with the same 16 bits in both halves. */
static void print_both(struct printer *to, unsigned half) {
    print(to, "0x%04x%04x", half, half);
}

/* Prints lop3 with a register and two constants as operands: "lop3.b32 %0, %1, ...". */
static void print_lop3(struct printer *to, const char *word, unsigned mask, unsigned base,
                       bool is_xor) {
    print(to, "    asm(\"lop3.b32 %%0, %%1, ");
    print_both(to, mask);
    print_text(to, ", ");
    print_both(to, base);
    print(to, ", 0x%02x;\" : \"=r\"(pair) : \"r\"(%s));\n", is_xor ? 0x6a : 0xea, word);
}

static void print_fma(struct printer *to, const char *type, uint32_t out, unsigned factor,
                      unsigned sum) {
    print(to, "    asm(\"fma.rn.%sx2 %%0, %%1, %%2, %%3;\" : \"=r\"(out[%u]) : \"r\"(pair), \"r\"(",
          type, out);
    print_both(to, factor);
    print_text(to, "), \"r\"(");
    print_both(to, sum);
    print_text(to, "));\n");
}

/* Prints the statements that compute pair p of an integer word. */
static void print_integers(struct printer *to, bool is_bf16, bool is_signed, uint32_t word,
                           uint32_t p) {
    /* 1024 + u, 1024 + 16 u, 128 + u; the sums are -1024, -64, -128, and 8 less if signed */
    static const struct scale scales[] = {
        {0x6400, 0x3c00, 0xe400}, {0x6400, 0x2c00, 0xd400}, {0x4300, 0x3f80, 0xc300}};
    static const unsigned lesser[] = {0xe408, 0xd480, 0xc308};
    const uint32_t n = is_bf16 ? 2 : p % 2, shift = is_bf16 ? p * NIBBLE_BITS : p / 2 * 8;
    const uint32_t place = n == 1 ? NIBBLE_BITS : 0; /* index of the lowest bit in its half */
    const char *from = memory_format(shift > 0 ? "in[%u] >> %u" : "in[%u]", word, shift);
    print_lop3(to, from, 0xFU << place, scales[n].base | (is_signed ? 8U << place : 0), is_signed);
    print_fma(to, is_bf16 ? "bf16" : "f16", word * PAIRS + p, scales[n].factor,
              is_signed ? lesser[n] : scales[n].sum);
}

/* Prints the statements that compute pair p of a word of e2m1: signs go to the highest bits; the
 * other bits go to the lowest two bits of the exponent and the highest bit of the mantissa. */
static void print_e2m1(struct printer *to, bool is_bf16, uint32_t word, uint32_t p) {
    const uint32_t left = (PAIRS - 1 - p) * NIBBLE_BITS, right = is_bf16 ? 6 : 3;
    print(to, left > 0 ? "    word = in[%u] << %u;\n" : "    word = in[%u];\n", word, left);
    print(to,
          "    asm(\"lop3.b32 %%0, %%1, 0x80008000, %%2, 0xea;\" : \"=r\"(pair) : \"r\"(word), "
          "\"r\"(word >> %u & ",
          right);
    print_both(to, 7U << (12 - right));
    print_text(to, "));\n");
    /* 2^126 or 2^14; adding -0 keeps the sign of zeros */
    print_fma(to, is_bf16 ? "bf16" : "f16", word * PAIRS + p, is_bf16 ? 0x7e80 : 0x7400, 0x8000);
}

static void print_unpacking(struct printer *to, const struct report *report, const char *name,
                            enum packed_type type) {
    const bool is_bf16 = report->observed.fragment.type == MAPPING_BF16;
    const uint32_t words = report->forward.layout.from.axis[1].size / NIBBLES;
    print(to,
          "#ifdef __CUDACC__\n"
          "/* Converts the %u packed word%s of a thread to the registers of the fragment. */\n"
          "static __device__ __forceinline__ void mapping_%s_from_%s(unsigned out[%u],\n"
          "                                        const unsigned in[%u]) {\n"
          "    unsigned pair%s;\n",
          words, mapping_plural(words), name, packed_name(type), words * PAIRS, words,
          type == PACKED_E2M1 ? ", word" : "");
    for (uint32_t word = 0; word < words; word++)
        for (uint32_t p = 0; p < PAIRS; p++)
            if (type == PACKED_E2M1)
                print_e2m1(to, is_bf16, word, p);
            else
                print_integers(to, is_bf16, type == PACKED_S4, word, p);
    print_text(to, "}\n#endif\n");
}

void print_packed_order(struct printer *to, const struct report *report, const char *name,
                        const char *suffix, enum packed_type type, bool is_first) {
    print_packing(to, report, name, suffix, packed_name(type));
    if (is_first)
        print_unpacking(to, report, name, type);
}
