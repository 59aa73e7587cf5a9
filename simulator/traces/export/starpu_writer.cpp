#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
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

/// Sum of the known sizes of the task's data.
std::int64_t bytes_of_task(Trace const& trace, TaskId task) {
  std::int64_t size = 0;
  for (DataAccess const& access : trace.accesses_of(task))
    size += std::max<std::int64_t>(trace.handles[access.handle().index()].size.value, 0);
  return size;
}

/// Returns the address in the source; the number of the handle, from 1, if that has none.
std::uint64_t own_address(Trace const& trace, std::size_t handle) {
  std::uint64_t const address = trace.handles[handle].address;
  return address > 0 ? address : handle + std::uint64_t{1};
}

/// Nodes that run the same program may give the same address to different handles.
bool have_addresses(Trace const& trace) {
  std::vector<std::uint64_t> addresses;
  for (std::size_t h = 0; h < trace.handles.size(); ++h) addresses.push_back(own_address(trace, h));
  std::sort(addresses.begin(), addresses.end());
  return std::adjacent_find(addresses.begin(), addresses.end()) == addresses.end();
}

bool have_tags(Trace const& trace) {
  return trace.nodes.size() == 1 || std::all_of(trace.handles.begin(), trace.handles.end(),
                                                [](Trace::Handle const& h) { return h.tag >= 0; });
}

/// [things] number of each within its node.
template <class Things>
std::vector<std::uint32_t> numbers_on_nodes(Things const& things, std::size_t nodes) {
  std::vector<std::uint32_t> count(nodes), out;
  for (auto const& thing : things) out.push_back(count[thing.node.index()]++);
  return out;
}

/// Names of the objects of a trace in StarPU, and fields of its task records.
class StarpuFields {
 public:
  explicit StarpuFields(Trace const& trace)
      : trace_(trace),
        own_tags_(have_tags(trace)),
        own_addresses_(have_addresses(trace)),
        worker_number_(numbers_on_nodes(trace.workers, trace.nodes.size())),
        memory_number_(numbers_on_nodes(trace.memory_nodes, trace.nodes.size())) {
    for (Kernel const& k : trace.kernels) kernel_.push_back(starpu_name(k.name));
  }

  /// Within its node.
  [[nodiscard]] std::uint32_t worker_number(WorkerId w) const { return worker_number_[w.index()]; }
  [[nodiscard]] std::uint32_t memory_number(MemoryNodeId m) const { return memory_number_[m.index()]; }
  /// Address by which StarPU identifies a handle: the source's address, or the handle's number from 1. All
  /// nodes have the same ones.
  [[nodiscard]] std::uint64_t address(HandleId h) const {
    return own_addresses_ ? own_address(trace_, h.index()) : h.value() + std::uint64_t{1};
  }
  /// MPI tag, which identifies a handle between nodes: that of the source, or a number where the source has
  /// tags of some handles only. Negative: a run on one node has none.
  [[nodiscard]] std::int64_t mpi_tag(HandleId h) const {
    return own_tags_ ? trace_.handles[h.index()].tag : h.value();
  }
  /// MPI rank, or -1 if there is only one node.
  [[nodiscard]] int rank(NodeId node) const {
    return trace_.nodes.size() > 1 ? static_cast<int>(node.value()) : -1;
  }

  /// "0_17"; of a single node "17". Tasks without a number of their own are numbered in trace order.
  [[nodiscard]] std::string job(TaskId t) const {
    std::uint32_t const own = value_of(trace_.job, t);
    std::string const number = std::to_string(own > 0 ? own : t.value() + 1);
    return trace_.nodes.size() > 1 ? fmt::format("{}_{}", node_of(t).value(), number) : number;
  }
  /// Node that executed the task; the first node if unknown.
  [[nodiscard]] NodeId node_of(TaskId t) const {
    NodeId const node = trace_.node_of(t);
    return node.valid() ? node : NodeId{0};
  }
  /// As a field of a line.
  [[nodiscard]] std::string const& kernel(TaskId t) const { return kernel_[trace_.kernel[t.index()]]; }
  /// Submission order within the node, from 1; position in the trace if the source does not record it.
  [[nodiscard]] std::uint32_t submit_order(TaskId t) const {
    std::uint32_t const own = value_of(trace_.submit_order, t);
    return own > 0 ? own : t.value() + 1;
  }
  [[nodiscard]] std::uint64_t tag(TaskId t) const { return value_of(trace_.tag, t); }
  [[nodiscard]] std::uint32_t footprint(TaskId t) const { return value_of(trace_.footprint, t); }
  [[nodiscard]] std::int32_t priority(TaskId t) const { return value_of(trace_.priority, t); }
  /// Operations of that task in 1e9; 0: unknown.
  [[nodiscard]] double gflop(TaskId t) const { return value_of(trace_.flops, t) / 1e9; }
  /// Iteration of the factorization; negative: unknown.
  [[nodiscard]] std::int32_t iteration(TaskId t) const {
    return trace_.indices.empty() ? -1 : trace_.indices[t.index()].k;
  }

