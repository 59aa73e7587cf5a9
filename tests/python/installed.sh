#!/usr/bin/env bash
# Installs the build in a temporary folder and, without the build and the sources in reach, runs five lines of Python from a
# scenario to a table of pandas: installed.sh CMAKE BUILD_DIR PYTHON
set -eu
cmake=$1 build=$2 python=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/moved" >/dev/null
mv "$work/moved" "$work/installed" # to where it was not installed
package=$(find "$work/installed" -path '*-packages/factosim')
prefix=$work/installed/share/factosim

mkdir "$work/home"
cd "$work/installed/share/factosim" # for the example's relative path
run() { env -i PATH=/usr/bin:/bin HOME="$work/home" PYTHONPATH="$(dirname "$package")" "$python" "$@"; }
run -c "import factosim; print(factosim.__version__, factosim.run('$prefix/scenarios/first/lu_mirage.json', nt=4).makespan_s)"
# A shipped machine by its name, from the data beside the package.
run -c "
import factosim
run = factosim.run({'platform': 'mirage', 'application': {'type': 'lu', 'nt': 4, 'nb': 960}})
file = run.result['provenance']['platform']
assert file.startswith('$prefix/'), file
"
if run -c 'import pandas' 2>/dev/null; then
  run "$here/five_lines.py" | tee "$work/table"
  grep -q gemm "$work/table"
fi
# The program beside the package, which answers what Python does not compute.
run -c "import factosim; assert factosim.platform('mirage', nodes=2).node_count == 2; print(factosim.list_of('networks')[0]['name'])"
# Converters are beside the data of the program, and in the package.
printf '1 2.5 -1\n2 4 0.25 1\n' >"$work/times.txt"
env -i PATH=/usr/bin:/bin "$work/installed/bin/factosim" convert "$work/times.txt" -o "$work/graph.jsonl" -q
run -W ignore -c "import factosim; assert len(factosim.convert('$work/times.txt')) == len(factosim.read_graph('$work/graph.jsonl')) == 2"
# So is what makes StarPU's files.
env -i PATH=/usr/bin:/bin "$work/installed/bin/factosim" run "$prefix/scenarios/first/lu_mirage.json" --set nt=4 \
  --set /outputs/starpu=true --out "$work/run" -q >/dev/null
test "$(grep -c ^Name: "$work/run/starpu/tasks.rec")" = 30
