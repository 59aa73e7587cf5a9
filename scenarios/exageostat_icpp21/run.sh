#!/usr/bin/env bash
# Regenerates figures 3 to 8 of the ICPP 2021 study of ExaGeoStat:
#   scenarios/exageostat_icpp21/run.sh [FACTOSIM] [--quick | --ablation]
# One CSV per figure in results/exageostat_icpp21 and a table on standard output. About three minutes on two cores, --quick
# (workload 60 only) less than one. Ends with the time it took. --ablation only writes ablation.csv: the two versions without
# optimisations, without each of the mechanisms that slow them down, and prints it as the table of the README.
set -eu
export LC_ALL=C
begun=$(date +%s)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
factosim=$root/build/release/factosim
quick= ablation=
for argument in "$@"; do
  case $argument in --quick) quick=1 ;; --ablation) ablation=1 ;; *) factosim=$(realpath "$argument") ;; esac
done
out=$root/results/exageostat_icpp21
mkdir -p "$out"
export factosim here

# One number of a result printed as JSON.
field() { sed -n "s/^ *\"$1\": *\([-0-9.e+]*\),\{0,1\}$/\1/p" | head -n 1; }

# CHETEMI CHIFFLET CHIFFLOT
nodes() {
  local list=
  [ "$1" -eq 0 ] || list="$list,{\"type\":\"chetemi\",\"count\":$1}"
  [ "$2" -eq 0 ] || list="$list,{\"type\":\"chifflet\",\"count\":$2}"
  [ "$3" -eq 0 ] || list="$list,{\"type\":\"chifflot\",\"count\":$3}"
  printf '[%s]' "${list#,}"
}

# LABEL CHETEMI CHIFFLET CHIFFLOT N ROWS DISTRIBUTION [--set ...]: one line of CSV.
simulate() {
  local label=$1 machines json
  machines=$(nodes "$2" "$3" "$4")
  json=$("$factosim" run "$here/fig06_all.json" --json --set "/platform/nodes=$machines" --set "/application/nt=$5" \
    --set "/application/n=$6" --set "/distribution=$7" "${@:8}")
  printf '%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$label" "$2" "$3" "$4" "$5" \
    "$(printf '%s\n' "$json" | field makespan_s)" "$(printf '%s\n' "$json" | field utilization)" \
    "$(printf '%s\n' "$json" | field utilization_first_90)" "$(printf '%s\n' "$json" | field tiles_sent)" \
    "$(printf '%s\n' "$json" | field bytes_sent)"
}
# Lines of arguments of `simulate`, separated by tabs, become lines of CSV in the same order.
simulate_all() {
  awk '{ print NR "\t" $0 }' | xargs -d '\n' -n 1 -P "$(nproc)" bash -c '
    IFS=$'"'\t'"' read -ra a <<<"$1"; printf "%s\t%s\n" "${a[0]}" "$(simulate "${a[@]:1}")"' job | sort -n | cut -f 2-
}
later() { (IFS=$'\t'; printf '%s\n' "$*"); }
export -f field nodes simulate
header=case,chetemi,chifflet,chifflot,nt,makespan_s,utilization,utilization_first_90,messages,bytes_sent

