/* execute_test.c - the executor, opcode by opcode.
 *
 * Each program is written as nvdisasm prints it. Expected values are derived by hand from the PTX
 * instruction of the same name, and written as C arithmetic on the lane's number. */
#include "source/sass/execute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INPUT UINT64_C(0x7000fffffff0)
#define OUTPUT UINT64_C(0x7100ffffff00)

/* The result of a run. The input holds 0x03020100, 0x07060504 ... */
struct outcome {
    enum mapping_status status;
    struct mapping_error error;
    uint8_t input[256], output[32 * 8], written[32 * 8];
};

/* Runs a program with its parameters at c[0x0][0x160]. */
static struct outcome run(const char *program) {
    struct outcome outcome = {.error.message = ""};
    struct listing listing;
    struct limit limit = limit_begin(60);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fputs("\t.section\t.nv.info.k0,\"\",@\"SHT_CUDA_INFO\"\n"
          "\t//----- nvinfo : EIATTR_PARAM_CBANK\n"
          "        /*0050*/ \t.byte\t0x04, 0x0a\n"
          "        /*0052*/ \t.short\t(.L_23 - .L_22)\n"
          "        /*0058*/ \t.short\t0x0160\n"
          "        /*005a*/ \t.short\t0x0010\n"
          "\t.section\t.text.k0,\"ax\",@progbits\n",
          file);
    unsigned address = 0;
    for (const char *line = program; *line; line += strcspn(line, "\n") + 1) {
        int length = (int)strcspn(line, "\n");
        if (*line == '.')
            fprintf(file, "%.*s\n", length, line);
        else
            fprintf(file, "        /*%04x*/        %.*s ;\n", address++ * 16, length, line);
    }
    fclose(file);
    char *copy = strcpy(memory_get(size + 1, 1), text);
    free(text);
    for (size_t byte = 0; byte < sizeof outcome.input; byte++)
        outcome.input[byte] = (uint8_t)byte;
    struct buffer input = {INPUT, sizeof outcome.input, outcome.input};
    struct buffer output = {OUTPUT, sizeof outcome.output, outcome.output};
    outcome.status = listing_parse(copy, &limit, &listing, &outcome.error);
    if (outcome.status == MAPPING_OK) {
        struct kernel kernel;
        assert_int_equal(listing_kernel(&listing, "k0", &kernel, &outcome.error), MAPPING_OK);
        outcome.status = execute(&kernel, &input, &output, outcome.written, &limit, &outcome.error);
    }
    listing_free(&listing);
    return outcome;
}

/* Before the instructions under test: R0 is the lane, R2 and R3 are the address at which it stores
 * 8 bytes. */
#define BEGIN                                                                                      \
    "S2R R0, SR_LANEID\n"                                                                          \
    "IMAD.WIDE.U32 R2, R0, 0x8, c[0x0][0x168]\n"
#define STORE_R4 "STG.E [R2.64], R4\nEXIT\n"
#define STORE_R4_R5 "STG.E.64 [R2.64], R4\nEXIT\n"

static uint32_t lane_word(const struct outcome *outcome, unsigned lane, unsigned word) {
    uint32_t value;
    memcpy(&value, outcome->output + (size_t)lane * 8 + (size_t)word * 4, 4);
    return value;
}

static struct outcome run_well(const char *program) {
    struct outcome outcome = run(program);
    if (outcome.status != MAPPING_OK)
        fail_msg("%s\nin\n%s", outcome.error.message, program);
    return outcome;
}

/* Runs instructions that leave a result in R4, and compares it in every lane. */
#define EXPECT(instructions, value)                                                                \
    do {                                                                                           \
        struct outcome outcome_ = run_well(BEGIN instructions STORE_R4);                           \
        for (uint32_t lane = 0; lane < 32; lane++)                                                 \
            assert_int_equal(lane_word(&outcome_, lane, 0), (uint32_t)(value));                    \
    } while (0)

/* The same for 64 bits in R4 and R5. */
#define EXPECT_WIDE(instructions, value)                                                           \
    do {                                                                                           \
        struct outcome outcome_ = run_well(BEGIN instructions STORE_R4_R5);                        \
        for (uint64_t lane = 0; lane < 32; lane++) {                                               \
            assert_int_equal(lane_word(&outcome_, (unsigned)lane, 0), (uint32_t)(value));          \
            assert_int_equal(lane_word(&outcome_, (unsigned)lane, 1),                              \
                             (uint32_t)((uint64_t)(value) >> 32));                                 \
        }                                                                                          \
    } while (0)

