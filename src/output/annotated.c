/* annotated.c - prints annotated listings; see annotated.h. In text, each line is unchanged, and a
 * comment follows it. */
#include "output/annotated.h"

#include "layout/ascii.h"
#include "layout/sentence.h"

#include <stdlib.h>
#include <string.h>

/* A register name of PTX: "%r12" is "%r" and 12. */
struct name {
    const char *start;
    size_t length, letters; /* length of the text before the number; of the whole name if it has no
                               number */
    unsigned long number;
};

/* ---- Registers ---- */

/* Prints the text of an operand, without blanks and quotes. */
static void print_as_is(struct printer *to, const struct operand *operand) {
    enum { MOST = 80 };
    size_t printed = 0;
    for (size_t c = 0; c < operand->length && printed < MOST; c++)
        if (operand->start[c] > ' ' && operand->start[c] < 127 &&
            !strchr("\"\\", operand->start[c])) {
            print_char(to, operand->start[c]);
            printed++;
        }
}

/* Prints consecutive registers of SASS, given the first: "R4-R7", "RZ", "UR4". */
static void print_sass(struct printer *to, const struct operand *operand,
                       const struct form_operand *of) {
    char *end = NULL;
    const unsigned long number =
        operand->length > 1 ? strtoul(operand->start + 1, &end, 10) + of->offset : 0;
    if (operand->length < 2 || end == operand->start + 1 || number > UINT16_MAX) {
        const struct operand zero = {operand->start, operand->length < 2 ? operand->length : 2};
        print_as_is(to, *operand->start == 'R' ? &zero : operand);
        return;
    }
    print_char(to, 'R');
    print_number(to, (uint32_t)number);
    if (of->registers > 1) {
        print_text(to, "-R");
        print_number(to, (uint32_t)number + of->registers - 1);
    }
}

/* Reads the next name in a list of PTX; false at its end. */
static bool next_name(const char **text, const char *end, struct name *name) {
    const char *start = *text;
    while (start < end && !ascii_is_letter(*start) && !ascii_is_digit(*start) &&
           !strchr("%_$", *start))
        start += *start == '\\' ? 2 : 1;
    if (start >= end)
        return false;
    name->start = start;
    while (start < end &&
           (ascii_is_letter(*start) || ascii_is_digit(*start) || strchr("%_$.", *start)))
        start++;
    name->length = name->letters = (size_t)(start - name->start);
    while (name->letters > 0 && ascii_is_digit(name->start[name->letters - 1]))
        name->letters--;
    const size_t digits = name->length - name->letters;
    name->number = digits > 0 && digits < 9 ? strtoul(name->start + name->letters, NULL, 10) : 0;
    if (digits == 0 || digits >= 9 || (digits > 1 && name->start[name->letters] == '0'))
        name->letters = name->length;
    *text = start;
    return true;
}

/* True if the number in `name` is `steps` more than in the other name. */
static bool follows(const struct name *name, const struct name *other, size_t steps) {
    return name->letters < name->length && other->letters < other->length &&
           name->letters == other->letters &&
           memcmp(name->start, other->start, name->letters) == 0 &&
           name->number == other->number + steps;
}

/* Prints a list of registers of PTX. If three or more have consecutive numbers, prints only the
 * first and the last. */
static void print_ptx(struct printer *to, const struct operand *operand) {
    const char *text = operand->start, *const end = text + operand->length;
    struct name first, name;
    bool has = next_name(&text, end, &first);
    for (bool is_next = false; has; is_next = true) {
        struct name last = first;
        size_t run = 1;
        while ((has = next_name(&text, end, &name)) && follows(&name, &first, run)) {
            last = name;
            run++;
        }
        print(to, "%s%.*s", is_next ? "," : "", (int)first.length, first.start);
        if (run > 1)
            print(to, "%s%.*s", run > 2 ? "-" : ",", (int)last.length, last.start);
        first = name;
    }
}

