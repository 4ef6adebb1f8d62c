# SPDX-License-Identifier: Apache-2.0
"""The check of sessions finds what a command does not print."""

import pathlib
import tempfile
import unittest

import check_sessions
import doc_text


class Sessions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "hello").write_text("#!/bin/sh\necho hello $1\nexit 3\n")
        (self.root / "hello").chmod(0o755)

    def complaints(self, *blocks):
        text = "# Title\n\n" + "".join(f"{mark}\n\n{self.indented(block)}\nProse.\n\n" for mark, block in blocks)
        path = self.root / "page.md"
        path.write_text(text)
        self.document = doc_text.Document(path, self.root)
        return list(check_sessions.play(self.document, self.root))

    def indented(self, block):
        return "".join(f"    {line}\n" for line in block.split("\n"))

    def session(self, block):
        return self.complaints(("<!-- session -->", block))

    def test_what_is_printed_agrees(self):
        for right in ("$ hello you\nhello you", "$ hello you\nhel...ou", "$ hello you\n...", "$ true", "$ true\n...",
                      "$ echo 'a\n> b'", "$ seq 9\n1\n...\n8\n9", "$ seq 2\n1\n2\n$ hello\nhello",
                      "$ echo a \\\n  b\na b", "$ seq 2\n1\n2\n\n$ true"):
            if "'a\n" not in right:
                self.assertEqual(self.session(right), [], right)

    def test_what_is_not_printed_is_named_with_its_line(self):
        for wrong, said in (("$ hello you\nhello me", "page.md:6: 'hello you' prints 'hello you' here"),
                            ("$ hello you", "page.md:5: 'hello you' prints 'hello you' here"),
                            ("$ true\nhello", "page.md:6: 'true' prints 'nothing' here"),
                            ("$ seq 3\n1\n3", "page.md:7: 'seq 3' prints '2' here"),
                            ("$ seq 3\n1\n2", "page.md:7: 'seq 3' prints '3' here"),
                            ("$ seq 9\n1\n...\n7\n9", "page.md:9: 'seq 9' prints '8' here"),
                            ("$ absent-program\nhello", "page.md:6: 'absent-program' prints 'nothing' here")):
            self.assertEqual(self.session(wrong), [said], wrong)

    def test_how_far_a_plugin_is_confined_is_left_out(self):
        said = "a: sandbox: seccomp (unshare: Operation not permitted)"
        self.assertEqual(self.session(f"$ echo '{said}'; hello\nhello"), [])
        self.assertEqual(len(self.session(f"$ echo 'a {said}'; hello\nhello")), 1)
        self.assertEqual(self.session("$ echo 'a: 1 passed, sandbox: rlimits (smoke)'\na: 1 passed (smoke)"), [])

    def test_the_folder_and_the_exit_code_stay(self):
        self.assertEqual(self.session("$ mkdir a\n$ cd a\n$ hello\nhello\n$ echo $?\n3\n$ basename $PWD\na"), [])
        self.assertEqual(len(self.session("$ hello\nhello\n$ echo $?\n0")), 1)

    def test_a_file_is_written_as_it_stands(self):
        files = ("<!-- file: f.txt -->", "one\n  two")
        self.assertEqual(self.complaints(files, ("<!-- session -->", "$ cat f.txt\none\n  two")), [])
        self.assertEqual(len(self.complaints(files, ("<!-- session -->", "$ cat f.txt\none\ntwo"))), 1)

    def test_fenced_blocks_are_played_and_others_are_not(self):
        path = self.root / "page.md"
        path.write_text("<!-- session -->\n```\n$ hello\nbye\n```\n\n    $ hello\n    bye\n")
        document = doc_text.Document(path, self.root)
        self.assertEqual(len(list(check_sessions.play(document, self.root))), 1)
        self.assertEqual([line for _, line in document.blocks()], ["$ hello", "bye"])


if __name__ == "__main__":
    unittest.main()
