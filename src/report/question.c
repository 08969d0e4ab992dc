/* question.c - answers questions about a layout; see question.h. */
#include "report/question.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "report/smem_report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { REGISTER_BITS = 32 };

/* True if threads hold the fragment in registers that its elements fill; false for addresses. */
static bool has_registers(const struct mapping_fragment *fragment) {
    return fragment->operand != MAPPING_P && fragment->bits > 0 &&
           fragment->elements * fragment->bits == fragment->registers * REGISTER_BITS;
}

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " ");
}

/* Parses "3", "3-5" or "*". Returns the text after it, or NULL. For "5-3", the error gives the
 * reason. */
static const char *read_range(const char *text, struct range *range, struct mapping_error *error) {
    if (*text == '*') {
        *range = (struct range){0, UINT32_MAX};
        return text + 1;
    }
    uint32_t *const ends[] = {&range->first, &range->last};
    for (int e = 0; e < 2; e++) {
        char *end;
        if (!isdigit((unsigned char)*text))
            return NULL;
        unsigned long number = strtoul(text, &end, 10);
        *ends[e] = number < RANGE_BEYOND ? (uint32_t)number : RANGE_BEYOND;
        text = end;
        if (e == 0 && *text != '-') {
            range->last = range->first;
            return text;
        }
        text += e == 0;
    }
    if (range->first <= range->last)
        return text;
    mapping_fail(error, MAPPING_INVALID, "'%u-%u' is not a range; write the smaller number first",
                 range->first, range->last);
    return NULL;
}

bool range_parse(const char *text, struct range *range, struct mapping_error *error) {
    const char *end = read_range(skip_blanks(text), range, error);
    return end && *skip_blanks(end) == '\0';
}

bool question_parse(const char *text, uint32_t fewest, uint32_t most, struct question *question,
                    struct mapping_error *error) {
    text = skip_blanks(text);
    bool is_in_parentheses = *text == '(';
    char end = is_in_parentheses ? ')' : '\0';
    question->count = 0;
    do {
        if (question->count == most)
            return false;
        text = read_range(skip_blanks(text + (question->count > 0 || is_in_parentheses)),
                          &question->ranges[question->count], error);
        question->count++;
        text = text ? skip_blanks(text) : text;
    } while (text && *text == ',');
    if (!text || *text != end || question->count < fewest)
        return false;
    return *skip_blanks(text + is_in_parentheses) == '\0';
}

bool question_parse_registers(const char *text, struct question *question,
                              struct mapping_error *error) {
    text = skip_blanks(text);
    const size_t length = strcspn(text, " ");
    question->has_registers = true;
    if (isdigit((unsigned char)*text) || *text == '*') {
        text = read_range(text, &question->registers, error);
        return text && *skip_blanks(text) == '\0';
    }
    if (length == 0 || length >= sizeof question->register_name || *skip_blanks(text + length))
        return false;
    memcpy(question->register_name, text, length);
    for (size_t c = 0; c < length; c++)
        if (!isalnum((unsigned char)text[c]) && !strchr("%_$.", text[c]))
            return false;
    return true;
}

/* True if two names mean the same register: r9 and %r9, R9 and r9. */
static bool is_same_register(const char *one, const char *other) {
    return strcasecmp(one + (*one == '%'), other + (*other == '%')) == 0;
}

/* Checks that a fragment has the registers of the question; see question_check_fragment. */
static enum mapping_status check_registers(const struct question *question, const char *name,
                                           const struct mapping_fragment *fragment,
                                           const struct mapping_space *from,
                                           const struct strings *names,
                                           struct mapping_error *error) {
    const char *wanted = question->register_name;
    const struct range *range = &question->registers;
    if (!question->has_registers)
        return MAPPING_OK;
    if (!has_registers(fragment) || !is_of_threads(from))
        return mapping_fail(error, MAPPING_INVALID, "%s is not in registers; drop --register",
                            name);
    const uint32_t count = from->axis[1].size * fragment->bits / REGISTER_BITS;
    const uint32_t last = range->last == UINT32_MAX ? range->first : range->last;
    if (!*wanted && last >= count)
        return mapping_fail(error, MAPPING_INVALID,
                            "each thread holds %s in register%s%u; --register takes %s%s", name,
                            count > 1 ? "s 0 to " : " ", count - 1,
                            count > 1 ? "one of these numbers" : "this number",
                            names->count > 0 ? ", or a name such as R9" : "");
    if (!*wanted)
        return MAPPING_OK;
    if (names->count == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--register=%s needs a SASS or PTX instruction with its registers; for "
                            "%s, use a number such as --register=0",
                            wanted, name);
    for (size_t n = 0; n < names->count; n++)
        if (is_same_register(names->text[n], wanted))
            return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID, "%s is not in %s", name, wanted);
}

