#!/usr/bin/env bash
# Checks that all C++ files are formatted as .clang-format says: tests/format.sh [--fix]
# --fix: formats them. Needs clang-format 14 (Debian 12): other versions format differently, so that the check says that it skips.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || { echo "clang-format is missing: apt-get install clang-format"; exit 1; }
if ! clang-format --version | grep -q 'version 14\.'; then
  echo "skipped: $(clang-format --version) formats differently from version 14"
  exit 0
fi
# The files of the checkout; without git (an unpacked archive) all that are there.
files() { git ls-files '*.cpp' '*.hpp' 2>/dev/null || find simulator models platforms distributions tests -name '*.[ch]pp'; }
if [ "${1:-}" = --fix ]; then
  files | xargs -P "$(nproc)" -n 40 clang-format -i
else
  files | xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror
fi
