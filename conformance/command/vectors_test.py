# SPDX-License-Identifier: Apache-2.0
"""concord vectors as its users meet it: a set of one's own, verified, listed and judged by.

Run as: vectors_test.py path/to/concord
"""

import pathlib
import shutil
import tempfile
import unittest

import numpy

from command_harness import concord, main

LINE = "Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX weights_format=OIX"
HEAD = ("--producer", "hand", "--producer-version", "1", "--command", "none", "--date", "2026-11-21",
        "--licence", "CC0-1.0")


class Vectors(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="concord_vectors_"))
        self.addCleanup(shutil.rmtree, self.root)
        self.save("src", [1, 2, 3, 4])
        self.save("weights", [1, 10])
        self.save("dst", [21, 32, 43])

    def save(self, name, values):
        numpy.save(self.root / f"{name}.npy", numpy.array(values, "<f4").reshape(1, 1, -1))

    def vectors(self, *arguments):
        return concord("vectors", "--vectors", self.root / "sets", *arguments)

    def add(self, vector, *more, problem=LINE):
        files = [word for name in ("src", "weights", "dst")
                 for word in (f"--{name}", self.root / f"{name}.npy")]
        return self.vectors("add", "mine", "--id", vector, "--problem", problem, *files, *more)

    def test_a_set_is_begun_continued_verified_listed_and_judged_by(self):
        self.assertEqual(self.add("a", *HEAD), (0, "mine: 1 vectors\n", ""))
        self.assertEqual(self.add("b", "--exactness", "arithmetic", "--arithmetic", "strict")[:2],
                         (0, "mine: 2 vectors\n"))
        self.assertEqual(self.vectors("verify"), (0, "mine: 2 vectors in 1 files, unchanged\n", ""))
        code, out, _ = self.vectors("list", "--each")
        self.assertEqual(code, 0)
        self.assertIn(f"b\t{LINE}", out)
        code, out, _ = concord("run", "--suite", "golden", "--vectors", self.root / "sets",
                                    "--backend", "reference")
        self.assertEqual(code, 0, out)
        self.assertIn("2 passed", out)

    def test_a_wrong_dst_is_found_by_the_backends_that_are_right(self):
        self.save("dst", [21, 32, 44])
        self.assertEqual(self.add("a", *HEAD)[0], 0)
        code, out, _ = concord("run", "--suite", "golden", "--vectors", self.root / "sets",
                                    "--backend", "reference")
        self.assertEqual(code, 1, out)
        self.assertIn("golden/mine/a", out)

    def test_a_changed_byte_is_found_and_its_file_named(self):
        self.assertEqual(self.add("a", *HEAD)[0], 0)
        path = self.root / "sets/mine/f32.npy"
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
        code, out, _ = self.vectors("verify")
        self.assertEqual(code, 1)
        self.assertIn("f32.npy: changed", out)

    def test_what_cannot_be_added_is_named(self):
        for arguments, problem, named in (
                ((), LINE, "not a set yet"), (HEAD[:2], LINE, "--licence"),
                (HEAD, "Convolution f32", "--problem"),
                (HEAD, LINE.replace("src=1x1x4", "src=1x2x4"), "--problem: "),
                (HEAD, LINE.replace("src=1x1x4", "src=1x1x5"), "src.npy: is 1x1x4"),
                ((*HEAD, "--exactness", "nearly"), LINE, "nearly"),
                ((*HEAD, "--exactness", "arithmetic", "--arithmetic", "mud"), LINE, "mud")):
            code, out, err = self.add("a", *arguments, problem=problem)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn(named, err)
        self.assertEqual(self.vectors("verify")[0], 2)


if __name__ == "__main__":
    main()