void print_annotated_operand(struct printer *to, const struct annotated *instruction,
                             const struct form_operand *of) {
    const struct operand *operand = &instruction->operands[of->index];
    if (of->index >= instruction->count)
        return;
    if (!of->has_fragment && of->registers == 0)
        print_as_is(to, operand);
    else if (instruction->form->is_sass)
        print_sass(to, operand, of);
    else
        print_ptx(to, operand);
}

void annotated_registers(const struct annotated *instruction, const struct form_operand *of,
                         struct strings *names) {
    const struct operand *operand = &instruction->operands[of->index];
    const char *text = operand->start, *const end = text + operand->length;
    if (!instruction->form->is_sass) {
        struct name name;
        while (next_name(&text, end, &name))
            strings_add(names, memory_format("%.*s", (int)name.length, name.start));
        return;
    }
    const bool is_zero = operand->length > 1 && text[1] == 'Z';
    const unsigned long first = is_zero ? 0 : strtoul(text + 1, NULL, 10) + of->offset;
    for (uint32_t r = 0; r < of->registers; r++)
        strings_add(names, is_zero ? "RZ" : memory_format("R%lu", first + r));
}

void print_annotated(struct printer *to, const struct annotated *instruction) {
    const struct form *form = instruction->form;
    print_text(to, form->what);
    for (size_t o = 0; o < form->count; o++) {
        print_text(to, o == 0 ? ": " : ", ");
        print_text(to, form->operands[o].label);
        print_char(to, ' ');
        print_annotated_operand(to, instruction, &form->operands[o]);
    }
    if (*form->note) {
        print_text(to, "; ");
        print_text(to, form->note);
    }
}

/* Describes how the layouts agree, "layouts agree"; NULL if there is nothing to say. */
static const char *agreement_text(enum agreement agreement, const char *label) {
    switch (agreement) {
    case AGREE_EQUAL:
        return "layouts agree";
    case AGREE_EXCHANGED:
        return "layouts agree, but for the order of registers";
    case AGREE_TRANSPOSED:
        return memory_format("gives %s transposed", label);
    case AGREE_NOT:
        return "layouts differ";
    case AGREE_UNKNOWN:
    case AGREEMENTS:
        break;
    }
    return NULL;
}

void print_origin(struct printer *to, const char *label, const struct origin *origin) {
    print(to, "%s from %s", label, origin->from[0].is_product ? "D of " : "");
    for (size_t f = 0; f < origin->count; f++) {
        const struct origin_place *from = &origin->from[f];
        const bool is_same = f > 0 && strcmp(from->name, origin->from[f - 1].name) == 0;
        const bool is_last = f + 1 == origin->count;
        print_text(to, f == 0 ? "" : is_last ? " and " : ", ");
        if (!is_same)
            print(to, "%s at ", from->name);
        if (from->address == UINT64_MAX)
            print(to, "line %zu", from->line);
        else
            print(to, "0x%llx", (unsigned long long)from->address);
    }
    print_text(to, origin->is_computed ? ", after arithmetic" : "");
    if (origin->packs)
        print(to, ", packed by %s", origin->packs);
    const char *agreement = agreement_text(origin->agreement, label);
    if (agreement)
        print(to, ": %s%s", agreement, origin->is_repeated ? ": an element appears twice" : "");
}

/* ---- Text ---- */

size_t annotated_count(const struct annotated_line *line) {
    size_t known = 0;
    for (size_t n = 0; n < line->count; n++)
        known += line->instructions[n].form->kind != FORM_UNKNOWN;
    return known;
}

/* Starts a comment line under an instruction. */
static void print_below(struct printer *to, const struct annotated_line *line) {
    print_text(to, *line->end ? line->end : "\n");
    print_text(to, "//   ");
}

void print_annotation(struct printer *to, const struct annotated_line *line,
                      const struct annotated *one, bool is_alone) {
    if (is_alone) {
        print_text(to, " // ");
    } else {
        print_text(to, *line->end ? line->end : "\n");
        print_text(to, "// ");
        print_text(to, one->form->opcode);
        print_char(to, ' ');
        for (size_t o = 0; o < one->count; o++) {
            print_text(to, o > 0 ? ", " : "");
            print_as_is(to, &one->operands[o]);
        }
        print_text(to, ": ");
    }
    print_annotated(to, one);
    for (size_t o = 0; o < one->origin_count; o++) {
        const struct origin *origin = &one->origins[o];
        if (origin->count == 0)
            continue;
        print_below(to, line);
        print_origin(to, one->form->operands[origin->operand].label, origin);
    }
    for (size_t b = 0; b < one->below.count; b++) {
        print_below(to, line);
        print_text(to, one->below.text[b]);
    }
}

