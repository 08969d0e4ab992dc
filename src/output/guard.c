/* guard.c - include guards for code that several headers may contain; see guard.h. */
#include "output/guard.h"

#include <ctype.h>
#include <string.h>

uint32_t guard_add(uint32_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t n = 0; n < size; n++)
        hash = (hash ^ byte[n]) * 16777619U; /* FNV-1a */
    return hash;
}

void guard_name(struct printer *to, const char *name) {
    for (; *name; name++)
        print_char(to, isalnum((unsigned char)*name) ? *name : '_');
}

char *guard_words(const char *text) {
    struct printer to = {.text = NULL};
    for (; *text; text++)
        if (isalnum((unsigned char)*text))
            print_char(&to, *text);
        else if (to.size > 0 && to.text[to.size - 1] != '_')
            print_char(&to, '_');
    to.size -= to.size > 0 && to.text[to.size - 1] == '_';
    return printer_string(&to);
}

void guard_tiling(struct printer *to, const char *tiling) {
    static const char permutation[] = "permutation";
    print_text(to, "_tile");
    while (*tiling) {
        size_t digits = strspn(tiling, "0123456789");
        if (strncmp(tiling, permutation, sizeof permutation - 1) == 0)
            print_text(to, "_by");
        else if (*tiling == '_')
            print_text(to, "_x");
        else if (digits > 0)
            print(to, "_%.*s", (int)digits, tiling);
        size_t letters = strspn(tiling, "abcdefghijklmnopqrstuvwxyz");
        tiling += digits > 0 ? digits : letters > 0 ? letters : 1;
    }
}

void guard_comment(struct printer *to, const char *text) {
    for (; *text; text++) {
        print_text(to, *text == '\n' ? "\n * " : (const char[]){*text, '\0'});
        if (text[0] == '*' && text[1] == '/')
            print_char(to, ' ');
    }
}

void guard_macro(struct printer *to, const char *name) {
    for (; *name; name++) {
        unsigned char letter = (unsigned char)*name;
        print_char(to, isalnum(letter) ? (char)toupper(letter) : '_');
    }
}

void guard_open(struct printer *to, const char *start, const char *name, const char *end,
                uint32_t hash) {
    struct printer capitals = {.text = NULL};
    guard_macro(&capitals, start);
    guard_macro(&capitals, name);
    guard_macro(&capitals, end);
    const char *macro = printer_string(&capitals);
    print(to,
          "#if defined(%s) && %s != 0x%08x\n"
          "#error \"mapping: two headers define different layouts with the same name\"\n"
          "#elif !defined(%s)\n"
          "#define %s 0x%08x\n",
          macro, macro, hash, macro, macro, hash);
    printer_free(&capitals);
}
