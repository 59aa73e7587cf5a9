#pragma once

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/host_memory.hpp"
#include "simulator/runtime/node/kernel_times.hpp"
#include "simulator/runtime/node/node_data.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

class WakeUps;

/// What many drivers of a node are told at once, by worker. A signal concerns drivers in a round; those that wait are
/// called, or forget it when they begin one.
struct DriverFlags {
  boost::dynamic_bitset<> signalled;   // something happened since the round began
  boost::dynamic_bitset<> asleep;      // found no task when it last looked
  boost::dynamic_bitset<> kept_awake;  // woken since then
};

/// The parts of a node's runtime system that its drivers share.
struct NodeParts {
  NodeId id;
  SimulationInputs const& inputs;
  NodeServices& services;
  Engine& engine;
  Machine::Type const& type;
  Scheduler& scheduler;
  NodeData& data;
  KernelTimes& kernels;
  WakeUps& wake_ups;

  [[nodiscard]] Event event(EventKind kind, LocalWorker worker) const {
    return factosim::event(kind, inputs.machine.first_worker[id.index()] + worker.value());
  }
};

/// The requests for receive buffers that one driver serves in its round: a few of the most urgent ones, until
/// the round has taken too long. Source: StarPU 1.4 `data_request.h`.
class BufferService {
 public:
  /// Takes requests for this round.
  void begin(HostMemory& memory, Seconds now) {
    requests_ = memory.take_requests(max_requests);
    std::reverse(requests_.begin(), requests_.end());
    began_ = now;
    served_ = false;
  }
  [[nodiscard]] bool has_request() const { return !requests_.empty(); }
  /// Returns the requests that are left to the queue if the round has served one and has taken `limit`. Returns
  /// whether it has.
  bool give_up(HostMemory& memory, Seconds now, Seconds limit) {
    if (!served_ || now - began_ < limit) return false;
    for (HostMemory::Request const& request : requests_) memory.put_back(request);
    requests_.clear();
    return true;
  }
  [[nodiscard]] Bytes size() const { return requests_.back().value.size; }
  /// Removes the request that has been served.
  BufferRequest take_served() {
    FACTOSIM_EXPECT(has_request(), "a driver serves a request that it has not taken");
    BufferRequest const served = requests_.back().value;
    requests_.pop_back();
    served_ = true;
    return served;
  }

 private:
  static constexpr std::size_t max_requests = 5;  // MAX_PENDING_REQUESTS_PER_NODE

  std::vector<HostMemory::Request> requests_;  // the next one last
  Seconds began_{0};
  bool served_ = false;  // a request of this round
};

/// The kernels launched on one worker, which run one after the other: on the stream of a GPU, or in the
/// driver itself. The driver notices the end of a kernel in one of its rounds, possibly when the next one
/// runs already.
class KernelStream {
 public:
  struct Ended {
    TaskId task;
    Seconds start, end;
    Seconds work;  // for how long it drew the power of the worker: its duration, or less of a shared GPU
  };

  KernelStream(LocalWorker worker, NodeParts const& node) : node_(node), worker_(worker) {}

  /// Returns whether the driver can do nothing else while the kernel runs.
  [[nodiscard]] bool blocks_driver(TaskId task) const;
  /// Returns whether the worker takes no further task.
  [[nodiscard]] bool full() const;
  /// Returns whether the driver has noticed the end of all kernels.
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  /// Returns the first task whose end the driver has not noticed.
  [[nodiscard]] TaskId front() const { return tasks_.front(); }
  /// Returns whether a kernel runs.
  [[nodiscard]] bool runs() const { return ended_.size() < tasks_.size(); }
  /// Returns whether a kernel has ended and the driver has not noticed it.
  [[nodiscard]] bool has_ended() const { return !ended_.empty(); }

  /// Launches a kernel, which starts now, or when the one before it ends. Its end is an event of that kind.
  void launch(TaskId task, EventKind end);
  /// Returns whether the kernel that was to end now ends later, by an event of that kind.
  [[nodiscard]] bool is_late(EventKind end);
  /// The kernel that runs has ended; the next one starts.
  void end();
  /// Returns how long the kernels in flight still take, those that wait by their mean.
  [[nodiscard]] Seconds left() const;
  /// Removes the first kernel that has ended.
  Ended take_ended();

