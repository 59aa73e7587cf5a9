// Programs of tasks from files: what readers make of small files of each format.

#include "simulator/traces/programs/graph_readers.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

namespace fs = std::filesystem;

/// Writes a file of that name in a fresh folder.
class GraphFile {
 public:
  GraphFile(std::string const& name, std::string const& text) : path_(folder_.path() / name) {
    add(name, text);
  }
  void add(std::string const& name, std::string const& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  [[nodiscard]] fs::path const& path() const { return path_; }
  [[nodiscard]] fs::path folder() const { return folder_.path(); }

 private:
  testing::TemporaryFolder folder_;
  fs::path path_;
};

TaskProgram read(std::string const& name, std::string const& text, GraphUnits units = {}) {
  return read_graph(GraphFile(name, text).path(), {}, units);
}

std::string error_of(std::string const& name, std::string const& text) {
  try {
    (void)read(name, text);
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

/// Duration of a task on a kind of worker, by the timings and its weight.
double seconds_of(TaskProgram const& p, std::string const& id, std::string const& worker) {
  auto const t = static_cast<std::size_t>(std::ranges::find(p.id, id) - p.id.begin());
  REQUIRE(t < p.id.size());
  for (ProgramTiming const& timing : p.timings)
    if (timing.kernel == p.graph.kernel[t] && timing.worker == worker)
      return timing.seconds * p.graph.weight(TaskId{t}, worker != "cpu");
  return -1;
}

std::string const lines =
    R"x({"format": "factosim-graph", "version": 1, "name": "three", "nb": 960}
{"kernel": "gemm", "flops": 100}
{"data": "A", "bytes": 800, "m": 0, "n": 1, "owner": 1}
{"task": 1, "kernel": "make", "accesses": [["A", "W"]], "cpu_s": 0.5}
{"task": 2, "kernel": "gemm", "accesses": [["A", "RW"]], "priority": 3, "cpu_s": 0.3, "cuda_s": 0.1}
{"task": "last", "kernel": "end", "depends_on": [[2, 4096], 1], "cpu_s": 0}
)x";

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("JSON lines state tasks and data and kernels") {
    TaskProgram const p = read("graph.jsonl", lines);
    CHECK(p.format == "graph-jsonl");
    CHECK(p.name == "three");
    CHECK(p.nb == 960);
    CHECK(p.graph.task_count() == 3);
    CHECK(p.graph.edge_count() == 3);
    CHECK(p.id == std::vector<std::string>{"1", "2", "last"});
    CHECK(p.graph.handles[0].size.value == 800);
    CHECK(p.graph.handles[0].owner == NodeId{1});
    CHECK(p.graph.handles[1].size.value == 4096);  // of the edge
    CHECK(p.graph.priority[1] == 3);
    CHECK(p.graph.kernel_of(TaskId{1}).flops.value == 100);
    CHECK(p.graph.kernel_of(TaskId{2}).is_free);
    CHECK(seconds_of(p, "1", "cpu") == 0.5);
    CHECK(seconds_of(p, "2", "cpu") == 0.3);
    CHECK(seconds_of(p, "2", "cuda") == 0.1);
    CHECK(seconds_of(p, "1", "cuda") == -1);
  }

  TEST_CASE("tables have the same columns as JSON lines") {
    GraphFile const file("tasks.csv",
                         "task,kernel,accesses,depends_on,priority,cpu_s,cuda_s\n"
                         "1,make,A:W,,,0.5,\n2,gemm,A:RW,,3,0.3,0.1\nlast,end,,2:4096 1,,0,\n");
    file.add("data.csv", "data,bytes,m,n,owner\nA,800,0,1,1\n");
    file.add("kernels.csv", "kernel,flops\ngemm,100\n");
    for (fs::path const& path : {file.path(), file.folder()}) {
      TaskProgram const p = read_graph(path);
      CHECK(p.format == "graph-csv");
      CHECK(p.graph.edge_count() == 3);
      CHECK(p.graph.handles[0].owner == NodeId{1});
      CHECK(seconds_of(p, "2", "cuda") == 0.1);
    }
  }

  TEST_CASE("tasks are submitted after those that they depend on") {
    TaskProgram const p = read("g.jsonl", R"x({"task": "b", "kernel": "x", "depends_on": ["a"], "cpu_s": 1}
{"task": "a", "kernel": "x", "cpu_s": 2}
)x");
    CHECK(p.id == std::vector<std::string>{"a", "b"});
    CHECK(p.graph.successors == std::vector{TaskId{1}});
  }

  TEST_CASE("mistakes name the line and what to do") {
    auto const wrong = [](std::string const& line) { return error_of("g.jsonl", line + "\n"); };
    CHECK(testing::contains(wrong(R"x({"task": 1})x"), "without a \"kernel\". Add it"));
    CHECK(testing::contains(wrong(R"x({"task": 1, "kernel": "x", "colour": 2})x"),
                            "#line 1: has the key \"colour\""));
    CHECK(testing::contains(wrong(R"x({"task": 1, "kernel": "x", "depends_on": [7]})x"),
                            "no task has this id"));
    CHECK(testing::contains(wrong(R"x({"task": 1, "kernel": "x", "depends_on": [1]})x"), "wait for itself"));
    CHECK(testing::contains(wrong(R"x({"task": 1, "kernel": "x", "accesses": [["A", "RX"]]})x"),
                            "Use R, W, RW, WC, RWC, X, S"));
    CHECK(testing::contains(wrong(R"x({"task": 1, "kernel": "x", "cpu_s": -1})x"), "Give 0 or more"));
    CHECK(testing::contains(error_of("g.jsonl", lines + "{\"task\": 1"), "#line 7: is no JSON"));
    CHECK(testing::contains(wrong(R"x({"task": 1, "kernel": "x"})x"
                                  "\n"
                                  R"x({"task": 1, "kernel": "x"})x"),
                            "#line 2: is a second task"));
    CHECK(testing::contains(wrong(R"x({"data": "A"})x"), "has no task"));
    CHECK(testing::contains(error_of("g.jsonl", R"x({"task": 1, "kernel": "x", "depends_on": [2]}
{"task": 2, "kernel": "x", "depends_on": [1]}
)x"),
                            "waits for itself"));
    CHECK(
        testing::contains(error_of("tasks.csv", "task,kernel,colour\n1,x,2\n"), "has the column \"colour\""));
    CHECK(testing::contains(error_of("what.txt", "no graph at all\n"), "is no known graph of tasks"));
  }

  TEST_CASE("tasks of one kernel may have as many durations as there are tasks") {
    std::string text;
    for (int t = 0; t < 70'000; ++t)
      text += "{\"task\": " + std::to_string(t) + ", \"kernel\": \"x\", \"cpu_s\": 0." +
              std::to_string(100'000 + t) + ", \"cuda_s\": 0." + std::to_string(900'000 - 3 * t) + "}\n";
    TaskProgram const p = read("g.jsonl", text);
    CHECK(p.graph.kernels.size() == 1);
    CHECK(seconds_of(p, "69999", "cpu") == 0.169999);
    CHECK(seconds_of(p, "69999", "cuda") == 0.690003);
  }

  TEST_CASE("tasks.rec without times is a program; dag.dot adds edges") {
    GraphFile const file(
        "tasks.rec",
        "Model: demo_potrf\nName: potrf\nJobId: 1\nSubmitOrder: 1\nWorkerId: 0\nFootprint: 1\n"
        "Handles: 100\nModes: RW\nSizes: 8192\n\n"
        "Control: WontUse\nJobId: 3\nSubmitOrder: 2\nHandles: 100\n\n"
        "Name: trsm\nModel: demo_trsm\nJobId: 2\nSubmitOrder: 3\nPriority: 3\nDependsOn: 1\n"
        "WorkerId: 0\nFootprint: 3c4d\nHandles: 100 200\nModes: R RW\nSizes: 8192 8192\n\n"
        "Name: other\nModel: demo_other\nJobId: 4\nSubmitOrder: 4\nWorkerId: 0\nFootprint: 1\n\n");
    TaskProgram const alone = read_graph(file.path());
    CHECK(alone.format == "starpu");
    CHECK(alone.graph.task_count() == 3);
    CHECK(alone.graph.edge_count() == 1);
    CHECK(alone.graph.writes_back[0]);
    CHECK(alone.graph.priority[1] == 3);
    CHECK(alone.graph.handles.size() == 2);
    CHECK(alone.graph.handles[0].size.value == 8192);
    CHECK_FALSE(alone.has_durations());
    file.add("dag.dot", R"x(digraph G { subgraph cluster_0 { "task_1"->"task_2"
"task_2"->"task_4" [label="x"]
"task_2"->"task_4"
 "task_1" [ style=filled, label="potrf", fillcolor="#00ff00" ] } })x");
    CHECK(read_graph(file.folder()).graph.edge_count() == 2);
    TaskProgram const dag = read_graph(file.folder() / "dag.dot");
    CHECK(dag.graph.task_count() == 3);
    CHECK(dag.graph.edge_count() == 2);
    CHECK(dag.graph.kernel_of(TaskId{0}).name == "potrf");
  }

