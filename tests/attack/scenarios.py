#!/usr/bin/env python3
"""Holds random factorizations against what must be true of them: tests/attack/scenarios.py PROGRAM [SEED [COUNT [KEEP]]]

Claims: the numbers of operations, tasks, bytes have their closed forms; what is sent is received; energies follow from powers;
the makespan is no less than any bound; `factosim check` finds nothing; another folder, environment, order of keys, names of node
types, an exported and re-read map, nodes that own nothing change nothing; permuted nodes permute counts; half of all speeds doubles
the makespan; a table of tasks read and written again is the same. Every claim is counted; violations are printed.
"""

import collections
import copy
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import documents
from box import Box, options

SAME = 1e-9      # sums of doubles in another order, ticks of another length
DOUBLED = 1e-6   # dates are rounded
COSTS = {"submission_cost_s": 1e-6, "push_cost_s": 1e-6, "fetch_cost_s": 1e-6, "progress_cost_s": 1e-6, "wont_use_cost_s": 3e-6,
         "gpu_queue_cost_s": 10e-6, "gpu_malloc_cost_s": 175e-6, "gpu_free_cost_s": 750e-6, "pinning_cost_s": 650e-6,
         "buffer_round_s": 1e-3}


def near(a, b, tolerance=SAME):
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def kernel_counts(kind, nt):
    """Tasks of each kernel; those that take no time are left out."""
    pairs, triples, squares = nt * (nt - 1) // 2, nt * (nt - 1) * (nt - 2) // 6, (nt - 1) * nt * (2 * nt - 1) // 6
    return {"lu": {"getrf": nt, "trsm_ll": pairs, "trsm_ru": pairs, "gemm": squares},
            "cholesky": {"potrf": nt, "trsm": pairs, "syrk": pairs, "gemm": triples},
            "qr": {"geqrt": nt, "unmqr": pairs, "tsqrt": pairs, "tsmqr": squares},
            "gemm": {"gemm": nt ** 3}}[kind]


OPERATIONS = {"lu": 2 / 3, "cholesky": 1 / 3, "qr": 4 / 3, "gemm": 2}  # times n^3


def scaled(document, factor):
    """All seconds times the factor, all rates over it. Powers and sizes stay."""
    if isinstance(document, list):
        return [scaled(each, factor) for each in document]
    if not isinstance(document, dict):
        return document
    out = {}
    for key, value in document.items():
        if isinstance(value, (int, float)) and key.endswith("_s"):
            out[key] = value * factor
        elif key in ("bandwidth_Bps", "flops_per_second"):
            out[key] = value / factor
        else:
            out[key] = scaled(value, factor)
    return out


def renamed(text, names):
    for old, new in names.items():
        text = text.replace(f'"{old}"', f'"{new}"').replace(f'"{old}.kernels', f'"{new}.kernels')
    return text


