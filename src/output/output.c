/* output.c - the table of formats. What they share is in format.c. */
#include "output/output.h"

const struct output *output_at(size_t index) {
    static const struct output *const outputs[] = {
        &text_output,   &json_output, &csv_output,  &markdown_output, &cuda_output, &cute_output,
        &triton_output, &svg_output,  &html_output, &tikz_output,     NULL};
    return outputs[index];
}
