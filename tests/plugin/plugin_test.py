#!/usr/bin/env python3
"""Builds the plug-ins of scenarios/plugins and tests/plugin with one line each, and checks them in runs.

  plugin_test.py PROGRAM [SCENARIOS]

The dmdas of scenarios/plugins gives the makespan of the one in factosim, to the last digit, in SCENARIOS (default 12)
random scenarios. A plug-in that crashes, ends the program, throws, gives tasks to workers that do not exist, loses them or
invents them is named by a message; the program ends with code 2 and writes no result. Prints a line for each check that fails."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ["-shared", "-fPIC", "-I", str(ROOT / "simulator/include")]
BUILD = {
    "dmdas.so": ["c++", "-std=c++20", "-O2", *INCLUDE, str(ROOT / "scenarios/plugins/dmdas.cpp")],
    "diagonals.so": ["cc", "-O2", *INCLUDE, str(ROOT / "scenarios/plugins/diagonals.c")],
    "faulty.so": ["c++", "-std=c++20", "-O1", *INCLUDE, str(ROOT / "tests/plugin/faulty.cpp")],
}
POLICY_FAULTS = {
    "invalid memory": "crashed (invalid memory access) in push",
    "division": "crashed (invalid arithmetic operation) in push",
    "abort": "crashed (abort) in push",
    "signal": "crashed (invalid instruction) in push",
    "exit": "ended the program in push",
    "exit at once": "ended the program in push",
    "quick exit": "ended the program in push",
    "stack": "crashed (invalid memory access) in push",
    "exception": "threw an exception in push (no idea what to do)",
    "odd exception": "threw an exception in push (of unknown type)",
    "refuse": "knows no such machine",
    "unknown worker": "(the node has workers 0 to",
    "no worker": "(the node has workers 0 to",
    "unknown task": "returned task 123456789 (no task has this number)",
    "unready task": "it was not pushed on this node",
    "task twice": "it was returned before",
    "keep": "for ever, task",
}
MAP_FAULTS = {
    "invalid memory": "crashed (invalid memory access) in owners",
    "exit": "ended the program in owners",
    "exception": "no idea what to do",
    "odd exception": "threw an exception in owners",
    "unknown node": "gives tile (2, 1) to node 3 (there are 3 nodes)",
    "short map": "returned 99 owners",
}
HEAD = '#include <factosim/plugin.h>\n'
LIBRARIES = {  # C sources of libraries that offer nothing usable, and what the message says
    "int nothing;": "offers no policy (it has no object factosim_policy_1)",
    HEAD + "FACTOSIM_EXPORT factosim_policy const factosim_policy_1 = {8};": "offers a policy of 8 bytes",
    HEAD + "FACTOSIM_EXPORT factosim_policy const factosim_policy_1 = {sizeof(factosim_policy)};": "without a function",
    HEAD + "static factosim_key const k[] = {{\"type\"}};\nstatic void* f() { return 0; }\nFACTOSIM_EXPORT factosim_policy const "
    "factosim_policy_1 = {sizeof(factosim_policy), \"\", k, 1, 0, (void*)f, (void*)f, (void*)f, (void*)f, (void*)f, 0, 0};":
        'has a key "type"',
    "int* volatile p;\n__attribute__((constructor)) void first(void) { *p = 1; }": "crashed (invalid memory access) in its initialisation",
    "void missing_function(void);\nvoid f(void) { missing_function(); }": "cannot be loaded",
}

failures = 0


def expect(condition, text):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", text)


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        for library, command in BUILD.items():
            subprocess.run([*command, "-o", library], check=True)

        def run(scenario, *more):
            Path("s.json").write_text(json.dumps(scenario))
            done = subprocess.run([program, "run", "s.json", "--json", *more], capture_output=True, text=True, timeout=300)
            return done, json.loads(done.stdout) if done.returncode == 0 else None

        # A scenario alone does not run code.
        os.makedirs("elsewhere")
        os.symlink(os.path.abspath("faulty.so"), "elsewhere/link.so")
        for allowed, library in ((None, "./faulty.so"), ("elsewhere", "./faulty.so"), ("/none:", "./faulty.so"), ("elsewhere", "elsewhere/link.so")):
            os.environ.pop("FACTOSIM_PLUGINS", None)
            if allowed:
                os.environ["FACTOSIM_PLUGINS"] = allowed
            for part in ("scheduler", "distribution"):
                done, _ = run({"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}, part: {"type": library, "fault": "abort"}})
                expect(done.returncode == 2 and "names the library" in done.stderr, f"allowed {allowed}: {done.returncode} {done.stderr.strip()}")
        os.environ["FACTOSIM_PLUGINS"] = f"/none:{os.path.dirname(name)}:elsewhere"

        # The same decisions, the same result.
        draw = random.Random(27)
        for i in range(count):
            scenario = {
                "platform": {"file": draw.choice(["mirage", "attila", "sirocco", "lille"]), "nodes": []},
                "application": {"type": "lu", "nt": draw.randrange(8, 30), "nb": 960},
                "seed": draw.randrange(1000),
            }
            machine = scenario["platform"]["file"]
            if machine == "mirage":
                scenario["application"]["type"] = draw.choice(["lu", "cholesky"])
            scenario["platform"]["nodes"] = [{"type": "chifflet" if machine == "lille" else machine, "count": draw.choice([1, 1, 2, 5])}]
            options = {"alpha": draw.choice([1, 0.5, 2]), "beta": draw.choice([1, 0.3])}
            results = []
            for policy in ("dmdas", "./dmdas.so"):
                scenario["scheduler"] = {"type": policy, **options}
                done, result = run(scenario)
                if result is None:
                    break
                results.append({key: result[key] for key in ("makespan_s", "bytes_sent", "transfers", "nodes")})
            if done.returncode == 4:
                continue  # its memory is too small
            expect(len(results) == 2 and results[0] == results[1], f"scenario {i} {scenario}: {done.stderr.strip()}")
            if result:
                used = result["provenance"]["options"]["scheduler"]
                expect(used["type"] == "./dmdas.so" and used["alpha"] == options["alpha"] and len(used["checksum"]) == 16, f"provenance {used}")

        # What goes wrong is named, and nothing is written.
        scenario = {"platform": {"file": "mirage", "nodes": [{"type": "mirage", "count": 3}]},
                    "application": {"type": "lu", "nt": 10, "nb": 960}}
        wrong = [("scheduler", fault, text) for fault, text in POLICY_FAULTS.items()]
        wrong += [("distribution", fault, text) for fault, text in MAP_FAULTS.items()]
        for part, fault, text in wrong:
            done, _ = run({**scenario, part: {"type": "./faulty.so", "fault": fault}}, "--out", "out")
            expect(done.returncode == 2, f"{part}, {fault}: code {done.returncode}")
            expect(text in done.stderr and f"s.json#/{part}/type: ./faulty.so" in done.stderr, f"{part}, {fault}: {done.stderr.strip()}")
            expect(done.stderr.count("\n") == 1, f"{part}, {fault}: {done.stderr.count(chr(10))} lines")
            expect(not Path("out/result.json").exists(), f"{part}, {fault}: a result is there")
            shutil.rmtree("out", ignore_errors=True)
        for part, fault in (("scheduler", ""), ("scheduler", "graph"), ("distribution", "speeds")):
            done, _ = run({**scenario, part: {"type": "./faulty.so", "fault": fault}})
            expect(done.returncode == 0, f"{part} without a fault: {done.stderr.strip()}")
        for number, (source, text) in enumerate(LIBRARIES.items()):
            Path("library.c").write_text(source)
            subprocess.run(["cc", "-w", *INCLUDE, "library.c", "-o", f"library{number}.so"], check=True)
            done, _ = run({**scenario, "scheduler": {"type": f"./library{number}.so"}})
            expect(done.returncode == 2 and text in done.stderr, f"library {number}: {done.returncode} {done.stderr.strip()}")
        Path("text.so").write_text("not a library")
        for part, value, text in (
            ("scheduler", {"type": "./text.so"}, "cannot be loaded"),
            ("scheduler", {"type": "text.so"}, "cannot be loaded"),
            ("scheduler", {"type": "./none.so"}, "there is no such file"),
            ("scheduler", {"type": "libm.so"}, "there is no such file"),
            ("scheduler", {"type": "./faulty.so", "fault": 3}, "s.json#/scheduler/fault: 3 is not a string"),
            ("scheduler", {"type": "./faulty.so", "after": 1.5}, "s.json#/scheduler/after: 1.5 is not an integer"),
            ("scheduler", {"type": "./faulty.so", "after": -1}, "s.json#/scheduler/after: is -1"),
            ("scheduler", {"type": "./dmdas.so", "gamma": 1}, "s.json#/scheduler/gamma: unknown key"),
            ("distribution", {"type": "./diagonals.so", "width": 11}, "s.json#/distribution/width: ./diagonals.so says: is wider than the matrix"),
        ):
            done, _ = run({**scenario, part: value})
            expect(done.returncode == 2 and text in done.stderr, f"{value}: {done.returncode} {done.stderr.strip()}")

        # In a sweep a crash is the failure of its point.
        Path("s.json").write_text(json.dumps({**scenario, "scheduler": {"type": "./faulty.so"}}))
        Path("sweep.json").write_text(json.dumps({"scenario": "s.json", "points": {"/scheduler/fault": ["", "invalid memory"]}}))
        done = subprocess.run([program, "sweep", "sweep.json", "--out", "points"], capture_output=True, text=True)
        expect("crashed (invalid memory access) in push" in done.stderr + done.stdout, f"sweep: {done.stdout} {done.stderr}")

        # The map of a plug-in, as any other.
        done = subprocess.run([program, "distribute", "s.json", "--json", "--set", 'distribution={"type":"./diagonals.so","width":2}',
                               "--set", 'scheduler={"type":"dmdas"}'], capture_output=True, text=True)
        owner = json.loads(done.stdout)["owner"] if done.returncode == 0 else []
        expect(owner == [[(m + n) // 2 % 3 for n in range(10)] for m in range(10)], f"diagonals: {done.stderr}")
        os.chdir("/")
    print(f"{failures} checks failed" if failures else "all checks passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
