/* matrix_descriptor.h - decodes descriptors of tensor-core instructions, field by field, from
 * numbers.
 *
 *     0x4000004000010000      how wgmma finds A or B in shared memory:
 *     bits 32-45 are 64       stride byte offset 1024
 *     bits 62-63 are 1        128-byte swizzle
 *
 * matrix_descriptor.c decodes the 64-bit descriptors of matrices in shared memory;
 * catalogue/instruction_descriptor.c decodes the 32-bit instruction descriptor of tcgen05.mma. */
#ifndef SMEM_MATRIX_DESCRIPTOR_H
#define SMEM_MATRIX_DESCRIPTOR_H

#include "smem/matrix.h"

#define FIELD_TEXT 96
enum { FIELDS_MAX = 20 };

/* Bits `low` to `high` of a descriptor. */
struct mapping_field {
    const char *name; /* "stride_byte_offset" */
    uint8_t low, high;
    bool is_wrong; /* no descriptor has this value; `text` is the reason */
    uint64_t value;
    char text[FIELD_TEXT]; /* the meaning of the value: "1024 bytes" */
};

struct mapping_fields {
    uint64_t value; /* all bits */
    size_t count;   /* of the fields, from the lowest to the highest */
    size_t wrong;   /* how many of them are wrong */
    struct mapping_field field[FIELDS_MAX];
};

/* Begins a descriptor without fields. */
void mapping_fields_begin(struct mapping_fields *fields, uint64_t value);

/* Adds bits `low` to `high`, which lie above all fields so far, and returns their value. If bits
 * between the fields are not 0, adds a wrong field "reserved" for them first. */
uint64_t mapping_fields_add(struct mapping_fields *fields, const char *name, unsigned low,
                            unsigned high);

/* Sets the text of the field that was added last, as printf does, and whether it is wrong. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void mapping_fields_say(struct mapping_fields *fields, bool is_right, const char *format, ...);

/* Adds the reserved bits up to bit `last`, if they are not 0. */
void mapping_fields_end(struct mapping_fields *fields, unsigned last);

/* Reads an unsigned integer of at most 64 bits, as C, C++ and Python write them: decimal, 0x or 0b;
 * digits may be separated by ' or _, and u, l or ll may follow. False if the text is no such
 * number. *is_wide is true if it is written as a number of more than 32 bits: by its value, the
 * suffix ll, or leading zeros. */
bool mapping_literal_read(const char *text, uint64_t *value, bool *is_wide);

/* The base offset of a matrix whose swizzle pattern begins at an address. */
uint32_t mapping_base_offset(uint32_t swizzle_bytes, uint32_t address);

/* Sets the start address and base offset of a descriptor: the swizzle pattern of the matrix begins
 * at byte `address` of shared memory, and the first element of the matrix is `first` bytes after
 * it. MAPPING_INVALID if no descriptor can express this. */
enum mapping_status mapping_descriptor_place(struct mapping_descriptor *descriptor,
                                             uint32_t address, uint32_t first,
                                             struct mapping_error *error);

/* Decodes the descriptor of a matrix in shared memory for the instruction `reader` (PTX ISA, wgmma:
 * Matrix Descriptor Format; tcgen05: Shared memory descriptor). */
void mapping_matrix_decode(uint64_t value, enum mapping_reader reader,
                           struct mapping_fields *fields);

#endif
