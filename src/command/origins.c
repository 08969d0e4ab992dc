/* origins.c - finds the instructions that define the registers of an operand; see origins.h.
 *
 * Each byte of the operand has two positions: one in the operand, and one in the matrix that was
 * loaded, or in D of a product. The distance between the two must be the same for all bytes of one
 * 8x8 matrix of a load, and of one D. It may differ between the matrices of loads and of stores,
 * because their row addresses determine it. It may differ between several D along K only. */
#include "command/origins.h"

#include "catalogue/catalogue.h"
#include "layout/space.h"

#include <stddef.h>
#include <string.h>

enum {
    REGISTERS_MAX = ASKED_REGISTERS,
    BYTES_MAX = 4 * REGISTERS_MAX,
    BLOCKS_MAX = 4,
    WARPS_MAX = 8,
    GROUPS = ORIGINS_MAX * BLOCKS_MAX * BLOCKS_MAX,
    VERDICTS = 256
};

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

static const struct form_operand *operand_of(const struct signature *signature) {
    return &signature->form->operands[signature->operand];
}

static size_t size_of(const struct signature *signature) {
    return offsetof(struct signature, from) + signature->bytes * sizeof *signature->from;
}

struct verdict {
    struct signature signature;
    enum agreement agreement;
    bool by_columns, has_order; /* rows in memory are columns of the operand; the output says so */
    bool is_repeated;           /* the operand holds a byte twice */
};

/* ---- Comparison ---- */

/* A fragment as a table of its elements. In Tensor Memory, a row is a lane. */
struct table {
    const struct mapping_layout *layout;
    const uint32_t *row, *col, *block; /* block: NULL of one matrix */
    uint32_t threads, elements, bits;
    bool is_tmem, is_product; /* is_product: D */
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
    if (row < 0 || col < 0 || layout->from.count != 2 ||
        layout->from.axis[0].size > WARPS_MAX * MAPPING_WARP)
        return false;
    *table = (struct table){layout,
                            layout->coordinate[row],
                            layout->coordinate[col],
                            block < 0 ? NULL : layout->coordinate[block],
                            layout->from.axis[0].size,
                            layout->from.axis[1].size,
                            0,
                            lane >= 0,
                            of->fragment.operand == MAPPING_D};
    table->bits = of->registers * 32 / table->elements;
    return table->bits > 0;
}

/* The bits of an element of an operand. Columns of Tensor Memory have 32 bits; if values are
 * converted to fewer bits, a column has several of them. */
static uint32_t unit_of(const struct signature *signature, const struct table *operand) {
    uint32_t bytes = 0;
    for (uint32_t b = 0; b < signature->bytes && operand->is_tmem; b++)
        if (signature->from[b].width > 0 && signature->from[b].part >= bytes)
            bytes = signature->from[b].part + 1U;
    return bytes > 0 ? 8 * bytes : operand->bits;
}

/* The distance between the two positions of a byte. Each matrix of a load and of a store has one of
 * its own. `owner` is the register that set it, plus 1; 0
 * if it is unknown. */
struct distance {
    uint32_t owner;
    int64_t lead, along;
};

/* A comparison of an operand with its roots. If `is_flipped`, rows and columns are exchanged. */
struct comparison {
    const struct signature *signature;
    const struct table *roots, *operand;
    uint32_t unit;
    bool is_flipped;
    /* Several D must be side by side along K: for A, all have the same distance of rows; for B, of
     * columns; for C, of both. Addresses may move the matrices of loads and stores. */
    bool keeps_lead, keeps_along;
    struct distance distances[WARPS_MAX][GROUPS], products[WARPS_MAX];
};

/* True if the distance is the same as before. The first register sets it. */
static bool keeps(struct distance *group, const struct distance *at, bool lead, bool along) {
    if (group->owner == 0)
        *group = *at;
    return (!lead || group->lead == at->lead) && (!along || group->along == at->along);
}

/* True if register `r` of the signature keeps all distances if it is register `place` of the
 * operand. */
