#include "simulator/audit/rules/expected_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

/// A message in the simulator's bound may take that many ticks less than alone on its route.
constexpr double ticks_per_message = 16;

std::string pointer(std::string const& group, std::string const& name) {
  return (nlohmann::json::json_pointer(group) / name).to_string();
}

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
  std::ranges::sort(edges, {}, [](DataFlow::Edge const& e) { return std::pair(e.before, e.after); });
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

struct NodeSums {
  double busy = 0, gpu_busy = 0, busy_energy = 0, first = 0, last = 0, last_send = 0;
  std::uint64_t tasks = 0, sent = 0, received = 0;
  std::int64_t disk_read = 0, disk_written = 0;    // bytes
  std::map<std::string, std::uint64_t> by_worker;  // each GPU, and all cores as "cpu"
};

class TraceSums {
 public:
  TraceSums(RunView const& view, ExpectedResult& out) : view_(view), trace_(*view.run.trace), out_(out) {
    nodes_.resize(view.run.platform.nodes.size());
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      for (auto const& w : view.machine.workers(NodeId{n})) nodes_[n].by_worker[w.gpu ? w.name : "cpu"] += 0;
  }

  void expect() {
    sum_tasks();
    sum_messages();
    sum_copies();
    expect_nodes();
    expect_memory();
    expect_energy();
  }

