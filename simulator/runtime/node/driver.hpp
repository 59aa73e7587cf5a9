#pragma once

#include <cstdint>
#include <vector>

#include "simulator/runtime/node/buffer_service.hpp"
#include "simulator/runtime/node/kernel_stream.hpp"
#include "simulator/runtime/node/node_parts.hpp"
#include "simulator/runtime/node/task_release.hpp"

namespace factosim {

/// The driver of one worker, a state machine that works in rounds:
///
///   launch the kernel whose operands have arrived -> finish a kernel that has ended -> progress data
///   management -> provide receive buffers -> complete and start transfers -> take a task and fetch its
///   operands
///
/// It waits to be signalled after a round in which nothing happened. It does one activity at a time; each
/// takes time, after which it continues from there. A core runs its kernel itself, a GPU has a stream of
/// launched kernels. Source: StarPU 1.4 driver_cpu.c, driver_cuda.c (_starpu_*_driver_run_once),
/// driver_common.c.
class Driver {
 public:
  Driver(LocalWorker worker, NodeParts const& node);

  /// Something happened that concerns the driver: it makes another round.
  void signal();
  /// There may be a task for the worker. Returns whether this call woke the driver: it slept until now.
  bool wake();
  /// The driver looks for tasks again although it has found none.
  void keep_awake() { kept_awake_ = true; }
  [[nodiscard]] bool waits() const { return state_ == State::waiting; }
  /// Returns whether a signal makes the driver look for tasks: it found none, or is in a round.
  [[nodiscard]] bool asleep_or_active() const { return asleep_ || !waits(); }
  /// Returns whether the driver progresses transfers of the first RAM, where messages arrive.
  [[nodiscard]] bool drives_first_ram() const { return drives(first_ram); }
  /// Returns whether the driver progresses transfers of that RAM.
  [[nodiscard]] bool drives(LocalMemory ram) const { return gpu_ || memory_ == ram; }
  /// Returns whether the driver waits for a kernel, and does nothing else meanwhile.
  [[nodiscard]] bool runs_kernel() const { return activity_ == Activity::run_kernel; }
  void operand_arrived() { --missing_; }

  /// The driver's activity has taken its time. Returns a task that became ready and must be pushed before the
  /// driver goes on by `advance`; an invalid id without one.
  [[nodiscard]] TaskId end_activity();
  /// Goes on with the round until something takes time.
  void advance();
  /// The kernel that ran on the GPU's stream has ended.
  void kernel_ended();

 private:
  enum class State : std::uint8_t {
    launch,
    finish,
    progress,
    take_requests,
    provide_buffers,
    transfers,
    pop,
    fetch,
    end_of_round,
    waiting
  };
  /// Activities that take time, named after what is done at their end.
  enum class Activity : std::uint8_t {
    none,
    proceed,
    push,
    give_hint,
    launch,
    provide_buffer,
    submit_copy,
    free_memory,
    run_kernel
  };

  void step();
  void launch();
  void finish();
  void progress();
  void take_requests();
  void provide_buffer();
  void progress_transfers();
  /// Completes copies of that memory node, and prepares the next. Returns whether there is one.
  bool progress_transfers(LocalMemory memory);
  void pop();
  void fetch();
  void end_round();

  void spend(Seconds time, Activity activity);
  /// Begins the next step of the release of the last task. Returns whether there was one.
  bool begin_release();
  void buffer_provided();
  [[nodiscard]] bool has_own_memory() const { return memory_.index() >= node_.type.rams; }
  [[nodiscard]] bool operands_there() const { return fetching_.valid() && missing_ == 0; }

  NodeParts const& node_;
  LocalWorker worker_;
  LocalMemory memory_;
  bool gpu_;
  State state_ = State::waiting;
  Activity activity_ = Activity::none;
  bool signalled_ = false;     // since this round began
  bool progressed_ = false;    // something happened in this round
  bool asleep_ = true;         // found no task when it last looked
  bool kept_awake_ = false;    // woken since then
  bool reclaims_ = false;      // waits for a write-back to make room: only makes transfers progress
  bool synchronises_ = false;  // waits until the bus has carried all copies

  TaskId fetching_;                         // taken from the policy, not launched
  std::uint32_t missing_ = 0;               // operands of `fetching_` that have not arrived
  std::uint32_t next_operand_ = 0;          // of `fetching_`, to be requested
  std::vector<std::uint32_t> fetch_order_;  // of its operands; empty: as in the graph
  TaskId launching_;                        // to be put on the stream
  KernelStream stream_;
  TaskRelease release_;
  BufferService buffers_;
  RequestId copy_;  // to submit to the bus
};

}  // namespace factosim
