#!/bin/bash
# Runs commands under many limits of memory, processes and files: each must end within a minute with exit code 0 or 2 and a
# message, or with the loader's own. Prints a line for each violation, then the numbers of runs by outcome; 20 minutes.
#   tests/resources.sh [PROGRAM]
set -u
program=$(readlink -f "${1:-build/audit/factosim}")
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
declare -A outcomes
violations=0

# try LIMIT COMMAND...: runs the program in a shell with the limit.
try() {
  local limit=$1 code outcome
  shift
  rm -rf "$work/out"
  # Through a pipe: a limit of the size of files would hold for messages too.
  (eval "$limit"; exec timeout -s KILL 60 "$program" "$@") 2>&1 >/dev/null | cat >"$work/stderr"
  code=${PIPESTATUS[0]}
  outcome="exit code $code"
  grep -q "error while loading shared libraries" "$work/stderr" && outcome="the loader's message"
  [ "$code" = 2 ] && [ ! -s "$work/stderr" ] && outcome="exit code 2 without a message"
  outcomes[$outcome]=$((${outcomes[$outcome]:-0} + 1))
  case $outcome in
  "exit code 0" | "exit code 2" | "the loader's message") ;;
  *)
    violations=$((violations + 1))
    echo "$limit: $*: $outcome: $(tail -n 1 "$work/stderr")"
    ;;
  esac
}

scenario="scenarios/lille/block_cyclic_2x11.json --set /application/nt=40"
"$program" run scenarios/first/lu_mirage.json --out "$work/run" >/dev/null || exit 1
cat >"$work/s.sweep.json" <<X
{"format": "factosim-sweep", "version": 1, "scenario": "$PWD/scenarios/first/lu_mirage.json",
 "points": {"/application/nt": [2, 20, 40]}}
X

all() {
  try "$1" --version
  try "$1" run $scenario
  try "$1" run $scenario --force-large --out "$work/out"
  try "$1" run scenarios/ring/toy.json --set /application/iterations=10
  try "$1" bounds $scenario
  try "$1" bounds scenarios/exageostat_icpp21/fig08_gpu_nodes.json
  try "$1" sweep "$work/s.sweep.json" --out "$work/out" --jobs 2
  try "$1" compare "$work/run" "$work/run"
  try "$1" report "$work/run" -o "$work/out"
  try "$1" check "$work/run"
  try "$1" advise scenarios/first/lu_mirage.json --set /application/nt=6 --runs 3 --jobs 2
  try "$1" calibrate --machine --name here --kernels potrf --tiles 64 --seconds 0.01 --out "$work/out"
}

for kilobytes in 8000 10000 12000 14000 16000 18000 20000 24000 28000 32000 36000 40000 45000 50000 55000 60000 65000 \
  70000 75000 80000 85000 90000 95000 100000 110000 120000 130000 140000 150000 160000 180000 200000 220000 240000 \
  260000 280000 300000 350000 400000 500000 700000 1000000; do
  all "ulimit -v $kilobytes"
done
for processes in 1 2 4; do all "ulimit -u $processes"; done  # without effect for root
for files in 3 4 5 6 7 8 9 10 12 16 20 32; do all "ulimit -n $files"; done
for blocks in 0 1 4 16 64 256; do all "ulimit -f $blocks"; done

for outcome in "${!outcomes[@]}"; do echo "${outcomes[$outcome]} runs: $outcome"; done
[ "$violations" = 0 ]
