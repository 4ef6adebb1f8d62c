#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The documents as the package has them: every link leads to an installed file, and no word is lost."""

import pathlib
import tempfile
import unittest

import package_docs

PAGE = """\
[the page](docs/page.md#a) and [all](docs/), [`header`](plugin/concord_plugin.h), [work](HACKING.md), [web](https://example.org/),
[two
lines](cmake/rules.txt). `[code](HACKING.md)` stays, [below](#below), [itself](README.md).

    [also](HACKING.md)
"""
PACKED = """\
[the page](docs/page.md#a) and [all](docs), [`header`](../../../include/concord/concord_plugin.h), work, [web](https://example.org/),
two
lines. `[code](HACKING.md)` stays, [below](#below), [itself](README.md).

    [also](HACKING.md)
"""


class PackageDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name) / "source"
        for name in (*package_docs.PAGES, "docs/page.md", "docs/findings/shows.cpp", "docs/findings/rules_test.py", "docs/check.py", "docs/x.svg"):
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            (self.source / name).write_text("")
        (self.source / "README.md").write_text(PAGE)
        (self.source / "docs/page.md").write_text("![p](x.svg) [f](findings/shows.cpp) [c](check.py) [r](../README.md#x) [t](../cmake/a.txt#b)")
        self.out = self.source.parent / "out"
        package_docs.Package(self.source, "share/doc/concord", "include", "share").write(self.out)

    def test_links_lead_to_what_is_installed_or_become_text(self):
        self.assertEqual((self.out / "README.md").read_text(), PACKED)
        self.assertEqual((self.out / "docs/page.md").read_text(), "![p](x.svg) [f](findings/shows.cpp) c [r](../README.md#x) t")

    def test_programs_that_show_a_finding_are_there_and_tests_are_not(self):
        self.assertTrue((self.out / "docs/findings/shows.cpp").exists())
        self.assertFalse((self.out / "docs/findings/rules_test.py").exists())
        self.assertFalse((self.out / "docs/check.py").exists())


if __name__ == "__main__":
    unittest.main()
