# shellcheck shell=bash
# What every script here shares: the checkout's root as working directory, messages, logged commands. Source it first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly LOGS=build/logs

say() { printf 'onekernel: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# logged <log name> <what is done> <command...>: one line of progress; the command's output only if it fails.
logged() {
  local log=$LOGS/$1.log what=$2 started=$SECONDS
  shift 2
  mkdir -p "$LOGS"
  say "$what ..."
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    fail "$what failed; the whole output is in $log"
  fi
  if ((SECONDS - started >= 2)); then say "$what: done in $((SECONDS - started)) s"; fi
}
