/* shared_access.c - accesses to shared memory, plans of loads and stores, and suggested layouts, as
 * text and as pictures. In a picture, columns are banks, rows are wavefronts, and each cell shows
 * which lanes access which word, or which 2 or 4 consecutive words. */
#include "output/comments.h"
#include "output/output.h"

#include "layout/formula.h"
#include "layout/sentence.h"
#include "output/picture/figure.h"

#include <ctype.h>
#include <string.h>

/* ---- Accesses ---- */

enum { LINE_WIDTH = 79 };

/* The source of all counts of wavefronts. */
#define RULE_LINE "wavefronts: computed by a rule that was checked on an H200 (sm_90) only"

/* Prints words that tabs separate as a line, or as several if they do not fit, which begin with
 * `next`. */
static void print_words(struct printer *to, struct printer *words, const char *next) {
    printer_string(words);
    print_wrapped(to, words->text, words->size, &(struct wrapping){0, LINE_WIDTH, "\t", next});
    print_char(to, '\n');
}

/* Prints the expression on one line, without surrounding blanks; truncates it if it is too long. */
static void print_expression(struct printer *to, const char *text) {
    enum { LONGEST = 56 };
    size_t start = 0, end = strlen(text);
    while (isspace((unsigned char)text[start])) /* an expression has at least one other character */
        start++;
    while (isspace((unsigned char)text[end - 1]))
        end--;
    for (size_t n = start; n < end && n < start + LONGEST; n++)
        print_char(to, isprint((unsigned char)text[n]) ? text[n] : ' ');
    print_text(to, end - start > LONGEST ? "..." : "");
}

/* Prints the addresses of the lanes that provide one, 8 in a line; "-" if a lane is inactive. */
static void print_addresses(struct printer *to, const struct access *access) {
    enum { IN_LINE = 8 };
    uint32_t lanes = mapping_access_lanes(access->operation);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (lane % IN_LINE == 0)
            print(to, "lanes %2u-%-2u", lane, lane + IN_LINE - 1);
        if (access->address[lane] == MAPPING_INACTIVE)
            print_text(to, "       -");
        else
            print(to, " %7u", access->address[lane]);
        if (lane % IN_LINE == IN_LINE - 1)
            print_char(to, '\n');
    }
}

/* Removes the first run of consecutive lanes from a set. False if the set is empty. */
static bool next_lanes(uint32_t *set, uint32_t *first, uint32_t *last) {
    if (*set == 0)
        return false;
    for (*first = 0; !(*set >> *first & 1);)
        ++*first;
    for (*last = *first; *last < LANES && *set >> *last & 1; ++*last)
        *set &= ~(UINT32_C(1) << *last);
    --*last;
    return true;
}

/* Prints "lane 3", or "lanes 0-3, 8, 10", with tabs between words. */
static void print_lanes(struct printer *to, uint32_t set) {
    uint32_t first, last;
    print_text(to, set & (set - 1) ? "lanes" : "lane");
    while (next_lanes(&set, &first, &last)) {
        print(to, "\t%u", first);
        if (last > first)
            print(to, "-%u", last);
        print_text(to, set ? "," : "");
    }
}

/* Prints which lanes access which words of the bank with the most words. */
static void print_meeting(struct printer *to, const struct access *access,
                          const struct mapping_phase *phase) {
    struct printer line = {.text = NULL};
    struct mapping_words words;
    mapping_access_words(access->operation, access->address, phase->lanes, &words);
    const uint32_t *lanes = words.lanes[phase->bank];
    for (uint32_t n = 0; n < words.count[phase->bank]; n++) {
        print(&line, "%sbyte %u:", n ? ";\t" : "  ", words.word[phase->bank][n] * BANK_BYTES);
        if (lanes[n] & (lanes[n] - 1)) {
            print_char(&line, '\t');
            print_lanes(&line, lanes[n]);
        } else {
            print(&line, " lane %u", (unsigned)__builtin_ctz(lanes[n]));
        }
    }
    print_words(to, &line, "  ");
}

/* Prints the lanes, wavefronts and conflicts of a phase, with tabs between words; if `has_bank`,
 * ends with the bank of which the words follow. */
static void print_phase(struct printer *to, const struct mapping_phase *phase, uint32_t number,
                        bool has_bank) {
    if (phase->lanes == 0) {
        print(to, "no active lanes (phase %u)", number);
        return;
    }
    print_lanes(to, phase->lanes);
    print(to, "\t(phase %u):\t%u wavefront%s,\t", number, phase->wavefronts,
          mapping_plural(phase->wavefronts));
    if (phase->wavefronts == 1)
        print_text(to, "no bank conflict");
    else if (phase->banks == 1)
        print(to, "%u words in bank %u", phase->wavefronts, phase->bank);
    else
        print(to, "%u words in each of %u banks", phase->wavefronts, phase->banks);
    if (has_bank && phase->wavefronts > 1 && phase->banks > 1)
        print(to, "; in bank %u", phase->bank);
}

