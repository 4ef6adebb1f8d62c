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

    def table(self, *rows, columns="id problem src weights dst exactness arithmetic"):
        """The path of a table; a row is what each column holds."""
        path = self.root / "table.tsv"
        path.write_text("".join("\t".join(row) + "\n" for row in (columns.split(), *rows)))
        return path

    def import_table(self, table, *head):
        return self.vectors("import", table, "--set", "mine", *head)

    @staticmethod
    def row(name, dst="dst.npy", exactness="exact", arithmetic="", **changed):
        row = {"id": name, "problem": LINE, "src": "src.npy", "weights": "weights.npy", "dst": dst,
               "exactness": exactness, "arithmetic": arithmetic, **changed}
        return tuple(row.values())

    def judge(self, backend="reference"):
        return concord("run", "--suite", "golden", "--vectors", self.root / "sets", "--backend", backend)

    def test_a_folder_of_tensors_and_a_table_is_judged_by_its_printed_digits(self):
        self.save("printed", [21.04, 32.1, 43])  # the exact values are 21, 32 and 43
        rows = (self.row("a"), self.row("b", "printed.npy", "printed=2"), self.row("c", exactness="arithmetic", arithmetic="strict"),
                self.row("d", "printed.npy", "printed=2", "bf16"))
        self.assertEqual(self.import_table(self.table(*rows), *HEAD), (0, "mine: 4 vectors\n", ""))
        self.assertEqual(self.vectors("verify"), (0, "mine: 4 vectors in 1 files, unchanged\n", ""))
        self.assertIn("   2 Convolution f32 printed\n", self.vectors("list")[1])
        code, out, _ = self.judge()
        self.assertEqual(code, 0, out)
        self.assertIn("4 passed", out)
        self.assertEqual(self.vectors("table")[0], 0)
        # 32.1 with three digits is not 32; neither the reference nor the table of sets lets it pass.
        self.assertEqual(self.import_table(self.table(self.row("e", "printed.npy", "printed=3")))[:2], (0, "mine: 5 vectors\n"))
        code, out, _ = self.judge()
        self.assertEqual(code, 1, out)
        self.assertIn("golden/mine/e", out)
        self.assertNotIn("golden/mine/b", out)
        self.assertEqual(self.vectors("table")[0], 1)

    def test_printed_values_catch_a_planted_bug(self):
        """A bias of 0.5 that is left out, where dst was printed with three digits."""
        numpy.save(self.root / "bias.npy", numpy.array([0.5], "<f4"))
        self.save("printed", [21.5, 32.5, 43.5])
        row = ("a", LINE + " bias=1", "src.npy", "weights.npy", "bias.npy", "printed.npy", "printed=3")
        table = self.table(row, columns="id problem src weights bias dst exactness")
        self.assertEqual(self.import_table(table, *HEAD), (0, "mine: 1 vectors\n", ""))
        self.assertEqual(self.judge()[0], 0)
        code, out, _ = self.judge("faulty:bias_ignored")
        self.assertEqual(code, 1, out)
        self.assertIn("golden/mine/a", out)

    def test_what_is_wrong_with_a_row_is_told_by_its_line(self):
        for rows, words in (
                ([], "table.tsv:1: no row below"), ([self.row("a")[:3]], "table.tsv:2: 3 cells, but the first line names 7"),
                ([self.row("a"), self.row("")], "table.tsv:3: 'id' is empty"), ([self.row("a"), self.row("a")], "table.tsv:3: the id 'a' is that of line 2"),
                ([self.row("a", exactness="vague")], "table.tsv:2: exactness 'vague'"),
                *(([self.row("a", exactness=f"printed={digits}")], f"table.tsv:2: exactness 'printed={digits}': must be")
                  for digits in ("0", "-1", "18", "3x", "", "3.5", "99999999999999999999")),
                ([self.row("a", exactness="arithmetic")], "table.tsv:2: arithmetic is missing"),
                ([self.row("a", exactness="arithmetic", arithmetic="mud")], "table.tsv:2: arithmetic: "),
                ([self.row("a", arithmetic="strict")], "table.tsv:2: arithmetic 'strict'"),
                ([self.row("a", problem="Convolution")], "table.tsv:2: "),
                ([self.row("a", problem=LINE.replace("src=1x1x4", "src=1x2x4"))], "table.tsv:2: "),
                ([self.row("a", weights="")], "a: weights is in one of problem and files")):
            self.refused(self.table(*rows), words)
        for columns, words in (("id problem src weights dst exactness hue", "table.tsv:1: no column 'hue'"),
                               ("id problem src weights dst exactness id", "table.tsv:1: the column 'id' occurs twice"),
                               ("id problem src weights exactness", "table.tsv:1: the column 'dst' is missing"),
                               ("id,problem,src,dst,exactness", "separated by tabs")):
            self.refused(self.table(self.row("a"), columns=columns), words)
        self.refused(self.root / "none.tsv", "none.tsv: cannot be read")
        self.refused(self.root, "cannot be read")

    def test_what_is_wrong_with_a_tensor_is_told_by_its_file(self):
        good = numpy.array([21, 32, 43], "<f4").reshape(1, 1, 3)
        wide = numpy.asfortranarray(numpy.arange(4, dtype="<f4").reshape(2, 2))
        numpy.save(self.root / "fortran.npy", wide)
        for name, values in (("long", good.reshape(1, 3, 1)), ("double", good.astype("<f8")), ("big", good.astype(">f4")),
                             ("whole", good.astype("<i4")), ("infinite", good * numpy.float32("inf"))):
            numpy.save(self.root / f"{name}.npy", values)
        whole = (self.root / "dst.npy").read_bytes()
        for name, content in (("cut", whole[:-1]), ("head", whole[:9]), ("empty", b""), ("text", b"21 32 43\n"), ("more", whole + b"\0")):
            (self.root / f"{name}.npy").write_bytes(content)
        (self.root / "folder.npy").mkdir()
        for name, words in (("none", "cannot be read"), ("folder", "cannot be read"), ("fortran", "fortran_order is True"),
                            ("long", "is 1x3x1, but the problem says 1x1x3"), ("double", "is of <f8, but the problem's f32"),
                            ("big", "descr '>f4'"), ("whole", "descr '<i4'"), ("cut", "does not fit the 11 bytes"), ("head", "ends before"),
                            ("empty", "does not begin with"), ("text", "does not begin with"), ("more", "does not fit the 13 bytes")):
            self.refused(self.table(self.row("good"), self.row("a", f"{name}.npy")), f"a: {self.root}/{name}.npy: ", words)
        self.refused(self.table(self.row("a", "infinite.npy", "printed=3")), "infinite.npy: holds an infinity")

    def test_a_set_keeps_what_it_has_where_a_table_is_refused(self):
        self.assertEqual(self.import_table(self.table(self.row("a")), *HEAD)[0], 0)
        before = {path: path.read_bytes() for path in (self.root / "sets/mine").iterdir()}
        for rows, head, words in (([self.row("b"), self.row("a")], (), "vector a occurs twice"),
                                  ([self.row("b")], HEAD, "whose producer is known"), ([self.row("b")], HEAD[:2], "--licence")):
            code, _, err = self.import_table(self.table(*rows), *head)
            self.assertEqual(code, 2)
            self.assertIn(words, err)
        self.assertEqual(before, {path: path.read_bytes() for path in (self.root / "sets/mine").iterdir()})

    def refused(self, table, *words):
        code, out, err = self.import_table(table, *HEAD)
        self.assertEqual((code, out), (2, ""), err)
        for each in words:
            self.assertIn(each, err)
        self.assertFalse((self.root / "sets").exists())

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
