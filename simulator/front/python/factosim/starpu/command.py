# mypy: ignore-errors
"""Writes the run.trace in standard input as StarPU's files, for `factosim export --format starpu`.

Standard output: a line of JSON, the number of bytes of each file, and the files one after the other.
"""

import json
import struct
import sys

from . import Fields, files

Problem = ValueError
LETTERS = {"<f8": "d", "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q", "<i4": "i", "<i8": "q"}  # of numpy's types


class Columns:
    """What the head of a run.trace lists, and its columns by name, each of which has `tolist`."""

    def __init__(self, content):
        at = content.index(b"\n") + 1
        head = json.loads(content[:at])
        self.nodes, self.memory_nodes, self.workers, self.kernels = (head[key] for key in ("nodes", "memory_nodes", "workers", "kernels"))
        self.state_names, self.shapes = head["state_names"], head["shapes"]
        self.columns = {}
        for column in head["columns"]:
            shape, _, kind = column["type"].rpartition(")")
            end = at + column["count"] * struct.calcsize("=" + LETTERS[kind]) * (3 if shape else 1)
            values = memoryview(content[at:end])  # a copy, since views need aligned data
            self.columns[column["name"]] = values.cast(LETTERS[kind], *([[column["count"], 3]] if shape and column["count"] else []))
            at = end


def run():
    contents = {name: "".join(lines).encode() for name, lines in files(Fields(Columns(sys.stdin.buffer.read()))).items()}
    sys.stdout.buffer.write(json.dumps({name: len(content) for name, content in contents.items()}).encode() + b"\n")
    sys.stdout.buffer.writelines(contents.values())