/* Prints the operation and its argument: "ld.b32, address: tid * 8". */
static void print_access_name(struct printer *to, const struct access *access) {
    print_text(to, access->operation->name);
    if (!access->is_list) {
        print_text(to, ", address: ");
        print_expression(to, access->text);
    }
}

/* Completes a line that begins at `line`: prints by how much the wavefronts exceed the minimum, as
 * profilers do: " (minimum: 4), 8-way bank conflicts on average". */
static void print_conflicts(struct printer *to, size_t line, uint32_t wavefronts,
                            uint32_t minimum) {
    enum { WIDTH = 80 };
    const char *text = "no bank conflicts";
    if (wavefronts > minimum) {
        print(to, " (minimum: %u)", minimum);
        text = minimum > 0 && wavefronts % minimum == 0
                   ? memory_format("%u-way bank conflicts on average", wavefronts / minimum)
                   : "bank conflicts";
    }
    print(to, "%s%s\n", to->size - line + 2 + strlen(text) > WIDTH ? ",\n  " : ", ", text);
}

/* Prints the wavefronts: "Wavefronts: 2 (minimum: 1), 2-way bank conflicts on average". If
 * lanes have the same addresses so that two phases merge, a sentence explains this. */
static void print_access_total(struct printer *to, const struct mapping_access *operation,
                               const struct mapping_wavefronts *counted) {
    uint32_t bytes = LANES / counted->phase_count * operation->bytes;
    const size_t line = to->size;
    print(to, "Wavefronts: %u", counted->wavefronts);
    print_conflicts(to, line, counted->wavefronts, counted->minimum);
    if (counted->wavefronts > 0 && operation->matrices == 0 && bytes > BANKS * BANK_BYTES)
        print_text(
            to, "Pairs of phases merge into one, because all lanes l and l ^ 1, or all lanes l and "
                "l ^ 2,\nhave the same address.\n");
}

void print_access(struct printer *to, const struct access *access) {
    print_text(to, "# ");
    print_access_name(to, access);
    print_text(to, "\n# " RULE_LINE "\nAddresses, in bytes:\n");
    print_addresses(to, access);
    print_char(to, '\n');
    print_access_total(to, access->operation, &access->counted);
    for (uint32_t p = 0; p < access->counted.phase_count; p++) {
        const struct mapping_phase *phase = &access->counted.phases[p];
        struct printer line = {.text = NULL};
        print_phase(&line, phase, p, true);
        print_text(&line, phase->wavefronts > 1 ? ":" : "");
        print_words(to, &line, "  ");
        if (phase->wavefronts > 1)
            print_meeting(to, access, phase);
    }
}

/* ---- Pictures of accesses ---- */

/* Prints the threads that access a word, in narrow lines: "T0-3,8". Lane 0 is `first_thread`. */
static void print_threads(struct printer *to, uint32_t set, uint32_t first_thread) {
    enum { WIDTH = 8 };
    uint32_t first, last;
    size_t line = 0;
    print_char(to, 'T');
    while (next_lanes(&set, &first, &last)) {
        first += first_thread, last += first_thread;
        const char *word = memory_format(last > first ? "%u-%u" : "%u", first, last);
        if (to->size > line + 1 && to->size + strlen(word) + 1 > line + WIDTH) {
            print_char(to, '\n');
            line = to->size;
        }
        print(to, set ? "%s," : "%s", word);
    }
}

/* The number of banks that share a column: 4 or 2 if each lane that accesses one of them accesses
 * consecutive words in all of them, as with ld.b128 and ldmatrix; otherwise 1. */
static uint32_t find_joined(const struct mapping_words *words) {
    for (uint32_t joined = 4; joined > 1; joined /= 2) {
        bool fits = true;
        for (uint32_t bank = 0; bank < BANKS && fits; bank++) {
            const uint32_t first = bank - bank % joined, count = words->count[first];
            fits = words->count[bank] == count;
            for (uint32_t n = 0; n < count && fits; n++)
                fits = words->lanes[bank][n] == words->lanes[first][n] &&
                       words->word[bank][n] == words->word[first][n] + bank - first;
        }
        if (fits)
            return joined;
    }
    return 1;
}

/* Fills the panel of a phase: each row is a wavefront, each column is one or several banks. */
static void fill_phase(struct panel *panel, const struct mapping_words *words, uint32_t joined,
                       uint32_t first_thread) {
    for (uint32_t col = 0; col < panel->cols; col++)
        for (uint32_t row = 0; row < panel->rows; row++) {
            const uint32_t bank = col * joined;
            struct cell *cell = figure_cell(panel, row, col);
            struct printer text = {.text = NULL};
            if (joined > 1)
                panel->col_labels[col] = memory_format("%u-%u", bank, bank + joined - 1);
            cell->color = COLOR_NONE;
            if (row >= words->count[bank])
                continue;
            print_threads(&text, words->lanes[bank][row], first_thread);
            print(&text, "\n@%u", words->word[bank][row] * BANK_BYTES);
            cell->text = printer_string(&text);
            const uint32_t lane = (uint32_t)__builtin_ctz(words->lanes[bank][row]);
            cell->color = words->count[bank] > 1
                              ? COLOR_WARNING
                              : (uint8_t)color_of(COLOR_BY_THREAD, first_thread + lane, 0);
        }
}

