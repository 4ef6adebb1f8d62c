# SPDX-License-Identifier: Apache-2.0
"""The check of the documents finds what is untrue, and corrects numbers."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import check_docs

PROGRAM = """#!/bin/sh
case "$*" in
  "list --suite smoke") seq 1234 ;;
  "run --table") echo "backend passed failed"; echo "right 1,234 0"; echo "right: conforms - 1,234 passed" ;;
  "vectors table") echo "| set | n |"; echo "| --- | --- |"; echo "| a | 12 |"
                   echo; echo "| other | n |"; echo "| --- | --- |"; echo "| b | 34 |" ;;
  list*--help) echo "--suite TEXT --filter" ;;
  run*--help) echo "--backend TEXT --filter --table" ;;
  --help) echo "  list  List"; echo "  run  Judge" ;;
  *--help) exit 2 ;;
  *) ;;
esac
"""


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "source"
        self.programs = pathlib.Path(folder.name) / "build/bin"
        for made in (self.root / "docs", self.programs, self.programs.parent / "plugins"):
            made.mkdir(parents=True)
        (self.programs.parent / "plugins/reference.so").write_text("")
        (self.root / "CMakeLists.txt").write_text("project(concord VERSION 1.2.3 LANGUAGES C)")
        (self.root / "CMakePresets.json").write_text('{"name": "dev"}')
        (self.programs / "concord").write_text(PROGRAM)
        (self.programs / "concord").chmod(0o755)

    def complaints(self, text, update=False, slow=False):
        (self.root / "README.md").write_text(text)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            found = check_docs.check(self.programs, self.root, slow, update)
        self.printed = printed.getvalue()
        return found

    def finds(self, text, what):
        found = self.complaints(text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(what, found[0])

    def test_another_version_than_the_projects_is_named(self):
        self.finds("apt install ./concord_1.2.4_amd64.deb", "README.md:1: version 1.2.4 is 1.2.3 in CMakeLists.txt")
        self.assertEqual(self.complaints("apt install ./concord_1.2.3_amd64.deb"), [])
        (self.root / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.2\n")
        self.finds("", "CITATION.cff:2: version 1.2.2 is 1.2.3")

    def test_a_marked_number_is_what_the_command_prints(self):
        mark = "<!-- check: concord list --suite smoke -->"
        for right in "1,234", "1234", "`1,234`", "(1,234":
            self.assertEqual(self.complaints(f"It has {right}{mark} cases."), [])
        self.finds(f"It has 1,233{mark} cases.", "README.md:1: 1,233 is 1234")
        for command, written in (("concord list --suite smoke as {0}/{0}", "1234/1234"),
                                 ("concord run --table =~ conforms - (\\S+)", "1,234"),
                                 ("files docs/*.txt", "no")):
            self.assertEqual(self.complaints(f"{written}<!-- check: {command} -->"), [], command)

    def test_an_update_writes_it_as_it_was_written(self):
        text = "A\n7,777<!-- check: concord list --suite smoke -->, three<!-- check: files *.json --> files\n"
        self.assertEqual(self.complaints(text, update=True), [])
        self.assertEqual((self.root / "README.md").read_text(),
                         "A\n1,234<!-- check: concord list --suite smoke -->, one<!-- check: files *.json --> files\n")

    def test_rows_and_their_sums(self):
        rows = "<!-- check-rows: concord run --table -->\n\n    backend  passed\n    right     {}         0\n"
        self.assertEqual(self.complaints(rows.format("1,234")), [])
        self.finds(rows.format("1,235"), "README.md:4: 1,235 is 1,234")
        self.complaints(rows.format("  999"), update=True)
        self.assertIn("    right     1,234         0\n", (self.root / "README.md").read_text())
        sums = "<!-- check-sums: concord list --suite smoke -->\n\n    right 1,000 {} 0\n"
        self.assertEqual(self.complaints(sums.format("234")), [])
        self.finds(sums.format("233"), "add up to 1,233, not 1,234")
        slow = rows.replace("rows: ", "rows: slow ").format("1,235")
        self.assertEqual(self.complaints(slow), [])
        self.assertIn("slow", self.printed)
        self.assertEqual(len(self.complaints(slow, slow=True)), 1)

    def test_a_table_that_a_command_prints_whole(self):
        text = "<!-- check-rows: concord vectors table -->\n\n| set | n |\n| --- | --- |\n| a | {} |\n"
        self.assertEqual(self.complaints(text.format(12)), [])
        self.finds(text.format(13), "README.md:5: differs")
        self.assertEqual(self.complaints(text.format(13), update=True), [])
        second = text.replace("set", "other").replace("a |", "b |")
        self.assertEqual(self.complaints(second.format(34)), [])
        self.finds(second.format(12), "README.md:5: differs")

    def test_a_mark_that_cannot_be_read_is_no_mark(self):
        self.finds("12 <!-- check: concord list -->", "cannot be read")
        self.finds("12<!-- check: concord list --suite smoke =~ nothing -->", "nothing in the output")

    def test_commands(self):
        right = "concord list --suite smoke  # says\n    cmake --preset dev && ninja\n    see concord"
        self.assertEqual(self.complaints(f"a\n\n    {right}\n"), [])
        for wrong, what in (("concord list --sweet smoke", "no --sweet"), ("concord lust", "no concord lust"),
                            ("concord list 'x", "No closing quotation"), ("cmake --preset mine", "no preset mine"),
                            ("cmake/aarch64.sh", "there is no cmake/aarch64.sh"), ("python3 gone.py", "NOT_RUN")):
            self.finds(f"a\n\n    {wrong}\n", what)
        self.finds(f"```sh\n{wrong}\n```\n", what)

    def test_options_in_prose(self):
        self.assertEqual(self.complaints("With `--suite smoke` or `concord run`, not --this."), [])
        self.finds("With `--sweet`.", "`--sweet` is an option of no program")
        self.finds("With `concord lust`.", "there is no `concord lust`")

    def test_a_note_that_its_page_does_not_list_is_named(self):
        notes = self.root / "docs/notes"
        notes.mkdir()
        (notes / "README.md").write_text("| [measured](2026-01-01-measured.md) | what |\n")
        for name in ("2026-01-01-measured.md", "2026-01-02-forgotten.md"):
            (notes / name).write_text("# What was measured\n")
        self.finds("", "docs/notes/README.md: does not list 2026-01-02-forgotten.md")

    def test_links(self):
        (self.root / "docs/a.md").write_text("# One `two`, three\n")
        self.assertEqual(self.complaints("[a](docs/a.md#one-two-three) [b](https://none.example) [c](docs/)"), [])
        self.finds("[a](docs/b.md)", "docs/b.md is not there")
        self.finds("[a](docs/a.md#four)", "no such heading")

    def test_statements_name_what_exists(self):
        for name, text in (("reference/a.cpp", "int same() {}"), ("reference/a_test.cpp", "TEST(Same, IsRight) {}"),
                           ("conformance/catalog/boundary.txt", "rate-1: AtrousConv2d"),
                           ("backends/faulty/a_bugs.cpp", '{"kernel_flip", "a"}')):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.programs.parent / "CTestTestfile.cmake").write_text('add_test([=[golden]=] "x")\n')
        right = """| document | statements | hold | background | partly | missing |
