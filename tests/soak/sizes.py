"""Closed forms of the numbers of tasks, bytes and energies of a run."""

BYTES = {"double": 8, "single": 4, "tf32": 4, "half": 2, "bfloat16": 2, "fp8": 1}
OPERATIONS = {"lu": 2 / 3, "cholesky": 1 / 3, "qr": 4 / 3, "gemm": 2}  # times n^3
SAME = 1e-9


def kernel_counts(kind, nt):
    """Tasks of each kernel; those that take no time are left out."""
    pairs, triples, squares = nt * (nt - 1) // 2, nt * (nt - 1) * (nt - 2) // 6, (nt - 1) * nt * (2 * nt - 1) // 6
    return {"lu": {"getrf": nt, "trsm_ll": pairs, "trsm_ru": pairs, "gemm": squares},
            "cholesky": {"potrf": nt, "trsm": pairs, "syrk": pairs, "gemm": triples},
            "qr": {"geqrt": nt, "unmqr": pairs, "tsqrt": pairs, "tsmqr": squares},
            "gemm": {"gemm": nt ** 3}}[kind]


def near(a, b):
    return abs(a - b) <= SAME * max(abs(a), abs(b))


def closed_forms(case, run):
    """True, or "kind: what differs"; None where a run has no tasks on nodes."""
    result, nodes = run.result, run.result.get("nodes", [])
    if "tasks_by_kernel" not in result or not nodes:
        return None
    if not result["tasks"] == sum(result["tasks_by_kernel"].values()) == sum(each["tasks"] for each in nodes):
        return f"tasks: {result['tasks']}, {result['tasks_by_kernel']}, {[each['tasks'] for each in nodes]}"
    sent, received = (sum(each[key] for each in nodes) for key in ("tiles_sent", "tiles_received"))
    if not sent == received == result["tiles_sent"]:
        return f"messages: {sent} sent, {received} received, {result['tiles_sent']} in all"
    application = case.scenario["application"]
    plain = not {"nested", "tile_formats", "tree"} & application.keys() and case.type_of("distribution") != "layers"
    if case.kind in OPERATIONS and plain:
        nt, nb = application["nt"], application["nb"]
        expected = {kernel: count for kernel, count in kernel_counts(case.kind, nt).items() if count}
        found = {kernel: count for kernel, count in result["tasks_by_kernel"].items() if kernel in expected or (kernel != "load" and count)}
        if found != expected:
            return f"kernels: {found} instead of {expected}"
        operations = OPERATIONS[case.kind] * (nt * nb) ** 3
        if not near(result["gflops"] * 1e9 * result["makespan_s"], operations):
            return f"operations: {result['gflops'] * 1e9 * result['makespan_s']} instead of {operations}"
        if result["bytes_sent"] != result["tiles_sent"] * nb * nb * BYTES[application.get("precision", "double")]:
            return f"bytes: {result['bytes_sent']} of {result['tiles_sent']} tiles"
    energy = result.get("energy")
    if energy and not near(energy["total_J"], energy["idle_J"] + energy["busy_J"]):
        return f"energy: {energy}"
    types = case.files.get("p.json", {}).get("node_types", {})
    if energy and case.scenario["platform"] == "p.json" and not any(key in str(types) for key in ("gpu_caps_W", "gpu_W", "'of'")):
        powers = [(node, types[node["type"]].get("power", {})) for node in nodes]
        idle = sum(power.get("idle_W", 0) for _, power in powers) * result["makespan_s"]
        busy = sum(power.get("core_W", 0) * node["busy_s"] for node, power in powers)
        if not near(energy["idle_J"], idle):
            return f"idle energy: {energy['idle_J']} J instead of {idle} J"
        if not near(energy["busy_J"], busy) and "'kernels': {" not in str(types) and not any(types[each["type"]].get("gpus") for each in nodes):
            return f"busy energy: {energy['busy_J']} J instead of {busy} J"
    if energy and energy["total_with_power_off_J"] > energy["total_J"] * (1 + SAME):
        return f"power off: {energy}"
    return True
