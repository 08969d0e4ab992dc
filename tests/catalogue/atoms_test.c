/* atoms_test.c - names of CuTe's atoms, compared with those of CUTLASS's headers in atoms.txt. Each
 * of them is found, in every spelling. A name that differs from one of them in one word is found
 * only if the list has it, too. atoms.py describes the format of the list. */
#include "catalogue/catalogue.h"
#include "root.h"
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NAME_SIZE = 192, LINE_SIZE = 512, LISTED_MAX = 16384 };

/* A line of the list, for one N. */
struct atom {
    char name[NAME_SIZE];       /* with scopes, and the types that a template has */
    char parameters[NAME_SIZE]; /* "Major=K,Major,ScaleIn?", or "" */
    char opcode[NAME_SIZE];     /* "-" for an atom outside the catalogue */
    char what[NAME_SIZE];       /* it is then */
    bool is_shared;
    bool is_sample; /* of wgmma, the first N */
};

/* Under valgrind, one atom in N is tried. */
enum { UNDER_VALGRIND = 29 };

static bool is_tried(size_t number) {
    return is_in_sample(number, one_in(3, UNDER_VALGRIND));
}

static struct atom atoms[LISTED_MAX];
static size_t atom_count;

/* Names that are found, with all their scopes, with some of the inner ones and without any, sorted.
 */
static const char *found_names[4 * LISTED_MAX];
static size_t found_count;

/* ---- The list ---- */

/* Writes a pattern with the number in place of {N}. */
static void fill(char *text, const char *pattern, const char *n) {
    const char *hole = strstr(pattern, "{N}");
    if (hole)
        snprintf(text, NAME_SIZE, "%.*s%s%s", (int)(hole - pattern), pattern, n, hole + 3);
    else
        snprintf(text, NAME_SIZE, "%s", pattern);
}

/* Adds the atom of a line for one N. */
static void add(const char *name, const char *opcode, const char *what, bool is_shared,
                const char *n) {
    assert_true(atom_count < LISTED_MAX);
    struct atom *atom = &atoms[atom_count++];
    fill(atom->name, name, n);
    fill(atom->opcode, opcode, n);
    snprintf(atom->what, sizeof atom->what, "%s", what);
    atom->is_shared = is_shared;
    atom->is_sample = !*n || strcmp(n, "8") == 0;
    char *parameters = strchr(atom->name, '<');
    if (parameters && strpbrk(parameters, "?=")) {
        snprintf(atom->parameters, sizeof atom->parameters, "%s", parameters + 1);
        *strchr(atom->parameters, '>') = '\0';
        *parameters = '\0';
    }
}

static void read_line(char *line) {
    char *rest = line, *name = strsep(&rest, " \n"), *opcode = strsep(&rest, " \n");
    char *what = rest, *widths = strstr(rest, "N=");
    bool is_shared = strncmp(rest, "shared", 6) == 0;
    what[strcspn(what, "\n")] = '\0';
    if (!widths) {
        add(name, opcode, what, is_shared, "");
        return;
    }
    widths += 2;
    for (char *n = strsep(&widths, ","); n; n = strsep(&widths, ","))
        add(name, opcode, "", is_shared, n);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The name after its first scope, or NULL if it has none; the scopes of arguments stay. */
static const char *inner(const char *name) {
    const char *next = strstr(name, "::");
    return next && next < name + strcspn(name, "<") ? next + 2 : NULL;
}

static const char *bare(const char *name) {
    for (const char *next = inner(name); next; next = inner(name))
        name = next;
    return name;
}

static int read_list(void **state) {
    static char line[LINE_SIZE];
    FILE *file = fopen("tests/catalogue/atoms.txt", "r");
    (void)state;
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file))
        if (*line != '#')
            read_line(line);
    fclose(file);
    /* CUTLASS 4.7, include/cute/arch/mma_sm75.hpp */
    add("SM75_16x8x8_F16F16F16F16_TN", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "",
        false, "");
    for (size_t a = 0; a < atom_count; a++) {
        const char *name = strcmp(atoms[a].opcode, "-") == 0 ? NULL : atoms[a].name;
        for (; name; name = inner(name))
            found_names[found_count++] = name;
    }
    qsort(found_names, found_count, sizeof *found_names, by_text);
    return 0;
}

