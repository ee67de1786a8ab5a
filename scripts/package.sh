#!/usr/bin/env bash
# Installs the Python package into .venv, editable: Python sources are used from where they are, the extension module and the
# engine program are built. Done again only when something that goes into them, or the list of Python files, has changed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly STAMP=.venv/.installed/package

inputs() {
  echo "$PWD"
  find python -name '*.py' -o -name '*.pyi' | sort
  {
    find CMakeLists.txt pyproject.toml cmake include src tools -type f ! -name '*_test.cc'
    find python -type f \( -name '*.cc' -o -name '*.h' -o -name '*.stubs' -o -name CMakeLists.txt \)
  } | sort | xargs sha256sum
}

state=$(inputs | sha256sum)
if [[ $state == "$(cat "$STAMP" 2>/dev/null)" ]]; then exit 0; fi
rm -f "$STAMP"
logged package "building and installing the Python package" \
  .venv/bin/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation --editable .
.venv/bin/python -m pip check >&2 || fail "requirements/*.txt do not satisfy what the installed packages ask for"
echo "$state" >"$STAMP"
