# SPDX-License-Identifier: Apache-2.0
import unittest

from concord_report import bench_files, bench_table, results
from tests.test_programs import Program


def layer(name="rn50_conv1", ours=0.2, theirs=0.25, moving=None, **changes):
    sides = [{"name": "concord", "seconds": [ours, 9, 0], "ratio": [1, 1, 1]},
             {"name": "onednn", "seconds": [theirs], "ratio": [1.0, theirs / ours, 9.0]}]
    if moving is not None:
        sides.append({"name": "memory", "seconds": [moving], "ratio": [1, moving / ours, 1]})
    return {"name": name, "flops_valid": 4e9, "bytes": 1e9, "competitors": sides, "peak_flops": 40e9, **changes}


def document(*layers, **changes):
    return {"peak_flops": 80e9, "triad_bytes": 20e9, "threads": 1, "batch": 1, "dtype": "f32",
            "data_format": "NXC", "packed": True, "layers": list(layers), **changes}


class BenchFiles(unittest.TestCase):
    def test_parts_are_of_the_layers_own_peak(self):
        self.assertEqual(bench_files.valid_part(document(), layer()), 0.5)
        older = layer()
        del older["peak_flops"]
        self.assertEqual(bench_files.valid_part(document(), older), 0.25)
        self.assertIsNone(bench_files.valid_part(document(), layer(peak_flops=0)))

    def test_the_limit_is_the_slower_of_the_peak_and_moving_the_data(self):
        at_limit = bench_files.ratio_at_limit
        self.assertEqual(at_limit(document(), layer(), "onednn"), 2.5)
        self.assertEqual(at_limit(document(), layer(moving=0.05), "onednn"), 2.5)
        self.assertEqual(at_limit(document(), layer(moving=0.125), "onednn"), 2.0)
        self.assertIsNone(at_limit(document(), layer(), "xnnpack"))
        self.assertIsNone(at_limit(document(), layer(peak_flops=0), "onednn"))


class BenchTable(unittest.TestCase):
    def test_means_and_the_least_of_each_file(self):
        rows = bench_table.render([document(layer("a"), layer("b", ours=0.5))]).split("\n")
        self.assertEqual(rows[2], "| 1: f32, NXC, batch 1, 1 thread, weights packed | onednn | 2 "
                                  "| 0.79 | 0.50 (`b`) | 1 | 2.50 |")

    def test_layers_that_a_file_lacks_are_dashes(self):
        text = bench_table.render([document(layer("a")), document(layer("b"), packed=False)])
        self.assertIn("\n| `a` | 50 | 1.25 | - | - |\n| `b` | - | - | 50 | 1.25 |\n", text)

    def test_what_threads_bring_is_said_where_nothing_else_differs(self):
        text = bench_table.render([document(layer("a")), document(layer("a", ours=0.125), threads=2),
                                   document(layer("a"), threads=2, dtype="bf16")])
        self.assertIn("2: engine over run 1", text)
        self.assertEqual(text.count("engine over run"), 1)
        self.assertIn("| `a` | 50 | 1.25 | 80 | 2.00 | 1.60 | 50 | 1.25 |", text)

    def test_nothing_is_refused(self):
        with self.assertRaisesRegex(results.Refusal, "no file has a layer"):
            bench_table.render([document()])


class BenchTableProgram(Program):
    SCRIPT = "bench_table.py"

    def test_prints_and_refuses(self):
        self.assertIn("| `a` |", self.run_script(self.write("bench.json", document(layer("a"))))[0])
        _, said = self.run_script(self.write("other.json", {"schema": 1}), code=2)
        self.assertIn("not a file of concord_bench", said)
        _, said = self.run_script("nowhere.json", code=2)
        self.assertIn("nowhere.json", said)
