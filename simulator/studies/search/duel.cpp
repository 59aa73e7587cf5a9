#include "simulator/studies/search/duel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <system_error>

#include "distributions/map_neighbours.hpp"
#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/base/plugin/plugin_file.hpp"
#include "simulator/scenario/keys/distribution_keys.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/search/schedule_search.hpp"

namespace factosim {

namespace {

using Clock = std::chrono::steady_clock;

// Accepted losses of the logarithm of the ratio, at first and at last.
constexpr double first_temperature = 0.1, last_temperature = 0.002;

TaskPlan plan_of(nlohmann::json const& document, std::string const& file) {
  Scenario scenario = scenario_of(document, file);
  check_size(scenario, {});
  PlacedScenario placed = place(std::move(scenario));
  placed.noise = {};
  return plan_tasks(std::move(placed));
}

/// Returns a number in [0, 1[.
double drawn(SearchRandom& random) {
  return std::min(std::nextafter(1., 0.), (random.around_zero() + 1) / 2);
}

FamilyPlace random_place(std::size_t axes, SearchRandom& random) {
  FamilyPlace out;
  for (std::size_t i = 0; i < axes; ++i) out.push_back(drawn(random));
  return out;
}

/// Changes one number: by up to 0.15, or, one time in three, to any.
FamilyPlace neighbour(FamilyPlace place, SearchRandom& random) {
  double& share = place[static_cast<std::size_t>(random.below(static_cast<int>(place.size())))];
  if (random.below(3) == 0)
    share = drawn(random);
  else
    share = std::clamp(share + 0.15 * random.around_zero(), 0., std::nextafter(1., 0.));
  return place;
}

/// One restart of the annealing, in a child process.
class Annealing {
 public:
  Annealing(Contestant const& a, Contestant const& b, ScenarioFamily const& family, std::uint64_t seed,
            std::uint64_t pairs, std::optional<Clock::time_point> end)
      : a_(a), b_(b), family_(family), random_(seed), pairs_(pairs), end_(end) {}

  nlohmann::json run() {
    FamilyPlace now;
    double current = 0;
    for (std::uint64_t tries = 0;
         pairs_done_ < pairs_ && tries < 20 * pairs_ && !(end_ && Clock::now() >= *end_); ++tries) {
      FamilyPlace next = now.empty() ? random_place(family_.axes.size(), random_) : neighbour(now, random_);
      double const found = ratio(next);
      if (found == 0) continue;
      double const spent = static_cast<double>(pairs_done_) / static_cast<double>(pairs_);
      double const temperature = first_temperature * std::pow(last_temperature / first_temperature, spent);
      double const chance = drawn(random_);
      if (!now.empty() && found < current && std::log(current / found) > -temperature * std::log(chance))
        continue;
      now = std::move(next);
      current = found;
      if (found > best_) {
        best_ = found;
        place_ = now;
      }
    }
    return {{"ratio", best_},
            {"place", place_},
            {"pairs", pairs_done_},
            {"infeasible", infeasible_},
            {"why", why_not_}};
  }

 private:
  /// Returns the ratio of the makespans; 0 if the scenario cannot be run.
  double ratio(FamilyPlace const& place) {
    nlohmann::json const scenario = family_.at(place);
    auto const [known, added] = known_.try_emplace(json_text(scenario), 0);
    if (!added) return known->second;
    try {
      double const of_b = makespan(scenario, b_);
      known->second = of_b > 0 ? makespan(scenario, a_) / of_b : 0;
      ++pairs_done_;
    } catch (InputError const& error) {
      refuse(error.what());
    } catch (InfeasibleError const& error) {
      refuse(error.what());
    }
    return known->second;
  }

  void refuse(std::string const& why) {
    if (infeasible_++ == 0) why_not_ = why;
  }

  [[nodiscard]] double makespan(nlohmann::json const& scenario, Contestant const& contestant) const {
    TaskPlan plan = plan_of(with(scenario, contestant), family_.file);
    if (plan.scenario.network.model == NetworkModel::simgrid)
      plan.scenario.network.model = NetworkModel::maxmin;
    return simulate_with_seed(plan, plan.scenario.seed, nullptr, {}).makespan.value;
  }