/* True if the element of an answer is in a register of the question. */
static bool is_in_registers(const struct question *question, const struct report *report,
                            const struct answer *answer) {
    struct register_bits place;
    if (!question->has_registers)
        return true;
    if (!answer_register(report, answer, &place))
        return false;
    if (!*question->register_name)
        return place.first + place.count > question->registers.first &&
               place.first <= question->registers.last;
    for (int n = 0; n < 2; n++)
        if (place.name[n] && is_same_register(place.name[n], question->register_name))
            return true;
    return false;
}

/* True if the layout maps rows and columns to an offset, as a table of --map may. */
static bool is_in_memory(const struct mapping_space *from, const struct mapping_space *to) {
    return mapping_space_find(from, MAPPING_AXIS_ROW) >= 0 &&
           mapping_space_find(to, MAPPING_AXIS_OFFSET) == 0;
}

/* Adapts the question to a layout between these spaces: in memory, rows and columns are the input;
 * in Tensor Memory, --lane asks about the output. */
static struct question question_between(const struct question *asked,
                                        const struct mapping_space *from,
                                        const struct mapping_space *to) {
    struct question question = *asked;
    question.is_of_lane &= mapping_space_find(to, MAPPING_AXIS_LANE) >= 0;
    if (question.is_of_lane) {
        question.kind = ASK_TARGET;
    } else if (question.kind == ASK_TARGET && is_in_lanes(from, to)) {
        question.kind = ASK_SOURCE;
        question.is_of_last = false;
    } else if (question.kind == ASK_TARGET && !question.is_of_offset && is_in_memory(from, to)) {
        question.kind = ASK_SOURCE;
        question.is_of_last = true;
    }
    return question;
}

static uint32_t first_axis(const struct question *question, const struct mapping_space *space) {
    if (question->is_of_lane)
        return (uint32_t)mapping_space_find(space, MAPPING_AXIS_LANE);
    bool is_of_last = question->kind == ASK_TARGET || question->is_of_last;
    return is_of_last ? space->count - question->count : 0;
}

