# SPDX-License-Identifier: Apache-2.0
"""Mutants of the template, judged by a few problems: what becomes of each kind of mutant.

Run as: mutate_test.py path/to/build
"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import mutate
import summary

BUILD = pathlib.Path(sys.argv[1]).resolve()
TEMPLATE = "plugin/template/template.c"
ONE_GROUP = "plain: Convolution f32 src=1x4x5x2 weights=3x2x2x4 bias=4"
TWO_GROUPS = "grouped: Convolution f32 src=1x4x5x4 weights=3x2x2x4 groups=2"
GROUP = "const int64_t group = oc / (p->oc / p->groups);"
SAME = "for (int axis = 0; axis < rank; ++axis) {"  # rank is 4 or 1: whether 0 counts is never asked
NEWER = "if (has_newer_attributes(a)) {"
AUTO_PAD = "const int64_t rest = i % stride == 0 ? stride : i % stride;"


def line_of(text):
    """FILE:LINE of the only line of the template that has `text`."""
    lines = (mutate.ROOT / TEMPLATE).read_text().split("\n")
    found = [number for number, line in enumerate(lines, 1) if text in line]
    assert len(found) == 1, (text, found)
    return f"{TEMPLATE}:{found[0]}"


class Mutants(unittest.TestCase):
    def run_tool(self, arguments):
        """Runs mutate.py quietly."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(mutate.main(arguments), 0)

    def mutants(self, text, *problems, count=100):
        """The mutants of one line of the template, judged by `problems`."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "problems.txt")
            file.write_text("\n".join(problems) + "\n")
            out = pathlib.Path(folder, "out")
            arguments = ["--source", "template", "--build", BUILD, "--problems", file, "--only",
                         line_of(text), "--count", count, "--batch", 8, "--out", out]
            arguments = list(map(str, arguments))
            self.run_tool(arguments)
            self.assertIn("| template |", (out / "results.md").read_text())
            return json.loads((out / "results.json").read_text())["mutants"]

    def test_a_bug_of_groups_survives_without_groups_and_is_found_with_them(self):
        survivors = {}
        for problems in (ONE_GROUP,), (ONE_GROUP, TWO_GROUPS):
            found = {one["what"]: one for one in self.mutants(GROUP, *problems)
                     if one["state"] == "judged"}
            survivors[problems] = {what for what, one in found.items()
                                   if not one["suites"]["problems"]["found"]}
            crash = found["sdiv: operands exchanged"]["suites"]["problems"]
            self.assertEqual(crash["verdict"], "CRASH", crash)  # divides by oc, which begins at 0
            self.assertTrue(crash["failed"])
        # What divides by the number of channels, not of those in a group, or by one more; and one
        # channel less: the same in one group.
        self.assertEqual(survivors[(ONE_GROUP,)],
                         {"sdiv: only operand 1", "sdiv: dividend +1", "sdiv: dividend -1"})
        # Of so many channels that the groups divide them one more makes no difference.
        self.assertEqual(survivors[(ONE_GROUP, TWO_GROUPS)], {"sdiv: dividend +1"})

    def test_mutants_of_the_same_code_are_not_judged(self):
        states = {one["what"]: one["state"] for one in self.mutants(SAME, ONE_GROUP)}
        self.assertEqual(states["icmp: sgt -> sge"], "same")
        self.assertEqual(states["icmp sgt: 0 -> 1"], "judged")
        self.assertIn("repeated", states.values())  # the condition negated, the branches swapped

    def test_mutants_that_no_problem_executes_are_not_judged(self):
        found = self.mutants(AUTO_PAD, ONE_GROUP)
        self.assertTrue(found)
        self.assertEqual({one["state"] for one in found}, {"unreached"})

    def test_mutants_that_decline_what_the_template_serves_are_counted_apart(self):
        found = [one for one in self.mutants(NEWER, ONE_GROUP) if one["state"] == "judged"]
        serve_less = {one["what"] for one in found if summary.serves_less(one)}
        self.assertIn("branches swapped", serve_less)
        self.assertEqual({one["suites"]["problems"]["declines"] for one in found
                          if summary.serves_less(one)}, {2})

    def test_a_run_continues_and_refuses_a_journal_of_another(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "problems.txt")
            file.write_text(ONE_GROUP + "\n")
            journal = pathlib.Path(folder, "template/mutants.jsonl")
            arguments = ["--source", "template", "--build", str(BUILD), "--problems", str(file),
                         "--only", line_of(GROUP), "--out", folder, "--batch", "1"]
            for count in range(1, 4):
                self.run_tool([*arguments, "--count", str(count)])
                records = [json.loads(line) for line in journal.read_text().splitlines()]
                self.assertEqual(sum(one["state"] == "judged" for one in records), count)
                self.assertEqual(len({one["id"] for one in records}), len(records))
            with self.assertRaisesRegex(SystemExit, "choose another --out"):
                self.run_tool([*arguments, "--count", "4", "--seed", "2"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
