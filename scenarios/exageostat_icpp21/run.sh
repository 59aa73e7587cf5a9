#!/usr/bin/env bash
# Regenerates figures 3 to 8 of the ICPP 2021 study of ExaGeoStat:
#   scenarios/exageostat_icpp21/run.sh [FACTOSIM] [--quick]
# One CSV per figure in results/exageostat_icpp21 and a table on standard output. About three minutes on two cores, --quick
# (workload 60 only) less than one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
factosim=$root/build/release/factosim
quick=
for argument in "$@"; do
  case $argument in --quick) quick=1 ;; *) factosim=$argument ;; esac
done
out=$root/results/exageostat_icpp21
mkdir -p "$out"

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
    simulate "$step" 0 "$1" 0 "$2" "$3" "$grid" "${settings[@]}"
  done
}

workloads='60,57600 101,96600'
[ -z "$quick" ] || workloads='60,57600'
{
  echo "$header"
  for w in $workloads; do for n in 4 6; do optimisations "$n" "${w%,*}" "${w#*,}"; done; done
} >"$out/fig05.csv"

size='101 96600'
[ -z "$quick" ] || size='60 57600'
{
  echo "$header"
  while read -r chetemi chifflet chifflot; do
    # shellcheck disable=SC2086
    {
      simulate block-cyclic "$chetemi" "$chifflet" "$chifflot" $size '{"type":"block-cyclic"}'
      simulate block-cyclic-fast 0 "$chifflet" 0 $size '{"type":"block-cyclic"}'
      simulate 1d1d "$chetemi" "$chifflet" "$chifflot" $size '{"type":"1d1d"}'
      simulate lp "$chetemi" "$chifflet" "$chifflot" $size '{"type":"lp-multiphase"}'
      simulate lp-gpu-nodes "$chetemi" "$chifflet" "$chifflot" $size '{"type":"lp-multiphase","factorization":"gpu-nodes"}'
    }
  done <<<'4 4 0
6 6 0
4 4 1
4 4 2
6 6 1'
} >"$out/fig07.csv"

"$factosim" run "$here/fig08_gpu_nodes.json" --set '/outputs={"series":true,"paje":true}' --out "$out/fig08" --force >/dev/null
for f in fig05 fig07; do
  awk -F, -v figure=$f 'NR == 1 { next } {
    printf "%s  %d + %d + %d  N = %-4d %-28s %7.2f s  busy %5.2f %%, first 90 %%: %5.2f %%  %6d messages, %6.2f GB\n",
      figure, $2, $3, $4, $5, $1, $6, 100 * $7, 100 * $8, $9, $10 / 1e9 }' "$out/$f.csv"
done
