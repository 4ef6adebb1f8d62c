# SPDX-License-Identifier: Apache-2.0
import unittest
import xml.etree.ElementTree

from concord_report import bench_files, results, roofline
from tests.test_programs import Program


def document(**changes):
    layer = {"name": "a<b", "flops_valid": 4e9, "bytes": 1e9,
             "competitors": [{"name": "concord", "seconds": [0.3, 0.1, 0.2]},
                       {"name": "onednn", "seconds": [0.4]}]}
    return {"peak_flops": 40e9, "triad_bytes": 20e9, "threads": 1, "batch": 1, "dtype": "f32",
            "data_format": "NXC", "packed": True, "layers": [layer], **changes}


class Roofline(unittest.TestCase):
    def test_the_limit_is_the_lesser_of_peak_and_memory(self):
        layer = document()["layers"][0]
        self.assertEqual(roofline.limit(document(), layer), (40e9, "compute"))
        self.assertEqual(roofline.limit(document(triad_bytes=5e9), layer), (20e9, "memory"))
        self.assertEqual(roofline.limit(document(peak_flops=0), layer), (80e9, "memory"))

    def test_a_bar_is_the_median_rate_as_a_part_of_the_limit(self):
        self.assertEqual(roofline.parts(document(), document()["layers"][0]),
                         [("concord", 0.5), ("onednn", 0.25)])

    def test_the_picture_has_a_bar_a_library_and_is_xml(self):
        root = xml.etree.ElementTree.fromstring(roofline.render(document()))
        space = "{http://www.w3.org/2000/svg}"
        bars = [float(r.get("width")) for r in root.iter(space + "rect") if r.get("x")]
        self.assertEqual(len(bars), 2)
        self.assertAlmostEqual(bars[0], 2 * bars[1])
        said = [text.text for text in root.iter(space + "text")]
        self.assertIn("a<b (c)", said)
        self.assertIn("50", said)

    def test_another_file_is_refused_by_what_it_lacks(self):
        with self.assertRaisesRegex(results.Refusal, "it has no 'layers'"):
            bench_files.checked({})


class BenchProgram(Program):
    SCRIPT = "bench.py"

    def test_draws_and_refuses(self):
        path = self.write("bench.json", document())
        self.assertIn("<svg", self.run_script(path)[0])
        _, said = self.run_script(self.write("other.json", {"schema": 1}), code=2)
        self.assertIn("not a file of concord_bench", said)
        _, said = self.run_script("nowhere.json", code=2)
        self.assertIn("nowhere.json", said)
