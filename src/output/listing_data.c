/* listing_data.c - listings as JSON, CSV and Markdown, which contain only tensor-core instructions.
 */
#include "layout/sentence.h"
#include "output/annotated.h"
#include "output/json.h"

#include <string.h>

/* Collects the registers of an operand, or its address in memory. */
static void collect_places(const struct annotated *instruction, const struct form_operand *of,
                           struct strings *names) {
    struct printer place = {.text = NULL};
    if (of->registers > 0) {
        annotated_registers(instruction, of, names);
        return;
    }
    print_annotated_operand(&place, instruction, of);
    strings_add(names, printer_string(&place));
}

/* The name of a function, escaped for printing. */
static char *printable(const char *text) {
    enum { MOST = 500 };
    char *printed = memory_text_room(MOST + 1);
    mapping_printable(text, strlen(text), printed, MOST);
    return printed;
}

/* ---- JSON ---- */

static void print_begin(struct printer *to) {
    json(to, "{kind:%s,instructions:[", "listing");
}

static void print_form(struct printer *to, const struct form *form) {
    const bool is_known = form->kind != FORM_UNKNOWN;
    json(to, "name:%s,what:%s,ptx:%s", form->opcode, is_known ? form->what : NULL,
         *form->ptx ? form->ptx : NULL);
    if (form->is_native || form->is_emulated)
        json(to, "native:%d", form->is_native);
}

/* How the layouts agree, as one word. */
static const char *agreement_word(enum agreement agreement) {
    static const char *const words[AGREEMENTS] = {
        NULL, "agree", "exchanged", "transposed", "differ",
    };
    return words[agreement];
}

static void print_from(struct printer *to, const struct origin *origin) {
    json(to, "from:{layouts:%s,packed:%s,arithmetic:%d,instructions:[",
         agreement_word(origin->agreement), origin->packs, origin->is_computed);
    for (size_t f = 0; f < origin->count; f++) {
        const struct origin_place *from = &origin->from[f];
        json(to, "{name:%s,line:%zu", from->name, from->line);
        if (from->address != UINT64_MAX)
            json(to, "address:%llu", (unsigned long long)from->address);
        print_char(to, '}');
    }
    print_text(to, "]}");
}

static void print_operand(struct printer *to, const struct annotated *one, size_t operand) {
    const struct form_operand *of = &one->form->operands[operand];
    struct strings places = {.count = 0};
    char name[MAPPING_NAME_SIZE];
    collect_places(one, of, &places);
    mapping_fragment_name(&of->fragment, name);
    json(to, "{operand:%s,fragment:%s", of->label, of->has_fragment ? name : NULL);
    json(to, of->registers > 0 ? "registers:" : "place:");
    json_strings(to, &places);
    for (size_t o = 0; o < one->origin_count; o++)
        if (one->origins[o].operand == operand && one->origins[o].count > 0)
            print_from(to, &one->origins[o]);
    print_char(to, '}');
}

void listing_json_line(struct printer *to, const struct annotated_line *line) {
    for (size_t n = 0; n < line->count; n++) {
        const struct annotated *one = &line->instructions[n];
        if (line->before + n == 0)
            print_begin(to);
        else
            print_char(to, ',');
        print_text(to, "\n {");
        json(to, "line:%zu,function:%s", line->number,
             *line->function ? printable(line->function) : NULL);
        if (one->has_address)
            json(to, "address:%llu", (unsigned long long)one->address);
        print_form(to, one->form);
        json(to, "\n  fragments:[");
        for (size_t o = 0; o < one->form->count; o++)
            print_operand(to, one, o);
        print_char(to, ']');
        if (one->below.count > 0) {
            json(to, "notes:");
            json_strings(to, &one->below);
        }
        print_char(to, '}');
    }
}

