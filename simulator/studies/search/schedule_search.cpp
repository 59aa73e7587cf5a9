#include "simulator/studies/search/schedule_search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "factosim/error.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/runtime/engine/simgrid.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/search/schedule_moves.hpp"

namespace factosim {

// What child processes answer, without the dates of tasks.
static void to_json(nlohmann::json& out, Seconds seconds) { out = seconds.value; }
static void from_json(nlohmann::json const& json, Seconds& out) { out = Seconds{json.get<double>()}; }
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TaskSchedule, worker, position, priority, strict, start_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JudgedSchedule, schedule, makespan)

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t lines = 4;          // of the search, whatever the number of processes
constexpr std::uint64_t round_runs = 40;  // simulations of a line between exchanges
constexpr double largest_loss = 0.003;    // that is accepted at first, relative
constexpr double left_behind = 1.01;      // lines that are so much worse than the best go on from there
constexpr double share_of_guides = 0.25;  // of the budget

/// What guides a policy of the dm family. Of each kernel that cores and GPUs can run, a share of its tasks is kept to cores,
/// those of the largest slack first.
struct Guides {
  std::vector<double> ranks{};   // [tasks] the priorities have their order
  std::vector<double> slacks{};  // [tasks] seconds
  std::vector<double> shares{};  // [kernels] 0 .. 1
};

/// What one line of the search knows.
struct SearchLine {
  JudgedSchedule best{}, current{};
  Guides guides{};
  Seconds guided{std::numeric_limits<double>::infinity()};  // makespan with them
  std::uint64_t simulations = 0;                            // of the last round
};

/// The limits of a line until it is compared with the others.
struct SearchRound {
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;  // simulations
  double loss = 0;         // that is accepted, relative
  std::optional<Clock::time_point> end{};

  [[nodiscard]] bool over(std::uint64_t done) const { return done >= runs || (end && Clock::now() >= *end); }
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Guides, ranks, slacks, shares)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SearchLine, best, current, guides, guided, simulations)

/// Runs all work in child processes, and returns the answers in its order.
template <class Answer>
std::vector<Answer> in_children(std::vector<std::function<Answer()>> const& work, int jobs = 1) {
  std::vector<ChildWork> packed;
  for (auto const& make : work)
    packed.push_back([&make] {
      std::string out;
      nlohmann::json::to_cbor(make(), out);
      return out;
    });
  std::vector<Answer> out;
  for (std::string const& bytes : run_in_children(packed, jobs))
    out.push_back(nlohmann::json::from_cbor(bytes).get<Answer>());
  return out;
}

/// Returns whether each task is kept to cores: [tasks].
std::vector<bool> kept_on_cores(Guides const& guides, TaskGraph const& graph) {
  std::vector<std::vector<TaskId>> by_kernel(guides.shares.size());
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) by_kernel[graph.kernel[t]].emplace_back(t);
  std::vector<bool> out(graph.task_count(), false);
  for (std::size_t k = 0; k < by_kernel.size(); ++k) {
    std::ranges::stable_sort(by_kernel[k], std::ranges::greater{},
                             [&](TaskId t) { return guides.slacks[t.index()]; });
    auto const kept = static_cast<std::size_t>(guides.shares[k] * static_cast<double>(by_kernel[k].size()));
    for (std::size_t i = 0; i < kept; ++i) out[by_kernel[k][i].index()] = true;
  }
  return out;
}

/// Goes on from the schedule.
void keep_better(SearchLine& line, JudgedSchedule&& schedule) {
  if (schedule.makespan < line.best.makespan) line.best = schedule;
  line.current = std::move(schedule);
}

/// Changes the ranks, the shares of the kernels that are kept to cores, or which tasks of a kernel these are.
void change(Guides& guides, std::span<std::size_t const> kernels, SearchRandom& random) {
  constexpr std::array spreads{0.02, 0.05, 0.1, 0.2, 0.4};
  double const spread = spreads[static_cast<std::size_t>(random.below(spreads.size()))];
  auto const vary = [&](std::vector<double>& values) {
    for (double& value : values) value *= 1 + spread * random.around_zero();
  };
  int const kind = kernels.empty() ? 0 : random.below(4);
  if (kind == 0) return vary(guides.ranks);
  if (kind == 1) vary(guides.slacks);
  double& share =
      guides.shares[kernels[static_cast<std::size_t>(random.below(static_cast<int>(kernels.size())))]];
  share = std::clamp(share + spread * random.around_zero(), 0., 1.);
}

