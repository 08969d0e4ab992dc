/* observe.c - finding out where an operand's elements are, by executing its instruction.
 *
 * All numbers are small integers, so every product and sum is exact. Rows, columns, blocks and
 * entries are counted from 1 here, so that 0 is never right.
 *
 * D   A and B hold a product that is row or column at every element.
 * A   its registers hold the number of their entry, digit by digit where the type holds only small
 *     numbers; B picks N columns of A at a time, which are then the columns of D.
 * B   the same, with A picking M rows of B at a time.
 * C   its registers hold the number of their entry; A and B are 0.
 * E   each index of the metadata says one of two elements, by a bit of the number of its entry; B
 * is 1 where one of them is multiplied, and 0 else, for N indices of a row at a time. */
#include "observe.h"

#include <stdlib.h>
#include <string.h>

/* ---- Plans ---- */

/* How many digits the entries of a map take. */
static uint32_t count_digits(size_t entries, uint32_t base) {
    uint32_t digits = 1;
    for (size_t reach = base; reach < entries + 1; reach *= base)
        digits++;
    return digits;
}

/* What the steps of a plan run through, the last fastest. */
struct loops {
    uint32_t halves;    /* of the columns of a sparse A that B is multiplied with */
    uint32_t selectors; /* of metadata */
    uint32_t chunks;    /* of what D has room for at a time */
    uint32_t passes;    /* digits or bits of the entries; of D, its coordinates */
};

/* The operand that the pattern PICK or PROBE looks at through D: its elements in the direction that
 * does not fit at once. */
static struct loops loops_of(const struct scene *scene, char operand) {
    int f = scene_find(scene, operand);
    const struct mapping_fragment *fragment = &scene->fragments[f];
    const struct mapping_map *map = &scene->maps[f];
    size_t entries = mapping_map_entries(map);
    uint32_t n = scene->opcode.shape.n, m = scene->opcode.shape.m;
    struct loops loops = {1, 1, 1, 1};
    switch (operand) {
    case 'a':
        loops.chunks = (fragment->cols + n - 1) / n;
        loops.passes = count_digits(entries, largest(fragment->type) + 1);
        break;
    case 'b':
        loops.halves = scene_is_sparse(scene) ? 2 : 1;
        loops.chunks = (scene_depth(scene) + m - 1) / m;
        loops.passes = count_digits(entries, largest(fragment->type) + 1);
        break;
    case 'c':
        loops.passes = count_digits(entries, largest(fragment->type) + 1);
        break;
    case 'd':
        loops.passes = (uint32_t)mapping_map_coordinates(map);
        break;
    case 'e':
        loops.selectors = mapping_map_copies(map);
        loops.chunks = (fragment->cols + n - 1) / n;
        loops.passes = count_digits(entries, 2);
        break;
    default:;
    }
    return loops;
}

/* Registers of D that are looked at: of wgmma only those with columns that matter. */
static uint32_t count_outputs(const struct scene *scene, char operand) {
    int d = scene_find(scene, 'd');
    if (scene->opcode.instruction == MAPPING_STMATRIX)
        return 4; /* each thread writes a row of shared memory */
    if (d < 0)
        return scene->fragments[scene_find(scene, 'r')].registers;
    uint32_t registers = scene->fragments[d].registers, n = scene->opcode.shape.n;
    if (!scene_is_wgmma(scene) || operand == 'd')
        return registers;
    uint32_t columns = scene->fragments[scene_find(scene, operand)].cols;
    return columns < n ? registers * columns / n : registers;
}

