#!/usr/bin/env python3
"""JSON Schema against the readers.

    tests/reference/schema_test.py PROGRAM [--all] [--keep DIR]

- Every schema that `factosim reference --schema` prints is a valid one.
- Every shipped file validates against the schema of its format.
- Files that use every key, and shipped ones, are accepted by schema and reader. Each of their values is then changed, each key
  removed, and an unknown one added to each object: the schema refuses nothing that the reader accepts, and what the reader alone
  refuses are conditions between several values (RELATIONS). Without --all, every seventh change is tried.

Skipped without python3-jsonschema.
"""
import argparse
import collections
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KINDS = {"factosim-scenario": "scenario", "factosim-platform": "platform", "factosim-network": "network", "factosim-disk": "disk", "factosim-kernels": "kernels", "factosim-sweep": "sweep", "factosim-schedule": "schedule", "factosim-unit-costs": "unit-costs", "factosim-format-errors": "format-errors"}
CHANGES = [None, True, -1, 0, 0.25, 2, 1e31, 10**19, "no such word", "", [], {}, [[]], [-1], [0.5, "x"], {"surplus": 1}]

# What the readers alone check, by words of their messages.
RELATIONS = [
    r"would (never end a block|end before it starts)|as many of each|is not monotone",  # a curve of costs
    r"is there twice",
    r"must lie between -?\d+ and \d+\)",  # a number of a node, a tile or a finding of this file
    r"is not below \"max_submitted_tasks\"",
    r"stands? beside",
    r"has one of \"p\" and \"q\"",
    r"is a grid of",
    r"has \d+ (numbers|rows|values)",
    r"holds \d+ x \d+ tiles",
    r"names node",
    r"sums up to",
    r"needs an application with a generation",
    r"is for applications that generate",
    r"is decided by the distribution",
    r"balances what is left of a factorization",
    r"does not exist for \d+ nodes",
    r"the file has \d+ findings",
    r"on a grid of",
    r"which makes \d+ rows",
    r"that is \d+ tiles",
    r"cannot be read",
    r"no such file",
    r"is no XML file",
    r"no node type is called",
    r"no nodes",
    r"no such node|is no worker of this platform",
    r"is \"distribution\", and the scenario has none",
    r"keeps tasks where they ran",
    r"has no effect",
    r"is asked for",
    r"neither \"kernels\" nor",
    r"no subnet is called|needs links that are shared",
    r"a (second|bus|route|fat tree|rate|fitted time)",
    r"no link is called|no processor is called|no route|no way leads|no processor computes",
    r"is \".*\" as well",
    r"is no memory of this node",
    r"the key \"bus\" is missing|the key \"nodes\" is missing",
    r"is empty \(that means the core switch\)",
    r"is above \"idle_W\"",
    r"is not after \"from_s\"",
    r"the worker would stand still",
    r"loses",
    r"whose cost is not built in",
    r"comes to \d+ chunks",
    r"is a range that ends",
    r"is a graph of processors",
    r"has no curve|has nothing about|leaves no worker",
    r"the key \"graph\" is missing",
    r"stands there already",
    r"stands in a timing of",
    r"means|mean is|deviation",
    r"a measured|no timing|timing",
    r"is no trace|not a trace|trace",
    r"JSON pointer",
    r"lies before|does not grow|goes? pairwise|has \"step\" and \"factor\"|more than a million",
    r"has no node",
    r"fails in all",
    r"combinations|points",
    r"gives .* nodes",
    r"heat map without",
    r"condition|operator|operand|computes with",
    r"is \"empirical\"|is \"calibrated\"|perturbs within",
    r"is exact on",
    r"is positive|must be above zero",  # predicted bandwidths off the diagonal
    r"would last|lasts|too long|memory",
    r"is not a regular|directory",
    r"GPUs|cores",
    r"makes a run last",
    r"no (platform|kernel model|network) is called",
    r"stands in a variant|is a variant of itself|describes a second|merges this file again",
    r"comes to no work",
    r"#/filters/",  # conditions have no table: they nest
]


