/* source.h - the sources of layouts. Each source is one row in source.c; none prints anything.
 * These functions choose the source of a fragment, and check whether several sources agree. */
#ifndef SOURCE_H
#define SOURCE_H

#include <pthread.h>

#include "report/observation.h"
#include "system/system.h"

#define CUDA_FOLDERS_MAX 16

/* The maximum number of sources. */
#define SOURCES_MAX 8

/* Layouts with tables that several observations share, at most SHARED_MAX. At first, the lock is
 * initialized and everything else is zero. */
enum { SHARED_MAX = 1024 };
struct shared_layouts {
    pthread_mutex_t lock;
    size_t count;
    struct shared_layout {
        uint64_t hash; /* a hash of the entries */
        struct mapping_layout layout;
    } * layouts; /* an array of SHARED_MAX */
};

/* Options about devices and tools, the same for all sources. */
struct machinery {
    int device;                                 /* for the source gpu, from 0 */
    double timeout;                             /* seconds for one run of a tool */
    const char *cuda_folders[CUDA_FOLDERS_MAX]; /* if any are given, only these toolkits are used */
    size_t cuda_folder_count;
    bool may_start;                /* allowed to start the CUDA driver, ptxas and nvdisasm */
    bool catches_signals;          /* install signal handlers while a tool runs */
    struct shared_layouts *shared; /* if not NULL, equal layouts share tables that outlive them */
};

/* Observes all `count` fragments, at least one, of one architecture (75 for sm_75) at once. The
 * caller sets the architecture and fragment of each observation; the source sets the layout and
 * appends to the provenance. The caller owns the results, also after a failure. MAPPING_UNAVAILABLE
 * if the source cannot serve this architecture or these fragments on this machine; MAPPING_FAILED
 * if a tool or CUDA fails; MAPPING_INVALID if its input is malformed. */
typedef enum mapping_status observe_function(unsigned arch, struct observation *const *observations,
                                             size_t count, const struct machinery *machinery,
                                             struct mapping_error *error);

/* Makes one observation, which the source covers. Observations are independent of each other. */
typedef enum mapping_status observe_one_function(struct observation *observed,
                                                 struct mapping_error *error);

/* True if the source may have the fragment. Only an observation shows if it is available here. */
typedef bool covers_function(unsigned arch, const struct mapping_fragment *fragment);

struct source {
    const char *name;
    observe_function *observe;         /* NULL if observe_one is used */
    observe_one_function *observe_one; /* may be called in several threads at once */
    covers_function *covers;
    const char *lacks;      /* the reason why it does not cover other fragments */
    const char *help;       /* its description in --help; lines are separated by '\n' */
    const char *on_failure; /* a hint at alternatives after a failure, or "" */
    bool needs_device;      /* the source uses the GPU */
    bool needs_toolkit;     /* the source runs tools of a CUDA Toolkit, of any generation */
    bool is_statement;      /* it states layouts of a document, which observations confirm */
    bool is_recorded;       /* the source reads the records, so it cannot check them */
};

/* The sources in the order in which --source=auto tries them; NULL after the last one. */
const struct source *source_at(size_t index);

/* Writes the sources that have the fragment: "--source=isa or --source=gpu". */
#define SOURCES_TEXT 128
void sources_covering(unsigned arch, const struct mapping_fragment *fragment,
                      char text[SOURCES_TEXT]);

/* Finds a source by name; NULL if there is none. */
const struct source *source_find(const char *name);

observe_function gpu_observe, sass_observe;
covers_function gpu_covers;

#define ISA_TEXT 64

/* Writes the section of the PTX ISA that specifies the fragment: "PTX ISA 9.0 section 9.7.14.5.8",
 * or of a later version, if that is the first one that specifies it. */
void isa_section(const struct mapping_fragment *fragment, char text[ISA_TEXT]);

/* Adds the section that specifies the atoms of shared memory for wgmma. */
void isa_add_atom(struct provenance *provenance);

/* Disassembles a binary: a cubin with nvdisasm, other binaries with cuobjdump, of the toolkits that
 * the source sass finds. *tool becomes the path of the tool. MAPPING_UNAVAILABLE, with a command
 * that the user can run, if there is no such tool, or the library must not start it. */
enum mapping_status sass_disassemble(const struct machinery *machinery, const char *path,
                                     bool is_cubin, struct tool_output *output, const char **tool,
                                     struct mapping_error *error);

/* The architecture of the device, 75 for sm_75. MAPPING_UNAVAILABLE if there is no such device, no
 * driver, or the program was built without the gpu source; MAPPING_FAILED if CUDA fails. */
enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error);

/* Longest description of a device in provenance, including its '\0'. */
#define DEVICE_TEXT_SIZE 192

/* ---- From sources to observations ---- */

/* The first entry where two layouts with the same spaces differ, "thread 0, element 1", and its
 * coordinates in each layout, "row 0, column 1". */
struct disagreement {
    char entry[128], one[128], other[128];
};

/* Finds the first difference between two layouts that are not equal. */
void find_disagreement(const struct mapping_layout *one, const struct mapping_layout *other,
                       struct disagreement *found);

/* Makes `count` observations with one source. Each has a fragment, which the source covers, and an
 * architecture, the same for all. If the source states layouts of a document, they are compared
 * with the recorded layout of a device. Returns a status as observe_function does; the message
 * begins with the source's name. */
enum mapping_status observe_with(const struct source *source,
                                 struct observation *const *observations, size_t count,
                                 const struct machinery *machinery, struct mapping_error *error);

/* Makes all observations with all given sources. MAPPING_DIFFERS, with the first difference, if
 * they do not agree. If no source is given, makes each observation with the first source that is
 * available; MAPPING_UNAVAILABLE, with the reason for each source, if there is none. */
enum mapping_status observe_all(const struct source *const *sources, size_t source_count,
                                struct observation *const *observations, size_t count,
                                const struct machinery *machinery, struct mapping_error *error);

#endif
