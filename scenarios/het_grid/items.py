"""Items of the IPDPS 2000 paper on heterogeneous grids, for scenarios/verdicts.py."""

import collections
import csv
import itertools
import json
import subprocess

from verdicts import ROOT, Item

KALINOV = '{"type": "kalinov-lastovetsky", "p": 2, "q": 2}'
HEURISTIC, KL = ({"type": "het-grid", "p": 3, "q": 3, "method": "heuristic"}, {"type": "kalinov-lastovetsky", "p": 3, "q": 3})
TIMES = (1, 2, 3, 5)  # cycle-times of P11, P12, P21, P22 in paper_2x2.json


def flat(rows):
    return list(itertools.chain(*rows))


def arrangement(rows):
    return " / ".join(" ".join(f"{t:g}" for t in row) for row in rows)


def items(study):
    steps = study.run("distribute", "paper_3x3.json", "--steps")["grid"]["steps"]
    first = steps[0]
    yield Item("r of the first arrangement", "4.4.2", ["1.1661", "0.3675", "0.2100"], first["r"])
    yield Item("c", "4.4.2", ["0.6803", "0.4288", "0.2859"], first["c"])
    yield Item("B", "4.4.2", ["0.7933", "1", "1", "1", "0.7879", "0.6303", "1", "0.7203", "0.5402"], flat(first["workload"]))
    yield Item("mean of B, objective", "4.4.2", ["0.8302", "2.4322"], [first["mean_workload"], first["objective"]])
    yield Item("T^opt", "4.4.3", ["1.2606", "2.0000", "3.0000", "4.0000", "6.3464", "9.5195", "7.0000", "11.1061", "16.6592"],
               flat(first["optimal_times"]))
    yield Item("objective after the second step, after convergence", "4.4.3", ["2.5065", "2.5889"],
               [steps[1]["objective"], steps[-1]["objective"]])
    yield Item("steps to convergence", "4.4.3", ["3"], [len(steps) - 1], cause="the first arrangement is not counted")
    for text, step, name in (("1 2 3 / 4 5 7 / 6 8 9", steps[1], "after the second step"), ("1 2 3 / 4 6 8 / 5 7 9", steps[-1], "converged")):
        yield Item(f"arrangement {name}", "4.4.3", text, arrangement(step["arrangement"]), holds=arrangement(step["arrangement"]) == text)
    exact = study.run("distribute", "paper_3x3.json", "--set", "/distribution/method=exact")["grid"]["objective"]
    yield Item("the heuristic does not reach the optimum", "4.4.5", "not optimal", f"{steps[-1]['objective']:.4f} of {exact:.4f}",
               holds=steps[-1]["objective"] < exact)

    panel = study.run("distribute", "paper_2x2.json")["grid"]
    rows, columns = panel["panel_rows"], "".join("AB"[c] for c in panel["panel_columns"])
    yield Item("panel of 8 x 6, cycle-times 1 2 3 5: rows of each grid row, columns of each grid column", "3.2.2", ["6", "2", "4", "2"],
               [rows.count(0), rows.count(1), columns.count("A"), columns.count("B")])
    yield Item("order of the panel's columns", "3.2.2, figure 4", "ABAABA", columns, holds=columns == "ABAABA")
    yield Item("the panel's columns as single processors A and B: cycle-times 3/20 and 5/17", "3.2.2", ["0.15", "0.2941"],
               [1 / (rows.count(0) / TIMES[j] + rows.count(1) / TIMES[j + 2]) for j in (0, 1)])
    balanced = study.run("distribute", "paper_2x2.json", "--set", "/distribution/cycle_times=[1,2,3,6]", "--set",
                         '/distribution/panel={"rows": 4, "columns": 3}')["grid"]
    yield Item("panel of 4 x 3, cycle-times 1 2 3 6", "3.1.2, figure 1", "perfectly balanced", f"mean workload {balanced['mean_workload']:.4f}, "
               f"{balanced['panel_rows'].count(0)} and {balanced['panel_rows'].count(1)} rows, {balanced['panel_columns'].count(0)} and "
               f"{balanced['panel_columns'].count(1)} columns", holds=abs(balanced["mean_workload"] - 1) < 1e-12 and
               sorted(balanced["panel_rows"]) == [0, 0, 0, 1] and sorted(balanced["panel_columns"]) == [0, 0, 1])

    of_node = [balanced["panel_rows"].count(i) * balanced["panel_columns"].count(j) * TIMES[2 * i + j] for i in (0, 1) for j in (0, 1)]
    yield Item("the same panel, cycle-time 5 for 6: P22 is idle every sixth step", "3.1.2", ["6"], [max(of_node) / (max(of_node) - of_node[3])])

    def kalinov(nt):
        return study.run("distribute", "paper_2x2.json", "--set", f"/distribution={KALINOV}", "--set", f"/application/nt={nt}")["owner"]

    top = kalinov(61)[0]
    yield Item("Kalinov-Lastovetsky: columns of each grid column, out of 61", "3.1.2", ["40", "21"], [top.count(0), top.count(1)])
    owner = kalinov(28)
    first = [row[[o % 2 for o in row].index(0)] for row in owner]
    yield Item("Kalinov-Lastovetsky: rows of P11 over those of P21", "3.1.2", ["3"], [first.count(0) / first.count(2)])
    second = [row[[o % 2 for o in row].index(1)] for row in owner]
    yield Item("Kalinov-Lastovetsky: rows of P12 and P22, out of every 7", "3.1.2", ["5", "2"], [second.count(1) / 4, second.count(3) / 4])
    yield Item("its grid columns as single processors: cycle-times 3/2 and 20/7", "3.1.2", ["1.5", "2.8571"],
               [2 * max(column.count(node) * TIMES[node] for node in nodes) / 28 for column, nodes in ((first, (0, 2)), (second, (1, 3)))])
    west = {owner[m][n - 1] for m in range(28) for n in range(1, 28) if owner[m][n] == 3} - {3}
    yield Item("west neighbours of P22 with Kalinov-Lastovetsky", "3.1.2, figure 3", ["2"], [len(west)])

    for application in ("gemm", "lu", "qr"):
        extra = ["--set", "/application/tree=nodes"] if application == "qr" else []
        partners = pairs(study, "product.json" if application == "gemm" else f"{application}.json", HEURISTIC, extra)
        yield Item(f"{application}: each node communicates with nodes of its row and column only", "3.1.2",
                   "yes", "yes" if partners == 0 else f"{partners} pairs do not", holds=partners == 0)
    for application, scenario in (("product", "product.json"), ("LU", "lu.json"), ("QR", "qr.json")):
        (sent, tiles), (sent_kl, tiles_kl) = (messages(study.run("distribute", scenario, "--set", f"/distribution={json.dumps(d)}")["owner"],
                                                       application != "product") for d in (HEURISTIC | {"method": "exact"}, KL))
        yield Item(f"{application}: the grid's pattern costs less communication than Kalinov-Lastovetsky's", "3.1.2", "yes",
                   f"{sent} messages with {tiles} tiles, {sent_kl} with {tiles_kl}", holds=sent < sent_kl and tiles <= tiles_kl,
                   cause="counted in the same way" if application != "product" else "30 x 30 tiles, cycle-times 1 to 9; what a node sends another in a broadcast is one "
                   "message, as in ScaLAPACK: no more tiles in fewer messages cost less at any start-up time. Runtime systems send tile by tile, see below")


