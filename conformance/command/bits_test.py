# SPDX-License-Identifier: Apache-2.0
"""When two executions of a problem must leave the same bits, and what is said if they do not."""

import os
import re
import shlex

from command_harness import CONCORD, RunTest, concord, main

PLUGIN = os.path.join(os.path.dirname(CONCORD), "..", "conformance", "command", "plugins",
                      "varying.so")
AGAIN = ("another execution( from another thread)? with different garbage in dst and workspace"
         "(, after one (with other inputs|of a second handle of the problem),)? gave different bits: ")
THREADS = "query declared the same bits for any number of threads: "
NUMBER = r"-?[0-9.e+-]+"


class Bits(RunTest):
    """The plugin computes what the template does, in an order that depends on something."""

    def run_plugin(self, variant, only, *options):
        """Exit code, and the reasons of the failures."""
        code, _, _, results = self.run_to_file("--backend", f"{PLUGIN}:{variant}", "--shrink", "0",
                                               "--dtype", "f32", "--filter", only, *options)
        backend = results["backends"][0]
        self.assertGreater(backend["counts"]["PASS"], 0)
        return code, [r["reason"] for r in backend["results"] if r["verdict"] == "FAIL"]

    def assert_fails(self, found, pattern):
        code, reasons = found
        self.assertEqual(code, 1)
        self.assertGreater(len(reasons), 0)
        for reason in reasons:
            self.assertRegex(reason, f"^{pattern}$")

    def test_a_nan_is_a_nan_whatever_its_sign_and_payload(self):
        self.assertEqual(self.run_plugin("nan", "*"), (0, []))

    def test_an_order_that_changes_a_number_is_named_with_its_first_element(self):
        found = self.run_plugin("order", "*/uniform")
        self.assert_fails(found, AGAIN + rf"dst\[[0-9,]+\] was {NUMBER} and then {NUMBER}")

    def test_a_zero_of_another_sign_has_other_bits(self):
        found = self.run_plugin("zero", "*")
        self.assert_fails(found, AGAIN + r"dst\[[0-9,]+\] was -?0 and then -?0")

    def test_the_same_bits_for_any_number_of_threads_is_a_promise(self):
        for options, counts in (((), r"1 and \S+ with threads=[23]"),
                                (("--threads", "2"), r"2 and \S+ with threads=[13]")):
            found = self.run_plugin("threads", "*/uniform", *options)
            self.assert_fails(found, re.escape(THREADS) + r"dst\[[0-9,]+\] was \S+ with threads=" +
                              counts)

    def test_who_promises_no_bits_may_sum_by_threads(self):
        self.assertEqual(self.run_plugin("threads_undeclared", "*/uniform"), (0, []))

    def test_a_broken_promise_is_shown_again_and_made_small(self):
        code, out, _ = concord("run", "--backend", f"{PLUGIN}:threads", "--filter", "*/uniform")
        self.assertEqual(code, 1)
        shrunk = out[out.index("  shrunk   side_effects"):]
        self.assertIn(THREADS, shrunk)
        command = re.search(r"replay   concord (.*)", shrunk).group(1)
        self.assertIn(THREADS, concord(*shlex.split(command))[1])


if __name__ == "__main__":
    main()
