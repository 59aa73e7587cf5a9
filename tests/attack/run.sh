#!/usr/bin/env bash
# Attacks a built program for twenty minutes of one core: tests/attack/run.sh [PROGRAM [SEED [KEEP]]]
# 2000 hostile inputs, 100 kills, 500 scenarios of unusual magnitudes, 500 planted faults; other seeds try others. KEEP: folder for findings.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../build/audit/factosim} seed=${2:-$(date +%s)} keep=${3:-}
[ -z "$keep" ] || mkdir -p "$keep"
worst=0
for campaign in "inputs 2000" "kills 100" "unusual 500" "faults 500"; do
  read -r name count <<<"$campaign"
  echo "== $name"
  nice -n 19 python3 "$here/$name.py" "$program" "$seed" "$count" ${keep:+"$keep"} || worst=1
done
exit $worst
