"""Changed copies of the files of a case, whose runs are known from the run of the case."""

import copy
import json
import os
import random

import machines
import scenarios

TIMES = ("_s", "_s_per_MiB", "seconds", "cycle_times", "runtimeInSeconds")
RATES = ("_Bps", "flops_per_second", "operations_per_s", "speed_per_s", "rates")
FABRICS = ("fat_tree", "dragonfly", "dragonfly_plus", "preset", "merge")


def slower(item, factor, key=""):
    """Returns a document with all times multiplied and all rates divided."""
    if isinstance(item, dict):
        return {name: slower(value, factor, name) for name, value in item.items()}
    if isinstance(item, list):
        return [slower(each, factor, key) for each in item]
    if isinstance(item, (int, float)) and not isinstance(item, bool):
        return item / factor if key.endswith(RATES) else item * factor if key.endswith(TIMES) else item
    return item


def strings(item, key=""):
    """Every text of a document with its key."""
    if isinstance(item, dict):
        return [found for name, value in item.items() for found in strings(value, name)]
    if isinstance(item, list):
        return [found for each in item for found in strings(each, key)]
    return [(key, item)] if isinstance(item, str) else []


def mixes_weights(item):
    """Whether copies share the links of a bus some of which have no latency: as in SimGrid such a copy weighs 1, others weigh the
    inverse of their latency in seconds, so that shares depend on the unit of time."""
    if isinstance(item, dict):
        links = item.get("links", [])
        waits = {bool(each.get("latency_s")) for each in links if isinstance(each, dict) and "latency_s" in each} if "routes" in item else ()
        return len(waits) > 1 or any(map(mixes_weights, item.values()))
    return isinstance(item, list) and any(map(mixes_weights, item))


def scaled(case, run, factor):
    """The files with all times multiplied, also those that are defaults; None where some have no place in the files."""
    scenario = copy.deepcopy(case.scenario)
    named = [key for name in ("s.json", "p.json") for key, _ in strings(case.files.get(name, {})) if key in ("preset", "disk", "nic")]
    drawn = isinstance(scenario.get("platform"), dict) and "random" in scenario["platform"]
    if case.kind == "trace" or named or drawn or "n.xml" in case.files or mixes_weights(case.files.get("p.json", {})):
        return None
    runtime = dict(scenario.get("runtime", {}))
    if case.kind not in ("ring", "data-parallel"):
        of_run = run.options("runtime")
        if of_run.get("out_of_core") and "disk" not in runtime:
            disk = json.loads((machines.ROOT / "platforms/disks/sata-ssd.json").read_text())
            runtime["disk"] = {key: disk[key] for key in ("read", "write")}
            if any("disk" in each for each in case.files["p.json"]["node_types"].values()):
                return None
        for key, text in case.defaults.items():
            value = runtime.get(key, of_run.get(key, text))
            if value and not (key == "pinning_cost_s" and (runtime | of_run).get("host_alloc_cost_s_per_MiB")):
                runtime[key] = value
        scenario["runtime"] = runtime
    application = scenario["application"]
    for place, defaults in ((application.get("tile_formats"), {"core_conversion_Bps": 1e10, "gpu_conversion_Bps": 5e11}),
                            (scenario["distribution"] if scenarios.type_of(scenario, "distribution") == "layers" else None, {"addition_Bps": 8e9})):
        if isinstance(place, dict):
            place.update({key: place.get(key, value) for key, value in defaults.items()})
    if case.kind == "graph" and application["file"].endswith((".stg", ".dot")):
        application.setdefault("time_unit_s", 1)
    files = {name: slower(content, factor) if isinstance(content, dict) else content for name, content in {**case.files, "s.json": scenario}.items()}
    for name, content in case.files.items():
        if name in ("g.jsonl", "g.json"):
            files[name] = "".join(json.dumps(slower(json.loads(line), factor)) + "\n" for line in content.splitlines())
    return files


def other_keys(files):
    """The files with the keys of all documents in the opposite order, and other spaces."""
    turn = lambda content: json.dumps(json.loads(json.dumps(content), object_pairs_hook=lambda pairs: dict(reversed(pairs))), indent=3)
    return {name: turn(content) if isinstance(content, dict) else content for name, content in files.items()}


def other_names(case):
    """The files with node types of other names, whose order is another one; None without node types."""
    types = list(case.files.get("p.json", {}).get("node_types", {}))
    if not types or case.kind == "trace" or "merge" in json.dumps(case.scenario.get("platform")):
        return None
    new = [f"{letter} type" for letter in "zyxw"[:len(types)]]
    files = {}
    for name, content in case.files.items():
        if isinstance(content, dict):
            text = json.dumps(content)
            for old, other in zip(types, new):
                text = text.replace(f'"{old}"', f'"{other}"')
            content = text
        files[name] = content
    return files


def idle_type(case):
    described = {"cycle_time_s": 1e-3, "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6}}
    if any("power" in each for each in case.files["p.json"]["node_types"].values()):
        described["power"] = {"core_W": 1, "idle_W": 1}
    return described


def with_unused_type(case):
    if "node_types" not in case.files.get("p.json", {}) or case.kind == "trace":
        return None
    described = copy.deepcopy(case.files["p.json"])
    described["node_types"]["idle"] = idle_type(case)
    return {**case.files, "p.json": described}


def with_map(case, tiles):
    return {**case.files, "owners.txt": tiles, "s.json": {**case.scenario, "distribution": {"type": "file", "file": "owners.txt"}}}


def with_idle_nodes(case, files):
    """Two more nodes, of a type of their own."""
    described = copy.deepcopy(case.files["p.json"])
    networks = {**described["network"], **case.scenario.get("network", {})}
    if case.scenario["platform"] != "p.json" or len(case.nodes) < 2 or any(key in networks for key in (*FABRICS, "simgrid_xml")) or case.kind == "exageostat":
        return None
    described["node_types"]["idle"] = idle_type(case)
    described["nodes"].append({"type": "idle", "count": 2})
    return {**files, "p.json": described}


def permuted(files, tiles, count):
    """The map with the nodes in another order, and the new number of each."""
    new = list(range(count))
    random.Random(tiles).shuffle(new)
    head, *rows = tiles.splitlines()
    rows = [" ".join(str(new[int(owner) - 1] + 1) for owner in row.split()) for row in rows if row.split()]
    return {**files, "owners.txt": "\n".join([head, *rows]) + "\n"}, new


def graph_of(case, run, path):
    """The scenario that runs an exported graph with all that the application has chosen."""
    scenario = {key: value for key, value in case.scenario.items() if key not in ("distribution", "detail", "application", "outputs")}
    scenario["runtime"] = {**run.options("runtime"), **scenario.get("runtime", {})}
    if scenario["runtime"].get("host_alloc_cost_s_per_MiB"):
        scenario["runtime"].pop("pinning_cost_s", None)
    scenario["application"] = {"type": "graph", "file": path, "durations": "platform"}
    if os.path.isdir(path):  # tables have no head
        scenario["application"] |= {"nb": case.nb, "precision": case.scenario["application"].get("precision", "double"), "timings_of": case.kind}
    return {**case.files, "s.json": scenario}
