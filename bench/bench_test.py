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
        for side in result["layers"][0]["sides"]:
            self.assertTrue(side["seconds"])
            self.assertGreater(min(side["seconds"]), 0)
        return result, {side["name"] for side in result["layers"][0]["sides"]}

    def test_every_setting_is_measured_against_the_peers_that_serve_it(self):
        for options, peers in ((("--threads", "2"), {"onednn", "xnnpack"}),
                               (("--format", "NCX", "--batch", "2"), {"onednn"}),
                               (("--one-shot",), {"onednn", "xnnpack"}),
                               (("--first-call",), {"onednn"}),
                               (("--processor-time", "--dtype", "f16"), set())):
            with self.subTest(options=options):
                _, sides = self.measure(*options)
                self.assertEqual(sides, {"concord"} | peers)

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
        fastest = min(layer["sides"][0]["seconds"])
        self.assertGreater(layer["peak_flops"], layer["flops_valid"] / fastest)

    def test_what_cannot_be_measured_is_refused(self):
        for options, named in ((("--against", "onednn,mkl"), "mkl"), (("--filter", "rn51*"), "rn51"),
                               (("--rounds", "0"), "rounds"), (("--dtype", "f8"), "f8")):
            with self.subTest(options=options):
                tried = subprocess.run([BENCH, *options], capture_output=True, text=True, check=False)
                self.assertEqual(tried.returncode, 2, tried.stderr)
                self.assertIn(named, tried.stderr)


if __name__ == "__main__":
    unittest.main()
