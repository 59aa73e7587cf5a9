#!/usr/bin/env python3
"""Messages from and to memories of GPUs, and GPUs that compute in the RAM, against closed forms; each run is audited.

    tests/machines/direct_messages.py PROGRAM

Exits with 1 if a time is more than 1e-6 from its closed form, or the auditor finds something.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SIZE = 100_000_000
PCIE, NVLINK, CARD = 25e9, 100e9, 20e9  # B/s
COSTS = ("submission", "push", "fetch", "progress", "pinning", "wont_use", "gpu_queue", "gpu_malloc", "gpu_free")
FREE = {"cores_per_gpu": 1, "communication_cores": 0, **{f"{cost}_cost_s": 0 for cost in COSTS}}


def bus(beside):
    """Returns links and routes of RAM and two GPUs; `beside`: card g leads to GPU g, and from there to the RAM."""
    links = [{"name": f"{name}{g}", "bandwidth_Bps": PCIE if name in ("to", "from") else NVLINK, "latency_s": 0}
             for g in (0, 1) for name in ("to", "from", "peer", "out", "in")]
    routes = []
    for g in (0, 1):
        routes += [{"from": "ram", "to": f"cuda{g}", "links": [f"to{g}"]}, {"from": f"cuda{g}", "to": "ram", "links": [f"from{g}"]},
                   {"from": f"cuda{g}", "to": f"cuda{1 - g}", "links": [f"peer{g}"]}]
        if beside:
            routes += [{"from": f"cuda{g}", "to": f"nic{g}", "links": [f"out{g}"]}, {"from": f"nic{g}", "to": f"cuda{g}", "links": [f"in{g}"]},
                       {"from": "ram", "to": f"nic{g}", "links": [f"to{g}", f"out{g}"]}, {"from": f"nic{g}", "to": "ram", "links": [f"in{g}", f"from{g}"]}]
    return {"links": links, "routes": routes, "parallel_copies": True}


def gpu_nodes(beside, direct, memory=10**9):
    return {"format": "factosim-platform", "version": 1, "network": {"gpu_direct": direct},
            "node_types": {"n": {"cores": 4, "gpus": [{"model": "g", "memory_bytes": memory}] * 2, "ram_bytes": 10**12, "nics": 2,
                                 "nic": {"bandwidth_Bps": CARD, "latency_s": 0}, "bus": bus(beside)}},
            "nodes": [{"type": "n", "count": 2}]}


def graph(tasks, size=SIZE):
    """tasks: (name, node, GPU or None, accesses)."""
    lines = [{"format": "factosim-graph", "version": 1, "name": "messages", "nb": 1}]
    lines += [{"kernel": f"on_{place}", "flops": 1, f"{place}_s": 1e-9} for place in sorted({"cpu" if gpu is None else f"cuda{gpu}" for _, _, gpu, _ in tasks})]
    lines += [{"data": name, "bytes": size} for name in sorted({data for *_, accesses in tasks for data, _ in accesses})]
    lines += [{"task": name, "kernel": "on_" + ("cpu" if gpu is None else f"cuda{gpu}"), "node": node, "accesses": accesses} for name, node, gpu, accesses in tasks]
    return "\n".join(map(json.dumps, lines)) + "\n"


def run(program, platform, tasks=None, model="maxmin", **scenario):
    """Returns the result of a run that the auditor accepts."""
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        (folder / "platform.json").write_text(json.dumps(platform))
        if tasks:
            (folder / "graph.jsonl").write_text(graph(tasks))
            scenario["application"] = {"type": "graph", "file": "graph.jsonl", "placement": "file"}
        network = {"model": model, "rendezvous": False, **scenario.pop("network", {})}
        (folder / "scenario.json").write_text(json.dumps({"platform": "platform.json", "scheduler": {"type": "eager"}, "runtime": FREE, **scenario, "network": network}))
        for command in (["run", folder / "scenario.json", "--out", folder / "out", "-q"], ["check", folder / "out"]):
            done = subprocess.run([program, *command], capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{command[0]} of {platform['node_types'].keys()}, {scenario}: {done.stdout}{done.stderr}")
        return json.loads((folder / "out" / "result.json").read_text())


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    failed = []

    def expect(what, result, seconds):
        found = result["makespan_s"] if isinstance(result, dict) else result
        print(f"{what}: {found:.6g} s, closed form {seconds:.6g} s")
        if abs(found - seconds) > 1e-6 + 1e-6 * seconds:
            failed.append(what)

    one = [("w", 0, 0, [["d", "W"]]), ("r", 1, 0, [["d", "R"]])]
    for beside in (False, True):
        for direct in ("none", "send", "both"):
            # Without affinity a message of a GPU crosses its PCIe link and a card; receives on a GPU need a card beside it.
            seconds = SIZE / CARD
            if direct == "none":
                seconds += SIZE / PCIE
            if direct != "both" or not beside:
                seconds += SIZE / PCIE
            expect(f"cards {'beside GPUs' if beside else 'at the CPU'}, gpu_direct {direct}", run(program, gpu_nodes(beside, direct), one), seconds)

    # Two messages of two GPUs: each over the card beside it, or both over that which the receiver's number chooses.
    two = [(f"w{g}", 0, g, [[f"d{g}", "W"]]) for g in (0, 1)] + [(f"r{g}", 1, g, [[f"d{g}", "R"]]) for g in (0, 1)]
    # Without gpu_direct both take the card that the receiver's number chooses, after copies at the same time.
    expect("two messages from the RAM take one card", run(program, gpu_nodes(True, "none"), two), SIZE / PCIE + 2 * SIZE / CARD + SIZE / PCIE)
    expect("two messages from two GPUs take two cards", run(program, gpu_nodes(True, "send"), two), SIZE / CARD + SIZE / PCIE)
    expect("two messages between two pairs of GPUs take two cards", run(program, gpu_nodes(True, "both"), two), SIZE / CARD)
    # A GPU without room: the message arrives in RAM, over the card's way there, and the tile waits for room in the GPU.
    full = [("f", 1, 0, [["x", "W"]]), *one]
    expect("a full GPU receives in RAM, then writes back to make room", run(program, gpu_nodes(True, "both", 2 * SIZE), full), SIZE / CARD + 2 * SIZE / PCIE)

    # GPUs that compute in the RAM copy nothing on their own NUMA node, and once from another one.
    apus = {"format": "factosim-platform", "version": 1, "network": {},
            "node_types": {"apu": {"cores": 8, "gpus": [{"model": "g"}] * 2, "unified_memory": True, "numa_nodes": 2, "ram_bytes": 10**12, "nic": {"bandwidth_Bps": CARD, "latency_s": 0},
                                   "bus": {"links": [{"name": "x", "bandwidth_Bps": NVLINK, "latency_s": 0}, {"name": "y", "bandwidth_Bps": NVLINK, "latency_s": 0}],
                                           "routes": [{"from": "ram", "to": "ram1", "links": ["x"]}, {"from": "ram1", "to": "ram", "links": ["y"]}]}}},
            "nodes": [{"type": "apu", "count": 1}]}
    expect("an APU: core, then GPU of the same memory", run(program, apus, [("w", 0, None, [["d", "W"]]), ("r", 0, 0, [["d", "R"]])]), 2e-9)
    expect("an APU: GPU, then GPU of the other memory", run(program, apus, [("w", 0, 0, [["d", "W"]]), ("r", 0, 1, [["d", "R"]])]), SIZE / NVLINK)

    # Whole factorizations with every option, models of the network and several nodes: only the auditor judges.
    lu = {"application": {"type": "cholesky", "nt": 8, "nb": 1024}, "distribution": {"type": "block-cyclic", "p": 1, "q": 2}, "scheduler": {"type": "dmdas"}, "runtime": {}}
    for name, direct in (("mi250x", "none"), ("mi250x", "send"), ("mi250x", "both"), ("a100x8", "both"), ("mi300a", "both")):
        for network in ({}, {"preset": "leonardo"}):
            path = pathlib.Path(__file__).resolve().parents[2] / "platforms" / f"{name}.json"
            platform = json.loads(path.read_text())
            node = platform["node_types"][name]
            node["kernels"] = str((path.parent / node["kernels"]).resolve())
            platform["nodes"] = [{"type": name, "count": 2}]
            result = run(program, platform, None, "maxmin", **{**lu, "network": {"gpu_direct": direct, **network}})
            print(f"{name}, gpu_direct {direct}, {network.get('preset', 'its cards')}: {result['makespan_s']:.4f} s, audited")
    if failed:
        print("not as their closed forms: " + "; ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
