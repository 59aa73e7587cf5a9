"""Items of the PLB-HAC slides, for scenarios/verdicts.py. They show curves and bars without numbers; nearly all items are statements."""

import collections

from verdicts import Item

SETUPS = {1: "one_machine.json", 3: "three_machines.json", 5: "five_machines.json"}
LOOPS = ['{"kernel": "matmul", "n": 65536}', '{"kernel": "matmul", "n": 131072}', '{"kernel": "grn", "genes": 20000}',
         '{"kernel": "grn", "genes": 40000}', '{"kernel": "kmeans", "points": 20000000, "clusters": 16384}',
         '{"kernel": "kmeans", "points": 100000000, "clusters": 16384}']
ESTIMATES = "machines are estimates"
START_S = 142


def items(study):
    ratio = collections.defaultdict(list)  # by machines and balancer
    idle = collections.defaultdict(list)
    for machines, scenario in SETUPS.items():
        for loop in LOOPS:
            for balancer in ("plb-hac", "hdss", "greedy"):
                m = study.run("run", scenario, "--set", f"/application/loop={loop}", "--set", f"/application/balancer={balancer}")["metrics"]
                ratio[machines, balancer].append(m["ratio_to_optimal"])
                if machines == 5:
                    idle[balancer].append((m["idle"], m["idle_initial"]))
    worst = max(max(ratio[machines, "plb-hac"]) for machines in SETUPS)
    yield Item("PLB-HAC: within 10 % of the optimal distribution", "speedup vs optimal", "mostly", f"at most {100 * (worst - 1):.1f} % in 18 cases",
               ours=True, holds=worst <= 1.1, cause=ESTIMATES)
    for machines in SETUPS:
        plb, hdss, greedy = (ratio[machines, balancer] for balancer in ("plb-hac", "hdss", "greedy"))
        wins = sum(a < b for a, b in zip(plb, hdss)), sum(a < b for a, b in zip(plb, greedy))
        yield Item(f"{machines} machine{'s' * (machines > 1)}: PLB-HAC better than HDSS and greedy", "speedup vs optimal", "yes",
                   f"in {wins[0]} and {wins[1]} of 6", ours=True, holds=wins == (6, 6),
                   cause=(f"on one machine, with two workers, HDSS ends up to {100 * (max(a / b for a, b in zip(plb, hdss)) - 1):.1f} % earlier; "
                          "blocks vary by 3 %; " if wins[0] < 6 else "") + ESTIMATES)
    mean = {key: sum(values) / len(values) for key, values in ratio.items()}
    ahead = [mean[machines, "hdss"] / mean[machines, "plb-hac"] - 1 for machines in SETUPS]
    yield Item("the advantage over HDSS grows with more machines", "conclusion", "yes", ", ".join(f"{100 * a:.1f} %" for a in ahead) +
               " on 1, 3, 5", ours=True, holds=ahead == sorted(ahead), cause=ESTIMATES)

    shares = {}
    for balancer in ("plb-hac", "hdss"):
        workers = study.run("run", "five_machines.json", "--set", f"/application/balancer={balancer}")["balance"]["workers"]
        by_class = collections.defaultdict(lambda: [0.0, 0.0])
        for w in workers:
            by_class[w["class"]][0] += w["share"]
            by_class[w["class"]][1] += w["optimal_share"]
        shares[balancer] = by_class, max(abs(w["share"] - w["optimal_share"]) for w in workers)
    yield Item("shares of PLB-HAC are very similar to the optimal ones (A to E)", "block size ratios", "yes",
               f"largest difference {100 * shares['plb-hac'][1]:.2f} points", ours=True, holds=shares["plb-hac"][1] < 0.02, cause=ESTIMATES)
    hdss = shares["hdss"][0]
    for name, text, sign in (("cpu", "more to CPUs", 1), ("phi", "less to Xeon Phis", -1)):
        got, best = hdss[name]
        yield Item(f"HDSS gives {text} than the optimum", "block size ratios", "yes", f"{100 * got:.2f} instead of {100 * best:.2f} %",
                   ours=True, holds=sign * (got - best) > 0, cause=("the direction only: the figure shows a larger difference; " if name == "phi" else "") + ESTIMATES)
    total = {balancer: sum(a for a, _ in values) / len(values) for balancer, values in idle.items()}
    initial = sum(b for _, b in idle["hdss"]) / len(idle["hdss"])
    yield Item("HDSS has much higher idle times than PLB-HAC (A to E)", "idle time", "yes",
               f"{100 * total['hdss']:.1f} and {100 * total['plb-hac']:.1f} % of all workers' time", ours=True, holds=total["hdss"] > 2 * total["plb-hac"], cause=ESTIMATES)
    yield Item("most of it in the initial phase", "idle time", "yes", f"{100 * initial / total['hdss']:.0f} %", ours=True, holds=initial > total["hdss"] / 2,
               cause=ESTIMATES)

    for panel, share, where in (("grn", "half of the GPU (two programs that compute take turns)", "left"),
                                ("rendering", "80 % of the GPU, a number of ours", "right")):
        before, during, plan = shares_of_gpu(study.run("run", f"perturbation_{panel}.json"))
        taken = {"grn": 0.5, "rendering": 0.8}[panel]
        worth = before * (1 - taken) / (1 - before * taken)
        yield Item(f"{panel} starts on the GPU of A at {START_S} s: its share falls", f"adaptability, {where} panel", "yes",
                   f"{before:.3f} before, {during:.3f} after, {plan:.0f} s after the start", ours=True, holds=during < before and abs(during / worth - 1) < 0.15,
                   cause=f"assumed: the other program takes {share}; {worth:.3f} is what the rest is worth")


def shares_of_gpu(result):
    """Returns the mean share of the GPU of A in steps before and after the other program starts, the latter from the third step that is
    planned with it on, and how long after the start that step begins."""
    balance = result["balance"]
    gpu = [w["name"] for w in balance["workers"]].index("0:cuda0")
    steps = [(step["start_s"], step["shares"][gpu]) for step in balance["steps"] if step["chunks"] >= 50]  # without those at both ends
    before = [share for start, share in steps if 50 <= start < START_S]
    after = [(start, share) for start, share in steps if start >= START_S][2:]
    return sum(before) / len(before), sum(share for _, share in after) / len(after), after[0][0] - START_S
