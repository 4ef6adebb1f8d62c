# SPDX-License-Identifier: Apache-2.0
"""import_test.py CONCORD: problems imported from logs and traces are judged, and what is not imported is told."""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

from command_harness import CONCORD, REPORTS, concord, main, read_json

sys.path.insert(0, REPORTS)
from concord_import.convolution import Convolution, NotHandled  # noqa: E402

BATCH = "--dir=FWD_D mb1ic3ih9oc4kh3ph1n\"first\" mb1ic3ih9oc4kh3ph1 --dir=BWD_D mb1ic3ih9oc4kh3\n"
LINE = "Convolution f32 src=1x3x9x9 weights=4x3x3x3 pads_begin=1,1 pads_end=1,1 data_format=NCX weights_format=OIX"
LEFT = "not imported: 1 problem: not a forward convolution (line 1: --dir=BWD_D)"


class Import(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def file(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content)
        return self.path(name)

    def test_a_problems_file_is_written_and_judged(self):
        batch = self.file("batch", BATCH)
        code, out, err = concord("import", batch, "--out", self.path("problems.txt"))
        self.assertEqual((code, out), (1, ""), err)
        self.assertEqual(err, f"concord: {batch}: {LEFT}\nconcord: {batch}: 2 convolutions imported as 1 distinct "
                              "problem, 1 not imported\n")
        with open(self.path("problems.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), f"# Imported by concord import of {batch}, problems of benchdnn.\n"
                                          f"# {LEFT}\nfirst-x2: {LINE}\n")
        code, out, _ = concord("run", "--backend", "reference", "--problems", self.path("problems.txt"))
        self.assertEqual(code, 0, out)
        self.assertIn("2 passed", out)

    def test_run_imports_in_one_step_and_its_results_say_what_was_left(self):
        batch = self.file("batch", BATCH)
        results = self.path("results.json")
        code, out, err = concord("run", "--backend", "reference", "--model", batch, "--fill", "uniform", "--out", results)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(err.count(LEFT), 1, err)
        document = read_json(results)
        self.assertEqual(document["run"]["remarks"], [LEFT])
        self.assertEqual(document["run"]["suite"], batch)
        self.assertEqual([case["case"] for case in document["backends"][0]["results"]], ["problems/first-x2/f32/uniform"])
        code, out, _ = concord("run", "--backend", "faulty:dilation_ignored", "--model",
                               self.file("dilated", "--dir=FWD_D mb1ic3ih9oc4kh3dh1"))
        self.assertEqual(code, 1, out)

    def test_exit_codes_and_messages(self):
        whole = self.file("whole", "ic3ih9oc4kh3")
        code, out, _ = concord("import", whole)
        self.assertEqual(code, 0)
        self.assertIn("conv-line1: Convolution f32 src=2x3x9x9", out)
        none = self.file("none", "--dir=BWD_W ic3ih9oc4kh3")
        for command in (["import", none], ["run", "--backend", "reference", "--model", none]):
            code, _, err = concord(*command)
            self.assertEqual(code, 2)
            self.assertIn("not a forward convolution", err)
        for content, word in [("", "empty"), ("{", "not JSON"), ("text", "--format"), (json.dumps([]), "no convolution")]:
            code, out, err = concord("import", self.file("bad", content))
            self.assertEqual((code, out, len(err.splitlines())), (2, "", 1), err)
            self.assertIn(self.path("bad"), err)
            self.assertIn(word, err)
        for arguments, word in [(["--batch", "0"], "--batch"), (["--input", "x"], "NAME=1x3x224x224"), (["--format", "x"], "x")]:
            code, _, err = concord("import", whole, *arguments)
            self.assertEqual(code, 2)
            self.assertIn(word, err)
        code, _, err = concord("run", "--backend", "reference", "--fill", "uniform")
        self.assertEqual(code, 2)
        self.assertIn("--fill", err)
        code, _, err = concord("run", "--backend", "reference", "--model", whole, "--fill", "uniformly")
        self.assertEqual(code, 2)
        self.assertIn("uniformly", err)

    def test_without_onnx_an_error_names_the_package(self):
        os.mkdir(self.path("onnx"))
        self.file("onnx/__init__.py", "raise ImportError('as if not installed')")
        done = subprocess.run([CONCORD, "import", self.file("net.onnx", "x")], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": self.path("")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("sudo apt-get install python3-onnx", done.stderr)

    def test_what_the_importer_accepts_concord_accepts(self):
        """Random convolutions of all kinds of mistakes: each line that is made can be judged."""
        dice = random.Random(20261124)
        lines = []
        while len(lines) < 400:
            rank, groups = dice.randint(1, 3), dice.choice([1, 1, 2])
            some = lambda *values: [dice.choice(values) for _ in range(rank)]  # noqa: E731
            made = Convolution(
                dtype=dice.choice(["f32", "bf16"]), src=[dice.choice([0, 1, 2]), 2 * groups, *some(0, 1, 4, 9, 2**40)],
                weights=[4, dice.choice([2, 2, 3]), *some(1, 2, 3, 7)], has_bias=dice.random() < 0.5,
                strides=some(1, 2, 3), pads_begin=some(0, 0, 1, 5), pads_end=some(0, 0, 2, 2**61), dilations=some(1, 1, 2, 2**59),
                groups=groups, auto_pad=dice.choice([None, None, "same_upper", "same_lower", "valid"]))
            try:
                lines.append(f"p{len(lines)}: {made.line()}")
            except NotHandled:
                continue
        code, out, err = concord("list", "--problems", self.file("problems.txt", "\n".join(lines)), "--fill", "integers")
        self.assertEqual(code, 0, err[:1000])
        self.assertEqual(len(out.splitlines()), len(lines))


if __name__ == "__main__":
    main()
