# SPDX-License-Identifier: Apache-2.0
"""The concord command with input that is wrong: one sentence each, and exit code 2."""

import os
import subprocess
import tempfile
import unittest

from command_harness import CONCORD, LINE, concord, main


class BadInput(unittest.TestCase):
    """Each gives one sentence that names the thing, and exit code 2."""

    def refuses(self, *arguments, names):
        code, out, err = concord(*arguments)
        self.assertEqual(code, 2, (arguments, out, err))
        self.assertIn(names, err)
        self.assertEqual(len(err.strip().splitlines()), 1, err)
        self.assertEqual(out, "")

    def test_unknown_words_on_the_command_line(self):
        self.refuses(names="subcommand")
        self.refuses("wibble", names="wibble")
        self.refuses("run", "--wibble", "--backend", "reference", names="--wibble")
        self.refuses("run", names="--backend")
        self.refuses("run", "--wibble", names="--wibble")
        self.refuses("run", "--backend", "reference", "--suite", "vast", names="vast")
        self.refuses("run", "--backend", "reference", "--dtype", "f8", names="f8")
        self.refuses("run", "--backend", "reference", "--threads", "0", names="--threads")
        self.refuses("run", "--backend", "reference", "--class", "wibble", names="wibble")
        for shard, names in [("3/2", "no part 3 of 2"), ("0/2", "no part 0 of 2"),
                             ("1", "not of the form 2/5"), ("1/x", "not of the form 2/5")]:
            self.refuses("run", "--backend", "reference", "--shard", shard, names=names)
        self.refuses("run", "--backend", "reference", "--filter", "no/such/*", names="no/such/*")
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("boundary/none/f32/integers\n")
            file.flush()
            self.refuses("run", "--backend", "reference", "--cases", file.name,
                         names=f"--cases {file.name}: smoke has no case 'boundary/none/f32/integers'")
        self.refuses("run", "--backend", "reference", "--resume", names="--out")
        self.refuses("replay", "--backend", "reference", "--fill", "mud", LINE, names="mud")
        self.refuses("grade", "--bug", "wibble", names="wibble")
        self.refuses("run", "--backend", "reference", "--suite", "nightly", names="--time-budget")
        self.refuses("list", "--suite", "nightly", names="nightly")

    def test_numbers_that_are_none_or_out_of_range(self):
        for option, value in [("--seed", "-1"), ("--seed", "x"), ("--time-budget", "nan"),
                              ("--time-budget", "-1"), ("--time-budget", "inf"),
                              ("--deadline", "nan"), ("--deadline", "0"), ("--max-hangs", "0"),
                              ("--stop-after", "0"), ("--max-failures", "-1"), ("--jobs", "0"),
                              ("--shard", "1/99999999999999999999"),
                              ("--seed", "99999999999999999999"), ("--seed", "0x10")]:
            self.refuses("run", "--backend", "reference", "--filter", "*resnet50/conv1/*",
                         f"{option}={value}", names=value)

        for value in "nan", "0":
            self.refuses("grade", "--deadline", value, names=value)

    def test_backends_that_are_not_there(self):
        self.refuses("run", "--backend", "wibble", names="wibble")
        self.refuses("run", "--backend", "./none.so", names="./none.so")
        self.refuses("run", "--backend", "reference", "--backend", "reference", names="twice")

    def test_malformed_problem_lines(self):
        for line, word in [("", "empty"), ("Convolve f32", "Convolve"),
                           ("Convolution f8 src=1", "f8"),
                           (LINE + " groups=2", "groups=2"),
                           (LINE + " auto_pad=maybe", "auto_pad=maybe"),
                           (LINE.replace("9x10", "9x"), "src=2x4x9x")]:
            self.refuses("show", line, names=word)
            self.refuses("replay", "--backend", "reference", line, names=word)

    def test_a_file_that_is_no_plugin(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(b"not a shared object")
            file.flush()
            code, out, _ = concord("run", "--backend", file.name, "--filter", "*resnet50/conv1/*")
            self.assertEqual(code, 2)
            self.assertIn("cannot be judged", out)
            self.assertIn(file.name, out)

    def test_outputs_that_cannot_be_written(self):
        for option in "--out", "--junit":
            for path in "/no/such/folder/file", "/usr":  # known before anything is judged
                self.refuses("run", "--backend", "reference", "--filter", "*resnet50/conv1/*",
                             option, path, names=path)

    def test_outputs_without_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for option in "--out", "--junit":
                done = subprocess.run([CONCORD, "run", "--backend", "reference", "--filter",
                                       "*resnet50/conv1/*", option, ""], capture_output=True,
                                      text=True, timeout=60, cwd=folder)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{option}: cannot write a file without a name", done.stderr)
                self.assertEqual(done.stdout, "")
            self.assertEqual(os.listdir(folder), [])

    def test_outputs_that_would_overwrite_one_another(self):
        with tempfile.TemporaryDirectory() as folder:
            for out, junit in [("a", "a"), ("a", "./a"), ("a", "a.journal")]:
                self.refuses("run", "--backend", "reference", "--out", os.path.join(folder, out),
                             "--junit", os.path.join(folder, junit), names="--junit")
            self.assertEqual(os.listdir(folder), [])

    def test_a_device_has_no_journal_beside_it(self):
        concord("run", "--backend", "reference", "--filter", "*resnet50/conv1/*", "--out",
                "/dev/null")
        self.assertFalse(os.path.exists("/dev/null.journal"))

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in ["show", LINE], ["list", "--filter", "*resnet50*"], ["--help"]:
                done = subprocess.run([CONCORD, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=60)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertIn("cannot write standard output: No space left on device", done.stderr)

    def test_standard_error_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in ["wibble"], ["run", "--backend", "wibble"], ["show", "wibble"]:
                done = subprocess.run([CONCORD, *arguments], stdout=subprocess.DEVNULL, stderr=full,
                                      timeout=60)
                self.assertEqual(done.returncode, 2, arguments)

    def test_problem_files_with_lines_that_are_wrong(self):
        bad = LINE.replace("groups=2", "groups=0")
        for lines, *names in [([bad.replace("Conv", "no colon Conv")], ":2: not of the form"),
                              ([f"a: {bad}"], ":2: a: the problem is invalid (groups)"),
                              ([f"a: {bad} expect=bias"], ":2: a: expect=bias, but", "groups=0"),
                              ([f"a: {LINE} expect=bias"], ":2: a: expect=bias, but", "valid"),
                              ([f"a: {bad} expect=wibble"], ":2: expect=wibble"),
                              ([f"a: {LINE}", f"b: {bad}", f"c: {bad}"], ":3: b: ", ":4: c: ")]:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "own")
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n".join(["# mine", *lines]))
                code, out, err = concord("run", "--backend", "reference", "--problems", path)
            self.assertEqual((code, out), (2, ""))
            for name in names:
                self.assertIn(path + name if name.startswith(":") else name, err)

    def test_fills_that_a_problem_does_not_have(self):
        layer = "ContinuousBackwardWeights f32 src=1x1x4x4 weights=31 diff_dst=1x1x4x4 scale=1"
        cntk = "CntkConvolution2d f32 src=3x1x2x1 weights=1x2"
        for line, fill in (layer + " widths=2,3", "subnormal"), (cntk, "overflow"):
            self.refuses("replay", "--backend", "reference", "--fill", fill, line,
                         names=f"--fill {fill}: {line.split()[0]} has none: ")

    def test_standard_output_as_a_place_for_results(self):
        run = "run", "--backend", "reference", "--filter", "*resnet50/conv1/*"
        self.refuses(*run, "--out", "-", "--junit", "-", names="--junit -")
        self.refuses(*run, "--out", "-", "--resume", names="--resume")

    def test_folders_without_vectors(self):
        for name in "verify", "list", "table":
            self.refuses("vectors", "--vectors", "/no/such/folder", name, names="/no/such/folder")

    def test_a_problem_beyond_this_machine(self):
        code, out, _ = concord("replay", "--backend", "reference",
                               "Convolution f32 src=1x1x1048576x1048576 weights=1x1x1x1 "
                               "data_format=NCX weights_format=OIX")
        self.assertEqual(code, 2)
        self.assertIn("src=1x1x1048576x1048576 spans 4398046511104 bytes", out)


if __name__ == "__main__":
    main()
