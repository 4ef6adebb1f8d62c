# SPDX-License-Identifier: Apache-2.0
"""What a run says of the sandbox of a backend, and what it refuses without one."""

import os
import shutil
import sys
import tempfile

from command_harness import CONCORD, RunTest, concord, main

NUMPY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "backends", "exec", "numpy_conv.py")
PROGRAM = f"exec:{sys.executable} -B '{os.path.abspath(NUMPY)}'"

FEW = ("--backend", "reference", "--filter", "boundary/*/integers", "--dtype", "f32")


class Sandbox(RunTest):
    """Each test holds on machines without namespaces, too."""

    def level_of(self, *options):
        """The level in the results, why it is not higher, and what the run printed."""
        code, out, _, results = self.run_to_file(*FEW, *options)
        self.assertEqual(code, 0)
        sandbox = results["backends"][0]["sandbox"]
        return sandbox["level"], sandbox["lack"], out

    def test_results_and_the_end_of_a_run_say_how_far_a_plugin_was_confined(self):
        level, lack, out = self.level_of()
        self.assertEqual(level == "namespaces+seccomp", lack is None)
        self.assertEqual("reference: sandbox: " in out, lack is not None)
        level, lack, out = self.level_of("--sandbox", "off")
        self.assertEqual((level, lack), ("rlimits", "--sandbox off"))
        self.assertIn("reference: sandbox: rlimits (--sandbox off)", out)

    def test_a_run_that_requires_a_sandbox_has_one_or_ends_with_2(self):
        level, lack, _ = self.level_of()
        code, _, err = concord("run", *FEW, "--sandbox", "required")
        self.assertEqual(code, 0 if lack is None else 2, err)
        if lack is not None:
            self.assertIn(f"--sandbox required: reference is confined by {level} alone: {lack}", err)
        if lack is not None:
            code, _, err = concord("run", "--backend", PROGRAM, "--sandbox", "required")
            self.assertEqual(code, 2)
            self.assertIn(f"--sandbox required: {PROGRAM} is confined by {level} alone", err)

    def test_programs_behind_exec_are_confined_as_plugins_are_and_find_their_tensors(self):
        level, lack, _ = self.level_of()
        code, out, _, results = self.run_to_file("--backend", PROGRAM, "--filter", "boundary/*/integers", "--dtype", "f32",
                                                 "--operation", "Convolution", "--shard", "1/8")
        self.assertEqual(code, 0, out)
        backend = results["backends"][0]
        self.assertEqual(backend["sandbox"], {"level": level, "lack": lack})
        self.assertTrue(any("/python3" in each["path"] for each in backend["libraries"]), backend["libraries"])

    def test_the_headline_states_a_level_that_is_not_the_highest(self):
        _, _, _, results = self.run_to_file(*FEW, "--sandbox", "off")
        self.assertIn(", sandbox: rlimits (", results["backends"][0]["headline"])

    def test_the_results_know_no_level_of_a_backend_that_cannot_be_loaded(self):
        code, out, _, results = self.run_to_file("--backend", "exec:false", *FEW[2:])
        self.assertEqual(code, 2)
        self.assertIn("exec:false: cannot be judged", out)
        self.assertEqual(results["backends"][0]["sandbox"], {"level": "unknown", "lack": None})

    def test_a_backend_of_concords_under_another_name_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "vendor.so")
            shutil.copyfile(os.path.join(os.path.dirname(CONCORD), "..", "plugins", "reference.so"), copy)
            code, out, _, results = self.run_to_file("--backend", copy, *FEW[2:])
        self.assertEqual(code, 0)
        self.assertEqual(results["backends"][0]["shipped"], ["reference"])
        self.assertIn(", runs Concord's own backend reference", out)
        _, _, _, results = self.run_to_file(*FEW)
        self.assertEqual(results["backends"][0]["shipped"], [])
        self.assertTrue(any("/libc.so" in each["path"] for each in results["backends"][0]["libraries"]))

    def test_what_may_be_written_must_be_there(self):
        with tempfile.TemporaryDirectory() as folder:
            self.level_of("--sandbox-allow", folder)
            missing = os.path.join(folder, "missing")
        code, _, err = concord("run", *FEW, "--sandbox-allow", missing)
        self.assertEqual(code, 2)
        self.assertIn(missing, err)


if __name__ == "__main__":
    main()
