#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [ctest option ...]: installs what is missing, builds, and runs every test of Concord.
# Exits with ctest's code: 0 if all tests pass; 2 if they could not be run.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly root
# shellcheck source=cmake/setup.sh
. "$root/cmake/setup.sh"

case ${1:-} in
  -h | --help)
    say "usage: test.sh [ctest option ...]"
    say "Installs what is missing (Debian 12), builds build/release, and runs every test through ctest."
    say "Example: test.sh -R spec      only the tests whose names contain 'spec'"
    exit 0
    ;;
esac

# shellcheck disable=SC2119  # everything is built
set_up
say "Testing"
exec ctest --test-dir "$build" --output-on-failure --no-tests=error -j2 "$@" </dev/null
