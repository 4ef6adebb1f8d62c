# SPDX-License-Identifier: Apache-2.0
"""That no case of a part of smoke fails on a legal variant, that each is listed in docs/suites.md, and
that those of another class than strict are wrong as strict. Usage: legal_test.py CONCORD PLUGIN SUITES"""

import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

CONCORD, PLUGIN, SUITES = sys.argv[1:4]
PART = "1/24"
OF_A_CLASS = ("toward_zero", "up_and_down", "compensated_toward_zero", "flushed", "tf32", "bf16", "bf16x3", "bias_after_store",
              "zero_weights_skipped")


def names():
    catalogue = ctypes.CDLL(PLUGIN).concord_legal_catalogue
    catalogue.restype = ctypes.c_char_p
    return [line.split("\t")[0] for line in catalogue().decode().splitlines()]


def judge(variants, *options):
    """What results.json says of each variant."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "results.json")
        command = [CONCORD, "run", "--suite", "smoke", "--shard", PART, "--shrink", "0", "--out", path, *options]
        for name in variants:
            command += ["--backend", f"legal:{name}"]
        subprocess.run(command, check=False, capture_output=True, text=True)
        backends = json.loads(path.read_text(encoding="utf-8"))["backends"]
    return {backend["config"]: backend for backend in backends}


class Legal(unittest.TestCase):
    def test_no_case_fails(self):
        judged = judge(names())
        self.assertEqual(sorted(judged), sorted(names()))
        for name, backend in judged.items():
            self.assertEqual(backend["conforms"], "selected", backend["headline"])
            self.assertGreater(backend["counts"]["PASS"], 200, name)

    def test_what_is_of_a_class_is_wrong_as_strict(self):
        for name, backend in judge(OF_A_CLASS, "--class", "strict").items():
            self.assertGreater(backend["counts"]["FAIL"], 0, name)

    def test_each_is_listed(self):
        page = pathlib.Path(SUITES).read_text(encoding="utf-8")
        for name in names():
            self.assertIn(f"| `{name}` |", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
