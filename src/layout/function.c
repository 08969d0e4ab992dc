/* function.c - definitions of functions in C, C++ and Python; see function.h. */
#include "layout/function.h"
#include "layout/ascii.h"
#include "layout/program.h"
#include "layout/space.h"

#include <stdio.h>

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t\r\n");
}

/* The end of a text in brackets that match: behind ")" for "(...)". "<" is a bracket only if the
 * text begins with it. NULL if it has no end. */
static const char *behind_brackets(const char *text) {
    const char *open = *text == '<' ? "<" : "([{", *close = *text == '<' ? ">" : ")]}";
    unsigned depth = 0;
    for (; *text && *text != ';'; text++) {
        depth += strchr(open, *text) != NULL;
        if (strchr(close, *text) && --depth == 0)
            return text + 1;
    }
    return NULL;
}

/* Takes "(...)" and what is before the body: "{" of C, or ":" of Python. */
static bool take_parameters(const char *text, struct function_head *head) {
    const char *behind = *text == '(' ? behind_brackets(text) : NULL;
    if (!behind)
        return false;
    head->parameters = text + 1;
    head->end = behind - 1;
    behind += strcspn(behind, head->is_python ? ":;\n" : "{;=()?");
    head->body = behind + 1;
    return *behind == (head->is_python ? ':' : '{');
}

/* Takes the parameters of a lambda of Python, which has no parentheses: "tid, i:". */
static bool take_lambda(const char *text, struct function_head *head) {
    head->is_lambda = head->is_python = true;
    head->parameters = text;
    head->end = text + strcspn(text, ":;=()\n");
    head->body = head->end + 1;
    return *head->end == ':';
}

/* Takes a lambda of C++ or Python. */
static bool take_nameless(const char *text, struct function_head *head) {
    if (is_word(text, ascii_identifier_length(text), "lambda"))
        return take_lambda(text + strlen("lambda"), head);
    const char *behind = *text == '[' ? behind_brackets(text) : NULL;
    return behind && take_parameters(skip_blanks(behind), head);
}

/* Skips decorators of Python: "@cute.jit", "@triton.jit(do_not_specialize=[0])". */
static const char *skip_decorators(const char *text) {
    while (*text == '@') {
        do
            text++;
        while (ascii_identifier_length(text) > 0 || *text == '.');
        const char *behind = *text == '(' ? behind_brackets(text) : text;
        text = skip_blanks(behind ? behind : text + strlen(text));
    }
    return text;
}

/* Skips a string that stands alone at the beginning of a body in Python. */
static const char *skip_docstring(const char *body) {
    const char *text = skip_blanks(body);
    text += *text && strchr("rRuU", *text) && text[1] && strchr("\"'", text[1]);
    if (!*text || !strchr("\"'", *text))
        return body;
    char quote[] = {*text, *text, *text, '\0'};
    if (text[1] != *text || text[2] != *text)
        quote[1] = '\0';
    const char *end = strstr(text + strlen(quote), quote);
    return end ? end + strlen(quote) : body;
}

static bool read_head(const char *text, struct function_head *head) {
    *head = (struct function_head){.name = ""};
    if (take_nameless(text, head))
        return true;
    for (unsigned words = 0;; words++) {
        const size_t length = ascii_identifier_length(text);
        *head = (struct function_head){.name = text, .length = length};
        const char *behind = skip_blanks(text + length);
        if (length == 0 || mapping_word_is_in("if else for while switch return do", text, length))
            return false;
        if (is_word(text, length, "def")) {
            head->name = behind;
            head->length = ascii_identifier_length(behind);
            head->is_python = true;
            return words == 0 && take_parameters(skip_blanks(behind + head->length), head);
        }
        if (*behind == '(')
            return words > 0 && take_parameters(behind, head);
        if (*behind == '=')
            return take_nameless(skip_blanks(behind + 1), head);
        if (*behind == '<')
            behind = behind_brackets(behind);
        if (!behind)
            return false;
        text = skip_blanks(behind + strspn(behind, "*&: \t\r\n"));
    }
}

bool function_head_read(const char *text, struct function_head *head) {
    const char *start = skip_decorators(text);
    const bool is_read = read_head(start, head);
    head->start = start;
    if (is_read && head->is_python && !head->is_lambda)
        head->body = skip_docstring(head->body);
    return is_read;
}

