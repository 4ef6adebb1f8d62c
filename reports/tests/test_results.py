# SPDX-License-Identifier: Apache-2.0
"""Reading results: what is let in, and in which words the rest is refused."""

import copy
import json
import pathlib
import tempfile
import unittest

import jsonschema

from concord_report import digest, results
from tests import sample

SAMPLE = pathlib.Path(__file__).parent / "sample.json"


class Reading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.good = sample.rich(60)

    def file(self, content, name="r.json"):
        path = self.folder / name
        if isinstance(content, dict):
            content = sample.text(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def refusal(self, path):
        with self.assertRaises(results.Refusal) as caught:
            results.load(path)
        sentence = str(caught.exception)
        self.assertIn(str(path), sentence)
        self.assertNotIn("\n", sentence)
        return sentence

    def changed(self, change):
        document = copy.deepcopy(self.good)
        change(document)
        return self.refusal(self.file(document))

    def test_a_map_of_a_failure_that_does_not_fit_together_is_refused(self):
        def change(document):
            broken = next(result for backend in document["backends"] for result in backend["results"] if result["failure"])
            broken["failure"]["where"]["axes"] = [7]

        self.assertIn("failure.where: axes are [7], and dst has 4", self.changed(change))

    def test_the_schema_itself_is_valid(self):
        jsonschema.Draft202012Validator.check_schema(json.loads(results.SCHEMA.read_text()))

    def test_the_sample_written_by_hand_and_made_up_ones_are_let_in(self):
        results.load(SAMPLE)
        self.assertEqual(results.load(self.file(self.good)).document, digest.sealed(self.good))

    def test_every_object_of_the_schema_is_closed_and_requires_all_it_names(self):
        def objects(node):
            if isinstance(node, dict):
                if "properties" in node:
                    yield node
                for value in node.values():
                    yield from objects(value)

        found = list(objects(json.loads(results.SCHEMA.read_text())))
        self.assertGreater(len(found), 6)
        for node in found:
            self.assertIs(node["additionalProperties"], False)
            self.assertEqual(sorted(node["required"]), sorted(node["properties"]))

    def test_a_missing_file_is_named(self):
        self.assertIn("No such file", self.refusal(self.folder / "absent.json"))

    def test_a_folder_is_no_file(self):
        self.assertIn("directory", self.refusal(self.folder))

    def test_an_empty_file_is_empty(self):
        self.assertIn("empty", self.refusal(self.file("  \n")))

    def test_a_file_cut_anywhere_is_refused(self):
        whole = sample.text(sample.rich(2))
        for end in range(1, len(whole), 37):
            self.refusal(self.file(whole[:end]))

    def test_a_file_cut_in_half_is_said_to_be_cut_short(self):
        whole = sample.text(self.good)
        self.assertIn("cut short", self.refusal(self.file(whole[:len(whole) // 2])))

    def test_text_that_is_no_json_is_refused_with_its_place(self):
        self.assertIn("line 1, column 1", self.refusal(self.file("verdicts: none")))

    def test_bytes_that_are_no_text_are_refused(self):
        self.assertIn("UTF-8", self.refusal(self.file(b'{"schema": "\xff"}')))

    def test_words_that_are_no_json_numbers_are_refused(self):
        text = sample.text(self.good).replace('"seconds": 12.5', '"seconds": NaN')
        self.assertIn("NaN", self.refusal(self.file(text)))

    def test_endless_nesting_is_refused(self):
        self.refusal(self.file("[" * 200000))

    def test_another_schema_is_refused_by_name(self):
        said = self.changed(lambda d: d.update(schema="concord-results-3"))
        self.assertIn("concord-results-2", said)
        self.refusal(self.file("[1, 2]"))
        self.refusal(self.file("{}"))

    def test_a_field_too_many_is_refused(self):
        self.assertIn("extra", self.changed(lambda d: d["run"].update(extra=1)))

    def test_a_field_too_few_is_refused(self):
        self.assertIn("traits", self.changed(lambda d: d["backends"][0]["results"][3].pop("traits")))

    def test_a_wrong_value_is_refused_with_its_place(self):
        said = self.changed(lambda d: d["backends"][1]["results"][4].update(dtype="f65"))
        self.assertIn("backends[1].results[4].dtype", said)
        self.assertIn("'f65'", said)

    def test_a_wrong_type_is_refused(self):
        self.assertIn("run.threads", self.changed(lambda d: d["run"].update(threads="two")))

    def test_an_unknown_verdict_is_refused(self):
        self.changed(lambda d: d["backends"][0]["results"][0].update(verdict="SKIPPED"))

    def test_a_wrong_number_of_lowered_cases_is_refused(self):
        said = self.changed(lambda d: d["backends"][1].update(lowered=3))
        self.assertIn("lowered is 3, but 0 results", said)

    def test_counts_that_do_not_add_up_are_refused(self):
        said = self.changed(lambda d: d["backends"][1]["counts"].update(
            PASS=d["backends"][1]["counts"]["PASS"] + d["backends"][1]["counts"]["DECLINED"],
            DECLINED=0))
        self.assertIn("counts.PASS", said)

    def test_a_case_that_comes_twice_is_refused(self):
        def twice(document):
            backend = document["backends"][0]
            backend["results"].append(backend["results"][0])
            backend["counts"]["PASS"] += 1

        self.assertIn("twice", self.changed(twice))

    def test_failing_and_conforming_at_once_is_refused(self):
        self.assertIn("conform", self.changed(lambda d: d["backends"][2].update(conforms="yes")))

    def test_conforming_without_a_single_pass_is_refused(self):
        declined = [sample.became(sample.case(i), "DECLINED", "no") for i in range(3)]
        document = sample.document(sample.backend("shy", declined, conforms="yes"))
        self.assertIn("conform", self.refusal(self.file(document)))


class Labels(unittest.TestCase):
    def test_backends_of_the_same_name_are_told_apart(self):
        files = [results.File(path, sample.document(sample.backend("a", []),
                                                    sample.backend("b", [], **{"class": "tf32"})))
                 for path in ("x/r.json", "y/r.json")]
        labels = [backend.label for backend in results.backends_of(files)]
        self.assertEqual(len(set(labels)), 4)
        self.assertEqual(labels[1], "b as tf32 [r.json, 1]")


if __name__ == "__main__":
    unittest.main()
