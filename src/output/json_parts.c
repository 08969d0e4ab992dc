/* json_parts.c - what files of the JSON format share; see json_parts.h. */
#include "output/json_parts.h"

#include <stdio.h>
#include <string.h>

void json_string(struct printer *to, const char *text) {
    enum { LONGEST = 6 }; /* \u001f */
    char *start = printer_room(to, strlen(text) * LONGEST + 2), *end = start;
    if (!start)
        return;
    *end++ = '"';
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            *end++ = '\\';
        if (c < 0x20)
            end += sprintf(end, "\\u%04x", c);
        else
            *end++ = (char)c;
    }
    *end++ = '"';
    to->size += (size_t)(end - start);
}

void json_formula(struct printer *to, const char *name, const char *formula) {
    print(to, "\"%s\":", name);
    if (*formula)
        json_string(to, formula);
    else
        print_text(to, "null");
}

/* Prints "name":7 and "name":"text". A list has thousands of them, for which printf takes half of
 * the time. */
static void print_member_name(struct printer *to, const char *name) {
    print_char(to, '"');
    print_text(to, name);
    print_text(to, "\":");
}

void json_number_member(struct printer *to, const char *name, uint32_t number) {
    print_member_name(to, name);
    print_number(to, number);
}

void json_text_member(struct printer *to, const char *name, const char *text) {
    print_member_name(to, name);
    json_string(to, text);
}

/* Prints "sm_90", or with a suffix "sm_90a". */
static void print_arch(struct printer *to, uint32_t arch, char suffix) {
    print_text(to, "\"sm_");
    print_number(to, arch);
    if (suffix)
        print_char(to, suffix);
    print_char(to, '"');
}

/* Prints "name":"sm_80", or null for 0. */
static void print_arch_member(struct printer *to, const char *name, uint32_t arch) {
    print_member_name(to, name);
    if (arch)
        print_arch(to, arch, '\0');
    else
        print_text(to, "null");
}

void json_facts(struct printer *to, const struct mapping_fragment *f) {
    const uint32_t shape[] = {f->shape.m, f->shape.n, f->shape.k};
    const char *variant = mapping_fragment_variant(f);
    json_text_member(to, "instruction", mapping_instruction_name(f->instruction));
    print_text(to, ",\"shape\":");
    for (int s = 0; s < 3; s++) {
        print_char(to, s ? ',' : '[');
        if (shape[s] > 0)
            print_number(to, shape[s]);
        else /* it does not depend on that */
            print_text(to, "null");
    }
    print_text(to, "],");
    json_text_member(to, "operand", mapping_operand_name(f->operand));
    print_text(to, *variant ? "," : ",\"layout\":null");
    if (*variant)
        json_text_member(to, "layout", variant);
    print_char(to, ',');
    json_text_member(to, "type", mapping_type_name(f->type));
    print_char(to, ',');
    json_number_member(to, "bits", f->bits);
    print_char(to, ',');
    if (f->place == MAPPING_IN_TENSOR_MEMORY)
        print_text(to, "\"registers\":null");
    else
        json_number_member(to, "registers", f->registers);
    print_char(to, ',');
    json_number_member(to, "bytes", fragment_bytes(f));
    print_char(to, ',');
    print_arch_member(to, "since", f->since);
    print_char(to, ',');
    print_arch_member(to, "until", f->until);
    print_text(to, ",\"ptx\":\"");
    print_number(to, f->ptx / 10);
    print_char(to, '.');
    print_number(to, f->ptx % 10);
    print_char(to, '"');
}

void json_targets(struct printer *to, const struct mapping_fragment *f, unsigned arch) {
    const char *separator = "";
    print_text(to, "\"targets\":[");
    for (size_t a = 0; mapping_arch_at(a); a++) {
        unsigned number = mapping_arch_at(a)->number;
        if (!mapping_fragment_on(f, number) || (arch != 0 && number != arch))
            continue;
        for (const char *l = mapping_target_letters(f->suffix, number); *l; l++, separator = ",") {
            print_text(to, separator);
            print_arch(to, number, *l);
        }
    }
    print_char(to, ']');
}

void json_strings(struct printer *to, char *const *strings, size_t count) {
    print_char(to, '[');
    for (size_t n = 0; n < count; n++) {
        if (n > 0)
            print_char(to, ',');
        json_string(to, strings[n]);
    }
    print_char(to, ']');
}

void json_indices(struct printer *to, const char *name, const uint32_t *numbers, uint32_t count) {
    print(to, "\"%s\":[", name);
    for (uint32_t n = 0; n < count; n++)
        print(to, "%s%u", n ? "," : "", numbers[n]);
    print_char(to, ']');
}

void json_archs(struct printer *to, const char *name, uint32_t archs) {
    print_char(to, ',');
    print_member_name(to, name);
    print_char(to, '[');
    for (bool is_first = true; archs; archs &= archs - 1, is_first = false) {
        if (!is_first)
            print_char(to, ',');
        print_arch(to, mapping_arch_at((size_t)__builtin_ctz(archs))->number, '\0');
    }
    print_char(to, ']');
}
