#!/usr/bin/env python3
"""Programs of StarPU are recorded with all that they submit, or refused with a message that says why.

usage: recording.py PROGRAM

Debian's packages starpu-examples, libstarpu-dev and opencl-c-headers have the programs and what the recorder is compiled with.
Numbers of tasks are closed forms of the algorithms; those of cg are those of a run with its kernels.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
from cases import case, check, contains, failures
from recorded import PROGRAM, Recording, compiled

EXAMPLES = "/usr/lib/x86_64-linux-gnu/starpu/examples"
MPI = "/usr/lib/x86_64-linux-gnu/starpu/mpi"
HEADERS = "/usr/include/starpu/1.3"
STARPU = ["-I" + HEADERS, "-lstarpu-1.3", "-ldl"]


@case
def numbers_of_tasks_are_those_of_the_algorithms():
    n = 20
    cholesky, lu = n * (n + 1) * (n + 2) // 6, n * (n + 1) * (2 * n + 1) // 6
    size = ["-size", 32 * n, "-nblocks", n]
    for program, arguments, tasks in [
            ("cholesky_implicit", size, cholesky), ("cholesky_tag", size, cholesky), ("cholesky_tile_tag", size, cholesky),
            ("lu_implicit_example_float", size, lu), ("lu_example_float", size, lu), ("heat", [], 16 * 17 * 33 // 6),
            ("tag_example", [], 32**3), ("tag_example4", [], (5**6 - 1) // 4), ("nf_partition", [], 128),
            ("tag_restartable", [], 256), ("pipeline", [], 1024)]:
        recording = Recording(f"{EXAMPLES}/{program}", *arguments)
        check(f"{program}: exit code", recording.code, 0)
        check(f"{program}: tasks", recording.count, tasks)
        check(f"{program}: complete", recording.head.get("complete"), True)
        check(f"{program}: kernels run", recording.summary.get("kernels_run"), 0)


@case
def a_graph_has_kernels_data_hints_and_priorities():
    recording = Recording(f"{EXAMPLES}/cholesky_implicit", "-size", 9600, "-nblocks", 10)
    check("dependencies", recording.summary["dependencies"], 495)  # N(N-1)(N+1)/2
    check("footprints", {k["symbol"]: k["footprint"] for k in recording.lines["kernel"]},
          {"chol_model_11": "617e5fe6", "chol_model_21": "ff82dda0", "chol_model_22": "24c84a50"})
    check("asynchronous", [k["asynchronous_on_gpu"] for k in recording.lines["kernel"]], [False, True, True])
    tiles = {(d["m"], d["n"]) for d in recording.lines["data"] if "m" in d}
    check("tiles", tiles, {(m, n) for m in range(10) for n in range(m + 1)})
    check("tiles that are not used", len(recording.lines["wont_use"]), 55)
    check("runtime", recording.head["runtime"], "StarPU 1.3.10")
    again = Recording(f"{EXAMPLES}/cholesky_implicit", "-size", 9600, "-nblocks", 10)
    check("the same recording twice", again.order, recording.order)


@case
def one_process_stands_for_all_ranks():
    def per_rank(recording):
        owner = {d["data"]: d.get("owner") for d in recording.lines["data"]}
        return collections.Counter(owner[next(d for d, mode in t["accesses"] if "W" in mode)] for t in recording.lines["task"])

    grid = ["-size", 384, "-nblocks", 12, "-dblockx", 2, "-dblocky", 2]
    recording = Recording(f"{MPI}/mpi_cholesky_distributed", *grid, options=["--ranks", "4"])
    check("tasks per rank", [per_rank(recording)[r] for r in range(4)], [91, 70, 91, 112])  # as mpirun -np 4
    check("flushed", len(recording.lines["flush"]) > 0, True)
    start = time.monotonic()
    many = Recording(f"{MPI}/mpi_cholesky_distributed", "-size", 3200, "-nblocks", 100, "-dblockx", 20, "-dblocky", 20,
                     options=["--ranks", "400"])
    check("tasks of 400 ranks", many.count, 100 * 101 * 102 // 6)
    check("ranks with tasks", len(per_rank(many)), 400)
    seconds = time.monotonic() - start
    check(f"400 ranks in {seconds:.1f} s", seconds < 30, True)
    refused = Recording(f"{MPI}/mpi_complex", options=["--ranks", "4"])
    check("messages of its own: exit code", refused.code, 2)
    contains("messages of its own", refused.error, "sends its messages itself (starpu_mpi_isend_detached)")
    check("messages of its own: file", refused.order, [])


PRUNED = """#include <starpu_mpi.h>
#include <stdlib.h>
static void kernel(void *b[], void *a) {}
#define CODELET(name_, n, ...) static struct starpu_codelet name_ = {.cpu_funcs = {kernel}, .nbuffers = n, .modes = {__VA_ARGS__}, .name = #name_}
CODELET(potrf, 1, STARPU_RW);
CODELET(trsm, 2, STARPU_R, STARPU_RW);
CODELET(syrk, 2, STARPU_R, STARPU_RW);
CODELET(gemm, 3, STARPU_R, STARPU_R, STARPU_RW);
static int rank, prune;
static int owner(int m, int n) { return m % 2 * 2 + n % 2; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), reversed = argc > 3;
  prune = atoi(argv[2]);
  if (starpu_init(NULL) || starpu_mpi_init(NULL, NULL, 1)) return 1;
  starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
  starpu_data_handle_t t[n][n];
  for (int m = 0; m < n; m++) for (int k = 0; k <= m; k++) {
    int own = owner(m, k) == rank;
    starpu_matrix_data_register(&t[m][k], own ? STARPU_MAIN_RAM : -1, own ? (uintptr_t)calloc(64, 4) : 0, 8, 8, 8, 4);
    starpu_mpi_data_register(t[m][k], m * n + k, owner(m, k));
  }