/* Runs instructions that must be refused with a message that contains `part`. */
static void expect_refusal(const char *program, const char *part) {
    struct outcome outcome = run(program);
    assert_int_equal(outcome.status, MAPPING_FAILED);
    if (!strstr(outcome.error.message, part))
        fail_msg("'%s' does not say '%s'", outcome.error.message, part);
}

static void moves(void **state) {
    (void)state;
    EXPECT("MOV R4, R0\n", lane);
    EXPECT("MOV R4, 0x12345678\n", 0x12345678);
    EXPECT("MOV R4, c[0x0][0x16c]\n", OUTPUT >> 32);
    EXPECT("S2R R4, SR_TID.X\n", lane);
    EXPECT("UMOV UR4, 0x7\nMOV R4, UR4\n", 7);
    EXPECT("MOV R4, R0\nMOV RZ, 0x5\nIADD3 R4, R4, RZ, RZ\n", lane);
    EXPECT("IMAD.MOV.U32 R4, RZ, RZ, R0.reuse\n", lane);
    EXPECT("IMAD.U32 R4, RZ, RZ, c[0x0][0x160]\n", INPUT & 0xffffffff);
    EXPECT("HFMA2.MMA R4, -RZ, RZ, 0, 9.5367431640625e-07\n", 0x10);
    EXPECT("HFMA2 R4, -RZ, RZ, 1, -2\n", 0x3c00c000);
    EXPECT_WIDE("LDC.64 R4, c[0x0][0x168]\n", OUTPUT);
    EXPECT("LDC R4, c[0x0][0x160]\n", INPUT & 0xffffffff);
    EXPECT_WIDE("ULDC.64 UR6, c[0x0][0x160]\nMOV R4, UR6\nMOV R5, UR7\n", INPUT);
    EXPECT("ULDC UR6, c[0x0][0x164]\nMOV R4, UR6\n", INPUT >> 32);
    EXPECT("LDCU UR6, c[0x0][0x164]\nMOV R4, UR6\n", INPUT >> 32);
    EXPECT_WIDE("LDCU.128 UR8, c[0x0][0x160]\nMOV R4, UR10\nMOV R5, UR11\n", OUTPUT);
    EXPECT_WIDE("LDCU.64 UR8, c[0x0][0x168]\nMOV R4, UR8\nMOV R5, UR9\n", OUTPUT);
}

static void multiplications(void **state) {
    (void)state;
    EXPECT("IMAD R4, R0, 0x6, R0\n", 7 * lane);
    EXPECT("IMAD R4, R0, -0x1, RZ\n", 0 - lane);
    EXPECT("IMAD R4, -R0, 0x3, R0\n", 0 - 2 * lane);
    EXPECT("IMAD.SHL.U32 R4, R0, 0x8, RZ\n", lane << 3);
    EXPECT("IMAD.IADD R4, R0, 0x1, R0\n", 2 * lane);
    EXPECT("MOV R5, 0x80000001\nIMAD R4, R5, R0, RZ\n", lane * 0x80000001);
    EXPECT_WIDE("MOV R6, 0xffffffff\nIMAD.WIDE.U32 R4, R6, R0, c[0x0][0x160]\n",
                lane * 0xffffffff + INPUT);
    EXPECT_WIDE("MOV R6, 0xffffffff\nIMAD.WIDE R4, R6, R0, c[0x0][0x160]\n", INPUT - lane);
    EXPECT_WIDE("MOV R4, 0x5\nMOV R5, 0x1\nIMAD.WIDE.U32 R4, R4, R0, R4\n", 5 * lane + 0x100000005);
    EXPECT("UMOV UR4, 0x7\nUIMAD.WIDE.U32 UR6, UR4, 0x3, URZ\nMOV R4, UR6\n", 21);
    EXPECT("UMOV UR4, 0x7\nUIMAD UR6, UR4, UR4, UR4\nMOV R4, UR6\n", 56);
    /* An unknown register times zero is zero. */
    EXPECT("IMAD R4, R77, RZ, R0\n", lane);
}