 private:
  void sum_tasks() {
    std::map<std::string, std::uint64_t> by_kernel;
    for (Kernel const& kernel : trace_.kernels) by_kernel[kernel.name] += 0;
    GpuTime const gpu_time(view_);
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!view_.ran(t)) continue;
      ++by_kernel[trace_.kernels[trace_.kernel[t]].name];
      ++ran_;
      NodeSums& node = nodes_[view_.node(t).index()];
      double const start = view_.start_s(t), end = view_.end_s(t);
      node.first = node.tasks == 0 ? start : std::min(node.first, start);
      node.last = std::max(node.last, end);
      node.busy += end - start;
      bool const gpu = view_.worker(t).device == Trace::Device::gpu;
      if (gpu) node.gpu_busy += end - start;
      node.busy_energy += gpu_time.drawn_s(t) * view_.on_worker(t).busy_W;
      ++node.tasks;
      ++node.by_worker[gpu ? view_.worker(t).name : "cpu"];
      makespan_ = std::max(makespan_, end);
    }
    out_["/tasks"].value = ran_;
    for (auto const& [name, count] : by_kernel) out_[pointer("/tasks_by_kernel", name)].value = count;
    out_["/makespan_s"] = {.value = makespan_, .tolerance = 0};
    if (view_.run.total_flops) out_["/gflops"].value = view_.run.total_flops->value / makespan_ / 1e9;
    expect_utilization();
  }

  void expect_utilization() {
    double busy = 0, before = 0;
    double const horizon = 0.9 * makespan_;
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      if (view_.ran(t)) {
        busy += view_.end_s(t) - view_.start_s(t);
        before += std::max(0.0, std::min(view_.end_s(t), horizon) - view_.start_s(t));
      }
    double const capacity = static_cast<double>(trace_.workers.size()) * makespan_;
    out_["/utilization"].value = capacity > 0 ? busy / capacity : 0.0;
    out_["/utilization_first_90"].value = capacity > 0 ? before / (0.9 * capacity) : 0.0;
  }

  void sum_messages() {
    std::int64_t bytes = 0;
    for (Trace::Message const& m : trace_.messages) {
      bytes += m.size.value;
      NodeSums& from = nodes_[m.from.index()];
      ++from.sent;
      from.last_send = std::max(from.last_send, m.end_s);
      ++nodes_[m.to.index()].received;
    }
    out_["/tiles_sent"].value = trace_.messages.size();
    out_["/bytes_sent"].value = bytes;
  }

  void sum_copies() {
    std::int64_t sums[2][2] = {};  // [from GPU][to GPU]
    for (Trace::Copy const& c : trace_.copies) {
      if (view_.is_disk(c.from) || view_.is_disk(c.to)) {
        NodeSums& node = nodes_[view_.memory_owner(c.from).index()];
        (view_.is_disk(c.from) ? node.disk_read : node.disk_written) += c.size.value;
        continue;
      }
      sums[view_.is_gpu_memory(c.from) ? 1 : 0][view_.is_gpu_memory(c.to) ? 1 : 0] += c.size.value;
    }
    out_["/transfers/h2h_bytes"].value = sums[0][0];
    out_["/transfers/h2d_bytes"].value = sums[0][1];
    out_["/transfers/d2h_bytes"].value = sums[1][0];
    out_["/transfers/d2d_bytes"].value = sums[1][1];
  }

  void expect_nodes() {
    double activity = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      NodeSums const& sums = nodes_[n];
      std::string const at = fmt::format("/nodes/{}", n);
      out_[at + "/tasks"].value = sums.tasks;
      for (auto const& [worker, count] : sums.by_worker)
        out_[pointer(at + "/tasks_by_worker", worker)].value = count;
      out_[at + "/busy_s"].value = sums.busy;
      if (auto const gpus =
              std::ranges::count_if(view_.machine.workers(NodeId{n}), [](auto const& w) { return w.gpu; })) {
        out_[at + "/gpu_busy_s"].value = sums.gpu_busy;
        out_[at + "/gpu_workers"].value = static_cast<std::uint64_t>(gpus);
      }
      out_[at + "/first_task_s"] = {.value = sums.first, .tolerance = 0};
      out_[at + "/last_task_s"] = {.value = sums.last, .tolerance = 0};
      out_[at + "/activity_s"].value = sums.last - sums.first;
      out_[at + "/tiles_sent"].value = sums.sent;
      out_[at + "/tiles_received"].value = sums.received;
      if (view_.run.platform.type_of(NodeId{n}).out_of_core) {
        out_[at + "/disk_read_bytes"].value = sums.disk_read;
        out_[at + "/disk_written_bytes"].value = sums.disk_written;
      }
      activity += sums.last - sums.first;
    }
    out_["/activity_s"].value = activity;
  }

  void expect_memory() {
    std::vector<Peak> const peaks = memory_peaks(view_);
    if (peaks.empty()) return;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      Peak const peak = peaks[view_.ram_of(NodeId{n}).index()];
      if (NodeType const& type = view_.run.platform.type_of(NodeId{n});
          type.out_of_core && type.numa_nodes > 1)
        continue;  // the sum of several memories
      std::int64_t const ram = view_.run.platform.type_of(NodeId{n}).ram.value;
      auto const over = [&](std::int64_t bytes) {
        return ram > 0 ? std::max<std::int64_t>(0, bytes - ram) : 0;
      };
      std::string const at = fmt::format("/nodes/{}", n);
      out_[at + "/peak_memory_bytes"] = {peak.minimum, static_cast<double>(peak.maximum), true};
      out_[at + "/over_memory_bytes"] = {over(peak.minimum), static_cast<double>(over(peak.maximum)), true};
    }
  }

  void expect_energy() {
    Platform const& platform = view_.run.platform;
    for (std::uint32_t const type : platform.nodes)
      if (!platform.types[type].power.known()) return;
    double idle = 0, busy = 0, idle_with_off = 0;
    bool off = false;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      PowerSpec const& power = platform.type_of(NodeId{n}).power;
      NodeSums const& sums = nodes_[n];
      double const on = std::min(makespan_, std::max(sums.last, sums.last_send));
      double const node_idle = power.idle * makespan_;
      double const node_busy = sums.busy_energy;
      double const node_off = power.idle * on + power.off * (makespan_ - on);
      out_[fmt::format("/nodes/{}/energy_J", n)].value = node_idle + node_busy;
      out_[fmt::format("/nodes/{}/energy_with_power_off_J", n)].value = node_off + node_busy;
      idle += node_idle, busy += node_busy, idle_with_off += node_off;
      off = off || on < makespan_;
    }
    out_["/energy/total_J"].value = idle + busy;
    out_["/energy/idle_J"].value = idle;
    out_["/energy/busy_J"].value = busy;
    out_["/energy/total_with_power_off_J"].value = idle_with_off + busy;
    out_["/energy/powered_off_nodes"].value = off;
  }

  RunView const& view_;
  Trace const& trace_;
  ExpectedResult& out_;
  std::vector<NodeSums> nodes_;
  std::uint64_t ran_ = 0;
  double makespan_ = 0;
};

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
  for (auto const& [name, count] : by_kernel) out[pointer("/tasks_by_kernel", name)].value = count;
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
  bool estimate = run.platform.has_estimated_network() && !flow.messages.empty();
  for (std::uint32_t n = 0; n < tasks.size(); ++n) {
    NodeType const& type = run.platform.type_of(NodeId{n});
    std::string const at = fmt::format("/nodes/{}", n);
    estimate = estimate || (tasks[n] > 0 && (type.estimate || run.models[run.platform.nodes[n]].estimate));
    out[at + "/id"].value = n;
    out[at + "/type"].value = type.name;
    out[at + "/workers"].value = view.machine.workers(NodeId{n}).size();
    out[at + "/tasks"].value = tasks[n];
    out[at + "/tiles_received"].value = received[n];
  }
  out["/estimate"].value = estimate;
}

void expect_from_trace(RunView const& view, ExpectedResult& out) { TraceSums(view, out).expect(); }

}  // namespace factosim::audit