/* The names of axes from the first one on in the syntax of the option: "ROW,COL". */
static const char *form_text(const struct mapping_space *space, uint32_t first) {
    struct printer to = {.text = NULL};
    for (uint32_t a = first; a < space->count; a++)
        print(&to, "%s%s", a > first ? "," : "", space->axis[a].name);
    char *form = printer_string(&to);
    for (char *c = form; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return form;
}

/* The maximum number of threads in a block. */
enum { BLOCK_THREADS = 1024 };

/* Explains a thread number beyond the warp: "; thread 69 of a block is thread 5 of warp 2, so use
 * --thread=5". In Tensor Memory, the lanes of warp w begin at 32 * (w % 4). */
static const char *hint_at_warp(uint32_t tid, const char *option, bool has_lanes) {
    const uint32_t warp = tid / MAPPING_WARP, lane = tid % MAPPING_WARP;
    return memory_format(has_lanes && warp % 4 != 0
                             ? "; thread %u of a block is thread %u of warp %u, so use --%s=%u and "
                               "add %u to the lane"
                             : "; thread %u of a block is thread %u of warp %u, so use --%s=%u",
                         tid, lane, warp, option, lane, warp % 4 * MAPPING_WARP);
}

static enum mapping_status fail_outside(const char *name, const struct mapping_axis *axis,
                                        const char *hint, uint32_t asked,
                                        struct mapping_error *error) {
    const char *number =
        asked == RANGE_BEYOND ? "with so large a number" : memory_format("%u", asked);
    if (strcmp(axis->name, MAPPING_AXIS_I) == 0)
        return mapping_fail(error, MAPPING_INVALID, "%s has no element %s; each thread holds %s%u",
                            name, number, axis->size > 1 ? "elements 0 to " : "only element ",
                            axis->size - 1);
    return mapping_fail(error, MAPPING_INVALID, "%s has no %s %s; the last one is %s %u%s", name,
                        mapping_axis_word(axis->name), number, mapping_axis_word(axis->name),
                        axis->size - 1, hint);
}

enum mapping_status question_check(const struct question *asked, const char *name,
                                   const struct mapping_space *from, const struct mapping_space *to,
                                   struct mapping_error *error) {
    const struct question between = question_between(asked, from, to), *question = &between;
    const struct mapping_space *space = question->kind == ASK_TARGET ? to : from;
    const uint32_t first = question->is_of_lane ? first_axis(question, space) : 0;
    if (question->kind == ASK_NOTHING)
        return MAPPING_OK;
    if (asked->kind == ASK_SOURCE && !question->is_of_lane && is_in_lanes(from, to))
        return mapping_fail(error, MAPPING_INVALID,
                            "no thread holds %s, since it is in Tensor Memory; use "
                            "--lane=LANE,COLUMN",
                            name);
    if (question->is_of_offset && !is_in_memory(from, to))
        return mapping_fail(error, MAPPING_INVALID, "--offset needs a matrix in memory, not %s",
                            name);
    if (question->count > space->count - first)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s has only the coordinates %s; give at most %u number%s", name,
                            form_text(space, first), space->count - first,
                            mapping_plural(space->count - first));
    for (uint32_t r = 0; r < question->count; r++) {
        const struct range *range = &question->ranges[r];
        const struct mapping_axis *axis = &space->axis[first_axis(question, space) + r];
        uint32_t last = range->last == UINT32_MAX ? range->first : range->last;
        const char *hint = "";
        if (last < axis->size)
            continue;
        if (axis->size == MAPPING_WARP && strcmp(axis->name, MAPPING_AXIS_TID) == 0 &&
            last < BLOCK_THREADS)
            hint = hint_at_warp(last, asked->is_of_lane ? "lane" : "thread", has_lanes(to));
        else if (question->kind == ASK_TARGET && question->count == 2 &&
                 mapping_space_find(to, MAPPING_AXIS_BLOCK) == 0)
            hint = "; to select a block, use --at=BLOCK,ROW,COL";
        return fail_outside(name, axis, hint, last, error);
    }
    return MAPPING_OK;
}

enum mapping_status question_check_fragment(const struct question *question, const char *name,
                                            const struct mapping_fragment *fragment,
                                            const struct mapping_space *from,
                                            const struct mapping_space *to,
                                            const struct strings *names,
                                            struct mapping_error *error) {
    const enum mapping_status status = question_check(question, name, from, to, error);
    return status == MAPPING_OK ? check_registers(question, name, fragment, from, names, error)
                                : status;
}

/* The first axis on which the point is outside of its range; the number of axes if there is none.
 */
static uint32_t first_outside(const struct question *question, const struct mapping_space *space,
                              const uint32_t *point) {
    const uint32_t axis = first_axis(question, space);
    for (uint32_t r = 0; r < question->count; r++)
        if (point[axis + r] < question->ranges[r].first ||
            point[axis + r] > question->ranges[r].last)
            return axis + r;
    return space->count;
}

/* Reads entry n of the layout, whose input is answer->source. Its copy is the one that the inverse
 * maps to this entry. */
static void answer_source(const struct mapping_layout *forward,
                          const struct mapping_layout *inverse, size_t n, struct answer *answer) {
    uint32_t copies =
        inverse->from.count > 0 ? inverse->from.axis[inverse->from.count - 1].size : 1;
    size_t first = mapping_layout_target(forward, n) * copies;
    for (uint32_t c = 0; c < forward->to.count; c++)
        answer->target[c] = forward->coordinate[c][n];
    answer->copy = 0;
    while (inverse->from.count > 0 && mapping_layout_target(inverse, first + answer->copy) != n)
        answer->copy++;
}

