#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# conform.sh [--with-optional] [plugin ...]: installs what is missing, builds, judges the backends that
# come with Concord, or the plugins given, and writes a report.
# Exits as `concord run` does: 0 all conform, 1 one does not, 2 no verdict; without a plugin also with
# 0 if every failure is one of docs/known_failures.toml, which are named with their sections of
# docs/findings.md.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly root
# shellcheck source=cmake/setup.sh
. "$root/cmake/setup.sh"

readonly shipped=(reference optimized onednn xnnpack eigen)
mapfile -t optional < <(optional_backends)
readonly known=("${shipped[@]}" template faulty "${optional[@]}") # each the target plugin_NAME
readonly out="$root/build/conformance"

usage() {
  say "usage: conform.sh [--with-optional] [plugin ...]"
  say "Installs what is missing (Debian 12), builds build/release, and judges on the smoke suite:"
  say "  conform.sh                         the backends that come with Concord: ${shipped[*]}"
  say "  conform.sh ./vendor.so             your plugin"
  say "  conform.sh ./vendor.so onednn      your plugin and another one, side by side"
  say "  conform.sh dlib                    a library that is not installed by default, of ${optional[*]}"
  say "  conform.sh --with-optional         all of these"
  say "Exit codes: 0 all conform, 1 one does not, 2 no verdict. Without a plugin, failures that"
  say "docs/known_failures.toml lists do not count."
}

# The plugin as `concord run --backend` takes it: paths made absolute, a text behind a colon kept.
backend_of() {
  local path=$1 config=
  if [ ! -e "$path" ] && [[ $path == *:* ]]; then
    path=${1%%:*}
    config=:${1#*:}
  fi
  if [ -f "$path" ]; then
    printf '%s%s' "$(realpath -- "$path")" "$config"
  elif [[ " ${known[*]} " == *" $path "* ]]; then
    printf '%s' "$1"
  else
    fail "no such plugin: '$path' is neither a file nor one of ${known[*]}"
  fi
}

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
  --with-optional)
    shift
    set -- "$@" "${optional[@]}"
    ;;
  -*) fail "no such option: $1 (see conform.sh --help)" ;;
esac

# Only what this run needs is built.
targets=(concord)
backends=()
for each in "${@:-${shipped[@]}}"; do
  name=$(backend_of "$each") || exit 2
  backends+=(--backend "$name")
  [[ $name == /* ]] || targets+=("plugin_${name%%:*}")
  mapfile -t -O "${#packages[@]}" packages < <(packages_of "${name%%:*}")
done

set_up "${targets[@]}"
mkdir -p "$out"
rm -f "$out/results.json" "$out/junit.xml" "$out/report.html"
say "Judging on the smoke suite"
code=0
"$build/bin/concord" run --suite smoke "${backends[@]}" --out "$out/results.json" \
  --junit "$out/junit.xml" </dev/null || code=$?
[ -f "$out/results.json" ] || fail "no results were written (concord run exited with $code)"

# Of the libraries that come with Concord the documented failures are no news.
accepted=()
[ $# -gt 0 ] || accepted=(--known-failures "$root/docs/known_failures.toml")
news=0
"$build/bin/concord" report "$out/results.json" "${accepted[@]}" -o "$out/report.html" </dev/null || news=$?
[ -f "$out/report.html" ] || fail "the report could not be written"
if [ $# -eq 0 ] && [ "$code" -eq 1 ]; then
  if [ "$news" -eq 1 ]; then
    say "Some failures are not in docs/known_failures.toml: the report lists them first"
  else
    say "Every failure is one of docs/known_failures.toml, described in docs/findings.md"
    code=$news
    [ "$news" -eq 0 ] || say "But a backend has no verdict"
  fi
fi
say "Report: $out/report.html"
[ "$code" -le 2 ] || code=2
exit "$code"
