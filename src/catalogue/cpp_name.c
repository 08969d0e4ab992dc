/* cpp_name.c - types as C++ writes them, taken apart: scopes, arguments of templates, and what CuTe
 * wraps around its atoms. */
#include "catalogue/family.h"
#include "layout/ascii.h"

#include <stdio.h>
#include <string.h>

/* Copies the text in lower case, with blanks left out beside punctuation; a blank that stays is in
 * no name. False if it is too long. */
static bool normalize(const char *text, char *copy, size_t size) {
    static const char punctuation[] = "<>,:(){}";
    size_t length = 0;
    for (; *text; text++) {
        size_t blanks = strspn(text, " \t\r\n");
        text += blanks;
        if (!*text)
            break;
        bool is_apart =
            length == 0 || strchr(punctuation, copy[length - 1]) || strchr(punctuation, *text);
        if (length + 2 >= size)
            return false;
        if (blanks > 0 && !is_apart)
            copy[length++] = ' ';
        copy[length++] = ascii_lower(*text);
    }
    copy[length] = '\0';
    return true;
}

/* True if angle brackets are opened before they are closed, as often as that. */
static bool is_balanced(const char *text) {
    int depth = 0;
    for (; *text && depth >= 0; text++)
        depth += (*text == '<') - (*text == '>');
    return depth == 0;
}

/* Cuts the end of a text off; false if it does not end so. */
static bool cut_end(char *text, const char *end) {
    size_t length = strlen(text), size = strlen(end);
    if (length < size || strcmp(text + length - size, end) != 0)
        return false;
    text[length - size] = '\0';
    return true;
}

/* What follows a scope in another, "gmma" of "sm90::gmma" behind "sm90"; NULL if it does not begin
 * with it. */
static const char *behind(const char *scope, const char *first) {
    size_t length = strlen(first);
    if (strncmp(scope, first, length) != 0)
        return NULL;
    scope += length;
    return !*scope ? scope : strncmp(scope, "::", 2) == 0 ? scope + 2 : NULL;
}

/* True if what is in the scope `path` of cute may be written so: from cute on, where SM90 may be
 * left out, as cute is using it, or less, as if the rest were used. */
static bool is_scope(const char *written, const char *path) {
    const char *all = behind(written + (strncmp(written, "::", 2) == 0 ? 2 : 0), "cute");
    const char *inner = behind(path, "sm90");
    size_t length = strlen(path), size = strlen(written);
    if (all)
        return strcmp(all, path) == 0 || (inner && strcmp(all, inner) == 0);
    return size <= length && strcmp(path + length - size, written) == 0 &&
           (size == 0 || size == length || path[length - size - 1] == ':');
}

/* Cuts the last word of "gmma::major::k" off and returns it; what is left of it, here
 * "gmma::major", is `*scope`, "" if there was one word. */
static char *cut_scope(char *text, const char **scope) {
    char *word = text;
    for (char *next = strstr(text, "::"); next; next = strstr(word, "::"))
        word = next + 2;
    *scope = "";
    if (word > text) {
        word[-2] = '\0';
        *scope = text;
    }
    return word;
}

/* ---- Declarations ---- */

/* What follows one name with its bounds, " c_frag[2][4]", which may be empty. */
static const char *skip_name(const char *text) {
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    while (ascii_is_letter(*text) || ascii_is_digit(*text) || *text == '_')
        text++;
    for (const char *end = text;; text = end) {
        end += strspn(end, blanks);
        if (*end != '[' || !(end = strchr(end, ']')))
            return text + strspn(text, blanks);
        end++;
    }
}

void mapping_cut_names(char *text) {
    char *end = strrchr(text, '>');
    if (!end)
        return;
    const char *behind = skip_name(end + 1);
    while (*behind == ',')
        behind = skip_name(behind + 1);
    behind += *behind == ';';
    if (behind[strspn(behind, " \t\r\n")] == '\0')
        end[1] = '\0';
}

/* ---- Wrappers ---- */

/* include/cute/atom/mma_atom.hpp and copy_atom.hpp. A Copy_Atom also says the type of elements. */
static const struct {
    const char *name;
    bool is_copy, has_type;
} wrappers[] = {
    {"mma_atom", false, false},
    {"mma_traits", false, false},
    {"copy_atom", true, true},
    {"copy_traits", true, false},
};

