#include "simulator/studies/search/schedule_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "simulator/studies/search/schedule_moves.hpp"

namespace factosim {

namespace {

/// Which tasks are kept to cores: of each kernel that cores and GPUs can run, a share of its tasks, those of the largest
/// slack first.
struct CoreShares {
  std::vector<double> share;  // [kernels] 0 .. 1
  std::vector<double> slack;  // [tasks] seconds; perturbed by the search
};

/// Returns whether each task is kept to cores: [tasks].
std::vector<bool> kept_on_cores(CoreShares const& shares, TaskGraph const& graph) {
  std::vector<std::vector<TaskId>> by_kernel(shares.share.size());
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) by_kernel[graph.kernel[t]].emplace_back(t);
  std::vector<bool> out(graph.task_count(), false);
  for (std::size_t k = 0; k < by_kernel.size(); ++k) {
    std::ranges::stable_sort(by_kernel[k], std::ranges::greater{},
                             [&](TaskId t) { return shares.slack[t.index()]; });
    auto const kept = static_cast<std::size_t>(shares.share[k] * static_cast<double>(by_kernel[k].size()));
    for (std::size_t i = 0; i < kept; ++i) out[by_kernel[k][i].index()] = true;
  }
  return out;
}

/// Returns the kernels that both kinds of workers of some node can run: none of those for cores only.
std::vector<std::size_t> kernels_of_both_kinds(TaskPlan const& p) {
  std::vector<std::size_t> out;
  if (p.stored().graph.kernels.size() > std::numeric_limits<std::uint16_t>::max())
    return out;  // no number is left
  for (std::size_t k = 0; k < p.stored().graph.kernels.size(); ++k) {
    bool const both = std::ranges::any_of(p.machine.type_of, [&](std::uint32_t type) {
      auto const durations = p.machine.types[type].durations_of(k);
      std::size_t const gpus = p.machine.types[type].gpus;
      auto const finite = [](double d) { return !std::isinf(d); };
      return std::ranges::any_of(durations.first(gpus), finite) &&
             std::ranges::any_of(durations.subspan(gpus), finite);
    });
    if (both) out.push_back(k);
  }
  return out;
}

/// Goes on from the candidate.
void keep_better(SearchLine& line, ScheduleCandidate&& candidate) {
  if (candidate.makespan < line.best.makespan) line.best = candidate;
  line.current = std::move(candidate);
}

/// What guides a policy of the dm family.
struct Guides {
  std::vector<double> ranks;  // [tasks] the priorities have their order
  CoreShares cores{};
};

/// Changes the ranks, the shares of the kernels that are kept to cores, or which tasks of a kernel these are.
void change(Guides& guides, std::span<std::size_t const> kernels, SearchRandom& random) {
  constexpr std::array spreads{0.02, 0.05, 0.1, 0.2, 0.4};
  double const spread = spreads[static_cast<std::size_t>(random.below(spreads.size()))];
  auto const vary = [&](std::vector<double>& values) {
    for (double& value : values) value *= 1 + spread * random.around_zero();
  };
  int const kind = kernels.empty() ? 0 : random.below(4);
  if (kind == 0) return vary(guides.ranks);
  if (kind == 1) vary(guides.cores.slack);
  double& share =
      guides.cores.share[kernels[static_cast<std::size_t>(random.below(static_cast<int>(kernels.size())))]];
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

}  // namespace

void vary_guides(SearchLine& line, ScheduleJudge& judge, std::string const& policy,
                 SearchRound const& round) {
  SearchRandom random(round.seed);
  std::vector<std::size_t> const kernels = kernels_of_both_kinds(judge.plan());
  std::uint64_t done = 0;
  for (; !round.over(done); done += 2) {
    Guides guides{line.ranks, {line.shares, line.slacks}};
    for (int i = 1 << random.below(2); i > 0; --i) change(guides, kernels, random);
    ScheduleCandidate next =
        candidate_of(judge.judge(judge
                                     .run_policy(policy, priorities_by(guides.ranks),
                                                 kept_on_cores(guides.cores, judge.plan().stored().graph))
                                     .schedule));
    if (next.makespan >= line.guided * (1 + round.loss)) continue;
    line.guided = next.makespan;
    line.ranks = std::move(guides.ranks);
    line.shares = std::move(guides.cores.share);
    line.slacks = std::move(guides.cores.slack);
    keep_better(line, std::move(next));
  }
  line.simulations = static_cast<double>(done);
}

void change_places(SearchLine& line, ScheduleJudge& judge, bool urgent_first, SearchRound const& round) {
  SearchRandom random(round.seed);
  ScheduleMoves const moves(judge.plan());
  std::vector<std::int32_t> const priority = line.current.schedule.priority;
  auto const judged = [&](OrderedSchedule const& order) {
    return judge.judge(schedule_of(order, priority, urgent_first));
  };
  OrderedSchedule const start = ordered(line.current.schedule);
  JudgedSchedule now = judged(start);
  double current = now.makespan.value;
  RanSchedule run = moves.ran(start, now.dates);
  keep_better(line, candidate_of(std::move(now)));
  std::uint64_t done = 1;
  for (; !round.over(done); ++done) {
    OrderedSchedule changed = run.order;
    for (int i = 1 << random.below(5); i > 0; --i) moves.change(changed, run, random);
    JudgedSchedule next = judged(changed);
    if (next.makespan.value >= current * (1 + round.loss)) continue;
    current = next.makespan.value;
    run = moves.ran(std::move(changed), next.dates);
    keep_better(line, candidate_of(std::move(next)));
  }
  line.simulations = static_cast<double>(done);
}

ScheduleCandidate candidate_of(JudgedSchedule&& judged) {
  return {judged.makespan.value, std::move(judged.schedule)};
}

}  // namespace factosim
