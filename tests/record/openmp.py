#!/usr/bin/env python3
"""Programs with tasks of OpenMP are recorded as gcc and clang compile them, with their order, or refused.

usage: openmp.py PROGRAM

Without clang, or its libomp, only gcc's programs are recorded.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
import graph
from cases import case, check, contains
from recorded import PROGRAM, Recording, compiled

CHOLESKY = """#include <omp.h>
#include <stdlib.h>
#define TASK __attribute__((noinline)) static void
static size_t nb, size;
TASK potrf(float *a, int p) {
#pragma omp task depend(inout: a[0:size]) priority(p)
  a[0] = 1; }
TASK trsm(float *a, float *b, int p) {
#pragma omp task depend(in: a[0:size]) depend(inout: b[0:size]) priority(p)
  b[0] += a[0]; }
TASK syrk(float *a, float *b, int p) {
#pragma omp task depend(in: a[0:size]) depend(inout: b[0:size]) priority(p)
  b[0] += a[0]; }
TASK gemm(float *a, float *b, float *c, int p) {
#pragma omp task depend(in: a[0:size], b[0:size]) depend(inout: c[0:size]) priority(p)
  c[0] += a[0] * b[0]; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  nb = atoi(argv[2]); size = nb * nb;
  float *(*t)[n] = malloc(sizeof(float *[n][n]));
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) t[i][j] = calloc(size, 4);
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int k = 0; k < n; k++) {
    int base = 2 * n - 2 * k;
    potrf(t[k][k], base);
    for (int m = k + 1; m < n; m++) trsm(t[k][k], t[m][k], base - m);
    for (int j = k + 1; j < n; j++) {
      syrk(t[j][k], t[j][j], base - j);
      for (int m = j + 1; m < n; m++) gemm(t[m][k], t[j][k], t[m][j], base - m - j);
    }
  }
  return t[0][0][0] != omp_get_num_threads();
}"""


def has(compiler):
    """Returns whether a compiler makes programs with OpenMP here."""
    pathlib.Path("try.c").write_text("int main(void) {\n#pragma omp parallel\n;\n return 0; }")
    try:
        return subprocess.run([compiler, "-fopenmp", "try.c", "-o", "try"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def compilers():
    return ["gcc"] + [next(c for c in ("clang-19", "clang") if has(c))] if any(map(has, ("clang-19", "clang"))) else ["gcc"]


def simulated(application, **keys):
    pathlib.Path("run.json").write_text(json.dumps({"platform": "mirage", "application": application, **keys}))
    done = subprocess.run([PROGRAM, "run", "run.json", "--json", "-q"], capture_output=True, text=True)
    check(f"exit code of {application}: {done.stderr}", done.returncode, 0)
    return json.loads(done.stdout) if done.returncode == 0 else {}


@case
def a_cholesky_is_our_own():
    """Tasks, edges and, with its timings, makespans. Sizes are clang's; gcc's programs know places only."""
    n, nb = 9, 960
    for compiler in compilers():
        program = compiled(f"cholesky_{compiler}", CHOLESKY, "-fopenmp", compiler=compiler)
        of = {} if compiler != "gcc" else {"options": ["--bytes", str(4 * nb * nb)]}
        recording = Recording(program, n, nb, **of)
        if compiler != "gcc":
            contains("names with lines", str(recording.summary["tasks_by_kernel"]), "potrf.omp_task_entry.")
            debug = Recording(compiled("debug", CHOLESKY, "-fopenmp", "-g", compiler=compiler), 4, 8)
            check("names with lines", list(debug.summary["tasks_by_kernel"]), ["potrf:6", "trsm:9", "syrk:12", "gemm:15"])
        check(f"{compiler}: tasks", (recording.code, recording.count), (0, n * (n + 1) * (n + 2) // 6))
        check(f"{compiler}: edges", recording.summary.get("dependencies"), n * (n - 1) * (n + 1) // 2)
        check(f"{compiler}: kernels", {name.split(".")[0]: count for name, count in recording.summary["tasks_by_kernel"].items()},
              {"potrf": n, "trsm": n * (n - 1) // 2, "syrk": n * (n - 1) // 2, "gemm": n * (n - 1) * (n - 2) // 6})
        check(f"{compiler}: sizes", {d["bytes"] for d in recording.lines["data"]}, {4 * nb * nb})
        # As the application submits it: the same data, in the same order.
        own, names = graph.cholesky(n, nb), {}
        expected = [e for e in own.lines if "task" in e]
        for task, other in zip(recording.lines["task"], expected):
            found = {(names.setdefault(d, other["accesses"][[m for _, m in other["accesses"]].index(mode)][0]) if mode == "RW" else names.get(d), mode)
                     for d, mode in task["accesses"]}
            check(f"{compiler}: accesses of task {task['task']}", found, {tuple(a) for a in other["accesses"]})
            check(f"{compiler}: priority of task {task['task']}", task.get("priority", 0), other["priority"])
        # With the timings of StarPU's example it runs as the application.
        kernels = {k["kernel"]: graph.CHOLESKY[k["kernel"].split(".")[0]] for k in recording.lines["kernel"]}
        with open("timed.jsonl", "w") as out:
            for line in recording.order:
                if "task" not in line and line.get("kernel") in kernels:
                    line.update(symbol="chol_model_" + line["kernel"].split(".")[0], footprint=graph.FOOTPRINTS[nb][kernels[line["kernel"]] - 1])
                out.write(json.dumps(line) + "\n")
        for policy in ("eager", "prio", "lws", "dmda", "dmdas", "dmdar", "dmdap"):
            keys = {"scheduler": {"type": policy}, "runtime": {"wont_use": False}}
            a = simulated({"type": "cholesky", "nt": n, "nb": nb, "precision": "single"}, **keys)
            b = simulated({"type": "graph", "file": "timed.jsonl"}, **keys)
            check(f"{compiler}: makespan by {policy}", b.get("makespan_s"), a.get("makespan_s"))


@case
def executed_bodies_have_durations():
    for compiler in compilers():
        program = compiled(f"cholesky_{compiler}", CHOLESKY, "-fopenmp", compiler=compiler)
        executed, plain = (Recording(program, 4, 8, options=options) for options in (["--execute"], []))
        check(f"{compiler}: exit codes", (executed.head["exit"], plain.head["exit"]), (0, 1))  # the program checks its result
        check(f"{compiler}: kernels run", executed.summary["kernels_run"], 20)
        seconds = [task.pop("cpu_s", -1) for task in executed.lines["task"]]
        check(f"{compiler}: durations", all(0 <= s < 1 for s in seconds), True)
        check(f"{compiler}: tasks", executed.lines["task"], plain.lines["task"])
        contains(f"{compiler}: bodies that do not run", plain.error, "tasks that tasks create")
        check(f"{compiler}: unknown sizes", "the sizes of 10 data, taken as 0" in executed.error, compiler == "gcc")


@case
def what_a_program_can_say_is_in_the_graph():
    source = """#include <omp.h>