 private:
  void start(TaskId task, EventKind end);
  /// Returns what schedules the end of a kernel on a shared GPU.
  [[nodiscard]] auto end_on_shared_gpu() const {
    return [this](LocalWorker worker, Seconds date) {
      node_.engine.at(date, node_.event(EventKind::kernel_ends, worker));
    };
  }

  NodeParts const& node_;
  LocalWorker worker_;
  std::vector<TaskId> tasks_;  // in the order of launching
  std::vector<Ended> ended_;   // of the first tasks
  Seconds start_, end_;        // of the kernel that runs
  Seconds last_end_{0};
};

/// Ends a task that a worker has run: releases its data, starts to send its output, and lists the remaining
/// steps of the worker: pushing the tasks that became ready, and a hint about data that no task will use.
class TaskRelease {
 public:
  void complete(KernelStream::Ended const& ended, LocalWorker worker, NodeParts const& node);

  /// The worker needs that time before it pushes tasks.
  void pause(Seconds time) { pause_ += time; }
  /// Returns how long the worker is busy with memory and sends before it pushes tasks, once.
  [[nodiscard]] Seconds take_pause() { return std::exchange(pause_, Seconds{0}); }
  /// The worker pushes what the call appends to the list of ready tasks. Returns whether it appends any.
  template <class Call>
  bool append(Call const& call) {
    std::size_t const before = ready_.size();
    call(ready_);
    return ready_.size() > before;
  }
  [[nodiscard]] bool has_ready() const { return next_ < ready_.size(); }
  [[nodiscard]] ReadyTask take_ready() {
    FACTOSIM_EXPECT(has_ready(), "a worker pushes a task that it has not made ready");
    return ready_[next_++];
  }
  [[nodiscard]] bool has_unused() const { return unused_.valid(); }
  void give_hint(NodeData& data) { data.wont_use(std::exchange(unused_, TaskId{})); }

 private:
  Seconds pause_{0};
  std::vector<ReadyTask> ready_;
  std::size_t next_ = 0;
  TaskId unused_;  // no task on this node will use what it wrote
};

