#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/os/text_file.hpp"
#include "simulator/trace/export/starpu_names.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// Milliseconds per second, the unit of the tables of StarPU and StarVZ.
inline constexpr double ms = 1e3;

/// Sum of the known sizes of the task's data.
[[nodiscard]] std::int64_t bytes_of_task(Trace const& trace, TaskId task);

/// Fields of StarPU's task records, common to `tasks.rec` and StarVZ's CSV.
class StarpuFields {
 public:
  StarpuFields(Trace const& trace, StarpuNames const& names) : trace_(trace), names_(names) {}

  [[nodiscard]] std::string_view kernel(TaskId t) const {
    return trace_.kernels[trace_.kernel[t.index()]].name;
  }
  /// Submission order within the node, from 1; position in the trace if the source does not record it.
  [[nodiscard]] std::uint32_t submit_order(TaskId t) const {
    std::uint32_t const own = trace_.submit_order.empty() ? 0 : trace_.submit_order[t.index()];
    return own > 0 ? own : t.value() + 1;
  }
  [[nodiscard]] std::uint64_t tag(TaskId t) const { return trace_.tag.empty() ? 0 : trace_.tag[t.index()]; }
  [[nodiscard]] std::uint32_t footprint(TaskId t) const {
    return trace_.footprint.empty() ? 0 : trace_.footprint[t.index()];
  }
  [[nodiscard]] std::int32_t priority(TaskId t) const {
    return trace_.priority.empty() ? 0 : trace_.priority[t.index()];
  }
  /// Operations of that task in 1e9; 0: unknown.
  [[nodiscard]] double gflop(TaskId t) const {
    return trace_.flops.empty() ? 0 : trace_.flops[t.index()] / 1e9;
  }
  /// Iteration of the factorization; negative: unknown.
  [[nodiscard]] std::int32_t iteration(TaskId t) const {
    return trace_.indices.empty() ? -1 : trace_.indices[t.index()].k;
  }
  /// MPI rank, or -1 if there is only one node.
  [[nodiscard]] int rank(NodeId node) const {
    return trace_.nodes.size() > 1 ? static_cast<int>(node.value()) : -1;
  }

  /// [handles][nodes] nodes that know each handle: its owner first, then the nodes whose tasks access it,
  /// ascending. O(accesses + handles x nodes).
  [[nodiscard]] std::vector<std::vector<NodeId>> nodes_of_handles() const;

  // Writes lists: `before` precedes each item, with one item per predecessor or access.
  void put_predecessors(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_shapes(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_handles(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_modes(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;
  void put_sizes(TextFile& out, TaskId t, std::string_view before, std::string_view between) const;

 private:
  [[nodiscard]] Trace::Handle const& handle(DataAccess a) const { return trace_.handles[a.handle().index()]; }

  Trace const& trace_;
  StarpuNames const& names_;
};

}  // namespace factosim
