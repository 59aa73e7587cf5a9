#include "simulator/experiments/hpl/hpl_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "simulator/base/core/format.hpp"
#include "simulator/experiments/hpl/closed_form.hpp"
#include "simulator/experiments/hpl/hpl_links.hpp"
#include "simulator/experiments/hpl/hpl_run.hpp"
#include "simulator/experiments/hpl/hpl_steps.hpp"
#include "simulator/experiments/hpl/names.hpp"

namespace factosim {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// A simulated run with what the result says of it.
struct HplRun {
  HplScenario const& scenario;
  HplSystem const& system;
  HplOutcome const& outcome;
  Seconds substitution, closed_form;

  [[nodiscard]] HplProblem const& problem() const { return scenario.problem; }
  [[nodiscard]] Seconds makespan() const { return outcome.makespan + substitution; }
  [[nodiscard]] double gflops() const { return problem().flops() / makespan().value / 1e9; }
  /// Mean over the processes.
  [[nodiscard]] double mean(double HplOutcome::Process::*part) const {
    double sum = 0;
    for (auto const& process : outcome.processes) sum += process.*part;
    return sum / static_cast<double>(outcome.processes.size());
  }
  [[nodiscard]] bool estimate() const {
    return scenario.costs.estimate || scenario.platform.uses_estimates();
  }
};

HplOutcome simulate(HplScenario const& s, HplSystem const& system) {
  if (s.detail == HplDetail::steps) return simulate_hpl_steps(system, HplLinks(system, s.platform));
  Topology const topology(s.platform);
  return simulate_hpl_messages(system, topology, make_network(s.network, topology),
                               TimeGrid::for_makespan(hpl_closed_form(s)));
}

OrderedJson hpl_json(HplRun const& r) {
  HplProblem const& p = r.problem();
  OrderedJson out = {{"detail", name_of(r.scenario.detail)},
                     {"n", p.n},
                     {"nb", p.nb},
                     {"p", p.p},
                     {"q", p.q},
                     {"panels", p.panels()},
                     {"factorization_s", r.outcome.makespan.value},
                     {"back_substitution_s", r.substitution.value},
                     {"closed_form_s", (r.closed_form + r.substitution).value}};
  if (r.scenario.detail == HplDetail::steps)
    out["mean_of_processes"] = {{"updating_s", r.mean(&HplOutcome::Process::updating)},
                                {"factoring_s", r.mean(&HplOutcome::Process::factoring)},
                                {"swapping_s", r.mean(&HplOutcome::Process::swapping)},
                                {"broadcasting_s", r.mean(&HplOutcome::Process::broadcasting)},
                                {"end_s", r.mean(&HplOutcome::Process::end)}};
  return out;
}

OrderedJson nodes_json(HplRun const& r) {
  struct Sum {
    double busy = 0, end = 0;
    int processes = 0;
  };
  std::vector<Sum> sums(r.scenario.platform.nodes.size());
  for (std::size_t i = 0; i < r.outcome.processes.size(); ++i) {
    Sum& sum = sums[r.system.node_of(i).index()];
    sum.busy += r.outcome.processes[i].updating;
    sum.end = std::max(sum.end, r.outcome.processes[i].end);
    ++sum.processes;
  }
  OrderedJson out = OrderedJson::array();
  for (std::size_t n = 0; n < sums.size(); ++n)
    out.push_back({{"id", n},
                   {"type", r.scenario.platform.type_of(NodeId{n}).name},
                   {"processes", sums[n].processes},
                   {"busy_s", sums[n].busy},
                   {"end_s", sums[n].end}});
  return out;
}

OrderedJson timings(HplRun const& r) {
  OrderedJson out = OrderedJson::array();
  out.push_back({{"machine", r.scenario.costs.file},
                 {"estimate", r.scenario.costs.estimate},
                 {"provenance", r.scenario.costs.provenance}});
  for (NodeType const& type : r.scenario.platform.types)
    out.push_back({{"machine", type.name}, {"estimate", type.estimate}, {"provenance", type.provenance}});
  return out;
}

std::string summary(HplRun const& r) {
  fmt::memory_buffer out;
  auto const row = [&](std::string_view label, std::string_view value) {
    fmt::format_to(std::back_inserter(out), "{:<14}{}\n", label, value);
  };
  HplProblem const& p = r.problem();
  row("hpl", fmt::format("n {}, nb {}, {} x {} processes on {} nodes, {}, look-ahead {}", p.n, p.nb, p.p, p.q,
                         r.scenario.platform.nodes.size(), name_of(p.broadcast), p.lookahead));
  row("makespan", format_duration(r.makespan()));
  row("performance", fmt::format("{}, {} per process", format_gflops(r.gflops()),
                                 format_gflops(r.gflops() / static_cast<double>(p.processes()))));
  row("closed form",
      fmt::format("{}, without waits and look-ahead", format_duration(r.closed_form + r.substitution)));
  if (r.scenario.detail == HplDetail::messages) {
    row("detail", fmt::format("every message: {}", grouped(r.outcome.messages)));
    return fmt::to_string(out);
  }
  row("detail", "steps, by recurrences; cards shared by fixed numbers of messages");
  double const end = r.outcome.makespan.value;
  auto const share = [&](double HplOutcome::Process::*part) { return 100 * r.mean(part) / end; };
  row("processes",
      fmt::format("update {:.1f} %, panels {:.1f} %, swaps {:.1f} %, broadcasts {:.1f} %",
                  share(&HplOutcome::Process::updating), share(&HplOutcome::Process::factoring),
                  share(&HplOutcome::Process::swapping), share(&HplOutcome::Process::broadcasting)));
  return fmt::to_string(out);
}

}  // namespace

ExperimentResult simulate_hpl(HplScenario const& s) {
  HplSystem const system(s);
  HplOutcome const outcome = simulate(s, system);
  HplRun const r{s, system, outcome, hpl_back_substitution(s), hpl_closed_form(s)};
  ExperimentResult out;
  out.makespan = r.makespan();
  out.estimate = r.estimate();
  out.tasks = s.detail == HplDetail::messages ? outcome.messages
                                              : static_cast<std::uint64_t>(s.problem.panels()) *
                                                    static_cast<std::uint64_t>(s.problem.processes());
  out.metrics = {{"gflops", r.gflops()}, {"closed_form_s", (r.closed_form + r.substitution).value}};
  out.sections = {{"gflops", r.gflops()}, {"nodes", nodes_json(r)}, {"hpl", hpl_json(r)}};
  out.timings = timings(r);
  out.summary = summary(r);
  return out;
}

}  // namespace factosim
