/* answers_test.c - the values that the functions of mapping.h return: layouts, answers and their
 * items.
 *
 * Expected values: by hand, from the figures of the PTX ISA, and from CuTe's notation. */
#include "mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct mapping_axis FROM[] = {{"tid", 32}, {"i", 4}}, TO[] = {{"row", 16}, {"col", 8}};

/* PTX ISA, mma.m16n8k16, accumulators. */
static const char STATEMENTS[] = "row = lane / 4 + i / 2 * 8; col = lane % 4 * 2 + i % 2;";

static mapping *context;

static int open_context(void **state) {
    (void)state;
    context = mapping_open(NULL);
    return context ? 0 : 1;
}

static int close_context(void **state) {
    (void)state;
    mapping_close(context);
    return 0;
}

static const mapping_layout *accumulator(void) {
    const mapping_layout *layout;
    assert_int_equal(mapping_layout_from_formulas(context, FROM, 2, TO, 2, STATEMENTS, &layout),
                     MAPPING_OK);
    return layout;
}

static void each_notation_makes_the_same_layout(void **state) {
    const mapping_layout *layout, *formulas = accumulator();
    uint32_t row[128], col[128];
    const uint32_t *const values[] = {row, col};
    (void)state;
    for (uint32_t n = 0; n < 128; n++) {
        row[n] = n / 4 / 4 + n % 4 / 2 * 8;
        col[n] = n / 4 % 4 * 2 + n % 2;
    }
    assert_int_equal(mapping_layout_from_table(context, FROM, 2, TO, 2, values, &layout), 0);
    assert_true(mapping_layout_equal(layout, formulas));
    assert_int_equal(
        mapping_layout_from_bases(context, FROM, 2, TO, 2, "t2 t3 t4 i1 | i0 t0 t1", &layout), 0);
    assert_true(mapping_layout_equal(layout, formulas));
    /* MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>::CLayout */
    assert_int_equal(mapping_layout_from_cute(context, FROM, 2, TO, 2,
                                              "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))", &layout),
                     0);
    assert_true(mapping_layout_equal(layout, formulas));
    row[5]++;
    assert_int_equal(mapping_layout_from_table(context, FROM, 2, TO, 2, values, &layout), 0);
    assert_false(mapping_layout_equal(layout, formulas));
}

static void a_layout_says_what_it_is(void **state) {
    const mapping_layout *layout = accumulator();
    uint32_t size = 0;
    (void)state;
    assert_string_equal(mapping_layout_axis(layout, MAPPING_FROM, 1, &size), "i");
    assert_int_equal(size, 4);
    assert_string_equal(mapping_layout_axis(layout, MAPPING_TO, 0, NULL), "row");
    assert_null(mapping_layout_axis(layout, MAPPING_TO, 2, &size));
    assert_int_equal(mapping_layout_size(layout), 128);
    assert_int_equal(mapping_layout_values(layout, "col")[14 * 4 + 1], 5);
    assert_null(mapping_layout_values(layout, "tid"));
}

