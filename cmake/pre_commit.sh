#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The checks that take seconds, for a commit: layers, hygiene, format, shell.
# Install: ln -s ../../cmake/pre_commit.sh .git/hooks/pre-commit
set -euo pipefail

root=$(git rev-parse --show-toplevel)
cd "$root"
python=/usr/bin/python3
"$python" -B cmake/check_layers.py .
"$python" -B cmake/check_hygiene.py . build/release
"$python" -B cmake/check_format.py . clang-format
"$python" -B cmake/check_shell.py . shellcheck
