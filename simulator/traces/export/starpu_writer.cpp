#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/base/core/plain_names.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/base/os/text_file.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

constexpr double ms = 1e3;  // milliseconds per second, the unit of StarPU's dates

/// Returns StarPU's name of an access: "R", "W", "RW".
char const* starpu_mode(Access mode) {
  constexpr char const* names[] = {"", "R", "W", "RW"};
  return names[static_cast<std::size_t>(mode)];
}

/// Returns a name as a field of a line of StarPU's files.
std::string starpu_name(std::string_view name) { return name_in_line(name, "\","); }

/// Addresses by which StarPU identifies handles, the same on all nodes: those of the source, or, where these are the same
/// for different handles (nodes that run the same program), the numbers of the handles from 1. [handles]
std::vector<std::uint64_t> addresses_of(Trace const& trace) {
  std::vector<std::uint64_t> numbers(trace.handles.size()), own;
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
  for (std::size_t h = 0; h < trace.handles.size(); ++h)
    own.push_back(trace.handles[h].address > 0 ? trace.handles[h].address : numbers[h]);
  return std::set(own.begin(), own.end()).size() == own.size() ? own : numbers;
}

/// [things] number of each within its node.
template <class Things>
std::vector<std::uint32_t> numbers_on_nodes(Things const& things, std::size_t nodes) {
  std::vector<std::uint32_t> count(nodes), out;
  for (auto const& thing : things) out.push_back(count[thing.node.index()]++);
  return out;
}

/// Returns the value of a task; 0 where the source does not record it for any.
template <class Value>
Value value_of(std::vector<Value> const& values, TaskId t) {
  return values.empty() ? Value{} : values[t.index()];
}

/// Writes the records of tasks, data and messages.
class RecordsText {
 public:
  explicit RecordsText(Trace const& trace)
      : trace_(trace),
        parallel_(trace.nodes.size() > 1),
        own_tags_(std::ranges::all_of(trace.handles, [](Trace::Handle const& h) { return h.tag >= 0; })),
        address_(addresses_of(trace)),
        worker_number_(numbers_on_nodes(trace.workers, trace.nodes.size())),
        memory_number_(numbers_on_nodes(trace.memory_nodes, trace.nodes.size())) {
    for (Kernel const& k : trace.kernels) kernel_.push_back(starpu_name(k.name));
  }

