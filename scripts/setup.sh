#!/usr/bin/env bash
# Everything that make study, test or lint needs, from a bare checkout: system packages, .venv, the build, the Python package.
# What is done already is skipped.
#   usage: scripts/setup.sh study|test|lint
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/system.sh "$1"
scripts/venv.sh "$1"
scripts/build.sh release
scripts/package.sh
