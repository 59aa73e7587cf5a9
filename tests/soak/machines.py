"""Draws machines: node types with their kernel timings, buses and networks, and node types that the project ships."""

import json
import pathlib

from tables import SKIP, branches, spread

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ["getrf", "trsm_ll", "trsm_ru", "gemm", "potrf", "trsm", "syrk", "geqrt", "ormqr", "tpqrt", "tpmqrt", "dcmg", "dcmg_bessel", "mdet",
           "dot", "geadd", "gemv", "trsv"]
ON_CORES = ("potrf", "getrf", "geqrt", "dcmg", "dcmg_bessel", "mdet", "dot")
PRECISIONS = ["double", "single", "tf32", "half", "bfloat16", "fp8"]
NEEDED = {"lu": "getrf", "cholesky": "potrf", "qr": "geqrt", "gemm": "gemm", "syrk": "syrk", "exageostat": "dcmg"}
CHUNK = 32 * 1024 * 1024  # bytes, of GPU memory from which small tiles are cut


def presets(kind):
    """Names of the shipped files of a kind: disks, networks."""
    return sorted(path.stem for path in (ROOT / "platforms" / kind).glob("*.json"))


def shipped():
    """Returns node types by platform with their kernels: (platform, type, description, kernels)."""
    found = []
    for path in sorted((ROOT / "platforms").glob("*.json")):
        for name, described in json.loads(path.read_text()).get("node_types", {}).items():
            if "kernels" in described:
                kernels = json.loads((path.parent / described["kernels"]).read_text())
                found.append((path.stem, name, described, kernels))
    return found


def sizes(kernels, kernel):
    """Tile sizes of the timings of a kernel in double precision; 0 stands for a rate, which fits all."""
    return {row.get("nb", 0) for row in kernels["kernels"].get(kernel, []) if row["precision"] == "double"}


def timings(draw, name, gpus, nb):
    """Rates of all kernels in all precisions, or measured means of tiles of `nb`; GPUs lack some kernels."""
    measured = draw.random() < 0.3
    slow = draw.random() < 0.2
    out = {}
    for kernel in KERNELS:
        rows = []
        for precision in PRECISIONS:
            for worker in ["cpu", "cuda0"] if gpus and (kernel not in ON_CORES or draw.random() < 0.1) else ["cpu"]:
                rate = spread(draw, 1e9, 1e11) * (1 if worker == "cpu" else 10)
                row = {"precision": precision, "worker": worker}
                if measured:
                    mean = 2 * nb ** 3 / rate
                    row |= {"nb": nb, "mean_s": mean, "deviation_s": mean / 20, "samples": 3, "samples_s": [mean * 0.9, mean, mean * 1.1],
                            "first_samples_s": [mean * 1.5]}
                else:
                    row["flops_per_second"] = rate
                if slow and worker == "cpu":
                    row["slowdown"] = {"1": 1, "4": 1.3}
                rows.append(row)
        out[kernel] = rows
    described = {"format": "factosim-kernels", "version": 1, "machine": name, "provenance": "drawn", "estimate": True, "kernels": out}
    if measured:
        described["variability"] = {"worker_deviation": 0.03, "runs": 1}
    return described


def link(draw, low=1e8, high=1e10):
    return {"bandwidth_Bps": spread(draw, low, high), "latency_s": draw.choice([0, spread(draw, 1e-7, 1e-4)])}


def bus(draw, memories):
    """Links each way between RAM and each other memory, some between others, sometimes one that all copies share."""
    pairs = [(a, b) for a in memories for b in memories if a != b and ("ram" in (a, b) or draw.random() < 0.3)]
    shared = draw.random() < 0.2
    links = [{"name": f"{a}-{b}", **link(draw, 1e9, 3e10)} for a, b in pairs] + [{"name": "host", "bandwidth_Bps": 1.2e10, "latency_s": 0}] * shared
    routes = [{"from": a, "to": b, "links": [f"{a}-{b}"] + ["host"] * shared} for a, b in pairs]
    if draw.random() < 0.3:  # messages of this memory do not cross the RAM
        routes += [{"from": memories[1], "to": "nic0", "links": [f"{memories[1]}-ram"]}, {"from": "nic0", "to": memories[1], "links": [f"ram-{memories[1]}"]}]
    out = {"links": links, "routes": routes}
    if draw.random() < 0.2:
        values = [[0 if a == b else spread(draw, 1e9, 2e10) for a in memories] for b in memories]
        out["predicted"] = {"bandwidth_Bps": values, "latency_s": [[0 if v == 0 else 1e-6 for v in row] for row in values]}
    if draw.random() < 0.2:
        out["parallel_copies"] = True
    return out


