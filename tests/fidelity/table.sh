#!/usr/bin/env bash
# Simulates the runs measured with StarPU-SimGrid and prints both results side by side:
#   tests/fidelity/table.sh [FACTOSIM] [FURTHER FILES...]
# Reference values: peer_single_node.csv and further files with the same columns, or with one more: the memory of each GPU
# in MiB, as STARPU_LIMIT_CUDA_MEM sets it (peer_pressure.csv). Ends with statistics of each policy family, those with
# limited memory apart; exits with 5 if they exceed the limits that README.md states for the rows of peer_single_node.csv.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
factosim=${1:-$root/build/release/factosim}
[ $# -eq 0 ] || shift
files=("$here/peer_single_node.csv" "$@")

# The part of a GPU's memory that so many MiB are, for the first GPU of a machine.
fraction() {
  awk -v mib="$2" '/"memory_bytes"/ { sub(/.*"memory_bytes": */, ""); printf "%.15g", (mib * 1048576 + 0.5) / $0; exit }' \
    "$root/platforms/$1.json"
}
# One number of a result printed as JSON.
field() { sed -n "s/^ *\"$1\": *\([-0-9.e+]*\),\{0,1\}$/\1/p" | head -n 1; }

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

printf '%-9s %-8s %5s %4s %-7s %11s %11s %8s %11s %11s %7s %7s\n' \
  app machine tile N policy 'peer ms' 'ours ms' 'error %' 'peer task/s' 'ours task/s' ratio 'GPU MiB'
for file in "${files[@]}"; do
  while IFS=, read -r app machine tile n policy makespan cpu mib; do
    case $app in \#* | app) continue ;; esac
    json=$("$factosim" run "$root/scenarios/peer/${app}_mirage.json" --json \
      --set /platform="$root/platforms/$machine.json" --set /application/nt="$n" --set /application/nb="$tile" \
      --set /scheduler/type="$policy" ${mib:+--set /runtime/gpu_memory_fraction="$(fraction "$machine" "$mib")"}) || {
      printf '%-9s %-8s %5d %4d %-7s has no result\n' "$app" "$machine" "$tile" "$n" "$policy" >&2
      continue
    }
    ours=$(printf '%s\n' "$json" | field makespan_s)
    tasks=$(printf '%s\n' "$json" | field tasks)
    rate=$(printf '%s\n' "$json" | field tasks_per_s)
    awk -v app="$app" -v machine="$machine" -v tile="$tile" -v n="$n" -v policy="$policy" -v peer="$makespan" \
      -v cpu="${cpu:-0}" -v ours="$ours" -v tasks="$tasks" -v rate="$rate" -v mib="${mib:-}" 'BEGIN {
        theirs = cpu > 0 ? tasks / cpu : 0
        printf "%-9s %-8s %5d %4d %-7s %11.1f %11.1f %+8.2f %11s %11.0f %7s %7s\n", app, machine, tile, n, policy, peer,
          ours * 1000, 100 * (ours * 1000 / peer - 1), theirs ? sprintf("%.0f", theirs) : "-", rate,
          theirs ? sprintf("%.0f", rate / theirs) : "-", mib ? mib : "-" }'
  done <"$file"
done | tee "$rows"

# Limits in %: mean error, root mean square, single row for N >= 20; single row for N < 20. None with limited memory.
awk '
  function family(policy) {
    return policy ~ /^dm/ ? "dm*" : policy ~ /^l?ws$/ ? "stealing" : policy ~ /^(eager|prio)$/ ? "central" : "other"
  }
  function size(x) { return x < 0 ? -x : x }
  { f = family($5); e = $8; g = f SUBSEP ($12 != "-" ? 2 : $4 >= 20)
    k[g]++; s[g] += e; q[g] += e * e; if (size(e) > size(worst[g])) worst[g] = e }
  END {
    split("dm* central stealing", families, " ")
    split("1 3 3", mean); split("2.5 6 7", rms); split("6 16 14", one); split("10 14 14", small)
    for (i = 1; i <= 3; i++) for (large = 2; large >= 0; large--) {
      g = families[i] SUBSEP large
      if (!k[g]) continue
      m = s[g] / k[g]; r = sqrt(q[g] / k[g])
      printf "%-9s %s, %2d rows: mean %+.2f %%, rms %.2f %%, worst %+.2f %%\n", families[i],
        large == 2 ? "limited memory" : large ? "N >= 20" : "N <  20", k[g], m, r, worst[g]
      if (large == 2) continue
      if (large ? size(m) > mean[i] || r > rms[i] || size(worst[g]) > one[i] : size(worst[g]) > small[i]) bad = 1
    }
    exit bad ? 5 : 0
  }' "$rows"
