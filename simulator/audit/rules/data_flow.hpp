#pragma once

#include <cstdint>
#include <vector>

#include "simulator/audit/rules/run_view.hpp"
#include "simulator/base/core/compressed_rows.hpp"

namespace factosim::audit {

/// Requirements of the application's accesses, in submission order, on any run: the version of its data that
/// each task reads, the tasks it waits for, and the data sent between nodes. A version is identified by the
/// task that wrote it.
///
/// A reader waits for the writer of its data. On one node, where tasks share one copy, a writer also waits
/// for the tasks that read or wrote the data it overwrites; between nodes it does not, since they have
/// separate copies.
struct DataFlow {
  static constexpr std::uint32_t initial = TaskId::none;  // the version before any task
  static constexpr std::uint32_t none = TaskId::none - 1;

  struct Use {  // one access
    std::uint32_t task;
    std::uint32_t reads = none;  // version; none: not a read
    // previous version on its node; none: not a write, or no previous version
    std::uint32_t overwrites = none;
    bool writes = false;
  };
  struct Message {  // a version that a node needs, and the number of times: once more after each flush
    HandleId handle;
    std::uint32_t version;
    NodeId to;
    std::uint32_t consumer;  // the first reader
  };
  struct Edge {
    std::uint32_t before, after;  // tasks
  };

  std::vector<std::uint32_t> first_use;  // [handles + 1] into uses
  std::vector<Use> uses;                 // [accesses] sorted by handle, then by submission order
  std::vector<Message> messages;
  std::vector<Edge> edges;  // unsorted; may contain duplicates
};

/// Indices of records by handle; stable.
template <class Record>
[[nodiscard]] CompressedRows<std::uint32_t> rows_by_handle(std::vector<Record> const& records,
                                                           std::size_t handles) {
  return collect_rows<std::uint32_t>(handles, [&](auto const& use) {
    for (std::uint32_t i = 0; i < records.size(); ++i)
      if (records[i].handle.valid()) use(records[i].handle.index(), i);
  });
}

/// O(accesses log nodes).
[[nodiscard]] DataFlow data_flow(TaskGraph const& graph, std::vector<NodeId> const& home);

}  // namespace factosim::audit
