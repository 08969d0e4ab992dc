/* arguments.h - reads the arguments of options into a request, and lists their valid values. The
 * rows of option_rows.c refer to most of these functions. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "cli/options.h"

/* The possible words of an argument. */
name_function operand_name_at, type_name_at, format_name_at, style_name_at, color_by_name_at,
    color_name_at, source_name_at, source_help_at, access_name_at, block_size_at, warp_size_at;

/* Each function reads one kind of argument. */
read_function argument_choice, argument_order, argument_format, argument_archs, argument_diff,
    argument_type, argument_operand, argument_question, argument_thread, argument_register,
    argument_excerpt, argument_extent, argument_origin, argument_axes, argument_access,
    argument_with, argument_use, argument_formula, argument_sources, argument_device,
    argument_timeout, argument_cuda, argument_lines;

/* Refuses a word that is not a valid choice. The error lists the choices and the nearest one. */
enum mapping_status unknown_choice(const struct argument *given, const char *word,
                                   const char *last);

#endif
