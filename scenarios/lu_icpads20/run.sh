#!/usr/bin/env bash
# Simulates figures 5 to 13 of the ICPADS 2020 study on LU over heterogeneous clusters and prints the printed numbers beside
# those obtained:
#   scenarios/lu_icpads20/run.sh [FACTOSIM] [--quick]
# Writes results/lu_icpads20/fig*.csv, of figures 10 to 13 from the sweeps beside this script; their columns are described in README.md. --quick: fewer and smaller runs, no CSV of
# another run is kept.
set -eu -o pipefail
export LC_ALL=C
begun=$(date +%s)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export FACTOSIM="$root/build/release/factosim" here
quick=false
for argument; do
  case $argument in
    --quick) quick=true ;;
    *) FACTOSIM=$(realpath "$argument") ;;
  esac
done
[ -x "$FACTOSIM" ] || { echo "no program $FACTOSIM: build it first, or name it" >&2; exit 2; }
out="$root/results/lu_icpads20"
mkdir -p "$out"
rm -rf "$out"/*
header=figure,chifflet,chetemi,nt,distribution,setting,makespan_s,gflops,abe_s,abe_of_most_loaded_s,critical_path_with_comm_s,tiles_sent,activity_s

# ---- one job: a line "FIGURE,CHIFFLET,CHETEMI,NT,DISTRIBUTION,SETTING FILE POINTER=VALUE..." ----

simulate() {
  local label file settings=() pointers
  read -r label file pointers <<<"$1"
  for pointer in $pointers; do settings+=(--set "$pointer"); done
  "$FACTOSIM" run "$here/$file" --json "${settings[@]}" | awk -v label="$label" '
    { sub(/,$/, "") }
    /^  "makespan_s"/ { makespan = $2 }
    /^  "gflops"/ { gflops = $2 }
    /^  "tiles_sent"/ { tiles = $2 }
    /^    "abe_s"/ { abe = $2 }
    /^    "critical_path_with_comm_s"/ { path = $2 }
    /"abe_per_node_s"/ { in_list = 1; next }
    in_list && /]/ { in_list = 0 }
    in_list && $1 + 0 > most { most = $1 + 0 }
    /"first_task_s"/ { first = $2 }
    /"last_task_s"/ { activity += $2 - first }
    END {
      if (!makespan) exit 1
      printf "%s,%.4f,%.1f,%.4f,%.4f,%.4f,%d,%.3f\n", label, makespan, gflops, abe, most, path, tiles, activity
    }'
}
export -f simulate

# ---- which runs ----

# N numbers: M times the first value, then the second one, as JSON without blanks.
numbers() { awk -v m="$1" -v a="$2" -v n="$3" -v b="$4" 'BEGIN {
  for (i = 0; i < m + n; i++) printf "%s%s", (i ? "," : "["), (i < m ? a : b); print "]" }'; }
nodes() { # CHIFFLET CHETEMI, the Chifflets first
  local list=()
  [ "$1" = 0 ] || list+=("{\"type\":\"chifflet\",\"count\":$1}")
  [ "$2" = 0 ] || list+=("{\"type\":\"chetemi\",\"count\":$2}")
  (IFS=,; printf '/platform/nodes=[%s]' "${list[*]}")
}
type_of() { printf '/distribution={"type":"%s"}' "$1"; }
all_cores="/runtime/reserved_cores=0 /runtime/communication_cores=0"

jobs_of_runs() { # figures 5, 6, 8
  local file=fig05_block_cyclic.json by_rates by_two rates
  echo "fig05,0,15,100,block-cyclic,two-cores-reserved $file"
  echo "fig05,0,15,100,block-cyclic,all-cores $file $all_cores"
  for entry in fig06,1d1d:fig06_1d1d.json fig08,1d1d-c:fig08_constrained.json fig08,1d1d-c+s:fig08_shuffled.json; do
    file=${entry#*:}
    local figure=${entry%%,*} distribution=${entry%:*}
    distribution=${distribution#*,}
    rates=",\"rates\":$(numbers 14 606e9 7 1548.4e9)" # of all cores and GPUs, as in figure 7
    [ "$distribution" != 1d1d ] || rates=
    by_rates=$(type_of "$distribution")
    by_two="/distribution={\"type\":\"$distribution\",\"speeds\":$(numbers 14 1 7 2)$rates}"
    echo "$figure,7,14,100,$distribution,speeds-1:2 $file $by_two"
    echo "$figure,7,14,100,$distribution,speeds-1:2-all-cores $file $by_two $all_cores"
    echo "$figure,7,14,100,$distribution,speeds-of-gemm $file $by_rates"
    echo "$figure,7,14,100,$distribution,speeds-of-gemm-all-cores $file $by_rates $all_cores"
  done
}

jobs() {
  if $quick; then jobs_of_runs | grep -e '^fig05.*reserved' -e 'speeds-1:2 ' -e 'speeds-of-gemm '; else jobs_of_runs; fi
}

# The points of a sweep as rows: FIGURE SWEEP OPTIONS...
sweep() {
  local figure=$1 file=$2
  "$FACTOSIM" sweep "$here/$file" --out "$out/$figure" "${@:3}" >&2
  awk -F, -v figure="$figure" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    function value(name, text) { text = column[name] ? $column[name] : ""; sub(/^\047/, "", text); return text } # guard of spreadsheets
    {
      printf "%s,%d,%d,%d,%s,%s,%.4f,%.1f,%.4f,%.4f,%.4f,%d,%.3f\n", figure, value("nodes_chifflet"), value("nodes_chetemi"),
        value("application/nt") ? value("application/nt") : nt, value("distribution"), value("setting") ? value("setting") : "-",
        value("makespan_s"), value("gflops"), value("abe_s"), value("abe_of_most_loaded_s"), value("critical_path_with_comm_s"),
        value("tiles_sent"), value("activity_s")
    }' nt="$nt" "$out/$figure/sweep.csv"
}
sweeps() {
  local nt=100
  if $quick; then
    nt=50
    sweep fig13 fig13.sweep.json --filter '["==", ["label", "setting"], "-"]' --filter '["<=", "/application/nt", 75]'
    sweep fig11 fig11_fig12.sweep.json --set /application/nt=50 --filter '["==", ["nodes"], 10]' --filter '["==", ["nodes", "chetemi"], 2]'
    sweep fig10 fig10.sweep.json --set /application/nt=50 --filter '["in", ["nodes"], [23, 24]]'
    return
  fi
  for sweep in fig13:fig13 fig11:fig11_fig12 fig10:fig10; do sweep "${sweep%:*}" "${sweep#*:}.sweep.json"; done
}

rows="$out/rows.txt"
{ sweeps; jobs | xargs -d '\n' -n 1 -P "$(nproc)" bash -c 'simulate "$1"' job; } | sort -t, -k1,1 -k2,2n -k3,3n -k4,4n -k5,5 -k6,6 >"$rows"
for figure in 05 06 08 10 11 13; do
  { echo "$header"; grep "^fig$figure," "$rows"; } >"$out/fig$figure.csv"
done
{ echo chifflet,chetemi,nt,distribution,activity_s; awk -F, '$1 == "fig11" && $5 != "block-cyclic" { print $2 "," $3 "," $4 "," $5 "," $NF }' "$rows"; } >"$out/fig12.csv"

# ---- bounds of the iterations: figures 7 and 9 ----

bounds() { "$FACTOSIM" bounds "$here/$1" --json "${@:2}" | tr -d ' \n'; }
# One list of numbers, one a line.
list_of() { sed "s/.*\"iterations\":.*\"$1\":\[\([^]]*\)\].*/\1/" | tr , '\n'; }

