/* types.c - finds the types of parameters and results of functions; see types.h. */
#include "layout/types.h"
#include "layout/ascii.h"
#include "layout/function.h"
#include "layout/space.h"

/* Types of CUDA with two members. */
static const struct vector_type vector_types[] = {
    {"int2", {32, true}},
    {"uint2", {32, false}},
    {"short2", {16, true}},
    {"ushort2", {16, false}},
    {"char2", {8, true}},
    {"uchar2", {8, false}},
    {"longlong2 long2", {64, true}},
    {"ulonglong2 ulong2", {64, false}},
};

const struct vector_type *types_find_vector(const char *name, size_t length) {
    for (size_t v = 0; v < sizeof vector_types / sizeof *vector_types; v++)
        if (length > 0 && mapping_word_is_in(vector_types[v].names, name, length))
            return &vector_types[v];
    return NULL;
}

bool types_find(const char *text, const char *end, struct c_type *type, const char **name,
                size_t *length) {
    static const char others[] =
        "inline extern friend virtual explicit template typename consteval class struct lambda "
        "mutable noexcept std cute cutlass";
    static const char inexact[] = "float double half __half __int128 __int128_t _Float16";
    struct parser at = {.next = parser_skip(text, true), .end = text};
    bool is_found = false, is_inexact = false;
    const char *macro = NULL;
    size_t macro_length = 0;
    *type = (struct c_type){0, true};
    *length = 0;
    while (at.next < end) {
        struct c_type found;
        char kinds[8];
        const char *word = at.next;
        if (parser_take_type(&at, &found, kinds)) {
            *type = found;
            is_found = true;
        } else if (at.next == word) {
            const size_t own = parser_name_length(word);
            bool is_macro = own > 1;
            for (size_t n = 0; n < own; n++)
                is_macro &=
                    word[n] == '_' || ascii_is_digit(word[n]) || word[n] != ascii_lower(word[n]);
            const bool is_number = mapping_word_is_in(inexact, word, own);
            is_inexact |= is_number;
            if (is_number || (own > 0 && !is_macro && strncmp(word, "__", 2) != 0 &&
                              !mapping_word_is_in(others, word, own))) {
                *name = word;
                *length = own;
            } else if (is_macro && strncmp(word, "__", 2) != 0) { /* or a type */
                macro = word;
                macro_length = own;
            }
            size_t skipped = own > 0 ? own : 1;
            for (unsigned depth = *word == '<'; depth > 0 && word[skipped]; skipped++)
                depth += (unsigned)(word[skipped] == '<') - (unsigned)(word[skipped] == '>');
            parser_advance(&at, skipped);
        }
    }
    if (*length == 0 && macro) {
        *name = macro;
        *length = macro_length;
    }
    return !is_inexact && (is_found || *length == 0);
}

void types_find_results(struct parser *parser) {
    const struct function_head *head = parser->function;
    const char *start = head->start, *end = head->name, *name = "";
    struct c_type type = {0, true};
    size_t length = 0;
    const char *arrow = strstr(head->end, "->");
    parser->needs_type = NULL;
    parser->must_execute = true;
    parser->result_types[0] = parser->result_types[1] = type;
    if (head->is_python)
        return;
    if (arrow && arrow < head->body) {
        start = arrow + 2;
        end = head->body - 1;
    } else if (!*head->name || *head->start == '[' ||
               memchr(head->name, '=', (size_t)(head->parameters - head->name))) {
        return; /* a lambda without a type */
    }
    if (types_find(start, end, &type, &name, &length)) {
        parser->result_types[0] = parser->result_types[1] = type;
    } else if (is_word(name, length, "void")) {
        parser->must_execute = false;
    } else {
        const struct vector_type *vector = types_find_vector(name, length);
        const char *open = name + length;
        parser->needs_type = name;
        parser->needs_length = length;
        if (vector) {
            parser->result_types[0] = parser->result_types[1] = vector->type;
        } else if (mapping_word_is_in("pair tuple array", name, length) && *open == '<') {
            const char *comma = open + strcspn(open, ",>"), *close = open + strcspn(open, ">");
            types_find(open + 1, comma, &parser->result_types[0], &name, &length);
            if (*comma == ',' && !ascii_is_digit(*parser_skip(comma + 1, true)))
                types_find(comma + 1, close, &parser->result_types[1], &name, &length);
            else
                parser->result_types[1] = parser->result_types[0];
        }
    }
}
