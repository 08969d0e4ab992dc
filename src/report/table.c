/* table.c - reads and writes layouts of the user as CSV; see table.h. */
#include "report/table.h"

#include "layout/expr.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "system/system.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MAX = 32, FIELD_SIZE = 256, NAME_MAX_LENGTH = 63 };

/* The role of a column. */
enum role { ROLE_INPUT, ROLE_OUTPUT, ROLE_TITLE, ROLE_NOTHING };

struct column {
    const char *name; /* offset in the names of the table */
    enum role role;
    char *title;      /* the value of a title, which is the same in all lines; or NULL */
    uint32_t *values; /* one value for each line */
    uint32_t largest;
};

/* The position of the parser. */
struct reading {
    const char *next;
    unsigned line; /* the line, from 1 on */
    struct column columns[COLUMNS_MAX];
    unsigned column_count;
    uint32_t *lines; /* the row of each entry */
    size_t rows, capacity;
    struct table *table;
    struct mapping_error *error;
    bool is_cut; /* the last field is too long */
};

/* ---- Fields ---- */

/* Reads one field, which may be quoted, up to FIELD_SIZE. *is_last becomes true if it ends the
 * line. False if a quotation is not closed. */
static bool read_field(struct reading *reading, char field[FIELD_SIZE], bool *is_last) {
    const char *text = reading->next + strspn(reading->next, " \t");
    bool is_quoted = *text == '"';
    size_t length = 0;
    reading->is_cut = false;
    for (text += is_quoted; *text; text++) {
        if (is_quoted && text[0] == '"' && text[1] == '"')
            text++;
        else if (is_quoted ? *text == '"' : strchr(",\r\n", *text) != NULL)
            break;
        if (is_quoted && *text == '\n')
            return false;
        if (length + 1 < FIELD_SIZE)
            field[length++] = *text;
        else
            reading->is_cut = true;
    }
    if (is_quoted && *text++ != '"')
        return false;
    while (!is_quoted && length > 0 && isblank((unsigned char)field[length - 1]))
        length--;
    field[length] = '\0';
    text += strspn(text, " \t\r");
    *is_last = *text == '\n' || *text == '\0';
    reading->next = *text ? text + 1 : text;
    return *is_last || *text == ',';
}

/* Skips lines that are empty or comments. False at the end. */
static bool find_line(struct reading *reading) {
    for (;;) {
        const char *start = reading->next + strspn(reading->next, " \t\r");
        if (!*start)
            return false;
        if (*start != '\n' && *start != '#')
            return true;
        reading->next = start + strcspn(start, "\n");
        reading->next += *reading->next == '\n';
        reading->line++;
    }
}

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static enum mapping_status
fail(struct reading *reading, const char *format, ...) {
    struct mapping_error what;
    va_list arguments;
    va_start(arguments, format);
    mapping_fail_with(&what, MAPPING_INVALID, format, arguments);
    va_end(arguments);
    return mapping_fail(reading->error, MAPPING_INVALID, "line %u%-s", reading->line, what.message);
}

/* ---- The line of names ---- */

static bool is_name(const char *text) {
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '\0';
}

/* True if the name is in a list that is separated by commas. */
static bool is_listed(const char *name, const char *list) {
    return mapping_word_is_in(list, name, strlen(name));
}

/* True for names that cannot be parameters of a function: keywords, names that C or C++ reserves,
 * and macros of compilers or of <stddef.h>; also for names like those that printed headers define.
 */
static bool is_reserved(const char *name) {
    return (name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]))) ||
           strncasecmp(name, "mapping_", 8) == 0 || mapping_is_keyword(name) ||
           is_listed(name, "NULL,i386,linux,unix");
}

/* The role of a column. Copies are detected when all columns are known. */
static enum role role_of(const char *name, const char *outputs) {
    static const char usual[] =
        MAPPING_AXIS_BLOCK "," MAPPING_AXIS_ROW "," MAPPING_AXIS_COL ",offset";
    if (is_listed(name, outputs ? outputs : usual))
        return ROLE_OUTPUT;
    return is_listed(name, "arch,fragment,layout,file,tiling,with")        ? ROLE_TITLE
           : is_listed(name, "source,type,bits,registers,bytes,since,ptx") ? ROLE_NOTHING
                                                                           : ROLE_INPUT;
}

static struct column *find_column(struct reading *reading, const char *name) {
    for (unsigned c = 0; c < reading->column_count; c++)
        if (strcmp(reading->columns[c].name, name) == 0)
            return &reading->columns[c];
    return NULL;
}

static unsigned count_role(const struct reading *reading, enum role role) {
    unsigned count = 0;
    for (unsigned c = 0; c < reading->column_count; c++)
        count += reading->columns[c].role == role;
    return count;
}