  /// [handles][nodes] nodes that know each handle: its owner first, then the nodes whose tasks access it,
  /// ascending. O(accesses + handles x nodes).
  [[nodiscard]] std::vector<std::vector<NodeId>> nodes_of_handles() const;

 private:
  /// `values`: [tasks]; empty: 0 for all.
  template <class Value>
  static Value value_of(std::vector<Value> const& values, TaskId t) {
    return values.empty() ? Value{} : values[t.index()];
  }

  Trace const& trace_;
  bool own_tags_, own_addresses_;  // whether those of the source identify the handles
  std::vector<std::uint32_t> worker_number_, memory_number_;  // [workers], [memory nodes]
  std::vector<std::string> kernel_;                           // [kernels]
};

std::vector<std::vector<NodeId>> StarpuFields::nodes_of_handles() const {
  std::size_t const nodes = trace_.nodes.size();
  std::vector<bool> used(trace_.handles.size() * nodes, false);
  for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
    for (DataAccess const a : trace_.accesses_of(TaskId{t}))
      used[a.handle().index() * nodes + node_of(TaskId{t}).index()] = true;
  std::vector<std::vector<NodeId>> out(trace_.handles.size());
  for (std::size_t h = 0; h < out.size(); ++h) {
    NodeId const owner = trace_.handles[h].owner;
    if (owner.valid()) out[h].push_back(owner);
    for (std::uint32_t n = 0; n < nodes; ++n)
      if (used[h * nodes + n] && NodeId{n} != owner) out[h].emplace_back(n);
    if (out[h].empty()) out[h].emplace_back(0);
  }
  return out;
}

class TasksText {
 public:
  TasksText(TextFile& out, Trace const& trace, StarpuFields const& fields)
      : out_(out), trace_(trace), fields_(fields) {}

  void write() {
    for (Trace::WontUse const& hint : trace_.wont_use) hint_record(hint);
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) task(TaskId{t});
  }

 private:
  void hint_record(Trace::WontUse const& hint) {
    out_.put("Control: WontUse\nJobId: {}\nSubmitOrder: {}\n", hint.job, hint.submit_order);
    date("SubmitTime", hint.submit_s);
    out_.put("Handles: {:x}\nMPIRank: {}\n\n", fields_.address(hint.handle), fields_.rank(hint.node));
  }

  void task(TaskId t) {
    out_.put("Name: {0}\nModel: {0}\nJobId: {1}\nSubmitOrder: {2}\nPriority: {3}\n", fields_.kernel(t),
             fields_.job(t), fields_.submit_order(t), fields_.priority(t));
    dependencies(t);
    out_.put("Tag: {:x}\n", fields_.tag(t));
    place_and_times(t);
    out_.put("Footprint: {:x}\n", fields_.footprint(t));
    if (fields_.gflop(t) > 0) out_.put("GFlop: {:.6f}\n", fields_.gflop(t));
    if (fields_.iteration(t) >= 0) out_.put("Iteration: {}\n", fields_.iteration(t));
    accesses(t);
    out_.put("MPIRank: {}\n\n", fields_.rank(fields_.node_of(t)));
  }

  void dependencies(TaskId t) {
    std::size_t const count = trace_.predecessors_of(t).size();
    if (count == 0) return;
    list("DependsOn:", trace_.predecessors_of(t), [&](TaskId p) { return fields_.job(p); });
    out_.put_text("DepLabels:");
    for (std::size_t i = 0; i < count; ++i) out_.put_text(" task");
    out_.put_text("\n");
  }

  void place_and_times(TaskId t) {
    WorkerId const w = trace_.worker[t.index()];
    if (w.valid()) {
      out_.put("WorkerId: {}\n", fields_.worker_number(w));
      if (MemoryNodeId const m = trace_.workers[w.index()].memory; m.valid())
        out_.put("MemoryNode: {}\n", fields_.memory_number(m));
    }
    date("SubmitTime", trace_.submit_s[t.index()]);
    date("StartTime", trace_.start_s[t.index()]);
    date("EndTime", trace_.end_s[t.index()]);
  }

  void date(std::string_view key, double seconds) {
    if (!std::isnan(seconds)) out_.put("{}: {:.6f}\n", key, seconds * ms);
  }

  void accesses(TaskId t) {
    if (trace_.accesses_of(t).empty()) return;
    auto const accesses = trace_.accesses_of(t);
    auto const handle = [&](DataAccess a) -> Trace::Handle const& {
      return trace_.handles[a.handle().index()];
    };
    list("Parameters:", accesses,
         [&](DataAccess a) { return handle(a).shape.empty() ? "0" : name_in_line(handle(a).shape, " \","); });
    list("Handles:", accesses,
         [&](DataAccess a) { return fmt::format("{:x}", fields_.address(a.handle())); });
    list("Modes:", accesses, [&](DataAccess a) { return starpu_mode(a.mode()); });
    list("Sizes:", accesses, [&](DataAccess a) { return std::max<std::int64_t>(handle(a).size.value, 0); });
  }

  template <class Values, class TextOf>
  void list(char const* key, Values const& values, TextOf const& text_of) {
    out_.put_text(key);
    for (auto const value : values) out_.put(" {}", text_of(value));
    out_.put_text("\n");
  }

  TextFile& out_;
  Trace const& trace_;
  StarpuFields const& fields_;
};

