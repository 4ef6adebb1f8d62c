// SPDX-License-Identifier: Apache-2.0
// darknet (2018-09-14, as Debian builds it): loading libdarknet.so makes the whole thread compute
// without subnormal numbers. Exits with 0 if that is so.
#include <dlfcn.h>

#include <cstdio>
#include <limits>

#ifndef LIBRARY
#define LIBRARY "/usr/lib/darknet/libdarknet.so"
#endif

namespace {

/// Half of the least normal number, at run time.
float half_of_the_least() {
  volatile float least = std::numeric_limits<float>::min();
  return least / 2;
}

}  // namespace

int main() {
  const float before = half_of_the_least();
  volatile bool is_there_before = before != 0;  // compared before the library is loaded
  std::printf("2^-127: expected %g, got %g before the library is loaded", 0x1p-127, before);
  if (dlopen(LIBRARY, RTLD_NOW) == nullptr) return 2;
  const float after = half_of_the_least();
  std::printf(" and %g afterwards\n", after);
  return is_there_before && after == 0 ? 0 : 1;
}