#define MINE(m, k) (!prune || owner(m, k) == rank)
  for (int k = 0; k < n; k++) {
    if (MINE(k, k)) starpu_mpi_task_insert(MPI_COMM_WORLD, &potrf, STARPU_RW, t[k][k], STARPU_PRIORITY, 2 * n - 2 * k, 0);
    for (int i = k + 1; i < n; i++) {
      int m = reversed && rank == 1 ? n + k - i : i;
      if (MINE(k, k) || MINE(m, k)) starpu_mpi_task_insert(MPI_COMM_WORLD, &trsm, STARPU_R, t[k][k], STARPU_RW, t[m][k], 0);
    }
    for (int j = k + 1; j < n; j++) {
      if (MINE(j, k) || MINE(j, j)) starpu_mpi_task_insert(MPI_COMM_WORLD, &syrk, STARPU_R, t[j][k], STARPU_RW, t[j][j], 0);
      for (int m = j + 1; m < n; m++)
        if (MINE(m, k) || MINE(j, k) || MINE(m, j))
          starpu_mpi_task_insert(MPI_COMM_WORLD, &gemm, STARPU_R, t[m][k], STARPU_R, t[j][k], STARPU_RW, t[m][j], 0);
    }
    if (MINE(k, k)) starpu_mpi_cache_flush(MPI_COMM_WORLD, t[k][k]);
  }
  starpu_task_wait_for_all();
  for (int m = 0; m < n; m++) for (int k = 0; k <= m; k++) starpu_data_unregister(t[m][k]);
  starpu_mpi_shutdown(); starpu_shutdown();
  return 0;
}"""


@case
def ranks_that_insert_their_own_tasks_are_joined():
    include = subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True).stdout.split()
    program = compiled("pruned", PRUNED, *STARPU, *include, "-lstarpumpi-1.3", "-lmpi")
    n = 12
    whole = Recording(program, n, 0, options=["--ranks", "4"])
    os.rename("graph.jsonl", "whole.jsonl")
    alone = Recording(program, n, 1, options=["--ranks", "4"])
    joined = Recording(program, n, 1, options=["--ranks", "4", "--each-rank"])
    os.rename("graph.jsonl", "joined.jsonl")
    check("tasks of rank 0, of all", (alone.count < whole.count, joined.code, joined.count), (True, 0, n * (n + 1) * (n + 2) // 6))
    check("tasks", joined.summary["tasks"], whole.count)
    done = json.loads(subprocess.run([PROGRAM, "compare", "whole.jsonl", "joined.jsonl", "--json"], capture_output=True, text=True).stdout)
    check("the same but for their arguments and findings", [c for c in done["changes"] if not c.startswith("kernel ")], ["program", "findings"])
    check("flushes", len(joined.lines["flush"]), n)
    timed = {"potrf": 0.001, "trsm": 0.002, "syrk": 0.002, "gemm": 0.004}
    results = []
    for name in ("whole.jsonl", "joined.jsonl"):
        lines = [json.loads(line) for line in open(name)]
        pathlib.Path(name).write_text("".join(json.dumps({**line, "cpu_s": timed[line["kernel"]]} if "kernel" in line and "task" not in line else line) + "\n" for line in lines))
        results.append(simulated({"type": "graph", "file": name}, nodes=4, scheduler={"type": "eager"}))
    for key in ("tasks", "tiles_sent", "bytes_sent"):
        check(key, results[1].get(key), results[0].get(key))
    check("tasks of the nodes", *([node["tasks"] for node in result["nodes"]] for result in results))
    other = Recording(program, n, 1, "reversed", options=["--ranks", "4", "--each-rank"])
    check("different orders", (other.code, other.order), (2, []))
    contains("different orders", other.error, "insert their common tasks in different orders")
    for name, part in [("stencil5", "ranks insert a task of task differently often"), ("mpi_complex", "sends its messages itself")]:
        refused = Recording(f"{MPI}/{name}", options=["--ranks", "4", "--each-rank"])
        check(f"{name}: exit code and file", (refused.code, refused.order), (2, []))
        contains(name, refused.error, part)
    check("folders of ranks", [name for name in os.listdir(os.environ["XDG_CACHE_HOME"] + "/factosim") if name.startswith("ranks-")], [])


def simulated(application, **scenario):
    """Simulates an application on nodes of mirage, and returns its result."""
    nodes = scenario.pop("nodes", 1)
    pathlib.Path("run.json").write_text(json.dumps({
        "platform": {"file": "mirage", "nodes": [{"type": "mirage", "count": nodes}]}, "application": application,
        "network": {"model": "maxmin"}, **scenario}))
    done = subprocess.run([PROGRAM, "run", "run.json", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        failures.append(f"{application}: {done.stderr}")
        return {}
    return json.loads(done.stdout)


@case
def recordings_are_simulated_as_our_own_applications():
    """Also with StarPU's smallest priority. On one node with policies that know no priorities the makespan is the same."""
    Recording(f"{MPI}/plu_implicit_example_double", "-size", 9600, "-nblocks", 10, "-p", 2, "-q", 2, options=["--ranks", "4"])
    recorded = simulated({"type": "graph", "file": "graph.jsonl"}, nodes=4)
    own = simulated({"type": "lu", "nt": 10, "nb": 960}, nodes=4, distribution={"type": "block-cyclic", "p": 2, "q": 2})
    for key in ("tasks", "tiles_sent", "bytes_sent"):
        check(f"LU of 4 ranks: {key}", recorded.get(key), own.get(key))
    Recording(f"{EXAMPLES}/lu_implicit_example_double", "-size", 9600, "-nblocks", 10)
    for policy in ("eager", "dmda", "dmdar"):
        recorded = simulated({"type": "graph", "file": "graph.jsonl"}, scheduler={"type": policy})
        own = simulated({"type": "lu", "nt": 10, "nb": 960}, scheduler={"type": policy})
        check(f"LU under {policy}: makespan", recorded.get("makespan_s"), own.get("makespan_s"))


