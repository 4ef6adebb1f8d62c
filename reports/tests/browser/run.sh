#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: uses the report's page in headless Chromium: filter, sort, links, copy, 50,000 cases, hostile names; and
# axe and widths in light, dark, print and at 480 px. Needs chromium, nodejs and npm, and the registry of npm when first run.
# Exits with 0 if all is well, 1 if a check fails, 2 if it could not be run.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd -- "$here/../../.." && pwd -P)
made="$root/build/browser"

for program in chromium node npm; do
  if ! command -v "$program" >/dev/null; then
    echo "not run: the report in a browser needs $program: sudo apt-get install chromium nodejs npm" >&2
    exit 2
  fi
done
mkdir -p "$made/pages"
npm install --silent --no-fund --no-audit --prefix "$made" playwright-core@1.65.1 axe-core@4.14.1 || exit 2
(cd "$root/reports" && /usr/bin/python3 -B -m tests.browser.pages "$made/pages")
node "$here/check.mjs" "$made/pages" "$made/node_modules" "$(command -v chromium)"
