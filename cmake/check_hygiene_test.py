#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bad habits in a tree of its own and asks check_hygiene.py what it sees."""

import contextlib
import io
import pathlib
import subprocess
import tempfile
import unittest

import check_hygiene

HEADER = "// " + check_hygiene.LICENSE + "\n"


class CheckHygiene(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = pathlib.Path(held.name)
        self.build = self.root / "build"

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def judge(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            code = check_hygiene.main(["check_hygiene.py", str(self.root), str(self.build)])
        return code, output.getvalue()

    def compile(self, source):
        item = self.build / "optimized/kernels" / (source.name + ".o")
        item.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["c++", "-c", str(source), "-o", str(item)], check=True)

    def test_a_clean_tree_passes(self):
        self.plant("spec/a.cpp", HEADER + "int a;\n")
        self.plant("run", "#!/bin/sh\n# " + check_hygiene.LICENSE + "\n")
        self.assertEqual(self.judge()[0], 0)

    def test_each_bad_habit_fails(self):
        habits = {
            "spec/a.cpp": "int a;\n",
            "spec/CMakeLists.txt": "add_library(a)\n",
            "run": "#!/bin/sh\n",
            "spec/utils.h": HEADER,
            "spec/helpers.cpp": HEADER,
            "spec/code_old.cpp": HEADER,
            "spec/b.cpp": HEADER + "#if " + "0\n",
            "spec/c.cpp": HEADER + "TEST(A, DISABLED" + "_b) {}\n",
            "spec/d.cpp": HEADER + "GTEST_SKIP" + "();\n",
            "spec/e.cpp": HEADER + "// TO" + "DO finish\n",
            "spec/f.cpp": HEADER + 'open("/ho' + 'me/me/data");\n',
            "docs/g.md": "see registry." + "npmjs.org\n",
            "docs/h.md": "see [there](../spec/nothing.h#part)\n",
        }
        for name, text in habits.items():
            with self.subTest(name=name):
                path = self.plant(name, text)
                self.assertEqual(self.judge()[0], 1)
                path.unlink()

    def test_a_reminder_with_a_number_passes(self):
        self.plant("spec/a.cpp", HEADER + "// TO" + "DO(#12): finish\n")
        self.assertEqual(self.judge()[0], 0)

    def test_links_to_files_and_to_other_sites_pass(self):
        self.plant("spec/a.h", HEADER)
        self.plant("docs/a.md", "[a](../spec/a.h), [b](https://example.org/x), [c](#part)\n")
        self.assertEqual(self.judge()[0], 0)

    def test_a_file_beyond_its_budget_is_a_warning(self):
        self.plant("spec/a.h", HEADER + "\n" * 200)
        code, output = self.judge()
        self.assertEqual(code, 0)
        self.assertIn("warning: spec/a.h:1: 201 lines, budget 150", output)

    def test_a_weak_symbol_in_a_kernel_fails(self):
        source = self.plant("optimized/kernels/k.cpp",
                            HEADER + "inline int twice(int a) { return 2 * a; }\n"
                            "int four() { return twice(2); }\n")
        self.compile(source)
        code, output = self.judge()
        self.assertEqual(code, 1)
        self.assertIn("weak symbol twice(int)", output)

    def test_a_kernel_without_weak_symbols_passes(self):
        self.compile(self.plant("optimized/kernels/k.cpp", HEADER + "int four() { return 4; }\n"))
        self.assertEqual(self.judge()[0], 0)

    def test_a_kernel_that_was_not_built_fails(self):
        self.plant("optimized/kernels/k.cpp", HEADER + "int four() { return 4; }\n")
        self.assertEqual(self.judge()[0], 1)


if __name__ == "__main__":
    unittest.main()
