#!/usr/bin/env python3
"""Records every program of Debian's starpu-examples with its default arguments and prints what became of each.

usage: debian_examples.py PROGRAM [--check]

--check fails if an outcome is not that of OUTCOMES, which are those of Debian 12: recorded; check: the program's
own check of its numbers fails, since no kernel ran; no tasks: it submits none; skipped: it needs what is not there (exit code 77);
stopped: it waits for what only a kernel does; refused: by the recorder.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

EXAMPLES = "/usr/lib/x86_64-linux-gnu/starpu/examples"
# All others are recorded.
OUTCOMES = {name: outcome for outcome, names in {
    "check": """add_vectors add_vectors_cpp11 add_vectors_interface axpy bandwidth block callback complex custom_mf_filter
        dot_product fmatrix frecursive incrementer incrementer_cpp minmax_reduction shadow shadow2d shadow3d spmv
        task_end_dep task_end_dep_add variable vector_scal""",
    "no tasks": """bcsr_data_interface block_data_interface coo_data_interface csr_data_interface local_pingpong mandelbrot
        matrix_data_interface multiformat_data_interface prio sched_ctx_delete topology variable_data_interface
        vector_data_interface void_data_interface worker_list_example worker_tree_example yuv_downscaler""",
    "skipped": """binary dummy_modular_sched dummy_sched multiformat nf_sched_ctx two_cpu_contexts""",
    "stopped": """sequential_consistency""",
    "refused": """gl_interop gl_interop_idle ppm_downscaler""",
}.items() for name in names.split()}


def record(program, folder):
    """Returns what became of a program, and the number of tasks of its graph."""
    graph = f"{folder}/{os.path.basename(program)}.jsonl"
    done = subprocess.run([os.path.abspath(sys.argv[1]), "record", "-o", graph, "--json", "--seconds", "60", "--", program],
                          capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, cwd=folder)
    if done.returncode == 2 and "submits no task" in done.stderr:
        return "skipped" if "ended with 77" in done.stderr else "no tasks", 0
    tasks = json.loads(done.stdout)["tasks"] if done.stdout else 0
    if done.returncode == 2:
        return "stopped" if "waits for ever" in done.stderr else "refused", tasks
    if done.returncode != 0:
        return f"exit code {done.returncode}", tasks
    ended = json.loads(done.stdout)["recorded"]["exit"]
    return "recorded" if ended == 0 else "skipped" if ended == 77 else "check", tasks


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def main():
    known = os.path.isdir("/usr/include/starpu/1.3")
    if not os.path.isdir(EXAMPLES) or ("--check" in sys.argv and not known):
        print("skipped: the examples of StarPU 1.3 are not installed (Debian 12: starpu-examples libstarpu-dev opencl-c-headers)")
        return
    paths = sorted(f"{EXAMPLES}/{name}" for name in os.listdir(EXAMPLES) if os.path.isfile(f"{EXAMPLES}/{name}"))
    programs = [path for path in paths if is_program(path)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        os.environ.update(XDG_CACHE_HOME=folder + "/cache")
        first = record(programs[0], folder)  # compiles the recorder
        found = [first, *pool.map(lambda program: record(program, folder), programs[1:])]
    wrong = []
    for program, (what, tasks) in zip(programs, found):
        name = os.path.basename(program)
        print(f"{name:28} {what:10} {tasks:6}")
        if what != OUTCOMES.get(name, "recorded"):
            wrong.append(f"{name}: {what} instead of {OUTCOMES.get(name, 'recorded')}")
    print(", ".join(f"{n} {what}" for what, n in sorted(collections.Counter(what for what, _ in found).items())))
    if "--check" in sys.argv and wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
