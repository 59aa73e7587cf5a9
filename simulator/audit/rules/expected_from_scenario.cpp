#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "simulator/audit/rules/expected_result.hpp"

namespace factosim::audit {

namespace {

/// A message in the simulator's bound may take that many ticks less than alone on its route.
constexpr double ticks_per_message = 16;

/// Bytes of the first datum that a task writes and another one reads; 0 without one.
std::int64_t bytes_sent(TaskGraph const& graph, TaskId from, TaskId to) {
  for (DataAccess const given : graph.accesses_of(from)) {
    if (!writes(given.mode())) continue;
    for (DataAccess const taken : graph.accesses_of(to))
      if (taken.handle() == given.handle() && reads(taken.mode()))
        return graph.handles[given.handle().index()].size.value;
  }
  return 0;
}

/// Length of the longest path of tasks, each on the fastest worker of its node, with or without messages
/// between them at full bandwidth. Tasks are numbered in a topological order. The bound in the result is one of whole
/// ticks, rounded on each of its tasks and messages.
ExpectedValue longest_chain_s(RunView const& view, std::vector<DataFlow::Edge> const& edges,
                              bool with_messages) {
  TaskGraph const& graph = view.run.graph;
  std::vector<double> ready(graph.task_count(), 0);
  std::map<std::tuple<NodeId, NodeId, std::int64_t>, double> message_s;
  std::vector<double> rounded(graph.task_count(), 1);  // ticks, at most, up to the end of each task
  double longest = 0, most_rounded = 0;
  std::size_t next = 0;  // into the edges, which are sorted by their first task
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    double const end = ready[t] + view.machine.min_s(view.home[t], t);
    longest = std::max(longest, end);
    most_rounded = std::max(most_rounded, rounded[t]);
    for (; next < edges.size() && edges[next].before == t; ++next) {
      std::uint32_t const after = edges[next].after;
      double arrives = end, ticks = rounded[t] + 1;
      if (with_messages && view.home[after] != view.home[t]) {
        std::int64_t const bytes = bytes_sent(graph, TaskId{t}, TaskId{after});
        auto const [known, is_new] = message_s.try_emplace({view.home[t], view.home[after], bytes}, 0);
        if (is_new)
          known->second = view.routes.least_s(view.home[t], view.home[after],
                                              static_cast<double>(view.carried(Bytes{bytes}).value));
        arrives += known->second;
        ticks += ticks_per_message;
      }
      rounded[after] = std::max(rounded[after], ticks);
      ready[after] = std::max(ready[after], arrives);
    }
  }
  return {.value = longest, .slack = std::max(1e-11, view.tick_s * most_rounded)};
}

void expect_critical_paths(RunView const& view, DataFlow const& flow, ExpectedResult& out) {
  if (view.run.runtime.rounded_means) return;
  std::vector<DataFlow::Edge> edges = flow.edges;
  std::sort(edges.begin(), edges.end(), [](auto const& a, auto const& b) {
    return std::tuple(a.before, a.after) < std::tuple(b.before, b.after);
  });
  out["/bounds/critical_path_s"] = longest_chain_s(view, edges, false);
  out["/bounds/critical_path_with_comm_s"] = longest_chain_s(view, edges, true);
}

/// Counts messages by the pair of phases that they join, in the order of phases and kinds of data.
void expect_messages_by_phase(RunView const& view, DataFlow const& flow, ExpectedResult& out) {
  TaskGraph const& graph = view.run.graph;
  if (graph.phases.empty()) return;
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t bytes = 0;
  };
  std::map<std::tuple<std::size_t, std::size_t, DataKind>, Sum> sums;
  for (DataFlow::Message const& m : flow.messages) {
    HandleInfo const& handle = graph.handles[m.handle.index()];
    Sum& sum = sums[{graph.phase[m.version], graph.phase[m.consumer], handle.data}];
    ++sum.count;
    sum.bytes += handle.size.value;
  }
  std::size_t i = 0;
  for (auto const& [key, sum] : sums) {
    auto const& [from, to, data] = key;
    std::string const at = fmt::format("/messages/{}", i++);
    out[at + "/from"].value = graph.phases[from].name;
    out[at + "/to"].value = graph.phases[to].name;
    out[at + "/data"].value = factosim::name_of(data);
    out[at + "/count"].value = sum.count;
    out[at + "/bytes"].value = sum.bytes;
  }
}

}  // namespace

void expect_from_scenario(RunView const& view, DataFlow const& flow, ExpectedResult& out) {
  AuditedRun const& run = view.run;
  out["/format"].value = "factosim-result";
  out["/version"].value = 1;
  out["/name"].value = run.name;
  out["/tasks"].value = run.graph.task_count();
  std::map<std::string, std::uint64_t> by_kernel;
  for (Kernel const& kernel : run.graph.kernels) by_kernel[kernel.name] += 0;
  for (std::uint32_t t = 0; t < run.graph.task_count(); ++t) ++by_kernel[run.graph.kernel_of(TaskId{t}).name];
  for (auto const& [name, count] : by_kernel) out["/tasks_by_kernel/" + name].value = count;
  std::int64_t bytes = 0;
  for (DataFlow::Message const& m : flow.messages) bytes += run.graph.handles[m.handle.index()].size.value;
  out["/tiles_sent"].value = flow.messages.size();
  out["/bytes_sent"].value = bytes;
  expect_messages_by_phase(view, flow, out);
  expect_critical_paths(view, flow, out);
  if (!view.run.runtime.rounded_means) expect_area_bounds(view, out);
  out["/provenance/seed"].value = run.seed;

  std::vector<std::uint64_t> tasks(run.platform.nodes.size(), 0), received(tasks);
  for (NodeId const node : view.home)
    if (node.valid()) ++tasks[node.index()];
  for (DataFlow::Message const& m : flow.messages) ++received[m.to.index()];
  bool estimate = run.platform.network.estimate && tasks.size() > 1;
  for (std::uint32_t n = 0; n < tasks.size(); ++n) {
    NodeType const& type = run.platform.type_of(NodeId{n});
    std::string const at = fmt::format("/nodes/{}", n);
    estimate = estimate || type.estimate || run.models[run.platform.nodes[n]].estimate;
    out[at + "/id"].value = n;
    out[at + "/type"].value = type.name;
    out[at + "/workers"].value = view.machine.workers(NodeId{n}).size();
    out[at + "/tasks"].value = tasks[n];
    out[at + "/tiles_received"].value = received[n];
  }
  out["/estimate"].value = estimate;
}

}  // namespace factosim::audit