static bool is_listed(const char *name) {
    return bsearch(&name, found_names, found_count, sizeof *found_names, by_text) != NULL;
}

/* ---- Atoms that are found ---- */

/* Finds the fragments of the atom's opcode: those in registers. */
static size_t find_opcode(const struct atom *atom, struct mapping_fragment found[]) {
    size_t count = mapping_catalogue_find(atom->opcode, found);
    assert_true(count > 0);
    if (atom->is_shared) {
        assert_int_equal(found[0].operand, MAPPING_A);
        memmove(found, found + 1, --count * sizeof *found);
    }
    return count;
}

/* Checks that the name gives the fragments of the atom's opcode. */
static void expect_same(const struct atom *atom, const char *name) {
    struct mapping_fragment found[MAPPING_FOUND_MAX], expected[MAPPING_FOUND_MAX];
    size_t count = find_opcode(atom, expected);
    if (mapping_catalogue_find(name, found) != count)
        fail_msg("%s has %zu fragments, not %zu", name, mapping_catalogue_find(name, found), count);
    for (size_t f = 0; f < count; f++)
        if (!mapping_fragment_equal(&found[f], &expected[f]) || found[f].since != expected[f].since)
            fail_msg("fragment %zu of %s is another one", f, name);
    assert_true(mapping_atom_is_meant(name));
    assert_null(mapping_atom_outside(name));
}

static void expect_none(const char *name) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    if (mapping_catalogue_find(name, found) > 0)
        fail_msg("%s is found", name);
}

static bool is_copy(const struct atom *atom) {
    return strstr(atom->opcode, "matrix") || strstr(atom->opcode, "tcgen05");
}

/* As it stands, from cute on, without scopes, and in what CuTe wraps around it. */
static void every_atom_is_its_opcode(void **state) {
    char text[2 * NAME_SIZE];
    (void)state;
    for (const struct atom *atom = atoms; atom < atoms + atom_count; atom++) {
        if (strcmp(atom->opcode, "-") == 0 || !is_tried((size_t)(atom - atoms)))
            continue;
        expect_same(atom, atom->name);
        expect_same(atom, bare(atom->name));
        snprintf(text, sizeof text, "::cute::%.180s{}", atom->name);
        expect_same(atom, text);
        snprintf(text, sizeof text,
                 is_copy(atom) ? "Copy_Atom<%.180s, half_t>" : "MMA_Atom<%.180s>", atom->name);
        expect_same(atom, text);
        snprintf(text, sizeof text,
                 is_copy(atom) ? "MMA_Atom<%.180s>" : "Copy_Atom<%.180s, half_t>", atom->name);
        expect_none(text);
    }
}

/* ---- Values of templates ---- */

static const struct {
    const char *type, *value, *cast; /* as C++ and as demanglers write a value */
} values[] = {
    {"Major", "GMMA::Major::K", "(cute::SM90::GMMA::Major)0"},
    {"Major", "cute::SM90::GMMA::Major::MN", "(cute::SM90::GMMA::Major)1"},
    {"ScaleIn", "SM90::GMMA::ScaleIn::One", "(cute::SM90::GMMA::ScaleIn)1"},
    {"ScaleIn", "ScaleIn::Neg", "(cute::SM90::GMMA::ScaleIn)-1"},
    {"SparseSel", "cute::GMMA::SparseSel::Zero", "(cute::SM90::GMMA::SparseSel)0"},
    {"SparseSel", "GMMA::SparseSel::One", "(cute::SM90::GMMA::SparseSel)1"},
};
enum { VALUES = sizeof values / sizeof *values, PARAMETERS_MAX = 8 };

/* Splits the parameters of an atom and returns their number; the entries after them are "". */
static size_t divide(const struct atom *atom, char copy[NAME_SIZE],
                     const char *parameters[PARAMETERS_MAX]) {
    size_t count = 0;
    for (size_t p = 0; p < PARAMETERS_MAX; p++)
        parameters[p] = "";
    snprintf(copy, NAME_SIZE, "%s", atom->parameters);
    for (char *rest = *copy ? copy : NULL; rest;)
        parameters[count++] = strsep(&rest, ",");
    return count;
}