static bool register_fits(struct comparison *to, uint32_t r, uint32_t place) {
    const struct table *operand = to->operand;
    for (uint32_t t = 0; t < operand->threads; t++)
        for (uint32_t b = 0; b < 4; b++) {
            const struct from *from = &to->signature->from[4 * r + b];
            const struct table *root = &to->roots[from->root];
            /* A byte may hold several elements: compare its first and its last. */
            const uint32_t step = operand->bits < 8 && from->width == 0 ? 8 - operand->bits : 8;
            for (uint32_t bit = 0; bit < 8; bit += step) {
                const uint32_t at = 32 * place + 8 * b + bit, element = at / operand->bits;
                const uint32_t source_bit = 32U * from->reg + 8U * from->start + bit;
                const uint32_t source = source_bit / root->bits;
                const size_t o = (size_t)t * operand->elements + element,
                             s = (size_t)(t % root->threads) * root->elements + source;
                if (element >= operand->elements || source >= root->elements)
                    return false;
                int64_t along = to->is_flipped ? operand->row[o] : operand->col[o];
                if (from->width > 0) {
                    if (8 * from->width != root->bits || 8 * from->part != at % to->unit)
                        return false;
                    along = along * (operand->bits / to->unit) + at % operand->bits / to->unit;
                    along -= root->col[s];
                } else {
                    along = along * operand->bits + at % operand->bits -
                            ((int64_t)root->col[s] * root->bits + source_bit % root->bits);
                }
                const int64_t lead = to->is_flipped ? operand->col[o] : operand->row[o];
                const struct distance distance = {r + 1, lead - root->row[s], along};
                const uint32_t warp = t / MAPPING_WARP, block = root->block ? root->block[s] : 0,
                               into = operand->block ? operand->block[o] : 0,
                               group = (from->root * BLOCKS_MAX + block) * BLOCKS_MAX + into;
                if (block >= BLOCKS_MAX || into >= BLOCKS_MAX ||
                    !keeps(&to->distances[warp][group], &distance, true, true) ||
                    (root->is_product && !operand->block &&
                     !keeps(&to->products[warp], &distance, to->keeps_lead, to->keeps_along)))
                    return false;
            }
        }
    return true;
}

/* True if a column of A, C or a row of B has elements of two D of the same form: elements of both
 * are missing then. Register r of the signature is register place[r] of the operand. */
static bool mixes_products(const struct comparison *to, const uint32_t place[]) {
    enum { WIDTH_MAX = 256, WORDS = WIDTH_MAX / 64 };
    const struct table *operand = to->operand;
    const bool is_b = operand_of(to->signature)->fragment.operand == MAPPING_B;
    const uint32_t *line = is_b ? operand->row : operand->col;
    uint64_t lines[ORIGINS_MAX][WORDS] = {{0}};
    for (uint32_t t = 0; t < operand->threads; t++)
        for (uint32_t b = 0; b < to->signature->bytes; b++) {
            const uint32_t element = (32 * place[b / 4] + b % 4 * 8) / operand->bits,
                           at = line[(size_t)t * operand->elements + element];
            if (at < WIDTH_MAX)
                lines[to->signature->from[b].root][at / 64] |= UINT64_C(1) << at % 64;
        }
    for (uint32_t root = 0; root < ORIGINS_MAX && !operand->block; root++)
        for (uint32_t other = 0; other < root; other++)
            for (uint32_t w = 0; w < WORDS; w++)
                if ((lines[root][w] & lines[other][w]) && to->roots[root].is_product &&
                    to->signature->roots[root] == to->signature->roots[other])
                    return true;
    return false;
}

/* Begins a comparison. */
static void begin(struct comparison *to, bool is_flipped) {
    const enum mapping_operand operand = operand_of(to->signature)->fragment.operand;
    to->is_flipped = is_flipped;
    to->keeps_lead = operand == MAPPING_A ? !is_flipped : operand == MAPPING_B ? is_flipped : true;
    to->keeps_along = operand == MAPPING_A ? is_flipped : operand == MAPPING_B ? !is_flipped : true;
    memset(to->distances, 0, sizeof to->distances);
    memset(to->products, 0, sizeof to->products);
}