/* If the only inputs are the numbers of the matrix and of the copy, makes the other outputs inputs,
 * so that the offset is deduced from the row and column. */
static void judge_offset(struct reading *reading) {
    static const char which[] = MAPPING_AXIS_STAGE "," MAPPING_AXIS_COPY;
    struct column *offset = find_column(reading, "offset");
    for (unsigned c = 0; c < reading->column_count && offset; c++)
        if (reading->columns[c].role == ROLE_INPUT && !is_listed(reading->columns[c].name, which))
            return;
    for (unsigned c = 0; c < reading->column_count && offset; c++)
        if (reading->columns[c].role == ROLE_OUTPUT && &reading->columns[c] != offset)
            reading->columns[c].role = ROLE_INPUT;
}

/* Makes the place in Tensor Memory the output, and rows and columns the inputs if the table has
 * them. */
static void judge_lanes(struct reading *reading) {
    static const char places[] =
        MAPPING_AXIS_CTA "," MAPPING_AXIS_LANE "," MAPPING_AXIS_COLUMN "," MAPPING_AXIS_BIT;
    if (!find_column(reading, MAPPING_AXIS_LANE) || !find_column(reading, MAPPING_AXIS_COLUMN))
        return;
    for (unsigned c = 0; c < reading->column_count; c++) {
        struct column *column = &reading->columns[c];
        if (column->role == ROLE_INPUT || column->role == ROLE_OUTPUT)
            column->role = is_listed(column->name, places) ? ROLE_OUTPUT : ROLE_INPUT;
    }
}

/* Ignores the number of the copy if tid and i are inputs, because they determine it. */
static void judge_copies(struct reading *reading) {
    static const char *const copies[] = {MAPPING_AXIS_COPY, MAPPING_AXIS_SELECTOR};
    const struct column *tid = find_column(reading, MAPPING_AXIS_TID);
    const struct column *i = find_column(reading, MAPPING_AXIS_I);
    for (int n = 0; n < 2; n++) {
        struct column *copy = find_column(reading, copies[n]);
        if (copy && copy->role == ROLE_INPUT && tid && i && tid->role == ROLE_INPUT &&
            i->role == ROLE_INPUT)
            copy->role = ROLE_NOTHING;
    }
}

static enum mapping_status check_outputs(struct reading *reading, const char *outputs) {
    for (const char *name = outputs; name;) {
        char one[64];
        size_t length = strcspn(name, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, name);
        if (length >= sizeof one || !find_column(reading, one))
            return fail(reading, " has no column '%.40s', but --outputs names it", one);
        if (name[length] && is_listed(one, name + length + 1))
            return fail(reading, ": --outputs names '%.40s' twice", one);
        name = name[length] ? name + length + 1 : NULL;
    }
    static const char *const products[][2] = {{"m", "n"}, {"m", "k"}, {"k", "n"}};
    for (size_t p = 0; p < sizeof products / sizeof *products; p++)
        if (count_role(reading, ROLE_OUTPUT) == 0 && find_column(reading, products[p][0]) &&
            find_column(reading, products[p][1]))
            return fail(reading,
                        " has no column named row, col, block or offset; add --outputs=%s,%s",
                        products[p][0], products[p][1]);
    if (count_role(reading, ROLE_OUTPUT) == 0)
        return fail(reading, " has no column named row, col, block or offset; name the columns to "
                             "derive with --outputs=NAME,...");
    if (count_role(reading, ROLE_INPUT) == 0)
        return fail(reading, " has no input column, such as tid or i");
    if (count_role(reading, ROLE_OUTPUT) > MAPPING_AXES_MAX ||
        count_role(reading, ROLE_INPUT) >= MAPPING_AXES_MAX)
        return fail(reading, " has too many columns; a map has at most %d inputs and %d outputs",
                    MAPPING_AXES_MAX - 1, MAPPING_AXES_MAX);
    return MAPPING_OK;
}

static enum mapping_status read_names(struct reading *reading, const char *outputs) {
    char field[FIELD_SIZE] = "", *names = reading->table->names;
    bool is_last = false;
    if (!find_line(reading))
        return fail(reading, ", column 1: expected a line of column names, such as tid,i,row,col");
    while (!is_last) {
        unsigned column = reading->column_count + 1;
        if (!read_field(reading, field, &is_last))
            *field = '\0';
        if (strcmp(field, "threadIdx.x") == 0)
            snprintf(field, sizeof field, MAPPING_AXIS_TID);
        if (!is_name(field))
            return fail(
                reading,
                ", column %u: '%.40s' is not a valid axis name; write one such as tid or row_2",
                column, field);
        if (is_reserved(field))
            return fail(
                reading,
                ", column %u: '%.40s' cannot name an axis: C, C++ or printed headers reserve it",
                column, field);
        if (strlen(field) > NAME_MAX_LENGTH)
            return fail(reading,
                        ", column %u: '%.40s' is too long; a name has at most %d characters",
                        column, field, NAME_MAX_LENGTH);
        if (find_column(reading, field))
            return fail(reading, ", column %u: an earlier column has the name '%.40s' too", column,
                        field);
        if (reading->column_count == COLUMNS_MAX)
            return fail(reading, " has more than %d columns", COLUMNS_MAX);
        memcpy(names, field, strlen(field) + 1); /* there is enough room for the whole text */
        reading->columns[reading->column_count++] =
            (struct column){.name = names, .role = role_of(field, outputs)};
        names += strlen(field) + 1;
    }
    if (!outputs)
        judge_lanes(reading);
    judge_copies(reading);
    if (!outputs)
        judge_offset(reading);
    return check_outputs(reading, outputs);
}

