#!/usr/bin/env bash
# Overhead of a sweep: tests/bench/sweep.sh [FACTOSIM]. LU on 30 x 30 tiles, 1000 points.
# Prints the CPU time outside the simulations and the share of the time in which all cores had a simulation.
set -eu -o pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
factosim=${1:-$root/build/release/factosim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/sweep.json" <<JSON
{"format": "factosim-sweep", "version": 1, "scenario": "$root/scenarios/lu_icpads20/fig13_growing_matrix.json",
 "set": {"/application/nt": 30},
 "points": {"product": [
   {"strong_scaling": {"nodes": [{"type": "chifflet", "count": {"from": 1, "to": 25}},
                                 {"type": "chetemi", "count": {"from": 1, "to": 25}}]}},
   {"/distribution": [{"type": "block-cyclic"}, {"type": "1d1d"}, {"type": "1d1d-c"}, {"type": "1d1d-c+s"}]},
   {"/scheduler/type": ["dmdas", "dmda", "lws", "heteroprio", "eager"]},
   {"/runtime/gpu_pipeline": [2, 4]}]}}
JSON
TIMEFORMAT='%U %S %R'
{ time "$factosim" sweep "$work/sweep.json" --out "$work/out" --json >"$work/said.json"; } 2>"$work/cpu"
value() { awk -v key="\"$1\":" '$1 == key { sub(/,$/, "", $2); print $2 }' "$work/said.json"; }
awk -v points="$(value simulated)" -v jobs="$(value jobs)" -v wall="$(value wall_s)" -v busy="$(value busy_s)" \
  -v children="$(value cpu_s)" -v simulations="$(value simulation_cpu_s)" '
  { cpu = $1 + $2; whole = $3 }
  END {
    printf "points                                  %d on %d cores\n", points, jobs
    printf "CPU of the simulations                  %.1f ms a point\n", 1e3 * simulations / points
    printf "CPU beyond that                         %.1f ms a point (graph, distribution, bounds, result: %.1f; the sweep itself: %.1f)\n",
      1e3 * (cpu - simulations) / points, 1e3 * (children - simulations) / points, 1e3 * (cpu - children) / points
    printf "time with a simulation on each core     %.1f %% of the %.1f s from reading the sweep to its tables\n",
      100 * busy / jobs / whole, whole
    printf "CPU time over cores x time              %.1f %% (low where other programs run)\n", 100 * cpu / jobs / whole
  }' "$work/cpu"
