/* replay_test.c - the fuzzing targets without libFuzzer: each reads its seeds, and a few changed
 * copies of them, which are the same in every run. An input that breaks a rule is printed. With
 * THOROUGH=1, there are more changes. */
#include "random.h"
#include "robust/fuzz/fuzz.h"
#include "root.h"
#include "sample.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int target(const uint8_t *data, size_t size);
target fuzz_addresses, fuzz_annotate, fuzz_arguments, fuzz_expression, fuzz_listing, fuzz_map,
    fuzz_name, fuzz_notation, fuzz_npy, fuzz_records, fuzz_spaces, fuzz_triton;

static const struct {
    const char *name;
    target *run;
    uint32_t cost; /* beside that of the others; it gets fewer inputs */
} targets[] = {{"addresses", fuzz_addresses, 1},
               {"annotate", fuzz_annotate, 10},
               {"arguments", fuzz_arguments, 1},
               {"expression", fuzz_expression, 1},
               {"listing", fuzz_listing, 1},
               {"map", fuzz_map, 1},
               {"name", fuzz_name, 1},
               {"notation", fuzz_notation, 1},
               {"npy", fuzz_npy, 1},
               {"records", fuzz_records, 1},
               {"spaces", fuzz_spaces, 1},
               {"triton", fuzz_triton, 1}};
enum { TARGETS = sizeof targets / sizeof *targets, INPUT_MAX = 4096, TEXTS_MAX = 256 };

struct input {
    size_t size;
    uint8_t bytes[INPUT_MAX];
};

/* Seeds of a target, or its words. */
struct inputs {
    size_t count;
    struct input *input[TEXTS_MAX];
};

static struct input *current; /* the input of the child, in memory shared with the parent */

/* ---- Seeds and words ---- */

static struct input *add(struct inputs *inputs) {
    if (inputs->count == TEXTS_MAX)
        abort();
    struct input **place = &inputs->input[inputs->count++];
    *place = calloc(1, sizeof **place);
    if (!*place)
        abort();
    return *place;
}

