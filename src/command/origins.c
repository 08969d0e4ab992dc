/* origins.c - finds the instructions that define the registers of an operand; see origins.h.
 *
 * Each byte of the operand has two positions: one in the operand, and one in the matrix that was
 * loaded, or in D of a product. The distance between the two must be the same for all bytes of one
 * 8x8 matrix of a load. It may differ between matrices, because their row addresses
 * determine it. */
#include "command/origins.h"

#include "catalogue/catalogue.h"
#include "layout/space.h"

#include <stddef.h>
#include <string.h>

enum { REGISTERS_MAX = ASKED_REGISTERS, BYTES_MAX = 4 * REGISTERS_MAX, VERDICTS = 256 };

/* The origin of a byte of an operand. */
struct from {
    uint8_t root; /* index in origin->from */
    uint8_t reg;  /* register among those that this instruction writes */
    uint8_t start, width, part;
};

/* Everything that a verdict depends on. */
struct signature {
    struct form *form, *roots[ORIGINS_MAX];
    uint32_t operand, bytes;
    struct from from[BYTES_MAX]; /* only `bytes` of them are set */
};

static size_t size_of(const struct signature *signature) {
    return offsetof(struct signature, from) + signature->bytes * sizeof *signature->from;
}

struct verdict {
    struct signature signature;
    enum agreement agreement;
    bool by_columns, has_order; /* rows in memory are columns of the operand; the output says so */
};

/* ---- Comparison ---- */

/* A fragment as a table of its elements. In Tensor Memory, a row is a lane. */
struct table {
    const struct mapping_layout *layout;
    const uint32_t *row, *col, *block; /* block: NULL of one matrix */
    uint32_t threads, elements, bits;
    bool is_tmem;
};

static bool read_table(const struct form *form, const struct form_operand *of,
                       struct table *table) {
    const struct report *report = form->reports[of - form->operands];
    if (!report)
        return false;
    const struct mapping_layout *layout = &report->forward.layout;
    const int lane = mapping_space_find(&layout->to, MAPPING_AXIS_LANE),
              row = lane >= 0 ? lane : mapping_space_find(&layout->to, MAPPING_AXIS_ROW),
              col = mapping_space_find(&layout->to,
                                       lane >= 0 ? MAPPING_AXIS_COLUMN : MAPPING_AXIS_COL),
              block = mapping_space_find(&layout->to, MAPPING_AXIS_BLOCK);
    if (row < 0 || col < 0 || layout->from.count != 2)
        return false;
    *table = (struct table){layout,
                            layout->coordinate[row],
                            layout->coordinate[col],
                            block < 0 ? NULL : layout->coordinate[block],
                            layout->from.axis[0].size,
                            layout->from.axis[1].size,
                            0,
                            lane >= 0};
    table->bits = of->registers * 32 / table->elements;
    return table->bits > 0;
}

/* The distance between the two positions of a byte; unknown before the first byte. */
struct distance {
    bool is_known;
    int64_t lead, along;
};

/* True if the distance is the same as for other bytes of the group. */
static bool keeps(struct distance *group, int64_t lead, int64_t along) {
    if (!group->is_known)
        *group = (struct distance){true, lead, along};
    return group->lead == lead && group->along == along;
}

enum { BLOCKS_MAX = 4 };

/* The bits of an element of an operand. Columns of Tensor Memory have 32 bits; if values are
 * converted to fewer bits, a column has several of them. */
static uint32_t unit_of(const struct signature *signature, const struct table *operand) {
    uint32_t bytes = 0;
    for (uint32_t b = 0; b < signature->bytes && operand->is_tmem; b++)
        if (signature->from[b].width > 0 && signature->from[b].part >= bytes)
            bytes = signature->from[b].part + 1U;
    return bytes > 0 ? 8 * bytes : operand->bits;
}

/* True if each matrix of each root is in the operand unchanged, or with rows and columns exchanged
 * if `is_flipped`. With `by_register`, the registers of a matrix may be permuted. */
