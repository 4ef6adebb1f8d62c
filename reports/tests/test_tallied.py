# SPDX-License-Identifier: Apache-2.0
"""Results that are only counted: they count wherever the listed ones do."""

import hashlib
import json
import pathlib
import tempfile
import unittest

from concord_report import merge, report, results, service, statement, verdict
from tests import sample


def tally(family="every_1d", operation="Convolution", dtype="f32", passed=0, failed=0, **changes):
    counts = {**dict.fromkeys(verdict.WORDS, 0), verdict.PASS: passed, verdict.FAIL: failed}
    return {"family": family, "operation": operation, "dtype": dtype, "counts": counts, "refused": 0, "lowered": 0,
            "elements": 7 * passed, "wrong": failed, "sharp": passed, "resolution": 0.125,
            "classes": {"strict": passed}, "sharp_classes": ["strict"] * (passed > 0), **changes}


def backend(cases, tallied, **changes):
    made = sample.backend("eigen", cases, tallied=tallied, **changes)
    for each in tallied:
        for word, count in each["counts"].items():
            made["counts"][word] += count
    return made


class Tallied(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def load(self, document, name="results.json"):
        path = self.folder / name
        path.write_text(sample.text(document), encoding="utf-8")
        return results.load(path)

    def test_the_counts_of_a_file_are_of_listed_and_counted_results(self):
        cases = [sample.case(number) for number in range(3)]
        document = sample.document(backend(cases, [tally(passed=100)]), cases=103)
        self.assertEqual(results.backends_of([self.load(document)])[0].done, 103)
        document["backends"][0]["counts"][verdict.PASS] -= 1
        with self.assertRaisesRegex(results.Refusal, "counts.PASS is 102, but 103"):
            self.load(document)

    def test_a_backend_with_counted_failures_cannot_claim_to_conform(self):
        cases = [sample.case(number) for number in range(3)]
        document = sample.document(backend(cases, [tally(passed=5, failed=1)], conforms="yes"), cases=9)
        with self.assertRaisesRegex(results.Refusal, "claims to conform"):
            self.load(document)

    def test_a_report_counts_them_and_says_so(self):
        cases = [sample.case(number) for number in range(3)]
        made = report.Report.of([self.load(sample.document(backend(cases, [tally(passed=100)]), cases=103))], 10)
        self.assertEqual(made.tallies["eigen"][verdict.PASS], 103)
        self.assertIn("eigen: 3 of 103 results are listed, the others only counted.", made.notices())
        self.assertFalse([each for each in made.notices() if "have a result" in each])
        data = dict((module.NAME, data) for module, data in made.sections())["operations"]
        self.assertGreaterEqual(data["backends"][0][1]["Convolution", "f32"][verdict.PASS], 100)

    def test_shards_add_them_up(self):
        files = []
        for number in 1, 2:
            cases = [sample.case(number)]
            document = sample.document(backend(cases, [tally(passed=10 * number), tally(family=f"f{number}", passed=1)],
                                               headline="eigen: says (exhaustive, all dtypes, seed 1)"),
                                       suite="exhaustive", shard=f"{number}/2", cases=2 + 10 * number)
            files.append(self.load(document, f"{number}.json"))
        document = merge.merged(files, ["concord", "merge"])
        lines = "".join(file.run["cases_sha256"] + "\n" for file in files)
        self.assertEqual(document["run"]["cases_sha256"], hashlib.sha256(lines.encode()).hexdigest())
        merged = document["backends"][0]
        self.assertEqual([each["counts"][verdict.PASS] for each in merged["tallied"]], [30, 1, 1])
        self.assertEqual(merged["counts"][verdict.PASS], 34)
        self.assertEqual(merged["conforms"], "yes")
        self.assertEqual(merged["tallied"][0]["classes"], {"strict": 30})
        self.assertNotIn("not run", merged["headline"])

    def test_only_tiers_of_values_show_sharpness(self):
        for tier, sharp in (("exact", 1), ("interval", 1), ("statistical", 1), ("special", 0), ("side_effects", 0), (None, 0)):
            case = dict(sample.case(0), tier=tier, resolution=0.125)
            part, = service.of([case])
            self.assertEqual(part["sharp"], sharp, tier)

    def test_what_is_served_includes_what_is_only_counted(self):
        found = service.of([], [tally(passed=3, refused=1), tally(dtype="bf16", passed=2, refused=2)])
        self.assertEqual([(part["dtype"], part["judged"], part["sharp"]) for part in found], [("f32", 2, 3)])

    def test_a_statement_is_not_made_of_them(self):
        file = self.load(sample.document(backend([sample.case(1)], [tally(passed=1)]), cases=2))
        with self.assertRaisesRegex(results.Refusal, "only counts most"):
            statement.choose(file, None)


if __name__ == "__main__":
    unittest.main()
