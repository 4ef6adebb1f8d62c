# SPDX-License-Identifier: Apache-2.0
"""The first screen and the tables of operations and dtypes: every sentence from results made for it."""

import collections
import json
import unittest

from concord_report import overview, page, score, speed
from concord_report.sections import operations
from tests import reader, sample
from tests.test_page import VERDICTS, made, numbers_in


def row_of(*cases, **changes):
    return overview.rows(made(sample.document(sample.backend("b", list(cases), **changes))))[0]


class Findings(unittest.TestCase):
    def test_the_gravest_kind_is_told_first_and_the_others_counted(self):
        cases = [sample.case(i) for i in range(9)]
        crash = sample.became(cases[0], "CRASH", "SIGSEGV in execute", tier="process")
        row = row_of(crash, sample.failed(cases[1]), sample.failed(cases[2]), *cases[3:])
        self.assertEqual(row.finding, f"Crashes in 1 of 9 judged cases, such as {crash['operation']} in "
                                      f"{crash['dtype']}: SIGSEGV in execute; also failed 2")
        self.assertEqual(row.case, crash["case"])
        wrong = row_of(sample.failed(cases[1]), *cases[2:])
        self.assertTrue(wrong.finding.startswith("Fails in 1 of 8 judged cases"))

    def test_a_diagnosis_takes_the_place_of_an_example(self):
        row = row_of(sample.failed(sample.case(0)), sample.case(1), diagnosis=sample.diagnosis())
        self.assertEqual(row.finding, f"Fails in 1 of 2 judged cases; {sample.diagnosis()['sentence']}")

    def test_where_nothing_fails_the_case_nearest_to_its_bound_is_named(self):
        cases = [dict(sample.case(i), tier="interval", margin=m) for i, m in enumerate((.25, .75, .5))]
        row = row_of(*cases, dict(sample.case(3), tier="exact", margin=1))
        self.assertIn("0.75 of what is allowed", row.finding)
        self.assertEqual(row.case, cases[1]["case"])
        self.assertEqual(row_of(dict(sample.case(3), tier="exact", margin=1)).finding,
                         "No failure; every judged result is exact or the nearest value")

    def test_errors_that_show_only_together_are_a_finding(self):
        pool = dict(sample.statistics_of([dict(sample.case(27), errors=sample.case(27)["errors"])])[0],
                    passed=False)
        row = row_of(sample.case(0), statistics=[pool], conforms="no")
        self.assertEqual(row.finding, "The errors of all cases together are too large or biased: "
                         + pool["dtype"])

    def test_no_verdict_says_why(self):
        document = sample.document(sample.backend("b", [sample.case(0)], conforms="unknown"), cases=7)
        self.assertEqual(overview.rows(made(document))[0].finding, "Not all cases were run")
        row = row_of(error="it cannot be loaded", conforms="unknown")
        self.assertEqual((row.finding, row.scope, row.unserved),
                         ("it cannot be loaded", "nothing", "nothing was asked"))


class Suite(unittest.TestCase):
    def test_the_score_of_a_whole_suite_is_told_and_of_a_part_it_is_not(self):
        cases = [sample.case(i) for i in range(9)]
        scores = json.loads(score.SCORE.read_text(encoding="utf-8"))
        row = row_of(*cases)
        (planted, mutants) = row.suite[-2:]
        self.assertEqual(planted, "finds {found} of {of} planted bugs".format(**scores["planted"]["smoke"]))
        self.assertEqual(mutants, "finds {found} of {of} machine-made bugs".format(**scores["mutants"]["smoke"]))
        part = sample.document(sample.backend("b", cases), narrowed=True)
        self.assertEqual(overview.rows(made(part))[0].suite[0], "smoke, all 9 selected cases")
        self.assertEqual(row.suite[0], "smoke, all 9 cases")
        self.assertNotIn("finds", " ".join(overview.rows(made(part))[0].suite))
        self.assertEqual(score.of_suite("golden"), [])


