// SPDX-License-Identifier: Apache-2.0
// Which part of a suite is this process's, where many run side by side.
#ifndef CONCORD_CONFORMANCE_COMMAND_JOB_ARRAY_H_
#define CONCORD_CONFORMANCE_COMMAND_JOB_ARRAY_H_

#include <string>

namespace concord::conformance {

/// "2/5": the part that the environment names for this process, counted from one.
/// Sources  GTEST_SHARD_INDEX, GTEST_TOTAL_SHARDS (index from 0); SLURM_ARRAY_TASK_ID, _COUNT, _MIN
///          and _STEP; CI_NODE_INDEX, CI_NODE_TOTAL (index from 1); the first that is there
/// Errors   CLI::ValidationError: none is there, or one that is no number of a part
std::string shard_of_environment();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_JOB_ARRAY_H_