/// `urgent_first`: transfers have the priority of the order instead of the policy's.
TaskSchedule schedule_of(OrderedSchedule const& order, std::vector<std::int32_t> const& priority,
                         bool urgent_first) {
  TaskSchedule out{
      .worker = order.worker, .position = order.place, .priority = priority, .start_s = {}, .end_s = {}};
  if (urgent_first) {
    out.priority.clear();
    for (std::uint32_t const place : order.place)
      out.priority.push_back(static_cast<std::int32_t>(order.place.size() - place));
  }
  return out;
}

/// Varies what guides a policy of the dm family. Its own makespan is of no use: what it did is simulated as a schedule.
void vary_guides(SearchLine& line, ScheduleJudge& judge, std::string const& policy,
                 SearchRound const& round) {
  SearchRandom random(round.seed);
  std::vector<std::size_t> const kernels = kernels_of_both_kinds(judge.plan());
  std::uint64_t done = 0;
  for (; !round.over(done); done += 2) {
    Guides guides = line.guides;
    for (int i = 1 << random.below(2); i > 0; --i) change(guides, kernels, random);
    std::vector<bool> const on_cores = kept_on_cores(guides, judge.plan().stored().graph);
    JudgedSchedule next =
        judge.judge(judge.run_policy(policy, priorities_by(guides.ranks), on_cores).schedule);
    if (next.makespan >= line.guided * (1 + round.loss)) continue;
    line.guided = next.makespan;
    line.guides = std::move(guides);
    keep_better(line, std::move(next));
  }
  line.simulations = done;
}