void listing_json_end(struct printer *to, const struct listing_summary *summary,
                      const struct style *style) {
    (void)style;
    if (summary->instructions == 0)
        print_begin(to);
    print_char(to, ']');
    json(to, "\n functions:[");
    for (size_t f = 0; f < summary->count; f++) {
        const struct function_summary *function = &summary->functions[f];
        json(to, "\n {function:%s", *function->name ? printable(function->name) : NULL);
        json(to, function->arch ? "arch:\"sm_%u\"" : "arch:null", function->arch);
        json(to, "instructions:[");
        for (size_t n = 0; n < function->count; n++) {
            json(to, "\n  {");
            print_form(to, function->forms[n].form);
            json(to, "count:%zu}", function->forms[n].count);
        }
        print_text(to, "]");
        json(to, "loads:[");
        for (size_t l = 0; l < function->load_count; l++) {
            const struct load_count *load = &function->loads[l];
            json(to, "\n  {operand:%s,name:%s,layouts:%s,memory:%s,count:%zu,line:%zu}",
                 load->label, load->name, agreement_word(load->agreement), load->order, load->count,
                 load->line);
        }
        print_text(to, "]}");
    }
    json(to, "],unknown:%zu}", summary->unknown);
    print_char(to, '\n');
}

/* ---- CSV ---- */

static const char columns[] = "line,function,instruction,what,operand,fragment,place,notes\n";

void listing_csv_line(struct printer *to, const struct annotated_line *line) {
    for (size_t n = 0; n < line->count; n++) {
        const struct annotated *one = &line->instructions[n];
        const struct form *form = one->form;
        if (line->before + n == 0)
            print_text(to, columns);
        for (size_t o = 0; o < form->count || o == 0; o++) {
            const struct form_operand *of = o < form->count ? &form->operands[o] : NULL;
            struct strings places = {.count = 0};
            const struct facts facts = annotated_facts(one, o);
            struct printer place = {.text = NULL}, notes = {.text = NULL};
            char name[MAPPING_NAME_SIZE] = "";
            if (of)
                collect_places(one, of, &places);
            if (of && of->has_fragment)
                mapping_fragment_name(&of->fragment, name);
            print(to, "%zu,", line->number);
            csv_quoted(to, printable(line->function));
            print(to, ",%s,", form->opcode);
            csv_quoted(to, form->kind == FORM_UNKNOWN ? "" : form->what);
            print(to, ",%s,%s,", of ? of->label : "", name);
            for (size_t p = 0; p < places.count; p++)
                print(&place, "%s%s", p > 0 ? " " : "", places.text[p]);
            csv_quoted(to, printer_string(&place));
            print_char(to, ',');
            for (size_t f = 0; f < facts.count; f++)
                print(&notes, "%s%s", f > 0 ? "; " : "", facts.fact[f].text);
            csv_quoted(to, printer_string(&notes));
            print_char(to, '\n');
        }
    }
}

void listing_csv_end(struct printer *to, const struct listing_summary *summary,
                     const struct style *style) {
    (void)style;
    if (summary->instructions == 0)
        print_text(to, columns);
}

/* ---- Markdown ---- */

void listing_markdown_line(struct printer *to, const struct annotated_line *line) {
    for (size_t n = 0; n < line->count; n++) {
        const struct annotated *one = &line->instructions[n];
        if (line->before + n == 0)
            print_text(to, "| line | instruction | what it computes, and its operands |\n"
                           "| ---: | --- | --- |\n");
        print(to, "| %zu | `%s` | ", line->number, one->form->opcode);
        if (one->form->kind == FORM_UNKNOWN)
            print_text(to, "not known");
        else
            print_annotated(to, one);
        for (size_t o = 0; o < one->origin_count; o++)
            if (one->origins[o].count > 0) {
                print_text(to, "<br>");
                print_origin(to, one->form->operands[one->origins[o].operand].label,
                             &one->origins[o]);
            }
        for (size_t b = 0; b < one->below.count; b++)
            print(to, "<br>%s", one->below.text[b]);
        print_text(to, " |\n");
    }
}

void listing_markdown_end(struct printer *to, const struct listing_summary *summary,
                          const struct style *style) {
    print_text(to, style->brief || summary->instructions == 0 ? "" : "\n");
    print_text(to, "| function | count | instruction | what it computes |\n"
                   "| --- | ---: | --- | --- |\n");
    for (size_t f = 0; f < summary->count; f++) {
        const struct function_summary *function = &summary->functions[f];
        for (size_t n = 0; n < function->count; n++) {
            const struct form *form = function->forms[n].form;
            print(to, *function->name ? "| `%s`" : "| -%s", printable(function->name));
            if (function->arch)
                print(to, " (sm_%u)", function->arch);
            print(to, " | %zu | `%s` | %s%s |\n", function->forms[n].count, form->opcode,
                  form->kind == FORM_UNKNOWN ? "not known" : form->what,
                  form->is_emulated ? " (emulated)" : "");
        }
    }
}
