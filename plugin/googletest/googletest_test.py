# SPDX-License-Identifier: Apache-2.0
"""googletest_test.py PROGRAM CONCORD: each case is a test of GoogleTest, with its filter and shards."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, CONCORD = map(os.path.abspath, (sys.argv.pop(1), sys.argv.pop(1)))
FEW = "--gtest_filter=*boundary/same_upper_i4_k3_s2/f32/*"


def run(*arguments, **variables):
    done = subprocess.run([PROGRAM, f"--concord={CONCORD}", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, **variables}, timeout=240)
    return done.returncode, done.stdout, done.stderr


def states_of(*arguments, **variables):
    """By the test's name: run and passed, failed, or skipped; and the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tests.xml")
        code, out, err = run(*arguments, f"--gtest_output=xml:{path}", **variables)
        if not os.path.exists(path):
            raise AssertionError(out + err)
        cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
        return code, {each.get("name"): "failed" if each.find("failure") is not None else
                      "skipped" if each.get("result") == "skipped" else "passed"
                      for each in cases if each.get("status") == "run"}


class GoogleTest(unittest.TestCase):
    def test_every_case_of_the_suite_is_a_test(self):
        listed = run("--backend=reference", "--gtest_list_tests")[1].splitlines()
        self.assertEqual(listed[0], "smoke.")
        ids = subprocess.run([CONCORD, "list"], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(len(listed) - 1, len(ids))
        self.assertIn("# GetParam() = Convolution", "".join(listed))

    def test_right_results_pass_wrong_ones_fail_and_what_is_declined_is_skipped(self):
        code, states = states_of("--backend=reference", FEW)
        self.assertEqual((code, set(states.values())), (0, {"passed"}))
        self.assertGreater(len(states), 2)
        code, states = states_of("--backend=faulty:kernel_flip", "--gtest_filter=*pairs/00*/f32/integers*")
        self.assertEqual(code, 1)
        self.assertIn("failed", states.values())
        code, states = states_of("--backend=onednn", "--gtest_filter=*cntk/layer_auto/f32/*")
        self.assertEqual((code, set(states.values())), (0, {"skipped"}))

    def test_a_failure_says_what_is_wrong_and_how_to_replay_it(self):
        _, out, _ = run("--backend=faulty:kernel_flip", "--gtest_filter=*pairs/00*/f32/integers*")
        for text in (r"FAIL: \d+ of \d+ elements? (is|are) wrong", r"problem  Convolution", r"element  \[.*\]: got .*, want .*, accepted",
                     r"replay   concord replay --backend faulty:kernel_flip"):
            self.assertRegex(out, text)

    def test_shards_share_the_cases_out(self):
        few = "--gtest_filter=*boundary/same_*/f32/integers*"
        _, whole = states_of("--backend=reference", few)
        parts = [states_of("--backend=reference", few, GTEST_TOTAL_SHARDS="2", GTEST_SHARD_INDEX=index)[1]
                 for index in "01"]
        self.assertEqual(set(parts[0]) & set(parts[1]), set())
        self.assertEqual(parts[0] | parts[1], whole)
        self.assertTrue(parts[0] and parts[1])

    def test_options_of_the_run_reach_it(self):
        few = "--gtest_filter=*cntk/layer_auto/f32/integers*"
        _, states = states_of("--backend=onednn", "--run=--lower", few)
        self.assertEqual(set(states.values()), {"passed"})

    def test_a_backend_that_cannot_be_loaded_fails_and_wrong_arguments_are_named(self):
        code, out, _ = run("--backend=./none.so", FEW)
        self.assertEqual(code, 1)
        self.assertIn("none.so", out)
        for arguments, named in ((["--wibble=1", "--backend=reference"], "--wibble"), ([], "--backend="),
                                 (["--backend=reference", "--suite=wibble"], "wibble")):
            code, _, err = run(*arguments)
            self.assertEqual(code, 2)
            self.assertIn(named, err)


if __name__ == "__main__":
    unittest.main()
