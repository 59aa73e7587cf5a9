"""Items of the ICPADS 2020 paper on LU over heterogeneous clusters, for scenarios/verdicts.py. The long ones read what run.sh wrote."""

import csv
import json

from verdicts import Item

GROWING, SHUFFLED = "fig13_growing_matrix.json", "fig08_shuffled.json"
OURS = "machines are estimates"
DISTRIBUTIONS = ("block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s")


def settings(chifflet, chetemi, nt, distribution):
    nodes = [{"type": kind, "count": count} for kind, count in (("chifflet", chifflet), ("chetemi", chetemi)) if count]
    pairs = {"/platform/nodes": nodes, "/application/nt": nt, "/distribution": distribution}
    return [part for pointer, value in pairs.items() for part in ("--set", f"{pointer}={json.dumps(value)}")]


def per_node(chifflet, chetemi, ratio):
    return [ratio] * chifflet + [1] * chetemi


def load_at_best_ratio(owner, chifflet, chetemi):
    """Returns the least load of the most loaded node, over the mean, that a map has at any ratio r of the rates of both kinds of nodes.

    With u updates on the most loaded fast node and v on the most loaded slow one, of w in all, the load is
    max(u / r, v) (chifflet r + chetemi) / w. It falls in r as long as u / r > v, and rises afterwards: the least is at r = u / v."""
    updates = [0] * (chifflet + chetemi)
    for m, row in enumerate(owner):
        for n, node in enumerate(row):
            updates[node] += min(m, n)  # tile (m, n) is updated once in each iteration before its own
    u, v = max(updates[:chifflet]), max(updates[chifflet:])
    return v * (chifflet * u / v + chetemi) / sum(updates)


def mapped(study, chifflet, chetemi, nt, kind, ratio=1.995, rates=None, **keys):
    distribution = {"type": kind, **({"speeds": per_node(chifflet, chetemi, ratio)} if ratio else {}), **keys}
    if rates:
        distribution["rates"] = [606e9 * r for r in per_node(chifflet, chetemi, rates)]
    return study.run("distribute", GROWING, *settings(chifflet, chetemi, nt, distribution), "--set", "/runtime/cores_per_gpu=0")


