/* codegen_records_test.c - the recorded SASS of opcodes: the records are complete and agree with
 * listings of others; lines are parsed strictly.
 *
 * Expected values: listings read by hand; the catalogue; by hand. */
#include "sample.h"
#include "source/codegen_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- The records ---- */

/* nvdisasm 13.5 prints nothing where this instruction is. */
static bool is_printed(const struct mapping_opcode *opcode) {
    return !strstr(opcode->text, ".s8.s4");
}

static bool is_on(const struct mapping_opcode *opcode, unsigned arch) {
    return is_printed(opcode) && opcode->since <= arch &&
           (!opcode->until || arch <= opcode->until) && arch != opcode->except;
}

/* How often an opcode is recorded for an architecture, by all rows. */
static unsigned count_recorded(const char *opcode, uint32_t arch) {
    struct codegen row;
    unsigned count = 0;
    for (size_t position = 0; codegen_next(opcode, &position, &row);)
        count += row.archs >> arch & 1;
    return count;
}

static void every_opcode_is_recorded_once_on_what_has_it(void **state) {
    (void)state;
    struct mapping_opcode opcode;
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        char other[2 * MAPPING_OPCODE_SIZE] = "";
        if (strncmp(opcode.text, "mma.sp.", 7) == 0)
            snprintf(other, sizeof other, "mma.sp::ordered_metadata.%s", opcode.text + 7);
        for (uint32_t n = 0; is_in_sample(index, one_in(1, 29)) && mapping_arch_at(n); n++) {
            unsigned expected = is_on(&opcode, mapping_arch_at(n)->number);
            if (count_recorded(opcode.text, n) != expected ||
                (*other && count_recorded(other, n) != expected))
                fail_msg("%s on sm_%u", opcode.text, mapping_arch_at(n)->number);
        }
    }
}

/* There is nothing but that, in the order of the catalogue. */
static void no_other_opcode_is_recorded(void **state) {
    (void)state;
    struct codegen row;
    struct mapping_opcode opcode;
    char last[MAPPING_OPCODE_SIZE] = "";
    size_t index = 0, position = 0, seen = 0, pairs = 0, wanted = 0, wanted_pairs = 0;
    for (size_t n = 0; mapping_opcode_at(n, &opcode); n++) {
        const size_t names = strncmp(opcode.text, "mma.sp.", 7) == 0 ? 2 : 1;
        wanted += is_printed(&opcode) ? names : 0;
        for (size_t a = 0; mapping_arch_at(a); a++)
            wanted_pairs += is_on(&opcode, mapping_arch_at(a)->number) ? names : 0;
    }
    while (codegen_next(NULL, &position, &row)) {
        for (uint32_t archs = row.archs; archs; archs &= archs - 1)
            pairs++;
        if (strcmp(row.opcode, last) == 0)
            continue;
        memcpy(last, row.opcode, sizeof last);
        seen++;
        /* .sp::ordered_metadata, if the catalogue has .sp: after that */
        while (mapping_opcode_at(index, &opcode) && !is_printed(&opcode))
            index++;
        if (mapping_opcode_at(index, &opcode) && strcmp(opcode.text, row.opcode) == 0)
            index++;
        else if (strncmp(row.opcode, "mma.sp::ordered_metadata.", 25) != 0 ||
                 strcmp(opcode.text, row.opcode) == 0)
            fail_msg("results/sass.txt has %s where %s comes next in the catalogue; 'make sass' "
                     "adds it",
                     row.opcode, opcode.text);
    }
    assert_false(mapping_opcode_at(index, &opcode));
    assert_int_equal(recorded_codegen[position], '\0');
    assert_int_equal(seen, wanted);
    assert_int_equal(pairs, wanted_pairs);
}

/* ---- Published listings ---- */

/* Finds what an opcode becomes on an architecture, 75 for sm_75. False if it is not recorded. */
static bool find_on(const char *opcode, unsigned arch, struct codegen *row) {
    for (size_t position = 0; codegen_next(opcode, &position, row);)
        for (uint32_t n = 0; mapping_arch_at(n); n++)
            if (row->archs >> n & 1 && mapping_arch_at(n)->number == arch)
                return true;
    return false;
}

enum { NATIVE = 1, EMULATED = 0 };

