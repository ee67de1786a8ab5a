#!/usr/bin/env bash
# Builds the C++ part of one preset in build/<preset>: libraries, tests, benchmarks and the engine program.
#   usage: scripts/build.sh release|dev|asan|tsan|fuzz
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=$1
folder=build/$preset

# CMake itself notices changed CMakeLists; a changed preset or a moved checkout it does not.
identity=$(echo "$PWD"; cat CMakePresets.json)
if [[ ! -e $folder/build.ninja || $identity != "$(cat "$folder/.identity" 2>/dev/null)" ]]; then
  rm -rf "$folder"
  logged "configure-$preset" "configuring $folder" cmake --preset "$preset"
  echo "$identity" >"$folder/.identity"
fi
logged "build-$preset" "building $folder" cmake --build --preset "$preset"