/* True if a parameter may have a value: of "Major=K" but one. */
static bool may_have(const char *parameter, size_t value) {
    size_t length = strcspn(parameter, "?=");
    return length == strlen(values[value].type) &&
           strncmp(parameter, values[value].type, length) == 0 &&
           (parameter[length] != '=' || strstr(values[value].value, "Major::K"));
}

/* Which arguments are written: how many, and which of them has which value; the others have the
 * first one that they may have. */
struct attempt {
    size_t given, position, value;
    bool is_cast;
};

/* Writes the atom's name with arguments, and says if they are right. */
static bool write_arguments(const struct atom *atom, const struct attempt *attempt, char *text,
                            size_t size) {
    char copy[NAME_SIZE];
    const char *parameters[PARAMETERS_MAX];
    size_t count = divide(atom, copy, parameters);
    bool is_right = attempt->given >= count || strchr(parameters[attempt->given], '?');
    int length = snprintf(text, size, "%s<", atom->name);
    for (size_t p = 0; p < attempt->given; p++) {
        size_t v = 0;
        while (p < count && v + 1 < VALUES && !may_have(parameters[p], v))
            v++;
        v = p == attempt->position ? attempt->value : v;
        is_right = is_right && p < count && may_have(parameters[p], v);
        length += snprintf(text + length, size - (size_t)length, "%s%s", p > 0 ? ", " : "",
                           attempt->is_cast ? values[v].cast : values[v].value);
    }
    snprintf(text + length, size - (size_t)length, ">");
    return is_right;
}

static void try_values(const struct atom *atom, size_t given, size_t position) {
    for (size_t value = 0; value / 2 < VALUES; value++) {
        const struct attempt attempt = {given, position, value / 2, value % 2 != 0};
        char text[512];
        if (write_arguments(atom, &attempt, text, sizeof text))
            expect_same(atom, text);
        else
            expect_none(text);
    }
}

/* Every value in every place, right and wrong ones, and any number of them. */
static void templates_have_values(void **state) {
    (void)state;
    for (const struct atom *atom = atoms; atom < atoms + atom_count; atom++) {
        if (!atom->is_sample || strcmp(atom->opcode, "-") == 0 || strchr(atom->name, '<') ||
            !is_tried((size_t)(atom - atoms)))
            continue;
        for (size_t given = 1; given <= 6; given++)
            for (size_t position = 0; position < given; position++)
                try_values(atom, given, position);
    }
}

/* ---- Names that differ in one word ---- */

static const char *const starts[] = {"",
                                     "SM61_",
                                     "SM70_",
                                     "SM75_",
                                     "SM80_",
                                     "SM86_",
                                     "SM89_",
                                     "SM90_",
                                     "SM100_",
                                     "SM120_",
                                     "SM80_SPARSE_",
                                     "SM90_SPARSE_",
                                     "MMA_",
                                     "GMMA_",
                                     "SM90::MMA_",
                                     "SM90::GMMA_",
                                     "SM90::GMMA::MMA_",
                                     "GMMA::MMA_",
                                     "SM90::GMMA::SPARSE::GMMA_",
                                     "SM90::GMMA::SPARSE::MMA_",
                                     "SM120_SPARSE_",
                                     "SM120::SM120_",
                                     "SM120::SPARSE::SM120_SPARSE_",
                                     "SM120::BLOCKSCALED::SM120_",
                                     "SM120::BLOCKSCALED::SPARSE::SM120_SPARSE_",
                                     NULL};
static const char *const numbers[] = {"",   "0",  "1",  "2",  "4",  "8",   "16",  "24",  "32",
                                      "40", "64", "72", "80", "96", "128", "256", "264", NULL};
static const char *const types[] = {"",     "F16",  "F32", "F64", "BF16", "TF32", "S32",
                                    "S8",   "U8",   "S4",  "U4",  "U1",   "B1",   "E4M3",
                                    "E5M2", "E2M1", "H16", "C64", "B16",  NULL};
static const char *const arguments[] = {"",
                                        "float",
                                        "half_t",
                                        "double",
                                        "int",
                                        "float_e2m1_t",
                                        "float_e3m2_t",
                                        "float_e2m3_t",
                                        "float_e4m3_t",
                                        "float_e5m2_t",
                                        "float_ue8m0_t",
                                        "float_ue4m3_t",
                                        NULL};
