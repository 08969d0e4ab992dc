/* copy_plan.h - plans how to load the registers of a fragment from a matrix in memory, or to store
 * them: the access and the addresses.
 *
 * A thread's registers form one string of bits, with element 0 lowest. An access moves pieces of
 * this string: whole registers for ldmatrix and accesses of 32, 64 and 128 bits, parts of a
 * register for 8 and 16 bits.
 *
 * Addresses are in bytes from the beginning of the matrix. The matrix is assumed to be aligned to
 * 128 bytes, or to 1024 if a swizzle needs that. */
#ifndef SMEM_COPY_PLAN_H
#define SMEM_COPY_PLAN_H

#include "smem/banks.h"

/* Numbers the steps of a plan. */
#define MAPPING_AXIS_STEP "step"

struct mapping_copy_request {
    const struct mapping_layout *memory;   /* (row, col) -> offset, in elements; for a store, all
                                              different */
    const struct mapping_layout *fragment; /* (tid, i) -> (row, col) */
    uint32_t bits;                         /* bits of an element in registers: 1, 2, 4, ... 64 */
    uint32_t memory_bits;                  /* the size in memory, 0 if it is the same; 4 or 6 for
                                              `bits` of 8 if elements are packed: 16 elements begin
                                              at each multiple of 16 bytes */
    bool is_signed;                        /* packed elements are sign-extended */
    uint32_t origin[2]; /* row and column of the matrix where row 0, column 0 of the fragment is */
    bool is_store;
    uint32_t arch; /* the architecture whose operations mapping_copy_plan_all tries, 75 for sm_75; 0
                      for all */
};

/* True if the access is to be tried: it has the direction of the request, its architecture has it,
 * and it treats packed elements as the request requires. */
bool mapping_copy_plan_suits(const struct mapping_copy_request *request,
                             const struct mapping_access *access);

/* The pieces that one execution of an access moves, and their addresses. */
enum { LOAD_PIECES = 4 };
struct mapping_copy_step {
    uint32_t piece_count;
    uint32_t pieces[LOAD_PIECES]; /* the numbers of the registers; for accesses of 8 or 16 bits, of
                                     the bytes or half-words of all registers, counted from 0 */
    uint32_t *address; /* for each thread, in bytes, the operand of the access; MAPPING_INACTIVE for
                          threads that provide none; owned by the plan */
    bool has_formula;
    struct mapping_formula formula; /* of tid: the address of each thread that provides one; for the
                                       other lanes, that of lane % 8 or % 16 of the warp, since
                                       sm_75 requires valid addresses from them, too (PTX ISA,
                                       ldmatrix) */
    uint32_t wavefronts, minimum;   /* of all warps */
};

struct mapping_copy_plan {
    const struct mapping_access *access;
    uint32_t threads; /* of the fragment: 32, 64, ... */
    uint32_t step_count;
    struct mapping_copy_step *steps; /* owned */
    uint32_t wavefronts, minimum;    /* sums over the steps */
    bool has_formula;                /* the plan has several steps, and one formula for all */
    struct mapping_formula formula;  /* of (step, tid) */
};

/* Plans how an operation moves the whole fragment. Each step moves as many registers as the
 * operation allows, out of those that are adjacent in memory. mapping_copy_plan_deduce adds
 * formulae. MAPPING_INVALID with the reason if the operation cannot move it, with thread, elements
 * and addresses: "element 1 of thread 0 must follow element 0 in memory, but element 0 is at byte 0
 * and element 1 at byte 128"; or if the fragment at that origin lies outside of the matrix. An
 * access that reads packed elements also accepts a matrix of 8-bit elements in which the first
 * bytes of each 16 hold 16 elements, as TMA writes 4- and 6-bit elements. The error may be NULL, as
 * in a search. Free the plan with mapping_copy_plan_free in any case. */
enum mapping_status mapping_copy_plan_make(const struct mapping_copy_request *request,
                                           const struct mapping_access *access,
                                           struct mapping_copy_plan *plan,
                                           struct mapping_error *error);

void mapping_copy_plan_free(struct mapping_copy_plan *plan);

/* Finds the formulae of a plan. No other function finds them: until then has_formula is false. */
void mapping_copy_plan_deduce(struct mapping_copy_plan *plan);

