#!/bin/sh
# with_engine.sh ENGINE PROGRAM: runs PROGRAM with the path of a socket on which ENGINE listens. Its exit code is PROGRAM's.
set -eu
folder=$(mktemp -d)
engine_pid=
stop() {
  if [ -n "$engine_pid" ]; then
    kill "$engine_pid"
    wait "$engine_pid" || true
  fi
  rm -rf "$folder"
}
trap stop EXIT

"$1" serve --unix "$folder/engine" --log-level off >"$folder/ready" &
engine_pid=$!
tries=0
while [ ! -s "$folder/ready" ]; do  # it prints its address when it listens
  tries=$((tries + 1))
  if [ "$tries" -gt 600 ]; then
    echo "the engine does not start" >&2
    exit 1
  fi
  sleep 0.1
done
"$2" "$folder/engine"