static void additions(void **state) {
    (void)state;
    EXPECT("IADD R4, R0, -0x3\n", lane - 3);
    EXPECT("IADD3 R4, R0, 0x10, R0\n", 2 * lane + 16);
    EXPECT("IADD3 R4, PT, PT, R0, 0x10, RZ\n", lane + 16);
    EXPECT("IADD3 R4, -R0, 0x10, RZ\n", 16 - lane);
    EXPECT_WIDE("IADD3 R4, P0, R0, c[0x0][0x160], RZ\nIADD3.X R5, RZ, c[0x0][0x164], RZ, P0, !PT\n",
                INPUT + lane);
    EXPECT_WIDE("IADD3 R4, P0, PT, R0, c[0x0][0x160], RZ\n"
                "IADD3.X R5, PT, PT, RZ, c[0x0][0x164], RZ, P0, !PT\n",
                INPUT + lane);
    EXPECT_WIDE(
        "MOV R6, 0xffffffff\nIADD3 R4, P0, P1, R6, R6, R6\nIADD3.X R5, RZ, RZ, RZ, P0, P1\n",
        3 * UINT64_C(0xffffffff));
    EXPECT_WIDE("IADD3 R4, P0, R0, c[0x0][0x160], RZ\nIMAD.X R5, RZ, RZ, c[0x0][0x164], P0\n",
                INPUT + lane);
    EXPECT_WIDE("MOV R6, R0\nMOV R7, RZ\nLDC.64 R8, c[0x0][0x160]\nIADD.64 R4, R6, R8\n",
                INPUT + lane);
    EXPECT_WIDE("LDC.64 R8, c[0x0][0x160]\nIADD.64 R4, R8, 0x20\n", INPUT + 32);
    EXPECT("LEA R4, R0, 0x3, 0x4\n", 16 * lane + 3);
    EXPECT_WIDE("MOV R6, R0\nMOV R7, RZ\nLEA R4, P0, R6, c[0x0][0x168], 0x4\n"
                "LEA.HI.X R5, R6, c[0x0][0x16c], R7, 0x4, P0\n",
                OUTPUT + 16 * lane);
    /* The bits that the shift moves into the upper half count too. */
    EXPECT_WIDE("MOV R6, 0xf0000001\nMOV R7, R0\nLEA R4, P0, R6, c[0x0][0x168], 0x8\n"
                "LEA.HI.X R5, R6, c[0x0][0x16c], R7, 0x8, P0\n",
                OUTPUT + ((lane << 32 | 0xf0000001) << 8));
}

static void bits(void **state) {
    (void)state;
    EXPECT("SHF.L.U32 R4, R0, 0x5, RZ\n", lane << 5);
    EXPECT("SHF.R.U32.HI R4, RZ, 0x2, R0\n", lane >> 2);
    EXPECT("MOV R5, 0xffffffff\nSHF.R.U32.HI R4, R5, 0x2, R0\n", lane >> 2);
    EXPECT("UMOV UR4, 0x70\nUSHF.R.U32.HI UR5, URZ, 0x4, UR4\nUSHF.L.U32 UR5, UR5, 0x8, URZ\n"
           "MOV R4, UR5\n",
           0x700);
    EXPECT("LOP3.LUT R4, R0, 0xc, RZ, 0xc0, !PT\n", lane & 12);
    EXPECT("LOP3.LUT R4, R0, 0xc, R0, 0x3c, !PT\n", lane ^ 12);
    EXPECT("SHF.L.U32 R5, R0, 0x3, RZ\nLOP3.LUT R4, R5, 0x8, R0, 0xe2, !PT\n",
           ((lane << 3) & 8) | (lane & ~8U));
    EXPECT("MOV R5, 0xbbaa9988\nMOV R6, 0x33221100\nPRMT R4, R6, 0x5410, R5\n", 0x99881100);
    /* Unknown bits that a mask cuts off do no harm. */
    EXPECT("LOP3.LUT R4, R77, RZ, R0, 0xea, !PT\n", lane);
    EXPECT("PRMT R5, R0, 0x5410, R77\nLOP3.LUT R4, R5, 0xffff, RZ, 0xc0, !PT\n", lane);
}

/* The transpose of an 8x8 matrix whose element (r, c) is 8 r + c (PTX ISA, movmatrix). */
static void transposes(void **state) {
    (void)state;
    EXPECT("IMAD R5, R0, 0x2, RZ\nIMAD R6, R0, 0x2, RZ\nIADD R6, R6, 0x1\nPRMT R5, R5, 0x5410, R6\n"
           "MOVM.16.MT88 R4, R5\n",
           (lane % 4 * 2 * 8 + lane / 4) | (lane % 4 * 2 * 8 + 8 + lane / 4) << 16);
}

