#!/usr/bin/env bash
# Prints what the order of messages on the wire changes (README.md):
#   scenarios/wire/table.sh [FACTOSIM]
# First for two nodes with 1, 2, 4, 6 and 10 sends at once, then for every shipped scenario with several nodes.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
factosim=${1:-$root/build/release/factosim}

# The makespan, in seconds, of a scenario with settings.
makespan() {
  local file=$1
  shift
  "$factosim" run "$file" --json "$@" | sed -n 's/^ *"makespan_s": *\([0-9.e+-]*\),\{0,1\}$/\1/p'
}

# "VALUE CHANGE%" of a makespan against that of a shared wire.
against() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%9.2f %+6.1f %%", b, 100 * (b / a - 1) }'; }

echo "two nodes, 1 Gb/s; s"
printf '%-14s %9s %18s\n' 'sends at once' shared fifo
for sends in 1 2 4 6 10; do
  shared=$(makespan "$here/two_nodes.json" --set /network/wire=shared --set /network/max_sends_per_node=$sends)
  fifo=$(makespan "$here/two_nodes.json" --set /network/wire=fifo --set /network/max_sends_per_node=$sends)
  printf '%-14s %9.2f %s\n' $sends "$shared" "$(against "$shared" "$fifo")"
done
priority=$(makespan "$here/two_nodes.json" --set /network/wire=priority)
printf '%-14s %9s %9.2f (priority)\n' unlimited '' "$priority"

printf '\n%-50s %9s %18s %18s\n' 'shipped scenarios; s' shared fifo priority
for file in "$root"/scenarios/{wire,lille,lu_icpads20,exageostat_icpp21,het_grid}/*.json; do
  case $file in *expected.json | *.platform.json | *.sweep.json | *.kernels.json | *.errors.json) continue ;; esac
  shared=$(makespan "$file" --set /network/wire=shared)
  printf '%-50s %9.2f %s %s\n' "${file#"$root"/scenarios/}" "$shared" \
    "$(against "$shared" "$(makespan "$file" --set /network/wire=fifo)")" \
    "$(against "$shared" "$(makespan "$file" --set /network/wire=priority)")"
done
