# SPDX-License-Identifier: Apache-2.0
"""The concord command as its users meet it: what it prints, and its exit codes.

Run as: command_test.py path/to/concord [Class.test...]
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CONCORD = sys.argv[1]
LINE = ("Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 "
        "pads_end=0,3 dilations=2,2 groups=2 data_format=NCX weights_format=OIX")


def concord(*arguments, timeout=120):
    """Runs concord; gives its exit code, standard output and standard error."""
    done = subprocess.run([CONCORD, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class BadInput(unittest.TestCase):
    """Each gives one sentence that names the thing, and exit code 2."""

    def refuses(self, *arguments, names):
        code, out, err = concord(*arguments)
        self.assertEqual(code, 2, (arguments, out, err))
        self.assertIn(names, err)
        self.assertEqual(len(err.strip().splitlines()), 1, err)
        self.assertEqual(out, "")

    def test_unknown_words_on_the_command_line(self):
        self.refuses(names="subcommand")
        self.refuses("wibble", names="wibble")
        self.refuses("run", "--wibble", "--backend", "reference", names="--wibble")
        self.refuses("run", names="--backend")
        self.refuses("run", "--wibble", names="--wibble")
        self.refuses("run", "--backend", "reference", "--suite", "huge", names="huge")
        self.refuses("run", "--backend", "reference", "--dtype", "f8", names="f8")
        self.refuses("run", "--backend", "reference", "--threads", "0", names="--threads")
        self.refuses("run", "--backend", "reference", "--class", "wibble", names="wibble")
        self.refuses("run", "--backend", "reference", "--shard", "3/2", names="3/2")
        self.refuses("run", "--backend", "reference", "--filter", "no/such/*", names="no/such/*")
        self.refuses("run", "--backend", "reference", "--resume", names="--out")
        self.refuses("replay", "--backend", "reference", "--fill", "mud", LINE, names="mud")
        self.refuses("grade", "--bug", "wibble", names="wibble")
        self.refuses("run", "--backend", "reference", "--suite", "nightly", names="--time-budget")
        self.refuses("list", "--suite", "nightly", names="nightly")

    def test_numbers_that_are_none_or_out_of_range(self):
        for option, value in [("--seed", "-1"), ("--seed", "x"), ("--time-budget", "nan"),
                              ("--time-budget", "-1"), ("--time-budget", "inf"),
                              ("--deadline", "nan"), ("--deadline", "0"), ("--max-hangs", "0"),
                              ("--stop-after", "0"), ("--max-failures", "-1"), ("--jobs", "0"),
                              ("--shard", "1/99999999999999999999"),
                              ("--seed", "99999999999999999999"), ("--seed", "0x10")]:
            self.refuses("run", "--backend", "reference", "--filter", "*resnet50/conv1/*",
                         f"{option}={value}", names=value)

        for value in "nan", "0":
            self.refuses("grade", "--deadline", value, names=value)

    def test_backends_that_are_not_there(self):
        self.refuses("run", "--backend", "wibble", names="wibble")
        self.refuses("run", "--backend", "./none.so", names="./none.so")
        self.refuses("run", "--backend", "reference", "--backend", "reference", names="twice")

    def test_malformed_problem_lines(self):
        for line, word in [("", "empty"), ("Convolve f32", "Convolve"),
                           ("Convolution f8 src=1", "f8"),
                           (LINE + " groups=2", "groups=2"),
                           (LINE + " auto_pad=maybe", "auto_pad=maybe"),
                           (LINE.replace("9x10", "9x"), "src=2x4x9x")]:
            self.refuses("show", line, names=word)
            self.refuses("replay", "--backend", "reference", line, names=word)

    def test_a_file_that_is_no_plugin(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(b"not a shared object")
            file.flush()
            code, out, _ = concord("run", "--backend", file.name, "--filter", "*resnet50/conv1/*")
            self.assertEqual(code, 2)
            self.assertIn("cannot be judged", out)
            self.assertIn(file.name, out)

    def test_outputs_that_cannot_be_written(self):
        for option in "--out", "--junit":
            for path in "/no/such/folder/file", "/usr":  # known before anything is judged
                self.refuses("run", "--backend", "reference", "--filter", "*resnet50/conv1/*",
                             option, path, names=path)

    def test_outputs_without_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for option in "--out", "--junit":
                done = subprocess.run([CONCORD, "run", "--backend", "reference", "--filter",
                                       "*resnet50/conv1/*", option, ""], capture_output=True,
                                      text=True, timeout=60, cwd=folder)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{option}: cannot write a file without a name", done.stderr)
                self.assertEqual(done.stdout, "")
            self.assertEqual(os.listdir(folder), [])

    def test_outputs_that_would_overwrite_one_another(self):
        with tempfile.TemporaryDirectory() as folder:
            for out, junit in [("a", "a"), ("a", "./a"), ("a", "a.journal"), ("a", "a.part"),
                               ("a.part", "a")]:
                self.refuses("run", "--backend", "reference", "--out", os.path.join(folder, out),
                             "--junit", os.path.join(folder, junit), names="--junit")
            self.assertEqual(os.listdir(folder), [])

    def test_a_device_has_no_journal_beside_it(self):
        concord("run", "--backend", "reference", "--filter", "*resnet50/conv1/*", "--out",
                "/dev/null")
        self.assertFalse(os.path.exists("/dev/null.journal"))

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in ["show", LINE], ["list", "--filter", "*resnet50*"], ["--help"]:
                done = subprocess.run([CONCORD, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=60)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertIn("cannot write standard output: No space left on device", done.stderr)

    def test_standard_error_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in ["wibble"], ["run", "--backend", "wibble"], ["show", "wibble"]:
                done = subprocess.run([CONCORD, *arguments], stdout=subprocess.DEVNULL, stderr=full,
                                      timeout=60)
                self.assertEqual(done.returncode, 2, arguments)

    def test_folders_without_vectors(self):
        for name in "verify", "list", "table":
            self.refuses("vectors", "--vectors", "/no/such/folder", name, names="/no/such/folder")

    def test_a_problem_beyond_this_machine(self):
        code, out, _ = concord("replay", "--backend", "reference",
                               "Convolution f32 src=1x1x1048576x1048576 weights=1x1x1x1 "
                               "data_format=NCX weights_format=OIX")
        self.assertEqual(code, 2)
        self.assertIn("src=1x1x1048576x1048576 spans 4398046511104 bytes", out)


class Show(unittest.TestCase):
    def test_fills_the_formula_with_numbers(self):
        code, out, _ = concord("show", LINE)
        self.assertEqual(code, 0)
        self.assertIn("dst 2x6x3x7", out)
        self.assertIn("as documented and as implemented", out)

    def test_marks_where_the_readings_differ(self):
        code, out, _ = concord("show", "Convolution1 f32 src=1x4x1 weights=3x1x1 strides=2 "
                                       "auto_pad=same_upper")
        self.assertEqual(code, 0)
        self.assertIn("the readings differ", out)

    def test_shows_the_plan_of_a_backend_that_tells_one(self):
        code, out, _ = concord("show", "--plan", "--threads", "3", "--backend", "optimized",
                               "--backend", "reference", LINE)
        self.assertEqual(code, 0)
        for said in ("plan of optimized:", "algorithm tiles", "3 threads", "kernels ", "packing ",
                     "bound ", "reference has no plan to show"):
            self.assertIn(said, out)

    def test_a_plan_of_an_invalid_problem_is_why_it_is_refused(self):
        code, out, _ = concord("show", "--plan", "Convolution f32 src=1x4x1 weights=3x1x1 strides=0")
        self.assertEqual(code, 0)
        self.assertIn("optimized does not serve it: strides (0)", out)


class Spec(unittest.TestCase):
    def test_shows_the_blocks_of_atrous_conv2d_and_whether_they_can_be_chained(self):
        line = "AtrousConv2d f32 src=1x9x8x3 weights=3x3x3x4 rate=2 padding=SAME"
        code, out, _ = concord("show", line)
        self.assertEqual(code, 0)
        self.assertIn("SpaceToBatch block_size=2 paddings=2,3,2,2, a dense VALID convolution, "
                      "BatchToSpace block_size=2 crops=0,1,0,0", out)
        self.assertIn("exact only if what pads the phases is zeroed", out)
        for changed, says in (("src=1x9", "src=1x6"), "exact, 2 divides 6 and 8"), (
                ("weights=3x3", "weights=3x2"), "not exact, a side of the filter is even"), (
                ("rate=2", "rate=1"), "exact, nothing is moved"):
            self.assertIn(says, concord("show", line.replace(*changed))[1])

    def test_shows_valid_of_atrous_conv2d_as_its_document_prints_it(self):
        _, out, _ = concord("show", "AtrousConv2d f32 src=1x9x8x3 weights=2x3x3x4 rate=4 padding=VALID")
        self.assertIn("as documented (the readings differ):\n  H: O = I - 2*(K_W - 1) = "
                      "9 - 2*(3 - 1) = 5; 5 windows fit\n  W: O = I - 2*(K_H - 1) = 8 - 2*(2 - 1) "
                      "= 6; 0 windows fit; the others read zeros beyond value\n", out)

    def test_each_erratum_has_a_problem_on_which_text_and_system_differ(self):
        code, out, _ = concord("spec", "--errata")
        self.assertEqual(code, 0)
        documented = re.findall(r"documented:  (.*)", out)
        implemented = re.findall(r"implemented: (.*)", out)
        self.assertGreaterEqual(len(documented), 9)
        for text, system in zip(documented, implemented, strict=True):
            self.assertNotEqual(text, system)

    def test_shows_the_neighbours_of_a_continuous_layer(self):
        code, out, _ = concord("show", "ContinuousConvolution f32 src=1x1x3x3 weights=337 scale=2/3")
        self.assertEqual(code, 0)
        # By hand: g_0 = 0 * 3/2 + (3 - 1)/2 - (2 - 1) * 3/4 = 1/4, and 1/4 - 3/2 = -5/4.
        self.assertIn("g_0 = 1/4: -1 (zero) at 5/4 0 at 1/4 1 at -3/4", out)

    def test_shows_the_largest_axes_in_a_few_lines(self):
        largest = 2**30
        layer = f"ContinuousConvolution f32 src=0x1x{largest}x3 weights=0 function=keys "
        for rest, said in ((f"scale={largest},2/3 size={largest},2 kernel=3,4", "phases"),
                           (f"scale=1 size=2,2 kernel={largest},4", "neighbours from")):
            code, out, _ = concord("show", layer + rest, timeout=10)
            self.assertEqual(code, 0)
            self.assertIn(f"{largest} {said}", out)
            self.assertLess(len(out.splitlines()), 60)


class Manners(unittest.TestCase):
    """A backend computes rightly, and yet does not conform."""

    PLUGIN = os.path.join(os.path.dirname(CONCORD), "..", "conformance", "command", "plugins",
                          "ill_mannered.so")

    def says(self, manner, expected):
        code, out, err = concord("run", "--backend", f"{self.PLUGIN}:{manner}", "--shrink", "0",
                                 "--filter", "boundary/*/f32/integers")
        self.assertEqual(code, 1 if expected else 0, out + err)
        self.assertIn(expected or ": conforms", out)

    def test_without_a_bad_manner_it_conforms(self):
        self.says("", None)

    def test_an_answer_that_changes_from_query_to_query(self):
        self.says("decline_every_other", "and then, to the same problem, CONCORD_UNSUPPORTED")
        self.says("declare_anew", "and then, to the same problem, CONCORD_OK")

    def test_a_rounding_mode_that_is_left_behind(self):
        self.says("leave_rounding", "environment changed: results are rounded upward")

    def test_a_death_at_the_end(self):
        self.says("abort_in_close", "did not end well: in close: SIGABRT: printed "
                                    "'close: 1 object leaked'")


class Replay(unittest.TestCase):
    def test_exit_codes_tell_conforming_from_wrong_from_declined(self):
        self.assertEqual(concord("replay", "--backend", "reference", LINE)[0], 0)
        code, out, _ = concord("replay", "--backend", "faulty:kernel_flip", LINE)
        self.assertEqual(code, 1)
        for word in "got", "want", "allowed", "seed", LINE:
            self.assertIn(word, out)
        f16 = LINE.replace("f32", "f16")
        self.assertEqual(concord("replay", "--backend", "onednn", f16)[0], 2)


class Run(unittest.TestCase):
    def run_to_file(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            junit = os.path.join(folder, "junit.xml")
            code, out, err = concord("run", "--out", path, "--junit", junit, *arguments)
            with open(path, encoding="utf-8") as file:
                results = json.load(file)
            with open(junit, encoding="utf-8") as file:
                self.assertIn("<testsuites", file.read())
            return code, out, err, results

    def test_the_last_line_is_the_headline(self):
        code, out, _, results = self.run_to_file("--backend", "reference", "--filter",
                                                 "*resnet50/*", "--seed", 3)
        self.assertEqual(code, 0)
        headline = out.strip().splitlines()[-1]
        self.assertRegex(headline, r"^reference: conforms - \d+ passed, 0 failed, 0 vacuous, "
                                   r"\d+ declined \(smoke, all dtypes, filter \*resnet50/\*, seed 3\)$")
        self.assertEqual(results["backends"][0]["headline"], headline)

    def test_shards_are_disjoint_and_together_whole(self):
        def ids(*arguments):
            _, _, _, results = self.run_to_file("--backend", "reference", "--filter",
                                                "*resnet50/*f32*", *arguments)
            return [r["case"] for r in results["backends"][0]["results"]]
        parts = ids("--shard", "1/2") + ids("--shard", "2/2")
        self.assertEqual(sorted(parts), sorted(ids()))

    def test_jobs_do_not_change_the_verdicts(self):
        def verdicts(jobs):
            _, _, _, results = self.run_to_file("--backend", "faulty:kernel_flip", "--filter",
                                                "*resnet50/*", "--jobs", jobs)
            return [(r["case"], r["verdict"], r["wrong"])
                    for r in results["backends"][0]["results"]]
        self.assertEqual(verdicts(1), verdicts(3))

    def test_the_replay_line_of_a_failure_fails_again(self):
        _, _, _, results = self.run_to_file("--backend", "faulty:kernel_flip", "--filter",
                                            "*resnet50/*f32*")
        failed = [r for r in results["backends"][0]["results"] if r["verdict"] == "FAIL"]
        self.assertTrue(failed)
        command = failed[0]["replay"].replace("concord", shlex.quote(CONCORD), 1)
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_what_is_declined_can_be_judged_as_a_convolution(self):
        arguments = ("--backend", "onednn", "--filter", "cntk/layer-auto/*")
        code, _, _, results = self.run_to_file(*arguments)
        self.assertEqual((code, results["run"]["lower"]), (2, False))
        self.assertEqual({r["lowered"] for r in results["backends"][0]["results"]}, {None})
        code, out, _, results = self.run_to_file(*arguments, "--lower")
        self.assertEqual((code, results["run"]["lower"]), (0, True))
        judged = results["backends"][0]["results"]
        self.assertEqual(results["backends"][0]["lowered"], len(judged))
        self.assertIn(f"0 declined, {len(judged)} judged lowered (smoke", out)
        for result in judged:
            self.assertRegex(result["lowered"], "^Convolution f32 src=2x3x9x10 .*data_format=NCX")
            self.assertIn(" --lower ", result["replay"])

    def test_results_are_written_though_nobody_reads_the_output(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            reader, writer = os.pipe()
            os.close(reader)
            subprocess.run([CONCORD, "run", "--backend", "faulty:kernel_flip", "--filter",
                            "*resnet50/*f32/integers", "--max-failures", "1000", "--out", path],
                           stdout=writer, stderr=subprocess.DEVNULL, timeout=120)
            os.close(writer)
            with open(path, encoding="utf-8") as file:
                self.assertTrue(json.load(file)["backends"][0]["results"])

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
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(json.load(file)["run"]["complete"])
                with open(path + ".journal", encoding="utf-8") as file:
                    for line in file:
                        json.loads(line)

    def test_a_report_reads_what_a_run_of_every_operation_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            for cases, operations in ("[bcs]*/*/f32/uniform", 10), ("[bc]*/*/f32/integers", 9):
                concord("run", "--backend", "reference", "--backend", "faulty:kernel_flip",
                        "--filter", cases, "--out", path)
                with open(path, encoding="utf-8") as file:
                    results = json.load(file)["backends"][0]["results"]
                self.assertEqual(len({r["operation"] for r in results}), operations)
                code, _, err = concord("report", path, "-o", os.path.join(folder, "report.html"))
                self.assertEqual(code, 0, err)

    def test_nothing_judged_is_exit_code_two(self):
        code, out, _, _ = self.run_to_file("--backend", "onednn", "--dtype", "f16", "--filter",
                                           "pairs/*")
        self.assertEqual(code, 2)
        self.assertIn("cannot be judged", out)

    def test_a_bias_that_no_tensor_shows_is_found_over_the_run(self):
        code, out, _, results = self.run_to_file("--backend", "faulty:bias_added_toward_zero",
                                                 "--filter", "pairs/*/f32/uniform")
        backend = results["backends"][0]
        self.assertEqual(backend["counts"]["PASS"], len(backend["results"]))
        self.assertEqual((code, backend["conforms"]), (1, "no"))
        self.assertIn("pooled statistics failed", backend["headline"])
        failed = [pool for pool in backend["statistics"] if not pool["passed"]]
        self.assertTrue(failed)
        self.assertGreater(failed[0]["growth"], failed[0]["bias_limit"])
        self.assertIn("FAIL statistics of f32, strict", out)
        code, _, _, results = self.run_to_file("--backend", "optimized", "--filter",
                                               "pairs/*/f32/uniform")
        self.assertEqual(code, 0)
        for pool in results["backends"][0]["statistics"]:
            self.assertTrue(pool["passed"])
            self.assertGreater(pool["effective_bits"], 24)

    def test_a_time_budget_lets_a_failure_be_said_but_no_pass(self):
        code, out, _, results = self.run_to_file("--backend", "reference", "--suite", "full",
                                                 "--time-budget", 0.5)
        self.assertEqual((code, results["backends"][0]["conforms"]), (2, "unknown"))
        self.assertFalse(results["run"]["complete"])
        self.assertIn("cannot be judged", out)
        code, _, _, _ = self.run_to_file("--backend", "faulty:returns_zeros", "--suite", "full",
                                         "--time-budget", 2)
        self.assertEqual(code, 1)

    def test_nightly_goes_on_until_its_time_is_up_and_repeats_nothing(self):
        code, out, _, results = self.run_to_file(
            "--backend", "optimized", "--suite", "nightly", "--filter", "[pd][ar]*/00[1-3]/*",
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

    def test_says_what_the_cases_cover(self):
        _, out, _, results = self.run_to_file("--backend", "reference", "--filter", "pairs/*/f16/*")
        covering = results["run"]["covering"]
        self.assertLess(covering["pairs"], covering["all_pairs"])
        self.assertIn(f"covering: {covering['pairs']:,} of {covering['all_pairs']:,} (", out)
        _, _, _, results = self.run_to_file("--backend", "reference", "--filter", "boundary/*/f32/ramp")
        self.assertIsNone(results["run"]["covering"])

    def test_a_run_is_not_resumed_with_another_build_of_the_plugin(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin = os.path.join(folder, "mine.so")
            shutil.copy(os.path.join(os.path.dirname(CONCORD), "..", "plugins", "reference.so"),
                        plugin)
            command = ["run", "--backend", plugin, "--filter", "*resnet50/conv1/*", "--out",
                       os.path.join(folder, "results.json")]
            self.assertEqual(concord(*command)[0], 0)
            self.assertEqual(concord(*command, "--resume")[0], 0)
            os.utime(plugin, (1, 1))
            code, _, err = concord(*command, "--resume")
            self.assertEqual(code, 2)
            self.assertIn("belongs to another run: plugins was", err)

    def test_an_interrupted_run_is_written_and_can_be_resumed(self):
        for how in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with self.subTest(how):
                self.interrupt_and_resume(how)

    def interrupt_and_resume(self, how):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            command = [CONCORD, "run", "--backend", "reference", "--suite", "full", "--out", path]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            journal = path + ".journal"
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                if os.path.exists(journal):
                    with open(journal, encoding="utf-8") as file:
                        if file.read().count('"end"') > 20:
                            break
                time.sleep(0.05)
            process.send_signal(how)
            self.assertEqual(process.wait(timeout=60), 2)
            process.communicate()
            with open(path, encoding="utf-8") as file:
                cut = json.load(file)
            self.assertFalse(cut["run"]["complete"])
            done = len(cut["backends"][0]["results"])
            self.assertGreater(done, 20)
            code, _, err = concord("run", "--backend", "reference", "--suite", "full", "--out",
                                   path, "--resume", "--time-budget", "1")
            self.assertEqual(code, 2, err)  # a pass of all is not known yet
            with open(path, encoding="utf-8") as file:
                self.assertGreater(len(json.load(file)["backends"][0]["results"]), done)


class Declarations(unittest.TestCase):
    """What an undeclared class is found by, and that it passes once it is declared."""

    def judge(self, bug, dtype, tier, fill, arithmetic):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            options = ["--backend", f"faulty:{bug}", "--dtype", dtype, "--filter", "pairs/*",
                       "--out", path]
            self.assertEqual(concord("run", *options)[0], 1)
            with open(path, encoding="utf-8") as file:
                results = json.load(file)["backends"][0]["results"]
            found = {(r["tier"], r["fill"]) for r in results if r["verdict"] == "FAIL"}
            self.assertIn((tier, fill), found)
            code, out, _ = concord("run", *options, "--class", arithmetic)
            self.assertEqual(code, 0, out)

    def test_a_store_that_cuts_off(self):
        self.judge("store_truncates", "bf16", "exact", "integers", "output_rounding=zero")

    def test_products_in_tf32(self):
        self.judge("f32_through_tf32", "f32", "exact", "impulse", "tf32")
        self.judge("f32_through_tf32", "f32", "statistical", "uniform", "tf32")

    def test_sums_in_bf16(self):
        self.judge("accumulates_in_bf16", "bf16", "exact", "integers", "bf16-accumulate")


class Load(unittest.TestCase):
    def test_a_program_that_ends_at_once_is_said_to(self):
        code, out, _ = concord("run", "--backend", "exec:false", "--filter", "*resnet50/conv1/*")
        self.assertEqual(code, 2)
        self.assertIn("exec:false: cannot be judged - in load: exit with code 1", out)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