static void layouts_are_combined(void **state) {
    const mapping_layout *layout = accumulator(), *inverse, *same, *part, *repeated;
    const struct mapping_axis warps[] = {{"tid", 2}}, rows[] = {{"row", 2}};
    const mapping_layout *outer;
    (void)state;
    assert_int_equal(mapping_layout_invert(context, layout, "copy", &inverse), 0);
    assert_int_equal(mapping_layout_values(inverse, "tid")[3 * 8 + 5], 14);
    assert_int_equal(mapping_layout_compose(context, layout, inverse, &same), 0);
    for (uint32_t n = 0; n < 128; n++) {
        assert_int_equal(mapping_layout_values(same, "tid")[n], n / 4);
        assert_int_equal(mapping_layout_values(same, "i")[n], n % 4);
    }
    assert_int_equal(mapping_layout_restrict(context, layout, "i", 2, 2, &part), 0);
    assert_int_equal(mapping_layout_size(part), 64);
    assert_int_equal(mapping_layout_values(part, "row")[0], 8);
    assert_int_equal(mapping_layout_values(part, "col")[1], 1);
    /* Two warps, the second 16 rows below the first. */
    assert_int_equal(mapping_layout_from_formulas(context, warps, 1, rows, 1, "row = tid", &outer),
                     0);
    assert_int_equal(mapping_layout_product(context, layout, outer, &repeated), 0);
    assert_int_equal(mapping_layout_size(repeated), 256);
    assert_int_equal(mapping_layout_values(repeated, "row")[(32 + 14) * 4 + 1], 16 + 3);
    assert_int_equal(mapping_layout_values(repeated, "col")[(32 + 14) * 4 + 1], 5);
    const struct mapping_axis many[] = {{"x", 1 << 13}};
    assert_int_equal(mapping_layout_from_formulas(context, many, 1, many, 1, "x = x", &outer), 0);
    assert_int_equal(mapping_layout_product(context, outer, outer, &same), MAPPING_INVALID);
    assert_string_equal(mapping_message(context), "the product has more than 2^24 points");
    assert_int_equal(mapping_layout_compose(context, layout, outer, &same), MAPPING_INVALID);
    assert_null(same);
    assert_int_equal(mapping_layout_restrict(context, layout, "i", 3, 2, &part), MAPPING_INVALID);
    assert_string_equal(mapping_message(context),
                        "axis 'i' has the values 0 to 3, so it has no 2 values from 3 on");
    assert_int_equal(mapping_layout_restrict(context, layout, "i", 3, 0, &part), MAPPING_INVALID);
    assert_string_equal(mapping_message(context), "a part needs at least one value of axis 'i'");
    assert_int_equal(mapping_layout_restrict(context, layout, "row", 0, 1, &part), MAPPING_INVALID);
    assert_int_equal(mapping_layout_invert(context, layout, "row", &inverse), MAPPING_INVALID);
    for (size_t n = 0; n < 3; n++) { /* no formula or code could use these */
        const char *const names[] = {"", "a b", "int"};
        assert_int_equal(mapping_layout_invert(context, layout, names[n], &inverse),
                         MAPPING_INVALID);
        assert_non_null(strstr(mapping_message(context), "a name is a word of C"));
        assert_null(inverse);
    }
}

static void formulae_have_styles(void **state) {
    const mapping_layout *layout = accumulator();
    const char *text;
    (void)state;
    assert_int_equal(mapping_layout_formula(context, layout, "row", MAPPING_BITS, &text), 0);
    assert_string_equal(text, "((i & 2) << 2) + ((tid & 28) >> 2)");
    assert_int_equal(mapping_layout_formula(context, layout, "row", MAPPING_DIVIDE, &text), 0);
    assert_string_equal(text, "tid / 4 + i / 2 * 8");
    assert_int_equal(mapping_layout_formula(context, layout, "tid", MAPPING_BITS, &text),
                     MAPPING_INVALID);
    assert_int_equal(mapping_layout_formula(context, layout, "row", (enum mapping_style)3, &text),
                     MAPPING_INVALID);
    assert_null(text);
}

