#!/usr/bin/env python3
"""Communication of layers and symmetric distributions, published against obtained.

    scenarios/layers/published.py PROGRAM

Counts tiles sent with `factosim distribute` on equal nodes. Published: SC 2022 (Beaumont, Duchon, Eyraud-Dubois, Langou,
Verite), symmetric block-cyclic sends 1 / sqrt(2) of block-cyclic's tiles, its 2.5D form less again; a tile goes to p + q - 2
nodes (block-cyclic), r - 2 (symmetric), and on c layers c - 1 partial sums are added. SC 2021 (Kwasniewski and others),
COnfLUX moves N^3 / (P sqrt M) words a node, M = c N^2 / P; the best known bound is 2/3 of it. SPAA 2023 (Al Daas and others),
SYRK on q (q + 1) nodes.
"""
import json
import math
import pathlib
import subprocess
import sys

PLATFORM = pathlib.Path(__file__).resolve().parents[2] / "platforms/lille.json"
TOLERANCE = 0.15


def sent(program, application, nt, nodes, distribution):
    scenario = {"format": "factosim-scenario", "version": 1, "application": {"type": application, "nt": nt, "nb": 960},
                "platform": {"file": str(PLATFORM), "nodes": [{"type": "chetemi", "count": nodes}]}, "distribution": distribution}
    answer = subprocess.run([program, "distribute", "/dev/stdin", "--json"], input=json.dumps(scenario), capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(answer.stderr)
    return json.loads(answer.stdout)["tiles_sent"]


def grid(p, q):
    return {"type": "block-cyclic", "p": p, "q": q}


def layers(count, layer):
    return {"type": "layers", "layers": count, "layer": layer}


def rows(program):
    nt = 60
    tiles = nt * (nt + 1) / 2
    per_tile = {}
    for name, nodes, distribution in (("2D 4 x 4", 16, grid(4, 4)), ("2D 7 x 4", 28, grid(7, 4)), ("2D 6 x 6", 36, grid(6, 6)),
                                      ("SBC r = 6", 15, {"type": "sbc"}), ("SBC r = 8", 28, {"type": "sbc"}), ("SBC r = 9", 36, {"type": "sbc"}),
                                      ("2.5D 3 x 3 x 4", 36, layers(4, grid(3, 3))), ("2.5D SBC r = 4, c = 6", 36, layers(6, {"type": "sbc"})),
                                      ("2.5D SBC r = 5, c = 3", 30, layers(3, {"type": "sbc"})),
                                      ("triangle blocks, 31", 31, {"type": "triangle-blocks"})):
        per_tile[name] = sent(program, "cholesky", nt, nodes, distribution) / tiles
    for name, published in (("2D 4 x 4", 6), ("2D 7 x 4", 9), ("2D 6 x 6", 10), ("SBC r = 6", 4), ("SBC r = 8", 6), ("SBC r = 9", 7),
                            ("2.5D 3 x 3 x 4", 4 + 3), ("2.5D SBC r = 4, c = 6", 2 + 5), ("2.5D SBC r = 5, c = 3", 3 + 2)):
        yield f"Cholesky, sends of a tile: {name}", "SC 2022, formula", published, per_tile[name]
    yield "Cholesky, 2D 7 x 4 over SBC, 28 nodes", "SC 2022, abstract", math.sqrt(2), per_tile["2D 7 x 4"] / per_tile["SBC r = 8"]
    yield "Cholesky, 2D 6 x 6 over SBC, 36 nodes", "SC 2022, abstract", math.sqrt(2), per_tile["2D 6 x 6"] / per_tile["SBC r = 9"]
    for p, c in ((4, 2), (6, 2), (6, 3)):
        nodes = p * p * c
        obtained = sent(program, "lu", nt, nodes, layers(c, grid(p, p))) / nodes
        yield f"LU, tiles a node: {p} x {p} x {c}", "SC 2021, N^3 / (P sqrt M)", nt**2 / math.sqrt(c * nodes), obtained
    obtained = sent(program, "syrk", nt, 30, {"type": "triangle-blocks"}) / nt**2
    yield "SYRK, sends of a tile of A: triangle blocks, 30", "SPAA 2023, q", 5, obtained


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("| count | source | published | obtained | difference |\n|---|---|---|---|---|")
    off = 0
    for name, source, published, obtained in rows(sys.argv[1]):
        difference = obtained / published - 1
        off += abs(difference) > TOLERANCE
        print(f"| {name} | {source} | {published:.4g} | {obtained:.4g} | {100 * difference:+.1f} % |")
    print(f"\nrows off by more than {100 * TOLERANCE:.0f} %: {off}")


if __name__ == "__main__":
    main()
