# SPDX-License-Identifier: Apache-2.0
"""Shards merge into what one run would have written; anything else is refused."""

import copy
import json
import unittest

from concord_report import digest, merge, results, verdict
from tests import sample
from tests.test_programs import Program

CASES = [sample.case(i) if i % 4 else sample.failed(sample.case(i)) for i in range(10)]


def shard(number, of, all_cases=None, **run):
    dealt = (CASES if all_cases is None else all_cases)[number - 1::of]
    counts = verdict.count(dealt)
    backend = sample.backend("b:x", dealt, headline=(
        f"b:x: does not conform - {counts['PASS']} passed (smoke, f32, shard {number}/{of}, seed 1)"))
    return sample.document(backend, **{"shard": f"{number}/{of}",
                                       "started": f"2026-01-31T12:00:0{number}Z", **run})


def merged(*documents):
    files = [results.File(f"{i}.json", copy.deepcopy(d)) for i, d in enumerate(documents)]
    return merge.merged(files, ["concord", "merge"])


class Merge(unittest.TestCase):
    def refused(self, *documents):
        with self.assertRaises(results.Refusal) as caught:
            merged(*documents)
        return str(caught.exception)

    def test_a_class_that_fits_one_shards_failures_is_not_said_to_fit_all(self):
        told = [sample.neighbour()]
        first, second = shard(1, 2), shard(2, 2)
        first["backends"][0]["would_conform"] = told
        self.assertEqual(merged(first, second)["backends"][0]["would_conform"], [])
        whole = shard(1, 1)
        whole["backends"][0]["would_conform"] = told
        self.assertEqual(merged(whole)["backends"][0]["would_conform"], told)

    def test_the_shards_in_any_order_are_the_whole_run(self):
        whole = merged(shard(3, 3), shard(1, 3), shard(2, 3))
        self.assertEqual(whole["backends"][0]["results"], CASES)
        self.assertEqual(whole["backends"][0]["counts"], verdict.count(CASES))
        self.assertEqual(whole["backends"][0]["conforms"], "no")
        self.assertEqual(whole["backends"][0]["headline"],
                         "b:x: does not conform - 7 passed, 3 failed, 0 vacuous, 0 declined "
                         "(smoke, f32, seed 1)")
        run = whole["run"]
        self.assertEqual((run["shard"], run["cases"], run["seconds"], run["complete"]),
                         ("1/1", 10, 37.5, True))
        self.assertEqual(run["started"], "2026-01-31T12:00:01Z")

    def test_a_merged_document_is_true_to_the_schema(self):
        document = merged(shard(1, 2), shard(2, 2))
        self.assertEqual(list(results._validator().iter_errors(document)), [])

    def test_one_interrupted_shard_makes_the_whole_interrupted(self):
        document = merged(shard(1, 2), shard(2, 2, complete=False, cases=9))
        self.assertFalse(document["run"]["complete"])
        self.assertIn("4 not run", document["backends"][0]["headline"])

    def test_the_least_confined_shard_and_all_libraries_are_those_of_the_whole(self):
        one, other = shard(1, 2), shard(2, 2)
        other["backends"][0] |= {"sandbox": {"level": "seccomp", "lack": "new namespaces: Operation not permitted"},
                                 "shipped": ["optimized"], "libraries": [{"path": "/lib/libm.so.6", "sha256": 64 * "e"}]}
        for whole in (merged(one, other)["backends"][0], merged(other, one)["backends"][0]):
            self.assertEqual(whole["sandbox"]["level"], "seccomp")
            self.assertEqual([each["sha256"] for each in whole["libraries"]], [f"{7:064x}", 64 * "e"])
            self.assertIn("0 declined, runs Concord's own backend optimized, sandbox: seccomp (smoke", whole["headline"])

    def test_a_shard_that_could_not_load_the_backend_says_nothing_of_its_sandbox(self):
        one, other = shard(1, 2), shard(2, 2)
        other["backends"][0] |= {"sandbox": {"level": "unknown", "lack": None}, "error": "no such file", "results": []}
        for whole in (merged(one, other)["backends"][0], merged(other, one)["backends"][0]):
            self.assertEqual(whole["sandbox"]["level"], "namespaces+seccomp")
        one["backends"][0] |= other["backends"][0]
        whole = merged(one, other)["backends"][0]
        self.assertEqual(whole["sandbox"]["level"], "unknown")
        self.assertNotIn("sandbox", whole["headline"])

    def test_the_digest_of_the_cases_is_that_of_all_shards(self):
        whole = merged(shard(1, 1))
        self.assertEqual(merged(shard(1, 2), shard(2, 2))["run"]["cases_sha256"], whole["run"]["cases_sha256"])
        self.assertEqual(whole["run"]["cases_sha256"],
                         digest.of_cases((case["case"], case["problem"]) for case in CASES))

    def test_cases_judged_normwise_are_counted_in_the_headline(self):
        cases = [dict(sample.case(i), **{"class": "algorithm=bilinear" if i else "strict"})
                 for i in range(3)]
        headline = merged(shard(1, 2, cases), shard(2, 2, cases))["backends"][0]["headline"]
        self.assertIn("0 declined, 2 judged normwise (smoke", headline)

    def test_lowered_cases_are_counted_over_all_shards(self):
        cases = [dict(sample.case(i), lowered="Convolution f32" if i else None) for i in range(3)]
        whole = merged(shard(1, 2, cases), shard(2, 2, cases))["backends"][0]
        self.assertEqual(whole["lowered"], 2)
        self.assertIn("0 declined, 2 judged lowered (smoke", whole["headline"])

    def test_a_shard_that_declines_everything_does_not_hide_that_others_pass(self):
        cases = [sample.case(1), sample.became(sample.case(2), "DECLINED", "no")]
        whole = merged(shard(1, 2, cases), shard(2, 2, cases))["backends"][0]
        self.assertEqual(whole["conforms"], "served")
        self.assertIn("conforms as f32 inputs, f32 sums in what it serves: Convolution1 in f32 "
                      "(1 judged); not served: AtrousConv2d - 1 passed", whole["headline"])

    def test_shards_of_a_part_of_a_suite_say_no_more_than_that_nothing_fails(self):
        cases = [sample.case(1), sample.case(2)]
        parts = [shard(number, 2, cases, narrowed=True) for number in (1, 2)]
        whole = merged(*parts)["backends"][0]
        self.assertEqual(whole["conforms"], "selected")
        self.assertIn("no failure as f32 inputs, f32 sums among the 2 selected cases - 2 passed",
                      whole["headline"])

    def test_shards_whose_cases_could_not_have_failed_have_no_verdict(self):
        blunt = sample.case(2, resolution=.3)
        whole = merged(shard(1, 2, [sample.case(1), blunt]), shard(2, 2, [sample.case(1), blunt]))
        self.assertEqual(whole["backends"][0]["conforms"], "unknown")
        self.assertIn("no verdict: no passed case of AtrousConv2d in f32 would have exposed an error "
                      "of 25 % - 2 passed", whole["backends"][0]["headline"])
        coarse = {**blunt, "operation": sample.case(1)["operation"], "class": "accumulator=bf16"}
        whole = merged(shard(1, 2, [sample.case(1), coarse]), shard(2, 2, [sample.case(1), coarse]))
        self.assertIn("no verdict: no passed case of Convolution1 in f32 as accumulator=bf16 would have "
                      "exposed an error of 25 % - 2 passed", whole["backends"][0]["headline"])
        vacuous = sample.became(sample.case(2), "VACUOUS", "the case accepts zeros")
        whole = merged(shard(1, 2, [sample.case(1), vacuous]),
                       shard(2, 2, [sample.case(1), vacuous]))
        self.assertIn("no verdict: 1 of the 2 cases that it serves could not have failed - ",
                      whole["backends"][0]["headline"])

    def test_a_shard_that_could_not_load_the_backend_leaves_it_unknown(self):
        good = shard(1, 2, [sample.case(1)])
        bad = shard(2, 2, [sample.case(1)])
        bad["backends"][0].update(error="no such file", name="", version="", conforms="unknown")
        backend = merged(bad | {"run": {**bad["run"], "shard": "1/2"}},
                         good | {"run": {**good["run"], "shard": "2/2"}})["backends"][0]
        self.assertEqual((backend["conforms"], backend["error"]), ("unknown", "no such file"))
        self.assertEqual(backend["version"], "1.2.3")

    def test_of_several_machines_all_names_stand_and_the_features_that_they_share(self):
        parts = [shard(number, 2, machine={"cpu": cpu, "features": features, "cores": number, "system": "Linux"})
                 for number, cpu, features in ((1, "A", ["amx_bf16", "avx2", "fma"]), (2, "B", ["avx2", "fma"]))]
        self.assertEqual(merged(*parts)["run"]["machine"],
                         {"cpu": "A; B", "features": ["avx2", "fma"], "cores": 2, "system": "Linux"})

    def test_a_missing_shard_is_named(self):
        self.assertIn("2/3 is missing", self.refused(shard(1, 3), shard(3, 3)))

    def test_the_same_shard_twice_is_refused(self):
        self.assertIn("already in 0.json", self.refused(shard(1, 2), shard(1, 2)))

    def test_shards_of_different_numbers_are_refused(self):
        self.assertIn("does not belong", self.refused(shard(1, 2), shard(2, 3)))
        self.assertIn("does not belong", self.refused(shard(1, 2), shard(2, 2, shard="3/2")))

    def test_a_case_in_two_shards_is_refused_by_name(self):
        said = self.refused(shard(1, 2), shard(2, 2, CASES[1:]))
        self.assertIn("is also in 0.json", said)
        self.assertIn(CASES[2]["case"], said)

    def test_different_runs_are_refused(self):
        for change in ({"suite": "full"}, {"seed": 2}, {"reading": "documented"},
                       {"filter": "unet/*"}, {"threads": 7}):
            self.assertIn(f"run.{next(iter(change))}", self.refused(shard(1, 2), shard(2, 2, **change)))

    def test_different_backends_are_refused(self):
        for key, value in (("backend", "c"), ("version", "2"), ("config", "y"), ("class", "tf32")):
            other = shard(2, 2)
            other["backends"][0][key] = value
            self.assertIn("backend", self.refused(shard(1, 2), other))

    def test_a_bias_that_no_shard_shows_shows_in_all_of_them(self):
        # A drift of 0.06 a result: 17 standard deviations in 80,000 of them, 24 in 160,000.
        sums = {"products": 9, "elements": 40000, "squares": 4000, "by_scale": 1e-12,
                "biased": 40000, "drift": 2400, "growth": 0, "channels": 0, "channel_squares": 1e6,
                "growth_squares": 0, "shared": 0}
        cases = [sample.case(9 * i + 3, fill="uniform", dtype="f32", errors=sums) for i in range(4)]
        parts = [shard(1, 2, cases), shard(2, 2, cases)]
        for part in parts:
            self.assertEqual(part["backends"][0]["conforms"], "yes")
        whole = merged(*parts)["backends"][0]
        self.assertEqual(whole["conforms"], "no")
        self.assertIn("2 pooled statistics failed", whole["headline"])
        self.assertEqual([pool["passed"] for pool in whole["statistics"]], [False, False])
        self.assertEqual(whole["statistics"][1]["products"], [9, 9])

    def test_a_different_choice_of_cases_is_refused(self):
        other = shard(2, 2)
        other["backends"][0]["headline"] = other["backends"][0]["headline"].replace("f32", "f16")
        self.assertIn("choice of cases", self.refused(shard(1, 2), other))

    def test_a_filter_with_parentheses_and_commas_stays_in_the_headline(self):
        shards = [shard(1, 2), shard(2, 2)]
        for number, document in enumerate(shards, 1):
            document["backends"][0]["headline"] = (
                f"b:x: does not conform - 1 passed (smoke, f32, filter (a, shard 1/2), shard {number}/2, seed 1)")
        self.assertTrue(merged(*shards)["backends"][0]["headline"].endswith(
            " (smoke, f32, filter (a, shard 1/2), seed 1)"))

    def test_different_builds_of_a_backend_are_refused_and_both_named(self):
        other = shard(2, 2)
        other["backends"][0]["files"][0]["sha256"] = "f" * 64
        said = self.refused(shard(1, 2), other)
        self.assertIn(f"1.json: the build of backend b:x is 'b.so SHA-256 {'f' * 64}', but "
                      f"'b.so SHA-256 {1:064x}' in 0.json", said)

    def test_the_same_build_in_another_folder_is_the_same(self):
        other = shard(2, 2)
        other["backends"][0]["files"][0]["path"] = "/elsewhere/b.so"
        self.assertEqual(merged(shard(1, 2), other)["run"]["shard"], "1/1")

    def test_different_commits_of_concord_are_refused(self):
        other = shard(2, 2)
        other["concord"]["build"] = "feed"
        self.assertIn("the commit of Concord is 'feed', but '0123abcd' in 0.json",
                      self.refused(shard(1, 2), other))

    def test_different_versions_of_concord_are_refused(self):
        other = shard(2, 2)
        other["concord"]["version"] = "0.2.0"
        self.assertIn("version of Concord", self.refused(shard(1, 2), other))


