"""Builds a task graph and a cluster in code and simulates them: a Cholesky factorization of 8 x 8 tiles on two nodes of
four cores, as tests/consumer/own_graph.cpp does."""

import numpy as np
import numpy.typing as npt

import factosim

NT, NB = 8, 960


def cholesky() -> factosim.TaskGraph:
    """Submits the tasks in the order of the sequential program; dependencies follow from what they access."""
    n3 = float(NB) ** 3
    flow = factosim.TaskFlow()
    potrf = flow.add_kernel("potrf", n3 / 3)
    trsm = flow.add_kernel("trsm", n3)
    syrk = flow.add_kernel("syrk", n3)
    gemm = flow.add_kernel("gemm", 2 * n3)
    tile = {(m, n): flow.add_handle(NB * NB * 8, m, n) for m in range(NT) for n in range(m + 1)}
    for k in range(NT):
        flow.submit(potrf, (tile[k, k], "rw"), priority=3 * (NT - k), k=k, m=k, n=k)
        for m in range(k + 1, NT):
            flow.submit(trsm, (tile[k, k], "r"), (tile[m, k], "rw"), priority=2 * (NT - k), k=k, m=m, n=k)
        for n in range(k + 1, NT):
            flow.submit(syrk, (tile[n, k], "r"), (tile[n, n], "rw"), priority=NT - k, k=k, m=n, n=n)
            for m in range(n + 1, NT):
                flow.submit(
                    gemm, (tile[m, k], "r"), (tile[n, k], "r"), (tile[m, n], "rw"), priority=NT - k, k=k, m=m, n=n
                )
    return flow.finish()


def cluster() -> dict[str, object]:
    """Returns two equal nodes behind one switch."""
    return {
        "node_types": {
            "node": {"cores": 4, "ram_bytes": 64 * 10**9, "nic": {"bandwidth_Bps": 1.25e9, "latency_s": 10e-6}}
        },
        "network": {},
        "nodes": [{"type": "node", "count": 2}],
    }


def durations() -> dict[str, float]:
    """Returns seconds on one core."""
    return {"potrf": 0.02, "trsm": 0.05, "syrk": 0.05, "gemm": 0.09}


def simulate() -> factosim.Run:
    rows: npt.NDArray[np.int64] = np.repeat(np.arange(NT)[:, None] % 2, NT, axis=1)  # row-cyclic
    return factosim.simulate_graph(
        cholesky(), cluster(), rows, kernels=durations(), nb=NB, scheduler="lws", network="maxmin", name="own graph"
    )


if __name__ == "__main__":
    run = simulate()
    print(
        f"{run.result['tasks']} tasks in {run.makespan_s:.3f} s, at least {run.bounds['abe_s']:.3f} s by the area bound; "
        f"{run.result['tiles_sent']} tiles sent"
    )
