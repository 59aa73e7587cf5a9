#!/usr/bin/env bash
# Builds the program without and with optimisation and compares the output files of runs byte by byte: tests/determinism.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for level in O0 O3; do
  cmake -S "$root" -B "$root/build/determinism-$level" -G Ninja -D CMAKE_BUILD_TYPE=None -D FACTOSIM_TESTS=OFF \
    -D FACTOSIM_QUICK_BUILD=ON -D CMAKE_CXX_FLAGS="-$level -DNDEBUG" >"$folder/log"
  cmake --build "$root/build/determinism-$level" --target factosim >"$folder/log" || { cat "$folder/log" >&2; exit 1; }
done
same=0 different=0
compare() { # NAME SCENARIO OPTIONS...
  local name=$1 scenario=$2 level
  shift 2
  for level in O0 O3; do
    "$root/build/determinism-$level/factosim" run "$root/scenarios/$scenario" "$@" --out "$folder/$level" --force >/dev/null
    # The cost of the simulation differs between runs.
    sed -i '/^  "simulation": {/,/^  }/d' "$folder/$level/result.json"
  done
  if cmp -s "$folder/O0/run.trace" "$folder/O3/run.trace" && cmp -s "$folder/O0/result.json" "$folder/O3/result.json"; then
    same=$((same + 1))
  else
    different=$((different + 1))
    echo "$name differs"
  fi
}
for policy in dmdas dmda dmdar lws ws eager prio random heft heteroprio; do
  compare "LU on a node with GPUs, $policy" first/lu_mirage.json --set /scheduler/type=$policy
done
for network in simgrid maxmin constant; do
  compare "LU on 22 nodes, $network" lille/block_cyclic_2x11.json --set /application/nt=40 --set /network/model=$network
done
for noise in normal lognormal; do
  compare "LU with noise, $noise" first/lu_mirage.json --set /noise/distribution=$noise --replicas 3
done
compare "likelihood" exageostat_icpp21/fig05_workload_60.json --set /application/nt=20 --set /application/n=19200
compare "distribution by a linear program" exageostat_icpp21/fig07_lp.json --set /application/nt=16 --set /application/n=15360
compare "heterogeneous grid" het_grid/lu.json
compare "1D-1D with constraints" lu_icpads20/fig08_constrained.json --set /application/nt=24
echo "$same runs leave the same bytes at -O0 and -O3, $different differ"
[ "$different" -eq 0 ]
