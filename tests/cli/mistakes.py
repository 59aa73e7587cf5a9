"""A hundred mistakes of the first days: what was typed, in a folder with these files, and what the message has to name."""

LU = '{"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}}'


def lu(old="", new=""):
    """A scenario with a mistake."""
    assert old in LU
    return LU.replace(old, new)


def application(text):
    return lu('"type": "lu"', f'"type": "lu", {text}')


def key(text):
    return LU[:-1] + ", " + text + "}"


FILES = {
    "lu.json": LU,
    "sweep.json": '{"scenario": "lu.json", "points": {"/application/nt": [2, 3]}}',
    "graph.csv": "task,kernel,depends_on,cpu_s\n1,a,,1\n2,b,1,2\n",
    "graph.json": '{"platform": "mirage", "application": {"type": "graph", "file": "graph.csv"}}',
    "empty.json": "",
    "a b.json": LU,
}

# What is written into x.json, the arguments, and the words that the message names.
SYNTAX = [
    (lu("960}", "960,}"), "run x.json", "x.json:1:", "comma"),
    (LU[:-1], "run x.json", "x.json:1:1", "never closed"),
    (LU.replace('"', "'"), "run x.json", "x.json:1:2", "'"),
    ("// mine\n" + LU, "run x.json", "x.json:1:1", "comment"),
    (lu('"nt": 4,', '"nt": 4'), "run x.json", "x.json:1:", "comma"),
    (lu('"nt"', "nt"), "run x.json", "x.json:1:", "nt"),
    (lu('"nt": 4', '"nt" 4'), "run x.json", "x.json:1:", "colon"),
    (lu('"nt": 4', '"nt"= 4'), "run x.json", "x.json:1:", "="),
    (lu('"nt": 4', '"nt": 04'), "run x.json", "x.json:1:", "04"),
    (lu('"nt": 4', '"nt": 4, "nt": 5'), "run x.json", '"nt"', "twice"),
    (lu('"nt": 4', '"nt": None'), "run x.json", "None"),
    (LU.replace('"', "\u201d"), "run x.json", "x.json:1:2", "\u201d"),
    ("", "run x.json", "x.json", "empty"),
    (LU + LU, "run x.json", "x.json:1:", "after the end"),
    ("[" + LU + "]", "run x.json", "x.json#", "object"),
    ("platform: mirage\napplication:\n  type: lu\n", "run x.json", "x.json#", "YAML"),
]
KEYS = [
    (lu('"nt"', '"ntt"'), "run x.json", "/application", '"nt"', '"ntt"'),
    (lu('"nt": 4, ', ""), "run x.json", "/application", "nt"),
    (lu('"nb": 960', '"nb": 961'), "run x.json", "961"),
    (lu('"nb": 960', '"nb": "960"'), "run x.json", "/application/nb", "960"),
    (lu('"nt": 4', '"nt": 0'), "run x.json", "/application/nt", "0"),
    (lu('"nt": 4', '"nt": 2.5'), "run x.json", "/application/nt", "2.5"),
    (lu('"lu"', '"LU"'), "run x.json", "/application/type", '"LU"', '"lu"'),
    (lu('"lu"', '"choleski"'), "run x.json", '"choleski"', '"cholesky"'),
    (lu('"mirage"', '"mirrage"'), "run x.json", '"mirrage"', '"mirage"'),
    (lu('"mirage"', '"./mirage.json"'), "run x.json", "mirage.json", "no such file", "x.json#/platform"),
    (lu('"platform": "mirage", ', ""), "run x.json", "platform"),
    (lu('"application"', '"aplication"'), "run x.json", "aplication"),
    (lu('"platform"', '"Platform"'), "run x.json", "Platform"),
    (application('"precision": "float"'), "run x.json", "float", "single", "double"),
    (application('"precision": 64'), "run x.json", "/application/precision", "64"),
    (key('"scheduler": {"type": "dmdass"}'), "run x.json", "dmdass", "dmdas"),
    (key('"scheduler": "heft2"'), "run x.json", "heft2", "heft"),
    (key('"scheduler": {"type": "dmdas", "alhpa": 1}'), "run x.json", "alhpa", "alpha"),
    (key('"distribution": {"type": "2dbc"}'), "run x.json", "2dbc"),
    (key('"distribution": {"type": "block-cyclic", "p": 2, "q": 2}'), "run x.json", "/distribution", "2"),
    (key('"runtime": {"prefetch": "yes"}'), "run x.json", "/runtime/prefetch", "yes"),
    (key('"seed": -1'), "run x.json", "/seed", "-1"),
    (key('"noise": 0.1'), "run x.json", "/noise", "0.1"),
    (key('"outputs": {"traces": true}'), "run x.json", "/outputs/traces"),
    (key('"version": 2'), "run x.json", "/version", "2"),
    (lu('"platform": "mirage"', '"platform": {"file": "mirage", "nodes": [{"type": "Mirage", "count": 2}]}'), "run x.json", '"Mirage"', "mirage"),
    (lu('"platform": "mirage"', '"platform": {"file": "mirage", "nodes": 2}'), "run x.json", "/platform/nodes", "2"),
    (lu('"platform": "mirage"', '"platform": {"file": "mirage", "nodes": [{"type": "mirage", "count": 0}]}'), "run x.json", "/platform/nodes", "no nodes"),
]
KINDS = [
    (key('"network": "simgird"'), "run x.json", "simgird", "simgrid"),
    (key('"network": "slingshot-11"'), "run x.json", "slingshot-11", '{"preset": "slingshot-11"}'),
    (key('"network": ["maxmin"]'), "run x.json", "x.json#/network", '["maxmin"]', "a name or an object"),
    (key('"scheduler": ["dmdas"]'), "run x.json", "x.json#/scheduler", '["dmdas"]', '"dmdas"'),
    (key('"distribution": [2, 2]'), "run x.json", "x.json#/distribution", "[2,2]", '"1d1d"'),
    (lu('"mirage"', '["mirage"]'), "run x.json", "x.json#/platform", '["mirage"]', '"nodes"'),
    (lu('"mirage"', "3"), "run x.json", "x.json#/platform", "3", '"nodes"'),
    (lu('"mirage"', '{"file": "mirage", "nodes": {"mirage": 4}}'), "run x.json", "/platform/nodes", '{"mirage":4}', '[{"type": "mirage", "count": 4}]'),
    ("\0\0\1\2", "run x.json", "x.json#", "NUL", "text file in UTF-8"),
    ("", "reference --schema scenarios", "--schema", "scenarios", "scenario"),
    ("", "distribute lu.json --starts 1d1dc", "--starts", "1d1dc", "1d1d-c"),
    ("", "bounds lu.json --out x", "--out", "factosim run"),
    ("", "report lu.json --replicas 3 -o x.html", "--replicas", "factosim sweep"),
    ("", "compare lu.json", "b: is missing", "other run"),
]
UNITS = [
    (key('"network": {"nic": {"bandwidth_Bps": "10 GHz"}}'), "run x.json", "10 GHz", "GB/s"),
    (key('"network": {"nic": {"bandwidth_Bps": "10 gb/s"}}'), "run x.json", "10 gb/s", "Gb/s"),
    (key('"network": {"nic": {"latency_s": "20"}}'), "run x.json", "latency_s", "20", "us"),
    (key('"network": {"nic": {"latency_s": "20 GB"}}'), "run x.json", "20 GB", "us"),
    (key('"network": {"nic": {"latency_s": -1}}'), "run x.json", "latency_s", "-1"),
    (key('"runtime": {"ram_limit_bytes": "64"}'), "run x.json", "ram_limit_bytes", "64", "GB"),
    (key('"runtime": {"ram_limit_bytes": "64 Go"}'), "run x.json", "64 Go", "GB"),
    (key('"runtime": {"ram_limit": "64 GB"}'), "run x.json", "ram_limit", "ram_limit_bytes"),
    (key('"runtime": {"gpu_memory_fraction": "90 %"}'), "run x.json", "gpu_memory_fraction", "90 %"),
    (key('"runtime": {"gpu_memory_fraction": 90}'), "run x.json", "gpu_memory_fraction", "90"),
    ("", "sweep sweep.json --memory 8", "--memory", "8", "GB"),
    ("", "sweep sweep.json --memory -1", "--memory", "-1"),
    ("", "sweep sweep.json --memory 8Go", "--memory", "8Go", "GB"),
    ("", "import starpu-platform . --ram 192 -o x", "--ram", "192", "GB"),
    ("", "import starpu-platform . --nic 10 -o x", "--nic", "10", "GB/s"),
]
NAMES_OF_FILES = [
    ("", "run lu", "lu#", "no such file", '"lu.json"'),
    ("", "run LU.json", "LU.json#", "no such file", '"lu.json"'),
    ("", "run .", ".#", "folder"),
    ("", "run empty.json", "empty.json", "empty"),
    ("", "run sweep.json", "sweep.json", "factosim sweep"),
    ("", "sweep lu.json", "lu.json", "factosim run"),
    ("", "run graph.csv", "graph.csv", "factosim init --graph"),
    ("", "report lu.json -o x.html", "lu.json"),
    ("", "compare lu.json lu.json", "lu.json"),
    ("", "check lu.json", "lu.json"),
    ("", "report nothere -o x.html", "nothere", "no such file"),
    ("", "report . -o x.html", "sweep.json"),
    ("", "convert lu.json", "lu.json", "--from"),
    ("", "platform show mirrage", "mirrage", "mirage"),
    ("", "validate lu.json nothere.json", "nothere.json", "no such file"),
    ('{"platform": "mirage", "application": {"type": "graph", "file": "grph.csv"}}', "run x.json", "grph.csv", "no such file", "graph.csv"),
    (lu('"type": "lu"', '"type": "graph"'), "run x.json", "/application", "file"),
    ("", "distribute graph.json", "graph"),
    ("", "init --graph nothere.dot", "nothere.dot", "no such file"),
    ("", "init --example first2", "first2"),
]
COMMAND_LINES = [
    ("", "", "command"),
    ("", "rum lu.json", "rum", "run"),
    ("", "lu.json", "lu.json", "factosim run lu.json"),
    ("", "run", "scenario", "is missing"),
    ("", "run lu.json lu.json", "lu.json"),
    ("", "run --nt 8 lu.json", "--nt", "--set nt=8"),
    ("", "run lu.json --ouput x", "--ouput", "--out"),
    ("", "run lu.json --out", "--out"),
    ("", "run lu.json --set nt", "nt", "="),
    ("", "run lu.json --set nt 8", "nt", "="),
    ("", "run lu.json --set nt = 8", "nt", "="),
    ("", "run lu.json --set ntt=8", "ntt", "nt"),
    ("", "run lu.json --set type=ws", "type", "scheduler/type"),
    ("", "run lu.json --set nt=8,nb=960", "nt", "8,nb=960"),
    ("", "run lu.json --set application.nt=8", "application.nt", "application/nt"),
    ("", "run lu.json --set scheduler=dmdax", "dmdax", "dmdas"),
    ("", "run lu.json --replicas 0", "--replicas", "0"),
    ("", "run lu.json --replicas many", "--replicas", "many"),
    ("", "run lu.json --replicas 2.5", "--replicas", "2.5"),
    ("", "run lu.json --interval nan", "--interval", "nan"),
    ("", "run lu.json --interval 95", "--interval", "95"),
    ("", "run -v lu.json", "-v"),
    ("", "run lu.json -o x", "-o", "--out"),
    ("", "run lu.json -- x y", "x"),
    ("", "schedule lu.json --seconds nan", "--seconds", "nan"),
    ("", "schedule lu.json --seconds -3", "--seconds", "-3"),
    ("", "schedule lu.json --seconds inf", "--seconds", "inf"),
    ("", "schedule lu.json --runs -1", "--runs", "-1"),
    ("", "advise lu.json --schedulers dmda,heftt", "heftt", "heft"),
    ("", "advise lu.json --objective time", "time", "makespan"),
    ("", "advise lu.json --tile-sizes 0", "--tile-sizes", "0"),
    ("", "sweep sweep.json --filter nt>2>1", "nt>2>1"),
    ("", "sweep sweep.json --engine sge", "sge", "slurm"),
    ("", "export lu.json", "--format"),
    ("", "export lu.json --format cvs -o x", "cvs"),
    ("", "import starpu-bus ~/.starpu -o x.json", "starpu-bus", "starpu-platform"),
    ("", "list platform", "platform", "platforms"),
    ("", "help runn", "runn", "run"),
    ("", "report lu.json", "--output"),
    ("", "init --nodes mirage", "mirage", "=4"),
    ("", "init --nt 0", "--nt", "0"),
    ("", "run a b.json", "b.json"),
    ("", "validate", "files"),
    ("", "--set nt=8 run lu.json", "--set"),
    ("", "calibrate --machine --tiles 0 --out x", "--tiles", "0"),
]
# Python: the statement after `import factosim`.
PYTHON = [
    ("factosim.run('nothere.json')", "nothere.json", "no such file"),
    ("factosim.run('lu.json', ntt=3)", "ntt", "nt"),
    ("factosim.run('lu.json', nt='many')", "nt", "many"),
    ("factosim.run({'platform': 'mirage'})", "application"),
    ("factosim.run('graph.csv')", "graph.csv", "factosim init --graph"),
    ("factosim.load('x.yaml')", "x.yaml"),
    ("factosim.sweep('lu.json', {'ntt': [1, 2]})", "ntt", "nt"),
    ("factosim.platform('mirrage')", "mirrage", "mirage"),
]
