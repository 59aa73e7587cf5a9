"""Long runs: progress, stopping, Ctrl-C, and other threads meanwhile."""

import concurrent.futures
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import factosim
from surroundings import FIRST

LONG = {"nt": 120, "/network/model": "maxmin", "/runtime/ram_limit_bytes": 10**15}  # 583 220 tasks


class Progress(unittest.TestCase):
    def test_a_function_learns_of_progress_and_stops_the_run(self):
        for isolated in (True, False):
            calls = []

            def stop(done, total):
                calls.append((done, total))
                return len(calls) < 3

            with self.assertRaises(factosim.RunStopped):
                factosim.run(FIRST, LONG, progress=stop, isolated=isolated)
            self.assertEqual(len(calls), 3)
            self.assertEqual(calls, sorted(calls))
            self.assertEqual({total for _, total in calls}, {120 * 121 * 241 // 6})

    def test_a_terminal_shows_a_bar_and_a_file_nothing(self):
        code = f"import factosim; factosim.run({str(FIRST)!r}, {{'nt': 40}}, progress=CHOICE)"
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made: {error}")
        subprocess.run([sys.executable, "-c", code.replace("CHOICE", "True")], stderr=follower, check=True)
        os.close(follower)
        self.assertIn(b"% of 22140 tasks", os.read(leader, 1 << 16))
        os.close(leader)
        done = subprocess.run([sys.executable, "-c", code.replace("CHOICE", "None")], capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")

    def test_other_threads_run_meanwhile(self):
        for isolated in (True, False):
            beats = []
            ended = threading.Event()

            def beat():
                while not ended.is_set():
                    beats.append(time.monotonic())
                    time.sleep(0.01)

            thread = threading.Thread(target=beat)
            thread.start()
            try:
                factosim.run(FIRST, {**LONG, "nt": 60}, trace=False, isolated=isolated)
            finally:
                ended.set()
                thread.join()
            self.assertGreater(len(beats), 10)
            self.assertLess(max(b - a for a, b in zip(beats, beats[1:])), 1)


    def test_threads_run_at_the_same_time(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda nt: factosim.run(FIRST, nt=nt, progress=False).makespan_s, [4, 6, 8, 10, 4, 6]))
        self.assertEqual(found[:2], found[4:])
        self.assertEqual(found[:4], [factosim.run(FIRST, nt=nt).makespan_s for nt in (4, 6, 8, 10)])


class Interrupts(unittest.TestCase):
    def interrupted(self, call):
        """Interrupts a call of another process when its simulation runs; returns how long it then takes to end."""
        code = (
            "import sys, factosim\n"
            "sys.path.insert(0, sys.argv[1])\n"
            "from policies import Eager\n"
            "def tell(done, total): print('runs', flush=True)\n"
            f"scenario, long = {str(FIRST)!r}, {LONG!r}\n"
            f"try:\n    {call}\n"
            "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([sys.executable, "-c", code, str(Path(__file__).parent)], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": folder}, start_new_session=True)
            self.assertEqual(process.stdout.readline(), "runs\n")
            begin = time.monotonic()
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            lines = process.stdout.read().splitlines()
            seconds = time.monotonic() - begin
            self.assertEqual(lines[-1], "interrupted")
            self.assertEqual(process.wait(), 0)
            self.assertEqual(process.stderr.read(), "")
            process.stdout.close()
            process.stderr.close()
            self.assertEqual(os.listdir(folder), [])
        return seconds

    def test_an_interrupted_run_leaves_no_empty_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.interrupted(f"factosim.run(scenario, long, progress=tell, out={folder + '/run'!r})")
            self.assertEqual(os.listdir(folder), [])

    def test_an_isolated_run_ends_within_a_second(self):
        self.assertLess(self.interrupted("factosim.run(scenario, long, progress=tell)"), 1)

    def test_a_run_in_the_process_ends_within_a_second(self):
        self.assertLess(self.interrupted("factosim.run(scenario, long, progress=tell, isolated=False)"), 1)

    def test_a_run_with_a_policy_ends_within_a_second(self):
        for isolated in (True, False):
            self.assertLess(self.interrupted(
                f"factosim.run(scenario, long, progress=tell, scheduler=Eager, isolated={isolated})"), 1)

    def test_a_sweep_ends_within_a_second(self):
        self.assertLess(self.interrupted(
            "factosim.sweep(lambda x: factosim.run(scenario, long, progress=tell), {'x': [1, 2, 3]}, processes=2)"), 1)


if __name__ == "__main__":
    unittest.main()
