"""What must be true of every run that ends. A claim returns None (does not apply), True, or a text "kind: what differs"."""

import json
import math

from sizes import closed_forms
from variants import graph_of, other_keys, other_names, permuted, scaled, with_idle_nodes, with_map, with_unused_type

CLAIMS = {}
SAME = 1e-9  # sums in another order, dates on another grid
GRAPHS = 1e-12  # an application and its exported graph
SOLVERS = 0.01  # SimGrid and maxmin
REPLAY = 0.05  # a run and the replay of its trace
ELSEWHERE = {"TZ": "Pacific/Apia", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "OMP_NUM_THREADS": "3", "COLUMNS": "9"}


def claim(name, share):
    """Registers a claim that is tried on this share of the runs."""
    def register(function):
        CLAIMS[name] = (share, function)
        return function
    return register


def off(a, b):
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0


def same_result(a, b, without=("provenance",)):
    """True, or the keys in which two results differ."""
    keys = [key for key in a if key not in without and a[key] != b.get(key)]
    return True if not keys else f"{', '.join(keys)}: {[str(a[key])[:80] for key in keys[:3]]} {[str(b.get(key))[:80] for key in keys[:3]]}"


def ended(run):
    """True, or the text of a run that should have ended as another one did."""
    return True if run.code == 0 else f"exit {run.code}: {run.message[-300:]}"


def matrix(case):
    return case.kind not in ("trace", "graph", "ring", "data-parallel")


def exact(case):
    """Whether every task is simulated, with its mean duration."""
    return "noise" not in case.scenario and case.type_of("detail") != "sampled"


@claim("the makespan is finite and above 0", 1)
def finite(lab, case, run):
    value = run.makespan
    return True if isinstance(value, (int, float)) and math.isfinite(value) and value > 0 else f"makespan: {value}"


@claim("no bound is above the makespan", 1)
def bounds(lab, case, run):
    """Without tolerance; noise may undercut bounds, which are of mean durations, and so may the recorded durations of a replay."""
    if "bounds" not in run.result or not exact(case) or case.kind == "trace":
        return None
    for key in ("abe_s", "critical_path_s", "critical_path_with_comm_s", "problem_s", "distribution_s"):
        if run.result["bounds"][key] > run.makespan:
            return f"{key}: {run.result['bounds'][key]!r} s, the makespan is {run.makespan!r} s"
    if max(run.result["bounds"]["abe_per_node_s"]) > run.makespan:
        return f"abe_per_node_s: {max(run.result['bounds']['abe_per_node_s'])!r} s, the makespan is {run.makespan!r} s"
    parts = run.result["bounds"]
    for whole, inner in (("problem_s", "problem"), ("distribution_s", "distribution")):
        if parts[whole] < max(v for k, v in parts[inner].items() if k.endswith("_s")) and parts[whole] < run.makespan:
            return f"{whole}: {parts[whole]!r} is below a part of {parts[inner]}"
    return True


@claim("sums and closed forms of counts hold", 1)
def sums(lab, case, run):
    return closed_forms(case, run)


@claim("check accepts the run", 0.6)
def check(lab, case, run):
    if run.trace is None or not matrix(case) and case.kind not in ("graph", "trace"):
        return None
    return audited(lab, run)


def audited(lab, run):
    done = lab.call(["check", "--json", run.folder])
    if done.code == 0:
        return True
    try:
        broken = [each for each in json.loads(done.out)["checks"] if each["findings"]]
        return f"{' and '.join(each['name'] for each in broken)}: {broken[0]['findings']} findings, {broken[0]['first'][0]}"
    except (ValueError, LookupError):
        return f"exit {done.code}: {done.err[-300:].decode('utf-8', 'replace')}"


@claim("a repeated run has equal bytes", 0.15)
def repeated(lab, case, run):
    """In another time zone, locale, home and number of threads."""
    again = lab.run(case.files, "b", environment=ELSEWHERE)
    if again.code or again.trace != run.trace:
        return ended(again) if again.code else "other trace:"
    return same_result(run.result, again.result, ())


@claim("the order of keys changes nothing", 0.1)
def keys(lab, case, run):
    if case.kind == "trace":
        return None
    again = lab.run(other_keys(case.files), "b")
    if again.code or again.trace != run.trace:
        return ended(again) if again.code else f"other trace: {run.makespan!r} {again.makespan!r}"
    return same_result(run.result, again.result)


