"""The files of a run, to be changed one value at a time and written with all checksums right."""

import array
import ctypes
import json
import os
import zlib

CODES = {"<f8": "d", "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q", "<i4": "i", "<i8": "q", "(3,)<i4": "i"}
SEALED = '\n  "simulation": {\n'
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def content_hash(content):
    return f"{xxhash.XXH3_64bits(content, len(content)):016x}"


def read(path):
    with open(path, "rb") as file:
        return file.read()


class RecordedRun:
    def __init__(self, folder):
        self.folder = folder
        self.result = json.loads(read(os.path.join(folder, "result.json")))
        series = os.path.join(folder, "series.json")
        self.series = json.loads(read(series)) if os.path.exists(series) else None
        head, _, content = read(os.path.join(folder, "run.trace")).partition(b"\n")
        self.names, self.columns = json.loads(head), {}
        for column in self.names["columns"]:
            values = array.array(CODES[column["type"]])
            count = column["count"] * (3 if column["type"].startswith("(3") else 1)
            values.frombytes(content[:count * values.itemsize])
            content = content[count * values.itemsize:]
            self.columns[column["name"]] = values

    def write(self, folder):
        """Writes result, trace and series; their checksums are those of a run that wrote them."""
        for column in self.names["columns"]:
            column["count"] = len(self.columns[column["name"]]) // (3 if column["type"].startswith("(3") else 1)
        trace = json.dumps(self.names, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        trace += b"".join(values.tobytes() for values in self.columns.values())
        files = {"run.trace": trace + zlib.crc32(trace).to_bytes(4, "little")}
        if self.series is not None:
            files["series.json"] = json.dumps(self.series).encode()
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            if name in self.result["simulation"].get("files", {}):
                self.result["simulation"]["files"][name] = content_hash(content)
        self.result["simulation"].pop("checksum", None)
        text = json.dumps(self.result, indent=2, ensure_ascii=False) + "\n"
        text = text.replace(SEALED, f'{SEALED}"checksum": "{content_hash(text.encode())}",\n', 1)
        with open(os.path.join(folder, "result.json"), "wb") as file:
            file.write(text.encode())