  TEST_CASE("WfFormat 1.5 and 1.4 have the same tasks and edges and files") {
    std::string const split = R"x({"name": "tiny", "schemaVersion": "1.5", "workflow": {
 "specification": {"tasks": [{"name": "make_ID0001", "id": "m", "parents": [], "children": ["u"], "outputFiles": ["f"]},
  {"name": "use", "id": "u", "parents": ["m"], "children": [], "inputFiles": ["f"]}], "files": [{"id": "f", "sizeInBytes": 4096}]},
 "execution": {"makespanInSeconds": 9.0, "tasks": [{"id": "m", "runtimeInSeconds": 3.5}, {"id": "u", "runtimeInSeconds": 4.0}]}}})x";
    std::string const joint = R"x({"name": "tiny", "schemaVersion": "1.4", "workflow": {"tasks": [
 {"name": "make_ID0001", "id": "1", "type": "compute", "runtimeInSeconds": 3.5, "parents": [], "files": [{"name": "f", "sizeInBytes": 4096, "link": "output"}]},
 {"name": "use", "id": "2", "type": "compute", "runtimeInSeconds": 4.0, "parents": ["make_ID0001"], "files": [{"name": "f", "sizeInBytes": 4096, "link": "input"}]}]}})x";
    for (std::string const& text : {split, joint}) {
      TaskProgram const p = read("tiny.json", text);
      CHECK(p.format == "wfformat");
      CHECK(p.graph.task_count() == 2);
      CHECK(p.graph.edge_count() == 1);
      CHECK(p.graph.handles.size() == 1);
      CHECK(p.graph.handles[0].size.value == 4096);
      CHECK(p.graph.kernel_of(TaskId{0}).name == "make");
      CHECK(seconds_of(p, p.id[0], "cpu") == 3.5);
    }
  }

  TEST_CASE("a document may be one line of any length") {
    std::string saga = R"({"task_graph": {"tasks": [)", dot = "digraph { ";
    constexpr int tasks = 12'000;
    for (int t = 0; t < tasks; ++t) {
      saga += fmt::format(
          R"({}{{"name": "a task with a number and with a name as long as the names of some workflows {}", "cost": 1}})",
          t > 0 ? "," : "", t);
      dot += fmt::format(
          "a_task_with_a_number_and_with_a_name_as_long_as_the_names_of_some_workflows_{} [size=1]; ", t);
    }
    CHECK(read("one_line.json", saga + R"(], "dependencies": []}})").graph.task_count() == tasks);
    CHECK(read("one_line.dot", dot + "}").graph.task_count() == tasks);
  }

  TEST_CASE("STG counts its tasks with or without the dummies; costs of communication are data") {
    std::string const rows = "  0  0  0\n  1  5  1  0\n  2  7  1  1\n  3  0  1  2\n# a comment\n";
    for (char const* count : {"  2\n", "  4\n"}) {
      TaskProgram const p = read("a.stg", count + rows, {.seconds = 0.5});
      CHECK(p.format == "stg");
      CHECK(p.graph.task_count() == 4);
      CHECK(p.graph.edge_count() == 3);
      CHECK(seconds_of(p, "2", "cpu") == 3.5);
      CHECK(p.graph.kernel_of(TaskId{0}).is_free);
    }
    CHECK(testing::contains(error_of("a.stg", "9\n" + rows), "announces 9 tasks and has 4 rows"));
    TaskProgram const costs = read("c.stg", "2\n0 0 0\n1 5 1\n 0 0\n2 7 1\n 1 30\n3 0 1\n 2 0\n");
    CHECK(costs.graph.edge_count() == 3);
    CHECK(costs.graph.handles[1].size.value == 30);
  }

  TEST_CASE("DOT with sizes has operations and bytes; PaRSEC's ranks are nodes; ours is read back") {
    TaskProgram const sized =
        read("dag.dot", R"x(digraph G { root [size="1e9"]; a [size="2e9"]; end [size="0"];
 root->a [size="1e6"]; a->end [size="-1."]; })x",
             {.seconds = 1e-9});
    CHECK(sized.graph.task_count() == 3);
    CHECK(sized.graph.edge_count() == 2);
    CHECK(sized.graph.handles.size() == 1);
    CHECK(sized.graph.handles[0].size.value == 1'000'000);
    CHECK(seconds_of(sized, "a", "cpu") == doctest::Approx(2).epsilon(1e-15));
    GraphFile const ranks("r0.dot", R"x(digraph G {
potrf_1_0 [shape="polygon",label="<0/0> potrf(0)",tooltip="tpid=1:tcid=0:tcname=potrf:tid=77"];
potrf_1_0 -> trsm_1_1_0 [label="T=>T",color="#00FF00",style="dashed"]
})x");
    ranks.add("r1.dot", "digraph G {\ntrsm_1_1_0 [shape=\"polygon\",label=\"<0/0> trsm(1, 0)\"];\n}\n");
    TaskProgram const parsec = read_graph(ranks.folder());
    CHECK(parsec.graph.task_count() == 2);
    CHECK(parsec.graph.edge_count() == 1);
    CHECK(parsec.node_of_task == std::vector{NodeId{0}, NodeId{1}});
    CHECK(parsec.graph.kernel_of(TaskId{1}).name == "trsm");
    TaskProgram const ours = read("tasks.dot", R"x(digraph tasks {
  node [shape=box, style=filled];
  t0 [label="getrf(0, 0, 0)", fillcolor="#f4c7b0"];
  t1 [label="trsm_ll(0, 0, 1)", fillcolor="#b3d3e8"];
  t0 -> t1 [style=dashed];
})x");
    CHECK(ours.graph.edge_count() == 1);
    CHECK(ours.graph.indices[1].n == 1);
    CHECK(testing::contains(error_of("a.dot", "digraph G { a -> b; b -> a }"), "waits for itself"));
  }

  TEST_CASE("a graph in DOT may have whatever Graphviz takes") {
    for (char const* text : {"digraph \"a graph\" { a [size=1]; b [size=2]; a -> b }",
                             "Digraph { a [size=1] b [size=2] a -> b }",
                             "# made by a tool\nSTRICT digraph G { a [size=1]; b [size=2]; a -> b; a -> b }",
                             "/* a\ncomment */ digraph { a [size=1, label=<<b>a</b> &amp; b>]; b [size=2]; "
                             "a:n -> b:s:w // end\n}",
                             "digraph { subgraph cluster_x { node [size=1] a } b [size=2]; { a } -> b }"}) {
      CAPTURE(text);
      TaskProgram const p = read("a.dot", text);
      CHECK(p.graph.task_count() == 2);
      CHECK(p.graph.edge_count() == 1);
      CHECK(seconds_of(p, "b", "cpu") == 2);
    }
    CHECK(read("a.dot", "digraph { a -> {b c} }").graph.edge_count() == 2);
    TaskProgram const defaults = read("a.dot", "digraph { node [size=7]; edge [size=\"1e6\"]; a -> b; }");
    CHECK(seconds_of(defaults, "a", "cpu") == 7);
    CHECK(defaults.graph.handles[0].size.value == 1'000'000);
    TaskProgram const kernels =
        read("a.dot", "digraph { 0 [kernel=potrf]; 1 [kernel=trsm label=\"x\"]; 0 -> 1 [x=0] }");
    CHECK(kernels.graph.kernel_of(TaskId{1}).name == "trsm");
  }

  TEST_CASE("a circle is data in graphs of PaRSEC and a task in others and no dependency is lost over it") {
    std::string const edges = "c [shape=circle]; a -> c; c -> b; }";
    TaskProgram const parsec =
        read("a.dot", "digraph { a [label=\"<0/0> potrf(0)\"]; b [label=\"<0/0> trsm(0)\"];" + edges);
    CHECK(parsec.graph.task_count() == 2);
    CHECK(parsec.graph.edge_count() == 1);
    TaskProgram const other = read("a.dot", "digraph { a [size=1]; b [size=1]; " + edges);
    CHECK(other.graph.task_count() == 3);
    CHECK(other.graph.edge_count() == 2);
  }

  TEST_CASE(
      "what is no directed graph in DOT is refused with its line and the next graph is read nevertheless") {
    std::string const deep(100'000, '{'), shallow(100'000, '}');
    std::string chain = "digraph { n";
    for (int i = 0; i < 20'000; ++i) chain += fmt::format(" -> n{}", i);
    for (auto const& [text, message] :
         {std::pair<std::string, char const*>{"digraph G { a -> ", "#line 1: is no DOT"},
          {"digraph {\n\na -> -> b }", "#line 3: is no DOT (there is an error at '->'"},
          {"digraph { a [label=\"x] }", "#line 1: has a text without its closing"},
          {"digraph { a [label=<<b>x] }", "#line 1: has an HTML label without its end"},
          {"digraph { a } /* open", ""},
          {"digraph { a /* open", "#line 1: is no DOT"},
          {"graph { a -- b }", "#: is an undirected graph"},
          {"digraph { a -- b }", "#line 1: is no DOT (there is an error at '--'"},
          {"digraph { a } digraph { b }", "#: holds several graphs"},
          {"digraph { a } more", "#line 1: is no DOT"},
          {"digraph { }", "#: has no vertices"},
          {"// only a comment\n", "#: has no vertices"},
          {std::string("digraph {\n a \0 }", 16), "#: has a NUL character in line 2"},
          {"digraph { a [size=x] }", "#: has the size \"x\" at the vertex \"a\""},
          {R"(digraph { a -> b [size="1e40"] })", "#: has 1e+40 bytes at the edge"},
          {"digraph { a -> b [size=1e40] }", "#line 1: has a number with letters"},
          {"digraph " + deep + "a" + shallow, "has a chain of edges or nested graphs"},
          {chain + " }", "has a chain of edges or nested graphs"}}) {
      std::string const error = error_of("a.dot", text);
      CAPTURE(text.substr(0, 60));
      CHECK_MESSAGE(testing::contains(error, message), error);
      CHECK(error.find('\n') == std::string::npos);
      CHECK(read("a.dot", "digraph { a -> b }").graph.edge_count() == 1);
    }
  }

  TEST_CASE("SAGA's graphs have costs and sizes") {
    TaskProgram const p = read(
        "g.json",
        R"x({"name": "two", "task_graph": {"tasks": [{"name": "a", "cost": 2.0}, {"name": "b", "cost": 3.0}],
 "dependencies": [{"source": "a", "target": "b", "size": 5.0}]}, "network": {"nodes": [], "edges": []}})x");
    CHECK(p.format == "saga");
    CHECK(p.graph.edge_count() == 1);
    CHECK(p.graph.handles[0].size.value == 5);
    CHECK(seconds_of(p, "b", "cpu") == 3);
  }
}
