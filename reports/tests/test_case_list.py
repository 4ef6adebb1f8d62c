# SPDX-License-Identifier: Apache-2.0
"""The list of all cases: read back as the page's script reads it, and compared with the results."""

import base64
import json
import urllib.parse
import unittest
import zlib

from concord_report import case_list, case_table
from tests import sample
from tests.test_page import Hostile, made


def unpacked(document, most=case_list.MOST_IN_FULL):
    packed = case_list.packed(case_list.listed(made(document), most))
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    ids = [""]
    for kept, rest in zip(data["cases"]["kept"], data["cases"]["rest"]):
        ids.append(ids[-1][:kept] + rest)
    data["cases"]["id"] = ids[1:]
    data["traits"] = [[] for _ in data["cases"]["id"]]
    for trait, lengths in enumerate(data["trait_runs"]):
        at = 0
        for which, length in enumerate([*lengths, len(data["traits"])]):
            for each in data["traits"][at:at + length] if which % 2 else ():
                each.append(data["texts"]["trait"][trait])
            at += length
    return data


def rows(data, backend):
    """What the list shows of each result of a backend."""
    cases, texts = data["cases"], data["texts"]
    of = data["backends"][backend]
    for place, outcome in enumerate(of["outcome"]):
        at = of["cases"][place] if of["cases"] else place
        told = dict(zip(case_list.OF_AN_OUTCOME, data["outcomes"][outcome]))
        told.update({field: texts[field][cases[field][at]] for field in ("operation", "dtype", "fill")},
                    problem=None if cases["problem"][at] is None else texts["problem"][cases["problem"][at]], case=cases["id"][at], margin=of["margin"][place], elements=of["elements"][place],
                    traits=data["traits"][at], details=of["details"].get(str(place), {}))
        if told["details"]:
            told["details"].setdefault("seed", case_table.case_seed(int(of["seed"]), cases["id"][at]))
            if "replay" in told["details"]:
                told["details"]["replay"] = (data["replays"][told["details"]["replay"]]
                                             .replace("\x01", told["details"]["seed"]).replace("\x02", told["problem"]))
        yield told


class Packed(unittest.TestCase):
    def check(self, document):
        data = unpacked(document)
        for number, backend in enumerate(document["backends"]):
            shown = list(rows(data, number))
            self.assertEqual(len(shown), len(backend["results"]))
            for row, result in zip(shown, backend["results"]):
                self.assertEqual(sorted(row["traits"]), sorted(result["traits"]))
                for field in ("case", "problem", "operation", "dtype", "fill", "verdict", "reason", "implementation",
                              "adapter_part", "elements"):
                    self.assertEqual(row[field], result[field])
                for field in ("tier", "class"):
                    self.assertEqual(row[field], result[field] or "")
                self.assertEqual((row["details"]["replay"], row["details"]["seed"]), (result["replay"], result["seed"]))
                self.assertEqual("failure" in row["details"], result["failure"] is not None)

    def test_every_result_of_every_backend_is_there(self):
        self.check(sample.rich(300))

    def test_backends_that_ran_other_cases_keep_theirs(self):
        cases = [sample.case(i) for i in range(60)]
        self.check(sample.document(sample.backend("a", cases[::2]), sample.backend("b", cases[::-3])))

    def test_the_same_id_with_other_data_is_another_case(self):
        one = sample.case(1)
        data = unpacked(sample.document(sample.backend("a", [one]), sample.backend("b", [one]),
                                        sample.backend("c", [dict(one, seed="99")])))
        self.assertEqual(data["cases"]["id"], [one["case"]] * 2)
        self.assertEqual([backend["cases"] for backend in data["backends"]], [None, None, [1]])

    def test_margins_keep_three_digits_and_never_cross_their_bound(self):
        margins = {0.123456: 0.123, 1.0000001: "just above 1", 0.9999999: "just below 1", None: None,
                   float("inf"): "inf", float("nan"): "nan", 1: 1, 0: 0}
        cases = [dict(sample.case(i), margin=margin) for i, margin in enumerate(margins)]
        data = unpacked(sample.document(sample.backend("a", cases)))
        self.assertEqual(data["backends"][0]["margin"], list(margins.values()))

    def test_numbers_that_are_no_json_are_words(self):
        failed = sample.failed(sample.case(0), got=float("nan"), want=float("-inf"))
        wrong = unpacked(sample.document(sample.backend("a", [failed])))["backends"][0]["details"]["0"]["failure"]
        self.assertEqual((wrong["got"], wrong["want"]), ("nan", "-inf"))

    def test_commands_that_differ_by_seed_and_problem_are_written_once_and_other_seeds_are_told(self):
        failed = []
        for at in range(40):
            case = sample.case(at)
            seed = case["seed"] if at else "99"
            failed.append(sample.failed(dict(case, seed=seed, replay=f"replay --seed {seed} '{case['problem']}'")))
        document = sample.document(sample.backend("a", failed))
        self.check(document)
        data = unpacked(document)
        self.assertEqual(len(data["replays"]), 1)
        data = unpacked(sample.document(sample.backend("a", failed)))
        self.assertEqual([place for place, each in data["backends"][0]["details"].items() if "seed" in each], ["0"])

    def test_a_case_of_smoke_takes_few_bytes(self):
        document = sample.document(*(sample.backend(f"b{i}", [sample.case(n) for n in range(3500)])
                                     for i in range(5)))
        self.assertLess(len(case_list.packed(case_list.listed(made(document)))), 3 << 20)


