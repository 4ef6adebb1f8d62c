# SPDX-License-Identifier: Apache-2.0
"""What counts as worse, and that nothing is lost between two files."""

import copy
import itertools
import unittest

from concord_report import diff, diff_text, results, verdict
from tests import sample
from tests.test_programs import Program

CASES = [sample.case(i) for i in range(12)]


def with_verdict(case, word):
    return sample.failed(case) if word == "FAIL" else (
        case if word == "PASS" else sample.became(case, word, f"it {word.lower()}"))


def document(cases, spec="b", **changes):
    return sample.document(sample.backend(spec, cases, **changes))


def compared(old, new):
    return diff.compare(results.File("old.json", old), results.File("new.json", new))


class Verdicts(unittest.TestCase):
    def test_each_change_of_a_verdict_is_worse_better_or_other(self):
        """Worked by hand: P passes, B is one of the broken, N is none of both."""
        expected = {("P", "B"): "worse", ("P", "N"): "worse", ("N", "B"): "worse",
                    ("B", "P"): "better", ("N", "P"): "better", ("B", "N"): "better",
                    ("B", "B"): "other", ("N", "N"): "other"}

        def kind(word):
            return "P" if word == "PASS" else "B" if word in verdict.BROKEN else "N"

        for before, after in itertools.permutations(verdict.WORDS, 2):
            pair = compared(document([CASES[0], with_verdict(CASES[1], before)]),
                            document([CASES[0], with_verdict(CASES[1], after)])).pairs[0]
            counts = {name: len(getattr(pair, name)) for name in ("worse", "better", "other")}
            want = dict.fromkeys(counts, 0) | {expected[kind(before), kind(after)]: 1}
            self.assertEqual(counts, want, (before, after))

    def test_another_build_of_the_backend_is_told(self):
        other = document(CASES)
        other["backends"][0]["files"][0]["sha256"] = "f" * 64
        for new, told in ((other, True), (document(CASES), False)):
            said = diff_text.render(compared(document(CASES), new), 5, diff_text.Plain)
            self.assertEqual("A different build of the backend" in said, told)

    def test_passed_and_now_declined_is_worse(self):
        comparison = compared(document(CASES), document(
            [with_verdict(CASES[0], "DECLINED")] + CASES[1:]))
        self.assertTrue(comparison.worse(allow_missing=True))

    def test_the_same_run_twice_is_not_worse(self):
        comparison = compared(document(CASES), document(copy.deepcopy(CASES)))
        self.assertFalse(comparison.worse(allow_missing=False))
        self.assertEqual(comparison.compared, len(CASES))

    def test_a_case_that_passed_and_is_gone_is_worse_unless_allowed(self):
        comparison = compared(document(CASES), document(CASES[:-2]))
        self.assertEqual(len(comparison.pairs[0].gone), 2)
        self.assertTrue(comparison.worse(allow_missing=False))
        self.assertFalse(comparison.worse(allow_missing=True))

    def test_a_case_that_failed_and_is_gone_is_not_worse(self):
        old = CASES[:-1] + [sample.failed(CASES[-1])]
        self.assertFalse(compared(document(old), document(CASES[:-1])).worse(False))

    def test_the_same_id_with_other_data_is_gone_and_added(self):
        new = CASES[:-1] + [{**CASES[-1], "seed": "3"}]
        pair = compared(document(CASES), document(new)).pairs[0]
        self.assertEqual((pair.compared, len(pair.gone), len(pair.added)), (11, 1, 1))

    def test_files_without_a_common_case_cannot_be_compared(self):
        with self.assertRaises(results.Refusal):
            compared(document(CASES[:5]), document(CASES[5:]))


