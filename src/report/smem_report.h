/* smem_report.h - the properties of a matrix in memory, apart from its layout. */
#ifndef SMEM_REPORT_H
#define SMEM_REPORT_H

#include "report/report.h"
#include "smem/matrix.h"

struct smem_report {
    uint32_t bits;   /* size of an element */
    char type[16];   /* the type, "f16"; of untyped elements, "b6" or "b128" */
    bool is_mn_by_k; /* as in struct mapping_smem_matrix */
    char note[320];  /* as in struct mapping_smem_matrix */
    uint32_t repeats;
    struct mapping_scales scales; /* as in struct mapping_smem_matrix; `kind` is NULL for other
                                     matrices */
    bool is_in_detail;            /* --detail: all facts about scale factors are printed */
    bool is_k_by_mn; /* rows run along K, and columns along M or N; otherwise the reverse */
    char axes[2];    /* the axes of its rows and columns, 'm', 'n' or 'k', if the user gave them;
                        otherwise 0 */
    bool has_address;
    uint32_t address; /* address of its first byte in shared memory; 0 if the user did not give
                         it */
    bool has_descriptor[READERS];
    struct mapping_descriptor descriptor[READERS]; /* the descriptors for wgmma and tcgen05 */
};

/* Returns the number of bytes from the first element to the end of the last. */
uint64_t smem_bytes(const struct report *report);

/* Returns the number of elements of the buffer that are padding of scale factors; 0 for other
 * matrices. */
uint32_t smem_padding(const struct report *report);

/* True if a table from offsets to elements is not made, because elements are far apart or share
 * offsets. */
bool smem_is_wide(const struct report *report);

/* Returns the bank in which the element at an offset begins. */
uint32_t smem_bank(const struct smem_report *smem, uint32_t offset);

/* Makes the report of a matrix: takes ownership of its layout as `forward`, and derives formulae
 * for both directions. `type` is NULL for untyped elements. An axis of the inverse without a
 * formula of bits gets one of quotients, such as offset / 72, if possible. The inverse has
 * UINT32_MAX at offsets without an element. There is no inverse if smem_is_wide, or if it has such
 * offsets and an axis without a formula. MAPPING_NO_FORMULA if the offset has no formula. */
enum mapping_status smem_derive(struct mapping_smem_matrix *memory, const char *type,
                                struct report *report);

/* Returns the number of columns, along K, that one wgmma or tcgen05.mma reads, a slice: 32 bytes of
 * each row. The start address in a descriptor is that of its first column. With is_k_by_mn, these
 * are rows. */
uint32_t smem_slice(const struct smem_report *smem);

/* smem_slices and smem_stages return the number of slices in a stage, and of stages.
 * smem_slice_start returns the first byte of a slice. */
uint32_t smem_slices(const struct report *report);
uint32_t smem_stages(const struct report *report);
uint32_t smem_slice_start(const struct report *report, uint32_t stage, uint32_t slice);

/* Finds the descriptors of a matrix. report->smem has its address and axes. MAPPING_INVALID, with a
 * message, if no descriptor can have the address that the user gave. */
enum mapping_status smem_find_descriptors(struct report *report, struct mapping_error *error);

/* A note if references disagree about the stride of a descriptor; otherwise NULL. `between` is the
 * character where a line may end. */
const char *smem_stride_note(const struct mapping_descriptor *descriptor, char between);

/* The reason why no instruction can read a matrix in Layout_MN_SW128_32B_Atom: its type, or too few
 * columns. NULL for other matrices. Sets *cols to the number of columns that one instruction needs,
 * or to 0 if there are enough. */
const char *smem_lack(const struct report *report, uint32_t *cols);

#endif