  Contestant const &a_, &b_;
  ScenarioFamily const& family_;
  SearchRandom random_;
  std::uint64_t pairs_, pairs_done_ = 0, infeasible_ = 0;
  std::optional<Clock::time_point> end_;
  std::map<std::string, double> known_;  // ratios, by scenario
  double best_ = 0;
  FamilyPlace place_;
  std::string why_not_;
};

}  // namespace

Contestant contestant(std::string const& text) {
  nlohmann::json value = {{"type", text}};
  if (text.starts_with("{")) {
    value = nlohmann::json::parse(text, nullptr, false);
    if (!value.is_object() || !value.contains("type") || !value["type"].is_string())
      throw InputError(text + "#",
                       "is no JSON object with a \"type\" (it is to replace the scenario's \"scheduler\" "
                       "or \"distribution\"). Correct it");
  }
  std::string const type = value["type"];
  if (is_plugin(type)) {
    std::error_code ignored;
    if (!std::filesystem::exists(type, ignored))
      throw InputError(type + "#", "is no file (a name that ends with .so is a shared library). Correct it");
    value["type"] = std::filesystem::absolute(type).lexically_normal().string();
    return {text, "", value};
  }
  if (type == "static") {
    if (value.contains("file") && value["file"].is_string())
      value["file"] = std::filesystem::absolute(value["file"].get<std::string>()).lexically_normal().string();
    return {text, "/scheduler", value};
  }
  auto const policies = scheduler_names(), distributions = distribution_names();
  if (std::ranges::find(policies, type) != policies.end()) return {text, "/scheduler", value};
  if (std::ranges::find(distributions, type) != distributions.end()) return {text, "/distribution", value};
  throw InputError(
      type + "#",
      fmt::format(
          "is no policy and no distribution (a duel is between two of one sort). Use two of {}, or two of {}",
          fmt::join(policies, ", "), fmt::join(distributions, ", ")));
}

void pair_up(Contestant& a, Contestant& b) {
  if (a.pointer.empty()) a.pointer = b.pointer.empty() ? "/scheduler" : b.pointer;
  if (b.pointer.empty()) b.pointer = a.pointer;
  if (a.pointer != b.pointer)
    throw InputError(b.name + "#",
                     fmt::format("is of another sort than {} (a duel is between two policies or two "
                                 "distributions). Use two of one sort",
                                 a.name));
}

nlohmann::json with(nlohmann::json scenario, Contestant const& c) {
  scenario[nlohmann::json::json_pointer(c.pointer)] = c.value;
  return scenario;
}

DuelResult duel(Contestant const& a, Contestant const& b, ScenarioFamily const& family,
                DuelBudget const& budget, DuelProgress const& progress) {
  std::optional<Clock::time_point> end;
  if (budget.time)
    end = Clock::now() +
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget.time->value));
  std::uint64_t const each = std::max<std::uint64_t>(1, budget.pairs / budget.restarts);
  std::vector<ChildWork> restarts;
  for (std::uint64_t i = 0; i < budget.restarts; ++i)
    restarts.emplace_back(
        [&, i] { return json_text(Annealing(a, b, family, budget.seed * 1'000'003 + i, each, end).run()); });
  std::size_t ended = 0;
  double best = 0;
  auto const show = [&](std::string const& answer) {
    best = std::max(best, nlohmann::json::parse(answer)["ratio"].get<double>());
    if (progress) progress(++ended, best);
  };
  DuelResult out;
  for (std::string const& text : run_in_children(restarts, jobs_or_cores(budget.jobs), show)) {
    nlohmann::json const answer = nlohmann::json::parse(text);
    double const ratio = answer["ratio"];
    if (ratio > (out.ratios.empty() ? 0 : *std::ranges::max_element(out.ratios)))
      out.place = answer["place"].get<FamilyPlace>();
    out.ratios.push_back(ratio);
    out.pairs += answer["pairs"].get<std::uint64_t>();
    out.infeasible += answer["infeasible"].get<std::uint64_t>();
    if (out.why_not.empty()) out.why_not = answer["why"];
  }
  if (out.place.empty())
    throw InfeasibleError(fmt::format("no scenario of the family was found that both {} and {} can run{}{}",
                                      a.name, b.name, out.why_not.empty() ? "" : ": ", out.why_not));
  out.scenario = family.at(out.place);
  out.a = makespan_in_child(plan_of(with(out.scenario, a), family.file));
  out.b = makespan_in_child(plan_of(with(out.scenario, b), family.file));
  return out;
}

}  // namespace factosim
