# SPDX-License-Identifier: Apache-2.0
"""Known failures: what is in the list, what is not, what expired, and what passes although it is there."""

import datetime
import pathlib
import tempfile
import unittest

from concord_report import known, markdown, overview, page, report, results
from tests import reader, sample
from tests.test_page import Hostile
from tests.test_programs import Program

TODAY = datetime.date(2027, 1, 15)


def entry(case, **changes):
    return known.Entry(**{"backend": "b", "version": "*", "case": case, "reason": "the vendor knows",
                          "expires": datetime.date(2027, 1, 15), **changes})


def made(cases, *entries, **changes):
    document = sample.document(sample.backend("b", cases, **changes))
    return report.Report.of([results.File("r.json", document)], 10, list(entries), TODAY)


class Comparing(unittest.TestCase):
    def setUp(self):
        self.cases = [sample.case(i) for i in range(6)]
        self.cases[1] = sample.failed(self.cases[1])
        self.cases[2] = sample.became(self.cases[2], "CRASH", "SIGSEGV", tier="process")

    def ids(self, *numbers):
        return [self.cases[number]["case"] for number in numbers]

    def test_failures_of_every_kind_are_known_by_their_ids(self):
        found = made(self.cases, *(entry(case) for case in self.ids(1, 2)))
        self.assertEqual(found.known.new[0][1], [])
        self.assertEqual([outcome.failed for outcome in found.known.outcomes], [self.ids(1), self.ids(2)])
        self.assertEqual(known.exit_code(found), 0)
        self.assertEqual(overview.rows(found)[0].known, "every failure is known")

    def test_a_failure_that_is_not_in_the_list_is_new(self):
        found = made(self.cases, entry(self.ids(1)[0]))
        self.assertEqual(found.known.new[0][1], self.ids(2))
        self.assertEqual(known.exit_code(found), 1)
        self.assertEqual(overview.rows(found)[0].known, "1 failure not known")

    def test_an_entry_is_in_force_on_its_last_day_and_not_after(self):
        yesterday = TODAY - datetime.timedelta(days=1)
        self.assertEqual(known.exit_code(made(self.cases, entry("*"))), 0)
        found = made(self.cases, entry("*", expires=yesterday))
        self.assertEqual(found.known.new[0][1], self.ids(1, 2))
        self.assertTrue(found.known.outcomes[0].expired)
        self.assertEqual(known.exit_code(made(self.cases, entry("*", expires=yesterday), entry("*"))), 0)

    def test_unexpected_passes_are_named(self):
        found = made(self.cases, entry(self.ids(3)[0]), entry("*"))
        self.assertEqual(found.known.outcomes[0].passed, self.ids(3))
        self.assertEqual(found.known.outcomes[1].passed, self.ids(0, 3, 4, 5))
        self.assertEqual(known.exit_code(found), 0)

    def test_entries_of_other_backends_versions_and_cases_know_nothing(self):
        for other in ({"backend": "c"}, {"version": "1.2"}, {"case": "nothing/*"}):
            found = made(self.cases, entry(**{"case": "*", **other}))
            self.assertEqual(found.known.new[0][1], self.ids(1, 2), other)
            self.assertEqual(len(found.known.unused), 1)
        self.assertEqual(known.exit_code(made(self.cases, entry("*", backend="?", version="1.2.*"))), 0)

    def test_an_entry_holds_only_on_a_processor_that_has_all_its_words(self):
        for processor, code in (("avx2", 0), ("fma avx2", 0), ("avx2 amx_bf16", 1), ("avx", 1), ("", 0)):
            found = made(self.cases, entry("*", processor=processor))
            self.assertEqual((known.exit_code(found), len(found.known.unused)), (code, code), processor)

    def test_what_no_case_shows_is_always_new(self):
        pool = dict(sample.statistics_of([sample.case(27)])[0], passed=False)
        found = made([sample.case(0)], entry("*"), statistics=[pool], conforms="no")
        self.assertEqual(found.known.new[0][1], [f"statistics/{pool['dtype']}"])
        found = made([sample.case(0)], entry("*"), error="died in close", conforms="no")
        self.assertEqual((found.known.new[0][1], known.exit_code(found)), (["died in close"], 1))

    def test_declined_cases_neither_fail_nor_pass(self):
        declined = sample.became(sample.case(0), "DECLINED", "no")
        found = made([declined, sample.case(1)], entry(declined["case"]))
        self.assertEqual((found.known.outcomes, len(found.known.unused)), ([], 1))

    def test_each_line_says_what_became_of_a_reason(self):
        old = TODAY - datetime.timedelta(days=1)
        first, second = self.ids(1, 2)
        for entries, said in (
                ([entry(first), entry(self.ids(3)[0])], [
                    f"b: 1 failure not known, such as {second}",
                    f"b: 1 known failure, 1 listed case passes, such as {self.ids(3)[0]}: the vendor knows"]),
                ([entry("*", reason="all"), entry(first)], [
                    f"b: 2 known failures, 4 listed cases pass, such as {self.ids(0)[0]}: all", "b: 1 known failure: the vendor knows"]),
                ([entry(first), entry(second), entry(first)], ["b: 2 known failures: the vendor knows"]),
                ([entry(second), entry(first, reason="mended", expires=old), entry("gone", expires=old)], [
                    f"b: 1 failure not known, such as {first}", "b: 1 known failure: the vendor knows",
                    f"b: expired on {old}: 1 failure: mended",
                    f"b: expired on {old}, and no case matches gone: the vendor knows"])):
            self.assertEqual(known.lines(made(self.cases, *entries).known), said)

    def test_without_a_verdict_nothing_is_accepted(self):
        self.assertEqual(known.exit_code(made([sample.case(0)], entry("*"), conforms="unknown")), 2)

    def test_page_and_markdown_show_them_and_foreign_text_stays_text(self):
        found = made(self.cases, entry(self.ids(1)[0], reason=Hostile.ATTACK),
                     entry("gone/*", processor="amx_bf16", expires=datetime.date(2026, 12, 31)))
        root = reader.read(page.render(found))
        section = next(s for s in root.all("section") if s.attributes["id"] == "known").text
        for shown in section, markdown.render(found):
            self.assertIn("1 failure not known", shown)
            self.assertIn("2027-01-15", shown)
            self.assertIn("gone/*", shown)
            self.assertIn("amx_bf16", shown)
            self.assertRegex(shown, "expired on 2026-12-31")
        self.assertEqual(list(root.all("img")), [])
        self.assertNotIn("<img", markdown.render(found))