/* The change from the lanes or words of one phase to those of another: "+ 8", "^ 17". */
struct shift {
    char operation;
    uint32_t constant; /* for '+', modulo 2^32 */
};

static uint32_t apply(struct shift shift, uint32_t value) {
    return shift.operation == '+' ? value + shift.constant : value ^ shift.constant;
}

/* The changes from one phase to another. */
struct shifts {
    struct shift lanes, words;
};

/* True if the lanes and words of a phase are those of another with these changes. */
static bool is_moved(const struct mapping_words *one, const struct mapping_words *other,
                     const struct shifts *shifts) {
    uint32_t found = 0, all = 0;
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        all += other->count[bank];
        for (uint32_t n = 0; n < one->count[bank]; n++) {
            const uint32_t word = apply(shifts->words, one->word[bank][n]), to = word % BANKS;
            uint32_t moved = 0;
            for (uint32_t left = one->lanes[bank][n]; left; left &= left - 1) {
                const uint32_t lane = apply(shifts->lanes, (uint32_t)__builtin_ctz(left));
                moved |= lane < LANES ? UINT32_C(1) << lane : 0;
            }
            if (n >= other->count[to] || moved != other->lanes[to][n] || word != other->word[to][n])
                return false;
            found++;
        }
    }
    return found == all;
}

/* Finds the changes from another phase, whose first lanes access these bytes. False if there are
 * none. */
static bool find_shifts(const struct mapping_words *one, const struct mapping_words *other,
                        const uint32_t lanes[2], const uint32_t *address, struct shifts *shifts) {
    const uint32_t from = lanes[0], to = lanes[1], word = address[from] / BANK_BYTES,
                   next = address[to] / BANK_BYTES;
    for (int way = 0; way < 4; way++) {
        shifts->lanes = way % 2 ? (struct shift){'^', from ^ to} : (struct shift){'+', to - from};
        shifts->words =
            way / 2 ? (struct shift){'^', word ^ next} : (struct shift){'+', next - word};
        if (is_moved(one, other, shifts))
            return true;
    }
    return false;
}

/* Prints a change, `what` followed by " + 8"; nothing if there is no change. */
static void print_shift(struct printer *to, const char *what, struct shift shift, uint32_t unit) {
    const bool is_below = shift.operation == '+' && shift.constant >> 31;
    if (shift.constant)
        print(to, "%s %c %u", what, is_below ? '-' : shift.operation,
              unit * (is_below ? 0U - shift.constant : shift.constant));
}

/* The period of the banks or wavefronts of a phase: number n equals number n - every, with the
 * changes added to lanes and words. */
struct repeat {
    uint32_t every; /* 0 if they do not repeat */
    struct shifts shifts;
};

/* Finds the period of the first `count` wavefronts, or banks, of a phase. */
static struct repeat find_repeat(const struct mapping_words *words, bool of_banks, uint32_t count) {
    enum { LEAST = 8, MOST = 16 };
    for (uint32_t every = LEAST; every <= MOST && every < count; every *= 2) {
        struct repeat found = {.every = every, .shifts = {{'+', 0}, {'+', 0}}};
        bool fits = true, has_shift = false;
        for (uint32_t bank = of_banks ? every : 0; bank < BANKS && fits; bank++)
            for (uint32_t n = of_banks ? 0 : every; n < LANES && fits; n++) {
                const uint32_t before = of_banks ? bank - every : bank,
                               at = of_banks ? n : n - every;
                const bool has_word = n < words->count[bank];
                if (!has_word && at >= words->count[before])
                    continue;
                fits = has_word && at < words->count[before];
                if (!fits)
                    break;
                const uint32_t lanes = words->lanes[bank][n], first = words->lanes[before][at];
                const int lowest = __builtin_ctz(lanes), lowest_before = __builtin_ctz(first);
                const uint32_t lane = (uint32_t)(lowest - lowest_before),
                               word = words->word[bank][n] - words->word[before][at];
                if (!has_shift)
                    found.shifts = (struct shifts){{'+', lane}, {'+', word}};
                has_shift = true;
                fits = lane == found.shifts.lanes.constant && word == found.shifts.words.constant &&
                       lanes >> lowest == first >> lowest_before;
            }
        if (fits)
            return found;
    }
    return (struct repeat){.every = 0};
}

/* Prints "phase 0, wavefronts 8 to 31: T + 8, @ + 1024 for each 8 wavefronts". */
static void print_repeat(struct printer *to, uint32_t phase, const char *word, uint32_t count,
                         const struct repeat *repeat) {
    struct printer growth = {.text = NULL};
    print_shift(&growth, ", T", repeat->shifts.lanes, 1);
    print_shift(&growth, ", @", repeat->shifts.words, BANK_BYTES);
    const char *text = printer_string(&growth);
    print(to, "phase %u, %ss %u to %u: %s for each %u %ss\n", phase, word, repeat->every, count - 1,
          *text ? text + strlen(", ") : "the same", repeat->every, word);
}

