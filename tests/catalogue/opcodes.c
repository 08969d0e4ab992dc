/* opcodes.c - prints PTX for opcodes.t, which passes it to ptxas.
 *
 *   opcodes table TARGET VERSION STRIDE
 *       One kernel for one in STRIDE opcodes of the catalogue that the target has (90a for sm_90a);
 *       for wgmma, only widths 8, 24 and 256. VERSION is the newest PTX version of the assembler,
 *       80 for 8.0. Newer opcodes are left out, and counted at the end.
 *
 *   opcodes targets TARGET VERSION
 *       One line for each opcode that only some targets of an architecture have. Each tcgen05.ld
 *       and tcgen05.st also has a line for each other list of operands, which does not fit it. The
 *       line ends with the verdict of the catalogue, as below.
 *
 *   opcodes mutations TARGET VERSION STRIDE
 *       Opcodes in which one word was exchanged, left out, repeated, moved or inserted, and
 *       wmma.mma with every combination of types. Each occurs once. One in STRIDE is printed, and
 *       ten times as many of those that the catalogue accepts. If the catalogue rejects an opcode,
 *       it has one line for each list of operands that might fit. The line ends with the verdict of
 *       the catalogue: "+" accepted, "-" rejected, "?" not compared. */
#include "catalogue/fragment.h"
#include "decisions.h"
#include "operands.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 256, WORDS = 32 };

struct target {
    unsigned arch, version;
    char suffix; /* '\0' if there is none */
};

static bool has_suffix(const struct target *target, enum mapping_suffix wanted) {
    return wanted == MAPPING_NO_SUFFIX ||
           (target->suffix && strchr(mapping_target_letters(wanted, target->arch), target->suffix));
}

static bool has_opcode(const struct target *target, const struct mapping_opcode *opcode) {
    return mapping_opcode_on(opcode, target->arch) && has_suffix(target, opcode->suffix) &&
           opcode->ptx <= target->version;
}

/* Finds the fragments of an opcode, of tcgen05.mma none; false if the catalogue does not have it on
 * that target. */
static bool find_on(const struct target *target, const char *text,
                    struct mapping_fragment found[MAPPING_FOUND_MAX], size_t *count) {
    struct mapping_opcode opcode;
    *count = mapping_catalogue_find(text, found);
    for (size_t f = 0; f < *count; f++)
        if (!mapping_fragment_on(&found[f], target->arch) || found[f].ptx > target->version ||
            !has_suffix(target, found[f].suffix))
            return false;
    return *count > 0 || (mapping_opcode_find(text, &opcode) && has_opcode(target, &opcode));
}

static void print_header(const struct target *target) {
    char suffix[] = {target->suffix, '\0'};
    printf(".version %u.%u\n.target sm_%u%s\n.address_size 64\n", target->version / 10,
           target->version % 10, target->arch, suffix);
}

/* ---- The table ---- */

/* True if the opcode is to be tried: of wgmma some widths. */
static bool is_sample(const struct mapping_opcode *opcode) {
    unsigned n = opcode->shape.n;
    return (opcode->instruction != MAPPING_WGMMA && opcode->instruction != MAPPING_WGMMA_SP) ||
           n == 8 || n == 24 || n == 256;
}

/* Prints the opcode as a kernel; mma.sp with ordered metadata, if that exists. */
static void print_kernel(const struct mapping_opcode *opcode, size_t index, bool has_ordered) {
    static const char sparse[] = "mma.sp.";
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    char list[LIST_SIZE];
    size_t count = mapping_opcode_fragments(opcode, fragments);
    bool is_sparse = starts_with(opcode->text, sparse);
    write_operands(opcode->text, fragments, count, list);
    printf(".entry k%zu() {\n", index);
    /* ptxas 12.8 insists on registers of that type. */
    declare_registers(opcode->c == MAPPING_F32 ? "f32" : "b32",
                      opcode->d == MAPPING_F32 ? "f32" : "b32");
    printf("    %s%s %s;\n}\n",
           is_sparse && has_ordered ? "mma.sp::ordered_metadata."
           : is_sparse              ? sparse
                                    : "",
           opcode->text + (is_sparse ? sizeof sparse - 1 : 0), list);
}