@claim("all times doubled double the makespan", 0.2)
def twice(lab, case, run):
    """Exactly where dates are on the grid of ticks; within 1e-9 for rings and loops. Not where a preset by its name, a SimGrid file or
    a recorded trace has times that are not doubled."""
    files = scaled(case, run, 2)
    if files is None:
        return None
    other = lab.run(files, "b")
    if other.code:
        return ended(other)
    away = off(other.makespan, 2 * run.makespan)
    return True if away <= (0 if matrix(case) or case.kind == "graph" else SAME) else f"factor: {other.makespan / run.makespan!r} instead of 2"


@claim("owners do not depend on the unit of time", 0.05)
def owners(lab, case, run):
    """With all times 2, 3 and 1/7 as long. Not of maps that simulations choose."""
    made = []
    for factor in (1, 2, 3, 1 / 7) if matrix(case) and "1d1d-l" not in json.dumps(case.scenario) else ():
        files = scaled(case, run, factor)
        if files is None:
            return None
        lab.write(files)
        done = lab.call(["distribute", "--json", lab.path("in", "s.json")])
        if done.code:
            return None if factor == 1 else f"exit {done.code}: {done.err[-200:]}"
        map_of = json.loads(done.out)
        made.append([map_of.get(key) for key in ("owner", "tiles_per_node", "tiles_sent", "redistributed_tiles")])
    return all(each == made[0] for each in made) or "other owners:" if made else None


@claim("names of node types change no date", 0.1)
def names(lab, case, run):
    files = other_names(case)
    if files is None:
        return None
    other = lab.run(files, "b")
    if other.code:
        return ended(other)
    same = other.makespan == run.makespan and other.result.get("bounds") == run.result.get("bounds")
    return True if same else f"dates: {run.makespan!r} s become {other.makespan!r} s"


@claim("an unused node type changes nothing", 0.1)
def unused(lab, case, run):
    files = with_unused_type(case)
    if files is None:
        return None
    other = lab.run(files, "b")
    return ended(other) if other.code else same_result(run.result, other.result)


def mapped(lab, case):
    """The files with the distribution as a map, and the map; None where owners alone do not make the flow."""
    distribution = case.scenario.get("distribution", {})
    if not matrix(case) or case.type_of("distribution") in ("layers", "lp-multiphase", "redistribute") or "generation" in distribution:
        return None, None
    done = lab.call(["distribute", lab.path("in", "s.json"), "--force", "--chameleon", lab.path("out", "owners.txt")])
    if done.code:
        return None, f"distribute: exit {done.code}: {done.err[-200:]}"
    with open(lab.path("out", "owners.txt"), encoding="utf-8") as file:
        tiles = file.read()
    return with_map(case, tiles), tiles


@claim("a map that is written and read gives the same run", 0.1)
def written_map(lab, case, run):
    files, tiles = mapped(lab, case)
    if files is None:
        return tiles
    other = lab.run(files, "b")
    if other.code:
        return ended(other)
    return True if other.makespan == run.makespan else f"makespan: {run.makespan!r} {other.makespan!r}"


@claim("nodes that own nothing change nothing", 0.1)
def idle_nodes(lab, case, run):
    """On two nodes or more: one alone sets no core aside for messages. Not with fabrics, whose routes depend on the number of nodes."""
    files, _ = mapped(lab, case)
    files = files and with_idle_nodes(case, files)
    if not files:
        return None
    other = lab.run(files, "b")
    if other.code:
        return ended(other)
    same = off(other.makespan, run.makespan) <= SAME and other.result["tiles_sent"] == run.result["tiles_sent"]
    return True if same else f"makespan: {run.makespan!r} s becomes {other.makespan!r} s"


@claim("permuted nodes permute tasks and tiles received", 0.1)
def permutation(lab, case, run):
    files, tiles = mapped(lab, case)
    if files is None or "nodes" not in run.result or case.kind == "exageostat" or case.scenario.get("application", {}).get("tree") == "nodes":
        return None
    if case.type_of("scheduler") == "static":
        return None  # it names nodes
    files, new = permuted(files, tiles, len(run.result["nodes"]))
    other = lab.run(files, "b")
    if other.code == 4:
        return None  # the tiles of a node do not fit another one
    if other.code:
        return ended(other)
    for key in ("tasks", "tiles_received"):
        before = [each[key] for each in run.result["nodes"]]
        after = [other.result["nodes"][new[i]][key] for i in range(len(before))]
        if before != after:
            return f"{key}: {before} become {after}"
    return True


