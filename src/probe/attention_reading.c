/* attention_reading.c - the output O of an attention kernel, and the O of a right kernel; see
 * attention_reading.h.
 */
#include "probe/attention_reading.h"

#include <math.h>

static size_t index_of_o(const struct attention_reading *reading, size_t row, uint32_t col) {
    const struct attention *of = reading->of;
    const uint32_t at = attention_row(of, PROBE_D, of->is_bshd, (uint32_t)(row / of->queries),
                                      (uint32_t)(row % of->queries));
    return memory_index(reading->operand, at, col);
}

uint64_t attention_o_bits(const struct attention_reading *reading, size_t run, size_t row,
                          uint32_t col) {
    return number_get(reading->o[run], reading->reader.bits, index_of_o(reading, row, col));
}

double attention_o(const struct attention_reading *reading, size_t run, size_t row, uint32_t col) {
    return number_read(&reading->reader, reading->o[run], index_of_o(reading, row, col));
}

double attention_tolerance(const struct attention_reading *reading, enum attention_stage stage) {
    const enum mapping_type type = reading->plan->problem.operand[PROBE_C].type;
    const double of_type = number_bits(type) == 8 ? 1.0 / 16
                           : type == MAPPING_BF16 ? 1.0 / 128
                                                  : 1.0 / 512;
    return stage != ATTENTION_SCALE ? of_type : number_bits(type) == 8 ? 1.0 / 8 : 4 * of_type;
}

bool attention_is_near(double value, double right, double relative, double absolute) {
    return value == right || fabs(value - right) <= relative * fabs(right) + absolute;
}

uint32_t attention_keys_with_1(enum attention_stage stage, uint32_t dim, uint32_t seen,
                               uint32_t col) {
    const uint32_t blocks = seen / dim, rest = seen % dim;
    return stage == ATTENTION_RESIDUES
               ? blocks + (col < rest)
               : (blocks / dim + (col < blocks % dim)) * dim + (blocks % dim == col ? rest : 0);
}

double attention_right(const struct attention_reading *reading, size_t run, size_t row,
                       uint32_t col, uint32_t seen, uint32_t lower) {
    const struct attention *of = reading->of;
    const uint32_t head = (uint32_t)(row / of->queries), query = (uint32_t)(row % of->queries);
    size_t index;
    const enum attention_stage stage = attention_stage(reading->plan, run, &index);
    if (stage <= ATTENTION_REPEAT)
        return attention_v(reading->plan, run, attention_kv_head(of, head),
                           attention_target(reading->plan, run, head, query), col);
    if (stage != ATTENTION_SCALE)
        return attention_keys_with_1(stage, of->dim, seen, col) / (double)seen;
    const double weight = lower * exp(reading->inputs.scores.of_lower);
    return (col % 2 == 0 ? weight : seen - lower) / (weight + seen - lower);
}

bool attention_row_has(const struct attention_reading *reading, size_t row, unsigned char kinds) {
    unsigned char all = 0;
    for (uint32_t col = 0; col < reading->of->dim; col++)
        all |= reading->wrong[row * reading->of->dim + col];
    return (all & kinds) != 0;
}

void attention_add_finding(struct attention_reading *reading, const char *name, char *text,
                           bool is_explained, unsigned char kinds) {
    struct finding finding = {.name = name, .text = text, .is_explained = is_explained};
    const uint32_t dim = reading->of->dim;
    for (size_t e = 0; e < (size_t)reading->plan->problem.m * dim; e++)
        if (reading->wrong[e] & kinds)
            finding_note(&finding, (uint32_t)(e / dim), (uint32_t)(e % dim));
    findings_add(reading->findings, &finding);
}
