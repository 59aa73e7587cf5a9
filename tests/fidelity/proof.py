#!/usr/bin/env python3
"""Pairs of runs that differ in two keys: what `compare --prove` says of each key is what further runs give.

    tests/fidelity/proof.py PROGRAM [COUNT]

Draws COUNT pairs (50 by default; seed 1) of changes of keys. For each pair of keys runs the scenario without, with one, with the other and with
both, and expects of the proof: each key alone as in these runs, shares (Shapley values, for two keys the mean of both orders) as computed
from them, their sum the difference. Also counts how often the causes of the comparison without simulations name both keys."""

import json, pathlib, random, subprocess, sys, tempfile

BASE = {"platform": {"file": "lille", "nodes": [{"type": "chifflet", "count": 3}, {"type": "chetemi", "count": 4}]},
        "distribution": {"type": "block-cyclic", "p": 1, "q": 6}, "scheduler": {"type": "dmdas"}, "seed": 1}
CHANGES = {
    "/distribution": ['{"type": "1d1d"}', '{"type": "block-cyclic", "p": 3, "q": 2}', '{"type": "g-2dbc"}'],
    "/scheduler": ['{"type": "lws"}', '{"type": "eager"}', '{"type": "random"}', '{"type": "dmda"}'],
    "/network/nic": ['{"bandwidth_Bps": 3e9, "latency_s": 2e-5}', '{"bandwidth_Bps": 4e8, "latency_s": 2e-5}'],
    "/network/wire": ["fifo"],
    "/runtime/submission_cost_s": ["1e-3", "4e-3"],
    "/runtime/push_cost_s": ["5e-3"],
    "/runtime/gpu_memory_fraction": ["0.02"],
    "/runtime/max_gpus": ["0"],
    "/noise": ['{"distribution": "normal"}'],
}
SAME = 1e-9


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50
    draw, failed, named, moved, tried = random.Random(1), [], 0, 0, 0
    with tempfile.TemporaryDirectory() as box:
        box = pathlib.Path(box)

        def run(name, settings):
            words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            done = subprocess.run([program, "run", box / "s.json", "--out", box / name, "--force", "-q", *words], capture_output=True, text=True)
            return json.loads((box / name / "result.json").read_text())["makespan_s"] if done.returncode == 0 else None

        while tried < count:
            scenario = {**BASE, "application": {"type": draw.choice(["lu", "cholesky", "qr"]), "nt": draw.randint(10, 22), "nb": 960}}
            (box / "s.json").write_text(json.dumps(scenario))
            first, second = draw.sample(sorted(CHANGES), 2)
            one, other = {first: draw.choice(CHANGES[first])}, {second: draw.choice(CHANGES[second])}
            spans = [run("a", {}), run("one", one), run("other", other), run("b", one | other)]
            if None in spans:
                continue
            tried += 1
            done = subprocess.run([program, "compare", box / "a", box / "b", "--prove", "--no-simulation", "--json"], capture_output=True, text=True)
            if done.returncode:
                failed.append(f"{one} {other}: {done.stderr.strip()}")
                continue
            comparison = json.loads(done.stdout)
            alone = [spans[1] - spans[0], spans[2] - spans[0]]
            together = spans[3] - spans[0]
            shares = [(alone[i] + together - alone[1 - i]) / 2 for i in range(2)]
            proof = {change["option"]: change for change in comparison["proof"]["changes"]}
            near = lambda a, b: abs(a - b) <= SAME * spans[0]
            keys = [next((each for each in proof if each.startswith(key)), None) for key in (first, second)]
            if len(proof) != 2 or None in keys:
                failed.append(f"{one} {other}: proves {list(proof)}")
                continue
            for i, key in enumerate(keys):
                if not near(proof[key]["alone_s"], alone[i]) or not near(proof[key]["share_s"], shares[i]):
                    failed.append(f"{one} {other}: {proof[key]}, runs give {alone[i]} alone, share {shares[i]}")
            if not near(sum(each["share_s"] for each in proof.values()), comparison["makespan"]["difference_s"]):
                failed.append(f"{one} {other}: shares do not add up to the difference")
            if all(abs(each) > 0.01 * spans[0] for each in alone):  # both do something
                moved += 1
                parts = {part["cause"]: part["seconds"] for part in comparison["causes"]["parts"]}
                named += all(any(abs(parts[cause]) > 1e-3 * spans[0] for cause in proof[key]["causes"]) for key in keys)
    print(f"{tried} pairs, {len(failed)} proven otherwise than runs give; both keys move the makespan by 1 % in {moved}, "
          f"of which the causes without a proof name both in {named}")
    print("\n".join(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
