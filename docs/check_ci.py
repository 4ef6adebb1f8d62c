# SPDX-License-Identifier: Apache-2.0
"""check_ci.py BIN DOCS: runs the commands of the examples in docs/ci, on a part of the cases; and docs/ci.md names what runs at night."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

BIN, DOCS = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in "12")
# Stands before the real one on PATH: a part of the cases is enough to see that the commands work.
FEW = """#!/bin/sh
if [ "$1" = run ]; then shift; set -- run --filter '[bc]*/*/f32/integers' "$@"; fi
exec {} "$@"
"""


def github():
    """The scripts that call concord, as if there were one shard."""
    jobs = yaml.safe_load((DOCS / "ci/github.yml").read_text(encoding="utf-8"))["jobs"]
    for job in ("judge", "report"):
        for step in jobs[job]["steps"]:
            if "concord " in step.get("run", ""):
                yield step["run"].replace("${{ matrix.shard }}/4", "1/1").replace("${{ matrix.shard }}", "1")


def gitlab():
    jobs = yaml.safe_load((DOCS / "ci/gitlab.yml").read_text(encoding="utf-8"))
    for job in ("judge", "report"):
        yield "\n".join(line for line in jobs[job]["script"] if line != "make")


# What cmake/nightly.sh runs, and what docs/ci.md calls it.
NIGHTLY = {"--target tidy_all": "clang-tidy", "scoreboard_nightly.sh": "scoreboard", "grade --suite full": "planted bugs", "--suite huge": "beyond 32 bits",
           "oracle_test": "fast oracle", "power --alarms": "false alarms", "hostile_test.py": "hostile plugins", "kill_test.py": "killed",
           "mutate.py": "mutants", "check_docs.py": "every count"}


class Nightly(unittest.TestCase):
    def test_the_document_names_all_that_the_script_runs(self):
        script = (DOCS.parent / "cmake/nightly.sh").read_text(encoding="utf-8").replace("\\\n", "").split("set -euo pipefail\n")[1]
        told = (DOCS / "ci.md").read_text(encoding="utf-8").split("## Of Concord itself")[1]
        commands = [line for line in script.splitlines() if re.match(r"(\w+=\S+ )?(build/|docs/|/usr/bin/python3|cmake --build \S+ --target)", line)]
        self.assertGreater(len(commands), 9)
        for command in commands:
            words = [word for part, word in NIGHTLY.items() if part in command]
            self.assertTrue(words, f"NIGHTLY has no word for: {command}")
            self.assertIn(words[0], told)


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="concord_ci_"))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(BIN.parent / "plugins/eigen.so", self.folder / "plugin.so")
        (self.folder / "known_failures.toml").write_text("")
        self.few = pathlib.Path(tempfile.mkdtemp(prefix="concord_few_"))
        self.addCleanup(shutil.rmtree, self.few)
        (self.few / "concord").write_text(FEW.format(BIN / "concord"))
        (self.few / "concord").chmod(0o755)

    def codes(self, scripts, backend="./plugin.so"):
        """The exit code of each script."""
        environment = {**os.environ, "PATH": f"{self.few}:{os.environ['PATH']}", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "1",
                       "GITHUB_STEP_SUMMARY": str(self.folder / "summary")}
        return [subprocess.run(["bash", "-e", "-c", script.replace("./plugin.so", backend)], cwd=self.folder,
                               env=environment, stdin=subprocess.DEVNULL, timeout=300,
                               stdout=subprocess.DEVNULL).returncode for script in scripts]

    def test_github(self):
        self.assertEqual(self.codes(github()), [0, 0])
        self.assertIn("plugin.so", (self.folder / "summary").read_text(encoding="utf-8").lower())
        for made in ("report.html", "report.sarif", "results.json"):
            self.assertTrue((self.folder / made).exists(), made)

    def test_gitlab(self):
        self.assertEqual(self.codes(gitlab()), [0, 0])
        for made in ("report.html", "junit.xml"):
            self.assertTrue((self.folder / made).exists(), made)

    def test_a_failure_fails_the_report_and_is_in_it(self):
        for scripts in (github(), gitlab()):
            self.assertEqual(self.codes(scripts, "faulty:kernel_flip"), [0, 1])
        self.assertIn("faulty:kernel_flip", (self.folder / "summary").read_text(encoding="utf-8"))

    def test_packages_and_shards_are_the_same_in_both(self):
        texts = [(DOCS / "ci" / name).read_text(encoding="utf-8") for name in ("github.yml", "gitlab.yml")]
        packages = {line.split("CONCORD_PACKAGE: ")[1] for text in texts for line in text.splitlines() if "CONCORD_PACKAGE: " in line}
        self.assertEqual(len(packages), 1)


if __name__ == "__main__":
    unittest.main()
