#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the vocabulary and the engine for aarch64 and runs their unit tests under an emulator.
# Needs Debian 12 with: apt-get install g++-aarch64-linux-gnu qemu-user
# The libraries for aarch64 are unpacked under build/aarch64-packages; the system stays as it is.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
packages=$root/build/aarch64-packages

for program in aarch64-linux-gnu-g++ qemu-aarch64 apt-get dpkg-deb cmake ninja; do
  command -v "$program" >/dev/null || {
    printf '%s: %s is missing; apt-get install g++-aarch64-linux-gnu qemu-user\n' "$0" "$program" >&2
    exit 2
  }
done

# apt with lists and a cache of its own, for the other architecture.
apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
    -o Dir::State::lists="$packages/lists" -o Dir::Cache="$packages/cache" \
    -o APT::Sandbox::User=root "$@"
}

if [ ! -e "$packages/complete" ]; then
  mkdir -p "$packages/lists/partial" "$packages/cache/archives/partial" "$packages/debs"
  cd "$packages/debs"
  apt update
  apt download libtbb-dev libtbb12 libtbbmalloc2 libtbbbind-2-5 libeigen3-dev libgtest-dev libgmock-dev
  for deb in *.deb; do dpkg-deb -x "$deb" "$packages"; done
  touch "$packages/complete"
fi

cd "$root"
cmake --preset aarch64
cmake --build --preset aarch64
ctest --preset aarch64
