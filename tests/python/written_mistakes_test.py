"""Two hundred mistakes as people write them, in scenarios, settings, grids, figures and files: each is an InputError that names what
was written. Kinds of arguments are drawn in drawn_mistakes_test.py."""

import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import factosim
from surroundings import FIRST

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 3, "nb": 960}, "network": "maxmin"}
GRAPH = factosim.TaskFlow()
GRAPH.submit(GRAPH.add_kernel("step", seconds=0.1), (GRAPH.add_handle(8), "rw"))
GRAPH = GRAPH.finish()


def scenario(**keys):
    return lambda: factosim.run({**LU, **keys})


def application(**keys):
    return scenario(application={**LU["application"], **keys})


def in_scenarios():
    """(the words of which the message has one, a call)."""
    for value in ("LU", "luu", 5, []):
        yield (str(value),), application(type=value)
    for key, values in {"nt": (0, -1, 2.5, "x", None, True, 10**9, [3], {}), "nb": (0, 7, 961, "960", None, 1e300),
                        "precision": ("dbl", 64, None), "variant": ("foo", 3)}.items():
        for value in values:
            yield (key,), application(**{key: value})
    for key in ("ntt", "Nt", "nb ", "precison"):
        yield (key,), application(**{key: 3})
    for value, word in (("mriage", "mirage"), ("", "platform"), (7, "7"), (["mirage"], "mirage"), ({"file": "mirage", "node": 3}, "node"),
                        ({"file": "mirage", "nodes": [{"type": "x", "count": 1}]}, '"x"'), ({}, "platform"),
                        ({"file": "mirage", "nodes": [{"type": "mirage", "count": -1}]}, "-1"), ({"node_types": {}}, "<platform>#"),
                        ({"node_types": {"n": 3}, "nodes": [], "network": {}}, "node_types/n"), ({"node_types": {"n": {"cores": 4}}}, "<platform>#"),
                        ({"file": "none.json"}, "none.json")):
        yield (word,), scenario(platform=value)
    for value in ("dmads", "", 5, {"type": "dm", "alhpa": 1}, ["dm"], {"type": None}, {"type": "dm", "alpha": "x"}, {"type": "dm", "alpha": -1}):
        yield ("scheduler",), scenario(scheduler=value)
    for value in ("blockcyclic", 5, {"type": "block-cyclic", "p": -1, "q": 1}, {"type": "block-cyclic", "p": 2, "q": 2}, {"p": 1}, [[1]],
                  [[0, 0, 0]], np.zeros((3, 3)), np.zeros((3, 3), bool), [["a"] * 3] * 3, [[0] * 3] * 2, np.zeros((2, 2, 2), int),
                  [[-1] * 3] * 3, [[9] * 3] * 3, [], [[0], [0, 1]], {"type": "file", "file": "no.txt"}):
        yield ("distribution",), scenario(distribution=value)
    for value in ("maxmim", 3, {"model": "x"}, {"modle": "maxmin"}, {"nic": {"bandwidth_Bps": "10"}}, {"nic": {"bandwidth_Bps": "10 Hz"}}, []):
        yield ("network",), scenario(network=value)
    for value in ("gauss", 0.1, {"worker_speed_deviation": -1}, {"typ": "normal"}, [1]):
        yield ("noise",), scenario(noise=value)
    for value in (-1, 1.5, "x", 2**70, None, [1]):
        yield ("seed",), scenario(seed=value)
    for key in ("sched", "seeed", "name ", "runtimes", "outptus"):
        yield (key,), scenario(**{key: 3})
    for key, value in {"prefetch": "yes", "lookahed": 3, "submission_cost_s": "5 GB", "gpu_memory_fraction": "half"}.items():
        yield (key,), scenario(runtime={key: value})
    for setting in ("nt", "nt=", "=3", "nt=x", {"nt": "x"}, {"": 3}, {"/": 3}, {"/application/x": 3}, {"/application": None}, {3: 4}, {"a/b/c": 1}):
        yield ("set#", "nt", "application"), lambda s=setting: factosim.run(LU, s if isinstance(s, dict) else [s])
    for file in ("none.json", "/tmp", "", "a\0b"):
        for function in (factosim.run, factosim.load, factosim.open_run, factosim.read_graph, factosim.bounds):
            yield (file or "is ''", repr(file)), lambda f=function, file=file: f(file)
    for nodes in (("mirage", 0), ("mirage", -1), ("mirage", 2.5), ("lille", 4), ("lille", {"x": 1}), ("lille", {"chetemi": 0}), ("mirage", "4"), ("lille", [3])):
        yield ("nodes",), lambda n=nodes: factosim.platform(*n)
    for kernels in ({"stpe": 1}, {"step": -1}, {"step": "1"}, {"step": {"gpu": 1}}, {"step": {"cuda9": 1}}, {}, [1]):
        yield ("kernels", "graph"), lambda k=kernels: factosim.simulate_graph(GRAPH, "mirage", kernels=k)