/* The step of a multiplication. */
static struct executor_step plan_step(const struct scene *scene, char operand,
                                      struct images *images, uint32_t half, uint32_t selector,
                                      uint32_t chunk, uint32_t pass) {
    bool wgmma = scene_is_wgmma(scene);
    uint32_t n = scene->opcode.shape.n, m = scene->opcode.shape.m;
    enum pattern a = ZERO, b = ZERO, c = ZERO, e = SELECT;
    uint32_t a_parameter = 0, b_parameter = 0, c_parameter = 0, e_parameter = half;
    switch (operand) {
    case 'a':
        a = ENTRIES, a_parameter = pass;
        b = PICK, b_parameter = chunk * n;
        break;
    case 'b':
        a = PICK, a_parameter = chunk * m;
        b = ENTRIES, b_parameter = pass;
        break;
    case 'c':
        c = ENTRIES, c_parameter = pass;
        break;
    case 'd':
        a = pass == MAPPING_ROW ? ROWS : pass == MAPPING_COL ? ONES : BLOCKS;
        b = pass == MAPPING_COL ? COLUMNS : ONES;
        break;
    default:
        a = ONES;
        b = PROBE, b_parameter = chunk * n;
        e = ENTRIES, e_parameter = pass;
    }
    bool from_shared = wgmma && operand != 'a';
    return (struct executor_step){
        .a = images_get(scene, images, 'a', a, a_parameter, from_shared),
        .b = images_get(scene, images, 'b', b, b_parameter, wgmma),
        .c = wgmma ? 0 : images_get(scene, images, 'c', c, c_parameter, false),
        .e = scene_is_sparse(scene) ? images_get(scene, images, 'e', e, e_parameter, false) : 0,
        .selector = (uint16_t)selector,
        .from_shared = from_shared};
}

/* The one step of ldmatrix, stmatrix or movmatrix. */
static struct executor_step plan_move(const struct scene *scene, struct images *images) {
    struct executor_step step = {0};
    bool stores = scene->opcode.instruction == MAPPING_STMATRIX;
    if (scene->opcode.instruction == MAPPING_MOVMATRIX) {
        step.a = images_get(scene, images, 'a', ENTRIES, 0, false);
        return step;
    }
    step.a = images_get(scene, images, 'p', ADDRESSES, 0, false);
    step.b = images_get(scene, images, 'p', SLOTS, stores, false); /* to be written: empty */
    if (stores)
        step.c = images_get(scene, images, 'r', ENTRIES, 0, false);
    return step;
}

static bool add_step(struct plan *plan, struct executor_step step) {
    void *steps = make_room(plan->steps, plan->count, 1, &plan->room, sizeof *plan->steps);
    if (!steps)
        return false;
    plan->steps = steps;
    plan->steps[plan->count++] = step;
    return step.a != UINT32_MAX && step.b != UINT32_MAX && step.c != UINT32_MAX &&
           step.e != UINT32_MAX;
}

enum mapping_status observe_plan(const struct scene *scene, char operand, struct images *images,
                                 struct plan *plan, struct mapping_error *error) {
    bool multiplies = scene_find(scene, 'd') >= 0 && scene->opcode.instruction != MAPPING_MOVMATRIX;
    const struct loops loops = multiplies ? loops_of(scene, operand) : (struct loops){1, 1, 1, 1};
    bool planned = true;
    for (uint32_t half = 0; half < loops.halves; half++)
        for (uint32_t selector = 0; selector < loops.selectors; selector++)
            for (uint32_t chunk = 0; chunk < loops.chunks; chunk++)
                for (uint32_t pass = 0; pass < loops.passes && planned; pass++)
                    planned = add_step(plan, multiplies ? plan_step(scene, operand, images, half,
                                                                    selector, chunk, pass)
                                                        : plan_move(scene, images));
    if (!planned)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    plan->outputs = count_outputs(scene, operand);
    plan->output_words = plan->count * plan->outputs * (scene_is_wgmma(scene) ? 128 : 32);
    return MAPPING_OK;
}

void plan_free(struct plan *plan) {
    free(plan->steps);
    *plan = (struct plan){0};
}

/* ---- Reading ---- */

/* What was written. */
struct reading {
    const struct scene *scene;
    const struct plan *plan;
    const uint32_t *output;
    const struct mapping_map *map; /* where the elements of what was written are, as stated */
    enum mapping_type type;
    uint32_t elements; /* that each thread has written in each step */
};

/* The number that element i of a thread was after a step; UINT32_MAX if it is no integer from 0. */
static uint32_t number_at(const struct reading *reading, size_t step, uint32_t tid, uint32_t i) {
    unsigned width = mapping_type_bits(reading->type);
    size_t words = (step * reading->map->threads + tid) * reading->plan->outputs;
    uint64_t bits = image_get(reading->output + words, i, width);
    if (reading->type == MAPPING_B16 || reading->type == MAPPING_S32)
        return (uint32_t)bits;
    double value = decode(reading->type, bits);
    return value >= 0 && value < 65536 && value == (double)(uint32_t)value ? (uint32_t)value
                                                                           : UINT32_MAX;
}