/* Plans with every operation that can, best first: by wavefronts, then by steps, then in the order
 * of mapping_access_at. *plans is owned by the caller in any case, an array of *count, each to be
 * freed. MAPPING_INVALID, and *count is 0, if none can: the error says why the narrowest cannot, or
 * what is wrong with the request. */
enum mapping_status mapping_copy_plan_all(const struct mapping_copy_request *request,
                                          struct mapping_copy_plan **plans, size_t *count,
                                          struct mapping_error *error);

/* The byte offsets that turn the addresses of a plan at row 0, column 0 of stage 0 into those at
 * other origins; also if element (0, 0) is not at byte 0. */
struct mapping_copy_moves {
    char operation;      /* '+' or '^'; 0 if no origins were requested */
    size_t count;        /* the number of origins */
    uint32_t *bytes;     /* the byte offset of each origin, to add or xor; owned */
    uint32_t rows, cols; /* the row and column of an origin are multiples of these */
    uint32_t stages;     /* of the matrix; 1 if it has no axis of stages */
};

/* Finds the moves of a plan at row 0, column 0 to all other origins: rows and columns that are
 * multiples of the size of the fragment, in each stage. The tables of all stages lie one after the
 * other in the request's memory. Plans a load or store at each origin, and compares all addresses.
 * Sets the plan's wavefronts to those of the worst origin. Fails with MAPPING_INVALID if no offset
 * gives the addresses, or the instruction cannot access the fragment at an origin. The caller frees
 * `bytes`. */
enum mapping_status mapping_copy_plan_move(const struct mapping_copy_request *request,
                                           uint32_t stages, struct mapping_copy_plan *plan,
                                           struct mapping_copy_moves *moves,
                                           struct mapping_error *error);

/* ---- Copies ---- */

/* Plans the copy of a whole matrix with 16 bytes per lane, as stores: adjacent lanes write adjacent
 * bytes, as with cp.async and TMA. Each step writes with 32 lanes. MAPPING_INVALID if 16 bytes of a
 * row, or a column, are not adjacent somewhere. The error may be NULL. Free the plan with
 * mapping_copy_plan_free in any case. */
enum mapping_status mapping_copy_plan_matrix(const struct mapping_layout *matrix, uint32_t bits,
                                             struct mapping_copy_plan *plan,
                                             struct mapping_error *error);

/* How TMA writes a matrix: as boxes of one size, each with one swizzle, from a matrix of two
 * dimensions in global memory. */
struct mapping_tma {
    const char *swizzle; /* "CU_TENSOR_MAP_SWIZZLE_128B" */
    uint32_t since;      /* the first architecture: 90; 100 of 128B_ATOM_* */
    uint32_t inner;    /* the axis along which elements of a line are adjacent: 0 rows, 1 columns */
    uint32_t box[2];   /* rows and columns of a box, in elements */
    uint32_t boxes[2]; /* of the matrix along rows and columns */
    uint32_t unit;     /* bits of what the tensor map counts: an element, or 8 of a byte */
    uint32_t alignment; /* that the matrix needs in shared memory, in bytes */
};

/* Finds the boxes with which TMA can write a matrix; `tma` may be NULL. The lines of a box, rows or
 * columns, have a multiple of 16 bytes and follow one another without padding; a box has at most
 * 256 units along each side, and begins at a multiple of 128 bytes. With a swizzle of 32, 64 or 128
 * bytes, lines begin every 32, 64 or 128 bytes and are not longer. (CUDA Driver API,
 * cuTensorMapEncodeTiled; PTX ISA 5.5.7; CuTe's copy_traits_sm90_tma_swizzle.hpp.) The mode
 * 128B_ATOM_32B_FLIP_8B is not supported: it also exchanges 8 bytes "at every alternate shared
 * memory line", but no document specifies whether these are the even or the odd lines. On an H200
 * (sm_90, driver 580.159.04), cuTensorMapEncodeTiled refuses the three modes 128B_ATOM_* for each
 * type of elements. MAPPING_INVALID with a message if TMA cannot write the matrix. */
enum mapping_status mapping_tma_find(const struct mapping_layout *matrix, uint32_t bits,
                                     struct mapping_tma *tma, struct mapping_error *error);

#endif