# CHIFFLET N ROWS: the optimisations one after the other (figure 5; figure 3 is the first, figure 6 has three of them).
optimisations() {
  local grid keys='{"type":"block-cyclic","p":2,"q":2}' step value
  [ "$1" -eq 4 ] || keys='{"type":"block-cyclic","p":2,"q":3}'
  grid=$keys
  local -A app=([asynchronous]=none [solve]=chameleon [memory_optimisations]=false [priorities]=factorization
    [generation_order]=columns [oversubscribed_worker]=false)
  for step in synchronous asynchronous=full solve=local memory_optimisations=true priorities=all \
    generation_order=priorities oversubscribed_worker=true; do
    [ "$step" = synchronous ] || app[${step%%=*}]=${step#*=}
    local settings=()
    for value in "${!app[@]}"; do settings+=(--set "/application/$value=${app[$value]}"); done
    later "$step" 0 "$1" 0 "$2" "$3" "$grid" "${settings[@]}"
  done
}

# The synchronous and the asynchronous version of workload 101 on 4 Chifflet under these keys of `runtime`.
without() {
  local label=$1 version setting settings=()
  for setting in "${@:2}"; do settings+=(--set "/runtime/$setting"); done
  for version in none full; do
    later "$label" 0 4 0 101 96600 '{"type":"block-cyclic","p":2,"q":2}' --set "/application/asynchronous=$version" \
      --set /application/solve=chameleon --set /application/memory_optimisations=false \
      --set /application/priorities=factorization --set /application/generation_order=columns \
      --set /application/oversubscribed_worker=false "${settings[@]}"
  done
}

if [ -n "$ablation" ]; then
  {
    echo "$header"
    {
      without 'all mechanisms'
      without 'calls of CUDA do not wait for kernels' pinning_waits_for_kernels=false
      without "GPUs' drivers do not wait for calls of CUDA" gpus_wait_for_pinning=false
      without 'neither waits for the other' pinning_waits_for_kernels=false gpus_wait_for_pinning=false
      without 'released RAM is kept' chunk_cache=true
      without 'the submitting thread does not pin' allocate_at_submission=false
      without 'no pinning' host_alloc_cost_s_per_MiB=0
      without 'nothing waits: 1.75 ms/MiB' pinning_waits_for_kernels=false gpus_wait_for_pinning=false host_alloc_cost_s_per_MiB=1.75e-3
    } | simulate_all
  } >"$out/ablation.csv"
  printf '| | synchronous, s | asynchronous, s | utilisation, %% | first 90 %% | last 10 %% |\n|---|---|---|---|---|---|\n'
  awk -F, 'NR == 1 { next } NR % 2 == 0 { synchronous = $6; next } { u = 100 * $7; first = 100 * $8
    printf "| %s | %.1f | %.1f | %.2f | %.2f | %.0f |\n", $1, synchronous, $6, u, first, 10 * u - 9 * first }' "$out/ablation.csv"
  exit
fi

workloads='60,57600 101,96600'
[ -z "$quick" ] || workloads='60,57600'
{
  echo "$header"
  for w in $workloads; do for n in 4 6; do optimisations "$n" "${w%,*}" "${w#*,}"; done; done | simulate_all
} >"$out/fig05.csv"

size='101 96600'
[ -z "$quick" ] || size='60 57600'
{
  echo "$header"
  while read -r chetemi chifflet chifflot; do
    # shellcheck disable=SC2086
    {
      later block-cyclic "$chetemi" "$chifflet" "$chifflot" $size '{"type":"block-cyclic"}'
      later block-cyclic-fast 0 "$chifflet" 0 $size '{"type":"block-cyclic"}'
      later 1d1d "$chetemi" "$chifflet" "$chifflot" $size '{"type":"1d1d"}'
      later lp "$chetemi" "$chifflet" "$chifflot" $size '{"type":"lp-multiphase"}'
      later lp-gpu-nodes "$chetemi" "$chifflet" "$chifflot" $size '{"type":"lp-multiphase","factorization":"gpu-nodes"}'
    }
  done <<<'4 4 0
6 6 0
4 4 1
4 4 2
6 6 1' | simulate_all
} >"$out/fig07.csv"

rm -rf "$out/uplink"
[ -n "$quick" ] || "$factosim" sweep "$here/uplink.sweep.json" --out "$out/uplink" >&2
"$factosim" run "$here/fig08_gpu_nodes.json" --set '/outputs={"series":true,"paje":true}' --out "$out/fig08" --force >/dev/null
for f in fig05 fig07; do
  awk -F, -v figure=$f 'NR == 1 { next } {
    printf "%s  %d + %d + %d  N = %-4d %-28s %7.2f s  busy %5.2f %%, first 90 %%: %5.2f %%  %6d messages, %6.2f GB\n",
      figure, $2, $3, $4, $5, $1, $6, 100 * $7, 100 * $8, $9, $10 / 1e9 }' "$out/$f.csv"
done
[ -n "$quick" ] || awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  { printf "fig08  %d + %d + 1, uplink of %2s Gb/s %26.2f s\n", $column["nodes_chetemi"], $column["nodes_chifflet"], $column["network/uplink"], $column["makespan_s"] }' "$out/uplink/sweep.csv"
echo "took $(($(date +%s) - begun)) s"
