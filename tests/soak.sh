#!/usr/bin/env bash
# Holds random scenarios of all features against claims, on idle cores, until Ctrl-C: tests/soak.sh [PROGRAM] [OPTIONS]
# Options are those of tests/soak/soak.py, such as --minutes 60 or --seed 7. The seed is the date. build/soak/SEED gets the summary, the
# pairs of features that were never drawn together, and the shrunk scenario of each kind of failure.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$root/build/audit/factosim
case ${1:-} in "" | --*) ;; *) program=$1; shift ;; esac
seed=$(date +%F)
folder=$root/build/soak/$seed
mkdir -p "$folder"
exec nice -n 19 python3 "$root/tests/soak/soak.py" "$program" --jobs "$(nproc)" --seed "$seed" --keep "$folder" \
  --summary "$folder/summary.md" --pairs "$folder/never.txt" --refusals "$folder/refused.txt" "$@"
