# SPDX-License-Identifier: Apache-2.0
"""Brief results: the same as results in full to whoever reads them, and refused if they contradict
themselves.
"""

import copy
import json
import pathlib
import re
import tempfile
import unittest

from concord_report import case_list, case_table, diff, digest, merge, page, report, results, verdict
from tests import sample

FULL = sample.rich(60)
BRIEF = sample.in_brief(FULL)


def file(document, path="r.json"):
    return results.File(path, copy.deepcopy(document))


def without_absent(result):
    return {key: value for key, value in result.items() if key not in case_table.ABSENT}


class Reading(unittest.TestCase):
    def test_brief_results_are_those_in_full_in_the_same_order(self):
        for full, brief in zip(file(FULL).document["backends"], file(BRIEF).document["backends"]):
            self.assertEqual(list(map(without_absent, brief["results"])),
                             list(map(without_absent, full["results"])))

    def test_failures_stay_in_full(self):
        for backend in BRIEF["backends"]:
            for result in backend["results"]:
                self.assertNotIn(result["verdict"], (verdict.PASS, verdict.DECLINED))
        self.assertTrue(any(backend["results"] for backend in BRIEF["backends"]))
        self.assertTrue(all(backend["brief"]["cases"] for backend in BRIEF["backends"][:4]))

    def test_the_seed_is_the_one_that_concord_run_uses(self):
        self.assertEqual(case_table.case_seed(1, "deeplab_v3/block4_reduce_first/f32/integers"),
                         "6769449156770353401")
        # Of windows, three in four have the two executions alone: the low 16 bits are 0x4116.
        for case, seed in (("tuples_2d/explicit-300-ncx/f32/integers", "6313321609657598230"),
                           ("tuples_2d/explicit-302-ncx/f32/integers", "2877528913089778544")):
            self.assertEqual(case_table.case_seed(1, case), seed)

    def test_every_field_of_the_schema_is_there(self):
        schema = json.loads(results.SCHEMA.read_text())
        self.assertEqual(set(schema["$defs"]["result"]["required"]), set(case_table.FIELDS))
        row = file(BRIEF).document["backends"][0]["results"][0]
        self.assertEqual(set(row), set(case_table.FIELDS))
        self.assertEqual(results.jsonschema.Draft202012Validator(
            {**schema, "$ref": "#/$defs/result"}).is_valid(dict(row)), False)  # it has no replay

    def test_counts_by_columns_are_those_of_the_rows(self):
        rows = file(BRIEF).document["backends"][3]["results"]
        counted = rows.counted("operation", "traits", "verdict")
        self.assertEqual(sum(counted.values()), len(rows))
        for (operation, traits, word), cases in counted.items():
            self.assertEqual(cases, sum(
                (r["operation"], tuple(r["traits"]), r["verdict"]) == (operation, traits, word)
                for r in rows))
        self.assertEqual(len(rows.those(verdict={verdict.HANG}, dtype={"f32"})),
                         sum(r["verdict"] == verdict.HANG and r["dtype"] == "f32" for r in rows))


class Using(unittest.TestCase):
    def test_a_page_says_the_same(self):
        def rendered(document):
            backends = [dict(backend, results=[dict(r, origin="", note="") for r in backend["results"]])
                        for backend in document["backends"]]
            return page.render(report.Report.of([file(dict(document, backends=backends))], 20))

        list_of_cases = re.compile('(?<=id="packed">)[^<]+')
        self.assertEqual(list_of_cases.sub("", rendered(BRIEF)), list_of_cases.sub("", rendered(FULL)))

    def test_a_list_of_cases_says_the_same(self):
        def listed(document):
            data = case_list.listed(report.Report.of([file(document)], 20))
            for backend in data["backends"]:
                backend["details"] = {place: details for place, details in backend["details"].items()
                                      if data["outcomes"][backend["outcome"][place]][0] in verdict.BROKEN}
                for details in backend["details"].values():
                    details["replay"] = data["replays"][details["replay"]]
            return {name: value for name, value in data.items() if name != "replays"}

        self.assertEqual(listed(BRIEF), listed(FULL))

    def test_the_same_run_told_in_another_way_has_not_changed(self):
        compared = diff.compare(file(FULL), file(BRIEF))
        self.assertEqual(compared.compared, 4 * 60)
        for pair in compared.pairs:
            self.assertEqual((pair.worse, pair.better, pair.other, pair.gone, pair.added),
                             ([], [], [], [], []))

    def test_data_from_another_seed_are_another_case(self):
        one, two = (sample.in_brief(sample.document(sample.backend("a", [sample.case(0, seed)]), seed=seed))
                    for seed in (1, 2))
        with self.assertRaises(results.Refusal):
            diff.compare(file(one), file(two))

    def test_shards_become_one_file(self):
        cases = [sample.failed(sample.case(i)) if i % 7 == 3 else sample.case(i) for i in range(50)]
        whole = sample.in_brief(sample.document(sample.backend("a", cases)))
        shards = [sample.in_brief(sample.document(
            sample.backend("a", cases[number::3]), shard=f"{number + 1}/3")) for number in range(3)]
        together = merge.merged([file(shard, f"{i}.json") for i, shard in enumerate(shards)], [])
        self.assertEqual(together["cases"]["problems"], whole["cases"]["problems"])
        self.assertEqual(together["backends"][0]["counts"], whole["backends"][0]["counts"])
        self.assertEqual(together["backends"][0]["brief"], whole["backends"][0]["brief"])
        self.assertEqual(together["backends"][0]["results"], whole["backends"][0]["results"])
        printed = results.printed(together)
        self.assertEqual(json.loads(printed), digest.sealed(together))