/* Takes one wrapper off: returns what is inside, or NULL if there is none. */
static char *unwrap(struct cpp_name *cpp, char *text) {
    char *name = text + (strncmp(text, "::cute::", 8) == 0 ? 2 : 0);
    name += strncmp(name, "cute::", 6) == 0 ? 6 : 0;
    for (size_t w = 0; w < sizeof wrappers / sizeof *wrappers; w++) {
        size_t length = strlen(wrappers[w].name);
        if (strncmp(name, wrappers[w].name, length) != 0 || name[length] != '<' ||
            !cut_end(name, ">"))
            continue;
        char *inside = name + length + 1, *comma = strrchr(inside, ',');
        if (wrappers[w].has_type && comma && comma[1])
            *comma = '\0';
        cpp->is_copy |= wrappers[w].is_copy;
        cpp->is_multiplication |= !wrappers[w].is_copy;
        return inside;
    }
    return NULL;
}

/* ---- Reading ---- */

/* Cuts the arguments of a template apart; false if they are too many. */
static bool divide(struct cpp_name *cpp, char *arguments) {
    while (arguments && cpp->argument_count < ARGUMENTS_MAX)
        cpp->arguments[cpp->argument_count++] = strsep(&arguments, ",");
    return !arguments;
}

bool mapping_cpp_read(struct cpp_name *cpp, const char *text) {
    *cpp = (struct cpp_name){.text = ""};
    if (!normalize(text, cpp->text, sizeof cpp->text) || !is_balanced(cpp->text))
        return false;
    char *rest = cpp->text;
    mapping_cut_names(rest);
    if (!cut_end(rest, "{}"))
        cut_end(rest, "()");
    for (char *inside = unwrap(cpp, rest); inside; inside = unwrap(cpp, rest))
        rest = inside;
    char *arguments = strchr(rest, '<');
    if (arguments && !cut_end(rest, ">"))
        return false;
    if (arguments)
        *arguments++ = '\0';
    cpp->name = cut_scope(rest, &cpp->scope);
    return divide(cpp, arguments);
}

bool mapping_cpp_is_in(const struct cpp_name *cpp, const char *path) {
    return is_scope(cpp->scope, path);
}

/* ---- Values of enumerations ---- */

/* include/cute/arch/mma_sm90_gmma.hpp, in SM90::GMMA: the values, and what demanglers print. */
static const struct {
    char letter;
    const char *type, *values[2], *numbers[2];
} enumerations[] = {
    {'m', "major", {"k", "mn"}, {"0", "1"}},
    {'k', "major", {"k", "k"}, {"0", "0"}},
    {'i', "scalein", {"one", "neg"}, {"1", "-1"}},
    {'s', "sparsesel", {"zero", "one"}, {"0", "1"}},
};

/* True if the text, which is changed, is a value of the enumeration: "GMMA::Major::K" or
 * "(cute::SM90::GMMA::Major)0". */
static bool is_value(char *text, char letter) {
    const char *scope, *value;
    bool is_cast = *text == '(';
    size_t e = 0;
    while (enumerations[e].letter != letter)
        e++;
    if (is_cast) {
        char *end = strchr(++text, ')');
        if (!end)
            return false;
        *end = '\0';
        value = end + 1;
    } else {
        value = cut_scope(text, &scope);
        if (value == text)
            return false;
    }
    const char *const *right = is_cast ? enumerations[e].numbers : enumerations[e].values;
    return (strcmp(value, right[0]) == 0 || strcmp(value, right[1]) == 0) &&
           strcmp(cut_scope(text, &scope), enumerations[e].type) == 0 &&
           is_scope(scope, "sm90::gmma");
}

bool mapping_cpp_has_values(const struct cpp_name *cpp, const char *first, const char *more) {
    char copy[sizeof cpp->text], letters[16];
    if (cpp->argument_count == 0)
        return true;
    snprintf(letters, sizeof letters, "%s%s", first, more);
    const char *letter = letters;
    bool is_empty = cpp->argument_count == 1 && !*cpp->arguments[0];
    if (!*letter)
        return false;
    for (size_t a = 0; a < cpp->argument_count && !is_empty; a++) {
        snprintf(copy, sizeof copy, "%s", cpp->arguments[a]);
        if (!*letter || !is_value(copy, *letter++))
            return false;
    }
    return *letter != 'm' && *letter != 'k'; /* which have no default */
}