class Many(unittest.TestCase):
    """Of more cases than a page tells in full."""

    DOCUMENT = sample.rich(300)

    def told(self, **run):
        document = dict(self.DOCUMENT, run=dict(self.DOCUMENT["run"], **run))
        return document, unpacked(document, 299)

    def test_only_what_every_backend_passed_or_declined_is_told_briefly(self):
        document, data = self.told()
        loud = {r["case"] for backend in document["backends"] for r in backend["results"]
                if r["verdict"] not in ("PASS", "DECLINED")}
        for number, backend in enumerate(document["backends"]):
            for row, result in zip(rows(data, number), backend["results"], strict=True):
                self.assertEqual(sorted(row["traits"]), sorted(result["traits"]))
                for field in ("case", "operation", "dtype", "fill", "verdict", "reason"):
                    self.assertEqual(row[field], result[field])
                self.assertEqual(row["margin"], case_list._rounded(result["margin"]))
                in_full = result["case"] in loud
                self.assertEqual((row["problem"], row["elements"]), (result["problem"], result["elements"]) if in_full
                                 else (None, None))
                self.assertEqual(bool(row["details"]), in_full)
        self.assertEqual(data["left_out"], 300 - len(loud))
        self.assertTrue(0 < len(loud) < 300)

    def test_as_many_as_fit_are_told_in_full(self):
        data = unpacked(self.DOCUMENT, 300)
        self.assertEqual(data["left_out"], 0)
        self.assertNotIn(None, data["cases"]["problem"])

    def test_the_command_prints_a_case_of_that_suite_seed_and_reading(self):
        for run, command in (({"suite": "full", "seed": 7}, "concord list --suite full --seed 7 --filter"),
                             ({"reading": "documented"}, "concord list --suite smoke --seed 1 --reading documented --filter"),
                             ({"suite": "nightly"}, None), ({"suite": "problems.txt"}, None)):
            self.assertEqual(self.told(**run)[1]["command"], command)


class Links(unittest.TestCase):
    def test_a_link_names_its_case_whatever_the_name(self):
        for case in ("pairs/190/bf16/integers", "a b&c=d#e%20/ä", Hostile.ATTACK, "x" * 9000):
            link = case_list.link_to_case(case)
            self.assertRegex(link, r"^#case=[\w.~%-]+$")
            self.assertEqual(urllib.parse.unquote(link[6:]), case_list.shown(case))

    def test_a_link_to_cases_has_only_the_fields_that_were_chosen(self):
        link = case_list.link_to_cases(backend="./a b.so:x=1&y", verdict="FAIL", trait="")
        self.assertEqual(urllib.parse.parse_qsl(link.removeprefix("#cases&")),
                         [("backend", "./a b.so:x=1&y"), ("verdict", "FAIL")])


if __name__ == "__main__":
    unittest.main()
