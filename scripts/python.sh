# shellcheck shell=bash
# Which Python the project's .venv is made from: $PYTHON if set, else the first one on the PATH that is new enough.
# Sourced by system.sh and venv.sh.

readonly PYTHON_NEEDED="Python 3.11 or newer"

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Prints the interpreter; fails when there is none. REQUIRES: $PYTHON, if set, is new enough (check_python_setting).
find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
    if new_enough "$candidate"; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

check_python_setting() {
  if [[ -n ${PYTHON:-} ]] && ! new_enough "$PYTHON"; then fail "PYTHON=$PYTHON is not $PYTHON_NEEDED, or does not run"; fi
}

# The Python's own name, version and place: what a .venv made from it depends on.
python_identity() { "$1" -c 'import sys; print(sys.base_prefix, sys.version.split()[0], sys.implementation.cache_tag)'; }

# Debian splits venv and the headers from the interpreter. Prints the packages that are missing from the chosen one.
missing_python_packages() {
  local python
  if ! python=$(find_python); then
    printf '%s\n' python3 python3-venv python3-dev
    return
  fi
  "$python" - <<'END'
import importlib.util, os, sys, sysconfig

minor = "python%d.%d" % sys.version_info[:2]
if not importlib.util.find_spec("venv") or not importlib.util.find_spec("ensurepip"):
    print(minor + "-venv")
if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    print(minor + "-dev")
END
}
