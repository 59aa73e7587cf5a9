#!/usr/bin/env python3
"""Small files as other programs write them: each is read rightly, or refused with a message that says what to do.

usage: foreign_inputs.py PROGRAM
"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
from cases import case, check
from foreign import refused, run, write


def simulated(file, platform="mirage", **keys):
    """Returns the result of a graph."""
    write("s.json", json.dumps({"platform": platform, "application": {"type": "graph", "file": file}, **keys}))
    code, out, error = run("run", "s.json", "--json", "-q")
    return json.loads(out) if code == 0 else error


def findings(file, **keys):
    result = simulated(file, **keys)
    return " ".join(result.get("findings", [])) if isinstance(result, dict) else result


def makespan(file, content=None, **keys):
    if content is not None:
        write(file, content)
    result = simulated(file, **keys)
    return round(result["makespan_s"], 3) if isinstance(result, dict) else result  # without overheads of microseconds


def imported(*arguments):
    """Returns the file that an import writes, or its message."""
    code, _, error = run("import", *arguments, "-o", "out.json", "--force")
    return json.loads(pathlib.Path("out.json").read_text()) if code == 0 else error


def timings(kernels):
    """Returns {(kernel, worker, nb): us}, or the message."""
    if isinstance(kernels, str):
        return kernels
    return {(k, t["worker"], t["nb"]): round(1e6 * t["mean_s"], 3) for k, ts in kernels["kernels"].items() for t in ts}


# ---- graphs ----

STG = ["# a comment", "{n}", "0 0 0", "1 5 1 0", "2 7 1 0", "3 2 2 1 2", "4 0 1 3", "# another"]
COSTS = ["# with costs", "\t4\t2", "\t0\t3\t0", "\t1\t5\t1", "\t\t\t\t0\t2", "\t2\t2\t1", "\t\t\t\t0\t1", "\t3\t1\t1", "\t\t\t\t0\t3"]


@case
def stg_in_all_published_forms():
    for count in ("3", "5", "3 2", "5 16"):
        for separator in (" ", "\t", "     "):
            for end in ("\n", "\r\n"):
                for first in (STG, STG[1:]):
                    text = end.join(first).format(n=count).replace(" ", separator) + end
                    check(f"STG {count!r} {separator!r} {end!r}", makespan("a.stg", text), 9.0)
    for end in ("\n", "\r\n"):
        check("STG with costs", makespan("b.stg", end.join(COSTS) + end), 8.0)
    check("processors are a finding", "2 processors" in findings("b.stg"), True)


@case
def tables_of_other_programs():
    rows = [["task", "kernel", "depends_on", "cpu_s"], ["1", "a", "", "1"], ["2", "b", "1", "2"]]
    for separator in (",", ";", "\t"):
        for quote in ("", '"'):
            for end in ("\n", "\r\n"):
                for mark in ("", "\ufeff"):
                    text = end.join(separator.join(quote + field + quote for field in row) for row in rows) + end
                    check(f"CSV {separator!r} {quote!r} {end!r} {mark!r}", makespan("a.csv", mark + text), 3.0)
    write("run.csv", "task;worker;start;end\na;cpu0;0;1\nb;cuda0;1;3\n")
    check("a run with semicolons", run("compare", "run.csv", "run.csv")[0], 0)


@case
def dot_with_a_kernel_attribute():
    text = 'digraph "g" { node [shape=circle]; a [kernel="potrf"]; b [kernel="trsm"]; a -> b; }'
    write("a.dot", text)
    write("s.json", json.dumps({"platform": "mirage", "application": {"type": "graph", "file": "a.dot", "precision": "single", "nb": 960}}))
    code, out, error = run("run", "s.json", "--json", "-q")
    check(f"kernels of DOT {error}", code == 0 and sorted(json.loads(out)["tasks_by_kernel"]), ["potrf", "trsm"])


def rec(modes, dependencies=("",) * 9):
    return "".join(
        f"Model: upd\nJobId: {i + 1}\nSubmitOrder: {i + 1}\n{before}WorkerId: 1\nReadyTime: 0\nHandles: a1\nModes: {mode}\nSizes: 800\n\n"
        for i, (mode, before) in enumerate(zip(modes, dependencies)))


@case
def reductions_run_side_by_side():
    write("upd.json", json.dumps({"format": "factosim-kernels", "version": 1, "machine": "m", "provenance": "made up", "estimate": False, "kernels": {
        "upd": [{"precision": "double", "worker": "cpu", "nb": 10, "mean_s": 0.1, "deviation_s": 0, "samples": 99}]}}))
    write("p.json", json.dumps({"format": "factosim-platform", "version": 1, "network": {}, "node_types": {
        "n": {"cores": 4, "gpus": [], "ram_bytes": 10**10, "kernels": "upd.json", "nic": {"bandwidth_Bps": 1e9, "latency_s": 0}}},
        "nodes": [{"type": "n", "count": 1}]}))
    free = {f"{c}_cost_s": 0 for c in ("submission", "push", "fetch", "progress", "pinning", "wont_use")}
    for modes, expected in ((["X"] * 8, 0.2), (["R"] * 8, 0.2), (["RW"] * 8, 0.8), (["RWC"] * 8, 0.8), (["X-mpi"] * 4, 0.1),
                            (["W", *["X"] * 4, "R"], 0.3), (["X", "X", "RW", "X", "X", "R", "R"], 0.4), (["S"] * 4, 0.1)):
        write("r/tasks.rec", rec(modes))
        check(f"tasks.rec {modes}", makespan("r", platform="p.json", runtime={"reserved_cores": 0, **free}), expected)
    for modes, expected in ((["X"] * 8, 0.2), (["RW"] * 8, 0.8)):
        dated = "".join(f"{record}\nStartTime: {100 * i}\nEndTime: {100 * i + 100}\nMemoryNode: 0\n\n" for i, record in enumerate(rec(modes).split("\n\n")[:-1]))
        write("t/tasks.rec", dated)
        write("s.json", json.dumps({"platform": "p.json", "application": {"type": "trace", "file": "t"}, "runtime": {"reserved_cores": 0}}))
        code, out, error = run("run", "s.json", "--json", "-q")
        check(f"replay of {modes} {error}", code == 0 and round(json.loads(out)["makespan_s"], 3), expected)
    check("ReadyTime is no finding", "ReadyTime" in findings("r", platform="p.json"), False)
    write("r/tasks.rec", rec(["X", "RWC"]))
    found = findings("r", platform="p.json")
    check(f"reductions are a finding {found}", "1 accesses reduce" in found and "1 accesses commute" in found, True)


@case
def transfers_of_simgrid_workflows():
    tasks = [{"name": "a", "type": "compute", "runtime": 1, "parents": []}, {"name": "b", "type": "compute", "runtime": 2, "parents": ["t"]},
             {"name": "t", "type": "transfer", "writtenBytes": 500, "parents": ["a"]}, {"name": "out", "type": "transfer", "writtenBytes": 7, "parents": ["b"]}]
    document = {"name": "w", "schemaVersion": "1.0", "workflow": {"tasks": tasks}}
    check("workflow with transfers", makespan("w.json", json.dumps(document)), 3.0)
    check("tasks without a runtime are no finding of transfers", "no runtime" in findings("w.json"), False)
    check("the data", run("export", "s.json", "--format", "graph-jsonl", "-o", "g.jsonl")[0], 0)
    sizes = [json.loads(line).get("bytes", 0) for line in pathlib.Path("g.jsonl").read_text().splitlines()]
    check("bytes of the transfers", sorted(n for n in sizes if n), [7, 500, 500])


@case
def graphs_without_tiles_say_nothing_of_tiles():
    write("g.csv", "task,kernel,depends_on,cpu_s\n1,a,,1\n2,b,1:1000000,2\n3,c,1:1000,2\n4,d,2:10 3:300000000000,1\n")
    scenario = {"platform": {"file": "sirocco", "nodes": [{"type": "sirocco", "count": 2}]}, "application": {"type": "graph", "file": "g.csv"}}
    write("fails.json", json.dumps(scenario))
    write("s.json", json.dumps({**scenario, "runtime": {"ram_limit_bytes": "1 TB"}}))
    for code, *arguments in ((0, "run", "s.json", "--verbose", "--out", "out"), (0, "bounds", "s.json"), (0, "advise", "s.json"), (0, "schedule", "s.json", "--runs", "5"),
                             (0, "check", "out"), (0, "compare", "out", "out", "--verbose"), (0, "validate", "s.json"), (4, "run", "fails.json"), (4, "advise", "fails.json"),
                             (4, "run", "s.json", "--set", "out_of_core=true", "--set", "ram_limit_bytes=1GB"), (0, "report", "out", "-o", "page.html")):
        done = run(*arguments)
        check(f"{arguments}: {done[2]}", (done[0], "tile" in (done[1] + done[2]).lower(), " 0 GFlop/s" in done[1]), (code, False, False))


# ---- StarPU's models ----

REGRESSION = "0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n"


def model(*combinations):
    """Returns a performance model of StarPU: (type, id, implementations of (bytes, us, samples))."""
    out = f"# version\n45\n{len(combinations)}\n"
    for kind, device, implementations in combinations:
        out += f"1\n{kind}\n{device}\n1\n{len(implementations)}\n"
        for size, us, samples in implementations:
            out += f"1\n{REGRESSION}00000001 {size} 0 {us:e} 1 {us * samples:e} {(us * us + 1) * samples:e} {samples}\n"
    return out


GEMM = 3 * 960 * 960 * 8


@case
def the_expected_fastest_implementation():
    for implementations, expected in (([(120000, 200), (45000, 200)], 45000), ([(45000, 200), (120000, 200)], 45000),
                                      ([(45000, 3), (120000, 500)], 120000), ([(120000, 500), (45000, 3)], 120000),
                                      ([(9e4, 50), (8e4, 50), (7e4, 50)], 70000), ([(9e4, 0), (8e4, 50)], 80000), ([(9e4, 2), (8e4, 3)], 80000)):
        write("codelets/45/dgemm.node", model((0, 0, [(GEMM, us, n) for us, n in implementations])))
        check(f"implementations {implementations}", timings(imported("starpu-model", ".")), {("gemm", "cpu", 960): expected})


@case
def gpus_of_all_kinds():
    for kinds, kept, left_out in (((1, 2), 1, "opencl"), ((7,), 7, ""), ((8,), 8, ""), ((7, 1), 1, "hip"), ((7, 5), 7, "mpi"), ((2,), 0, "opencl"), ((9,), 0, "unknown")):
        write("codelets/45/dgemm.node", model((0, 0, [(GEMM, 45000, 200)]), *[(kind, g, [(GEMM, 900 + kind, 200)]) for kind in kinds for g in (0, 1)]))
        kernels = imported("starpu-model", ".")
        gpus = {("gemm", f"cuda{g}", 960): 900 + kept for g in (0, 1)} if kept else {}
        check(f"devices {kinds}", timings(kernels), {("gemm", "cpu", 960): 45000, **gpus})
        lasting = [f for f in kernels.get("findings", []) if left_out and f"histories of {left_out} devices" in f]
        check(f"devices {kinds}: lasting finding", len(lasting), 1 if left_out else 0)
    text = "".join(f"Model: dgemm\nArchitecture: {a}\nFootprint: 1\nSize: {GEMM}\nMean: {us}\nStddev: 1\nSamples: 99\n\n"
                   for a, us in (("cpu0_impl0", 9), ("hip0_impl0", 900), ("hip1_impl0", 901), ("hip1_impl1", 899)))
    write("platform_file.rec", text.replace("Mean: 9\n", "Mean: 45000\n"))
    check("platform_file.rec", timings(imported("starpu-timings", "platform_file.rec", "--host", "m")),
          {("gemm", "cpu", 960): 45000, ("gemm", "cuda0", 960): 900, ("gemm", "cuda1", 960): 899})
    refused("no machine", ["import", "starpu-timings", "platform_file.rec", "-o", "x.json"], "--host")


@case
def inner_blocks_of_qr():
    for ib in (8, 32, 48, 64, 128, 192, 240):
        for names in (("geqrt", "ormqr", "tpqrt", "tpmqrt"), ("geqrt", "tpmqrt"), ("geqrt", "ormqr")):
            for nbs in ((960,), (320, 640, 960)):
                tiles = {"geqrt": 1, "ormqr": 2, "tpqrt": 2, "tpmqrt": 3}
                for name in tiles:
                    pathlib.Path(f"codelets/45/d{name}.node").unlink(missing_ok=True)
                for i, name in enumerate(names):
                    entries = "".join(f"0000000{k} {8 * (tiles[name] * nb * nb + ib * nb)} 0 {6e4 + i:e} 1 {(6e4 + i) * 99:e} {((6e4 + i)**2 + 1) * 99:e} 99\n" for k, nb in enumerate(nbs))
                    write(f"codelets/45/d{name}.node", f"45\n1\n1\n0\n0\n1\n1\n{len(nbs)}\n{REGRESSION}{entries}")
                check(f"QR with ib {ib}, {names}, {nbs}", timings(imported("starpu-model", ".")), {(name, "cpu", nb): 6e4 + i for i, name in enumerate(names) for nb in nbs})


@case
def tf32_is_named():
    rate = 2 * 8192**3
    for tflops, code, text in ((60, 0, ""), (400, 0, "TF32"), (3000, 2, "time of launch")):
        write("codelets/45/sgemm.node", model((0, 0, [(3 * 8192**2 * 4, 2e7, 200)]), (1, 0, [(3 * 8192**2 * 4, rate / tflops / 1e6, 200)])))
        done = run("import", "starpu-model", ".", "-o", "k.json", "--force")
        check(f"{tflops} TFlop/s {done[2]}", (done[0], text in done[2], "TF32" in done[2]), (code, True, text == "TF32"))


@case
def infinities_are_never_written():
    for mean, deviation in (("inf", "1"), ("4.5e4", "inf"), ("nan", "1"), ("1e300", "1"), ("4.5e4", "1e300")):
        write("codelets/45/dgemm.node", f"45\n1\n1\n0\n0\n1\n1\n1\n{REGRESSION}00000001 {GEMM} 0 {mean} {deviation} 9e6 4e11 200\n")
        refused(f"mean {mean}, deviation {deviation}", ["import", "starpu-model", ".", "-o", "k.json"], "no usable timing")
    for attribute in ("bandwidth", "latency"):
        for value in ("inf", "INF", "infinity", "-inf", "nan", "1e999", "1e300", "-1"):
            bus("CUDA", **{attribute: value})
            refused(f"{attribute} {value}", ["import", "starpu-platform", ".", "-o", "p.json"], "h.platform.v4.xml#/link/")
    bus("CUDA")
    for value in ("inf", "1e307", "nan", "-inf", "0"):
        write("bus/h.bandwidth", f"0 {value}\n{value} 0\n")
        check(f"matrix {value}", imported("starpu-platform", ".")["node_types"]["h"]["bus"]["predicted"]["bandwidth_Bps"], [[0, 24000000000], [24000000000, 0]])
        check("it is read again", run("platform", "show", "out.json")[0] in (0, 2) and "JSON" not in run("platform", "show", "out.json")[2], True)


def bus(kind, gpus=1, bandwidth="24000000000", latency="0.000012", counts="", suffix="v4.xml", before=0):
    """Writes StarPU's bus files of a host h; `before`: memory nodes of other devices before those of the GPUs."""
    hosts = "".join(f'<host id="{kind}{g}" speed="1f"><prop id="model" value="G"/><prop id="memsize" value="1000000000"/></host>' for g in range(gpus))
    links = "".join(f'<link id="{a}-{b}" bandwidth="{bandwidth}Bps" latency="{latency}s"/>' for g in range(gpus) for a, b in (("RAM", f"{kind}{g}"), (f"{kind}{g}", "RAM")))
    routes = "".join(f'<route src="{a}" dst="{b}" symmetrical="NO"><link_ctn id="{a}-{b}"/></route>' for g in range(gpus) for a, b in (("RAM", f"{kind}{g}"), (f"{kind}{g}", "RAM")))
    write(f"bus/h.platform.{suffix}", f'<platform version="4"><AS id="AS0" routing="Full">{hosts}<host id="RAM" speed="1f"/>{links}{routes}</AS></platform>')
    write("bus/h.config", counts or f"# Current configuration\n8 # Number of CPUs\n1 # Number of NUMA nodes\n0 # Number of CUDA nodes\n{gpus} # Number of {kind} nodes\n")
    size = 1 + before + gpus
    write("bus/h.bandwidth", "# to 0\n" + "".join("\t".join(str(1000 * (a + 1) + b) if a != b else "0" for b in range(size)) + "\n" for a in range(size)))
    write("bus/h.latency", "".join("\t".join("1" if a != b else "0" for b in range(size)) + "\n" for a in range(size)))


