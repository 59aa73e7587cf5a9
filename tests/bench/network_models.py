#!/usr/bin/env python3
"""Cost per message and error of the approximate network model on large clusters.

usage: network_models.py PROGRAM [--cases N,NODES ...] [--networks NAME ...]

Simulates LU and Cholesky on nodes of Lille without and with GPUs (35 %), for two distributions and three networks: a switch
that never limits (with at most ten sends per node, and without limit), a backbone of a quarter of all cards, and a fat
tree (16 nodes a leaf, four uplinks of the speed of a card). Prints for each the makespan and CPU time of the models
maxmin (exact), independent_links and constant; the cost of sharing per message (CPU time beyond that of the model
constant); and how far the makespans are from that of maxmin."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CARD = 1.25e9  # bytes per second
UNLIMITED = 1000000  # sends


def platform(folder, network, nodes):
    machine = json.load(open(ROOT / "platforms/lille.json"))
    for node_type in machine["node_types"].values():
        node_type.pop("subnet", None)
        if "kernels" in node_type:
            node_type["kernels"] = str((ROOT / "platforms" / node_type["kernels"]).resolve())
    machine["network"] = {
        "switch": {},
        "backbone": {"backbone": {"bandwidth_Bps": CARD * nodes / 4, "latency_s": 0}},
        "fat tree": {"fat_tree": {"nodes_per_leaf": 16, "uplinks": 4,
                                  "uplink": {"bandwidth_Bps": CARD, "latency_s": 0}}}}[network]
    path = pathlib.Path(folder) / "platform.json"
    path.write_text(json.dumps(machine))
    return path


def grid(nodes):
    p = int(nodes**0.5)
    while nodes % p:
        p -= 1
    return p, nodes // p


def run(program, folder, case, model):
    application, nt, nodes, distribution, sends, network = case
    gpu_nodes = nodes * 35 // 100
    p, q = grid(nodes)
    placed = {"type": "1d1d"} if distribution == "1d1d" else {"type": "block-cyclic", "p": p, "q": q}
    scenario = {
        "format": "factosim-scenario", "version": 1,
        "platform": {"file": str(platform(folder, network, nodes)),
                     "nodes": [{"type": "chifflet", "count": gpu_nodes}, {"type": "chetemi", "count": nodes - gpu_nodes}]},
        "application": {"type": application, "nt": nt, "nb": 960, "precision": "double", "variant": "chameleon"},
        "distribution": placed,
        "scheduler": {"type": "dmdas"},
        "runtime": {"pinning_cost_s": 0, "communication_cores": 0, "ram_limit_bytes": 10**15},
        "network": {"model": model, "wire": "shared", "max_sends_per_node": sends},
        "outputs": {"trace": False}}
    if application != "lu":
        del scenario["application"]["variant"]
    file = pathlib.Path(folder) / "scenario.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run([program, "run", file, "--out", pathlib.Path(folder) / model, "--force"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{case} {model}: {done.stderr}{done.stdout}")
    return json.load(open(pathlib.Path(folder) / model / "result.json"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cases", nargs="+", default=["60,50", "80,200", "100,1000", "120,4000"], help="N,NODES")
    parser.add_argument("--networks", nargs="+", default=["switch", "backbone", "fat tree"])
    arguments = parser.parse_args()
    print(f"{'application':<11} {'N':>4} {'nodes':>5} {'map':<6} {'sends':>5} {'network':<8} {'messages':>8}  "
          f"{'CPU s: constant':>15} {'maxmin':>7} {'indep.':>7}  {'us/message: maxmin':>18} {'indep.':>7}  "
          f"{'makespan s':>10} {'indep. %':>8} {'constant %':>10}")
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for size in arguments.cases:
            nt, nodes = (int(word) for word in size.split(","))
            for application in ["lu", "cholesky"]:
                for network, distribution, sends in [
                        (n, d, s) for n in arguments.networks for d in ["1d1d", "cyclic"]
                        for s in ([10, UNLIMITED] if n == "switch" else [10])]:
                    case = (application, nt, nodes, distribution, sends, network)
                    results = {m: run(arguments.program, folder, case, m)
                               for m in ["constant", "maxmin", "independent_links"]}
                    span = {m: r["makespan_s"] for m, r in results.items()}
                    cpu = {m: r["simulation"]["cpu_s"] for m, r in results.items()}
                    messages = results["maxmin"]["tiles_sent"]
                    cost = {m: 1e6 * (cpu[m] - cpu["constant"]) / messages for m in cpu}
                    error = {m: 100 * (span[m] / span["maxmin"] - 1) for m in span}
                    worst = max(worst, abs(error["independent_links"]))
                    print(f"{application:<11} {nt:>4} {nodes:>5} {distribution:<6} {'10' if sends == 10 else '-':>5} "
                          f"{network:<8} {messages:>8}  {cpu['constant']:>15.2f} {cpu['maxmin']:>7.2f} "
                          f"{cpu['independent_links']:>7.2f}  {cost['maxmin']:>18.2f} {cost['independent_links']:>7.2f}  "
                          f"{span['maxmin']:>10.2f} {error['independent_links']:>8.2f} {error['constant']:>10.2f}",
                          flush=True)
    print(f"largest error of independent_links: {worst:.2f} %")


main()
