# SPDX-License-Identifier: Apache-2.0
"""What the tests of the concord command share: they are run as NAME_test.py path/to/concord."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

REPORTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reports")
sys.path.insert(0, REPORTS)
from concord_report import results  # noqa: E402

CONCORD = os.path.abspath(sys.argv[1])
LINE = ("Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 "
        "pads_end=0,3 dilations=2,2 groups=2 data_format=NCX weights_format=OIX")


def concord(*arguments, timeout=120):
    """Runs concord; gives its exit code, standard output and standard error."""
    done = subprocess.run([CONCORD, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def read_json(path):
    """What a file of JSON holds; the brief results of a results.json are among the others."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if isinstance(document, dict) and document.get("schema") == results.VERSION:
        document = results.File(path, document).document
        for backend in document["backends"]:
            backend["results"] = [dict(result) for result in backend["results"]]
    return document


class RunTest(unittest.TestCase):
    """Tests of what a run writes."""

    def run_to_file(self, *arguments):
        """Runs the cases; gives exit code, standard output and error, and the results."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            junit = os.path.join(folder, "junit.xml")
            code, out, err = concord("run", "--out", path, "--junit", junit, *arguments)
            results = read_json(path)
            with open(junit, encoding="utf-8") as file:
                self.assertIn("<testsuites", file.read())
            return code, out, err, results


def main(own_arguments=1):
    """Runs the tests of the program; behind its own arguments may come Class.test..."""
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[1 + own_arguments:]])
