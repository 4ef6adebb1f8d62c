# SPDX-License-Identifier: Apache-2.0
"""Results grown from a part: real ones are kept, and what is made up is valid and counted."""

import unittest

from concord_report import case_table
from tests import grown, sample


class Grown(unittest.TestCase):
    def setUp(self):
        cases = [sample.case(i) for i in range(90)]
        bad = [sample.failed(c) if i % 9 == 3 else c for i, c in enumerate(cases)]
        self.whole = sample.document(sample.backend("lead", cases))
        self.part = sample.document(sample.backend("lead", cases[::3]), sample.backend("bad", bad[::3]))
        for document, told in (self.whole, cases), (self.part, cases[::3]):
            document["cases"] = case_table.joined_table((c["case"], c["problem"], c["traits"], c["fill"]) for c in told)

    def test_a_case_of_the_part_keeps_its_result_and_every_other_gets_one(self):
        made = grown.grown(self.whole, self.part)
        lead, bad = made["backends"]
        self.assertEqual(lead, self.whole["backends"][0])
        self.assertEqual([r["case"] for r in bad["results"]], [sample.case(i)["case"] for i in range(90)])
        own = {r["case"]: r for r in self.part["backends"][1]["results"]}
        for result in bad["results"]:
            self.assertEqual(result, own.get(result["case"], result))
            self.assertEqual(result["seed"], case_table.case_seed(1, result["case"]))
        self.assertEqual(sum(bad["counts"].values()), 90)
        self.assertGreater(bad["counts"]["FAIL"], len([r for r in own.values() if r["verdict"] == "FAIL"]))


if __name__ == "__main__":
    unittest.main()
