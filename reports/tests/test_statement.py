# SPDX-License-Identifier: Apache-2.0
"""A conformance statement: its lines come from the results, and whatever is changed later is found and named."""

import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tomllib
import unittest

from concord_report import known, results, statement, statement_check
from tests import sample
from tests.test_page import Hostile
from tests.test_programs import Program

KNOWN = ('[[known]]\nbackend = "b"\nprocessor = "fma avx2"\ncase = "*/integers"\nreason = "the vendor mends it in 1.3"\nexpires = 2026-12-31\n'
         '[[known]]\nbackend = "b"\ncase = "*/ramp"\nreason = "old"\nexpires = 2025-12-31\n')


def cases():
    made = [sample.case(number) for number in range(30)]
    made[1] = sample.failed(made[1])  # integers
    made[19] = sample.failed(made[19])  # ramp: its entry had expired
    made[3] = sample.became(made[3], "DECLINED", "no")
    made[5] = sample.became(made[5], "CRASH", "SIGSEGV", tier="process")  # integers
    return made


class Statement(Program):
    SCRIPT = "statement.py"

    def setUp(self):
        super().setUp()
        self.plugin = self.folder / "b.so"
        self.plugin.write_bytes(b"machine code")
        self.document = self.made(cases())
        self.results = self.write("r.json", self.document)
        (self.folder / "known.toml").write_text(KNOWN)
        self.run_script(self.results, "--known-failures", "known.toml", "--out", "s.toml", code=1)
        self.text = (self.folder / "s.toml").read_text("utf-8")
        self.lines = self.text.split("\n")

    def made(self, of, **changes):
        files = [{"path": "/plugins/b.so", "sha256": hashlib.sha256(self.plugin.read_bytes()).hexdigest()}]
        return sample.in_brief(sample.document(sample.backend("b", of, files=files, **changes)))

    def wrong(self, content, entries=None):
        """What the check of a changed statement complains of."""
        path = self.folder / "changed.toml"
        path.write_text(content, "utf-8")
        return statement_check.check(path, results.load(self.results), [], entries).wrong

    def verify(self, *arguments, code):
        return self.run_script("--verify", "s.toml", self.results, *arguments, code=code)[0]


class Writing(Statement):
    def test_it_is_toml_and_its_numbers_are_those_of_the_results(self):
        told = tomllib.loads(self.text)
        counts = self.document["backends"][0]["counts"]
        self.assertEqual(told["measured"]["counts"], counts)
        for word, number in counts.items():
            for table in "by_operation_and_dtype", "by_tier":
                if table == "by_operation_and_dtype" or word != "DECLINED":
                    self.assertEqual(sum(row.get(word, 0) for row in told["measured"][table]), number, (table, word))
        self.assertEqual(told["suite"]["cases_with_result"], 30)
        self.assertEqual(told["results"]["results_sha256"],
                         hashlib.sha256(pathlib.Path(self.results).read_bytes()).hexdigest())
        self.assertEqual(told["machine"], self.document["run"]["machine"])
        self.assertEqual(told["plugin"]["files"], [{"name": "b.so", "sha256": hashlib.sha256(b"machine code").hexdigest()}])
        self.assertEqual([row["bits"] for row in told["measured"]["effective_bits"]], [25.0])

    def test_claims_are_what_was_served_and_not_served(self):
        of = [sample.case(0), sample.became(sample.case(1), "DECLINED", "no")]
        told = self.told(self.made(of))
        self.assertEqual(told["claims"], {
            "served": [{"operation": "Convolution", "dtype": "f32", "classes": ["f32 inputs, f32 sums"]}],
            "not_served": [{"operation": "Convolution1", "dtypes": ["f32"]}]})

    def told(self, document):
        return tomllib.loads(self.run_script(self.write("x.json", document))[0])

    def test_known_failures_stand_with_their_reasons_and_the_others_by_name(self):
        told = tomllib.loads(self.text)
        self.assertEqual([(each["reason"], each["in_force"], each["failed"]) for each in told["known"]],
                         [("the vendor mends it in 1.3", True, 2), ("old", False, 1)])
        self.assertEqual(told["failures"]["unexplained"], [cases()[19]["case"]])

    def test_the_same_results_give_the_same_bytes_and_the_order_of_cases_does_not_matter(self):
        again = self.run_script(self.results, "--known-failures", "known.toml", code=1)[0]
        self.assertEqual(again, self.text)
        backwards = self.told(self.made(cases()[::-1]))
        self.assertEqual(backwards["suite"], tomllib.loads(self.text)["suite"])

    def test_another_case_problem_or_number_of_cases_is_another_suite(self):
        digests = {self.told(document)["suite"]["cases_sha256"] for document in (
            self.made(cases()), self.made(cases()[1:]),
            self.made([sample.case(0, problem="Convolution f32 src=9"), *cases()[1:]]))}
        self.assertEqual(len(digests), 3)

    def test_the_exit_code_says_whether_every_failure_is_known(self):
        (self.folder / "all.toml").write_text(KNOWN.replace("2025", "2026"))
        self.run_script(self.results, "--known-failures", "all.toml", "--out", "x.toml")
        self.run_script(self.results, "--out", "x.toml")
        self.run_script(self.results, "--known-failures", "absent.toml", "--out", "x.toml", code=2)

    def test_of_several_backends_one_must_be_named(self):
        several = self.write("several.json", sample.rich(9))
        _, said = self.run_script(several, code=2)
        self.assertIn("5 backends: a statement is of one of onednn, eigen, ", said)
        self.assertIn("no backend 'dnn'", self.run_script(several, "--backend", "dnn", code=2)[1])
        out, _ = self.run_script(several, "--backend", "eigen")
        self.assertEqual(tomllib.loads(out)["backend"], "eigen")

    def test_hostile_text_stays_text_and_reads_back_the_same(self):
        name = Hostile.ATTACK.replace("\ud800", "") + '"\\ \x1b[31m\n\u202e\U0001f600\x7f'
        out, _ = self.run_script(self.write("x.json", self.made(cases(), version=name)))
        self.assertTrue(all(char.isprintable() or char == "\n" for char in out))
        self.assertEqual(tomllib.loads(out)["plugin"]["version"], name)
        half = self.run_script(self.write("x.json", self.made(cases(), version="\ud800")))[0]
        self.assertEqual(tomllib.loads(half)["plugin"]["version"], "\\ud800")

    def test_wrong_arguments_are_refused(self):
        for arguments in ((), (self.results, "--plugin", "b.so"), ("absent.json",),
                          (self.results, "--verify", "s.toml", "--out", "x"),
                          (self.results, "--verify", "s.toml", "--backend", "b")):
            self.run_script(*arguments, code=2)


