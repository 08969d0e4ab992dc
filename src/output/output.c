/* output.c - the table of formats. format.c has the functions that formats share. */
#include "output/output.h"

const struct output *output_at(size_t index) {
#define OUTPUT(name) &name##_output,
    static const struct output *const outputs[] = {OUTPUTS(OUTPUT) NULL};
    return outputs[index];
}
