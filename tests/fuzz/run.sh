#!/usr/bin/env bash
# Fuzzes the readers, one after the other: tests/fuzz/run.sh [MINUTES] [TARGET...]
# MINUTES of CPU time each (default 10), starting from tests/fuzz/corpus; default: all targets.
# Needs clang with its runtime libraries: apt-get install clang libclang-rt-14-dev. Builds in build/fuzz, and
# stores inputs that increase coverage in build/fuzz/inputs/TARGET. A finding is
# build/fuzz/findings/TARGET-*: fix it, then add the input to tests/fuzz/corpus/TARGET, which the tests read.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
minutes=${1:-10}
shift || true
command -v clang++ >/dev/null || { echo "clang++ is not there: apt-get install clang libclang-rt-14-dev" >&2; exit 1; }

build=$root/build/fuzz
# No unity build: the readers compiled again for libFuzzer replace single object files.
cmake --preset audit -B "$build/program" -DFACTOSIM_TESTS=OFF -DFACTOSIM_QUICK_BUILD=OFF >/dev/null
cmake --build "$build/program" ${FACTOSIM_FUZZ_JOBS:+-j "$FACTOSIM_FUZZ_JOBS"} >&2
cmake --install "$build/program" --prefix "$build/installed" >/dev/null
cmake -S tests/fuzz -B "$build/build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE= \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" -DCMAKE_PREFIX_PATH="$build/installed" >/dev/null
cmake --build "$build/build" ${FACTOSIM_FUZZ_JOBS:+-j "$FACTOSIM_FUZZ_JOBS"} >&2

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for folder in tests/fuzz/corpus/*/; do targets+=("$(basename "$folder")"); done
fi
mkdir -p "$build/findings"
found=0
TIMEFORMAT='%U %S'
printf '%-13s %8s %10s %8s %8s  %s\n' target 'CPU s' inputs edges corpus outcome
for target in "${targets[@]}"; do
  mkdir -p "$build/inputs/$target"
  log=$build/$target.log
  export FACTOSIM_FUZZ_TARGET=$target
  outcome=clean ended=0  # 152: the time is up
  # Leak checks would fail in forked processes of SimGrid and in mounts of tests.
  { time ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=0 TMPDIR=${FACTOSIM_FUZZ_TMP:-/dev/shm} \
    nice -n 19 timeout --signal=INT "$((minutes * 180 + 60))" bash -c '
      ulimit -S -t "$1"; shift; exec "$@"' _ "$((minutes * 60 + 5))" \
    "$build/build/factosim_fuzz" -max_total_time="$((minutes * 180))" -timeout=20 -rss_limit_mb=1500 \
    -malloc_limit_mb=600 -max_len=20000 -print_final_stats=1 -artifact_prefix="$build/findings/$target-" \
    "$build/inputs/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1 || ended=$?; } 2>"$build/$target.time"
  case $ended in 0 | 124 | 152) ;; *) outcome="exit code $ended, see $log" ;; esac
  grep -q 'SUMMARY: \|ERROR: libFuzzer' "$log" && { outcome="FINDING, see $log"; found=1; }
  seconds=$(awk '{ s += $1 + $2 } END { printf "%.0f", s }' "$build/$target.time")
  inputs=$(grep -oE '^#[0-9]+' "$log" | tail -1 | tr -d '#')
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2)
  printf '%-13s %8s %10s %8s %8s  %s\n' "$target" "$seconds" "${inputs:-0}" "${edges:-0}" \
    "$(find "$build/inputs/$target" -type f | wc -l)" "$outcome"
done
exit $found