/* Draws a phase. If `folds`, omits wavefronts and banks that repeat, and describes them in a line.
 */
static struct panel *draw_phase(struct figure *figure, uint32_t number, uint32_t wavefronts,
                                const struct mapping_words *words, uint32_t first_thread,
                                bool folds, struct printer *notes) {
    const uint32_t joined = find_joined(words);
    struct repeat rows = {.every = 0}, cols = {.every = 0};
    if (folds) {
        rows = find_repeat(words, false, wavefronts);
        cols = find_repeat(words, true, BANKS);
    }
    struct panel *panel = figure_add_panel(figure, rows.every ? rows.every : wavefronts,
                                           (cols.every ? cols.every : BANKS) / joined);
    panel->row_axis = "wavefront";
    panel->col_axis = joined > 1 ? "banks" : "bank";
    fill_phase(panel, words, joined, first_thread);
    if (rows.every)
        print_repeat(notes, number, "wavefront", wavefronts, &rows);
    if (cols.every)
        print_repeat(notes, number, "bank", BANKS, &cols);
    return panel;
}

/* Draws the phases of one warp's access below each other. A phase that follows from an earlier one
 * by a change is described in a line, and so are phases without lanes. */
static void add_phases(struct figure *figure, const struct mapping_access *operation,
                       const uint32_t *address, uint32_t first_thread, bool folds) {
    struct mapping_wavefronts counted;
    struct printer notes = {.text = NULL};
    uint32_t drawn = 0;
    mapping_access_count(operation, address, &counted);
    struct mapping_words *words = memory_get(counted.phase_count, sizeof *words);
    uint32_t *leaders = memory_get(counted.phase_count, sizeof *leaders);
    for (uint32_t p = 0; p < counted.phase_count; p++) {
        const struct mapping_phase *phase = &counted.phases[p];
        struct printer line = {.text = NULL}, title = {.text = NULL};
        struct shifts shifts = {.lanes = {'+', 0}};
        uint32_t leader = 0;
        print_phase(&line, phase, p, false);
        printer_string(&line);
        print_wrapped(&title, line.text, line.size, &(struct wrapping){0, SIZE_MAX, "\t", ""});
        if (phase->lanes)
            mapping_access_words(operation, address, phase->lanes, &words[p]);
        for (; leader < drawn && phase->lanes; leader++) {
            const uint32_t first = counted.phases[leaders[leader]].lanes;
            const uint32_t lanes[] = {(uint32_t)__builtin_ctz(first),
                                      (uint32_t)__builtin_ctz(phase->lanes)};
            if (find_shifts(&words[leaders[leader]], &words[p], lanes, address, &shifts))
                break;
        }
        if (phase->lanes == 0 || leader < drawn) {
            print_text(&notes, printer_string(&title));
            if (phase->lanes) {
                print(&notes, "; as phase %u", leaders[leader]);
                print_shift(&notes, ", T", shifts.lanes, 1);
                print_shift(&notes, ", @", shifts.words, BANK_BYTES);
            }
            print_char(&notes, '\n');
            continue;
        }
        struct panel *panel =
            draw_phase(figure, p, phase->wavefronts, &words[p], first_thread, folds, &notes);
        panel->title = printer_string(&title);
        leaders[drawn] = p;
        panel->down = drawn++;
    }
    figure_arrange(figure, false);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&notes));
}

/* Draws the phases, folded if they would be too wide. */
static void draw_phases(struct figure *figure, const struct mapping_access *operation,
                        const uint32_t *address, uint32_t first_thread) {
    const struct figure before = *figure;
    add_phases(figure, operation, address, first_thread, false);
    if (figure->width <= PICTURE_WIDTH || figure->is_whole)
        return;
    figure_return(figure, &before);
    figure->splits = true;
    add_phases(figure, operation, address, first_thread, true);
    figure->splits = false;
}

static void print_legend(struct printer *to, const struct mapping_access *operation,
                         bool has_conflicts) {
    print_text(to, operation->matrices > 0
                       ? "T lists the lanes whose ldmatrix or stmatrix row contains the word; @ is "
                         "its byte address.\n"
                       : "T lists the lanes that access the word; @ is its byte address.\n");
    print_text(to, has_conflicts
                       ? "Red cells show bank conflicts: the lanes access several words of the "
                         "bank, and each word takes a wavefront. Other colors show the lane. The "
                         "hardware chooses the order of wavefronts; the picture orders them by "
                         "lane.\n"
                       : "Colors show the lane.\n");
}

