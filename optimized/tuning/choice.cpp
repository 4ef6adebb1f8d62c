// SPDX-License-Identifier: Apache-2.0
#include "optimized/tuning/choice.h"

#include <charconv>
#include <sstream>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized {
namespace {

constexpr std::string_view kAsPlanned = "model";
constexpr std::string_view kOthers[] = {"planes_ncx", "groups", "amx", "pointwise_ncx"};

// The number behind `key`=, of at least `least`.
template <class Number>
bool read_number(std::string_view word, std::string_view key, Number least, Number* number) {
  if (!word.starts_with(key) || !word.substr(key.size()).starts_with('=')) return false;
  const std::string_view digits = word.substr(key.size() + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *number);
  return error == std::errc() && end == digits.data() + digits.size() && *number >= least;
}

bool read_rows(std::string_view word, TileRows* rows) {
  for (const TileRows each : kAll<TileRows>) {
    if (word != "rows=" + std::string(concord::to_string(each))) continue;
    *rows = each;
    return true;
  }
  return false;
}

// The words behind "tiles".
bool read_tiles(std::istringstream& words, PlanChoice* choice) {
  std::string vectors, pixels, rows, channels, more;
  if (!(words >> vectors >> pixels >> rows >> channels) || words >> more) return false;
  TileChoice& tile = choice->tile;
  return read_number(vectors, "vectors", 1, &tile.vectors) && tile.vectors <= kMaxVectors &&
         read_number(pixels, "pixels", 1, &tile.pixels) && tile.pixels <= kMaxPixels &&
         read_rows(rows, &tile.rows) &&
         read_number(channels, "channels", Extent{0}, &choice->channels);
}

}  // namespace

std::string to_string(const PlanChoice& choice) {
  if (choice.algorithm.empty()) return std::string(kAsPlanned);
  if (choice.tile.vectors == 0) return choice.algorithm;
  std::ostringstream out;
  out << choice.algorithm << " vectors=" << choice.tile.vectors << " pixels=" << choice.tile.pixels
      << " rows=" << concord::to_string(choice.tile.rows) << " channels=" << choice.channels;
  return out.str();
}

std::optional<PlanChoice> parse_choice(std::string_view text) {
  if (text == kAsPlanned) return PlanChoice{};
  for (const std::string_view other : kOthers) {
    if (text == other) return PlanChoice{.algorithm = std::string(other)};
  }
  PlanChoice choice;
  std::istringstream words{std::string(text)};
  const bool are_tiles = words >> choice.algorithm && choice.algorithm == "tiles";
  if (!are_tiles || !read_tiles(words, &choice)) return std::nullopt;
  return choice;
}

}  // namespace concord::optimized
