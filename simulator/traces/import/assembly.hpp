#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "simulator/traces/import/starpu_run.hpp"
#include "simulator/traces/trace/trace.hpp"

// The parts of `assemble`: how nodes name their data and workers, and what a run does not record and its other records
// tell.

namespace factosim {

/// A datum as one node names it.
struct DataName {
  std::uint32_t node;
  std::uint64_t address;
  bool operator==(DataName const&) const = default;
};
struct DataNameHash {
  std::size_t operator()(DataName const& n) const {
    return std::hash<std::uint64_t>{}(n.address * 0x9e3779b97f4a7c15U + n.node);
  }
};

/// The handles of a trace, found by the names that its nodes use for their data. Names of different nodes denote one
/// datum if they have the same MPI tag, or the same coordinates and owner, or if messages connect them. A tag or a tile
/// that denotes several data is not used; neither are names of messages that contradict the records of the data. All
/// that is reported. Handles are numbered in the order of their first records. Sizes are the largest that the records
/// of a datum tell, messages aside; negative if none does.
class HandleNames {
 public:
  /// O(records + messages).
  explicit HandleNames(StarpuRun const& run);

  /// Returns the handle with that name on the node; a new one if there is none.
  HandleId of(std::uint32_t node, std::uint64_t address);
  /// Returns the handle with that name on the node, or an invalid id.
  [[nodiscard]] HandleId known(std::uint32_t node, std::uint64_t address) const;
  /// Returns the handle that the message carried, by its names on both nodes, then by its tag.
  [[nodiscard]] HandleId of_message(StarpuRun::Message const& message) const;

  [[nodiscard]] std::vector<Trace::Handle>& handles() { return handles_; }
  [[nodiscard]] std::vector<std::string> const& findings() const { return findings_; }

 private:
  /// `renamed`: the name had been given to another datum before.
  void describe(StarpuRun::Handle const& record, bool renamed);
  [[nodiscard]] HandleId tagged(std::int64_t tag) const;

  std::unordered_map<DataName, HandleId, DataNameHash> by_name_;
  std::unordered_map<std::int64_t, HandleId> by_tag_;
  std::unordered_set<DataName, DataNameHash> misleading_;  // messages use them for data with different tags
  std::vector<Trace::Handle> handles_;
  std::vector<std::string> findings_;
};

/// The workers and memory nodes of a run: those that executed tasks or are named by the source.
class WorkerNames {
 public:
  /// Classifies workers without a name by the memory of their data: StarPU numbers GPUs first, and each has
  /// its own memory, so a worker whose memory is not the RAM and whose number is below all workers of the RAM
  /// is a GPU. Adds a finding to `run` if that was needed.
  explicit WorkerNames(StarpuRun& run);

  [[nodiscard]] WorkerId of(std::uint32_t node, std::int32_t worker) const;
  /// Returns the worker of the resource; an invalid id if it is not a worker.
  [[nodiscard]] WorkerId of_resource(std::uint32_t resource) const { return worker_of_resource_[resource]; }
  [[nodiscard]] MemoryNodeId memory(std::uint32_t node, std::int32_t memory) const;

  std::vector<Trace::Node> nodes;
  std::vector<Trace::MemoryNode> memory_nodes;
  std::vector<Trace::Worker> workers;

 private:
  std::map<std::pair<std::uint32_t, std::int32_t>, WorkerId> by_id_;
  std::map<std::pair<std::uint32_t, std::int32_t>, MemoryNodeId> memory_by_id_;
  std::vector<WorkerId> worker_of_resource_;
};

/// Completes the sizes of data and messages from each other. In the trace, sizes of handles are what the
/// records of the data tell, and 0 of a tile means that it is not known; sizes of messages are what the
/// messages tell, and 0 or less means that it is not known. A datum without a size has the size of its
/// messages; else that of data of the same shape, or in the same place of tasks with the same kernel and
/// footprint (StarPU's hash of the sizes of all data of a task), if these have one size only. A message
/// without a size has that of its datum. Sizes that remain unknown are negative. Adds findings about sizes
/// that contradict each other, are derived, or are unknown. Throws InputError if the sizes add up to more
/// than 2^62 bytes. O(accesses + messages) for each round of derivation; few are needed.
void complete_sizes(Trace& trace);

/// Finds the tasks at both ends of messages whose source does not record them. Producer: the last task that
/// wrote the handle on the sender before the message left. Consumers: the tasks that read it on the receiver
/// after it arrived and before the next message with it. Appends (reader, writer) to `edges`. Needs the tasks
/// and accesses of the trace. O((accesses + messages) log).
void find_message_ends(Trace& trace, std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace factosim
