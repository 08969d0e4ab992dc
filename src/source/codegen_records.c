/* codegen_records.c - the SASS of every opcode, as recorded; see codegen_records.h. */
#include "source/codegen_records.h"

#include <string.h>

bool codegen_next(const char *opcode, size_t *position, struct codegen *row) {
    size_t length = opcode ? strlen(opcode) : 0;
    const char *line = recorded_codegen + *position;
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        if (*line == '#' || (opcode && (strncmp(line, opcode, length) != 0 || line[length] != ' ')))
            continue;
        *position = (size_t)(end + 1 - recorded_codegen);
        return codegen_parse(line, row);
    }
    *position = (size_t)(line - recorded_codegen);
    return false;
}