static void print_table(const struct target *target, size_t stride) {
    struct mapping_opcode opcode;
    size_t number = 0, printed = 0, left_out = 0;
    print_header(target);
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        if (!mapping_opcode_on(&opcode, target->arch) || !has_suffix(target, opcode.suffix) ||
            !is_sample(&opcode) || !is_in_sample(number++, stride))
            continue;
        if (opcode.ptx > target->version) {
            left_out++;
            continue;
        }
        print_kernel(&opcode, index, target->version >= 85);
        printed++;
    }
    printf("// %zu opcodes, %zu are newer\n", printed, left_out);
}

/* ---- A set of texts ---- */

enum { TEXTS_MAX = 1 << 22 };

/* Texts by a hash of 64 bits, which two of them share once in 10^7 runs. */
static uint64_t seen[TEXTS_MAX];
static size_t seen_count;

static uint64_t hash(const char *text) {
    uint64_t value = UINT64_C(14695981039346656037);
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(1099511628211);
    value ^= value >> 29;
    return value | 1; /* 0 is an empty place */
}

/* Puts a text into the set; false if it was there. */
static bool see(const char *text) {
    uint64_t value = hash(text);
    size_t place = value >> 3 & (TEXTS_MAX - 1);
    for (; seen[place]; place = (place + 1) & (TEXTS_MAX - 1))
        if (seen[place] == value)
            return false;
    seen[place] = value;
    if (++seen_count > TEXTS_MAX / 2) {
        fprintf(stderr, "opcodes: too many texts\n");
        exit(1);
    }
    return true;
}

/* ---- Lists of operands that an opcode might have ---- */

/* Opcodes that share their lists: by their beginning, and by being sparse. */
struct group {
    const char *mnemonic;
    bool is_sparse;
    size_t list_count;
    char *lists[64];
};

static struct group groups[] = {
    {.mnemonic = "wmma.load.a."},
    {.mnemonic = "wmma.load.b."},
    {.mnemonic = "wmma.load.c."},
    {.mnemonic = "wmma.store.d."},
    {.mnemonic = "wmma.mma."},
    {.mnemonic = "mma.", .is_sparse = true},
    {.mnemonic = "mma."},
    {.mnemonic = "ldmatrix."},
    {.mnemonic = "stmatrix."},
    {.mnemonic = "movmatrix."},
    {.mnemonic = "wgmma.", .is_sparse = true},
    {.mnemonic = "wgmma."},
    {.mnemonic = "tcgen05.ld."},
    {.mnemonic = "tcgen05.st."},
    {.mnemonic = "tcgen05.mma."},
    {.mnemonic = "", .list_count = 1, .lists = {"{d0},{a0},{b0},{c0}"}},
};

static bool is_sparse(const char *text) {
    const char *place = strstr(text, ".sp");
    return place && (place[3] == '.' || place[3] == ':' || place[3] == '\0');
}

/* The last group has texts that are not opcodes. */
static struct group *group_of(const char *text) {
    struct group *group = groups;
    while (!starts_with(text, group->mnemonic) || (group->is_sparse && !is_sparse(text)))
        group++;
    return group;
}

static void add_list(const char *text, const char *list) {
    struct group *group = group_of(text);
    for (size_t l = 0; l < group->list_count; l++)
        if (strcmp(group->lists[l], list) == 0)
            return;
    if (group->list_count == sizeof group->lists / sizeof *group->lists) {
        fprintf(stderr, "opcodes: too many lists of operands\n");
        exit(1);
    }
    group->lists[group->list_count++] = strdup(list);
}

/* ---- Verdicts ---- */

/* Splits a text into words; the entries after them are empty. */
static size_t split(const char *text, char copy[TEXT_SIZE], char *words[WORDS]) {
    size_t count = 0;
    snprintf(copy, TEXT_SIZE, "%s", text);
    for (size_t w = 0; w < WORDS; w++)
        words[w] = copy + strlen(copy);
    for (char *next = copy; next && count < WORDS; count++) {
        words[count] = next;
        next = strchr(next, '.');
        if (next)
            *next++ = '\0';
    }
    return count;
}

/* Joins words into a text, which may be empty. */
static void join(const char *const words[], size_t count, char text[TEXT_SIZE]) {
    char *end = text;
    *end = '\0';
    for (size_t w = 0; w < count; w++) {
        size_t length = strlen(words[w]);
        if ((size_t)(end - text) + length + 2 > TEXT_SIZE)
            return;
        if (w > 0)
            *end++ = '.';
        memcpy(end, words[w], length + 1);
        end += length;
    }
}

static bool has_word(char *const words[], size_t count, const char *word) {
    for (size_t w = 0; w < count; w++)
        if (strcmp(words[w], word) == 0)
            return true;
    return false;
}

