"""The module cuda_mapping. Layouts are compared with the formulae of the PTX ISA, sections "Matrix Fragments for
mma.m16n8k16" and "Register Fragments and Shared Memory Matrix Layouts" of wgmma, written here by hand. Other
expected values name their origin.

    PYTHONPATH=build/python python3 tests/python/module_test.py [TEST]...     such as Layouts.test_copies
    SECONDS_OF_RANDOM=20 SEED=7 ...    tries random arguments for so many seconds (2), drawn with this seed (1)
"""
import ast
import copy
import doctest
import inspect
import json
import keyword as keywords
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import cuda_mapping as cm
import cuda_mapping._objects
from cuda_mapping import _library

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import finish, ok, one_in  # noqa: E402

LANE = np.arange(32)[:, None]
GROUP, IN_GROUP = LANE // 4, LANE % 4
I4, I8 = np.arange(4), np.arange(8)
SWIZZLED = "Sw<3,3,3> o 0 o (64,64):(64,1)"
SASS = "HMMA.16816.F32 R4, R8, R16, R4"


def d(arch="sm_90"):
    return cm.fragment("mma.m16n8k16.d.f32", arch=arch)


def mma_d():
    """(row, col) of C and D of m16n8k16: row = groupID + 8 for i >= 2; col = threadID_in_group * 2 + (i & 1)."""
    return np.stack([GROUP + 8 * (I4 // 2), IN_GROUP * 2 + I4 % 2], axis=-1)


def mma_a():
    """A of m16n8k16, 16 bits: row = groupID + 8 unless i is 0, 1, 4 or 5; col = threadID_in_group * 2 + (i & 1) + 8 for i >= 4."""
    return np.stack([GROUP + 8 * (I8 // 2 % 2), IN_GROUP * 2 + I8 % 2 + 8 * (I8 // 4)], axis=-1)


def wgmma_d(n):
    tid, i = np.arange(128)[:, None], np.arange(n // 2)
    return np.stack([tid // 32 * 16 + tid % 32 // 4 + i // 2 % 2 * 8, i // 4 * 8 + tid % 4 * 2 + i % 2 + 0 * tid], axis=-1)


def swizzled_address(row, col):
    """Bytes in a matrix of 64 columns of f16 with the 128-byte swizzle: chunks of 16 bytes are exchanged by row % 8."""
    return row * 128 + (col // 8 ^ row % 8) * 16 + col % 8 * 2


class Layouts(unittest.TestCase):
    def test_maps_are_those_of_the_ptx_isa(self):
        np.testing.assert_array_equal(d().map, mma_d())
        self.assertEqual(d().map.dtype, np.int32)
        np.testing.assert_array_equal(cm.fragment("mma.m16n8k16.a.f16").map, mma_a())
        np.testing.assert_array_equal(cm.fragment("wgmma.m64n256k16.d.f32").map, wgmma_d(256))

    def test_a_fragment_has_other_names(self):
        opcode = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
        for name in (opcode, SASS, "SM80_16x8x16_F32F16F16F32_TN"):
            np.testing.assert_array_equal(cm.fragment(name, operand="d").map, mma_d())
        found = cm.fragment("fragment<matrix_a, 16, 16, 16, half, row_major>", arch="sm_70")
        self.assertEqual(found.fragment, "wmma.m16n16k16.a.row.f16")
        with self.assertRaisesRegex(ValueError, "operand="):
            cm.fragment(opcode)
        with self.assertRaisesRegex(ValueError, "d.f32 on sm_80, mma.m16n8k16.d.f32 on sm_90.; name one with arch="):
            cm.fragment("mma.m16n8k16.d.f32", arch=["sm_80", "sm_90"])
        self.assertEqual([each.fragment.split(".")[2] for each in cm.fragments(opcode)], ["a", "b", "c", "d"])

    def test_elements_and_threads(self):
        # Row 3, column 5: groupID 3, threadID_in_group 2, i 1.
        answer = d().at(3, 5)
        self.assertEqual((answer.tid, answer.i, answer.register, answer.bits), (14, 1, 1, [0, 31]))
        held = d().thread(14)
        self.assertEqual([(each.row, each.col) for each in held], [(3, 4), (3, 5), (11, 4), (11, 5)])
        np.testing.assert_array_equal(held.row, [3, 3, 11, 11])
        self.assertEqual(d().thread(14, 2).row, 11)
        self.assertEqual(len(d().at("3,*")), 8)
        self.assertEqual(len(d().at(range(0, 3), 5)), 3)
        # A's second register holds rows 8 and more of columns 0 to 7.
        names = cm.fragment(SASS, operand="a").thread(5, register="R9")
        self.assertEqual([(each.row, each.col, each.names) for each in names], [(9, 2, ["R9"]), (9, 3, ["R9"])])

    def test_arrays_in_and_out(self):
        tid, i = np.meshgrid(np.arange(32), np.arange(4), indexing="ij")
        np.testing.assert_array_equal(d().row(tid, i), mma_d()[..., 0])
        np.testing.assert_array_equal(d().col(tid, i), mma_d()[..., 1])
        np.testing.assert_array_equal(d().row(np.arange(32), 3), GROUP[:, 0] + 8)
        row, col = mma_d()[..., 0], mma_d()[..., 1]
        np.testing.assert_array_equal(d().tid(row, col), tid)
        np.testing.assert_array_equal(d().i(row, col), i)
        for index in ((32, 0), (-1, 0), (0, 4), (2**40, 0)):
            self.assertRaises(IndexError, d().row, *index)
        self.assertRaises(TypeError, d().row, 0)
        self.assertRaises(TypeError, d().row, 0.5, 0)
        self.assertRaises(ValueError, d().row, np.zeros(3, int), np.zeros(4, int))

    def test_copies(self):
        # On Volta two threads hold each element of A.
        a = cm.fragment("wmma.m16n16k16.a.row.f16", arch="sm_70")
        self.assertEqual(a.copies, 2)
        both = a.at(3, 5)
        self.assertEqual(list(both.tid), [a.tid(3, 5), a.tid(3, 5, 1)])
        self.assertRaises(IndexError, a.tid, 3, 5, 2)

    def test_formulas_give_the_map(self):
        tid, i = LANE, I4
        for style in (None, "bits", "short", "divide"):
            for axis in (0, 1):
                text = d().formula(("row", "col")[axis], style=style).replace("/", "//")
                np.testing.assert_array_equal(eval(text, {"tid": tid, "i": i}) + 0 * (tid + i), mma_d()[..., axis])
        self.assertEqual(set(d().formulas), {"row", "col"})
        self.assertEqual(set(d().inverse), {"tid", "i"})
        text = d().inverse["tid"]
        self.assertEqual(eval(text, {"row": 3, "col": 5}), 14)
        self.assertRaises(ValueError, d().formula, "block")

    def test_tensor_memory_and_several_matrices(self):
        # D of M = 128: row r is in lane r (PTX ISA, Layout D).
        tmem = cm.fragment("tcgen05.mma.m128n64k16.d.f32")
        self.assertEqual(tmem.lane(77, 5).row, 77)
        self.assertEqual(int(tmem.row(77, 5)), 77)
        x4 = cm.fragment("ldmatrix.m8n8.x4.r.b16")
        # Register r of a thread is from matrix r.
        np.testing.assert_array_equal(x4.block(LANE, I8), I8 // 2 + 0 * LANE)

    def test_several_loads_from_tensor_memory(self):
        # 32x32b: lane t of the quarter of warp t / 32 is thread t's; load n has columns 32 n and on.
        loads = cm.fragments("tcgen05.mma.m128n64k16.d.f32", with_="tcgen05.ld.32x32b.x32")
        self.assertEqual(len(loads), 2)
        np.testing.assert_array_equal(loads[1].col(5, np.arange(32)), np.arange(32, 64))
        np.testing.assert_array_equal(loads[1].row(np.arange(128), 0), np.arange(128))

    def test_a_load_answers_about_its_own_elements(self):
        # As above. Column 40 is the ninth of the columns from 32 on, so register 8 of load 1 has it.
        loads = cm.fragments("tcgen05.mma.m128n64k16.d.f32", with_="tcgen05.ld.32x32b.x32")
        self.assertEqual((loads[1].at(3, 40).tid, loads[1].at(3, 40).i), (3, 8))
        self.assertRaisesRegex(ValueError, "load 0", loads[0].at, 3, 40)
        self.assertEqual((loads[0].thread(3, 1).col, loads[1].thread(3, 1).col), (1, 33))
        self.assertEqual(list(loads[0].at("3,*").col), list(range(32)))
        self.assertTrue(loads[1].verify("row = tid; col = 32 + i"))
        self.assertFalse(loads[0].verify("row = tid; col = 32 + i"))
        self.assertEqual(loads[1].formula("col", style="divide").replace(" ", ""), "32+i")
        # It has its own text and pictures, too. As linear layouts, both loads are equal, except for their first column.
        for part, columns in zip(loads, ("0 to 31", "32 to 63")):
            self.assertIn(f"columns {columns}", str(part))
            self.assertEqual(str(part).count("# tcgen05.mma.m128n64k16.d.f32 on"), 1)
            self.assertIn(f"columns {columns}", part.svg)
            self.assertNotIn("for each load", part.svg)
        # Its functions have no parameter `load`; 32 columns of 32 bits come before it.
        self.assertIn("return 32 + i;", loads[1].cuda)
        self.assertIn("<< 16) + 32;", loads[1].cuda)
        self.assertNotIn("load *", loads[1].cuda)
        self.assertEqual((loads[0].cute, loads[0].linear_layout()["register"][-1]), ("(128,32):(1,128)", [0, 16]))
        # One load of all columns.
        np.testing.assert_array_equal(cm.fragment("tcgen05.mma.m128n64k16.d.f32", with_="tcgen05.ld.32x32b.x64").col(5, np.arange(64)), np.arange(64))

    def test_several_loads_or_stores_are_one_fragment(self):
        # Layout A (PTX ISA) of a CTA pair with M = 256: the first CTA has rows 0 to 127, each row in its own lane, columns in order.
        for with_, loads, ctas in (("tcgen05.ld.32x32b.x32", 2, 1), ("tcgen05.st.32x32b.x16", 4, 1), ("tcgen05.ld.32x32b.x32", 2, 2)):
            name = "tcgen05.mma.cta2.m256n64k16.d.f32" if ctas > 1 else "tcgen05.mma.m128n64k16.d.f32"
            kind = with_.split(".")[1].replace("ld", "load").replace("st", "store")
            whole, each = cm.fragment(name, with_=with_), 64 // loads
            self.assertEqual(whole.inputs, [*(["cta"] if ctas > 1 else []), kind, "tid", "i"])
            load, tid, i = np.ogrid[:loads, :128, :each]
            for cta in range(ctas):
                table = whole.map[cta] if ctas > 1 else whole.map
                np.testing.assert_array_equal(table[..., 0], cta * 128 + tid + 0 * load + 0 * i)
                np.testing.assert_array_equal(table[..., 1], load * each + i + 0 * tid)
            answer = whole.at((ctas - 1) * 128 + 3, 40)
            self.assertEqual((answer[0][kind], answer.tid, answer.i), (40 // each, 3, 40 % each))
            self.assertEqual([one[kind] for one in whole.thread(3, 1)], list(range(loads)) * ctas)
            index = (*([ctas - 1] if ctas > 1 else []), 1, 3, 5)
            self.assertEqual((whole.row(*index), whole.col(*index)), ((ctas - 1) * 128 + 3, each + 5))
            self.assertEqual((whole.tid(3, 40), whole.i(3, 40)), (3, 40 % each))
            text, names = whole.formula("col", style="divide").replace("/", "//"), {kind: load, "tid": tid, "i": i}
            np.testing.assert_array_equal(eval(text, names) + 0 * tid, load * each + i + 0 * tid)
            if ctas == 1:
                right = whole.verify(f"row = tid; col = {kind} * {each} + i")
                self.assertTrue(right)
                self.assertEqual(right.counts["col"], (0, 128 * 64))
                wrong = whole.verify("col = i")
                self.assertEqual(wrong.counts["col"], (128 * 64 - 128 * each, 128 * 64))
                self.assertEqual((wrong.wrong[0][kind], wrong.wrong[0].says, wrong.wrong[0].is_), (1, 0, each))

    def test_each_of_several_fragments_of_a_line_is_told_from_the_others(self):
        for line in ("HMMA.884.F32.F32.STEP0 R4, R8, R16, R4", SASS, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {a, b, c, d}, {e, f, g, h}, {i, j}, {a, b, c, d};"):
            for found in cm.fragments(line):
                alone = cm.fragment(found.fragment, arch=found.arch)
                np.testing.assert_array_equal(found.map, alone.map)
                place = [0] * len(found.coordinates)
                self.assertEqual([each.tid for each in found.at(*place)], [each.tid for each in alone.at(*place)])
                self.assertEqual(found.formula("row", style="divide"), alone.formula("row", style="divide"))

    def test_answers_are_those_of_the_map(self):
        draw = random.Random(2)
        for arch in ("sm_70", "sm_90", "sm_100"):
            for each in draw.sample(cm.fragments(arch=arch), 30):
                first = each.map[(0,) * len(each.inputs)]
                asked = each.thread(0, 0) if each.inputs == ["tid", "i"] else each.at(0, 0)
                if each.inputs == ["tid", "i"]:
                    self.assertIn(list(first), [[one[axis] for axis in each.coordinates] for one in asked])
                else:
                    self.assertEqual(list(first), [asked[0][axis] for axis in each.coordinates])

    def test_maps_are_those_of_the_json(self):
        draw = random.Random(3)
        for arch in ("sm_70", "sm_80", "sm_90", "sm_100", "sm_120"):
            for each in draw.sample(cm.fragments(arch=arch), 12):
                np.testing.assert_array_equal(each.map, cm.json(each.fragment, arch=arch)["map"])
        for layout in ("(64,64):(72,1)", "(64,64,3):(64,1,4096)", SWIZZLED):
            np.testing.assert_array_equal(cm.matrix(layout).offsets, cm.json(layout)["map"])

    def test_all_fragments_of_an_architecture(self):
        every = cm.fragments(arch="sm_90")
        self.assertEqual({each.fragment for each in every}, {each.fragment for each in cm.fragments("*", arch="sm_90")})
        self.assertGreater(len(every), 1000)
        np.testing.assert_array_equal(next(each for each in every if each.fragment == "mma.m16n8k16.d.f32").map, mma_d())
        self.assertTrue(all(each.map.shape[:2] == (each.threads, each.elements) for each in random.Random(1).sample(every, 50)))


class Questions(unittest.TestCase):
    def test_verdicts(self):
        right = d().verify("row = lane // 4 + i // 2 * 8; col = lane % 4 * 2 + i % 2")
        self.assertTrue(right)
        self.assertEqual(right.wrong, [])
        wrong = d().verify("row = lane // 4 + i % 2 * 8")
        self.assertFalse(wrong)
        # Elements 1 and 2 of each of 32 threads are wrong; element 1 of thread 0 is in row 0.
        self.assertEqual(wrong.counts, {"row": (64, 128)})
        self.assertEqual((wrong.wrong[0].tid, wrong.wrong[0].i, wrong.wrong[0].says, wrong.wrong[0].is_), (0, 1, 8, 0))
        self.assertTrue(wrong.right_for)
        self.assertTrue(d().verify("((4,8),(2,2)):((32,1),(16,8))"))
        # The descriptor of wgmma: 8 rows are 1024 bytes, in bits 32 to 45 in units of 16 bytes; mode 1 in bits 62 and 63.
        matrix = cm.matrix(SWIZZLED, "f16")
        self.assertTrue(matrix.verify(1 << 62 | 64 << 32 | 1 << 16))
        other = matrix.verify(1 << 62 | 8 << 32 | 1 << 16)
        self.assertFalse(other)
        self.assertEqual([(field.field, field.value, field.correct) for field in other.wrong], [("stride_byte_offset", 8, 64)])
        with self.assertRaises(cm.Error) as caught:
            d().verify("row = (lane")
        self.assertEqual(caught.exception.status, 2)

    def test_equality(self):
        # C and D of an instruction have one layout (PTX ISA); elements 1 and 2 of 32 threads are exchanged.
        self.assertTrue(d().equals("mma.m16n8k16.c.f32"))
        self.assertTrue(d().equals(cm.fragment("mma.m16n8k16.c.f32")))  # on another architecture
        self.assertTrue(d().equals(mma_d()))
        exchanged = d().equals(mma_d()[:, [0, 2, 1, 3]])
        self.assertFalse(exchanged)
        self.assertEqual((exchanged.different, exchanged.entries, exchanged.first[0]["at"][1].row), (64, 128, 8))
        self.assertIn("row 8, col 0 in the table", str(exchanged))
        # Volta holds a row of wmma's D in other threads than Turing.
        volta, turing = (cm.fragment("wmma.m16n16k16.d.f32", arch=arch) for arch in ("sm_70", "sm_75"))
        self.assertEqual(volta.equals(turing).different, int((volta.map != turing.map).any(-1).sum()))
        # The swizzle moves chunks in rows 1 to 7 of 8, and none in row 0.
        swizzled, plain = cm.matrix(SWIZZLED, "f16"), cm.matrix("(64,64):(64,1)")
        self.assertEqual((swizzled.equals(plain).different, swizzled.equals("(64,64):(64,1)").different), (64 * 56, 64 * 56))
        self.assertTrue(swizzled.equals(swizzled_address(*np.indices((64, 64))) // 2))
        self.assertTrue(cm.deduce(mma_d()).equals(d()))
        # Scale factors: 128x4 puts row r at 16 (r % 32) + 4 (r / 32) (cuBLAS).
        row, col = np.indices((128, 4))
        self.assertTrue(cm.matrix("128x4", extent=(128, 4)).equals(row % 32 * 16 + row // 32 * 4 + col))
        self.assertFalse(cm.matrix("128x4", extent=(128, 4)).equals("8x4"))
        # Each of several loads has its own columns.
        loads = cm.fragments("tcgen05.mma.m128n64k16.d.f32", with_="tcgen05.ld.32x32b.x32")
        self.assertTrue(loads[1].equals(loads[1]))
        self.assertEqual(loads[0].equals(loads[1]).different, 128 * 32)
        for wrong in (mma_d()[:3], 3, "mma.m16n8k16.a.f16", "no fragment"):
            self.assertRaises(ValueError, d().equals, wrong)
        for wrong in (None, 1.5, b"x", {}):
            self.assertRaises(TypeError, d().equals, wrong)

    def test_copies_of_the_whole_matrix(self):
        # 64 rows of 128 bytes are 64 wavefronts; a lane copies 16 bytes.
        stored = cm.matrix(SWIZZLED, "f16").store("tma")
        self.assertEqual(stored.wavefronts, 64)
        # 128 rows of 4 bytes are a copy of 32 lanes by 128 bits, for four warps.
        scales = cm.matrix("128x4", extent=(128, 4)).load("tcgen05.mma.m128k64.sfa.4x.ue4m3")
        self.assertEqual(scales.instruction, "tcgen05.cp.cta_group::1.32x128b.warpx4")
        self.assertIn("tma", [use.get("store") for use in cm.matrix("(64,64):(64,1)", "f16").suggest(load="mma.m16n8k16.a.f16", store="tma").suggestions[0]["uses"]])

    def test_conversion(self):
        conversion = d().convert("mma.m16n8k16.a.f16")
        self.assertEqual((conversion.kind, conversion.shuffles), ("same", 0))
        self.assertIn("cvt.rn.f16x2.f32", conversion.cuda)
        self.assertEqual(d().convert(cm.fragment("mma.m16n8k16.a.f16")).registers, [0, 1, 2, 3])

    def test_notations(self):
        self.assertIn("mapping_mma_m16n8k16_d_f32_row", d().cuda)
        self.assertEqual(d().cute, "((4,8),(2,2)):((32,1),(16,8))")  # CLayout of CuTe's SM80_16x8_Row
        # Triton's NvidiaMmaEncoding of version 2, as its own to_linear_layout has it.
        expected = {"register": [[0, 1], [8, 0]], "lane": [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "warp": [], "block": []}
        self.assertEqual(d().linear_layout(), expected)
        self.assertEqual(cm.fragment("wgmma.m64n64k16.d.f32").linear_layout()["warp"], [[16, 0], [32, 0]])
        self.assertRaises(ValueError, cm.fragment("tcgen05.mma.m128n64k16.d.f32").linear_layout)
        self.assertTrue(d().svg.startswith("<svg") and d()._repr_svg_() == d().svg)
        self.assertIsNone(d().convert("mma.m16n8k16.a.f16")._repr_svg_())
        self.assertEqual(d().evidence[0].kind, "gpu")
        self.assertRegex(d().facts["source"], "^recorded: gpu .*H200")
        self.assertEqual(repr(d()), "<Fragment mma.m16n8k16.d.f32 --arch=sm_90>")
        self.assertTrue(str(d()).startswith("# mma.m16n8k16.d.f32 on sm_90\n"))

    def test_formats_are_those_of_the_program(self):
        listed = re.search(r"The\s+formats are (.*?)\n +--style", cm.run("--help=code"), re.S)[1]
        self.assertEqual(["text", "json", *cm.Result.FORMATS], re.findall(r"\w+", listed.replace(" and ", " ")))
        # Version 1.0.0 had these attributes.
        self.assertLessEqual({"cuda", "cute", "triton", "svg", "tikz", "html", "markdown", "csv"}, {*cm.Result.FORMATS})
        for name in cm.Result.FORMATS:
            self.assertTrue(getattr(d(), name), name)

    def test_a_format_that_does_not_exist_is_no_attribute(self):
        for result, has, lacks in (
            (cm.access("ld.b32", "tid * 4"), {"svg", "tikz"}, {"csv", "cuda", "cute"}),
            (d().convert("mma.m16n8k16.a.f16"), {"cuda"}, {"csv", "svg", "triton"}),
            (cm.diff("sm_72", "sm_75"), {"csv", "markdown"}, {"cute", "svg"}),
            (d().equals(d()), set(), {"csv", "svg"}),
            (cm.matrix("(64,64):(64,1)").suggest(load="mma.m16n8k16.a.f16"), set(), {"csv", "svg"}),
        ):
            self.assertEqual({name for name in has | lacks if hasattr(result, name)}, has)
            self.assertEqual({*dir(result)} & (has | lacks), has)
            self.assertEqual(dir(result), sorted({*dir(result)}))
            inspect.getmembers(result)
            for name in lacks:
                self.assertRaisesRegex(cm.Invalid, f"--format={name}|not support", getattr, result, name)
                self.assertRaises(cm.Invalid, result.text, format=name)

    def test_equal_results_are_equal(self):
        made = [d, lambda: d("sm_80"), lambda: cm.matrix(SWIZZLED, "f16"), lambda: cm.deduce(mma_d()), lambda: cm.deduce(mma_a()),
                lambda: d().verify("row = 0"), lambda: d().equals(mma_d()), lambda: cm.access("ld.b32", "tid * 4"),
                *(lambda n=n: cm.fragments("tcgen05.mma.m128n64k16.d.f32", with_="tcgen05.ld.32x32b.x32")[n] for n in (0, 1))]
        self.assertEqual(len({make() for make in made + made}), len(made))
        for make in made:
            self.assertEqual(make(), pickle.loads(pickle.dumps(make())))
            self.assertEqual(hash(make()), hash(copy.deepcopy(make())))
        self.assertNotEqual(d(), d().fragment)
        # Each table differs from the layout at 4 of 128 entries. The first three of these entries are the same in both.
        one, other = mma_d(), mma_d()
        one[0], other[0] = 0, 0
        one[31, 3], other[31, 3] = 1, 2
        first, second = d().equals(one), d().equals(other)
        self.assertEqual(first.json, second.json)
        self.assertNotEqual(first, second)

    def test_records_are_values(self):
        one, other = d().thread(14)[0], d().thread(14)[1]
        self.assertEqual(len({one, other, d().thread(14)[0]}), 2)
        self.assertEqual(hash(d().at(3, 5)), hash(d().at(3, 5)))
        self.assertEqual(json.loads(json.dumps(one.to_dict())), dict(one))
        self.assertEqual(json.loads(json.dumps(d().json.to_dict())), d().json)
        one.to_dict()["bits"].append(3)
        self.assertEqual(one.bits, [0, 31])
        with self.assertRaisesRegex(AttributeError, "cannot be changed"):
            one.tid = 3
        self.assertEqual(one.tid, 14)
        self.assertLessEqual({"row", "col", "tid", "i"}, {*dir(one)} & {*dir(d().at(3, 5))})
        # Elements 2 and 3 of thread 14 are 8 rows below elements 0 and 1.
        np.testing.assert_array_equal(d().thread(14)[2:].row, [11, 11])
        self.assertEqual(d().thread(14)[:1].row, 3)
        self.assertIs(type(pickle.loads(pickle.dumps(d().thread(14)[2:]))), cm.Answers)

    def test_types_of_array_libraries(self):
        class dtype:  # as PyTorch's, which is not installed here
            def __str__(self):
                return "torch.bfloat16"
        dtype.__module__ = "torch"
        cases = [(np.float16, "f16"), (np.dtype("float32"), "f32"), (np.int8, "s8"), (np.uint8, "u8"), (np.int32, "s32"), (dtype(), "bf16")]
        try:
            import ml_dtypes
            cases += [(ml_dtypes.bfloat16, "bf16"), (np.dtype(ml_dtypes.float8_e4m3fn), "e4m3"), (ml_dtypes.float8_e5m2, "e5m2"),
                      (ml_dtypes.float8_e8m0fnu, "ue8m0"), (ml_dtypes.float4_e2m1fn, "e2m1"), (ml_dtypes.int4, "s4")]
        except ImportError:
            pass
        for given, name in cases:
            self.assertEqual(_library.word(given, "type"), name)
            self.assertEqual(cm.matrix("(8,8):(8,1)", given).json["type"], name)
        self.assertEqual(cm.fragment("mma.m16n8k16", operand="a", type=np.float16).fragment, "mma.m16n8k16.a.f16")
        self.assertTrue(cm.check_copy(np.copy, m=4, n=4, type=np.float32))
        for given in (np.complex64, np.dtype("M8[s]"), bool, int):
            self.assertRaises((TypeError, ValueError), cm.matrix, "(8,8):(8,1)", given)

    def test_architectures(self):
        self.assertEqual(cm.fragment("mma.m16n8k16.d.f32", arch=(9, 0)).arch, "sm_90")
        self.assertEqual(cm.fragment("mma.m16n8k16.d.f32", arch=(12, 0)).arch, "sm_120")
        self.assertEqual([each.arch for each in cm.fragments("mma.m16n8k16.d.f32", arch=(80, 90))], ["sm_80", "sm_90"])
        names = cm.architectures()
        # The help lists them by hand, with the products of each.
        self.assertEqual(names, re.findall(r"(?m)^  (sm_\d+)\b", cm.run("--help=architectures")))

    def test_a_layout_is_an_array(self):
        np.testing.assert_array_equal(np.asarray(d()), mma_d())
        np.testing.assert_array_equal(np.array(cm.matrix(SWIZZLED, "f16"))[1, :8], np.arange(72, 80))
        self.assertEqual(np.asarray(d(), np.float32).dtype, np.float32)
        self.assertIs(np.asarray(d()).flags.writeable, False)
        self.assertIs(np.array(d()).flags.writeable, True)
        self.assertRaises(ValueError, d().__array__, np.int64, copy=False)
        self.assertRaisesRegex(TypeError, "takes no arrays; index `map`", d().at, np.arange(3), 5)
        self.assertEqual(d().at(np.array(3), np.int8(5)).tid, 14)

    def test_own_index_functions(self):
        # The PTX ISA's formulae, as functions of arrays; the second exchanges elements 1 and 2.
        right = d().equals(lambda tid, i: (tid // 4 + i // 2 * 8, tid % 4 * 2 + i % 2))
        self.assertEqual((bool(right), right.entries), (True, 128))
        self.assertEqual(d().equals(lambda tid, i: (tid // 4 + i % 2 * 8, tid % 4 * 2 + i // 2)).different, 64)
        self.assertEqual(d().equals(lambda tid, i: (tid // 4 + i // 2 * 8, 0)).different, 128 - 16)
        self.assertTrue(cm.matrix(SWIZZLED, "f16").equals(lambda row, col: swizzled_address(row, col) // 2))
        x4 = cm.fragment("ldmatrix.m8n8.x4.r.b16")
        self.assertTrue(x4.equals(lambda tid, i: (i // 2, tid // 4, tid % 4 * 2 + i % 2)))
        self.assertRaisesRegex(ValueError, "returns 1 coordinates, but the layout has 2", d().equals, lambda tid, i: tid)
        self.assertRaisesRegex(TypeError, "whole numbers", d().equals, lambda tid, i: (tid / 4, i))
        self.assertRaises(ValueError, d().equals, lambda tid, i: (tid[:3], i))
        # All lanes of a quarter of 8 access one bank: 32 words in 4 different banks are 8 wavefronts.
        self.assertEqual(cm.access("ld.b32", lambda tid: tid % 8 * 128 + tid // 8 * 4).wavefronts, 8)
        for given in (mma_d(), lambda tid, i: tid):
            self.assertRaisesRegex(TypeError, "call equals", d().verify, given)

    def test_tables_hold_no_files(self):
        before = len(os.listdir("/proc/self/fd"))
        kept = [cm.deduce(np.arange(4).reshape(2, 2)) for _ in range(20)] + [d().equals(mma_d()), cm.annotate(SASS)]
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        for each in kept[:1]:
            self.assertEqual(repr(each), "<Deduction (row, col) -> (source)>")
            self.assertIn("Formulae", str(each))
        self.assertEqual(repr(cm.deduce(mma_d())), "<Deduction (tid, i) -> (row, col)>")
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        self.assertRaises(cm.Invalid, cm.deduce, mma_d(), style="none")
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_a_listing_in_a_file(self):
        with tempfile.TemporaryDirectory() as place:
            Path(place, "kernel.sass").write_text(SASS)
            self.assertEqual(cm.annotate(Path(place, "kernel.sass")), cm.annotate(SASS))
            self.assertRaises(OSError, cm.annotate, Path(place, "none"))

    def test_messages_name_what_is_wrong(self):
        suggested = cm.matrix("(64,64):(64,1)").suggest(load="mma.m16n8k16.a.f16")
        for error, text, call in (
            (IndexError, "there is no suggestion 999999, only 0 to", lambda: suggested.matrix(999999)),
            (TypeError, r"such as '\(64,64\):\(64,1\)'.*not tuple", lambda: cm.matrix(((64, 64), (64, 1)))),
            (TypeError, "an operation must be text", lambda: cm.access(None, "tid")),
            (TypeError, "not NoneType", lambda: cm.access("ld.b32", None)),
            (TypeError, "alpha must be a number, not str", lambda: cm.check_gemm(np.dot, m=8, n=8, k=8, alpha="x")),
            (TypeError, "layout must be text", lambda: cm.check_gemm(np.dot, m=8, n=8, k=8, layout=None)),
            (TypeError, "m must be a whole number, not float", lambda: cm.check_gemm(np.dot, m=8.0, n=8, k=8)),
            (ValueError, "n must be at least 1, not 0", lambda: cm.check_copy(np.copy, m=8, n=0)),
            (ValueError, "head_dim must be at least 1", lambda: cm.check_attention(np.copy, heads=1, seqlen_q=8, head_dim=-8)),
        ):
            self.assertRaisesRegex(error, text, call)
        self.assertEqual(cm.fragment(d(), arch="sm_80").arch, "sm_80")

    def test_a_matrix_in_memory(self):
        matrix = cm.matrix(SWIZZLED, "f16")
        row, col = np.indices((64, 64))
        np.testing.assert_array_equal(matrix.offsets * 2, swizzled_address(row, col))
        # Lanes 0 to 7 of ldmatrix.x4 have the rows of the first matrix of A, 8 to 15 those below it, 16 to 31 those 8 columns on.
        plan = matrix.load("mma.m16n8k16.a.f16")
        lane = LANE[:, 0]
        self.assertEqual((plan.with_, plan.wavefronts, len(plan.steps)), ("ldmatrix.x4", 4, 1))
        np.testing.assert_array_equal(plan.steps[0].address, swizzled_address(lane % 16, lane // 16 * 8))
        self.assertIn("ldmatrix.x2", [other.with_ for other in plan.others])
        other = next(other for other in plan.others if other.with_ == "ldmatrix.x2")
        np.testing.assert_array_equal(other.steps[0].address[16:], -1)
        self.assertIn("ldmatrix.x2", str(other))
        self.assertEqual([each["with"] for each in cm.json(SWIZZLED, type="f16", load="mma.m16n8k16.a.f16")], [plan.with_, *(each.with_ for each in plan.others)])
        self.assertEqual((other.others, matrix.load("mma.m16n8k16.a.f16", with_="ldmatrix.x2").json), ([], other.json))
        self.assertIn("ldmatrix", plan.cuda)
        padded = cm.matrix("(64,64):(72,1)").load(cm.fragment("mma.m16n8k16.a.f16"))
        self.assertTrue(padded.verify("offset = lane % 16 * 72 + lane // 16 * 8"))
        self.assertFalse(padded.verify("offset = lane % 16 * 64 + lane // 16 * 8"))
        self.assertEqual(matrix.offset(72).row, 1)
        self.assertEqual(int(cm.matrix("(64,64,3):(64,1,4096)").offsets[2, 1, 5]), 2 * 4096 + 64 + 5)

    def test_suggestions(self):
        plain = cm.matrix("(64,64):(64,1)", "f16")
        best = plain.suggest(load="mma.m16n8k16.a.f16", store="cp.async")
        # 16 tiles of 512 bytes are read, and 8192 bytes written, 128 at a time.
        self.assertEqual(best.suggestions[0].wavefronts, 128)
        self.assertEqual(best.matrix().load("mma.m16n8k16.a.f16").wavefronts, 4)
        self.assertEqual(cm.matrix(SWIZZLED, "f16").suggest(load="mma.m16n8k16.a.f16", store="cp.async").suggestions, best.suggestions)
        both = plain.suggest(load=["mma.m16n8k16.a.f16", "mma.m16n8k16.b.f16"])
        self.assertEqual(len(both.suggestions[0].uses), 2)
        objects = [cm.fragment("mma.m16n8k16.a.f16"), cm.fragment("mma.m16n8k16.b.f16")]
        self.assertEqual(plain.suggest(load=objects).suggestions, both.suggestions)
        self.assertEqual(plain.suggest(load=objects[0], store="cp.async").suggestions, best.suggestions)

    def test_layouts_of_other_projects(self):
        class Printed:
            def __init__(self, text):
                self.text = text

            def __str__(self):
                return self.text

        for text in ("(4, 8):(8, 1)", "(4, 8) : (8, 1)", "(4,8):(8,1)"):  # pycute, tensor-layouts, CuTe DSL
            np.testing.assert_array_equal(cm.matrix(Printed(text)).offsets, np.arange(32).reshape(4, 8))
        composed = "(Swizzle(3, 3, 3)) o ((64, 64) : (64, 1))"  # a ComposedLayout of tensor-layouts
        np.testing.assert_array_equal(cm.matrix(Printed(composed), "f16").offsets, cm.matrix(SWIZZLED, "f16").offsets)
        for wrong in (None, 3, 1.5, b"(4,8):(8,1)", [4, 8], np.zeros(3)):
            self.assertRaises(TypeError, cm.matrix, wrong)
        self.assertRaises(ValueError, cm.matrix, "mma.m16n8k16.d.f32")

    def test_accesses(self):
        # Contiguous 512 bytes are 4 wavefronts of 128 bytes; a stride of 2 words meets every bank twice.
        self.assertEqual(cm.access("ld.b128", np.arange(32) * 16).wavefronts, 4)
        self.assertEqual(cm.access("ld.b32", "tid * 8").wavefronts, 2)
        self.assertEqual(cm.access("ld.b32", [0, None] * 16).wavefronts, 1)
        step = cm.matrix("(64,64):(64,1)").load("mma.m16n8k16.b.f16").steps[0]  # 16 rows of 128 bytes, in the same banks
        self.assertEqual(cm.access("ldmatrix.x2.trans", step.address).wavefronts, 16)
        masked = np.ma.masked_array(np.arange(32) * 128, np.arange(32) >= 4)
        self.assertEqual(cm.access("ld.b32", masked).wavefronts, 4)
        self.assertEqual(cm.access("ld.b32", masked.astype(np.uint32)).wavefronts, 4)
        for wrong in (np.zeros((2, 2), int), np.arange(33), [], [-4] * 32):
            self.assertRaises(ValueError, cm.access, "ld.b32", wrong)
        self.assertRaises(TypeError, cm.access, "ld.b32", np.arange(32) * 0.5)

    def test_deduction(self):
        found = cm.deduce(d().map)
        self.assertEqual(found.formulas, d().formulas)
        self.assertIn("mma.m16n8k16.d.f32", found.same)
        sources = np.zeros((16, 8), int)
        sources[mma_d()[..., 0], mma_d()[..., 1]] = LANE * 4 + I4
        self.assertEqual(cm.deduce(sources, elements=4).formulas, d().formulas)
        self.assertEqual(cm.deduce(sources, elements=np.int64(4)).formulas, d().formulas)
        np.testing.assert_array_equal(cm.deduce(sources).map, sources)
        columns = {"c": np.arange(64) // 8, "s": np.arange(64) % 8, "bank": np.arange(64) // 8 ^ np.arange(64) % 8}
        text = cm.deduce(columns, outputs="bank").formulas["bank"]
        np.testing.assert_array_equal(eval(text, columns), columns["bank"])
        self.assertIsNone(cm.deduce(np.array([[0, 5], [4, 7]])).formulas["source"])
        for wrong in ({}, {"tid": [0], "row": [0, 1]}, np.zeros((2, 2, 2, 2), int), np.zeros(0, int), [[-1, 0]]):
            self.assertRaises(ValueError, cm.deduce, wrong)

    def test_copies_of_answers(self):
        whole, other = cm.deduce(d().map), cm.matrix(SWIZZLED, "f16").load("mma.m16n8k16.a.f16")
        for answer in (whole, d().equals(mma_d()[::-1]), other, d().at(3, 5), d().verify("row = 0")):
            for again in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
                self.assertEqual((type(again), str(again)), (type(answer), str(answer)))
        again = pickle.loads(pickle.dumps(whole))
        expected = whole.formula("row", style="divide")
        del whole, answer
        self.assertEqual(again.formula("row", style="divide"), expected)

    def test_listings(self):
        # The registers of operands of m16n8k16 (PTX ISA): D and C have 4, A 4 and B 2; SASS names the first of each.
        text = "FADD R1, R2, R3 ;\nHMMA.16816.F32 R4, R8, R16, R4 ;\n"
        listing = cm.annotate(text)
        self.assertEqual(str(listing), listing)
        self.assertEqual(listing, cm.run("--annotate=" + self.file(text)))
        self.assertEqual([(each.line, each.name) for each in listing.instructions], [(2, "HMMA.16816.F32")])
        self.assertEqual({each.operand: each.registers for each in listing.instructions[0].fragments},
                         {"D": ["R4", "R5", "R6", "R7"], "A": ["R8", "R9", "R10", "R11"], "B": ["R16", "R17"], "C": ["R4", "R5", "R6", "R7"]})
        self.assertEqual((listing.functions[0].instructions[0].count, listing.unknown, listing.json.kind), (1, 0, "listing"))
        self.assertEqual(cm.annotate(text, brief=True).instructions, listing.instructions)
        self.assertEqual(pickle.loads(pickle.dumps(listing)).instructions, listing.instructions)
        self.assertRaises(AttributeError, lambda: listing.no_such_member)
        self.assertRaisesRegex(ValueError, "^the text is not a listing", cm.annotate, "")
        self.assertRaises(TypeError, cm.annotate, text.encode())

    def file(self, text):
        file = tempfile.NamedTemporaryFile("w")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def test_lists_and_differences(self):
        self.assertIn("tcgen05.mma", {each.instruction for each in cm.list(arch="sm_100")})
        volta, turing = cm.diff("sm_72", "sm_75").different[0]["sm_72"], cm.diff("sm_72", "sm_75")
        self.assertEqual(volta["col"], "(i & 15)")  # a thread of Volta holds a whole row of A
        self.assertEqual(turing.archs, ["sm_72", "sm_75"])

    def test_every_option_is_a_keyword(self):
        names = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", cm.run("--help=all"), re.MULTILINE))
        self.assertGreater(len(names), 50)
        for name in names:
            keyword = name.replace("-", "_") + "_" * keywords.iskeyword(name)
            self.assertTrue(keyword.isidentifier())
            self.assertEqual(_library.option_words({keyword: "x"}), [f"--{name}=x"])
            self.assertEqual(_library.option_words({keyword: True}), [f"--{name}"])

    def test_command_lines(self):
        self.assertEqual(cm.run("--version"), f"mapping {cm.__version__}\n")
        self.assertEqual(cm.run("mma.m16n8k16.d.f32", verify="row = 0").status, 1)
        self.assertEqual(cm.json("mma.m16n8k16.d.f32", at=(3, 5))["answers"][0]["tid"], 14)
        self.assertRaisesRegex(ValueError, "^--help is answered with text", cm.json, "--help")
        self.assertIn("[49m", cm.run("mma.m16n8k16.d.f32", color="always") + "[49m")
        tiled = cm.fragment("mma.m16n8k16.d.f32", atom_layout="(2,2,1)")
        self.assertEqual((tiled.rows, tiled.cols, tiled.threads), (32, 16, 128))


class Machinery(unittest.TestCase):
    def test_errors(self):
        with self.assertRaises(cm.Error) as caught:
            cm.fragment("mma.m16n8k17.d.f32")
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("mma.m16n8k1", str(caught.exception))
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).status, 2)
        with self.assertRaises(cm.Error) as caught:
            cm.fragment("wgmma.m64n64k16.d.f32", arch="sm_80")
        self.assertIn(caught.exception.status, (2, 3))
        with self.assertRaises(cm.Error) as caught:
            cm.run("--verify=@/nowhere", "mma.m16n8k16.d.f32")
        self.assertNotIsInstance(caught.exception, UnicodeError)
        for wrong in ("a\0b", "a\ud800b", "\udc80"):
            self.assertRaisesRegex(ValueError, "NUL|surrogate", cm.fragment, wrong)
            self.assertRaisesRegex(ValueError, "NUL|surrogate", d().verify, wrong)
        for wrong in (None, 1.5, object(), b"x", {}):
            self.assertRaises(TypeError, cm.fragment, wrong)
            self.assertRaises(TypeError, d().at, wrong, 3)
        for wrong in (-1, 16, 2**70, "x"):
            self.assertRaises(ValueError, d().at, wrong, 0)
        self.assertRaises(ValueError, cm.fragment, "mma.m16n8k16.d.f32", no_such_option=True)
        self.assertRaises(AttributeError, lambda: d().no_such_member)
        self.assertRaises(ValueError, cm.fragment, SWIZZLED)
        self.assertRaises(ValueError, cm.fragments, SWIZZLED, "(64,64):(64,1)")
        # Names are never options.
        self.assertRaises(ValueError, cm.fragment, "--version")

    def test_tools_are_started_only_if_asked_for(self):
        for words, may in (
            (["mma.m16n8k16.d.f32"], False),
            (["--source=isa"], False),
            (["--source=sass"], True),
            (["-s", "sass"], True),
            (["-ssass,isa"], True),
            (["--sour=isa,gpu"], True),
            (["--check"], True),
            (["--verify=-c"], False),
            (["--with=tcgen05.ld.16x256b", "--suggest"], False),
        ):
            self.assertEqual(_library.asks_for_tools(words), may, words)

    def test_an_import_starts_nothing(self):
        script = "import sys, threading; import cuda_mapping as cm; cm.fragment('mma.m16n8k16.d.f32').map;" \
            "print(threading.active_count(), any('libcuda' in line for line in open('/proc/self/maps')), 'subprocess' in sys.modules)"
        with_numpy = subprocess.run([sys.executable, "-c", "import numpy, sys; print('subprocess' in sys.modules)"], capture_output=True, text=True)
        out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(out.stdout.split()[:2], ["1", "False"], out.stderr)
        self.assertLessEqual(out.stdout.split()[2] == "True", "True" in with_numpy.stdout)

    def test_the_module_is_thin(self):
        # Lines of code, as cloc counts them: without blank lines, comments and docstrings.
        code = 0
        for path in Path(cm.__file__).parent.glob("*.py"):
            source = path.read_text()
            bodies = [node.body[0] for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
            texts = [each for each in bodies if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)]
            lines = {number for number, line in enumerate(source.splitlines(), 1) if line.strip() and not line.strip().startswith("#")}
            code += len(lines.difference(*(range(each.lineno, each.end_lineno + 1) for each in texts)))
        print(f"# {code} lines of code (bound 1000)")
        self.assertLessEqual(code, 1000)

    def test_threads(self):
        wrong = []

        def ask(number):
            for turn in range(60):
                arch = ("sm_80", "sm_90")[(turn + number) % 2]
                if d(arch).arch != arch or not np.array_equal(d(arch).map, mma_d()) or d(arch).at(3, 5).tid != 14:
                    wrong.append(number)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_forks_while_threads_ask(self):
        is_over = threading.Event()

        def ask():
            while not is_over.is_set():
                cm.run("mma.m16n8k16.d.f32", "--at=3,5", "--arch=sm_90", "--json")

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        statuses = []
        try:
            for _ in range(100 // one_in(3)):
                child = os.fork()
                if child == 0:
                    signal.signal(signal.SIGALRM, signal.SIG_DFL)
                    signal.alarm(10)
                    os._exit(0 if d().at(3, 5).tid == 14 else 1)
                statuses.append(os.waitpid(child, 0)[1])
                if statuses[-1] != 0:
                    break
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        self.assertEqual(statuses, [0] * (100 // one_in(3)))

    def test_arrays_of_others(self):
        class Array:
            def __init__(self, values):
                self.values = np.asarray(values)

            def __array__(self, dtype=None, copy=None):
                return self.values

        class Capsule:
            def __init__(self, values):
                self.values = np.asarray(values)

            def __dlpack__(self, **options):
                return self.values.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.values.__dlpack_device__()

        class OnDevice(Capsule):
            def __array__(self, dtype=None, copy=None):
                raise TypeError("cannot convert a tensor on a device")

            def __dlpack__(self, **options):
                if self.stays or options.get("dl_device") != (1, 0):  # the host
                    raise BufferError("on a device")
                return self.values.__dlpack__()

            def __dlpack_device__(self):
                return (2, 0)  # CUDA

        OnDevice.stays = np.lib.NumpyVersion(np.__version__) < "2.1.0"
        for kind in (Array, Capsule, list, tuple, *([] if OnDevice.stays else [OnDevice])):
            self.assertEqual(cm.access("ld.b128", kind(list(range(0, 512, 16)))).wavefronts, 4)
        class Number:  # as CuPy's arrays of no axes, which have no __index__
            def item(self):
                return 3

        self.assertEqual(d().at(Number(), np.array(5)).tid, 14)
        for wrong in (np.array([3, 4]), np.array(True), np.float32(3)):
            self.assertRaises(TypeError, d().at, wrong, 5)
        OnDevice.stays = True
        self.assertRaisesRegex(TypeError, "copy it to the host", cm.access, "ld.b128", OnDevice([0] * 32))

    def test_a_missing_or_another_library(self):
        folder = Path(cm.__file__).parent
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place, "cuda_mapping")
            # Python takes a compiled file for current if the source has its size and second of change.
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
            environment = {**os.environ, "PYTHONPATH": place, "PYTHONDONTWRITEBYTECODE": "1"}

            def imported():
                ran = subprocess.run([sys.executable, "-c", "import cuda_mapping"], env=environment, capture_output=True, text=True)
                return ran.returncode, ran.stderr.strip().splitlines()[-1]

            version = copy / "_version.py"
            version.write_text(re.sub(r"= 0x.*", "= 0x000201", version.read_text()))
            self.assertRegex(str(imported()), r"1, .*ImportError: .* but this module needs 0x000201")
            (copy / "libmapping.so").write_bytes(b"no library")
            self.assertRegex(str(imported()), "1, .*ImportError: cuda_mapping needs its library")
            (copy / "libmapping.so").unlink()
            self.assertRegex(str(imported()), "1, .*ImportError: cuda_mapping needs its library")

    def test_tools_of_packages_are_found(self):
        # As pip installs nvidia-cuda-nvcc and nvidia-cuda-nvdisasm. These ones only say that they were started.
        with tempfile.TemporaryDirectory() as place:
            shutil.copytree(Path(cm.__file__).parent, Path(place, "cuda_mapping"))
            tools = Path(place, "nvidia/cu13/bin")
            tools.mkdir(parents=True)
            for name in ("ptxas", "nvdisasm"):
                Path(tools, name).write_text("#!/bin/sh\necho 'started from a package' >&2; exit 1\n")
                Path(tools, name).chmod(0o755)
            environment = {**os.environ, "PYTHONPATH": place, "PATH": "/nowhere", "CUDA_HOME": place, "CUDA_PATH": place, "VIRTUAL_ENV": place}
            script = "import cuda_mapping as cm; cm.fragment('wmma.m16n16k16.d.f32', arch='sm_80', source='sass')"
            command = [sys.executable, "-c", "import numpy, sys; sys.path.insert(0, %r); %s" % (place, script)]
            ran = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertIn("started from a package", ran.stderr)

    def test_as_a_command(self):
        def command(*words):
            ran = subprocess.run([sys.executable, "-m", "cuda_mapping", *words], capture_output=True, text=True)
            return ran.returncode, ran.stdout, ran.stderr

        self.assertEqual(command("--version"), (0, f"mapping {cm.__version__}\n", ""))
        self.assertEqual(command("mma.m16n8k16.d.f32", "--verify=row = 0")[0], 1)
        piped = subprocess.run(f"'{sys.executable}' -m cuda_mapping --help=all | head -n 1", shell=True, capture_output=True, text=True)
        self.assertEqual((piped.stdout[:6], piped.stderr), ("Usage:", ""))
        status, out, err = command("mma.m16n8k17.d.f32")
        self.assertEqual((status, out, err[:9]), (2, "", "mapping: "))


class Times(unittest.TestCase):
    """Prints the numbers to hold. A machine that does other things takes longer, so the test fails from SLOW times the bound on."""

    SLOW = 10

    def measure(self, what, milliseconds, function, turns=20):
        def once():
            start = time.perf_counter()
            function()
            return (time.perf_counter() - start) * 1e3

        least = min(once() for _ in range(turns))
        print(f"# {what}: {least:.2f} ms (bound {milliseconds} ms)")
        self.assertLess(least, milliseconds * self.SLOW, what)

    def test_questions(self):
        fragment, matrix = d(), cm.matrix(SWIZZLED, "f16")
        self.measure("a fragment", 0.3, d)
        self.measure("where an element is", 0.3, lambda: fragment.at(3, 5))
        self.measure("what a thread holds", 0.3, lambda: fragment.thread(14))
        self.measure("a verdict", 0.3, lambda: fragment.verify("row = lane // 4 + i // 2 * 8"))
        self.measure("a conversion", 0.3, lambda: fragment.convert("mma.m16n8k16.a.f16"))
        self.measure("a load", 0.3, lambda: matrix.load("mma.m16n8k16.a.f16"))
        self.measure("an access", 0.3, lambda: cm.access("ld.b128", np.arange(32) * 16))

    def test_maps_and_catalogue(self):
        for name in ("wgmma.m64n256k16.d.f32", "tcgen05.mma.cta2.m256n256k16.d.f32"):
            fragment = cm.fragment(name)

            def ask():
                fragment._table = None
                return fragment.map

            self.measure(f"the map of {name}", 3, ask)
        self.measure("all fragments of sm_90", 1000, lambda: cm.fragments(arch="sm_90"), 3)

    def test_import_and_first_answer(self):
        # Compiled, as pip leaves it. The compiled files are not put beside the sources.
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = place.name

        script = "import numpy, time; start = time.perf_counter(); import cuda_mapping as cm; " \
            "cm.fragment('mma.m16n8k16.d.f32').at(3, 5); print((time.perf_counter() - start) * 1e3)"
        turns = [subprocess.run([sys.executable, "-c", script], check=True, env=environment, capture_output=True, text=True) for _ in range(6)]
        least = min(float(turn.stdout) for turn in turns)
        print(f"# import and first answer beyond NumPy: {least:.1f} ms (bound 30 ms)")
        self.assertLess(least, 30 * self.SLOW)


def public_functions(module, objects):
    """The functions that the module shows, and the methods of its classes, of one object of each."""
    functions = [getattr(module, name) for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    classes = {value for value in (getattr(module, name) for name in module.__all__) if inspect.isclass(value)}
    for each in classes - {module.Error, module.Invalid, module.Text, module.Result, module.Layout}:
        if not any(type(value) is each for value in objects):
            raise AssertionError(f"random arguments need an object of {each.__name__}")
    own = [each for each in objects if type(each) in classes]
    functions += [getattr(each, name) for each in own for name in dir(type(each)) if not name.startswith("_") and
                  inspect.isfunction(getattr(type(each), name)) and getattr(type(each), name).__module__.startswith(module.__name__)]
    return functions


class RandomArguments(unittest.TestCase):
    """No argument ends the process, and every exception is one that is documented."""

    EXPECTED = (cm.Error, TypeError, ValueError, IndexError, AttributeError)

    def value(self, random):
        texts = ["", "mma.m16n8k16.d.f32", "mma.m16n8k16.*", SASS, SWIZZLED, "(64,64):(64,1)", "--help", "a\0", "\ud800", "\udcff", "é" * 300, "3,5", "*",
                 "row = lane // 4", "tid", "sm_90", "f16", "ld.b128", "cp.async", "tcgen05.mma.m64n64k16.d.f32", "tcgen05.ld.16x256b", "{", "((((", "-", "@/dev/null"]
        kind = random.randrange(12)
        if kind < 5:
            return random.choice(texts)
        if kind == 5:
            return "".join(chr(random.choice([random.randrange(128), random.randrange(0x11000)])) for _ in range(random.randrange(12)))
        if kind == 6:
            return random.choice([0, 1, -1, 31, 2**31, 2**32, 2**64, -(2**63), 10**30, True, False, None, 1.5, float("nan"), 1j, b"\0", object(), range(3), range(0), {}])
        if kind == 7:
            return [self.value(random) for _ in range(random.randrange(4))]
        if kind == 8:
            return tuple(self.value(random) for _ in range(random.randrange(3)))
        if kind == 9:
            return {random.choice(["tid", "i", "row", "col", "\0", 3]): self.value(random) for _ in range(random.randrange(4))}
        shape = tuple(random.randrange(5) for _ in range(random.randrange(5)))
        dtype = random.choice([np.int8, np.int64, np.uint64, np.float32, bool, object, "U2", "M8[s]", complex])
        values = [random.choice([0, 1, 2, 3, 40]) for _ in range(int(np.prod(shape)))]
        return np.array(values).reshape(shape).astype(dtype)

    def test_random_arguments(self):
        seed = int(os.environ.get("SEED", "1")) # always the same, so that chance never stops a change
        draw = random.Random(seed)
        fragment, matrix = d(), cm.matrix(SWIZZLED, "f16")
        plan = matrix.load("mma.m16n8k16.a.f16")
        loads = cm.fragment("tcgen05.mma.m128n64k16.d.f32", with_="tcgen05.ld.32x32b.x32")
        objects = [fragment, loads, matrix, plan, cm.fragment("tcgen05.mma.m128n64k16.d.f32"), cm.matrix("(64,64):(64,1)").suggest(load="mma.m16n8k16.a.f16"),
                   fragment.verify("row = 0"), fragment.equals("mma.m16n8k16.c.f32"), fragment.convert("mma.m16n8k16.a.f16"), cm.access("ld.b32", "tid * 4"), cm.deduce(fragment.map),
                   cm.diff("sm_72", "sm_75"), cm.annotate(SASS), fragment.at(3, 5), fragment.json,
                   cm.check_copy(np.copy, m=4, n=4)]
        functions = public_functions(cm, objects)
        options = ["arch", "type", "operand", "at", "thread", "register", "brief", "detail", "style", "atom_layout", "permutation", "with_", "origin", "axes",
                   "load", "store", "extent", "verify", "outputs", "format", "color_by", "whole", "x", "_", "é", "json", "map"]
        # What would read a file without an end or standard input, or start tools, is left out.
        forbidden = re.compile(r"-|/dev|^@")
        calls, end = 0, time.monotonic() + float(os.environ.get("SECONDS_OF_RANDOM", "2"))
        while time.monotonic() < end:
            function = draw.choice(functions)
            arguments = [self.value(draw) for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 3]))]
            keywords = {name: self.value(draw) for name in draw.sample(options, draw.choice([0, 0, 0, 1, 2]))}
            if function.__name__ in ("run", "json_of") and any(isinstance(each, str) and forbidden.search(each) for each in arguments):
                continue
            if "map" in keywords:
                keywords["map"] = "/nowhere"
            try:
                repr(function(*arguments, **keywords))
            except self.EXPECTED as error:
                self.assertTrue(str(error), f"seed {seed}: {function} {arguments!r} {keywords!r}")
            except BaseException as error:
                raise AssertionError(f"seed {seed}: {function} {arguments!r} {keywords!r}") from error
            calls += 1
        self.assertGreater(calls, 100)


class Page(doctest.DocTestParser):
    """Finds examples in the blocks of Python of a page."""

    def parse(self, string, name="<string>"):
        return super().parse("\n".join(re.findall(r"(?ms)^```python\n(.*?)^```$", string)), name)


class Tap(unittest.TestResult):
    """Prints a line of TAP for each test."""

    def startTest(self, test):
        self.why = ""

    def addFailure(self, test, err):
        self.why = self._exc_info_to_string(err, test)

    def addSubTest(self, test, subtest, err):
        if err:
            self.addFailure(test, err)

    addError = addFailure

    def stopTest(self, test):
        ok(re.sub(r"^test_", "", test.id().split(".")[-1]).replace("_", " "), not self.why, "\n".join(self.why.splitlines()[-20:]))


def main(names):
    loader = unittest.defaultTestLoader
    module = sys.modules[__name__]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    if not names:
        for each in (cm, cuda_mapping._objects):
            suite.addTests(doctest.DocTestSuite(each))
        for page in ("README.md", "tests/examples/README.md", ".packaging/python/README.md"):
            suite.addTest(doctest.DocFileSuite(str(Path(__file__).resolve().parents[2] / page), module_relative=False, parser=Page()))
    suite.run(Tap())
    return finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
