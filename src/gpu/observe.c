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
    const struct mapping_fragment *fragment = scene_find(scene, operand);
    uint32_t entries = fragment->threads * fragment->elements;
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
        loops.passes = fragment->blocks > 1 ? 3 : 2; /* coordinates */
        break;
    case 'e':
        loops.selectors = entries / (fragment->rows * fragment->cols);
        loops.chunks = (fragment->cols + n - 1) / n;
        loops.passes = count_digits(entries, 2);
        break;
    default:;
    }
    return loops;
}

/* Registers of D that are looked at: of wgmma only those with columns that matter. */
static uint32_t count_outputs(const struct scene *scene, char operand) {
    const struct mapping_fragment *d = scene_find(scene, 'd');
    if (scene->opcode.instruction == MAPPING_STMATRIX)
        return 4; /* each thread writes a row of shared memory */
    if (!d)
        return scene_find(scene, 'r')->registers;
    uint32_t n = scene->opcode.shape.n;
    if (!scene_is_wgmma(scene) || operand == 'd')
        return d->registers;
    uint32_t columns = scene_find(scene, operand)->cols;
    return columns < n ? d->registers * columns / n : d->registers;
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

/* What the kernel writes: D, or registers that were loaded. Of wgmma those that are looked at. */
static struct mapping_fragment written_fragment(const struct scene *scene, uint32_t outputs) {
    const struct mapping_fragment *d = scene_find(scene, 'd');
    struct mapping_fragment written = d ? *d : *scene_find(scene, 'r');
    if (scene_is_wgmma(scene))
        written.elements = outputs * 32 / written.bits;
    return written;
}

/* The largest number that comes out where an operand of a multiplication is observed. */
static uint32_t largest_number(const struct scene *scene, char operand) {
    const struct mapping_fragment *fragment = scene_find(scene, operand);
    if (operand == 'e')
        return 1;
    if (operand == 'd')
        return fragment->rows > fragment->cols ? fragment->rows : fragment->cols;
    return largest(fragment->type);
}

enum mapping_status observe_plan(const struct scene *scene, char operand, struct images *images,
                                 struct plan *plan, struct mapping_error *error) {
    bool multiplies = scene_multiplies(scene);
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
    uint32_t threads = scene_is_wgmma(scene) ? 128 : 32;
    plan->outputs = count_outputs(scene, operand);
    plan->output_words = plan->count * plan->outputs * threads;
    for (size_t step = 0; step < plan->count; step++) {
        plan->steps[step].d = (uint32_t)step * plan->outputs * threads;
        plan->steps[step].outputs = plan->outputs;
    }
    plan->type = written_fragment(scene, plan->outputs).type;
    plan->numbers = threads * plan->outputs * 32 / mapping_type_bits(plan->type);
    plan->bytes = multiplies && largest_number(scene, operand) < UINT8_MAX ? 1 : 2;
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
    const void *output;
    struct mapping_map map; /* where the elements of what was written are, as stated; owned */
    uint32_t
        *numbers; /* of one step, in the order of the map; UINT32_MAX where it is none; owned */
    uint32_t *entries; /* that the numbers of several steps come to, as long; owned */
};

/* Reads the numbers that one step has written. */
static void read_step(const struct plan *plan, const void *output, size_t step, uint32_t *numbers) {
    const uint8_t *small = (const uint8_t *)output + step * plan->numbers;
    const uint16_t *large = (const uint16_t *)output + step * plan->numbers;
    for (size_t n = 0; n < plan->numbers && plan->bytes == 1; n++)
        numbers[n] = small[n] < UINT8_MAX ? small[n] : UINT32_MAX;
    for (size_t n = 0; n < plan->numbers && plan->bytes == 2; n++)
        numbers[n] = large[n] < UINT16_MAX ? large[n] : UINT32_MAX;
}

/* What came out at a place of the reading's map makes no sense. */
static enum mapping_status makes_no_sense(const struct mapping_map *map, uint32_t place,
                                          struct mapping_error *error) {
    return mapping_fail(error, MAPPING_FAILED,
                        "what came out in thread %u as element %u makes no sense",
                        place / map->elements, place % map->elements);
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

/* D: each step has written one coordinate. What is none is far outside of the matrix. */
static void read_result(const struct plan *plan, const void *output, struct mapping_map *map) {
    for (int c = 0; c < mapping_map_coordinates(map); c++) {
        read_step(plan, output, (size_t)c, map->plane[c]);
        for (size_t place = 0; place < plan->numbers; place++)
            map->plane[c][place]--;
    }
}

/* No entry is so large, and so many digits that are none do not wrap around. */
enum { TOO_LARGE = 1 << 24 };

/* Adds to the entries one digit of each, times its weight. */
static void add_digits(const struct reading *reading, size_t step, uint32_t weight, uint32_t base) {
    size_t count = reading->plan->numbers;
    const uint8_t *small = (const uint8_t *)reading->output + step * count;
    const uint16_t *large = (const uint16_t *)reading->output + step * count;
    uint32_t *entries = reading->entries;
    if (reading->plan->bytes == 1)
        for (size_t n = 0; n < count; n++)
            entries[n] += small[n] < base ? small[n] * weight : TOO_LARGE;
    else
        for (size_t n = 0; n < count; n++)
            entries[n] += large[n] < base ? large[n] * weight : TOO_LARGE;
}

/* Reads the entries whose digits came out, from step `first` on; too large where there is none. */
static void read_entries(const struct reading *reading, size_t first, uint32_t passes,
                         uint32_t base) {
    size_t count = reading->plan->numbers;
    uint32_t weight = 1;
    memset(reading->entries, 0, count * sizeof *reading->entries);
    for (uint32_t pass = 0; pass < passes; pass++, weight *= base)
        add_digits(reading, first + pass, weight, base);
    for (size_t n = 0; n < count; n++) /* counted from 1 */
        reading->entries[n]--;
}

/* A, B, C or metadata: for each element of D, the entry that got there. */
static enum mapping_status read_operand(const struct reading *reading, char operand,
                                        struct mapping_map *map, struct mapping_error *error) {
    const struct scene *scene = reading->scene;
    const struct loops loops = loops_of(scene, operand);
    const struct mapping_map *d = &reading->map;
    uint32_t base = largest_number(scene, operand) + 1;
    uint32_t m = scene->opcode.shape.m, n = scene->opcode.shape.n;
    for (size_t first = 0; first < reading->plan->count; first += loops.passes) {
        uint32_t chunk = (uint32_t)(first / loops.passes % loops.chunks);
        bool second_half = loops.halves > 1 && first / loops.passes / loops.chunks > 0;
        read_entries(reading, first, loops.passes, base);
        for (uint32_t place = 0; place < mapping_map_entries(d); place++) {
            uint32_t row = d->plane[MAPPING_ROW][place], column = d->plane[MAPPING_COL][place];
            if (operand == 'b' && row + chunk * m >= scene_depth(scene))
                continue;
            if (operand == 'b')
                row = scene_expand(scene, row + chunk * m, second_half);
            if (operand == 'a' || operand == 'e')
                column += chunk * n;
            if (column >= map->cols)
                continue;
            if (!note(map, reading->entries[place], block_at(d, place), row, column))
                return makes_no_sense(d, place, error);
        }
    }
    return MAPPING_OK;
}

/* The registers of ldmatrix: rows of memory by the threads that point there, as stated; or the
 * other way round. */
static enum mapping_status read_load(const struct reading *reading, char operand,
                                     const struct mapping_map *p, struct mapping_map *map,
                                     struct mapping_error *error) {
    const struct mapping_map *r = &reading->map;
    read_step(reading->plan, reading->output, 0, reading->numbers);
    for (uint32_t entry = 0; entry < mapping_map_entries(r); entry++) {
        uint32_t tid = 0, number = reading->numbers[entry];
        while (tid < p->threads && slot_of(tid) != (number - 1) / 8)
            tid++;
        if (tid == p->threads)
            return makes_no_sense(r, entry, error);
        if (operand == 'r')
            note(map, entry, block_at(p, tid), p->plane[MAPPING_ROW][tid], (number - 1) % 8);
        else
            note(map, tid, block_at(r, entry), r->plane[MAPPING_ROW][entry], 0);
    }
    return MAPPING_OK;
}

/* The memory of stmatrix, by the threads that point there. The others' stays empty. */
static enum mapping_status read_store(const struct reading *reading, char operand,
                                      const struct mapping_map *p, struct mapping_map *map,
                                      struct mapping_error *error) {
    const struct mapping_map *r = &reading->map;
    read_step(reading->plan, reading->output, 0, reading->numbers);
    for (uint32_t tid = 0; tid < 32; tid++)
        for (uint32_t column = 0; column < 8; column++) {
            uint32_t number = reading->numbers[slot_of(tid) * 8 + column];
            if (tid >= p->threads ? number != 0 : number - 1 >= mapping_map_entries(r))
                return mapping_fail(error, MAPPING_FAILED,
                                    "what was stored where thread %u points to makes no sense",
                                    tid);
            if (tid >= p->threads)
                continue;
            uint32_t entry = number - 1;
            if (operand == 'r')
                note(map, entry, block_at(p, tid), p->plane[MAPPING_ROW][tid], column);
            else
                note(map, tid, block_at(r, entry), r->plane[MAPPING_ROW][entry], 0);
        }
    return MAPPING_OK;
}

/* movmatrix: each element of one operand by where the other has it. */
static enum mapping_status read_movement(const struct reading *reading, char operand,
                                         const struct mapping_map *a, struct mapping_map *map,
                                         struct mapping_error *error) {
    const struct mapping_map *d = &reading->map;
    read_step(reading->plan, reading->output, 0, reading->numbers);
    for (uint32_t entry = 0; entry < mapping_map_entries(d); entry++) {
        uint32_t source = reading->numbers[entry] - 1;
        if (source >= mapping_map_entries(a))
            return makes_no_sense(d, entry, error);
        if (operand == 'd')
            note(map, entry, 0, a->plane[MAPPING_ROW][source], a->plane[MAPPING_COL][source]);
        else
            note(map, source, 0, d->plane[MAPPING_ROW][entry], d->plane[MAPPING_COL][entry]);
    }
    return MAPPING_OK;
}

/* Reads what an instruction that only moves has written; `other` is the operand beside that which
 * the reading is of. */
static enum mapping_status read_move(const struct reading *reading, char operand, char other,
                                     struct mapping_map *map, struct mapping_error *error) {
    struct mapping_map stated;
    if (!mapping_map_state(&stated, scene_find(reading->scene, other)))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_instruction instruction = reading->scene->opcode.instruction;
    enum mapping_status status =
        instruction == MAPPING_LDMATRIX   ? read_load(reading, operand, &stated, map, error)
        : instruction == MAPPING_STMATRIX ? read_store(reading, operand, &stated, map, error)
                                          : read_movement(reading, operand, &stated, map, error);
    mapping_map_free(&stated);
    return status;
}

/* Prepares the reading of what was written. False if out of memory. */
static bool reading_init(struct reading *reading, const struct scene *scene,
                         const struct plan *plan, const void *output) {
    const struct mapping_fragment written = written_fragment(scene, plan->outputs);
    *reading = (struct reading){.scene = scene, .plan = plan, .output = output};
    reading->numbers = malloc(2 * (size_t)plan->numbers * sizeof *reading->numbers);
    if (!reading->numbers || !mapping_map_state(&reading->map, &written))
        return false;
    reading->entries = reading->numbers + plan->numbers;
    return true;
}

enum mapping_status observe_read(const struct scene *scene, char operand, const struct plan *plan,
                                 const void *numbers, struct mapping_map *map,
                                 struct mapping_error *error) {
    if (!mapping_map_init(map, scene_find(scene, operand)))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (scene_multiplies(scene) && operand == 'd') {
        read_result(plan, numbers, map);
        return MAPPING_OK;
    }
    struct reading reading;
    enum mapping_status status;
    if (!reading_init(&reading, scene, plan, numbers))
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    else if (scene_multiplies(scene))
        status = read_operand(&reading, operand, map, error);
    else
        status = read_move(&reading, operand, scene_find(scene, 'd') ? 'a' : 'p', map, error);
    mapping_map_free(&reading.map);
    free(reading.numbers);
    return status;
}
