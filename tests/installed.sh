#!/usr/bin/env bash
# What a user tries first with an installed factosim, in an empty folder and without sources in reach: tests/installed.sh [PROGRAM] [PYTHON]
# Without PYTHON, or where it has no package factosim, the part in Python says that it skips.
set -euo pipefail
program=$(command -v "${1:-factosim}") python=${2:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$(realpath "$program")
cd "$work"
"$program" --version
"$program" list platforms >platforms
grep -q mirage platforms
"$program" init -o my.json
"$program" run my.json --out run
"$program" check run
"$program" report run -o page.html
grep -q '<html' page.html
"$program" run my.json --set /platform=mirage --json --set network/model=maxmin | grep -q makespan_s
if "$python" -c 'import factosim' 2>/dev/null; then
  "$python" -c '
import factosim
run = factosim.run({"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}})
print(run.makespan_s, len(run.tasks["kernel"]))
factosim.report(run).save("python.html")'
  grep -q '<html' python.html
else
  echo "no package factosim for $python: skipped"
fi
echo "installed factosim works"
