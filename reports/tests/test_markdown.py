# SPDX-License-Identifier: Apache-2.0
"""The Markdown: the same numbers, short, and safe to paste."""

import collections
import unittest

from concord_report import markdown, report, results
from tests import sample


def made(document):
    return markdown.render(report.Report.of([results.File("r.json", document)], 20))


class Markdown(unittest.TestCase):
    def setUp(self):
        self.document = sample.rich(500)
        self.lines = made(self.document).splitlines()

    def rows(self):
        table = [line for line in self.lines if line.startswith("|")]
        head = [cell.strip() for cell in table[0].strip("|").split("|")]
        return [dict(zip(head, (cell.strip() for cell in row.strip("|").split("|"))))
                for row in table[2:]]

    def test_verdicts_are_counted_again_and_declined_stands_apart(self):
        rows = self.rows()
        self.assertEqual(len(rows), 5)
        for row, backend in zip(rows, self.document["backends"]):
            counted = collections.Counter(r["verdict"] for r in backend["results"])
            self.assertEqual(int(row["passed"]), counted["PASS"])
            self.assertEqual(int(row["failed"]), counted["FAIL"])
            self.assertEqual(int(row["declined"]), counted["DECLINED"])
            self.assertEqual(int(row["crashed"]), counted["CRASH"])
        self.assertEqual(rows[1]["passed of judged"], "100 %")
        self.assertEqual(rows[4]["passed of judged"], "–")

    def test_failures_show_diagnosis_smallest_problem_and_replay(self):
        text = "\n".join(self.lines)
        self.assertIn("- **fails whenever groups &gt; 1: 2 of 2; never otherwise: 0 of 7**", text)
        self.assertIn("got 12.5, want 10, accepted from 10.0 to 10.0", text)
        self.assertIn("`concord replay --backend sample", text)

    def test_what_is_left_out_is_counted(self):
        failed = sum(r["verdict"] == "FAIL" for r in self.document["backends"][2]["results"])
        start = next(i for i, line in enumerate(self.lines) if f"{failed} failures" in line)
        counts = []
        for line in self.lines[start + 1:]:
            if line.startswith("###"):
                break
            if line.startswith("**"):
                counts.append(int(line.partition("**: ")[2].split()[0]))
            if line.startswith("and "):
                counts.append(int(line.split()[1]))
        self.assertEqual(sum(counts), failed)

    def test_hostile_text_stays_text(self):
        attack = "a|b`c``d\n# <img src=x> *bold* [x](y)"
        case = sample.failed({**sample.case(1), "problem": attack, "traits": [attack]},
                             reason=attack)
        text = made(sample.document(sample.backend(attack, [case])))
        self.assertNotIn("\n# ", text)
        self.assertIn(r"a\|b\`c\`\`d\\n# &lt;img src=x&gt; \*bold\* \[x\](y)", text)
        self.assertIn("```a|b`c``d\\n# <img src=x> *bold* [x](y)```", text)
        row = next(line for line in text.splitlines() if line.startswith("| ```"))
        self.assertEqual(row.replace("\\|", "").count("|"), 7)


if __name__ == "__main__":
    unittest.main()
