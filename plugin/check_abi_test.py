# SPDX-License-Identifier: Apache-2.0
"""That the layout check sees what would break a plugin that was compiled earlier."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).parent
COMPILER = sys.argv.pop(1)


class Abi(unittest.TestCase):
    def check(self, old, new):
        """The check's exit code and words for a header in which `old` has become `new`."""
        text = (FOLDER / "concord_plugin.h").read_text(encoding="utf-8")
        self.assertIn(old, text)
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "concord_plugin.h"
            header.write_text(text.replace(old, new, 1), encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", FOLDER / "check_abi.py", header,
                                   FOLDER / "abi_layout.txt", COMPILER],
                                  check=False, capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_the_header_as_it_is_passes(self):
        self.assertEqual(self.check("CONCORD_ABI", "CONCORD_ABI"), (0, ""))

    def test_every_change_of_layout_is_named(self):
        for old, new, named in (
                ("  int64_t groups;", "  int32_t groups;", "concord_convolution.groups"),
                ("  int64_t groups;", "  int32_t more;\n  int64_t groups;", "concord_convolution.more"),
                ("  int32_t data_format;\n  int32_t weights_format;",
                 "  int32_t weights_format;\n  int32_t data_format;", "concord_convolution.data_format"),
                ("#define CONCORD_MAX_RANK 8", "#define CONCORD_MAX_RANK 9", "CONCORD_MAX_RANK = 8"),
                ("CONCORD_BF16 = 3", "CONCORD_BF16 = 4", "CONCORD_BF16 = 3"),
                ("  size_t workspace_alignment;", "", "concord_prepared.workspace_alignment")):
            with self.subTest(new=new):
                code, words = self.check(old, new)
                self.assertEqual(code, 1)
                self.assertIn(named, words)


if __name__ == "__main__":
    unittest.main()
