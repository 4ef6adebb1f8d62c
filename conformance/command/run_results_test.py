# SPDX-License-Identifier: Apache-2.0
"""What concord run says of what it judged: headline, results, exit codes."""

import hashlib
import json
import os
import shlex
import subprocess
import tempfile

from command_harness import CONCORD, RunTest, concord, main, read_json


class Run(RunTest):
    def test_the_last_line_is_the_headline(self):
        code, out, _, results = self.run_to_file("--backend", "reference", "--filter",
                                                 "*resnet50/*", "--seed", 3)
        self.assertEqual(code, 0)
        headline = out.strip().splitlines()[-1]
        self.assertRegex(headline, r"^reference: no failure among the \d+ selected cases - \d+ passed, "
                                   r"0 failed, 0 vacuous, \d+ declined(, sandbox: \w+)? "
                                   r"\(smoke, all dtypes, filter \*resnet50/\*, seed 3\)$")
        self.assertEqual(results["backends"][0]["headline"], headline)

    def test_standard_output_can_have_the_results_alone(self):
        run = "run", "--backend", "reference", "--filter", "*resnet50/conv1/*"
        with tempfile.TemporaryDirectory() as folder:
            for option in "--out", "--junit":
                done = subprocess.run([CONCORD, *run, option, "-"], capture_output=True, text=True,
                                      timeout=120, cwd=folder, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("passed", done.stderr)
                if option == "--out":
                    self.assertGreater(json.loads(done.stdout)["backends"][0]["brief"]["elements"][0], 0)
                else:
                    self.assertTrue(done.stdout.startswith("<?xml"), done.stdout[:40])
                    self.assertTrue(done.stdout.endswith("</testsuites>\n"))
            self.assertEqual(os.listdir(folder), [])

    def test_a_line_can_say_that_it_is_to_be_refused(self):
        line = "Convolution f32 src=1x3x5x6 weights=4x3x3x3 data_format=NCX weights_format=OIX"
        for words in "groups=2 expect=channels", "groups=2 expect=invalid":
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "own.txt")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"a: {line} {words}\n")
                _, _, _, results = self.run_to_file("--backend", "reference", "--problems", path)
            verdicts = [r["verdict"] for r in results["backends"][0]["results"]]
            self.assertEqual(verdicts, ["PASS", "PASS"])

    def test_a_line_that_the_documents_leave_open_is_named_and_failed_for_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "own.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a: Convolution f32 src=1x5x1 weights=3x1x1 pads_begin=-1 auto_pad=valid "
                           "data_format=NXC weights_format=XIO\n")
            _, _, err, results = self.run_to_file("--backend", "reference", "--problems", path)
        verdicts = [r["verdict"] for r in results["backends"][0]["results"]]
        self.assertEqual(verdicts, ["PASS", "PASS"])
        self.assertIn("a/f32/integers: the documents leave open", err)
        self.assertIn("pads_begin=-1 under auto_pad=valid", err)

    def test_shards_are_disjoint_and_together_whole(self):
        def ids(*arguments):
            _, _, _, results = self.run_to_file("--backend", "reference", "--filter",
                                                "*resnet50/conv[1-3]*f32*", *arguments)
            return [r["case"] for r in results["backends"][0]["results"]]
        parts = ids("--shard", "1/2") + ids("--shard", "2/2")
        self.assertEqual(sorted(parts), sorted(ids()))

    def test_golden_vectors_keep_all_that_a_backend_says_of_its_implementation(self):
        _, _, _, results = self.run_to_file("--backend", "optimized", "--suite", "golden", "--filter",
                                            "golden/literals/*/testConv2D1x1Filter/f32")
        told = [r["implementation"] for r in results["backends"][0]["results"]]
        self.assertEqual(len(told), 3)
        for implementation in told:
            self.assertRegex(implementation, r"^\w+: .*algorithm")

    def test_jobs_do_not_change_the_verdicts(self):
        def verdicts(jobs):
            _, _, _, results = self.run_to_file("--backend", "faulty:kernel_flip", "--filter",
                                                "*resnet50/*", "--shard", "1/4", "--shrink", 0, "--jobs",
                                                jobs)
            return [(r["case"], r["verdict"], r["wrong"])
                    for r in results["backends"][0]["results"]]
        self.assertEqual(verdicts(1), verdicts(3))

    def test_by_default_a_case_has_a_core_for_each_thread(self):
        cores = len(os.sched_getaffinity(0))
        for threads, jobs in (1, cores), (cores, 1), (cores + 1, 1):
            _, _, _, results = self.run_to_file("--backend", "reference", "--filter",
                                                "boundary/empty-batch/*", "--threads", threads)
            self.assertEqual(results["run"]["jobs"], jobs, threads)

    def test_suites_take_all_cores_by_one_thread_each(self):
        cores = len(os.sched_getaffinity(0))
        for options, threads, jobs in ((("--suite", "full"), 1, cores), ((), 1, cores),
                                       (("--threads", 2), 2, max(1, cores // 2)), (("--jobs", 1), 2, 1)):
            _, _, _, results = self.run_to_file("--backend", "faulty:none", "--filter", "boundary/empty-*", *options)
            self.assertGreater(results["run"]["cases"], 10)
            self.assertEqual((results["run"]["threads"], results["run"]["jobs"]), (threads, jobs), options)

    def test_the_replay_line_of_a_failure_fails_again(self):
        _, _, _, results = self.run_to_file("--backend", "faulty:kernel_flip", "--filter",
                                            "*resnet50/*f32*", "--shard", "1/4", "--shrink", 0)
        failed = [r for r in results["backends"][0]["results"] if r["verdict"] == "FAIL"]
        self.assertTrue(failed)
        command = failed[0]["replay"].replace("concord", shlex.quote(CONCORD), 1)
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_a_failure_of_a_command_is_replayed_by_a_script(self):
        dies_when_asked = (r'''while read -r line; do case $line in *\"load\"*) echo '{"name": "n", "version": "1"}' ;; '''
                           r'''*\"open\"*) echo '{"status": 0}' ;; *) exit 3 ;; esac; done''')
        with tempfile.TemporaryDirectory() as folder:
            _, _, err, results = self.run_to_file(
                "--backend", f"exec:{dies_when_asked}", "--filter", "*resnet50/conv1/f32/integers",
                "--programs", folder, "--shrink-budget", 5)
            script = results["backends"][0]["shrunk"][0]["smallest"]["program"]
            self.assertEqual([os.path.join(folder, name) for name in os.listdir(folder)], [script])
            self.assertIn(f"no C program (exec:{dies_when_asked} is not a plugin that C can load); {script} replays it", err)
            path = os.path.dirname(CONCORD) + os.pathsep + os.environ["PATH"]
            done = subprocess.run(["sh", script], capture_output=True, text=True, cwd="/",
                                  env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("exit with code 3", done.stdout)

    def test_builds_are_named_by_hash_and_commit(self):
        _, _, _, results = self.run_to_file("--backend", "reference", "--filter", "*resnet50/conv1/f32/integers")
        (file,) = results["backends"][0]["files"]
        with open(file["path"], "rb") as plugin:
            self.assertEqual(file["sha256"], hashlib.sha256(plugin.read()).hexdigest())
        self.assertEqual(os.path.basename(file["path"]), "reference.so")
        self.assertIn(f"{results['concord']['version']} (commit {results['concord']['build']})",
                      concord("--version")[1])

    def test_what_is_declined_can_be_judged_as_a_convolution(self):
        arguments = ("--backend", "onednn", "--filter", "cntk/layer-auto/*")
        code, _, _, results = self.run_to_file(*arguments)
        self.assertEqual((code, results["run"]["lower"]), (2, False))
        self.assertEqual({r["lowered"] for r in results["backends"][0]["results"]}, {None})
        code, out, _, results = self.run_to_file(*arguments, "--lower")
        self.assertEqual((code, results["run"]["lower"]), (0, True))
        judged = results["backends"][0]["results"]
        self.assertEqual(results["backends"][0]["lowered"], len(judged))
        self.assertRegex(out, rf"0 declined, {len(judged)} judged lowered(, sandbox: \w+)? \(smoke")
        for result in judged:
            self.assertRegex(result["lowered"], "^Convolution f32 src=2x3x9x10 .*data_format=NCX")
            self.assertIn(" --lower ", result["replay"])

    def test_a_report_reads_what_a_run_of_every_operation_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            for cases, operations in ("[bcs]*/*/f32/uniform", 16), ("[bc]*/*/f32/integers", 13):
                concord("run", "--backend", "reference", "--backend", "faulty:kernel_flip",
                        "--filter", cases, "--out", path)
                results = read_json(path)["backends"][0]["results"]
                self.assertEqual(len({r["operation"] for r in results}), operations)
                code, _, err = concord("report", path, "-o", os.path.join(folder, "report.html"))
                self.assertEqual(code, 0, err)

    def test_nothing_judged_is_exit_code_two(self):
        code, out, _, _ = self.run_to_file("--backend", "onednn", "--dtype", "f16", "--filter",
                                           "pairs/*")
        self.assertEqual(code, 2)
        self.assertIn("onednn: no verdict: nothing was judged - 0 passed", out)

    def test_a_bias_is_also_found_over_the_run_in_what_passed(self):
        code, out, _, results = self.run_to_file("--backend", "faulty:bias_added_toward_zero",
                                                 "--filter", "pairs/*/f32/uniform")
        backend = results["backends"][0]
        self.assertGreater(backend["counts"]["PASS"], len(backend["results"]) // 2)
        self.assertEqual((code, backend["conforms"]), (1, "no"))
        self.assertIn("pooled statistics failed", backend["headline"])
        failed = [pool for pool in backend["statistics"] if not pool["passed"]]
        self.assertTrue(failed)
        self.assertGreater(failed[0]["growth"], failed[0]["growth_limit"])
        self.assertIn("FAIL statistics of f32, strict", out)
        code, _, _, results = self.run_to_file("--backend", "optimized", "--filter",
                                               "pairs/*/f32/uniform")
        self.assertEqual(code, 0)
        for pool in results["backends"][0]["statistics"]:
            self.assertTrue(pool["passed"])
            self.assertGreater(pool["effective_bits"], 24)

    def test_says_what_the_cases_cover_that_each_backend_was_judged_on(self):
        _, out, _, results = self.run_to_file("--backend", "reference", "--backend", "xnnpack",
                                              "--filter", "pairs/*/f16/*", "--verbose")
        covering = results["run"]["covering"]
        self.assertLess(covering["pairs"], covering["all_pairs"])
        whole, part = (backend["covering"] for backend in results["backends"])
        self.assertEqual(whole, covering)
        for kind in "pairs", "triples":
            self.assertLess(part[kind], whole[kind])
        for name, judged in ("reference", whole), ("xnnpack", part):
            self.assertIn(f"covered by the judged cases of {name}: {judged['pairs']:,} of "
                          f"{judged['all_pairs']:,} (", out)
        _, _, _, results = self.run_to_file("--backend", "reference", "--filter", "boundary/*/f32/ramp")
        self.assertIsNone(results["run"]["covering"])
        self.assertIsNone(results["backends"][0]["covering"])

    def test_a_part_of_a_suite_is_not_said_to_conform(self):
        for part in (("--filter", "blocks/*"), ("--operation", "SpaceToBatch"),
                     ("--dtype", "bf16", "--filter", "blocks/*"), ("--shard", "1/40")):
            code, out, _, results = self.run_to_file("--backend", "reference", *part)
            backend = results["backends"][0]
            self.assertEqual((code, backend["conforms"]), (0, "selected"))
            self.assertEqual(results["run"]["narrowed"], part[0] != "--shard")
            cases = results["run"]["cases"]
            self.assertIn(f"reference: no failure among the {cases:,} selected cases - ", out)
            self.assertNotIn("reference: conforms", out)



class Huge(RunTest):
    def test_a_failure_of_huge_tensors_is_reported_and_not_shrunk(self):
        code, out, err, results = self.run_to_file("--suite", "huge", "--backend", "faulty:dst_elements_uint32",
                                                   "--filter", "huge/far-dst/*", "--jobs", 1)
        self.assertEqual(code, 1, out + err)
        backend = results["backends"][0]
        self.assertEqual((backend["counts"]["FAIL"], backend["shrunk"]), (1, []))

if __name__ == "__main__":
    main()
