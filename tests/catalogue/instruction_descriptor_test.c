/* instruction_descriptor_test.c - the 32 bits that tell tcgen05.mma what it multiplies.
 *
 * Expected are the values of make_instr_desc<A, B, D, M, N, Major::K, Major::K> of CUTLASS 4.2, and
 * of make_instr_desc_block_scaled, run on the host; that with K = 96 is by the PTX ISA 9.1, Table
 * 44. */
#include "catalogue/catalogue.h"
#include "mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void descriptors_are_those_of_CUTLASS(void **state) {
    (void)state;
    static const struct {
        const char *name, *kind;
        enum mapping_type a;
        uint32_t value;
    } cases[] = {
        {"tcgen05.mma.m128n256k16.d.f32", "f16", MAPPING_F16, 0x08400010},
        {"tcgen05.mma.m64n8k16.d.f16", "f16", MAPPING_F16, 0x04020000},
        {"tcgen05.mma.m128n64k8.d.f32", "tf32", MAPPING_TF32, 0x08100910},
        {"tcgen05.mma.cta2.m256n128k32.d.f32", "f8f6f4", MAPPING_E4M3, 0x10200010},
        {"tcgen05.mma.m128n32k32.d.s32", "i8", MAPPING_S8, 0x080804a0},
        {"tcgen05.mma.m128n128k64.d.f32", "mxf4", MAPPING_E2M1, 0x08a00480},
        {"tcgen05.mma.sp.m128n128k32.d.f32", "f16", MAPPING_F16, 0x08200014},
        {"tcgen05.mma.m128n128k96.d.f32", "mxf4", MAPPING_E2M1, 0x88a00480},
        {"tcgen05.mma.m128n256k32.d.f32", "mxf8f6f4", MAPPING_E4M3, 0x08c00000},
        {"tcgen05.mma.m128n256k64.d.f32", "mxf4nvf4", MAPPING_E2M1, 0x08400480},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        struct mapping_instruction_descriptor it;
        size_t n = 0;
        assert_int_equal(mapping_catalogue_find(cases[c].name, found), 1);
        do
            assert_true(mapping_instruction_descriptor(found, n++, &it));
        while (strcmp(it.kind, cases[c].kind) != 0);
        if (it.value != cases[c].value || it.a != cases[c].a)
            fail_msg("%s: 0x%08x with %s", cases[c].name, it.value, mapping_type_name(it.a));
    }
}

static void every_D_of_tcgen05_has_one_and_nothing_else(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        struct mapping_instruction_descriptor it;
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&fragment, name);
        bool is_one = strncmp(name, "tcgen05.mma", 11) == 0 && fragment.operand == MAPPING_D;
        if (mapping_instruction_descriptor(&fragment, 0, &it) != is_one)
            fail_msg("%s", name);
    }
}

/* Kinds with scale factors are those whose scale factors are in the catalogue. */
static void scales_are_where_scale_factors_are(void **state) {
    (void)state;
    struct mapping_fragment fragment, found[MAPPING_FOUND_MAX];
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        struct mapping_instruction_descriptor it;
        bool says = false;
        char name[MAPPING_NAME_SIZE], *end;
        for (size_t n = 0; mapping_instruction_descriptor(&fragment, n, &it); n++)
            says |= it.has_scales;
        mapping_fragment_name(&fragment, name);
        if (!(end = strstr(name, ".d.f32")))
            continue;
        bool is = false;
        static const char *const scales[] = {".sfa.1x.ue8m0", ".sfa.2x.ue8m0", ".sfa.3x.ue8m0"};
        for (int s = 0; s < 3; s++) {
            strcpy(end, scales[s]);
            is |= mapping_catalogue_find(name, found) > 0;
        }
        if (strncmp(name, "tcgen05.mma", 11) == 0 && says != is)
            fail_msg("%s", name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_those_of_CUTLASS),
        cmocka_unit_test(every_D_of_tcgen05_has_one_and_nothing_else),
        cmocka_unit_test(scales_are_where_scale_factors_are),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
