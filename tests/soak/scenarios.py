"""Draws scenarios of every application with the files that they name. The same seed and number give the same scenario."""

import json
import random

import machines
from tables import SKIP, Drawer, Wishes, enumeration, branches, spread

KINDS = ("scenario", "platform")
# Node counts and applications for which a distribution exists, where that is not any.
SUITED = {"sbc": ([1, 2, 3, 6, 8, 10], ["cholesky"]), "triangle-blocks": ([6, 7], ["cholesky", "syrk"]), "lp-multiphase": (None, ["exageostat"]),
          "1d1d-c": (None, ["lu", "cholesky"]), "1d1d-c+s": (None, ["lu", "cholesky"]), "1d1d-l": (None, ["lu", "cholesky"]),
          "redistribute": (None, ["lu", "cholesky"]), "layers": ([2, 3, 4, 5, 6], None)}
OTHERS = ["trace", "graph", "ring", "data-parallel"]  # applications without tiles of a matrix


def type_of(scenario, section):
    """The type of a section of a scenario, which may be a bare name; None without one."""
    value = scenario.get(section, {})
    return value if isinstance(value, str) else value.get("type")


class Case:
    """A scenario, `s.json`, with its files (documents, text or bytes by name), and the keys that may be taken away again."""

    def __init__(self, kind):
        self.kind, self.files, self.trail, self.nodes, self.nt, self.nb = kind, {}, [], [], 1, 320

    @property
    def scenario(self):
        return self.files["s.json"]

    def type_of(self, section):
        return type_of(self.scenario, section)

    def text(self, name):
        content = self.files[name]
        return content if isinstance(content, (str, bytes)) else json.dumps(content)


def number_list(draw, count):
    return [draw.randint(1, 9) for _ in range(count)]


