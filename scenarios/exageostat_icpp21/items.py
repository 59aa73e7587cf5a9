"""Items of the ICPP 2021 paper on ExaGeoStat, for scenarios/verdicts.py. The long ones read what run.sh wrote."""

import csv
import json
import resource

from verdicts import ROOT, Item

LP = "fig07_lp.json"
OURS = "machines are estimates"


def items(study):
    def figure_4(generation):
        distribution = {"type": "1d1d", "speeds": [0.09, 0.09, 1, 1], "generation": generation}
        return study.run("distribute", LP, "--set", '/platform/nodes=[{"type":"chetemi","count":4}]', "--set", "/application/nt=50",
                         "--set", "/application/n=48000", "--set", f"/distribution={json.dumps(distribution)}")

    independent, redistributed = figure_4({"type": "block-cyclic", "p": 2, "q": 2}), figure_4({"type": "redistribute", "target": [318, 319, 319, 319]})
    yield Item("tiles to factorize, 50 × 50 tiles, two nodes with GPUs", "4.4, figure 4", ["60", "60", "565", "590"],
               independent["tiles_per_node"], given=True, cause="speeds 0.09 : 1, fitted to these numbers")
    yield Item("tiles to generate", "4.4, figure 4", ["318", "319", "319", "319"], redistributed["generation_tiles_per_node"], given=True,
               cause="the target of Algorithm 2")
    yield Item("tiles that move, independent maps and Algorithm 2", "4.4", ["890", "517"],
               [independent["redistributed_tiles"], redistributed["redistributed_tiles"]])
    apart, together = independent["redistributed_tiles"], redistributed["redistributed_tiles"]
    yield Item("of all tiles, with independent maps, %; tiles that Algorithm 2 spares; these in %", "4.4", ["70", "373", "41.91"],
               [100 * apart / sum(independent["tiles_per_node"]), apart - together, 100 * (1 - together / apart)], derived=True)
    begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    study.run("distribute", LP)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun
    yield Item("the linear program takes less than a second", "4.3", "< 1 s", "yes, with both maps" if spent < 1 else "no", holds=spent < 1)
    p100, gtx = (rate_of_gemm(machine) for machine in ("chifflot", "chifflet"))
    yield Item("a P100 over a GTX 1080 Ti on dgemm", "5.3", ["10"], [p100 / gtx], given=True,
               cause=f"{p100 / 1e9:.0f} GFlop/s measured on a P100; {gtx / 1e9:.0f} is fitted to figure 6 of the study on LU")


def rate_of_gemm(machine):
    """Returns the operations a second of a GPU of the machine in double precision."""
    timings = json.loads((ROOT / f"models/kernels/{machine}.json").read_text())["kernels"]["gemm"]
    return next(t["flops_per_second"] for t in timings if t["precision"] == "double" and t["worker"].startswith("cuda"))


def uplink_of(points, makespan):
    """Returns the bandwidth of the uplink, Gb/s, at which straight lines between the points of the curve reach the makespan."""
    for (a, slow), (b, fast) in zip(points, points[1:]):
        if slow >= makespan >= fast:
            return a + (b - a) * (slow - makespan) / (slow - fast)
    raise ValueError(f"no point of the curve is as fast as {makespan} s")


def last_tenth(steps):
    """Returns the utilisation of the last tenth of the asynchronous version of workload 101 on 4 Chifflet, in %."""
    row = next(row for key, row in steps.items() if key[:2] == ("101", "4") and key[2].startswith("asynchronous"))
    return 1000 * float(row["utilization"]) - 900 * float(row["utilization_first_90"])


