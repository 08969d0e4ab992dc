/* archs.c - the architectures, and the names that people use for them. To add one, add a row. When
 * the rows of the families are right for its fragments, add its number to `stated`; until then, the
 * architecture has no fragments. */
#include "catalogue/family.h"
#include "layout/ascii.h"
#include "layout/sentence.h"

#include <string.h>

/* Numbers and products: NVIDIA's table of compute capabilities, the release notes of CUDA 13.0 for
 * sm_88, sm_103, sm_110 (sm_101 before CUDA 13) and sm_121; first PTX versions: PTX ISA, "Release
 * Notes". A family name that several architectures share means the first of them. Products are
 * found without blanks or hyphens, also with a suffix: "NVIDIA A100-SXM4-80GB", "RTX 4080 Super".
 */
static const struct mapping_arch archs[] = {
    {.number = 70, .ptx = 60, .names = "volta v100 v100s titan-v quadro-gv100"},
    {.number = 72, .ptx = 61, .names = "xavier xavier-nx"},
    {.number = 75,
     .ptx = 63,
     .names = "turing t4 rtx2060 rtx2070 rtx2080 titan-rtx quadro-rtx-4000 quadro-rtx-5000 "
              "quadro-rtx-6000 quadro-rtx-8000"},
    {.number = 80, .ptx = 70, .names = "ampere a100 a800 a30"},
    {.number = 86,
     .ptx = 71,
     .names =
         "a2 a10 a16 a40 a2000 a4000 a5000 a6000 rtx2050 rtx3050 rtx3060 rtx3070 rtx3080 rtx3090"},
    {.number = 87, .ptx = 74, .names = "orin orin-nx orin-nano"},
    {.number = 88, .ptx = 90, .names = ""},
    {.number = 89,
     .ptx = 78,
     .names = "ada l2 l4 l20 l40 l40s rtx4050 rtx4060 rtx4070 rtx4080 rtx4090 rtx-2000-ada "
              "rtx-4000-ada rtx-4500-ada rtx-5000-ada rtx-6000-ada"},
    {.number = 90, .ptx = 80, .names = "hopper h100 h200 h800 h20 gh200"},
    {.number = 100, .ptx = 86, .names = "blackwell b100 b200 gb200"},
    {.number = 103, .ptx = 88, .names = "blackwell-ultra b300 gb300"},
    {.number = 110, .ptx = 90, .names = "thor"},
    {.number = 120,
     .ptx = 87,
     .names = "rtx5050 rtx5060 rtx5070 rtx5080 rtx5090 rtx-pro-2000 rtx-pro-4000 "
              "rtx-pro-4500 rtx-pro-5000 rtx-pro-6000"},
    {.number = 121, .ptx = 88, .names = "gb10 dgx-spark spark"},
};

/* The first architectures with these suffixes, from the help of ptxas 13.5 for --gpu-name. Later
 * architectures may not have the features of sm_90a; all architectures of a family have the
 * features of sm_100f. */
enum { FIRST_WITH_A = 90, FIRST_WITH_F = 100 };

/* CUDA 13 renamed sm_101 to sm_110. */
enum { FORMER = 101, RENAMED = 110 };

_Static_assert(sizeof archs / sizeof *archs <= MAPPING_ARCHS_MAX, "more than fragment.h says");

/* The architectures for which the rows of the catalogue are known to be right. A new architecture
 * has no fragments until a person has compared the rows with it, and added it here. A larger number
 * does not mean a later architecture: sm_103 and sm_110 came after sm_120. */