static bool is_found(const char *text) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_opcode opcode;
    return mapping_catalogue_find(text, found) > 0 || mapping_opcode_find(text, &opcode);
}

/* True if the catalogue finds the opcode when word `w` is left out, or is another. */
static bool is_found_with(char *const words[], size_t count, size_t w, const char *other) {
    char text[TEXT_SIZE];
    const char *changed[WORDS];
    size_t changed_count = 0;
    for (size_t c = 0; c < count; c++)
        if (c != w || other)
            changed[changed_count++] = c == w ? other : words[c];
    join(changed, changed_count, text);
    return is_found(text);
}

/* True if the opcode would be one without one of the words that ptxas overlooks. */
static bool has_overlooked(const char *text, char *const words[], size_t count) {
    for (size_t o = 0; o < sizeof overlooked / sizeof *overlooked; o++) {
        for (size_t w = 1; w < count && starts_with(text, overlooked[o].mnemonic); w++) {
            char mark[TEXT_SIZE];
            snprintf(mark, sizeof mark, " %s ", words[w]);
            if (strstr(overlooked[o].words, mark) && is_found_with(words, count, w, NULL))
                return true;
        }
    }
    return false;
}

static bool is_unknown(const char *text, char *const words[], size_t count) {
    for (size_t u = 0; u < sizeof unknown / sizeof *unknown; u++)
        if (starts_with(text, unknown[u].mnemonic) && has_word(words, count, unknown[u].words[0]) &&
            has_word(words, count, unknown[u].words[1]))
            return true;
    return false;
}

/* True for what crashes ptxas 13.5: m8n8k32 and m8n8k128 of the types of half precision. */
static bool is_crash(const char *text, char *const words[], size_t count) {
    for (size_t w = 0; starts_with(text, "wmma.mma.") && w < count; w++)
        if ((strcmp(words[w], "m8n8k32") == 0 || strcmp(words[w], "m8n8k128") == 0) &&
            (is_found_with(words, count, w, NULL) || is_found_with(words, count, w, "m16n16k16")))
            return true;
    return false;
}

/* ---- Mutations ---- */

struct run {
    struct target target;
    uint64_t stride, taken_stride;
    size_t taken, refused, uncompared;
};

/* Prints an opcode that the catalogue refuses, with all lists of operands that it might have: of
 * tcgen05.mma one, by its words; with others, sparse ones crash ptxas 13.5. */
static void print_refused(struct run *run, const char *text) {
    char copy[TEXT_SIZE], *words[WORDS];
    size_t count = split(text, copy, words);
    if (is_crash(text, words, count))
        return;
    bool is_compared = !has_overlooked(text, words, count) && !is_unknown(text, words, count);
    const struct group *group = group_of(text);
    char list[LIST_SIZE];
    if (starts_with(text, "tcgen05.mma.")) {
        write_operands(text, NULL, 0, list);
        printf("%s %s; // %c\n", text, list, is_compared ? '-' : '?');
    }
    for (size_t l = 0; l < group->list_count; l++)
        printf("%s %s; // %c\n", text, group->lists[l], is_compared ? '-' : '?');
    run->refused += is_compared;
    run->uncompared += !is_compared;
}

/* Prints a text once with the verdict of the catalogue, if it is in the sample. */
static void try(struct run *run, const char *text) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    char list[LIST_SIZE];
    uint64_t sample = hash(text) / 2;
    if (sample % run->taken_stride != 0 || !see(text))
        return;
    size_t count;
    if (find_on(&run->target, text, found, &count)) {
        write_operands(text, found, count, list);
        printf("%s %s; // +\n", text, list);
        run->taken++;
    } else if (sample % run->stride == 0) {
        print_refused(run, text);
    }
}

/* Tries the words, of which the first `count` are an opcode's. */
static void try_words(struct run *run, const char *const words[], size_t count) {
    char text[TEXT_SIZE];
    join(words, count, text);
    try(run, text);
}

/* Tries the opcode with a word inserted before word `w`, and with that word instead of `w`, if
 * there is one. */
static void try_word(struct run *run, char *const words[], size_t count, size_t w,
                     const char *word) {
    const char *changed[WORDS + 1] = {NULL};
    for (size_t c = 0; c < count + 1; c++)
        changed[c] = c < w ? words[c] : c == w ? word : words[c - 1];
    try_words(run, changed, count + 1);
    for (size_t c = 0; c < count; c++)
        changed[c] = c == w ? word : words[c];
    if (w < count)
        try_words(run, changed, count);
}

