#!/usr/bin/env bash
# Draws the pictures of platforms/README.md, or compares them with what is there:
#   platforms/pictures.sh [--check|--check-some] [FACTOSIM]
# With --check, ends with 1 if a picture differs from the one in platforms/pictures, or one is there too many; those that another
# version of matplotlib drew are not compared. --check-some draws every fifth only.
set -eu
check= every=1
case ${1:-} in
  --check) check=yes; shift ;;
  --check-some) check=yes every=5; shift ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
factosim=$(realpath "${1:-$root/build/release/factosim}")
cd "$root/platforms"
shopt -s nullglob
version() { grep -o -m 1 'Matplotlib v[0-9.]*' "$1"; }
drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
number=0
for file in *.json; do
  number=$((number + 1))
  [ $((number % every)) -eq 0 ] || continue
  "$factosim" platform show "./$file" -o "$drawn/${file%.json}.svg" >"$drawn/log"
done
stale=0
for picture in "$drawn"/*.svg pictures/*.svg; do
  name=${picture##*/}
  if [ ! -f "$drawn/$name" ] && [ -f "${name%.svg}.json" ]; then continue; fi  # not drawn now
  cmp -s "$drawn/$name" "pictures/$name" && continue
  if [ -n "$check" ] && [ -f "$drawn/$name" ] && [ -f "pictures/$name" ] && [ "$(version "$drawn/$name")" != "$(version "pictures/$name")" ]; then continue; fi
  echo "platforms/pictures/$name ${check:+differs from what $factosim draws}"
  if [ -n "$check" ]; then stale=1; elif [ -f "$drawn/$name" ]; then cp "$drawn/$name" pictures/; else rm "pictures/$name"; fi
done
exit $stale