@case
def buses_with_gpus_of_all_kinds():
    for kind in ("CUDA", "HIP", "SYCL"):
        bus(kind, 2)
        node = imported("starpu-platform", ".")["node_types"]["h"]
        check(f"GPUs of {kind}", (node["cores"], len(node["gpus"]), [r["to"] for r in node["bus"]["routes"]]), (8, 2, ["cuda0", "cuda1", "ram", "ram"]))
        check(f"matrix of {kind}", node["bus"]["predicted"]["bandwidth_Bps"][0], [0, 1001e6, 1002e6])
    head = "8 # Number of CPUs\n1 # Number of NUMA nodes\n0 # Number of CUDA nodes\n"
    older = "8 # Number of CPUs\n2 # Number of CUDA devices\n0 # Number of OpenCL devices\n2 # Number of NUMA nodes\n"
    bus("CUDA", 2, counts=older, before=1)
    check("NUMA nodes come first", imported("starpu-platform", ".")["node_types"]["h"]["bus"]["predicted"]["bandwidth_Bps"][0], [0, 1002e6, 1003e6])
    bus("HIP", 2, counts=head + "1 # Number of OpenCL nodes\n2 # Number of MPI nodes\n2 # Number of HIP nodes\n", before=3)
    platform = imported("starpu-platform", ".")
    check("matrix after other devices", platform["node_types"]["h"]["bus"]["predicted"]["bandwidth_Bps"][0], [0, 1004e6, 1005e6])
    check("devices left out", [f for f in platform["findings"] if "devices are left out" in f],
          [f"h.config: {n} {kind} devices are left out (cores and GPUs of one kind are simulated)" for n, kind in ((1, "OpenCL"), (2, "MPI"))])
    bus("OpenCL", 2)
    platform = imported("starpu-platform", ".")
    check("OpenCL alone", (len(platform["node_types"]["h"]["gpus"]), "2 OpenCL devices are left out" in platform["findings"][-1]), (0, True))


