# SPDX-License-Identifier: Apache-2.0
"""Patterns find what was planted, and nothing where nothing was."""

import unittest

from concord_report import patterns, verdict
from tests import sample

CASES = [sample.case(number) for number in range(300)]


def plant(bad):
    return [sample.failed(r) if bad(r) else r for r in CASES]


class Patterns(unittest.TestCase):
    def test_one_planted_trait_is_found_alone(self):
        found = patterns.find(plant(lambda r: "grouped" in r["traits"]))
        self.assertEqual([p.words for p in found], [("grouped",)])
        planted = sum("grouped" in r["traits"] for r in CASES)
        self.assertEqual((found[0].hits, found[0].judged, found[0].of), (planted,) * 3)
        self.assertTrue(found[0].always)

    def test_a_conjunction_of_three_is_found_whole(self):
        found = patterns.find(plant(lambda r: r["operation"] == "Convolution" and r["dtype"] == "f32"
                                    and "bias" in r["traits"]))
        self.assertEqual(set(found[0].words), {"Convolution", "f32", "bias"})

    def test_an_absent_trait_is_found(self):
        without = [r for r in CASES if "bias" not in r["traits"]]
        mostly_with = [r for r in CASES if r not in without[::2]]
        found = patterns.find([r if "bias" in r["traits"] else sample.failed(r)
                               for r in mostly_with])
        self.assertEqual([p.words for p in found], [("not bias",)])

    def test_two_planted_bugs_are_both_found(self):
        found = patterns.find(plant(lambda r: "same_upper" in r["traits"] or r["fill"] == "ramp"))
        self.assertEqual({p.words for p in found}, {("same_upper",), ("ramp data",)})

    def test_what_fails_often_but_not_always_is_said_with_both_numbers(self):
        grouped = [r for r in CASES if "grouped" in r["traits"]]
        spared = {r["case"] for r in grouped[::4]}
        found = patterns.find(plant(lambda r: "grouped" in r["traits"] and r["case"] not in spared))
        self.assertEqual(found[0].words, ("grouped",))
        self.assertFalse(found[0].always)
        self.assertEqual((found[0].hits, found[0].judged),
                         (len(grouped) - len(spared), len(grouped)))

    def test_a_pattern_that_always_fails_never_matches_a_passing_case(self):
        results = plant(lambda r: int(r["seed"]) % 7 == 0)
        for pattern in patterns.find(results):
            matching = [r for r in results if all(
                (word[4:] not in patterns.words_of(r)) if word.startswith("not ")
                else word in patterns.words_of(r) for word in pattern.words)]
            self.assertEqual(len(matching), pattern.judged)
            self.assertEqual(sum(r["verdict"] == "FAIL" for r in matching), pattern.hits)

    def test_of_a_backend_that_mostly_fails_the_passing_cases_are_told(self):
        found = patterns.find(plant(lambda r: "strided" not in r["traits"] or r["dtype"] == "f16"))
        self.assertEqual([set(p.words) for p in found][0] & {"strided"}, {"strided"})
        self.assertFalse(found[0].broken)
        for pattern in found:
            self.assertIn("pass", pattern.sentence)

    def test_a_word_of_the_cases_name_is_a_word(self):
        cases = [{**r, "case": f"boundary/{'empty-output' if i % 5 == 0 else 'same-lower'}-{i}/f32"}
                 for i, r in enumerate(CASES)]
        found = patterns.find([sample.failed(r) if "empty" in r["case"] else r for r in cases])
        self.assertEqual([p.words for p in found], [("named empty",)])

    def test_a_common_word_that_fails_as_often_as_everything_is_no_pattern(self):
        found = patterns.find(plant(lambda r: int(r["seed"]) % 100 < 45))
        self.assertEqual([p for p in found if p.hits > 0.45 * p.of], [])

    def test_all_failing_needs_no_words(self):
        self.assertEqual([p.words for p in patterns.find(plant(lambda r: True))], [()])

    def test_nothing_failing_or_a_single_failure_is_no_pattern(self):
        self.assertEqual(patterns.find(CASES), [])
        self.assertEqual(patterns.find(plant(lambda r: r is CASES[3])), [])
        self.assertEqual(patterns.find([]), [])

    def test_a_declined_case_neither_passes_nor_fails(self):
        results = [sample.failed(r) if "grouped" in r["traits"] else
                   sample.became(r, verdict.DECLINED, "no") for r in CASES]
        self.assertEqual([p.words for p in patterns.find(results)], [()])


if __name__ == "__main__":
    unittest.main()