/* True if the report has entry n of its inverse. The inverse of a part contains all parts, so the
 * entry may belong to another part. */
static bool has_entry(const struct report *report, size_t n) {
    const struct mapping_layout *inverse = &report->inverse.layout;
    return !is_gap(inverse, n) &&
           (!report->tmem ||
            mapping_layout_target(&report->forward.layout, mapping_layout_target(inverse, n)) ==
                n / report_copies(report));
}

bool question_next(const struct question *asked, const struct report *report, size_t *position,
                   struct answer *answer) {
    const struct mapping_layout *forward = &report->forward.layout;
    const struct mapping_layout *inverse = &report->inverse.layout;
    const struct question between = question_between(asked, &forward->from, &forward->to),
                          *question = &between;
    const bool asks_target = question->kind == ASK_TARGET;
    const bool by_target = asks_target && report_has_inverse(report);
    const struct mapping_space *places = by_target ? &inverse->from : &forward->from;
    const struct mapping_space *asked_space = asks_target ? &forward->to : &forward->from;
    const size_t entries = mapping_space_size(places);
    answer->is_by_target = asks_target;
    while (*position < entries) {
        uint32_t point[MAPPING_AXES_MAX] = {0}, outside = asked_space->count;
        mapping_space_point(places, *position, point);
        if (by_target == asks_target)
            outside = first_outside(question, asked_space, point);
        if (outside < asked_space->count) {
            /* Skip to the range or, after its end, to the next step of the outer axis. */
            const size_t stride = mapping_space_stride(places, outside);
            const uint32_t axis = outside - first_axis(question, asked_space);
            const uint32_t first = question->ranges[axis].first, at = point[outside];
            const uint32_t steps = (at < first ? first : places->axis[outside].size) - at;
            *position += steps * stride - *position % stride;
            continue;
        }
        const size_t n = (*position)++;
        if (by_target && !has_entry(report, n))
            continue;
        if (by_target) { /* the point is the output, followed by the copy */
            memcpy(answer->target, point, forward->to.count * sizeof *point);
            answer->copy = point[forward->to.count];
            for (uint32_t c = 0; c < inverse->to.count; c++)
                answer->source[c] = inverse->coordinate[c][n];
        } else {
            memcpy(answer->source, point, sizeof point);
            answer_source(forward, inverse, n, answer);
        }
        const bool is_asked =
            (by_target || !asks_target ||
             first_outside(question, &forward->to, answer->target) == forward->to.count) &&
            (!report->has_choice || answer->copy == report->choice);
        if (is_asked && is_in_registers(asked, report, answer))
            return true;
    }
    return false;
}

bool question_box(const struct question *asked, const struct report *report,
                  struct question_box *box) {
    const struct mapping_layout *forward = &report->forward.layout;
    const struct question question = question_between(asked, &forward->from, &forward->to);
    const bool asks_target = question.kind == ASK_TARGET;
    const struct mapping_space *space = asks_target ? &forward->to : &forward->from;
    const uint32_t first = first_axis(&question, space);
    if (report->tmem || asked->has_registers || question.is_of_lane ||
        (asks_target && !report_has_inverse(report)))
        return false;
    *box = (struct question_box){
        asks_target ? &report->inverse.layout : forward, space->count, {{0, 0}}};
    for (uint32_t a = 0; a < space->count; a++) {
        const bool is_asked = a >= first && a - first < question.count;
        struct range *range = &box->ranges[a];
        *range = is_asked ? question.ranges[a - first] : (struct range){0, UINT32_MAX};
        if (range->last >= space->axis[a].size)
            range->last = space->axis[a].size - 1;
    }
    return true;
}

void element_bits(const struct mapping_fragment *fragment, uint32_t bits[2]) {
    const uint32_t own = mapping_type_bits(fragment->type);
    const bool is_part = fragment->bits == 8 && own < 8 &&
                         fragment->type != MAPPING_S4; /* ldmatrix extends the sign to 8 bits */
    bits[0] = is_part && fragment->type == MAPPING_E2M1 ? 2 : 0;
    bits[1] = bits[0] + (is_part ? own : fragment->bits) - 1;
}

