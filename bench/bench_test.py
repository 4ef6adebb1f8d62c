# SPDX-License-Identifier: Apache-2.0
"""That the benchmark runs in every setting and what it writes can be drawn. No time is judged."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
LAYER = "mb2_dw3s2_576x14"


class Bench(unittest.TestCase):
    def measure(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            out, picture = (pathlib.Path(folder) / name for name in ("bench.json", "bench.svg"))
            subprocess.run([BENCH, "--rounds", "1", "--milliseconds", "0.1", "--filter", LAYER,
                            "--out", out, *options], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([sys.executable, "-B", ROOT / "reports/bench.py", out, "-o", picture],
                           check=True, stdout=subprocess.DEVNULL)
            self.assertIn(LAYER, picture.read_text(encoding="utf-8"))
            result = json.loads(out.read_text(encoding="utf-8"))
        self.assertEqual([layer["name"] for layer in result["layers"]], [LAYER])
        for side in result["layers"][0]["competitors"]:
            self.assertTrue(side["seconds"])
            self.assertGreater(min(side["seconds"]), 0)
        return result, {side["name"] for side in result["layers"][0]["competitors"]}

    def test_every_setting_is_measured_against_the_peers_that_serve_it(self):
        for options, competitors in ((("--threads", "2"), {"onednn", "xnnpack"}),
                               (("--format", "NCX", "--batch", "2"), {"onednn"}),
                               (("--one-shot",), {"onednn", "xnnpack"}),
                               (("--first-call",), {"onednn"}),
                               (("--processor-time", "--dtype", "f16"), set())):
            with self.subTest(options=options):
                _, sides = self.measure(*options)
                self.assertEqual(sides, {"concord"} | competitors)

    def test_the_file_says_how_it_was_measured(self):
        result, sides = self.measure("--against", "direct", "--threads", "1")
        self.assertEqual(sides, {"concord", "direct"})
        self.assertEqual((result["threads"], result["batch"], result["dtype"]), (1, 1, "f32"))

    def test_a_layer_comes_with_the_peak_of_its_own_rounds(self):
        result, _ = self.measure("--against", "memory", "--threads", "1")
        layer = result["layers"][0]
        if result["isa"] == "generic":
            self.assertEqual(layer["peak_flops"], 0)
            return
        self.assertEqual(layer["peak_flops"], result["peak_flops"])
        self.assertGreater(layer["peak_flops"], 0)

    def test_every_discrete_problem_is_measured_with_its_bias(self):
        problems = {"biased": "Convolution f32 src=1x8x8x16 weights=3x3x16x32 bias=32 pads_begin=1,1 pads_end=1,1 "
                              "data_format=NXC weights_format=XIO",
                    "first": "Convolution1 f32 src=1x8x8x16 weights=3x3x16x32 bias=32 auto_pad=same_upper "
                             "data_format=NXC filter_format=XIO",
                    "atrous": "AtrousConv2d f32 src=1x12x12x16 weights=3x3x16x32 rate=2 padding=SAME"}
        for options in ((), ("--one-shot",), ("--format", "NCX"), ("--threads", "2")):
            with self.subTest(options=options):
                names = self.layers_measured(problems, *options)
                self.assertEqual(names, list(problems))

    def layers_measured(self, problems, *options):
        """The names of the layers that were measured, all competitors in agreement."""
        with tempfile.TemporaryDirectory() as folder:
            layers, out = (pathlib.Path(folder) / name for name in ("layers.json", "bench.json"))
            layers.write_text(json.dumps([{"name": name, "network": "", "problem": problem}
                                          for name, problem in problems.items()]), encoding="utf-8")
            subprocess.run([BENCH, "--rounds", "1", "--milliseconds", "0.1", "--layers", layers,
                            "--out", out, *options], check=True, stdout=subprocess.DEVNULL)
            return [layer["name"] for layer in json.loads(out.read_text(encoding="utf-8"))["layers"]]

    def test_a_layer_that_is_no_discrete_convolution_is_refused(self):
        for problem, named in (("CntkConvolution2d f32 src=3x1x2x1 weights=1x2", "CntkConvolution2d"),
                               ("Convolution f32 src=3 weights=1x2", "rank"),
                               ("Convolution f32 src=1x2x2x3 weights=1x1x4x5 data_format=NXC "
                                "weights_format=XIO", "channels")):
            with self.subTest(problem=problem), self.assertRaises(subprocess.CalledProcessError) as raised:
                self.layers_measured({"odd": problem})
            self.assertEqual(raised.exception.returncode, 2, named)

    def test_what_cannot_be_measured_is_refused(self):
        for options, named in ((("--against", "onednn,mkl"), "mkl"), (("--filter", "rn51*"), "rn51"),
                               (("--rounds", "0"), "rounds"), (("--dtype", "f8"), "f8")):
            with self.subTest(options=options):
                tried = subprocess.run([BENCH, *options], capture_output=True, text=True, check=False)
                self.assertEqual(tried.returncode, 2, tried.stderr)
                self.assertIn(named, tried.stderr)


if __name__ == "__main__":
    unittest.main()
