#!/usr/bin/env bash
# Installs what is missing, builds factosim, simulates a first factorization and draws its page:
#   scenarios/run_first.sh        with what the first run needs
#   scenarios/run_first.sh all    with everything: also figures, Python, rings, graphs in DOT, calibration of a machine
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
begin=$SECONDS

# Shows the steps of ninja as a line that is rewritten, or, without a terminal, as a line for each quarter.
show_progress() {
  local start=$SECONDS quarter=0 line percent left
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    left=$(((SECONDS - start) * (100 - percent) / (percent > 0 ? percent : 1)))
    if [ -t 1 ]; then
      printf '\r      %3d %%, about %d:%02d min left ' "$percent" $((left / 60)) $((left % 60))
    elif [ $((percent / 25)) -gt "$quarter" ]; then
      quarter=$((percent / 25))
      printf '      %3d %%\n' "$percent"
    fi
  done
  if [ -t 1 ]; then printf '\r%40s\r' ''; fi
}

echo "1/3   Installing the packages that are missing (half a minute for all of them)"
tests/setup.sh "${1:-first}"

echo "2/3   Building factosim (some minutes on two cores)"
CXX=$(cmake/compiler.sh)
export CXX
python=OFF
if [ "${1:-first}" = all ]; then python=ON; fi
log=$root/.build-release.log
if ! { cmake --preset release -DFACTOSIM_QUICK_BUILD=ON -DFACTOSIM_PYTHON=$python && cmake --build --preset release; } 2>&1 | tee "$log" | show_progress; then
  tail -n 30 "$log" >&2
  echo "The build failed, see above; all of its messages are in $log." >&2
  exit 1
fi
rm -f "$log"

echo "3/3   Simulating LU of 20 x 20 tiles on a node with three GPUs"
echo
build/release/factosim run scenarios/first/lu_mirage.json --out results/first --force
build/release/factosim report results/first -o results/first/page.html --force

build/release/factosim help --pages build/release/share >/dev/null

cat <<EOF

Done in $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s; results/first/page.html shows the run in any browser. Next:
  export PATH=$root/build/release:\$PATH         factosim from anywhere
  source $root/build/release/share/bash-completion/completions/factosim    Tab completes commands and options
  factosim run $root/scenarios/first/lu_mirage.json --set /scheduler/type=eager    another policy
  factosim init                                  a scenario of your own; then scenarios/guide/tutorial.md
EOF
if [ "${1:-first}" = first ]; then
  echo "Figures, Python, rings, graphs in DOT and the calibration of a machine need more packages: scenarios/run_first.sh all"
fi
