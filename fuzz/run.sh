#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh SECONDS [fuzzer ...]: builds the fuzzers and runs each for that many seconds, by default
# all of them, and `reports`, the programs in Python. Says how many edges of its program each reached.
# New inputs stay in build/fuzz/corpora, failing inputs in build/fuzz/findings.
# Exit codes: 0 no finding, 1 a finding, 2 not run.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
if ! [[ ${1:-} =~ ^[1-9][0-9]*$ ]]; then
  printf 'usage: run.sh SECONDS [fuzzer ...]\n' >&2
  exit 2
fi
readonly seconds=$1
shift

{ cmake --preset fuzz && cmake --build --preset fuzz --target fuzzers; } >&2 || exit 2
mkdir -p build/fuzz/findings
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for program in build/fuzz/bin/*_fuzzer; do
    name=${program##*/}
    names+=("${name%_fuzzer}")
  done
  names+=(reports)
fi

code=0
for name in "${names[@]}"; do
  if [ "$name" = reports ]; then
    printf 'reports: %s s\n' "$seconds"
    /usr/bin/python3 -B fuzz/reports_fuzzer.py "$seconds" --seed "$(date +%Y%j)" || code=1
    continue
  fi
  program=build/fuzz/bin/${name}_fuzzer
  [ -x "$program" ] || { printf 'no such fuzzer: %s\n' "$name" >&2 && exit 2; }
  found=build/fuzz/corpora/$name
  mkdir -p "$found"
  printf '%s: %s s\n' "$name" "$seconds"
  log=build/fuzz/findings/$name.log
  "$program" -max_total_time="$seconds" -print_final_stats=1 -rss_limit_mb=4096 \
    -artifact_prefix="build/fuzz/findings/$name-" "$found" "fuzz/corpora/$name" >"$log" 2>&1 || code=1
  grep -E '^stat::|ERROR|SUMMARY' "$log" || tail -n 5 "$log"
  edges=$(sed -nE 's/.*\(([0-9]+) inline 8-bit counters\).*/\1/p' "$log" | head -n 1)
  reached=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
  printf 'coverage: %s of %s edges\n' "${reached:-0}" "${edges:-0}"
done
exit "$code"
