/* html_data.c - layouts and texts as a page carries them; see html_data.h. */
#include "output/page/html_data.h"

#include "layout/space.h"
#include "output/guard.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Strings ---- */

void html_string(struct printer *to, const char *text) {
    enum { LONGEST = 6 }; /* \u001f */
    char *start = printer_room(to, strlen(text) * LONGEST + 3), *end = start;
    *end++ = '"';
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || strchr("\"\\<>&", c))
            end += sprintf(end, "\\u%04x", c);
        else
            *end++ = (char)c;
    }
    *end++ = '"';
    to->size += (size_t)(end - start);
}

/* ---- Layouts ---- */

/* A coordinate to which each bit contributes by itself. */
struct contributions {
    const struct mapping_space *from;
    const uint32_t *values;
    char operation; /* '+' or '^' */
};

/* What the value at entry n has that the first one has not. */
static uint32_t contribution(const struct contributions *of, size_t n) {
    return of->operation == '+' ? of->values[n] - of->values[0] : of->values[n] ^ of->values[0];
}

/* True if the bits of all axes, each by itself, give every value by that operation. At each point
 * the lowest bit of one coordinate adds what it adds alone; all others follow from that. */
static bool is_of_bits(struct contributions *of, char operation) {
    size_t stride = 1;
    of->operation = operation;
    for (uint32_t a = of->from->count; a-- > 0; stride *= of->from->axis[a].size)
        for (uint32_t x = 1; x < of->from->axis[a].size; x++) {
            const uint32_t *with = of->values + x * stride;
            const uint32_t *without = of->values + (x & (x - 1)) * stride;
            const uint32_t added = contribution(of, (x & -x) * stride);
            for (size_t n = 0; n < stride; n++)
                if (with[n] != (operation == '+' ? without[n] + added : without[n] ^ added))
                    return false;
        }
    return true;
}

/* Prints a number that counts modulo 2^32: the smaller one of the two that it may be. */
static void print_signed(struct printer *to, uint32_t number) {
    if (number > INT32_MAX)
        print_char(to, '-');
    print_number(to, number > INT32_MAX ? -number : number);
}

/* Prints what bits contribute: {"op":"+","base":0,"bits":[[0,0,1,2,4],[0,8,0]]}, axis by axis, the
 * lowest bit first. */
static void print_bits(struct printer *to, const struct contributions *of) {
    print(to, "{\"op\":\"%c\",\"base\":", of->operation);
    print_number(to, of->values[0]);
    print_text(to, ",\"bits\":[");
    for (uint32_t a = 0; a < of->from->count; a++) {
        size_t stride = mapping_space_stride(of->from, a);
        print_text(to, a ? ",[" : "[");
        for (uint64_t bit = 1; bit < of->from->axis[a].size; bit <<= 1) {
            if (bit > 1)
                print_char(to, ',');
            print_signed(to, contribution(of, bit * stride));
        }
        print_char(to, ']');
    }
    print_text(to, "]}");
}

static void print_values(struct printer *to, const uint32_t *values, size_t count) {
    for (size_t n = 0; n < count; n++) {
        print_char(to, n > 0 ? ',' : '[');
        print_number(to, values[n]);
    }
    print_char(to, ']');
}

/* Prints where entries lie along each axis of the target. */
static void print_coordinates(struct printer *to, const struct mapping_layout *layout) {
    for (uint32_t c = 0; c < layout->to.count; c++) {
        struct contributions of = {.from = &layout->from, .values = layout->coordinate[c]};
        print_char(to, c ? ',' : '[');
        if (is_of_bits(&of, '+') || is_of_bits(&of, '^'))
            print_bits(to, &of);
        else
            print_values(to, of.values, mapping_layout_entries(layout));
    }
    print_char(to, ']');
}

