#include <fmt/format.h>

#include <algorithm>

#include "simulator/audit/rules/checks.hpp"
#include "simulator/audit/rules/expected_result.hpp"
#include "simulator/audit/rules/gpu_time.hpp"

namespace factosim::audit {

namespace {

struct NodeSums {
  double busy = 0, busy_energy = 0, first = 0, last = 0, last_send = 0;
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
      node.busy_energy += gpu_time.drawn_s(t) * view_.on_worker(t).busy_W;
      ++node.tasks;
      ++node.by_worker[gpu ? view_.worker(t).name : "cpu"];
      makespan_ = std::max(makespan_, end);
    }
    out_["/tasks"].value = ran_;
    for (auto const& [name, count] : by_kernel) out_["/tasks_by_kernel/" + name].value = count;
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
        out_[fmt::format("{}/tasks_by_worker/{}", at, worker)].value = count;
      out_[at + "/busy_s"].value = sums.busy;
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

void expect_from_trace(RunView const& view, ExpectedResult& out) { TraceSums(view, out).expect(); }

}  // namespace factosim::audit