/// Varies workers and places of tasks. `urgent_first`: transfers have the priority of the order instead of the policy's.
void change_places(SearchLine& line, ScheduleJudge& judge, bool urgent_first, SearchRound const& round) {
  SearchRandom random(round.seed);
  ScheduleMoves const moves(judge.plan());
  std::vector<std::int32_t> const priority = line.current.schedule.priority;
  auto const judged = [&](OrderedSchedule const& order) {
    return judge.judge(schedule_of(order, priority, urgent_first));
  };
  OrderedSchedule const start = ordered(line.current.schedule);
  JudgedSchedule now = judged(start);
  Seconds current = now.makespan;
  RanSchedule run = moves.ran(start, std::move(now.dates));
  keep_better(line, std::move(now));
  std::uint64_t done = 1;
  for (; !round.over(done); ++done) {
    OrderedSchedule changed = run.order;
    for (int i = 1 << random.below(5); i > 0; --i) moves.change(changed, run, random);
    JudgedSchedule next = judged(changed);
    if (next.makespan >= current * (1 + round.loss)) continue;
    current = next.makespan;
    run = moves.ran(std::move(changed), std::move(next.dates));
    keep_better(line, std::move(next));
  }
  line.simulations = done;
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
    std::vector<std::function<JudgedSchedule()>> work;
    std::vector<std::string> policies = scheduler_names();
    std::erase(policies, "lws");  // as ws
    std::vector<std::int32_t> const priorities = priorities_by(ranks_);
    for (std::string const& policy : policies) {
      found_.portfolio.push_back({policy, Seconds{}, {}});
      work.push_back([this, policy] { return own_.run_policy(policy); });
    }
    for (std::string const policy : ranked) {
      found_.portfolio.push_back({policy + by_ranks, Seconds{}, {}});
      work.push_back([this, policy, &priorities] { return own_.run_policy(policy, priorities); });
    }
    entries_ = in_children(work, jobs_);
    for (std::size_t i = 0; i < entries_.size(); ++i) found_.portfolio[i].makespan = entries_[i].makespan;
    for (bool const gpus_first : {false, true}) {
      found_.portfolio.push_back({gpus_first ? "round-robin on GPUs" : "round-robin", std::nullopt, {}});
      entries_.push_back({.schedule = round_robin(plan_, gpus_first)});
    }
    work.clear();
    for (JudgedSchedule const& entry : entries_)
      work.push_back([this, &entry] { return own_.judge(entry.schedule); });
    entries_ = in_children(work, jobs_);
    for (std::size_t i = 0; i < entries_.size(); ++i) found_.portfolio[i].scheduled = entries_[i].makespan;
  }

  /// Looks for a better schedule of policies that are nearly as good as the best schedule: their workers did not wait for a
  /// task while another one was ready, and some know no priorities of transfers.
  void try_variants() {
    constexpr double near = 1.05;
    Seconds const best = best_of_portfolio()->makespan;
    std::vector<std::function<JudgedSchedule()>> work;
    std::vector<std::size_t> entry_of;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      auto const& run = found_.portfolio[i].makespan;
      if (!run || *run > near * best || *run == entries_[i].makespan) continue;
      for (int variant = 1; variant < 4; ++variant) {
        entry_of.push_back(i);
        work.push_back([this, i, variant] {
          TaskSchedule schedule = entries_[i].schedule;
          schedule.strict = (variant & 1) == 0;
          if ((variant & 2) != 0) std::ranges::fill(schedule.priority, 0);
          return own_.judge(std::move(schedule));
        });
      }
    }
    std::vector<JudgedSchedule> variants = in_children(work, jobs_);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      JudgedSchedule& entry = entries_[entry_of[i]];
      if (variants[i].makespan >= entry.makespan) continue;
      entry = std::move(variants[i]);
      found_.portfolio[entry_of[i]].scheduled = entry.makespan;
    }
  }

  [[nodiscard]] std::vector<JudgedSchedule>::const_iterator best_of_portfolio() const {
    return std::ranges::min_element(entries_, {}, &JudgedSchedule::makespan);
  }

  void take_best_entry() {
    auto const best = best_of_portfolio();
    found_.start = found_.portfolio[static_cast<std::size_t>(best - entries_.begin())].name;
    best_ = *best;
    found_.history.emplace_back(0, best_.makespan);
  }

  /// Returns the policy of the dm family whose ranks are varied: the best one with ranks.
  [[nodiscard]] std::string ranked_policy() const {
    std::string best;
    Seconds least{std::numeric_limits<double>::infinity()};
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
    std::vector<SearchLine> all(
        lines, {.best = best_,
                .current = best_,
                .guides = {.ranks = ranks_,
                           .slacks = slacks(plan_),
                           .shares = std::vector<double>(plan_.stored().graph.kernels.size(), 0)}});
    bool guiding = true;
    for (std::size_t number = 0;; ++number) {
      double const spent = progress_of();
      if (spent >= 1) break;
      if (guiding && spent >= share_of_guides) {
        guiding = false;
        for (SearchLine& line : all) line.current = best_;
      }
      std::vector<std::function<SearchLine()>> work;
      for (std::size_t i = 0; i < lines; ++i)
        work.push_back([&, i] {
          if (guiding)
            vary_guides(all[i], judge_, policy, round(number, i, spent));
          else
            change_places(all[i], judge_, i % 2 == 0, round(number, i, spent));
          return all[i];
        });
      all = in_children(work, jobs_);
      for (SearchLine const& line : all) {
        found_.simulations += line.simulations;
        if (line.best.makespan >= best_.makespan) continue;
        best_ = line.best;
        found_.improved = true;
      }
      if (found_.history.back().second > best_.makespan)
        found_.history.emplace_back(found_.simulations, best_.makespan);
      for (SearchLine& line : all)
        if (line.current.makespan > best_.makespan * left_behind) line.current = best_;
      if (progress_) progress_(found_.simulations, best_.makespan);
    }
  }

  /// Simulates the answer by the scenario's own network. There, an entry of the portfolio may be better.
  void finish() {
    JudgedSchedule const answer =
        in_children<JudgedSchedule>({[this] { return own_.judge(best_.schedule); }}).front();
    found_.schedule = answer.schedule;
    found_.makespan = answer.makespan;
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].makespan < found_.makespan) {
        found_.schedule = entries_[i].schedule;
        found_.makespan = entries_[i].makespan;
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
  ScheduleJudge own_, judge_;            // used in children only: each call changes a copy
  std::vector<JudgedSchedule> entries_;  // [portfolio] as schedules, by the own network
  JudgedSchedule best_;
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
  NoiseOptions means;
  means.seed = means.perturbation_seed = plan.scenario.seed;
  return in_children<Seconds>({[&] { return simulate_with_noise(plan, means, nullptr, {}).makespan; }})
      .front();
}

}  // namespace factosim