static void conditions(void **state) {
    (void)state;
    EXPECT("MOV R4, 0x1\nISETP.NE.U32.AND P0, PT, R0, 0x3, PT\n@P0 MOV R4, 0x2\n",
           lane == 3 ? 1 : 2);
    EXPECT("MOV R4, 0x1\nISETP.EQ.AND P1, PT, R0, 0x3, PT\n@!P1 MOV R4, 0x2\n", lane == 3 ? 1 : 2);
    EXPECT("MOV R4, 0x1\nISETP.EQ.AND P1, PT, R0, R0, !PT\n@P1 MOV R4, 0x2\n", 1);
    /* An instruction under @!PT is not executed, so it need not be supported. */
    EXPECT("MOV R4, 0x1\n@!PT SHFL.IDX PT, RZ, RZ, RZ, RZ\nNOP\nBMOV.32 B0, 0xffffffff\n"
           "BMOV.32.CLEAR B1, B0\n",
           1);
    /* Threads that have left store nothing; of each there are 8 bytes. */
    struct outcome outcome = run_well(BEGIN "ISETP.NE.AND P0, PT, R0, 0x3, PT\n@P0 EXIT\n"
                                            "STG.E [R2.64], R0\nEXIT\n");
    assert_int_equal(outcome.written[24], 1);
    assert_int_equal(outcome.written[32], 0);
}

static void branches(void **state) {
    (void)state;
    EXPECT("MOV R4, 0x1\nBRA `(.L_x_0)\nMOV R4, 0x2\n.L_x_0:\n", 1);
    EXPECT(
        "MOV R4, 0x1\nISETP.NE.AND P0, PT, RZ, 0x1, PT\n@!P0 BRA `(.L_x_0)\nMOV R4, 0x2\n.L_x_0:\n",
        2);
    /* As sm_87 starts: UR2 was never written, but both ways lead to the same result. */
    EXPECT("ISETP.NE.U32.AND P0, PT, RZ, UR2, PT\n@P0 BRA `(.L_x_0)\nBMOV.32 B0, 0xffffffff\n"
           "UMOV UR2, 0x1\n.L_x_0:\nMOV R4, 0x5\n",
           5);
    expect_refusal(BEGIN "ISETP.NE.U32.AND P0, PT, RZ, UR2, PT\nMOV R4, 0x4\n@P0 BRA `(.L_x_0)\n"
                         "MOV R4, 0x5\n.L_x_0:\n" STORE_R4,
                   "depends on a branch with an undefined predicate");
    expect_refusal(BEGIN "ISETP.NE.AND P0, PT, R0, 0x3, PT\n@P0 BRA `(.L_x_0)\n.L_x_0:\nEXIT\n",
                   "only some threads branch");
    expect_refusal(".L_x_0:\nBRA `(.L_x_0)\n", "does not end within");
    expect_refusal("BRA `(.L_x_9)\n", "target");
    expect_refusal("NOP\n", "ends without EXIT");
}