/* Seen in listings of ptxas 12.8 and 13.5 made by hand. */
static const struct {
    const char *opcode, *sass;
    unsigned arch;
    int is_native;
} known[] = {
    /* fp8: since Ada, except on architectures with wgmma or tcgen05 for it */
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "1 QMMA.16832.F32.E4M3.E4M3", 89,
     NATIVE},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "2 HMMA.16816.F32", 90, EMULATED},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "2 HMMA.16816.F32", 100, EMULATED},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "1 QMMA.16832.F32.E4M3.E4M3", 120,
     NATIVE},
    /* 4 bits: up to Ada */
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "1 IMMA.16864.S4.S4", 80, NATIVE},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "1 IMMA.16864.S4.S4", 89, NATIVE},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "2 IMMA.16832.S8.S8", 90, EMULATED},
    {"mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", "2 IMMA.16832.U8.U8", 120, EMULATED},
    /* exclusive or of single bits: two products on Hopper */
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "1 BMMA.168256.XOR.POPC", 89,
     NATIVE},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "2 BMMA.168256.AND.POPC", 90,
     EMULATED},
    /* the half of a larger multiplication */
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "1 IMMA.8816.S8.S8", 90, NATIVE},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "1 IMMA.16816.S8.S8", 120, NATIVE},
    /* Volta's */
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
     "1 HMMA.884.F32.F32.STEP0, 1 HMMA.884.F32.F32.STEP1, 1 HMMA.884.F32.F32.STEP2, "
     "1 HMMA.884.F32.F32.STEP3",
     70, NATIVE},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16",
     "1 HMMA.884.F16.F16.STEP0, 1 HMMA.884.F16.F16.STEP1", 75, NATIVE},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", "none", 80, EMULATED},
    {"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", "none", 120, EMULATED},
    /* several of the same */
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "2 HMMA.16816.F32", 80, NATIVE},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "8 DMMA.8x8x4", 100, NATIVE},
    /* metadata that is sorted first */
    {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "1 HMMA.SP.16832.F32", 90, NATIVE},
    {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "1 HMMA.SP.16832.F32", 100, EMULATED},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
     "1 HMMA.SP.16832.F32", 100, NATIVE},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.b16", "1 LDSM.16.MT88.4", 75, NATIVE},
    {"stmatrix.sync.aligned.m8n8.x2.b16", "1 STSM.16.M88.2", 120, NATIVE},
    {"movmatrix.sync.aligned.m8n8.trans.b16", "1 MOVM.16.MT88", 90, NATIVE},
    {"wgmma.mma_async.sp.sync.aligned.m64n24k64.f32.e4m3.e4m3", "1 QGMMA.SP.64x24x64.F32.E4M3.E4M3",
     90, NATIVE},
    /* Tensor Memory */
    {"tcgen05.ld.sync.aligned.16x128b.x2.b32", "1 LDTM.16dp128bit.x2", 100, NATIVE},
    {"tcgen05.st.sync.aligned.32x32b.x4.unpack::16b.b32", "1 STTM.x4.EXPAND16BIT", 110, NATIVE},
    {"tcgen05.mma.cta_group::2.kind::i8", "1 UTCIMMA.2CTA", 100, NATIVE},
    {"tcgen05.mma.ws.sp.cta_group::1.kind::f8f6f4", "1 UTCQMMA.WS", 103, NATIVE},
};

static void what_is_recorded_is_what_others_have_seen(void **state) {
    (void)state;
    struct codegen row;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!find_on(known[k].opcode, known[k].arch, &row))
            fail_msg("%s on sm_%u is not there", known[k].opcode, known[k].arch);
        assert_string_equal(row.opcode, known[k].opcode);
        assert_string_equal(row.sass, known[k].sass);
        assert_int_equal(codegen_is_native(&row), known[k].is_native);
    }
}

