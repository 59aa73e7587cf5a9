#!/usr/bin/env bash
# Installs the build in a temporary folder, builds the consumer against it and runs both: run.sh CMAKE BUILD_DIR
set -eu
cmake=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/installed" >/dev/null
"$cmake" -S "$here" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
"$cmake" --build "$work/consumer"
scenario=$work/installed/share/factosim/scenarios/first/lu_mirage.json
"$work/consumer/consumer" "$scenario"
"$work/installed/bin/factosim" bounds "$scenario" >/dev/null
