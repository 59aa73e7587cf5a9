#!/usr/bin/env bash
# Frequency of scheduling anomalies: tests/bench/anomalies.sh [FACTOSIM]. In a dynamic list schedule a tile that arrives earlier
# may let another task go first, so that more bandwidth increases the makespan. Doubles the bandwidth of all network cards from 0.3
# to 9.6 GB/s and counts the pairs whose makespan grows.
set -eu -o pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
factosim=${1:-$root/build/release/factosim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/sweep.json" <<JSON
{"format": "factosim-sweep", "version": 1, "scenario": "$root/scenarios/lu_icpads20/fig13_growing_matrix.json",
 "set": {"/runtime/gpu_pipeline": 2},
 "points": {"product": [
   {"/application/type": ["lu", "cholesky"]},
   {"/application/nt": [10, 20, 30, 40]},
   {"zip": [{"/platform/nodes/0/count": [2, 4, 8]}, {"/platform/nodes/1/count": [2, 7, 14]}]},
   {"/distribution": [{"type": "block-cyclic"}, {"type": "1d1d"}]},
   {"/scheduler/type": ["dmdas", "dmda", "lws", "prio"]},
   {"/network/nic/latency_s": [1e-6]},
   {"/network/nic/bandwidth_Bps": [3e8, 6e8, 1.2e9, 2.4e9, 4.8e9, 9.6e9]}]}}
JSON
"$factosim" sweep "$work/sweep.json" --out "$work/out" >/dev/null 2>"$work/log" || {
  cat "$work/log" >&2
  exit 1
}
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  {
    bandwidth = $column["network/nic/bandwidth_Bps"]; makespan = $column["makespan_s"]; policy = $column["scheduler/type"]
    if (before > 0 && bandwidth > before) {
      growth = makespan / shorter - 1
      for (k = 0; k < 2; ++k) {
        name = k ? policy : "all"
        ++pairs[name]
        if (growth > 0.001) ++any[name]
        if (growth > 0.01) ++one[name]
        if (growth > 0.05) ++five[name]
        if (growth > worst[name]) worst[name] = growth
      }
    }
    before = bandwidth; shorter = makespan
  }
  END {
    printf "%-8s %6s %12s %10s %10s %8s\n", "policy", "pairs", "over 0.1 %", "over 1 %", "over 5 %", "worst"
    split("dmdas dmda lws prio all", names, " ")
    for (i = 1; i <= 5; ++i) {
      n = names[i]
      printf "%-8s %6d %10.1f %% %8.1f %% %8.1f %% %6.1f %%\n", n, pairs[n], 100 * any[n] / pairs[n], 100 * one[n] / pairs[n],
        100 * five[n] / pairs[n], 100 * worst[n]
    }
  }' "$work/out/sweep.csv"