static const uint8_t stated[] = {70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

bool mapping_arch_is_within(unsigned arch, unsigned since, unsigned until, unsigned except) {
    return since <= arch && (until == 0 || arch <= until) && arch != except && arch <= UINT8_MAX &&
           memchr(stated, (int)arch, sizeof stated) != NULL;
}

unsigned mapping_arch_former(unsigned arch) {
    return arch == RENAMED ? FORMER : 0;
}

const struct mapping_arch *mapping_arch_at(size_t index) {
    return index < sizeof archs / sizeof *archs ? &archs[index] : NULL;
}

uint32_t mapping_arch_bit(unsigned arch) {
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
        if (archs[a].number == arch)
            return UINT32_C(1) << a;
    return 0;
}

/* Characters that may separate the parts of a product's name, or precede it. */
static const char separators[] = " -_", decimals[] = "0123456789";
static const char *const makers[] = {"nvidia", "geforce", "tesla", "jetson", "agx"};

/* Skips a word and separators, ignoring case; false if the text does not begin with the word. */
static bool skip_word(const char **text, const char *word) {
    size_t length = strlen(word);
    bool is_there = ascii_begins_alike(*text, word, length);
    if (is_there)
        *text += length + strspn(*text + length, separators);
    return is_there;
}

/* Words for variants of a product; a number matches any number. */
static const char *const variants[] = {
    "super", "ti",  "d",          "g",   "laptop", "mobile",  "gpu",         "pcie",   "sxm",
    "nvl",   "hbm", "generation", "max", "q",      "edition", "workstation", "server", "blackwell"};

/* True if a product's name is only followed by variants of it: "Ti", "-SXM4-80GB". */
static bool is_variant(const char *rest, bool is_product) {
    rest += strspn(rest, separators);
    for (size_t v = 0; is_product && v < sizeof variants / sizeof *variants; v++) {
        const char *behind = rest;
        if (skip_word(&behind, variants[v]) &&
            is_variant(behind + (strchr(separators, behind[-1]) ? 0 : strspn(behind, decimals)),
                       true))
            return true;
    }
    const char *behind = rest + strspn(rest, decimals); /* the unit of a size, as in 80GB */
    if (is_product && behind > rest && strchr(separators, rest[-1]) && skip_word(&behind, "gb"))
        return is_variant(behind, true);
    return *rest == '\0';
}

/* True if `name` is the word of this length, except for separators and the like. */
static bool is_called(const char *name, const char *word, size_t length) {
    bool is_product = false;
    for (const char *end = word + length; word < end; word++) {
        if (strchr(separators, *word))
            continue;
        name += strspn(name, separators);
        if (ascii_lower(*name++) != *word)
            return false;
        is_product |= ascii_is_digit(*word);
    }
    return is_variant(name, is_product);
}

/* True if `name` is one of the words in `names`; "RTX A6000" is a6000, and "4090" rtx4090. */
static bool is_word_of(const char *name, const char *names) {
    static const char series[] = "rtx";
    enum { SERIES = sizeof series - 1 };
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++)
        skip_word(&name, makers[m]);
    const char *without = name;
    skip_word(&without, series);
    for (const char *word = names; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        bool is_of_series = length > SERIES && strncmp(word, series, SERIES) == 0;
        if (is_called(name, word, length) || is_called(without, word, length) ||
            (is_of_series && is_called(without, word + SERIES, length - SERIES)))
            return true;
        word += length;
    }
    return false;
}

/* The number in "sm_75", "75", "7.5", "sm_90a", "compute_100f" or "sm75"; 0 for other texts.
 * *letter becomes the letter at the end, or ' '. */
static unsigned arch_number(const char *name, char *letter) {
    static const char *const prefixes[] = {"sm_", "sm", "compute_", ""};
    size_t p = 0;
    while (!ascii_begins_alike(name, prefixes[p], strlen(prefixes[p])))
        p++;
    name += strlen(prefixes[p]);
    unsigned number = 0;
    int digits = 0;
    for (; ascii_is_digit(*name) && digits < 4; name++, digits++)
        number = number * 10 + (unsigned)(*name - '0');
    if (digits > 0 && *name == '.' && ascii_is_digit(name[1])) {
        number = number * 10 + (unsigned)(name[1] - '0');
        name += 2;
    }
    number = number == FORMER ? RENAMED : number;
    const char last = ascii_lower(*name);
    const bool has_variant = last == '\0' || (last == 'a' && number >= FIRST_WITH_A) ||
                             (last == 'f' && number >= FIRST_WITH_F);
    *letter = ' ';
    if (last)
        *letter = last;
    return digits > 0 && has_variant && (!last || !name[1]) ? number : 0;
}

/* The suffix letters, one of which must follow the number. */
static const char *suffix_letters(enum mapping_suffix suffix) {
    return suffix == MAPPING_SUFFIX_A ? "a" : suffix == MAPPING_SUFFIX_A_OR_F ? "af" : "";
}

const char *mapping_target_letters(enum mapping_suffix suffix, unsigned arch) {
    const char *letters = suffix_letters(suffix);
    return *letters && arch < FIRST_WITH_F ? "a" : letters;
}

char mapping_arch_suffix(const char *name) {
    char letter;
    if (arch_number(name, &letter) == 0)
        return '\0';
    return letter;
}

const struct mapping_arch *mapping_arch_find(const char *name) {
    char letter;
    unsigned number = arch_number(name, &letter);
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
        if ((number != 0 && archs[a].number == number) || is_word_of(name, archs[a].names))
            return &archs[a];
    return NULL;
}

void mapping_archs_text(uint32_t set, char text[ARCHS_TEXT]) {
    const size_t count = sizeof archs / sizeof *archs;
    *text = '\0';
    for (size_t a = 0; a < count; a++) {
        size_t last = a;
        if (!(set >> a & 1))
            continue;
        while (last + 1 < count && set >> (last + 1) & 1)
            last++;
        mapping_append(text, ARCHS_TEXT, "%ssm_%u", *text ? ", " : "", archs[a].number);
        if (last > a)
            mapping_append(text, ARCHS_TEXT, "%ssm_%u", last > a + 1 ? " to " : ", ",
                           archs[last].number);
        a = last;
    }
}