@case
def a_program_that_aborts_leaves_what_it_submitted():
    for program, tasks in [("shadow", 3), ("task_end_dep", 1)]:
        recording = Recording(f"{EXAMPLES}/{program}")
        check(f"{program}: exit code", recording.code, 0)
        check(f"{program}: tasks", recording.count, tasks)
        check(f"{program}: complete", recording.head["complete"], False)
        contains(program, " ".join(recording.head["findings"]), "was ended by a signal (Aborted) after", "were not computed")
    wrong = Recording(f"{EXAMPLES}/add_vectors")
    check("own check fails", (wrong.code, wrong.head["exit"], wrong.head["complete"]), (0, 1, True))
    contains("own check fails", wrong.error, "the program ended with 1 after 1 tasks; its results were not computed")


@case
def loops_on_results_get_a_value():
    recording = Recording(f"{EXAMPLES}/cg", "-maxiter", 100, options=["--stub", "1"])
    check("tasks of cg", {k: n for k, n in recording.summary["tasks_by_kernel"].items() if k != "starpu_data_cpy"},
          {"gemv_kernel": 6592, "dot_kernel": 1608, "axpy_kernel": 1584, "scal_kernel": 824, "scal_axpy_kernel": 800})
    check("reductions", sum(["X"] == sorted({m for _, m in t["accesses"]} - {"R"}) for t in recording.lines["task"]), 8200)
    check("waits", all(len(w["wait"]) > 0 for w in recording.lines["wait"]) and len(recording.lines["wait"]) > 100, True)
    dot = Recording(f"{EXAMPLES}/dot_product")
    check("dot_product", (dot.code, dot.count), (0, 128))
    capped = Recording(f"{EXAMPLES}/cg", "-maxiter", 100, options=["--stub", "1", "--tasks", "2000"])
    check("capped", (capped.code, capped.count, capped.head["complete"]), (0, 2000, False))