def items(study):
    def sent(*arguments, **keys):
        return mapped(study, *arguments, **keys)["tiles_sent"]

    yield Item("tiles sent, block-cyclic 2 × 11, 8 + 14, N = 100", "VI-B", ["55329"], [sent(8, 14, 100, "block-cyclic", ratio=None, p=2, q=11)])
    yield Item("tiles sent, 1Dx1D, 16 + 30, N = 150", "VI-C", ["129164"], [sent(16, 30, 150, "1d1d")], given=True,
               cause="shares 1.991 to 1.999 : 1, fitted to this count")
    yield Item("tiles sent, 1Dx1D, 8 + 14, N = 100", "VI-B", ["35417"], [sent(8, 14, 100, "1d1d")],
               cause=f"these shares; {sent(8, 14, 100, '1d1d', 3.3)} at 3.30 : 1, {sent(8, 14, 100, '1d1d-c')} by 1Dx1D-C")
    yield Item("tiles sent, 1Dx1D-C, 16 + 30, N = 150", "VI-C", ["123780"], [sent(16, 30, 150, "1d1d-c")],
               cause="the same shares, the rates of all cores and GPUs")
    for chifflet, chetemi, nt, printed, where, near in ((8, 14, 100, "42632", "VI-B", 2.12), (16, 30, 150, "149474", "VI-C", 2.1)):
        shuffled = sent(chifflet, chetemi, nt, "1d1d-c+s")
        close = f"{sent(chifflet, chetemi, nt, '1d1d-c+s', rates=near):,}".replace(",", " ")
        yield Item(f"tiles sent, 1Dx1D-C+S, {chifflet} + {chetemi}, N = {nt}", where, [printed], [shuffled],
                   shape=shuffled > sent(chifflet, chetemi, nt, "1d1d") > sent(chifflet, chetemi, nt, "1d1d-c"),
                   cause=f"the farther the shares are from the rates (2.56 : 1 here), the more tiles move: {close} at rates of {near} : 1")

    sections = study.run("distribute", "fig07_sections.json")["sections"]
    yield Item("first iterations of the sections of 1Dx1D-C, 7 + 14", "V-A, figure 7", ["100", "95", "84", "67"], [s["first_k"] for s in sections],
               cause="shares 1 : 2, which alone give these nodes")
    yield Item("nodes of the sections", "V-A, figure 7", ["1", "6", "15", "21"], [len(s["nodes"]) for s in sections])
    joining = [sorted(set(b["nodes"]) - set(a["nodes"])) for a, b in zip([{"nodes": []}] + sections, sections)][:3]
    yield Item("which nodes join", "V-A, figure 3", "20; 14-16, 18, 19; 6-13, 17", "; ".join(", ".join(map(str, s)) for s in joining),
               holds=joining == [[20], [14, 15, 16, 18, 19], [*range(6, 14), 17]])
    path = study.run("bounds", "fig07_sections.json")["iterations"]["cpb_with_comm_s"]
    small, large = path[94] - path[95], path[83] - path[84]
    yield Item("CPB rises at 95 by messages, much more at 84 by slow nodes", "V-A, figure 7", "much larger", f"{1e3 * small:.1f} and {1e3 * large:.1f} ms",
               holds=0 < 2 * small < large, ours=True, cause=f"{OURS}; much: twice")

    def spread(rounds, everywhere="false"):
        loads = study.run("bounds", "fig09_two_shuffles.json", "--set", f"/distribution/rounds={rounds}", "--set",
                          f"/distribution/all_iterations={everywhere}")["iterations"]["cabe_per_node_s"]
        return [max(at) - min(at) for at in zip(*loads)]

    spreads = [spread(rounds) for rounds in range(3)]
    worst = [max(range(len(s)), key=s.__getitem__) for s in spreads]
    yield Item("iteration where the loads summed up differ most, after shuffling", "V-B, figure 9", ["84"], [worst[2] + 1],
               cause=f"the second shuffling; {worst[0] + 1} before, {worst[1] + 1} after the first")
    ends = [spread(2, everywhere)[-1] for everywhere in ("false", "true")]
    yield Item("ABE of the nodes almost perfectly balanced after shuffling", "V-B, figure 9", "almost perfectly", f"{ends[1]:.2f} s between nodes",
               holds=ends[1] < 0.393, ours=True,
               cause=f"{OURS}; almost: within 1 % of the run; the second shuffling over all iterations (`all_iterations`); {ends[0]:.2f} s if it ends at the spike: the text leaves it open")
    yield Item("two shufflings shrink the difference", "V-B, figure 9", "shrinks", ", then ".join(f"{s[w]:.2f} s" for s, w in zip(spreads, worst)),
               holds=spreads[2][worst[2]] < spreads[0][worst[0]] / 2, ours=True, cause=f"{OURS}; the second shuffling takes back a part of what the first one gained")

    time = {kind: study.run("run", GROWING, *settings(16, 30, 25, {"type": kind}))["makespan_s"] for kind in DISTRIBUTIONS[1:]}
    saved = [100 * (1 - time[kind] / time["1d1d"]) for kind in DISTRIBUTIONS[2:]]
    yield Item("time that 1Dx1D-C and 1Dx1D-C+S save, 16 + 30, N = 25, %", "VI-C, figure 13", ["32.5"], [min(saved)],
               cause=f"the smaller of {saved[0]:.1f} and {saved[1]:.1f}; read as time saved, the transfer factor as calibrated")
    for kind, name, item in (("constrained", "1Dx1D-C", "the slow nodes stop before the end"), ("shuffled", "1Dx1D-C+S", "the slow nodes are active for as long as their ABE")):
        run = study.run("run", f"fig08_{kind}.json")
        slow = [node["last_task_s"] for node in run["nodes"] if node["type"] == "chetemi"]
        abe = run["bounds"]["abe_per_node_s"][:14]
        early, longer = 1 - sum(slow) / 14 / run["makespan_s"], max(end / a - 1 for end, a in zip(slow, abe))
        yield Item(f"{name}, 7 + 14: {item}", "V, figure 8", "yes", f"on average {100 * early:.0f} % of the run before" if kind == "constrained" else
                   f"at most {100 * longer:.1f} % longer", holds=early > 0.05 if kind == "constrained" else longer < 0.05, ours=True,
                   cause=f"{OURS}; 5 % counts" + (f"; the first six, which the text names, {100 * max(end / a - 1 for end, a in zip(slow[:6], abe)):.1f} %" if kind == "shuffled" else ""))