static void print_space(struct printer *to, const char *name, const struct mapping_space *space) {
    print(to, "\"%s\":[", name);
    for (uint32_t a = 0; a < space->count; a++) {
        print_text(to, a ? ",[" : "[");
        html_string(to, space->axis[a].name);
        print(to, ",%u]", space->axis[a].size);
    }
    print_text(to, "],");
}

/* Prints formulae, null where there is none, with what is remarked on them, "" if nothing is. */
static void print_formulae(struct printer *to, const struct solved *solved) {
    for (uint32_t c = 0; c < solved->layout.to.count; c++) {
        char text[FORMULA_TEXT], remark[REMARK_SIZE];
        solved_formula(solved, c, text);
        solved_remark(solved, c, remark);
        print_char(to, c ? ',' : '[');
        if (*text) {
            print_char(to, '[');
            html_string(to, text);
            print_char(to, ',');
            html_string(to, remark);
            print_char(to, ']');
        } else {
            print_text(to, "null");
        }
    }
    print_char(to, ']');
}

void html_layout(struct printer *to, const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    print_char(to, '{');
    print_space(to, "from", &layout->from);
    print_space(to, "to", &layout->to);
    print_text(to, "\"at\":");
    print_coordinates(to, layout);
    print_text(to, ",\n\"formulae\":");
    print_formulae(to, &report->forward);
    print_text(to, ",\"copy\":");
    if (report_has_inverse(report)) {
        html_string(to, report_copy_axis(report));
        print_text(to, ",\"inverse\":");
        print_formulae(to, &report->inverse);
    } else {
        print_text(to, "null,\"inverse\":[]");
    }
    print_char(to, '}');
}

/* ---- Texts that are kept once ---- */

struct pooled {
    size_t start, size;
    uint32_t hash;
};

#define NO_ITEM UINT32_MAX

/* The slot of a text: of the item that is the same, or a free one. */
static size_t find_slot(const struct pool *pool, const char *text, size_t size, uint32_t hash) {
    size_t slot = hash & (pool->slot_count - 1);
    for (; pool->slots[slot] != NO_ITEM; slot = (slot + 1) & (pool->slot_count - 1)) {
        const struct pooled *item = &pool->items[pool->slots[slot]];
        if (item->hash == hash && item->size == size &&
            memcmp(pool->text.text + item->start, text, size) == 0)
            break;
    }
    return slot;
}

/* Has at least twice as many slots as items. */
static void grow_slots(struct pool *pool) {
    if (pool->slot_count > 2 * pool->count)
        return;
    size_t count = pool->slot_count > 0 ? 2 * pool->slot_count : 64;
    uint32_t *slots = memory_resize(pool->slots, count, sizeof *slots);
    memset(slots, 0xff, count * sizeof *slots);
    pool->slots = slots;
    pool->slot_count = count;
    for (size_t n = 0; n < pool->count; n++) {
        size_t slot = pool->items[n].hash & (count - 1);
        while (slots[slot] != NO_ITEM)
            slot = (slot + 1) & (count - 1);
        slots[slot] = (uint32_t)n;
    }
}

uint32_t pool_add(struct pool *pool, const char *text, size_t size) {
    grow_slots(pool);
    uint32_t hash = guard_add(GUARD_START, text, size);
    size_t slot = find_slot(pool, text, size, hash);
    if (pool->slots[slot] != NO_ITEM)
        return pool->slots[slot];
    pool->items = array_grow(pool->items, pool->count, 1, &pool->room, sizeof *pool->items);
    if (pool->count > 0)
        print_text(&pool->text, ",\n");
    memcpy(printer_room(&pool->text, size), text, size);
    pool->items[pool->count] = (struct pooled){pool->text.size, size, hash};
    pool->text.size += size;
    return pool->slots[slot] = (uint32_t)pool->count++;
}

void pool_print(struct printer *to, const struct pool *pool) {
    if (pool->count == 0)
        return;
    memcpy(printer_room(to, pool->text.size), pool->text.text, pool->text.size);
    to->size += pool->text.size;
}
