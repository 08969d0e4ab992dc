/* mapping.h - tensor-core fragments, their maps, and the formulae deduced from them.
 *
 * This is the whole face of libmapping.a: no I/O, no CUDA, no global state. Errors are values.
 *
 * Words: a fragment is one operand of one tensor-core instruction, held in the registers of a warp.
 * `tid` is the thread in the warp, 0..31; `i` counts the matrix elements that one thread holds, in
 * register order. A map is the function (tid, i) -> (row, col). A is M x K with (row, col) = (m,
 * k), B is K x N with (k, n), C and D are M x N with (m, n). Rows and columns count from 0.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAPPING_VERSION "0.1.0"

/* What a call came to. The numbers are the exit status of the command. */
enum mapping_status {
    MAPPING_OK = 0,
    MAPPING_DIFFERS = 1,     /* a check or comparison found a difference */
    MAPPING_INVALID = 2,     /* no such option, architecture, fragment; a malformed input file */
    MAPPING_UNAVAILABLE = 3, /* it exists, but not here */
    MAPPING_NO_FORMULA = 4,  /* the map is there, but no formula in the space gives it */
    MAPPING_FAILED = 5       /* the machine failed: CUDA, a tool, memory, output */
};

/* One sentence for the user, without prefix, newline or final stop. */
struct mapping_error {
    char message[768];
};

/* Writes the sentence, cut off where it does not fit, and returns `status`. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
mapping_fail(struct mapping_error *error, enum mapping_status status, const char *format, ...);

/* ---- Catalogue: element types, architectures, fragments ---- */

enum mapping_type { MAPPING_F32, MAPPING_F16, MAPPING_TYPES };

/* PTX spelling, e.g. "f32". */
const char *mapping_type_name(enum mapping_type type);

/* The other name that people use, e.g. "float". */
const char *mapping_type_alias(enum mapping_type type);

/* Size of one element in bits. */
unsigned mapping_type_bits(enum mapping_type type);

/* Finds a type by its PTX spelling or alias; false if there is none of that name. */
bool mapping_type_find(const char *name, enum mapping_type *type);

struct mapping_shape {
    uint16_t m, n, k;
};

/* One fragment. `elements` and `registers` are per thread, registers of 32 bits. `since` is the
 * number of the first architecture that has it, e.g. 70. */
struct mapping_fragment {
    struct mapping_shape shape;
    char operand; /* 'a', 'b', 'c' or 'd' */
    enum mapping_type type;
    uint16_t rows, cols;
    uint16_t threads, elements, registers;
    uint16_t since;
};

/* Longest name with its end. */
#define MAPPING_NAME_SIZE 64

/* The fragment at `index` in the order in which they are listed; false from the end on. */
bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment);

/* Finds a fragment by its name, e.g. "wmma.m16n16k16.d.f32"; false if there is none. */
bool mapping_catalogue_find(const char *name, struct mapping_fragment *fragment);

/* Writes the name of the fragment to `name`. */
void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]);

/* An architecture by its number, e.g. 75 for sm_75, and the names that people use for it and its
 * products, separated by blanks. */
struct mapping_arch {
    unsigned number;
    const char *names;
};

/* The architecture at `index`, in ascending order; NULL from the end on. */
const struct mapping_arch *mapping_arch_at(size_t index);

/* Finds an architecture by any spelling: "sm_75", "75", "7.5", "turing", "sm_90a". Upper and lower
 * case are the same. NULL if there is none. */
const struct mapping_arch *mapping_arch_find(const char *name);

/* ---- Maps ---- */

enum { MAPPING_ROW, MAPPING_COL, MAPPING_COORDINATES };

/* A map. Entry (tid, i) stands at index tid * elements + i of each plane; plane MAPPING_ROW holds
 * the rows, MAPPING_COL the columns. */
struct mapping_map {
    uint32_t threads, elements;
    uint32_t rows, cols;
    uint32_t *plane[MAPPING_COORDINATES]; /* one allocation, owned by the map */
};

/* Makes a map of the fragment's size with every coordinate UINT32_MAX. False if out of memory. Free
 * it with mapping_map_free. */
bool mapping_map_init(struct mapping_map *map, const struct mapping_fragment *fragment);

/* Frees what the map owns. A zeroed map is allowed. */
void mapping_map_free(struct mapping_map *map);

/* The number of entries: threads x elements. */
size_t mapping_map_entries(const struct mapping_map *map);

/* How many (tid, i) hold the same element; entries / (rows x cols). */
uint32_t mapping_map_copies(const struct mapping_map *map);

/* Checks that each entry lies inside the matrix and that each element occurs exactly `copies`
 * times. MAPPING_INVALID with a sentence otherwise; MAPPING_FAILED if out of memory. */
enum mapping_status mapping_map_check(const struct mapping_map *map, struct mapping_error *error);

/* Inverts a checked map: holders[(copy * rows + row) * cols + col] = tid * elements + i, copies of
 * one element in ascending order. `holders` has as many places as the map has entries. */
void mapping_map_invert(const struct mapping_map *map, uint32_t *holders);

/* ---- Formulae ---- */

/* An input of a formula: takes the values 0 .. count - 1. */
struct mapping_variable {
    const char *name;
    uint32_t count;
};

/* ((v & mask) << shift), or >> -shift where shift is negative; v is variables[variable]. */
struct mapping_term {
    uint32_t mask;
    int8_t shift;
    uint8_t variable;
};

#define MAPPING_MAX_VARIABLES 4
#define MAPPING_MAX_TERMS 128

/* The terms combined by `operation`, '+' or '^'. Without terms it is 0. The terms of variable v are
 * terms[first[v]] .. terms[first[v + 1] - 1]. */
struct mapping_formula {
    char operation;
    uint8_t first[MAPPING_MAX_VARIABLES + 1];
    struct mapping_term terms[MAPPING_MAX_TERMS];
};

/* Deduces the formula of one coordinate from all its values.
 *
 * `variables` has `count` inputs, 1 .. MAPPING_MAX_VARIABLES; values[] is their whole product, the
 * first variable running fastest, at most 2^20 entries. The space: a sum of shifted and masked
 * variables, and where no sum fits, the same with exclusive or. The form is canonical: terms by
 * variable, then by lowest mask bit; terms of one variable and one shift are one term. The formula
 * has been evaluated and compared at every entry when this returns true; false means that the space
 * has no formula for these values. Takes time linear in the entries, and no memory. */
bool mapping_deduce(const struct mapping_variable *variables, size_t count, const uint32_t *values,
                    struct mapping_formula *formula);

/* The value of the formula; x[v] is the value of variable v. */
uint32_t mapping_formula_evaluate(const struct mapping_formula *formula, size_t count,
                                  const uint32_t *x);

/* Writes the formula as a C expression, e.g. "(i & 5) + (tid & 10)". Works as snprintf does:
 * returns the length that the whole expression has, and writes what fits into `size` bytes. */
size_t mapping_formula_print(const struct mapping_formula *formula,
                             const struct mapping_variable *variables, size_t count, char *text,
                             size_t size);

#ifdef __cplusplus
}
#endif
#endif
