/* records.h - results/: one record for each distinct layout. output/results.h writes them.
 *
 *     # wmma.m16n16k16.{c,d}.{f32,f16}, wmma.m16n16k16.c.s32     fragments that have the layout
 *     #   sm_70, sm_72: sass (ptxas 11.8.89, nvdisasm 11.8.86)   where observed, and by what
 *     #   sm_75 to sm_89: sass (ptxas 13.5.37, nvdisasm 13.5.37); gpu (NVIDIA T4, nvcc 13.0.88)
 *     # wmma.m16n16k16.d.s32                                     more fragments, other evidence
 *     #   sm_72: sass (ptxas 11.8.89, nvdisasm 11.8.86)
 *     Element / ThreadIdx:                                       grids, as a terminal shows them
 *      0  1  0  1  4  5  4  5 ...
 *
 *     Formulae:
 *     Row: return (i & 2) + (tid & 1) + ((tid & 4) << 1) + ((tid & 16) >> 2);
 *     Col: return (i & 5) + (tid & 10);
 *
 *     Inverse:
 *     Tid: return ...;
 *     I: return ...;
 *
 * Names are in braces as in bash: {a,b} is a and b, {8..32..8} is 8, 16, 24 and 32. The first lines
 * of a file list the architectures that existed when it was written, which define the range "sm_75
 * to sm_89". Long lines are continued after "# ". A record of fragments of a warpgroup, which exist
 * in many sizes, has no grids, because the same formulae are valid for all sizes. Records of atoms
 * of shared memory, Layout_K_SW128_Atom<half_t>, have no grids either. */
#ifndef RECORDS_H
#define RECORDS_H

#include "report/observation.h"
#include "system/system.h"

/* How lines of a file begin: the first two, one of evidence, and one that continues it. */
#define RECORDS_LABEL                                                                              \
    "# Layouts, each once, with what has it, where, and who has seen it: make results\n"
#define ARCHS_LABEL "# architectures:"
#define EVIDENCE_LABEL "#   "
#define CONTINUED_LABEL "#     "

/* One fragment, or atom, on one architecture. */
struct record_entry {
    char name[MAPPING_NAME_SIZE];
    bool is_atom;                     /* false for a fragment of the catalogue */
    struct mapping_fragment fragment; /* zeroed for an atom */
    size_t place;                     /* index in the catalogue; for an atom, in the file */
    unsigned arch;                    /* 75 for sm_75 */
    const char *evidence;             /* "sass (...); gpu (...)", in records->evidence */
};

/* One layout. */
struct record {
    struct record_entry *entries; /* all entries with this layout */
    size_t count, capacity;
    bool is_brief, has_inverse;       /* it has no grids; it has formulae of the inverse */
    struct mapping_layout layout;     /* layout of the first entry; without a table if the record
                                         was read */
    struct mapping_formula *formulae; /* for each axis of the output; NULL for a new record */
    const char *body;                 /* the text after names and evidence, if the record was read;
                                         NULL for a new record */
    size_t size;                      /* size of the body */
    unsigned line, body_line;         /* the first line of the record, and of the body */
};

struct records {
    struct record *record;
    size_t count, capacity;
    struct strings evidence; /* each text once */
};

/* Makes an entry from a name, without architecture and evidence. False if the name does not exist,
 * or is not the usual one. */
bool record_entry_make(const char *name, struct record_entry *entry);

/* True if the first line of the text is that of a file of records. */
bool records_begin(const char *text);

/* Reads a file of records. MAPPING_INVALID, with the line, where it is none, and where a name is
 * not that of a fragment that the architecture has. Records point into the text;
 * record_check of output/results.h checks whether a record follows from its layout. */
enum mapping_status records_read(const char *text, struct records *records,
                                 struct mapping_error *error);

/* Sets the input and output spaces of an entry's layout. */
enum mapping_status record_spaces(const struct record_entry *entry, struct mapping_space *from,
                                  struct mapping_space *to, struct mapping_error *error);

/* Makes the layout of an entry of the record; if the record is brief, in the entry's size.
 * MAPPING_INVALID if it cannot be inverted. Free it in any case. */
enum mapping_status record_layout(const struct record *record, const struct record_entry *entry,
                                  struct mapping_layout *layout, struct mapping_error *error);

/* Adds a layout that was observed, with an entry whose evidence is copied: to the record that has
 * it, or as a new one. Takes over the layout's memory. */
void records_add(struct records *records, const struct record_entry *entry,
                 struct mapping_layout *layout);

/* Sets the evidence of an entry; it is copied. */
void records_set_evidence(struct records *records, struct record_entry *entry,
                          const char *evidence);

/* Adds an entry to a record. */
void record_add_entry(struct record *record, const struct record_entry *entry);

/* Orders the entries of a record, by their places, their names and their architectures; and all
 * records by their first entries. */
void record_sort(struct record *record);
void records_sort(struct records *records);

#endif