@case
def older_bus_folders():
    bus("CUDA", suffix="xml", counts="4 # Number of CPUs\n1 # Number of CUDA devices\n0 # Number of OpenCL devices\n")
    node = imported("starpu-platform", ".")["node_types"]["h"]
    check("HOST.platform.xml", (node["cores"], len(node["gpus"]), node["bus"]["predicted"]["bandwidth_Bps"][0][1]), (4, 1, 1001e6))


@case
def units_and_names_are_required():
    bus("CUDA")
    refused("--nic", ["import", "starpu-platform", ".", "--nic", "10Gb/s", "-o", "p.json"], "--nic#", "a bandwidth and a latency", "10Gb/s,20us", "ethernet-10g")
    refused("--ram", ["import", "starpu-platform", ".", "--ram", "192", "-o", "p.json"], "--ram#", "192", "GB")
    check("--ram 192GB", imported("starpu-platform", ".", "--ram", "192GB")["node_types"]["h"]["ram_bytes"], 192 * 10**9)
    check("a network", imported("starpu-platform", ".", "--nic", "infiniband-hdr")["node_types"]["h"]["nic"]["bandwidth_Bps"], 24000000000)
    write("starpu/COPYING.LGPL", "GNU LESSER GENERAL PUBLIC LICENSE\n")
    code, _, error = run("import", "starpu-model", "starpu", "-o", "k.json")
    check(f"no machine LGPL: {error}", (code, "LGPL" in error), (2, False))
    write("starpu/dgemm.node", model((0, 0, [(GEMM, 45000, 200)])))
    check("one machine beside a licence", timings(imported("starpu-model", "starpu")), {("gemm", "cpu", 960): 45000})


