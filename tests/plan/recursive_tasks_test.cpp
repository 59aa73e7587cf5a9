// The dependencies of the tasks that a run takes, against those of a sequential program that touches the elements of
// tiles: two tasks conflict if both touch a part of a tile and one of them writes it.

#include "simulator/tasks/plan/recursive_tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "models/applications/registry.hpp"

using namespace factosim;

namespace {

struct Case {
  char const* application;
  char const* variant;
  int nt, parts;
};
constexpr Case cases[] = {{"cholesky", "starpu", 4, 2},
                          {"cholesky", "starpu", 3, 3},
                          {"lu", "starpu", 3, 2},
                          {"lu", "chameleon", 3, 3},
                          {"lu", "starpu", 2, 4}};

TaskGraph graph_of(Case const& c, int parts) {
  return application(c.application)
      .graph({.nt = c.nt * parts, .nb = 64 / parts, .variant = c.variant}, TileMap(1, 1, {NodeId{0}}));
}

RecursiveProgram program_of(Case const& c) {
  return recursive_program(graph_of(c, 1), graph_of(c, c.parts), {.parts = c.parts, .nb = 64 / c.parts});
}

/// Returns the mode in which each part of a tile is touched, by row and column of the part.
std::map<std::pair<int, int>, Access> touched(TaskGraph const& g, RecursiveTasks const& tasks, TaskId t,
                                              int parts) {
  std::map<std::pair<int, int>, Access> out;
  for (DataAccess const a : g.accesses_of(t)) {
    HandleInfo const& h = g.handles[a.handle().index()];
    int const side = tasks.is_part(a.handle()) ? 1 : parts;
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j) out[{h.m * side + i, h.n * side + j}] = a.mode();
  }
  return out;
}

using Closure = std::vector<std::vector<bool>>;  // [after][before]

/// Adds what the predecessors follow; tasks are in a topological order.
void close(Closure& follows) {
  for (std::size_t a = 0; a < follows.size(); ++a)
    for (std::size_t b = a; b-- > 0;)
      if (follows[a][b])
        for (std::size_t c = 0; c < b; ++c) follows[a][c] = follows[a][c] || follows[b][c];
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("recursive tasks depend on each other as a sequential program on elements of tiles requires") {
    std::mt19937 random(5);
    for (Case const& c : cases)
      for (int round = 0; round < 12; ++round) {
        RecursiveProgram const program = program_of(c);
        RecursiveTasks const& tasks = program.tasks;
        std::vector<bool> split(tasks.count);
        for (std::size_t i = 0; i < split.size(); ++i)
          split[i] = round == 0 || (round > 1 && random() % 2 == 0);
        TakenTasks const taken = taken_tasks(program.graph, tasks, split);
        CAPTURE(c.application);
        CAPTURE(c.parts);
        CAPTURE(round);
        std::size_t const count = taken.graph.task_count();
        std::vector<TaskId> own(count);
        for (std::uint32_t t = 0; t < taken.number.size(); ++t)
          if (taken.number[t].valid()) own[taken.number[t].index()] = TaskId{t};
        using Role = RecursiveTasks::Role;
        auto const computes = [&](std::size_t i) {
          return tasks.role(own[i]) == Role::coarse || tasks.role(own[i]) == Role::child;
        };
        // By the edges of the graph, without those of splits, which have no data.
        Closure by_graph(count, std::vector<bool>(count, false)), by_elements = by_graph;
        for (std::uint32_t t = 0; t < count; ++t)
          for (TaskId const next : taken.graph.successors_of(TaskId{t}))
            if (tasks.role(own[t]) != Role::split && tasks.role(own[next.index()]) != Role::split)
              by_graph[next.index()][t] = true;
        close(by_graph);
        // By the elements that the computing tasks touch, in the order of the program.
        for (std::size_t a = 0; a < count; ++a) {
          if (!computes(a)) continue;
          auto const mine = touched(program.graph, tasks, own[a], c.parts);
          for (std::size_t b = 0; b < a; ++b) {
            if (!computes(b)) continue;
            for (auto const& [part, mode] : touched(program.graph, tasks, own[b], c.parts))
              if (auto const both = mine.find(part);
                  both != mine.end() && (writes(mode) || writes(both->second)))
                by_elements[a][b] = true;
          }
        }
        close(by_elements);
        std::size_t differ = 0, dependencies = 0;
        for (std::size_t a = 0; a < count; ++a)
          for (std::size_t b = 0; b < a; ++b) {
            if (!computes(a) || !computes(b)) continue;
            differ += by_graph[a][b] != by_elements[a][b] ? 1 : 0;
            dependencies += by_elements[a][b] ? 1 : 0;
          }
        CHECK(dependencies > 0);
        CHECK(differ == 0);
      }
  }
}

TEST_SUITE("unit") {
  TEST_CASE("a graph whose tasks are all split has the tasks of the factorization on the parts") {
    for (Case const& c : cases) {
      RecursiveProgram const program = program_of(c);
      TaskGraph const fine = graph_of(c, c.parts);
      TakenTasks const taken =
          taken_tasks(program.graph, program.tasks, std::vector<bool>(program.tasks.count, true));
      CHECK(taken.graph.task_count() == program.tasks.count + fine.task_count());
      double operations = 0, expected = 0;
      for (std::uint32_t t = 0; t < taken.graph.task_count(); ++t)
        operations += taken.graph.kernel_of(TaskId{t}).flops.value;
      for (std::uint32_t t = 0; t < fine.task_count(); ++t) expected += fine.kernel_of(TaskId{t}).flops.value;
      CHECK(operations == doctest::Approx(expected).epsilon(1e-12));
    }
  }

  TEST_CASE("a graph whose tasks are all kept is the factorization on whole tiles") {
    for (Case const& c : cases) {
      RecursiveProgram const program = program_of(c);
      TaskGraph const coarse = graph_of(c, 1);
      TaskGraph const taken =
          taken_tasks(program.graph, program.tasks, std::vector<bool>(program.tasks.count, false)).graph;
      CHECK(taken.kernel == coarse.kernel);
      CHECK(taken.successors == coarse.successors);
      CHECK(taken.writes_back == coarse.writes_back);
    }
  }
}
