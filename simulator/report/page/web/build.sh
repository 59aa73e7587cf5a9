#!/usr/bin/env bash
# Bundles report.js and report.css, which are part of the program, from source/ and the libraries of package-lock.json.
# Needs node and npm. Users and CI do not need them, since the bundles are in the repository:
#   simulator/report/page/web/build.sh [--check]
# --check: changes nothing and fails if the bundles differ from what the sources give.
set -eu
cd "$(dirname "$0")"
[ -x node_modules/.bin/esbuild ] || npm ci --no-audit --no-fund >&2

out=.
if [ "${1:-}" = --check ]; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi

# A checksum of the sources, for a test that does not need node.
sources=$(cat source/*.js source/style.css package-lock.json | sha256sum | cut -c 1-64)
licence=$(sed 's/^/ * /; s/ *$//' licenses/uPlot.txt)
banner="/* Made by build.sh from sources with the SHA-256 $sources. Do not edit.
 *
 * Contains uPlot $(node -p "require('./node_modules/uplot/package.json').version"):
$licence
 */"

node_modules/.bin/esbuild source/main.js --bundle --minify --target=es2022 --format=iife --charset=ascii \
  --legal-comments=none --banner:js="$banner" --outfile="$out/report.js" --log-level=warning
cat node_modules/uplot/dist/uPlot.min.css source/style.css |
  node_modules/.bin/esbuild --loader=css --minify --charset=ascii --log-level=warning >"$out/report.css"

if [ "$out" != . ]; then
  for file in report.js report.css; do
    cmp "$out/$file" "$file" || { echo "$file is not what the sources give: run simulator/report/page/web/build.sh" >&2; exit 1; }
  done
fi
