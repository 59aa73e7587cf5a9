#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// What the application's accesses, in submission order, ask of any run: which version of its data each task
/// reads, what it waits for, and what has to travel between nodes. A version is named by the task that wrote
/// it.
///
/// A reader waits for the task that wrote what it reads. On one node, where tasks share one copy, a writer
/// also waits for those that read or wrote what it overwrites; between nodes it does not: they have copies of
/// their own.
struct DataFlow {
  static constexpr std::uint32_t initial = TaskId::none;  // the version before any task
  static constexpr std::uint32_t none = TaskId::none - 1;

  struct Use {  // one access
    std::uint32_t task;
    std::uint32_t reads = none;       // version; none: it does not read
    std::uint32_t overwrites = none;  // version that its node had; none: it does not write, or had none
    bool writes = false;
  };
  struct Message {  // a version that a node needs, and how often: once more after each flush
    HandleId handle;
    std::uint32_t version;
    NodeId to;
    std::uint32_t consumer;  // the first reader
  };
  struct Edge {
    std::uint32_t before, after;  // tasks
    bool carries_data;            // after reads what before wrote
  };

  std::vector<std::uint32_t> first_use;  // [handles + 1] into uses
  std::vector<Use> uses;                 // [accesses] handle by handle, in submission order
  std::vector<Message> messages;
  std::vector<Edge> edges;  // not sorted; a pair may come twice

  [[nodiscard]] std::vector<Use> const& all() const { return uses; }
};

/// O(accesses log nodes).
[[nodiscard]] DataFlow data_flow(TaskGraph const& graph, std::vector<NodeId> const& home);

}  // namespace factosim::audit