@claim("SimGrid and maxmin agree within 1 %", 0.15)
def solvers(lab, case, run):
    network = case.scenario.get("network", {})
    model = network.get("model", "simgrid")
    if case.kind == "trace" or model not in ("simgrid", "maxmin"):
        return None
    other = lab.run(case.files, "b", ["--set", f"/network/model={'maxmin' if model == 'simgrid' else 'simgrid'}"])
    if other.code:
        return ended(other)
    away = off(other.makespan, run.makespan)
    return True if away <= SOLVERS else f"makespan: {run.makespan!r} s ({model}) and {other.makespan!r} s"


@claim("tasks from formulas give the bytes of the stored graph", 0.25)
def formulas(lab, case, run):
    """Result (without options and diagnosis, which needs all dates) and trace."""
    if case.kind not in ("lu", "cholesky", "gemm"):
        return None
    runs = [lab.run(case.files, name, ["--set", f"/application/task_graph={name}", "--set", "/outputs/trace=true"]) for name in ("stored", "formulas")]
    if "needs the stored graph" in runs[1].message:
        return None
    if [each.code for each in runs] != [0, 0]:
        refused = runs[0].code == runs[1].code == 2 and runs[0].message == runs[1].message
        return None if refused else f"exit {runs[0].code} and {runs[1].code}: {runs[0].message[-200:]} {runs[1].message[-200:]}"
    if runs[0].trace != runs[1].trace:
        return f"other trace: {runs[0].makespan!r} {runs[1].makespan!r}"
    return same_result(runs[0].result, runs[1].result, ("provenance", "diagnosis"))


@claim("an application runs as its exported graph", 0.15)
def exported_graph(lab, case, run):
    """To 1e-12, with the runtime's options that the application chose; not with noise, which is drawn by kernel, nor with layers,
    whose sums have no timing in kernel files."""
    if not matrix(case) or not exact(case) or case.type_of("scheduler") == "static":
        return None
    if case.type_of("distribution") == "layers":
        return None
    form = "graph-csv" if case.nt % 3 == 0 else "graph-jsonl"
    done = lab.call(["export", lab.path("in", "s.json"), "--force", "--format", form, "-o", lab.path("out", "graph")])
    if done.code:
        return None if done.code == 2 and b"layers" in done.err else f"export: exit {done.code}: {done.err[-200:]}"
    other = lab.run(graph_of(case, run, lab.path("out", "graph")), "b")
    if other.code:
        return None if "nothing is extrapolated" in other.message else ended(other)  # of conversions, say
    if off(other.makespan, run.makespan) > GRAPHS:
        return f"makespan: {run.makespan!r} s, of the graph {other.makespan!r} s"
    accepted = audited(lab, other)
    return True if accepted is True else f"check of the graph, {accepted}"


def same_word(a, b):
    """Whether two words of tables are equal, as numbers to the last digit of a double: dates change their unit."""
    try:
        return a == b or off(float(a), float(b)) < 5e-16
    except ValueError:
        return False


@claim("tables of all formats are written and read again", 0.03)
def formats(lab, case, run):
    """With the same number of tasks."""
    if run.trace is None or case.kind in ("ring", "data-parallel"):
        return None
    drawn = ("dot",) if run.result["tasks"] <= 5000 else ()  # a drawing of more is refused
    for form in ("trace", "chrome", "starpu", "paje", *((*drawn, "graph-jsonl", "graph-csv") if case.kind != "trace" else ())):
        path = lab.path("out", f"x.{form}")
        done = lab.call(["export", run.folder, "--force", "--format", form, "-o", path])
        if form == "graph-csv" and "is of version 2" in str(done.err):
            continue  # tables have no place for its keys
        if done.code:
            return f"{form} is not written: {done.err[-200:]}"
        if form in ("trace", "chrome", "starpu", "paje"):
            again = lab.call(["export", path, "--force", "--format", "trace", "-o", lab.path("out", "again")])
            if again.code or (again.out + again.err).split(b" tasks")[0].split()[-1:] != (done.out + done.err).split(b" tasks")[0].split()[-1:]:
                return f"{form} is read otherwise: {done.out + done.err} {again.out + again.err}"
    texts = []
    for number, source in enumerate(("x.paje", "0.paje", "1.paje")):  # the first tables number data as the run did, and kernels as they come there
        lab.call(["export", lab.path("out", source), "--force", "--format", "paje", "-o", lab.path("out", f"{number}.paje")])
        with open(lab.path("out", f"{number}.paje"), "rb") as file:
            texts.append(file.read().split())
    if len(texts[1]) != len(texts[2]) or not all(map(same_word, *texts[1:])):
        return "a table read again is another one:"
    return True


