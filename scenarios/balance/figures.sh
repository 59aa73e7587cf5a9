#!/usr/bin/env bash
# The figures of the PLB-HAC slides: each balancer's ratio to the optimum, who got how much and who waited on five machines, and how the
# shares follow another program on a GPU:
#   scenarios/balance/figures.sh [FACTOSIM] [--quick]
# Writes results/balance/: ratios.csv, workers.csv, shares.csv and shares.svg, and the sweep's own files. --quick: one seed instead of five.
set -eu -o pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
FACTOSIM="$root/build/release/factosim" replicas=5
for argument; do
  case $argument in
    --quick) replicas=1 ;;
    *) FACTOSIM=$(realpath "$argument") ;;
  esac
done
[ -x "$FACTOSIM" ] || { echo "no program $FACTOSIM: build it first, or name it" >&2; exit 2; }
out="$root/results/balance"
mkdir -p "$out"
rm -rf "$out"/*

# ---- ratios to the optimum: means over the seeds ----

sed "s/\"replicas\": 5/\"replicas\": $replicas/; s|\"three_machines.json\"|\"$here/three_machines.json\"|" \
  "$here/balance.sweep.json" >"$out/balance.sweep.json"
"$FACTOSIM" sweep "$out/balance.sweep.json" --out "$out/sweep" >&2
awk '
  # A number or a text of the line, by its key.
  function value(key) { return match($0, "\"" key "\":[^,}]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : "" }
  {
    loop = $0; sub(/.*"application\/loop":"?\{/, "", loop); sub(/\}.*/, "", loop); gsub(/[\\"]/, "", loop); gsub(/,/, " ", loop)
    balancer = value("application/balancer"); gsub(/"/, "", balancer)
    row = value("nodes") "," loop
    if (!(row in seen)) { seen[row] = 1; order[++rows] = row }
    n[row, balancer]++; ratio[row, balancer] += value("ratio_to_optimal")
    idle[row, balancer] += value("idle"); initial[row, balancer] += value("idle_initial")
    best[row] = value("optimal_s")
  }
  END {
    split("plb-hac hdss greedy guided static", names, " ")
    line = "machines,loop,optimal_s"
    for (b = 1; b <= 5; b++) line = line "," names[b]
    print line ",plb-hac_idle_percent,hdss_idle_percent,hdss_idle_initial_percent"
    for (r = 1; r <= rows; r++) {
      row = order[r]; line = sprintf("%s,%.1f", row, best[row])
      for (b = 1; b <= 5; b++) line = line sprintf(",%.3f", ratio[row, names[b]] / n[row, names[b]])
      print line sprintf(",%.1f,%.1f,%.1f", 100 * idle[row, "plb-hac"] / n[row, "plb-hac"],
        100 * idle[row, "hdss"] / n[row, "hdss"], 100 * initial[row, "hdss"] / n[row, "hdss"])
    }
  }' "$out/sweep/sweep.jsonl" >"$out/ratios.csv"
echo "Makespan over the optimum, and idle time in percent (times of speeds that are ESTIMATES)"
column -s, -t "$out/ratios.csv"

# ---- five machines: share of each worker, and its idle time ----

for balancer in hdss plb-hac; do
  "$FACTOSIM" run "$here/five_machines.json" --json --set "/application/balancer=$balancer" | awk -v balancer="$balancer" '
    { sub(/,$/, "") }
    /"workers": \[/ { inside = 1 }
    /"idle_share_by_class"/ { inside = 0 }
    !inside { next }
    /"name":/ { name = $2; gsub(/"/, "", name) }
    /"class":/ { class = $2; gsub(/"/, "", class) }
    /"share":/ { share = $2 }
    /"optimal_share":/ { optimal = $2 }
    /"idle_s":/ { printf "%s,%s,%s,%.4f,%.4f,%.3f\n", balancer, name, class, optimal, share, $2 }'
done >"$out/workers.rows"
{ echo "balancer,worker,class,optimal_share,share,idle_s"; cat "$out/workers.rows"; } >"$out/workers.csv"
rm "$out/workers.rows"
echo
echo "Matrix product of 65536 on machines A to E: shares of the work, idle seconds"
column -s, -t "$out/workers.csv"

# ---- another program on the GPU of A from 142 s to 342 s ----

"$FACTOSIM" run "$here/perturbation.json" --json | awk '
  { sub(/,$/, "") }
  /"workers": \[/ { workers = 1 }
  workers && /"name":/ { name = $2; gsub(/"/, "", name); names = names "," name }
  /"steps": \[/ { workers = 0; steps = 1; print "start_s,chunks" names }
  !steps { next }
  /"start_s":/ { start = $2 }
  /"chunks":/ { chunks = $2 }
  /"shares": \[/ { line = sprintf("%.2f,%d", start, chunks); in_shares = 1; next }
  in_shares && /\]/ { if (chunks >= 50) print line; in_shares = 0 }
  in_shares { line = line sprintf(",%.4f", $1) }
  /"simulation"/ { steps = 0 }' >"$out/shares.csv"
awk -F, '
  NR == 1 { for (i = 3; i <= NF; i++) name[i] = $i; fields = NF; next }
  { n++; x[n] = $1; for (i = 3; i <= NF; i++) y[n, i] = $i }
  function px(v) { return 60 + v / x[n] * 620 }
  function py(v) { return 340 - v / 0.6 * 300 }
  END {
    split("#1f77b4 #d62728 #2ca02c #9467bd #ff7f0e #8c564b #17becf", color, " ")
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"820\" height=\"400\" font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"820\" height=\"400\" fill=\"white\"/><path d=\"M60 40V340H680\" fill=\"none\" stroke=\"black\"/>"
    for (v = 0; v <= 0.61; v += 0.1) printf "<text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n", py(v) + 4, v
    for (v = 0; v <= x[n]; v += 100) printf "<text x=\"%.1f\" y=\"358\" text-anchor=\"middle\">%d</text>\n", px(v), v
    print "<text x=\"370\" y=\"385\" text-anchor=\"middle\">start of the step (s)</text><text x=\"60\" y=\"25\">share of the step</text>"
    for (e = 142; e <= 342; e += 200)
      printf "<path d=\"M%.1f 40V340\" stroke=\"grey\" stroke-dasharray=\"4\"/><text x=\"%.1f\" y=\"36\">%d s</text>\n", px(e), px(e) + 3, e
    for (i = 3; i <= fields; i++) {
      printf "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"", color[i - 2]
      for (k = 1; k <= n; k++) printf "%.1f,%.1f ", px(x[k]), py(y[k, i])
      printf "\"/>\n<text x=\"690\" y=\"%d\" fill=\"%s\">%s</text>\n", 40 + 18 * (i - 2), color[i - 2], name[i]
    }
    print "</svg>"
  }' "$out/shares.csv" >"$out/shares.svg"
echo
echo "Shares of the steps: results/balance/shares.csv and shares.svg"
column -s, -t "$out/shares.csv"
echo "took $SECONDS s" >&2
