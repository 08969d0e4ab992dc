/* scale_copy_formats.c - copies of scale factors to Tensor Memory, as text, JSON and code. */
#include "report/scale_copy.h"

#include "layout/sentence.h"
#include "output/guard.h"
#include "output/json.h"
#include "report/smem_report.h"

static const char *instruction_of(const struct scale_copy *copy) {
    return memory_format("tcgen05.cp.cta_group::%u.32x128b.warpx4", copy->ctas);
}

void print_scale_copy(struct printer *to, const struct scale_copy *copy,
                      const struct style *style) {
    enum { SHOWN = 16 };
    const size_t shown = style->excerpt.is_whole || copy->count <= SHOWN + 1 ? copy->count : SHOWN;
    const struct mapping_fragment *held = &copy->fragment->observed.fragment;
    print(to, "# %s from %s on sm_%u\n# rows are %s, columns are k\n", copy->fragment->name,
          copy->matrix->name, copy->fragment->arch, copy->is_b ? "n" : "m");
    if (copy->origin[0] || copy->origin[1])
        print(to, "# from row %u, column %u on; rows and columns count from there\n",
              copy->origin[0], copy->origin[1]);
    if (copy->ctas > 1)
        print(to, "# each CTA of the pair has %u rows in its own shared memory\n", copy->rows);
    if (copy->move)
        print(to, "Not as it is: first move word w (4 bytes) of each 512 bytes to word\n  %s\n",
              copy->move);
    print(to, "%s: %zu instruction%s\n", instruction_of(copy), copy->count,
          mapping_plural((uint32_t)copy->count));
    for (size_t t = 0; t < shown; t++) {
        const struct scale_tile *tile = &copy->tiles[t];
        const uint32_t end = tile->row + SCALE_TILE_ROWS;
        print(to, "  rows %u to %u, columns %u to %u: from byte %u to column %u\n", tile->row,
              (end < copy->rows ? end : copy->rows) - 1, tile->col, tile->col + SCALE_TILE_COLS - 1,
              tile->byte, tile->column);
    }
    if (shown < copy->count)
        print(to, "  and %zu more; --whole shows them\n", copy->count - shown);
    print_text(to, "Row r is in lane r % 32, and in lanes 32, 64 and 96 behind it, of column\n"
                   "r % 128 / 32 from there; factor k of a row is in bits 8 * (k % 4) and up.\n");
    print(to,
          "descriptor: 0x%016llx + address / 16: no swizzle, stride byte\n"
          "  offset 128 (8 rows of 16 bytes), leading byte offset unused (0)\n",
          (unsigned long long)copy->descriptor);
    print(to, "4 columns of factors are for %u MMA%s of K = %u: SF_ID", copy->mmas,
          mapping_plural(copy->mmas), held->shape.k);
    for (uint32_t m = 0; m < copy->mmas; m++)
        print(to, "%s %u", m ? "," : "", m * copy->vector);
    print_char(to, '\n');
}

void json_scale_copy(struct printer *to, const struct scale_copy *copy, const struct style *style) {
    const struct mapping_fragment *held = &copy->fragment->observed.fragment;
    (void)style;
    json(to, "{kind:\"copy\",copy:%s,arch:\"sm_%u\",layout:%s,instruction:%s,\n ",
         copy->fragment->name, copy->fragment->arch, copy->matrix->name, instruction_of(copy));
    print(to, "\"descriptor\":\"0x%016llx\",", (unsigned long long)copy->descriptor);
    json(to, "ctas:%u,rows:%u,k:%u,mmas:%u,sf_ids:[", copy->ctas, copy->rows, held->shape.k,
         copy->mmas);
    for (uint32_t m = 0; m < copy->mmas; m++)
        json(to, "%u", m * copy->vector);
    json(to, "],origin:[%u,%u],reorder:%s", copy->origin[0], copy->origin[1], copy->move);
    json(to, "\n tiles:[");
    for (size_t t = 0; t < copy->count; t++)
        json(to, "\n  {row:%u,col:%u,byte:%u,column:%u}", copy->tiles[t].row, copy->tiles[t].col,
             copy->tiles[t].byte, copy->tiles[t].column);
    print_text(to, "]}\n");
}

/* ---- Code ---- */

static void print_name(struct printer *to, const struct scale_copy *copy) {
    print_text(to, "mapping_copy_");
    guard_name(to, copy->fragment->name);
    if (copy->origin[0] || copy->origin[1])
        print(to, "_at_%u_%u", copy->origin[0], copy->origin[1]);
}

/* Prints a function with which a warp moves the words of one tile. */
static void print_reorder(struct printer *to, const struct scale_copy *copy) {
    if (!copy->move)
        return;
    print_text(to, "/* Moves the words of a tile, 512 bytes of shared memory, into the order of "
                   "tcgen05.cp. All threads of\n * a warp call it; lane: 0 to 31. */\n"
                   "static __device__ inline void ");
    print_name(to, copy);
    print(to,
          "_reorder(unsigned *tile, unsigned lane) {\n"
          "    unsigned moved[4];\n"
          "    for (unsigned i = 0; i < 4; i++)\n"
          "        moved[i] = tile[i * 32 + lane];\n"
          "    __syncwarp();\n"
          "    for (unsigned i = 0; i < 4; i++) {\n"
          "        const unsigned word = i * 32 + lane;\n"
          "        tile[%s] = moved[i];\n"
          "    }\n"
          "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
          "    __syncwarp();\n"
          "}\n",
          copy->move);
}

void cuda_scale_copy(struct printer *to, const struct scale_copy *copy, const struct style *style) {
    (void)style;
    print(to,
          "/* Copies scale factors from shared memory to Tensor Memory. Made by mapping "
          "" MAPPING_VERSION ".\n * For sm_100a, sm_103a and others with tcgen05. */\n"
          "#pragma once\n\n/* %s from %s%s */\n",
          copy->fragment->name, copy->matrix->name,
          copy->move ? ", whose tiles have to be reordered first" : "");
    print_reorder(to, copy);
    print(
        to,
        "/* One thread%s calls it. shared: the address of the factors in shared memory, a multiple "
        "of 16;\n * taddr: where the operand of the first MMA is in Tensor Memory. Each 4 columns "
        "of factors take %u\n * columns there. tcgen05.mma behind it needs no wait: both run in "
        "order. */\n"
        "static __device__ inline void ",
        copy->ctas > 1 ? " of the pair" : "", copy->columns);
    print_name(to, copy);
    print(to,
          "(unsigned shared, unsigned taddr) {\n"
          "    const unsigned long long descriptor = 0x%016llxull + (shared >> 4);\n",
          (unsigned long long)copy->descriptor);
    for (size_t t = 0; t < copy->count; t++)
        print(to,
              "    asm volatile(\"%s [%%0], %%1;\" ::\"r\"(taddr + %u), \"l\"(descriptor + %u)\n"
              "                 : \"memory\");\n",
              instruction_of(copy), copy->tiles[t].column, copy->tiles[t].byte / 16);
    print_text(to, "}\n");
}