struct figure draw_access(const struct access *access) {
    struct figure figure = {.panels = NULL};
    struct printer title = {.text = NULL}, notes = {.text = NULL};
    bool has_conflicts = false;
    print_access_name(&title, access);
    figure_add_caption(&figure, CAPTION_TITLE, printer_string(&title));
    draw_phases(&figure, access->operation, access->address, 0);
    print_access_total(&notes, access->operation, &access->counted);
    for (uint32_t p = 0; p < access->counted.phase_count; p++)
        has_conflicts |= access->counted.phases[p].wavefronts > 1;
    print_legend(&notes, access->operation, has_conflicts);
    print_text(&notes, "Rule for wavefronts: measured with ncu on an H200 (" ACCESS_COUNTED_ARCH
                       "), assumed for other architectures.");
    figure_add_caption(&figure, CAPTION_NOTE, printer_string(&notes));
    return figure;
}

/* ---- Loads and stores ---- */

/* Prints the pieces that a step moves: "registers 0 to 3". */
static void print_pieces(struct printer *to, const struct mapping_copy_plan *plan,
                         const struct mapping_copy_step *step) {
    const struct mapping_access *access = plan->access;
    bool is_part = access->matrices == 0 && access->bytes < 4;
    const char *what = !is_part ? "register" : access->bytes == 1 ? "byte" : "half-word";
    print(to, "%s%s", what, mapping_plural(step->piece_count));
    uint32_t run = 1;
    while (run < step->piece_count && step->pieces[run] == step->pieces[0] + run)
        run++;
    if (run > 2 && run == step->piece_count)
        print(to, " %u to %u", step->pieces[0], step->pieces[run - 1]);
    else
        for (uint32_t p = 0; p < step->piece_count; p++)
            print(to, "%s %u", p ? "," : "", step->pieces[p]);
}

/* Prints the pieces that a step moves, "registers 0 to 3", or its number if it copies: "step 0". */
static void print_step_name(struct printer *to, const struct load *load,
                            const struct mapping_copy_plan *plan, uint32_t number) {
    const struct mapping_copy_step *step = &plan->steps[number];
    if (load->fragment)
        print_pieces(to, plan, step);
    else
        print(to, "step %u", number);
    if (plan->step_count > 1 && step->wavefronts != plan->wavefronts / plan->step_count)
        print(to, ", %u wavefronts", step->wavefronts);
}

/* Puts tabs before operators outside of `depth` parentheses, where a line may be broken. Returns
 * the length of the longest piece. */
static size_t mark_breaks(const struct printer *line, unsigned parentheses, struct printer *words) {
    unsigned depth = 0;
    size_t longest = 0, start = 0;
    words->size = 0;
    for (size_t n = 0; n < line->size; n++) {
        const char c = line->text[n];
        depth += c == '(';
        depth -= c == ')';
        const bool may_break = c == ' ' && depth <= parentheses && strchr("+^", line->text[n + 1]);
        start = may_break ? n : start;
        longest = n + 1 - start > longest ? n + 1 - start : longest;
        print_char(words, c);
        if (may_break)
            words->text[words->size - 1] = '\t';
    }
    return longest;
}

/* Prints a line that ends with a formula, broken into several if it is too long for a terminal. */
static void print_formula(struct printer *to, const struct printer *line) {
    enum { INDENT = 6 };
    struct printer words = {.text = NULL};
    for (unsigned depth = 0; mark_breaks(line, depth, &words) + INDENT > LINE_WIDTH && depth < 4;)
        depth++;
    print_words(to, &words, "      ");
}

/* Prints the pieces that a step moves, and its addresses. If there are several steps, prints the
 * addresses as those of another step with a change, unless everything is to be printed. */
static void print_step(struct printer *to, const struct load *load,
                       const struct mapping_copy_plan *plan, uint32_t number,
                       const struct relation *relation, const struct style *style) {
    enum { IN_A_LINE = 8 };
    const struct mapping_copy_step *step = &plan->steps[number];
    struct printer line = {.text = NULL};
    const char *formula = load_formula(plan, step, style->formula), *place, *address;
    print_text(&line, "  ");
    print_step_name(&line, load, plan, number);
    if (relation && relation->leader != number) {
        print(&line, ": byte address = address%u", relation->leader);
        print_shift(&line, "", (struct shift){relation->operation, relation->constant}, 1);
        print_formula(to, &line);
        return;
    }
    const bool is_moved = load->origin[0] > 0 || load->origin[1] > 0;
    if (load->fragment && (!formula || (is_moved && style->formula != FORMULA_BITS)) &&
        load_place(load->matrix, plan, step, style->formula, &place, &address) &&
        (!formula ||
         formula_operators(place) + formula_operators(address) < formula_operators(formula))) {
        print(&line, ": %s,", place);
        print_formula(to, &line);
        line.size = 0;
        print_text(&line, "      byte address = ");
        if (relation)
            print(&line, "address%u = ", number);
        print_text(&line, address);
        print_formula(to, &line);
        return;
    }
    if (formula) {
        print_text(&line, ": byte address = ");
        if (relation)
            print(&line, "address%u = ", number);
        print_text(&line, formula);
        print_formula(to, &line);
        return;
    }
    print(to, "%s: no formula; byte address of each thread", printer_string(&line));
    for (uint32_t t = 0; t < plan->threads; t++) {
        print_text(to, t % IN_A_LINE == 0 ? "\n   " : "");
        if (step->address[t] == MAPPING_INACTIVE)
            print(to, " %6s", "-");
        else
            print(to, " %6u", step->address[t]);
    }
    print_char(to, '\n');
}

