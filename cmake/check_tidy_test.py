#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Asks check_tidy.py which sources it would check."""

import json
import pathlib
import shlex
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


class UnityBuild(unittest.TestCase):
    def test_a_file_of_several_sources_stands_for_each_of_them(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            build = root / "build"
            (build / "Unity").mkdir(parents=True)
            for source in ("a.cpp", "b.cpp", "c.cpp"):
                (root / source).write_text("", encoding="utf-8")
            batch = build / "Unity" / "unity_0_cxx.cxx"
            batch.write_text(f'#include "{root}/a.cpp"\n#include "{root}/b.cpp"\n', encoding="utf-8")
            entries = [{"directory": str(build), "file": str(file),
                        "command": f"c++ -O1 '-DNAME=\"two words\"' -o x.o -c {file}"}
                       for file in (batch, root / "c.cpp")]
            (build / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
            found = check_tidy.sources(root, build)
            self.assertEqual(sorted(path.name for path in found), ["a.cpp", "b.cpp", "c.cpp"])
            self.assertEqual(shlex.split(found[root / "b.cpp"]["command"]),
                             ["c++", "-O1", '-DNAME="two words"', "-o", "x.o", "-c",
                              str(root / "b.cpp")])


class Includes(unittest.TestCase):
    def test_headers_count_that_headers_include_wherever_they_are_looked_for(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "part").mkdir()
            for file, text in (("part/a.cpp", '#include "part/a.h"\n#include <vector>\n'),
                               ("part/a.h", '#include "beside.h"\n#include "nowhere.h"\n'),
                               ("part/beside.h", '#include "part/a.h"\n'), ("part/other.h", "")):
                (root / file).write_text(text, encoding="utf-8")
            self.assertEqual(check_tidy.Includes(root).of(root / "part/a.cpp"),
                             {root / "part/a.h", root / "part/beside.h"})


if __name__ == "__main__":
    unittest.main()
