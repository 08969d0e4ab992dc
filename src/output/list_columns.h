/* list_columns.h - the columns of --list, and their values as data. CSV, JSON and Markdown print
 * this one table, so a new column is in all of them unless its row says otherwise. */
#ifndef LIST_COLUMNS_H
#define LIST_COLUMNS_H

#include "output/output.h"

/* The columns, in the order of JSON and Markdown. */
enum list_column {
    COLUMN_FRAGMENT,
    COLUMN_SIZE, /* for people, as text: the three columns that only Markdown has */
    COLUMN_HELD,
    COLUMN_TARGET,
    COLUMN_BLOCKS, /* as numbers: the five sizes that only CSV has */
    COLUMN_ROWS,
    COLUMN_COLS,
    COLUMN_THREADS,
    COLUMN_ELEMENTS,
    COLUMN_COLUMNS,
    COLUMN_INSTRUCTION, /* from here to COLUMN_PTX, members of "detail" in JSON as well */
    COLUMN_SHAPE,
    COLUMN_OPERAND,
    COLUMN_LAYOUT,
    COLUMN_TYPE,
    COLUMN_BITS,
    COLUMN_REGISTERS,
    COLUMN_BYTES,
    COLUMN_SINCE,
    COLUMN_UNTIL,
    COLUMN_PTX,
    COLUMN_TARGETS,
    COLUMN_N,
    COLUMN_EMULATED_ON, /* for people: sm_80 to sm_121 */
    COLUMN_EVIDENCE,
    COLUMN_NATIVE,
    COLUMN_EMULATED,
    LIST_COLUMNS
};

/* Formats that leave a column out. */
enum { NOT_IN_CSV = 1, NOT_IN_JSON = 2, NOT_IN_MARKDOWN = 4 };

struct list_heading {
    const char *name;    /* in CSV, and of the member in JSON */
    const char *heading; /* in Markdown; NULL: the name */
    unsigned place;      /* the place in CSV, which never changes; 0: after all that have a place */
    unsigned left_out;   /* NOT_IN_CSV and so on */
};
extern const struct list_heading list_headings[LIST_COLUMNS];

/* The columns of a format in its order, for NOT_IN_CSV and so on; returns their number. */
size_t list_columns(unsigned format, enum list_column columns[LIST_COLUMNS]);

/* What a value is. Formats without lists and null print its text. */
enum value_kind {
    VALUE_MISSING,  /* no such property; no member in JSON */
    VALUE_NULL,     /* empty; null in JSON */
    VALUE_NUMBER,   /* 16 */
    VALUE_NUMBERS,  /* 8 16 null */
    VALUE_WORD,     /* bf16; without characters that a format has to quote */
    VALUE_WORDS,    /* sm_80 sm_86 */
    VALUE_SENTENCE, /* any text */
};

/* Replaces what `to` holds by the value of a column. */
enum value_kind list_value(enum list_column column, const struct list_entry *entry,
                           struct printer *to);

#endif
