// SPDX-License-Identifier: Apache-2.0
// What a sweep has seen.
#ifndef CONCORD_FUZZ_SWEEP_TALLY_H_
#define CONCORD_FUZZ_SWEEP_TALLY_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace concord::fuzz {

/// Counts problems of one kind and keeps the first one on which the two sides differ.
class Tally {
 public:
  /// Of all problems, one in `every` is looked at.
  Tally(std::string name, std::int64_t every) : name_(std::move(name)), every_(every) {}

  /// Counts a problem; true if it is to be looked at.
  bool takes() { return all_++ % every_ == 0; }
  void agree(bool refused) { ++(refused ? refused_ : computed_); }
  void differ(const std::string& problem) {
    if (differences_++ == 0) first_ = problem;
  }

  /// Prints one line; true if all agreed.
  bool report() const;

 private:
  std::string name_, first_{};
  std::int64_t every_;
  std::int64_t all_ = 0, computed_ = 0, refused_ = 0, differences_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// 1-D and 2-D: every problem with extents to 5, kernels, strides and dilations to 3, pads to 2,
/// each auto_pad and reading, one and two groups, in all four pairs of formats. 3-D: as much of
/// each axis beside nine settings of the other two. True if all agree.
bool sweep_convolution(std::int64_t every);
/// Extents to 5, filters to 3, rates to 3, both paddings.
bool sweep_atrous();
/// 1-D and 2-D with channels: extents to 5, kernels and strides to 3, automatic padding or pads to
/// 2, shared or not, one and two maps, both readings.
bool sweep_cntk(std::int64_t every);
/// One axis: extents to 5, kernels to 3, scales of parts to 4, every ties policy and boundary, each
/// way of the engine; and pairs of them.
bool sweep_continuous(std::int64_t every);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_SWEEP_TALLY_H_