def node_type(drawer, case, name, path):
    """A node type with cores, GPUs of small or large memory, one or several NUMA nodes; the other keys are drawn from their table."""
    draw, definition = drawer.draw, drawer.definitions["node-type"]
    if draw.random() < 0.2:
        forced = {"cycle_time_s": spread(draw, 1e-5, 1e-2), "cores": draw.randint(1, 4), "nic": link(draw)}
        return drawer.object(definition, path, "node-type", forced)
    definition = branches(definition)[-1][2]
    gpus, numa, unified = draw.choice([0, 0, 1, 1, 2, 3]), draw.choice([1, 1, 1, 2]), draw.random() < 0.15
    tile = 8 * case.nb * case.nb
    small = int(max(draw.randint(15, 40) * tile, CHUNK) / 0.9) + 1
    forced = {"cores": draw.randint(2, 6) + 2 * gpus + numa, "ram_bytes": 10 ** 11, "nic": link(draw), "kernels": f"{name}.kernels.json"}
    memories = ["ram"] + [f"ram{i}" for i in range(1, numa)]
    if numa > 1:
        forced["numa_nodes"] = numa
    if gpus and unified:
        forced |= {"unified_memory": True, "gpus": [{"model": "D"} for _ in range(gpus)]}
    elif gpus:
        forced["gpus"] = [{"model": "D", "memory_bytes": draw.choice([10 ** 10, small])} for _ in range(gpus)]
        memories += [f"cuda{i}" for i in range(gpus)]
    if len(memories) > 1:
        forced["bus"] = bus(draw, memories)
    case.files[f"{name}.kernels.json"] = timings(draw, name, gpus, case.nb)
    return drawer.object(definition, path, "node-type", forced)


def platform(drawer, case, counts):
    """Writes p.json with as many types as there are counts; sets the size of the tiles, and the kinds of nodes."""
    draw = drawer.draw
    kernel = NEEDED.get(case.kind, "gemm")
    types, network = {}, None
    case.nb = draw.choice([32, 100, 320, 501, 960])
    if draw.random() < 0.25 and case.kind not in ("graph", "ring", "data-parallel"):
        suited = [each for each in shipped() if sizes(each[3], kernel) & {0, 320, 960}]
        chosen = draw.sample(suited, min(len(counts), len(suited)))
        common = set.intersection(*({320, 960} if 0 in sizes(k, kernel) else sizes(k, kernel) for _, _, _, k in chosen))
        chosen = chosen if common else chosen[:1]
        case.nb = draw.choice(sorted(common or sizes(chosen[0][3], kernel) or {960})) or 960
        for _, name, described, kernels in chosen:
            types[name] = {**described, "kernels": f"{name}.kernels.json"}
            types[name].pop("subnet", None)
            case.files[f"{name}.kernels.json"] = kernels
        counts = counts[:len(chosen)]
    else:
        for name in ["romeo", "sierra", "tango"][:len(counts)]:
            types[name] = node_type(drawer, case, name, ("node_types", name))
        if not all("power" in each for each in types.values()):
            for each in types.values():
                each.pop("power", None)
                each.pop("gpu_caps_W", None)
    network = drawer.value({"$ref": "#/$defs/network-of-a-platform"}, ("network",))
    for each in types.values():
        if "subnets" in network and draw.random() < 0.7:
            each["subnet"] = draw.choice(network["subnets"])["name"]
    case.nodes = [name for name, count in zip(types, counts) for _ in range(count)]
    nodes = [{"type": name, "count": count} for name, count in zip(types, counts)]
    case.files["p.json"] = {"format": "factosim-platform", "version": 1, "node_types": types, "network": network, "nodes": nodes}
    return case


def network_suppliers(case):
    """What the tables do not say about networks of platforms."""
    def fat_tree(drawer, path):
        draw = drawer.draw
        one = {"nodes_per_leaf": draw.randint(1, 3), "uplinks": draw.randint(1, 2), "uplink": link(draw)}
        several = {"levels": [{"down": draw.randint(1, 3), "up": draw.randint(1, 2), "uplink": link(draw)} for _ in range(2)]}
        routing = {"routing": draw.choice(drawer.definitions["fat_tree"]["properties"]["routing"]["enum"])} if draw.random() < 0.5 else {}
        return {**draw.choice([one, several]), **routing}

    def efficiency(drawer, path):
        if drawer.draw.random() < 0.5:
            return {"half_bandwidth_bytes": spread(drawer.draw, 1, 1e7)}
        speed = min((each["nic"]["bandwidth_Bps"] for each in case.files.get("p.json", {}).get("node_types", {}).values()
                     if isinstance(each["nic"], dict)), default=1e9)
        return {"bytes": [1000, 1000000], "bandwidth_Bps": [speed / 10, speed]}

    def subnets(drawer, path):
        return [{"name": f"s{i}", "uplink": link(drawer.draw)} for i in range(drawer.draw.randint(1, 2))]

    def disk(drawer, path):
        return drawer.draw.choice([drawer.draw.choice(presets("disks")), drawer.value({"$ref": "#/$defs/disk"}, path)])

    left_out = {f"node-type/{key}": lambda drawer, path: SKIP for key in ("subnet", "bus", "gpus", "numa_nodes", "unified_memory")}
    preset = lambda drawer, path: drawer.draw.choice(presets("networks"))
    return {**left_out, "network-of-a-platform/fat_tree": fat_tree, "network-of-a-platform/efficiency": efficiency,
            "network-of-a-platform/subnets": subnets, "network-of-a-platform/preset": preset, "network/preset": preset,
            "node-type/disk": disk, "runtime/disk": disk,
            "disk/size_bytes": lambda drawer, path: 10 ** 12, "power/kernels": lambda drawer, path: {"gemm": {"core_W": 3}},
            "power/gpu_speeds": lambda drawer, path: [{"cap_W": 50, "speed": 0.5}, {"cap_W": 100, "speed": 1}],
            "node-type/gpu_caps_W": lambda drawer, path: 75}
