#!/usr/bin/env bash
# The tests: C++ first, then Python. Stops at the first part that fails.
#   usage: scripts/test.sh [full]      full: also sanitizers, longer random tests and the fuzzers (half an hour or more)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs=$(nproc)

run_ctest() { ctest --preset "$1" --no-tests=error --parallel "$jobs"; }

sanitized() {
  scripts/build.sh "$1"
  say "C++ tests under the $1 preset"
  # ThreadSanitizer cannot map its shadow where addresses are randomised over 32 bits: it runs with that off.
  setarch "$(uname -m)" --addr-no-randomize ctest --preset "$1" --no-tests=error --parallel "$jobs"
}

fuzz() {
  local compiler seconds=30 target
  local -a corpora
  compiler=$(sed -n 's/.*"CMAKE_CXX_COMPILER": "\([^"]*\)".*/\1/p' CMakePresets.json)
  if ! command -v "$compiler" >/dev/null; then
    say "the fuzzers are left out: $compiler is not installed"
    return
  fi
  scripts/build.sh fuzz
  for target in build/fuzz/fuzz/*_fuzz; do
    [[ -x $target ]] || fail "no fuzz target was built in build/fuzz/fuzz"
    corpora=("build/fuzz/corpus/${target##*/}")  # what is found goes into the first; the second only seeds it
    mkdir -p "${corpora[0]}"
    if [[ -d fuzz/corpus/${target##*/} ]]; then corpora+=("fuzz/corpus/${target##*/}"); fi
    logged "${target##*/}" "fuzzing ${target##*/} for $seconds s" \
      "$target" -max_total_time="$seconds" -artifact_prefix=build/fuzz/ "${corpora[@]}"
  done
}

run_ctest release
if [[ ${1:-} == full ]]; then
  export ONEKERNEL_TEST_LONG=1
  sanitized asan
  sanitized tsan
  fuzz
fi
.venv/bin/python -m pytest python tests
