"""Recorded graphs (version 2) without a recorder: Cholesky and LU as StarPU's examples submit them."""
import json

FOOTPRINTS = {320: ("cea37d6d", "2c1922b7", "d46431bb"), 960: ("617e5fe6", "ff82dda0", "24c84a50")}  # of 1, 2, 3 square tiles
CHOLESKY = {"potrf": 1, "trsm": 2, "syrk": 2, "gemm": 3}
LU = {"getrf": 1, "trsm_ll": 2, "trsm_ru": 2, "gemm": 3}


class Recording:
    """Lines of a recording; tasks in their order."""

    def __init__(self, name, prefix, kernels, nb, bytes_of_element, devices=("cpu", "cuda"), version=2):
        tile = nb * nb * bytes_of_element
        self.lines = [{"format": "factosim-graph", "version": version, "name": name,
                       "recorded": {"program": name, "arguments": ["-nblocks"], "runtime": "StarPU 1.4", "ranks": 1, "findings": []}}]
        self.prefix, self.tile, self.count = prefix, tile, 0
        for kernel, tiles in kernels.items():
            self.lines.append({"kernel": prefix + kernel, "symbol": prefix + kernel, "footprint": FOOTPRINTS[nb][tiles - 1], "size": tiles * tile,
                               "asynchronous_on_gpu": kernel not in ("potrf", "getrf"), "devices": list(devices)})

    def datum(self, row, column, **keys):
        self.lines.append({"data": f"{row}.{column}", "bytes": self.tile, **keys})

    def task(self, kernel, priority, *accesses, **keys):
        self.count += 1
        self.lines.append({"task": str(self.count), "kernel": self.prefix + kernel, "priority": priority,
                           "accesses": [[f"{m}.{n}", mode] for m, n, mode in accesses], **keys})

    def event(self, **event):
        self.lines.append(event)

    def text(self):
        return "".join(json.dumps(line) + "\n" for line in self.lines)


def cholesky(nt, nb, coordinates=False, **keys):
    r = Recording("cholesky", "chol_model_", CHOLESKY, nb, 4, **keys)
    for m in range(nt):
        for n in range(m + 1):
            r.datum(m, n, **({"m": m, "n": n} if coordinates else {}))
    for k in range(nt):
        base = 2 * nt - 2 * k
        r.task("potrf", base, (k, k, "RW"))
        for m in range(k + 1, nt):
            r.task("trsm", base - m, (k, k, "R"), (m, k, "RW"))
        r.event(wont_use=f"{k}.{k}")
        for n in range(k + 1, nt):
            r.task("syrk", base - n, (n, k, "R"), (n, n, "RW"))
            for m in range(n + 1, nt):
                r.task("gemm", base - m - n, (m, k, "R"), (n, k, "R"), (m, n, "RW"))
            r.event(wont_use=f"{n}.{k}")
    return r


def lu(nt, nb, letter="d", **keys):
    r = Recording("lu", f"starpu_{letter}lu_lu_model_", LU, nb, 8 if letter == "d" else 4, **keys)
    for m in range(nt):
        for n in range(nt):
            r.datum(m, n)
    for k in range(nt):
        r.task("getrf", 3 * nt - 3 * k, (k, k, "RW"))
        for i in range(k + 1, nt):
            r.task("trsm_ll", 3 * nt - 2 * k - i, (k, k, "R"), (k, i, "RW"))
            r.task("trsm_ru", 3 * nt - 2 * k - i, (k, k, "R"), (i, k, "RW"))
        r.event(wont_use=f"{k}.{k}")
        for m in range(k + 1, nt):
            for n in range(k + 1, nt):
                r.task("gemm", 3 * nt - k - m - n, (m, k, "R"), (k, n, "R"), (m, n, "RW"))
        for i in range(k + 1, nt):
            r.event(wont_use=f"{k}.{i}")
            r.event(wont_use=f"{i}.{k}")
    return r
