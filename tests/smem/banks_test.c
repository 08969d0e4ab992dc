/* banks_test.c - wavefronts of shared memory.
 *
 * Expected values: NVIDIA's documentation; its talk on Volta's tensor cores (GTC 2019), for cases
 * named after it; otherwise counted by hand from the rule in banks.h. */
#include "smem/banks.h"
#include "smem/copy_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KIB = 1024 };

static const struct mapping_access *find(const char *name) {
    const struct mapping_access *access = mapping_access_find(name);
    if (!access)
        fail_msg("there is no %s", name);
    return access;
}

/* The wavefronts of lane * stride. */
static struct mapping_wavefronts strided(const char *name, uint32_t stride) {
    uint32_t address[LANES];
    struct mapping_wavefronts result;
    struct mapping_error error;
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = lane * stride;
    assert_int_equal(mapping_access_check(find(name), address, &error), MAPPING_OK);
    mapping_access_count(find(name), address, &result);
    return result;
}

static struct mapping_wavefronts count(const char *name, const uint32_t address[LANES]) {
    struct mapping_wavefronts result;
    struct mapping_error error;
    assert_int_equal(mapping_access_check(find(name), address, &error), MAPPING_OK);
    mapping_access_count(find(name), address, &result);
    return result;
}

/* ---- One phase ---- */

/* CUDA C++ Programming Guide, Shared Memory, "Strided Shared Memory Accesses": strides of one, two
 * and three 32-bit words are conflict-free, two-way conflicts, conflict-free. */
static void strides_are_as_in_the_programming_guide(void **state) {
    (void)state;
    assert_int_equal(strided("ld.b32", 4).wavefronts, 1);
    assert_int_equal(strided("ld.b32", 8).wavefronts, 2);
    assert_int_equal(strided("ld.b32", 12).wavefronts, 1);
    assert_int_equal(strided("ld.b32", 128).wavefronts, 32);
    assert_int_equal(strided("ld.b32", 132).wavefronts, 1);
    assert_int_equal(strided("st.b32", 128).wavefronts, 32);
}

/* The same guide, "Irregular Shared Memory Accesses": threads that access the same word within a
 * bank, or all one word, are broadcast to. */
static void same_words_are_no_conflict(void **state) {
    (void)state;
    uint32_t address[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] =
            4 * (lane == 3 || lane == 4 || lane == 6 || lane == 7 || lane == 9 ? 5 : lane);
    assert_int_equal(count("ld.b32", address).wavefronts, 1);
    assert_int_equal(strided("ld.b32", 0).wavefronts, 1);
    assert_int_equal(strided("st.b32", 0).wavefronts, 1);
}

static void narrow_accesses_share_words(void **state) {
    (void)state;
    assert_int_equal(strided("ld.u8", 1).wavefronts, 1);
    assert_int_equal(strided("ld.u16", 2).wavefronts, 1);
    assert_int_equal(strided("ld.u8", 32).wavefronts, 8);
    assert_int_equal(strided("st.u16", 64).wavefronts, 16);
}

