#!/usr/bin/env bash
# Builds with the address and undefined-behaviour sanitizers and runs the suites: tests/sanitize.sh [CTEST OPTIONS]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
cmake --preset asan -DFACTOSIM_QUICK_BUILD=ON >/dev/null
cmake --build --preset asan >&2
# No leak detection: SimGrid and tests that fork keep some memory until the end.
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
  ctest --preset asan -R '^(unit|property|published|scenario|shipped)$' "$@"
