#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulator/studies/search/schedule_judge.hpp"

namespace factosim {

/// A schedule with its makespan in seconds, as child processes return it.
struct ScheduleCandidate {
  double makespan = std::numeric_limits<double>::infinity();
  TaskSchedule schedule{};
};

[[nodiscard]] ScheduleCandidate candidate_of(JudgedSchedule&& judged);

/// What one line of a search for a schedule knows.
struct SearchLine {
  ScheduleCandidate best{}, current{};
  std::vector<double> ranks{}, slacks{};                    // [tasks] that guide the policy
  std::vector<double> shares{};                             // [kernels]
  double guided = std::numeric_limits<double>::infinity();  // makespan with these guides
  double simulations = 0;                                   // of the last round
};

/// The limits of a line until it is compared with the others.
struct SearchRound {
  using Clock = std::chrono::steady_clock;

  std::uint64_t seed = 0;
  std::uint64_t runs = 0;  // simulations
  double loss = 0;         // that is accepted, relative
  std::optional<Clock::time_point> end{};

  [[nodiscard]] bool over(std::uint64_t done) const { return done >= runs || (end && Clock::now() >= *end); }
};

/// Varies what guides a policy of the dm family. Its own makespan is of no use: what it did is simulated as a schedule.
void vary_guides(SearchLine& line, ScheduleJudge& judge, std::string const& policy, SearchRound const& round);

/// Varies workers and places of tasks. `urgent_first`: transfers have the priority of the order instead of the policy's.
void change_places(SearchLine& line, ScheduleJudge& judge, bool urgent_first, SearchRound const& round);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TaskSchedule, worker, position, priority, strict, start_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScheduleCandidate, makespan, schedule)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SearchLine, best, current, ranks, slacks, shares, guided, simulations)

}  // namespace factosim
