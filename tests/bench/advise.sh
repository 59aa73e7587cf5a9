#!/usr/bin/env bash
# How good advice is with a tenth of the simulations: tests/bench/advise.sh [FACTOSIM]. LU on subsets of 8 Chifflet and
# 14 Chetemi; every choice is simulated first. Prints choices, the least makespan, and what search finds with so many runs.
set -eu -o pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
factosim=${1:-$root/build/release/factosim}
value() { awk -v key="\"$1\":" '$1 == key { sub(/,$/, "", $2); print $2; exit }'; }
advise() {
  "$factosim" advise "$root/scenarios/lu_icpads20/fig13_growing_matrix.json" --json --set /application/nt="$1" \
    --set '/platform/nodes=[{"type":"chifflet","count":8},{"type":"chetemi","count":14}]' "${@:2}"
}
printf '%4s %8s %10s  %s\n' N choices best_s "excess of the makespan found with as many runs as 1/10, 1/20, 1/40 of the choices"
for nt in ${SIZES:-20 30 40}; do
  said=$(advise "$nt" --exhaustive)
  best=$(value makespan_s <<<"$said") choices=$(value choices <<<"$said")
  printf '%4d %8d %10.4f ' "$nt" "$choices" "$best"
  for part in 10 20 40; do
    said=$(advise "$nt" --runs $((choices / part)))
    awk -v best="$best" -v found="$(value makespan_s <<<"$said")" 'BEGIN { printf " %6.2f %%", 100 * (found / best - 1) }'
  done
  echo
done
