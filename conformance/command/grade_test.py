# SPDX-License-Identifier: Apache-2.0
"""What the planted bugs say of the suites: that smoke's chosen cases are those that the command
chooses, that smoke needs them, and that coarse arithmetic is found by the tier meant for it.

Run as: grade_test.py path/to/concord path/to/chosen.txt
"""

import collections
import os
import sys
import tempfile
import unittest

import command_harness

CHOSEN = sys.argv[2]
DISCRETE = ["--operation", "Convolution1", "--operation", "Convolution",
            "--operation", "AtrousConv2d"]


def concord(*arguments):
    """Runs concord; gives its exit code and standard output."""
    return command_harness.concord(*arguments, timeout=600)[:2]


def read_choice(path):
    """The chosen cases and the bugs that each is there for."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {words[0].removesuffix(":"): words[1:] for words in lines}


class Chosen(unittest.TestCase):
    def test_what_is_committed_is_what_the_command_chooses(self):
        with tempfile.TemporaryDirectory() as folder:
            again = os.path.join(folder, "chosen.txt")
            # They find the bugs of their own layer alone, so they can be chosen apart.
            code, out = concord("grade", "--suite", "full", "--family", "cc*", "--filter",
                                "continuous/*", "--deadline", 60, "--choose", again)
            self.assertEqual(code, 0, out)
            committed = {case: bugs for case, bugs in read_choice(CHOSEN).items()
                         if case.startswith("continuous/")}
            self.assertGreater(len(committed), 4)
            self.assertEqual(list(read_choice(again).items()), list(committed.items()))

    def test_no_case_is_chosen_for_what_chance_finds(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "chosen.txt")
            code, out = concord("grade", "--suite", "full", "--filter", "[tb]*/*", "--bug",
                                "race_at_tile_edge", "--bug", "blocks_nan_swallowed",
                                "--deadline", 60, "--choose", path)
            self.assertEqual(code, 0, out)
            finds = {bug for bugs in read_choice(path).values() for bug in bugs}
        self.assertEqual(finds, {"blocks_nan_swallowed"})

    def test_every_bug_is_found_twice_or_by_one_case_alone(self):
        finds = collections.Counter(bug for bugs in read_choice(CHOSEN).values() for bug in bugs)
        self.assertGreater(len(finds), 200)
        rare = {bug for bug, count in finds.items() if count < 2}
        self.assertLess(len(rare), 10, rare)

    def test_smoke_loses_a_bug_without_the_cases_chosen_for_it(self):
        bug = "blocks_nan_swallowed"
        finders = [case for case, bugs in read_choice(CHOSEN).items() if bug in bugs]
        self.assertTrue(finders)
        code, out = concord("grade", "--suite", "smoke", "--bug", bug, "--deadline", 60)
        self.assertEqual((code, out.splitlines()[-1].split(" in ")[0]), (0, "mutation score: 1/1"))
        left_out = [word for case in finders for word in ("--without", case)]
        code, out = concord("grade", "--suite", "smoke", "--operation", "SpaceToBatch",
                            "--operation", "BatchToSpace", "--bug", bug, "--deadline", 60,
                            *left_out)
        self.assertEqual((code, out.splitlines()[-1].split(" in ")[0]), (1, "mutation score: 0/1"))


class CoarseArithmetic(unittest.TestCase):
    """Found in smoke where it is not declared; passed where it is."""

    def tiers(self, bug, dtype, operations):
        with tempfile.TemporaryDirectory() as folder:
            results = os.path.join(folder, "results.json")
            code, out = concord("run", "--suite", "smoke", "--dtype", dtype, *operations,
                                "--backend", f"faulty:{bug}", "--deadline", 60,
                                "--out", results)
            self.assertEqual(code, 1, out)
            judged = command_harness.read_json(results)["backends"][0]["results"]
        return {(one["tier"], one["fill"]) for one in judged if one["verdict"] == "FAIL"}

    def check(self, bug, dtype, arithmetic, *meant, operations=DISCRETE):
        tiers = self.tiers(bug, dtype, operations)
        for tier in meant:
            self.assertIn(tier, tiers, bug)
        code, out = concord("run", "--suite", "smoke", "--dtype", dtype, *operations, "--backend",
                            f"faulty:{bug}", "--deadline", 60, "--class", arithmetic)
        self.assertEqual(code, 0, out)

    def test_stores_that_cut_off(self):
        for dtype in "bf16", "f16":
            with self.subTest(dtype=dtype):
                self.check("store_truncates", dtype, "output_rounding=zero", ("exact", "integers"),
                           operations=())

    def test_products_in_tf32(self):
        self.check("f32_through_tf32", "f32", "input=tf32", ("exact", "impulse"),
                   ("statistical", "uniform"))

    def test_sums_in_bf16(self):
        self.check("accumulates_in_bf16", "bf16", "accumulator=bf16", ("exact", "integers"))


if __name__ == "__main__":
    command_harness.main(own_arguments=2)
