// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/pooled.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr int kAllLengths = -1;

// 0 for one product, 1 for two, 2 for up to four, 3 for up to eight.
int length_class(Extent products) {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(std::max<Extent>(products, 1)) - 1));
}

void add(Pool& pool, const TensorErrors& errors) {
  const bool first = pool.tensors == 0;
  pool.least_products = first ? errors.products : std::min(pool.least_products, errors.products);
  pool.most_products = std::max(pool.most_products, errors.products);
  pool.sums += errors.sums;
  ++pool.tensors;
}

}  // namespace

std::vector<Pool> pool_errors(const CaseList& cases, const Sparse<CaseResult>& results) {
  std::map<std::tuple<Dtype, std::string, int>, Pool> pools;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& result = results[i];
    if (!result || result->verdict != Verdict::kPass || !result->errors) continue;
    const Dtype dtype = cases[i].problem.dtype;
    for (const int length : {kAllLengths, length_class(result->errors->products)}) {
      add(pools[{dtype, result->arithmetic, length}], *result->errors);
    }
  }
  std::vector<Pool> found;
  for (auto& [key, pool] : pools) {
    pool.dtype = std::get<Dtype>(key);
    pool.arithmetic = std::get<std::string>(key);
    pool.all_lengths = std::get<int>(key) == kAllLengths;
    // The class is what print() wrote of a case that passed.
    const auto arithmetic = parse_arithmetic(pool.arithmetic);
    CONCORD_CHECK(arithmetic) << pool.arithmetic;
    pool.finding = judge_statistical(pool.dtype, *arithmetic, pool.sums, Drawn::kOnce);
    found.push_back(std::move(pool));
  }
  return found;
}

std::string describe(const Pool& pool) {
  const std::string lengths =
      pool.least_products == pool.most_products
          ? fmt::format("{}", pool.least_products)
          : fmt::format("{} to {}", pool.least_products, pool.most_products);
  return fmt::format("{}, {}, {} products, {} tensors", to_string(pool.dtype), pool.arithmetic,
                     lengths, pool.tensors);
}

}  // namespace concord::conformance
