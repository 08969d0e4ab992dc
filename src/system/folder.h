/* folder.h - a temporary folder. */
#ifndef FOLDER_H
#define FOLDER_H

#include "mapping.h"

#include <dirent.h>
#include <limits.h>

struct temporary_folder {
    char path[PATH_MAX - 32]; /* so that the path of a file in it has room */
    DIR *list;                /* of what is in it */
};

/* Makes a folder that only this user can enter, below $TMPDIR or /tmp. */
enum mapping_status temporary_folder_make(struct temporary_folder *folder,
                                          struct mapping_error *error);

/* Removes the folder with all that is in it, which takes no memory unless there are folders in it.
 * Returns `status`, or if that is MAPPING_OK and the folder could not be removed, MAPPING_FAILED
 * with its path. */
enum mapping_status temporary_folder_remove(struct temporary_folder *folder,
                                            enum mapping_status status,
                                            struct mapping_error *error);

#endif
