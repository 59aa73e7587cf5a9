#!/usr/bin/env bash
# Installs the missing packages that factosim needs on Debian 12: tests/setup.sh [first|all|tests]
#   first  what the first run needs
#   all    also rings and balanced blocks (Ipopt), graphs in DOT (Graphviz), figures as PNG and PDF, calibration of a machine,
#          the Python package (default)
#   tests  also what the tests need, among it GCC, with which plug-ins are built
# Non-interactive; uses sudo if not root.
set -eu
packages=(clang-19 cmake ninja-build git pkg-config ca-certificates
  libsimgrid-dev libboost-dev nlohmann-json3-dev libfmt-dev libcli11-dev
  coinor-libclp-dev libeigen3-dev libpugixml-dev libxxhash-dev zlib1g-dev fonts-dejavu-core)
if [ "${1:-all}" != first ]; then packages+=(
  coinor-libipopt-dev libgraphviz-dev libopenblas-dev liblapacke-dev libgsl-dev
  pybind11-dev python3-dev python3-numpy python3-matplotlib); fi
if [ "${1:-all}" = tests ]; then packages+=(g++
  clang-format doctest-dev librapidcheck-dev libbenchmark-dev pajeng slurmctld slurmd slurm-client munge procps locales
  chromium chromium-driver python3-jsonschema python3-selenium python3-pil
  python3-sphinx python3-myst-parser python3-sphinx-rtd-theme
  python3-pandas python3-ipykernel python3-nbconvert mypy); fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

echo "Installing ${missing[*]}" >&2
as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
log=$(mktemp)
if ! { "${as_root[@]}" apt-get update -qq &&
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "Could not install the packages above. Check the network and /etc/apt, then run this again." >&2
  exit 1
fi
rm -f "$log"