/* True if each step moves the registers that follow those of the previous step, with the same
 * number of wavefronts. */
static bool is_regular(const struct mapping_copy_plan *plan) {
    const struct mapping_copy_step *first = plan->steps;
    for (uint32_t s = 1; s < plan->step_count; s++) {
        const struct mapping_copy_step *step = &plan->steps[s];
        if (step->piece_count != first->piece_count || step->wavefronts != first->wavefronts)
            return false;
        for (uint32_t p = 0; p < step->piece_count; p++)
            if (step->pieces[p] != first->pieces[p] + s * step->piece_count)
                return false;
    }
    return true;
}

/* Prints all steps but the first in one line: "step s (1 to 7), registers 4s to 4s + 3: byte
 * address = address0 ^ s * 32". False if their addresses do not have this form. */
static bool print_other_steps(struct printer *to, const struct load *load,
                              const struct mapping_copy_plan *plan) {
    enum { LISTED = 3 };
    const char *change = NULL;
    struct printer line = {.text = NULL}, pieces = {.text = NULL};
    if (plan->step_count < LISTED || !load->fragment || !is_regular(plan) ||
        !(change = load_change(plan)))
        return false;
    const struct mapping_copy_step *first = plan->steps;
    print_pieces(&pieces, plan, first); /* "registers 0, 1" */
    const uint32_t count = first->piece_count;
    print(&line, "  step s (1 to %u), %.*s ", plan->step_count - 1,
          (int)strcspn(printer_string(&pieces), " "), printer_string(&pieces));
    for (uint32_t p = 0; p<count; p += count> 2 ? count - 1 : 1) {
        print_text(&line, p == 0 ? "" : count > 2 ? " to " : ", ");
        if (count > 1)
            print(&line, "%u", count);
        print_text(&line, "s");
        if (first->pieces[p])
            print(&line, " + %u", first->pieces[p]);
    }
    const bool is_same = strcmp(change, "+ 0") == 0;
    print(&line, ": byte address = address0%s%s", is_same ? "" : " ", is_same ? "" : change);
    print_formula(to, &line);
    return true;
}

/* Prints the cost of a plan: "ldmatrix.x4: 2 instructions, 8 wavefronts in total, no bank
 * conflicts", or "stmatrix.x4: 4 instructions x 4 warps: 64 wavefronts, no bank conflicts". */
static void print_plan_total(struct printer *to, const struct load *load,
                             const struct mapping_copy_plan *plan) {
    const size_t line = to->size;
    print(to, "%s: ",
          load->fragment ? plan->access->name
          : load->is_tma ? "TMA"
                         : "cp.async, 16 bytes per lane");
    if (plan->threads > MAPPING_WARP)
        print(to, "%u instruction%s x %u warps: ", plan->step_count,
              mapping_plural(plan->step_count), plan->threads / MAPPING_WARP);
    else if (plan->step_count > 1)
        print(to, "%u instructions, ", plan->step_count);
    print(to, "%u wavefront%s%s", plan->wavefronts, mapping_plural(plan->wavefronts),
          plan->step_count > 1 && plan->threads <= MAPPING_WARP ? " in total" : "");
    print_conflicts(to, line, plan->wavefronts, plan->minimum);
    if (load->is_tma)
        print_text(to, "  counted as if a warp wrote with cp.async, 16 bytes per lane\n");
}

static void print_plan(struct printer *to, const struct load *load,
                       const struct mapping_copy_plan *plan, const struct style *style) {
    const char *formula = load->fragment ? NULL : load_formula(plan, NULL, style->formula);
    struct printer line = {.text = NULL};
    struct relation *relations = NULL;
    print_plan_total(to, load, plan);
    if (formula) {
        print(&line, "  step 0 to %u: byte address = %s", plan->step_count - 1, formula);
        print_formula(to, &line);
        return;
    }
    if (plan->step_count > 1 && load->fragment && !style->excerpt.is_whole) {
        relations = memory_get(plan->step_count, sizeof *relations);
        load_relate(plan, NULL, relations);
    }
    for (uint32_t s = 0; s < plan->step_count; s++) {
        print_step(to, load, plan, s, relations ? &relations[s] : NULL, style);
        if (s == 0 && relations && print_other_steps(to, load, plan))
            return;
    }
}

