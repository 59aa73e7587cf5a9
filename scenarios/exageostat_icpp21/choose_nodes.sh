#!/usr/bin/env bash
# Which nodes, and which split of the two phases, finish a workload first? Simulates every set of nodes up to the given numbers:
#   scenarios/exageostat_icpp21/choose_nodes.sh [FACTOSIM] [CHETEMI CHIFFLET CHIFFLOT [N]]
# Default: up to 6 of the first two kinds in steps of 2, up to 1 Chifflot, N = 60. One line per set and split, fastest first, in
# results/exageostat_icpp21/choose_nodes.csv; the best ones on standard output, with the nodes that each needs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
factosim=$root/build/release/factosim
case ${1:-} in *[!0-9]*) factosim=$1 && shift ;; esac
chetemi=${1:-6} chifflet=${2:-6} chifflot=${3:-1} n=${4:-60}
out=$root/results/exageostat_icpp21
mkdir -p "$out"

field() { sed -n "s/^ *\"$1\": *\([-0-9.e+]*\),\{0,1\}$/\1/p" | head -n 1; }

for a in $(seq 0 2 "$chetemi"); do
  for b in $(seq 0 2 "$chifflet"); do
    for c in $(seq 0 "$chifflot"); do
      [ $((a + b + c)) -gt 0 ] || continue
      nodes="[{\"type\":\"chetemi\",\"count\":$a},{\"type\":\"chifflet\",\"count\":$b},{\"type\":\"chifflot\",\"count\":$c}]"
      nodes=$(printf '%s' "$nodes" | sed 's/{[^}]*"count":0},\{0,1\}//g; s/,\]/]/')
      for split in all gpu-nodes; do
        # Without GPU nodes, or with nothing else, the two splits are one.
        if [ $split = gpu-nodes ] && { [ "$a" -eq 0 ] || [ $((b + c)) -eq 0 ]; }; then continue; fi
        json=$("$factosim" run "$here/fig07_lp.json" --json --set "/platform/nodes=$nodes" --set "/application/nt=$n" \
          --set "/application/n=$((n * 960))" --set "/distribution/factorization=$split" 2>"$out/choose_nodes.err") || {
          echo "$a + $b + $c: $(head -c 200 "$out/choose_nodes.err")" >&2
          continue
        }
        printf '%s,%s,%s,%s,%s\n' "$a" "$b" "$c" $split "$(printf '%s\n' "$json" | field makespan_s)"
      done
    done
  done
done | sort -t, -k5,5g >"$out/choose_nodes.csv"

awk -F, '{ nodes = $1 + $2 + $3; printf "%2d + %2d + %d  %-9s %8.2f s  %7.0f node s\n", $1, $2, $3, $4, $5, nodes * $5 }' \
  "$out/choose_nodes.csv" | head -n 12
