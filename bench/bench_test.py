# SPDX-License-Identifier: Apache-2.0
"""That the benchmark runs in every setting and what it writes can be drawn. No time is judged."""
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BENCH, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
LAYER = "mb2_dw3s2_576x14"
FIRST_OF_SEED_1 = [
    ("pointwise",
     "Convolution f32 src=1x13x13x384 weights=1x1x384x64 bias=64 data_format=NXC weights_format=XIO"),
    ("depthwise 3x3",
     "Convolution f32 src=4x84x84x144 weights=3x3x1x144 bias=144 strides=2,2 pads_begin=1,1 pads_end=1,1 groups=144 data_format=NXC weights_format=XIO")]


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
            if side["name"] in ("concord", "onednn"):
                self.assertEqual(side["packed_bytes"] > 0, result["packed"], side)
                self.assertGreaterEqual(side["workspace_bytes"], 0)
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

    def test_tuning_is_measured_against_the_planners_and_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            wisdom = pathlib.Path(folder) / "wisdom.txt"
            for _ in range(2):
                result, sides = self.measure("--tune", "5", "--any-sums", "--wisdom", wisdom, "--against", "untuned")
                self.assertEqual(sides, {"concord", "untuned"})
                self.assertEqual(result["tune_milliseconds"], 5)
            kept = wisdom.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(kept), 2, "a first line, and what was measured once")

    def test_what_tunes_nothing_is_refused(self):
        for options, said in ((("--wisdom", "w.txt"), "--tune"), (("--tune", "-1"), "--tune"),
                              (("--tune", "5", "--wisdom", "/no/where/w.txt"), "/no/where/w.txt cannot be made")):
            with self.subTest(options=options):
                done = subprocess.run([BENCH, "--filter", LAYER, *options], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr)

    def test_scaling_is_simulated_and_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            out, picture = (pathlib.Path(folder) / name for name in ("scaling.json", "scaling.svg"))
            subprocess.run([BENCH, "--filter", LAYER, "--scaling", "8", "--rounds", "1", "--milliseconds", "0.1",
                            "--out", out], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([sys.executable, "-B", ROOT / "reports/scaling.py", out, "-o", picture], check=True)
            self.assertIn("<svg", picture.read_text(encoding="utf-8"))
            result = json.loads(out.read_text(encoding="utf-8"))
        self.assertEqual(result["threads"], [2, 4, 8])
        layer = result["scaling"][0]
        self.assertEqual((layer["name"], len(layer["simulated"]), len(layer["tasks"])), (LAYER, 3, 3))
        for threads, speedup in zip(result["threads"], layer["simulated"]):
            self.assertGreater(speedup, 0)
            self.assertLess(speedup, 4 * threads)

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
                    "atrous": "AtrousConv2d f32 src=1x12x12x16 weights=3x3x16x32 rate=2 padding=SAME",
                    # Measured dense, whatever gaps it states; far apart, they would show.
                    "strided": "Convolution f32 src=1x16x8x8:99999x6400x80x3 weights=32x16x3x3:288000x9000x3x1 "
                               "bias=32:40000 dst=1x32x6x6:900000x200x12x2 data_format=NCX weights_format=OIX"}
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

    def draw(self, *options):
        listed = subprocess.run([BENCH, "--list", "--random", *options], check=True, capture_output=True, text=True)
        return json.loads(listed.stdout)

    def test_the_same_seed_draws_the_same_layers(self):
        self.assertEqual(self.draw("40", "--seed", "7"), self.draw("40", "--seed", "7"))
        self.assertEqual(self.draw("40", "--seed", "7")[:20], self.draw("20", "--seed", "7"))
        self.assertNotEqual(self.draw("40", "--seed", "7"), self.draw("40", "--seed", "8"))
        # Of no particular library: the same numbers on every machine.
        first = self.draw("2", "--seed", "1")
        self.assertEqual([(layer["network"], layer["problem"]) for layer in first], FIRST_OF_SEED_1)

    def test_layers_are_drawn_as_often_as_their_families_weigh(self):
        families = json.loads((ROOT / "bench/families.json").read_text(encoding="utf-8"))
        total = sum(family["weight"] for family in families)
        drawn = collections.Counter(layer["network"] for layer in self.draw("4000", "--seed", "3"))
        self.assertEqual(set(drawn), {family["family"] for family in families})
        for family in families:
            expected = 4000 * family["weight"] / total
            # Five standard deviations of a binomial.
            self.assertLess(abs(drawn[family["family"]] - expected), 5 * expected ** 0.5, family["family"])

    def test_drawn_layers_have_the_extents_that_networks_have(self):
        layers = [layer["problem"] for layer in self.draw("4000", "--seed", "5")]
        values = {name: [re.search(rf" {name}=([0-9x,]+)", problem) for problem in layers]
                  for name in ("src", "weights", "strides", "dilations", "groups", "bias")}
        numbers = {name: [[int(n) for n in re.split("[x,]", match[1])] for match in matches if match]
                   for name, matches in values.items()}
        self.assertEqual({src[0] for src in numbers["src"]}, {1, 2, 4, 8, 16, 32, 64})
        self.assertEqual({len(src) for src in numbers["src"]}, {3, 4, 5})
        self.assertTrue(any(src[1:-1] == [1, 1] for src in numbers["src"]))
        self.assertLessEqual(max(max(src[1:-1]) for src in numbers["src"] if len(src) > 3), 640)
        self.assertTrue(any(max(src[1:-1]) == 640 for src in numbers["src"] if len(src) == 4))
        self.assertTrue(any(src[-1] % 2 for src in numbers["src"] if src[-1] > 16))
        self.assertEqual(max(max(window[:-2]) for window in numbers["weights"] if len(window) == 4), 51)
        self.assertEqual(max(max(stride) for stride in numbers["strides"]), 320)
        self.assertEqual(max(max(dilation) for dilation in numbers["dilations"]), 128)
        self.assertLessEqual({2, 3, 4, 5, 8, 32, 64}, {groups[0] for groups in numbers["groups"]})
        self.assertTrue(1500 < len(numbers["bias"]) < 2500)

    def test_random_layers_are_summed_up_by_family(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "bench.json"
            printed = subprocess.run([BENCH, "--random", "12", "--seed", "1", "--rounds", "1", "--milliseconds", "0.1",
                                      "--out", out], check=True, capture_output=True, text=True).stdout
            result = json.loads(out.read_text(encoding="utf-8"))
        layers, summary = result["layers"], result["summary"]
        ratios = sorted(side["ratio"][1] for layer in layers for side in layer["competitors"] if side["name"] == "onednn")
        over = summary["competitors"]["onednn"]
        self.assertEqual((over["layers"], over["least"]), (12, ratios[0]))
        self.assertAlmostEqual(over["mean"], math.exp(sum(map(math.log, ratios)) / 12))
        self.assertEqual(over["percentile_5"], ratios[0])
        self.assertEqual(set(summary["families"]), {layer["network"] for layer in layers})
        self.assertEqual(len(summary["worst"]), 10)
        self.assertEqual(len(summary["again"]), 10)
        self.assertGreater(min(summary["again"]), 0)
        worst = next(layer for layer in layers if layer["name"] == summary["worst"][0])
        self.assertIn(ratios[0], [side["ratio"][1] for side in worst["competitors"]])
        shares = [layer["share"] for layer in layers]
        if result["isa"] != "generic":
            self.assertAlmostEqual(summary["share"], math.exp(sum(map(math.log, shares)) / 12))
        for text in ("5th percentile", "memory beside onednn", "worst over onednn", worst["problem"], worst["competitors"][0]["implementation"]):
            self.assertIn(text, printed)

    def test_a_table_of_families_that_is_wrong_is_refused(self):
        good = {"family": "f", "weight": 1, "windows": ["3x3"], "sites": ["8@8"]}
        for change, named in (({"weight": 0}, "weight"), ({"windows": ["3y3"]}, "3y3"), ({"windows": []}, "windows"),
                              ({"windows": ["3x3/1/1/1"]}, "3x3/1/1/1"), ({"windows": ["3x3", "3"]}, "'3'"),
                              ({"sites": ["8/3@8"]}, "8/3@8"), ({"sites": ["8>@"]}, "8>@"),
                              ({"sites": ["8@8x8x8"]}, "8@8x8x8"), ({"sites": ["9000>9000@640"]}, "budget")):
            with self.subTest(change=change), tempfile.TemporaryDirectory() as folder:
                table = pathlib.Path(folder) / "families.json"
                table.write_text(json.dumps([good | change]), encoding="utf-8")
                tried = subprocess.run([BENCH, "--families", table, "--random", "1", "--list"], capture_output=True,
                                       text=True, check=False)
                self.assertEqual(tried.returncode, 2, tried.stderr)
                self.assertIn(named, tried.stderr)

    def test_a_layer_that_is_no_discrete_convolution_is_refused(self):
        for problem, named in (("CntkConvolution2d f32 src=3x1x2x1 weights=1x2", "CntkConvolution2d"),
                               ("Convolution f32 src=3 weights=1x2", "rank"),
                               ("Convolution f32 src=1x2x2x3 weights=1x1x4x5 data_format=NXC "
                                "weights_format=XIO", "channels")):
            with self.subTest(problem=problem), self.assertRaises(subprocess.CalledProcessError) as raised:
                self.layers_measured({"odd": problem})
            self.assertEqual(raised.exception.returncode, 2, named)

    def test_a_fit_writes_a_target_that_compiles(self):
        if self.measure("--against", "memory")[0]["isa"] == "generic":
            self.skipTest("no peak to count cycles by")
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "my_cpu.cpp"
            printed = subprocess.run([BENCH, "--fit", target, "--random", "4", "--filter", "*[48]x2_16-*", "--rounds", "1",
                                      "--milliseconds", "0.1"], check=True, capture_output=True, text=True).stdout
            text = target.read_text(encoding="utf-8")
            subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-I", ROOT, target], check=True)
        self.assertIn("constinit const Target kMyCpu = {", text)
        self.assertIn("// Fitted by: concord_bench --fit FILE --random 4", text)
        for cost in ("pixel_byte", "tile", "store_of_part"):
            fitted = float(re.search(rf"^{cost} +\S+ +(\S+)$", printed, re.MULTILINE)[1])
            self.assertAlmostEqual(float(re.search(rf"\.{cost} = ([^,]+),", text)[1]), fitted, delta=1e-3 * abs(fitted))

    def test_a_fit_to_nothing_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            tried = subprocess.run([BENCH, "--fit", pathlib.Path(folder) / "cpu.cpp", "--random", "2", "--filter", "rn51*"],
                                   capture_output=True, text=True, check=False)
        self.assertEqual(tried.returncode, 2, tried.stderr)
        self.assertTrue("rn51" in tried.stderr or "peak" in tried.stderr, tried.stderr)

    def test_what_cannot_be_measured_is_refused(self):
        for options, named in ((("--against", "onednn,mkl"), "mkl"), (("--filter", "rn51*"), "rn51"),
                               (("--rounds", "0"), "rounds"), (("--dtype", "f8"), "f8")):
            with self.subTest(options=options):
                tried = subprocess.run([BENCH, *options], capture_output=True, text=True, check=False)
                self.assertEqual(tried.returncode, 2, tried.stderr)
                self.assertIn(named, tried.stderr)


if __name__ == "__main__":
    unittest.main()
