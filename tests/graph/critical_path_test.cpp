#include "simulator/tasks/graph/graph_order.hpp"

#include "models/applications/application.hpp"
#include "tests/applications/graph_tasks.hpp"
#include "tests/graph/random_flow.hpp"

using namespace factosim;
using namespace factosim::testing;

// Durations and edge times are whole numbers, whose sums double represents: all lengths are compared exactly.

namespace {

std::vector<Seconds> durations_by_kernel(TaskGraph const& graph, std::vector<double> const& of_kernel) {
  std::vector<Seconds> durations;
  for (std::uint16_t const kernel : graph.kernel) durations.push_back({of_kernel[kernel]});
  return durations;
}

/// Returns the length of the chain, and checks that it follows edges.
Seconds length_of_chain(TaskGraph const& graph, CriticalPath const& path,
                        std::vector<Seconds> const& durations,
                        std::function<Seconds(TaskId, TaskId)> const& edge_time) {
  Seconds length{0};
  for (std::size_t i = 0; i < path.tasks.size(); ++i) {
    length += durations[path.tasks[i].index()];
    if (i == 0) continue;
    auto const followers = graph.successors_of(path.tasks[i - 1]);
    CHECK(std::find(followers.begin(), followers.end(), path.tasks[i]) != followers.end());
    if (edge_time) length += edge_time(path.tasks[i - 1], path.tasks[i]);
  }
  return length;
}

/// Forwards, in submission order: when each task can end at the earliest.
Seconds longest_by_submission_order(TaskGraph const& graph, std::vector<Seconds> const& durations,
                                    std::function<Seconds(TaskId, TaskId)> const& edge_time) {
  std::vector<Seconds> start(graph.task_count());
  Seconds longest{0};
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    Seconds const end = start[t] + durations[t];
    longest = std::max(longest, end);
    for (TaskId const s : graph.successors_of(TaskId{t}))
      start[s.index()] = std::max(start[s.index()], end + edge_time(TaskId{t}, s));
  }
  return longest;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("of a diamond the slower side counts") {
    //     .- 1 -.
    // 0 -|      |- 3
    //     '- 2 -'
    Access const R = Access::read, W = Access::write;
    TaskGraph const graph = graph_of({{access(0, W)},
                                      {access(0, R), access(1, W)},
                                      {access(0, R), access(2, W)},
                                      {access(1, R), access(2, R), access(3, W)}},
                                     4);
    std::vector<Seconds> const durations{{1}, {5}, {3}, {2}};
    CriticalPath const path = critical_path(graph, durations);
    CHECK(path.length == Seconds{8});
    CHECK(path.tasks == std::vector<TaskId>{TaskId{0}, TaskId{1}, TaskId{3}});
    auto const slow_edge = [](TaskId from, TaskId) { return Seconds{from == TaskId{2} ? 4.0 : 1.0}; };
    CriticalPath const other = critical_path(graph, durations, slow_edge);
    CHECK(other.length == Seconds{11});
    CHECK(other.tasks == std::vector<TaskId>{TaskId{0}, TaskId{2}, TaskId{3}});
  }

  TEST_CASE("tasks may be numbered against the dependencies") {
    // 2 before 0 before 1, as tasks of a recorded run may come.
    TaskGraph graph;
    graph.kernel = {0, 0, 0};
    graph.successor_begin = {0, 1, 1, 2};
    graph.successors = {TaskId{1}, TaskId{0}};
    CriticalPath const path = critical_path(graph, std::vector<Seconds>{{2}, {3}, {5}});
    CHECK(path.length == Seconds{10});
    CHECK(path.tasks == std::vector<TaskId>{TaskId{2}, TaskId{0}, TaskId{1}});
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("a duration for each task is needed") {
    TaskGraph const graph = graph_of({{access(0, Access::write)}}, 1);
    CHECK_THROWS_AS(critical_path(graph, {}), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  // LU, whatever the times: gemm of step k - 1 ends before getrf of step k, so nothing overtakes the panel. Cholesky
  // where gemm lasts at most as long as syrk and potrf: then the next potrf ends after the gemm beside it.
  TEST_CASE(
      "the critical path of factorizations has all panels, and a solve and an update between two of them") {
    using Times = std::vector<double>;
    struct Factorized {
      std::string name;
      std::vector<Times> times;  // of the kernels
      std::function<double(Times const&)> step;
    };
    for (auto const& [name, all_times, step] :
         {Factorized{"lu",
                     {{10, 7, 5, 3}, {1, 2, 9, 30}, {100, 1, 1, 1}, {4, 4, 4, 4}},
                     [](Times const& t) { return std::max(t[1], t[2]) + t[3]; }},
          Factorized{"cholesky",
                     {{10, 7, 5, 5}, {3, 2, 9, 12}, {100, 1, 1, 50}, {4, 4, 4, 4}},
                     [](Times const& t) { return t[1] + t[2]; }}})
      for (std::string const variant : {"starpu", "chameleon"})
        for (int n = 1; n <= 14; ++n)
          for (Times const& times : all_times) {
            CAPTURE_ALL(name, variant, n, times[0]);
            TaskGraph const graph = graph_on_one_node(name, {.nt = n, .nb = 10, .variant = variant});
            auto const durations = durations_by_kernel(graph, times);
            double const expected = times[0] * n + step(times) * (n - 1);
            CriticalPath const path = critical_path(graph, durations);
            CHECK(path.length == Seconds{expected});
            CHECK(length_of_chain(graph, path, durations, {}) == path.length);
            // Each of the N - 1 steps has three edges.
            auto const edge_time = [](TaskId, TaskId) { return Seconds{6}; };
            CriticalPath const with_edges = critical_path(graph, durations, edge_time);
            CHECK(with_edges.length == Seconds{expected + 18.0 * (n - 1)});
            CHECK(length_of_chain(graph, with_edges, durations, edge_time) == with_edges.length);
          }
  }

  TEST_CASE("on random graphs the critical path is the longest chain") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      int const handles = random.between(1, 30);
      TaskGraph const graph = graph_of(random_program(random, random.between(1, 100), handles), handles);
      std::vector<Seconds> durations;
      for (std::size_t t = 0; t < graph.task_count(); ++t)
        durations.push_back({static_cast<double>(random.between(0, 50))});
      auto const edge_time = [seed](TaskId from, TaskId to) {
        return Seconds{static_cast<double>((from.value() * 7 + to.value() * 13 + seed) % 20)};
      };
      CriticalPath const path = critical_path(graph, durations, edge_time);
      CHECK(path.length == longest_by_submission_order(graph, durations, edge_time));
      CHECK(length_of_chain(graph, path, durations, edge_time) == path.length);
      auto const no_time = [](TaskId, TaskId) { return Seconds{0}; };
      CriticalPath const bare = critical_path(graph, durations);
      CHECK(bare.length == longest_by_submission_order(graph, durations, no_time));
      CHECK(bare.length <= path.length);
      CHECK(length_of_chain(graph, bare, durations, {}) == bare.length);
    }
  }
}
