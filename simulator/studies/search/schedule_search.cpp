#include "simulator/studies/search/schedule_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/runtime/engine/simgrid.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/search/schedule_lines.hpp"

namespace factosim {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t lines = 4;          // of the search, whatever the number of processes
constexpr std::uint64_t round_runs = 40;  // simulations of a line between exchanges
constexpr double largest_loss = 0.003;    // that is accepted at first, relative
constexpr double left_behind = 1.01;      // lines that are so much worse than the best go on from there
constexpr double share_of_guides = 0.25;  // of the budget

/// Returns a candidate or a line as the bytes that a child process answers.
std::string packed(nlohmann::json const& answer) {
  std::string out;
  nlohmann::json::to_cbor(answer, out);
  return out;
}
template <class Answer>
Answer unpacked(std::string const& bytes) {
  return nlohmann::json::from_cbor(bytes).get<Answer>();
}

class ScheduleSearch {
 public:
  ScheduleSearch(TaskPlan const& plan, ScheduleBudget const& budget, ScheduleProgress const& progress)
      : plan_(plan),
        budget_(budget),
        progress_(progress),
        jobs_(jobs_or_cores(budget.jobs)),
        ranks_(mean_ranks(plan)),
        own_(plan, JudgeNetwork::own),
        judge_(plan, JudgeNetwork::repeated) {
    if (plan.scenario.network.model == NetworkModel::simgrid) static_cast<void>(load_simgrid());
  }

  FoundSchedule run() {
    try_portfolio();
    try_variants();
    take_best_entry();
    search();
    finish();
    return std::move(found_);
  }

 private:
  static constexpr std::array ranked{"dmdas", "dmdap", "dmdasd"};
  static constexpr char const* by_ranks = " by ranks";

  void try_portfolio() {
    std::vector<ChildWork> work;
    std::vector<std::string> policies = scheduler_names();
    std::erase(policies, "lws");  // as ws
    std::vector<std::int32_t> const priorities = priorities_by(ranks_);
    for (std::string const& policy : policies) {
      found_.portfolio.push_back({policy, Seconds{}, {}});
      work.push_back([this, policy] { return packed(candidate_of(own_.run_policy(policy))); });
    }
    for (std::string const policy : ranked) {
      found_.portfolio.push_back({policy + by_ranks, Seconds{}, {}});
      work.push_back(
          [this, policy, &priorities] { return packed(candidate_of(own_.run_policy(policy, priorities))); });
    }
    for (std::string const& bytes : run_in_children(work, jobs_)) {
      entries_.push_back(unpacked<ScheduleCandidate>(bytes));
      found_.portfolio[entries_.size() - 1].makespan = Seconds{entries_.back().makespan};
    }
    for (bool const gpus_first : {false, true}) {
      found_.portfolio.push_back({gpus_first ? "round-robin on GPUs" : "round-robin", std::nullopt, {}});
      entries_.push_back({0, round_robin(plan_, gpus_first)});
    }
    work.clear();
    for (ScheduleCandidate const& entry : entries_)
      work.push_back([this, &entry] { return packed(candidate_of(own_.judge(entry.schedule))); });
    std::vector<std::string> const answers = run_in_children(work, jobs_);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      entries_[i] = unpacked<ScheduleCandidate>(answers[i]);
      found_.portfolio[i].scheduled = Seconds{entries_[i].makespan};
    }
  }