def pointers(document, at=()):
    """Yields the path of every value, the outermost first."""
    yield at
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in list(items)[: 4 if isinstance(document, list) else None]:
        yield from pointers(value, at + (key,))


def value_at(document, path):
    for key in path:
        document = document[key]
    return document


def changed(document, path, value):
    if not path:
        return value
    out = copy.deepcopy(document)
    value_at(out, path[:-1])[path[-1]] = value
    return out


def mutations(document):
    """Yields what was changed, and the changed document."""
    for path in pointers(document):
        where = "/" + "/".join(map(str, path))
        old = value_at(document, path)
        for value in CHANGES:
            if not (type(value) is type(old) and value == old):
                yield f"{where} = {json.dumps(value)}", changed(document, path, value)
        if isinstance(old, dict):
            yield f"{where}/surplus", changed(document, path, {**old, "surplus": 1})
            yield f"{where}/$comment", changed(document, path, {**old, "$comment": "a remark"})
        if path and isinstance(path[-1], str):
            out = copy.deepcopy(document)
            del value_at(out, path[:-1])[path[-1]]
            yield f"{where} removed", out


def defaults(schema, name):
    """Returns an object with the default of every key of a definition that has one; of its last variant, if it has variants."""
    definition = schema["$defs"][name]
    for part in definition.get("allOf", [])[:1]:
        definition = part
        while "else" in definition:
            definition = definition["else"]
    return {key: rule["default"] for key, rule in definition["properties"].items() if "default" in rule}


def platform():
    nic = {"bandwidth_Bps": 1e9, "latency_s": 1e-6}
    thread = {"per_message_s": 1e-6, "per_byte_s": 1e-10, "worker_share": 0.5}
    power = {"core_W": 10, "gpu_W": 200, "idle_W": 100, "off_W": 5}
    return {"format": "factosim-platform", "version": 1,
            "node_types": {"w": {"cycle_time_s": 0.01, "cores": 2, "ram_bytes": 10**11, "numa_nodes": 1, "sockets": 1, "nic": nic,
                                 "communication_thread": thread, "power": power, "subnet": "s", "estimate": True,
                                 "provenance": "made up"}},
            "network": {"subnets": [{"name": "s", "uplink": nic}], "backbone": {"bandwidth_Bps": 1e10, "latency_s": 0},
                        "one_at_a_time": False, "wire": "fifo", "provenance": ""},
            "nodes": [{"type": "w", "count": 6}], "runtime": {"push_cost_s": 1e-6, "fetch_cost_s": 0, "progress_cost_s": 0},
            "findings": ["made up"]}


def composed(**more):
    """Returns a platform of another one, with variants of its node types and a network of its own."""
    return {"merge": ["p.json", {"file": "p.json", "prefix": "old-"}],
            "node_types": {"v": {"of": "w", "cycle_time_s": 0.02, "cores": 1, "ram_bytes": 10**10, "sockets": 1, "nic": "net.json",
                                 "gpus": 0, "estimate": False, "provenance": "made up"},
                           "u": {"of": "v", "power": {"idle_W": 2}}},
            "network": {"preset": "net.json", "wire": "shared", "estimate": True}, "nodes": [{"type": "u", "count": 6}], **more}


def network():
    return {"format": "factosim-network", "version": 1, "description": "made up", "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6},
            "wire": "fifo", "estimate": False, "provenance": "made up"}


def disk():
    return {"format": "factosim-disk", "version": 1, "model": "made up", "read": {"bandwidth_Bps": "8 Gb/s", "latency_s": "10 us"},
            "write": {"bandwidth_Bps": 5e8, "latency_s": 1e-5}, "half_duplex": True, "size_bytes": "1 TB", "estimate": False,
            "provenance": "made up"}


