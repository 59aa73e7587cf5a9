#!/usr/bin/env python3
"""GPUs with several workers (`runtime/workers_per_gpu`) against closed forms; each run is audited.

    tests/machines/shared_gpus.py PROGRAM [--gains]

Exits with 1 if a time or an energy is more than 1e-6 from its closed form, or the auditor finds something. --gains: prints instead what two and four workers a GPU do to factorizations.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

COSTS = ("submission", "push", "fetch", "progress", "pinning", "wont_use", "gpu_queue", "gpu_malloc", "gpu_free")
FREE = {f"{cost}_cost_s": 0 for cost in COSTS}
LINKS = [{"name": name, "bandwidth_Bps": 1e9, "latency_s": 0} for name in ("down", "up")]
NODE = {"format": "factosim-platform", "version": 1, "network": {},
        "node_types": {"n": {"cores": 4, "gpus": [{"model": "g", "memory_bytes": 10**9}], "ram_bytes": 10**12, "nic": {"bandwidth_Bps": 1e9, "latency_s": 0}, "power": {"core_W": 10, "gpu_W": 100, "idle_W": 50, "gpu_idle_W": 20},
                             "bus": {"links": LINKS, "routes": [{"from": "ram", "to": "cuda0", "links": ["down"]}, {"from": "cuda0", "to": "ram", "links": ["up"]}]}}},
        "nodes": [{"type": "n", "count": 1}]}


def run(program, scenario, tasks=None):
    """Returns the result of a run that the auditor accepts. tasks: (name, worker, seconds, names of the tasks that it waits for, operations or 1)."""
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        if tasks:
            (folder / "platform.json").write_text(json.dumps(NODE))
            lines = [{"format": "factosim-graph", "version": 1, "name": "kernels", "nb": 1}]
            lines += [{"kernel": f"k_{name}", "flops": (*flops, 1)[0], f"{worker}_s": seconds} for name, worker, seconds, _, *flops in tasks]
            lines += [{"task": name, "kernel": f"k_{name}", "accesses": [], "depends_on": before} for name, _, _, before, *_ in tasks]
            (folder / "graph.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            scenario = {"platform": "platform.json", "application": {"type": "graph", "file": "graph.jsonl"}, "scheduler": {"type": "eager"}, **scenario}
        (folder / "scenario.json").write_text(json.dumps(scenario))
        for command in (["run", folder / "scenario.json", "--out", folder / "out", "-q"], ["check", folder / "out"]):
            done = subprocess.run([program, *command], capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{command[0]} of {scenario}: {done.stdout}{done.stderr}")
        return json.loads((folder / "out" / "result.json").read_text())


def gains(program):
    """Prints makespans with one, two and four workers a GPU."""
    print("| scenario | 1 | 2 | 4 workers a GPU |\n|---|---|---|---|")
    for machine, nb in (("mirage", 960), ("sirocco-v100", 1600), ("a100x4", 1024), ("h100x4", 1024), ("h100x4", 2048)):
        for application in ("cholesky", "lu"):
            if machine == "mirage" and application == "cholesky":
                continue  # in single precision only
            times = []
            for workers in (1, 2, 4):
                scenario = {"platform": machine, "application": {"type": application, "nt": 30, "nb": nb, "variant": "chameleon"}, "scheduler": {"type": "dmdas"}, "runtime": {"workers_per_gpu": workers}}
                done = subprocess.run([program, "run", "/dev/stdin", "--json", "-q"], input=json.dumps(scenario), capture_output=True, text=True)
                if done.returncode != 0:
                    raise SystemExit(done.stderr)
                times.append(json.loads(done.stdout)["makespan_s"])
            print(f"| {application}, {machine}, 30 x 30 tiles of {nb} | " + " | ".join(f"{t:.4g} s" + (f" ({100 * (t / times[0] - 1):+.1f} %)" if t is not times[0] else "") for t in times) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--gains", action="store_true")
    given = parser.parse_args()
    program, failed = given.program.resolve(), []
    if given.gains:
        return gains(program)

    def expect(what, found, wanted):
        print(f"{what}: {found:.9g}, closed form {wanted:.9g}")
        if abs(found - wanted) > 1e-6 * max(wanted, 1):
            failed.append(what)

    # a needs 4 s and b 2 s of the GPU; c follows b on a core for 10 s.
    tasks = [("a", "cuda0", 4, []), ("b", "cuda0", 2, []), ("c", "cpu", 10, ["b"])]
    for workers, end_of_b in ((1, 6), (2, 4), (3, 4)):
        result = run(program, {"runtime": {**FREE, "workers_per_gpu": workers}}, tasks)
        expect(f"{workers} workers a GPU: c ends 10 s after b", result["makespan_s"], end_of_b + 10)
        # Kernels draw power in proportion to their parts of the GPU: its energy is that of one after the other.
        expect(f"{workers} workers a GPU: energy above idle", result["energy"]["busy_J"], 6 * 100 + 10 * 10)
    # Three kernels of 3 s with starts 0, 1, 2 s, which cores delay: 6.5, 8.5, 9 s.
    staggered = [(f"w{i}", "cpu", i, []) for i in (1, 2)] + [("x", "cuda0", 3, []), ("y", "cuda0", 3, ["w1"]), ("z", "cuda0", 3, ["w2"])]
    for last, end in (("x", 6.5), ("y", 8.5), ("z", 9)):
        # With a longer pipeline the first worker would take the second kernel, too.
        result = run(program, {"runtime": {**FREE, "workers_per_gpu": 3, "gpu_pipeline": 1}}, [*staggered, ("after", "cpu", 10, [last])])
        expect(f"three kernels, the one that starts at {'xyz'.index(last)} s", result["makespan_s"] - 10, end)

    # By occupancy: "full" uses the whole GPU, 1e9 operations a second, "a" a quarter of it and "b" half. c follows the kernel of interest.
    sharing = {**FREE, "workers_per_gpu": 3, "gpu_pipeline": 1, "gpu_sharing": "occupancy"}
    full, a, b = ("full", "cuda0", 4.5, [], 4.5e9), ("a", "cuda0", 4, [], 1e9), ("b", "cuda0", 2, [], 1e9)
    idle = ("known", "cuda0", 1, ["c"], 1e9)  # its rate is the GPU's; it runs last
    for what, kernels, watched, end, busy in (
            ("a quarter of a GPU beside a kernel that fills it: the quarter", [full, a], "a", 4, 5.5),
            ("... the other, at 3/4 of its speed until 4 s", [full, a], "full", 5.5, 5.5),
            # b has half of the GPU until 2 s, a its quarter until 4 s, and the rest is idle.
            ("half and a quarter of a GPU at full speed: the half", [a, b], "b", 2, 4),
            ("... the quarter", [a, b], "a", 4, 4),
            # The quarter stays as fast, the other two have 3/8 each: b ends at 8/3 s, then full has 3/4 until 4 s, and all at last.
            ("three kernels: the half", [full, a, b], "b", 8 / 3, 6.5),
            ("... the quarter", [full, a, b], "a", 4, 6.5), ("... the full one", [full, a, b], "full", 6.5, 6.5)):
        # full: 3/8 of its speed until 8/3 s is 1 s, 3/4 until 4 s another one, and 2.5 s alone.
        result = run(program, {"runtime": sharing}, [*kernels, ("c", "cpu", 10, [watched]), idle])
        expect(what, result["makespan_s"] - 11, end)
        # The GPU draws its power as soon as one kernel runs.
        expect(f"{what}, energy above idle", result["energy"]["busy_J"], (busy + 1) * 100 + 10 * 10)
        equal = run(program, {"runtime": {**sharing, "gpu_sharing": "equal"}}, [*kernels, ("c", "cpu", 10, [watched]), idle])
        if not result["makespan_s"] < equal["makespan_s"] - 1e-3 and watched != "full":
            failed.append(f"{what}: not faster than with equal parts")
    # The first execution on a worker lasts twice as long, by a noise that the parts do not know: all dates are twice those above.
    noise = {"noise": {"distribution": "normal", "first_execution_factor": 2}}
    result = run(program, {"runtime": sharing, **noise}, [full, a, ("c", "cpu", 10, ["full"]), idle])
    expect("with noise, the kernel that fills the GPU", result["makespan_s"] - 22, 11)

    # Tasks of one kernel that have durations of their own do not tell the rate of the kernel.
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        (folder / "platform.json").write_text(json.dumps(NODE))
        rows = [{"format": "factosim-graph", "version": 1, "name": "own", "nb": 1}, *({"task": f"t{i}", "kernel": "k", "cuda0_s": i + 1, "accesses": []} for i in range(2))]
        (folder / "graph.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "scenario.json").write_text(json.dumps({"platform": "platform.json", "application": {"type": "graph", "file": "graph.jsonl"}, "runtime": sharing}))
        done = subprocess.run([program, "run", folder / "scenario.json", "-q"], capture_output=True, text=True)
        if done.returncode != 2 or "#/runtime/gpu_sharing: is " not in done.stderr:
            failed.append(f"durations by task are not refused: {done.stdout}{done.stderr}")

    # Whole factorizations: only the auditor judges.
    for machine, nb, application, options in (
            ("mirage", 960, "lu", {}), ("mirage", 960, "lu", {"scheduler": {"type": "lws"}}), ("mirage", 960, "lu", {"scheduler": {"type": "eager"}}),
            ("mirage", 960, "lu", {"noise": {"distribution": "lognormal"}}), ("mirage", 960, "lu", {"runtime": {"gpu_pipeline": 0}}), ("mirage", 960, "lu", {"runtime": {"gpu_memory_fraction": 0.1}}),
            ("sirocco-v100", 1600, "qr", {}), ("mi300a", 1024, "cholesky", {}),
            ("sirocco-v100", 1600, "cholesky", {"platform": {"file": "sirocco-v100", "gpu_caps_W": {"sirocco-v100": [250, 180]}, "power": {"sirocco-v100": {
                "core_W": 5, "gpu_W": 210, "idle_W": 180, "gpu_idle_W": 40, "gpu_speeds": [{"cap_W": 175, "speed": 0.881}, {"cap_W": 250, "speed": 1}]}}}}),
            ("a100x4", 1024, "cholesky", {"platform": {"file": "a100x4", "nodes": [{"type": "a100x4", "count": 2}]}, "distribution": {"type": "1d1d"}})):
        for workers, sharing in ((2, "equal"), (3, "equal"), (2, "occupancy"), (4, "occupancy")):
            scenario = {"platform": machine, "application": {"type": application, "nt": 10, "nb": nb}, "scheduler": {"type": "dmdas"}, **options}
            scenario["runtime"] = {**options.get("runtime", {}), "workers_per_gpu": workers, "gpu_sharing": sharing}
            result = run(program, scenario)
            print(f"{application} on {machine}, {options}, {workers} workers a GPU, {sharing}: {result['makespan_s']:.4f} s, audited")
    if failed:
        print("not as their closed forms: " + "; ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
