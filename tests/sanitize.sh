#!/usr/bin/env bash
# Builds with the address and undefined-behaviour sanitizers and runs the suites, then random scenarios for an hour:
# tests/sanitize.sh [CTEST OPTIONS]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
cmake --preset asan -DFACTOSIM_QUICK_BUILD=ON >/dev/null
cmake --build --preset asan >&2
# No leak detection: SimGrid and tests that fork keep some memory until the end.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
ctest --preset asan -R '^(unit|property|published|scenario|simgrid_versions)$' "$@"
tests/soak/soak.py build/asan/factosim --minutes 60 --jobs "$(nproc)" --seed "$(date +%F)"
