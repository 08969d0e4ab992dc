/* load_report.h - how a fragment is loaded from a matrix in memory, or stored to it; better layouts
 * for that matrix; and an access to shared memory, with its wavefronts.
 *
 * The keys of the facts about a load or store:
 *
 *     targets    ldmatrix.m16n16.x1.trans.b8 needs sm_100a or sm_100f
 *     packed     in memory, 16 elements of 4 bits take 16 bytes; the last 64 bits are not used
 *     registers  in registers, an element is in bits 3:0 of its byte (CUTLASS 4.2); ...
 *     copies     only the first of the copies in a register is stored
 *     selector   byte-id-a = 0 reads them; the other bytes of the register are not used
 *     conflicts  no bank conflicts if rows 8 to 15 of the fragment are rows 32 to 39 of ... */
#ifndef REPORT_LOAD_REPORT_H
#define REPORT_LOAD_REPORT_H

#include "report/facts.h"
#include "report/smem_report.h"
#include "smem/suggest.h"

/* The meaning of the rows and columns of a matrix: 'm', 'n' or 'k'; 0 if unknown. */
struct matrix_axes {
    char rows, cols;
};

/* A load or store with all its plans. The reports must outlive it. */
struct load {
    const struct report *matrix;
    const struct report *fragment; /* NULL for a copy of the whole matrix */
    const char *name;              /* name of the fragment; "cp.async" for a copy */
    bool is_store;
    bool is_tma;            /* TMA copies the matrix, */
    struct mapping_tma tma; /* in these boxes, which are set by its plan */
    uint32_t origin[2];
    bool takes_origin; /* the printed function has parameters row and col; `moves` belongs to plan
                          0 */
    struct mapping_copy_moves moves;
    struct matrix_axes axes;      /* of the matrix; 0 for what is no operand, and for copies */
    bool has_axes;                /* they were asked for */
    bool is_turned;               /* they are those of the fragment, exchanged */
    uint32_t alignment;           /* of the matrix, in bytes, so that banks and swizzle are those of
                                     addresses: 128, or what its swizzle repeats after, 1024 of
                                     Layout_K_SW128_Atom */
    struct mapping_layout layout; /* of the fragment, (tid, i) -> (row, col) of the matrix; its
                                     tables are the fragment's, unless `served` is not 0 */
    uint32_t served; /* of scale factors with several copies in a register: how many MMAs along K
                        read what is loaded, each by its byte-id; 1 if it is one copy; else 0 */
    uint32_t apart;  /* of SFA with bank conflicts: there are none if rows 8 to 15 of the fragment
                        are the rows of the matrix from this one on; else 0 */
    struct facts facts; /* about the registers, the instruction, and both of the above */
    struct mapping_copy_plan *plans; /* best first */
    size_t count;
};

/* True if the output must name the axes: the user gave them, or the operand is B or its scale
 * factors by name, which may be n,k or k,n. */
static inline bool has_axes_to_say(const struct load *load) {
    return load->fragment &&
           (load->has_axes || load->fragment->observed.fragment.operand == MAPPING_B ||
            (load->fragment->observed.fragment.operand == MAPPING_SFB &&
             load->matrix->smem->scales.kind));
}

/* The first row and column of box b of TMA in the matrix. */
struct tma_box {
    uint32_t row, col, byte;
};

static inline struct tma_box tma_box(const struct load *load, uint32_t b) {
    const struct mapping_tma *tma = &load->tma;
    const struct mapping_layout *layout = &load->matrix->forward.layout;
    const struct mapping_axis *axes = layout->from.axis + layout->from.count - 2;
    const uint32_t row = b / tma->boxes[1] * tma->box[0], col = b % tma->boxes[1] * tma->box[1];
    const uint64_t offset = layout->coordinate[0][(size_t)row * axes[1].size + col];
    return (struct tma_box){row, col, (uint32_t)(offset * load->matrix->smem->bits / 8)};
}

/* Swizzles and paddings for several loads and stores, whose plans stay empty. */
struct suggested {
    const struct report *matrix;
    const struct load *uses;
    size_t use_count;
    struct mapping_suggestions suggestions;
};

/* The hardware whose counters confirm the rule of smem/banks.h. For other hardware, the rule is
 * assumed. */
#define ACCESS_COUNTED_ARCH "sm_90"
#define ACCESS_COUNTED_DEVICE "NVIDIA H200"

struct access {
    const struct mapping_access *operation;
    const char *text; /* the addresses as the user gave them */
    bool is_list;     /* true for numbers, false for an expression */
    uint32_t address[LANES];
    struct mapping_wavefronts counted;
};

#endif
