#!/usr/bin/env python3
"""Compares simulated runs out of core with this computer's own disk.

  tests/fidelity/native_disk.py FACTOSIM [FOLDER]

Measures the disk of FOLDER (default: the working folder) with direct input and output of tiles of 8 MiB, writes it into a
platform with one core, and simulates factorizations whose tiles do not fit into RAM. Then a plain program of its own keeps
the same number of tiles in memory, replaces the least recently used one (one that need not be written first, as StarPU
does), and reads and writes the file in the order of the simulated tasks. Prints bytes and seconds of both: predicted
by the rates measured before, and simulated with the rates that the disk had during that run, which on a shared
computer are others. Needs 1.2 GB of disk and O_DIRECT (Linux).
"""
import collections
import json
import mmap
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

TILE = 8 << 20  # bytes; 1024 x 1024 double
KERNEL_S = 2e-4


class Disk:
    """A file of tiles that bypasses the page cache."""

    def __init__(self, path, tiles):
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_DIRECT)
        self.buffer = mmap.mmap(-1, TILE)
        self.buffer.write(os.urandom(1 << 16) * (TILE >> 16))
        self.tiles = tiles
        for tile in range(tiles):
            self.write(tile)
        os.fdatasync(self.file)

    def write(self, tile):
        assert os.pwritev(self.file, [self.buffer], tile * TILE) == TILE

    def read(self, tile):
        assert os.preadv(self.file, [self.buffer], tile * TILE) == TILE

    def rate(self, operation, count=48):
        """Bytes per second of operations on random tiles."""
        chosen = [random.randrange(self.tiles) for _ in range(count)]
        begin = time.perf_counter()
        for tile in chosen:
            operation(tile)
        return count * TILE / (time.perf_counter() - begin)

    def rates(self):
        return (statistics.median(self.rate(self.read) for _ in range(5)),
                statistics.median(self.rate(self.write) for _ in range(5)))


def run_natively(disk, tasks, capacity):
    """Returns seconds, tiles read and written, and the bytes per second of both, of the tasks one after the other."""
    resident = collections.OrderedDict()  # tile: dirty; the least recently used first
    read = written = 0
    spent = {disk.read: 0.0, disk.write: 0.0}

    def timed(operation, tile):
        start = time.perf_counter()
        operation(tile)
        spent[operation] += time.perf_counter() - start

    begin = time.perf_counter()
    for accesses in tasks:
        used = {tile for tile, _ in accesses}
        for tile, mode in accesses:
            if tile not in resident:
                if len(resident) == capacity:
                    free = [t for t in resident if t not in used]
                    victim = next((t for t in free if not resident[t]), free[0])
                    if resident.pop(victim):
                        timed(disk.write, victim)
                        written += 1
                timed(disk.read, tile)
                read += 1
                resident[tile] = False
            resident.move_to_end(tile)
            resident[tile] = resident[tile] or "W" in mode
        end = time.perf_counter() + KERNEL_S
        while time.perf_counter() < end:
            pass
    seconds = time.perf_counter() - begin
    return seconds, read, written, (read * TILE / spent[disk.read], max(written, 1) * TILE / max(spent[disk.write], 1e-9))


def simulate(program, folder, application, nt, capacity, rates):
    """Returns the result and the accesses of the tasks in the order of their starts."""
    link = lambda rate: {"bandwidth_Bps": rate, "latency_s": 0}
    platform = {"format": "factosim-platform", "version": 1, "network": {"provenance": "none"},
                "node_types": {"host": {"cores": 1, "cycle_time_s": KERNEL_S, "ram_bytes": 1 << 34,
                                        "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6},
                                        "disk": {"read": link(rates[0]), "write": link(rates[1]), "half_duplex": True}}},
                "nodes": [{"type": "host", "count": 1}]}
    scenario = {"platform": "platform.json", "application": {"type": application, "nt": nt, "nb": 1024},
                "scheduler": {"type": "eager"}, "network": {"model": "maxmin"},
                "runtime": {"out_of_core": True, "ram_limit_bytes": capacity * TILE, "initial_data": "disk"}}
    for name, content in (("platform", platform), ("scenario", scenario)):
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(content, file)
    run = [program, "run", f"{folder}/scenario.json", "--json", "--force", "--out", f"{folder}/run"]
    result = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    subprocess.run([program, "export", f"{folder}/run", "--format", "starpu", "-o", f"{folder}/rec", "--force"], check=True,
                   capture_output=True)
    with open(f"{folder}/rec/tasks.rec") as file:
        records = [dict(line.split(": ", 1) for line in record.splitlines() if ": " in line) for record in file.read().split("\n\n")]
    rows = sorted((r for r in records if "StartTime" in r), key=lambda row: float(row["StartTime"]))
    handles = {}
    tasks = [[(handles.setdefault(h, len(handles)), m) for h, m in zip(row["Handles"].split(), row["Modes"].split())]
             for row in rows]
    return result, tasks


def main():
    program = os.path.abspath(sys.argv[1])
    where = sys.argv[2] if len(sys.argv) > 2 else "."
    random.seed(1)
    errors, with_rates = [], []
    with tempfile.TemporaryDirectory(dir=where) as folder:
        disk = Disk(f"{folder}/tiles", 144)
        print(f"{'':9}{'N':>3}{'RAM, tiles':>12}{'read, GB':>18}{'written, GB':>18}{'seconds':>18}{'error':>9}{'runs differ by':>16}{'with its rates':>16}")
        print(f"{'':24}{'simulated':>10}{'real':>8}{'simulated':>10}{'real':>8}{'simulated':>10}{'real':>8}")
        for application, nt in (("lu", 8), ("lu", 12), ("cholesky", 12), ("cholesky", 16)):
            tiles = nt * nt if application == "lu" else nt * (nt + 1) // 2
            for share in (0.2, 0.4, 0.6, 0.8):
                capacity = max(4, round(share * tiles))
                rates = disk.rates()
                result, tasks = simulate(program, folder, application, nt, capacity, rates)
                runs = [run_natively(disk, tasks, capacity) for _ in range(3)]
                median = sorted(runs)[1]
                seconds = median[0]
                spread = (max(r[0] for r in runs) - min(r[0] for r in runs)) / seconds
                simulated = result["makespan_s"]
                transfers = result["nodes"][0]
                errors.append(simulated / seconds - 1)
                again, _ = simulate(program, folder, application, nt, capacity, median[3])
                with_rates.append(again["makespan_s"] / seconds - 1)
                print(f"{application:9}{nt:3}{capacity:12}{transfers['disk_read_bytes'] / 1e9:10.2f}{runs[0][1] * TILE / 1e9:8.2f}"
                      f"{transfers['disk_written_bytes'] / 1e9:10.2f}{runs[0][2] * TILE / 1e9:8.2f}"
                      f"{simulated:10.2f}{seconds:8.2f}{100 * errors[-1]:+8.1f}%{100 * spread:15.1f}%{100 * with_rates[-1]:+15.1f}%", flush=True)
    for name, list_ in (("predicted", errors), ("with the rates of the run", with_rates)):
        rms = (sum(e * e for e in list_) / len(list_)) ** 0.5
        print(f"{len(list_)} runs, {name}: mean {100 * statistics.mean(list_):+.1f} %, rms {100 * rms:.1f} %, "
              f"worst {100 * max(list_, key=abs):+.1f} %")


main()
