/* source.h - where layouts come from. Each source is one row in source.c; none prints anything. */
#ifndef SOURCE_H
#define SOURCE_H

#include "report/observation.h"

#define CUDA_FOLDERS_MAX 16

/* No table has more sources. */
#define SOURCES_MAX 8

/* What the user said about the machinery, the same for all sources. */
struct machinery {
    int device;                                 /* of the gpu source, from 0 */
    double timeout;                             /* seconds for one run of a tool */
    const char *cuda_folders[CUDA_FOLDERS_MAX]; /* toolkits to use, and no others, if any */
    size_t cuda_folder_count;
};

/* Observes all `count` fragments, at least one, of one architecture (75 for sm_75) in one go. Each
 * observation comes with its architecture and fragment; the source fills in the layout and appends
 * to the provenance. What was made belongs to the caller, also after a failure. MAPPING_UNAVAILABLE
 * if the source cannot serve this architecture or these fragments here; MAPPING_FAILED if it could
 * but did not; MAPPING_INVALID if its input is malformed. */
typedef enum mapping_status observe_function(unsigned arch, struct observation *const *observations,
                                             size_t count, const struct machinery *machinery,
                                             struct mapping_error *error);

/* True if the source may have the fragment; whether it can serve here, observing it tells. */
typedef bool covers_function(unsigned arch, const struct mapping_fragment *fragment);

struct source {
    const char *name;
    observe_function *observe;
    covers_function *covers;
    const char *lacks;      /* why it does not have what it does not cover */
    const char *help;       /* what it is, in --help: lines with '\n' between them */
    const char *on_failure; /* what else would do if it fails, or "" */
    bool needs_device;      /* it asks the GPU */
    bool needs_toolkit;     /* it runs tools of a CUDA Toolkit, of any generation */
    bool is_statement;      /* it states; what it says can be confirmed by observation */
    bool is_recorded;       /* it repeats what was recorded, so it cannot check that */
};

/* The sources in the order in which --source=auto tries them. NULL from the end on. */
const struct source *source_at(size_t index);

/* Writes which sources have the fragment: "--source=isa or --source=gpu". */
#define SOURCES_TEXT 128
void sources_covering(unsigned arch, const struct mapping_fragment *fragment,
                      char text[SOURCES_TEXT]);

/* Finds a source by name; NULL if there is none. */
const struct source *source_find(const char *name);

/* Makes each of several observations by itself, several at a time. The first failure counts. */
typedef enum mapping_status observe_one_function(struct observation *observed,
                                                 struct mapping_error *error);
enum mapping_status observe_each(struct observation *const *observations, size_t count,
                                 observe_one_function *observe, struct mapping_error *error);

observe_function gpu_observe, sass_observe, recorded_observe, published_observe, isa_observe;
covers_function gpu_covers, sass_covers, recorded_covers, published_covers, isa_covers;

#define ISA_TEXT 64

/* Writes where the PTX ISA specifies the fragment: "PTX ISA 9.0 section 9.7.14.5.8", or a later
 * version where it takes that. */
void isa_section(const struct mapping_fragment *fragment, char text[ISA_TEXT]);

/* The architecture of the device, 75 for sm_75. MAPPING_UNAVAILABLE if there is no such device,
 * driver or gpu source here; MAPPING_FAILED if CUDA fails. */
enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error);

#endif
