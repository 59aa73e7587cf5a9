#!/usr/bin/env bash
# Makes packages of a clone's last commit and lists what they hold:
#   cmake/make_packages.sh OUT                    on this Debian or Ubuntu: Debian packages and a Python wheel
#   cmake/make_packages.sh OUT bookworm|trixie    the same in a bare Debian of that name (needs root and debootstrap)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

if [ $# -eq 2 ]; then
  system=$(mktemp -d)
  trap 'umount "$system/proc" "$system/out" 2>/dev/null; rm -rf --one-file-system "$system"' EXIT
  debootstrap --variant=minbase --include=ca-certificates,git "$2" "$system" "${MIRROR:-http://deb.debian.org/debian}" >"$out/debootstrap.log"
  for file in /etc/resolv.conf /etc/hosts; do if [ -e "$file" ]; then cp "$file" "$system/etc/"; fi; done
  git clone -q "$root" "$system/factosim"
  mkdir "$system/out"
  mount -t proc proc "$system/proc"
  mount --bind "$out" "$system/out"
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
    chroot "$system" /factosim/cmake/make_packages.sh /out
  exit
fi

cd "$root"
tests/setup.sh packages
CXX=$(cmake/compiler.sh)
export CXX
# One folder for both, the Debian packages first: the wheel is the same program with other places of libraries, linked once more.
build=$root/build/packages
rm -rf "$build"
cmake --preset release -B "$build" -DFACTOSIM_QUICK_BUILD=ON -DFACTOSIM_DOCUMENTS=ON
cmake --build "$build"
(cd "$build" && cpack -G DEB -B "$out" >/dev/null && rm -rf "$out/_CPack_Packages")
FACTOSIM_BUILD_DIR=$build python3 -m pip wheel --quiet --no-deps --no-index --wheel-dir "$out" .

cd "$out"
for package in *.deb; do dpkg-deb --contents "$package" | awk '{print $3, $6}' >"$package.contents"; done
for wheel in *.whl; do python3 -m zipfile --list "$wheel" >"$wheel.contents"; done
ls -l -- *.deb *.whl
