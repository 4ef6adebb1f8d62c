# SPDX-License-Identifier: Apache-2.0
"""A results.json that was altered after it was written is refused, and the refusal names the part."""

import json
import pathlib
import tempfile
import unittest

from concord_report import results
from tests import sample


class Altering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "r.json"
        self.good = sample.text(sample.rich(20))

    def load(self, text):
        self.path.write_text(text, encoding="utf-8")
        return results.load(self.path)

    def refusal(self, text):
        with self.assertRaises(results.Refusal) as caught:
            self.load(text)
        self.assertIn(str(self.path), str(caught.exception))
        return str(caught.exception)

    def test_a_file_as_it_was_written_is_let_in_whatever_its_white_space_is(self):
        self.load(self.good)
        self.load(json.dumps(json.loads(self.good), indent=3))
        self.load(results.printed(sample.rich(20)))

    def test_every_part_is_named_that_was_altered(self):
        for old, new, part in (
                ('"build": "0123abcd"', '"build": "0123abce"', "concord"),
                ('"seconds": 12.5', '"seconds": 12.25', "run"),
                ('"seconds": 12.5', '"seconds": 12.50', "run"),
                ('"trait_sets": [], "fills": []', '"trait_sets": [], "fills": ["x"]', "cases"),
                ('"version": "1.2.3"', '"version": "1.2.4"', "backends[0]"),
                ('"wrong": 0', '"wrong": 1', "backends[0]")):
            self.assertIn(old, self.good)
            self.assertIn(f": {part} was altered after the file was written: its SHA-256 is ",
                          self.refusal(self.good.replace(old, new, 1)))

    def test_the_last_backend_counts_as_much_as_the_first(self):
        at = self.good.rindex('"name": "')
        said = self.refusal(self.good[:at] + '"name": "x' + self.good[at + 9:])
        self.assertIn("backends[4] was altered", said)

    def test_a_space_within_a_text_is_no_white_space(self):
        self.assertIn("run was altered", self.refusal(self.good.replace("Linux 6.1", "Linux  6.1")))

    def test_a_backend_that_was_taken_out_or_added_is_missed(self):
        for change in (list.pop, lambda backends: backends.append(backends[0])):
            document = json.loads(self.good)
            change(document["backends"])
            self.assertIn("backends, and digests of 5", self.refusal(json.dumps(document)))

    def test_a_file_without_a_digest_is_refused(self):
        document = json.loads(self.good)
        del document["digest"]
        self.assertIn("'digest' is a required property", self.refusal(json.dumps(document)))

    def test_a_part_that_comes_twice_is_refused(self):
        self.assertIn("run comes twice", self.refusal(self.good.replace('"run": ', '"run": {}, "run": ', 1)))


if __name__ == "__main__":
    unittest.main()
