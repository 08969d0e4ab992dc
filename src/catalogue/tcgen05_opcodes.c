/* tcgen05_opcodes.c - opcodes of tcgen05.mma, which say the kind, but not M and N: these stand in
 * the instruction descriptor, so that no opcode has fragments of its own.
 *
 * PTX ISA 9.1, 9.7.16.10.9, writes, for one CTA or a pair of them,
 *
 *   tcgen05.mma{.sp}.cta_group::1.kind::f16{.ashift}{.collector::a::fill}
 *   tcgen05.mma{.sp}.cta_group::1.kind::mxf4.block_scale{.scale_vec::2X}{.collector::a::fill}
 *   tcgen05.mma.ws{.sp}.cta_group::1.kind::f16{.collector::b0::fill}
 *
 * k of a shape is that of the kind. ptxas takes the words in any order behind tcgen05.mma or
 * tcgen05.mma.ws, and .scale_vec on sm_103a and sm_110a, too, which the PTX ISA keeps to sm_100a.
 */
#include "catalogue/tcgen05.h"

#define SM_100A .since = 100, .until = 100, .suffix = MAPPING_SUFFIX_A
#define EACH_A .since = 100, .until = 110, .suffix = MAPPING_SUFFIX_A

/* clang-format off */

/* A kind, whose K is `times` as large where A is sparse, and words that may be there too. */
#define KIND(depth, times, name, type, result, more)                                               \
    .shape = {0, 0, (depth) * (times)}, .kind = (name), .a = (type), .d = (result),                \
    .words = (more)

/* Those without scale factors. */
#define PLAIN(times, word, more)                                                                   \
    {KIND(16, times, "f16", F16, F32, more), .operation = (word), BLACKWELL, .ptx = 86},           \
    {KIND(8, times, "tf32", TF32, F32, more), .operation = (word), BLACKWELL, .ptx = 86},          \
    {KIND(32, times, "f8f6f4", E4M3, F32, more), .operation = (word), BLACKWELL, .ptx = 86},       \
    {KIND(32, times, "i8", S8, S32, more), .operation = (word), NOT_ULTRA, .ptx = 86}

/* Those with scale factors; of 4 bits, `narrow` says where. */
#define SCALED(times, narrow, more)                                                                \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "", BLACKWELL, .ptx = 86},             \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "scale_vec::1X", SM_100A, .ptx = 86},  \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "block32", BLACKWELL, .ptx = 88},      \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "", narrow, .ptx = 86},                    \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "scale_vec::2X", SM_100A, .ptx = 86},      \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "block32", narrow, .ptx = 88},             \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "scale_vec::2X", SM_100A, .ptx = 87},  \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "scale_vec::4X", SM_100A, .ptx = 87},  \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "block16", narrow, .ptx = 88},         \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "block32", narrow, .ptx = 88}

/* clang-format on */

#define COLLECTED                                                                                  \
    "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?"
#define SHIFTED "collector::a::lastuse|collector::a::discard?"
#define OF_B(number)                                                                               \
    "collector::b" number "::fill|collector::b" number "::use|collector::b" number                 \
    "::lastuse|collector::b" number "::discard"
#define COLLECTED_WS OF_B("0") "|" OF_B("1") "|" OF_B("2") "|" OF_B("3") "?"

static const struct opcode_row dense[] = {PLAIN(1, NULL, COLLECTED), PLAIN(1, "ashift", SHIFTED),
                                          SCALED(1, BLACKWELL, COLLECTED)};
static const struct opcode_row sparse[] = {PLAIN(2, NULL, COLLECTED), PLAIN(2, "ashift", SHIFTED),
                                           SCALED(2, EACH_A, COLLECTED)};
static const struct opcode_row dense_ws[] = {PLAIN(1, NULL, COLLECTED_WS)};
static const struct opcode_row sparse_ws[] = {PLAIN(2, NULL, COLLECTED_WS)};

#define FORM(name, head, all_words, all_rows)                                                      \
    {                                                                                              \
        .start = (head), .mnemonic = (name), .words = (all_words),                                 \
        .parts = {PART_KIND, PART_BLOCK, PART_OPERATION}, .rows = (all_rows),                      \
        .row_count = COUNT(all_rows)                                                               \
    }

const struct opcode_form mapping_tcgen05_mma_form =
    FORM("tcgen05.mma", "tcgen05.mma.cta_group::1", "cta_group::1", dense);
const struct opcode_form mapping_tcgen05_mma_sp_form =
    FORM("tcgen05.mma", "tcgen05.mma.sp.cta_group::1", "sp cta_group::1", sparse);
const struct opcode_form mapping_tcgen05_mma_cta2_form =
    FORM("tcgen05.mma", "tcgen05.mma.cta_group::2", "cta_group::2", dense);
const struct opcode_form mapping_tcgen05_mma_cta2_sp_form =
    FORM("tcgen05.mma", "tcgen05.mma.sp.cta_group::2", "sp cta_group::2", sparse);
const struct opcode_form mapping_tcgen05_mma_ws_form =
    FORM("tcgen05.mma.ws", "tcgen05.mma.ws.cta_group::1", "cta_group::1", dense_ws);
const struct opcode_form mapping_tcgen05_mma_ws_sp_form =
    FORM("tcgen05.mma.ws", "tcgen05.mma.ws.sp.cta_group::1", "sp cta_group::1", sparse_ws);
