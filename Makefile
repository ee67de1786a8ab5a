# Every target does its own set-up (scripts/setup.sh): missing system packages, .venv, the build. A second run skips what is done.
# Variables: QUICK=1 (study and bench with fewer runs), SERIES="a.csv b.parquet" (prices that bench measures too),
#   PYTHON=/path/to/python3 (which interpreter .venv is made from).
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build test test-full study bench bench-native lint format clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\): *## */\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build:  ## the C++ libraries, the engine program and the Python package
	@scripts/setup.sh study

test:  ## C++ and Python tests
	@scripts/setup.sh test
	@scripts/test.sh

test-full:  ## the same, longer, with sanitizers and fuzzers
	@scripts/setup.sh test
	@scripts/test.sh full

study:  ## the whole published experiment on this machine: tables here; study.json, report.html, report.pdf in out (QUICK=1: a short one)
	@scripts/setup.sh study
	@.venv/bin/onekernel study --out out $(if $(filter-out 0,$(QUICK)),--quick)

bench:  ## every kernel against numba, in one run: tables here, out/bench.json (QUICK=1: a short one)
	@scripts/setup.sh study
	@.venv/bin/python -m onekernel_study.kernel_bench --out out/bench.json $(if $(filter-out 0,$(QUICK)),--quick) \
	  $(if $(SERIES),--series $(SERIES))

bench-native:  ## the C++ benchmark programs: out/bench-native.json
	@scripts/setup.sh study
	@.venv/bin/python scripts/bench_native.py

lint:  ## formatting, linters, type checks
	@scripts/setup.sh lint
	@scripts/lint.sh

format:  ## formats all sources in place
	@scripts/setup.sh lint
	@scripts/lint.sh fix

clean:  ## removes the build; .venv and out stay
	rm -rf build .mypy_cache .pytest_cache .ruff_cache .hypothesis