static bool fits(const struct signature *signature, const struct table *roots,
                 const struct table *operand, bool is_flipped, bool by_register) {
    const uint32_t threads = operand->threads, unit = unit_of(signature, operand);
    for (uint32_t warp = 0; warp < threads; warp += MAPPING_WARP) {
        struct distance distances[ORIGINS_MAX][BLOCKS_MAX][REGISTERS_MAX];
        memset(distances, 0, sizeof distances);
        for (uint32_t t = warp; t < threads && t < warp + MAPPING_WARP; t++)
            for (uint32_t b = 0; b < signature->bytes; b++) {
                const struct from *from = &signature->from[b];
                const struct table *root = &roots[from->root];
                /* A byte may hold several elements: compare its first and its last. */
                const uint32_t step = operand->bits < 8 && from->width == 0 ? 8 - operand->bits : 8;
                for (uint32_t bit = 0; bit < 8; bit += step) {
                    const uint32_t at = 8 * b + bit, element = at / operand->bits;
                    const uint32_t source_bit = 32U * from->reg + 8U * from->start + bit;
                    const uint32_t source = source_bit / root->bits;
                    const size_t o = (size_t)t * operand->elements + element,
                                 s = (size_t)(t % root->threads) * root->elements + source;
                    if (element >= operand->elements || source >= root->elements)
                        return false;
                    int64_t lead = is_flipped ? operand->col[o] : operand->row[o];
                    int64_t along = is_flipped ? operand->row[o] : operand->col[o];
                    if (from->width > 0) {
                        if (8 * from->width != root->bits || 8 * from->part != at % unit)
                            return false;
                        along = along * (operand->bits / unit) + at % operand->bits / unit;
                        along -= root->col[s];
                    } else {
                        along = along * operand->bits + at % operand->bits -
                                ((int64_t)root->col[s] * root->bits + source_bit % root->bits);
                    }
                    lead -= root->row[s];
                    const uint32_t block = root->block ? root->block[s] : 0;
                    if (block >= BLOCKS_MAX ||
                        !keeps(&distances[from->root][block][by_register ? b / 4 : 0], lead, along))
                        return false;
                }
            }
    }
    return true;
}

/* True if the registers of each root are in ascending order in the operand. */
static bool is_ascending(const struct signature *signature) {
    for (uint32_t b = 4; b < signature->bytes; b++) {
        const struct from *from = &signature->from[b], *before = &signature->from[b - 4];
        if (from->root == before->root && from->reg < before->reg)
            return false;
    }
    return true;
}

static enum agreement compare(struct verdict *verdict, const struct form_operand *roots[],
                              size_t count) {
    const struct signature *signature = &verdict->signature;
    const struct form *form = signature->form;
    const struct form_operand *of = &form->operands[signature->operand];
    struct table tables[ORIGINS_MAX], operand;
    bool is_load = false;
    if (!read_table(form, of, &operand))
        return AGREE_UNKNOWN;
    for (size_t r = 0; r < count; r++) {
        is_load |= roots[r]->fragment.operand == MAPPING_R;
        if (!read_table(signature->roots[r], roots[r], &tables[r]) ||
            tables[r].is_tmem != operand.is_tmem)
            return AGREE_UNKNOWN;
    }
    const char *variant = mapping_fragment_variant(&of->fragment);
    const bool is_b = of->fragment.operand == MAPPING_B;
    const bool is_flipped = is_load && (of->fragment.operand == MAPPING_A || is_b) &&
                            (is_b ? strcmp(variant, "row") != 0 : strcmp(variant, "col") == 0);
    verdict->has_order = is_load && (of->fragment.operand == MAPPING_A || is_b);
    verdict->by_columns = is_flipped;
    if (fits(signature, tables, &operand, is_flipped, false))
        return is_ascending(signature) ? AGREE_EQUAL : AGREE_EXCHANGED;
    verdict->by_columns = !is_flipped;
    if (fits(signature, tables, &operand, !is_flipped, false))
        return AGREE_TRANSPOSED;
    verdict->has_order = false;
    return fits(signature, tables, &operand, is_flipped, true) ? AGREE_EXCHANGED : AGREE_NOT;
}