bool answer_register(const struct report *report, const struct answer *answer,
                     struct register_bits *place) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const struct mapping_space *from = &report->forward.layout.from;
    const uint32_t bits = fragment->bits;
    if (!report->has_fragment || !is_of_threads(from) || !has_registers(fragment))
        return false;
    const uint32_t start = answer->source[1] * bits;
    uint32_t used[2];
    element_bits(fragment, used);
    *place = (struct register_bits){
        .first = start / REGISTER_BITS,
        .count = (bits + REGISTER_BITS - 1) / REGISTER_BITS,
        .bits = {(start + used[0]) % REGISTER_BITS, (start + used[1]) % REGISTER_BITS}};
    const uint32_t names = (uint32_t)report->registers.count;
    if (names == 0 || fragment->registers % names != 0 || report->tiling || report->tmem)
        return true;
    /* In PTX, one name stands for all 64 bits of an f64. */
    const uint32_t named = fragment->registers / names * REGISTER_BITS;
    for (uint32_t n = 0; n * named < bits && n < 2; n++) {
        const char *name = report->registers.text[start / named + n];
        place->name[n] = *name ? name : NULL; /* the line names only some of the registers */
    }
    return true;
}

char *answer_register_text(const struct report *report, const struct answer *answer) {
    struct register_bits place;
    struct printer to = {.text = NULL};
    if (!answer_register(report, answer, &place))
        return NULL;
    const bool is_whole = place.bits[0] == 0 && place.bits[1] == 31;
    if (place.name[1])
        print(&to, "%s and %s", place.name[0], place.name[1]);
    else if (place.name[0])
        print_text(&to, place.name[0]);
    else if (place.count > 1)
        print(&to, "registers %u and %u", place.first, place.first + 1);
    else
        print(&to, "register %u", place.first);
    if (!is_whole && place.bits[0] == place.bits[1])
        print(&to, ", bit %u", place.bits[0]);
    else if (!is_whole)
        print(&to, ", bits %u-%u", place.bits[0], place.bits[1]);
    return printer_string(&to);
}

char *answer_memory_text(const struct report *report, const struct answer *answer) {
    const struct smem_report *smem = report->smem;
    struct printer to = {.text = NULL};
    if (!smem)
        return NULL;
    const uint64_t first = (uint64_t)answer->target[0] * smem->bits, bit = first % 8;
    print(&to, "byte %llu", (unsigned long long)(first / 8));
    if (smem->bits == 1)
        print(&to, ", bit %u", (unsigned)bit);
    else if (smem->bits < 8 && bit + smem->bits <= 8)
        print(&to, ", bits %u-%u", (unsigned)bit, (unsigned)bit + smem->bits - 1);
    else if (smem->bits % 8 != 0)
        print(&to, ", from bit %u", (unsigned)bit);
    print(&to, ", bank %u", smem_bank(smem, answer->target[0]));
    return printer_string(&to);
}

char *register_of_element(const struct report *report) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const uint32_t bits = fragment->bits;
    struct printer to = {.text = NULL};
    uint32_t used[2];
    if (!report->has_fragment || !is_of_threads(&report->forward.layout.from) ||
        !has_registers(fragment) || bits >= REGISTER_BITS)
        return NULL;
    if (bits == 1)
        print(&to, "element i is in register i / %d, bit i %% %d", REGISTER_BITS, REGISTER_BITS);
    else
        print(&to, "element i is in register i / %u, from bit %u * (i %% %u)", REGISTER_BITS / bits,
              bits, REGISTER_BITS / bits);
    element_bits(fragment, used);
    if (used[0] > 0)
        print(&to, " + %u", used[0]);
    return printer_string(&to);
}

uint32_t question_padding(const struct question *asked, const struct report *report) {
    const struct mapping_layout *inverse = &report->inverse.layout;
    uint32_t count = 0;
    if (!report->smem || !report->smem->scales.kind || !asked->is_of_offset)
        return 0;
    for (uint32_t offset = asked->ranges[0].first;
         offset <= asked->ranges[0].last && offset < inverse->from.axis[0].size; offset++)
        count += is_gap(inverse, offset);
    return count;
}
