"""Where the tests find the program, the scenarios and the package, and a folder of their own."""

import os
import tempfile
import unittest
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST = ROOT / "scenarios/first/lu_mirage.json"
CLUSTER = ROOT / "scenarios/lille/block_cyclic_2x11.json"
PROGRAM = os.environ["FACTOSIM_PROGRAM"]
OWN_GRAPH = os.environ["FACTOSIM_OWN_GRAPH"]


class InOwnFolder(unittest.TestCase):
    """Each test runs in an empty folder, without warnings."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        warnings.simplefilter("ignore")
