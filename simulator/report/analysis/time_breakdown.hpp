#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "simulator/report/analysis/causes.hpp"
#include "simulator/report/analysis/run_summary.hpp"

namespace factosim {

/// The reason why a worker was idle.
enum class Wait : std::uint8_t {
  message,      // a message with its data was on the network
  send,         // that message had not left its node yet
  copy,         // a copy of its data into its memory had not ended
  submission,   // the next task had not been submitted
  dependency,   // the tasks that the next one depends on were running elsewhere
  scheduling,   // the next task was ready and its data were there
  finished,     // it had run its last task
  unexplained,  // the trace has no event before it
};
constexpr std::size_t waits = 8;
[[nodiscard]] char const* name_of(Wait wait);

/// Seconds by kernel and kind of wait.
struct TimeBreakdown {
  struct Kernel {
    std::size_t tasks = 0;
    double seconds = 0;
  };
  std::map<KernelOn, Kernel> kernels;
  std::array<double, waits> wait_s{};           // by Wait
  std::array<std::size_t, waits> wait_count{};  // how often, by Wait

  [[nodiscard]] double wait(Wait w) const { return wait_s[static_cast<std::size_t>(w)]; }
  [[nodiscard]] std::size_t count(Wait w) const { return wait_count[static_cast<std::size_t>(w)]; }
  [[nodiscard]] double total() const;
};

/// The chain of tasks that determined the end of a run, and a breakdown of the makespan along it.
///
/// The chain is followed backwards from the task that ended last. Among the events that a task had to wait
/// for (its submission, the ends of its predecessors, its messages and copies, an idle worker of its kind
/// on its node), the latest decides. The time from it to the start of the task is scheduling. If the latest
/// event is a submission, message or copy, it accounts for the time since the second latest event, at which
/// the task could have started without it. If it is the end of a task, the chain continues with that task.
/// So each instant belongs to one kernel or one kind of wait, and the breakdown adds up to the makespan (up
/// to rounding).
struct CriticalChain {
  TimeBreakdown breakdown;    // dependency and finished are 0: the chain follows the tasks that ran meanwhile
  std::vector<TaskId> tasks;  // the last one first
};
[[nodiscard]] CriticalChain critical_chain(Causes const& causes, double origin_s, bool by_type = false);

/// An interval in which a worker was idle, and the reason.
struct IdleTime {
  std::uint32_t worker;
  std::uint32_t state;  // a Wait, or what the trace names
  double from_s, to_s;  // since the origin
};
/// Idle times shorter than this share of the makespan are not listed.
constexpr double min_idle_share = 1e-5;

/// Computes the average time of a worker, from the origin to the makespan, in each kernel and each kind of
/// wait. Adds up to the makespan (up to rounding, if tasks of a worker do not overlap). Appends the idle
/// intervals to `idle` (null: not wanted), by worker, then time.
[[nodiscard]] TimeBreakdown worker_breakdown(Causes const& causes, double origin_s, double makespan_s,
                                             bool by_type = false, std::vector<IdleTime>* idle = nullptr);

}  // namespace factosim
