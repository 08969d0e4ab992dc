/* output.c - the table of formats. */
#include "output.h"

#include <string.h>

const struct output *output_find(const char *name) {
    static const struct output *const outputs[] = {&text_output, &json_output, NULL};
    for (size_t o = 0; outputs[o]; o++)
        if (strcmp(name, outputs[o]->name) == 0)
            return outputs[o];
    return NULL;
}