def pairs(study, scenario, distribution, options):
    """Returns the number of rows and columns of tiles whose owners are not all of one grid row or column."""
    d = study.run("distribute", scenario, "--set", f"/distribution={json.dumps(distribution)}", *options)
    place = {node: (i, j) for i, row in enumerate(d["grid"]["nodes"]) for j, node in enumerate(row)}
    owner = d["owner"]
    rows = sum(len({place[o][0] for o in row}) > 1 for row in owner)
    return rows + sum(len({place[row[n]][1] for row in owner}) > 1 for n in range(len(owner)))


def messages(owner, triangular):
    """Returns how many messages a map needs and how many tiles they carry, counted as section 3 does: in each step the owners of the current column
    broadcast it along the rows, and those of the current row along the columns; what one node sends another in a broadcast is one message."""
    nt, carried = len(owner), collections.Counter()  # tiles by step, direction, sender and receiver
    for k in range(nt):
        rest = range(k + 1 if triangular else 0, nt)
        for i in range(k if triangular else 0, nt):
            row, column = {owner[i][n] for n in rest}, {owner[m][i] for m in rest}
            carried.update((k, "along a row", owner[i][k], to) for to in row if to != owner[i][k])
            carried.update((k, "along a column", owner[k][i], to) for to in column if to != owner[k][i])
    return len(carried), carried.total()


def long_items(study):
    subprocess.run([study.folder / "figures.sh", study.program], check=True, capture_output=True)
    with open(ROOT / "results/het_grid/figures.csv") as file:
        rows = {int(row["n"]): {key: float(value) for key, value in row.items()} for row in csv.DictReader(file)}
    values = [rows[n]["steps"] for n in range(2, 16, 4)]
    yield Item("number of steps grows with n", "figure 8", "yes", ", ".join(f"{v:.3g}" for v in values) + " at n = 2, 6, 10, 14",
               holds=values == sorted(values), cause="means of 100 draws; the first arrangement counts as a step")