  /// Looks for a better schedule of policies that are nearly as good as the best schedule: their workers did not wait for a
  /// task while another one was ready, and some know no priorities of transfers.
  void try_variants() {
    constexpr double near = 1.05;
    double const best = std::ranges::min_element(entries_, {}, &ScheduleCandidate::makespan)->makespan;
    std::vector<ChildWork> work;
    std::vector<std::size_t> entry_of;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      auto const& run = found_.portfolio[i].makespan;
      if (!run || run->value > near * best || run->value == entries_[i].makespan) continue;
      for (int variant = 1; variant < 4; ++variant) {
        entry_of.push_back(i);
        work.push_back([this, i, variant] {
          TaskSchedule schedule = entries_[i].schedule;
          schedule.strict = (variant & 1) == 0;
          if ((variant & 2) != 0) std::ranges::fill(schedule.priority, 0);
          return packed(candidate_of(own_.judge(std::move(schedule))));
        });
      }
    }
    std::vector<std::string> const answers = run_in_children(work, jobs_);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      ScheduleCandidate variant = unpacked<ScheduleCandidate>(answers[i]);
      ScheduleCandidate& entry = entries_[entry_of[i]];
      if (variant.makespan >= entry.makespan) continue;
      entry = std::move(variant);
      found_.portfolio[entry_of[i]].scheduled = Seconds{entry.makespan};
    }
  }

  void take_best_entry() {
    std::size_t best = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i)
      if (entries_[i].makespan < entries_[best].makespan) best = i;
    found_.start = found_.portfolio[best].name;
    best_ = entries_[best];
    found_.history.emplace_back(0, Seconds{best_.makespan});
  }

  /// Returns the policy of the dm family whose ranks are varied: the best one with ranks.
  [[nodiscard]] std::string ranked_policy() const {
    std::string best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (found_.portfolio[i].name.ends_with(by_ranks) && entries_[i].makespan < least) {
        least = entries_[i].makespan;
        best = found_.portfolio[i].name;
      }
    return best.substr(0, best.size() - std::strlen(by_ranks));
  }

  [[nodiscard]] double progress_of() const {
    double out = 0;
    if (budget_.runs)
      out = *budget_.runs == 0 ? 1
                               : static_cast<double>(found_.simulations) / static_cast<double>(*budget_.runs);
    if (budget_.time)
      out = std::max(out, std::chrono::duration<double>(Clock::now() - start_).count() / budget_.time->value);
    return out;
  }

  [[nodiscard]] SearchRound round(std::size_t number, std::size_t line, double spent) const {
    SearchRound out{.seed = (plan_.scenario.seed * 1'000'003 + number) * lines + line,
                    .runs = round_runs,
                    .loss = largest_loss * (1 - spent)};
    if (budget_.runs) out.runs = std::min(out.runs, (*budget_.runs - found_.simulations + lines - 1) / lines);
    if (budget_.time)
      out.end = start_ + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(budget_.time->value));
    return out;
  }

  void search() {
    std::string const policy = ranked_policy();
    std::vector<SearchLine> all(lines,
                                {.best = best_,
                                 .current = best_,
                                 .ranks = ranks_,
                                 .slacks = slacks(plan_),
                                 .shares = std::vector<double>(plan_.stored().graph.kernels.size(), 0)});
    bool guiding = true;
    for (std::size_t number = 0;; ++number) {
      double const spent = progress_of();
      if (spent >= 1) break;
      if (guiding && spent >= share_of_guides) {
        guiding = false;
        for (SearchLine& line : all) line.current = best_;
      }
      std::vector<ChildWork> work;
      for (std::size_t i = 0; i < lines; ++i)
        work.push_back([&, i] {
          if (guiding)
            vary_guides(all[i], judge_, policy, round(number, i, spent));
          else
            change_places(all[i], judge_, i % 2 == 0, round(number, i, spent));
          return packed(all[i]);
        });
      std::vector<std::string> const answers = run_in_children(work, jobs_);
      for (std::size_t i = 0; i < lines; ++i) {
        all[i] = unpacked<SearchLine>(answers[i]);
        found_.simulations += static_cast<std::uint64_t>(all[i].simulations);
        if (all[i].best.makespan >= best_.makespan) continue;
        best_ = all[i].best;
        found_.improved = true;
      }
      if (found_.history.back().second.value > best_.makespan)
        found_.history.emplace_back(found_.simulations, Seconds{best_.makespan});
      for (SearchLine& line : all)
        if (line.current.makespan > best_.makespan * left_behind) line.current = best_;
      if (progress_) progress_(found_.simulations, Seconds{best_.makespan});
    }
  }

  /// Simulates the answer by the scenario's own network. There, an entry of the portfolio may be better.
  void finish() {
    ScheduleCandidate const answer = unpacked<ScheduleCandidate>(
        run_in_child([this] { return packed(candidate_of(own_.judge(best_.schedule))); }));
    found_.schedule = answer.schedule;
    found_.makespan = Seconds{answer.makespan};
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].makespan < found_.makespan.value) {
        found_.schedule = entries_[i].schedule;
        found_.makespan = Seconds{entries_[i].makespan};
        found_.start = found_.portfolio[i].name;
        found_.improved = false;
      }
  }

  TaskPlan const& plan_;
  ScheduleBudget const& budget_;
  ScheduleProgress const& progress_;
  int jobs_;
  Clock::time_point start_ = Clock::now();
  std::vector<double> ranks_;
  ScheduleJudge own_, judge_;               // used in children only: each call changes a copy
  std::vector<ScheduleCandidate> entries_;  // [portfolio] as schedules, by the own network
  ScheduleCandidate best_;
  FoundSchedule found_;
};

}  // namespace

PortfolioEntry const& FoundSchedule::best_entry() const {
  return *std::ranges::min_element(portfolio, {}, [](PortfolioEntry const& e) { return e.best(); });
}

FoundSchedule search_schedule(TaskPlan const& plan, ScheduleBudget const& budget,
                              ScheduleProgress const& progress) {
  return ScheduleSearch(plan, budget, progress).run();
}

Seconds makespan_in_child(TaskPlan const& plan) {
  if (plan.scenario.network.model == NetworkModel::simgrid) static_cast<void>(load_simgrid());
  std::string const bytes = run_in_child([&] {
    NoiseOptions means;
    means.seed = means.perturbation_seed = plan.scenario.seed;
    return packed(
        ScheduleCandidate{.makespan = simulate_with_noise(plan, means, nullptr, {}).makespan.value});
  });
  return Seconds{unpacked<ScheduleCandidate>(bytes).makespan};
}

}  // namespace factosim
