#!/usr/bin/env python3
"""Gives factosim hostile inputs of all formats and judges what it does: tests/attack/inputs.py PROGRAM [SEED [COUNT [KEEP]]]

Every input is drawn from SEED and its number. Fine: exit codes 0, 2, 4, 5, with a message of one line where it fails.
Findings: other exit codes, signals, 20 s of CPU, 1.5 GB, control characters in messages, changed files outside of the
folder of results, results that are no JSON or XML, finished runs that `factosim check` refuses. KEEP: folder for findings.
"""

import collections
import glob
import json
import os
import random
import shutil
import struct
import sys
import xml.dom.minidom
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import damage
import documents
import hosts
from box import Box, broken_checks, options

SETTINGS = ["/application/nt", "/application/nb", "/application/type", "/scheduler/type", "/network/model", "/seed", "/name",
            "/distribution", "/noise", "/runtime/gpu_pipeline", "/outputs/series", "/platform", "", "/", "nt", "/a~2b", "/application",
            "/network/nic/latency_s", "/distribution/speeds/7", "/platform/nodes/0/count", "/outputs/paje", "/network/max_sends"]
FORMATS = ["trace", "chrome", "starpu", "paje", "dot"]
FIGURES = ["iterations", "workers", "states", "nodes", "ready", "submitted", "gflops", "memory", "bus", "network", "messages", "map",
           "bounds", "lost", "workers,lost,map", "x", ""]


