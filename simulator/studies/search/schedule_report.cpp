#include "simulator/studies/search/schedule_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulator/base/core/format.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

double above(Seconds makespan, Seconds bound) {
  return bound.value > 0 ? makespan.value / bound.value - 1 : 0;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string row(std::string const& name, std::string const& policy, std::string const& schedule,
                std::string const& problem, std::string const& distribution) {
  return fmt::format("{:<20} {:>12} {:>12} {:>14} {:>18}\n", name, policy, schedule, problem, distribution);
}

Json gaps(Seconds makespan, Bounds const& bounds) {
  return {{"makespan_s", makespan.value},
          {"above_problem", above(makespan, bounds.problem())},
          {"above_distribution", above(makespan, bounds.distribution())}};
}

}  // namespace

std::string found_schedule_text(FoundSchedule const& found, Bounds const& bounds,
                                std::vector<WrittenSchedule> const& files) {
  std::vector<PortfolioEntry> entries = found.portfolio;
  std::ranges::stable_sort(entries, {}, [](PortfolioEntry const& e) { return e.best(); });
  std::string out = row("policy", "run", "as schedule", "above problem", "above distribution");
  for (PortfolioEntry const& e : entries)
    out += row(e.name, e.makespan ? format_duration(*e.makespan) : "", format_duration(e.scheduled),
               percent(above(e.best(), bounds.problem())), percent(above(e.best(), bounds.distribution())));
  out += row("found schedule", "", format_duration(found.makespan),
             percent(above(found.makespan, bounds.problem())),
             percent(above(found.makespan, bounds.distribution())));
  PortfolioEntry const& best = found.best_entry();
  out += fmt::format("\nbound         {} of the problem, {} of the distribution\n",
                     format_duration(bounds.problem()), format_duration(bounds.distribution()));
  out += fmt::format("schedule      {}, {} {} than the best of the portfolio, {}\n",
                     format_duration(found.makespan), percent(std::abs(found.makespan / best.best() - 1)),
                     found.makespan <= best.best() ? "shorter" : "LONGER", best.name);
  out += fmt::format("search        {} simulations, {} improvements, from {}\n", found.simulations,
                     found.history.size() - 1, found.start);
  for (WrittenSchedule const& file : files)
    out += fmt::format("written       {}: a run that follows it takes {}\n", file.file,
                       format_duration(file.makespan));
  return out;
}

Json found_schedule_json(FoundSchedule const& found, Bounds const& bounds,
                         std::vector<WrittenSchedule> const& files) {
  Json portfolio = Json::array(), history = Json::array(), written = Json::array();
  for (PortfolioEntry const& e : found.portfolio) {
    Json entry = {{"policy", e.name}};
    if (e.makespan) entry["run"] = gaps(*e.makespan, bounds);
    entry["schedule"] = gaps(e.scheduled, bounds);
    portfolio.push_back(std::move(entry));
  }
  for (auto const& [simulations, makespan] : found.history)
    history.push_back({{"simulations", simulations}, {"makespan_s", makespan.value}});
  for (WrittenSchedule const& file : files)
    written.push_back({{"file", file.file}, {"format", file.format}, {"makespan_s", file.makespan.value}});
  return {
      {"schedule", gaps(found.makespan, bounds)},
      {"bounds", {{"problem_s", bounds.problem().value}, {"distribution_s", bounds.distribution().value}}},
      {"best_of_portfolio", found.best_entry().name},
      {"portfolio", std::move(portfolio)},
      {"search",
       {{"simulations", found.simulations},
        {"start", found.start},
        {"improved", found.improved},
        {"history", std::move(history)}}},
      {"files", std::move(written)}};
}

}  // namespace factosim