def distribution_suppliers(case):
    """Lists by node, grids that use all nodes, maps."""
    def supply(name, of_layer):
        count = len(case.nodes)
        rows = {}

        def grid(drawer, path):
            used = max(1, count // 2) if of_layer else count
            row = rows.setdefault(path[:-1], drawer.draw.choice([p for p in range(1, used + 1) if used % p == 0]))
            return row if path[-1] == "p" else used // row

        def by_node(drawer, path):
            return "gemm" if of_layer or drawer.draw.random() < 0.3 else number_list(drawer.draw, count)

        def rates(drawer, path):
            return "gemm" if of_layer or drawer.draw.random() < 0.3 else [1e9 * each for each in number_list(drawer.draw, count)]

        def cycle_times(drawer, path):
            return SKIP if of_layer else drawer.draw.choice([number_list(drawer.draw, count), {"random": drawer.draw.randint(0, 9)}])

        def tiles(drawer, path):
            case.files["map.txt"] = "\n".join([f"{case.nt} {case.nt}", *(" ".join(str(drawer.draw.randint(1, count)) for _ in range(case.nt))
                                                                        for _ in range(case.nt))]) + "\n"
            return "map.txt"

        def panel(drawer, path):
            return {"rows": drawer.draw.randint(1, max(1, case.nt)), "columns": drawer.draw.randint(1, max(1, case.nt))}

        def target(drawer, path):
            total = case.nt * (case.nt + 1) // 2
            cuts = sorted(drawer.draw.randint(0, total) for _ in range(count - 1))
            return [b - a for a, b in zip([0, *cuts], [*cuts, total])]

        def nodes(drawer, path):
            order = drawer.draw.sample(range(count), count)
            return [order[:max(1, count // 2)], order[max(1, count // 2):]]

        return {f"{name}/p": grid, f"{name}/q": grid, f"{name}/speeds": by_node, f"{name}/rates": rates, f"{name}/cycle_times": cycle_times,
                f"{name}/file": tiles, f"{name}/panel": panel, f"{name}/target": target, f"{name}/nodes": nodes,
                f"{name}/from": lambda drawer, path: [[drawer.draw.randrange(count) for _ in range(case.nt)] for _ in range(case.nt)],
                f"{name}/layers": lambda drawer, path: drawer.draw.choice([1, 2, 2, min(3, count)]),
                f"{name}/shares": lambda drawer, path: [2, 1], f"{name}/simulations": lambda drawer, path: drawer.draw.choice([0, 1, 4]),
                f"{name}/layer": lambda drawer, path: drawer.value({"$ref": "#/$defs/layer"}, path),
                f"{name}/generation": lambda drawer, path: SKIP if name == "generation" or case.kind != "exageostat"
                else drawer.value({"$ref": "#/$defs/generation"}, path)}
    return {**supply("distribution", False), **supply("generation", False), **supply("layer", True)}


def application_suppliers(case):
    """Sizes that keep runs small, formats of tiles, graphs of tasks, rings, loops."""
    def bands(drawer, path):
        draw = drawer.draw
        band = lambda below: {k: v for k, v in (("below", below), ("precision", draw.choice(machines.PRECISIONS)),
                                                ("rank", draw.randint(1, case.nb) if draw.random() < 0.4 else None)) if v}
        return [band(below) for below in sorted(draw.sample(range(1, 9), draw.randint(0, 2)))] + [band(None)]

    def formats(drawer, path):
        draw = drawer.draw
        rows = [f"{m},{n},{draw.choice(['double', 'single', 'half'])},{draw.choice([0, 0, 5])}" for m in range(case.nt) for n in range(m)]
        case.files["formats.csv"] = "\n".join(["m,n,precision,rank", *rows]) + "\n"
        return "formats.csv"

    return {"application/nt": lambda drawer, path: case.nt, "application/nb": lambda drawer, path: case.nb,
            "application/n": lambda drawer, path: case.nt * case.nb - drawer.draw.randint(0, case.nb - 1),
            "application/iterations": lambda drawer, path: drawer.draw.randint(1, 2 if case.kind == "exageostat" else 5),
            "application/nu": lambda drawer, path: drawer.draw.choice([0.5, 1.5, 0.7]),
            "application/file": lambda drawer, path: graph_file(drawer, len(case.nodes)), "application/format": lambda drawer, path: SKIP, "tile_formats/bands": bands, "tile_formats/file": formats,
            "application/timings_of": lambda drawer, path: "lu", "application/time_unit_s": lambda drawer, path: spread(drawer.draw, 1e-4, 1e-2),
            "tile_formats/precisions": lambda drawer, path: machines.PRECISIONS[:drawer.draw.randint(1, 4)],
            "covariance/samples": lambda drawer, path: drawer.draw.choice([2, 8, 32]), "covariance/smoothness": lambda drawer, path: 0.5,
            "nested_tasks/tile": lambda drawer, path: case.nb // drawer.draw.choice([2, 4]), "nested_tasks/split": lambda drawer, path: drawer.draw.choice([2, 4]),
            "application/order": lambda drawer, path: [f"P{i}" for i in range(4)],
            "application/costs": lambda drawer, path: "costs.json", "application/master": lambda drawer, path: drawer.draw.randrange(len(case.nodes)),
            "application/message_bytes": lambda drawer, path: drawer.draw.choice([0, 1000, 10 ** 6]),
            "application/work": lambda drawer, path: spread(drawer.draw, 1, 1000), "loop/kernel": lambda drawer, path: "k",
            "loop/chunks": lambda drawer, path: drawer.draw.choice([1, 10, 300]), "loop/n": lambda drawer, path: drawer.draw.choice([16, 1000]),
            "loop/operations_per_chunk": lambda drawer, path: spread(drawer.draw, 1e6, 1e9),
            "loop/points": lambda drawer, path: 10 ** 5, "event/worker": lambda drawer, path: drawer.draw.choice(["0:cpu", "0:cuda0"]),
            "random-graph/processors": lambda drawer, path: drawer.draw.randint(3, 6), "random-graph/routers": lambda drawer, path: 1,
            "random-graph/speed_per_s": lambda drawer, path: [1, 10], "random-graph/bandwidth_Bps": lambda drawer, path: [1e6, 1e8]}


def graph_file(drawer, nodes):
    """A random graph of tasks on tiles, with durations or kernels of the platform, in one of several formats; nodes and owners where the format has them."""
    draw = drawer.draw
    used = draw.choice([1, nodes])
    count = draw.randint(1, 30)
    before = {i: sorted(draw.sample(range(i), min(i, draw.randint(0, 2)))) for i in range(count)}
    seconds = [draw.choice([0, spread(draw, 1e-4, 1e-2)]) if i else 0.01 for i in range(count)]
    form = draw.choice(["jsonl", "dot", "stg", "json"])
    if form == "jsonl":
        timed = draw.random() < 0.6
        recorded = draw.random() < 0.5
        lines = [{"format": "factosim-graph", "version": 2 if recorded else 1, "name": "drawn", "nb": 320, "precision": "double"}]
        lines += [{"data": f"d{i}", "bytes": 10 ** draw.randint(0, 6), "m": i, "n": 0, "owner": draw.randrange(used)} | ({"ordered": False} if recorded and draw.random() < 0.2 else {})
                  for i in range(4)]
        modes = ["R", "W", "RW"] + (["RWC", "WC", "X", "S"] if recorded else [])
        for i in range(count):
            task = {"task": i, "kernel": draw.choice(["gemm", "trsm"]), "priority": draw.randint(0, 9), "node": draw.randrange(used),
                    "accesses": [[f"d{d}", draw.choice(modes)] for d in draw.sample(range(4), draw.randint(1, 3))], "depends_on": before[i]}
            if timed:
                task |= {"cpu_s": seconds[i], "cuda_s": seconds[i] / 5}
            elif draw.random() < 0.2:
                task["barrier"] = True
            if recorded and i and draw.random() < 0.2:
                other = draw.randrange(i)
                lines.append(draw.choice([{"wait": "all"}, {"wait": [other]}, {"wont_use": "d0"}, {"flush": "d1"}, {"flush": "all"}]))
                task |= draw.choice([{"submitted_by": other}, {"workers": [0]}, {"ordered": False}])
            lines.append(task)
        drawer.extra["g.jsonl"] = "\n".join(json.dumps(each) for each in lines) + "\n"
    elif form == "dot":
        drawer.extra["g.dot"] = "\n".join(["digraph g {", *(f'{i} [size="{1e9 * (seconds[i] + 1e-4)}"];' for i in range(count)),
                                           *(f'{j} -> {i} [size="{10 ** draw.randint(0, 6)}"];' for i in range(count) for j in before[i]), "}"]) + "\n"
    elif form == "stg":
        rows = [f"0 0 0", *(f"{i + 1} {max(1, int(1e3 * seconds[i]))} {max(1, len(before[i]))} {' '.join(str(j + 1) for j in before[i]) or 0}" for i in range(count))]
        drawer.extra["g.stg"] = "\n".join([str(count), *rows, f"{count + 1} 0 {count} {' '.join(str(i + 1) for i in range(count))}"]) + "\n"
    else:
        tasks = [{"name": f"t{i}", "id": f"t{i}", "type": "compute", "runtimeInSeconds": seconds[i], "parents": [f"t{j}" for j in before[i]],
                  "children": [f"t{k}" for k in range(count) if i in before[k]], "files": []} for i in range(count)]
        drawer.extra["g.json"] = json.dumps({"name": "drawn", "schemaVersion": "1.4", "workflow": {
            "specification": {"tasks": [{k: t[k] for k in ("name", "id", "parents", "children")} | {"inputFiles": [], "outputFiles": []} for t in tasks], "files": []},
            "execution": {"makespanInSeconds": 1, "executedAt": "2026-01-01T00:00:00Z", "tasks": [{"id": t["id"], "runtimeInSeconds": t["runtimeInSeconds"]} for t in tasks], "machines": []}}})
    return next(reversed(drawer.extra))


def scenario_suppliers(case):
    """The platform, sizes of memories by tiles, and files of networks."""
    tile = 8 * case.nb * case.nb

    def platform(drawer, path):
        if case.kind == "ring":
            return "p.json" if "p.json" in case.files else drawer.value({"$ref": "#/$defs/platform-of-a-ring"}, path)
        if drawer.draw.random() < 0.6 and not drawer.wishes.has("s.json", path):
            return "p.json"
        drawer.trail.append(("s.json", path))
        return drawer.value({"$ref": "#/$defs/platform-of-a-scenario"}, path)

    def detail(drawer, path):
        wished = drawer.wishes.has("s.json", path)
        return drawer.value({"$ref": "#/$defs/detail"}, path) if wished or drawer.draw.random() < 0.2 else SKIP

    def nodes(drawer, path):
        return [{"type": name, "count": case.nodes.count(name)} for name in dict.fromkeys(case.nodes)]

    def xml(drawer, path):
        links = [f'<link id="l{i}" bandwidth="{spread(drawer.draw, 1e8, 1e10)}Bps" latency="1us"/>' for i in range(len(case.nodes))]
        hosts = [f'<host id="h{i}" speed="1Gf"/>' for i in range(len(case.nodes))]
        routes = [f'<route src="h{i}" dst="h{j}"><link_ctn id="l{i}"/><link_ctn id="l{j}"/></route>' for j in range(len(hosts)) for i in range(j)]
        case.files["n.xml"] = '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' + \
            f'<platform version="4.1"><zone id="z" routing="Full">{"".join(hosts + links + routes)}</zone></platform>\n'
        return "n.xml"

    memory = lambda drawer, path: tile * drawer.draw.choice([8, 15, 40, 10 ** 4])
    first = case.nodes[0] if case.nodes else ""
    return {"scenario/platform": platform, "scenario/detail": detail, "scenario/name": lambda drawer, path: "drawn", "scenario/seed": lambda drawer, path: drawer.draw.randint(0, 99),
            "platform-of-a-scenario/file": lambda drawer, path: "p.json", "platform-of-a-scenario/nodes": nodes,
            "platform-of-a-scenario/merge": lambda drawer, path: ["p.json", {"file": "p.json", "prefix": "other-"}],
            "platform-of-a-scenario/node_types": lambda drawer, path: {"variant": {"of": first, "cores": drawer.draw.randint(3, 9)}},
            "platform-of-a-scenario/power": lambda drawer, path: {name: drawer.value({"$ref": "#/$defs/power"}, (*path, name)) for name in dict.fromkeys(case.nodes)},
            "platform-of-a-scenario/gpu_caps_W": lambda drawer, path: {first: 75}, "simgrid_xml/file": xml,
            "simgrid_xml/hosts": lambda drawer, path: [f"h{i}" for i in range(len(case.nodes))], "simgrid_xml/prefix": lambda drawer, path: "h",
            "runtime/ram_limit_bytes": memory, "scheduler/file": lambda drawer, path: "schedule.json",
            "runtime/preallocated_ram_fraction": lambda drawer, path: drawer.draw.choice([0, 0.01, 0.5]),
            "runtime/workers_per_gpu": lambda drawer, path: drawer.draw.randint(1, 3),
            "outputs/trace": lambda drawer, path: SKIP, "efficiency/bytes": lambda drawer, path: SKIP}


def experiment_files(draw, case, definitions):
    """The graph of processors of a ring, or the costs of a loop."""
    if case.kind == "ring" and draw.random() < 0.5:
        links = [{"name": f"l{i}", "from": f"P{i}", "to": f"P{(i + 1) % 4}", "bandwidth_Bps": spread(draw, 1e6, 1e9), "latency_s": draw.choice([0, 1e-4]),
                  "direction": draw.choice(["half-duplex", "full-duplex"])} for i in range(4)]
        case.files["p.json"] = {"format": "factosim-platform", "version": 1, "graph": {
            "links": links, "processors": [{"name": f"P{i}", "cycle_time_s": spread(draw, 0.1, 10)} for i in range(4)]}}
    elif case.kind == "data-parallel":
        def curve():
            one = {"startup_s": 1e-3, "operations_per_s": spread(draw, 1e9, 1e12)}
            return draw.choice([{"type": "linear", **one}, {"type": "saturating", **one, "ramp_operations": 1e8},
                                {"type": "samples", "operations": [1e6, 1e8, 1e10], "seconds": [1e-3, 1e-2, 1]}])
        unit = lambda kind: {"class": kind, "model": "m", "kernels": {k: curve() for k in ("k", "matmul", "grn", "kmeans")}}
        types = case.files["p.json"]["node_types"]
        with_memory = [name for name in types if types[name].get("gpus") and not types[name].get("unified_memory")]
        case.files["costs.json"] = {"format": "factosim-unit-costs", "version": 1, "estimate": True, "provenance": "drawn", "machines": {
            name: {"cpu": unit("cpu"), **({"cuda0": unit("gpu")} if name in with_memory else {})} for name in dict.fromkeys(case.nodes)}}


def drawn(definitions, seed, number, applications=None, wishes=None):
    """Returns the case of a number, of one of the applications, and the random numbers that go on from there. It has the features that
    are wished for where nothing else in it excludes them."""
    wishes = Wishes(wishes)
    draw = random.Random(f"{seed} {number}")
    tables = definitions["scenario"]
    names = enumeration(branches(tables["application"])[0][2]["properties"]["type"])
    names = wishes.among("s.json", ("application", "type"), names)
    kind = draw.choice([name for name in names for _ in range(1 if name in OTHERS else 4) if name in (applications or names)] or applications)
    distribution = draw.choice(wishes.among("s.json", ("distribution", "type"), enumeration(branches(tables["distribution"])[0][2]["properties"]["type"])))
    counts, kinds = SUITED.get(distribution, (None, None))
    if kinds and kind not in OTHERS and kind not in kinds:
        kind = draw.choice([each for each in kinds if each in (applications or kinds)] or [kind])
    case = Case(kind)
    case.defaults = {key: value["default"] for key, value in tables["runtime"]["properties"].items()
                     if "_s" in key and isinstance(value.get("default"), float) and "fraction" not in key}
    recorded = draw.choice(["lu", "cholesky", "gemm"]) if kind == "trace" else kind  # a trace is made by a run of this one
    total = draw.choice(counts) if counts else draw.choice([1, 1, 2, 2, 3, 4, 5, 6])
    types = min(total, draw.choice([1, 1, 2, 3]))
    case.nt = draw.randint(1, 7 if kind in ("qr", "gemm") else 10)
    split = [total // types + (i < total % types) for i in range(types)]
    case.kind = recorded
    if kind != "ring":
        drawer = Drawer(draw, definitions["platform"], machines.network_suppliers(case), "p.json", wishes)
        machines.platform(drawer, case, split)
        case.trail += drawer.trail
    experiment_files(draw, case, definitions)
    suppliers = {**machines.network_suppliers(case), **distribution_suppliers(case), **application_suppliers(case), **scenario_suppliers(case)}
    drawer = Drawer(draw, tables, suppliers, "s.json", wishes)
    drawer.extra = case.files
    application = drawer.value({"$ref": "#/$defs/application"}, ("application",), forced={"type": recorded})
    forced = {"format": "factosim-scenario", "version": 1, "application": application, "application/type": recorded}
    if kind not in OTHERS:
        drawer.trail.append(("s.json", ("distribution",)))
        forced["distribution"] = drawer.value({"$ref": "#/$defs/distribution"}, ("distribution",), forced={"type": distribution})
    for section in ("scheduler", "network"):
        if recorded not in ("ring",) and (section != "scheduler" or kind != "data-parallel"):
            drawer.trail.append(("s.json", (section,)))
            forced[section] = drawer.value({"$ref": f"#/$defs/{section}"}, (section,))
    case.files["s.json"] = drawer.value({"$ref": "#/$defs/scenario"}, (), forced=forced)
    runtime = case.scenario.get("runtime", {})
    if runtime.get("out_of_core") and draw.random() < 0.7:
        runtime["ram_limit_bytes"] = 8 * case.nb ** 2 * draw.randint(8, 60)
    case.kind, case.trail = kind, case.trail + drawer.trail
    if kind == "trace":
        case.replay = drawer.value({"$ref": "#/$defs/application"}, ("application",), forced={"type": "trace", "file": "run.trace"})
    return case, draw
