#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_packages.sh [package ...]: installs what packages.txt lists, and the packages named.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly root
# shellcheck source=cmake/setup.sh
. "$root/cmake/setup.sh"

mkdir -p "$root/build"
install_packages "$@"
