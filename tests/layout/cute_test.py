"""Compares tiled multiplications with CuTe's own layout algebra: python3 cute_test.py MAPPING.

The algebra is that of pycute, the Python part of NVIDIA's CUTLASS. Atoms are as CUTLASS states them: the layouts from
(thread, value) to coordinates for Volta and Hopper in the documentation on MMA atoms, those for Ampere in
include/cute/atom/mma_traits_sm80.hpp. Tiling follows thrfrg_A, thrfrg_B and thrfrg_C of include/cute/atom/mma_atom.hpp.
Prints TAP.
"""

import json
import subprocess
import sys

from pycute import Layout, logical_divide, size, tiled_product, zipped_divide

QUAD_PAIR = Layout((4, 2), (1, 16))

# Shape, threads, and for each operand its layout; A is (M, K), B is (N, K), C is (M, N), the first
# running fastest.
ATOMS = {
    "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32": ((8, 8, 4), QUAD_PAIR, {
        "a": Layout(((4, 2), 4), ((8, 4), 1)),
        "b": Layout(((4, 2), 4), ((8, 4), 1)),
        "c": Layout(((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32))),
    }),
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16": ((8, 8, 4), QUAD_PAIR, {
        "a": Layout((8, 4), (1, 8)),
        "b": Layout((8, 4), (1, 8)),
        "c": Layout((8, 8), (1, 8)),
    }),
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": ((16, 8, 16), Layout(32, 1), {
        "a": Layout(((4, 8), (2, 2, 2)), ((32, 1), (16, 8, 128))),
        "b": Layout(((4, 8), (2, 2)), ((16, 1), (8, 64))),
        "c": Layout(((4, 8), (2, 2)), ((32, 1), (16, 8))),
    }),
    "wgmma.mma_async.sync.aligned.m64n128k16.f16.f16.f16": ((64, 128, 16), Layout(128, 1), {
        "d": Layout(((4, 8, 4), (2, 2, 16)), ((128, 1, 16), (64, 8, 512))),
    }),
}

VOLTA, VOLTA_TN, AMPERE, HOPPER = ATOMS

# Opcode, atom layout, permutation: as on the command line, and as pycute has it.
CASES = [
    (VOLTA, "(4,1,1)", Layout((4, 1, 1)), None, (None, None, None)),
    (VOLTA, "(2,2,1):(2,1,0)", Layout((2, 2, 1), (2, 1, 0)), None, (None, None, None)),
    (VOLTA, "(2,2,1):(2,1,0)", Layout((2, 2, 1), (2, 1, 0)), "32,32,4", (32, 32, 4)),
    (VOLTA, "(2,2,1):(2,1,0)", Layout((2, 2, 1), (2, 1, 0)), "((4,4,2):(1,8,4)),32,4", (Layout((4, 4, 2), (1, 8, 4)), 32, 4)),
    (VOLTA, "(_2,_4,_1)", Layout((2, 4, 1)), "_,((_2,_2,_16):(_2,_1,_4)),_8", (None, Layout((2, 2, 16), (2, 1, 4)), 8)),
    (VOLTA_TN, "(4,2,2):(1,4,8)", Layout((4, 2, 2), (1, 4, 8)), "(64,32,16)", (64, 32, 16)),
    (AMPERE, "(2,2)", Layout((2, 2, 1)), None, (None, None, None)),
    (AMPERE, "(4,1,1)", Layout((4, 1, 1)), "64,32,16", (64, 32, 16)),
    (AMPERE, "((2,2),2,2):((1,4),2,8)", Layout(((2, 2), 2, 2), ((1, 4), 2, 8)), "(32,4):(4,1),_,(2,16):(16,1)",
     (Layout((32, 4), (4, 1)), None, Layout((2, 16), (16, 1)))),
    (AMPERE, "(1,4)", Layout((1, 4, 1)), "16,((8,2,4):(1,32,8)),32", (16, Layout((8, 2, 4), (1, 32, 8)), 32)),
    (AMPERE, "(3,1,1)", Layout((3, 1, 1)), "96,8,16", (96, 8, 16)),
    (HOPPER, "(2,1,1)", Layout((2, 1, 1)), None, (None, None, None)),
    (HOPPER, "(1,2,1)", Layout((1, 2, 1)), "128,256,16", (128, 256, 16)),
]

MODES = {"a": (0, 2), "b": (1, 2), "c": (0, 1), "d": (0, 1)}


def expected_map(shape, threads, atom, operand, atom_layout, permutations):
    """The map [tid][value] -> coordinates of the two modes."""
    modes = MODES[operand]
    vmnk = tiled_product(threads, atom_layout)  # (thread of the atom, M, N, K) -> tid
    counts = [size(vmnk[1 + mode]) for mode in range(3)]
    core = [shape[mode] * counts[mode] for mode in range(3)]
    tile = [core[mode] if permutations[mode] is None else size(permutations[mode]) for mode in range(3)]
    reference = Layout(tuple(tile[mode] for mode in modes))
    tiler = tuple(tile[mode] if permutations[mode] is None else permutations[mode] for mode in modes)
    permuted = logical_divide(reference, tiler)
    by_atom = zipped_divide(Layout(permuted.shape, permuted.stride), tuple(shape[mode] for mode in modes))
    result = {}
    for v in range(size(threads)):
        for m in range(counts[0]):
            for n in range(counts[1]):
                for k in range(counts[2]):
                    tid = vmnk(v, m, n, k)
                    inner = (m, n, k)
                    for value in range(size(atom[1])):
                        for rest in range(tile[modes[0]] // core[modes[0]] * (tile[modes[1]] // core[modes[1]])):
                            first = rest % (tile[modes[0]] // core[modes[0]])
                            second = rest // (tile[modes[0]] // core[modes[0]])
                            outer = (inner[modes[0]] + counts[modes[0]] * first, inner[modes[1]] + counts[modes[1]] * second)
                            outer_shape = tuple(tile[mode] // shape[mode] for mode in modes)
                            index = by_atom(atom(v, value), outer[0] + outer_shape[0] * outer[1])
                            i = value + size(atom[1]) * rest
                            result[tid, i] = (index % tile[modes[0]], index // tile[modes[0]])
    elements = 1 + max(i for _, i in result)
    return [[list(result[tid, i]) for i in range(elements)] for tid in range(1 + max(t for t, _ in result))]


def shown_map(program, opcode, operand, atom_layout, permutation):
    command = [program, "--format=json", "--source=isa", "--arch=90", f"--operand={operand}", opcode, f"--atom-layout={atom_layout}"]
    if permutation:
        command.append(f"--permutation={permutation}")
    output = subprocess.run(command, capture_output=True, text=True)
    assert output.returncode in (0, 4), output.stderr
    report = json.loads(output.stdout)
    if operand == "b":  # ours is K x N
        return [[[col, row] for row, col in thread] for thread in report["map"]]
    return report["map"]


number = failures = 0
for opcode, text, layout, permutation, permutations in CASES:
    shape, threads, operands = ATOMS[opcode]
    for operand, atom in operands.items():
        number += 1
        expected = expected_map(shape, threads, atom, operand, layout, permutations)
        shown = shown_map(sys.argv[1], opcode, operand, text, permutation)
        good = shown == expected
        failures += not good
        print(f"{'' if good else 'not '}ok {number} - {opcode}, {operand}, {text}, {permutation}")
print(f"1..{number}")
sys.exit(failures > 0)
