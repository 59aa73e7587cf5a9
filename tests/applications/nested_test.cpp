// Tasks replaced by tasks on parts of their tiles: counts by closed form, the same operations and messages.

#include "models/applications/tile_formats.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

ApplicationParameters with_parts(int nt, int parts) {
  ApplicationParameters p{.nt = nt, .nb = 12 * parts};
  p.nested = NestedOptions{.split = parts};
  return p;
}

double operations(TaskGraph const& graph) {
  double out = 0;
  for (std::uint16_t const kernel : graph.kernel) out += graph.kernels[kernel].flops.value;
  return out;
}

/// Number and bytes of the messages on a block-cyclic map.
std::pair<std::uint64_t, std::int64_t> messages(std::string const& name, ApplicationParameters const& p) {
  TileMap const map =
      tile_map(p.nt, p.nt, [](int m, int n) { return static_cast<unsigned>(m % 2 * 3 + n % 3); });
  TaskGraph graph = application(name).graph(p, map);
  std::vector<NodeId> owners;
  for (HandleInfo const& h : graph.handles) owners.push_back(h.owner.valid() ? h.owner : map.at(h.m, h.n));
  ExecutionPlan const plan = plan_execution(graph, owners, 6);
  std::pair<std::uint64_t, std::int64_t> out;
  for_all_messages(graph, plan, [&](TaskId task, std::uint32_t first) {
    ++out.first;
    out.second += graph.handles[graph.given_to(task, graph.successors[first]).index()].size.value;
  });
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the parts of all tasks are the tasks on smaller tiles and one end for each whole task") {
    for (char const* const name : {"lu", "cholesky"})
      for (int const nt : {1, 2, 5})
        for (int const parts : {2, 3, 7}) {
          CAPTURE_ALL(name, nt, parts);
          auto const p = with_parts(nt, parts);
          Counts found = tasks_by_kernel(graph_on_one_node(name, p));
          Counts expected;
          for (auto const& [kernel, count] :
               tasks_by_kernel(graph_on_one_node(name, {.nt = nt * parts, .nb = 12})))
            expected[kernel + "_12"] = count;
          for (auto const& [kernel, count] : tasks_by_kernel(graph_on_one_node(name, {.nt = nt, .nb = 12}))) {
            expected["unpartition"] += count;
            expected[kernel] = 0;
          }
          CHECK(found == expected);
          double tasks = 0;
          for (auto const& [kernel, count] : found) tasks += static_cast<double>(count);
          CHECK(application(name).max_tasks(p) == tasks);
          std::vector<Kernel> const kernels = application(name).kernels(p);
          TaskGraph const graph = graph_on_one_node(name, p);
          REQUIRE(kernels.size() == graph.kernels.size());
          for (std::size_t k = 0; k < kernels.size(); ++k) CHECK(kernels[k].name == graph.kernels[k].name);
        }
  }

  TEST_CASE("parts change no operation and no message") {
    for (char const* const name : {"lu", "cholesky"})
      for (int const parts : {2, 5}) {
        CAPTURE(name);
        auto p = with_parts(7, parts);
        double const nested = operations(graph_on_one_node(name, p));
        auto const sent = messages(name, p);
        p.nested.reset();
        // trsm and potrf of whole tiles count nb^3 and nb^3 / 3, without lower terms.
        ApplicationParameters small{.nt = 7 * parts, .nb = p.nb / parts};
        CHECK(nested == doctest::Approx(operations(graph_on_one_node(name, small))).epsilon(1e-12));
        CHECK(sent == messages(name, p));
      }
  }
}