class Case:
    def __init__(self, box, draw, counted):
        self.box, self.counted, self.violations = box, counted, []
        self.described, self.files = documents.platform(draw)
        self.nodes = sum(each["count"] for each in self.described["nodes"])
        self.document, self.tiles = documents.scenario(draw, self.nodes)
        self.document["runtime"] = COSTS | self.document.get("runtime", {})
        self.draw = draw

    def claim(self, name, holds, detail=""):
        self.counted[name][bool(holds)] += 1
        if not holds:
            self.violations.append(f"{name} {detail}")

    def write(self, described=None, document=None, files=None, tiles=None):
        for name, content in {"p.json": described or self.described, "s.json": document or self.document, **(files or self.files)}.items():
            self.box.write(name, content if isinstance(content, str) else json.dumps(content))
        self.box.write("map.txt", tiles or self.tiles)

    def run(self, name, environment=None):
        """Returns the result without the costs of the simulation, and the bytes of the trace."""
        out = self.box.path("out", name)
        outcome = self.box.run(["run", self.box.path("in", "s.json"), "--out", out], environment=environment)
        for finding in outcome.findings:
            self.claim("kept promises", False, finding)
        if outcome.code != 0:
            self.claim("runs", False, f"{name}: {outcome.err[:300]!r}")
            return None, None
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        with open(os.path.join(out, "run.trace"), "rb") as file:
            trace = file.read()
        result.pop("simulation")
        return result, trace

    def judge(self):
        self.write()
        base, trace = self.run("a")
        if base is None:
            return
        self.numbers(base)
        checked = self.box.run(["check", self.box.path("out", "a")])
        self.claim("check finds nothing", checked.code == 0, checked.out[-400:])
        self.repetitions(base, trace)
        self.maps(base)
        self.doubled(base)
        self.read_again()

    def numbers(self, base):
        application = self.document["application"]
        kind, nt, nb = application["type"], application["nt"], application["nb"]
        expected = {k: n for k, n in kernel_counts(kind, nt).items() if n}
        found = {k: n for k, n in base["tasks_by_kernel"].items() if k in expected or (k != "load" and n)}
        self.claim("numbers of tasks", found == expected, f"{found} {expected}")
        self.claim("tasks add up", base["tasks"] == sum(base["tasks_by_kernel"].values()) == sum(n["tasks"] for n in base["nodes"]))
        operations = OPERATIONS[kind] * (nt * nb) ** 3
        self.claim("operations", near(base["gflops"] * 1e9 * base["makespan_s"], operations), f"{base['gflops'] * 1e9 * base['makespan_s']} {operations}")
        self.claim("bytes of tiles", base["bytes_sent"] == base["tiles_sent"] * nb * nb * 8)
        sent, received = (sum(n[k] for n in base["nodes"]) for k in ("tiles_sent", "tiles_received"))
        self.claim("sent is received", sent == received == base["tiles_sent"], f"{sent} {received} {base['tiles_sent']}")
        bounds = base["bounds"]
        for name in ("abe_s", "critical_path_s", "critical_path_with_comm_s"):
            self.claim(f"makespan >= {name}", base["makespan_s"] >= bounds[name], f"{base['makespan_s']!r} {bounds[name]!r}")
        self.claim("makespan >= abe_per_node_s", base["makespan_s"] >= max(bounds["abe_per_node_s"]), f"{base['makespan_s']!r} {max(bounds['abe_per_node_s'])!r}")
        if "energy" in base:
            types = self.described["node_types"]
            idle = sum(types[n["type"]]["power"]["idle_W"] for n in base["nodes"]) * base["makespan_s"]
            self.claim("idle energy", near(base["energy"]["idle_J"], idle), f"{base['energy']['idle_J']} {idle}")
            if not any(types[n["type"]].get("gpus") for n in base["nodes"]):
                busy = sum(types[n["type"]]["power"]["core_W"] * n["busy_s"] for n in base["nodes"])
                self.claim("busy energy", near(base["energy"]["busy_J"], busy), f"{base['energy']['busy_J']} {busy}")

    def repetitions(self, base, trace):
        again, bytes_again = self.run("b", {"TZ": "Pacific/Apia", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "OMP_NUM_THREADS": "3", "COLUMNS": "9"})
        self.claim("same bytes again", again == base and bytes_again == trace)
        # The order of keys, and spaces, are no part of a document.
        turned = {}
        for name, content in {"p.json": self.described, "s.json": self.document, **self.files}.items():
            turned[name] = json.dumps(json.loads(json.dumps(content), object_pairs_hook=lambda pairs: dict(reversed(pairs))), indent=3)
        self.write(turned.pop("p.json"), turned.pop("s.json"), turned)
        other, bytes_other = self.run("c")
        types = [n["type"] for n in base["nodes"]]
        self.claim("order of keys", other == base and bytes_other == trace, f"{other and other['makespan_s']!r} {base['makespan_s']!r}")
        names = {"alpha": "zz top", "beta": "b", "gamma": "a"}
        self.write(renamed(json.dumps(self.described), names), None, {renamed(f'"{k}"', names)[1:-1]: renamed(json.dumps(v), names) for k, v in self.files.items()})
        other, _ = self.run("d")
        if other:
            self.claim("names of types: makespan", other["makespan_s"] == base["makespan_s"], f"{other['makespan_s']!r} {base['makespan_s']!r}")
            self.claim("names of types: bounds", other["bounds"] == base["bounds"], f"{other['bounds']} {base['bounds']}")
            self.claim("names of types: nodes", [names[t] for t in types] == [n["type"] for n in other["nodes"]] and
                       [n["last_task_s"] for n in other["nodes"]] == [n["last_task_s"] for n in base["nodes"]])

    def maps(self, base):
        self.write()
        written = self.box.path("out", "m.txt")
        outcome = self.box.run(["distribute", self.box.path("in", "s.json"), "--chameleon", written])
        self.claim("maps are written", outcome.code == 0, outcome.err)
        if outcome.code != 0:
            return
        with open(written, encoding="utf-8") as file:
            tiles = file.read()
        document = copy.deepcopy(self.document)
        document["distribution"] = {"type": "file", "file": "map.txt"}
        self.write(document=document, tiles=tiles)
        other, _ = self.run("e")
        self.claim("map read again", other and other["makespan_s"] == base["makespan_s"] and other["tiles_sent"] == base["tiles_sent"],
                   f"{other and other['makespan_s']!r} {base['makespan_s']!r}")
        # Nodes that own nothing.
        described = copy.deepcopy(self.described)
        described["node_types"]["idle"] = {"cycle_time_s": 1e-3, "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6}}
        if all("power" in each for name, each in described["node_types"].items() if name != "idle"):
            described["node_types"]["idle"]["power"] = {"core_W": 1, "idle_W": 1}
        described["nodes"].append({"type": "idle", "count": 2})
        if self.nodes > 1:  # one node alone sets no core aside for messages
            self.write(described=described, document=document, tiles=tiles)
            other, _ = self.run("f")
            self.claim("nodes that own nothing", other and abs(other["makespan_s"] / base["makespan_s"] - 1) < SAME and other["tiles_sent"] == base["tiles_sent"],
                       f"{other and other['makespan_s']!r} {base['makespan_s']!r}")
        # Permuted nodes: counts follow from the map alone, but for what is sent on by receivers.
        new = list(range(self.nodes))
        self.draw.shuffle(new)
        rows = [[str(new[int(owner) - 1] + 1) for owner in row.split()] for row in tiles.splitlines()[1:] if row.split()]
        self.write(document=document, tiles=tiles.splitlines()[0] + "\n" + "\n".join(" ".join(row) for row in rows) + "\n")
        other, _ = self.run("g")
        if other:
            for key in ("tasks", "tiles_received"):
                self.claim(f"permuted nodes: {key}", all(base["nodes"][i][key] == other["nodes"][new[i]][key] for i in range(self.nodes)))

    def doubled(self, base):
        files = {name: scaled(content, 2) for name, content in self.files.items()}
        self.write(scaled(self.described, 2), scaled(self.document, 2), files)
        other, _ = self.run("h")
        if other:
            self.claim("half the speed", near(other["makespan_s"], 2 * base["makespan_s"], DOUBLED),
                       f"{other['makespan_s'] / 2 / base['makespan_s'] - 1:.2g} {self.document['application']} {self.document['scheduler']} {self.document['network']}")
            for name, value in base["bounds"].items():
                if isinstance(value, float):
                    self.claim("half the speed: bounds", near(other["bounds"][name], 2 * value), f"{name} {other['bounds'][name]!r} {value!r}")
        self.write()

    def read_again(self):
        """The first table numbers data as the run did, the others as they read them."""
        tables = [self.box.path("out", f"{i}.paje") for i in range(3)]
        codes, texts = [], []
        for given, written in zip([self.box.path("out", "a"), *tables], tables):
            codes.append(self.box.run(["export", given, "--format", "paje", "-o", written]).code)
            if codes[-1] == 0:
                with open(written, "rb") as file:
                    texts.append(file.read())
        self.claim("table read again", codes == [0, 0, 0] and texts[1] == texts[2] and texts[0].count(b"\n") == texts[1].count(b"\n"), f"{codes}")


def main():
    program, seed, count, keep = options(500)
    box = Box(program, keep)
    counted = collections.defaultdict(collections.Counter)
    violated = 0
    for number in range(count):
        box.reset()
        case = Case(box, random.Random(f"{seed} {number}"), counted)
        case.judge()
        if case.violations:
            violated += 1
            print(f"{seed} {number}: " + "; ".join(case.violations), flush=True)
            if keep:
                case.write()
                outcome = box.run(["bounds", box.path("in", "s.json")])
                outcome.findings = case.violations
                box.save(f"scenarios-{seed}-{number}", ["see finding.txt"], outcome)
    print(f"{count} scenarios, seed {seed}: {violated} violate a claim")
    for name, held in sorted(counted.items()):
        print(f"  {name:28}{held[True]:6} hold{held[False]:6} do not")
    box.close()
    return 1 if violated else 0


if __name__ == "__main__":
    sys.exit(main())
