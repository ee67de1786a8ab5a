#!/usr/bin/env bash
# Makes .venv and installs the pinned packages. What is there already is left alone: each lock file's last installed state is
# kept in .venv/.installed/, and a file that did not change costs one comparison.
#   usage: scripts/venv.sh study|test|lint      each includes the ones before it
# The study does without the peers where they cannot be installed: it then shows them as not measured.
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
  test) groups=(build runtime study report peers test) ;;
  lint) groups=(build runtime study report peers test lint) ;;
  *) fail "usage: scripts/venv.sh study|test|lint" ;;
esac

install() { .venv/bin/python -m pip install --disable-pip-version-check --no-deps "$@"; }

# iceoryx2 has wheels for newer systems only, so the others are tried without it.
install_peers() {
  local some=build/peers-without-iceoryx2.txt
  mkdir -p build
  if install --requirement requirements/peers.txt; then return; fi
  grep -v '^iceoryx2' requirements/peers.txt >"$some"
  install --requirement "$some"
}

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
if ((${#changed[@]} > 0)); then
  logged pip "installing Python packages: ${changed[*]}" install "${files[@]}"
  for group in "${changed[@]}"; do cp "requirements/$group.txt" "$INSTALLED/"; done
fi
if [[ $1 == study ]] && ! cmp -s requirements/peers.txt "$INSTALLED/peers.txt"; then
  say "installing the peers that the study compares ..."
  mkdir -p "$LOGS"
  if install_peers >"$LOGS/peers.log" 2>&1 </dev/null; then
    cp requirements/peers.txt "$INSTALLED/"
  else
    say "they cannot be installed here, and are shown as not measured; the output is in $LOGS/peers.log"
  fi
fi
