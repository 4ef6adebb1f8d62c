#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants includes in a tree of its own and asks check_layers.py what it sees."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import check_layers

TABLE = pathlib.Path(__file__).with_name("layers.txt")


def judge(files):
    """The exit code of the check over a tree that holds `files`, a dict of path to text."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            return check_layers.main(["check_layers.py", root, str(TABLE)])


class CheckLayers(unittest.TestCase):
    ALLOWED = {
        "reference/a.cpp": '#include "spec/problem.h"\n',
        "reference/b.cpp": '#include "reference/a.h"\n#include <vector>\n',
        "conformance/catalog/a.cpp": '#include "conformance/case.h"\n',
        "conformance/b.cpp": '#include "plugin/concord_plugin.h"\n#include <sys/mman.h>\n',
        "backends/optimized/a.cpp": '#include "optimized/engine.h"\n',
        "backends/mine/a.cpp": '#include "backends/adapter/adapter.h"\n',
        "backends/mine/b.cpp": '#include "backends/mine/b.h"\n',
        "backends/eigen/a.cpp": "#include <unsupported/Eigen/CXX11/Tensor>\n",
        "spec/a.cpp": "#include <Eigen/Core>\n",
        "fuzz/a.cpp": '#include "optimized/a.h"\n#include "reference/a.h"\n#include <rapidcheck.h>\n',
        "plugin/template.c": '#include "concord_plugin.h"\n',
    }
    FORBIDDEN = {
        "reference/a.cpp": '#include "optimized/engine.h"\n',
        "optimized/kernels/a.cpp": '// first\n#  include "reference/reference.h"\n',
        "conformance/a.cpp": '#include "optimized/engine.h"\n',
        "conformance/catalog/a.h": '#include "backends/adapter/adapter.h"\n',
        "backends/reference/a.cpp": '#include "optimized/engine.h"\n',
        "backends/optimized/a.cpp": '#include "reference/reference.h"\n',
        "backends/onednn/a.cpp": '#include "backends/xnnpack/a.h"\n',
        "backends/adapter/a.cpp": '#include "conformance/case.h"\n',
        "backends/mine/a.cpp": "#include <dnnl.hpp>\n",
        "spec/a.cpp": "#include <Eigen/Dense>\n",
        "spec/b.cpp": '#include "reference/reference.h"\n',
        "reference/c.cpp": "#include <Eigen/Core>\n",
        "reference/d.cpp": '#include "local.h"\n',
        "spec/c.cpp": '#include "nowhere/a.h"\n',
        "stray/a.cpp": "int a;\n",
        "reports/a.cpp": "int a;\n",
        "plugin/a.c": '#include "spec/problem.h"\n',
    }

    def test_the_arrows_of_the_table_pass(self):
        self.assertEqual(judge(self.ALLOWED), 0)

    def test_every_other_arrow_fails(self):
        for name, text in self.FORBIDDEN.items():
            with self.subTest(name=name):
                self.assertEqual(judge({name: text}), 1)

    def test_a_header_in_a_build_folder_is_not_ours(self):
        self.assertEqual(judge({"build/a.cpp": '#include "nowhere/a.h"\n'}), 0)


if __name__ == "__main__":
    unittest.main()