static void what_is_wrong_is_refused_with_a_sentence(void **state) {
    static const struct mapping_axis bad[][2] = {
        {{"tid", 32}, {"tid", 4}}, {{"tid", 0}, {"i", 4}},  {{"2x", 32}, {"i", 4}},
        {{NULL, 32}, {"i", 4}},    {{"int", 32}, {"i", 4}}, {{"tid", 1 << 20}, {"i", 1 << 20}}};
    const mapping_layout *layout;
    (void)state;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        assert_int_equal(
            mapping_layout_from_formulas(context, bad[b], 2, TO, 2, "row = 0; col = 0", &layout),
            MAPPING_INVALID);
        assert_true(*mapping_message(context));
        assert_null(layout);
    }
    assert_int_equal(mapping_layout_from_formulas(context, FROM, 2, TO, 2, "row = 0", &layout),
                     MAPPING_INVALID);
    assert_string_equal(mapping_message(context), "there is no formula for col");
    assert_int_equal(
        mapping_layout_from_formulas(context, FROM, 2, TO, 2, "row = tid; col = 0", &layout),
        MAPPING_INVALID);
    assert_string_equal(mapping_message(context),
                        "thread 16, element 0 has row 16, but it must be from 0 to 15");
    assert_int_equal(mapping_layout_from_cute(context, FROM, 2, TO, 2, "(32,2):(1,32)", &layout),
                     MAPPING_INVALID);
    assert_int_equal(mapping_layout_from_cute(context, FROM, 2, TO, 2, "(32,4):(4,1", &layout),
                     MAPPING_INVALID);
    assert_int_equal(
        mapping_layout_from_cute(context, FROM, 2, TO, 2, "Sw<1,0,3> o 0 o (32,4):(4,1)", &layout),
        MAPPING_INVALID);
    assert_non_null(strstr(mapping_message(context), "has a swizzle"));
    assert_int_equal(mapping_layout_from_bases(context, FROM, 2, TO, 2, "t2 t3 t4 i1", &layout),
                     MAPPING_INVALID);
    assert_non_null(strstr(mapping_message(context), "has 2 coordinates, so it needs 2 lists"));
    assert_int_equal(mapping_layout_from_bases(context, FROM, 2, TO, 2, "t0 | t9", &layout),
                     MAPPING_INVALID);
    assert_int_equal(mapping_layout_from_table(context, FROM, 2, TO, 2, NULL, &layout),
                     MAPPING_INVALID);
    assert_int_equal(mapping_layout_from_formulas(context, FROM, 9, TO, 2, STATEMENTS, &layout),
                     MAPPING_INVALID);
    assert_int_equal(mapping_layout_from_formulas(context, FROM, 2, NULL, 2, STATEMENTS, &layout),
                     MAPPING_INVALID);
    assert_string_equal(mapping_message(context), "'to' is NULL, but has 2 axes");
}

static const mapping_answer *ask(size_t count, const char *const words[],
                                 enum mapping_status status) {
    const mapping_answer *answer;
    assert_int_equal(mapping_ask(context, count, words, &answer), status);
    return answer;
}

static uint64_t number(const mapping_item *item, enum mapping_number which) {
    uint64_t value = UINT64_MAX;
    assert_true(mapping_item_number(item, which, &value));
    return value;
}

static void a_fragment_is_asked(void **state) {
    const mapping_answer *answer =
        ask(2, (const char *const[]){"mma.m16n8k16.d.f32", "-a90"}, MAPPING_OK);
    const mapping_item *item = mapping_answer_item(answer, 0);
    const char *key, *text;
    size_t facts = 0;
    uint64_t value;
    (void)state;
    assert_int_equal(mapping_answer_kind(answer), MAPPING_KIND_LAYOUT);
    assert_int_equal(mapping_answer_count(answer), 1);
    assert_null(mapping_answer_item(answer, 1));
    assert_string_equal(mapping_item_text(item, MAPPING_NAME), "mma.m16n8k16.d.f32");
    assert_string_equal(mapping_item_text(item, MAPPING_OPERAND), "d");
    assert_null(mapping_item_text(item, MAPPING_OPERATION));
    assert_int_equal(number(item, MAPPING_ARCH), 90);
    assert_int_equal(number(item, MAPPING_SINCE), 80); /* PTX ISA, mma: Target ISA Notes */
    assert_int_equal(number(item, MAPPING_REGISTERS), 4);
    assert_false(mapping_item_number(item, MAPPING_WAVEFRONTS, &value));
    assert_true(mapping_layout_equal(mapping_item_layout(item, MAPPING_FORWARD), accumulator()));
    assert_int_equal(mapping_layout_values(mapping_item_layout(item, MAPPING_INVERSE), "i")[64], 2);
    assert_null(mapping_item_layout(item, MAPPING_OTHER));
    while (mapping_item_fact(item, facts, &key, &text))
        facts++;
    assert_true(facts > 0);
}

