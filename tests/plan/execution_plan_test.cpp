#include "simulator/tasks/plan/plan_execution.hpp"

#include "models/applications/application.hpp"
#include "tests/applications/graph_tasks.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr Access R = Access::read;
constexpr Access W = Access::write;
constexpr Access RW = Access::read_write;

std::vector<NodeId> owners(std::vector<int> const& nodes) {
  return std::vector<NodeId>(nodes.begin(), nodes.end());
}

std::vector<NodeId> random_owners(Random& random, std::size_t handles, int nodes) {
  std::vector<NodeId> owner;
  for (std::size_t h = 0; h < handles; ++h) owner.emplace_back(random.between(0, nodes - 1));
  return owner;
}

/// Checks all properties of a plan. `before`: the graph in submission order.
void check_plan(TaskGraph const& before, TaskGraph const& graph, ExecutionPlan const& plan,
                std::vector<NodeId> const& owner, std::size_t nodes) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> handles_on_nodes;
  std::vector<std::uint32_t> used(plan.replica_count(), 0);
  for (std::size_t h = 0; h < owner.size(); ++h) handles_on_nodes.emplace(h, owner[h].value());
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    NodeId const node = plan.node_of(TaskId{t});
    CHECK(plan.runs_on(TaskId{t}, node));
    CHECK(node == owner[graph.written_by(TaskId{t}).index()]);
    auto const accesses = graph.accesses_of(TaskId{t});
    auto const replicas = plan.replicas_of(graph, TaskId{t});
    REQUIRE(replicas.size() == accesses.size());
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      REQUIRE(replicas[i].index() < plan.replica_count());
      CHECK(plan.handle_of(replicas[i]) == accesses[i].handle());
      CHECK(plan.node_of_replica(replicas[i]) == node);
      handles_on_nodes.emplace(accesses[i].handle().value(), node.value());
      ++used[replicas[i].index()];
    }
  }
  CHECK(uses(plan) == used);

  // One replica for each handle that a node owns or uses, numbered by node.
  CHECK(plan.replica_count() == handles_on_nodes.size());
  std::size_t all = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    all += plan.replicas_on(NodeId{n}).size();
    for (Replica const& r : plan.replicas_on(NodeId{n})) {
      CHECK(handles_on_nodes.contains({r.handle.value(), n}));
      CHECK(r.owned == (owner[r.handle.index()] == NodeId{n}));
    }
  }
  CHECK(all == plan.replica_count());

  // Same successors: those on the own node first, then by node and number.
  std::uint64_t messages = 0;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    auto const planned = graph.successors_of(TaskId{t});
    auto const submitted = before.successors_of(TaskId{graph.submission_number(TaskId{t})});
    std::vector<TaskId> by_submission;
    for (TaskId const s : planned) by_submission.emplace_back(graph.submission_number(s));
    CHECK(
        std::is_permutation(by_submission.begin(), by_submission.end(), submitted.begin(), submitted.end()));
    auto const node_of = [&](TaskId s) { return plan.node_of(s); };
    NodeId const home = node_of(TaskId{t});
    std::set<NodeId> others;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (node_of(planned[i]) != home) others.insert(node_of(planned[i]));
      if (i == 0) continue;
      if (node_of(planned[i]) == home) CHECK(node_of(planned[i - 1]) == home);
      if (node_of(planned[i - 1]) != home) CHECK(node_of(planned[i - 1]) <= node_of(planned[i]));
      if (node_of(planned[i - 1]) == node_of(planned[i])) CHECK(planned[i - 1] < planned[i]);
    }
    messages += others.size();
  }
  CHECK(count_messages(graph, plan) == messages);
}

