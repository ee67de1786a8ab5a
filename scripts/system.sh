#!/usr/bin/env bash
# Makes sure that the compiler, CMake, the C++ libraries and a Python with headers are there; on Debian and its kin it installs
# what is missing by apt-get (as root, or through sudo where that asks no password). Elsewhere it lists what is missing.
#   usage: scripts/system.sh study|test|lint
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/python.sh

has_command() { command -v "$1" >/dev/null; }

has_header() {
  local folder
  for folder in /usr/include /usr/local/include; do
    if [[ -e $folder/$1 ]]; then return 0; fi
  done
  return 1
}

# Debian's package names of what is missing, one a line.
missing_packages() {
  has_command cmake || echo cmake
  has_command ninja || echo ninja-build
  has_command "${CXX:-g++}" || echo g++
  has_header hwy/highway.h || echo libhwy-dev
  has_header gtest/gtest.h || echo libgtest-dev
  has_header benchmark/benchmark.h || echo libbenchmark-dev
  has_header CLI/CLI.hpp || echo libcli11-dev
  has_header spdlog/spdlog.h || echo libspdlog-dev
  has_header xxhash.h || echo libxxhash-dev
  has_header fmt/format.h || echo libfmt-dev
  # The browser that the tests open the report in.
  if [[ $1 == test ]]; then has_command chromium || echo chromium; fi
  if [[ $1 == lint ]]; then has_command shellcheck || echo shellcheck; fi
  missing_python_packages
}

apt_install() {
  local -a as_root=()
  if ((EUID != 0)); then as_root=(sudo -n); fi
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
  # The package lists of a fresh machine may be absent or old: only then are they fetched.
  "${apt[@]}" install -y --no-install-recommends "$@" ||
    { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "$@"; }
}

may_install() { has_command apt-get && { ((EUID == 0)) || { has_command sudo && sudo -n true 2>/dev/null; }; }; }

mapfile -t missing < <(missing_packages "$1")
if ((${#missing[@]} > 0)); then
  if ! may_install; then
    say "these packages are missing (the names are Debian's; other systems have the same under similar names):"
    say "    ${missing[*]}"
    if has_command apt-get; then
      fail "install them as root, then run this again:  apt-get install ${missing[*]}"
    fi
    fail "install them with your system's package manager, then run this again"
  fi
  logged apt "installing system packages: ${missing[*]}" apt_install "${missing[@]}"
  mapfile -t missing < <(missing_packages "$1")
  if ((${#missing[@]} > 0)); then fail "still missing after apt-get: ${missing[*]} (see $LOGS/apt.log)"; fi
fi

cmake_version=$(cmake --version | sed -n '1s/[^0-9]*//p')
if [[ $(printf '%s\n' 3.23 "$cmake_version" | sort -V | head -n 1) != 3.23 ]]; then
  fail "CMake 3.23 or newer is needed (for CMakePresets.json); $(command -v cmake) is $cmake_version"
fi
