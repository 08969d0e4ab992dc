/* described.c - decoded descriptors as text and as JSON: their fields and errors. */
#include "output/comments.h"
#include "output/json.h"
#include "report/smem_report.h"

#include <string.h>

/* True if the number is a valid descriptor in some reading. */
static bool is_possible(const struct described *described) {
    bool is_any = false;
    for (size_t r = 0; r < described->count; r++)
        is_any |= !*described->readings[r].refusal;
    return is_any;
}

/* True if the fields of a reading are shown: it is valid, or there are few readings. */
static bool is_shown(const struct described *described, const struct reading *reading) {
    enum { FEW = READERS };
    return !*reading->refusal || (!is_possible(described) && described->count <= FEW);
}

/* The descriptor with all its hexadecimal digits. */
static const char *value_text(const struct described *described) {
    return memory_format("0x%0*llx", described->is_wide ? 16 : 8,
                         (unsigned long long)described->value);
}

/* ---- Text ---- */

static void print_fields(struct printer *to, const struct mapping_fields *fields) {
    print_text(to, "bits   field                value  meaning\n");
    for (size_t f = 0; f < fields->count; f++) {
        const struct mapping_field *field = &fields->field[f];
        const char *bits =
            memory_format(field->low == field->high ? "%u" : "%u-%u", field->low, field->high);
        print(to, "%-6s %-19s %6llu  %s%s\n", bits, field->name, (unsigned long long)field->value,
              field->is_wrong ? "wrong: " : "", field->text);
    }
}

/* Prints the instruction of a reading: "wgmma", "tcgen05.mma, kind::f16". */
static void print_reader(struct printer *to, const struct reading *reading) {
    print(to, reading->kind ? "%s, kind::%s" : "%s", reading->instruction, reading->kind);
}

static void print_refusal(struct printer *to, const struct reading *reading) {
    print_text(to, "not ");
    print_reader(to, reading);
    print(to, ": %s\n", reading->refusal);
}

/* Prints all readings; with --brief, a line for each valid one. */
static void print_readings(struct printer *to, const struct described *described,
                           const struct style *style) {
    bool is_first = true;
    for (size_t r = 0; r < described->count; r++) {
        const struct reading *reading = &described->readings[r];
        if (!is_shown(described, reading))
            continue;
        if (!style->brief) {
            print(to, "%s# %s as %s descriptor of ", is_first ? "" : "\n", value_text(described),
                  reading->kind ? "an instruction" : "a matrix");
            is_first = false;
            print_reader(to, reading);
            print_char(to, '\n');
            if (reading->kind && described->is_wide)
                print(to, "# idescE of CUTLASS: 0x%08x is in its upper half\n",
                      (unsigned)(described->value >> 32));
            print_fields(to, &reading->fields);
            if (reading->results.count > 0) {
                print_text(to, "D: ");
                print_listed(to, &reading->results, 3, 3);
            }
        } else if (*reading->refusal) {
            print_refusal(to, reading);
        } else {
            print(to, "%s%s%s\n", reading->kind ? "" : reading->instruction,
                  reading->kind ? "" : ": ", reading->text);
        }
    }
}

static void print_refusals(struct printer *to, const struct described *described) {
    bool is_first = is_possible(described);
    for (size_t r = 0; r < described->count; r++) {
        const struct reading *reading = &described->readings[r];
        if (is_shown(described, reading))
            continue;
        print_text(to, is_first ? "\n" : "");
        print_refusal(to, reading);
        is_first = false;
    }
}

/* Prints if the descriptor is the one that the matrix needs, and otherwise the fields that have to
 * change. */
