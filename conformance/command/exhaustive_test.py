# SPDX-License-Identifier: Apache-2.0
"""A suite in batches: most results are only counted, and nothing is lost by that."""

import hashlib
import os
import sys
import tempfile
import unittest

import command_harness as harness
from command_harness import RunTest, concord, read_json

from concord_report import results, verdict

# Two of 689 batches; of each some 2,000 cases, in the families every_1d and every_pair.
FEW = ("--suite", "exhaustive", "--shard", "1/400", "--filter", "*/explicit-*0-*")

# Of one batch a few cases in f32, and a program that loads a library when it computes.
FEWEST = ("--suite", "exhaustive", "--shard", "1/689", "--dtype", "f32", "--filter", "every_1d/explicit-1?0-*/integers")
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "backends", "exec")
LATE = f"""
import sys
sys.path.insert(0, {PACKAGE!r})
import concord_exec

class Late(concord_exec.ConvolutionBackend):
    def convolve(self, g, src, weights, bias):
        import _lsprof
        return src[:0]

concord_exec.serve(Late())
"""


def counted(backend):
    return sum(sum(each["counts"].values()) for each in backend["tallied"])


class Exhaustive(RunTest):
    def test_what_passes_is_counted_and_a_sample_is_listed(self):
        code, out, err, document = self.run_to_file("--backend", "optimized", *FEW)
        self.assertEqual(code, 0, out + err)
        backend = document["backends"][0]
        cases = document["run"]["cases"]
        self.assertGreater(cases, 1500)
        counts = backend["counts"]
        self.assertEqual(counts[verdict.PASS] + counts[verdict.VACUOUS], cases)
        self.assertLess(counts[verdict.VACUOUS], cases / 100)
        self.assertEqual(counted(backend) + len(backend["results"]), cases)
        self.assertLessEqual(abs(len(backend["results"]) - cases / 500), 2)
        self.assertEqual({each["family"] for each in backend["tallied"]}, {"every_1d", "every_pair"})
        self.assertEqual(backend["conforms"], "selected")
        self.assertIn(f"among the {cases:,} selected cases", backend["headline"])

    def test_a_run_has_the_cases_that_list_prints_of_the_same_shard(self):
        lines = [line.split("\t") for line in concord("list", *FEWEST)[1].splitlines()]
        self.assertGreater(len(lines), 5)
        document = self.run_to_file("--backend", "faulty:none", *FEWEST)[3]
        self.assertEqual(document["run"]["cases"], len(lines))
        text = "".join("\t".join(line[:2]) + "\n" for line in lines)
        self.assertEqual(document["run"]["cases_sha256"], hashlib.sha256(text.encode()).hexdigest())

    def test_cases_that_are_listed_must_exist(self):
        one = concord("list", *FEWEST)[1].split("\t")[0]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ids.txt")
            command = ("run", "--backend", "faulty:none", *FEWEST[:4], "--cases", path)
            with open(path, "w", encoding="utf-8") as file:
                file.write(one + "\n")
            listed = concord("list", *command[3:])[1]
            self.assertEqual((listed.split("\t")[0], listed.count("\n")), (one, 1))
            self.assertEqual(concord(*command)[0], 0)
            with open(path, "a", encoding="utf-8") as file:
                file.write("every_1d/no-such-case\n")
            code, _, err = concord(*command)
            self.assertEqual(code, 2)
            self.assertIn("exhaustive has no case 'every_1d/no-such-case'", err)

    def test_failures_are_listed_with_what_ran_before_the_first(self):
        code, out, err, document = self.run_to_file("--backend", "faulty:kernel_flip", "--jobs", 1, *FEW)
        self.assertEqual(code, 1, out + err)
        backend = document["backends"][0]
        failed = [each for each in backend["results"] if each["verdict"] == verdict.FAIL]
        unlisted = sum(each["counts"][verdict.FAIL] for each in backend["tallied"])
        self.assertEqual(len(failed) + unlisted, backend["counts"][verdict.FAIL])
        self.assertGreater(len(failed), 100)
        self.assertGreater(counted(backend), 100)
        self.assertEqual(counted(backend) + len(backend["results"]), document["run"]["cases"])
        self.assertIsNotNone(backend["diagnosis"])
        self.assertIsNotNone(backend["shrunk"][0]["smallest"])

    def test_more_failures_than_a_thousand_of_a_family_are_counted(self):
        _, _, _, document = self.run_to_file("--backend", "faulty:returns_zeros", "--shrink", 0, *FEW)
        backend = document["backends"][0]
        failed = [each for each in backend["results"] if each["verdict"] == verdict.FAIL]
        listed = sum(each["case"].startswith("every_1d/") for each in failed)
        self.assertTrue(1000 <= listed <= 1000 + 40, listed)  # some more are of the sample
        unlisted = sum(each["counts"][verdict.FAIL] for each in backend["tallied"])
        self.assertEqual(backend["counts"][verdict.FAIL], len(failed) + unlisted)
        self.assertGreater(unlisted, 100)

    def test_a_run_that_was_stopped_goes_on_where_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            run = ["run", "--backend", "faulty:kernel_flip", "--shrink", 0, "--jobs", 1, "--out", path, *FEW]
            self.assertEqual(concord(*run)[0], 1)
            whole = read_json(path)
            with open(path + ".journal", encoding="utf-8") as file:
                lines = file.readlines()
            batches = [place for place, line in enumerate(lines) if '{"batch":' in line]
            self.assertEqual(len(batches), 2)
            for kept in lines, lines[:batches[1]], lines[:batches[0]]:
                with open(path + ".journal", "w", encoding="utf-8") as file:
                    file.writelines(kept)
                self.assertEqual(concord(*run, "--resume")[0], 1)
                again = read_json(path)
                self.assertEqual(again["run"]["cases"], whole["run"]["cases"])
                for one, two in zip(whole["backends"], again["backends"]):
                    for key in "counts", "tallied", "service", "diagnosis":
                        self.assertEqual(one[key], two[key], key)
                    self.assertEqual([each["case"] for each in one["results"]],
                                     [each["case"] for each in two["results"]])

    def test_what_a_time_budget_leaves_is_not_run_and_not_forgotten(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            run = ["run", "--backend", "optimized", "--out", path, *FEW]
            code, out, err = concord(*run, "--time-budget", "0.05")
            self.assertEqual(code, 2, out + err)
            self.assertIn("not run", out)
            file = results.load(path)
            self.assertFalse(file.run["complete"])
            self.assertLess(results.backends_of([file])[0].done, file.run["cases"])
            self.assertEqual(concord(*run, "--resume")[0], 0)
            file = results.load(path)
            self.assertEqual(results.backends_of([file])[0].done, file.run["cases"])

    def test_a_backend_that_was_given_up_is_tried_again_by_resume(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "results.json")
            command = ("run", "--backend", "faulty:kernel_flip", "--shrink", 0, "--out", out, *FEW)
            concord(*command, "--stop-after", 1)
            self.assertIn("testing stopped after", read_json(out)["backends"][0]["headline"])
            concord(*command, "--resume")
            document = read_json(out)
        backend = document["backends"][0]
        self.assertNotIn("not run", backend["headline"])
        self.assertEqual(counted(backend) + len(backend["results"]), document["run"]["cases"])

    def test_libraries_that_a_program_loads_when_it_computes_are_known(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "late.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write(LATE)
            document = self.run_to_file("--backend", f"exec:exec {sys.executable} -B '{program}'", "--shrink", 0, *FEWEST)[3]
        self.assertLess(document["run"]["cases"], 100)
        paths = [each["path"] for each in document["backends"][0]["libraries"]]
        self.assertTrue(any("/python3" in path for path in paths), paths)
        self.assertTrue(any("/_lsprof." in path for path in paths), paths)

    def test_shards_are_every_so_many_batches(self):
        def cases(shard):
            options = [*FEW[:3], shard, *FEW[4:]]
            options[options.index("--filter") + 1] = "every_refused/*1-axis*"
            return self.run_to_file("--backend", "faulty:none", *options)[3]["run"]["cases"]
        whole = cases("80/100")
        self.assertGreater(whole, 1000)
        self.assertEqual(whole, cases("80/200") + cases("180/200"))


if __name__ == "__main__":
    harness.main()
