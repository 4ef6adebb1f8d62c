# SPDX-License-Identifier: Apache-2.0
"""concord statement on the results of real runs: from the run to the check."""

import hashlib
import json
import os
import shutil
import tempfile
import tomllib
import unittest

from command_harness import CONCORD, concord, main
from concord_report import digest

PLUGIN = os.path.join(os.path.dirname(CONCORD), "..", "plugins", "reference.so")


class Statement(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)
        shutil.copy(PLUGIN, self.path("vendor.so"))

    def made(self, *arguments):
        """The statement of a run of the plugin, as text."""
        concord("run", "--backend", self.path("vendor.so"), "--out", self.path("r.json"), *arguments)
        code, _, err = concord("statement", self.path("r.json"), "--out", self.path("s.toml"))
        self.assertEqual((code, err), (0, ""))
        with open(self.path("s.toml"), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def verify(self):
        return concord("statement", "--verify", self.path("s.toml"), self.path("r.json"), "--plugin",
                       self.path("vendor.so"))

    def test_a_run_is_stated_and_the_statement_holds(self):
        told = tomllib.loads(self.made("--filter", "pairs/01?/*"))
        self.assertEqual((told["conforms"], told["suite"]["suite"]), ("selected", "smoke"))
        self.assertGreater(told["measured"]["counts"]["PASS"], 20)
        code, out, _ = self.verify()
        self.assertEqual(code, 0, out)
        with open(self.path("vendor.so"), "ab") as file:
            file.write(b"\0")
        code, out, _ = self.verify()
        self.assertEqual(code, 1)
        self.assertIn("vendor.so: its SHA-256 is ", out)

    def test_a_verdict_changed_in_the_results_is_found(self):
        self.made("--filter", "pairs/01?/*")
        with open(self.path("r.json"), encoding="utf-8") as file:
            text = file.read()
        changed = text.replace('"tier":"interval"', '"tier":"exact"').replace('"tier": "interval"', '"tier": "exact"')
        self.assertNotEqual(text, changed)
        self.write("r.json", changed)
        code, _, err = self.verify()
        self.assertEqual(code, 2)
        self.assertIn("r.json: backends[0] was altered after the file was written", err)
        # Whoever makes the digest fit is found by the statement.
        self.write("r.json", json.dumps(digest.sealed(json.loads(changed))))
        code, out, _ = self.verify()
        self.assertEqual(code, 1)
        self.assertIn("says results_sha256 = ", out)
        self.assertIn('{tier = "exact", PASS = ', out)

    def test_the_digest_of_the_cases_is_that_of_concord_list(self):
        for choice in (("--filter", "pairs/01?/*"), ("--filter", "boundary/*/f32/special"),
                       ("--suite", "golden", "--filter", "*same*")):
            _, out, _ = concord("list", *choice)
            lines = sorted("\t".join(line.split("\t")[:2]) + "\n" for line in out.splitlines())
            digest = hashlib.sha256("".join(lines).encode()).hexdigest()
            self.assertGreater(len(lines), 2, choice)
            self.assertEqual(tomllib.loads(self.made(*choice))["suite"]["cases_sha256"], digest, choice)

    def test_it_is_a_command_like_the_others(self):
        self.assertIn("usage: concord statement", concord("statement", "--help")[1])
        self.assertIn("  statement ", concord("--help")[1])
        self.assertIn(".SS statement\n", concord("manual")[1])
        self.assertIn(" statement ", concord("manual", "bash")[1])


if __name__ == "__main__":
    main()
