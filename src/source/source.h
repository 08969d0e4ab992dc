/* source.h - the sources of layouts. Each source is one row in source.c; none prints anything.
 * Chooses the source of a fragment, and checks whether several agree. */
#ifndef SOURCE_H
#define SOURCE_H

#include <pthread.h>

#include "report/observation.h"
#include "system/system.h"

#define CUDA_FOLDERS_MAX 16

/* No table has more sources. */
#define SOURCES_MAX 8

/* Layouts whose tables several observations share; more than SHARED_MAX are not shared. Begins
 * with the lock initialized and all else zero. */
enum { SHARED_MAX = 1024 };
struct shared_layouts {
    pthread_mutex_t lock;
    size_t count;
    struct shared_layout {
        uint64_t hash; /* of the entries */
        struct mapping_layout layout;
    } * layouts; /* SHARED_MAX */
};

/* Options about devices and tools, the same for all sources. */
struct machinery {
    int device;                                 /* of the gpu source, from 0 */
    double timeout;                             /* seconds for one run of a tool */
    const char *cuda_folders[CUDA_FOLDERS_MAX]; /* toolkits to use, and no others, if any */
    size_t cuda_folder_count;
    bool may_start;                /* the CUDA driver, ptxas and nvdisasm */
    bool catches_signals;          /* while a tool runs */
    struct shared_layouts *shared; /* if not NULL, equal layouts get one table, which stays */
};

/* Observes all `count` fragments, at least one, of one architecture (75 for sm_75) in one go. Each
 * observation comes with its architecture and fragment; the source fills in the layout and appends
 * to the provenance. What was made belongs to the caller, also after a failure. MAPPING_UNAVAILABLE
 * if the source cannot serve this architecture or these fragments here; MAPPING_FAILED if it could
 * but did not; MAPPING_INVALID if its input is malformed. */
typedef enum mapping_status observe_function(unsigned arch, struct observation *const *observations,
                                             size_t count, const struct machinery *machinery,
                                             struct mapping_error *error);

/* Makes one observation, which the source covers. Observations do not depend on each other. */
typedef enum mapping_status observe_one_function(struct observation *observed,
                                                 struct mapping_error *error);

/* True if the source may have the fragment; whether it can serve here, observing it tells. */
typedef bool covers_function(unsigned arch, const struct mapping_fragment *fragment);

struct source {
    const char *name;
    observe_function *observe;         /* NULL if observe_one is used */
    observe_one_function *observe_one; /* called in several threads */
    covers_function *covers;
    const char *lacks;      /* the reason if it does not cover a fragment */
    const char *help;       /* its description in --help; lines are separated by '\n' */
    const char *on_failure; /* a hint at alternatives if it fails, or "" */
    bool needs_device;      /* it asks the GPU */
    bool needs_toolkit;     /* it runs tools of a CUDA Toolkit, of any generation */
    bool is_statement;      /* it states layouts, which observations can confirm */
    bool is_recorded;       /* it repeats the records, so it cannot check them */
};

/* The sources in the order in which --source=auto tries them. NULL from the end on. */
const struct source *source_at(size_t index);

/* Writes which sources have the fragment: "--source=isa or --source=gpu". */
#define SOURCES_TEXT 128
void sources_covering(unsigned arch, const struct mapping_fragment *fragment,
                      char text[SOURCES_TEXT]);

/* Finds a source by name; NULL if there is none. */
const struct source *source_find(const char *name);

observe_function gpu_observe, sass_observe;
covers_function gpu_covers;

#define ISA_TEXT 64

/* Writes where the PTX ISA specifies the fragment: "PTX ISA 9.0 section 9.7.14.5.8", or a later
 * version where it takes that. */
void isa_section(const struct mapping_fragment *fragment, char text[ISA_TEXT]);

/* Adds the section that specifies the atoms of shared memory which wgmma reads. */
void isa_add_atom(struct provenance *provenance);

/* Disassembles a binary with the nvdisasm, or unless it is a cubin the cuobjdump, of the toolkits
 * that the source sass looks for; *tool becomes its path. MAPPING_UNAVAILABLE with what to run if
 * there is none, or the library may not start it. */
enum mapping_status sass_disassemble(const struct machinery *machinery, const char *path,
                                     bool is_cubin, struct tool_output *output, const char **tool,
                                     struct mapping_error *error);

/* The architecture of the device, 75 for sm_75. MAPPING_UNAVAILABLE if there is no such device,
 * driver or gpu source here; MAPPING_FAILED if CUDA fails. */
enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error);

/* Longest description of a device in provenance, including its '\0'. */
#define DEVICE_TEXT_SIZE 192

/* ---- From sources to observations ---- */

/* The first entry where two layouts of the same spaces differ: "thread 0, element 1", and where
 * each has it, "row 0, column 1". */
struct disagreement {
    char entry[128], one[128], other[128];
};

/* Finds it, for two layouts that are not equal. */
void find_disagreement(const struct mapping_layout *one, const struct mapping_layout *other,
                       struct disagreement *found);

/* Lets one source make `count` observations. Each has its fragment, which the source covers, and
 * its architecture, the same for all. A layout that is only stated is compared with the recorded
 * layout of a device. Statuses as of observe_function; the sentence begins with the source's name.
 */
enum mapping_status observe_with(const struct source *source,
                                 struct observation *const *observations, size_t count,
                                 const struct machinery *machinery, struct mapping_error *error);

/* Makes all of the observations with all of these sources. MAPPING_DIFFERS, with the first entry,
 * if they do not agree. If no source is given, makes each with the first source that can serve; if
 * there is none, MAPPING_UNAVAILABLE with what each source lacks. */
enum mapping_status observe_all(const struct source *const *sources, size_t source_count,
                                struct observation *const *observations, size_t count,
                                const struct machinery *machinery, struct mapping_error *error);

#endif
