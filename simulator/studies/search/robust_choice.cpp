#include "simulator/studies/search/robust_choice.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "simulator/base/core/sample.hpp"

namespace factosim {

namespace {

constexpr std::size_t at_once = 4;

/// Returns the simulated choices that are allowed, the best first, and of those that run alike with equal costs the
/// first one only.
std::vector<std::size_t> ranked(AdviceSearchResult const& found, ChoiceSimulator const& simulator) {
  std::vector<std::pair<double, std::size_t>> all;
  for (auto const& [choice, outcome] : found.simulated)
    if (outcome.allowed) all.emplace_back(outcome.objective, choice);
  std::ranges::sort(all);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool known = false;
    for (std::size_t j = i; j-- > 0 && all[j].first == all[i].first && !known;)
      known = simulator.alike(all[j].second, all[i].second);
    if (!known) out.push_back(all[i].second);
  }
  return out;
}

RepeatedChoice summarized(std::vector<SimulatedChoice> const& repetitions, AdviceSpace const& space,
                          ChoiceSimulator const& simulator, double probability) {
  RepeatedChoice out{.choice = repetitions.front().choice};
  std::vector<double> makespans;
  for (SimulatedChoice const& s : repetitions) {
    makespans.push_back(s.makespan_s);
    out.objectives.push_back(simulator.objective(s));
  }
  out.makespan_s = spread_of(std::move(makespans), probability);
  out.objective = moments(out.objectives).mean;
  auto const& deadline = space.options().deadline_s;
  out.keeps_deadline = !deadline || out.makespan_s.prediction_high <= *deadline;
  return out;
}

/// Returns half the width of the confidence interval of the mean: t(n - 1) s / sqrt(n).
double half_width_of_mean(Moments const& sample, double probability) {
  return prediction_half_width(sample, probability) / std::sqrt(static_cast<double>(sample.count) + 1);
}

/// Sets the differences to the first choice.
void compare_with_best(RobustAdvice& advice) {
  RepeatedChoice const& best = advice.choices.front();
  std::size_t const others = advice.choices.size() - 1;
  for (RepeatedChoice& c : advice.choices) {
    if (&c == &best) continue;
    std::vector<double> differences;
    for (std::size_t i = 0; i < c.objectives.size(); ++i)
      differences.push_back(c.objectives[i] - best.objectives[i]);
    Moments const m = moments(differences);
    double const each = 1 - (1 - advice.probability) / static_cast<double>(others);
    c.difference = m.mean / best.objective;
    c.half_width = half_width_of_mean(m, each) / best.objective;
    c.tied = c.keeps_deadline && c.difference <= c.half_width;
  }
}

}  // namespace

RobustAdvice repeat_best_choices(AdviceSearchResult const& found, AdviceSpace const& space,
                                 ChoiceSimulator& simulator, int repetitions) {
  RobustAdvice out;
  std::vector<std::size_t> const order = ranked(found, simulator);
  std::vector<double> nominal;
  for (std::size_t const choice : order) nominal.push_back(simulator.objective(simulator.simulated(choice)));
  double best = nominal.front(), widest = 0;  // widest: relative reach of a single run around its mean
  std::size_t next = 0;
  // A choice may be best if single runs of both move as far as the widest seen.
  auto const may_be_best = [&](std::size_t i) {
    return nominal[i] <= best * (1 + widest) / (1 - std::min(widest, 0.5));
  };
  while (next < order.size() && next < max_repeated_choices && (next == 0 || may_be_best(next))) {
    std::vector<std::size_t> batch;
    while (batch.size() < at_once && next < order.size() && next < max_repeated_choices &&
           (next == 0 || may_be_best(next)))
      batch.push_back(order[next++]);
    for (auto const& runs : simulator.repetitions(batch, repetitions)) {
      out.choices.push_back(summarized(runs, space, simulator, out.probability));
      RepeatedChoice const& c = out.choices.back();
      widest = std::max(widest, relative_reach(c.makespan_s, c.makespan_s.mean));
      best = std::min(best, c.objective);
    }
  }
  for (std::size_t i = next; i < order.size() && may_be_best(i); ++i) ++out.not_repeated;
  std::ranges::stable_sort(
      out.choices, {}, [](RepeatedChoice const& c) { return std::tuple(!c.keeps_deadline, c.objective); });
  compare_with_best(out);
  return out;
}

}  // namespace factosim
