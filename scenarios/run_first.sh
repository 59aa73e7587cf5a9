#!/usr/bin/env bash
# Installs what is missing, builds factosim, and simulates a first factorization: scenarios/run_first.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
tests/setup.sh
cmake --preset release >.build-release.log 2>&1 && cmake --build --preset release >>.build-release.log 2>&1 || {
  tail -n 30 .build-release.log >&2
  exit 1
}
rm -f .build-release.log
build/release/factosim run scenarios/first/lu_mirage.json --out results/first --force
echo "The result is in results/first/result.json, the trace in results/first/trace.paje."