static void places_have_coordinates(void **state) {
    const mapping_answer *answer =
        ask(2, (const char *const[]){"mma.m16n8k16.d.f16", "--at=3,5"}, MAPPING_OK);
    const mapping_item *item = mapping_answer_item(answer, 0);
    uint32_t value;
    (void)state;
    assert_int_equal(mapping_answer_kind(answer), MAPPING_KIND_PLACE);
    assert_int_equal(mapping_answer_count(answer), 1);
    assert_true(mapping_item_coordinate(item, "tid", &value));
    assert_int_equal(value, 14);
    assert_true(mapping_item_coordinate(item, "col", &value));
    assert_int_equal(value, 5);
    assert_false(mapping_item_coordinate(item, "offset", &value));
    assert_string_equal(mapping_item_text(item, MAPPING_REGISTER), "register 0, bits 16-31");
    assert_int_equal(number(item, MAPPING_FIRST_BIT), 16);
}

static void verdicts_say_what_is_wrong(void **state) {
    const mapping_answer *answer;
    const mapping_item *item;
    const char *axis;
    size_t entry;
    int64_t says;
    uint32_t is;
    (void)state;
    assert_int_equal(mapping_verify(context, accumulator(), STATEMENTS, &answer), MAPPING_OK);
    item = mapping_answer_item(answer, 0);
    assert_int_equal(number(item, MAPPING_COMPARED), 128);
    assert_int_equal(number(item, MAPPING_WRONG), 0);
    assert_false(mapping_item_wrong(item, 0, &axis, &entry, &says, &is));
    assert_int_equal(mapping_verify(context, accumulator(), "row = tid / 4; col = 0", &answer),
                     MAPPING_DIFFERS);
    item = mapping_answer_item(answer, 0);
    assert_int_equal(number(item, MAPPING_WRONG), 64 + 112);
    assert_true(mapping_item_wrong(item, 0, &axis, &entry, &says, &is));
    assert_string_equal(axis, "row");
    assert_int_equal(entry, 2);
    assert_int_equal(says, 0);
    assert_int_equal(is, 8);
    assert_true(mapping_item_wrong(item, 5, &axis, &entry, &says, &is));
    assert_false(mapping_item_wrong(item, 6, &axis, &entry, &says, &is));
    assert_int_equal(mapping_verify(context, accumulator(), "row =", &answer), MAPPING_INVALID);
    assert_null(answer);
}

static void plans_have_addresses(void **state) {
    const mapping_answer *answer =
        ask(3, (const char *const[]){"(64,64):(64,1)", "--type=f16", "--load=mma.m16n8k16.a.f16"},
            MAPPING_OK);
    const mapping_item *item = mapping_answer_item(answer, 0);
    (void)state;
    assert_int_equal(mapping_answer_kind(answer), MAPPING_KIND_PLAN);
    assert_string_equal(mapping_item_text(item, MAPPING_OPERATION), "ldmatrix.x4");
    assert_int_equal(number(item, MAPPING_STEPS), 1);
    assert_int_equal(number(item, MAPPING_WAVEFRONTS), 32); /* 8 rows of 128 bytes: one bank */
    assert_int_equal(number(item, MAPPING_LEAST), 4);
    assert_int_equal(
        mapping_layout_values(mapping_item_layout(item, MAPPING_FORWARD), "address")[17],
        1 * 128 + 16);
}

