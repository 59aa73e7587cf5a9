"""Where the tests find the program, the scenarios and the package."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST = ROOT / "scenarios/first/lu_mirage.json"
CLUSTER = ROOT / "scenarios/lille/block_cyclic_2x11.json"
PROGRAM = os.environ["FACTOSIM_PROGRAM"]
OWN_GRAPH = os.environ["FACTOSIM_OWN_GRAPH"]
