/* decisions.h - the words that opcodes.c puts into opcodes, and the verdicts that it does not
 * compare. */
#ifndef DECISIONS_H
#define DECISIONS_H

/* All words of these instructions, and some that ptxas knows from others or not at all. */
static const char *const vocabulary[] = {
    /* clang-format off */
    "sync", "aligned", "row", "col", "trans", "global", "shared", "shared::cta",
    "shared::cluster", "local", "rn", "rz", "rm", "rp", "rni", "satfinite", "sat", "relu",
    "ftz", "xor", "and", "or", "popc", "m8n8", "m8n8k4", "m8n8k16", "m8n8k32", "m8n8k128",
    "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64", "m16n8k128", "m16n8k256",
    "m16n16k8", "m16n16k16", "m8n32k16", "m32n8k16", "m64n8k8", "m64n8k16", "m64n8k32",
    "m64n8k64", "m64n8k256", "m64n24k16", "m64n40k32", "m64n256k16", "m64n264k16", "m16n8",
    "m8n16", "m16n16", "x1", "x2", "x3", "x4", "x8", "f64", "f32", "tf32", "bf16", "f16", "e5m2",
    "e4m3", "e3m2",
    "e2m3", "e2m1", "ue8m0", "ue4m3", "s32", "u32", "s8", "u8", "s4", "u4", "b1", "b8", "b16",
    "b32", "b8x16", "b6x16_p32", "b4x16_p64", "pred",
    "kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4",
    "kind::f16", "block_scale", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "sp",
    "sp::ordered_metadata", "mma", "mma_async", "load", "store", "a", "b", "c", "d", "volatile",
    "cta", "ca", "foo",
    /* clang-format on */
};
enum { VOCABULARY = sizeof vocabulary / sizeof *vocabulary };

/* The words of ldmatrix that say how elements of 6 and 4 bits are packed. */
#define FORMATS " b8x16 b6x16_p32 b4x16_p64 "

/* Also, words of instructions for Tensor Memory. */
static const char *const of_tensor_memory[] = {
    /* clang-format off */
    "x16", "x32", "x64", "x128", "x256", "32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2",
    "pack::16b", "unpack::16b", "kind::tf32", "kind::i8", "block16", "block32", "cta_group::1",
    "cta_group::2", "ws", "ashift", "collector::a::fill", "collector::a::use",
    "collector::a::lastuse", "collector::a::discard", "collector::b0::fill",
    "collector::b3::lastuse", "collector::b::fill", "ld", "st", "min", "red",
    /* clang-format on */
};
enum { TENSOR_MEMORY = sizeof of_tensor_memory / sizeof *of_tensor_memory };

/* Words that ptxas, at least 13.5, accepts and the catalogue rejects on purpose: the PTX ISA does
 * not have them for the instruction, but ptxas ignores them. An opcode may have one of them. */
static const struct {
    const char *mnemonic, *words;
} overlooked[] = {
    {"mma.", " tf32 bf16 s4 u4 b1 and or xor "},
    {"mma.", " kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 "},
    {"ldmatrix.", " row col pred "},
    {"stmatrix.", " row col pred "},
    {"movmatrix.", " row col tf32 bf16 s4 u4 b1 "},
    {"wgmma.", " row col pred "},
    {"tcgen05.ld.", " row col pred "},
    {"tcgen05.st.", " row col pred "},
    {"wmma.", " pred "},
    {"mma.", FORMATS},
    {"stmatrix.", FORMATS},
    {"movmatrix.", FORMATS},
    {"wgmma.", FORMATS},
    {"wmma.", FORMATS},
    {"tcgen05.", FORMATS},
    {"wmma.load.c.", " tf32 bf16 s4 u4 b1 "},
    {"wmma.store.d.", " tf32 bf16 s4 u4 b1 "},
};

/* And words that the instruction has, but of which the PTX ISA 9.0 has no fragment together. */
static const struct {
    const char *mnemonic, *words[2];
} unknown[] = {
    {"mma.", {"m8n8k4", "bf16"}},
    {"mma.", {"kind::f8f6f4", "ue8m0"}},
    {"mma.", {"kind::f8f6f4", "ue4m3"}},
    {"ldmatrix.", {"x8", "b16"}},
    {"stmatrix.", {"x8", "b16"}},
    {"ldmatrix.", {"x8", "b6x16_p32"}},
    {"ldmatrix.", {"x8", "b4x16_p64"}},
    {"ldmatrix.", {"x8", "b8"}},
    {"stmatrix.", {"x8", "b8"}},
    {"wmma.load.a.", {"m8n32k16", "f64"}},
    {"wmma.load.b.", {"m32n8k16", "f64"}},
    {"wmma.load.", {"m16n16k8", "f64"}},
    {"wmma.load.c.", {"m16n16k8", "f16"}},
    {"wmma.load.c.", {"m16n16k8", "s32"}},
    {"wmma.load.c.", {"m8n8k32", "f16"}},
    {"wmma.load.c.", {"m8n8k32", "f32"}},
    {"wmma.load.c.", {"m8n8k128", "f16"}},
    {"wmma.load.c.", {"m8n8k128", "f32"}},
    {"wmma.store.d.", {"m16n16k8", "f16"}},
    {"wmma.store.d.", {"m16n16k8", "s32"}},
    {"wmma.store.d.", {"m8n8k32", "f16"}},
    {"wmma.store.d.", {"m8n8k32", "f32"}},
    {"wmma.store.d.", {"m8n8k128", "f16"}},
    {"wmma.store.d.", {"m8n8k128", "f32"}},
};

#endif