  void write_tasks(TextFile& out) const {
    for (Trace::WontUse const& hint : trace_.wont_use) {
      out.put("Control: WontUse\nJobId: {}\nSubmitOrder: {}\n", hint.job, hint.submit_order);
      date(out, "SubmitTime", hint.submit_s);
      out.put("Handles: {:x}\nMPIRank: {}\n\n", address_[hint.handle.index()], rank(hint.node));
    }
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) write_task(out, TaskId{t});
  }

  /// One record per node that knows the handle, as each rank of StarPU writes its own.
  void write_data(TextFile& out) const {
    auto const nodes = nodes_of_handles();
    for (std::uint32_t h = 0; h < trace_.handles.size(); ++h)
      for (NodeId const node : nodes[h]) write_handle(out, HandleId{h}, node);
  }

  void write_messages(TextFile& out) const {
    for (Trace::Message const& m : trace_.messages) {
      out.put("Src: {}\nDst: {}\n", m.from.value(), m.to.value());
      if (m.handle.valid()) out.put("Tag: {}\n", mpi_tag(m.handle));
      out.put("SendTime: {:.9f}\nRecvTime: {:.9f}\n", m.start_s * ms, m.end_s * ms);
      if (m.handle.valid()) out.put("SendHandle: {0:x}\nRecvHandle: {0:x}\n", address_[m.handle.index()]);
      if (m.producer.valid()) out.put("SendJobId: {}\n", job(m.producer));
      if (m.consumer.valid()) out.put("RecvJobId: {}\n", job(m.consumer));
      if (m.size.value >= 0) out.put("Size: {}\n", m.size.value);
      out.put_text("\n");
    }
  }

 private:
  /// MPI tag, which identifies a handle between nodes: that of the source, or a number where the source has
  /// tags of some handles only.
  [[nodiscard]] std::int64_t mpi_tag(HandleId h) const {
    return own_tags_ ? trace_.handles[h.index()].tag : h.value();
  }
  /// MPI rank, or -1 if there is only one node.
  [[nodiscard]] int rank(NodeId node) const { return parallel_ ? static_cast<int>(node.value()) : -1; }

  /// Node that executed the task; the first node if unknown.
  [[nodiscard]] NodeId node_of(TaskId t) const {
    NodeId const node = trace_.node_of(t);
    return node.valid() ? node : NodeId{0};
  }
  /// Returns a number of the source; the position in the trace where it records none.
  [[nodiscard]] static std::uint32_t number(std::vector<std::uint32_t> const& values, TaskId t) {
    std::uint32_t const own = value_of(values, t);
    return own > 0 ? own : t.value() + 1;
  }
  /// "0_17"; of a single node "17".
  [[nodiscard]] std::string job(TaskId t) const {
    std::string const own = std::to_string(number(trace_.job, t));
    return parallel_ ? fmt::format("{}_{}", node_of(t).value(), own) : own;
  }

  void write_task(TextFile& out, TaskId t) const {
    out.put("Name: {0}\nModel: {0}\nJobId: {1}\nSubmitOrder: {2}\nPriority: {3}\n",
            kernel_[trace_.kernel[t.index()]], job(t), number(trace_.submit_order, t),
            value_of(trace_.priority, t));
    if (auto const before = trace_.predecessors_of(t); !before.empty()) {
      list(out, "DependsOn:", before, [&](TaskId p) { return job(p); });
      list(out, "DepLabels:", before, [](TaskId /*any*/) { return "task"; });
    }
    out.put("Tag: {:x}\n", value_of(trace_.tag, t));
    if (WorkerId const w = trace_.worker[t.index()]; w.valid()) {
      out.put("WorkerId: {}\n", worker_number_[w.index()]);
      if (MemoryNodeId const m = trace_.workers[w.index()].memory; m.valid())
        out.put("MemoryNode: {}\n", memory_number_[m.index()]);
    }
    date(out, "SubmitTime", trace_.submit_s[t.index()]);
    date(out, "StartTime", trace_.start_s[t.index()]);
    date(out, "EndTime", trace_.end_s[t.index()]);
    out.put("Footprint: {:x}\n", value_of(trace_.footprint, t));
    if (double const gflop = value_of(trace_.flops, t) / 1e9; gflop > 0) out.put("GFlop: {:.6f}\n", gflop);
    if (!trace_.indices.empty() && trace_.indices[t.index()].k >= 0)
      out.put("Iteration: {}\n", trace_.indices[t.index()].k);
    write_accesses(out, trace_.accesses_of(t));
    out.put("MPIRank: {}\n\n", rank(node_of(t)));
  }

  static void date(TextFile& out, std::string_view key, double seconds) {
    if (!std::isnan(seconds)) out.put("{}: {:.6f}\n", key, seconds * ms);
  }

  void write_accesses(TextFile& out, std::span<DataAccess const> accesses) const {
    if (accesses.empty()) return;
    auto const handle = [&](DataAccess a) -> Trace::Handle const& {
      return trace_.handles[a.handle().index()];
    };
    list(out, "Parameters:", accesses,
         [&](DataAccess a) { return handle(a).shape.empty() ? "0" : name_in_line(handle(a).shape, " \","); });
    list(out, "Handles:", accesses,
         [&](DataAccess a) { return fmt::format("{:x}", address_[a.handle().index()]); });
    list(out, "Modes:", accesses, [&](DataAccess a) { return starpu_mode(a.mode()); });
    list(out, "Sizes:", accesses,
         [&](DataAccess a) { return std::max<std::int64_t>(handle(a).size.value, 0); });
  }

  static void list(TextFile& out, char const* key, auto const& values, auto const& text_of) {
    out.put_text(key);
    for (auto const value : values) out.put(" {}", text_of(value));
    out.put_text("\n");
  }

  /// [handles][nodes] nodes that know each handle: its owner first, then the nodes whose tasks access it,
  /// ascending. O(accesses log).
  [[nodiscard]] std::vector<std::vector<NodeId>> nodes_of_handles() const {
    std::vector<std::set<NodeId>> users(trace_.handles.size());
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      for (DataAccess const a : trace_.accesses_of(TaskId{t}))
        users[a.handle().index()].insert(node_of(TaskId{t}));
    std::vector<std::vector<NodeId>> out(trace_.handles.size());
    for (std::size_t h = 0; h < out.size(); ++h) {
      NodeId const owner = trace_.handles[h].owner;
      if (owner.valid()) out[h].push_back(owner);
      for (NodeId const user : users[h])
        if (user != owner) out[h].push_back(user);
      if (out[h].empty()) out[h].emplace_back(0);
    }
    return out;
  }

  void write_handle(TextFile& out, HandleId h, NodeId node) const {
    Trace::Handle const& handle = trace_.handles[h.index()];
    bool const home = !handle.owner.valid() || handle.owner == node;
    out.put("Handle: {:x}\nHomeNode: {}\n", address_[h.index()], home ? 0 : -1);
    if (parallel_) out.put("MPIRank: {}\n", node.value());
    if (handle.size.value >= 0) out.put("Size: {}\n", handle.size.value);
    if (!handle.shape.empty()) out.put("Description: {}\n", starpu_name(handle.shape));
    if (handle.m >= 0 && handle.n >= 0)
      out.put("Coordinates: {} {}\n", handle.m, handle.n);
    else if (handle.m >= 0)
      out.put("Coordinates: {}\n", handle.m);
    if (parallel_ && handle.owner.valid()) out.put("MPIOwner: {}\n", handle.owner.value());
    if (parallel_) out.put("MPITag: {}\n", mpi_tag(h));
    out.put_text("\n");
  }

  Trace const& trace_;
  bool parallel_;  // several nodes
  bool own_tags_;  // the tags of the source identify the handles
  std::vector<std::uint64_t> address_;
  std::vector<std::uint32_t> worker_number_, memory_number_;  // [workers], [memory nodes] within their nodes
  std::vector<std::string> kernel_;                           // [kernels] names as fields of a line
};