class Campaign:
    def __init__(self, program, seed, keep):
        self.box = Box(program, keep)
        self.seed = seed
        self.samples = Box(program)
        self.trees = []
        self.make_samples()

    def make_samples(self):
        """A run in all formats, and the folder of a sweep, that later inputs are made from."""
        draw, box = random.Random(self.seed), self.samples
        described, files = documents.platform(draw, 2)
        nodes = sum(each["count"] for each in described["nodes"])
        document, _ = documents.scenario(draw, nodes, small=True)
        document["application"] = {"type": "cholesky", "nt": 4, "nb": 100}
        document["distribution"] = {"type": "block-cyclic"}
        document["outputs"] = {name: True for name in FORMATS if name != "trace"} | {"series": {"points": 20}}
        for name, content in {"p.json": described, "s.json": document, **files}.items():
            box.write(name, json.dumps(content))
        box.write("w.json", json.dumps({**documents.sweep(draw), "points": {"/seed": [1, 2]}, "replicas": 1}))
        for arguments in (["run", box.path("in", "s.json"), "--out", box.path("out", "run")],
                          ["sweep", box.path("in", "w.json"), "--out", box.path("out", "sweep"), "--jobs", "1"]):
            outcome = box.run(arguments)
            assert outcome.code == 0, outcome.err
        ringed, ring = documents.ring(draw)
        looped, costs, loop = documents.loop(draw)
        self.trees = [described, document, documents.sweep(draw), ringed, ring, looped, costs, loop, *files.values()]

    def spoiled(self, draw, content):
        return damage.json_text(draw, damage.tree(draw, content, self.trees))

    # Each of the following writes inputs and returns the arguments of one call.

    def factorization(self, draw, hostile=True):
        box = self.box
        described, files = documents.platform(draw)
        nodes = sum(each["count"] for each in described["nodes"])
        document, tiles = documents.scenario(draw, nodes, small=True)
        written = {"p.json": described, "s.json": document, **files}
        victim = draw.choice(["s.json", "s.json", "p.json", draw.choice(list(written))]) if hostile else None
        for name, content in written.items():
            box.write(name, self.spoiled(draw, content) if name == victim else json.dumps(content))
        box.write("map.txt", damage.lines(draw, tiles) if hostile and draw.random() < 0.1 else tiles)
        return box.path("in", "s.json")

    def scenario(self, draw):
        file = self.factorization(draw)
        return draw.choice([["run", file, "--out", self.box.path("out", "r")]] * 5 + [
            ["bounds", file, "--json"], ["distribute", file, "--json"], ["distribute", file, "--svg", self.box.path("out", "m.svg")],
            ["distribute", file, "--chameleon", self.box.path("out", "m.txt"), "--improve", "1", "--evaluations", "5"],
            ["run", file, "--json", "--replicas", "2", "--noise", "normal"],
            ["advise", file, "--runs", "3", "--jobs", "1", "--json"]])

    def other_kinds(self, draw):
        box = self.box
        if draw.random() < 0.5:
            described, document = documents.ring(draw)
            written = {"p.json": described, "s.json": document}
        else:
            described, costs, document = documents.loop(draw)
            written = {"p.json": described, "costs.json": costs, "s.json": document}
        victim = draw.choice(list(written))
        for name, content in written.items():
            box.write(name, self.spoiled(draw, content) if name == victim else json.dumps(content))
        file = box.path("in", "s.json")
        return draw.choice([["run", file, "--out", box.path("out", "r")], ["run", file, "--json"], ["bounds", file], ["distribute", file]])

    def sweep(self, draw):
        box = self.box
        self.factorization(draw, hostile=draw.random() < 0.15)
        box.write("w.json", self.spoiled(draw, documents.sweep(draw)))
        file = box.path("in", "w.json")
        return ["sweep", file, "--jobs", "1"] + draw.choice([
            ["--count"], ["--out", box.path("out", "w")], ["--out", box.path("out", "w"), "--report"],
            ["--engine", "list", "--out", box.path("out", "w")], ["--count", "--json"],
            ["--count", "--filter", draw.choice(damage.TEXTS + ["[\"<\",1]", "[\"in\",[\"nodes\"],[1]]", "[[", "{}"])],
            ["--points", draw.choice(["1:2", "0:0", "2:1", "1:99999999999", "a:b", ":", "-1:1"]), "--out", box.path("out", "w")]])

    def trace(self, draw):
        """A recorded run in one of the formats, spoiled, for all that reads traces."""
        box, source = self.box, self.samples.path("out", "run")
        kind = draw.choice(["run.trace", "run.trace", "trace.paje", "starpu", "starpu"])
        if os.path.isdir(os.path.join(source, kind)):
            shutil.copytree(os.path.join(source, kind), box.path("in", "t"))
            names = sorted(os.listdir(box.path("in", "t")))
            name = draw.choice(names)
            spoiled = box.path("in", "t", name)
            given = box.path("in", "t") if draw.random() < 0.8 else spoiled
        else:
            name, spoiled = kind, box.path("in", kind)
            shutil.copy(os.path.join(source, kind), spoiled)
            given = spoiled
        with open(spoiled, "rb") as file:
            content = file.read()
        if kind == "run.trace":
            content = self.native(draw, content)
        elif draw.random() < 0.8:
            content = damage.lines(draw, content.decode("latin-1")).encode("utf-8", "surrogatepass")
        else:
            content = damage.octets(draw, content)
        if draw.random() < 0.1:
            content = damage.compressed(draw, content)
        with open(spoiled, "wb") as file:
            file.write(content)
        box.write("r.json", json.dumps({"format": "factosim-scenario", "version": 1, "outputs": {"paje": True},
                                        "application": {"type": "trace", "file": given}}))
        out = box.path("out", "x")
        return draw.choice([
            ["export", given, "--format", draw.choice(FORMATS), "-o", out], ["export", given, "--format", draw.choice(FORMATS), "-o", out],
            ["compare", given, self.samples.path("out", "run"), "--json"], ["compare", given, given],
            ["report", given, "-o", out + ".html"], ["report", given, "--figure", draw.choice(FIGURES), "-o", out + ".svg"],
            ["calibrate", given, "--name", "n", "--out", out + ".json", "--platform", out + "p.json"],
            ["run", box.path("in", "r.json"), "--out", out], ["run", box.path("in", "r.json"), "--json"],
            ["import", "starpu-timings", spoiled, "--host", "h", "-o", out]])

    def native(self, draw, content):
        """Our own form with a right checksum: the head is spoiled as JSON, or columns as bytes."""
        body = content[:-4]
        head, columns = body.split(b"\n", 1)
        if draw.random() < 0.4:
            head = self.spoiled(draw, json.loads(head)).replace(b"\n", b" ")
        else:
            columns = damage.octets(draw, columns)
        body = head + b"\n" + columns
        return body + (struct.pack("<I", zlib.crc32(body)) if draw.random() < 0.95 else content[-4:])

    def results(self, draw):
        """Results of runs and sweeps that somebody has altered."""
        box = self.box
        kind = draw.choice(["run", "sweep"])
        shutil.copytree(self.samples.path("out", kind), box.path("out", kind))
        shutil.copytree(self.samples.path("in"), box.path("in"), dirs_exist_ok=True)
        victims = [f for f in glob.glob(box.path("out", kind, "**"), recursive=True) if f.endswith((".json", ".jsonl", ".csv", ".trace"))]
        victim = draw.choice(sorted(victims))
        with open(victim, "rb") as file:
            content = file.read()
        if victim.endswith(".json") and draw.random() < 0.8:
            content = self.spoiled(draw, json.loads(content))
        elif draw.random() < 0.5 and not victim.endswith(".trace"):
            content = damage.lines(draw, content.decode()).encode("utf-8", "surrogatepass")
        else:
            content = damage.octets(draw, content)
        with open(victim, "wb") as file:
            file.write(content)
        folder, out = box.path("out", kind), box.path("out", "x")
        if kind == "run":
            return draw.choice([["check", folder], ["check", folder, "--json"], ["compare", folder, self.samples.path("out", "run"), "--no-simulation"],
                                ["compare", folder, folder, "--tolerance", "makespan=1%"], ["report", folder, "-o", out + ".html"],
                                ["export", folder, "--format", "paje", "-o", out],
                                ["report", os.path.join(folder, "result.json"), "--figure", draw.choice(FIGURES), "-o", out + ".svg"]])
        again = ["sweep", box.path("in", "w.json"), "--out", folder, "--jobs", "1"]
        return draw.choice([again + ["--resume"], again + ["--resume", "--report"], again + ["--collect"], ["report", folder, "-o", out + ".html"],
                            ["report", folder, "--figure", draw.choice(["makespan_s", "gflops,efficiency", "no", "seed"]), "-o", out + ".svg"]])

    def foreign(self, draw):
        """Files of StarPU and SimGrid: bus measurements, performance models, platforms in XML; and files to convert."""
        box, out = self.box, self.box.path("out", "x.json")
        kind = draw.choice(["bus", "model", "xml", "xml", "convert"])
        if kind == "convert":
            text = hosts.to_convert(draw)
            content = damage.lines(draw, text).encode("utf-8", "surrogatepass") if draw.random() < 0.8 else damage.octets(draw, text.encode())
            box.write("c", content.decode("latin-1"))
            forced = draw.choice([[], [], ["--from", draw.choice(["dax", "hpl", "formatted-tasks"])]])
            return ["convert", box.path("in", "c"), "-o", box.path("out", "x.jsonl"), "--platform", "mirage", *forced]
        if kind == "xml":
            box.write("net.xml", hosts.simgrid_xml(draw, damage))
            self.factorization(draw, hostile=False)
            network = {"simgrid_xml": {"file": "net.xml"}, "model": draw.choice(["simgrid", "maxmin", "constant"])}
            if draw.random() < 0.3:
                network["simgrid_xml"]["prefix"] = draw.choice(["h", "", "x", "h1", "\n"])
            return [draw.choice(["run", "bounds", "run"]), box.path("in", "s.json"), "--set", "/network=" + json.dumps(network)]
        files = hosts.starpu_bus(draw) if kind == "bus" else hosts.perfmodel(draw)
        victim = draw.choice(sorted(files))
        for name, content in files.items():
            spoil = name == victim
            box.write("d/" + name, (damage.lines(draw, content) if draw.random() < 0.85 else
                                    damage.octets(draw, content.encode()).decode("latin-1")) if spoil else content)
        if kind == "bus":
            return ["import", "starpu-platform", box.path("in", "d"), "--host", draw.choice(["host", "host", "none", "h\nx"]), "-o", out]
        return ["import", "starpu-model", box.path("in", "d"), "--host", "host", "-o", out]

    def arguments(self, draw):
        """Right files and wrong words."""
        box = self.box
        file = self.factorization(draw, hostile=False)
        shutil.copytree(self.samples.path("out", "run"), box.path("out", "run"))
        words = [draw.choice(["run", "bounds", "distribute", "sweep", "advise", "import", "calibrate", "export", "compare", "report", "check"])]
        hostile = damage.TEXTS + [str(n) for n in damage.NUMBERS]
        strange = [box.path("out", "run"), file, "/dev/null", "/dev/full", "/proc/self/cmdline", "/", box.path("cwd"), box.path("in", "none"),
                   "/dev/fd/77", "/proc/self/fd/0", box.path("out", "n" * 250), box.path("out", "n" * 300), box.path("out", "d" + "/d" * 2000)]
        flags = ["--set", "--json", "--out", "--replicas", "--interval", "--noise", "--force-large", "--filter", "--jobs", "--memory",
                 "--max-points", "--points", "--chunk", "--count", "--report", "--collect", "--resume", "--objective", "--deadline",
                 "--distributions", "--schedulers", "--tile-sizes", "--runs", "--seconds", "--format", "-o", "--model-prefix",
                 "--dependencies", "--tolerance", "--no-simulation", "--figure", "--x", "--lines", "--svg", "--chameleon", "--evaluations",
                 "--improve", "--help", "--version", "--", "-", "--bogus", "--name", "--tiles", "--precision", "--kernels", "--cores"]
        for _ in range(draw.choice([0, 1, 1, 2, 3, 5])):
            words.append(draw.choice([file, draw.choice(strange), draw.choice(hostile)]))
            if draw.random() < 0.8:
                flag = draw.choice(flags)
                words.append(flag)
                if flag == "--set":
                    words.append(draw.choice(SETTINGS) + draw.choice(["=", "=", ""]) + draw.choice(hostile + damage.LITERALS))
                elif flag in ("--out", "-o", "--svg", "--chameleon"):
                    words.append(draw.choice([box.path("out", "y"), box.path("out", "run"), draw.choice(strange)]))
                elif flag in ("--improve", "--seconds", "--deadline"):
                    words.append(draw.choice(["1", "0.1", "-1", "nan", "1e-9"]))
                elif flag in ("--jobs", "--evaluations", "--runs", "--replicas"):
                    words.append(draw.choice(["1", "0", "-1", "2", "x", "1e3", "99999999999999999999"]))
                else:
                    words.append(draw.choice(hostile + FIGURES + FORMATS + ["makespan=1%", "makespan=nan%", "a=", "1:2", "double", "gemm", "eager,lws"]))
        return words

    def names(self, draw):
        """Right contents under hostile names."""
        box = self.box
        self.factorization(draw, hostile=False)
        name = os.fsdecode(draw.choice([b"a\nb", b"\x1b[31m", b"x;touch PWN", b"$(touch PWN)", b"`x`", b"-o", b"--force", b"\xff\xfe", b"'", b'"', b"a b",
                                        b"%s", b"a#b", b"n" * 200, b"\xe2\x80\xaegnp", b"x\ty", b"=1+1", b"<b>", b"x\r", b"\xc2\x9b31m", b"~", b"*"]))
        ending = draw.choice([".json", ".json", "", ".sweep.json"])
        here = box.path("in", name + ending)
        out = box.path("out", name)
        choice = draw.random()
        if choice < 0.35:
            os.rename(box.path("in", "s.json"), here)
            return ["run", here, "--out", out]
        if choice < 0.5:
            box.write("w.json", json.dumps(documents.sweep(draw)))
            os.rename(box.path("in", "w.json"), here)
            return ["sweep", here, "--jobs", "1"] + draw.choice([["--out", out, "--report"], ["--engine", "list", "--out", out], ["--count"]])
        shutil.copytree(self.samples.path("out", "run"), here)
        if choice < 0.7:
            return ["export", here, "--format", draw.choice(FORMATS), "-o", out]
        return draw.choice([["report", here, "-o", out + ".html"], ["report", here, here, "-o", out + ".html"], ["compare", here, here],
                            ["report", here, "--figure", "workers,nodes", "-o", out + ".svg"], ["check", here], ["bounds", here],
                            ["calibrate", here, "--name", name, "--out", out + ".json", "--provenance", name]])

    def read_back(self, arguments, outcome):
        """What a successful call has written is well-formed, and its run passes the audit."""
        found = []

        def no_number(text):
            raise ValueError(f"{text} is no JSON")

        if "--json" in arguments and outcome.code == 0 and "--help" not in arguments and "--engine" not in arguments:
            try:
                json.loads(outcome.out, parse_constant=no_number)
            except ValueError as error:
                found.append(f"standard output is no JSON: {error}")
        for folder, _, files in os.walk(self.box.path("out")):
            for file in files:
                path = os.path.join(folder, file)
                if os.path.getmtime(path) < self.began:
                    continue
                try:
                    with open(path, "rb") as opened:
                        content = opened.read()
                    if file.endswith(".json"):
                        json.loads(content, parse_constant=no_number)
                    elif file.endswith(".svg"):
                        xml.dom.minidom.parseString(content)
                except Exception as error:  # whatever the parsers raise
                    found.append(f"{file} is not well-formed: {error}")
        result = self.box.path("out", "r", "result.json")
        if arguments[0] == "run" and os.path.exists(result):
            checked = self.box.run(["check", "--json", self.box.path("out", "r")])
            if checked.code != 0 and b"check works on graphs of tasks" not in checked.err:
                found.append(f"check says {checked.code}: {broken_checks(checked)}")
        return found

    def one(self, number):
        families = [self.scenario] * 7 + [self.trace] * 5 + [self.arguments] * 3 + [self.foreign] * 3 + [self.sweep] * 3 + \
            [self.results] * 3 + [self.other_kinds] * 2 + [self.names] * 2
        draw = random.Random(f"{self.seed} {number}")
        family = families[number % len(families)]
        self.box.reset()
        arguments = family(draw)
        marker = self.box.path("out")
        self.began = os.stat(marker).st_mtime
        for entry in glob.glob(self.box.path("out", "**"), recursive=True):
            os.utime(entry, (1e9, 1e9))  # what the program writes is newer
        outcome = self.box.run(arguments)
        if outcome is None:
            return family.__name__, None
        if outcome.code == 0:
            outcome.findings += self.read_back(arguments, outcome)
        if outcome.findings:
            self.box.save(f"inputs-{self.seed}-{number}", arguments, outcome)
        return family.__name__, outcome


def main():
    program, seed, count, keep = options(2000)
    campaign = Campaign(program, seed, keep)
    codes, cpu, most, findings = collections.defaultdict(collections.Counter), 0.0, 0, 0
    for number in range(count):
        family, outcome = campaign.one(number)
        if outcome is None:
            codes[family]["not given"] += 1
            continue
        codes[family][outcome.code] += 1
        cpu += outcome.cpu_s
        most = max(most, outcome.memory_b)
        if outcome.findings:
            findings += 1
            print(f"{seed} {number} {family}: {'; '.join(outcome.findings)}", flush=True)
    print(f"{count} inputs, seed {seed}: {cpu:.0f} s of CPU, at most {most / 1e6:.0f} MB, {findings} with findings")
    for family, counted in codes.items():
        print(f"  {family:14}" + ", ".join(f"{counted[c]} x {c}" for c in sorted(counted, key=str)))
    campaign.box.close()
    campaign.samples.close()
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