class Verifying(Statement):
    def test_an_unchanged_statement_agrees(self):
        said = self.verify("--plugin", "b.so", code=0)
        self.assertIn(f"s.toml: all {len(self.lines) - 1} lines agree with {self.results}\n", said)
        self.assertIn("b.so: is b.so, which was judged\n", said)
        self.verify("--known-failures", "known.toml", code=0)
        self.assertIn("b.so: not compared with a file (--plugin)", self.verify(code=0))

    def test_every_changed_number_is_found_on_its_line(self):
        entries = known.read(self.folder / "known.toml")
        changed = 0
        for number, line in enumerate(self.lines, 1):
            for match in re.finditer(r"\d+", line):
                if line.startswith(("#", "statement =")):
                    continue
                other = str(int(match[0]) + 1) if match[0] != "9" else "8"
                bad = line[:match.start()] + other.zfill(len(match[0])) + line[match.end():]
                content = "\n".join(self.lines[:number - 1] + [bad] + self.lines[number:])
                try:
                    wrong = self.wrong(content, entries)
                except results.Refusal:  # 2026-13-31 is no date
                    self.assertIn("expires", line)
                    continue
                self.assertTrue(any(f":{number}: says " in each for each in wrong), (bad, wrong))
                changed += 1
        self.assertGreater(changed, 100)

    def test_every_line_left_out_doubled_or_changed_is_found(self):
        entries = known.read(self.folder / "known.toml")
        for place, line in enumerate(self.lines[:-1]):
            for instead in ([], [line, line], [line + " "], [line + " # checked"]):
                content = "\n".join(self.lines[:place] + instead + self.lines[place + 1:])
                try:
                    self.assertTrue(self.wrong(content, entries), (instead, line))
                except results.Refusal:
                    pass  # no longer TOML, or no statement

    def test_a_difference_names_what_is_said_and_what_the_results_give(self):
        place = next(n for n, line in enumerate(self.lines, 1) if line.startswith("elements = "))
        wanted = self.lines[place - 1]
        self.assertEqual(self.wrong(self.text.replace(wanted, "elements = 1")), [
            f"{self.folder / 'changed.toml'}:{place}: says elements = 1; the results give {wanted}"])

    def test_a_failure_that_a_pattern_hides_or_a_longer_date_is_found_by_the_list(self):
        entries = known.read(self.folder / "known.toml")
        for old, new in (("2025-12-31", "2026-12-31"), ("mends it in 1.3", "denies it")):
            content = self.text.replace(old, new)
            self.assertTrue(any(new in each for each in self.wrong(content, entries)))
        self.assertTrue(self.wrong(self.text.replace("2025-12-31", "2026-12-31")))  # in_force is wrong
        self.assertTrue(self.wrong(self.text.replace('"*/ramp"', '"*"')))  # its counts are

    def test_another_backend_is_found(self):
        place = self.lines.index('backend = "b"') + 1
        said, = self.wrong(self.text.replace('backend = "b"', 'backend = "c"', 1))
        self.assertTrue(said.endswith(f'changed.toml:{place}: backend = "c": {self.results} has only b'), said)

    def test_changed_results_are_found(self):
        of = cases()
        of[1], of[10] = sample.case(1), sample.failed(of[10])  # both Convolution1 in f32
        self.results = self.write("swapped.json", self.made(of))
        said = self.verify(code=1)
        self.assertIn("says results_sha256 = ", said)
        self.assertNotIn("counts =", said)  # they are the same
        of[10] = sample.case(10)
        self.results = self.write("better.json", self.made(of))
        self.assertIn("the results give counts = {PASS = 27, FAIL = 1,", self.verify(code=1))

    def test_results_that_contradict_themselves_are_refused(self):
        document = json.loads(pathlib.Path(self.results).read_text())
        document["backends"][0]["counts"]["PASS"] += 1
        self.results = self.write("wrong.json", document)
        _, said = self.run_script("--verify", "s.toml", self.results, code=2)
        self.assertIn("counts.PASS is 27, but 26 results", said)

    def test_another_plugin_is_found(self):
        self.plugin.write_bytes(b"machine code.")
        said = self.verify("--plugin", "b.so", code=1)
        self.assertIn(f"b.so: its SHA-256 is {hashlib.sha256(b'machine code.').hexdigest()}; judged was b.so "
                      f"{hashlib.sha256(b'machine code').hexdigest()}", said)
        self.run_script("--verify", "s.toml", self.results, "--plugin", "absent.so", code=2)

    def test_what_is_no_statement_is_refused_with_the_reason(self):
        for content, said in (("", "not a conformance statement"), ("x", "not TOML"), (b"\xff", "not UTF-8"),
                              (f'statement = "{statement.FORMAT}"', "names no backend"),
                              (f'statement = "{statement.FORMAT}"\nbackend = "b"\nknown = 1', "'known' is no list"),
                              (f'statement = "{statement.FORMAT}"\nbackend = "b"\nknown = [1]', "entry 1 is no table"),
                              (self.text.replace("expires = 2026", "expires = 1 # "), "expires is 1, not a date")):
            (self.folder / "s.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
            self.assertIn(said, self.run_script("--verify", "s.toml", self.results, code=2)[1])
        self.run_script("--verify", "absent.toml", self.results, code=2)

    def test_an_expired_entry_of_another_day_is_judged_by_the_day_of_the_run(self):
        backend = results.backends_of([results.load(self.results)])[0]
        entry = known.Entry("b", "*", "*", "why", datetime.date(2026, 1, 31))
        self.assertTrue(statement.compare(backend, [entry]).all_known)


class Signing(Statement):
    """The commands of docs/statement.md."""

    def setUp(self):
        if shutil.which("ssh-keygen") is None:
            self.skipTest("ssh-keygen is not installed")
        super().setUp()

    def keygen(self, *arguments, stdin=b""):
        return subprocess.run(["ssh-keygen", *arguments], cwd=self.folder, capture_output=True, check=False,
                              input=stdin).returncode

    def signature_is_good(self, namespace="concord", who="conformance@vendor.example"):
        return self.keygen("-Y", "verify", "-f", "allowed_signers", "-I", who, "-n", namespace, "-s", "s.toml.sig",
                           stdin=(self.folder / "s.toml").read_bytes()) == 0

    def test_a_signature_holds_for_the_signed_statement_alone(self):
        self.assertEqual(self.keygen("-q", "-t", "ed25519", "-N", "", "-f", "key"), 0)
        self.assertEqual(self.keygen("-Y", "sign", "-f", "key", "-n", "concord", "s.toml"), 0)
        public = (self.folder / "key.pub").read_text()
        (self.folder / "allowed_signers").write_text(f"conformance@vendor.example {public}")
        self.assertTrue(self.signature_is_good())
        self.assertFalse(self.signature_is_good(namespace="file"))
        self.assertFalse(self.signature_is_good(who="someone@else.example"))
        (self.folder / "s.toml").write_text(self.text.replace("FAIL = 2", "FAIL = 0"))
        self.assertFalse(self.signature_is_good())


del Program, Statement  # their tests are the subclasses'

if __name__ == "__main__":
    unittest.main()
