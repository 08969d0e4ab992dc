/* scene.h - the operands of one opcode as a kernel of executor.h takes them: images out of numbers,
 * and numbers out of images. No CUDA. */
#ifndef SCENE_H
#define SCENE_H

#include "mapping.h"

/* An opcode, and its operands in registers. */
struct scene {
    struct mapping_opcode opcode;
    struct mapping_fragment fragments[MAPPING_OPERANDS];
    size_t count;
};

struct scene scene_of(const struct mapping_opcode *opcode);

/* An operand by letter, NULL if it is not in registers. */
const struct mapping_fragment *scene_find(const struct scene *scene, char operand);

/* Whether it is more than a matrix that is moved. */
bool scene_multiplies(const struct scene *scene);
bool scene_is_wgmma(const struct scene *scene);
bool scene_is_sparse(const struct scene *scene);

/* The columns of A as it is held, K or where A is sparse K/2. */
uint32_t scene_depth(const struct scene *scene);

/* Of a sparse A only some of each group of columns are held, as the metadata says. That which says
 * the same of all groups: the first half of each, or the second. */
uint32_t scene_metadata(bool second_half);

/* Where row k of B stands for such metadata: the column of A that it is multiplied with, and for
 * which half that is so. Where A is not sparse, k and the first. */
void scene_compress(const struct scene *scene, uint32_t k, uint32_t *column, bool *second_half);

/* The row of B for a column of A: the other way round. */
uint32_t scene_expand(const struct scene *scene, uint32_t column, bool second_half);

/* The number as bits of the type, which holds it exactly. */
uint64_t encode(enum mapping_type type, uint32_t integer);

/* Puts `bits`, `width` of them, into an image at that place counted in such units. */
void image_put(uint32_t *image, size_t place, unsigned width, uint64_t bits);
uint64_t image_get(const uint32_t *image, size_t place, unsigned width);

/* Words of the image of an operand in registers. */
size_t image_registers(const struct mapping_fragment *fragment);

/* wgmma's A and B in shared memory: words, and in units of the type's width the place of the
 * element at `line`, which is a row of A or a column of B, and `depth` along K. */
size_t image_shared(const struct scene *scene, char operand);
size_t image_shared_place(const struct scene *scene, char operand, uint32_t line, uint32_t depth);

#endif