/// [workers] architecture: "cpu0" for all cores, "cuda1" for the second GPU of a node.
std::vector<std::string> architectures(Trace const& trace) {
  std::vector<std::string> out;
  std::map<std::pair<NodeId, MemoryNodeId>, std::size_t> gpus;  // workers that share a memory are one GPU
  std::map<NodeId, std::size_t> gpus_of_node;
  for (Trace::Worker const& w : trace.workers) {
    if (w.device == Trace::Device::cpu) {
      out.emplace_back("cpu0");
      continue;
    }
    auto const [place, is_new] = gpus.try_emplace({w.node, w.memory}, gpus_of_node[w.node]);
    if (is_new || !w.memory.valid()) place->second = gpus_of_node[w.node]++;
    out.push_back("cuda" + std::to_string(place->second));
  }
  return out;
}

void write_machine(TextFile& out, Trace const& trace, std::vector<std::string> const& architecture) {
  std::map<std::string, std::size_t> workers;
  std::map<MemoryNodeId, std::string> by_memory;
  std::size_t number = 0;
  for (std::size_t w = 0; w < trace.workers.size(); ++w) {
    if (trace.workers[w].node != NodeId{0}) continue;
    ++workers[architecture[w]];
    by_memory[trace.workers[w].memory] += " " + std::to_string(number++);
  }
  out.put_text("%rec: worker_count\n\n");
  for (auto const& [name, count] : workers) out.put("Architecture: {}\nNbWorkers: {}\n\n", name, count);
  out.put_text("%rec: memory_workers\n\n");
  number = 0;
  for (std::size_t m = 0; m < trace.memory_nodes.size(); ++m) {
    if (trace.memory_nodes[m].node != NodeId{0}) continue;
    out.put("MemoryNode: {}\nName: {}\nSize: 0\nWorkers:{}\n\n", number++,
            starpu_name(trace.memory_nodes[m].name), by_memory[MemoryNodeId{m}]);
  }
  out.put_text("%rec: memory_performance\n\n");
}

