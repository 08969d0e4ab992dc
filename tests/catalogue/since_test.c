/* since_test.c - the first architecture and version of PTX that have each fragment and opcode.
 *
 * Expected values: the PTX ISA's notes. */
#include "catalogue/fragment.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* PTX ISA 9.1, "PTX ISA Notes" and "Target ISA Notes" of each instruction: the first architecture
 * and version of PTX that have it. Of rows that fit a name the last one holds. */
struct since {
    const char *names;
    unsigned arch, ptx;
};

static const struct since fragments_since[] = {
    {"wmma.*", 70, 60},
    {"wmma.m32n8k16.*", 70, 61},
    {"wmma.m8n32k16.*", 70, 61},
    {"wmma.*.[su]8", 72, 63},
    {"wmma.*.s32", 72, 63},
    {"wmma.m8n8k*", 75, 63},
    {"wmma.*.bf16", 80, 70},
    {"wmma.m16n16k8.*", 80, 70},
    {"wmma.m8n8k4.*", 80, 70},
    {"mma.*", 80, 70},
    {"mma.m8n8k4.*", 70, 64},
    {"mma.m8n8k4.*.f64", 80, 70},
    {"mma.m16n8k8.*", 75, 65},
    {"mma.m16n8k8.*.[bt]f*", 80, 70},
    {"mma.m8n8k16.*", 75, 65},
    {"mma.m8n8k32.*", 75, 65},
    {"mma.m8n8k128.*", 75, 70},
    {"mma.m16n8k*.f64", 90, 78},
    {"mma.m16n8k16.*.e?m?", 89, 87},
    {"mma.m16n8k32.*.e?m?", 89, 84},
    {"mma.m16n8k32.?.f32", 89, 84},
    {"mma.m16n8k32.?.f16", 89, 87},
    {"mma.m16n8k32.*.e[23]m[123]", 120, 87},
    {"mma.m16n8k64.*.e2m1", 120, 87},
    {"mma.m16n8k64.?.f32", 120, 87},
    {"mma.m16n8k*.sf*", 120, 87},
    {"mma.m16n8k64.sf?.4x.ue8m0", 120, 91},
    {"mma.sp.*", 80, 71},
    {"mma.sp.m16n8k64.*.e?m?", 89, 84},
    {"mma.sp.m16n8k64.?.f32", 89, 84},
    {"mma.sp.m16n8k64.?.f16", 120, 87},
    {"mma.sp.m16n8k64.*.e[23]m[123]", 120, 87},
    {"mma.sp.m16n8k128.*.e2m1", 120, 87},
    {"mma.sp.m16n8k128.?.f32", 120, 87},
    {"mma.sp.m16n8k*.sf*", 120, 87},
    {"mma.sp.m16n8k128.sf?.4x.ue8m0", 120, 91},
    {"ldmatrix.m8n8.*", 75, 65},
    {"ldmatrix.m*16.*", 100, 86},
    {"ldmatrix.m8n16.*.s4", 90, 94},
    {"stmatrix.m8n8.*", 90, 78},
    {"stmatrix.m16n8.*", 100, 86},
    {"movmatrix.*", 75, 78},
    {"wgmma.*", 90, 80},
    {"wgmma.sp.*", 90, 82},
    {"tcgen05.*", 100, 86},
    {"tcgen05.mma.*.sf?.4x.*", 100, 87},
    {"tcgen05.mma.*k96.*", 103, 88},
};

static const struct since opcodes_since[] = {
    {"wmma.mma.*", 70, 60},
    {"wmma.mma.*.m32n8k16.*", 70, 61},
    {"wmma.mma.*.m8n32k16.*", 70, 61},
    {"wmma.mma.*.s32.[su]8.*", 72, 63},
    {"wmma.mma.*.s32.[su]4.*", 75, 63},
    {"wmma.mma.*.xor.popc.*", 75, 63},
    {"wmma.mma.*.and.popc.*", 80, 71},
    {"wmma.mma.*.bf16.*", 80, 70},
    {"wmma.mma.*.tf32.*", 80, 70},
    {"wmma.mma.*.f64.*", 80, 70},
    {"mma.sync.*", 80, 70},
    {"mma.sync.aligned.m8n8k4.*.f16.f16.*", 70, 64},
    {"mma.sync.aligned.m16n8k8.*.f16.f16.*", 75, 65},
    {"mma.sync.aligned.m8n8k16.*", 75, 65},
    {"mma.sync.aligned.m8n8k32.*", 75, 65},
    {"mma.sync.aligned.m8n8k128.*.xor.popc", 75, 70},
    {"mma.sync.*.and.popc", 80, 71},
    {"mma.sync.aligned.m16n8k*.f64", 90, 78},
    {"mma.sync.*.f16.e[45]m[23].e[45]m[23].f16", 89, 87},
    {"mma.sync.aligned.m16n8k16.*.e[45]m[23].f32", 89, 87},
    {"mma.sync.aligned.m16n8k32.*.e[45]m[23].f32", 89, 84},
    {"mma.sync.*.kind::*", 120, 87},
    {"mma.sync.*.kind::f8f6f4.f*.e[45]m[23].e[45]m[23].f*", 100, 87},
    {"mma.sync.*.scale_vec::4X.*.ue8m0", 120, 91},
    {"mma.sp.*", 80, 71},
    {"mma.sp.*.e[45]m[23].f32", 89, 84},
    {"mma.sp::ordered_metadata.*", 120, 87},
    {"mma.sp::ordered_metadata.*.scale_vec::4X.*.ue8m0", 120, 91},
    {"ldmatrix.sync.aligned.m8n8.*", 75, 65},
    {"ldmatrix.sync.aligned.m*16.*", 100, 86},
    {"ldmatrix.sync.aligned.m8n16.*.s8.s4", 90, 94},
    {"stmatrix.sync.aligned.m8n8.*", 90, 78},
    {"stmatrix.sync.aligned.m16n8.*", 100, 86},
    {"movmatrix.*", 75, 78},
    {"wgmma.mma_async.sync.*", 90, 80},
    {"wgmma.mma_async.sp.*", 90, 82},
    {"wgmma.mma_async.*.s8.u8", 90, 84},
    {"wgmma.mma_async.*.u8.s8", 90, 84},
    {"tcgen05.*", 100, 86},
    {"tcgen05.mma.*.kind::mxf4nvf4.*", 100, 87},
    {"tcgen05.mma.*.block32", 100, 88},
    {"tcgen05.mma.*.block16", 100, 88},
};

