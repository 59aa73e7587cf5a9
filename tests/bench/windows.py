#!/usr/bin/env python3
"""Whether nodes could be simulated side by side within windows as long as the least latency between them.

    tests/bench/windows.py RUN.csv LATENCY_S...

RUN.csv: `factosim.write_csv(RUN, "RUN.csv")` of the Python package. Events are the ends of tasks, on their node, and the starts and ends of messages, on the node that sends
and on that which receives. A window begins with the first event after the window before. Prints for each length: the windows, the events and nodes in one on average, the share of
events in windows with a single node, and how much faster two cores could be at most: events of one node follow each other, and what joins the cores at the end of a window costs nothing.
"""
import collections
import csv
import sys


def events(path):
    """Returns (date, node) of all events, by date."""
    csv.field_size_limit(sys.maxsize)
    out = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            out.append((float(row["end_s"]), int(row["node"])))
            for message in row["messages"].split():
                source, destination, start, end = message.split(":")[:4]
                out += [(float(start), int(source)), (float(end), int(destination))]
    return sorted(out)


def windows(dated, length):
    """Yields the number of events of each node in each window."""
    end = -1.0
    counts = collections.Counter()
    for date, node in dated:
        if date > end:
            if counts:
                yield counts
            counts = collections.Counter()
            end = date + length
        counts[node] += 1
    yield counts


def main():
    dated = events(sys.argv[1])
    print(f"{len(dated)} events in {dated[-1][0]:.6g} s")
    print(f"{'window s':>9} {'windows':>9} {'events':>7} {'nodes':>6} {'alone %':>8} {'at most':>8}")
    for text in sys.argv[2:]:
        total = count = nodes = alone = steps = 0
        for window in windows(dated, float(text)):
            here = window.total()
            count += 1
            total += here
            nodes += len(window)
            alone += here if len(window) == 1 else 0
            steps += max(max(window.values()), (here + 1) // 2)
        print(f"{text:>9} {count:9d} {total / count:7.2f} {nodes / count:6.2f} {100 * alone / total:8.1f} {total / steps:8.2f}")


if __name__ == "__main__":
    main()
