# SPDX-License-Identifier: Apache-2.0
"""CSV and SARIF: every result, or every failure, once; valid; and foreign text that stays text."""

import csv
import io
import json
import unittest

import jsonschema

from concord_report import csv_table, report, results, sarif, verdict
from tests import sample

# What SARIF 2.1.0 demands of the objects that are written here: required properties, types and words
# of sections 3.13 to 3.54, and no properties beside them.
MESSAGE = {"type": "object", "required": ["text"], "additionalProperties": False,
           "properties": {"text": {"type": "string", "minLength": 1}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}


def of(required, **properties):
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


def many(item):
    return {"type": "array", "items": item}


TEXT = {"type": "string"}
SCHEMA = of(["version", "runs"], version={"const": "2.1.0"}, runs=many(of(
    ["tool"],
    tool=of(["driver"], driver=of(["name"], name=TEXT, version=TEXT, rules=many(of(
        ["id"], id=TEXT, shortDescription=MESSAGE, defaultConfiguration=of([], level=LEVEL))))),
    automationDetails=of([], id=TEXT),
    invocations=many(of(["executionSuccessful"], executionSuccessful={"type": "boolean"},
                        arguments=many(TEXT), toolExecutionNotifications=many(of(
                            ["message"], level=LEVEL, message=MESSAGE)))),
    results=many(of(
        ["message"], ruleId=TEXT, ruleIndex={"type": "integer", "minimum": -1}, level=LEVEL, message=MESSAGE,
        locations=many(of([], physicalLocation=of(
            ["artifactLocation"], artifactLocation=of([], uri={"type": "string", "format": "uri-reference",
                                                               "pattern": "^[!-~]+$"}),
            region=of([], startLine={"type": "integer", "minimum": 1})),
            logicalLocations=many(of([], name=TEXT, fullyQualifiedName=TEXT)))),
        partialFingerprints={"type": "object", "additionalProperties": TEXT})))), **{"$schema": TEXT})


def made(document):
    return report.Report.of([results.File("r.json", document)], 20)


def sarif_of(document, source=None):
    log = json.loads(sarif.render(made(document), source))
    jsonschema.Draft202012Validator(SCHEMA).validate(log)
    return log


def rows_of(document):
    return list(csv.DictReader(io.StringIO(csv_table.render(made(document)), newline=""), strict=True))


class Csv(unittest.TestCase):
    def test_every_result_is_a_row_with_its_values(self):
        document = sample.rich(300)
        rows = rows_of(document)
        told = [(backend, r) for backend in document["backends"] for r in backend["results"]]
        self.assertEqual(len(rows), len(told))
        for row, (backend, result) in zip(rows, told):
            self.assertNotIn(None, row)
            self.assertEqual((row["version"], row["case"], row["verdict"]),
                             (backend["version"], result["case"], result["verdict"]))
            self.assertEqual(int(row["elements"]), result["elements"])
            if result["margin"] is not None:
                self.assertEqual(float(row["margin"]), result["margin"])
            if result["failure"] is not None:
                self.assertEqual(row["element"], "0 1 2 3")
                self.assertEqual(row["got"], str(result["failure"]["got"]))

    def test_lines_end_as_rfc_4180_wants(self):
        text = csv_table.render(made(sample.rich(3)))
        self.assertEqual(text.count("\r\n"), text.count("\n"))

    def test_foreign_text_is_no_formula_and_no_second_row(self):
        for attack in ("=1+1", "+1", "-1+2", "@SUM(A1)", 'a","b\r\n=2', "a\nb"):
            case = sample.became(sample.case(1), verdict.DECLINED, attack)
            (row,) = rows_of(sample.document(sample.backend("some", [case])))
            self.assertFalse(row["reason"].startswith(("=", "+", "-", "@")), attack)
            self.assertNotIn("\n", row["reason"])
            self.assertIn(attack[-1], row["reason"])

    def test_infinities_stay_numbers(self):
        case = sample.failed(sample.case(1), got="-inf", want=0)
        (row,) = rows_of(sample.document(sample.backend("some", [case])))
        self.assertEqual((row["got"], row["want"]), ("-inf", "0"))


class Sarif(unittest.TestCase):
    def test_every_failure_is_a_result_and_nothing_else(self):
        document = sample.rich(500)
        log = sarif_of(document)
        self.assertEqual(len(log["runs"]), 5)
        for run, backend in zip(log["runs"], document["backends"]):
            broken = [r for r in backend["results"] if r["verdict"] in verdict.BROKEN]
            pools = sum(not pool["passed"] for pool in backend["statistics"])
            self.assertEqual(len(run["results"]), len(broken) + pools)
            names = {r["locations"][0]["logicalLocations"][0]["name"] for r in run["results"]}
            self.assertLessEqual({r["case"] for r in broken}, names)
            prints = [r["partialFingerprints"]["concordCase/v1"] for r in run["results"]]
            self.assertEqual(len(set(prints)), len(prints))
            for result in run["results"]:
                self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual(run["invocations"][0]["executionSuccessful"], backend["error"] is None)
        rules = {r["ruleId"] for run in log["runs"] for r in run["results"]}
        self.assertLessEqual({"exact", "crash", "hang", "claim_broken"}, rules)
        self.assertNotIn("other", rules)

    def test_an_alert_stays_the_same_from_run_to_run(self):
        def prints(document):
            return [r["partialFingerprints"] for run in sarif_of(document)["runs"] for r in run["results"]]

        failed = sample.failed(sample.case(1))
        one, other = (sample.document(sample.backend("some", [case])) for case in (
            failed, {**failed, "reason": "otherwise", "milliseconds": 9.0}))
        self.assertEqual(prints(one), prints(other))
        third = sample.document(sample.backend("some", [sample.failed(sample.case(2))]))
        self.assertNotEqual(prints(one), prints(third))

    def test_failures_are_shown_at_the_plugin_or_where_one_likes(self):
        def uri(path, source=None):
            files = [{"path": path, "sha256": "0" * 64}]
            backend = sample.backend("some", [sample.failed(sample.case(1))], files=files)
            log = sarif_of(sample.document(backend), source)
            return log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

        self.assertEqual(uri("/a b/vendor.so"), "file:///a%20b/vendor.so")
        self.assertEqual(uri("build/vendör.so"), "build/vend%C3%B6r.so")
        self.assertEqual(uri("/vendor.so", "src/conv.cpp"), "src/conv.cpp")

    def test_what_is_left_out_is_counted(self):
        most, sarif.MOST = sarif.MOST, 3
        self.addCleanup(setattr, sarif, "MOST", most)
        cases = [sample.failed(sample.case(number)) for number in range(5)]
        (run,) = sarif_of(sample.document(sample.backend("some", cases)))["runs"]
        self.assertEqual(sum(r["ruleId"] != "statistics" for r in run["results"]), 3)
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("2 more failures", note["message"]["text"])

    def test_the_schema_of_this_test_refuses_what_is_wrong(self):
        log = sarif_of(sample.rich(100))
        for spoil in (lambda run: run.pop("tool"), lambda run: run["results"][0].pop("message"),
                      lambda run: run["results"][0].update(level="fatal"),
                      lambda run: run.update(extra=1)):
            spoiled = json.loads(json.dumps(log))
            spoil(next(run for run in spoiled["runs"] if run["results"]))
            self.assertFalse(jsonschema.Draft202012Validator(SCHEMA).is_valid(spoiled))


if __name__ == "__main__":
    unittest.main()
