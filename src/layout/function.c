/* function.c - definitions of functions in C, C++ and Python; see function.h. */
#include "layout/function.h"
#include "layout/ascii.h"
#include "layout/program.h"
#include "layout/space.h"

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

bool function_head_read(const char *text, struct function_head *head) {
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

size_t function_parameter(const struct function_head *head, const char **at, const char **name) {
    size_t length = 0;
    while (length == 0 && *at < head->end) {
        bool is_output = false, has_name = false;
        const char *c = *at;
        for (; c < head->end && *c != ','; c++) {
            const size_t word = ascii_identifier_length(c);
            is_output |= *c == '&' || *c == '*';
            has_name |= *c == '=' || (head->is_python && *c == ':');
            if (word > 0 && !has_name) {
                *name = c;
                length = word;
            }
            c += word > 0 ? word - 1 : 0;
        }
        *at = c + (c < head->end);
        length = is_output ? 0 : length;
    }
    return length;
}

bool function_takes_places(const struct function_head *head) {
    const char *at = head->parameters, *name;
    unsigned count = 0, places = 0;
    for (size_t length; (length = function_parameter(head, &at, &name)) > 0; count++)
        places += mapping_word_is_in("i j row col column r c m n x y", name, length);
    return count == 2 && places == 2;
}

const char *function_result(const struct function_head *head) {
    static const struct {
        const char *end, *axis;
    } ends[] = {{"row", MAPPING_AXIS_ROW}, {"col", MAPPING_AXIS_COL}, {"column", MAPPING_AXIS_COL}};
    if (is_word(head->name, head->length, "get_i"))
        return MAPPING_AXIS_ROW;
    if (is_word(head->name, head->length, "get_j"))
        return MAPPING_AXIS_COL;
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        const size_t length = strlen(ends[e].end);
        if (head->length >= length &&
            ascii_begins_alike(head->name + head->length - length, ends[e].end, length))
            return ends[e].axis;
    }
    return "";
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