def kernels():
    timing = {"precision": "double", "worker": "cpu", "nb": 100, "mean_s": 0.01, "deviation_s": 0.001, "samples": 3,
              "samples_s": [0.009, 0.01, 0.011], "first_samples_s": [0.02], "slowdown": {"1": 1, "2": 1.5}, "findings": [0]}
    rate = {"application": "lu", "precision": "double", "worker": "cpu", "flops_per_second": 1e9, "launch_s": 1e-6,
            "per_column_s": 1e-7, "per_element_s": 1e-12, "min_nb": 1, "max_nb": 500}
    names = ["getrf", "trsm_ru", "trsm_ll", "gemm"]
    return {"format": "factosim-kernels", "version": 1, "machine": "w", "provenance": "made up", "estimate": True,
            "findings": ["made up"],
            "variability": {"worker_deviation": 0.01, "runs": 2, "run_deviation": 0.01, "degrees_of_freedom": 1},
            "kernels": {name: [timing, rate] for name in names}}


def scenarios(schema, folder):
    """Yields scenarios that have every key of the schema of tasks on tiles."""
    (folder / "map.txt").write_text("3 3\n1 1 1\n2 2 2\n3 3 3\n")
    head = {"format": "factosim-scenario", "version": 1, "name": "x", "seed": 1, "platform": "p.json"}
    tiles = {"nt": 3, "nb": 100, "precision": "double"}
    types = schema["$defs"]["application"]
    full = {**head, "application": {"type": "lu", "variant": "starpu", **tiles}, "distribution": {"type": "block-cyclic", "p": 2, "q": 3},
            "scheduler": defaults(schema, "scheduler"), "runtime": defaults(schema, "runtime"),
            "noise": {key: value for key, value in defaults(schema, "noise").items() if key != "type"},
            "network": {**defaults(schema, "network"), "model": "constant", "max_sends": 0, "wire": "shared",
                        "nic": {"bandwidth_Bps": 1e9, "latency_s": 0}, "backbone": {"bandwidth_Bps": 1e9, "latency_s": 0},
                        "uplink": {"bandwidth_Bps": 1e9, "latency_s": 0}},
            "outputs": {**{key: False for key in defaults(schema, "outputs")}, "series": {"points": 10}}}
    yield "full", full
    yield "power", {**head, "platform": {"file": "p.json", "nodes": [{"type": "w", "count": 6}],
                                         "power": {"w": {"core_W": 1, "gpu_W": 2, "idle_W": 3, "off_W": 1}}},
                    "application": {"type": "lu", **tiles}, "noise": "none", "scheduler": "dmda", "distribution": "block-cyclic"}
    (folder / "net.json").write_text(json.dumps(network()))
    (folder / "disk.json").write_text(json.dumps(disk()))
    yield "composed", {**head, "platform": composed(power={"u": {"core_W": 1}}), "application": {"type": "lu", **tiles},
                       "network": {"preset": "net.json"}}
    yield "variant of a file", {**head, "platform": {"file": "p.json", "node_types": {"v": {"of": "w"}}, "nodes": [{"type": "v", "count": 6}]},
                                "application": {"type": "lu", **tiles}}
    for name in ["cholesky", "qr", "gemm"]:
        yield name, {**head, "application": {"type": name, **tiles, **({"tree": "flat"} if name == "qr" else {})}}
    exageostat = {"type": "exageostat", **tiles, "variant": "chameleon", "n": 250, "iterations": 1, "nu": 0.5, "asynchronous": "full",
                  "solve": "local", "priorities": "all", "generation_order": "priorities", "memory_optimisations": True,
                  "oversubscribed_worker": True}
    yield "exageostat", {**head, "application": exageostat}
    speeds = [1, 1, 2, 2, 3, 3]
    costs = {"rates": speeds, "transfer_s": 0.001}
    for key in [{"type": "1d1d", "speeds": speeds, "tie": "lowest", "partition": "columns"},
                {"type": "1d1d-c", "speeds": speeds, "tie": "lowest", **costs},
                {"type": "1d1d-c+s", "speeds": "gemm", **costs, "threshold_s": 0.02, "smaller_tiles": True, "rounds": 2, "all_iterations": True},
                {"type": "1d1d-l", **costs, "simulations": 6},
                {"type": "het-grid", "p": 2, "q": 3, "cycle_times": [[1, 2, 3], [4, 5, 6]], "method": "heuristic",
                 "panel": {"rows": 2, "columns": 3}, "order": "consecutive"},
                {"type": "het-grid", "p": 2, "q": 3, "cycle_times": {"random": 1}},
                {"type": "kalinov-lastovetsky", "p": 2, "q": 3, "speeds": speeds, "panel": {"rows": 2, "columns": 3}},
                {"type": "sbc", "variant": "extended"}, {"type": "g-2dbc"}, {"type": "file", "file": "map.txt"},
                {"type": "redistribute", "from": [[0, -1, -1], [1, 2, -1], [3, 4, 5]], "target": [1, 1, 1, 1, 1, 1]}]:
        yield key["type"], {**head, "application": {"type": "cholesky", **tiles}, "distribution": key}
    generated = {"type": "block-cyclic", "p": 2, "q": 3, "generation": {"type": "redistribute", "target": [1, 1, 1, 1, 1, 1]}}
    yield "generation", {**head, "application": exageostat, "distribution": generated}
    assert "allOf" in types