static void memory(void **state) {
    (void)state;
#define LOAD "LDC.64 R8, c[0x0][0x160]\n"
    EXPECT(LOAD "LDG.E R4, [R8.64+0x8]\n", 0x0b0a0908);
    EXPECT(LOAD "LDG.E.SYS R4, [R8+0x8]\n", 0x0b0a0908);
    EXPECT(LOAD "LDG.E.U8 R4, [R8.64+0x3]\n", 3);
    EXPECT(LOAD "LDG.E.U16 R4, desc[UR4][R8.64+0x2]\n", 0x0302);
    EXPECT(LOAD "LDG.E R4, [R8.64+0x14]\n", 0x17161514);
    EXPECT_WIDE(LOAD "LDG.E.64 R4, [R8.64]\n", 0x0706050403020100);
    EXPECT_WIDE(LOAD "LDG.E.128 R12, [R8.64+0x10]\nMOV R4, R14\nMOV R5, R15\n", 0x1f1e1d1c1b1a1918);
    EXPECT("ULDC.64 UR4, c[0x0][0x160]\nIMAD.SHL.U32 R8, R0, 0x4, RZ\nMOV R9, RZ\n"
           "LDG.E.SYS R4, [R8.64+UR4+0x8]\n",
           0x03020100 + 0x04040404 * (lane + 2));
    struct outcome outcome =
        run_well(BEGIN "STG.E.U8 [R2.64+0x1], R0\nSTG.E.U16.SYS [R2+0x2], R0\nEXIT\n");
    assert_int_equal(outcome.output[9], 1);
    assert_int_equal(outcome.output[10], 1);
    assert_int_equal(outcome.written[8], 0);
    assert_int_equal(outcome.written[9] + outcome.written[10] + outcome.written[11], 3);
    assert_int_equal(outcome.written[12], 0);

    expect_refusal(LOAD "LDG.E R4, [R8.64-0x4]\nEXIT\n", "not supported");
    expect_refusal(LOAD "LDG.E R4, [R8.64+-0x4]\nEXIT\n", "outside the input of 256 bytes");
    expect_refusal(LOAD "LDG.E R4, [R8.64+0x100]\nEXIT\n", "outside the input");
    expect_refusal(LOAD "LDG.E R4, [R8.64+0x2]\nEXIT\n", "not aligned to 4 bytes");
    expect_refusal(LOAD "STG.E [R8.64], R8\nEXIT\n", "outside the output");
    expect_refusal("LDC.64 R8, c[0x0][0x168]\nLDG.E R4, [R8.64]\nEXIT\n", "outside the input");
    expect_refusal("LDC.64 R8, c[0x0][0x168]\nS2R R0, SR_TID.X\nSTG.E [R8.64], R0\nEXIT\n",
                   "overwrites an earlier store");
}

/* A register that was never written may be read, but its value must not matter. */
static void unwritten_registers(void **state) {
    (void)state;
    expect_refusal(BEGIN "MOV R4, R77\n" STORE_R4, "never written");
    expect_refusal(BEGIN "MOV R4, c[0x0][0x28]\n" STORE_R4, "never written");
    expect_refusal("LDG.E R4, [R76.64]\nEXIT\n", "never written");
    expect_refusal(BEGIN "@P3 MOV R4, R0\n" STORE_R4, "predicate is undefined");
    expect_refusal(BEGIN "@UP3 MOV R4, R0\n" STORE_R4, "predicate is undefined");
    expect_refusal(BEGIN "PRMT R4, R0, 0x5410, R77\n" STORE_R4, "never written");
    run_well(BEGIN "PRMT R4, R0, 0x5410, R77\nSTG.E.U16 [R2.64], R4\nEXIT\n");
}

static void everything_else_is_refused_by_name(void **state) {
    (void)state;
    expect_refusal("HMMA.16816.F32 R4, R4, R8, R4\nEXIT\n", "at 0x0000, HMMA.16816.F32");
    expect_refusal("NOP\nIMAD.HI.U32 R4, R4, R8, R4\nEXIT\n", "at 0x0010, IMAD.HI.U32");
    expect_refusal("MOV R4, R5, R6\nEXIT\n", "3 operands");
    expect_refusal("MOV R4, SR_TID.X\nEXIT\n", "'SR_TID.X'");
    expect_refusal("S2R R4, SR_CTAID.X\nEXIT\n", "SR_CTAID.X");
    expect_refusal("MOV R4, c[0x3][0x0]\nEXIT\n", "c[0x3][0x0]");
    expect_refusal("MOV R4, |R5|\nEXIT\n", "'|R5|'");
    expect_refusal("MOV R4, ~R5\nEXIT\n", "'~R5'");
    expect_refusal("MOV R4, R300\nEXIT\n", "'R300'");
    expect_refusal("LDG.E R4, [R8.64+UR4+UR6]\nEXIT\n", "not supported");
    expect_refusal("LOP3.LUT R4, R5, R6, R7, 0x100, !PT\nEXIT\n", "'0x100'");
    expect_refusal("LOP3.LUT R4, R5, R6, R7, 0xc0, PT\nEXIT\n", "!PT");
    expect_refusal("HFMA2 R4, R5, RZ, 0, 0\nEXIT\n", "half-precision arithmetic");
    expect_refusal("HFMA2 R4, -RZ, RZ, 0, 0.1\nEXIT\n", "half-precision");
    expect_refusal("SHF.L.U32 R4, R5, R6, RZ\nEXIT\n", "'R6'");
    expect_refusal("SHF.L.U32 R4, R5, 0x20, RZ\nEXIT\n", "'0x20'");
    expect_refusal("UMOV UR4, R5\nEXIT\n", "not uniform");
    expect_refusal("IADD3 R4, P0, -R5, R6, R7\nEXIT\n", "'-R5'");
    expect_refusal("ISETP.EQ.AND P0, P1, RZ, RZ, PT\nEXIT\n", "second result");
    expect_refusal("BMOV.32 R4, B0\nEXIT\n", "'R4'");
    expect_refusal("@P0\nEXIT\n", "line 8");
    expect_refusal("mov r0, r1\nEXIT\n", "'mov r0, r1'");
}