#include <unistd.h>
int x[9], y[4], included;
int main(void) {
#pragma omp parallel
#pragma omp master
  {
#pragma omp task depend(out: x[0])
    { x[0] = 1; usleep(20000); }                           /* 0 */
#pragma omp task depend(mutexinoutset: x[1])
    x[1]++;                                                /* 1 */
#pragma omp task depend(mutexinoutset: x[1]) depend(in: x[0])
    x[1] += x[0];                                          /* 2 */
#pragma omp task if(0) depend(in: x[1]) depend(inout: x[1])
    x[2] = x[1];                                           /* 3, awaited */
#pragma omp taskwait depend(in: x[0])                         /* 4: free, awaited */
#pragma omp taskgroup
    {
#pragma omp task depend(inout: x[3])
      {                                                    /* 5 */
        int y;
#pragma omp task depend(out: y) shared(y)
        y = 3;                                             /* 6 */
#pragma omp task depend(in: y) depend(inout: x[3]) shared(y)
        { x[3] = y; usleep(20000); }                       /* 7 */
#pragma omp taskwait
        x[3]++;                                            /* 8: after the wait of 5 */
      }
    }                                                      /* awaited: 5 to 8 */
#pragma omp task final(1) depend(in: x[3])
    {                                                      /* 9 */
#pragma omp task shared(included)
      included = x[3];
    }
#pragma omp task untied shared(x)
    {                                                      /* 10 */
      x[4] = 1;
#pragma omp taskyield
      x[5] = x[4];
    }
#pragma omp taskwait
#pragma omp task
    {                                                      /* 11 */
#pragma omp taskloop shared(x) grainsize(1)
      for (int i = 0; i < 4; i++) y[i] = x[5];
      x[6] = y[3];
    }
  }
#pragma omp parallel
#pragma omp single
#pragma omp task
  x[7] = x[6];                                             /* 12 */
#pragma omp task
  x[8] = x[7];                                             /* 13: where there is no other thread */
  return !(x[2] == 2 && included == 4 && x[8] == 1);
}"""
    variants = [(compiler, {}) for compiler in compilers()]
    if len(variants) > 1:  # libomp has libgomp's functions, too
        libraries = subprocess.run(["ldd", compiled("try", source, "-fopenmp", compiler=variants[1][0])], capture_output=True, text=True).stdout
        variants.append(("gcc", {"LD_PRELOAD": next(line.split()[2] for line in libraries.splitlines() if "libomp" in line)}))
    for compiler, environment in variants:
        recording = Recording(compiled(f"features_{compiler}", source, "-fopenmp", compiler=compiler), options=["--execute"], environment=environment)
        tasks = recording.lines["task"]
        check(f"{compiler}: exit code, tasks", (recording.code, recording.head["exit"], len(tasks)), (0, 0, 14))
        modes = [sorted(mode for _, mode in t.get("accesses", [])) for t in tasks[:10]]
        check(f"{compiler}: modes", modes, [["RW"], ["RWC"], ["R", "RWC"], ["RW"], ["R"], ["RW"], ["RW"], ["R", "RW"], ["RW"], ["R"]])
        check(f"{compiler}: free", [k["kernel"] for k in recording.lines["kernel"] if k.get("free")], ["taskwait"])
        check(f"{compiler}: nested", [t.get("submitted_by") for t in tasks[5:10]], [None, "5", "5", "5", None])
        check(f"{compiler}: after a wait", tasks[8]["depends_on"], ["5", "6", "7"])
        contains(f"{compiler}: after a wait", tasks[8]["kernel"], " after its wait")
        check(f"{compiler}: the datum of its parent", tasks[7]["accesses"][1][0], tasks[5]["accesses"][0][0])
        order = [e.get("wait", e["task"] if "task" in e else None) for e in recording.order]
        check(f"{compiler}: waits", [e for e in order if e],
              ["0", "1", "2", "3", ["3"], "4", ["4"], "5", "6", "7", "8", ["5", "6", "7", "8"], "9", "10", ["0", "1", "2", "9", "10"], "11", "all", "12", "all", "13"])
        check(f"{compiler}: own durations", [t["cpu_s"] > 0.015 for t in tasks], [i in (0, 7) for i in range(14)])
        contains(f"{compiler}: findings", recording.error, "1 tasks that final tasks include", "2 starts of nested tasks", "1 loops of tasks")


@case
def what_cannot_be_recorded_is_refused():
    task = "int main(void) {\n int x = 0;\n#pragma omp parallel\n#pragma omp single\n{\n#pragma omp %s\n %s }\n return 0; }"
    for compiler in compilers():
        for name, construct, *parts in [("taskloop", "taskloop", "uses taskloop (", "does not read"), ("detach", "task detach(e)", "uses detach ("),
                                        ("no tasks", "critical", "submits no task (it ended with 0")]:
            body = "for (int i = 0; i < 4; i++) x++;" if name == "taskloop" else "x++;"
            source = "#include <omp.h>\n" + task.replace("int x = 0;", "int x = 0; omp_event_handle_t e;") % (construct, body)
            recording = Recording(compiled("refused", source, "-fopenmp", compiler=compiler))
            check(f"{compiler}: {name}: exit code and file", (recording.code, recording.order), (2, []))
            contains(f"{compiler}: {name}", recording.error, *parts)
    static = compiled("static", task % ("task", "x++;"), "-fopenmp", "-c", compiler="gcc")
    subprocess.run(["gcc", static, "-o", "program", "-l:libgomp.a", "-lpthread", "-ldl"], check=True)
    contains("static libgomp", Recording(os.path.abspath("program")).error, "has its own copy of OpenMP's library")
    threads = compiled("threads", """#include <pthread.h>
static void *work(void *x) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  ++*(int *)x;
  return 0; }
int main(void) { int x = 0; pthread_t t; pthread_create(&t, 0, work, &x); pthread_join(t, 0); return 0; }""", "-fopenmp", "-pthread")
    contains("threads of its own", Recording(threads).error, "creates tasks in several threads")
    contains("ranks", Recording(threads, options=["--ranks", "2"]).error, "--ranks#: is for programs of StarPU")


def main():
    for variable in [name for name in os.environ if name.startswith(("OMP_", "KMP_", "GOMP_"))]:
        del os.environ[variable]
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(XDG_CACHE_HOME=cache)
        os.chdir(cache)
        if not has("gcc"):
            print("skipped: gcc makes no programs with OpenMP here")
            return
        cases.run()


if __name__ == "__main__":
    main()
