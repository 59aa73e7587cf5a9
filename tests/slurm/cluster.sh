#!/usr/bin/env bash
# Runs a real Slurm of two nodes on this machine, for tests. As root:
#   cluster.sh start DIR    writes DIR/env; `. DIR/env` makes sbatch, squeue and scontrol use it
#   cluster.sh kill DIR N   kills node nN and all its processes with SIGKILL, like a power failure
#   cluster.sh stop DIR     stops it
# Exit code 77: Slurm is not available.
set -eu -o pipefail
folder=$(realpath -m "${2:?a folder}")
conf="$folder/slurm.conf"

start() {
  for program in slurmctld slurmd sbatch munged mungekey; do
    command -v "$program" >/dev/null || PATH=$PATH:/usr/sbin command -v "$program" >/dev/null ||
      { echo "no $program here (Debian: slurmctld, slurmd, slurm-client, munge)" >&2; exit 77; }
  done
  [ "$(id -u)" -eq 0 ] || { echo "Slurm's daemons need root" >&2; exit 77; }
  mkdir -p "$folder/state" "$folder/munge"
  chmod 755 "$folder"
  chmod 700 "$folder/munge"
  mungekey --create --keyfile="$folder/munge/key"
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >"$folder/munge/said" 2>&1
  local port=$((20000 + RANDOM % 10000)) host
  host=$(hostname -s)
  cat >"$conf" <<CONF
ClusterName=factosim-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SlurmdTimeout=10
ReturnToService=1
SchedulerParameters=sched_interval=2,sched_min_interval=0
MailProg=/bin/true
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  echo "export SLURM_CONF='$conf'" >"$folder/env"
  export SLURM_CONF=$conf
  slurmctld -c || { echo "slurmctld does not start: $(tail -3 "$folder/slurmctld.log")" >&2; stop; exit 77; }
  for node in n1 n2; do
    slurmd -N "$node" || { echo "slurmd does not start: $(tail -3 "$folder/slurmd-$node.log")" >&2; stop; exit 77; }
  done
  for _ in $(seq 300); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && return
    sleep 0.1
  done
  echo "the nodes do not come up: $(sinfo -h 2>&1)" >&2
  stop
  exit 77
}

# Prints the processes of the jobs of this cluster on that node, and the daemons that started them.
kill_node() {
  local pids environ pid parent
  pids=$(cat "$folder/slurmd-$1.pid")
  for environ in /proc/[0-9]*/environ; do
    grep -qzx "SLURMD_NODENAME=$1" "$environ" 2>/dev/null || continue
    grep -qzx "SLURM_CONF=$conf" "$environ" 2>/dev/null || continue
    pid=${environ#/proc/} pid=${pid%/environ}
    parent=$(ps -o ppid= -p "$pid" | tr -d ' ')
    pids+=" $pid"
    [ "$(ps -o comm= -p "${parent:-0}")" = slurmstepd ] && pids+=" $parent"
  done
  # shellcheck disable=SC2086
  kill -KILL $pids 2>/dev/null || true
}

stop() {
  export SLURM_CONF=$conf
  scancel --user=root >/dev/null 2>&1 || true
  local pid file
  for file in "$folder"/slurmd-*.pid "$folder/slurmctld.pid" "$folder/munge/pid"; do
    [ -e "$file" ] || continue
    pid=$(cat "$file")
    kill "$pid" 2>/dev/null && timeout 20 tail --pid="$pid" -f /dev/null || true
  done
}

case $1 in
  start) start ;;
  kill) kill_node "n${3:?a number}" ;;
  stop) stop ;;
  *) echo "unknown: $1" >&2; exit 2 ;;
esac
