# SPDX-License-Identifier: Apache-2.0
"""Counts, scores and their intervals."""

import unittest

import summary


def mutant(state, source="a", **found):
    return {"id": "1", "source": source, "state": state, "file": "x.cpp", "line": 3, "column": 4,
            "function": "f", "kind": "store", "what": "store dropped",
            "suites": {suite: {"found": one} for suite, one in found.items()}}


class Counts(unittest.TestCase):
    MUTANTS = [mutant("judged", smoke=True), mutant("judged", smoke=False, full=True),
               mutant("judged", full=True), mutant("judged", smoke=False, full=False),
               mutant("same"), mutant("unreached"), mutant("unreached"), mutant("invalid", "b")]

    def test_a_suite_has_what_those_before_it_found(self):
        counts = summary.count(self.MUTANTS, ["smoke", "full"])
        self.assertEqual((counts["mutants"], counts["judged"], counts["survived"]), (8, 4, 1))
        self.assertEqual((counts["same"], counts["unreached"], counts["invalid"]), (1, 2, 1))
        self.assertEqual((counts["smoke"]["found"], counts["full"]["found"]), (1, 3))

    def test_a_suite_that_has_not_judged_every_survivor_has_no_score(self):
        counts = summary.count([*self.MUTANTS, mutant("judged", smoke=False)], ["smoke", "full"])
        self.assertEqual((counts["smoke"]["waiting"], counts["full"]["waiting"]), (0, 1))
        self.assertEqual(summary.score_text(counts["full"], 5), "1 not judged yet")

    def test_mutants_that_serve_less_are_counted_apart_unless_a_suite_finds_them(self):
        declining = [mutant("judged", smoke=False), mutant("judged", smoke=False, full=True)]
        for one in declining:
            one["suites"]["smoke"]["declines"] = 3
        counts = summary.count([*self.MUTANTS, *declining], ["smoke", "full"])
        self.assertEqual((counts["judged"], counts["survived"], counts["serves less"]), (5, 1, 1))
        self.assertEqual(summary.markdown(declining, ["smoke"]).count("x.cpp:3:4"), 0)

    def test_the_interval_is_wilsons(self):
        low, high = summary.wilson(90, 100)
        self.assertAlmostEqual(low, 82.56, places=2)
        self.assertAlmostEqual(high, 94.48, places=2)
        self.assertEqual(summary.wilson(0, 0), (0, 100))
        self.assertAlmostEqual(summary.wilson(10, 10)[1], 100)

    def test_the_table_has_a_row_per_source_and_lists_survivors(self):
        text = summary.markdown(self.MUTANTS, ["smoke", "full"])
        self.assertIn("| a | 7 | 0 | 1 | 0 | 2 | 0 | 4 | 1 | 3 | 1 | 25.0 % (4.6 to 69.9) |", text)
        self.assertIn("| b | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | - | - |", text)
        self.assertEqual(text.count("x.cpp:3:4 `f`: store, store dropped"), 1)


if __name__ == "__main__":
    unittest.main()
