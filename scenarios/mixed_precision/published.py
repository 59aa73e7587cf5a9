#!/usr/bin/env python3
"""published.py PROGRAM: published gains of mixed precision against simulated ones.

Each row runs a factorization in double precision and one by formats of its tiles, with the same nodes, distribution and
policy. No rate is fitted: README.md has the source of each.
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TENTH = {"bands": [{"below": 4}, {"precision": "single"}]}  # of 40 tiles


def run(program, scenario, settings):
    command = [program, "run", str(HERE / scenario), "--json"]
    for pointer, value in settings.items():
        command += ["--set", f"{pointer}={json.dumps(value)}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def gain(program, scenario, settings, formats):
    """Returns makespans in double precision and with the formats; formats None: those of the scenario."""
    plain = {"/application/tile_formats": {"bands": [{"precision": "double"}]}}
    own = {} if formats is None else {"/application/tile_formats": formats}
    times = [run(program, scenario, settings | s)["makespan_s"] for s in (plain, own)]
    return times[0], times[1]


def node(name):
    return {"/platform": name, "/application/nb": {"sirocco-k40m": 960, "sirocco-p100": 1240, "sirocco-v100": 1600}[name]}


ROWS = [
    ("HiPC 2019", "average of several machines", 1.6, "4 K40m, measured rates", "band.json", node("sirocco-k40m"), TENTH),
    ("HiPC 2019", "average of several machines", 1.6, "2 P100, measured rates", "band.json", node("sirocco-p100"), TENTH),
    ("HiPC 2019", "average of several machines", 1.6, "2 V100, measured rates", "band.json", node("sirocco-v100"), TENTH),
    ("SC22", "up to, Fugaku", 12, "16 nodes of Fugaku, estimated rates", "fugaku.json", {}, None),
]


def main():
    program = sys.argv[1]
    print("| paper | printed for | printed | simulated on | double, s | by formats, s | gain | difference |")
    print("|---|---|---|---|---|---|---|---|")
    for paper, what, printed, machine, scenario, settings, formats in ROWS:
        plain, mixed = gain(program, scenario, settings, formats)
        print(f"| {paper} | {what} | {printed} | {machine} | {plain:.4g} | {mixed:.4g} | {plain / mixed:.2f} | "
              f"{100 * (plain / mixed / printed - 1):+.0f} % |")


if __name__ == "__main__":
    main()