static FILE *open_file(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        abort();
    return file;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_seed(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void read_seeds(const char *name, struct inputs *seeds) {
    char path[512];
    struct dirent **entries;
    snprintf(path, sizeof path, "tests/robust/fuzz/seeds/%.64s", name);
    int count = scandir(path, &entries, is_seed, by_name);
    for (int n = 0; n < count; n++) {
        snprintf(path, sizeof path, "tests/robust/fuzz/seeds/%.64s/%.300s", name,
                 entries[n]->d_name);
        FILE *file = open_file(path);
        struct input *seed = add(seeds);
        seed->size = fread(seed->bytes, 1, INPUT_MAX, file);
        fclose(file);
        free(entries[n]);
    }
    if (count >= 0)
        free(entries);
}

/* Reads lines such as "\x01mma", as libFuzzer has them. */
static void read_words(const char *name, struct inputs *words) {
    char line[256];
    snprintf(line, sizeof line, "tests/robust/fuzz/words/%.64s.txt", name);
    FILE *file = open_file(line);
    while (fgets(line, sizeof line, file)) {
        const char *text = strchr(line, '"'), *end = strrchr(line, '"');
        if (*line == '#' || !text || text == end)
            continue;
        struct input *word = add(words);
        for (text++; text < end; text++) {
            unsigned byte = (unsigned char)*text;
            if (text[0] == '\\' && text[1] == 'x' && sscanf(text + 2, "%2x", &byte) == 1)
                text += 3;
            else if (text[0] == '\\')
                byte = (unsigned char)*++text;
            word->bytes[word->size++] = (uint8_t)byte;
        }
    }
    fclose(file);
}

static void free_inputs(struct inputs *inputs) {
    for (size_t n = 0; n < inputs->count; n++)
        free(inputs->input[n]);
}

/* ---- Changes ---- */

/* Puts bytes in the place of `length` others, as far as there is room. */
static void replace(struct input *input, size_t at, size_t length, const uint8_t *bytes,
                    size_t size) {
    uint8_t copy[INPUT_MAX];
    size = size < INPUT_MAX - (input->size - length) ? size : INPUT_MAX - (input->size - length);
    memcpy(copy, bytes, size);
    memmove(input->bytes + at + size, input->bytes + at + length, input->size - at - length);
    memcpy(input->bytes + at, copy, size);
    input->size = input->size - length + size;
}

/* A part of an input, at most so long. */
static size_t choose_part(const struct input *input, size_t most, size_t *at) {
    *at = random_below((uint32_t)input->size + 1);
    size_t length = random_below((uint32_t)most + 1);
    return length < input->size - *at ? length : input->size - *at;
}

static void change(struct input *input, const struct inputs *seeds, const struct inputs *words) {
    static const char letters[] = "0123456789()<>[]{},.:;=+-*/%&|^~!?_\"'#@ \t\n\\xXuUlLmMaAbBnNkK";
    size_t at, from, length = choose_part(input, 8, &at);
    const struct input *seed = seeds->input[random_below((uint32_t)seeds->count)];
    const struct input *word = words->input[random_below((uint32_t)words->count)];
    uint8_t letter = (uint8_t)letters[random_below(sizeof letters)];
    switch (random_below(8)) {
    case 0: /* less */
        replace(input, at, length, input->bytes, 0);
        break;
    case 1: /* the same again */
        replace(input, at, 0, input->bytes + at, length);
        break;
    case 2: /* any byte */
        letter = (uint8_t)random_below(256);
        replace(input, at, length > 0, &letter, 1);
        break;
    case 3: /* the end of another */
        length = choose_part(seed, INPUT_MAX, &from);
        replace(input, at, input->size - at, seed->bytes + from, length);
        break;
    case 4: /* a part of another */
        from = 0;
        length = choose_part(seed, 64, &from);
        replace(input, at, 0, seed->bytes + from, length);
        break;
    case 5:
        replace(input, at, length > 0, &letter, 1);
        break;
    default:
        replace(input, at, random_below(2) ? length : 0, word->bytes, word->size);
    }
}

/* ---- Running ---- */

/* Reads every seed, and each changed so often, once, twice and more. */
static void run_all(target *run, const struct inputs *seeds, const struct inputs *words,
                    uint32_t rounds) {
    for (size_t s = 0; s < seeds->count; s++)
        for (uint32_t round = 0; round <= rounds; round++) {
            if (round % 4 <= 1)
                *current = *seeds->input[s];
            for (uint32_t changes = round ? 1 + random_below(3) : 0; changes > 0; changes--)
                change(current, seeds, words);
            run(current->bytes, current->size);
        }
}

static void print_input(void) {
    printf("# read was: \"");
    for (size_t n = 0; n < current->size; n++)
        printf(isprint(current->bytes[n]) && !strchr("\"\\", current->bytes[n]) ? "%c" : "\\x%02x",
               current->bytes[n]);
    puts("\"");
}

/* In a process of its own, which may end. */
static bool holds(size_t number) {
    struct inputs seeds = {.count = 0}, words = {.count = 0};
    read_seeds(targets[number].name, &seeds);
    read_words(targets[number].name, &words);
    const uint32_t rounds = 2000 / targets[number].cost / (uint32_t)one_in(32, 400);
    int status = 1;
    fflush(stdout);
    bool is_there = seeds.count > 0 && words.count > 0;
    pid_t child = is_there ? fork() : -1;
    if (child == 0) {
        run_all(targets[number].run, &seeds, &words, rounds);
        _exit(0);
    }
    bool is_right = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    printf("%s %zu - %s reads %zu seeds, and %zu others\n", is_right ? "ok" : "not ok", number + 1,
           targets[number].name, seeds.count, seeds.count * rounds);
    if (!is_right)
        print_input();
    free_inputs(&seeds);
    free_inputs(&words);
    return is_right;
}

int main(void) {
    need_root();
    bool all_hold = true;
    current =
        mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (current == MAP_FAILED)
        return 1;
    printf("1..%d\n", TARGETS);
    for (size_t n = 0; n < TARGETS; n++)
        all_hold &= holds(n);
    return all_hold ? 0 : 1;
}