static const char *const endings[] = {"",
                                      "_TN",
                                      "_NT",
                                      "_NN",
                                      "_TT",
                                      "_SS",
                                      "_RS",
                                      "_SS_TN",
                                      "_RS_TN",
                                      "_TN_SATURATE",
                                      "_SS_TN_SATURATE",
                                      "_RS_TN_SATURATE",
                                      "_SS_SATURATE",
                                      "_TN_ANDPOPC",
                                      "_TN_XORPOPC",
                                      "_TN_VS",
                                      "_LDSM_N",
                                      "_LDSM_T",
                                      "_STSM_N",
                                      "_STSM_T",
                                      "_MOVM_T",
                                      NULL};
static const char *const *const vocabularies[] = {starts, numbers, types, arguments, endings};

/* The longest word of a vocabulary with which the text begins; NULL if there is none. */
static const char *longest(const char *text, const char *const *words) {
    const char *best = NULL;
    for (; *words; words++)
        if (**words && strncmp(text, *words, strlen(*words)) == 0 &&
            (!best || strlen(*words) > strlen(best)))
            best = *words;
    return best;
}

/* Tries all other words of the vocabulary in place of one, and returns how many. */
static size_t try_others(const char *name, const char *at, const char *word,
                         const char *const *words) {
    size_t count = 0;
    for (; *words; words++, count++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        char text[2 * NAME_SIZE], opcode[MAPPING_OPCODE_SIZE];
        bool is_a_shared;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - name), name, *words, at + strlen(word));
        if ((mapping_catalogue_find(text, found) > 0) != is_listed(text))
            fail_msg("%s is %s", text, is_listed(text) ? "not found" : "found");
        if (mapping_atom_read(text, opcode, &is_a_shared) && !is_listed(text))
            fail_msg("%s is read as %s", text, opcode);
    }
    return count;
}

static void what_differs_in_a_word_is_found_if_it_is_listed(void **state) {
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < atom_count; n++) {
        const char *name = atoms[n].name, *at = name;
        while (atoms[n].is_sample && is_in_sample(n, one_in(7, UNDER_VALGRIND)) && *at) {
            const char *word = NULL;
            for (size_t v = 0; v < sizeof vocabularies / sizeof *vocabularies && !word; v++) {
                word = v == 0 && at > name ? NULL : longest(at, vocabularies[v]);
                if (word)
                    count += try_others(name, at, word, vocabularies[v]);
            }
            at += word ? strlen(word) : 1;
        }
    }
    assert_true(count > 20000 / one_in(12, (size_t)2 * UNDER_VALGRIND));
}

static void what_is_cut_off_is_none(void **state) {
    (void)state;
    for (size_t n = 0; n < atom_count; n++) {
        char text[2 * NAME_SIZE];
        size_t length = atoms[n].is_sample && is_tried(n) ? strlen(atoms[n].name) : 0;
        for (; length > 0; length--) {
            snprintf(text, sizeof text, "%.*s", (int)length, atoms[n].name);
            if (!is_listed(text))
                expect_none(text);
            snprintf(text, sizeof text, "MMA_Atom<%.*s", (int)length, atoms[n].name);
            expect_none(text);
        }
    }
}

/* ---- Atoms that are outside ---- */

/* The instruction that the list says has to be in the statement: "tcgen05.mma"; of what calls other
 * atoms, mma; of ldmatrix.sync and dp4a.s32 the first word. */