|---|---|---|---|---|---|
| One | 4 | 1 | 1 | 1 | 1 |

## One

| # | says | in | by | state |
|---|---|---|---|---|
| A1 | a | `reference/a.cpp:same` | `Same.IsRight`, `boundary/rate-1` | holds |
| A2 | b | `reference/a.cpp` | `faulty:kernel_flip`, `ctest:golden` | partly: half of it |
| A3 | c | | | missing: all of it |
| A4 | d | | | background: nothing to get wrong |
"""
        planted = (("a.cpp:same", "a.cpp:other", "has no other"), ("a.cpp`", "b.cpp`", "no such file"),
                   ("Same.IsRight", "Same.IsWrong", "no such test"), ("rate-1", "rate-2", "no such problem"),
                   ("boundary/", "limits/", "no such problem"), ("_flip", "_flop", "no such planted bug"),
                   ("ctest:golden", "ctest:gold", "no such test of CTest"), ("holds |", "held |", "its state"),
                   ("partly: half of it", "partly", "its state"), ("`reference/a.cpp` ", "", "names nothing"),
                   ("background: nothing to get wrong", "background", "names nothing"),
                   ("| holds |", "| holds: mostly |", "its state"), ("A2", "A1", "there twice"), ("| 4 | 1 |", "| 4 | 2 |", "One has [4, 1, 1, 1, 1]"),
                   ("| One |", "| Two |", "Two has"))
        (self.root / "docs/statements.md").write_text(right)
        self.assertEqual(self.complaints("a"), [])
        for old, new, what in planted:
            (self.root / "docs/statements.md").write_text(right.replace(old, new, 1))
            self.assertTrue(any(what in found for found in self.complaints("a")), (old, new))


if __name__ == "__main__":
    unittest.main()