static enum mapping_status makes_no_sense(uint32_t tid, uint32_t i, uint32_t number,
                                          struct mapping_error *error) {
    return mapping_fail(error, MAPPING_FAILED,
                        "thread %u, element %u of what came out is %d, which makes no sense", tid,
                        i, (int)number);
}

/* Notes where an entry is. False if there is no such entry. */
static bool note(struct mapping_map *map, uint32_t entry, uint32_t block, uint32_t row,
                 uint32_t column) {
    if (entry >= mapping_map_entries(map))
        return false;
    map->plane[MAPPING_ROW][entry] = row;
    map->plane[MAPPING_COL][entry] = column;
    if (map->plane[MAPPING_BLOCK])
        map->plane[MAPPING_BLOCK][entry] = block;
    return true;
}

static uint32_t block_at(const struct mapping_map *map, uint32_t entry) {
    return map->plane[MAPPING_BLOCK] ? map->plane[MAPPING_BLOCK][entry] : 0;
}

/* D: each step has written one coordinate. */
static enum mapping_status read_result(const struct reading *reading, struct mapping_map *map,
                                       struct mapping_error *error) {
    for (uint32_t tid = 0; tid < map->threads; tid++)
        for (uint32_t i = 0; i < map->elements; i++)
            for (int c = 0; c < mapping_map_coordinates(map); c++) {
                uint32_t number = number_at(reading, (size_t)c, tid, i);
                if (number == 0 || number == UINT32_MAX)
                    return makes_no_sense(tid, i, number, error);
                map->plane[c][tid * map->elements + i] = number - 1;
            }
    return MAPPING_OK;
}

/* The entry whose digits came out at (tid, i), from step `first` on; UINT32_MAX if one is none. */
static uint32_t entry_at(const struct reading *reading, size_t first, uint32_t passes,
                         uint32_t base, uint32_t tid, uint32_t i) {
    uint32_t entry = 0, weight = 1;
    for (uint32_t pass = 0; pass < passes; pass++, weight *= base) {
        uint32_t number = number_at(reading, first + pass, tid, i);
        if (number >= base)
            return UINT32_MAX;
        entry += number * weight;
    }
    return entry - 1;
}

/* A, B, C or metadata: for each element of D, the entry that got there. */
static enum mapping_status read_operand(const struct reading *reading, char operand,
                                        struct mapping_map *map, struct mapping_error *error) {
    const struct scene *scene = reading->scene;
    const struct loops loops = loops_of(scene, operand);
    const struct mapping_map *d = reading->map;
    const int f = scene_find(scene, operand);
    uint32_t base = operand == 'e' ? 2 : largest(scene->fragments[f].type) + 1;
    uint32_t m = scene->opcode.shape.m, n = scene->opcode.shape.n;
    for (size_t first = 0; first < reading->plan->count; first += loops.passes) {
        uint32_t chunk = (uint32_t)(first / loops.passes % loops.chunks);
        bool second_half = loops.halves > 1 && first / loops.passes / loops.chunks > 0;
        for (uint32_t tid = 0; tid < d->threads; tid++)
            for (uint32_t i = 0; i < reading->elements; i++) {
                uint32_t at = tid * d->elements + i;
                uint32_t row = d->plane[MAPPING_ROW][at], column = d->plane[MAPPING_COL][at];
                if (operand == 'b' && row + chunk * m >= scene_depth(scene))
                    continue;
                if (operand == 'b')
                    row = scene_expand(scene, row + chunk * m, second_half);
                if (operand == 'a' || operand == 'e')
                    column += chunk * n;
                if (column >= map->cols)
                    continue;
                uint32_t entry = entry_at(reading, first, loops.passes, base, tid, i);
                if (!note(map, entry, block_at(d, at), row, column))
                    return makes_no_sense(tid, i, entry + 1, error);
            }
    }
    return MAPPING_OK;
}

/* The registers of ldmatrix: rows of memory by the threads that point there, as stated; or the
 * other way round. */
