# SPDX-License-Identifier: Apache-2.0
"""What the machine lacks, or does to a run, is not blamed on the backend."""

import ctypes
import os
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from command_harness import CONCORD, concord, main, read_json

HOSTILE = os.path.join(os.path.dirname(CONCORD), "..", "conformance", "worker", "plugins",
                       "hostile.so")
FEW = ["--filter", "*resnet50/conv[12]*"]
SMALL = "Convolution f32 src=1x3x9x10 weights=4x3x3x3 data_format=NCX weights_format=OIX"
LONG = ("Convolution f32 src=1x1x1x4194304 weights=1x1x1x1048576 data_format=NCX "
        "weights_format=OIX")


def limit_processes(most):
    """In the child, before exec: a user with no other processes, held to so many, threads too."""
    if os.getuid() == 0:
        for capability in 21, 24:  # CAP_SYS_ADMIN and CAP_SYS_RESOURCE know no such limit
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
        os.setresuid(65534 - most, 0, 0)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def limit_descriptors(most):
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def children_of(process):
    """The ids of the processes that it has started."""
    found = []
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as children:
                found += map(int, children.read().split())
        except OSError:
            pass
    return found


def lines_of(path):
    """The number of a file's lines; 0 if there is no file yet."""
    try:
        with open(path, encoding="utf-8") as file:
            return len(file.readlines())
    except FileNotFoundError:
        return 0


class Resources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "results.json")
        problems = os.path.join(self.folder.name, "problems.txt")
        with open(problems, "w", encoding="utf-8") as file:
            file.write(f"small: {SMALL}\n")
        self.small = ["--problems", problems]

    def begin_limited(self, limit, out, *arguments):
        """Starts concord with a limit, which a call of `limit` in the child sets."""
        return subprocess.Popen([CONCORD, "run", "--out", out, *arguments], text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=limit)

    def run_with_each(self, limits, limit, *arguments):
        """Runs concord with each of `limits`, all at once, since it waits for what the machine
        lacks; yields the limit, exit code, both streams, and the results."""
        outs = [os.path.join(self.folder.name, f"results-{most}.json") for most in limits]
        begun = [self.begin_limited(lambda most=most: limit(most), out, *arguments)
                 for most, out in zip(limits, outs)]
        for most, path, process in zip(limits, outs, begun):
            out, err = process.communicate(timeout=200)
            yield (most, process.returncode, out, err,
                   read_json(path) if os.path.exists(path) else None)

    def verdicts(self, results):
        return {r["verdict"] for b in results["backends"] for r in b["results"]}

    def test_jobs_are_bounded_by_the_descriptors_there_are(self):
        for _, code, out, err, results in self.run_with_each(
                [100], limit_descriptors, "--backend", "reference", "--backend", "optimized",
                "--jobs", "60", *FEW):
            self.assertEqual(code, 0, out + err)
            self.assertIn("--jobs 60: each needs some 8 descriptors (ulimit -n)", err)
            self.assertEqual(self.verdicts(results), {"PASS"})
            self.assertLess(results["run"]["jobs"], 15)

    def test_a_machine_without_descriptors_crashes_no_backend(self):
        codes = []
        for most, code, out, err, results in self.run_with_each(
                range(4, 24), limit_descriptors, "--backend", "reference", *self.small):
            codes.append(code)
            self.assertIn(code, (0, 2), (most, out, err))
            if code == 2:
                self.assertTrue("(ulimit -n)" in out + err or "Too many open files" in out + err,
                                (most, out, err))
            if code == 2 and results:
                self.assertLessEqual(self.verdicts(results), {"PASS", "HARNESS_ERROR"})
        self.assertEqual(codes, sorted(codes, reverse=True), "more are never too few")
        self.assertEqual(codes[0], 2)
        self.assertEqual(codes[-1], 0)

    def test_a_machine_without_processes_crashes_no_backend(self):
        for _, code, out, err, results in self.run_with_each(
                range(1, 6), limit_processes, "--backend", "reference", "--jobs", "2", "--threads",
                "1", *self.small):
            self.assertIn(code, (0, 2), (out, err))
            if code == 2:
                self.assertIn("Resource temporarily unavailable", out + err)
            if code == 2 and results:
                self.assertLessEqual(self.verdicts(results), {"PASS", "HARNESS_ERROR"}, out)

    def journal_lines(self):
        try:
            with open(self.out + ".journal", "rb") as journal:
                return sum(1 for _ in journal)
        except FileNotFoundError:  # it has not begun
            return 0

    def test_workers_that_are_killed_from_outside_are_no_crashes(self):
        command = [CONCORD, "run", "--backend", "reference", "--out", self.out, "--jobs", "1",
                   "--filter", "pairs/*"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True)
        killed, told = 0, 0
        while process.poll() is None and killed < 4:
            time.sleep(0.1)
            # A case that is killed again while it is tried again has crashed: others come first.
            if self.journal_lines() < told + 100:
                continue
            for child in children_of(process.pid)[:1]:
                os.kill(child, (signal.SIGKILL, signal.SIGTERM)[killed % 2])
                killed, told = killed + 1, self.journal_lines()
        out, _ = process.communicate(timeout=200)
        self.assertGreaterEqual(killed, 2)
        results = read_json(self.out)["backends"][0]["results"]
        self.assertNotIn("CRASH", {r["verdict"] for r in results}, out)
        self.assertIn("a signal from outside", " ".join(r["reason"] for r in results))

    def test_a_plugin_that_kills_itself_crashes(self):
        code, out, _ = concord("run", "--backend", HOSTILE + ":query:kill", *self.small)
        self.assertEqual(code, 1)
        self.assertIn("in query: SIGKILL\n", out)


