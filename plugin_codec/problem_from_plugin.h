// SPDX-License-Identifier: Apache-2.0
// The structs of the plugin ABI as a Problem: what a plugin of ours reads.
#ifndef CONCORD_PLUGIN_CODEC_PROBLEM_FROM_PLUGIN_H_
#define CONCORD_PLUGIN_CODEC_PROBLEM_FROM_PLUGIN_H_

#include "plugin_codec/refused.h"
#include "spec/problem.h"

namespace concord {

/// The problem that the host passed. Dense tensors have no strides, except dst, which has those
/// that it came with.
/// Errors  CONCORD_UNSUPPORTED for what this version does not know (an operation, a dtype, an
///         enumerator), CONCORD_FAULT for what breaks the header's
///         rules (a null pointer, a struct too small, a rank beyond CONCORD_MAX_RANK)
Or<Problem> problem_from_plugin(const concord_problem& problem);

}  // namespace concord

#endif  // CONCORD_PLUGIN_CODEC_PROBLEM_FROM_PLUGIN_H_