static void print_boxes(struct printer *to, const struct load *load) {
    enum { SHOWN = 8 };
    const struct mapping_tma *tma = &load->tma;
    const uint32_t count = tma->boxes[0] * tma->boxes[1];
    print(to, "%s, %u box%s of %u row%s x %u column%s\n", tma->swizzle, count,
          count == 1 ? "" : "es", tma->box[0], mapping_plural(tma->box[0]), tma->box[1],
          mapping_plural(tma->box[1]));
    if (tma->since > 90)
        print(to, "  needs sm_%u or later: on sm_90, the driver returns CUDA_ERROR_INVALID_VALUE\n",
              tma->since);
    for (uint32_t b = 0; b < count && b < SHOWN && count > 1; b++) {
        const struct tma_box box = tma_box(load, b);
        print(to, "  box at row %u, column %u: byte %u\n", box.row, box.col, box.byte);
    }
    if (count > SHOWN)
        print(to, "  and %u more; --format=cuda has all\n", count - SHOWN);
    print(to,
          "the matrix begins at a multiple of %u bytes; global address and stride are\n"
          "  multiples of 16 bytes; --format=cuda prints the call of cuTensorMapEncodeTiled\n",
          tma->alignment);
}

/* Prints a plan that is not the best in one line: "ldmatrix.x2: 2 instructions, 4 wavefronts;
 * --with=ldmatrix.x2 shows it". */
static void print_other_plan(struct printer *to, const struct mapping_copy_plan *plan) {
    struct printer line = {.text = NULL};
    const char *name = plan->access->name;
    print(&line, "%s:\t%u instruction%s", name, plan->step_count, mapping_plural(plan->step_count));
    if (plan->threads > MAPPING_WARP)
        print(&line, " x %u warps:", plan->threads / MAPPING_WARP);
    print(&line, "%s\t%u wavefront%s", plan->threads > MAPPING_WARP ? "" : ",", plan->wavefronts,
          mapping_plural(plan->wavefronts));
    if (plan->wavefronts > plan->minimum)
        print(&line, " (minimum: %u)", plan->minimum);
    print(&line, ";\t--with=%s shows it", name);
    print_words(to, &line, "  ");
}

/* Prints the fragment and the matrix of a load: "mma.m16n8k16.a.f16 from (64,64):(64,1) at row 0,
 * column 0". */
static void print_load_name(struct printer *to, const struct load *load) {
    print(to, "%s %s %s", load->name, load->is_store ? "to" : "from", load->matrix->name);
    if (load->fragment)
        print(to, " at row %u, column %u", load->origin[0], load->origin[1]);
    if (load->matrix->forward.layout.from.count > 2)
        print_text(to, ", stage 0");
    if (has_axes_to_say(load))
        print(to, "\nrows are %c, columns are %c", load->axes.rows, load->axes.cols);
}

/* Prints notes on the numbers: element type, units, tiling and source; with hints about the command
 * line, the architecture that was chosen. */
static void print_load_notes(struct printer *to, const struct load *load, bool has_hints) {
    const struct report *fragment = load->fragment;
    print(to, "elements are %s; addresses are byte offsets from the start of the matrix\n",
          load->matrix->smem->type);
    if (has_hints && fragment && fragment->is_default_arch)
        print(to, "no GPU here, so sm_%u is shown; --arch=ARCH shows another\n", fragment->arch);
    if (fragment && fragment->tiling)
        print(to, "the fragment is tiled by %s\n", fragment->tiling);
    for (size_t f = 0; f < load->facts.count; f++)
        print(to, "%s\n", load->facts.fact[f].text);
    print_text(to, RULE_LINE "\n");
}

void print_loads(struct printer *to, const struct load *loads, size_t count,
                 const struct style *style) {
    for (size_t l = 0; l < count; l++) {
        struct printer above = {.text = NULL};
        print_text(to, l > 0 ? "\n" : "");
        print_load_name(&above, &loads[l]);
        print_char(&above, '\n');
        if (!style->brief)
            print_load_notes(&above, &loads[l], true);
        if (!style->brief || count > 1)
            comment(to, printer_string(&above));
        for (size_t p = 0; p < (style->brief ? 1 : loads[l].count); p++)
            if (p == 0 || style->excerpt.is_whole)
                print_plan(to, &loads[l], &loads[l].plans[p], style);
            else
                print_other_plan(to, &loads[l].plans[p]);
        if (loads[l].is_tma && !style->brief)
            print_boxes(to, &loads[l]);
    }
}

/* ---- Pictures of loads and stores ---- */

/* Draws the first accesses of a load or store. Above each step is a line with its registers and
 * addresses: "registers 0 to 3: byte address = tid * 16". */
static void draw_accesses(struct figure *figure, const struct load *load, uint32_t count,
                          enum formula_style style) {
    const struct mapping_copy_plan *plan = load->plans;
    const uint32_t warps = plan->threads / LANES;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t step = n / warps, warp = n % warps;
        if (warp == 0) {
            const char *formula = load_formula(plan, &plan->steps[step], style);
            struct printer name = {.text = NULL};
            print_char(&name, '\n');
            print_step_name(&name, load, plan, step);
            if (formula)
                print(&name, ": byte address = %s", formula);
            figure_add_caption(figure, CAPTION_FORMULA, printer_string(&name));
        }
        if (warps > 1)
            figure_add_caption(figure, CAPTION_NOTE, memory_format("warp %u", warp));
        draw_phases(figure, plan->access, plan->steps[step].address + (size_t)warp * LANES,
                    warp * LANES);
    }
}