static void suggestions_accesses_conversions_and_lists_have_values(void **state) {
    const mapping_answer *answer;
    const mapping_item *item;
    uint32_t address[32], wavefronts, least;
    (void)state;
    answer = ask(4,
                 (const char *const[]){"(64,64):(64,1)", "--type=f16", "--load=mma.m16n8k16.a.f16",
                                       "--suggest"},
                 MAPPING_OK);
    item = mapping_answer_item(answer, 0);
    assert_string_equal(mapping_item_text(item, MAPPING_NOTATION),
                        "Sw<3,3,3> o 0 o (64,64):(64,1)");
    assert_int_equal(number(item, MAPPING_WAVEFRONTS), number(item, MAPPING_LEAST));
    assert_int_equal(
        mapping_layout_values(mapping_item_layout(item, MAPPING_FORWARD), "offset")[64], 72);
    answer = ask(2, (const char *const[]){"--access=ld.b32", "--address=tid*8"}, MAPPING_OK);
    assert_int_equal(number(mapping_answer_item(answer, 0), MAPPING_WAVEFRONTS), 2);
    answer = ask(2, (const char *const[]){"mma.m16n8k16.d.f16", "--convert=mma.m16n8k16.a.f16"},
                 MAPPING_OK);
    item = mapping_answer_item(answer, 0);
    assert_int_equal(number(item, MAPPING_SHUFFLES), 0);
    assert_int_equal(mapping_layout_size(mapping_item_layout(item, MAPPING_OTHER)), 256);
    answer = ask(2, (const char *const[]){"--list", "wmma.m16n16k16.d.f32"}, MAPPING_OK);
    assert_string_equal(mapping_item_text(mapping_answer_item(answer, 0), MAPPING_TYPE), "f32");
    answer = ask(1, (const char *const[]){"--diff=sm_70,sm_75"}, MAPPING_DIFFERS);
    item = mapping_answer_item(answer, 0);
    assert_non_null(mapping_item_layout(item, MAPPING_FORWARD));
    assert_non_null(mapping_item_layout(item, MAPPING_OTHER));
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = lane * 128;
    assert_int_equal(mapping_count_wavefronts(context, "ld.b32", address, 32, &wavefronts, &least),
                     0);
    assert_int_equal(wavefronts, 32);
    assert_int_equal(least, 1);
    assert_int_equal(mapping_count_wavefronts(context, "ld.b32", address, 31, &wavefronts, &least),
                     MAPPING_INVALID);
    assert_int_equal(mapping_count_wavefronts(context, "ld.b33", address, 32, &wavefronts, &least),
                     MAPPING_INVALID);
    address[3]++;
    assert_int_equal(mapping_count_wavefronts(context, "ld.b32", address, 32, &wavefronts, &least),
                     MAPPING_INVALID);
}

/* A 128x4 tile of scale factors is 512 bytes: one tcgen05.cp.32x128b.warpx4 (PTX ISA 9.7.16.9). */
static void a_copy_of_scale_factors_is_an_item(void **state) {
    const mapping_answer *answer =
        ask(3,
            (const char *const[]){"128x4", "--extent=128,4",
                                  "--load=tcgen05.mma.m128n256k64.sfa.4x.ue4m3"},
            MAPPING_OK);
    const mapping_item *item = mapping_answer_item(answer, 0);
    (void)state;
    assert_int_equal(mapping_answer_kind(answer), MAPPING_KIND_SCALE_COPY);
    assert_int_equal(number(item, MAPPING_STEPS), 1);
    assert_string_equal(mapping_item_text(item, MAPPING_OPERATION), "tcgen05.cp");
}

static void what_is_only_text_is_refused(void **state) {
    static const char *const words[] = {"--help", "--version", "--confirm=results/wmma.txt",
                                        "--json", "mma.m16n8k17"};
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        assert_null(ask(1, words + w, MAPPING_INVALID));
        assert_true(*mapping_message(context));
    }
}

static void answers_are_printed(void **state) {
    const mapping_answer *answer;
    const char *text;
    size_t size;
    (void)state;
    assert_int_equal(mapping_describe(context, accumulator(), "mine", &answer), MAPPING_OK);
    assert_int_equal(mapping_answer_print(context, answer, "cute", &text, &size), MAPPING_OK);
    assert_non_null(strstr(text, "((4,8),(2,2)):((32,1),(16,8))"));
    assert_int_equal(strlen(text), size);
    assert_int_equal(mapping_answer_print(context, answer, "json", &text, &size), MAPPING_OK);
    assert_non_null(strstr(text, "\"mine\""));
    assert_int_equal(mapping_answer_print(context, answer, "word", &text, &size), MAPPING_INVALID);
    assert_string_equal(mapping_message(context), "there is no format 'word'");
    assert_string_equal(text, "");
    answer = ask(2, (const char *const[]){"mma.m16n8k16.a.f16", "mma.m16n8k16.b.f16"}, MAPPING_OK);
    assert_int_equal(
        mapping_item_print(context, mapping_answer_item(answer, 1), "csv", &text, &size),
        MAPPING_OK);
    assert_null(strstr(text, "mma.m16n8k16.a.f16"));
    assert_non_null(strstr(text, "mma.m16n8k16.b.f16"));
}

