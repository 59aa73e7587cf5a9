#!/usr/bin/env bash
# Quality of the advice with a tenth of the simulations: tests/bench/advise.sh [FACTOSIM]. LU and Cholesky on subsets of 8
# Chifflet and 14 Chetemi; every choice is simulated first. Prints the number of choices, the minimum makespan, and the excess of
# the makespan found by the search over it. CASES="lu:30" runs a single case.
set -eu -o pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
factosim=${1:-$root/build/release/factosim}
value() { awk -v key="\"$1\":" '$1 == key { sub(/,$/, "", $2); print $2; exit }'; }
advise() {
  "$factosim" advise "$root/scenarios/lu_icpads20/fig13_growing_matrix.json" --json --set /application/type="$1" --set /application/nt="$2" \
    --set '/platform/nodes=[{"type":"chifflet","count":8},{"type":"chetemi","count":14}]' "${@:3}"
}
printf '%-14s %8s %10s  %s\n' case choices best_s "excess with as many simulations as 1/10, 1/20, 1/40 of the choices"
for entry in ${CASES:-lu:20 lu:25 lu:30 lu:40 cholesky:20 cholesky:25 cholesky:30 cholesky:40}; do
  application=${entry%:*} nt=${entry#*:}
  said=$(advise "$application" "$nt" --exhaustive)
  best=$(value makespan_s <<<"$said") choices=$(value choices <<<"$said")
  printf '%-14s %8d %10.4f ' "$application N=$nt" "$choices" "$best"
  for part in 10 20 40; do
    said=$(advise "$application" "$nt" --runs $((choices / part)))
    awk -v best="$best" -v found="$(value makespan_s <<<"$said")" 'BEGIN { printf " %6.2f %%", 100 * (found / best - 1) }'
  done
  echo
done
