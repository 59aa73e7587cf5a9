#!/usr/bin/env bash
# Runs every shipped scenario in full size with its trace and audits it: tests/audit/audit_all.sh [PROGRAM] [KEY=VALUE...]
# Further arguments are settings for all scenarios, in the syntax of --set.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/build/audit/factosim}
shift || true
settings=()
for s in "$@"; do settings+=(--set "$s"); done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
audited=0 failed=0
for scenario in $(grep -rl '"factosim-scenario"' "$root"/scenarios --include='*.json' --exclude='*.sweep.json' | sort); do
  grep -q '"application"' "$scenario" || continue
  rm -rf "$folder/run"
  name=${scenario#"$root"/scenarios/}
  if ! "$program" run "$scenario" --set /outputs/trace=true "${settings[@]}" --out "$folder/run" >"$folder/log" 2>&1; then
    echo "$name: did not run: $(tail -1 "$folder/log")"
    failed=$((failed + 1))
    continue
  fi
  code=0
  "$program" check "$folder/run" --json >"$folder/report.json" 2>"$folder/log" || code=$?
  case $code in
  0 | 5)
    cases=$(grep -o '"cases": [0-9]*' "$folder/report.json" | awk '{ s += $2 } END { print s }')
    found=$(grep -m1 -o '"findings": [0-9]*' "$folder/report.json" | grep -o '[0-9]*$')
    echo "$name: $cases cases, $found findings"
    audited=$((audited + 1))
    [ "$code" -eq 0 ] || failed=$((failed + 1))
    ;;
  2) echo "$name: $(cat "$folder/log")" ;;
  *)
    echo "$name: exit code $code: $(cat "$folder/log")"
    failed=$((failed + 1))
    ;;
  esac
done
echo "$audited audited, $failed failed"
[ "$failed" -eq 0 ]
