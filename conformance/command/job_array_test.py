# SPDX-License-Identifier: Apache-2.0
"""--shard auto takes its part from the variables of job arrays."""

import os
import subprocess
import unittest

from command_harness import CONCORD, main

FEW = ["list", "--suite", "smoke", "--filter", "*resnet50/*"]


def listed(shard, **variables):
    """The cases of a part, as concord lists them under these variables alone."""
    environment = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run([CONCORD, *FEW, "--shard", shard], env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    return done.returncode, done.stdout, done.stderr


class JobArray(unittest.TestCase):
    def same(self, shard, **variables):
        code, out, err = listed("auto", **variables)
        self.assertEqual(code, 0, err)
        self.assertEqual(out, listed(shard)[1])
        self.assertNotEqual(out, listed("1/1")[1])

    def refused(self, names, **variables):
        code, out, err = listed("auto", **variables)
        self.assertEqual((code, out), (2, ""))
        self.assertIn(names, err)

    def test_googletest_counts_from_zero(self):
        self.same("1/3", GTEST_SHARD_INDEX="0", GTEST_TOTAL_SHARDS="3")
        self.same("3/3", GTEST_SHARD_INDEX="2", GTEST_TOTAL_SHARDS="3")

    def test_slurm_counts_from_where_its_array_begins_in_its_steps(self):
        self.same("2/3", SLURM_ARRAY_TASK_ID="1", SLURM_ARRAY_TASK_COUNT="3",
                  SLURM_ARRAY_TASK_MIN="0")
        self.same("2/3", SLURM_ARRAY_TASK_ID="7", SLURM_ARRAY_TASK_COUNT="3",
                  SLURM_ARRAY_TASK_MIN="5", SLURM_ARRAY_TASK_STEP="2")

    def test_gitlab_counts_from_one(self):
        self.same("3/4", CI_NODE_INDEX="3", CI_NODE_TOTAL="4")

    def test_what_names_no_part_is_refused(self):
        self.refused("neither GTEST_SHARD_INDEX")
        self.refused("GTEST_TOTAL_SHARDS=''", GTEST_SHARD_INDEX="0")
        self.refused("CI_NODE_INDEX='x'", CI_NODE_INDEX="x", CI_NODE_TOTAL="4")
        self.refused("CI_NODE_INDEX=5 is none of 4", CI_NODE_INDEX="5", CI_NODE_TOTAL="4")
        self.refused("CI_NODE_INDEX=0 is none of 4", CI_NODE_INDEX="0", CI_NODE_TOTAL="4")
        self.refused("SLURM_ARRAY_TASK_ID=6 is none", SLURM_ARRAY_TASK_ID="6",
                     SLURM_ARRAY_TASK_COUNT="3", SLURM_ARRAY_TASK_MIN="5",
                     SLURM_ARRAY_TASK_STEP="2")


if __name__ == "__main__":
    main()
