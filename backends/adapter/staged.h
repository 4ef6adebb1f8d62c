// SPDX-License-Identifier: Apache-2.0
// What libraries need that know dense tensors only, and no padding of every kind or no groups: the
// user's tensors copied to dense ones in the library's order of axes, src with zeros around it, one
// group after the other.
//
// An adapter derives from StagedConvolution, gives the orders, and calls the library in convolve().
#ifndef CONCORD_BACKENDS_ADAPTER_STAGED_H_
#define CONCORD_BACKENDS_ADAPTER_STAGED_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "backends/adapter/adapter.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/views.h"

namespace concord::backends {

/// A user's tensor, and a dense one of its own with the same axes and zeros before and behind.
class Staged {
 public:
  /// `before` and `behind` have an entry per axis, or are empty: no zeros.
  Staged(Dtype dtype, const Tensor& user, const Extents& before = {}, const Extents& behind = {});

  /// Copies the user's elements and keeps them.
  void load(const void* from);
  /// The dense elements: the user's own where they are dense already, otherwise a copy.
  const std::byte* read(const void* from);
  /// Where the library shall write: the user's own memory, or ours, which store() copies.
  std::byte* target(void* to);
  void store(void* to) const;

  const std::byte* data() const { return bytes_.get(); }
  /// The bytes of one group; groups are the first axis.
  std::size_t bytes_of_part(Extent groups) const {
    return size_ / static_cast<std::size_t>(groups);
  }

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::byte* own();

  std::size_t element_bytes_, size_ = 0;
  Tensor user_, inner_;  ///< inner_: the user's elements within ours
  std::size_t first_ = 0;
  bool in_place_;
  std::unique_ptr<std::byte[], Free> bytes_;  ///< made when it is needed, aligned to 64 bytes
};

/// The order in which a library reads the axes of views_of(): src and dst [N,G,C/G,D,H,W], weights
/// [G,OC/G,IC/G,KD,KH,KW]. Groups come first.
struct Orders {
  std::vector<std::size_t> src, weights, dst;
};
/// src and dst as [G,N,C/G,D,H,W], weights as [G,OC/G,IC/G,KD,KH,KW].
Orders channels_first();
/// src and dst as [G,N,D,H,W,C/G], weights as [G,KD,KH,KW,IC/G,OC/G].
Orders channels_last();

/// The memory of one group, every tensor dense in the library's order; bias null without one.
struct GroupMemory {
  const std::byte *src, *weights, *bias;
  std::byte* dst;
};

/// A convolution whose groups a library computes one by one.
class StagedConvolution : public Prepared {
 public:
  std::optional<Refused> execute(const Buffers& buffers) override;

 protected:
  /// Where the adapter pads, src has zeros around it; `p` has three spatial axes at most.
  StagedConvolution(Dtype dtype, const PaddedConvolution& p, const PrepareOptions& options,
                    const Orders& orders, bool adapter_pads);

  /// Computes one group. Nothing is returned on success.
  virtual std::optional<Refused> convolve(const GroupMemory& group) = 0;

  const PaddedConvolution& problem() const { return p_; }
  /// The numbers that the library gets: where the adapter pads, I is the padded extent and the pads
  /// are zero.
  const Window& window() const { return window_; }

 private:
  PaddedConvolution p_;
  Window window_;
  bool has_bias_, keeps_weights_, keeps_bias_;
  Staged src_, weights_, bias_, dst_;
};

/// What StagedConvolution does for the library, for Answer::adapter_part, behind `more` and
/// lowering_part(): "auto_pad, surrounds src with zeros, one group at a time".
std::string staging_part(const Problem& problem, const PaddedConvolution& p, bool adapter_pads,
                         const std::string& more = "");

/// Declines tensors without elements, for libraries that take none.
std::optional<Refused> without_elements(const PaddedConvolution& p);

/// Declines sizes beyond 32 bits, and a padded src of which a copy would not fit in 1 GiB, naming
/// the size.
std::optional<Refused> too_large_to_stage(Dtype dtype, const PaddedConvolution& p);

/// The first of these that holds, or more than three spatial axes.
std::optional<Refused> cannot_stage(Dtype dtype, const PaddedConvolution& p);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_STAGED_H_
