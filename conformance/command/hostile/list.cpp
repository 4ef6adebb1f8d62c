// SPDX-License-Identifier: Apache-2.0
// hostile_deeds: prints the table, a row a line, its columns separated by tabs.
#include <cstdio>

#include "conformance/command/hostile/deeds.h"

int main() {
  for (const concord::hostile::Deed& deed : concord::hostile::all_deeds()) {
    std::printf("%s\t%s\t%s\t%s\t%s\n", deed.name, deed.stage, deed.verdict, deed.needs,
                deed.without);
  }
  return 0;
}