void listing_text_line(struct printer *to, const struct annotated_line *line) {
    const size_t known = annotated_count(line);
    print_raw(to, line->text, line->size);
    for (size_t n = 0; n < line->count; n++)
        if (line->instructions[n].form->kind != FORM_UNKNOWN)
            print_annotation(to, line, &line->instructions[n], known == 1);
    print_text(to, line->is_last && !*line->end ? "\n" : line->end);
}

static void print_count(struct printer *to, const char *front, const struct form_count *of) {
    const struct form *form = of->form;
    print(to, "%s  %6zu  ", front, of->count);
    if (form->kind == FORM_UNKNOWN)
        print(to, "not known: %s", form->opcode);
    else if (form->kind == FORM_OTHER)
        print(to, "%s: %s", form->opcode, form->what);
    else if (form->is_sass || form->is_native || form->is_emulated)
        print(to, "%s  (%s)", form->what,
              form->is_sass     ? form->opcode
              : form->is_native ? "native"
                                : "emulated");
    else
        print_text(to, form->what);
    print_char(to, '\n');
}

/* Prints the number of loads whose results are operands of a function, and how their layouts agree.
 */
static void print_loads_of_function(struct printer *to, const char *front,
                                    const struct function_summary *function) {
    for (size_t l = 0; l < function->load_count; l++) {
        const struct load_count *load = &function->loads[l];
        const char *agreement = agreement_text(load->agreement, load->label);
        print(to, "%s  %6zu  %s from %s", front, load->count, load->label, load->name);
        if (agreement)
            print(to, ": %s", agreement);
        if (load->order)
            print(to, ", so memory must have %s by %s", load->label, load->order);
        if (load->agreement != AGREE_EQUAL && agreement)
            print(to, " (line %zu%s)", load->line, load->count > 1 ? ", ..." : "");
        print_char(to, '\n');
    }
}

void listing_text_end(struct printer *to, const struct listing_summary *summary,
                      const struct style *style) {
    const char *front = style->brief ? "" : "// ";
    char name[160];
    for (size_t f = 0; f < summary->count; f++) {
        const struct function_summary *function = &summary->functions[f];
        mapping_printable(function->name, strlen(function->name), name, sizeof name - 1);
        print(to, "%s%s", front, *name ? name : "no function");
        print(to, function->arch ? " (sm_%u):\n" : ":\n", function->arch);
        for (size_t n = 0; n < function->count; n++)
            print_count(to, front, &function->forms[n]);
        print_loads_of_function(to, front, function);
    }
    print(to, "%s%zu tensor-core instruction%s in %zu function%s", front, summary->instructions,
          mapping_plural((uint32_t)summary->instructions), summary->count,
          mapping_plural((uint32_t)summary->count));
    if (summary->unknown > 0)
        print(to, "; %zu not known", summary->unknown);
    if (summary->passed > 0)
        print(to, "; %zu other function%s without", summary->passed,
              mapping_plural((uint32_t)summary->passed));
    print_char(to, '\n');
}

struct facts annotated_facts(const struct annotated *one, size_t operand) {
    struct facts facts = {.count = 0};
    for (size_t o = 0; o < one->origin_count; o++)
        if (one->origins[o].operand == operand && one->origins[o].count > 0) {
            struct printer text = {.text = NULL};
            print_origin(&text, one->form->operands[operand].label, &one->origins[o]);
            facts_add(&facts, "origin", "%s", printer_string(&text));
        }
    for (size_t b = 0; b < one->below.count && operand == 0; b++)
        facts_add(&facts, "note", "%s", one->below.text[b]);
    return facts;
}