@claim("a replay of the trace takes as long, and check accepts it", 0.15)
def replay(lab, case, run):
    """Within 5 %, or the result says by how much it differs: a trace does not tell all costs of the runtime system."""
    if run.trace is None or case.kind in ("ring", "data-parallel", "trace"):
        return None
    other = lab.run({"s.json": {"application": {"type": "trace", "file": "a.trace"}}, "a.trace": run.trace}, "b")
    if other.code:
        return ended(other)
    if off(other.makespan, run.makespan) > REPLAY and not any("the replay takes" in each for each in other.result["findings"]):
        return f"makespan: {run.makespan!r} s, of the replay {other.makespan!r} s"
    accepted = audited(lab, other)
    return True if accepted is True else f"check of the replay, {accepted}"


@claim("an estimate is within twice its stated error", 0.05)
def estimate(lab, case, run):
    """Of random estimates 95 % are within the error itself. Also on so many tiles that not all tasks are simulated, with the fast network."""
    if case.kind not in ("lu", "cholesky", "qr", "gemm") or not exact(case) or "nested" in case.scenario["application"]:
        return None
    settings = ["--set", "/network/model=maxmin", "--set", f"/application/nt={dict(lu=54, cholesky=68, qr=54, gemm=37)[case.kind]}"]
    large = run.makespan * 1e9 % 5 < 1 and case.type_of("distribution") not in ("file", "redistribute")
    settings = settings if large else []
    sampled = lab.run(case.files, "b", [*settings, "--detail", "sampled"])
    if sampled.code:
        return None if sampled.code in (2, 4) else ended(sampled)
    whole = lab.run(case.files, "c", [*settings, "--set", "/outputs/trace=false", "--detail", "tasks"]) if large else run
    if whole.code:
        return ended(whole)
    stated = sampled.result.get("detail", {}).get("error_relative", 0)
    away = abs(sampled.makespan / whole.makespan - 1)
    return True if away <= 2 * stated + SAME else f"error: {away:.1%}, stated {stated:.1%} ({sampled.makespan!r} s for {whole.makespan!r} s)"


@claim("page, bounds and JSON agree with the result", 0.1)
def pages(lab, case, run):
    if case.type_of("detail") == "sampled":
        return None
    done = lab.call(["report", run.folder, "--force", "-o", lab.path("out", "page.html")])
    if done.code:
        return f"page: exit {done.code}: {done.err[-200:]}"
    done = lab.call(["compare", "--json", "--no-simulation", run.folder, run.folder])
    if done.code and case.kind not in ("ring", "data-parallel"):
        return f"compare: exit {done.code}: {done.err[-200:]}"
    done = lab.call(["run", "--json", lab.path("in", "s.json")])
    if done.code or json.loads(done.out)["makespan_s"] != run.makespan:
        return f"JSON: exit {done.code}: {done.err[-200:]}"
    if matrix(case) and "noise" not in case.scenario:
        done = lab.call(["bounds", "--json", lab.path("in", "s.json")])
        if done.code or off(json.loads(done.out)["abe_s"], run.result["bounds"]["abe_s"]) > SAME:
            return f"bounds: exit {done.code}: {done.err[-200:]}"
    return True


@claim("a figure is drawn", 0.01)
def figure(lab, case, run):
    if run.trace is None or case.kind in ("ring", "data-parallel"):
        return None
    panel = ["workers", "iterations", "nodes", "memory", "bus", "states", "bounds"][len(run.trace) % 7]
    done = lab.call(["report", run.folder, "--force", "--figure", panel, "-o", lab.path("out", "figure.svg")],
                    environment={"MPLCONFIGDIR": lab.path("out")})
    return True if done.code in (0, 2) else f"figure: exit {done.code}: {done.err[-200:]}"
