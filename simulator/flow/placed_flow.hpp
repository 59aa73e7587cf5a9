#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/tile_map.hpp"
#include "models/applications/application_flow.hpp"

namespace factosim {

/// An application's tasks on nodes by "owner computes": each runs on the owner of the first handle that it writes.
struct PlacedFlow {
  ApplicationFlow& flow;
  std::vector<TileMap const*> maps;  // by placement of the phases
  std::size_t nodes = 0;
};

/// A task on its node.
struct PlacedTask {
  std::uint16_t kernel = 0;
  std::uint8_t phase = 0;
  NodeId node{};
  std::span<DataAccess const> accesses{};  // at most one of each handle
};

/// What `read_flow` tells its reader. A reader hides the functions that it needs; none is virtual.
struct FlowReader {
  void add_kernel(Kernel const& /*kernel*/) {}
  void add_phase(Phase const& /*phase*/) {}
  /// `owner`: in the first placement; none if nothing is stored there.
  void add_handle(HandleInfo const& /*handle*/, NodeId /*owner*/) {}
  void task(PlacedTask const& /*task*/) {}
  void last_write(HandleId /*handle*/) {}
  void last_use(HandleId /*handle*/) {}
  /// The task that was submitted last flushes its inputs.
  void flush_inputs(PlacedTask const& /*task*/) {}
  void flush_cache() {}
};

/// Places the submitted tasks and hands them to a reader, one after the other. Stores the owners of handles, no tasks.
/// Tasks are counted in 64 bits by the reader; the id that `submit` returns is of no use.
template <class Reader>
class FlowReading final : public FlowSink {
 public:
  FlowReading(PlacedFlow const& placed, Reader& reader)
      : maps_(placed.maps), reader_(reader), owners_(placed.maps.size()) {}

  KernelId add_kernel(Kernel kernel) override {
    reader_.add_kernel(kernel);
    return KernelId{kernels_++};
  }

  HandleId add_handle(HandleInfo handle) override {
    std::size_t const number = owners_.front().size();
    FACTOSIM_ALWAYS(number < max_flow_handles, "more handles than an access can name");
    for (std::size_t i = 0; i < maps_.size(); ++i)
      owners_[i].push_back(handle.owner.valid() ? handle.owner : maps_[i]->at(handle.m, handle.n));
    reader_.add_handle(handle, owners_.front().back());
    return HandleId{number};
  }

  using FlowSink::submit;
  TaskId submit(KernelId kernel, std::int32_t /*priority*/, TaskIndices /*indices*/,
                std::span<DataAccess const> accesses) override {
    accesses_.clear();
    for (DataAccess const access : accesses) add(access);
    task_.kernel = static_cast<std::uint16_t>(kernel.value());
    task_.node = node();
    task_.accesses = accesses_;
    reader_.task(std::as_const(task_));
    return TaskId{};
  }

  void last_write(HandleId handle) override { reader_.last_write(handle); }
  void last_use(HandleId handle) override { reader_.last_use(handle); }
  void flush_inputs(TaskId /*task*/) override { reader_.flush_inputs(std::as_const(task_)); }
  void flush_cache() override { reader_.flush_cache(); }

  void begin_phase(Phase phase) override {
    auto const known = std::ranges::find(phases_, phase.name, &Phase::name);
    task_.phase = static_cast<std::uint8_t>(known - phases_.begin());
    placement_ = phase.placement;
    if (known != phases_.end()) return;
    reader_.add_phase(phase);
    phases_.push_back(std::move(phase));
  }

 private:
  /// Two accesses of a task to one handle become one, as in SequentialTaskFlow.
  void add(DataAccess access) {
    for (DataAccess& earlier : accesses_) {
      if (earlier.handle() != access.handle()) continue;
      earlier = DataAccess(access.handle(), earlier.mode() | access.mode());
      return;
    }
    accesses_.push_back(access);
  }

  [[nodiscard]] NodeId node() const {
    for (DataAccess const access : accesses_)
      if (writes(access.mode())) {
        NodeId const owner = owners_[placement_][access.handle().index()];
        FACTOSIM_ALWAYS(owner.valid(), "a task writes a tile that no node owns");
        return owner;
      }
    FACTOSIM_ALWAYS(false, "a task writes nothing, so no node owns it");
    return {};
  }

  std::vector<TileMap const*> maps_;
  Reader& reader_;
  std::vector<std::vector<NodeId>> owners_;  // [placements][handles]
  std::vector<Phase> phases_;
  std::size_t kernels_ = 0, placement_ = 0;
  std::vector<DataAccess> accesses_;  // of the task
  PlacedTask task_;
};

/// Hands all tasks to the reader, in the order of their submission. O(tasks), with memory for the handles only.
template <class Reader>
void read_flow(PlacedFlow const& placed, Reader& reader) {
  FlowReading<Reader> sink(placed, reader);
  placed.flow.submit(sink);
}

}  // namespace factosim
