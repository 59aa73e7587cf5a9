"""Random documents that factosim accepts: platforms with their kernel timings, scenarios, loops, rings, sweeps."""

POLICIES = ["eager", "prio", "random", "ws", "lws", "dm", "dmda", "dmdar", "dmdap", "dmdas", "dmdasd", "heft", "heteroprio"]
KERNELS = ["getrf", "trsm_ll", "trsm_ru", "gemm", "potrf", "trsm", "syrk", "geqrt", "ormqr", "tpqrt", "tpmqrt"]


def spread(random, low, high):
    """A number between both, evenly by its logarithm, with three digits."""
    return float(f"{low * (high / low) ** random.random():.3g}")


def kernels(random, name):
    """Rates of all kernels on cores, and of most on GPUs."""
    timings = {}
    for kernel in KERNELS:
        rows = [{"precision": "double", "worker": "cpu", "flops_per_second": spread(random, 1e9, 1e11)}]
        if kernel not in ("potrf", "getrf", "geqrt"):
            rows.append({"precision": "double", "worker": "cuda0", "flops_per_second": spread(random, 1e10, 1e12)})
        timings[kernel] = rows
    return {"format": "factosim-kernels", "version": 1, "machine": name, "provenance": "drawn", "estimate": True,
            "kernels": timings}


def node_type(random, name, gpus):
    cores = random.randint(2, 6) + 2 * gpus
    described = {"cores": cores, "ram_bytes": 10 ** 11, "kernels": f"{name}.kernels.json", "estimate": True,
                 "provenance": "drawn",
                 "nic": {"bandwidth_Bps": spread(random, 1e8, 1e10), "latency_s": spread(random, 1e-7, 1e-4)}}
    if random.random() < 0.5:
        described["power"] = {"core_W": random.randint(1, 20), "gpu_W": random.randint(0, 200),
                              "idle_W": random.randint(1, 100), "off_W": random.choice([0, 1])}
    if gpus:
        described["gpus"] = [{"model": "Drawn", "memory_bytes": 10 ** 10}] * gpus
        links, routes = [], []
        for gpu in range(gpus):
            for way, ends in (("up", (f"cuda{gpu}", "ram")), ("down", ("ram", f"cuda{gpu}"))):
                links.append({"name": f"{way}{gpu}", "bandwidth_Bps": spread(random, 1e9, 2e10), "latency_s": 1e-6})
                routes.append({"from": ends[0], "to": ends[1], "links": [f"{way}{gpu}"]})
        described["bus"] = {"links": links, "routes": routes}
    return described


def platform(random, types=None):
    """Returns a platform and the kernel files that it names."""
    names = ["alpha", "beta", "gamma"][:types or random.randint(1, 3)]
    files, described = {}, {}
    for name in names:
        if random.random() < 0.3:
            described[name] = {"cycle_time_s": spread(random, 1e-4, 1e-2), "cores": random.randint(1, 4),
                               "nic": {"bandwidth_Bps": spread(random, 1e8, 1e10), "latency_s": spread(random, 1e-7, 1e-4)}}
        else:
            described[name] = node_type(random, name, random.choice([0, 0, 1, 2]))
            files[f"{name}.kernels.json"] = kernels(random, name)
    if not all("power" in each for each in described.values()):
        for each in described.values():
            each.pop("power", None)
    network = random.choice([{}, {"backbone": {"bandwidth_Bps": spread(random, 1e9, 1e11), "latency_s": 1e-6}},
                             {"fat_tree": {"nodes_per_leaf": 2, "uplinks": 1, "uplink": {"bandwidth_Bps": 1e9, "latency_s": 0}}},
                             {"wire": random.choice(["fifo", "priority"])}])
    nodes = [{"type": name, "count": random.randint(1, 3)} for name in names]
    return {"format": "factosim-platform", "version": 1, "node_types": described, "network": network, "nodes": nodes}, files


def distribution(random, nodes, application, nt):
    kinds = [{"type": "block-cyclic"}, {"type": "1d1d"}, {"type": "g-2dbc"},
             {"type": "1d1d", "speeds": [random.randint(1, 9) for _ in range(nodes)]},
             {"type": "file", "file": "map.txt"}]
    if application in ("lu", "cholesky"):
        kinds += [{"type": "1d1d-c"}, {"type": "1d1d-c+s", "rounds": 2},
                  {"type": "redistribute", "from": [[random.randrange(nodes) for _ in range(nt)] for _ in range(nt)],
                   "target": {}}]
    chosen = random.choice(kinds)
    if chosen["type"] == "redistribute":
        total = nt * (nt + 1) // 2
        cuts = sorted(random.randint(0, total) for _ in range(nodes - 1))
        chosen["target"] = [b - a for a, b in zip([0] + cuts, cuts + [total])]
    return chosen


