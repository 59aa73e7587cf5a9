#!/usr/bin/env bash
# Installs what is missing, builds factosim, simulates a first factorization and draws its page:
#   scenarios/run_first.sh        with what the first run needs
#   scenarios/run_first.sh all    with everything: also rings, figures as PNG and PDF, calibration of a machine
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

echo "2/3   Building factosim (about five minutes on two cores)"
if [ -z "${CXX:-}" ] && command -v clang++-19 >/dev/null; then export CXX=clang++-19; fi  # takes 0.6 of GCC's time
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

cat <<EOF

Done in $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s. Next:
  open results/first/page.html                 the run, in any browser
  export PATH=$root/build/release:\$PATH       then, from anywhere:
  factosim run $root/scenarios/first/lu_mirage.json --set /scheduler/type=eager
  factosim --help                              all commands; README.md says what they are for
EOF
if [ "${1:-first}" = first ]; then
  echo "Rings, figures as PNG and PDF, and the calibration of a machine need more packages: scenarios/run_first.sh all"
fi