@case
def a_program_that_waits_for_a_kernel_is_stopped():
    hung = Recording(f"{EXAMPLES}/sequential_consistency")
    check("exit code", hung.code, 2)
    contains("message", hung.error, "it waited in starpu_data_unregister for what only kernels do", "--execute")
    check("tasks so far", (hung.count, hung.head["complete"]), (2, False))
    executed = Recording(f"{EXAMPLES}/sequential_consistency", options=["--execute"])
    check("executed", (executed.code, executed.count), (0, 3))
    check("submitted by a kernel", executed.lines["task"][2]["submitted_by"], "0")


@case
def executed_kernels_have_durations_and_the_same_tasks():
    arguments = ["-size", 1920, "-nblocks", 6]
    executed = Recording(f"{EXAMPLES}/cholesky_implicit", *arguments, options=["--execute"])
    plain = Recording(f"{EXAMPLES}/cholesky_implicit", *arguments)
    check("tasks", executed.lines["task"], plain.lines["task"])
    check("samples", [k["samples"] for k in executed.lines["kernel"]], [6, 15, 35])
    check("durations", all(0 < k["cpu_s"] < 1 for k in executed.lines["kernel"]), True)
    check("kernels run", executed.summary["kernels_run"], 56)


@case
def long_chains_fit_the_stack():
    chain = compiled("chain", """#include <starpu.h>
static void kernel(void *b[], void *a) {}
static struct starpu_codelet cl = {.cpu_funcs = {kernel}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "k"};
int main(void) {
  int x = 0; starpu_data_handle_t h;
  if (starpu_init(NULL)) return 1;
  starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
  starpu_tag_declare_deps(2, 1, (starpu_tag_t)1);
  struct starpu_task *t = starpu_task_create();
  t->cl = &cl; t->handles[0] = h; t->use_tag = 1; t->tag_id = 2;  /* holds the chain */
  if (starpu_task_submit(t)) return 2;
  for (int i = 0; i < 100000; i++) if (starpu_task_insert(&cl, STARPU_RW, h, 0)) return 3;
  starpu_tag_notify_from_apps(1);
  starpu_task_wait_for_all(); starpu_data_unregister(h); starpu_shutdown();
  return 0;
}""", *STARPU)
    recording = Recording(chain)
    check("chain", (recording.code, recording.count, recording.summary.get("dependencies")), (0, 100001, 100000))


@case
def what_a_program_can_say_is_in_the_graph():
    features = compiled("features", """#include <starpu.h>
#include <limits.h>
static void kernel(void *b[], void *a) {}
static struct starpu_codelet one = {.cpu_funcs = {kernel}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "one"};
static struct starpu_codelet commute = {.cpu_funcs = {kernel}, .nbuffers = 2, .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_SCRATCH}, .name = "commute"};
static void again(void *h) { starpu_task_insert(&one, STARPU_RW, h, 0); }
int main(void) {
  double x[8] = {0}; starpu_data_handle_t h, s, u;
  if (starpu_init(NULL)) return 1;
  starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)x, 8, sizeof *x);
  starpu_vector_data_register(&s, -1, 0, 8, sizeof *x);
  starpu_variable_data_register(&u, STARPU_MAIN_RAM, (uintptr_t)x, sizeof *x);
  starpu_data_set_sequential_consistency_flag(u, 0);
  starpu_task_insert(&one, STARPU_RW, h, STARPU_PRIORITY, INT_MAX, 0);                       /* 0 */
  starpu_task_insert(&commute, STARPU_RW | STARPU_COMMUTE, h, STARPU_SCRATCH, s, STARPU_PRIORITY, 3, 0);  /* 1 */
  starpu_task_insert(&one, STARPU_RW, u, STARPU_EXECUTE_ON_WORKER, 0, 0);                    /* 2 */
  struct starpu_task *a = starpu_task_create(), *b = starpu_task_create();
  a->cl = &one; a->handles[0] = u; a->detach = 0; b->cl = &one; b->handles[0] = u;
  starpu_task_declare_deps(b, 1, a);
  starpu_task_submit(a); starpu_task_submit(b);                                              /* 3, 4 */
  starpu_task_wait(a);
  starpu_task_insert(&one, STARPU_RW, h, STARPU_CALLBACK_WITH_ARG_NFREE, again, h, 0);             /* 5, submits 6 */
  starpu_task_wait_for_all();
  struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
  starpu_data_partition(h, &f);
  starpu_task_insert(&one, STARPU_RW, starpu_data_get_sub_data(h, 1, 1), 0);                 /* 7 */
  starpu_data_unpartition(h, STARPU_MAIN_RAM);
  starpu_task_insert(&one, STARPU_RW, h, 0);                                                 /* 8 */
  starpu_data_wont_use(h);
  starpu_data_unregister(h); starpu_data_unregister(s); starpu_data_unregister(u); starpu_shutdown();
  return 0;
}""", *STARPU)
    recording = Recording(features)
    tasks = recording.lines["task"]
    check("tasks", (recording.code, recording.count), (0, 9))
    check("priorities", [t.get("priority") for t in tasks[:3]], [4, 3, None])
    check("modes", tasks[1]["accesses"], [["d0", "RWC"], ["d1", "S"]])
    check("workers", tasks[2]["workers"], [0])
    check("not ordered", [d.get("ordered") for d in recording.lines["data"]], [None, None, False, None])
    check("explicit dependency", tasks[4]["depends_on"], ["3"])
    check("submitted by", tasks[6]["submitted_by"], "5")
    check("part", recording.lines["data"][3]["parent"], "d0")
    order = [e.get("task", e.get("wait", e.get("wont_use"))) for e in recording.order if "kernel" not in e or "task" in e]
    check("order", [e for e in order if e], ["0", "1", "2", "3", "4", ["3"], "5", "6", "all", "7", ["7"], "8", "d0"])


