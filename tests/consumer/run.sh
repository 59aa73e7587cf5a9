#!/usr/bin/env bash
# Installs the build in a temporary folder, builds the examples of the public library against it and runs both, and
# the program: run.sh CMAKE BUILD_DIR
set -eu
cmake=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/installed" >/dev/null
"$cmake" -S "$here" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
"$cmake" --build "$work/consumer"
program=$work/installed/bin/factosim
scenario=$work/installed/share/factosim/scenarios/first/lu_mirage.json
"$work/consumer/own_graph"
"$work/consumer/changed_scenario" "$scenario"
"$work/consumer/changed_scenario" "$scenario" maxmin
"$program" bounds "$scenario" >/dev/null
"$program" run "$scenario" --json >/dev/null
"$here/../guide/follow.py" "$program" "$here/../../scenarios/guide/use_from_cpp.md"

# Without the modules, what needs one names it; all else works.
[ -e "$(find "$work/installed" -name factosim_simgrid.so)" ] || exit 0
find "$work/installed" -name 'factosim_*.so' ! -name factosim_clp.so -delete  # the area bound needs Clp
"$program" bounds "$scenario" >/dev/null
for command in "$program run $scenario --json" "$work/consumer/changed_scenario $scenario simgrid"; do
  code=0
  message=$($command 2>&1 >/dev/null) || code=$?
  if [ $code != 2 ] || [[ $message != *"factosim_simgrid.so: is not installed ("* ]]; then
    echo "$command ends with $code: $message" >&2
    exit 1
  fi
done
