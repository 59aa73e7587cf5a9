#!/usr/bin/env bash
# Figures 6 to 8 of the IPDPS 2000 paper: n x n nodes with random cycle-times, n = 2 to 15, 100 draws each, by the paper's heuristic and
# by ours ("exchanges"):
#   scenarios/het_grid/figures.sh [FACTOSIM] [--quick]
# Writes results/het_grid/figures.csv: means and their standard errors. --quick: n up to 5, 20 draws.
set -eu -o pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export FACTOSIM="$root/build/release/factosim" folder
largest=15 draws=100
for argument; do
  case $argument in
    --quick) largest=5 draws=20 ;;
    *) FACTOSIM=$(realpath "$argument") ;;
  esac
done
[ -x "$FACTOSIM" ] || { echo "no program $FACTOSIM: build it first, or name it" >&2; exit 2; }
out="$root/results/het_grid"
mkdir -p "$out"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/random.json" <<END
{"format": "factosim-scenario", "version": 1, "application": {"type": "gemm", "nt": 1, "nb": 200},
 "distribution": {"type": "het-grid", "p": 2, "q": 2, "cycle_times": {"random": 0}, "method": "heuristic"}}
END

# One draw: n, workload, tau, steps, gain of the best arrangement that the steps saw, gain of ours.
draw() {
  local n=$1 seed=$2 arguments paper ours
  arguments=(distribute "$folder/random.json" --json --set "/distribution/p=$n" --set "/distribution/q=$n"
    --set "/distribution/cycle_times={\"random\":$seed}")
  paper=$("$FACTOSIM" "${arguments[@]}")
  ours=$("$FACTOSIM" "${arguments[@]}" --set /distribution/method=exchanges)
  printf '%s\n' "$paper" "$ours" | awk -v n="$n" '
    # The first number of a key.
    function number(key) { return match($0, "\"" key "\":\\[?[0-9.e+-]+") ? substr($0, RSTART + length(key) + 3) : "" }
    function first(key, text) { text = number(key); sub(/^\[/, "", text); return text + 0 }
    NR == 1 { objective = first("objective")
      line = n " " first("mean_workload") " " objective / first("history") - 1 " " first("iterations") + 1 " " first("best_seen") / objective }
    NR == 2 { print line " " first("objective") / objective }'
}
export -f draw

for n in $(seq 2 "$largest"); do for seed in $(seq 1 "$draws"); do echo "$n $((1000 * n + seed))"; done; done |
  xargs -n 2 -P "$(nproc)" bash -eu -o pipefail -c 'draw "$1" "$2"' job | sort -n | awk '
    { n[$1]++; for (i = 2; i <= 6; i++) { sum[$1, i] += $i; square[$1, i] += $i * $i } }
    END {
      print "n,workload,workload_error,tau,tau_error,steps,steps_error,best_seen_gain,best_seen_error,exchanges_gain,exchanges_error"
      for (k = 2; k in n; k++) {
        line = k
        for (i = 2; i <= 6; i++) {
          mean = sum[k, i] / n[k]; v = square[k, i] / n[k] - mean * mean
          line = line sprintf(",%.4f,%.4f", mean, sqrt((v > 0 ? v : 0) / (n[k] - 1)))
        }
        print line
      }
    }' >"$out/figures.csv"
column -s, -t "$out/figures.csv"
echo "took $SECONDS s" >&2