@case
def what_cannot_be_recorded_is_refused():
    def refused(name, program, *parts, options=(), environment=None):
        recording = Recording(program, options=options, environment=environment)
        check(f"{name}: exit code and file", (recording.code, recording.order), (2, []))
        contains(name, recording.error, *parts)

    refused("no program", "./nowhere", "is no program")
    refused("no StarPU", "/bin/ls", "is not linked with StarPU's shared library")
    refused("a script", f"{EXAMPLES}/tasks_data_overhead.sh", "is static, or a script")
    refused("a static program", compiled("static", "int main(void) { return 0; }", "-static"), "is static, or a script")
    refused("no tasks", f"{EXAMPLES}/topology", "submits no task (it ended with 0")
    shutil.copytree(HEADERS, "other/include/starpu/1.3")
    config = pathlib.Path("other/include/starpu/1.3/starpu_config.h")
    config.write_text(config.read_text().replace("STARPU_RELEASE_VERSION 10", "STARPU_RELEASE_VERSION 9"))
    refused("headers of another version", f"{EXAMPLES}/hello_world", "uses StarPU 1.3.10, but the headers beside it are of 1.3.9",
            options=["--starpu", os.path.abspath("other")])
    refused("no compiler", f"{EXAMPLES}/hello_world", "cannot be compiled", "is not found", environment={"CXX": "no-such-compiler"})
    unseen = compiled("unseen", """#include <dlfcn.h>
#include <starpu.h>
static void kernel(void *b[], void *a) {}
static struct starpu_codelet cl = {.cpu_funcs = {kernel}, .name = "k"};
int main(void) {
  int (*submit)(struct starpu_task *) = dlsym(dlopen("libstarpu-1.3.so.9", RTLD_LAZY), "starpu_task_submit");
  if (starpu_init(NULL)) return 1;
  struct starpu_task *t = starpu_task_create(); t->cl = &cl;
  submit(t); starpu_task_wait_for_all(); starpu_shutdown();
  return 0;
}""", *STARPU)
    refused("kernels that run", unseen, "has run 1 kernels that the recorder did not see")
    pathlib.Path("hello_world.jsonl").write_text("")
    done = subprocess.run([PROGRAM, "record", "--", f"{EXAMPLES}/hello_world"], capture_output=True, text=True)
    check("a file that is there", (done.returncode, os.path.getsize("hello_world.jsonl")), (2, 0))


def main():
    if not os.path.isdir(EXAMPLES) or not os.path.isdir(HEADERS):
        print("skipped: the examples of StarPU 1.3 are not installed (Debian 12: starpu-examples libstarpu-dev opencl-c-headers)")
        return
    for variable in [name for name in os.environ if name.startswith("STARPU_")]:
        del os.environ[variable]
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(XDG_CACHE_HOME=cache)
        cases.run()


if __name__ == "__main__":
    main()
