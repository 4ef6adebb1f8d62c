# SPDX-License-Identifier: Apache-2.0
"""What the planted bugs say of the suites: that a choice finds them and has no case to spare, that
smoke needs its chosen cases, and that coarse arithmetic is found by the tier meant for it.

Run as: grade_test.py path/to/concord path/to/chosen.txt
"""

import collections
import json
import os
import sys
import tempfile
import unittest

import command_harness

CHOSEN = sys.argv[2]
DISCRETE = ["--operation", "Convolution1", "--operation", "Convolution",
            "--operation", "AtrousConv2d"]
# The layers of two networks, for long sums; the plain loops take long for more.
FEW_LAYERS = ["--filter", "[bprs][loaew]*/*"]


def concord(*arguments):
    """Runs concord; gives its exit code and standard output."""
    return command_harness.concord(*arguments, timeout=600)[:2]


def read_choice(path):
    """The chosen cases and the bugs that each is there for."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {words[0].removesuffix(":"): words[1:] for words in lines}


class Score(unittest.TestCase):
    def test_the_recorded_score_is_of_all_planted_bugs(self):
        path = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "score.json")
        with open(path, encoding="utf-8") as file:
            planted = json.load(file)["planted"]
        bugs = len(concord("grade", "--list")[1].splitlines())
        self.assertEqual({suite: planted[suite]["of"] for suite in ("smoke", "full")}, {"smoke": bugs, "full": bugs})
        self.assertLessEqual(planted["smoke"]["found"], planted["full"]["found"])


class Chosen(unittest.TestCase):
    def test_a_choice_finds_what_its_cases_find_twice_and_has_none_to_spare(self):
        few = ["--suite", "full", "--family", "cc g*", "--deadline", 60]
        cases = ["--dtype", "f32", "--filter", "continuous_pairs/*"]
        with tempfile.TemporaryDirectory() as folder:
            path, listed, out = (os.path.join(folder, name) for name in ("c.txt", "l.txt", "o.json"))
            concord("grade", *few, *cases, "--choose", path)
            chosen = read_choice(path)
            self.assertGreater(len(chosen), 4)
            with open(listed, "w", encoding="utf-8") as file:
                file.writelines(f"{case}\n" for case in chosen)
            finds = {}
            for which in ([*cases, "--finds", 2], ["--cases", listed, "--finds", len(chosen)]):
                concord("grade", *few, *which, "--out", out)
                finds[which[0]] = {bug["name"]: set(bug["failed"])
                                   for bug in command_harness.read_json(out)["bugs"]}
        # As often as any cases find it, twice at most.
        needed = {bug: len(found) for bug, found in finds["--dtype"].items()}
        found = finds["--cases"]
        self.assertGreater(sum(count == 2 for count in needed.values()), 10)
        for bug, count in needed.items():
            self.assertGreaterEqual(len(found[bug]), count, bug)
        # By the bugs that each is there for: cases that come after the first eight that find a bug are not known to.
        times = collections.Counter(bug for bugs in chosen.values() for bug in bugs)
        for case, bugs in chosen.items():
            self.assertTrue(any(times[bug] - 1 < needed[bug] for bug in bugs), f"{case} is not needed")

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
        bug = "cntk_auto_pad_of_fourth_axis_mirrored"
        finders = [case for case, bugs in read_choice(CHOSEN).items() if bug in bugs]
        self.assertTrue(finders)
        code, out = concord("grade", "--suite", "smoke", "--bug", bug, "--deadline", 60)
        self.assertEqual((code, out.splitlines()[-1].split(" in ")[0]), (0, "mutation score: 1/1"))
        left_out = [word for case in finders for word in ("--without", case)]
        code, out = concord("grade", "--suite", "smoke", "--operation", "CntkConvolution", "--bug", bug,
                            "--deadline", 60, *left_out)
        self.assertEqual((code, out.splitlines()[-1].split(" in ")[0]), (1, "mutation score: 0/1"))


class GivenBackends(unittest.TestCase):
    """--backend: each is a bug of its own."""

    def grade(self, *arguments, problem="Convolution f32 src=1x4x4x2 weights=3x2x2x4"):
        """Exit code, standard error, and what --out writes."""
        with tempfile.TemporaryDirectory() as folder:
            problems, out = os.path.join(folder, "problems.txt"), os.path.join(folder, "finds.json")
            broken = os.path.join(folder, "broken.so")
            with open(problems, "w", encoding="utf-8") as file:
                file.write(f"small: {problem}\n")
            with open(broken, "w", encoding="utf-8") as file:
                file.write("no library")
            words = [broken if word == "BROKEN" else word for word in arguments]
            code, _, err = command_harness.concord("grade", "--problems", problems, "--out", out,
                                                   "--deadline", 60, *words)
            return code, err, command_harness.read_json(out) if os.path.exists(out) else None

    def test_each_is_graded_and_the_cases_that_fail_are_listed(self):
        code, err, finds = self.grade("--backend", "optimized", "--backend", "faulty:kernel_flip",
                                      "--backend", "BROKEN", "--finds", 2)
        self.assertEqual(code, 1, err)
        self.assertEqual([one["verdict"] for one in finds["bugs"]], ["SURVIVED", "FAIL", "CRASH"])
        self.assertEqual([len(one["failed"]) for one in finds["bugs"]], [0, 2, 0])
        self.assertEqual([one["declined"] for one in finds["bugs"]], [0, 0, 0])
        self.assertEqual(finds["bugs"][1]["place"], next(iter(finds["bugs"][1]["failed"])))

    def test_one_failing_case_is_enough_unless_more_are_asked_for(self):
        code, err, finds = self.grade("--backend", "faulty:kernel_flip")
        self.assertEqual((code, len(finds["bugs"][0]["failed"])), (0, 1), err)

    def test_cases_that_a_backend_declines_are_counted(self):
        code, err, finds = self.grade("--backend", "optimized", "--backend", "eigen",
                                      problem="SpaceToBatch f32 src=2x6x8x3 block_size=2")
        self.assertEqual(code, 1, err)
        self.assertEqual([(one["declined"], one["cases"]) for one in finds["bugs"]],
                         [(0, 2), (2, 2)])

    def test_backends_and_planted_bugs_are_not_graded_together(self):
        code, err, finds = self.grade("--backend", "optimized", "--bug", "kernel_flip")
        self.assertEqual((code, finds), (2, None))
        self.assertIn("--backend", err)


class CoarseArithmetic(unittest.TestCase):
    """Found in smoke where it is not declared; passed where it is."""

    def tiers(self, bug, dtype, operations):
        with tempfile.TemporaryDirectory() as folder:
            results = os.path.join(folder, "results.json")
            code, out = concord("run", "--suite", "smoke", "--dtype", dtype, *operations,
                                "--shrink", 0, "--backend", f"faulty:{bug}", "--deadline", 60,
                                "--out", results)
            self.assertEqual(code, 1, out)
            judged = command_harness.read_json(results)["backends"][0]["results"]
        return {(one["tier"], one["fill"]) for one in judged if one["verdict"] == "FAIL"}

    def check(self, bug, dtype, arithmetic, *meant, operations=DISCRETE + FEW_LAYERS):
        tiers = self.tiers(bug, dtype, operations)
        for tier in meant:
            self.assertIn(tier, tiers, bug)
        code, out = concord("run", "--suite", "smoke", "--dtype", dtype, *operations, "--backend",
                            f"faulty:{bug}", "--deadline", 60, "--class", arithmetic)
        self.assertEqual(code, 0, out)

    def test_stores_that_cut_off(self):
        self.check("store_truncates", "f16", "output_rounding=zero", ("exact", "integers"),
                   operations=["--filter", "[bcprs][loaewn]*/*"])

    def test_products_in_tf32(self):
        self.check("f32_through_tf32", "f32", "input=tf32", ("exact", "impulse"),
                   ("statistical", "uniform"))

    def test_sums_in_bf16(self):
        self.check("accumulates_in_bf16", "bf16", "accumulator=bf16", ("exact", "integers"))


if __name__ == "__main__":
    command_harness.main(own_arguments=2)