/* Compares the layouts, or returns the earlier result for the same registers of the same forms. */
static const struct verdict *judge(struct origins *origins, const struct signature *signature,
                                   const struct form_operand *roots[], size_t count) {
    const uint64_t hash = hash_of(signature, size_of(signature));
    if (!origins->verdicts)
        origins->verdicts = memory_get(VERDICTS, sizeof *origins->verdicts);
    struct verdict *verdict = &origins->verdicts[(hash ^ hash >> 32) % VERDICTS];
    if (memcmp(&verdict->signature, signature, size_of(signature)) != 0) {
        memcpy(&verdict->signature, signature, size_of(signature));
        origins->make_reports(origins->context, signature->form);
        for (size_t r = 0; r < count; r++)
            origins->make_reports(origins->context, signature->roots[r]);
        verdict->has_order = false;
        verdict->agreement = compare(verdict, roots, count);
    }
    return verdict;
}

/* ---- Roots ---- */

/* True for the name of a load that has no fragment: LDS.128, ld.shared.v4.b32. */
static bool is_plain_load(const char *name) {
    return strncmp(name, "LDS", 3) == 0 || strncmp(name, "LDG", 3) == 0 ||
           strncmp(name, "LD.", 3) == 0 || strncmp(name, "ld.", 3) == 0;
}

void origins_find(struct origins *origins, const struct writes *writes, const struct asked *asked,
                  struct origin *origin) {
    const struct form_operand *results[ORIGINS_MAX];
    uint32_t places[ORIGINS_MAX] = {0};
    struct signature signature;
    size_t count = 0, with_fragment = 0;
    memset(&signature, 0, offsetof(struct signature, from));
    *origin = (struct origin){.operand = asked->operand};
    signature.form = writes->told[asked->place].form;
    signature.operand = asked->operand;
    signature.bytes = 4 * asked->count;
    for (uint32_t r = 0; r < asked->count; r++) {
        struct moved_byte bytes[4];
        writes_resolve(writes, asked->first + r, bytes, &origin->packs, &origin->is_computed);
        for (uint32_t b = 0; b < 4; b++) {
            if (bytes[b].source == FLOW_UNSURE)
                return;
            const uint32_t place = flow_place(&writes->flow, bytes[b].source);
            const struct told *told = &writes->told[place];
            size_t root = 0;
            while (root < count && places[root] != place)
                root++;
            if (root == ORIGINS_MAX)
                return;
            if (root == count) {
                results[root] = form_result(told->form);
                if (!results[root] && (told->form || !is_plain_load(told->name)))
                    return;
                with_fragment += results[root] != NULL;
                signature.roots[root] = told->form;
                places[count++] = place;
            }
            signature.from[4 * r + b] =
                (struct from){(uint8_t)root, (uint8_t)(bytes[b].source - told->first),
                              bytes[b].start, bytes[b].width, bytes[b].part};
        }
    }
    origin->count = count;
    for (size_t r = 0; r < count; r++) {
        const struct told *told = &writes->told[places[r]];
        const bool is_product = results[r] &&
                                mapping_instruction_multiplies(results[r]->fragment.instruction) &&
                                results[r]->fragment.operand == MAPPING_D;
        origin->from[r] = (struct origin_place){
            .name = told->name,
            .is_load = results[r] && !is_product,
            .is_product = is_product,
            .line = told->line,
            .address = told->address,
        };
    }
    if (with_fragment < count)
        return;
    const struct verdict *verdict = judge(origins, &signature, results, count);
    origin->agreement = verdict->agreement;
    origin->order = !verdict->has_order ? NULL : verdict->by_columns ? "columns" : "rows";
}
