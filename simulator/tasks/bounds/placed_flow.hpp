#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/tile_map.hpp"
#include "models/applications/application_flow.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

/// Places of the tasks of a flow that has been read at least once.
struct FlowPlaces {
  std::vector<TileMap const*> maps;         // by placement of the phases
  std::vector<std::vector<NodeId>> owners;  // [placements][handles]
  std::vector<std::size_t> handles_before;  // [rounds] number of handles at the beginning of each
  std::vector<Phase> phases;

  [[nodiscard]] std::size_t handle_count() const { return owners.front().size(); }
};

/// A task on its node.
struct PlacedTask {
  std::uint16_t kernel = 0;
  std::uint8_t phase = 0;
  NodeId node{};
  std::span<DataAccess const> accesses{};  // at most one of each handle
  TaskWeight const* weight = nullptr;      // of a stored task; null: 1

  /// The handle that decides where it runs: the first one that it writes.
  [[nodiscard]] HandleId written() const {
    return std::ranges::find_if(accesses, [](DataAccess a) { return writes(a.mode()); })->handle();
  }
};

/// What `PlacedFlow::read` tells its reader. A reader hides the functions that it needs; none is virtual.
struct FlowReader {
  void add_kernel(Kernel const& /*kernel*/) {}
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
  FlowReading(FlowPlaces& places, Reader& reader) : places_(places), reader_(reader) {}

  void begin_round(int round) {
    std::vector<std::size_t>& before = places_.handles_before;
    auto const number = static_cast<std::size_t>(round);
    if (number == before.size()) before.push_back(handles_);
    handles_ = before[number];
  }

  KernelId add_kernel(Kernel kernel) override {
    reader_.add_kernel(kernel);
    return KernelId{kernels_++};
  }

  HandleId add_handle(HandleInfo handle) override {
    std::size_t const number = handles_++;
    if (number == places_.handle_count()) {
      FACTOSIM_ALWAYS(number < max_flow_handles, "more handles than an access can name");
      for (std::size_t i = 0; i < places_.maps.size(); ++i)
        places_.owners[i].push_back(handle.owner.valid() ? handle.owner
                                                         : places_.maps[i]->at(handle.m, handle.n));
    }
    reader_.add_handle(handle, places_.owners.front()[number]);
    return HandleId{number};
  }

  using FlowSink::submit;
  TaskId submit(KernelId kernel, std::int32_t /*priority*/, TaskIndices /*indices*/,
                std::span<DataAccess const> accesses) override {
    accesses_.clear();
    for (DataAccess const access : accesses) add_access(accesses_, 0, access);
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
    auto const known = std::ranges::find(places_.phases, phase.name, &Phase::name);
    task_.phase = static_cast<std::uint8_t>(known - places_.phases.begin());
    placement_ = phase.placement;
    if (known == places_.phases.end()) places_.phases.push_back(std::move(phase));
  }

 private:
  [[nodiscard]] NodeId node() const {
    for (DataAccess const access : accesses_)
      if (writes(access.mode())) {
        NodeId const owner = places_.owners[placement_][access.handle().index()];
        FACTOSIM_ALWAYS(owner.valid(), "a task writes a tile that no node owns");
        return owner;
      }
    FACTOSIM_ALWAYS(false, "a task writes nothing, so no node owns it");
    return {};
  }

  FlowPlaces& places_;
  Reader& reader_;
  std::size_t kernels_ = 0, handles_ = 0, placement_ = 0;
  std::vector<DataAccess> accesses_;  // of the task
  PlacedTask task_;
};

/// The tasks of one round, stored.
class FlowRound : public FlowReader {
 public:
  void task(PlacedTask const& task) {
    tasks_.push_back(task);
    accesses_.insert(accesses_.end(), task.accesses.begin(), task.accesses.end());
  }
  /// Calls `use(task)` from the last task to the first.
  template <class Use>
  void for_each_backwards(Use const& use) {
    std::size_t end = accesses_.size();
    for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
      std::size_t const count = task->accesses.size();
      end -= count;
      task->accesses = std::span(accesses_.data() + end, count);
      use(std::as_const(*task));
    }
  }
  void clear() {
    tasks_.clear();
    accesses_.clear();
  }

 private:
  std::vector<PlacedTask> tasks_;
  std::vector<DataAccess> accesses_;  // of all tasks
};

/// An application's tasks on nodes by "owner computes": each runs on the owner of the first handle that it writes.
class PlacedFlow {
 public:
  PlacedFlow(ApplicationFlow& flow, std::vector<TileMap const*> maps, std::size_t nodes)
      : flow_(flow), nodes_(nodes) {
    places_.owners.resize(maps.size());
    places_.maps = std::move(maps);
  }

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  /// Those that have been read.
  [[nodiscard]] std::vector<Phase> const& phases() const { return places_.phases; }
  [[nodiscard]] std::size_t handle_count() const { return places_.handle_count(); }

  /// Hands all tasks to the reader, in the order of their submission. O(tasks), with memory for the handles only.
  template <class Reader>
  void read(Reader& reader) {
    FlowReading<Reader> sink(places_, reader);
    flow_.begin(sink);
    for (int round = 0; round < flow_.rounds(); ++round) {
      sink.begin_round(round);
      flow_.submit_round(sink, round);
    }
  }
  /// Calls `use(task)` for all tasks, from the last to the first. The flow has been read. O(tasks), with memory for the
  /// tasks of one round.
  template <class Use>
  void for_each_backwards(Use const& use) {
    FlowRound tasks;
    FlowReading<FlowRound> sink(places_, tasks);
    for (int round = flow_.rounds() - 1; round >= 0; --round) {
      sink.begin_round(round);
      flow_.submit_round(sink, round);
      tasks.for_each_backwards(use);
      tasks.clear();
    }
  }

 private:
  ApplicationFlow& flow_;
  std::size_t nodes_;
  FlowPlaces places_;
};

}  // namespace factosim
