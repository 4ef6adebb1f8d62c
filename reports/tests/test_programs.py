# SPDX-License-Identifier: Apache-2.0
"""The scripts as programs: exit codes, what they print, and that nothing ends in a traceback."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from tests import sample

FOLDER = pathlib.Path(__file__).resolve().parents[1]


class Program(unittest.TestCase):
    SCRIPT = "report.py"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, document):
        path = self.folder / name
        path.write_text(sample.text(document))
        return str(path)

    def run_script(self, *arguments, code=0):
        done = subprocess.run([sys.executable, "-B", FOLDER / self.SCRIPT, *arguments],
                              capture_output=True, cwd=self.folder, check=False,
                              env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"})
        self.assertNotIn(b"Traceback", done.stderr)
        self.assertEqual(done.returncode, code, done.stderr)
        if code == 2:
            self.assertEqual(done.stdout, b"")
        return done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


class Report(Program):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.json", sample.rich(40))

    def test_a_page_is_written(self):
        self.run_script(self.good, "-o", "page.html")
        self.assertIn("<!DOCTYPE html>", (self.folder / "page.html").read_text("utf-8"))

    def test_the_name_of_the_output_chooses_markdown(self):
        self.run_script(self.good, "-o", "page.md")
        self.assertTrue((self.folder / "page.md").read_text("utf-8").startswith("## 2 of 5"))

    def test_without_an_output_the_page_goes_to_standard_output(self):
        self.assertIn("<!DOCTYPE html>", self.run_script(self.good)[0])

    def test_the_same_files_give_the_same_bytes(self):
        self.assertEqual(self.run_script(self.good)[0], self.run_script(self.good)[0])

    def test_bad_files_are_one_sentence_and_exit_code_2(self):
        whole = sample.text(sample.rich(9))
        (self.folder / "cut.json").write_text(whole[:len(whole) // 2])
        (self.folder / "other.json").write_text('{"schema": "other"}')
        for name in ("absent.json", "cut.json", "other.json", "."):
            _, said = self.run_script(self.good, name, "-o", "page.html", code=2)
            self.assertIn(name, said)
            self.assertEqual(said.count("\n"), 1)
            self.assertFalse((self.folder / "page.html").exists())

    def test_an_output_that_cannot_be_written_is_named(self):
        _, said = self.run_script(self.good, "-o", "absent/page.html", code=2)
        self.assertIn("absent/page.html: cannot write: No such file", said)

    def test_a_full_disk_is_told(self):
        _, said = self.run_script(self.good, "-o", "/dev/full", code=2)
        self.assertIn("/dev/full: cannot write: No space left", said)

    def test_a_write_that_fails_leaves_the_old_file(self):
        for script, arguments in (("report.py", [self.good]), ("merge.py", [self.good]),
                                  ("diff.py", [self.good, self.good])):
            path = self.folder / "out"
            path.write_text("old")
            done = subprocess.run(
                [sys.executable, "-B", FOLDER / script, *arguments, "-o", path], check=False,
                capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY)))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("out: cannot write: File too large", done.stderr)
            self.assertEqual(path.read_text(), "old")
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["good.json", "out"])

    def test_a_file_keeps_its_permissions_and_a_link_its_target(self):
        (self.folder / "page.html").write_text("old")
        (self.folder / "page.html").chmod(0o640)
        (self.folder / "link").symlink_to("page.html")
        self.run_script(self.good, "-o", "link")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertIn("<!DOCTYPE", (self.folder / "page.html").read_text("utf-8"))
        self.assertEqual((self.folder / "page.html").stat().st_mode & 0o777, 0o640)

    def test_wrong_arguments_are_refused(self):
        for arguments in ([], [self.good, "--most", "0"], [self.good, "--format", "pdf"]):
            self.run_script(*arguments, code=2)

    def test_a_file_name_cannot_act_on_the_terminal(self):
        _, said = self.run_script("\x1b[31mred.json", code=2)
        self.assertNotIn("\x1b", said)


if __name__ == "__main__":
    unittest.main()
