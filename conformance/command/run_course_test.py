# SPDX-License-Identifier: Apache-2.0
"""How concord run goes on and ends: time budgets, interruptions, streams, another beginning."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command_harness import CONCORD, RunTest, concord, main, read_json


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "backends", "exec")
# Concord is the parent of the program, which is not confined here.
KILLER = f'''
import os, signal, sys
sys.path.insert(0, {PACKAGE!r})
import concord_exec

class Killer(concord_exec.ConvolutionBackend):
    def convolve(self, g, src, weights, bias):
        if g.src[-1] == 7:
            os.kill(os.getppid(), signal.SIGKILL)
        return src * weights

concord_exec.serve(Killer())
'''


class Course(RunTest):
    def test_a_case_that_kills_the_run_is_known_and_not_started_again_and_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path, lines, program = (os.path.join(folder, name) for name in ("r.json", "cases.txt", "killer.py"))
            with open(program, "w", encoding="utf-8") as file:
                file.write(KILLER)
            with open(lines, "w", encoding="utf-8") as file:
                file.writelines(f"n{size}: Convolution f32 src=1x1x{size} weights=1x1x1 data_format=NCX "
                                "weights_format=OIX\n" for size in (5, 7, 8))
            arguments = ("run", "--backend", f"exec:exec {sys.executable} -B '{program}'", "--problems", lines, "--filter",
                         "*/integers", "--out", path, "--sandbox", "off", "--jobs", 1)
            self.assertEqual(concord(*arguments)[0], -signal.SIGKILL)
            code, _, err = concord(*arguments, "--resume")
            self.assertEqual(code, -signal.SIGKILL)
            self.assertIn("n7/f32/integers", err)
            self.assertIn("was running when the run was killed; it is tried first, alone", err)
            code, out, err = concord(*arguments, "--resume")
            self.assertEqual(code, 2, out)
            self.assertIn("was running when 2 runs were killed; it is not started again (--retry-killed)", err)
            found = {result["case"]: result for result in read_json(path)["backends"][0]["results"]}
            self.assertEqual([found[f"problems/n{size}/f32/integers"]["verdict"] for size in (5, 7, 8)],
                             ["PASS", "HARNESS_ERROR", "PASS"])
            self.assertIn("not started again: 2 runs were killed", found["problems/n7/f32/integers"]["reason"])
            self.assertEqual(concord(*arguments, "--resume", "--retry-killed")[0], -signal.SIGKILL)

    def test_results_are_written_though_nobody_reads_the_output(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            reader, writer = os.pipe()
            os.close(reader)
            subprocess.run([CONCORD, "run", "--backend", "faulty:kernel_flip", "--filter",
                            "*resnet50/*f32/integers", "--max-failures", "1000", "--out", path],
                           stdout=writer, stderr=subprocess.DEVNULL, timeout=120)
            os.close(writer)
            self.assertTrue(read_json(path)["backends"][0]["results"])

    def test_nothing_that_is_printed_goes_into_a_file_by_mistake(self):
        # With a standard stream closed, the next file that is opened could take its place.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            for closed, expected in [("<&-", 0), (">&-", 2), ("2>&-", 0), (">&- 2>&-", 2),
                                     ("<&- >&- 2>&-", 2)]:
                code = subprocess.run(
                    ["sh", "-c", f'exec "$0" "$@" {closed}', CONCORD, "run", "--backend",
                     "reference", "--filter", "*resnet50/conv1/*", "--out", path],
                    stdout=subprocess.DEVNULL, timeout=60).returncode
                self.assertEqual(code, expected, closed)
                self.assertTrue(read_json(path)["run"]["complete"])
                with open(path + ".journal", encoding="utf-8") as file:
                    for line in file:
                        json.loads(line.partition(" ")[2])

    def test_a_time_budget_lets_a_failure_be_said_but_no_pass(self):
        code, out, _, results = self.run_to_file("--backend", "reference", "--jobs", 1,
                                                 "--time-budget", 0.5)
        self.assertEqual((code, results["backends"][0]["conforms"]), (2, "unknown"))
        self.assertFalse(results["run"]["complete"])
        self.assertIn("reference: no verdict: not all cases were run - ", out)
        code, _, _, _ = self.run_to_file("--backend", "faulty:returns_zeros", "--jobs", 1,
                                         "--shrink", 0, "--time-budget", 1)
        self.assertEqual(code, 1)

    def test_nightly_goes_on_until_its_time_is_up_and_repeats_nothing(self):
        code, out, _, results = self.run_to_file(
            "--backend", "optimized", "--suite", "nightly", "--filter", "[pd][ar]*/001/f32/*",
            "--time-budget", 10)
        self.assertEqual(code, 0, out)
        self.assertTrue(results["run"]["complete"])
        cases = [r["case"] for r in results["backends"][0]["results"]]
        self.assertEqual(len(cases), len(set(cases)))
        self.assertEqual(results["run"]["cases"], len(cases))
        for family in "pairs", "drawn1", "drawn2":
            self.assertTrue(any(case.startswith(family + "/") for case in cases), family)
        self.assertEqual(concord("run", "--backend", "reference", "--suite", "nightly",
                                 "--time-budget", 0.01, "--filter", "pairs/*")[0], 2)

    def test_a_run_is_not_resumed_with_another_build_of_the_plugin(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin = os.path.join(folder, "mine.so")
            shutil.copy(os.path.join(os.path.dirname(CONCORD), "..", "plugins", "reference.so"),
                        plugin)
            command = ["run", "--backend", plugin, "--filter", "*resnet50/conv1/*", "--out",
                       os.path.join(folder, "results.json")]
            self.assertEqual(concord(*command)[0], 0)
            self.assertEqual(concord(*command, "--resume")[0], 0)
            os.utime(plugin, (1, 1))  # the same build, copied once more
            self.assertEqual(concord(*command, "--resume")[0], 0)
            before = sha256_of(plugin)
            times = os.stat(plugin)
            with open(plugin, "ab") as file:  # bytes that the loader does not read
                file.write(b"another build")
            os.utime(plugin, ns=(times.st_atime_ns, times.st_mtime_ns))
            code, _, err = concord(*command, "--resume")
            self.assertEqual(code, 2)
            self.assertIn(f'belongs to another run: the build of {plugin} was "mine.so SHA-256 {before}", '
                          f'is "mine.so SHA-256 {sha256_of(plugin)}"', err)

    def test_resuming_begins_anew_without_a_journal_unless_it_is_strict(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            run = ["run", "--backend", "reference", "--filter", "*resnet50/conv1/*", "--out", path]
            code, _, err = concord(*run, "--resume=strict")
            self.assertEqual(code, 2)
            self.assertIn(f"{path}.journal", err)
            self.assertFalse(os.path.exists(path))
            code, _, err = concord(*run, "--resume")
            self.assertEqual(code, 0, err)
            self.assertIn(f"--resume: no {path}.journal; the run begins anew", err)
            for how in "--resume", "--resume=strict":
                code, _, err = concord(*run, how)
                self.assertEqual(code, 0, err)
                self.assertNotIn("begins anew", err)
            self.assertEqual(concord(*run, "--resume=always")[0], 2)

    def test_a_damaged_journal_is_named_and_its_cases_are_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            run = ["run", "--backend", "faulty:returns_zeros", "--jobs", 1, "--shrink", 0, "--filter", "*resnet50/*",
                   "--out", path]
            self.assertEqual(concord(*run)[0], 1)
            whole = read_json(path)["backends"][0]["counts"]
            with open(path + ".journal", encoding="utf-8") as file:
                lines = file.readlines()
            place = next(i for i, line in enumerate(lines) if i > len(lines) / 2 and "FAIL" in line)
            lines[place] = lines[place].replace("FAIL", "PASS")
            with open(path + ".journal", "w", encoding="utf-8") as file:
                file.writelines(lines)
            code, _, err = concord(*run, "--resume")
            self.assertEqual(code, 1, err)
            self.assertIn(f"the journal {path}.journal is damaged in line {place + 1}, which does not follow", err)
            self.assertEqual(read_json(path)["backends"][0]["counts"], whole)
            self.assertNotIn("damaged", concord(*run, "--resume")[2])

    def test_an_interrupted_run_is_written_and_can_be_resumed(self):
        for how in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with self.subTest(how):
                self.interrupt_and_resume(how)

    def interrupt_and_resume(self, how):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            # One job takes many seconds for smoke, so that no machine ends before it is cut.
            run = ["run", "--backend", "reference", "--jobs", "1", "--out", path]
            process = subprocess.Popen([CONCORD, *run], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            journal = path + ".journal"
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                if os.path.exists(journal):
                    with open(journal, encoding="utf-8") as file:
                        if len(file.readlines()) > 100:
                            break
                time.sleep(0.05)
            process.send_signal(how)
            self.assertEqual(process.wait(timeout=60), 2)
            process.communicate()
            cut = read_json(path)
            self.assertFalse(cut["run"]["complete"])
            done = len(cut["backends"][0]["results"])
            self.assertGreater(done, 20)
            code, _, err = concord(*run, "--resume", "--time-budget", "0.001")
            self.assertEqual(code, 2, err)  # a pass of all is not known yet
            self.assertEqual(len(read_json(path)["backends"][0]["results"]), done)
            code, _, err = concord(*run, "--resume", "--time-budget", "3")
            self.assertEqual(code, 2, err)
            self.assertGreater(len(read_json(path)["backends"][0]["results"]), done)


if __name__ == "__main__":
    main()