/* ---- The lines of numbers ---- */

static void grow(struct reading *reading) {
    if (reading->rows < reading->capacity)
        return;
    size_t capacity = reading->capacity ? 2 * reading->capacity : 512;
    reading->lines = memory_resize(reading->lines, capacity, sizeof *reading->lines);
    for (unsigned c = 0; c < reading->column_count; c++) {
        struct column *column = &reading->columns[c];
        if (column->role <= ROLE_OUTPUT)
            column->values = memory_resize(column->values, capacity, sizeof *column->values);
    }
    reading->capacity = capacity;
}

static enum mapping_status read_number(struct reading *reading, unsigned place, const char *field) {
    struct column *column = &reading->columns[place];
    char *end;
    unsigned long long number = strtoull(field, &end, 10);
    if (!isdigit((unsigned char)*field) || *end)
        return fail(reading, ", column %u: '%.40s' is not an integer of 0 or more", place + 1,
                    field);
    if (number > UINT32_MAX) /* also for numbers larger than 64 bits */
        return fail(reading, ", column %u: %.40s is larger than 4294967295", place + 1, field);
    column->values[reading->rows] = (uint32_t)number;
    if (number > column->largest)
        column->largest = (uint32_t)number;
    return MAPPING_OK;
}

/* Reads a column that names the map. It must have the same value in all lines. */
static enum mapping_status read_title(struct reading *reading, unsigned place, const char *field) {
    char **title = &reading->columns[place].title;
    if (!*title)
        *title = memory_text(field);
    if (strcmp(*title, field) != 0)
        return fail(
            reading,
            ", column %u: another map begins here, %.60s after %.60s; give one map at a time",
            place + 1, field, *title);
    return MAPPING_OK;
}

static enum mapping_status read_row(struct reading *reading) {
    char field[FIELD_SIZE];
    bool is_last = false;
    unsigned c = 0;
    enum mapping_status status = MAPPING_OK;
    if (reading->rows == TABLE_MAX)
        return fail(reading, ", column 1: the map has more than %d entries", TABLE_MAX);
    grow(reading);
    for (; !is_last && status == MAPPING_OK; c++) {
        if (!read_field(reading, field, &is_last))
            return fail(reading, ", column %u: the quotation marks do not match", c + 1);
        if (reading->is_cut && c < reading->column_count &&
            reading->columns[c].role != ROLE_NOTHING)
            return fail(reading, ", column %u: the field is longer than %d characters", c + 1,
                        FIELD_SIZE - 1);
        if (c < reading->column_count && reading->columns[c].role == ROLE_TITLE)
            status = read_title(reading, c, field);
        else if (c < reading->column_count && reading->columns[c].role != ROLE_NOTHING)
            status = read_number(reading, c, field);
    }
    if (status == MAPPING_OK && c != reading->column_count)
        return fail(reading, ", column %u: the line has %u field%s, but there are %u column names",
                    c < reading->column_count ? c + 1 : reading->column_count + 1, c,
                    mapping_plural(c), reading->column_count);
    reading->lines[reading->rows++] = reading->line++;
    return status;
}

/* ---- From lines to a layout ---- */

/* The columns with one role as a space. Threads come before their elements, blocks before rows. */
static void make_space(const struct reading *reading, enum role role, const uint32_t **values,
                       struct mapping_space *space) {
    space->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned c = 0; c < reading->column_count; c++) {
            const struct column *column = &reading->columns[c];
            bool is_first =
                strcmp(column->name, MAPPING_AXIS_BLOCK) == 0 ||
                mapping_axis_is_called(MAPPING_AXIS_TID, column->name, strlen(column->name));
            if (column->role != role || is_first != (pass == 0))
                continue;
            values[space->count] = column->values;
            space->axis[space->count++] = (struct mapping_axis){
                column->name, column->largest + (column->largest < UINT32_MAX)};
        }
}