static void what_is_outside_is_said(void **state) {
    size_t count = 0;
    (void)state;
    for (const struct atom *atom = atoms; atom < atoms + atom_count; atom++) {
        char text[2 * NAME_SIZE], word[NAME_SIZE];
        if (strcmp(atom->opcode, "-") != 0)
            continue;
        const char *what = mapping_atom_outside(atom->name);
        expect_none(atom->name);
        if (!what || !mapping_atom_is_meant(atom->name)) {
            fail_msg("nothing is said of %s", atom->name);
            continue;
        }
        snprintf(word, sizeof word, "%s",
                 strchr(atom->what, ' ') ? "mma instructions, each with the fragments of"
                                         : atom->what);
        if (strncmp(word, "tcgen05", 7) != 0 && strncmp(word, "cp.", 3) != 0 &&
            strncmp(word, "ld.", 3) != 0 && strncmp(word, "st.", 3) != 0)
            word[strcspn(word, ".")] = '\0';
        if (!strstr(what, word))
            fail_msg("%s is said to be %s, and is %s", atom->name, what, atom->what);
        snprintf(text, sizeof text, "MMA_Atom<cute::%.180s<float, cute::UMMA::Major::K>>",
                 atom->name);
        assert_string_equal(mapping_atom_outside(text), what);
        snprintf(text, sizeof text, "x%.180s", atom->name);
        assert_null(mapping_atom_outside(text));
        count++;
    }
    assert_true(count > 0);
    assert_non_null(mapping_atom_outside("SM90_TMA_LOAD"));
    assert_null(mapping_atom_outside("SM100::TMEM::LOAD::SM100_TMEM_LOAD_32dp32b1x"));
    assert_null(mapping_atom_outside("cute::SM100::TMEM::UTCCP::SM100_UTCCP_128dp256bit_1cta"));
    assert_null(mapping_atom_outside("SM100_MMA_"));
    assert_null(mapping_atom_outside("SM100_MMA_F16BF16_SS<float"));
    assert_null(mapping_atom_outside("SM80_8x8x4_C64C64C64C64_NT"));
    assert_null(mapping_atom_outside(""));
}

static void only_atoms_are_meant_as_such(void **state) {
    (void)state;
    static const char *const meant[] = {"SM80_16x8x16_F32F32F32F32_TN",
                                        "sm86_16x8x16",
                                        "MMA_Atom<SM75_16x8x16",
                                        "cute::SM90::GMMA::MMA_64x9x16_F32F16F16_SS<>",
                                        "GMMA_64x",
                                        " MMA_Atom < SM80_x >{}",
                                        "MMA_Atom<",
                                        "Copy_Atom<>"};
    static const char *const others[] = {"",
                                         "sm_80",
                                         "sm80",
                                         "SM_80_16x8x16",
                                         "mma.m16n8k16.a.f16",
                                         "wmma.m16n16k16.a.row.f16",
                                         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                         "fragment<matrix_a, 16, 16, 16, half>",
                                         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
                                         "mma_",
                                         "::",
                                         "<<<"};
    for (size_t m = 0; m < sizeof meant / sizeof *meant; m++)
        if (!mapping_atom_is_meant(meant[m]))
            fail_msg("'%s' is not meant", meant[m]);
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        if (mapping_atom_is_meant(others[o]))
            fail_msg("'%s' is meant", others[o]);
}

/* ---- Atoms that are offered for a mistyped one ---- */

/* All without scopes and types in angle brackets, each once. */
static void every_atom_is_offered_once(void **state) {
    static char offered[LISTED_MAX][MAPPING_NAME_SIZE];
    static const char *sorted[LISTED_MAX];
    size_t count = 0, expected = 0;
    (void)state;
    while (mapping_atom_at(count, offered[count]))
        assert_true(++count < LISTED_MAX);
    for (size_t o = 0; o < count; o++) {
        sorted[o] = offered[o];
        if (!is_listed(offered[o]))
            fail_msg("%s is offered, and is none", offered[o]);
    }
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t o = 1; o < count; o++)
        assert_string_not_equal(sorted[o - 1], sorted[o]);
    for (const struct atom *atom = atoms; atom < atoms + atom_count; atom++) {
        const char *name = atom->name;
        if (strcmp(atom->opcode, "-") == 0 || inner(name) || strchr(name, '<'))
            continue;
        expected++;
        if (!bsearch(&name, sorted, count, sizeof *sorted, by_text))
            fail_msg("%s is not offered", name);
    }
    assert_int_equal(count, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_atom_is_its_opcode),
        cmocka_unit_test(templates_have_values),
        cmocka_unit_test(what_differs_in_a_word_is_found_if_it_is_listed),
        cmocka_unit_test(what_is_cut_off_is_none),
        cmocka_unit_test(what_is_outside_is_said),
        cmocka_unit_test(only_atoms_are_meant_as_such),
        cmocka_unit_test(every_atom_is_offered_once),
    };
    need_root();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, read_list, NULL);
}
