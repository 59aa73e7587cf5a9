#!/usr/bin/env bash
# T_step / W of the slides' two heuristics and of ours on the machines like theirs, beside what the slides print:
#   scenarios/ring/table.sh [FACTOSIM]
# Writes results/ring/sweep.csv and what it prints.
set -eu -o pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
factosim=${1:-$root/build/release/factosim}
[ -x "$factosim" ] || { echo "no program $factosim: build it first, or name it" >&2; exit 2; }
"$factosim" sweep "$here/message_per_work.sweep.json" --out "$root/results/ring" --resume --report >&2
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  function value(name) { return $column[name] / 100 }  # W = 100 Mflop
  BEGIN {
    printed["lyon", 0.1] = "3.17  3.15"; printed["lyon", 1] = "3.46  3.22"; printed["lyon", 10] = "10.39 3.90"
    printed["strasbourg", 0.1] = "7.32  7.26"; printed["strasbourg", 1] = "9.65  7.53"; printed["strasbourg", 10] = "19.24 10.26"
    print "machine     H/W  slice   slice   greedy  greedy  search  simulated    gain  in ring  printed: slice, greedy"
    print "                 maxmin  quadr.          quadr.                   of greedy"
  }
  { h = $column["message_per_work"] / 125000
    slice = value("step_slice-ring_max-min_s"); greedy = value("step_shared-ring_quadratic_s")
    printf "%-10s %4g  %6.3f  %6.3f  %6.3f  %6.3f  %6.3f  %6.3f  %7.2f %%  %7d  %s\n", $column["platform"], h, slice,
      value("step_slice-ring_quadratic_s"), value("step_shared-ring_none_s"), greedy, value("step_search_quadratic_s"),
      value("step_simulated_s"), 100 * (1 - greedy / slice), $column["processors_in_ring"], printed[$column["platform"], h] }
' "$root/results/ring/sweep.csv"
echo "took $SECONDS s" >&2
