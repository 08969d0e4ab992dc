/* mlir.h - translates operations of MLIR and intrinsics of LLVM to opcodes of PTX:
 *
 *     %d = nvvm.mma.sync A[...] B[...] C[...] {layoutA = #nvvm.mma_layout<row>, ...} : (...) -> ...
 *     %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, ...) -> ...
 *     llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16
 *
 * The names of values, comments, locations and strings are ignored.
 *
 * Sources: the dialects "nvvm" and "nvgpu" of MLIR 20 to 22, and LLVM's IntrinsicsNVVM.td. */
#ifndef MLIR_H
#define MLIR_H

#include "catalogue/fragment.h"

/* Writes the opcode of an operation that moves or multiplies fragments. False if the text contains
 * no such operation, or if it lacks a type or a size. */
bool mapping_mlir_read(const char *text, char ptx[MAPPING_OPCODE_SIZE]);

#endif
