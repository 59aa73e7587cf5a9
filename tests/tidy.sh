#!/usr/bin/env bash
# Runs clang-tidy with .clang-tidy on the sources of the program: tests/tidy.sh [FILE...]
# Default: all of simulator, models, platforms and distributions, but what is compiled for a user's runtime. Needs apt-get install
# clang-tidy; some seconds per file. Exit code 1 if it reports anything.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
command -v clang-tidy >/dev/null || { echo "clang-tidy is not there: apt-get install clang-tidy" >&2; exit 1; }
# A separate build folder without unity build, which would hide the commands of single files.
cmake --preset audit -B build/tidy -DFACTOSIM_QUICK_BUILD=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
cmake --build build/tidy --target factosim_version >/dev/null  # a header that is written then
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'simulator/*.cpp' 'models/*.cpp' 'platforms/*.cpp' 'distributions/*.cpp' ':!*_shim.cpp')
printf '%s\n' "${files[@]}" |
  xargs -P "${FACTOSIM_TIDY_JOBS:-$(nproc)}" -n 4 clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
