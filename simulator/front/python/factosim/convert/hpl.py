"""Input of the Linpack benchmark: HPL.dat.

Each N, NB and P x Q is an LU factorization of tiles of NB rows, on a node for each process; several are a sweep. HPL finds values by
the number of their line, and reads no more of a list than the line before it says.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ._source import Converted, Format, Source, of

# Lines with what the model has no key for; of a list, the line before has the number of its values.
_LISTS = {15: "PFACT", 17: "NBMIN", 19: "NDIV", 21: "RFACT", 23: "BCAST", 25: "DEPTH"}
_VALUES = {9: "PMAP", 26: "SWAP", 27: "swapping threshold", 28: "L1", 29: "U", 30: "equilibration"}
_DIGITS = re.compile(r"[0-9]{1,12}")


class _Lines:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = source.text.splitlines()

    def words(self, line: int, what: str) -> list[str]:
        if line > len(self.lines):
            self.source.fail(line, f"is missing ({what}; HPL reads it there). Was the file cut?")
        return self.lines[line - 1].split()

    def numbers(self, line: int, count: int, what: str, most: int) -> list[int]:
        words = self.words(line, what)[:count]
        if len(words) < count:
            self.source.fail(line, f"has {of(len(words), 'value')} of {what} (the line of their number says {count}). Add the others")
        for word in words:
            if not _DIGITS.fullmatch(word) or not 1 <= int(word) <= most:
                self.source.fail(line, f'has "{word[:40]}" as {what}. Give an integer from 1 to {most}')
        return [int(word) for word in words]

    def list_at(self, line: int, what: str, most: int) -> list[int]:
        return self.numbers(line, self.numbers(line - 1, 1, f"the number of {what}", 20)[0], what, most)

    def left_out(self) -> list[str]:
        """Returns what the model has no key for, with its values."""
        out = []
        for line, name in sorted({**_LISTS, **_VALUES}.items()):
            if line > len(self.lines):
                break
            count, words = self.lines[line - 2].split()[:1], self.lines[line - 1].split()
            of_list = int(count[0]) if line in _LISTS and count and _DIGITS.fullmatch(count[0]) else 1
            out.append(f"{name} {' '.join(words[:of_list])}")
        return out


def _convert(source: Source) -> Converted:
    lines = _Lines(source)
    sizes, tiles = lines.list_at(6, "N", 10**9), lines.list_at(8, "NB", 10**6)
    grids = lines.numbers(10, 1, "the number of grids", 20)[0]
    rows, columns = lines.numbers(11, grids, "P", 10**6), lines.numbers(12, grids, "Q", 10**6)
    if not source.platform:
        source.fail(0, "needs a machine (HPL.dat names none). Give --platform NAME; factosim list platforms shows those that are shipped")
    points = [_point(source, n, nb, p, q) for p, q in zip(rows, columns) for n in sizes for nb in tiles]
    findings = ["ASSUMPTION: each process is a node of the platform; where several share one, make its nodes and the grid fewer",
                "LU has no pivoting here: searches for pivots, swaps of rows and the solution with the factors take no time"]
    rounded = [point for point in points if point["labels"]["N"] % point["/application/nb"]]
    if rounded:
        nb, nt = rounded[0]["/application/nb"], rounded[0]["/application/nt"]
        findings.append(f"N is no multiple of NB in {of(len(rounded), 'run')}: the matrix is larger there, of {nt * nb} rows instead of "
                        f"{rounded[0]['labels']['N']} first")
    if left_out := lines.left_out():
        findings.append(f"left out: {', '.join(left_out)}")
    text = json.dumps(_document(source, points, findings), indent=2) + "\n"
    return Converted(FORMAT.name, ".json" if len(points) == 1 else ".sweep.json", text, {"runs": len(points)}, findings)


def _point(source: Source, n: int, nb: int, p: int, q: int) -> dict[str, Any]:
    nt = -(-n // nb)
    if nt > 5000:
        source.fail(6, f"has N {n}, {nt} tiles of NB {nb} (5000 in a row are the most). Give a smaller N or a larger NB")
    return {"/application/nt": nt, "/application/nb": nb, "/distribution/p": p, "/distribution/q": q,
            "/platform/nodes": [{"type": source.node_type, "count": p * q}], "labels": {"N": n, "grid": f"{p}x{q}"}}


def _document(source: Source, points: list[dict[str, Any]], findings: list[str]) -> dict[str, Any]:
    first = points[0]
    scenario = {"format": "factosim-scenario", "version": 1,
                "platform": {"file": source.platform, "nodes": first["/platform/nodes"]},
                "application": {"type": "lu", "nt": first["/application/nt"], "nb": first["/application/nb"]},
                "distribution": {"type": "block-cyclic", "p": first["/distribution/p"], "q": first["/distribution/q"]},
                "scheduler": {"type": "dmdas"}}
    if len(points) == 1:
        return {"$comment": findings, **scenario, "name": f"HPL, N {first['labels']['N']}"}
    return {"$comment": findings, "format": "factosim-sweep", "version": 1, "name": "HPL", "scenario": scenario, "points": {"list": points}}


FORMAT = Format("hpl", "HPL.dat of the Linpack benchmark", lambda head: "HPLinpack" in head[:400], _convert)
