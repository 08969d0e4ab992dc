/* detail.h - what follows from a layout and from the opcode that has it: the facts of --detail. */
#ifndef DETAIL_H
#define DETAIL_H

#include "convert/convert.h"
#include "report/assembled.h"
#include "system/system.h"

/* A fragment that this one, as the result of a product, can be read as in the next. */
struct reuse {
    struct mapping_fragment target;
    struct strings types; /* of other fragments that differ from it in nothing but that */
    uint32_t matrices;    /* of this fragment, side by side, for `targets` of the other */
    uint32_t targets;
    enum convert_kind kind;
    uint32_t shuffles;
    bool is_permutable; /* without shuffles if columns are permuted */
};

/* A product made of smaller ones that older architectures have. */
struct composition {
    struct mapping_opcode opcode; /* the smaller; its text is "" if there is none */
    uint32_t parts[3];            /* how many along M, N and K */
    struct shuffle_plan a, b, d;  /* from registers of the larger to those of the smaller */
};

struct detail {
    struct assembled *assembled; /* what its opcodes become, those of one together */
    size_t assembled_count;
    struct reuse *reuses;
    size_t reuse_count;
    bool has_k_order; /* of K, where another operand has it, too */
    struct mapping_k_order k_order;
    struct mapping_fragment partner; /* that operand */
    bool is_partner_alike;           /* it has the same order */
    struct composition composition;
};

#endif