json=$(bounds fig07_sections.json)
sections=$("$FACTOSIM" distribute "$here/fig07_sections.json" | awk '/^iterations/ { sub(":", "", $4); print $2 "-" $4 ":" $5 }')
{
  echo k,nodes,abe_s,abe_star_s,cpb_s,cpb_with_comm_s
  paste -d, <(seq 1 100 | awk -v sections="$sections" '
      BEGIN { n = split(sections, s, "\n"); for (i = 1; i <= n; i++) { split(s[i], a, /[-:]/); first[i] = a[1]; count[i] = a[3] } }
      { for (i = n; i > 0; i--) if ($1 <= first[i]) { print $1 "," count[i]; break } }') \
    <(list_of abe_s <<<"$json") <(list_of abe_star_s <<<"$json") \
    <(list_of cpb_s <<<"$json") <(list_of cpb_with_comm_s <<<"$json")
} >"$out/fig07.csv"

{
  echo shuffles,k,cabe_least_s,cabe_most_s,difference_s
  for rounds in 0 1 2; do
    bounds fig09_two_shuffles.json --set /distribution/rounds=$rounds |
      sed 's/.*"cabe_per_node_s":\[\[//; s/\]\].*//; s/\],\[/\n/g' | awk -F, -v rounds=$rounds '
        { for (k = 1; k <= NF; k++) { if (NR == 1 || $k < least[k]) least[k] = $k; if ($k > most[k]) most[k] = $k } }
        END { for (k = 1; k <= NF; k++) printf "%d,%d,%.4f,%.4f,%.4f\n", rounds, k, least[k], most[k], most[k] - least[k] }'
  done
} >"$out/fig09.csv"

# ---- printed and obtained ----

line() { printf '%-66s %10s %12s %9s\n' "$@"; }
compare() { # WHAT PRINTED OBTAINED [PERCENT: both are percentages, show the difference in points]
  [ -n "$3" ] || return 0
  line "$1" "$2" "$3" "$(awk -v a="$2" -v b="$3" -v points="${4:-}" 'BEGIN {
    if (a "" == b "") print "exact"; else if (points != "") printf "%+.1f pt", b - a; else printf "%+.2f %%", 100 * (b / a - 1) }')"
}
# A column of the row FIGURE CHIFFLET CHETEMI NT DISTRIBUTION SETTING.
pick() { awk -F, -v key="$1,$2,$3,$4,$5,$6" -v column="$7" -v header="$header" '
  BEGIN { n = split(header, names, ","); for (i = 1; i <= n; i++) if (names[i] == column) c = i }
  $1 "," $2 "," $3 "," $4 "," $5 "," $6 == key { print $c }' "$rows"; }
# Per cent of the first time that the second one saves, nothing where one is missing.
saved() { [ -z "$1" ] || [ -z "$2" ] || awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", 100 * (1 - b / a) }'; }
below_peak() { # CHIFFLET CHETEMI NT DISTRIBUTION SETTING
  local abe makespan
  abe=$(pick fig13 "$@" abe_s) makespan=$(pick fig13 "$@" makespan_s)
  [ -z "$abe" ] || awk -v a="$abe" -v m="$makespan" 'BEGIN { printf "%.1f", 100 * (1 - a / m) }'
}
sent() { "$FACTOSIM" distribute "$here/$1" "${@:2}" | awk '/tiles are sent/ { print $1 }'; }
of_paper() { # CHIFFLET CHETEMI SPEED-RATIO [RATE-RATIO]: settings of a distribution as the study counts, with the rates of all
  # cores and GPUs, unless a ratio of rates is given
  printf '%s\n' --set /runtime/cores_per_gpu=0 --set "/distribution/speeds=$(numbers "$1" "$3" "$2" 1)"
  [ -z "${4:-}" ] || printf '%s\n' --set "/distribution/rates=$(numbers "$1" "$(awk -v r="$4" 'BEGIN { print r * 606e9 }')" "$2" 606e9)"
}
counted() { # CHIFFLET CHETEMI NT TYPE RATIO [RATE-RATIO]
  local settings
  mapfile -t settings < <(of_paper "$1" "$2" "$5" "${6:-}")
  sent fig13_growing_matrix.json --set "$(nodes "$1" "$2")" --set /application/nt="$3" --set "$(type_of "$4")" "${settings[@]}"
}

{
  line what printed obtained error
  for setting in speeds-1:2 speeds-1:2-all-cores speeds-of-gemm speeds-of-gemm-all-cores; do
    compare "fig. 6  1Dx1D 7+14, s ($setting)" 39.94 "$(pick fig06 7 14 100 1d1d $setting makespan_s)"
    compare "fig. 8  1Dx1D-C+S 7+14, s ($setting)" 39.30 "$(pick fig08 7 14 100 1d1d-c+s $setting makespan_s)"
    compare "fig. 8  time that 1Dx1D-C+S saves, % ($setting)" 1.6 \
      "$(saved "$(pick fig06 7 14 100 1d1d $setting makespan_s)" "$(pick fig08 7 14 100 1d1d-c+s $setting makespan_s)")" points
  done
  compare "fig. 7  sections of 7+14" 1,6,15,21 "$(cut -d: -f2 <<<"$sections" | paste -sd,)"
  compare "fig. 7  which begin at" 100,95,84,67 "$(cut -d- -f1 <<<"$sections" | paste -sd,)"
  for setting in - transfer-factor-10 sends-1 sends-4 sends-100 fifo no-sharing speeds-1.995:1; do
    for distribution in 1d1d-c 1d1d-c+s; do
      compare "fig. 13 time that $distribution saves, N = 25, % ($setting)" 32.5 \
        "$(saved "$(pick fig13 16 30 25 1d1d $setting makespan_s)" "$(pick fig13 16 30 25 $distribution $setting makespan_s)")" points
    done
  done
  for setting in - transfer-factor-10 sends-4 sends-2 cooperative sends-2-cooperative two-shuffles no-sharing; do
    for distribution in 1d1d 1d1d-c 1d1d-c+s; do
      compare "fig. 13 $distribution below peak, N = 150, % ($setting)" 6 "$(below_peak 16 30 150 $distribution $setting)" points
    done
  done
  compare "fig. 13 block-cyclic below peak, N = 150, %" 40 "$(below_peak 16 30 150 block-cyclic -)" points
  compare "VI-B    tiles sent, block-cyclic 2 x 11, N = 100" 55329 \
    "$(sent fig13_growing_matrix.json --set "$(nodes 8 14)" --set /application/nt=100 --set '/distribution={"type":"block-cyclic","p":2,"q":11}')"
  compare "VI-C    tiles sent, 1Dx1D 16+30, N = 150 (speeds 1.995:1)" 129164 "$(counted 16 30 150 1d1d 1.995)"
  compare "VI-B    tiles sent, 1Dx1D 8+14, N = 100 (speeds 1.995:1)" 35417 "$(counted 8 14 100 1d1d 1.995)"
  compare "VI-B    the same (speeds 3.30:1)" 35417 "$(counted 8 14 100 1d1d 3.3)"
  for rates in '' 2.00 2.10 2.20; do
    words="rates ${rates:-of the machines}${rates:+:1}"
    compare "VI-B    tiles sent, 1Dx1D-C 8+14, N = 100 ($words)" 35417 "$(counted 8 14 100 1d1d-c 1.995 $rates)"
    compare "VI-C    tiles sent, 1Dx1D-C 16+30, N = 150 ($words)" 123780 "$(counted 16 30 150 1d1d-c 1.995 $rates)"
    compare "VI-B    tiles sent, 1Dx1D-C+S 8+14, N = 100 ($words)" 42632 "$(counted 8 14 100 1d1d-c+s 1.995 $rates)"
    compare "VI-C    tiles sent, 1Dx1D-C+S 16+30, N = 150 ($words)" 149474 "$(counted 16 30 150 1d1d-c+s 1.995 $rates)"
  done
} | tee "$out/printed_and_obtained.txt"
# What the figures show without printing numbers: least, mean and most over the runs of a figure.
spread() { awk -v what="$1" 'NF { n++; sum += $1; if (n == 1 || $1 < least) least = $1; if (n == 1 || $1 > most) most = $1 }
  END { if (n) printf "%-66s %10.2f %12.2f %9.2f\n", what, least, sum / n, most }'; }
# An expression of the makespans m[DISTRIBUTION], activities t[] and area bounds a of each platform of a figure.
per_platform() { # FIGURE EXPRESSION CONDITION ON fast, slow AND nt
  awk -F, -v figure="$1" '
    $1 == figure && $6 == "-" { key = $2 "," $3 "," $4; if (!(key in abe)) keys[++count] = key
      abe[key] = $9; makespan[key, $5] = $7; activity[key, $5] = $NF }
    function prime(n, i) { for (i = 2; i * i <= n; i++) if (n % i == 0) return 0; return n > 1 }
    END {
      split("block-cyclic 1d1d 1d1d-c 1d1d-c+s", names, " ")
      for (i = 1; i <= count; i++) {
        split(keys[i], k, ","); fast = k[1]; slow = k[2]; nt = k[3]; a = abe[keys[i]]
        for (j = 1; j <= 4; j++) { m[names[j]] = makespan[keys[i], names[j]]; t[names[j]] = activity[keys[i], names[j]] }
        if ('"$3"') print '"$2"'
      }
    }' "$rows"
}
{
  echo
  line "over the runs of a figure" least mean most
  per_platform fig10 '100 * (m["block-cyclic"] / m["1d1d"] - 1)' 'prime(slow)' | spread "fig. 10 block-cyclic over 1Dx1D, prime node counts, %"
  per_platform fig10 '100 * (m["block-cyclic"] / m["1d1d"] - 1)' '!prime(slow)' | spread "fig. 10 block-cyclic over 1Dx1D, other node counts, %"
  per_platform fig10 'm["1d1d"] - a' 1 | spread "fig. 10 1Dx1D above the area bound, s"
  per_platform fig11 '100 * (m["block-cyclic"] / m["1d1d"] - 1)' slow | spread "fig. 11 block-cyclic over 1Dx1D, with Chetemi, %"
  for distribution in 1d1d-c 1d1d-c+s; do
    for condition in '!slow:Chifflet only' 'slow:with Chetemi'; do
      per_platform fig11 "m[\"1d1d\"] - m[\"$distribution\"]" "${condition%%:*}" | spread "fig. 11 $distribution gains on 1Dx1D, ${condition#*:}, s"
      per_platform fig11 "100 * (1 - t[\"$distribution\"] / t[\"1d1d\"])" "${condition%%:*}" | spread "fig. 12 $distribution saves of the activity, ${condition#*:}, %"
    done
  done
  per_platform fig13 '100 * (m["1d1d"] / m["1d1d-c"] - 1)' 1 | spread "fig. 13 1Dx1D over 1Dx1D-C, %"
  per_platform fig13 '100 * (m["1d1d"] / m["1d1d-c+s"] - 1)' 1 | spread "fig. 13 1Dx1D over 1Dx1D-C+S, %"
  per_platform fig13 '100 * (m["1d1d-c"] / m["1d1d-c+s"] - 1)' 1 | spread "fig. 13 1Dx1D-C over 1Dx1D-C+S, %"
  for rounds in 0 1 2; do
    awk -F, -v r=$rounds '$1 == r { print $5 }' "$out/fig09.csv" | spread "fig. 9  loads summed to an iteration differ, $rounds shuffles, s"
  done
} | tee -a "$out/printed_and_obtained.txt"
rm "$rows"
echo "took $(($(date +%s) - begun)) s"
