/* function.h - finds the definitions of functions in C, C++ and Python that compute coordinates:
 *
 *     static __device__ int get_i(const int l) { return l / 2 * 8 + threadIdx.x / 4; }
 *     def place(thread_id, local_id): return thread_id // 4, local_id
 *     place = lambda lane, e: (lane // 4, e)
 */
#ifndef FUNCTION_H
#define FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

/* The parts of a definition. The pointers lead into the text. */
struct function_head {
    const char *start; /* the beginning, behind decorators of Python */
    const char *name;  /* not terminated; "" without a name */
    size_t length;
    const char *parameters, *end; /* between the parentheses */
    const char *body;             /* after "{" or ":" and a docstring */
    bool is_lambda, is_python;    /* the body of a lambda of Python is an expression */
};

/* Reads the head of a definition at the beginning of the text. False if there is none. */
bool function_head_read(const char *text, struct function_head *head);

struct function_parameter {
    const char *start, *name; /* its beginning, with its type, and its name */
    size_t length;            /* of the name */
    bool is_output;           /* a pointer, or a reference that is not const */
    bool is_reference;
};

/* Finds the next parameter, from *at on, which begins as head->parameters. False at the end. */
bool function_parameter(const struct function_head *head, const char **at,
                        struct function_parameter *parameter);

/* True if the names of the parameters are those of a row and a column. */
bool function_takes_places(const struct function_head *head);

/* The axis of the result, according to the name of the function: "row" for get_i and get_row, "col"
 * for get_j; for a function of a row and a column, the name without "get_", such as "lane" for
 * get_lane; "" if the name does not tell it. At most 15 bytes. */
void function_result(const struct function_head *head, char result[16]);

/* If several values follow in parentheses, braces or make_coord(), as in "(a, b)", returns the
 * opening bracket, otherwise NULL. */
const char *function_bracket(const char *text);

/* True if a statement "return" of the body has several values. */
bool function_returns_several(const struct function_head *head);

#endif