static void check_since(const struct since *rows, size_t count, const char *name, unsigned arch,
                        unsigned ptx) {
    while (count > 0 && fnmatch(rows[count - 1].names, name, 0) != 0)
        count--;
    if (count == 0)
        fail_msg("%s: no row of this test states since when", name);
    if (arch != rows[count - 1].arch || ptx != rows[count - 1].ptx)
        fail_msg("%s: since sm_%u, PTX %u", name, arch, ptx);
}

static void all_are_there_since(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    struct mapping_opcode opcode;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&fragment, name);
        check_since(fragments_since, sizeof fragments_since / sizeof *fragments_since, name,
                    fragment.since, fragment.ptx);
    }
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++)
        check_since(opcodes_since, sizeof opcodes_since / sizeof *opcodes_since, opcode.text,
                    opcode.since, opcode.ptx);
}

/* PTX ISA 9.0, "Target Directive" and release notes: the first version that has the target; from
 * sm_90 on that with a, which has the instructions of the catalogue. */
static void targets_are_there_since(void **state) {
    (void)state;
    static const struct {
        unsigned arch, ptx;
    } targets[] = {{70, 60}, {72, 61}, {75, 63},  {80, 70},  {86, 71},  {87, 74},  {88, 90},
                   {89, 78}, {90, 80}, {100, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        char name[16];
        snprintf(name, sizeof name, "sm_%u", targets[t].arch);
        assert_non_null(mapping_arch_find(name));
        assert_int_equal(mapping_arch_find(name)->ptx, targets[t].ptx);
    }
}

/* An architecture newer than those for which rows were stated has no fragments by default; the
 * newest known architecture has all rows without an end. */
static void newer_architectures_have_nothing(void **state) {
    (void)state;
    struct mapping_fragment fragment, there;
    struct mapping_opcode opcode;
    struct mapping_cursor at = {0};
    unsigned newest = 0;
    for (size_t a = 0; mapping_arch_at(a); a++)
        newest = mapping_arch_at(a)->number;
    while (mapping_catalogue_next(&at, &fragment)) {
        assert_false(mapping_fragment_on(&fragment, newest + 1));
        assert_false(mapping_fragment_find(&fragment, newest + 1, &there));
        assert_int_equal(mapping_fragment_on(&fragment, newest), fragment.until == 0);
    }
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++)
        assert_false(mapping_opcode_on(&opcode, newest + 1));
}

/* The library answers for wmma, whose layouts differ between architectures: the tables of the first
 * seed, (tid, i) -> (row, col) of D in f32 on Volta and on Turing. */
static void wmma_is_stated_by_architecture(void **state) {
    (void)state;
    static const struct {
        unsigned arch, tid, i, row, col;
    } cases[] = {{70, 1, 0, 1, 0},  {70, 16, 0, 4, 0}, {70, 0, 2, 2, 0},  {70, 31, 7, 15, 15},
                 {75, 1, 0, 0, 2},  {75, 4, 0, 1, 0},  {75, 0, 2, 8, 0},  {75, 31, 7, 15, 15},
                 {121, 1, 0, 0, 2}, {0, 4, 0, 1, 0},   {72, 16, 0, 4, 0}, {90, 0, 4, 0, 8}};
    struct mapping_fragment found[MAPPING_FOUND_MAX], there;
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(mapping_catalogue_find("wmma.m16n16k16.d.f32", found), 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t point[] = {cases[c].tid, cases[c].i};
        assert_true(mapping_fragment_find(&found[0], cases[c].arch, &there));
        assert_int_equal(mapping_fragment_state(&there, &layout, &error), MAPPING_OK);
        const size_t n = mapping_space_number(&layout.from, point);
        assert_int_equal(layout.coordinate[0][n], cases[c].row);
        assert_int_equal(layout.coordinate[1][n], cases[c].col);
        mapping_layout_free(&layout);
    }
    assert_false(mapping_fragment_find(&found[0], 69, &there));
    assert_int_equal(mapping_fragment_state(&found[0], &layout, &error), MAPPING_OK);
    mapping_layout_free(&layout);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_there_since),
        cmocka_unit_test(targets_are_there_since),
        cmocka_unit_test(newer_architectures_have_nothing),
        cmocka_unit_test(wmma_is_stated_by_architecture),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
