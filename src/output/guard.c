/* guard.c - include guards for code that several headers may contain; see guard.h. */
#include "output/guard.h"

#include "layout/sentence.h"

#include <ctype.h>
#include <string.h>

uint32_t guard_add(uint32_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t n = 0; n < size; n++)
        hash = (hash ^ byte[n]) * 16777619U; /* FNV-1a */
    return hash;
}

void guard_add_tiling(const char *tiling, char *name, size_t size) {
    static const char permutation[] = "permutation";
    mapping_append(name, size, "_tile");
    while (*tiling) {
        size_t digits = strspn(tiling, "0123456789");
        if (strncmp(tiling, permutation, sizeof permutation - 1) == 0)
            mapping_append(name, size, "_by");
        else if (*tiling == '_')
            mapping_append(name, size, "_x");
        else if (digits > 0)
            mapping_append(name, size, "_%.*s", (int)digits, tiling);
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