struct figure draw_loads(const struct load *loads, size_t count, const struct style *style) {
    enum { DRAWN_OF_ONE = 4, DRAWN_IN_ALL = 64 };
    struct figure figure = {.is_whole = style->excerpt.is_whole};
    uint32_t left = DRAWN_IN_ALL;
    for (size_t l = 0; l < count; l++) {
        const struct load *load = &loads[l];
        const struct mapping_copy_plan *plan = load->plans;
        const uint32_t accesses = plan->threads / LANES * plan->step_count;
        uint32_t drawn = left < DRAWN_OF_ONE ? left : DRAWN_OF_ONE;
        struct printer title = {.text = NULL}, total = {.text = NULL}, notes = {.text = NULL};
        drawn = accesses < drawn ? accesses : drawn;
        left -= drawn;
        print_load_name(&title, load);
        print_plan_total(&total, load, plan);
        figure_add_caption(&figure, CAPTION_TITLE, printer_string(&title));
        figure_add_caption(&figure, CAPTION_NOTE, printer_string(&total));
        draw_accesses(&figure, load, drawn, style->formula);
        if (accesses > drawn)
            print(&notes, "%u more warp accesses are not drawn.\n", accesses - drawn);
        print_legend(&notes, plan->access, plan->wavefronts > plan->minimum);
        print_load_notes(&notes, load, false);
        if (load->count > 1)
            print(&notes, "Other operations that can %s this fragment:\n",
                  load->is_store ? "store" : "load");
        for (size_t p = 1; p < load->count; p++)
            print_plan_total(&notes, load, &load->plans[p]);
        figure_add_caption(&figure, CAPTION_NOTE, printer_string(&notes));
    }
    return figure;
}

/* ---- Suggestions ---- */

/* The number of suggestions that are shown without --verbose. */
enum { SUGGESTIONS_SHOWN = 10 };

/* The wavefronts of one load or store: "64 ldmatrix.x4", or "64" for a copy. */
static const char *use_text(const struct mapping_suggestion *suggestion, size_t use) {
    const struct mapping_access *with = suggestion->with[use];
    return memory_format(with ? "%u %s" : "%u", suggestion->each[use], with ? with->name : "");
}

/* Prints each load and store, with the number above its column. */
static void print_uses(struct printer *to, const struct suggested *suggested) {
    for (size_t u = 0; u < suggested->use_count; u++) {
        const struct load *use = &suggested->uses[u];
        struct printer above = {.text = NULL};
        print(&above,
              use->fragment ? "access %zu: %s each %s fragment of the matrix"
                            : "access %zu: %s the matrix with %s",
              u + 1, use->is_store ? "store" : "load", use->name);
        if (has_axes_to_say(use))
            print(&above, "; rows are %c, columns are %c", use->axes.rows, use->axes.cols);
        if (use->fragment && use->fragment->tiling)
            print(&above, "; each is tiled by %s", use->fragment->tiling);
        comment(to, printer_string(&above));
    }
}

void print_suggestions(struct printer *to, const struct suggested *suggested,
                       const struct style *style) {
    const struct mapping_suggestions *found = &suggested->suggestions;
    const size_t shown =
        style->verbose || found->count < SUGGESTIONS_SHOWN ? found->count : SUGGESTIONS_SHOWN;
    int widths[SUGGEST_USES_MAX]; /* width of the column of each load or store, in characters */
    char text[512];
    print(to, "# %s of %s\n", suggested->matrix->name, suggested->matrix->smem->type);
    print_uses(to, suggested);
    print_text(to, "# " RULE_LINE "\nwavefronts  padding");
    for (size_t u = 0; u < suggested->use_count; u++) {
        widths[u] = (int)strlen("access 1");
        for (size_t n = 0; n < shown; n++) {
            const int length = (int)strlen(use_text(&found->items[n], u));
            widths[u] = length > widths[u] ? length : widths[u];
        }
        print(to, "  access %-*zu", widths[u] - 7, u + 1);
    }
    print_text(to, "  layout\n");
    for (size_t n = 0; n < shown; n++) {
        print(to, "%10u %8u", found->items[n].wavefronts, found->items[n].wasted);
        for (size_t u = 0; u < suggested->use_count; u++)
            print(to, "  %-*s", widths[u], use_text(&found->items[n], u));
        mapping_cute_print(&found->items[n].layout, text, sizeof text);
        print(to, "  %s\n", text);
    }
    if (found->count > 0)
        print(to, "Without bank conflicts, the matrix would take %u wavefront%s.\n",
              found->items[0].minimum, mapping_plural(found->items[0].minimum));
    for (size_t n = 0; n < found->count; n++)
        if (found->items[n].kind == SUGGEST_PLAIN)
            print(to, "Without a swizzle or padding, it takes %u.\n", found->items[n].wavefronts);
    print_text(to, found->count > 0 ? "The padding is in bytes of shared memory.\n" : "");
    if (shown < found->count)
        print(to, "Other layouts tried: %zu; --verbose shows all.\n", found->count - shown);
}