class Script(Program):
    SCRIPT = "merge.py"

    def test_what_it_writes_is_let_in_again(self):
        one, two = self.write("1.json", shard(1, 2)), self.write("2.json", shard(2, 2))
        self.run_script(one, two, "-o", "all.json")
        self.assertEqual(len(results.load(self.folder / "all.json").document["backends"][0]["results"]),
                         len(CASES))
        self.assertEqual(json.loads(self.run_script(one, two)[0])["run"]["shard"], "1/1")

    def test_a_refusal_is_one_sentence_and_exit_code_2(self):
        _, said = self.run_script(self.write("1.json", shard(1, 2)), "-o", "all.json", code=2)
        self.assertEqual(said.count("\n"), 1)
        self.assertFalse((self.folder / "all.json").exists())


class Numbers(Program):
    """Only finite numbers are read, and only JSON is written."""

    SCRIPT = "merge.py"

    def text(self, name, document, old, new):
        text = json.dumps(document)
        self.assertIn(old, text)
        (self.folder / name).write_text(text.replace(old, new, 1))

    def test_a_number_that_no_double_holds_is_refused(self):
        other = self.write("2.json", shard(2, 2))
        for word in ("Infinity", "-Infinity", "NaN", "1e999", "-1e999", "1" + "0" * 400):
            self.text("1.json", shard(1, 2), '"seconds": 12.5', f'"seconds": {word}')
            _, said = self.run_script("1.json", other, "-o", "all.json", code=2)
            self.assertIn("1.json: not JSON: ", said)
            self.assertIn(word[:9], said)
            self.assertFalse((self.folder / "all.json").exists())

    def test_a_sum_that_is_not_finite_is_a_word_and_is_read_again(self):
        sums = {"products": 9, "elements": 4, "squares": 1e308, "by_scale": 1e-12, "biased": 4,
                "drift": 0, "growth": 0, "channels": 0, "channel_squares": 0, "growth_squares": 0,
                "shared": 0}
        cases = [sample.case(9 * i + 3, fill="uniform", dtype="f32", errors=sums) for i in range(4)]
        parts = [shard(number, 4, cases) for number in range(1, 5)]
        paths = [self.write(f"{i}.json", part) for i, part in enumerate(parts)]
        self.run_script(*paths, "-o", "all.json")
        text = (self.folder / "all.json").read_text()
        self.assertNotIn("Infinity", text)
        whole = results.load(self.folder / "all.json").document["backends"][0]
        self.assertEqual(whole["statistics"][0]["mean_square"], "inf")
        self.assertFalse(whole["statistics"][0]["passed"])

    def test_where_the_schema_has_no_word_for_it_the_sum_is_refused(self):
        paths = [self.write(f"{i}.json", shard(i, 2, seconds=1e308)) for i in (1, 2)]
        _, said = self.run_script(*paths, "-o", "all.json", code=2)
        self.assertIn("run.seconds", said)
        self.assertFalse((self.folder / "all.json").exists())


del Program  # its tests are the subclasses'

if __name__ == "__main__":
    unittest.main()
