#!/usr/bin/env python3
"""Claims about the numbers of factosim, tried on random scenarios.

    tests/scaling.py PROGRAM [--scenarios 500] [--first 0] [--jobs 1] [--no-audit]

Draws scenarios (LU, Cholesky, QR, gemm, exageostat; every distribution but those that are given; policies, networks, broadcasts; machines with
random cycle times from 0.1 us to hours a tile, and the shipped ones) and checks for each one:

- doubled: with all durations, latencies and costs twice as long and all bandwidths half as large, the makespan is exactly twice;
- maps: with all of them 2, 3 or 1/7 times as long, every tile has the same owner;
- bounds: the makespan is at least each bound, without tolerance;
- names: other names and another order of the node types leave the bounds the same, to the last bit;
- audit: `factosim check` accepts the run.

It also counts the scenarios whose makespan is not 3 or 1/7 times as long within 1e-9. That is no violation: durations are rounded to
ticks, which are powers of two, so that sums that are equal (two tasks of 1.5 and three of 1) no longer are, and policies decide otherwise.

Prints the figures and each violation with its number; exits with 1 if there is one. A number alone makes the scenario:
`--first N --scenarios 1 --keep DIR` leaves its files.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OTHER_FACTORS = {"thrice": 3, "seventh": 1 / 7}
ROUNDING = 1e-9  # of dates to the grid, whose ticks are powers of two
POLICIES = ["dmdas", "dmda", "dmdar", "dmdasd", "dmdap", "dm", "lws", "ws", "eager", "prio", "random", "heft", "heteroprio"]
COSTS = {"submission_cost_s": 1e-6, "push_cost_s": 1e-6, "fetch_cost_s": 1e-6, "progress_cost_s": 1e-6, "wont_use_cost_s": 3e-6,
         "gpu_queue_cost_s": 10e-6, "gpu_malloc_cost_s": 175e-6, "gpu_free_cost_s": 750e-6, "pinning_cost_s": 650e-6,
         "buffer_round_s": 1e-3}


def slower(document, factor):
    """Returns a platform or a kernel file with times `factor` times as long: "..._s", "..._Bps" and "flops_per_second"."""
    def value(key, item):
        if isinstance(item, (dict, list)):
            return [value(key, i) for i in item] if isinstance(item, list) else slower(item, factor)
        if isinstance(item, (int, float)) and not isinstance(item, bool):
            if key.endswith("_s"):
                return item * factor
            if key.endswith("_Bps") or key == "flops_per_second":
                return item / factor
        return item
    return {key: value(key, item) for key, item in document.items()}


def random_platform(draw):
    """Nodes with cores of random cycle times, up to three types."""
    names = draw.sample(["alpha", "bravo", "kilo", "tango", "zulu"], draw.randint(1, 3))
    gemm = 10 ** draw.uniform(-7, 4)  # seconds a tile, of the fastest
    message = gemm * 10 ** draw.uniform(-2, 1)
    types = {}
    for name in names:
        types[name] = {"cores": draw.randint(1, 5), "cycle_time_s": gemm * draw.choice([1, 1.5, 2, draw.uniform(1, 10)]),
                       "nic": {"bandwidth_Bps": 8 * 320 * 320 / message, "latency_s": message * draw.choice([0, 0.01, 0.5])}}
    nodes = [{"type": name, "count": draw.randint(1, 4)} for name in names]
    return {"format": "factosim-platform", "version": 1, "node_types": types, "network": {}, "nodes": nodes}, gemm


def random_distribution(draw, kind, count):
    """One that is computed from the speeds or the number of the nodes."""
    rows = draw.choice([p for p in range(1, count + 1) if count % p == 0])
    grid = {"p": rows, "q": count // rows}
    choices = [{"type": "block-cyclic", **grid}, {"type": "1d1d"}, {"type": "1d1d", "partition": "nagamochi-abe"}, {"type": "g-2dbc"},
               {"type": "het-grid", **grid, "method": draw.choice(["exchanges", "exact", "heuristic", "as-given"])},
               {"type": "kalinov-lastovetsky", **grid}]
    if kind in ("lu", "cholesky"):
        shuffled = {"type": "1d1d-c+s", "rounds": draw.randint(1, 4), "smaller_tiles": draw.random() < 0.5}
        choices += [{"type": "1d1d-c"}, shuffled, shuffled, shuffled]
    if kind == "cholesky" and count in (1, 2, 3, 6, 8, 10):
        choices.append({"type": "sbc"})
    if kind == "exageostat":
        choices += [{"type": "lp-multiphase"}] * 4
    return draw.choice(choices)


def drawn(number, kinds=("lu", "lu", "cholesky", "cholesky", "qr", "gemm", "exageostat")):
    """Returns a scenario with its platform (and the factor of its runtime's costs), and the types' new names."""
    draw = random.Random(number)
    kind = draw.choice(kinds)
    own = kind in ("qr", "gemm") or (kind != "exageostat" and draw.random() < 0.6)
    application = {"type": kind, "nt": draw.randint(2, 9 if kind == "qr" else 12), "nb": 320 if own else 960}
    if own:
        platform, gemm = random_platform(draw)
        cost = draw.choice([0, 1, min(1, gemm / 1e-3)])
    else:
        machine = "lille" if kind == "exageostat" else draw.choice(["lille", "mirage"])
        platform = json.loads((ROOT / f"platforms/{machine}.json").read_text())
        for described in platform["node_types"].values():
            described["kernels"] = pathlib.Path(described["kernels"]).name
        if machine == "lille":
            names = draw.sample(sorted(platform["node_types"]), draw.randint(1, 3))
            platform["nodes"] = [{"type": name, "count": draw.randint(1, 3)} for name in names]
        else:
            platform["nodes"] = [{"type": "mirage", "count": draw.randint(1, 4)}]
        cost = 1
    count = sum(entry["count"] for entry in platform["nodes"])
    distribution = random_distribution(draw, kind, count)
    scenario = {"format": "factosim-scenario", "version": 1, "name": f"drawn {number}", "platform": "platform.json",
                "application": application, "distribution": distribution, "seed": draw.randrange(1000),
                "scheduler": {"type": draw.choice(POLICIES)},
                "network": {"model": draw.choice(["simgrid", "maxmin", "constant"]),
                            "broadcast": draw.choice(["point-to-point", "binomial", "ring", "cooperative"]),
                            "rendezvous": draw.random() < 0.7, "send_order": draw.choice(["priority", "fifo"]),
                            "max_sends_per_node": draw.choice([1, 4, 10])},
                "runtime": {key: cost * value for key, value in COSTS.items()}}
    if kind == "exageostat":
        scenario["runtime"]["host_alloc_cost_s_per_MiB"] = draw.choice([0, 650e-6])
    if draw.random() < 0.2:
        scenario["noise"] = {"distribution": draw.choice(["normal", "lognormal"]), "worker_speed_deviation": 0.05}
    renamed = dict(zip(sorted(platform["node_types"]), draw.sample("nopqrstuvwxyz", len(platform["node_types"]))))
    return scenario, platform, renamed


def with_names(platform, names):
    """Returns the platform with other names of its types, which stand in the order of these."""
    out = dict(platform)
    out["node_types"] = {names[old]: platform["node_types"][old] for old in sorted(platform["node_types"], key=names.get)}
    out["nodes"] = [{**entry, "type": names[entry["type"]]} for entry in platform["nodes"]]
    return out


def write(folder, scenario, platform, factor):
    folder.mkdir(parents=True)
    runtime = {key: factor * value for key, value in scenario["runtime"].items()}
    (folder / "scenario.json").write_text(json.dumps({**scenario, "runtime": runtime}, indent=1))
    (folder / "platform.json").write_text(json.dumps(slower(platform, factor), indent=1))
    for described in platform["node_types"].values():
        if "kernels" in described:
            kernels = json.loads((ROOT / "models/kernels" / described["kernels"]).read_text())
            (folder / described["kernels"]).write_text(json.dumps(slower(kernels, factor)))


def simulate(program, folder):
    done = subprocess.run([program, "run", folder / "scenario.json", "--out", folder / "out"], capture_output=True, text=True)
    if done.returncode != 0:
        return None, f"exit {done.returncode}: {done.stderr.strip()}"
    return json.loads((folder / "out/result.json").read_text()), None


def owners(program, folder):
    """Everything that the distribution decides in whole numbers, or the error."""
    done = subprocess.run([program, "distribute", folder / "scenario.json", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    made = json.loads(done.stdout)
    return [made.get(key) for key in ("owner", "tiles_per_node", "tiles_sent", "redistributed_tiles")]


def all_bounds(result):
    bounds = result["bounds"]
    return [bounds["abe_s"], bounds["critical_path_s"], bounds["critical_path_with_comm_s"], *bounds["abe_per_node_s"]]


def tried(program, number, work, audit):
    """Returns the scenario's violations as (claim, text), and the relative deviations of its makespans that are scaled by 2, and
    by other factors at most."""
    scenario, platform, names = drawn(number)
    folders = {"once": (platform, 1), "twice": (platform, 2), "renamed": (with_names(platform, names), 1),
               **{name: (platform, factor) for name, factor in OTHER_FACTORS.items()}}
    results = {}
    for name, (described, factor) in folders.items():
        write(work / name, scenario, described, factor)
        results[name], error = simulate(program, work / name)
        if error:
            return [("refused", error)], 0, 0
    once, twice, renamed = (results[name] for name in ("once", "twice", "renamed"))
    out = []
    off = twice["makespan_s"] / (2 * once["makespan_s"]) - 1
    same = owners(program, work / "once")
    for name, factor in {"twice": 2, **OTHER_FACTORS}.items():
        other = owners(program, work / name)
        if other != same or isinstance(other, str):
            out.append(("maps", f"{scenario['distribution']} {factor:.3g} times as slow: {other if isinstance(other, str) else 'another map'}"))
    otherwise = max(abs(results[name]["makespan_s"] / (factor * once["makespan_s"]) - 1) for name, factor in OTHER_FACTORS.items())
    if twice["makespan_s"] != 2 * once["makespan_s"]:
        out.append(("doubled", f"{once['makespan_s']!r} s becomes {twice['makespan_s']!r} s ({off:+.2g})"))
    if "noise" not in scenario:
        out += [("bounds", f"{b!r} s is above the makespan, {once['makespan_s']!r} s")
                for b in all_bounds(once) if b > once["makespan_s"]]
    if sorted(all_bounds(once)) != sorted(all_bounds(renamed)):
        out.append(("names", f"{all_bounds(once)[:3]} become {all_bounds(renamed)[:3]}"))
    if audit:
        done = subprocess.run([program, "check", work / "once/out"], capture_output=True, text=True)
        if done.returncode != 0:
            out.append(("audit", f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:600]}"))
    return out, abs(off), otherwise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--scenarios", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="number of the first scenario")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-audit", action="store_true", help="leave out `factosim check`")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the files in this folder")
    arguments = parser.parse_args()
    counts = dict.fromkeys(("refused", "doubled", "maps", "bounds", "names", "audit"), 0)
    largest, others = 0, []
    with tempfile.TemporaryDirectory() as temporary:
        def work(number):
            folder = (arguments.keep or pathlib.Path(temporary)) / str(number)
            return number, *tried(arguments.program, number, folder, not arguments.no_audit)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for number, violations, off, otherwise in pool.map(work, range(arguments.first, arguments.first + arguments.scenarios)):
                largest = max(largest, off)
                others.append(otherwise)
                for claim in {claim for claim, _ in violations}:
                    counts[claim] += 1
                for claim, text in violations:
                    print(f"{number}: {claim}: {text}", flush=True)
    print(f"{arguments.scenarios} scenarios; violations: " + ", ".join(f"{claim} {n}" for claim, n in counts.items()) +
          f"; largest deviation of a doubled makespan {largest:.2g}; with other factors {sum(o > ROUNDING for o in others)} deviate, by up to {max(others):.2g}")
    return 1 if any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
