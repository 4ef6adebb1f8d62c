# SPDX-License-Identifier: Apache-2.0
"""What a run says of the sandbox of a backend, and what it refuses without one."""

import os
import tempfile

from command_harness import RunTest, concord, main

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
        code, _, err = concord("run", "--backend", "exec:cat", "--sandbox", "required")
        self.assertEqual(code, 2)
        self.assertIn("--sandbox required: exec:cat is not confined", err)

    def test_what_may_be_written_must_be_there(self):
        with tempfile.TemporaryDirectory() as folder:
            self.level_of("--sandbox-allow", folder)
            missing = os.path.join(folder, "missing")
        code, _, err = concord("run", *FEW, "--sandbox-allow", missing)
        self.assertEqual(code, 2)
        self.assertIn(missing, err)


if __name__ == "__main__":
    main()