/* Writes a file that mapping_ask reads, and asks. */
static const mapping_answer *ask_of_file(const char *content, const char *option,
                                         const char *ending) {
    char path[64], word[128];
    const mapping_answer *answer;
    snprintf(path, sizeof path, "build/tests/answers_test.%d%s", (int)getpid(), ending);
    snprintf(word, sizeof word, "%s%s", option, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    const enum mapping_status status =
        mapping_ask(context, 1, (const char *const[]){word}, &answer);
    remove(path);
    assert_int_equal(status, MAPPING_OK);
    return answer;
}

/* PTX ISA, mma.m16n8k16: A takes 4 registers, B 2, C and D 4. */
static void the_operands_of_a_listing_are_items(void **state) {
    const mapping_answer *answer =
        ask_of_file("        Function : gemm\n"
                    "        /*0200*/                   MOV R1, c[0x0][0x28] ;\n"
                    "        /*0210*/                   HMMA.16816.F32 R4, R8, R16, R4 ;\n"
                    "        /*0220*/                   HMMA.16816.F32 R12, R8, R18, R12 ;\n",
                    "--annotate=", ".sass");
    static const char *const names[] = {"mma.m16n8k16.d.f32", "mma.m16n8k16.a.f16",
                                        "mma.m16n8k16.b.f16", "mma.m16n8k16.c.f32"},
                             *const places[] = {"R4-R7", "R8-R11", "R16-R17", "R4-R7"},
                             *const labels[] = {"D", "A", "B", "C"};
    const mapping_item *item;
    const char *text;
    size_t size;
    uint64_t value;
    (void)state;
    assert_int_equal(mapping_answer_kind(answer), MAPPING_KIND_INSTRUCTION);
    assert_int_equal(mapping_answer_count(answer), 8);
    for (size_t n = 0; n < 4; n++) {
        item = mapping_answer_item(answer, n);
        assert_string_equal(mapping_item_text(item, MAPPING_NAME), names[n]);
        assert_string_equal(mapping_item_text(item, MAPPING_REGISTER), places[n]);
        assert_string_equal(mapping_item_text(item, MAPPING_OPERAND), labels[n]);
        assert_string_equal(mapping_item_text(item, MAPPING_OPERATION), "HMMA.16816.F32");
        assert_string_equal(mapping_item_text(item, MAPPING_FUNCTION), "gemm");
        assert_string_equal(mapping_item_text(item, MAPPING_MEANING),
                            "mma.m16n8k16 f32 += f16 f16");
        assert_int_equal(number(item, MAPPING_LINE), 3);
        assert_int_equal(number(item, MAPPING_ADDRESS), 0x210);
        assert_int_equal(number(item, MAPPING_INSTRUCTION), 0);
        assert_false(mapping_item_number(item, MAPPING_COMPARED, &value));
    }
    assert_true(mapping_layout_equal(
        mapping_item_layout(mapping_answer_item(answer, 0), MAPPING_FORWARD), accumulator()));
    item = mapping_answer_item(answer, 7);
    assert_string_equal(mapping_item_text(item, MAPPING_REGISTER), "R12-R15");
    assert_int_equal(number(item, MAPPING_INSTRUCTION), 1);
    assert_int_equal(number(item, MAPPING_REGISTERS), 4);
    assert_int_equal(mapping_answer_print(context, answer, "json", &text, &size), MAPPING_INVALID);
}

/* A layout that a file defines, and the types that use it. */
static void the_layouts_of_a_triton_file_are_items(void **state) {
    static const char mma[] = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
                              "warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
    char content[512];
    const char *key, *text;
    size_t size;
    (void)state;
    snprintf(content, sizeof content, "#mma = %s\n%%0 = tt.dot -> tensor<16x8xf32, #mma>\n", mma);
    const mapping_answer *answer = ask_of_file(content, "", ".ttgir");
    const mapping_item *item = mapping_answer_item(answer, 0);
    assert_int_equal(mapping_answer_kind(answer), MAPPING_KIND_DEFINITION);
    assert_int_equal(mapping_answer_count(answer), 1);
    assert_string_equal(mapping_item_text(item, MAPPING_NAME), "#mma");
    assert_string_equal(mapping_item_text(item, MAPPING_NOTATION), mma);
    assert_int_equal(number(item, MAPPING_LINE), 1);
    assert_true(mapping_item_fact(item, 0, &key, &text));
    assert_string_equal(key, "type");
    assert_string_equal(text, "tensor<16x8xf32, #mma>");
    assert_int_equal(mapping_answer_print(context, answer, "json", &text, &size), MAPPING_OK);
    assert_non_null(strstr(text, "\"#mma\""));
    /* The text is a layout of its own: that of mma.m16n8k16, as its name says. */
    answer = ask(2, (const char *const[]){mma, "--shape=16,8"}, MAPPING_OK);
    assert_true(mapping_layout_equal(
        mapping_item_layout(mapping_answer_item(answer, 0), MAPPING_FORWARD), accumulator()));
}

/* The PTX ISA states the recorded layouts of everything but wmma. */
static void the_entries_of_a_check_are_items(void **state) {
    const mapping_answer *answer =
        ask(3, (const char *const[]){"--check", "--source=isa", "--arch=90"}, MAPPING_OK);
    const mapping_item *item;
    size_t confirmed = 0, skipped = 0;
    (void)state;
    assert_int_equal(mapping_answer_kind(answer), MAPPING_KIND_CHECK);
    for (size_t n = 0; (item = mapping_answer_item(answer, n)); n++) {
        assert_int_equal(number(item, MAPPING_ARCH), 90);
        assert_int_equal(number(item, MAPPING_WRONG), 0);
        const bool is_wmma = strncmp(mapping_item_text(item, MAPPING_NAME), "wmma.", 5) == 0;
        assert_int_equal(number(item, MAPPING_COMPARED), !is_wmma);
        if (is_wmma)
            assert_string_equal(mapping_item_text(item, MAPPING_REASON),
                                "no source could check it");
        confirmed += !is_wmma;
        skipped += is_wmma;
    }
    assert_true(confirmed > 100 && skipped > 10);
}

/* 32x32b: load n reads columns from 32 n on; warp w reads lanes from 32 w on (PTX ISA). A header of
 * only one load has no parameter `load`. */
/* Every format that the library names prints a fragment, and no other name is a format. */
static void formats_are_listed(void **state) {
    const char *const words[] = {"mma.m16n8k16.d.f32"}, *text, *name;
    const mapping_answer *answer = ask(1, words, MAPPING_OK);
    size_t size, n = 0;
    (void)state;
    for (; (name = mapping_format(n)); n++) {
        assert_int_equal(mapping_answer_print(context, answer, name, &text, &size), MAPPING_OK);
        assert_true(size > 0);
    }
    assert_string_equal(mapping_format(0), "text");
    assert_string_equal(mapping_format(1), "json");
    assert_true(n > 2);
    assert_null(mapping_format(n + 1));
    assert_null(mapping_format(SIZE_MAX));
}

static void one_of_several_loads_is_printed(void **state) {
    const mapping_answer *answer = ask(
        2, (const char *const[]){"tcgen05.mma.m128n64k16.d.f32", "--with=tcgen05.ld.32x32b.x32"},
        MAPPING_OK);
    const char *text;
    size_t size;
    (void)state;
    assert_int_equal(
        mapping_item_print(context, mapping_answer_item(answer, 1), "cuda", &text, &size),
        MAPPING_OK);
    assert_non_null(strstr(text, "x32_col(unsigned tid, unsigned i)"));
    assert_non_null(strstr(text, "return 32 + i;"));
    assert_non_null(strstr(text, "x32_address(unsigned warp)"));
    assert_non_null(strstr(text, "return ((warp % 4 * 32) << 16) + 32;"));
    /* 16x256b reads 16 lanes: load 0 the lower half from column 0 on, load 1 the upper half. */
    answer = ask(
        2, (const char *const[]){"tcgen05.mma.m128n64k16.d.f32", "--with=tcgen05.ld.16x256b.x8"},
        MAPPING_OK);
    assert_int_equal(
        mapping_item_print(context, mapping_answer_item(answer, 1), "cuda", &text, &size),
        MAPPING_OK);
    assert_non_null(strstr(text, "return ((warp % 4 * 32 + 16) << 16);"));
}

/* A table whose values are no formula still is a layout. */
static void a_layout_may_have_no_formula(void **state) {
    const struct mapping_axis from[] = {{"x", 8}}, to[] = {{"y", 8}};
    static const uint32_t y[] = {3, 1, 4, 0, 5, 2, 6, 7};
    static const uint32_t *const values[] = {y};
    const mapping_layout *layout;
    const mapping_answer *answer;
    const char *text;
    (void)state;
    assert_int_equal(mapping_layout_from_table(context, from, 1, to, 1, values, &layout), 0);
    assert_int_equal(mapping_layout_formula(context, layout, "y", MAPPING_BITS, &text),
                     MAPPING_NO_FORMULA);
    assert_int_equal(mapping_describe(context, layout, "shuffled", &answer), MAPPING_NO_FORMULA);
    assert_ptr_equal(mapping_layout_values(
                         mapping_item_layout(mapping_answer_item(answer, 0), MAPPING_FORWARD), "y"),
                     mapping_layout_values(layout, "y"));
}

/* The memory of results goes back to the last mark; under sanitizers, all of it at the end. */
static void marks_nest(void **state) {
    const mapping_layout *outer = accumulator(), *inner;
    (void)state;
    for (int n = 0; n < 3; n++) {
        assert_int_equal(mapping_mark(context), MAPPING_OK);
        inner = accumulator();
        assert_int_equal(mapping_mark(context), MAPPING_OK);
        assert_true(mapping_layout_equal(accumulator(), inner));
        mapping_release(context);
        assert_true(mapping_layout_equal(outer, inner));
        mapping_release(context);
    }
    assert_int_equal(mapping_layout_size(outer), 128);
    mapping_release(context);
    mapping_release(context);
    assert_int_equal(mapping_layout_size(accumulator()), 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_notation_makes_the_same_layout),
        cmocka_unit_test(a_layout_says_what_it_is),
        cmocka_unit_test(layouts_are_combined),
        cmocka_unit_test(formulae_have_styles),
        cmocka_unit_test(what_is_wrong_is_refused_with_a_sentence),
        cmocka_unit_test(a_fragment_is_asked),
        cmocka_unit_test(places_have_coordinates),
        cmocka_unit_test(verdicts_say_what_is_wrong),
        cmocka_unit_test(plans_have_addresses),
        cmocka_unit_test(suggestions_accesses_conversions_and_lists_have_values),
        cmocka_unit_test(a_copy_of_scale_factors_is_an_item),
        cmocka_unit_test(what_is_only_text_is_refused),
        cmocka_unit_test(the_operands_of_a_listing_are_items),
        cmocka_unit_test(the_layouts_of_a_triton_file_are_items),
        cmocka_unit_test(the_entries_of_a_check_are_items),
        cmocka_unit_test(answers_are_printed),
        cmocka_unit_test(formats_are_listed),
        cmocka_unit_test(one_of_several_loads_is_printed),
        cmocka_unit_test(a_layout_may_have_no_formula),
        cmocka_unit_test(marks_nest),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_context, close_context);
}
