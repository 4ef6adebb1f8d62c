# SPDX-License-Identifier: Apache-2.0
"""What is printed as a replay command shows the failure again, as it was executed; and what shrinking
says of a failure is true."""

import ctypes
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from command_harness import CONCORD, concord, main, read_json

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGINS = os.path.join(os.path.dirname(CONCORD), "..", "plugins")
CNTK = "CntkConvolution f32 src=5x1 weights=1x1 kernel=1 mapCount=1 autoPadding=false"


def line_of(elements):
    return f"Convolution f32 src=1x1x{elements} weights=1x1x1 data_format=NCX weights_format=OIX"


def executed(command):
    """Runs a printed command in a shell; gives its exit code and what it printed."""
    assert command.startswith("concord "), command
    done = subprocess.run(["/bin/sh", "-c", shlex.quote(CONCORD) + command[len("concord"):]],
                          capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


class Scaling(unittest.TestCase):
    """Tests with the backend of scaling_backend.py, in a folder of an awkward name."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "it's a \"folder\"")
        os.mkdir(self.folder)
        self.program = os.path.join(self.folder, "scaling backend.py")
        shutil.copy(os.path.join(HERE, "scaling_backend.py"), self.program)
        self.log = os.path.join(self.folder, "log")
        self.allowed = ("--sandbox-allow", self.folder)

    def backend(self, mode, before=""):
        return f"exec:{before}exec python3 -B " + shlex.join([self.program, mode, self.log])

    def logged(self):
        """What was executed since the last call: problem, threads, src and weight."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            lines = list(file)
        os.remove(self.log)
        return [json.loads(line) for line in lines]

    def run_lines(self, lines, *options):
        """Judges the problems; gives the results of the backend, and what was printed."""
        problems, out = os.path.join(self.folder, "p.txt"), os.path.join(self.folder, "r.json")
        with open(problems, "w", encoding="utf-8") as file:
            file.writelines(f"p{i}: {line}\n" for i, line in enumerate(lines))
        _, printed, _ = concord("run", "--problems", problems, "--out", out, "--jobs", 1, *self.allowed,
                                *options)
        return read_json(out)["backends"][0], printed


class SameSettings(Scaling):
    """A replay command repeats the settings of the run."""

    def check(self, *options):
        backend, _ = self.run_lines([line_of(5), line_of(9), CNTK], "--backend",
                                    self.backend("wrong"), *options)
        known = self.logged()
        failed = [r for r in backend["results"] if r["verdict"] == "FAIL"]
        shrunk = [s["smallest"] for s in backend["shrunk"]]
        self.assertTrue(failed and shrunk, options)
        for result in failed + shrunk:
            command = result["replay"]
            code, out = executed(command)
            self.assertEqual(code, 1, command + "\n" + out)
            again = self.logged()
            self.assertTrue(again, command)
            for execution in again:
                self.assertIn(execution, known, command)
            if "class" in result:
                self.assertIn(f"  class    {result['class']}\n", out, command)
            asked, carried = (dict(zip(words, words[1:]))
                              for words in (options, shlex.split(command)))
            for option in ("--deadline", "--max-work", "--memory-limit"):
                self.assertEqual(carried.get(option), asked.get(option), command)
            self.assertEqual(carried.get("--sandbox-allow"), self.folder, command)

    def test_whatever_the_options_are(self):
        for threads, rest in zip(itertools.cycle([1, 2, 3]), (
                [], ["--class", "accumulator=f32", "--deadline", "7.25", "--max-work", "1234567890"],
                ["--reading", "documented", "--seed", "18446744073709551615"],
                ["--lower", "--class", "bf16-accumulate", "--seed", "3", "--deadline", "86400",
                 "--memory-limit", "3.5"])):
            with self.subTest(threads=threads, rest=rest):
                self.check("--threads", str(threads), *rest)

    def test_one_thread_is_not_left_out(self):
        backend, _ = self.run_lines([line_of(5)], "--backend", self.backend("wrong"), "--threads", 1)
        threads = [threads for _, threads, _, _ in self.logged()]
        executed(backend["results"][0]["replay"])
        self.assertEqual(threads[0], 1)
        self.assertEqual([again for _, again, _, _ in self.logged()][:1], [1])


class Golden(unittest.TestCase):
    def test_a_golden_case_is_replayed_from_its_set(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r.json")
            concord("run", "--backend", "faulty:kernel_flip", "--suite", "golden", "--stop-after", 1,
                    "--jobs", 1, "--threads", 1, "--out", out)
            backend = read_json(out)["backends"][0]
            for result in [r for r in backend["results"] if r["verdict"] == "FAIL"] + [
                    s["smallest"] for s in backend["shrunk"]]:
                code, printed = executed(result["replay"])
                self.assertEqual(code, 1, result["replay"] + "\n" + printed)


class WhatShrinkingSays(Scaling):
    def test_a_program_that_starts_slowly_has_the_deadline_of_the_run(self):
        code, out, _ = concord("shrink", *self.allowed, "--backend", self.backend("wrong", "sleep 2.5; "),
                               line_of(3))
        self.assertEqual(code, 1)
        self.assertRegex(out, r"  shrunk +exact, \d+ trials\n  problem  Convolution .* src=1x1x1 ")

    def test_a_hang_is_a_hang_at_the_deadline_of_the_run(self):
        code, out, _ = concord("shrink", *self.allowed, "--backend", self.backend("hang"), "--deadline", 3,
                               "--budget", 40, line_of(3))
        self.assertEqual(code, 1)
        self.assertIn("in execute: no answer within 3", out)
        self.assertIn(", until the budget of 40 ran out", out)
        self.assertIn(" --deadline 3 ", out)

    def test_the_time_limit_is_named_when_it_ends_the_search(self):
        code, out, _ = concord("shrink", *self.allowed, "--backend", self.backend("hang"), "--deadline", 2,
                               "--time-limit", 1, line_of(3))
        self.assertEqual(code, 1)
        self.assertIn("1 trials, until the time limit of 1 s ran out", out)

    def test_a_failure_that_needs_another_case_before_it_names_that_case(self):
        lines = [line_of(n) for n in (2, 7, 3, 4, 11)]
        backend, out = self.run_lines(lines, "--backend", self.backend("after=7"), "--shrink", 1)
        smallest = backend["shrunk"][0]["smallest"]
        self.assertEqual(len(smallest["after"]), 1)
        self.assertIn("src=1x1x7 ", smallest["after"][0])
        self.assertIn("fails    only after another case in the same process: " + smallest["after"][0],
                      out)
        code, printed = executed(smallest["replay"])
        self.assertEqual(code, 1, printed)
        without = re.sub(" --after '[^']*'", "", smallest["replay"])
        self.assertNotEqual(executed(without)[0], 1, without)

    def test_what_a_case_does_instead_of_failing_in_the_same_way_is_said(self):
        # The program starts once to be introduced and once for the run, and then no more.
        starts = shlex.quote(os.path.join(self.folder, "starts"))
        before = f"echo >> {starts}; test $(wc -l < {starts}) -gt 2 && exec false; "
        _, out = self.run_lines([line_of(3)], "--backend", self.backend("wrong", before))
        self.assertIn("the case does not fail again: alone it crashed (in load: ", out)

    def test_bad_words_behind_after_are_named(self):
        for text, word in ("mud 1 " + line_of(3), "mud"), ("integers x " + line_of(3), "x"), \
                ("integers 1", "--after"), ("src=1", "--after"), ("", "--after"):
            code, _, err = concord("replay", "--backend", "reference", "--after", text, line_of(3))
            self.assertEqual(code, 2, err)
            self.assertIn(word, err)


class PlantedBugs(unittest.TestCase):
    """Of each kind of bug, and in each operation, one: what its failure shrinks to fails with the same
    verdict again. The unit test of shrinking goes through all families."""

    MORE = {"cc_theta_mean", "cntk_weights_gradient_transposed", "sums_toward_zero", "exits", "weights_cached_by_address",
            "weights_of_first_execution", "previous_output"}

    def bugs(self):
        """The first bug of each family and MORE, with their families."""
        catalogue = ctypes.CDLL(os.path.join(PLUGINS, "faulty.so")).concord_faulty_catalogue
        catalogue.restype = ctypes.c_char_p
        seen, bugs = set(), {}
        for line in catalogue().decode().splitlines():
            name, family, _, _, shows = line.split("\t")
            if shows == "always" and (family not in seen or name in self.MORE):
                seen.add(family)
                bugs[name] = family
        return bugs

    def found(self, bugs, *options):
        """Of each bug, a case of smoke that fails with it."""
        words = [word for bug in bugs for word in ("--bug", bug)]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "finds.json")
            code, printed, _ = concord("grade", "--deadline", 5, *words, "--out", out, *options, timeout=900)
            self.assertEqual(code, 0, printed)
            return [(one["name"], next(iter(one["failed"]))) for one in read_json(out)["bugs"]]

    def tried(self):
        """A bug of each kind, the first word of its family, and one in each operation, with their cases."""
        operation_of = {case: problem.split()[0] for case, problem, *_ in
                        (line.split("\t") for line in concord("list", "--suite", "smoke")[1].splitlines())}
        families, seen = self.bugs(), set()
        for bug, case in self.found(families):
            kinds = {families[bug].split()[0], operation_of[case]}
            if kinds - seen or bug in self.MORE:
                seen |= kinds
                yield bug, case
        yield from self.found(["kernel_flip"], "--operation", "Convolution1")

    def shrunk_of(self, bug, case):
        """What the failure of the bug in the case is shrunk to."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r.json")
            concord("run", "--backend", f"faulty:{bug}", "--filter", case, "--deadline", 5, "--out", out,
                    timeout=300)
            return [s["smallest"] for s in read_json(out)["backends"][0]["shrunk"]]

    def test_the_printed_command_shows_the_smallest_case(self):
        operations = set()
        for bug, case in self.tried():
            with self.subTest(bug=bug, case=case):
                shrunk = self.shrunk_of(bug, case)
                self.assertTrue(shrunk and shrunk[0], bug)
                for smallest in shrunk:
                    operations.add(smallest["problem"].split()[0])
                    code, out = executed(smallest["replay"])
                    self.assertEqual(code, 1, smallest["replay"] + "\n" + out)
                    self.assertIn(f": {smallest['verdict']} replay\n", out, smallest["replay"])
        self.assertEqual(len(operations), 16, operations)


if __name__ == "__main__":
    main()