static void banks_and_lanes_are_named(void **state) {
    (void)state;
    uint32_t address[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = 4 * lane;
    address[7] = 128 + 20; /* bank 5, as lane 5 */
    address[9] = 128 + 20;
    struct mapping_wavefronts result = count("ld.b32", address);
    assert_int_equal(result.wavefronts, 2);
    assert_int_equal(result.phase_count, 1);
    assert_int_equal(result.phases[0].bank, 5);
    assert_int_equal(result.phases[0].meeting, 1U << 5 | 1U << 7 | 1U << 9);
    assert_int_equal(result.phases[0].lanes, UINT32_MAX);
}

/* ---- Several phases ---- */

/* GTC 2019, "Conflict-Free Access to Shared Memory": 8-byte words are accessed in 2 phases of 16
 * threads, 16-byte words in 4 of 8 consecutive threads. */
static void wide_accesses_have_the_phases_of_volta(void **state) {
    (void)state;
    struct mapping_wavefronts result = strided("ld.b64", 8);
    assert_int_equal(result.wavefronts, 2);
    assert_int_equal(result.minimum, 2);
    assert_int_equal(result.phases[0].lanes, 0x0000ffff);
    assert_int_equal(result.phases[1].lanes, 0xffff0000);
    result = strided("ld.b128", 16);
    assert_int_equal(result.wavefronts, 4);
    assert_int_equal(result.minimum, 4);
    for (uint32_t p = 0; p < 4; p++)
        assert_int_equal(result.phases[p].lanes, UINT32_C(0xff) << (8 * p));
    assert_int_equal(strided("st.b128", 32).wavefronts, 8);
}

/* The same talk, "Pointer Offsets for Permuted Shared Memory": its code stores and loads 128 bits
 * without conflicts; the canonical layout does not, where 8 lanes of a phase load one column. */
static void permuted_tiles_of_volta_are_without_conflicts(void **state) {
    (void)state;
    uint32_t store[LANES], column[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t c = lane % 8, s = lane / 8;
        uint32_t row = (c & 1) | ((c >> 1) & 2), bank = ((c << 1) & 4) | (s ^ row);
        store[lane] = 16 * (row * 8 + bank);
        column[lane] = 16 * (c * 8 + s);
    }
    assert_int_equal(count("st.b128", store).wavefronts, 4);
    assert_int_equal(count("ld.b128", store).wavefronts, 4);
    assert_int_equal(count("st.b128", column).wavefronts, 32);
}

/* 128 bits, by one lane, are 4 words of 4 banks. */
static void inactive_lanes_ask_for_nothing(void **state) {
    (void)state;
    uint32_t address[LANES];
    memset(address, 0xff, sizeof address);
    struct mapping_wavefronts result = count("st.b128", address);
    assert_int_equal(result.wavefronts, 0);
    assert_int_equal(result.minimum, 0);
    address[20] = 160;
    result = count("st.b128", address);
    assert_int_equal(result.wavefronts, 1);
    assert_int_equal(result.minimum, 1);
    assert_int_equal(result.phase_count, 4);
    assert_int_equal(result.phases[2].lanes, 1U << 20);
    assert_int_equal(result.phases[0].wavefronts, 0);
}

/* ---- Phases that become one ---- */

/* lane -> (lane & keep) * stride */
static struct mapping_wavefronts shared(const char *name, uint32_t keep, uint32_t stride) {
    uint32_t address[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = (lane & keep) * stride;
    return count(name, address);
}

static void loads_of_equal_pairs_merge(void **state) {
    (void)state;
    assert_int_equal(shared("ld.b64", ~1U, 4).wavefronts, 1);
    assert_int_equal(shared("ld.b64", ~1U, 4).minimum, 1);
    assert_int_equal(shared("ld.b64", ~2U, 8).wavefronts, 2); /* 16 x 8 bytes in 256: 2-way */
    assert_int_equal(shared("ld.b64", ~2U, 8).phase_count, 1);
    assert_int_equal(shared("ld.b64", ~4U, 8).phase_count, 2);
    assert_int_equal(shared("ld.b128", ~1U, 8).wavefronts, 2);
    assert_int_equal(shared("ld.b128", ~1U, 8).phases[1].lanes, 0xffff0000);
    assert_int_equal(shared("ld.b128", ~8U, 16).phase_count, 4);
    assert_int_equal(shared("ld.b128", 0, 0).wavefronts, 2);
}

static void stores_and_narrow_loads_do_not(void **state) {
    (void)state;
    assert_int_equal(shared("st.b64", ~1U, 4).wavefronts, 2);
    assert_int_equal(shared("st.b128", 0, 0).wavefronts, 4);
    assert_int_equal(shared("ld.b32", ~1U, 2).phase_count, 1);
    assert_int_equal(shared("ldmatrix.x4", 0, 0).wavefronts, 4);
}

/* It is the whole warp that decides, and only who is active. */
static void all_active_pairs_have_to_be_equal(void **state) {
    (void)state;
    uint32_t address[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = lane / 2 * 16;
    address[31] = 0;
    assert_int_equal(count("ld.b128", address).phase_count, 4);
    address[31] = MAPPING_INACTIVE;
    assert_int_equal(count("ld.b128", address).phase_count, 2);
    address[31] = 0, address[30] = MAPPING_INACTIVE;
    assert_int_equal(count("ld.b128", address).phase_count, 2);
    /* Half of the pairs l ^ 1 and the other half l ^ 2 are not enough. */
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = (lane < 16 ? lane & ~1U : lane & ~2U) * 16;
    assert_int_equal(count("ld.b128", address).phase_count, 4);
}

/* ---- Matrices ---- */

static void matrices_are_a_phase_each(void **state) {
    (void)state;
    assert_int_equal(strided("ldmatrix.x4", 16).wavefronts, 4);
    assert_int_equal(strided("ldmatrix.x2.trans", 16).wavefronts, 2);
    assert_int_equal(strided("stmatrix.x1", 128).wavefronts, 8);
    assert_int_equal(strided("ldmatrix.x4", 128).wavefronts, 32);
    assert_int_equal(strided("ldmatrix.x4", 144).wavefronts, 4); /* rows of 128 bytes + 16 */
    assert_int_equal(strided("ldmatrix.x1", 128).phase_count, 1);
    assert_int_equal(strided("ldmatrix.x2", 128).phases[1].lanes, 0xff00);
}

/* ---- Names ---- */

static void every_name_finds_itself(void **state) {
    (void)state;
    size_t a = 0;
    const struct mapping_access *access;
    for (; (access = mapping_access_at(a)); a++)
        if (mapping_access_find(access->name) != access)
            fail_msg("%s finds another operation", access->name);
    assert_null(mapping_access_at(a + 1));
}

/* Every phase has a place in struct mapping_wavefronts, and as many lanes as the others; every
 * register has one in struct mapping_copy_step. */
static void every_operation_has_phases_of_one_size(void **state) {
    (void)state;
    const struct mapping_access *access;
    for (size_t a = 0; (access = mapping_access_at(a)); a++)
        if (access->phases == 0 || access->phases > PHASES_MAX ||
            mapping_access_lanes(access) % access->phases != 0 ||
            (access->merged && mapping_access_lanes(access) % access->merged != 0))
            fail_msg("%s: %u phases; PHASES_MAX is %d", access->name, access->phases, PHASES_MAX);
        else if (access->matrices > LOAD_PIECES || access->bytes / 4 > LOAD_PIECES)
            fail_msg("%s moves more registers than LOAD_PIECES", access->name);
}

/* PTX ISA, "Target ISA Notes": ldmatrix needs sm_75, stmatrix sm_90; ld and st are everywhere.
 * Shapes of 8, 6 and 4 bits need sm_100a or a later one with a letter, .s8.s4 (PTX ISA 9.4) sm_90a.
 */
static void matrices_move_since(void **state) {
    (void)state;
    const struct mapping_access *access;
    for (size_t a = 0; (access = mapping_access_at(a)); a++) {
        const bool has_shape = strstr(access->name, ".m") != NULL;
        const uint32_t since = strstr(access->name, ".s4")                 ? 90
                               : has_shape                                 ? 100
                               : strncmp(access->name, "ldmatrix", 8) == 0 ? 75
                               : strncmp(access->name, "stmatrix", 8) == 0 ? 90
                                                                           : 0;
        if (mapping_access_since(access) != since)
            fail_msg("%s: since sm_%u", access->name, mapping_access_since(access));
        assert_int_equal(mapping_access_needs_letter(access), has_shape);
    }
}

/* PTX ISA: ld, st, ldmatrix, stmatrix; SASS as nvdisasm prints it. */
static void other_spellings_are_understood(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"ld.8", "ld.u8"},
        {"ld.s8", "ld.u8"},
        {"ld.f16", "ld.u16"},
        {"ld.bf16", "ld.u16"},
        {"ld.32", "ld.b32"},
        {"ld.s32", "ld.b32"},
        {"ld.f32", "ld.b32"},
        {"ld.f16x2", "ld.b32"},
        {"ld.v2.f16", "ld.b32"},
        {"ld.f64", "ld.b64"},
        {"ld.v2.b32", "ld.b64"},
        {"ld.v4.u16", "ld.b64"},
        {"ld.v4.u32", "ld.b128"},
        {"ld.v4.f32", "ld.b128"},
        {"ld.v2.f64", "ld.b128"},
        {"ld.shared.v4.f32", "ld.b128"},
        {"ld.volatile.shared::cta.u32", "ld.b32"},
        {"st.shared.b64", "st.b64"},
        {"ld.shared.bf16x2", "ld.b32"},
        {"ld.shared.tf32", "ld.b32"},
        {"LDS", "ld.b32"},
        {"lds.128", "ld.b128"},
        {"LDS.64", "ld.b64"},
        {"LDS.U8", "ld.u8"},
        {"LDS.S16", "ld.u16"},
        {"LDS.U.64", "ld.b64"},
        {"STS.128", "st.b128"},
        {"STS", "st.b32"},
        {"LDSM.16.M88", "ldmatrix.x1"},
        {"LDSM.16.M88.4", "ldmatrix.x4"},
        {"LDSM.16.MT88.4", "ldmatrix.x4.trans"},
        {"STSM.16.MT88.2", "stmatrix.x2.trans"},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "ldmatrix.x4.trans"},
        {"ldmatrix.sync.aligned.x2.m8n8.shared::cta.b16", "ldmatrix.x2"},
        {"stmatrix.sync.aligned.m8n8.x1.shared.b16", "stmatrix.x1"},
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        assert_string_equal(find(names[n][0])->name, names[n][1]);
}

static void what_is_none_is_not_found(void **state) {
    (void)state;
    static const char *const names[] = {"",
                                        ".",
                                        "ld",
                                        "ld.",
                                        "ld.b48",
                                        "ld.fff32",
                                        "ld.us32",
                                        "ld.bu32",
                                        "ld.tu32",
                                        "ld.v3.b32",
                                        "ld.v4.b64",
                                        "ld.v2.v2.b32",
                                        "ld.b32.b32",
                                        "ld.global.b32",
                                        "ld.shared::cluster.b32",
                                        "ld.trans.b32",
                                        "ld.x4",
                                        "LDS.256",
                                        "LDS.M88",
                                        "LDG.128",
                                        "ldmatrix",
                                        "ldmatrix.b16",
                                        "ldmatrix.x3",
                                        "ldmatrix.x1.x2",
                                        "ldmatrix.x4.trans.trans",
                                        "ldmatrix.m16n16.x1.b8",
                                        "ldmatrix.x1.v2",
                                        "movmatrix.x1",
                                        "cp.sync.cg.shared.global",
                                        "ld.b000000000000000000000000000000032"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (mapping_access_find(names[n]))
            fail_msg("'%s' is found", names[n]);
}

/* ---- What cannot be counted ---- */

static void refused(const char *name, uint32_t lane, uint32_t value, const char *sentence) {
    uint32_t address[LANES] = {0};
    struct mapping_error error = {""};
    address[lane] = value;
    assert_int_equal(mapping_access_check(find(name), address, &error), MAPPING_INVALID);
    assert_string_equal(error.message, sentence);
}

static void wrong_addresses_are_refused_with_the_numbers(void **state) {
    (void)state;
    refused("ld.b32", 3, 6,
            "lane 3: address 6 is not a multiple of 4 bytes, which ld.b32 requires");
    refused("st.b128", 31, 8,
            "lane 31: address 8 is not a multiple of 16 bytes, which st.b128 requires");
    refused("ldmatrix.x2", 9, 8,
            "lane 9: address 8 is not a multiple of 16 bytes, which ldmatrix.x2 requires");
    refused("ld.b64", 0, 227 * KIB,
            "lane 0: address 232448 is outside of shared memory; a block has at most 232448 "
            "bytes");
    refused("ld.u8", 1, UINT32_MAX - 1,
            "lane 1: address 4294967294 is outside of shared memory; a block has at most 232448 "
            "bytes");
    refused("ldmatrix.x4", 13, MAPPING_INACTIVE,
            "lane 13 is inactive, but ldmatrix.x4 needs its address for row 5 of matrix 1");
}

static void what_is_not_needed_is_not_looked_at(void **state) {
    (void)state;
    uint32_t address[LANES] = {0};
    struct mapping_error error;
    struct mapping_wavefronts result;
    address[8] = MAPPING_INACTIVE, address[9] = 7, address[10] = UINT32_MAX - 1;
    assert_int_equal(mapping_access_lanes(find("ldmatrix.x1")), 8);
    assert_int_equal(mapping_access_lanes(find("ldmatrix.x4")), 32);
    assert_int_equal(mapping_access_lanes(find("ld.u8")), 32);
    assert_int_equal(mapping_access_check(find("ldmatrix.x1"), address, &error), MAPPING_OK);
    mapping_access_count(find("ldmatrix.x1"), address, &result);
    assert_int_equal(result.wavefronts, 1);
    assert_int_equal(result.phases[0].lanes, 0xff);
    address[8] = 227 * KIB - 16;
    assert_int_equal(mapping_access_check(find("ldmatrix.x1"), address, &error), MAPPING_OK);
}

/* The last bytes of shared memory. */
static void the_end_of_shared_memory_is_inside(void **state) {
    (void)state;
    uint32_t address[LANES] = {227 * KIB - 16};
    struct mapping_error error;
    assert_int_equal(mapping_access_check(find("ld.b128"), address, &error), MAPPING_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_as_in_the_programming_guide),
        cmocka_unit_test(same_words_are_no_conflict),
        cmocka_unit_test(narrow_accesses_share_words),
        cmocka_unit_test(banks_and_lanes_are_named),
        cmocka_unit_test(wide_accesses_have_the_phases_of_volta),
        cmocka_unit_test(permuted_tiles_of_volta_are_without_conflicts),
        cmocka_unit_test(inactive_lanes_ask_for_nothing),
        cmocka_unit_test(loads_of_equal_pairs_merge),
        cmocka_unit_test(stores_and_narrow_loads_do_not),
        cmocka_unit_test(all_active_pairs_have_to_be_equal),
        cmocka_unit_test(matrices_are_a_phase_each),
        cmocka_unit_test(every_name_finds_itself),
        cmocka_unit_test(every_operation_has_phases_of_one_size),
        cmocka_unit_test(matrices_move_since),
        cmocka_unit_test(other_spellings_are_understood),
        cmocka_unit_test(what_is_none_is_not_found),
        cmocka_unit_test(wrong_addresses_are_refused_with_the_numbers),
        cmocka_unit_test(what_is_not_needed_is_not_looked_at),
        cmocka_unit_test(the_end_of_shared_memory_is_inside),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