/// The driver of one worker, a state machine that works in rounds:
///
///   launch the kernel whose operands have arrived -> finish a kernel that has ended and push what it made
///   ready -> notice that the next one runs -> progress data management -> provide receive buffers -> complete
///   and start transfers -> take a task and fetch its operands
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
  void keep_awake();
  [[nodiscard]] bool waits() const { return state_ == State::waiting; }
  /// Returns whether the driver progresses transfers of the first RAM, where messages arrive.
  [[nodiscard]] bool drives_first_ram() const { return drives(first_ram); }
  /// Returns whether the driver progresses transfers of that RAM.
  [[nodiscard]] bool drives(LocalMemory ram) const { return gpu_ || memory_ == ram; }
  /// Returns whether the driver waits for a kernel, and does nothing else meanwhile.
  [[nodiscard]] bool runs_kernel() const { return activity_ == Activity::run_kernel; }
  void operand_arrived() { --missing_; }
  /// A copy on the bus that is the next of its stream.
  struct Copy {
    RequestId request;
    LocalMemory from, to;
    HandleId handle;
  };
  /// Starts the copy once the kernel that the GPU runs has ended. Returns false, and leaves it to the caller, if none runs.
  [[nodiscard]] bool holds(Copy const& copy);
  /// Returns how long the kernels in flight on the GPU still take.
  [[nodiscard]] Seconds kernels_left() const { return gpu_ ? stream_.left() : Seconds{0}; }

  /// The driver's activity has taken its time. Returns a task that became ready and must be pushed before the
  /// driver goes on by `advance`; an invalid id without one.
  [[nodiscard]] ReadyTask end_activity();
  /// Goes on with the round until something takes time.
  void advance();
  /// The kernel that ran on the GPU's stream has ended.
  void kernel_ended();

 private:
  enum class State : std::uint8_t {
    launch,
    finish,
    start_next,
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
  void start_next();
  void progress();
  void progress_memories(std::size_t count, std::uint32_t rank_of_gpus);
  void progress_own_memory();
  void take_requests();
  void provide_buffer();
  void progress_transfers();
  /// Completes copies of that memory node, and prepares the next. Returns whether there is one.
  bool progress_transfers(LocalMemory memory);
  void pop();
  void fetch();
  void end_round();

  void spend(Seconds time, Activity activity);
  /// Of this driver, in `DriverFlags`.
  [[nodiscard]] auto flag(boost::dynamic_bitset<> DriverFlags::*flags) const;
  /// Begins the next step of the release of the last task. Returns whether there was one.
  bool begin_release();
  void buffer_provided();
  /// The kernel that ran has ended: starts the copies that it held.
  void end_kernel();
  /// Returns whether requests for receive buffers are served by this driver.
  [[nodiscard]] bool serves_buffers() const;
  [[nodiscard]] bool has_own_memory() const { return memory_.index() >= node_.type.rams; }
  [[nodiscard]] bool operands_there() const { return fetching_.valid() && missing_ == 0; }

  NodeParts const& node_;
  LocalWorker worker_;
  LocalMemory memory_;
  bool gpu_;
  State state_ = State::waiting;
  Activity activity_ = Activity::none;
  bool progressed_ = false;        // something happened in this round
  bool reclaims_ = false;          // waits for a write-back to make room: only makes transfers progress
  std::vector<Copy> held_copies_;  // until the kernel that runs has ended
  bool synchronises_ = false;      // waits until the bus has carried all copies
  bool was_signalled_ = false;     // before that: signals while it waits so are not for it

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

/// Decides which drivers of a node make a round when something happens.
///
/// Most signals are for many drivers. They are flags, so that only those that are asleep are called.
class WakeUps {
 public:
  /// `drivers`: [workers], may be filled later. All references must outlive this.
  WakeUps(Machine::Type const& type, Scheduler const& scheduler, std::vector<Driver>& drivers);

  [[nodiscard]] DriverFlags& flags() { return flags_; }

  /// The policy has assigned a ready task of that kernel, which lasts `durations` seconds on each worker.
  void task_assigned(Scheduler::Assignment const& assignment, std::uint32_t kernel,
                     std::span<double const> durations);
  /// A request or a copy of that memory concerns its drivers: that of a GPU stays awake, of those of a RAM one
  /// makes a round.
  void memory_changed(LocalMemory memory);
  /// An operand has arrived in that memory: idle drivers there look for tasks again.
  void operand_arrived(LocalMemory memory);
  /// A request for a receive buffer waits for a driver: wakes all that make the transfers of RAM progress. Those that get none
  /// look for tasks. Source: StarPU 1.4 copy_driver.c (_starpu_wake_all_blocked_workers_on_node).
  void buffer_requested();

 private:
  /// Returns the drivers of a GPU's memory.
  [[nodiscard]] std::span<Driver> drivers_of_gpu(LocalMemory memory) const;
  /// Wakes all cores, and the first idle GPU unless there is one core and it was idle.
  void wake_by_memory();

  using Set = boost::dynamic_bitset<>;  // [workers]

  /// Signals the drivers of a set, and calls `call` for those that are asleep.
  template <class Call>
  void signal_all(Set const& drivers, Call const& call);
  void wake_all(Set const& drivers);
  /// Wakes the drivers of a set up to the first one that slept. Returns whether there is one.
  bool wake_first(Set const& drivers);
  /// Returns the workers that can run a kernel.
  [[nodiscard]] Set const& that_run(std::uint32_t kernel, std::span<double const> durations);

  Machine::Type const& type_;
  Scheduler const& scheduler_;
  std::vector<Driver>& drivers_;
  DriverFlags flags_;
  Set all_, gpus_, cores_;
  Set up_to_first_;            // scratch
  std::vector<Set> of_ram_;    // [RAMs] those that make its transfers progress
  std::vector<Set> that_run_;  // [kernels seen]; empty: not asked for yet
};

}  // namespace factosim
