#!/usr/bin/env bash
# Installs the missing packages that factosim needs, on Debian 12 and later and what is made of it: tests/setup.sh [first|all|tests|packages]
#   first  what the first run needs
#   all    also rings and balanced blocks (Ipopt), graphs in DOT (Graphviz), figures as PNG and PDF, calibration of a machine,
#          the Python package (default)
#   tests  also what the tests need, among it GCC, with which plug-ins are built
#   packages  also what makes Debian packages and wheels (cmake/make_packages.sh)
# Non-interactive; uses sudo if not root. On other systems it installs nothing and says what is needed: CMake then names all that is missing.
set -eu

# A|B: the first that is installed, or else the first that the system offers.
packages=('clang-19|clang|g++' cmake ninja-build git pkg-config ca-certificates
  libsimgrid-dev libboost-dev nlohmann-json3-dev libfmt-dev libcli11-dev
  coinor-libclp-dev libeigen3-dev libpugixml-dev libxxhash-dev zlib1g-dev fonts-dejavu-core)
if [ "${1:-all}" != first ]; then packages+=(
  coinor-libipopt-dev libgraphviz-dev libopenblas-dev liblapacke-dev libgsl-dev
  pybind11-dev python3-dev python3-numpy python3-matplotlib); fi
if [ "${1:-all}" = tests ]; then packages+=(g++
  clang-format doctest-dev librapidcheck-dev libbenchmark-dev pajeng slurmctld slurmd slurm-client munge procps locales
  starpu-examples libstarpu-dev opencl-c-headers 'clang-19|clang' 'libomp-19-dev|libomp-dev'
  chromium chromium-driver python3-jsonschema python3-selenium python3-pil
  python3-sphinx python3-myst-parser python3-sphinx-rtd-theme
  python3-networkx python3-pandas python3-ipykernel python3-nbconvert mypy python3-pip python3-venv); fi
if [ "${1:-all}" = packages ]; then packages+=(
  dpkg-dev file python3-pip python3-sphinx python3-myst-parser python3-sphinx-rtd-theme); fi

if ! command -v apt-get >/dev/null; then
  cat >&2 <<'NEEDS'
This system has no apt-get: nothing is installed. factosim needs
  a compiler of C++20 (Clang 16 or GCC 12, or later), CMake 3.21, Ninja, pkg-config
  SimGrid 3.32 to 4.1 (or -DFACTOSIM_SIMGRID=OFF), Boost 1.74, CLI11 2.1, Eigen 3.4, fmt 9, nlohmann_json 3.11, pugixml 1.12, Clp 1.17,
  xxHash 0.8, zlib
and, for parts that are left out without them, Ipopt 3.11, libcgraph of Graphviz, OpenBLAS with LAPACKE, GSL, pybind11 2.10 with numpy,
matplotlib 3.6. CMake says which of them it does not find.
NEEDS
  exit 0
fi

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

missing=()
for choice in "${packages[@]}"; do
  found=
  for package in ${choice//|/ }; do if is_installed "$package"; then found=$package; break; fi; done
  if [ -z "$found" ]; then missing+=("$choice"); fi
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed() {
  cat "$log" >&2
  echo "$1 Check the network and the sources of apt, then run this again." >&2
  exit 1
}
"${as_root[@]}" apt-get update -qq >"$log" 2>&1 || failed "The lists of packages could not be read."

chosen=() unknown=()
for choice in "${missing[@]}"; do
  found=
  for package in ${choice//|/ }; do
    if [ -n "$(apt-cache --quiet=0 madison "$package" 2>/dev/null)" ]; then found=$package; break; fi
  done
  if [ -n "$found" ]; then chosen+=("$found"); else unknown+=("${choice//|/ or }"); fi
done
if [ ${#unknown[@]} -gt 0 ]; then
  system=$(. /etc/os-release && echo "${PRETTY_NAME:-this system}")
  printf '%s offers no package called:\n' "$system" >&2
  printf '  %s\n' "${unknown[@]}" >&2
  echo "These are Debian's names (12 and later). Install what corresponds to them, then run cmake --preset release." >&2
  exit 1
fi

echo "Installing ${chosen[*]}" >&2
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${chosen[@]}" >"$log" 2>&1 ||
  failed "The packages above could not be installed."
