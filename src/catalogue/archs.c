/* archs.c - which architectures there are, and the ways in which people name them. */
#include "mapping.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Numbers and products: NVIDIA's table of compute capabilities, the release notes of CUDA 13.0 for
 * sm_88, sm_103, sm_110 (sm_101 before CUDA 13) and sm_121. A family name that several
 * architectures share stands for the first of them. */
static const struct mapping_arch archs[] = {
    {.number = 70, .names = "volta v100 titan-v"},
    {.number = 72, .names = "xavier"},
    {.number = 75, .names = "turing t4 rtx2080 rtx-2080"},
    {.number = 80, .names = "ampere a100 a30"},
    {.number = 86, .names = "a10 a40 a6000 rtx3090 rtx-3090"},
    {.number = 87, .names = "orin"},
    {.number = 88, .names = ""},
    {.number = 89, .names = "ada l4 l40 l40s rtx4090 rtx-4090"},
    {.number = 90, .names = "hopper h100 h200 h20 gh200"},
    {.number = 100, .names = "blackwell b100 b200 gb200"},
    {.number = 103, .names = "blackwell-ultra b300 gb300"},
    {.number = 110, .names = "thor"},
    {.number = 120, .names = "rtx5090 rtx-5090 rtx-pro-6000"},
    {.number = 121, .names = "gb10 dgx-spark spark"},
};

/* The first architectures with these suffixes: what ptxas 13.5 lists in its help for --gpu-name.
 * sm_90a has what later ones may not have, sm_100f what those of its family have too. */
enum { FIRST_WITH_A = 90, FIRST_WITH_F = 100 };

_Static_assert(sizeof archs / sizeof *archs <= MAPPING_ARCHS_MAX, "more than mapping.h says");

const struct mapping_arch *mapping_arch_at(size_t index) {
    return index < sizeof archs / sizeof *archs ? &archs[index] : NULL;
}

/* True if `name` is one of the words of `names`. */
static bool is_word_of(const char *name, const char *names) {
    size_t length = strlen(name);
    for (const char *word = names; *word; word += strspn(word, " ")) {
        size_t word_length = strcspn(word, " ");
        if (word_length == length && strncasecmp(word, name, length) == 0)
            return true;
        word += word_length;
    }
    return false;
}

/* Moves `*name` behind what may stand in front of a number. */
static void skip_prefix(const char **name) {
    static const char *const prefixes[] = {"sm_", "sm", "compute_"};
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t length = strlen(prefixes[p]);
        if (strncasecmp(*name, prefixes[p], length) == 0) {
            *name += length;
            return;
        }
    }
}

/* True if the architecture has variants with that letter behind its number, or it is none. */
static bool has_suffix(unsigned number, const char *suffix) {
    switch (tolower((unsigned char)*suffix)) {
    case '\0':
        return true;
    case 'a':
        return suffix[1] == '\0' && number >= FIRST_WITH_A;
    case 'f':
        return suffix[1] == '\0' && number >= FIRST_WITH_F;
    default:
        return false;
    }
}

/* The number in "sm_75", "75", "7.5", "sm_90a", "compute_100f", "sm75"; 0 if it is none of them. */
static unsigned arch_number(const char *name) {
    skip_prefix(&name);
    unsigned number = 0;
    int digits = 0;
    for (; isdigit((unsigned char)*name) && digits < 4; name++, digits++)
        number = number * 10 + (unsigned)(*name - '0');
    if (digits > 0 && *name == '.' && isdigit((unsigned char)name[1])) {
        number = number * 10 + (unsigned)(name[1] - '0');
        name += 2;
    }
    return digits > 0 && has_suffix(number, name) ? number : 0;
}

const struct mapping_arch *mapping_arch_find(const char *name) {
    unsigned number = arch_number(name);
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
        if ((number != 0 && archs[a].number == number) || is_word_of(name, archs[a].names))
            return &archs[a];
    return NULL;
}