def experiments():
    """Yields scenarios of other kinds: those are run, since they have no bounds."""
    head = {"format": "factosim-scenario", "version": 1}
    ring = {"type": "ring", "work": 100, "message_bytes": 1000, "method": "search", "refinement": "quadratic", "iterations": 1,
            "compare": [{"method": "slice-ring", "refinement": "max-min"}], "exchange": "at-once", "bandwidth": "shared"}
    graph = {"random": {"processors": 3, "routers": 1, "extra_links": 1, "speed_per_s": [1, 2], "bandwidth_Bps": [1e6, 2e6], "seed": 1}}
    yield "ring", {**head, "platform": graph, "application": ring, "network": {"model": "maxmin"}}
    loop = {"type": "data-parallel", "loop": {"kernel": "grn", "genes": 1000, "samples": 50}, "costs": str(ROOT / "models/loops/plb-hac.json"),
            "balancer": {"type": "plb-hac", "first_block": 0.001, "steps": 5}, "master": 0, "deviation": 0.01,
            "events": [{"type": "load", "worker": "0:cpu", "from_s": 0, "until_s": 1, "share": 0.5},
                       {"type": "lost", "worker": "0:cuda0", "at_s": 1}]}
    machine = {"file": str(ROOT / "platforms/plb-hac.json"), "nodes": [{"type": "plb-hac-a", "count": 1}]}
    yield "loop", {**head, "platform": machine, "application": loop, "noise": "lognormal", "network": {"model": "maxmin"}}
    yield "trace", {**head, "application": {"type": "trace", "file": str(ROOT / "scenarios/replay/lu_5x5"), "timings": "own-means",
                                            "mapping": "devices", "submission": "recorded", "pauses": "recorded", "messages": "recorded"},
                    "platform": "trace", "network": {"model": "constant"}}


def sweep(scenario):
    nodes = [{"type": "w", "count": {"from": 1, "to": 2, "step": 1}}]
    return {"format": "factosim-sweep", "version": 1, "name": "x", "scenario": scenario, "set": {"/application/nt": 3},
            "points": {"product": [{"strong_scaling": {"nodes": nodes}}, {"/application/nb": [50, {"label": "large", "value": 100}]},
                                   {"zip": [{"/seed": {"from": 1, "to": 4, "factor": 2}}, {"list": [{"/name": "a", "labels": {"l": 1}}] * 3}]},
                                   {"chain": [{"/scheduler": [{"type": "lws"}]}]}]},
            "filters": [["<=", ["nodes"], 4]], "replicas": 1, "max_points": 100,
            "comparisons": [{"of": "scheduler", "baseline": "lws", "x": "nodes", "metric": "makespan_s"}],
            "plots": [{"x": "nodes", "y": "makespan_s", "series": "", "kind": "lines"}]}


