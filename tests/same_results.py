#!/usr/bin/env python3
"""Compares what two builds of factosim write, byte by byte: for all shipped scenarios, and for random ones.

    tests/same_results.py PROGRAM_A PROGRAM_B [--random 40] [--only TEXT] [--keep]

result.json is compared without what differs from run to run ("simulation") and from build to build (versions), run.trace
without its "program" and its checksum, series.json as it is. Prints what differs and exits with 1 if something does.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BROADCASTS = ["point-to-point", "binomial", "ring", "cooperative"]


def shipped():
    """Returns the scenarios under scenarios/ as (name, file, settings)."""
    for path in sorted((ROOT / "scenarios").rglob("*.json")):
        document = json.loads(path.read_text())
        if isinstance(document, dict) and document.get("format") == "factosim-scenario":
            yield str(path.relative_to(ROOT)), path, []


def drawn(seed):
    """Returns the settings of one random scenario, all of them changes of a shipped one."""
    draw = random.Random(seed)
    base = draw.choice(["first/lu_mirage.json", "lille/block_cyclic_2x11.json", "peer/cholesky_mirage.json",
                        "lu_icpads20/fig08_constrained.json", "exageostat_icpp21/fig03_synchronous.json"])
    choose = lambda key, values: f"/{key}={draw.choice(values)}"
    settings = [f"/seed={draw.randrange(1000)}", choose("network/model", ["simgrid", "maxmin", "constant"]),
                choose("scheduler/type", ["dmdas", "dmda", "dmdar", "dmdasd", "dmdap", "dm", "lws", "ws", "eager", "prio",
                                          "random", "heft", "heteroprio"]),
                choose("network/broadcast", BROADCASTS),
                choose("network/send_order", ["priority", "fifo"]), choose("network/max_sends_per_node", [1, 4, 10]),
                choose("runtime/gpu_pipeline", [1, 2, 3]), choose("runtime/prefetch", ["true", "false"]),
                choose("runtime/unrolling", ["whole", "pruned", "own"]),
                choose("noise/distribution", ["none", "normal", "lognormal"]), choose("outputs/series", ["false", '{"points": 50}'])]
    if "exageostat" in base:
        tiles = draw.randrange(8, 20)
        settings += [f"/application/nt={tiles}", f"/application/n={960 * tiles}"]
    else:
        settings.append(f"/application/nt={draw.randrange(6, 26)}")
    if draw.random() < 0.3:
        settings.append("/runtime/max_submitted_tasks=" + str(draw.choice([50, 200])))
    return f"random {seed}: {base} {' '.join(settings)}", ROOT / "scenarios" / base, settings


def outcome(program, file, settings, folder):
    """Runs one scenario; returns what it left by file name, without what may differ, or its error message."""
    command = [program, "run", str(file), "--out", str(folder), "--force", "--set", "/outputs/trace=true"]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        return {"exit": f"{done.returncode} {done.stderr}"}
    result = json.loads((folder / "result.json").read_text())
    del result["simulation"]
    for key in ("factosim", "git", "simgrid"):
        result["provenance"].pop(key, None)
    left = {"result.json": json.dumps(result)}
    for name in ("run.trace", "series.json"):
        if (folder / name).exists():
            content = (folder / name).read_bytes()
            if name == "run.trace":  # ends with a checksum, also of the program
                content = re.sub(rb'"program":"[^"]*",', b"", content[:-4], count=1)
            left[name] = content
    return left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program_a")
    parser.add_argument("program_b")
    parser.add_argument("--random", type=int, default=40, help="number of random scenarios")
    parser.add_argument("--only", default="", help="only scenarios whose name contains this text")
    parser.add_argument("--keep", action="store_true", help="keep the outputs and print where they are")
    arguments = parser.parse_args()
    cases = [c for c in [*shipped(), *(drawn(i) for i in range(arguments.random))] if arguments.only in c[0]]
    same = different = refused = 0
    with tempfile.TemporaryDirectory() as work:
        for place, (name, file, settings) in enumerate(cases):
            a, b = (outcome(program, file, settings, pathlib.Path(work) / f"{place}{which}")
                    for which, program in (("a", arguments.program_a), ("b", arguments.program_b)))
            names = [n for n in sorted({*a, *b}) if a.get(n) != b.get(n)]
            refused += "exit" in a and not names
            same += not names
            different += bool(names)
            if names:
                print(f"differs in {', '.join(names)}: {name}")
                for side in (a, b):
                    if "exit" in side:
                        print(f"    {side['exit'].strip()}")
        if arguments.keep:
            input(f"outputs in {work}; Enter removes them ")
    print(f"{same} of {len(cases)} scenarios leave the same bytes ({refused} refused alike), {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