void write_handle(TextFile& out, Trace const& trace, StarpuFields const& fields, HandleId h, NodeId node) {
  Trace::Handle const& handle = trace.handles[h.index()];
  bool const parallel = trace.nodes.size() > 1;
  bool const home = !handle.owner.valid() || handle.owner == node;
  out.put("Handle: {:x}\nHomeNode: {}\n", fields.address(h), home ? 0 : -1);
  if (parallel) out.put("MPIRank: {}\n", node.value());
  if (handle.size.value >= 0) out.put("Size: {}\n", handle.size.value);
  if (!handle.shape.empty()) out.put("Description: {}\n", starpu_name(handle.shape));
  if (handle.m >= 0 && handle.n >= 0)
    out.put("Coordinates: {} {}\n", handle.m, handle.n);
  else if (handle.m >= 0)
    out.put("Coordinates: {}\n", handle.m);
  if (parallel && handle.owner.valid()) out.put("MPIOwner: {}\n", handle.owner.value());
  if (parallel) out.put("MPITag: {}\n", fields.mpi_tag(h));
  out.put_text("\n");
}

/// One record per node that knows the handle, as each rank of StarPU writes its own.
void write_data(TextFile& out, Trace const& trace, StarpuFields const& fields) {
  auto const nodes = fields.nodes_of_handles();
  for (std::uint32_t h = 0; h < trace.handles.size(); ++h)
    for (NodeId const node : nodes[h]) write_handle(out, trace, fields, HandleId{h}, node);
}

void write_messages(TextFile& out, Trace const& trace, StarpuFields const& fields) {
  for (Trace::Message const& m : trace.messages) {
    out.put("Src: {}\nDst: {}\n", m.from.value(), m.to.value());
    if (m.handle.valid()) out.put("Tag: {}\n", fields.mpi_tag(m.handle));
    out.put("SendTime: {:.9f}\nRecvTime: {:.9f}\n", m.start_s * ms, m.end_s * ms);
    if (m.handle.valid()) out.put("SendHandle: {0:x}\nRecvHandle: {0:x}\n", fields.address(m.handle));
    if (m.producer.valid()) out.put("SendJobId: {}\n", fields.job(m.producer));
    if (m.consumer.valid()) out.put("RecvJobId: {}\n", fields.job(m.consumer));
    if (m.size.value >= 0) out.put("Size: {}\n", m.size.value);
    out.put_text("\n");
  }
}

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
      timing.size = bytes_of_task(trace, TaskId{t});
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
  StarpuFields const fields(trace);
  TextFile tasks(folder / "tasks.rec");
  TasksText(tasks, trace, fields).write();
  TextFile platform(folder / "platform_file.rec");
  write_platform(platform, trace);
  std::unique_ptr<TextFile> data, messages;
  if (!trace.handles.empty()) {
    data = std::make_unique<TextFile>(folder / "data.rec");
    write_data(*data, trace, fields);
  }
  if (trace.nodes.size() > 1) {
    messages = std::make_unique<TextFile>(folder / "comms.rec");
    write_messages(*messages, trace, fields);
  }
  tasks.commit();
  platform.commit();
  if (data) data->commit();
  if (messages) messages->commit();
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
