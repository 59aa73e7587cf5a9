"""The afternoon's study runs as written; its sweep goes on after its process was killed."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

STUDY = Path(__file__).parent / "study.py"


class Study(unittest.TestCase):
    def test_the_study_is_killed_in_its_sweep_and_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, STUDY, folder, "16"]
            points = Path(folder) / "sweep/points"
            killed = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 120
            while len(list(points.glob("*.json"))) < 2 and killed.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            time.sleep(0.5)  # the program ends with its parent
            done = {file: file.stat().st_mtime_ns for file in points.glob("*.json")}
            self.assertGreaterEqual(len(done), 2)
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            self.assertTrue(all(file.stat().st_mtime_ns == at for file, at in done.items()))
            self.assertIn("32 points, 32 done", printed)
            means = [float(mean) for mean in re.findall("mean ([0-9.]+) s", printed)]
            self.assertEqual(len(means), 2)
            self.assertRegex(printed, r"[+-][0-9.]+ s, mainly \w+")
            advised, simulated = re.search(r"advice: .*: ([0-9.]+) s \(.*\nadvised, simulated: ([0-9.]+) s", printed).groups()
            self.assertAlmostEqual(float(advised), float(simulated), delta=1e-3)
            for name in ("policies.pdf", "sweep.pdf"):
                self.assertEqual((Path(folder) / name).read_bytes()[:4], b"%PDF")
            self.assertEqual(sorted(os.listdir(folder)), ["own", "policies.html", "policies.pdf", "sweep", "sweep.pdf"])


if __name__ == "__main__":
    unittest.main()
