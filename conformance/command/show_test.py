# SPDX-License-Identifier: Apache-2.0
"""concord show and concord spec as their users meet them."""

import re
import unittest

from command_harness import LINE, concord, main


class Show(unittest.TestCase):
    def test_fills_the_formula_with_numbers(self):
        code, out, _ = concord("show", LINE)
        self.assertEqual(code, 0)
        self.assertIn("dst 2x6x3x7", out)
        self.assertIn("as documented and as implemented", out)

    def test_marks_where_the_readings_differ(self):
        code, out, _ = concord("show", "Convolution1 f32 src=1x4x1 weights=3x1x1 strides=2 "
                                       "auto_pad=same_upper")
        self.assertEqual(code, 0)
        self.assertIn("the readings differ", out)

    def test_numbers_the_axes_beyond_three_and_says_what_is_left_open(self):
        shape = "f32 src=1x4x3x5x6x2 weights=3x2x2x3x2x3 strides=2,1,1,2"
        code, out, _ = concord("show", f"Convolution1 {shape}")
        self.assertEqual(code, 0)
        self.assertIn("  X1: O = floor((I + P_begin + P_end - (D*(K-1) + 1)) / S) + 1 = "
                      "floor((4 + 0 + 0 - (1*(3-1) + 1)) / 2) + 1 = 1\n", out)
        self.assertIn("  X4: O = ", out)
        self.assertIn("dst 1x1x2x4x2x3", out)
        self.assertIn("as documented and as implemented:", out)
        self.assertIn("\nas implemented it may be refused: 4 spatial axes: ", out)
        _, out, _ = concord("show", f"Convolution {shape}")
        self.assertIn("which the documents leave open: src=1x4x3x5x6x2 has 4 spatial axes", out)
        _, out, _ = concord("show", "CntkConvolution f32 src=3x2x4x2x3x2x2x2 weights=2x48 "
                                    "kernel=2,1,3,2,2,1,2 autoPadding=false")
        self.assertIn("  axis 7: positions = floor((i + lower + upper - kernel) / stride) + 1 = "
                      "floor((2 + 0 + 0 - 2) / 1) + 1 = 1; start = 0", out)

    def test_shows_the_plan_of_a_backend_that_tells_one(self):
        code, out, _ = concord("show", "--plan", "--threads", "3", "--backend", "optimized",
                               "--backend", "reference", LINE)
        self.assertEqual(code, 0)
        # So few products wake no other thread.
        for said in ("plan of optimized:", "algorithm ", "1 threads", "kernels ", "packing ",
                     "bound ", "reference has no plan to show"):
            self.assertIn(said, out)
        _, out, _ = concord("show", "--plan", "--threads", "3", "--backend", "optimized",
                            "Convolution f32 src=1x64x30x30 weights=64x64x3x3 data_format=NCX weights_format=OIX")
        self.assertIn("3 threads", out)

    def test_a_plan_of_an_invalid_problem_is_why_it_is_refused(self):
        code, out, _ = concord("show", "--plan", "Convolution f32 src=1x4x1 weights=3x1x1 strides=0")
        self.assertEqual(code, 0)
        self.assertIn("optimized does not serve it: strides (0)", out)


class Spec(unittest.TestCase):
    def test_shows_the_blocks_of_atrous_conv2d_and_whether_they_can_be_chained(self):
        line = "AtrousConv2d f32 src=1x9x8x3 weights=3x3x3x4 rate=2 padding=SAME"
        code, out, _ = concord("show", line)
        self.assertEqual(code, 0)
        self.assertIn("SpaceToBatch block_size=2 paddings=2,3,2,2, a dense VALID convolution, "
                      "BatchToSpace block_size=2 crops=0,1,0,0", out)
        self.assertIn("exact only if the padding of the phases is zeroed", out)
        for changed, says in (("src=1x9", "src=1x6"), "exact, 2 divides 6 and 8"), (
                ("weights=3x3", "weights=3x2"), "not exact, a side of the filter is even"), (
                ("rate=2", "rate=1"), "exact, nothing to rearrange"):
            self.assertIn(says, concord("show", line.replace(*changed))[1])

    def test_shows_valid_of_atrous_conv2d_as_its_document_prints_it(self):
        _, out, _ = concord("show", "AtrousConv2d f32 src=1x9x8x3 weights=2x3x3x4 rate=4 padding=VALID")
        self.assertIn("as documented (the readings differ):\n  H: O = I - 2*(K_W - 1) = "
                      "9 - 2*(3 - 1) = 5; 5 windows fit\n  W: O = I - 2*(K_H - 1) = 8 - 2*(2 - 1) "
                      "= 6; 0 windows fit; the others read zeros beyond value\n", out)

    def test_each_erratum_has_a_problem_on_which_text_and_system_differ(self):
        code, out, _ = concord("spec", "--errata")
        self.assertEqual(code, 0)
        documented = re.findall(r"documented:  (.*)", out)
        implemented = re.findall(r"implemented: (.*)", out)
        self.assertGreaterEqual(len(documented), 9)
        for text, system in zip(documented, implemented, strict=True):
            self.assertNotEqual(text, system)

    def test_shows_the_neighbours_of_a_continuous_layer(self):
        code, out, _ = concord("show", "ContinuousConvolution f32 src=1x1x3x3 weights=337 scale=2/3")
        self.assertEqual(code, 0)
        # By hand: g_0 = 0 * 3/2 + (3 - 1)/2 - (2 - 1) * 3/4 = 1/4, and 1/4 - 3/2 = -5/4.
        self.assertIn("g_0 = 1/4: -1 (zero) at 5/4 0 at 1/4 1 at -3/4", out)

    def test_shows_the_largest_axes_in_a_few_lines(self):
        largest = 2**30
        layer = f"ContinuousConvolution f32 src=0x1x{largest}x3 weights=0 function=keys "
        for rest, said in ((f"scale={largest},2/3 size={largest},2 kernel=3,4", "phases"),
                           (f"scale=1 size=2,2 kernel={largest},4", "neighbours from")):
            code, out, _ = concord("show", layer + rest, timeout=10)
            self.assertEqual(code, 0)
            self.assertIn(f"{largest} {said}", out)
            self.assertLess(len(out.splitlines()), 60)


if __name__ == "__main__":
    main()
