// SPDX-License-Identifier: Apache-2.0
// The engine's decisions about a convolution.
//
// An algorithm A is a folder with a struct of what its planner decides, in plan.h, with
//   static std::optional<A> make(const Context&, const Options&)   nothing if A is unsuitable
//   kName, kernel(), flushes_subnormals()                          for name(), kernel(), the plan
//   packed_elements(), staged_src(), staged_dst()                  elements of element_bytes():
//                                                                  packed weights; of the
//                                                                  workspace; of it for each thread
// and with the functions
//   void pack(const Context&, const A&, const void* weights, const void* bias, void* to)
//   void run(const Context&, const A&, const void* packed, const void* src, void* dst,
//            void* workspace)
//   void describe(const Context&, const A&, std::ostream&)
//   void run_unpacked(...), if it is not the same as to pack and run
// as direct/plan.h states them; and a place in `Algorithm` below. If plans of one kernel may add in
// several orders, it also has sums(), as Plan has it.
#ifndef CONCORD_OPTIMIZED_PLAN_H_
#define CONCORD_OPTIMIZED_PLAN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "optimized/amx/plan.h"
#include "optimized/context.h"
#include "optimized/direct/plan.h"
#include "optimized/grouped/plan.h"
#include "optimized/loops/plan.h"
#include "optimized/planes/plan.h"
#include "optimized/pointwise/plan.h"
#include "optimized/winograd/plan.h"

namespace concord::optimized {

/// Of a dst without elements.
struct Nothing {
  static constexpr const char* kName = "nothing";

  static std::optional<Nothing> make(const Context& context, const Options&) {
    return context.shape.is_empty() ? std::optional(Nothing{}) : std::nullopt;
  }
  const char* kernel() const { return "none"; }
  bool flushes_subnormals() const { return false; }
  Extent packed_elements() const { return 0; }
  Extent staged_src() const { return 0; }
  Extent staged_dst() const { return 0; }
};
inline void pack(const Context&, const Nothing&, const void*, const void*, void*) {}
inline void run(const Context&, const Nothing&, const void*, const void*, void*, void*) {}
inline void describe(const Context&, const Nothing&, std::ostream&) {}

/// All algorithms, in the order in which they are tried.
using Algorithm =
    std::variant<Nothing, Loops, Winograd, PlanesNcx, Grouping, AmxPlan, PointwiseNcx, Tiling>;

struct Plan : Context {
  Algorithm algorithm{};
  Extent dropped_weights = 0;  ///< elements of weights before the first tap of `shape`
  /// True where subnormal inputs and sums may count as zero.
  bool flushes_subnormals = false;
  std::size_t packed_bytes = 0;
  std::size_t workspace_bytes = 0;           ///< of execute() with packed weights
  std::size_t one_shot_workspace_bytes = 0;  ///< of execute() with on-the-fly packing
  std::optional<PlanChoice> choice{};        ///< the option's, if it serves
  std::string measured{};                    ///< what tuning says of it; empty if there was none

  /// What A has decided; null where the algorithm is another one.
  template <class A>
  const A* as() const {
    return std::get_if<A>(&algorithm);
  }
  /// The dims of dst, in the axis order of the problem's data format.
  const Extents& dst_dims() const { return shape.dst_tensor.dims; }
  /// "nothing", "loops", "winograd", "planes_ncx", "groups", "amx", "pointwise_ncx" or "tiles".
  std::string name() const;
  /// The name of the kernels that run: "tiles_f32_avx512", or "none".
  std::string kernel() const;
  /// The class of its bits: plans of a problem that have the same one add the same products in the
  /// same order.
  std::string sums() const;
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_PLAN_H_