/* Fails because a point of the inputs is missing, and names the first one. */
static enum mapping_status fail_missing(struct reading *reading, const struct mapping_space *from,
                                        size_t point) {
    uint32_t coordinates[MAPPING_AXES_MAX];
    struct printer where = {.text = NULL}, inputs = {.text = NULL};
    mapping_space_point(from, point, coordinates);
    for (uint32_t a = 0; a < from->count; a++) {
        print(&where, "%s%s %u", a ? ", " : "", from->axis[a].name, coordinates[a]);
        print(&inputs, "%s%s", a ? ", " : "", from->axis[a].name);
    }
    return mapping_fail(reading->error, MAPPING_INVALID,
                        "line %u, column 1: the table is incomplete: it has no entry for %s; its "
                        "inputs are %s",
                        reading->lines[reading->rows - 1], printer_string(&where),
                        printer_string(&inputs));
}

/* Checks that each point of the inputs is in exactly one line. */
static enum mapping_status place_rows(struct reading *reading, const struct mapping_space *from,
                                      const uint32_t *const *inputs,
                                      const uint32_t *const *outputs) {
    struct mapping_layout *layout = &reading->table->layout;
    size_t points = mapping_space_size(from);
    uint32_t *line = memory_get(points, sizeof *line);
    enum mapping_status status = MAPPING_OK;
    for (size_t r = 0; r < reading->rows && status == MAPPING_OK; r++) {
        size_t point = 0;
        for (uint32_t a = 0; a < from->count; a++)
            point = point * from->axis[a].size + inputs[a][r];
        if (line[point] > 0)
            status = mapping_fail(reading->error, MAPPING_INVALID,
                                  "line %u, column 1: line %u has the same entry",
                                  reading->lines[r], line[point]);
        line[point] = reading->lines[r];
        for (uint32_t c = 0; c < layout->to.count; c++)
            layout->coordinate[c][point] = outputs[c][r];
    }
    for (size_t point = 0; point < points && status == MAPPING_OK; point++)
        if (line[point] == 0)
            status = fail_missing(reading, from, point);
    mapping_free(line);
    return status;
}

/* Ignores columns with a single value: the number of the copy, of the CTA, and of the load or store
 * that --with prints. */
static void drop_constants(struct reading *reading) {
    static const char *const numbers[] = {MAPPING_AXIS_COPY, MAPPING_AXIS_SELECTOR,
                                          MAPPING_AXIS_CTA, MAPPING_AXIS_LOAD, MAPPING_AXIS_STORE};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        struct column *number = find_column(reading, numbers[n]);
        if (number && number->largest == 0 && number->role == ROLE_INPUT &&
            count_role(reading, ROLE_INPUT) > 1)
            number->role = ROLE_NOTHING;
    }
}

static enum mapping_status make_layout(struct reading *reading) {
    const uint32_t *inputs[MAPPING_AXES_MAX], *outputs[MAPPING_AXES_MAX];
    struct mapping_space from, to;
    uint64_t points = 1;
    if (reading->rows == 0)
        return fail(reading, ", column 1: there is no entry after the line of column names");
    drop_constants(reading);
    for (unsigned c = 0; c < reading->column_count; c++) {
        const struct column *column = &reading->columns[c];
        uint64_t size = (uint64_t)column->largest + 1;
        if (column->role == ROLE_INPUT && (points *= size) > TABLE_MAX)
            return fail(reading,
                        ", column %u: %s goes up to %u, so the map would have more than %d entries",
                        c + 1, column->name, column->largest, TABLE_MAX);
    }
    make_space(reading, ROLE_INPUT, inputs, &from);
    make_space(reading, ROLE_OUTPUT, outputs, &to);
    enum mapping_status status =
        mapping_layout_init(&reading->table->layout, &from, &to, reading->error);
    return status == MAPPING_OK ? place_rows(reading, &from, inputs, outputs) : status;
}

/* The byte order mark that spreadsheets write at the start of UTF-8. */
static const char byte_order_mark[] = "\xEF\xBB\xBF";

enum mapping_status table_read(const char *text, const char *outputs, struct table *table,
                               struct mapping_error *error) {
    struct reading reading = {.next = text, .line = 1, .table = table, .error = error};
    *table = (struct table){.names = memory_get(strlen(text) + 1, 1)};
    if (strncmp(text, byte_order_mark, sizeof byte_order_mark - 1) == 0)
        reading.next += sizeof byte_order_mark - 1;
    enum mapping_status status = read_names(&reading, outputs);
    reading.line++;
    while (status == MAPPING_OK && find_line(&reading))
        status = read_row(&reading);
    if (status == MAPPING_OK)
        status = make_layout(&reading);
    for (unsigned c = 0; c < reading.column_count; c++)
        mapping_free(reading.columns[c].values);
    mapping_free(reading.lines);
    return status;
}
