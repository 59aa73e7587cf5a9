"""Files of other tools that are converted, against readers of the tests' own: durations, dependencies, sizes, and what is refused."""

import collections
import gzip
import importlib
import json
import os
import random
import subprocess
import unittest
import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import factosim
from graph_lines import longest, rows_of
from surroundings import PROGRAM, InOwnFolder

DIAMOND = """<?xml version="1.0" encoding="UTF-8"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="2.1" name="diamond" jobCount="4" childCount="3">
  <job id="ID0" namespace="n" name="split" runtime="2.5">
    <uses file="in" link="input" size="1000"/><uses file="left" link="output" size="300"/>
    <uses file="right" link="output" size="400"/>
  </job>
  <job id="ID1" name="work" runtime="4"><uses file="left" link="input" size="300"/><uses file="a" link="output" size="7"/></job>
  <job id="ID2" name="work" runtime="3"><uses file="right" link="input" size="400"/><uses file="b" link="output" size="9"/></job>
  <job id="ID3" name="join" runtime="1"><uses file="a" link="input" size="7"/><uses file="b" link="input" size="9"/></job>
  <child ref="ID1"><parent ref="ID0"/></child>
  <child ref="ID2"><parent ref="ID0"/></child>
  <child ref="ID3"><parent ref="ID1"/><parent ref="ID2"/></child>
</adag>
"""
HPL = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
6            device out (6=stdout,7=stderr,file)
{ns}         # of problems sizes (N)
{n}          Ns
{nbs}        # of NBs
{nb}         NBs
0            PMAP process mapping (0=Row-,1=Column-major)
{grids}      # of process grids (P x Q)
{p}          Ps
{q}          Qs
16.0         threshold
1            # of panel fact
2 1          PFACTs (0=left, 1=Crout, 2=Right)
2            # of recursive stopping criterium
2 4          NBMINs (>= 1)
"""


def hpl(n="9600", nb="960", p="1", q="1"):
    counts = {name: len(text.split()) for name, text in (("ns", n), ("nbs", nb), ("grids", p))}
    return HPL.format(n=n, nb=nb, p=p, q=q, **counts)


def read_dax(text):
    """Runtimes, dependencies, and the sizes of files by their writer, of a DAX without surprises."""
    seconds, before, writer, sizes, reads = {}, collections.defaultdict(set), {}, {}, []
    for element in ElementTree.fromstring(text):
        kind = element.tag.rsplit("}")[-1]
        if kind == "job":
            seconds[element.get("id")] = float(element.get("runtime"))
            for use in element:
                file, out = use.get("file", use.get("name")), use.get("link") == "output"
                sizes[file] = int(use.get("size")) if out else sizes.get(file, int(use.get("size")))
                (writer.__setitem__ if out else lambda f, j: reads.append((f, j)))(file, element.get("id"))
        elif kind == "child":
            before[element.get("ref")] |= {parent.get("ref") for parent in element}
    for file, job in reads:
        before[job] |= {writer[file]} if file in writer else set()
    return seconds, {job: before[job] for job in seconds}, sizes


class Convert(InOwnFolder):
    def run_program(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, **environment})

    def converted(self, content, name="file", *arguments):
        """The text that the program writes, and what it says."""
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        done = self.run_program("convert", name, "-o", "out", "--force", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Path("out").read_text(), done.stderr

    def refused(self, content, *parts, arguments=(), name="file"):
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        Path("none").unlink(missing_ok=True)
        done = self.run_program("convert", name, "-o", "none", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertFalse(Path("none").exists())
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    # ---- DAX ----

    def test_a_workflow_of_pegasus_keeps_times_files_and_dependencies(self):
        tasks, before, sizes, head = rows_of(self.converted(DIAMOND, "d.dax")[0])
        self.assertEqual({t: r["cpu_s"] for t, r in tasks.items()}, {"ID0": 2.5, "ID1": 4, "ID2": 3, "ID3": 1})
        self.assertEqual({t: r["kernel"] for t, r in tasks.items()}, {"ID0": "split", "ID1": "work", "ID2": "work", "ID3": "join"})
        self.assertEqual(before, {"ID0": set(), "ID1": {"ID0"}, "ID2": {"ID0"}, "ID3": {"ID1", "ID2"}})
        self.assertEqual(sizes, {"in": 1000, "left": 300, "right": 400, "a": 7, "b": 9})
        self.assertEqual(head["recorded"]["findings"], [])
        self.assertEqual(head["name"], "diamond")
        with_control = DIAMOND.replace('<uses file="a" link="input" size="7"/>', "")
        tasks = rows_of(self.converted(with_control, "d.dax")[0])[0]
        self.assertEqual(tasks["ID3"]["depends_on"], ["ID1"])

    def test_random_workflows_are_as_another_reader_reads_them(self):
        for seed in range(10):
            draw = random.Random(seed)
            count = draw.randint(1, 40)
            writers = {j: [f"f{j}_{i}" for i in range(draw.randint(0, 3))] for j in range(count)}
            jobs, children = [], []
            for j in range(count):
                read = [f for b in range(j) for f in writers[b] if draw.random() < 2 / (j + 1)]
                uses = "".join(f'<uses name="{f}" link="input" size="{1000 + hash_of(f)}"/>' for f in read)
                uses += "".join(f'<uses name="{f}" link="output" size="{1000 + hash_of(f)}"/>' for f in writers[j])
                jobs.append(f'<job id="j{j}" name="k{j % 3}" runtime="{draw.random() * 10:.3f}">{uses}</job>')
                for b in range(j):
                    if draw.random() < 0.05:
                        children.append(f'<child ref="j{j}"><parent ref="j{b}"/></child>')
            draw.shuffle(jobs)  # a reader may come before the writer
            text = f'<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6">{"".join(jobs + children)}</adag>'
            seconds, expected, sizes = read_dax(text)
            written, _ = self.converted(text)
            tasks, before, found_sizes, _ = rows_of(written)
            self.assertEqual(before, expected)
            self.assertEqual(found_sizes, sizes)
            self.assertEqual({t: r["cpu_s"] for t, r in tasks.items()}, seconds)
            self.assertEqual(written, self.converted(gzip.compress(text.encode()))[0])  # deterministic, and compressed
        bounds = factosim.bounds({"platform": "mirage", "application": {"type": "graph", "file": "out"}})
        self.assertAlmostEqual(bounds["critical_path_s"], longest(expected, seconds), 6)

    def test_what_a_workflow_lacks_is_said_and_kept(self):
        def findings(old, new):
            text, errors = self.converted(DIAMOND.replace(old, new), "d.dax")
            kept = rows_of(text)[3]["recorded"]["findings"]
            for finding in kept:
                self.assertIn(f"warning: d.dax: {finding}", errors)
            return " ".join(kept)

        self.assertIn('1 job has no runtime, "ID1" first: they take no time', findings(' runtime="4"', ""))
        self.assertIn('1 file has no size, "in" first', findings(' size="1000"', ""))
        self.assertIn('1 file has no size, "in" first', findings(' size="1000"', ' size="-1"'))
        self.assertIn('1 file has several sizes, "left" first', findings('link="input" size="300"', 'link="input" size="301"'))
        self.assertIn("1 dependency through files that no child lists", findings('<child ref="ID1"><parent ref="ID0"/></child>', ""))
        self.assertIn('1 file is written by several jobs, "a" first', findings('file="b"', 'file="a"'))
        self.assertIn("1 workflow within the workflow", findings('<child ref="ID1">', '<dax id="X" file="in"/><child ref="ID1">'))
        self.assertIn("1 use of files that are neither", findings('link="output" size="9"', 'link="none" size="9"'))
        untimed = DIAMOND
        for seconds in ("2.5", "4", "3", "1"):
            untimed = untimed.replace(f' runtime="{seconds}"', "")
        self.assertIn("no job has a runtime", self.converted(untimed)[1])

    def test_jobs_that_write_files_of_one_name_run_side_by_side(self):
        jobs = "".join(f'<job id="m{i}" name="fit" runtime="1"><uses file="fit.txt" link="output" size="{i}"/></job>' for i in range(3))
        last = '<job id="c" name="concat" runtime="1"><uses file="fit.txt" link="input" size="5"/></job>'
        links = '<child ref="c"><parent ref="m0"/><parent ref="m2"/></child>'
        _, before, sizes, _ = rows_of(self.converted(f"<adag>{jobs}{last}{links}</adag>")[0])
        self.assertEqual(before, {"m0": set(), "m1": set(), "m2": set(), "c": {"m0", "m2"}})
        self.assertEqual(sizes, {"fit.txt of m0": 0, "fit.txt of m1": 1, "fit.txt of m2": 2})

    def test_version_3_may_say_sizes_and_runtimes_in_elements(self):
        text = """<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6">
            <file name="in"><metadata key="size">11</metadata></file>
            <job id="a" name="k"><argument>-i <file name="in"/></argument><profile namespace="pegasus" key="runtime"> 2.5 </profile>
              <uses name="in" link="input"/><uses name="out" link="output"><metadata key="size">13</metadata></uses>
              <uses name="log" link="inout"><metadata key="size">1</metadata></uses></job></adag>"""
        tasks, _, sizes, _ = rows_of(self.converted(text)[0])
        self.assertEqual(sizes, {"in": 11, "out": 13, "log": 1})
        self.assertEqual(tasks["a"], {"task": "a", "kernel": "k", "accesses": [["in", "R"], ["out", "W"], ["log", "RW"]], "cpu_s": 2.5})

    def test_damaged_workflows_are_refused_with_their_line(self):
        for old, new, *parts in [
            ("</adag>", "", "file#line 14: is no valid XML (no element found"),
            ('name="work" runtime="4">', 'name="work" runtime="4"', "file#line 7: is no valid XML"),
            ('runtime="4"', 'runtime="4s"', 'file#line 7: has "4s" as a runtime in seconds'),
            ('runtime="4"', 'runtime="-4"', "file#line 7: has the runtime -4 s"),
            ('runtime="4"', 'runtime="4e12"', 'file#line 7: has the task "ID1" of 4e+12 s'),
            ('runtime="4"', 'runtime="nan"', "file#line 7: "),
            ('runtime="4"', 'runtime="1e999"', "file#line 7: "),
            ('size="400"/>\n', 'size="4O0"/>\n', 'file#line 5: has "4O0" as a size in bytes'),
            ('size="1000"', 'size="1e30"', "file#line 4: has a file of 1e+30 bytes"),
            ('<uses file="in"', "<uses", "file#line 4: uses a file without a name"),
            ('id="ID1"', 'id="ID0"', 'file#line 7: has the task "ID0" again (line 3 has it)'),
            ('id="ID1" ', "", "file#line 7: has a job without an id"),
            ('<parent ref="ID2"/>', '<parent ref="ID9"/>', 'file#line 12: names the job "ID9" (no job has this id)'),
            ('<child ref="ID1"><parent ref="ID0"/>', '<child ref="ID0"><parent ref="ID3"/>', 'file#line 3: has the task "ID0", which waits'),
            ("UTF-8", "klingon", "file#line 1: cannot be decoded"),
            ("<adag", "<bdag", 'is no file that can be converted'),
        ]:
            with self.subTest(new):
                self.refused(DIAMOND.replace(old, new, 1), *parts)
        self.refused(DIAMOND.replace("adag", "bdag"), 'a document of "bdag"', arguments=["--from", "dax"])
        self.refused("<adag></adag>", "has no task")
        self.refused(b"", "file#: is empty")
        self.refused(gzip.compress(DIAMOND.encode())[:60], "file#: is damaged")

    def test_entities_are_refused_and_no_other_file_is_read(self):
        Path("secret").write_text("secret")
        laughs = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 30))
        for doctype in (laughs, '<!ENTITY l29 SYSTEM "secret">', '<!ENTITY % p SYSTEM "secret"> %p;'):
            self.refused(f'<?xml version="1.0"?>\n<!DOCTYPE adag [{doctype}]>\n<adag><job id="&l29;" name="k"/></adag>',
                         "file#line 2: defines the entity", "Remove it")

    # ---- formatted tasks ----

    def test_lists_of_times_keep_times_and_predecessors(self):
        text = "206 0.258401 -1\n207 0.250474 0.221564 206\n208 0.2 0.46 206\n209 0.15 0.061 208,207\n210 1 2 206 207, 209\n"
        tasks, before, _, _ = rows_of(self.converted(text)[0])
        self.assertEqual(tasks["206"], {"task": "206", "kernel": "task", "cpu_s": 0.000258401})
        self.assertEqual((tasks["207"]["cpu_s"], tasks["207"]["cuda_s"]), (0.000250474, 0.000221564))
        self.assertEqual(before, {"206": set(), "207": {"206"}, "208": {"206"}, "209": {"207", "208"}, "210": {"206", "207", "209"}})
        text, errors = self.converted("1 3.5 -1 2.25\r\n2 1.5 0.5 0.25 1\r\n")
        tasks = rows_of(text)[0]
        self.assertEqual(tasks["1"], {"task": "1", "kernel": "task", "cpu_s": 0.0035, "cuda1_s": 0.00225})
        self.assertEqual(tasks["2"]["cuda0_s"], 0.0005)
        self.assertIn("1 task cannot run on cuda0", errors)
        self.assertIn("ASSUMPTION: times are milliseconds", errors)

    def test_damaged_lists_are_refused_with_their_line(self):
        for text, part in [
            ("1 0.5 0.5\n2 0.5 0.x 1\n", "#line 2: has \"0.x\""),
            ("1 0.5 0.5\n2 0.5 0.5 3\n", '#line 2: lets "2" wait for the task "3"'),
            ("1 0.5 0.5\n1 0.5 0.5 1\n", '#line 2: has the task "1" again'),
            ("1 0.5 0.5\n2 0.5 0.5 2\n", '#line 2: has the task "2", which waits for itself'),
            ("1 0.5 0.5\n2 -1 -1 1\n", '#line 2: has the task "2", which no processor can run'),
            ("1 0.5 0.5\n2 0 1 1\n", '#line 2: has the task "2", which takes no time on one kind'),
            ("1 0.5 0.5\n2 1e18 1 1\n", '#line 2: has the task "2" of 1e+15 s'),
            ("1 0.5 0.5\n2 -0.5 1 1\n", "#line 2: has the time -0.5 ms"),
        ]:
            with self.subTest(text):
                self.refused(text, "file" + part, arguments=["--from", "formatted-tasks"])

    # ---- HPL ----

    def test_one_problem_of_hpl_is_a_scenario_that_runs_as_its_factorization(self):
        text, errors = self.converted(hpl(), "HPL.dat", "--platform", "mirage")
        Path("s.json").write_text(text)
        same = {"platform": "mirage", "application": {"type": "lu", "nt": 10, "nb": 960}, "scheduler": "dmdas"}
        self.assertEqual(factosim.run("s.json").makespan_s, factosim.run(same).makespan_s)
        self.assertIn("left out: PMAP 0, PFACT 2, NBMIN 2 4", errors)
        self.assertEqual(json.loads(text)["distribution"], {"type": "block-cyclic", "p": 1, "q": 1})
        self.assertIn("9600 rows instead of 9500", self.converted(hpl("9500"), "HPL.dat", "--platform", "mirage")[1])

    def test_several_problems_of_hpl_are_a_sweep_of_all_combinations(self):
        text, _ = self.converted(hpl("9600 19000 4800", "960 480", "1 2", "2 3"), "HPL.dat", "--platform", "mirage")
        found = []
        for point in json.loads(text)["points"]["list"]:
            p, q = point["/distribution/p"], point["/distribution/q"]
            self.assertEqual(point["/platform/nodes"], [{"type": "mirage", "count": p * q}])
            found.append((p, q, point["labels"]["N"], point["/application/nb"], point["/application/nt"]))
        expected = [(p, q, n, nb, -(-n // nb)) for p, q in ((1, 2), (2, 3)) for n in (9600, 19000, 4800) for nb in (960, 480)]
        self.assertEqual(found, expected)
        Path("out").rename("hpl.sweep.json")
        done = self.run_program("sweep", "hpl.sweep.json", "--count")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 points", done.stdout)

    def test_damaged_input_of_hpl_is_refused_with_its_line(self):
        for text, part in [
            (hpl().replace("9600 ", "96OO "), 'file#line 6: has "96OO" as N'),
            (hpl(n="9" * 5000), "file#line 6: has \"999"),
            (hpl(n="0"), 'file#line 6: has "0" as N'),
            (hpl(n="96000000"), "file#line 6: has N 96000000, 100000 tiles of NB 960"),
            (hpl(p="1 2", q="1"), 'file#line 12: has "Qs" as Q'),
            (hpl().split("Qs")[0].rsplit("\n", 1)[0], "file#line 12: is missing"),
            (hpl().replace("1        # of NBs", "x        # of NBs"), 'file#line 7: has "x" as the number of NB'),
        ]:
            with self.subTest(part):
                self.refused(text, part, arguments=["--platform", "mirage"])
        self.refused(hpl(), "needs a machine", "Give --platform NAME")
        self.refused(hpl(), 'no platform is called "nowhere"', arguments=["--platform", "nowhere"])

    # ---- all of them ----

    def test_graphs_that_are_no_graphs_yet_name_the_command(self):
        for text in (DIAMOND, hpl(), "1 0.5 0.25\n2 0.5 0.25 1\n"):
            Path("g").write_text(text)
            Path("s.json").write_text(json.dumps({"platform": "mirage", "application": {"type": "graph", "file": "g"}}))
            done = self.run_program("run", "s.json")
            self.assertEqual(done.returncode, 2)
            self.assertIn("Use factosim convert g", done.stderr)

    def test_files_are_written_whole_and_only_where_asked(self):
        Path("d.dax").write_text(DIAMOND)
        done = self.run_program("convert", "d.dax", "--json")
        self.assertEqual(json.loads(done.stdout), {"kind": "dax", "ending": ".jsonl", "counts": {"tasks": 4, "dependencies": 4, "data": 5},
                                                   "findings": [], "summary": "4 tasks, 4 dependencies, 5 data", "file": "d.jsonl"})
        self.assertIn("exists already", self.run_program("convert", "d.dax").stderr)
        self.assertEqual(self.run_program("convert", "d.dax", "-o", "d.dax", "--force").returncode, 2)
        self.assertEqual(Path("d.dax").read_text(), DIAMOND)
        printed = self.run_program("convert", "d.dax", "-o", "-").stdout
        self.assertEqual(printed, Path("d.jsonl").read_text())
        piped = subprocess.run([PROGRAM, "convert", "-", "-o", "-"], input=DIAMOND, capture_output=True, text=True).stdout
        self.assertEqual(rows_of(piped)[:3], rows_of(printed)[:3])
        self.assertIn("there is no python3, and this needs it", self.run_program("convert", "d.dax", "-o", "x", FACTOSIM_PYTHON="/nowhere").stderr)
        self.assertIn("which /bin/false does not have", self.run_program("convert", "d.dax", "-o", "x", FACTOSIM_PYTHON="/bin/false").stderr)
        self.refused("no such thing", "dax: Pegasus DAX", "formatted-tasks: ", "hpl: ")
        shown = self.run_program("convert", "--help").stdout
        self.assertTrue(all(kind in shown for kind in importlib.import_module("factosim.convert").formats))

    def test_python_returns_what_the_program_writes(self):
        Path("d.dax").write_text(DIAMOND)
        graph = factosim.convert("d.dax", "a/b.jsonl")
        self.run_program("convert", "d.dax", "-o", "c.jsonl")
        self.assertEqual(Path("a/b.jsonl").read_bytes(), Path("c.jsonl").read_bytes())
        run = factosim.simulate_graph(graph, "mirage")
        self.assertAlmostEqual(run.makespan_s, 7.5, 3)
        with self.assertRaisesRegex(factosim.InputError, "exists already"):
            factosim.convert("d.dax", "c.jsonl")
        Path("HPL.dat").write_text(hpl())
        self.assertAlmostEqual(factosim.run(factosim.convert("HPL.dat", platform="mirage")).makespan_s,
                               factosim.run({"platform": "mirage", "application": {"type": "lu", "nt": 10, "nb": 960},
                                             "scheduler": "dmdas"}).makespan_s)
        for error, *arguments in [("HPL.dat#: needs a machine", "HPL.dat"), ("nofile#: cannot be read", "nofile"),
                                  ('kind#: "x" is not known', "d.dax", None, "x")]:
            with self.assertRaisesRegex(factosim.InputError, error):
                factosim.convert(*arguments)
        Path("d.dax").write_text(DIAMOND.replace('"4"', '"x"'))
        with self.assertRaises(factosim.InputError) as caught:
            factosim.convert("d.dax")
        self.assertEqual((caught.exception.file, caught.exception.pointer), ("d.dax", "line 7"))
        with self.assertWarnsRegex(UserWarning, "1 file has no size"):
            warnings.simplefilter("always")
            Path("d.dax").write_text(DIAMOND.replace(' size="1000"', ""))
            factosim.convert("d.dax")


def hash_of(text):
    return sum(map(ord, text))


if __name__ == "__main__":
    unittest.main()