def scenario(random, nodes, small=False):
    """A factorization or product on p.json; returns it and the map that it may name."""
    kind = random.choice(["lu", "cholesky", "qr", "gemm"])
    nt = random.randint(2, 6 if small else 12)
    application = {"type": kind, "nt": nt, "nb": random.choice([32, 100, 320, 501])}
    if kind == "lu":
        application["variant"] = random.choice(["starpu", "chameleon"])
    if kind == "cholesky":
        application["variant"] = random.choice(["starpu", "chameleon", "starpu-mpi"])
    document = {"format": "factosim-scenario", "version": 1, "name": "drawn", "seed": random.randint(0, 9),
                "platform": "p.json", "application": application,
                "distribution": distribution(random, nodes, kind, nt),
                "scheduler": {"type": random.choice(POLICIES)},
                "network": {"model": random.choice(["maxmin", "maxmin", "simgrid", "constant"]),
                            "broadcast": random.choice(["point-to-point", "binomial", "ring", "cooperative"]),
                            "send_order": random.choice(["priority", "fifo"]),
                            "rendezvous": random.random() < 0.5}}
    if random.random() < 0.3:
        document["runtime"] = {key: spread(random, 1e-7, 1e-4) for key in
                               random.sample(["submission_cost_s", "push_cost_s", "fetch_cost_s", "progress_cost_s"], 2)}
    owners = "\n".join(" ".join(str(random.randint(1, nodes)) for _ in range(nt)) for _ in range(nt))
    return document, f"{nt} {nt}\n{owners}\n"


def ring(random):
    """A ring on a graph of processors, which p.json then is."""
    count = random.randint(3, 6)
    names = [f"P{i}" for i in range(count)]
    links = [{"name": f"l{i}", "from": names[i - 1], "to": names[i], "bandwidth_Bps": spread(random, 1e6, 1e9)}
             for i in range(count)]
    links += [{"name": "x", "from": names[0], "to": names[2], "bandwidth_Bps": 1e7, "direction": random.choice(["full-duplex", "half-duplex"])}]
    graph = {"format": "factosim-platform", "version": 1,
             "graph": {"estimate": True, "provenance": "drawn", "links": links,
                       "processors": [{"name": n, "cycle_time_s": spread(random, 0.1, 10)} for n in names]}}
    return graph, {"format": "factosim-scenario", "version": 1, "platform": "p.json",
                   "application": {"type": "ring", "work": 100, "message_bytes": spread(random, 1e3, 1e8), "iterations": 3,
                                   "method": random.choice(["slice-ring", "shared-ring", "search"]), "refinement": "max-min"}}


def loop(random):
    """A data-parallel loop on one CPU and one GPU, with its costs."""
    rate = {"type": "linear", "startup_s": 1e-3, "operations_per_s": spread(random, 1e9, 1e12)}
    costs = {"format": "factosim-unit-costs", "version": 1, "estimate": True, "provenance": "drawn", "machines": {"m": {
        "cpu": {"class": "cpu", "model": "c", "kernels": {"k": rate}},
        "cuda0": {"class": "gpu", "model": "g", "kernels": {"k": {"type": "saturating", "startup_s": 1e-3,
                                                                  "operations_per_s": 1e12, "ramp_operations": 1e9}}}}}}
    machine = {"format": "factosim-platform", "version": 1, "network": {}, "nodes": [{"type": "m", "count": 2}],
               "node_types": {"m": node_type(random, "m", 1)}}
    machine["node_types"]["m"]["kernels"] = "absent.json"
    return machine, costs, {"format": "factosim-scenario", "version": 1, "platform": "p.json", "network": {"model": "maxmin"},
                            "application": {"type": "data-parallel", "costs": "costs.json", "deviation": 0.02,
                                            "balancer": random.choice(["plb-hac", "hdss", "greedy", "guided", "static"]),
                                            "loop": {"kernel": "k", "chunks": 1000, "operations_per_chunk": 1e8,
                                                     "bytes_in_per_chunk": 1e4, "bytes_out_per_chunk": 1e3}}}


def sweep(random):
    points = random.choice([
        {"/seed": [1, 2, 3]}, {"product": [{"/application/nt": {"from": 2, "to": 4}}, {"/scheduler/type": ["eager", "lws"]}]},
        {"zip": [{"/seed": [1, 2]}, {"/application/nt": [3, 4]}]},
        {"list": [{"/seed": 1, "labels": {"a": "b"}}, {"/seed": 2, "labels": {"a": 1}}]},
        {"chain": [{"/seed": [5]}, {"/application/nt": [2]}]}])
    return {"format": "factosim-sweep", "version": 1, "name": "drawn", "scenario": "s.json", "points": points,
            "filters": [["<=", "/application/nt", 40], ["not", ["==", ["nodes"], 99]]], "replicas": random.choice([1, 2]),
            "max_points": 50, "plots": [{"x": "seed", "y": "makespan_s"}]}
