#!/usr/bin/env bash
# clang-tidy over the sources of the program, by .clang-tidy: tests/tidy.sh [FILE...]
# All of simulator, models, platforms and distributions without names. Needs apt-get install clang-tidy; some seconds a
# file. Exit code 1 where it finds something.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
command -v clang-tidy >/dev/null || { echo "clang-tidy is not there: apt-get install clang-tidy" >&2; exit 1; }
# A folder of its own, hardly built: where files are compiled together, no command tells how one is.
cmake --preset audit -B build/tidy -DFACTOSIM_QUICK_BUILD=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
cmake --build build/tidy --target factosim_version >/dev/null  # a header that is written then
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'simulator/*.cpp' 'models/*.cpp' 'platforms/*.cpp' 'distributions/*.cpp')
# CUDA's headers are on few machines.
printf '%s\n' "${files[@]}" | grep -v 'cuda_gpus' |
  xargs -P "${FACTOSIM_TIDY_JOBS:-$(nproc)}" -n 4 clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
