/* access.c - --access: the number of wavefronts of an access to shared memory. */
#include "command/request.h"
#include "command/select.h"
#include "layout/expr.h"
#include "report/load_report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Addresses as a list ---- */

static const char blanks[] = " \t\r\n\v\f";

/* An item of a list: a dash, a number, or an invalid text. */
struct item {
    const char *text;
    size_t length;
    bool is_dash, is_number, is_negative; /* a number may be negative or hexadecimal */
};

/* Reads the next item; a comma may precede it. False at the end. */
static bool next_item(const char **next, bool is_first, struct item *item) {
    *next += strspn(*next, blanks);
    if (!is_first && **next == ',')
        *next += 1 + strspn(*next + 1, blanks);
    *item = (struct item){.text = *next, .length = strcspn(*next, ", \t\r\n\v\f")};
    const bool is_end = **next == '\0', has_sign = item->length > 0 && **next == '-';
    const char *digits = *next + has_sign;
    *next += item->length;
    const bool is_hex =
        *next - digits > 2 && *digits == '0' && tolower((unsigned char)digits[1]) == 'x';
    const char *end = digits + (is_hex ? 2 : 0);
    while (is_hex ? isxdigit((unsigned char)*end) : isdigit((unsigned char)*end))
        end++;
    item->is_dash = has_sign && item->length == 1;
    item->is_number = end == *next && end > digits;
    item->is_negative = has_sign;
    return !is_end;
}

/* True if the text is a list: numbers or '-', separated by commas or blanks. A single number is an
 * expression. */
static bool is_list_meant(const char *text) {
    struct item first, item;
    size_t count = 1;
    if (!next_item(&text, true, &first))
        return false;
    const char *behind = text + strspn(text, blanks);
    if ((first.is_number || first.is_dash) && (*behind == ',' || isdigit((unsigned char)*behind)))
        return true;
    bool is_list = first.is_dash || (first.is_number && !first.is_negative);
    for (; next_item(&text, false, &item); count++)
        is_list = is_list && (item.is_dash || (item.is_number && !item.is_negative));
    return is_list && (count > 1 || first.is_dash);
}

/* Checks that an address fits its type. mapping_access_check checks its alignment and range. */
static enum mapping_status set_address(struct access *access, uint32_t lane, int64_t value,
                                       struct mapping_error *error) {
    if (value < 0)
        return mapping_fail(error, MAPPING_INVALID, "lane %u: address %lld is negative", lane,
                            (long long)value);
    if (value == INT64_MAX) /* the largest number that is read; the text may have a larger one */
        return mapping_fail(
            error, MAPPING_INVALID,
            "lane %u: the address is outside of shared memory; a block has at most %d bytes", lane,
            SHARED_BYTES_MAX);
    if (value >= MAPPING_INACTIVE)
        return mapping_fail(
            error, MAPPING_INVALID,
            "lane %u: address %lld is outside of shared memory; a block has at most %d bytes", lane,
            (long long)value, SHARED_BYTES_MAX);
    access->address[lane] = (uint32_t)value;
    return MAPPING_OK;
}

static enum mapping_status read_item(struct access *access, uint32_t lane, const struct item *item,
                                     struct mapping_error *error) {
    enum { LONGEST = 23 };
    if (item->is_dash)
        return MAPPING_OK;
    if (item->length == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "lane %u: the address between two commas is missing", lane);
    if (!item->is_number || item->length > LONGEST)
        return mapping_fail(error, MAPPING_INVALID,
                            "the address of lane %u, '%.*s', is not a valid byte address; give a "
                            "number, or - for an inactive lane",
                            lane, (int)(item->length < 40 ? item->length : 40), item->text);
    const bool is_hex =
        memchr(item->text, 'x', item->length) || memchr(item->text, 'X', item->length);
    return set_address(access, lane, strtoll(item->text, NULL, is_hex ? 16 : 10), error);
}

static enum mapping_status read_list(struct access *access, struct mapping_error *error) {
    const char *next = access->text;
    uint32_t needed = mapping_access_lanes(access->operation), count = 0;
    struct item item;
    enum mapping_status status = MAPPING_OK;
    for (; status == MAPPING_OK && next_item(&next, count == 0, &item); count++)
        if (count < needed)
            status = read_item(access, count, &item, error);
    if (status == MAPPING_OK && count != LANES && count != needed)
        return mapping_fail(error, MAPPING_INVALID,
                            "--address has %u address%s, but %s takes %u, from lanes 0 to %u",
                            count, count == 1 ? "" : "es", access->operation->name, needed,
                            needed - 1);
    return status;
}

/* ---- Addresses as an expression ---- */

/* Evaluates the statements for each lane. The address is their last expression or `address`. */
static enum mapping_status read_expression(struct access *access, struct mapping_error *error) {
    struct mapping_space from = {1, {{MAPPING_AXIS_TID, LANES}}};
    struct mapping_points points;
    struct mapping_error cause;
    int64_t addresses[1][MAPPING_POINTS];
    unsigned undefined;
    if (access->text[strspn(access->text, " \t\n")] == '\0')
        return mapping_fail(error, MAPPING_INVALID,
                            "--address is empty; give an expression of tid, such as tid*4");
    struct mapping_program *program = mapping_program_make(&from, 0);
    enum mapping_status status = mapping_program_parse(program, access->text, error);
    if (status != MAPPING_OK)
        return status;
    int name = mapping_program_find(program, MAPPING_RESULT);
    if (name < 0)
        name = mapping_program_find(program, "address");
    if (name < 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--address has no result; write 'address = EXPRESSION;', or end with "
                            "EXPRESSION or 'return EXPRESSION;'");
    const char *unused = mapping_program_unused(program, 0, &name, 1);
    if (unused)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.60s' is computed, but nothing after it reads it; --address is the "
                            "last expression, or 'address = EXPRESSION'",
                            *unused ? unused : "an expression");
    from.axis[0].size = mapping_access_lanes(access->operation);
    mapping_points_from(&from, 0, &points);
    status = mapping_program_evaluate(program, &points, &name, 1, addresses, &undefined, &cause);
    mapping_free(program);
    uint32_t lanes = status == MAPPING_OK ? from.axis[0].size : undefined;
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (set_address(access, lane, addresses[0][lane], error) != MAPPING_OK)
            return MAPPING_INVALID;
    return status == MAPPING_OK
               ? status
               : mapping_fail(error, status, "at lane %u, %-s", undefined, cause.message);
}

enum mapping_status command_access(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct access access = {.operation = request->access,
                            .text = request->address,
                            .is_list = is_list_meant(request->address)};
    for (uint32_t lane = 0; lane < LANES; lane++)
        access.address[lane] = MAPPING_INACTIVE;
    for (size_t a = 0; a < request->arch_count; a++) {
        const enum mapping_status has =
            access_check_arch(access.operation, request->archs[a]->number, error);
        if (has != MAPPING_OK)
            return has;
    }
    enum mapping_status status =
        access.is_list ? read_list(&access, error) : read_expression(&access, error);
    if (status == MAPPING_OK)
        status = mapping_access_check(access.operation, access.address, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    mapping_access_count(access.operation, access.address, &access.counted);
    request->output->access(pages->page, &access);
    return MAPPING_OK;
}