/* A result has exactly 32 bits, and is known only if all inputs are. */
static void results_are_neither_more_nor_less(void **state) {
    (void)state;
    EXPECT("MOV R5, 0xffffffff\nIADD R5, R5, 0x1\nMOV R4, 0x1\nISETP.EQ.AND P0, PT, R5, RZ, PT\n"
           "@P0 MOV R4, 0x2\n",
           2);
    EXPECT_WIDE("MOV R6, 0xffffffff\nIMAD.WIDE R4, R0, R6, c[0x0][0x160]\n", INPUT - lane);
    EXPECT_WIDE("UMOV UR4, 0xffffffff\nUIMAD.WIDE UR6, UR4, 0x3, URZ\nMOV R4, UR6\nMOV R5, UR7\n",
                -3);
    EXPECT_WIDE("MOV R6, 0xf1000001\nMOV R7, R0\nLEA R4, P0, R6, c[0x0][0x168], 0x8\n"
                "LEA.HI.X R5, R6, c[0x0][0x16c], R7, 0x8, P0\n",
                OUTPUT + ((lane << 32 | 0xf1000001) << 8));
    EXPECT("MOV R5, 0xffffffff\nMOV R4, 0x1\nIADD3 R5, P0, P1, R5, R5, RZ\n@P1 MOV R4, 0x2\n", 1);
    EXPECT("UMOV UR8, 0x9\nULDC.64 UR6, c[0x0][0x160]\nMOV R4, UR8\n", 9);
    EXPECT("ISETP.EQ.AND UP0, PT, RZ, RZ, PT\nMOV R4, 0x1\n@UP0 MOV R4, 0x2\n", 2);
    EXPECT("MOV R4, 0x1\nISETP.EQ.U32.AND P1, PT, R0, 0x3, PT\n@!P1 MOV R4, 0x2\n",
           lane == 3 ? 1 : 2);
    expect_refusal(BEGIN "IADD3 R5, P0, R77, R0, RZ\nIADD3.X R4, RZ, RZ, RZ, P0, !PT\n" STORE_R4,
                   "never written");
    expect_refusal(BEGIN "ISETP.EQ.AND P0, PT, R77, RZ, PT\n@P0 MOV R4, R0\nEXIT\n",
                   "predicate is undefined");
    expect_refusal(BEGIN "ISETP.EQ.AND P0, PT, R0, RZ, P3\n@P0 MOV R4, R0\nEXIT\n",
                   "predicate is undefined");
    expect_refusal(BEGIN "MOV R4, c[0x0][0x170]\n" STORE_R4, "never written");
    expect_refusal("MOV R8, 0xfffffff0\nLDG.E R4, [R8.64]\nEXIT\n", "never written");
}