static void print_verdict(struct printer *to, const struct described *described) {
    const struct reading *reading = &described->readings[0];
    if (!described->has_right) {
        print(to, "Descriptor: wrong; %s cannot read this matrix with any descriptor\n",
              reading->instruction);
        const char *name = described->matrix->name, *swizzle = strstr(name, ",4,3>");
        const uint32_t bits = described->matrix->smem->bits;
        if (swizzle && !strstr(name, "smem_ptr") && bits > 8)
            print(to,
                  "The swizzle permutes offsets of elements; for byte addresses, write\n"
                  "'%.*s o smem_ptr[%ub](unset) o'.\n",
                  (int)(swizzle - name) + 5, name, bits);
        return;
    }
    const struct smem_report *smem = described->matrix->smem;
    if (described->differing == 0 && *reading->refusal) {
        print(to, "Descriptor: wrong; %s\n", reading->refusal);
        return;
    }
    if (described->differing == 0 && smem->has_address &&
        (described->slice > 0 || described->stage > 0)) {
        print_text(to, "Descriptor: right for ");
        if (described->slice > 0)
            print(to, "slice %u of 0 to %u along K%s", described->slice,
                  smem_slices(described->matrix) - 1, described->stage > 0 ? ", in " : "");
        if (described->stage > 0)
            print(to, "stage %u of 0 to %u", described->stage, smem_stages(described->matrix) - 1);
        print_char(to, '\n');
        return;
    }
    if (described->differing == 0) {
        print(to, "Descriptor: right%s\n",
              smem->has_address ? "" : "; without --address, its start address is not compared");
        return;
    }
    print(to, "Descriptor: wrong in %zu field%s\n", described->differing,
          described->differing == 1 ? "" : "s");
    for (size_t c = 0; c < described->differing; c++) {
        const struct correction *correction = &described->corrections[c];
        print(to, "  %s: %llu (%s), correct value is ", correction->field->name,
              (unsigned long long)correction->field->value, correction->field->text);
        if (correction->right)
            print(to, "%llu (%s)\n", (unsigned long long)correction->right->value,
                  correction->right->text);
        else
            print_text(to, "0\n");
    }
    print(to, "The correct descriptor is 0x%016llx.\n", (unsigned long long)described->right.value);
}

void print_descriptors(struct printer *to, const struct described *described, size_t count,
                       const struct style *style) {
    for (size_t d = 0; d < count; d++) {
        const struct described *one = &described[d];
        print_text(to, d > 0 ? "\n" : "");
        if (one->matrix)
            comment_header(to, one->matrix);
        if (!one->matrix && !is_shown(one, &one->readings[0]) && !is_possible(one))
            print(to, "# 0x%08llx is no instruction descriptor\n", (unsigned long long)one->value);
        if (!one->matrix || !style->brief)
            print_readings(to, one, style);
        if (one->matrix)
            print_verdict(to, one);
        else if (!style->brief)
            print_refusals(to, one);
    }
}

/* ---- JSON ---- */

static void json_field(struct printer *to, const struct described *described,
                       const struct mapping_field *field) {
    json(to, "\n    {field:%s,bits:[%u,%u],value:%llu,text:%s,wrong:%d", field->name, field->low,
         field->high, (unsigned long long)field->value, field->text, field->is_wrong);
    for (size_t c = 0; c < described->differing; c++) {
        const struct correction *correction = &described->corrections[c];
        if (correction->field == field)
            json(to, "correct:%llu",
                 (unsigned long long)(correction->right ? correction->right->value : 0));
    }
    print_char(to, '}');
}

static void json_reading(struct printer *to, const struct described *described,
                         const struct reading *reading) {
    json(to, "\n  {instruction:%s,mma_kind:%s,fits:%d,reason:%s,text:%s", reading->instruction,
         reading->kind, *reading->refusal == '\0', *reading->refusal ? reading->refusal : NULL,
         reading->text);
    json(to, "\n   fields:[");
    for (size_t f = 0; f < reading->fields.count; f++)
        json_field(to, described, &reading->fields.field[f]);
    json(to, "],\n   fragments:");
    json_strings(to, &reading->results);
    print_char(to, '}');
}

void json_descriptors(struct printer *to, const struct described *described, size_t count,
                      const struct style *style) {
    (void)style;
    print_text(to, count > 1 ? "[" : "");
    for (size_t d = 0; d < count; d++) {
        const struct described *one = &described[d];
        print_text(to, d ? ",\n" : "");
        json(to, "{kind:\"descriptor\",value:%s", value_text(one));
        if (one->matrix) {
            json(to, "describes:%s,right:%d", one->matrix->name,
                 one->has_right && one->differing == 0 && !*one->readings[0].refusal);
            json(to, "correct:%s",
                 one->has_right ? memory_format("0x%016llx", (unsigned long long)one->right.value)
                                : NULL);
        }
        json(to, "\n readings:[");
        for (size_t r = 0; r < one->count; r++)
            json_reading(to, one, &one->readings[r]);
        print_text(to, "]}");
    }
    print_text(to, count > 1 ? "]\n" : "\n");
}