class Reading(unittest.TestCase):
    GOOD = '[[known]]\nbackend="b"\ncase="x/*"\nreason="why"\nexpires=2027-06-30\n'

    def read(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "known.toml"
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
            return known.read(path)

    def test_a_list_is_read(self):
        self.assertEqual(self.read(self.GOOD), [known.Entry("b", "*", "x/*", "why", datetime.date(2027, 6, 30))])
        self.assertEqual(self.read("# nothing\n"), [])
        self.assertEqual(self.read(self.GOOD + 'processor="avx512f"\n')[0].processor, "avx512f")

    def test_what_is_wrong_is_named_with_its_place(self):
        for change, said in (
                (('reason=', 'processor=""\nreason='), "processor is '', not a text"),
                (("case=", "cases="), "entry 1: 'cases' is none of"), (('case="x/*"', ""), "entry 1 has no 'case'"),
                (('reason="why"', 'reason=""'), "reason is '', not a text"),
                (("2027-06-30", '"2027-06-30"'), "expires is '2027-06-30', not a date"),
                (("2027-06-30", "2027-06-30T01:02:03Z"), "not a date"), (("2027-06-30", "2027-13-30"), "not TOML"),
                (("[[known]]", "[[knwon]]"), "'knwon'"), (("[[known]]", "[known]"), "'known'")):
            with self.assertRaisesRegex(results.Refusal, said.replace("[", r"\[").replace("(", r"\(")):
                self.read(self.GOOD.replace(*change))
        with self.assertRaisesRegex(results.Refusal, "entry 1 is no table"):
            self.read("known = [1]")
        with self.assertRaisesRegex(results.Refusal, "not TOML"):
            self.read(b"\xff")


class AsAProgram(Program):
    def test_the_exit_code_says_whether_anything_is_new(self):
        results_file = self.write("r.json", sample.document(sample.backend(
            "b", [sample.failed(sample.case(0)), sample.case(1)])))
        self.run_script(results_file)
        path = self.folder / "known.toml"
        for expires, code in (("2999-01-01", 0), ("2001-01-01", 1)):
            path.write_text(Reading.GOOD.replace("x/*", "*").replace("2027-06-30", expires))
            out, said = self.run_script(results_file, "--known-failures", str(path), "-o", "out.html", code=code)
            self.assertEqual((out, said.count("\n")), ("", 1 + code))
            self.assertIn("b: 1 known failure, 1 listed case passes" if code == 0 else "b: expired on 2001-01-01: 1 failure, 1 listed case passes", said)
            self.assertIn("Known failures", (self.folder / "out.html").read_text("utf-8"))
        _, said = self.run_script(results_file, "--known-failures", "absent.toml", code=2)
        self.assertIn("absent.toml: No such file", said)


class OurList(unittest.TestCase):
    """What conform.sh accepts without a plugin."""

    DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"

    def test_every_entry_is_a_section_of_the_findings_about_that_version(self):
        headings = [line for line in (self.DOCS / "findings.md").read_text("utf-8").splitlines()
                    if line.startswith("## ")]
        entries = known.read(self.DOCS / "known_failures.toml")
        self.assertTrue(entries)
        for each in entries:
            page, _, defect = each.reason.partition(": ")
            found = [line for line in headings if line.endswith(f": {defect}")]
            self.assertEqual((page, len(found)), ("docs/findings.md", 1), each)
            self.assertIn(each.version, found[0])
            self.assertIn(each.backend, found[0].lower())


if __name__ == "__main__":
    unittest.main()