/* Tries the opcode without word `w`, and with `w` exchanged with each word after it. */
static void try_places(struct run *run, char *const words[], size_t count, size_t w) {
    const char *changed[WORDS];
    const size_t fewer = count - 1;
    for (size_t c = 0; c < fewer; c++)
        changed[c] = words[c < w ? c : c + 1];
    try_words(run, changed, fewer);
    for (size_t other = w + 1; other < count; other++) {
        for (size_t c = 0; c < count; c++)
            changed[c] = words[c == w ? other : c == other ? w : c];
        try_words(run, changed, count);
    }
}

/* Tries the opcode with every single change of a word. */
static void mutate(struct run *run, const char *seed) {
    char copy[TEXT_SIZE], *words[WORDS];
    size_t count = split(seed, copy, words);
    try(run, seed);
    for (size_t w = 1; w <= count; w++) {
        for (size_t v = 0; v < VOCABULARY; v++)
            try_word(run, words, count, w, vocabulary[v]);
        for (size_t v = 0; v < TENSOR_MEMORY && starts_with(seed, "tcgen05."); v++)
            try_word(run, words, count, w, of_tensor_memory[v]);
        try_word(run, words, count, w, words[w - 1]); /* twice */
    }
    for (size_t w = 0; w < count; w++)
        try_places(run, words, count, w);
}

/* ---- Mutations ---- */

enum { SEEDS_MAX = 2048 };

/* Opcodes that the catalogue takes. */
static char *seeds[SEEDS_MAX];
static size_t seed_count;

/* Adds an opcode, and keeps its operands for others, if the target has it. */
static void add_seed(const struct target *target, const char *text) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    char list[LIST_SIZE];
    size_t count;
    if (!find_on(target, text, found, &count))
        return;
    write_operands(text, found, count, list);
    if (count > 0)
        add_list(text, list);
    if (seed_count == SEEDS_MAX) {
        fprintf(stderr, "opcodes: too many opcodes\n");
        exit(1);
    }
    seeds[seed_count++] = strdup(text);
}

/* Loads and stores of all fragments of wmma. */
static void add_loads(const struct target *target) {
    struct mapping_fragment fragment;
    for (size_t index = 0;
         mapping_catalogue_at(index, &fragment) && fragment.instruction == MAPPING_WMMA; index++) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text, "wmma.%s.%s.sync.aligned.%s.m%un%uk%u.%s",
                 fragment.operand == MAPPING_D ? "store" : "load",
                 mapping_operand_name(fragment.operand),
                 fragment.order == MAPPING_COL_MAJOR ? "col" : "row", fragment.shape.m,
                 fragment.shape.n, fragment.shape.k, mapping_type_name(fragment.type));
        add_seed(target, text);
    }
}

static void add_table(const struct target *target) {
    struct mapping_opcode opcode;
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++)
        if (is_sample(&opcode))
            add_seed(target, opcode.text);
}

enum { OPERATIONS = 3, TYPES = 12, SHAPES = 7 };
enum { PRODUCTS = OPERATIONS * TYPES * TYPES * TYPES * TYPES * SHAPES };

/* Writes the wmma.mma at `index` of PRODUCTS: each shape with each combination of up to four types,
 * without and with the operations of single bits. */
static void write_product(size_t index, char text[TEXT_SIZE]) {
    static const char *const operations[] = {"", ".xor.popc", ".and.popc"};
    static const char *const shapes[SHAPES] = {"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8",
                                               "m8n8k4",    "m8n8k32",  "m8n8k128"};
    static const char *const types[TYPES] = {"",     ".f64", ".f32", ".tf32", ".bf16", ".f16",
                                             ".s32", ".s8",  ".u8",  ".s4",   ".u4",   ".b1"};
    const char *operation = operations[index % OPERATIONS], *type[4];
    index /= OPERATIONS;
    for (int t = 0; t < 4; t++, index /= TYPES)
        type[t] = types[index % TYPES];
    snprintf(text, TEXT_SIZE, "wmma.mma%s.sync.aligned.row.col.%s%s%s%s%s", operation,
             shapes[index], type[0], type[1], type[2], type[3]);
}

/* True for D and C alone, and for all four with one type of A and B, where D and C are of types
 * that accumulators have: no other wmma.mma is an opcode, and to search for all of them takes long.
 */
