#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""terminal_test.py CONCORD: what a run says to a reader: narrow, coloured only where it may be."""

import json
import os
import pathlib
import pty
import subprocess
import unittest

from command_harness import CONCORD, concord, main

NUMPY = pathlib.Path(__file__).resolve().parents[2] / "backends/exec/numpy_conv.py"
FEW = ["run", "--filter", "boundary/same-upper-i4-k3-s2/f32/*", "--backend"]


def on_a_terminal(*arguments, **variables):
    """What a run prints to a terminal. Skips the test where the system has none, as in a chroot without /dev/pts."""
    try:
        ours, its = pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no pseudo-terminal: {error}") from error
    environment = {**os.environ, "TERM": "xterm", **variables}
    if "NO_COLOR" not in variables:
        environment.pop("NO_COLOR", None)
    with subprocess.Popen([CONCORD, *arguments], stdin=subprocess.DEVNULL, stdout=its,
                          stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(its)
        text = b""
        try:
            while piece := os.read(ours, 4096):
                text += piece
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return process.returncode, text.decode().replace("\r\n", "\n")


class Terminal(unittest.TestCase):
    def test_verdicts_have_colours_on_a_terminal_unless_declined(self):
        code, out = on_a_terminal(*FEW, "reference", "--backend", "xnnpack")
        self.assertEqual(code, 1)
        self.assertIn("\x1b[32mno failure\x1b[0m\n", out)
        self.assertIn("\x1b[1;31mno\x1b[0m\n", out)
        self.assertIn("\x1b[1;31mxnnpack\x1b[0m: does not conform", out)
        for declined in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", on_a_terminal(*FEW, "reference", **declined)[1])
        self.assertIn("\x1b", on_a_terminal(*FEW, "reference", NO_COLOR="")[1])
        self.assertNotIn("\x1b", concord(*FEW, "xnnpack")[1])

    def test_the_table_comes_last_but_for_the_verdicts_and_is_narrow(self):
        _, out, _ = concord(*FEW, "reference", "--backend", "xnnpack")
        lines = out.splitlines()
        self.assertEqual(lines[-5].split(), ["backend", "passed", "failed", "declined", "conforms"])
        self.assertLessEqual(max(map(len, lines[-5:-2])), 80)
        self.assertTrue(lines[-2].startswith("reference: no failure among"))
        self.assertTrue(lines[-1].startswith("xnnpack: does not conform"))

    def test_quiet_is_the_table_and_the_verdicts_alone(self):
        code, out, err = concord(*FEW, "xnnpack", "--quiet")
        self.assertEqual((code, err, len(out.splitlines())), (1, "", 3))
        self.assertEqual(on_a_terminal(*FEW, "xnnpack", "--quiet", NO_COLOR="1"), (1, out))
        code, _, err = concord(*FEW, "xnnpack", "--quiet", "--verbose")
        self.assertEqual(code, 2)
        self.assertIn("--verbose", err)

    def test_effective_bits_and_coverings_are_for_those_who_ask(self):
        words = ["run", "--filter", "pairs/0[0-4]*/f32/*", "--backend", "reference"]
        for words, wanted in ((words, False), ([*words, "--verbose"], True)):
            out = concord(*words)[1]
            for text in ("effective bits of reference", "judged outputs of", "covered by the judged"):
                self.assertEqual(text in out, wanted, text)

    def test_the_reasons_of_declining_are_counted(self):
        out = concord("run", "--backend", "xnnpack", "--operation", "AtrousConv2d", "--operation",
                      "SpaceToBatch", "--filter", "boundary/*")[1]
        self.assertRegex(out, r"xnnpack declined \d+ cases(, mostly)?:\n +\d+  \S")
        self.assertRegex(out, r"\d+ are of operations that --lower tries as a Convolution")
        out = concord("run", "--backend", "reference", "--filter", "boundary/*/f32/ramp")[1]
        self.assertNotIn("declined ", out.split("reference: ")[0].replace("  declined  ", ""))

    def test_a_program_is_called_by_its_name_and_replayed_by_its_command(self):
        command = f"exec:/usr/bin/python3 -B '{NUMPY}'"
        _, out, _ = concord(*FEW, command, "--class", "accumulator=bf16,input=bf16", "--verbose")
        self.assertIn("\nexec:numpy  ", out)
        self.assertNotIn(str(NUMPY), out)

    def test_results_go_to_standard_output_and_all_else_elsewhere(self):
        code, out, err = concord(*FEW, "xnnpack", "--out", "-")
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(out)["backends"][0]["conforms"], "no")
        self.assertIn("xnnpack: does not conform", err)
        self.assertIn("  conforms\n", err)

    def test_planted_bugs_are_listed(self):
        code, out, _ = concord("list", "--bugs")
        graded = concord("grade", "--list")[1]
        self.assertEqual((code, out[:len(graded)]), (0, graded))
        # Those that only the tensors of suite huge show, which grade does not run, come last.
        for line in out[len(graded):].splitlines():
            self.assertEqual(line.split("\t")[1], "offsets", line)
        self.assertIn("pads_swapped\tpadding\talways\tPads the end", out)
        self.assertEqual(concord("list", "--bugs", "--backends")[0], 2)

    def test_a_hang_names_the_option_to_change(self):
        script = ("read l; echo '{\"name\": \"slow\", \"version\": \"1\"}'; read l; "
                  "echo '{\"status\": 0}'; read l; sleep 100")
        _, out, _ = concord(*FEW, f"exec:{script}", "--deadline", "0.3", "--shrink", "0")
        self.assertIn("exec:slow: HANG", out)
        self.assertIn("no answer within 300 ms (--deadline)", out)


if __name__ == "__main__":
    main()