bool function_parameter(const struct function_head *head, const char **at,
                        struct function_parameter *parameter) {
    *parameter = (struct function_parameter){.length = 0};
    while (parameter->length == 0 && *at < head->end) {
        bool is_pointer = false, is_const = false, has_name = false;
        const char *c = *at;
        *parameter = (struct function_parameter){.start = c};
        for (; c < head->end && *c != ','; c++) {
            const size_t word = ascii_identifier_length(c);
            is_pointer |= *c == '*';
            is_const |= is_word(c, word, "const");
            parameter->is_reference |= *c == '&';
            has_name |= *c == '=' || (head->is_python && *c == ':');
            if (word > 0 && !has_name) {
                parameter->name = c;
                parameter->length = word;
            }
            c += word > 0 ? word - 1 : 0;
        }
        parameter->is_output = is_pointer || (parameter->is_reference && !is_const);
        *at = c + (c < head->end);
    }
    return parameter->length > 0;
}

bool function_takes_places(const struct function_head *head) {
    struct function_parameter parameter;
    const char *at = head->parameters;
    unsigned count = 0, places = 0;
    while (function_parameter(head, &at, &parameter)) {
        count += !parameter.is_output;
        places += !parameter.is_output && mapping_word_is_in("i j row col column r c m n x y",
                                                             parameter.name, parameter.length);
    }
    return count == 2 && places == 2;
}

void function_result(const struct function_head *head, char result[16]) {
    static const struct {
        const char *end, *axis;
    } ends[] = {{"row", MAPPING_AXIS_ROW}, {"col", MAPPING_AXIS_COL}, {"column", MAPPING_AXIS_COL}};
    const size_t prefix = head->length > 4 && strncmp(head->name, "get_", 4) == 0 ? 4 : 0;
    const char *own = head->name + prefix;
    const size_t own_length = head->length - prefix;
    const bool is_inverse = own_length < 16 && function_takes_places(head) &&
                            (mapping_axis_is_called(MAPPING_AXIS_TID, own, own_length) ||
                             mapping_axis_is_called(MAPPING_AXIS_I, own, own_length));
    snprintf(result, 16, "%.*s", is_inverse ? (int)own_length : 3,
             is_inverse                                   ? own
             : is_word(head->name, head->length, "get_i") ? MAPPING_AXIS_ROW
             : is_word(head->name, head->length, "get_j") ? MAPPING_AXIS_COL
                                                          : "");
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        const size_t length = strlen(ends[e].end);
        if (!*result && head->length >= length &&
            ascii_begins_alike(head->name + head->length - length, ends[e].end, length))
            snprintf(result, 16, "%s", ends[e].axis);
    }
}

const char *function_bracket(const char *text) {
    static const char names[] = "make_coord make_tuple make_pair make_int2 make_uint2 MatrixCoord";
    const char *name = strncmp(text, "std::", 5) == 0    ? text + 5
                       : strncmp(text, "cute::", 6) == 0 ? text + 6
                                                         : text;
    const size_t length = ascii_identifier_length(name);
    if (length > 0 && mapping_word_is_in(names, name, length))
        text = name + length;
    if (!*text || !strchr("([{", *text))
        return NULL;
    const char *open = text, *behind = behind_brackets(text);
    unsigned depth = 0;
    bool has_comma = false;
    for (; behind && text < behind; text++) {
        depth += strchr("([{", *text) != NULL;
        depth -= strchr(")]}", *text) != NULL;
        has_comma |= depth == 1 && *text == ',';
    }
    return has_comma ? open : NULL;
}

bool function_returns_several(const struct function_head *head) {
    const char *text = head->body;
    for (bool is_value = head->is_lambda; *text; is_value = false) {
        const size_t length = ascii_identifier_length(text);
        if (is_value || is_word(text, length, "return")) {
            text = skip_blanks(text + (is_value ? 0 : length));
            if (function_bracket(text))
                return true;
            unsigned depth = 0;
            for (; *text && !strchr(";\n}", *text); text++) {
                depth += *text == '(';
                depth -= *text == ')' && depth > 0;
                if (*text == ',' && depth == 0)
                    return true;
            }
        } else {
            text += length > 0 ? length : 1;
        }
    }
    return false;
}