static enum mapping_status read_load(const struct reading *reading, char operand,
                                     struct mapping_map *map, struct mapping_error *error) {
    const struct scene *scene = reading->scene;
    const struct mapping_map *p = &scene->maps[scene_find(scene, 'p')];
    const struct mapping_map *r = reading->map;
    for (uint32_t entry = 0; entry < mapping_map_entries(r); entry++) {
        uint32_t tid = 0, number = number_at(reading, 0, entry / r->elements, entry % r->elements);
        while (tid < p->threads && slot_of(tid) != (number - 1) / 8)
            tid++;
        if (tid == p->threads)
            return makes_no_sense(entry / r->elements, entry % r->elements, number, error);
        if (operand == 'r')
            note(map, entry, block_at(p, tid), p->plane[MAPPING_ROW][tid], (number - 1) % 8);
        else
            note(map, tid, block_at(r, entry), r->plane[MAPPING_ROW][entry], 0);
    }
    return MAPPING_OK;
}

/* The memory of stmatrix, by the threads that point there. The others' stays empty. */
static enum mapping_status read_store(const struct reading *reading, char operand,
                                      struct mapping_map *map, struct mapping_error *error) {
    const struct scene *scene = reading->scene;
    const struct mapping_map *p = &scene->maps[scene_find(scene, 'p')];
    const struct mapping_map *r = &scene->maps[scene_find(scene, 'r')];
    for (uint32_t tid = 0; tid < 32; tid++)
        for (uint32_t column = 0; column < 8; column++) {
            uint64_t number = image_get(reading->output, slot_of(tid) * 8 + column, 16);
            if (tid >= p->threads ? number != 0 : number - 1 >= mapping_map_entries(r))
                return makes_no_sense(tid, column, (uint32_t)number, error);
            if (tid >= p->threads)
                continue;
            uint32_t entry = (uint32_t)number - 1;
            if (operand == 'r')
                note(map, entry, block_at(p, tid), p->plane[MAPPING_ROW][tid], column);
            else
                note(map, tid, block_at(r, entry), r->plane[MAPPING_ROW][entry], 0);
        }
    return MAPPING_OK;
}

/* movmatrix: each element of one operand by where the other has it. */
static enum mapping_status read_movement(const struct reading *reading, char operand,
                                         struct mapping_map *map, struct mapping_error *error) {
    const struct scene *scene = reading->scene;
    const struct mapping_map *a = &scene->maps[scene_find(scene, 'a')];
    const struct mapping_map *d = reading->map;
    for (uint32_t entry = 0; entry < mapping_map_entries(d); entry++) {
        uint32_t number = number_at(reading, 0, entry / d->elements, entry % d->elements);
        if (number - 1 >= mapping_map_entries(a))
            return makes_no_sense(entry / d->elements, entry % d->elements, number, error);
        if (operand == 'd')
            note(map, entry, 0, a->plane[MAPPING_ROW][number - 1],
                 a->plane[MAPPING_COL][number - 1]);
        else
            note(map, number - 1, 0, d->plane[MAPPING_ROW][entry], d->plane[MAPPING_COL][entry]);
    }
    return MAPPING_OK;
}

enum mapping_status observe_read(const struct scene *scene, char operand, const struct plan *plan,
                                 const uint32_t *output, struct mapping_map *map,
                                 struct mapping_error *error) {
    int written = scene_find(scene, 'd') >= 0 ? scene_find(scene, 'd') : scene_find(scene, 'r');
    const struct mapping_fragment *fragment = &scene->fragments[written];
    const struct reading reading = {.scene = scene,
                                    .plan = plan,
                                    .output = output,
                                    .map = &scene->maps[written],
                                    .type = fragment->type,
                                    .elements = plan->outputs * 32 / fragment->bits};
    if (!mapping_map_init(map, &scene->fragments[scene_find(scene, operand)]))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status;
    switch (scene->opcode.instruction) {
    case MAPPING_LDMATRIX:
        status = read_load(&reading, operand, map, error);
        break;
    case MAPPING_STMATRIX:
        status = read_store(&reading, operand, map, error);
        break;
    case MAPPING_MOVMATRIX:
        status = read_movement(&reading, operand, map, error);
        break;
    default:
        status = operand == 'd' ? read_result(&reading, map, error)
                                : read_operand(&reading, operand, map, error);
    }
    struct mapping_error cause;
    if (status == MAPPING_OK && mapping_map_check(map, &cause) != MAPPING_OK)
        status = mapping_fail(error, MAPPING_FAILED, "%.600s", cause.message);
    return status;
}