class Arithmetic(unittest.TestCase):
    def test_only_margins_that_grew_by_the_same_class_are_listed_the_worst_first(self):
        old = [{**r, "margin": 0.5} for r in CASES]
        new = copy.deepcopy(old)
        new[1]["margin"], new[2]["margin"], new[3]["margin"] = 0.6, 0.9, 0.4
        new[4].update({"margin": 0.8, "class": "tf32"})
        pair = compared(document(old), document(new)).pairs[0]
        self.assertEqual([c.new["margin"] for c in pair.margins], [0.9, 0.6])
        self.assertEqual(sum(pair.classes.values()), 1)

    def test_another_kernel_is_told_but_not_worse(self):
        new = [{**CASES[0], "implementation": "jit"}] + CASES[1:]
        comparison = compared(document(CASES), document(new))
        self.assertEqual(dict(comparison.pairs[0].kernels), {("", "jit"): 1})
        self.assertFalse(comparison.worse(False))


class Pairing(unittest.TestCase):
    def pairs(self, olds, news):
        made = [sample.document(*(sample.backend(spec, CASES) for spec in specs))
                for specs in (olds, news)]
        comparison = compared(*made)
        return ([(p.old.label, p.new.label) for p in comparison.pairs],
                [b.label for b in comparison.only_old], [b.label for b in comparison.only_new])

    def test_backends_are_paired_by_what_the_user_wrote(self):
        self.assertEqual(self.pairs(["a", "b"], ["b", "a"]), ([("a", "a"), ("b", "b")], [], []))

    def test_then_by_the_name_of_the_plugin(self):
        self.assertEqual(self.pairs(["a:1", "b"], ["a:2", "c"])[0], [("a:1", "a:2"), ("b", "c")])

    def test_one_on_each_side_is_a_pair_whatever_the_names(self):
        self.assertEqual(self.pairs(["v1"], ["v2"])[0], [("v1", "v2")])

    def test_a_backend_that_left_is_worse_and_named(self):
        self.assertEqual(self.pairs(["a", "b"], ["a"]), ([("a", "a")], ["b"], []))
        comparison = compared(sample.document(sample.backend("a", CASES), sample.backend("b", CASES)),
                              document(CASES, "a"))
        self.assertTrue(comparison.worse(False))
        self.assertFalse(comparison.worse(True))


class Text(unittest.TestCase):
    def setUp(self):
        new = [sample.failed(r, reason="a|b <i>\x1b[31m") for r in CASES[:5]] + CASES[5:]
        self.comparison = compared(document(CASES), document(new, version="1.3"))

    def test_it_says_how_many_and_which_and_counts_what_it_leaves_out(self):
        said = diff_text.render(self.comparison, 2, diff_text.Plain)
        for words in ("b (1.2.3 -> 1.3)", "12 cases compared: 5 worse, 0 better", "Worse (5):",
                      "PASS -> FAIL", "and 3 more"):
            self.assertIn(words, said)
        self.assertNotIn("\x1b", said)

    def test_markdown_is_escaped(self):
        said = diff_text.render(self.comparison, 2, diff_text.Markdown)
        self.assertIn(r"a\|b &lt;i&gt;\\x1b\[31m", said)


class Script(Program):
    SCRIPT = "diff.py"

    def test_exit_codes(self):
        old = self.write("old.json", document(CASES))
        same = self.write("same.json", document(CASES))
        worse = self.write("worse.json", document([sample.failed(CASES[0])] + CASES[1:]))
        fewer = self.write("fewer.json", document(CASES[1:]))
        self.run_script(old, same)
        self.run_script(worse, old)
        self.assertIn("1 worse", self.run_script(old, worse, code=1)[0])
        self.run_script(old, fewer, code=1)
        self.run_script(old, fewer, "--allow-missing")
        self.run_script(old, "absent.json", code=2)
        self.run_script(old, same, "-o", "absent/diff.txt", code=2)
        self.run_script(old, worse, "-o", "diff.md", "--format", "md", code=1)
        self.assertIn("### `b`", (self.folder / "diff.md").read_text("utf-8"))


del Program  # its tests are the subclasses'

if __name__ == "__main__":
    unittest.main()