class Speed(unittest.TestCase):
    def report_with(self, names, document):
        report = made(sample.document(*(sample.backend(name, [sample.case(0)]) for name in names)))
        report.speed = document if document is None else speed.said_of(document)
        return report

    def test_speeds_are_geometric_means_relative_to_the_engine(self):
        # By hand: the engine's rates are 1 and 4 Gflop/s, onednn takes half and twice its time.
        layer = lambda flops, ratio: {"flops_valid": flops, "competitors": [
            {"name": "concord", "seconds": [1.0]}, {"name": "onednn", "seconds": [ratio], "ratio": [ratio] * 3}]}
        bench = {"layers": [layer(1e9, 0.5), layer(4e9, 2)], "threads": 1, "dtype": "f32", "data_format": "NCX", "batch": 1, "packed": True}
        report = self.report_with(["optimized", "onednn:x", "./lib/eigen.so"], bench)
        engine, onednn, eigen = (row.speed for row in overview.rows(report))
        self.assertTrue(engine.startswith("2 Gflop/s over 2 layers (f32, NCX, batch 1, 1 thread"), engine)
        self.assertTrue(onednn.startswith("1.00 of the speed of optimized over 2 layers"), onednn)
        self.assertEqual(eigen, "not measured")
        self.assertIn("Speed", [head.text for head in reader.read(page.render(report)).one("table", css="overview").all("th")])

    def test_without_speeds_there_is_no_column(self):
        root = reader.read(page.render(self.report_with(["onednn"], None)))
        self.assertNotIn("Speed", [head.text for head in root.one("table", css="overview").all("th")])


class Scope(unittest.TestCase):
    def test_what_is_served_and_what_is_not_is_named_by_operation_and_dtype(self):
        cases = []
        for i in range(90):
            case = sample.case(i)
            no = case["dtype"] == "bf16" or case["operation"] == "AtrousConv2d" or (
                (case["operation"], case["dtype"]) == ("Convolution1", "f16"))
            cases.append(sample.became(case, "DECLINED", "no") if no else case)
        row = row_of(*cases)
        declined = sum(case["verdict"] == "DECLINED" for case in cases)
        self.assertEqual(row.scope, "Convolution1 in f32; Convolution in f32, f16")
        self.assertEqual(row.unserved, f"AtrousConv2d; bf16; Convolution1 in f16; {declined} cases declined")
        self.assertEqual(row_of(sample.case(0)).unserved, "nothing was declined")

    def test_an_operation_and_a_dtype_of_a_later_version_are_shown(self):
        later = [dict(sample.case(i), operation="OctonionConvolution", dtype="f8") for i in range(3)]
        data = operations.build(made(sample.document(sample.backend("b", [sample.case(0), *later]))))
        self.assertEqual(data["operations"][-1], "OctonionConvolution")
        self.assertEqual(data["dtypes"][-1], "f8")
        self.assertEqual(row_of(*later).scope, "OctonionConvolution in f8")

    def test_pairs_of_levels_are_never_rounded_up_to_all(self):
        covering = {"pairs": 1999, "all_pairs": 2000, "triples": 1, "all_triples": 9, "strength": 2}
        self.assertIn("99.9 % of pairs of levels", row_of(sample.case(0), covering=covering).suite)


class Cells(unittest.TestCase):
    def test_every_cell_counts_its_cases_and_what_was_not_asked_is_told(self):
        document = sample.rich(400)
        for backend in document["backends"]:
            backend["results"] = [r for r in backend["results"]
                                  if (r["operation"], r["dtype"]) != ("Convolution1", "f16")]
        root = reader.read(page.render(made(document)))
        section = next(s for s in root.all("section") if s.attributes["id"] == "operations")
        tables = list(section.all("table", css="served"))
        self.assertEqual(len(tables), 4)  # ./libvendor.so has no results
        for backend, table in zip(document["backends"], tables):
            head, *rows = list(table.all("tr"))
            dtypes = [th.text for th in head.all("th")][1:]
            self.assertEqual(dtypes, ["f32", "f16", "bf16"])
            for row in rows:
                for dtype, cell in zip(dtypes, row.all("td")):
                    counted = collections.Counter(
                        r["verdict"] for r in backend["results"]
                        if (r["operation"], r["dtype"]) == (row.one("th").text, dtype))
                    if not counted:
                        self.assertEqual(cell.text, "not asked")
                        continue
                    self.assertEqual({VERDICTS[n]: c for n, c in numbers_in(cell).items()}, dict(counted))
                    self.assertEqual("bad" in cell.classes, any(
                        counted[w] for w in ("FAIL", "CRASH", "HANG", "CLAIM_BROKEN")))


if __name__ == "__main__":
    unittest.main()