def in_studies(run, folder):
    for panel in ("worker", 3, None, "workers,", ""):
        yield ("panels", "figure"), lambda p=panel: run.figure(p)
    for option, value in {"size": "big", "font_size": 0, "palette": "pink", "x_range": (1, 0), "log": "z", "y_range": "a:b"}.items():
        yield (option,), lambda o=option, v=value: run.figure("workers", **{o: v})
    yield ("no-style",), lambda: run.figure("workers").save(folder / "x.svg", style="no-style")
    for file in (folder / "x.docx", folder / "none/x.svg", folder / "none/x.csv", folder / "none/x.json", folder):
        yield (str(file),), lambda f=file: run.figure("workers").save(f)
    for file in (folder / "none/x.html", folder, ""):
        yield (str(file) or "''",), lambda f=file: run.report().save(f)
    for file in (folder, "/proc/none/x"):
        yield (str(file),), lambda f=file: run.save(f)
        yield (str(file),), lambda f=file: factosim.write_csv(run, f)
    yield ("/proc/none",), lambda: factosim.write_starvz(run, "/proc/none")
    yield ("/proc/none",), lambda: GRAPH.save("/proc/none/x.jsonl")
    yield ("/proc/none",), lambda: factosim.export(run, "/proc/none/x", "chrome")
    for kind in ("platform", "machines", ""):
        yield ("kind",), lambda k=kind: factosim.list_of(k)
    for kind in ("scenarios", ""):
        yield ("schema",), lambda k=kind: factosim.schema(k)
    for grid in ({"nt": 5}, {"nt": []}, {"nt": [0]}, [{"nt": 0}], [3], {"ntt": [1]}, {"/scheduler/type": ["dmx"]}, {"nt": "10"}):
        yield ("grid", "nt", "dmx"), lambda g=grid: factosim.sweep(LU, g)
    for option, value in {"objective": "time", "runs": 2.5, "distributions": ["1dd1"], "schedulers": ["dmx"], "deadline": -1, "jobs": 0}.items():
        yield (option, "1dd1", "dmx"), lambda o=option, v=value: factosim.advise(LU, **{"runs": 2, o: v})
    for a, b in ((run, "none"), ("none", run), (3, run), (run, {"x": 1}), (GRAPH, run), (run, FIRST)):
        yield ("none", "a#", "b#", "graph", "Run", "format"), lambda a=a, b=b: factosim.compare(a, b)
    for format in ("chrom", "csv", ""):
        yield ("format",), lambda f=format: factosim.export(run, folder / "out", f)
    for command in (["no-such-program"], [], "", [""], ["/bin/false"]):
        yield ("command", "no-such-program", "/bin/false"), lambda c=command: factosim.record(c, folder / "g.jsonl")
    cluster = factosim.platform("mirage")
    for right in (("x", "g", "cpu", 1.0, 1, "double"), ("mirage", "g", "gpu", 1.0, 1, "double"), ("mirage", "g", "cpu", 0.0, 1, "double"),
                  ("mirage", "g", "cpu", 1.0, 0, "double"), ("mirage", "g", "cpu", 1.0, 1, "dbl"), ("mirage", "g", "cuda9", 1.0, 1, "double")):
        yield ("kernels", "nb", "precision"), lambda a=right: cluster.set_duration(*a)


class Written(unittest.TestCase):
    def test_each_is_an_input_error_that_names_what_was_written(self):
        count, wrong = 0, []
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = factosim.run(LU)
            for words, call in (*in_scenarios(), *in_studies(run, Path(folder))):
                count += 1
                try:
                    wrong.append((words, "returned", call()))
                except factosim.InputError as error:
                    message = str(error)
                    if "/tmp/factosim-" in message or not any(word in message for word in words):
                        wrong.append((words, message))
                except Exception as error:
                    wrong.append((words, repr(error)))
        self.assertEqual(wrong, [], "\n".join(map(str, wrong)))
        self.assertGreaterEqual(count, 200)


if __name__ == "__main__":
    unittest.main()
