# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by conform.sh and test.sh, which set `root` to the root of the sources. Installs missing
# packages, configures and builds; on failure, says why in one sentence and exits with 2: nothing
# could be judged.

: "${root:?set to the root of the sources before this file is sourced}"
readonly build="$root/build/release"
packages=() # what set_up installs beside those of packages.txt, as optional.txt names them

fail() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 2
}

say() { printf '%s\n' "$1"; }

# The packages of packages.txt, and those named, that are not installed, one per line.
missing_packages() {
  local package
  while read -r package; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      printf '%s\n' "$package"
  done < <({ cat "$root/cmake/packages.txt" && printf '%s\n' "$@"; } |
    sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' -e '/^npm:/d')
  # Node.js of other sources than Debian brings npm with it.
  [[ " $*" != *" npm:"* ]] || command -v npm >/dev/null || printf 'npm\n'
}

# The names of the optional backends, one per line.
optional_backends() { sed -n -e 's/^\([a-z][a-z0-9_]*\) .*/\1/p' "$root/backends/optional.txt"; }

# packages_of NAME: the packages of an optional backend, or npm:FOLDER, one per line; nothing for others.
packages_of() {
  NAME=$1 awk '$1 == ENVIRON["NAME"] { for (i = 2; i <= NF; ++i) print $i }' "$root/backends/optional.txt"
}

# The system's name, such as "Debian GNU/Linux 12 (bookworm)".
system_name() {
  local name=
  # shellcheck disable=SC1091  # a file of the system
  [ ! -r /etc/os-release ] || name=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-}")
  printf '%s' "${name:-a system without /etc/os-release}"
}

is_debian_12() {
  # shellcheck disable=SC1091  # a file of the system
  [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-} ${VERSION_ID:-}" = "debian 12" ])
}

# Runs a command as root: directly, or through sudo if sudo needs no password.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

may_become_root() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null 2>&1 || return 1
  sudo -n true 2>/dev/null || [ -t 0 ]
}

# Installs the missing packages of packages.txt and the caller. CONCORD_PACKAGES=installed skips
# this, for systems with other package names.
install_packages() {
  [ "${CONCORD_PACKAGES:-}" = installed ] && return
  local log="$root/build/packages.log" list
  local -a missing
  if ! command -v dpkg-query >/dev/null 2>&1; then
    list=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/cmake/packages.txt" | tr -s ' \n' ' ')
    fail "this is $(system_name), not Debian 12: install your system's equivalents of ${list% }, then run again with CONCORD_PACKAGES=installed"
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  list="${missing[*]}"
  is_debian_12 ||
    fail "this is $(system_name), not Debian 12: install $list (or their equivalents), then run again with CONCORD_PACKAGES=installed"
  may_become_root || fail "no permission to install packages: as root, run apt-get install $list"
  say "Installing ${#missing[@]} packages: $list"
  : >"$log"
  as_root apt-get -o DPkg::Lock::Timeout=120 update -q >>"$log" 2>&1 </dev/null || true # install says better what is wrong
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -qy --no-install-recommends \
    "${missing[@]}" >>"$log" 2>&1 </dev/null ||
    fail "apt-get could not install $list ($(grep '^E:' "$log" | head -n 1 || true)): is there a network? Full log: $log"
}

# Installs what npm:FOLDER of optional.txt stands for, where it is not yet or package-lock.json is newer.
install_npm_packages() {
  [ "${CONCORD_PACKAGES:-}" = installed ] && return
  local log="$root/build/npm.log" word folder
  for word in "$@"; do
    folder=${word#npm:}
    [ "$folder" != "$word" ] || continue # a package of Debian
    # npm's record of what it has installed
    [ "$root/$folder/package-lock.json" -nt "$root/$folder/node_modules/.package-lock.json" ] || continue
    say "Installing what $folder/package-lock.json pins"
    npm ci --prefix "$root/$folder" --ignore-scripts --no-audit --no-fund >"$log" 2>&1 </dev/null ||
      fail "npm could not install what $folder/package-lock.json pins ($(grep -m 1 -i '^npm err' "$log" || true)): is there a network? Full log: $log"
  done
}

# build_release [target ...]: configures the release preset in build/release, and builds the targets
# named, or everything.
build_release() {
  local log="$root/build/build.log" tool
  for tool in cmake ninja c++; do
    command -v "$tool" >/dev/null 2>&1 ||
      fail "no $tool on PATH: install it (packages g++, cmake, ninja-build), then run again"
  done
  local -a options=()
  # Another compiler has other warnings; they are not its user's trouble.
  is_debian_12 || options+=(-DCONCORD_WARNINGS_AS_ERRORS=OFF)
  if [ -r "$build/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    options+=(--fresh) # the sources were moved here with their build directory
  fi
  say "Building in ${build#"$root"/} (some minutes the first time)"
  (cd "$root" && cmake --preset release "${options[@]}") >"$log" 2>&1 </dev/null || {
    tail -n 20 "$log" >&2
    fail "CMake could not configure the sources; full log: $log"
  }
  cmake --build "$build" --parallel "$(nproc)" ${1:+--target "$@"} >>"$log" 2>&1 </dev/null || {
    grep -A 20 -m 1 -e '^FAILED:' "$log" >&2 || tail -n 20 "$log" >&2
    fail "the build failed; full log: $log"
  }
}

# set_up [target ...]: all steps before judging or testing, which need the targets named, or
# everything.
set_up() {
  mkdir -p "$root/build" 2>/dev/null || fail "cannot write to $root/build"
  [ -w "$root/build" ] || fail "cannot write to $root/build"
  install_packages "${packages[@]}"
  install_npm_packages "${packages[@]}"
  build_release "$@"
}