def measurements_in(folder, letter="d", size=8):
    """Writes the bus and the histories of a host h below a folder."""
    bus("CUDA")
    for name, tiles in (("gemm", 3), ("potrf", 1), ("trsm", 2), ("syrk", 2)):
        write(f"codelets/45/{letter}{name}.h", model((0, 0, [(tiles * 960**2 * size, 45000, 200)])))
    for place in ("bus", "codelets/45", "bus/h.config", "."):
        check(f"{place}, from here", run("import", "starpu", place, "-o", "here.json", "--force")[0], 0)
        os.remove("here.json"), os.remove("h.kernels.json")
    os.makedirs(folder)
    for part in ("bus", "codelets"):
        shutil.move(part, os.path.join(folder, part))


@case
def one_command_for_a_machine():
    measurements_in("home/.starpu/sampling")
    for place in ("home", "home/", "home/.starpu", "home/.starpu/sampling", "home/.starpu/sampling/bus", "home/.starpu/sampling/codelets/45/",
                  "home/.starpu/sampling/bus/h.config", ".", "./home/../home"):
        code, out, error = run("import", "starpu", place, "--nic", "10Gb/s,20us", "--ram", "64GiB", "-o", "m.json", "--force")
        check(f"{place}: {error}", code, 0)
        node = json.load(open("m.json"))["node_types"]["h"]
        check(f"{place}: kernels beside the platform", (node["kernels"], node["ram_bytes"], len(node["gpus"])), ("h.kernels.json", 2**36, 1))
        check(f"{place}: what can run", ("cholesky: double precision, tiles of 960" in error, "lu (no timing of" in error), (True, True))
        write("s.json", json.dumps({"platform": "m.json", "application": {"type": "cholesky", "nt": 3, "nb": 960}}))
        check(f"{place}: it runs", run("run", "s.json")[0], 0)
        os.remove("m.json"), os.remove("h.kernels.json")
    measurements_in("other/machine")
    refused("several machines below", ["import", "starpu", ".", "-o", "m.json"], "home/.starpu", "other/machine", "Give one of them")
    shutil.rmtree("other/machine/codelets")
    refused("no timings", ["import", "starpu", "other", "-o", "m.json"], "other/machine#")
    check("nothing half-written", [os.path.exists("m.json"), os.path.exists("h.kernels.json")], [False, False])


