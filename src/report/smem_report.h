/* smem_report.h - the properties of a matrix in memory other than its layout. */
#ifndef SMEM_REPORT_H
#define SMEM_REPORT_H

#include "report/report.h"
#include "smem/matrix.h"

struct smem_report {
    uint32_t bits;   /* size of an element */
    char type[16];   /* "f16"; untyped elements "b6", "b128" */
    bool is_mn_by_k; /* as in struct mapping_smem_matrix */
    char note[320];  /* as in struct mapping_smem_matrix */
    uint32_t repeats;
    struct mapping_scales scales; /* likewise */
    bool is_in_detail;            /* with all that sources of scale factors say, by --detail */
    bool is_k_by_mn; /* rows are along K, columns along M or N; else the other way around */
    char axes[2]; /* what its rows and columns are, 'm', 'n' or 'k', if that was asked for; or 0 */
    bool has_address;
    uint32_t address; /* address of its first byte in shared memory; 0 if it is not given */
    bool has_descriptor[READERS];
    struct mapping_descriptor descriptor[READERS]; /* descriptors with which wgmma and tcgen05 read
                                                      it */
};

/* The bytes from the first element to the end of the last. */
uint64_t smem_bytes(const struct report *report);

/* The number of elements of the buffer that are padding of scale factors. */
uint32_t smem_padding(const struct report *report);

/* True if there is no table from offsets to elements, because elements are far apart or share
 * offsets. */
bool smem_is_wide(const struct report *report);

/* The bank in which the element at an offset begins. */
uint32_t smem_bank(const struct smem_report *smem, uint32_t offset);

/* Makes the report of a matrix: takes ownership of its layout as `forward`, and derives formulae
 * for both directions. If elements are far apart, the inverse has quotients instead of a table.
 * `type` is NULL for untyped elements. The inverse has UINT32_MAX at offsets without an element.
 * There is no inverse if it has such offsets and no formula. MAPPING_NO_FORMULA if the offset has
 * no formula. */
enum mapping_status smem_derive(struct mapping_smem_matrix *memory, const char *type,
                                struct report *report);

/* The number of columns, along K, that one wgmma or tcgen05.mma reads: 32 bytes. The start address
 * is that of the first column. With is_k_by_mn, they are rows. */
uint32_t smem_slice(const struct smem_report *smem);

/* The number of slices in a stage, and of stages; and the first byte of a slice. */
uint32_t smem_slices(const struct report *report);
uint32_t smem_stages(const struct report *report);
uint32_t smem_slice_start(const struct report *report, uint32_t stage, uint32_t slice);

/* Finds the descriptors of a matrix; `smem` has its address and axes. MAPPING_INVALID if no
 * descriptor can have this address. */
enum mapping_status smem_find_descriptors(struct report *report, struct mapping_error *error);

/* Writes what references disagree about the stride of a descriptor, with the character `between`
 * where a line may end; "" if they agree. */
#define DESCRIPTOR_NOTE_TEXT 160
void smem_stride_note(const struct mapping_descriptor *descriptor, char between,
                      char text[DESCRIPTOR_NOTE_TEXT]);

/* Writes what a matrix in Layout_MN_SW128_32B_Atom lacks, so that no instruction can read it: the
 * type, or columns. "" for other matrices. Sets *cols to the columns that one instruction needs, or
 * to 0 if it needs no more. */
void smem_lack(const struct report *report, uint32_t *cols, char text[DESCRIPTOR_NOTE_TEXT]);

#endif
