#!/usr/bin/env bash
# Regenerates figures 5 to 13 of the ICPADS 2020 study:
#   scenarios/lu_icpads20/run.sh [FACTOSIM] [--quick]
# One CSV per figure in results/lu_icpads20 and a table on standard output. All take about a quarter of an hour on two
# cores, --quick (fewer nodes and sizes) under two minutes. Runs on the own max-min network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
factosim=$root/build/release/factosim
quick=
for argument in "$@"; do
  case $argument in --quick) quick=1 ;; *) factosim=$argument ;; esac
done
out=$root/results/lu_icpads20
mkdir -p "$out"
export here factosim

# One number of a result printed as JSON.
field() { sed -n "s/^ *\"$1\": *\([-0-9.e+]*\),\{0,1\}$/\1/p" | head -n 1; }

# FIGURE SCENARIO CHETEMI CHIFFLET N DISTRIBUTION: one line of CSV.
simulate() {
  local nodes json activity
  nodes="[{\"type\":\"chetemi\",\"count\":$3}"
  [ "$4" -eq 0 ] || nodes="$nodes,{\"type\":\"chifflet\",\"count\":$4}"
  [ "$3" -ne 0 ] || nodes="[{\"type\":\"chifflet\",\"count\":$4}"
  json=$("$factosim" run "$here/$2" --json --set "/platform/nodes=$nodes]" \
    --set /application/nt="$5" --set "/distribution={\"type\":\"$6\"}")
  activity=$(printf '%s\n' "$json" | awk -F'[:,]' '
    /"first_task_s"/ { first = $2 } /"last_task_s"/ { sum += $2 - first } END { printf "%.3f", sum }')
  printf '%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$1" "$3" "$4" "$5" "$6" "$(printf '%s\n' "$json" | field makespan_s)" \
    "$(printf '%s\n' "$json" | field gflops)" "$(printf '%s\n' "$json" | field tiles_sent)" \
    "$(printf '%s\n' "$json" | field abe_s)" "$activity"
}
export -f field simulate

# Reads lines of arguments for simulate; writes FIGURE.csv.
figure() {
  { echo figure,chetemi,chifflet,nt,distribution,makespan_s,gflops,tiles_sent,abe_s,activity_s
    xargs -P "$(nproc)" -L 1 bash -c 'simulate "$@"' simulate | sort -t, -k2,2n -k3,3n -k4,4n -k5,5; } >"$out/$1.csv"
}

print_table() {
  awk -F, 'NR == 1 { next } {
    printf "%-6s %3d + %-2d  N = %-4d %-13s %9.2f s  %5.1f %% of the area bound  %7d tiles  %8.0f node s\n",
      $1, $2, $3, $4, $5, $6, 100 * $9 / $6, $8, $10 }' "$@"
}

figure fig05 <<<"fig05 fig05_block_cyclic.json 15 0 100 block-cyclic"
figure fig06 <<<"fig06 fig06_1d1d.json 14 7 100 1d1d"
printf '%s\n' "fig08 fig08_1d1d_c_s.json 14 7 100 "{1d1d,1d1d-c,1d1d-c+s} | figure fig08
"$factosim" distribute "$here/fig07_1d1d_c.json" --json |
  grep -o '"sections":.*\]}\]' | sed 's/"sections"/fig07: sections/' >"$out/fig07.txt"
"$factosim" bounds "$here/fig07_1d1d_c.json" --json >"$out/fig07_bounds.json"
"$factosim" bounds "$here/fig08_1d1d_c_s.json" --set /distribution/type=1d1d-c --json >"$out/fig09_before.json"
"$factosim" bounds "$here/fig08_1d1d_c_s.json" --json >"$out/fig09_after.json"

counts=$(seq 16 50) nt=100
[ -z "$quick" ] || { counts="22 23 24 29 30"; nt=50; }
for n in $counts; do printf "fig10 fig10_homogeneous.json $n 0 $nt %s\n" block-cyclic 1d1d; done | figure fig10

few='0,2 0,4 0,6 0,8 2,8 4,8 6,8 8,8 10,8 12,8 14,8'
[ -z "$quick" ] || few='0,4 2,8 14,8'
for pair in $few; do
  printf "fig11 fig11_heterogeneous.json ${pair%,*} ${pair#*,} $nt %s\n" block-cyclic 1d1d 1d1d-c 1d1d-c+s
done | figure fig11

sizes='25 50 75 100 125 150'
[ -z "$quick" ] || sizes='25 50'
for n in $sizes; do
  printf "fig13 fig13_growing.json 30 16 $n %s\n" block-cyclic 1d1d 1d1d-c 1d1d-c+s
done | figure fig13

for f in fig05 fig06 fig08 fig10 fig11 fig13; do print_table "$out/$f.csv"; done
cat "$out/fig07.txt"
