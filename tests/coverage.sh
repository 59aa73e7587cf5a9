#!/usr/bin/env bash
# Line coverage of the core (simulator/base/core, simulator/tasks/graph, simulator/runtime): tests/coverage.sh
# Prints it by file and in total. Needs apt-get install gcovr. Builds in build/coverage, with -O0 for the core only.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
command -v gcovr >/dev/null || { echo "gcovr is not there: apt-get install gcovr" >&2; exit 1; }
cmake --preset coverage >/dev/null
cmake --build --preset coverage "$@" >&2
find build/coverage -name '*.gcda' -delete
failed=0
ctest --test-dir build/coverage -R '^(unit|property|published|scenario|simgrid_versions)$' --output-on-failure >&2 || failed=1
gcovr --root . --filter 'simulator/(base/core|tasks/graph|runtime)/' --exclude-throw-branches build/coverage
exit $failed
