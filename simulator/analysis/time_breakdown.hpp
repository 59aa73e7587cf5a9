#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Why a worker did nothing.
enum class Wait : std::uint8_t {
  message,      // a message with its data was on the network
  send,         // that message had not left its node yet
  copy,         // a copy of its data into its memory had not ended
  submission,   // the next task had not been submitted
  dependency,   // the tasks that the next one depends on were running elsewhere
  scheduling,   // the next task was ready and its data were there
  finished,     // it had run its last task
  unexplained,  // the trace tells nothing that came before
};
constexpr std::size_t waits = 8;
[[nodiscard]] char const* name_of(Wait wait);

/// Seconds by what they were spent on.
struct TimeBreakdown {
  struct Kernel {
    std::size_t tasks = 0;
    double seconds = 0;
  };
  std::map<std::pair<std::string, std::string>, Kernel> kernels;  // by kernel and resource, as in RunSummary
  std::array<double, waits> wait_s{};                             // by Wait
  std::array<std::size_t, waits> wait_count{};                    // how often, by Wait

  [[nodiscard]] double wait(Wait w) const { return wait_s[static_cast<std::size_t>(w)]; }
  [[nodiscard]] std::size_t count(Wait w) const { return wait_count[static_cast<std::size_t>(w)]; }
  [[nodiscard]] double total() const;
};

/// The chain of tasks that the end of a run waited for, and every second of the makespan on it.
///
/// From the task that ended last backwards: of what had to be before a task could start (its submission, the
/// ends of the tasks it depends on, its messages and copies, and a worker of its kind on its node that is
/// idle), the latest decides. From it until the start, the task waited for nothing that the trace knows:
/// scheduling. A submission, message or copy that was the latest accounts for the time since the second
/// latest, since the task could have started then without it; where the end of a task is the latest, the
/// chain goes on with that task. So each instant belongs to one kernel or one kind of wait, and the breakdown
/// adds up to the makespan exactly (up to rounding).
struct CriticalChain {
  TimeBreakdown breakdown;    // dependency and finished are 0 here: the chain follows what ran meanwhile
  std::vector<TaskId> tasks;  // the last one first
};
[[nodiscard]] CriticalChain critical_chain(Trace const& trace, double origin_s, bool by_type = false);

/// What all workers did from the origin to the makespan, per worker: seconds in each kernel and in each kind
/// of wait, over the number of workers. Adds up to the makespan exactly (up to rounding, and where tasks of a
/// worker do not overlap).
[[nodiscard]] TimeBreakdown worker_breakdown(Trace const& trace, double origin_s, double makespan_s,
                                             bool by_type = false);

/// A stretch of time in which a worker ran nothing, and why.
struct IdleTime {
  WorkerId worker;
  Wait wait;
  double from_s, to_s;  // since the origin
};
/// What `worker_breakdown` counts, stretch by stretch: by worker, of one worker in the order of time. Those
/// shorter than `min_s` are left out.
[[nodiscard]] std::vector<IdleTime> idle_times(Trace const& trace, double origin_s, double makespan_s,
                                               double min_s);

}  // namespace factosim