/* Unsupported forms of supported instructions. */
static void other_forms_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *instruction, *part;
    } cases[] = {
        {"IMAD.WIDE.U32 R4, -R0, 0x3, RZ\n", "'-R0'"},
        {"IADD3.X R4, -R0, RZ, RZ, !PT, !PT\n", "'-R0'"},
        {"LEA R4, P0, -R0, R0, 0x3\n", "'-R0'"},
        {"LEA.HI.X R4, -R0, RZ, RZ, 0x3, !PT\n", "'-R0'"},
        {"LOP3.LUT R4, R0, R0, R0, 0xc0, P3\n", "!PT"},
        {"ISETP.EQ.AND P0, R7, R0, RZ, PT\n", "second result"},
        {"ISETP.EQ.AND P0, UPT, R0, RZ, PT\n", "second result"},
        {"HFMA2 R4, RZ, RZ, 0, 0\n", "half-precision arithmetic"},
        {"HFMA2 R4, -URZ, RZ, 0, 0\n", "half-precision arithmetic"},
        {"BMOV.32.CLEAR UB1, B0\n", "'UB1'"},
        {"HFMA2 R4, -RZ, -RZ, 0, 0\n", "half-precision arithmetic"},
        {"IADD.64 R4, R254, RZ\n", "'R254'"},
        {"IADD.64 R4, RZ, -R8\n", "'-R8'"},
        {"IADD.64 R4, RZ, -c[0x0][0x160]\n", "not supported"},
        {"IADD.64 R4, RZ, -0x20\n", "'-0x20'"},
        {"MOV -R4, R0\n", "'-R4'"},
        {"MOV R4, R255\n", "'R255'"},
        {"MOV R4, c[0x0][0x162]\n", "not supported"},
        {"MOV R4, c[0x0][0x160].H1\n", "not supported"},
        {"MOV R4, c[0x0]..0x160]\n", "not supported"},
        {"S2R UR4, SR_TID.X\n", "not supported"},
        {"LDG.E R4, [R8.64+0x4+0x8]\n", "not supported"},
        {"LDG.E R4, [R8]\n", "not supported"},
        {"LDG.E R4, desc[UR4x][R8.64]\n", "not supported"},
        {"STG.E [R2.64], -R0\n", "'-R0'"},
        {"STG.E.64 [R2.64], ~R0\n", "'~R0'"},
        {"LDG.E R4, [RZ.64+0x10]\n", "outside the input"},
        {"MOVM.16.MT88 R4, R0, R0\n", "only if all threads execute it"},
        {"STG.E.64 [R2.64], -R0\n", "'-R0'"},
        {"STG.E.64 [R2.64], c[0x0][0x160]\n", "not supported"},
        {"MOV ~R4, R0\n", "'~R4'"},
        {"MOV R4, ~c[0x0][0x160]\n", "'~c[0x0][0x160]'"},
        {"MOV R4, -c[0x0][0x160]\n", "'-c[0x0][0x160]'"},
        {"IADD.64 R4, RZ, ~R8\n", "'~R8'"},
        {"LDG.E R4, [UR4]\n", "'[UR4]'"},
        {"LDG R4, [R8.64]\n", "LDG: "},
        {"BRA R0\n", "target"},
        {"BRA `(.L_x_0), R0\n.L_x_0:\n", "target"},
        {"BRA `[.L_x_0)\n.L_x_0:\n", "target"},
        {"BRA `(.L_x_0]\n.L_x_0:\n", "target"},
        {"IADD3 R4, P0, P1\n", "3 operands"},
        {"IADD3 R4, P0, P1, P2, R0, R0, R0\n", "7 operands"},
        {"IADD3 R4, P0, P1, P2, R0, R0\n", "'P2'"},
        {"LEA R4, P0, P1, R0, R0, 0x3\n", "6 operands"},
        {"HFMA2 R4, 0x1, RZ, 0, 0\n", "half-precision arithmetic"},
        {"HFMA2 R4, -RZ, 0x0, 0, 0\n", "half-precision arithmetic"},
        {"HFMA2 R4, -RZ, R5, 0, 0\n", "half-precision arithmetic"},
        {"HFMA2 R4, -RZ, RZ, R5, 0\n", "'R5'"},
        {"MOV R4, RZ4\n", "'RZ4'"},
        {"MOV R4, RZ_\n", "'RZ_'"},
        {"MOV R4, c[0x0][R5]\n", "'c[0x0][R5]'"},
        {"LDG.E R4, desc[UR4]R8.64]\n", "'desc[UR4]R8.64]'"},
        {"ISETP.NE.AND P0, PT, R0, 0x3, PT\n@P0 MOVM.16.MT88 R4, R0\n",
         "only if all threads execute it"},
        {"ISETP.NE.U32.AND P0, PT, RZ, UR2, PT\n@P0 BRA `(.L_x_0)\nSTG.E [R2.64], R0\n.L_x_0:\n",
         "depends on a branch"},
        {"ISETP.NE.U32.AND P0, PT, RZ, UR2, PT\n@P0 BRA `(.L_x_0)\n@P0 BRA `(.L_x_0)\n.L_x_0:\n",
         "several branches"},
        /* The second branch is reached only if the first one is taken. */
        {"@P1 BRA `(.L_x_0)\nSTG.E [R2.64], R0\nEXIT\n.L_x_0:\n@P2 BRA `(.L_x_1)\nSTG.E [R2.64], "
         "RZ\n"
         "EXIT\n.L_x_1:\nSTG.E [R2.64], R0\n",
         "several branches"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char program[512];
        snprintf(program, sizeof program, BEGIN "%sEXIT\n", cases[c].instruction);
        expect_refusal(program, cases[c].part);
    }
    expect_refusal("@-PT NOP\nEXIT\n", "'-PT'");
    EXPECT("LDC.64 R8, c[0x0][0x160]\nIADD.64 R8, R8, 0x8\nLDG.E R4, [R8.64+-0x4]\n", 0x07060504);
    EXPECT("LDC.64 R8, c[0x0][0x160]\nLDG.E R4, [R8.64+URZ+0x4]\n", 0x07060504);
    run_well("LDC.64 R8, c[0x0][0x168]\nSTG.E [R8.64], RZ\nEXIT\n"); /* all lanes the same */
}

