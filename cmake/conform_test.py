#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""conform_test.py SOURCE: the exit codes of conform.sh, and what it says, for results that stand-ins of the tools that
build and of `concord run` give. The report and the list of known failures are the real ones.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "reports"))

from concord_report import verdict  # noqa: E402
from tests import sample  # noqa: E402

NAN = "boundary/bf16-2x2-ones/bf16/special"  # docs/known_failures.toml has it for oneDNN and XNNPACK
HEADING = "docs/findings.md: NaN becomes -Inf"
REPORT = SOURCE / "reports" / "report.py"
# `concord run` copies results made beforehand; `concord report` is the real one.
CONCORD = """#!/usr/bin/env bash
set -e
what=$1
shift
if [ "$what" = report ]; then exec /usr/bin/python3 -B {report} "$@"; fi
printf '%s\\n' "$*" >{folder}/arguments
while [ "$1" != --out ]; do shift; done
if [ -f {folder}/results ]; then cp {folder}/results "$2"; fi
exit "$(cat {folder}/code)"
"""


def case(name=NAN, failed=True, word=None):
    made = sample.case(3, case=name, dtype="bf16", fill="special")
    if word:
        return sample.became(made, word, "why not")
    return sample.failed(made) if failed else made


def xnnpack(*cases, **changes):
    return sample.backend("xnnpack", list(cases), version="2022-02-16", **changes)


