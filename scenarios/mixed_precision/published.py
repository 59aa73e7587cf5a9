#!/usr/bin/env python3
"""published.py PROGRAM: published gains of mixed precision against simulated ones.

Each row runs a factorization in double precision and one by formats of its tiles, with the same nodes, distribution and
policy. No rate is fitted: README.md has the source of each. The last rows run Fugaku's with tasks on full tiles in parts of
several sizes.
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


DOUBLE = {"/application/tile_formats": {"bands": [{"precision": "double"}]}}


def parts(rows):
    """Tasks on full tiles of 2700 rows become tasks on parts of so many, or stay whole."""
    if rows < 2700:
        return {"/application/nested": {"tile": rows}}
    application = json.loads((HERE / "fugaku.json").read_text())["application"]
    return {"/application": {key: value for key, value in application.items() if key != "nested"}}


def gain(program, scenario, settings, formats):
    """Returns makespans in double precision and with the formats; formats None: those of the scenario. The settings may
    be two: of the run in double precision and of the other."""
    plain, mixed = settings if isinstance(settings, tuple) else (settings, settings)
    own = {} if formats is None else {"/application/tile_formats": formats}
    return [run(program, scenario, s)["makespan_s"] for s in (DOUBLE | plain, own | mixed)]


def node(name):
    return {"/platform": name, "/application/nb": {"sirocco-k40m": 960, "sirocco-p100": 1240, "sirocco-v100": 1600}[name]}


AVERAGE = ("HiPC 2019", "average of several machines", 1.6)
ROWS = [
    (*AVERAGE, "4 K40m, measured rates", "band.json", node("sirocco-k40m"), TENTH),
    (*AVERAGE, "2 P100, measured rates", "band.json", node("sirocco-p100"), TENTH),
    (*AVERAGE, "2 V100, measured rates", "band.json", node("sirocco-v100"), TENTH),
    ("SC22", "up to, Fugaku", 12, "16 nodes of Fugaku, estimated rates", "fugaku.json", (parts(540), parts(300)), None),
]


def main():
    program = sys.argv[1]
    print("| paper | printed for | printed | simulated on | double, s | by formats, s | gain | difference |")
    print("|---|---|---|---|---|---|---|---|")
    average = []
    for paper, what, printed, machine, scenario, settings, formats in ROWS:
        plain, mixed = gain(program, scenario, settings, formats)
        print(f"| {paper} | {what} | {printed} | {machine} | {plain:.4g} | {mixed:.4g} | {plain / mixed:.2f} | "
              f"{100 * (plain / mixed / printed - 1):+.0f} % |")
        if what == AVERAGE[1]:
            average.append(plain / mixed)
    mean = sum(average) / len(average)
    print(f"| {' | '.join(map(str, AVERAGE))} | mean of the {len(average)} machines above | | | {mean:.2f} | {100 * (mean / AVERAGE[2] - 1):+.0f} % |")
    print()
    print("| rows of a part, Fugaku | double, s | by formats, s |")
    print("|---|---|---|")
    for rows in (2700, 1350, 900, 540, 300, 180):
        both = [DOUBLE, {}] if rows >= 540 else [{}]  # in double precision 300 rows are 25 million tasks
        times = [f"{run(program, 'fugaku.json', parts(rows) | s)['makespan_s']:.4g}" for s in both]
        print(f"| {rows} | {' | '.join(times if len(times) == 2 else ['', *times])} |")


if __name__ == "__main__":
    main()
