/* reported.c - reports from other people's hardware; see reported.h. */
#include "report/reported.h"

#include <stdbool.h>
#include <string.h>

struct reported {
    unsigned arch;
    const char *fragments; /* their names, with a blank between */
    const char *text;
};

static const struct reported reports[] = {
    /* Runs 23j, 23l and 14d-1 give what the layout gives if each byte is read as s ee mmm in bits
     * 5:0. Inputs are the same in all threads or vary with tid % 4. */
    {120, "mma.m16n8k32.a.e2m1 mma.m16n8k32.b.e2m1",
     "RTX 5070 Ti, chapters 14 and 23 of florianmattana/sass-king: three products confirm "
     "registers, pairs of K and bits, but nothing that depends on tid / 4"},
    {89,
     "mma.sp.m16n8k64.a.e4m3 mma.sp.m16n8k64.a.e5m2 mma.sp.m16n8k64.b.e4m3 mma.sp.m16n8k64.b.e5m2 "
     "mma.sp.m16n8k64.e.e4m3 mma.sp.m16n8k64.e.e5m2 mma.sp.m16n8k64.c.f32 mma.sp.m16n8k64.d.f32",
     "L20, pull request 1295 of NVlabs/cuda-oxide: products of integers with 6 metadata codes are "
     "exact, and of 13824 candidates only this layout fits"},
    {89, "mma.m16n8k16.a.f16 mma.m16n8k16.b.f16 mma.m16n8k16.c.f32 mma.m16n8k16.d.f32",
     "RTX 4060 Ti, test_mma_probe.py of Bias92/flashattn-cuda: products are right, also with "
     "D as the next A"},
    {89,
     "ldmatrix.m8n8.x4.r.b16 ldmatrix.m8n8.x4.p.b16 ldmatrix.m8n8.x2.r.b16 ldmatrix.m8n8.x2.p.b16 "
     "ldmatrix.m8n8.x2.r.trans.b16",
     "RTX 4060 Ti, test_mma_probe.py of Bias92/flashattn-cuda: products of the loaded "
     "fragments are right"},
};

/* True if a list of names has the name. */
static bool has_name(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *c = list; (c = strstr(c, name)); c += length)
        if ((c == list || c[-1] == ' ') && (c[length] == ' ' || c[length] == '\0'))
            return true;
    return false;
}

const char *reported_at(const char *fragment, unsigned arch, size_t n) {
    for (size_t r = 0; r < sizeof reports / sizeof *reports; r++)
        if (reports[r].arch == arch && has_name(reports[r].fragments, fragment) && n-- == 0)
            return reports[r].text;
    return NULL;
}
