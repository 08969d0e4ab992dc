/* npy.h - the header of NumPy's .npy files: "\x93NUMPY", a version, and a Python literal, {'descr':
 * '<f2', 'fortran_order': False, 'shape': (128, 64), }. */
#ifndef PROBE_NPY_H
#define PROBE_NPY_H

#include "catalogue/fragment.h"
#include "system/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { NPY_HEADER = 128, NPY_HEADER_MAX = 4096, NPY_AXES_MAX = 8 };

struct npy {
    char descr[16]; /* "<f2" */
    bool is_fortran;
    size_t axes;
    uint64_t shape[NPY_AXES_MAX];
    size_t data; /* offset of the first element in bytes */
};

/* Returns the header of an array of batches, rows and columns. Two elements of 4 bits are one
 * element of the array, of 8 bits. The axis of batches is omitted if there is one batch; so is the
 * axis of rows if there is also only one row. */
struct npy npy_shape(enum mapping_type type, uint64_t batches, uint64_t rows, uint64_t cols);

/* Writes a shape, "(128, 64)" or "(4096,)". */
#define NPY_TEXT 192
void npy_shape_text(const struct npy *npy, char text[NPY_TEXT]);

/* Writes the header of an array in C order. */
void npy_write(char header[NPY_HEADER], const struct npy *npy);

/* True if a file begins with the magic bytes of .npy. */
bool npy_is_meant(const void *bytes, size_t size);

/* Parses the header in the first bytes of a file: at least NPY_HEADER_MAX bytes, unless the file is
 * shorter. MAPPING_INVALID, with a message that begins with `name`, if it is malformed. */
enum mapping_status npy_read(const void *bytes, size_t size, const char *name, struct npy *npy,
                             struct mapping_error *error);

/* True if an array of this dtype can hold elements of the type. For types that NumPy lacks, raw
 * bytes such as '<V1' for e4m3 are accepted, which ml_dtypes writes. */
bool npy_holds(const struct npy *npy, enum mapping_type type);

#endif