/* Every instruction has as many operands as nvdisasm prints, no more and no fewer. */
static void other_numbers_of_operands_are_refused(void **state) {
    (void)state;
    static const char *const instructions[] = {
        "MOV R4, R0",
        "S2R R4, SR_LANEID",
        "IMAD R4, R0, R0, RZ",
        "IMAD.X R4, R0, RZ, RZ, P0",
        "IMAD.WIDE.U32 R4, R0, 0x3, RZ",
        "IADD R4, R0, R0",
        "IADD.64 R4, R2, R2",
        "IADD3 R4, R0, R0, RZ",
        "IADD3.X R4, R0, RZ, RZ, !PT, !PT",
        "LEA R4, R0, R0, 0x3",
        "LEA.HI.X R4, R0, RZ, RZ, 0x3, !PT",
        "SHF.L.U32 R4, R0, 0x1, RZ",
        "LOP3.LUT R4, R0, R0, R0, 0xc0, !PT",
        "PRMT R4, R0, 0x3210, RZ",
        "ISETP.EQ.AND P0, PT, R0, RZ, PT",
        "LDC R4, c[0x0][0x160]",
        "LDG.E R4, [R8.64]",
        "STG.E [R2.64], R0",
        "HFMA2 R4, -RZ, RZ, 0, 0",
        "BMOV.32.CLEAR RZ, B0",
    };
    for (size_t n = 0; n < sizeof instructions / sizeof *instructions; n++) {
        char program[256];
        const char *last = strrchr(instructions[n], ',');
        snprintf(program, sizeof program, BEGIN "MOV R8, R2\nMOV R9, R3\n%.*s\nEXIT\n",
                 (int)(last - instructions[n]), instructions[n]);
        struct outcome outcome = run(program);
        if (outcome.status != MAPPING_FAILED || !strstr(outcome.error.message, "not supported"))
            fail_msg("%s: '%s'", program, outcome.error.message);
        snprintf(program, sizeof program, BEGIN "MOV R8, R2\nMOV R9, R3\n%s, RZ, RZ, RZ\nEXIT\n",
                 instructions[n]);
        outcome = run(program);
        if (outcome.status != MAPPING_FAILED || !strstr(outcome.error.message, "not supported"))
            fail_msg("%s: '%s'", program, outcome.error.message);
    }
    expect_refusal("IADD3.X R4, R0, RZ, RZ, R0, !PT\nEXIT\n", "'R0', is not supported");
    expect_refusal("ISETP.EQ.AND R0, PT, RZ, RZ, PT\nEXIT\n", "'R0', is not supported");
    expect_refusal("ISETP.EQ.AND ~P0, PT, RZ, RZ, PT\nEXIT\n", "not supported");
    expect_refusal("LDC R4, R0\nEXIT\n", "'R0' is not supported");
    expect_refusal("LDC.64 R8, c[0x0][0x160]\nLDG.E.64 R254, [R8.64]\nEXIT\n", "not supported");
    expect_refusal("LDG.E R4, R8\nEXIT\n", "not supported");
    expect_refusal(BEGIN "MOV R254, R0\nSTG.E.64 [R2.64], R254\nEXIT\n", "not supported");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_numbers_of_operands_are_refused),
        cmocka_unit_test(moves),
        cmocka_unit_test(multiplications),
        cmocka_unit_test(additions),
        cmocka_unit_test(bits),
        cmocka_unit_test(transposes),
        cmocka_unit_test(conditions),
        cmocka_unit_test(branches),
        cmocka_unit_test(memory),
        cmocka_unit_test(unwritten_registers),
        cmocka_unit_test(everything_else_is_refused_by_name),
        cmocka_unit_test(results_are_neither_more_nor_less),
        cmocka_unit_test(other_forms_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