class Refusing(unittest.TestCase):
    def changed(self, change):
        document = copy.deepcopy(BRIEF)
        change(document)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "r.json"
            path.write_text(sample.text(document))
            with self.assertRaises(results.Refusal) as caught:
                results.load(path)
        return str(caught.exception)

    def test_columns_of_different_lengths_are_refused(self):
        for column in ("outcome", "elements", "margin", "resolution", "milliseconds"):
            said = self.changed(lambda d, c=column: d["backends"][1]["brief"][c].pop())
            self.assertIn(f"backends[1].brief.{column}: has 59 entries for 60 cases", said)

    def test_an_entry_of_another_kind_is_refused(self):
        for column, wrong in (("outcome", 99), ("outcome", True), ("elements", -1), ("margin", "big"),
                              ("resolution", []), ("milliseconds", None)):
            def change(document, column=column, wrong=wrong):
                document["backends"][0]["brief"][column][5] = wrong
            self.assertIn(f"backends[0].brief.{column}: has an entry", self.changed(change))

    def test_runs_of_cases_that_do_not_ascend_or_are_not_there_are_refused(self):
        for runs in ([[0, 61]], [[0, 30], [29, 30]], [[0]], ["x"], [[-1, 2]]):
            said = self.changed(lambda d, r=runs: d["backends"][0]["brief"].update(cases=r))
            self.assertIn("backends[0].brief.cases[", said)

    def test_a_problem_of_another_form_is_refused(self):
        for wrong in ([0, "a", [0, 1, 2], 0, [99]], [0, "a", [0, 1], 0, [0]], [0, "", [0, 1, 2], 0, [0]], "a",
                      [0, "a", [0, 1, 2], 0], [0, "a", [0, 1, 9999], 0, [0]], [0, "a", [0, 1, 2], 999, [0]],
                      [9999, "a", [0, 1, 2], 0, [0]]):
            def change(document, wrong=wrong):
                document["cases"]["problems"][3] = wrong
            self.assertIn("cases.problems[3]: is not [kept, rest", self.changed(change))

    def test_words_and_trait_sets_of_another_kind_are_refused(self):
        self.assertIn("cases.words: has an entry", self.changed(lambda d: d["cases"]["words"].append(3)))
        self.assertIn("cases.trait_sets[", self.changed(lambda d: d["cases"]["trait_sets"].append([999])))

    def test_a_name_keeps_no_more_than_the_one_before_has(self):
        table = case_table.joined_table([("a/é1/f32/wide", "Convolution f32 src=1", [], "wide"),
                                         ("a/é2/f32/wide", "Convolution f32 src=1", [], "wide")])
        self.assertEqual([row[:2] for row in table["problems"]], [[0, "a/é1"], [2, "é2"]])
        self.assertEqual(case_table.CaseTable(table, 1).columns["case"], ["a/é1/f32/wide", "a/é2/f32/wide"])

    def test_a_missing_table_is_refused_by_the_schema(self):
        self.assertIn("'brief' is a required", self.changed(lambda d: d["backends"][0].pop("brief")))
        self.assertIn("cases", self.changed(lambda d: d.pop("cases")))
        self.assertIn("brief.margin", self.changed(lambda d: d["backends"][0]["brief"].update(margin=7)))

    def test_an_outcome_that_failed_has_no_place_there(self):
        said = self.changed(lambda d: d["backends"][0]["brief"]["outcomes"][0].update(verdict="FAIL"))
        self.assertIn("backends[0].brief.outcomes[0].verdict", said)

    def test_counts_that_do_not_match_are_refused(self):
        self.assertIn("counts.PASS", self.changed(lambda d: d["backends"][0]["counts"].update(PASS=1)))

    def test_a_case_that_is_brief_and_in_full_is_refused(self):
        def twice(document):
            backend = document["backends"][0]
            backend["results"].append(dict(FULL["backends"][0]["results"][0]))
            backend["counts"]["PASS"] += 1
        self.assertIn("twice", self.changed(twice))

    def test_an_older_file_is_refused_and_its_version_named(self):
        said = self.changed(lambda d: d.update(schema="concord-results-1"))
        self.assertIn("written by an older Concord, as concord-results-1: this one reads concord-results-2",
                      said)


if __name__ == "__main__":
    unittest.main()
