#!/usr/bin/env bash
# Cost per task for growing matrices and clusters: tests/bench/growth.sh [--long|--longest] [FACTOSIM]. LU with 1Dx1D on
# Lille's nodes, a third of them with GPUs; at most ten sends per node. --long adds cases of minutes, up to 21 million
# tasks; --longest only those with tasks from formulas and a shared network, up to a thousand million tasks (hours).
set -eu -o pipefail
export LC_ALL=C
long=0
longest=0
[ "${1:-}" = --long ] && long=1 && shift
[ "${1:-}" = --longest ] && longest=1 && shift
root=$(cd "$(dirname "$0")/../.." && pwd)
factosim=${1:-$root/build/release/factosim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NT CHIFFLET CHETEMI NETWORK [APPLICATION [TASK_GRAPH]]. "CPU s": of the simulation; "all s": of the whole program, with
# the bounds.
row() {
  rm -rf "$work/run"
  local nodes="{\"type\":\"chetemi\",\"count\":$3}" all TIMEFORMAT='%U %S'
  [ "$2" = 0 ] || nodes="{\"type\":\"chifflet\",\"count\":$2},$nodes"
  { time "$factosim" run "$root/scenarios/lu_icpads20/fig13_growing_matrix.json" --set "/application/nt=$1" \
    --set "/platform/nodes=[$nodes]" \
    --set '/distribution={"type":"1d1d"}' --set "/network/model=$4" --set "/application/type=${5:-lu}" \
    --set "/application/task_graph=${6:-stored}" \
    --set /runtime/ram_limit_bytes=1000000000000000 --set /outputs/trace=false --out "$work/run" >"$work/log" 2>&1 || {
    cat "$work/log" >&3
    exit 1
  }; } 3>&2 2>"$work/time"
  all=$(awk 'END { print $1 + $2 }' "$work/time")
  awk -v nt="$1" -v nodes="$(($2 + $3))" -v network="$4" -v application="${5:-lu}" -v graph="${6:-stored}" -v all="$all" '
    function value(line) { sub(/.*: /, "", line); sub(/,$/, "", line); return line }
    /^  "tasks":/ { tasks = value($0) }
    /^  "tiles_sent":/ { messages = value($0) }
    /^    "cpu_s":/ { cpu = value($0) }
    /^    "peak_rss_bytes":/ { memory = value($0) }
    END {
      printf "%-9s %5d %6d %10d %9d  %-9s %-8s %8.2f %8.2f %8.2f %10.2f %8.0f %8.1f\n", application, nt, nodes, tasks, messages,
        network, graph, all, cpu, 1e6 * cpu / tasks, 1e6 * cpu / (tasks + messages), memory / 1e6, memory / tasks
    }' "$work/run/result.json"
}

printf '%-9s %5s %6s %10s %9s  %-9s %-8s %8s %8s %8s %10s %8s %8s\n' application N nodes tasks messages network graph 'all s' \
  'CPU s' us/task 'us/(t+m)' MB B/task
if [ $longest = 1 ]; then
  for form in stored formulas; do row 150 0 200 maxmin lu $form; done
  row 66 0 46 maxmin lu formulas
  row 144 0 100 maxmin lu formulas
  row 310 0 400 maxmin lu formulas
  row 400 0 1000 constant lu formulas
  row 400 0 1000 maxmin lu formulas
  row 669 0 2000 maxmin lu formulas
  row 1000 0 4096 maxmin lu formulas
  row 1442 0 10000 maxmin lu formulas
  exit
fi
for network in constant maxmin simgrid; do
  for nt in 50 100 150; do row $nt 8 14 $network; done
  for nodes in '16 30' '32 60' '64 120'; do row 100 $nodes $network; done
  row 150 16 30 $network
done
[ $long = 0 ] && exit
for network in constant maxmin simgrid; do row 300 70 130 $network cholesky; done
row 400 0 1000 constant
row 400 0 1000 maxmin