def long_items(study):
    def rows(name, *keys):
        return {tuple(row[key] for key in keys): row for row in csv.DictReader((study.results / name).open())}

    steps, panels = rows("fig05.csv", "nt", "chifflet", "case"), rows("fig07.csv", "chetemi", "chifflet", "chifflot", "case")
    curves = {}  # nodes of each kind -> (bandwidth of the uplink in Gb/s, makespan)
    for row in csv.DictReader((study.results / "uplink/sweep.csv").open()):
        curves.setdefault(int(row["nodes_chifflet"]), []).append((float(row["network/uplink"]), float(row["makespan_s"])))
    four, six = (sorted(curves[count]) for count in (4, 6))

    def step(nt, nodes, case, column="makespan_s"):
        name = next(key for key in steps if key[:2] == (str(nt), str(nodes)) and key[2].startswith(case))
        return float(steps[name][column])

    def panel(sets, case):
        chetemi, chifflet, chifflot = map(str, sets)
        return float(panels[("0", chifflet, "0", case) if case == "block-cyclic-fast" else (chetemi, chifflet, chifflot, case)]["makespan_s"])

    def of_set(sets, split):
        nodes = [{"type": kind, "count": count} for kind, count in zip(("chetemi", "chifflet", "chifflot"), sets) if count]
        return ["--set", f"/platform/nodes={json.dumps(nodes)}", "--set", f"/distribution/factorization={split}"]

    def ideal(sets, split):
        return study.run("distribute", LP, *of_set(sets, split))["lp"]["makespan_s"]

    def unordered(sets):
        """Returns the makespans of the linear program's maps, the better split, with the priorities and orders of submission of the paper and without them."""
        split = "gpu-nodes" if sets[2] else "all"
        early = study.run("run", LP, *of_set(sets, split), "--set", "/application/priorities=factorization", "--set", "/application/generation_order=columns")
        return panel(sets, "lp-gpu-nodes" if sets[2] else "lp"), early["makespan_s"]

    first, last = "synchronous", "oversubscribed_worker"
    sync, best = step(101, 4, first), step(101, 4, last)
    yield Item("synchronous version, workload 101, 4 Chifflet, s", "5.3", ["103"], [sync])
    yield Item("all optimisations, 4 Chifflet, s", "5.3", ["65"], [best])
    pair = min(panel((4, 4, 0), case) for case in ("1d1d", "lp", "lp-gpu-nodes"))
    yield Item("best of 4 + 4, s", "5.3, figure 7", ["49"], [pair])
    one = panel((4, 4, 1), "lp-gpu-nodes")
    yield Item("4 + 4 + 1, factorization on nodes with GPUs, s", "5.3, figure 8", ["33"], [one], given=True, shape=one < pair,
               cause=f"the uplink of the Chifflots' subnet, {uplink_of(four, 33):.1f} Gb/s, is fitted to this number")
    yield Item("4 + 4 and 4 + 4 + 1 over 4 Chifflet, % faster", "5.3", ["25", "49"], [100 * (1 - pair / best), 100 * (1 - one / best)], derived=True)
    yield Item("the same over the synchronous version, %", "5.3", ["68"], [100 * (1 - one / sync)], derived=True)
    yield Item("gain of all optimisations, 101 on 4, %", "5.2, figure 5", ["36"], [100 * (1 - best / sync)], derived=True)
    yield Item("gain of all optimisations, 60 on 6, %", "5.2, figure 5", ["50"], [100 * (1 - step(60, 6, last) / step(60, 6, first))])
    cases = ("asynchronous", "memory", last)
    for text, column, printed in (("", "utilization", ["83.76", "94.92", "95.28"]), (" in the first 90 %", "utilization_first_90", ["93.03", "99.09", "99.13"])):
        yield Item(f"utilisation{text}: asynchronous, new solve and memory, all, %", "5.2, figure 6", printed,
                   [100 * step(101, 4, case, column) for case in cases], complement=True,
                   cause="the same" if text else f"compared by what is lost. The first: {last_tenth(steps):.0f} % of the last tenth are used, where the numbers "
                   "printed leave 0.3 %: the old solve overlaps with the end of a factorization that pinning slows down. The others: we lose less than real runs at "
                   "the start, or more at the end")
    lost = [step(101, 4, case) for case in (first, "asynchronous", "memory", "generation", last)]
    yield Item("the first three steps bring the bulk of the gain, 101 on 4", "5.2, figure 5", "bulk", f"{100 * (lost[0] - lost[2]) / (lost[0] - lost[4]):.0f} %; bulk: above 60 %",
               holds=lost[0] - lost[2] > 0.6 * (lost[0] - lost[4]), ours=True, cause=OURS)
    yield Item("of these, the new solve and memory bring a clear part", "5.2, figures 5 and 6", "idle end removed", f"{lost[1] - lost[2]:.1f} of {lost[0] - lost[4]:.1f} s; clear: above 15 %",
               holds=lost[1] - lost[2] > 0.15 * (lost[0] - lost[4]), ours=True, cause=f"{OURS}; page-locking that waits for kernels, see the ablation")
    yield Item("priorities and submission order: minor or none", "5.2", "minor", f"{lost[2] - lost[3]:.1f} s; minor: below 5 % of the synchronous version",
               holds=abs(lost[2] - lost[3]) < 0.05 * lost[0], ours=True, cause=OURS)
    over = [step(nt, nodes, "generation") - step(nt, nodes, last) for nt in (60, 101) for nodes in (4, 6)]
    yield Item("oversubscription: a small and steady gain", "5.2", "consistent", f"{min(over):.1f} to {max(over):.1f} s", holds=min(over) > 0,
               ours=True, cause=OURS)
    # Tiles of the solve by Chameleon go to the owner of the vector. The paper's unit is not bytes.
    yield Item("volumes, asynchronous and new solve, \"MB\"", "5.2", ["11044", "8886"],
               [step(101, 4, case, "bytes_sent") / 2**20 / 8 for case in ("asynchronous", "solve")], cause="MiB divided by 8, which the paper does not explain")

    kinds = ((4, 4, 0), (6, 6, 0), (4, 4, 1), (4, 4, 2), (6, 6, 1))
    names = [" + ".join(str(n) for n in sets if n) for sets in kinds]
    ours, cyclic = ("1d1d", "lp", "lp-gpu-nodes"), ("block-cyclic", "block-cyclic-fast")
    moved = {key: float(row["bytes_sent"]) for key, row in panels.items()}
    more = [100 * (moved[(*map(str, sets), case)] / moved[(*map(str, sets), "1d1d")] - 1) for sets in kinds for case in ("lp", "lp-gpu-nodes")]
    yield Item("the linear program does not add many messages to 1D-1D", "5.3", "not significantly", f"{min(more):+.1f} to {max(more):+.1f} % of the bytes; "
               "significantly: 10 % more", holds=max(more) < 10, ours=True, cause=OURS)
    wrong = [name for sets, name in zip(kinds, names) if min(panel(sets, c) for c in cyclic) < min(panel(sets, c) for c in ours)]
    least = panel((6, 6, 1), "block-cyclic-fast")
    yield Item("block-cyclic is never the best", "5.3, figure 7", "never", f"not in {', '.join(wrong)}" if wrong else "never", holds=not wrong,
               cause=f"6 + 6 + 1 contradicts: block-cyclic on the 6 Chifflets takes {least:.1f} s, the linear program {panel((6, 6, 1), 'lp'):.1f} and "
                     f"{panel((6, 6, 1), 'lp-gpu-nodes'):.1f} s, bound by the uplink; from {uplink_of(six, least):.1f} Gb/s on the latter wins" if wrong else
                     f"the uplink is fitted; 6 + 6 + 1 wins from {uplink_of(six, least):.1f} Gb/s on", ours=True)
    def gap(sets, case):
        """Returns by how much of the makespan of a panel its ideal by the linear program lies below, in %."""
        return 100 * (1 - ideal(sets, "gpu-nodes" if case == "lp-gpu-nodes" else "all") / panel(sets, case))

    yield Item("4 + 4 + 1, factorization on nodes with GPUs: the run over its ideal by the linear program, %", "5.3", ["20"], [gap((4, 4, 1), "lp-gpu-nodes")],
               shape=True, cause="in percent of the run")
    small = [gap(sets, "lp") for sets in kinds[:2]]
    yield Item("4 + 4 and 6 + 6: the runs are near the ideal of the linear program", "5.3, figure 7", "very small gap", " and ".join(f"{g:.0f} %" for g in small) +
               "; very small: 5 %", holds=max(small) < 5, ours=True, cause="in the first 90 % of the runs workers are busy " + " and ".join(
                   f"{100 * float(panels[(*map(str, sets), 'lp')]['utilization_first_90']):.0f} %" for sets in kinds[:2]) + ": most of the gap is the end, which the program does not know")
    gains = [100 * (1 - time / early) for time, early in (unordered(sets) for sets in kinds)]
    yield Item("gain of priorities and submission order on heterogeneous sets, up to, %", "5.2", ["10"], [max(gains)], shape=max(gains) > 100 * (lost[2] - lost[3]) / lost[2],
               ours=True, cause=f"{OURS}; {min(gains):.1f} to {max(gains):.1f} % on the five sets of figure 7")
    for sets, name in zip(kinds, names):
        if sets[2]:
            program, other = panel(sets, "lp"), min(panel(sets, c) for c in (*cyclic, "1d1d"))
            yield Item(f"{name}: the linear program is better than one distribution for both phases", "5.3, figure 7", "performs very well",
                       f"{panel(sets, 'lp'):.1f} s over all nodes, {panel(sets, 'lp-gpu-nodes'):.1f} s on nodes with GPUs, {other:.1f} s with one",
                       holds=program < other, ours=True, cause=OURS if program < other else "bound by the uplink, unknown to the linear program (its ideal: " f"{ideal(sets, 'all'):.1f} s)")
    yield Item("6 + 6 + 1 is slower than 6 + 6", "5.3, figure 7", "slower", f"{min(panel((6, 6, 1), c) for c in ours):.1f} and {min(panel((6, 6, 0), c) for c in ours):.1f} s",
               holds=min(panel((6, 6, 1), c) for c in ours) > min(panel((6, 6, 0), c) for c in ours), ours=True, cause=OURS)