/* True if each matrix of each root is in the operand unchanged, or with rows and columns exchanged
 * if `is_flipped`. */
static bool fits(struct comparison *to, bool is_flipped) {
    uint32_t place[REGISTERS_MAX];
    begin(to, is_flipped);
    for (uint32_t r = 0; 4 * r < to->signature->bytes; r++) {
        place[r] = r;
        if (!register_fits(to, r, r))
            return false;
    }
    return !mixes_products(to, place);
}

/* Forgets the distances that a register set. */
static void forget(struct comparison *to, uint32_t r) {
    for (uint32_t w = 0; w < WARPS_MAX; w++) {
        if (to->products[w].owner == r + 1)
            to->products[w].owner = 0;
        for (uint32_t group = 0; group < GROUPS; group++)
            if (to->distances[w][group].owner == r + 1)
                to->distances[w][group].owner = 0;
    }
}

/* True if each matrix of each root is in the operand after its registers are put in another order,
 * the same in all threads. The first register of a matrix may be at any place; it determines the
 * places of the others. */
static bool fits_in_other_order(struct comparison *to, bool is_flipped) {
    enum { TRIES_MAX = 1 << 16 };
    const uint32_t count = to->signature->bytes / 4;
    uint32_t place[REGISTERS_MAX] = {0}, r = 0, next = 0;
    bool is_taken[REGISTERS_MAX] = {false};
    begin(to, is_flipped);
    for (uint32_t tries = 0; r < count && tries < TRIES_MAX; tries++) {
        if (next == count) { /* no place is left: try another place of the register before */
            if (r == 0)
                return false;
            r--;
            forget(to, r);
            is_taken[place[r]] = false;
            next = place[r] + 1;
        } else if (!is_taken[next] && register_fits(to, r, next)) {
            is_taken[next] = true;
            place[r++] = next;
            next = 0;
        } else {
            if (!is_taken[next])
                forget(to, r);
            next++;
        }
    }
    return r == count && !mixes_products(to, place);
}

/* True if the operand holds a byte of a root twice. */
static bool has_repeated(const struct signature *signature) {
    for (uint32_t b = 0; b < signature->bytes; b++)
        for (uint32_t other = 0; other < b; other++)
            if (memcmp(&signature->from[b], &signature->from[other], sizeof *signature->from) == 0)
                return true;
    return false;
}

/* True if the registers of each root are in ascending order in the operand, where addresses may
 * exchange them. */
static bool is_ascending(const struct comparison *to) {
    for (uint32_t b = 4; b < to->signature->bytes; b++) {
        const struct from *from = &to->signature->from[b], *before = from - 4;
        if (from->root == before->root && from->reg < before->reg &&
            (!to->roots[from->root].is_product || to->operand->block))
            return false;
    }
    return true;
}

static enum agreement compare(struct verdict *verdict, const struct form_operand *roots[],
                              size_t count) {
    const struct signature *signature = &verdict->signature;
    const struct form *form = signature->form;
    const struct form_operand *of = operand_of(signature);
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
    struct comparison comparison = {
        .signature = signature,
        .roots = tables,
        .operand = &operand,
        .unit = unit_of(signature, &operand),
    };
    verdict->by_columns = is_flipped;
    verdict->is_repeated = has_repeated(signature);
    if (verdict->is_repeated && operand.block) {
        verdict->has_order = false;
        return AGREE_NOT;
    }
    if (fits(&comparison, is_flipped))
        return is_ascending(&comparison) ? AGREE_EQUAL : AGREE_EXCHANGED;
    verdict->by_columns = !is_flipped;
    if (fits(&comparison, !is_flipped))
        return AGREE_TRANSPOSED;
    verdict->has_order = false;
    return !verdict->is_repeated && fits_in_other_order(&comparison, is_flipped) ? AGREE_EXCHANGED
                                                                                 : AGREE_NOT;
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
        verdict->has_order = verdict->is_repeated = false;
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
    origin->is_repeated = verdict->is_repeated && verdict->agreement == AGREE_NOT;
    origin->order = !verdict->has_order ? NULL : verdict->by_columns ? "columns" : "rows";
}
