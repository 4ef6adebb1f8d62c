#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Asks check_tidy.py which sources it would check."""

import pathlib
import tempfile
import unittest

import check_tidy

# Each source with the headers that it includes.
HEADERS_OF = {"a.cpp": ["a.h", "all.h"], "b.cpp": ["b.h", "all.h"], "c.cpp": ["all.h"]}


class Choose(unittest.TestCase):
    def test_the_newest_sources_come_first(self):
        self.assertEqual(check_tidy.choose(2, ["c.cpp", "a.cpp", "b.cpp"], HEADERS_OF),
                         ["c.cpp", "a.cpp"])

    def test_a_header_brings_one_source_that_includes_it(self):
        self.assertEqual(check_tidy.choose(3, ["b.h"], HEADERS_OF), ["b.cpp"])

    def test_a_header_that_a_chosen_source_includes_brings_none(self):
        self.assertEqual(check_tidy.choose(3, ["c.cpp", "all.h", "a.h"], HEADERS_OF),
                         ["c.cpp", "a.cpp"])

    def test_other_files_bring_none(self):
        self.assertEqual(check_tidy.choose(3, ["README.md", "gone.h"], HEADERS_OF), [])


class NewestFirst(unittest.TestCase):
    def test_without_a_history_there_is_no_order(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(check_tidy.newest_first(pathlib.Path(root)), [])


if __name__ == "__main__":
    unittest.main()
