/* npy.c - the header of NumPy's .npy files; see npy.h and numpy.lib.format. */
#include "probe/npy.h"

#include "probe/number.h"

#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, PREFIX = 10 };

/* Returns the dtype of a type in NumPy. 8-bit floats and packed elements are stored as bytes, bf16
 * as 16-bit integers. */
static const char *descr_of(enum mapping_type type) {
    switch (type) {
    case MAPPING_F64:
        return "<f8";
    case MAPPING_F32:
    case MAPPING_TF32:
        return "<f4";
    case MAPPING_F16:
        return "<f2";
    case MAPPING_BF16:
        return "<u2";
    case MAPPING_S32:
        return "<i4";
    case MAPPING_S8:
        return "|i1";
    default:
        return "|u1";
    }
}

struct npy npy_shape(enum mapping_type type, uint64_t batches, uint64_t rows, uint64_t cols) {
    const uint64_t per_byte = number_bits(type) == 4 ? 2 : 1;
    struct npy npy = {.axes = batches > 1 ? 3 : rows > 1 ? 2 : 1, .data = NPY_HEADER};
    memcpy(npy.descr, descr_of(type), strlen(descr_of(type)));
    npy.shape[0] = batches;
    npy.shape[npy.axes > 1 ? npy.axes - 2 : 0] = rows;
    npy.shape[npy.axes - 1] = (cols + per_byte - 1) / per_byte;
    return npy;
}

void npy_shape_text(const struct npy *npy, char text[NPY_TEXT]) {
    size_t length = 0;
    text[length++] = '(';
    for (size_t a = 0; a < npy->axes; a++)
        length += (size_t)snprintf(text + length, NPY_TEXT - length, "%s%llu", a > 0 ? ", " : "",
                                   (unsigned long long)npy->shape[a]);
    snprintf(text + length, NPY_TEXT - length, npy->axes == 1 ? ",)" : ")");
}

void npy_write(char header[NPY_HEADER], const struct npy *npy) {
    char text[NPY_HEADER], shape[NPY_TEXT];
    npy_shape_text(npy, shape);
    const int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %.64s, }",
                 npy->descr, shape);
    memset(header, ' ', NPY_HEADER);
    memcpy(header, magic, MAGIC);
    header[6] = 1; /* version 1.0, then the size of the literal */
    header[7] = 0;
    header[8] = NPY_HEADER - PREFIX;
    header[9] = 0;
    memcpy(header + PREFIX, text, (size_t)length);
    header[NPY_HEADER - 1] = '\n';
}

bool npy_holds(const struct npy *npy, enum mapping_type type) {
    const char *descr = npy->descr, *usual = descr_of(type);
    const bool is_raw = descr[1] == 'V' && number_bits(type) <= 16 && strcmp(usual, "<f2") != 0;
    const bool is_same_size = descr[2] == usual[2] && descr[3] == '\0';
    const bool has_order = *descr == '<' || *descr == '|' || (*descr == '=' && !is_raw);
    return has_order && is_same_size && (descr[1] == usual[1] || is_raw);
}

/* ---- Reading the literal ---- */

struct reader {
    const char *at, *end;
};

static void skip_blanks(struct reader *reader) {
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n'))
        reader->at++;
}

/* Reads the character `c`, after optional blanks. False if it is not next. */
static bool take(struct reader *reader, char c) {
    skip_blanks(reader);
    const bool is_there = reader->at < reader->end && *reader->at == c;
    reader->at += is_there;
    return is_there;
}

static bool take_string(struct reader *reader, char *text, size_t size) {
    size_t length = 0;
    const char quote = take(reader, '\'') ? '\'' : '"';
    if (quote == '"' && !take(reader, '"'))
        return false;
    while (reader->at < reader->end && *reader->at != quote && length + 1 < size)
        text[length++] = *reader->at++;
    text[length] = '\0';
    return reader->at < reader->end && *reader->at++ == quote;
}

static bool take_word(struct reader *reader, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(reader);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

/* Reads a tuple of sizes: (), (4096,), (128, 64). False if it is malformed. */
static bool take_shape(struct reader *reader, struct npy *npy) {
    npy->axes = 0;
    if (!take(reader, '('))
        return false;
    while (!take(reader, ')')) {
        uint64_t size = 0;
        size_t digits = 0;
        skip_blanks(reader);
        for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; digits++)
            if (digits > 15)
                return false;
            else
                size = size * 10 + (uint64_t)(*reader->at++ - '0');
        if (digits == 0 || npy->axes == NPY_AXES_MAX)
            return false;
        npy->shape[npy->axes++] = size;
        if (!take(reader, ','))
            return npy->axes > 1 && take(reader, ')'); /* (4) is not a tuple */
    }
    return true;
}

static bool take_dictionary(struct reader *reader, struct npy *npy) {
    bool has_descr = false, has_order = false, has_shape = false;
    char key[16];
    if (!take(reader, '{'))
        return false;
    while (!take(reader, '}')) {
        if (!take_string(reader, key, sizeof key) || !take(reader, ':'))
            return false;
        bool *has = strcmp(key, "descr") == 0           ? &has_descr
                    : strcmp(key, "fortran_order") == 0 ? &has_order
                    : strcmp(key, "shape") == 0         ? &has_shape
                                                        : NULL;
        if (!has || *has)
            return false;
        if (has == &has_descr)
            *has = take_string(reader, npy->descr, sizeof npy->descr);
        else if (has == &has_shape)
            *has = take_shape(reader, npy);
        else
            *has = (npy->is_fortran = take_word(reader, "True")) || take_word(reader, "False");
        if (!*has)
            return false;
        if (!take(reader, ',') && (reader->at == reader->end || *reader->at != '}'))
            return false;
    }
    skip_blanks(reader);
    return has_descr && has_order && has_shape && reader->at == reader->end;
}

bool npy_is_meant(const void *bytes, size_t size) {
    return size >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

enum mapping_status npy_read(const void *bytes, size_t size, const char *name, struct npy *npy,
                             struct mapping_error *error) {
    const unsigned char *start = bytes;
    *npy = (struct npy){.axes = 0};
    if (size < PREFIX || !npy_is_meant(bytes, size))
        return mapping_fail(error, MAPPING_INVALID, "%.200s is no .npy file", name);
    const bool is_short = start[6] == 1;
    if (start[6] < 1 || start[6] > 3 || start[7] != 0 || (!is_short && size < PREFIX + 2))
        return mapping_fail(error, MAPPING_INVALID, "%.200s has version %d.%d of .npy, not 1.0",
                            name, start[6], start[7]);
    const size_t prefix = is_short ? PREFIX : PREFIX + 2;
    size_t length = (size_t)start[8] | (size_t)start[9] << 8;
    if (!is_short)
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    if (length > size || prefix + length > size || prefix + length > NPY_HEADER_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "the header of %.200s has %zu bytes, but the file ends before, or it "
                            "is longer than %d bytes",
                            name, length, NPY_HEADER_MAX);
    npy->data = prefix + length;
    struct reader reader = {(const char *)start + prefix, (const char *)start + npy->data};
    if (!take_dictionary(&reader, npy))
        return mapping_fail(error, MAPPING_INVALID,
                            "the header of %.200s must be {'descr': ..., 'fortran_order': ..., "
                            "'shape': (...)}",
                            name);
    return MAPPING_OK;
}
