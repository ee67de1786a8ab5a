#!/usr/bin/env bash
# Formatting and static checks. Every check runs, also after one that failed; the last line says which failed.
#   usage: scripts/lint.sh          checks
#          scripts/lint.sh fix      formats in place, and applies what ruff can repair by itself
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly BIN=.venv/bin
mapfile -t cxx_files < <(find include src tools python tests fuzz benchmarks examples -name '*.cc' -o -name '*.h' | sort)
mapfile -t shell_files < <(find scripts -name '*.sh' | sort; echo .ci/run)

if [[ ${1:-} == fix ]]; then
  "$BIN/clang-format" -i "${cxx_files[@]}"
  "$BIN/ruff" check --fix-only --quiet .
  "$BIN/ruff" format --quiet .
  exit 0
fi

# The units of src/, tools/ and examples/ except their tests: GoogleTest's macros trip many checks and take most of the time.
clang_tidy() {
  local log=$LOGS/clang-tidy.log
  if find src tools examples -name '*.cc' ! -name '*_test.cc' -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" "$BIN/clang-tidy" -p build/release --quiet >"$log" 2>&1; then return 0; fi
  grep -vE '^[0-9]+ warnings? (generated|treated)' "$log"
  return 1
}

failed=()
check() {
  local started=$SECONDS name=$1
  shift
  if "$@"; then say "$name: ok ($((SECONDS - started)) s)"; else
    say "$name: FAILED"
    failed+=("$name")
  fi
}

check clang-format "$BIN/clang-format" --dry-run --Werror "${cxx_files[@]}"
check ruff-check "$BIN/ruff" check --quiet .
check ruff-format "$BIN/ruff" format --check --quiet .
check shellcheck shellcheck --external-sources --source-path=SCRIPTDIR "${shell_files[@]}"
check pre-commit "$BIN/pre-commit" validate-config
check mypy "$BIN/mypy" --strict python/onekernel python/onekernel_study examples
check clang-tidy clang_tidy

if ((${#failed[@]} > 0)); then fail "lint failed: ${failed[*]}"; fi
say "lint passed"
