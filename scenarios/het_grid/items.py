"""Items of the IPDPS 2000 paper on heterogeneous grids, for scenarios/verdicts.py."""

from verdicts import Item


def items(study):
    grid = study.run("distribute", "paper_3x3.json")["grid"]
    yield Item("objective of the first arrangement, after the second step, converged", "section 4.4.3", ["2.4322", "2.5065", "2.5889"],
               [grid["history"][0], grid["history"][1], grid["objective"]])
