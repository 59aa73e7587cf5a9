#!/usr/bin/env bash
# Compares makespans with those of StarPU-SimGrid on one mirage node:
#   tests/peer_table.sh [FACTOSIM] [LEAST N] [LIMIT IN %] [POLICIES, AS A PATTERN]
# The peer's figures are in tests/data/peer_single_node.csv. Exits with 5 when a row is beyond the limit.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
factosim=${1:-$root/build/release/factosim}
min_n=${2:-20}
limit=${3:-10}
policies=${4:-.*}

# One number of a result printed as JSON.
field() { sed -n "s/^ *\"$1\": *\([-0-9.e+]*\),\{0,1\}$/\1/p" | head -n 1; }

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

printf '%-9s %5s %4s %-6s %12s %12s %8s %12s\n' app tile N policy 'peer ms' 'factosim ms' 'error %' 'tasks/CPU-s'
while IFS=, read -r app tile n policy peer; do
  case $app in \#* | app) continue ;; esac
  [ "$n" -ge "$min_n" ] || continue
  [[ $policy =~ ^($policies)$ ]] || continue
  json=$("$factosim" run "$root/scenarios/peer/${app}_mirage.json" --json --set /application/nt="$n" \
    --set /application/nb="$tile" --set /scheduler/type="$policy")
  ours=$(printf '%s\n' "$json" | field makespan_s)
  rate=$(printf '%s\n' "$json" | field tasks_per_s)
  awk -v app="$app" -v tile="$tile" -v n="$n" -v policy="$policy" -v peer="$peer" -v ours="$ours" -v rate="$rate" \
    'BEGIN { printf "%-9s %5d %4d %-6s %12.1f %12.1f %+8.2f %12.0f\n", app, tile, n, policy, peer, ours * 1000,
             100 * (ours * 1000 / peer - 1), rate }'
done <"$root/tests/data/peer_single_node.csv" | tee "$rows"
worst=$(awk '{ e = $7 < 0 ? -$7 : $7; if (e > w) w = e } END { print w + 0 }' "$rows")
awk '{ s += $7; q += $7 * $7; k++ } END { if (k) printf "%d rows: mean %+.2f %%, rms %.2f %%\n", k, s / k, sqrt(q / k) }' \
  "$rows"
awk -v worst="$worst" -v limit="$limit" 'BEGIN { exit worst > limit ? 5 : 0 }'
