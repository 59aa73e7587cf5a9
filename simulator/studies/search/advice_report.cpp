#include "simulator/studies/search/advice_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/scenario/simulation/run.hpp"

namespace factosim {

FACTOSIM_JSON_MEMBERS(DroppedOptions::Entry, option, count, reason)

namespace {

using Json = nlohmann::ordered_json;

Json simulated_json(AdviceSpace const& space, SimulatedChoice const& s) {
  AdviceChoice const& c = space.choices()[s.choice];
  Json nodes = Json::object();
  for (std::size_t t = 0; t < c.counts.size(); ++t) nodes[space.types()[t]] = c.counts[t];
  Json out = {{"words", space.description(s.choice)},
              {"nodes", nodes},
              {"distribution", c.distribution},
              {"scheduler", c.scheduler},
              {"nt", c.nt},
              {"nb", c.tiles.nb},
              {"makespan_s", s.makespan_s},
              {"gflops", s.gflops},
              {"node_hours", s.node_hours}};
  if (!std::isnan(s.energy_J)) out["energy_J"] = s.energy_J;
  if (c.nt == 0) out.erase("nt"), out.erase("nb");
  if (!c.tiles.formats.name.empty()) {
    out["formats"] = c.tiles.formats.name;
    out["error"] = c.tiles.formats.error;
    out["tile_formats"] = c.tiles.formats.tile_formats;
  }
  return out;
}

/// Describes how certain it is that single runs of the best choice are the best.
std::string certainty(Advice const& a) {
  AdviceSearchResult const& r = a.search;
  if (a.best() != r.best)
    return fmt::format("best of the replicas; by single runs {} is better by {:.2g} %",
                       a.space.description(r.best), 100 * (1 - r.best_objective / a.objective()));
  if (r.open == 0) return "proven best: bounds exclude everything that was not simulated";
  std::string const gap = fmt::format("no choice can be more than {:.1f} % better",
                                      100 * (1 - std::min(r.min_bound, r.best_objective) / r.best_objective));
  if (r.expected_end)
    return fmt::format(
        "none of the {} others is expected to be better, twice the deviation of {:.1f} % included; {}",
        r.open, 100 * r.deviation, gap);
  return fmt::format("the budget ended with {} choices open (deviation of expectations {:.1f} %); {}", r.open,
                     100 * r.deviation, gap);
}

constexpr double of_two_runs = 0.95;  // probability of the interval of the difference of two runs

/// The other choices whose difference from the best may be the other way round in single runs.
struct Indistinct {
  double within = 0;  // half the width of the interval of the difference of two runs, relative; 0: unknown
  std::vector<std::pair<std::size_t, double>> choices{};  // and the difference, relative, smallest first
};

/// Finds them by the deviation of runs that the kernel files know.
Indistinct find_indistinct(Advice const& a) {
  Scenario const best = scenario_of(a.space.scenario(a.best()), a.space.file());
  auto const* const tasks = std::get_if<TaskScenario>(&best.application);
  if (tasks == nullptr || !std::holds_alternative<TiledApplication>(tasks->application)) return {};
  Indistinct out{.within = difference_half_width(calibrated_run_deviation(tasks->cluster), of_two_runs)};
  for (auto const& [choice, outcome] : a.search.simulated) {
    double const difference = outcome.objective / a.objective() - 1;
    if (outcome.allowed && choice != a.best() && std::abs(difference) <= out.within)
      out.choices.emplace_back(choice, difference);
  }
  std::sort(out.choices.begin(), out.choices.end(), [](auto const& a, auto const& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  return out;
}

Json indistinct_json(AdviceSpace const& space, Indistinct const& indistinct) {
  Json choices = Json::array();
  for (auto const& [choice, difference] : indistinct.choices)
    choices.push_back({{"words", space.description(choice)}, {"difference", difference}});
  return {{"within", indistinct.within}, {"probability", of_two_runs}, {"choices", choices}};
}

std::string indistinct_text(AdviceSpace const& space, Indistinct const& indistinct) {
  if (indistinct.choices.empty())
    return fmt::format("yes: no other one simulated is within {:.1f} %, by which two single runs differ",
                       100 * indistinct.within);
  auto const& [choice, difference] = indistinct.choices.front();
  return fmt::format(
      "no: {} others are not distinguishable in single runs; the difference of {:.1f} % from {} is within "
      "{:.1f} %",
      indistinct.choices.size(), 100 * difference, space.description(choice), 100 * indistinct.within);
}

/// The makespan of the best choice with another policy, relative to its own.
double difference(Advice const& a, SimulatedChoice const& other) {
  return other.makespan_s / a.simulator.simulated(a.best()).makespan_s - 1;
}

Json policies_json(Advice const& a) {
  Json out = Json::array();
  for (auto const& [policy, outcome] : a.other_policies)
    out.push_back(
        {{"scheduler", policy}, {"makespan_s", outcome.makespan_s}, {"difference", difference(a, outcome)}});
  return out;
}

std::string policies_text(Advice const& a) {
  if (a.other_policies.empty()) return "no other one was tried (--schedulers)";
  std::string out;
  for (auto const& [policy, outcome] : a.other_policies)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", policy, format_change(difference(a, outcome)));
  return out + ", on the best choice only (--schedulers searches with them)";
}

std::size_t ties(RobustAdvice const& robust) {
  return static_cast<std::size_t>(std::ranges::count_if(robust.choices, &RepeatedChoice::tied));
}

Json robust_json(AdviceSpace const& space, RobustAdvice const& robust) {
  Json choices = Json::array();
  for (RepeatedChoice const& c : robust.choices)
    choices.push_back({{"words", space.description(c.choice)},
                       {"mean_makespan_s", c.makespan_s.mean},
                       {"deviation_s", c.makespan_s.deviation},
                       {"prediction_low_s", c.makespan_s.prediction_low},
                       {"prediction_high_s", c.makespan_s.prediction_high},
                       {"mean_objective", c.objective},
                       {"difference", c.difference},
                       {"half_width", c.half_width},
                       {"tied", c.tied},
                       {"keeps_deadline", c.keeps_deadline}});
  return {{"replicas", robust.choices.front().objectives.size()},
          {"probability", robust.probability},
          {"best_alone", ties(robust) == 0 && robust.not_repeated == 0},
          {"choices", choices},
          {"not_repeated", robust.not_repeated}};
}

/// Writes lines of an answer.
class AdviceText {
 public:
  explicit AdviceText(Advice const& a) : a_(a) {}

  std::string text() {
    AdviceSearchResult const& r = a_.search;
    bool const energy = a_.space.options().objective == AdviceObjective::energy;
    put("best          {}\n", line(a_.simulator.simulated(a_.best())));
    put("certainty     {}\n", certainty(a_));
    if (a_.robust) robust(*a_.robust);
    if (Indistinct const indistinct = find_indistinct(a_); !a_.robust && indistinct.within > 0)
      put("distinct      {}\n", indistinct_text(a_.space, indistinct));
    if (a_.space.options().schedulers.size() == 1) put("policies      {}\n", policies_text(a_));
    std::size_t const cannot_run = a_.space.choices().size() - r.simulated.size() - r.pruned - r.open;
    put("search        {} choices: {} simulated, {} excluded by bounds, {} open{}\n",
        a_.space.choices().size(), r.simulated.size(), r.pruned, r.open,
        cannot_run > 0 ? fmt::format(", {} that cannot be run", cannot_run) : "");
    left_out();
    put("\ntime against {}, of what was simulated:\n", energy ? "energy" : "node-hours");
    for (SimulatedChoice const& s : a_.simulator.pareto_front()) put("{}\n", line(s));
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_ += fmt::format(format, std::forward<Arguments>(arguments)...);
  }

  /// One line for each option: reasons differ in numbers of nodes.
  void left_out() {
    std::map<std::string, DroppedOptions::Entry> by_option;
    for (DroppedOptions::Entry const& e : a_.dropped.entries())
      if (auto const [known, is_new] = by_option.try_emplace(e.option, e); !is_new)
        known->second.count += e.count;
    for (auto const& [option, e] : by_option) put("left out      {} ({}x): {}\n", option, e.count, e.reason);
  }

  std::string line(SimulatedChoice const& s) const {
    return fmt::format("{:.4g} s{}  {:.3g} node-hours{}  {}", s.makespan_s,
                       s.gflops > 0 ? fmt::format("  {:.5g} GFlop/s", s.gflops) : "", s.node_hours,
                       std::isnan(s.energy_J) ? "" : fmt::format("  {:.4g} kJ", s.energy_J / 1e3),
                       a_.space.description(s.choice));
  }

  void robust(RobustAdvice const& robust) {
    RepeatedChoice const& best = robust.choices.front();
    std::size_t const tied = ties(robust);
    put("replicas      mean {}, one run {} to {}; ", format_duration(Seconds{best.makespan_s.mean}),
        format_duration(Seconds{std::max(0.0, best.makespan_s.prediction_low)}),
        format_duration(Seconds{best.makespan_s.prediction_high}));
    if (tied > 0)
      put("{} of {} repeated choices cannot be told apart from it ({:g} %):\n", tied,
          robust.choices.size() - 1, 100 * robust.probability);
    else
      put("better than the {} others that were repeated ({:g} %)\n", robust.choices.size() - 1,
          100 * robust.probability);
    for (RepeatedChoice const& c : robust.choices)
      if (c.tied)
        put("  {} +- {:.2f} %  {}\n", format_change(c.difference, 2), 100 * c.half_width,
            a_.space.description(c.choice));
    for (RepeatedChoice const& c : robust.choices)
      if (!c.keeps_deadline)
        put("  may miss the deadline ({} at most)  {}\n",
            format_duration(Seconds{c.makespan_s.prediction_high}), a_.space.description(c.choice));
    if (robust.not_repeated > 0)
      put("  {} more choices may be as good, and were not repeated\n", robust.not_repeated);
  }

  Advice const& a_;
  std::string out_;
};

}  // namespace

std::string failed_option(AdviceChoice const& choice) {
  if (choice.nt == 0) return choice.distribution["type"];
  return fmt::format("{} with tiles of {}", choice.distribution["type"].get<std::string>(),
                     choice.tiles.description());
}

void add_failures(DroppedOptions& dropped, AdviceSpace const& space, ChoiceSimulator const& simulator) {
  for (auto const& [choice, reason] : simulator.failures())
    dropped.add(failed_option(space.choices()[choice]), reason);
}

std::string why_no_advice(AdviceSpace const& space, AdviceSearchResult const& search,
                          ChoiceSimulator const& simulator, DroppedOptions const& dropped) {
  auto const& deadline = space.options().deadline_s;
  if (!simulator.all().empty()) {
    auto const fastest = std::ranges::min_element(simulator.all(), {}, &SimulatedChoice::makespan_s);
    double bound = std::numeric_limits<double>::infinity();
    for (AdviceChoice const& c : space.choices()) bound = std::min(bound, c.bound_s);
    std::string const others = fmt::format(
        "{}{}). Give a later deadline{}",
        bound > 0 ? fmt::format("; the bound of all choices is {:.4g} s", bound) : "",
        search.open == 0 ? "" : fmt::format("; {} others that it allows were not simulated", search.open),
        search.open == 0 ? "" : ", or more --runs");
    return fmt::format(
        "none of the {} choices that were simulated ends before the deadline of {:g} s (the fastest takes "
        "{:.4g} s: {}{}",
        simulator.all().size(), deadline.value_or(0), fastest->makespan_s, space.description(fastest->choice),
        others);
  }
  if (std::isfinite(space.least_bound_beyond_deadline()))
    return fmt::format(
        "no choice can end before the deadline (bound {:.4g} s > {:g} s: no distribution over any of the "
        "nodes is faster). Give a later deadline, or more nodes",
        space.least_bound_beyond_deadline(), deadline.value_or(0));
  std::string reasons;
  for (DroppedOptions::Entry const& e : dropped.entries())
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", e.option, e.reason);
  return fmt::format("none of the choices can be run ({})", reasons);
}

Json front_json(Advice const& a) {
  Json out = Json::array();
  for (SimulatedChoice const& s : a.simulator.pareto_front()) out.push_back(simulated_json(a.space, s));
  return out;
}

Table front_table(Advice const& a) {
  Table out;
  for (std::string const& type : a.space.types()) out.parameters.push_back("nodes_" + type);
  for (char const* const name : {"distribution", "p", "q", "scheduler", "nt", "nb"})
    out.parameters.emplace_back(name);
  if (!a.space.options().tiles.formats.empty())
    out.parameters.insert(out.parameters.end(), {"formats", "error"});
  out.columns = out.parameters;
  for (char const* const name : {"makespan_s", "gflops", "node_hours", "energy_J", "words"})
    out.columns.emplace_back(name);
  for (Json choice : front_json(a)) {
    Json const nodes = choice["nodes"];
    for (auto const& [type, count] : nodes.items()) choice["nodes_" + type] = count;
    for (char const* const key : {"p", "q"}) choice[key] = choice["distribution"].value(key, Json());
    choice["distribution"] = Json(choice["distribution"]["type"]);
    auto& row = out.rows.emplace_back();
    for (std::string const& column : out.columns) row.push_back(choice.value(column, Json()));
  }
  return out;
}

Json advice_json(Advice const& a) {
  AdviceSearchResult const& r = a.search;
  Json out = {{"best", simulated_json(a.space, a.simulator.simulated(a.best()))},
              {"scenario", a.space.scenario(a.best())},
              {"pareto_front", front_json(a)},
              {"search",
               {{"choices", a.space.choices().size()},
                {"simulated", a.simulator.simulations()},
                {"known", r.simulated.size()},
                {"pruned", r.pruned},
                {"open", r.open},
                {"deviation", r.deviation},
                {"objective", a.objective()},
                {"least_bound_of_others",
                 std::isfinite(r.min_bound) ? nlohmann::json(r.min_bound) : nlohmann::json()},
                {"certainty", certainty(a)}}}};
  if (Indistinct const indistinct = find_indistinct(a); indistinct.within > 0)
    out["indistinct"] = indistinct_json(a.space, indistinct);
  if (!a.other_policies.empty()) out["other_policies"] = policies_json(a);
  if (a.robust) out["robust"] = robust_json(a.space, *a.robust);
  if (!a.dropped.entries().empty()) out["left_out"] = a.dropped.entries();
  return out;
}

std::string advice_text(Advice const& advice) { return AdviceText(advice).text(); }

}  // namespace factosim