class Conform(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "a root"
        for name in ("cmake", "docs", "backends", "build/release/bin", "bin"):
            (self.root / name).mkdir(parents=True)
        for name in ("conform.sh", "cmake/setup.sh", "cmake/packages.txt", "docs/known_failures.toml", "backends/optional.txt"):
            shutil.copy(SOURCE / name, self.root / name)
        for tool in ("cmake", "ninja", "c++"):
            self.program(self.root / "bin" / tool, "#!/bin/sh\n")
        self.program(self.root / "build/release/bin/concord",
                     CONCORD.format(report=shlex.quote(str(REPORT)), folder=shlex.quote(str(self.root))))

    @staticmethod
    def program(path, text):
        path.write_text(text)
        path.chmod(0o755)

    def conform(self, *words, ran, backends=None):
        """(exit code, what it says); `ran` is the exit code of concord run, which judged the backends."""
        (self.root / "code").write_text(f"{ran}\n")
        if backends is not None:
            (self.root / "results").write_text(sample.text(sample.document(*backends)))
        done = subprocess.run([self.root / "conform.sh", *words], cwd=self.root, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, env=dict(
                                  os.environ, CONCORD_PACKAGES="installed", PATH=f"{self.root / 'bin'}:{os.environ['PATH']}"))
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout + done.stderr

    def check(self, code, *sentences, words=(), **run):
        found, said = self.conform(*words, **run)
        self.assertEqual(found, code, said)
        for sentence in sentences:
            self.assertIn(sentence, said)
        return said

    def test_all_that_pass_are_0(self):
        said = self.check(0, "Report: ", ran=0, backends=[xnnpack(case(failed=False))])
        self.assertNotIn("Every failure", said)
        self.assertTrue((self.root / "build/conformance/report.html").is_file())
        self.assertIn("--backend onednn", (self.root / "arguments").read_text())

    def test_failures_that_are_all_documented_are_0_and_named(self):
        self.check(0, f"xnnpack: 2 known failures: {HEADING}", "Every failure is one of docs/known_failures.toml",
                   ran=1, backends=[xnnpack(case(), case("other/special"))])

    def test_a_new_failure_is_1_and_named(self):
        new = "boundary/new/bf16/ramp"
        self.check(1, f"xnnpack: 1 failure not known, such as {new}", f"xnnpack: 1 known failure: {HEADING}",
                   "Some failures are not in docs/known_failures.toml", ran=1, backends=[xnnpack(case(), case(new))])

    def test_each_kind_of_failure_is_1(self):
        for word in (verdict.CRASH, verdict.HANG, verdict.CLAIM_BROKEN):
            self.check(1, ran=1, backends=[xnnpack(case("new", word=word))])

    def test_another_version_or_backend_is_1(self):
        self.check(1, ran=1, backends=[dict(xnnpack(case()), version="2024-01-01")])
        self.check(1, ran=1, backends=[xnnpack(case()), sample.backend("eigen", [case()])])

    def test_an_entry_whose_processor_is_another_does_not_hold(self):
        onednn = sample.backend("onednn", [case()], version="2.6.3")
        for features, code in ((["avx2", "avx512f"], 0), (["avx2"], 1)):
            document = sample.document(onednn)
            document["run"]["machine"]["features"] = features
            (self.root / "results").write_text(sample.text(document))
            self.check(code, ran=1)

    def test_an_entry_whose_last_day_is_past_does_not_hold(self):
        listed = self.root / "docs/known_failures.toml"
        listed.write_text(listed.read_text().replace("expires = 2027", "expires = 2020"))
        self.check(1, "xnnpack: expired on 2020-12-31: 1 failure", "xnnpack: 1 failure not known", ran=1,
                   backends=[xnnpack(case())])

    def test_listed_cases_that_pass_are_named_and_change_nothing(self):
        self.check(0, f"xnnpack: 1 listed case passes, such as {NAN}: {HEADING}", ran=0, backends=[xnnpack(case(failed=False))])

    def test_for_a_plugin_no_failure_is_accepted(self):
        said = self.check(1, words=["xnnpack"], ran=1, backends=[xnnpack(case())])
        self.assertNotIn("known failure", said)
        self.assertNotIn("onednn", (self.root / "arguments").read_text())

    def test_a_plugins_path_needs_no_package(self):
        (self.root / "mylib").mkdir()
        (self.root / "mylib/p*.so").touch()
        for plugin in ("mylib/p*.so", "mylib/p*.so:a/b"):
            said = self.check(0, "Report: ", words=[plugin], ran=0, backends=[xnnpack(case(failed=False))])
            self.assertEqual([line for line in said.splitlines() if line.startswith(("sed", "awk"))], [], said)

    def test_without_a_verdict_it_is_2(self):
        harness = xnnpack(case("a", word=verdict.HARNESS_ERROR), case())
        self.check(2, "Report: ", ran=2, backends=[xnnpack(case("a", word=verdict.HARNESS_ERROR))])
        self.check(2, "Report: ", words=["xnnpack"], ran=2, backends=[xnnpack(case("a", word=verdict.HARNESS_ERROR))])
        unloaded = sample.backend("eigen", [], error="cannot be loaded")
        said = self.check(2, "But a backend has no verdict", ran=1, backends=[harness, unloaded])
        self.assertNotIn("could not be written", said)

    def test_a_run_that_dies_is_2(self):
        self.check(2, "no results were written (concord run exited with 139)", ran=139)
        self.check(2, "Report: ", ran=134, backends=[xnnpack(case(failed=False))])

    def test_a_report_that_cannot_be_made_is_2(self):
        (self.root / "results").write_text("{}")
        for ran in (0, 1):
            self.check(2, "the report could not be written", ran=ran)

    def test_results_of_an_earlier_run_do_not_count(self):
        self.check(0, ran=0, backends=[xnnpack(case(failed=False))])
        (self.root / "results").unlink()
        self.check(2, "no results were written", ran=0)

    def test_a_build_that_fails_is_2(self):
        self.program(self.root / "bin/cmake", "#!/bin/sh\nexit 1\n")
        self.check(2, "CMake could not configure", ran=0, backends=[xnnpack(case(failed=False))])

    def test_wrong_arguments_are_2(self):
        for word in ("--no-such-option", "no_such_plugin"):
            self.check(2, f"no such {'option' if word.startswith('-') else 'plugin'}: ", words=[word], ran=0)
        self.check(0, "usage: conform.sh", words=["--help"], ran=1)


if __name__ == "__main__":
    unittest.main()
