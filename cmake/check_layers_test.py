#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants includes, tables and CMake files in trees of its own and asks check_layers.py what it sees."""

import contextlib
import pathlib
import tempfile
import unittest

import check_layers

TABLE = pathlib.Path(__file__).with_name("layers.txt")


@contextlib.contextmanager
def tree(files):
    """The root of a tree that holds `files`, a dict of path to text."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield pathlib.Path(root)


def judge(files):
    """What the check says of a tree of `files` by the project's own table."""
    with tree(files) as root:
        return check_layers.check(root, check_layers.Layers(TABLE.read_text(encoding="utf-8")))


class CheckLayers(unittest.TestCase):
    ALLOWED = {
        "reference/a.cpp": '#include "spec/problem.h"\n',
        "reference/b.cpp": '#include "reference/a.h"\n#include <vector>\n',
        "conformance/catalog/a.cpp": '#include "conformance/case/case.h"\n',
        "conformance/worker/b.cpp": '#include "plugin/concord_plugin.h"\n#include <sys/mman.h>\n',
        "backends/optimized/a.cpp": '#include "optimized/engine.h"\n',
        "backends/mine/a.cpp": '#include "backends/adapter/adapter.h"\n',
        "backends/mine/b.cpp": '#include "backends/mine/b.h"\n',
        "backends/eigen/a.cpp": "#include <unsupported/Eigen/CXX11/Tensor>\n",
        "spec/a.cpp": "#include <Eigen/Core>\n",
        "fuzz/a.cpp": '#include "optimized/a.h"\n#include "reference/a.h"\n#include <rapidcheck.h>\n',
        "plugin/template.c": '#include "concord_plugin.h"\n',
        "conformance/fill/a_test.cpp": '#include "conformance/judge/judge.h"\n',
    }
    FORBIDDEN = {
        "reference/a.cpp": '#include "optimized/engine.h"\n',
        "optimized/kernels/a.cpp": '// first\n#  include "reference/reference.h"\n',
        "conformance/run/a.cpp": '#include "optimized/engine.h"\n',
        "conformance/catalog/a.h": '#include "backends/adapter/adapter.h"\n',
        "backends/reference/a.cpp": '#include "optimized/engine.h"\n',
        "backends/optimized/a.cpp": '#include "reference/reference.h"\n',
        "backends/onednn/a.cpp": '#include "backends/xnnpack/a.h"\n',
        "backends/adapter/a.cpp": '#include "conformance/case/case.h"\n',
        "backends/mine/a.cpp": "#include <dnnl.hpp>\n",
        "spec/a.cpp": "#include <Eigen/Dense>\n",
        "spec/b.cpp": '#include "reference/reference.h"\n',
        "reference/c.cpp": "#include <Eigen/Core>\n",
        "reference/d.cpp": '#include "local.h"\n',
        "spec/c.cpp": '#include "nowhere/a.h"\n',
        "stray/a.cpp": "int a;\n",
        "reports/a.cpp": "int a;\n",
        "plugin/a.c": '#include "spec/problem.h"\n',
        "conformance/fill/a.cpp": '#include "conformance/judge/judge.h"\n',
        "conformance/judge/a.cpp": '#include "conformance/record/case_result.h"\n',
        "conformance/fill/a_test.cpp": '#include "conformance/record/case_result.h"\n',
    }

    def test_the_arrows_of_the_table_pass(self):
        self.assertEqual(judge(self.ALLOWED), [])

    def test_every_other_arrow_fails(self):
        for name, text in self.FORBIDDEN.items():
            with self.subTest(name=name):
                self.assertEqual(len(judge({name: text})), 1)

    def test_a_header_in_a_build_folder_is_not_ours(self):
        self.assertEqual(judge({"build/a.cpp": '#include "nowhere/a.h"\n'}), [])


class CheckTable(unittest.TestCase):
    FILES = {"low/a.cpp": "int a;\n", "high/a.cpp": '#include "low/a.h"\n#include <fmt/core.h>\n',
             "high/a_test.cpp": '#include "top/a.h"\n', "top/a.cpp": '#include "high/a.h"\n'}
    TABLE = "libraries: fmt\nlow:\nhigh: low <fmt>\nhigh tests: top\ntop: high\n"

    def complaints(self, table):
        with tree(self.FILES) as root:
            return check_layers.check_table(root, check_layers.Layers(table))

    def test_a_table_of_what_is_included_passes(self):
        self.assertEqual(self.complaints(self.TABLE), [])

    def test_a_cycle_is_named(self):
        self.assertIn("layers.txt: a cycle: low -> top -> high -> low",
                      self.complaints(self.TABLE.replace("low:", "low: top")))

    def test_an_arrow_that_nothing_needs_is_named(self):
        self.assertEqual(self.complaints(self.TABLE.replace("top: high", "top: high <fmt>")),
                         ["layers.txt: top: nothing includes <fmt>"])


class CheckLinks(unittest.TestCase):
    TABLE = check_layers.Layers("low:\nmiddle: low\nhigh: low middle\n")

    def complaints(self, deps, include="middle/a.h"):
        files = {"low/CMakeLists.txt": "concord_library(low SOURCES a.cpp)\n",
                 "middle/CMakeLists.txt": "concord_library(middle SOURCES a.cpp DEPS concord_low)\n",
                 "middle/a.cpp": '#include "low/a.h"\n',
                 "high/CMakeLists.txt": f"concord_library(\n  high SOURCES b.cpp\n  {deps})\n",
                 "high/b.cpp": '#include "high/b.h"\n', "high/b.h": f'#include "{include}"\n'}
        with tree(files) as root:
            return check_layers.check_links(root, self.TABLE)

    def test_what_is_included_is_linked(self):
        self.assertEqual(self.complaints("DEPS concord_middle other::library"), [])

    def test_what_another_library_brings_need_not_be_named(self):
        self.assertEqual(self.complaints("DEPS concord_middle", "middle/a.h"), [])

    def test_what_is_left_out_is_named(self):
        self.assertEqual(self.complaints(""), [
            "high/CMakeLists.txt: concord_high: sources include middle/, which DEPS leaves out"])

    def test_what_nothing_includes_is_named(self):
        self.assertEqual(self.complaints("DEPS concord_middle concord_low"), [
            "high/CMakeLists.txt: concord_high: no source includes low/, which DEPS names"])


if __name__ == "__main__":
    unittest.main()
