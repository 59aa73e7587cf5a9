#!/usr/bin/env bash
# Draws the figures of gallery.md, of the studies and of the README from scenarios of this folder, or compares them with what is there:
#   scenarios/gallery.sh [--check] [FACTOSIM]
# With --check, ends with 1 if a figure differs from the one in this folder; those that another version of matplotlib drew are not
# compared. About four minutes of CPU.
set -eu
check=
if [ "${1:-}" = --check ]; then check=yes; shift; fi
root=$(cd "$(dirname "$0")/.." && pwd)
factosim=$(realpath "${1:-$root/build/release/factosim}")
cd "$root"
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
pictures=$runs/pictures
mkdir -p "$pictures/gallery" "$pictures/first" "$pictures/examples"

# RUN SCENARIO SETTINGS...
run() {
  local settings=()
  for setting in "${@:3}"; do settings+=(--set "$setting"); done
  "$factosim" run "scenarios/$2" "${settings[@]}" --out "$runs/$1" >"$runs/log"
}
sweep() { "$factosim" sweep "scenarios/$2" --out "$runs/$1" >"$runs/log"; }
# PICTURE RUNS, with commas between, and the figure's options
draw() {
  local picture=$1 folders=()
  for name in ${2//,/ }; do folders+=("$runs/$name"); done
  "$factosim" report "${folders[@]}" "${@:3}" -o "$pictures/$picture.svg" >"$runs/log"
}

run first first/lu_mirage.json
draw first/lu_mirage first --figure workers --size 180

# EXAMPLE PANELS: a picture of a run or a sweep of examples/
example() {
  if [ -e "scenarios/examples/$1.sweep.json" ]; then sweep "$1" "examples/$1.sweep.json"; else run "$1" "examples/$1.json"; fi
  draw "examples/$1" "$1" --figure "$2" --size 160
}
example starpu-node workers
example policies gflops
example mixed-cluster nodes
example distributions makespan_s
example strong-scaling speedup
example network gflops
example gpu-memory workers
example exageostat iterations,nodes
example own-graph workers
example trace workers
example spread makespan_s

run lu05 lu_icpads20/fig05_block_cyclic.json
run lu06 lu_icpads20/fig06_1d1d.json
run lu08 lu_icpads20/fig08_shuffled.json
draw gallery/lu_fig05 lu05 --figure iterations,workers,ready
draw gallery/lu_fig06_fig08 lu06,lu08 --figure iterations,workers,ready
draw gallery/lu_fig06_lost lu06 --figure lost
sweep lu10 lu_icpads20/fig10.sweep.json
sweep lu11 lu_icpads20/fig11_fig12.sweep.json
draw gallery/lu_fig10 lu10 --figure makespan_s --title ""
draw gallery/lu_fig11 lu11 --figure makespan_s --title "" --log y

asynchronous=/application/asynchronous=full
run exa03 exageostat_icpp21/fig03_synchronous.json
run exa06_async exageostat_icpp21/fig03_synchronous.json $asynchronous /name=\"Async\"
run exa06_memory exageostat_icpp21/fig03_synchronous.json $asynchronous /application/solve=local \
  /application/memory_optimisations=true "/name=\"New solve and memory\""
run exa06_all exageostat_icpp21/fig06_all.json "/name=\"All optimisations\""
draw gallery/exa_fig03 exa03 --figure iterations,nodes,memory
run exa08_two exageostat_icpp21/fig07_lp.json "/name=\"4 + 4\""
run exa08_all exageostat_icpp21/fig08_gpu_nodes.json /distribution/factorization=all "/name=\"4 + 4 + 1\""
run exa08_gpu exageostat_icpp21/fig08_gpu_nodes.json "/name=\"4 + 4 + 1, factorization on nodes with GPUs\""
draw gallery/exa_fig08 exa08_two,exa08_all,exa08_gpu --figure iterations,nodes,memory
draw gallery/exa_fig06 exa06_async,exa06_memory,exa06_all --figure iterations,nodes,memory

python=${FACTOSIM_PYTHON:-python3}
"$python" -c 'import matplotlib' 2>"$runs/log" || python=/usr/bin/python3
"$python" scenarios/paper_figures.py --program "$factosim" --out "$pictures/gallery" >"$runs/log"

version() { grep -o -m 1 'Matplotlib v[0-9.]*' "$1"; }
stale=0
for picture in "$pictures"/*/*.svg; do
  there=scenarios/${picture#"$pictures"/}
  cmp -s "$picture" "$there" && continue
  if [ -n "$check" ] && [ "$(version "$picture")" != "$(version "$there")" ]; then continue; fi
  echo "$there ${check:+differs from what $factosim draws}"
  if [ -z "$check" ]; then cp "$picture" "$there"; else stale=1; fi
done
exit $stale