class Work(unittest.TestCase):
    def test_a_case_that_takes_too_much_work_is_not_begun(self):
        begin = time.monotonic()
        code, out, _ = concord("replay", "--backend", "reference", LONG)
        self.assertEqual(code, 2)
        self.assertIn("HARNESS_ERROR", out)
        self.assertIn("some 3.3e+12 multiply-adds of the reference; the limit is 1e+12 "
                      "(--max-work)", out)
        self.assertLess(time.monotonic() - begin, 20)

    def run_long(self, *arguments, backend="faulty:returns_zeros", signals=()):
        """Runs a case that takes minutes; gives the seconds it took and its results."""
        with tempfile.TemporaryDirectory() as folder:
            problems = os.path.join(folder, "problems.txt")
            with open(problems, "w", encoding="utf-8") as file:
                file.write(f"long: {LONG}\n")
            out = os.path.join(folder, "results.json")
            begin = time.monotonic()
            with subprocess.Popen([CONCORD, "run", "--backend", backend, "--problems", problems,
                                   "--jobs", "1", "--max-work", "1e15", "--deadline", "600",
                                   "--out", out, *arguments], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                for number in signals:
                    time.sleep(2)
                    begin = time.monotonic()
                    process.send_signal(number)
                code = process.wait(timeout=200)
            self.assertEqual(code, 2)
            return time.monotonic() - begin, read_json(out)

    def test_the_first_signal_holds_while_the_reference_or_a_backend_computes(self):
        for backend in "faulty:returns_zeros", "optimized":
            with self.subTest(backend):
                seconds, results = self.run_long(backend=backend, signals=[signal.SIGTERM])
                self.assertLess(seconds, 10)
                self.assertFalse(results["run"]["complete"])
                self.assertEqual(results["backends"][0]["results"], [])

    def test_two_signals_leave_the_results(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "results.json")
            with subprocess.Popen([CONCORD, "run", "--backend", "reference", "--suite", "full",
                                   "--out", out], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                while process.poll() is None and lines_of(out + ".journal") < 2:
                    time.sleep(0.1)
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=60), 2)
            self.assertFalse(read_json(out)["run"]["complete"])

    def test_a_time_budget_holds_while_the_reference_computes(self):
        seconds, results = self.run_long("--time-budget", "1")
        self.assertLess(seconds, 15)
        self.assertFalse(results["run"]["complete"])


if __name__ == "__main__":
    main()
