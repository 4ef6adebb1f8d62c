// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/vector_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/command/command.h"
#include "reference/reference.h"

namespace concord::conformance {

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

void set_exactness(const std::string& text, const std::string& name, vectors::NewVector& vector) {
  using vectors::Exactness;
  for (const auto each :
       {Exactness::kExact, Exactness::kCorrectlyRounded, Exactness::kArithmetic}) {
    if (text != to_string(each)) continue;
    vector.exactness = each;
    return;
  }
  constexpr std::string_view kPrinted = "printed=";
  const bool is_printed = text.starts_with(kPrinted);
  const char* end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data() + (is_printed ? kPrinted.size() : 0), end, vector.digits);
  if (!is_printed || error != std::errc() || stop != end || vector.digits < 1 ||
      vector.digits > vectors::kMostDigits) {
    throw UsageError(fmt::format(
        "{} '{}': must be exact, correctly_rounded, arithmetic, or printed=N of 1 to {} digits",
        name, text, vectors::kMostDigits));
  }
  vector.exactness = Exactness::kPrinted;
}

void set_arithmetic(const std::string& text, const std::string& name, vectors::NewVector& vector) {
  if (const auto known = parse_arithmetic(text); !known) {
    throw UsageError(name + ": " + known.why().detail);
  }
  vector.arithmetic = text;
}

Problem recorded_problem(const std::string& line, const std::string& name) {
  Problem problem = read_problem(line, name);
  if (const auto geometry = reference::resolve(problem); !geometry) {
    throw UsageError(name + ": " + geometry.why().detail);
  }
  return problem;
}

}  // namespace concord::conformance
