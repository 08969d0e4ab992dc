/* matrix_descriptor.c - descriptors of matrices in shared memory, as numbers; see
 * matrix_descriptor.h. */
#include "smem/matrix_descriptor.h"

#include "layout/ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Fields ---- */

void mapping_fields_begin(struct mapping_fields *fields, uint64_t value) {
    *fields = (struct mapping_fields){.value = value};
}

/* Adds a field, without checking the bits below it. */
static struct mapping_field *add(struct mapping_fields *fields, const char *name, unsigned low,
                                 unsigned high) {
    struct mapping_field *field = &fields->field[fields->count++];
    const unsigned width = high - low + 1;
    *field = (struct mapping_field){.name = name, .low = (uint8_t)low, .high = (uint8_t)high};
    field->value = fields->value >> low & (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
    return field;
}

/* Adds the bits between the last field and bit `low`, if they are not 0. */
static void add_reserved(struct mapping_fields *fields, unsigned low) {
    const unsigned first = fields->count ? fields->field[fields->count - 1].high + 1U : 0;
    if (first == low || (fields->value >> first & ((UINT64_C(1) << (low - first)) - 1)) == 0)
        return;
    add(fields, "reserved", first, low - 1);
    mapping_fields_say(fields, false, "reserved, must be 0");
}

uint64_t mapping_fields_add(struct mapping_fields *fields, const char *name, unsigned low,
                            unsigned high) {
    add_reserved(fields, low);
    return add(fields, name, low, high)->value;
}

void mapping_fields_say(struct mapping_fields *fields, bool is_right, const char *format, ...) {
    struct mapping_field *field = &fields->field[fields->count - 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field->text, sizeof field->text, format, arguments);
    va_end(arguments);
    field->is_wrong = !is_right;
    fields->wrong += !is_right;
}

void mapping_fields_end(struct mapping_fields *fields, unsigned last) {
    add_reserved(fields, last + 1);
}

/* ---- Numbers ---- */

/* The value of a digit; 16 if the character is no digit. */
static unsigned digit_of(char c) {
    const char lower = ascii_lower(c);
    if (ascii_is_digit(c))
        return (unsigned)(c - '0');
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : 16;
}

/* True for "", "u", "ULL", "lu" and similar suffixes. */
static bool is_suffix(const char *text, bool *is_long_long) {
    const bool is_before = ascii_lower(*text) == 'u';
    text += is_before;
    const size_t longs = strspn(text, "lL");
    *is_long_long = longs == 2;
    text += longs;
    text += !is_before && ascii_lower(*text) == 'u';
    return longs <= 2 && *text == '\0';
}

bool mapping_literal_read(const char *text, uint64_t *value, bool *is_wide) {
    char prefix = '\0';
    if (text[0] == '0')
        prefix = ascii_lower(text[1]);
    const unsigned base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 10;
    const unsigned narrow = base == 16 ? 8 : base == 2 ? 32 : 10; /* digits of a 32-bit number */
    unsigned digits = 0;
    bool is_long_long;
    *value = 0;
    if (base == 10 && text[0] == '0' && digit_of(text[1]) < 10)
        return false; /* octal in C, invalid in Python */
    for (text += base == 10 ? 0 : 2; digit_of(*text) < base; text++) {
        const unsigned digit = digit_of(*text);
        if (*value > (UINT64_MAX - digit) / base)
            return false;
        *value = *value * base + digit;
        digits++;
        if ((text[1] == '\'' || text[1] == '_') && digit_of(text[2]) < base)
            text++;
    }
    if (digits == 0 || !is_suffix(text, &is_long_long))
        return false;
    *is_wide = is_long_long || *value > UINT32_MAX || (base != 10 && digits > narrow);
    return true;
}

/* ---- Where a matrix begins ---- */

uint32_t mapping_base_offset(uint32_t swizzle_bytes, uint32_t address) {
    /* PTX ISA, Matrix Descriptor Format: the 8 lines repeat at a boundary of their size */
    return swizzle_bytes == 0 || address % (8 * swizzle_bytes) == 0 ? 0 : address >> 7 & 7;
}

enum mapping_status mapping_descriptor_place(struct mapping_descriptor *descriptor,
                                             uint32_t address, uint32_t first,
                                             struct mapping_error *error) {
    enum { UNIT = 16, PATTERN = 128, END = 1 << 18 };
    if ((uint64_t)address + first >= END)
        return mapping_fail(error, MAPPING_INVALID,
                            "address 0x%x is outside of shared memory; a descriptor has room for "
                            "addresses below 0x%x",
                            address, END);
    if (address % UNIT != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "a matrix with a descriptor starts at a multiple of 16 bytes, not at "
                            "0x%x",
                            address);
    if (descriptor->swizzle_bytes > 0 && address % PATTERN != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "a swizzled matrix with a descriptor starts at a multiple of 128 "
                            "bytes, not at 0x%x",
                            address);
    const uint64_t base_offset = mapping_base_offset(descriptor->swizzle_bytes, address);
    descriptor->value |= (address + first) / UNIT | base_offset << 49;
    return MAPPING_OK;
}

/* ---- Matrices ---- */

/* Adds an address or offset, which is stored in units of 16 bytes. */
static uint32_t add_bytes(struct mapping_fields *fields, const char *name, unsigned low) {
    return (uint32_t)mapping_fields_add(fields, name, low, low + 13) * 16;
}

static void decode_base_offset(struct mapping_fields *fields, bool is_swizzled) {
    const unsigned offset = (unsigned)mapping_fields_add(fields, "base_offset", 49, 51);
    if (!is_swizzled)
        mapping_fields_say(fields, true, "not used without a swizzle");
    else if (offset == 0)
        mapping_fields_say(fields, true, "begins at the usual boundary of the swizzle");
    else
        mapping_fields_say(fields, true, "begins %u bytes behind a multiple of 1024", offset * 128);
}

void mapping_matrix_decode(uint64_t value, enum mapping_reader reader,
                           struct mapping_fields *fields) {
    /* Swizzles by their modes; NULL if no descriptor has the mode. */
    static const char *const modes[READERS][8] = {
        {"no swizzle", "128-byte swizzle", "64-byte swizzle", "32-byte swizzle"},
        {"no swizzle", "128-byte swizzle of 32-byte atoms", "128-byte swizzle", NULL,
         "64-byte swizzle", NULL, "32-byte swizzle", NULL}};
    const bool is_tcgen05 = reader == READER_TCGEN05;
    const unsigned mode_at = is_tcgen05 ? 61 : 62, mode = (unsigned)(value >> mode_at);
    const bool is_absolute = is_tcgen05 && (value >> 52 & 1);
    mapping_fields_begin(fields, value);
    uint32_t bytes = add_bytes(fields, "start_address", 0);
    mapping_fields_say(fields, true, "byte 0x%x of shared memory", bytes);
    bytes = add_bytes(fields, "leading_byte_offset", 16);
    if (is_absolute)
        mapping_fields_say(fields, true, "byte 0x%x of shared memory", bytes);
    else
        mapping_fields_say(
            fields, true, mode ? "%u bytes; not used if the matrix is K-major" : "%u bytes", bytes);
    bytes = add_bytes(fields, "stride_byte_offset", 32);
    mapping_fields_say(fields, true, "%u bytes", bytes);
    if (is_tcgen05) {
        const unsigned version = (unsigned)mapping_fields_add(fields, "version", 46, 48);
        mapping_fields_say(fields, version == 1,
                           version == 1 ? "the fixed value" : "must be 1, the fixed value");
    }
    decode_base_offset(fields, mode != 0);
    if (is_tcgen05) {
        mapping_fields_add(fields, "leading_mode", 52, 52);
        mapping_fields_say(fields, true,
                           is_absolute ? "the leading offset is an address (sm_103a, K = 96)"
                                       : "the leading offset is relative");
    }
    mapping_fields_add(fields, "swizzle_mode", mode_at, 63);
    const char *name = modes[reader][mode];
    mapping_fields_say(fields, name != NULL, "%s", name ? name : "no swizzle has this mode");
}
