#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/traces/record/events.hpp"

namespace factosim::record {

/// Durations of a kernel's executions on one kind of device.
struct Samples {
  std::uint64_t count = 0;
  double sum_s = 0, squares_s2 = 0;
};

/// The tasks of a program that run the same code on data of the same sizes.
struct Kernel {
  std::string symbol;           // of its performance model: empty if it has none
  std::string codelet;          // of OpenMP: lines "FILE+PLACE" of functions, or a remark
  std::uint32_t footprint = 0;  // StarPU's hash of the sizes of the data; 0 without a model
  std::uint64_t devices = 0, flags = 0, bytes = 0, tasks = 0;
  double flops = 0;
  bool same_flops = true, same_bytes = true;   // in all tasks
  std::map<std::uint64_t, Samples> samples{};  // [devices]
};

struct Datum {
  std::uint64_t bytes = 0;
  std::vector<int> place;  // coordinates
  int owner = -1, parent = -1;
  std::int64_t tag = -1;
  bool ordered = true;
  std::uint64_t kind = 0;          // of the last accesses, which may run in any order
  std::vector<int> users, before;  // tasks: the last accesses, and those that they wait for
};

struct Access {
  int datum;
  std::uint64_t mode;
};

/// A task that was submitted. `depends_on`: slots, see Recorder.
struct Task {
  std::size_t kernel = 0;
  int priority = 0, submitted_by = -1, node = -1;
  double flops = 0, cpu_s = -1;  // cpu_s: its own duration; -1: its kernel's
  bool ordered = true, own_time = false;
  std::vector<Access> accesses;
  std::vector<std::size_t> depends_on;
  std::vector<std::uint64_t> workers;
};

/// A hint of the program, or a wait of the host: a line of the graph before the task with a number.
struct Remark {
  std::size_t task;
  std::string text;  // JSON
};

/// Makes a graph of tasks of the events of a program. Ids of tasks and data are their numbers in order of submission and of
/// first use. A slot stands for a task that others may wait for before it is submitted.
class Recorder {
 public:
  /// Takes one event, in order. Throws InputError if it is malformed.
  void take(std::span<std::uint64_t const> event);

  [[nodiscard]] std::vector<Kernel> const& kernels() const { return kernels_; }
  [[nodiscard]] std::vector<Datum> const& data() const { return data_; }
  [[nodiscard]] std::vector<Task> const& tasks() const { return tasks_; }
  [[nodiscard]] std::vector<Remark> const& remarks() const { return remarks_; }
  /// Returns the tasks that a task explicitly depends on, ascending.
  [[nodiscard]] std::vector<int> dependencies(Task const& task) const;
  /// Returns the number of pairs of tasks of which one waits for the other.
  [[nodiscard]] std::size_t edges() const;
  /// Returns what the graph does not show, or assumes.
  [[nodiscard]] std::vector<std::string> findings() const;

  [[nodiscard]] std::string const& library() const { return library_; }  // version; empty: none was loaded
  [[nodiscard]] std::string const& headers() const { return headers_; }
  [[nodiscard]] std::string const& refusal() const { return refusal_; }  // empty: none
  [[nodiscard]] std::string const& call() const { return call_; }  // in which the host waits; empty: none
  [[nodiscard]] std::uint64_t kernels_run() const { return kernels_run_; }
  [[nodiscard]] int process() const { return process_; }  // 0: none has told anything

 private:
  class Fields;

  void take_task(Fields& fields);
  void take_datum(Fields& fields);
  void take_wait(Fields& fields, bool over);
  std::size_t kernel_of(Fields& fields, Task& task, std::uint64_t flags);
  void use(Task const& task);
  void write_waits();
  int number_of(std::uint64_t handle) const;
  std::string hint_name(std::uint64_t handle) const;
  std::size_t slot_of(std::unordered_map<std::uint64_t, std::size_t>& slots, std::uint64_t name,
                      bool submitted);

  std::vector<Kernel> kernels_;
  std::vector<Datum> data_;
  std::vector<Task> tasks_;
  std::vector<Remark> remarks_;
  std::size_t earlier_edges_ = 0;  // on tasks that were submitted before
  std::map<std::string, std::size_t> kernel_numbers_, omitted_;
  std::unordered_map<std::uint64_t, int> data_numbers_;
  std::vector<int> slots_;  // [slots] task; -1: not submitted
  std::unordered_map<std::uint64_t, std::size_t> task_slots_, tag_slots_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>>
      task_dependencies_;  // [address of a task] slots
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> tag_dependencies_;
  std::vector<bool> waited_;       // [tasks] the host has waited for them
  std::size_t waited_before_ = 0;  // it has for all tasks before this one
  bool wait_all_ = false;          // before the next task that the host submits
  std::vector<int> waits_;
  std::string library_, headers_, refusal_, call_;
  std::uint64_t kernels_run_ = 0;
  int process_ = 0;
};

}  // namespace factosim::record
