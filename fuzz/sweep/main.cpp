// SPDX-License-Identifier: Apache-2.0
// concord_sweep: all small problems, the engine against the reference, bit for bit on integers.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "fuzz/sweep/tally.h"

namespace concord::fuzz {

bool Tally::report() const {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
  fmt::print(
      "{:20} {:>8} settings, one in {}: {:>9} computed, {:>8} refused alike, {} differ; {:.1f} s\n",
      name_, all_, every_, computed_, refused_, differences_, seconds.count());
  if (differences_ > 0) fmt::print("  the first: {}\n", first_);
  std::fflush(stdout);
  return differences_ == 0;
}

}  // namespace concord::fuzz

int main(int argc, char** argv) {
  std::int64_t every = 1;
  CLI::App app(
      "Compares the engine with the reference on all small problems.\n"
      "Exit codes: 0 all agree, 1 some differ.\n"
      "Example: concord_sweep --every 100");
  app.add_option("--every", every, "look at one problem in so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  bool agree = concord::fuzz::sweep_convolution(every);
  agree = concord::fuzz::sweep_atrous() && agree;
  agree = concord::fuzz::sweep_cntk(every) && agree;
  agree = concord::fuzz::sweep_continuous(every) && agree;
  return agree ? 0 : 1;
}