class Comparison:
    """Changes files and compares the verdicts of schema and reader."""

    def __init__(self, program, folder, step):
        self.program, self.folder, self.step = program, folder, step
        self.tried = self.refused_by_both = self.accepted_by_both = 0
        self.relations, self.failures = collections.Counter(), []

    def write(self, name, document):
        # A new file: ext4 waits for the disk when one is closed that was truncated.
        (self.folder / name).unlink(missing_ok=True)
        (self.folder / name).write_text(json.dumps(document))

    def message_of(self, file, command):
        """Returns what the reader says against the scenario; empty if it accepts it."""
        result = subprocess.run([self.program, *command.split(), str(file)], capture_output=True, text=True, timeout=120)
        if result.returncode in (0, 4):
            return ""
        return result.stderr.strip().splitlines()[-1] if result.returncode == 2 else f"exit {result.returncode}: {result.stderr}"

    def check(self, what, document, name, validator, command, target=None):
        self.write(name, document)
        message = self.message_of(self.folder / (target or name), command)
        valid = validator.is_valid(document)
        self.tried += 1
        if message.startswith("exit"):
            self.failures.append(f"{what}: {message}")
        elif not valid and not message:
            self.failures.append(f"{what}: the schema refuses what the reader accepts")
        elif valid and message:
            relation = next((r for r in RELATIONS if re.search(r, message)), None)
            if relation:
                self.relations[relation] += 1
            else:
                self.failures.append(f"{what}: the schema accepts it, and the reader: {message}")
        else:
            self.refused_by_both += not valid
            self.accepted_by_both += valid

    def mutate(self, name, document, file, validator, command, target=None):
        errors = [e.message for e in validator.iter_errors(document)]
        if errors:
            self.failures.append(f"{name}: the schema refuses it: {errors[0][:200]}")
        self.write(file, document)
        if message := self.message_of(self.folder / (target or file), command):
            self.failures.append(f"{name}: the reader refuses it: {message}")
            return
        for number, (what, mutated) in enumerate(mutations(document)):
            if number % self.step == 0:
                self.check(f"{name}: {what}", mutated, file, validator, command, target)
        self.write(file, document)


def check_shipped(validators):
    """Validates every shipped file that has a format with a schema; returns how many, and what was wrong."""
    counts, failures = collections.Counter(), []
    for file in sorted([*ROOT.glob("platforms/**/*.json"), *ROOT.glob("models/**/*.json"), *ROOT.glob("scenarios/**/*.json")]):
        document = json.loads(file.read_text())
        kind = KINDS.get(document.get("format"))
        if kind is None:
            continue
        counts[kind] += 1
        failures += [f"{file.relative_to(ROOT)}: {e.json_path}: {e.message[:300]}" for e in validators[kind].iter_errors(document)]
    return counts, failures