/// Writes the output of starpu_perfmodel_recdump for a machine and its kernels as measured in the trace:
/// workers and memory nodes of the first node; mean, deviation and count for each kernel, footprint and
/// architecture (all cores together, each GPU separately), over all nodes of its type. Times in us.
void write_platform(TextFile& out, Trace const& trace) {
  std::vector<std::string> const architecture = architectures(trace);
  write_machine(out, trace, architecture);
  struct Timing {
    std::int64_t size = 0;
    double flops = 0;
    std::vector<double> microseconds;
  };
  std::map<std::tuple<std::uint16_t, std::string, std::uint32_t>, Timing> timings;
  for (std::size_t t = 0; t < trace.task_count(); ++t) {
    WorkerId const w = trace.worker[t];
    if (!w.valid() || std::isnan(trace.end_s[t] - trace.start_s[t])) continue;
    if (trace.nodes[trace.workers[w.index()].node.index()].type != trace.nodes.front().type) continue;
    std::uint32_t const footprint = trace.footprint.empty() ? 0 : trace.footprint[t];
    Timing& timing = timings[{trace.kernel[t], architecture[w.index()], footprint}];
    if (timing.microseconds.empty()) {
      for (DataAccess const& access : trace.accesses_of(TaskId{t}))
        timing.size += std::max<std::int64_t>(trace.handles[access.handle().index()].size.value, 0);
      timing.flops = trace.flops.empty() ? 0 : trace.flops[t];
    }
    timing.microseconds.push_back((trace.end_s[t] - trace.start_s[t]) * 1e6);
  }
  out.put_text("%rec: timing\n\n");
  for (auto& [key, timing] : timings) {
    auto const& [kernel, where, footprint] = key;
    SampleSummary const s = summarize(std::move(timing.microseconds));
    out.put(
        "Model: {}\nArchitecture: {}\nFootprint: {:08x}\nSize: {}\nFlops: {:e}\nMean: {:e}\nStddev: {:e}\n"
        "Samples: {}\n\n",
        starpu_name(trace.kernels[kernel].name), where, footprint, timing.size, timing.flops, s.mean,
        s.deviation, s.count);
  }
}

void write_starpu(std::filesystem::path const& folder, Trace const& trace) {
  RecordsText const records(trace);
  std::deque<TextFile> files;
  records.write_tasks(files.emplace_back(folder / "tasks.rec"));
  write_platform(files.emplace_back(folder / "platform_file.rec"), trace);
  if (!trace.handles.empty()) records.write_data(files.emplace_back(folder / "data.rec"));
  if (trace.nodes.size() > 1) records.write_messages(files.emplace_back(folder / "comms.rec"));
  for (TextFile& file : files) file.commit();
}

}  // namespace

/// A folder in the format of StarPU's tools, times in ms to the nanosecond:
/// - `tasks.rec`, with the known fields; input of starpu_replay and pmtool;
/// - `data.rec` if the trace has handles; `comms.rec` if it has several nodes;
/// - `platform_file.rec`, as starpu_perfmodel_recdump writes it: the workers of the first node, and mean,
///   deviation and count of the kernels on it and on nodes of its type.
/// `DependsOn` includes dependencies between nodes, which StarPU itself omits. The files appear together or
/// not at all. Takes 8 bytes of memory per task.
TraceFormat const starpu_format{"starpu", "starpu", true, write_starpu,
                                "folder with StarPU's tasks.rec; read and written"};

}  // namespace factosim
