#!/usr/bin/env bash
# Makes .venv and installs the pinned packages. What is there already is left alone: each lock file's last installed state is
# kept in .venv/.installed/, and a file that did not change costs one comparison.
#   usage: scripts/venv.sh study|test|lint      each includes the ones before it
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/python.sh

readonly INSTALLED=.venv/.installed

# A .venv cannot be moved and belongs to one interpreter. Without $PYTHON, one that works is kept.
venv_is_good() {
  [[ -e $INSTALLED/identity ]] && .venv/bin/python -c '' 2>/dev/null || return 1
  local identity
  identity=$(<"$INSTALLED/identity")
  if [[ -n ${PYTHON:-} ]]; then
    [[ $identity == "$PWD $(python_identity "$PYTHON")" ]]
  else
    [[ $identity == "$PWD $(python_identity .venv/bin/python)" ]]
  fi
}

make_venv() {
  local python
  python=$(find_python) || fail "$PYTHON_NEEDED is needed; set PYTHON=/path/to/python3 if it is not on the PATH"
  logged venv "making .venv with $(python_identity "$python")" "$python" -m venv --clear .venv
  mkdir -p "$INSTALLED"
  echo "$PWD $(python_identity "$python")" >"$INSTALLED/identity"
}

case $1 in
  study) groups=(build runtime study report) ;;
  test) groups=(build runtime study report test) ;;
  lint) groups=(build runtime study report test lint) ;;
  *) fail "usage: scripts/venv.sh study|test|lint" ;;
esac

check_python_setting
if ! venv_is_good; then make_venv; fi

changed=()
files=()
for group in "${groups[@]}"; do
  if ! cmp -s "requirements/$group.txt" "$INSTALLED/$group.txt"; then
    changed+=("$group")
    files+=(--requirement "requirements/$group.txt")
  fi
done
if ((${#changed[@]} == 0)); then exit 0; fi
logged pip "installing Python packages: ${changed[*]}" \
  .venv/bin/python -m pip install --disable-pip-version-check --no-deps "${files[@]}"
for group in "${changed[@]}"; do cp "requirements/$group.txt" "$INSTALLED/"; done
