// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "conformance/command/command.h"

namespace concord::conformance {

CLI::Validator whole_number() {
  return {[](std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && stop == end) return std::string();
            return fmt::format("{} is not a whole number from 0 to {}", text,
                               std::numeric_limits<std::uint64_t>::max());
          },
          ""};
}

CLI::Validator seconds_between(double least, double most) {
  return {[least, most](std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && value >= least &&
                              value <= most;  // which no NaN is
            return good ? std::string()
                        : fmt::format("{} is not a number from {} to {}", text, least, most);
          },
          ""};
}

}  // namespace concord::conformance
