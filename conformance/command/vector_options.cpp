// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/vector_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/command/command.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

using vectors::Exactness;

// The N of "printed=N", if that is what `text` is.
std::optional<int> printed_digits(std::string_view text) {
  constexpr std::string_view kPrinted = "printed=";
  if (!text.starts_with(kPrinted)) return std::nullopt;
  text.remove_prefix(kPrinted.size());
  int digits = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, digits);
  const bool fits = digits >= 1 && digits <= vectors::kMostDigits;
  if (error != std::errc() || stop != end || !fits) return std::nullopt;
  return digits;
}

}  // namespace

void HeadOptions::add_to(CLI::App& app) {
  app.add_option("--producer", producer, "of a new set: the system that computed dst");
  app.add_option("--producer-version", version, "of a new set");
  app.add_option("--command", command, "of a new set: the command that computed dst");
  app.add_option("--date", date, "of a new set: YYYY-MM-DD");
  app.add_option("--licence", licence, "of a new set: the data's, an SPDX identifier");
}

std::optional<vectors::Manifest> HeadOptions::head(const std::string& set) const {
  const std::string* given[] = {&producer, &version, &command, &date, &licence};
  const auto count = std::count_if(std::begin(given), std::end(given),
                                   [](const std::string* text) { return !text->empty(); });
  if (count == 0) return std::nullopt;
  if (count < std::ssize(given)) {
    throw UsageError(
        "a new set needs all of --producer, --producer-version, --command, --date and "
        "--licence");
  }
  vectors::Manifest head;
  head.set = std::filesystem::path(set).filename().string();
  head.producer = producer;
  head.version = version;
  head.command = command;
  head.date = date;
  head.licence = licence;
  return head;
}

void set_problem(const std::string& line, const std::string& name, vectors::NewVector& vector) {
  vector.problem = read_problem(line, name);
  const auto geometry = reference::resolve(vector.problem);
  if (!geometry) throw UsageError(name + ": " + geometry.why().detail);
  vector.dst_shape = geometry->dst.dims;
}

void set_exactness(const std::string& text, const std::string& name, const std::string& arithmetic,
                   const std::string& class_name, vectors::NewVector& vector) {
  const auto named = vectors::parse_exactness(text);
  if (named && *named != Exactness::kPrinted) {
    vector.exactness = *named;
  } else if (const auto digits = printed_digits(text)) {
    vector.exactness = Exactness::kPrinted;
    vector.digits = *digits;
  } else {
    throw UsageError(fmt::format(
        "{} '{}': must be exact, correctly_rounded, arithmetic, or printed=N of 1 to {} digits",
        name, text, vectors::kMostDigits));
  }
  if (arithmetic.empty()) {
    if (vector.exactness == Exactness::kArithmetic) {
      throw UsageError(
          fmt::format("{} is missing: the class of {} 'arithmetic'", class_name, name));
    }
    return;
  }
  if (vector.exactness != Exactness::kArithmetic && vector.exactness != Exactness::kPrinted) {
    throw UsageError(
        fmt::format("{} '{}': {} '{}' has no class", class_name, arithmetic, name, text));
  }
  if (const auto known = parse_arithmetic(arithmetic); !known) {
    throw UsageError(class_name + ": " + known.why().detail);
  }
  vector.arithmetic = arithmetic;
}

void add_to_set(const std::string& root, const std::string& set, const HeadOptions& head,
                const std::vector<vectors::NewVector>& added) {
  if (std::filesystem::path(set).filename().empty()) {
    throw UsageError(fmt::format("the set '{}' has no name", set));
  }
  const auto now = vectors::add_vectors(std::filesystem::path(root) / set, head.head(set), added);
  if (!now) throw UsageError(now.why().detail);
  fmt::print("{}: {} vectors\n", now->manifest().set, now->manifest().vectors.size());
}

}  // namespace concord::conformance
