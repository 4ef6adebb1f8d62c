#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The check of docs/shipped.md finds what differs from the kept counts."""

import copy
import unittest

import shipped


class Shipped(unittest.TestCase):
    def setUp(self):
        self.kept, self.text = shipped.read(), shipped.text_of_page()

    def test_the_page_is_as_it_has_to_be(self):
        self.assertEqual(list(shipped.complaints(self.kept, self.text)), [])

    def test_another_number_in_the_table_is_found(self):
        line = shipped.row(self.kept, "eigen", "f16")
        self.assertIn(line, self.text)
        found = list(shipped.complaints(self.kept, self.text.replace(line, line.replace("| 0 |", "| 1 |", 1))))
        self.assertEqual(found, ["docs/shipped.md is not what docs/shipped.py page writes"])

    def test_a_row_has_the_largest_part_of_full(self):
        some, many = ({"eigen": {"f32": dict.fromkeys(shipped.COLUMNS, count)}} for count in (1, 2))
        self.assertIn("| 1/40 | 1 |", shipped.row({"full 1/40": some}, "eigen", "f32"))
        self.assertIn("| all | 2 |", shipped.row({"full 1/40": some, "full": many}, "eigen", "f32"))

    def test_counts_that_do_not_add_up_are_found(self):
        changed = copy.deepcopy(self.kept)
        changed["smoke"]["eigen"]["f16"]["passed"] += 1
        found = list(shipped.complaints(changed, shipped.page(changed, self.text)))
        self.assertIn("smoke: backends differ in how many cases a dtype has", found[0])

    def test_a_verdict_that_says_nothing_of_the_backend_is_not_counted(self):
        with self.assertRaises(KeyError):
            shipped.counted([{"dtype": "f32", "verdict": "HARNESS_ERROR"}])


if __name__ == "__main__":
    unittest.main()
