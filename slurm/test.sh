#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh: runs the test `slurm`, and fails where it would be skipped. Needs root and, beside
# packages.txt, slurm-wlm and munge. Builds what it needs of build/release first.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
cmake --preset release
cmake --build build/release --target concord plugin_reference plugin_faulty
/usr/bin/python3 -B slurm/array_test.py build/release/bin/concord
