#!/usr/bin/env bash
# Draws the pictures of gallery.md from the scenarios of the studies:
#   scenarios/gallery.sh [FACTOSIM] [FOLDER]
# FOLDER: where the pictures go, scenarios/gallery if none is named. Runs are kept in results/gallery. Some ten minutes on two cores.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
factosim=$(realpath "${1:-$root/build/release/factosim}")
pictures=$(realpath -m "${2:-$root/scenarios/gallery}")
cd "$root"
mkdir -p "$pictures" results/gallery

# RUN SCENARIO SETTINGS...: simulates it, unless it is there already.
run() {
  local folder=results/gallery/$1 file=scenarios/$2 settings=()
  [ -e "$folder/result.json" ] && return
  for setting in "${@:3}"; do settings+=(--set "$setting"); done
  "$factosim" run "$file" "${settings[@]}" --out "$folder" >/dev/null
}
# SWEEP FILE: the same of a sweep.
sweep() {
  [ -e "results/gallery/$1/sweep.json" ] || "$factosim" sweep "scenarios/$2" --out "results/gallery/$1" >/dev/null
}
# PICTURE PANELS RUNS...
draw() { "$factosim" report "${@:3}" --figure "$2" -o "$pictures/$1.svg" --force; }

run lu05 lu_icpads20/fig05_block_cyclic.json
run lu06 lu_icpads20/fig06_1d1d.json
run lu08 lu_icpads20/fig08_shuffled.json
draw lu_fig05 iterations,workers,ready results/gallery/lu05
draw lu_fig06_fig08 iterations,workers,ready results/gallery/lu06 results/gallery/lu08
draw lu_fig06_lost lost results/gallery/lu06
sweep lu10 lu_icpads20/fig10.sweep.json
sweep lu11 lu_icpads20/fig11_fig12.sweep.json
draw lu_fig10 makespan_s results/gallery/lu10
draw lu_fig11 makespan_s results/gallery/lu11

asynchronous=/application/asynchronous=full
run exa03 exageostat_icpp21/fig03_synchronous.json
run exa06_async exageostat_icpp21/fig03_synchronous.json $asynchronous /name=\"Async\"
run exa06_memory exageostat_icpp21/fig03_synchronous.json $asynchronous /application/solve=local \
  /application/memory_optimisations=true "/name=\"New solve and memory\""
run exa06_all exageostat_icpp21/fig06_all.json
draw exa_fig03 iterations,nodes,memory results/gallery/exa03
draw exa_fig06 iterations,nodes,memory results/gallery/exa06_async results/gallery/exa06_memory results/gallery/exa06_all
