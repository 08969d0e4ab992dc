/* array_table.c - reads arrays of NumPy (.npy), C and Python as tables; see array_table.h. */
#include "command/array_table.h"

#include "layout/ascii.h"
#include "probe/npy.h"
#include "report/table.h"

#include <stdlib.h>
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

/* An array of integers. */
struct array {
    uint64_t shape[AXES];
    size_t axes, count;
    uint64_t *elements; /* in C order; negative elements modulo 2^64 */
    bool has_signs;     /* elements above INT64_MAX are negative */
};

/* Replaces the content by the array as a table in CSV. *reading says how an array was read whose
 * shape has two meanings; NULL for others. */
static enum mapping_status write_table(const struct array *array, struct printer *content,
                                       const char *name, const char **outputs, char **reading,
                                       struct mapping_error *error) {
    static const char *const axes[AXES] = {"block,", "row,", "col,"};
    struct printer csv = {.text = NULL};
    const uint64_t last = array->shape[array->axes - 1];
    const bool has_places = array->axes == AXES && (last == 2 || last == 3);
    const size_t values = has_places ? (size_t)last : 1, inputs = array->axes - has_places;
    if (has_places)
        print(&csv, "tid,i,%srow,col\n", last == 2 ? "" : "block,");
    *reading = has_places
                   ? memory_format("the array was read as array[tid, i, %d]: %srow and col of each "
                                   "element",
                                   (int)last, last == 3 ? "block, " : "")
               : array->axes == 2 && last == 2
                   ? memory_text("the array was read as array[row, col]: numbers of the source; "
                                 "pairs of row and col need a third axis, array[tid, i, 2]")
                   : NULL;
    for (size_t a = AXES - inputs; a < AXES && !has_places; a++)
        print_text(&csv, inputs == 1 ? "n," : axes[a]);
    if (!has_places) {
        print_text(&csv, "source\n");
        *outputs = "source";
    }
    for (size_t index = 0; index < array->count; index += values) {
        size_t below = array->count;
        for (size_t a = 0; a < inputs; a++) {
            below /= (size_t)array->shape[a];
            print_number(&csv, (uint32_t)(index / below % array->shape[a]));
            print_char(&csv, ',');
        }
        for (size_t v = 0; v < values; v++) {
            const uint64_t value = array->elements[index + v];
            const bool is_negative = array->has_signs && value > INT64_MAX;
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

static enum mapping_status check_outputs(const char *name, const char *outputs,
                                         struct mapping_error *error) {
    return outputs
               ? mapping_fail(error, MAPPING_INVALID,
                              "--outputs names columns of a table in CSV, but %.200s is an array",
                              name)
               : MAPPING_OK;
}

enum mapping_status array_read(struct printer *content, const char *name, const char **outputs,
                               char **reading, struct mapping_error *error) {
    const unsigned char *bytes = (const unsigned char *)content->text;
    struct array array = {.axes = 0};
    struct npy npy;
    enum mapping_status status = npy_read(bytes, content->size, name, &npy, error);
    if (status == MAPPING_OK)
        status = check_outputs(name, *outputs, error);
    if (status == MAPPING_OK)
        status = check(&npy, name, content->size, &array.count, error);
    if (status != MAPPING_OK)
        return status;
    array.axes = npy.axes;
    array.has_signs = npy.descr[1] == 'i';
    memcpy(array.shape, npy.shape, npy.axes * sizeof *npy.shape);
    array.elements = memory_resize(NULL, array.count, sizeof *array.elements);
    for (size_t index = 0; index < array.count; index++)
        array.elements[index] = element_at(&npy, bytes + npy.data, index);
    status = write_table(&array, content, name, outputs, reading, error);
    mapping_free(array.elements);
    return status;
}

/* ---- Arrays as text ---- */

/* Skips blanks, comments of C and Python, lines of C's preprocessor, and docstrings. */
static const char *skip(const char *text) {
    for (;;) {
        text += strspn(text, " \t\r\n");
        const bool is_block = strncmp(text, "/*", 2) == 0;
        if (strncmp(text, "//", 2) == 0 || *text == '#')
            text += strcspn(text, "\n");
        else if (is_block || strncmp(text, "\"\"\"", 3) == 0 || strncmp(text, "'''", 3) == 0) {
            char end[4] = "*/";
            memcpy(end, is_block ? "*/" : text, is_block ? 2 : 3);
            const char *found = strstr(text + strlen(end), end);
            if (!found)
                return text;
            text = found + strlen(end);
        } else {
            return text;
        }
    }
}

/* An array that a text declares or assigns. */
struct declared {
    const char *text;     /* its first bracket */
    const char *why;      /* the reason why it cannot be read; or NULL */
    uint64_t sizes[AXES]; /* of "int table[32][4] =", 0 for "[]" */
    size_t count;         /* the number of sizes */
};

/* True if a call returns the array in its argument: "np.array(". */
static bool keeps_array(const char *name, size_t length) {
    static const char *const names[] = {"array", "asarray", "tensor", "as_tensor", "list", "tuple"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (strlen(names[n]) == length && strncmp(names[n], name, length) == 0)
            return true;
    return length == 0;
}

/* The text after the brackets at `text`, such as "[list[int]]". */
static const char *skip_brackets(const char *text) {
    int depth = 0;
    do {
        depth += (*text == '[') - (*text == ']');
        text += *text != '\0';
    } while (*text && depth > 0);
    return skip(text);
}

/* Finds the first array, after a declaration, "table =" or "np.array(". False if there is none. */
static bool find_array(const char *text, struct declared *to) {
    const char *called = text;
    size_t called_length = 0;
    bool has_type = false; /* in the annotation of "table: list[int] =" */
    *to = (struct declared){.text = NULL};
    text = skip(text);
    while (ascii_identifier_length(text) > 0 || (*text && strchr(".:*;", *text))) {
        const size_t length = ascii_identifier_length(text);
        if (*text == ';')
            to->count = 0;
        else if (ascii_is_digit(*text))
            to->why = "an expression is in front of it";
        has_type |= *text == ':' && text[1] != ':';
        called = text;
        called_length = length;
        text = skip(text + (length > 0 ? length : 1));
        while (length > 0 && *text == '[') {
            char *end;
            const uint64_t size = strtoull(text + 1, &end, 10);
            if (*end != ']' && !has_type)
                to->why = "a size of its declaration is no number";
            else if (!has_type && to->count == AXES)
                to->why = "it has more than 3 levels";
            else if (!has_type)
                to->sizes[to->count++] = size;
            text = skip_brackets(text);
        }
        if (*text == '=') {
            called_length = 0;
            text = skip(text + 1);
        }
        if (*text == '(' && strchr("[(", *skip(text + 1))) {
            if (!keeps_array(called, called_length))
                to->why = "it is the argument of a function";
            text = skip(text + 1);
        }
    }
    const char *inner = text;
    while (*inner && strchr("([{", *inner))
        inner = skip(inner + 1);
    to->text = inner > text && (ascii_is_digit(*inner) || *inner == '-') ? text : NULL;
    return to->text != NULL;
}

bool array_text_is_meant(const char *text) {
    struct declared declared;
    return find_array(text, &declared);
}

/* The text after an argument of np.array that does not change the elements, such as "np.int32" or
 * "dtype=np.int32"; NULL if the argument is another one. */
static const char *skip_argument(const char *text) {
    static const char *const names[] = {"dtype", "device", "copy", "requires_grad"};
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:'\"";
    const size_t length = strspn(text, letters);
    const char *behind = skip(text + length);
    if (*behind == ')')
        return ascii_is_digit(*text) ? NULL : behind;
    for (size_t n = 0; n < sizeof names / sizeof *names && *behind == '='; n++)
        if (strlen(names[n]) == length && strncmp(names[n], text, length) == 0) {
            behind = skip(behind + 1);
            return behind + strspn(behind, letters);
        }
    return NULL;
}

/* Reads what may follow an array: brackets, semicolons, and arguments that do not change it.
 * Returns the reason why something else must not follow; NULL if nothing does. */
static const char *read_end(const char *text) {
    for (text = skip(text); *text; text = skip(text)) {
        const char *behind = *text == ','           ? skip_argument(skip(text + 1))
                             : strchr(")};", *text) ? text + 1
                                                    : NULL;
        if (!behind)
            return text[strcspn(text, "{[")] ? "another array follows" : "more text follows it";
        text = behind;
    }
    return NULL;
}

/* Reads the elements of an array in brackets, with commas or blanks between them, and finds its
 * shape. Another array may not follow. Returns the reason why it is no array; NULL if it is one. */
static const char *read_elements(const char *text, struct array *array, size_t *capacity) {
    uint64_t at[AXES] = {0}; /* the number of elements so far on each level */
    bool is_known[AXES] = {false};
    size_t depth = 0;
    do {
        text = skip(text);
        if (*text && strchr("([{", *text)) {
            if (array->axes > 0 && depth == array->axes)
                return "its elements are on several levels";
            if (depth == AXES)
                return "it has more than 3 levels";
            at[depth++] = 0;
            text++;
        } else if (*text && strchr(")]}", *text)) {
            depth--;
            if (is_known[depth] && array->shape[depth] != at[depth])
                return "its rows have different lengths";
            is_known[depth] = true;
            array->shape[depth] = at[depth];
            if (depth > 0)
                at[depth - 1]++;
            text++;
        } else if (ascii_is_digit(*text) || *text == '-') {
            char *end;
            const bool is_negative = *text == '-';
            const uint64_t value = strtoull(text + is_negative, &end, 0);
            end += strspn(end, "uUlL");
            if (end == text + is_negative || ascii_identifier_length(end) > 0 || *end == '.')
                return "it has an element that is no integer";
            if (array->axes > 0 && depth != array->axes)
                return "its elements are on several levels";
            if (array->count == (size_t)AXES * TABLE_MAX)
                return "it is too large";
            array->axes = depth;
            array->elements =
                array_grow(array->elements, array->count, 1, capacity, sizeof *array->elements);
            array->elements[array->count++] = is_negative ? 0 - value : value;
            array->has_signs |= is_negative;
            at[depth - 1]++;
            text = end;
        } else if (*text == '=' || (*text == '.' && ascii_is_letter(text[1]))) {
            return "designators such as [1]= are not supported";
        } else {
            return *text ? "it has an element that is no integer" : "a closing bracket is missing";
        }
        text = skip(text);
        text += depth > 0 && *text == ',';
    } while (depth > 0);
    return read_end(text);
}

/* Gives the array the shape of its declaration if its elements are one list, as in
 * "int table[2][2] = {0, 1, 2, 3}". Returns the reason why both differ; NULL if they do not. */
static const char *apply_sizes(const struct declared *declared, struct array *array) {
    uint64_t sizes[AXES], product = 1;
    memcpy(sizes, declared->sizes, sizeof sizes);
    if (declared->count == 0)
        return NULL;
    for (size_t a = 1; a < declared->count; a++)
        product *= sizes[a] <= TABLE_MAX ? sizes[a] : 0;
    const bool is_list = array->axes == 1 && declared->count > 1;
    if (sizes[0] == 0) /* "int table[][2]" */
        sizes[0] = !is_list ? array->shape[0] : product > 0 ? array->count / product : 0;
    if (is_list && product > 0 && sizes[0] == array->count / product &&
        array->count % product == 0) {
        array->axes = declared->count;
        memcpy(array->shape, sizes, sizeof sizes);
    }
    return array->axes == declared->count &&
                   memcmp(array->shape, sizes, array->axes * sizeof *sizes) == 0
               ? NULL
               : "its elements do not fill the sizes of its declaration (C sets missing ones to 0; "
                 "write them)";
}

enum mapping_status array_read_text(struct printer *content, const char *name, const char **outputs,
                                    char **reading, struct mapping_error *error) {
    struct array array = {.axes = 0};
    struct declared declared;
    size_t capacity = 0;
    enum mapping_status status = check_outputs(name, *outputs, error);
    if (status != MAPPING_OK)
        return status;
    const char *why = !find_array(content->text, &declared) ? "it has no elements"
                      : declared.why                        ? declared.why
                                     : read_elements(declared.text, &array, &capacity);
    if (!why)
        why = apply_sizes(&declared, &array);
    status = why ? mapping_fail(error, MAPPING_INVALID, "the array in %.200s cannot be read: %s",
                                name, why)
                 : write_table(&array, content, name, outputs, reading, error);
    mapping_free(array.elements);
    return status;
}
