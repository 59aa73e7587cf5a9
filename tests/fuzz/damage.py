#!/usr/bin/env python3
"""Damages points of sweeps, results of runs and their folders, and counts how factosim takes it.

damage.py FACTOSIM [--seed N] [--points N] [--runs N]
Prints a row for each kind of damage. Exit code 1 if a damage is accepted silently, ends with exit code 3 or by a
signal, or lasts more than a minute.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCENARIO = Path(__file__).resolve().parents[2] / "scenarios/first/lu_mirage.json"


def program(*arguments, cwd=None):
    try:
        run = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, errors="replace",
                             timeout=60, cwd=cwd, stdin=subprocess.DEVNULL)
        return run.returncode, run.stdout + run.stderr
    except subprocess.TimeoutExpired:
        return -99, "timeout"


# --- damages of one file: each changes the file, or returns False if it is not applicable ---------------------

def bytes_changed(change):
    def apply(path, rng, others):
        data = path.read_bytes()
        new = change(bytearray(data), rng)
        path.write_bytes(new)
        return bytes(new) != data
    return apply


def flip_bit(data, rng):
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def change_digit(data, rng):
    places = [m.start() for m in re.finditer(rb"[0-9]", bytes(data))]
    i = rng.choice(places)
    data[i] = rng.choice([d for d in b"0123456789" if d != data[i]])
    return data


def remove_bytes(data, rng):
    i = rng.randrange(len(data))
    del data[i:i + rng.randrange(1, 50)]
    return data


def zero_block(data, rng):
    i = rng.randrange(len(data))
    data[i:i + 512] = bytes(len(data[i:i + 512]))
    return data


def repeat_block(data, rng):
    i = rng.randrange(len(data))
    return data[:i] + data[i:i + 100] * 2 + data[i + 100:]


def leaves(value, at=()):
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from leaves(member, at + (key,))
    elif isinstance(value, list) and value:
        for i, member in enumerate(value):
            yield from leaves(member, at + (i,))
    yield at


def json_changed(change, keep_checksum_line):
    """Changes one value of the document; the text keeps its layout, as an editor would."""
    def apply(path, rng, others):
        text = path.read_text()
        try:
            document = json.loads(text)
        except ValueError:
            return False
        places = [at for at in leaves(document) if at and at[-1] != "checksum"]
        rng.shuffle(places)
        for at in places[:200]:
            parent = document
            for key in at[:-1]:
                parent = parent[key]
            if change(parent, at[-1], rng):
                break
        else:
            return False
        line = re.search(r'^ *"checksum": "[0-9a-f]{16}",\n', text, re.M)
        if keep_checksum_line and text.startswith("{\"format\":\"factosim-point\"") and line:
            document.pop("checksum", None)
            new = json.dumps(document, separators=(",", ":"))
            new = new.replace('"version":2,', '"version":2,\n' + line.group(0), 1) + "\n"
        else:
            new = json.dumps(document, indent=2) + "\n"
        path.write_text(new)
        return new != text
    return apply


def other_number(parent, key, rng):
    if isinstance(parent[key], bool) or not isinstance(parent[key], (int, float)):
        return False
    parent[key] = rng.choice([parent[key] * 0.5 + 1, 0, -1, 1e308, parent[key] + 1])
    return True


def other_kind(parent, key, rng):
    old = parent[key]
    parent[key] = rng.choice([v for v in ("zero", None, True, [], {}, [[1]], -1, 1e400) if type(v) is not type(old)])
    return True


def without_key(parent, key, rng):
    del parent[key]
    return True


def makespan(parent, key, rng):
    if key != "makespan_s":
        return False
    parent[key] = rng.choice([parent[key] * 0.9, "fast", None, 0, -1])
    return True


def code(parent, key, rng):
    if key != "code":
        return False
    parent[key] = rng.choice(["zero", 2, 3, 4, 99, -1, None, 1.5, 2**70])
    return True


def swapped(path, rng, others):
    other = rng.choice(others)
    shutil.copyfile(other, path)
    return True


def old_without_checksum(path, rng, others):
    """An altered point in the form of older versions: must at least be remarked."""
    document = json.loads(path.read_text())
    document.pop("checksum", None)
    if document.get("format") != "factosim-point":
        return False
    document["version"] = 1
    key = rng.choice(["result", "code", "scenario", "id", "makespan"])
    if key == "makespan":
        document["result"]["makespan_s"] = rng.choice(["text", [], None, {}])
    else:
        document[key] = rng.choice([[], "x", None, {"a": 1}])
    path.write_text(json.dumps(document))
    return True


def replaced_by(make):
    def apply(path, rng, others):
        path.unlink()
        make(path, rng, others)
        return True
    return apply


FILE_DAMAGES = {
    "bit flipped": bytes_changed(flip_bit),
    "digit changed": bytes_changed(change_digit),
    "bytes removed": bytes_changed(remove_bytes),
    "block of zeros": bytes_changed(zero_block),
    "block repeated": bytes_changed(repeat_block),
    "cut": bytes_changed(lambda d, rng: d[:rng.randrange(len(d))]),
    "emptied": bytes_changed(lambda d, rng: b""),
    "NUL appended": bytes_changed(lambda d, rng: d + b"\0"),
    "text appended": bytes_changed(lambda d, rng: d + rng.choice([b"x", b"{}", b"]", b"\n1"])),
    "byte order mark": bytes_changed(lambda d, rng: b"\xef\xbb\xbf" + d),
    "UTF-16": bytes_changed(lambda d, rng: bytes(d).decode("latin-1").encode("utf-16")),
    "CRLF": bytes_changed(lambda d, rng: bytes(d).replace(b"\n", b"\r\n")),
    "number altered": json_changed(other_number, True),
    "kind changed": json_changed(other_kind, True),
    "key removed": json_changed(without_key, True),
    "makespan altered": json_changed(makespan, True),
    "code altered": json_changed(code, True),
    "checksum removed": json_changed(other_number, False),
    "form of version 1": old_without_checksum,
    "another's file": swapped,
    "deleted": replaced_by(lambda p, rng, o: None),
    "folder in its place": replaced_by(lambda p, rng, o: p.mkdir()),
    "FIFO in its place": replaced_by(lambda p, rng, o: os.mkfifo(p)),
    "link to another": replaced_by(lambda p, rng, o: p.symlink_to(rng.choice(o))),
    "link to nothing": replaced_by(lambda p, rng, o: p.symlink_to("nothing")),
    "link to itself": replaced_by(lambda p, rng, o: p.symlink_to(p.name)),
    "link to a device": replaced_by(lambda p, rng, o: p.symlink_to(rng.choice(["/dev/zero", "/dev/null"]))),
    "unreadable": replaced_by(lambda p, rng, o: p.symlink_to("/proc/self/mem")),
}


class Table:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.bad = []

    def add(self, kind, what, command, said, bad=False):
        self.counts[kind][what] += 1
        if bad:
            self.bad.append(f"{kind}: {what}: {' '.join(map(str, command))}\n    {said[:400]}")

    def print(self):
        columns = ["tried", "named", "harmless", "silent", "exit 3", "signal", "hang"]
        print(f"{'damage':<34}" + "".join(f"{c:>10}" for c in columns))
        total = collections.Counter()
        for kind, counts in sorted(self.counts.items()):
            counts["tried"] = sum(counts.values())
            total.update(counts)
            print(f"{kind:<34}" + "".join(f"{counts[c]:>10}" for c in columns))
        print(f"{'all':<34}" + "".join(f"{total[c]:>10}" for c in columns))
        for line in self.bad:
            print(line)


def ended_badly(rc):
    return "hang" if rc == -99 else "signal" if rc < 0 else "exit 3" if rc == 3 else None


def rows_of(folder):
    file = folder / "sweep.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def damage_points(exe, table, rng, count, work):
    sweep = work / "s.sweep.json"
    sweep.write_text(json.dumps({
        "format": "factosim-sweep", "version": 1, "scenario": str(SCENARIO),
        "set": {"/network/model": "maxmin"}, "points": {"/application/nt": [2, 3, 4]}}))
    clean, out = work / "clean", work / "out"
    rc, said = program(exe, "sweep", sweep, "--out", clean)
    assert rc == 0, said
    csv, rows = (clean / "sweep.csv").read_bytes(), {r["id"]: r for r in rows_of(clean)}
    kinds = list(FILE_DAMAGES.items())
    for i in range(count):
        kind, damage = kinds[i % len(kinds)]
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(clean, out)
        files = sorted((out / "points").glob("*.json"))
        victim = rng.choice(files)
        if not damage(victim, rng, [f for f in files if f != victim]):
            continue
        for command in ("--collect", "--resume"):
            (out / "sweep.jsonl").unlink(missing_ok=True)
            line = [exe, "sweep", sweep, "--out", out, command]
            rc, said = program(*line)
            altered = any(r["status"] == "done" and r != rows[r["id"]] for r in rows_of(out))
            named = victim.name in said or (kind == "deleted") or "no checksum" in said
            if bad := ended_badly(rc):
                table.add("point, " + kind, bad, line, said, True)
            elif altered:
                table.add("point, " + kind, "silent", line, said, "no checksum" not in said)
            elif rc == 0 and (out / "sweep.csv").read_bytes() == csv and (command == "--resume" or named):
                # --collect named it before; nothing may be left to name after a resume that kept a sound point
                table.add("point, " + kind, "named" if named else "harmless", line, said)
            elif rc == 2 and named:
                table.add("point, " + kind, "named", line, said)
            else:
                table.add("point, " + kind, "silent", line, said, True)


def damage_runs(exe, table, rng, count, work):
    clean, other, run = work / "run", work / "other", work / "damaged"
    base = [exe, "run", SCENARIO, "--set", "/network/model=maxmin", "--set", "/outputs/series=true"]
    for folder, nt in ((clean, 3), (other, 4)):
        rc, said = program(*base, "--set", f"/application/nt={nt}", "--out", folder)
        assert rc == 0, said
    kinds = [k for k in FILE_DAMAGES.items() if k[0] != "FIFO in its place"]  # reading waits for a writer
    names = ["result.json", "run.trace", "series.json"]
    for i in range(count):
        kind, damage = kinds[i % len(kinds)]
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(clean, run)
        victim = run / names[(i // len(kinds)) % len(names)]
        try:
            if not damage(victim, rng, [other / victim.name]):
                continue
        except (KeyError, UnicodeDecodeError, json.JSONDecodeError):
            continue
        for line in ([exe, "check", run], [exe, "compare", "--no-simulation", clean, run],
                     [exe, "report", run, "-o", work / "r.html", "--force"]):
            rc, said = program(*line)
            row = f"{victim.name}, {kind}"
            named = victim.name in said or "is not the file that the run wrote" in said or "no run.trace" in said
            if bad := ended_badly(rc):
                table.add(row, bad, line, said, True)
            elif named or rc in (2, 5):  # an altered result may name another scenario
                table.add(row, "named", line, said)
            elif not victim.exists() or (line[1] == "compare" and victim.name == "series.json"):
                table.add(row, "harmless", line, said)  # the trace, which has a checksum of its own, is all that is read
            else:
                table.add(row, "silent", line, said, True)


def hostile_paths(exe, table, work):
    long = "x" * 300
    (work / "folder").mkdir()
    clean = work / "run"
    loop = work / "loop"
    loop.symlink_to("loop")
    commands = [
        ["run", "@"], ["run", SCENARIO, "--out", "@"], ["bounds", "@"], ["distribute", "@"],
        ["distribute", SCENARIO, "--chameleon", "@"], ["sweep", "@"], ["sweep", work / "s.sweep.json", "--out", "@"],
        ["sweep", work / "s.sweep.json", "--collect", "--out", "@"],
        ["advise", "@"], ["import", "starpu-model", "@", "-o", work / "k.json"],
        ["import", "starpu-timings", "@", "-o", work / "t.json"],
        ["import", "starpu-platform", "@", "-o", work / "p.json"],
        ["export", "@", "--format", "paje", "-o", work / "e.paje", "--force"],
        ["export", clean, "--format", "paje", "-o", "@"],
        ["compare", "@", clean], ["compare", clean, "@"], ["report", "@", "-o", work / "x.html", "--force"],
        ["report", clean, "-o", "@"], ["check", "@"],
        ["run", SCENARIO, "--set", "/platform=@"], ["run", SCENARIO, "--set", "/platform/file=@"],
        ["run", SCENARIO, "--set", '/distribution={"type":"file","file":"@"}'],
        ["run", SCENARIO, "--set", '/application={"type":"trace","file":"@"}'],
        ["run", SCENARIO, "--set", '/network/file="@"'],
    ]
    paths = {"300 letters": long, "a long path": "/" + "/".join(["y" * 200] * 30), "/proc/self/mem": "/proc/self/mem",
             "a loop of links": str(loop), "below a file": str(SCENARIO) + "/x", "an empty name": "",
             "/dev/null": "/dev/null", "NUL in JSON": "a\\u0000b", "not UTF-8": b"\xff\xfe".decode("utf-8", "surrogateescape")}
    for kind, path in paths.items():
        for command in commands:
            if kind == "NUL in JSON" and not any("{" in str(c) for c in command):
                continue
            line = [exe, *[str(c).replace("@", path) for c in command]]
            rc, said = program(*line, cwd=work)
            if bad := ended_badly(rc):
                table.add("path, " + kind, bad, line, said, True)
            elif rc == 0:
                table.add("path, " + kind, "harmless", line, said)
            else:
                table.add("path, " + kind, "named", line, said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("factosim")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=10 * len(FILE_DAMAGES))
    parser.add_argument("--runs", type=int, default=9 * len(FILE_DAMAGES))
    a = parser.parse_args()
    exe, rng, table = Path(a.factosim).resolve(), random.Random(a.seed), Table()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        damage_points(exe, table, rng, a.points, work)
        damage_runs(exe, table, rng, a.runs, work)
        hostile_paths(exe, table, work)
    table.print()
    sys.exit(1 if table.bad else 0)


main()