static bool may_be_seed(size_t index) {
    static const bool accumulates[TYPES] = {false, true, true, false, false, true, true};
    size_t type[4];
    index /= OPERATIONS;
    for (int t = 0; t < 4; t++, index /= TYPES)
        type[t] = index % TYPES;
    bool is_pair = type[2] == 0 && type[3] == 0, is_whole = type[2] != 0 && accumulates[type[3]];
    return accumulates[type[0]] &&
           ((is_pair && accumulates[type[1]]) || (is_whole && type[1] == type[2]));
}

/* ---- Targets ---- */

/* True if the verdict on an opcode that the target does not have can be compared: ptxas takes some
 * kinds of mma for architectures that the PTX ISA does not give them to. */
static bool is_of_targets(const struct target *target, const struct mapping_opcode *opcode) {
    return mapping_opcode_on(opcode, target->arch) || starts_with(opcode->text, "tcgen05.") ||
           starts_with(opcode->text, "wgmma.");
}

/* Prints an opcode with the operands of all others that begin like it. */
static void print_other_lists(struct run *run, const char *text, const char *list) {
    const struct group *group = group_of(text);
    for (size_t l = 0; l < group->list_count; l++)
        if (strcmp(group->lists[l], list) != 0) {
            printf("%s %s; // -\n", text, group->lists[l]);
            run->refused++;
        }
}

static void print_target(struct run *run, const struct mapping_opcode *opcode) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    char list[LIST_SIZE];
    size_t count = mapping_opcode_fragments(opcode, found);
    bool is_taken = has_opcode(&run->target, opcode);
    write_operands(opcode->text, found, count, list);
    printf("%s %s; // %c\n", opcode->text, list, is_taken ? '+' : '-');
    run->taken += is_taken;
    run->refused += !is_taken;
    if (is_taken && count == 1)
        print_other_lists(run, opcode->text, list);
}

static void print_end(const struct run *run) {
    printf("none; // the last line has an error\n}\n");
    printf("// %zu taken, %zu refused, %zu not compared\n", run->taken, run->refused,
           run->uncompared);
}

static void print_targets(struct run *run) {
    struct mapping_opcode opcode;
    print_header(&run->target);
    printf(".entry k() {\n");
    declare_registers("b32", "b32");
    add_table(&run->target);
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++)
        if (opcode.suffix && opcode.ptx <= run->target.version && is_sample(&opcode) &&
            is_of_targets(&run->target, &opcode))
            print_target(run, &opcode);
    print_end(run);
}

/* ---- All of them ---- */

/* On architectures with Tensor Memory, only its instructions are mutated: sm_90 and sm_120 have the
 * others, too. */
static bool has_tensor_memory(const struct target *target) {
    return target->arch >= 100 && target->arch < 120;
}

static void print_mutations(struct run *run) {
    char text[TEXT_SIZE];
    print_header(&run->target);
    printf(".entry k() {\n");
    declare_registers("b32", "b32");
    bool has_others = !has_tensor_memory(&run->target);
    if (has_others)
        add_loads(&run->target);
    for (size_t index = 0; has_others && index < PRODUCTS; index++)
        if (may_be_seed(index)) {
            write_product(index, text);
            add_seed(&run->target, text);
        }
    add_table(&run->target);
    for (size_t s = 0; s < seed_count; s++)
        if (has_others || starts_with(seeds[s], "tcgen05."))
            mutate(run, seeds[s]);
    for (size_t index = 0; has_others && index < PRODUCTS; index++) {
        write_product(index, text);
        try(run, text);
    }
    print_end(run);
}

int main(int argc, char **argv) {
    struct run run = {.stride = 1};
    char *suffix;
    if (argc < 4)
        return 2;
    run.target.arch = (unsigned)strtoul(argv[2], &suffix, 10);
    run.target.suffix = *suffix;
    run.target.version = (unsigned)strtoul(argv[3], NULL, 10);
    if (strcmp(argv[1], "table") == 0 && argc == 5) {
        print_table(&run.target, strtoul(argv[4], NULL, 10));
    } else if (strcmp(argv[1], "targets") == 0 && argc == 4) {
        print_targets(&run);
    } else if (strcmp(argv[1], "mutations") == 0 && argc == 5) {
        run.stride = strtoul(argv[4], NULL, 10);
        run.taken_stride = run.stride > 10 ? run.stride / 10 : 1;
        print_mutations(&run);
    } else {
        return 2;
    }
    return 0;
}