def check_results(program, folder, validator):
    """Runs scenarios of all kinds; returns how many results there are, and what the schema says against them."""
    runs = [("first/lu_mirage.json", "--set /application/nt=4"), ("first/lu_mirage.json", "--set /application/nt=3 --replicas 3 --noise lognormal"),
            ("first/lu_mirage.json", "--set /application/nt=3 --sensitivity 2"), ("ring/toy.json", ""), ("balance/one_machine.json", ""),
            ("replay/lu_5x5.json", ""), ("lille/block_cyclic_2x11.json", "--set /application/nt=5"),
            ("first/lu_mirage.json", "--set /application/type=qr --set /application/nt=3 --set /application/variant=chameleon")]
    cases = [(ROOT / "scenarios" / file, options) for file, options in runs] + [(folder / "s.json", ""), (folder / "power.json", "")]
    power = {"format": "factosim-scenario", "version": 1, "application": {"type": "exageostat", "nt": 3, "nb": 100},
             "platform": {"file": "p.json", "nodes": [{"type": "w", "count": 6}], "power": {"w": {"core_W": 1, "idle_W": 3}}}}
    (folder / "power.json").write_text(json.dumps(power))
    count, wrong = 0, []
    for file, options in cases:
        run = subprocess.run([program, "run", str(file), "--set", "/network/model=maxmin", *options.split(), "--out", str(folder / f"r{count}")],
                             capture_output=True, text=True, timeout=300)
        if run.returncode != 0:
            if "/variant" not in options:  # no timings of QR for this machine
                wrong.append(f"{file.name} {options}: {run.stderr}")
            continue
        result = json.loads((folder / f"r{count}" / "result.json").read_text())
        wrong += [f"{file.name} {options}: {e.json_path}: {e.message[:300]}" for e in validator.iter_errors(result)]
        broken = {**result, "makespan_s": "long"}, {key: value for key, value in result.items() if key != "nodes"}
        wrong += [f"{file.name}: the schema accepts a broken result" for b in broken if validator.is_valid(b)]
        count += 1
    return count, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true", help="try every change")
    arguments = parser.parse_args()
    try:
        import jsonschema
        validator = jsonschema.Draft202012Validator
    except (ImportError, AttributeError):
        print("skipped: python3-jsonschema 4 is not installed")
        return 0
    schemas = {}
    for kind in [*KINDS.values(), "result"]:
        text = subprocess.run([arguments.program, "reference", "--schema", kind], capture_output=True, text=True, check=True).stdout
        schemas[kind] = json.loads(text)
        validator.check_schema(schemas[kind])
    validators = {kind: validator(schema) for kind, schema in schemas.items()}
    counts, failures = check_shipped(validators)
    print(f"shipped files that validate or not: {dict(counts)}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        comparison = Comparison(arguments.program, folder, 1 if arguments.all else 7)
        (folder / "p.json").write_text(json.dumps(platform()))
        plain = None
        for case, document in scenarios(schemas["scenario"], folder):
            plain = plain or document
            comparison.mutate(case, document, "s.json", validators["scenario"], "bounds")
        for case, document in experiments():
            comparison.mutate(case, document, "e.json", validators["scenario"], "run --json")
        scenario = {"format": "factosim-scenario", "version": 1, "platform": "q.json", "network": {"model": "maxmin"},
                    "application": {"type": "lu", "nt": 2, "nb": 100}}
        (folder / "u.json").write_text(json.dumps(scenario))
        comparison.mutate("platform", platform(), "q.json", validators["platform"], "bounds", "u.json")
        comparison.mutate("composed platform", {"format": "factosim-platform", "version": 1, **composed(findings=["made up"])}, "q.json",
                          validators["platform"], "bounds", "u.json")
        comparison.mutate("disk", disk(), "disk.json", validators["disk"], "validate", "disk.json")
        comparison.mutate("network", network(), "net.json", validators["network"], "bounds", "u.json")
        with_kernels = platform()
        with_kernels["node_types"]["w"] = {"cores": 2, "ram_bytes": 10**11, "kernels": "k.json", "nic": {"bandwidth_Bps": 1e9, "latency_s": 0}}
        del with_kernels["network"]["subnets"]
        (folder / "q.json").write_text(json.dumps(with_kernels))
        comparison.mutate("kernels", kernels(), "k.json", validators["kernels"], "bounds", "u.json")
        comparison.mutate("sweep", sweep("u2.json"), "w.json", validators["sweep"], "sweep --count") if (
            folder / "u2.json").write_text(json.dumps({**scenario, "platform": {"file": "p.json", "nodes": [{"type": "w", "count": 2}]}})) else None
        results, wrong = check_results(arguments.program, folder, validators["result"])
        failures += wrong
    failures += comparison.failures
    print(f"{results} results validated")
    print(f"{comparison.tried} changes: {comparison.refused_by_both} refused and {comparison.accepted_by_both} accepted by both, "
          f"{sum(comparison.relations.values())} refused by the reader alone:")
    for relation, count in comparison.relations.most_common():
        print(f"  {count:5} {relation}")
    for failure in failures[:40]:
        print("FAILED", failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