void plan_and_check(TaskGraph graph, std::vector<NodeId> const& owner, std::size_t nodes) {
  TaskGraph const before = graph;
  ExecutionPlan const plan = plan_execution(graph, owner, nodes);
  check_plan(before, graph, plan, owner, nodes);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a graph can be placed again") {
    Random random(5);
    TaskGraph const flow = graph_of(random_factorization_like(random, 60, 6), 6);
    TaskGraph once = flow, twice = flow;
    plan_execution(twice, owners({0, 1, 2, 0, 1, 2}), 3);
    ExecutionPlan const again = plan_execution(twice, owners({2, 2, 1, 1, 0, 0}), 3);
    ExecutionPlan const plan = plan_execution(once, owners({2, 2, 1, 1, 0, 0}), 3);
    CHECK(again.replica_of_access == plan.replica_of_access);
    CHECK(again.first_task == plan.first_task);
    CHECK(twice.submission == once.submission);
    CHECK(twice.successors == once.successors);
    CHECK(twice.kernel == once.kernel);
    plan_execution(twice, owners({0, 0, 0, 0, 0, 0}), 1);
    CHECK(twice.submission.empty());
    CHECK(edges_of(twice) == edges_of(flow));
  }

  TEST_CASE("each handle that a task writes is sent to its own readers") {
    // Task 0 on node 0 writes handles 0 and 1; tasks on node 1 read one or the other, in turn.
    TaskGraph graph = graph_of({{access(0, W), access(1, W)},
                                {access(0, R), access(2, W)},
                                {access(1, R), access(3, W)},
                                {access(0, R), access(4, W)},
                                {access(1, R), access(5, W)}},
                               6);
    ExecutionPlan const plan = plan_execution(graph, owners({0, 1, 1, 1, 1, 1}), 2);
    CHECK(count_messages(graph, plan) == 2);
    std::vector<std::uint32_t> readers;
    for (TaskId const s : graph.successors_of(TaskId{0})) readers.push_back(graph.submission_number(s));
    CHECK(readers == std::vector<std::uint32_t>{1, 3, 2, 4});  // of handle 0, then of handle 1
    std::vector<std::size_t> outputs;
    for_each_output(graph, plan, TaskId{0}, [&](std::size_t i) { outputs.push_back(i); });
    CHECK(outputs == std::vector<std::size_t>{0, 1});
    CHECK(graph.given_to(TaskId{0}, graph.successors_of(TaskId{0})[3]) == HandleId{1});
  }

  TEST_CASE("a task that overwrites a handle unread follows the tasks on its own node that used it") {
    // Task 2 on node 0 waited for task 1 on node 1 only, which had read what task 0 wrote; in the second
    // program for task 2 on node 1, which wrote handle 0 beside its own.
    TaskGraph graph = graph_of({{access(0, W)}, {access(0, R), access(1, W)}, {access(0, W)}}, 2);
    ExecutionPlan const plan = plan_execution(graph, owners({0, 1}), 2);
    CHECK(plan.runs_on(TaskId{1}, NodeId{0}));  // numbered node after node
    auto const after_first = graph.successors_of(TaskId{0});
    CHECK(std::find(after_first.begin(), after_first.end(), TaskId{1}) != after_first.end());
    CHECK(graph.predecessors[1] == 1);

    graph = graph_of(
        {{access(0, W)}, {access(0, R), access(2, W)}, {access(1, W), access(0, W)}, {access(0, W)}}, 3);
    static_cast<void>(plan_execution(graph, owners({0, 1, 0}), 2));
    CHECK(graph.predecessors[2] == 2);  // tasks 0 and 1: the writer and the reader on its node
  }

  TEST_CASE("a task on another node that reads two outputs of one task is refused") {
    TaskGraph graph = graph_of({{access(0, W), access(1, W)}, {access(0, R), access(1, R), access(2, W)}}, 3);
    CHECK_THROWS_AS(plan_execution(graph, owners({0, 0, 1}), 2), ContractError);
    TaskGraph at_home =
        graph_of({{access(0, W), access(1, W)}, {access(0, R), access(1, R), access(2, W)}}, 3);
    CHECK(count_messages(at_home, plan_execution(at_home, owners({0, 0, 0}), 2)) == 0);
  }

  TEST_CASE("unused handles need no owner") {
    TaskGraph graph = graph_of({{access(0, W)}}, 2);
    ExecutionPlan const plan = plan_execution(graph, std::vector<NodeId>{NodeId{0}, NodeId{}}, 1);
    CHECK(plan.replica_count() == 1);
  }

  TEST_CASE("graphs that owner-computes cannot place are refused") {
    TaskGraph reader = graph_of({{access(0, R)}}, 1);
    CHECK_THROWS_AS(plan_execution(reader, owners({0}), 1), ContractError);
    TaskGraph nowhere = graph_of({{access(0, W)}}, 1);
    CHECK_THROWS_AS(plan_execution(nowhere, std::vector<NodeId>{NodeId{}}, 1), ContractError);
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("every handle needs an entry in the list of owners") {
    TaskGraph graph = graph_of({{access(0, W)}}, 2);
    CHECK_THROWS_AS(plan_execution(graph, owners({0}), 1), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  TEST_CASE("plans of random programs like factorizations have all properties of a plan") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      int const handles = random.between(1, 25);
      int const nodes = random.between(1, 7);
      TaskGraph const graph = graph_of(random_factorization_like(random, 120, handles), handles);
      plan_and_check(graph, random_owners(random, graph.handles.size(), nodes),
                     static_cast<std::size_t>(nodes));
    }
  }

  TEST_CASE("plans of factorizations on random maps have all properties of a plan") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      for (std::string const name : {"lu", "cholesky"}) {
        CAPTURE_ALL(seed, name);
        Random random(seed);
        int const nodes = random.between(1, 9);
        TaskGraph const graph = testing::graph_on_one_node(name, {.nt = random.between(1, 10), .nb = 10});
        plan_and_check(graph, random_owners(random, graph.handles.size(), nodes),
                       static_cast<std::size_t>(nodes));
      }
  }

  TEST_CASE("on one node any program is placed and nothing is reordered") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Program program = random_program(random, 40, 8);
      for (auto& accesses : program)
        if (std::none_of(accesses.begin(), accesses.end(), [](DataAccess a) { return writes(a.mode()); }))
          accesses[0] = DataAccess{accesses[0].handle(), RW};
      TaskGraph graph = graph_of(program, 8);
      auto const edges = edges_of(graph);
      ExecutionPlan const plan = plan_execution(graph, std::vector<NodeId>(8, NodeId{0}), 1);
      CHECK(edges_of(graph) == edges);
      CHECK(count_messages(graph, plan) == 0);
      CHECK(plan.replica_count() == 8);
    }
  }
}
