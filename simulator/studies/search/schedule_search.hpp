#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/studies/search/schedule_judge.hpp"

namespace factosim {

/// Limits of a search; if both are given, the first one reached ends it.
struct ScheduleBudget {
  std::optional<std::uint64_t> runs{};  // simulations of the search, beside those of the portfolio
  std::optional<Seconds> time{};
  int jobs =
      0;  // simulations at once; 0: one a core. The answer does not depend on it unless the time ends the search
};

/// A policy, or a rule that assigns workers before the run.
struct PortfolioEntry {
  std::string name;
  std::optional<Seconds> makespan{};  // of a run with the policy; none: it is a static rule
  Seconds scheduled;                  // of a run that follows its schedule

  [[nodiscard]] Seconds best() const { return makespan ? std::min(*makespan, scheduled) : scheduled; }
};

struct FoundSchedule {
  TaskSchedule schedule;  // with predicted dates
  Seconds makespan;       // predicted, by the scenario's own network
  std::string start;      // the entry that it is from, or that the search began with
  bool improved = false;  // by the search
  std::vector<PortfolioEntry> portfolio;
  std::uint64_t simulations = 0;                             // of the search
  std::vector<std::pair<std::uint64_t, Seconds>> history{};  // improvements: simulations so far and makespan

  /// Returns the best entry, by its run or its schedule.
  [[nodiscard]] PortfolioEntry const& best_entry() const;
};

/// Called with the number of simulations of the search and the best makespan so far.
using ScheduleProgress = std::function<void(std::uint64_t simulations, Seconds best)>;

/// Searches a static schedule of minimum makespan, with the means of all durations. First a portfolio: every policy, those
/// of the dm family with HEFT's ranks as priorities, and round robin; each is simulated, and what it did is simulated again
/// as a strict schedule (where that is worse, also with workers that take the first ready task, and with equal priorities).
/// Then, within the budget, on four independent lines that exchange their best from time to time:
/// a quarter of it varies the ranks under the best policy of the dm family, the rest changes workers and places of tasks on
/// the critical chain, accepting small losses at first (threshold accepting: Dueck, Scheuer, Journal of Computational
/// Physics 90, 1990). Every candidate is simulated; SimGrid's network is replaced by max-min there, and the answer is
/// simulated by the scenario's own. Random numbers come from the scenario's seed.
[[nodiscard]] FoundSchedule search_schedule(TaskPlan const& plan, ScheduleBudget const& budget,
                                            ScheduleProgress const& progress = {});

/// Returns the makespan of a plan as it is, with the means of all durations, by its own network, simulated in a child process.
[[nodiscard]] Seconds makespan_in_child(TaskPlan const& plan);

}  // namespace factosim