@case
def init_takes_the_precision_that_was_measured():
    for letter, size, precision in (("d", 8, "double"), ("s", 4, "single")):
        measurements_in(precision, letter, size)
        check(precision, run("import", "starpu", precision, "--nic", "10Gb/s,20us", "--ram", "64GiB", "-o", "m.json", "--force")[0], 0)
        check(f"init, {precision}", run("init", "--platform", "m.json", "--application", "cholesky", "-o", "s.json", "--force")[0], 0)
        check(f"it is {precision}", json.load(open("s.json"))["application"]["precision"], precision)
        check(f"it runs in {precision}", run("run", "s.json")[0], 0)


@case
def calibration_without_kernels():
    write("run.csv", "task,worker,start,end\nmine,cpu0,0,1\n")
    refused("calibrate", ["calibrate", "run.csv", "--out", "k.json"], "1 executions of mine are left out")


@case
def platforms_of_simgrid_with_actors():
    hosts = "".join(f'<host id="n{i}" speed="1Gf"/>' for i in (0, 1))
    route = '<link id="l" bandwidth="1GBps" latency="10us"/><route src="n0" dst="n1"><link_ctn id="l"/></route>'
    zone = f'<zone id="z" routing="Full">{hosts}{route}</zone>'
    head = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">"
    write("s.json", json.dumps({"platform": {"file": "bora", "nodes": [{"type": "bora", "count": 2}]},
                                "application": {"type": "lu", "nt": 3, "nb": 960}, "network": {"simgrid_xml": {"file": "p.xml"}}}))
    for actors in ("", '<actor host="n0" function="sender"><argument value="3"/></actor>', '<process host="n1" function="f" start_time="1"/>'):
        write("p.xml", f"{head}{zone}{actors}</platform>")
        code, out, error = run("run", "s.json", "--json", "-q")
        if "libsimgrid-dev" in error:
            return
        check(f"{actors} {error}", code, 0)
        check("actors are a finding", "left out: " in " ".join(json.loads(out or "{}").get("findings", [])), actors != "")
    write("p.xml", f'{head}<actor host="n0" function="sender"/></platform>')
    refused("deployment", ["run", "s.json"], "it holds no host", "deployment")
    islands = "".join(f'<zone id="z{i}" routing="Full"><host id="h{i}" speed="1Gf"/><router id="r{i}"/></zone>' for i in (0, 1))
    for name, content in (("islands without coordinates", f'<zone id="w" routing="Vivaldi">{islands}</zone>'),
                          ("unknown gateway", f'<!-- two\n\nlines -->\n<zone id="w" routing="Full">{islands}<link id="l" bandwidth="1GBps" latency="1us"/>'
                           '<zoneRoute src="z0" gw_src="r9" dst="z1" gw_dst="r1"><link_ctn id="l"/></zoneRoute></zone>')):
        write("p.xml", f"{head}{content}</platform>")
        refused(name, ["run", "s.json"], "SimGrid has no routes from it (")
        error = run("run", "s.json")[2]
        check(f"{name}: no address in memory, no line of a copy: {error}", re.search(r"0x[0-9a-f]{4}|\.xml:[0-9]", error), None)


cases.run(errors=(KeyError, TypeError, json.JSONDecodeError))
