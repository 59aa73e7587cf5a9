#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/os/text_file.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Milliseconds per second, the unit of the tables of StarPU and StarVZ.
inline constexpr double ms = 1e3;

/// Sum of the known sizes of the task's data.
[[nodiscard]] std::int64_t bytes_of_task(Trace const& trace, TaskId task);

/// Returns StarPU's name of an access: "R", "W", "RW".
[[nodiscard]] char const* starpu_mode(Access mode);

/// Names of the objects of a trace in StarPU and StarVZ, and fields of StarPU's task records, common to
/// `tasks.rec` and StarVZ's CSV.
class StarpuFields {
 public:
  /// With `ranks`, every name begins with its node's number, even for a single node.
  StarpuFields(Trace const& trace, bool ranks);

  /// "0_", or nothing.
  [[nodiscard]] std::string prefix(NodeId node) const;
  /// "0_CPU3", "0_CUDA1_0"; without ranks "CPU3".
  [[nodiscard]] std::string const& worker(WorkerId w) const { return worker_[w.index()]; }
  /// Within its node.
  [[nodiscard]] std::uint32_t worker_number(WorkerId w) const { return worker_number_[w.index()]; }
  [[nodiscard]] std::uint32_t memory_number(MemoryNodeId m) const { return memory_number_[m.index()]; }
  [[nodiscard]] std::string memory_manager(MemoryNodeId m) const;
  /// Address by which StarPU identifies a handle: the source's address, or the handle's number from 1. All
  /// nodes have the same ones.
  [[nodiscard]] std::uint64_t address(HandleId h) const;
  /// MPI tag, which identifies a handle between nodes: that of the source, or a number where the source has
  /// tags of some handles only. Negative: a run on one node has none.
  [[nodiscard]] std::int64_t mpi_tag(HandleId h) const;
  /// MPI rank, or -1 if there is only one node.
  [[nodiscard]] int rank(NodeId node) const {
    return trace_.nodes.size() > 1 ? static_cast<int>(node.value()) : -1;
  }

  /// "0_17"; without ranks "17". Tasks without a number of their own are numbered in trace order.
  [[nodiscard]] std::string job(TaskId t) const;
  /// Node that executed the task; the first node if unknown.
  [[nodiscard]] NodeId node_of(TaskId t) const;
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

  // Writes `before` and a list, with one item per predecessor or access.
  void put_predecessors(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_shapes(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_handles(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_modes(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_sizes(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;

 private:
  /// `values`: [tasks]; empty: 0 for all.
  template <class Value>
  static Value value_of(std::vector<Value> const& values, TaskId t) {
    return values.empty() ? Value{} : values[t.index()];
  }
  [[nodiscard]] Trace::Handle const& handle(DataAccess a) const { return trace_.handles[a.handle().index()]; }

  Trace const& trace_;
  bool ranks_;
  bool own_tags_, own_addresses_;             // whether those of the source identify the handles
  std::vector<std::string> kernel_;           // [kernels]
  std::vector<std::string> worker_;           // [workers]
  std::vector<std::uint32_t> worker_number_;  // [workers]
  std::vector<std::uint32_t> memory_number_;  // [memory nodes]
};

/// Returns a name as a field of a line of StarPU's or StarVZ's files.
[[nodiscard]] std::string starpu_name(std::string_view name);

/// Writes the output of starpu_perfmodel_recdump for a machine and its kernels as measured in the trace:
/// workers and memory nodes of the first node; mean, deviation and count for each kernel, footprint and
/// architecture (all cores together, each GPU separately), over all nodes of its type. Times in us.
void write_starpu_platform(TextFile& out, Trace const& trace);

}  // namespace factosim