def long_items(study):
    rows = {}
    for figure in ("05", "06", "08", "10", "11", "13"):
        for row in csv.DictReader((study.results / f"fig{figure}.csv").open()):
            key = row["figure"], int(row["chifflet"]), int(row["chetemi"]), int(row["nt"]), row["distribution"], row["setting"]
            rows[key] = {name: float(value) for name, value in row.items() if name not in ("figure", "distribution", "setting")}

    def value(*key, column="makespan_s"):
        return rows[key][column]

    plain = value("fig06", 7, 14, 100, "1d1d", "speeds-of-gemm")
    shuffled = value("fig08", 7, 14, 100, "1d1d-c+s", "speeds-of-gemm")
    yield Item("1Dx1D, 7 + 14, N = 100, s", "IV-B, figure 6", ["39.94"], [plain], given=True,
               cause=f"the rate of the GPUs is fitted to this number; shares of the rates (with 1 : 2 {value('fig06', 7, 14, 100, '1d1d', 'speeds-1:2'):.1f} s)")
    loads = study.run("bounds", "fig06_1d1d.json")["abe_per_node_s"]
    slow, fast = sum(loads[:14]) / 14, sum(loads[14:]) / 7
    yield Item("nodes without GPUs have the larger ABE", "IV-B, figure 6", "larger",
               f"{slow:.1f} and {fast:.1f} s on average, up to {max(loads[:14]):.1f} and {max(loads[14:]):.1f} s",
               holds=slow > fast and max(loads[:14]) > max(loads[14:]), ours=True, cause=f"shares of the rates; with 1 : 2 it holds, and the run takes {value('fig06', 7, 14, 100, '1d1d', 'speeds-1:2'):.1f} s")
    yield Item("1Dx1D-C+S, 7 + 14, N = 100, s", "V-B, figure 8", ["39.30"], [shuffled],
               cause=f"the shares of the line before, shuffled; with 1 : 2 {value('fig08', 7, 14, 100, '1d1d-c+s', 'speeds-1:2'):.2f} s")
    yield Item("1Dx1D-C+S is not significantly faster", "V-B", "39.94, 39.30", f"{plain:.2f}, {shuffled:.2f}", holds=0 < 1 - shuffled / plain < 0.05, ours=True,
               cause=f"{OURS}; significantly: 5 %")

    def peak(setting, kind):
        key = "fig13", 16, 30, 150, kind, setting
        return 100 * (1 - value(*key, column="abe_s") / value(*key))

    least = load_at_best_ratio(mapped(study, 16, 30, 150, "1d1d")["owner"], 16, 30)
    below = {kind: peak("-", kind) for kind in DISTRIBUTIONS}
    yield Item("block-cyclic below the peak, 16 + 30, N = 150, %", "VI-C, figure 13", ["40"], [below["block-cyclic"]])
    yield Item("1Dx1D-C+S below the peak, 16 + 30, N = 150, %", "VI-C, figure 13", ["6"], [below["1d1d-c+s"]],
               cause=f"two sends of a node at once instead of ten: {peak('sends-2', '1d1d-c+s'):.1f} %; the map of 1Dx1D with the 129 164 tiles printed loses "
                     f"{100 * (1 - 1 / least):.1f} % at the best of all ratios of rates, without any message; the map of 1Dx1D-C+S alone: "
                     f"{100 * (1 - value('fig13', 16, 30, 150, '1d1d-c+s', '-', column='abe_s') / value('fig13', 16, 30, 150, '1d1d-c+s', '-', column='abe_of_most_loaded_s')):.1f} %")

    platforms = {figure: sorted({key[1:4] for key in rows if key[0] == figure}) for figure in ("fig10", "fig11", "fig13")}

    def gains(figure, of, over, where=lambda key: True, column="makespan_s"):
        return [value(figure, *key, over, "-", column=column) - value(figure, *key, of, "-", column=column) for key in platforms[figure] if where(key)]

    shares = [100 * g / value("fig13", *key, "1d1d-c", "-") for g, key in zip(gains("fig13", "1d1d-c+s", "1d1d-c"), platforms["fig13"])]
    yield Item("1Dx1D-C+S faster than 1Dx1D-C, N = 25 to 150", "VI-C, figure 13", "always",
               f"in {sum(s > 0 for s in shares)} of {len(shares)} sizes, {min(shares):.1f} to {max(shares):.1f} %", holds=min(shares) > 0, ours=True,
               cause="shuffled tiles cost messages of their own, which count on small matrices")

    def prime(n):
        return all(n % i for i in range(2, n))

    slower = {p: [100 * (value("fig10", *key, "block-cyclic", "-") / value("fig10", *key, "1d1d", "-") - 1) for key in platforms["fig10"]
                  if prime(key[1]) == p] for p in (True, False)}
    yield Item("block-cyclic suffers at prime numbers of nodes, 16 to 50 Chetemi", "VI-A, figure 10", "suffers",
               f"slower than 1Dx1D by {min(slower[True]):.1f} to {max(slower[True]):.1f} % there, {min(slower[False]):.1f} to {max(slower[False]):.1f} % elsewhere",
               holds=sum(slower[True]) / len(slower[True]) > 3 * sum(slower[False]) / len(slower[False]), ours=True, cause=OURS)

    def above_abe(count):
        bounds = study.run("bounds", "fig10_homogeneous.json", *settings(0, count, 100, {"type": "1d1d"}))
        return bounds["problem_s"] - bounds["abe_s"]

    distance = [value("fig10", *key, "1d1d", "-") - value("fig10", *key, "1d1d", "-", column="abe_s") for key in platforms["fig10"]]
    yield Item("1Dx1D at a constant distance from ABE", "VI-A, figure 10", "constant", f"{min(distance):.1f} to {max(distance):.1f} s",
               holds=max(distance) < 1.25 * min(distance), ours=True,
               cause="constant: within 25 %; the end of the run grows with the number of nodes: no schedule of any distribution comes closer to ABE than "
                     f"{above_abe(16):.1f} s on 16 Chetemi, {above_abe(50):.1f} s on 50")
    even = []
    for count in (16, 23, 37, 50):
        times = {kind: study.run("run", "fig10_homogeneous.json", *settings(0, count, 100, {"type": kind}))["makespan_s"] for kind in DISTRIBUTIONS[1:]}
        even += [100 * (times[kind] / times["1d1d"] - 1) for kind in DISTRIBUTIONS[2:]]
    yield Item("on equal nodes -C and -C+S are of little interest or harmful", "VI-A", "little interest, may be harmful", f"{min(even):+.1f} to {max(even):+.1f} % of the time "
               "on 16, 23, 37 and 50 Chetemi; little: 5 % gained", holds=min(even) > -5, ours=True, cause=OURS)
    ratio = value("fig11", 8, 1, 100, "block-cyclic", "-") / value("fig11", 8, 0, 100, "block-cyclic", "-")
    yield Item("block-cyclic falls back with the first slow node", "VI-B, figure 11", "dramatically", f"{ratio:.2f} times the time with 8 + 1 of 8 + 0; dramatic: 1.5 times",
               holds=ratio > 1.5, ours=True, cause=OURS)
    for kind in DISTRIBUTIONS[2:]:
        gain = gains("fig11", kind, "1d1d", lambda key: key[1] > 0)
        yield Item(f"{kind.replace('1d1d', '1Dx1D').upper().replace('X', 'x')} faster than 1Dx1D, with Chetemi", "VI-B, figure 11", "systematically",
                   f"in {sum(g > 0 for g in gain)} of {len(gain)}", holds=min(gain) > 0, ours=True, cause=f"{OURS}; see the gains in seconds")
    gain = gains("fig11", "1d1d-c+s", "1d1d", lambda key: key[1] > 0)
    yield Item("constant gain of 1Dx1D-C+S on 1Dx1D, with Chetemi", "VI-B, figure 11", "about 2 s", f"{min(gain):.2f} to {max(gain):.2f} s",
               holds=min(gain) > 1 and max(gain) < 3, ours=True, cause="the simulated 1Dx1D loses less at its end than the study's")
    both = gain + gains("fig11", "1d1d-c", "1d1d", lambda key: key[1] > 0)
    yield Item("gain of both on 1Dx1D, with Chetemi", "VI-B", "1 to 2 s", f"{min(both):.2f} to {max(both):.2f} s, {sum(both) / len(both):.2f} s on average",
               holds=1 <= sum(both) / len(both) <= 2, ours=True, cause=f"{OURS}; on average")
    gain = gains("fig11", "1d1d-c", "1d1d", lambda key: key[1] > 0)
    yield Item("gain of 1Dx1D-C on 1Dx1D shrinks on larger sets", "VI-B, figure 11", "shrinks", ", ".join(f"{g:.2f}" for g in gain) + " s",
               holds=gain[-1] < gain[0], ours=True, cause="the distance of the simulated 1Dx1D from its bound does not shrink")
    even = 100 * (value("fig13", 16, 30, 150, "1d1d-c", "-") / value("fig13", 16, 30, 150, "1d1d", "-") - 1)
    yield Item("1Dx1D-C like 1Dx1D, 16 + 30, N = 150", "VI-C, figure 13", "similar", f"{even:+.1f} %; similar: within 5 %", holds=abs(even) < 5, ours=True, cause=OURS)
    saved = [100 * g / value("fig11", *key, "1d1d", "-", column="activity_s")
             for kind in DISTRIBUTIONS[2:] for g, key in zip(gains("fig11", kind, "1d1d", lambda key: key[1] > 0, "activity_s"),
                                                             [key for key in platforms["fig11"] if key[1] > 0])]
    yield Item("-C and -C+S are active for less time than 1Dx1D, with Chetemi", "VI-B, figure 12", "less", f"{min(saved):.1f} to {max(saved):.1f} % less",
               holds=min(saved) > 0, ours=True, cause=OURS)
