#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scoreboard_nightly.sh CONCORD OUT: the scoreboard as it would be with today's results of the libraries that every machine of ours has, in OUT:
# scoreboard.html and .md, and changes.html and .md, what differs from the one that is kept. Takes minutes. Nothing in the sources changes.
# Exits with 0 if all backends were judged, whatever failed.
set -euo pipefail

concord=$1
out=$2
docs=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
scoreboard=(/usr/bin/python3 -B "$docs/scoreboard.py")

mkdir -p "$out"
rm -rf "$out/scoreboard"
cp -r "$docs/scoreboard" "$out/scoreboard"
"$concord" run --suite smoke --backend eigen --backend onednn --backend optimized --backend xnnpack --shrink 0 --quiet \
  --out "$out/results.json" || (($? == 1)) # some have known defects
"${scoreboard[@]}" --kept "$out/scoreboard" add "$out/results.json"
"${scoreboard[@]}" --kept "$out/scoreboard" page
"${scoreboard[@]}" diff "$docs/scoreboard" "$out/scoreboard" "$out/changes.md" "$out/changes.html"
