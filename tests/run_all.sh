#!/usr/bin/env bash
# Installs missing packages, builds factosim with its contracts on, and runs all tests: tests/run_all.sh [CTEST OPTIONS]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
tests/setup.sh tests
CXX=$(cmake/compiler.sh)
export CXX
cmake --preset audit -DFACTOSIM_QUICK_BUILD=ON -DFACTOSIM_DOCUMENTS=ON
cmake --build --preset audit
ctest --preset audit -j "$(($(nproc) + 1))" "$@"  # a quarter of their time is waiting
