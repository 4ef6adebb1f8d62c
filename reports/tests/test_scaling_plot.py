# SPDX-License-Identifier: Apache-2.0
import unittest
import xml.etree.ElementTree

from concord_report import scaling_plot
from tests.test_programs import Program

SPACE = "{http://www.w3.org/2000/svg}"


def document(**changes):
    layers = [{"name": f"r{i}", "measured": 1.9, "simulated": [2.0, speedup], "tasks": [16, 32]}
              for i, speedup in enumerate((1.0, 2.0, 4.0))]
    machine = {"wake_seconds": 1e-6, "task_seconds": 2e-7, "memory_cores": 16, "core_bytes": 2e10,
               "last_level_bytes": 3.2e7}
    return {"threads": [2, 4], "dtype": "f32", "data_format": "NXC", "machine": machine,
            "scaling": layers, **changes}


class ScalingPlot(unittest.TestCase):
    def test_curves_are_statistics_over_layers(self):
        found = scaling_plot.curves(document())
        self.assertEqual([name for name, _ in found], ["mean", "upper quartile", "lower quartile", "5th percentile"])
        self.assertEqual([round(values[2], 6) for _, values in found], [2.0, 4.0, 1.0, 1.0])
        self.assertEqual([values[0] for _, values in found], [1.0] * 4)

    def test_the_picture_has_a_line_a_layer_and_says_what_was_assumed(self):
        root = xml.etree.ElementTree.fromstring(scaling_plot.render(document()))
        self.assertEqual(len(list(root.iter(SPACE + "polyline"))), 3 + 1 + 4)
        said = " ".join(text.text for text in root.iter(SPACE + "text"))
        for words in ("mean 2.0", "5th percentile 1.0", "ideal 4", "measured: 1.90", "in 1 us",
                      "16 cores at 20 GB/s", "3 layers"):
            self.assertIn(words, said)

    def test_a_faster_layer_is_drawn_higher(self):
        axes = scaling_plot._Axes(64)  # pylint: disable=protected-access
        self.assertLess(axes.y(8), axes.y(4))
        self.assertEqual(axes.y(1), scaling_plot.TOP + scaling_plot.SIDE)
        self.assertEqual(axes.x(64), scaling_plot.LEFT + scaling_plot.SIDE)


class ScalingProgram(Program):
    SCRIPT = "scaling.py"

    def test_draws_and_refuses(self):
        self.assertIn("<svg", self.run_script(self.write("scaling.json", document()))[0])
        _, said = self.run_script(self.write("none.json", document(scaling=[])), code=2)
        self.assertIn("it has no layer", said)
        _, said = self.run_script(self.write("other.json", {"schema": 1}), code=2)
        self.assertIn("not a file of concord_bench --scaling", said)
        _, said = self.run_script("nowhere.json", code=2)
        self.assertIn("nowhere.json", said)