/* F2FP for each of 12 halves of registers, two HMMA, and 4 FADD: counted in the listing. */
static void instructions_of_an_emulation_are_counted(void **state) {
    (void)state;
    struct codegen row;
    assert_true(find_on("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 90, &row));
    assert_int_equal(row.tensor_cores, 2);
    assert_int_equal(row.instructions, 12 + 2 + 4);
}

static void all_of_wgmma_is_one_instruction(void **state) {
    (void)state;
    struct codegen row;
    size_t count = 0;
    for (size_t position = 0; codegen_next(NULL, &position, &row);) {
        if (strncmp(row.opcode, "wgmma.", 6) != 0)
            continue;
        assert_int_equal(row.tensor_cores, 1);
        assert_int_equal(row.instructions, 1);
        count++;
    }
    assert_true(count > 0);
}

static void what_is_not_there_is_not_found(void **state) {
    (void)state;
    struct codegen row;
    assert_false(find_on("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 75, &row));
    assert_false(find_on("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 99, &row));
    assert_false(find_on("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16", 80, &row));
    assert_false(find_on("", 80, &row));
}

/* ---- Reading ---- */

static void runs_of_instructions_are_read(void **state) {
    (void)state;
    const char *sass = "4 MOVM.U4TO8.M832, 12 IMMA.16832.U8.U8";
    struct codegen_run run;
    assert_true(codegen_next_run(&sass, &run));
    assert_int_equal(run.count, 4);
    assert_int_equal(run.length, strlen("MOVM.U4TO8.M832"));
    assert_memory_equal(run.name, "MOVM.U4TO8.M832", (size_t)run.length);
    assert_true(codegen_next_run(&sass, &run));
    assert_int_equal(run.count, 12);
    assert_memory_equal(run.name, "IMMA.16832.U8.U8", (size_t)run.length);
    assert_false(codegen_next_run(&sass, &run));
    sass = "none";
    assert_false(codegen_next_run(&sass, &run));
}

static void a_row_is_read(void **state) {
    (void)state;
    struct codegen row;
    assert_true(codegen_parse("x.y on sm_70, sm_75: 2 HMMA.1688, 1 LDSM; 7 instructions\n", &row));
    assert_string_equal(row.opcode, "x.y");
    assert_string_equal(row.sass, "2 HMMA.1688, 1 LDSM");
    assert_int_equal(row.archs, 1 | 4);
    assert_int_equal(row.tensor_cores, 3);
    assert_int_equal(row.instructions, 7);
    assert_true(codegen_parse("x on sm_121: none; 1 instruction\nfurther lines", &row));
    assert_string_equal(row.sass, "none");
    assert_int_equal(row.tensor_cores, 0);
}

static void what_is_no_row_is_refused(void **state) {
    (void)state;
    static const char *const lines[] = {
        "\n",
        "x on sm_70: 2 HMMA; 2 instructions",    /* no newline */
        "x on sm_70: 2 HMMA; 2 instructions \n", /* with more text after it */
        " on sm_70: 2 HMMA; 2 instructions\n",
        "x  on sm_70: 2 HMMA; 2 instructions\n",
        "x at sm_70: 2 HMMA; 2 instructions\n",
        "x on : 2 HMMA; 2 instructions\n",
        "x on sm_71: 2 HMMA; 2 instructions\n", /* no architecture */
        "x on sm_070: 2 HMMA; 2 instructions\n",
        "x on sm_90a: 2 HMMA; 2 instructions\n",
        "x on sm_75, sm_70: 2 HMMA; 2 instructions\n", /* out of order */
        "x on sm_70, sm_70: 2 HMMA; 2 instructions\n",
        "x on sm_70,sm_75: 2 HMMA; 2 instructions\n",
        "x on sm_70: HMMA; 2 instructions\n",
        "x on sm_70: 0 HMMA; 2 instructions\n",
        "x on sm_70: 02 HMMA; 2 instructions\n",
        "x on sm_70: -2 HMMA; 2 instructions\n",
        "x on sm_70: 2 FADD; 2 instructions\n", /* not of tensor cores */
        "x on sm_70: 2 HFMA2.MMA; 2 instructions\n",
        "x on sm_70: 1 HMMA, 1 HMMA; 2 instructions\n", /* one run */
        "x on sm_70: 2 HMMA,; 2 instructions\n",
        "x on sm_70: 2 HMMA, none; 2 instructions\n",
        "x on sm_70: ; 2 instructions\n",
        "x on sm_70: 2 HMMA; 1 instruction\n", /* fewer than those */
        "x on sm_70: 2 HMMA; 2 instruction\n",
        "x on sm_70: none; 1 instructions\n",
        "x on sm_70: none; 0 instructions\n",
        "x on sm_70: none; 1234567 instructions\n",
        "x on sm_70: none\n",
    };
    struct codegen row;
    for (size_t n = 0; n < sizeof lines / sizeof *lines; n++)
        if (codegen_parse(lines[n], &row))
            fail_msg("'%s' is taken", lines[n]);
}

/* A name or a list that is longer than what there is room for. */
static void what_is_too_long_is_refused(void **state) {
    (void)state;
    static char line[4096];
    struct codegen row;
    size_t length = 0;
    memset(line, 'x', MAPPING_OPCODE_SIZE);
    strcpy(line + MAPPING_OPCODE_SIZE, " on sm_70: none; 1 instruction\n");
    assert_false(codegen_parse(line, &row));
    assert_true(codegen_parse(line + 1, &row));
    length = (size_t)snprintf(line, sizeof line, "x on sm_70: 1 HMMA");
    while (length < 2000)
        length += (size_t)snprintf(line + length, sizeof line - length, ", 1 IMMA, 1 HMMA");
    strcpy(line + length, "; 900 instructions\n");
    assert_false(codegen_parse(line, &row));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_is_recorded_once_on_what_has_it),
        cmocka_unit_test(no_other_opcode_is_recorded),
        cmocka_unit_test(what_is_recorded_is_what_others_have_seen),
        cmocka_unit_test(instructions_of_an_emulation_are_counted),
        cmocka_unit_test(all_of_wgmma_is_one_instruction),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(runs_of_instructions_are_read),
        cmocka_unit_test(a_row_is_read),
        cmocka_unit_test(what_is_no_row_is_refused),
        cmocka_unit_test(what_is_too_long_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
