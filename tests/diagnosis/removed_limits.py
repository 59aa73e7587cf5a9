#!/usr/bin/env python3
"""What the diagnosis promises on mixed clusters, against runs of platforms without the limit. Maps do not depend on these.

    tests/diagnosis/removed_limits.py PROGRAM [--check]     --check: every third cluster only

Fails if a promise is below a bound that the removal leaves standing, or more than 10 points from the truth."""

import copy, json, pathlib, random, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FREE = {"bandwidth_Bps": 1e16, "latency_s": 0}


def node_types(names):
    """Returns node types of shipped platforms, on one switch."""
    out = {}
    for file in ("mirage", "lille", "sirocco", "sirocco-v100", "bora"):
        for name, kind in json.loads((ROOT / f"platforms/{file}.json").read_text())["node_types"].items():
            if name in names:
                kind.pop("subnet", None)
                out[name] = kind | {"kernels": str(ROOT / "platforms" / kind["kernels"])}
    return out


def drawn(seed):
    draw = random.Random(seed)
    gpus, cores, nb = draw.choice([("mirage", "chetemi", 960), ("chifflet", "chetemi", 960), ("sirocco", "chetemi", 960),
                                   ("sirocco-v100", "bora", 1600)])
    types, bandwidth, memory = node_types((gpus, cores)), draw.choice([1.25e9, 3e9, 25e9]), draw.choice([1, 0.3, 0.1])
    for kind in types.values():
        kind["nic"] = {"bandwidth_Bps": bandwidth, "latency_s": 2e-6}
        for gpu in kind.get("gpus") or []:
            gpu["memory_bytes"] = int(gpu["memory_bytes"] * memory)
    platform = {"format": "factosim-platform", "version": 1, "node_types": types, "network": {},
                "nodes": [{"type": gpus, "count": draw.randint(1, 6)}, {"type": cores, "count": draw.randint(1, 8)}]}
    return {"format": "factosim-scenario", "version": 1, "platform": platform,
            "application": {"type": "cholesky", "nt": draw.choice([30, 40, 50]), "nb": nb},
            "distribution": {"type": draw.choice(["1d1d", "block-cyclic"])},
            "scheduler": {"type": draw.choice(["dmdas", "dmda", "dmdar"])}}


def without(scenario, limit):
    out = copy.deepcopy(scenario)
    for kind in out["platform"]["node_types"].values():
        if limit == "network":
            kind["nic"] = FREE
        if limit == "gpu-memory":
            for gpu in kind.get("gpus") or []:
                gpu["memory_bytes"] = 10**15
        if limit == "bus":
            for link in kind.get("bus", {}).get("links", []):
                link.update(FREE)
    if limit == "submission":
        out["runtime"] = {"submission_cost_s": 0}
    return out


def run(program, scenario, folder):
    (folder / "platform.json").write_text(json.dumps(scenario["platform"]))
    (folder / "scenario.json").write_text(json.dumps(scenario | {"platform": "platform.json"}))
    done = subprocess.run([program, "run", folder / "scenario.json", "--json", "-q"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main():
    program, seeds = sys.argv[1], range(0, 60, 3 if "--check" in sys.argv else 1)
    promises, failed = 0, []
    with tempfile.TemporaryDirectory() as name:
        for seed in seeds:
            scenario = drawn(seed)
            found = run(program, scenario, pathlib.Path(name))
            if found is None:
                continue  # a node lacks a timing that the distribution needs
            bounds, makespan, diagnosis = found["bounds"], found["makespan_s"], found["diagnosis"]
            nodes = bounds["distribution"]
            for limit in diagnosis["limits"]:
                if limit["limit"] not in ("network", "gpu-memory", "bus", "submission"):
                    continue
                promises += 1
                what = f"cluster {seed}: {limit['limit']} {100 * limit['share']:.1f} %"
                bound = bounds["distribution_s"] if limit["limit"] != "network" else max(
                    bounds["problem_s"], nodes["most_loaded_node_s"], nodes["path_s"])
                if makespan * (1 - limit["share"]) < bound * (1 - 1e-9):
                    failed.append(f"{what}: below the bound {bound} s")
                true = 1 - run(program, without(scenario, limit["limit"]), pathlib.Path(name))["makespan_s"] / makespan
                if abs(limit["share"] - true) > 0.1:
                    failed.append(f"{what}: {100 * true:.1f} % in truth")
    print("\n".join(failed + [f"{promises} promises on {len(seeds)} clusters"]))
    return bool(failed) or promises == 0


if __name__ == "__main__":
    sys.exit(main())
