/* guard.c - what stands around code that may be in several headers; see guard.h. */
#include "output/guard.h"

#include <ctype.h>

uint32_t guard_add(uint32_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t n = 0; n < size; n++)
        hash = (hash ^ byte[n]) * 16777619U; /* FNV-1a */
    return hash;
}

void guard_comment(struct printer *to, const char *text) {
    for (; *text; text++) {
        print_text(to, *text == '\n' ? "\n * " : (const char[]){*text, '\0'});
        if (text[0] == '*' && text[1] == '/')
            print_char(to, ' ');
    }
}

static void print_macro(struct printer *to, const char *name) {
    for (; *name; name++) {
        unsigned char letter = (unsigned char)*name;
        print_char(to, isalnum(letter) ? (char)toupper(letter) : '_');
    }
}

void guard_open(struct printer *to, const char *name, uint32_t hash) {
    print_text(to, "#if defined(");
    print_macro(to, name);
    print_text(to, ") && ");
    print_macro(to, name);
    print(to,
          " != 0x%08x\n"
          "#error \"mapping: two headers have different layouts of one name\"\n"
          "#elif !defined(",
          (unsigned)hash);
    print_macro(to, name);
    print_text(to, ")\n#define ");
    print_macro(to, name);
    print(to, " 0x%08x\n", (unsigned)hash);
}
