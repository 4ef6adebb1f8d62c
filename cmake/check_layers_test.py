#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants includes, tables and CMake files in trees of its own and asks check_layers.py what it sees."""

import collections
import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

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
        return check_layers.check(check_layers.read_includes(root),
                                  check_layers.Layers(TABLE.read_text(encoding="utf-8")))


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
        "backends/optimized/b.cpp": '#include "optimized/convolution.h"\n',
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
            return check_layers.check_table(check_layers.read_includes(root),
                                            check_layers.Layers(table))

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

    def complaints(self, deps, *includes):
        header = "".join(f'#include "{include}"\n' for include in includes or ("middle/a.h",))
        files = {"low/CMakeLists.txt": "concord_library(low SOURCES a.cpp)\n",
                 "middle/CMakeLists.txt": "concord_library(middle SOURCES a.cpp DEPS concord_low)\n",
                 "middle/a.cpp": '#include "low/a.h"\n',
                 "high/CMakeLists.txt": f"concord_library(\n  high SOURCES b.cpp\n  {deps})\n",
                 "high/b.cpp": '#include "high/b.h"\n', "high/b.h": header}
        with tree(files) as root:
            return check_layers.check_links(root, check_layers.read_includes(root), self.TABLE)

    def test_what_is_included_is_linked(self):
        self.assertEqual(self.complaints("DEPS concord_middle other::library"), [])

    def test_what_another_library_brings_need_not_be_named(self):
        self.assertEqual(self.complaints("DEPS concord_middle", "middle/a.h", "low/a.h"), [])

    def test_what_is_left_out_is_named(self):
        self.assertEqual(self.complaints(""), [
            "high/CMakeLists.txt: concord_high: sources include middle/, which DEPS leaves out"])

    def test_what_nothing_includes_is_named(self):
        self.assertEqual(self.complaints("DEPS concord_middle concord_low"), [
            "high/CMakeLists.txt: concord_high: no source includes low/, which DEPS names"])


class Main(unittest.TestCase):
    """The exit code, and the line that says why: a good tree, and the same one with one flaw."""
    GOOD = {
        "cmake/layers.txt": "libraries: fmt tbb\nlow: <fmt>\nhigh: low\n",
        "low/CMakeLists.txt": "concord_library(low SOURCES a.cpp DEPS fmt::fmt)\n",
        "low/a.cpp": "#include <fmt/core.h>\n#include <vector>\n",
        "high/CMakeLists.txt": "concord_library(high SOURCES a.cpp DEPS concord_low)\n",
        "high/a.cpp": '#include "low/a.h"\n',
    }
    USAGE, RED, GREEN = 2, 1, 0

    def run_main(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()):
            return check_layers.main(["check_layers.py", *map(str, arguments)]), out.getvalue()

    def judge(self, flaw):
        """Exit code and output for the good tree with the files of `flaw` in place of its own."""
        with tree(self.GOOD | flaw) as root:
            return self.run_main(root)

    def assert_red(self, flaw, complaint):
        code, out = self.judge(flaw)
        self.assertEqual(code, self.RED, out)
        self.assertIn(complaint + "\n", out)

    def test_a_good_tree_is_green(self):
        self.assertEqual(self.judge({}), (self.GREEN, "layers: 2 files, 0 complaints\n"))

    def test_a_cycle_is_red(self):
        self.assert_red(
            {"cmake/layers.txt": "libraries: fmt tbb\nlow: high <fmt>\nhigh: low\n",
             "low/b.cpp": '#include "high/a.h"\n'},
            "layers.txt: a cycle: low -> high -> low")

    def test_an_include_of_a_layer_that_is_not_allowed_is_red(self):
        self.assert_red({"low/b.cpp": '// first\n#include "high/a.h"\n'},
                        "low/b.cpp:2: high/a.h: low/ may not reach high/")

    def test_an_include_of_a_library_that_is_not_allowed_is_red(self):
        self.assert_red({"low/b.cpp": "#include <tbb/parallel_for.h>\n"},
                        "low/b.cpp:1: tbb/parallel_for.h: low/ may not use the library tbb")

    def test_a_library_that_only_a_lower_layer_may_use_is_red(self):
        self.assert_red({"high/b.cpp": "#include <fmt/core.h>\n"},
                        "high/b.cpp:1: fmt/core.h: high/ may not use the library fmt")

    def test_an_allowed_layer_that_nothing_includes_is_red(self):
        self.assert_red({"high/a.cpp": "int a;\n"}, "layers.txt: high: nothing includes low")

    def test_deps_that_leave_out_an_included_layer_are_red(self):
        self.assert_red({"high/CMakeLists.txt": "concord_library(high SOURCES a.cpp)\n"},
                        "high/CMakeLists.txt: concord_high: sources include low/, "
                        "which DEPS leaves out")

    def test_deps_that_name_a_layer_which_no_source_includes_are_red(self):
        self.assert_red({"high/a.cpp": "int a;\n", "high/a_test.cpp": '#include "low/a.h"\n'},
                        "high/CMakeLists.txt: concord_high: no source includes low/, "
                        "which DEPS names")

    def test_wrong_arguments_are_another_exit_code(self):
        self.assertEqual(self.run_main()[0], self.USAGE)

    def test_each_file_is_read_once(self):
        reads = collections.Counter()
        read_text = pathlib.Path.read_text

        def count(path, **arguments):
            reads[path.name] += 1
            return read_text(path, **arguments)

        files = {"cmake/layers.txt": "one:\n",
                 "one/CMakeLists.txt": "concord_library(one SOURCES a.cpp)\n",
                 "one/a.cpp": '#include "one/b.h"\n', "one/b.h": "int b;\n"}
        with tree(files) as root, mock.patch.object(pathlib.Path, "read_text", count):
            self.assertEqual(self.run_main(root)[0], self.GREEN)
        self.assertEqual(reads, {"layers.txt": 1, "CMakeLists.txt": 1, "a.cpp": 1, "b.h": 1})


if __name__ == "__main__":
    unittest.main()
