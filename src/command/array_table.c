/* array_table.c - reads a NumPy array (.npy) as a table; see array_table.h. */
#include "command/array_table.h"

#include "probe/npy.h"
#include "report/table.h"

#include <string.h>

enum { AXES = 3 };

bool array_is_meant(const struct printer *content) {
    return npy_is_meant(content->text, content->size);
}

/* Checks that the array can be a table: integers of at most 8 bytes, and the file has them all. */
static enum mapping_status check(const struct npy *npy, const char *name, size_t bytes,
                                 size_t *count, struct mapping_error *error) {
    const char *descr = npy->descr, kind = descr[1]; /* '\0' if the type is "" */
    const size_t size = descr[2] > '0' ? (size_t)descr[2] - '0' : 0;
    char shape[NPY_TEXT];
    *count = 1;
    if (strchr("<>|=", *descr) == NULL || (kind != 'i' && kind != 'u') || size > 8 ||
        (size & (size - 1)) != 0 || size == 0 || descr[3] != '\0')
        return mapping_fail(error, MAPPING_INVALID,
                            "the elements of %.200s have type '%s'; a table has integers, such as "
                            "'<i4'",
                            name, descr);
    npy_shape_text(npy, shape);
    if (npy->axes < 1 || npy->axes > AXES)
        return mapping_fail(error, MAPPING_INVALID, "%.200s has shape %s; a table has 1 to %d axes",
                            name, shape, AXES);
    for (size_t a = 0; a < npy->axes; a++)
        *count = npy->shape[a] <= TABLE_MAX ? *count * (size_t)npy->shape[a] : SIZE_MAX;
    if (*count == 0 || *count > (size_t)AXES * TABLE_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s has shape %s; a table has 1 to %d elements", name, shape,
                            TABLE_MAX);
    return bytes - npy->data < *count * size
               ? mapping_fail(error, MAPPING_INVALID,
                              "%.200s ends before the last element of its shape %s", name, shape)
               : MAPPING_OK;
}

/* The element at an index in C order. Negative elements are returned modulo 2^64. */
static uint64_t element_at(const struct npy *npy, const unsigned char *data, size_t index) {
    const size_t size = (size_t)npy->descr[2] - '0';
    uint64_t value = 0, sign = 0;
    if (npy->is_fortran) {
        size_t place = 0, stride = 1, below = 1, at[AXES] = {0};
        for (size_t a = npy->axes; a-- > 0; below *= (size_t)npy->shape[a])
            at[a] = index / below % npy->shape[a];
        for (size_t a = 0; a < npy->axes; stride *= (size_t)npy->shape[a++])
            place += at[a] * stride;
        index = place;
    }
    for (size_t b = 0; b < size; b++) {
        sign = npy->descr[1] == 'i' ? UINT64_C(128) << 8 * b : 0;
        value |= (uint64_t)data[index * size + (*npy->descr == '>' ? size - 1 - b : b)] << 8 * b;
    }
    return (value ^ sign) - sign;
}

enum mapping_status array_read(struct printer *content, const char *name, const char **outputs,
                               struct mapping_error *error) {
    static const char *const axes[AXES] = {"block,", "row,", "col,"};
    const unsigned char *bytes = (const unsigned char *)content->text;
    struct printer csv = {.text = NULL};
    struct npy npy;
    size_t count;
    enum mapping_status status = npy_read(bytes, content->size, name, &npy, error);
    if (status == MAPPING_OK && *outputs)
        status =
            mapping_fail(error, MAPPING_INVALID,
                         "--outputs names columns of a table in CSV, but %.200s is an array", name);
    if (status == MAPPING_OK)
        status = check(&npy, name, content->size, &count, error);
    if (status != MAPPING_OK)
        return status;
    const uint64_t last = npy.shape[npy.axes - 1];
    const bool has_places = npy.axes == AXES && (last == 2 || last == 3);
    const size_t values = has_places ? (size_t)last : 1, inputs = npy.axes - has_places;
    if (has_places)
        print_text(&csv, last == 2 ? "tid,i,row,col\n" : "tid,i,block,row,col\n");
    for (size_t a = AXES - inputs; a < AXES && !has_places; a++)
        print_text(&csv, inputs == 1 ? "n," : axes[a]);
    if (!has_places) {
        print_text(&csv, "source\n");
        *outputs = "source";
    }
    for (size_t index = 0; index < count; index += values) {
        size_t below = count;
        for (size_t a = 0; a < inputs; a++) {
            below /= (size_t)npy.shape[a];
            print_number(&csv, (uint32_t)(index / below % npy.shape[a]));
            print_char(&csv, ',');
        }
        for (size_t v = 0; v < values; v++) {
            const uint64_t value = element_at(&npy, bytes + npy.data, index + v);
            const bool is_negative = npy.descr[1] == 'i' && value > INT64_MAX;
            if (value > UINT32_MAX)
                return mapping_fail(error, MAPPING_INVALID,
                                    "%.200s has the element %s%llu; a table has numbers from 0 to "
                                    "4294967295",
                                    name, is_negative ? "-" : "",
                                    (unsigned long long)(is_negative ? 0 - value : value));
            print_number(&csv, (uint32_t)value);
            print_char(&csv, v + 1 < values ? ',' : '\n');
        }
    }
    printer_free(content);
    *content = csv;
    printer_string(content);
    return MAPPING_OK;
}
