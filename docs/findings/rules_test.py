# SPDX-License-Identifier: Apache-2.0
"""The rules of findings explain the cases that docs/findings.md gives, and not their neighbours."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import rules  # noqa: E402  pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).parent
NCX = " data_format=NCX weights_format=OIX"


def finding(backend, problem, fill="integers", **more):
    return rules.finding_of(backend, {"fill": fill, "dtype": problem.split()[1], "verdict": "FAIL", "problem": problem,
                                      **more})


class Rules(unittest.TestCase):
    def test_each_names_a_program_of_this_folder_and_a_heading_of_the_page(self):
        page = (HERE.parent / "findings.md").read_text(encoding="utf-8")
        for backend, rows in rules.RULES.items():
            for name, _ in rows:
                (program,) = (path for path in HERE.glob(name + ".*"))
                self.assertIn(f"(findings/{program.name})", page, backend)

    def test_nothing_is_explained_of_a_backend_without_rules(self):
        self.assertIsNone(finding("cimg", "Convolution f32 src=1x1x9x9 weights=1x1x3x5" + NCX))

    def test_libxsmm_grows_by_pages(self):
        problem = "Convolution f32 src=1x2x4x64 weights=1x4x64x12 bias=12 pads_begin=0,4 data_format=NXC weights_format=XIO"
        grows = "what it holds grows each time that the problem is prepared, executed and released: {} in 3072 rounds"
        self.assertEqual(finding("libxsmm", problem, reason=grows.format("25165824 bytes of address space")), "libxsmm_page_leak")
        self.assertIsNone(finding("libxsmm", problem, reason=grows.format("48 descriptors")))
        self.assertIsNone(finding("libxsmm", problem, reason="1 of 6 elements is wrong"))

    def test_libxsmm_overwrites_its_stack_from_1025_blocks_on(self):
        for channels, taps, dtype, expected in ((1023, "1x1", "f32", False), (1025, "1x1", "f32", True), (2050, "1x1", "f32", True),
                                                (2048, "1x1", "f32", False), (6000, "1x1", "f32", False), (65536, "1x1", "f32", True),
                                                (4, "33x33", "f32", True), (4, "32x32", "f32", False), (1025, "1x1", "bf16", False)):
            problem = f"Convolution {dtype} src=1x{channels}x64x64 weights=1x{channels}x{taps}{NCX}"
            self.assertEqual(finding("libxsmm", problem), "libxsmm_many_blocks" if expected else None, problem)

    def test_opencv_forgets_the_padding_of_strides_larger_than_the_kernel(self):
        for width, taps, stride, expected in ((5, 3, 4, True), (1, 3, 4, True), (7, 3, 4, False), (5, 4, 4, False), (6, 3, 3, False)):
            problem = f"Convolution f32 src=1x1x{width} weights=1x1x{taps} strides={stride} auto_pad=same_upper{NCX}"
            self.assertEqual(finding("opencv", problem), "opencv_same_stride" if expected else None, problem)

    def test_opencv_is_wrong_at_the_edges_of_wide_depthwise_layers(self):
        for height, width, pad, dilation, groups, expected in ((9, 22, 1, 2, 2, "dilated"), (9, 19, 1, 2, 2, None), (9, 22, 2, 2, 2, None),
                                                               (9, 22, 1, 1, 2, None), (9, 22, 1, 2, 1, None),
                                                               (1, 18, 1, 1, 2, "one_row"), (1, 17, 1, 1, 2, None), (2, 18, 1, 1, 2, None)):
            problem = (f"Convolution f32 src=1x2x{height}x{width} weights=2x{2 // groups}x3x3 pads_begin=1,{pad} pads_end=1,{pad} "
                       f"dilations=1,{dilation} groups={groups}{NCX}")
            self.assertEqual(finding("opencv", problem), expected and f"opencv_depthwise_{expected}", problem)

    def test_onednn_overhangs_rows_two_pixels_shorter_than_the_dilated_kernel(self):
        for width, taps, dilation, expected in ((7, 5, 2, True), (9, 6, 2, True), (11, 5, 3, True), (8, 5, 2, False),
                                                (6, 5, 2, False), (3, 5, 1, False), (5, 4, 2, False)):
            problem = (f"Convolution f32 src=1x3x2x{width} weights=64x3x1x{taps} pads_begin=0,4 pads_end=0,4 "
                       f"dilations=1,{dilation}{NCX}")
            self.assertEqual(finding("pytorch", problem), "onednn_overhang" if expected else None, problem)

    def test_onednn_overhangs_rows_of_one_output_less_than_twice_the_pads_at_their_end(self):
        for width, taps, begin, end, expected in ((7, 5, 0, 4, True), (9, 6, 0, 5, True), (10, 7, 0, 5, True), (7, 6, 1, 4, True),
                                                  (14, 6, 4, 5, True), (6, 5, 1, 4, False), (8, 5, 0, 4, False), (7, 4, 0, 4, False)):
            problem = f"Convolution f32 src=1x1x2x{width} weights=64x1x1x{taps} pads_begin=0,{begin} pads_end=0,{end}{NCX}"
            self.assertEqual(finding("onednn", problem), "onednn_overhang" if expected else None, problem)
        self.assertIsNone(finding("onednn", "Convolution f32 src=1x1x2x7 weights=64x1x1x5 strides=1,2 pads_end=0,4" + NCX))

    def test_onednn_forgets_pads_smaller_than_the_stride(self):
        for dtype, stride, begin, end, expected in (("bf16", 4, 3, 0, True), ("bf16", 5, 4, 0, True), ("f32", 4, 3, 0, False),
                                                    ("bf16", 3, 3, 0, False), ("bf16", 4, 2, 0, False), ("bf16", 4, 3, 1, False)):
            problem = f"Convolution {dtype} src=1x2x8 weights=2x2x4 strides={stride} pads_begin={begin} pads_end={end}{NCX}"
            self.assertEqual(finding("onednn", problem), "onednn_strided_pad" if expected else None, problem)
        problem = "Convolution {} src=1x1x10x15 weights=5x5x1x8 strides=5,5 pads_begin=2,{} pads_end=2,2 data_format=NCX weights_format=XIO"
        for dtype, begin, reason, expected in (("bf16", 2, "with threads=4: 32 of 48 elements are wrong", True),
                                               ("bf16", 2, "32 of 48 elements are wrong", False),
                                               ("bf16", 1, "with threads=4: 32 of 48 elements are wrong", False),
                                               ("f32", 2, "with threads=4: 32 of 48 elements are wrong", False)):
            self.assertEqual(finding("onednn", problem.format(dtype, begin), reason=reason),
                             "onednn_strided_pad" if expected else None, (dtype, begin, reason))

    def test_onednn_ignores_the_stride_of_a_bias_where_it_is_not_copied(self):
        for bias, expected in (("6:2", "onednn_bias_stride"), ("6:1", None), ("6", None), ("1:2", None)):
            problem = f"Convolution f32 src=2x3x5x6 weights={bias.partition(chr(58))[0]}x3x2x1 bias={bias}{NCX}"
            self.assertEqual(finding("onednn:plain", problem), expected, bias)
            self.assertIsNone(finding("onednn", problem), bias)

    def test_onednn_crashes_at_the_longest_pad_and_hangs_at_long_ones_of_a_row(self):
        for pads, verdict, expected in (("0,2147483647", "CRASH", True), ("2147483647,0", "CRASH", True),
                                        ("0,2147483646", "CRASH", False), ("0,33554430", "HANG", True),
                                        ("33554430,0", "HANG", False), ("0,33554430", "CRASH", False)):
            problem = f"Convolution f32 src=1x1x3x6 weights=3x1x2x3 pads_begin={pads}{NCX}"
            self.assertEqual(finding("onednn", problem, verdict=verdict), "onednn_long_pads" if expected else None, pads)

    def test_onednn_crashes_at_far_strides_of_depthwise_layers(self):
        for channels, pad, verdict, expected in ((4, 2 ** 27, "CRASH", True), (4, 2 ** 27 - 1, "CRASH", False),
                                                 (8, 2 ** 26, "CRASH", True), (4, 2 ** 27, "FAIL", False)):
            problem = f"Convolution f32 src=1x{channels}x3x5 weights={channels}x1x3x3 strides=1,67108864 pads_begin=0,{pad}{NCX}"
            self.assertIsNone(finding("onednn", problem, verdict=verdict))
            found = finding("onednn", problem + f" groups={channels}", verdict=verdict)
            self.assertEqual(found, "onednn_far_strides" if expected else None, (channels, pad, verdict))

    def test_cimg_shifts_uneven_kernels(self):
        for kernel, expected in (("3x5", True), ("5x3", True), ("4x2", True), ("3x4", True), ("4x5", False),
                                 ("2x3", False), ("5x6", False), ("1x4", False), ("2x2x2", True),
                                 ("3x2x2", False), ("2x3x4", False)):
            axes = kernel.count("x") + 1
            problem = f"Convolution f32 src=1x1{'x9' * axes} weights=1x1x{kernel}{NCX}"
            found = finding("cimg:neumann", problem)
            self.assertEqual(found, "cimg_default_boundary" if expected else None, kernel)
            self.assertIsNone(finding("cimg:neumann", problem + " strides=" + ",".join(["2"] * axes)))

    def test_cimg_multiplies_zeros_where_data_has_infinities(self):
        problem = "Convolution f32 src=1x1x9x9 weights=1x1x2x2" + NCX
        self.assertEqual(finding("cimg:neumann", problem, "special"), "cimg_even_kernel_nan")
        self.assertIsNone(finding("cimg:neumann", problem))

    def test_onednn_below_pytorch(self):
        problem = "Convolution bf16 src=1x3x9x9 weights=1x3x2x2" + NCX
        self.assertEqual(finding("pytorch", problem, "special"), "onednn_odd_channels_nan")
        self.assertIsNone(finding("pytorch", problem))
        self.assertIsNone(finding("pytorch", problem.replace("x3x", "x4x"), "special"))
        volume = "Convolution bf16 src=1x3x9x9x9 weights=1x3x2x2x2" + NCX
        self.assertEqual(finding("pytorch", volume), "onednn_amx_threads")
        self.assertIsNone(finding("pytorch", volume.replace("bf16", "f32")))

    def test_libxsmm_ignores_padding_of_one_axis(self):
        for shape, expected in (("src=1x1x9x9 weights=1x1x3x3 pads_begin=1,0 pads_end=1,0", True),
                                ("src=1x1x9x9 weights=1x1x3x3 pads_begin=1,1 pads_end=1,1", False),
                                ("src=1x1x9x9 weights=1x1x3x3 pads_begin=1,0 pads_end=0,0", False),
                                ("src=1x1x9 weights=1x1x3 auto_pad=same_upper", True),
                                ("src=1x1x9 weights=1x1x2 auto_pad=same_upper", False),
                                ("src=1x1x9 weights=1x1x3 auto_pad=valid pads_begin=1 pads_end=1", False)):
            found = finding("libxsmm", f"Convolution f32 {shape}{NCX}")
            self.assertEqual(found, "libxsmm_one_axis_padding" if expected else None, shape)

    def test_libxsmm_crashes_with_odd_channels(self):
        problem = "AtrousConv2d bf16 src=1x4x5x7 weights=2x2x7x1 padding=VALID"
        self.assertEqual(finding("libxsmm", problem, verdict="CRASH"), "libxsmm_bf16_odd_channels")
        self.assertIsNone(finding("libxsmm", problem))
        self.assertIsNone(finding("libxsmm", problem.replace("x7", "x8"), verdict="CRASH"))

    def test_opencv_forgets_dilation_in_same(self):
        problem = "Convolution f32 src=1x1x4x4 weights=1x1x2x2 dilations=1,2 auto_pad=same_upper" + NCX
        self.assertEqual(finding("opencv", problem), "opencv_dilated_same")
        for other in ("same_lower", "valid"):
            self.assertIsNone(finding("opencv", problem.replace("same_upper", other)))
        self.assertIsNone(finding("opencv", problem.replace("1,2", "1,1")))

    def test_darknet_ignores_stride_and_padding_of_one_tap(self):
        for shape, expected in (("weights=1x1x1x1 strides=2,2", True), ("weights=1x1x1x1", False),
                                ("weights=1x1x1x1 pads_begin=1,1 pads_end=1,1", True),
                                ("weights=1x1x1x1 pads_begin=1,0 pads_end=1,0", False),
                                ("weights=1x1x2x2 strides=2,2", False)):
            found = finding("darknet", f"Convolution f32 src=1x1x4x4 {shape}{NCX}")
            self.assertEqual(found, "darknet_one_tap" if expected else None, shape)

    def test_scipy_leaves_out_weights(self):
        problem = "Convolution f32 src=1x3x9x9 weights=1x3x2x2" + NCX
        for fill in ("special", "subnormal", "wide"):
            self.assertEqual(finding("scipy:ndimage", problem, fill), "scipy_small_weights")
        self.assertIsNone(finding("scipy:ndimage", problem))
        self.assertIsNone(finding("scipy", problem, "subnormal"))

    def test_tfjs_crops_volumes_whose_last_window_ends_early(self):
        for size, taps, more, expected in ((10, 1, "strides=1,1,2", True), (9, 1, "strides=1,1,2", False),
                                           (10, 2, "strides=1,1,2", False), (10, 1, "", False),
                                           (3, 1, "strides=1,1,3", True), (3, 3, "strides=1,1,3", False)):
            problem = (f"Convolution f32 src=1x1x1x1x{size} weights=1x1x1x1x{taps} {more} auto_pad=same_upper{NCX}")
            self.assertEqual(finding("tfjs:wasm", problem), "tfjs_conv3d_same_crops" if expected else None, problem)
            for other in ("same_lower", "valid", "same_upper reading=documented"):
                self.assertIsNone(finding("tfjs", problem.replace("same_upper", other)))
        plane = "Convolution f32 src=1x1x1x10 weights=1x1x1x1 strides=1,2 auto_pad=same_upper" + NCX
        self.assertIsNone(finding("tfjs", plane))

    def test_tiny_dnn_aborts_where_a_channel_ends_before_a_multiple_of_eight(self):
        for shape, expected in (("src=1x1x5x6 weights=2x1x5x5", True), ("src=1x1x5x6 weights=1x1x5x5", False),
                                ("src=1x1x5x6 weights=2x1x5x4", False), ("src=1x1x5x5 weights=2x1x5x5", False),
                                ("src=1x1x5x8 weights=2x1x5x5", True), ("src=1x1x5x9 weights=2x1x5x5", False),
                                ("src=1x1x5x9 weights=3x1x5x5", True), ("src=1x2x5x6 weights=2x1x5x5 groups=2", False),
                                ("src=1x1x5x12 weights=9x1x5x5", False), ("src=1x1x5x6 weights=2x1x5x5 pads_end=3,2", False),
                                ("src=1x1x7x8 weights=2x1x5x5 strides=3,3", True)):
            problem = f"Convolution f32 {shape}{NCX}"
            found = finding("tiny_dnn:avx", problem, verdict="CRASH")
            self.assertEqual(found, "tiny_dnn_small_planes" if expected else None, shape)
            self.assertIsNone(finding("tiny_dnn:avx", problem), shape)
            self.assertIsNone(finding("tiny_dnn", problem, verdict="CRASH"))

    def test_tiny_dnn_multiplies_what_lies_beside_a_window(self):
        problem = "Convolution f32 src=1x1x5x6 weights=1x1x5x5" + NCX
        self.assertEqual(finding("tiny_dnn:avx", problem, "special"), "tiny_dnn_spreads_nan")
        self.assertIsNone(finding("tiny_dnn:avx", problem))
        self.assertIsNone(finding("tiny_dnn:avx", problem, "special", verdict="CRASH"))
        for other in (problem.replace("x5x5", "x3x5"), problem.replace("x5x6", "x5x5")):
            self.assertIsNone(finding("tiny_dnn:avx", other, "special"))

    def test_tiny_dnn_takes_the_first_25_pixels_for_its_only_window(self):
        for shape, expected in (("src=1x1x5x6 weights=1x1x5x5 strides=1,2", True),
                                ("src=1x1x6x5 weights=1x1x5x5 strides=2,1", False),
                                ("src=1x1x5x4 weights=1x1x5x5 strides=1,2 pads_begin=0,2 pads_end=0,0", True),
                                ("src=1x1x5x5 weights=1x1x5x5", False), ("src=1x1x5x7 weights=1x1x5x5 strides=1,2", False)):
            found = finding("tiny_dnn:avx", f"Convolution f32 {shape}{NCX}")
            self.assertEqual(found, "tiny_dnn_one_output" if expected else None, shape)


class Upstream(unittest.TestCase):
    """Each program has a text that can be filed with its library, made from its section of the page."""

    def setUp(self):
        self.programs = {path.stem: path for suffix in ("cpp", "py", "js") for path in HERE.glob("*." + suffix)
                         if not path.name.startswith("rules")}

    def test_each_program_has_a_text_and_each_text_a_program(self):
        self.assertEqual({path.stem for path in (HERE / "upstream").glob("*.md")}, set(self.programs))

    def test_its_section_of_the_page_has_its_title_and_links_both(self):
        sections = re.split(r"(?m)^## ", (HERE.parent / "findings.md").read_text(encoding="utf-8"))
        for name, program in self.programs.items():
            (section,) = (each for each in sections if f"(findings/{program.name})" in each)
            self.assertIn(f"(findings/upstream/{name}.md)", section, name)
            self.assertIn("\n# " + section.splitlines()[0] + "\n", self.text_of(name), name)

    def test_it_says_how_the_program_runs_what_is_expected_what_comes_out_and_where(self):
        for name, program in self.programs.items():
            text = self.text_of(name)
            self.assertIn(f"(../{program.name})", text, name)
            self.assertRegex(text, rf"(?m)^    .*docs/findings/{program.name}( |$)", name)
            self.assertRegex(text, r"(?s)\n\| library \|.*\n## Expected\n\n.+\n## Got\n\n.+\n## Where\n\n.+", name)
            for header in re.findall(r'#include "docs/findings/(\w+\.h)"', program.read_text(encoding="utf-8")):
                self.assertIn(f"(../{header})", text, name)

    @staticmethod
    def text_of(name):
        return (HERE / "upstream" / (name + ".md")).read_text(encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
