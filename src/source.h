/* source.h - where maps come from. Each source is one row in source.c; none prints anything. */
#ifndef SOURCE_H
#define SOURCE_H

#include "report.h"

#define CUDA_FOLDERS_MAX 16

/* What the user said about the machinery, the same for all sources. */
struct source_options {
    int device;                                 /* of the gpu source, from 0 */
    double timeout;                             /* seconds for one run of a tool */
    const char *cuda_folders[CUDA_FOLDERS_MAX]; /* toolkits to use, and no others, if any */
    size_t cuda_folder_count;
};

/* Observes all `count` fragments on one architecture (75 for sm_75) in one go. `maps` are zeroed
 * before; those that were made belong to the caller, also after a failure. On success the source
 * appends its evidence to the provenance of each. MAPPING_UNAVAILABLE if it cannot serve this
 * architecture or these fragments here; MAPPING_FAILED if it could but did not; MAPPING_INVALID if
 * its input is malformed. */
typedef enum mapping_status
observe_function(unsigned arch, const struct mapping_fragment *fragments, size_t count,
                 const struct source_options *options, struct mapping_map *maps,
                 struct provenance *provenances, struct mapping_error *error);

/* True if the source may have the fragment; whether it can serve here, observing it tells. */
typedef bool covers_function(unsigned arch, const struct mapping_fragment *fragment);

struct source {
    const char *name;
    observe_function *observe;
    covers_function *covers;
    const char *lacks; /* why it does not have what it does not cover */
};

observe_function gpu_observe, sass_observe, recorded_observe, isa_observe;
covers_function gpu_covers, sass_covers, recorded_covers, isa_covers;

/* The architecture of the device, 75 for sm_75. MAPPING_UNAVAILABLE if there is no such device,
 * driver or gpu source here; MAPPING_FAILED if CUDA fails. */
enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error);

/* The sources in the order in which --source=auto tries them. NULL from the end on. */
const struct source *source_at(size_t index);

/* Finds a source by name; NULL if there is none. */
const struct source *source_find(const char *name);

#endif
